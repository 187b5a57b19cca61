"""What language models cost: requests and tokens by stage of the work (agent, writer, judge, …), in this process."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toologue.schema import Usage


@dataclass
class Spent:
    """What was asked: requests, how many of them were answered by what was kept, faults, and tokens of the others."""

    requests: int = 0
    kept: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])
    input_tokens: int = 0
    output_tokens: int = 0

    def count(self, usage: Usage | None) -> None:
        """Count the tokens of a reply, where the endpoint counted them."""
        if usage is not None:
            self.input_tokens += usage.input_tokens
            self.output_tokens += usage.output_tokens

    def __str__(self) -> str:
        kept = f", {self.kept} of them kept" if self.kept else ""
        asked = f"{self.requests:,} request{'s' * (self.requests != 1)}{kept}"
        if self.faults:
            asked += f", {self.faults.total():,} without a reply ({', '.join(sorted(self.faults))})"
        return f"{asked}; {self.input_tokens:,} tokens in, {self.output_tokens:,} out"


SPENT: defaultdict[str, Spent] = defaultdict(Spent)
