"""`python -m bench.documents FOLDER … [--ablate]`: what is read of vendors' API documents, what of it becomes a world.

A folder's documents are its .json, .yaml and .yml files (.gz is unpacked into a scratch folder), and one at the root of
each folder in it. Seconds are CPU: read, written as apis.jsonl, read again, executed as `toologue world check` does;
`state` is the share of operations that answer with state. No document ships with this; documents.yaml says where those
are from that nobody had opened when they were measured.

`--ablate` takes out one rule of worlds.crud at a time and says how many operations answer with state less, or more. The
rules are those of documents_rules.yaml, each a piece of source and what stands in its place; of each folder, totals.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from toologue.apis.openapi import read_openapi
from toologue.data import read_source
from toologue.errors import UserError
from toologue.schema import Api
from toologue.schema.api import write_apis
from toologue.schema.jsonl import read
from toologue.worlds.crud import Simulator
from toologue.worlds.crud.check import check

_KINDS = (".json", ".yaml", ".yml")
_HERE = Path(__file__).parent
_SOURCE = _HERE.parent / "src" / "toologue"
Counts = Mapping[str, tuple[int, int, bool]]
"""Document → (operations that answer with state, operations, whether it is accepted)."""


def main(folders: Sequence[str]) -> int:
    """Print the table; 1 where a document is refused."""
    if "--states" in folders:
        print(json.dumps(states([one for one in folders if one != "--states"])))
        return 0
    if "--ablate" in folders:
        return ablate([one for one in folders if one != "--ablate"])
    made = Table(title="API documents: operations, seconds of CPU, size of apis.jsonl, worlds")
    heads = ("MB", "read", "left out", "read, s", "written, s", "again, s", "apis.jsonl, MB", "checked, s", "state, %")
    made.add_column("document")
    for head in (*heads, "accepted"):
        made.add_column(head, justify="right")
    rows, refused = list[tuple[str, ...]](), 0
    with tempfile.TemporaryDirectory() as scratch:
        for file in (file for folder in folders for file in documents(Path(folder), Path(scratch))):
            try:
                rows.append((*measured(file, Path(scratch) / "apis.jsonl"), *executed(file)))
            except UserError as error:
                refused += 1
                made.add_row(file.name, str(error)[:100])
                continue
            made.add_row(file.name, *rows[-1])
    Console(width=None if sys.stdout.isatty() else 160).print(made)
    read, left = (sum(int(row[column]) for row in rows) for column in (1, 2))
    share = median([int(row[8]) for row in rows] or [0])
    print(
        f"{read:,} of {read + left:,} operations read ({read / max(read + left, 1):.1%}); {refused} documents refused"
    )
    print(f"{sum(row[9] == 'yes' for row in rows)} of {len(rows) + refused} accepted; median with state {share:.0f} %")
    return 1 if refused else 0


def documents(folder: Path, scratch: Path) -> Iterator[Path]:
    """The documents of a folder, unpacked."""
    for file in sorted(folder.iterdir()):
        if file.is_dir():
            yield from sorted(one for one in file.iterdir() if one.suffix in _KINDS and _begins(one.read_text()))
        elif file.suffix == ".gz" and Path(file.stem).suffix in _KINDS:
            unpacked = scratch / file.stem
            unpacked.write_bytes(gzip.decompress(file.read_bytes()))
            yield unpacked
        elif file.suffix in _KINDS:
            yield file


def measured(file: Path, out: Path) -> tuple[str, ...]:
    """(MB, operations read, left out, seconds to read, write and read again, MB of apis.jsonl)."""
    at = [time.process_time()]
    document = read_openapi(file)
    at.append(time.process_time())
    write_apis(out, [operation.api for operation in document.operations])
    at.append(time.process_time())
    count = sum(1 for _ in read(out, Api))
    at.append(time.process_time())
    seconds = (f"{after - before:.2f}" for before, after in pairwise(at))
    sizes = (f"{one.stat().st_size / 1e6:.2f}" for one in (file, out))
    return next(sizes), str(count), str(len(document.left_out)), *seconds, next(sizes)


def executed(file: Path) -> tuple[str, ...]:
    """(seconds to execute every operation, percent of them that answer with state, whether it is accepted)."""
    begun = time.process_time()
    state, of, is_accepted = _state(file)
    share = f"{state / max(of, 1):.0%}".rstrip("%")
    return f"{time.process_time() - begun:.2f}", share, "yes" if is_accepted else "no"


def _state(file: Path) -> tuple[int, int, bool]:
    found = check(Simulator(file))
    by = [answers.by for answers in found.operations.values()]
    return by.count("state"), len(by), found.accepted


def states(folders: Sequence[str]) -> Counts:
    """How many operations of each document answer with state; none of one that is refused."""
    made: dict[str, tuple[int, int, bool]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for file in (file for folder in folders for file in documents(Path(folder), Path(scratch))):
            try:
                made[file.name] = _state(file)
            except Exception:  # noqa: BLE001 - a rule may be what keeps the rest from failing
                made[file.name] = (0, 0, False)
    return made


def rules() -> list[dict[str, str]]:
    """The rules: each `rule`, the module that it is `in`, what is taken out `of` it, what stands `to` its place."""
    return read_source(_HERE / "documents_rules.yaml").data


def without(rule: Mapping[str, str], into: Path) -> None:
    """Copy toologue without a rule. Raises ValueError where the rule is not what it was."""
    shutil.copytree(_SOURCE, into / "toologue", ignore=shutil.ignore_patterns("__pycache__"))
    if rule:
        file = into / "toologue" / "worlds" / "crud" / f"{rule['in']}.py"
        source = file.read_text()
        if source.count(rule["of"]) != 1:
            raise ValueError(f"{rule['rule']}: stands {source.count(rule['of'])} times in {file.name}: {rule['of']}")
        file.write_text(source.replace(rule["of"], rule["to"]))


def ablate(folders: Sequence[str]) -> int:
    """Print what each rule is good for, a line as soon as it is known."""
    whole = _run({}, folders)
    print(f"{sum(state for state, *_ in whole.values()):,} of {sum(of for _, of, _ in whole.values()):,} with state")
    for rule in rules():
        less = _run(rule, folders)
        changes = [less[name][0] - whole[name][0] for name in whole]
        shares = median(change / max(of, 1) for change, (_, of, _) in zip(changes, whole.values(), strict=True))
        accepted = sum(less[name][2] - whole[name][2] for name in whole)
        touched = sum(change != 0 for change in changes)
        figures = f"{sum(changes):+5d} operations, {touched:2d} documents, median {100 * shares:+.1f}"
        print(f"{figures}, accepted {accepted:+d}  {rule['in']}: {rule['rule']}", flush=True)
    return 0


def _run(rule: Mapping[str, str], folders: Sequence[str]) -> Counts:
    with tempfile.TemporaryDirectory() as scratch:
        without(rule, Path(scratch))
        paths = os.pathsep.join((scratch, str(_HERE.parent)))
        command = [sys.executable, "-m", "bench.documents", "--states", *(str(Path(one).resolve()) for one in folders)]
        return json.loads(subprocess.check_output(command, env={**os.environ, "PYTHONPATH": paths}))


def _begins(text: str) -> bool:
    return any(line.lstrip('{ "').startswith(("openapi", "swagger")) for line in text.splitlines()[:20])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
