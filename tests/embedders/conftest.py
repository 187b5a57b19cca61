"""What tests of embedders share: a tiny encoder on disk, and a loud word about what was skipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_encoder import NO_TOKENIZERS, NO_WEIGHTS, WORDS, write_safetensors, write_tokenizer

from toologue.models.bert import tiny_weights


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A directory with an encoder of width 8, two layers, random weights."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    weights = tiny_weights(np.random.default_rng(7), vocabulary=len(WORDS), width=8, layers=2, longest=300)
    places = {"embeddings.position_ids": np.arange(300)}
    write_safetensors(folder / "model.safetensors", {**weights, **places}, __metadata__={"format": "pt"})
    write_tokenizer(folder / "tokenizer.json")
    config = {"hidden_size": 8, "num_attention_heads": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for what in (NO_TOKENIZERS, NO_WEIGHTS):
        skipped = sum(what in str(report.longrepr) for report in terminalreporter.stats.get("skipped", []))
        if skipped:
            terminalreporter.write_line(f"{skipped} tests SKIPPED: {what}", yellow=True, bold=True)
