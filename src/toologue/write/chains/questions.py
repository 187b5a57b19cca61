"""What people ask who want an Api: facts of a thing (the humidity in a city), or things of a kind (volleyball leagues).

A question is made of what the answer will tell, before anybody says a word; `estimate` asks for all that an Api may
tell, in the same words, so that a retriever hears them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

from pydantic import JsonValue

from toologue.apis.entities import inputs, outputs
from toologue.apis.salience import MEETINGS, SIDES, SOUGHT, dates_rows, family_of, named_thing, topic_words
from toologue.keys import Same
from toologue.plan.api_graph.describe import heads, subject
from toologue.plan.chains.catalog import ApiView, pointing, telling
from toologue.schema import Api
from toologue.text.names import group, is_marked, kind_named, kind_wraps
from toologue.text.tokens import article, is_known
from toologue.text.tokens import plural as pluralized
from toologue.worlds.documented import kind_sought
from toologue.worlds.documented.arguments import settled
from toologue.worlds.documented.leaves import owner_of
from toologue.write.chains.answers import Answer, records
from toologue.write.chains.names import Name, output, parameters, spoken, thing_of, value_text
from toologue.write.chains.words import LINKS, joined, plural, rough, singular, split, wordset

_MOST, _TOLD, _WORDS, _NAME, _TWO = 12, 4, 3, 6, 2
_SMALL = ("the", "a", "of", "for", "to", "by", "and", "get", "all", "from", "with")
_CODED = re.compile(r"\d|^[^A-Za-z]*$")
# What a thing is called of which a parameter gives a part.
_WHOLE = {"car": "car", "company": "company", "coin": "coin", "full": "person", "films": "film", "username": "account"}
_AT = ("place.airport", "place.icao", "place.hub", "address", "venues", "stations")
_NAMELESS = ("place.language", "place.lang", "place.currency", "place.timezone", "place.dial", "place.lat", "place.lon")
_SPORTING = ("teams", "leagues", "full", "events", "seasons", "venues")
_OWNED = re.compile(r"(?:name|title) of the (\w+)$")
_BARE = ("name", "title", "headline")
# Where a description goes on with by what something is found.
_HOW = re.compile(r"\b(?:by|based|with|using|given|whose)\b", re.IGNORECASE)
_PHRASE = r"((?:[A-Za-z][\w'-]+ ){{0,3}}){}\b"


class Question(NamedTuple):
    """Facts that somebody wants to hear, or else `things` that are looked for; `of` what, as long as nobody says it.

    `mine`: it is of who asks.
    """

    facts: tuple[Name, ...] = ()
    things: str = ""
    of: str = ""
    mine: bool = False

    def __bool__(self) -> bool:
        return bool(self.facts or self.things)

    @property
    def nouns(self) -> str:
        """What is asked for: the humidity and the temperature."""
        if self.mine and not self.of:
            return f"my {self.things or joined([one.words for one in self.facts])}"
        own = [word for word in self.things.split() if word not in self.of.split()]  # players of a team
        return " ".join(own) or joined([one.the for one in self.facts])

    @property
    def noun(self) -> str:
        """The same, with what it is of: the humidity in a city, the players of a team."""
        if self.mine:
            return f"{self.nouns} {self.of}".rstrip()
        return f"{'the ' if self.things else ''}{self.nouns} {self.of}" if self.of else self.nouns

    @property
    def are(self) -> str:
        """The verb that it takes."""
        return "is" if len(self.facts) == 1 and not self.facts[0].many else "are"


class _Read(NamedTuple):
    """An Api as questions are made from it: what kinds its parameters are, the names of these, what tells something."""

    api: Api
    kinds: Mapping[str, str]
    names: Mapping[str, Name]
    heads: frozenset[str]
    telling: Mapping[str, int]
    known: frozenset[str]
    numbers: frozenset[str]
    pointing: Sequence[str]
    named: frozenset[str]


@lru_cache(maxsize=64)
def _read(same: Same[Api]) -> _Read:
    api = same.value
    given, gives = {one.name: one for one in inputs(api)}, {one.name: one for one in outputs(api)}
    view = ApiView(api, given, gives, subject(api), heads(api))
    kinds = {name: named_thing(one) for name, one in given.items()}
    known = frozenset(name for name in given if view.known(name, "fixed"))
    numbers, said = frozenset(filter(view.on_paper, given)), parameters(api)
    return _Read(api, kinds, said, view.heads, telling(view), known, numbers, pointing(view), view.row_names)


# ---- what is asked


def _question(api: Api, facts: tuple[Name, ...], things: str, of: str) -> Question:
    """The question, asked by whom it is about where that is who a business has to do with: my orders, of my card."""
    whose, own = of.rpartition(" ")[2], singular(subject(api))
    if whose in wordset("ourselves"):
        owned = facts and own in wordset("countable") and own != whose
        return Question(facts, things, f"of my {own}" if owned else "", mine=True)
    if facts and own in wordset("records") and own != whose and of.startswith(("of my ", "for a")):
        return Question(facts, "", f"of my {own}", mine=True)  # of an appointment, by the contract that it is for
    known = bool(things) and _read(Same(api)).known.issuperset(api.required)
    return Question(facts, things, "" if known else of)


def question_of(api: Api, told: Answer, given: Iterable[JsonValue], of: str) -> Question:
    """The question that this answer answers, asked by somebody who gives these values; false where there is none."""
    head, known = told.head.casefold(), [str(one).casefold() for one in given]
    named = [one for one in known if one.replace(" ", "").isalpha()]
    near = any((one in head and len(head) <= 2 * len(one)) or head in one for one in named)
    rowed = len(head.split()) <= _NAME and any(one in head or head in one for one in known if one)
    found = (near or not head or not named) and (rowed or not told.rows)
    dated = told.dated and not records(told.names)
    if told.facts and (dated or (found and told.kind != "list")):
        return _question(api, tuple(name for name, _ in told.facts), "", of)
    return _question(api, (), things_of(api, told.names), of)


def things_of(api: Api, told: Sequence[str]) -> str:
    """What rows are of in which these outputs stand: scheduled basketball matches."""
    read = _read(Same(api))
    around = [part for name in told[:1] for part in name.split("|")[:-1] if not kind_wraps(part)]
    noun = singular(split(around[-1])[-1]) if around and split(around[-1]) else ""
    sides = {word for name in told for word in split(name)} & SIDES
    asked = {word for name in api.required for word in split(name)}
    nouns = sorted({*(MEETINGS if sides else [noun] if noun else read.heads)} - asked)
    own = " ".join(split(api.name.rpartition("|")[2]))
    texts = [api.description[:300], own]
    named = not read.named.isdisjoint(told[:1])
    nouns = [noun for noun in nouns if _counts(noun) or (named and any(_is_counted(noun, text) for text in texts))]
    found = [one for noun in nouns for text in texts for one in _phrases(text, noun)]
    return max((_of_sport(api, one) for one in found), key=lambda one: len(one.split()), default="")


def _is_counted(noun: str, text: str) -> bool:
    """Whether a text speaks of several such things, or of one of them: mountain huts, a hut."""
    several, one = re.escape(pluralized(noun)), re.escape(noun)
    found = re.search(rf"\b(?:{several}|an? (?:\w+ )?{one})\b", _HOW.split(text, maxsplit=1)[0], re.IGNORECASE)
    return found is not None


def _counts(noun: str) -> bool:
    return bool(kind_named(noun)) or noun in wordset("countable")


def _phrases(text: str, noun: str) -> Iterator[str]:
    if is_marked(kind_named(noun), "unnaming"):
        return
    many = pluralized(noun)
    for match in re.finditer(_PHRASE.format(f"(?:{re.escape(many)}|{re.escape(noun)})"), text, re.IGNORECASE):
        before: list[str] = []
        for word in reversed(match[1].split()):
            if word in ("and", "or"):  # of several kinds
                before = [one for one in before if one in wordset("about")]
            small = word.lower()
            strange = small in (*wordset("unqualifying"), noun) or (plural(small) and small != "sports")
            if strange or not is_known(small) or len(before) > 1:
                break
            before.insert(0, small)
        yield " ".join([*before, many])


def _of_sport(api: Api, phrase: str) -> str:
    """A phrase of things, and of which sport they are where only the tool's name says so: volleyball leagues."""
    parts, words = api.name.split("|"), phrase.split()
    told = split(parts[1]) if len(parts) > 2 else []
    sports = [at for at, word in enumerate(told) if word in wordset("sports")]
    noun = singular(words[-1])
    if len(sports) != 1 or told[sports[0]] in words or not (noun in MEETINGS or kind_named(noun) in _SPORTING):
        return phrase
    sport = " ".join(told[max(0, sports[0] - 1) : sports[0] + 1]) if told[0] in ("ice", "american") else told[sports[0]]
    return " ".join([*words[:-1], sport, words[-1]])


