"""Generated suites can fail: wrong steps of every kind are caught, right ones in other words are not."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from command import toologue
from toologue.agents.agent import resolve_agent
from toologue.bench.benchmark import Options, benchmark, play
from toologue.bench.prove import OPEN_SET, Label, flaws_of, labelled, prove_replies, prove_step
from toologue.cli import app
from toologue.errors import BadSetting, UnknownName
from toologue.models.similarity import TextMatch
from toologue.mutate.steps import RIGHT_STEPS, WRONG_STEPS, missteps
from toologue.project.generate import Making, generate, shipped, write_suite
from toologue.project.statistics import Made
from toologue.schema import AgentTurn, Dialogue
from toologue.schema.jsonl import write
from toologue.worlds.world import documents_of

KINDS = [*WRONG_STEPS, *RIGHT_STEPS]
LEXICAL = TextMatch.of("lexical")


@cache
def made() -> list[Made]:
    return list(generate(shipped("order-not-received", "change-delivery-address"), Making(count=0, noise=0.4, seed=5)))


def suite() -> list[Dialogue]:
    return [dialogue for one in made() for dialogue in one.dialogues]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_told_apart(kind: str) -> None:
    proof = prove_step(benchmark("almita"), suite(), kind, LEXICAL)
    assert proof.took > 0, f"{kind} applies nowhere"
    assert proof.accepted, proof.missed


def test_every_conversation_is_valid() -> None:
    assert list(flaws_of(suite())) == []


def guessing() -> Dialogue:
    """A conversation whose first call is made with what nobody has said."""
    gold = next(d for d in suite() if any(isinstance(t, AgentTurn) and t.acts for t in d.turns))
    at = next(n for n, turn in enumerate(gold.turns) if isinstance(turn, AgentTurn) and turn.acts)
    turn = gold.turns[at]
    assert isinstance(turn, AgentTurn)
    (call,) = turn.acts
    assert call.kind == "call"
    other = turn.replace(acts=(call.replace(arguments=dict.fromkeys(call.arguments or {}, "O-00000")),))
    return gold.replace(turns=(*gold.turns[:at], other, *gold.turns[at + 1 :]))


def test_an_argument_that_nobody_can_know_is_a_flaw() -> None:
    assert "arguments" in {flaw.rule for _, flaw in flaws_of([guessing()])}


@pytest.mark.parametrize("kind", KINDS)
def test_a_misstep_is_another_step_and_the_same_every_time(kind: str) -> None:
    for gold in suite()[:6]:
        taken = missteps(gold, documents_of(gold), kind, seed=1)
        assert taken == missteps(gold, documents_of(gold), kind, seed=1)
        for at, turn in taken.items():
            wanted = gold.turns[at]
            assert isinstance(wanted, AgentTurn)
            assert (turn.text, str(turn.acts)) != (wanted.text, str(wanted.acts))


def test_it_plays_like_any_other_agent() -> None:
    graded = play(benchmark("almita"), suite()[:4], "misstep:silence", LEXICAL, Options())
    assert [g.scores["test correct"].value for g in graded] == [0.0] * 4


def test_kinds_are_asked_for_by_name() -> None:
    with pytest.raises(BadSetting, match="misstep:KIND with one of drop, "):
        resolve_agent("misstep")
    with pytest.raises(UnknownName, match="no misstep is called 'lea'; did you mean 'leak'"):
        resolve_agent("misstep:lea")


def test_gold_of_a_conversation_without_cues_can_be_spoilt_too() -> None:
    bare = [
        d.replace(turns=tuple(t.replace(extra={}, node=None) for t in d.turns), instructions="") for d in suite()[:4]
    ]
    for kind in KINDS:
        prove_step(benchmark("almita"), bare, kind, LEXICAL)


# the command ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_suite(tmp_path, [replace(made()[0], dialogues=made()[0].dialogues[:12])])
    return tmp_path


def test_prove_a_folder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.json"
    assert app()(["prove", str(folder), "--json", str(file)], result_action="return_value") == 0
    shown = capsys.readouterr().out
    assert "gold: 100.0%" in shown
    found = json.loads(file.read_text())
    assert [row["kind"] for row in found["alterations"]] == [*KINDS, "wrong replies", "right replies"]
    assert (found["gold"], found["invalid"]) == (1.0, [])


def test_a_suite_that_is_not_valid_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "dialogues.jsonl", [guessing()])
    assert app()(["prove", str(folder), "--gold"], result_action="return_value") == 1
    assert "not valid: " in capsys.readouterr().out


def test_replies_of_one_s_own_can_fail_the_proof(folder: Path, tmp_path: Path) -> None:
    """Labels that are the other way round: what is right is called wrong."""
    mine = tmp_path / "mine"
    mine.mkdir()
    shutil.copy(OPEN_SET / "dialogues.jsonl.gz", mine)
    other = {"right": "wrong", "wrong": "right"}
    write(mine / "replies.jsonl", [row.replace(label=other[row.label]) for row in labelled(OPEN_SET)])
    proved = app()(["prove", str(folder), "--replies", str(mine)], result_action="return_value")
    assert (proved, app()(["prove", str(folder)], result_action="return_value")) == (1, 0)


def test_replies_that_are_all_unsure_show_nothing(folder: Path, tmp_path: Path) -> None:
    """Nobody can tell whether they are right: neither that the suite can fail, nor that it cannot."""
    mine = tmp_path / "mine"
    mine.mkdir()
    shutil.copy(OPEN_SET / "dialogues.jsonl.gz", mine)
    german = next(labelled(OPEN_SET)).replace(text="Würden Sie mir bitte sagen, worum es geht, und was ich tun soll?")
    labels: tuple[Label, ...] = ("wrong", "right")
    write(mine / "replies.jsonl", [german.replace(id=label, label=label) for label in labels])
    assert [(one.took, one.unsure, one.accepted) for one in prove_replies(mine, LEXICAL)] == [(1, 1, None)] * 2
    done = toologue("prove", folder, "--replies", mine, cwd=tmp_path)
    said = [line for line in done.stdout.splitlines() if " replies " in line]
    assert (done.returncode, ["unsure, shows nothing" in line for line in said]) == (0, [True, True])


def test_bench_shows_the_columns_of_table_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app()(["bench", "almita", "--data", str(folder), "--agent", "gold"], result_action="return_value")
    shown = " ".join(capsys.readouterr().out.split())
    assert all(word in shown for word in ("reply", "recall", "parameters", "conversation", "100.0 %"))


def test_bench_has_no_predictions_here(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="'almita' has no predictions made elsewhere"):
        app()(["bench", "almita", "--data", str(folder), "--predictions", "x"], result_action="return_value")
