"""Two rows for each table of a service, for trying it out: the first lie under the first, and refer to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toologue.values.json_schema import fits
from toologue.values.least import least
from toologue.worlds.crud.rows import maker_of, plausible, typed
from toologue.worlds.crud.tables import Table

NOW = "2025-03-12T09:30:00Z"
COUNT = 2


def sample_rows(tables: Mapping[str, Table]) -> dict[str, list[dict[str, Any]]]:
    """Table → rows with what has to be told: their keys, what they refer to, what they lie under."""
    ids = {name: [*_ids(table)] for name, table in tables.items()}
    return {name: [_row(tables[name], n, ids) for n in range(len(made))] for name, made in ids.items() if made}


def _ids(table: Table) -> list[Any]:
    style = maker_of(table, []).fillers[table.key]
    made = [style(number, lambda: NOW) for number in range(1, COUNT + 1)]
    ok = all(fits(one, table.fields[table.key], table.root) for one in made) and len({*map(str, made)}) == COUNT
    return made if ok else []


def _row(table: Table, number: int, ids: Mapping[str, list[Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {**plausible(table, NOW)(number), table.key: ids[table.name][number]}
    flags = [name for name, value in row.items() if isinstance(value, bool)]
    row |= {name: number % 2 > 0 for name in flags if fits(number % 2 > 0, table.fields[name], table.root)}
    row |= {name: values[number % len(values)] for name, values in table.likely.items() if name != table.key}
    for name, other in table.refers.items():
        row.pop(name, None)
        known = [typed(one, table.fields[name], table.root) for one in ids.get(other, [])[number:]]
        if known and fits(known[0], table.fields[name], table.root):
            row[name] = known[0]
    for name in sorted(table.unseen - row.keys()):
        rule = table.fields[name]
        spoken = f"{name.removeprefix('path_')}-{number + 1}"
        row[name] = spoken if "default" not in rule and fits(spoken, rule) else least(rule, name=name, seed=number)
    return row
