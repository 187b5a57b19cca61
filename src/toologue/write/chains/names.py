"""Parameters, outputs, values and results in words: "the team ID", "12 March 2025", "the city is Lyon".

A value is said as it is, so that it can be found again, in the unit that its description names. A thing is called what
its description calls it where that is a short noun phrase and the name alone says little; else by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, cast

from pydantic import JsonValue

from toologue.apis.entities import outputs
from toologue.apis.salience import names_row, tellable
from toologue.plan.api_graph.describe import heads
from toologue.schema import Api, Parameter
from toologue.text.names import kind_named, kind_of, noun_for, owners_said
from toologue.text.tokens import is_word
from toologue.text.tokens import plural as pluralized
from toologue.text.verbalize import verbalize
from toologue.worlds.documented import kind_sought, sought_by
from toologue.write.chains.words import joined, lexicon, plural, singular, split, wordset

_LEAD = re.compile(
    r"^(?:(?:please |kindly |must |should |you (?:can|must|should) )?(?:specify|enter|insert|type in|provide|input|put|"
    r"pass|set|choose|select|use|add|give|write|filter by|search by|identifies|represents|define[sd]?|indicates?)"
    r"(?: in| the name of)? )?(?:is )?(?:(?:an?|the|your|any|existing|valid|unique|specific|given|required|optional|"
    r"specified|internal|desired|exact|preferred|particular)\b ?)*",
    re.IGNORECASE,
)
_MEASURES = (
    r"[A-Z]{3}|km/h|[ck]?m|mm|kg|hPa|kcal|°[CF]|%|(?:kilo|milli|centi)?met(?:re|er)s|miles|milliseconds|seconds|minutes|"
    r"hours|days|euros|dollars|pounds|grams|kilograms|square met(?:re|er)s"
)
_UNITS = {"percent": "%", "degrees": "degrees"}
_UNIT = re.compile(rf" in ({_MEASURES})(?![\w/])")
# Where a noun phrase goes on with what nobody says: city to search in, price in EUR.
_TAIL = re.compile(
    r" (?:(?:to|that|which|where|when|whose|used|using|such|like|as|if|or|and|from|between|you|we|in which|in what)\b|"
    rf"for (?:each|every|the (?:requested|given))\b|in (?:{_MEASURES})(?![\w/])).*$"
)
_CLAUSE = re.compile(
    r"\b(?:is|are|was|be|has|have|will|can|should|must|may|who|your|it|want|only|this|these|returned?|obtained|got|"
    r"found|retrieved|separated|allowed|value|default|example|format|whether|list|one|two|if|not|no|contains|specifies|"
    r"determines|controls|allows|refers|denotes|describes|uses|accepts|matches|supports|means|filters|limits|sets)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z /'-]*")
_IDS = ("id", "ids", "i", "ident", "uuid", "identifier", "slug")
# What `from` and `to` are: by what the description says, or by what else the Api takes.
_BOUNDS = {
    ("currency to convert from", "currency to convert to"): (("currency", "convert"), ()),
    ("start date", "end date"): (("date", "time"), ("interval", "resolution")),
    ("sender's address", "recipient's address"): (("address", "wallet"), ()),
    ("source language", "target language"): (("language",), ("text", "lang")),
    ("starting point", "end point"): (("",), ()),
}
_WHOSE = re.compile(
    r"(?:(.+?)(?:'s)? (?:ID|UUID|code|key|number|slug)|(?:ID|code|number|exact position) of (?:the|an?) (\w+))$", re.I
)
# What is asked for as one of many: which city, which day.
_WHICH = frozenset(
    "date day month year season language currency country city region state league team player sport genre category "
    "artist album song film movie book recipe ingredient diet station airport airline hotel restaurant brand product "
    "model company school event venue channel".split()
)


class Name(NamedTuple):
    """A noun phrase without its article; the unit of its values; what documents call it, if something else.

    `thing`: it names a thing that is meant by its id.
    """

    words: str
    unit: str = ""
    documented: str = ""
    thing: bool = False

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
        return plural(
            re.split(r" (?:of|to|for|in|on|at|per|until|before|after|from|with|by) ", self.words)[0].split()[-1]
        )

    @property
    def are(self) -> str:
        """The verb it takes."""
        return "are" if self.many else "is"

    @property
    def whose(self) -> str:
        """With the article, an id as that of its thing: the show's ID."""
        return re.sub(r"\b([a-z]+[^\Ws]) ID$", r"\1's ID", self.the)

    @property
    def short(self) -> Name:
        """As it is said where it is clear of what: the title of the show, the title."""
        return self._replace(words=re.sub("^(title|name) of the .*", r"\1", self.words))

    @property
    def which(self) -> bool:
        """Whether it is asked for as one of many: "Which city?"."""
        return self.thing or self.words in _WHICH


