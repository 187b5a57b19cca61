"""Adding a conversation: `toologue show` executes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from toologue import cli

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


def test_a_draft_is_executed(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["show", str(draft)]) == 0
    said = capsys.readouterr().out
    assert "== draft 2 calls" in said
    assert '-> {"alarm_id": "5bff-dd80"}' in said


def test_errors_are_shown(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft.write_text(DRAFT.format(opening="drop my alarm", alarm="0000-0000"))
    assert status(["show", str(draft)]) == 0
    assert "-> ERROR" in capsys.readouterr().out


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
