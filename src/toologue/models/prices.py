"""What the tokens of a language model cost: by the price data of `genai-prices` that is installed, or as a spec says.

`openai:NAME?price=IN,OUT` gives dollars a million tokens read and written (one number for both), `price=PROVIDER` the
provider whose price counts, for what stands before it. Else the base URL says whose price it is. Nothing is loaded from
the net; where nothing is known there is no price, which is not 0.

Example:
    >>> from toologue.schema import Usage
    >>> price = price_of("mine", "http://localhost:8000/v1", "0.40,1.60")
    >>> round(price(Usage(input_tokens=1000, output_tokens=100)), 6)
    0.00056

Not covered: what else providers charge for (searches, images), prices a priority, and what embedders cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from toologue.errors import BadSetting
from toologue.schema import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

# What a request costs, in dollars.
Price = Callable[[Usage], float]


def price_of(model: str, base_url: str, told: str | None = None) -> Price | None:
    """The price of a model at an address; None where it is not known. Raises BadSetting for a price that is none."""
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
