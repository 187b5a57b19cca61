"""Find values of a JSON-Schema type in what people say.

Contract: total and deterministic: any text, any schema; every value fits the schema, every span lies in the text, and
`text` is what stands there. The best comes first; a score orders candidates and is no probability. Only the first
5,000 characters are read. Times are read relative to `now`, the speaker's clock; what is given for a JSON Schema
`date-time` carries its offset (Z where it has none).

`known`: what earlier results said: rows (objects), to which the text may refer ("the dentist one"), or plain texts.

Example:
    >>> from datetime import datetime
    >>> now = datetime(2025, 3, 12, 10, 20)
    >>> said = "Remind me to call the plumber tomorrow at quarter to six, his mail is bo@pipes.example"
    >>> due = {"type": "string", "description": "When it is due, YYYY-MM-DD HH:MM:SS."}
    >>> find(said, due, name="due_date", now=now)[0].value
    '2025-03-13 17:45:00'
    >>> find(said, {"type": "string"}, name="task", description="What there is to do.", now=now)[0].text
    'call the plumber'
    >>> find(said, {"type": "array", "items": {"type": "string", "format": "email"}}, name="to")[0].value
    ['bo@pipes.example']

Not covered: objects (find their properties one by one), negation beyond "not X", facts that are in no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time
from typing import Any, cast

from toologue import keys
from toologue.text import choices, codes, phrases
from toologue.text import proper_names as names
from toologue.text.dates import Asks, Reading, readings
from toologue.text.kinds import Kind, Want, item_wants, wants, words_of
from toologue.text.refer import Row, refer
from toologue.text.spans_found import Found, Scene, best_first, scene_of
from toologue.values.json_schema import fits

_LONGEST = 5_000
_MOST = 32
_FINDERS: dict[Kind, Callable[[Scene, Want], list[Found]]] = {
    "number": choices.numbers, "integer": choices.numbers, "boolean": choices.booleans, "enum": choices.enums,
    "month": choices.months, "weekday": choices.weekdays, "email": codes.emails, "phone": codes.phones,
    "url": codes.urls,
    "uuid": codes.uuids, "id": codes.ids, "code": codes.codes, "symbol": codes.symbols, "username": codes.usernames,
    "password": codes.passwords, "place": names.places, "person": names.people, "title": phrases.titles,
    "task": phrases.tasks, "message": phrases.messages, "query": phrases.queries, "text": phrases.texts,
}  # fmt: skip
_FIELDS: dict[str, tuple[str, ...]] = {
    "username": ("username", "user_name", "user", "login", "handle"), "email": ("email", "e_mail", "email_address"),
    "phone": ("phone", "phone_number"), "place": ("location", "city"),
}  # fmt: skip
_COMMA = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*", re.IGNORECASE)
_ITEM = r"[\w'’#-]+(?:\s+[\w'’#-]+){0,2}?"
_LISTED = re.compile(
    rf"{_ITEM}(?:(?:{_COMMA.pattern}){_ITEM})*(?=[.!?;:\n]|$|\s+(?:for|on|in|at|to|please|with|from|by|as|is|are)\b)",
    re.IGNORECASE,
)
_LITERAL = frozenset(
    {"date", "time", "moment", "number", "integer", "boolean", "enum", "month", "weekday", "password", "code"}
)


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
    found: list[Found] = []
    for want in wants(schema, name, description):
        found += _candidates(scene, want, known)
    return _kept(found, schema)


def mentioned(
    text: str,
    schema: Any,
    known: Sequence[Any],
    *,
    name: str = "",
    description: str = "",
    now: datetime | None = None,
) -> list[Found]:
    """Only those values of `known` that a text refers to, best first: what `find` adds for them. No arrays."""
    scene = scene_of(text[:_LONGEST], now)
    wanted = (want for want in wants(schema, name, description) if want.kind != "array")
    return _kept([one for want in wanted for one in _known(scene, want, known)], schema)


def _kept(found: list[Found], schema: Any) -> list[Found]:
    return best_first([one for one in found if fits(one.value, schema)], key=keys.canonical)[:_MOST]


def _candidates(scene: Scene, want: Want, known: Sequence[Any]) -> list[Found]:
    if want.kind == "array":
        return _arrays(scene, want, known)
    if want.kind in ("date", "time", "moment"):
        found = _times(scene, want)
    else:
        found = [_nudged(scene, one, want) for one in _FINDERS[want.kind](scene, want)]
    return found + _known(scene, want, known)


# ---- times


def _times(scene: Scene, want: Want) -> list[Found]:
    asks = cast("Asks", want.kind)
    hint = f"{want.description} {' '.join(want.words)}"
    found: list[Found] = []
    for reading in readings(scene.text, asks, scene.now, edge=want.edge, hint=hint, past=want.past):
        value = _written(reading, want, scene.now)
        if value is not None:
            said = scene.text[reading.start : reading.end]
            found.append(Found(value, reading.start, reading.end, said, want.kind, reading.score))
    return found


def _written(reading: Reading, want: Want, now: datetime | None) -> Any:
    """The value in the form that the parameter asks for."""
    value = reading.value
    if not isinstance(value, time) and value.year < 1000:
        return None
    offset = now.strftime("%z") if now is not None else ""
    if want.form == "epoch":
        moment = cast("datetime", value)
        return round(moment.replace(tzinfo=now.tzinfo if now else None).timestamp()) if offset else _utc_seconds(moment)
    if want.form == "rfc3339":
        moment = cast("datetime", value)
        return moment.strftime("%Y-%m-%dT%H:%M:%S") + (f"{offset[:3]}:{offset[3:5]}" if offset else "Z")
    if isinstance(value, time) and want.schema.get("format") == "time":
        return value.strftime("%H:%M:%S") + (f"{offset[:3]}:{offset[3:5]}" if offset else "Z")
    try:
        return value.strftime(want.form)
    except ValueError:
        return None


def _utc_seconds(moment: datetime) -> int:
    return round((moment - datetime(1970, 1, 1)).total_seconds())


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
            found += _mentions(scene, value)
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


def _mentions(scene: Scene, value: str) -> list[Found]:
    """A known text, said whole, or by its beginning (`dee` for `dee_drums`)."""
    whole = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", scene.text, re.IGNORECASE)
    if whole:
        return [Found(value, *whole.span(), whole[0], "reference", 0.88)]
    head = re.match(r"[^\W_]{3,}(?=[\W_\d])", value)
    match = re.search(rf"\b{re.escape(head[0])}\b", scene.text, re.IGNORECASE) if head else None
    return [Found(value, *match.span(), match[0], "reference", 0.6)] if match else []


def _nudged(scene: Scene, one: Found, want: Want) -> Found:
    """A little surer right after a word of the parameter's name: "new", "from", "to"."""
    before = scene.text[max(0, one.start - 24) : one.start].lower()
    said = [word for word in want.words if re.search(rf"\b{re.escape(word)}\b", before)]
    other = {"new": "old", "old": "new", "from": "to", "to": "from"}
    against = any(re.search(rf"\b{other[word]}\s+(?:\w+\s+)?$", before) for word in want.words if word in other)
    return one._replace(score=round(min(max(one.score + 0.03 * bool(said) - 0.1 * against, 0.01), 1.0), 4))


