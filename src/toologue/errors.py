"""Every error this package raises on purpose, sorted by who has to act.

    ToologueError
    ├── UserError            the person at the keyboard must act: printed without a traceback, exit status 2
    │   ├── UnknownName      a look-up missed; the message lists the nearest names
    │   ├── BadRecord        a line of a file is not what it should be: file, line, JSON path, value, remedy
    │   ├── BadFile          a file or folder cannot be used at all
    │   ├── BadSetting       an option or a combination of options makes no sense
    │   ├── RunMismatch      a run folder belongs to another configuration; the message names what differs
    │   └── StackError       a program cannot go on the stack: its goal, why, in which turn and act
    ├── Unfinished           a run ended before all was done, and says why; exit status 3
    │   └── Denied          its model would refuse every further request, too
    ├── ToolError            the agent must act: a world raises it, the agent reads it as the result of its call
    ├── GraderError          a grader crashed as the published one does (`published` mode only)
    ├── ModelFault           a language model gave no reply: the agent's turn says so, nothing is scored (models.model)
    └── Unworded             no words serve a plan: it is dropped, and its reason counted (write.chains)

Example:
    >>> from toologue.errors import UnknownName
    >>> print(UnknownName("agent", "gould", ["gold", "altered"]))
    no agent is called 'gould'; did you mean 'gold'? Known: altered, gold

Not covered: faults of agents and worlds are data (`schema.Fault`), not exceptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple

from toologue import limits

# So many names are told; of more than that the nearest few.
_KNOWN, _NEAREST = 24, 6
# What lists all names of a kind.
_LISTING = {
    "operation": "toologue apis DOCUMENT",
    "table": "toologue world draft DOCUMENT -o FILE",
    "API": "toologue apis FILE",
}
_LISTED = 20


class ToologueError(Exception):
    """Anything this package raises on purpose. Travels between processes whole, whatever its constructor takes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (type(self), self.args, self.__dict__)


class UserError(ToologueError):
    """The person at the keyboard must act."""


class UnknownName(UserError):
    """A look-up missed: `kind` of thing, the name asked for, the names there are."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        names = sorted(known)
        near = get_close_matches(name, names, n=_NEAREST, cutoff=0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        told = names if len(names) <= _KNOWN else sorted(near) or names[:_NEAREST]
        more = f" and {len(names) - len(told):,} more" if len(told) < len(names) else ""
        where = next((f" (`{there}` lists them)" for what, there in _LISTING.items() if kind.startswith(what)), "")
        known = f"{', '.join(told) or 'none'}{more}{where if more else ''}"
        super().__init__(f"no {kind} is called {shown(name)}; {hint}Known: {known}")


class BadRecord(UserError):
    """One record of a file is not what it should be."""

    def __init__(self, file: object, line: int, path: str, what: str, remedy: str = ""):
        self.file, self.line, self.path, self.what = str(file), line, path, what
        where = f"{file}:{line}" if line else str(file)
        super().__init__(f"{where}: {path or '$'}: {what}" + (f" ({remedy})" if remedy else ""))


class BadFile(UserError):
    """A file or folder cannot be used at all."""


class BadSetting(UserError):
    """An option, or a combination of options, makes no sense."""


class RunMismatch(UserError):
    """A run folder belongs to another configuration."""


class StackError(UserError):
    """A program cannot go on the stack of programs: `goal` says which, `what` why; `turn` and `act` where, if known."""

    def __init__(self, goal: str, what: str, turn: int | None = None, act: int | None = None):
        self.goal, self.what, self.turn, self.act = goal, what, turn, act
        where = "" if turn is None else f" (turn {turn}, act {act})"
        super().__init__(f"goal {shown(goal)}{where} {what}")

    def at(self, turn: int, act: int) -> StackError:
        """This error with its place."""
        return StackError(self.goal, self.what, turn, act)


class Unfinished(ToologueError):
    """A run ended before all was done; what was done is kept."""


class Denied(Unfinished):
    """Every further request to a model would come to what the last one came to."""


class ToolError(ToologueError):
    """A tool refuses: the text is what the agent reads as the result of its call."""


class GraderError(ToologueError):
    """The published grader crashes here; `kind` is the class of its exception."""

    def __init__(self, kind: str, message: str):
        self.kind = kind
        super().__init__(message)


def shown(value: Any, limit: int = 60) -> str:
    """A value as an error message quotes it: its repr, cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def summary(error: BaseException) -> tuple[str, str]:
    """(class name, message) of an exception, as a declared boundary records it: cut, however its own code behaves."""
    try:
        return limits.cut(type(error).__name__), limits.cut(str(error))
    except BaseException as worse:  # noqa: BLE001 - its __str__ is somebody else's
        return limits.cut(type(error).__name__), f"(its text cannot be had: {type(worse).__name__})"


def _revived(kind: type[ToologueError], args: tuple[Any, ...], state: dict[str, Any]) -> ToologueError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class Problem(NamedTuple):
    """What is wrong, on which line, and what to do."""

    line: int
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.line}: {self.what}" + (f" ({self.remedy})" if self.remedy else "")


class Problems(list[Problem]):
    """Problems as they are found."""

    def add(self, line: int, what: str, remedy: str = "") -> None:
        """One more."""
        self.append(Problem(line, what, remedy))

    def error(self, file: object, kind: str) -> BadFile:
        """The error that lists the first of them, each once, by line. `kind` is what the text should have been."""
        found = sorted(set(self))
        listed = "".join(f"\n  {file}:{limits.cut(str(problem), 300)}" for problem in found[:_LISTED])
        listed += f"\n  and {len(found) - _LISTED:,} more" if len(found) > _LISTED else ""
        return BadFile(f"{file} is no sound {kind}, {len(found)} problem{'s' * (len(found) != 1)}:{listed}")