def searches(api: Api) -> bool:
    """Whether things are found by what they are called: nobody looks for teams who has one in mind."""
    return any(_read(Same(api)).kinds[name] in SOUGHT for name in api.required)


def chooses(thing: Name, source: Api) -> bool:
    """Whether people choose such a thing from what there is: a match on a day, a hotel in a place; no artist."""
    kinds = _read(Same(source)).kinds
    by = {family_of(kinds[name]) for name in source.required if name not in settled(source)} - {""}
    return singular(thing.words.split()[-1]) not in group("had in mind") and (not by or bool(by & {"when", "place"}))


# ---- of what


def of_value(api: Api, parameter: str, value: JsonValue, *, listed: bool) -> str:
    """A value as it follows what is asked for: in Porto Alegre, on 30 April 2025, for the VIN 5N3AA08D68N901917."""
    read = _read(Same(api))
    kind, name = read.kinds.get(parameter, ""), read.names[parameter]
    record, text = kind.partition(".")[0], value_text(spoken(value, parameter, api.parameters[parameter]))
    if parameter in read.numbers:
        return _of_number(name, text, listed=listed)
    if kind in ("day", "moment") and not text[:4].isdigit():
        return f"on {text}"
    if kind in ("month", "year"):
        return f"in the {text} season" if "season" in name.words else f"in {text}"
    if kind == "place.zip":
        return f"in {name.words} {text}"
    if kind == "email":
        return f"for {text}"
    if kind in _NAMELESS or (_CODED.search(text) and not kind.endswith("symbol") and kind != "username"):
        return f"for {name.the} {text}"
    if record == "place" or kind in _AT:
        return f"{'in' if listed else _in(kind, read.api)} {text}"
    if kind in ("topics", "titles"):
        return _of_sought(api, text, listed=listed)
    if (kind and record in _WHOLE) or kind_named(singular(name.words.split()[-1])):
        return f"{'by' if kind in ('artists', 'full') and listed else 'for' if listed else 'of'} {text}"
    if name.words.endswith(" name"):
        return f"of the {name.words.removesuffix(' name')} {text}"
    return f"for {name.the} {text}"


