"""People and places that a text names.

Contract: pure and total; candidates, not yet checked against the schema. Capitals help, cue words help more; months,
weekdays and expressions of time are neither people nor places.

Example:
    >>> from toologue.text.kinds import wants
    >>> from toologue.text.spans_found import scene_of
    >>> said = scene_of("Hi, I'm Ann Lee. What's the weather in new york going to be like?", None)
    >>> people(said, wants({}, "full_name")[0])[0].value, places(said, wants({}, "city")[0])[0].value
    ('Ann Lee', 'new york')

Not covered: a gazetteer; lower-case names without a cue.
"""

from __future__ import annotations

import re

from toologue.text.days import MONTHS, WEEKDAYS
from toologue.text.kinds import Want
from toologue.text.spans_found import MASK, Found, Scene, made

_I = re.IGNORECASE
_CAPITAL = r"(?:(?:St|Mt|Ft|Dr|Mr|Mrs|Ms|[A-Z])\.|[A-Z][\w'’-]*)"
_CAPITALS = rf"(?-i:{_CAPITAL}(?:\s+(?:(?:of|de|la|del)\s+)?{_CAPITAL})*)"
_PLACE = rf"(?-i:{_CAPITAL}(?:(?:,?\s+|\s+(?:of|de|la|del|upon|am)\s+){_CAPITAL})*)"
_ENDS = (
    r"(?=\s*(?:[.,;!?\x01]|$)|\s+(?:and|or|going|be|is|are|was|right|now|today|looking|look|like|this|next|"
    r"please|for|from|to|at|on|with|by|over|during|usually|"
    r"in|if|so|because|then|when|while|as|before|after|until|around|would|will|should|could|can|i|we|you|not|but|"
    r"tomorrow)\b)"
)
_LOWER = r"(?:[a-z][\w'-]*\s+){0,2}?[a-z][\w'-]*"
_PLACES = (
    (
        re.compile(
            rf"\b(?:weather|forecast|temperature|climate|rain|snow|hot|cold|warm|wet|sunny|flights?|hotels?|"
            rf"restaurants?|trip|live|living|stay(?:ing)?)\b[^.!?\n]{{0,40}}?\s(?:in|for|at|of|to|near)"
            rf"\s+(?:the\s+)?(?P<x>{_PLACE}|{_LOWER}){_ENDS}",
            _I,
        ),
        0.85,
    ),
    (re.compile(rf"\b(?:in|near|around|inside|outside|visit(?:ing)?)\s+(?P<x>{_PLACE})"), 0.86),
    (re.compile(rf"\b(?:at|from|to|for|of)\s+(?:the\s+)?(?P<x>{_PLACE})"), 0.6),
    (re.compile(rf"\b(?P<x>{_PLACE})['’]s?\s+(?:weather|forecast|climate|temperature)\b"), 0.85),
    (re.compile(rf"\b(?:weather|forecast|temperature|climate)\s+(?P<x>{_PLACE})"), 0.8),
    (
        re.compile(
            rf"\b(?:(?:it|location|place|venue|city|address|destination|town|room)\s*(?:is|:|=|will\s+be|to)"
            rf"\s+(?:in\s+|at\s+|to\s+)?(?:the\s+)?)(?P<x>{_PLACE}|{_LOWER}){_ENDS}",
            _I,
        ),
        0.7,
    ),
)
_VENUE = re.compile(
    rf"\b(?:at|in|inside)\s+(?!least|all|once|first|last|case|advance|touch|order|general|time|person|fact\b)"
    rf"(?P<x>(?:the\s+|my\s+|our\s+)?(?:[\w'’-]+\s+){{0,3}}?[\w'’-]+){_ENDS}",
    _I,
)
_BARE = re.compile(rf"(?P<x>{_PLACE})")
_FROM_TO = re.compile(rf"\bfrom\s+(?P<from>{_PLACE}|[a-z]+(?:\s[a-z]+)?)\s+to\s+(?P<to>{_PLACE}|{_LOWER}){_ENDS}", _I)
_PEOPLE = (
    (
        re.compile(
            rf"\b(?:(?:my|the|his|her)\s+(?:full\s+|first\s+|last\s+|sur|new\s+)?name(?:\s+is|['’]s|\s+to|\s*:)|"
            rf"name\s*(?:is\b|:)|under\s+the\s+name(?:\s+of)?|call\s+me|name\s+should\s+be|"
            rf"name\s+(?:changed\s+)?to)\s+(?P<x>{_CAPITALS}|[a-z]+(?:\s[a-z]+)?)",
            _I,
        ),
        0.92,
    ),
    (re.compile(rf"\b(?:I['’]?m|I\s+am|[Tt]his\s+is|named|called)\s+(?P<x>{_CAPITALS})"), 0.85),
    (
        re.compile(
            rf"\b(?:by|with|from|to|for|of|tell|ask|invite|call|text|email|message|meet|and)\s+(?P<x>{_CAPITALS})"
        ),
        0.6,
    ),
    (re.compile(rf"\b(?P<x>{_CAPITALS})"), 0.45),
)
_MEMBER = r"@?[A-Za-z](?:[\w.@-]*\w)?(?:\s+(?-i:[A-Z])\w+)?"
_CROWD = re.compile(
    rf"\b(?:with|invite|inviting|include|including|add|attendees?(?:\s+(?:are|is|should\s+be))?\s*:?|for|to|tell|"
    rf"between)\s+(?P<x>{_MEMBER}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*){_MEMBER})*)",
    _I,
)
_CALENDAR = frozenset(word.lower() for word in (*MONTHS, *WEEKDAYS))
_OPENERS = frozenset(
    {
        "hi",
        "hello",
        "hey",
        "what",
        "when",
        "where",
        "who",
        "how",
        "can",
        "could",
        "please",
        "set",
        "add",
        "book",
        "i",
        "i'm",
        "is",
    }
    | {
        "the",
        "a",
        "an",
        "my",
        "it",
        "no",
        "yes",
        "ok",
        "okay",
        "thanks",
        "find",
        "show",
        "tell",
        "send",
        "remind",
        "text",
        "call",
    }
    | {
        "which",
        "do",
        "does",
        "did",
        "are",
        "was",
        "will",
        "would",
        "should",
        "also",
        "and",
        "then",
        "now",
        "great",
        "delete",
        "make",
    }
    | {
        "put",
        "move",
        "change",
        "cancel",
        "schedule",
        "create",
        "email",
        "ask",
        "let",
        "ah",
        "oh",
        "well",
        "actually",
        "but",
        "so",
    }
    | {
        "get",
        "give",
        "we",
        "you",
        "he",
        "she",
        "they",
        "that",
        "this",
        "there",
        "in",
        "on",
        "at",
        "for",
        "to",
        "from",
        "with",
        "by",
    }
    | {
        "weather",
        "forecast",
        "i'd",
        "i'll",
        "i've",
        "check",
        "look",
        "search",
        "invite",
        "am",
        "pm",
        "what's",
        "who's",
        "let's",
    }
)
_NOBODY = _OPENERS | {
    "me",
    "us",
    "her",
    "him",
    "them",
    "everyone",
    "it",
    "all",
    "both",
    "our",
    "your",
    "his",
    "their",
    "today",
    "tomorrow",
}


