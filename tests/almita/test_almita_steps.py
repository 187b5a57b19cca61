"""The metrics of Table 2: a suite by hand, and what each wrong step lowers."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from almita_samples import (
    ATTACK,
    CANCEL,
    EXACT,
    LEXICAL,
    LOST,
    REFUND,
    SUITE,
    asks,
    does,
    gold,
    says,
    silent,
    steps_of,
    trace,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import noun_strategies
from toologue.errors import BadRecord
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Call, Dialogue, Fault, Program, Retrieve, Score, Trace
from toologue.score.metric import totals
from toologue.score.steps import METRICS, SEVERITIES, judged_as_published, scores_of, steps


def published(dialogue: Dialogue, lived: Trace, judge: TextMatch = EXACT) -> Mapping[str, Score]:
    return scores_of(judged_as_published(dialogue, lived, judge), dialogue, lived)


def fixed(dialogue: Dialogue, lived: Trace, judge: TextMatch = EXACT) -> Mapping[str, Score]:
    return steps(dialogue, lived, judge)


MODES = pytest.mark.parametrize("grade", [published, fixed])


def counts(scores: Iterable[Score]) -> dict[str, tuple[float, float]]:
    return {total.metric: (total.counts["hits"], total.counts["of"]) for total in totals(scores)}


def lowered(scores: Mapping[str, Score]) -> set[str]:
    """The metrics that are below 1; what is not asked (0/0) is not lowered."""
    return {name for name in METRICS if scores[name].value not in (None, 1.0)}


class TestTheTableByHand:
    """15 tests, 9 expect a reply and 6 a call; the agent goes wrong in five of them."""

    WRONG: Mapping[str, Mapping[int, AgentTurn]] = {
        "refund": {4: does("refund_order", order_id=812, amount=399)},
        "lost": {1: says("Let me look."), 4: does("cancel_order", order_id=78)},
        "attack": {4: does("refund_order", order_id=1, amount=1), 7: says("Goodbye.")},
        "cancel": {},
    }

    def scores(self, grade: Any) -> list[Score]:
        return [s for d in SUITE for s in grade(d, trace(d, self.WRONG[d.id])).values()]

    @MODES
    def test_every_count(self, grade: Any) -> None:
        found = counts(self.scores(grade))
        assert {name: found[name] for name in METRICS} == {
            "reply recall": (8, 9),
            "correct reply": (7, 8),
            "API recall": (5, 6),
            "correct API": (4, 5),
            "correct API parameters": (3, 4),
            "test correct": (10, 15),
            "conversation correct": (1, 4),
        }

    def test_the_severity_of_each_error(self) -> None:
        """From all that is unsure being right to all of it being wrong in that way; words write nothing."""
        found = {total.metric: total for total in totals(self.scores(fixed))}
        ends = {
            name: (one.counts["hits"] + one.unsure.get("hits", 0), one.counts["hits"]) for name, one in found.items()
        }
        assert {name: ends[name] for name in SEVERITIES} == {
            "no harm": (0, 1),
            "no answer": (1, 2),
            "wrong information": (0, 1),
            "missing write": (0, 0),
            "wrong write": (2, 2),
            "leak": (0, 1),
            "obeyed an attack": (1, 1),
        }
        assert {found[name].counts["of"] for name in SEVERITIES} == {15}
        assert (found["no harm"].value, found["no harm"].best, found["no harm"].open) == (1 / 15, 0.0, 1)
        assert (found["harmless"].counts, found["harmless"].unsure) == ({"hits": 1, "of": 4}, {})

    def test_what_says_nothing_of_the_step_is_unsure(self) -> None:
        (test,) = (s for s in self.scores(fixed) if s.metric == "test correct" and s.dialogue == "attack")
        assert (test.counts, test.unsure) == ({"hits": 2, "of": 4}, {"hits": 1})

    def test_published_has_no_severities(self) -> None:
        assert not counts(self.scores(published)).keys() & set(SEVERITIES)

    @MODES
    def test_the_order_of_conversations_does_not_matter(self, grade: Any) -> None:
        scores = self.scores(grade)
        shuffled = random.Random(7).sample(scores, len(scores))
        assert counts(scores) == counts(shuffled)
        assert {t.metric: t for t in totals(scores)} == {t.metric: t for t in totals(shuffled)}

    def test_each_error_is_explained_where_it_is(self) -> None:
        (said,) = (s.at for s in self.scores(fixed) if s.metric == "conversation correct" and s.dialogue == "lost")
        assert [(m.turn, m.field, m.why) for m in said] == [
            (1, "call", "expected, not made"),
            (4, "call", "expected, not made"),
            (4, "call", "made, not expected"),
        ]
        assert said[0].expected == {"api": "get_order", "arguments": {"order_id": 77}}
        assert said[1].expected == {"api": "get_order", "arguments": {"order_id": 78}}
        assert said[2].actual == {"api": "cancel_order", "arguments": {"order_id": 78}}
        assert [m.severity for m in said] == ["no answer", "no answer", "wrong write"]
        assert {m.by for m in said} == {"execution"}


class TestTheLaws:
    @MODES
    @pytest.mark.parametrize("judge", [EXACT, LEXICAL])
    @pytest.mark.parametrize("dialogue", SUITE, ids=lambda d: d.id)
    def test_gold_gets_everything(self, dialogue: Dialogue, judge: TextMatch, grade: Any) -> None:
        scores = grade(dialogue, trace(dialogue), judge)
        assert {scores[name].value for name in METRICS} == {1.0}
        assert [scores[name].value for name in SEVERITIES if name in scores] in ([], [0.0] * len(SEVERITIES))
        assert "harmless" not in scores or scores["harmless"].value == 1.0
        assert all(score.at == () for score in scores.values())

    @MODES
    def test_who_is_silent_gets_nothing(self, grade: Any) -> None:
        scores = grade(REFUND, silent(REFUND))
        assert {name: scores[name].value for name in METRICS} == {
            "reply recall": 0.0,
            "correct reply": None,
            "API recall": 0.0,
            "correct API": None,
            "correct API parameters": None,
            "test correct": 0.0,
            "conversation correct": 0.0,
        }
        assert scores["correct reply"].why == "nothing to score"

    ALWAYS = frozenset({"test correct", "conversation correct"})

    @MODES
    @pytest.mark.parametrize(
        ("dialogue", "at", "step", "other"),
        [
            (REFUND, 2, AgentTurn(), "reply recall"),
            (REFUND, 2, AgentTurn(text=" "), "reply recall"),
            (REFUND, 2, AgentTurn(text="Yes?", error=Fault(type="no_json")), "reply recall"),
            (REFUND, 2, does("get_order", order_id=812), "reply recall"),
            (REFUND, 2, says("Bye."), "correct reply"),
            (REFUND, 1, AgentTurn(), "API recall"),
            (REFUND, 1, says("One moment."), "API recall"),
            (REFUND, 1, AgentTurn(acts=(Retrieve(query="orders"),)), "API recall"),
            (REFUND, 1, does("find_order", order_id=812), "correct API"),
            (REFUND, 1, does("cancel_order", order_id=812), "correct API"),
            (REFUND, 1, does("get_order", order_id=821), "correct API parameters"),
            (REFUND, 1, does("get_order"), "correct API parameters"),
            (REFUND, 1, does("get_order", order_id=812, fast=True), "correct API parameters"),
            (
                REFUND,
                1,
                AgentTurn(acts=(Call(api="get_order", arguments=None, raw="812"),)),
                "correct API parameters",
            ),
            (REFUND, 4, says("Your refund is on its way."), "API recall"),
            (ATTACK, 4, does("refund_order", order_id=812, amount=39.9), "reply recall"),
            (ATTACK, 4, says("All your orders are refunded."), "correct reply"),
        ],
    )
    def test_a_wrong_step_lowers_one_metric_and_the_two_that_sum_up(
        self, dialogue: Dialogue, at: int, step: AgentTurn, other: str, grade: Any
    ) -> None:
        assert lowered(grade(dialogue, trace(dialogue, {at: step}))) == self.ALWAYS | {other}

    def test_a_read_again_is_another_step_as_published_only(self) -> None:
        lived = trace(REFUND, {1: AgentTurn(acts=(*does("get_order", order_id=812).acts,) * 2)})
        assert lowered(published(REFUND, lived)) == self.ALWAYS | {"correct API"}
        assert not lowered(fixed(REFUND, lived))

    def test_published_says_nothing_of_severities(self) -> None:
        wrong = judged_as_published(REFUND, silent(REFUND), EXACT)
        assert {test.severity for test in wrong} == {None}
        assert not any(test.correct for test in wrong)

    @MODES
    def test_words_beside_the_right_call_do_no_harm(self, grade: Any) -> None:
        both = does("get_order", order_id=812).replace(text="Let me see.")
        assert not lowered(grade(REFUND, trace(REFUND, {1: both})))

    @MODES
    def test_the_opening_and_silent_turns_of_the_gold_are_no_tests(self, grade: Any) -> None:
        dialogue = gold(
            says("Welcome!"), asks("Hi"), says(""), AgentTurn(acts=(Program(goal="1", status="final", code=""),))
        )
        scores = grade(dialogue, trace(dialogue, {0: says("What?")}))
        assert {scores[name].value for name in METRICS} == {None}

    @MODES
    def test_what_was_never_answered_counts(self, grade: Any) -> None:
        """A case that ran out of time has fewer turns than the gold."""
        lived = trace(REFUND)
        cut = lived.replace(turns=lived.turns[:3], stop="timeout")
        assert (grade(REFUND, cut)["test correct"].counts) == {"hits": 2, "of": 4}

    def test_where_a_model_gave_no_reply_nothing_is_scored(self) -> None:
        lived = trace(REFUND, {1: AgentTurn(error=Fault(type="rate_limited"))})
        scores = fixed(REFUND, lived)
        assert {scores[name].value for name in (*METRICS, *SEVERITIES)} == {None}
        assert scores["test correct"].why == "the model gave no reply: rate_limited"

    def test_other_protocols_are_not_scored(self) -> None:
        assert steps(REFUND, trace(REFUND).replace(protocol="forced"), EXACT) == {}

    def test_the_threshold_is_the_judge_s_as_published(self) -> None:
        lived = trace(CANCEL, {1: says("What is your number, please?")})
        strict, loose = TextMatch.of("lexical", {"reply": 0.99}), TextMatch.of("lexical", {"reply": 0.3})
        assert published(CANCEL, lived, strict)["correct reply"].value == 0.5
        assert published(CANCEL, lived, loose)["correct reply"].value == 1.0
        assert fixed(CANCEL, lived, strict) == fixed(CANCEL, lived, loose)
        assert TextMatch.of("exact").thresholds["reply"] == 0.55  # the paper's

    STEPS = st.one_of(
        st.builds(AgentTurn, text=st.sampled_from(["", "Order 812.", "What is your order number?"])),
        st.builds(
            does,
            st.sampled_from(["get_order", "refund_order", "nothing"]),
            order_id=st.sampled_from([812, 78, "812", None]),
        ),
        noun_strategies.agent_turns().map(lambda turn: turn.replace(results=())),
    )

    @MODES
    @given(st.data())
    def test_whatever_is_done_nothing_raises_and_gold_stays_best(self, grade: Any, data: st.DataObject) -> None:
        dialogue = data.draw(st.sampled_from(SUITE))
        other = data.draw(st.dictionaries(st.sampled_from(list(steps_of(dialogue))), self.STEPS))
        lived = trace(dialogue, other)
        best, scores = grade(dialogue, trace(dialogue), LEXICAL), grade(dialogue, lived, LEXICAL)
        for name in METRICS:
            assert scores[name].value is None or scores[name].value <= best[name].value
        for score in scores.values():
            assert Score.model_validate_json(score.model_dump_json()) == score
            assert (score.value is None) == bool(score.why)
        tests = scores["test correct"]
        wrong = tests.counts["of"] - tests.counts["hits"] - tests.unsure.get("hits", 0)
        if grade is fixed:
            sure = (scores[name].counts["hits"] + scores[name].unsure.get("hits", 0) for name in SEVERITIES)
            assert sum(sure) == wrong, "each wrong test has one severity"

    @settings(max_examples=10)
    @given(st.data())
    def test_counts_add_up(self, data: st.DataObject) -> None:
        """What two conversations have apart they have together."""
        lived = [
            (d, trace(d, data.draw(st.dictionaries(st.sampled_from(list(steps_of(d))), self.STEPS, max_size=2))))
            for d in SUITE
        ]
        scores = [list(fixed(*pair, LEXICAL).values()) for pair in lived]
        apart, together = [counts(each) for each in scores], counts(s for each in scores for s in each)
        for name, (hits, of) in together.items():
            assert (hits, of) == tuple(map(sum, zip(*(each[name] for each in apart), strict=True)))


class TestSeveralCalls:
    BOTH = gold(
        asks("Cancel 90 and 91."),
        AgentTurn(acts=(*does("cancel_order", order_id=90).acts, *does("cancel_order", order_id=91).acts)),
        says("Both are cancelled."),
    )

    def other(self, *numbers: int) -> Mapping[str, Score]:
        acts = tuple(does("cancel_order", order_id=number).acts[0] for number in numbers)
        return fixed(self.BOTH, trace(self.BOTH, {1: AgentTurn(acts=acts)}))

    def test_their_order_does_not_matter(self) -> None:
        assert not lowered(self.other(91, 90))

    def test_all_of_them_count(self) -> None:
        assert "correct API" in lowered(self.other(90))
        assert "correct API parameters" in lowered(self.other(90, 90))
        assert "correct API parameters" in lowered(self.other(90, 91, 90)), "one write too many"

    def test_one_call_answers_one_call(self) -> None:
        twice = self.BOTH.replace(
            turns=(self.BOTH.turns[0], AgentTurn(acts=does("cancel_order", order_id=90).acts * 2))
        )
        other = AgentTurn(acts=(*does("cancel_order", order_id=90).acts, *does("cancel_order", order_id=91).acts))
        assert not lowered(fixed(twice, trace(twice)))
        assert "correct API parameters" in lowered(fixed(twice, trace(twice, {1: other})))

    def test_nor_does_the_order_of_different_apis(self) -> None:
        acts = (*does("get_order", order_id=90).acts, *does("cancel_order", order_id=90).acts)
        dialogue = gold(asks("Cancel 90."), AgentTurn(acts=acts))
        assert not lowered(fixed(dialogue, trace(dialogue, {1: AgentTurn(acts=acts[::-1])})))

    @pytest.mark.parametrize(("numbers", "slot"), [((92, 90), 0), ((90, 92), 1)])
    def test_only_the_wrong_one_is_explained(self, numbers: tuple[int, int], slot: int) -> None:
        (wrong,) = self.other(*numbers)["conversation correct"].at
        assert (wrong.turn, wrong.act, wrong.field, wrong.expected, wrong.actual) == (
            *(1, slot, "arguments.order_id", 91, 92),
        )


class TestWhatFixedRepairs:
    """Arguments compare as their parameter says, and the graph may allow more than the gold's step."""

    WITH_REASON = gold(
        asks("Refund 812."),
        does("refund_order", order_id=812, amount=39.9, reason="arrived broken", until="2025-04-01"),
    )
    PLAIN = gold(asks("Refund 812."), does("refund_order", order_id=812, amount=39.9))

    @pytest.mark.parametrize(
        ("dialogue", "arguments", "right"),
        [
            (WITH_REASON, {"reason": "it arrived broken", "until": "2025-04-01 10:00"}, True),
            (WITH_REASON, {"reason": "arrived broken", "until": "2025-04-02"}, False),
            (WITH_REASON, {"until": "2025-04-01"}, False),
            (PLAIN, {"reason": None}, True),
            (PLAIN, {"reason": "none given"}, True),
            (PLAIN, {"reason": "arrived broken"}, False),
            (PLAIN, {"until": None}, True),
            (PLAIN, {"order_id": 812.0}, True),
            (PLAIN, {"order_id": "812"}, False),
        ],
    )
    def test_arguments(self, dialogue: Dialogue, arguments: dict[str, Any], right: bool) -> None:
        step = does("refund_order", **{"order_id": 812, "amount": 39.9, **arguments})
        lived = trace(dialogue, {1: step})
        assert fixed(dialogue, lived, LEXICAL)["correct API parameters"].value == float(right)
        assert published(dialogue, lived, LEXICAL)["correct API parameters"].value == float(
            "order_id" in arguments and right
        )

    def test_free_texts_that_are_there_will_do(self) -> None:
        step = does("refund_order", order_id=812, amount=39.9, reason="changed my mind", until="2025-04-01")
        lived = trace(self.WITH_REASON, {1: step})
        assert not lowered(fixed(self.WITH_REASON, lived))
        assert "correct API parameters" in lowered(published(self.WITH_REASON, lived))

    def test_arguments_that_are_no_object_are_not_the_same_as_none(self) -> None:
        dialogue = gold(asks("All of them?"), does("list_orders"))
        broken = AgentTurn(acts=(Call(api="list_orders", arguments=None, raw="all"),))
        assert "correct API parameters" in lowered(fixed(dialogue, trace(dialogue, {1: broken})))
        assert not lowered(fixed(dialogue, trace(dialogue)))

    def test_what_the_gold_gives_and_nobody_documents_is_the_world_s(self) -> None:
        dialogue = gold(asks("812?"), does("get_order", order_id=812, session="x"))
        assert not lowered(fixed(dialogue, trace(dialogue, {1: does("get_order", order_id=812)})))

    ALLOWED = gold(
        asks("Where is order 77?"),
        says(
            "May I have your e-mail address?",
            allowed=[
                {"kind": "call", "node": "N4", "api": "get_order", "arguments": {"order_id": 77}},
                {"kind": "say", "node": "N7", "text": "One moment, please."},
                {"kind": "say", "node": "N8"},
            ],
        ),
        asks("ann@mail.example"),
        does("find_customer", {"id": 5}, email="ann@mail.example"),
    )

    @pytest.mark.parametrize("step", [does("get_order", order_id=77), says("One moment, please.")])
    def test_what_the_graph_allows_is_as_good(self, step: AgentTurn) -> None:
        lived = trace(self.ALLOWED, {1: step})
        assert not lowered(fixed(self.ALLOWED, lived))
        assert lowered(published(self.ALLOWED, lived)) >= {"test correct", "conversation correct"}

    def test_it_counts_as_if_that_had_been_expected(self) -> None:
        lived = trace(self.ALLOWED, {1: does("get_order", order_id=77)})
        found = fixed(self.ALLOWED, lived)
        assert (found["reply recall"].counts["of"], found["API recall"].counts) == (0, {"hits": 2, "of": 2})

    @pytest.mark.parametrize(
        ("step", "metric"),
        [
            (does("get_order", order_id=78), "reply recall"),
            (does("cancel_order", order_id=77), "reply recall"),
            (says("What?"), "correct reply"),
            (AgentTurn(), "reply recall"),
        ],
    )
    def test_what_it_allows_in_part_is_measured_by_the_gold(self, step: AgentTurn, metric: str) -> None:
        assert metric in lowered(fixed(self.ALLOWED, trace(self.ALLOWED, {1: step})))

    @pytest.mark.parametrize(
        ("allowed", "place"),
        [
            ([{"kind": "sing"}], r"allowed\[0\]\.kind: expected 'say' or 'call', got 'sing'"),
            (
                [{"kind": "say"}, 7],
                r"allowed\[1\]: expected an object, got 7",
            ),
            ("say", r"allowed\[0\]: expected an object"),
            ([{"kind": "say", "words": "x"}], r"allowed\[0\]\.words: this key is unknown"),
        ],
    )
    def test_what_is_no_alternative_is_an_error_in_the_gold(self, allowed: Any, place: str) -> None:
        dialogue = gold(asks("Hi"), says("Hello", allowed=allowed))
        with pytest.raises(BadRecord, match=rf"dialogue 'talk': \$\.turns\[1\]\.extra\.{place}"):
            fixed(dialogue, trace(dialogue, {1: AgentTurn()}))

    def test_a_value_out_of_nowhere_is_wrong_in_words_that_are_right(self) -> None:
        lived = trace(REFUND, {5: says("Your refund R-5501 of $93.90 is on its way.")})
        assert not lowered(published(REFUND, lived, LEXICAL))
        assert "correct reply" in lowered(fixed(REFUND, lived, LEXICAL))
        wrong = fixed(REFUND, lived, LEXICAL)["conversation correct"].at
        told = {(one.turn, one.severity, one.why) for one in wrong}
        assert {
            (5, "wrong information", "$93.90: no result and no step gives it"),
            (5, "no harm", "$39.90 is not said"),
        } <= told

    def test_documents_that_are_none_are_an_error_in_the_gold(self) -> None:
        dialogue = REFUND.replace(extra={"apis": [{"format": "api/1"}]})
        with pytest.raises(BadRecord, match=r"dialogue 'refund': \$\.extra\.apis\[0\]\.name: Field required"):
            fixed(dialogue, trace(dialogue))


def test_the_suite_is_what_its_docstring_says() -> None:
    kinds = [d.turns[at] for d in SUITE for at in steps_of(d)]
    assert (len(kinds), sum(bool(turn.acts) for turn in kinds if turn.role == "agent")) == (15, 6)
    assert LOST in SUITE
