"""What people say: which parameters they can be asked for, which outputs are worth telling, which values sound well.

`salience` is how much an output tells somebody who asked about some words: 0 nothing, 1 a number whose noun is none of
these, 3 something, 4 and more what things are known by (names, dates, places, amounts).

    >>> from toologue.apis.entities import outputs
    >>> text, number = {"type": "string", "examples": ["x y"]}, {"type": "integer", "examples": [3]}
    >>> row = {"title": text, "points": number, "logo": text, "evt": number, "verified": {"type": "boolean"}}
    >>> standings = outputs(Api(name="Standings", returns={"type": "object", "properties": row}))
    >>> [(one.name, salience(one, frozenset({"standing"}))) for one in standings]
    [('title', 5), ('points', 1), ('logo', 0), ('evt', 0), ('verified', 0)]
    >>> tellable("https://a.example/b"), tellable(1776806878), tellable("Lisbon")
    (False, False, True)
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, cast

from pydantic import JsonValue

from toologue.apis.entities import Entity
from toologue.apis.facts import Fact, fact_of, unit_of
from toologue.schema import Api
from toologue.schema.use import SAID
from toologue.text.names import group, has_word, is_marked, kind_named, kind_of, kind_wraps, knowable, printed
from toologue.text.tokens import is_known, is_spoken, is_word, singular, split_name
from toologue.worlds.documented import choices, foreseen, is_credential, kind_sought

Against = Literal["asks for a secret", "cannot be said", "no words for it", "nothing to say for it"]

_NAMING = frozenset(("name", "title", "headline"))
_CODED = re.compile(r"[A-Z]{2,}_[A-Z]|^[a-z]+[A-Z]\w+$|[{}<>\[\]|]|://|[0-9a-f]{20}|\w_\w|%[0-9A-F]{2}|^\d+,\d")
# What goes by who meets there.
MEETINGS = frozenset(("match", "game", "fixture", "event", "race"))
# Who meets there.
SIDES = frozenset(("home", "away", "visitor"))
# What is searched for by its name.
SOUGHT = ("topics", "titles")
_OF_PLACES = ("place.language", "place.lang", "place.currency", "place.timezone")
_WHEN = ("day", "moment", "month", "year", "clock")
_DATES = ("day", "moment", "birth")
# So many letters a name has.
_LEAST = 3
# Letters of the longest code of a place: UY, NLD.
LONGEST_CODE = 3
# Figures that only who asked for them wants to hear.
_BARE = ("year", "weight", "length", "age", "count", "few")
# What such a figure is at most; none of them is a word.
_TOPS = {"degrees": 60, "percent": 100, "stars": 10, "age": 120, "money": 10**15}
_ASIDE = ("month", "year", "full", "company.name", "company.symbol", "person.gender")
_KNOWN_BY = ("place.city", "place.country", "place.hub", "company.name", "coin.name")
_MARKED = re.compile(
    r"://|www\.|\d\.\d{5}|"
    r"(?-i:[A-Z]:[A-Z])|(?-i:[a-z][A-Z]|^[A-Z0-9-]{6,}$)|[<>{}\[\]|_#\\]|&\w+;|\\n|^\W+$|\S{25}|^(?:null|none|nan|n/?a|undefined|string|true|false|test)$",
    re.IGNORECASE,
)
_SPELT = re.compile(r"[a-z]+(?:_[a-z]+){1,3}")
_ISO_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_POINTING = frozenset(("topics", "titles", "full", "username", "host", "address", "hashtags", "place.zip", "email"))
# Where a list is looked at from: nobody minds.
_PLACES = ("one", "zero")
_LISTED = 4  # a text with more commas is a list, cut anywhere
_LONG, _EPOCH, _PLACES_SAID = 60, 900_000_000, 4
# A value that says in which unit it is measured.
_MARK = re.compile(r"\d\s?[^\s\d.,:/-]+|[$€£¥₹]\s?\d")
WORTH = 3  # an answer holds something that tells at least as much


def askable(one: Entity, api: Api) -> Against | None:
    """Why nobody can be asked for this parameter; None where one can."""
    last, type_ = one.last, one.type
    if is_credential(last):
        return "asks for a secret"
    if type_ not in ("string", "integer", "number", None):
        return "cannot be said"
    kind, short_word = kind_of((last,), one.phrase), last.lower() in group("short")
    if (
        (not short_word and (any(char.isdigit() for char in last) or not is_spoken(last, topic_words(api))))
        or not (short_word or kind or len(split_name(last).split()) > 1 or is_known(last.lower()))
        or has_word(last, "machine")
        or (type_ in ("integer", "number") and not (kind or named_thing(one) or printed(last, one.schema)))
        or is_marked(kind, "unasked")
        or kind_of((last,)) in _PLACES
        or (last.lower() in ("start", "end") and type_ != "string")
    ):
        return "no words for it"
    return None if foreseen(api, one.name) else "nothing to say for it"


def offered(one: Entity) -> bool:
    """Whether somebody may have a wish for it, unasked: a day, a city, what to search for, one of a few."""
    if "by" in split_name(one.last).split()[1:]:
        return False
    if _is_coded(one):
        return False
    return bool(one.schema.get("enum")) or is_marked(kind_of((one.last,), one.phrase), "offered")


def _is_coded(one: Entity) -> bool:
    """Whether a place is given by a code, which has no words beside."""
    shown = cast("list[JsonValue]", [*(one.schema.get("examples") or []), *(one.schema.get("enum") or [])])
    placed = kind_of((one.last,), one.phrase).startswith("place.")
    return placed and SAID not in one.schema and any(map(codes_a_place, shown))


def codes_a_place(value: JsonValue) -> bool:
    """Whether a place is written as only a code: UY, ph; everybody says US."""
    text = str(value)
    return len(text) <= LONGEST_CODE and text.isalpha() and text not in ("US", "USA", "UK")


def hidden(one: Entity) -> bool:
    """Whether users neither ask for it nor know rows by it."""
    *around, last = one.name.split("|")
    if one.type == "boolean" or split_name(last) in ("count", "order"):
        return True
    return has_word(last, "hidden") or any(has_word(name, "outer") for name in around)


def topic_words(api: Api) -> frozenset[str]:
    """The words that an Api is about: those of its own name and of its description's first lines."""
    words = f"{split_name(api.name.rpartition('|')[2])} {split_name(api.description[:160])}".split()
    return frozenset(singular(word) for word in words if len(word) > 2)


