"""Outcome: the world as the agent left it, up to the names of new things, and where it differs from the gold's."""

from __future__ import annotations

from typing import Any

import pytest
from score_samples import EXACT, LEXICAL, REFUSED, did, gold, said, trace, writing

from toologue.agents.agent import ScriptedAgent
from toologue.bench.tooltalk.conversations import starter
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.run.runner import Settings, cases_of, grounded
from toologue.schema import AgentTurn, Call, Trace, rounds
from toologue.score.outcome import effect, outcome
from toologue.worlds.world import make_world


def alarm(name: str, time: str = "07:00:00", **more: Any) -> AgentTurn:
    """A new alarm."""
    row = {"alarm_id": name, "time": time, **more}
    return writing(
        did("AddAlarm", time=time, value={"alarm_id": name}), {f"Alarm/ann/{name}": row}, f"Alarm/ann/{name}"
    )


def gone(name: str) -> AgentTurn:
    return writing(did("DeleteAlarm", alarm_id=name), {f"Alarm/ann/{name}": None})


def event(**fields: Any) -> AgentTurn:
    """An event that was there, changed."""
    row = {"event_id": "e1", "name": "Tea", "attendees": ["ann", "bob"], "start_time": "2025-03-10 16:00:00", **fields}
    return writing(did("ModifyEvent", event_id="e1"), {"Calendar/ann/e1": row})


def value(wanted: Any, made: Any, judge: TextMatch = EXACT, protocol: Any = "forced") -> float | None:
    return outcome(gold(*wanted), trace(*made, protocol=protocol), judge)["outcome"].value


def why(wanted: Any, made: Any, protocol: Any = "forced") -> list[tuple[Any, ...]]:
    return list(said(outcome(gold(*wanted), trace(*made, protocol=protocol), EXACT)["outcome"]))


class TestTheSame:
    @pytest.mark.parametrize("made", [[alarm("n1")], [alarm("other")]])
    def test_new_rows_are_equal_whatever_they_are_called(self, made: Any) -> None:
        assert value([[alarm("n1")]], [made]) == 1.0

    def test_in_any_order(self) -> None:
        wanted, made = (
            [alarm("a", "06:00:00"), alarm("b", "07:00:00")],
            [alarm("a", "07:00:00"), alarm("b", "06:00:00")],
        )
        assert value([wanted], [made]) == 1.0

    def test_a_new_id_inside_another_row_is_a_new_id(self) -> None:
        def noted(name: str) -> list[AgentTurn]:
            note = writing(did("AddReminder"), {"Reminder/ann/r1": {"task": "x", "about": name}})
            return [alarm(name), note]

        assert value([noted("n1")], [noted("n2")]) == 1.0
        assert value([noted("n1")], [[alarm("n2"), noted("n3")[1]]]) == 0.0

    def test_fields_compare_as_the_world_says(self) -> None:
        made = event(attendees=["bob", "ann"], start_time="2025-3-10 16:0:0")
        assert value([[event()]], [[made]]) == 1.0
        assert value([[event(name="Tea with Bob")]], [[event(name="tea, with Bob")]], LEXICAL) == 1.0
        assert value([[event(name="Tea with Bob")]], [[event(name="tea, with Bob")]], EXACT) == 0.0

    def test_what_came_and_went_is_no_effect(self) -> None:
        assert value([[]], [[alarm("n1"), gone("n1")]]) == 1.0
        assert value([[alarm("n1")]], [[alarm("x"), gone("x"), alarm("y")]]) == 1.0

    def test_the_last_write_counts(self) -> None:
        assert value([[event(name="Tea")]], [[event(name="Coffee"), event(name="Tea")]]) == 1.0

    def test_a_row_that_went_and_came_back_was_changed_not_made(self) -> None:
        back = writing(did("AddAlarm"), {"Alarm/ann/old": {"time": "07:00:00"}}, "Alarm/ann/old")
        made = effect(trace([gone("old"), back]).turns)
        assert (made.created, set(made.changed)) == ({}, {"Alarm/ann/old"})

    def test_reads_and_refusals_have_no_effect(self) -> None:
        assert value([[]], [[did("FindAlarms"), did("AddAlarm", time="x", error=REFUSED)]]) == 1.0


