"""What makes a procedure sound, whoever wrote it: steps lead on and are reached, nothing is used before it is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, NamedTuple

from toologue.errors import BadSetting, Problem
from toologue.schema import Api, Procedure, Step
from toologue.schema.procedure import reached, way
from toologue.values.conditions import FUNCTIONS, Expression, embedded, parse
from toologue.values.json_schema import fits, list_of, object_of, types_of

_RESERVED = {"error", "now", "today", "true", "false", "null", "and", "or", "not", "in", *FUNCTIONS}
# What is meant to be more than words, and stands where it is not read as such.
_AMONG_WORDS = re.compile(
    r"\b(?:step|go to|goto|jump to|continue (?:with|at)|skip to|back to) (?:step )?#?\d+"
    r"|\bcollect `|\bat most \d+ times?,",
    re.IGNORECASE,
)
# (what is wrong with a step, what to do, the line of a branch if not that of the step)
_Fault = tuple[str, str, int | None]
_NUMBERS = {"integer": {"type": "number"}}


def problems_of(procedure: Procedure, apis: Iterable[Api] | None = None, *, whole: bool = True) -> list[Problem]:
    """All problems. Without `whole` only those that each step has by itself: for a procedure that was read in part."""
    count, known = len(procedure.steps), None if apis is None else {api.name: api for api in apis}
    found, astray = list[Problem](), False
    for step in procedure.steps:
        lost = list(_faults_of_targets(step, count))
        called = _faults_of_call(step, known) if known is not None and step.kind == "call" else ()
        astray |= bool(lost)
        for what, remedy, line in (*lost, *_faults(step, procedure), *called):
            found.append(Problem(step.line if line is None else line, f"step {step.number} {what}", remedy))
        for use in _uses(step):
            if isinstance(wrong := use.expressions(), BadSetting):
                found.append(Problem(use.line, f"step {step.number}: {wrong}"))
    found += [*_of_fields(procedure, known or {}), *_of_values(procedure, known or {})]
    if whole and not astray:
        found += [*_of_ways(procedure), *_of_names(procedure)]
    return sorted(dict.fromkeys(found))


def _faults(step: Step, procedure: Procedure) -> Iterator[_Fault]:
    """What is wrong with a step by itself, as it goes on after its name."""
    if step.kind == "end" and (step.branches or step.next or step.limit):
        yield "is an End and goes on", "take away where it goes", None
    if step.kind == "ask" and not step.collects and not step.branches:
        yield "asks and keeps no answer", "Collect `slot`, or list the answers below it: - Yes: go to 4.", None
    if step.kind != "ask" and step.collects:
        yield "is no question, and collects something", "begin it with **Ask**", None
    if step.kind != "call" and not step.text:
        yield f"does not say what to {'ask' if step.kind == 'ask' else 'say'}", "add it behind the word", None
    if lost := _AMONG_WORDS.search(step.text):
        remedy = "`Collect …`, `Go to 4.` and `At most …` are the last sentences of a step; other ways are branches"
        yield f"has {lost[0]!r} among its words", remedy, None
    then = procedure.step(step.limit.then) if step.limit else None
    if then and (then.limit or then.number == step.number):
        yield "has a limit that leads to another limit", "let it go to a step that may always be entered", None
    yield from _faults_of_branches(step)
    set_by_branches = {name for branch in step.branches for name in branch.sets}
    for name in {*step.collects, *set_by_branches, *([step.result] if step.result else [])}:
        if not name.isidentifier() or name.startswith("_") or name in _RESERVED:
            yield f"gives `{name}`, which is no name", "letters, digits and _; not a word that conditions use", None
        if name in procedure.facts:
            yield f"gives `{name}`, which is a fact already", "choose another name", None


def _faults_of_targets(step: Step, count: int) -> Iterator[_Fault]:
    ways = [(branch.target, branch.line) for branch in step.branches]
    ways += [(to, step.line) for to in (step.next, step.limit and step.limit.then) if to is not None]
    for target, line in ways:
        if step.number == count and step.next == target == count + 1:
            yield "is the last and no End", "say where it goes, or end with **End**: …", line
        elif not 1 <= target <= count:
            yield f"goes to {target}, and there is no such step (the steps are 1 to {count})", "", line


def _faults_of_branches(step: Step) -> Iterator[_Fault]:
    rest = [place for place, branch in enumerate(step.branches) if branch.is_otherwise]
    plain = [branch for branch in step.branches if branch.condition and not branch.answer and not branch.is_failure]
    if len(rest) > 1:
        yield "has two branches for everything else", "keep one", step.branches[rest[1]].line
    elif rest and rest[0] != len(step.branches) - 1:
        yield "has a branch after Otherwise", "put it before", step.branches[rest[0]].line
    elif plain and not rest and not any(branch.answer for branch in step.branches):
        yield "does not say what happens otherwise", "add - Otherwise: go to 4.", None
    if step.next is not None and not all(branch.is_failure for branch in step.branches):
        yield "has branches and goes on as well", "add - Otherwise: go to 4.", None
    taken: set[tuple[str, str]] = set()
    for branch in step.branches:
        told = (branch.answer.casefold(), branch.condition)
        if not branch.is_otherwise and taken & {told, (told[0], "")} - {("", "")}:
            remedy = "keep one, or tell them apart by conditions, the last without"
            yield f"has taken {branch.answer or branch.condition!r} before this branch", remedy, branch.line
        taken.add(told)
        if step.kind == "call" and branch.answer:
            yield "is a call, and nobody answers it", "write If `condition`", branch.line
        if step.kind != "call" and branch.is_failure:
            yield "is no call, and cannot fail", "", branch.line


def _faults_of_call(step: Step, apis: Mapping[str, Api]) -> Iterator[_Fault]:
    api = apis.get(step.api)
    if api is None:
        yield f"calls `{step.api}`, which no document has", _near(step.api, apis), None
        return
    for name in step.arguments:
        if name not in api.parameters:
            what = f"gives `{step.api}` a parameter `{name}` that it does not have"
            yield what, _near(name, api.parameters), None
    if missing := [f"`{name}`" for name in api.required if name not in step.arguments]:
        yield f"calls `{step.api}` without {', '.join(missing)}", "it is required", None


def _shapes(procedure: Procedure, apis: Mapping[str, Api]) -> dict[str, Mapping[str, Any]]:
    """What documents say of results by their names; nothing where two of one name differ."""
    shapes: dict[str, Mapping[str, Any]] = {}
    for step in procedure.steps:
        if step.result and step.api in apis:
            same = shapes.get(step.result, apis[step.api].returns) == apis[step.api].returns
            shapes[step.result] = apis[step.api].returns if same else {}
    return shapes


def _of_values(procedure: Procedure, apis: Mapping[str, Api]) -> Iterator[Problem]:
    """Constants that a parameter does not take, and those that a name or a field can never be.

    What a name may be is said by the parameter that is given it as it stands, of a result's field by its document.
    """
    called = [(step, apis[step.api].parameters) for step in procedure.steps if step.api in apis]
    given = [
        (step, name, text, takes[name].json_schema)
        for step, takes in called
        for name, text in step.arguments.items()
        if name in takes
    ]
    names = {text: schema for _, _, text, schema in given if text.isidentifier()}
    names |= {text: {} for _, _, text, schema in given if names.get(text, schema) != schema}  # documents differ
    for step, name, text, schema in given:
        yield from _unfit(step.line, f"step {step.number} gives `{step.api}` as `{name}`", text, schema)
    known = {**names, **_shapes(procedure, apis)}
    for step in procedure.steps:
        for branch in step.branches:
            for name, text in branch.sets.items():
                yield from _unfit(branch.line, f"step {step.number} gives `{name}`", text, names.get(name, {}))
        for use in _uses(step):
            for path, value, ordered in use.comparisons():
                schema = _schema_at(known.get(path[0], {}), path[1:])
                if schema and value is not None and not _like(value, schema, ordered=ordered):
                    what = f"step {step.number} compares `{'.'.join(path)}` with {value!r}, which it can never be"
                    yield Problem(use.line, what, _expected(schema))


def _schema_at(schema: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    for name in path:
        schema = object_of(schema.get("items") if name == "[]" else object_of(schema.get("properties")).get(name))
    return schema


def _like(value: Any, schema: Mapping[str, Any], *, ordered: bool) -> bool:
    """Whether a value could be one of a schema's: one of its values, or ordered beside them, of a type of theirs."""
    kept = ("type", "enum", "const") if not ordered else ("type",)
    return fits(value, {key: schema[key] for key in kept if key in schema} | _NUMBERS.get(str(schema.get("type")), {}))


