"""Which programs must wait for the user's yes, and when it was given.

Contract: the documents say which calls wait (`Api.confirm`): always, or where what they name is there already, so that
it would be written over. The latter is known where the program reads the same thing itself, or the conversation has
read or listed it; what the conversation has made itself is nobody's loss. `held_back` makes a draft of a final program
that has placeholders, or that makes such a call without the user's consent. Consent was given where

    the draft was complete a turn before, so that the user could be asked; or what completes it stood in the question
    it is a retry: a program that makes the same calls had it, ran, and failed; what the new one names stood in that
    program, or was said or returned since; where it makes more of them, a question was asked in between

Not covered: whether the user's words agree; what is written over unseen.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from toologue.agents.llm.program_stack.prompts import Service
from toologue.sandbox.program import parse
from toologue.sandbox.rpc import spellings
from toologue.schema import Api, Program, Turn
from toologue.schema.stack import Stacked


class _Called(NamedTuple):
    """A call in a program: its Api, and its arguments as they are written, names of constants replaced."""

    api: Api
    given: dict[str, str]


def held_back(
    programs: Sequence[Program], held: Sequence[Stacked], service: Service, said: Sequence[Turn] = ()
) -> tuple[Program, ...]:
    """The programs of a turn, those that must wait as drafts; `said` is the history before it."""

    def waits(program: Program) -> bool:
        if program.status != "final":
            return False
        asked = bool(waiting(program.code, held, service)) and not _agreed(program, held, service, said)
        return bool(parse(program.code).placeholders) or asked

    return tuple(program.replace(status="drafting") if waits(program) else program for program in programs)


def waiting(code: str, held: Sequence[Stacked], service: Service) -> frozenset[str]:
    """The names of the Apis that a program calls in such a way that the user must agree."""
    tree = parse(code).tree
    written = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    always = {api.name for api in service.apis if api.confirm is True and not written.isdisjoint(spellings(api.name))}
    made = list(_calls(tree, service))
    return frozenset(always | {one.api.name for one in made if _is_there(one, made, held, service)})


def _is_there(call: _Called, made: Sequence[_Called], held: Sequence[Stacked], service: Service) -> bool:
    named = call.api.confirm
    if isinstance(named, bool) or not set(named) <= call.given.keys():
        return False
    target = {name: call.given[name] for name in named}
    ran = [(one, list(_calls(parse(one.code).tree, service))) for one in held if _succeeded(one)]
    own = (call for one, calls in ran if one.result and one.result.created for call in calls if call.api.writes)
    if any(target.items() <= one.given.items() for one in own):
        return False
    read = [*made, *(call for _, calls in ran for call in calls)]
    if any(not one.api.writes and target.items() <= one.given.items() for one in read):
        return True
    texts = [(next(iter(_texts(text)), "") if text[:1] in "'\"" else "") for text in target.values()]
    return any(all(text and text in _shown(one) for text in texts) for one, _ in ran)


def _agreed(program: Program, held: Sequence[Stacked], service: Service, said: Sequence[Turn]) -> bool:
    """Whether the user has agreed to a program that must wait."""
    last = next((turn.text for turn in reversed(said) if turn.role == "agent" and turn.text), "")
    new = _texts(program.code)
    before = next((one for one in held if one.goal == program.goal), None)
    if before is not None:
        complete = not parse(before.code).placeholders
        return complete or ("?" in last and all(text in last for text in new - _texts(before.code)))
    calls = waiting(program.code, held, service)
    tried = [one for one in held if one.result is not None and waiting(one.code, held, service)]
    since = "\n".join([*(turn.text for turn in said if turn.text), *(_shown(one) for one in held)])
    for one in takewhile(lambda one: not _succeeded(one), tried):  # a success has used the consent up
        had = waiting(one.code, held, service)
        enough = calls == had or (calls > had and "?" in last)  # for more it has asked again
        if enough and all(text in since for text in _named(program, service)):
            return True
    return False


def _succeeded(one: Stacked) -> bool:
    return one.result is not None and one.result.error is None


def _calls(tree: ast.AST, service: Service) -> Iterator[_Called]:
    by_name = {spelling: api for api in service.apis for spelling in spellings(api.name)}
    constants = {
        target.id: ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in by_name:
            given = {one.arg: ast.unparse(one.value) for one in node.keywords if one.arg is not None}
            yield _Called(by_name[node.func.attr], {name: constants.get(text, text) for name, text in given.items()})


def _named(program: Program, service: Service) -> set[str]:
    made = (one for one in _calls(parse(program.code).tree, service) if one.api.confirm)
    return {text for one in made for given in one.given.values() for text in _texts(given)}


def _texts(code: str) -> set[str]:
    nodes = list(ast.walk(parse(code).tree))
    keys = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
    keys |= {id(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
    texts = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in keys)
    return {node.value for node in texts if isinstance(node.value, str)}


def _shown(one: Stacked) -> str:
    value = one.result.value if one.result is not None else None
    return f"{one.code}\n{json.dumps(value, ensure_ascii=False)}"
