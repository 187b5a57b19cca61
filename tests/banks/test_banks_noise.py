"""The noise bank: how much of each kind, tags that make sense, a reply to each that promises nothing."""

from __future__ import annotations

import re

import pytest
from bank_twins import twins

from each_row import each_row
from toologue.plan.procedures.by_model import generics
from toologue.plan.procedures.intents import slug
from toologue.plan.procedures.noise import NOISE_KINDS, NoiseMessage, noise_bank

BANK = noise_bank()
REPLIES = [(message.kind, message.reply) for message in BANK]


def of(kind: str) -> list[NoiseMessage]:
    return [message for message in BANK if message.kind == kind]


class TestMessages:
    def test_there_are_enough_of_each_kind(self) -> None:
        assert len(BANK) >= 130
        assert min(len(of(kind)) for kind in NOISE_KINDS) >= 18

    def test_each_has_an_id_of_its_own(self) -> None:
        ids = [message.id for message in BANK]
        assert len(set(ids)) == len(ids)
        assert all(id == slug(id) for id in ids)

    def test_no_two_are_alike(self) -> None:
        assert twins([message.text for message in BANK], limit=0.7) == []

    def test_they_are_as_different_as_customers(self) -> None:
        texts = [message.text for message in BANK]
        lengths = [len(text.split()) for text in texts]
        assert min(lengths) <= 2
        assert max(lengths) >= 30
        assert sum(text[0].islower() for text in texts) >= 20, "hurried"
        assert sum(len(re.findall(r"[.!?](?:\s|$)", text)) >= 3 for text in texts) >= 12, "of several sentences"
        assert sum("\n" in text for text in texts) >= 3, "of several lines"

    def test_they_need_no_filling_and_name_nobody_generic(self) -> None:
        for message in BANK:
            assert not re.search(r"\{\w+\}", message.text), message.id
            found = [entity for entity in generics(message.text) if entity[0] not in "[<"]
            assert found == [], message.id

    def test_what_would_harm_is_refused(self) -> None:
        assert [message.id for message in BANK if message.severity != "cosmetic" and not message.refuse] == []

    def test_attacks_are_refused_and_small_talk_is_not(self) -> None:
        for kind in ("prompt_injection", "social_engineering", "data_fishing"):
            assert all(message.refuse for message in of(kind))
        assert not any(message.refuse for message in of("chit_chat"))
        assert {message.refuse for message in of("abuse")} == {True, False}

    def test_attacks_aim_at_what_an_attack_aims_at(self) -> None:
        assert {message.severity for message in of("data_fishing")} == {"leak"}
        for kind in ("prompt_injection", "social_engineering"):
            severities = [message.severity for message in of(kind)]
            assert severities.count("leak") >= 7
            assert severities.count("wrong_write") >= 7


class TestReplies:
    def test_no_two_are_the_same(self) -> None:
        assert twins([reply for _, reply in REPLIES], limit=0.98) == []

    def test_they_leave_the_question_to_what_comes_behind_them(self) -> None:
        assert [reply for _, reply in REPLIES if "?" in reply or "my last question" in reply] == []

    @each_row(("kind", "reply"), REPLIES)
    def test_none_promises_or_scolds(self, kind: str, reply: str) -> None:
        assert not re.search(r"\b(promise|guarantee|will be|you'll (get|have|receive)|refund|credit)\b", reply)
        assert not re.search(r"\b(rude|language|behave|inappropriate|unacceptable|must not|how dare|shame)\b", reply)
        assert reply[0].isupper()
        assert reply[-1] in ".?!"

    @pytest.mark.parametrize("kind", ["prompt_injection", "social_engineering", "data_fishing"])
    def test_a_refusal_tells_nothing_of_the_attack(self, kind: str) -> None:
        for message in of(kind):
            assert not re.search(r"\b(attack|inject|hack|fraud|suspicious|trick|jailbreak)\w*", message.reply, re.I)


class TestLookUp:
    def test_by_id(self) -> None:
        (message,) = (one for one in BANK if one.id == "fake-supervisor")
        assert (message.kind, message.severity, message.refuse) == ("social_engineering", "leak", True)
        assert isinstance(message, NoiseMessage)
