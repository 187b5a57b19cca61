"""What a model is, without any endpoint: the fake, names, the switch, arguments that parse or do not."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
from typing import Any

import pytest

from toologue.errors import BadSetting, UnknownName
from toologue.formats.openai import call_of
from toologue.models.ask import model
from toologue.models.client import Setup, setup_of
from toologue.models.model import (
    Asked,
    Model,
    ModelFault,
    Reply,
    ScriptedModel,
    check_requests_allowed,
    forbid_requests,
    requests_allowed,
)
from toologue.schema import Call

HI = [{"role": "user", "content": "Hi"}]


def ask(asked: Model, messages: list[dict[str, Any]] = HI, **options: Any) -> Reply:
    return asyncio.run(asked.reply(messages, **options))


class TestScripted:
    def test_a_list_is_said_in_order(self) -> None:
        it = ScriptedModel(["One.", Reply(calls=(Call(api="Find"),))])
        assert (ask(it).text, ask(it).calls[0].api) == ("One.", "Find")

    def test_it_records_what_it_was_asked(self) -> None:
        it, tools = ScriptedModel(["One."]), [{"type": "function", "function": {"name": "Find", "parameters": {}}}]
        ask(it, tools=tools, output={"type": "object"}, seed=3)
        assert it.asked == [Asked(tuple(HI), tuple(tools), {"type": "object"}, 3)]

    def test_a_function_answers_what_was_asked(self) -> None:
        assert ask(ScriptedModel(lambda asked: asked.messages[-1]["content"].upper())).text == "HI"

    def test_a_fault_is_raised(self) -> None:
        with pytest.raises(ModelFault, match=r"busy, status 429 \(lower the concurrency, or wait\)") as caught:
            ask(ScriptedModel([ModelFault("rate_limited", "busy", status=429)]))
        assert (caught.value.type, caught.value.status) == ("rate_limited", 429)

    def test_a_script_that_ends_says_so(self) -> None:
        it = ScriptedModel(["One."], name="short")
        ask(it)
        with pytest.raises(BadSetting, match="'short' has 1 replies; it was asked for more"):
            ask(it)


class TestArguments:
    @pytest.mark.parametrize(
        ("text", "arguments"), [("{}", {}), (' {"a": [1, null]} ', {"a": [1, None]}), ('{"a": "\\u00e9"}', {"a": "é"})]
    )
    def test_an_object_is_read(self, text: str, arguments: dict[str, Any]) -> None:
        assert call_of("Find", text) == Call(api="Find", arguments=arguments)

    @pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"a"', "7", '{"a": NaN}', '{"a": 1e999}', '{"a": 1} x'])
    def test_anything_else_is_kept_as_text(self, text: str) -> None:
        assert call_of("Find", text) == Call(api="Find", arguments=None, raw=text)


class TestFaults:
    def test_says_what_how_often_and_what_came_instead(self) -> None:
        fault = ModelFault("server_error", "it broke", status=500, excerpt="<html>", tries=4)
        assert str(fault) == "it broke, tried 4 times, status 500: <html>"

    def test_travels_between_processes(self) -> None:
        fault = ModelFault("timeout", "slow", retry_after=1.0, tries=2)
        again = pickle.loads(pickle.dumps(fault))
        assert (str(again), vars(again)) == (str(fault), vars(fault))


class TestNames:
    def test_an_unknown_model(self) -> None:
        with pytest.raises(UnknownName, match="no model is called 'opnai'; did you mean 'openai'"):
            model("opnai")

    def test_a_model_of_ones_own(self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "their_models.py").write_text(
            "from toologue.models.model import ScriptedModel\nit = ScriptedModel(['mine'])\nnumber = 7\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        assert ask(model("their_models:it")).text == "mine"
        with pytest.raises(BadSetting, match=r"'their_models:number' is no model: it has no `async reply"):
            model("their_models:number")
        sys.modules.pop("their_models")

    def test_without_the_extra_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-tell-0123456789")
        monkeypatch.delitem(sys.modules, "toologue.models.pydantic_ai", raising=False)
        for name in [name for name in sys.modules if name.partition(".")[0] in ("pydantic_ai", "openai")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "pydantic_ai", None)
        with pytest.raises(BadSetting, match=r'pip install "toologue\[llm\]"') as caught:
            model("openai:gpt-x")
        assert str(caught.value).startswith("models of openai need the extra")

    def test_knowing_its_name_loads_nothing_heavy(self) -> None:
        code = (
            "import sys\nfrom toologue import registry\n"
            "[registry.find('agent', name) for name in ('json_action', 'function_calling')]\n"
            "[registry.find('model', name) for name in ('openai', 'anthropic')]\n"
            "print(*sys.modules.keys() & {'pydantic_ai', 'openai', 'httpx2', 'numpy'})"
        )
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert ran.stdout.split() == []


class TestSetup:
    def test_options_are_read(self) -> None:
        setup = setup_of("temperature=0&max_tokens=300&seed=7&timeout=9.5&tries=2&base_url=http://localhost:8000/v1")
        assert setup == Setup(
            temperature=0, max_tokens=300, seed=7, timeout=9.5, tries=2, base_url="http://localhost:8000/v1"
        )
        assert setup_of("seed=none").seed == "none"
        assert setup_of("") == Setup()

    @pytest.mark.parametrize("options", ["temperature=hot", "tries=0", "timeout=nan", "max_tokens=", "seed=often"])
    def test_a_value_that_makes_no_sense(self, options: str) -> None:
        name, _, value = options.partition("=")
        with pytest.raises(BadSetting, match=f"the model's option {name}='{value}': "):
            setup_of(options)

    def test_an_unknown_option(self) -> None:
        with pytest.raises(UnknownName, match="no option of a model is called 'tempreature'; did you mean"):
            setup_of("tempreature=0")

    @pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://localhost", "http://", "file:///etc/passwd"])
    def test_an_address_that_is_none(self, url: str) -> None:
        with pytest.raises(BadSetting, match="expected for example http://localhost:8000/v1"):
            model(f"openai:gpt-x?base_url={url}")

    @pytest.mark.parametrize("url", ["http://ann:s3cret@localhost/v1", "http://localhost/v1?key=s3cret"])
    def test_an_address_with_a_secret_is_refused_without_repeating_it(
        self, url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TOOLOGUE_BASE_URL", url)
        with pytest.raises(BadSetting, match="give the key as OPENAI_API_KEY") as caught:
            model("openai:gpt-x")
        assert "s3cret" not in str(caught.value)

    @pytest.mark.parametrize("spec", ["openai:", "openai:?temperature=0"])
    def test_a_model_needs_a_name(self, spec: str) -> None:
        with pytest.raises(BadSetting, match="Give its name: openai:NAME"):
            model(spec)

    def test_openai_itself_wants_a_key(self) -> None:
        with pytest.raises(BadSetting, match="set OPENAI_API_KEY, or TOOLOGUE_BASE_URL"):
            model("openai:gpt-x")


class TestTheSwitch:
    def test_forbidden_requests_say_how_to_allow_them(self) -> None:
        forbid_requests()
        with pytest.raises(BadSetting, match=r"'gpt-x' was about to be asked; unset TOOLOGUE_REQUESTS, or allow them"):
            check_requests_allowed("'gpt-x'")

    def test_allowed_inside_a_block(self) -> None:
        forbid_requests()
        with requests_allowed():
            check_requests_allowed("it")
        with pytest.raises(BadSetting):
            check_requests_allowed("it")

    def test_processes_started_from_here_obey_it(self) -> None:
        forbid_requests()
        code = "from toologue.models.model import check_requests_allowed as check; check('it')"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ)
        assert "requests to language models are forbidden here" in ran.stderr
