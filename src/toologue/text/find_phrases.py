"""What phrases say: people, tasks, and any other words. Candidates, not yet checked against the schema.

Capitals help, cue words help more; a phrase ends where its sentence does, or where the next request begins. Months,
weekdays and expressions of time are nobody's names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from toologue.text.names import Want
from toologue.text.spans import MASK, Found, Scene, value_at
from toologue.text.times import MONTHS, WEEKDAYS

_I = re.IGNORECASE
_NAME = r"(?-i:(?:[A-Z][a-z]?\.|[A-Z][\w'’-]*)(?:\s+(?:(?:of|de|la|del)\s+)?(?:[A-Z][a-z]?\.|[A-Z][\w'’-]*))*)"
_PEOPLE = (
    (re.compile(rf"\b(?:name(?:\s+is|['’]s|\s+to|\s*:)|call\s+me|I['’]?m|I\s+am|named)\s+(?P<x>{_NAME})", _I), 0.9),
    (re.compile(rf"\b(?:by|with|from|to|for|of|tell|ask|invite|call|text|email|meet|and)\s+(?P<x>{_NAME})", _I), 0.6),
    (re.compile(rf"\b(?P<x>{_NAME})"), 0.45),
)
_NOBODY = frozenset(
    (
        "hi hello hey what when where who how can could please set add book i i'm is the a an my it no yes ok okay "
        "thanks find show tell send remind text call which do does did are was will would should also and then now "
        "great delete make put move change cancel schedule create email ask let ah oh well actually but so get give "
        "we you he she they that this there in on at for to from with by weather forecast i'd i'll i've check look "
        "search invite am pm what's who's let's me us her him them everyone all both our your his their today tomorrow"
    ).split()
) | {word.lower() for word in (*MONTHS, *WEEKDAYS)}
_QUOTED = re.compile(r"\"([^\"\n]{1,600})\"|“([^”\n]{1,600})”|(?<!\w)'([^'\n]{2,600})'(?!\w)|«([^»\n]{1,600})»")
_TIMES = rf"[\s{MASK},]*"
_LIST = r"(?:my|the|our|a)\s+(?:[\w-]+\s+)?(?:list|to-?dos?|reminders?|tasks?)\b"
# What stands before a task, and how sure that is.
_TASKS = (
    (
        rf"remind(?:ing)?\s+(?:me|us|myself)\b{_TIMES}(?:,?\s*(?:please|again|also))?{_TIMES}(?:that|about|of|to)\s+",
        0.92,
    ),
    (
        rf"(?:reminder|to-?do|task)s?(?:\s+item)?\b{_TIMES}(?:to|for|about|that|saying|called|named|titled|:|-|is)\s+",
        0.88,
    ),
    (
        r"(?:(?:don['’]?t|do\s+not)\s+(?:let\s+me\s+)?forget\s+(?:to|about)?|remember\s+to|make\s+sure\s+(?:I|to))\s+",
        0.8,
    ),
    (rf"(?:add|put|stick|write|note)\s+(?:down\s+)?(?=.{{2,80}}?\s(?:to|on|onto|in|into|as)\s+{_LIST})", 0.85),
    (r"I\s+(?:need|have|want|ought|got|must|should|gotta)\s+(?:to\s+)?", 0.5),
)
_CUED_TASKS = [(re.compile(rf"\b{cue}", _I), score) for cue, score in _TASKS]
_LISTED = re.compile(rf"\s+(?:to|on|onto|in|into|as)\s+{_LIST}", _I)
_TASK_LEAD = re.compile(r"(?:to|that|I\s+(?:need|have)\s+to)\s+", _I)
_NEXT_REQUEST = re.compile(
    rf"{MASK}\s*[,;]|\s*(?:[,;]\s*(?:and\s+)?(?:then|also|so|but|please|thanks|with\s|in\s|at\s|on\s|as\s|for\s)|"
    r",?\s+and\s+(?:then|also|please|tell|let|send|set|add|call|name|invite|remind|text|e?mail|book|schedule|delete|"
    r"cancel|log|make|put|move|change|give|show|check|write)\b|,?\s+(?:please|thanks|thank\s+you|ok\?|okay\?)\b)",
    _I,
)
_TAIL = re.compile(
    rf"(?:[\s,;{MASK}]|\b(?:please|pls|thanks|thank\s+you|thx|cheers|by|on|at|before|due|until|for|in|from|"
    rf"around|asap|will\s+you|would\s+you|can\s+you|could\s+you|ok|okay)\b)+$",
    _I,
)
_ARTICLE = re.compile(r"(?:(?:the|a|an|my|our|any|some|that|this)\s+)+", _I)
_NAMED_STOP = re.compile(rf"[{MASK},;]|\s+(?:and|with|in|on|at|for|from|to|please|by|that)\b", _I)
_CAPITALS = re.compile(r"(?<![.!?]\s)(?<!^)\b(?!I\b)[A-Z][\w'&-]*(?:\s+(?:(?:of|the|and|de|la)\s+)?[A-Z][\w'&-]*)*")
_UNNAMED = frozenset({"new", "old", "the", "name", "value", "type"})


def people(scene: Scene, want: Want) -> list[Found]:
    """Names of people: "my name is X", "I'm X", "by X", and capitals elsewhere."""
    found: list[Found] = []
    for pattern, score in _PEOPLE:
        for match in pattern.finditer(scene.masked):
            start, end = match.span("x")
            while (word := re.match(r"[^\s,.]+", scene.masked[start:end])) and word[0].lower() in _NOBODY:
                start += len(word[0]) + 1
            said = re.sub(r"['’]s$", "", scene.text[start:end])
            if MASK not in scene.masked[start:end]:
                found += _kept(scene, want, [(start, start + len(said), score)])
    return found


def tasks(scene: Scene, want: Want) -> list[Found]:
    """What there is to do: "remind me to X", "add X to my list", "don't forget to X"."""
    spans: list[tuple[int, int, float]] = []
    for pattern, score in _CUED_TASKS:
        for match in pattern.finditer(scene.masked):
            end = scene.sentence_end(match.end())
            for stop in (_LISTED, _NEXT_REQUEST):
                end = stopped.start() if (stopped := stop.search(scene.masked, match.end(), end)) else end
            spans.append(_trimmed(scene, match.end(), end, _TASK_LEAD, score))
    return _quoted(scene, want, 0.7) + _kept(scene, want, spans) or _whole(scene, want)


def texts(scene: Scene, want: Want) -> list[Found]:
    """What stands in quotes, follows (or precedes) the parameter's own name, or is a name; a short answer."""
    spans: list[tuple[int, int, float]] = []
    if named := "|".join(re.escape(word) for word in want.words if len(word) > 2 and word not in _UNNAMED):
        link = r"(?P<link>\s+(?:is|to|of|as|called|named|should\s+be|will\s+be|be)\b|\s*[:=])"
        cue = rf"\b(?:{named})s?\b(?:\s+name)?{link}?\s+(?!would\b|should\b|will\b|could\b|can\b)"
        for match in re.finditer(cue, scene.text, _I):
            end = scene.sentence_end(match.end())
            stop = _NAMED_STOP.search(scene.masked, match.end(), end)
            score = 0.82 if match["link"] else 0.55
            spans.append(_trimmed(scene, match.end(), stop.start() if stop else end, _ARTICLE, score))
        for match in re.finditer(rf"(?P<value>[\w'-]+)\s+(?:{named})s?\b", scene.text, _I):
            if match["value"].lower() not in _NOBODY:
                spans.append((*match.span("value"), 0.5))
    spans += [(*match.span(), 0.42) for match in _CAPITALS.finditer(scene.text) if not scene.is_time(*match.span())]
    return _quoted(scene, want, 0.9) + _kept(scene, want, spans) or _whole(scene, want)


