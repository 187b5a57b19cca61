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
    **dict.fromkeys(("value", "count"), "O-17"), "clause": "the day is 3 May 2025",
    **dict.fromkeys(("action", "offer"), "find the seasons"),
    **dict.fromkeys(("thing", "name", "names", "topic", "listed", "missing", "options", "items"), "the team ID"),
}  # fmt: skip
# What is said in each action that is heard: kinds, with their slots; `?` are those that a frame may lack, but not all.
KINDS = {
    "inform_intent_clear": {
        "wish_thing": "thing", "wish_action": "action", "plain": "thing", "clearer": "", "aim": "names",
    },
    "inform_intent_clear_add": {
        "add_thing": "name thing value", "add_action": "action name value", "plain_add": "name thing value",
    },
    "inform_intent_vague": {"hint": "topic", "fog": "topic", "fog_blank": "", "unsure": ""},
    "inform": {
        "inform": "clause? listed?", "inform_one": "value name?", "choose_one": "value name?",
        "choose_by": "name value", "assent": "",
    },
    "fail_inform": {
        "fail_rest": "missing clause? listed?", "fail_nothing": "missing", "have": "names", "know_it": "names",
        "any_one": "", "where_i_am": "",
    },
    "affirm": {"affirm": ""},
    "negate": {"negate": ""},
    "user_bye": {"bye": "", "bye_empty": ""},
    "request": {
        "request": "names", "again": "names", "optional": "names", "request_optional": "names", "look_up": "missing",
        "found": "missing value", "choose": "options names?", "choose_by": "names options",
    },
    "clarify": {"clarify": "topic?", "clarify_blank": ""},
    "suggest": {"suggest": "offer"},
    "response": {
        "respond_one": "clause", "respond_record": "clause? listed?", "respond_list": "items count?",
        "respond_empty": "", "respond_done": "",
    },
    "response_fail": {"response_fail": ""},
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
    def test_have_forty_phrasings_for_each_action_that_is_heard(self, name: BankName, action: str) -> None:
        assert len({frame for kind in KINDS[action] for frame in frames(name, speaker(action), kind)}) >= 40

    @pytest.mark.parametrize("action", KINDS)
    def test_have_each_slot_of_a_kind_once_in_a_frame(self, name: BankName, action: str) -> None:
        for kind, slots in KINDS[action].items():
            may = {slot[:-1] for slot in slots.split() if slot.endswith("?")}
            must = {slot for slot in slots.split() if not slot.endswith("?")}
            for frame in frames(name, speaker(action), kind):
                held = re.findall(r"\{(\w+)\}", frame)
                assert must <= {*held} <= must | may, frame
                assert len(held) == len({*held}), frame
                assert held or not may, frame

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
        voice = Voice(bank(name), "user", "formal", seed=3)
        count = len(bank(name).kinds["user"]["affirm"]["formal"])
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
        with pytest.raises(BadSetting, match="'fail_nothing' takes missing; it was given nothing"):
            Voice(bank("train"), "user", "terse", seed=1)("fail_nothing")
