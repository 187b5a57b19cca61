"""Explore a procedure: find by execution which walks through its graph are possible, and the values that lead there.

`Explorer` grows a tree of all that can happen: at a reply it branches over what the customer may answer and choose; a
call is executed, and its result decides the way on. Nothing is executed twice.

What is drawn is drawn by the *signature* of a place: what was chosen and given on the way there, in words and values,
never by numbers of steps. So a change elsewhere in the procedure, or in the rows, leaves it as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from pydantic import JsonValue
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio

from toologue import keys
from toologue.errors import BadSetting
from toologue.formats.procedure import told
from toologue.loop import World
from toologue.plan.procedures.answers import Answers, Option, Slot
from toologue.plan.procedures.answers import Place as RowPlace
from toologue.plan.procedures.bounds import Bounds, Near, Side
from toologue.plan.procedures.paths import Sight, pairs_of, possible, walk_seeing
from toologue.plan.procedures.service import Service, after_result, holds, outcomes
from toologue.procedure.course import State, Steering
from toologue.schema import Call, Graph, Link, Node, Procedure, Result, Walk
from toologue.schema.procedure import reached
from toologue.values.conditions import embedded, parse

_LOOPS, _LONGEST = 2, 120
# Places that are looked at for links and pairs: all in all, alike ones, those of which nothing can be told yet.
_MOST, _ALIKE, _UNTOLD = 6000, 25, 300
# How often the way on to an end is drawn, and the places that are looked at for a walk of which nothing was found.
_DRAWS, _BUDGET = 6, 2000
# So many choices and answers count as much as one that hardly anybody would give.
_ODD = 6
# So many signs are others in what is right after a slip, and in what is another slip.
_SLIPS = 2, 4
# What is asked for once more, so many days somebody may be out, and so much (of 100) two names of one thing are alike.
_AGAIN, _NEAR, _LIKE = re.compile(r"\b(?:again|once more)\b"), 7, 80
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class FeasiblePath:
    """A possible walk: its links, and what was given at each reply, by the place of the link that leads to it."""

    links: tuple[str, ...]
    given: Mapping[int, Option]
    # Results that were made up, by the place of the link that they lead to; empty where calls are executed.
    results: Mapping[int, Result] = field(default_factory=dict[int, Result], compare=False)
    knows: frozenset[RowPlace] = frozenset()
    # What was chosen, given and made up, as a number.
    signature: int = 0
    # How much of what is given hardly anybody would give.
    odd: int = 0
    # The sides of bounds that it comes next to.
    sides: frozenset[Side] = field(default=frozenset[Side](), compare=False)


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
    # What was chosen last, in words; what has been so far, as a number; what was written, call by call.
    choice: str = ""
    signature: int = 0
    done: tuple[str, ...] = ()
    # How odd it would be to give this here.
    odd: int = 0
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
        self.bounds = Bounds(graph, self.facts)
        self._seed = seed
        self._world: World | None = service.make() if service.make else None
        mark = self._world.mark() if self._world else None
        self.root = SearchNode(self.steering.start, self.facts, mark, signature=keys.seed_of(seed, procedure.id))
        self._ahead = _ahead(graph)
        self._held = dict[tuple[str, tuple[str | None, ...]], bool | None]()
        self._keys = dict[int, tuple[JsonValue, str]]()
        self._loops = max(_LOOPS, *self.steering.limits.values(), 0)

    @cached_property
    def instructions(self) -> str:
        """The procedure as an agent is told it."""
        return told(self.procedure)

    def trails(self, most: int) -> Iterator[FeasiblePath]:
        """Up to so many ways to an end, each once, by chance along each link and pair: first those without a slip."""
        known = set[int]()
        for slips in (0, 1):
            for draw in range(_DRAWS, _DRAWS + most):
                for place in keys.drawn(self._shortest.values(), draw, label=lambda place: str(place.signature)):
                    trail = self._down(place, draw, slips)
                    if trail and (slips or not trail.odd) and trail.signature not in known and len(known) < most:
                        known.add(trail.signature)
                        yield trail

    def cover(self) -> list[FeasiblePath]:
        """Trails that see all that can be seen, few of them; those that see most come first.

        Trails over the shortest way to each link and pair are drawn; each takes the least odd, then the one worth most.
        """
        found = [self._down(end, draw) for end in self._shortest.values() for draw in range(_DRAWS)]
        every = {trail.signature: trail for trail in found if trail}
        seen = {signature: self.sights(trail) for signature, trail in every.items()}
        for sight in sorted(set[Sight]().union(*possible(self.graph)).difference(*seen.values()), key=str):
            if trail := self.along(walk_seeing(self.steering, sight)):
                every[trail.signature], seen[trail.signature] = trail, self.sights(trail)

        def worth(signature: int) -> tuple[int, float, int]:
            trail = every[signature]
            return trail.odd, -len(seen[signature]) / len(trail.links), signature

        order = sorted(every, key=worth)
        best = {sight: signature for signature in reversed(order) for sight in seen[signature]}
        picked = [signature for signature in order if signature in best.values()]
        times = Counter(sight for signature in picked for sight in seen[signature])
        for signature in reversed(picked):
            if all(times[sight] > 1 for sight in seen[signature]):
                picked.remove(signature)
                times.subtract(seen[signature])
        return [every[signature] for signature in picked]

    def reaches(self, sight: Sight) -> bool:
        """Whether a link, or a pair, was come to."""
        return sight in self._shortest

    def dead_end(self, sight: Sight) -> tuple[Node, Result | None] | None:
        """Where conversations stop short of an end that come to a link, or a pair; None where they reach one.

        With it what a call gave there that nothing in the procedure foresees.
        """
        place = self._shortest[sight]
        if any(self._down(place, draw) for draw in range(_DRAWS)):
            return None
        while after := self.next(place):
            place = after[0]
        node = self.graph.by_id[place.state.node]
        return node, self._called(place, node)[1] if node.type == "api" and self._world else None

    def sights(self, trail: FeasiblePath) -> frozenset[Sight]:
        """The links, the pairs of choices, and the sides of bounds, that a trail sees."""
        return frozenset[Sight]({*trail.links, *pairs_of(self.graph, trail.links), *trail.sides})

    def near(self, place: SearchNode) -> list[Near]:
        """How near the bounds of the conditions lie that led to a place."""
        return [*self.bounds.near(place.link, place.values)] if place.link else []

    def walk(self, trail: FeasiblePath) -> Walk:
        """The walk that a trail takes."""
        return self.steering.walk([self.graph.by_link[link] for link in trail.links])

    def along(self, walk: Walk, draw: int = 0, *, budget: int = _BUDGET) -> FeasiblePath | None:
        """A trail that takes this walk. `budget`: how many places may be looked at; `draw`: which one of several."""
        end = self._follow(self.root, walk.links, draw, [budget])
        return self._trail(end) if end else None

    def next(self, place: SearchNode) -> list[SearchNode]:
        """What can come after a place; nothing after an end."""
        if place.grown is None:
            place.grown = []
            with suppress(BadSetting):  # a condition that makes no sense for these values
                place.grown = list(self._grow(place))
        return place.grown

    @cached_property
    def _shortest(self) -> dict[Sight, SearchNode]:
        """Where each link, pair of choices, and side of a bound is seen after the fewest choices and answers.

        Of places in one state for which the same conditions hold, so many are looked at.
        """
        links, pairs = possible(self.graph)
        missing = {*links, *pairs, *self.bounds.all}
        found, known, alike = dict[Sight, SearchNode](), set[object](), Counter[object]()
        waiting = [(0, self.root.signature, 0, self.root, "")]
        pushed = count(1)
        while waiting and missing and len(known) < _MOST:
            length, _, _, place, before = heappop(waiting)
            if (link := place.link) is not None:
                choice = len(self.graph.exits(link.source)) > 1
                seen: set[Sight] = {near.side for near in self.near(place) if near.next_to}
                for sight in missing.intersection(seen | ({link.id, (before, link.id)} if choice else {link.id})):
                    missing.remove(sight)
                    found[sight] = place
                before = link.id if choice else before
            what, holding = self._what_counts(place)
            kind = before, place.state, holding
            if (before, what) in known or alike[kind] >= (_ALIKE if {*holding} - {None} else _UNTOLD):
                continue
            known.add((before, what))
            alike[kind] += 1
            for after in self.next(place):
                longer = length + (after.signature != place.signature) + _ODD * after.odd
                heappush(waiting, (longer, after.signature, next(pushed), after, before))
        return found

    def _what_counts(self, place: SearchNode) -> tuple[object, tuple[bool | None, ...]]:
        """All that counts for what can come after a place; which conditions hold there, as far as one can tell."""
        ahead = self._ahead[place.state.node]
        values = {name: self._key(value) for name, value in place.values.items() if name in ahead.names}
        holding = tuple(self._holds(condition, names, place.values, values) for condition, names in ahead.conditions)
        knows = place.knows if ahead.asks else None
        return (place.state, frozenset(values.items()), knows, place.done), holding

    def _holds(
        self, condition: str, names: Sequence[str], values: Mapping[str, JsonValue], named: Mapping[str, str]
    ) -> bool | None:
        key = (condition, tuple(named.get(name) for name in names))
        if key not in self._held:
            self._held[key] = None if None in key[1] else holds(condition, values)
        return self._held[key]

    def _key(self, value: JsonValue) -> str:
        """The key of a value; that of a result, which many places share, is made once."""
        if not isinstance(value, dict | list):
            return repr(value)
        if id(value) not in self._keys:
            self._keys[id(value)] = value, keys.content_key(value)
        return self._keys[id(value)][1]

    def _follow(self, place: SearchNode, links: Sequence[str], draw: int, left: list[int]) -> SearchNode | None:
        if not links:
            return place
        left[0] -= 1
        if left[0] < 0:
            return None
        fitting = [after for after in self.next(place) if after.link and after.link.id == links[0]]
        for after in sorted(fitting, key=lambda after: (after.odd, keys.seed_of(draw, after.signature))):
            if end := self._follow(after, links[1:], draw, left):
                return end
        return None

    def _down(self, place: SearchNode, draw: int, slips: int = 0) -> FeasiblePath | None:
        """A way to an end, by chance: first the link, one not yet taken, then what is given, with so many slips."""
        came = Counter(one.state.node for one in place.way)

        def order(one: SearchNode) -> tuple[int, int, int, int]:
            chosen = keys.seed_of(draw, here, one.choice)
            return came[one.state.node], chosen, max(one.odd, slips), keys.seed_of(draw, one.signature)

        while after := self.next(place):
            here = place.signature
            place = min(after, key=order)
            came[place.state.node] += 1
        return None if self.graph.exits(place.state.node) else self._trail(place)

    def _trail(self, end: SearchNode) -> FeasiblePath:
        way = end.way
        given = {place: one.given for place, one in enumerate(way) if one.given is not None}
        made = {} if self.service.executes else {place: one.result for place, one in enumerate(way) if one.result}
        links = tuple(one.link.id for one in way if one.link)
        sides = frozenset(near.side for one in way for near in self.near(one) if near.next_to)
        return FeasiblePath(links, given, made, end.knows, end.signature, sum(one.odd for one in way), sides)

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
            yield from self._execute(place, node)

    def _replies(self, place: SearchNode) -> Iterator[SearchNode]:
        way = place.way
        same = _AGAIN.search(self.graph.by_id[place.state.node].text) is not None
        for link in self.steering.exits(place.state):
            reply = self.graph.by_id[link.target]
            came = sum(before.state.node == reply.id for before in way)
            if place.depth > self._loops and came > self._loops:
                continue
            asked = self.given_by(reply, place.state.node)
            if not asked:
                yield self._after(place, link, place.values, odd=2 * self._overlooks_slip(place, reply))
                continue
            options = self.answers.options(asked, place.knows, seed=self._seed, values=place.values)
            before = [one.given for one in way if one.given]
            likely = _likely(options, before, self.answers.slots, same=same)
            erred = any(one.wrong for one in before)
            for option in options:
                values = {**place.values, **option.values}
                if option.wrong == "malformed" and option.slot in self._deciding(reply):
                    continue  # nobody decides by what is no value
                slip = self._slip(option) + erred if option.wrong else 0
                odd = 2 * (option.key not in likely) + slip
                yield self._after(place, link, values, given=option, knows=option.knows, odd=odd)

    def _slip(self, option: Option) -> int:
        """How odd a wrong value is: most in what people know by heart, a day more than a name."""
        slot = self.answers.slots[option.slot]
        return 1 + (option.wrong == "malformed") + slot.by_heart * (2 if option.wrong == "another" else 1)

    def _overlooks_slip(self, place: SearchNode, reply: Node) -> bool:
        """Whether somebody says yes to what they got wrong and are shown."""
        last = next((one.given for one in reversed(place.way) if one.given), None)
        shown = {one.text for one in embedded(self.graph.by_id[place.state.node].text)}
        return reply.text.lower() == "yes" and last is not None and last.slot in shown

    def _deciding(self, reply: Node) -> set[str]:
        """The names that decide where a reply leads."""
        return {name for link in self.graph.exits(reply.id) if link.condition for name in parse(link.condition).names}

    def given_by(self, reply: Node, asking: str) -> list[str]:
        """The slots that a reply to a message gives: where there are several answers, those needed after this one."""
        answers = {link.target for link in self.graph.exits(asking)}
        return [slot for slot in reply.collects if len(answers) < 2 or slot in self._ahead[reply.id].names]

    def _execute(self, place: SearchNode, node: Node) -> Iterator[SearchNode]:
        if self._world is None:
            call = call_of(node, place.values)
            before = [one.result for one in place.way if one.call == call and one.result]
            exits = self.steering.exits(place.state)
            for link, result in outcomes(self.bounds, exits, call, place.values, self.service, before[-1:]):
                if self._keeps_slip(place, node, result):
                    continue
                yield self._after(place, link, after_result(node, place.values, result), result=result, call=call)
            return
        call, result = self._called(place, node)
        slots = (expression.strip() for expression in node.arguments.values())
        if result.changes and any(self.answers.invents(slot, place.values.get(slot), place.knows) for slot in slots):
            return  # a service that takes what is not there: no conversation should show that
        if self._keeps_slip(place, node, result):
            return
        mark, values = self._world.mark(), after_result(node, place.values, result)
        if link := self.steering.choose(place.state, values):
            yield self._after(place, link, values, result=result, mark=mark, call=call)

    def _called(self, place: SearchNode, node: Node) -> tuple[Call, Result]:
        """The call of a node, and what the world gives for it."""
        assert self._world is not None, "results are executed, not made up"
        call = call_of(node, place.values)
        self._world.rewind(place.mark)
        return call, self._world.do(call)

    def _keeps_slip(self, place: SearchNode, node: Node, result: Result) -> bool:
        """Whether a writing call takes a wrong value: it stands for good then, and no customer would leave it so."""
        api = self.service.apis.get(node.text)
        if result.error or api is None or not api.writes:
            return False
        given = {slot: one.given for one in place.way if one.given for slot in one.given.values}
        return any(slot in given and given[slot].slot == slot for slot in map(str.strip, node.arguments.values()))

    def _after(self, place: SearchNode, link: Link, values: Mapping[str, JsonValue], **came: Any) -> SearchNode:
        """Behind a link. `came`: by what it was reached, and the mark and the rows where they are others."""
        state = self.steering.after(place.state, link)
        choice, given, result = _choice(self.graph, link), came.get("given"), came.get("result")
        told, done = [choice, *([given.key] if given else ())], list(place.done)
        if result and (result.changes or self._world is None):
            act = keys.content_key([one.model_dump(mode="json") for one in (came["call"], result)])
            (told if self._world is None else done).append(act)
        more: dict[str, Any] = {"mark": place.mark, "knows": place.knows, "done": tuple(done), **came}
        more["signature"] = keys.seed_of(place.signature, *told) if any(told) else place.signature
        values = apply_sets(link, values)
        return SearchNode(state, values, before=place, link=link, depth=place.depth + 1, choice=choice, **more)


def _likely(
    options: Sequence[Option], before: Sequence[Option], slots: Mapping[str, Slot], *, same: bool = False
) -> frozenset[str]:
    """What somebody says who was asked for the same before: nothing again that they do not know by heart, and nothing
    unlike what was wrong. With `same`, what was said then is to be said in other words.
    """
    last = next((one for one in reversed(before) if options and one.values.keys() & options[0].values.keys()), None)
    if last is None:
        return frozenset(one.key for one in options)
    again = [one for one in options if one.values.items() <= last.values.items()]
    fresh = [one for one in options if not any(one.values.items() <= old.values.items() for old in before)]
    if last.wrong:
        near = [one for one in fresh if _mends(one, last, slots)]
        fresh = [*near, *again] if slots[last.slot].by_heart else near or again or fresh
    elif same:
        fresh = [one for one in fresh if one.wrong != "malformed" and _resembles(one, last)] or again or fresh
    else:  # another day is a later one
        fresh = [one for one in fresh if not _is_sooner(one, last)] or fresh
    return frozenset(one.key for one in fresh or options)


def _mends(one: Option, last: Option, slots: Mapping[str, Slot]) -> bool:
    """Whether nothing but what was wrong is another value: one that was misread, or an address of another."""
    changed = {name for name, value in one.values.items() if last.values.get(name, value) != value}
    others = last.wrong == "another" if not one.wrong else slots[one.slot].kind in ("email", "phone")
    return changed <= {last.slot} and (others or slips(one, last) <= _SLIPS[bool(one.wrong)])


def _resembles(one: Option, last: Option) -> bool:
    """Whether the values could be meant for the same: other words for it, or another sign or two of a code."""
    for name, value in one.values.items():
        this, that = str(value), str(last.values.get(name, value))
        if _DAY.fullmatch(this) and abs((date.fromisoformat(this) - date.fromisoformat(that)).days) > _NEAR:
            return False
        code = re.search(r"\d", this + that)
        if Levenshtein.distance(this, that) > _SLIPS[False] if code else partial_ratio(this, that) < _LIKE:
            return False
    return True


def slips(one: Option, other: Option) -> int:
    """How many signs of the values that both have are others."""
    pairs = ((value, other.values[name]) for name, value in one.values.items() if name in other.values)
    return sum(Levenshtein.distance(str(this), str(that)) for this, that in pairs)


def _is_sooner(one: Option, other: Option) -> bool:
    """Whether a day comes before the one that was said for the same."""
    pairs = ((str(value), str(other.values.get(name, ""))) for name, value in one.values.items())
    return any(_DAY.fullmatch(this) and _DAY.fullmatch(that) and this < that for this, that in pairs)


def _choice(graph: Graph, link: Link) -> str:
    """What is chosen by taking a link, in words; empty where there is no choice."""
    target, tries = graph.by_id[link.target], link.tries
    said = target.text if target.type == "user" else ""
    exits = graph.exits(link.source)
    return repr((link.text, link.condition, said, tries and tries.over)) if len(exits) > 1 else ""


def call_of(node: Node, values: Mapping[str, JsonValue]) -> Call:
    """The call of an api node; what is null is not given."""
    given = {name: parse(expression).value(values) for name, expression in node.arguments.items()}
    return Call(api=node.text, arguments={name: value for name, value in given.items() if value is not None})


def apply_sets(link: Link, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Values with those that a link gives to slots; `error` is forgotten on the way."""
    new = {name: parse(expression).value(values) for name, expression in link.sets.items()}
    return {name: value for name, value in {**values, **new}.items() if name != "error"}


class _Ahead(NamedTuple):
    """What is looked at from a node on, the conditions among it, and whether a customer is asked for something."""

    names: frozenset[str]
    conditions: tuple[tuple[str, tuple[str, ...]], ...]
    asks: bool


def _ahead(graph: Graph) -> Mapping[str, _Ahead]:
    looked_at = {node.id: [*map(parse, node.arguments.values()), *embedded(node.text)] for node in graph.nodes}
    for link in graph.links:
        looked_at[link.source] += map(parse, filter(None, [link.condition, *link.sets.values()]))
    onward = {node.id: [link.target for link in graph.exits(node.id)] for node in graph.nodes}
    found = dict[str, _Ahead]()
    for id in onward:
        after = reached([id], onward)
        names = frozenset(name for there in after for expression in looked_at[there] for name in expression.names)
        told = dict.fromkeys(link.condition for link in graph.links if link.source in after)
        named = ((condition, tuple(sorted(parse(condition).names - {"error"}))) for condition in told if condition)
        asks = any(graph.by_id[there].collects for there in after)
        found[id] = _Ahead(names, tuple(one for one in named if one[1]), asks)
    return found
