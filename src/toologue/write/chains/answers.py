"""Results in words: facts of a thing, things in a list, who meets whom.

What is told of one thing stands in brackets behind its name where things are listed. `odd` is what nobody would say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, cast

from pydantic import JsonValue

from toologue.apis.entities import outputs
from toologue.apis.salience import names_row, tellable, topic_words
from toologue.plan.api_graph.describe import heads
from toologue.schema import Api
from toologue.text.names import kind_named, kind_wraps
from toologue.text.tokens import is_word
from toologue.text.tokens import plural as pluralized
from toologue.write.chains.names import Name, clause, grouped_text, is_date, measured, output, value_text
from toologue.write.chains.words import joined, singular, split, wordset

_ROWS, _LONG, _LABEL, _CROWD = 4, 60, 3, 10**8  # rows, letters, words; a number that counts nothing
# What is no answer's name: it's French, and not: the name is French.
_BY_ITSELF = frozenset(("name", "title", "result", "value", "text", "answer", "translation"))
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_NAME = re.compile(r"[A-Z][^\W\d]{2,}(?:[ '’-][^\W\d]+)*")
_SIDES = ("home", "away", "visitor", "team1", "team2")
_LEADS = ("name", "title", "label", "headline", "symbol", "username", "city", "country", "code", "slug", "id")
# What comes from here on says little about a row.
_NAMING = _LEADS.index("country")
Row = Mapping[str, Any]


def records(names: Iterable[str]) -> str:
    """What rows are that are things of their own, though they have no name: orders; nothing of other outputs."""
    around = [split(part)[-1:] for name in names for part in name.split("|")[:-1] if not kind_wraps(part)]
    return next((one for (one,) in filter(None, around) if singular(one) in wordset("records")), "")


class Answer(NamedTuple):
    """A result in words: facts of `head`, if it has a name; or a list in `listed`, of how many rows, if all are told.

    One thing with a name stands in `listed`, too. `names`: the outputs that it tells. `dated`: its rows are days.
    `odd`: there is something, and nobody would say it.
    """

    kind: Literal["one", "record", "list", "name", "empty", "odd"]
    facts: tuple[tuple[Name, JsonValue], ...] = ()
    head: str = ""
    listed: str = ""
    rows: int = 0
    names: tuple[str, ...] = ()
    dated: bool = False

    @property
    def clause(self) -> str:
        """The facts as a clause: the city is Lyon."""
        return self.said(())

    def said(self, known: Iterable[JsonValue]) -> str:
        """The same to somebody who knows these values: what it is of is not said again."""
        if any(str(one).casefold() == self.head.casefold() for one in known):
            return clause(self.facts)
        if self.head and len(self.facts) == 1 and _may_own(*self.facts[0]):
            (label, value), *_ = self.facts
            return clause([(label._replace(words=f"{label.words} of {self.head}"), value)])
        return f"for {self.head}, {clause(self.facts)}" if self.head else clause(self.facts)


def answer(
    result: JsonValue,
    values: Mapping[str, JsonValue],
    *,
    api: Api | None = None,
    about: Sequence[JsonValue] = (),
) -> Answer:
    """What to say of a result, given what must be said; `about` is what it may be of, if the result says so."""
    if not values:
        return Answer("empty")
    names = _labels(values, result, api)
    values = {name: value for name, value in values.items() if _natural(names[name], value)}
    values = {name: value for name, value in values.items() if len(str(value)) <= _LONG} or values
    if not values:
        return Answer("odd")
    names = {name: names[name] for name in values}
    every = tuple(sorted(values, key=lambda name: _rank(names[name])))
    prefix, rows = _rows(result, values)
    inside = [name for name in values if name.split("|")[: len(prefix)] == list(prefix)]
    if len(rows) > 1 and all(_at(rows[0], name.split("|")[len(prefix) :]) == values[name] for name in inside):
        paths = {name: name.split("|")[len(prefix) :] for name in inside}
        items, count = _items(rows, paths, names)
        told = tuple((names[name], values[name]) for name in inside if not is_date(values[name]))
        dated = len(told) < len(inside) and all(_rank(one) == len(_LEADS) for one, _ in told)
        if items and ((not told and not records(inside)) or len(inside) < len(values)):
            return Answer("odd")
        if items:
            return Answer("list", told if dated else (), "", items, count, every, dated)
    if len(values) == 2 and _meet(*names.values()):
        one, other = map(value_text, values.values())
        return Answer("name", (), "", f"{one} against {other}", 1, every)
    names = {name: _counted(label, values[name]) for name, label in names.items()}
    told = sorted(((names[name], value) for name, value in values.items()), key=lambda one: _rank(one[0]))
    (name, lead), *others = told
    if is_date(lead) and name.documented == "name":
        return Answer("odd")
    if (name.documented == "name" or name.words in _BY_ITSELF) and not others and isinstance(lead, str):
        return Answer("name", (), "", value_text(lead), 1, every)
    named = bool(others) and _rank(name) < _LEADS.index("city") and isinstance(lead, str) and lead[:1].isalnum()
    head, told = (value_text(lead), others) if named else (_of(result, values, about), told)
    listed = f"{head} ({', '.join(_aside(*one) for one in told)})" if head else ""
    rows = int(named and _is_listed(result, every[0].split("|")))
    return Answer("record" if len(told) > 1 else "one", tuple(told), head, listed, rows, every)


def _is_listed(node: Any, path: Sequence[str]) -> bool:
    """Whether a list stands on the way."""
    for part in path:
        if isinstance(node, list):
            return True
        node = cast("Row", node).get(part) if isinstance(node, dict) else None
    return False


def _may_own(name: Name, value: JsonValue) -> bool:
    return not isinstance(value, bool) and " of " not in name.words


def _natural(name: Name, value: JsonValue) -> bool:
    """Whether somebody would say so: a few plain words, and no 0 or 1 for no and yes."""
    words = name.words.removeprefix("number of ").split()
    if name.unit == "%" and isinstance(value, float) and 0 < value < 1:  # a share of one
        return False
    flag = str(value) in ("0", "0.0", "1") and not name.many and len(words) == len(name.words.split())
    spoken = all(word.isupper() or is_word(part) for word in words for part in re.split("[-']", word.lower()))
    return name.documented == "name" or (len(words) <= _LABEL and spoken and not flag)


def _of(result: JsonValue, values: Mapping[str, JsonValue], about: Sequence[JsonValue]) -> str:
    """The name, of those that users gave, by which what is told goes in the result; or nothing."""
    names = [one for one in about if isinstance(one, str) and _NAME.fullmatch(one) and one not in values.values()]
    found, node = set[str](), result
    for part in next(iter(values)).split("|") if names else ():
        node = _unlisted(node)
        row: Row = cast("Row", node) if isinstance(node, dict) else {}
        found |= {one for key, one in row.items() if isinstance(one, str) and key.lower().endswith(_LEADS[:5])}
        node = _at(node, (part,))
    return next((one for one in reversed(names) if one in found), "")


def _aside(name: Name, value: Any) -> str:
    """A fact as it stands in brackets behind what it is of: 69 points, 45 minutes, rating 4.3, defender."""
    name = name._replace(words=name.words.removeprefix("number of "))
    if name.words == "time" and isinstance(value, str) and _CLOCK.fullmatch(value):
        return f"at {value_text(value)}"
    if isinstance(value, str) and not any(map(str.isalpha, value)) and not is_date(value):
        return f"{name.words} {value}"
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, bool) or not (name.many or name.unit):
        return f"{name.words} {measured(name, value)}"
    counted = name.words if value != 1 else " ".join([*name.words.split()[:-1], singular(name.words.split()[-1])])
    return measured(name, value) if name.unit else f"{grouped_text(value)} {counted}"


def _labels(values: Mapping[str, JsonValue], result: JsonValue, api: Api | None) -> dict[str, Name]:
    known = [one for one in outputs(api) if one.name in values] if api else []
    described = {one.name: str(one.schema.get("description") or "") for one in known}
    named = {one.name for one in known if api and names_row(one, heads(api))}
    found, about = dict[str, Name](), topic_words(api) if api else ()
    for name in values:
        label = output(name, described.get(name, ""), about)
        if name in named:
            label = label._replace(documented="name")
        path = [part for part in name.split("|") if part]
        owned = _has_twin(result, path)
        while (owned or label in found.values()) and len(path) > 1:
            owner, owned = output(path.pop(-2)).words.split(), False
            owner = " ".join(owner[:-1] if owner[-1] in wordset("wrapping") else owner)
            label = label if label.words.startswith(owner) else label._replace(words=f"{owner} {label.words}")
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
    last = name.words.split()[-1]
    few = isinstance(value, int) and not isinstance(value, bool) and value < _CROWD
    number = few and (name.many or kind_named(last) == "full")
    said = name.words if name.many else pluralized(name.words)
    return name._replace(words=f"number of {said}") if number and last not in wordset("compounding") else name


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
    pair = {word for name in (one, other) for word in name.words.lower().split() if word in _SIDES}
    return len(pair) == 2 and one.words.split()[1:] == other.words.split()[1:]


def _at(node: Any, path: Sequence[str]) -> Any:
    """The first value at a path; lists on the way count by their first member."""
    for part in path:
        node = _unlisted(node)
        node = cast("Row", node).get(part) if isinstance(node, dict) else None
    return _unlisted(node)


def _unlisted(node: Any) -> Any:
    while isinstance(node, list):
        node = cast("list[Any]", node)[0] if node else None
    return node


def _items(rows: Sequence[Any], paths: Mapping[str, Sequence[str]], names: Mapping[str, Name]) -> tuple[str, int]:
    order = sorted(paths, key=lambda name: (_rank(names[name]), not is_date(_at(rows[0], paths[name]))))
    apart = [name for name in order if len({str(_at(row, paths[name])) for row in rows}) > 1]
    shared = [name for name in order if apart and name not in apart and _rank(names[name]) == len(_LEADS)]
    same = len({_lead(row) for row in rows}) < len(rows)
    order = [*apart, *shared] or order
    day = _one_day([_at(row, paths[order[0]]) for row in rows])
    looked = _ROWS if len(rows) > _ROWS + 1 else len(rows)  # nobody says "and 1 more"
    found: dict[str, str] = {}
    for row in rows[:looked]:
        told = [(names[name], value) for name in order if _plain(value := _at(row, paths[name]))]
        if not told:
            continue
        told = _met(told)
        if not same and _rank(told[0][0]) >= _NAMING and (own := _lead(row)):
            told.insert(0, (Name("name"), own))
        (first, lead), *others = told
        if isinstance(lead, str) and not (is_date(lead) or tellable(lead)):
            continue
        if day and str(lead).startswith(day):
            lead = lead[len(day) + 1 :][:5]
        head = _aside(first, lead) if len(order) > 1 or isinstance(lead, str) else measured(first, lead)
        dates = sum(is_date(value) for _, value in others) > 1
        rest = ", ".join(
            f"{name.words} {_short(value)}" if dates and is_date(value) else _aside(name, value)
            for name, value in others
        )
        found.setdefault(str(lead), f"{head} ({rest})" if rest else head)
    shown = [*dict.fromkeys(found.values())]
    if len(shown) < 2:
        return "", 0
    more = len(rows) - looked
    text = joined([*shown, f"{more} more"] if more else shown)
    return text, len(rows) if len(shown) + more == len(rows) else 0


def _met(told: list[tuple[Name, Any]]) -> list[tuple[Name, Any]]:
    """What is told of a row, with who meets whom as one thing, first."""
    for one, other in pairwise(sorted(told, key=lambda one: one[0].words.split()[0] not in _SIDES)):
        if _meet(one[0], other[0]) and one[1] != other[1]:
            rest = [each for each in told if each not in (one, other)]
            return [(Name("name"), f"{_short(one[1])} against {_short(other[1])}"), *rest]
    return told


def _one_day(values: Sequence[Any]) -> str:
    days = {str(value)[:10] for value in values if is_date(value) and len(str(value)) > 10}
    return days.pop() if len(days) == 1 and all(map(is_date, values)) else ""


def _lead(row: Any) -> str:
    inside: Row = cast("Row", row) if isinstance(row, dict) else {}
    found = (inside.get(key) for key in ("name", "title", "label", "fullName", "full_name", "Name", "Title"))
    return next((one.strip() for one in found if isinstance(one, str) and 1 < len(one.strip()) <= _LONG), "")


def _rank(name: Name) -> int:
    *owner, last = (name.documented or name.words).lower().split()
    if last not in _LEADS or (owner and owner[-1] in wordset("beside")):
        return len(_LEADS)
    return _LEADS.index(last) + bool(owner)


def _plain(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and bool(value.strip()))


def _short(value: Any) -> str:
    text = " ".join(value_text(value).split()) if isinstance(value, str) and len(value) > 80 else grouped_text(value)
    return text if len(text) <= 80 else f"{text[:_LONG].rpartition(' ')[0] or text[:_LONG]}…"
