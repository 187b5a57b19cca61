"""`python -m bench.documents FOLDER …`: what is read of vendors' API documents, what becomes a world, what it costs.

A folder's documents are its .json, .yaml and .yml files (.gz is unpacked into a scratch folder), and one at the root of
each folder in it. Seconds are CPU: read, written as apis.jsonl, read again, executed as `toologue world check` does;
`state` is the share of operations that answer with state. No document ships with this; documents.yaml says where those
are from that nobody had opened when they were measured.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from toologue.apis.openapi import read_openapi
from toologue.errors import UserError
from toologue.schema import Api
from toologue.schema.api import write_apis
from toologue.schema.jsonl import read
from toologue.worlds.crud import Simulator
from toologue.worlds.crud.check import check

_KINDS = (".json", ".yaml", ".yml")


def main(folders: Sequence[str]) -> int:
    """Print the table; 1 where a document is refused."""
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
    found = check(Simulator(file))
    by = [answers.by for answers in found.operations.values()]
    share = f"{by.count('state') / max(len(by), 1):.0%}".rstrip("%")
    return f"{time.process_time() - begun:.2f}", share, "yes" if found.accepted else "no"


def _begins(text: str) -> bool:
    return any(line.lstrip('{ "').startswith(("openapi", "swagger")) for line in text.splitlines()[:20])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
