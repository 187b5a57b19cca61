"""Adding a conversation: `toologue show` executes it and says what to look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from toologue import cli
from toologue.bench.tooltalk import load
from toologue.bench.tooltalk.conversations import chained, read_yaml, reviews
from toologue.schema.jsonl import write

DRAFT = """
id: draft
split: hard
scenario: A nurse drops an alarm.
now: "2025-03-10 09:00:00"
location: Lisbon
user: mreyes
logged_in: true
turns:
- user: {opening}
- call: AddAlarm
  with: {{time: "06:00:00"}}
- call: DeleteAlarm
  with: {{alarm_id: "{alarm}"}}
- agent: Done.
"""


def status(arguments: list[str]) -> int:
    """The exit status of a command, run here. The module `toologue.cli.list`, once loaded, hides the builtin there."""
    vars(cli).pop("list", None)
    return cli.status(arguments)


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    file = tmp_path / "draft.yaml"
    file.write_text(DRAFT.format(opening="wake me at six, no, don't", alarm="5bff-dd80"))
    return file


def test_a_draft_is_executed_and_remarked_on(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["show", str(draft)]) == 0
    said = capsys.readouterr().out
    assert '-> {"alarm_id": "5bff-dd80"}' in said
    assert "chained: DeleteAlarm alarm_id = '5bff-dd80'" in said
    assert "LOOK: hard, and only 2 calls" in said
    assert "LOOK: hard, and only 1 plugins" in said


def test_errors_and_lint_are_shown(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft.write_text(DRAFT.format(opening="Retrieve my alarms. Begin!!!", alarm="0000-0000"))
    assert status(["show", str(draft)]) == 0
    said = capsys.readouterr().out
    assert "-> ERROR" in said
    assert "LOOK: machine phrasing: 'Retrieve'" in said
    assert "LOOK: no argument comes from an earlier result" in said


def test_what_the_user_said_is_not_chained(draft: Path) -> None:
    draft.write_text(DRAFT.format(opening="drop alarm 5bff-dd80 again", alarm="5bff-dd80"))
    (review,) = reviews([read_yaml(draft)])
    assert list(chained(review.dialogue)) == []


def test_the_same_calls_as_a_shipped_one_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = next(d for d in load() if d.id == "swap-thursday-shift")
    write(tmp_path / "mine.jsonl", [shipped.replace(id="mine")])
    assert status(["show", str(tmp_path / "mine.jsonl")]) == 0
    assert "LOOK: the same calls in the same order as swap-thursday-shift" in capsys.readouterr().out


def test_many_are_summed_up(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["show", str(draft), str(draft.parent), "--no-words"]) == 0
    said = capsys.readouterr().out
    assert "USER" not in said
    assert "2 conversations, 2 hard ones, 2 tools; hard ones: 2.0 calls on average, 2 of 2 chained" in said


@pytest.mark.parametrize(
    ("given", "message"),
    [([], "name a file"), (["none.yaml"], "cannot read none.yaml"), (["."], "holds no conversation")],
)
def test_bad_input_exits_with_2(
    given: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["show", *given]) == 2
    assert message in capsys.readouterr().err
