"""Find values of a JSON-Schema type in what people say.

Contract: total and deterministic: any text, any schema; every value fits the schema, every span lies in the text, and
`text` is what stands there. The best comes first; a score orders candidates and is no probability. Only the first
5,000 characters are read. Times are read relative to `now`, the speaker's clock; what is given for a JSON Schema
`date-time` carries its offset (Z where it has none). `known`: what earlier results said: rows (objects), to which the
text may refer ("the dentist one"), or plain texts.

    >>> said = "Remind me to call the plumber tomorrow at quarter to six, his mail is bo@pipes.example"
    >>> due = {"type": "string", "description": "When it is due, YYYY-MM-DD HH:MM:SS."}
    >>> find(said, due, name="due_date", now=datetime(2025, 3, 12, 10, 20))[0].value
    '2025-03-13 17:45:00'

Not covered: objects (find their properties one by one), negation beyond "not X", facts that are in no text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, cast

from toologue import keys
from toologue.text import find_codes as codes
from toologue.text import find_phrases as phrases
from toologue.text.names import Kind, Want, expected_kinds, item_kinds
from toologue.text.spans import Found, Scene, best_first, scene_of
from toologue.text.time_expressions import Asks, readings
from toologue.text.tokens import stem, words_of
from toologue.values.compare import moment_of
from toologue.values.json_schema import fits

Row = Mapping[str, Any]

_ORDINALS = ("first 1st 1", "second 2nd 2", "third 3rd 3", "fourth 4th 4", "fifth 5th 5", "sixth 6th 6")
_PLACES = {"last": -1} | {word: place for place, words in enumerate(_ORDINALS) for word in words.split()}
_ORDINAL = re.compile(
    rf"\b(?:the|my|that|number|no\.?|#)\s*(?P<which>{'|'.join(_PLACES)})\b(?!\s+(?:of\s+)?(?:week|month|year|night))",
    re.IGNORECASE,
)
_ALL = re.compile(r"\b(?:all|both|them|these|those|every|each|everything)\b", re.IGNORECASE)
_ONE = re.compile(r"\b(?:that|this|it|its|him|her|the|my|them|there)\b", re.IGNORECASE)
_DULL = frozenset(
    map(
        stem,
        (
            "the a an my me i you it is was are be to of in on at for with and or not no yes that this these those "
            "one ones please can could would will do did what which who when where how from by as so if then also "
            "just now have has had get make set add put call change move delete cancel remove show tell send give "
            "find event meeting alarm reminder message email mail task appointment entry new old time date all any am "
            "pm up out off about let know our us we he she they her him them his its"
        ).split(),
    )
)
_MOST_ROWS = 500


def refer(text: str, rows: Sequence[Row], field: str, now: datetime | None = None) -> list[Found]:
    """The field's values of the rows that the text refers to, best first; [] where it refers to none."""
    scene = scene_of(text, now)
    held = [row for row in rows[:_MOST_ROWS] if row.get(field) is not None]
    seen = [_words_of(row) for row in held]
    counts = Counter(word for words in seen for word in words)
    said = [(match.span(), _plain(match[0])) for match in codes.WORD.finditer(text) if not scene.is_time(*match.span())]
    place = _ORDINAL.search(text)
    placed = _PLACES.get(place["which"].lower()) if place and not scene.is_time(*place.span("which")) else None
    found: list[Found] = []
    for number, row in enumerate(held):
        # Words of the text that are words of the row; one that few rows have weighs more.
        hits = [(span, word) for span, word in said if word in seen[number] and word not in _DULL and len(word) > 1]
        weight = sum(1 / counts[word] for _, word in hits)
        ways = list[tuple[float, int, int]]()
        if hits:
            ways.append((min(0.4 + 0.45 * min(weight, 1.2), 0.94), hits[0][0][0], hits[-1][0][1]))
        if place is not None and placed in (number, number - len(held)):
            ways.append((0.82, *place.span()))
        if ways:
            score = min(max(ways)[0] + 0.1 * (len(ways) - 1), 0.97)
            found.append(_reference(text, row[field], ways[0][1:], score))
    return best_first(found or _by_pronoun(text, [row[field] for row in held]))


