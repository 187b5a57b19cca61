"""What tests of embedders share: a tiny encoder on disk, and a loud word about what was skipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_encoder import HEADS, LONGEST, NO_WEIGHTS, WIDTH, random_weights, write_safetensors, write_tokenizer


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A directory with an encoder of width 32, two layers, random weights."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    weights = random_weights(np.random.default_rng(7))
    places = {"embeddings.position_ids": np.arange(LONGEST)}
    write_safetensors(folder / "model.safetensors", {**weights, **places}, __metadata__={"format": "pt"})
    write_tokenizer(folder / "tokenizer.json")
    config = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "hidden_act": "gelu", "layer_norm_eps": 1e-12}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = sum(NO_WEIGHTS in str(report.longrepr) for report in terminalreporter.stats.get("skipped", []))
    if skipped:
        terminalreporter.write_line(f"{skipped} tests SKIPPED: {NO_WEIGHTS}", yellow=True, bold=True)
