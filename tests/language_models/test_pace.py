"""How fast a model is asked: no faster than it was told to be, and than its provider bears."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from fake_endpoint import Answer, Endpoint, Request, Script, refuses, says

from toologue.models.ask import model
from toologue.models.client import Pace, RemoteModel, Setup
from toologue.models.model import Asked, ModelFault, Reply
from toologue.schema import Usage

HI = [{"role": "user", "content": "Hi"}]
ASKED = Asked(({"role": "user", "content": "x" * 360},))  # about 100 tokens


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, until)


def sent(pace: Pace, clock: Clock, count: int, usage: Usage | None = None, **more: Any) -> list[float]:
    """When each of so many requests that all are there at once is sent."""

    async def one() -> float:
        async with pace.request(ASKED, **more) as request:
            await asyncio.sleep(0)  # others find it under way
            request.reply = Reply(text="x", usage=usage)
            return request.when

    async def all_of_them() -> list[float]:
        return await asyncio.gather(*(one() for _ in range(count)))

    return sorted(asyncio.run(all_of_them()))


@pytest.fixture
def clock() -> Clock:
    return Clock()


class TestAMinute:
    def test_has_so_many_requests(self, clock: Clock) -> None:
        assert sent(Pace(rpm=3, clock=clock, sleep=clock.sleep), clock, 7) == [0, 0, 0, 60, 60, 60, 120]

    def test_has_so_many_tokens_by_their_characters_and_what_may_be_written(self, clock: Clock) -> None:
        assert sent(Pace(tpm=600, clock=clock, sleep=clock.sleep), clock, 6, max_tokens=100) == [0, 0, 60, 60, 120, 120]

    def test_has_so_many_tokens_as_were_counted_once_they_are(self, clock: Clock) -> None:
        pace = Pace(tpm=1000, clock=clock, sleep=clock.sleep)
        assert sent(pace, clock, 6, Usage(input_tokens=90, output_tokens=10), max_tokens=300) == [0] * 6

    def test_has_room_for_one_that_is_larger_than_it(self, clock: Clock) -> None:
        assert sent(Pace(tpm=10, clock=clock, sleep=clock.sleep), clock, 3) == [0, 60, 120]

    def test_is_told_by_the_options_of_a_model(self, endpoint: Callable[[Script], Endpoint]) -> None:
        there = endpoint([says("x")])
        one, same, other = (model(f"openai:{name}?rpm=2&tpm=900") for name in ("gpt-x", "gpt-x", "gpt-y"))
        paces = [getattr(asked, "_asked")._pace for asked in (one, same, other)]  # noqa: B009
        assert paces[0] is paces[1] is not paces[2]
        assert asyncio.run(one.reply(HI)).text == "x"
        assert len(there.requests) == 1


class TestARefusal:
    def ended(self, pace: Pace, *refused: bool) -> float:
        """How many may be under way once so many at once have ended, each refused or answered."""

        async def one(no: bool) -> None:
            try:
                async with pace.request(ASKED) as request:
                    await asyncio.sleep(0)
                    if no:
                        raise ModelFault("rate_limited", "slow down")
                    request.reply = Reply(text="x")
            except ModelFault:
                pass

        async def all_of_them() -> None:
            await asyncio.gather(*map(one, refused))

        asyncio.run(all_of_them())
        return pace.most

    def test_halves_what_may_be_under_way_once(self) -> None:
        assert self.ended(Pace(), *[True] * 16) == 8

    def test_halves_it_again_where_that_is_still_too_much(self) -> None:
        pace = Pace()
        self.ended(pace, *[True] * 16)
        assert self.ended(pace, *[True] * 8) == 4

    def test_leaves_one(self) -> None:
        pace = Pace()
        assert [self.ended(pace, True) for _ in range(3)] == [1, 1, 1]

    def test_is_forgotten_one_by_one_as_replies_come(self) -> None:
        pace = Pace()
        self.ended(pace, *[True] * 8)
        assert 4.9 < self.ended(pace, *[False] * 4) < 5.1
        assert 11 < self.ended(pace, *[False] * 60) < 13

    def test_that_cuts_off_who_waits_holds_nobody_up(self) -> None:
        pace = Pace()
        self.ended(pace, True)

        async def three() -> list[bool]:
            free = asyncio.Event()

            async def one() -> None:
                async with pace.request(ASKED):
                    await free.wait()

            tasks = [asyncio.create_task(one()) for _ in range(3)]
            await asyncio.sleep(0)
            tasks[1].cancel()
            free.set()
            await asyncio.wait(tasks)
            return [task.cancelled() for task in tasks]

        assert asyncio.run(three()) == [False, True, False]


def test_a_provider_that_refuses_sixteen_at_once_is_asked_by_half_of_them(
    endpoint: Callable[[Script], Endpoint],
) -> None:
    """A reply of the eight allows an eighth of one more."""
    together, lock, busy, most = threading.Barrier(16, timeout=10), threading.Lock(), [0], [0]

    def script(request: Request) -> Answer:
        if len(there.requests) <= 16:
            together.wait()
            return refuses(429, after="0")
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        there.over.wait(0.05)
        with lock:
            busy[0] -= 1
        return says("x")

    there = endpoint(script)
    asked = RemoteModel("gpt-x", Setup(wait=0))

    async def all_of_them() -> list[Reply]:
        return await asyncio.gather(*(asked.reply(HI) for _ in range(16)))

    assert {reply.text for reply in asyncio.run(all_of_them())} == {"x"}
    assert len(there.requests) == 32
    assert most[0] <= 10
