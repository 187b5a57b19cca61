"""Agents of others, kept apart: in a process that is killed when its time is up, or in a thread, which cannot be.

`InProcess` asks an agent of a file: a process a question under way, kept for the next one. One that ends (`os._exit`, a
segmentation fault) makes an `exited` turn. Processes end with their parent, whatever ends it. What comes back is JSON
of at most `LARGEST` bytes; nothing is unpickled.

`InThread` asks an agent object on an event loop of a thread that all such agents share, so that their connections
stay with it. What does not end with its time is counted in `LEFT` as long as it goes on, and later questions go to
another thread, if it holds the loop.

`Guarded` is the declared boundary of `Agent.act`: whatever an agent does becomes a turn that a file gives back.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from multiprocessing.connection import Connection
from typing import Any, TypeVar, cast

from toologue import limits
from toologue.errors import BadFile, UserError, summary
from toologue.loop import Agent
from toologue.parallel import PROCESSES, end_with_parent, serve
from toologue.schema import AgentTurn, Brief, Fault, Noun, Turn

T = TypeVar("T")
_Said = tuple[T | None, BaseException | None]
_Here = tuple[str, Mapping[str, str], list[str]]  # folder, environment, where modules are
LARGEST = 1 << 24
_PATIENCE = 0.2

LEFT: list[Callable[[], bool]] = []
"""What was given up and may go on: each says whether it still does."""
_LOOPS: list[asyncio.AbstractEventLoop] = []
_ENDS = (asyncio.CancelledError, GeneratorExit, SystemExit)


class _Question(Noun):
    history: tuple[Turn, ...]
    brief: Brief


class _Answer(Noun):
    """A turn, or what the person at the keyboard must know; neither says that the agent is ready."""

    turn: AgentTurn | None = None
    complaint: str = ""


class InProcess:
    """The agent that `make(*arguments)` makes in processes. Raises BadFile where it cannot be made."""

    def __init__(self, make: Callable[..., Agent], *arguments: str):
        self._make, self._arguments = make, arguments
        self._free = [_Process(make, arguments)]
        weakref.finalize(self, _end_all, self._free)

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The agent's turn, or one with the error that it made."""
        process = self._free.pop() if self._free else _or_raise(await in_thread(_Process, self._make, self._arguments))
        try:
            said = await in_thread(process.ask, _Question(history=tuple(history), brief=brief))
        except BaseException:
            process.kill()  # the thread that reads gets its end, and closes
            raise
        if process.alive:
            self._free.append(process)
        return _or_raise(said)


class _Process:
    def __init__(self, make: Callable[..., Agent], arguments: Sequence[str]):
        serve()
        self._channel, theirs = PROCESSES.Pipe()
        here = os.getcwd(), dict(os.environ), [*sys.path]
        self._process = PROCESSES.Process(target=_serve_agent, args=(theirs, here, make, arguments), daemon=True)
        self._process.start()
        theirs.close()
        self.alive = True
        ready = self._received()
        if ready.error is not None:
            raise BadFile(f"cannot load the agent {':'.join(arguments)}: {ready.error.message}")

    def ask(self, question: _Question) -> AgentTurn:
        try:
            self._channel.send_bytes(question.model_dump_json().encode())
        except OSError:
            return self._ended()
        return self._received()

    def kill(self) -> None:
        self.alive = False
        self._process.kill()

    def end(self) -> None:
        self.kill()
        self._channel.close()

    def _received(self) -> AgentTurn:
        try:
            answer = _Answer.model_validate_json(self._channel.recv_bytes(LARGEST))
        except EOFError:
            return self._ended()
        except (OSError, ValueError) as error:  # more than may come, or nothing of ours
            self.end()
            return broken("wrong type", f"the agent's process sent no turn: {error}")
        if answer.complaint:
            self.end()
            raise BadFile(answer.complaint)
        return answer.turn or AgentTurn()

    def _ended(self) -> AgentTurn:
        self._process.join(1)
        status = self._process.exitcode
        self.end()
        how = f"was killed by signal {-status}" if status and status < 0 else f"ended with status {status}"
        return broken("exited", f"the agent's process {how}, and gave no turn")


def _end_all(processes: list[_Process]) -> None:
    while processes:
        processes.pop().end()


