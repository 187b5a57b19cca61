"""Scenarios: all prompts, what every scenario must be, what is dropped and why, even sampling."""

from __future__ import annotations

import re
from collections import Counter
from math import comb

import pytest
from plan_samples import TRAVEL

from toologue.errors import BadSetting
from toologue.plan.scenarios import MIN_CALLS, REASONS, Checker, Tally, sample, tell_all
from toologue.plan.scenarios.prompts import Prompt, Telling, evenly, flows, prompts_of
from toologue.plan.scenarios.templates import Teller, order_of, rivals
from toologue.schema import Scenario
from toologue.worlds.assistant import apis

ASSISTANT = apis()
BY_NAME = {api.name: api for api in ASSISTANT}


@pytest.fixture(scope="module")
def told() -> tuple[list[Scenario], Tally]:
    tally = Tally()
    return list(tell_all(ASSISTANT, tally, seed=3)), tally


class TestPrompts:
    def test_every_triple_with_each_of_its_tools_once(self) -> None:
        asked = prompts_of(ASSISTANT)
        assert len({prompt.plugins for prompt in asked}) == comb(7, 3)
        assert len(asked) == len(set(asked)) == 28 * comb(6, 2)
        for prompt in asked:
            assert {BY_NAME[name].domain for name in prompt.tools} == set(prompt.plugins)
            assert prompt.required in prompt.tools

    def test_any_beginning_of_the_even_order_is_even(self) -> None:
        order = evenly(prompts_of(ASSISTANT), seed=1)
        assert sorted(order) == sorted(prompts_of(ASSISTANT))
        for length in (28, 50, 140):
            counts = Counter(prompt.required for prompt in order[:length])
            assert max(counts.values()) - min(counts[api.name] for api in ASSISTANT) <= 1
        assert order != evenly(prompts_of(ASSISTANT), seed=2)

    def test_documents_that_cannot_be_joined_are_refused(self) -> None:
        with pytest.raises(BadSetting, match=r"three plugins, and there are 2 .*: Trains, Shows"):
            prompts_of(TRAVEL[:5])
        with pytest.raises(BadSetting, match="'FindTrains' belongs to no plugin"):
            prompts_of([TRAVEL[0].replace(domain="")])
        with pytest.raises(BadSetting, match="two APIs are called 'FindTrains'"):
            prompts_of([TRAVEL[0], TRAVEL[0]])


class TestTold:
    def test_the_enumeration_adds_up(self, told: tuple[list[Scenario], Tally]) -> None:
        made, tally = told
        assert (tally.prompts, tally.unanswered) == (420, 0)
        assert tally.proposed + tally.absent == 3 * 420
        assert tally.proposed - tally.dropped.total() == tally.kept == len(made) >= 1200
        assert set(tally.dropped) <= {"duplicate"}, "the teller makes nothing that a rule would drop"

    def test_each_is_what_the_paper_asks_for(self, told: tuple[list[Scenario], Tally]) -> None:
        declared = set(flows(ASSISTANT))
        for made in told[0]:
            assert len(made.calls) >= MIN_CALLS
            assert made.required in made.calls
            assert {BY_NAME[name].domain for name in made.calls} == set(made.plugins)
            assert made.flows, "tandem use"
            assert set(made.flows) <= declared
            for flow in made.flows:
                assert made.calls.index(flow.source) < len(made.calls) - 1 - made.calls[::-1].index(flow.target)

    def test_each_is_a_session_that_could_be(self, told: tuple[list[Scenario], Tally]) -> None:
        for made in told[0]:
            orders = [order_of(name) for name in made.calls]
            assert orders == sorted(orders)
            assert not any(rivals(name) & set(made.calls) for name in made.calls)

    def test_the_calls_stand_in_parentheses_in_their_order(self, told: tuple[list[Scenario], Tally]) -> None:
        for made in told[0]:
            assert tuple(re.findall(r"\w+", " ".join(re.findall(r"\(([^)]*)\)", made.text)))) == made.calls
            assert made.text.startswith("The user ")
            assert "<" not in made.text, "every slot is filled"
            assert "they be " not in made.text

    def test_nothing_is_told_twice(self, told: tuple[list[Scenario], Tally]) -> None:
        made = told[0]
        for field in ("id", "text", "calls"):
            assert len({getattr(one, field) for one in made}) == len(made), field
        prompts: dict[tuple[object, ...], list[frozenset[str]]] = {}
        for one in made:
            prompts.setdefault((one.plugins, one.required), []).append(frozenset(one.calls))
        assert all(len(set(combinations)) == len(combinations) for combinations in prompts.values())

    def test_every_tool_is_used_and_required(self, told: tuple[list[Scenario], Tally]) -> None:
        used = Counter(name for one in told[0] for name in set(one.calls))
        required = Counter(one.required for one in told[0])
        assert min(used[api.name] for api in ASSISTANT) >= 20
        assert min(required[api.name] for api in ASSISTANT) >= 20

    def test_a_seed_gives_the_same_again_and_another_one_others(self) -> None:
        teller, prompt = Teller(ASSISTANT), prompts_of(ASSISTANT)[7]
        assert teller(prompt, 1) == Teller(ASSISTANT)(prompt, 1) != teller(prompt, 2)

    def test_tools_that_the_bank_does_not_know_are_told_by_their_names(self) -> None:
        tally = Tally()
        made = list(tell_all(TRAVEL, tally, seed=0))
        assert {name for one in made for name in one.calls} == {api.name for api in TRAVEL}
        assert any("book hotel" in one.text for one in made)


