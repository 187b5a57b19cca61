"""The folder of published data, where there is one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
SHARED = Path(os.environ.get("TOOLOGUE_SHARED") or REPOSITORY.parent / "shared")
ABSENT = f"the published data is not here: {SHARED} has no such file (set TOOLOGUE_SHARED to a folder that has it)"


def shared_path(*parts: str) -> Path:
    """A file or folder of the published data. Skips the test, saying why, where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{ABSENT}: {'/'.join(parts)}")
    return path
