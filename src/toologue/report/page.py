"""The page: one HTML file that shows runs beside each other, and every conversation as it went.

Contract: nothing is loaded and no script runs (a content security policy says so to the browser); filters, themes and
folding are HTML and CSS. Everything from data is escaped, and what cannot be seen is shown as an escape. The file is
written as a stream and takes its place in one step. At most `ROWS` conversations and `TRANSCRIPTS` transcripts are
shown, failed ones first, and the page says so. What is unsure has a status and a colour of its own, and rates are drawn
as brackets: a bar from what they are if it is wrong to what they are if it is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from markupsafe import Markup

from toologue.limits import legible
from toologue.plan.procedures.prose import UNTESTED
from toologue.report import words
from toologue.report.costs import cost_rows
from toologue.report.coverage import Spot, covered, spots
from toologue.report.transcript import said, shown, transcript
from toologue.report.view import PASSES, STATUSES, Conversation, Gated, Report, RunView, Status
from toologue.schema import Score
from toologue.schema.jsonl import replacing
from toologue.score.calls import ERROR_TYPES
from toologue.score.metric import NOTHING, Total, best_of, meanings

ROWS = 2000
TRANSCRIPTS = 500
_FILTERS: tuple[Status, ...] = ("failed", "unsure", "passed", "unscored")
_WIDTH, _EDGE = 160.0, 5.0
_CHUNKS = 1000
_LOOKS = 5
_RATES = ("precision", "recall", "test correct")


@dataclass
class Cell:
    """One conversation of one run, as the table shows it; `shown`: its transcript is on the page."""

    run: int
    position: int
    status: Status
    rates: list[tuple[str, str]]
    short: str
    stop: str
    shown: bool = False


@dataclass
class Line:
    """One row of the table: a conversation in all runs that have it."""

    number: int
    name: str
    trial: int
    cells: dict[int, Cell]

    @property
    def statuses(self) -> list[Status]:
        """What "any run" stands for: failed, unsure or unscored by any, else passed by all."""
        found = {cell.status for cell in self.cells.values()}
        return [s for s in _FILTERS if s in found and (s != "passed" or found == {"passed"})]


def write_page(file: Path, report: Report) -> None:
    """Write the page, replacing the file in one step."""
    lines = _lines(report)
    kept = _kept(lines)
    names = dict.fromkeys(name for run in report.runs for name in run.facts)
    facts = [(name, [run.facts.get(name, "–") for run in report.runs]) for name in names]
    template = words.environment().get_template("page.html")
    text = template.stream(
        title=report.title,
        command=report.command,
        notes=[*report.notes, *(f"{run.name}: {line}" for run in report.runs for line in run.told)],
        runs=[run.name for run in report.runs],
        gates=[_gate(gate, run.name) for gate, run in zip(report.gates, report.runs, strict=False)],
        looks=_looks(report, kept),
        untested=UNTESTED,
        verdicts=_verdicts(report),
        figures=_figures(report),
        meanings=meanings(),
        called=words.metric_words,
        kind_words=words.kind_words,
        facts=[(name, values, len({*values}) == 1) for name, values in facts],
        costs=cost_rows([run.costs for run in report.runs]),
        lines=kept,
        articles=_articles(report, kept),
        all_lines=len(lines),
        transcripts=sum(cell.shown for line in kept for cell in line.cells.values()),
        all_transcripts=sum(len(line.cells) for line in lines),
        statuses=_FILTERS,
        unsure=any(words.decided_words(run) for run in report.runs),
        sections=[(heading, Markup(body)) for heading, body in (*_trials(report), *report.sections)],
        **covered(report)._asdict(),
        **_filters(report, kept),
    )
    text.enable_buffering(_CHUNKS)
    with replacing(file) as stream:
        text.dump(stream, "utf-8", "backslashreplace")


def _gate(gate: Gated, run: str) -> dict[str, object]:
    """What the gate says of a run: its state, the same in a word, the figures, the ways that are never gone right."""
    state, said = (gate.verdict, words.GATE[gate.verdict]) if gate.asked else ("", "No gate")
    state = {"undecided": "unsure"}.get(state, state)
    return {
        "run": run,
        "state": state,
        "said": said,
        "words": words.gate_words(gate),
        "meaning": meanings().get(gate.total.metric, ""),
        "never": gate.never,
    }


def _looks(report: Report, lines: Sequence[Line]) -> tuple[str, int, list[tuple[Spot, str]]] | None:
    """Where the first run that goes wrong does so worst, else is unsure: whose it is, how many places, those to show.

    With each place goes where the page shows its example; empty where it does not.
    """
    for verdict, (number, run) in product(("wrong", "unsure"), enumerate(report.runs)):
        if found := spots(report.charted, run.conversations, verdict):
            there = [(line, line.cells[number]) for line in reversed(lines) if number in line.cells]
            wrong = [line for line, cell in there if cell.shown and cell.status in ("failed", "unsure")]
            cells = {line.name: f"d{line.number}-{number}" for line in wrong}
            return run.name, len(found), [(spot, cells.get(spot.conversation, "")) for spot in found[:_LOOKS]]
    return None


def _trials(report: Report) -> Iterator[tuple[str, str]]:
    """The section on trials, where any run has several."""
    told = [
        (
            run.name,
            [(one.k, words.rate_words(one.every), words.rate_words(one.any), one.of) for one in run.trials.by_k],
            words.trials_words(run.trials),
        )
        for run in report.runs
        if run.trials is not None
    ]
    if told:
        yield "Trials", words.environment().get_template("trials.html").render(trials=told)


def _lines(report: Report) -> list[Line]:
    lines: dict[tuple[str, int, int], Line] = {}
    for number, run in enumerate(report.runs):
        seen: Counter[tuple[str, int]] = Counter()
        for position, conversation in enumerate(run.conversations):
            same = conversation.gold.id, conversation.trace.trial
            key = (*same, seen[same])
            seen[same] += 1
            line = lines.setdefault(key, Line(len(lines), *same, {}))
            status, stop = conversation.status, conversation.trace.stop
            stopped = "" if stop in ("done", "user") else stop
            found = words.findings(conversation) if status in ("failed", "unsure") else []
            short = found[0].short if found else words.headline(conversation)
            rates = [(name, _rate(conversation.scores[name])) for name in _RATES if name in conversation.scores]
            line.cells[number] = Cell(number, position, status, rates, words.cut(legible(short), 90), stopped)
    return list(lines.values())


def _kept(lines: Sequence[Line]) -> list[Line]:
    """The lines that the page shows; marks the cells whose transcript it shows. Failed ones first, in their order."""
    rank = {status: number for number, status in enumerate(STATUSES)}
    worst = {line.number: min(rank[cell.status] for cell in line.cells.values()) for line in lines}
    first = sorted(lines, key=lambda line: (worst[line.number], line.number))[:ROWS]
    cells = [cell for line in first for cell in line.cells.values()]
    for cell in sorted(cells, key=lambda cell: rank[cell.status])[:TRANSCRIPTS]:
        cell.shown = True
    return sorted(first, key=lambda line: line.number)


def _articles(report: Report, lines: Sequence[Line]) -> Iterator[dict[str, Any]]:
    """All transcripts of each conversation, with what they share; made one at a time."""
    for line in lines:
        cells = [cell for cell in line.cells.values() if cell.shown]
        if cells:
            gold = report.runs[cells[0].run].conversations[cells[0].position].gold
            scenario = gold.origin.get("scenario")
            facts = ((name, said(fact) if isinstance(fact, str) else shown(fact)) for name, fact in gold.facts.items())
            yield {
                "line": line,
                "scenario": words.cut(scenario, 1000) if isinstance(scenario, str) else "",
                "facts": list(facts),
                "instructions": said(gold.instructions) if gold.instructions else None,
                "entries": (_entry(report, cell) for cell in cells),
            }


def _entry(report: Report, cell: Cell) -> dict[str, Any]:
    run = report.runs[cell.run]
    conversation = run.conversations[cell.position]
    return {
        "cell": cell,
        "run": run.name,
        "transcript": transcript(conversation),
        "headline": words.cut(words.headline(conversation), 240),
        "stop": words.stop_words(conversation),
        "errors": words.error_counts(conversation),
        "scores": [(name, _score(name, conversation)) for name in conversation.scores if name not in ERROR_TYPES],
    }


def _score(name: str, conversation: Conversation) -> str:
    score = conversation.scores[name]
    if score.value is None:
        why = words.cut(legible(score.why), 120)
        return why if why == NOTHING else f"unscored ({why})" if why else "unscored"
    if name in (*PASSES, "outcome", "harmless"):
        return "yes" if score.value == 1 else "unsure" if best_of(score) == 1 else "no"
    return _rate(score)


def _rate(score: Score) -> str:
    if score.value is None:
        return "–"
    best = best_of(score) or 0.0
    if not 0 <= score.value <= 1:
        return words.bracket(score.value, best, "{:.2f}")
    return f"{words.bracket(100 * score.value, 100 * best, '{:.0f}')} %"


def _verdicts(report: Report) -> list[dict[str, Any]]:
    """Per run how many conversations passed, failed, are unsure or unscored, and the same as shares of a bar."""
    verdicts: list[dict[str, Any]] = []
    for run in report.runs:
        counts = _statuses(run)
        start, parts = 0.0, list[tuple[str, float, float]]()
        for status in ("passed", "unsure", "unscored", "failed"):
            width = 100 * counts[status] / max(1, counts.total())
            parts.append((status, round(start, 3), round(width, 3)))
            start += width
        said = {"name": run.name, "counts": counts, "of": counts.total(), "rest": _rest(run, counts)}
        passed = words.bracket(counts["passed"], counts["passed"] + counts["unsure"], "{:.0f}")
        verdicts.append({**said, "passed": passed, "parts": parts})
    return verdicts


def _rest(run: RunView, counts: Mapping[str, int]) -> str:
    told = [f"{counts[status]} {status}" for status in ("unsure", "unscored") if counts[status]]
    worst = f", at worst {kinds}" if (kinds := words.worst_words(run)) else ""
    failed = f"{counts['failed']} failed{worst}" if counts["failed"] else "none failed"
    left = f"{run.left} not run yet" if run.left else ""
    return " · ".join(
        filter(
            None,
            (failed, words.broken_words(run.faults), *words.words_alone(run), *told, left, words.decided_words(run)),
        )
    )


def _statuses(run: RunView) -> Counter[str]:
    """From the total, which knows all conversations, where there is one; else from those at hand."""
    total = next((total for name in PASSES for total in run.totals if total.metric == name), None)
    if total is None:
        return Counter[str](conversation.status for conversation in run.conversations)
    passed, unsure = (round(counts.get("hits", 0)) for counts in (total.counts, total.unsure))
    return Counter[str](passed=passed, unsure=unsure, failed=total.n - passed - unsure, unscored=total.unscored)


def _figures(report: Report) -> list[tuple[str, list[dict[str, Any] | None]]]:
    errors = [total for run in report.runs for total in run.totals if total.metric in ERROR_TYPES]
    most = max([1.0, *(_count(total.high, total) for total in errors)])
    return [
        (name, [_figure(run.by_metric.get(name), most, run.absent) for run in report.runs]) for name in report.metrics
    ]


def _figure(total: Total | None, most: float, absent: int) -> dict[str, Any] | None:
    """A total in words and as a bar: rates on a scale from 0 to 1, error types from 0 to the most of all runs.

    `low` and `high` are the ends of the interval, `start` and `end` those of the bracket.
    """
    if total is None:
        return None
    value, interval = words.figures(total)
    more = [*filter(None, [interval]), f"n {total.n}", *words.unscored_words(total, absent)]
    figure: dict[str, Any] = {"value": value, "more": more, "bar": None}
    if total.value is not None:
        start, stop = sorted((total.value, words.best_value(total)))
        ends = [start if total.low is None else total.low, start, stop, stop if total.high is None else total.high]
        if total.metric in ERROR_TYPES:
            ends = [_count(end, total) / most for end in ends]
        elif not all(0 <= end <= 1 for end in ends):
            return figure
        places = (round(_EDGE + (_WIDTH - 2 * _EDGE) * min(end, 1.0), 1) for end in ends)
        figure["bar"] = dict(zip(("low", "start", "end", "high"), places, strict=True))
    return figure


def _count(rate: float | None, total: Total) -> float:
    return (rate or 0.0) * total.counts.get("of", 0)


def _filters(report: Report, lines: Sequence[Line]) -> dict[str, Any]:
    views = ["any", *(str(number) for number in range(len(report.runs)))] if len(report.runs) > 1 else ["any"]
    counts: Counter[tuple[str, str]] = Counter()
    for line in lines:
        counts.update(("any", status) for status in line.statuses)
        counts.update((str(cell.run), cell.status) for cell in line.cells.values())
    empty = [pair for pair in product(views, _FILTERS) if not counts[pair]]
    return {"views": views, "counts": {status: counts["any", status] for status in _FILTERS}, "empty": empty}
