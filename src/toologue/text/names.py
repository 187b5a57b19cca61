"""What the names of parameters and outputs mean; what is known of words stands in one table, `names.yaml`.

`expected_kinds` says which kinds of value a parameter accepts, by its schema, its name, its description, in this order;
none for objects. `knowable` says whether people can be expected to know such a value. `kind_of` names the things that a
value is of: a `record.field` or another row of the table. The last words of a name weigh most (`home_team_name` is a
team's), then the names around it (`players|name` is a person's), then those of its title.

    >>> want = expected_kinds({"type": "string"}, "new_start_time", "New beginning, YYYY-MM-DD HH:MM")[0]
    >>> want.kind, want.form, want.edge, want.words
    ('moment', '%Y-%m-%d %H:%M', 'start', ('new', 'start', 'time'))
    >>> [knowable(name, "") for name in ("city", "hotel_id")]
    [True, False]
    >>> kind_of(("players", "name")), kind_of(("created_at",)), kind_of(("iso", "countryCode")), kind_of(("x",))
    ('full', 'moment', 'place.code', '')
    >>> has_word("page_size", "hidden"), is_marked("place.city", "offered"), kind_named("band")
    (True, True, 'artists')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Any, Literal, cast

from toologue.text.time_expressions import Edge
from toologue.text.tokens import singular, spell, split_name, words_of
from toologue.values.json_schema import items_of, resolved, types_of

Kind = Literal[
    "date", "time", "moment", "month", "weekday", "number", "integer", "boolean", "enum", "email", "phone", "url",
    "uuid",
    "id", "code", "symbol", "username", "password", "place", "person", "title", "task", "message", "query", "text",
    "array",
]  # fmt: skip


@dataclass(frozen=True)
class Want:
    """One kind of value that a parameter accepts. `schema` is resolved; `root` is the document that it is part of."""

    kind: Kind
    schema: Mapping[str, Any]
    root: Any
    name: str
    description: str
    # The words of the name.
    words: tuple[str, ...]
    # How times are written (strftime; `epoch`; `rfc3339`).
    form: str = ""
    edge: Edge = ""
    past: bool | None = None


_OWNED = r"(?:ids?|identifiers?|slugs?|codes?|names?|keys?|titles?|uuids?)"
_OWNER_AFTER = re.compile(
    rf"\b{_OWNED}\s+(?:number\s+)?(?:of|for)\s+(?:(?:the|an?|your|each|this|that|which|specific|desired|unique|given|"
    r"existing|particular|single|in|one)\s+)*([a-z][a-z-]+(?:\s+[a-z][a-z-]+)?)",
    re.IGNORECASE,
)
_OWNER_BEFORE = re.compile(r"\b([a-z]{2,})(?:['’]s)?[\s_-]+(?:ids?|identifiers?|slugs?|uuids?|keys?)\b", re.IGNORECASE)
_OWNER_BESIDE = re.compile(r"\bID ([A-Z][a-z]+)\b")
# Of each kind: the last words of its names, what may follow them, whole names.
_NAMED: dict[Kind, tuple[str, str, str]] = {
    "password": ("", "", "password|passwd|pwd|passphrase|passcode"),
    "code": ("", "", "otp|pin|(?:verification|security|access|confirmation|auth|one time|sms|otp|2fa|mfa|reset) ?"
        "(?:code|pin|token)"),
    "email": ("e ?mail|e mails|emails", "address(?:es)?", ""),
    "phone": ("phone|mobile|telephone|cell|fax", "number|no", "tel|msisdn"),
    "username": ("username|user ?names?|login|handle|screen ?name|nickname", "", ""),
    "url": ("url|uri|link|website|webhook|homepage", "", ""),
    "uuid": ("uuid|guid", "", ""),
    "symbol": ("symbols?|ticker|iata|icao|currency|coin", "code",
        "(?:base|quote|currency) ?(?:currency|code)|(?:country|language) code"),
    "id": ("ids?|identifier|sku|isbn|asin|imei|vin|iban|zip|zip ?code|postal ?code|postcode|slug|token|reference", "",
        "(?:order|flight|invoice|ticket|case|booking|account|tracking|card|room|policy|serial|customer|item|part|model|"
        "license|plate) (?:number|no|num|code)|.* code|code|key"),
    "month": ("month", "", ""),
    "weekday": ("weekday|day of (?:the )?week", "", ""),
    "place": ("city|location|place|address|venue|country|region|town|state|destination|origin|airport|street|where|"
        "locality|county|hotel|area|departure|arrival|capital", "name|city|place", ""),
    "title": ("title|subject|heading|headline|label|summary|event name|playlist name", "", ""),
    "person": ("(?:full ?name|first ?name|last ?name|surname|author|artist|person|player|actor|director|contact|guest|"
        "passenger|patient|doctor|customer|employee|owner|assignee|name of person)s?", "names?", ""),
    "task": ("task|todo|to do|chore|reminder", "text|name", ""),
    "message": ("message|body|content|text|comment|notes?|description|reply|caption|msg|feedback|review", "text|body",
        ""),
    "query": ("query|q|keywords?|search|terms?|topic|phrase|search term|search query|s", "", ""),
}  # fmt: skip
_NEVER = r"(?!)"
_NAME_TABLE: dict[Kind, re.Pattern[str]] = {
    kind: re.compile(rf"(?:new |old |current )?(?:(?:.* )?(?:{last or _NEVER})(?: (?:{after}))?|{whole or _NEVER})")
    for kind, (last, after, whole) in _NAMED.items()
}
_DESCRIBED: dict[Kind, str] = {
    "password": r"\bpassword\b",
    "code": r"\b(?:verification|security|confirmation) code\b|\bsix digits\b",
    "email": r"\be-?mail(?:s|\s+address(?:es)?)?\b",
    "username": r"\buser ?names?\b|\bhandle\b|\busers?\s+(?:to|who|that)\b",
    "phone": r"\b(?:phone|mobile|telephone)\b",
    "url": r"\b(?:url|uri|web address)\b",
    "symbol": r"\b(?:ticker|iso 4217|currency code|iata)\b",
    "id": r"\bidentifiers?\b|\bids?\b|\b(?:order|flight|tracking) number\b",
    "place": r"\b(?:city|town|location|place|country|airport|where it|address of)\b",
    "person": r"\b(?:(?:full|first|last) name|name of (?:the )?(?:person|user|customer|artist|author|player))\b",
    "title": r"\b(?:title|subject line|name of (?:the )?(?:event|meeting|entry|playlist|list|file|project))\b",
    "task": r"\b(?:task|to-?do|what there is to do)\b",
    "message": r"\b(?:text (?:to send|of the (?:message|mail))|message|body)\b",
    "query": r"\b(?:search(?:es)? for|search (?:term|query)|look for|words to|keywords?|query)\b",
}
_DESCRIPTION_TABLE: dict[Kind, re.Pattern[str]] = {
    kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _DESCRIBED.items()
}
_FORMATS: dict[str, tuple[Kind, str]] = {
    "date": ("date", "%Y-%m-%d"), "time": ("time", "%H:%M:%S"), "date-time": ("moment", "rfc3339"),
    "email": ("email", ""),
    "uri": ("url", ""), "url": ("url", ""), "uuid": ("uuid", ""), "password": ("password", ""), "phone": ("phone", ""),
}  # fmt: skip
_STRFTIME = re.compile(r"%-?[a-zA-Z](?:[^a-zA-Z%\n]{0,2}T?%-?[a-zA-Z])*Z?")
_LETTERS = re.compile(
    r"(?<!\w)(?:YYYY|YY|MMMM|MMM|MM|DD|HH|hh|mm|dd|yyyy|yy)(?:[-/:. T']{0,3}(?:YYYY|YY|MMMM|MMM|MM|DD|HH|hh|mm|"
    r"dd|yyyy|yy|SS|ss))*Z?\b(?:\s?(?:AM/PM|am/pm|[aA]\b))?"
)
_LETTER = re.compile(r"YYYY|yyyy|YY|yy|MMMM|MMM|MM|mm|DD|dd|HH|hh|SS|ss")
_CODES = {"YYYY": "%Y", "YY": "%y", "MMMM": "%B", "MMM": "%b", "DD": "%d", "SS": "%S"}
_EXAMPLE = re.compile(r"\b\d{4}-\d\d-\d\d(?:(?P<sep>[T ])\d\d:\d\d(?P<second>:\d\d)?(?P<zone>Z)?)?\b")
_MOMENT: tuple[Kind, str] = ("moment", "%Y-%m-%dT%H:%M:%S")
_DAYS = frozenset({"date", "day", "deadline", "birthday", "dob", "checkin", "checkout"})
_START = frozenset("start from begin beginning since after earliest min checkin starting lower".split())
_END = frozenset("end until to before latest finish stop max checkout ending till return upper".split())


def expected_kinds(schema: Any, name: str = "", description: str = "", root: Any = None) -> list[Want]:
    """Every kind of value that the parameter accepts, the likeliest first; none for objects and what is no schema."""
    found: list[Want] = []
    _collect(schema, (name, description), schema if root is None else root, found, 0)
    return found


def _collect(schema: Any, said: tuple[str, str], root: Any, found: list[Want], deep: int) -> None:
    rule = resolved(schema, root) if schema is not True else dict[str, Any]()
    if rule is None or deep > 8:
        return
    for key in ("allOf", "anyOf", "oneOf"):
        parts = rule.get(key)
        if isinstance(parts, list) and parts:
            outer = {name: part for name, part in rule.items() if name not in ("allOf", "anyOf", "oneOf")}
            for part in cast("list[Any]", parts)[:16]:
                inner = resolved(part, root)
                if inner is not None:
                    _collect({**outer, **inner}, said, root, found, deep + 1)
            return
    name, description = said
    own = rule.get("description")
    description = description or (own if isinstance(own, str) else "")
    words = words_of(name)
    for type_ in types_of(rule) or (_implied(rule),):
        kind, form = _kind(type_, rule, words, description)
        if kind is not None:
            past = True if {"birth", "born", "birthday", "dob"} & set(words) else None
            edge = _edge(words, description) if kind in ("date", "time", "moment") else ""
            found.append(Want(kind, rule, root, name, description, words, form, edge, past))


def _implied(rule: Mapping[str, Any]) -> str:
    if "properties" in rule:
        return "object"
    return "array" if "items" in rule else "number" if "minimum" in rule or "maximum" in rule else "string"


def _kind(type_: str, rule: Mapping[str, Any], words: tuple[str, ...], description: str) -> tuple[Kind | None, str]:
    if type_ in ("object", "null"):
        return None, ""
    if type_ != "array" and (isinstance(rule.get("enum"), list) or "const" in rule):
        return "enum", ""
    if type_ in ("array", "boolean"):
        return type_, ""
    if type_ in ("number", "integer"):
        epoch = re.search(r"\b(?:unix|epoch)\b", description, re.IGNORECASE)
        return ("moment", "epoch") if epoch else ("month" if words[-1:] == ("month",) else type_, "")
    form = rule.get("format")
    if isinstance(form, str) and form in _FORMATS:
        return _FORMATS[form]
    if written := _written(description):
        day, clock = re.search(r"%-?[YymdjbBeDFxU]", written), re.search(r"%-?[HIMSTRX]", written)
        return "moment" if day and clock else "time" if clock else "date", written
    return _by_words(words, description)


def _by_words(words: tuple[str, ...], description: str) -> tuple[Kind, str]:
    joined = " ".join(words)
    last = words[-1] if words else ""
    if last in _DAYS or joined in ("check in", "check out", "due"):
        return _MOMENT if re.search(r"date[- ]?time", description, re.IGNORECASE) else ("date", "%Y-%m-%d")
    if last in ("datetime", "timestamp", "moment") or joined.endswith("date time"):
        return _MOMENT
    if last in ("time", "hour", "clock", "at", "when") and "zone" not in words:
        dated = re.search(r"\bdate\b|ISO ?8601|RFC ?3339", description, re.IGNORECASE)
        return _MOMENT if dated else ("time", "%H:%M")
    named: Iterator[Kind] = (kind for kind, pattern in _NAME_TABLE.items() if pattern.fullmatch(joined))
    told: Iterator[Kind] = (kind for kind, pattern in _DESCRIPTION_TABLE.items() if pattern.search(description))
    for kind in chain(named, told):
        return kind, ""
    if re.search(r"\bdate\b", description, re.IGNORECASE):
        return "date", "%Y-%m-%d"
    return ("person" if last == "name" else "text"), ""


def _written(description: str) -> str:
    """The way to write times that a description shows, as a strftime pattern; or nothing."""
    shown = _STRFTIME.search(description)
    if shown and re.search(r"%-?[YymdHMIjB]", shown[0]):
        return shown[0]
    lettered = _LETTERS.search(description)
    if lettered and re.search(r"[Yy]{2}|[Hh]{2}|MM.*DD|DD.*MM|dd.*MM", lettered[0]):
        return _strftime(lettered[0])
    if example := _EXAMPLE.search(description):
        clock = f"{example['sep']}%H:%M{':%S' if example['second'] else ''}{example['zone'] or ''}"
        return f"%Y-%m-%d{clock if example['sep'] else ''}"
    return ""


def _strftime(letters: str) -> str:
    clock, twelve = re.search(r"HH|hh", letters), re.search(r"\s?(?:AM/PM|am/pm|[aA])$", letters)
    letters = letters[: twelve.start()] if twelve else letters

    def code(match: re.Match[str]) -> str:
        said = match[0]
        if said in ("HH", "hh"):
            return "%I" if twelve else "%H"
        if said in ("MM", "mm"):
            return "%M" if clock and match.start() > clock.start() else "%m"
        return _CODES[said.upper()]

    return _LETTER.sub(code, letters).replace("'", "") + (" %p" if twelve else "")


def _edge(words: tuple[str, ...], description: str) -> Edge:
    if edge := next((word for word in words if word in _START or word in _END), ""):
        return "start" if edge in _START else "end"
    joined = " ".join(words)
    if "check in" in joined or "check out" in joined:
        return "start" if "check in" in joined else "end"
    if re.search(r"\b(?:earliest|begins|beginning)\b", description, re.IGNORECASE):
        return "start"
    return "end" if re.search(r"\b(?:latest|ends|end of)\b", description, re.IGNORECASE) else ""


def item_kinds(want: Want) -> list[Want]:
    """What the items of an array are."""
    name = re.sub(r"(?<=[a-z]{2})s$", "", want.name) if not want.name.endswith("ss") else want.name
    return expected_kinds(items_of(want.schema), name, want.description, want.root)


KnowRule = Literal["fixed", "published"]

_KINDS = ("id", "coordinate", "code", "index", "identifier")
_ALIKE = 0.43
_RUN_TOGETHER = re.compile("..ids?$")
_TAIL = re.compile(r" (?:of|for|in|from|to|at|on|by|that|which|whose|with|used|where)\b.*")


def knowable(name: str, phrase: str, schema: Mapping[str, Any] | None = None, *, rule: KnowRule = "fixed") -> bool:
    """Whether users know such a value. `published` looks at the phrase and at nothing else."""
    if rule == "published":
        return _published(phrase)
    shape = schema or {}
    if shape.get("format") in group("formats"):
        return False
    number = shape.get("type") in ("integer", "number")
    by_name = _judged(split_name(name), number)
    if by_name is not None:
        return by_name
    said = split_name(phrase)
    return False not in (_judged(said, number), _judged(_TAIL.sub("", said), number))


_PRINTED = re.compile(
    r"\b(?:on|in|inside|at the top of) (?:the |a |an |every |your |their )?(?:\w+ ){0,4}?"
    r"(?:confirmation|reminder|bill|invoice|receipt|letter|card|ticket|label|cover|lease|statement|e-?mail)\b",
    re.IGNORECASE,
)
_READ_OUT, _UNBOUNDED = re.compile(r"(?=.*\d)[A-Z\d]+(?:-[A-Z\d]+){0,2}"), re.compile(r"(?<!\\)[*+.]|,\}")
_LONGEST_READ = 12


def printed(name: str, schema: Mapping[str, Any]) -> bool:
    """Whether people have such a number on paper, and could read it out: that of an order, of a booking, of a bill."""
    *before, head = split_name(name).split() or [""]
    noted = head in ("id", "number", "no", "reference", "code") and before and singular(before[-1]) in group("on paper")
    return bool(noted or _PRINTED.search(str(schema.get("description") or ""))) and read_out(schema)


def read_out(schema: Mapping[str, Any]) -> bool:
    """Whether values are documented as a few capitals and digits, or as whole numbers."""
    if schema.get("format") in group("formats"):
        return False
    shown = [str(one) for one in (*(schema.get("examples") or ()), schema.get("example")) if one is not None]
    if shown:
        return all(len(one) <= _LONGEST_READ and _READ_OUT.fullmatch(one) for one in shown)
    return "integer" in types_of(schema) or bounded(schema)


def bounded(schema: Mapping[str, Any]) -> bool:
    """Whether a pattern says of each sign what it is, so that values are made of it that people have."""
    pattern = schema.get("pattern")
    return isinstance(pattern, str) and len(pattern) > 1 and _UNBOUNDED.search(pattern) is None


def _judged(words: str, number: bool) -> bool | None:
    """What the last of some words says: True known, False unknowable, None nothing."""
    *before, head = words.split() or [""]
    head = head.rstrip("0123456789") or head
    if {head, singular(head)} & group("unknowable"):
        return f"{before[-1]} {head}" in group("known codes") if before else False
    if head in group("known"):
        return True
    if before and before[0] in ("id", "uuid"):
        return False
    if _RUN_TOGETHER.search(head) and head not in group("ordinary"):
        return False
    return not number if head in group("known by name") else None


def _published(phrase: str) -> bool:
    for word, kind in product(re.findall(r"[^\W_]+", phrase.lower()), _KINDS):
        longest = SequenceMatcher(None, word, kind, autojunk=False).find_longest_match().size
        if word.endswith(kind) or 2 * longest / (len(word) + len(kind)) > _ALIKE:
            return len(word) == 2 and word != kind
    return True


# ---- kinds of things

_NAMING = frozenset(("name", "title", "label", "full", "short", "display", "common", "official", "value"))
# What follows a name of one of two things: `airport_to`.
_SIDES = frozenset(("from", "to", "a", "b"))
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
def owners_said(text: str) -> tuple[list[str], ...]:
    """What a description says that ids are of, in small words: "id of the home team", "the team's id", "ID Team"."""
    patterns = (_OWNER_AFTER, _OWNER_BEFORE, _OWNER_BESIDE)
    return tuple(match[1].lower().split() for pattern in patterns for match in pattern.finditer(text))


@lru_cache(maxsize=16384)
def kind_of(path: tuple[str, ...], title: str = "") -> str:
    """What a value is, by its name, by the names around it, by its title; or nothing."""
    words = spell(path[-1]) if path else ()
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _SIDES):
        words = words[:-1]
    names = _kinds_by("names")
    if len(words) == 1 and len(path) > 1 and (kind := names.get(f"{singular(path[-2].lower())} {words[0]}")):
        return kind
    for size in range(min(3, len(words)), 0, -1):
        if kind := names.get(" ".join(words[-size:])):
            return kind
    if words and (words[-1] in _NAMING or kind_named(words[-1])):
        return _kind_of_thing(words, path[:-1], title)
    return ""


def _kind_of_thing(words: tuple[str, ...], around: Sequence[str], title: str) -> str:
    """What the name of a thing is: by its own words, else by the names around it."""
    inside = [word for word in words if word not in _NAMING]
    for name in [" ".join(inside)] if inside else (*reversed(around), title):
        if noun := noun_of(spell(name)):
            return kind_named(noun)
        if name and not kind_wraps(name):  # of a filing of a company: no company
            break
    return "" if inside else "full" if words == ("full", "name") else "titles"


def noun_of(words: Sequence[str]) -> str:
    """The last of the words that names a kind of thing; or nothing."""
    singulars = [singular(word) for word in words]
    for at in reversed(range(len(singulars))):
        two = " ".join((*words[max(0, at - 1) : at], singulars[at]))  # a market region is no region
        if noun := next((noun for noun in (two, singulars[at]) if kind_named(noun)), ""):
            return noun
    return ""


def kind_about(name: str, about: str) -> str:
    """What a bare `code`, `symbol` or `population` is, where all is about one kind of thing; or nothing."""
    lower = name.lower()
    if (lower.startswith("symbol") or lower.endswith("ticker")) and group("coins") & set(spell(about)):
        return "coin.symbol"
    noun = noun_of(spell(about)) if lower in ("code", "population") else ""
    return kind_of((noun, name)) if noun else ""


def kind_named(noun: str) -> str:
    """The kind of the names of a thing; or nothing."""
    return _kinds_by("things").get(noun, "")


def kind_of_domain(name: str) -> str:
    """What people search for in a walk of life; or nothing."""
    return _kinds_by("domains").get(name.lower(), "")


def noun_for(kind: str) -> str:
    """A noun for things of a kind; or nothing."""
    return next(iter(_listed(_kinds().get(kind, {}).get("things"))), "")


def examples() -> Mapping[str, str]:
    """A path that has each kind of the table: of the first of its names, or inside of the first of its things."""
    rows = _kinds().items()
    inside = {kind: f"{_listed(row['things'])[0]}|name" for kind, row in rows if "things" in row}
    return inside | {kind: f"items|{_listed(row['names'])[0]}" for kind, row in rows if "names" in row}


@lru_cache(maxsize=1024)
def is_marked(kind: str, mark: str) -> bool:
    """Whether a kind has a mark: unsaid, offered, unasked, unnaming, weak, long."""
    return mark in _listed(_kinds().get(kind, {}).get("marks"))


def kind_wraps(name: str) -> bool:
    """Whether a name says nothing of what it holds: `data`, `results`."""
    return name.lower() in group("wraps")


@cache
def group(name: str) -> frozenset[str]:
    """A group of words in names that have one effect."""
    return frozenset(_listed(_table()["words"][name]))


@lru_cache(maxsize=8192)
def has_word(name: str, of: str) -> bool:
    """Whether one of a group's words, or two that belong together, stand in a name."""
    words = split_name(name).split()
    return not group(of).isdisjoint((*words, *map(" ".join, pairwise(words))))


def spoken_forms() -> Mapping[str, Any]:
    """How names are said: `parameters` and `abbreviations` by what stands there, `acronyms` and `proper` names."""
    return _table()["spoken"]


def _table() -> Mapping[str, Any]:
    from toologue.data import shipped  # loads YAML

    return shipped(Path(__file__).with_suffix(".yaml"))


def _kinds() -> Mapping[str, Mapping[str, Any]]:
    return _table()["kinds"]


@cache
def _kinds_by(column: str) -> Mapping[str, str]:
    return {words: kind for kind, row in _kinds().items() for words in _listed(row.get(column))}


def _listed(text: Any) -> tuple[str, ...]:
    return tuple(str(text).split(", ")) if text else ()
