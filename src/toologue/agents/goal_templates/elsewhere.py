"""The agent in worlds other than `s3`: what `retrieve` would call, as programs on the stack.

Contract: a function of the history and the brief. The brief names the object that programs see (`facts["programs"]
["object"]`), and has the Apis. A wish with open parameters stands as a draft, `?n` for the n-th of them.

Example:
    >>> import asyncio
    >>> from toologue import registry
    >>> from toologue.models.embed import embedder
    >>> from toologue.schema import UserTurn
    >>> apis = registry.find("world", "assistant").apis
    >>> brief = Brief(apis=apis, facts={"programs": {"object": "assistant"}})
    >>> turn = asyncio.run(act(Retrieve(embedder("lexical")), [UserTurn(text="Set an alarm for 7 pm")], brief))
    >>> turn.acts[0].status, turn.acts[0].code
    ('final', "return assistant.add_alarm(time='19:00:00')")

Not covered: programs of more than one call.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, cast

from toologue.agents.retrieve import Retrieve
from toologue.sandbox.program import parse
from toologue.sandbox.rpc import spelt
from toologue.schema import AgentTurn, Api, Brief, Call, Program, State, Turn
from toologue.schema.stack import Stacked, stack

__all__ = ["act", "is_elsewhere"]


def is_elsewhere(brief: Brief) -> bool:
    """Whether the Apis are of another world than `s3`."""
    return bool(brief.apis) and not any(api.name == "list_objects" for api in brief.apis)


async def act(agent: Retrieve, history: Sequence[Turn], brief: Brief) -> AgentTurn:
    """The next turn: a program for a call, a draft before a question, words."""
    told = cast("dict[str, Any]", brief.facts.get("programs") or {})
    name, methods = str(told.get("object", "world")), _methods(brief.apis)
    turn = await agent.act(_as_calls(history, methods), brief)
    stacked = stack(history)
    calls = [one for one in turn.acts if one.kind == "call"]
    if calls:
        acts = tuple(_program(stacked, "final", name, methods[one.api], one.arguments or {}) for one in calls)
        return turn.but(acts=acts, text=None)
    draft = _draft(stacked, name, methods, turn.state) if turn.action == "request" else None
    if draft is None or any(one.goal == draft.goal and one.code == draft.code for one in stacked):
        return turn
    return AgentTurn(acts=(draft,), thought=turn.thought)


def _methods(apis: Sequence[Api]) -> Mapping[str, str]:
    """The method by Api, spelt as Python spells it."""
    return {name: next((one for one in found if one.islower()), found[0]) for name, found in spelt(apis).items()}


def _program(stacked: Sequence[Stacked], status: Any, name: str, method: str, values: Mapping[str, Any]) -> Program:
    """A program of one call; of the draft of the same call, where there is one."""
    head = f"return {name}.{method}("
    known = next((one.goal for one in stacked if one.status == "drafting" and one.code.startswith(head)), None)
    numbers = [int(one.goal) for one in stacked if one.goal.isdigit()]
    values = {key: value if isinstance(value, _Open) else repr(value) for key, value in values.items()}
    code = f"{head}{', '.join(f'{key}={value}' for key, value in values.items())})"
    return Program(goal=known or str(max(numbers, default=0) + 1), status=status, code=code)


class _Open(str):
    """A placeholder."""

    __slots__ = ()


def _draft(stacked: Sequence[Stacked], name: str, methods: Mapping[str, str], state: State | None) -> Program | None:
    if state is None or state.api is None or state.api not in methods:
        return None
    values: dict[str, Any] = {**state.required, **state.optional}
    missing = [key for key, value in state.required.items() if value == ""]
    values |= {key: _Open(f"?{number}") for number, key in enumerate(missing, 1)}
    return _program(stacked, "drafting", name, methods[state.api], values)


def _as_calls(history: Sequence[Turn], methods: Mapping[str, str]) -> list[Turn]:
    """The history as `retrieve` knows it: calls, and no drafts."""
    names = {method: name for name, method in methods.items()}
    found: list[Turn] = []
    for turn in history:
        if turn.role == "agent" and turn.acts:
            results = turn.results or (None,) * len(turn.acts)
            pairs = [(_call(one, names), result) for one, result in zip(turn.acts, results, strict=True)]
            kept = [(call, result) for call, result in pairs if call is not None and result is not None]
            if not kept and turn.text is None:
                continue
            turn = turn.but(acts=tuple(call for call, _ in kept), results=tuple(result for _, result in kept))
        found.append(turn)
    return found


def _call(act: Any, names: Mapping[str, str]) -> Call | None:
    """The call that a program is; None where it is none, or more."""
    if act.kind != "program" or act.status != "final":
        return act if act.kind == "call" else None
    for node in ast.walk(parse(act.code).tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            try:
                arguments = {one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg}
            except ValueError:
                return None
            return Call(api=names[node.func.attr], arguments=arguments)
    return None
