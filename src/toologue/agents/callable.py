"""Your function as an agent: it is given the conversation as chat messages, and says what comes next.

    callable:FILE.py:NAME    the function NAME of a file: `agent(history, tools)`, sync or async; in processes
    thread:FILE.py:NAME      the same in this process, where one that hangs cannot be stopped; or thread:module:NAME

Where a conversation has a retriever it is one of the tools, `find_apis` (`formats.functions`).

`history` is what a chat model is sent (`formats.openai.prompt`): a system message with instructions and facts, then the
conversation, with what was called and what came back. `tools` are the function definitions. It returns one of

    "Which hire is it?"                                        words
    {"name": "get_hire", "arguments": {"hire_id": "H-501"}}    a call; its result comes in the next history
    [{"name": ..., "arguments": ...}, ...]                     several calls at once
    a message of a chat model, as a dict or as a client gives it back, or the whole completion; an AgentTurn

Whatever it does makes a turn. What it raises is an error of the exception's name, with the line; what is none of the
above is `wrong type`, more than `LONGEST` characters `too long`. A process whose time is up is killed (`agents.apart`).
"""

from __future__ import annotations

import inspect
import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, cast

from toologue import keys, registry
from toologue.agents.agent import AgentSpec, instantiated
from toologue.agents.apart import InProcess, InThread, in_thread
from toologue.errors import BadFile, BadSetting, UnknownName, UserError, shown, summary
from toologue.formats.functions import as_acts, as_calls, as_functions
from toologue.formats.openai import call_of, prompt, tools
from toologue.loop import Agent
from toologue.schema import AgentTurn, Brief, Call, Fault, Turn

# So many characters may an answer have.
LONGEST = 100_000

_WANTED = 'return words, a call {"name": ..., "arguments": {...}}, a list of calls, or the message of a chat model'


def callable_agent(argument: str) -> AgentSpec:
    """The player `callable:FILE.py:NAME`, in a process."""
    file, name = _file_and_name("callable", argument)
    asked = _in_process(str(file.resolve()), name, keys.file_key(file) if file.is_file() else "")
    return AgentSpec(f"callable:{argument}", lambda case: asked)


def thread_agent(argument: str) -> AgentSpec:
    """The player `thread:FILE.py:NAME`, or `thread:module:NAME`, in a thread of this process."""
    file, name = _file_and_name("thread", argument)
    asked = InThread(agent_of(str(file), name) if file.suffix else Called(registry.load(argument)))
    return AgentSpec(f"thread:{argument}", lambda case: asked)


def agent_of(file: str, name: str) -> Agent:
    """What a file calls `name`: an agent, or a function as one."""
    found = function_of(Path(file), name)
    return cast("Agent", found) if hasattr(found, "act") else Called(found, Path(file))


def _file_and_name(agent: str, argument: str) -> tuple[Path, str]:
    file, _, name = argument.rpartition(":")
    if not file or not name:
        raise BadSetting(f"the agent {agent!r} needs a file and a name: {agent}:agent.py:agent, not {argument!r}")
    return Path(file), name


@lru_cache(maxsize=32)
def _in_process(file: str, name: str, key: str) -> InProcess:
    """One for all runs of the same file."""
    return InProcess(agent_of, file, name)


