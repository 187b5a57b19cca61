"""The contract of a world, as a check: run it on a world of your own, in any test runner.

    from toologue.worlds.contract import check_world
    check_world(lambda: MyWorld(), acts=[Call(api="AddAlarm", arguments={"time": "07:00:00"}), ...])

Raises AssertionError that names the law, the act and the difference. The laws, in the order in which they are checked:

    sameness     equal worlds answer equal acts equally
    failure      an unknown Api, and arguments that did not parse, give a Result with an error and no changes; no raise
    paths        changes are `table/row` paths of public tables; `created` are those of them that held no row before
    reads        a call of an Api with `writes=False` changes nothing, and nothing that later results show
    integrity    acts, and results given earlier, are never altered
    aliasing     who alters a result, or an act afterwards, does not alter the world
    rewinding    after `rewind(mark)` the acts after the mark give what they gave, for any mark, any number of times
    difference   where a world has `diff(mark)`: the changes, added up, are what it says (table, row, field, old, new)

Without `acts`, calls are made up from the world's documents and from what earlier results brought up, by `seed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from toologue.errors import BadSetting, shown, summary
from toologue.loop import World, execute
from toologue.schema import Act, Api, Call, Result
from toologue.values.json_schema import list_of, object_of, types_of
from toologue.values.make import make as made_up
from toologue.worlds.store import path_of, split_path

Make = Callable[[], World]
# (number of the act, the act, what is wrong)
Breach = tuple[int, Act, str]
_JUNK = "\0junk"
_TEXTS = ("", "Buy milk", "a/b~c", "Ünïcode \u2028 ✓", "2025-03-12 10:00:00", "2025-03-12 09:00:00", "07:00:00", "0")


def check_world(make: Make, acts: Sequence[Act] | None = None, *, seed: int = 0, scripts: int = 5) -> None:
    """Check every law on worlds that `make` gives, all in the same state. Raises AssertionError at the first breach.

    `scripts` is how many sequences of acts are made up where none is given.
    """
    for number in range(scripts if acts is None else 1):
        script = acts_for(make, seed=seed + number) if acts is None else list(acts)
        laws = _Laws(make, script, _lived(make(), script), Random(seed + number))
        for law, breaches in laws.all().items():
            for place, act, what in breaches:
                raise AssertionError(f"law {law!r}: act {place}, {shown(_short(act), 200)}: {what}")


def acts_for(make: Make, *, seed: int = 0, count: int = 16) -> list[Act]:
    """Calls of documented Apis that the seed decides, most of them such that they succeed one after the other."""
    world, random = make(), Random(seed)
    if not world.apis:
        raise BadSetting("this world documents no Api to make acts from: give `acts`")
    seen: dict[str, list[Any]] = {}
    acts: list[Act] = []
    while len(acts) < count:
        act, result = Call(api=""), Result()
        for _ in range(8):  # failures are kept, but rarely the first one
            api = random.choice(world.apis)
            act = Call(api=api.name, arguments=_arguments(api, seen, random))
            result = _do(world, act)
            if result.error is None or result.changes:
                break
        acts.append(act)
        _remember(result.value, seen)
    return acts


def _lived(world: World, acts: Iterable[Act]) -> list[Result]:
    return [_do(world, act) for act in acts]


def _do(world: World, act: Act) -> Result:
    """Do a copy of an act and keep a copy of the result: nobody else can alter either."""
    return deepcopy(execute(world, deepcopy(act)))


def _short(act: Act) -> object:
    return {act.api: act.arguments} if act.kind == "call" else act


def _difference(one: Result, other: Result) -> str:
    parts = [name for name in Result.model_fields if getattr(one, name) != getattr(other, name)]
    return "; ".join(f"{n} was {shown(getattr(one, n), 200)}, is {shown(getattr(other, n), 200)}" for n in parts)


@dataclass(frozen=True)
class _Laws:
    """The laws for one sequence of acts, each of which has an expected result: one method a law."""

    make: Make
    acts: list[Act]
    expected: list[Result]
    random: Random

    def all(self) -> Mapping[str, Iterator[Breach]]:
        laws = (self.sameness, self.failure, self.paths, self.reads, self.integrity, self.aliasing, self.rewinding)
        return {law.__name__: law() for law in (*laws, self.difference)}

    def differing(self, when: str, found: Iterable[Result]) -> Iterator[Breach]:
        for number, (act, one, other) in enumerate(zip(self.acts, self.expected, found, strict=True)):
            if one != other:
                yield number, act, f"{when}, {_difference(one, other)}"

    def sameness(self) -> Iterator[Breach]:
        yield from self.differing("in an equal world", _lived(self.make(), self.acts))

    def failure(self) -> Iterator[Breach]:
        world = self.make()
        known = [api.name for api in world.apis] or [act.api for act in self.acts if act.kind == "call"]
        unknown = Call(api=f"No{''.join(sorted(known))[:40]}SuchApi")
        for number, act in enumerate([unknown, *(Call(api=name, arguments=None, raw='{"a": ') for name in known)]):
            try:
                result = cast("object", world.do(act))
            except Exception as error:  # noqa: BLE001 - a declared boundary: World.do
                yield number, act, f"raised {': '.join(summary(error))}; give a Result with an error"
                continue
            if not isinstance(result, Result):
                yield number, act, f"returned {type(result).__name__}, not a Result"
            elif result.error is None:
                yield number, act, f"succeeded with {shown(result.value)}; give a Result with an error"
            elif result.changes or result.created:
                yield number, act, f"changed {', '.join(result.changes)}"

    def paths(self) -> Iterator[Breach]:
        held: dict[str, bool] = {}
        for number, (act, result) in enumerate(zip(self.acts, self.expected, strict=True)):
            for path in result.changes:
                table, row = split_path(path)
                if not table or path_of(table, row) != path:
                    yield number, act, f"{path!r} is no path `table/row` (~0 for ~ and ~1 for / in the row)"
                if table.startswith("_"):
                    yield number, act, f"{path!r}: tables whose names start with _ are private"
            for path in result.created:
                if result.changes.get(path) is None:
                    yield number, act, f"{path!r} is created but `changes` has no row for it"
                if held.get(path):
                    yield number, act, f"{path!r} is created but an earlier act wrote it"
            held |= {path: row is not None for path, row in result.changes.items()}

    def reads(self) -> Iterator[Breach]:
        world = self.make()
        reads, diff = {api.name for api in world.apis if not api.writes}, _diff_of(world)
        found: list[Result] = []
        for number, act in enumerate(self.acts):
            if act.kind == "call" and act.api in reads:
                mark = world.mark()
                for result in _lived(world, [act, act]):
                    if result.changes or result.created:
                        yield number, act, f"writes nothing by its document but changed {', '.join(result.changes)}"
                if changes := list(diff(mark)):
                    yield number, act, f"writes nothing by its document but the diff says {shown(changes, 200)}"
            found.append(_do(world, act))
        yield from self.differing("when every read is done three times", found)

    def integrity(self) -> Iterator[Breach]:
        world, results, copies = self.make(), list[Result](), list[Result]()
        for number, (act, given) in enumerate(zip(self.acts, map(deepcopy, self.acts), strict=True)):
            results.append(execute(world, given))
            copies.append(deepcopy(results[-1]))
            if given != act:
                yield number, act, f"the act was altered: it is {shown(_short(given), 200)} now"
            for earlier, (one, other) in enumerate(zip(copies, results, strict=True)):
                if one != other:
                    yield number, act, f"the result of act {earlier} was altered: {_difference(one, other)}"

    def aliasing(self) -> Iterator[Breach]:
        world, found = self.make(), list[Result]()
        for act in map(deepcopy, self.acts):
            result = execute(world, act)
            found.append(deepcopy(result))
            for part in (result.value, result.changes, result.arguments, act.arguments if act.kind == "call" else None):
                _vandalize(part)
        yield from self.differing("after earlier results and acts were altered", found)
        yield from self.differing("in a world made after such alterations", _lived(self.make(), self.acts))

    def rewinding(self) -> Iterator[Breach]:
        world, marks, found = self.make(), list[Any](), list[Result]()
        for act in self.acts:
            marks.append(world.mark())
            found.append(_do(world, act))
        yield from self.differing("when marks are taken", found)
        order = 2 * [*range(len(marks))]
        self.random.shuffle(order)
        for start in order:
            world.rewind(marks[start])
            for number in range(start, min(len(marks), start + self.random.randint(1, len(marks)))):
                act, known = self.acts[number], self.expected[number]
                if (result := _do(world, act)) != known:
                    yield number, act, f"rewound to the mark before act {start}, {_difference(known, result)}"

    def difference(self) -> Iterator[Breach]:
        world = self.make()
        start, final, new, diff = world.mark(), dict[str, Any](), set[str](), _diff_of(world)
        if not hasattr(world, "diff"):
            return
        for number, (act, known) in enumerate(zip(self.acts, self.expected, strict=True)):
            _do(world, act)
            new |= {path for path in known.created if path not in final}
            final |= known.changes
            said: dict[str, dict[str | None, Any]] = {}
            for table, row, field, _, value in diff(start):
                said.setdefault(path_of(table, row), {})[field] = value
            for path, fields in said.items():
                row: Any = final.get(path, _JUNK)
                whole = fields.get(None, row)
                if row == _JUNK or whole != row or any(row.get(f) != v for f, v in fields.items() if f is not None):
                    yield number, act, f"diff says {path}: {shown(fields, 200)}, the changes {shown(row, 200)}"
            for path, row in final.items():
                if path not in said and (row is None) != (path in new):
                    came = "came" if row is not None else "went"
                    yield number, act, f"by its changes the row {path} {came}, the diff does not say so"


def _diff_of(world: World) -> Callable[[Any], Iterable[Any]]:
    return getattr(world, "diff", lambda mark: ())


def _vandalize(value: Any) -> None:
    members, items = object_of(value), list_of(value)
    for part in (*members.values(), *items):
        _vandalize(part)
    members.clear()
    members[_JUNK] = _JUNK
    items[:] = [_JUNK]


def _arguments(api: Api, seen: Mapping[str, Sequence[Any]], random: Random) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, parameter in api.parameters.items():
        if random.random() < (0.95 if parameter.required else 0.4):
            akin = seen.get(name) or next((seen[key] for key in seen if name.endswith(key)), None)
            known = akin if random.random() < 0.6 else None
            made[name] = random.choice(known) if known else _value(parameter.json_schema, random)
    return made


def _remember(value: Any, seen: dict[str, list[Any]]) -> None:
    for name, item in object_of(value).items():
        seen.setdefault(name, []).append(deepcopy(item))
        _remember(item, seen)
    for item in list_of(value):
        _remember(item, seen)


def _value(schema: Mapping[str, Any], random: Random) -> Any:
    """A value that fits a schema; for a text of any form, often one that is hard to store."""
    types = types_of(schema)
    known = schema.get("examples") or [schema[key] for key in ("default", "example") if key in schema]
    if known or ("null" in types and random.random() < 0.2):
        return deepcopy(random.choice(known)) if known else None
    if types == ("object",) and isinstance(schema.get("properties"), Mapping):
        return {name: _value(inner, random) for name, inner in schema["properties"].items()}
    if types in ((), ("string",)) and not schema.keys() - {"type", "title", "description"}:
        return random.choice(_TEXTS)
    return made_up(schema, seed=random.getrandbits(32))
