"""A result is of the place that was asked for: the coordinates of Denver are not answered by Oslo, nor by Shuzenji.

A place is known by any of its fields (its city, its airport, its postal code, its latitude and longitude) if the world
knows it. Lists may be of what is near; where two places are asked for (from here to there), nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import JsonValue

from toologue.errors import shown
from toologue.schema import AgentTurn, Dialogue
from toologue.text.names import kind_of
from toologue.verify import Flaw
from toologue.worlds.documented import choices

_FIELDS = ("city", "country", "code", "code3", "zip", "lat", "lon", "airport", "hub", "icao")
_COUNTRY = ("country", "code", "code3")
_Place = Mapping[str, str]


def wrong_places(dialogue: Dialogue) -> Iterator[Flaw]:
    """A flaw for each result that is of another place than its call asked for."""
    for number, turn in enumerate(dialogue.turns):
        if not isinstance(turn, AgentTurn):
            continue
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call" and result and (other := elsewhere(act.arguments or {}, result.value)):
                yield Flaw("supported", number, f"{act.api} answers of {shown(other)}: another place was asked for")


def elsewhere(arguments: Mapping[str, JsonValue], result: JsonValue) -> str:
    """The name of another place, of which a result is, than its arguments give; or nothing."""
    asked = _places_of(arguments)
    if not asked:
        return ""
    for path, value in _singles(result, ()):
        field = _field(path)
        if field not in ("city", *_COUNTRY) or not isinstance(value, str) or len(value) < 2:
            continue
        said, fields = value.casefold(), _COUNTRY if field in _COUNTRY else (field,)
        own = {place[one] for place in asked for one in fields}
        known = any(said == place[one] for place in _table() for one in fields)
        pinned = field == "city" and len(asked) == 1 and not any(one in said or said in one for one in own)
        if said not in own and (known or pinned):
            return value
    return ""


def _places_of(arguments: Mapping[str, JsonValue]) -> list[_Place]:
    """The places that all of some arguments give."""
    given = [(field, str(value).casefold()) for name, value in arguments.items() if (field := _field((name,)))]
    return [place for place in _table() if given and all(place[field] == value for field, value in given)]


def _field(path: tuple[str, ...]) -> str:
    record, _, field = kind_of(path).partition(".")
    return field if record == "place" and field in _FIELDS else ""


def _table() -> list[_Place]:
    columns = [[str(one).casefold() for one in choices(f"place.{field}")] for field in _FIELDS]
    return [dict(zip(_FIELDS, row, strict=True)) for row in zip(*columns, strict=True)]


def _singles(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of a result that stand in no list."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            yield from _singles(inner, (*path, name))
    elif not isinstance(value, list):
        yield path, value
