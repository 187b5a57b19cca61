"""What commands leave alone: outputs that would lose by it, folders of another kind, places that are no files."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import toologue
from toologue.bench.tooltalk import load
from toologue.schema import Plan
from toologue.schema.jsonl import read, write

MODELS = """
from toologue.models.model import ModelFault, ScriptedModel
broken = ScriptedModel(lambda asked: ModelFault("server_error", "refused the request", status=500))
babbling = ScriptedModel(lambda asked: "Good day to you.")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with models that find no words, and a run of two conversations."""
    (tmp_path / "faulty_models.py").write_text(MODELS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "faulty_models", raising=False)
    write(tmp_path / "dialogues.jsonl", load()[:2])
    assert toologue("run", "dialogues.jsonl", "--agent", "gold", "-o", "lived", cwd=tmp_path).returncode == 0
    return tmp_path


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated folder."""
    folder = tmp_path_factory.mktemp("suite")
    made = toologue("generate", "add-baggage", "--count", 2, "--until", 0.1, "-o", "made", cwd=folder)
    assert made.returncode == 0, made.stderr
    return folder / "made"


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("model", ["broken", "babbling"])
def test_words_that_a_model_does_not_find_replace_none(here: Path, suite: Path, model: str) -> None:
    before, options = (here / "dialogues.jsonl").read_bytes(), ("--writer", f"faulty_models:{model}", "-o")
    done = toologue("write", suite / "plans.jsonl", *options, here / "dialogues.jsonl", cwd=here)
    assert done.returncode == 2
    assert "there are no words for any plan, and nothing was written" in done.stderr
    assert (here / "dialogues.jsonl").read_bytes() == before


def test_fewer_words_than_there_were_go_into_a_file_of_their_own(here: Path, suite: Path) -> None:
    plans = list(read(suite / "plans.jsonl", Plan))
    model = f"""
import itertools
from toologue.models.model import ModelFault, ScriptedModel
from toologue.write.procedures import TemplateWriter
from toologue.schema import Plan
from toologue.schema.jsonl import read
import json
first = next(read({str(suite / "plans.jsonl")!r}, Plan))
turns = TemplateWriter(seed=0).words(first).turns
texts = [turn.text for cue, turn in zip(first.cues, turns) if cue.move != "call"]
answers = itertools.chain([json.dumps(texts)], itertools.repeat(ModelFault("server_error", "no", status=500)))
once = ScriptedModel(lambda asked: next(answers))
"""
    (here / "once_model.py").write_text(model)
    whole = toologue("write", suite / "plans.jsonl", "-o", "worded.jsonl", cwd=here)
    assert whole.returncode == 0, whole.stderr
    before = (here / "worded.jsonl").read_bytes()
    done = toologue("write", suite / "plans.jsonl", "--writer", "once_model:once", "-o", "worded.jsonl", cwd=here)
    assert done.returncode == 3, done
    assert f"worded.jsonl holds {len(plans)}, and was not replaced" in done.stdout
    assert (here / "worded.jsonl").read_bytes() == before
    assert (here / "worded.jsonl.new").read_bytes().count(b"\n") == 1


def test_a_suite_without_words_replaces_none(here: Path, suite: Path) -> None:
    before = content(suite)
    again = ("generate", "add-baggage", "--count", 2, "--until", 0.1, "-o", suite)
    done = toologue(*again, "--writer", "faulty_models:broken", cwd=here)
    assert done.returncode == 2
    assert "fewer than" in done.stderr
    assert content(suite) == before


def test_traces_that_are_missing_are_named_and_counted(here: Path) -> None:
    file = here / "lived" / "traces.jsonl"
    file.write_bytes(file.read_bytes().partition(b"\n")[0] + b"\n")
    for command in ("score", "report"):
        done = toologue(command, "lived", cwd=here)
        assert (done.returncode, done.stderr) == (3, "")
        assert f"lived: 1 traces are missing and not scored ({load()[1].id})" in done.stdout


def test_links_in_a_circle_are_one_line(here: Path) -> None:
    (here / "a.jsonl").symlink_to("b.jsonl")
    (here / "b.jsonl").symlink_to("a.jsonl")
    done = toologue("export", "a.jsonl", "--to", "openai", "-o", "b.jsonl", cwd=here)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_folder_of_another_kind_is_never_written_into(here: Path, suite: Path) -> None:
    before = content(here / "lived"), content(suite)
    for command, folder in (
        (("run", "dialogues.jsonl", "--agent", "gold"), suite),
        (("generate", "add-baggage", "--count", 2, "--until", 0.1), here / "lived"),
        (("generate", "chains", "shop.yaml"), here / "lived"),
        (("demo",), suite),
    ):
        done = toologue(*command, "--out", folder, cwd=here)
        assert done.returncode == 2, (command, done)
        assert "holds conversations of another kind" in done.stderr
    assert (content(here / "lived"), content(suite)) == before


@pytest.mark.parametrize(
    "command",
    [
        ("write", "SUITE/plans.jsonl", "-o", "lived"),
        ("verify", "SUITE", "--json", "lived"),
        ("export", "dialogues.jsonl", "--to", "openai", "-o", "lived"),
        ("report", "lived", "--html", "lived"),
        ("report", "lived", "--junit", "lived"),
        ("bench", "tooltalk", "--agent", "gold", "--html", "lived"),
        ("plan", "scenarios", "--count", "3", "-o", "lived"),
        ("plan", "paths", "add-baggage", "-o", "lived"),
    ],
)
def test_a_folder_in_the_place_of_a_file_is_one_line(here: Path, suite: Path, command: tuple[str, ...]) -> None:
    before = content(here / "lived")
    done = toologue(*(str(suite) + word[5:] if word.startswith("SUITE") else word for word in command), cwd=here)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert "cannot write lived: " in done.stderr
    assert (
        content(here / "lived").keys() - {"report.html", "costs.json", "scores.json", "scores.jsonl"} == before.keys()
    )


def test_a_full_disk_is_one_line(here: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no device that is full")
    done = toologue("plan", "scenarios", "--count", "3", "-o", full, cwd=here)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cannot write /dev/full: No space left on device" in done.stderr
