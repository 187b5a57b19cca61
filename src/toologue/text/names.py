"""What the name, description and JSON Schema of a parameter mean: the kinds of value it accepts, and who knows them.

`expected_kinds` is pure and total: schema keywords weigh more than the name, the name more than the description; none
for objects. `knowable` says whether people can be expected to know such a value.

    >>> want = expected_kinds({"type": "string"}, "new_start_time", "New beginning, YYYY-MM-DD HH:MM")[0]
    >>> want.kind, want.form, want.edge, want.words
    ('moment', '%Y-%m-%d %H:%M', 'start', ('new', 'start', 'time'))
    >>> [knowable(name, "") for name in ("city", "hotel_id")]
    [True, False]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from toologue.text.time_expressions import Edge
from toologue.text.tokens import split_name, words_of
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


_NAMED: tuple[tuple[Kind, str], ...] = (
    ("password", r"password|passwd|pwd|passphrase|passcode"),
    (
        "code",
        r"(?:verification|security|access|confirmation|auth|one time|sms|otp|2fa|mfa|reset) ?(?:code|pin|token)|"
        r"otp|pin",
    ),
    ("email", r"(?:.* )?(?:e ?mail|e mails|emails)(?: address(?:es)?)?"),
    ("phone", r"(?:.* )?(?:phone|mobile|telephone|cell|fax)(?: number| no)?|tel|msisdn"),
    ("username", r"(?:.* )?(?:username|user ?name|login|handle|screen ?name|nickname|user ?names)"),
    ("url", r"(?:.* )?(?:url|uri|link|website|webhook|homepage)"),
    ("uuid", r"(?:.* )?(?:uuid|guid)"),
    (
        "symbol",
        r"(?:.* )?(?:symbols?|ticker|iata|icao|currency|coin)(?: code)?|(?:base|quote|currency) ?(?:currency|"
        r"code)|(?:country|language) code",
    ),
    (
        "id",
        r"(?:.* )?(?:ids?|identifier|sku|isbn|asin|imei|vin|iban|zip|zip ?code|postal ?code|postcode|slug|token|"
        r"reference)|(?:order|flight|invoice|ticket|case|booking|account|tracking|card|room|policy|serial|"
        r"customer|item|part|model|license|plate) (?:number|no|num|code)|.* code|code|key",
    ),
    ("month", r"(?:.* )?month"),
    ("weekday", r"(?:.* )?(?:weekday|day of (?:the )?week)"),
    (
        "place",
        r"(?:.* )?(?:city|location|place|address|venue|country|region|town|state|destination|origin|airport|"
        r"street|where|locality|county|hotel|area|departure|arrival|capital)(?: (?:name|city|place))?",
    ),
    ("title", r"(?:.* )?(?:title|subject|heading|headline|label|summary|event name|playlist name)"),
    (
        "person",
        r"(?:.* )?(?:full ?name|first ?name|last ?name|surname|author|artist|person|player|actor|director|"
        r"contact|guest|passenger|patient|doctor|customer|employee|owner|assignee|name of person)(?: name)?s?",
    ),
    ("task", r"(?:.* )?(?:task|todo|to do|chore|reminder)(?: text| name)?"),
    (
        "message",
        r"(?:.* )?(?:message|body|content|text|comment|note|notes|description|reply|caption|msg|feedback|review)"
        r"(?: text| body)?",
    ),
    ("query", r"(?:.* )?(?:query|q|keywords?|search|term|terms|topic|phrase|search term|search query|s)"),
)
_DESCRIBED: tuple[tuple[Kind, str], ...] = (
    ("password", r"\bpassword\b"),
    ("code", r"\b(?:verification|security|confirmation) code\b|\bsix digits\b"),
    ("email", r"\be-?mail(?:s|\s+address(?:es)?)?\b"),
    ("username", r"\buser ?names?\b|\bhandle\b|\busers?\s+(?:to|who|that)\b"),
    ("phone", r"\b(?:phone|mobile|telephone)\b"),
    ("url", r"\b(?:url|uri|web address)\b"),
    ("symbol", r"\b(?:ticker|iso 4217|currency code|iata)\b"),
    ("id", r"\bidentifiers?\b|\bids?\b|\b(?:order|flight|tracking) number\b"),
    ("place", r"\b(?:city|town|location|place|country|airport|where it|address of)\b"),
    (
        "person",
        r"\b(?:full name|first name|last name|name of (?:the )?(?:person|user|customer|artist|author|player))\b",
    ),
    ("title", r"\b(?:title|subject line|name of (?:the )?(?:event|meeting|entry|playlist|list|file|project))\b"),
    ("task", r"\b(?:task|to-?do|what there is to do)\b"),
    ("message", r"\b(?:text (?:to send|of the (?:message|mail))|message|body)\b"),
    ("query", r"\b(?:search(?:es)? for|search (?:term|query)|look for|words to|keywords?|query)\b"),
)
_NAME_TABLE: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"(?:new |old |current )?(?:{pattern})")) for kind, pattern in _NAMED
)
_DESCRIPTION_TABLE: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _DESCRIBED
)
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
    if type_ == "array":
        return "array", ""
    if type_ in ("object", "null"):
        return None, ""
    if isinstance(rule.get("enum"), list) or "const" in rule:
        return "enum", ""
    if type_ == "boolean":
        return "boolean", ""
    if type_ in ("number", "integer"):
        return _number_kind(type_, words, description)
    form = rule.get("format")
    if isinstance(form, str) and form in _FORMATS:
        kind, default = _FORMATS[form]
        return kind, default
    written = _written(description)
    if written:
        return _kind_of_form(written), written
    return _by_words(words, description)


def _number_kind(type_: Literal["number", "integer"], words: tuple[str, ...], description: str) -> tuple[Kind, str]:
    if re.search(r"\b(?:unix|epoch)\b", description, re.IGNORECASE):
        return "moment", "epoch"
    return ("month" if words[-1:] == ("month",) else type_), ""


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
    for kind, pattern in _NAME_TABLE:
        if pattern.fullmatch(joined):
            return kind, ""
    for kind, pattern in _DESCRIPTION_TABLE:
        if pattern.search(description):
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
    example = _EXAMPLE.search(description)
    if example:
        clock = f"{example['sep']}%H:%M{':%S' if example['second'] else ''}{example['zone'] or ''}"
        return f"%Y-%m-%d{clock if example['sep'] else ''}"
    return ""


def _strftime(letters: str) -> str:
    clock = re.search(r"HH|hh", letters)
    twelve = bool(re.search(r"(?:AM/PM|am/pm|[aA])$", letters))
    letters = re.sub(r"\s?(?:AM/PM|am/pm|[aA])$", "", letters)

    def code(match: re.Match[str]) -> str:
        said = match[0]
        if said in ("HH", "hh"):
            return "%I" if twelve else "%H"
        if said in ("MM", "mm"):
            return "%M" if clock and match.start() > clock.start() else "%m"
        return _CODES[said.upper()]

    return _LETTER.sub(code, letters).replace("'", "") + (" %p" if twelve else "")


def _kind_of_form(form: str) -> Kind:
    day, clock = re.search(r"%-?[YymdjbBeDFxU]", form), re.search(r"%-?[HIMSTRX]", form)
    return "moment" if day and clock else "time" if clock else "date"


def _edge(words: tuple[str, ...], description: str) -> Edge:
    for word in words:
        if word in _START or word in _END:
            return "start" if word in _START else "end"
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
    if shape.get("format") in _words("formats"):
        return False
    number = shape.get("type") in ("integer", "number")
    by_name = _judged(split_name(name), number)
    if by_name is not None:
        return by_name
    said = split_name(phrase)
    return False not in (_judged(said, number), _judged(_TAIL.sub("", said), number))


def _judged(words: str, number: bool) -> bool | None:
    """What the last of some words says: True known, False unknowable, None nothing."""
    *before, head = words.split() or [""]
    head = head.rstrip("0123456789") or head
    if head in _words("unknowable"):
        return f"{before[-1]} {head}" in _words("but") if before else False
    if head in _words("known"):
        return True
    if before and before[0] in ("id", "uuid"):
        return False
    if _RUN_TOGETHER.search(head) and head not in _words("ordinary"):
        return False
    return not number if head in _words("things") else None


@cache
def _words(group: str) -> frozenset[str]:
    from toologue.data import shipped  # loads YAML

    rows = cast("dict[str, list[list[str]]]", shipped(Path(__file__).with_name("names.yaml")))[group]
    return frozenset(word for row in rows for word in row)


def _published(phrase: str) -> bool:
    for word in re.findall(r"[^\W_]+", phrase.lower()):
        for kind in _KINDS:
            if word.endswith(kind) or _dice(word, kind) > _ALIKE:
                return len(word) == 2 and word != kind
    return True


def _dice(one: str, other: str) -> float:
    """Twice the longest common part (without gaps) over both lengths."""
    longest, row = 0, [0] * (len(other) + 1)
    for char in one:
        row = [0, *(row[at] + 1 if char == known else 0 for at, known in enumerate(other))]
        longest = max(longest, *row)
    return 2 * longest / (len(one) + len(other))