def places(scene: Scene, want: Want) -> list[Found]:
    """Towns, countries, and, where the parameter may be a room or a house, "in the back kitchen"."""
    found: list[Found] = []
    for match in _FROM_TO.finditer(scene.masked):
        for group, wanted in (
            ("from", {"origin", "from", "departure", "source"}),
            ("to", {"destination", "to", "arrival"}),
        ):
            right = bool(wanted & set(want.words))
            _keep(found, scene, *match.span(group), want, 0.95 if right else 0.55)
    for pattern, score in _PLACES:
        for match in pattern.finditer(scene.masked):
            _keep(found, scene, *match.span("x"), want, score if not _lower(match["x"]) else score - 0.1)
    city = re.search(r"\b(?:city|town|country)\b", f"{want.description} {want.name}", _I)
    if not city:
        for match in _VENUE.finditer(scene.masked):
            _keep(found, scene, *match.span("x"), want, 0.8)
    for match in _BARE.finditer(scene.masked):
        _keep(found, scene, *match.span("x"), want, 0.35)
    return found or _answer(scene, want)


def people(scene: Scene, want: Want) -> list[Found]:
    """Names of people: "my name is X", "I'm X", "by X", and capitals elsewhere."""
    found: list[Found] = []
    for pattern, score in _PEOPLE:
        for match in pattern.finditer(scene.masked):
            _keep(found, scene, *match.span("x"), want, score)
    return found or _answer(scene, want)


def crowd(scene: Scene, want: Want) -> list[list[Found]]:
    """Lists of people as they are said: "with ann, bob and Cy Low"."""
    lists: list[list[Found]] = []
    for match in _CROWD.finditer(scene.masked):
        members: list[Found] = []
        for member in re.finditer(_MEMBER, match["x"], _I):
            if member[0].lower() not in ("and", "with") and member[0].lower() not in _NOBODY:
                start = match.start("x") + member.start()
                one = made(scene.text, start + member[0].startswith("@"), start + len(member[0]), want.kind, 0.55)
                members += [one] if one and one.text.lower() not in _CALENDAR else []
        if members:
            lists.append(members)
    return lists


def _keep(found: list[Found], scene: Scene, start: int, end: int, want: Want, score: float) -> None:
    """Keep it if it is a name: not an opener of sentences, not a month, not a time."""
    words = scene.masked[start:end].split()
    while words and words[0].strip(".,'’").lower() in _OPENERS - {"the", "my"}:
        start = scene.masked.index(words.pop(0), start) + 1
        while start < end and not scene.masked[start].isspace():
            start += 1
    if not words or MASK in scene.masked[start:end] or words[0].strip(".,").lower() in _CALENDAR:
        return
    said = re.sub(r"['’]s$", "", scene.text[start:end])
    one = made(scene.text, start, start + len(said), want.kind, score)
    if one is not None and one.text.lower() not in _NOBODY and re.search(r"[^\W\d_]", one.text):
        found.append(one)


def _lower(said: str) -> bool:
    return said[:1].islower()


def _answer(scene: Scene, want: Want) -> list[Found]:
    """A text of a word or three is perhaps the answer to a question."""
    found: list[Found] = []
    if 0 < len(scene.masked.split()) <= 3:
        _keep(found, scene, 0, len(scene.text), want, 0.5)
    return found
