"""Intents: what customers contact support about, the seeds of procedures (ALMITA 3.1).

The catalogue that ships is `intents.yaml`; `read_intents` reads yours: industries with lists as ours, or the list that
the paper's prompt asks for, in YAML or JSON, or JSONL as this package writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from toologue.data import Place, Source, read_source
from toologue.errors import UnknownName
from toologue.schema import Record, jsonl
from toologue.values.json_schema import list_of, object_of

_CATALOGUE = Path(__file__).with_name("intents.yaml")
_TEXT = Field(min_length=1)


class Intent(Record):
    """A kind of client, one issue its customers have, and a short name for it.

    Where they are not given, `id` is the name as a slug, and `industry` the client.
    """

    format: Literal["intent/1"] = "intent/1"
    id: str = _TEXT
    industry: str = _TEXT
    client: str = _TEXT
    issue: str = _TEXT
    name: str = _TEXT

    @model_validator(mode="before")
    @classmethod
    def _add_defaults(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        given = object_of(data)
        return {"id": slug(str(given.get("name", ""))), "industry": slug(str(given.get("client", ""))), **given}


def intents() -> tuple[Intent, ...]:
    """The catalogue, industry by industry."""
    return tuple(_catalogue().values())


def intent(id: str) -> Intent:
    """The intent of this id. Raises UnknownName."""
    if id not in _catalogue():
        raise UnknownName("intent", id, _catalogue())
    return _catalogue()[id]


def read_intents(file: Path | str) -> tuple[Intent, ...]:
    """The intents of a file. Raises BadFile, or BadRecord for the first that is none or has an id twice."""
    if str(file).endswith((".jsonl", ".jsonl.gz")):
        return tuple(jsonl.read(file, Intent))
    source = read_source(file)
    found: dict[str, Intent] = {}
    for place, entry in _entries(source):
        try:
            made = Intent.model_validate(entry)
        except ValidationError as error:
            raise source.refused(error, place) from None
        if made.id in found:
            raise source.bad(place, f"two intents are called {made.id!r}", "give one of them an `id` of its own")
        found[made.id] = made
    return tuple(found.values())


def slug(text: str) -> str:
    """A text as an id: words in lower case, joined by hyphens."""
    return "-".join(re.findall(r"[^\W_]+", text.lower().replace("'", "")))


@cache
def _catalogue() -> dict[str, Intent]:
    return {one.id: one for one in read_intents(_CATALOGUE)}


def _entries(source: Source) -> Iterator[tuple[Place, Any]]:
    data: Any = source.data
    if isinstance(data, list):
        yield from (((number,), entry) for number, entry in enumerate(list_of(data)))
        return
    if not isinstance(data, dict):
        raise source.bad((), "intents are a list, or lists by industry", "write `- {client: …, issue: …, name: …}`")
    for industry, entries in object_of(data).items():
        if not isinstance(entries, list):
            raise source.bad((industry,), "this industry has no list of intents", "write `- {client: …, …}` below it")
        for number, entry in enumerate(list_of(entries)):
            yield (industry, number), {"industry": industry, **object_of(entry)} if isinstance(entry, dict) else entry
