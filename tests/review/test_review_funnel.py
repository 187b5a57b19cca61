"""What two reviewers reject of what is generated, how far they agree, and what a check of edges is worth to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Done, toologue
from tests.judge.judge_samples import answer, part
from toologue.models.model import Asked, ScriptedModel
from toologue.plan.api_graph.check import Checked, Verdict
from toologue.review.collect import generated
from toologue.review.funnel import edges_checked, pairs, rejected
from toologue.review.ledger import Ledger
from toologue.review.queue import Queue
from toologue.schema import Api, Edge, Parameter, Similarities
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
    verdicts = [Verdict(valid=n < 6, reason="same thing", stage="meaning") for n in range(10)]
    lines = [Checked(edge=edge, verdict=verdict) for edge, verdict in zip(EDGES, verdicts, strict=True)]
    found = edges_checked(Ledger.of(graph.parent / "reviews"), lines)
    assert (found.hits, found.slips, found.misses, found.rejected) == (5, 1, 1, 3)
    assert found.mcc == pytest.approx(14 / 24)
    checked = graph.parent / "checked.jsonl"
    write(checked, lines)
    said = toologue("review", graph, "--agreement", "--checked", checked, cwd=graph.parent).stdout
    assert figures(said, "the check, by people") == ["10", "83.3 %", "75.0 %", "0.58"]


def figures(said: str, name: str) -> list[str]:
    """n, precision, NPV and MCC under a name."""
    row = next(line for line in said.splitlines() if name in line)
    return [cell.strip() for cell in row.split("│")[2:6]]


class TestJudgedEdges:
    """A judge in place of a person: it accepts the edges of out0 to out4, and is unsure of out9's."""

    @pytest.fixture(autouse=True)
    def forgotten(self) -> None:
        KNOWS.asked.clear()

    def judged(self, graph: Path, *more: object) -> Done:
        return toologue("review", graph, "--judge", "test_review_funnel:KNOWS", *more, cwd=graph.parent)

    def test_each_edge_is_asked_about_once(self, graph: Path) -> None:
        first = self.judged(graph)
        assert "10 questions (APIs by name, their documents where given) go to test_review_funnel:KNOWS" in first.stdout
        assert "5 right, 4 wrong, 1 unsure" in first.stdout
        second = self.judged(graph)
        assert len(KNOWS.asked) == 10
        assert "go to" not in second.stdout
        assert "5 right, 4 wrong, 1 unsure" in second.stdout

    def test_its_decisions_meet_those_of_people(self, graph: Path) -> None:
        """Decided by both but for out9; agreed on 1 to 4 (right), and on 7 and 8 (wrong)."""
        self.judged(graph)
        assert "│ 10 │ 60.0 %" in toologue("judge", "calibrate", cwd=graph.parent).stdout

    def test_a_check_against_the_judge_and_the_judge_against_people(self, graph: Path) -> None:
        """The check keeps 0 to 5. The judge keeps 0 to 4, rejects 5 to 8; people keep 1 to 6.

        Check by judge: 5 of 6 kept rightly, 3 of 3 rejected rightly; MCC (5·3 - 1·0) / √(6·5·3·4) = 15 / √360 = 0.79.
        Judge by people: 4 of 5, 2 of 4; MCC (4·2 - 1·2) / √(5·6·4·3) = 6 / √360 = 0.32.
        """
        self.judged(graph)
        checked = graph.parent / "checked.jsonl"
        verdicts = [Verdict(valid=n < 6, reason="same thing", stage="meaning") for n in range(10)]
        write(checked, [Checked(edge=edge, verdict=one) for edge, one in zip(EDGES, verdicts, strict=True)])
        said = toologue("review", graph, "--agreement", "--checked", checked, cwd=graph.parent).stdout
        assert figures(said, "the check, by test_review_funnel:KNOWS") == ["9", "83.3 %", "100.0 %", "0.79"]
        assert figures(said, "│ test_review_funnel:KNOWS") == ["9", "80.0 %", "50.0 %", "0.32"]

    def test_it_is_shown_what_is_documented_and_that_is_no_part_of_the_key(self, graph: Path) -> None:
        given = {"type": "object", "properties": {"out0": {"type": "string", "x-description": "Which wagon it is."}}}
        taken = {"id": Parameter(schema={"type": "string", "description": "A wagon's number."})}
        apis = [Api(name="a", description="Lists wagons.", returns=given), Api(name="b", parameters=taken)]
        write(graph.parent / "apis.jsonl", apis)
        self.judged(graph, "--apis", "apis.jsonl")
        told = {part(asked, "what is judged"): part(asked, "documents") for asked in KNOWS.asked}
        (of_wagons,) = (documents for said, documents in told.items() if '"out0"' in said)
        assert all(words in of_wagons for words in ("Lists wagons.", "Which wagon it is.", "A wagon's number."))
        self.judged(graph)
        assert len(KNOWS.asked) == 10

    def test_it_is_not_asked_about_what_only_people_can_judge(self, tmp_path: Path) -> None:
        (tmp_path / "returns.md").write_text("1. **End**: say that it is done.")
        done = self.judged(tmp_path / "returns.md")
        assert (done.returncode, "no judge is asked about a procedure" in done.stderr) == (2, True)
        assert "go to" not in done.stdout


def _knows(asked: Asked) -> str:
    number = int(part(asked, "what is judged").split('"output": "out')[1][0])
    return answer(asked, "right" if number < 5 else "wrong" if number < 9 else "unsure")


KNOWS = ScriptedModel(_knows)


def test_whatever_a_suite_holds_can_be_reviewed(tmp_path: Path) -> None:
    assert toologue("generate", "order-not-received", "--count", 2, "-o", "out", cwd=tmp_path).returncode == 0
    kinds = [one.kind for one in generated(tmp_path / "out")]
    assert kinds[:2] == ["procedure", "graph"]
    assert set(kinds[2:]) == {"conversation"}
    (only,) = generated(tmp_path / "out", kinds=["graph"])
    assert "N1" in str(only.said)
