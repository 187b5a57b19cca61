"""`python -m bench.players` where an embedder's weights are not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.players import main


def test_it_says_in_a_line_what_is_missing_and_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["players", "--embedder", f"minilm:{tmp_path}"])
    with pytest.raises(SystemExit, match=r"is not there: .*; make minilm .*--embedder lexical"):
        main()
