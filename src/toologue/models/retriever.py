"""The retriever: which Api a request asks for, how sure that is, and who can supply a missing parameter.

An Api is found by its name, description, keywords and parameters (`index_texts`). `band` reads a score at calibrated
thresholds: confirm (call it), suggest (ask whether this was meant), clarify (ask what is wanted). `source`
compares a parameter with every output of every other Api, name and description, where the types fit; outputs of Apis
that write count a little less, since making a thing in order to name it is seldom what is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from toologue.errors import BadSetting, UnknownName
from toologue.models.embed import Embedder, calibrated
from toologue.models.index import Index
from toologue.schema import Api, Parameter
from toologue.text.tokens import split_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEEPEST = 12
_FORKS = ("anyOf", "oneOf", "allOf")
# For a wanted type the types that will do: identifiers are sometimes numbers and sometimes not.
_ACCEPTED = {
    "string": {"string", "integer", "number"},
    "number": {"number", "integer"},
    "integer": {"integer"},
}


class Leaf(NamedTuple):
    """One value of an output: where it stands, what it is called and described as, its schema."""

    path: str
    name: str
    description: str
    schema: Mapping[str, Any]


def leaves(schema: Any) -> Iterator[Leaf]:
    """The leaves of a JSON Schema, in its order."""
    seen: set[str] = set()
    for leaf in _walk(schema, "", "", 0):
        if leaf.path not in seen:
            seen.add(leaf.path)
            yield leaf


def fits(given: Any, wanted: Any) -> bool:
    """Whether a value of the one schema may stand where the other is asked for."""
    have, need = _types(given), _types(wanted)
    if not have or not need:
        return True
    if "array" in need and "array" not in have:
        return fits(given, _mapping(wanted).get("items"))
    if have == {"array"} and need == {"array"}:
        return fits(_mapping(given).get("items"), _mapping(wanted).get("items"))
    formats = {str(_mapping(one).get("format", "")) for one in (given, wanted)} - {""}
    return len(formats) < 2 and any(have & _ACCEPTED.get(kind, {kind}) for kind in need)


def _walk(schema: Any, path: str, name: str, depth: int) -> Iterator[Leaf]:
    here = _mapping(schema)
    if not here or depth > _DEEPEST:
        return
    inner = False
    for key, value in _mapping(here.get("properties")).items():
        inner = True
        yield from _walk(value, f"{path}.{key}" if path else key, key, depth + 1)
    if "items" in here:
        inner = True
        yield from _walk(here["items"], f"{path}[]", name, depth + 1)
    for fork in _FORKS:
        options = here.get(fork)
        for option in cast("list[Any]", options) if isinstance(options, list) else []:
            inner = True
            yield from _walk(option, path, name, depth + 1)
    if not inner and path:
        yield Leaf(path, name, str(here.get("description", "")), here)


def _types(schema: Any) -> set[str]:
    here = _mapping(schema)
    kind = here.get("type")
    found = (
        {kind} if isinstance(kind, str) else set(map(str, cast("list[Any]", kind) if isinstance(kind, list) else []))
    )
    for fork in _FORKS:
        options = here.get(fork)
        for option in cast("list[Any]", options) if isinstance(options, list) else []:
            found |= _types(option)
    return found - {"null"}


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


Band = Literal["confirm", "suggest", "clarify"]

_DIGITS = 5  # of a score
_NAME, _WRITES = 0.5, 0.95  # weight of names against descriptions; of outputs of Apis that write


class Retriever:
    """An index of Apis by one embedder. `bands` replaces the embedder's own thresholds (confirm, suggest, source)."""

    def __init__(self, apis: Sequence[Api], embedder: Embedder, *, bands: Mapping[str, float] | None = None):
        self.apis = tuple(sorted(apis, key=lambda api: api.name))
        self.embedder, self._given = embedder, dict(bands or {})
        self._by_name = {api.name: api for api in self.apis}
        if len(self._by_name) < len(self.apis):
            raise BadSetting("two Apis of one name: a retriever could not tell which was found")

    @cached_property
    def bands(self) -> Mapping[str, float]:
        """The thresholds in use: those given, else the embedder's. Raises BadSetting if it has none."""
        return bands_of(self.embedder, self._given)

    @cached_property
    def index(self) -> Index:
        """The vectors of what is said of the Apis."""
        return index_of(self._by_name, self.embedder)

    def rank(self, query: str, k: int = 5) -> list[tuple[Api, float]]:
        """The k best Apis for a request, best first, with their scores."""
        return self.rank_all([query], k)[0]

    def rank_all(self, queries: Sequence[str], k: int = 5) -> list[list[tuple[Api, float]]]:
        """`rank` of many requests, which are embedded in one batch."""
        found = self.index.rank_all(queries, k)
        return [[(self._by_name[name], score) for name, score in one] for one in found]

    def band(self, score: float) -> Band:
        """What a best score of this height calls for."""
        return band(score, self.bands)

    def source(self, api: str | Api, parameter: str, k: int = 5) -> list[tuple[Api, str, float]]:
        """Up to k outputs of other Apis that can supply a parameter: (Api, path of the output, score), best first.

        Empty where nothing reaches the embedder's threshold for sources.
        """
        target = api if isinstance(api, Api) else self._named(api)
        if parameter not in target.parameters:
            raise UnknownName(f"parameter of {target.name}", parameter, target.parameters)
        wanted = target.parameters[parameter]
        found = [
            (self.apis[at], leaf.path, score)
            for (at, leaf), score in zip(self._leaves, self._supply(parameter, wanted), strict=True)
            if score >= self.bands["source"]
            and self.apis[at].name != target.name
            and fits(leaf.schema, wanted.json_schema)
        ]
        return sorted(found, key=lambda one: (-one[2], one[0].name, one[1]))[:k]

    def _named(self, name: str) -> Api:
        if name not in self._by_name:
            raise UnknownName("api", name, self._by_name)
        return self._by_name[name]

    @cached_property
    def _leaves(self) -> list[tuple[int, Leaf]]:
        return [(at, leaf) for at, api in enumerate(self.apis) for leaf in leaves(api.returns)]

    @cached_property
    def _leaf_rows(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        names = self.embedder.embed([split_name(leaf.path) for _, leaf in self._leaves])
        return names, self.embedder.embed([leaf.description for _, leaf in self._leaves])

    def _supply(self, name: str, parameter: Parameter) -> list[float]:
        """How well each leaf answers the parameter."""
        if not self._leaves:
            return []
        description = str(parameter.json_schema.get("description", ""))
        names, descriptions = self._leaf_rows
        row = self.embedder.embed([split_name(name), description])
        found: list[float] = []
        cosines = zip(self._leaves, (names @ row[0]).tolist(), (descriptions @ row[1]).tolist(), strict=True)
        for (at, leaf), by_name, by_description in cosines:
            both = _NAME * by_name + (1 - _NAME) * by_description
            score = (both if description and leaf.description else by_name) * (_WRITES if self.apis[at].writes else 1)
            found.append(round(min(1.0, max(0.0, score)), _DIGITS))
        return found


def bands_of(embedder: Embedder, given: Mapping[str, float] | None = None) -> Mapping[str, float]:
    """The thresholds confirm, suggest, source: those given, else the embedder's. Raises BadSetting if it has none."""
    missing = {"confirm", "suggest", "source"}.difference(given or {})
    found = {**calibrated(embedder.name, *missing), **(given or {})}
    if found["suggest"] > found["confirm"]:
        raise BadSetting(f"suggest ({found['suggest']}) begins above confirm ({found['confirm']})")
    return {name: found[name] for name in ("confirm", "suggest", "source")}


def band(score: float, bands: Mapping[str, float]) -> Band:
    """What a best score of this height calls for."""
    if score >= bands["confirm"]:
        return "confirm"
    return "suggest" if score >= bands["suggest"] else "clarify"


def index_of(apis: Mapping[str, Api], embedder: Embedder, *, batch: int = 1024) -> Index:
    """The vectors of what is said of Apis, in the order of their names; so many texts are embedded at once."""
    return Index.of({name: index_texts(apis[name]) for name in sorted(apis)}, embedder, batch=batch)


def index_texts(api: Api) -> list[str]:
    """What a request is compared with."""
    words = split_name(api.name)
    parameters = [f"{split_name(name)} {p.json_schema.get('description', '')}" for name, p in api.parameters.items()]
    return [
        f"{words} {' '.join(api.keywords)}",
        f"{words}. {api.description}",
        f"{words}. {api.description} {' '.join(api.keywords)}. {' '.join(parameters)}",
    ]
