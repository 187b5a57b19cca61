"""Free text in what people say: tasks, messages, titles, queries, and whatever a parameter's own name announces.

Contract: pure and total. A phrase is a span of the user's words without the request around it ("can you remind me to"),
without "please", and without an expression of time at its end, which belongs to another parameter.

Example:
    >>> from datetime import datetime
    >>> from toologue.text.kinds import wants
    >>> from toologue.text.spans_found import scene_of
    >>> scene = scene_of("Could you remind me to water her plants tomorrow at 6, please?", datetime(2025, 3, 12))
    >>> tasks(scene, wants({}, "task")[0])[0].value
    'water her plants'
    >>> messages(scene_of("tell Bruna I will be late", None), wants({}, "message")[0])[0].value
    'I will be late'

Not covered: writing what was not said (a mail's greeting), summaries, several requests in one sentence.
"""

from __future__ import annotations

import re

from toologue.text.kinds import Want
from toologue.text.spans import after, clause_end, cued, keep, quoted, sentence_end, trimmed, whole_text
from toologue.text.spans_found import MASK, Found, Scene

_I = re.IGNORECASE
_WHO = (
    r"(?:him|her|them|everyone|everybody|(?:my|our|the)\s+\w+|(?-i:[A-Z][\w'-]*(?:\s+(?!I\b)[A-Z][\w'-]*)?)|"
    r"[a-z][\w.]*)"
)
_TIMES = rf"[\s{MASK},]*"
_TASKS = (
    (
        re.compile(
            rf"\bremind(?:ing)?\s+(?:me|us|myself)\b{_TIMES}(?:,?\s*(?:please|again|also))?{_TIMES}(?:that|about|"
            rf"of|to)\s+",
            _I,
        ),
        0.92,
    ),
    (
        re.compile(
            rf"\b(?:reminder|to-?do|task)s?(?:\s+item)?\b{_TIMES}(?:to|for|about|that|saying|called|named|titled|"
            rf":|-|is)\s+",
            _I,
        ),
        0.88,
    ),
    (
        re.compile(
            r"\b(?:don['’]?t|do\s+not)\s+(?:let\s+me\s+)?forget\s+(?:to|about)?\s*|\bremember\s+to\s+|"
            r"\bmake\s+sure\s+(?:that\s+)?(?:I|to)\s+",
            _I,
        ),
        0.8,
    ),
    (
        re.compile(
            r"\b(?:add|put|stick|write|note)\s+(?:down\s+)?(?=.{2,80}?\s(?:to|on|onto|in|into|as)\s+(?:my|the|"
            r"our|a)\s+(?:\w+\s+)?(?:list|to-?dos?|reminders?|tasks?)\b)",
            _I,
        ),
        0.85,
    ),
    (re.compile(r"\bI\s+(?:need|have|want|ought|got|must|should|gotta)\s+(?:to\s+)?", _I), 0.5),
    (re.compile(r"\bto\s+(?=[a-z]{2,}\s)", _I), 0.3),
)
_LISTED = re.compile(
    r"\s+(?:to|on|onto|in|into|as)\s+(?:my|the|our|a)\s+(?:[\w-]+\s+)?(?:list|to-?dos?|reminders?|tasks?)\b.*",
    _I | re.DOTALL,
)
_MESSAGES = (
    (
        re.compile(
            r"\b(?:saying|says|that\s+says|to\s+say|which\s+says|reading|that\s+reads)(?:\s+that)?\b\s*[:,]?\s*", _I
        ),
        0.9,
    ),
    (
        re.compile(
            r"\b(?:message|body|text|content|note|description|comment|caption|notes)(?:\s+(?:should|must|to))"
            r"?(?:\s+(?:is|be|say|says|read|reads)\b\s*[:,]?|\s*:)\s*",
            _I,
        ),
        0.9,
    ),
    (
        re.compile(
            rf"\b(?:tell|let|inform|notify|warn|remind)\s+(?!me\b|us\b){_WHO}(?:\s+know)"
            rf"?\b{_TIMES}(?:,?\s*(?:please|that|about\s+the\s+fact\s+that))?\s*[:,]?\s*",
            _I,
        ),
        0.86,
    ),
    (
        re.compile(
            rf"\bask\s+(?!me\b|us\b)(?:{_WHO})\s+(?:to\s+(?=\w)|(?=if\b|whether\b|when\b|what\b|where\b|who\b|"
            rf"how\b|why\b|for\b|about\b))",
            _I,
        ),
        0.86,
    ),
    (
        re.compile(
            rf"\b(?:text|message|e?-?mail|write(?:\s+to)?|reply(?:\s+to)?|answer|ping|dm|send)"
            rf"\s+{_WHO}(?:\s+back)?(?:\s+(?:that|saying)\s+|\s*:\s*)",
            _I,
        ),
        0.9,
    ),
    (re.compile(r"\b(?:reply|answer|respond|write)(?:\s+back)?\s+(?:with|that|saying)\s+", _I), 0.85),
)
_TITLES = (
    (re.compile(r"\b(?:called|named|titled|entitled|labell?ed)\s*:?\s+", _I), 0.92),
    (
        re.compile(r"\b(?:call|name|title|label|rename)\s+(?:it|that|this|the\s+\w+|my\s+\w+)\s+(?:to\s+|as\s+)?", _I),
        0.92,
    ),
    (
        re.compile(
            r"\b(?:title|subject(?:\s+line)?|heading|name)(?:\s+(?:is|to|should\s+be|being|of)\b|\s*[:=])"
            r"?\s+(?!of\b|is\b|to\b)",
            _I,
        ),
        0.85,
    ),
    (
        re.compile(
            r"\b(?:schedule|book|create|add|set\s+up|make|put|arrange|plan|organi[sz]e|enter|block)\s+(?:me\s+|"
            r"us\s+)?(?:in\s+)?(?:an?\s+|the\s+|my\s+|our\s+)?(?:new\s+)?",
            _I,
        ),
        0.6,
    ),
    (re.compile(r"\b(?:event|meeting|entry|appointment|call)\s+(?:for|about|on)\s+(?:the\s+|my\s+|an?\s+)?", _I), 0.5),
    (re.compile(r"\bI(?:['’]ve|\s+have)?(?:\s+got)?\s+(?:an?|my)\s+", _I), 0.4),
)
_QUERIES = (
    (
        re.compile(
            r"\b(?:about|regarding|concerning|mention(?:s|ed|ing)?|contain(?:s|ing)?|related\s+to|to\s+do\s+with|"
            r"with\s+the\s+words?|with\s+the\s+subject|on\s+the\s+subject\s+of|re:)\s+",
            _I,
        ),
        0.85,
    ),
    (
        re.compile(
            r"\b(?:search|searching|look|looking|google|check)\s+(?:\w+\s+){0,3}?for\s+|\blook\s*(?:ing)"
            r"?\s+up\s+|\bsearch\s+(?=[\w\"])(?!for\b|my\b|the\b|in\b)",
            _I,
        ),
        0.85,
    ),
    (
        re.compile(
            r"\b(?:find|show|get|give|list|recommend|suggest)\s+(?:me\s+|us\s+)?(?:some\s+|any\s+|all\s+|the\s+)?", _I
        ),
        0.55,
    ),
    (re.compile(r"\b(?:when|where|what|who)(?:['’]s|\s+is|\s+are|\s+was|\s+were)\s+(?:the\s+|my\s+)?", _I), 0.4),
)
_ARTICLE = re.compile(r"(?:(?:the|a|an|my|our|any|some|that|this)\s+)+", _I)
_TITLE_STOP = re.compile(
    rf"[{MASK},;]|\s+(?:with|in\s+(?:the|my|our)|at\s+(?:the|my|our|[A-Z])|to\s+(?:my|the|our)|on\s+(?:my|the)|"
    rf"and\s+\w+|for\s+(?:me|an?\s|\d)|lasting|starting|please|instead)\b",
    _I,
)
_CUED_STOP = re.compile(
    rf"[{MASK};]|,\s|\s+(?:to|in|on)\s+(?:my|the|our)\b|\s+(?:please|instead|and\s+(?:tell|invite|add|set|send|"
    rf"put|make|with|let|say|write|ask))\b",
    _I,
)
_SOFT_TAIL = re.compile(
    r"(?:[\s,;]|\b(?:please|pls|thanks|thank\s+you|thx|cheers|will\s+you|would\s+you|can\s+you|could\s+you)\b)+$", _I
)


