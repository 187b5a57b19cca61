"""Phrase banks: enough of each kind, no two alike, whole sentences whatever goes in, no voice that repeats itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_row import each_row
from toologue.errors import BadSetting, UnknownName
from toologue.plan.procedures.by_model import generics
from toologue.text.bank import REGISTERS, Form, PhraseKind, Register, Role, Voice, fill, phrases

BANK = phrases()
KINDS = [kind for kinds in BANK.kinds.values() for kind in kinds.values()]
SLOT = re.compile(r"\{(\w+)\}")
SAMPLES: dict[Form, tuple[str, ...]] = {
    "value": ("ORD-48213", "anna@post.example", "3 May 2025", "12 Hill Road, 4051 Oak Bay"),
    "noun": ("a refund", "the earlier train", "your e-mail address"),
    "clause": ("the parcel has not arrived", "I was away last week", "she moved house."),
    "sentence": ("The parcel has not arrived.", "it rains in", "Is it mine? I hope so!"),
    "action": ("cancel order ORD-48213", "send a new code"),
    "question": ("why you want it back", "whether it was opened"),
    "asked": ("the number of the order", "where you live"),
}
each_kind = each_row("kind", KINDS, ids=lambda kind: f"{kind.role}-{kind.name}")


def filled(kind: PhraseKind, sample: int = 0) -> list[tuple[Register, str]]:
    """Every frame of a kind with its register, filled."""
    slots = {
        slot: SAMPLES[form][(sample + n) % len(SAMPLES[form])] for n, (slot, form) in enumerate(kind.slots.items())
    }
    return [(reg, fill(frame, kind.slots, slots)) for reg, frames in kind.frames.items() for frame in frames]


class TestAmount:
    def test_the_kinds_that_writers_need(self) -> None:
        customer = {"open", "close", "give", "give_choice", "give_reason", "names_one", "two_at_once", "acknowledge"}
        customer |= {"affirms", "denies", "accepts", "declines"}
        customer |= {"malformed", "corrects", "changes_mind", "changes_answer", "contradicts"}
        customer |= {"mends", "retypes", "mends_anothers", "mends_old", "wonders", "tries_anothers", "stays"}
        customer |= {"mistyped", "tries_other"}
        assert set(BANK.kinds["customer"]) == customer
        agent = {"greet", "begin", "ask", "ask_noun", "ask_reason", "ask_choice", "confirm", "explain", "end"}
        agent |= {"ask_deed"}
        agent |= {"acknowledge", "follow", "take_up", "forgive", "apologise", "insist", "address"}
        agent |= {"fails_again", "falls_through"}
        assert set(BANK.kinds["agent"]) == agent

    @each_kind
    def test_three_frames_a_register_and_none_that_is_long(self, kind: PhraseKind) -> None:
        for register in REGISTERS[kind.role]:
            assert len(kind.of(register)) >= 3
            assert max(len(frame.split()) for frame in kind.of(register)) <= 16


@each_kind
class TestFrames:
    def test_no_two_are_alike(self, kind: PhraseKind) -> None:
        for frames in kind.frames.values():
            assert len({re.sub(r"\W", "", frame.lower()) for frame in frames}) == len(frames)

    def test_each_slot_stands_once_and_has_a_form(self, kind: PhraseKind) -> None:
        assert set(kind.slots.values()) <= SAMPLES.keys()
        for frames in kind.frames.values():
            assert all(sorted(SLOT.findall(frame)) == sorted(kind.slots) for frame in frames)

    def test_a_whole_sentence_stands_alone(self, kind: PhraseKind) -> None:
        for slot in (slot for slot, form in kind.slots.items() if form == "sentence"):
            for frames in kind.frames.values():
                alone = re.compile(r"(?:^|[.!?:] )\{" + slot + r"\}(?: [A-Z]|$)")
                assert [frame for frame in frames if not alone.search(frame)] == []

    def test_articles_are_left_to_what_goes_in(self, kind: PhraseKind) -> None:
        mine = [
            slot for slot, form in kind.slots.items() if form in ("noun", "asked", "question", "clause", "sentence")
        ]
        for frames in kind.frames.values():
            doubled = [f for f in frames for slot in mine if re.search(rf"\b(?:an?|the|my|your) \{{{slot}\}}", f)]
            assert doubled == []

    def test_filled_they_are_clean(self, kind: PhraseKind) -> None:
        for sample in range(4):
            for register, text in filled(kind, sample):
                assert "{" not in text, text
                assert "}" not in text, text
                assert not re.search(r"  |\s[.,;:!?](?:\s|$)|[,;:][.,;:!?]|[^.]\.\.(?!\.)|[!?]\.", text), text
                assert text == text.strip()
                if register not in ("terse", "typo_prone"):
                    assert text[-1] in ".!?", text
                    opening = next((frame[0] for frame in kind.of(register)), "")
                    assert (
                        opening == "{" or text[0].isupper() or not text[0].isalpha() or text[0] in SAMPLES["value"][1]
                    )

    def test_they_bring_no_figures_and_no_generic_names(self, kind: PhraseKind) -> None:
        for frames in kind.frames.values():
            for frame in frames:
                assert not re.search(r"\d", frame), frame
                assert generics(SLOT.sub("it", frame)) == [], frame


class TestRegisters:
    def words(self, role: Role, register: Register) -> float:
        texts = [SLOT.sub("x", frame) for kind in BANK.kinds[role].values() for frame in kind.of(register)]
        return sum(len(text.split()) for text in texts) / len(texts)

    def test_the_terse_are_short_and_the_chatty_are_not(self) -> None:
        assert self.words("customer", "terse") < self.words("customer", "annoyed") < self.words("customer", "chatty")
        assert self.words("agent", "brief") < self.words("agent", "warm")

    def test_the_formal_do_not_contract(self) -> None:
        for kind in KINDS:
            for frame in kind.of("formal"):
                assert not re.search(r"\b(?:I|it|that|don|can|you|we|isn|doesn)['’](?:m|s|t|re|ve|ll|d)\b", frame), (
                    frame
                )

    def test_agents_promise_nothing(self) -> None:
        for kind in BANK.kinds["agent"].values():
            for frames in kind.frames.values():
                for frame in frames:
                    assert not re.search(r"\b(?:promise|guarantee|refund|soon|shortly|within|right away)\b", frame), (
                        frame
                    )
                    assert kind.name == "confirm" or not re.search(r"\b(?:I'll|I will|we'll get)\b(?! take)", frame), (
                        frame
                    )

    def test_a_confirmation_asks(self) -> None:
        for frames in BANK.kind("agent", "confirm").frames.values():
            assert all("?" in frame or "confirm" in frame for frame in frames)


FORMS: dict[str, Form] = {"value": "value", "fact": "clause", "issue": "sentence", "choice": "noun"}


class TestFill:
    def one(self, frame: str, slot: str, text: str) -> str:
        return fill(frame, {slot: FORMS[slot]}, {slot: text})

    def test_a_slot_that_opens_a_sentence_gets_a_capital(self) -> None:
        assert self.one("{fact}.", "fact", "the lift is stuck") == "The lift is stuck."
        assert self.one("Well. {choice}, please.", "choice", "a refund") == "Well. A refund, please."
        assert self.one("Well, {fact}.", "fact", "the lift is stuck") == "Well, the lift is stuck."
        assert self.one("{fact}.", "fact", "iPhones are out") == "iPhones are out."

    def test_full_stops_are_mended(self) -> None:
        assert (
            self.one("Hi. {issue} Please help.", "issue", "the lift is stuck") == "Hi. The lift is stuck. Please help."
        )
        assert self.one("Hi. {issue}", "issue", "Is it mine?") == "Hi. Is it mine?"
        assert self.one("I know that {fact}.", "fact", "it broke.") == "I know that it broke."

    @given(st.text(min_size=1).filter(lambda text: bool(text.strip())))
    def test_a_value_is_never_changed(self, value: str) -> None:
        assert self.one("{value} it is.", "value", value) == f"{value} it is."

    @pytest.mark.parametrize("slots", [{}, {"value": " "}, {"valu": "7"}, {"value": "7", "more": "8"}])
    def test_slots_that_do_not_match_are_refused(self, slots: dict[str, str]) -> None:
        with pytest.raises(
            BadSetting, match=r"'It is \{value\}' takes the slots value; it was given (none|more, value|valu)"
        ):
            fill("It is {value}", {"value": "value"}, slots)


class TestVoice:
    @pytest.mark.parametrize("role", REGISTERS)
    def test_no_frame_comes_again_before_all_were_used(self, role: Role) -> None:
        for kind in BANK.kinds[role].values():
            slots = {slot: SAMPLES[form][0] for slot, form in kind.slots.items()}
            for register in set(REGISTERS[role]) - {"typo_prone"}:
                voice, count = Voice(role, register, seed=3), len(kind.of(register))
                said = [voice(kind.name, **slots) for _ in range(2 * count)]
                assert len(set(said[:count])) == count
                assert said[count:] == said[:count]

    @given(seed=st.integers(), register=st.sampled_from(REGISTERS["customer"]))
    def test_a_seed_says_the_same_again(self, seed: int, register: Register) -> None:
        one, other = (Voice("customer", register, seed=seed) for _ in range(2))
        for _ in range(3):
            assert one("corrects", old="1", new="2") == other("corrects", old="1", new="2")

    def test_other_seeds_say_it_otherwise(self) -> None:
        known = BANK.kind("customer", "close").of("chatty")
        assert {Voice("customer", "chatty", seed=seed)("close") for seed in range(60)} == {*known}

    @given(seed=st.integers())
    def test_conversations_side_by_side_open_in_as_many_ways_as_there_are(self, seed: int) -> None:
        openings: tuple[tuple[Role, str, dict[str, str]], ...] = (
            ("customer", "open", {"issue": "It broke."}),
            ("agent", "greet", {}),
        )
        for role, kind, slots in openings:
            for register in set(REGISTERS[role]) - {"typo_prone"}:
                count = len(BANK.kind(role, kind).of(register))
                voices = [Voice(role, register, seed=seed, start=start) for start in range(count)]
                assert len({voice(kind, **slots) for voice in voices}) == count

    @given(seed=st.integers(), value=st.sampled_from(SAMPLES["value"]))
    def test_the_typo_prone_get_values_right(self, seed: int, value: str) -> None:
        text = Voice("customer", "typo_prone", seed=seed)("give", value=value)
        assert value in text

    def test_and_words_wrong_about_every_fourth_time(self) -> None:
        known = BANK.kind("customer", "close").of("typo_prone")
        said = [Voice("customer", "typo_prone", seed=seed)("close") for seed in range(200)]
        assert 0.15 < sum(text not in known for text in said) / len(said) < 0.4

    def test_look_ups_that_miss_suggest(self) -> None:
        with pytest.raises(
            UnknownName, match="no kind of phrase of the customer is called 'give_reasn'; did you mean 'give_reason'"
        ):
            Voice("customer", "terse", seed=1)("give_reasn", value="a")
        with pytest.raises(UnknownName, match="no register of the agent is called 'terse'"):
            Voice("agent", "terse", seed=1)
        with pytest.raises(UnknownName, match="no register of the customer is called 'warm'"):
            BANK.kind("customer", "open").of("warm")

    def test_slots_left_out_are_named(self) -> None:
        with pytest.raises(BadSetting, match="takes the slots new, old; it was given new"):
            Voice("customer", "terse", seed=1)("corrects", new="2")
