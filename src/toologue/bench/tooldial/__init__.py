"""ToolDial: dialogue states, actions, faithful replies, whole steps (arXiv 2503.00564, section 4).

A part of the benchmark is a task with what the history shows of the gold's labels (`labels`: the paper's "w GT" is
`gold`, "w/o GT" is `none`):

    task           protocol   asked for                        the history shows: gold             none
    dst            next       the dialogue state               actions, thoughts, states           actions, thoughts
    action         next       the next action                  actions, states                     states
    faithfulness   next       the response                     actions, thoughts, states           nothing
    overall        forced     every step until the user speaks actions, thoughts, states of        nothing of earlier
                              (world `observed`)               earlier rounds; the agent's own in  rounds
                                                               this one

That `none` leaves in the other labels is as published: there, "w/o GT" hides the labels of the task alone.

`load` reads the paper's JSON, whose states are the paper's, or our dialogues (with the apis.jsonl beside them, if there
is one), whose states are ours; tables say which (`formats.tooldial`). An agent is asked only where there is a test; a
model agent `talm:MODEL` gets the rules that the labels follow. Metrics are what `score.states`, `score.actions` and
`score.faithfulness` say; there is no `published` mode.

Example:
    >>> [part.name for part in parts(["dst", "overall"])]
    ['dst, gold', 'dst, none', 'overall, gold', 'overall, none']
    >>> parts(["action"], ["none"])[0].see
    ('state',)

Not covered: prompts that hold words of the turn that is asked about, as the published samples of dst do; what models
answer to them is graded from a file (`predicted`); acts of the overall task, which its metrics do not look at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from pydantic import ConfigDict, JsonValue

from toologue.agents.agent import AgentSpec
from toologue.agents.apart import apart
from toologue.bench.benchmark import Benchmark, Graded, Options, Part, StepProof, Tested, player_of
from toologue.bench.prove import prove_taken
from toologue.bench.tables import html
from toologue.bench.tooldial.tables import tables
from toologue.bench.tooldial.tasks import PASSES, asked_at, grade, labelled, part_of, parts
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.formats.tooldial import ACTIONS, TASKS, Task, read_tooldial, state_of
from toologue.loop import Agent
from toologue.models.ask import model
from toologue.models.model import Model
from toologue.models.similarity import TextMatch
from toologue.mutate.states import RIGHT, WRONG, Mutation
from toologue.schema import AgentAction, AgentTurn, Api, Brief, Case, Dialogue, Noun, Setting, Trace, Turn, answers
from toologue.schema.jsonl import holds, parse, read, read_lines
from toologue.score import faithfulness
from toologue.worlds.world import documents_of


def load(data: Path | None = None) -> list[Dialogue]:
    """The labelled dialogues of a file, with their documents, in the world that their results record."""
    if data is None:
        raise BadSetting("the benchmark 'tooldial' needs --data: the paper's JSON, or dialogues.jsonl with labels")
    if data.is_dir():
        data = data / "dialogues.jsonl"
    ours = holds(data, Dialogue)
    found = [_staged(one, data) for one in read(data, Dialogue)] if ours else list(read_tooldial(data))
    if not found:
        raise BadFile(f"{data} has no dialogues: there is nothing to play")
    return found


class _Tested:
    """An agent that is asked only where there is a test: under `next` the history says which turn it is.

    The documents that it gets list, of optional parameters, those that the conversation is about: nothing else says
    which of them are to be asked for. Those of the paper's data list no others either.
    """

    def __init__(self, agent: Agent, gold: Dialogue, turns: frozenset[int] | None):
        self._agent, self._turns = agent, turns
        states = (turn.state for turn in gold.turns if turn.role == "agent" and turn.state)
        self._about = {(state.api, name) for state in states for name in state.optional}

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        if self._turns is not None and len(history) not in self._turns:
            return AgentTurn()
        return await self._agent.act(history, brief.replace(apis=tuple(map(self._shown, brief.apis))))

    def _shown(self, api: Api) -> Api:
        kept = {name: p for name, p in api.parameters.items() if p.required or (api.name, name) in self._about}
        return api.replace(parameters=kept) if len(kept) < len(api.parameters) else api


def _prepare(part: Part, agent: Tested) -> AgentSpec:
    """The player of a part: asked where there is a test; a `talm` that names no task gets that of the part."""
    task = part.about["task"]
    name, _, rest = agent.partition(":") if isinstance(agent, str) else ("", "", "")
    if name == "talm" and rest.partition(":")[0] not in TASKS:
        agent = f"talm:{task}:{rest}"
    everywhere = player_of(agent)

    def make(case: Case) -> Agent:
        gold = cast("Dialogue", case.gold)
        return _Tested(apart(everywhere.make(case)), gold, None if task == "overall" else asked_at(task, gold))

    return AgentSpec(everywhere.name, make, reads_gold=True)


def _staged(dialogue: Dialogue, file: Path) -> Dialogue:
    """A dialogue of ours, played from its record, with the documents beside it or those of its world."""
    if not any(turn.role == "agent" and (turn.state or turn.action) for turn in dialogue.turns):
        what = f"dialogue {dialogue.id!r} has no labels (action, state)"
        raise BadRecord(file, 0, "$.turns", what, "dialogues of the chains line have them")
    for apis in (file.with_name("apis.jsonl"), Path(str(dialogue.world.arguments.get("apis", "")))):
        if apis.is_file():
            return dialogue.replace(world=Setting(name="observed", arguments={"apis": str(apis)}))
    there = documents_of(dialogue)
    carried: list[Any] = [there[n].model_dump(mode="json", by_alias=True) for n in dialogue.apis if n in there]
    return dialogue.replace(world=Setting(name="observed"), extra={**dialogue.extra, "apis": carried})


def _review(model: Model, part: Part, graded: list[Graded], options: Options) -> list[Graded]:
    """Responses with a model's votes on whether they are faithful; some conversations are asked about at once."""
    if part.about["task"] != "faithfulness":
        return labelled(part, graded, options)
    free = asyncio.Semaphore(options.limits.concurrency)

    async def review(one: Graded) -> Graded:
        if "why" in one.record:
            return one
        async with free:
            found = await faithfulness.votes(one.gold, one.trace, model, seed=options.seed)
        scores = dict(one.scores)
        passed = scores.pop(PASSES)
        scores |= {**faithfulness.voted(found, one.gold, one.trace), PASSES: passed}
        metrics = {name: score.value for name, score in scores.items()}
        told = {"votes": [vote._asdict() for vote in found]} if found else {}
        return replace(one, scores=scores, record={**one.record, "metrics": metrics, **told})

    async def every() -> list[Graded]:
        return await asyncio.gather(*map(review, graded))

    return asyncio.run(every())


