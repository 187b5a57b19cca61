"""The runner: cases played concurrently, each to its end, its time limit, or its error.

Contract: a failed case is data. An agent that raises, or returns something that is no agent turn, makes a turn with an
error; one that hangs is cut off after `timeout` seconds, and what was lived until then is kept. Only errors that the
person at the keyboard must mend (`UserError`) stop a run. Finished cases are handed over in the order in which they
finish.

Example:
    >>> from toologue.agents.agent import player
    >>> from toologue.run.cases import Settings, cases_of
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> hello = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
    >>> [done.trace.stop for done in run_all(cases_of([hello], Settings()), player("gold"))]
    ['done']

Not covered: an agent that blocks the event loop cannot be cut off; run such a one with `executor="processes"`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

from toologue.agents.agent import Player, player
from toologue.errors import BadSetting, UserError, summary
from toologue.loop import Agent, User, play_async
from toologue.parallel import chunks, unordered
from toologue.schema import AgentTurn, Brief, Case, Fault, Stop, Trace, Turn
from toologue.users import UserFactory, speaker
from toologue.worlds.world import make_world


class Finished(NamedTuple):
    """A case that ended: its trace, and how long it took in seconds."""

    trace: Trace
    seconds: float


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
    agent: Player,
    done: Callable[[Finished], None],
    *,
    user: UserFactory | None = None,
    limits: Limits = Limits(),
) -> None:
    """Play all cases, at most `limits.concurrency` at once, and hand each over as it finishes."""
    source = iter(cases)

    async def work() -> None:
        for case in source:
            done(await run_case(case, agent, user=user, timeout=limits.timeout))

    async with asyncio.TaskGroup() as group:
        for _ in range(limits.concurrency):
            group.create_task(work())


def run_all(
    cases: Iterable[Case], agent: Player, *, user: UserFactory | None = None, limits: Limits = Limits()
) -> list[Finished]:
    """Play all cases and return them in the order in which they finished."""
    finished: list[Finished] = []
    run_to_end(cases, agent, finished.append, user=user, limits=limits)
    return finished


def run_to_end(
    cases: Iterable[Case],
    agent: Player,
    done: Callable[[Finished], None],
    *,
    user: UserFactory | None = None,
    limits: Limits = Limits(),
) -> None:
    """`run_cases` without an event loop of one's own; a UserError comes out as itself."""
    try:
        asyncio.run(run_cases(cases, agent, done, user=user, limits=limits))
    except* UserError as errors:
        raise _first(errors) from None


def run_in_processes(
    cases: Iterable[Case],
    spec: str,
    *,
    user: str = "",
    limits: Limits = Limits(),
    workers: int | None = None,
    size: int = 32,
) -> Iterator[Finished]:
    """Play all cases in processes. Agent and user are named, since each process makes its own."""
    run = partial(_run_chunk, spec=spec, user=user, limits=limits)
    for finished in unordered(run, chunks(cases, size), executor="processes", workers=workers):
        yield from finished


async def run_case(
    case: Case, agent: Player, *, user: UserFactory | None = None, timeout: float | None = None
) -> Finished:
    """Play one case."""
    start = time.perf_counter()
    lived: list[Turn] = []
    stop: Stop = "timeout"
    asked = _Guarded(agent.make(case))
    speaker = _speaker(user, case)
    try:
        async with asyncio.timeout(timeout):
            stop = await play_async(case, lived, asked, make_world(case), speaker)
    except TimeoutError:
        lived.append(AgentTurn(error=Fault(type="timeout", message=f"cut off after {timeout} s")))
    trace = Trace(
        case=case.key,
        dialogue=case.id,
        protocol=case.protocol,
        agent=agent.name,
        trial=case.trial,
        seed=case.seed,
        turns=tuple(lived),
        stop=stop,
    )
    return Finished(trace, time.perf_counter() - start)


class _Guarded:
    """The declared boundary of `Agent.act`: whatever an agent does becomes a turn that can be kept."""

    def __init__(self, agent: Agent):
        self._agent = agent

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        try:
            turn = cast("object", await self._agent.act(history, brief))
        except UserError:
            raise
        except (Exception, asyncio.CancelledError) as error:  # a declared boundary: Agent.act
            if isinstance(error, asyncio.CancelledError) and _cancelled():
                raise  # by us: out of time, or the run is being stopped
            kind, message = summary(error)
            return AgentTurn(error=Fault(type=kind, message=_clean(message)))
        if not isinstance(turn, AgentTurn):
            return AgentTurn(
                error=Fault(type="wrong type", message=f"act returned {type(turn).__name__}, not AgentTurn")
            )
        return _keepable(turn)


def _cancelled() -> bool:
    """Whether the running task itself was cancelled, rather than something that the agent waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _keepable(turn: AgentTurn) -> AgentTurn:
    """The turn, if a file gives it back as it is; with lone surrogates replaced; or a turn that says why it cannot."""
    try:
        line = AgentTurn.__pydantic_serializer__.to_json(turn, warnings="error")
        if AgentTurn.model_validate_json(line) == turn:
            return turn
    except Exception:  # noqa: BLE001 - a declared boundary: Agent.act
        pass
    try:
        return AgentTurn.model_validate(_clean(turn.model_dump(warnings=False)))
    except Exception as error:  # noqa: BLE001 - a declared boundary: Agent.act
        kind, message = summary(error)
        return AgentTurn(error=Fault(type=kind, message=_clean(message)))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in cast("list[Any]", value)]
    return value


def _speaker(user: UserFactory | None, case: Case) -> User | None:
    return None if user is None else user(case)


def _run_chunk(cases: list[Case], spec: str, user: str, limits: Limits) -> list[Finished]:
    return run_all(cases, player(spec), user=speaker(user), limits=limits)


def _first(errors: BaseExceptionGroup[UserError]) -> UserError:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
