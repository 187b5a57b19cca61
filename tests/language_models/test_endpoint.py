"""The client over real HTTP on the loopback: what is sent, what is read, what is tried again, every fault by name."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from fake_endpoint import HANG, RESET, Answer, Endpoint, Script, refuses, says

from toologue import limits
from toologue.errors import BadSetting
from toologue.formats.openai import to_messages, tools
from toologue.models.ask import model
from toologue.models.client import RemoteModel, Setup
from toologue.models.model import ModelFault, Reply, forbid_requests
from toologue.schema import AgentTurn, Call, Fault, Result, Usage, UserTurn
from toologue.worlds.assistant import apis

Start = Callable[[Script], Endpoint]
HI = [{"role": "user", "content": "Hi"}]
PLAIN = Setup()


class Waits(list[float]):
    """A sleep that only writes down how long it should have been."""

    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


def asked(setup: Setup = PLAIN, waits: Waits | None = None, **options: Any) -> Reply:
    """The reply of the endpoint that TOOLOGUE_BASE_URL names."""
    it = RemoteModel("gpt-x", setup, sleep=(waits if waits is not None else Waits()).sleep, jitter=lambda: 0.0)
    return asyncio.run(it.reply(options.pop("messages", HI), **options))


def fault(setup: Setup = PLAIN, waits: Waits | None = None) -> ModelFault:
    with pytest.raises(ModelFault) as caught:
        asked(setup, waits)
    return caught.value


def strange(**message: Any) -> Answer:
    """A completion whose message is not what it should be."""
    whole = says("x").body
    return Answer({**whole, "choices": [{**whole["choices"][0], "message": message}]})


class TestReplies:
    def test_words(self, endpoint: Start) -> None:
        endpoint([says("Hello.")])
        assert asked() == Reply(text="Hello.", usage=Usage(input_tokens=10, output_tokens=2), model="gpt-x-2025-01-01")

    def test_words_and_calls(self, endpoint: Start) -> None:
        endpoint([says("One moment.", ("AddAlarm", {"time": "06:00:00"}), ("Find", "[1]"), ("Find", '{"a":'))])
        reply = asked()
        assert (reply.text, reply.finish) == ("One moment.", "tool_calls")
        assert reply.calls == (
            Call(api="AddAlarm", arguments={"time": "06:00:00"}),
            Call(api="Find", arguments=None, raw="[1]"),
            Call(api="Find", arguments=None, raw='{"a":'),
        )

    def test_nothing(self, endpoint: Start) -> None:
        endpoint([says(None)])
        assert (asked().text, asked().calls) == (None, ())

    @pytest.mark.parametrize(
        ("theirs", "ours"),
        [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("?", "other")],
    )
    def test_why_it_stopped(self, theirs: str, ours: str, endpoint: Start) -> None:
        endpoint([says("x", finish=theirs)])
        assert asked().finish == ours

    def test_an_endpoint_that_does_not_count(self, endpoint: Start) -> None:
        endpoint([says("x", usage=None)])
        assert asked().usage is None

    def test_a_refusal_is_said(self, endpoint: Start) -> None:
        endpoint([strange(role="assistant", content=None, refusal="I cannot help with that.")])
        assert (asked().text, asked().finish) == ("I cannot help with that.", "content_filter")

    def test_reasoning_is_kept_apart(self, endpoint: Start) -> None:
        endpoint([strange(role="assistant", content="Six.", reasoning_content="Three and three.")])
        assert (asked().text, asked().thought) == ("Six.", "Three and three.")

    def test_what_no_file_can_hold_is_replaced(self, endpoint: Start) -> None:
        endpoint([says("\ud800 hi", ("Find\ud800", '{"a": "\ud800"}'))])
        reply = asked()
        assert (reply.text, reply.calls[0].api) == ("� hi", "Find�")
        assert Reply.model_validate_json(reply.model_dump_json()) == reply


class TestRequests:
    def test_plain_ones_hold_nothing_that_was_not_asked_for(self, endpoint: Start) -> None:
        there = endpoint([says("x")])
        asked()
        (request,) = there.requests
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == "Bearer sk-do-not-tell-0123456789"
        assert request.body == {"model": "gpt-x", "stream": False, "messages": HI}

    def test_settings_are_passed_on(self, endpoint: Start) -> None:
        there = endpoint([says("x")])
        asked(Setup(temperature=0.5, max_tokens=9), seed=4)
        body = there.requests[0].body
        assert {name: body[name] for name in ("temperature", "max_tokens", "seed")} == {
            "temperature": 0.5, "max_tokens": 9, "seed": 4,
        }  # fmt: skip

    @pytest.mark.parametrize(("seed", "sent"), [("asked", 4), ("none", None), (9, 9)])
    def test_whose_seed(self, seed: Any, sent: int | None, endpoint: Start) -> None:
        there = endpoint([says("x")])
        asked(Setup(seed=seed), seed=4)
        assert there.requests[0].body.get("seed") == sent

    @pytest.mark.parametrize("name", ["gpt-x", "o3-mini", "gpt-5", "qwen/qwen3", "mistral-large", "llama3.2:3b"])
    def test_no_setting_is_dropped_because_of_a_name(self, name: str, endpoint: Start) -> None:
        there = endpoint([says("x")])
        it = model(f"openai:{name}?temperature=0&max_tokens=9")
        asyncio.run(it.reply(HI, tools=tools(apis()[:2])))
        body = there.requests[0].body
        assert (body["model"], body["temperature"], body["max_tokens"]) == (name, 0, 9)
        assert body["tools"] == tools(apis()[:2])

    def test_tools_go_out_as_they_are_documented(self, endpoint: Start) -> None:
        there = endpoint([says("x")])
        asked(tools=tools(apis()))
        sent = there.requests[0].body["tools"]
        assert sent == tools(apis())
        alarm = next(tool["function"] for tool in sent if tool["function"]["name"] == "AddAlarm")
        assert alarm["parameters"]["required"] == ["time"]

    def test_the_conversation_goes_out_message_by_message(self, endpoint: Start) -> None:
        there = endpoint([says("x")])
        failed = Result(error=Fault(type="APIException", message="No such alarm."))
        both = (Call(api="FindAlarms", arguments={}), Call(api="DeleteAlarm", arguments={"alarm_id": "é"}))
        history = to_messages(
            [
                UserTurn(text="Delete it."),
                AgentTurn(text="Let me see.", acts=both, results=(Result(value=[1]), failed)),
                AgentTurn(text=""),
                UserTurn(text=""),
            ]
        )
        asked(messages=[{"role": "system", "content": "Be kind."}, *history])
        sent = there.requests[0].messages
        assert [message["role"] for message in sent] == [
            "system",
            "user",
            "assistant",
            "tool",
            "tool",
            "assistant",
            "user",
        ]
        assert spaced(sent) == spaced([{"role": "system", "content": "Be kind."}, *history])
        assert json.loads(sent[4]["content"]) == {"error": {"type": "APIException", "message": "No such alarm."}}

    def test_arguments_that_were_no_object_go_out_as_one(self, endpoint: Start) -> None:
        """Many endpoints refuse a whole conversation for a call whose arguments do not parse."""
        there = endpoint([says("x")])
        call = Call(api="Find", arguments=None, raw="[1")
        asked(messages=to_messages([UserTurn(text="?"), AgentTurn(acts=(call,), results=(Result(value=1),))]))
        arguments = there.requests[0].messages[1]["tool_calls"][0]["function"]["arguments"]
        assert json.loads(arguments) == {"INVALID_JSON": "[1"}

    def test_a_schema_for_the_answer(self, endpoint: Start) -> None:
        there = endpoint([says('{"good": true}')])
        schema = {"type": "object", "properties": {"good": {"type": "boolean"}}, "required": ["good"]}
        assert asked(output=schema).text == '{"good": true}'
        assert there.requests[0].body["response_format"]["json_schema"]["schema"] == schema

    def test_an_endpoint_of_ones_own_needs_no_key(self, endpoint: Start, monkeypatch: pytest.MonkeyPatch) -> None:
        there = endpoint([says("x")])
        monkeypatch.delenv("OPENAI_API_KEY")
        asked()
        assert there.requests[0].headers["authorization"] == "Bearer no-key-needed"

    def test_which_address_counts(self, endpoint: Start, monkeypatch: pytest.MonkeyPatch) -> None:
        """The option, then TOOLOGUE_BASE_URL, then OPENAI_BASE_URL."""
        third, second, first = (endpoint([says(name)]) for name in ("third", "second", "first"))
        monkeypatch.setenv("OPENAI_BASE_URL", third.url)
        monkeypatch.setenv("TOOLOGUE_BASE_URL", second.url)
        assert asked(Setup(base_url=first.url + "/")).text == "first"
        assert asked().text == "second"
        monkeypatch.delenv("TOOLOGUE_BASE_URL")
        assert asked().text == "third"


def spaced(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages with the JSON of arguments spaced alike."""
    calls = [call["function"] for message in messages for call in message.get("tool_calls", [])]
    for function in calls:
        function["arguments"] = json.dumps(json.loads(function["arguments"]))
    return messages


