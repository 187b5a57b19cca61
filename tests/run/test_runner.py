"""The runner: as many cases at once as allowed, each to its end, its limit or its error; a failed case is data."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from run_players import by_seed, many

from toologue.agents.agent import AgentSpec, ScriptedAgent, resolve_agent
from toologue.errors import BadRecord, BadSetting, UnknownName
from toologue.parallel import chunks, ordered, unordered
from toologue.run.runner import Limits, Settings, cases_of, run_all, run_cases
from toologue.schema import (
    AgentTurn,
    Api,
    Brief,
    Call,
    Case,
    Dialogue,
    Fault,
    Program,
    Retrieve,
    Setting,
    Trace,
    Turn,
    UserTurn,
)
from toologue.schema.jsonl import line_of, parse
from toologue.users import ScriptedUser

U, A = UserTurn, AgentTurn
TWO_ROUNDS = Dialogue(id="two", turns=(U(text="One?"), A(text="1"), U(text="Two?"), A(text="2")))


class Doing:
    """An agent that is one function of the history."""

    def __init__(self, act: Callable[[Sequence[Turn]], Any]):
        self._act = act

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        result = self._act(history)
        return await result if asyncio.iscoroutine(result) else result


def played(act: Callable[[Sequence[Turn]], Any], protocol: str = "recorded", **limits: Any) -> Trace:
    """The one trace of an agent, through its line: what is on disk is what was lived."""
    cases = cases_of([TWO_ROUNDS], Settings(protocol=protocol, cap=2))
    (done,) = run_all(cases, AgentSpec("it", lambda case: Doing(act)), limits=Limits(**limits))
    assert parse(line_of(done.trace), Trace) == done.trace
    return done.trace


class TestConcurrency:
    @pytest.mark.parametrize("concurrency", [1, 3, 8, 100])
    def test_never_more_at_once_than_asked_for_and_no_fewer(self, concurrency: int) -> None:
        running, most = set[str](), 0

        def make(case: Case) -> Doing:
            async def act() -> AgentTurn:
                nonlocal most
                running.add(case.id)
                most = max(most, len(running))
                while most < min(concurrency, 20):
                    await asyncio.sleep(0)
                running.discard(case.id)
                return A(text="ok")

            return Doing(lambda history: act())

        dialogues = [TWO_ROUNDS.replace(id=str(n)) for n in range(20)]
        limits = Limits(concurrency=concurrency, timeout=30)
        done = run_all(cases_of(dialogues, Settings()), AgentSpec("x", make), limits=limits)
        assert len(done) == 20
        assert most == min(concurrency, 20)

    def test_cases_are_drawn_as_they_are_needed(self) -> None:
        """The source may be endless: one case a worker is in flight."""
        drawn = []

        def source():
            for n in range(1000):
                drawn.append(n)
                yield Case(id=str(n), gold=TWO_ROUNDS, protocol="next")

        def enough(finished: Any) -> None:
            if len(drawn) >= 10:
                raise BadSetting("that will do")

        with pytest.raises(BadSetting):
            run_all(source(), AgentSpec("x", lambda case: ScriptedAgent([])), enough, limits=Limits(concurrency=2))
        assert len(drawn) <= 12

    def test_cases_are_handed_over_as_they_finish(self) -> None:
        """Case `0` waits until the others are done."""
        order: list[str] = []

        def make(case: Case) -> Doing:
            async def wait() -> AgentTurn:
                while len(order) < 4:
                    await asyncio.sleep(0)
                return A(text="ok")

            return Doing(lambda history: wait() if case.id == "0" else A(text="ok"))

        def done(finished: Any) -> None:
            order.append(finished.trace.dialogue)

        cases = cases_of([TWO_ROUNDS.replace(id=str(n)) for n in range(5)], Settings())
        asyncio.run(run_cases(cases, AgentSpec("x", make), done, limits=Limits(concurrency=2)))
        assert order == ["1", "2", "3", "4", "0"]

    def test_no_cases_no_traces(self) -> None:
        assert run_all([], resolve_agent("gold")) == []

    @pytest.mark.parametrize("wrong", [{"concurrency": 0}, {"timeout": 0.0}, {"timeout": -1.0}])
    def test_limits_must_make_sense(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(BadSetting, match=next(iter(wrong))):
            Limits(**wrong)


class TestTimeouts:
    @pytest.mark.slow
    def test_an_agent_that_hangs_is_cut_off_and_what_was_lived_is_kept(self) -> None:
        async def hang() -> AgentTurn:
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

        trace = played(lambda history: hang() if len(history) > 2 else A(text="1"), timeout=0.1)
        assert trace.stop == "timeout"
        assert [turn.text for turn in trace.turns] == ["One?", "1", "Two?", None]
        assert trace.turns[-1].error == Fault(type="timeout", message="cut off after 0.1 s")

    @pytest.mark.slow
    def test_each_case_has_its_own_time(self) -> None:
        """Twelve cases of 30 ms, one after the other, take longer than the limit of one."""
        dialogues = [TWO_ROUNDS.replace(id=str(n)) for n in range(6)]
        agent = AgentSpec("slow", lambda case: ScriptedAgent([[A(text="1")], [A(text="2")]], delay=0.015))
        done = run_all(cases_of(dialogues, Settings()), agent, limits=Limits(concurrency=1, timeout=0.15))
        assert {finished.trace.stop for finished in done} == {"done"}
        assert all(finished.seconds > 0.02 for finished in done)

    def test_a_timeout_of_the_agents_own_is_its_error(self) -> None:
        def act(history: Any) -> AgentTurn:
            raise TimeoutError("the model did not answer")

        trace = played(act, timeout=10)
        assert trace.stop == "error"
        assert trace.turns[-1].error == Fault(type="TimeoutError", message="the model did not answer")


class TestWhateverAnAgentDoes:
    """It becomes a turn that can be written and read back, and the run goes on."""

    def fault(self, act: Callable[[Any], Any]) -> Fault:
        trace = played(act)
        assert trace.stop == "error"
        assert len(trace.turns) == 2
        assert trace.turns[-1].error is not None
        return trace.turns[-1].error

    def test_raising(self) -> None:
        def act(history: Any) -> AgentTurn:
            raise KeyError("choices")

        assert self.fault(act) == Fault(type="KeyError", message="'choices'")

    def test_raising_what_no_file_can_hold(self) -> None:
        def act(history: Any) -> AgentTurn:
            raise ValueError("bad byte \udcff")

        assert self.fault(act) == Fault(type="ValueError", message="bad byte \ufffd")

    def test_cancelling_itself(self) -> None:
        """A cancellation that nobody asked for is an error like others: the case must not vanish."""

        def act(history: Any) -> AgentTurn:
            raise asyncio.CancelledError("my http client gave up")

        assert self.fault(act) == Fault(type="CancelledError", message="my http client gave up")

    def test_recursing(self) -> None:
        def act(history: Any) -> AgentTurn:
            return act(history)

        assert self.fault(act).type == "RecursionError"

    @pytest.mark.parametrize(
        ("value", "name"),
        [(None, "NoneType"), ("hello", "str"), ({"text": "hello"}, "dict"), (U(text="x"), "UserTurn")],
    )
    def test_returning_something_else(self, value: Any, name: str) -> None:
        assert self.fault(lambda history: value) == Fault(
            type="wrong type", message=f"act returned {name}, not AgentTurn"
        )

    @pytest.mark.parametrize(
        "turn",
        [
            A().replace(text=5),
            A().replace(action="dance"),
            A().replace(acts=("AddAlarm",)),
            A(acts=(Call(api="X").replace(arguments=["a list"]),)),
            A(acts=(Call(api="X").replace(arguments={"x": float("nan")}),)),
            A(acts=(Call(api="X").replace(arguments={"x": {"y": [float("-inf")]}}),)),
            A(acts=(Call(api="X").replace(arguments={"x": object()}),)),
            A(acts=(Call(api="X").replace(arguments={"x": {1, 2}}),)),
            A(acts=(Call(api="X").replace(arguments={1: 2}),)),
            A.model_construct(text="a", extra={"at": float("inf")}),
        ],
        ids=lambda turn: str(turn.acts or turn.text)[:50],
    )
    def test_returning_a_turn_that_is_none(self, turn: AgentTurn) -> None:
        """Unvalidated nouns are trusted everywhere but here."""
        assert self.fault(lambda history: turn).type == "ValidationError"

    def test_nan_never_gets_as_far_as_a_call(self) -> None:
        assert self.fault(lambda history: A(acts=(Call(api="X", arguments={"x": float("nan")}),))).type == (
            "ValidationError"
        )

    def test_a_value_nested_too_deep(self) -> None:
        deep: list[Any] = []
        for _ in range(5000):
            deep = [deep]
        assert self.fault(lambda history: A(acts=(Call(api="X").replace(arguments={"x": deep}),))).type in (
            "RecursionError",
            "ValidationError",
            "ValueError",
        )

    def test_lone_surrogates_are_replaced(self) -> None:
        said = A(
            text="a\ud83db", acts=(Call(api="X\udc00", arguments={"k\ud800": ["\udfff", "ü😀"]}),), thought="\ud800"
        )
        (_, turn, *_) = played(lambda history: said, protocol="next").turns
        assert (turn.text, turn.thought) == ("a\ufffdb", "\ufffd")
        assert turn.acts == (Call(api="X\ufffd", arguments={"k\ufffd": ["\ufffd", "ü😀"]}),)

    def test_a_pair_of_surrogates_is_the_character_it_stands_for(self) -> None:
        (_, turn, *_) = played(lambda history: A(text="\ud83d\ude00")).turns
        assert turn.text == "😀"

    def test_a_long_text_is_kept_whole(self) -> None:
        text = "é" * 500_000
        (_, turn, *_) = played(lambda history: A(text="Here.", acts=(Call(api="X", arguments={"t": text}),))).turns
        assert turn.acts[0].arguments["t"] == text

    @pytest.mark.parametrize(
        "turn",
        [
            A(text="x" * 2_000_000),
            A(text="\ud83d" + "x" * 2_000_000),
            A(acts=(Call(api="X" * 2_000_000),)),
            A(acts=(Call(api="X"),) * 50_000),
            A(acts=(Program(goal="g", status="final", code="x" * 2_000_000),)),
            A(text="x", extra={"reply": "x" * 2_000_000}),
        ],
        ids=["text", "surrogate", "name", "acts", "program", "extra"],
    )
    def test_more_than_a_file_should_hold_is_an_error_that_says_how_much(self, turn: AgentTurn) -> None:
        fault = self.fault(lambda history: turn)
        assert fault.type == "too much"
        assert re.fullmatch(r"a turn of \d,\d{3},\d{3} bytes, and no more than 1,048,576 are kept", fault.message)

    def test_the_texts_of_exceptions_are_cut(self) -> None:
        def act(history: Any) -> AgentTurn:
            raise type("X" * 10_000, (Exception,), {})("y" * 10_000_000)

        assert self.fault(act) == Fault(
            type="X" * 2000 + "… (10,000 characters)", message="y" * 2000 + "… (10,000,000 characters)"
        )

    @pytest.mark.parametrize("depth", [90, 99, 150, 194, 196, 198, 199, 200, 250])
    def test_arguments_of_any_depth_are_kept_or_are_an_error(self, depth: int) -> None:
        deep = json.loads("[" * depth + "]" * depth)
        (_, turn, *_) = played(lambda history: A(text="x", acts=(Call(api="X", arguments={"x": deep}),))).turns
        assert turn.error is not None if depth > 90 else turn.acts[0].arguments == {"x": deep}

    def test_a_list_where_a_tuple_belongs_is_put_right(self) -> None:
        (_, turn, *_) = played(lambda history: A(text="x").replace(acts=[Retrieve(query="q")])).turns
        assert turn.acts == (Retrieve(query="q"),)

    def test_claiming_results_is_in_vain(self) -> None:
        act = Call(api="X")
        claimed = A(text="Done.", acts=(act,)).replace(results=({"value": 1},))
        (_, turn, *_) = played(lambda history: claimed).turns
        assert turn.error is not None or turn.results[0].error.type == "no world"

    def test_the_other_cases_are_none_the_worse(self) -> None:
        def make(case: Case) -> Doing:
            def act(history: Any) -> AgentTurn:
                if case.id == "3":
                    raise ValueError("three")
                return A(text="ok")

            return Doing(act)

        done = run_all(cases_of([TWO_ROUNDS.replace(id=str(n)) for n in range(5)], Settings()), AgentSpec("x", make))
        faults = {d.trace.dialogue: [t.error for t in d.trace.turns if t.role == "agent" and t.error] for d in done}
        assert {name for name, found in faults.items() if found} == {"3"}


class TestWhatThePersonMustMend:
    """A UserError stops the run, as itself and not in a group; in-flight cases are given up."""

    def test_from_an_agent(self) -> None:
        def act(history: Any) -> AgentTurn:
            raise BadSetting("no API key: set EXAMPLE_KEY")

        cases = cases_of([TWO_ROUNDS.replace(id=str(n)) for n in range(20)], Settings())
        with pytest.raises(BadSetting, match="set EXAMPLE_KEY"):
            run_all(cases, AgentSpec("x", lambda case: Doing(act)))

    def test_from_a_factory(self) -> None:
        def make(case: Case) -> Doing:
            raise BadRecord("mine.jsonl", 3, "$.name", "unknown")

        with pytest.raises(BadRecord) as caught:
            run_all(cases_of([TWO_ROUNDS], Settings()), AgentSpec("x", make))
        assert (caught.value.file, caught.value.line) == ("mine.jsonl", 3)

    def test_from_a_world_that_cannot_be_made(self) -> None:
        gold = TWO_ROUNDS.replace(world=Setting(name="assistant", arguments={"clock": "noon"}))
        with pytest.raises(BadSetting, match=r"dialogue 'two': the world 'assistant' cannot be made: .*'clock'"):
            run_all(cases_of([gold], Settings()), resolve_agent("gold"))

    def test_from_a_dialogue_of_an_unknown_world(self) -> None:
        with pytest.raises(UnknownName, match="no world is called 'assistent'; did you mean 'assistant'"):
            run_all(cases_of([TWO_ROUNDS.replace(world=Setting(name="assistent"))], Settings()), resolve_agent("gold"))


class TestCases:
    """From dialogues to cases: the brief, and one seed a case that depends on nothing else."""

    def test_seeds_are_the_same_in_any_order_and_company(self) -> None:
        dialogues = many(20)
        settings = Settings(seed=5, trials=2)
        seeds = {(case.id, case.trial): case.seed for case in cases_of(dialogues, settings)}
        Random(0).shuffle(dialogues)
        assert {(case.id, case.trial): case.seed for case in cases_of(dialogues[:7], settings)}.items() <= seeds.items()
        assert len(set(seeds.values())) == 40
        other = Settings(seed=6, trials=2)
        assert not set(seeds.values()) & {case.seed for case in cases_of(dialogues, other)}

    def test_traces_are_the_same_at_any_concurrency_and_order(self) -> None:
        cases = list(cases_of(many(16), Settings(seed=1)))
        agent = AgentSpec("by seed", by_seed)
        one = {d.trace.case: d.trace for d in run_all(cases, agent, limits=Limits(concurrency=1))}
        Random(1).shuffle(cases)
        assert {d.trace.case: d.trace for d in run_all(cases, agent, limits=Limits(concurrency=8))} == one

    def test_trials_of_a_dialogue_stand_together(self) -> None:
        cases = list(cases_of(many(3), Settings(trials=3)))
        assert [case.trial for case in cases] == [0, 1, 2] * 3
        assert len({case.key for case in cases}) == 9
        done = run_all(cases, AgentSpec("by seed", by_seed))
        assert {(d.trace.dialogue, d.trace.trial, d.trace.seed) for d in done} == {
            (c.id, c.trial, c.seed) for c in cases
        }

    def test_the_brief_tells_what_the_dialogue_says_and_no_more(self) -> None:
        gold = TWO_ROUNDS.replace(
            instructions="Count.", facts={"now": "noon"}, apis=("Y", "X"), world=Setting(name="none", arguments={})
        )
        documents = {name: Api(name=name) for name in ("X", "Y", "Z")}
        (case,) = cases_of([gold], Settings(), documents)
        assert case.brief == Brief(instructions="Count.", facts={"now": "noon"}, apis=(documents["Y"], documents["X"]))
        blind = case.blind()
        assert (blind.gold, blind.world) == (None, Setting())
        assert blind.brief == case.brief

    def test_without_names_the_brief_has_all_documents_of_the_world(self) -> None:
        (case,) = cases_of(many(1), Settings())
        assert len(case.brief.apis) == 28

    def test_an_undocumented_api(self) -> None:
        with pytest.raises(UnknownName, match="no API of dialogue 'two' is called 'AddAlram'; did you mean 'AddAlarm'"):
            list(cases_of([TWO_ROUNDS.replace(apis=("AddAlram",), world=Setting(name="assistant"))], Settings()))

    def test_the_case_key_names_all_that_matters(self) -> None:
        (case,) = cases_of([TWO_ROUNDS], Settings())
        changed = [
            case.replace(gold=TWO_ROUNDS.replace(instructions="x")),
            case.replace(brief=Brief(instructions="x")),
            case.replace(brief=Brief(apis=(Api(name="X"),))),
            case.replace(data="0123456789abcdef"),
            case.replace(trial=1),
            case.replace(seed=1),
            case.replace(cap=9),
            case.replace(see=("state",)),
            case.replace(protocol="next"),
            case.replace(world=Setting(name="recorded")),
        ]
        assert len({c.key for c in [case, *changed]}) == 11


class TestLive:
    def test_a_user_is_made_for_each_case(self) -> None:
        cases = [Case(id=name, protocol="live") for name in ("ann", "bob")]
        done = run_all(
            cases,
            AgentSpec("x", lambda case: ScriptedAgent([[A(text="So?")]] * 3)),
            user=lambda case: ScriptedUser([f"I am {case.id}.", "Bye."]),
        )
        said = {d.trace.dialogue: [turn.text for turn in d.trace.turns] for d in done}
        assert said == {name: [f"I am {name}.", "So?", "Bye.", "So?"] for name in ("ann", "bob")}
        assert {d.trace.stop for d in done} == {"user"}


def settled(_: int) -> tuple[bool, bool, str | None]:
    """Whether modules were there at the start and are no garbage; how many cores linear algebra has."""
    return "toologue.schema" in sys.modules, gc.get_freeze_count() > 0, os.environ.get("OPENBLAS_NUM_THREADS")


def halved(number: int) -> int:
    if number < 0:
        raise BadRecord("numbers", number, "$", "negative")
    return number // 2


def negated(number: int) -> int:
    """Even numbers take longer."""
    return -number - sum(range(300_000 * (number % 2 == 0))) * 0


class TestExecutors:
    """`parallel.unordered`: the same function over many items, here or in processes."""

    def test_results_do_not_depend_on_the_executor(self) -> None:
        apart = unordered(halved, iter(range(50)), executor="processes", workers=2)
        assert sorted(apart) == sorted(unordered(halved, range(50)))

    @pytest.mark.parametrize("workers", [1, 2])
    def test_results_come_in_the_order_of_the_items_if_that_is_wanted(self, workers) -> None:
        assert list(ordered(negated, range(20), workers=workers)) == [-item for item in range(20)]

    def test_an_endless_source_is_drawn_as_needed(self) -> None:
        drawn: list[int] = []

        def endless():
            while True:
                drawn.append(len(drawn))
                yield len(drawn)

        results = unordered(halved, endless(), executor="processes", workers=1)
        next(results)
        results.close()
        assert len(drawn) <= 4

    def test_processes_start_with_what_is_loaded_and_one_core_each(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
        assert list(unordered(settled, [0], executor="processes", workers=1)) == [(True, True, "1")]
        assert "OPENBLAS_NUM_THREADS" not in os.environ

    def test_an_error_comes_back_whole(self) -> None:
        with pytest.raises(BadRecord) as caught:
            list(unordered(halved, [4, -7], executor="processes", workers=1))
        assert (str(caught.value), caught.value.line) == ("numbers:-7: $: negative", -7)

    def test_chunks(self) -> None:
        assert list(chunks(iter("abcde"), 2)) == [["a", "b"], ["c", "d"], ["e"]]
        assert list(chunks([], 2)) == []
