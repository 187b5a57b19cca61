"""A first overlay of a document: tables with their keys, operations that nobody understands, a few rows; for a person.

Everything in it was guessed, and is marked as a guess with what it comes of; what could not be guessed stands there as
a comment, with its cause. The overlay says what the world would be without it: it changes nothing until somebody does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from toologue.text.tokens import reads
from toologue.worlds.crud.rows import NOW, sample_rows
from toologue.worlds.crud.simulator import Simulator

_HEAD = """\
# What {file} does not say of its world. The document itself stays as it is.
# Every line marked `guess` was derived from names and schemas: look at it, and correct it.
"""


def draft(simulator: Simulator) -> str:
    """The overlay, as YAML with comments."""
    lines = [*_HEAD.format(file=simulator.document.source.file).splitlines(), *_tables(simulator)]
    return "\n".join([*lines, *_operations(simulator), *_seed(simulator)]) + "\n"


def _tables(simulator: Simulator) -> Iterator[str]:
    yield "x-tables:" if simulator.tables else "x-tables: {}"
    for name, table in simulator.tables.items():
        refers = ", ".join(f"{field} → {other}" for field, other in table.refers.items())
        yield f"  {name}: {_flow({'key': table.key})}  # guess{f'; {refers}' if refers else ''}"


def _operations(simulator: Simulator) -> Iterator[str]:
    named = [one for one in simulator.operations.values() if one.extensions.get("x-internal") is not True]
    asking = [one.api.name for one in named if one.method == "post" and one.api.writes and reads(one.api.name)]
    lost = {name: said.why for name, said in simulator.answers.items() if said.by != "state" and name not in asking}
    yield "operations:" if asking else "operations: {}"
    for name in asking:
        yield f"  {_flow(name)}: {{x-writes: false}}  # guess: it is called as what only reads"
    for name, why in lost.items():
        yield f"  # {name}: {{x-action: {{…}}}}  answered by its documentation: {why.rpartition(']')[2].lstrip('.')}"


def _seed(simulator: Simulator) -> Iterator[str]:
    yield "x-seed:"
    yield f"  now: {NOW}  # guess"
    for name, rows in sample_rows(simulator.tables).items():
        table = simulator.tables[name]
        kept = {table.key, *table.refers, *table.unseen}
        yield f"  {name}:  # guess: two rows of what has to be told; the rest of each is made up"
        for row in rows:
            yield f"    - {_flow({name: value for name, value in row.items() if name in kept})}"


def _flow(value: Any) -> str:
    """A value on one line of YAML."""
    said = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=10_000)
    return said.removesuffix("\n").removesuffix("\n...")
