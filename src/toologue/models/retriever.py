"""The retriever: which Api a request asks for, how sure that is, and who can supply a missing parameter.

An Api is found by its name, description, keywords, parameters, and by what people say, or may ask, who want it
(`index_texts`).
`band` reads a score at calibrated thresholds: confirm (call it), suggest (ask whether this was meant), clarify (ask
what is wanted). `source` compares a parameter with every output of every other Api, name and description, where the
types fit; outputs of Apis that write count a little less, since making a thing in order to name it is seldom what is
wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from toologue.apis.entities import Leaf, leaves
from toologue.errors import BadSetting, UnknownName
from toologue.models.embed import Embedder, calibrated
from toologue.models.index import Index
from toologue.schema import Api, Parameter
from toologue.text.tokens import split_name
from toologue.values.json_schema import list_of, object_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# For a wanted type the types that will do: identifiers are sometimes numbers and sometimes not.
_ACCEPTED = {"string": {"string", "integer", "number"}, "number": {"number", "integer"}, "integer": {"integer"}}


def fits(given: Any, wanted: Any) -> bool:
    """Whether a value of the one schema may stand where the other is asked for."""
    have, need = _types(given), _types(wanted)
    if not have or not need:
        return True
    if "array" in need and "array" not in have:
        return fits(given, object_of(wanted).get("items"))
    if have == {"array"} and need == {"array"}:
        return fits(object_of(given).get("items"), object_of(wanted).get("items"))
    formats = {str(object_of(one).get("format", "")) for one in (given, wanted)} - {""}
    return len(formats) < 2 and any(have & _ACCEPTED.get(kind, {kind}) for kind in need)


def _types(schema: Any) -> set[str]:
    here = object_of(schema)
    kind = here.get("type")
    found = {kind} if isinstance(kind, str) else {str(one) for one in list_of(kind)}
    inner = (_types(option) for fork in ("anyOf", "oneOf", "allOf") for option in list_of(here.get(fork)))
    return found.union(*inner) - {"null"}


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
        if isinstance(api, str) and api not in self._by_name:
            raise UnknownName("api", api, self._by_name)
        target = self._by_name[api] if isinstance(api, str) else api
        if parameter not in target.parameters:
            raise UnknownName(f"parameter of {target.name}", parameter, target.parameters)
        wanted = target.parameters[parameter]
        found = [
            (other, leaf.path, score)
            for (other, leaf), score in zip(self._leaves, self._supply(parameter, wanted), strict=True)
            if score >= self.bands["source"] and other.name != target.name and fits(leaf.schema, wanted.json_schema)
        ]
        return sorted(found, key=lambda one: (-one[2], one[0].name, one[1]))[:k]

    @cached_property
    def _leaves(self) -> list[tuple[Api, Leaf]]:
        every = ((api, leaf) for api in self.apis for leaf in leaves(api.returns))
        return [(api, leaf) for api, leaf in every if leaf.path and leaf.schema]

    @cached_property
    def _leaf_rows(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        names = self.embedder.embed([split_name(leaf.path) for _, leaf in self._leaves])
        return names, self.embedder.embed([str(leaf.schema.get("description", "")) for _, leaf in self._leaves])

    def _supply(self, name: str, parameter: Parameter) -> list[float]:
        if not self._leaves:
            return []
        description = str(parameter.json_schema.get("description", ""))
        names, descriptions = self._leaf_rows
        row = self.embedder.embed([split_name(name), description])
        found: list[float] = []
        cosines = zip(self._leaves, (names @ row[0]).tolist(), (descriptions @ row[1]).tolist(), strict=True)
        for (api, leaf), by_name, by_description in cosines:
            described = description and leaf.schema.get("description")
            score = _NAME * by_name + (1 - _NAME) * by_description if described else by_name
            found.append(round(min(1.0, max(0.0, score * (_WRITES if api.writes else 1))), _DIGITS))
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
        *api.wishes,
        *api.questions,
    ]
