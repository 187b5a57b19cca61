"""`toologue generate`, `plan procedures|graph|paths`, `write`, `verify`, as they are typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from generate_samples import written

from toologue import cli
from toologue.formats.flow import read_flow_text
from toologue.schema import Dialogue, Plan, Walk
from toologue.schema.jsonl import read
from toologue.schema.jsonl import write as write_lines


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: object) -> int:
    return cli.status(list(map(str, arguments)))


@pytest.fixture
def library(tmp_path: Path) -> tuple[object, ...]:
    """A procedure of one's own, and the options that say what its calls are made to."""
    file, document, rows = written(tmp_path)
    return file, "--service", document, "--rows", rows


def test_generate_verify_and_spoil(
    library: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "suite"
    assert run("generate", *library, "-o", out, "--count", 6) == 0
    said = capsys.readouterr().out
    assert "6 conversations" in said
    assert "auto-ALMITA" in said
    assert json.loads((out / "statistics.json").read_text())["conversations"] == 6

    assert run("verify", out) == 0
    assert "6 of 6 are valid" in capsys.readouterr().out

    dialogues = list(read(out / "dialogues.jsonl", Dialogue))
    turns = list(dialogues[0].turns)
    last = max(place for place, turn in enumerate(turns) if turn.role == "agent")
    turns[last] = turns[last].replace(text="It costs 4,711 euros.")
    write_lines(out / "dialogues.jsonl", [dialogues[0].replace(turns=tuple(turns)), *dialogues[1:]])
    assert run("verify", out, "--json", tmp_path / "flaws.json") == 1
    assert "5 of 6 are valid" in capsys.readouterr().out
    assert json.loads((tmp_path / "flaws.json").read_text())[0]["rule"] == "supported"


def test_the_stages_one_by_one_make_what_generate_makes(library: tuple[object, ...], tmp_path: Path) -> None:
    options = ("--count", 5, "--seed", 4)
    assert run("generate", *library, "-o", tmp_path / "suite", *options) == 0
    assert run("plan", "procedures", *library, "-o", tmp_path / "plans.jsonl", *options) == 0
    assert run("write", tmp_path / "plans.jsonl", "-o", tmp_path / "dialogues.jsonl", "--seed", 4) == 0
    for name in ("plans.jsonl", "dialogues.jsonl"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "suite" / name).read_bytes()
    assert len(list(read(tmp_path / "plans.jsonl", Plan))) == 5
    assert run("verify", tmp_path / "dialogues.jsonl", "--graphs", tmp_path / "suite" / "graphs.jsonl") == 0


def test_a_graph_as_flow_text_and_as_a_flowchart(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plan", "graph", "order-not-received") == 0
    talk = read_flow_text(capsys.readouterr().out)
    assert run("plan", "graph", "order-not-received", "--flow", "--mermaid") == 0
    assert capsys.readouterr().out.startswith("flowchart TD\n    N0([")
    assert talk.kind == "conversation_graph"


def test_paths_and_what_they_do_not_see(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "walks.jsonl"
    assert run("plan", "paths", "order-not-received", "--goal", "edges", "-o", out) == 0
    assert "41/41" in capsys.readouterr().out
    assert run("plan", "paths", "order-not-received", "--sampler", "weighted", "--count", 2) == 0
    assert "not seen" in capsys.readouterr().out
    assert {walk.graph for walk in read(out, Walk)} == {"order-not-received"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("generate", "order-not-recieved", "-o", "X"), "did you mean 'order-not-received'"),
        (("generate", "mine.md", "-o", "X"), "Give --service"),
        (("generate", "mine.md", "-o", "X", "--service", "shop"), "cannot read mine.md"),
        (("generate", "shop", "-o", "X", "--noise", "3"), "noise is 3.0"),
        (("generate", "shop", "-o", "X", "--workers", "0"), "--workers 0: give 1 or more"),
        (("generate", "shop", "-o", "X", "--rows", "rows.yaml"), "for a --service of yours"),
        (("plan", "graph", "nothing.mmd"), "cannot read nothing.mmd"),
        (("plan", "graph", "order"), "no procedure is called 'order'"),
        (("plan", "paths", "order-not-received", "--count", "0"), "--count 0: give 1 or more"),
        (("write", "plans.jsonl", "-o", "X"), "cannot read plans.jsonl"),
        (("verify", "nothing.jsonl"), "cannot read nothing.jsonl"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err
    assert not any(left.is_file() for left in tmp_path.rglob("*"))


def test_graphs_of_other_procedures_are_refused(
    library: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "suite"
    assert run("generate", *library, "-o", out, "--count", 2) == 0
    (out / "graphs.jsonl").write_text((out / "graphs.jsonl").read_text().replace("renew-a-loan", "another"))
    assert run("verify", out / "dialogues.jsonl", "--graphs", out / "graphs.jsonl") == 2
    assert "none of these graphs" in capsys.readouterr().err


def test_operations_of_the_service_are_chosen_and_an_overlay_lies_beside_it(
    library: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    procedure, _, document, *_ = library
    called = sorted(set(re.findall(r"operationId: (\w+)", Path(str(document)).read_text())))
    assert run("generate", *library, "-o", tmp_path / "made", "--count", 1, "--only", "*") == 0
    assert run("generate", *library, "-o", tmp_path / "none", "--exclude", called[0]) == 2
    assert called[0] in capsys.readouterr().err, "the procedure calls what is not there"
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(f"operations: {{{called[0]}: {{x-unheard-of: 1}}, nowhere: {{}}}}")
    assert run("plan", "procedures", *library, "-o", tmp_path / "plans.jsonl", "--overlay", overlay) == 2
    assert "'nowhere'" in capsys.readouterr().err
    assert run("generate", procedure, "--service", document, "-o", tmp_path / "x", "--only", "nothing_*") == 2
    assert "--only 'nothing_*' fits nothing" in capsys.readouterr().err
