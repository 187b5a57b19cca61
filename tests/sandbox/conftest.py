"""Both backends where they work; elsewhere their tests are skipped, and say so."""

from __future__ import annotations

import pytest

from toologue.sandbox import monty, zygote

THERE = {"monty": monty.available, "zygote": zygote.available, "auto": zygote.available}


@pytest.fixture(params=["monty", "zygote"])
def backend(request: pytest.FixtureRequest) -> str:
    """One backend after the other."""
    if not THERE[request.param]():
        pytest.skip(f"the backend {request.param} does not work on this machine")
    return request.param


@pytest.fixture
def in_cpython() -> None:
    """Skips where programs cannot run in CPython."""
    if not zygote.available():
        pytest.skip("the backend zygote does not work on this machine")
