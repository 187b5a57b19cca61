"""The paper's tables 4, 5, 9 and 10 and its figure 5, from graded parts: as values, and as a section of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toologue.bench.benchmark import Graded, Part, Results, sums
from toologue.bench.tables import Table, html, render
from toologue.formats.tooldial import convention_of
from toologue.formats.tooldial_text import ACTIONS, Task
from toologue.score import actions, faithfulness, overall, states
from toologue.score.metric import value_of

_MAIN: tuple[tuple[str, str, str], ...] = (
    ("states, gold labels", "dst, gold", states.ACCURACY),
    ("states, none", "dst, none", states.ACCURACY),
    ("actions, gold labels", "action, gold", actions.ACCURACY),
    ("actions, none", "action, none", actions.ACCURACY),
    ("grounded, gold labels", "faithfulness, gold", faithfulness.METRICS[0]),
    ("grounded, none", "faithfulness, none", faithfulness.METRICS[0]),
    ("reported, gold labels", "faithfulness, gold", faithfulness.METRICS[2]),
    ("reported, none", "faithfulness, none", faithfulness.METRICS[2]),
    ("faithful, none", "faithfulness, none", faithfulness.VOTED),
    ("user turns, gold labels", "overall, gold", overall.METRICS[0]),
    ("dialogues, gold labels", "overall, gold", overall.METRICS[1]),
    ("user turns, none", "overall, none", overall.METRICS[0]),
    ("dialogues, none", "overall, none", overall.METRICS[1]),
)
_ERRORS = {
    "generation": "nothing generated",
    "unconfirmed": "API not confirmed (GT = true)",
    "confirmed": "API confirmed (GT = false)",
    "format": "format",
    "slot": "slots",
    "value": "values",
    "multi-result": "· one of several results",
    "intent-add": "· in the first request",
    "extraction": "· other",
    "other": "another API, other",
}
_CONVENTIONS = {"known": "what is known", "published": "the paper's"}
_WIDE, _HIGH, _LEFT, _TOP = 640, 260, 44, 16
_COLOURS = ("#1b6ca8", "#c8553d", "#3c8d5a", "#8a5fb0", "#b08a1e", "#4a4a4a")


def tables(results: Results) -> list[Table]:
    """All tables that have anything in them."""
    found = [main_table(results), actions_table(results), errors_table(results)]
    found += [confusion_table(agent, part, graded) for agent, part, graded in _parts(results, "action")]
    return [table for table in found if table.rows]


def main_table(results: Results) -> Table:
    """Table 4, and the overall task; a column for what was played."""
    totals = {agent: {part.name: sums(graded) for part, graded in parts.items()} for agent, parts in results.items()}
    shown = [
        (heading, part, metric)
        for heading, part, metric in _MAIN
        if any(metric in found.get(part, {}) for found in totals.values())
    ]
    rows: list[list[Any]] = [
        [agent, *(_value(found.get(part, {}), metric) for _, part, metric in shown)] for agent, found in totals.items()
    ]
    kinds = {convention_of(one.gold.facts) for _, _, graded in _parts(results) for one in graded}
    title = f"Accuracy (table 4); states: {' and '.join(map(_CONVENTIONS.__getitem__, sorted(kinds)))}"
    return Table(title, ["agent", *(heading for heading, *_ in shown)], rows if shown else [])


def actions_table(results: Results) -> Table:
    """Table 5."""
    rows: list[list[Any]] = []
    for agent, part, graded in _parts(results, "action"):
        found = sums(graded)
        rows.append([agent, part.about["labels"], *(_value(found, f"F1 {action}") for action in ACTIONS)])
    return Table("F1 of each action (table 5)", ["agent", "labels", *map(_words, ACTIONS)], rows)


def errors_table(results: Results) -> Table:
    """Tables 9 and 10: a column for an agent and its labels. Slot and value errors may be of the same state."""
    played = list(_parts(results, "dst"))
    found = [sums(graded) for _, _, graded in played]
    wrong = [int(counts["of"] - counts["hits"]) for one in found if (counts := one.get(states.ACCURACY))]
    if len(wrong) < len(found) or not found:
        return Table("Errors of dialogue states (tables 9, 10)", [], [])
    rows: list[list[Any]] = [
        ["states", *(int(one[states.ACCURACY]["of"]) for one in found)],
        ["errors", *wrong],
        *([name, *(int(one[f"state error: {kind}"]["hits"]) for one in found)] for kind, name in _ERRORS.items()),
    ]
    heads = [f"{agent}, {part.about['labels']}" for agent, part, _ in played]
    return Table("Errors of dialogue states (tables 9, 10)", ["kind", *heads], rows)


def confusion_table(agent: str, part: Part, graded: Sequence[Graded]) -> Table:
    """Which action was expected (a row), and which was taken; no rows where all were right."""
    tests = (test for one in graded for test in one.record.get("tests", ()))
    pairs = Counter((test["expected"], test["taken"] or "none") for test in tests)
    taken, wrong = [*ACTIONS, "none"], any(expected != other for expected, other in pairs)
    rows: list[list[Any]] = [[_words(one), *(pairs[one, other] for other in taken)] for one in ACTIONS]
    title = f"Actions taken, {agent}, {part.about['labels']}"
    return Table(title, ["expected", *map(_words, taken)], rows if wrong else [])


def by_round(results: Results) -> dict[str, dict[int, tuple[int, int]]]:
    """Figure 5: by agent and labels, for each number of the user's turn, (states that are right, states)."""
    found: dict[str, dict[int, tuple[int, int]]] = {}
    for agent, part, graded in _parts(results, "dst"):
        line = found.setdefault(f"{agent}, {part.about['labels']}", {})
        for test in (test for one in graded for test in one.record.get("tests", ())):
            right, of = line.get(test["round"], (0, 0))
            line[test["round"]] = right + bool(test["correct"]), of + 1
    return {name: dict(sorted(line.items())) for name, line in found.items()}


