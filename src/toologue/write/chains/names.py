"""Parameters, outputs and values in words: "the team ID", "12 March 2025", "the city is Lyon".

A value is said as it is, so that it can be found again, in the unit that its description names. A thing is called what
its description calls it where that is a short noun phrase and the name alone says little; else by its name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import JsonValue

from toologue.apis.facts import MEASURES, fact_of, unit_of
from toologue.apis.salience import in_words
from toologue.schema import Api, Parameter
from toologue.text.find import find
from toologue.text.names import kind_named, kind_of, noun_for, owners_said, printed
from toologue.text.times import MONTHS
from toologue.text.tokens import is_known, is_word, split_name
from toologue.text.verbalize import verbalize
from toologue.values.compare import same
from toologue.worlds.documented import kind_sought, sought_by
from toologue.worlds.documented.row import moment_form
from toologue.write.chains.words import joined, lexicon, plural, singular, split, wordset

_LEAD = re.compile(
    r"^(?:(?:please |kindly |must |should |you (?:can|must|should) )?(?:specify|enter|insert|type in|provide|input|put|"
    r"pass|set|choose|select|use|add|give|write|filter by|search by|identifies|represents|define[sd]?|indicates?)"
    r"(?: in| the name of)? )?(?:is )?(?:(?:an?|the|your|any|existing|valid|unique|specific|given|required|optional|"
    r"specified|internal|free-form|desired|exact|preferred|particular)\b ?)*",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[A-Z]{3}|euros|dollars|pounds")
_UNITS = {"percent": "%", "degrees": "degrees"}
# Where a noun phrase goes on with what nobody says: city to search in, price in EUR.
_TAIL = re.compile(
    r" (?:(?:to|that|which|where|when|whose|used|using|such|like|as|if|or|and|from|between|you|we|in which|in what)\b|"
    rf"for (?:each|every|the (?:requested|given))\b|in (?:{MEASURES})(?![\w/])).*$"
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
_SENTENCE, _LARGE, _FIGURES = 5, 100_000, 6
_DAY = re.compile(
    r"(?:1[5-9]|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?"
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
    return {name: Name(words, unit_of((name,), described[name])) for name, words in found.items()}


def thing_of(name: Name, *apis: Api) -> Name:
    """What an id is of, the film; by what Apis find or are about where its name says nothing. Or the name itself."""
    found = _WHOSE.match(name.words)
    sought = (re.sub("^(?:title|name) of the ", "", _sought(api)) for api in apis)
    whose = found[found.lastindex or 0] if found else ""
    for words in filter(None, (whose, *sought, *map(_subject, apis))):
        last = words.split()[-1]
        identified = words == whose and name.words.endswith("ID") and last.isalpha() and len(last) > 2
        if identified or kind_named(last) or last in wordset("countable"):
            return Name(words, thing=True)
    return name


def output(name: str, description: str = "", about: Collection[str] = ()) -> Name:
    """A name for an output, by its path (`a|b|c`, or with dots), or by what its description calls it.

    Facts are called what people call them; `about`: what all is about.
    """
    path = [part for part in re.split(r"[|.]|\[\]", name) if part.strip()]
    words = split(path[-1]) if path else []
    if not words:
        return Name("value")
    unit = unit_of(path, description) or _UNITS.get(kind_of(tuple(path)), "")
    if split_name(path[-1]) != "name" and (fact := fact_of(tuple(path), about)):
        return Name(fact.words, unit)
    if (len(words) > 1 or not is_word(words[0])) and (said := _phrase(description)):
        return Name(said, unit)
    owners = (split(part)[-2:] for part in reversed(path[:-1]))
    plain = (one for one in owners if one and one[-1] not in wordset("wrapping") and not one[-1].isdigit())
    outer = next(plain, list[str]())
    if len(words) > 1 and words[-1] == "name" and kind_named(singular(words[-2])):
        words = words[:-1]  # the country
    elif len(words) > 1 and words[0] == "name" and kind_named(singular(words[-1])):
        words = words[1:]
    open_word = len(words) == 1 and words[0] in wordset("generic")
    if open_word and outer and (kind := kind_of(tuple(path))) and kind_named(singular(outer[-1])) != kind:
        outer = noun_for(kind).split() if kind == "full" else outer
    if open_word and outer and singular(outer[-1]) != words[0]:
        named = words == ["name"] and kind_named(singular(outer[-1]))
        words = [*outer[:-1], singular(outer[-1]), *([] if named else words)]
    if len(words) > 1 and words[0] in ("num", "number", "nb", "no", "count", "total") and plural(words[-1]):
        return Name(f"number of {_spelt(words[1 + (words[1] == 'of') :])}", unit)
    return Name(_spelt(words) if any(word[0].isalpha() for word in words) else f"value for {' '.join(words)}", unit)


def _names(api: Api, name: str, parameter: Parameter) -> Iterator[str]:
    """What a parameter may be called, the best first."""
    known, words = lexicon(), split(name)
    words = words[1:] if len(words) > 1 and words[0] in ("for", "by", "in", "of") else words
    if words and kind_of((words[-1],)):  # what is misspelt before it is left out
        words = [word for word in words[:-1] if is_known(word) or word in known.abbreviations] + words[-1:]
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
        number = printed(name, parameter.json_schema)
        yield _spelt([*owner.split(), "number" if number else "uuid" if words[-1] == "uuid" else "id"]) if owner else ""
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


def value_text(value: JsonValue) -> str:
    """A value as it is said."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return verbalize(value, day_only=True) if _DAY.fullmatch(value) or in_words(value) else value.strip()
    if isinstance(value, list):
        return joined([value_text(one) for one in value]) or "none"
    return verbalize(value, exact=True)


