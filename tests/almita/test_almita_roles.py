"""ALMITA's roles: messages become turns; calls and values as models write them."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from almita_samples import APIS, does
from hypothesis import given
from hypothesis import strategies as st

import noun_strategies
from toologue.errors import BadRecord
from toologue.formats.almita import ROLES, broken_rules, from_messages
from toologue.formats.literals import call_of, objects, output_of, result_of, value_of
from toologue.schema import AgentTurn, Call, Dialogue, Fault, Result, UserTurn


def message(role: str, content: Any, **other: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **other}


PUBLISHED = [
    message("user", "I didn't get my parcel"),
    message("assistant", "What is the order number?"),
    message("user", "It is #812"),
    message("api", "get_order(order_id=812, express=True)"),
    message("api_output", '{"status": [{"item": "kettle", "state": "sent"}]}'),
    message("assistant", "It was sent."),
]


class TestMessages:
    def test_a_conversation_becomes_turns(self) -> None:
        dialogue = from_messages(PUBLISHED, id="parcel")
        assert dialogue.turns == (
            UserTurn(text="I didn't get my parcel"),
            AgentTurn(text="What is the order number?"),
            UserTurn(text="It is #812"),
            AgentTurn(
                acts=(Call(api="get_order", arguments={"order_id": 812, "express": True}),),
                results=(Result(value={"status": [{"item": "kettle", "state": "sent"}]}),),
            ),
            AgentTurn(text="It was sent."),
        )

    @pytest.mark.parametrize(
        ("content", "value"),
        [
            ("False", False),
            ("[1, 2.5]", [1, 2.5]),
            ("{'status': 'sent', 'late': None}", {"status": "sent", "late": None}),
            ("success", "success"),
            ("", ""),
            ('"quoted"', "quoted"),
            ({"status": "sent"}, {"status": "sent"}),
            (7, 7),
            ('{"status": ', '{"status": '),
        ],
    )
    def test_outputs_in_any_form(self, content: Any, value: Any) -> None:
        messages = [message("user", "?"), message("api", "get_order(order_id=1)"), message("api_output", content)]
        dialogue = from_messages(messages, id="x")
        assert dialogue.turns[1].results[0].value == value

    def test_errors_are_told_apart_from_values(self) -> None:
        turn = does("get_order", Fault(type="not_found", message="no order 1"), order_id=1)
        error = json.dumps({"error": {"type": "not_found", "message": "no order 1"}})
        said = [message("user", "?"), message("api", "get_order(order_id=1)"), message("api_output", error)]
        assert from_messages(said, id="x").turns[1] == turn

    @pytest.mark.parametrize(
        ("messages", "complaint"),
        [
            ({}, r"\$: expected a list of messages, got \{\}"),
            (None, r"\$: expected a list of messages, got None"),
            (["hi"], r"\$\[0\]: expected \{\"role\": …, \"content\": …\}, got 'hi'"),
            ([{"role": "user"}], r"\$\[0\]: expected"),
            ([message("asistant", "x")], r"\$\[0\]\.role: no role is called 'asistant'; did you mean 'assistant'\?"),
            ([message(7, "x")], r"\$\[0\]\.role: no role is called '7'"),
            ([message("user", 7)], r"\$\[0\]\.content: expected a text, got 7"),
            ([message("user", "?"), message("api_output", "1")], r"\$\[1\]\.role: an output, and no call before it"),
            (
                [message("api", "a()"), message("api_output", "1"), message("api_output", "2")],
                r"\$\[2\]\.role: an output, and no call before it",
            ),
            ([message("assistant", "Hi")], r"\$: these messages make no dialogue: the conversation has no user turn"),
            ([message("user", "\ud800")], r"\$: these messages cannot be written"),
            ([message("user", "?"), message("api", "get(")], r"\$\[1\]\.content: 'get\(' cannot be read"),
            (
                [message("user", "?"), message("api", "get(812)")],
                r"\$\[1\]\.content: 'get\(812\)' cannot be read: '812' has no name: write parameter=value",
            ),
            (
                [message("user", "?"), message("api", "get(a=1, a=2)")],
                r"\$\[1\]\.content: .* the parameter 'a' is given twice",
            ),
            ([message("user", "?"), message("api", "get(a={1, 2})")], r"'\{1, 2\}' is neither JSON nor a Python"),
        ],
    )
    def test_what_cannot_be_read_says_where(self, messages: Any, complaint: str) -> None:
        with pytest.raises(BadRecord, match=complaint):
            from_messages(messages, id="x")


class TestRules:
    def rules(self, *roles: str, apis: Any = None) -> list[str]:
        contents = {"api": "get_order(order_id=1)", "api_output": "1"}
        return [found.rule for found in broken_rules([message(r, contents.get(r, "x")) for r in roles], apis)]

    @pytest.mark.parametrize(
        ("roles", "rule"),
        [
            (["assistant", "user", "assistant"], "the customer begins"),
            (["user", "api", "assistant"], "after api comes api_output"),
            (["user", "api"], "after api comes api_output"),
            (["user", "assistant", "assistant"], "after assistant comes user"),
            (["user", "user", "assistant"], "after user comes assistant or api"),
            (["user"], "after user comes assistant or api"),
            (["user", "api", "api_output", "user", "assistant"], "after api_output comes assistant or api"),
        ],
    )
    def test_order(self, roles: list[str], rule: str) -> None:
        assert self.rules(*roles) == [rule]

    def test_what_keeps_them(self) -> None:
        assert self.rules("user", "api", "api_output", "api", "api_output", "assistant", "user", "assistant") == []

    def test_outputs_are_json(self) -> None:
        said = [*PUBLISHED[:4], message("api_output", "False"), PUBLISHED[5]]
        assert [(found.at, found.rule) for found in broken_rules(said)] == [(4, "outputs are JSON")]

    @pytest.mark.parametrize(
        ("call", "rules"),
        [
            ("get_order(order_id=1)", []),
            ("get_ordr(order_id=1)", ["calls are of the given APIs, not get_ordr"]),
            ("get_order()", ["parameters are defined: get_order needs order_id"]),
            (
                "refund_order(order_id=1, sum=2)",
                ["parameters are defined: refund_order has no sum; refund_order needs amount"],
            ),
        ],
    )
    def test_calls_are_of_the_given_apis(self, call: str, rules: list[str]) -> None:
        said = [message("user", "?"), message("api", call), message("api_output", "1"), message("assistant", "x")]
        assert [found.rule for found in broken_rules(said, {api.name: api for api in APIS})] == rules


class TestCalls:
    @pytest.mark.parametrize(
        ("text", "arguments"),
        [
            ("f()", {}),
            ("f", {}),
            (" f ( ) ; ", {}),
            (
                "f(a=1, b='x', c=\"y\", d=None, e=null, g=true)",
                {"a": 1, "b": "x", "c": "y", "d": None, "e": None, "g": True},
            ),
            ("f(a=-1.5,)", {"a": -1.5}),
            ("f(a=sent,)", {"a": "sent"}),
            ("f(a=[1, {'b': (2, 3)}])", {"a": [1, {"b": [2, 3]}]}),
            ('f({"a": 1})', {"a": 1}),
            ("f(a=ORD-812, b=ann@mail.example)", {"a": "ORD-812", "b": "ann@mail.example"}),
            ("f(a=on its way, sort of, b=2)", {"a": "on its way, sort of", "b": 2}),
            ("f(a=don't know, b=it's late)", {"a": "don't know", "b": "it's late"}),
            ("f(a='x, b=2', c=3)", {"a": "x, b=2", "c": 3}),
            ("f(a=(555) 010-0199)", {"a": "(555) 010-0199"}),
            ("f(a=:))", {"a": ":)"}),
            ("f(a=b=c)", {"a": "b=c"}),
            ("f(\n  a=1,\n  b=2,\n)", {"a": 1, "b": 2}),
            ("f(a='two\\nlines')", {"a": "two\nlines"}),
        ],
    )
    def test_arguments_in_any_form(self, text: str, arguments: dict[str, Any]) -> None:
        assert call_of(text) == ("f", arguments)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "f(",
            "f)",
            "f(1)",
            "f(a=)",
            "f(a='x)",
            "f(a=[1)",
            "f(=1)",
            "f(a==1)",
            "f(a=1, a=2)",
            "2f()",
            "f() g()",
            "f({})x",
        ],
    )
    def test_what_is_no_call(self, text: str) -> None:
        with pytest.raises(ValueError, match=r".+"):
            call_of(text)

    NAMES = st.from_regex(r"[A-Za-z_][\w.-]{0,8}", fullmatch=True).filter(str.isascii)

    @given(st.text(max_size=60) | st.text(alphabet="f(a=1,'\"[{}]) \\b", max_size=30))
    def test_any_text_is_a_call_or_a_value_error(self, text: str) -> None:
        for read in (call_of, value_of):
            with suppress(ValueError):
                read(text)

    @pytest.mark.parametrize(
        "text",
        [
            "-" * 5000 + "1",
            "(" * 5000,
            "[" * 100_000,
            "{'a':" * 5000,
            "1+" * 20_000 + "1",
            "9" * 5000,
            "'" * 9999,
            "\x00",
        ],
        ids=lambda text: f"{text[:4]!r} × {len(text)}",
    )
    def test_hostile_values_are_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="neither JSON nor a Python literal"):
            value_of(text)

    @pytest.mark.parametrize(
        "text", ["NaN", "Infinity", "-1e999", "1e999", "b'x'", "1j", "{1}", "f'x'", "print(1)", "1 + 1"]
    )
    def test_what_json_does_not_hold_is_no_value(self, text: str) -> None:
        with pytest.raises(ValueError, match="neither JSON nor a Python literal"):
            value_of(text)


class TestObjects:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", []),
            ("{", []),
            ('Sure: {"a": "}"} and {\'b\': "it\'s }"}!', ['{"a": "}"}', "{'b': \"it's }\"}"]),
            ("{'a': 'it's fine'}", ["{'a': 'it's fine'}"]),
            ("{ {'a': 1}", ["{'a': 1}"]),
            ('{"a": {"b": {}}}', ['{"a": {"b": {}}}']),
        ],
    )
    def test_the_outermost_are_found(self, text: str, expected: list[str]) -> None:
        assert [text[start:end] for start, end in objects(text)] == expected

    def test_a_long_text_is_searched_in_its_first_part_only(self) -> None:
        assert list(objects("{" * 200_000)) == []
        assert len(list(objects("{}" * 500_000))) == 50_000


class TestOutputs:
    @given(noun_strategies.values, st.none() | noun_strategies.faults)
    def test_every_result_comes_back(self, value: Any, error: Fault | None) -> None:
        output = output_of(Result(value=value, error=error))
        back = result_of(json.loads(json.dumps(output)))
        assert (json.dumps(back.value), back.error) == (json.dumps(value), error)

    ENVELOPES = st.recursive(
        st.sampled_from([None, 7, {}, {"value": 1}, {"error": {"type": "a", "message": "b"}}, {"error": {"type": 1}}]),
        lambda inner: st.fixed_dictionaries({"value": inner}),
    )

    @given(ENVELOPES)
    def test_values_that_look_like_errors_too(self, value: Any) -> None:
        assert result_of(output_of(Result(value=value))) == Result(value=value)


class TestAnyMessages:
    CALLS = st.sampled_from(["get(a=1, b='x')", 'get({"a": [1]})'])
    MESSAGES = st.one_of(
        st.builds(message, st.sampled_from(["user", "assistant"]), noun_strategies.texts),
        st.builds(message, st.just("api"), CALLS | st.sampled_from(["f( a = 1 )", "f(x=two words)", "f"])),
        st.builds(message, st.just("api_output"), noun_strategies.texts | noun_strategies.values.map(json.dumps)),
    )

    @given(st.lists(MESSAGES, max_size=8))
    def test_messages_are_read_or_say_what_is_wrong(self, messages: list[Any]) -> None:
        try:
            dialogue = from_messages(messages, id="x")
        except BadRecord:
            return
        assert Dialogue.model_validate_json(dialogue.model_dump_json()) == dialogue
        assert all(0 <= found.at < len(messages) for found in broken_rules(messages))

    ANYTHING = st.recursive(
        st.none() | st.integers() | st.text(max_size=5) | st.sampled_from(ROLES),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "x"]), inner, max_size=3)
        ),
        max_leaves=8,
    )

    @given(ANYTHING)
    def test_anything_else_is_a_bad_record(self, anything: Any) -> None:
        with suppress(BadRecord):
            from_messages(anything, id="x")
