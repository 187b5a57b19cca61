"""Explore a procedure: find by execution which walks through its graph are possible, and the values that lead there.

`Explorer` grows a tree of all that can happen: at a reply it branches over what the customer may answer and choose; a
call is executed, and its result decides the way on. Nothing is executed twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, takewhile
from random import Random
from typing import Any, get_args

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadSetting
from toologue.formats.procedure import told
from toologue.loop import World
from toologue.plan.procedures.answers import Answers, Option
from toologue.plan.procedures.answers import Place as RowPlace
from toologue.plan.procedures.paths import Goal, cover, coverage, pairs_of, weighted
from toologue.plan.procedures.service import Service, after_result, outcomes
from toologue.procedure.course import State, Steering
from toologue.schema import Call, Graph, Link, Node, Procedure, Result, Walk
from toologue.schema.procedure import reached
from toologue.values.conditions import embedded, parse

_LOOPS, _LONGEST = 2, 120
# Trails without anything new after which the search for it ends.
_IDLE = 150
# Walks that are sampled for edges not yet seen, and how many of them are tried.
_SAMPLED, _MOST_TRIED = 2000, 80


@dataclass(frozen=True)
class FeasiblePath:
    """A possible walk: its links, and what was given at each reply, by the place of the link that leads to it."""

    links: tuple[str, ...]
    given: Mapping[int, Option]
    # Results that were made up, by the place of the link that they lead to; empty where calls are executed.
    results: Mapping[int, Result] = field(default_factory=dict[int, Result], compare=False)
    knows: frozenset[RowPlace] = frozenset()


@dataclass
class SearchNode:
    """A place in the tree: where the walk stands, what is known, and how it came here."""

    state: State
    values: Mapping[str, JsonValue]
    mark: Any
    before: SearchNode | None = None
    link: Link | None = None
    given: Option | None = None
    result: Result | None = None
    call: Call | None = None
    knows: frozenset[RowPlace] = frozenset()
    depth: int = 0
    visits: int = 0
    done: bool = False
    grown: list[SearchNode] | None = None

    @property
    def way(self) -> list[SearchNode]:
        """The places from the root to this one, the root left out."""
        found: list[SearchNode] = []
        here: SearchNode | None = self
        while here is not None and here.link is not None:
            found.append(here)
            here = here.before
        return found[::-1]


class Explorer:
    """One procedure over one service. `graph` is its conversation graph, without noise."""

    def __init__(self, procedure: Procedure, graph: Graph, service: Service, *, seed: int = 0):
        self.procedure, self.graph, self.service = procedure, graph, service
        self.steering = Steering(graph)
        self.answers = Answers(procedure, service)
        self.facts: dict[str, JsonValue] = {"now": service.now, **procedure.facts}
        self._seed, self._rng = seed, Random(keys.seed_of(seed, "ground", procedure.id))
        self._world: World | None = service.make() if service.make else None
        mark = self._world.mark() if self._world else None
        self.root = SearchNode(self.steering.start, self.facts, mark)
        self._needed = _needed(graph)
        self._loops = max(_LOOPS, *self.steering.limits.values(), 0)
        self._spare: list[FeasiblePath] = []
        self.stuck: Counter[str] = Counter()

    @cached_property
    def instructions(self) -> str:
        """The procedure as an agent is told it."""
        return told(self.procedure)

    def trails(self, most: int) -> list[FeasiblePath]:
        """Up to `most` new ways to an end."""
        found = [self._spare.pop(0) for _ in range(min(most, len(self._spare)))]
        while len(found) < most and not self.root.done:
            if trail := self._down():
                found.append(trail)
        return found

    def reach(self, most: int = 3000) -> list[FeasiblePath]:
        """Trails that see what can be seen: along a cover of all pairs, then until nothing new has come for long.

        At most `most` of the latter.
        """
        along = (self.along(walk) for goal in get_args(Goal) for walk in cover(self.graph, goal))
        found = [trail for trail in along if trail]
        missing = set(coverage(self.graph, map(self.walk, found)).edges.missing)
        every = takewhile(lambda _: missing, weighted(self.graph, _SAMPLED, seed=self._seed))
        sampled = (walk for walk in every if missing.intersection(walk.links))
        for trail in filter(None, map(self.along, islice(sampled, _MOST_TRIED))):
            missing.difference_update(trail.links)
            found.append(trail)
        seen = coverage(self.graph, map(self.walk, found))
        wanted: set[object] = {*seen.edges.missing, *seen.pairs.missing}
        idle = 0
        while wanted and most > 0 and idle < _IDLE and not self.root.done:
            most -= 1
            if trail := self._down():
                new = wanted.intersection([*trail.links, *pairs_of(self.graph, trail.links)])
                wanted, idle = wanted - new, 0 if new else idle + 1
                (found if new else self._spare).append(trail)
        return found

    def walk(self, trail: FeasiblePath) -> Walk:
        """The walk that a trail takes."""
        return self.steering.walk([self.graph.by_link[link] for link in trail.links])

    def along(self, walk: Walk, *, budget: int = 2000) -> FeasiblePath | None:
        """A trail that takes this walk. `budget`: how many places may be looked at."""
        end = self._follow(self.root, walk.links, [budget])
        return self._trail(end) if end else None

    def next(self, place: SearchNode) -> list[SearchNode]:
        """What can come after a place; nothing after an end."""
        if place.grown is None:
            try:
                place.grown = list(self._grow(place))
            except BadSetting as error:  # a condition that makes no sense for these values
                self.stuck[str(error)] += 1
                place.grown = []
        return place.grown

    def _follow(self, place: SearchNode, links: Sequence[str], left: list[int]) -> SearchNode | None:
        if not links:
            return place
        left[0] -= 1
        if left[0] < 0:
            return None
        fitting = [after for after in self.next(place) if after.link and after.link.id == links[0]]
        for after in sorted(fitting, key=lambda after: after.visits):
            if end := self._follow(after, links[1:], left):
                after.visits += 1
                return end
        return None

    def _down(self) -> FeasiblePath | None:
        """A way from the root to an end that was not taken yet, along what was least visited."""
        place = self.root
        while after := [one for one in self.next(place) if not one.done]:
            least = min(one.visits for one in after)
            place = self._rng.choice([one for one in after if one.visits == least])
            place.visits += 1
        end = not self.graph.exits(place.state.node)
        here: SearchNode | None = place
        while here is not None and all(one.done for one in self.next(here)):
            here.done = True
            here = here.before
        return self._trail(place) if end else None

    def _trail(self, end: SearchNode) -> FeasiblePath:
        way = end.way
        given = {place: one.given for place, one in enumerate(way) if one.given is not None}
        made = {} if self.service.executes else {place: one.result for place, one in enumerate(way) if one.result}
        return FeasiblePath(tuple(one.link.id for one in way if one.link), given, made, end.knows)

    def _grow(self, place: SearchNode) -> Iterator[SearchNode]:
        node = self.graph.by_id[place.state.node]
        if place.depth >= _LONGEST or not self.graph.exits(node.id):
            return
        if node.type == "assistant":
            yield from self._replies(place)
        elif node.type == "user":
            if link := self.steering.choose(place.state, place.values):
                yield self._after(place, link, place.values)
            else:
                self.stuck[f"{node.id}, line {node.line}: no way on"] += 1
        else:
            yield from self._execute(place, node)

    def _replies(self, place: SearchNode) -> Iterator[SearchNode]:
        way = place.way
        for link in self.steering.exits(place.state):
            reply = self.graph.by_id[link.target]
            came = sum(before.state.node == reply.id for before in way)
            if place.depth > self._loops and came > self._loops:
                continue
            asked = self.given_by(reply, place.state.node)
            if not asked:
                yield self._after(place, link, place.values)
                continue
            seed = keys.content_key([self._seed, [one.link.id for one in way if one.link], dict(place.values)])
            for option in self.answers.options(asked, place.knows, seed=seed, values=place.values):
                yield self._after(place, link, {**place.values, **option.values}, given=option, knows=option.knows)

    def given_by(self, reply: Node, asking: str) -> list[str]:
        """The slots that a reply to a message gives: where there are several answers, those needed after this one."""
        answers = {link.target for link in self.graph.exits(asking)}
        return [slot for slot in reply.collects if len(answers) < 2 or slot in self._needed[reply.id]]

    def _execute(self, place: SearchNode, node: Node) -> Iterator[SearchNode]:
        call = call_of(node, place.values)
        if self._world is None:
            before = [one.result for one in place.way if one.call == call and one.result]
            exits = self.steering.exits(place.state)
            for link, result in outcomes(self.graph, exits, call, place.values, self.service, before[-1:]):
                yield self._after(place, link, after_result(node, place.values, result), result=result, call=call)
            return
        self._world.rewind(place.mark)
        result = self._world.do(call)
        mark, values = self._world.mark(), after_result(node, place.values, result)
        if link := self.steering.choose(place.state, values):
            yield self._after(place, link, values, result=result, mark=mark)
        else:
            what = result.error.type if result.error else "it"
            self.stuck[f"{node.id}, line {node.line}: no output fits {what}"] += 1

    def _after(self, place: SearchNode, link: Link, values: Mapping[str, JsonValue], **came: Any) -> SearchNode:
        """Behind a link. `came`: by what it was reached, and the mark and the rows where they are others."""
        state = self.steering.after(place.state, link)
        more: dict[str, Any] = {"mark": place.mark, "knows": place.knows, **came}
        return SearchNode(state, apply_sets(link, values), before=place, link=link, depth=place.depth + 1, **more)


def call_of(node: Node, values: Mapping[str, JsonValue]) -> Call:
    """The call of an api node; what is null is not given."""
    given = {name: parse(expression).value(values) for name, expression in node.arguments.items()}
    return Call(api=node.text, arguments={name: value for name, value in given.items() if value is not None})


def apply_sets(link: Link, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Values with those that a link gives to slots; `error` is forgotten on the way."""
    new = {name: parse(expression).value(values) for name, expression in link.sets.items()}
    return {name: value for name, value in {**values, **new}.items() if name != "error"}


def _needed(graph: Graph) -> Mapping[str, frozenset[str]]:
    looked_at = {node.id: [*map(parse, node.arguments.values()), *embedded(node.text)] for node in graph.nodes}
    for link in graph.links:
        looked_at[link.source] += map(parse, filter(None, [link.condition, *link.sets.values()]))
    used = {
        id: {name for expression in expressions for name in expression.names} for id, expressions in looked_at.items()
    }
    onward = {id: [link.target for link in graph.exits(id)] for id in used}
    return {id: frozenset[str]().union(*(used[there] for there in reached([id], onward))) for id in used}
