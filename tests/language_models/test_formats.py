"""One conversation with every format over real HTTP: the same turn, the same tokens, the same fault, whoever serves it.

The endpoint answers as scripted, in the format in which it is asked. Google and Anthropic have no `context_length`
code, and Google says 400 to a key that has expired: the endpoint says it as they do.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from fake_endpoint import HANG, RESET, Answer, Endpoint, Script, refuses, says

from toologue.formats.openai import to_messages
from toologue.models.client import RemoteModel, Setup
from toologue.models.model import ModelFault, Reply
from toologue.models.providers import key_names, missing
from toologue.schema import AgentTurn, Call, Result, Usage, UserTurn

Start = Callable[[Script], Endpoint]
Ask = Callable[..., Reply]
KEY = "sk-do-not-tell-0123456789"
HI = [{"role": "user", "content": "Hi"}]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "Find",
            "description": "Finds a parcel.",
            "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        },
    }
]
# provider: (its package, a name, what stands before the path of its requests)
FORMATS = {
    "openai": ("openai", "gpt-x", "/v1"),
    "openai-responses": ("openai", "gpt-4.1", "/v1"),
    "anthropic": ("anthropic", "claude-haiku-4-5", ""),
    "google": ("google.genai", "gemini-2.5-flash", ""),
    "groq": ("groq", "llama-3.3-70b-versatile", ""),
}


def installed(package: str) -> bool:
    """Whether a package is there; `google` is shared by many, so the whole name counts."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(params=FORMATS)
