"""The words of names: what a value is by the name it has, and which plausible things there are to choose from.

Contract: `kind_of(path, title)` is a `record.field`, the name of a list, a kind that `leaves` makes, or nothing. The
last words of a name weigh most (`home_team_name` is a team's), then the names around it (`players|name` is a person's),
then those of its title. What there is to choose from stands in `words.yaml`.

Example:
    >>> kind_of(("players", "name")), kind_of(("created_at",)), kind_of(("iso", "countryCode")), kind_of(("x",))
    ('full', 'moment', 'place.code', '')
    >>> spell("playerIDs"), choices("place.city")[0]
    (('player', 'ids'), 'Lisbon')

Not covered: names in other languages than English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from toologue.data import shipped
from toologue.text.tokens import singular, spell

_DATA = Path(__file__).with_name("words.yaml")
_NAMING = frozenset(("name", "title", "label", "full", "short", "display", "common", "official", "value"))
_SIDES = frozenset(("from", "to", "a", "b"))
"""What follows a name of one of two things: `airport_to`."""
_SAME = {
    "latitude": "lat", "longitude": "lon", "lng": "lon", "long": "lon", "language": "lang", "query": "q",
    "identifier": "id", "postcode": "zip", "zipcode": "zip", "postalcode": "zip", "emailaddress": "email",
}  # fmt: skip


@lru_cache(maxsize=16384)
def squash(name: str) -> str:
    """A name without case and marks, with one spelling for what has several (`lng`, `longitude`)."""
    plain = "".join(spell(name))
    return _SAME.get(plain, plain)


@lru_cache(maxsize=8192)
def kind_of(path: tuple[str, ...], title: str = "") -> str:
    """What a value is, by its name, by the names around it, by its title; or nothing."""
    words = spell(path[-1]) if path else ()
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _SIDES):
        words = words[:-1]
    if not words:
        return ""
    if (
        len(words) == 1
        and len(path) > 1
        and (found := _words()["fields"].get(f"{singular(path[-2].lower())} {words[0]}"))
    ):
        return str(found)
    if found := _field(words):
        return found
    if words[-1] in _NAMING or words[-1] in _words()["nouns"]:
        return _named(words, path[:-1], title)
    return ""


def noun_of(words: Sequence[str]) -> str:
    """The last of the words that names a kind of thing; or nothing."""
    nouns, singulars = _words()["nouns"], [singular(word) for word in words]
    for at in reversed(range(len(singulars))):
        two = " ".join((*words[max(0, at - 1) : at], singulars[at]))  # a market region is no region
        if found := next((one for one in (two, singulars[at]) if one in nouns), ""):
            return found
    return ""


def kind_about(name: str, about: str) -> str:
    """What a bare `code`, `symbol` or `population` is, where all is about one kind of thing; or nothing."""
    if name.lower().startswith("symbol") | name.lower().endswith("ticker") and group("coins") & set(spell(about)):
        return "coin.symbol"
    noun = noun_of(spell(about)) if name.lower() in ("code", "population") else ""
    return kind_of((noun, name)) if noun else ""


def kind_named(noun: str) -> str:
    """Where the names of a kind of thing come from; or nothing."""
    return str(_words()["nouns"].get(noun, ""))


def noun_for(kind: str) -> str:
    """A noun for things of a kind; or nothing."""
    return next((noun for noun, named in _words()["nouns"].items() if named == kind), "")


def kind_of_domain(name: str) -> str:
    """What people search for in a walk of life; or nothing."""
    return str(_words()["domains"].get(name.lower(), ""))


def kind_wraps(name: str) -> bool:
    """Whether a name says nothing of what it holds: `data`, `results`."""
    return name.lower() in group("wraps")


@cache
def choices(kind: str) -> tuple[Any, ...]:
    """What there is to choose from: the values of a record's field, or a list."""
    record, _, field = kind.partition(".")
    if field:
        made = _words()["records"][record]
        place = made["fields"].index(field)
        return tuple(row[place] for row in made["rows"])
    return tuple(_words()["lists"].get(kind, ()))


@cache
def group(name: str) -> frozenset[str]:
    """A group of words, or of kinds."""
    return frozenset(_words()["groups"][name].split())


def _field(words: tuple[str, ...]) -> str:
    fields = _words()["fields"]
    for size in range(min(3, len(words)), 0, -1):
        if found := fields.get(" ".join(words[-size:])):
            return found
    return ""


def _named(words: tuple[str, ...], around: Sequence[str], title: str) -> str:
    nouns = _words()["nouns"]
    inside = [word for word in words if word not in _NAMING]
    outside = [tuple(w for w in spell(name) if w not in ("item", "items")) for name in (*reversed(around), title)]
    for group in [inside] if inside else outside:
        if noun := noun_of(group):
            return str(nouns[noun])
    return "" if inside else "full" if words == ("full", "name") else "titles"


@cache
def _words() -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", shipped(_DATA))
