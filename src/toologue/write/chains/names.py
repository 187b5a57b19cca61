"""Parameters, outputs, values and results in words: "the team ID", "12 March 2025", "the city is Lyon".

A value is said as it is, so that it can be found again. What a name leaves open (`id`, `q`, `from`) is taken from the
description, or from what the Api is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from pydantic import JsonValue

from toologue.apis.salience import tellable
from toologue.schema import Api, Parameter
from toologue.text.names import kind_named, kind_of, noun_for, owners_said
from toologue.text.verbalize import verbalize
from toologue.worlds.documented import kind_sought
from toologue.write.chains.words import joined, lexicon, plural, singular, split, wordset

_LEAD = re.compile(
    r"^(?:(?:please |kindly |must |should |you (?:can|must|should) )?(?:specify|enter|insert|type in|provide|input|put|"
    r"pass|set|choose|select|use|add|give|write|filter by|search by|identifies|represents|define[sd]?|indicates?)"
    r"(?: in| the name of)? )?(?:is )?(?:(?:an?|the|your|any|this|existing|valid|unique|specific|given|required|"
    r"optional|specified|internal|desired|exact|preferred|particular)\b ?)*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:is|are|was|be|has|have|will|can|should|must|may|that|which|who|where|when|if|you|your|we|it|to be|want|"
    r"returned?|used|e\.?g|i\.e|ex|default|example|format|using|obtained|got|found|retrieved|separated|"
    r"allowed|value)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 /'-]*")
_SOME = re.compile(r"(?:one|some|any|number) of (?:.* )?follow\S*$", re.IGNORECASE)
# What `from` and `to` are: by what the description says, or by what else the Api takes.
_BOUNDS = {
    ("currency to convert from", "currency to convert to"): (("currency", "convert"), ()),
    ("start date", "end date"): (("date", "time"), ("interval", "resolution")),
    ("sender's address", "recipient's address"): (("address", "wallet"), ()),
    ("source language", "target language"): (("language",), ("text", "lang")),
    ("starting point", "end point"): (("",), ()),
}
# What tells that a word means something else here than among the parameters of lists.
_OTHERWISE = {"order": " id", "format": "text", "start": "date", "count": "of people"}
_SPANS = {
    "date": ("start", "end"), "year": ("first", "last"), "price": ("minimum", "maximum"),
    "distance": ("minimum", "maximum"), "age": ("minimum", "maximum"),
}  # fmt: skip


class Name(NamedTuple):
    """A noun phrase without its article."""

    words: str

    @property
    def the(self) -> str:
        """With the article that always fits."""
        return f"the {self.words}"

    @property
    def one(self) -> str:
        """As something that takes "is" in any case."""
        return f"the list of {self.words}" if self.many else self.the

    @property
    def many(self) -> bool:
        """Whether it takes "are"."""
        return plural(re.split(r" (?:of|to|for|in) ", self.words)[0].split()[-1])

    @property
    def are(self) -> str:
        """The verb it takes."""
        return "are" if self.many else "is"


def parameters(api: Api) -> dict[str, Name]:
    """A name for each parameter."""
    found: dict[str, Name] = {}
    for name, parameter in api.parameters.items():
        named = map(Name, filter(None, _names(api, name, parameter)))
        found[name] = next((one for one in named if one not in found.values()), Name(f"{name!r} value"))
    return found


def output(name: str) -> Name:
    """A name for an output, by its path (`a|b|c`, or with dots)."""
    path = [part for part in re.split(r"[|.]|\[\]", name) if part.strip()]
    words = split(path[-1]) if path else []
    if not words:
        return Name("value")
    owners = (split(part)[-2:] for part in reversed(path[:-1]))
    plain = (one for one in owners if one and one[-1] not in wordset("wrapping") and not one[-1].isdigit())
    outer = next(plain, list[str]())
    open_word = len(words) == 1 and words[0] in wordset("generic")
    if open_word and outer and (kind := kind_of(tuple(path))) and kind_named(singular(outer[-1])) != kind:
        outer = noun_for(kind).split() or outer
    if open_word and outer and singular(outer[-1]) != words[0]:
        words = [*outer[:-1], singular(outer[-1]), *words]
    if len(words) > 1 and words[0] in ("num", "number", "nb", "no", "count", "total") and plural(words[-1]):
        return Name(f"number of {_spelt(words[1 + (words[1] == 'of') :])}")
    return Name(_spelt(words) if any(word[0].isalpha() for word in words) else f"value for {' '.join(words)}")


def _names(api: Api, name: str, parameter: Parameter) -> list[str]:
    known, words = lexicon(), split(name)
    words = words[1:] if len(words) > 1 and words[0] in ("for", "by", "in", "of") else words
    plain = " ".join(words)
    described = str(parameter.json_schema.get("description") or "")
    found: list[str] = []
    if plain in ("from", "to"):
        found.append(_bound(plain, described, api.parameters))
    elif plain in ("id", "ids", "i", "ident", "uuid"):
        kind = "uuid" if plain == "uuid" else "id"
        found += [_spelt([*one.split(), kind]) for one in (_owner(described), _subject(api)) if one]
    elif plain in wordset("seeking") and kind_of((name,)) in ("topics", "titles") and (sought := _sought(api)):
        found.append(sought)
    elif plain in wordset("vague") or len(plain) < 2:
        found.append(_from_description(described))
    if plain in ("code", "name", "type", "number", "title") and (one := _subject(api)) and kind_named(one):
        found.append(_spelt([one, *words]))
    if len(words) == 2 and {*words} & {"from", "to"} and {*words} & _SPANS.keys():
        (span,), side = {*words} & _SPANS.keys(), "from" in words
        found.append(f"{_SPANS[span][0 if side else 1]} {span}")
    if plain in ("start", "end") and "date" in described.lower():
        found.append(f"{plain} date")
    if plain in known.parameters and not (plain in _OTHERWISE and _OTHERWISE[plain] in f" {described}".lower()):
        found.append(known.parameters[plain])
    return [*found, f"value of {plain}" if len(plain) == 1 else _spelt(words), plain]


def _sought(api: Api) -> str:
    """What is searched for: `q` of an Api about films is the title of the film."""
    kind = kind_sought(api)
    record, _, field = kind.partition(".")
    noun = {"full": "person", "place.hub": "airport"}.get(kind) or singular(
        field if field and field != "name" else record
    )
    return f"{'title' if kind in wordset('titled') else 'name'} of the {noun}" if noun else ""


def _spelt(words: list[str]) -> str:
    known = lexicon()
    out: list[str] = []
    for at, word in enumerate(words):
        tall = word == "long" and (len(words) == 1 or (at + 1 < len(words) and words[at + 1] not in ("deg", "min")))
        word = word if tall or [word] == words == ["ref"] else known.abbreviations.get(word, word)
        if word.endswith("s") and word[:-1] in ("id", "url", "uuid", "upc"):
            word = f"{word[:-1].upper()}s"
        out.append(" ".join(known.spelt.get(one, one) for one in word.split()))
    while len(out) > 1 and out[-1] == out[-2]:
        out.pop()
    if out[:1] == ["ID"] and len(out) == 2:
        out.reverse()
    return " ".join(out)


def _from_description(text: str) -> str:
    first = re.split(r"[.;:\n(,=]|\s[-–]\s", re.sub(r"[*`_#\"“”']|<[^>]+>", " ", text).strip(), maxsplit=1)[0]
    phrase = _LEAD.sub("", " ".join(first.split()))
    words, small = phrase.split(), phrase.lower().split()
    if not 1 <= len(words) <= 5 or not _PLAIN.fullmatch(phrase) or _CLAUSE.search(phrase) or _SOME.match(phrase):
        return ""
    if wordset("foreign") & {*small} or small[0] in wordset("verbs") or {small[0], small[-1]} & wordset("tail"):
        return ""
    cased = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    if len(cased) > 2 and cased[-2] == "of" and not plural(cased[-1]):
        cased.insert(-1, "the")
    spelt = _spelt([part for word in cased for part in (split(word) if word.islower() else [word])])
    return spelt if spelt.lower() not in wordset("vague") - {"name", "type", "code", "number"} else ""


def _owner(text: str) -> str:
    for first, *rest in owners_said(text):
        if first not in wordset("tail") | wordset("verbs") | wordset("empty") | wordset("no_owner"):
            return " ".join([first, *(word for word in rest if word not in wordset("tail") | wordset("no_owner"))])
    return ""


def _subject(api: Api) -> str:
    """What an Api finds things by, or is about, in one word: `news/list-by-player` → player."""
    name = api.name.rpartition("|")[2]
    every = split(name)
    by = [word for word in every[every.index("by") + 1 :] if word not in ("id", "ids")] if "by" in every else []
    if by and kind_named(noun := singular(by[-1])):
        return noun
    words = [word for word in split(re.split(r"\b[Bb]y\b|By(?=[A-Z])", name)[0]) if len(word) > 2]
    words = [word for word in words if word not in wordset("empty") and word not in wordset("lookups")]
    return singular(words[0]) if words and words[0].isalpha() else ""


def _bound(plain: str, description: str, names: Mapping[str, Any]) -> str:
    """`from` and `to`: of a range of time, of money, of a journey."""
    text = description.lower()
    return next(
        first if plain == "from" else last
        for (first, last), (said, beside) in _BOUNDS.items()
        if any(word in text for word in said) or not names.keys().isdisjoint(beside)
    )


_ROWS, _LONG, _SENTENCE, _LARGE = 4, 60, 5, 100_000
_DAY = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")
_NAME = re.compile(r"[A-Z][^\W\d]{2,}(?:[ '’-][^\W\d]+)*")
_SIDES = ("home", "away", "visitor", "team1", "team2")
_LEADS = ("name", "title", "label", "headline", "symbol", "username", "city", "country", "code", "slug", "id")

# What comes from here on says little about a row.
_NAMING = _LEADS.index("country")

Row = Mapping[str, Any]


class Answer(NamedTuple):
    """A result in words: a clause ("the city is Lyon"), or a list in `listed`; of how many rows, if all are told."""

    kind: Literal["one", "record", "list", "empty"]
    clause: str
    listed: str
    rows: int
    aims: tuple[Name, ...] = ()
    """What it tells, for who asks for just that; nothing where rows are listed."""


def value_text(value: JsonValue) -> str:
    """A value as it is said."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return verbalize(value, day_only=True) if _DAY.fullmatch(value) else value.strip()
    if isinstance(value, list):
        return joined([value_text(one) for one in value]) or "none"
    return verbalize(value, exact=True)


