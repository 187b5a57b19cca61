"""A judge that was answered by hand, replayed: what it decides of replies and calls that others labelled.

The answers are those of a session of a language model that saw the requests alone, no labels and no rules.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from bench.labelled_arguments import OPEN_CALLS, graded_arguments
from toologue.bench.prove import OPEN_SET, Graded, graded_replies
from toologue.judge.ask_judge import Judge
from toologue.models.similarity import TextMatch
from toologue.review.judging import Judging
from toologue.review.ledger import Collector, Ledger, Trusting

EXCHANGE = Path(__file__).with_name("exchange.jsonl")
SPEC = "openai:reader"
EVERY = 7


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Every seventh of the labelled replies and calls that ship."""
    (tmp_path / "dialogues.jsonl.gz").write_bytes((OPEN_SET / "dialogues.jsonl.gz").read_bytes())
    for name, file in (("replies", OPEN_SET / "replies.jsonl.gz"), ("arguments", OPEN_CALLS)):
        lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(lines[::EVERY]))
    return tmp_path


def graded(folder: Path, match: TextMatch) -> list[Graded]:
    """The rows of a folder, those that a careful reader would call debatable left out."""
    rows = [*graded_replies(folder, match), *graded_arguments(folder / "arguments.jsonl", None, match)]
    return [row for row in rows if row.label != "debatable"]


def judged(sample: Path, judge: Judge) -> tuple[int, list[Graded]]:
    """How many questions a judge is asked, and the rows with its word for what rules leave open."""
    judging, match = Judging(judge, sample / "reviews"), TextMatch.of("lexical")
    asked = Collector(Trusting(Ledger(), judge.who, strict=True))
    graded(sample, replace(match, reader=asked))
    judging.ask(asked.questions.values())
    return len(asked.questions), graded(sample, replace(match, reader=Trusting(judging.ledger, judge.who, strict=True)))


def test_it_agrees_with_the_labels(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLOGUE_REPLAY", str(EXCHANGE))
    asked, rows = judged(sample, Judge.of(SPEC))
    wrong = [row.id for row in rows if row.verdict not in (row.label, "unsure")]
    assert asked == 73
    assert len(wrong) <= 0.05 * len(rows), wrong
    assert not [row.id for row in rows if row.verdict == "unsure"]
