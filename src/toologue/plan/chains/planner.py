"""Plans by the thousand: jobs become plans, in order, in as many processes as there are.

Contract: `plan_lines` gives the first `count` plans that come about, as lines of a file, byte-equal for equal inputs at
any number of workers; what does not come about is counted in the tally, with its reason. A job is tried `TRIES` times,
each time with other values, where these may help. Nothing is held but what is under way.

Example:
    >>> import pathlib, tempfile
    >>> from toologue.plan.chains.pairs import alone
    >>> from toologue.schema import Api, Parameter
    >>> from toologue.schema.jsonl import write
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "apis.jsonl"
    >>> weather = {"type": "object", "properties": {"summary": {"type": "string"}}}
    >>> city = Parameter(schema={"type": "string"})
    >>> _ = write(file, [Api(name="Maps|geo|Weather", parameters={"city": city}, returns=weather)])
    >>> pairs = list(alone(Shelf(file), Counter()))
    >>> tally = Tally()
    >>> lines = list(plan_lines(file, pairs, tally, count=6, most=1.0))
    >>> len(lines), sorted(tally.sequences)
    (6, ['12.1', '12.2', '12.3', '12.6', '12.7', '13.1'])

Not covered: more than one machine.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from toologue import keys
from toologue.models.embed import calibrated
from toologue.parallel import chunks, ordered
from toologue.plan.chains.catalog import Shelf
from toologue.plan.chains.choose import Job, jobs
from toologue.plan.chains.emit import Offer, emit
from toologue.plan.chains.execute import Dropped, Happened, Stage
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.reasons import Reason
from toologue.schema import Plan
from toologue.schema.jsonl import line_of
from toologue.worlds.documented import Documented

TRIES = 3
OFFERED = 10
"""So many APIs the agent is offered, where there are so many; half of the others are of the target's domain."""
_HOPELESS: tuple[Reason, ...] = ("asks twice", "cannot be said", "no value to hand over")
"""What other values do not mend."""
_CHUNK = 32


@dataclass
class Tally:
    """What became of jobs: how often each sequence and each pair came about, and why others did not."""

    sequences: Counter[str] = field(default_factory=Counter[str])
    pairs: Counter[tuple[str | None, str]] = field(default_factory=Counter[tuple[str | None, str]])
    categories: Counter[str] = field(default_factory=Counter[str])
    dropped: Counter[Reason] = field(default_factory=Counter[Reason])

    def add(self, job: Job) -> None:
        """Count one that came about."""
        self.sequences[job.sequence] += 1
        self.pairs[job.pair.source, job.pair.target] += 1
        self.categories[f"{job.pair.category} {job.pair.fit}"] += 1


class Planner:
    """Makes plans of jobs, from the documents of a file. What it keeps is a cache.

    `bands` are those of the retriever that the words will be tried on; the calibrated ones of `lexical` by default.
    `shelf` and `world` spare it to open the file, and to work out once more what the documents answer.
    """

    def __init__(
        self,
        file: Path,
        *,
        seed: int,
        bands: Mapping[str, float] | None = None,
        shelf: Shelf | None = None,
        world: Documented | None = None,
    ):
        self.file, self.seed = file, seed
        known = calibrated("lexical") if bands is None else bands
        self._bands = {name: known[name] for name in ("confirm", "suggest")}
        self.stage = Stage(shelf or Shelf(file), seed=seed, world=world)
        self._names = list(self.stage.shelf)
        self._by_domain: dict[str, list[str]] = {}
        for name in self._names:
            self._by_domain.setdefault(name.partition("|")[0], []).append(name)

    def plan(self, job: Job) -> Plan:
        """The plan of a job. Raises Dropped."""
        happened = self._happened(job)
        return emit(job, happened, Offer(self.file, self.seed, self._offered(job), self.seed, self._bands))

    def _happened(self, job: Job) -> Happened:
        for attempt in range(TRIES - 1):
            try:
                return self.stage.play(job.pair, keys.seed_of(self.seed, "job", job.number, attempt))
            except Dropped as dropped:
                if dropped.reason in _HOPELESS:
                    raise
        return self.stage.play(job.pair, keys.seed_of(self.seed, "job", job.number, TRIES))

    def _offered(self, job: Job) -> list[str]:
        """The pair and some others, in the order of their names."""
        rng = random.Random(keys.seed_of(self.seed, "offer", job.number))
        pair = job.pair
        chosen = {pair.target} if pair.source is None else {pair.target, pair.source}
        near = self._by_domain[pair.target.partition("|")[0]]
        for names, until in ((near, OFFERED // 2 + 1), (self._names, OFFERED)):
            for name in rng.sample(names, min(OFFERED, len(names))):
                if len(chosen) < until:
                    chosen.add(name)
        return sorted(chosen)


class _Done(NamedTuple):
    job: Job
    line: bytes
    reason: Reason | None


def plan_lines(
    file: Path, pairs: Iterable[Pair], tally: Tally, *, count: int, most: float = 0.02, seed: int = 0,
    workers: int = 1, published_code: bool = False,
) -> Iterator[bytes]:  # fmt: skip
    """The lines of `count` plans; fewer where no pair may be used more than `most` of them and there are too few."""
    wanted = jobs(pairs, cap=max(1, int(most * count)), seed=seed, published_code=published_code)
    made = ordered(partial(_planned, file, seed), chunks(wanted, _CHUNK), workers=workers)
    left = count
    for done in chain.from_iterable(made):
        if done.reason is not None:
            tally.dropped[done.reason] += 1
            continue
        tally.add(done.job)
        yield done.line
        left -= 1
        if not left:
            return


def _planned(file: Path, seed: int, wanted: list[Job]) -> list[_Done]:
    planner = _planner(file, seed)
    return [_done(planner, job) for job in wanted]


def _done(planner: Planner, job: Job) -> _Done:
    try:
        return _Done(job, line_of(planner.plan(job)), None)
    except Dropped as dropped:
        return _Done(job, b"", dropped.reason)


@lru_cache(maxsize=2)
def _planner(file: Path, seed: int) -> Planner:
    return Planner(file, seed=seed)
