"""What a set of dialogues with programs is made of, as the paper's table 3 counts it.

Contract: of every goal the latest program counts, that on the stack at the end; a conversational exception is a
program, too, but of those that call nothing neither lines nor Apis are averaged, since they have one and none. A turn
is an utterance of either side. An Api counts once a program, and its share is of all that are counted. The paper does
not say how it counts; its figures stand beside ours for their size, not to be met.

Example:
    >>> apis_in("for bucket in s3.ListBuckets()['Buckets']:\\n    s3.delete_bucket(Bucket=bucket[?1])")
    ['ListBuckets', 'DeleteBucket']
    >>> raised_in("raise ChitChat()")
    'ChitChat'

Not covered: what a program does when it runs; an Api that it never comes to is counted.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from toologue.bench.tables import Table
from toologue.sandbox.program import parse, raised_in
from toologue.schema import Dialogue
from toologue.schema.stack import stack

_PAPER = {
    "dialogues": "100",
    "train / test": "46 / 54",
    "turns a dialogue": "10.5",
    "goals a dialogue": "2.7",
    "lines a program": "4.9",
    "APIs a program": "1.4",
    "GetObject": "11%",
    "PutObject": "6%",
    "ListObjects": "32%",
    "CreateBucket": "8%",
    "CopyObject": "10%",
    "ListBuckets": "10%",
    "DeleteBucket": "3%",
    "DeleteObject": "9%",
    "DeleteObjects": "11%",
    "GetBucketLocation": "2%",
}


def apis_in(code: str, name: str = "s3") -> list[str]:
    """The Apis that a program calls, in the order of their first call, in the paper's spelling."""
    calls = [node for node in ast.walk(parse(code).tree) if isinstance(node, ast.Call)]
    found = [
        (node.lineno, node.col_offset, node.func.attr)
        for node in calls
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == name
    ]
    return list(dict.fromkeys(_camel(called) for _, _, called in sorted(found)))


def table3(golds: Sequence[Dialogue]) -> Table:
    """Table 3: ours, and the paper's."""
    tops = [one for gold in golds for one in stack(gold.turns)]
    calling = [(one.code, apis) for one in tops if (apis := apis_in(one.code))]
    mix = Counter(api for _, apis in calling for api in apis)
    words = sum(turn.role == "user" or turn.text is not None for gold in golds for turn in gold.turns)
    splits = Counter(str(gold.origin.get("split", "none")) for gold in golds)
    rows: dict[str, str] = {
        "dialogues": str(len(golds)),
        "train / test": f"{splits['train']} / {splits['test']}",
        "turns a dialogue": _mean([words], len(golds)),
        "goals a dialogue": _mean([len(tops)], len(golds)),
        "lines a program": _mean(
            (sum(bool(line.strip()) for line in code.splitlines()) for code, _ in calling), len(calling)
        ),
        "APIs a program": _mean((len(apis) for _, apis in calling), len(calling)),
    }
    of = sum(mix.values()) or 1
    rows |= {
        api: f"{mix[api] / of:.0%}" for api in (*list(_PAPER)[6:], *(api for api in sorted(mix) if api not in _PAPER))
    }
    cells: list[list[Any]] = [[name, value, _PAPER.get(name, "–")] for name, value in rows.items()]
    return Table("What the dialogues are made of (table 3)", ["", "here", "the paper's"], cells)


def talk_table(golds: Sequence[Dialogue]) -> Table:
    """How many turns of each split end in which exception, and how programs of goals ended."""
    rows: dict[str, Counter[str]] = {}
    for gold in golds:
        split = str(gold.origin.get("split", "none"))
        for turn in gold.turns:
            for act in turn.acts if turn.role == "agent" else ():
                if act.kind == "program" and act.status == "final":
                    rows.setdefault(raised_in(act.code) or "another program", Counter())[split] += 1
        for one in stack(gold.turns):
            rows.setdefault(f"goals {one.status}", Counter())[split] += 1
    splits = list(dict.fromkeys(split for counts in rows.values() for split in counts))
    cells: list[list[Any]] = [[name, *(rows[name][split] for split in splits)] for name in sorted(rows)]
    return Table("Final programs, and how goals ended", ["", *splits], cells)


def _mean(numbers: Iterable[int], of: int) -> str:
    return f"{sum(numbers) / of:.1f}" if of else "–"


def _camel(name: str) -> str:
    return name if name[:1].isupper() else "".join(part.capitalize() for part in name.split("_"))
