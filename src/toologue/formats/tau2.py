"""Tasks of tau2-bench as dialogues: the policy is the instructions, gold actions are the agent's calls.

Gold has no words there: the user's part is instructions for a model, kept as a text in `extra["scenario"]`, which the
user `scenario` plays. What has no place in a dialogue is kept as it stands in `extra["tau2"]`, and graded by nothing:
what must be communicated, assertions, the arguments that alone count, messages before the task, who wrote why.
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

_UNGRADED = ("communicate_info", "nl_assertions", "env_assertions")


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


def read_tasks(file: Path, domain: str, policy: str, tools: Collection[str]) -> Iterator[Dialogue]:
    """The tasks of a tasks.json over these tools. Raises BadRecord, BadSetting, UnknownName."""
    source = read_source(file)
    for number, raw in enumerate(list_of(source.data)):
        try:
            task = _Task.model_validate(raw)
        except ValidationError as error:
            raise source.refused(error, (number,)) from None
        yield _dialogue(task, domain, policy, tools, object_of(raw))


def ungraded(dialogues: Iterable[Dialogue]) -> Counter[str]:
    """How many of the tasks have something that is kept, and graded by nothing."""
    found = Counter[str]()
    for dialogue in dialogues:
        kept = object_of(dialogue.extra.get("tau2"))
        criteria = object_of(kept.get("evaluation_criteria"))
        found.update(name for name in _UNGRADED if criteria.get(name))
        found["compare_args"] += any("compare_args" in object_of(one) for one in list_of(criteria.get("actions")))
        found["message_history"] += bool(object_of(kept.get("initial_state")).get("message_history"))
    return +found


def _dialogue(task: _Task, domain: str, policy: str, tools: Collection[str], raw: dict[str, Any]) -> Dialogue:
    name = f"{domain}-{task.id}"
    actions = (task.evaluation_criteria and task.evaluation_criteria.actions) or []
    for action in actions:
        if action.requestor != "assistant":
            raise BadSetting(f"tau2's task {name}: {action.name} is done by the user, for which there is no place here")
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
    if data and data.user_data:
        raise BadSetting(f"tau2's task {name} begins with data of the user, for which there is no place here")
    begun: dict[str, JsonValue] = {
        "data": dict(data.agent_data) if data and data.agent_data else None,
        "actions": list(state.initialization_actions or []) if state else [],
    }
    return {"initial": begun} if any(begun.values()) else {}


def _scenario(scenario: _Scenario) -> str:
    """What the user is told, as a text: a heading a part, as tau2 puts it to its model."""
    told = scenario.instructions
    parts = {"instructions": told} if isinstance(told, str) else dict(told)
    said = {"persona": scenario.persona, **parts}
    return "\n\n".join(f"{name.replace('_', ' ').capitalize()}:\n{text}" for name, text in said.items() if text)