def phrased(phrase: str, documented: Name) -> Name:
    """The name that somebody's phrase is: `the reader's name`."""
    words = re.sub("^(?:the|your|an?) ", "", phrase.strip(), flags=re.IGNORECASE)
    return Name(words, documented.unit, documented.words)


def parameters(api: Api) -> dict[str, Name]:
    """A name for each parameter."""
    found: dict[str, str] = {}
    for name, parameter in api.parameters.items():
        named = filter(None, _names(api, name, parameter))
        found[name] = next((one for one in named if one not in found.values()), f"{name!r} value")
    described = {name: str(one.json_schema.get("description") or "") for name, one in api.parameters.items()}
    return {name: Name(words, _unit(described[name])) for name, words in found.items()}


def thing_of(name: Name, *apis: Api) -> Name:
    """What an id is of, the film; by what Apis find or are about where its name says nothing. Or the name itself."""
    found = _WHOSE.match(name.words)
    sought = (re.sub("^(?:title|name) of the ", "", _sought(api)) for api in apis)
    for words in filter(None, (found and found[found.lastindex or 0], *sought, *map(_subject, apis))):
        if kind_named(last := words.split()[-1]) or last in wordset("countable"):
            return Name(words, thing=True)
    return name


def output(name: str, description: str = "") -> Name:
    """A name for an output, by its path (`a|b|c`, or with dots), or by what its description calls it."""
    path = [part for part in re.split(r"[|.]|\[\]", name) if part.strip()]
    words = split(path[-1]) if path else []
    if not words:
        return Name("value")
    unit = _unit(description) or _UNITS.get(kind_of(tuple(path)), "")
    if (len(words) > 1 or not is_word(words[0])) and (said := _phrase(description)):
        return Name(said, unit)
    owners = (split(part)[-2:] for part in reversed(path[:-1]))
    plain = (one for one in owners if one and one[-1] not in wordset("wrapping") and not one[-1].isdigit())
    outer = next(plain, list[str]())
    open_word = len(words) == 1 and words[0] in wordset("generic")
    if open_word and outer and (kind := kind_of(tuple(path))) and kind_named(singular(outer[-1])) != kind:
        outer = noun_for(kind).split() if kind == "full" else outer
    if open_word and outer and singular(outer[-1]) != words[0]:
        words = [*outer[:-1], singular(outer[-1]), *words]
    if len(words) > 1 and words[0] in ("num", "number", "nb", "no", "count", "total") and plural(words[-1]):
        return Name(f"number of {_spelt(words[1 + (words[1] == 'of') :])}", unit)
    return Name(_spelt(words) if any(word[0].isalpha() for word in words) else f"value for {' '.join(words)}", unit)


def _unit(description: str) -> str:
    found = _UNIT.search(description)
    return found[1] if found else ""


def _names(api: Api, name: str, parameter: Parameter) -> Iterator[str]:
    """What a parameter may be called, the best first."""
    known, words = lexicon(), split(name)
    words = words[1:] if len(words) > 1 and words[0] in ("for", "by", "in", "of") else words
    plain, described = " ".join(words), str(parameter.json_schema.get("description") or "")
    said = _phrase(described)
    if plain in ("from", "to"):
        yield _bound(plain, described, api.parameters)
    if (
        words[:1] in (["from"], ["to"])
        and words[1:]
        and not kind_of((name,)).startswith(("day", "mom", "place.ci", "place.co"))
    ):
        yield f"{_spelt(words[1:])} to convert {words[0]}"
    if words[-1:] and words[-1] in _IDS:
        owner = " ".join(words[:-1]) or _owner(described) or _subject(api)
        yield _spelt([*owner.split(), "uuid" if words[-1] == "uuid" else "id"]) if owner else ""
    little = len(words) > 1 or plain in wordset("vague") | wordset("seeking") or not is_word(plain)
    if plain in wordset("seeking") and kind_of((name,)) in ("topics", "titles"):
        yield said if said and not wordset("queried") & {*re.findall(r"\w+", said)} else _sought(api) or "topic"
    if said and little and not (words[-1] in _IDS and said.endswith(" ID")):
        yield said
    if plain in ("code", "name", "type", "number", "title") and (one := _subject(api)) and kind_named(one):
        yield _spelt([one, *words])
    yield known.parameters.get(plain, "")
    yield f"value of {plain}" if len(plain) == 1 else _spelt(words)
    yield plain


