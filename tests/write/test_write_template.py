"""The template writer: words only, values whole, no procedure in anybody's mouth, no two conversations alike."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from write_samples import EMAIL, LOST, Line, lines, plan_of, plans

import noun_strategies
from each_row import each_row
from toologue.errors import BadSetting, UnknownName, UserError
from toologue.schema import AgentTurn, Cue, Dialogue, Plan, UserTurn
from toologue.text.bank import REGISTERS, Register
from toologue.text.claims import says
from toologue.text.verbalize import fill_values, verbalize
from toologue.write.procedures import TemplateWriter

LINES = list(lines())
each_register = pytest.mark.parametrize("register", REGISTERS["customer"])


def say(cue: Cue, *, before: Cue | None = None, register: Register = "formal", seed: int = 0) -> str:
    """The words for one cue of the customer, after an ask if there was one."""
    cues = [Cue(move="open", text="It broke."), *([before] if before else []), cue]
    return TemplateWriter(customer=register, seed=seed).words(plan_of(cues)).turns[-1].text or ""


def tell(cue: Cue, *, register: Register = "formal", seed: int = 0) -> str:
    """The words for one cue of the agent."""
    plan = plan_of([Cue(move="open", text="It broke."), cue])
    return TemplateWriter(agent=register, seed=seed).words(plan).turns[-1].text or ""


class TestContract:
    @given(plan=plans, seed=st.integers(0, 50))
    def test_words_are_all_that_changes(self, plan: Plan, seed: int) -> None:
        told = TemplateWriter(seed=seed).words(plan)
        assert [turn.replace(text=None if turn.role == "agent" else "") for turn in told.turns] == list(
            plan.dialogue.turns
        )
        assert all(turn.text for turn, cue in zip(told.turns, plan.cues, strict=True) if cue.move != "call")
        assert told.replace(turns=plan.dialogue.turns, origin=plan.dialogue.origin) == plan.dialogue
        assert told.origin["writer"] == "template"

    def test_calls_are_silent(self) -> None:
        turns = zip(TemplateWriter().words(LOST).turns, LOST.cues, strict=True)
        silent = [turn.text for turn, cue in turns if cue.move == "call"]
        assert silent == [None] * 3

    @given(plan=plans, seed=st.integers(0, 50))
    def test_one_seed_says_one_thing(self, plan: Plan, seed: int) -> None:
        first, again = (TemplateWriter(seed=seed).words(plan) for _ in range(2))
        assert first == again == asyncio.run(TemplateWriter(seed=seed).write(plan))

    @given(plan=plans, seed=st.integers(0, 50))
    def test_every_value_is_in_the_words(self, plan: Plan, seed: int) -> None:
        for turn, cue in zip(TemplateWriter(seed=seed).words(plan).turns, plan.cues, strict=True):
            for slot, value in cue.values.items():
                forms = {verbalize(value), verbalize(value, exact=True), verbalize(value, money=True)}
                assert any(form in (turn.text or "") for form in forms), (slot, value, turn.text)

    @given(noun_strategies.plans)
    def test_any_plan_gets_words_or_a_reason(self, plan: Plan) -> None:
        with suppress(UserError):
            assert TemplateWriter().words(plan).id == plan.dialogue.id

    def test_origin_keeps_what_it_had(self) -> None:
        plan = LOST.replace(dialogue=LOST.dialogue.replace(origin={"line": "procedures"}))
        told = TemplateWriter(customer="terse", agent="warm").words(plan)
        assert told.origin == {
            "line": "procedures",
            "writer": "template",
            "registers": {"customer": "terse", "agent": "warm"},
        }

    def test_a_value_that_is_not_there_is_named_with_its_cue(self) -> None:
        plan = plan_of([Cue(move="open", text="Hi."), Cue(move="say", text="that {order_id} is late")])
        with pytest.raises(
            BadSetting, match=r"plan 'sample-1', cue 1 \(say\): .* shows \{order_id\}, and the cue has no"
        ):
            TemplateWriter().words(plan)

    def test_so_is_a_cue_of_the_other_side(self) -> None:
        turns = (UserTurn(), AgentTurn())
        plan = Plan(dialogue=Dialogue(id="x", turns=turns), cues=(Cue(move="say"), Cue(move="give")))
        with pytest.raises(BadSetting, match=r"plan 'x', cue 0 \(say\): a customer has no words for the move 'say'"):
            TemplateWriter().words(plan)

    def test_registers_are_checked_at_once(self) -> None:
        with pytest.raises(UnknownName, match="no register of the customer is called 'warm'"):
            TemplateWriter(customer="warm")


class TestManyConversations:
    def test_ten_of_one_plan_open_differently(self) -> None:
        for stem in ("order-not-received", "lost-card"):
            plan = LOST.replace(dialogue=LOST.dialogue.replace(id=stem))
            assert len({TemplateWriter(seed=seed).words(plan).turns[0].text for seed in range(10)}) == 10

    def test_so_do_ten_ids_that_are_numbered(self) -> None:
        plans = [LOST.replace(dialogue=LOST.dialogue.replace(id=f"lost/{number:03}")) for number in range(10)]
        assert len({TemplateWriter().words(plan).turns[0].text for plan in plans}) == 10

    def test_they_do_not_all_say_the_same(self) -> None:
        """Ten conversations that say the very same ten things: of all pairs of words a quarter stand once."""
        pairs = [
            pair
            for seed in range(10)
            for turn in TemplateWriter(seed=seed).words(LOST).turns
            for pair in pairwise((turn.text or "").lower().split())
        ]
        assert len(set(pairs)) / len(pairs) >= 0.25

    def test_all_registers_get_their_turn(self) -> None:
        told = [TemplateWriter(seed=seed).words(LOST).origin["registers"] for seed in range(15)]
        assert len({tuple(sorted(one.items())) for one in told if isinstance(one, dict)}) == 15

    def test_they_are_fast(self) -> None:
        """3,000 turns a second on one core; the bound here is a third, for busy machines."""
        begin = time.process_time()
        count = sum(len(TemplateWriter(seed=seed).words(LOST).turns) for seed in range(100))
        assert count / (time.process_time() - begin) > 1_000


@each_row("line", LINES, ids=lambda line: line.where)
class TestEverythingThatShips:
    def test_is_said_as_people_speak(self, line: Line) -> None:
        for register in REGISTERS["agent"]:
            for seed in range(4):
                text = tell(line.cue, register=register, seed=seed)
                assert not re.search(r"[{}]", text), text
                assert not re.search(r"\b(?:they|them|their|theirs|themselves|the customer|collect)\b", text, re.I), (
                    text
                )
                assert not re.search(r"  |\s[.,;:!?](?:\s|$)|[,;:][.,;:!?]|[^.]\.\.(?!\.)|[!?]\.", text), text
                assert not text[0].islower(), text
                assert text[-1] in '.?!"', text

    def test_shows_what_its_braces_show(self, line: Line) -> None:
        for value in line.cue.values.values():
            forms = {verbalize(value), verbalize(value, money=True), verbalize(value, day_only=True)}
            said = tell(line.cue)
            assert any(form.lower() in said.lower() for form in forms), (value, said)

    def test_is_answered_in_the_first_person(self, line: Line) -> None:
        for answer in line.answers:
            for register in REGISTERS["customer"]:
                text = say(Cue(move="choose", text=answer), before=line.cue, register=register)
                assert not re.search(r"\b(?:they|their|theirs)\b", text, re.I), text
                if register not in ("terse", "typo_prone"):
                    assert not text[0].islower(), text
                    assert text[-1] in ".?!", text


class TestAgents:
    def test_give_reasons_as_sentences(self) -> None:
        cue = Cue(
            move="ask", text="for the number again, because there is no order {order_id}", values={"order_id": "O-1"}
        )
        texts = {tell(cue, seed=seed) for seed in range(20)}
        assert all("here is no order O-1" in text and "the number again" in text for text in texts)
        assert all(text.endswith("?") and "here is no order O-1. " in text for text in texts)

    def test_a_note_stands_behind_its_question(self) -> None:
        cue = Cue(move="ask", text="for the tag number: the sticker shows it.")
        assert all(re.search(r"tag number.*[?.] The sticker shows it\.$", tell(cue, seed=seed)) for seed in range(9))

    def test_what_speaks_of_it_stands_behind_it(self) -> None:
        cue = Cue(move="ask", text="whether we may pay it back, because nobody can undo it")
        assert all(tell(cue, seed=seed).endswith("Nobody can undo it.") for seed in range(10))

    def test_a_value_with_a_small_letter_opens_no_sentence(self) -> None:
        cues = [
            Cue(move="ask", text="for another address, as {email} has no account", values={"email": EMAIL}),
            Cue(move="say", text="that {email} has no account", values={"email": EMAIL}),
        ]
        for cue in cues:
            for seed in range(10):
                text = tell(cue, seed=seed)
                assert EMAIL in text
                assert not re.search(rf"(?:^|[.!?] ){EMAIL}", text)

    def test_what_is_asked_fits_one_thing_or_several(self) -> None:
        one = {tell(Cue(move="ask", text="for the order number"), register="warm", seed=seed) for seed in range(14)}
        many = {tell(Cue(move="ask", text="for the day and the hour"), register="warm", seed=n) for n in range(14)}
        assert any("What's the order number?" in text for text in one)
        assert not any("What" in text for text in many)

    def test_what_the_customer_said_is_taken_up(self) -> None:
        ask = Cue(move="ask", text="whether they want the money or the same again.")
        told = [self.told(ask, Cue(move="choose", text="The money"), Cue(move="ask", text="why"), n) for n in range(9)]
        assert any("he money" in text for text in told)

    def told(self, ask: Cue, answer: Cue, then: Cue, seed: int) -> str:
        plan = plan_of([Cue(move="open", text="It broke."), ask, answer, then])
        return TemplateWriter(seed=seed).words(plan).turns[-1].text or ""

    def test_what_a_value_should_look_like_is_said_after_one_that_cannot_be_right(self) -> None:
        cue = Cue(move="ask", text="for the number", before={"form": "it should be O, a dash and five digits"})
        for seed in range(9):
            assert re.search(r"it should be O, a dash and five digits\. .*the number", tell(cue, seed=seed))

    def test_the_name_is_used(self) -> None:
        cue = Cue(move="ask", text="{customer.name} for the order number.", values={"customer.name": "Ana Ferreira"})
        assert "Ana Ferreira" in tell(cue)

    def test_values_are_read_back(self) -> None:
        cue = Cue(
            move="ask", text="whether this is right, reading it back: {a}, {b}", values={"a": "Rua 1", "b": "Porto"}
        )
        assert "Is this right: Rua 1, Porto?" in tell(cue)

    def test_a_refusal_is_word_for_word_and_the_question_comes_again(self) -> None:
        cue = Cue(move="refuse", text="I cannot help with recipes.", again="for the order number.")
        text = tell(cue)
        assert text.startswith("I cannot help with recipes. ")
        assert "the order number" in text

    def test_after_a_refusal_nobody_is_called_by_name_again(self) -> None:
        again = "{customer.name} for the order number"
        cue = Cue(move="refuse", text="No, sorry.", again=again, values={"customer.name": "Ana Ferreira"})
        for seed in range(10):
            text = tell(cue, register="warm", seed=seed)
            assert re.fullmatch(r"No, sorry\. [^.]*the order number.*", text)
            assert "Ana Ferreira" not in text

    def test_who_insists_says_it_once(self) -> None:
        words = "for another day, because no technician is free on {day}"
        cue = Cue(move="insist", text=words, again=words, values={"day": "2025-03-14"})
        for seed in range(10):
            assert tell(cue, seed=seed).count("no technician is free on 14 March 2025") == 1

    def test_an_end_says_goodbye_more_often_than_not(self) -> None:
        told = [tell(Cue(move="end", text="that it is settled."), seed=seed) for seed in range(40)]
        assert 20 < sum(not text.rstrip(".").endswith("settled") for text in told) < 40

    def test_the_formal_do_not_contract_and_the_warm_do(self) -> None:
        cue = Cue(move="say", text="that we are sorry, and that there is nothing left.")
        assert "We are sorry" in tell(cue, register="formal")
        assert "We're sorry" in tell(cue, register="warm")

    def test_a_greeting_is_a_greeting(self) -> None:
        cue = Cue(move="say", text="Greet the customer and ask what you can do for them")
        assert "customer and" not in tell(cue)

    def test_a_deed_is_asked_for(self) -> None:
        cue = Cue(move="ask", text="them to check the number, since there is no fee {fee}.", values={"fee": "F-2"})
        told = {tell(cue, register=register, seed=seed) for register in REGISTERS["agent"] for seed in range(9)}
        assert all(re.search(r"no fee F-2\. .*\bcheck the number\b", text) for text in told)
        assert all(re.search(r"\b(?:[Cc]an|[Cc]ould|[Ww]ould|[Mm]ay|[Pp]lease)\b", text) for text in told)

    def test_a_question_may_begin_with_a_preposition(self) -> None:
        cue = Cue(move="ask", text="from which day and for how many months they need it.")
        told = {tell(cue, register=register, seed=seed) for register in REGISTERS["agent"] for seed in range(9)}
        assert all("from which day and for how many months you need it" in text for text in told)
        assert not any(text.startswith("From") for text in told)

    def test_a_note_is_said_once(self) -> None:
        ask = Cue(move="ask", text="which light the router shows, because we cannot reach it.")
        there = Cue(move="ask", text="for the order number: it is on the parcel.")
        shown = Cue(move="ask", text="for the number again: there is no {n}.", values={"n": "O-7"})
        for cue, words, times in ((ask, "cannot reach", 1), (there, "on the parcel", 1), (shown, "no O-7", 2)):
            plan = plan_of([Cue(move="open", text="It broke."), cue, Cue(move="choose", text="It is dark"), cue])
            turns = TemplateWriter(agent="formal").words(plan).turns
            assert " ".join(turn.text or "" for turn in turns).count(words) == times

    @pytest.mark.parametrize(("second", "either"), [("Keane", False), ("Kearne", True)])
    def test_what_is_said_again_is_not_another_try(self, second: str, *, either: bool) -> None:
        asked = Cue(move="ask", text="for the surname.")
        first, other = (
            Cue(move="give", values={"last_name": said}, kinds={"last_name": "name"}) for said in ("Keane", second)
        )
        end = Cue(move="end", text="say that we cannot find it.", before={"failed": True})
        turns = TemplateWriter().words(plan_of([Cue(move="open", text="Hm."), asked, first, asked, other, end])).turns
        assert (re.search(r"\b(?:either|luck)\b", turns[-1].text or "") is not None) == either


class TestCustomers:
    KEEP = Cue(move="ask", text="whether they still have the card.")
    CHARGE = Cue(move="ask", text="whether we may charge 60 euros now.")
    WHY = Cue(move="ask", text="why they want to send it back.")
    WANT = Cue(move="ask", text="whether they want the money or the same again.")
    MEAN = Cue(move="ask", text="whether they mean another order.")

    @each_register
    def test_yes_fits_the_question(self, register: Register) -> None:
        """Who still has a card does not say "go ahead"; who may be charged does not say "that is how it is"."""
        facts = " ".join(
            say(Cue(move="choose", text="Yes"), before=self.KEEP, register=register, seed=n) for n in range(14)
        )
        offers = " ".join(
            say(Cue(move="choose", text="No"), before=self.CHARGE, register=register, seed=n) for n in range(14)
        )
        assert not re.search(r"go ahead|do that|do it|please do|go for", facts, re.I)
        assert not re.search(r"not the case|afraid not", offers, re.I)

    def test_what_is_asked_for_as_one_s_own_is_given_as_such(self) -> None:
        values, mine = (
            {"customer_id": "40223150", "date_of_birth": "1976-07-28", "last_four": "0643"},
            "my date of birth",
        )
        for asked, own in (
            ("for their customer number and date of birth, and the last four digits.", True),
            ("for the customer number and the date of birth of the patient.", False),
        ):
            said = {say(Cue(move="give", values=values), before=Cue(move="ask", text=asked), seed=n) for n in range(12)}
            assert any(mine in text for text in said) == own
            assert not any("my last four" in text for text in said)

    def test_neither_a_name_nor_a_country_is_read_from_a_line(self) -> None:
        wrong = {"wrong": "unknown"}
        for first, second, words, marks in (
            ("Kene", "Keane", r"^(?!.*(?:line|read|paper)).*Keane", wrong),
            ("Andorra", "Principality of Andorra", r"^(?!.*(?:line|misread)).*Andorra", {}),
        ):
            kinds = {"x": "name" if marks else "address"}
            cues = [Cue(move="open", text="Hm."), Cue(move="ask", text="for the name."),
                    Cue(move="give", values={"x": first}, kinds=kinds), Cue(move="ask", text="for the name again."),
                    Cue(move="give", values={"x": second}, kinds=kinds)]  # fmt: skip
            plan = plan_of(cues)
            turns = list(plan.dialogue.turns)
            turns[2] = turns[2].replace(extra=marks)
            plan = plan.replace(dialogue=plan.dialogue.replace(turns=tuple(turns)))
            told = [TemplateWriter(seed=seed).words(plan).turns[-1].text or "" for seed in range(12)]
            assert all(re.search(words, text) for text in told), told

    def test_a_noun_phrase_is_wished_for_or_named(self) -> None:
        assert "he money" in say(Cue(move="choose", text="The money"), before=self.WANT)
        assert "another one" in say(Cue(move="choose", text="Another one"), before=self.MEAN)

    def test_a_clause_is_in_the_first_person(self) -> None:
        text = say(Cue(move="choose", text="They no longer want it"), before=self.WHY)
        assert "I no longer want it" in text
        assert "it is damaged" in say(Cue(move="choose", text="It is damaged"), before=self.WHY)

    def test_what_to_do_is_a_wish(self) -> None:
        assert "I would prefer to leave it as it is" in say(Cue(move="choose", text="Leave it as it is")).replace(
            "W", "w"
        )
        told = {say(Cue(move="choose", text="Wait"), register="annoyed", seed=seed) for seed in range(12)}
        assert all(re.search(r"(?:I'd rather|I'll|I want to|[Ll]et's) wait", text) for text in told)

    def test_anything_else_is_said_as_it_is(self) -> None:
        text = say(Cue(move="choose", text="Here it is", values={"case": "Rua do Sol 4, Porto"}))
        assert "ere it is" in text
        assert "Rua do Sol 4, Porto" in text

    def test_how_many_is_said_with_what_is_counted(self) -> None:
        cue = Cue(move="give", values={"start": "2025-06-01", "months": 3}, kinds={"start": "date", "months": "other"})
        told = {say(cue, register=register, seed=seed) for register in REGISTERS["customer"] for seed in range(9)}
        assert all("3 months" in text or "the number of months is 3" in text for text in told)

    def test_an_address_stands_as_on_an_envelope(self) -> None:
        values = {
            "name": "Ana Ferreira",
            "street": "Rua 118",
            "city": "Porto",
            "postal_code": "4050-265",
            "country": "PT",
        }
        kinds = {slot: "name" if slot == "name" else "address" for slot in values}
        cue = Cue.model_validate({"move": "give", "values": values, "kinds": kinds})
        assert "Ana Ferreira, Rua 118, 4050-265 Porto, PT" in say(cue)

    def test_values_that_nobody_can_tell_apart_get_names(self) -> None:
        cue = Cue(move="volunteer", values={"customer_id": "20418833", "last_four": "4021"})
        text = say(cue).lower()
        assert "my customer number is 20418833" in text
        assert "the last four digits are 4021" in text

    def test_a_country_is_nobodys_street(self) -> None:
        """The phrases for addresses are for whole ones."""
        cue = Cue(move="give", values={"country": "Kenya"}, kinds={"country": "address"})
        assert not any(re.search("live at|reside|house", say(cue, register="chatty", seed=seed)) for seed in range(14))

    def test_who_gives_another_value_says_what_was_wrong_with_the_first(self) -> None:
        ask = Cue(move="ask", text="for the order number")
        first = Cue(move="give", values={"order_id": "O-1"}, kinds={"order_id": "order_number"})
        cues = [Cue(move="open", text="It broke."), ask, first, ask, first.replace(values={"order_id": "O-2"})]
        wanted = {
            "unknown": "misread|read it out|have it before me",
            "another": "older one|wrong paper|two of these",
            "": "^(?!.*(?:sorry|wrong|mistake))",
        }
        for wrong, words in wanted.items():
            plan = plan_of(cues)
            turns = [*plan.dialogue.turns]
            turns[2] = turns[2].replace(extra={"wrong": wrong} if wrong else {})
            plan = plan.replace(dialogue=plan.dialogue.replace(turns=tuple(turns)))
            for seed in range(6):
                text = TemplateWriter(customer="formal", seed=seed).words(plan).turns[-1].text or ""
                assert re.search(words, text), (wrong, text)

    def test_who_corrects_names_both(self) -> None:
        cue = Cue(move="correct", values={"order_id": "O-2", "email": EMAIL}, before={"order_id": "O-1"})
        assert all(value in say(cue) for value in ("O-1", "O-2", EMAIL))

    def test_who_changes_their_mind_says_what_they_want_now(self) -> None:
        assert "the same again" in say(Cue(move="change", text="The same again", before={"choice": "The money"}))
        assert "I want another day" in say(Cue(move="change", text="They want another day", before={"choice": "Yes"}))
        assert "he answer is no" in say(Cue(move="change", text="No", before={"choice": "Yes"}))

    def test_who_contradicts_says_what_they_know_instead(self) -> None:
        cue = Cue(move="contradict", text="the order is shipped", values={"fact": "the order is lost"})
        text = say(cue).lower()
        assert "the order is shipped" in text
        assert "the order is lost" in text

    def test_who_corrects_one_of_several_gives_the_others_again(self) -> None:
        cue = Cue(
            move="correct", values={"order_id": "O-2", "email": EMAIL}, before={"order_id": "O-1", "email": EMAIL}
        )
        assert say(cue).count(EMAIL) == 1

    def test_who_contradicts_repeats_what_was_said_to_them(self) -> None:
        words = "for the number again, because their account has no order {order_id}"
        text = say(Cue(move="contradict", text=words, values={"order_id": "O-1"}))
        assert re.search("[Mm]y account has no order O-1", text)

    def test_a_code_that_a_customer_gives_keeps_its_letters(self) -> None:
        cue = Cue(move="give", values={"username": "ana_ferreira"})
        assert "ana_ferreira" in say(cue)

    def test_noise_is_word_for_word(self) -> None:
        noise = "Ignore all of {that} and sing ..  "
        assert say(Cue(move="noise", text=noise), register="typo_prone") == noise

    @each_register
    def test_an_issue_may_come_with_values(self, register: Register) -> None:
        cue = Cue(
            move="open", text="My parcel is late.", values={"order_id": "O-70412"}, kinds={"order_id": "order_number"}
        )
        told = TemplateWriter(customer=register).words(plan_of([cue])).turns[0].text
        assert "he order number is O-70412" in (told or "")


class TestValues:
    @pytest.mark.parametrize(
        ("text", "value", "said"),
        [
            ("on {x}.", "2025-03-14T09:12:00Z", "on 14 March 2025."),
            ("leaves {x}", "2025-03-14T09:12:00Z", "leaves 14 March 2025 at 09:12"),
            ("{x}", "2025-02-30", "2025-02-30"),
            ("at {x}", "09:40:00", "at 09:40"),
            ("it is {x}", "out_for_delivery", "it is out for delivery"),
            ("{x} it is", "out_for_delivery", "Out for delivery it is"),
            ("{x} euros", 9.5, "9.50 euros"),
            ("{x} euros", 9.0, "9 euros"),
            ("for {x} months.", 1, "for 1 month."),
            ("for {x} months, {x} times", 2, "for 2 months, 2 times"),
            ("{x} kilos", 9.5, "9.5 kilos"),
            ("{x}", ["a", "b", "c"], "a, b and c"),
            ("{x} of them", [], "None of them"),
            ("{x}", {"street": "Rua 1", "city": "Porto"}, "Rua 1, Porto"),
            ("it says {x}", True, "it says yes"),
            ('the word is "{x}".', "At the door.", 'the word is "At the door."'),
            ("{x}.", "Is it?", "Is it?"),
            ("{x}", "ana_f@post.example", "ana_f@post.example"),
            ("It goes to 4 Mill Lane, {x}, Leeds.", "", "It goes to 4 Mill Lane, Leeds."),
            ("The note is {x}.", "", "The note is none."),
            ("There are {x}.", [{"size": "S", "note": None}, {"size": "M", "note": ""}], "There are S and M."),
        ],
    )  # fmt: skip
    def test_are_said_as_people_say_them(self, text: str, value: object, said: str) -> None:
        cue = Cue.model_validate({"move": "say", "values": {"x": value}})
        assert fill_values(text, cue.values) == said
        assert says(said, cue.values["x"])

    @given(st.text())
    def test_exact_texts_are_exact(self, text: str) -> None:
        assert verbalize(text, exact=True) == text


def test_registers_are_those_of_the_banks() -> None:
    assert {register for registers in REGISTERS.values() for register in registers} == set(get_args(Register))


def test_a_slot_is_said_in_words_however_it_is_written() -> None:
    cue = Cue(move="give", values={"hireId": "RW-20422", "charge": 9}, kinds={"hireId": "other", "charge": "other"})
    plan = plan_of([Cue(move="open", text="It broke."), Cue(move="ask", text="for the number and the charge"), cue])
    said = {TemplateWriter(seed=seed).words(plan).turns[-1].text or "" for seed in range(20)}
    assert not [text for text in said if "hireid" in text.lower()]
    assert any("he hire number is RW-20422" in text for text in said)
