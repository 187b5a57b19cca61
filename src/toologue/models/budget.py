"""A budget: the most dollars that requests to language models may come to, whoever asks them, in one process.

Contract: a request is sent only if what is spent, the largest possible cost of all that are on their way, and its own
fit. One that does not fit waits for those on their way, which cost less than was held for them; where none is left to
wait for, it is not sent: a ModelFault `budget`. The largest possible cost counts a token for every byte of the request
as JSON, `OVERHEAD` tokens that an endpoint may add, and `max_tokens` written ones; what has no answer and may have
been paid for (a time-out, a lost connection, a reply whose tokens are not counted) is taken at its largest. A model
whose price or limit is not known is refused when it is made. Kept replies cost nothing.

Example:
    >>> with budget(2.50) as mine:
    ...     print(mine.words)
    $0.00 of $2.50 is spent

Not covered: an endpoint that writes more than `max_tokens`; embedders; what agents of yours ask by clients of their
own, or in the processes in which those of a file are asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from math import ceil, inf
from threading import Lock
from typing import TYPE_CHECKING, Any

from toologue.errors import BadSetting
from toologue.models.model import ModelFault
from toologue.models.spent import dollars_text
from toologue.schema import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

# What a request costs, in dollars.
Price = Callable[[Usage], float]
OVERHEAD = 1000
MOST_TOKENS = 8192
"""`max_tokens` of a request under a budget that names none: it is sent."""

_UNIT = 10**9  # what is added up is whole billionths of a dollar
_IN_FORCE: list[Budget] = []
_OPEN: ContextVar[Bill] = ContextVar("_OPEN")


class Budget:
    """So many dollars. `refused` counts the requests that were not sent."""

    def __init__(self, dollars: float):
        if not 0 < dollars < inf:
            raise BadSetting(f"a budget of {dollars}: give dollars, more than 0")
        self._limit, self._spent, self._held = int(dollars * _UNIT), 0, 0
        self._lock, self._waiting, self.refused, self._taken = Lock(), list[Future[None]](), 0, False

    @property
    def spent(self) -> float:
        """What is spent, in dollars."""
        return self._spent / _UNIT

    @property
    def words(self) -> str:
        """How much of it is spent."""
        most = "at most " if self._taken else ""
        of = f"{most}{dollars_text(self.spent)} of {dollars_text(self._limit / _UNIT)} is spent"
        unsent = f"{self.refused} request{'s were' if self.refused > 1 else ' was'} not sent"
        return of if not self.refused else f"{of}; {unsent}, since it might cost more than is left"

    async def hold(self, most: int) -> None:
        """Wait until a request that costs so much at most may be sent. Raises ModelFault where it never may."""
        while True:
            with self._lock:
                if self._spent + self._held + most <= self._limit:
                    self._held += most
                    return
                if not self._held:
                    self.refused += 1
                    left = dollars_text((self._limit - self._spent) / _UNIT)
                    what = f"was not asked: it may cost {dollars_text(most / _UNIT)}, and {left} of the budget is left"
                    raise ModelFault("budget", what, sent=False)
                turn = Future[None]()
                self._waiting.append(turn)
            await asyncio.wrap_future(turn)

    def settle(self, held: int, cost: int, *, taken: bool) -> None:
        """Give back what was held for a request, and count what it cost; `taken`: no more is known than its most."""
        with self._lock:
            self._held, self._spent, self._taken = self._held - held, self._spent + cost, self._taken or taken
            waiting, self._waiting = self._waiting, []
        for turn in waiting:
            with suppress(InvalidStateError):  # whoever waited was cut off
                turn.set_result(None)


class Bill:
    """One request to a model, while it is under way: what it may cost, and then what it did.

    `usage` is set once it is known; `unknown` counts the tries that nobody knows the cost of.
    """

    def __init__(self, price: Price | None, size: int, max_tokens: int | None):
        self.usage: Usage | None = None
        self.dollars, self.unknown = 0.0, 0
        self._price, self._budget, self._held = price, in_force(), 0
        self._most = Usage(input_tokens=size + OVERHEAD, output_tokens=max_tokens or MOST_TOKENS)

    async def __aenter__(self) -> Bill:
        await self._hold()
        self._token = _OPEN.set(self)
        return self

    async def _hold(self) -> None:
        if self._budget and self._price:
            most = ceil(self._price(self._most) * _UNIT)
            await self._budget.hold(most)
            self._held = most

    async def lost(self) -> None:
        """Take a try for paid at its most, and go on with another."""
        self._settle(self._held, unknown=True)
        await self._hold()

    def _settle(self, cost: int, *, unknown: bool) -> None:
        unknown = unknown and not (self._price and self._price(self._most) == 0)
        self.unknown += unknown
        if self._budget:
            self._budget.settle(self._held, cost, taken=unknown)
        self._held = 0

    async def __aexit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        _OPEN.reset(self._token)
        if self._price and self.usage is not None:
            self.dollars = self._price(self.usage)
            self._settle(ceil(self.dollars * _UNIT), unknown=False)
        else:
            unknown = not isinstance(error, ModelFault) or error.may_cost
            self._settle(self._held if unknown else 0, unknown=unknown)


async def try_again(after: ModelFault) -> None:
    """Wait until the request under way may be tried once more. Raises ModelFault where the budget forbids it."""
    if after.may_cost and (bill := _OPEN.get(None)):
        await bill.lost()


@contextmanager
def budget(dollars: float) -> Generator[Budget]:
    """Hold the models that are made inside a `with` block to so many dollars, all of them together."""
    made = Budget(dollars)
    _IN_FORCE.append(made)
    try:
        yield made
    finally:
        _IN_FORCE.remove(made)


def in_force() -> Budget | None:
    """The budget that holds in this process."""
    return _IN_FORCE[-1] if _IN_FORCE else None


def check_affordable(spec: str, model: object) -> None:
    """Refuse a model that a budget cannot hold. Raises BadSetting."""
    if in_force() is None:
        return
    if getattr(model, "price", None) is None:
        remedy = "give its price, in dollars a million tokens, in and out: openai:NAME?price=0.40,1.60"
        own = "; a model of your own has `price(usage)` and `max_tokens`"
        raise BadSetting(f"what {spec!r} costs is not known, so no budget can hold it: {remedy}{own}")
    if getattr(model, "max_tokens", None) is None:
        raise BadSetting(f"how long a reply of {spec!r} may be is not known: give the model `max_tokens`")


def price_of(model: str, base_url: str, told: str | None = None) -> Price | None:
    """The price of a model at an address; None where it is not known. Raises BadSetting for a price that is none.

    It is that of the data of `genai-prices` that is installed, by the address, or as a spec says: `price=IN,OUT`,
    dollars a million tokens read and written (one number for both), or `price=PROVIDER`. Not covered: what else
    providers charge for (searches, images), prices a priority, and what embedders cost.

        >>> price = price_of("mine", "http://localhost:8000/v1", "0.40,1.60")
        >>> round(price(Usage(input_tokens=1000, output_tokens=100)), 6)
        0.00056
    """
    if told is not None and told[:1] in "0123456789.":
        try:
            read, written = map(float, told.split(",") if "," in told else (told, told))
        except ValueError:
            raise BadSetting(f"price={told}: give dollars a million tokens, in and out: price=0.40,1.60") from None
        return lambda usage: (usage.input_tokens * read + usage.output_tokens * written) / 1e6
    import genai_prices

    ask = partial(genai_prices.calc_price, model_ref=model)
    ask = partial(ask, provider_id=told) if told is not None else partial(ask, provider_api_url=base_url)

    def found(usage: Usage) -> PriceCalculation:
        cached = min(usage.cached_tokens, usage.input_tokens)
        counted = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        return ask(genai_prices.Usage(**counted, cache_read_tokens=cached))

    try:
        rates = found(Usage()).model_price
    except LookupError as error:
        if told is not None:
            remedy = "give dollars a million tokens, in and out: price=0.40,1.60"
            raise BadSetting(f"price={told}: {error}; {remedy}") from None
        return None
    known = rates.input_mtok is not None and rates.output_mtok is not None
    return (lambda usage: float(found(usage).total_price)) if known else None