def _phrase(text: str) -> str:
    """What a description calls the thing, if it does so in a few plain words; or nothing."""
    first = re.split(r"[.;:\n(,=]|\s[-–]\s", re.sub(r"[*`_#\"“”]|<[^>]+>", " ", text).strip(), maxsplit=1)[0]
    phrase = _TAIL.sub("", _LEAD.sub("", " ".join(first.split())))
    words, small = phrase.split(), phrase.lower().split()
    if not 1 <= len(words) <= 5 or not _PLAIN.fullmatch(phrase) or _CLAUSE.search(phrase):
        return ""
    if wordset("foreign") & {*small} or {small[0], small[-1]} & wordset("tail") or small[0] in wordset("verbs"):
        return ""
    if not all(is_word(part) for word in small for part in re.split(r"'s?|[/-]", word) if len(part) > 1):
        return ""
    cased = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    if len(cased) > 2 and cased[-2] == "of" and not plural(cased[-1]):
        cased.insert(-1, "the")
    spelt = _spelt(cased)
    return spelt if spelt.lower() not in wordset("vague") - {"name", "type", "code", "number"} else ""


def _sought(api: Api) -> str:
    """What is searched for: `q` of an Api about films is the title of the film; of shows, that of the show."""
    kind = kind_sought(api)
    record, _, field = kind.partition(".")
    noun = {"full": "person", "place.hub": "airport"}.get(kind) or singular(
        field if field and field != "name" else record
    )
    own = next((word for word in map(singular, split(api.name.rpartition("|")[2])) if kind_named(word) == kind), noun)
    return f"{'title' if kind in wordset('titled') else 'name'} of the {own}" if noun and sought_by(api) else ""


def _spelt(words: Sequence[str]) -> str:
    known = lexicon()
    out: list[str] = []
    for at, word in enumerate(words):
        tall = word == "long" and (len(words) == 1 or (at + 1 < len(words) and words[at + 1] not in ("deg", "min")))
        word = word if tall or [word] == [*words] == ["ref"] else known.abbreviations.get(word, word)
        if word.endswith("s") and word[:-1] in ("id", "url", "uuid", "upc"):
            word = f"{word[:-1].upper()}s"
        out.append(" ".join(known.spelt.get(one, one) for one in word.split()))
    while len(out) > 1 and out[-1] == out[-2]:
        out.pop()
    return " ".join(reversed(out) if out[:1] == ["ID"] and len(out) == 2 else out)


def _owner(text: str) -> str:
    for owner in owners_said(text):
        owner = [word for word in owner if word not in ("source", "target", "parent", "main", "given")]
        said = [word for word in owner if word not in wordset("tail") | wordset("no_owner")]
        thing = len(said) == 1 and kind_named(said[0])  # a show, and not to show
        if said and owner[0] == said[0] and (thing or said[0] not in wordset("verbs") | wordset("empty")):
            return " ".join(said)
    return ""


def _subject(api: Api) -> str:
    """What an Api finds things by, or is about, in one word: `news/list-by-player` → player."""
    every = split(api.name.rpartition("|")[2])
    by = [word for word in every[every.index("by") + 1 :] if word not in _IDS] if "by" in every else []
    if by and kind_named(noun := singular(by[-1])):
        return noun
    words = every[: every.index("by")] if "by" in every else every
    words = [word for word in words if len(word) > 2 and word not in wordset("empty") | wordset("lookups")]
    return singular(words[0]) if words and words[0].isalpha() else ""