def _of_sought(api: Api, text: str, *, listed: bool) -> str:
    """What was searched for: in Lyon, of Lyon, films about chess."""
    sought = kind_sought(api)
    if sought.startswith("place."):
        return f"{'in' if listed else _in(sought, api)} {text}"
    if not listed:
        return f"of {text}"
    about = sought in ("headlines", "quotes", "")
    return f"{'about' if about else 'called' if text[:1].isupper() else 'for'} {text}"


def _of_number(name: Name, text: str, *, listed: bool) -> str:
    """A number that stands on paper: for order O-10423; nobody is one: for customer number C-2041."""
    thing = thing_of(name)
    own = thing.thing and not listed and thing.words not in wordset("ourselves")
    return f"for {thing.words if own else name.words} {text}"


def of_thing(api: Api, thing: Name | None = None) -> str:
    """The same, as long as nobody says which: in a city, of a company; of a thing that is asked for by its name."""
    if thing is not None:
        kind = "" if thing.words == "place" else kind_named(thing.words.split()[-1])
        return f"{_in(kind, api)} {article(thing.words)}" if thing.thing else ""
    read = _read(Same(api))
    found = [one for name in api.required or [*read.pointing] if (one := _of_parameter(read, name))]
    return next((one for one in found if not one.startswith("for ")), next(iter(found), ""))


def _of_parameter(read: _Read, name: str) -> str:
    kind, words = read.kinds.get(name, ""), read.names[name].words
    record = kind.partition(".")[0]
    if record == "company" and group("coins") & {*split(read.api.name)}:
        record = "coin"
    if record == "company" and {"currency", "forex"} & {*split(read.api.name)}:
        return "of a currency"
    if owned := _OWNED.search(words):
        return f"{_in(kind_named(owned[1]), read.api)} {article(owned[1])}"
    if kind == "topics" and kind_sought(read.api).startswith("place."):
        return f"{_in(kind_sought(read.api), read.api)} a city"
    if kind == "address":
        return f"at {article(words)}"
    if record in _WHOLE:
        return f"of {article(_WHOLE[record])}"
    if kind_named(words) and kind not in _NAMELESS:
        return f"{_in(kind, read.api)} {article(words)}"
    if kind in ("place.lat", "place.lon"):
        return "of a place"
    if name in read.numbers and (thing := thing_of(read.names[name])).thing:
        return f"of {article(thing.words)}" if thing.words in wordset("ourselves") else f"of my {thing.words}"
    if name not in read.known:
        thing = thing_of(read.names[name], read.api)
        return of_thing(read.api, thing) if thing.thing else ""
    if words.endswith(" name") and len(words.split()) == _TWO:
        return f"of {article(words.removesuffix(' name'))}"
    dull = is_marked(kind, "unasked") or kind in ("day", "moment", "month", "year", "topics", "titles", *_NAMELESS)
    dull = dull or not all(map(is_known, words.lower().split()))
    dull = dull or words in (*_BARE, "number", "code")
    return "" if dull or plural(words.split()[-1]) or len(words.split()) > _TWO else f"for {article(words)}"


