"""What is asked for is what is answered: which values of an answer are the same thing as a parameter.

A value and a parameter are the same thing if they are called alike (`user_id`, `userId`, `user|id`), outside of lists
also by a bare `id` or `name`; in a list only what does not tell its rows apart. `pinned` gives the records that
arguments name: who asks for Oslo is told of Norway. `sought` gives what is searched for: who looks for a film is shown
it first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import takewhile
from typing import Any

from toologue.apis.entities import Entity, outputs
from toologue.schema import Api
from toologue.text.names import (
    group,
    is_marked,
    kind_about,
    kind_named,
    kind_of,
    kind_of_domain,
    kind_wraps,
    noun_for,
    noun_of,
    squash,
)
from toologue.text.tokens import singular, spell
from toologue.values.json_schema import fits, types_of
from toologue.worlds.documented.leaves import Maker, examples_of, names_a_thing, number_of, owner_of
from toologue.worlds.documented.row import SHARED, Row, choices, moment_form, salt_of

_WRITTEN = {
    "place.country": ("place.code", "place.code3"), "place.code": ("place.code3", "place.country"),
    "company.name": ("company.symbol",), "coin.name": ("coin.symbol",),
}  # fmt: skip
# What begins with somebody's name.
_BY_NAME = ("username", "email")
# What one has of one's own: where it is asked for and told, it is the same.
_OWN = (*_BY_NAME, "address", "phone")
_WORDY = 4
# Letters of the shortest noun.
_LEAST = 3
_CALLED = (("name",), ("title",), ("headline",))
_OF_WHAT = ("for", "by", "of", "in", "with", "from", "to", "on", "at", "near")
# What holds many places, or none in particular.
_WIDE = ("place.country", "place.code", "place.code3", "place.currency", "place.lang", "place.language")


class Echoes:
    """The parameters of an Api, by what they are called."""

    def __init__(self, api: Api):
        self.names = {squash(name): name for name in reversed(api.parameters)}
        ids = [name for name in api.parameters if owner_of(name) is not None]
        self.only_id = ids[0] if len(ids) == 1 else None
        self.days = [name for name in api.parameters if _says_when(name)]
        days = [name for name in self.days if not {*spell(name)} & _bounds() and kind_of((name,)) != "moment"]
        self.only_day = days[0] if len(days) == 1 else None
        named = api.name.rpartition("|")[2]
        self.about = {singular(word) for word in spell(named)}
        self.records: dict[str, str] = {}
        self.searches: list[str] = []
        for name, parameter in api.parameters.items():
            title = str(parameter.json_schema.get("title", ""))
            kind = kind_of((name,), title) or kind_about(name, named)
            if kind in ("topics", "titles") and kind_sought(api) in SHARED:
                self.records[name] = kind_sought(api)
            elif kind in ("topics", "titles", "ingredients"):
                self.searches.append(name)
            elif "." in kind or kind in _OWN or (_named(kind) and not {*spell(name)} & group("roles")):
                self.records[name] = kind
        self.searches += [name for name, kind in self.records.items() if kind == kind_sought(api) and "." not in kind]
        self.searched = frozenset(self.searches)
        self.things = kind_sought(api) if self.searches else ""
        self.examples = {name: {*map(_folded, examples_of(one.json_schema))} for name, one in api.parameters.items()}
        self.choices = {name: one.json_schema.get("enum") for name, one in api.parameters.items()}
        if any(map(self._is_of_another_call, outputs(api))):
            self.examples = {}
        kinds = [self.things, *(f"{kind.partition('.')[0]}.name" for kind in self.records.values())]
        noun = next((found for kind in kinds if (found := noun_for(kind))), "")
        words = spell(named)
        own = list(takewhile(lambda word: word not in _OF_WHAT, words[1:]))  # of repositories for a user: repositories
        self.noun = " ".join(words[:1] + tuple(own)) if noun_of(own) or len(own) + 1 < len(words) else f"{named} {noun}"

    def asked(self, path: tuple[str, ...], lists: int) -> str | None:
        """The parameter that a value is the same thing as, or None."""
        if not path:
            return None
        last, around = squash(path[-1]), [name for name in path[:-1] if name.lower() not in group("plain wraps")]
        parent = squash(singular(around[-1])) if around else ""
        if lists and (last in group("own") or (names_a_thing(path) and lists > 1)):
            whole = last == "name" and around and squash(around[-1]) == parent and lists == 1
            return self.names.get(parent) if whole else None
        if last not in group("own"):
            return self.names.get(last)
        if parent:
            ours = last == "id" and parent in self.about and not lists and self.names.get("id") == self.only_id
            return self.names.get(parent + last) or (self.only_id if ours else None)
        return self.names.get(last) or (self.only_id if last == "id" else None)

    def instead_of(self, made: Maker, rule: Mapping[str, Any], path: tuple[str, ...], lists: int) -> Maker:
        """The argument where there is one, else what is documented, or what was searched for, else what is made."""
        made = self._as_sought(self._as_called(made, rule, path), rule, path)
        made = self._as_documented(made, rule, _record(kind_of(path)))
        name = self.asked(path, lists) or self._filter(rule, path, lists)
        if name is None and not lists and (kind := kind_of(path)) in _OWN:
            name = next((one for one, known in self.records.items() if known == kind), None)
        if name is None:
            return made

        def echoed(row: Row) -> Any:
            given = row.arguments.get(name)
            if given is not None and fits(value := as_typed(given, rule), rule):
                return value
            return made(row)

        return echoed

    def _filter(self, rule: Mapping[str, Any], path: tuple[str, ...], lists: int) -> str | None:
        """The parameter that says which rows there shall be: called so, with the same to choose from."""
        name = self.names.get(squash(path[-1])) if path and lists == 1 and "enum" in rule else None
        return name if name is not None and self.choices[name] == rule["enum"] else None

    def _as_documented(self, made: Maker, rule: Mapping[str, Any], record: str) -> Maker:
        """In the documented row the documented value, unless it is known better of what was asked about."""
        example = next((value for value in examples_of(rule) if fits(value, rule)), None)
        return made if example is None else lambda row: example if row.shown and record not in row.pinned else made(row)

    def _as_called(self, made: Maker, rule: Mapping[str, Any], path: tuple[str, ...]) -> Maker:
        """As the name of a thing of a kind that no list knows, by its noun: Larsen Hut. The first is as documented."""
        noun = self._noun_of_name(path) if "enum" not in rule else ""
        if not noun:
            return made
        shown, called = bool(examples_of(rule)), noun.title()

        def named(row: Row) -> Any:
            whose = choices("person.last")
            value = f"{whose[(row.mixed(salt_of('name')) + row.shift) % len(whose)]} {called}"
            return value if fits(value, rule) and not (shown and row.place == 0) else made(row)

        return named

    def _noun_of_name(self, path: tuple[str, ...]) -> str:
        """What the thing is that a value is the name of; nothing where that is known, or is no thing."""
        *owner, last = spell(path[-1]) if path else ("",)
        if last != "name" or kind_of(path, self.noun) not in ("", "titles"):
            return ""
        outer = [spell(name)[-1] for name in path[:-1] if not kind_wraps(name) and spell(name)]
        given = owner_of(self.only_id) if self.only_id else ()
        about = [word for word in spell(self.noun) if not kind_wraps(word)]
        nouns = map(singular, (*owner[-1:], *reversed(outer), *(given or ())[-1:], *reversed(about)))
        noun = next((one for one in nouns if one not in group("nameless")), "")
        no_thing = group("lesser") | group("roles")
        return "" if kind_named(noun) or noun in no_thing or len(noun) < _LEAST or not noun.isalpha() else noun

    def _as_sought(self, made: Maker, rule: Mapping[str, Any], path: tuple[str, ...]) -> Maker:
        """As the name of what is found by words: these words, or a title that has them."""
        if not (self.searches and self.names_found(path) and fits("", rule)):
            return made

        def titled(row: Row) -> Any:
            given = next((str(row.arguments[name]) for name in self.searches if name in row.arguments), "")
            if not given:
                return made(row)
            pattern = "{}" if self.names_one(row.arguments) else row.of(choices("about"), 0)
            return pattern.format(given if any(map(str.isupper, given)) else given.title())

        return titled

    def _is_of_another_call(self, one: Entity) -> bool:
        """Whether documentation shows an answer about something else than the call: of Andorra, and not of Peru."""
        shown = self.examples.get(self.asked(one.path, int(one.many)) or "")
        example = next((_folded(value) for value in examples_of(one.schema) if isinstance(value, str)), "")
        return bool(example) and not any(_alike(example, other) for other in shown or {example})

    def names_found(self, path: Sequence[str]) -> bool:
        """Whether a value is the name of what is found, of a kind of which nothing is known."""
        *around, last = path or [""]
        outer = [name for name in around if not kind_wraps(name)]
        own = (*spell(last)[:-1], *(word for name in outer for word in spell(name)))
        known = {singular(word) for word in own} <= self.about or (len(outer) < 2 and len(spell(last)) == 1)
        return spell(last)[-1:] in _CALLED and known and kind_of(tuple(path), self.noun) in ("", "titles")

    def documented(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is made as documentation does, so that the answer is the one that it shows."""
        given = [_folded(value) in self.examples.get(name, ()) for name, value in arguments.items()]
        return bool(given) and all(given)

    def row(self, seed: int, arguments: Mapping[str, Any]) -> Row:
        """The row of an answer: of the thing whose id is given, where there is one."""
        is_wide = all(kind in _WIDE for name, kind in self.records.items() if "place." in kind and name in arguments)
        found = self.pinned(arguments), self.sought(arguments)
        shown = self.documented(arguments)
        row = Row(seed, 0, arguments, *found, wide=is_wide, span=self.span(arguments), shown=shown)
        given = arguments.get(self.only_id) if self.only_id else None
        return row if given is None or row.wanted() else row.known(number_of(given), {})

    def span(self, arguments: Mapping[str, Any]) -> tuple[datetime, int] | None:
        """The first of the days that are asked for, and how many there are; None where none are."""
        days = {name: day for name in self.days if (day := _day(arguments.get(name))) is not None}
        year, month = arguments.get(self.names.get("year", "")), arguments.get(self.names.get("month", ""))
        if not days and (_number(year) or _number(month)):
            first = datetime(_number(year) or 2025, min(12, _number(month) or 1), 1, tzinfo=UTC)
            return first, 28 if month else 350
        first, last = (
            next((day for name, day in days.items() if group(edge) & {*spell(name)}), None)
            for edge in ("first", "last")
        )
        if first is not None and last is not None:
            return first, max(1, (last - first).days + 1)
        only = first or last or days.get(self.only_day or "")
        return None if only is None else (only, 1)

    def pinned(self, arguments: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
        """The rows of records that the arguments name, however they write them (Japan, JP, JPN); of how many."""
        found: dict[str, tuple[int, int]] = {}
        for name, kind in self.records.items():
            if name not in arguments:
                continue
            given, fields = str(arguments[name]).lower(), (kind, *_WRITTEN.get(kind, ()))
            if kind in _BY_NAME:
                given, fields = re.split(r"[^a-z]", given)[0], ("person.first",)
            row = next((_places(one)[given] for one in fields if given in _places(one)), None)
            if row is not None:
                found.setdefault(_record(fields[0]), (row, len(_named(fields[0]))))
        return found

    def sought(self, arguments: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
        """Where a list of things begins for who searches for one of them, and how long it is."""
        given = [str(arguments[name]) for name in self.searches if name in arguments]
        things = _named(self.things) if given else ()
        first = next((one for text in given for one in things if _is_about(one, text)), None)
        return {} if first is None else {_record(self.things): (things.index(first), len(things))}

    def names_one(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a thing is searched for by its whole name."""
        things = () if self.things in SHARED else _named(self.things)
        return any(
            str(arguments[name]) in things or kind_of((name,)) not in ("topics", "ingredients")
            for name in self.searches
            if name in arguments
        )


def _alike(one: str, other: str) -> bool:
    return one in other or other in one or len(one) != len(other) or moment_form(one) != ""


def _folded(value: Any) -> str:
    return str(value).casefold()


def _is_about(thing: str, text: str) -> bool:
    return thing == text or (len(text) >= _WORDY and singular(text.lower()) in thing.lower())


def sought_by(api: Api) -> Sequence[str]:
    """What people search for with an Api: things of the kind that it is about."""
    return _named(kind_sought(api))


def kind_sought(api: Api) -> str:
    """The kind of thing that an Api's name, that of its tool, or its walk of life is about; or nothing."""
    domain, *parts = api.name.split("|")
    found = (kind_named(noun_of(spell(part))) for part in reversed(parts or [domain]))
    return next(filter(None, found), kind_of_domain(domain))


def _bounds() -> frozenset[str]:
    return group("first") | group("last")


def _says_when(name: str) -> bool:
    words = spell(name)
    return kind_of((name,)) in ("day", "moment") or words[-1:] == ("day",) or bool({*words[:1]} & _bounds())


def _day(value: Any) -> datetime | None:
    form = moment_form(value) if isinstance(value, str) else ""
    try:
        found = datetime.strptime(value, form) if form else None
    except ValueError:
        return None
    return found and datetime(found.year, found.month, found.day, tzinfo=UTC)


def _number(value: Any) -> int:
    """A year or a month as a number; 0 where it is none."""
    text = str(value)
    return int(text) if text.isdecimal() and 0 < int(text) <= 2100 and len(text) in (1, 2, 4) else 0


def _record(kind: str) -> str:
    """What a row is told that it is about: a place, a person, a team."""
    return "person" if kind == "full" else kind.partition(".")[0]


@cache
def _places(kind: str) -> Mapping[str, int]:
    return {one.lower(): place for place, one in reversed([*enumerate(_named(kind))])}


@cache
def _named(kind: str) -> Sequence[str]:
    if is_marked(kind, "weak"):
        return ()
    if kind == "full":
        return [*map(" ".join, zip(choices("person.first"), choices("person.last"), strict=True))]
    return [*map(str, choices(kind))]


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
