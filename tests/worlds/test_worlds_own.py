"""A world of one's own, `module:Class`, is as good as any: the example of docs/your-api.md, through every command."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import toologue
from toologue import chat, generate
from toologue.errors import BadSetting
from toologue.schema import Dialogue, Setting
from toologue.schema.jsonl import read
from toologue.worlds import world as worlds

PAGE = (Path(__file__).parents[2] / "docs" / "your-api.md").read_text().partition("## A world of your own")[2]
CODE = re.findall(r"^```(?:python|markdown)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[:2]
NAME = "allotments:Allotments"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that holds the class and the procedure of the page."""
    monkeypatch.delenv("TOOLOGUE_WORLDS", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "allotments.py").write_text(CODE[0])
    (tmp_path / "procedures").mkdir()
    (tmp_path / "procedures" / "running-tap.md").write_text(CODE[1])
    yield tmp_path
    sys.modules.pop("allotments", None)


def test_it_is_generated_from_proved_run_and_scored(here: Path) -> None:
    made = toologue("generate", "procedures/running-tap.md", "--service", NAME, "-o", "suite", cwd=here)
    assert made.returncode == 0, made.stderr
    golds = list(read(here / "suite" / "dialogues.jsonl", Dialogue))
    assert {gold.world.name for gold in golds} == {NAME}
    assert any("P-11" in str(turn.text) for gold in golds for turn in gold.turns)  # customers name its rows
    assert any(
        turn.results[0].changes for gold in golds for turn in gold.turns if turn.role == "agent" and turn.results
    )
    assert toologue("verify", "suite", cwd=here).returncode == 0
    proved = toologue("prove", "suite", cwd=here)
    assert proved.returncode == 0, proved.stdout + proved.stderr
    run = toologue("run", "suite/dialogues.jsonl", "--agent", "gold", "-o", "RUN", cwd=here)
    assert run.returncode == 0, run.stderr
    assert "outcome" in toologue("score", "RUN", cwd=here).stdout


def test_it_is_a_project_s_world(here: Path) -> None:
    (here / "toologue.toml").write_text(f'world = "{NAME}"\nagents = ["procedure"]\n[gate]\nfail_under = 1.0\n')
    tested = toologue("test", here, cwd=here.parent)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "conversations pass" in tested.stdout
    (here / "allotments.py").write_text(CODE[0] + "\n# another one\n")
    again = toologue("test", here, cwd=here.parent).stdout
    assert re.search(r"conversations +[1-9]\d* made, 0 kept", again), again


def test_it_can_be_talked_to() -> None:
    talk = chat("retrieve", NAME)
    assert talk.say("Please shut the tap of plot P-11.")
    assert "plots/P-11" in {
        path for turn in talk.turns if turn.role == "agent" for r in turn.results for path in r.changes
    }


def test_in_python_too() -> None:
    assert generate("procedures/running-tap.md", service=NAME, count=3)


def test_a_file_alone_never_makes_code_run() -> None:
    with pytest.raises(BadSetting, match=r"the world 'os:system' is code.*export TOOLOGUE_WORLDS=os:system"):
        worlds.kind_at(Setting(name="os:system", arguments={"command": "touch ran"}))
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("allotments:Plots", "cannot load 'allotments:Plots'"),
        ("allotments:Allotments?taps=2", r"cannot be made: TypeError.*taps"),
        ("allotments:PLOT", "makes no world: it is "),
        ("builtins:str", "makes no world: .* has no apis, do, mark, rewind"),
    ],
)
def test_what_is_no_world_is_refused_in_one_line(here: Path, name: str, said: str) -> None:
    done = toologue("generate", "procedures/running-tap.md", "--service", name, "-o", "suite", cwd=here)
    assert done.returncode == 2
    assert re.search(said, done.stderr.replace("\n", " ")), done.stderr


def test_rows_that_are_none_are_refused(here: Path) -> None:
    made = "def __init__(self):\n        super().__init__()\n        self.rows = print"
    (here / "rowless.py").write_text(f"from allotments import Allotments\n\nclass It(Allotments):\n    {made}\n")
    done = toologue("generate", "procedures/running-tap.md", "--service", "rowless:It", "-o", "suite", cwd=here)
    assert done.returncode == 2
    assert "rowless:It': its rows are" in done.stderr.replace("\n", " ")
    assert "a method is no mapping, a property is" in done.stderr.replace("\n", " ")