# ---- arrays


def _arrays(scene: Scene, want: Want, known: Sequence[Any]) -> list[Found]:
    """All items that the text says, as one list; then each alone."""
    found: list[Found] = []
    for inner in item_wants(want):
        if inner.kind == "array":
            continue
        items = [one for one in _candidates(scene, inner, known) if fits(one.value, inner.schema, inner.root)]
        items = best_first(items, key=keys.canonical)
        if inner.kind in ("username", "person", "email"):
            found += _crowds(scene, inner, known)
        if inner.kind == "text":
            found += [listed for one in items[:4] if (listed := _split(scene, one)) is not None]
        sure = [one for one in items if one.score >= max(0.45, 0.7 * items[0].score)]
        found += _list_of(scene, sure, want)
        found += [one._replace(value=[one.value], kind="array", score=round(one.score * 0.7, 4)) for one in items[:8]]
    return found


def _list_of(scene: Scene, items: list[Found], want: Want) -> list[Found]:
    if not items:
        return []
    ordered = sorted(items, key=lambda one: (one.start, one.end))
    start, end = ordered[0].start, max(one.end for one in ordered)
    most = want.schema.get("maxItems")
    values = [one.value for one in ordered][: most if isinstance(most, int) and most > 0 else None]
    return [Found(values, start, end, scene.text[start:end], "array", min(one.score for one in ordered))]


def _crowds(scene: Scene, want: Want, known: Sequence[Any]) -> list[Found]:
    """People listed by their names: as known rows call them, else as said."""
    found: list[Found] = []
    for members in names.crowd(scene, want):
        values: list[Any] = []
        resolved = 0
        for member in members:
            hits = [one for one in _known(scene_of(member.text, scene.now), want, known) if one.score >= 0.6]
            resolved += bool(hits)
            values.append(best_first(hits)[0].value if hits else member.value)
        start, end = members[0].start, members[-1].end
        score = 0.9 if resolved == len(members) else 0.5 if want.kind != "email" else 0.2
        found.append(Found(values, start, end, scene.text[start:end], "array", score))
    return found


def _split(scene: Scene, one: Found) -> Found | None:
    """The list that begins with a phrase, where commas or "and" divide it."""
    match = _LISTED.match(scene.text, one.start)
    if match is None:
        return None
    parts = [part.strip() for part in _COMMA.split(match[0])]
    return Found([part for part in parts if part], *match.span(), match[0], "array", min(one.score + 0.02, 1.0))
