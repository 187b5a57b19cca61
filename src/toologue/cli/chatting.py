"""A person, an agent, a world, and all that the agent does there: what stands behind `toologue chat`.

A `Talk`, on the screen. Before anything is done that would lose something, or that waits for a yes by its document
(`Api.confirm`), the person is asked, whatever the agent asked before: an act that is refused becomes an abandoned
program. Lines of a pipe that are neither yes nor no answer no such question, and stay for the agent.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from rich.text import Text

from toologue import limits
from toologue.agents.agent import AgentSpec
from toologue.cli.terminal import echo, say
from toologue.data import text_of
from toologue.errors import BadFile, StackError
from toologue.formats.procedure import load, told
from toologue.limits import legible
from toologue.loop import World, execute, strip_labels
from toologue.report.words import fault_words, quoted
from toologue.run.talk import Talk
from toologue.sandbox.program import parse
from toologue.sandbox.rpc import spellings
from toologue.schema import Act, AgentTurn, Api, Case, Dialogue, Fault, Program, Result, Turn, UserTurn
from toologue.schema.jsonl import read, write
from toologue.schema.stack import put, stack, whole
from toologue.schema.turn import executable, rounds
from toologue.worlds.named import ENDLESS
from toologue.worlds.s3.signature import SIGNATURES

_LONGEST = 2000
_STYLES = {"final": "green", "drafting": "yellow", "abandoned": "dim"}
_HELP = """/stack  the programs so far, the last one first
/help   this
/quit   the end (so are Ctrl-D and Ctrl-C)
Everything else is for the agent."""
OPENING = "How can I help you?"
_SORRY = "Sorry, I have no answer to that. Could you say it in other words?"
_ANSWERS = ("y", "yes", "n", "no", "")
_LEFT = "All right, I leave that."
_DYNAMIC = frozenset(("getattr", "vars", "__dict__", "__getattribute__"))


def policy(procedures: Path | None, instructions: Path | None) -> str:
    """What an agent has to keep to: prose, and every procedure of a file or a folder. Raises BadFile."""
    parts = [] if instructions is None else [text_of(instructions, limits.PAGE).strip()]
    files = [procedures] if procedures else []
    if procedures and procedures.is_dir() and not (files := sorted(procedures.glob("*.md"))):
        raise BadFile(f"{procedures} holds no procedure: no *.md")
    return "\n\n".join([*parts, *(told(load(file)) for file in files)])


def waiting(act: Act, apis: Sequence[Api]) -> list[str]:
    """The operations of an act that wait for a yes, whatever they would do."""
    always = [api for api in apis if api.confirm is True]
    if act.kind == "call":
        return [api.name for api in always if api.name == act.api]
    if act.kind != "program" or act.status != "final":
        return []
    used = {node.attr for node in ast.walk(parse(act.code).tree) if isinstance(node, ast.Attribute)}
    return [api.name for api in always if not used.isdisjoint(spellings(api.name))]


def losses(world: World, acts: Sequence[Act], *, simulated: bool) -> Iterator[tuple[int, list[str]]]:
    """(place, what would be lost) of the acts that would lose something."""
    if not simulated:
        yield from ((at, ["whatever it writes over"]) for at, act in enumerate(acts) if _may_write(act, world.apis))
        return
    start = world.mark()
    try:
        for at, act in enumerate(acts):
            if executable(act) and (lost := list(_lost(execute(world, act)))):
                yield at, lost
    finally:
        world.rewind(start)


def _lost(result: Result) -> Iterator[str]:
    for path, row in result.changes.items():
        if path not in SIGNATURES and path not in result.created:
            row_path = path.replace("~1", "/").replace("~0", "~")
            yield f"{row_path} {'is deleted' if row is None else 'is written over'}"


def _may_write(act: Act, apis: Sequence[Api]) -> bool:
    writing = {one for api in apis if api.writes for one in spellings(api.name)}
    if act.kind == "call":
        return act.api in writing or act.api not in {api.name for api in apis}
    if act.kind != "program" or act.status != "final":
        return False
    nodes = list(ast.walk(parse(act.code).tree))
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return not used.isdisjoint(writing | _DYNAMIC)


@dataclass
class Transcript:
    """The file that a chat is added to; nothing is written where there is none, or where nobody spoke."""

    file: Path | None
    before: list[Dialogue] = field(default_factory=list[Dialogue])
    rounds: int = 0

    def __post_init__(self) -> None:
        if self.file is not None and self.file.exists():
            self.before = list(read(self.file, Dialogue, empty=True))
        elif self.file is not None and not self.file.parent.is_dir():
            raise BadFile(f"cannot write {self.file}: there is no folder {self.file.parent}")
        taken = {one.id for one in self.before}
        self.name = next(name for number in range(1, ENDLESS) if (name := f"chat-{number}") not in taken)

    def keep(self, start: Dialogue, lived: list[Turn]) -> None:
        """Write what was lived, up to the last round that was answered in words."""
        answered = [one for one in rounds(lived) if one.did and one.did[-1].text is not None]
        self.rounds = sum(bool(said) for said, _ in answered)
        if self.file is not None and self.rounds:
            turns = (turn for said, did in answered for turn in (*said, *did))
            kept = tuple(strip_labels(turn, frozenset(("thought",))) for turn in turns)
            write(self.file, [*self.before, start.replace(turns=kept)])

    def said(self) -> str:
        """What became of it."""
        if not self.rounds:
            return "Nothing was said, so nothing is saved."
        number = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        return f"{number} saved as {self.name} in {self.file}; next: toologue prove {self.file}"


class Chat(Talk):
    """One conversation. `asks`: the person is asked before something is lost; `explain`: they are told why."""

    def __init__(self, case: Case, agent: AgentSpec, start: Dialogue, saved: Transcript, **how: bool):
        super().__init__(case, agent)
        self.start, self.saved, self.how = start, saved, how
        self.shown, self.seen, self.ahead = 0, list[Act](), ""

    def run(self) -> None:
        """Answer the loop until the person leaves."""
        with suppress(ImportError):
            import_module("readline")  # lines can be edited where the system knows how
        with suppress(KeyboardInterrupt):
            self._show(self.turns)
            while self.hear(self._heard()):
                self._show(self.turns)
                self.saved.keep(self.start, self.turns)
        self.saved.keep(self.start, self.turns)

    def asked(self, history: Sequence[Turn]) -> AgentTurn:
        """The agent's turn, its programs with the code of their drafts; one that broke is shown, and apologised for."""
        self._show(history)
        try:
            turn, held = super().asked(history), stack(history)
            acts = list(turn.acts)
            for slot, act in enumerate(acts):
                if act.kind == "program":
                    acts[slot] = program = whole(held, act)
                    held = put(held, program)
            turn = turn.replace(acts=tuple(acts), results=())
        except StackError as error:
            turn = AgentTurn(error=Fault(type="StackError", message=str(error)))
        if turn.error is not None:
            say_line(f"  {fault_words(turn.error, _LONGEST)}", "red")
        return self._guarded(turn if turn.error is None and (turn.acts or turn.text) else AgentTurn(text=_SORRY))

    def _guarded(self, turn: AgentTurn) -> AgentTurn:
        """The turn, without what the person does not want to lose: a program is abandoned, a call not made."""
        acts: list[Act | None] = list(turn.acts)
        lost = dict(losses(self.world, turn.acts, simulated=self.how["simulated"])) if self.how["asks"] else {}
        for at, act in enumerate(turn.acts if self.how["asks"] else ()):
            waits = waiting(act, self.world.apis)
            if not (at in lost or waits):
                continue
            self.seen.append(act)
            _act(act)
            why = "would lose something" if at in lost else "waits for your yes"
            say_line(f"  This {why}: {legible(', '.join(lost.get(at, waits)))}.", "bold red")
            if not self._agreed():
                acts[at] = act.replace(status="abandoned") if act.kind == "program" else None
        left = tuple(act for act in acts if act is not None)
        return turn.replace(acts=left, text=turn.text if left or turn.text else _LEFT)

    def _agreed(self) -> bool:
        """Whether the person says yes; a line of a pipe that says neither is kept."""
        try:
            line = _typed("  Go on? [y/N] ")
        except EOFError:
            return False
        if line.lower() not in _ANSWERS and not sys.stdin.isatty():
            self.ahead = line
        return line.lower() in _ANSWERS[:2]

    def _heard(self) -> UserTurn:
        while True:
            try:
                line, self.ahead = self.ahead or _typed("You: "), ""
            except EOFError:
                return UserTurn(stop="left")
            if line in ("/quit", "/exit"):
                return UserTurn(stop="left")
            if line == "/stack":
                held = stack(self.turns)
                for one in held:
                    _act(Program(goal=one.goal, status=one.status, code=one.code))
                    _result(one.result)
                if not held:
                    say_line("The stack is empty.", "dim")
            elif re.fullmatch(r"/\w*", line):
                say_line(_HELP, "dim")
            elif line:
                return UserTurn(text=line)

    def _show(self, turns: Sequence[Turn]) -> None:
        """Print the agent's new turns; what was shown before it was done is not printed again."""
        for at in range(self.shown, len(turns)):
            turn = turns[at]
            if turn.role == "agent":
                self._print(turn, turns[: at + 1])
        self.shown = len(turns)

    def _print(self, turn: AgentTurn, turns: Sequence[Turn]) -> None:
        for slot, act in enumerate(turn.acts):
            if act not in self.seen:
                _act(act)
            _result(turn.results[slot] if turn.results else None)
        self.seen.clear()
        if self.how["explain"] and turn.thought:
            say_line(f"  why: {legible(turn.thought)}", "italic dim")
        if any(act.kind == "program" for act in turn.acts):
            held = (f"{one.goal} {one.status}" for one in stack(turns))
            say_line(f"  stack: {' | '.join(map(legible, held))}", "dim")
        if turn.text is not None:
            say_line(f"Agent: {legible(turn.text)}", "bold")


def _typed(prompt: str) -> str:
    """A line from the keyboard, or from a pipe, whose lines are shown. Raises EOFError."""
    try:
        line = input(prompt).encode(errors="replace").decode()
    except (EOFError, KeyboardInterrupt):
        echo()
        raise
    if not sys.stdin.isatty():
        echo(line)
    return line.strip()


def _act(act: Act) -> None:
    if act.kind == "program":
        say_line(f"  goal {legible(act.goal)}, {act.status}", _STYLES[act.status])
        for line in legible(act.code).splitlines():
            say_line(f"  | {line}")
    else:
        say_line(f"  {quoted(act.model_dump(mode='json', exclude_defaults=True))}", "cyan")


def _result(result: Result | None) -> None:
    if result is not None and result.error is not None:
        say_line(f"  = {fault_words(result.error, _LONGEST)}", "red")
    elif result is not None:
        say_line(f"  = {quoted(result.value, _LONGEST)}", "cyan")


def say_line(text: str, style: str = "") -> None:
    """Print a line in a style of rich."""
    say(Text(text, style))
