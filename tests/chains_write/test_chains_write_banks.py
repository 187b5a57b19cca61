"""The phrase banks: enough of them, none in both, and grammatical whatever fills them."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from toologue.errors import BadSetting, UnknownName
from toologue.schema import AgentAction, UserAction
from toologue.text.bank import slots_of
from toologue.write.chains.bank import BANKS, STYLES, BankName, Speaker, Voice, bank

SAMPLES = {
    **dict.fromkeys(("value", "count", "values"), "O-17"), "are": "is", "clause": "the day is 3 May 2025",
    **dict.fromkeys(("action", "offer"), "find the seasons"),
    **dict.fromkeys(("names", "missing", "options", "items", "topic"), "the team ID"),
    **dict.fromkeys(("thing", "name"), "day"),
}  # fmt: skip
# What is said in each action that is heard: kinds, with their slots; `?` are those that a frame may lack.
KINDS = {
    "inform_intent_clear": {"know": "thing", "find": "thing", "wish": "action", "hello": ""},
    "inform_intent_clear_add": {"know_of": "thing are?"},
    "inform_intent_vague": {"vague": "topic"},
    "inform": {"inform": "clause", "inform_values": "values", "choose_one": "value", "choose_by": "name value"},
    "fail_inform": {
        "fail_rest": "missing? clause", "fail_nothing": "missing?", "fail_open": "", "fail_one": "",
    },
    "affirm": {"affirm": ""},
    "negate": {"negate": ""},
    "user_bye": {"bye": "", "bye_empty": ""},
    "request": {
        "ack": "", "request": "names", "which": "thing", "request_id": "names",
        "optional": "names", "optional_which": "thing", "look_up": "", "see": "", "found": "",
        "choose": "options", "choose_by": "names options",
    },
    "clarify": {"clarify": "topic"},
    "suggest": {"suggest": "offer"},
    "response": {
        "respond": "clause", "respond_list": "items count?", "respond_single": "items",
        "respond_empty": "", "respond_done": "",
    },
    "response_fail": {"response_fail": "topic"},
    "system_bye": {"system_bye": ""},
}  # fmt: skip


def speaker(action: str) -> Speaker:
    return "user" if action in get_args(UserAction) else "agent"


def frames(name: BankName, speaker: Speaker, kind: str) -> list[str]:
    return [frame for of_style in bank(name).kinds[speaker][kind].values() for frame in of_style]


def every(name: BankName) -> list[str]:
    sides = bank(name).kinds.items()
    return [frame for side, kinds in sides for kind in kinds for frame in frames(name, side, kind)]


def plain(text: str) -> str:
    return re.sub(r"[^a-z{}]+", " ", text.lower()).strip()


@pytest.mark.parametrize("name", BANKS)
class TestBanks:
    @pytest.mark.parametrize("action", KINDS)
    def test_have_several_frames_of_each_kind_and_style(self, name: BankName, action: str) -> None:
        side = speaker(action)
        for kind in KINDS[action]:
            by_style = bank(name).kinds[side][kind]
            assert by_style.keys() == {*STYLES[side]}
            assert all(len({*lines}) == len(lines) >= 2 for lines in by_style.values()), kind

    @pytest.mark.parametrize("action", KINDS)
    def test_have_each_slot_of_a_kind_once_in_a_frame(self, name: BankName, action: str) -> None:
        for kind, slots in KINDS[action].items():
            may = {slot.rstrip("?") for slot in slots.split()}
            must = {slot for slot in slots.split() if not slot.endswith("?")}
            for frame in frames(name, speaker(action), kind):
                held = re.findall(r"\{(\w+)\}", frame)
                assert must <= {*held} <= may, frame
                assert len(held) == len({*held}), frame

    def test_have_a_kind_for_nothing_else(self, name: BankName) -> None:
        assert {*KINDS} == {*get_args(UserAction), *get_args(AgentAction)} - {"call", "retriever_call"}
        assert {(side, kind) for side, kinds in bank(name).kinds.items() for kind in kinds} == {
            (speaker(action), kind) for action, kinds in KINDS.items() for kind in kinds
        }

    def test_fill_into_whole_sentences(self, name: BankName) -> None:
        for speaker, styles in STYLES.items():
            for kind, by_style in bank(name).kinds[speaker].items():
                slots = {slot: SAMPLES[slot] for frame in frames(name, speaker, kind) for slot in slots_of(frame)}
                for style in styles:
                    voice = Voice(bank(name), speaker, style, seed=5)
                    for _ in by_style[style]:
                        text = voice(kind, **slots)
                        assert re.match(r"[A-Z0-9]", text), text
                        assert re.search(r"[.!?:,]$", text), text
                        assert not re.search(r"[{}\[\]|]|(?<!\.)\.\.(?!\.)|\s\s|\b(?:a|an|no|any) the\b", text), text

    def test_say_nothing_twice_before_all_was_said(self, name: BankName) -> None:
        voice = Voice(bank(name), "user", "chatty", seed=3)
        count = len(bank(name).kinds["user"]["affirm"]["chatty"])
        assert len({voice("affirm") for _ in range(count)}) == count


def test_banks_share_no_phrase() -> None:
    train, unseen = ({plain(frame) for frame in every(name)} for name in BANKS)
    assert not train & unseen


class TestMistakes:
    def test_names_are_suggested(self) -> None:
        with pytest.raises(UnknownName, match="did you mean 'affirm'"):
            Voice(bank("train"), "user", "terse", seed=1)("affirms")
        with pytest.raises(UnknownName, match="no phrase bank is called 'trains'; did you mean 'train'"):
            bank("trains")  # pyright: ignore[reportArgumentType]
        with pytest.raises(UnknownName, match="no style of the user is called 'warm'"):
            Voice(bank("train"), "user", "warm", seed=1)

    def test_slots_are_told(self) -> None:
        with pytest.raises(BadSetting, match="'choose_one' takes value; it was given nothing"):
            Voice(bank("train"), "user", "terse", seed=1)("choose_one")