BROKEN = {
    "html": Answer(b"<html>Bad gateway</html>"),
    "a text": Answer(b"upstream lost", headers={"Content-Type": "text/plain"}),
    "nothing": Answer(b""),
    "no text at all": Answer(b"\xff\xfe\x00\x1b[31m"),
    "null": Answer(None),
    "a list": Answer([1]),
    "an error": Answer({"error": {"message": "lost"}}),
    "no choices": Answer({**says("x").body, "choices": []}),
    "null choices": Answer({**says("x").body, "choices": None}),
    "choices that are none": Answer({**says("x").body, "choices": "abc"}),
    "a choice that is none": Answer({**says("x").body, "choices": [1]}),
    "no message": Answer({**says("x").body, "choices": [{"index": 0, "finish_reason": "stop"}]}),
    "a number for words": strange(role="assistant", content=5),
    "an object for arguments": strange(
        role="assistant",
        content=None,
        tool_calls=[{"id": "1", "type": "function", "function": {"name": "F", "arguments": {}}}],
    ),
    "another kind of tool": strange(
        role="assistant", content=None, tool_calls=[{"id": "1", "type": "custom", "custom": {"name": "F", "input": ""}}]
    ),
}  # fmt: skip


class TestFaults:
    @pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
    def test_an_answer_that_is_none(self, answer: Answer, endpoint: Start) -> None:
        there = endpoint([answer])
        broken = fault()
        assert (broken.type, broken.status, broken.tries, len(there.requests)) == ("bad_response", 200, 1, 1)
        assert (
            broken.excerpt[:9]
            == "".join(c if c.isprintable() else "�" for c in answer.bytes.decode(errors="replace"))[:9]
        )

    def test_more_than_is_read_of_anything_is_none(self, endpoint: Start, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "DOCUMENT", 1000)
        there = endpoint([says("x" * 2000), says("y")])
        assert (fault().type, len(there.requests)) == ("bad_response", 1)
        assert asked().text == "y"

    def test_nothing_is_unpacked(self, endpoint: Start) -> None:
        """A few kilobytes would become megabytes."""
        there = endpoint([Answer(gzip.compress(says("x" * 10_000_000).bytes), 200, {"Content-Encoding": "gzip"})])
        assert (fault().type, there.requests[0].headers["accept-encoding"]) == ("bad_response", "identity")

    def test_a_redirect_is_not_followed(self, endpoint: Start) -> None:
        """What was said, and the key, go to no other address than the one that was given."""
        elsewhere = endpoint([says("x")])
        there = endpoint([Answer({}, 307, {"Location": f"{elsewhere.url}/chat/completions"})])
        assert (fault().type, len(there.requests), elsewhere.requests) == ("bad_response", 1, [])

    def test_a_long_answer_is_cut(self, endpoint: Start) -> None:
        endpoint([Answer(b"<p>\n\x1b[31m" + b"long " * 1000)])
        excerpt = fault().excerpt
        assert len(excerpt) == 301
        assert excerpt.startswith("<p> �[31mlong long")
        assert excerpt.endswith("…")

    @pytest.mark.parametrize(
        ("answer", "type"),
        [
            (refuses(400, "no such setting"), "bad_request"),
            (refuses(422), "bad_request"),
            (refuses(401), "unauthorized"),
            (refuses(403), "unauthorized"),
            (refuses(404, "no such model"), "not_found"),
            (refuses(429, code="insufficient_quota"), "quota_exceeded"),
            (refuses(402), "quota_exceeded"),
            (refuses(400, code="context_length_exceeded"), "too_long"),
            (refuses(408), "timeout"),
        ],
    )
    def test_a_refusal_is_not_tried_again(self, answer: Answer, type: str, endpoint: Start) -> None:
        there = endpoint([answer])
        refused = fault()
        assert (refused.type, refused.status, refused.tries, len(there.requests)) == (type, answer.status, 1, 1)
        told = " and OPENAI_API_KEY" if type == "unauthorized" else ""
        assert f"'gpt-x' at {there.url} refused the request{told}, status {answer.status}" in str(refused)
        assert json.loads(refused.excerpt) == answer.body

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
    def test_what_may_pass_is_tried_again_and_again(self, status: int, endpoint: Start) -> None:
        there, waits = endpoint([refuses(status)]), Waits()
        passing = fault(waits=waits)
        assert passing.type == ("rate_limited" if status == 429 else "server_error")
        assert (passing.tries, len(there.requests), waits) == (4, 4, [1, 2, 4])
        assert f"tried 4 times, status {status}" in str(passing)

    def test_and_then_goes_well(self, endpoint: Start) -> None:
        there, waits = endpoint([refuses(429, after="7"), RESET, refuses(500, after="0"), says("ok")]), Waits()
        reply = asked(waits=waits)
        assert (reply.text, reply.tries, len(there.requests), waits) == ("ok", 4, 4, [7, 2, 0])
        assert len({json.dumps(request.body) for request in there.requests}) == 1

    def test_no_wait_is_longer_than_a_minute(self, endpoint: Start) -> None:
        waits = Waits()
        endpoint([refuses(503, after="86400"), says("ok")])
        asked(waits=waits)
        assert waits == [60]

    @pytest.mark.parametrize("after", ["soon", "-5", "", "nan", "inf"])
    def test_a_retry_after_that_says_nothing(self, after: str, endpoint: Start) -> None:
        waits = Waits()
        endpoint([refuses(429, after=after), says("ok")])
        assert asked(waits=waits).text == "ok"
        assert 0 <= waits[0] <= 60

    def test_waits_are_shortened_by_chance(self, endpoint: Start) -> None:
        endpoint([refuses(500)])
        waits = Waits()
        it = RemoteModel("gpt-x", Setup(wait=2), sleep=waits.sleep, jitter=iter([0.5, 0.25, 0.0]).__next__)
        with pytest.raises(ModelFault):
            asyncio.run(it.reply(HI))
        assert waits == [1, 3, 8]

    def test_connections_that_break(self, endpoint: Start) -> None:
        there, waits = endpoint([RESET]), Waits()
        broken = fault(Setup(tries=2), waits)
        assert (broken.type, broken.status, broken.tries, len(there.requests)) == ("connection", None, 2, 2)
        assert f"'gpt-x' at {there.url} broke the connection: " in str(broken)

    def test_nobody_there(self, endpoint: Start) -> None:
        there = endpoint([])
        there.shutdown()
        there.server_close()
        nobody = fault(Setup(tries=3))
        assert (nobody.type, nobody.tries) == ("connection", 3)
        assert f"{there.url} cannot be connected to: " in str(nobody)

    @pytest.mark.slow
    def test_no_answer_in_time(self, endpoint: Start) -> None:
        there = endpoint([HANG])
        late = fault(Setup(timeout=0.2))
        assert (late.type, late.tries, len(there.requests)) == ("timeout", 1, 1)
        assert "did not answer within 0.2 s (raise the option `timeout`)" in str(late)


