"""The paper's tables 4, 5, 9 and 10 and its figure 5, from graded parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toologue.bench.benchmark import Graded, Part, Results, sums
from toologue.bench.tables import Table
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


def tables(results: Results) -> list[Table]:
    """All tables that have anything in them."""
    found = [main_table(results), actions_table(results), errors_table(results), rounds_table(results)]
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


def rounds_table(results: Results) -> Table:
    """Figure 5: the share of states that are right by the number of the user's turn, a column for an agent's labels."""
    columns: dict[str, dict[int, list[bool]]] = {}
    for agent, part, graded in _parts(results, "dst"):
        column = columns.setdefault(f"{agent}, {part.about['labels']}", {})
        for test in (test for one in graded for test in one.record.get("tests", ())):
            column.setdefault(test["round"], []).append(test["correct"])
    rounds = sorted({number for column in columns.values() for number in column})
    shares = [[sum(right) / len(right) if (right := one.get(n)) else None for one in columns.values()] for n in rounds]
    rows: list[list[Any]] = [[str(number), *found] for number, found in zip(rounds, shares, strict=True)]
    return Table("States by the user's turn (figure 5)", ["turn", *columns], rows)


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
