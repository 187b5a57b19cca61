"""Judges of free texts in benchmarks, and measured against labels (`prove verdicts --judge`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from judge_samples import RIGHT, WRONG, answer, calibrated, part

from command import Done, toologue
from toologue.bench.benchmark import benchmark
from toologue.formats.tooltalk import turn_indexes
from toologue.judge.ask_judge import Judge
from toologue.models.model import ScriptedModel
from toologue.review.agreement import Agreement, agreement
from toologue.schema import AgentTurn, Call, Dialogue, Result, UserTurn
from toologue.schema.jsonl import write
from toologue.score.calls import made

LETTER = "figures-for-moira"


@pytest.fixture(autouse=True)
def forgotten() -> None:
    """Nobody was asked before."""
    RIGHT.asked.clear()
    WRONG.asked.clear()


class TestBenchmarks:
    @pytest.fixture
    def letter(self, tmp_path: Path) -> Path:
        """Predictions of one conversation: its letter ends in words that nobody spoke."""
        gold = next(one for one in benchmark("tooltalk").load(None) if one.id == LETTER)
        turns: dict[int | None, list[object]] = {}
        for one in made(gold):
            told = {
                name: f"{text} Thanks, and see you around." if name == "body" else text
                for name, text in (one.call.arguments or {}).items()
            }
            call = {"api_name": one.call.api, "arguments": told}
            turns.setdefault(turn_indexes(gold)[one.round], []).append(call)
        rows = [{"turn_index": at, "calls": calls} for at, calls in turns.items()]
        file = tmp_path / "letter.jsonl"
        file.write_text(json.dumps({"name": LETTER, "predictions": rows}) + "\n")
        return file

    def bench(self, letter: Path, cwd: Path, *more: object) -> Done:
        judge = ("--judge", "judge_samples:RIGHT")
        return toologue("bench", "tooltalk", "--predictions", letter, *judge, *more, cwd=cwd)

    def test_a_judge_informs_beside_the_bracket(self, letter: Path, tmp_path: Path) -> None:
        done = self.bench(letter, tmp_path)
        assert "judge judge_samples:RIGHT would settle 1 of 1\n  success 0.0 to 100.0 → 100.0 %" in done.stdout
        assert "0.0 to 100.0 %" in done.stdout.split("precision")[-1]
        (asked,) = RIGHT.asked
        assert "see you around" in part(asked, "what is judged")
        assert "see you around" not in part(asked, "expected")

    def test_one_that_agrees_with_people_settles(self, letter: Path, tmp_path: Path) -> None:
        calibrated(tmp_path / "reviews", "judge_samples:RIGHT", agree=60)
        done = self.bench(letter, tmp_path, "--json", "found.json", "--reviews", "reviews")
        assert "settles 1 of 1" in done.stdout
        assert json.loads((tmp_path / "found.json").read_text())["totals"]["all"]["scores"]["success"]["best"] == 1.0
        assert json.loads((tmp_path / "found.json").read_text())["totals"]["all"]["scores"]["success"]["value"] == 1.0

    def test_published_graders_ask_nobody(self, letter: Path, tmp_path: Path) -> None:
        assert "judge_samples" not in self.bench(letter, tmp_path, "--mode", "published").stdout

    def test_programs_have_no_judge(self, tmp_path: Path) -> None:
        done = toologue("bench", "dialog2api", "--agent", "gold", "--judge", "judge_samples:RIGHT", cwd=tmp_path)
        assert (done.returncode, "--judge is for tooldial" in done.stderr) == (2, True)


GOLD = Dialogue(
    id="locker",
    instructions="1. **Ask** for the number of the locker.",
    turns=(UserTurn(text="My locker does not open."), AgentTurn(text="What is the number of the locker?")),
)
ROWS = [
    ("same", GOLD.turns[1].text, "right"),
    ("german-1", "Wie lautet die Nummer?", "right"),
    ("german-2", "Welche Nummer hat das Fach?", "right"),
    ("german-3", "Wie heißt die Kundin?", "wrong"),
    ("german-4", "Was steht auf der Nummer?", "debatable"),
]


ASKS = ScriptedModel(
    lambda asked: answer(asked, "right" if "Nummer" in part(asked, "what the agent said") else "wrong")
)


class TestCalibrated:
    def calibrate(self, folder: Path) -> str:
        return toologue("judge", "calibrate", cwd=folder).stdout

    def test_agreement_and_its_interval(self, tmp_path: Path) -> None:
        calibrated(tmp_path / "reviews", "mine:judge", agree=57, differ=3)
        said = self.calibrate(tmp_path)
        assert Judge("mine:judge", RIGHT).who in said
        assert "│ all  │ 60 │ 95.0 % │ 0.90  │ 0.77 to 1.00 │" in said
        assert "gates: n 60, agree 95.0%, kappa 0.90" in said

    def test_fifty_decisions_are_wanted(self, tmp_path: Path) -> None:
        calibrated(tmp_path / "reviews", "mine:judge", agree=49)
        assert "informs only: 49 of 50 decisions of people to compare with" in self.calibrate(tmp_path)

    def test_kinds_stand_apart(self, tmp_path: Path) -> None:
        calibrated(tmp_path / "reviews", "mine:judge", agree=10)
        for file in tmp_path.rglob("*.jsonl"):
            lines = file.read_text().splitlines(keepends=True)
            some = [line.replace('"kind":"reply"', '"kind":"text"') for line in lines[:4]]
            file.write_text("".join([*some, *lines[4:]]))
        rows = [line.split("│")[1:3] for line in self.calibrate(tmp_path).splitlines() if line.startswith("│")]
        assert {kind.strip(): n.strip() for kind, n in rows} == {"all": "10", "reply": "6", "text": "4"}

    @pytest.mark.parametrize("n", [80, 160])
    def test_of_labels_dealt_out_anew_nothing_comes(self, n: int) -> None:
        people, found = ["right", "wrong"] * (n // 2), list[Agreement]()
        for deal in range(50):
            Random(deal).shuffle(people)
            found.append(agreement([*zip(people, ["right", "wrong"] * (n // 2), strict=True)]))
        assert sum(abs(one.kappa or 0) for one in found) / len(found) <= 0.1
        assert not any(one.gates for one in found)

    def test_without_a_judge_there_is_nothing_to_calibrate(self, tmp_path: Path) -> None:
        done = toologue("judge", "calibrate", cwd=tmp_path)
        assert (done.returncode, "has no decisions of a judge" in done.stderr) == (2, True)


RATES = ScriptedModel(lambda asked: "3" if "naturalness" in str(asked) else "2." if "coherence" in str(asked) else "4")


class TestQuality:
    @pytest.fixture
    def dialogues(self, tmp_path: Path) -> Path:
        said = AgentTurn(text="It is open.", action="response")
        write(
            tmp_path / "dialogues.jsonl",
            [GOLD, GOLD.replace(id="shut", turns=(*GOLD.turns, UserTurn(text="L-1"), said))],
        )
        return tmp_path

    def test_criteria_are_means_of_votes_and_what_is_no_number_counts_for_nothing(self, dialogues: Path) -> None:
        command = ("judge", "quality", "dialogues.jsonl", "--judge", "test_judge_benchmarks:RATES", "--votes", 3)
        said = toologue(*command, "--out", "ratings.jsonl", cwd=dialogues).stdout
        assert "│ naturalness │ 2             │ 3.00 │ 0         │" in said
        assert "│ coherence   │ 2             │ 2.00 │ 0         │" in said
        assert "│ efficiency  │ 0             │ –    │ 2         │" in said
        rows = [json.loads(line) for line in (dialogues / "ratings.jsonl").read_text().splitlines()]
        assert rows[2] == {"dialogue": "locker", "criterion": "efficiency", "votes": ["4", "4", "4"]}

    def test_calls_and_what_they_gave_back_are_shown(self, tmp_path: Path) -> None:
        looks_up = AgentTurn(
            acts=(Call(api="get_locker", arguments={"no": 7}),), results=(Result(value={"open": True}),)
        )
        write(tmp_path / "dialogues.jsonl", [GOLD.replace(turns=(*GOLD.turns, UserTurn(text="7"), looks_up))])
        RATES.asked.clear()
        toologue("judge", "quality", "dialogues.jsonl", "--judge", "test_judge_benchmarks:RATES", cwd=tmp_path)
        assert len(RATES.asked) == 30
        assert all('get_locker {"no": 7} → {"open": true}' in asked.messages[0]["content"] for asked in RATES.asked)

    def test_faithful_is_a_share_of_votes_on_responses(self, dialogues: Path) -> None:
        command = ("judge", "quality", "dialogues.jsonl", "--judge", "test_judge_benchmarks:FAITHFUL", "--votes", 4)
        assert "│ faithful    │ 1             │ 0.75 │ 0         │" in toologue(*command, cwd=dialogues).stdout


def _faithful() -> Callable[[object], str]:
    words = iter(["true", "True.", "false", "true"])
    return lambda asked: next(words) if "Is the reply faithful" in str(asked) else "2"


FAITHFUL = ScriptedModel(_faithful())
