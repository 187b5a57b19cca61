"""Language models of any provider, `PROVIDER:NAME?OPTIONS`: asked, asked again, no faster than they like.

The key is the provider's variable (`models.providers`), the base URL the provider's own or the option `base_url`; that
of `openai` may also be named by TOOLOGUE_BASE_URL or OPENAI_BASE_URL. The key is sent there and goes nowhere else, is
never logged nor shown in an error, and redirects are errors. Options:

    temperature, max_tokens   passed on; left to the endpoint if not given (max_tokens under a budget: 8192)
    seed                      a number, or `none` to send none; by default the one that the request brings
    timeout                   seconds that one try may take (120)
    tries                     how often a request is sent before it is a fault (4)
    rpm, tpm                  requests and tokens a minute, at most (`Pace`)
    price                     dollars a million tokens, in and out (0.40,1.60), or whose price it is (`price_of`)

Tried again: 429, 5xx, and connections refused or reset, after Retry-After or 1, 2, 4… seconds, a minute at most. A
time-out, or an answer that is none, is not tried again.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, ValidationError

from toologue import registry
from toologue.errors import BadSetting, UnknownName, shown
from toologue.models.budget import MOST_TOKENS, in_force, price_of, try_again
from toologue.models.model import Asked, FaultType, Messages, ModelFault, Output, Reply, check_requests_allowed
from toologue.models.providers import OPENAI, Secret, checked_key, checked_url, key_names, key_of, missing, named_url
from toologue.schema import Noun

if TYPE_CHECKING:
    from toologue.models.pydantic_ai import Wire

_AGAIN: tuple[FaultType, ...] = ("rate_limited", "server_error", "connection")
_MINUTE = 60.0
_CHARACTERS = 4  # of a token


class Setup(Noun):
    """How an endpoint is asked. None: the endpoint decides."""

    base_url: str | None = None
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | Literal["asked", "none"] = "asked"
    timeout: float = Field(default=120.0, gt=0)
    tries: int = Field(default=4, ge=1, le=100)
    rpm: int | None = Field(default=None, ge=1)
    tpm: int | None = Field(default=None, ge=1)
    price: str | None = None
    wait: float = Field(default=1.0, ge=0)
    longest_wait: float = Field(default=60.0, ge=0)


class RemoteModel:
    """A model that a provider serves. May be shared by conversations, and used in one event loop after another.

    `sleep` and `jitter` (a number in [0, 1), by which part of a wait of ours is shortened) are for tests.
    """

    def __init__(
        self,
        name: str,
        setup: Setup = Setup(),  # noqa: B008 - frozen
        *,
        provider: str = "openai",
        key: str | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = lambda: random.random() / 2,
    ):
        if not name:
            raise BadSetting(f"which model? Give its name: {provider}:NAME")
        self.name, self.setup, self._sleep, self._jitter = name, setup, sleep, jitter
        self._key_name = key_names(provider)[0]
        base_url = setup.base_url or (named_url() or OPENAI if provider == "openai" else "")
        base_url = base_url and checked_url(base_url, "a model")
        secret = checked_key(key or "") or key_of(provider)
        if not secret and base_url and urlsplit(base_url).hostname != urlsplit(OPENAI).hostname:
            secret = "no-key-needed"
        self.max_tokens = setup.max_tokens or (MOST_TOKENS if in_force() else None)
        options = {"temperature": setup.temperature, "max_tokens": self.max_tokens, "timeout": setup.timeout}
        self._wire = _wire(provider, name, base_url, Secret(secret), options)
        self.base_url = self._wire.base_url
        told = {name for name in ("max_tokens", "seed", "temperature") if isinstance(getattr(setup, name), int | float)}
        if told & self._wire.lacks:
            raise BadSetting(f"{provider} has no option {', '.join(sorted(told & self._wire.lacks))}; leave it out")
        self.price = price_of(name, self.base_url, setup.price)
        self._pace: Pace = pace_of(self.base_url, name, setup.rpm, setup.tpm)

    def __repr__(self) -> str:
        return f"RemoteModel({self.name!r}, {self.base_url!r})"

    async def reply(
        self, messages: Messages, *, tools: Messages = (), output: Output = None, seed: int | None = None
    ) -> Reply:
        """Ask the endpoint. Raises ModelFault, and BadSetting where requests are forbidden."""
        check_requests_allowed(f"{self.name!r} at {self.base_url}")
        chosen = self.setup.seed
        seed = seed if chosen == "asked" else None if chosen == "none" else chosen
        asked = Asked(tuple(messages), tuple(tools), output, seed)
        tries = 0
        while True:
            tries += 1
            try:
                async with self._pace.request(asked, self.max_tokens) as sent:
                    sent.reply = await self._wire.ask(asked)
                return sent.reply.replace(tries=tries)
            except ModelFault as fault:
                if fault.type not in _AGAIN or tries == self.setup.tries:
                    refused = f" and {self._key_name}" if fault.type == "unauthorized" else ""
                    fault.args, fault.tries = (f"{self.name!r} at {self.base_url} {fault.args[0]}{refused}",), tries
                    raise fault.with_traceback(None) from None  # its frames hold what came back
                await try_again(fault)
                ours = self.setup.wait * 2 ** (tries - 1) * (1 - self._jitter())
                wait = min(ours if fault.retry_after is None else fault.retry_after, self.setup.longest_wait)
            await self._sleep(wait)


def __getattr__(name: str) -> Callable[[str], RemoteModel]:
    """The factory of a provider's models, under its name: what the registry asks for."""
    if name.startswith("_") or name not in registry.names("model"):
        raise AttributeError(name)
    return partial(provided, name)