def clause(values: Iterable[tuple[Name, JsonValue]]) -> str:
    """The team ID is 5 and the date is 12 March 2025: a clause without capital and full stop."""
    return joined([_fact(name, value) for name, value in values])


def listed(values: Iterable[tuple[Name, JsonValue]]) -> str:
    """Team ID 5, date 12 March 2025."""
    return ", ".join(f"{name.words} {_grouped_text(value)}" for name, value in values)


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
        one, other = map(value_text, values.values())
        both = Name(" and ".join(name.words for name in names.values()))
        return Answer("record", f"it is {one} against {other}", f"{one} against {other}", 1, (both,))
    names = {name: _counted(label, values[name]) for name, label in names.items()}
    told = sorted(((names[name], value) for name, value in values.items()), key=lambda one: _rank(one[0]))
    (name, lead), *others = told
    named = bool(others) and _rank(name) < _LEADS.index("city") and isinstance(lead, str)
    head, told = (value_text(lead), others) if named else (_of(result, values, about), told)
    said, short, aims = clause(told), listed(told), tuple(one for one, _ in told)
    if head:
        return Answer("record", f"for {head}, {said}", f"{head} ({short})", 1, aims)
    return Answer("record" if others else "one", said, short, 1, aims)


def _of(result: JsonValue, values: Mapping[str, JsonValue], about: Sequence[JsonValue]) -> str:
    names = [one for one in about if isinstance(one, str) and _NAME.fullmatch(one) and one not in values.values()]
    beside = _beside(result, next(iter(values)).split("|")) if names else frozenset[str]()
    return next((one for one in reversed(names) if one in beside), "")