def salience(one: Entity, about: frozenset[str]) -> int:
    """How much an output tells."""
    path = one.path
    words = split_name(path[-1]).split() if path else []
    if not 0 < len(words) < 4 or (
        hidden(one)
        or any(char.isdigit() for char in one.name)
        or words[0] in ("is", "has", "in", "at", "as", "of")
        or "ago" in words
        or (words[-1] in group("loose") and not (one.many and dates_rows(one)))
        or has_word(path[-1], "aside")
        or has_word(path[-1], "lately")
        or not (
            (is_spoken(path[-1], about) or (kind_of(path) and (len(words) == 1 or is_spoken(words[0]))))
            and knowable(path[-1], one.phrase, one.schema)
        )
        or (len(words) == 1 and len(words[0]) <= _LEAST and not kind_of(path))
    ):
        return 0
    height = _height(one, path, words)
    own = [singular(word) for word in words if word not in _NAMING]
    shared = 2 * bool({*own[-1:]} & about)
    nested = one.many and not {singular(word) for word in _around(path)} <= about
    aside = 0 if shared else _beside(path, words, about)
    return height and max(1, height + shared - (len(path) > 4) - nested - aside)


def _beside(path: tuple[str, ...], words: list[str], about: frozenset[str]) -> int:
    """How far an output is from what the Api is about: 2 where it is of another thing that only stands beside."""
    owner = words[:-1] if words[-1] in _NAMING else []
    near = [word for word in (owner or _around(path)) if kind_named(singular(word))]
    kind = kind_of(path)
    if kind == "teams" and about & MEETINGS:
        return 0
    if near and not {singular(word) for word in near} & about:
        return 3 if kind.startswith("place.") else 2
    if kind.startswith("place."):
        return 1 if any(kind_named(word).startswith("place.") for word in about) else 2
    return 2 if kind in (*_DATES, "clock") else int(kind in _ASIDE)


def _around(path: tuple[str, ...]) -> list[str]:
    around = next((name for name in reversed(path[:-1]) if not kind_wraps(name)), "")
    return split_name(around).split()


def named_thing(one: Entity) -> str:
    """What kind of thing an output names: `teams`, `full` (a person), `place.city`; or nothing."""
    kind = kind_of(one.path, one.phrase)
    return "full" if kind.startswith("person.") else kind


def family_of(kind: str) -> str:
    """What kinds of things belong together: a city and its country, a day and its month."""
    return "when" if kind in _WHEN else kind if kind in _OF_PLACES else kind.partition(".")[0]


def asked_of(one: Entity, api: Api) -> str:
    """What kind of thing a parameter is about, what is searched for included."""
    kind = named_thing(one)
    return family_of(kind_sought(api) if kind in SOUGHT else kind)


def asked_for(one: Entity, about: frozenset[str]) -> Fact | None:
    """The fact that people would ask for by this name, of what all is about; with its unit, if it needs one."""
    found = fact_of(one.path, about)
    if found is not None and found.words.startswith("number of ") and one.type not in ("integer", "number", "string"):
        return None
    return None if found is None or (found.unit and not _is_measured(one)) else found


def _is_measured(one: Entity) -> bool:
    """Whether values say their unit: as texts do with another mark than a figure's, as descriptions and kinds do."""
    described = kind_of(one.path) == "percent" or unit_of(one.path, str(one.schema.get("description") or "")) != ""
    shown = cast("list[JsonValue]", one.schema.get("examples") or [])
    return described or any(isinstance(value, str) and _MARK.search(value) and value[:1] != "[" for value in shown)