def provided(provider: str, argument: str) -> RemoteModel:
    """The model `PROVIDER:NAME?OPTIONS`."""
    name, _, options = argument.partition("?")
    return RemoteModel(name, setup_of(options), provider=provider)


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


def _wire(provider: str, *given: Any) -> Wire:
    """The heavy half, loaded when the first model is made, so that no conversation's time goes into it."""
    try:
        from toologue.models.pydantic_ai import Wire

        return Wire(provider, *given)
    except ImportError as error:
        lacking = getattr(error.__cause__ or error, "name", None) or ""
        if lacking.startswith("toologue"):
            raise
        raise BadSetting(f"{missing(provider)} ({lacking} cannot be imported)") from None


@dataclass
class Sent:
    """A request that was sent; `reply` is set where it was answered."""

    number: int
    when: float
    tokens: int
    reply: Reply | None = None


class Pace:
    """How fast one model is asked, by all in a process who ask it. `clock` and `sleep` are for tests.

    In no 60 seconds are more than `rpm` requests sent, nor more than `tpm` tokens: a request counts a quarter of its
    characters and `max_tokens`, and once it is answered what the endpoint counted; one that is larger than `tpm` is
    sent alone. Of rate limits that nobody named a 429 tells: it halves the requests that may be under way (`most`; once
    for all of those that were when it came), and each round of replies allows one more.
    """

    def __init__(
        self,
        rpm: int | None = None,
        tpm: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._rpm, self._tpm, self._clock, self._sleep = rpm or inf, tpm or inf, clock, sleep
        self._lock, self._waiting, self._minute = Lock(), list[Future[None]](), deque[Sent]()
        self.most, self._under_way, self._number, self._halved = inf, 0, 0, 0

    @asynccontextmanager
    async def request(self, asked: Asked, max_tokens: int | None = None) -> AsyncGenerator[Sent]:
        """Wait until a request may be sent, and take note of how it ends."""
        size = 0 if self._tpm == inf else len(json.dumps([asked.messages, asked.tools, asked.output])) // _CHARACTERS
        while not isinstance(leave := self._leave(size + (max_tokens or 0)), Sent):
            await (asyncio.wrap_future(leave) if isinstance(leave, Future) else self._sleep(leave))
        refused = False
        try:
            yield leave
        except ModelFault as fault:
            refused = fault.type == "rate_limited"
            raise
        finally:
            self._end(leave, refused=refused)

    def _leave(self, tokens: int) -> Sent | Future[None] | float:
        """The request, which may be sent; else what to wait for, or how long."""
        with self._lock:
            now, minute = self._clock(), self._minute
            while minute and minute[0].when <= now - _MINUTE:
                minute.popleft()
            count, total, wait = len(minute), sum(sent.tokens for sent in minute), 0.0
            for sent in minute:  # those that must be older than a minute first
                if count < self._rpm and total + tokens <= self._tpm:
                    break
                count, total, wait = count - 1, total - sent.tokens, sent.when + _MINUTE - now
            if self._under_way + 1 > self.most or (wait and self._under_way and self._tpm < inf):
                self._waiting.append(Future())  # a reply tells how much room there is
                return self._waiting[-1]
            if wait:
                return wait
            self._under_way, self._number = self._under_way + 1, self._number + 1
            sent = Sent(self._number, now, tokens)
            if min(self._rpm, self._tpm) < inf:
                minute.append(sent)
            return sent

    def _end(self, sent: Sent, *, refused: bool) -> None:
        with self._lock:
            if sent.reply and sent.reply.usage:
                sent.tokens = sent.reply.usage.input_tokens + sent.reply.usage.output_tokens
            if refused and sent.number > self._halved:
                self.most, self._halved = max(1.0, self._under_way // 2), self._number
            elif sent.reply:
                self.most += 1 / self.most
            self._under_way -= 1
            waiting, self._waiting = self._waiting, []
        for turn in waiting:  # all of them, since one may have been cut off
            with suppress(InvalidStateError):
                turn.set_result(None)


@cache
def pace_of(base_url: str, name: str, rpm: int | None, tpm: int | None) -> Pace:
    """The pace of all who ask one model at one address."""
    return Pace(rpm, tpm)
