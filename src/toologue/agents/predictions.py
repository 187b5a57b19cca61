"""Predictions: calls that were produced elsewhere, played back turn by turn and executed here.

The file holds one JSON object a line:

    {"name": <dialogue id>,
     "predictions": [{"turn_index": int, "calls": [{"api_name": str, "arguments": object|null}]}]}

`turn_index` is the position of the assistant turn in the published format; other keys are ignored. Arguments that are
not an object count as unparsable, as a model's broken JSON does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from toologue.agents.agent import AgentSpec, ScriptedAgent
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.formats.tooltalk import turn_indexes
from toologue.schema import AgentTurn, Call, Case
from toologue.schema.jsonl import Noun, parse, read_lines

# Per dialogue id and turn index the predicted calls.
Predictions = Mapping[str, Mapping[int, list[Call]]]


class _Call(BaseModel):
    api_name: str
    arguments: JsonValue


class _Turn(BaseModel):
    turn_index: int
    calls: tuple[_Call, ...]


class _Line(Noun):
    model_config = ConfigDict(extra="ignore", frozen=True)
    name: str
    predictions: tuple[_Turn, ...]


def read_predictions(file: Path) -> Predictions:
    """Read a predictions file. A name or a turn that occurs twice is an error: nothing is dropped silently."""
    found: dict[str, dict[int, list[Call]]] = {}
    lines: dict[str, int] = {}
    for number, line, _ in read_lines(file):
        record = parse(line, _Line, file, number)
        if record.name in lines:
            raise BadRecord(file, number, "$.name", f"{record.name!r} stands on line {lines[record.name]} already")
        lines[record.name] = number
        turns: dict[int, list[Call]] = {}
        for position, turn in enumerate(record.predictions):
            if turn.turn_index in turns:
                path = f"$.predictions[{position}].turn_index"
                raise BadRecord(file, number, path, f"turn {turn.turn_index} occurs twice")
            turns[turn.turn_index] = [_call(call.api_name, call.arguments) for call in turn.calls]
        found[record.name] = turns
    if not found:
        raise BadFile(f"{file} holds no predictions: expected one conversation a line")
    return found


def predictions_agent(argument: str) -> AgentSpec:
    """The player `predictions:FILE`."""
    if not argument:
        raise BadSetting("the agent 'predictions' needs a file: predictions:FILE")
    known = read_predictions(Path(argument))
    return AgentSpec(f"predictions:{Path(argument).name}", lambda case: _replay(case, known), reads_gold=True)


def _replay(case: Case, known: Predictions) -> ScriptedAgent:
    if case.gold is None or case.id not in known:
        raise BadSetting(f"the predictions have no line for {case.id!r}")
    indexes, turns = turn_indexes(case.gold), known[case.id]
    there = [index for index in indexes if index is not None]
    if strange := sorted(turns.keys() - there):
        raise BadSetting(f"{case.id!r} has no assistant turn {strange[0]}: it has {there}")
    calls = [turns.get(index, []) if index is not None else [] for index in indexes]
    return ScriptedAgent([[*(AgentTurn(acts=(call,)) for call in row), AgentTurn(text="")] for row in calls])


def _call(api: str, arguments: JsonValue) -> Call:
    if isinstance(arguments, dict):
        return Call(api=api, arguments=arguments)
    return Call(api=api, arguments=None, raw=None if arguments is None else json.dumps(arguments, ensure_ascii=False))
