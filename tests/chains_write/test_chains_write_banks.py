"""The phrase banks: enough of them, none in both, and grammatical whatever fills them."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from toologue.errors import BadSetting, UnknownName
from toologue.schema import AgentAction, UserAction
from toologue.write.chains.bank import BANKS, STYLES, BankName, Frame, Voice, bank

VISIBLE = [one for one in (*get_args(UserAction), *get_args(AgentAction)) if one not in ("call", "retriever_call")]
FILLED = {"value": "O-17", "noun": "the team ID", "clause": "the day is 3 May 2025", "action": "find the seasons"}


def frames(name: BankName) -> list[Frame]:
    kinds = [kind for side in bank(name).kinds.values() for kind in side.values()]
    return [frame for kind in kinds for of_style in kind.frames.values() for frame in of_style]


def plain(text: str) -> str:
    return re.sub(r"[^a-z{}]+", " ", text.lower()).strip()


@pytest.mark.parametrize("name", BANKS)
class TestBanks:
    @pytest.mark.parametrize("action", VISIBLE)
    def test_have_forty_phrasings_for_each_action_that_is_heard(self, name: BankName, action: str) -> None:
        assert bank(name).count(action) >= 40

    def test_fill_into_whole_sentences(self, name: BankName) -> None:
        for speaker, styles in STYLES.items():
            for kind in bank(name).kinds[speaker].values():
                slots = {slot: FILLED[form] for slot, form in kind.forms.items()}
                for style in styles:
                    voice = Voice(bank(name), speaker, style, seed=5)
                    for _ in kind.frames[style]:
                        text = voice(kind.name, **slots)
                        assert re.match(r"[A-Z0-9]", text), text
                        assert re.search(r"[.!?:,]$", text), text
                        assert not re.search(r"[{}\[\]|]|(?<!\.)\.\.(?!\.)|\s\s|\b(?:a|an|no|any) the\b", text), text

    def test_say_nothing_twice_before_all_was_said(self, name: BankName) -> None:
        voice = Voice(bank(name), "user", "formal", seed=3)
        count = len(bank(name).kinds["user"]["affirm"].frames["formal"])
        assert len({voice("affirm") for _ in range(count)}) == count


def test_banks_share_no_phrase() -> None:
    train, unseen = ({plain(frame.text) for frame in frames(name)} for name in BANKS)
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
