"""Can the source's output be fed to the target? Every edge gets a verdict: valid or not, why, and which stage decided.

run        nothing to take in a simulated world, or refused by what the target documents (type, format, enum, range)
facets     news of the call, pages and switches say nothing; an id is no name; ids of digits are none of letters
meaning    a value that means the same everywhere (a city, a date, a currency) passes; any other has to be of the same
           thing (a season is no player), in the same field (baseball is no basketball), ids from the same provider
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Literal, NamedTuple, cast

from toologue.apis.entities import Entity, inputs, leaves, outputs
from toologue.errors import UserError, shown
from toologue.plan.api_graph import facets
from toologue.schema import Api, Call, Edge, Result
from toologue.schema.jsonl import Noun, Record
from toologue.text.tokens import spell
from toologue.values.json_schema import types_of
from toologue.worlds.documented import Documented, arguments_for

# Why a verdict is what it is: the first two speak for an edge.
Reason = Literal[
    "same thing", "same everywhere", "unknown", "no value", "refused", "says nothing", "facet", "form",
    "entity", "field", "provider",
]  # fmt: skip

Stage = Literal["documents", "run", "facets", "meaning"]


class Verdict(Noun):
    """Whether an edge is valid, why, and which stage decided."""

    valid: bool
    reason: Reason
    stage: Stage
    why: str = ""


class Checked(Record):
    """An edge and its verdict: a line of a checked graph."""

    format: Literal["checked/2"] = "checked/2"
    edge: Edge
    verdict: Verdict


class Trial(NamedTuple):
    """A run of an edge: the source's arguments, values of the output, the target's arguments, the last answer."""

    arguments: Mapping[str, Any]
    values: tuple[Any, ...]
    call: Mapping[str, Any]
    answer: Result


class _Known(NamedTuple):
    """What is known of one Api: what it gives and takes, who provides it, what field it is in."""

    api: Api
    given: Mapping[str, tuple[Entity, tuple[str, ...]]]
    taken: Mapping[str, Entity]
    tool: str
    words: frozenset[str]
    providers: frozenset[str]


class EdgeChecker:
    """Checks edges between some Apis, by name or not; remembers what it found out about each."""

    def __init__(self, apis: Iterable[Api] | Mapping[str, Api], *, seed: int = 0):
        self.world = Documented(apis, seed=seed)
        known = isinstance(apis, Mapping)
        self.apis = cast("Mapping[str, Api]", apis) if known else {one.name: one for one in reversed(self.world.apis)}
        self._known, self._facet, self._answer = cache(self._known_of), cache(self._facet_of), cache(self._answer_of)

    def verdict(self, edge: Edge) -> Verdict:
        """The verdict on one edge."""
        source, target = self._known(edge.source), self._known(edge.target)
        if source is None or edge.output not in source.given:
            return _no("unknown", "documents", f"no output {edge.output!r} of {edge.source!r} is documented")
        if target is None or edge.parameter not in target.taken:
            return _no("unknown", "documents", f"no parameter {edge.parameter!r} of {edge.target!r} is documented")
        given = self._facet(edge.source, edge.output, "output")
        taken = self._facet(edge.target, edge.parameter, "input")
        against = self._run_verdict(edge) or _facets(given, taken)
        return against or self._meaning(given, taken, source, target)

    def _known_of(self, name: str) -> _Known | None:
        api = self.apis.get(name)
        if api is None:
            return None
        keys = {leaf.name: leaf.keys for leaf in leaves(api.returns)}
        given = {one.name: (one, keys.get(one.name, ())) for one in outputs(api)}
        tool = api.name.split("|")[1] if api.name.count("|") > 1 else ""  # of one service
        return _Known(
            api, given, {one.name: one for one in inputs(api)}, tool, facets.tool_words(tool), facets.providers_of(api)
        )

    def _entity(self, api: str, name: str, side: facets.Side) -> Entity | None:
        known = self._known(api)
        return known and (known.taken[name] if side == "input" else known.given[name][0])

    def _facet_of(self, api: str, name: str, side: facets.Side) -> facets.Facet:
        return facets.facet_of(cast("Entity", self._entity(api, name, side)), self.apis[api], side)

    def _answer_of(self, name: str) -> tuple[dict[str, Any], Result]:
        arguments = arguments_for(self.apis[name], self.world.seed)
        return arguments, self.world.do(Call(api=name, arguments=arguments))

    def try_edge(self, edge: Edge) -> Trial:
        """What running source and target gives. Raises UserError where one of them cannot be called at all."""
        source, target = self._known(edge.source), self.apis[edge.target]
        assert source is not None, "unknown edges are not tried"
        arguments, answer = self._answer(edge.source)
        found = values_at(answer.value, source.given[edge.output][1])
        values = tuple(islice((value for value in found if value not in (None, "")), 5))
        if answer.error is not None or not values:
            return Trial(arguments, values, {}, answer)
        wanted = target.parameters[edge.parameter].json_schema
        listed = "array" in types_of(wanted) and not isinstance(values[0], list)
        call = arguments_for(target, self.world.seed, known={edge.parameter: [values[0]] if listed else values[0]})
        return Trial(arguments, values, call, self.world.do(Call(api=edge.target, arguments=call)))

    def sides(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """All outputs and all required parameters, as (Api, name)."""
        given = [(api.name, one.name) for api in self.apis.values() for one in outputs(api)]
        return given, [(api.name, name) for api in self.apis.values() for name in api.required]

    def _run_verdict(self, edge: Edge) -> Verdict | None:
        try:
            trial = self.try_edge(edge)
        except UserError as error:
            return _no("no value", "run", str(error))
        if not trial.values:
            why = trial.answer.error.message if trial.answer.error else f"{edge.output} of {edge.source} holds nothing"
            return _no("no value", "run", why)
        return _no("refused", "run", trial.answer.error.message) if trial.answer.error else None

    def _meaning(self, given: facets.Facet, taken: facets.Facet, source: _Known, target: _Known) -> Verdict:
        same_tool = source.tool == target.tool
        related = same_tool or bool(source.words & target.words or source.providers & target.providers)
        if given.universal and (given.kind == taken.kind or _stands_for(given, taken)):
            return _everywhere(given, source, target)
        if given.universal and taken.kind in ("code", "other") and same_tool:
            return _yes("same everywhere", given.kind)
        if taken.kind == "query":
            return _query(given, source, target)
        if why := facets.field_conflict(source.api, target.api):
            return _no("field", "meaning", why)
        if given.kind in ("text", "url", "other", "number", "switches", "paging"):
            related = related or source.api.domain == target.api.domain
            return _plain(given, taken, related=related, same_tool=same_tool)
        if same_tool and given.name == taken.name and given.name not in facets.word_tables()["bare"]:
            return _yes("same thing", given.name)
        strange = not facets.may_be_same(given.things, taken.things) and given.kind not in ("username", "symbol")
        if strange and ((given.things and taken.things) or not same_tool):
            return _no("entity", "meaning", f"{_label(given)}, where {_label(taken)} is asked for")
        owned = given.kind in ("id", "slug", "code", "username") or bool(
            given.things & facets.word_tables()["own_names"]
        )
        if owned and not related:
            return _no("provider", "meaning", f"a {given.kind} of {source.tool} means nothing to {target.tool}")
        return _yes("same thing", _label(given))


def values_at(value: Any, keys: tuple[str, ...]) -> Iterator[Any]:
    """The values that keys lead to, through lists."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from values_at(item, keys)
    elif not keys:
        yield value
    elif isinstance(value, dict) and keys[0] in value:
        yield from values_at(cast("dict[str, Any]", value)[keys[0]], keys[1:])


