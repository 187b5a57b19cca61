"""Where processes cannot be sealed, tests of what runs in them are skipped, and say so."""

from __future__ import annotations

import pytest
from shelf import seals


@pytest.fixture(scope="session")
def sealed() -> None:
    """Skips where programs cannot run."""
    if not seals():
        pytest.skip("this machine seals no processes")
