"""tau2's reward: the database, what was told, what was called, what a judge says, by a task's basis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from toologue.judge.ask_judge import prompt_text
from toologue.models.similarity import TextMatch
from toologue.review.ledger import Collector, Ledger
from toologue.schema import AgentTurn, Call, Decision, Dialogue, Question, Result, Score, Trace, UserTurn
from toologue.schema.case import Stop
from toologue.score.metric import best_of
from toologue.score.reward import reward

EXACT = TextMatch.of("exact")
ASKED = UserTurn(text="A walk for Ada on Friday?")
WALK = Call(api="book_walk", arguments={"dog": "D1", "day": "Friday"})
BOOKED = AgentTurn(acts=(WALK,), results=(Result(value="booked", changes={"dogs/D1": {"walks": ["Friday"]}}),))
ACTION = {"name": "book_walk", "arguments": {"dog": "D1", "day": "Friday", "note": "calm"}}


def task(*basis: str, **criteria: Any) -> Dialogue:
    criteria = {"actions": [ACTION], "reward_basis": [*basis], **criteria}
    return Dialogue(id="t", turns=(ASKED, BOOKED), extra={"tau2": {"evaluation_criteria": criteria}})


def graded(
    gold: Dialogue, *texts: str, done: AgentTurn = BOOKED, match: TextMatch = EXACT, stop: Stop = "user"
) -> dict[str, Score]:
    turns = (ASKED, done, *(AgentTurn(text=text) for text in texts))
    trace = Trace(case="c", dialogue="t", protocol="live", agent="a", turns=turns, stop=stop)
    return dict(reward(gold, trace, match))


def value(gold: Dialogue, *texts: str, **more: Any) -> float | None:
    return graded(gold, *texts, **more)["reward"].value


class TestCommunicate:
    @pytest.mark.parametrize(
        ("wanted", "said", "told"),
        [
            ("1286.9", "You get back $1,286.90 in all.", True),
            ("PAID", "It is paid.", True),
            ("10", "Order 3105 is on its way.", True),  # a part of a number, as in tau2
            ("1,286.9", "You get back $1,286.90.", False),  # commas go from what is said alone
            ("Friday", "On Monday.", False),
        ],
    )
    def test_a_text_stands_in_a_reply(self, wanted: str, said: str, told: bool) -> None:
        scores = graded(task("DB", "COMMUNICATE", communicate_info=[wanted]), said)
        assert [scores[name].value for name in ("reward", "communicated")] == [told, told]

    def test_what_was_not_told_is_named(self) -> None:
        scores = graded(task("COMMUNICATE", communicate_info=["Friday", "noon"]), "On Friday.")
        assert [(one.expected, one.why) for one in scores["communicated"].at] == [("noon", "not told")]

    def test_it_is_shown_and_rewards_nothing_where_the_basis_does_not_name_it(self) -> None:
        scores = graded(task("DB", communicate_info=["noon"]))
        assert [scores[name].value for name in ("reward", "communicated")] == [1.0, 0.0]

    def test_words_of_the_customer_tell_nothing(self) -> None:
        assert value(task("COMMUNICATE", communicate_info=["Ada"]), "Gladly.") == 0.0


class TestReward:
    def test_another_database_rewards_nothing(self) -> None:
        assert value(task("DB")) == 1.0
        assert value(task("DB"), done=AgentTurn(text="Done!")) == 0.0
        assert value(task("COMMUNICATE"), done=AgentTurn(text="Done!")) == 1.0

    def test_calls_are_compared_by_the_arguments_that_the_task_names(self) -> None:
        assert value(task("ACTION")) == 1.0, "by default those of the call"
        strict = {**ACTION, "compare_args": ["dog", "note"]}
        assert value(task("ACTION", actions=[strict])) == 0.0

    def test_a_basis_that_is_not_named_is_the_database_and_what_is_told(self) -> None:
        criteria: Any = {"actions": [ACTION]}
        gold = task().replace(extra={"tau2": {"evaluation_criteria": criteria}})
        assert value(gold) == 1.0
        assert value(gold, done=AgentTurn(text="Done!")) == 0.0

    def test_a_conversation_that_is_cut_off_is_rewarded_by_0(self) -> None:
        assert value(task("DB"), stop="cap") == 0.0

    def test_assertions_of_the_environment_are_unsure(self) -> None:
        score = graded(task("DB", "ENV_ASSERTION", env_assertions=[{"func_name": "assert_walk"}]))["reward"]
        assert (score.value, best_of(score)) == (0.0, 1.0)

    def test_other_dialogues_and_other_protocols_have_none(self) -> None:
        trace = Trace(case="c", dialogue="t", protocol="recorded", agent="a", turns=(ASKED, BOOKED))
        assert reward(task("DB"), trace, EXACT) == {}
        assert reward(Dialogue(id="t", turns=(ASKED,)), trace.replace(protocol="live"), EXACT) == {}


class TestAssertions:
    GOLD = task("DB", "NL_ASSERTION", nl_assertions=["Ada may walk.", "It is polite."])

    def asked(self) -> list[Question]:
        notes = Collector(Ledger())
        graded(self.GOLD, match=replace(EXACT, reader=notes))
        return [*notes.questions.values()]

    def test_nobody_was_asked(self) -> None:
        score = graded(self.GOLD)["reward"]
        assert (score.value, best_of(score)) == (0.0, 1.0)
        assert [one.expected for one in score.at if one.verdict == "unsure"] == ["Ada may walk.", "It is polite."]

    def test_each_is_one_question_about_the_whole_conversation(self) -> None:
        first, second = self.asked()
        assert (first.kind, first.expected, second.expected) == ("assertion", "Ada may walk.", "It is polite.")
        assert "book_walk" in str(first.said)

    def test_a_judge_is_asked_whether_it_holds(self) -> None:
        asked = prompt_text(self.asked()[0])
        assert all(one in asked for one in ("Does the claim hold of it?", "Ada may walk.", "book_walk"))

    @pytest.mark.parametrize(("verdicts", "reward"), [(("right", "right"), 1.0), (("right", "wrong"), 0.0)])
    def test_what_people_decide_counts(self, verdicts: Any, reward: float) -> None:
        ledger = Ledger()
        for asked, verdict in zip(self.asked(), verdicts, strict=True):
            ledger.add(Decision(question=asked.key, kind="assertion", verdict=verdict, by="person", who="ana"))
        score = graded(self.GOLD, match=replace(EXACT, reader=ledger))["reward"]
        assert (score.value, best_of(score)) == (reward, reward)

    def test_another_database_is_wrong_whatever_they_say(self) -> None:
        score = graded(self.GOLD, done=AgentTurn(text="Done!"))["reward"]
        assert best_of(score) == 0.0
