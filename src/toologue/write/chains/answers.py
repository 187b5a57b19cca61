"""Values in words: what users give, what agents ask for, what a result has to say.

Contract: a value is said as it is, so that it can be found again; a date gets its month written out, which
`values.find` reads back; of a moment the day is said. `answer` says every value that it is given, and beyond these only
what stands in the result: where the values are those of the first row of a list, the rows beside it, and how many there
are.

Example:
    >>> result = {"teams": [{"id": 7, "name": "Ajax", "points": 12}, {"id": 9, "name": "Vitesse", "points": 10}]}
    >>> answer(result, {"teams|name": "Ajax", "teams|points": 12})
    Answer(kind='list', clause='', listed='Ajax (points 12) and Vitesse (points 10)', rows=2, aims=())
    >>> found = answer({"city": "Lyon", "founded": "0043-01-01"}, {"city": "Lyon"})
    >>> found.clause, [name.the for name in found.aims]
    ('the city is Lyon', ['the city'])
    >>> said("2025-03-12"), said(True), said(["a", "b"])
    ('12 March 2025', 'true', 'a and b')

Not covered: which values are worth saying; the plan knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from pydantic import JsonValue

from toologue.apis.salience import tellable
from toologue.text.verbalize import verbalize
from toologue.write.chains.lexicon import joined, wordset
from toologue.write.chains.names import Name, output

_ROWS, _LONG, _SENTENCE, _LARGE = 4, 60, 5, 100_000
_DAY = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")
_NAME = re.compile(r"[A-Z][^\W\d]{2,}(?:[ '’-][^\W\d]+)*")
_SIDES = ("home", "away", "visitor", "team1", "team2")
_LEADS = ("name", "title", "label", "headline", "symbol", "username", "city", "country", "code", "slug", "id")

_NAMING = _LEADS.index("country")
"""What comes from here on says little about a row."""

Row = Mapping[str, Any]


class Answer(NamedTuple):
    """A result in words: a clause ("the city is Lyon"), or a list in `listed`; of how many rows, if all are told."""

    kind: Literal["one", "record", "list", "empty"]
    clause: str
    listed: str
    rows: int
    aims: tuple[Name, ...] = ()
    """What it tells, for who asks for just that; nothing where rows are listed."""


def said(value: JsonValue) -> str:
    """A value as it is said."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return verbalize(value, day_only=True) if _DAY.fullmatch(value) else value.strip()
    if isinstance(value, list):
        return joined([said(one) for one in value]) or "none"
    return verbalize(value, exact=True)


def clause(values: Iterable[tuple[Name, JsonValue]]) -> str:
    """The team ID is 5 and the date is 12 March 2025: a clause without capital and full stop."""
    return joined([_fact(name, value) for name, value in values])


def listed(values: Iterable[tuple[Name, JsonValue]]) -> str:
    """Team ID 5, date 12 March 2025."""
    return ", ".join(f"{name.words} {_told(value)}" for name, value in values)


def answer(result: JsonValue, values: Mapping[str, JsonValue], *, about: Sequence[JsonValue] = ()) -> Answer:
    """What to say of a result, given what must be said; `about` is what it may be of, if the result says so."""
    if not values:
        return Answer("empty", "", "", 0)
    names = _labels(values, result)
    prefix, rows = _rows(result, values)
    inside = [name for name in values if name.split("|")[: len(prefix)] == list(prefix)]
    if len(rows) > 1 and all(_at(rows[0], name.split("|")[len(prefix) :]) == values[name] for name in inside):
        paths = {name: name.split("|")[len(prefix) :] for name in inside}
        others = [(names[name], values[name]) for name in values if name not in inside]
        items, count = _items(rows, paths, names)
        if items:
            tail = f"; {clause(others)}" if others else ""
            return Answer("list", "", f"{items}{tail}", count)
    if len(values) == 2 and _meet(*names.values()):
        one, other = map(said, values.values())
        both = Name(" and ".join(name.words for name in names.values()))
        return Answer("record", f"it is {one} against {other}", f"{one} against {other}", 1, (both,))
    names = {name: _counted(label, values[name]) for name, label in names.items()}
    told = sorted(((names[name], value) for name, value in values.items()), key=lambda one: _rank(one[0]))
    (name, lead), *others = told
    if others and _rank(name) < _LEADS.index("city") and isinstance(lead, str):
        aims = tuple(one for one, _ in others)
        return Answer("record", f"for {said(lead)}, {clause(others)}", f"{said(lead)} ({listed(others)})", 1, aims)
    aims, of = tuple(one for one, _ in told), _of(result, values, about)
    if of:
        return Answer("record", f"for {of}, {clause(told)}", f"{of} ({listed(told)})", 1, aims)
    return Answer("one" if not others else "record", clause(told), listed(told), 1, aims)


