"""Gold programs altered, over S3 or elsewhere: wrong in one known way (`WRONG`), or right in another form (`RIGHT`).

A mutant has one mutation, in one turn.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

from toologue import keys
from toologue.sandbox.exceptions import CONVERSATIONAL
from toologue.sandbox.program import parse, raised_in
from toologue.sandbox.rpc import spelt
from toologue.schema import Api, Dialogue, Program
from toologue.score.metric import answers_of
from toologue.worlds.world import kind_at

Methods = Mapping[str, Api]  # by every spelling that programs may use
Mutation = Callable[[Program, Methods], "Program | None"]


class Mutant(NamedTuple):
    """The gold with one program mutated: in which turn of the user it is answered, from 1, and where it stands."""

    dialogue: Dialogue
    number: int
    turn: int
    slot: int


def wrong_key(program: Program, methods: Methods) -> Program | None:
    """The first text that says which object is another; where nothing is called so, the first text that is given."""
    tree = parse(program.code).tree
    texts = [one for one in _given(tree, methods) if isinstance(ast.literal_eval(one.value), str)]
    named = [one for one in texts if one.arg in ("Key", "Prefix")] or texts
    if not named or program.status != "final":
        return None
    named[0].value = ast.Constant(f"x{ast.literal_eval(named[0].value)}")
    return program.replace(code=ast.unparse(tree))


def missing_write(program: Program, methods: Methods) -> Program | None:
    """The first statement that writes does nothing."""
    return _replaced(program, lambda call: ast.Pass() if _writes(call, methods) else None)


def extra_write(program: Program, methods: Methods) -> Program | None:
    """An object more, in the first bucket that the program names; over other worlds the first write once more."""
    tree = parse(program.code).tree
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _writes(node, methods))
    again = next((ast.unparse(one) for one in calls if all(map(_is_literal, one.keywords)) and not one.args), "")
    bucket = next((ast.unparse(one.value) for one in _given(tree, methods) if one.arg == "Bucket"), "")
    if "put_object" in methods:
        again = bucket and f"s3.put_object(Bucket={bucket}, Key='one/too/many.txt', Body='?')"
    return program.replace(code=f"{again}\n{program.code}") if again and program.status == "final" else None


def unfinalised(program: Program, methods: Methods) -> Program | None:
    """The draft stays a draft."""
    return program.replace(status="drafting") if program.status == "final" else None


def too_early(program: Program, methods: Methods) -> Program | None:
    """The draft is final."""
    return program.replace(status="final") if program.status == "drafting" else None


def wrong_return(program: Program, methods: Methods) -> Program | None:
    """What it returns is another value."""

    class Wrapped(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> ast.Return:
            return ast.Return(ast.List([node.value or ast.Constant(None), ast.Constant("wrong")], ast.Load()))

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
            return node  # functions in it keep theirs

    return _transformed(program, Wrapped())


def wrong_exception(program: Program, methods: Methods) -> Program | None:
    """Another conversational exception; no mistake to `published`, which sees no errors."""
    raised = raised_in(program.code)
    other = CONVERSATIONAL[CONVERSATIONAL.index(raised) - 1] if raised else ""
    return program.replace(code=f"raise {other}()") if other and program.status == "final" else None


def get_and_put(program: Program, methods: Methods) -> Program | None:
    """The first copy, or a move's, is made by reading and writing."""

    def copy(call: ast.Call) -> ast.stmt | None:
        given = {one.arg: one.value for one in call.keywords}
        source = given.get("CopySource")
        if _method(call) != "copy_object" or not isinstance(source, ast.Dict) or len(given) != 3:
            return None
        held = {ast.literal_eval(key): value for key, value in zip(source.keys, source.values, strict=True) if key}
        read = f"s3.get_object(Bucket={ast.unparse(held['Bucket'])}, Key={ast.unparse(held['Key'])})['Body'].read()"
        to = f"Bucket={ast.unparse(given['Bucket'])}, Key={ast.unparse(given['Key'])}"
        return ast.parse(f"s3.put_object({to}, Body={read})").body[0]

    return _replaced(program, copy)


def delete_many(program: Program, methods: Methods) -> Program | None:
    """The first object that is deleted is deleted as a list of one."""

    def delete(call: ast.Call) -> ast.stmt | None:
        given = {one.arg: ast.unparse(one.value) for one in call.keywords}
        if _method(call) != "delete_object" or given.keys() != {"Bucket", "Key"}:
            return None
        listed = f"{{'Objects': [{{'Key': {given['Key']}}}]}}"
        return ast.parse(f"s3.delete_objects(Bucket={given['Bucket']}, Delete={listed})").body[0]

    return _replaced(program, delete)


def other_names(program: Program, methods: Methods) -> Program | None:
    """Every name that the program gives is another."""
    nodes = list(ast.walk(parse(program.code).tree))
    own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own -= {node.arg for node in nodes if isinstance(node, ast.arg)}

    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name(f"{node.id}_2", node.ctx) if node.id in own else node

    return _transformed(program, Renamed())


WRONG: Mapping[str, Mutation] = {
    one.__name__: one
    for one in (wrong_key, missing_write, extra_write, unfinalised, too_early, wrong_return, wrong_exception)
}
RIGHT: Mapping[str, Mutation] = {one.__name__: one for one in (get_and_put, delete_many, other_names)}


def mutant(gold: Dialogue, kind: str, seed: int = 0) -> Mutant | None:
    """One of the mutants that a kind makes of a dialogue; None where it applies nowhere."""
    mutation, apis = {**WRONG, **RIGHT}[kind], kind_at(gold.world).apis
    methods = {name: api for api in apis for name in spelt(apis)[api.name]}
    found: list[Mutant] = []
    for place, number, turn in answers_of(gold):
        for slot, act in enumerate(turn.acts):
            if act.kind == "program" and (made := mutation(act, methods)) is not None:
                acts = (*turn.acts[:slot], made, *turn.acts[slot + 1 :])
                turns = (*gold.turns[:place], turn.replace(acts=acts), *gold.turns[place + 1 :])
                found.append(Mutant(gold.replace(turns=turns), number, place, slot))
    return random.Random(keys.seed_of(seed, kind, gold.id)).choice(found) if found else None


def _transformed(program: Program, transformer: ast.NodeTransformer) -> Program | None:
    if program.status != "final":
        return None
    tree = parse(program.code).tree
    before = ast.unparse(tree)
    after = ast.unparse(ast.fix_missing_locations(transformer.visit(tree)))
    return program.replace(code=after) if after != before else None


def _replaced(program: Program, replacement: Callable[[ast.Call], ast.stmt | None]) -> Program | None:
    """A final program with the first statement replaced that is a call for which there is a replacement."""

    class Statements(ast.NodeTransformer):
        done = False

        def visit_Expr(self, node: ast.Expr) -> ast.stmt:
            made = replacement(node.value) if isinstance(node.value, ast.Call) and not self.done else None
            self.done = self.done or made is not None
            return made or node

    return _transformed(program, Statements())


def _given(tree: ast.AST, methods: Methods) -> list[ast.keyword]:
    """The arguments of calls of the world that are constants."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _method(node) in methods)
    return [one for call in calls for one in call.keywords if isinstance(one.value, ast.Constant)]


def _is_literal(one: ast.keyword) -> bool:
    return not any(isinstance(node, ast.Name | ast.Call) for node in ast.walk(one.value))


def _writes(call: ast.Call, methods: Methods) -> bool:
    return _method(call) in methods and methods[_method(call)].writes


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
