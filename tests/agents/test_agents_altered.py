"""Altered gold: wrong in one known way, or right in words of its own; the same case and seed, the same agent."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from toologue.agents.agent import resolve_agent, script_of
from toologue.bench.tooltalk import load
from toologue.errors import BadSetting, UnknownName
from toologue.loop import play
from toologue.mutate.calls import RIGHT, WRONG, altered_script
from toologue.run.runner import Settings, cases_of
from toologue.schema import AgentTurn, Call, Case, Dialogue, UserTurn
from toologue.values.compare import agree, moment_of, never_alike
from toologue.worlds.assistant import apis
from toologue.worlds.world import make_world

DOCUMENTS = {api.name: api for api in apis()}
DIALOGUES = load(None)
KINDS = [*WRONG, *RIGHT]
Script = list[list[AgentTurn]]


def cases(seed: int = 0) -> list[Case]:
    return list(cases_of(DIALOGUES, Settings(seed=seed)))


def calls(script: Script) -> list[tuple[int, Call]]:
    """(round, call) of every call."""
    return [(n, act) for n, turns in enumerate(script) for turn in turns for act in turn.acts if act.kind == "call"]


def bare(script: Script) -> Script:
    return [[turn.replace(results=()) for turn in turns] for turns in script]


def differing(one: Script, other: Script) -> tuple[Counter[Any], Counter[Any]]:
    """(calls that went, calls that came), by round."""
    before, after = (Counter((n, call.model_dump_json()) for n, call in calls(s)) for s in (one, other))
    return before - after, after - before


def pairs(kind: str, seeds: range = range(4)) -> list[tuple[Script, Script]]:
    """(gold, altered) of all cases and seeds that the alteration applies to."""
    found = [(script_of(case), altered_script(case, kind)) for seed in seeds for case in cases(seed)]
    applied = [(gold, altered) for gold, altered in found if altered is not None]
    assert len(applied) >= 10, f"{kind} hardly ever applies"
    return applied


def only(difference: Counter[Any]) -> tuple[int, Call]:
    ((number, text),) = difference.elements()
    return number, Call.model_validate_json(text)


@pytest.mark.parametrize("kind", KINDS)
class TestEveryAlteration:
    def test_is_the_same_for_the_same_seed(self, kind: str) -> None:
        assert [altered_script(c, kind) for c in cases(3)] == [altered_script(c, kind) for c in cases(3)]

    def test_changes_something_or_says_that_it_cannot(self, kind: str) -> None:
        for gold, altered in pairs(kind):
            assert bare(altered) != bare(gold)
            assert len(altered) == len(gold), "the rounds stay aligned"

    def test_leaves_the_gold_alone(self, kind: str) -> None:
        case = cases()[0]
        before = case.gold.model_dump_json()
        altered_script(case, kind)
        assert case.gold.model_dump_json() == before

    def test_does_not_apply_where_nothing_is_done(self, kind: str) -> None:
        talk = Dialogue(id="talk", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello"), UserTurn(text="Bye")))
        (case,) = cases_of([talk], Settings())
        assert altered_script(case, kind) is None

    def test_plays_plain_gold_where_it_does_not_apply(self, kind: str) -> None:
        talk = Dialogue(id="talk", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
        (case,) = cases_of([talk], Settings())
        assert play(case, resolve_agent(f"altered:{kind}").make(case))[0] == list(talk.turns)

    def test_never_breaks_the_conversation(self, kind: str) -> None:
        for case in cases():
            turns, stop = play(case, resolve_agent(f"altered:{kind}").make(case), make_world(case))
            assert stop == "done"
            assert not any(turn.role == "agent" and turn.error for turn in turns)


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("paraphrase", "date_format", "reorder")])
def test_another_seed_alters_elsewhere(kind: str) -> None:
    scripts = [[altered_script(case, kind) for case in cases(seed)] for seed in range(4)]
    assert any(script != scripts[0] for script in scripts)


class TestWrong:
    def test_drop_leaves_one_call_out(self) -> None:
        for gold, altered in pairs("drop"):
            went, came = differing(gold, altered)
            assert (went.total(), came.total()) == (1, 0)
            assert not any(turn.text is None and not turn.acts for turns in altered for turn in turns)

    def test_duplicate_makes_one_write_twice(self) -> None:
        for gold, altered in pairs("duplicate"):
            went, came = differing(gold, altered)
            assert (went.total(), came.total()) == (0, 1)
            number, call = only(came)
            assert DOCUMENTS[call.api].writes
            assert (number, call) in calls(gold)

    def test_wrong_argument_changes_one_argument_of_one_call(self) -> None:
        for gold, altered in pairs("wrong_argument"):
            went, came = differing(gold, altered)
            (number, right), (place, wrong) = only(went), only(came)
            assert (number, right.api) == (place, wrong.api)
            (name,) = {n for n in right.arguments if right.arguments[n] != wrong.arguments[n]}
            compare = DOCUMENTS[right.api].parameters[name].compare
            assert not agree(compare, right.arguments[name], wrong.arguments[name], never_alike)

    def test_wrong_tool_keeps_the_arguments(self) -> None:
        for gold, altered in pairs("wrong_tool"):
            went, came = differing(gold, altered)
            (number, right), (place, wrong) = only(went), only(came)
            assert (number, right.arguments) == (place, wrong.arguments)
            assert right.api != wrong.api
            assert DOCUMENTS[right.api].domain == DOCUMENTS[wrong.api].domain

    def test_wrong_tool_knows_what_to_do_without_documents(self) -> None:
        gold = Dialogue(id="d", turns=(UserTurn(), AgentTurn(acts=(Call(api="Lift"),)), AgentTurn(text="Up.")))
        (case,) = cases_of([gold], Settings())
        assert altered_script(case, "wrong_tool") == [[AgentTurn(acts=(Call(api="Lift2"),)), AgentTurn(text="Up.")]]

    def test_extra_write_adds_a_write_with_another_value(self) -> None:
        for gold, altered in pairs("extra_write"):
            went, came = differing(gold, altered)
            assert (went.total(), came.total()) == (0, 1)
            number, extra = only(came)
            assert DOCUMENTS[extra.api].writes
            assert any(n == number and call.api == extra.api and call != extra for n, call in calls(gold))

    def test_swap_exchanges_what_is_done_in_two_rounds(self) -> None:
        for gold, altered in pairs("swap"):
            done, now = ([[c for n, c in calls(s) if n == number] for number in range(len(s))] for s in (gold, altered))
            moved = [number for number in range(len(gold)) if done[number] != now[number]]
            assert len(moved) == 2
            one, other = moved
            assert (now[one], now[other]) == (done[other], done[one])
            said = [[turn.text for turn in turns if turn.text is not None] for turns in gold]
            assert [[turn.text for turn in turns if turn.text is not None] for turns in altered] == said

    def test_silence_is_an_empty_round_where_a_call_was_needed(self) -> None:
        for gold, altered in pairs("silence"):
            (number,) = [n for n in range(len(gold)) if bare(altered)[n] != bare(gold)[n]]
            assert altered[number] == [AgentTurn()]
            assert any(n == number for n, _ in calls(gold))

    def test_late_does_in_the_next_round_what_this_one_needs(self) -> None:
        for gold, altered in pairs("late"):
            went, came = differing(gold, altered)
            assert went
            assert came == Counter({(n + 1, call): count for (n, call), count in went.items()})

    @pytest.mark.parametrize(
        ("api", "argument", "value", "wrong"),
        [
            ("AddAlarm", "time", "07:00:00", "12:00:00"),
            ("AddAlarm", "time", "22:00:00", "23:59:59"),  # not 03:00:00: later is never earlier
            ("AddAlarm", "time", "23:59:59", None),
            ("FindAlarms", "start_range", "20:30:00", "23:59:59"),
            ("FindAlarms", "end_range", "06:00:00", "01:00:00"),
            ("FindAlarms", "end_range", "03:00:00", "00:00:00"),
            ("FindAlarms", "end_range", "00:00:00", None),
            ("QueryCalendar", "start_time", "2025-03-10 07:00:00", "2025-03-13 07:00:00"),
            ("QueryCalendar", "end_time", "2025-03-10 07:00:00", "2025-03-07 07:00:00"),
            ("AddReminder", "due_date", "2025-03-10", "2025-03-13"),
            ("DeleteAlarm", "alarm_id", "5bff", "5bffx"),
            ("SendEmail", "to", ["a@b.example", "c@d.example"], ["a@b.example", "not.c@d.example"]),
            ("CreateEvent", "start_time", "tomorrow", "tomorrowx"),
            ("SearchInbox", "match_type", "any", None),  # a choice of a reading call: another may find the same
            ("DeleteAlarm", "alarm_id", None, None),
            ("DeleteAlarm", "unheard_of", "x", None),
        ],
    )
    def test_wrong_values(self, api: str, argument: str, value: Any, wrong: Any) -> None:
        call = Call(api=api, arguments={argument: value})
        gold = Dialogue(id="d", turns=(UserTurn(), AgentTurn(acts=(call,))))
        (case,) = cases_of([gold], Settings(), DOCUMENTS)
        altered = altered_script(case, "wrong_argument")
        assert (altered and altered[0][0].acts[0].arguments[argument]) == wrong


class TestRight:
    def test_paraphrase_changes_free_text_and_nothing_else(self) -> None:
        for gold, altered in pairs("paraphrase"):
            for (n, one), (m, other) in zip(calls(gold), calls(altered), strict=True):
                assert (n, one.api) == (m, other.api)
                for name, value in one.arguments.items():
                    free = DOCUMENTS[one.api].parameters[name].compare in ("text", "prose")
                    assert free or other.arguments[name] == value

    def test_reorder_exchanges_neighbours_of_one_round(self) -> None:
        for gold, altered in pairs("reorder"):
            assert differing(gold, altered) == (Counter(), Counter())
            moved = [i for i, (one, two) in enumerate(zip(calls(gold), calls(altered), strict=True)) if one != two]
            assert len(moved) == 2
            assert moved[1] == moved[0] + 1

    def test_date_format_writes_the_same_moments_without_zeros(self) -> None:
        for gold, altered in pairs("date_format"):
            for (_, one), (_, other) in zip(calls(gold), calls(altered), strict=True):
                for name, value in one.arguments.items():
                    if other.arguments[name] != value:
                        assert moment_of(other.arguments[name]) == moment_of(value) != None  # noqa: E711
                        assert len(other.arguments[name]) < len(value)

    def test_extra_read_looks_twice(self) -> None:
        for gold, altered in pairs("extra_read"):
            went, came = differing(gold, altered)
            assert (went.total(), came.total()) == (0, 1)
            assert not DOCUMENTS[only(came)[1].api].writes


class TestTheName:
    def test_it_needs_a_kind(self) -> None:
        with pytest.raises(
            BadSetting, match=r"needs a kind: altered:KIND with one of drop, duplicate, .*, extra_read$"
        ):
            resolve_agent("altered")

    def test_it_must_be_one_of_them(self) -> None:
        with pytest.raises(UnknownName, match="no alteration is called 'dorp'; did you mean 'drop'"):
            resolve_agent("altered:dorp")
