"""The chains line from the command line: each stage by itself, and what each says of files that are wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from chains_dataset_samples import service

from command import toologue
from toologue import evaluate
from toologue.cli import status
from toologue.errors import UserError
from toologue.schema import Api, Dialogue
from toologue.schema.jsonl import read, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every stage, one after the other."""
    home = tmp_path_factory.mktemp("stages")
    write(home / "tools.jsonl", service())
    tools, graph, checked, plans = (str(home / f"{name}.jsonl") for name in ("tools", "graph", "checked", "plans"))
    assert status(["apis", tools, "-o", str(home / "apis.jsonl"), "--describe", "template"]) == 0
    apis = str(home / "apis.jsonl")
    assert status(["graph", "build", apis, "-o", graph]) == 0
    assert status(["graph", "check", graph, apis, "-o", checked, "--sample", "20"]) == 0
    assert (
        status(["plan", "chains", graph, apis, "-o", plans, "--count", "48", "--most", "1", "--checked", checked]) == 0
    )
    assert status(["write", plans, "-o", str(home / "dialogues.jsonl")]) == 0
    return home


def test_what_was_written_is_valid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count = len(list(read(folder / "dialogues.jsonl", Dialogue)))
    assert count > 5
    assert status(["verify", str(folder)]) == 0
    assert status(["verify", str(folder), "--embedder", "lexical"]) == 0
    assert f"{count} of {count} are valid" in capsys.readouterr().out