def _in(kind: str, api: Api) -> str:
    """What joins a fact to what it is of: the humidity in a city, the population of a city from what finds cities."""
    if kind in _AT:
        return "at"
    placed = any(kind_named(noun).startswith("place.") for noun in _read(Same(api)).heads)
    return "in" if kind.startswith("place.") and not placed else "of"


# ---- what may be asked


def questions_of(api: Api) -> list[Question]:
    """What people may ask an Api, as documents say: the things that it finds; facts, one by one and two together."""
    read = _read(Same(api))
    every = {one.name: one for one in outputs(api)}
    told = sorted(read.telling, key=lambda name: -read.telling[name])
    many, known = {name for name in told if every[name].many}, read.known.issuperset(api.required)
    sides = [name for name in told if {"home", "away"} & {*split(name)}]
    named = [name for name in told if name in many and name in read.named]
    rows = [name for name in sides if name in many or known] or named or [name for name in many if records([name])]
    things = things_of(api, rows[:1]) if rows else ""
    of, found = of_thing(api), list[Question]()
    listed = [one for one in every.values() if one.many]
    # Nobody asks for a fact of rows that have no name, nor are those of days: what has an id is a thing, and no day.
    apart = rows or (any(map(dates_rows, listed)) and not any(owner_of(one.last) is not None for one in listed))
    facts = [
        output(name, str(every[name].schema.get("description") or ""), topic_words(api))
        for name in told
        if name not in (*rows, *sides) and not (name in many and (records([name]) or not apart))
    ]
    facts = [one for one in facts if len(one.words.split()) <= _WORDS and one.words not in (*_BARE, *of.split()[-1:])]
    facts = [*dict.fromkeys(facts)][:_TOLD]
    if things:
        found.append(_question(api, (), things, of))
    found += [_question(api, some, "", of) for size in (1, 2) for some in combinations(facts, size)]
    return found or [one for one in (_named(api),) if one]


def _named(api: Api) -> Question:
    """What an Api is called: the home standings; false where nobody would say so."""
    words = [word for word in split(api.name.rpartition("|")[2]) if word not in wordset("lookups") | wordset("junk")]
    words = words[1:] if words[:1] in (["search"], ["find"]) else words
    while words and words[-1] in wordset("lists"):
        words.pop()
    phrase = " ".join(words)
    said = len(words) <= _WORDS and all(word.isalpha() and is_known(word) for word in words)
    if not said or rough(phrase) or LINKS & {*words} or words[-1] in wordset("unwanted"):
        return Question()
    many = plural(words[-1]) and kind_named(singular(words[-1]))
    return Question(things=phrase) if many else _question(api, (Name(phrase),), "", of_thing(api))


def estimate(api: Api) -> Api:
    """The Api with what people may ask it, unless somebody knows what they wish for."""
    if api.wishes or unspeakable_reason(api):
        return api
    read, asked = _read(Same(api)), questions_of(api)
    known = read.known.issuperset(api.required)  # of what has no name, nobody asks before it is found
    said = [
        text
        for one in asked
        for text in ((one.noun, one.nouns) if known else (one.noun,) if one.of or one.mine else ())
    ]
    return api.replace(questions=tuple(dict.fromkeys(said))[:_MOST])


def unspeakable_reason(api: Api) -> Literal["foreign", "technical", "wordless"] | None:
    """foreign: not in English. technical: what only programs know is required. wordless: nothing says what it tells."""
    text = f"{api.description[:300]} {' '.join(split(api.name.rpartition('|')[2]))}".lower()
    words = set(re.findall(r"[^\W\d_]+", text))
    strange = not text.isascii() and words.isdisjoint(_SMALL)
    accents = sum(not char.isascii() for char in text if char.isalpha())
    if strange or len(words & wordset("foreign")) >= 2 or accents > len(text) / 12:
        return "foreign"
    if any(parameter.required and name.lower() in wordset("technical") for name, parameter in api.parameters.items()):
        return "technical"
    return None if questions_of(api) else "wordless"
