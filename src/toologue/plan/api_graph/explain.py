"""Why there is an edge, or none: the three similarities beside their thresholds, and what else speaks against it.

Contract: a reason for each output of the source and parameter of the target that are asked for, edges first, then by
the similarity of phrases; at most `most`, since the rest is only further away. What it says of edges is what
`find_edges` finds between the two.

Example:
    >>> from toologue.models.lexical import Lexical
    >>> from toologue.schema import Parameter
    >>> team = {"type": "integer", "title": "number of a football team", "description": "Which football team it is."}
    >>> day = {"type": "string", "title": "day on which they play", "description": "When the match is."}
    >>> match = Api(name="Match", returns={"type": "object", "properties": {"day": day, "team": team}})
    >>> players = Api(name="Players", parameters={"team": Parameter(schema=team)})
    >>> for reason in why(match, players, Lexical(), rules="published"):
    ...     print(reason.output, "→", reason.parameter + ":", reason.verdict)
    team → team: an edge, and the one that is kept
    day → team: no edge: phrases 0.26, not above 0.83; keywords 0.03, not above 0.5; description 0.03, not above 0.77

Not covered: what would have to be written in the documents to make it an edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toologue.apis.entities import Entity, inputs, outputs
from toologue.errors import UnknownName
from toologue.models.embed import Embedder
from toologue.plan.api_graph.edges import find_edges
from toologue.plan.api_graph.phrases import similarity
from toologue.plan.api_graph.rules import RulesName, Thresholds, left_out, letters, misfit, thresholds_of
from toologue.plan.api_graph.sides import embedded_text
from toologue.schema import Api, Similarities

_WORDS = {"lcs": "phrases", "keyword": "keywords", "description": "description"}


class Reason(NamedTuple):
    """An output and a parameter, their similarities, whether that is an edge, whether it is kept, and why."""

    output: str
    parameter: str
    similarity: Similarities
    edge: bool
    chosen: bool
    verdict: str


def why(
    source: Api,
    target: Api,
    embedder: Embedder,
    *,
    rules: RulesName = "best",
    thresholds: Thresholds | None = None,
    output: str | None = None,
    parameter: str | None = None,
    most: int = 10,
) -> list[Reason]:
    """The reasons. Raises UnknownName for an output or a parameter that is not there."""
    limits = thresholds or thresholds_of(rules, embedder.name)
    found = find_edges([source, target], embedder, rules=rules, thresholds=limits).edges
    kept = {(edge.output, edge.parameter): edge.chosen for edge in found if edge.source == source.name}
    above = _asked(list(outputs(source)), output, f"output of {source.name}")
    below = _asked(list(inputs(target)), parameter, f"parameter of {target.name}")
    alike = [(_alike(one, other, rules), one, other) for one in above for other in below]
    alike.sort(key=lambda pair: ((pair[1].name, pair[2].name) not in kept, -pair[0]))
    near = alike[:most]
    scores = _scores(near, (source, target), embedder, rules)
    return [
        _reason(one, other, similar, kept, (rules, limits))
        for (_, one, other), similar in zip(near, scores, strict=True)
    ]


def _reason(
    one: Entity,
    other: Entity,
    similar: Similarities,
    kept: Mapping[tuple[str, str], bool],
    how: tuple[RulesName, Thresholds],
) -> Reason:
    edge, chosen = (one.name, other.name) in kept, kept.get((one.name, other.name), False)
    if edge:
        verdict = "an edge, and the one that is kept" if chosen else "an edge; another one is kept for these two"
    else:
        verdict = f"no edge: {'; '.join(_against(one, other, similar, *how))}"
    return Reason(one.name, other.name, similar, edge, chosen, verdict)


def _scores(
    near: Sequence[tuple[float, Entity, Entity]], apis: tuple[Api, Api], embedder: Embedder, rules: RulesName
) -> Iterator[Similarities]:
    """The three similarities of each pair."""
    source, target = apis
    first = {one.name: one.description for one in reversed(list(outputs(source)))} if rules == "published" else {}
    texts = [
        embedded_text(text, keywords if keyed else ())
        for _, one, other in near
        for keyed in (False, True)
        for text, keywords in (
            (first.get(one.name, one.description), source.keywords),
            (other.description, target.keywords),
        )
    ]
    vectors = embedder.embed(texts)
    for number, (lcs, _, _) in enumerate(near):
        one, other, keyed, other_keyed = vectors[4 * number : 4 * number + 4]
        yield Similarities(lcs=_rounded(lcs), keyword=_rounded(keyed @ other_keyed), description=_rounded(one @ other))


def _asked(entities: list[Entity], name: str | None, kind: str) -> list[Entity]:
    if name is None:
        return entities
    if not (found := [entity for entity in entities if entity.name == name]):
        raise UnknownName(kind, name, {entity.name for entity in entities})
    return found


def _alike(one: Entity, other: Entity, rules: RulesName) -> float:
    return similarity(letters(one.phrase, rules), letters(other.phrase, rules))


def _against(one: Entity, other: Entity, similar: Similarities, rules: RulesName, limits: Thresholds) -> Iterator[str]:
    """All that speaks against an edge."""
    if one.api == other.api:
        yield "an API does not feed itself"
    if reason := left_out(one, "output", rules):
        yield f"of the output, {reason}"
    if reason := left_out(other, "parameter", rules):
        yield f"of the parameter, {reason}"
    if rules == "best" and (reason := misfit(one, other)):
        yield reason
    for name, limit in limits._asdict().items():
        score = float(getattr(similar, name))
        if score <= limit:
            yield f"{_WORDS[name]} {score:.2f}, not above {limit:g}"


def _rounded(score: float) -> float:
    return round(min(1.0, max(0.0, float(score))), 5)
