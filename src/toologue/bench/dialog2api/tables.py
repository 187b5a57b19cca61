"""The paper's tables 3 and 4 of any dialogues and agents, the paper's rows beside ours, and what lies behind them.

The paper's figures are of another dataset and of language models: they say what is hard, and are not to be met. Shares
are floats in [0, 1]; CodeEdits, which is no share, is a text. How table 3 is counted the paper does not say: here of
every goal the latest program counts; of those that call nothing neither lines nor Apis are averaged, since they have
one and none. A turn is an utterance of either side. An Api counts once a program, whether it is come to or not.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from toologue.bench.benchmark import Graded, Part, Results
from toologue.bench.tables import Cell, Table
from toologue.sandbox.program import parse, raised_in
from toologue.schema import Dialogue
from toologue.schema.stack import stack
from toologue.score.metric import Total, totals
from toologue.score.programs import FORCED, METRICS

_EMR, _PERFECT, _, _BLEU, _EDITS = METRICS
_MODELS = ("Codex", "Bloom", "NeoX")
# Table 4, by setting: CodeEdits, EMR (%), BLEU of each model.
_PAPER: dict[str, tuple[tuple[float, float, float], ...]] = {
    "API document": ((23.7, 8.4, 15.7), (40.5, 0.9, 5.4), (31.2, 3.6, 6.8)),
    "examples": ((14.7, 30.0, 28.3), (38.8, 7.7, 14.9), (21.3, 7.5, 18.2)),
    "both": ((13.2, 33.0, 29.5), (27.6, 4.41, 10.9), (23.5, 2.59, 13.1)),
}
_OPEN = "A bracket: what nobody can decide without reading is wrong at its lower end, right at its upper one."
_PERFECT_OF = {("Codex", "both"): 0.22}
_TABLE_3 = {
    "dialogues": "100", "train / test": "46 / 54", "turns a dialogue": "10.5", "goals a dialogue": "2.7",
    "lines a program": "4.9", "APIs a program": "1.4",
    "GetObject": "11%", "PutObject": "6%", "ListObjects": "32%", "CreateBucket": "8%", "CopyObject": "10%",
    "ListBuckets": "10%", "DeleteBucket": "3%", "DeleteObject": "9%", "DeleteObjects": "11%", "GetBucketLocation": "2%",
}  # fmt: skip


def tables(results: Results) -> list[Table]:
    """All that have anything in them."""
    return [table for table in (table4(results), _where_gold_stands(results)) if table.rows]


def table4(results: Results) -> Table:
    """Table 4, with the share of perfect dialogues and of turns that match."""
    rows: list[list[Any]] = []
    for agent, parts in results.items():
        found = _totals(parts)
        edits = f"{found[_EDITS].value:.1f}" if _EDITS in found else None
        rows.append([agent, edits, *(_share(found.get(name)) for name in METRICS[:4])])
    for setting, models in _PAPER.items():
        for model, (edits, emr, bleu) in zip(_MODELS, models, strict=True):
            perfect = _PERFECT_OF.get((model, setting))
            rows.append([f"the paper's: {model}, {setting}", f"{edits:.1f}", emr / 100, perfect, None, bleu / 100])
    title = "Programs (table 4; the paper's rows: language models, on another dataset)"
    open_shares = any(isinstance(cell, Total) and cell.unsure for row in rows for cell in row[2:])
    return Table(title, ["agent", "CodeEdits (lower is better)", *METRICS[:4]], rows, _OPEN if open_shares else "")


def _where_gold_stands(results: Results) -> Table:
    """A row an agent: turns that match where each answer is asked for, and its programs run, where the gold stands."""
    rows: list[list[Any]] = []
    for agent, parts in results.items():
        found = _totals(parts).get(FORCED)
        rows += [[agent, int(found.counts["of"]), _share(found)]] if found else []
    return Table("Turns that match, each begun where the gold stands: no mistake counts twice", ["", "n", FORCED], rows)


def _share(total: Total | None) -> Cell:
    """A value, or both ends where something is unsure; its interval stands below, with the totals."""
    return total._replace(low=None, high=None) if total and total.unsure else total and total.value


def _totals(parts: Mapping[Part, Sequence[Graded]]) -> Mapping[str, Total]:
    """The totals of all parts, those that have a value."""
    scores = (score for graded in parts.values() for one in graded for score in one.scores.values())
    return {total.metric: total for total in totals(scores) if total.value is not None}


def table3(golds: Sequence[Dialogue]) -> Table:
    """Table 3: ours, and the paper's."""
    tops = [one.code for gold in golds for one in stack(gold.turns)]
    calling = [(code, apis) for code in tops if (apis := apis_in(code))]
    mix = Counter(api for _, apis in calling for api in apis)
    words = sum(turn.role == "user" or turn.text is not None for gold in golds for turn in gold.turns)
    splits = Counter(gold.origin.get("split") for gold in golds)
    lines = sum(bool(line.strip()) for code, _ in calling for line in code.splitlines())
    rows: dict[str, str] = {
        "dialogues": str(len(golds)),
        "train / test": f"{splits['train']} / {splits['test']}",
        "turns a dialogue": _mean(words, golds),
        "goals a dialogue": _mean(len(tops), golds),
        "lines a program": _mean(lines, calling),
        "APIs a program": _mean(mix.total(), calling),
    }
    apis = dict.fromkeys((*list(_TABLE_3)[len(rows) :], *sorted(mix)))
    rows |= {api: f"{mix[api] / (mix.total() or 1):.0%}" for api in apis}
    cells: list[list[Any]] = [[name, value, _TABLE_3.get(name, "–")] for name, value in rows.items()]
    return Table("What the dialogues are made of (table 3)", ["", "here", "the paper's"], cells)


def talk_table(golds: Sequence[Dialogue]) -> Table:
    """How many turns of each split end in which exception, and how programs of goals ended."""
    counts = Counter[tuple[str, str]]()
    for gold in golds:
        acts = (act for turn in gold.turns if turn.role == "agent" for act in turn.acts)
        ran = (act.code for act in acts if act.kind == "program" and act.status == "final")
        ended = [f"goals {one.status}" for one in stack(gold.turns)]
        found = [*(raised_in(code) or "another program" for code in ran), *ended]
        counts.update((kind, str(gold.origin.get("split", "none"))) for kind in found)
    splits = list(dict.fromkeys(split for _, split in counts))
    kinds = sorted({kind for kind, _ in counts})
    cells: list[list[Any]] = [[kind, *(counts[kind, split] for split in splits)] for kind in kinds]
    return Table("Final programs, and how goals ended", ["", *splits], cells)


def apis_in(code: str) -> list[str]:
    """The Apis that a program calls, in the order of their first call, in the paper's spelling."""
    calls = [node for node in ast.walk(parse(code).tree) if isinstance(node, ast.Call)]
    found = [
        (node.lineno, node.col_offset, node.func.attr)
        for node in calls
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "s3"
    ]
    names = [called for _, _, called in sorted(found)]
    return list(dict.fromkeys(one if one[:1].isupper() else one.title().replace("_", "") for one in names))


def _mean(total: int, things: Sequence[object]) -> str:
    return f"{total / len(things):.1f}" if things else "–"
