"""What a row of a simulated service has that nobody gave: its key, what follows from its schema, plausible values.

`sample_rows` are two rows for each table, for trying a service out: the first lie under the first, and refer to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Any
from uuid import UUID

from toologue import keys
from toologue.apis.schemas import object_of, properties_of, required_of, written_out
from toologue.errors import UserError
from toologue.schema import Api
from toologue.text.tokens import snake
from toologue.values.compare import moment, written
from toologue.values.json_schema import fits, items_of, resolved, types_of
from toologue.values.least import least
from toologue.values.make import make, text_for
from toologue.worlds.crud.tables import Table
from toologue.worlds.documented.answers import answer_maker
from toologue.worlds.store import own

Now = Callable[[], str]
# (number of the row, now) → the value of a field.
Filler = Callable[[int, Now], Any]
_DATED = ("date", "date-time")
# What a row has in common with the row that it refers to, where nobody says otherwise.
_COMMON = frozenset(("amount", "currency", "price", "total"))
# Names of days and moments at which something was done: `created_at`, `paid_on`, `date`.
_DONE_ON = (
    r"(?:^|_)(?:(?!expected|estimated|scheduled|planned|promised)[a-z]+ed|made|sent|paid|sold)(?:_(?:at|on|date|time))?$"
    r"|^(?:date|time|timestamp|day)$"
)
# Made-up rows begin so many days ago, unless they tell of a birth before this year.
_AGO, _BORN = 40, 2010
NOW = "2025-03-12T09:30:00Z"
COUNT = 2


@dataclass(frozen=True)
class RowMaker:
    """Makes the rows of one table. `fillers`: of its key, and of what is not given; `invented`: read-only fields of
    made-up values; `touched`: fields that say when a row was last changed; `common`: fields that are filled as in a
    row that is referred to.
    """

    table: Table
    fillers: Mapping[str, Filler]
    invented: frozenset[str]
    touched: tuple[str, ...]
    common: tuple[str, ...]

    @property
    def made_up(self) -> frozenset[str]:
        """The fields that are filled with values of which nothing says that they are so."""
        known = {*self.touched, *self.table.refers, self.table.key}
        return frozenset(name for name in self.fillers if name not in known and not self._follows(name))

    def _follows(self, name: str) -> bool:
        """Whether the schema says what a field is at first, or its name that it tells when the row was made."""
        rule = self.table.rule(name)
        dated = _is_dated(name, rule) and re.search(_DONE_ON, snake(name)) is not None
        return dated or bool({"default", "const", "enum"} & rule.keys())

    def shared(self, given: Mapping[str, Any], parent: Mapping[str, Any]) -> dict[str, Any]:
        """What nobody gave, and a row that is referred to has: an amount, a currency, what both refer to."""
        found = {name: parent[name] for name in self.common if name not in given and parent.get(name) is not None}
        return {name: own(value) for name, value in found.items() if self.table.violation({name: value}) is None}

    def row(self, given: Mapping[str, Any], number: int, *, now: Now) -> dict[str, Any]:
        """The row with these fields, in the order of the schema. Its key is made unless it is given."""
        made = {
            name: given[name] if name in given else self.fillers[name](number, now)
            for name in self.table.fields
            if name in given or name in self.fillers
        }
        return {**made, **given}


def maker_of(table: Table, ids: Sequence[Any]) -> RowMaker:
    """The maker of a table's rows, given the ids that are there.

    A field that is not given gets the schema's default; if the service must fill it (it is required, or read-only, or,
    where nothing is required, no body has it): null where that is allowed, now for a date, the first of an enum, 0,
    false, [], else a plausible text, or the least that the schema allows.
    """
    id_of = _id_style(table, ids)
    fillers: dict[str, Filler] = {table.key: lambda number, now: id_of(number)}
    invented: set[str] = set()
    ours = table.required or table.fields.keys() - table.sent - table.unseen
    for name in table.fields:
        rule, is_hidden = table.rule(name), table.rule(name).get("readOnly") is True
        is_ours = name in ours or is_hidden
        if name == table.key:
            continue
        if filler := _filler(name, rule, table.root, is_ours=is_ours):
            fillers[name] = filler
        elif is_ours:
            fillers[name] = _inventor(table, name)
            invented |= {name} if is_hidden else set()
    dates = [name for name in table.fields if table.rule(name).get("format") in _DATED]
    touched = [name for name in dates if {"updated", "modified", "changed"} & {*snake(name).split("_")}]
    common = [name for name in fillers if name in _COMMON.union(table.refers) and "default" not in table.rule(name)]
    return RowMaker(table, fillers, frozenset(invented), tuple(touched), tuple(common))


def _id_style(table: Table, ids: Sequence[Any]) -> Callable[[int], Any]:
    """How the ids of a table go on: number → id, from 1.

    In the style of those that are there, else of the schema's example or pattern: the next number with the same letters
    in front and as many digits, a number, a UUID, letters and digits as in the others.
    """
    rule = table.rule(table.key)
    examples = rule.get("examples") or [rule[key] for key in ("example", "default") if key in rule]
    samples = [*ids] or [*examples]

    def random(number: int) -> Random:
        return Random(keys.seed_of("id", table.name, number))

    if {"integer", "number"} & set(types_of(rule)):
        start = max((int(i) for i in samples if isinstance(i, int | float)), default=int(rule.get("minimum", 1)) - 1)
        return lambda number: start + number
    texts = [sample for sample in samples if isinstance(sample, str)]
    styles: list[Callable[[int], Any]] = []
    if str(rule.get("format")).lower() == "uuid" or (texts and all(fits(text, {"format": "uuid"}) for text in texts)):
        styles.append(lambda number: str(UUID(int=random(number).getrandbits(128), version=4)))
    counted = [match for text in texts if (match := re.fullmatch(r"(.*?)(\d{1,15})", text))]
    if counted and len(counted) == len(texts):
        last = max(counted, key=lambda match: int(match[2]))
        styles.append(lambda number: f"{last[1]}{int(last[2]) + number:0{len(last[2])}d}")
    if texts:
        styles.append(lambda number: _similar_id(texts[-1], random(number)))
    pattern = rule.get("pattern")
    if isinstance(pattern, str):
        styles.append(lambda number: text_for(pattern, random(number)))
    styles.append(lambda number: f"{table.singular}_{number}")
    fitting = (style for style in styles if fits(style(1), rule, table.root))
    return next(fitting, None) or (lambda number: least(rule, table.root, seed=f"{table.name}{number}"))


def typed(value: Any, schema: Any, root: Any = None) -> Any:
    """A key as a parameter wants it: 7 as "7" where that is asked for."""
    whole = int(value) if isinstance(value, str) and value.isdecimal() else value
    return next((one for one in (value, str(value), whole) if fits(one, schema, root)), value)


def _similar_id(sample: str, random: Random) -> str:
    cut = max(sample.rfind(mark) for mark in "-_./:") + 1
    plain = "abcdefghjkmnpqrstuvwxyz"
    kinds = (("0123456789", str.isdigit), (plain, str.islower), (plain.upper(), str.isupper))
    letters = "".join(letters for letters, is_kind in kinds if any(map(is_kind, sample[cut:])))
    return sample[:cut] + "".join(random.choice(letters) if c.isalnum() else c for c in sample[cut:])


def _is_dated(name: str, rule: Mapping[str, Any]) -> bool:
    """Whether a field holds days, moments, or the seconds since 1970."""
    if "integer" in types_of(rule):
        named = re.search(r"^(created|updated|modified|timestamp)$|_at$", snake(name))
        return str(rule.get("format")).startswith("unix") or ("format" not in rule and bool(named))
    return rule.get("format") in _DATED


def _filler(name: str, rule: Mapping[str, Any], root: Any, *, is_ours: bool) -> Filler | None:
    """The filler of a field whose value follows from its schema, or from now; None where none does."""
    if "default" in rule:
        return lambda number, now: own(rule["default"])
    if not is_ours:
        return None
    enum = rule.get("enum")
    plain: list[Any] = [None, *(enum if isinstance(enum, list) else [False, 0, []])] if enum or types_of(rule) else []
    is_dated = _is_dated(name, rule)
    for value in plain:
        if fits(value, rule, root) and not (value == 0 and is_dated):
            return lambda number, now: own(value)
    return (lambda number, now: now_as(rule, now())) if is_dated else None


def now_as(rule: Mapping[str, Any], now: str) -> Any:
    """When it is, as a schema writes it: a day, a moment, or the seconds since 1970."""
    if "integer" in types_of(rule):
        return int(datetime.fromisoformat(now).timestamp())
    return now[:10] if rule.get("format") == "date" else now


def _inventor(table: Table, name: str) -> Filler:
    rule = table.rule(name)
    is_plain = not {"properties", "items", "allOf", "anyOf", "oneOf"} & rule.keys()
    schema = written_out(table.fields[name], table.root) if is_plain else {}

    @lru_cache(maxsize=4096)
    def value(number: int) -> Any:
        seed = keys.seed_of(table.name, number, name)
        try:
            return make(schema, name=name, seed=seed) if is_plain else least(rule, table.root, name=name, seed=seed)
        except UserError:
            return None

    return lambda number, now: own(value(number))


def plausible(table: Table, now: str | None) -> Callable[[int], dict[str, Any]]:
    """What makes plausible rows, as the world `documented` would: number → their plain fields, and those of objects.

    The values of one row belong together: a city and its country, an end after its start. They begin in the weeks
    before `now`, and nothing is true of them that nobody said.
    """
    plain = {name: rule for name in table.fields if (rule := _plain(table.fields[name], table.root)) is not None}
    dated = [name for name in plain if _is_dated(name, plain[name])]
    plain |= {name: {**plain[name], "format": "unix-time"} for name in dated if "integer" in types_of(plain[name])}
    returns: dict[str, Any] = {"type": "object", "properties": plain, "required": [*plain]}
    answer = answer_maker(Api(name=table.singular, returns=returns))

    def row(number: int) -> dict[str, Any]:
        made = object_of(answer(keys.seed_of("row", table.name, number), {}))
        whens = {name: when for name in dated if (when := _when(made.get(name))) and when.year > _BORN}
        if today := moment(now or "") if whens else None:
            ago = timedelta(days=1 + keys.seed_of("ago", table.name, number) % _AGO)
            shift = today - ago - min(whens.values())
            made |= {name: now_as(table.rule(name), written(when + shift)) for name, when in whens.items()}
        return {name: value for name, value in made.items() if fits(value, table.fields[name], table.root)}

    return row


def _when(value: Any) -> datetime | None:
    return moment(value) if isinstance(value, str) else datetime.fromtimestamp(value, UTC) if value else None


def _plain(schema: Any, root: Any, deep: int = 0) -> dict[str, Any] | None:
    """The schema of a value, of a list of values, or of an object of such; None for all else."""
    rule = resolved(schema, root) or {}
    kinds = [kind for kind in types_of(rule) if kind != "null"]
    if {"allOf", "anyOf", "oneOf", "not"} & rule.keys() or not kinds or deep > 1:
        return None
    made = {**rule, "type": kinds[0]}
    if kinds[0] == "boolean" and fits(False, rule, root):
        return {**made, "const": False}
    if kinds[0] == "array":
        items = _plain(items_of(rule), root, deep + 1)
        return None if items is None else {**made, "items": items}
    if kinds[0] != "object":
        return made
    inner = {name: _plain(part, root, deep + 1) for name, part in properties_of(rule).items()}
    needed = [name for name in required_of(rule) if inner.get(name) is not None]
    kept = {name: part for name, part in inner.items() if part is not None}
    return {**made, "properties": kept, "required": needed} if kept and {*required_of(rule)} <= {*needed} else None


def sample_rows(tables: Mapping[str, Table]) -> dict[str, list[dict[str, Any]]]:
    """Table → rows with what has to be told: their keys, what they refer to, what they lie under."""
    ids = {name: [*_ids(table)] for name, table in tables.items()}
    return {name: [_row(tables[name], n, ids) for n in range(len(made))] for name, made in ids.items() if made}


def _ids(table: Table) -> list[Any]:
    style = maker_of(table, []).fillers[table.key]
    made = [style(number, lambda: NOW) for number in range(1, COUNT + 1)]
    ok = all(fits(one, table.fields[table.key], table.root) for one in made) and len({*map(str, made)}) == COUNT
    return made if ok else []


def _states(table: Table) -> Iterator[tuple[str, list[Any]]]:
    """The fields that say how a row stands, with their values: rows stand differently, so that an action has one to do
    it to.
    """
    listed = {name: rule["enum"] for name in table.fields if isinstance((rule := table.rule(name)).get("enum"), list)}
    states = {name: told for name, told in listed.items() if snake(name).split("_")[-1] in ("status", "state")}
    for name, values in (states or (listed if len(listed) == 1 else {})).items():
        if name != table.key and (fit := [one for one in values if isinstance(one, str)]):
            yield name, fit


def _row(table: Table, number: int, ids: Mapping[str, list[Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {**plausible(table, NOW)(number), table.key: ids[table.name][number]}
    flags = [name for name, value in row.items() if isinstance(value, bool)]
    row |= {name: number % 2 > 0 for name in flags if fits(number % 2 > 0, table.fields[name], table.root)}
    row |= {name: values[number % len(values)] for name, values in _states(table)}
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