def _kept(scene: Scene, want: Want, spans: Iterable[tuple[int, int, float]]) -> list[Found]:
    """The spans without outer punctuation, where a word is left of them."""
    values = (value_at(scene.text, start, end, want.kind, score) for start, end, score in spans)
    return [value for value in values if value is not None and re.search(r"\w", value.text)]


def _quoted(scene: Scene, want: Want, score: float) -> list[Found]:
    matches = _QUOTED.finditer(scene.text)
    return _kept(scene, want, [(*match.span(match.lastindex or 1), score) for match in matches])


def _whole(scene: Scene, want: Want) -> list[Found]:
    """The whole text, as a last resort: a short answer to a question."""
    words = len(scene.text.split())
    score = 0.3 if words <= 6 else 0.15
    return _kept(scene, want, [_trimmed(scene, 0, len(scene.text), _ARTICLE, score)]) if words <= 40 else []


def _trimmed(scene: Scene, start: int, end: int, lead: re.Pattern[str], score: float) -> tuple[int, int, float]:
    """A span without its lead, the times around it, the preposition before these and the politeness at the end."""
    tail = _TAIL.search(scene.masked, start, end)
    end = tail.start() if tail else end
    while start < end and scene.masked[start] in f"{MASK} ,:":
        start += 1
    match = lead.match(scene.text, start, end)
    return match.end() if match else start, end, score
