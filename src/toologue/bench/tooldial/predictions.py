"""Predictions: what was answered elsewhere, graded without asking anybody.

A file of JSON lines holds the answers of one task:

    {"name": <dialogue id>, "predictions": [{"turn": 3, "state": {...}, "action": "call", "text": "..."}]}

`turn` is the index among all turns of the dialogue; a state is an object or what a model wrote; keys that the task does
not ask for are ignored. For overall: {"round": 1, "steps": [{"state": ..., "action": ..., "text": ...}, ...]}, the
number of the user's turn, from 1.

A test without a prediction is wrong; a dialogue without a line is unscored.

Not covered: acts of the overall task, which its metrics do not look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import ConfigDict, JsonValue

from toologue.bench.benchmark import Benchmark, Options, Part
from toologue.bench.tooldial.tasks import asked_at
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.formats.tooldial import ACTIONS, state_of
from toologue.schema import AgentAction, AgentTurn, Dialogue, Noun, Trace, Turn, answers
from toologue.schema.jsonl import parse, read_lines


class _Step(Noun):
    model_config = ConfigDict(extra="ignore", frozen=True)
    state: JsonValue = None
    action: str | None = None
    text: str | None = None


class _Prediction(_Step):
    turn: int | None = None
    round: int | None = None
    steps: tuple[_Step, ...] = ()


class _Line(Noun):
    model_config = ConfigDict(extra="ignore", frozen=True)
    name: str
    predictions: tuple[_Prediction, ...]


def predicted(
    benchmark: Benchmark, part: Part, golds: Sequence[Dialogue], file: Path, options: Options
) -> Mapping[str, Trace]:
    """The traces by dialogue, of answers to the one task that is asked for."""
    if len({one.about["task"] for one in benchmark.parts}) > 1:
        raise BadSetting("predictions are for one task: name it, as in --task dst")
    by_id = {gold.id: gold for gold in golds}
    traces, strange = dict[str, Trace](), list[str]()
    for number, line, _ in read_lines(file):
        record = parse(line, _Line, file, number)
        if record.name in traces:
            raise BadRecord(file, number, "$.name", f"{record.name!r} has a line already")
        if record.name not in by_id:
            strange.append(record.name)
            continue
        steps = _steps(record, part, by_id[record.name], file, number)
        traces[record.name] = _trace(file, part, by_id[record.name], steps)
    if not traces:
        raise BadFile(f"{file} holds no prediction for any of {len(golds)} dialogues: names are the dialogues' ids")
    if strange:
        raise BadSetting(f"{file} has predictions for {strange[0]!r}, which is no dialogue here")
    return traces


def _steps(
    record: _Line, part: Part, gold: Dialogue, file: Path, number: int
) -> Mapping[int, AgentTurn | Sequence[AgentTurn]]:
    found: dict[int, AgentTurn | Sequence[AgentTurn]] = {}
    task = part.about["task"]
    known = {number for number, _, _ in answers(gold.turns)} if task == "overall" else asked_at(task, gold)
    for position, one in enumerate(record.predictions):
        kind, at = ("round", one.round) if task == "overall" else ("turn", one.turn)
        path = f"$.predictions[{position}].{kind}"
        if at is None:
            raise BadRecord(file, number, path, "this key is missing", f"the task {task!r} goes by {kind}")
        if at in found:
            raise BadRecord(file, number, path, f"{kind} {at} occurs twice")
        if at in known:
            found[at] = [_turn(step) for step in one.steps] if task == "overall" else _turn(one)
        elif not 0 <= at < len(gold.turns):
            raise BadRecord(file, number, path, f"{gold.id!r} has no {kind} {at}")
    return found


def _turn(step: _Step) -> AgentTurn:
    """A step as an agent's turn; what it says of labels is kept as it is."""
    try:
        state = None if step.state is None else state_of(step.state)
    except ValueError:
        state = None
    action: AgentAction | None = next((action for action in ACTIONS if action == step.action), None)
    answer: dict[str, JsonValue] = step.model_dump(include={"state", "action"}, exclude_none=True)
    return AgentTurn(text=step.text, action=action, state=state, extra={"answer": answer} if answer else {})


def _trace(file: Path, part: Part, gold: Dialogue, steps: Mapping[int, AgentTurn | Sequence[AgentTurn]]) -> Trace:
    turns, end = list[Turn](), 0
    for number, start, did in answers(gold.turns):
        turns += gold.turns[end:start]
        end = start + len(did)
        if part.about["task"] == "overall":
            turns += cast("Sequence[AgentTurn]", steps.get(number, ())) or (AgentTurn(),) * bool(did)
        else:
            turns += [cast("AgentTurn", steps.get(at, AgentTurn())) for at in range(start, end)]
    name = f"predictions:{file.name}"
    return Trace(case=gold.id, dialogue=gold.id, protocol=part.protocol, agent=name, turns=tuple(turns))