def _of(result: JsonValue, values: Mapping[str, JsonValue], about: Sequence[JsonValue]) -> str:
    """The last name that was told before and stands in the result, too."""
    names = [one for one in about if isinstance(one, str) and _NAME.fullmatch(one) and one not in values.values()]
    beside = _beside(result, next(iter(values)).split("|")) if names else frozenset[str]()
    return next((one for one in reversed(names) if one in beside), "")


def _beside(result: JsonValue, path: Sequence[str]) -> frozenset[str]:
    """What names the thing that a value is said of, and the things around it."""
    found: set[str] = set()
    node: Any = result
    for part in path:
        while isinstance(node, list):
            node = cast("list[Any]", node)[0] if node else None
        if not isinstance(node, dict):
            break
        row = cast("Row", node)
        found |= {one for key, one in row.items() if isinstance(one, str) and key.lower().endswith(_LEADS[:5])}
        node = row.get(part)
    return frozenset(found)


def _fact(name: Name, value: JsonValue) -> str:
    first, _, rest = name.words.partition(" ")
    if isinstance(value, bool) and rest and first in ("is", "has", "can"):
        return f"it {first}{'' if value else ' not' if first != 'has' else ' no'} {rest}"
    words = _told(value)
    return f'{name.the} {name.are} "{words}"' if words.count(" ") > _SENTENCE else f"{name.the} {name.are} {words}"


def _labels(values: Mapping[str, JsonValue], result: JsonValue) -> dict[str, Name]:
    """A name for each value, no two alike: with that of what it stands in, where others of its name stand beside."""
    found: dict[str, Name] = {}
    for name in values:
        label = output(name)
        path = [part for part in name.split("|") if part]
        owned = _has_twin(result, path)
        while (owned or label in found.values()) and len(path) > 1:
            owner, owned = output(path.pop(-2)).words, False
            label = label if label.words.startswith(owner) else Name(f"{owner} {label.words}")
        found[name] = label
    return found


def _has_twin(result: JsonValue, path: Sequence[str]) -> bool:
    """Whether beside the thing that a value is said of another one stands that has such a value: petrol and diesel."""
    named = len(path) > 1 and not path[-2].isdigit() and path[-2].lower() not in wordset("wrapping")
    around = _at(result, path[:-2]) if named else None
    things: Row = cast("Row", around) if isinstance(around, dict) else {}
    return any(name != path[-2] and _at(thing, path[-1:]) is not None for name, thing in things.items())


def _counted(name: Name, value: JsonValue) -> Name:
    """How many there are of what a plural names: the bedrooms, the number of bedrooms."""
    number = isinstance(value, int) and not isinstance(value, bool) and name.many
    return Name(f"number of {name.words}") if number and name.words.split()[-1] not in wordset("compounding") else name


def _rows(result: JsonValue, names: Iterable[str]) -> tuple[tuple[str, ...], Sequence[Any]]:
    """The list in which the first value stands that stands in one: (where it is, its rows)."""
    for name in names:
        node: Any = result
        path = name.split("|")
        for depth, part in enumerate([*path, ""]):
            if isinstance(node, list) and node:
                if len(cast("list[Any]", node)) > 1 and depth < len(path):
                    return tuple(path[:depth]), cast("list[Any]", node)
                node = cast("list[Any]", node)[0]
            if not isinstance(node, dict) or part not in node:
                break
            node = cast("Row", node)[part]
    return (), ()


def _meet(one: Name, other: Name) -> bool:
    """Whether two names are of the two who meet."""
    pair = {word for name in (one, other) for word in name.words.lower().split() if word in _SIDES}
    return len(pair) == 2 and one.words.split()[1:] == other.words.split()[1:]


