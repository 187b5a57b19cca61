"""How far a judge agrees with people, kind by kind; and with people's verdicts dealt out anew, which is nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from toologue import keys
from toologue.review.agreement import AGREES, Agreement, agreement, kappa
from toologue.review.ledger import Ledger

_DEALS = 200


class Calibrated(NamedTuple):
    """A judge's agreement with people on one kind of question, or on all (no kind).

    `permuted` is the mean |kappa| with people's verdicts dealt out anew, 200 times; `gated` how often that would gate.
    """

    kind: str
    agreement: Agreement
    permuted: float | None
    gated: int


def calibration(ledger: Ledger, judge: str) -> Iterator[Calibrated]:
    """A judge of a ledger: on all questions, then on each kind where there are several."""
    kinds = sorted({one.kind for one in ledger.decisions(judge).values()})
    for kind in ["", *(kinds if len(kinds) > 1 else [])]:
        pairs = ledger.pairs(judge, kind)
        yield Calibrated(kind, agreement(pairs), *dealt(pairs))


def dealt(pairs: list[tuple[str, str]]) -> tuple[float | None, int]:
    """(mean |kappa|, how often it would gate) with the first of each pair dealt out anew."""
    people, judged, found, gated = [one for one, _ in pairs], [other for _, other in pairs], list[float](), 0
    for deal in range(_DEALS):
        Random(keys.seed_of("deal", deal)).shuffle(people)
        anew = list(zip(people, judged, strict=True))
        value = kappa(Counter(anew)) if anew else None
        if value is None:
            return None, 0
        found.append(abs(value))
        gated += value >= AGREES and agreement(anew).gates
    return sum(found) / len(found), gated