class TestDifferences:
    """The path of the row, the field, and both values."""

    def test_a_wrong_field(self) -> None:
        assert why([[event()]], [[event(name="Coffee", location="Pier 9")]]) == [
            (None, None, "Calendar/ann/e1.name", "Tea", "Coffee"),
            (None, None, "Calendar/ann/e1.location", None, "Pier 9"),
        ]

    def test_a_new_row_with_a_wrong_field_is_set_against_the_one_that_is_missing(self) -> None:
        assert [row[2:] for row in why([[alarm("n1")]], [[alarm("x", "19:00:00")]])] == [
            ("Alarm/ann/n1.time", "07:00:00", "19:00:00")
        ]

    def test_a_row_that_was_not_made_and_one_too_many(self) -> None:
        row = {"alarm_id": "(new id)", "time": "07:00:00"}
        assert [entry[2:] for entry in why([[alarm("n1")]], [[]])] == [("Alarm/ann/n1", row, None)]
        assert [entry[2:] for entry in why([[]], [[alarm("x")]])] == [("Alarm/ann/x", None, row)]

    def test_a_row_that_was_removed(self) -> None:
        assert [entry[2:] for entry in why([[event()]], [[]])] == [
            ("Calendar/ann/e1", event().results[0].changes["Calendar/ann/e1"], None)
        ]
        (entry,) = outcome(gold([event()]), trace([event(), gone("old")]), EXACT)["outcome"].at
        assert (entry.field, entry.why) == ("Alarm/ann/old", "changed, against expectation")

    def test_a_removed_row_is_not_a_changed_one(self) -> None:
        removed = writing(did("DeleteEvent", event_id="e1"), {"Calendar/ann/e1": None})
        assert value([[removed]], [[event()]]) == 0.0
        assert value([[event()]], [[removed]]) == 0.0
        assert value([[removed]], [[removed]]) == 1.0


class TestSections:
    """Where gold is relived after each round, effects are compared round by round; else once."""

    def test_late_is_wrong_round_by_round_and_right_at_the_end(self) -> None:
        wanted, made = [[alarm("n1")], []], [[], [alarm("n1")]]
        assert value(wanted, made, protocol="forced") == 0.0
        assert value(wanted, made, protocol="recorded") == 1.0
        assert value(wanted, made, protocol="live") == 1.0

    def test_forced_says_in_which_round(self) -> None:
        """The turn is the one with which the round begins."""
        assert [entry[0] for entry in why([[alarm("n1")], [alarm("n2")]], [[alarm("n1")], []])] == [3]

    def test_set_in_one_round_and_undone_in_the_next(self) -> None:
        """The gold's history is forced: what the second round removes is not the agent's own, but gold's."""
        wanted = [[alarm("n1")], [gone("n1")]]
        assert value(wanted, wanted) == 1.0
        assert value(wanted, [[alarm("n1")], []]) == 0.0
        assert value(wanted, [[], []], protocol="recorded") == 1.0

    def test_a_trace_that_ended_early(self) -> None:
        assert value([[alarm("n1")], [alarm("n2")]], [[alarm("n1")]]) == 0.0


class TestUnscored:
    def test_a_gold_that_was_never_executed(self) -> None:
        score = outcome(gold([did("AddAlarm", time="07:00:00")]), trace([alarm("n1")]), EXACT)["outcome"]
        assert (score.value, score.counts) == (None, {})
        assert score.why == "the gold was never executed, so its effect is unknown"

    @pytest.mark.parametrize("turn", [did("FindAlarms"), did("AddAlarm", time="x", error=REFUSED)])
    def test_but_a_gold_that_writes_nothing_needs_no_changes(self, turn: AgentTurn) -> None:
        assert value([[turn]], [[turn]]) == 1.0


class TestRealConversations:
    SWAP = next(grounded(d) for d in starter() if d.id == "swap-thursday-shift")

    def lived(self, script: Any, protocol: Any) -> Trace:
        (case,) = cases_of([self.SWAP], Settings(protocol=protocol))
        turns, stop = play(case, ScriptedAgent(script), make_world(case))
        return Trace(case="", dialogue=self.SWAP.id, protocol=protocol, agent="x", turns=tuple(turns), stop=stop)

    def test_another_way_to_the_same_end(self) -> None:
        """Not the gold's calls, but its outcome: the alarm is set right at once instead of set, deleted, set."""
        script = [list(did) for _, did in rounds(self.SWAP.turns)]
        script[2] = [AgentTurn(acts=(Call(api="AddAlarm", arguments={"time": "05:30:00"}),)), AgentTurn(text="5:30.")]
        script[3] = [AgentTurn(text="It is 5:30.")]
        assert outcome(self.SWAP, self.lived(script, "recorded"), EXACT)["outcome"].value == 1.0
        assert outcome(self.SWAP, self.lived(script, "forced"), EXACT)["outcome"].value == 0.0
