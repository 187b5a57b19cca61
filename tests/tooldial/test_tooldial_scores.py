"""Actions, faithful replies, whole steps: what counts, and what does not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tooldial_samples import FAIL, TWO, dialogue, lived, predicted, suite

from toologue import registry
from toologue.formats.tooldial import read_action
from toologue.models.model import Asked, ModelFault, ScriptedModel
from toologue.models.similarity import TextMatch
from toologue.report.view import Conversation
from toologue.report.words import findings
from toologue.schema import AgentTurn, Result, State, Trace, Turn
from toologue.score.actions import ACCURACY, action_tests, actions, overall, user_turn_tests
from toologue.score.faithfulness import VOTED, faithfulness, reply_tests, voted, votes
from toologue.score.metric import totals

EXACT = TextMatch.of("exact")
ONE = "IC R RQ I C RS UB SB"


@pytest.mark.parametrize(
    ("expected", "words", "right"),
    [
        ("call", "Call", True),
        ("call", "retriever_call", False),
        ("response", "response fail", False),
        ("request", "Action: request", True),
        ("request", "I would request it.", True),
        ("clarify", "", False),
        ("suggest", "clarify or suggest", False),
    ],
)
def test_which_words_are_an_action(expected: Any, words: str, right: bool) -> None:
    assert (read_action(words).value == expected) == right


def test_a_test_says_which_action_was_taken() -> None:
    gold = dialogue(ONE)
    trace = lived(gold, {4: predicted(action="retriever_call"), 5: predicted(action="The response fails.")})
    tests = action_tests(gold, trace)
    assert [test.correct for test in tests[:3]] == [True, True, False]
    assert (tests[2].expected, tests[2].taken) == ("call", "retriever_call")


def test_f1_adds_up_over_dialogues() -> None:
    golds = [dialogue(one, id=one) for one in TWO[:4]]
    wrong = [{2: AgentTurn(text="?", action="clarify")}, {}, {2: AgentTurn()}, {}]
    found = [actions(g, lived(g, w), EXACT) for g, w in zip(golds, wrong, strict=True)]  # type: ignore[arg-type]
    total = {one.metric: one for one in totals(s for scores in found for s in scores.values())}
    asked = total["F1 request"].counts
    assert (asked["fn"], asked["fp"], total["F1 clarify"].counts["fp"]) == (2, 0, 1)
    assert total["F1 request"].value == 2 * asked["tp"] / (2 * asked["tp"] + 2)
    assert total["F1 suggest"].value is None
    assert total[ACCURACY].counts["of"] == sum(t.role == "agent" for g in golds for t in g.turns)
    assert found[0][ACCURACY].at[0].expected == "request"


def test_gold_replies_are_grounded_and_refusals_are_no_tests() -> None:
    for gold in suite():
        for test in reply_tests(gold, lived(gold)):
            assert test.grounded
            assert test.reports
            assert test.values or "smell" in test.said
    assert faithfulness(dialogue(FAIL), lived(dialogue(FAIL)), EXACT) == {}


@pytest.mark.parametrize(
    ("words", "lacking"),
    [
        ("Åre will see 11 mm of rain.", []),
        ("Åre will see 13 mm of rain.", ["13"]),
        ("Expect 4711 flashes.", ["4711"]),
        ("It is called 'a gale'.", ["a gale"]),
        ('The gusts reach "17.5 km/h".', []),
        ("It will rain.", []),
    ],
)
def test_values_that_nothing_supports(words: str, lacking: list[str]) -> None:
    gold = dialogue(ONE)
    (test,) = reply_tests(gold, lived(gold, {5: AgentTurn(text=words, action="response")}))
    assert list(test.unsupported) == lacking


def test_an_empty_reply_and_one_that_says_nothing_of_the_result() -> None:
    gold = dialogue(ONE)
    for words, grounded, reported in (("", 0.0, 0.0), ("It is done.", 1.0, 0.0), ("11 mm", 1.0, 1.0)):
        scores = faithfulness(gold, lived(gold, {5: AgentTurn(text=words)}), EXACT)
        assert (scores["grounded"].value, scores["reported"].value) == (grounded, reported)


@pytest.mark.parametrize(("words", "lacking"), [("Ada, Bo and Cy; and 22 more.", []), ("Ada; and 57 more.", ["57"])])
def test_how_many_of_a_list_are_left_follows_from_its_length(words: str, lacking: list[str]) -> None:
    gold = dialogue(ONE)
    names: Any = ["Ada", "Bo", "Cy", *(f"name-{number}" for number in range(22))]
    call = gold.turns[4].replace(results=(Result(value={"leaders": names}),))  # type: ignore[call-arg]
    gold = gold.replace(turns=(*gold.turns[:4], call, *gold.turns[5:]))
    trace = lived(gold, {5: AgentTurn(text=words, action="response")})
    (test,) = reply_tests(gold, trace)
    assert list(test.unsupported) == lacking
    one = Conversation(gold, trace, faithfulness(gold, trace, EXACT))
    assert [finding.line for finding in findings(one)] == [
        f'Round 2: the reply says "{value}": nothing supports it' for value in lacking
    ]


@given(st.text(max_size=60))
def test_grounding_is_total_and_the_gold_s_words_support_themselves(text: str) -> None:
    gold = dialogue(ONE)
    reply = AgentTurn(text=text, action="response")
    assert reply_tests(gold, lived(gold, {5: reply}))
    own = gold.replace(turns=tuple(reply if at == 5 else turn for at, turn in enumerate(gold.turns)))
    (test,) = reply_tests(own, lived(own))
    assert not test.unsupported


def test_the_judge_is_asked_ten_times_and_its_tokens_are_kept() -> None:
    gold, tokens = dialogue(TWO[0]), ["true"] * 6 + ["True.", " false", "maybe", "no"]
    judge = ScriptedModel(tokens)
    (found,) = asyncio.run(votes(gold, lived(gold), judge))
    assert sorted(found.tokens) == sorted(tokens)
    assert len({asked.seed for asked in judge.asked}) == 10
    shown = judge.asked[0].messages[0]["content"]
    assert "- Call result: {'leader': 'Hammarby'" in shown
    assert shown.count("Hammarby lead the table") == 1
    assert voted([found], gold, lived(gold))[VOTED].value == 7 / 8


def test_a_judge_that_fails_gives_no_vote() -> None:
    gold = dialogue(TWO[0])

    def answer(asked: Asked) -> Any:
        return ModelFault("timeout", "too slow") if (asked.seed or 0) % 2 else "true"

    (found,) = asyncio.run(votes(gold, lived(gold), ScriptedModel(answer), n=8))
    assert set(found.tokens) <= {"true"}
    none = asyncio.run(votes(gold, lived(gold), ScriptedModel(lambda asked: ModelFault("timeout", "no")), n=2))
    assert voted(none, gold, lived(gold))[VOTED].value is None
    assert asyncio.run(votes(dialogue(FAIL), lived(dialogue(FAIL)), ScriptedModel([]))) == ()


def forced(gold: Any, instead: dict[int, AgentTurn], without: tuple[int, ...] = ()) -> Trace:
    turns: list[Turn] = [instead.get(at, turn) for at, turn in enumerate(gold.turns) if at not in without]
    return lived(gold).replace(protocol="forced", turns=tuple(turns))


def test_a_user_turn_is_right_where_every_step_is() -> None:
    gold = dialogue(ONE)
    call = gold.turns[4]
    assert isinstance(call, AgentTurn)
    for instead, without, wrong in (
        ({}, (), []),
        ({5: AgentTurn(text="!", action="response_fail", state=gold.turns[5].state)}, (), [2]),  # type: ignore[union-attr]
        ({4: call.replace(state=State())}, (), [2]),
        ({}, (2,), [1]),
        ({1: AgentTurn(action="retriever_call"), 2: gold.turns[2]}, (), [1]),
    ):
        trace = forced(gold, instead, without)  # type: ignore[arg-type]
        assert [test.round for test in user_turn_tests(gold, trace) if not test.correct] == wrong
        scores = overall(gold, trace, EXACT)
        assert scores["user turn right"].value == (3 - len(wrong)) / 3
        assert scores["dialogue right"].value == float(not wrong)


def test_a_step_that_says_no_state_keeps_the_last_one() -> None:
    gold = dialogue(ONE)
    silent = gold.turns[5].replace(state=None)
    assert all(t.correct for t in user_turn_tests(gold, forced(gold, {5: silent})))  # type: ignore[dict-item]


def test_what_is_registered() -> None:
    found = tuple(registry.find("metric", name) for name in ("actions", "faithfulness", "overall"))
    assert found == (actions, faithfulness, overall)
