"""Any provider by name: which key and which package it needs, and what to do where one is missing."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fake_endpoint import Answer, Endpoint, Request, Script, says

from toologue import registry
from toologue.agents.agent import resolve_agent
from toologue.errors import BadSetting
from toologue.models.ask import model
from toologue.models.providers import key_names, missing
from toologue.schema import AgentTurn, Dialogue, Trace, UserTurn
from toologue.schema.jsonl import read, write

Start = Callable[[Script], Endpoint]
PROVIDERS = registry.names("model")
PAGE = Path(__file__).parents[2] / "docs" / "your-agent.md"
# What is not asked by a name and a key, or is not served any more; packages that send requests past our transport.
LEFT_OUT = {"github", "openai-chatgpt", "openai-codex", "system-one", "typesafe",
            "bedrock", "bedrock-mantle", "cohere", "huggingface", "mistral", "xai"}  # fmt: skip
NO_CHAT = {"elevenlabs", "google-decisions", "openai-decisions", "sentence-transformers", "voyageai"}
# They want an address, a region or an account first, or no key at all.
OTHERWISE = {"azure", "azure-responses", "google-cloud", "litellm", "ollama", "snowflake"}
PLACES = {"AZURE_OPENAI_ENDPOINT": "https://mine.azure.example", "OPENAI_API_VERSION": "1", "SNOWFLAKE_ACCOUNT": "mine",
          "OLLAMA_BASE_URL": "http://mine/v1", "VLLM_BASE_URL": "http://mine/v1"}  # fmt: skip


@pytest.fixture
def providers() -> Callable[[str], object]:
    return pytest.importorskip("pydantic_ai.providers", reason=missing("openai")).infer_provider_class


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {name for provider in PROVIDERS for name in key_names(provider)}:
        monkeypatch.delenv(name, raising=False)


def test_they_are_those_of_pydantic_ai(providers: Callable[[str], object]) -> None:
    """Where an upgrade brings one more, it is to be added to the registry and to the page."""
    source = Path(sys.modules["pydantic_ai.providers"].__file__ or "").read_text()
    known = {name for line in re.findall(r"case ('[^_\n]*):", source) for name in re.findall(r"'([\w-]+)'", line)}
    assert known - LEFT_OUT - NO_CHAT == set(PROVIDERS)


def test_the_page_says_what_to_install_and_where_the_key_is() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE))
    for provider in PROVIDERS:
        extra = re.search(r"\[(\w+)\]", missing(provider))
        assert extra
        assert rows[provider] == f"`{extra[1]}` | {', '.join(f'`{name}`' for name in key_names(provider))}"


def test_each_extra_is_there() -> None:
    told = {found[1] for provider in PROVIDERS if (found := re.search(r'"(\w+)"', missing(provider)))}
    assert (
        told
        <= tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"].keys()
    )


@pytest.mark.parametrize("provider", sorted({*PROVIDERS} - OTHERWISE - {"vllm"}))
def test_without_its_key_it_names_the_variable(provider: str, providers: Callable[[str], object]) -> None:
    try:
        providers(provider)
    except ImportError:
        lacking = missing(provider)
        with pytest.raises(BadSetting, match=re.escape(lacking)):
            model(f"{provider}:some-model")
    else:
        with pytest.raises(BadSetting, match=f"set {key_names(provider)[0]}"):
            model(f"{provider}:some-model")


@pytest.mark.parametrize(
    ("provider", "variable"),
    [("azure", "AZURE_OPENAI_ENDPOINT"), ("ollama", "OLLAMA_BASE_URL"), ("vllm", "VLLM_BASE_URL")],
)
def test_without_its_address_too(provider: str, variable: str, providers: Callable[[str], object]) -> None:
    with pytest.raises(BadSetting, match=f"set {variable}"):
        model(f"{provider}:some-model")


@pytest.mark.parametrize("package", ["anthropic", "google.genai"])
def test_without_its_package_it_says_what_to_install(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pydantic_ai", reason=missing("openai"))
    provider = package.partition(".")[0]
    for name in [name for name in sys.modules if name.startswith((package, f"pydantic_ai.providers.{provider}"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BadSetting, match=re.escape(f'pip install "toologue[{provider}]"')):
        model(f"{provider}:some-model")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_is_asked_at_its_address(provider: str, endpoint: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over HTTP, in its own format; only the host is ours."""
    pytest.importorskip("httpx2", reason=missing("openai"))
    from toologue.models.pydantic_ai import Line

    for name, value in {**PLACES, key_names(provider)[0]: "sk-do-not-tell-0123456789"}.items():
        monkeypatch.setenv(name, value)
    said = says("Hello.")
    if provider == "openrouter":
        said.body["provider"], said.body["choices"][0]["native_finish_reason"] = "theirs", "stop"
    there, send, hosts = endpoint([said]), Line.handle_async_request, list[str]()

    async def rerouted(line: Line, request: Any) -> Any:
        hosts.append(request.url.host)
        ours = urlsplit(there.url)
        request.url = request.url.copy_with(scheme="http", host=ours.hostname, port=ours.port)
        return await send(line, request)

    monkeypatch.setattr(Line, "handle_async_request", rerouted)
    asked = model(f"{provider}:gpt/x?tries=1")
    assert asyncio.run(asked.reply([{"role": "user", "content": "Hi"}])).text == "Hello."
    assert len(hosts) == len(there.requests) == 1
    assert hosts[0] in str(getattr(asked, "_asked").base_url) or provider.startswith("google")  # noqa: B009


