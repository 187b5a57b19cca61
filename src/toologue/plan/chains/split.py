"""Train, validation, test: pairs of APIs are shared out so that no API is in two of them.

The pairs of a connected component go to one split, the heaviest first, each to the split that lacks most. Where that
leaves a share more than `NEAR` off, a component of the fullest split is cut: from an API at its rim a piece grows, by
the API that loses the fewest conversations, until it weighs what is lacking; of several rims the one that loses least
counts. The pairs across a cut stand in `lost`; a cut that loses more than it moves is not made.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Literal, NamedTuple, get_args

from toologue import keys
from toologue.errors import BadSetting

SplitName = Literal["train", "validation", "test"]
SPLITS: tuple[SplitName, ...] = get_args(SplitName)
RATIO = (80.0, 10.0, 10.0)
# A share this near to the wanted one is good enough.
NEAR = 0.03

# Source and target; None where there is a target only.
Joined = tuple[str | None, str]

_RIMS, _CUTS = 8, 40


class Division(NamedTuple):
    """The split of each API; the weight of each split; the pairs between two splits, with their weights."""

    of: Mapping[str, SplitName]
    weights: Mapping[SplitName, int]
    lost: Mapping[Joined, int]

    def split_of(self, pair: Joined) -> SplitName | None:
        """The split of a pair; None where it is lost."""
        source, target = pair
        found = self.of[target]
        return found if source is None or self.of[source] == found else None

    @property
    def shares(self) -> dict[SplitName, float]:
        """What each split has of all that is left."""
        total = sum(self.weights.values()) or 1
        return {name: weight / total for name, weight in self.weights.items()}


def divide(weights: Mapping[Joined, int], *, ratio: Sequence[float] = RATIO, seed: int = 0) -> Division:
    """Share out pairs; weights say how many conversations each is for. Raises BadSetting for a ratio that is none."""
    if len(ratio) != len(SPLITS) or not all(isfinite(one) and one >= 0 for one in ratio) or not sum(ratio):
        raise BadSetting(f"the ratio {tuple(ratio)}: give three numbers for {', '.join(SPLITS)}, as in 80 10 10")
    wanted = [one / sum(ratio) for one in ratio]
    net = _Net(weights)
    parts = net.connected(range(len(net.names)))
    random.Random(keys.seed_of(seed, "split")).shuffle(parts)
    placed, off = _placed(net, parts, wanted)
    for attempt in range(_CUTS):
        if off <= NEAR:
            break
        finer = _finer(net, placed, wanted, random.Random(keys.seed_of(seed, "cut", attempt)))
        again, less = _placed(net, finer, wanted)
        if less >= off:
            break
        placed, off = again, less
    chosen = zip(SPLITS, placed, strict=True)
    divided = Division({net.names[one]: split for split, parts in chosen for part in parts for one in part}, {}, {})
    totals = dict.fromkeys(SPLITS, 0)
    lost: dict[Joined, int] = {}
    for pair, weight in weights.items():
        if split := divided.split_of(pair):
            totals[split] += weight
        else:
            lost[pair] = weight
    return divided._replace(weights=totals, lost=lost)


class _Net:
    """APIs as numbers, in the order of their names; what joins two, and what one has by itself, as weights."""

    def __init__(self, weights: Mapping[Joined, int]):
        self.names = sorted({name for pair in weights for name in pair if name is not None})
        number = {name: at for at, name in enumerate(self.names)}
        self.alone: Counter[int] = Counter()
        self.joined: list[Counter[int]] = [Counter() for _ in self.names]
        for (source, target), weight in weights.items():
            if source is None or source == target:
                self.alone[number[target]] += weight
            else:
                self.joined[number[source]][number[target]] += weight
                self.joined[number[target]][number[source]] += weight

    def connected(self, some: Iterable[int]) -> list[list[int]]:
        left, found = dict.fromkeys(some), list[list[int]]()
        while left:
            part = [left.popitem()[0]]
            for one in part:  # grows while it is read
                near = [other for other in self.joined[one] if other in left]
                part += near
                for other in near:
                    del left[other]
            found.append(sorted(part))
        return sorted(found)

    def weight(self, part: Iterable[int]) -> int:

        some = set(part)
        twice = sum(weight for one in some for other, weight in self.joined[one].items() if other in some)
        return twice // 2 + sum(self.alone[one] for one in some)

    def grown(self, part: Sequence[int], rim: int, wanted: float) -> tuple[int, int, list[int]]:
        """(what is lost, what is moved, the piece) that grows from a rim until it weighs what is wanted."""
        left = set(part)
        joined = {one: {other: n for other, n in self.joined[one].items() if other in left} for one in part}
        total = {one: sum(near.values()) for one, near in joined.items()}
        inside, weight, lost = list[int](), 0, 0
        reach: Counter[int] = Counter({rim: 0})
        while reach and weight < wanted and len(inside) < len(part) - 1:
            one = max(reach, key=lambda at: (2 * reach[at] - total[at], -at))
            gained = reach.pop(one)
            inside.append(one)
            left.remove(one)
            weight += gained + self.alone[one]
            lost += total[one] - 2 * gained
            reach.update({other: more for other, more in joined[one].items() if other in left})
        return lost, weight, sorted(inside)


def _placed(net: _Net, parts: Iterable[list[int]], wanted: Sequence[float]) -> tuple[list[list[list[int]]], float]:
    heavy = sorted(((net.weight(part), part) for part in parts), key=lambda one: -one[0])
    total = sum(weight for weight, _ in heavy)
    placed: list[list[list[int]]] = [[] for _ in wanted]
    lacks = [share * total for share in wanted]
    for weight, part in heavy:
        at = max(range(len(wanted)), key=lambda split: (lacks[split], wanted[split]))
        placed[at].append(part)
        lacks[at] -= weight
    return placed, max(map(abs, lacks)) / (total or 1)


def _finer(
    net: _Net, placed: Sequence[list[list[int]]], wanted: Sequence[float], rng: random.Random
) -> Iterator[list[int]]:
    weights = [sum(map(net.weight, parts)) for parts in placed]
    lacks = [share * sum(weights) - weight for share, weight in zip(wanted, weights, strict=True)]
    fullest = min(range(len(lacks)), key=lacks.__getitem__)
    whole = max(placed[fullest], key=net.weight)
    rims = sorted(whole, key=lambda one: (net.joined[one].total(), one))
    rims = [*rims[: _RIMS // 2], *rng.sample(whole, min(_RIMS, len(whole)))]
    grown = (net.grown(whole, rim, min(max(lacks), -min(lacks))) for rim in rims)
    pieces = [(lost, piece) for lost, moved, piece in grown if lost < moved]
    yield from (part for parts in placed for part in parts if part is not whole)
    if not pieces:
        yield whole
        return
    _, piece = min(pieces)
    yield piece
    yield from net.connected(sorted(set(whole) - set(piece)))