def _unfit(line: int, what: str, text: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    with suppress(ValueError, SyntaxError):
        value = ast.literal_eval(text)
        if not fits(value, schema):
            yield Problem(line, f"{what} {value!r}, which it does not take", _expected(schema))


def _expected(schema: Mapping[str, Any]) -> str:
    """What a schema takes."""
    if listed := list_of(schema.get("enum")):
        return f"it is one of {', '.join(map(repr, listed[:12]))}"
    kinds = " or ".join(types_of(schema))
    return f"it is a {kinds}" + (f" like {schema['pattern']}" if "pattern" in schema else "")


def _of_fields(procedure: Procedure, apis: Mapping[str, Api]) -> Iterator[Problem]:
    """Fields that the result of a call cannot have, as far as its document says what it returns."""
    shapes = _shapes(procedure, apis)
    for step in procedure.steps:
        for use in _uses(step):
            for path in use.paths():
                if strange := _strange(shapes.get(path[0], {}), path[1:]):
                    spelled = ".".join(path).replace(".[]", "[]")
                    what = f"step {step.number} looks at `{spelled}`, and there is no {strange[0]!r}"
                    yield Problem(use.line, what, _near(*strange))


def _strange(schema: Mapping[str, Any], steps: Sequence[str]) -> tuple[str, list[str]] | None:
    """The first field that a schema rules out, and those it has."""
    for step in steps:
        inner: Any = schema.get("items" if step == "[]" else "properties")
        fields = object_of(inner)
        if not isinstance(inner, dict):
            return None
        if step != "[]" and step not in fields:
            return None if schema.get("additionalProperties") else (step, list(fields))
        schema = fields if step == "[]" else object_of(fields[step])
    return None


def _of_ways(procedure: Procedure) -> Iterator[Problem]:
    onward = {step.number: [to for to, _ in _ways(step, procedure)] for step in procedure.steps}
    back: dict[int, list[int]] = {number: [] for number in onward}
    for number, targets in onward.items():
        for target in targets:
            back[target].append(number)
    there, ends = reached([1], onward), reached([s.number for s in procedure.steps if s.kind == "end"], back)
    for step in procedure.steps:
        if step.number not in there:
            yield Problem(step.line, f"nothing leads to step {step.number}", "go to it from somewhere, or take it out")
        elif step.number not in ends:
            yield Problem(step.line, f"no way leads from step {step.number} to an End", "end it somewhere")
        elif step.limit and step.number not in reached(onward[step.number], onward):
            what = f"step {step.number} has a limit, and nothing leads back to it"
            yield Problem(step.line, what, f"go to {step.number} from a later step, or take the limit out")


def _of_names(procedure: Procedure) -> Iterator[Problem]:
    """Names that are used where nothing has given them a value yet, at least on one way."""
    always = procedure.facts.keys() | {"now"}
    given = always.union(*(gains for step in procedure.steps for _, gains in _ways(step, procedure)))
    for step in procedure.steps:
        own = {*step.collects, *([step.result, "error"] if step.kind == "call" else [])}
        for use in _uses(step):
            needed = {path[0] for path in use.paths()}
            for name in sorted(needed - always - (own if use.after else set())):
                what = f"step {step.number} needs `{name}`, and nothing gives it"
                if name not in given:
                    yield Problem(use.line, what, _near(name, given - always))
                elif way := _way_without(name, step.number, procedure):
                    yield Problem(use.line, f"{what} on the way {' → '.join(map(str, way))}", "collect it before")


def _ways(step: Step, procedure: Procedure) -> Iterator[tuple[int, frozenset[str]]]:
    """(the step that may come after this one, the names that are known then) of every way on."""
    gains = {*step.collects, *([step.result] if step.result else [])}
    ways = [(b.target, (gains - {step.result} if b.is_failure else gains) | b.sets.keys()) for b in step.branches]
    for target, names in [*ways, (step.next, gains)]:
        after = procedure.step(target) if target else None
        if after:
            yield after.number, frozenset(names)
            if after.limit:
                yield after.limit.then, frozenset(names)


def _way_without(name: str, number: int, procedure: Procedure) -> list[int]:
    """The steps of a shortest way to a step on which nothing gives a name; empty if every way does."""

    def onward(here: int) -> Iterator[tuple[int, int]]:
        return ((to, to) for to, gains in _ways(procedure.steps[here - 1], procedure) if name not in gains)

    then = [] if number == 1 else way(1, onward, lambda _, to: to == number)
    return [] if then is None else [1, *then]


class _Use(NamedTuple):
    """Something that is evaluated: words with expressions in braces, or one expression.

    `after`: when the step is done, so that what it collects or returns is known.
    """

    line: int
    text: str
    is_words: bool = False
    after: bool = False

    def expressions(self) -> list[Expression] | BadSetting:
        try:
            return embedded(self.text) if self.is_words else [parse(self.text)]
        except BadSetting as error:
            return error

    def paths(self) -> list[tuple[str, ...]]:
        found = self.expressions()
        return [] if isinstance(found, BadSetting) else [path for one in found for path in one.paths]

    def comparisons(self) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
        """(what is looked at, each constant that it is compared with, whether by < or the like)."""
        found = self.expressions()
        nodes = (node for one in found for node in ast.walk(one.plain)) if isinstance(found, list) else ()
        for node in nodes:
            if isinstance(node, ast.Compare):
                for (one, other), by in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
                    for side, constant in ((one, other), (other, one)):
                        if isinstance(side, ast.Name | ast.Attribute):
                            ordered = isinstance(by, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
                            paths = Expression("", side).paths
                            yield from ((path, value, ordered) for path in paths for value in _constants(constant))


def _constants(tree: ast.expr) -> list[Any]:
    """What a constant is, or what a list of them holds; nothing for anything else."""
    try:
        value: Any = ast.literal_eval(tree)
    except ValueError:
        return []
    return list_of(value) if isinstance(value, list) else [value]


def _uses(step: Step) -> Iterator[_Use]:
    yield _Use(step.line, step.text, is_words=True)
    yield from (_Use(step.line, value) for value in step.arguments.values())
    for branch in step.branches:
        texts = filter(None, (branch.condition, *branch.sets.values()))
        yield from (_Use(branch.line, text, after=True) for text in texts)


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(known)[:12])}" if known else ""
