"""Many rows in one test: all run, those that fail are named, fixtures still come."""

from __future__ import annotations

from pathlib import Path

import pytest

from each_row import each_row

SEEN: list[int] = []


@each_row("number", [1, 2, 3])
def test_every_row_is_run_and_fixtures_are_given(number: int, tmp_path: Path) -> None:
    assert tmp_path.is_dir()
    SEEN.append(number)
    assert number == len(SEEN)


@each_row(("word", "size"), [("a", 1), ("bb", 2)])
class TestOfAClass:
    def test_one(self, word: str, size: int) -> None:
        assert len(word) == size

    def test_other(self, word: str, size: int) -> None:
        assert word * size


def test_all_that_fail_are_named() -> None:
    @each_row(("name", "number"), [("one", 1), ("none", 0), ("two", 2), ("five", 5)], ids=lambda row: row[0])
    def halves(name: str, number: int) -> None:
        if number == 5:
            pytest.fail("five is too many")
        assert 2 % number == 0, name
        assert number == 2, "is odd"

    with pytest.raises(AssertionError) as failed:
        halves()
    first, *rows = [line for line in str(failed.value).splitlines() if line.startswith(("[", "3 of"))]
    assert first == "3 of 4 rows fail:"
    assert [row.split("]")[0] for row in rows] == ["[one", "[none", "[five"]
    assert "AssertionError: is odd" in rows[0]
    assert "ZeroDivisionError: " in rows[1]
    assert rows[2].endswith("Failed: five is too many")


def test_there_must_be_rows() -> None:
    with pytest.raises(AssertionError, match="no rows"):
        each_row("number", [])
