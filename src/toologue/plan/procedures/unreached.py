"""What no conversation reaches, and what would reach it.

Ways out of steps that conversations come to, and do not take, what lies behind those being named with them; and ways
that are never taken right after another one that is taken. Why is found out by execution: all that the explorer tried
at the step is looked at again with one value, or two, of a row or of an answer changed to what the conditions compare
it with, until the way is taken. That is what is missing.

Example:
    step 2, branch 2 (`found.refunded == true`): no charge with `refunded == true`; add such a row to seed.yaml
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from datetime import datetime
from itertools import combinations, islice, takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadSetting
from toologue.plan.procedures.answers import at
from toologue.plan.procedures.explore import Explorer, SearchNode, call_of
from toologue.plan.procedures.paths import Coverage
from toologue.plan.procedures.service import after_result, put, worth_trying
from toologue.procedure.course import State
from toologue.schema import Graph, Link, Node, Noun, Procedure, Result, Step
from toologue.schema.procedure import reached
from toologue.text.tokens import singular
from toologue.values.compare import shifted
from toologue.values.conditions import parse
from toologue.values.json_schema import object_of

# So many tries are changed, in so many ways each.
_TRIES, _CHANGES = 25, 400
# So many pairs are told to whoever can mend them.
_PAIRS = 3
# Stands for any other value than those that are compared with.
OTHER = "another"
_OVERLAY = "in an overlay what it refuses (x-action: requires)"
_RULE = 'add a row to "rows" that it refuses, or say under "operations" what it refuses (`requires`)'
# Reasons why plans are dropped by which nothing is lost.
_HARMLESS = ("the same conversation twice", "no data lead there")
_Change = Mapping[tuple[str, ...], JsonValue]
# By what it could be mended: a row, an example, a rule of an operation, other words in the step; else by nothing.
Mends = Literal["row", "example", "rule", "step", ""]


class Unreached(Noun):
    """A way that no conversation takes: where it is, why not, what to do, and the steps that lie behind it alone.

    `after`: the way after which none takes it, though some take both. `mends`: by what it could be mended.
    """

    step: int
    line: int
    way: str
    why: str
    remedy: str = ""
    behind: tuple[int, ...] = ()
    after: str = ""
    mends: Mends = ""

    def __str__(self) -> str:
        steps = ", ".join(map(str, self.behind))
        behind = f" (behind it: step{'s' * (len(self.behind) > 1)} {steps})" if steps else ""
        way = f"{self.way}, right after {self.after}" if self.after else self.way
        return f"step {self.step}, {way}: {'; '.join(filter(None, [self.why, self.remedy]))}{behind}"


class _Cause(NamedTuple):
    """Why a way is not taken, what to do, and by what that mends it."""

    why: str
    remedy: str = ""
    mends: Mends = ""


class _Try(NamedTuple):
    """What is known where a way is chosen, and the one that was."""

    state: State
    values: Mapping[str, JsonValue]
    taken: Link | None


# Node → (the choice before it, what was tried there), each once.
_Tried = Mapping[str, Mapping[str, tuple[str, _Try]]]


def unreached(ground: Explorer, seen: Coverage, dropped: Mapping[str, int]) -> list[Unreached]:
    """What plans with this coverage do not reach, by line. `dropped`: why plans were, and how often."""
    graph, procedure = ground.graph, ground.procedure
    links, pairs = list(_open(graph, seen)), list(_apart(graph, seen))
    tried = _tried(ground, {link.source for link in (*links, *(link for _, link in pairs))})
    ways = (_of(one, procedure, graph, seen, _cause(ground, one, dropped, tried)) for one in links)
    after = (
        _of(one, procedure, graph, seen, _cause(ground, one, dropped, tried, before), before) for before, one in pairs
    )
    return [*_in_order(ways), *_in_order(after)]


def mendable(ways: Iterable[Unreached], writable: bool) -> Iterator[Unreached]:
    """The ways that whoever writes a procedure can mend: by rows and rules where it may add some, by its own words.

    Of pairs the first few, where a row is all that is missing.
    """
    alone = [one for one in ways if not one.after and (one.mends in ("example", "step") or (writable and one.mends))]
    pairs = {one.line: one for one in reversed([*ways]) if one.after and one.mends == "row" and writable}
    told = {one.line for one in alone}
    for one in (*alone, *islice((pair for line, pair in sorted(pairs.items()) if line not in told), _PAIRS)):
        remedy = _RULE if one.mends == "rule" else re.sub(r" to \S+\.yaml\b", ' to "rows"', one.remedy)
        yield one.replace(remedy=remedy)


def lost(
    procedure: Procedure, graph: Graph, planned: Coverage, seen: Coverage, dropped: Mapping[str, int]
) -> list[Unreached]:
    """What was planned, and is in none of the conversations that were kept."""
    links = (link for link in _open(graph, seen) if link.id in planned.edges.seen)
    return _in_order(_of(link, procedure, graph, seen, _lost(dropped)) for link in links)


def _in_order(found: Iterator[Unreached]) -> list[Unreached]:
    """Each way once, by line."""
    ways = {(one.line, one.way, one.after): one for one in found}
    return [ways[place] for place in sorted(ways)]


def _open(graph: Graph, seen: Coverage) -> Iterator[Link]:
    """The links that are not taken, out of nodes that are come to."""
    return (link for link in graph.links if link.source in seen.nodes.seen and link.id not in seen.edges.seen)


def _apart(graph: Graph, seen: Coverage) -> Iterator[tuple[Link, Link]]:
    """The choices that are taken, and never one right after the other."""
    for pair in sorted(seen.pairs.missing):
        if seen.edges.seen.issuperset(pair):
            yield graph.by_link[pair[0]], graph.by_link[pair[1]]


def _of(
    link: Link,
    procedure: Procedure,
    graph: Graph,
    seen: Coverage,
    cause: _Cause,
    before: Link | None = None,
) -> Unreached:
    number = graph.by_id[link.source].step or 0
    onward = {node.id: [one.target for one in graph.exits(node.id)] for node in graph.nodes}
    onward |= {id: [] for id in seen.nodes.seen}
    there = (graph.by_id[id] for id in reached([link.target], onward) - seen.nodes.seen)
    behind = sorted({node.step for node in there if node.type != "user" and node.step})
    after = _stepwise(before, procedure, graph) if before else ""
    way, said = _way(link, procedure.step(number)), cause._asdict()
    return Unreached(step=number, line=link.line, way=way, behind=tuple(behind), after=after, **said)


def _stepwise(link: Link, procedure: Procedure, graph: Graph) -> str:
    number = graph.by_id[link.source].step or 0
    return f"step {number}, {_way(link, procedure.step(number))}"


def _way(link: Link, step: Step | None) -> str:
    for number, branch in enumerate(step.branches if step else (), 1):
        if branch.line == link.line:
            said = f"`{branch.condition}`" if branch.condition else branch.answer or "otherwise"
            return f"branch {number} ({said}){_after(link)}"
    return f"the way on{_after(link)}"


def _after(link: Link) -> str:
    if link.tries is None or not link.tries.over:
        return ""
    return f" after {_times(link.tries.times, 'try', 'tries')}"


def _times(times: int, one: str, several: str) -> str:
    return f"{times} {one if times == 1 else several}"


def _lost(dropped: Mapping[str, int]) -> _Cause:
    told = ", ".join(f"{reason} × {times}" for reason, times in dropped.items() if reason not in _HARMLESS)
    if told:
        return _Cause(f"what leads there was dropped ({told})")
    return _Cause("it can be reached, and was not drawn", "raise the count, or take the sampler cover with until 1")


def _stopped(node: Node, result: Result | None) -> _Cause:
    """Why conversations that come to a way reach no end."""
    where = f"step {node.step}"
    if result and result.error:
        why = f"`{node.text}` in {where} fails there ({result.error.message}), and {where} says nothing of that"
        return _Cause(why, f"add `- If it fails: go to …` below {where}, or call it otherwise", "step")
    if result:
        return _Cause(f"`{node.text}` in {where} would keep a value that the customer got wrong")
    return _Cause(f"conversations that come to this go no further than {where}")


def _cause(
    ground: Explorer, link: Link, dropped: Mapping[str, int], tried: _Tried, before: Link | None = None
) -> _Cause:
    """Why a link is not taken, or not right after another one, and what to do."""
    graph, source = ground.graph, ground.graph.by_id[link.source]
    if ground.reaches(sight := (before.id, link.id) if before else link.id):
        return _stopped(*end) if (end := ground.dead_end(sight)) else _lost(dropped)
    if link.tries and link.tries.over:
        often = _times(link.tries.times, "time", "times")
        return _Cause(f"nobody comes to step {graph.by_id[link.tries.node].step} more than {often}")
    tries = [one for came, one in tried[link.source].values() if before is None or came == before.id]
    if before and not tries:
        return _Cause("nobody comes there so")
    if re.match(r"error\b", link.condition):
        named = re.search(r'error\.type == "([^"]+)"', link.condition)
        failed = f"failed with `{named[1]}`" if named else "failed"
        rule = f"add a row to {seed_name(ground)} that it refuses, or say {_OVERLAY}"
        why, api = f"none of {len(tries)} calls of `{source.text}` that were tried {failed}", source.text
        if not before and (row := _refused(ground, source, tries, named[1] if named else "")):
            rule = f"it refuses {row}, and the steps before lead that elsewhere: no conversation comes to this"
        can = named is None or named[1] == "conflict"  # what a rule brings about
        return _Cause(why, rule, "rule" if can and ground.service.apis[api].writes else "")
    faults = [object_of(one.values["error"]) for one in tries if one.values.get("error")]
    if tries and len(faults) == len(tries):
        why = f"all {len(tries)} calls of `{source.text}` failed ({faults[0].get('message')})"
        return _Cause(why, f"add rows to {seed_name(ground)} that its arguments name", "row")
    for one, change in _changes(ground, link, tries, before):
        return _missing(ground, link, tries, one, change)
    if moment := _other_moment(ground, link, tries):
        why = f"`now` is {ground.facts['now']} in every conversation"
        return _Cause(why, f"another procedure with `facts: {{now: {moment}}}` in its front matter goes there")
    targets = {graph.by_id[one.taken.target].step for one in tries if one.taken}
    always = f"step {source.step} always goes to {' or '.join(map(str, sorted(filter(None, targets))))}"
    if not targets:
        return _Cause("nobody answers so")
    return _Cause(f"no way leads there: {always}, whatever was tried ({len(tries)})", mends="step")


def _refused(ground: Explorer, source: Node, tries: Sequence[_Try], type: str) -> str:
    """A row that is there with which a call fails so, though nobody comes to it with that row; empty without one."""
    make, names = ground.service.make, ground.service.names(source.text)
    call = call_of(source, tries[0].values) if tries else None
    if make and call:
        for parameter, (table, _) in names.items():
            for key in islice(ground.service.rows.get(table, {}), _TRIES):
                result = make().do(call.replace(arguments={**(call.arguments or {}), parameter: key}))
                if result.error and result.error.type == (type or result.error.type):
                    return f"{singular(table).replace('_', ' ')} {key}"
    return ""


def _tried(ground: Explorer, nodes: Container[str]) -> _Tried:
    """All that was tried at some nodes, each once by the choice before it and by what its conditions look at."""
    found, waiting = defaultdict[str, dict[str, tuple[str, _Try]]](dict), [(ground.root, "")]
    for place, before in waiting:  # grows while it is read
        chooses = len(ground.graph.exits(place.state.node)) > 1
        waiting += [(one, one.link.id if chooses and one.link else before) for one in place.grown or ()]
        for one in _tries_at(ground, place) if place.state.node in nodes else ():
            key = keys.content_key([before, list(place.state.entered), dict(one.values)])
            found[place.state.node].setdefault(key, (before, one))
    return found


def _tries_at(ground: Explorer, place: SearchNode) -> Iterator[_Try]:
    node = ground.graph.by_id[place.state.node]
    if node.type == "user":
        with suppress(BadSetting):
            yield _Try(place.state, place.values, ground.steering.choose(place.state, place.values))
    for after in ground.next(place) if node.type == "api" else ():
        if after.result:
            yield _Try(place.state, after_result(node, place.values, after.result), after.link)


def _changes(
    ground: Explorer, link: Link, tries: Sequence[_Try], before: Link | None
) -> Iterator[tuple[_Try, _Change]]:
    """What was tried, and a change of few values with which it takes the link; the smallest changes first.

    With it the link `before`, too, has to be taken as it was.
    """
    exits = ground.graph.exits(link.source)
    conditions = [one.condition for one in exits[: exits.index(link) + 1] if one.condition]
    given = {step.result for step in ground.procedure.steps} | ground.answers.slots.keys()
    for size in (1, 2):
        for one in tries[:_TRIES]:
            if one.values.get("error"):
                continue
            now = ground.service.now
            single = [each for condition in conditions for each in _choices(condition, one.values, now, given)]
            some = (dict(few) for few in combinations(single, size) if len(dict(few)) == size)
            for change in islice(some, _CHANGES):
                if _takes(ground, link, one, change) and (before is None or _takes(ground, before, one, change)):
                    yield one, change


def _choices(
    condition: str, values: Mapping[str, JsonValue], now: str, given: Container[str]
) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """What the results and slots that a condition looks at could be."""
    worth: Mapping[tuple[str, ...], list[Any]] = {}
    with suppress(BadSetting):
        worth = worth_trying([condition], values, now, lambda path: path[0] in given)
    for path in parse(condition).paths:
        if path[0] in given:
            plain = () if isinstance(at(values, path), list | dict) else (OTHER, True, False)
            yield from ((path, value) for value in (*worth.get(path, ()), *plain))


def _other_moment(ground: Explorer, link: Link, tries: Sequence[_Try]) -> str:
    """A `now` with which what was tried takes the link, near what the conditions compare it with; empty without one."""
    exits = ground.graph.exits(link.source)
    conditions = [one.condition for one in exits[: exits.index(link) + 1] if "now" in parse(one.condition or "0").names]
    for one in tries[:_TRIES] if conditions else ():
        compared = worth_trying(conditions, one.values, ground.service.now, ("now",).__eq__).get(("now",), [])
        moments = [when for when in compared if isinstance(when, str)]
        near = (shifted(when, "1 minute", way) for when in moments for way in (datetime.__sub__, datetime.__add__))
        for when in filter(None, (*moments, *near)):
            if _takes(ground, link, one, {("now",): when}):
                return when
    return ""


def _takes(ground: Explorer, link: Link, one: _Try, change: _Change) -> bool:
    """Whether values that are changed lead along a link, or did, where it was taken before."""
    values: Any = dict(one.values) | {path[0]: deepcopy(one.values.get(path[0])) for path in change}
    for path, value in change.items():
        put(values, path, value)
    with suppress(BadSetting):
        if link.source == one.state.node:
            return ground.steering.choose(one.state, values) == link
        sooner = takewhile(lambda exit: exit != link, ground.graph.exits(link.source))
        said = [exit.condition for exit in sooner if exit.condition and not exit.tries]
        own = parse(link.condition) if link.condition else None
        holds = own is None or own.names == frozenset({"error"}) or own.holds(values)
        return holds and not any(parse(condition).holds({**values, "error": None}) for condition in said)
    return False


def _missing(ground: Explorer, link: Link, tries: Sequence[_Try], one: _Try, change: _Change) -> _Cause:
    """The row or the example that a change stands for."""
    looked_at = parse(link.condition).names if link.condition else ()
    first = next((path for path in change if path[0] in looked_at), next(iter(change)))
    root, whole = first[0], _said(link, change, ground.procedure if first[0] in looked_at else None)
    if not ground.service.executes:
        return _Cause(f"no result that was made up has `{whole}`")
    table = ground.answers.table(first)
    if table is None and root in ground.answers.slots:
        value = change.get((root,), OTHER)
        example = f"[{_yaml(value)}]" if value is not OTHER else "…"
        return _Cause(f"no example of `{root}` leads there", f"add `examples: {{{root}: {example}}}`", "example")
    if table is None:
        held = [at(each.values, first) for each in tries]
        if (
            len(first) > 1
            and "[]" not in first
            and not isinstance(held[0], list)
            and all(value == held[0] for value in held)
        ):
            why = f"`{'.'.join(first)}` is always {_yaml(held[0])}"
            return _Cause(why, "go by fields of rows, by len() or sum() of a list", "step")
        return _Cause(f"no `{root}` has `{whole}`", f"add rows to {seed_name(ground)} from which that follows", "row")
    noun = singular(table).replace("_", " ")
    for key, row in ground.service.rows.get(table, {}).items() if len(first) == 2 else ():
        if _takes(ground, link, one, {(root, name): value for name, value in row.items()}):
            remedy = _examples(ground, root, key)
            why = f"{noun} {key} leads there, and no customer who comes here names it"
            return _Cause(why, remedy, "example" if remedy else "")
    said = whole.replace(f"{root}.", "")
    told = [f"{path[-1]}: {_yaml(value)}" for path, value in change.items() if isinstance(value, int | float | str)]
    such = f", say `{', '.join(told)}`" if told and OTHER not in change.values() and "==" not in said else ""
    return _Cause(f"no {noun} with `{said}`", f"add such a row to {seed_name(ground)}{such}", "row")


def _yaml(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _said(link: Link, change: _Change, procedure: Procedure | None) -> str:
    """The condition of a branch; for one that has none, or without a procedure, what would have to be so."""
    steps = procedure.steps if procedure else ()
    branches = (branch.condition for step in steps for branch in step.branches if branch.line == link.line)
    told = (_become(".".join(path).replace(".[]", "[0]"), value) for path, value in change.items())
    return next(filter(None, branches), "") or ", ".join(told)


def _become(name: str, value: JsonValue) -> str:
    if isinstance(value, list):
        return f"len({name}) == {len(value)}"
    return f"{name} = {value if isinstance(value, str) else _yaml(value)}"


def _examples(ground: Explorer, root: str, key: str) -> str:
    slots = (
        expression.strip()
        for step in ground.procedure.steps
        if root == step.result
        for expression in step.arguments.values()
    )
    slot = next((slot for slot in slots if slot in ground.answers.slots), None)
    return f"add it to `examples: {slot}`" if slot else ""


def seed_name(ground: Explorer) -> str:
    """What the file of the rows is called."""
    said = ground.service.setting.arguments
    file = said.get("seed") or said.get("rows") or said.get("overlay")
    return Path(str(file)).name if file else "the seed data (--rows)"
