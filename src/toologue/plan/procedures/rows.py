"""The rows of a service as customers know them: which belong together, and what a field holds.

A row is a `Place`, (table, key). `related(places)` is what somebody knows who knows these: the rows they point to, and
whatever points to them or to the people among those (a person's row has an e-mail address, a phone number or a date of
birth). An order so leads to its customer and the customer's other orders, and to its products, but not to whoever else
bought the same.

Example:
    >>> rows = Rows({"people": {"P1": {"id": "P1", "email": "a@x.example"}, "P2": {"id": "P2", "email": "b@x.example"}},
    ...     "orders": {"O1": {"order_id": "O1", "owner": "P1"}, "O2": {"order_id": "O2", "owner": "P1"}}})
    >>> sorted(rows.related([("orders", "O1")]))
    [('orders', 'O1'), ('orders', 'O2'), ('people', 'P1')]
    >>> rows.fields("email"), rows.keyed("order_id")
    ([('people', ('email',))], 'orders')

Not covered: rows that belong together without naming each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, cast

from toologue.schema.graph import reached
from toologue.worlds.store import Row

Place = tuple[str, str]
Field = tuple[str, tuple[str, ...]]
"""(table, path of a field in its rows)"""

_PERSONAL = ("email", "phone", "birth_date", "date_of_birth")
_DEEPEST = 3


class Rows:
    """The rows of all tables, by table and key."""

    def __init__(self, tables: Mapping[str, Mapping[str, Row]]):
        self.tables = tables
        self._keys = {table: _key_field(rows) for table, rows in tables.items()}
        self._names = {table: {name for row in rows.values() for name in row} for table, rows in tables.items()}
        self._related: dict[frozenset[Place], frozenset[Place]] = {}

    def row(self, place: Place) -> Row:
        """The row in a place."""
        return self.tables[place[0]][place[1]]

    def keyed(self, parameter: str) -> str | None:
        """The table whose rows are named by a field of this name."""
        return next((table for table, key in self._keys.items() if key == parameter), None)

    def fields(self, name: str) -> list[Field]:
        """Where rows have a field of this name, at any depth; the shallowest first."""
        return sorted(self._fields.get(name, ()), key=lambda field: (len(field[1]), field))

    def places(self, table: str) -> list[Place]:
        """The places of a table, in its order."""
        return [(table, key) for key in self.tables[table]]

    def shown_by(self, names: Iterable[str]) -> str | None:
        """The table whose rows have most of these fields, of equal ones that with the fewest others; None if none."""
        named = set(names)
        shared = {table: len(named & fields) for table, fields in self._names.items()}
        best = max(shared, key=lambda table: (shared[table], -len(self._names[table])), default=None)
        return best if best is not None and shared[best] else None

    def owned(self, table: str) -> bool:
        """Whether the rows of a table are people, or belong to some."""
        return any(map(self._is_person, (one for place in self.places(table)[:1] for one in self._above(place))))

    def related(self, places: Iterable[Place]) -> frozenset[Place]:
        """These, and all that belongs to them."""
        known = frozenset(places)
        if known not in self._related:
            found = {above for place in known for above in self._above(place)}
            spreading = known | {place for place in found if self._is_person(place)}
            found |= {child for place in spreading for child in self._children[place]}
            self._related[known] = frozenset(found)
        return self._related[known]

    def _above(self, place: Place) -> set[Place]:
        """A place and all that it points to, step by step."""
        return reached([place], self._parents)

    def _is_person(self, place: Place) -> bool:
        return any(name in self.row(place) for name in _PERSONAL)

    @cached_property
    def _fields(self) -> Mapping[str, set[Field]]:
        found: dict[str, set[Field]] = defaultdict(set)
        for table, rows in self.tables.items():
            for row in rows.values():
                for path, _ in _leaves(row):
                    found[path[-1]].add((table, path))
        return found

    @cached_property
    def _parents(self) -> Mapping[Place, set[Place]]:
        keys: dict[str, list[Place]] = defaultdict(list)
        for table, rows in self.tables.items():
            for key in rows:
                keys[key].append((table, key))
        found: dict[Place, set[Place]] = defaultdict(set)
        for table, rows in self.tables.items():
            for key, row in rows.items():
                for path, value in _leaves(row):
                    for other in keys.get(str(value), ()) if isinstance(value, str | int) else ():
                        if other != (table, key) and (self._keys[other[0]] == path[-1] or not str(value).isdigit()):
                            found[table, key].add(other)
        return found

    @cached_property
    def _children(self) -> Mapping[Place, set[Place]]:
        found: dict[Place, set[Place]] = defaultdict(set)
        for place, parents in self._parents.items():
            for parent in parents:
                found[parent].add(place)
        return found


def at(row: Any, path: Iterable[str]) -> Any:
    """What a row holds at a path; None where there is nothing."""
    for name in path:
        row = cast("Mapping[str, Any]", row).get(name) if isinstance(row, Mapping) else None
    return row


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(path, value) of all that is no object; the members of lists have the path of the list."""
    if isinstance(value, Mapping) and len(path) < _DEEPEST:
        for name, part in cast("Mapping[str, Any]", value).items():
            yield from _leaves(part, (*path, name))
    elif isinstance(value, list | tuple) and path:
        for part in cast("list[Any]", value):
            yield from _leaves(part, path)
    elif path:
        yield path, value


def _key_field(rows: Mapping[str, Row]) -> str | None:
    """The field that names the rows."""
    if not rows:
        return None
    key, first = next(iter(rows.items()))
    named = [name for name, value in first.items() if str(value) == key]
    return next((name for name in named if all(str(row.get(name)) == key for key, row in rows.items())), None)
