"""Results for calls that nothing executes: made from the schema, and such that they lead where the graph says.

For every output that a graph knows of a call, `outcomes` makes some results: failures of the type that the condition
names, or values that fit the Api's schema with those fields changed that conditions look at, there or later on.
Conditions are not solved: fields are given, by chance, what conditions compare them with and values around that, and
the graph's own choice (the first exit whose condition holds) says which exit a result is for.

Example:
    >>> from toologue.formats.procedure import read
    >>> from toologue.procedure.conversation_graph import conversation_graph
    >>> from toologue.procedure.flowgraph import flowgraph
    >>> from toologue.plan.procedures.service import mocked
    >>> from toologue.schema import Api, Call
    >>> graph = conversation_graph(flowgraph(read('''# Where is it?
    ... 1. **Call** `track`, giving `parcel`.
    ...    - If it fails with `not_found`: go to 3.
    ...    - If `parcel.state == "lost" and parcel.days > 3`: go to 3.
    ...    - Otherwise: go to 2.
    ... 2. **End**: say that it comes.
    ... 3. **End**: say that we are sorry.
    ... ''')))
    >>> fields = {"state": {"enum": ["sent", "lost"]}, "days": {"type": "integer", "minimum": 0, "maximum": 9}}
    >>> service = mocked([Api(name="track", returns={"type": "object", "properties": fields, "required": [*fields]})])
    >>> call = next(node for node in graph.nodes if node.type == "api")
    >>> found = outcomes(graph, graph.exits(call.id), Call(api="track", arguments={}), {}, service)
    >>> sorted({(link.text, result.error.type if result.error else "a value") for link, result in found})[0]
    ('Fails: not found', 'not_found')

Not covered: state. What was written by one call is not seen by the next.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any, cast

from pydantic import JsonValue

from toologue import keys
from toologue.errors import UserError
from toologue.plan.procedures.service import Service
from toologue.schema import Call, Fault, Graph, Link, Result
from toologue.values.conditions import Expression, parse
from toologue.values.make import make

_TRIES, _EACH = 80, 2
"""So many values are tried for a call, and so many results kept for each of its exits."""
_Path = tuple[str, ...]


def outcomes(
    graph: Graph,
    exits: Sequence[Link],
    call: Call,
    values: Mapping[str, JsonValue],
    service: Service,
    before: Sequence[Result] = (),
) -> Iterator[tuple[Link, Result]]:
    """(exit, a result that leads down it) for the exits of an api node, as far as results were found.

    `before`: what the same call gave earlier in the conversation; it gives that again.
    """
    node = graph.by_id[exits[0].source]
    rng = Random(keys.seed_of(keys.content_key([call.model_dump(mode="json"), node.id])))
    found = Counter[str]()
    made = (*_failures(exits, call), *_values(graph, call, values, service, node.result, rng))
    for result in before or made:
        named = {node.result: result.value} if node.result and not result.error else {}
        known = {**values, **named, "error": told_of(result)}
        taken = next((one for one in exits if not one.condition or parse(one.condition).holds(known)), None)
        if taken is not None and found[taken.id] < _EACH:
            found[taken.id] += 1
            yield taken, result
        if len(found) == len(exits) and min(found.values()) == _EACH:
            return


def told_of(result: Result) -> JsonValue:
    """What conditions know as `error`: null unless the call failed."""
    return {"type": result.error.type, "message": result.error.message} if result.error else None


def _failures(exits: Sequence[Link], call: Call) -> Iterator[Result]:
    for link in exits:
        if re.match(r"error\b", link.condition):
            named = re.search(r'error\.type == "([^"]+)"', link.condition)
            kind = named[1] if named else "unavailable"
            yield Result(error=Fault(type=kind, message=f"{call.api}: {kind.replace('_', ' ')}"))


def _values(
    graph: Graph, call: Call, values: Mapping[str, JsonValue], service: Service, name: str, rng: Random
) -> Iterator[Result]:
    """The value that the schema makes, and others in which what conditions look at differs."""
    api = service.apis.get(call.api)
    base: JsonValue = {}
    with suppress(UserError):
        base = make(
            (api.returns if api else None) or {"type": "object"}, name=name or call.api, seed=rng.random().hex()
        )
    if isinstance(base, dict):
        base.update({key: value for key, value in (call.arguments or {}).items() if key in base})
    yield Result(value=base)
    wanted = _worth_trying(graph, name, values, service.now)
    for _ in range(_TRIES if wanted else 0):
        value = deepcopy(base)
        for path, choices in wanted.items():
            if (chosen := rng.choice([_KEEP, *choices])) is not _KEEP:
                _put(value, path, chosen)
        yield Result(value=value)


_KEEP = object()


def _worth_trying(graph: Graph, name: str, values: Mapping[str, JsonValue], now: str) -> dict[_Path, list[Any]]:
    """For each path of a result that some condition looks at: values that are worth a try."""
    found: dict[_Path, list[Any]] = {}
    for expression in (parse(link.condition) for link in graph.links if link.condition):
        comparisons = [_sides(node) for node in ast.walk(expression.tree) if isinstance(node, ast.Compare)]
        for sides in comparisons:
            for side in sides:
                others = [Expression(ast.unparse(one), one).value(values) for one in sides if one is not side]
                for path in Expression("", side).paths:
                    if path[0] == name and len(path) > 1:
                        days = isinstance(side, ast.Call)
                        new = [near for other in _flat(others) for near in _around(other, now if days else "")]
                        found.setdefault(path[1:], []).extend(one for one in new if one not in found[path[1:]])
        for path in expression.paths:
            if path[0] == name and len(path) > 1 and not comparisons:
                found.setdefault(path[1:], [True, False])
    return found


def _sides(node: ast.Compare) -> list[ast.expr]:
    return [node.left, *node.comparators]


def _flat(values: Sequence[JsonValue]) -> Iterator[JsonValue]:
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def _around(value: JsonValue, now: str) -> list[JsonValue]:
    """A value, and others on both sides of it; days before `now` where there is one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return [value]
    if now:
        today = datetime.fromisoformat(now)
        return [(today - timedelta(days=value + more)).strftime("%Y-%m-%d") for more in (-1, 1)]
    return [value, value - 1, value + 1]


def _put(value: Any, path: _Path, new: Any) -> None:
    """Set what lies at a path; `[]` is the first member of a list."""
    for name, after in pairwise(path):
        if name == "[]":
            if not isinstance(value, list):
                return
            items = cast("list[Any]", value)
            if not items:
                items.append({})
            value = items[0]
        elif isinstance(value, dict):
            value = cast("dict[str, Any]", value).setdefault(name, [] if after == "[]" else {})
        else:
            return
    if isinstance(value, dict):
        cast("dict[str, Any]", value)[path[-1]] = new
