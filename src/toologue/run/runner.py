"""The runner: dialogues become cases, and cases are played concurrently, each to its end, its time limit, or its error.

Contract: a failed case is data. An agent that raises, or returns something that is no agent turn, makes a turn with an
error; one that hangs is cut off after `timeout` seconds, and what was lived until then is kept. Only errors that the
person at the keyboard must mend (`UserError`) stop a run. Finished cases are handed over in the order in which they
finish.

Not covered: an agent of ours, which is trusted, blocks the event loop if it does not wait; those of others, also
those given in Python, are kept apart (`agents.apart`), but the function that makes one for a case is not. Cases without
a gold: make them yourself (`schema.Case`) for `live` conversations.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple, cast

from pydantic import Field

from toologue import keys
from toologue.agents.agent import AgentSpec
from toologue.agents.apart import LEFT, Guarded, apart
from toologue.errors import BadSetting, Denied, Unfinished, UnknownName, UserError
from toologue.events import happened
from toologue.loop import ground, play_async
from toologue.models.spent import Spent, tallied
from toologue.schema import AgentTurn, Api, Brief, Case, Dialogue, Fault, Noun, ProtocolName, Stop, Trace, Turn
from toologue.users import UserFactory
from toologue.worlds.world import documents_of, facts_in, kind_at, make_world


class Finished(NamedTuple):
    """A case that ended: its trace, how long it took in seconds, and what was spent on it."""

    trace: Trace
    seconds: float
    spent: Spent = Spent()


@dataclass(frozen=True)
class Limits:
    """How many cases at once, and how many seconds each may take (None: as long as it likes)."""

    concurrency: int = 8
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise BadSetting(f"concurrency must be at least 1, got {self.concurrency}")
        if self.timeout is not None and self.timeout <= 0:
            raise BadSetting(f"timeout must be positive seconds, got {self.timeout}")


async def run_cases(
    cases: Iterable[Case],
    agent: AgentSpec,
    done: Callable[[Finished], None],
    *,
    user: UserFactory | None = None,
    limits: Limits = Limits(),
) -> None:
    """Play all cases, at most `limits.concurrency` at once, and hand each over as it finishes.

    Raises Unfinished where so many threads of the agent did not stop with their time, Denied where its model would
    refuse every further request (a key that is none, a quota or budget that is used up): no case is begun after that.
    """
    source, before, refused = iter(cases), [*LEFT], list[Fault]()

    def stuck() -> bool:
        return sum(running() for running in LEFT if running not in before) >= limits.concurrency

    async def work() -> None:
        while not stuck() and not refused and (case := next(source, None)):
            finished = await _run_case(case, agent, user, limits.timeout)
            done(finished)
            _tell(finished)
            refused.extend(fault for fault in faults_of(finished.trace) if fault.lasting)

    async with asyncio.TaskGroup() as group:
        for _ in range(limits.concurrency):
            group.create_task(work())
    if stuck():
        what = f"{limits.concurrency} threads of {agent.name!r} went on after their time, and cannot be stopped"
        raise Unfinished(f"{what}: run it in processes, callable:FILE.py:NAME")
    if refused:
        what = f"every further request would be refused as this one was: {refused[0].message}"
        raise Denied(f"{agent.name!r}: {what}; nothing more was asked, and the same command goes on")


def _tell(finished: Finished) -> None:
    trace, fault = finished.trace, next(faults_of(finished.trace), None)
    about = {"id": trace.dialogue, "agent": trace.agent, "trial": trace.trial, "seconds": round(finished.seconds, 3)}
    happened("case", **about, stop=trace.stop, fault=fault and fault.type)


def faults_of(trace: Trace) -> Iterator[Fault]:
    """The faults of an agent's turns."""
    yield from (turn.error for turn in trace.turns if turn.role == "agent" and turn.error is not None)


def run_all(
    cases: Iterable[Case],
    agent: AgentSpec,
    done: Callable[[Finished], None] | None = None,
    *,
    user: UserFactory | None = None,
    limits: Limits = Limits(),
) -> list[Finished]:
    """`run_cases` without an event loop of one's own: what finished, in that order, or nothing if `done` takes it."""
    finished: list[Finished] = []
    try:
        asyncio.run(run_cases(cases, agent, done or finished.append, user=user, limits=limits))
    except* UserError as errors:
        first: BaseException = errors
        while isinstance(first, BaseExceptionGroup):
            first = cast("BaseExceptionGroup[UserError]", first).exceptions[0]
        raise first from None
    return finished


