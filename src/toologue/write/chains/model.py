"""A writer for chains with a language model: the scenario instruction of ToolDial (A.7) in our words, checked.

What users open with comes from `queries`, which tried it on the retriever (the paper's pre-constructed query), and is
said word for word. Everything else is the model's; its faults:

    no list         the reply holds no JSON array             wrong count       there are more or fewer texts than steps
    no text         an entry is empty, or no text             value missing     a value is not in the words
    not word for word  an opening was changed                 API named         the name of an API is in the words
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import JsonValue

from toologue.errors import shown
from toologue.models.ask import render_prompt
from toologue.models.embed import Embedder
from toologue.models.model import Model
from toologue.plan.chains.sequences import ACTIONS
from toologue.schema import AgentTurn, Api, Call, Cue, Dialogue, Plan, UserTurn
from toologue.write.chains.names import output, parameters, value_text
from toologue.write.chains.realize import ChainWriter
from toologue.write.chains.words import joined
from toologue.write.model import FaultName, ModelWriter, WordFault, word_faults

_OPENS = ("inform_intent_clear", "inform_intent_clear_add", "inform_intent_vague")
_SILENT = ("call", "retriever_call")
_MOST = 600


class ChainModelWriter:
    """Finds words for plans of the chains line by a language model."""

    def __init__(
        self,
        model: Model,
        apis: Sequence[Api],
        embedder: Embedder,
        *,
        tries: int = 3,
        seed: int = 0,
        bands: Mapping[str, float] | None = None,
        plain: ChainWriter | None = None,
    ):
        self._writer = ModelWriter(model, tries=tries, seed=seed)
        self._plain = plain or ChainWriter(apis, embedder, seed=seed, bands=bands)
        self._apis = {api.name: api for api in apis}

    async def write(self, plan: Plan) -> Dialogue:
        """The dialogue with its words. Raises ModelFault, and what `ChainWriter` raises."""
        plain = self._plain.words(plan)
        spoken = [at for at, cue in enumerate(plan.cues) if cue.move not in _SILENT]
        return await self._writer.ask(scenario(plan, plain, self._apis), plain, spoken, partial(faults, plan, plain))


def scenario(plan: Plan, plain: Dialogue, apis: Mapping[str, Api]) -> str:
    """What a model is asked: the plan as a scenario. `plain` has the words of the openings, and the styles."""
    lines: list[str] = []
    number = 0
    for cue, turn in zip(plan.cues, plain.turns, strict=True):
        if cue.move in _SILENT and turn.role == "agent":
            lines.append(f"   [{_happens(turn)}]")
        else:
            number += 1
            lines.append(f"{number}. {_step(cue, turn, plan, apis)}")
    style = plain.origin.get("style")
    styles: Mapping[str, JsonValue] = style if isinstance(style, dict) else {}
    slots = {"plan": "\n".join(lines), "count": number, "user": styles.get("user"), "agent": styles.get("agent")}
    return render_prompt(__file__, "model.txt", **slots)


def faults(plan: Plan, plain: Dialogue, texts: Sequence[Any] | None) -> list[WordFault]:
    """Everything that is wrong with the words for a plan."""
    steps = [(cue, turn) for cue, turn in zip(plan.cues, plain.turns, strict=True) if cue.move not in _SILENT]
    return word_faults(steps, texts, partial(_wrong, _pair(plan) - {"None"}))


def _wrong(names: set[str], step: tuple[Cue, UserTurn | AgentTurn], text: str) -> Iterator[tuple[FaultName, str]]:
    cue, turn = step
    if cue.move in _OPENS and text.strip() != turn.text:
        yield "not word for word", f"it should be {shown(turn.text, 200)}"
    for value in _values(cue):
        if value_text(value) not in text and str(value) not in text:
            yield "value missing", f"«{value_text(value)}» is not in {shown(text, 200)}"
    if found := [name for name in sorted(names) if name in text]:
        yield "API named", shown(found[0])


def _values(cue: Cue) -> Iterator[JsonValue]:
    for value in cue.values.values():
        for one in value if isinstance(value, list) else [value]:
            if one not in ("", None) and not isinstance(one, bool):
                yield one


def _happens(turn: AgentTurn) -> str:
    act = turn.acts[0] if turn.acts else None
    result = turn.results[0].value if turn.results and turn.results[0] is not None else None
    brought = json.dumps(result, ensure_ascii=False)
    brought = brought if len(brought) <= _MOST else f"{brought[:_MOST]}…"
    if isinstance(act, Call):
        return f"the agent calls an API with {json.dumps(act.arguments, ensure_ascii=False)} and gets {brought}"
    return f"the agent looks for an API, and finds {brought}"


def _step(cue: Cue, turn: UserTurn | AgentTurn, plan: Plan, apis: Mapping[str, Api]) -> str:
    meaning = next((one.meaning for name, one in ACTIONS.items() if name == cue.move), cue.move)
    worded = plan.dialogue.world.arguments.get("uses") and cue.move not in _OPENS
    known = [f'as in "{turn.text}"'] if worded or cue.move == "suggest" else []
    return "; ".join([f"{turn.role.capitalize()} {meaning}", *_demands(cue, turn, plan, apis), *known])


def _demands(cue: Cue, turn: UserTurn | AgentTurn, plan: Plan, apis: Mapping[str, Api]) -> Iterator[str]:
    names = {name: one.the for api in apis.values() if api.name in _pair(plan) for name, one in parameters(api).items()}
    if cue.move in _OPENS:
        yield f"word for word: «{turn.text}»"
        return
    if cue.move == "fail_inform":
        missing = str(cue.before.get("missing"))
        yield f"does not know {names.get(missing, missing)}"
    for name, value in cue.values.items():
        label = names.get(name) or output(name).the
        if value == "":
            yield f"asks for {label}"
        elif isinstance(value, list):
            yield f"asks which one is meant by {label}: {joined([f'«{value_text(one)}»' for one in value], 'or')}"
        else:
            yield f"{label} is «{value_text(value)}»"


def _pair(plan: Plan) -> set[str]:
    return {str(plan.dialogue.origin.get(side)) for side in ("source", "target")}
