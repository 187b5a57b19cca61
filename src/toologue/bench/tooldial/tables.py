"""The paper's tables and its figure 5, from graded parts: as values, and as a section of a page.

    main_table       table 4: accuracies with and without the gold's labels, faithfulness, overall
    actions_table    table 5: F1 by action           confusion_table   which action was taken for which
    errors_table     tables 9 and 10: counts of errors of dialogue states; value errors split
    figure5          accuracy of dialogue states by the number of the user's turn: `by_round` has the numbers

Contract: `results` are, by agent, its parts with their graded conversations. A missing value is None. Nothing is
rounded but in `section`, which is HTML: all texts escaped, no scripts.

Example:
    >>> from toologue.bench.tooldial import Part, grade
    >>> from toologue.schema import AgentTurn, Dialogue, State, Trace, UserTurn
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="Hi"), AgentTurn(text="What?", action="clarify", state=State())))
    >>> trace = Trace(case="d", dialogue="d", protocol="next", agent="it", turns=(gold.turns[0], AgentTurn()))
    >>> part = Part("dst", "gold")
    >>> results = {"it": [(part, [grade(part, "fixed", gold, trace)])]}
    >>> main_table(results).rows[0][:2], by_round(results)["it, gold"]
    (['it', 0.0], {1: (0, 1)})

Not covered: intervals; totals with a bootstrap come from `score.metric.totals`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from toologue.bench.benchmark import Graded, sums
from toologue.bench.tables import Table, html
from toologue.bench.tooldial import Part
from toologue.formats.tooldial_answers import ACTIONS
from toologue.formats.tooldial_text import Labels, Task
from toologue.score import actions, faithfulness, overall, states
from toologue.score.metric import value_of

Results = Mapping[str, Sequence[tuple[Part, Sequence[Graded]]]]
"""By agent, its parts with their graded conversations."""

_MAIN: tuple[tuple[str, Task, Labels, str], ...] = (
    ("states, gold labels", "dst", "gold", states.ACCURACY),
    ("states, none", "dst", "none", states.ACCURACY),
    ("actions, gold labels", "action", "gold", actions.ACCURACY),
    ("actions, none", "action", "none", actions.ACCURACY),
    ("grounded, gold labels", "faithfulness", "gold", faithfulness.METRICS[0]),
    ("grounded, none", "faithfulness", "none", faithfulness.METRICS[0]),
    ("reported, none", "faithfulness", "none", faithfulness.METRICS[2]),
    ("faithful, none", "faithfulness", "none", faithfulness.VOTED),
    ("user turns, gold labels", "overall", "gold", overall.METRICS[0]),
    ("dialogues, gold labels", "overall", "gold", overall.METRICS[1]),
    ("user turns, none", "overall", "none", overall.METRICS[0]),
    ("dialogues, none", "overall", "none", overall.METRICS[1]),
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
_WIDE, _HIGH, _LEFT, _TOP = 640, 260, 44, 16
_COLOURS = ("#1b6ca8", "#c8553d", "#3c8d5a", "#8a5fb0", "#b08a1e", "#4a4a4a")


def tables(results: Results) -> list[Table]:
    """All tables that have anything in them."""
    found = [main_table(results), actions_table(results), errors_table(results)]
    found += [confusion_table(agent, part, graded) for agent, part, graded in _parts(results, "action")]
    return [table for table in found if table.rows]


def main_table(results: Results) -> Table:
    """Table 4, and the overall task; a column for what was played."""
    totals = {
        agent: {(part.task, part.labels): sums(graded) for part, graded in played} for agent, played in results.items()
    }
    shown = [one for one in _MAIN if any(one[3] in found.get(one[1:3], {}) for found in totals.values())]
    rows: list[list[Any]] = [
        [agent, *(_value(found.get((task, one), {}), metric) for _, task, one, metric in shown)]
        for agent, found in totals.items()
    ]
    return Table("Accuracy (table 4)", ["agent", *(heading for heading, *_ in shown)], rows if shown else [])


def actions_table(results: Results) -> Table:
    """Table 5."""
    rows: list[list[Any]] = []
    for agent, part, graded in _parts(results, "action"):
        found = sums(graded)
        rows.append([agent, part.labels, *(_value(found, f"F1 {action}") for action in ACTIONS)])
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
    heads = [f"{agent}, {part.labels}" for agent, part, _ in played]
    return Table("Errors of dialogue states (tables 9, 10)", ["kind", *heads], rows)


def confusion_table(agent: str, part: Part, graded: Sequence[Graded]) -> Table:
    """Which action was expected (a row), and which was taken; no rows where all were right."""
    pairs: dict[tuple[str, str], int] = {}
    for test in (test for one in graded for test in one.record.get("tests", ())):
        pair = test["expected"], test["taken"] or "none"
        pairs[pair] = pairs.get(pair, 0) + 1
    taken, wrong = [*ACTIONS, "none"], any(expected != other for expected, other in pairs)
    rows: list[list[Any]] = [[_words(one), *(pairs.get((one, other), 0) for other in taken)] for one in ACTIONS]
    return Table(f"Actions taken, {agent}, {part.labels}", ["expected", *map(_words, taken)], rows if wrong else [])


def by_round(results: Results) -> dict[str, dict[int, tuple[int, int]]]:
    """Figure 5: by agent and labels, for each number of the user's turn, (states that are right, states)."""
    found: dict[str, dict[int, tuple[int, int]]] = {}
    for agent, part, graded in _parts(results, "dst"):
        line = found.setdefault(f"{agent}, {part.labels}", {})
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

    parts = [f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="accuracy of states by turn" class="figure5">']
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        (x, y), (far, _) = place(1, share), place(last, share)
        parts.append(f'<line x1="{x}" y1="{y}" x2="{far}" y2="{y}" class="grid"/>')
        parts.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end" font-size="11">{share:.0%}</text>')
    for number in range(1, last + 1):
        x, y = place(number, 0)
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle" font-size="11">{number}</text>')
    for at, (name, line) in enumerate(data.items()):
        colour, points = _COLOURS[at % len(_COLOURS)], [place(n, right / of) for n, (right, of) in line.items()]
        joined = " ".join(f"{x},{y}" for x, y in points)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points]
        below = _TOP + 14 + 16 * at
        parts.append(f'<circle cx="{_WIDE - 168}" cy="{below - 4}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{_WIDE - 158}" y="{below}" font-size="12">{escape(name)}</text>')
    caption = f'x="{_LEFT}" y="{_HIGH - 2}" font-size="11"'
    return "".join([*parts, f"<text {caption}>number of the user's turn</text></svg>"])


def section(results: Results) -> str:
    """All of it as the HTML of a section of a page."""
    drawn = figure5(results)
    figure = f"<h3>Accuracy of dialogue states by turn (figure 5)</h3>{drawn}" if drawn else ""
    return html(tables(results)) + figure


def _parts(results: Results, task: Task) -> Iterator[tuple[str, Part, Sequence[Graded]]]:
    for agent, played in results.items():
        for part, graded in played:
            if part.task == task:
                yield agent, part, graded


def _value(found: Mapping[str, Mapping[str, float]], metric: str) -> float | None:
    counts = found.get(metric)
    return value_of(metric, counts) if counts else None


def _words(name: str) -> str:
    return name.replace("_", " ")
