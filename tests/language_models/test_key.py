"""The key goes to the endpoint and nowhere else, even if the endpoint sends it back."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import traceback
from collections.abc import Callable

import pytest
from fake_endpoint import RESET, Answer, Endpoint, Script, refuses, says

from toologue.agents.agent import resolve_agent
from toologue.errors import BadSetting, Denied
from toologue.models.client import RemoteModel, Setup
from toologue.models.model import ModelFault
from toologue.run.runner import Finished, Settings, cases_of, run_all
from toologue.schema import AgentTurn, Dialogue, UserTurn
from toologue.schema.jsonl import line_of

KEY = "sk-do-not-tell-0123456789"
HELLO = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
ESCAPED = "".join(f"\\u{ord(char):04x}" for char in KEY)
BROKEN = f"{KEY[:9]}\n{KEY[9:]}"
ECHOES: dict[str, Script] = {
    "words": [says(f"Your key is {KEY}.", finish=KEY)],
    "a call": [says(None, (f"Find{KEY}", f'{{"key": "{KEY}"}}')), says("ok")],
    "arguments that do not parse": [says(None, ("Find", KEY)), says("ok")],
    "arguments, escaped": [says(None, ("Find", f'{{"key": "{ESCAPED}"}}')), says("ok")],
    "arguments, escaped twice": [says(None, ("Find", json.dumps({"key": f'{{"key": "{ESCAPED}"}}'}))), says("ok")],
    "a refusal, broken": [refuses(401, f"Incorrect API key provided: {BROKEN}.")],
    "garbage, broken": [Answer(f"<html>{BROKEN}".encode())],
    "garbage, as HTML": [Answer(f"<html>{KEY[:5]}&#x{ord(KEY[5]):x};{KEY[6:]}".encode())],
    "a refusal, as a URL": [refuses(400, f"https://x?key={''.join(f'%{ord(char):02X}' for char in KEY)}")],
    "its own name": [Answer({**says("x").body, "model": KEY})],
    "a refusal": [refuses(401, f"Incorrect API key provided: {KEY}.")],
    "a refusal again and again": [refuses(500, KEY, after="0")],
    "garbage": [Answer(f"<html>{KEY}".encode())],
    "a shape of its own": [Answer({"key": KEY})],
    "nothing": [RESET],
}


@pytest.mark.parametrize("script", ECHOES.values(), ids=ECHOES)
def test_no_trace_and_no_log_holds_it(
    script: Script, endpoint: Callable[[Script], Endpoint], caplog: pytest.LogCaptureFixture
) -> None:
    there = endpoint(script)
    cases, agent = cases_of([HELLO], Settings(protocol="recorded")), resolve_agent("openai:gpt-x?tries=1")
    finished, denied = list[Finished](), ""
    with caplog.at_level(logging.DEBUG):
        try:
            run_all(cases, agent, finished.append)
        except Denied as refused:
            denied = str(refused)
    (done,) = finished
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in there.requests)
    assert there.requests
    line = line_of(done.trace).decode() + denied
    assert KEY not in line
    assert KEY[9:] not in line
    assert ESCAPED[:40] not in line
    assert KEY not in caplog.text
    assert caplog.records, "the libraries below do log"


def test_the_newline_of_a_file_is_no_part_of_it(
    endpoint: Callable[[Script], Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = endpoint([says("x")])
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    asyncio.run(RemoteModel("gpt-x").reply([{"role": "user", "content": "Hi"}]))
    assert there.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", [f"{KEY}\nX-Evil: 1", f"{KEY}\x00", f"{KEY}€"])
def test_a_key_that_is_none_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(BadSetting, match="characters that no key has") as caught:
        RemoteModel("gpt-x", key=key)
    assert KEY not in str(caught.value)


def test_no_repr_and_no_traceback_holds_it(endpoint: Callable[[Script], Endpoint]) -> None:
    endpoint([refuses(401, f"Incorrect API key provided: {KEY}.")])
    it = RemoteModel("gpt-x", Setup(), key=KEY)
    with pytest.raises(ModelFault) as caught:
        asyncio.run(it.reply([{"role": "user", "content": "Hi"}]))
    seen = [
        repr(it),
        repr(vars(it)),
        repr(it.setup),
        str(vars(it)["_wire"].__dict__),
        repr(caught.value),
        str(caught.value),
    ]
    seen += traceback.TracebackException.from_exception(caught.value, capture_locals=True).format()
    seen.append(repr(vars(caught.value)) + str(pickle.dumps(caught.value)))
    assert not [text for text in seen if KEY in text]
    assert "[key]" in str(caught.value)
