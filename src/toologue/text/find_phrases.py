"""People, places, and what phrases say: titles, tasks, messages, queries, plain texts.

Candidates, not yet checked against the schema. Capitals help, cue words help more; a phrase ends where its sentence
does, or where the next request begins. Months, weekdays and expressions of time are neither people nor places.
"""

from __future__ import annotations

import re

from toologue.text.names import Want
from toologue.text.spans import (
    MASK,
    Found,
    Scene,
    after,
    clause_end,
    cued,
    keep,
    quoted,
    sentence_end,
    trim,
    value_at,
    whole_text,
)
from toologue.text.times import MONTHS, WEEKDAYS

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
    (
        "hi hello hey what when where who how can could please set add book i i'm is the a an my it no yes ok "
        "okay thanks find show tell send remind text call which do does did are was will would should also and "
        "then now great delete make put move change cancel schedule create email ask let ah oh well actually but "
        "so get give we you he she they that this there in on at for to from with by weather forecast i'd i'll "
        "i've check look search invite am pm what's who's let's"
    ).split()
)
_NOBODY = _OPENERS | frozenset("me us her him them everyone it all both our your his their today tomorrow".split())


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
            _keep(found, scene, *match.span("x"), want, score - 0.1 * match["x"][:1].islower())
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
                one = value_at(scene.text, start + member[0].startswith("@"), start + len(member[0]), want.kind, 0.55)
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
    one = value_at(scene.text, start, start + len(said), want.kind, score)
    if one is not None and one.text.lower() not in _NOBODY and re.search(r"[^\W\d_]", one.text):
        found.append(one)


def _answer(scene: Scene, want: Want) -> list[Found]:
    """A text of a word or three is perhaps the answer to a question."""
    found: list[Found] = []
    if 0 < len(scene.masked.split()) <= 3:
        _keep(found, scene, 0, len(scene.text), want, 0.5)
    return found


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
_EMPTY = frozenset(
    (
        "the a an my your his her their our this that which what any some no of same other new old to by for in "
        "on and or with change set is one me"
    ).split()
)


def tasks(scene: Scene, want: Want) -> list[Found]:
    """What there is to do: "remind me to X", "add X to my list", "don't forget to X"."""
    found = quoted(scene, want, 0.7)
    for start, end, score in cued(scene, _TASKS):
        listed = _LISTED.search(scene.masked, start, end)
        start, end = trim(scene, start, listed.start() if listed else clause_end(scene, start, end))
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
        start, stop_at = trim(scene, start, stop.start() if stop else end)
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
        start, stop_at = trim(scene, start, start + stop.start() if stop else end)
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
            start, end = trim(scene, match.end(), match.end() + stop.start() if stop else end)
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
