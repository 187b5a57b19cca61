"""Every loader: what it reads it reads in time that grows as the file does; all else it refuses, in a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import growth, strange
from tests.loaders import Loader, loaders


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Loader]:
    return loaders(tmp_path_factory.mktemp("beside"))


def test_each_accepts_its_sample(tmp_path: Path, known: dict[str, Loader]) -> None:
    for loader in known.values():
        (file := tmp_path / loader.file).write_bytes(loader.sample)
        loader.load(file)
        file.unlink()


def test_a_mutant_is_accepted_or_refused_in_a_few_lines() -> None:
    counts, wrong = strange(400, seed=7)
    assert wrong == []
    assert min(counts["accepted"], counts["refused"]) > 50


def test_time_grows_as_the_file_does() -> None:
    """CPU at n and at 4 n, with room for a machine that does something else."""
    assert [(name, few, many) for name, few, many in growth() if many > 8 * max(few, 0.05)] == []
