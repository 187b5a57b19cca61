"""The starter set: complete, varied, executable, and nobody else's."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from each_row import each_row
from published_data import shared_path
from toologue.bench.tooltalk import load
from toologue.bench.tooltalk.conversations import read_yaml, starter
from toologue.errors import BadFile, BadRecord
from toologue.schema import invocations, rounds
from toologue.worlds.assistant import TOOLS, apis

FOLDER = files("toologue.bench.tooltalk") / "conversations"
SET = load(None)
WRITING = {api.name for api in apis() if api.writes}
EACH = each_row("dialogue", SET, ids=lambda dialogue: dialogue.id)


def test_every_file_is_a_conversation_named_as_the_file():
    stems = sorted(file.name.removesuffix(".yaml") for file in FOLDER.iterdir() if file.name.endswith(".yaml"))
    assert sorted(dialogue.id for dialogue in SET) == stems


def test_easy_ones_come_first():
    splits = [dialogue.origin["split"] for dialogue in SET]
    assert splits == sorted(splits)
    assert set(splits) == {"easy", "hard"}


def test_every_tool_is_used():
    used = Counter(i.act.api for dialogue in SET for i in invocations(dialogue.turns))
    assert used.keys() == TOOLS.keys()


def test_no_two_conversations_call_the_same_tools_in_the_same_order():
    sequences = Counter(tuple(i.act.api for i in invocations(dialogue.turns)) for dialogue in SET)
    assert [sequence for sequence, count in sequences.items() if count > 1] == []


def test_no_two_conversations_say_the_same():
    texts = Counter(turn.text for dialogue in SET for turn in dialogue.turns if turn.role == "user")
    assert [text for text, count in texts.items() if count > 1 and len(text) > 40] == []
    assert len({dialogue.origin["scenario"] for dialogue in SET}) == len(SET)


@EACH
def test_an_easy_one_has_one_call_a_hard_one_several(dialogue):
    count = len(list(invocations(dialogue.turns)))
    assert count == 1 if dialogue.origin["split"] == "easy" else count >= 3


@EACH
def test_every_call_is_executed_and_a_failure_is_recovered_from(dialogue):
    """A look-up may be refused ("… has no events"): that is an answer. What should write is tried again, and works."""
    made = list(invocations(dialogue.turns))
    acts = [act for turn in dialogue.turns if turn.role == "agent" for act in turn.acts]
    assert [invocation.act for invocation in made] == acts
    for number, failed in enumerate(made):
        if failed.result.error is not None:
            assert failed.result.error.type == "APIException", "a tool may refuse; nothing else may go wrong"
            later = [i for i in made[number + 1 :] if i.act.api == failed.act.api]
            if failed.act.api in WRITING:
                assert any(i.result.error is None for i in later), f"{failed.act.api} never succeeds"
                assert later[0].round > failed.round, "the user is asked before the agent tries again"


@EACH
def test_the_user_opens_and_every_round_but_the_last_is_answered_in_words(dialogue):
    cut = list(rounds(dialogue.turns))
    assert cut[0].said
    assert all(len(said) == 1 for said, _ in cut)
    assert all(did and did[-1].text and not did[-1].acts for _, did in cut[:-1])
    assert not cut[-1].did or cut[-1].did[-1].text


@EACH
def test_the_agent_is_told_no_password_and_no_token(dialogue):
    assert dialogue.facts.keys() <= {"now", "location", "username"}
    assert ("username" in dialogue.facts) == dialogue.world.arguments["logged_in"]
    assert not dialogue.instructions


@EACH
def test_what_is_read_from_yaml_twice_is_the_same(dialogue):
    again = read_yaml(FOLDER / f"{dialogue.id}.yaml")
    assert again == next(d for d in starter() if d.id == dialogue.id)


def test_the_set_shares_no_words_with_the_published_one():
    published = load(shared_path("tooltalk", "data"))
    theirs = {turn.text for dialogue in published for turn in dialogue.turns if turn.text}
    theirs |= {str(value) for dialogue in published for value in said_in(dialogue)}
    ours = {turn.text for dialogue in SET for turn in dialogue.turns if turn.text}
    ours |= {str(value) for dialogue in SET for value in said_in(dialogue)}
    assert {text for text in ours & theirs if len(text) > 20} == set()


def said_in(dialogue):
    """The free texts of calls."""
    return [value for i in invocations(dialogue.turns) for value in i.act.arguments.values() if isinstance(value, str)]


# files of one's own -----------------------------------------------------------------------------------------

GOOD = """\
id: wake
split: easy
scenario: A test.
now: "2025-03-10 09:00:00"
location: Oslo
user: mreyes
logged_in: true
turns:
- user: wake me at 6
- call: AddAlarm
  with: {time: "06:00:00"}
- agent: Done.
"""


def test_a_file_of_ones_own(tmp_path):
    (tmp_path / "wake.yaml").write_text(GOOD)
    dialogue = read_yaml(tmp_path / "wake.yaml")
    assert [turn.role for turn in dialogue.turns] == ["user", "agent", "agent"]
    assert dialogue.turns[1].results == ()
    assert dialogue.origin["split"] == "easy"


def test_what_goes_without_saying_may_be_left_out(tmp_path):
    (tmp_path / "wake.yaml").write_text(GOOD)
    in_full = read_yaml(tmp_path / "wake.yaml")
    (tmp_path / "wake.yaml").write_text(GOOD.replace("id: wake\n", "").replace("logged_in: true\n", ""))
    assert read_yaml(tmp_path / "wake.yaml") == in_full


def test_a_user_without_an_account_is_nobody_yet(tmp_path):
    (tmp_path / "wake.yaml").write_text(GOOD.replace("user: mreyes", "user: {username: eve}").replace("true", "false"))
    dialogue = read_yaml(tmp_path / "wake.yaml")
    assert dialogue.world.arguments["user"] is None
    assert "username" not in dialogue.facts


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: wake", "id: sleep", r"wake\.yaml:1: \$\.id: 'sleep' is not the file's name"),
        ("split: easy", "split: medium", r"wake\.yaml:2: \$\.split: expected 'easy' or 'hard', got 'medium'"),
        (
            "location: Oslo",
            "town: Oslo",
            r"wake\.yaml:?\d*: \$\.(location|town): this key is (missing|unknown)",
        ),
        ("turns:", "turns: {", r"wake\.yaml:\d+: \$: .*\(quote texts that hold a colon\)"),
        (GOOD, "", r"wake\.yaml: \$: expected keys and values \(id, turns, \.\.\.\), got None"),
    ],
)
def test_a_file_of_another_shape_says_where(tmp_path, old, new, message):
    (tmp_path / "wake.yaml").write_text(GOOD.replace(old, new))
    with pytest.raises(BadRecord, match=message):
        read_yaml(tmp_path / "wake.yaml")


def test_a_missing_file(tmp_path):
    with pytest.raises(BadFile, match=r"cannot read .*nowhere\.yaml: No such file"):
        read_yaml(tmp_path / "nowhere.yaml")
