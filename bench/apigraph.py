"""The API graph: the whole command in a process of its own, its growth, and the same edges found by brute force.

    python -m bench.apigraph APIS [--embedder NAME]...      wall time, CPU, peak memory, survivors, growth per doubling
    python -m bench.apigraph APIS --calibrate LABELS        thresholds for `--rules best`, from labelled edges

Each graph starts with an empty cache. Brute force computes the longest common subsequence and both cosines of every
pair, as the reference code does; it runs beside ours, in one process, on the first 200 APIs. CPU counts all processes.

Calibration: of the thresholds that let in at most 5 % of the labelled mismatches, those that keep most of the labelled
edges; of equals the highest.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

SIZES = (400, 800, 1600, 3200)
BESIDE, MOST_FALSE = 200, 0.05
ROOT = Path(__file__).parent.parent


def main(arguments: Sequence[str]) -> None:
    """Measure and print a line of JSON a figure."""
    options = _parser().parse_args(arguments)
    if options.inside:
        inside(options.apis, options.embedder[0], options.inside)
        return
    for name in options.embedder or ("lexical", "minilm"):
        figures = (
            calibrated(options.apis, name, options.calibrate) if options.calibrate else measured(options.apis, name)
        )
        for figure in figures:
            print(json.dumps({"embedder": name, **figure}), flush=True)


def measured(apis: Path, name: str) -> Iterator[dict[str, Any]]:
    """The graph of all, of prefixes that double, and brute force beside ours."""
    from toologue.apis.rapidapi import read_rapidapi

    yield {"what": "all", **in_child(apis, name)}
    before = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for size in SIZES:
            part = Path(scratch) / f"{size}.jsonl"
            _write_first(apis, part, size)
            found = in_child(part, name)
            yield {"what": f"first {size}", **found, "times": round(found["cpu"] / before, 2) if before else None}
            before = found["cpu"]
        yield {"what": f"beside brute force, first {BESIDE}", **beside(list(islice(read_rapidapi(apis), BESIDE)))}


def in_child(apis: Path, name: str) -> dict[str, Any]:
    """The command in a fresh session with an empty cache: wall and CPU seconds, and mebibytes of all its processes."""
    with tempfile.TemporaryDirectory() as scratch:
        inside = ("--embedder", name, "--inside", scratch)
        start = time.monotonic()
        child = subprocess.Popen(
            (sys.executable, "-m", "bench.apigraph", str(apis), *inside),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            start_new_session=True,
        )
        cpu, most = dict[int, float](), 0
        while child.poll() is None:
            now = list(_session(child.pid))
            cpu |= {pid: seconds for pid, seconds, _ in now}
            most = max(most, sum(pages for _, _, pages in now))
            time.sleep(0.1)
        spent = {"wall": round(time.monotonic() - start, 1), "cpu": round(sum(cpu.values()), 1)}
        if child.returncode:
            raise SystemExit(f"the graph of {apis} by {name} was not built: exit status {child.returncode}")
        return {**spent, "mib": most * resource.getpagesize() >> 20, "load": os.getloadavg()[0], **_left(Path(scratch))}


def inside(apis: Path, name: str, scratch: Path) -> None:
    """Build the graph here."""
    from toologue.cli.graph import build

    build(str(apis), out=scratch / "graph.jsonl", rules="published", embedder=name)


def beside(apis: Sequence[Any]) -> dict[str, Any]:
    """CPU seconds of ours and of brute force, both with `lexical`, and whether they agree."""
    from toologue.models.lexical import Lexical
    from toologue.plan.api_graph.describe import describe
    from toologue.plan.api_graph.edges import find_edges

    described, spent, found = [describe(api) for api in apis], list[float](), list[Any]()
    for work in (_ours, _brute):
        start = time.process_time()
        found.append(sorted(work(described, Lexical(), find_edges)))
        spent.append(round(time.process_time() - start, 2))
    return {"ours": spent[0], "brute": spent[1], "equal": found[0] == found[1], "edges": len(found[0])}


def calibrated(apis: Path, name: str, labels: Path) -> Iterator[dict[str, Any]]:
    """The thresholds that let in at most so many mismatches, and what they keep."""
    import numpy as np

    from toologue.apis.rapidapi import read_rapidapi
    from toologue.models.embed import embedder
    from toologue.plan.api_graph.describe import describe
    from toologue.plan.api_graph.edges import explain
    from toologue.plan.api_graph.rules import Thresholds

    lines = [json.loads(line) for line in labels.read_text("utf-8").splitlines()]
    wanted = {line[side] for line in lines for side in ("source", "target")}
    documents = {api.name: describe(api) for api in read_rapidapi(apis) if api.name in wanted}
    by, never, scores, true = embedder(name), Thresholds(1, 1, 1), list[tuple[float, ...]](), list[bool]()
    for line in lines:
        if {line["source"], line["target"]} <= documents.keys():
            pair = documents[line["source"]], documents[line["target"]]
            asked = {"output": line["output"], "parameter": line["parameter"]}
            (one, *_) = explain(*pair, by, thresholds=never, **asked)
            scores.append((one.similarity.lcs, one.similarity.keyword, one.similarity.description))
            true.append(line["label"])
    rows, label = np.array(scores), np.array(true)
    best = max(_choices(rows, label))
    limits = dict(zip(("lcs", "keyword", "description"), best[1:4], strict=True))
    yield {"vectors": by.name, "labels": len(true), "thresholds": limits, "kept": best[0], "let_in": best[4]}


def _choices(rows: Any, label: Any) -> Iterator[tuple[float, ...]]:
    import numpy as np

    grids = (np.arange(70, 96) / 100, np.arange(30, 90, 2) / 100, np.arange(40, 96, 2) / 100)
    above = [[rows[:, at] > limit for limit in grid] for at, grid in enumerate(grids)]
    for one, two, three in product(*(range(len(grid)) for grid in grids)):
        passed = above[0][one] & above[1][two] & above[2][three]
        false = float(passed[~label].mean())
        if false <= MOST_FALSE:
            limits = (float(grids[0][one]), float(grids[1][two]), float(grids[2][three]))
            yield (round(float(passed[label].mean()), 3), *limits, round(false, 3))


def _ours(apis: Sequence[Any], by: Any, find_edges: Any) -> list[tuple[str, ...]]:
    found = find_edges(apis, by, rules="published")
    return [(edge.source, edge.output, edge.target, edge.parameter) for edge in found.edges]


def _brute(apis: Sequence[Any], by: Any, _: Any) -> list[tuple[str, ...]]:
    """Every pair, one by one for the phrases, as matrices for the cosines."""
    from rapidfuzz.distance import LCSseq

    from toologue.plan.api_graph.rules import PUBLISHED, letters, sides

    rows, columns, *_ = sides(apis, "published")
    with_keywords = ([side.keyed(at) for at in range(len(side.texts))] for side in (rows, columns))
    described, keyed = (
        by.embed(above) @ by.embed(below).T for above, below in ((rows.texts, columns.texts), with_keywords)
    )
    phrases = [[letters(one.phrase, "published") for one in side.entities] for side in (rows, columns)]
    found: list[tuple[str, ...]] = []
    for row, one in enumerate(rows.entities):
        for column, other in enumerate(columns.entities):
            first, second = phrases[0][row], phrases[1][column]
            alike = LCSseq.similarity(first, second) / ((len(first) + len(second)) / 2) > PUBLISHED.lcs
            near = described[row, column] > PUBLISHED.description and keyed[row, column] > PUBLISHED.keyword
            if alike and near and one.api != other.api:
                found.append((one.api, one.name, other.api, other.name))
    return found


def _session(leader: int) -> Iterator[tuple[int, float, int]]:
    """(pid, CPU seconds, pages in memory) of every process of a session (Linux); shared pages count for each."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == leader:
            ticks = int(fields[11]) + int(fields[12])
            yield int(file.parent.name), ticks / os.sysconf("SC_CLK_TCK"), int(fields[21])


def _left(scratch: Path) -> dict[str, int]:
    from toologue.plan.api_graph.rules import read_about

    about = read_about(scratch / "graph.jsonl")
    assert about is not None
    return {key: about.survivors[key] for key in ("pairs", "lcs", "description", "edges", "api_pairs")}


def _write_first(apis: Path, part: Path, size: int) -> None:
    from toologue.schema.jsonl import read_lines

    part.write_bytes(b"".join(line for _, line, _ in islice(read_lines(apis), size)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.apigraph", description="What the API graph costs.")
    parser.add_argument("apis", type=Path, help="RapidAPI records (.jsonl, .jsonl.gz)")
    parser.add_argument("--embedder", action="append", default=[], help="lexical, minilm; by default both")
    parser.add_argument("--calibrate", type=Path, help="labelled edges (.jsonl)")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