def _serve_agent(channel: Connection, here: _Here, make: Callable[..., Agent], arguments: Sequence[str]) -> None:
    """What a process does: make the agent, and answer until nobody asks."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides
    folder, environment, sys.path[:] = here
    os.chdir(folder)
    os.environ |= environment

    def send(answer: _Answer) -> None:
        channel.send_bytes(answer.model_dump_json().encode())

    try:
        agent = Guarded(make(*arguments))
    except UserError as error:
        return send(_Answer(complaint=str(error)))
    send(_Answer())
    with asyncio.Runner() as loop:
        while True:
            try:
                asked = _Question.model_validate_json(channel.recv_bytes())
            except EOFError:
                return None
            try:
                send(_Answer(turn=loop.run(agent.act(asked.history, asked.brief))))
            except UserError as error:
                send(_Answer(complaint=str(error)))
            except (asyncio.CancelledError, KeyboardInterrupt) as error:
                send(_Answer(turn=broken(type(error).__name__, "the agent stopped itself")))


def apart(agent: Agent) -> Agent:
    """The agent, in a thread if it is given in Python; those of ours wait where they would block."""
    return agent if type(agent).__module__.startswith("toologue.") else InThread(agent)


class InThread:
    """An agent object on the event loop of a thread."""

    def __init__(self, agent: Agent):
        self._agent = Guarded(agent)

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The agent's turn, or one with the error that it made."""
        began, over = threading.Event(), threading.Event()

        async def asked() -> AgentTurn | BaseException:
            began.set()
            try:
                return await self._agent.act(history, brief)
            except BaseException as raised:  # noqa: BLE001 - it is handed to whoever asked
                return raised
            finally:
                over.set()

        try:
            said = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked(), _loop()))
        except asyncio.CancelledError as cancelled:
            LEFT.append(lambda: began.is_set() and not over.is_set())
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            said = cancelled
        if isinstance(said, UserError):
            raise said
        return said if isinstance(said, AgentTurn) else broken(type(said).__name__, "the agent stopped itself")


def _or_raise(said: _Said[T]) -> T:
    value, raised = said
    if raised is not None:
        raise raised
    return cast("T", value)


async def in_thread(function: Callable[..., T], *given: Any) -> _Said[T]:
    """What a function returns, or what it raises, in a thread that nobody waits for at the end."""
    done: Future[Any] = Future()
    done.set_running_or_notify_cancel()  # nobody can take it back, though nobody may be waiting

    def work() -> None:
        try:
            done.set_result((function(*given), None))
        except BaseException as raised:  # noqa: BLE001 - it is handed to whoever asked
            done.set_result((None, raised))

    thread = threading.Thread(target=work, name="agent", daemon=True)
    thread.start()
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        LEFT.append(thread.is_alive)
        raise


def _loop() -> asyncio.AbstractEventLoop:
    """The loop on which agents are asked; another one where what was given up holds it."""
    doubtful, LEFT[:] = bool(LEFT), [running for running in LEFT if running()]
    if not _LOOPS or (doubtful and not _responds(_LOOPS[-1])):
        _LOOPS.append(asyncio.new_event_loop())
        threading.Thread(target=_LOOPS[-1].run_forever, name="agents", daemon=True).start()
    return _LOOPS[-1]


def _responds(loop: asyncio.AbstractEventLoop) -> bool:
    answered = threading.Event()
    loop.call_soon_threadsafe(answered.set)
    return answered.wait(_PATIENCE)


class Guarded:
    """The declared boundary of `Agent.act`: whatever an agent does becomes a turn that can be kept."""

    def __init__(self, agent: Agent):
        self._agent = agent

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The agent's turn, or one with the error that it made."""
        try:
            turn = cast("object", await self._agent.act(history, brief))
        except UserError:
            raise
        except (Exception, *_ENDS) as error:  # a declared boundary: Agent.act
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
                raise  # it was not what the agent waited for: out of time, or the run is being stopped
            return broken(*summary(error))
        if not isinstance(turn, AgentTurn):
            return broken("wrong type", f"act returned {type(turn).__name__}, not AgentTurn")
        return _keepable(turn)


def broken(kind: str, message: str) -> AgentTurn:
    """The turn of an agent that gave none."""
    return AgentTurn(error=Fault(type=kind, message=_clean(message)))


def _keepable(turn: AgentTurn) -> AgentTurn:
    """The turn, if a file gives it back as it is; with lone surrogates replaced; or a turn that says why it cannot."""
    try:
        line = AgentTurn.__pydantic_serializer__.to_json(turn, warnings="error")
        if why := _too_much(line):
            return broken("too much", why)
        if AgentTurn.model_validate_json(line) == turn:
            return turn
    except Exception:  # noqa: BLE001 - a declared boundary: Agent.act
        pass
    try:
        cleaned = AgentTurn.model_validate(_clean(turn.model_dump(warnings=False)))
        why = _too_much(cleaned.model_dump_json().encode())
        return broken("too much", why) if why else cleaned
    except Exception as error:  # noqa: BLE001 - a declared boundary: Agent.act
        return broken(*summary(error))


def _too_much(turn: bytes) -> str:
    """Why a turn is not kept: what is longer fills disks, what is deeper no file gives back. Empty where it is."""
    if len(turn) > limits.TURN:
        return f"a turn of {len(turn):,} bytes, and no more than {limits.TURN:,} are kept"
    deep = limits.deeper(turn, limits.DEEPEST)
    return f"a turn that is nested more than {limits.DEEPEST} levels deep" if deep else ""


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in cast("list[Any]", value)]
    return value
