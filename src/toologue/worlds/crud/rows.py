"""New rows: their ids, and the fields that nobody gives.

Contract: ids go on in the style of those that are there, else of the schema's example or pattern: the next number with
the same letters in front and as many digits, a number, a UUID, letters and digits as in the others. A field that is not
given gets the schema's default; if the service must fill it (it is required, or read-only): null where that is allowed,
now for a date, the first of an enum, 0, false, [], else a plausible text. All is a function of the table, the number of
the row and now.

Example:
    >>> from toologue.worlds.crud.tables import Table
    >>> fields = {"id": {"type": "string"}, "status": {"enum": ["open"], "readOnly": True}, "days": {"default": 3}}
    >>> maker_of(Table("tickets", "id", fields), ["T-0098", "T-0099"]).row({}, 1, now=lambda: "")
    {'id': 'T-0100', 'status': 'open', 'days': 3}

Not covered: fields that follow from others (a total from its items); give an override, or say it in an `x-action`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any
from uuid import UUID

from toologue import keys
from toologue.apis.schemas import written_out
from toologue.errors import UserError
from toologue.text.tokens import snake
from toologue.values.json_schema import fits, types_of
from toologue.values.make import make
from toologue.values.patterns import text_for
from toologue.worlds.crud.tables import Table

Now = Callable[[], str]
Filler = Callable[[int, Now], Any]
"""(number of the row, now) → the value of a field."""
_NONE = object()
_LETTERS = (
    ("0123456789", str.isdigit),
    ("abcdefghjkmnpqrstuvwxyz", str.islower),
    ("ABCDEFGHJKMNPQRSTUVWXYZ", str.isupper),
)


@dataclass(frozen=True)
class RowMaker:
    """Makes the rows of one table. `id`: number → key, from 1; `invented`: read-only fields of made-up values;
    `touched`: fields that say when a row was last changed.
    """

    table: Table
    id: Callable[[int], Any]
    fillers: Mapping[str, Filler]
    invented: frozenset[str]
    touched: tuple[str, ...]

    def row(self, given: Mapping[str, Any], number: int, *, now: Now) -> dict[str, Any]:
        """The row with these fields, in the order of the schema. Its key is made unless it is given."""
        made: dict[str, Any] = {}
        for field in self.table.fields:
            if field in given:
                made[field] = given[field]
            elif field == self.table.key:
                made[field] = self.id(number)
            elif field in self.fillers:
                made[field] = self.fillers[field](number, now)
        return made | {field: value for field, value in given.items() if field not in made}


def maker_of(table: Table, ids: Sequence[Any]) -> RowMaker:
    """The maker of a table's rows, given the ids that are there."""
    known = {field: filler for field in table.fields if field != table.key and (filler := _known(table, field))}
    wanted = (field for field in table.fields if field not in known and field != table.key)
    invented = {field: _invented(table, field) for field in wanted if _is_ours(table, field)}
    hidden = frozenset(field for field in invented if table.rule(field).get("readOnly") is True)
    return RowMaker(table, id_style(table, ids), {**known, **invented}, hidden, tuple(_touched(table)))


def _touched(table: Table) -> Iterator[str]:
    """The fields that say when a row was last changed."""
    for field in table.fields:
        if {"updated", "modified", "changed"} & set(snake(field).split("_")) and _date_format(table.rule(field)):
            yield field


def id_style(table: Table, ids: Sequence[Any]) -> Callable[[int], Any]:
    """How the ids of a table go on: number → id, from 1."""
    rule = table.rule(table.key)
    examples = rule.get("examples") or [rule[key] for key in ("example", "default") if key in rule]
    samples = [*ids] or [*examples]
    if {"integer", "number"} & set(types_of(rule)):
        start = max((int(i) for i in samples if isinstance(i, int | float)), default=int(rule.get("minimum", 1)) - 1)
        return lambda number: start + number
    texts = [sample for sample in samples if isinstance(sample, str)]
    if rule.get("format") == "uuid" or (texts and all(fits(text, {"format": "uuid"}) for text in texts)):
        return lambda number: str(UUID(int=_random(table, number).getrandbits(128), version=4))
    counted = [found for text in texts if (found := re.fullmatch(r"(.*?)(\d{1,15})", text))]
    if counted and len(counted) == len(texts):
        last = max(counted, key=lambda found: int(found[2]))
        return lambda number: f"{last[1]}{int(last[2]) + number:0{len(last[2])}d}"
    if texts:
        return lambda number: _alike(texts[-1], _random(table, number))
    pattern = rule.get("pattern")
    if isinstance(pattern, str):
        return lambda number: text_for(pattern, _random(table, number)) or f"{table.singular}_{number}"
    return lambda number: f"{table.singular}_{number}"


def _random(table: Table, number: int) -> Random:
    return Random(keys.seed_of("id", table.name, number))


def _alike(sample: str, random: Random) -> str:
    """A text like this one: what stands before the last separator stays, letters and digits after it change."""
    cut = max(sample.rfind(mark) for mark in "-_./:") + 1
    letters = "".join(letters for letters, is_kind in _LETTERS if any(map(is_kind, sample[cut:])))
    return sample[:cut] + "".join(random.choice(letters) if c.isalnum() else c for c in sample[cut:])


def _is_ours(table: Table, field: str) -> bool:
    """Whether the service fills in a field that nobody gives."""
    return field in table.required or table.rule(field).get("readOnly") is True


def _known(table: Table, field: str) -> Filler | None:
    """The filler of a field whose value follows from its schema, or from now; None where none does."""
    rule = table.rule(field)
    if "default" in rule:
        return lambda number, now: deepcopy(rule["default"])
    if not _is_ours(table, field):
        return None
    enum, form = rule.get("enum"), _date_format(rule)
    plain: list[Any] = [None, *(enum if isinstance(enum, list) else [False, 0, []])] if enum or types_of(rule) else []
    value = next((value for value in plain if fits(value, rule, table.root)), _NONE)
    if value is not _NONE:
        return lambda number, now: deepcopy(value)
    return (lambda number, now: now()[:10] if form == "date" else now()) if form else None


def _invented(table: Table, field: str) -> Filler:
    """A plausible value, another one for each row."""
    schema = written_out(table.fields[field], table.root)

    @lru_cache(maxsize=4096)
    def value(number: int) -> Any:
        try:
            return make(schema, name=field, seed=keys.seed_of(table.name, number, field))
        except UserError:
            return None

    return lambda number, now: deepcopy(value(number))


def _date_format(rule: Mapping[str, Any]) -> str:
    form = rule.get("format")
    return form if isinstance(form, str) and form in ("date", "date-time") else ""
