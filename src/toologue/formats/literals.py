"""Values, calls and results as models write them: JSON, Python literals, and what lies between.

    value_of     `{"id": 7, "ok": true}` · `{'id': 7, 'ok': True}` · `(1, 2)`
    call_of      `get_order(order_id=812, note="late")` · `get_order({"order_id": 812})` · `get_order`
    output_of    the value of a result, or {"error": {"type", "message"}}; `result_of` reads it again

Nothing is run. What spells no value raises ValueError; numbers that no JSON holds (NaN, 1e999) count as such. An
argument without quotes that is no literal is a text as it stands: `status=on the way`. A comma divides arguments
where a name and `=` follow it.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from pydantic_core import from_json

from toologue.errors import shown
from toologue.schema import Fault, Result
from toologue.values.json_schema import object_of

_LONGEST, _SEARCHED, _TRIES = 1_000_000, 100_000, 10
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_CALL = re.compile(rf"\s*({_NAME.pattern})\s*(?:\((.*)\))?\s*;?\s*", re.ASCII | re.DOTALL)
_GIVEN = re.compile(rf"\s*({_KEY.pattern})\s*=(?!=)", re.ASCII)
# Brackets and commas; quotes where a value may begin, with all that is in them.
_TOKEN = re.compile(
    r"""(?:\A|(?<=[=:,(\[{]))\s*(?:"(?:[^"\\]|\\.)*(?:"|\Z)|'(?:[^'\\]|\\.)*(?:'|\Z))"""
    r"""|(?P<opens>[(\[{])|(?P<shuts>[)\]}])|(?P<comma>,)""",
    re.DOTALL,
)
_CONSTANTS = {"true": True, "false": False, "null": None}


def json_text(value: Any) -> str:
    """A value as JSON with its letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def is_json(text: str) -> bool:
    """Whether a text is JSON, and not only Python's way of writing the same."""
    try:
        json.loads(text, strict=False)
    except ValueError:
        return False
    return True


def value_of(text: str) -> Any:
    """The JSON value that a text spells, as JSON or as a Python literal."""
    try:
        return _read(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{shown(text)} is neither JSON nor a Python literal") from None


def call_of(text: str) -> tuple[str, dict[str, Any]]:
    """(name, arguments) of a call. Raises ValueError, which says what cannot be read."""
    found = _CALL.fullmatch(text)
    if found is None or len(text) > _LONGEST:
        raise ValueError(f"{shown(text)} is no call: expected name(parameter=value, …)")
    name, inside = found[1], (found[2] or "").strip().removesuffix(",")
    arguments: dict[str, Any] = {}
    for piece in _divided(inside):
        given = _GIVEN.match(piece)
        if given is None:
            value = value_of(piece) if (piece == inside) else None
            if not isinstance(value, dict):
                raise ValueError(f"{shown(piece.strip())} has no name: write parameter=value")
            return name, cast("dict[str, Any]", value)
        if given[1] in arguments:
            raise ValueError(f"the parameter {given[1]!r} is given twice")
        arguments[given[1]] = _argument(piece[given.end() :].strip())
    return name, arguments


def objects(text: str) -> Iterator[tuple[int, int]]:
    """Where the outermost `{…}` among the first 100,000 characters of a text begin and end, whatever else it holds."""
    start, tries = text.find("{", 0, _SEARCHED), 0
    while start >= 0 and tries < _TRIES:
        if end := _shut(text, start):
            yield start, end
        else:
            tries += 1
        start = text.find("{", end or start + 1, _SEARCHED)


def json_values(
    text: str, opening: str, *, nested: bool = False, partial: bool = False, tries: int = 10_000
) -> Iterator[Any]:
    """Yield the JSON values of a text that begin with one of these brackets, whatever stands around them.

    Those inside of others only where `nested`; `partial`: of an array that was not written to its end, what there is.
    So many brackets are tried.
    """
    decoder, bracket, at = json.JSONDecoder(), re.compile(f"[{re.escape(opening)}]"), 0
    for _ in range(tries):
        if (found := bracket.search(text, at)) is None:
            return
        at = found.end()
        try:
            value, end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            with suppress(ValueError):
                if partial and found[0] == "[":
                    yield from_json(text[found.start() :], allow_partial=True)
            continue
        yield value
        at = at if nested else end


def _shut(text: str, start: int) -> int:
    """Where the bracket at `start` is shut; 0 where it is not."""
    depth = 0
    for token in _TOKEN.finditer(text, start, _SEARCHED):
        depth += bool(token["opens"]) - bool(token["shuts"])
        if not depth:
            return token.end()
    return 0


def _divided(inside: str) -> Iterator[str]:
    """The arguments of a call. A comma that no name and `=` follow belongs to the value before it."""
    start = depth = 0
    for token in _TOKEN.finditer(inside):
        depth += bool(token["opens"]) - bool(token["shuts"])
        if token["comma"] and depth <= 0 and _GIVEN.match(inside, token.end()):
            yield inside[start : token.start()]
            start = token.end()
    if inside:
        yield inside[start:]


def _argument(text: str) -> Any:
    """A value, or a text that nobody put into quotes."""
    try:
        return value_of(text)
    except ValueError:
        if not text or text[0] in "\"'[{":
            raise
        return text


def _read(text: str) -> Any:
    if len(text) > _LONGEST:
        raise ValueError(text)
    try:
        return json.loads(text, strict=False, parse_constant=_finite, parse_float=_finite)
    except ValueError:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            listed = ast.parse(f"[{text.strip()}]", mode="eval").body  # so that `1, 2` does not pass for a tuple
        if not isinstance(listed, ast.List) or len(listed.elts) != 1:
            raise
        return _plain(listed.elts[0])


def _plain(tree: ast.expr) -> Any:
    match tree:
        case ast.Constant(value=None | bool() | str() as value):
            return value
        case ast.Constant(value=int() | float() as value):
            return _finite(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -_finite(value)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_plain(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_member(key): _plain(value) for key, value in zip(keys, values, strict=True)}
        case _:
            raise ValueError(tree)


def _member(key: ast.expr | None) -> str:
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        raise ValueError(key)
    return key.value


def _finite(number: str | float) -> int | float:
    value = number if isinstance(number, int) else float(number)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(number)
    return value


def output_of(result: Result) -> Any:
    """The JSON value that an agent is shown."""
    if result.error is None:
        return {"value": result.value} if _is_envelope(result.value) else result.value
    error = {"error": {"type": result.error.type, "message": result.error.message}}
    return error if result.value is None else error | {"value": result.value}


def result_of(output: Any) -> Result:
    """The result that such a value stands for."""
    if not _is_envelope(output):
        return Result(value=output)
    return Result(value=output.get("value"), error=Fault(**output["error"]) if "error" in output else None)


def _is_envelope(value: Any) -> bool:
    """Whether a value would be read as {"value": ...} or {"error": {"type", "message"}}."""
    found = object_of(value)
    if not found or not found.keys() <= {"value", "error"}:
        return False
    fields = object_of(found.get("error", {"type": "", "message": ""}))
    return fields.keys() == {"type", "message"} and all(isinstance(field, str) for field in fields.values())