def _bound(plain: str, description: str, names: Mapping[str, Any]) -> str:
    """`from` and `to`: of a range of time, of money, of a journey."""
    text = description.lower()
    return next(
        first if plain == "from" else last
        for (first, last), (said, beside) in _BOUNDS.items()
        if any(word in text for word in said) or not names.keys().isdisjoint(beside)
    )


_ROWS, _LONG, _SENTENCE, _LARGE, _LABEL = 4, 60, 5, 100_000, 3
# What is no answer's name: it's French, and not: the name is French.
_BY_ITSELF = frozenset(("name", "title", "result", "value", "text", "answer", "translation"))
_DAY = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")
_SPELT = re.compile(r"[a-z]+(?:_[a-z]+)+")
_NAME = re.compile(r"[A-Z][^\W\d]{2,}(?:[ '’-][^\W\d]+)*")
_SIDES = ("home", "away", "visitor", "team1", "team2")
_LEADS = ("name", "title", "label", "headline", "symbol", "username", "city", "country", "code", "slug", "id")

# What comes from here on says little about a row.
_NAMING = _LEADS.index("country")

Row = Mapping[str, Any]


class Answer(NamedTuple):
    """A result in words: a clause ("the city is Lyon"), or a list in `listed`; of how many rows, if all are told.

    One thing with a name stands in `listed`, too. `odd`: there is something, and nobody would say it.
    """

    kind: Literal["one", "record", "list", "name", "single", "empty", "odd"]
    clause: str
    listed: str
    rows: int
    aims: tuple[Name, ...] = ()
    """What it tells, for who asks for just that; nothing where rows are listed by their names."""


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


def answer(
    result: JsonValue,
    values: Mapping[str, JsonValue],
    *,
    api: Api | None = None,
    about: Sequence[JsonValue] = (),
) -> Answer:
    """What to say of a result, given what must be said; `about` is what it may be of, if the result says so."""
    if not values:
        return Answer("empty", "", "", 0)
    names = _labels(values, result, api)
    values = {name: value for name, value in values.items() if _natural(names[name], value)}
    values = {name: value for name, value in values.items() if len(str(value)) <= _LONG} or values
    if not values:
        return Answer("odd", "", "", 0)
    names = {name: names[name] for name in values}
    prefix, rows = _rows(result, values)
    inside = [name for name in values if name.split("|")[: len(prefix)] == list(prefix)]
    if len(rows) > 1 and all(_at(rows[0], name.split("|")[len(prefix) :]) == values[name] for name in inside):
        paths = {name: name.split("|")[len(prefix) :] for name in inside}
        others = [(names[name], values[name]) for name in values if name not in inside]
        items, count = _items(rows, paths, names)
        facts = tuple(names[name] for name in inside if not _dated(values[name]))
        dated = len(facts) < len(inside) and all(_rank(one) == len(_LEADS) for one in facts)
        if items and not facts:
            return Answer("odd", "", "", 0)
        if items:
            listed = f"{items}; {clause(others)}" if others else items
            return Answer("list", "", listed, count, facts if dated else ())
    if len(values) == 2 and _meet(*names.values()):
        one, other = map(value_text, values.values())
        both = Name(" and ".join(name.words for name in names.values()))
        return Answer("record", f"it is {one} against {other}", f"{one} against {other}", 1, (both,))
    names = {name: _counted(label, values[name]) for name, label in names.items()}
    told = sorted(((names[name], value) for name, value in values.items()), key=lambda one: _rank(one[0]))
    (name, lead), *others = told
    if _dated(lead) and name.documented == "name":
        return Answer("odd", "", "", 0)
    if (name.documented == "name" or name.words in _BY_ITSELF) and not others and isinstance(lead, str):
        return Answer("name", "", value_text(lead), 1)
    named = bool(others) and _rank(name) < _LEADS.index("city") and isinstance(lead, str)
    head, told = (value_text(lead), others) if named else (_of(result, values, about), told)
    said, aims = clause(told), tuple(one for one, _ in told)
    if head and len(told) == 1 and not isinstance(told[0][1], bool) and " of " not in told[0][0].words:
        label, value = told[0]
        said = clause([(label._replace(words=f"{label.words} of {head}"), value)])
        return Answer("one", said, f"{head} ({_aside(label, value)})", 1, aims)
    if head:
        return Answer("record", f"for {head}, {said}", f"{head} ({', '.join(_aside(*one) for one in told)})", 1, aims)
    return Answer("record" if others else "one", said, "", 1, aims)


