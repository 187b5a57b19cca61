"""Reading before a program is written: `<look>s3.list_objects(Bucket="attic")</look>`, and what it gave.

A look is calls of methods that write nothing, with literals. The world answers them; they are no programs, and nothing
of them is on the stack.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence

from toologue.agents.llm.program_stack.prompts import Service
from toologue.errors import shown
from toologue.limits import cut
from toologue.sandbox.program import check, parse
from toologue.sandbox.rpc import spelt
from toologue.schema import AgentTurn, Call, Turn, place

_LOOK = re.compile(r"<look>(.*?)</look>", re.DOTALL)
_LONGEST = 4000


def looks_in(text: str, service: Service) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """The calls of an answer's looks, and what is wrong with them."""
    calls, problems = list[Call](), list[str]()
    methods = {name: api for api in service.apis for name in spelt(service.apis)[api.name]}
    for found in _LOOK.finditer(text):
        parsed = parse(found[1].strip())
        wrong = [f"the look, {problem}" for problem in check(parsed, service.apis, service.name)]
        for line in () if wrong else parsed.tree.body:
            match line:
                case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=of), method)) as call) if of == service.name:
                    api = methods[method]
                    names = [*list(api.parameters)[: len(call.args)], *(one.arg for one in call.keywords)]
                    values = [*call.args, *(one.value for one in call.keywords)]
                    try:
                        given = {str(name): ast.literal_eval(one) for name, one in zip(names, values, strict=True)}
                        calls.append(Call(api=api.name, arguments=given))
                    except ValueError:
                        wrong.append(f"a look gives literals, not {shown(ast.unparse(call))}")
                    wrong += [f"a look only reads, and {api.name} writes"] if api.writes else []
                case _:
                    wrong.append(f"a look is calls of {service.name} and nothing else, not {shown(ast.unparse(line))}")
        problems += wrong
    return tuple(() if problems else calls), tuple(problems)


def recent(history: Sequence[Turn]) -> list[AgentTurn]:
    """The agent's turns since the user spoke."""
    return [turn for turn in history[len(history) - place(history)[1] :] if turn.role == "agent"]


def is_look(turn: AgentTurn) -> bool:
    """Whether a turn did nothing but look."""
    return bool(turn.acts) and all(act.kind == "call" for act in turn.acts)


def looked(history: Sequence[Turn], name: str) -> Iterator[str]:
    """What was looked up since the user spoke, a line each: s3.list_buckets() = {...}."""
    for turn in filter(is_look, recent(history)):
        for act, result in zip(turn.acts, turn.results, strict=True):
            if act.kind == "call" and result is not None:
                given = ", ".join(f"{key}={value!r}" for key, value in (act.arguments or {}).items())
                error = result.error and f"{result.error.type}: {result.error.message}"
                gave = error or cut(json.dumps(result.value, ensure_ascii=False), _LONGEST)
                yield f"{name}.{act.api}({given}) = {gave}"
