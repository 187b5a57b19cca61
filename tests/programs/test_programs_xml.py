"""Dialog2API's XML: what is written is read back, what people and models really write is read too, errors say where."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from papers_xml import conversations_xml
from toologue.errors import BadFile, BadRecord
from toologue.formats.dialog2api import (
    Output,
    Sample,
    output_xml,
    parse_conversations,
    read_conversations,
    read_output,
    sample_xml,
)
from toologue.schema import AgentTurn, Dialogue, Fault, Program, Result, Setting, UserTurn
from toologue.schema.stack import Stacked, stack

CONVERSATION = """<?xml version="1.0"?>
<!-- written by hand -->
<conversation uid="count-1">
<metadata>
<initial_signature>0a1b2c3d</initial_signature>
</metadata>
<turns>
<turn>Agent: Good day!</turn>
<turn>User: How many files are small & new, i.e. < 1 kB?</turn>
<goal uid="4" status="drafting">
<program>
    objects = s3.list_objects(Bucket=?1).get("Contents", [])
    if len(objects) < 1 & True:
        return 0
    return len([one for one in objects if one["Size"] < 1000])
  </program>
</goal>
<goal uid="2" status="final">
<program>
    raise OutOfScopeRequestError()
</program>
<result>null</result>
<error>{"error": "OutOfScopeRequestError", "message": ""}</error>
<signature>77aa77aa</signature>
</goal>
<turn>Agent: In which bucket?</turn>
<turn>User: attic &amp; <![CDATA[<turn>s</turn>]]></turn>
<goal uid="4" status="final"/>
<turn>
Agent: These:
- one
- two
</turn>
</turns>
</conversation>
"""

texts = st.text(max_size=6) | st.sampled_from(
    ["</program>", "<turn>", "\n</goal>", "User: hm", "Agent:", "&", "<", "?1"]
)
codes = st.sampled_from(["x = 1 < 2 & 3", "if a:\n    return '</program>'", "return ?1", "raise ChitChat()"])


@pytest.mark.parametrize("text", ["a < b & c", "</program>", "x &amp; y", "two\nlines", "<goal uid='1'>", 'it\'s "so"'])
def test_what_is_written_is_read_back(text):
    output = Output((Program(goal='1 "<a>"', status="final", code=text),), f"So: {text}")
    assert read_output(output_xml(output)) == output
    assert read_output("Sure! Here it is:\n```xml\n" + output_xml(output) + "\n```\nAnything else?") == output
    assert read_output(output_xml(output).partition("\n")[2]) == output
    said = Dialogue(id='d "1"', world=Setting(name="s3"), origin={"line": "programs"}, turns=(
        UserTurn(text=text), AgentTurn(acts=output.programs, results=(Result(value=text),)), AgentTurn(text=text)
    ))  # fmt: skip
    assert parse_conversations(conversations_xml([said])) == [said]


def test_a_prompt_ends_where_the_answer_begins():
    held = (Stacked(goal="1", code="return 1", status="final", result=Result(value=[1])),)
    sample = Sample("def f(a<b)", held, (UserTurn(text="And?"),))
    assert sample_xml(sample) == (
        '<def>\ndef f(a&lt;b)\n</def>\n<stack>\n<goal uid="1" status="final">\n<program>\nreturn 1\n</program>\n'
        "<result>[1]</result>\n<error/>\n</goal>\n</stack>\n<turn>User: And?</turn>\n<output>\n"
    )


def test_a_conversation_is_read_as_people_write_them():
    (one,) = parse_conversations(CONVERSATION)
    assert (one.id, one.extra, one.world.name) == ("count-1", {"initial_signature": "0a1b2c3d"}, "s3")
    acted = one.turns[2]
    assert one.turns[1].text == "How many files are small & new, i.e. < 1 kB?"
    assert one.turns[4].text == "attic & <turn>s</turn>"
    assert acted.acts[0].code.startswith("objects = s3.list_objects(Bucket=?1)")
    assert "\nif len(objects) < 1 & True:\n    return 0\n" in acted.acts[0].code
    assert acted.results == (None, Result(error=Fault(type="OutOfScopeRequestError")))
    assert acted.extra == {"signatures": [None, "77aa77aa"]}
    assert one.turns[-1].text == "These:\n- one\n- two"


def test_an_empty_final_goal_is_the_draft_as_it_stands():
    (one,) = parse_conversations(CONVERSATION)
    assert one.turns[5].acts[0].code == one.turns[2].acts[0].code
    assert [(entry.goal, entry.status) for entry in stack(one.turns)] == [("4", "final"), ("2", "final")]


EMPTY_GOAL = '<goal uid="4" status="final"/>'


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        (EMPTY_GOAL, '<goal uid="2" status="final"/>', "/conversation[1]", "goal '2' is final or abandoned already"),
        (EMPTY_GOAL, '<goal uid="9" status="final"/>', "/conversation[1]", "there is no draft of it"),
        (EMPTY_GOAL, '<goal status="final"/>', "/conversation[1]", "the goal has no uid"),
        (EMPTY_GOAL, '<goal uid="4" status="done"/>', "/conversation[1]", "final or abandoned, got 'done'"),
        ("<result>null</result>", "<result>NaN</result>", "/conversation[1]", "the result is no JSON: NaN"),
        ("<result>null</result>", "<result>{</result>", "/conversation[1]", "the result is no JSON: Expecting"),
        (
            "</turn>\n<turn>User: at",
            "\n<turn>User: at",
            "34: / (column 3)",
            "this is not the paper's XML: mismatched tag",
        ),
        ("</turns>\n", "", "34: / (column 3)", "mismatched tag"),
        ("Agent: In which", "In which", "/conversation[1]", "'In which bucket?' does not say who speaks"),
        ('uid="count-1"', "", "/conversation[1]", "the conversation has no uid"),
        ("<turns>\n", "<turns>\n<result>1</result>\n", "/conversation[1]", "<result> cannot stand here"),
        ("Good day!", "Good <result>day!</result>", "/conversation[1]", "<result> cannot stand in <turn>"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(old, new, place, what):
    with pytest.raises(BadRecord) as caught:
        parse_conversations(CONVERSATION.replace(old, new, 1), "mine.xml")
    assert str(caught.value).startswith(f"mine.xml:{place}" if place[0].isdigit() else f"mine.xml: {place}")
    assert what in str(caught.value)


def test_a_file_without_conversations_and_one_that_is_no_text_are_refused(tmp_path):
    (tmp_path / "none.xml").write_text("<conversations></conversations>")
    (tmp_path / "latin.xml").write_bytes("<conversation>é".encode("latin-1"))
    for name, told in (("none.xml", "no <conversation>"), ("latin.xml", "UTF-8"), ("gone.xml", "cannot read")):
        with pytest.raises((BadFile, BadRecord), match=told):
            read_conversations(tmp_path / name)


GOAL = '<goal uid="3" status="final">\n<program>\nreturn a < b & c\n</program>\n</goal>'
WANTED = (Program(goal="3", status="final", code="return a < b & c"),)


@pytest.mark.parametrize(
    "text",
    [
        GOAL,
        f"<output>\n{GOAL}\n</output>",
        f"{GOAL}\n</output>",
        f"{GOAL}\n</output>\n\n<stack>\n<goal uid='1' status='drafting'><program>x</program></goal>",
        f"<output>{GOAL}</output><output><goal uid='9' status='final'/></output>",
        GOAL.removesuffix("</goal>"),
        GOAL.removesuffix("\n</program>\n</goal>"),
        f"<output>\n{GOAL.removesuffix('</program>' + chr(10) + '</goal>')}</output>",
        f"```xml\n{GOAL}\n```",
        f"I shall compare <a> with <b>. Here:\n\n```\n{GOAL}\n```\nThat is 1 < 2 & all.",
        GOAL.replace("<program>", "<program>\n```python").replace("</program>", "```\n</program>"),
        GOAL.replace("return a < b & c", "<![CDATA[return a < b & c]]>"),
        GOAL.replace("return a < b & c", "  return a &lt; b &amp; c  "),
        GOAL.replace("<goal", "<Goal").replace("final", "Finalized").replace("</goal>", "</GOAL>"),
        GOAL.replace("uid", "id='x' uid").replace("</program>", "</program>\n<result>made up</result><error>{</error>"),
        GOAL.replace("\n", "\r\n"),
        GOAL.replace("</goal>", "").replace("</program>", ""),
    ],
)
def test_what_models_write_is_read(text):
    assert read_output(text).programs == WANTED


def test_two_goals_of_which_the_first_was_not_ended():
    said = read_output('<goal uid="1" status="draft">\n<program>\nx = ?1\n<goal uid="2" status="abandoned"/>')
    assert [(one.goal, one.status, one.code) for one in said.programs] == [
        ("1", "drafting", "x = ?1"),
        ("2", "abandoned", ""),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<turn>Agent: Done & dusted.</turn>", "Done & dusted."),
        ("<output><turn>Bot: Done.", "Done."),
        ("Agent: Done.\n</output>", "Done."),
        ("Done.", "Done."),
        ("```\nDone.\n```", "Done."),
        ("<turn>\nAgent: Here:\n- <a>\n- b\n</turn>\n</output>\n<stack>", "Here:\n- <a>\n- b"),
        ("<turn>User: yes</turn>\n<turn>Agent: Done.</turn>", "Done."),
        ("<turn>Done.</turn>", "Done."),
        ("  \n", None),
        ("<output></output>", None),
    ],
)
def test_words_of_models_are_read(text, words):
    assert read_output(text) == Output((), words)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<goal status="final"><program>x</program></goal>', "no uid"),
        ('<goal uid="1"><program>x</program></goal>', "expected the status"),
        ("Sure:\n<program>\nreturn 1\n</program>", "put it into <goal"),
    ],
)
def test_answers_without_the_needful_say_so(text, told):
    with pytest.raises(BadRecord, match=told):
        read_output(text)


BOMB = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]>'


def test_nothing_is_defined_or_fetched():
    assert parse_conversations(BOMB + CONVERSATION) == parse_conversations(CONVERSATION)
    (one,) = parse_conversations(CONVERSATION.replace("small", "&c; &xxe; &#0x; &#1114112; &#xD800;"))
    assert "&c; &xxe; &#0x; &#1114112; &#xD800;" in one.turns[1].text
    assert read_output(f"{BOMB}<turn>Agent: &c;</turn>").text == "&c;"
    assert read_output('<turn>Agent: <!ENTITY f SYSTEM "file:///etc/passwd"> &f;</turn>').text.endswith("&f;")


MANY = 20_000


@pytest.mark.parametrize(
    "text",
    ["<goal " * MANY, "<goal uid='1' status='final'>" * MANY, "<program>" * MANY, "<!--" * MANY, "<![CDATA[" * MANY,
     "<program>" + "<turn>" * MANY, "<turn>" + "\n</turns" * MANY, "<turn>" + "\n <turn>" * MANY, "<" * MANY,
     "</output" * MANY, " " * MANY, "<program>" + "\n" * MANY, "<turn>" + "&lt;" * MANY, "```" * MANY,
     "<turn>" + "<![CDATA[]]>" * MANY, "<goal a='" * MANY, "<goal " + "a=" * MANY + ">", "User: " * MANY],
    ids=lambda text: text[:24],
)  # fmt: skip
def test_hostile_lengths_take_no_longer_than_their_length(text):
    """Eight times the text, about eight times the work; by the square of its length it would be sixty-four."""
    whole, part = (min(work(some) for _ in range(3)) for some in (text, text[: len(text) // 8]))
    assert whole < 24 * max(part, 0.02)


def work(text: str) -> float:
    """The seconds of CPU that a text takes."""
    begun = time.process_time()
    with contextlib.suppress(BadRecord):
        read_output(text)
    return time.process_time() - begun


PIECES = """<goal·uid='1'·status='final'> </goal> <program> </program> <turn> </turn> <output> </output> <stack> x
<![CDATA[ ]]> <!-- --> <? &lt <result> <error/> <conversation·uid='1'> <turns> </turns>
</conversation> Agent: <def> </"""


@settings(max_examples=300)
@given(st.lists(st.sampled_from([*PIECES.replace("\n", " ").split(" "), "\n"]), max_size=20))
def test_no_text_makes_a_traceback(pieces):
    text = "".join(pieces).replace("·", " ")
    for read in (read_output, parse_conversations):
        with contextlib.suppress(BadRecord, BadFile):
            read(text)