class TestConnections:
    def test_one_serves_many_requests(self, endpoint: Start) -> None:
        there = endpoint([says("x")])
        it = RemoteModel("gpt-x")

        async def thrice() -> None:
            for _ in range(3):
                await it.reply(HI)

        asyncio.run(thrice())
        assert (len(there.requests), there.connections) == (3, 1)

    def test_a_model_outlives_an_event_loop(self, endpoint: Start) -> None:
        """Warnings are errors here: what a loop leaves open would be seen."""
        endpoint([says("x")])
        it = RemoteModel("gpt-x")
        assert [asyncio.run(it.reply(HI)).text for _ in range(3)] == ["x", "x", "x"]

    def test_many_at_once(self, endpoint: Start) -> None:
        there = endpoint(lambda request: says(request.messages[0]["content"]))
        it = RemoteModel("gpt-x")

        async def all_of_them() -> list[Reply]:
            return await asyncio.gather(*(it.reply([{"role": "user", "content": str(n)}]) for n in range(50)))

        assert [reply.text for reply in asyncio.run(all_of_them())] == [str(n) for n in range(50)]
        assert len(there.requests) == 50


class TestTheSwitch:
    def test_nothing_is_sent_while_it_is_forbidden(self, endpoint: Start) -> None:
        there = endpoint([says("x")])
        forbid_requests()
        with pytest.raises(BadSetting, match=f"forbidden here, and 'gpt-x' at {there.url} was about to be asked"):
            asked()
        assert there.requests == []