def _by_pronoun(text: str, values: Sequence[Any]) -> list[Found]:
    every, one = _ALL.search(text), _ONE.search(text)
    match = every or one
    if match is None:
        return []
    alone = all(value == values[0] for value in values)
    fits = len(values) == 2 if match[0].lower() == "both" else every is not None
    return [_reference(text, value, match.span(), 0.7 if fits else 0.6 if alone else 0.2) for value in values]


def _reference(text: str, value: Any, span: tuple[int, int], score: float) -> Found:
    return Found(value, *span, text[slice(*span)], "reference", round(score, 4))


def _words_of(row: Row) -> frozenset[str]:
    texts: list[str] = []
    for key, value in row.items():
        if key == "id" or key.endswith(("_id", "Id")):
            continue
        if isinstance(value, str) and moment_of(value) is None:
            texts.append(value[:2000])
        elif isinstance(value, list):
            texts += [item[:200] for item in cast("list[Any]", value)[:50] if isinstance(item, str)]
    return frozenset(_plain(word) for text in texts for word in codes.WORD.findall(text))


def _plain(word: str) -> str:
    return stem(re.sub(r"['’]s?$", "", word.lower()))


_LONGEST = 5_000
_MOST = 32
_FINDERS: dict[Kind, Callable[[Scene, Want], list[Found]]] = {
    "number": codes.numbers, "integer": codes.numbers, "boolean": codes.booleans, "enum": codes.enums,
    "month": codes.months, "weekday": codes.weekdays, "email": codes.emails, "phone": codes.phones,
    "url": codes.urls,
    "uuid": codes.uuids, "id": codes.ids, "code": codes.codes, "symbol": codes.symbols, "username": codes.usernames,
    "password": codes.passwords, "person": phrases.people, "task": phrases.tasks,
    "place": phrases.texts, "title": phrases.texts, "message": phrases.texts, "query": phrases.texts,
    "text": phrases.texts,
}  # fmt: skip
_FIELDS: dict[str, tuple[str, ...]] = {
    "username": ("username", "user_name", "user", "login", "handle"), "email": ("email", "e_mail", "email_address"),
    "phone": ("phone", "phone_number"), "place": ("location", "city"),
}  # fmt: skip
_LITERAL = frozenset("date time moment number integer boolean enum month weekday password code".split())


def find(
    text: str,
    schema: Any,
    *,
    name: str = "",
    description: str = "",
    now: datetime | None = None,
    known: Sequence[Any] = (),
) -> list[Found]:
    """The values in a text that fit a parameter with this JSON Schema, name and description, best first."""
    scene = scene_of(text[:_LONGEST], now)
    wanted = expected_kinds(schema, name, description)
    return _fitting([one for want in wanted for one in _candidates(scene, want, known)], schema)


def mentioned(text: str, schema: Any, known: Sequence[Any], *, name: str, now: datetime | None) -> list[Found]:
    """Only those values of `known` that a text refers to, best first; of arrays, what it says as well."""
    scene, found = scene_of(text[:_LONGEST], now), list[Found]()
    for want in expected_kinds(schema, name):
        found += (_arrays if want.kind == "array" else _known)(scene, want, known)
    return _fitting(found, schema)


def _fitting(found: list[Found], schema: Any) -> list[Found]:
    return best_first([one for one in found if fits(one.value, schema)], key=keys.canonical)[:_MOST]


def _candidates(scene: Scene, want: Want, known: Sequence[Any]) -> list[Found]:
    if want.kind == "array":
        return _arrays(scene, want, known)
    if want.kind in ("date", "time", "moment"):
        found = _times(scene, want)
    else:
        found = _FINDERS[want.kind](scene, want)
    return found + _known(scene, want, known)


# ---- times


