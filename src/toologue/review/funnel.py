"""What reviewers come to: how much of each kind they reject, how far they agree, what a check of edges is worth.

ALMITA has two annotators throw away what either of them rejects (3.2 to 3.8), and counts what is left at each stage;
ToolDial holds the verdicts of its judge of edges against people's (precision, MCC, NPV; 3.1, table 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple, get_args

from toologue.plan.api_graph.check import Checked
from toologue.plan.api_graph.check_graph import Confusion
from toologue.review.agreement import Agreement, agreement
from toologue.review.collect import edge_question
from toologue.review.ledger import Ledger
from toologue.schema import Decision, QuestionKind

_KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)


class Rejected(NamedTuple):
    """How many things of a kind a reviewer has decided and rejected; `who` is empty for: any of them."""

    kind: QuestionKind
    who: str
    n: int
    rejected: int


class Pair(NamedTuple):
    """How far two reviewers agree on things of a kind."""

    kind: QuestionKind
    one: str
    other: str
    agreement: Agreement


def rejected(ledger: Ledger) -> Iterator[Rejected]:
    """By kind what each reviewer rejects, and, where there are several, what any of them does: that is dropped."""
    for kind in _KINDS:
        told = {who: mine for who in ledger.people if (mine := _of_kind(ledger, who, kind))}
        for who, mine in told.items():
            yield Rejected(kind, who, len(mine), sum(one.verdict == "wrong" for one in mine.values()))
        if len(told) > 1:
            both = {key: one for mine in told.values() for key, one in mine.items()}
            dropped = sum(any(key in mine and mine[key].verdict == "wrong" for mine in told.values()) for key in both)
            yield Rejected(kind, "", len(both), dropped)


def pairs(ledger: Ledger) -> Iterator[Pair]:
    """The agreement of every two reviewers, by kind, on what both have decided."""
    for kind in _KINDS:
        for one, other in combinations(ledger.people, 2):
            mine, theirs = (_of_kind(ledger, who, kind) for who in (one, other))
            if both := [(mine[key].verdict, theirs[key].verdict) for key in mine if key in theirs]:
                yield Pair(kind, one, other, agreement(both))


def edges_checked(ledger: Ledger, checked: Iterable[Checked], judge: str = "") -> Confusion:
    """Verdicts of a check of edges against what people come to, or a judge, where they have decided."""
    told = ledger.decisions(judge).get if judge else ledger.of_people
    found = Confusion()
    for one in checked:
        decided = told(edge_question(one.edge).key)
        if decided is not None and decided.verdict != "unsure":
            found.count(one.verdict.valid, decided.verdict == "right")
    return found


def edges_judged(ledger: Ledger, judge: str) -> Confusion:
    """A judge's verdicts on edges against what people come to, where both have decided."""
    found = Confusion()
    for person, judged in ledger.pairs(judge, "edge"):
        if judged != "unsure":
            found.count(judged == "right", person == "right")
    return found


def _of_kind(ledger: Ledger, who: str, kind: QuestionKind) -> Mapping[str, Decision]:
    return {key: one for key, one in ledger.decisions(who).items() if one.kind == kind and one.verdict != "unsure"}
