"""Plans of conversations for a procedure: sampled paths, grounded by execution, with noise and detours.

    sampler    cover      every pair of choices that execution can reach, in few conversations; more of them spread out
               weighted   Algorithm 1 (3.7)
               vanilla    random walks

What a path sampler proposes and no data lead down is dropped, and counted; so is a plan that says and does what another
one does. The same settings give the same plans.

Example:
    >>> from toologue.plan.procedures import procedure
    >>> from toologue.plan.procedures.service import service
    >>> made = plan_all(procedure("order-not-received"), service("shop"), 20, noise=0.2, detours=0.5, seed=3)
    >>> len(made.plans), str(made.coverage.edges), made.tally.kept
    (20, '40/40', 20)
    >>> made.plans[0].cues[0].move, made.plans[0].cues[-1].move
    ('open', 'end')

Not covered: words; `write` finds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from toologue import keys
from toologue.errors import BadSetting
from toologue.plan.procedures.coverage import Coverage, coverage, pairs_of
from toologue.plan.procedures.explore import Ground, Trail
from toologue.plan.procedures.paths import vanilla, weighted
from toologue.plan.procedures.plan_dialogue import DETOURS, Detours, NoiseMode, plan_of
from toologue.plan.procedures.service import Service
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Graph, Plan, Procedure

Sampler = Literal["cover", "weighted", "vanilla"]

_TRIES = 6
"""So many paths may be proposed for each conversation that is wanted."""


@dataclass
class Tally:
    """What became of the paths that were proposed."""

    proposed: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True)
class Planned:
    """The plans of a procedure, their conversation graph, what they cover of what can be reached, and the tally."""

    procedure: Procedure
    graph: Graph
    plans: tuple[Plan, ...]
    coverage: Coverage
    tally: Tally


def plan_all(
    procedure: Procedure,
    service: Service,
    count: int,
    *,
    sampler: Sampler = "cover",
    noise: float = 0.2,
    mode: NoiseMode = "resume",
    detours: float = 0.3,
    until: float = 1.0,
    seed: int = 0,
) -> Planned:
    """Up to `count` plans; with `cover` at least as many as a cover needs, where `count` is 0 just those.

    `until`: the share of what execution can reach that a cover must see.
    """
    for name, share in (("noise", noise), ("detours", detours), ("until", until)):
        if not 0 <= share <= 1:
            raise BadSetting(f"{name} is {share}: a number from 0 to 1 is wanted, for example 0.2")
    if count < 0 or (sampler != "cover" and not count):
        raise BadSetting(f"count is {count}: {'0' if sampler == 'cover' else '1'} or more is wanted")
    ground = Ground(procedure, conversation_graph(flowgraph(procedure)), service, seed=seed)
    tally, plans, seen = Tally(), list[Plan](), set[str]()
    rng = Random(keys.seed_of(seed, "plans", procedure.id))
    cover = _cover(ground, until) if sampler == "cover" else []
    wanted = max(count, len(cover))
    for trail in _proposed(ground, sampler, wanted, cover, seed):
        if len(plans) >= wanted:
            break
        tally.proposed += 1
        kinds = rng.sample(DETOURS, len(DETOURS)) if rng.random() < detours else []
        chosen = [Detours(noise=noise, mode=mode, kind=kind) for kind in (*kinds, None)]
        plan = trail and _planned(ground, trail, f"{procedure.id}-{len(plans) + 1:04d}", chosen, seed)
        if plan is None:
            tally.dropped["words would show what is not there" if trail else "no data lead there"] += 1
        elif (key := _key(plan)) in seen:
            tally.dropped["the same conversation twice"] += 1
        else:
            seen.add(key)
            plans.append(plan)
    tally.kept = len(plans)
    walks = (ground.walk(Trail(tuple(map(str, _path(plan))), {})) for plan in plans)
    return Planned(procedure, ground.graph, tuple(plans), coverage(ground.graph, walks), tally)


def _planned(ground: Ground, trail: Trail, id: str, chosen: Sequence[Detours], seed: int) -> Plan | None:
    """The plan of a trail with the first of these detours that fits."""
    for detours in chosen:
        plan = plan_of(ground, trail, id=id, seed=seed, detours=detours)
        if plan is None or plan.dialogue.origin["detour"] == detours.kind:
            return plan
    return None


def _proposed(ground: Ground, sampler: Sampler, wanted: int, cover: list[Trail], seed: int) -> Iterator[Trail | None]:
    if sampler == "cover":
        yield from cover
        for _ in range(wanted * _TRIES):
            yield from ground.trails(1)
        return
    walks = (weighted if sampler == "weighted" else vanilla)(ground.graph, wanted * _TRIES, seed=seed)
    yield from map(ground.along, walks)


def _cover(ground: Ground, until: float) -> list[Trail]:
    """Few trails that see a share of all pairs and edges that any trail sees; those that see most come first."""
    trails = ground.reach()
    left = {place: _sights(ground.graph, trail) for place, trail in enumerate(trails)}
    missing, chosen = set[object]().union(*left.values()), list[Trail]()
    enough = len(missing) * (1 - until)
    while len(missing) > enough:
        best = max(left, key=lambda place: len(left[place] & missing))
        missing -= left.pop(best)
        chosen.append(trails[best])
    return chosen


def _sights(graph: Graph, trail: Trail) -> frozenset[object]:
    return frozenset([*trail.links, *pairs_of(graph, trail.links)])


def _path(plan: Plan) -> Iterable[object]:
    path = plan.dialogue.origin["path"]
    return path if isinstance(path, list) else []


def _key(plan: Plan) -> str:
    told = [cue.model_dump(mode="json", exclude={"kinds"}) for cue in plan.cues]
    acts = [act.model_dump(mode="json") for turn in plan.dialogue.turns if turn.role == "agent" for act in turn.acts]
    return keys.content_key([told, acts])
