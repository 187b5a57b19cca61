"""The edge check against edges labelled by hand: what it keeps, what it rejects, by kind of mismatch.

    python -m bench.edges

Then, how many of 200 edges are true that were drawn from the graph of 4,474 APIs (`bench/edges/random.jsonl`: a hundred
of the chosen ones, a hundred of those that the check keeps; read by somebody who knew which was which of none).

The labels (`bench/edges/labels.jsonl`) are split by a hash of the pair of Apis: words and rules were tuned on one half
and never on the other. The documents are published data: without them this says so and measures nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from toologue import keys
from toologue.apis.load import apis_of
from toologue.plan.api_graph.check import EdgeChecker
from toologue.plan.api_graph.check_graph import Confusion, Label
from toologue.plan.api_graph.describe import describe
from toologue.schema import Api

HERE = Path(__file__).parent
LABELS = HERE / "edges" / "labels.jsonl"
RANDOM = HERE / "edges" / "random.jsonl"
SHARED = Path(os.environ.get("TOOLOGUE_SHARED") or HERE.parents[1] / "shared") / "tooldial"
FILES = ("augmented_400.jsonl.gz", "rapidapi_aug1308.jsonl.gz", "rapidapi_scale4474.jsonl.gz")


def main() -> int:
    """Measure, print, and return the exit status."""
    if not all((SHARED / name).exists() for name in FILES):
        what = f"SKIPPED, nothing is measured: {SHARED} has not all of {', '.join(FILES)}"
        print(f"{what}: set TOOLOGUE_SHARED to the folder that has tooldial/ (docs/figures.md)", file=sys.stderr)
        return 0
    rows, drawn = ([json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in (LABELS, RANDOM))
    apis = documents()
    Console().print(table(measured([row for row in rows if "fixture" not in row], apis)))
    for line in precision(drawn, apis):
        print(line)
    return 0


def documents() -> Mapping[str, Api]:
    """The published documents by name; where two files have one, that which says what it returns."""
    found: dict[str, Api] = {}
    for name in FILES:
        for api in apis_of(SHARED / name):
            if api.returns or api.name not in found:
                found[api.name] = api
    return found


def measured(rows: Iterable[Mapping[str, Any]], apis: Mapping[str, Api]) -> dict[tuple[str, str], Confusion]:
    """The verdicts against the labels, by half and by kind of edge ("" for all kinds)."""
    checker, found = EdgeChecker(apis.values()), defaultdict[tuple[str, str], Confusion](Confusion)
    for row in rows:
        label = Label.model_validate(row)
        valid = checker.verdict(label.edge).valid
        half = "tuned on" if keys.seed_of("edges", label.source, label.target) % 2 == 0 else "held out"
        for kind in ("", row["kind"]):
            found[half, kind].count(valid, label.label)
    return found


def precision(drawn: Iterable[Mapping[str, Any]], apis: Mapping[str, Api]) -> Iterator[str]:
    """How many of the chosen edges of the graph of 4,474 APIs are true, drawn at random; and of those that pass."""
    checker = EdgeChecker(map(describe, apis.values()))
    found = [(row, checker.verdict(Label.model_validate(row).edge).valid) for row in drawn]
    graph = [(row["label"], valid) for row, valid in found if row["drawn"] == "graph"]
    passed = [row["label"] for row, valid in found if valid]
    yield f"chosen edges of the graph: {sum(label for label, _ in graph)} of {len(graph)} true"
    yield f"those that the check keeps: {sum(passed)} of {len(passed)} true ({sum(passed) / len(passed):.1%})"


def table(found: Mapping[tuple[str, str], Confusion]) -> Table:
    """One row a half and kind."""
    made = Table(title="Edges labelled by hand, and what the offline check says of them")
    for head in ("half", "kind", "edges", "true ones kept", "false ones rejected", "MCC"):
        made.add_column(head, justify="left" if head in ("half", "kind") else "right")
    for (half, kind), truth in sorted(found.items()):
        count = truth.hits + truth.misses + truth.rejected + truth.slips
        shares = [f"{share:.1%}" if share is not None else "" for share in (truth.kept, truth.refused)]
        made.add_row(half, kind or "all", str(count), *shares, f"{truth.mcc:.3f}" if truth.mcc is not None else "")
    return made


if __name__ == "__main__":
    sys.exit(main())