def figure5(results: Results) -> str:
    """The figure as SVG; empty where no states were asked for."""
    data = by_round(results)
    last = max((number for line in data.values() for number in line), default=0)
    if not last:
        return ""
    step = (_WIDE - _LEFT - 180) / max(last - 1, 1)

    def place(number: int, share: float) -> tuple[float, float]:
        return round(_LEFT + (number - 1) * step, 1), round(_TOP + (1 - share) * (_HIGH - _TOP - 36), 1)

    lines = [
        (name, _COLOURS[at % len(_COLOURS)], [place(number, right / of) for number, (right, of) in line.items()])
        for at, (name, line) in enumerate(data.items())
    ]
    shares = (0.0, 0.25, 0.5, 0.75, 1.0)
    return render(
        "figure5.svg",
        size=(_WIDE, _HIGH),
        left=_LEFT,
        top=_TOP,
        grid=[(f"{share:.0%}", *place(1, share), place(last, share)[0]) for share in shares],
        numbers=[(number, *place(number, 0)) for number in range(1, last + 1)],
        lines=lines,
    )


def section(results: Results) -> str:
    """All of it as the HTML of a section of a page."""
    figure = figure5(results)
    return html(tables(results)) + (figure and f"<h3>Accuracy of dialogue states by turn (figure 5)</h3>{figure}")


def _parts(results: Results, *tasks: Task) -> Iterator[tuple[str, Part, Sequence[Graded]]]:
    """Those of some tasks, or all."""
    for agent, played in results.items():
        for part, graded in played.items():
            if not tasks or part.about["task"] in tasks:
                yield agent, part, graded


def _value(found: Mapping[str, Mapping[str, float]], metric: str) -> float | None:
    counts = found.get(metric)
    return value_of(metric, counts) if counts else None


def _words(name: str) -> str:
    return name.replace("_", " ")
