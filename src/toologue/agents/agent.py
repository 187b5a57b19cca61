"""What an agent is to the runner, the scripted one that needs no model, and gold, which plays the agent's side itself.

A `AgentSpec` is a named recipe: `make(case)` gives the agent of one case. Only players that say `reads_gold` get a case
with its gold; all others get it blind. An agent is a function of the conversation so far: asked twice, or cold in
mid-history, it answers the same. `resolve_agent` understands

    NAME or NAME:ARGUMENT     a registered one: gold, altered:drop, predictions:FILE
    PROVIDER:NAME             a language model, which calls functions
    FILE.py:NAME              a function or an agent of a file, in processes (callable:FILE.py:NAME)
    module:attribute          yours, in a thread: an agent, a function of (messages, tools), or of a Case that gives one

each with `?name=SHORT` behind it, or `&name=SHORT` behind other options: what traces and reports call it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import platform
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import packages_distributions, version
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, unquote_plus

from toologue import keys, registry
from toologue.agents.apart import apart
from toologue.errors import BadSetting
from toologue.loop import Agent
from toologue.schema import AgentTurn, Brief, Case, Turn, place, rounds

AgentFactory = Callable[[Case], Agent]
_PROMPTS = {".py", ".txt", ".j2", ".jinja", ".jinja2", ".prompt"}
_NAMED = {*sys.stdlib_module_names, "__main__", "toologue"}  # by a version of their own
_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


@dataclass(frozen=True)
class AgentSpec:
    """A named recipe for agents. `name` is what traces and reports call it."""

    name: str
    factory: AgentFactory
    reads_gold: bool = False

    def make(self, case: Case) -> Agent:
        """The agent of one case."""
        return self.factory(case if self.reads_gold else case.blind())


class ScriptedAgent:
    """Plays a script: `script[r]` are its turns in round r. Where the script ends it says nothing.

    `delay` (seconds) makes each turn really take that long, for tests of time and interruption.
    """

    def __init__(self, script: Sequence[Sequence[AgentTurn]], *, delay: float = 0.0):
        self._script, self._delay = script, delay

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The scripted turn of this place in the conversation."""
        if self._delay:
            await asyncio.sleep(self._delay)
        number, taken = place(history)
        turns = self._script[number] if number < len(self._script) else ()
        turn = turns[taken] if taken < len(turns) else AgentTurn()
        return turn.replace(results=()) if turn.results else turn


def resolve_agent(spec: str) -> AgentSpec:
    """The player that a spec names."""
    asked, named = split_options(spec, "name")
    found = _resolve(asked)
    return replace(found, name=named["name"]) if named.get("name") else found


def name_of(spec: str) -> str:
    """What an agent of this spec is called."""
    return split_options(spec, "name")[1].get("name") or spec


def split_options(spec: str, *names: str) -> tuple[str, dict[str, str]]:
    """(the spec without these options, those of them that it has, by name)."""
    asked, _, options = spec.partition("?")
    kept, found = list[str](), dict[str, str]()
    for option in filter(None, options.split("&")):
        name, _, value = option.partition("=")
        if name in names:
            found[name] = unquote_plus(value)
        else:
            kept.append(option)
    return "?".join([asked, "&".join(kept)]) if kept else asked, found


def _resolve(spec: str) -> AgentSpec:
    name, _, argument = spec.partition(":")
    if name.endswith(".py"):
        return replace(_resolve(with_file(spec, Path.cwd())), name=spec)
    if name in registry.names("model") and name not in registry.names("agent"):  # a model calls functions
        return replace(cast("AgentSpec", registry.find("agent", "function_calling")(spec)), name=spec)
    if name in registry.names("agent") or not argument:  # what is unknown raises, with the nearest names
        return cast("AgentSpec", registry.find("agent", name)(argument))
    thing = instantiated(registry.load(spec))
    if hasattr(thing, "act") and not isinstance(thing, type):
        asked = apart(thing)
        return AgentSpec(spec, lambda case: asked)
    if not callable(thing):
        raise BadSetting(
            f"{spec!r} is no agent: no object with async act, no function of (messages, tools) or of a Case"
        )
    if is_chat_function(thing):
        return replace(cast("AgentSpec", registry.find("agent", "thread")(spec)), name=spec)
    if not _takes(thing, 1):
        what = f"{spec!r} takes {inspect.signature(thing)}, and is called with (messages, tools), or with a Case"
        raise BadSetting(f"{what}; a class of agents is made without arguments, or of a Case")
    factory = cast("AgentFactory", thing)
    return AgentSpec(spec, lambda case: apart(factory(case)))


def instantiated(thing: Any) -> Any:
    """An object of a class of agents that is made without arguments, and not for a `case`; all else as it is."""
    if not isinstance(thing, type) or not hasattr(thing, "act") or not _takes(thing, 0):
        return thing
    return thing if "case" in inspect.signature(thing).parameters else thing()


def is_chat_function(thing: Callable[..., object]) -> bool:
    """Whether it is called with messages and tools; a function from a Case takes one thing."""
    return _takes(thing, 2) and not isinstance(thing, type)


def _takes(thing: Callable[..., object], count: int) -> bool:
    """Whether it is called with so many arguments."""
    try:
        inspect.signature(thing).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # of some built-in ones nobody knows
        return count == 1
    return True


