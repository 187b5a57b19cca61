"""Where a behaviour lives: thirty questions, written before the rooms were made, each with the file that answers it."""

from __future__ import annotations

from pathlib import Path

import yaml

REPOSITORY = Path(__file__).parents[2]
ENTRIES: list[dict[str, str]] = yaml.safe_load((REPOSITORY / "bench/where.yaml").read_text())


def test_there_are_thirty_and_their_files_are_there() -> None:
    assert len({entry["question"] for entry in ENTRIES}) == 30
    gone = [entry["file"] for entry in ENTRIES if not (REPOSITORY / "src/toologue" / entry["file"]).is_file()]
    assert gone == []


def test_the_architecture_ends_with_them() -> None:
    table = (REPOSITORY / "docs/architecture.md").read_text().partition("## Where is …\n")[2]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    questions = [entry["question"].removeprefix("Where ").replace("](", "]&#40;") for entry in ENTRIES]
    assert rows == [f"| {question} | `{entry['file']}` |" for question, entry in zip(questions, ENTRIES, strict=True)]
