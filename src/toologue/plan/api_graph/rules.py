"""What a graph goes by: which entities take part as outputs and parameters, what fits what, and the thresholds.

`published` is what ToolDial's reference code does, `best` also asks for fitting types, formats and enumerations. The
thresholds of `published` are the paper's; those of `best` belong to an embedder (`python -m bench.apigraph --calibrate`
writes thresholds.json).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from toologue import limits
from toologue.apis.entities import Entity, inputs, outputs
from toologue.data import bytes_of
from toologue.errors import BadSetting, shown
from toologue.models.retriever import fits
from toologue.parallel import chunks, ordered
from toologue.plan.api_graph.describe import described
from toologue.schema import Api
from toologue.schema.api import packed, without_schemas
from toologue.schema.jsonl import Noun, parse, replacing
from toologue.text.tokens import split_name
from toologue.values.json_schema import list_of

RulesName = Literal["published", "best"]
Side = Literal["output", "parameter"]

# The keys of a schema that say what values there are.
VALUES = ("type", "format", "items", "anyOf", "oneOf", "allOf", "enum", "examples")

_LONGEST_PHRASE, _LONGEST_DESCRIPTION = 30_000, 10_000  # letters that are compare_block, that are embedded
_APIS_AT_ONCE = 64
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


class About(Noun):
    """What a graph was made by, in a file beside it: rules, embedder (as named, by weights), thresholds, survivors."""

    format: Literal["graph-about/1"] = "graph-about/1"
    rules: RulesName
    embedder: str
    vectors: str
    thresholds: dict[str, float]
    survivors: dict[str, int]
    left_out: dict[str, int]

    @field_validator("thresholds")
    @classmethod
    def _all_three(cls, given: dict[str, float]) -> dict[str, float]:
        if given.keys() != {*Thresholds._fields} or not all(0 <= number <= 1 for number in given.values()):
            raise ValueError(f"expected {', '.join(Thresholds._fields)}, each from 0 to 1")
        return given

    @property
    def limits(self) -> Thresholds:
        """The thresholds."""
        return Thresholds(**self.thresholds)


@dataclass
class Entities:
    """One side: its entities, the number of each one's Api, and what is embedded of each, without keywords.

    Of a schema only that is kept which says what values there are: sides are in memory whole, documents are not.
    """

    entities: list[Entity] = field(default_factory=list[Entity])
    owners: list[int] = field(default_factory=list[int])
    texts: list[str] = field(default_factory=list[str])
    _keywords: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    def put(self, entity: Entity, owners: dict[str, int], description: str, keywords: Sequence[str]) -> None:
        """Add an entity, described in these words; its Api gets the next number, if it has none."""
        schema = {key: value for key, value in entity.schema.items() if key in VALUES}
        self.entities.append(entity._replace(schema=schema, description=""))
        self.owners.append(owners.setdefault(entity.api, len(owners)))
        self.texts.append(embedded_text(description))
        self._keywords.append(keywords)

    def add(self, more: Entities, owners: Mapping[str, int]) -> None:
        """Add entities of other Apis, whose numbers are these by name."""
        self.entities += more.entities
        self.owners += [owners[entity.api] for entity in more.entities]
        self.texts += more.texts
        self._keywords += more._keywords

    def keyed(self, at: int) -> str:
        """What is embedded of an entity, with the keywords of its Api."""
        return embedded_text(self.texts[at], self._keywords[at])


class Sides(NamedTuple):
    """The outputs, the parameters, how many of either take no part, by reason; how many Apis they are of."""

    rows: Entities
    columns: Entities
    left: Counter[str]
    apis: int


class PhraseGroups(NamedTuple):
    """The entities of each phrase: those of `phrases[n]` are `members[starts[n] : starts[n] + sizes[n]]`."""

    phrases: Sequence[str]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


def thresholds_of(rules: RulesName, name: str, given: Mapping[str, float | None] | None = None) -> Thresholds:
    """The thresholds for an embedder of this name; those given replace them. Raises BadSetting if any is unknown."""
    chosen = {key: value for key, value in (given or {}).items() if value is not None}
    if odd := next(((key, value) for key, value in chosen.items() if not 0 <= value <= 1), None):
        raise BadSetting(f"--{odd[0]} {odd[1]}: a similarity lies between 0 and 1")
    known = (PUBLISHED._asdict() if rules == "published" else _calibrated().get(name, {})) | chosen
    if missing := [key for key in Thresholds._fields if key not in known]:
        options = " ".join(f"--{key}" for key in missing)
        raise BadSetting(f"{shown(name)} has no thresholds for a graph: give {options}, or use --rules published")
    return Thresholds(**known)


def about_file(graph: Path) -> Path:
    """The file beside a graph that says what it was made by: `graph.jsonl` has `graph.about.json`."""
    stem = graph.name.removesuffix(".gz").removesuffix(".jsonl")
    return graph.with_name(f"{stem}.about.json")


def write_about(graph: Path, about: About) -> None:
    """Put it beside the graph."""
    with replacing(about_file(graph)) as stream:
        stream.write(about.model_dump_json(indent=1).encode() + b"\n")


def read_about(graph: Path) -> About | None:
    """What stands beside the graph, if anything does. Raises BadRecord, BadFile."""
    file = about_file(graph)
    if not file.exists():
        return None
    return parse(bytes_of(file, limits.PAGE), About, file)


def letters(phrase: str, rules: RulesName) -> str:
    """What of a phrase is compare_block: its letters and digits, folded."""
    return _ASCII.sub("", phrase.lower()) if rules == "published" else _ANY.sub("", phrase.casefold())


def reason_left_out(entity: Entity, side: Side, rules: RulesName) -> str:
    """Why an entity takes no part in the graph; nothing where it does.

    Under `published` names count that contain "page" or "limit" wherever in a word, and outputs that speak of "status"
    or "message"; under `best` only what is a status, a message or a paging value is left out.
    """
    if side == "parameter" and not entity.required:
        return "it is optional"
    if not 0 < len(letters(entity.phrase, rules)) <= _LONGEST_PHRASE:
        return "it has no phrase" if len(entity.phrase) <= _LONGEST_PHRASE else "its phrase is too long"
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


def mismatch(output: Entity, parameter: Entity) -> str:
    """Why a value of the output cannot stand where the parameter is asked for; nothing where it can."""
    if not fits(output.schema, parameter.schema) and not _numerals(_examples(output), parameter):
        return f"{_type(output)} does not fit {_type(parameter)}"
    if options := list_of(parameter.schema.get("enum")):
        given = {one.casefold() for one in map(str, list_of(output.schema.get("enum")) or _examples(output))}
        if given and not given & {str(one).casefold() for one in options}:
            return f"{shown(sorted(given)[0])} is none of the values that are allowed"
    return ""


def embedded_text(description: str, keywords: Sequence[str] = ()) -> str:
    """What is embedded of an entity: its description, with the keywords of its Api for the test of domains."""
    return " ".join((description[:_LONGEST_DESCRIPTION], *keywords))


def sides(apis: Iterable[Api], rules: RulesName) -> Sides:
    """The outputs and parameters of these documents that take part, in their order.

    Under `published` outputs of one name in one Api share the description of the first, as the reference code looks
    descriptions up by name.
    """
    rows, columns, left = Entities(), Entities(), Counter[str]()
    owners, count = dict[str, int](), 0
    for api in apis:
        count += 1
        first = dict[str, str]()
        for output in outputs(api):
            description = first.setdefault(output.name, output.description)
            if why := reason_left_out(output, "output", rules):
                left[f"output: {why}"] += 1
            else:
                rows.put(output, owners, description if rules == "published" else output.description, api.keywords)
        for parameter in inputs(api):
            if why := reason_left_out(parameter, "parameter", rules):
                left[f"parameter: {why}"] += 1
            else:
                columns.put(parameter, owners, parameter.description, api.keywords)
    return Sides(rows, columns, left, count)


def join_sides(parts: Iterable[Sides]) -> Sides:
    """The sides of all documents, from those of some at a time."""
    rows, columns, left, count = Entities(), Entities(), Counter[str](), 0
    owners = dict[str, int]()
    for some in parts:
        names = {at: one.api for side in some[:2] for at, one in zip(side.owners, side.entities, strict=True)}
        for _, name in sorted(names.items()):
            owners.setdefault(name, len(owners))
        rows.add(some.rows, owners)
        columns.add(some.columns, owners)
        left += some.left
        count += some.apis
    return Sides(rows, columns, left, count)


def described_sides(apis: Iterable[Api], rules: RulesName, *, into: IO[bytes] | None = None, workers: int = 1) -> Sides:
    """The sides of documents, every entity with a phrase; the lines of the documents are written `into` a file."""

    def parts() -> Iterator[Sides]:
        held, work = set[str](), partial(_described_part, rules, into is not None)
        for lines, part in ordered(work, chunks(apis, _APIS_AT_ONCE), workers=workers):
            if into is not None:
                into.writelines(without_schemas(line, held) for line in lines)
            yield part

    return join_sides(parts())


def group_by_phrase(side: Entities, rules: RulesName) -> PhraseGroups:
    """The entities by phrase, phrases sorted by length."""
    groups, known = dict[str, list[int]](), dict[str, list[int]]()
    for number, entity in enumerate(side.entities):
        if entity.phrase not in known:
            known[entity.phrase] = groups.setdefault(letters(entity.phrase, rules), [])
        known[entity.phrase].append(number)
    phrases = sorted(groups, key=lambda phrase: (len(phrase), phrase))
    sizes = np.array([len(groups[phrase]) for phrase in phrases], dtype=np.int64)
    members = np.array([number for phrase in phrases for number in groups[phrase]], dtype=np.int64)
    return PhraseGroups(phrases, members, np.cumsum(sizes) - sizes, sizes)


def _described_part(rules: RulesName, written: bool, apis: Sequence[Api]) -> tuple[list[bytes], Sides]:
    phrased = list(described(apis))
    return list(packed(phrased)) if written else [], sides(phrased, rules)


def _examples(entity: Entity) -> list[str]:
    return [str(one) for one in list_of(entity.schema.get("examples"))]


def _numerals(examples: list[str], parameter: Entity) -> bool:
    wanted = parameter.schema.get("type")
    pattern = r"-?\d+" if wanted == "integer" else r"-?\d+(?:\.\d+)?"
    return wanted in ("integer", "number") and bool(examples) and all(re.fullmatch(pattern, one) for one in examples)


def _type(entity: Entity) -> str:
    kind, form = entity.schema.get("type"), entity.schema.get("format")
    return " or ".join(map(str, list_of(kind) or [kind])) + (f" ({form})" if form else "")


@cache
def _calibrated() -> dict[str, dict[str, float]]:
    known: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
    return {name: entry["thresholds"] for name, entry in known.items()}
