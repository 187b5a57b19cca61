"""What to do about documents of which no conversation comes, by reason; `explain` names the APIs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from toologue.plan.chains.catalog import Catalog, Reason
from toologue.plan.chains.pairs import edge_pairs, single_api_pairs
from toologue.schema import Edge

MOST = 3  # so many are named

REMEDIES: Mapping[Reason, str] = {
    "not valid": "say in the documents what ids are ids of",
    "users do not know it": "add an API that finds it by something people know",
    "the source takes it": "add an API that finds it by something people know",
    "another's id": "name the field after its thing: hotelId",
    "the source writes": "add a read-only search",
    "the source has the answer": "let the target return more",
    "asks for a secret": "leave such operations out (--exclude)",
    "asks for too much": "make parameters optional, or give defaults",
    "cannot be said": "give it fields of plain types",
    "no words for it": "describe the parameter",
    "nothing to say for it": "give example or enum, and a description",
    "nothing to choose by": "return a name in each row",
    "nothing to find it by": "let the source search by a name, a place or a date",
    "nothing to answer with": "name the fields in plain words, and give example values",
}


def explain(catalog: Catalog, edges: Iterable[Edge], most: int = MOST) -> list[str]:
    """Lines `API: reason: remedy`: those of edges that are nearly pairs first, each API once."""
    found = dict[str, str]()
    for names, reason in islice(_reasons(catalog, edges), 10_000):
        name, remedy = names.rpartition(" → ")[2], REMEDIES.get(reason)
        if remedy and name not in found:
            found[name] = f"{names}: {reason}: {remedy}"
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
