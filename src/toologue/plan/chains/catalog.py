"""The documents that plans are made from, read when they are wanted, and what each asks of users and tells them.

`required`, `optional` and `pointing` are what users are asked for, `telling` what an answer may say, `choosing` what
users choose rows by; `unaskable`, `unanswerable` and `lost` are reasons why no conversation comes of a document.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import filterfalse
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic_core import from_json

from toologue.apis.entities import Entity, inputs, outputs
from toologue.apis.salience import (
    SIDES,
    WORTH,
    askable,
    asked_for,
    asked_of,
    family_of,
    hidden,
    named_thing,
    names_itself,
    names_row,
    names_rows,
    offered,
    points_out,
    salience,
    topic_words,
)
from toologue.errors import BadFile, BadRecord, UnknownName
from toologue.plan.api_graph.describe import Part, heads, part, subject
from toologue.plan.chains.sequences import Mind
from toologue.schema import Api
from toologue.schema.api import SCHEMAS_FIELD
from toologue.schema.jsonl import read_lines
from toologue.text.names import KnowRule, group, is_marked, knowable, printed
from toologue.text.tokens import is_spoken, singular, split_compound, split_name
from toologue.worlds.documented import choices, is_credential, kind_named, kind_of, kind_sought, kind_wraps
from toologue.worlds.documented.arguments import settled, shows_each
from toologue.worlds.documented.leaves import examples_of, quantities

# Why an edge or a document makes no pair, and why a pair comes to nothing.
Reason = Literal[
    # the edge: `again` is a second edge between two APIs
    "not chosen", "not checked", "not valid", "unknown api", "unknown entity", "again",
    # the value: nobody has to find it; it is no help to somebody who does not know it; an id of something else than
    # what the source gives; what the source says already is all that the target would
    "users know it", "users do not know it", "the source takes it", "another's id", "the source writes",
    "the source has the answer",
    # what is asked: `cannot be said` are objects and lists, `asks twice` is what both need
    "asks for a secret", "asks for too much", "cannot be said", "no words for it", "nothing to say for it",
    "asks twice", "nothing left to ask",
    # what is found: nothing tells the things of a list apart; nobody says which thing is meant, and one comes back
    "nothing to choose by", "nothing to find it by", "no sequence",
    # what changes something, since an answer tells
    "the target writes",
    # by executing: `results disagree` with what was asked, or with each other
    "the source answers with an error", "the target answers with an error", "no value to hand over", "no choice",
    "results disagree", "nothing to answer with",
    # by what people want (`uses`): a model wants it, and none of its examples stood
    "nobody wants it", "no example",
]  # fmt: skip
REASONS: tuple[Reason, ...] = get_args(Reason)

# What somebody who understands the documents may see otherwise.
DOUBTS: frozenset[Reason] = frozenset((
    "users do not know it", "asks for too much", "no words for it", "nothing to say for it", "nothing left to ask",
    "nothing to choose by", "nothing to find it by", "nothing to answer with", "another's id",
))  # fmt: skip

MOST_ASKED = 4  # nobody answers a question for more than this

LESSER = WORTH - 1  # what tells so much is worth an answer beside another such

_KEPT = 40  # documents that are kept made; the others are bytes
_DEEPEST = 4  # names that lead to what is told
_WHERE = ("place", "address", "streets")
# The last words of what no two things share, and kinds that many share.
_OWN = frozenset(("name", "title", "number", "email", "mail", "phone", "username", "barcode", "domain", "address"))
_SHARED = frozenset(("place.country", "place.city", "place.region", "genres", "types"))
_LOOKUPS = [[verb] for verb in ("search", "find", "list", "get", "query", "fetch", "retrieve", "lookup")]
# What points to one place.
_SPOTS = frozenset(("place.city", "place.zip", "place.hub", "place.airport", "address", "place.capital"))
# What else finds places.
_WIDE = ("place.country", "place.code", "place.code3", "place.region", "place.continent")
_PLACED = frozenset(("geocode", "geocoding", "coordinate", "address", "position", "latitude", "longitude"))
# In a line of a file: what is described, and how; a description of an id.
_DESCRIBED = re.compile(rb'"(\w+)":\{[^{}]*?"description":"([^"]{0,200})')
_SAID_ID = re.compile(rb"(?i)\b(?:id|identifier|uuid|sid)\b")
_QUOTED = ("open", "high", "low", "close")
_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+$")
_NAMED_BY = (["id"], ["name"], ["title"])
_TELLS_APART = ("id", "code", "key", "slug", "uuid")


@dataclass(frozen=True, eq=False)
class ApiView:
    """An Api and its entities by name; the nouns of what it gives, first that of its own name."""

    api: Api
    inputs: dict[str, Entity]
    outputs: dict[str, Entity]
    subject: str
    heads: frozenset[str]
    ids: frozenset[str] = frozenset()
    """What the documents call by a bare noun, and describe as an id: the customer of a charge."""

    def known(self, name: str, rule: KnowRule) -> bool:
        """Whether users know a parameter of theirs, or may have it on paper."""
        return self.in_mind(name, rule) or (rule == "fixed" and self.on_paper(name))

    def on_paper(self, name: str) -> bool:
        """Whether a parameter is a number that users have on paper; not everybody has it at hand."""
        return printed(self.inputs[name].last, self.inputs[name].schema)

    def in_mind(self, name: str, rule: KnowRule) -> bool:
        """Whether nobody has to look a parameter up."""
        one = self.inputs[name]
        undocumented = one.schema.keys().isdisjoint(("description", "examples", "enum"))
        bare = undocumented and singular(one.last.lower()) == self.subject and "id" in self.outputs  # /items/{item}
        if rule == "fixed" and (bare or one.last in self.ids):
            return False
        return knowable(one.last, one.phrase, one.schema, rule=rule)

    @cached_property
    def certain(self) -> frozenset[str]:
        """The outputs of which it is certain what their values are."""
        return frozenset(name for name, one in self.outputs.items() if sure(self, one))

    @cached_property
    def shows_result(self) -> bool:
        """Whether documentation shows a result: most of its outputs, and not a form of one or the other."""
        shown = sum(bool(examples_of(one.schema)) for one in self.outputs.values())
        return 2 * shown > len(self.outputs)

    @cached_property
    def traded(self) -> list[tuple[str, list[Any]]]:
        """What documentation shows of the shares and the coins in a result: kinds of symbols with their examples."""
        shown = ((named_thing(one), examples_of(one.schema)) for one in self.outputs.values())
        return [(kind, told) for kind, told in shown if told and kind.endswith(".symbol")]

    @cached_property
    def row_names(self) -> frozenset[str]:
        """The outputs that say what the thing of a row is called."""
        return frozenset(name for name, one in self.outputs.items() if names_row(one, self.heads))


class Catalog:
    """The Apis of a file, by name, in its order. The file is scanned once; kept are its lines, packed."""

    def __init__(self, file: Path):
        self.file = file
        self._lines: dict[str, tuple[int, bytes]] = {}
        described = Counter[tuple[str, bool]]()
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
            described.update(
                (one[1].decode(), _SAID_ID.search(one[2]) is not None) for one in _DESCRIBED.finditer(line)
            )
        if not self._lines:
            raise BadFile(f"{file} holds no record: expected one api/1 a line")
        self._ids = frozenset(
            one for (one, is_id), often in described.items() if is_id and often > described[one, False]
        )

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
        entities = {one.name: one for one in inputs(api)}, {one.name: one for one in outputs(api)}
        return ApiView(api, *entities, subject(api), heads(api), self._ids)


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
    wished = (one for one in given if offered(one) and not hidden(one) and view.known(one.name, "fixed"))
    news = (one for one in wished if family(one) not in said)
    return [one.name for one in news if askable(one, view.api) is None and not _has_default(one)]


def _has_default(one: Entity) -> bool:
    """Whether a choice or a number is settled unless somebody has a wish; a text's default is often but an example."""
    return "default" in one.schema and ("enum" in one.schema or one.type != "string")


