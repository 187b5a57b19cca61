"""Any OpenAI-compatible endpoint as a model, with a time limit, bounded retries, and faults by name.

`openai:NAME?OPTIONS`. The endpoint is `base_url` (an option or an argument), else TOOLOGUE_BASE_URL, else
OPENAI_BASE_URL, else OpenAI's own; the key is OPENAI_API_KEY, is sent to the endpoint and goes nowhere else. Options:

    temperature, max_tokens   passed on; left to the endpoint if not given
    seed                      a number, or `none` to send none; by default the one that the request brings
    timeout                   seconds that one try may take (120)
    tries                     how often a request is sent before it is a fault (4)

Tried again: 429, 5xx, and connections refused or reset, after Retry-After or 1, 2, 4… seconds, a minute at most. A
time-out, or an answer that is none, is not tried again.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, SecretStr, ValidationError

from toologue.errors import BadSetting, UnknownName, shown
from toologue.formats.openai import Message
from toologue.models.endpoint import checked_key, checked_url, named_url
from toologue.models.model import Asked, FaultType, ModelFault, Output, Reply, check_requests_allowed
from toologue.schema import Noun

if TYPE_CHECKING:
    from toologue.models.pydantic_ai import Wire


MISSING = 'language models need the extra "llm": pip install "toologue[llm]"'
_OPENAI = "https://api.openai.com/v1"
_AGAIN: tuple[FaultType, ...] = ("rate_limited", "server_error", "connection")


class Setup(Noun):
    """How an endpoint is asked. None: the endpoint decides."""

    base_url: str | None = None
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | Literal["asked", "none"] = "asked"
    timeout: float = Field(default=120.0, gt=0)
    tries: int = Field(default=4, ge=1, le=100)
    wait: float = Field(default=1.0, ge=0)
    longest_wait: float = Field(default=60.0, ge=0)


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint. May be shared by conversations, and used in one event loop after
    another.

    `sleep` and `jitter` (a number in [0, 1), by which part of a wait of ours is shortened) are for tests.
    """

    def __init__(
        self,
        name: str,
        setup: Setup = Setup(),  # noqa: B008 - frozen
        *,
        key: str | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = lambda: random.random() / 2,
    ):
        if not name:
            raise BadSetting("which model? Give its name: openai:NAME")
        self.name, self.setup = name, setup
        self.base_url = checked_url(setup.base_url or named_url() or _OPENAI, "a model")
        self._sleep, self._jitter = sleep, jitter
        wire = _wire()  # first: whoever has no extra needs no key yet
        options = setup.model_dump(include={"temperature", "max_tokens", "timeout"})
        self._wire = wire(name, self.base_url, _key(key, self.base_url), options)

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, {self.base_url!r})"

    async def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Message] = (),
        output: Output = None,
        seed: int | None = None,
    ) -> Reply:
        """Ask the endpoint. Raises ModelFault, and BadSetting where requests are forbidden."""
        check_requests_allowed(f"{self.name!r} at {self.base_url}")
        asked = Asked(tuple(messages), tuple(tools), output, self._seed(seed))
        tries = 0
        while True:
            tries += 1
            try:
                return (await self._wire.ask(asked)).replace(tries=tries)
            except ModelFault as fault:
                if fault.type not in _AGAIN or tries == self.setup.tries:
                    fault.args, fault.tries = (f"{self.name!r} at {self.base_url} {fault.args[0]}",), tries
                    raise fault.with_traceback(None) from None  # frames of the request hold what came back
                wait = self._wait(fault, tries)
            await self._sleep(wait)

    def _seed(self, asked: int | None) -> int | None:
        seed = self.setup.seed
        return asked if seed == "asked" else None if seed == "none" else seed

    def _wait(self, fault: ModelFault, tries: int) -> float:
        ours = self.setup.wait * 2 ** (tries - 1) * (1 - self._jitter())
        return min(ours if fault.retry_after is None else fault.retry_after, self.setup.longest_wait)


def openai_model(argument: str) -> OpenAIModel:
    """The model `openai:NAME?OPTIONS`."""
    name, _, options = argument.partition("?")
    return OpenAIModel(name, setup_of(options))


def setup_of(options: str) -> Setup:
    """The setup that `temperature=0&max_tokens=300` spells."""
    known = sorted(Setup.model_fields.keys() - {"wait", "longest_wait"})
    given = parse_qsl(options, keep_blank_values=True)
    for name, _ in given:
        if name not in known:
            raise UnknownName("option of a model", name, known)
    try:
        return Setup.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = first["loc"][0]
        raise BadSetting(f"the model's option {name}={shown(dict(given)[str(name)])}: {first['msg']}") from None


def _key(given: str | None, base_url: str) -> SecretStr:
    key = checked_key(given or os.environ.get("OPENAI_API_KEY") or "")
    if not key and urlsplit(base_url).hostname == urlsplit(_OPENAI).hostname:
        remedy = "set OPENAI_API_KEY, or TOOLOGUE_BASE_URL for an endpoint of your own"
        raise BadSetting(f"{base_url} wants a key: {remedy}")
    return SecretStr(key or "no-key-needed")


def _wire() -> type[Wire]:
    """The heavy half, loaded when the first model is made, so that no conversation's time goes into it."""
    try:
        from toologue.models.pydantic_ai import Wire
    except ImportError as error:
        if (error.name or "").startswith("toologue"):
            raise
        raise BadSetting(f"{MISSING} ({error.name} cannot be imported)") from None
    return Wire