def mutants(gold: Dialogue, task: Task, mutation: Mutation) -> dict[int, AgentTurn]:
    """By turn, the steps that a mutation makes of the gold's, where it is tested."""
    places = asked_at("action" if task == "overall" else task, gold)
    made = ((at, mutation(turn)) for at in sorted(places) if isinstance(turn := gold.turns[at], AgentTurn))
    return {at: turn for at, turn in made if turn is not None}


def prove(benchmark: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options) -> Iterator[StepProof]:
    """Every mutation wherever it can be made, wrong ones first."""
    for kind, (mutation, tasks) in {**WRONG, **RIGHT}.items():
        taken = (
            (part_of(task), gold, steps, {_test(gold, task, at) for at in steps})
            for task in tasks
            for gold in golds
            for steps in [mutants(gold, task, mutation)]
        )
        yield prove_taken(benchmark, kind, taken, judge, options, wrong=kind in WRONG)


def _test(gold: Dialogue, task: Task, at: int) -> int:
    """The test that sees a mutation: its own turn; of overall the first step of its round."""
    return at if task != "overall" else next(n + 1 for n in range(at - 1, -1, -1) if gold.turns[n].role == "user")


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
    """The traces by dialogue, of answers to the one task that is asked for, made elsewhere: a JSON line a dialogue.

        {"name": <dialogue id>, "predictions": [{"turn": 3, "state": {...}, "action": "call", "text": "..."}]}

    `turn` is the index among all turns of the dialogue; a state is an object or what a model wrote; keys that the task
    does not ask for are ignored. For overall: {"round": 1, "steps": [{"state": ..., "action": ..., "text": ...}, ...]},
    the number of the user's turn, from 1. A test without a prediction is wrong; a dialogue without a line is unscored.
    """
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


def _with(benchmark: Benchmark, chosen: Sequence[Part]) -> Benchmark:
    return replace(benchmark, parts=tuple(part for part in benchmark.parts if part in chosen))


TOOLDIAL = Benchmark(
    "tooldial",
    tuple(parts()),
    load,
    lambda part, mode, gold, trace, judge: grade(part, gold, trace),
    passes=PASSES,
    alike=False,
    modes=("fixed",),
    tables=tables,
    sections=lambda results: [("Tasks and tables", html(tables(results)))],
    review=labelled,
    choices={
        "task": lambda benchmark, tasks: _with(benchmark, parts(tasks)),
        "labels": lambda benchmark, labels: _with(benchmark, parts((), labels)),
        "judge": lambda benchmark, judge: replace(benchmark, review=partial(_review, model(judge, "judge"))),
    },
    prepare=_prepare,
    predictions=predicted,
    proofs=prove,
)
