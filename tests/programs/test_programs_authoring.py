"""Writing a dialogue with programs: `toologue show` executes it and says what is wrong."""

from __future__ import annotations

import pytest

pytest.importorskip("boto3")
pytest.importorskip("moto")

from toologue import cli
from toologue.bench.dialog2api.files import SHIPPED, has_programs, is_ours
from toologue.schema import AgentTurn, Call, Dialogue, Program, Setting, UserTurn
from toologue.schema.jsonl import write

GOOD = """
id: show-note-1
goal: show-note
turns:
- agent: How can I help you?
- user: Show me the todo list.
- programs:
  - goal: 1
    status: drafting
    code: |
      return s3.get_object(Bucket=?1, Key=f"notes/{?2}")["Body"].read().decode()
- agent: In which bucket?
- user: larkfield-ofice. And thanks.
- programs:
  - goal: 1
    status: final
    code: |
      try:
          s3.get_object(Bucket="larkfield-ofice", Key="notes/todo.txt")
      except NoSuchBucket as e:
          return [e.response["Error"]["Code"], str(e)]
  - goal: 2
    status: final
    code: |
      newest = max(s3.ListObjects(Bucket="larkfield-office")["Contents"], key=lambda one: one["LastModified"])
      s3.put_object(Bucket="larkfield-scratch", Key="new/one.txt", Body=newest["Key"].encode())
      return s3.get_object(Bucket="larkfield-scratch", Key="new/one.txt")["Body"].read().decode()[:3]
  - {goal: 3, status: final, code: raise ChitChat()}
  - {goal: 4, status: drafting, code: 's3.delete_bucket(Bucket="larkfield-office")'}
  - {goal: 4, status: final}
- agent: There you are.
"""


def status(arguments):
    """The exit status of a command, run here. The module `toologue.cli.list`, once loaded, hides the builtin there."""
    vars(cli).pop("list", None)
    return cli.status([str(one) for one in arguments])


@pytest.fixture
def draft(tmp_path):
    def write_it(text=GOOD, name="show-note-1.yaml"):
        file = tmp_path / name
        file.write_text(text, "utf-8")
        return file

    return write_it


def test_a_dialogue_is_shown_with_results_errors_changes_and_signatures(draft, capsys):
    assert status(["show", draft()]) == 0
    shown = capsys.readouterr().out
    assert "== show-note-1 6 programs, the account's signature daefa38c" in shown
    assert '  PROGRAM of goal 1, drafting\n     | return s3.get_object(Bucket=?1, Key=f"notes/{?2}")' in shown
    assert '-> ["NoSuchBucket", "An error occurred (NoSuchBucket) when calling the GetObject operation: ' in shown
    assert "     new: Object/larkfield-scratch/new/one.txt\n     signature " in shown
    assert "-> ERROR ChitChat\n" in shown
    assert "-> ERROR BucketNotEmpty: An error occurred" in shown
    assert shown.count("     signature ") == 4
    assert "AGENT There you are." in shown


def test_what_ships_is_shown_as_it_is_signed(capsys):
    assert status(["show", SHIPPED / "train" / "bucket-region-1.yaml"]) == 0
    shown = capsys.readouterr().out
    assert '-> "eu-west-1"\n     signature ' in shown


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("- agent: In which bucket?\n", "", ":12: $.turns[3]: user cannot follow programs"),
        ("status: drafting", "status: draft", "$.turns[2].programs[0].status: expected"),
        ("  - {goal: 4, status: final}", "  - {goal: 3, status: final}", "goal 3 is final or abandoned already"),
        ("  - {goal: 4, status: final}", "  - {goal: 5, status: final}", "goal 5 has no code"),
        ("return [e.resp", "return [[e.resp", "this is no Python: line"),
        ("raise ChitChat()", "raise ?1", "a final program has no placeholders"),
        ("id: show-note-1", "id: show-note-3", "expected show-note-1 or show-note-2"),
        ("goal: show-note\n", "", "$.goal: this key is missing"),
        ("- agent: There you are.", "- robot: There you are.", "$.turns[6].robot: this key is unknown"),
        ("- agent: There you are.", "- {}", "a turn has one key: agent, user or programs"),
        ("turns:\n", "turns: 3\nrest:\n", "$.turns: expected a list"),
        ("goal: show-note\n", "goal: ]\n", "show-note-1.yaml:3"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(draft, capsys, old, new, told):
    assert old in GOOD
    assert status(["show", draft(GOOD.replace(old, new, 1))]) == 2
    assert told in capsys.readouterr().err


def test_all_that_is_wrong_is_told_at_once(draft, capsys):
    text = GOOD.replace("raise ChitChat()", "raise ?1").replace("id: show-note-1", "id: show-note-3")
    assert status(["show", draft(text)]) == 2
    said = capsys.readouterr().err
    assert "expected show-note-1 or show-note-2" in said
    assert "a final program has no placeholders" in said


def test_a_folder_and_a_transcript_may_hold_both_kinds(draft, tmp_path, capsys):
    draft()
    program = Program(goal="1", status="final", code='return len(s3.list_buckets()["Buckets"])')
    chat = Dialogue(
        id="chat",
        world=Setting(name="s3_programs"),
        turns=(UserTurn(text="How many buckets?"), AgentTurn(acts=(program,)), AgentTurn(text="Five.")),
    )
    alarm = Call(api="AddAlarm", arguments={"time": "06:00:00"})
    called = chat.replace(
        id="called",
        world=Setting(name="assistant", arguments={"user": "mreyes", "now": "2025-03-10 09:00:00", "logged_in": True}),
        turns=(UserTurn(text="Wake me at six."), AgentTurn(acts=(alarm,)), AgentTurn(text="I will.")),
    )
    write(tmp_path / "mine.jsonl", [chat, called])
    assert has_programs(chat)
    assert not has_programs(called)
    assert status(["show", tmp_path, tmp_path / "mine.jsonl"]) == 0
    shown = capsys.readouterr().out
    assert "== called 1 calls" in shown
    assert "== chat 1 programs" in shown
    assert "     -> 5\n     signature " in shown


def test_a_file_that_holds_nothing_is_told_what_it_should_hold(draft, capsys):
    assert status(["show", draft("")]) == 2
    assert capsys.readouterr().err.endswith(
        "show-note-1.yaml: $: expected keys and values (id, turns, ...), got None\n"
    )


def test_goals_must_be_known_where_they_are_listed(draft, tmp_path, capsys):
    draft("- {id: another, utterance: x}\n", "goals.yaml")
    (tmp_path / "train").mkdir()
    assert status(["show", draft(name="train/show-note-1.yaml")]) == 2
    assert "has no goal 'show-note'" in capsys.readouterr().err


def test_files_of_calls_are_not_ours(draft):
    assert is_ours(draft())
    assert not is_ours(draft("id: x\nsplit: easy\nturns:\n- user: hi\n"))
    assert not is_ours(draft("- 1\n"))