def plain_agent(name: str, argument: str, factory: AgentFactory, *, reads_gold: bool = False) -> AgentSpec:
    """A player that takes no argument. Raises BadSetting where it is given one."""
    if argument:
        raise BadSetting(f"the agent {name!r} takes no argument, got {argument!r}")
    return AgentSpec(name, factory, reads_gold)


def script_of(case: Case) -> list[list[AgentTurn]]:
    """The agent's turns of the gold, by round."""
    if case.gold is None:
        raise BadSetting(f"case {case.id!r} has no gold dialogue to play from")
    return [list(did) for _, did in rounds(case.gold.turns)]


def gold_agent(argument: str) -> AgentSpec:
    """The player `gold`; it takes no argument."""
    return plain_agent("gold", argument, lambda case: ScriptedAgent(script_of(case)), reads_gold=True)


def with_file(spec: str, *folders: Path) -> str:
    """The spec of an agent with the whole path of its file, sought in these folders; one without a file stays.

    Raises BadSetting where there is no such file.
    """
    file, _, name = spec.removeprefix("thread:").removeprefix("callable:").rpartition(":")
    if not file.endswith(".py"):
        return spec
    there = [path for folder in folders if (path := (folder / file).resolve()).is_file()]
    if not there:
        raise BadSetting(f"{spec!r}: there is no file {file} in {' or '.join(map(str, dict.fromkeys(folders)))}")
    return f"{'thread' if spec.startswith('thread:') else 'callable'}:{there[0]}:{name}"


def code_of(spec: str) -> str:
    """The key of the code of an agent, or of its prompt, where its spec names a file; else empty."""
    how, _, rest = spec.partition(":")
    asked, _, options = rest.partition("?")
    prompt, file = Path(dict(parse_qsl(options)).get("prompt", "")), Path(asked.rpartition(":")[0])
    if prompt.is_file():
        return keys.file_key(prompt)
    if how.endswith(".py"):
        file = Path(how)
    return code_key(file) if (file.suffix == ".py" or how in ("callable", "thread")) and file.is_file() else ""


def code_key(file: Path) -> str:
    """16 hex digits that name all code of the agent in a file, so that what it said is kept no longer.

        files beside and below it    Python, and prompts (`.txt`, `.j2`, `.jinja`, `.jinja2`, `.prompt`) where any of
                                     the code has the name, the ending or the folder of one in it
        modules outside of packages  by content, wherever `sys.path` or an editable installation leads; also those that
                                     are imported within functions, and by modules that are imported
        installed packages           by name and version; the interpreter by its own; toologue by the one of the run

    Imports are read, not done (`modulefinder`). Not covered: modules whose names are put together at run time.
    """
    modules, packages = imports_of(file)
    beside = [*_beside(file.parent)]
    code = {path.resolve() for path in (*modules, *beside) if path in modules or path.suffix == ".py"}
    text = "\n".join(path.read_text("utf-8", errors="replace") for path in code)
    read = (path for path in beside if any(word in text for word in _called(path, file.parent)))
    files = sorted(code | {path.resolve() for path in read})
    versions = [platform.python_version(), *(f"{name}=={version(name)}" for name in packages)]
    return keys.content_key([[keys.file_key(each) for each in files], versions])


def imports_of(file: Path) -> tuple[list[Path], list[str]]:
    """(modules outside of packages, installed distributions) that a file imports, directly or by what it imports."""
    path = [str(file.parent.resolve()), *(place or "." for place in sys.path if not _installed(Path(place)))]
    while True:
        finder = ModuleFinder(path, excludes=["toologue"])
        try:
            finder.run_script(str(file))
        except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError):  # it does not load either, and says why
            return [file], []
        names = {name.partition(".")[0] for name in finder.badmodules} - _NAMED
        elsewhere = [str(home) for name in sorted(names) if (home := _home(name)) and str(home) not in path]
        if not elsewhere:
            break
        path += elsewhere  # of editable installations
    owners = packages_distributions() if names else dict[str, list[str]]()
    modules = [Path(found) for module in finder.modules.values() if (found := getattr(module, "__file__", None))]
    return sorted(modules), sorted({owner for name in names for owner in owners.get(name, ())})


def _home(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None or not spec.origin or not spec.has_location or _installed(Path(spec.origin)):
        return None
    return Path(spec.origin).resolve().parents[bool(spec.submodule_search_locations)]


def _installed(path: Path) -> bool:
    there = path.resolve()
    return any(there.is_relative_to(place) for place in _INSTALLED) or "dist-packages" in there.parts


def _called(path: Path, home: Path) -> Iterator[str]:
    """What code that reads a file has in it: its name, its ending (`*.txt`), or one of its folders."""
    yield from (path.stem, path.suffix, *path.parent.relative_to(home).parts)


def _beside(folder: Path) -> Iterator[Path]:
    """The files of a folder and those below it that agents are made of; not those of hidden folders and packages."""
    for path in sorted(folder.iterdir()):
        if path.suffix in _PROMPTS and path.is_file():
            yield path
        elif path.is_dir() and not path.name.startswith((".", "__")) and not (path / "pyvenv.cfg").exists():
            yield from _beside(path)