def pointing(view: ApiView, *, but: Collection[str] = ()) -> list[str]:
    """The optional parameters by which users say which thing is meant; any, where something else says it."""
    told, asked = optional(view, but=but), required(view)
    found = [name for name in told if points_out(view.inputs[name])]
    narrow = [name for name in found if named_thing(view.inputs[name]) not in _WIDE]
    return narrow or found or (told if asked else [])


def telling(view: ApiView, source: ApiView | None = None) -> dict[str, int]:
    """The outputs that tell users something, and how much; nothing that the source says of the same thing already."""
    about, outer = topic_words(view.api), envelopes(view)
    there = said(source) if source else frozenset[Part]()
    found = dict[str, int]()
    rows = _row_nouns(view)
    searched, quoted = any(map(sought, view.inputs.values())), _quoted(view)
    given = _given(view)
    for name, one in view.outputs.items():
        whose, shown = part(name, view.subject), bool(examples_of(one.schema))
        if whose in there or one.path[:-1] in outer or not (shown or name in view.certain or searched):
            continue
        if (named := _names_things(view, one, searched=searched)) and (much := salience(one, about)):
            others = names_itself(name) and whose.owner not in {*about, *view.heads, *rows}
            found[name] = min(much, WORTH - 1) if others else much
            continue
        wanted = name in quoted or (asked_for(one, about) and (shown or name in view.certain) and one.type != "boolean")
        if wanted and not named and given.isdisjoint((normal(one.last), named_thing(one))):
            found[name] = max(salience(one, about), WORTH)
    return found


