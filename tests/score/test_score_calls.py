"""Calls: what counts as the same call, how calls are paired, what they add up to, and why a conversation failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_samples import EXACT, LEXICAL, REFUSED, did, gold, said, trace, turns, values, writing

import noun_strategies
from each_row import each_row
from toologue.agents.agent import AgentSpec, ScriptedAgent, resolve_agent
from toologue.bench.prove import prove_kind
from toologue.bench.tooltalk import TOOLTALK, load
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.mutate.calls import RIGHT, WRONG, altered_script
from toologue.review.ledger import Collector, Ledger
from toologue.run.runner import Settings, cases_of, run_all
from toologue.schema import AgentTurn, Call, Dialogue, Invocation, Result, Score, Trace, UserTurn, rounds
from toologue.score.calls import ERROR_TYPES, Pairing, calls, error_types, pair
from toologue.score.metric import Total, totals
from toologue.score.outcome import outcome
from toologue.worlds.assistant import TOOLS, apis
from toologue.worlds.world import make_world

STARTER = load(None)
RATES = ("precision", "recall", "action precision", "success", "soft success")
ALARM = did("AddAlarm", value={"alarm_id": "n1"}, time="07:00:00")
ALARMS = did("FindAlarms", value={"alarms": []})


LOWERED = {
    "drop": {"recall", "success", "soft success"},
    "duplicate": {"precision", "success"},
    "wrong_argument": {"precision", "recall", "success", "soft success"},
    "wrong_tool": {"precision", "recall", "success", "soft success"},
    "extra_write": {"precision", "action precision", "success", "outcome"},
    "swap": {"precision", "recall", "success", "soft success"},
    "silence": {"recall", "success", "soft success"},
    "late": {"precision", "recall", "success", "soft success"},
}
"""Which totals each mutation must lower."""


def run(agent: AgentSpec, dialogues: Sequence[Dialogue] = STARTER, seed: int = 0) -> list[Trace]:
    """The traces of an agent, in the order of the dialogues."""
    found = {done.trace.dialogue: done.trace for done in run_all(cases_of(dialogues, Settings(seed=seed)), agent)}
    return [found[dialogue.id] for dialogue in dialogues]


def graded(agent: AgentSpec, dialogues: Sequence[Dialogue] = STARTER, judge: TextMatch = LEXICAL) -> dict[str, Total]:
    traces = zip(dialogues, run(agent, dialogues), strict=True)
    scores = [s for g, t in traces for s in (*calls(g, t, judge).values(), *outcome(g, t, judge).values())]
    return {total.metric: total for total in totals(scores)}


class TestTheLaws:
    """Design, section 7: gold is best, empty is unscored, nothing raises, and wrong agents are seen by what they do."""

    @each_row("dialogue", STARTER, ids=lambda d: d.id)
    def test_gold_gets_everything(self, dialogue: Dialogue) -> None:
        (lived,) = run(resolve_agent("gold"), [dialogue])
        scores = calls(dialogue, lived, EXACT)
        assert values(scores, "precision", "recall", "success", "soft success") == [1.0] * 4
        assert scores["action precision"].value in (1.0, None)
        assert scores["incorrect action rate"].value in (0.0, None)
        assert [scores[name].value for name in ERROR_TYPES] == [0.0] * 3
        assert all(score.at == () for score in scores.values())
        assert outcome(dialogue, lived, EXACT)["outcome"].value == 1.0

    def test_an_agent_that_does_nothing(self) -> None:
        scores = calls(gold([ALARM]), trace([]), EXACT)
        assert values(scores, *RATES) == [None, 0.0, None, 0.0, 0.0]
        assert scores["precision"].why == scores["action precision"].why == "nothing to score"
        assert scores["incorrect action rate"].value is None

    def test_nothing_to_do_and_nothing_done(self) -> None:
        scores = calls(gold([]), trace([]), EXACT)
        assert values(scores, *RATES) == [None, None, None, 1.0, 1.0]

    def test_nothing_to_do_and_something_done(self) -> None:
        assert values(calls(gold([]), trace([ALARM]), EXACT), *RATES) == [0.0, None, 0.0, 0.0, 0.0]

    def test_next_executes_nothing_and_is_not_scored(self) -> None:
        assert calls(gold([ALARM]), trace([ALARM], protocol="next"), EXACT) == {}
        assert outcome(gold([ALARM]), trace([ALARM], protocol="next"), EXACT) == {}

    @pytest.mark.parametrize(("kind", "lowered"), LOWERED.items())
    def test_each_mutation_lowers_what_it_must(self, kind: str, lowered: set[str]) -> None:
        applied = [c.gold for c in cases_of(STARTER, Settings()) if altered_script(c, kind) is not None]
        best, got = graded(resolve_agent("gold"), applied), graded(resolve_agent(f"altered:{kind}"), applied)
        assert len(applied) >= 4
        for name in lowered:
            assert got[name].value < best[name].value, name

    def test_no_mutation_is_forgotten(self) -> None:
        assert LOWERED.keys() == WRONG.keys()

    @pytest.mark.parametrize("kind", RIGHT)
    def test_who_is_right_in_other_words_succeeds(self, kind: str) -> None:
        """Where the world lets it, and the judge takes the words for the same: this one takes all."""
        proof = prove_kind(TOOLTALK, STARTER, kind, TextMatch.of("one"))
        assert proof.took >= 3
        assert (proof.caught, proof.missed) == (0, ())


class TestNothingRaises:
    """In `fixed` mode a metric has an answer for any trace of any agent."""

    ARGUMENTS = st.dictionaries(
        st.sampled_from([*sorted({name for api in apis() for name in api.parameters}), "session_token", "ü"]),
        noun_strategies.values
        | st.sampled_from(["2025-03-10 07:00:00", "07:00:00", "2025-3-10", "mreyes", "5bff-dd80", ["mreyes"], [[1]]]),
        max_size=4,
    )
    CALLS = st.builds(Call, api=st.sampled_from([*TOOLS, "NoSuchTool"]), arguments=st.none() | ARGUMENTS)
    SCRIPTS = st.lists(
        st.lists(st.builds(AgentTurn, text=st.none() | st.just("."), acts=st.lists(CALLS, max_size=3).map(tuple))),
        max_size=6,
    )

    @given(
        SCRIPTS, st.sampled_from(STARTER), st.sampled_from(["forced", "recorded"]), st.sampled_from([EXACT, LEXICAL])
    )
    def test_whatever_is_called(self, script: Any, dialogue: Dialogue, protocol: Any, judge: TextMatch) -> None:
        (case,) = cases_of([dialogue], Settings(protocol=protocol, cap=5))
        lived, stop = play(case, ScriptedAgent(script), make_world(case))
        made = Trace(case="", dialogue=dialogue.id, protocol=protocol, agent="x", turns=tuple(lived), stop=stop)
        self.check(dialogue, made, judge)

    RESULTS = noun_strategies.results | st.builds(
        Result,
        value=st.dictionaries(
            st.sampled_from(["alarms", "events", "reminders", "emails", "messages", "status"]),
            noun_strategies.values | st.just([{"alarm_id": "5bff-dd80"}, {"alarm_id": [1]}, {}, 3]),
        ),
        error=st.none() | noun_strategies.faults,
        changes=st.dictionaries(
            st.sampled_from(["Alarm/mreyes/x", "Alarm/mreyes/5bff-dd80", "odd", ""]),
            st.none() | noun_strategies.values,
        ),
        created=st.sampled_from([(), ("Alarm/mreyes/x",), ("odd", "")]),
    )
    MADE = st.tuples(CALLS, RESULTS).map(lambda made: AgentTurn(acts=(made[0],), results=(made[1],)))

    @given(st.lists(st.lists(MADE, max_size=3), max_size=3), st.data())
    def test_whatever_came_of_it(self, made: Any, data: st.DataObject) -> None:
        """Traces and golds of others hold results that no world of ours would give."""
        wanted = data.draw(st.sampled_from([gold(*made), *STARTER]) if made else st.sampled_from(STARTER))
        mine = data.draw(st.permutations(made))
        self.check(wanted, trace(*mine, protocol=data.draw(st.sampled_from(["forced", "recorded", "live"]))), LEXICAL)

    @pytest.mark.parametrize("odd", ["x", 3, [1], {"alarms": 5}, {"alarms": [3]}, {"alarms": None}, {"alarms": [{}]}])
    @pytest.mark.parametrize("in_gold", [True, False])
    def test_a_search_that_answers_in_no_form_of_ours(self, odd: Any, in_gold: bool) -> None:
        found = did("FindAlarms", value={"alarms": [{"alarm_id": "a"}]})
        strange = did("FindAlarms", value=odd)
        wanted, mine = (strange, found) if in_gold else (found, strange)
        self.check(gold([wanted]), trace([mine]), EXACT)

    def check(self, dialogue: Dialogue, made: Trace, judge: TextMatch) -> None:
        scores = [*calls(dialogue, made, judge).values(), *outcome(dialogue, made, judge).values()]
        for score in scores:
            assert Score.model_validate_json(score.model_dump_json()) == score, "it can be written"
            assert score.value is None or 0.0 <= score.value <= 1.0 or score.metric in ERROR_TYPES
            assert (score.value is None) == bool(score.why)
        assert [total.value for total in totals(scores)] == [score.value for score in scores]


class TestPairing:
    """Within a round the most pairs that fit are formed, whatever their order; rounds do not mix."""

    def matches(self, wanted: Any, made: Any, **options: Any) -> list[int | None]:
        return list(pair(gold(*wanted), trace(*made, **options), EXACT).partner)

    @pytest.mark.parametrize(
        ("expected", "made", "success", "precision", "recall"),
        [
            (2, 2, 1.0, 1.0, 1.0),
            (2, 1, 0.0, 1.0, 1 / 2),
            (2, 3, 0.0, 2 / 3, 1.0),
            (5, 5, 1.0, 1.0, 1.0),
            (5, 2, 0.0, 1.0, 2 / 5),
        ],
    )
    def test_equal_calls_count_as_often_as_they_occur(
        self, expected: int, made: int, success: float, precision: float, recall: float
    ) -> None:
        scores = calls(gold([ALARM] * expected), trace([ALARM] * made), EXACT)
        assert values(scores, "success", "precision", "recall") == [success, precision, recall]

    def test_order_within_a_round_is_free(self) -> None:
        one, other = did("AddAlarm", time="06:00:00"), did("AddAlarm", time="07:00:00")
        assert self.matches([[one, other]], [[other, one]]) == [1, 0]

    def test_where_each_call_is_the_one_in_its_place_nobody_is_asked_about_other_pairs(self) -> None:
        mails = [did("SendEmail", to=["a@b.c"], subject="Tea", body=body) for body in ("Tea at four?", "Or at five?")]
        asked = Collector(Ledger(), all=True)
        match = TextMatch.of("lexical")
        assert pair(gold(mails), trace(mails), replace(match, reader=asked)).partner == (0, 1)
        assert pair(gold(mails), trace(mails[::-1]), match).partner == (1, 0)
        assert asked.questions == {}

    def test_the_most_pairs_are_formed_not_the_first(self) -> None:
        """The whole day answers either search, the morning only the first: first come first served loses one."""
        day, morning = did("FindAlarms", value={"alarms": []}), did("FindAlarms", start_range="07:00:00")
        wanted = [did("FindAlarms", start_range="07:00:00"), did("FindAlarms", start_range="06:00:00")]
        assert self.matches([wanted], [[day, morning]]) == [1, 0]

    def test_rounds_do_not_mix_where_gold_has_a_say(self) -> None:
        for protocol in ("forced", "recorded"):
            assert self.matches([[ALARM], []], [[], [ALARM]], protocol=protocol) == [None]
        assert self.matches([[ALARM], []], [[], [ALARM]], protocol="live") == [0]

    def test_parallel_calls_are_calls(self) -> None:
        both = AgentTurn(acts=ALARM.acts * 2, results=ALARM.results * 2)
        assert self.matches([[ALARM, ALARM]], [[both]]) == [0, 1]


def mail(**changes: Any) -> AgentTurn:
    return did("SendEmail", **{"to": ["a@x", "b@x"], "subject": "s", "body": "b", **changes})


def remind(**changes: Any) -> AgentTurn:
    return did("AddReminder", **{"task": "x", **changes})


class TestTheSameCall:
    """Each argument compares as its parameter says; reads by what they found; errors only with errors."""

    def same(self, wanted: AgentTurn, made: AgentTurn, judge: TextMatch = EXACT, world: str = "assistant") -> bool:
        return pair(gold([wanted], world=world), trace([made]), judge).partner == (0,)

    @pytest.mark.parametrize(
        ("wanted", "made", "same"),
        [
            (did("AddAlarm", time="07:00:00"), did("AddAlarm", time="7:0:0"), True),
            (did("AddAlarm", time="07:00:00"), did("AddAlarm", time="19:00:00"), False),
            (did("AddAlarm", time="07:00:00"), did("AddAlarm"), False),
            (did("AddAlarm", time="07:00:00"), did("AddAlarm", time="07:00:00", session_token="mine"), True),
            (did("AddAlarm", time="07:00:00", session_token="old"), did("AddAlarm", time="07:00:00"), True),
            (did("AddAlarm", time="07:00:00"), did("DeleteAlarm", alarm_id="07:00:00"), False),
            (did("DeleteAlarm", alarm_id="a"), did("DeleteAlarm", alarm_id="A"), False),
            (mail(), mail(to=["b@x", "a@x"]), True),
            (mail(to=["a@x"]), mail(to="a@x"), False),
            (did("SendMessage", receiver="ann", message="hi"), did("SendMessage", receiver="bob", message="hi"), False),
            (did("ForecastWeather", location="Oslo"), did("ForecastWeather", location=" OSLO "), True),
            (remind(due_date="2025-03-10 07:00:00"), remind(due_date="2025-03-10 21:00:00"), True),
            (remind(due_date="2025-03-10 07:00:00"), remind(), False),
            (remind(), remind(due_date="2025-03-10 07:00:00"), True),
        ],
    )  # fmt: skip
    def test_arguments(self, wanted: AgentTurn, made: AgentTurn, same: bool) -> None:
        assert self.same(wanted, made) == same

    def test_no_similarity_decides_a_text(self) -> None:
        wanted, made = did("AddReminder", task="Pay the rent"), did("AddReminder", task="Rent: pay")
        assert all(self.same(wanted, made, TextMatch.of(name)) for name in ("exact", "lexical", "one"))
        other = did("AddReminder", task="Walk the dog")
        assert not any(self.same(wanted, other, TextMatch.of(name)) for name in ("exact", "lexical", "one"))

    @pytest.mark.parametrize(
        ("found", "same"), [(["a", "b"], True), (["b", "a", "c"], True), (["a"], False), ([], False)]
    )
    def test_a_search_is_as_good_as_what_it_finds(self, found: list[str], same: bool) -> None:
        def search(query: str, ids: list[str]) -> AgentTurn:
            return did("SearchInbox", query=query, value={"emails": [{"email_id": i} for i in ids]})

        assert self.same(search("rent", ["a", "b"]), search("the landlord's mail", found)) == same

    def test_where_nothing_was_to_be_found_the_arguments_decide(self) -> None:
        nothing = {"emails": []}
        assert self.same(did("SearchInbox", query="x", value=nothing), did("SearchInbox", query="x", value=nothing))
        assert not self.same(did("SearchInbox", query="x", value=nothing), did("SearchInbox", query="y", value=nothing))

    def test_a_read_that_found_all_of_it_is_as_good(self) -> None:
        one, two = {"users": [{"username": "ann"}]}, {"users": [{"username": "bob"}, {"username": "ann"}]}
        wanted = did("QueryUser", username="ann", value=one)
        assert self.same(wanted, did("QueryUser", email="house@x", value=two))
        assert not self.same(did("QueryUser", email="house@x", value=two), wanted)

    @pytest.mark.parametrize(
        ("wanted", "made", "same"),
        [(None, None, True), (REFUSED, REFUSED, True), (None, REFUSED, False), (REFUSED, None, False)],
    )
    def test_failures_answer_failures(self, wanted: Any, made: Any, same: bool) -> None:
        assert self.same(did("AddAlarm", time="x", error=wanted), did("AddAlarm", time="x", error=made)) == same

    def test_undocumented_apis_compare_exactly(self) -> None:
        wanted = did("Lift", floor=3)
        assert self.same(wanted, did("Lift", floor=3.0, music=True), world="none")
        assert not self.same(wanted, did("Lift", floor="3"), world="none")

    def test_arguments_that_did_not_parse(self) -> None:
        broken = AgentTurn(acts=(Call(api="AddAlarm", arguments=None, raw="{"),), results=(Result(error=REFUSED),))
        assert not self.same(ALARM, broken)
        assert calls(gold([ALARM]), trace([broken]), EXACT)["incorrect action rate"].value == 0.0


class TestHarm:
    """An action that answers nothing and took effect is bad; reads never are."""

    EXTRA = did("DeleteAlarm", alarm_id="dear")

    def test_an_extra_action_is_no_success_though_all_calls_are_right(self) -> None:
        scores = calls(gold([ALARM]), trace([ALARM, self.EXTRA]), EXACT)
        assert values(scores, "recall", "success", "incorrect action rate", "soft success") == [1.0, 0.0, 1 / 2, 1 / 2]

    def test_an_extra_read_is_a_success(self) -> None:
        scores = calls(gold([ALARM]), trace([ALARMS, ALARM, ALARMS]), EXACT)
        assert values(scores, "success", "precision", "incorrect action rate") == [1.0, 1 / 3, 0.0]

    def test_an_action_that_was_refused_did_no_harm(self) -> None:
        refused = did("DeleteAlarm", alarm_id="nowhere", error=REFUSED)
        assert values(calls(gold([ALARM]), trace([refused, ALARM]), EXACT), "success", "action precision") == [1.0, 0.5]

    def test_an_action_that_failed_half_way_did(self) -> None:
        half = writing(did("ModifyEvent", event_id="e", error=REFUSED), {"Calendar/ann/e": {"name": "?"}})
        assert calls(gold([ALARM]), trace([half, ALARM]), EXACT)["success"].value == 0.0

    def test_a_right_action_twice_is_bad_once(self) -> None:
        assert pair(gold([ALARM]), trace([ALARM, ALARM]), EXACT).counts == {
            "predictions": 2,
            "ground_truths": 1,
            "matches": 1,
            "actions": 2,
            "valid_actions": 1,
            "bad_actions": 1,
        }

    def test_an_unheard_of_tool_is_no_action(self) -> None:
        scores = calls(gold([ALARM]), trace([did("MakeCoffee"), ALARM]), EXACT)
        assert values(scores, "success", "action precision", "precision") == [1.0, 1.0, 0.5]


class TestExplanations:
    """Each missed call and each bad action: turn, act, field, expected, actual."""

    def why(self, wanted: Any, made: Any) -> list[tuple[Any, ...]]:
        return list(said(calls(gold(*wanted), trace(*made), EXACT)["success"]))

    def test_the_field_that_made_the_difference(self) -> None:
        made = did("AddAlarm", time="19:00:00")
        both = AgentTurn(acts=ALARMS.acts + made.acts, results=ALARMS.results + made.results)
        assert self.why([[], [ALARM]], [[], [both]]) == [(3, 1, "arguments.time", "07:00:00", "19:00:00")]

    def test_each_field(self) -> None:
        wanted = did("SendMessage", receiver="ann", message="hi")
        made = did("SendMessage", receiver="bob")
        (score,) = [calls(gold([wanted]), trace([made]), EXACT)["success"]]
        assert [(m.field, m.expected, m.actual, m.why) for m in score.at] == [
            ("arguments.receiver", "ann", "bob", "compared as exact"),
            ("arguments.message", "hi", None, "missing"),
        ]

    def test_a_call_that_was_not_made_has_its_place_in_the_gold(self) -> None:
        call = {"api": "AddAlarm", "arguments": {"time": "07:00:00"}}
        assert self.why([[], [ALARM]], [[], []]) == [(3, 0, "call", call, None)]

    def test_a_bad_action_has_its_place_in_the_trace(self) -> None:
        call = {"api": "AddAlarm", "arguments": {"time": "07:00:00"}}
        assert self.why([[]], [[ALARMS, ALARM]]) == [(2, 0, "call", None, call)]

    def test_the_right_call_in_the_wrong_round(self) -> None:
        assert self.why([[ALARM], []], [[], [ALARM]]) == [(3, 0, "round", 0, 1)]

    def test_a_failure_where_success_was_expected(self) -> None:
        made = did("AddAlarm", time="07:00:00", error=REFUSED)
        fault = {"type": "APIException", "message": "refused"}
        assert self.why([[ALARM]], [[made]]) == [(1, 0, "error", None, fault)]

    def test_what_a_search_did_not_find(self) -> None:
        wanted = did("FindAlarms", value={"alarms": [{"alarm_id": "a"}, {"alarm_id": "b"}]})
        made = did("FindAlarms", end_range="06:00:00", value={"alarms": [{"alarm_id": "b"}]})
        assert self.why([[wanted]], [[made]]) == [(1, 0, "result", ["a"], ["b"])]

    def test_a_success_needs_no_explanation(self) -> None:
        assert self.why([[ALARM]], [[ALARMS, ALARM]]) == []


def made(api: str, *, bad: bool) -> tuple[Invocation, bool]:
    return Invocation(0, 1, 0, Call(api=api), Result(error=None if bad else REFUSED)), bad


ERRORS = [
    # missed gold calls, calls that answer nothing (bad or not), published type, fixed type
    ("AddAlarm", [("AddAlarm", True)], "bad call", "bad call"),
    ("AddAlarm", [("AddAlarm", False)], "bad call", "bad call"),
    ("AddAlarm", [("DeleteAlarm", True)], "bad planning", "bad planning"),
    ("AddAlarm", [], "bad planning", "bad planning"),
    ("", [("DeleteAlarm", True)], "bad planning", "bad planning"),
    # published has a comparison the wrong way round: more tries than needed are planning, fewer are calls
    ("AddAlarm", [("AddAlarm", True), ("AddAlarm", True)], "bad planning", "bad call"),
    ("AddAlarm AddAlarm", [("AddAlarm", True)], "bad call", "bad planning"),
    # published counts harmless reads that nobody asked for
    ("AddAlarm", [("AddAlarm", True), ("FindAlarms", False)], "bad planning", "bad call"),
    ("", [("FindAlarms", False)], "bad planning", None),
]


class TestErrorTypes:
    """How the rounds of a failed conversation fail (ToolTalk 4.3), as published and as repaired."""

    def pairing(self, missed: str, surplus: list[tuple[str, bool]], *, calling: bool = True) -> Pairing:
        """One round. Where the gold calls something at all, one of its calls is answered."""
        found = [made(api, bad=bad) for api, bad in surplus]
        right = [made("QueryUser", bad=False)[0]] if calling else []
        wanted = [*right, *(made(api, bad=True)[0] for api in missed.split())]
        return Pairing(
            predicted=(*right, *(invocation for invocation, _ in found)),
            gold=tuple(wanted),
            partner=(*[0] * len(right), *[None] * len(found)),
            bad=(*[False] * len(right), *(bad for _, bad in found)),
            actions=(*[False] * len(right), *(bad for _, bad in found)),
        )

    @pytest.mark.parametrize(("missed", "surplus", "as_published", "as_fixed"), ERRORS)
    def test_a_round_in_which_gold_calls(
        self, missed: str, surplus: Any, as_published: str | None, as_fixed: str | None
    ) -> None:
        pairing = self.pairing(missed, surplus)
        assert error_types(pairing, published=True) == self.counted(as_published)
        assert error_types(pairing) == self.counted(as_fixed)

    @pytest.mark.parametrize(("surplus", "count"), [([True, True], 2), ([True, False], 1), ([False], 0)])
    def test_a_round_in_which_gold_does_not(self, surplus: list[bool], count: int) -> None:
        pairing = self.pairing("", [("AddAlarm", bad) for bad in surplus], calling=False)
        expected = {**self.counted(None), "over-trigger": count}
        assert error_types(pairing, published=True) == error_types(pairing) == expected

    def test_a_success_has_none(self) -> None:
        scores = calls(gold([ALARM]), trace([ALARM, ALARMS]), EXACT)
        assert [scores[name].counts["hits"] for name in ERROR_TYPES] == [0, 0, 0]

    def test_they_are_counted_per_round_that_gold_answers(self) -> None:
        scores = calls(gold([ALARM], [ALARM], []), trace([], [did("AddAlarm", time="9")], [ALARM]), EXACT)
        assert {name: scores[name].counts for name in ERROR_TYPES} == {
            "over-trigger": {"hits": 1, "of": 3},
            "bad planning": {"hits": 1, "of": 3},
            "bad call": {"hits": 1, "of": 3},
        }

    def counted(self, name: str | None) -> dict[str, int]:
        return {kind: int(kind == name) for kind in ERROR_TYPES}


def test_a_trace_that_ended_early_is_graded_for_what_it_has() -> None:
    lived = Trace(case="", dialogue="d", protocol="recorded", agent="a", turns=turns([ALARM])[:2], stop="timeout")
    scores = calls(gold([ALARM], [ALARM]), lived, EXACT)
    assert values(scores, "precision", "recall", "success") == [1.0, 1 / 2, 0.0]


def test_the_opening_is_nobodys_merit() -> None:
    """Calls before the first word of the user are context."""
    opened = gold([ALARM]).replace(turns=(ALARMS, AgentTurn(text="Hi"), *turns([ALARM])))
    lived = trace([ALARM]).replace(turns=(AgentTurn(text="Hi"), *turns([ALARM])))
    assert values(calls(opened, lived, EXACT), "precision", "recall", "success") == [1.0, 1.0, 1.0]
    assert next(rounds(opened.turns)).said == ()
    assert not any(isinstance(turn, UserTurn) for turn in opened.turns[:2])
