"""Tasks of tau2-bench as dialogues: the policy is the instructions, gold actions are the agent's calls.

Gold has no words there: the user's part is instructions for a model, kept as a text in `extra["scenario"]`, which the
user `scenario` plays. The task stands as it is in `extra["tau2"]`, by which `score.reward` grades; nothing runs its
`env_assertions`, and no conversation begins with the messages that were before the task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from toologue.data import read_source
from toologue.errors import BadSetting, UnknownName
from toologue.schema import AgentTurn, Call, Dialogue, Setting, UserTurn
from toologue.values.json_schema import list_of, object_of

_NO_PLACE = "and tools of customers have no place here: a customer speaks, the agent alone acts"


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Action(_Part):
    name: str
    arguments: dict[str, JsonValue]
    requestor: str = "assistant"
    compare_args: list[str] | None = None


class _Criteria(_Part):
    actions: list[_Action] | None = None


class _Scenario(_Part):
    persona: str | None = None
    instructions: dict[str, JsonValue] | str


class _Data(_Part):
    agent_data: dict[str, JsonValue] | None = None
    user_data: dict[str, JsonValue] | None = None


class _Initial(_Part):
    initialization_data: _Data | None = None
    initialization_actions: list[dict[str, JsonValue]] | None = None


class _Task(_Part):
    id: str = Field(coerce_numbers_to_str=True)
    user_scenario: _Scenario
    evaluation_criteria: _Criteria | None = None
    initial_state: _Initial | None = None


def read_tasks(file: Path, domain: str, policy: str, tools: Collection[str], left_out: list[str]) -> Iterator[Dialogue]:
    """The tasks of a tasks.json over these tools; why others are left out is added. Raises BadRecord, UnknownName."""
    source = read_source(file)
    for number, raw in enumerate(list_of(source.data)):
        try:
            task = _Task.model_validate(raw)
        except ValidationError as error:
            raise source.refused(error, (number,)) from None
        try:
            yield _dialogue(task, domain, policy, tools, object_of(raw))
        except BadSetting as error:
            left_out.append(str(error))


def ungraded(dialogues: Iterable[Dialogue]) -> Counter[str]:
    """How many of the tasks have something that is kept, and graded by nothing."""
    kept = [object_of(one.extra["tau2"]) for one in dialogues]
    messages = sum(bool(object_of(one.get("initial_state")).get("message_history")) for one in kept)
    asserted = sum(bool(object_of(one.get("evaluation_criteria")).get("env_assertions")) for one in kept)
    return +Counter({"env_assertions": asserted, "message_history": messages})


def _dialogue(task: _Task, domain: str, policy: str, tools: Collection[str], raw: dict[str, Any]) -> Dialogue:
    name = f"{domain}-{task.id}"
    actions = (task.evaluation_criteria and task.evaluation_criteria.actions) or []
    for action in actions:
        if action.requestor != "assistant":
            raise BadSetting(f"{name}: the customer calls {action.name}, {_NO_PLACE}")
        if action.name not in tools:
            raise UnknownName(f"tool of tau2's {domain} (task {name})", action.name, tools)
    calls = (AgentTurn(acts=(Call(api=one.name, arguments=one.arguments),)) for one in actions)
    return Dialogue(
        id=name,
        instructions=policy,
        apis=tuple(tools),
        world=Setting(name="tau2", arguments={"domain": domain, **_initial(name, task.initial_state)}),
        turns=(UserTurn(), *calls),
        origin={"line": "tau2", "domain": domain, "task": task.id},
        extra={"scenario": _scenario(task.user_scenario), "tau2": {k: v for k, v in raw.items() if k != "id"}},
    )


def _initial(name: str, state: _Initial | None) -> dict[str, JsonValue]:
    data = state and state.initialization_data
    actions = list(state.initialization_actions or []) if state else []
    if (data and data.user_data) or any(one.get("env_type") == "user" for one in actions):
        raise BadSetting(f"{name}: it begins with what the customer has, {_NO_PLACE}")
    begun: dict[str, JsonValue] = {
        "data": dict(data.agent_data) if data and data.agent_data else None,
        "actions": list[JsonValue](actions),
    }
    return {"initial": begun} if any(begun.values()) else {}


def _scenario(scenario: _Scenario) -> str:
    """What the user is told, as a text: a heading a part, as tau2 puts it to its model."""
    told = scenario.instructions
    parts = {"instructions": told} if isinstance(told, str) else dict(told)
    said = {"persona": scenario.persona, **parts}
    return "\n\n".join(f"{name.replace('_', ' ').capitalize()}:\n{text}" for name, text in said.items() if text)