def _facets(given: facets.Facet, taken: facets.Facet) -> Verdict | None:
    same_name = given.name == taken.name
    if given.kind == "news" or (given.kind in ("paging", "switches") and not same_name):
        return _no("says nothing", "facets", f"{given.name} is about the call, not about a thing")
    if not _may_stand(given, taken):
        return _no("facet", "facets", f"a {given.kind}, where a {taken.kind} is asked for")
    if given.form and taken.form and not _same_form(given, taken):
        return _no("form", "facets", f"{given.form} where {taken.form} is documented")
    return None


def _same_form(given: facets.Facet, taken: facets.Facet) -> bool:
    if given.kind in ("date", "time", "country", "region", "language", "currency"):
        return given.form == taken.form or taken.kind != given.kind
    if taken.kind in ("query", "text"):
        return True
    if given.universal and given.kind not in ("timezone", "year"):
        return True
    return (given.form in ("digits", "number")) == (taken.form in ("digits", "number"))


def _may_stand(given: facets.Facet, taken: facets.Facet) -> bool:
    if given.kind == taken.kind:
        return given.kind not in ("other", "number") or given.name == taken.name or bool(given.things & taken.things)
    if taken.kind == "query":
        return given.kind in ("name", "text", "symbol", "username", "slug") or given.universal
    if taken.kind == "text":
        return given.kind in ("name", "query")
    if given.universal and _stands_for(given, taken):
        return True
    if given.universal and taken.kind in ("code", "other"):
        return given.kind.split()[-1] == taken.kind or bool({*given.kind.split()[:1]} & (taken.said | taken.things))
    if taken.kind == "other" and given.kind in ("name", "code", "id", "slug", "symbol"):
        return bool((given.things | {given.kind}) & (taken.said | {taken.name}))
    if {given.kind, taken.kind} <= {"id", "slug", "code", "number"}:
        return bool(given.form) and given.form == taken.form and given.things == taken.things
    return {given.kind, taken.kind} == {"symbol", "code"} or (given.name == taken.name and given.kind == "other")