def tasks(scene: Scene, want: Want) -> list[Found]:
    """What there is to do: "remind me to X", "add X to my list", "don't forget to X"."""
    found = quoted(scene, want, 0.7)
    for start, end, score in cued(scene, _TASKS):
        listed = _LISTED.search(scene.masked, start, end)
        start, end = trimmed(scene, start, listed.start() if listed else clause_end(scene, start, end))
        start = after(scene, start, end, re.compile(r"(?:to|that|I\s+(?:need|have)\s+to)\s+", _I))
        keep(found, scene, start, end, want, score)
    return found or whole_text(scene, want, 0.3)


def messages(scene: Scene, want: Want) -> list[Found]:
    """The words to send: "saying X", "tell Ann that X", "text Bo: X"; to the end of the sentence."""
    found = quoted(scene, want, 0.93)
    for start, end, score in cued(scene, _MESSAGES):
        cut = re.search(
            r",?\s+and\s+then\b|,\s*then\b|,?\s+and\s+(?:log\s+me|set\s+(?:an?|my)|remind\s+me|delete|add)\b",
            scene.text[start:end],
            _I,
        )
        soft = _SOFT_TAIL.search(scene.text, start, start + cut.start() if cut else end)
        keep(found, scene, start, soft.start() if soft else start + cut.start() if cut else end, want, score)
    if len(scene.sentences) > 1:
        first, last = scene.sentences[0], scene.sentences[-1]
        if re.search(
            r"\b(?:answer|reply|write|respond|text|message|e?-?mail|send)\b", scene.text[first[0] : first[1]], _I
        ):
            keep(found, scene, scene.sentences[1][0], last[1], want, 0.45)
    return found or whole_text(scene, want, 0.3)


