"""The table of what names mean: each row has an example."""

from __future__ import annotations

import pytest

from toologue.text.names import examples, kind_of, owners_said


@pytest.mark.parametrize("kind", examples())
def test_a_kind_is_what_its_example_is(kind: str) -> None:
    assert kind_of(tuple(examples()[kind].split("|"))) == kind


def test_what_an_id_is_of_is_said_as_often_as_it_is_asked() -> None:
    first, again = (list(owners_said("The id of the home team.")) for _ in range(2))
    assert ["home", "team"] in first
    assert first == again
