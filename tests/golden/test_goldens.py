"""What cheap commands write is what was blessed; `python -m tests.golden check` runs all of them."""

from __future__ import annotations

import pytest

from golden.entries import ENTRIES
from golden.harness import OUTPUTS, absent, difference, run


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if entry.quick])
def test_outputs_are_those_that_were_blessed(name: str) -> None:
    if absent(name):
        pytest.skip(f"the published data is not here: {absent(name)}")
    outputs, _ = run(name)
    assert not difference(name, outputs)


def test_every_entry_is_blessed() -> None:
    assert {file.stem for file in OUTPUTS.iterdir()} == set(ENTRIES)
