"""Values out of a closed set, and numbers: enums, yes and no, months, weekdays, amounts.

Contract: pure and total; candidates, not yet checked against the schema. An enum's values match by their words, in any
case and spelled a little wrong; a number is surer beside a word of the parameter's name ("party of 4" for
`party_size`).

Example:
    >>> from toologue.text.kinds import wants
    >>> from toologue.text.spans_found import scene_of
    >>> said = scene_of("Make it buisness class for three guests, and yes, send a copy.", None)
    >>> enums(said, wants({"enum": ["economy", "business"]}, "cabin")[0])[0].value
    'business'
    >>> numbers(said, wants({"type": "integer"}, "guests")[0])[0].value
    3

Not covered: units are not converted, but for lengths of time; synonyms of enum values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from toologue.text.amounts import amounts
from toologue.text.clocks import lengths
from toologue.text.days import MONTHS, WEEKDAYS, days, month_of
from toologue.text.kinds import Want, words_of
from toologue.text.spans_found import Found, Scene

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NOT = re.compile(
    r"\b(?:not|no|without|don['’]?t|do\s+not|never|instead\s+of|rather\s+than|except)\s+(?:an?\s+|the\s+|\w+\s+)?$",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\b(?P<yes>yes|yeah|yep|yup|sure|true|definitely|absolutely|of\s+course|please\s+do|go\s+ahead|correct|"
    r"right|ok|okay|enabled?|turn(?:ed)?\s+on|switch(?:ed)?\s+on)\b"
    r"|\b(?P<no>no|nope|nah|false|not|don['’]?t|never|negative|disabled?|turn(?:ed)?\s+off|switch(?:ed)?\s+off)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\b(?P<x>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?",
    re.IGNORECASE,
)
_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400}
_MONEY_WORDS = "amount price cost budget fee total pay payment salary balance rent fare money usd eur"
_MONEY = frozenset(_MONEY_WORDS.split())
_DULL_WORDS = (
    "the of a an in to for and or is be number count min max minimum maximum how many size value total whether if"
)
_DULL = frozenset(_DULL_WORDS.split())
_MOST_WORDS = 400


def enums(scene: Scene, want: Want) -> list[Found]:
    """The values of an enum (or a constant) that a text says."""
    listed = want.schema.get("enum")
    values: list[Any] = cast("list[Any]", listed) if isinstance(listed, list) else [want.schema.get("const")]
    words = list(_WORD.finditer(scene.text))[:_MOST_WORDS]
    found: list[Found] = []
    for value in values:
        if isinstance(value, bool):
            found += [one for one in booleans(scene, want) if one.value is value]
        elif isinstance(value, int | float):
            found += [one for one in numbers(scene, want) if one.value == value]
        elif isinstance(value, str) and value.strip():
            found += _said(scene, want, value, words)
    return found


def booleans(scene: Scene, want: Want) -> list[Found]:
    """Yes or no: said so, or by the parameter's own word ("with a copy", "no copy")."""
    found: list[Found] = []
    for match in _YES.finditer(scene.text):
        weight = 0.85 if match.start() < 3 or len(scene.text) < 25 else 0.5
        found.append(
            _hit(
                scene,
                match.start(),
                match.end(),
                want,
                weight - 0.2 * (match[0].lower() == "not"),
                match["yes"] is not None,
            )
        )
    for match in _naming(scene, want):
        denied = _NOT.search(scene.text, max(0, match.start() - 30), match.start())
        start = denied.start() if denied else match.start()
        found.append(_hit(scene, start, match.end(), want, 0.65 if denied else 0.6, denied is None))
    return sorted(found, key=lambda one: -one.score)


