"""What a procedure's calls are made to: documents, worlds to execute them in, and the rows that customers know of.

`service` executes; `mocked` stands for Apis that nobody has implemented. Their results (`outcomes`) are made from their
schemas, with the fields that conditions look at changed by chance, so that each exit of the graph is reached.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, cast

from pydantic import JsonValue

from toologue import keys
from toologue.apis.choice import Choice
from toologue.apis.load import apis_of_all
from toologue.data import read_source
from toologue.errors import BadSetting, UserError
from toologue.loop import World
from toologue.plan.procedures.bounds import Bounds
from toologue.schema import Api, Call, Case, Fault, Graph, Link, Node, Result, Setting
from toologue.values.compare import moment
from toologue.values.conditions import Expression, parse
from toologue.values.json_schema import list_of, object_of
from toologue.values.make import make
from toologue.worlds.named import setting_of
from toologue.worlds.store import Row
from toologue.worlds.world import kind_at, stamp

_NOW = "2025-03-12T09:30:00Z"


@dataclass(frozen=True)
class Service:
    """Documents by name, `make()` for a fresh world (None where nothing executes), the rows of its start."""

    setting: Setting
    apis: Mapping[str, Api]
    now: str = _NOW
    make: Callable[[], World] | None = None
    rows: Mapping[str, Mapping[str, Row]] = field(default_factory=dict[str, Mapping[str, Row]])
    # Api → its parameters that name rows: the table, and the field of its key.
    names: Callable[[str], Mapping[str, tuple[str, str]]] = lambda api: {}
    # Api → the fields of its answers that the world made up.
    made_up: Callable[[str], Collection[str]] = lambda api: ()

    @property
    def executes(self) -> bool:
        """Whether calls are executed; else their results are made up."""
        return self.make is not None


def service(world: Setting | str | Path) -> Service:
    """The service that a setting is, or a name (`worlds.named`); `mocked` ones of a file that only describes APIs.

    Raises BadFile, BadRecord, BadSetting.
    """
    setting = world if isinstance(world, Setting) else setting_of(world)
    file, choice = (
        str(setting.arguments.get("document", "")),
        Choice.model_validate(setting.arguments.get("choice", {})),
    )
    described = file.endswith(_DESCRIBING) and Path(file).is_file()
    if described and (alone := _described(file, choice.model_dump_json(), *stamp(file))):
        return alone
    kind = kind_at(setting)
    case = Case(id=setting.name, world=setting, protocol="live")
    made = partial(kind.make, case)
    return Service(setting, kind.by_name, kind.now or _NOW, made, kind.rows(), kind.names, kind.made_up)


def mocked(apis: Iterable[Api]) -> Service:
    """A service of documents alone."""
    return Service(Setting(name="recorded"), {api.name: api for api in apis})


_DESCRIBING = (".json", ".jsonl", ".jsonl.gz")


@lru_cache(maxsize=8)
def _described(file: str, choice: str, changed: int, size: int) -> Service | None:
    """What a file describes that is no OpenAPI document: apis.jsonl, tools, the paper's small JSON."""
    whole = file.endswith(".json") and {"openapi", "swagger"} & object_of(read_source(Path(file)).data).keys()
    return None if whole else mocked(apis_of_all([file], Choice.model_validate_json(choice)))


# So many values are made for a call, and so many changes of each tried.
_BASES, _TRIES = 4, 24
_Path = tuple[str, ...]


def outcomes(
    bounds: Bounds,
    exits: Sequence[Link],
    call: Call,
    values: Mapping[str, JsonValue],
    service: Service,
    before: Sequence[Result] = (),
) -> Iterator[tuple[Link, Result]]:
    """(exit, a result that leads down it) for the exits of an api node, as far as results were found.

    Of results that leave one exit, each has other conditions come true later on, or lies next to another bound.

    `before`: what the same call gave earlier in the conversation; it gives that again.
    """
    graph = bounds.graph
    node = graph.by_id[exits[0].source]
    rng = Random(keys.seed_of(keys.content_key(call.model_dump(mode="json"))))
    told = [link.condition for link in graph.links if link.condition and node.result in parse(link.condition).names]
    found = dict[object, tuple[Link, Result]]()
    made = (*_failures(exits, call), *_values(graph, call, values, service, node.result, rng))
    for result in before or made:
        known = after_result(node, values, result)
        if taken := next((one for one in exits if not one.condition or parse(one.condition).holds(known)), None):
            sides = frozenset(near.side for near in bounds.near(taken, known) if near.next_to)
            found.setdefault((taken.id, sides, *(holds(condition, known) for condition in told)), (taken, result))
    yield from found.values()


def holds(condition: str, values: Mapping[str, JsonValue]) -> bool | None:
    """Whether a condition holds; None where it makes no sense for these values."""
    with suppress(BadSetting):
        return parse(condition).holds(values)
    return None


