"""What the graph goes by: which entities take part, which letters of a phrase count, what fits, and the thresholds.

    published   as the reference code does: outputs whose name, phrase or description contains "status" or "message",
                and anything whose name contains "page" or "limit", are left out, wherever in a word they occur
    best        only what *is* a status, a message or a paging value is left out; letters of every alphabet count;
                types, formats and enumerations must fit

Contract: an edge needs all three similarities strictly above their thresholds. Those of `published` are the paper's
(0.83, 0.5, 0.77) for any embedder; those of `best` belong to an embedder and stand in thresholds.json, where
`python -m bench.apigraph --calibrate` writes them.

Example:
    >>> from toologue.apis.entities import Entity
    >>> homepage = Entity("Shops", "homepage", "the home page of a shop", "Where a shop is.", {"type": "string"})
    >>> left_out(homepage, "output", "published"), left_out(homepage, "output", "best")
    ("its name contains 'page'", '')
    >>> thresholds_of("published", "lexical")
    Thresholds(lcs=0.83, keyword=0.5, description=0.77)

Not covered: units. A price in euros fits one in dollars.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from toologue.apis.entities import Entity
from toologue.errors import BadSetting, shown
from toologue.models.outputs import fits
from toologue.text.tokens import split_name

RulesName = Literal["published", "best"]
Side = Literal["output", "parameter"]

LONGEST = 30_000
"""Letters of a phrase that can be compared; a phrase has 5 to 7 words."""

_FILE = Path(__file__).with_name("thresholds.json")
_ASCII, _ANY = re.compile(r"[^a-z0-9]"), re.compile(r"[\W_]+")
_NEWS, _PAGING = ("status", "message"), ("page", "limit")
_NO_MATTER = re.compile(
    r"(?:^|.* )(?:status|messages?|success|limit|offset|cursor|page|per page|page (?:size|number|count|index|token))"
)


class Thresholds(NamedTuple):
    """What each similarity of an edge lies above."""

    lcs: float
    keyword: float
    description: float


PUBLISHED = Thresholds(0.83, 0.5, 0.77)


def thresholds_of(rules: RulesName, name: str, given: Mapping[str, float | None] | None = None) -> Thresholds:
    """The thresholds for an embedder of this name; those given replace them. Raises BadSetting if any is unknown."""
    chosen = {key: value for key, value in (given or {}).items() if value is not None}
    if odd := next(((key, value) for key, value in chosen.items() if not 0 <= value <= 1), None):
        raise BadSetting(f"--{odd[0]} {odd[1]}: a similarity lies between 0 and 1")
    known = PUBLISHED._asdict() if rules == "published" else _calibrated().get(name, {})
    if missing := [key for key in Thresholds._fields if key not in known and key not in chosen]:
        options = " ".join(f"--{key}" for key in missing)
        raise BadSetting(f"{shown(name)} has no thresholds for a graph: give {options}, or use --rules published")
    return Thresholds(**{key: chosen.get(key, known.get(key, 0.0)) for key in Thresholds._fields})


def letters(phrase: str, rules: RulesName) -> str:
    """What of a phrase is compared: its letters and digits, folded."""
    return _ASCII.sub("", phrase.lower()) if rules == "published" else _ANY.sub("", phrase.casefold())


def left_out(entity: Entity, side: Side, rules: RulesName) -> str:
    """Why an entity takes no part in the graph; nothing where it does."""
    if side == "parameter" and not entity.required:
        return "it is optional"
    if not 0 < len(letters(entity.phrase, rules)) <= LONGEST:
        return "it has no phrase" if len(entity.phrase) <= LONGEST else "its phrase is too long"
    if rules == "best":
        if not entity.description.strip():
            return "it has no description"
        return f"it is {shown(leaf)}" if _NO_MATTER.fullmatch(leaf := split_name(entity.name.split("|")[-1])) else ""
    if side == "output":
        texts = (entity.name, entity.phrase, entity.description)
        if word := next((word for word in _NEWS if any(word in text for text in texts)), ""):
            return f"its name, phrase or description contains {word!r}"
    name = letters(entity.name, rules)
    word = next((word for word in _PAGING if word in name), "")
    return f"its name contains {word!r}" if word else ""


def misfit(output: Entity, parameter: Entity) -> str:
    """Why a value of the output cannot stand where the parameter is asked for; nothing where it can."""
    if not fits(output.schema, parameter.schema) and not _numerals(_examples(output), parameter):
        return f"{_type(output)} does not fit {_type(parameter)}"
    if options := _list(parameter.schema.get("enum")):
        given = {one.casefold() for one in map(str, _list(output.schema.get("enum")) or _examples(output))}
        if given and not given & {str(one).casefold() for one in options}:
            return f"{shown(sorted(given)[0])} is none of the values that are allowed"
    return ""


def _examples(entity: Entity) -> list[str]:
    return [str(one) for one in _list(entity.schema.get("examples"))]


def _numerals(examples: list[str], parameter: Entity) -> bool:
    """Whether a text is a number in writing, as ids often are."""
    wanted = parameter.schema.get("type")
    pattern = r"-?\d+" if wanted == "integer" else r"-?\d+(?:\.\d+)?"
    return wanted in ("integer", "number") and bool(examples) and all(re.fullmatch(pattern, one) for one in examples)


def _type(entity: Entity) -> str:
    kind, form = entity.schema.get("type"), entity.schema.get("format")
    return " or ".join(map(str, _list(kind) or [kind])) + (f" ({form})" if form else "")


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


@cache
def _calibrated() -> dict[str, dict[str, float]]:
    known: dict[str, Any] = json.loads(_FILE.read_text("utf-8")) if _FILE.exists() else {}
    return {name: entry["thresholds"] for name, entry in known.items()}