def _times(scene: Scene, want: Want) -> list[Found]:
    asks, hint = cast("Asks", want.kind), f"{want.description} {' '.join(want.words)}"
    found: list[Found] = []
    for one in readings(scene.text, asks, scene.now, edge=want.edge, hint=hint, past=want.past):
        value = _written(one.value, want, scene.now)
        if value is not None:
            found.append(Found(value, one.start, one.end, scene.text[one.start : one.end], want.kind, one.score))
    return found


def _written(value: date | time | datetime, want: Want, now: datetime | None) -> Any:
    if not isinstance(value, time) and value.year < 1000:
        return None
    offset = now.strftime("%z") if now is not None else ""
    zone = f"{offset[:3]}:{offset[3:5]}" if offset else "Z"
    if want.form == "epoch":
        return round(cast("datetime", value).replace(tzinfo=now.tzinfo if now and offset else UTC).timestamp())
    if want.form == "rfc3339":
        return f"{value:%Y-%m-%dT%H:%M:%S}{zone}"
    if isinstance(value, time) and want.schema.get("format") == "time":
        return f"{value:%H:%M:%S}{zone}"
    try:
        return value.strftime(want.form)
    except ValueError:
        return None


# ---- what is known


def _known(scene: Scene, want: Want, known: Sequence[Any]) -> list[Found]:
    """Values of rows that the text refers to, and known texts that it says."""
    if not known or "new" in want.words:
        return []
    rows = [cast("Row", row) for row in known if isinstance(row, Mapping)]
    weight = 0.4 if want.kind in _LITERAL else 1.0
    found: list[Found] = []
    for field in _fields(want, rows):
        found += [one._replace(score=round(one.score * weight, 4)) for one in refer(scene.text, rows, field, scene.now)]
    for value in known:
        if isinstance(value, str) and value.strip() and want.kind not in _LITERAL:
            said = re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", scene.text, re.IGNORECASE)
            found += [Found(value, *match.span(), match[0], "reference", 0.88) for match in said]
    return found


def _fields(want: Want, rows: Sequence[Row]) -> list[str]:
    """The fields of the rows that hold what the parameter asks for, the likeliest alone."""
    present = dict.fromkeys(key for row in rows for key in row if isinstance(key, str))  # pyright: ignore[reportUnnecessaryIsInstance]
    if want.name in present:
        return [want.name]
    if want.kind == "id":
        wanted = [key for key in present if words_of(key)[-1:] in (("id",), ("ids",), ("identifier",))]
        same = [key for key in wanted if set(words_of(key)) & (set(want.words) - {"id", "ids", "new"})]
        return same[:1] or (wanted[:1] if len(wanted) == 1 or not (set(want.words) - {"id", "ids"}) else [])
    named = [key for key in present if "_".join(words_of(key)) in _FIELDS.get(want.kind, ())]
    return named[:1] or [key for key in ("sender", "from") if want.kind in ("email", "username") and key in present][:1]


# ---- arrays


def _arrays(scene: Scene, want: Want, known: Sequence[Any]) -> list[Found]:
    """All items that the text says, as one list; then each alone."""
    found: list[Found] = []
    for inner in item_kinds(want):
        if inner.kind == "array":
            continue
        items = [one for one in _candidates(scene, inner, known) if fits(one.value, inner.schema, inner.root)]
        items = best_first(items, key=keys.canonical)
        sure = [one for one in items if one.score >= max(0.45, 0.7 * items[0].score)]
        if ordered := sorted(sure, key=lambda one: (one.start, one.end)):
            start, end = ordered[0].start, max(one.end for one in ordered)
            most = want.schema.get("maxItems")
            values = [one.value for one in ordered][: most if isinstance(most, int) and most > 0 else None]
            score = min(one.score for one in ordered)
            found.append(Found(values, start, end, scene.text[start:end], "array", score))
        found += [one._replace(value=[one.value], kind="array", score=round(one.score * 0.7, 4)) for one in items[:8]]
    return found