def test_a_wrong_answer_is_found(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = list(read(folder / "dialogues.jsonl", Dialogue))
    at, turn = next(
        (place, turn) for one in lines[:1] for place, turn in enumerate(one.turns) if turn.role == "agent" and turn.text
    )
    turns = (*lines[0].turns[:at], turn.replace(text="It is 90210, from Zanzibar."), *lines[0].turns[at + 1 :])
    (tmp_path / "apis.jsonl").write_bytes((folder / "apis.jsonl").read_bytes())
    write(tmp_path / "dialogues.jsonl", [lines[0].replace(turns=turns), *lines[1:]])
    assert status(["verify", str(tmp_path / "dialogues.jsonl")]) == 1
    assert f"{len(lines) - 1} of {len(lines)} are valid" in capsys.readouterr().out


def test_checked_edges_say_what_they_rest_on(folder: Path) -> None:
    """`plan chains --checked` takes the edges that hold, and these alone."""
    verdicts = [json.loads(line)["verdict"] for line in (folder / "checked.jsonl").read_text().splitlines()]
    assert all(verdict["reason"] and verdict["stage"] for verdict in verdicts)
    assert any(verdict["valid"] for verdict in verdicts)


def test_graph_check_measures_itself_against_labels(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edges = [json.loads(line) for line in (folder / "checked.jsonl").read_text().splitlines()]
    keys = ("source", "output", "target", "parameter")
    rows = [{key: one["edge"][key] for key in keys} | {"label": one["verdict"]["valid"]} for one in edges]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [
        "graph",
        "check",
        str(folder / "graph.jsonl"),
        str(folder / "apis.jsonl"),
        "-o",
        str(tmp_path / "c.jsonl"),
    ]
    assert status([*command, "--labels", str(tmp_path / "labels.jsonl")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"of {len(edges)} edges hold" in said
    assert "labels: 100.0 % of the true ones kept" in said


def test_gold_is_right_and_mutants_are_caught(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, page = ["--data", str(folder)], tmp_path / "page.html"
    assert status(["prove", "tooldial", *data]) == 0
    assert "gold: 100.0%" in capsys.readouterr().out
    results = tmp_path / "r.json"
    agents = ["--agent", "gold", "--agent", "retrieve", "--task", "action", "--labels", "none"]
    assert status(["bench", "tooldial", *agents, *data, "--json", str(results), "--html", str(page)]) == 0
    agents = json.loads(results.read_text())["agents"]
    gold, retrieve = (one["parts"][0]["totals"]["all"]["scores"]["action accuracy"]["value"] for one in agents)
    assert gold == 1.0
    assert 0.5 < retrieve <= 1.0
    assert "F1 of each action" in page.read_text()


def test_python_gives_what_the_command_gives(folder: Path) -> None:
    every = evaluate("retrieve", "tooldial", data=folder)
    assert {"state accuracy", "action accuracy", "grounded", "user turn right"} <= {*every.metrics}
    assert "state accuracy (dst, gold)" in every.metrics, "plain names are of hidden labels"
    states = evaluate("retrieve", "tooldial", data=folder, task="dst", labels="gold")
    assert states["state accuracy"].value == every["state accuracy (dst, gold)"].value
    assert "grounded" not in states.metrics
    assert evaluate("gold", "tooltalk", mode="published", limit=2)["success"].value == 1.0
    with pytest.raises(UserError, match="graded in mode fixed alone"):
        evaluate("gold", "tooldial", data=folder, mode="published")


def test_the_flat_text_is_for_training_and_the_benchmark_says_what_it_reads(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "flat.jsonl"
    assert status(["export", str(folder), "--to", "tooldial", "-o", str(out)]) == 0
    done = toologue("bench", "tooldial", "--agent", "gold", "--data", out, cwd=tmp_path)
    assert (done.returncode, "give the dialogues.jsonl that it was exported from" in done.stderr) == (2, True)
    done = toologue("bench", "tooldial", "--agent", "gold", "--data", folder, "--labels", "none", cwd=tmp_path)
    assert done.returncode == 0


def test_conversations_are_shown_from_another_folder(folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "data"
    shutil.copytree(folder, copied)
    lines = (copied / "dialogues.jsonl").read_text().splitlines()
    one = json.loads(lines[0])
    one["world"]["arguments"]["apis"] = "elsewhere/apis.jsonl"
    (copied / "dialogues.jsonl").write_text(json.dumps(one) + "\n")
    shown = toologue("show", "data/dialogues.jsonl", cwd=tmp_path)
    assert (shown.returncode, "LOOKS FOR" in shown.stdout, "AGENT" in shown.stdout) == (0, True, True)


@pytest.mark.parametrize(
    "command",
    [
        ["graph", "check"],
        ["verify"],
        ["bench", "tooldial", "--agent", "gold", "--data"],
        ["prove", "tooldial", "--data"],
    ],
)
def test_an_empty_file_is_said_to_be_one(
    command: list[str], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nothing.jsonl").write_text("")
    rest = [str(folder / "apis.jsonl"), "-o", str(tmp_path / "c.jsonl")] if command[0] == "graph" else []
    code = status([*command, str(tmp_path / "nothing.jsonl"), *rest])
    said = capsys.readouterr()
    assert (code == 2 and "nothing.jsonl" in said.err) or (code == 0 and "0 of 0 edges hold" in said.out)


def test_a_file_of_something_else_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where, and what; and nothing is written over."""
    kept = tmp_path / "plans.jsonl"
    kept.write_text("mine\n")
    assert status(["plan", "chains", str(folder / "apis.jsonl"), str(folder / "apis.jsonl"), "-o", str(kept)]) == 2
    assert "apis.jsonl:1" in capsys.readouterr().err
    assert kept.read_text() == "mine\n"


def test_generate_says_what_of_a_document_is_read_and_writes_shared_schemas_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Documents are read in another process, a part of the Apis at a time."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "tools.jsonl", service())
    shared = {"type": "object", "properties": {"isle": {"type": "string", "description": "Where it lies. " * 20}}}
    answer = {"200": {"description": "", "content": {"application/json": {"schema": shared}}}}
    paths = {f"/isles{n}": {"get": {"operationId": f"isle_{n}", "responses": answer}} for n in range(150)}
    paths["/lost/{isle}"] = {"get": {"operationId": "lost", "responses": answer}}
    (tmp_path / "isles.json").write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))
    made = ("tools.jsonl", "isles.json", "-o", "set", "--count", "4", "--most", "1", "--workers", "2")
    assert status(["generate", "chains", *made, "--log-json", "log.jsonl"]) == 0
    assert "isles.json: 150 of 151 operations read; 1 left out:" in capfd.readouterr().err
    lines = (tmp_path / "set" / "apis.jsonl").read_text().splitlines()
    assert sum("Where it lies" in line for line in lines) == 1
    assert sum("Where it lies" in str(one.returns) for one in read(tmp_path / "set" / "apis.jsonl", Api)) == 150
    events = [json.loads(line)["event"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert events.count("read") == 1


def test_where_a_models_words_stay_wrong_the_templates_stand_and_each_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    babbling = "from toologue.models.model import ScriptedModel\nbabbling = ScriptedModel(lambda asked: 'Good day.')\n"
    (tmp_path / "chain_models.py").write_text(babbling)
    monkeypatch.syspath_prepend(tmp_path)
    command = ["generate", "chains", str(folder / "apis.jsonl"), "--count", "6", "--most", "1", "-o"]
    assert status([*command, str(tmp_path / "plain")]) == 0
    capsys.readouterr()
    assert status([*command, str(tmp_path / "made"), "--writer", "chain_models:babbling"]) == 0
    plain, made = (list(read(tmp_path / name / "dialogues.jsonl", Dialogue)) for name in ("plain", "made"))
    assert [one.turns for one in made] == [one.turns for one in plain]
    assert all("there was no JSON array of texts" in str(one.origin["instead"]) for one in made)
    said = capsys.readouterr().out
    assert f"{len(made)} with the template's words, since the model's were not valid:" in said
    assert f"  {made[0].id}: the words for plan" in said


def test_good_words_of_a_model_stand_in_a_dataset(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["generate", "chains", str(folder / "apis.jsonl"), "--count", "6", "--most", "1", "-o"]
    assert status([*command, str(tmp_path / "plain")]) == 0
    echo = f"""
import json
from pathlib import Path
from toologue.models.model import ScriptedModel
from toologue.schema import Dialogue
from toologue.schema.jsonl import read
file = Path({str(tmp_path / "plain" / "dialogues.jsonl")!r})
known = [[turn.text for turn in one.turns if turn.text] for one in read(file, Dialogue)]
def said(asked):
    text = str(asked.messages[0]["content"])
    return json.dumps(next((texts for texts in known if f"word for word: «{{texts[0]}}»" in text), []))
echoing = ScriptedModel(said)
"""
    (tmp_path / "echoing_models.py").write_text(echo)
    monkeypatch.syspath_prepend(tmp_path)
    assert status([*command, str(tmp_path / "made"), "--writer", "echoing_models:echoing"]) == 0
    made = list(read(tmp_path / "made" / "dialogues.jsonl", Dialogue))
    assert "scripted" in {str(one.origin["writer"]) for one in made}
