"""What a chat looks like: words, programs with what they came to, the stack.

Contract: everything that comes from a model or a world is shown with its control characters escaped; long results are
cut, the stack keeps them. `show` prints what is new since it was last called.

Not covered: anything but lines of text; a chat can be piped.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from rich.text import Text

from toologue.cli.terminal import say
from toologue.report.words import cut, legible, quoted
from toologue.schema import Act, AgentTurn, Fault, Program, Result, Turn
from toologue.schema.stack import stack

_LONGEST = 2000
_STYLES = {"final": "green", "drafting": "yellow", "abandoned": "dim"}
_HELP = """/stack  the programs so far, the last one first
/help   this
/quit   the end (so are Ctrl-D and Ctrl-C)
Everything else is for the agent."""


class Screen:
    """What was shown so far. `explain`: why the agent did what it did is shown, too."""

    def __init__(self, *, explain: bool):
        self._explain, self._shown = explain, 0
        self._seen: list[Act] = []
        with suppress(ImportError):
            import_module("readline")  # lines can be edited where the system knows how

    def show(self, turns: Sequence[Turn]) -> None:
        """Print the agent's new turns."""
        for at in range(self._shown, len(turns)):
            turn = turns[at]
            if turn.role == "agent":
                self._turn(turn, turns[: at + 1])
        self._shown = len(turns)

    def stack(self, turns: Sequence[Turn]) -> None:
        """Print the whole stack."""
        held = stack(turns)
        for one in held:
            _act(Program(goal=one.goal, status=one.status, code=one.code))
            _result(one.result)
        if not held:
            _line("The stack is empty.", "dim")

    def act(self, act: Act) -> None:
        """Print an act that is about to be done; it is not printed again."""
        self._seen.append(act)
        _act(act)

    def error(self, fault: Fault) -> None:
        """Print why the agent has no turn."""
        _line(f"  {_error(fault)}", "red")

    def agrees(self, what: str) -> bool:
        """Whether the person wants it; the end of a pipe is a no."""
        _line(f"  {legible(what)}", "bold red")
        try:
            return self.listen("  Go on? [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            return False

    def help(self) -> None:
        """Print what can be typed beside words."""
        _line(_HELP, "dim")

    def note(self, text: str) -> None:
        """Print a line of ours."""
        _line(text, "dim")

    def listen(self, prompt: str) -> str:
        """A line from the keyboard, or from a pipe, whose lines are shown. Raises EOFError."""
        try:
            line = input(prompt).encode(errors="replace").decode()
        except (EOFError, KeyboardInterrupt):
            print()
            raise
        if not sys.stdin.isatty():
            print(legible(line))
        return line

    def _turn(self, turn: AgentTurn, turns: Sequence[Turn]) -> None:
        for slot, act in enumerate(turn.acts):
            if act not in self._seen:
                _act(act)
            _result(turn.results[slot] if turn.results else None)
        self._seen.clear()
        if self._explain and turn.thought:
            _line(f"  why: {legible(turn.thought)}", "italic dim")
        if any(act.kind == "program" for act in turn.acts):
            held = (f"{one.goal} {one.status}" for one in stack(turns))
            _line(f"  stack: {' | '.join(map(legible, held))}", "dim")
        if turn.text is not None:
            _line(f"Agent: {legible(turn.text)}", "bold")


def _act(act: Act) -> None:
    if act.kind == "program":
        _line(f"  goal {legible(act.goal)}, {act.status}", _STYLES[act.status])
        for line in legible(act.code).splitlines():
            _line(f"  | {line}")
    else:
        _line(f"  {quoted(act.model_dump(mode='json', exclude_defaults=True))}", "cyan")


def _result(result: Result | None) -> None:
    if result is None:
        return
    if result.error is not None:
        _line(f"  = {_error(result.error)}", "red")
    else:
        _line(f"  = {quoted(result.value, _LONGEST)}", "cyan")


def _error(fault: Fault) -> str:
    return cut(legible(f"{fault.type}: {fault.message}" if fault.message else fault.type), _LONGEST)


def _line(text: str, style: str = "") -> None:
    say(Text(text, style))