def after_result(node: Node, values: Mapping[str, JsonValue], result: Result) -> dict[str, JsonValue]:
    """What is known after a call: its result by its name, and `error`, null unless it failed."""
    error: JsonValue = {"type": result.error.type, "message": result.error.message} if result.error else None
    named = {node.result: result.value} if node.result and not result.error else {}
    return {**values, **named, "error": error}


def comparisons(condition: str) -> Iterator[tuple[ast.expr, list[ast.expr], bool]]:
    """(one side, the others, whether by < or the like) for each side of each comparison in a condition."""
    for compare in ast.walk(parse(condition).plain):
        if isinstance(compare, ast.Compare):
            sides = [compare.left, *compare.comparators]
            ordered = any(isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in compare.ops)
            yield from ((side, [other for other in sides if other is not side], ordered) for side in sides)


def around(value: JsonValue, now: str = "") -> list[JsonValue]:
    """A number or a day that is compared with, and those next to it; with `now`, days that are so many days before."""
    if isinstance(value, str) and (day := moment(value)) and len(value) == len("2025-03-12"):
        return [f"{day + timedelta(days=more):%Y-%m-%d}" for more in _OFFSETS]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return [value]
    if now:
        today = datetime.fromisoformat(now)
        return [(today - timedelta(days=value + more)).strftime("%Y-%m-%d") for more in _OFFSETS]
    step = 1 if isinstance(value, int) else 0.5
    return [value + more * step for more in _OFFSETS]


def _failures(exits: Sequence[Link], call: Call) -> Iterator[Result]:
    for link in exits:
        if re.match(r"error\b", link.condition):
            named = re.search(r'error\.type == "([^"]+)"', link.condition)
            kind = named[1] if named else "unavailable"
            yield Result(error=Fault(type=kind, message=f"{call.api}: {kind.replace('_', ' ')}"))


def _values(
    graph: Graph, call: Call, values: Mapping[str, JsonValue], service: Service, name: str, rng: Random
) -> Iterator[Result]:
    api = service.apis.get(call.api)
    schema = (api.returns if api else None) or {"type": "object"}
    conditions = [link.condition for link in graph.links if link.condition]
    tried = worth_trying(conditions, values, service.now, lambda path: path[0] == name and len(path) > 1)
    wanted = {path[1:]: choices for path, choices in tried.items()}
    for _ in range(_BASES if wanted else 1):
        base: JsonValue = {}
        with suppress(UserError):
            base = make(schema, name=name or call.api, seed=rng.random().hex())
        if isinstance(base, dict):
            base.update({key: value for key, value in (call.arguments or {}).items() if key in base})
        yield Result(value=base)
        for _ in range(_TRIES if wanted else 0):
            value = deepcopy(base)
            for path, choices in wanted.items():
                if (chosen := rng.choice([_KEEP, *choices])) is not _KEEP:
                    put(value, path, chosen)
            yield Result(value=value)


_KEEP, _SIZES, _OFFSETS = object(), 50, (0, -1, 1)


def worth_trying(
    conditions: Iterable[str], values: Mapping[str, JsonValue], now: str, wanted: Callable[[_Path], bool]
) -> dict[_Path, list[Any]]:
    """What conditions compare the paths that are wanted with, and what lies near it."""
    found: dict[_Path, list[Any]] = {}
    for condition in conditions:
        compared = list(comparisons(condition))
        for side, others, _ in compared:
            of = side.func.id if isinstance(side, ast.Call) and isinstance(side.func, ast.Name) else ""
            side = cast("ast.Call", side).args[0] if of == "days_since" else side
            today = now if of == "days_since" else ""
            for path in filter(wanted, Expression("", side).paths):
                known = (Expression(ast.unparse(other), other).value(values) for other in others)
                flat = (one for other in known for one in (other if isinstance(other, list) else [other]))
                new: list[Any] = [near for one in flat for near in around(one, today)]
                if of == "days_since" and isinstance(Expression("", side).value(values), int | float):
                    new = [int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) for day in new]
                if of == "len":
                    new = [[{}] * size for size in new if isinstance(size, int) and 0 <= size <= _SIZES]
                found.setdefault(path, []).extend(one for one in new if one not in found[path])
        for path in parse(condition).paths:
            if wanted(path) and not compared:
                found.setdefault(path, [True, False])
    return found


def put(value: Any, path: _Path, new: Any) -> None:
    """Set what lies at a path; `[]` is the first member of a list. A list of nothing is one of what there was."""
    for name, after in pairwise(path):
        if name == "[]":
            if not isinstance(value, list):
                return
            items = list_of(value)
            if not items:
                items.append({})
            value = items[0]
        elif isinstance(value, dict):
            value = object_of(value).setdefault(name, [] if after == "[]" else {})
        else:
            return
    if isinstance(value, dict):
        named, before = object_of(value), list_of(object_of(value).get(path[-1]))
        if before and isinstance(new, list):
            new = [
                deepcopy(before[place % len(before)]) if one == {} else one for place, one in enumerate(list_of(new))
            ]
        named[path[-1]] = new
