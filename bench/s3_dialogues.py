"""Dialogues over the world `s3`, with what their programs return. For those who write them.

    python -m bench.s3_dialogues FILE.yaml... [--account FILE] [--quiet]
    python -m bench.s3_dialogues --sign            executes all that ship, and writes their signatures.json

Reads each dialogue, runs its final programs in order against a fresh account in a process of their own, and prints all
with results, errors, changes and signatures. Exit status 1 where a file or a program is wrong; it says where.

Not covered: safety (see `bench.s3_programs`); whether words and results agree, which is for the author to see.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toologue.bench import dialog2api
from toologue.bench.dialog2api.files import SHIPPED, inspect, read_folder, write_signatures
from toologue.errors import UserError
from toologue.formats.program_dialogue import dialogue_of
from toologue.schema import Dialogue, Program
from toologue.worlds.s3.account import DEFAULT

SECONDS = 20


def read(file: Path) -> tuple[Dialogue | None, list[str]]:
    """A dialogue, and what is wrong with it; None where that keeps it from being one."""
    written, wrong = inspect(file)
    return None if wrong else dialogue_of(written), [str(error) for error in wrong]


def programs_of(dialogue: Dialogue) -> list[Program]:
    return [act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts if act.kind == "program"]


def executed(dialogue: Dialogue, account: str) -> tuple[str, list[Mapping[str, Any]]]:
    """(signature of the fresh account, what each final program did)."""
    programs = [program.code for program in programs_of(dialogue) if program.status == "final"]
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
        if turn.text is not None:
            lines.append(textwrap.indent(f"{turn.role.upper()}: {turn.text}".rstrip(), "  "))
        for program in programs_of(dialogue.but(turns=(turn,))):
            lines.append(f"    [{program.goal}] {program.status}")
            lines += [f"    │ {line}" for line in program.code.splitlines()]
            outcome = next(waiting, None) if program.status == "final" else {}
            if outcome is None:
                lines.append("    ✗ not run")
            elif outcome:
                lines += [f"    {line}" for line in _outcome(outcome)]
                if outcome.get("kind") == "program":
                    wrong.append(f"goal {program.goal}: {': '.join(outcome['error'])} ({outcome['at']})")
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
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--sign", action="store_true", help="execute all dialogues that ship, and sign them")
    parser.add_argument("--account", default=DEFAULT, help="the YAML file of another account")
    parser.add_argument("--quiet", action="store_true", help="print only what is wrong")
    asked = parser.parse_args(arguments)
    if asked.sign:
        write_signatures(SHIPPED, map(dialog2api.executed, read_folder(SHIPPED, sign=False)))
    elif not asked.files:
        parser.error("name a file, or give --sign")
    wrong: list[str] = []
    for file in asked.files:
        try:
            dialogue, complaints = read(file)
            lines, more = ([], []) if dialogue is None else told(dialogue, asked.account)
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
