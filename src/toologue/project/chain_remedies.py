"""Of which APIs no conversation comes, why, and what helps: lines for who has nothing to talk about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from toologue.plan.chains.catalog import Catalog, Reason
from toologue.plan.chains.pairs import edge_pairs, single_api_pairs
from toologue.project.chain_statistics import WHYS
from toologue.schema import Edge

MOST = 3  # so many are named


def explain(catalog: Catalog, edges: Iterable[Edge], most: int = MOST) -> list[str]:
    """Lines `API: reason: what helps`, each API once: those that an edge leads to first."""
    found = dict[str, str]()
    for names, reason in _reasons(catalog, edges):
        _, helps = WHYS[reason]
        if not helps.startswith("nothing"):
            found.setdefault(names.rpartition(" → ")[2], f"{names}: {reason}: {helps}")
        if len(found) == most:
            break
    return [*found.values()]


def _reasons(catalog: Catalog, edges: Iterable[Edge]) -> Iterator[tuple[str, Reason]]:
    for edge in edges:
        against = Counter[Reason]()
        if edge.chosen and not [*edge_pairs(catalog, [edge], against)]:
            for reason in against:
                yield f"{edge.source} → {edge.target}", reason
    for name in catalog:
        against = Counter[Reason]()
        if not [*single_api_pairs(catalog, against, names=[name])]:
            for reason in against:
                yield name, reason
