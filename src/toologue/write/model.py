"""A writer with a language model: it words a whole plan at once, and is told what its words lack (ALMITA A.6).

Each fault has a name, and is fed back until there is none or `tries` are used up; then it is a ModelFault
(`bad_response`) that names the faults. `check` finds what only the whole dialogue shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import JsonValue

from toologue import keys
from toologue.errors import shown
from toologue.formats.literals import json_values
from toologue.models.ask import ask_until_valid, bullets, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.plan.procedures.by_model import generics
from toologue.schema import Cue, Dialogue, Plan
from toologue.text.bank import REGISTERS
from toologue.text.claims import says
from toologue.text.verbalize import fill_values, verbalize
from toologue.values.compare import clock_of
from toologue.verify import Flaw

_SHOWN = re.compile(r"\{([^{}]*)\}")
_MOST = 1_000_000
_OUTPUT = {
    "type": "object",
    "properties": {"messages": {"type": "array", "items": {"type": "string"}}},
    "required": ["messages"],
    "additionalProperties": False,
}
_AS = {
    "terse": "short of words", "chatty": "talkative", "annoyed": "annoyed, yet not abusive", "formal": "formal",
    "typo_prone": "in a hurry, with a typing error here and there, never in a value", "warm": "warm", "brief": "brief",
}  # fmt: skip
_DOES = {
    "open": "comes with an issue", "give": "gives what was asked for", "choose": "answers",
    "volunteer": "gives what was asked for, and unasked what is asked next", "acknowledge": "takes note of that",
    "correct": "takes back what was given earlier, and gives the right value",
    "change": "has answered otherwise, and now wants this", "malformed": "gives a value, not noticing that it is wrong",
    "contradict": "sees it otherwise than the agent, who said this", "noise": "says, word for word",
    "close": "takes leave",
    "ask": "asks", "say": "says", "end": "says as the last word", "refuse": "says, word for word",
    "insist": "stays with what was said, politely",
}  # fmt: skip

_Step = TypeVar("_Step")
FaultName = Literal[
    "no list", "wrong count", "no text", "value missing", "not word for word", "generic entity", "API named", "invalid"
]


class WordFault(NamedTuple):
    """What is wrong with the words; `number` is that of the message in the plan, from 1, or 0 for all of them."""

    name: FaultName
    number: int
    what: str

    def __str__(self) -> str:
        return f"{self.name}: " + (f"message {self.number}: " if self.number else "") + self.what


# What is wrong with the words of a plan: anything that has a turn, counted from 0, and says what it is.
Check = Callable[[Plan, Dialogue], Sequence[Flaw]]


class ModelWriter:
    """Finds words for plans by a language model. Registers are chosen by the plan's id and the seed."""

    def __init__(self, model: Model, *, tries: int = 3, seed: int = 0, check: Check | None = None):
        self._model, self._tries, self._seed, self._check = model, tries, seed, check

    async def write(self, plan: Plan) -> Dialogue:
        """The dialogue with its words. Raises ModelFault where the model does not answer, or not as it should."""
        seeds = {role: keys.seed_of(self._seed, plan.dialogue.id, role) for role in REGISTERS}
        registers = {role: names[seeds[role] % len(names)] for role, names in REGISTERS.items()}
        places, cues = [place for place, _ in _spoken(plan)], [cue for _, cue in _spoken(plan)]

        def wrong(texts: Sequence[Any] | None) -> list[WordFault]:
            found = faults(cues, texts, clock_of(plan.dialogue.facts.get("now")))
            if found or texts is None or self._check is None:
                return found
            flaws = self._check(plan, _with_texts(plan.dialogue, places, texts))
            at = {place: number for number, place in enumerate(places, 1)}
            return [WordFault("invalid", at.get(flaw.turn, 0), f"{flaw.rule}: {flaw.what}") for flaw in flaws]

        told = await self.ask(prompt_text(plan, **registers), plan.dialogue, places, wrong)
        return told.replace(origin={**told.origin, "registers": dict[str, JsonValue](registers)})

    async def ask(
        self,
        prompt: str,
        dialogue: Dialogue,
        places: Iterable[int],
        faults: Callable[[Sequence[Any] | None], list[WordFault]],
    ) -> Dialogue:
        """The dialogue with the model's texts at these places, which have none of the faults. Raises ModelFault."""

        def parse(reply: str) -> tuple[tuple[list[str], list[WordFault]], str]:
            texts = parse_words(reply)
            wrong = faults(texts)
            again = f"These are not right yet:\n{bullets(wrong)}\nAnswer with all messages again, in the same form."
            return (texts or [], wrong), again if wrong else ""

        id, tries = dialogue.id, self._tries
        asked = ask_until_valid(self._model, prompt, parse, self._seed, id, tries=tries, output=_OUTPUT)
        (texts, wrong), attempts = await asked
        if wrong:
            what = f"the words for plan {id!r} are not what was asked for: {'; '.join(map(str, wrong[:3]))}"
            raise ModelFault("bad_response", what, excerpt=shown(attempts[-1].reply, 200), tries=tries)
        origin: dict[str, JsonValue] = {**dialogue.origin, "writer": self._model.name}
        if len(attempts) > 1:
            origin["attempts"] = [attempt._asdict() for attempt in attempts]
        return _with_texts(dialogue, places, texts).replace(origin=origin)