def _natural(name: Name, value: JsonValue) -> bool:
    """Whether somebody would say so: a few plain words, and no 0 or 1 for no and yes."""
    words = name.words.removeprefix("number of ").split()
    flag = str(value) in ("0", "1") and not name.many and len(words) == len(name.words.split())
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


def _fact(name: Name, value: JsonValue) -> str:
    first, _, rest = name.words.partition(" ")
    if isinstance(value, bool) and rest and first in ("is", "has", "can"):
        return f"it {first}{'' if value else ' not' if first != 'has' else ' no'} {rest}"
    words = _measured(name, value)
    if first.endswith("ed") and not rest and _dated(value):
        return f"it {first} on {words}"
    if rest and name.words.split()[-1] in ("on", "at", "by", "until"):  # opens on, posted on, due on
        return f"it {'' if first.endswith('s') else 'was ' if first.endswith('ed') else 'is '}{name.words} {words}"
    return f'{name.the} {name.are} "{words}"' if words.count(" ") > _SENTENCE else f"{name.the} {name.are} {words}"


def _aside(name: Name, value: Any) -> str:
    """A fact as it stands in brackets behind what it is of: 69 points, 45 minutes, rating 4.3, defender."""
    if isinstance(value, str) and not any(map(str.isalpha, value)) and not _dated(value):
        return f"{name.words} {value}"
    if isinstance(value, str):
        return value.replace("_", " ") if _SPELT.fullmatch(value) else _short(value)
    if isinstance(value, bool) or not (name.many or name.unit):
        return f"{name.words} {_measured(name, value)}"
    counted = name.words if value != 1 else " ".join([*name.words.split()[:-1], singular(name.words.split()[-1])])
    return _measured(name, value) if name.unit else f"{_grouped_text(value)} {counted}"


def _measured(name: Name, value: JsonValue) -> str:
    numeric = isinstance(value, int | float) and not isinstance(value, bool) and bool(name.unit)
    return f"{_grouped_text(value)}{'' if name.unit == '%' else ' '}{name.unit}" if numeric else _grouped_text(value)


def _labels(values: Mapping[str, JsonValue], result: JsonValue, api: Api | None) -> dict[str, Name]:
    known = [*outputs(api)] if api else []
    described = {one.name: str(one.schema.get("description") or "") for one in known}
    named = {one.name for one in known if api and names_row(one, heads(api))}
    found: dict[str, Name] = {}
    for name in values:
        label = output(name, described.get(name, ""))
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
    number = isinstance(value, int) and not isinstance(value, bool) and (name.many or kind_named(last) == "full")
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
    order = sorted(paths, key=lambda name: (_rank(names[name]), not _dated(_at(rows[0], paths[name]))))
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
        if isinstance(lead, str) and not (_dated(lead) or tellable(lead)):
            continue
        if day and str(lead).startswith(day):
            lead = lead[len(day) + 1 :][:5]
        head = _aside(first, lead) if len(order) > 1 or isinstance(lead, str) else _measured(first, lead)
        dates = sum(_dated(value) for _, value in others) > 1
        rest = ", ".join(
            f"{name.words} {_short(value)}" if dates and _dated(value) else _aside(name, value)
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
    days = {str(value)[:10] for value in values if _dated(value) and len(str(value)) > 10}
    return days.pop() if len(days) == 1 and all(map(_dated, values)) else ""


def _dated(value: Any) -> bool:
    return isinstance(value, str) and _DAY.fullmatch(value) is not None


def _lead(row: Any) -> str:
    inside: Row = cast("Row", row) if isinstance(row, dict) else {}
    found = (inside.get(key) for key in ("name", "title", "label", "fullName", "full_name", "Name", "Title"))
    return next((one.strip() for one in found if isinstance(one, str) and 1 < len(one.strip()) <= _LONG), "")


def _rank(name: Name) -> int:
    *owner, last = (name.documented or name.words).lower().split()
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
