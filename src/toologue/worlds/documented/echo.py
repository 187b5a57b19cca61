"""What is asked for is what is answered: which values of an answer are the same thing as a parameter.

Contract: a value and a parameter are the same thing if they are called alike (`user_id`, `userId`, `user|id`), outside
of lists also by a bare `id` or `name`; in a list only what does not tell its rows apart. An argument that does not fit
the value's schema is not echoed. `pinned` gives the records that arguments name: who asks for Oslo is told of Norway.
`sought` gives what is searched for: who looks for a film is shown that one first.

Example:
    >>> from toologue.schema import Api, Parameter
    >>> echoes = Echoes(Api(name="Weather", parameters={"city": Parameter()}))
    >>> echoes.asked(("location", "city"), 0), echoes.pinned({"city": "oslo"})
    ('city', {'place': 1})

Not covered: arguments that hold several values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toologue.apis.words import singular
from toologue.schema import Api
from toologue.values.fits import fits, types_of
from toologue.worlds.documented.leaves import Maker, names_a_thing
from toologue.worlds.documented.row import Row
from toologue.worlds.documented.words import (
    choices,
    kind_about,
    kind_named,
    kind_of,
    kind_of_domain,
    noun_of,
    places_named,
    spell,
    squash,
)

__all__ = ["Echoes", "as_typed", "kind_sought", "sought_by"]

_BARE = frozenset(
    ("id", "name", "title", "value", "key", "code", "slug", "uuid", "text", "symbol", "url", "type", "status")
)
_WRITTEN = {
    "place.country": ("place.code", "place.code3"), "place.code": ("place.code3", "place.country"),
    "company.name": ("company.symbol",), "coin.name": ("coin.symbol",),
}  # fmt: skip
_WRAPS = frozenset(("data", "result", "results", "response", "item", "items", "body", "payload", "content"))


class Echoes:
    """The parameters of an Api, by what they are called."""

    def __init__(self, api: Api):
        self.names = {squash(name): name for name in reversed(api.parameters)}
        ids = [name for name in api.parameters if spell(name)[-1:] == ("id",)]
        self.only_id = ids[0] if len(ids) == 1 else None
        self.records: dict[str, str] = {}
        self.searches: list[str] = []
        for name, parameter in api.parameters.items():
            title = str(parameter.json_schema.get("title", ""))
            kind = kind_of((name,), title) or kind_about(name, api.name.rpartition("|")[2])
            if "." in kind:
                self.records[name] = kind
            elif kind in ("topics", "titles"):
                self.searches.append(name)
        self.things = kind_sought(api) if self.searches else ""

    def asked(self, path: tuple[str, ...], lists: int) -> str | None:
        """The parameter that a value is the same thing as, or None."""
        if not path:
            return None
        last, around = squash(path[-1]), [name for name in path[:-1] if name.lower() not in _WRAPS]
        parent = squash(singular(around[-1])) if around else ""
        if lists and (last in _BARE or (names_a_thing(path) and lists > 1)):
            return None
        if last not in _BARE:
            return self.names.get(last)
        if parent:
            return self.names.get(parent + last)
        return self.names.get(last) or (self.only_id if last == "id" else None)

    def instead_of(self, made: Maker, rule: Mapping[str, Any], path: tuple[str, ...], lists: int) -> Maker:
        """The argument where there is one, else what is made."""
        name = self.asked(path, lists)
        if name is None:
            return made

        def echoed(row: Row) -> Any:
            given = row.arguments.get(name)
            if given is not None and fits(value := as_typed(given, rule), rule):
                return value
            return made(row)

        return echoed

    def pinned(self, arguments: Mapping[str, Any]) -> dict[str, int]:
        """The rows of records that the arguments name, however they write them: Japan, JP, JPN."""
        found: dict[str, int] = {}
        for name, kind in self.records.items():
            if name not in arguments:
                continue
            given, fields = str(arguments[name]).lower(), (kind, *_WRITTEN.get(kind, ()))
            row = next((places_named(one)[given] for one in fields if given in places_named(one)), None)
            if row is not None:
                found.setdefault(kind.partition(".")[0], row)
        return found

    def sought(self, arguments: Mapping[str, Any]) -> dict[str, int]:
        """Where a list of things begins for who searches for one of them."""
        given = [str(arguments[name]) for name in self.searches if name in arguments]
        things = _named(self.things) if given else ()
        kind = "person" if self.things == "full" else self.things.partition(".")[0]
        first = next((things.index(one) for one in given if one in things), None)
        return {} if first is None else {kind: first}


def sought_by(api: Api) -> Sequence[str]:
    """What people search for with an Api: things of the kind that it is about."""
    return _named(kind_sought(api))


def kind_sought(api: Api) -> str:
    """The kind of thing that an Api's name, that of its tool, or its walk of life is about; or nothing."""
    domain, *parts = api.name.split("|")
    found = (kind_named(noun_of(spell(part))) for part in reversed(parts or [domain]))
    return next(filter(None, found), kind_of_domain(domain))


def _named(kind: str) -> Sequence[str]:
    if kind == "full":
        return [*map(" ".join, zip(choices("person.first"), choices("person.last"), strict=True))]
    return [str(one) for one in choices(kind)]


def as_typed(value: Any, rule: Mapping[str, Any]) -> Any:
    """A value read as the schema's type, as a service reads the text of an address: "5" is 5, 5 is "5"."""
    wanted = next((name for name in types_of(rule) if name != "null"), "")
    if wanted == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if wanted == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if wanted in ("integer", "number") and isinstance(value, str):
        try:
            return int(value) if wanted == "integer" or value.lstrip("+-").isdecimal() else float(value)
        except ValueError:
            return value
    return value
