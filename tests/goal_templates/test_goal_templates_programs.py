"""Programs for wishes, what is learnt, and worlds other than S3."""

import asyncio
from dataclasses import fields
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import toologue.bench.dialog2api as dialog2api
from toologue.agents.goal_templates import GoalTemplates
from toologue.agents.goal_templates.coding import code_of
from toologue.agents.goal_templates.learning import learnt_from
from toologue.agents.goal_templates.templates import Example, bank
from toologue.agents.goal_templates.wishes import ORDER, Wish, open_slots, opened
from toologue.sandbox.program import check, parse
from toologue.schema import Brief, UserTurn
from toologue.worlds.assistant import Assistant
from toologue.worlds.programs import with_programs
from toologue.worlds.s3 import apis

NAMES = st.sampled_from(["", "the-attic", "a/b.txt", "old/"])
WISHES = st.builds(
    Wish,
    op=st.sampled_from(sorted(ORDER)),
    bucket=st.sampled_from(["", "the-attic"]),
    keys=st.sampled_from([(), ("a/b.txt",), ("a.csv", "b.csv")]),
    prefix=st.sampled_from(["", "old/"]),
    suffixes=st.sampled_from([(), (".txt",), (".csv", ".json")]),
    any_case=st.booleans(),
    without=st.sampled_from([(), ("old/new/",), ("=old/a.txt", ".log")]),
    moments=st.sampled_from([(), (("<", "2025"),), ((">=", "2025-03-01"), ("<=", "2025-05"))]),
    sizes=st.sampled_from([(), ((">", 100),)]),
    whole=st.booleans(),
    sort=st.sampled_from(["", "Size", "LastModified"]),
    reverse=st.booleans(),
    limit=st.integers(0, 3),
    show=st.sampled_from([(), ("Size",), ("Size", "LastModified")]),
    group=st.sampled_from(["", "folder", "extension"]),
    to_bucket=st.sampled_from(["", "the-cellar"]),
    to_key=st.sampled_from(["", "new.csv"]),
    to_prefix=st.sampled_from(["", "new/"]),
    ending=st.sampled_from(["", ".md"]),
    body=st.sampled_from(["", 'He said "hi"\n', "ü {}"]),
    old=st.sampled_from(["", "a"]),
    new=st.sampled_from(["", "b"]),
    region=st.sampled_from(["", "eu-west-1", "us-east-1"]),
    drop=st.booleans(),
)


@given(WISHES)
def test_every_wish_is_a_program_that_fits_the_documents_and_open_slots_are_its_placeholders(wish):
    wish = opened(wish)
    parsed = parse(code_of(wish))
    assert not parsed.problems
    problems = [one.what for one in check(parsed, apis(), "s3")]
    assert all("placeholder" in what for what in problems)
    missing = open_slots(wish)
    assert set(parsed.numbers) <= {wish.asked.index(slot) + 1 for slot in missing}
    if not missing:
        assert not problems


def test_what_ships_is_learnt_from_the_training_dialogues_and_from_nothing_else():
    train = Path(dialog2api.__file__).parent / "train"
    learnt = tuple(map(Example.of, learnt_from(train)))
    assert bank().examples == learnt
    assert {one.goal for one in learnt} == {file.stem.rpartition("-")[0] for file in train.glob("*.yaml")}


def test_goals_can_be_left_out_of_what_was_learnt():
    assert {one.goal for one in bank().without("read-file").examples} == {
        one.goal for one in bank().examples if one.goal != "read-file"
    }


def test_a_wish_has_no_slot_that_is_asked_for_and_does_not_exist():
    names = {field.name for field in fields(Wish)}
    assert {slot for order in ORDER.values() for slot in order} <= names


def test_in_another_world_its_calls_are_programs_over_that_worlds_object():
    world = with_programs(Assistant(user="mreyes", now="2025-03-10 09:00:00", logged_in=True), name="assistant")
    brief = Brief(apis=world.apis, facts={"programs": {"object": "assistant"}})
    agent, turns = GoalTemplates(bank()), [UserTurn(text="Set an alarm for 7 pm")]
    wrote = asyncio.run(agent.act(turns, brief))
    assert [(act.status, act.code) for act in wrote.acts] == [("final", "return assistant.add_alarm(time='19:00:00')")]
    turns.append(wrote.but(results=tuple(world.do(act) for act in wrote.acts)))
    assert "alarm" in asyncio.run(agent.act(turns, brief)).text.lower()
