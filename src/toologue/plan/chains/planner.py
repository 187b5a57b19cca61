"""Plans by the thousand: jobs become plans, in order, in as many processes as there are.

A plan has turns with actions, acts, states and thoughts, and the cue of each; words, and what the retriever finds for
them, are the writer's. Nothing is held but what is under way.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from toologue import keys
from toologue.data import shipped
from toologue.models.embed import calibrated
from toologue.parallel import chunks, ordered
from toologue.plan.chains.agreeing import ExecutedCall
from toologue.plan.chains.catalog import Catalog, Reason
from toologue.plan.chains.execute import Execution, PairExecutor, Rejected
from toologue.plan.chains.pairs import Job, Pair, jobs
from toologue.plan.chains.sequences import (
    ACTIONS,
    NOTHING,
    SEQUENCES,
    TABLE,
    ActionSequence,
    Hand,
    Mind,
    Row,
    Step,
    action_of,
    situations,
)
from toologue.plan.chains.uses import NO_USES, Uses, read_uses
from toologue.schema import (
    AgentAction,
    AgentTurn,
    Api,
    Call,
    Cue,
    Dialogue,
    Plan,
    Result,
    Retrieve,
    Setting,
    State,
    UserAction,
    UserTurn,
)
from toologue.schema.jsonl import line_of
from toologue.text.tokens import sentences, split_name
from toologue.worlds.documented import Documented
from toologue.worlds.documented.arguments import settled

TRIES = 3
OFFERED = 10  # so many APIs the agent is offered, where there are so many; half of the others of the target's domain
_HOPELESS: tuple[Reason, ...] = ("asks twice", "cannot be said", "no value to hand over")  # other values mend nothing
_JOBS_AT_ONCE, _LONGEST_WISH = 32, 160


# Blank nouns: what is put into them was validated before, and planning is a tight loop.
_USER, _AGENT, _CUE = UserTurn(), AgentTurn(), Cue(move="inform")
_UNKNOWN, _SEARCH, _CALL, _RESULT = State(), Retrieve(), Call(api=""), Result()


@dataclass
class Tally:
    """What became of jobs: how often each sequence and each pair came about, and why others did not."""

    sequences: Counter[str] = field(default_factory=Counter[str])
    pairs: Counter[tuple[str | None, str]] = field(default_factory=Counter[tuple[str | None, str]])
    categories: Counter[str] = field(default_factory=Counter[str])
    dropped: Counter[Reason] = field(default_factory=Counter[Reason])

    def add(self, job: Job) -> None:
        """Count one that came about."""
        self.sequences[job.sequence] += 1
        self.pairs[job.pair.source, job.pair.target] += 1
        self.categories[f"{job.pair.category} {job.pair.fit}"] += 1


class Planner:
    """Makes plans of jobs, from the documents of a file. What it keeps is a cache.

    `bands` are those of the retriever that the words will be tried on; the calibrated ones of `lexical` by default.
    `catalog` and `world` spare it to open the file, and to work out once more what the documents answer.
    """

    def __init__(
        self,
        file: Path,
        *,
        seed: int,
        bands: Mapping[str, float] | None = None,
        catalog: Catalog | None = None,
        world: Documented | None = None,
        uses: Uses = NO_USES,
    ):
        self.file, self.seed, self.catalog = file, seed, catalog or Catalog(file)
        known = calibrated("lexical") if bands is None else bands
        self._facts: dict[str, JsonValue] = {"retriever": {name: known[name] for name in ("confirm", "suggest")}}
        self._executor = PairExecutor(self.catalog, seed=seed, world=world, uses=uses)
        self._setting: dict[str, JsonValue] = {"apis": str(file), "seed": seed}
        self._setting |= {"uses": str(uses.file)} if uses.file else {}
        self._names = list(self.catalog)
        self._by_domain: dict[str, list[str]] = {}
        for name in self._names:
            self._by_domain.setdefault(name.partition("|")[0], []).append(name)

    def plan(self, job: Job) -> Plan:
        """The plan of a job. Raises Rejected."""
        execution, sequence, pair = self._execution(job), SEQUENCES[job.sequence], job.pair
        script = _Script(job, sequence, execution, random.Random(keys.seed_of(self.seed, "emit", job.number)))
        for step, situation in zip(sequence.steps, situations(sequence), strict=True):
            script.add(step, situation)
        fail = "rest" if script.groups["rest"] and not sequence.keeps_back else "nothing"  # how the user fails (A.5)
        origin: dict[str, JsonValue] = {"line": "chains"}
        if pair.source is not None:
            origin |= {"source": pair.source, "output": pair.output}
        origin |= {
            "target": pair.target, "parameter": pair.parameter, "sequence": job.sequence, "category": pair.category,
            "fit": pair.fit, "fail": fail if sequence.fails else None, "seed": self.seed,
        }  # fmt: skip
        if pair.along:
            origin["along"] = dict(pair.along)
        dialogue = Dialogue(
            id=f"chain-{job.number:06d}",
            facts=self._facts,
            apis=self._offered(job),
            world=Setting(name="documented", arguments=self._setting),
            turns=tuple(script.turns),
            origin=origin,
        )
        return Plan(dialogue=dialogue, cues=tuple(script.cues))

    def _execution(self, job: Job) -> Execution:
        for attempt in range(TRIES - 1):
            try:
                return self._executor.run(job.pair, keys.seed_of(self.seed, "job", job.number, attempt))
            except Rejected as rejected:
                if rejected.reason in _HOPELESS:
                    raise
        return self._executor.run(job.pair, keys.seed_of(self.seed, "job", job.number, TRIES))

    def _offered(self, job: Job) -> tuple[str, ...]:
        rng = random.Random(keys.seed_of(self.seed, "offer", job.number))
        pair = job.pair
        chosen = {pair.target} if pair.source is None else {pair.target, pair.source}
        near = self._by_domain[pair.target.partition("|")[0]]
        for names, until in ((near, OFFERED // 2 + 1), (self._names, OFFERED)):
            for name in rng.sample(names, min(OFFERED, len(names))):
                if len(chosen) < until:
                    chosen.add(name)
        return tuple(sorted(chosen))


def plan_lines(
    file: Path, pairs: Iterable[Pair], tally: Tally, *, count: int, most: float = 0.02, seed: int = 0,
    workers: int = 1, published_code: bool = False, uses: Path | None = None,
) -> Iterator[bytes]:  # fmt: skip
    """The lines of `count` plans, byte-equal at any number of workers; what does not come about is tallied.

    Fewer where no pair may be used more than `most` of them and there are too few.
    """
    wanted = jobs(pairs, cap=max(1, int(most * count)), seed=seed, published_code=published_code)
    made = ordered(partial(_plan_jobs, file, seed, uses), chunks(wanted, _JOBS_AT_ONCE), workers=workers)
    left = count
    for job, line, reason in chain.from_iterable(made):
        if reason is not None:
            tally.dropped[reason] += 1
            continue
        tally.add(job)
        yield line
        left -= 1
        if not left:
            return


@cache
def thoughts() -> Mapping[str, tuple[str, ...]]:
    """What the agent may think before a turn, by situation; only APIs and parameters are named, as documents do."""
    told = shipped(Path(__file__).with_name("thoughts.yaml"))
    return {situation: tuple(phrasings) for situation, phrasings in told.items()}


def _plan_jobs(file: Path, seed: int, uses: Path | None, wanted: list[Job]) -> list[tuple[Job, bytes, Reason | None]]:
    planner = _planner(file, seed, uses)
    done: list[tuple[Job, bytes, Reason | None]] = []
    for job in wanted:
        try:
            done.append((job, line_of(planner.plan(job)), None))
        except Rejected as rejected:
            done.append((job, b"", rejected.reason))
    return done


@lru_cache(maxsize=2)
def _planner(file: Path, seed: int, uses: Path | None) -> Planner:
    catalog = Catalog(file)
    said = read_uses(uses, catalog.apis()) if uses else NO_USES
    return Planner(file, seed=seed, catalog=catalog, uses=said)


def _wish(api: Api) -> str:
    """What an API is for, in the words of its document: the first sentence of the description, else its name."""
    first = "".join(sentences(" ".join(api.description.split()))[:1])
    if len(first) > _LONGEST_WISH:
        first = f"{first[:_LONGEST_WISH].rpartition(' ')[0] or first[:_LONGEST_WISH]}…"
    return first or split_name(api.name.rpartition("|")[2])


class _Script:
    """Turns and cues of a plan as they come, and what the user has told so far.

    States say what is known when the agent acts: the API in hand and its slots, "" for what is not known yet. What a
    request asks for stands in its turn's `extra["requested"]`; where the user chooses among results, there are also
    `by` (the output) and `among` (its values).
    """

    def __init__(self, job: Job, sequence: ActionSequence, execution: Execution, rng: random.Random):
        self.turns: list[UserTurn | AgentTurn] = []
        self.cues: list[Cue] = []
        self._pair, self._sequence, self._execution, self._rng = job.pair, sequence, execution, rng
        self._calls: dict[Hand, ExecutedCall] = {"target": execution.target}
        if execution.source is not None:
            self._calls["source"] = execution.source
        self._told: dict[Hand, dict[str, JsonValue]] = {"target": {}, "source": {}}
        self._told |= {hand: {**settled(call.view.api)} for hand, call in self._calls.items()}
        asked = sequence.course.startswith("request")
        self._mind: Mind = "id" if job.pair.mind == "name" and asked else job.pair.mind
        self._wish = _wish(execution.target.view.api)
        self._chained = {name: execution.target.arguments[name] for name in job.pair.handed}
        self.groups = self._value_groups()
        self._names = job.pair._asdict() | {"by": execution.choice.output if execution.choice else ""}

    def add(self, step: Step, situation: str) -> None:
        action, row = action_of(step), TABLE.get(situation, NOTHING)
        if ACTIONS[action].who == "user":
            self._user(cast("UserAction", action), situation, row)
        else:
            self._agent(cast("AgentAction", action), situation, row)
        if situation == "tell choice" or (situation == "call source" and self._execution.choice is None):
            self._told["target"] |= self._chained

    def _value_groups(self) -> dict[str, dict[str, JsonValue]]:
        target, source, choice, _, volunteered = self._execution
        given = target.arguments
        rest = {name: value for name, value in given.items() if name not in self._chained}
        first = [self._rng.choice(volunteered) if self._sequence.adds and volunteered else self._pair.parameter]
        if self._pair.volunteered != "one" and not self._sequence.course.startswith("request"):
            first = [*given]
        return {
            "target": {name: one for name, one in given.items() if name not in first or not self._sequence.adds},
            "add": {name: given[name] for name in first},
            "rest": rest,
            "kept": {} if self._sequence.keeps_back else rest,
            "source": dict(source.arguments) if source is not None else {},
            "choice": {choice.output: choice.chosen} if choice is not None else {},
        }

    def _user(self, action: UserAction, situation: str, row: Row) -> None:
        given = self.groups[row.group] if row.group else {}
        if situation != "tell choice":
            self._told["source" if row.group == "source" else "target"] |= given
        if action == "fail_inform" and self._mind == "name":
            self._told["source"] |= self.groups["source"]
            given = {**self.groups["source"], **given}
        before: dict[str, JsonValue] = {}
        if action == "inform_intent_vague":  # how sure a retriever shall be of the wish
            before["band"] = "suggest" if "suggest" in self._sequence.steps else "clarify"
        elif action.startswith("inform_intent"):
            before["band"] = "confirm"
        elif action == "fail_inform":
            before |= {"missing": self._pair.parameter, **({} if self._mind == "id" else {"mind": self._mind})}
        text = "" if action in ("inform", "user_bye") else self._wish
        self.turns.append(_USER.replace(action=action, informed=given))
        self.cues.append(_CUE.replace(move=action, text=text, values=given, before=before))

    def _agent(self, action: AgentAction, situation: str, row: Row) -> None:
        asked, choice = self._asked(row), self._execution.choice
        state = _UNKNOWN if row.hand is None else self._state(row.hand)
        thought = self._rng.choice(thoughts()[situation]).format_map({**self._names, "asked": ", ".join(asked)})
        turn = _AGENT.replace(action=action, state=state, thought=thought)
        text, values = "", dict[str, JsonValue]()
        if action in ("call", "retriever_call"):
            act, result = self._act(situation)
            turn = turn.replace(acts=(act,), results=(result,))
        elif action == "request":
            text, values = ", ".join(map(split_name, asked)), dict.fromkeys(asked, "")
            extra: dict[str, JsonValue] = {"requested": list[JsonValue](asked)}
            if row.group == "choice" and choice is not None:
                values = {choice.output: choice.values}
                extra |= {"by": choice.output, "among": choice.values}
            turn = turn.replace(text="", extra=extra)
        else:
            text = self._wish if action in ("suggest", "response", "response_fail") else ""
            values = dict(self._execution.answer) if action == "response" else {}
            turn = turn.replace(text="")
        self.turns.append(turn)
        self.cues.append(_CUE.replace(move=action, text=text, values=values))

    def _asked(self, row: Row) -> list[str]:
        if row.hand is None or not row.group:
            return []
        if row.group == "choice":
            return [self._pair.parameter]
        asked = [name for name in self._calls[row.hand].arguments if name not in self._told[row.hand]]
        if not (self._sequence.keeps_back and row.group == "target"):
            return asked
        if self._mind == "name":  # which thing it is comes first
            return [name for name in asked if name in self._chained]
        inputs = self._calls[row.hand].view.inputs  # what may be left out is asked for once, later
        return [name for name in asked if name in self._chained or inputs[name].required]

    def _state(self, hand: Hand) -> State:
        api, told = self._calls[hand].view.api, self._told[hand]
        needed = {name: told.get(name, "") for name in api.required}
        others = {name: told.get(name, "") for name in self._calls[hand].arguments if name not in needed}
        return _UNKNOWN.replace(api=api.name, required=needed, optional=others)

    def _act(self, situation: str) -> tuple[Call | Retrieve, Result]:
        pair = self._pair
        if situation == "find target":
            return _SEARCH, _RESULT.replace(value={"retrieved": {}})
        if situation == "find source":
            edge = {"source": pair.source, "output": pair.output, "target": pair.target, "parameter": pair.parameter}
            edge |= {"along": dict(pair.along)} if pair.along else {}
            return _SEARCH.replace(missing=(pair.target, pair.parameter)), _RESULT.replace(value=edge)
        call = self._calls["source" if situation == "call source" else "target"]
        arguments = {**settled(call.view.api), **call.arguments}
        return _CALL.replace(api=call.view.api.name, arguments=arguments), call.result
