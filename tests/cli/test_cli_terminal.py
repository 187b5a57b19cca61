"""The one place where data meets the terminal: what would steer it is shown as escapes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from command import toologue
from toologue.cli.terminal import say, say_first, table
from toologue.schema import AgentTurn, Api, Dialogue, Edge, Parameter, Similarities, UserTurn
from toologue.schema.jsonl import write

EVIL = "\x1b]0;title\x07\x1b[2Jx\u202e"
APIS = [Api(name=f"A{EVIL}", description=EVIL, parameters={f"p{EVIL}": Parameter(required=True)}), Api(name="B")]
EDGE = Edge(
    source=APIS[0].name,
    output=f"o{EVIL}",
    target="B",
    parameter="q",
    similarity=Similarities(lcs=1, keyword=1, description=1),
)
SAID = Dialogue(id=f"d{EVIL}", turns=(UserTurn(text=EVIL), AgentTurn(text=EVIL)), origin={"procedure": EVIL})
STEPS = f"# Title {EVIL}\n\n1. **Ask** what {EVIL} is. Collect `it`.\n2. **End**: say goodbye."


@pytest.fixture
def here(tmp_path: Path) -> Path:
    write(tmp_path / "apis.jsonl", APIS)
    write(tmp_path / "graph.jsonl", [EDGE])
    write(tmp_path / "dialogues.jsonl", [SAID])
    (tmp_path / "steps.md").write_text(STEPS)
    (tmp_path / "toologue.toml").write_text(f"apis = 'shop.yaml'\n{json.dumps(EVIL)} = 1\n")
    (tmp_path / "unknown.jsonl").write_text(json.dumps({"id": "a", EVIL: 1, "turns": [{"role": "user"}]}))
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ("show", "dialogues.jsonl"),
        ("apis", "apis.jsonl"),
        ("graph", "show", "graph.jsonl"),
        ("graph", "show", "graph.jsonl", "--api", APIS[0].name),
        ("graph", "show", "graph.jsonl", "--api", "C"),
        ("plan", "graph", "steps.md"),
        ("verify", "dialogues.jsonl"),
        ("test",),
        ("run", "unknown.jsonl", "--agent", "gold", "-o", "run"),
        ("run", "dialogues.jsonl", "--agent", EVIL, "-o", "run"),
    ],
    ids=lambda command: " ".join(command)[:30].encode("ascii", "replace").decode(),
)
def test_data_cannot_steer_it(here: Path, command: tuple[str, ...]) -> None:
    done = toologue(*command, cwd=here)
    printed = done.stdout + done.stderr
    assert done.returncode in (0, 1, 2)
    assert not {char for char in printed if char < " " and char not in "\n\t"} | {"\u202e"} & {*printed}
    assert "title" in printed or command[0] == "verify"


def test_data_in_a_log_line_cannot_steer_it(here: Path) -> None:
    (here / f"torn{EVIL}.jsonl").write_bytes((here / "apis.jsonl").read_bytes() + b'{"name": "C')
    command = [sys.executable, "-m", "toologue", "apis", f"torn{EVIL}.jsonl"]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    said = "torn\\u001b]0;title\\u0007\\u001b[2Jx\\u202e.jsonl:3: the last line is cut off and was skipped\n"
    assert done.stderr == said


def test_lines_fold_at_the_terminals_width_and_stay_whole_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "  step 2: " + "no row of seed.yaml leads there; " * 6 + "add one"
    monkeypatch.setattr(sys, "__stdout__", io.StringIO())
    monkeypatch.delenv("COLUMNS", raising=False)
    say_first([line], 1)
    assert capsys.readouterr().out == f"{line}\n"
    monkeypatch.setenv("COLUMNS", "60")
    say_first([line], 1)
    first, *others = capsys.readouterr().out.splitlines()
    assert max(map(len, (first, *others))) <= 60
    assert [first.startswith("  step"), *(one.startswith("      ") for one in others)] == [True] * 5


@pytest.mark.parametrize("width", [100, 80, 40])
def test_a_table_breaks_no_word_however_narrow_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    columns = ("procedure", "conversations", "different", "nodes", "edges", "pairs", "paths")
    say(table(columns, [("delay-compensation", 25, 183, "30/30", "38/39", "33/42", 25)], title="per procedure"))
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= width
    assert said.count("per procedure") == 1
    for word in (*columns, "delay-compensation", "33/42"):
        assert f" {word} " in said