PROMPT = next(p for p in prompts_of(ASSISTANT) if p.plugins == ("Alarm", "Calendar", "Message"))
GOOD = ("FindAlarms", "DeleteAlarm", "QueryCalendar", "SearchMessages", "SendMessage")
WORDS = "The user has moved house and a good many things have to change before the week is over, so they ask. "


def telling(*calls: str, words: str = WORDS) -> Telling:
    return Telling(words, calls)


class TestChecks:
    def check(self, *calls: str, words: str = WORDS, prompt: Prompt = PROMPT) -> tuple[str, str] | None:
        return Checker(ASSISTANT).check(prompt._replace(required="FindAlarms"), telling(*calls, words=words))

    def test_a_good_one_passes(self) -> None:
        assert self.check(*GOOD) is None

    @pytest.mark.parametrize(
        ("calls", "reason", "why"),
        [
            ((*GOOD, "BookTaxi"), "unknown tool", "BookTaxi is a tool that nobody has"),
            ((*GOOD, "SendEmail"), "unknown tool", "SendEmail is a tool of another plugin"),
            (GOOD[1:], "required tool missing", "FindAlarms is not used"),
            (GOOD[:4], "too few calls", "4 calls, at least 5"),
            (
                ("FindAlarms", "AddAlarm", "SendMessage", "SearchMessages", "AddAlarm"),
                "too few plugins",
                "Alarm, Message",
            ),
            (("DeleteAlarm", *GOOD[2:], "FindAlarms"), "implausible", "DeleteAlarm needs a alarm_id"),
            ((*GOOD, *["SendMessage"] * 4), "implausible", "SendMessage is called 5 times"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_a_bad_one_is_dropped_and_says_why(self, calls: tuple[str, ...], reason: str, why: str) -> None:
        drop = self.check(*calls)
        assert drop is not None
        assert drop[0] == reason
        assert why in drop[1]

    def test_an_impossible_session_is_implausible(self) -> None:
        prompt = next(p for p in prompts_of(ASSISTANT) if p.plugins == ("AccountTools", "Alarm", "Weather"))
        calls = ("FindAlarms", "LogoutUser", "AddAlarm", "ForecastWeather", "DeleteAlarm")
        assert "AddAlarm comes after LogoutUser" in str(self.check(*calls, prompt=prompt))
        calls = ("UserLogin", "RegisterUser", "FindAlarms", "AddAlarm", "ForecastWeather")
        assert "make no sense in one session" in str(self.check(*calls, prompt=prompt))

    def test_a_text_that_says_nothing_is_implausible(self) -> None:
        assert "say next to nothing" in str(self.check(*GOOD, words="They do it all (FindAlarms + DeleteAlarm)."))

    def test_no_tandem_use(self) -> None:
        prompt = next(p for p in prompts_of(ASSISTANT) if p.plugins == ("AccountTools", "Alarm", "Weather"))
        calls = ("UserLogin", "ChangePassword", "FindAlarms", "HistoricWeather", "LogoutUser")
        assert self.check(*calls, prompt=prompt) == ("no tandem use", "no output of a call can feed a later one")

    def test_repetitions_are_dropped_within_a_prompt_and_over_all(self) -> None:
        checker, tally = Checker(ASSISTANT), Tally()
        prompt = PROMPT._replace(required="FindAlarms")
        other = ("FindAlarms", "DeleteAlarm", "SearchMessages", "QueryCalendar", "SendMessage")
        kept = list(checker.admit(prompt, [telling(*GOOD), telling(*other)], tally, {}))
        assert [one.calls for one in kept] == [GOOD]
        assert tally.dropped == {"same combination": 1}
        assert not list(checker.admit(prompt._replace(required="SendMessage"), [telling(*GOOD)], tally, {}))
        assert tally.dropped == {"same combination": 1, "duplicate": 1}
        assert (tally.proposed, tally.absent, tally.kept) == (3, 3, 1)
        assert set(tally.examples) <= set(REASONS)


class TestSample:
    @pytest.mark.parametrize("count", [1, 27, 28, 50, 100])
    def test_tools_come_up_equally_often(self, told: tuple[list[Scenario], Tally], count: int) -> None:
        drawn = sample(told[0], count, seed=5)
        counts = Counter(one.required for one in drawn)
        assert len(drawn) == len({one.id for one in drawn}) == count
        assert max(counts.values()) - min(counts[api.name] for api in ASSISTANT) <= 1

    def test_more_than_there_are_gives_all(self, told: tuple[list[Scenario], Tally]) -> None:
        assert sorted(one.id for one in sample(told[0][:40], 99)) == sorted(one.id for one in told[0][:40])

    def test_a_seed_draws_the_same_again(self, told: tuple[list[Scenario], Tally]) -> None:
        assert sample(told[0], 20, seed=1) == sample(told[0], 20, seed=1) != sample(told[0], 20, seed=2)
