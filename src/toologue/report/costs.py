"""What runs cost and how long they took.

Contract: a request whose price is not known is never free: sums say how many there are, and what the others cost at
least. Seconds are the clock's, so they stand beside scores, never in them.

Not covered: what agents ask by clients of their own; of their tokens what their turns' `usage` says is counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from toologue.errors import BadRecord
from toologue.models.spent import Spent
from toologue.run.store import RunFolder
from toologue.schema import Trace
from toologue.schema.jsonl import read_lines


class Cost(NamedTuple):
    """One conversation: the seconds that it took, where they are known, and what was spent on it."""

    seconds: float | None = None
    spent: Spent = Spent()

    @classmethod
    def of(cls, trace: Trace, known: Mapping[str, tuple[float, Spent]]) -> Cost:
        """That of a trace, by what is known of its case; else by the tokens that its turns tell."""
        seconds, spent = known.get(trace.case, (None, Spent()))
        if not spent.requests:
            usages = (turn.usage for turn in trace.turns if turn.role == "agent" and turn.usage)
            spent = sum((Spent.on(usage, unpriced=1) for usage in usages), Spent())
        return cls(seconds, spent)


def known_costs(folder: RunFolder) -> dict[str, tuple[float, Spent]]:
    """By case, the seconds that it took last, and what was spent on it each time that it was run.

    Raises BadRecord for a line that is none.
    """
    found, file = dict[str, tuple[float, Spent]](), folder.path / "times.jsonl"
    for number, line, torn in read_lines(file) if file.exists() else ():
        try:
            told: dict[str, Any] = {} if torn else json.loads(line)
            case = str(told.get("case", ""))
            before = found.get(case, (0.0, Spent()))[1]
            found[case] = float(told.get("seconds", 0)), before + Spent(**told.get("spent", {}))
        except (ValueError, TypeError, AttributeError):
            raise BadRecord(file, number, "$", "not the time of a case", "remove the line") from None
    return found


def costs_record(costs: Sequence[Cost]) -> dict[str, Any]:
    """Costs as JSON."""
    seconds = _seconds(costs)
    return {
        "conversations": len(costs),
        "spent": spent_on(costs).record(),
        "seconds": {name: round(each, 6) for name, each in zip(("total", "median", "p95"), seconds, strict=False)},
    }


def cost_rows(runs: Sequence[Sequence[Cost]]) -> list[tuple[str, list[str]]]:
    """A row a figure, a cell a run; rows of which nothing is known are left out."""
    columns = [_column(costs) for costs in runs]
    names = dict.fromkeys(name for column in columns for name in column)
    return [(name, [column.get(name, "–") for column in columns]) for name in names]


def _column(costs: Sequence[Cost]) -> dict[str, str]:
    spent, seconds, column = spent_on(costs), _seconds(costs), dict[str, str]()
    if spent.requests:
        faults = sum(spent.faults.values())
        more = [f"{spent.kept:,} kept"] if spent.kept else []
        more += [f"{faults:,} without a reply"] if faults else []
        cached = f", {spent.cached_tokens:,} cached" if spent.cached_tokens else ""
        column |= {
            "requests": ", ".join([f"{spent.requests:,}", *more]),
            "tokens in": f"{spent.input_tokens:,}{cached}",
            "tokens out": f"{spent.output_tokens:,}",
            "price": spent.price,
        }
    if seconds:
        total, median, late = seconds
        column |= {"seconds": f"{total:,.1f}", "median": f"{median:.2f}", "95th percentile": f"{late:.2f}"}
    return column


def spent_on(costs: Iterable[Cost]) -> Spent:
    """What was spent on conversations, all together."""
    return sum((one.spent for one in costs if one.spent.requests), Spent())


def _seconds(costs: Sequence[Cost]) -> tuple[float, ...]:
    """Total, median and 95th percentile; nothing where no time was taken."""
    found = sorted(one.seconds for one in costs if one.seconds is not None)
    return (sum(found), *(found[ceil(share * len(found)) - 1] for share in (0.5, 0.95))) if found else ()
