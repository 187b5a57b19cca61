"""Dialogues over the world `s3`, with what their programs return. For those who write them.

    python -m bench.s3_dialogues FILE.yaml... [--account FILE] [--quiet]

Reads each dialogue, runs its final programs in order against a fresh account in a process of their own, and prints all
with results, errors, changes and signatures. Exit status 1 where a file or a program is wrong; it says where.

Not covered: safety (see `bench.s3_programs`); whether words and results agree, which is for the author to see.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from toologue.apis.source import Source, read_source
from toologue.errors import UserError, shown
from toologue.worlds.s3.account import DEFAULT

SECONDS = 20
_PLACE = re.compile(
    r"""('{3}.*?'{3}|"{3}.*?"{3}|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\#[^\n]*)|\?(\d+)""", re.DOTALL
)

_INSIDE = re.compile(r"\{\?(\d+)")  # in an f-string
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Goal(Part):
    goal: int | str
    status: Literal["drafting", "final", "abandoned"]
    code: str = ""


class Turn(Part):
    agent: str | None = Field(None, min_length=1)
    user: str | None = Field(None, min_length=1)
    programs: tuple[Goal, ...] | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def one(self) -> Turn:
        if len(self.model_fields_set) != 1 or self.role == "":
            raise ValueError("a turn has one key: agent, user or programs")
        return self

    @property
    def role(self) -> str:
        return next((name for name in ("agent", "user", "programs") if getattr(self, name) is not None), "")


class Dialogue(Part):
    id: str
    goal: str
    turns: tuple[Turn, ...] = Field(min_length=2)


def read(file: Path) -> tuple[Dialogue, list[str]]:
    """A dialogue, and what is wrong with it."""
    source = read_source(file)
    try:
        dialogue = Dialogue.model_validate(source.data)
    except ValidationError as error:
        raise source.refused(error, ()) from None
    return dialogue, [str(source.bad(place, what)) for place, what in problems(dialogue, source)]


def problems(dialogue: Dialogue, source: Source) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """(place, what) of all that is wrong before anything runs."""
    yield from _named(dialogue, Path(source.file))
    follows = {"": ("agent", "user"), "agent": ("user",), "user": ("agent", "programs"), "programs": ("agent",)}
    before, open_goals, closed = "", dict[str, str](), set[str]()
    for at, turn in enumerate(dialogue.turns):
        if turn.role not in follows[before]:
            yield ("turns", at), f"{turn.role} cannot follow {before or 'nothing'}"
        before = turn.role
        for number, goal in enumerate(turn.programs or ()):
            place, name = ("turns", at, "programs", number), str(goal.goal)
            if name in closed:
                yield place, f"goal {name} is final or abandoned already and cannot be revised"
            if not goal.code.strip() and (goal.status == "drafting" or name not in open_goals) and name not in closed:
                yield place, f"goal {name} has no code, and there is no draft of it"
            code = goal.code if goal.code.strip() else open_goals.get(name, "")
            if what := _unfit(code, goal.status):
                yield (*place, "code"), what
            open_goals[name] = code
            if goal.status != "drafting":
                del open_goals[name]
                closed.add(name)


def _named(dialogue: Dialogue, file: Path) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if not re.fullmatch(re.escape(dialogue.goal) + r"-[12]", dialogue.id):
        yield ("id",), f"expected {dialogue.goal}-1 or {dialogue.goal}-2, got {dialogue.id!r}"
    if file.stem != dialogue.id:
        yield ("id",), f"the file is called {file.name}, the dialogue {dialogue.id}"
    goals = next((one for one in (file.parent / "goals.yaml", file.parent.parent / "goals.yaml") if one.exists()), None)
    if goals is not None and dialogue.goal not in [goal.get("id") for goal in read_source(goals).data]:
        yield ("goal",), f"{goals} has no goal {dialogue.goal!r}"


def _unfit(code: str, status: str) -> str:
    """What is wrong with a program's text, if something is."""
    filled = _PLACE.sub(lambda found: _INSIDE.sub(r"{_place_\1", found[1] or f"_place_{found[2]}"), code)
    if status == "final" and _COMMENT.sub("", filled) != _COMMENT.sub("", code):
        return "a final program has no placeholders"
    try:
        ast.parse(filled)
    except SyntaxError as error:
        return f"this is no Python: line {error.lineno}: {error.msg}: {shown((error.text or '').strip())}"
    return ""


