"""Embedding: what users of the starter set said, by each embedder, on one core of a process of its own; and grading.

Plain: of `minilm`, which runs in numpy, the same weights run by onnxruntime; of `lexical`, minilm in numpy, which sees
meaning; of a warmed judge, one that embeds texts when they are compared. Measured where the packages are:
`pip install 'toologue[minilm]' onnx onnxruntime`, and the weights.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from bench.figure import Figure, in_turns
from bench.workload import ROOT, starter
from toologue.bench.benchmark import play
from toologue.bench.tooltalk import TOOLTALK
from toologue.errors import BadSetting
from toologue.models.embed import Embedder, embedder
from toologue.models.minilm import MiniLM
from toologue.models.similarity import TextMatch
from toologue.schema import Dialogue, Trace
from toologue.score.calls import calls
from toologue.score.metric import warmed


def texts(count: int = 100) -> list[str]:
    """The first so many things that users said, each once."""
    return list(dict.fromkeys(turn.text for gold in starter() for turn in gold.turns if turn.role == "user"))[:count]


def side_by_side(ours: Embedder, plain: Embedder, name: str, repeat: int) -> Figure:
    """CPU milliseconds a text of both; the first pass of each loads its weights and is not counted."""
    said = texts()
    for one in (ours, plain):
        one.embed(said)
    sides = in_turns(lambda: ours.embed(said), lambda: plain.embed(said), repeat=repeat, count=len(said))
    speeds = [f"{1e3 / side:,.0f}" for side in sides]
    return Figure(f"embed, {name}", *sides, "ms", note=f"{speeds[0]} texts a second and core, beside {speeds[1]}")


def traces(agent: str = "altered:paraphrase") -> list[tuple[Dialogue, Trace]]:
    """The starter set, played by an agent whose texts are not the gold's."""
    return [(done.gold, done.trace) for done in play(TOOLTALK, starter(), agent, TextMatch.of("one"))]


def graded(pairs: Iterable[tuple[Dialogue, Trace]], judge: TextMatch) -> list[bool]:
    """Which traces succeed."""
    return [calls(gold, trace, judge)["success"].value == 1.0 for gold, trace in pairs]


def warm_up(name: str, repeat: int) -> Figure:
    """CPU milliseconds a conversation, warmed up and not, each time by a judge that remembers nothing."""
    pairs = traces()
    sides = in_turns(
        lambda: graded(warmed(pairs, judge := TextMatch.of(name)), judge),
        lambda: graded(pairs, TextMatch.of(name)),
        repeat=repeat,
        count=len(pairs),
    )
    return Figure("warm-up", *sides, "ms", note=f"a conversation in other words, graded by {name}")


def here() -> list[Figure]:
    """The figures, taken in this process."""
    try:
        minilm = embedder("minilm")
        minilm.embed([""])
    except BadSetting as missing:
        print(f"without minilm: {missing}", file=sys.stderr)
        return []
    assert isinstance(minilm, MiniLM)
    found = [side_by_side(embedder("lexical"), minilm, "lexical", 4), warm_up("minilm", 4)]
    if missing := [name for name in ("onnx", "onnxruntime") if not find_spec(name)]:
        print(f"without onnxruntime: pip install {' '.join(missing)}", file=sys.stderr)
        return found
    from bench.onnx_encoder import export

    with tempfile.TemporaryDirectory() as scratch:
        return [*found, side_by_side(minilm, MiniLM(export(minilm, Path(scratch))), "minilm", 4)]


def figures() -> list[Figure]:
    """CPU milliseconds a text."""
    done = subprocess.run((sys.executable, "-m", "bench.embedding"), check=True, stdout=subprocess.PIPE, cwd=ROOT)
    return [Figure(**figure) for figure in json.loads(done.stdout)]


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):  # before numpy counts the cores
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(json.dumps([vars(figure) for figure in here()]))