def _names_things(view: ApiView, one: Entity, *, searched: bool) -> bool:
    """Whether an output names what is found: a row, what was searched for, who meets, what stands inside a result."""
    if named_thing(one) == "teams" and SIDES & {*split_name(one.name).split()}:
        return True
    inner = [singular(split_name(name).split()[-1]) for name in one.path[:-1] if split_name(name)]
    if names_itself(one.name) and any(map(kind_named, inner)):
        return True
    return one.name in view.row_names and (one.many or searched)


def _given(view: ApiView) -> set[str]:
    """What users say, by name and kind: nobody is told it."""
    asked = {one for name in required(view) if (one := named_thing(view.inputs[name])) not in ("", "topics", "titles")}
    beside = {"domain", "user", "account", "username"} if "email" in asked else set[str]()
    return {*map(normal, required(view)), *asked, *beside}


def _quoted(view: ApiView) -> set[str]:
    """The outputs that say what something was traded for: they stand together, from open to close."""
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for name, one in view.outputs.items():
        if (last := one.last.lower()) in _QUOTED and (one.type != "string" or numeric(one)):
            rows.setdefault(one.path[:-1], {})[last] = name
    return {name for row in rows.values() if len(row) == len(_QUOTED) for name in row.values()}


def numeric(one: Entity) -> bool:
    """Whether an output is a number, or is documented as the text of one."""
    return one.type in ("integer", "number") or any(_NUMBER.match(str(value)) for value in examples_of(one.schema))


def sure(view: ApiView, one: Entity) -> bool:
    """Whether it is certain what an output's values are, so that an answer may make them up.

    Certain are days, numbers, one of a few, and the names of what the Api is about.
    """
    kind, thing = kind_of(one.path, one.phrase), named_thing(one)
    if (fact := asked_for(one, topic_words(view.api))) and fact.shown:
        return False
    amount = one.type == "string" and kind in quantities() and not examples_of(one.schema)
    dated = family_of(kind) == "when" or one.schema.get("format") in ("date", "date-time")
    if numeric(one) or amount or dated or "enum" in one.schema or kind == "birth":
        return True
    named, whose = names_itself(one.name), part(one.name, view.subject).owner
    if named and whose == view.subject and whose in group("nameless"):
        return False
    if not (choices(thing) or thing == "full" or _is_called(view, one)):
        return False
    if topic_words(view.api) & group("of record") and thing != "teams":  # anybody may look up what was
        return False
    if one.last.lower() == "user" or thing == "streets":  # what a service knows somebody by; where anything is
        return False
    record, _, field = thing.partition(".")
    if field:  # of what the Api is about; not the country of a phone, nor the cities of a country
        placed = record == "place" and any(family(given) in _WHERE for given in view.inputs.values())
        return not placed and any(kind_named(noun).partition(".")[0] == record for noun in topic_words(view.api))
    if not examples_of(one.schema) and view.shows_result:
        return False  # what documentation shows lacks it
    return not is_marked(kind, "weak") or (named and not examples_of(one.schema))


def _is_called(view: ApiView, one: Entity) -> bool:
    """Whether an output is the name of a thing of a kind that no list knows: the world calls it by its noun."""
    return one.name in view.row_names and split_name(one.last).split()[-1:] == ["name"] and one.type == "string"


