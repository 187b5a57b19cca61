"""`python -m bench.s3_dialogues`: a dialogue with what its programs return, and what is wrong with it."""

from __future__ import annotations

import textwrap

import pytest

from bench.s3_dialogues import main, read
from toologue.errors import BadRecord

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
      s3.put_object(Bucket="larkfield-scratch", Key="newest.txt", Body=newest["Key"].encode())
      return s3.get_object(Bucket="larkfield-scratch", Key="newest.txt")["Body"].read().decode()[:3]
  - {goal: 3, status: final, code: raise ChitChat()}
  - {goal: 4, status: drafting, code: 's3.delete_bucket(Bucket="larkfield-office")'}
  - {goal: 4, status: final}
- agent: There you are.
"""


def write(folder, text, name="show-note-1.yaml"):
    file = folder / name
    file.write_text(textwrap.dedent(text), "utf-8")
    return file


def test_a_dialogue_is_shown_with_results_errors_changes_and_signatures(tmp_path, capsys):
    assert main([str(write(tmp_path, GOOD))]) == 0
    shown = capsys.readouterr().out
    assert '→ ["NoSuchBucket", "An error occurred (NoSuchBucket) when calling the GetObject operation: ' in shown
    assert "new: Object/larkfield-scratch/newest.txt" in shown
    assert "✗ ChitChat" in shown
    assert "✗ BucketNotEmpty: An error occurred" in shown
    assert shown.count("signature ") == 5
    assert "all well" in shown


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
        ("- agent: There you are.", "- robot: There you are.", "$.turns[6].robot: this key is unknown"),
        ("- agent: There you are.", "- {}", "a turn has one key: agent, user or programs"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(tmp_path, capsys, old, new, told):
    assert old in GOOD
    assert main([str(write(tmp_path, GOOD.replace(old, new, 1))), "--quiet"]) == 1
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            'return s3.list_objects(Bucket="larkfield-office")["Content"]',
            "KeyError: 'Content' (return s3.list_objects(",
        ),
        ('return s3.list_buckets()["Buckets"][0]["CreationDate"]', "datetime is not JSON serializable"),
        ("return s3.list_bucket()", "'S3' object has no attribute 'list_bucket'"),
        ("import os; os._exit(3)", "the program ended the process"),
    ],
)
def test_a_program_that_fails_of_itself_is_wrong(tmp_path, capsys, code, told):
    assert main([str(write(tmp_path, GOOD.replace("raise ChitChat()", repr(code)))), "--quiet"]) == 1
    assert "goal 3: " in (said := capsys.readouterr().err)
    assert told in said


def test_goals_must_be_known_where_they_are_listed(tmp_path):
    write(tmp_path, "- {id: another, utterance: x}\n", "goals.yaml")
    (folder := tmp_path / "train").mkdir()
    _, wrong = read(write(folder, GOOD))
    assert [what for what in wrong if "has no goal 'show-note'" in what] == wrong != []


def test_no_yaml(tmp_path):
    with pytest.raises(BadRecord):
        read(write(tmp_path, "a: ]"))
