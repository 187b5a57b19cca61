"""Language models in tests: requests are forbidden unless a test starts an endpoint, and nobody's key is around."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

import pytest
from fake_endpoint import Endpoint, Script, serving

from toologue.models.model import forbid_requests, requests_allowed
from toologue.models.providers import missing

PROXIES = ("http_proxy", "https_proxy", "all_proxy")
ADDRESSES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TOOLOGUE_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, no endpoint and no proxy of the developer's; no request to an endpoint that the test did not start."""
    for name in (*ADDRESSES, *PROXIES, *map(str.upper, PROXIES)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOOLOGUE_REQUESTS", "")  # put back afterwards, whatever the test does
    forbid_requests()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Script], Endpoint]]:
    """`endpoint(script)` starts an endpoint that TOOLOGUE_BASE_URL names, with a key, and allows requests."""
    if not find_spec("pydantic_ai") or not find_spec("openai"):
        pytest.skip(missing("openai"))
    with ExitStack() as stack:

        def start(script: Script) -> Endpoint:
            started = stack.enter_context(serving(script))
            monkeypatch.setenv("TOOLOGUE_BASE_URL", started.url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-tell-0123456789")
            return started

        stack.enter_context(requests_allowed())
        yield start


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say loudly what was skipped for want of the extra."""
    skipped = sum("need the extra" in str(report.longrepr) for report in terminalreporter.stats.get("skipped", []))
    if skipped:
        what = f"{skipped} tests SKIPPED, since packages of providers are not installed: make check installs them"
        terminalreporter.write_line(what, yellow=True, bold=True)
