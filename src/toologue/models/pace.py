"""How fast a model is asked: so many requests and tokens a minute, and as many at once as its provider bears.

Contract: in no 60 seconds are more than `rpm` requests sent, nor more than `tpm` tokens: a request counts a quarter of
its characters and `max_tokens`, and once it is answered what the endpoint counted; one that is larger than `tpm` is
sent alone. Of rate limits that nobody named a 429 tells: it halves the requests that may be under way (once for all of
those that were when it came), and each round of replies allows one more. All models of a process that ask the same
name at the same address share one pace.

Not covered: other processes; other models of the same account.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from math import inf
from threading import Lock

from toologue.models.model import Asked, ModelFault, Reply

_MINUTE = 60.0
_CHARACTERS = 4  # of a token


@dataclass
class Sent:
    """A request that was sent; `reply` is set where it was answered."""

    number: int
    when: float
    tokens: int
    reply: Reply | None = None


class Pace:
    """How fast one model is asked. `most` requests may be under way; `clock` and `sleep` are for tests."""

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