def spoken(value: JsonValue, name: str, parameter: Parameter) -> JsonValue:
    """A value of a parameter as people say it, if it can be read again: 30 April 2025 for 30/04/2025, May for 5."""
    text, words = str(value), ""
    if isinstance(value, str) and (form := moment_form(text)):
        try:
            words = f"{(day := datetime.strptime(text, form)).day} {MONTHS[day.month - 1]} {day.year}"
        except ValueError:
            return value
    elif kind_of((name,)) == "month" and text.isdigit() and 0 < int(text) <= len(MONTHS):
        words = MONTHS[int(text) - 1]
    read = find(f"{words}.", parameter.json_schema, name=name) if words else ()
    return words if any(same(one.value, value) for one in read) else value


def clause(values: Iterable[tuple[Name, JsonValue]]) -> str:
    """The team ID is 5 and the date is 12 March 2025: a clause without capital and full stop."""
    return joined([_fact(name, value) for name, value in values])


def _fact(name: Name, value: JsonValue) -> str:
    first, _, rest = name.words.partition(" ")
    if isinstance(value, bool) and rest and first in ("is", "has", "can"):
        return f"it {first}{'' if value else ' not' if first != 'has' else ' no'} {rest}"
    words = measured(name, value)
    if first.endswith("ed") and not rest and is_date(value):
        return f"it {first} on {words}"
    if rest and name.words.split()[-1] in ("on", "at", "by", "until"):  # opens on, posted on, due on
        return f"it {'' if first.endswith('s') else 'was ' if first.endswith('ed') else 'is '}{name.words} {words}"
    return f'{name.the} {name.are} "{words}"' if words.count(" ") > _SENTENCE else f"{name.the} {name.are} {words}"


def measured(name: Name, value: JsonValue) -> str:
    """A value as it is said, with the unit of its name."""
    numeric = isinstance(value, int | float) and not isinstance(value, bool) and bool(name.unit)
    if numeric and _MONEY.fullmatch(name.unit) and f"{value:.1f}" == str(value) != f"{value:.0f}.0":
        return f"{value:.2f} {name.unit}"
    return f"{grouped_text(value)}{'' if name.unit == '%' else ' '}{name.unit}" if numeric else grouped_text(value)


def is_date(value: Any) -> bool:
    """Whether a value is a day, or a moment."""
    return isinstance(value, str) and _DAY.fullmatch(value) is not None


def grouped_text(value: JsonValue) -> str:
    """A value as it is said, a large number in groups."""
    if isinstance(value, str) and value.isdigit() and len(value) > _FIGURES and not value.startswith("0"):
        return f"{int(value):,}"
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= _LARGE and value == value // 1:
        return f"{int(value):,}"
    return value_text(value)