def _beside(result: JsonValue, path: Sequence[str]) -> frozenset[str]:
    found, node = set[str](), result
    for part in path:
        node = _unlisted(node)
        row: Row = cast("Row", node) if isinstance(node, dict) else {}
        found |= {one for key, one in row.items() if isinstance(one, str) and key.lower().endswith(_LEADS[:5])}
        node = _at(node, (part,))
    return frozenset(found)


def _fact(name: Name, value: JsonValue) -> str:
    first, _, rest = name.words.partition(" ")
    if isinstance(value, bool) and rest and first in ("is", "has", "can"):
        return f"it {first}{'' if value else ' not' if first != 'has' else ' no'} {rest}"
    words = _grouped_text(value)
    return f'{name.the} {name.are} "{words}"' if words.count(" ") > _SENTENCE else f"{name.the} {name.are} {words}"


def _labels(values: Mapping[str, JsonValue], result: JsonValue) -> dict[str, Name]:
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
    order = sorted(paths, key=lambda name: (_rank(names[name]), not _dated(_at(rows[0], paths[name]))))
    apart = [name for name in order if len({str(_at(row, paths[name])) for row in rows}) > 1]
    common = [name for name in order if apart and name not in apart]
    order = apart or order
    day = _one_day([_at(row, paths[order[0]]) for row in rows])
    looked = _ROWS if len(rows) > _ROWS + 1 else len(rows)  # nobody says "and 1 more"
    found: dict[str, str] = {}
    for row in rows[:looked]:
        told = [(names[name], value) for name in order if _plain(value := _at(row, paths[name]))]
        if not told:
            continue
        if len(told) == 2 and _meet(told[0][0], told[1][0]) and told[0][1] != told[1][1]:
            text = f"{_short(told[0][1])} against {_short(told[1][1])}"
            found.setdefault(text, text)
            continue
        if _rank(told[0][0]) >= _NAMING and (own := _lead(row)):
            told.insert(0, (Name("name"), own))
        (first, lead), *others = told
        if isinstance(lead, str) and not (_dated(lead) or tellable(lead)):
            continue
        plain = _rank(first) < len(_LEADS) or len(order) == 1 or _dated(lead)
        spoken = _short(lead[len(day) + 1 :][:5] if day and str(lead).startswith(day) else lead)
        rest = ", ".join(f"{name.words} {_short(value)}" for name, value in others)
        head = spoken if plain else f"{first.words} {spoken}"
        found.setdefault(str(lead), f"{head} ({rest})" if rest else head)
    shown = [*dict.fromkeys(found.values())]
    if len(shown) < 2:
        return "", 0
    more = len(rows) - looked
    text = joined([*shown, f"{more} more"] if more else shown)
    said_once = ", ".join(f"{names[name].words} {_short(_at(rows[0], paths[name]))}" for name in common)
    whole = len(rows) if len(shown) + more == len(rows) else 0
    return f"{text}, {'both' if len(shown) == 2 else 'all'} with {said_once}" if said_once else text, whole