def _stands_for(given: facets.Facet, taken: facets.Facet) -> bool:
    return taken.kind in facets.word_tables()["stands_for"].get(given.kind, ())


def _query(given: facets.Facet, source: _Known, target: _Known) -> Verdict:
    about = frozenset(facets.things_in((*facets.name_words(target.api), *spell(target.tool))))
    symbol = given.kind == "symbol" and not facets.field_conflict(source.api, target.api)
    unnamed = source.tool == target.tool and not about
    if given.universal or facets.may_be_same(given.things, about) or symbol or unnamed:
        return _yes("same thing", f"{_label(given)} may be searched for")
    searched = ", ".join(sorted(about)) or "something else"
    return _no("entity", "meaning", f"{_label(given)}, where {searched} is searched")


def _plain(given: facets.Facet, taken: facets.Facet, *, related: bool, same_tool: bool) -> Verdict:
    if given.kind == "text" or (given.kind == "url" and related):
        return _yes("same thing", given.kind)
    if given.kind in ("switches", "paging"):
        return _yes("same thing", given.name) if same_tool else _no("provider", "meaning", given.name)
    if given.kind == "url":
        named = frozenset(given.things) & frozenset(taken.things)
        return _yes("same everywhere", "url") if named or not taken.things else _no("provider", "meaning", "url")
    if not related:
        return _no("field", "meaning", f"{given.name} is not said to mean the same in both")
    return _yes("same thing", given.name)


def _everywhere(given: facets.Facet, source: _Known, target: _Known) -> Verdict:
    things = ("airport", "airline", "aircraft", "station")
    one, other = (set(facets.things_in(facets.name_words(known.api))) & {*things} for known in (source, target))
    if given.kind == "airport code" and one and other and not one & other:
        return _no("entity", "meaning", f"{' and '.join(one)}, where {' and '.join(other)} is asked for")
    if given.kind == "asin" and source.providers and target.providers and not source.providers & target.providers:
        return _no("provider", "meaning", f"{' and '.join(source.providers)} is not {' and '.join(target.providers)}")
    return _yes("same everywhere", given.kind)


def _label(facet: facets.Facet) -> str:
    return " or ".join(sorted(facet.things)) or facet.name or shown(facet.kind)


def _yes(reason: Reason, why: str) -> Verdict:
    return Verdict(valid=True, reason=reason, stage="meaning", why=why)


def _no(reason: Reason, stage: Stage, why: str) -> Verdict:
    return Verdict(valid=False, reason=reason, stage=stage, why=why)
