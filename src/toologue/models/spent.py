"""What language models cost: requests, tokens, dollars, by stage of the work (agent, writer, judge, …) and by case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toologue.schema import Usage


@dataclass(frozen=True)
class Spent:
    """What requests came to; the sum of two is one. It knows nothing of what agents ask by clients of their own.

    `kept`: how many were answered by what was kept, at no cost. `input_tokens`, of which the endpoint had cached
    `cached_tokens`, and `output_tokens` are those of the others. `known` is what those of known price cost, in dollars;
    `unpriced` how many may have cost more, nobody knows what.
    """

    requests: int = 0
    kept: int = 0
    faults: Mapping[str, int] = field(default_factory=dict[str, int])
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    known: float = 0.0
    unpriced: int = 0

    @classmethod
    def on(cls, usage: Usage | None, **more: Any) -> Spent:
        """One request, and the tokens that the endpoint counted."""
        return cls(requests=1, **(usage.model_dump() if usage else {}), **more)

    def __add__(self, other: Spent) -> Spent:
        one, two = (dict[str, Any](vars(each), faults=Counter(each.faults)) for each in (self, other))
        return Spent(**{name: one[name] + two[name] for name in one})

    @property
    def dollars(self) -> float | None:
        """What all of it costs; None where that is not known."""
        return None if self.unpriced else self.known

    @property
    def price(self) -> str:
        """What it costs, in words."""
        if not self.unpriced:
            return dollars_text(self.known)
        of = f"{self.unpriced:,} request{'s' * (self.unpriced != 1)}"
        return f"at least {dollars_text(self.known)}, {of} of unknown price" if self.known else "price unknown"

    def record(self) -> dict[str, Any]:
        """It as JSON; `dollars` are null where they are not known, `at_least` are those that are."""
        told = {name: value for name, value in vars(self).items() if name != "known"}
        return {**told, "dollars": self.dollars, "at_least": self.known}

    def __str__(self) -> str:
        kept = f", {self.kept} of them kept" if self.kept else ""
        asked = f"{self.requests:,} request{'s' * (self.requests != 1)}{kept}"
        if self.faults:
            asked += f", {sum(self.faults.values()):,} without a reply ({', '.join(sorted(self.faults))})"
        return f"{asked}; {self.input_tokens:,} tokens in, {self.output_tokens:,} out; {self.price}"


SPENT: defaultdict[str, Spent] = defaultdict(Spent)
_TALLY: ContextVar[list[Spent] | None] = ContextVar("_TALLY", default=None)


def count(stage: str, spent: Spent) -> None:
    """Count what was spent under its stage, and for the case in which it was."""
    SPENT[stage] += spent
    if (tally := _TALLY.get()) is not None:
        tally.append(spent)


@contextmanager
def tallied() -> Generator[list[Spent]]:
    """What is spent inside a `with` block, by its task."""
    tally = list[Spent]()
    token = _TALLY.set(tally)
    try:
        yield tally
    finally:
        _TALLY.reset(token)


def dollars_text(dollars: float) -> str:
    """An amount, with as many digits as say something."""
    return f"${dollars:,.{2 if not dollars or dollars >= 1 else 4 if dollars >= 0.01 else 6}f}"
