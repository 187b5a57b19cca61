"""The contract of a world, as a check: run it on a world of your own, in any test runner.

    from toologue.worlds.contract import check_world
    check_world(lambda: MyWorld(), acts=[Call(api="AddAlarm", arguments={"time": "07:00:00"}), ...])

Raises AssertionError that names the law, the act and the difference. The laws (in the order in which they are checked):

    sameness     equal worlds answer equal acts equally
    failure      an unknown Api, and arguments that did not parse, give a Result with an error and no changes; no raise
    paths        changes are `table/row` paths of public tables; `created` are those of them that held no row before
    reads        a call of an Api with `writes=False` changes nothing, and nothing that later results show
    integrity    acts, and results given earlier, are never altered
    aliasing     who alters a result, or an act afterwards, does not alter the world
    rewinding    after `rewind(mark)` the acts after the mark give what they gave, for any mark, any number of times
    difference   where a world has `diff(mark)`: the changes, added up, are what it says (table, row, field, old, new)

Without `acts`, calls are made up from the world's documents, with values that fit the schemas and with values that
earlier results brought up: reproducible by `seed`.

Example:
    >>> from toologue.worlds.assistant import Assistant
    >>> check_world(lambda: Assistant(user="mreyes", now="2025-03-10 09:00:00", logged_in=True))

Not covered: that a world does the right thing; worlds that share state with other worlds, or with a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any, cast

from toologue.errors import BadSetting, shown, summary
from toologue.loop import World, execute
from toologue.schema import Act, Api, Call, Result
from toologue.worlds.store import path_of, split_path

Make = Callable[[], World]
_JUNK = "\0junk"


def check_world(make: Make, acts: Sequence[Act] | None = None, *, seed: int = 0, scripts: int = 5) -> None:
    """Check every law on worlds that `make` gives, all in the same state. Raises AssertionError at the first breach.

    `scripts` is how many sequences of acts are made up where none is given.
    """
    for number in range(scripts if acts is None else 1):
        _check_script(make, acts_for(make, seed=seed + number) if acts is None else list(acts), Random(seed + number))


def acts_for(make: Make, *, seed: int = 0, count: int = 16) -> list[Act]:
    """Calls of documented Apis that the seed decides, most of them such that they succeed one after the other."""
    world, random = make(), Random(seed)
    if not world.apis:
        raise BadSetting("this world documents no Api to make acts from: give `acts`")
    seen: dict[str, list[Any]] = {}
    acts: list[Act] = []
    while len(acts) < count:
        result = Result()
        act = Call(api="")
        for _ in range(8):  # failures are kept, but rarely the first one
            api = random.choice(world.apis)
            act = Call(api=api.name, arguments=_arguments(api, seen, random))
            result = _do(world, act)
            if result.error is None or result.changes:
                break
        acts.append(act)
        _remember(result.value, seen)
    return acts


def _check_script(make: Make, script: list[Act], random: Random) -> None:
    expected = _lived(make(), script)
    _expect_same("sameness", "in an equal world", script, expected, _lived(make(), script))
    _check_failures(make, script)
    _check_paths(script, expected)
    _check_reads(make, script, expected)
    _check_integrity(make, script)
    _check_aliasing(make, script, expected)
    _check_rewinding(make, script, expected, random)
    _check_difference(make, script, expected)


def _lived(world: World, acts: Iterable[Act]) -> list[Result]:
    return [_do(world, act) for act in acts]


def _do(world: World, act: Act) -> Result:
    """Do a copy of an act and keep a copy of the result: nobody else can alter either."""
    return deepcopy(execute(world, deepcopy(act)))


def _fail(law: str, number: int, act: Act, what: str) -> None:
    raise AssertionError(f"law {law!r}: act {number}, {shown(_short(act), 200)}: {what}")


def _short(act: Act) -> object:
    return {act.api: act.arguments} if act.kind == "call" else act


def _expect_same(law: str, when: str, acts: Sequence[Act], expected: Sequence[Result], found: Sequence[Result]) -> None:
    for number, (act, one, other) in enumerate(zip(acts, expected, found, strict=True)):
        if one != other:
            _fail(law, number, act, f"{when}, {_difference(one, other)}")


def _difference(one: Result, other: Result) -> str:
    parts = [name for name in Result.model_fields if getattr(one, name) != getattr(other, name)]
    return "; ".join(f"{n} was {shown(getattr(one, n), 200)}, is {shown(getattr(other, n), 200)}" for n in parts)


def _check_failures(make: Make, acts: Sequence[Act]) -> None:
    world = make()
    known = [api.name for api in world.apis] or [act.api for act in acts if act.kind == "call"]
    unknown = Call(api=f"No{''.join(sorted(known))[:40]}SuchApi")
    for number, act in enumerate([unknown, *(Call(api=name, arguments=None, raw='{"a": ') for name in known)]):
        try:
            result = cast("object", world.do(act))
        except Exception as error:  # noqa: BLE001 - a declared boundary: World.do
            kind, text = summary(error)
            _fail("failure", number, act, f"raised {kind}: {text}; give a Result with an error")
            return
        if not isinstance(result, Result):
            _fail("failure", number, act, f"returned {type(result).__name__}, not a Result")
        elif result.error is None:
            _fail("failure", number, act, f"succeeded with {shown(result.value)}; give a Result with an error")
        elif result.changes or result.created:
            _fail("failure", number, act, f"changed {', '.join(result.changes)}")


def _check_paths(acts: Sequence[Act], results: Sequence[Result]) -> None:
    held: dict[str, bool] = {}
    for number, (act, result) in enumerate(zip(acts, results, strict=True)):
        for path in result.changes:
            table, row = split_path(path)
            if not table or path_of(table, row) != path:
                _fail("paths", number, act, f"{path!r} is no path `table/row` (~0 for ~ and ~1 for / in the row)")
            if table.startswith("_"):
                _fail("paths", number, act, f"{path!r}: tables whose names start with _ are private")
        for path in result.created:
            if result.changes.get(path) is None:
                _fail("paths", number, act, f"{path!r} is created but `changes` has no row for it")
            if held.get(path):
                _fail("paths", number, act, f"{path!r} is created but an earlier act wrote it")
        held |= {path: row is not None for path, row in result.changes.items()}


def _check_reads(make: Make, acts: Sequence[Act], expected: Sequence[Result]) -> None:
    world = make()
    reads = {api.name for api in world.apis if not api.writes}
    diff = cast("Callable[[Any], Sequence[Any]] | None", getattr(world, "diff", None))
    for number, (act, known) in enumerate(zip(acts, expected, strict=True)):
        if act.kind == "call" and act.api in reads:
            mark = world.mark()
            for _ in range(2):
                result = _do(world, act)
                if result.changes or result.created:
                    _fail(
                        "reads", number, act, f"writes nothing by its document but changed {', '.join(result.changes)}"
                    )
            if diff is not None and (changes := list(diff(mark))):
                _fail("reads", number, act, f"writes nothing by its document but the diff says {shown(changes, 200)}")
        result = _do(world, act)
        if result != known:
            _fail("reads", number, act, f"when every read is done three times, {_difference(known, result)}")


def _check_integrity(make: Make, acts: Sequence[Act]) -> None:
    world, given, results = make(), [deepcopy(act) for act in acts], list[Result]()
    copies: list[Result] = []
    for number, act in enumerate(given):
        result = execute(world, act)
        if act != acts[number]:
            _fail("integrity", number, acts[number], f"the act was altered: it is {shown(_short(act), 200)} now")
        results.append(result)
        copies.append(deepcopy(result))
        for earlier, (one, other) in enumerate(zip(copies, results, strict=True)):
            if one != other:
                what = f"the result of act {earlier} was altered: {_difference(one, other)}"
                _fail("integrity", number, acts[number], what)


def _check_aliasing(make: Make, acts: Sequence[Act], expected: Sequence[Result]) -> None:
    world, found = make(), list[Result]()
    for act in map(deepcopy, acts):
        result = execute(world, act)
        found.append(deepcopy(result))
        for part in (result.value, result.changes, result.arguments, act.arguments if act.kind == "call" else None):
            _vandalize(part)
    _expect_same("aliasing", "after earlier results and acts were altered", acts, expected, found)
    _expect_same("aliasing", "in a world made after such alterations", acts, expected, _lived(make(), acts))


def _vandalize(value: Any) -> None:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        for member in members.values():
            _vandalize(member)
        members.clear()
        members[_JUNK] = _JUNK
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        for item in items:
            _vandalize(item)
        items[:] = [_JUNK]


def _check_rewinding(make: Make, acts: Sequence[Act], expected: Sequence[Result], random: Random) -> None:
    world, marks = make(), list[Any]()
    for number, act in enumerate(acts):
        marks.append(world.mark())
        result = _do(world, act)
        if result != expected[number]:
            _fail("rewinding", number, act, f"when marks are taken, {_difference(expected[number], result)}")
    order = [*range(len(marks)), *range(len(marks))]
    random.shuffle(order)
    for start in order:
        world.rewind(marks[start])
        for number in range(start, min(len(acts), start + random.randint(1, len(acts)))):
            result = _do(world, acts[number])
            if result != expected[number]:
                when = f"rewound to the mark before act {start}"
                _fail("rewinding", number, acts[number], f"{when}, {_difference(expected[number], result)}")


def _check_difference(make: Make, acts: Sequence[Act], expected: Sequence[Result]) -> None:
    world = make()
    diff = cast("Callable[[Any], Sequence[Any]] | None", getattr(world, "diff", None))
    start, final, new = world.mark(), dict[str, Any](), set[str]()
    for number, act in enumerate(acts if diff is not None else ()):
        _do(world, act)
        new |= {path for path in expected[number].created if path not in final}
        final |= expected[number].changes
        said = _fields(diff(start)) if diff is not None else {}
        for path, fields in said.items():
            row: Any = final.get(path, _JUNK)
            whole = fields.get(None, row)
            if row == _JUNK or whole != row or any(row.get(f) != v for f, v in fields.items() if f is not None):
                _fail(
                    "difference", number, act, f"diff says {path}: {shown(fields, 200)}, the changes {shown(row, 200)}"
                )
        for path, row in final.items():
            if path not in said and (row is None) != (path in new):
                came = "came" if row is not None else "went"
                _fail("difference", number, act, f"by its changes the row {path} {came}, the diff does not say so")


def _fields(changes: Iterable[Any]) -> dict[str, dict[str | None, Any]]:
    found: dict[str, dict[str | None, Any]] = {}
    for table, row, field, _, new in changes:
        found.setdefault(path_of(table, row), {})[field] = new
    return found


_TEXTS = ("", "Buy milk", "a/b~c", "Ünïcode \u2028 ✓", "2025-03-12 10:00:00", "2025-03-12 09:00:00", "07:00:00", "0")


def _arguments(api: Api, seen: Mapping[str, Sequence[Any]], random: Random) -> dict[str, Any]:
    return {
        name: random.choice(_akin(name, seen) or [_value(parameter.json_schema, random)])
        if random.random() < 0.6
        else _value(parameter.json_schema, random)
        for name, parameter in api.parameters.items()
        if random.random() < (0.95 if parameter.required else 0.4)
    }


def _akin(name: str, seen: Mapping[str, Sequence[Any]]) -> Sequence[Any]:
    return seen.get(name) or next((seen[key] for key in seen if name.endswith(key)), ())


def _remember(value: Any, seen: dict[str, list[Any]]) -> None:
    if isinstance(value, dict):
        for name, item in cast("dict[str, Any]", value).items():
            seen.setdefault(name, []).append(deepcopy(item))
            _remember(item, seen)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            _remember(item, seen)


def _value(schema: Mapping[str, Any], random: Random) -> Any:
    """A value of a JSON Schema: enum, const, default, example, else one of its type."""
    for key in ("enum", "examples"):
        if schema.get(key):
            return deepcopy(random.choice(schema[key]))
    for key in ("const", "default", "example"):
        if key in schema:
            return deepcopy(schema[key])
    kind = schema.get("type")
    match random.choice(cast("list[Any]", kind)) if isinstance(kind, list) else kind:
        case "integer":
            return random.randint(int(schema.get("minimum", -2)), int(schema.get("maximum", 9)))
        case "number":
            return random.randint(-8, 40) / 4
        case "boolean":
            return random.random() < 0.5
        case "null":
            return None
        case "array":
            return [_value(schema.get("items") or {}, random) for _ in range(random.randint(0, 3))]
        case "object":
            properties = cast("dict[str, Mapping[str, Any]]", schema.get("properties") or {})
            return {name: _value(inner, random) for name, inner in properties.items()}
        case _:
            return random.choice(_TEXTS)