def served(request: pytest.FixtureRequest, endpoint: Start, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`served(script)` starts an endpoint, and gives it with a function that asks a model of this format there."""
    provider = str(request.param)
    package, name, prefix = FORMATS[provider]
    if not installed(package):
        pytest.skip(missing(provider))
    monkeypatch.setenv(key_names(provider)[0], KEY)

    def start(script: Script, name: str = name, **options: Any) -> tuple[Endpoint, Ask]:
        there = endpoint(script)
        setup = Setup(base_url=there.url.removesuffix("/v1") + prefix, wait=0, **options)
        model = RemoteModel(name, setup, provider=provider)
        return there, lambda messages=HI, **more: asyncio.run(model.reply(messages, **more))

    start.provider = provider  # type: ignore[attr-defined]
    return start


def fault(ask: Ask, **more: Any) -> ModelFault:
    with pytest.raises(ModelFault) as caught:
        ask(**more)
    return caught.value


def strange(**message: Any) -> Answer:
    whole = says("x").body
    return Answer({**whole, "choices": [{**whole["choices"][0], "message": {"role": "assistant", **message}}]})


class TestTheSameTurn:
    def test_words(self, served: Any) -> None:
        _, ask = served([says("Hello.")])
        assert ask() == Reply(text="Hello.", usage=Usage(input_tokens=10, output_tokens=2), model="gpt-x-2025-01-01")

    def test_words_and_parallel_calls(self, served: Any) -> None:
        _, ask = served([says("One moment.", ("Find", {"id": "a"}), ("Find", {"id": "é"}))])
        reply = ask(tools=TOOLS)
        assert (reply.text, reply.finish) == ("One moment.", "tool_calls")
        assert reply.calls == (Call(api="Find", arguments={"id": "a"}), Call(api="Find", arguments={"id": "é"}))

    def test_a_tool_that_nobody_offered(self, served: Any) -> None:
        _, ask = served([says(None, ("OrderPizza", {"size": "L"}))])
        assert ask(tools=TOOLS).calls == (Call(api="OrderPizza", arguments={"size": "L"}),)

    def test_nothing(self, served: Any) -> None:
        _, ask = served([says(None)])
        assert (ask().text, ask().calls) == (None, ())

    @pytest.mark.parametrize("finish", ["length", "content_filter"])
    def test_why_it_stopped(self, served: Any, finish: str) -> None:
        _, ask = served([says("Half a", finish=finish)])
        assert (ask().text, ask().finish) == ("Half a", finish)

    def test_a_refusal(self, served: Any) -> None:
        """Anthropic and Google refuse without a word; Groq has no word for it."""
        _, ask = served([strange(content=None, refusal="I cannot.")])
        assert (ask().text in (None, "I cannot."), ask().calls) == (True, ())
        assert ask().finish == "content_filter" or served.provider == "groq"

    def test_reasoning(self, served: Any) -> None:
        _, ask = served([strange(content="Six.", reasoning_content="Three and three.")])
        assert ask().text == "Six."

    def test_a_megabyte(self, served: Any) -> None:
        _, ask = served([says("long " * 200_000)])
        assert len(ask().text or "") == 1_000_000

    def test_the_history_with_its_results(self, served: Any) -> None:
        there, ask = served([says("x")])
        both = (Call(api="Find", arguments={"id": "a"}), Call(api="Find", arguments=None, raw="[1"))
        done = AgentTurn(text="Let me see.", acts=both, results=(Result(value=["depot"]), Result(value="Oslo")))
        ask([{"role": "system", "content": "Be kind."}, *to_messages([UserTurn(text="Where?"), done])], tools=TOOLS)
        sent = json.dumps(there.requests[0].body, ensure_ascii=False)
        for told in ("Be kind.", "Where?", "Let me see.", "Find", "depot", "Oslo", "INVALID_JSON"):
            assert told in sent

    def test_settings(self, served: Any) -> None:
        there, ask = served([says("x")], temperature=0.5, max_tokens=99)
        assert ask(seed=4).text == "x"
        sent = json.dumps(there.requests[0].body)
        assert "0.5" in sent
        assert "99" in sent
        assert ("4" in sent.replace("0.5", "")) or served.provider in ("anthropic", "openai-responses")


class TestAnAnswerOfAShape:
    @pytest.mark.parametrize(
        ("schema", "said", "text"),
        [
            ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": 1}, '{"n": 1}'),
            (
                {"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}},
                {"answer": [1]},
                "[1]",
            ),
        ],
    )
    def test_is_asked_for_as_an_object(self, served: Any, schema: dict[str, Any], said: Any, text: str) -> None:
        there, ask = served([says(json.dumps(said))])
        assert json.loads(ask(output=schema).text or "") == json.loads(text)
        sent = json.dumps(there.requests[0].body)
        assert ('"answer": {' in sent) == (schema["type"] == "array")
        assert '"integer"' in sent

    def test_is_asked_for_by_a_tool_where_there_is_no_other_way(self, served: Any) -> None:
        if served.provider != "anthropic":
            return  # the others take a schema
        there, ask = served([says(None, ("answer", {"answer": [1]}))], name="claude-of-tomorrow")
        reply = ask(output={"type": "array", "items": {"type": "integer"}}, tools=TOOLS)
        assert (reply.text, reply.calls, reply.finish) == ("[1]", (), "stop")
        assert there.requests[0].body["tool_choice"]["type"] == "any"

    def test_that_it_is_not_is_said_as_it_came(self, served: Any) -> None:
        _, ask = served([says("Gladly: {")])
        assert ask(output={"type": "array"}).text == "Gladly: {"


PASSING = {
    "rate limit": refuses(429, "slow down"),
    "rate limit, with a time": refuses(429, "slow down", after="0"),
    "server": refuses(500, "oops"),
    "gateway": refuses(502),
    "unavailable": refuses(503),
    "overloaded": refuses(529),
    "torn": RESET,
    "torn in the middle": Answer(says("Hello.").body, instead="cut"),
}
KINDS = {"rate limit": "rate_limited", "rate limit, with a time": "rate_limited", "torn": "connection",
         "torn in the middle": "connection"}  # fmt: skip
LASTING = {
    "unauthorized": refuses(401, "expired"),
    "not_found": refuses(404, "no such model"),
    "too_long": refuses(400, code="context_length_exceeded"),
    "quota_exceeded": refuses(429, "pay", code="insufficient_quota"),
    "bad_request": refuses(400, "no such setting"),
}
NONE = {
    "html": Answer(b"<html>Bad gateway</html>"),
    "nothing": Answer(b""),
    "null": Answer(None),
    "a list": Answer([1]),
    "another shape": Answer({"hello": "there"}),
    "half of it": Answer(says("Hello, this is a long and friendly answer.").body, instead="ends"),
    "a redirect": Answer({}, 307, {"Location": "http://127.0.0.1:9/elsewhere"}),
}


class TestTheSameFault:
    @pytest.mark.parametrize("what", PASSING)
    def test_what_may_pass_is_sent_as_often_as_we_say(self, served: Any, what: str) -> None:
        """The SDKs try again by themselves, unless they are told not to."""
        there, ask = served([PASSING[what]], tries=3)
        passing = fault(ask)
        assert (passing.type, passing.tries, len(there.requests)) == (KINDS.get(what, "server_error"), 3, 3)

    def test_and_then_goes_well(self, served: Any) -> None:
        there, ask = served([PASSING["torn in the middle"], PASSING["unavailable"], says("ok")])
        assert (ask().text, len(there.requests)) == ("ok", 3)

    @pytest.mark.parametrize("kind", LASTING)
    def test_a_refusal_is_said_once(self, served: Any, kind: str) -> None:
        there, ask = served([LASTING[kind]])
        refused = fault(ask)
        assert (refused.type, refused.tries, len(there.requests)) == (kind, 1, 1)
        assert KEY not in str(refused)

    @pytest.mark.parametrize("what", NONE)
    def test_what_is_no_answer(self, served: Any, what: str) -> None:
        there, ask = served([NONE[what]])
        assert (fault(ask).type, len(there.requests)) == ("bad_response", 1)

    def test_seconds_to_wait(self, served: Any) -> None:
        _, ask = served([refuses(429, after="7")], tries=1)
        assert fault(ask).retry_after == 7

    @pytest.mark.slow
    def test_no_answer_in_time(self, served: Any) -> None:
        there, ask = served([HANG], timeout=0.2)
        assert (fault(ask).type, len(there.requests)) == ("timeout", 1)

    def test_nobody_there(self, served: Any) -> None:
        there, ask = served([], tries=1)
        there.shutdown()
        there.server_close()
        nobody = fault(ask)
        assert (nobody.type, nobody.sent) == ("connection", False)

    @pytest.mark.parametrize("arguments", ["[1]", '"a"', "six"])
    def test_arguments_that_are_no_object(self, served: Any, arguments: str) -> None:
        """Kept as the model wrote them; where a format has no place for them, the answer is none."""
        _, ask = served([says(None, ("Find", arguments))])
        if served.provider == "google":
            assert fault(ask, tools=TOOLS).type == "bad_response"
        else:
            assert ask(tools=TOOLS).calls == (Call(api="Find", arguments=None, raw=arguments),)


def test_the_key_is_in_no_fault(served: Any) -> None:
    there, ask = served([refuses(401, f"wrong: {KEY}")])
    assert KEY not in str(fault(ask))
    assert any(KEY in value for value in there.requests[0].headers.values())
