"""The table of what names mean: each row has an example."""

from __future__ import annotations

import pytest

from toologue.text.names import examples, kind_of


@pytest.mark.parametrize("kind", examples())
def test_a_kind_is_what_its_example_is(kind: str) -> None:
    assert kind_of(tuple(examples()[kind].split("|"))) == kind