def test_a_key_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-do-not-tell\nX-Evil: 1")
    with pytest.raises(BadSetting, match="ANTHROPIC_API_KEY holds characters that no key has") as caught:
        model("anthropic:claude-haiku-4-5")
    assert "sk-do-not-tell" not in str(caught.value)


def test_an_address_of_ones_own_needs_no_key_where_one_may_be_given(endpoint: Start) -> None:
    there = endpoint([says("Hello.")])
    here = model(f"ollama:qwen3?base_url={there.url}")
    assert asyncio.run(here.reply([{"role": "user", "content": "Hi"}])).text == "Hello."
    with pytest.raises(BadSetting, match="deepseek has one address; ask another with openai:NAME"):
        model(f"deepseek:deepseek-chat?base_url={there.url}")


def test_a_setting_that_a_provider_does_not_have_is_no_option(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic", reason=missing("anthropic"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-do-not-tell-0123456789")
    with pytest.raises(BadSetting, match="anthropic has no option seed; leave it out"):
        model("anthropic:claude-haiku-4-5?seed=7")
    assert model("anthropic:claude-haiku-4-5?seed=none").name == "claude-haiku-4-5"


def test_its_price_is_known_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic", reason=missing("anthropic"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-do-not-tell-0123456789")
    assert getattr(model("anthropic:claude-haiku-4-5"), "_asked").price is not None  # noqa: B009


def test_it_is_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic", reason=missing("anthropic"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-do-not-tell-0123456789")
    assert resolve_agent("anthropic:claude-haiku-4-5").name == "anthropic:claude-haiku-4-5"


def test_what_is_paid_for_is_not_asked_again_after_a_kill(
    endpoint: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third request kills who asks it. What was answered is on the disk, and the same command goes on there."""
    pytest.importorskip("anthropic", reason=missing("anthropic"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-do-not-tell-0123456789")
    lives = list[subprocess.Popen[bytes]]()

    def script(asked: Request) -> Answer:
        if len(there.requests) == 3:
            lives[0].kill()
        return says(f"reply {len(asked.messages)}")

    there = endpoint(script)
    write(tmp_path / "talks.jsonl", [Dialogue(id="talk", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")) * 5)])
    agent = f"anthropic:claude-haiku-4-5?base_url={there.url.removesuffix('/v1')}"
    line = [sys.executable, "-m", "toologue", "run", "talks.jsonl", "--agent", agent, "-o", "run", "--cache", "kept.db"]
    for status in (-signal.SIGKILL, 0):
        lives.append(subprocess.Popen(line, cwd=tmp_path))
        assert lives[-1].wait(60) == status
    (trace,) = read(tmp_path / "run" / "traces.jsonl", Trace)
    assert [turn.text for turn in trace.turns if turn.role == "agent"] == [f"reply {n}" for n in (1, 3, 5, 7, 9)]
    assert [len(request.messages) for request in there.requests] == [1, 3, 5, 5, 7, 9]  # the third was never answered
