"""Run folders of 1,000, 10,000 and 50,000 conversations, each made and graded in a process of its own.

Both should be flat: CPU a conversation, and memory but for an index of keys. The plain alternative of the largest is
the smallest. Conversations have one call each, so that the largest fits into a minute; if it would not, it is 20,000.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figure import Figure
from bench.workload import ROOT, of_calls, varied
from toologue.models.similarity import TextMatch
from toologue.report.view import score_folder
from toologue.run.store import Config, run_folder

SIZES = (1_000, 10_000, 50_000)
FALLBACK, PATIENCE = 20_000, 120.0  # conversations, CPU seconds


def run(count: int, folder: Path) -> dict[str, float]:
    """Make and grade a run folder here: CPU milliseconds a conversation, peak memory in bytes, share of successes."""
    dialogues = of_calls(1, 1)
    start = time.process_time()
    made = run_folder(folder, varied(dialogues, count), Config(agent="gold"))
    (success,) = (total for total in score_folder(made, TextMatch.of("lexical")) if total.metric == "success")
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"count": success.n, "success": success.value or 0.0, "ms": spent * 1e3 / count, "bytes": peak}


def in_child(count: int) -> dict[str, float]:
    """The same in a fresh process."""
    with tempfile.TemporaryDirectory() as scratch:
        command = (sys.executable, "-m", "bench.growth", str(count), f"{scratch}/run")
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT)
    return json.loads(done.stdout)


def figures(sizes: tuple[int, int, int] = SIZES) -> list[Figure]:
    """CPU a conversation and peak memory of the largest run, beside those of the smallest."""
    first, middle, second = (in_child(count) for count in (sizes[0], sizes[1], sizes[0]))
    fits = middle["ms"] / 1e3 * sizes[2] <= PATIENCE
    large, third = in_child(sizes[2] if fits else FALLBACK), in_child(sizes[0])
    small = sorted((first, second, third), key=lambda run: run["ms"])[
        1
    ]  # between the others: the machine's load shifts
    each = (large["bytes"] - small["bytes"]) / (large["count"] - small["count"])
    grown = f"{small['count']:,.0f} → {large['count']:,.0f} conversations"
    between = f"{grown}; {middle['ms']:.2f} ms at {middle['count']:,.0f}"
    mega = 1 << 20
    return [
        Figure("growth, CPU", large["ms"], small["ms"], "ms", note=between),
        Figure("growth, memory", large["bytes"] / mega, small["bytes"] / mega, "MiB", note=f"{each:,.0f} bytes a case"),
    ]


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), Path(sys.argv[2]))))
