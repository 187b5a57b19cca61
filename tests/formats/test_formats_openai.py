"""OpenAI chat messages: what a dialogue says as messages, and messages of others as dialogues."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import noun_strategies as some
from toologue.errors import BadRecord, BadSetting
from toologue.formats.openai import from_messages, prompt, to_messages, tools
from toologue.schema import (
    AgentTurn,
    Api,
    Brief,
    Call,
    Dialogue,
    Fault,
    Parameter,
    Program,
    Result,
    Retrieve,
    UserTurn,
)


def call(id="x", name="Add", arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool(id="x", content="1"):
    return {"role": "tool", "tool_call_id": id, "content": content}


ASK = {"role": "user", "content": "?"}


def answered(content):
    """A conversation whose one call got this content as its result."""
    return [ASK, {"role": "assistant", "content": None, "tool_calls": [call()]}, tool(content=content)]


# dialogue → messages -----------------------------------------------------------------------------------------------


def test_a_dialogue_as_messages():
    dialogue = Dialogue(
        id="wake",
        instructions="Be brief.",
        turns=(
            UserTurn(text="Wake me at 6, and what do I have to do?"),
            AgentTurn(
                text="One moment.",
                acts=(Call(api="AddAlarm", arguments={"time": "06:00:00"}), Call(api="GetReminders")),
                results=(Result(value={"alarm_id": "5bff"}), Result(error=Fault(type="executor", message="log in"))),
            ),
            AgentTurn(acts=(Call(api="AddAlarm", arguments=None, raw='{"time": '),), results=(Result(value="6"),)),
            AgentTurn(text="Your alarm is set."),
        ),
    )
    assert to_messages(dialogue) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Wake me at 6, and what do I have to do?"},
        {
            "role": "assistant",
            "content": "One moment.",
            "tool_calls": [
                {
                    "id": "call_1_0",
                    "type": "function",
                    "function": {"name": "AddAlarm", "arguments": '{"time": "06:00:00"}'},
                },
                {"id": "call_1_1", "type": "function", "function": {"name": "GetReminders", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1_0", "content": '{"alarm_id": "5bff"}'},
        {
            "role": "tool",
            "tool_call_id": "call_1_1",
            "content": '{"error": {"type": "executor", "message": "log in"}}',
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_2_0", "type": "function", "function": {"name": "AddAlarm", "arguments": '{"time": '}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_2_0", "content": '"6"'},
        {"role": "assistant", "content": "Your alarm is set."},
    ]
    assert from_messages(to_messages(dialogue), id="wake") == dialogue


def says(turn):
    """A turn reduced to what OpenAI messages can say."""
    if turn.role == "user":
        return UserTurn(text=turn.text)
    results = tuple(r and Result(value=r.value, error=r.error) for r in turn.results)
    text = "" if turn.text is None and not turn.acts else turn.text
    return AgentTurn(text=text, acts=turn.acts, results=results if any(results) else ())


def unspelled(act):
    """Whether a call that did not parse is spelled by something that does not parse."""
    try:
        return act.arguments is not None or not isinstance(json.loads(act.raw), dict)
    except ValueError:
        return True


speeches = some.conversations(some.user_turns() | some.agent_turns(acts=some.calls.filter(unspelled)))


@given(speeches, some.texts)
def test_dialogue_to_messages_to_dialogue_keeps_what_openai_can_say(turns, instructions):
    said = tuple(says(turn) for turn in turns)
    messages = to_messages(Dialogue(id="d", instructions=instructions, turns=turns))
    assert from_messages(messages, id="d") == Dialogue(id="d", instructions=instructions, turns=said)
    assert json.loads(json.dumps(messages)) == messages


@given(speeches)
def test_the_messages_of_a_history_begin_those_of_a_longer_one(turns):
    messages = to_messages(turns)
    for length in range(len(turns)):
        shorter = to_messages(turns[:length])
        assert messages[: len(shorter)] == shorter


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "plain",
        '{"a": 1}',
        0,
        True,
        [],
        {},
        {"value": 1},
        {"value": {"value": {"value": None}}},
        {"error": {"type": "a", "message": "b"}},
        {"error": {"type": "a", "message": "b"}, "value": 1},
        {"error": {"type": "a", "message": 1}},
        {"error": {"type": "a", "message": "b", "code": 1}},
        {"error": "text"},
        {"error": None, "value": 1},
        {"value": 1, "unit": "km"},
    ],
)
@pytest.mark.parametrize("error", [None, Fault(type="executor", message="no")])
def test_no_value_is_mistaken_for_an_error_or_a_wrapping(value, error):
    result = Result(value=value, error=error)
    turns = (UserTurn(text="?"), AgentTurn(acts=(Call(api="A"),), results=(result,)))
    assert from_messages(to_messages(turns), id="d").turns == turns


def test_an_act_without_a_result_has_no_tool_message():
    turns = (UserTurn(text="?"), AgentTurn(acts=(Call(api="A"), Call(api="B")), results=(None, Result(value=2))))
    messages = to_messages(turns)
    assert [message.get("tool_call_id") for message in messages] == [None, None, "call_1_1"]
    assert from_messages(messages, id="d").turns == turns


@pytest.mark.parametrize(
    ("act", "kind"),
    [(Retrieve(query="alarm"), "retrieve"), (Program(goal="1", status="final", code="x"), "program")],
)
def test_acts_that_are_no_calls_cannot_be_said(act, kind):
    turns = (UserTurn(text="?"), AgentTurn(text="."), AgentTurn(acts=(Call(api="A"), act)))
    with pytest.raises(BadSetting, match=f"turn 2, act 1: OpenAI messages cannot say a {kind} act; export calls only"):
        to_messages(turns)


# brief and documents ----------------------------------------------------------------------------------------------


def test_the_prompt_is_the_brief_and_then_the_history():
    brief = Brief(instructions="Be brief.", facts={"now": "2025-03-10 09:00:00", "tags": ["a"], "member": None})
    assert prompt(brief, [UserTurn(text="Hi")]) == [
        {"role": "system", "content": 'Be brief.\n\nnow: 2025-03-10 09:00:00\ntags: ["a"]\nmember: null'},
        {"role": "user", "content": "Hi"},
    ]
    assert prompt(Brief(facts={"now": "noon"})) == [{"role": "system", "content": "now: noon"}]
    assert prompt(Brief()) == []


def test_tools_list_what_is_required_inside_the_parameters():
    api = Api(
        name="AddAlarm",
        description="Sets an alarm.",
        parameters={
            "time": Parameter(json_schema={"type": "string"}),
            "label": Parameter(json_schema={"type": "string"}, required=False, compare="text"),
        },
    )
    assert tools([api, Api(name="Ping")]) == [
        {
            "type": "function",
            "function": {
                "name": "AddAlarm",
                "description": "Sets an alarm.",
                "parameters": {
                    "type": "object",
                    "properties": {"time": {"type": "string"}, "label": {"type": "string"}},
                    "required": ["time"],
                },
            },
        },
        {
            "type": "function",
            "function": {
                "name": "Ping",
                "description": "",
                "parameters": {"type": "object", "properties": {}, "required": []},
            },
        },
    ]


def test_what_is_handed_out_is_the_callers_own():
    api = Api(name="A", parameters={"p": Parameter(json_schema={"type": "string"})})
    tools([api])[0]["function"]["parameters"]["properties"]["p"]["strict"] = True
    assert api.parameters["p"].json_schema == {"type": "string"}


# messages → dialogue ------------------------------------------------------------------------------------------------


def test_a_foreign_transcript():
    messages = [
        {"role": "developer", "content": [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}]},
        {
            "role": "user",
            "name": "ann",
            "content": [{"type": "text", "text": "Sun in "}, {"type": "text", "text": "Oslo?"}],
        },
        {
            "role": "assistant",
            "tool_calls": [call("a1", "Weather", '{"city":"Oslo"}'), call("b2", "Time", "Oslo")],
            "annotations": [],
        },
        tool("b2", [{"type": "text", "text": "16:00"}]),
        tool("a1", '{"sky":"clear"}'),
        {"role": "assistant", "content": "Yes.", "refusal": None},
    ]
    dialogue = from_messages(deepcopy(messages), id="sun")
    assert dialogue.instructions == "Be brief."
    assert [turn.text for turn in dialogue.turns] == ["Sun in Oslo?", None, "Yes."]
    assert dialogue.turns[1].acts == (
        Call(api="Weather", arguments={"city": "Oslo"}),
        Call(api="Time", arguments=None, raw="Oslo"),
    )
    assert dialogue.turns[1].results == (Result(value={"sky": "clear"}), Result(value="16:00"))


def test_several_system_messages_are_one_instruction():
    messages = [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Be kind."}, ASK]
    dialogue = from_messages(messages, id="d")
    assert dialogue.instructions == "Be brief.\n\nBe kind."


def test_a_refusal_is_what_the_agent_says():
    messages = [ASK, {"role": "assistant", "content": None, "refusal": "I can't."}]
    dialogue = from_messages(messages, id="d")
    assert dialogue.turns[1].text == "I can't."
    parts = [ASK, {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}]
    assert from_messages(parts, id="d").turns[1].text == "No."


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("16:00", "16:00"),
        ("", ""),
        ("NaN", "NaN"),
        ("1e999", "1e999"),
        ('"\\ud800"', '"\\ud800"'),
        ("{'a': 1}", "{'a': 1}"),
        ('{"a":1,  "b":[]}', {"a": 1, "b": []}),
        ("1.10", 1.1),
        (" null ", None),
        ("[" * 5000, "[" * 5000),
        (None, ""),
    ],
)
def test_tool_content_is_json_or_else_a_text(content, value):
    dialogue = from_messages(answered(content), id="d")
    assert dialogue.turns[1].results == (Result(value=value),)


@pytest.mark.parametrize("arguments", ["", "time=6", "[1]", "null", '{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}'])
def test_arguments_that_are_no_object_did_not_parse(arguments):
    messages = [ASK, {"role": "assistant", "content": None, "tool_calls": [call(arguments=arguments)]}]
    dialogue = from_messages(messages, id="d")
    assert dialogue.turns[1].acts == (Call(api="Add", arguments=None, raw=arguments),)


json_texts = st.builds(json.dumps, some.values, ensure_ascii=st.booleans(), indent=st.sampled_from([None, 2]))
content_parts = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": some.texts}), max_size=3)
contents = some.texts | content_parts
others = st.fixed_dictionaries({}, optional={"name": some.texts, "weight": some.values})


@st.composite
def assistant_messages(draw):
    ids = draw(st.lists(st.text("abc_019", min_size=1, max_size=4), max_size=3, unique=True))
    message = {"role": "assistant", **draw(others)}
    if draw(st.booleans()) or not ids:
        message["content"] = draw(contents | st.none())
    if ids or draw(st.booleans()):
        message["tool_calls"] = [call(id, draw(some.texts), draw(json_texts | some.texts)) for id in ids]
    done = [id for id in draw(st.permutations(ids)) if draw(st.booleans())]
    return [message, *(tool(id, draw(json_texts | contents)) for id in done)]


@st.composite
def transcripts(draw):
    system = st.fixed_dictionaries({"role": st.sampled_from(["system", "developer"]), "content": contents})
    user = st.builds(lambda content, other: [{"role": "user", "content": content, **other}], contents, others)
    groups = draw(st.lists(user | assistant_messages(), max_size=4))
    return [
        *draw(st.lists(system, max_size=2)),
        *(m for group in groups for m in group),
        {"role": "user", "content": ""},
    ]


@given(transcripts())
def test_messages_of_others_are_read_for_what_they_say(messages):
    before = deepcopy(messages)
    said = to_messages(from_messages(messages, id="d"))
    assert messages == before
    assert to_messages(from_messages(said, id="d")) == said


# errors -------------------------------------------------------------------------------------------------------------

ASSISTANT = {"role": "assistant", "content": "Hi"}
CALLING = {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]}
BAD = {
    "unknown role": (
        [ASK, {"role": "robot", "content": ""}],
        "$[1].role: unknown role 'robot' (expected system, developer, user, assistant or tool)",
    ),
    "old role": ([ASK, {"role": "function", "name": "f", "content": ""}], "$[1].role: unknown role 'function'"),
    "missing role": ([ASK, {"content": "Hi"}], "$[1].role: this key is missing"),
    "role of another type": ([{"role": 7}], "$[0].role: expected a text, got 7"),
    "no message": ([ASK, "Hi"], "$[1]: expected an object, got 'Hi'"),
    "no list": ({"messages": []}, "$: expected a list of messages, got {'messages': []}"),
    "a text": ("Hi", "$: expected a list of messages, got 'Hi'"),
    "nothing": (None, "$: expected a list of messages, got None"),
    "empty": ([], "$: these messages make no dialogue: the conversation has no user turn"),
    "late system": ([ASK, {"role": "system", "content": ""}], "$[1].role: a system message in mid-conversation"),
    "image": (
        [{"role": "user", "content": [{"type": "text", "text": "?"}, {"type": "image_url", "image_url": {}}]}],
        "$[0].content[1].type: a part of type 'image_url': only text can be read",
    ),
    "part without text": (
        [{"role": "user", "content": [{"type": "text"}]}],
        "$[0].content[0].text: this key is missing",
    ),
    "part is a text": ([{"role": "user", "content": ["Hi"]}], "$[0].content[0]: expected an object, got 'Hi'"),
    "content": ([{"role": "user", "content": 7}], "$[0].content: expected a text or a list of parts, got 7"),
    "tool first": ([tool("a"), ASK], "$[0].tool_call_id: no call with the id 'a' is open"),
    "tool after user": ([ASK, tool("a")], "$[1].tool_call_id: no call with the id 'a' is open"),
    "tool after words": (
        [ASK, ASSISTANT, tool("a")],
        "$[2].tool_call_id: no call with the id 'a' is open (open: none)",
    ),
    "unknown id": ([ASK, CALLING, tool("c")], "$[2].tool_call_id: no call with the id 'c' is open (open: a, b)"),
    "too late": ([ASK, CALLING, ASK, tool("a")], "$[3].tool_call_id: no call with the id 'a' is open"),
    "answered twice": ([ASK, CALLING, tool("a"), tool("a")], "$[3].tool_call_id: the call 'a' is answered already"),
    "no id": ([ASK, CALLING, {"role": "tool", "content": ""}], "$[2].tool_call_id: this key is missing"),
    "same id": (
        [ASK, {**CALLING, "tool_calls": [call("a"), call("a")]}],
        "$[1].tool_calls: two calls have the same id",
    ),
    "calls": ([ASK, {**CALLING, "tool_calls": {}}], "$[1].tool_calls: expected a list, got {}"),
    "call": ([ASK, {**CALLING, "tool_calls": [7]}], "$[1].tool_calls[0]: expected an object, got 7"),
    "call without id": (
        [ASK, {**CALLING, "tool_calls": [{"function": {"name": "f", "arguments": ""}}]}],
        "$[1].tool_calls[0].id: this key is missing",
    ),
    "call without function": (
        [ASK, {**CALLING, "tool_calls": [{"id": "a"}]}],
        "$[1].tool_calls[0].function: expected an object, got None",
    ),
    "arguments": (
        [ASK, {**CALLING, "tool_calls": [call(arguments={"a": 1})]}],
        "$[1].tool_calls[0].function.arguments: expected a text, got {'a': 1}",
    ),
    "custom tool": (
        [ASK, {**CALLING, "tool_calls": [{"id": "a", "type": "custom", "custom": {}}]}],
        "$[1].tool_calls[0].type: a call of type 'custom': only functions can be read",
    ),
    "old call": (
        [ASK, {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}],
        "$[1].function_call: the old form of a call (write it as `tool_calls`)",
    ),
    "surrogate": ([ASK, {"role": "user", "content": "\ud800"}], "$: these messages cannot be written"),
    "surrogate in the system": (
        [{"role": "system", "content": "\ud800"}, ASK],
        "$: these messages cannot be written",
    ),
    "surrogate in a result": (answered("\ud800"), "$: these messages cannot be written"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_refused_with_its_place(name):
    messages, what = BAD[name]
    with pytest.raises(BadRecord) as error:
        from_messages(messages, id="d", file="chat.jsonl", line=3)
    assert str(error.value).startswith(f"chat.jsonl:3: {what}")


def test_the_place_of_the_list_itself_can_be_said():
    with pytest.raises(BadRecord, match=r"^chat\.json: \$\.messages\[0\]\.role: this key is missing$"):
        from_messages([{}], id="d", file="chat.json", path="$.messages")
