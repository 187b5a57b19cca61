"""What two reviewers reject of what is generated, how far they agree, and what a check of edges is worth to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import toologue
from toologue.plan.api_graph.check import Checked, Verdict
from toologue.review.collect import generated
from toologue.review.funnel import edges_checked, pairs, rejected
from toologue.review.ledger import Ledger
from toologue.review.queue import Queue
from toologue.schema import Edge, Similarities
from toologue.schema.jsonl import write

UNKNOWN = Similarities(lcs=0, keyword=0, description=0)
EDGES = [Edge(source="a", output=f"out{n}", target="b", parameter="id", similarity=UNKNOWN) for n in range(10)]


def reviewed(file: Path, who: str, verdicts: str) -> None:
    """`verdicts`: a for accepted, r for rejected, in the order of the file."""
    queue = Queue(generated(file), who, file.parent / "reviews")
    for one in verdicts:
        queue.decide("right" if one == "a" else "wrong")


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Ten edges: ana rejects the last three; ben the last one and the first."""
    file = tmp_path / "graph.jsonl"
    write(file, EDGES)
    reviewed(file, "ana", "aaaaaaarrr")
    reviewed(file, "ben", "raaaaaaaar")
    return file


def test_what_either_rejects_is_dropped(graph: Path) -> None:
    ledger = Ledger.of(graph.parent / "reviews")
    assert [(one.who, one.n, one.rejected) for one in rejected(ledger)] == [("ana", 10, 3), ("ben", 10, 2), ("", 10, 4)]


def test_kappa_is_what_a_hand_computes(graph: Path) -> None:
    """They agree on 7 of 10; by chance on 0.7 · 0.8 + 0.3 · 0.2 = 0.62: (0.7 - 0.62) / 0.38 = 0.21."""
    (pair,) = pairs(Ledger.of(graph.parent / "reviews"))
    assert (pair.one, pair.other, pair.kind, pair.agreement.n) == ("ana", "ben", "edge", 10)
    assert pair.agreement.share == pytest.approx(0.7)
    assert pair.agreement.kappa == pytest.approx(0.08 / 0.38)
    assert pair.agreement.low is not None
    assert pair.agreement.low < 0.21 < (pair.agreement.high or 0)


def test_a_check_of_edges_against_people(graph: Path) -> None:
    """People keep edges 1 to 6. The check keeps 0 to 5: it has 5 of 6 right, and rejects 3 of 4 rightly.

    MCC: (5 · 3 - 1 · 1) / √(6 · 6 · 4 · 4) = 14 / 24.
    """
    verdicts = [Verdict(valid=n < 6, reason="judged", stage="model") for n in range(10)]
    lines = [Checked(edge=edge, verdict=verdict) for edge, verdict in zip(EDGES, verdicts, strict=True)]
    found = edges_checked(Ledger.of(graph.parent / "reviews"), lines)
    assert (found.hits, found.slips, found.misses, found.rejected) == (5, 1, 1, 3)
    assert found.mcc == pytest.approx(14 / 24)
    checked = graph.parent / "checked.jsonl"
    write(checked, lines)
    said = toologue("review", graph, "--agreement", "--checked", checked, cwd=graph.parent).stdout
    row = next(line for line in said.splitlines() if "checked.jsonl" in line)
    assert [cell.strip() for cell in row.split("│")[2:6]] == ["10", "83.3%", "75.0%", "0.58"]


def test_whatever_a_suite_holds_can_be_reviewed(tmp_path: Path) -> None:
    assert toologue("generate", "order-not-received", "--count", 2, "-o", "out", cwd=tmp_path).returncode == 0
    kinds = [one.kind for one in generated(tmp_path / "out")]
    assert kinds[:2] == ["procedure", "graph"]
    assert set(kinds[2:]) == {"conversation"}
    (only,) = generated(tmp_path / "out", kinds=["graph"])
    assert "N1" in str(only.said)
