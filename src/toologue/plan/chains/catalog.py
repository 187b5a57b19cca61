"""The documents that plans are made from, read when they are wanted, and what each asks of users and tells them.

`required`, `optional` and `pointing` are what users are asked for, `telling` what an answer may say, `choosing` what
users choose rows by; `unaskable`, `unanswerable` and `lost` are reasons why no conversation comes of a document.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from pydantic_core import from_json

from toologue.apis.entities import Entity, inputs, outputs
from toologue.apis.salience import (
    MEETINGS,
    SOUGHT,
    askable,
    asked_of,
    failure,
    family_of,
    hidden,
    named_thing,
    names_itself,
    names_rows,
    offered,
    points_out,
    salience,
    tells_here,
    topic_words,
)
from toologue.errors import BadFile, BadRecord, UnknownName
from toologue.schema import Api
from toologue.schema.api import SCHEMAS_FIELD
from toologue.schema.jsonl import read_lines
from toologue.text.names import KnowRule, knowable
from toologue.text.tokens import is_spoken, singular, split_compound, split_name
from toologue.worlds.documented import is_credential, kind_wraps, sought_by
from toologue.worlds.documented.arguments import settled

# Why an edge or a document makes no pair, and why a pair comes to nothing.
Reason = Literal[
    # the edge: `again` is a second edge between two APIs
    "not chosen", "not checked", "not valid", "unknown api", "unknown entity", "again",
    # the value: nobody has to find it; it is no help to somebody who does not know it; an id of another walk of life
    "users know it", "users do not know it", "the source takes it", "another's id",
    # what is asked: `cannot be said` are objects and lists, `asks twice` is what both need
    "asks for a secret", "asks for too much", "cannot be said", "no words for it", "nothing to say for it",
    "asks twice", "nothing left to ask",
    # what is found: nothing tells the things of a list apart; nobody says which thing is meant, and one comes back
    "nothing to choose by", "nothing to find it by", "no sequence",
    # by executing: `results disagree` with what was asked, or with each other
    "the source answers with an error", "the target answers with an error", "no value to hand over", "no choice",
    "results disagree", "nothing to answer with",
    # by what people want (`uses`)
    "nobody wants it",
]  # fmt: skip
REASONS: tuple[Reason, ...] = get_args(Reason)

# What somebody who understands the documents may see otherwise.
DOUBTS: frozenset[Reason] = frozenset((
    "users do not know it", "asks for too much", "no words for it", "nothing to say for it", "nothing left to ask",
    "nothing to choose by", "nothing to find it by", "nothing to answer with", "another's id",
))  # fmt: skip

MOST_ASKED = 4  # nobody answers a question for more than this
WORTH = 3  # an answer holds something that tells at least as much (`salience`)

_KEPT = 160  # documents that are kept made; the others are bytes
_DEEPEST = 6
_BACK = frozenset(("reverse", "address"))  # what tells of a place where it is
_WHERE = ("place", "address", "streets")
# Whose id is that of the row itself, as some documents call it.
_SELVES = frozenset(("performance", "issue", "instrument", "security", "entity", "item", "record", "object", "listing"))
_TELLS_APART = ("id", "code", "key", "slug", "uuid")


class ApiView(NamedTuple):
    """An Api and its entities by name."""

    api: Api
    inputs: dict[str, Entity]
    outputs: dict[str, Entity]


class Catalog:
    """The Apis of a file, by name, in its order. The file is scanned once; kept are its lines, packed."""

    def __init__(self, file: Path):
        self.file = file
        self._lines: dict[str, tuple[int, bytes]] = {}
        self._read = Api.reader()  # it knows the schemas of lines that it has seen
        self.api, self.view = lru_cache(maxsize=_KEPT)(self._api), lru_cache(maxsize=_KEPT)(self._view)
        for number, line, _ in read_lines(file):
            if SCHEMAS_FIELD in line:
                self._read(line, file, number)
            name = _name(line, file, number) or self._read(line, file, number).name
            if name in self._lines:
                first = self._lines[name][0]
                raise BadRecord(file, number, "$.name", f"{name!r} is the Api of line {first} already", "rename it")
            self._lines[name] = number, zlib.compress(line, 1)
        if not self._lines:
            raise BadFile(f"{file} holds no record: expected one api/1 a line")

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def apis(self, names: Sequence[str] | None = None) -> Apis:
        """The Apis of these names, or all."""
        return Apis(self, list(self) if names is None else names)

    def _api(self, name: str) -> Api:
        if name not in self._lines:
            raise UnknownName("api", name, self._lines)
        number, line = self._lines[name]
        return self._read(zlib.decompress(line), self.file, number)

    def _view(self, name: str) -> ApiView:
        api = self.api(name)
        return ApiView(api, {one.name: one for one in inputs(api)}, {one.name: one for one in outputs(api)})


class Apis(Mapping[str, Api]):
    """Some Apis of a catalog, by name."""

    def __init__(self, catalog: Catalog, names: Sequence[str]):
        self._catalog, self._names = catalog, dict.fromkeys(names)

    def __getitem__(self, name: str) -> Api:
        if name not in self._names:
            raise KeyError(name)
        return self._catalog.api(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _name(line: bytes, file: Path, number: int) -> str:
    """The name on a line that looks like an Api; what else is wrong with it is said when it is made."""
    try:
        fields = cast("dict[str, object]", from_json(line))
    except ValueError:
        return ""
    if not isinstance(fields, dict):  # pyright: ignore[reportUnnecessaryIsInstance]
        return ""
    if fields.keys().isdisjoint(("format", "name")):
        other = f"what else describes APIs becomes such a file by: toologue apis {file} -o apis.jsonl"
        raise BadRecord(file, number, "$.name", "an api/1 has a name", other)
    named = fields.get("name")
    return named if isinstance(named, str) else ""


def required(view: ApiView, *, but: Collection[str] = ()) -> list[str]:
    """The names of the required parameters, but for what the documentation settles; some of them left out."""
    aside = {*but, *settled(view.api)}
    return [one.name for one in view.inputs.values() if one.required and one.name not in aside]


def optional(view: ApiView, *, but: Collection[str] = ()) -> list[str]:
    """The names of the optional parameters that users may be asked for, some left out, and what these say already.

    Who names a share or a coin is asked for nothing beside.
    """
    if any(one.required and named_thing(one).endswith(".symbol") for one in view.inputs.values()):
        return []
    said = {family(view.inputs[name]) for name in but if name in view.inputs} - {""}
    given = (one for one in view.inputs.values() if not one.required and one.name not in but)
    wished = (one for one in given if offered(one) and not hidden(one) and known(one, "fixed"))
    news = (one for one in wished if family(one) not in said)
    return [one.name for one in news if askable(one, view.api) is None]


def pointing(view: ApiView, *, but: Collection[str] = ()) -> list[str]:
    """The optional parameters by which users say which thing is meant; any, where something else says it."""
    told, asked = optional(view, but=but), required(view)
    return [name for name in told if points_out(view.inputs[name])] or (told if asked else [])


def telling(view: ApiView) -> dict[str, int]:
    """The outputs that tell users something, and how much. Errors tell nothing."""
    if failure(view.outputs):
        return {}
    about = topic_words(view.api)
    return {name: much for name, one in view.outputs.items() if (much := salience(one, about))}


def choosing(view: ApiView, *, but: str = "") -> list[str]:
    """The outputs by which users choose between rows, best first: names beside the wanted one, else names within.

    Whose id it is, they are names of: a league's id goes by the league's name, beside the team's as it may stand.
    """
    about, (parent, _, last) = topic_words(view.api), but.rpartition("|")
    found = [one for one in view.outputs.values() if one.many and one.name != but and names_rows(one)]
    beside = [one for one in found if one.name.rpartition("|")[0] == parent]
    met = {singular(word) for word in (*about, *split_name(but).split())} & MEETINGS
    within = [one for one in found if not parent or one.name.startswith(f"{parent}|")] if met else []
    owner = [singular(word) for word in whose(last)]
    ids = [one for one in view.outputs if one.rpartition("|")[0] == parent and one.lower().endswith("id")]
    near = {singular(word) for word in (*about, *split_name(parent).split())}
    if owner and owner[-1] not in _SELVES and ids != [but] and not {owner[-1], *MEETINGS} & near:
        beside, within = [one for one in beside if split_name(one.name.rpartition("|")[2]).startswith(owner[0])], []
    return [one.name for one in sorted(beside or within, key=lambda one: -salience(one, about))]


def found_by_name(view: ApiView, output: str, asked: list[str]) -> bool:
    """Whether users say by its name what they would choose by it: there is one of that name."""
    sought = {asked_of(view.inputs[name], view.api) for name in asked if named_thing(view.inputs[name]) in SOUGHT}
    best = choosing(view, but=output)[:1] if sought and sought_by(view.api) else []
    return bool(best) and family(view.outputs[best[0]]) in {*sought, "titles"}


def lost(view: ApiView, output: str, asked: list[str], *, many: bool) -> Reason | None:
    """Why nobody could say which of the things that a source knows is meant."""
    path = output.split("|")
    if not {"request", "query", "params", "parameters"}.isdisjoint(name.lower() for name in path[:-1]):
        return "nothing to find it by"
    if many:
        owner = whose(path[-1])
        aside = path[-1].lower().endswith("code") and owner and singular(owner[-1]) not in topic_words(view.api)
        found = len(path) <= _DEEPEST and not aside and choosing(view, but=output)
        return None if found else "nothing to choose by"
    told = asked or pointing(view)
    found = any(points_out(view.inputs[name]) for name in told) if told else tells_here(view.api)
    return None if found else "nothing to find it by"


def unanswerable(view: ApiView, handed: Iterable[Entity] = ()) -> Reason | None:
    """Why an answer would say nothing new: who named a place to find where it is wants to hear more of it than that."""
    placed = "place" in {family(one) for one in handed}
    if placed and _BACK & topic_words(view.api):
        return "nothing to answer with"
    worth = telling(view).items()
    new = (much for name, much in worth if not placed or family(view.outputs[name]) not in _WHERE)
    return None if max(new, default=0) >= WORTH else "nothing to answer with"


def unaskable(view: ApiView, handed: Collection[str] = ()) -> Reason | None:
    """Why nobody would answer what the agent has to ask for, or to look up."""
    asked = [view.inputs[name] for name in required(view, but=handed)]
    if any(map(is_credential, handed)):
        return "asks for a secret"
    if not all(map(is_spoken, handed)) or any(split_name(name).split()[-1:] == ["ids"] for name in handed):
        return "no words for it"
    for one in asked:
        if against := askable(one, view.api):
            return against
    return "asks for too much" if len(asked) >= MOST_ASKED else None


def family(one: Entity) -> str:
    """What kind of thing a parameter, or an output, is about, roughly: "place" of a city's code."""
    return family_of(named_thing(one))


def known(one: Entity, rule: KnowRule) -> bool:
    """Whether users know a parameter, or an output, of theirs."""
    return knowable(one.name.rpartition("|")[2], one.phrase, one.schema, rule=rule)


def alike(name: str, other: str) -> bool:
    """Whether two parameters sound as if they asked for the same."""
    one, two = sorted((normal(name), normal(other)), key=len)
    return two.endswith(one) or (len(one) > 2 and two.startswith(one))


def own_name(output: str) -> bool:
    """Whether an output is the name of what all the result is of, and not of something in it."""
    *around, last = output.split("|")
    words = split_name(last).split()
    return names_itself(last) and all(map(kind_wraps, around)) and {*words[:-1]} <= _SELVES


def whose(name: str) -> list[str]:
    """Whose id, or code, a name is for, in words."""
    words = [part for word in split_name(name).split() for part in split_compound(word)]
    return words[:-1] if words[-1:] and words[-1] in _TELLS_APART else []


def normal(text: str) -> str:
    """A name or a phrase without case, blanks and marks."""
    return re.sub(r"[^a-z0-9]", "", text.lower())