def names_rows(one: Entity) -> bool:
    """Whether users could choose between rows by it: a text that is a name or a place."""
    path = one.path
    kind, own = kind_of(path), frozenset(singular(word) for name in path for word in split_name(name).split())
    borrowed = kind.startswith("place.") and kind_of(path[-2:]) != kind  # from further around
    return (
        not borrowed
        and (kind in ("full", "titles") or bool(choices(kind)))
        and not is_marked(kind, "unnaming")
        and one.type in ("string", None)
        and salience(one, own) >= 4
    )


def names_row(one: Entity, heads: Collection[str]) -> bool:
    """Whether the thing of a row is called so: its name or title, or what ends with its noun (`strMeal` of meals)."""
    *owner, last = split_name(one.last).split() or [""]
    around = [split_name(name).split()[-1:] for name in one.path[:-1] if not kind_wraps(name)]
    outer = [word for words in around for word in words]
    nouns = {*heads, *map(singular, outer[-1:]), "item"}
    rows = not outer or singular(outer[-1]) in heads or (len(outer) < 2 and singular(outer[-1]) != outer[-1])
    own = singular(owner[-1]) in nouns if owner else rows
    return (last in _NAMING and own) or (singular(last) in nouns and names_rows(one))


def dates_rows(one: Entity) -> bool:
    """Whether rows are told apart by it as days, or hours, that follow each other: those of a forecast."""
    said = split_name(one.last)
    dated = said in group("dating") or (
        one.schema.get("format") in ("date", "date-time") and not has_word(said, "lately")
    )
    return dated and one.type in ("string", None)


def names_itself(name: str) -> bool:
    """Whether an output is called a name, a title."""
    return split_name(name.rpartition("|")[2]).split()[-1:] in ([word] for word in _NAMING)


def bare(name: str) -> bool:
    """Whether an output's name says nothing by itself: a title, a day; that of a country does."""
    path = tuple(part for part in name.split("|") if part)
    return split_name(path[-1]) in group("bare") and not (_around(path) and names_itself(name))


def points_out(one: Entity) -> bool:
    """Whether a parameter says which thing is meant: a name, a place, what to search for; no date, no price."""
    kind = kind_of((one.last,), one.phrase)
    pointing = kind in _POINTING or "place" in kind or (bool(choices(kind)) and not is_marked(kind, "unnaming"))
    return pointing and kind not in _OF_PLACES


def named_well(name: str, value: JsonValue) -> bool:
    """Whether a value that is called a name looks like one, and one that is called by a plural is no single thing."""
    last = split_name(name.rpartition("|")[2]).split()[-1:]
    if last and last[0] in _NAMING:
        return sum(char.isalpha() for char in str(value)) >= _LEAST
    return not (isinstance(value, str) and "," not in value and last and singular(last[0]) != last[0])


def givable(value: JsonValue) -> bool:
    """Whether somebody would give this value when asked."""
    return not isinstance(value, str) or (len(value) <= _LONG and (_CODED.search(value) is None or in_words(value)))


def in_words(value: str) -> bool:
    """Whether a code is said in its own words: in_transit."""
    return _SPELT.fullmatch(value) is not None and all(map(is_word, value.split("_")))


def short(value: JsonValue) -> bool:
    """Whether a value is quickly said."""
    return not isinstance(value, str) or len(value) <= _LONG


def tellable(value: JsonValue, kind: str = "") -> bool:
    """Whether a value (of a kind) sounds well in a sentence."""
    if isinstance(value, bool) or value is None:
        return False
    if kind in _TOPS and not any(char.isdigit() for char in str(value)):
        return False
    if isinstance(value, int | float):
        if abs(value) > _TOPS.get(kind, abs(value)):
            return False
        long = isinstance(value, float) and len(str(value).partition(".")[2]) > _PLACES_SAID
        return not (long or _EPOCH < abs(value) < 2 * _EPOCH * 1.3 or abs(value) > _EPOCH * 1000)
    if not isinstance(value, str) or _ISO_DAY.fullmatch(value):
        return isinstance(value, str)
    if not value.strip() or value.count(",") > _LISTED or (_MARKED.search(value) and not in_words(value)):
        return False
    return sum(char > "\u024f" for char in value) <= len(value) / 10 and "  " not in value


def _height(one: Entity, path: tuple[str, ...], words: list[str]) -> int:
    kind = kind_of(path, one.phrase)
    unsaid = not kind or is_marked(kind, "unsaid")
    examples = cast("list[JsonValue]", one.schema.get("examples") or [])
    if kind in ("day number", "month"):
        return 0
    if not kind and any(isinstance(value, str) and not tellable(value) for value in examples[:1]):
        return 0
    if kind in _BARE:
        return 1
    if one.type in ("integer", "number"):
        return 0 if kind and (unsaid or kind in _DATES or kind == "clock") else WORTH if kind else 1
    if kind == "sentences" and one.many and not examples:
        return 2  # of many things a line each
    if words[-1] in _NAMING:
        return 2 if len(words) > 1 and words[-2] in group("lesser") else 5
    if one.schema.get("enum") or one.schema.get("format") in ("date", "date-time"):
        return WORTH
    if not unsaid:
        return WORTH if kind == "clock" or ("." in kind and kind not in _KNOWN_BY) else 4
    return WORTH if words[-1] in group("told") else 2
