"""A score: additive counts, a value or None, and every mismatch that explains it.

Totals and bootstrap add counts and then apply one function (hits / of, unless a metric registers its own), so a total
is a micro average and aggregation has no order.

Example:
    >>> score = Score(metric="recall", dialogue="a", counts={"hits": 2, "of": 4}, value=0.5)
    >>> score.value
    0.5

Not covered: a missing score is None, never 0; "unscored" is counted, not imputed.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from toologue.schema.noun import Noun, Record


class Mismatch(Noun):
    """One difference: in which turn (index in the trace, or in the gold for what is missing) and act, which field."""

    turn: int | None = None
    act: int | None = None
    field: str = ""
    expected: JsonValue = None
    actual: JsonValue = None
    why: str = ""


class Score(Record):
    """One metric of one trace. `counts` add up; `value` is None where there was nothing to score, and `why` says so."""

    format: Literal["score/1"] = "score/1"
    metric: str
    dialogue: str
    case: str = ""
    counts: dict[str, float] = Field(default_factory=dict)
    value: float | None = None
    why: str = ""
    at: tuple[Mismatch, ...] = ()