def _one_day(values: Sequence[Any]) -> str:
    days = {str(value)[:10] for value in values if _dated(value) and len(str(value)) > 10}
    return days.pop() if len(days) == 1 and all(map(_dated, values)) else ""


def _dated(value: Any) -> bool:
    return isinstance(value, str) and _DAY.fullmatch(value) is not None


def _lead(row: Any) -> str:
    inside: Row = cast("Row", row) if isinstance(row, dict) else {}
    found = (inside.get(key) for key in ("name", "title", "label", "fullName", "full_name", "Name", "Title"))
    return next((one.strip() for one in found if isinstance(one, str) and 1 < len(one.strip()) <= _LONG), "")


def _rank(name: Name) -> int:
    *owner, last = name.words.lower().split()
    if last not in _LEADS or (owner and owner[-1] in wordset("beside")):
        return len(_LEADS)
    return _LEADS.index(last) + bool(owner)


def _grouped_text(value: JsonValue) -> str:
    large = isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LARGE
    return f"{value:,}" if large else value_text(value)


def _plain(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and bool(value.strip()))


def _short(value: Any) -> str:
    text = " ".join(value_text(value).split()) if isinstance(value, str) and len(value) > 80 else _grouped_text(value)
    return text if len(text) <= 80 else f"{text[:_LONG].rpartition(' ')[0] or text[:_LONG]}…"
