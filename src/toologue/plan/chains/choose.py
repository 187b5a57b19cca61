"""Which sequence with which pair: even over the sequences, and over the targets that fit each.

Contract: `sampled` takes the same number of each kind of pair, as far as there are any. `jobs` is endless as long as
there are pairs left: in each block every sequence has its turn, in an order of its own (those of one API, or none, in
two blocks of three, since most of them come about); every target has its turn before the first has a second, with the
next of its sources: hundreds of APIs may know a country's code, and few things are asked by it. No pair is taken more
often than `cap`, no target more than five times as often; a sequence with no pair left is passed over. `come` and
`made` say how often sequences and pairs came about so far: those that fell behind have more turns. Functions of their
inputs.

Example:
    >>> pairs = [Pair(None, None, f"Api {n}", "city", "zeroyes", "knowable") for n in range(3)]
    >>> drawn = list(jobs(pairs, cap=2, seed=0))
    >>> len(drawn), sorted({job.sequence for job in drawn})[:3]
    (6, ['12.1', '12.3', '12.4'])

Not covered: weights; whoever wants another mix drops what there is too much of.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, zip_longest
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

from toologue import keys
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.sequences import SEQUENCES, Category, Fit

_MOST = 8
"""Turns of a sequence in one block."""
_PATIENCE = 8
"""So many tries weigh as much as a conversation that came about."""


class Job(NamedTuple):
    """A conversation to plan: its number, its sequence, its pair."""

    number: int
    sequence: str
    pair: Pair


def sampled(pairs: Iterable[Pair], most: int, *, seed: int = 0) -> list[Pair]:
    """At most so many pairs, drawn in rounds over category and fit."""
    kinds: dict[tuple[Category, Fit], list[Pair]] = {}
    for pair in pairs:
        kinds.setdefault((pair.category, pair.fit), []).append(pair)
    for kind, cell in kinds.items():
        random.Random(keys.seed_of(seed, "sample", *kind)).shuffle(cell)
    rounds = zip_longest(*kinds.values())
    return list(islice((pair for one in rounds for pair in one if pair is not None), most))


def jobs(
    pairs: Iterable[Pair],
    *,
    cap: int,
    seed: int = 0,
    published_code: bool = False,
    come: Mapping[str, int] = MappingProxyType({}),
    made: Mapping[Pair, int] = MappingProxyType({}),
) -> Iterator[Job]:
    """Jobs without end, or until every pair was taken `cap` times, or its target five times as often."""
    pools = _pools(pairs, seed, published_code)
    taken: Counter[Pair | str] = Counter()
    order, number, block = list(pools), 0, 0
    while pools:
        random.Random(keys.seed_of(seed, "block", block)).shuffle(order)
        for name in [one for one in order for _ in range(_turns(one, come)) if one in pools]:
            if name not in pools:
                continue
            if SEQUENCES[name].apis < 2 and len(pools) > 1 and block % 3 == 2:
                continue
            pair = _drawn(pools[name], taken, cap, made)
            if pair is None:
                del pools[name]
                continue
            taken[pair] += 1
            taken[pair.target] += 1
            yield Job(number, name, pair)
            number += 1
        block += 1


def _turns(sequence: str, come: Mapping[str, int]) -> int:
    """How many turns a sequence has in a block: one, and more where it fell behind."""
    usual = median(come.values()) if come else 0
    return max(1, min(_MOST, int(usual / (come.get(sequence, 0) + 1))))


def _drawn(targets: deque[deque[Pair]], taken: Counter[Pair | str], cap: int, made: Mapping[Pair, int]) -> Pair | None:
    """Of the next target the pair that came about least, and was tried least; None where all are used up."""
    while targets:
        pairs = targets.popleft()
        while pairs:
            pair = min(pairs, key=lambda one: _PATIENCE * made.get(one, 0) + taken[one])
            pairs.remove(pair)
            if taken[pair.target] >= 5 * cap:
                break
            if taken[pair] < cap:
                pairs.append(pair)
                targets.append(pairs)
                return pair
    return None


def _pools(pairs: Iterable[Pair], seed: int, published_code: bool) -> dict[str, deque[deque[Pair]]]:
    """The pairs that fit each sequence, by target."""
    known = {name: one for name, one in SEQUENCES.items() if published_code or not one.published_code_only}
    fitting: dict[str, dict[str, list[Pair]]] = {name: {} for name in known}
    for pair in pairs:
        names = [one.key for one in pair.sequences(published_code=published_code)]
        for name in [*names, *([] if pair.source else ["13.1"])]:
            fitting[name].setdefault(pair.target, []).append(pair)
    pools: dict[str, deque[deque[Pair]]] = {}
    for name, by_target in fitting.items():
        rng, targets = random.Random(keys.seed_of(seed, name)), list(by_target.values())
        for one in (*targets, targets):
            rng.shuffle(one)
        pools[name] = deque(map(deque, targets))
    return pools
