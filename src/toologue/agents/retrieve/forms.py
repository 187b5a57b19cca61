"""An Api as a form to fill in: what each of its parameters asks for, read from the documentation once.

Contract: pure; a slot finds values for itself in a text, or in rows that a text refers to. Slots are equal only to
themselves, so that what they found can be kept while a conversation is read again at every turn.

Not covered: parameters that are objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from toologue.agents.retrieve.lexicon import Deed, deed_of, stems
from toologue.apis.entities import leaves
from toologue.schema import Api, Parameter
from toologue.text.find import Row, find, mentioned
from toologue.text.names import expected_kinds
from toologue.text.spans import Found
from toologue.text.tokens import split_name

FREE = frozenset({"task", "message", "query", "text", "title"})
"""Kinds of values that any words could be."""
TIMES = frozenset({"date", "time", "moment"})


@dataclass(frozen=True, eq=False)
class Slot:
    """A parameter, and what it asks for."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    kind: str
    """The likeliest kind of value; "" for objects."""
    edge: str
    """Whether it is the start or the end of a stretch of time."""
    named: frozenset[str]
    """The words of its name, and of its description."""
    described: frozenset[str]

    @property
    def naming(self) -> bool:
        """Whether it names a thing by what only a computer knows."""
        return self.kind in ("id", "uuid")

    @property
    def of(self) -> str:
        """The thing whose id it is, in words, where its name says so: "film" for film_id."""
        thing, _, last = split_name(self.name).rpartition(" ")
        return thing if last in ("id", "uuid") else ""

    def find(self, text: str, now: datetime | None) -> tuple[Found, ...]:
        """The values that a text says, best first."""
        return _find(self, text, now)

    def mentioned(self, text: str, rows: Sequence[Row], now: datetime | None) -> list[Found]:
        """The values of the rows that a text refers to, best first; of an array, all that the text says."""
        return mentioned(text, self.schema, rows, name=self.name, now=now)


@dataclass(frozen=True, eq=False)
class Form:
    """An Api with its slots."""

    api: Api
    slots: Mapping[str, Slot]
    deed: Deed | None
    """The kind of deed that its name says it does."""
    verb: str
    """The first word of its name."""
    about: frozenset[str]
    """The words that the documentation uses for the whole Api."""
    told: frozenset[str] = frozenset()
    """The same, with those of what it tells."""

    def tells(self, word: str) -> bool:
        """Whether a word says more than what the Api is about."""
        return not self.about.issuperset(stems(word))

    def rest(self, words: str) -> str:
        """Words without those that say what the Api is about."""
        return " ".join(word for word in words.split() if self.tells(word) or not stems(word))


def form_of(api: Api) -> Form:
    """Read the documentation of an Api."""
    words = split_name(api.name)
    slots = {name: _slot(name, parameter) for name, parameter in api.parameters.items()}
    about = frozenset(stems(f"{words} {' '.join(api.keywords)} {api.description}"))
    told = frozenset(stems(" ".join(split_name(one.name) for one in leaves(api.returns))))
    return Form(api, slots, deed_of(api.name), next(iter(stems(words)), ""), about, about | told)


def _slot(name: str, parameter: Parameter) -> Slot:
    schema = parameter.json_schema
    want = next(iter(expected_kinds(schema, name)), None)
    return Slot(
        name,
        schema,
        parameter.required,
        kind=want.kind if want else "",
        edge=want.edge if want and want.kind == "moment" else "",
        named=frozenset(stems(split_name(name))),
        described=frozenset(stems(str(schema.get("description", "")))),
    )


@lru_cache(maxsize=50_000)
def _find(slot: Slot, text: str, now: datetime | None) -> tuple[Found, ...]:
    return tuple(find(text, slot.schema, name=slot.name, now=now))