def titles(scene: Scene, want: Want) -> list[Found]:
    """Titles, subjects and names of things: "called X", "subject X", or what is to be booked or made."""
    found = quoted(scene, want, 0.9)
    for start, end, score in cued(scene, _TITLES):
        stop = (_CUED_STOP if score > 0.8 else _TITLE_STOP).search(scene.masked, start, end)
        start, stop_at = trimmed(scene, start, stop.start() if stop else end)
        keep(found, scene, start, stop_at, want, score)
    return found or whole_text(scene, want, 0.35)


def queries(scene: Scene, want: Want) -> list[Found]:
    """What to search for: "about X", "look for X", without articles."""
    found = quoted(scene, want, 0.9)
    for start, end, score in cued(scene, _QUERIES):
        stop = re.search(
            rf"[{MASK},;]|\s+(?:from|sent\s+by|by|in\s+(?:my|the)|please|that|which|and\s+\w+|for\s+me)\b",
            scene.masked[start:end],
            _I,
        )
        if stop and not stop.start() and scene.masked[start] == MASK:  # "something about Thursday"
            timed = next(when for when in scene.whens if when.start <= start + 20 and when.end > start)
            keep(found, scene, start, timed.end, want, score - 0.2)
            continue
        start, stop_at = trimmed(scene, start, start + stop.start() if stop else end)
        keep(found, scene, after(scene, start, stop_at, _ARTICLE), stop_at, want, score)
    return found or whole_text(scene, want, 0.3)


def texts(scene: Scene, want: Want) -> list[Found]:
    """What follows (or precedes) the parameter's own name; quoted words; names; a short answer."""
    found = quoted(scene, want, 0.75)
    named = [
        re.escape(word)
        for word in want.words
        if len(word) > 2 and word not in ("new", "old", "the", "name", "value", "type")
    ]
    if named:
        cue = (
            rf"\b(?:{'|'.join(named)})s?\b(?:\s+name)?(?P<link>\s+(?:is|to|of|as|called|named|should\s+be|"
            rf"will\s+be|be)\b|\s*[:=])?\s+(?!would\b|should\b|will\b|could\b|can\b)"
        )
        for match in re.finditer(cue, scene.text, _I):
            end = sentence_end(scene, match.end())
            stop = re.search(
                rf"[{MASK},;]|\s+(?:and|with|in|on|at|for|from|to|please|by|that)\b",
                scene.masked[match.end() : end],
                _I,
            )
            start, end = trimmed(scene, match.end(), match.end() + stop.start() if stop else end)
            keep(found, scene, after(scene, start, end, _ARTICLE), end, want, 0.82 if match["link"] else 0.55)
        for match in re.finditer(rf"(?P<value>[\w'-]+)\s+(?:{'|'.join(named)})s?\b", scene.text, _I):
            if match["value"].lower() not in _EMPTY:
                keep(found, scene, *match.span("value"), want, 0.5)
    for match in re.finditer(
        r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'&-]*(?:\s+(?:(?:of|the|and|de|la)\s+)?[A-Z][\w'&-]*)*", scene.text
    ):
        if not scene.is_time(*match.span()) and match[0] != "I":
            keep(found, scene, *match.span(), want, 0.42)
    return found or whole_text(scene, want, 0.3)


_EMPTY = frozenset(
    {
        "the",
        "a",
        "an",
        "my",
        "your",
        "his",
        "her",
        "their",
        "our",
        "this",
        "that",
        "which",
        "what",
        "any",
        "some",
        "no",
        "of",
    }
    | {
        "same",
        "other",
        "new",
        "old",
        "to",
        "by",
        "for",
        "in",
        "on",
        "and",
        "or",
        "with",
        "change",
        "set",
        "is",
        "one",
        "me",
    }
)