def _with_texts(dialogue: Dialogue, places: Iterable[int], texts: Iterable[str]) -> Dialogue:
    turns = list(dialogue.turns)
    for place, text in zip(places, texts, strict=True):
        turns[place] = turns[place].replace(text=text)
    return dialogue.replace(turns=tuple(turns))


def prompt_text(plan: Plan, *, customer: str, agent: str) -> str:
    """What a model is asked; `customer` and `agent` are registers of the phrase banks."""
    spoken = _spoken(plan)
    lines = "\n".join(f"{number}. {_line(cue)}" for number, (_, cue) in enumerate(spoken, 1))
    slots = {"plan": lines, "count": len(spoken), "customer": _AS[customer], "agent": _AS[agent]}
    return render_prompt(__file__, "model.txt", **slots)


def parse_words(reply: str) -> list[Any] | None:
    """The first JSON array with a text in it, in an object or not; None if there is none."""
    arrays = json_values(reply[:_MOST], "[", nested=True)
    return next((array for array in arrays if any(isinstance(entry, str) for entry in array)), None)


def faults(cues: Sequence[Cue], texts: Sequence[Any] | None, now: datetime | None = None) -> list[WordFault]:
    """Everything that is wrong with the words for these cues."""
    return word_faults(cues, texts, partial(_of, now))


def word_faults(
    steps: Sequence[_Step], texts: Sequence[Any] | None, check: Callable[[_Step, str], Iterable[tuple[FaultName, str]]]
) -> list[WordFault]:
    """What is wrong with the number of texts, or with each; `check` says what a text lacks for its step."""
    if texts is None:
        return [WordFault("no list", 0, "there was no JSON array of texts")]
    if len(texts) != len(steps):
        return [WordFault("wrong count", 0, f"{len(steps)} messages are wanted, and there are {len(texts)}")]
    found = list[WordFault]()
    for number, (step, text) in enumerate(zip(steps, texts, strict=True), 1):
        if isinstance(text, str) and text.strip():
            found += [WordFault(name, number, what) for name, what in check(step, text)]
        else:
            found.append(WordFault("no text", number, shown(text)))
    return found


def _of(now: datetime | None, cue: Cue, text: str) -> Iterator[tuple[FaultName, str]]:
    verbatim = cue.move in ("noise", "refuse") and cue.text.strip()
    if verbatim and not text.startswith(verbatim):
        yield "not word for word", f"it should begin with {shown(cue.text, 200)}"
    if cue.move == "noise":
        return
    for value in (*cue.values.values(), *(cue.before[slot] for slot in cue.before if slot in cue.values)):
        if value is not None and not says(text, value, now):
            yield "value missing", f"«{verbalize(value, exact=True)}» is not in {shown(text, 200)}"
    given = " ".join(map(str, (*cue.values.values(), *cue.before.values(), cue.text)))
    if strange := [one for one in [*generics(text), *re.findall(r"[{}]", text)] if one not in given]:
        yield "generic entity", f"{strange[0]!r} stands for nothing"


def _line(cue: Cue) -> str:
    who = "Agent" if cue.move in ("ask", "say", "end", "refuse", "insist") else "Customer"
    told = f'"{cue.text}"' if cue.move in ("noise", "refuse") else _marks(cue.text, cue)
    there = {found[1].strip() for found in _SHOWN.finditer(told + cue.text + cue.again)}
    given = [_given(cue, slot) for slot in cue.values if slot not in there]
    asks = f", then asks {_marks(cue.again, cue)}" if cue.again else ""
    return ": ".join(filter(None, [f"{who} {_DOES[cue.move]}", told, ", ".join(given)])) + asks


def _given(cue: Cue, slot: str) -> str:
    instead = f" instead of {_marked(cue.before[slot])}" if slot in cue.before else ""
    return f"{slot.replace('_', ' ')} {_marked(cue.values[slot])}{instead}"


def _marks(text: str, cue: Cue) -> str:
    fill_values(text, cue.values)
    return _SHOWN.sub(lambda found: _marked(cue.values[found[1].strip()]), text)


def _marked(value: JsonValue) -> str:
    return f"«{verbalize(value, exact=True)}»"


def _spoken(plan: Plan) -> list[tuple[int, Cue]]:
    return [(place, cue) for place, cue in enumerate(plan.cues) if cue.move != "call"]
