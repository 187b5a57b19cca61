"""The agent `json_action:MODEL`: a language model that takes each step as one JSON object (ALMITA A.8).

    {"type": "reply", "parameters": {"text": "..."}}
    {"type": NAME_OF_AN_API, "parameters": {...}}

The model is told the procedure (the brief's instructions), the facts and the Apis in a system message, and the
conversation, executed actions and their outputs included, in a user message. The wording is ours (`json_action.txt`).

Contract: `parse_answer` reads what comes back. Words around the object, and Python's quotes, are tolerated and noted.
What is no step has a name:

    no_json, several_objects, reply_without_text      the turn has an error of this type
    unknown_action, parameters_not_object             the turn calls what the model wrote, so that the world and the
                                                      grader see it; an error, where there is nothing to call

Problem, notes and what the model wrote stand in the turn's `extra["answer"]`, where there is any problem or note.

Not covered: several actions in one step; an Api that is called `reply` cannot be called.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal, NamedTuple, cast

from pydantic import JsonValue

from toologue.agents.agent import AgentSpec
from toologue.agents.llm import ModelAgent, asking
from toologue.formats.literals import is_json, json_text, objects, output_of, value_of
from toologue.formats.openai import Message
from toologue.models.ask import render_prompt
from toologue.models.model import Reply
from toologue.schema import AgentTurn, Api, Brief, Call, Fault, Turn

Problem = Literal["no_json", "several_objects", "unknown_action", "parameters_not_object", "reply_without_text"]
_PROBLEMS: dict[Problem, str] = {
    "no_json": "there is no JSON object in the answer",
    "several_objects": "there are several JSON objects in the answer, and one step was asked for",
    "unknown_action": "there is no such action",
    "parameters_not_object": "the parameters are no JSON object",
    "reply_without_text": "the reply has no text",
}
_REPLY = "reply"


class Answer(NamedTuple):
    """What a model decided: words or a call, or a problem; `notes` say what was tolerated."""

    text: str | None = None
    call: Call | None = None
    problem: Problem | None = None
    notes: tuple[str, ...] = ()


class JsonAction(ModelAgent):
    """An agent over a model."""

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The model's next step; with an error where it gave none."""
        known = {api.name for api in brief.apis}
        return await self.replied(prompt(brief, history), partial(_turn, known=known))


def json_action_agent(argument: str) -> AgentSpec:
    """The agent `json_action:MODEL`."""
    return asking("json_action", argument, JsonAction)


def prompt(brief: Brief, history: Sequence[Turn]) -> list[Message]:
    """What the model is asked with."""
    plain = {name: value if isinstance(value, str) else json_text(value) for name, value in brief.known.items()}
    facts = "\n".join(f"{name}: {value}" for name, value in plain.items())
    told = "\n\n".join(part for part in (brief.instructions.strip(), facts) if part)
    system = render_prompt(
        __file__,
        "json_action.txt",
        procedure=told or "(There is none: help as far as the actions allow.)",
        actions="\n".join(map(_document, brief.apis)) or "(There are none.)",
    )
    conversation = "\n".join(json_text(line) for turn in history for line in _lines(turn))
    return [{"role": "system", "content": system}, {"role": "user", "content": conversation}]


def parse_answer(answer: str, known: Collection[str]) -> Answer:
    """The step that an answer spells; `known` are the names of the Apis."""
    found = list(_objects(answer))
    if len(found) != 1:
        return Answer(problem="several_objects" if found else "no_json")
    value, notes = found[0]
    kind, parameters = value.get("type"), value.get("parameters", {})
    fields = cast("dict[str, Any]", parameters) if isinstance(parameters, dict) else None
    if kind == _REPLY:
        text = fields.get("text") if fields is not None else None
        if isinstance(text, str) and text.strip():
            return Answer(text, notes=notes)
        return Answer(problem="parameters_not_object" if fields is None else "reply_without_text", notes=notes)
    if not isinstance(kind, str) or not kind:
        return Answer(problem="unknown_action", notes=notes)
    call = Call(api=kind, arguments=fields, raw=None if fields is not None else json_text(parameters))
    problem = "unknown_action" if kind not in known else "parameters_not_object" if fields is None else None
    return Answer(call=call, problem=problem, notes=notes)


def _objects(answer: str) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    for start, end in objects(answer):
        piece = answer[start:end]
        with suppress(ValueError):
            noted = {"prose around": (answer[:start] + answer[end:]).strip(), "single quotes": not is_json(piece)}
            yield value_of(piece), tuple(note for note, there in noted.items() if there)


def _turn(reply: Reply, known: Collection[str]) -> AgentTurn:
    text = reply.text or ""
    step = parse_answer(text, known)
    noted: dict[str, JsonValue] = {"problem": step.problem, "notes": list(step.notes), "text": text}
    broken = step.problem if step.call is None else None
    return AgentTurn(
        text=step.text,
        acts=(step.call,) if step.call else (),
        error=Fault(type=broken, message=_PROBLEMS[broken]) if broken else None,
        extra={"answer": noted} if step.problem or step.notes else {},
    )


def _lines(turn: Turn) -> Iterator[dict[str, Any]]:
    if turn.role == "user":
        yield {"role": "user", "content": turn.text}
        return
    if turn.text is not None:
        yield {"role": "assistant", "content": turn.text}
    for act, result in zip(turn.acts, turn.results or (None,) * len(turn.acts), strict=True):
        if act.kind == "call":
            yield {"role": "action", "type": act.api, "parameters": act.raw if act.arguments is None else act.arguments}
            if result is not None:
                yield {"role": "output", "content": output_of(result)}


def _document(api: Api) -> str:
    parameters = {name: {**one.json_schema, "required": one.required} for name, one in api.parameters.items()}
    return json_text({"name": api.name, "description": api.description, "parameters": parameters})
