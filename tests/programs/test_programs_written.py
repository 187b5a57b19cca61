"""Dialogues as we write them, in YAML; and worlds that sign what they hold."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from papers_xml import conversations_xml
from toologue.data import read_text
from toologue.formats.dialog2api import parse_conversations
from toologue.formats.program_dialogue import Written, dialogue_of, problems
from toologue.schema import AgentTurn, Call, Case, Program, Setting, UserTurn
from toologue.schema.stack import stack

TEXT = """
id: empty-1
goal: empty
turns:
- agent: Good day!
- user: Delete my bucket.
- programs:
  - {goal: 1, status: drafting, code: "s3.delete_bucket(Bucket=?1)"}
  - goal: hello
    status: final
    code: |
      # a word of greeting
      raise ChitChat()
- agent: Which one?
- user: attic
- programs:
  - {goal: 1, status: drafting, code: 's3.delete_bucket(Bucket="attic")'}
- agent: Really?
- user: Never mind.
- programs: [{goal: 1, status: abandoned}]
- agent: As you like.
"""


def written(text=TEXT):
    return Written.model_validate(read_text(text).data)


def test_a_file_is_a_dialogue():
    found = dialogue_of(written(), Setting(name="s3", arguments={"account": "mine.yaml"}))
    assert found.world.arguments == {"account": "mine.yaml"}
    assert found.origin == {"line": "programs", "goal": "empty"}
    opening, asked, drafted, question = found.turns[:4]
    assert (opening.text, asked.text, question.text) == ("Good day!", "Delete my bucket.", "Which one?")
    assert drafted.text is None
    assert drafted.acts == (
        Program(goal="1", status="drafting", code="s3.delete_bucket(Bucket=?1)"),
        Program(goal="hello", status="final", code="# a word of greeting\nraise ChitChat()"),
    )
    assert [(one.goal, one.status) for one in stack(found.turns)] == [("1", "abandoned"), ("hello", "final")]
    assert found.turns[8].acts[0].code == 's3.delete_bucket(Bucket="attic")'


def test_a_program_alone_in_its_turn_is_written_short():
    short = """
id: empty-1
goal: empty
turns:
- agent: Good day!
- user: Delete my bucket.
- drafting: s3.delete_bucket(Bucket=?1, Region=?10)
- agent: Which one?
- user: attic. Hi!
- final: raise ChitChat()
  goal: hello
- agent: Hi. And where is it?
- user: In Rome.
- drafting:
  fill: {1: "attic", 10: Rome}
- agent: Really?
- user: Never mind. List them all.
- abandoned:
- agent: All?
- user: Yes.
- final: |
    return s3.list_buckets()
- agent: As you like.
"""
    acts = [act for turn in dialogue_of(written(short)).turns if turn.role == "agent" for act in turn.acts]
    whole = 's3.delete_bucket(Bucket="attic", Region="Rome")'
    assert acts == [
        Program(goal="1", status="drafting", code="s3.delete_bucket(Bucket=?1, Region=?10)"),
        Program(goal="hello", status="final", code="raise ChitChat()"),
        Program(goal="1", status="drafting", code=whole),
        Program(goal="1", status="abandoned", code=whole),
        Program(goal="3", status="final", code="return s3.list_buckets()"),
    ]
    with pytest.raises(ValidationError, match=r"turns\n.*the draft of goal 1 has no \?2 to be filled"):
        written(short.replace("{1: ", "{2: "))
    with pytest.raises(ValidationError, match="a turn has one key"):
        written(short.replace("- abandoned:", "- abandoned:\n  agent: Fine."))


def test_it_comes_through_the_papers_format_unchanged():
    found = dialogue_of(written())
    assert parse_conversations(conversations_xml([found])) == [found.replace(origin={"line": "programs"})]


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("- agent: Which one?\n", "", ("turns", 3), "user cannot follow programs"),
        (
            "- agent: Good day!\n- user: Del",
            "- agent: Good day!\n- agent: Del",
            ("turns", 1),
            "agent cannot follow agent",
        ),
        ("- agent: As you like.\n", "", ("turns", 8), "the last user's turn is not answered"),
        ("[{goal: 1,", "[{goal: hello,", ("turns", 8, "programs", 0), "goal hello is final or abandoned already"),
        ("[{goal: 1,", "[{goal: 2,", ("turns", 8, "programs", 0), "goal 2 has no code, and there is no draft of it"),
    ],
)
def test_what_is_wrong_has_its_place(old, new, place, what):
    assert old in TEXT
    assert not list(problems(written()))
    found = dict(problems(written(TEXT.replace(old, new))))
    assert found[place].startswith(what)


@pytest.fixture
def world():
    pytest.importorskip("moto")
    from toologue.worlds.s3.simulator import S3_PROGRAMS

    return S3_PROGRAMS.make(Case(id="one", protocol="recorded"))


def signed(result):
    return result.changes.get("Account/signature")


def test_a_signed_world_publishes_its_signature_where_something_changed(world):
    put = Call(api="put_object", arguments={"Bucket": "larkfield-scratch", "Key": "a", "Body": "x"})
    take = Call(api="delete_object", arguments={"Bucket": "larkfield-scratch", "Key": "a"})
    assert signed(world.do(Call(api="list_buckets"))) is None
    start = world.mark()
    there = signed(world.do(put))
    gone = signed(world.do(take))
    assert there != gone
    world.rewind(start)
    assert (signed(world.do(put)), signed(world.do(take))) == (there, gone)
    code = "s3.put_object(Bucket='larkfield-scratch', Key='a', Body='x')\nreturn 1"
    assert signed(world.do(Program(goal="1", status="final", code=code))) == there
    undone = "s3.put_object(Bucket='larkfield-scratch', Key='b', Body='x')\nraise FAQ()"
    failed = world.do(Program(goal="1", status="final", code=undone))
    assert failed.error.type == "FAQ"
    assert signed(failed) not in (None, there, gone)


def test_turns_that_are_no_programs_stay_as_they_are():
    talk = dialogue_of(written(TEXT.split("- programs:\n")[0] + "- agent: No.\n"))
    assert talk.turns == (AgentTurn(text="Good day!"), UserTurn(text="Delete my bucket."), AgentTurn(text="No."))