def said(view: ApiView) -> frozenset[Part]:
    """What a result says, and of what."""
    return frozenset(part(name, view.subject) for name in view.outputs)


def _row_nouns(view: ApiView) -> set[str]:
    """What rows are of, as what holds them says: only that stands outermost."""
    inner = [tuple(filterfalse(kind_wraps, one.path)) for one in view.outputs.values()]
    return (
        set() if any(len(path) < 2 for path in inner) else {singular(split_name(path[0]).split()[-1]) for path in inner}
    )


def envelopes(view: ApiView) -> list[tuple[str, ...]]:
    """Where a result speaks about the answer, and not of what was asked: around its rows, where nothing has a name."""
    levels = {one.path[:-1] for one in view.outputs.values() if all(map(kind_wraps, one.path[:-1]))}
    named = {one.path[:-1] for one in view.outputs.values() if split_name(one.last).split()[-1:] in _NAMED_BY}
    rows = {one.path[:-1] for one in view.outputs.values() if one.many}
    return [
        level for level in levels - named if any(len(row) > len(level) and row[: len(level)] == level for row in rows)
    ]


def choosing(view: ApiView, *, but: str = "") -> list[str]:
    """The outputs by which users choose between rows, best first: names beside the wanted one, else what they tell."""
    parent, about = but.rpartition("|")[0], topic_words(view.api)
    row = [one for one in view.outputs.values() if one.many and one.name != but and one.name in view.certain]
    beside = [one for one in row if one.name.rpartition("|")[0] == parent]
    worth = {one.name: salience(one, about) for one in beside}
    told = [one for one in beside if worth[one.name] >= WORTH and one.type == "string" and "enum" not in one.schema]
    found = [one for one in beside if names_rows(one) or one.name in view.row_names] or told
    if not found:
        within = f"{parent}|" if parent else ""
        found = [one for one in row if one.name.startswith(within) and names_rows(one)]
    return [one.name for one in sorted(found, key=lambda one: -worth.get(one.name, 0))]


def pointed(view: ApiView, output: str, asked: Iterable[str]) -> bool:
    """Whether users say which thing is meant by what they are asked for: by its name, or what else is its own."""
    path = output.split("|")
    row = {normal(one.last): one for one in view.outputs.values() if list(one.path[:-1]) == path[:-1]}
    things = {family(one) for one in row.values() if names_itself(one.last)} - {"", "titles"}
    place, any_place = kind_of(tuple(path)).startswith("place.l"), family_of(kind_sought(view.api)) == "place"
    return any(
        (sought(view.inputs[name]) and {asked_of(view.inputs[name], view.api)} <= {"", "topics", *things})
        or (place and (named_thing(view.inputs[name]) in _SPOTS or (sought(view.inputs[name]) and any_place)))
        or ((same := row.get(normal(name))) is not None and own(same))
        or (names_itself(name) and any(map(names_itself, row)))
        for name in asked
    )


def own(one: Entity) -> bool:
    """Whether a thing shares such a value with no other: its name, its number, an address of its own."""
    return (
        named_thing(one) not in _SHARED
        and split_name(one.last).split()[-1:] != []
        and bool({split_name(one.last).split()[-1]} & _OWN)
    )


def sought(one: Entity) -> bool:
    """Whether a parameter takes words to search for."""
    return named_thing(one) == "topics"


def belongs(view: ApiView, output: str) -> bool:
    """Whether an id is that of what an Api gives: of its head noun, of what it was searched for, of what has a name.

    Coordinates are those of a place that it looks up.
    """
    *around, last = path = tuple(output.split("|"))
    one = view.outputs[output]
    if knowable(last, one.phrase, one.schema) and last not in view.ids:
        return False
    if kind_of(path).startswith("place.l"):
        return any(kind_named(noun).startswith("place.") or noun in _PLACED for noun in view.heads)
    row = {one.last for one in view.outputs.values() if [*one.path[:-1]] == around}
    owner = part(output, view.subject).owner
    if owner == view.subject:
        return True
    if len(split_name(last).split()) > 1 and "id" in map(str.lower, row):
        return False
    if owner in view.heads:
        return True
    wrapped = all(map(kind_wraps, around))
    searched = wrapped and any(map(sought, view.inputs.values()))
    apart = not wrapped and last.lower() == "id" and one.many
    return any(map(names_itself, row)) and (searched or apart)