def executed(dialogue: Dialogue, account: str) -> tuple[str, list[Mapping[str, Any]]]:
    """(signature of the fresh account, what each final program did)."""
    drafts: dict[str, str] = {}
    programs: list[str] = []
    for goal in (goal for turn in dialogue.turns for goal in turn.programs or ()):
        name = str(goal.goal)
        drafts[name] = goal.code if goal.code.strip() else drafts.get(name, "")
        programs += [drafts[name]] if goal.status == "final" else []
    asked = json.dumps({"account": account, "programs": programs})
    command = [sys.executable, "-m", "bench.s3_programs"]
    error = "the program ended the process"
    try:
        done = subprocess.run(
            command, input=asked, capture_output=True, text=True, timeout=SECONDS, check=False, encoding="utf-8"
        )
        text, error = done.stdout, f"{error}: {done.stderr.strip()[-2000:]}"
    except subprocess.TimeoutExpired as late:
        text, error = (late.stdout or b"").decode(), f"the program is not done after {SECONDS} seconds"
    first, *outcomes = [json.loads(line) for line in text.splitlines() or ['""']]
    if len(outcomes) < len(programs):
        outcomes.append({"error": ["Crash", error], "kind": "program", "at": "", "value": None})
    return first, outcomes


def told(dialogue: Dialogue, account: str) -> tuple[list[str], list[str]]:
    """(the dialogue's lines with results, what is wrong with its programs)."""
    first, outcomes = executed(dialogue, account)
    lines, wrong, waiting = [f"━━ {dialogue.id} ━━ signature {first}"], list[str](), iter(outcomes)
    for turn in dialogue.turns:
        if turn.programs is None:
            lines.append(textwrap.indent(f"{turn.role.upper()}: {turn.agent or turn.user}".rstrip(), "  "))
        for goal in turn.programs or ():
            lines.append(f"    [{goal.goal}] {goal.status}")
            lines += [f"    │ {line}" for line in goal.code.splitlines()]
            outcome = next(waiting, None) if goal.status == "final" else {}
            if outcome is None:
                lines.append("    ✗ not run")
            elif outcome:
                lines += [f"    {line}" for line in _outcome(outcome)]
                if outcome.get("kind") == "program":
                    wrong.append(f"goal {goal.goal}: {': '.join(outcome['error'])} ({outcome['at']})")
    return lines, wrong


def _outcome(outcome: Mapping[str, Any]) -> Iterator[str]:
    if outcome["error"] is None:
        yield f"→ {json.dumps(outcome['value'], ensure_ascii=False)}"
    else:
        kind, message = outcome["error"]
        yield f"✗ {kind}: {message}".rstrip(": ") + (f"     in: {outcome['at']}" if outcome["at"] else "")
    if outcome.get("printed"):
        yield f"printed: {outcome['printed']!r} (nobody sees this)"
    for path, what in outcome.get("changes", {}).items():
        yield f"{what}: {path}"
    if "signatures" in outcome:
        yield "signature {published} (fixed {fixed})".format(**outcome["signatures"])


def main(arguments: list[str] | None = None) -> int:
    """Print the dialogues; 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.s3_dialogues", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--account", default=DEFAULT, help="the YAML file of another account")
    parser.add_argument("--quiet", action="store_true", help="print only what is wrong")
    asked = parser.parse_args(arguments)
    wrong: list[str] = []
    for file in asked.files:
        try:
            dialogue, complaints = read(file)
            lines, more = told(dialogue, asked.account) if not complaints else ([], [])
        except UserError as error:
            complaints, lines, more = [str(error)], [], []
        wrong += complaints + [f"{file}: {what}" for what in more]
        if not asked.quiet and lines:
            print("\n".join(lines), end="\n\n")
    for what in wrong:
        print(f"WRONG {what}", file=sys.stderr)
    print(f"{len(asked.files)} files, {len(wrong)} wrong" if wrong else f"{len(asked.files)} files, all well")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