def _at(node: Any, path: Sequence[str]) -> Any:
    """The first value at a path; lists on the way count by their first member."""
    for part in [*path, None]:
        while isinstance(node, list):
            node = cast("list[Any]", node)[0] if node else None
        if part is None:
            return node
        node = cast("Row", node).get(part) if isinstance(node, dict) else None
    return node


def _items(rows: Sequence[Any], paths: Mapping[str, Sequence[str]], names: Mapping[str, Name]) -> tuple[str, int]:
    """The first rows, each by what names it, the rest of it in brackets, what all have once; of how many, if of all."""
    order = sorted(paths, key=lambda name: (_rank(names[name]), not _dated(_at(rows[0], paths[name]))))
    apart = [name for name in order if len({str(_at(row, paths[name])) for row in rows}) > 1]
    common = [(names[name], _at(rows[0], paths[name])) for name in order if apart and name not in apart]
    order = apart or order
    shown: list[str] = []
    heads: set[str] = set()
    day = _one_day([_at(row, paths[order[0]]) for row in rows])
    looked = _ROWS if len(rows) > _ROWS + 1 else len(rows)  # nobody says "and 1 more"
    for row in rows[:looked]:
        told = [(names[name], _at(row, paths[name])) for name in order]
        told = [(name, value) for name, value in told if _plain(value)]
        if not told:
            continue
        if len(told) == 2 and _meet(told[0][0], told[1][0]) and told[0][1] != told[1][1]:
            shown.append(f"{_short(told[0][1])} against {_short(told[1][1])}")
            continue
        if _rank(told[0][0]) >= _NAMING and (own := _lead(row)):
            told.insert(0, (Name("name"), own))
        (first, lead), *others = told
        if str(lead) in heads or (isinstance(lead, str) and not (_dated(lead) or tellable(lead))):
            continue
        heads.add(str(lead))
        plain = _rank(first) < len(_LEADS) or len(order) == 1 or _dated(lead)
        spoken = _short(lead[len(day) + 1 :][:5] if day and str(lead).startswith(day) else lead)
        head = spoken if plain else f"{first.words} {spoken}"
        rest = ", ".join(f"{name.words} {_short(value)}" for name, value in others)
        shown.append(f"{head} ({rest})" if rest else head)
    shown = [*dict.fromkeys(shown)]
    if len(shown) < 2:
        return "", 0
    more, said_once = len(rows) - looked, ", ".join(f"{name.words} {_short(value)}" for name, value in common)
    text = joined(shown if not more else [*shown, f"{more} more"])
    all_of_them = "both" if len(shown) == 2 else "all"
    whole = len(rows) if len(shown) + more == len(rows) else 0
    return f"{text}, {all_of_them} with {said_once}" if said_once else text, whole


def _one_day(values: Sequence[Any]) -> str:
    """The day of all values, where they are hours of one; or nothing."""
    days = {str(value)[:10] for value in values if _dated(value) and len(str(value)) > 10}
    return days.pop() if len(days) == 1 and all(map(_dated, values)) else ""


def _dated(value: Any) -> bool:
    return isinstance(value, str) and _DAY.fullmatch(value) is not None


def _lead(row: Any) -> str:
    """What names a row, though nobody asked for it."""
    inside: Row = cast("Row", row) if isinstance(row, dict) else {}
    found = (inside.get(key) for key in ("name", "title", "label", "fullName", "full_name", "Name", "Title"))
    return next((one.strip() for one in found if isinstance(one, str) and 1 < len(one.strip()) <= _LONG), "")


def _rank(name: Name) -> int:
    *owner, last = name.words.lower().split()
    if last not in _LEADS or (owner and owner[-1] in wordset("beside")):
        return len(_LEADS)
    return _LEADS.index(last) + bool(owner)


def _told(value: JsonValue) -> str:
    """A value as it is told: large numbers in groups."""
    large = isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LARGE
    return f"{value:,}" if large else said(value)


def _plain(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and bool(value.strip()))


def _short(value: Any) -> str:
    """A value of a row, cut where it is long."""
    text = " ".join(said(value).split()) if isinstance(value, str) and len(value) > 80 else _told(value)
    return text if len(text) <= 80 else f"{text[:_LONG].rpartition(' ')[0] or text[:_LONG]}…"