def lost(view: ApiView, output: str, asked: list[str], *, many: bool) -> Reason | None:
    """Why nobody could say which of the things that a source knows is meant."""
    if many:
        return None if choosing(view, but=output) else "nothing to choose by"
    told, beside = asked or pointing(view), output.rpartition("|")[0]
    row = {normal(one.last) for one in view.outputs.values() if one.name.rpartition("|")[0] == beside}
    looked_up = bool(asked) and row.issuperset(map(normal, asked))  # a card by its last four digits
    return None if not told or looked_up or pointed(view, output, told) else "nothing to find it by"


def in_mind(view: ApiView, output: str, asked: Sequence[str], *, many: bool) -> Mind:
    """What users have in mind who lack what a source finds by what it asks for."""
    told = asked or ([] if many else pointing(view))
    if many and not any(sought(view.inputs[name]) for name in asked):
        by = choosing(view, but=output)
        return "open" if by and (by[0] in view.row_names or names_rows(view.outputs[by[0]])) else "id"
    if not told:
        return "one"
    named = many or all(pointed(view, output, [name]) for name in told)
    return "name" if named and len(asked) < 2 else "id"


def unanswerable(view: ApiView, told: Collection[Part]) -> Reason | None:
    """Why an answer that tells so much would say nothing that anybody wants to hear."""
    if writes(view.api):
        return "the target writes"
    return None if told else "nothing to answer with"


def news(view: ApiView, handed: Collection[Entity] = ()) -> frozenset[Part]:
    """What an answer says that is worth it: who named a place to find where it is wants to hear more than that."""
    placed = any(family(one) == "place" for one in handed)
    found, documented = telling(view), not handed and shows_each(view.api, required(view))
    told = [name for name in found if not placed or family(view.outputs[name]) not in _WHERE]
    most = [name for name in told if found[name] >= WORTH]
    more = [name for name in told if found[name] >= LESSER and (documented or named_thing(view.outputs[name]))]
    return frozenset(part(name, view.subject) for name in most or (more if len(more) > 1 else ()))


def lists(view: ApiView) -> bool:
    """Whether an answer tells of rows, and of nothing else."""
    told = telling(view)
    return bool(told) and all(view.outputs[name].many for name, much in told.items() if much >= LESSER)


def writes(api: Api) -> bool:
    """Whether an Api changes something, by its documents; what only searches does not, however it is called."""
    return api.writes and split_name(api.name.rpartition("|")[2]).split()[:1] not in _LOOKUPS


def unaskable(view: ApiView, handed: Collection[str] = ()) -> Reason | None:
    """Why nobody would answer what the agent has to ask for, or to look up."""
    asked = [view.inputs[name] for name in required(view, but=handed)]
    if any(map(is_credential, handed)):
        return "asks for a secret"
    about = topic_words(view.api)
    if any(not is_spoken(name, about) or split_name(name).split()[-1:] == ["ids"] for name in handed):
        return "no words for it"
    for one in asked:
        if against := askable(one, view.api):
            return against
    return "asks for too much" if len(asked) >= MOST_ASKED else None


def family(one: Entity) -> str:
    """What kind of thing a parameter, or an output, is about, roughly: "place" of a city's code."""
    return family_of(named_thing(one))


def alike(name: str, other: str) -> bool:
    """Whether two parameters sound as if they asked for the same."""
    one, two = sorted((normal(name), normal(other)), key=len)
    return two.endswith(one) or (len(one) > 2 and two.startswith(one))


def own_name(output: str) -> bool:
    """Whether an output is the name of what all the result is of, and not of something in it."""
    *around, last = output.split("|")
    words = split_name(last).split()
    return names_itself(last) and all(map(kind_wraps, around)) and len(words) == 1


def whose(name: str) -> list[str]:
    """Whose id, or code, a name is for, in words."""
    words = [part for word in split_name(name).split() for part in split_compound(word)]
    return words[:-1] if words[-1:] and words[-1] in _TELLS_APART else []


def normal(text: str) -> str:
    """A name or a phrase without case, blanks and marks."""
    return re.sub(r"[^a-z0-9]", "", text.lower())
