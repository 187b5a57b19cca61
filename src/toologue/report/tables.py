"""Tables for the terminal, as rich renderables.

Contract: nothing from data is read as markup, and nothing in it can steer the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toologue.limits import legible
from toologue.report.compare import Comparison
from toologue.report.costs import cost_rows, spent_on
from toologue.report.view import Report, RunView
from toologue.report.words import (
    bracket,
    decided_words,
    figures,
    headline,
    metric_words,
    rate_words,
    trials_words,
    unscored_words,
    words_alone,
)
from toologue.score.calls import ERROR_TYPES
from toologue.score.metric import Total, lower_is_better
from toologue.score.paired import Difference
from toologue.score.trials import Trials

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

# What a cell says, and behind it what it says by the way.
_Cell = str | tuple[str, str]


def totals_table(report: Report) -> Table:
    """Metrics as rows, runs as columns: value, 95 % interval, and what went unscored of the n that the head names.

    Where something is unsure values are brackets, and the last row says of how many conversations nothing is.
    """
    counted = any(name in ERROR_TYPES for name in report.metrics)
    decided = [decided_words(run) for run in report.runs]
    ends = "from all that is unsure being wrong to all of it being right, " if any(decided) else ""
    less = "; ↓: less is better" if any(map(lower_is_better, report.metrics)) else ""
    sure = "; fully decided: no step is unsure" if any(decided) else ""
    caption = f"{ends}with 95 % intervals{less}{sure}{'; error types are counts' if counted else ''}"
    sizes = [max((total.n + total.unscored for total in run.totals), default=0) for run in report.runs]
    sized = [*zip(report.runs, sizes, strict=True)]
    heads = [(run.name, f"  n {size}{f' of {size + run.left}' if run.left else ''}") for run, size in sized]
    rows = [
        [metric_words(name), *(_figure(run.by_metric.get(name), size, run.absent) for run, size in sized)]
        for name in report.metrics
    ]
    if any(decided):
        rows.append(["fully decided", *(words.replace(" fully decided", "") or "100.0 %" for words in decided)])
    return _table(report.title, ["metric", *heads], rows, caption)


def costs_table(report: Report) -> Table | None:
    """What runs cost and how long they took, runs as columns; None where no model was asked."""
    if not any(spent_on(run.costs).requests for run in report.runs):
        return None
    rows = cost_rows([run.costs for run in report.runs])
    heads = ["", *(run.name for run in report.runs)]
    return _table("cost and time", heads, ([name, *cells] for name, cells in rows))


def failures_table(run: RunView, limit: int = 10) -> Table:
    """The first `limit` conversations that failed, then those that are unsure, each with its first difference."""
    failed = [one for one in run.conversations if one.status == "failed" or one.broke]
    wrong = failed + [one for one in run.conversations if one.status == "unsure" and not one.broke]
    left = len(wrong) - limit
    more = [f"and {left} more"] if left > 0 else [] if wrong else ["no conversation failed"]
    named = ((one, f" (trial {one.trace.trial + 1})" if one.trace.trial else "") for one in wrong[:limit])
    rows = ((f"{one.gold.id}{trial}", headline(one)) for one, trial in named)
    heads = ("conversation", "first difference")
    return _table(f"{run.name}: what went wrong first", heads, rows, "\n".join([*more, *words_alone(run)]))


def trials_table(run: str, trials: Trials) -> Table:
    """pass^k and pass@k of a run for each k, with who flickers and the noise floor below."""
    heads = ("k", "pass^k (all of k pass)", "pass@k (one of k passes)", "dialogues")
    rows = (
        (str(one.k), *((value, _dash(ends)) for value, ends in map(rate_words, (one.every, one.any))), str(one.of))
        for one in trials.by_k
    )
    return _table(f"{run}: trials", heads, rows, "\n".join(trials_words(trials)))


def comparison_table(found: Comparison, title: str) -> Table:
    """The metrics that are not the same in both runs, and that of passed conversations, each over n of these."""
    shown = [one for one in found.differences if one.moved or one == found.passing]
    same = len(found.differences) - len(shown)
    rest = f"; {same} other figures are the same" if same else ""
    rows = (
        (
            metric_words(one.metric),
            str(one.of),
            *difference_words(one),
            "" if one.verdict == "not told apart" else one.verdict,
        )
        for one in shown
    )
    heads = ("metric", "n", "before", "after", "difference", "95 % interval", "")
    some = any(one.of < found.of for one in shown)
    counted = "n: conversations in which both runs have something to score; " if some else ""
    less = "↓: less is better; " if any(lower_is_better(one.metric) for one in shown) else ""
    caption = f"{counted}{less}better or worse where the 95 % interval of the difference excludes 0{rest}"
    return _table(title, heads, rows, caption)


def difference_words(one: Difference) -> tuple[str, str, str, str]:
    """(before, after, difference, interval) as people read them: shares in percent, their differences in points."""
    shares = all(0 <= end <= 1 for end in (*one.before, *one.after))
    scale, form, signed = (100, "{:.1f}", "{:+.1f}") if shares else (1, "{:.2f}", "{:+.2f}")
    before, after = (bracket(scale * ends[0], scale * ends[1], form) for ends in (one.before, one.after))
    interval = f"{signed.format(scale * one.low)} to {signed.format(scale * one.high)}"
    unit = " %" if shares else ""
    return before + unit, after + unit, bracket(scale * one.value, scale * one.best, signed), interval


def _table(title: str, heads: Iterable[_Cell], rows: Iterable[Sequence[_Cell]], caption: str = "") -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Column, Table
    from rich.text import Text

    def text(cell: _Cell, style: str = "bold") -> Text:
        if isinstance(cell, str):
            return Text(legible(cell))
        return Text(legible(cell[0]), style).append(legible(cell[1]), style="dim")

    columns = [Column(text(head, ""), overflow="fold") for head in heads]
    above, below = Text(legible(title), "bold") if title else None, Text(legible(caption)) if caption else None
    made = Table(*columns, title=above, caption=below, box=SIMPLE_HEAD, pad_edge=False)
    made.title_justify = made.caption_justify = "left"
    for row in rows:
        made.add_row(*map(text, row))
    return made


def _figure(total: Total | None, size: int, absent: int) -> _Cell:
    if total is None:
        return "–"
    value, interval = figures(total)
    rest = [f"n {total.n}"] if total.n + total.unscored != size else []
    rest += unscored_words(total, absent)
    return value, (_dash(interval) if interval else "") + "".join(f", {part}" for part in rest)


def _dash(interval: str) -> str:
    return f"  {interval.replace(' to ', '–')}"
