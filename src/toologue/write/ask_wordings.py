"""Wordings by a model: asked for once a procedure, each checked, those that cannot be used dropped and counted.

no text            an entry is empty, no text, or too long      unknown register   nobody speaks in it
value missing      a place for a value is not in it             unknown value      one in braces that is not shown
value made up      a number, a name or a date of its own        behind the scenes  a step, a call, a stand-in
read otherwise     the agent `procedure` would not take it for that answer, or not find the values in it
said twice         another text is the same
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue
from pydantic_core import from_json

from toologue.errors import UserError, shown
from toologue.formats.procedure import write
from toologue.models.ask import ask_until_valid, bullets, render_prompt
from toologue.models.model import Model
from toologue.models.similarity import similarity
from toologue.plan.procedures.by_model import generics, json_in
from toologue.procedure.answers import Hearing, has_cue
from toologue.procedure.course import Slot, Stand, Walking, course_of
from toologue.schema import Api, Brief, Link, Procedure
from toologue.text.bank import REGISTERS, Register
from toologue.text.claims import claims, grounds
from toologue.text.verbalize import fill_values
from toologue.values.compare import same
from toologue.values.json_schema import list_of, object_of
from toologue.values.make import make
from toologue.write.wordings import Place, Wording, places

WordingFlaw = Literal[
    "no text",
    "unknown register",
    "value missing",
    "unknown value",
    "value made up",
    "behind the scenes",
    "read otherwise",
    "said twice",
]
_LONGEST = 500
_BRACES = re.compile(r"\{\s*([^{}]*?)\s*\}")
_SCENES = re.compile(r"\b(?:step|line|node) \d+|\b[Gg]o to \d+|\b(?:API|procedure)s?\b|[{}`]|\bCollect\b")
_TURNS_ROUND = ("changed", "reconsiders", "takes_back")


class Found(NamedTuple):
    """A text that cannot be used: why, and what is wrong with it."""

    why: WordingFlaw
    what: str


@dataclass
class Tally:
    """What became of the places of a procedure, and of what a model said for them."""

    procedure: str = ""
    places: int = 0
    asked: int = 0
    replies: int = 0
    kept: int = 0
    dropped: Counter[WordingFlaw] = field(default_factory=Counter[WordingFlaw])
    examples: dict[WordingFlaw, str] = field(default_factory=dict[WordingFlaw, str])
    without: list[Place] = field(default_factory=list[Place])


async def ask_wordings(
    procedure: Procedure,
    apis: Iterable[Api],
    model: Model,
    tally: Tally,
    *,
    known: Collection[str] = (),
    count: int = 2,
    tries: int = 2,
    seed: int = 0,
) -> list[Wording]:
    """The wordings of the places of a procedure whose keys are not `known`, in one request, and one for each repair.

    `count`: how many for each register; `tally` says what became of them. Raises ModelFault.
    """
    every = list(places(procedure))
    wanted = {number: one for number, one in enumerate(every, 1) if one.key not in known}
    tally.procedure, tally.places, tally.asked = procedure.id, len(every), len(wanted)
    check, texts = _Check(procedure, apis), dict[int, dict[Register, list[str]]]()

    def parse(reply: str) -> tuple[None, str]:
        tally.replies += 1
        said, wrong = _entries(reply, wanted), list[str]()
        for number, register, text in said:
            kept = texts.setdefault(number, {}).setdefault(register, [])
            flaw = Found("said twice", shown(text)) if text in kept else check(wanted[number], register, text)
            if flaw is None:
                kept.append(" ".join(text.split()))
                tally.kept += 1
            else:
                tally.dropped[flaw.why] += 1
                tally.examples.setdefault(flaw.why, flaw.what)
                wrong.append(f"{number}: {register}: {flaw.why}: {flaw.what}")
        without = [number for number in wanted if not any(texts.get(number, {}).values())]
        told = bullets(one for one in wrong if int(one.partition(":")[0]) in without)
        what = f"What is wrong with those that you wrote:\n{told}\n\n" if told else ""
        lines = ", ".join(map(str, without))
        again = f"There is no text yet that can be used for the lines {lines}. {what}Answer with these lines alone, in "
        return None, f"{again}the same form." if without else ""

    if wanted:
        lines = "\n".join(f"{number}. {_line(one, wanted)}" for number, one in wanted.items())
        prompt = render_prompt(__file__, "ask_wordings.txt", lines=lines, count=count, procedure=write(procedure))
        await ask_until_valid(model, prompt, parse, seed, "wordings", procedure.id, tries=tries)
    found = [_wording(procedure, place, texts.get(number, {})) for number, place in wanted.items()]
    tally.without = [place for place, one in zip(wanted.values(), found, strict=True) if not one.texts]
    return [one for one in found if one.texts]


def _wording(procedure: Procedure, place: Place, texts: Mapping[Register, Sequence[str]]) -> Wording:
    about = f"{place.text} → {place.answer}".strip() if place.answer and place.step else place.text or place.answer
    said: dict[Register, tuple[str, ...]] = {register: tuple(some) for register, some in texts.items() if some}
    return Wording(place=place.key, procedure=procedure.id, step=place.step, about=about, texts=said)


def _entries(reply: str, wanted: Collection[int]) -> Iterator[tuple[int, Any, Any]]:
    """The texts of the first object of a reply that has numbers of lines for keys: (line, register, text).

    Of a reply that was cut off, what there is.
    """
    whole = list(json_in(reply))
    with suppress(ValueError):
        whole.append(from_json(reply[reply.find("{") :], allow_partial=True))
    objects = map(object_of, whole)
    inner = next((one for one in objects if any(str(number) in one for number in wanted)), dict[str, Any]())
    for number in wanted:
        for register, texts in object_of(inner.get(str(number))).items():
            yield from ((number, register, text) for text in list_of(texts) or [texts])


_DOES = {"ask": "The agent asks", "say": "The agent says", "end": "The agent says as the last words"}


def _line(place: Place, wanted: Mapping[int, Place]) -> str:
    """What a place is, as it is told to a model: answers refer to the line of the question, if it is there."""
    shows = f" (shows {', '.join(f'{{{name}}}' for name in place.shows)})" if place.shows else ""
    if place.kind == "open":
        return f"A customer opens the conversation: {place.answer}"
    if place.role == "agent":
        return f"{_DOES[place.kind]}: {place.text}{shows}"
    asked = (f"line {n}" for n, one in wanted.items() if one.role == "agent" and one.text == place.text)
    told = place.answer or ("gives what is asked for" if place.shows else "takes note of that")
    return f"A customer answers {next(asked, repr(place.text))}: {told}{shows}"


class _AnyWay(Walking):
    """Takes the way of an answer whatever its condition: what is known then is not known here."""

    def exit(self, stand: Stand, answer: str = "") -> Link | None:
        """The first link of this answer."""
        others = {*self.answers(stand)} - {answer}
        return next((link for link in self.course.steering.exits(stand.state) if link.text not in others), None)


class _Check:
    """What is wrong with a text for a place of a procedure."""

    def __init__(self, procedure: Procedure, apis: Iterable[Api]):
        documents = tuple(apis)
        self._course = course_of(Brief(instructions=write(procedure), apis=documents))
        self._hearing = Hearing(_AnyWay(self._course), similarity("lexical"))
        self._procedure = procedure
        names = (one.name for one in documents if "_" in one.name or not one.name.islower())
        self._calls = re.compile("|".join([rf"\b{re.escape(name)}\b" for name in names]) or r"(?!)")

    def __call__(self, place: Place, register: Any, text: Any) -> Found | None:
        if not isinstance(text, str) or not 0 < len(text.strip()) <= _LONGEST:
            return Found("no text", shown(text))
        if register not in REGISTERS[place.role]:
            return Found("unknown register", shown(register))
        braces, shows, told = {*_BRACES.findall(text)}, {*place.shows}, shown(text, 200)
        if missing := sorted(shows - braces):
            return Found("value missing", f"{{{missing[0]}}} in {told}")
        if strange := sorted(braces - shows):
            return Found("unknown value", f"{{{strange[0]}}} in {told}")
        bare = _BRACES.sub("it", text)
        found = [one.search(bare) for one in (_SCENES, self._calls)]
        if behind := [*(one[0] for one in found if one and one[0] not in place.text), *generics(bare)]:
            return Found("behind the scenes", f"{behind[0]!r} in {told}")
        if made_up := [said for claim, said in claims(bare).items() if claim not in self._grounds(place)]:
            return Found("value made up", f"{made_up[0]!r} in {told}")
        heard = self._heard(place, text) if place.role == "customer" else ""
        return Found("read otherwise", f"{told} {heard}") if heard else None

    def _grounds(self, place: Place) -> Collection[object]:
        said = self._procedure
        return grounds(_BRACES.sub("", " ".join((place.text, place.answer, said.issue or said.title, said.greeting))))

    def _heard(self, place: Place, text: str) -> str:
        """What the agent `procedure` takes the text for, where that is not what it is meant for."""
        walking = self._hearing.walking
        stand = walking.begin({"now": "2025-03-12T09:30:00Z"})
        if not place.step:
            early = self._hearing.understand(stand, text)[0].early
            return f"would be taken to give {', '.join(early)}" if early else ""
        if any(has_cue(cue, text) and not has_cue(cue, place.answer) for cue in _TURNS_ROUND):
            return "would be taken for a change of mind"
        stand = stand.replace(state=stand.state._replace(node=f"N{place.step}"))
        values = {name: self._sample(self._course.slots[name]) for name in place.shows}
        there, why = self._hearing.understand(stand, fill_values(text, values))
        given = {name: value for name, value in there.given.items() if name in values}
        if not same(given, values):
            return f"filled with {shown(values)}, would be taken to give {shown(given) if given else 'nothing'}"
        if why:
            return f"would not be understood ({why})"
        answer = there.trail[-1].answer if there.trail else ""
        return f"would be taken for {answer!r}" if answer != place.answer else ""

    def _sample(self, slot: Slot) -> JsonValue:
        """A value that a customer could give."""
        examples = self._procedure.examples.get(slot.name, ())
        try:
            return examples[0] if examples else make(dict(slot.schema), seed=0, name=slot.name)
        except UserError:
            return "blue ink"