class Called:
    """An agent that is a function. `file` is where errors are looked for."""

    def __init__(self, function: Callable[..., Any], file: Path | None = None):
        self._function, self._file = function, file

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn, as the function says, or why there is none."""
        searching = "retriever" in brief.facts
        told, seen = (as_functions(brief), [*map(as_calls, history)]) if searching else (brief, history)
        given = prompt(told, seen), tools(told.apis)
        try:
            if inspect.iscoroutinefunction(self._function):
                answer, raised = await self._function(*given), None
            else:
                answer, raised = await in_thread(self._function, *given)
            if inspect.isawaitable(answer):
                answer = await answer
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - a declared boundary: Agent.act
            answer, raised = None, error
        if isinstance(raised, UserError):
            raise raised
        if raised is not None:
            kind, message = summary(raised)
            return AgentTurn(error=Fault(type=kind, message=f"{message}{_place(raised, self._file)}"))
        return as_acts(turn_of(answer), brief) if searching else turn_of(answer)


def turn_of(answer: Any) -> AgentTurn:
    """The turn that an answer stands for."""
    if isinstance(answer, AgentTurn):
        return answer
    try:
        text, calls = _read(answer)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        why = f" ({error.args[0]})" if isinstance(error, TypeError) and error.args else ""
        return AgentTurn(error=Fault(type="wrong type", message=f"the agent returned {shown(answer)}{why}: {_WANTED}"))
    size = len(text or "") + sum(len(call.raw or json.dumps(call.arguments)) for call in calls)
    if size <= LONGEST:
        return AgentTurn(text=text, acts=calls)
    start = f": {text[:200]!r}…" if text else ""
    what = f"an answer of {size:,} characters, and at most {LONGEST:,} are taken{start}"
    return AgentTurn(error=Fault(type="too long", message=what))


def function_of(file: Path, name: str) -> Callable[..., Any]:
    """What a file calls `name`: a function of two arguments, or an agent with `act`."""
    module = _module(file.resolve(), keys.file_key(file) if file.is_file() else "")
    known = cast("dict[str, Any]", module.__dict__)
    if name not in known:
        names = (each for each, thing in known.items() if callable(thing) and not each.startswith("_"))
        raise UnknownName(f"function in {file}", name, names)
    found = instantiated(known[name])
    if hasattr(found, "act") and not isinstance(found, type):
        return found
    try:
        inspect.signature(cast("Callable[..., Any]", found)).bind([], [])
    except (TypeError, ValueError) as error:
        raise BadSetting(f"{file}: {name} cannot be called as {name}(history, tools): {error}") from None
    return found


@lru_cache(maxsize=32)
def _module(file: Path, key: str) -> Any:
    if not key:
        raise BadFile(f"cannot read {file}: there is no such file")
    spec = spec_from_file_location(f"agent_{key}", file)
    if spec is None or spec.loader is None:
        raise BadFile(f"{file} is no Python file")
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))  # so that it finds what lies beside it
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a declared boundary: Agent.act, as it is loaded
        what = f"{type(error).__name__}: {error}{_place(error, file)}"
        raise BadFile(f"cannot load {file}: {what}") from None
    return module


def _read(answer: Any) -> tuple[str | None, tuple[Call, ...]]:
    """Words and calls. Raises TypeError where it is neither."""
    if isinstance(answer, str):
        return answer, ()
    if not isinstance(answer, Mapping) and hasattr(answer, "model_dump"):
        answer = answer.model_dump()  # what clients give back
    if isinstance(answer, list | tuple) and answer:
        return None, tuple(map(_call, cast("Sequence[Any]", answer)))
    if not isinstance(answer, Mapping):
        raise TypeError
    said = cast("Mapping[str, Any]", answer)
    if "choices" in said:
        return _read(said["choices"][0]["message"])
    if "name" in said or "function" in said:
        return None, (_call(said),)
    text, calls = said.get("content"), tuple(map(_call, said.get("tool_calls") or ()))
    if text is not None and not isinstance(text, str):
        raise TypeError("its content is no text")
    if text is None and not calls:
        raise TypeError("it has neither words nor calls")
    return text, calls


def _call(answer: Any) -> Call:
    """A call, plainly or as chat models write it; arguments may be a JSON text."""
    said: dict[str, Any] = dict(answer.model_dump() if hasattr(answer, "model_dump") else answer)
    said = said.get("function", said)
    name, arguments = said["name"], said.get("arguments")
    if not isinstance(name, str):
        raise TypeError("the name of a call is no text")
    if isinstance(arguments, str):
        return call_of(name, arguments)
    if arguments is not None and not isinstance(arguments, Mapping):
        raise TypeError(f"the arguments of {name} are no object")
    return Call(api=name, arguments=json.loads(json.dumps(dict(cast("Mapping[str, Any]", arguments or {})))))


def _place(error: BaseException, file: Path | None) -> str:
    if isinstance(error, SyntaxError):
        return ""  # it says so itself
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if file is not None and Path(frame.filename) == file.resolve()]
    return f" ({file.name}, line {lines[-1]})" if file is not None and lines else ""