async def _run_case(case: Case, agent: AgentSpec, user: UserFactory | None, timeout: float | None) -> Finished:
    start, turns = time.perf_counter(), list[Turn]()
    stop: Stop = "timeout"
    guarded, speaking = Guarded(apart(agent.make(case))), user(case) if user else None
    with tallied() as tally:
        try:
            async with asyncio.timeout(timeout):
                stop = await play_async(case, turns, guarded, make_world(case), speaking)
        except TimeoutError:
            turns.append(AgentTurn(error=Fault(type="timeout", message=f"cut off after {timeout} s")))
    trace = Trace(
        case=case.key,
        dialogue=case.id,
        protocol=case.protocol,
        agent=agent.name,
        trial=case.trial,
        seed=case.seed,
        turns=tuple(turns),
        stop=stop,
    )
    return Finished(trace, time.perf_counter() - start, sum(tally, Spent()))


class Settings(Noun):
    """How dialogues become cases. `cap`: agent turns a round."""

    protocol: ProtocolName = "forced"
    seed: int = 0
    trials: int = Field(default=1, ge=1)
    see: tuple[str, ...] = ()
    cap: int = Field(default=50, ge=1)


def cases_of(
    dialogues: Iterable[Dialogue], settings: Settings, apis: Mapping[str, Api] | None = None
) -> Iterator[Case]:
    """The cases of dialogues, in order, the trials of one dialogue together.

    `apis` are documents by name, for dialogues that carry none and whose world has none of its own.
    """
    shared: dict[tuple[str, tuple[str, ...]], tuple[Api, ...]] = {}
    for dialogue in dialogues:
        told = (dialogue.world.model_dump_json(), dialogue.apis)
        own = "apis" in dialogue.extra or not kind_at(dialogue.world).by_name
        documents = None if own else shared.get(told)
        if documents is None:
            documents = _documents(dialogue, apis or {})
            if not own:
                shared[told] = documents
        facts = facts_in(dialogue.world, dialogue.facts)
        brief = Brief.model_construct(instructions=dialogue.instructions, facts=facts, apis=documents)
        for trial in range(settings.trials):
            yield Case(
                id=dialogue.id,
                gold=dialogue,
                brief=brief,
                world=dialogue.world,
                data=kind_at(dialogue.world).data_key(dialogue.world),
                protocol=settings.protocol,
                trial=trial,
                seed=keys.seed_of(settings.seed, dialogue.id, trial),
                see=settings.see,
                cap=settings.cap,
            )


def grounded(dialogue: Dialogue) -> Dialogue:
    """The dialogue with its acts executed, where its world can and it was not done before."""
    turns = [turn for turn in dialogue.turns if turn.role == "agent" and turn.acts]
    known = any(result is not None and result.changes for turn in turns for result in turn.results)
    if not turns or known or dialogue.world.name in ("none", "recorded"):
        return dialogue
    case = Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="recorded")
    return ground(dialogue, make_world(case))


def _documents(dialogue: Dialogue, apis: Mapping[str, Api]) -> tuple[Api, ...]:
    known = {**apis, **documents_of(dialogue)}
    if not dialogue.apis:
        return tuple(known.values())
    for name in dialogue.apis:
        if name not in known:
            raise UnknownName(f"API of dialogue {dialogue.id!r}", name, known)
    return tuple(known[name] for name in dialogue.apis)


@dataclass(frozen=True)
class Selection:
    """Dialogues whose ids fit one of the patterns `only` and are among `ids`; of those the first `limit`.

    >>> from toologue.schema import UserTurn
    >>> every = [Dialogue(id=id, turns=(UserTurn(text="Hi"),)) for id in ("hire-1", "hire-2", "bike-1")]
    >>> [one.id for one in Selection(only=("*-1",), limit=1).of(every)]
    ['hire-1']
    """

    only: Collection[str] = ()
    ids: Collection[str] | None = None
    limit: int | None = None

    def __bool__(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.only) or self.ids is not None or self.limit is not None

    def of(self, dialogues: Iterable[Dialogue]) -> list[Dialogue]:
        """Those that are chosen. Raises BadSetting where there are none."""
        every, only = list(dialogues), self.only
        fit = (one for one in every if not only or any(fnmatchcase(one.id, pattern) for pattern in only))
        chosen = [one for one in fit if self.ids is None or one.id in self.ids][: self.limit]
        if every and not chosen:
            asked = " ".join(f"--only {pattern!r}" for pattern in only) or f"--limit {self.limit}"
            what = "no conversation failed there" if self.ids is not None and not only else f"{asked} takes none"
            raise BadSetting(f"{what} of {len(every)} conversations; the first is {every[0].id!r}")
        return chosen
