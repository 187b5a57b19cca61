"""Tables for the terminal, as rich renderables.

Contract: nothing from data is read as markup, and nothing in it can steer the terminal.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from toologue.limits import legible
from toologue.report.compare import Comparison
from toologue.report.costs import cost_rows
from toologue.report.view import Report, RunView
from toologue.report.words import bracket, decided_words, figures, headline, rate_words, trials_words, words_alone
from toologue.score.calls import ERROR_TYPES
from toologue.score.metric import Total
from toologue.score.paired import Difference
from toologue.score.trials import Trials

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def totals_table(report: Report) -> Table:
    """Metrics as rows, runs as columns: value, 95 % interval, and what went unscored of the n that the head names.

    Where something is unsure values are brackets, and the last row says of how many conversations nothing is.
    """
    table = _table()
    table.title = _text(report.title, "bold") if report.title else None
    counted = any(name in ERROR_TYPES for name in report.metrics)
    decided = [decided_words(run) for run in report.runs]
    ends = "from all that is unsure being wrong to all of it being right, " if any(decided) else ""
    table.caption = f"{ends}with 95 % bootstrap intervals{'; error types are counts' if counted else ''}"
    table.add_column("metric", overflow="fold")
    sizes = [max((total.n + total.unscored for total in run.totals), default=0) for run in report.runs]
    for run, size in zip(report.runs, sizes, strict=True):
        table.add_column(
            _text(run.name).append(f"  n {size}{f' of {size + run.left}' if run.left else ''}", style="dim"),
            overflow="fold",
        )
    for name in report.metrics:
        cells = (_figure(run.by_metric.get(name), size) for run, size in zip(report.runs, sizes, strict=True))
        table.add_row(_text(name), *cells)
    if any(decided):
        table.add_row(
            _text("fully decided"), *(_text(words.replace(" fully decided", "") or "100.0 %") for words in decided)
        )
    return table


def costs_table(report: Report) -> Table | None:
    """What runs cost and how long they took, runs as columns; None where nothing is known."""
    table, rows = _table(), cost_rows([run.costs for run in report.runs])
    table.title = _text("cost and time", "bold")
    table.add_column("")
    for run in report.runs:
        table.add_column(_text(run.name), overflow="fold")
    for name, cells in rows:
        table.add_row(_text(name), *map(_text, cells))
    return table if rows else None


def failures_table(run: RunView, limit: int = 10) -> Table:
    """The first `limit` conversations that failed, then those that are unsure, each with its first difference."""
    failed = (c for c in run.conversations if c.status == "failed" or c.broke)
    wrong = chain(failed, (c for c in run.conversations if c.status == "unsure" and not c.broke))
    rows = list(islice(wrong, limit))
    left = sum(1 for _ in wrong)
    table = _table()
    more = [f"and {left} more"] if left else [] if rows else ["no conversation failed"]
    table.caption = "\n".join([*more, *words_alone(run)]) or None
    table.add_column("conversation", overflow="fold")
    table.add_column("first difference", overflow="fold")
    for conversation in rows:
        trial = f" (trial {conversation.trace.trial + 1})" if conversation.trace.trial else ""
        table.add_row(_text(conversation.gold.id + trial), _text(headline(conversation)))
    return table


def trials_table(run: str, trials: Trials) -> Table:
    """pass^k and pass@k of a run for each k, with who flickers and the noise floor below."""
    table = _table()
    table.title = _text(f"{run}: trials", "bold")
    table.caption = _text("\n".join(trials_words(trials)))
    for head in ("k", "pass^k (all of k pass)", "pass@k (one of k passes)", "dialogues"):
        table.add_column(head, overflow="fold")
    for one in trials.by_k:
        cells = (
            _text(value, "bold").append(f"  {interval.replace(' to ', '–')}", style="dim")
            for value, interval in map(rate_words, (one.every, one.any))
        )
        table.add_row(str(one.k), *cells, str(one.of))
    return table


def comparison_table(found: Comparison, title: str) -> Table:
    """The metrics that are not the same in both runs, and that of passed conversations; what is told apart is named."""
    shown = [one for one in found.differences if one.moved or one == found.passing]
    table, same = _table(), len(found.differences) - len(shown)
    table.title = _text(title, "bold")
    rest = f"; {same} other figures are the same" if same else ""
    table.caption = f"paired differences with 95 % intervals, told apart where these do not hold 0{rest}"
    for head in ("metric", "before", "after", "difference", "95 % interval", ""):
        table.add_column(head, overflow="fold")
    for one in shown:
        told = "" if one.verdict == "not told apart" else one.verdict
        table.add_row(_text(one.metric), *map(_text, difference_words(one)), _text(told, "bold"))
    return table


def difference_words(one: Difference) -> tuple[str, str, str, str]:
    """(before, after, difference, interval) as people read them: shares in percent, their differences in points."""
    shares = all(0 <= end <= 1 for end in (*one.before, *one.after))
    scale, form, signed = (100, "{:.1f}", "{:+.1f}") if shares else (1, "{:.2f}", "{:+.2f}")
    before, after = (bracket(scale * ends[0], scale * ends[1], form) for ends in (one.before, one.after))
    interval = f"{signed.format(scale * one.low)} to {signed.format(scale * one.high)}"
    unit = " %" if shares else ""
    return before + unit, after + unit, bracket(scale * one.value, scale * one.best, signed), interval


def _table() -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, title_justify="left", caption_justify="left")


def _figure(total: Total | None, size: int) -> Text:
    if total is None:
        return _text("–", "dim")
    value, interval = figures(total)
    text = _text(value, "bold").append(f"  {interval.replace(' to ', '–')}" if interval else "", style="dim")
    rest = [f"n {total.n}"] if total.n + total.unscored != size else []
    rest += [f"{total.unscored} unscored"] if total.unscored else []
    return text.append("".join(f", {part}" for part in rest), style="dim")


def _text(value: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(legible(value), style=style)
