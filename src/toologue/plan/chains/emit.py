"""From a sequence and what happens to a plan: turns with actions, acts, states and thoughts, and the cue of each.

What a request asks for stands in its turn's `extra["requested"]`; where the user chooses among results, there are also
`by` (the output) and `among` (its values).

States say what is known when the agent acts: the API in hand and its slots, "" for what is not known yet; what the user
told once is never forgotten. `states.as_published` has the published rule.

Example:
    >>> from toologue.plan.chains.pairs import Pair
    >>> from toologue.plan.chains.catalog import Book
    >>> from toologue.schema import Api, Parameter
    >>> book = Book(Api(name="Weather", parameters={"city": Parameter()}), {}, {})
    >>> made = Made(book, {"city": "Oslo"}, Result(value={"sky": "clear"}))
    >>> job = Job(0, "12.6", Pair(None, None, "Weather", "city", "zerozero", "knowable"))
    >>> plan = emit(job, Happened(made, None, None, {"sky": "clear"}), Offer(Path("apis.jsonl"), 0, ["Weather"], 0))
    >>> [cue.move for cue in plan.cues][:4], plan.dialogue.turns[2].state.required
    (['inform_intent_clear_add', 'retriever_call', 'call', 'response'], {'city': 'Oslo'})

Not covered: words, and what the retriever finds for them: both are the writer's.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import JsonValue

from toologue import keys
from toologue.plan.chains.actions import ACTIONS, Step, action_of
from toologue.plan.chains.choose import Job
from toologue.plan.chains.execute import Happened, Made
from toologue.plan.chains.sequences import SEQUENCES, ActionSequence
from toologue.plan.chains.situations import NOTHING, TABLE, Hand, Row, situations
from toologue.plan.chains.thoughts import think
from toologue.schema import (
    AgentAction,
    AgentTurn,
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
from toologue.text.tokens import split_name
from toologue.worlds.documented.default_arguments import settled

_SHORT = 160
_USER, _AGENT, _CUE = UserTurn(), AgentTurn(), Cue(move="inform")
_UNKNOWN, _SEARCH, _CALL, _ANSWER = State(), Retrieve(), Call(api=""), Result()
"""Blank nouns: what is put into them was validated before, and planning is a tight loop."""


class Offer(NamedTuple):
    """What surrounds a plan: the file and the seed of its world, the names the agent is offered, the seed of plans.

    `bands`: what the agent is told of its retriever, from which score on an API is settled or worth suggesting.
    """

    file: Path
    world: int
    apis: Sequence[str]
    seed: int
    bands: Mapping[str, float] = {}


def emit(job: Job, happened: Happened, offer: Offer) -> Plan:
    """The plan of a job."""
    sequence = SEQUENCES[job.sequence]
    script = _Script(job, sequence, happened, random.Random(keys.seed_of(offer.seed, "emit", job.number)))
    for step, situation in zip(sequence.steps, situations(sequence), strict=True):
        script.add(step, situation)
    pair = job.pair
    origin: dict[str, JsonValue] = {"line": "chains"}
    if pair.source is not None:
        origin |= {"source": pair.source, "output": pair.output}
    origin |= {
        "target": pair.target, "parameter": pair.parameter, "sequence": job.sequence, "category": pair.category,
        "fit": pair.fit, "fail": _fail(sequence, script.groups["rest"]), "seed": offer.seed,
    }  # fmt: skip
    if pair.along:
        origin["along"] = dict(pair.along)
    world = Setting(name="documented", arguments={"apis": str(offer.file), "seed": offer.world})
    name = f"chain-{job.number:06d}"
    facts: dict[str, JsonValue] = {"retriever": dict(offer.bands)} if offer.bands else {}
    turns = tuple(script.turns)
    dialogue = Dialogue(id=name, facts=facts, apis=tuple(offer.apis), world=world, turns=turns, origin=origin)
    return Plan(dialogue=dialogue, cues=tuple(script.cues))


def wish(made: Made) -> str:
    """What an API is for, in the words of its document: the first sentence of the description, else its name."""
    text = " ".join(made.book.api.description.split())
    first = re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]
    if len(first) > _SHORT:
        first = f"{first[:_SHORT].rpartition(' ')[0] or first[:_SHORT]}…"
    return first or split_name(made.book.api.name.rpartition("|")[2])


def _fail(sequence: ActionSequence, rest: Mapping[str, JsonValue]) -> str | None:
    """How the user fails (A.5): with the rest of the values, or with nothing."""
    if not sequence.fails:
        return None
    return "rest" if rest and not sequence.keeps_back else "nothing"


class _Script:
    """Turns and cues as they come, and what the user has told so far."""

    def __init__(self, job: Job, sequence: ActionSequence, happened: Happened, rng: random.Random):
        self.turns: list[UserTurn | AgentTurn] = []
        self.cues: list[Cue] = []
        self._pair, self._sequence, self._happened, self._rng = job.pair, sequence, happened, rng
        self._made: dict[Hand, Made] = {"target": happened.target}
        if happened.source is not None:
            self._made["source"] = happened.source
        self._told: dict[Hand, dict[str, JsonValue]] = {"target": {}, "source": {}}
        self._told |= {hand: {**settled(made.book.api)} for hand, made in self._made.items()}
        self._wish = wish(happened.target)
        self.groups = _groups(job, sequence, happened)
        self._names = {
            "target": job.pair.target, "source": job.pair.source or "", "parameter": job.pair.parameter,
            "output": job.pair.output or "", "by": happened.choice.output if happened.choice else "",
        }  # fmt: skip

    def add(self, step: Step, situation: str) -> None:
        """The turn of a step."""
        action, row = action_of(step), TABLE.get(situation, NOTHING)
        if ACTIONS[action].who == "user":
            self._user(cast("UserAction", action), situation, row)
        else:
            self._agent(cast("AgentAction", action), situation, row)
        chained = {name: self._happened.target.arguments[name] for name in self._pair.handed}
        if situation == "tell choice" or (situation == "call source" and self._happened.choice is None):
            self._told["target"] |= chained

    def _user(self, action: UserAction, situation: str, row: Row) -> None:
        given = self.groups[row.group] if row.group else {}
        if situation != "tell choice":
            self._told["source" if row.group == "source" else "target"] |= given
        before: dict[str, JsonValue] = {}
        if action.startswith("inform_intent"):
            before["band"] = _band(self._sequence, action)
        elif action == "fail_inform":
            before["missing"] = self._pair.parameter
        text = "" if action in ("inform", "user_bye") else self._wish
        self.turns.append(_USER.but(action=action, informed=given))
        self.cues.append(_CUE.but(move=action, text=text, values=given, before=before))

    def _agent(self, action: AgentAction, situation: str, row: Row) -> None:
        asked = self._asked(row)
        thought = think(situation, {**self._names, "asked": ", ".join(asked)}, self._rng)
        state = _UNKNOWN if row.hand is None else self._state(row.hand)
        if situation in ("find target", "find source", "call source", "call target"):
            act, result = self._done(situation)
            turn = _AGENT.but(acts=(act,), results=(result,), action=action, state=state, thought=thought)
        else:
            extra = self._requested(row, asked) if action == "request" else {}
            turn = _AGENT.but(text="", action=action, state=state, thought=thought, extra=extra)
        self.turns.append(turn)
        text, values = self._about(action, asked), self._carried(action, row, asked)
        self.cues.append(_CUE.but(move=action, text=text, values=values))

    def _asked(self, row: Row) -> list[str]:
        """The parameters that a request is for."""
        if row.hand is None or not row.group:
            return []
        if row.group == "choice":
            return [self._pair.parameter]
        asked = [name for name in self._made[row.hand].arguments if name not in self._told[row.hand]]
        if not (self._sequence.keeps_back and row.group == "target"):
            return asked
        inputs = self._made[row.hand].book.inputs  # what may be left out is asked for once, later
        return [name for name in asked if name in self._pair.handed or inputs[name].required]

    def _state(self, hand: Hand) -> State:
        api, told = self._made[hand].book.api, self._told[hand]
        needed = {name: told.get(name, "") for name in api.required}
        others = {name: told.get(name, "") for name in self._made[hand].arguments if name not in needed}
        return _UNKNOWN.but(api=api.name, required=needed, optional=others)

    def _done(self, situation: str) -> tuple[Call | Retrieve, Result]:
        pair = self._pair
        if situation == "find target":
            return _SEARCH, _ANSWER.but(value={"retrieved": {}})
        if situation == "find source":
            found = {"source": pair.source, "output": pair.output, "target": pair.target, "parameter": pair.parameter}
            return _SEARCH.but(missing=(pair.target, pair.parameter)), _ANSWER.but(value=found)
        made = self._made["source" if situation == "call source" else "target"]
        arguments = {**settled(made.book.api), **made.arguments}
        return _CALL.but(api=made.book.api.name, arguments=arguments), made.result

    def _requested(self, row: Row, asked: list[str]) -> dict[str, JsonValue]:
        extra: dict[str, JsonValue] = {"requested": list[JsonValue](asked)}
        choice = self._happened.choice
        if row.group == "choice" and choice is not None:
            extra |= {"by": choice.output, "among": choice.values}
        return extra

    def _about(self, action: str, asked: list[str]) -> str:
        if action == "request":
            return ", ".join(split_name(name) for name in asked)
        return self._wish if action in ("suggest", "response", "response_fail") else ""

    def _carried(self, action: str, row: Row, asked: list[str]) -> dict[str, JsonValue]:
        choice = self._happened.choice
        if row.group == "choice" and choice is not None:
            return {choice.output: choice.values}
        if action == "request":
            return dict.fromkeys(asked, "")
        return dict(self._happened.answer) if action == "response" else {}


def _groups(job: Job, sequence: ActionSequence, happened: Happened) -> dict[str, dict[str, JsonValue]]:
    """The values that users tell together."""
    given, parameter, choice = happened.target.arguments, job.pair.parameter, happened.choice
    rest = {name: value for name, value in given.items() if name not in job.pair.handed}
    return {
        "target": rest if sequence.adds else dict(given),
        "add": {parameter: given[parameter]},
        "rest": rest,
        "kept": {} if sequence.keeps_back else rest,
        "source": dict(happened.source.arguments) if happened.source is not None else {},
        "choice": {choice.output: choice.chosen} if choice is not None else {},
    }


def _band(sequence: ActionSequence, action: str) -> str:
    """How sure a retriever shall be of a wish."""
    if action != "inform_intent_vague":
        return "confirm"
    return "suggest" if "suggest" in sequence.steps else "clarify"
