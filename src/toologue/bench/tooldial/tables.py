"""The paper's tables 4, 5, 9 and 10 and its figure 5, from graded parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from toologue.bench.benchmark import Graded, Results, sums
from toologue.bench.tables import Table
from toologue.formats.tooldial import ACTIONS, TASKS, Task, convention_of
from toologue.score import actions, faithfulness, states
from toologue.score.metric import Total, totals, value_of

# (the row, its metric, the task that gives it).
_MAIN: tuple[tuple[str, str, Task], ...] = (
    ("states", states.ACCURACY, "dst"),
    ("actions", actions.ACCURACY, "action"),
    ("grounded", faithfulness.METRICS[0], "faithfulness"),
    ("reported", faithfulness.METRICS[2], "faithfulness"),
    ("faithful (judge)", faithfulness.VOTED, "faithfulness"),
    ("user turns", actions.TURNS[0], "overall"),
    ("dialogues", actions.TURNS[1], "overall"),
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
_WITH, _WITHOUT = ", labels shown", ", labels hidden"
_LABELS = {"gold": _WITH, "none": _WITHOUT}
_CAPTION = (
    "states, actions: the paper's accuracy. grounded: replies that say nothing unsupported (“I don't know” is one); "
    "reported: replies that say a value of the result: read both. user turns, dialogues: every action and state right; "
    "with 95 % intervals over dialogues."
)
_CONVENTIONS = {"known": "what is known", "published": "the paper's"}


def tables(results: Results) -> list[Table]:
    """All tables that have anything in them."""
    found = [main_table(results), actions_table(results), errors_table(results), rounds_table(results)]
    found += [confusion_table(name, graded) for name, graded in _columns(results, "action").items()]
    return [table for table in found if table.rows]


def main_table(results: Results) -> Table:
    """Table 4, and the overall task: a column for an agent and its labels, a row for what was played."""
    played = {task: _columns(results, task) for task in TASKS}
    columns = list(dict.fromkeys(name for agent in results for name in _names(agent, played)))
    rows: list[list[Any]] = []
    for heading, metric, task in _MAIN:
        there = [
            played[task].get(name) or played[task].get(name.removesuffix(_WITH).removesuffix(_WITHOUT))
            for name in columns
        ]
        found = [_total(metric, graded or ()) for graded in there]
        if any(found):
            rows.append([heading, *found])
    kinds = {convention_of(one.gold.facts) for parts in results.values() for graded in parts.values() for one in graded}
    title = f"Accuracy (table 4); states: {' and '.join(map(_CONVENTIONS.__getitem__, sorted(kinds)))}"
    return Table(title, ["right", *columns], rows, _CAPTION)


def actions_table(results: Results) -> Table:
    """Table 5: a column for an agent and its labels."""
    found = {name: sums(graded) for name, graded in _columns(results, "action").items()}
    rows: list[list[Any]] = [
        [_words(action), *(_value(one, f"F1 {action}") for one in found.values())] for action in ACTIONS
    ]
    known = any(any(row[1:]) for row in rows)
    return Table("F1 of each action (table 5)", ["action", *found], rows if known else [])


def errors_table(results: Results) -> Table:
    """Tables 9 and 10: a column for an agent and its labels. Slot and value errors may be of the same state."""
    found = {name: sums(graded) for name, graded in _columns(results, "dst").items()}
    found = {name: one for name, one in found.items() if one.get(states.ACCURACY)}
    wrong = [int(one[states.ACCURACY]["of"] - one[states.ACCURACY]["hits"]) for one in found.values()]
    rows: list[list[Any]] = [
        ["states", *(int(one[states.ACCURACY]["of"]) for one in found.values())],
        ["errors", *wrong],
        *(
            [name, *(int(one[f"state error: {kind}"]["hits"]) for one in found.values())]
            for kind, name in _ERRORS.items()
        ),
    ]
    return Table("Errors of dialogue states (tables 9, 10)", ["kind", *found], rows if found else [])


def confusion_table(name: str, graded: Sequence[Graded]) -> Table:
    """Which action was expected (a row), and which were taken how often; no rows where all were right."""
    tests = [test for one in graded for test in one.record.get("tests", ())]
    pairs = Counter((test["expected"], test["taken"] or "none") for test in tests)
    rows: list[list[Any]] = []
    for expected in ACTIONS:
        taken = {other: pairs[expected, other] for other in (expected, *ACTIONS, "none") if pairs[expected, other]}
        said = ", ".join(f"{_words(other)} {number}" for other, number in taken.items())
        rows += [[_words(expected), sum(taken.values()), said]] if taken else []
    wrong = any(expected != other for expected, other in pairs)
    return Table(f"Actions taken, {name}", ["expected", "times", "taken"], rows if wrong else [])


def rounds_table(results: Results) -> Table:
    """Figure 5: the share of states that are right by the number of the user's turn, a column for an agent's labels."""
    columns: dict[str, dict[int, list[bool]]] = {}
    for name, graded in _columns(results, "dst").items():
        for test in (test for one in graded for test in one.record.get("tests", ())):
            columns.setdefault(name, {}).setdefault(test["round"], []).append(test["correct"])
    rounds = sorted({number for column in columns.values() for number in column})
    shares = [[sum(right) / len(right) if (right := one.get(n)) else None for one in columns.values()] for n in rounds]
    rows: list[list[Any]] = [[str(number), *found] for number, found in zip(rounds, shares, strict=True)]
    return Table("States by the user's turn (figure 5)", ["turn", *columns], rows)


def _columns(results: Results, task: Task) -> dict[str, Sequence[Graded]]:
    """The graded conversations of a task by agent and labels; by agent alone where both kinds of labels are one."""
    found: dict[str, Sequence[Graded]] = {}
    for agent, played in results.items():
        both = {part.about["labels"]: graded for part, graded in played.items() if part.about["task"] == task}
        tests = [[one.record.get("tests") for one in graded] for graded in both.values()]
        if len(both) < 2 or tests[1:] == tests[:1]:
            found |= dict(zip([agent], both.values(), strict=False))
        else:
            found |= {f"{agent}{_LABELS[labels]}": graded for labels, graded in both.items()}
    return found


def _names(agent: str, played: Mapping[str, Mapping[str, object]]) -> list[str]:
    """The columns of an agent over all tasks."""
    apart = [f"{agent}{suffix}" for suffix in _LABELS.values()]
    return apart if any(name in columns for columns in played.values() for name in apart) else [agent]


def _total(metric: str, graded: Sequence[Graded]) -> Total | None:
    found = (one.scores[metric] for one in graded if metric in one.scores)
    return next(iter(totals(found)), None)


def _value(found: Mapping[str, Mapping[str, float]], metric: str) -> float | None:
    counts = found.get(metric)
    return value_of(metric, counts) if counts else None


def _words(name: str) -> str:
    return name.replace("_", " ")
