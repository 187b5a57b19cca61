"""What of a result is worth saying: a few values of one row, or rows that have names or days.

Contract: pure. `answer` gives outputs with their values, as they stand in the document; nothing where no value tells
at least `books.WORTH`, or only repeats what was said.

Example:
    >>> import random
    >>> from toologue.apis.entities import outputs
    >>> from toologue.apis.result_values import values_of
    >>> from toologue.schema import Api
    >>> row = {"type": "object", "properties": {"summary": {"type": "string"}, "hash": {"type": "string"}}}
    >>> known = {one.name: one for one in outputs(Api(name="Weather", returns=row))}
    >>> found = values_of({"summary": "rain at times", "hash": "a8"})
    >>> answer(found, known, {"summary": 5}, said=frozenset(), given=frozenset(), chosen="", rng=random.Random(1))
    {'summary': 'rain at times'}

Not covered: values of several rows that only together say something.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence, Set

from pydantic import JsonValue

from toologue.apis.entities import Entity
from toologue.apis.result_values import Single, sayable
from toologue.apis.salience import (
    bare,
    dates_rows,
    family_of,
    named_thing,
    named_well,
    names_itself,
    names_rows,
    short,
    tellable,
)
from toologue.plan.chains.api_view import WORTH
from toologue.worlds.documented import kind_wraps

_ANSWERED = 2
"""So many values of a result make an answer, beside what names them."""
_SIDES = (("home", "away"), ("Home", "Away"), ("home", "visitor"), ("team1", "team2"), ("team_1", "team_2"))


def answer(
    found: Sequence[Single],
    outputs: Mapping[str, Entity],
    worth: Mapping[str, int],
    *,
    said: Set[str],
    given: Set[str],
    chosen: str,
    rng: random.Random,
) -> dict[str, JsonValue]:
    """A few values of one row that belong together and are worth saying.

    What the user gave (`said`, in small letters; `given`, families of kinds) is not told again, nor what was chosen by,
    but for rows of it.
    """
    groups: dict[str, dict[str, JsonValue]] = {}
    for one in found:
        news = not one.bare and one.name in worth and _heard(one, outputs[one.name], given, chosen)
        if news and str(one.value).casefold() not in said:
            groups.setdefault(one.name.rpartition("|")[0], {}).setdefault(one.name, one.value)
    kept = [_met(groups) or {}, *(_best(values, outputs, worth, rng) for values in groups.values())]
    best = max(kept, key=lambda values: _weight(values, worth), default=dict[str, JsonValue]())
    return best if any(worth[name] >= WORTH for name in best) else {}


def _weight(values: Mapping[str, JsonValue], worth: Mapping[str, int]) -> int:
    """How much some values of one row tell; one less for each thing that they only stand inside of."""
    inside = (len([part for part in name.split("|")[:-1] if not kind_wraps(part)]) for name in values)
    return sum(worth[name] for name in values) - min(inside, default=0)


def _heard(one: Single, output: Entity, given: Set[str], chosen: str) -> bool:
    """Whether somebody would like to hear a value."""
    family = family_of(named_thing(output))
    if family in given or (output.many and not short(one.value)) or (family and family == chosen and not output.many):
        return False
    return sayable(one.value) and tellable(one.value) and named_well(one.name, one.value)


def _met(groups: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue] | None:
    """The names of the two who meet: of who is at home and who is away."""
    names = {name: value for values in groups.values() for name, value in values.items()}
    for home, value in names.items():
        others = (home.replace(here, there) for here, there in _SIDES if here in home)
        away = next((other for other in others if other in names), "")
        if away and names[away] != value and (names_itself(home) or home.lower().endswith("team")):
            return {home: value, away: names[away]}
    return None


def _best(
    values: Mapping[str, JsonValue], outputs: Mapping[str, Entity], worth: Mapping[str, int], rng: random.Random
) -> dict[str, JsonValue]:
    """Those of a row that tell most, no two with one value, in their order; nothing where rows would have no name."""
    order = sorted(values, key=lambda name: (-worth[name], not short(values[name]), rng.random()))
    dated = next((name for name in values if outputs[name].many and dates_rows(outputs[name])), "")
    told: dict[str, JsonValue] = {dated: values[dated]} if dated and not any(map(names_itself, order[:1])) else {}
    for name in order:
        most = _ANSWERED + any(map(names_itself, told)) + (dated in told)
        if len(told) < most and (worth[name] >= WORTH or not told) and values[name] not in told.values():
            told[name] = values[name]
    if any(outputs[name].many for name in told) and not any(names_rows(outputs[name]) for name in told) and not dated:
        naming = next((name for name in values if outputs[name].many and names_rows(outputs[name])), None)
        if naming is None:
            return {}
        told[naming] = values[naming]
    if len(told) == 1 and not outputs[(only := next(iter(told)))].many and bare(only):
        return {}
    return {name: told[name] for name in values if name in told}
