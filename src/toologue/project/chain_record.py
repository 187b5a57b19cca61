"""What became of jobs of the chains line, and which are worth another try."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, NamedTuple

from toologue.plan.chains.catalog import Reason
from toologue.plan.chains.pairs import Job, Pair
from toologue.plan.chains.sequences import SEQUENCES
from toologue.write.chains.bank import STYLES

# A pair, or one of its sequences, that failed so often, and so many times as often as it came about, is given up.
FRUITLESS, _RARELY = 8, 8
# Where two thirds of what came about said nothing new, 94 of 100 wordings were there: the others cost too many tries.
_OFTEN = 2
UNHEARD = len(STYLES["user"])  # so often no first message was found: in none of the styles there is one


class Record(NamedTuple):
    """How often jobs failed, came about, and repeated others: by pair, by pair and sequence, by pair and band."""

    failed: Counter[Any]
    came: Counter[Any]
    repeated: Counter[Any]

    def note(self, job: Job, *, came: bool, why: str = "") -> None:
        """One more."""
        (self.came if came else self.failed).update((job.pair, job[1:]))
        found = bands_of(job.sequence)
        (self.came if came else self.failed).update((job.pair, band) for band in found if came or why.endswith(band))

    def repeats(self, job: Job) -> None:
        """What came of it says nothing new."""
        self.came.subtract((job.pair, job[1:]))
        self.repeated.update((job.pair, job[1:]))

    def hopeless(self, job: Job) -> bool:
        """Whether such a job is not worth another try."""
        if any(
            self.failed[job.pair, one] >= UNHEARD and not self.came[job.pair, one] for one in bands_of(job.sequence)
        ):
            return True
        return any(
            self.failed[one] >= max(FRUITLESS, _RARELY * self.came[one])
            or self.repeated[one] >= max(FRUITLESS, _OFTEN * self.came[one])
            for one in (job.pair, job[1:])
        )


@cache
def bands_of(sequence: str) -> tuple[str, ...]:
    """The bands of the retriever that the first messages of a sequence have to reach."""
    actions = SEQUENCES[sequence].actions
    clear = any(action.startswith("inform_intent_clear") for action in actions)
    return (*(band for band in ("clarify", "suggest") if band in actions), *(("confirm",) if clear else ()))


class Lost(NamedTuple):
    """What came to nothing among some jobs: pairs, and how often for which reason a pair found no words."""

    pairs: dict[Pair, Reason]
    unheard: Counter[tuple[Pair, str]]