def numbers(scene: Scene, want: Want) -> list[Found]:
    """Numbers; where the parameter counts minutes, hours or seconds, lengths of time in that unit."""
    unit = next(
        (
            size
            for word, size in _SECONDS.items()
            if re.search(rf"\b{word}s?\b", " ".join((*want.words, want.description)), re.IGNORECASE)
        ),
        0,
    )
    timely = unit and re.search(
        r"duration|minutes?|hours?|seconds?|length|long|days?", " ".join(want.words) or want.description, re.IGNORECASE
    )
    found: list[Found] = []
    for length in lengths(scene.text) if timely else ():
        count = length.long.total_seconds() / unit
        found.append(
            _hit(scene, length.start, length.end, want, 0.93, int(count) if count.is_integer() else round(count, 4))
        )
    named = list(_naming(scene, want))
    for amount in amounts(scene.text):
        value = amount.value
        if isinstance(value, float) and want.kind == "integer":
            continue
        near = any(abs(match.start() - amount.end) <= 12 or abs(amount.start - match.end()) <= 8 for match in named)
        money = bool(amount.unit) and bool(_MONEY & {*want.words, *words_of(want.description)})
        score = (
            0.55
            + 0.35 * (near or money)
            - 0.3 * scene.is_time(amount.start, amount.end)
            - 0.2 * (amount.text.lower() == "one")
        )
        alone = len(scene.text.strip(" .!?,")) - len(amount.text) <= 8
        found.append(_hit(scene, amount.start, amount.end, want, score + 0.3 * (alone and not near), value))
    return sorted(found, key=lambda one: -one.score)


def months(scene: Scene, want: Want) -> list[Found]:
    """Months: their names, or their numbers for a parameter that is one; "this month" where now is known."""
    spans: list[tuple[int, int, int, float]] = []
    for match in _MONTH.finditer(scene.text):
        number = month_of(match["x"]) or 1
        sure = (
            0.95
            if match["x"][0].isupper() or match["x"].lower() not in ("may", "march", "mar", "jan", "dec", "sep")
            else 0.5
        )
        spans.append((match.start(), match.end(), number, sure))
    for day in days(scene.text, scene.now.date() if scene.now else None):
        if not any(day.start < end and start < day.end for start, end, _, _ in spans):
            spans.append(
                (
                    day.start,
                    day.end,
                    day.first.month,
                    0.8 if "month" in scene.text[day.start : day.end].lower() else 0.35,
                )
            )
    numeric = want.schema.get("type") in ("integer", "number")
    return [
        _hit(scene, start, end, want, sure, number if numeric else MONTHS[number - 1])
        for start, end, number, sure in spans
    ]


def weekdays(scene: Scene, want: Want) -> list[Found]:
    """Weekdays by their names."""
    said = days(scene.text, scene.now.date() if scene.now else None)
    return [
        _hit(scene, day.start, day.end, want, 0.95 if day.kind == "weekday" else 0.4, WEEKDAYS[day.first.weekday()])
        for day in said
        if day.kind != "span"
    ]


def _said(scene: Scene, want: Want, value: str, words: list[re.Match[str]]) -> list[Found]:
    from rapidfuzz import fuzz

    parts = list(words_of(value) or (value.lower(),))
    found: list[Found] = []
    if len(value) <= 2:
        spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", scene.text)]
        return [_hit(scene, *span, want, 0.8, value) for span in spans]
    target = " ".join(parts)
    for number in range(len(words) - len(parts) + 1):
        window = words[number : number + len(parts)]
        said = " ".join(match[0].lower() for match in window)
        ratio = (
            100.0
            if said == target or _stem(said) == _stem(target)
            else fuzz.ratio(said, target)
            if len(target) > 4
            else 0.0
        )
        if ratio >= 84:
            start, end = window[0].start(), window[-1].end()
            denied = _NOT.search(scene.text, max(0, start - 30), start)
            sure = (0.95 if said == target else 0.9 if ratio == 100 else 0.8 * ratio / 100) - (0.5 if denied else 0)
            found.append(_hit(scene, start, end, want, sure, value))
    return found


def _stem(words: str) -> str:
    return re.sub(r"(?:ing|ed|es|s)$", "", words)


def _naming(scene: Scene, want: Want) -> Iterable[re.Match[str]]:
    """Where the text uses the words of the parameter's name."""
    named = sorted({_stem(word) for word in want.words if word not in _DULL and len(word) > 2}, key=len, reverse=True)
    if not named:
        return ()
    pattern = re.compile(rf"\b(?:{'|'.join(re.escape(word) for word in named)})(?:ing|ed|es|s|y|ies)?\b", re.IGNORECASE)
    return pattern.finditer(scene.text)


def _hit(scene: Scene, start: int, end: int, want: Want, score: float, value: Any) -> Found:
    return Found(value, start, end, scene.text[start:end], want.kind, round(min(max(score, 0.05), 1.0), 4))
