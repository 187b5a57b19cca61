"""Where a conversation stands, as both requests see it: the stack, the last words, what programs are written against.

Contract: `situation` is the sample whose answer is asked for: the stack after the history, the agent's last words and
what the user said since; `whole` shows all that was said. Programs of a history that cannot go on the stack are left
out. `samples` are the examples in a dialogue: of every round its programs, or its words. A draft that is finalised or
given up as it stands is shown without its code, as the paper does.

Example:
    >>> from toologue.schema import Dialogue
    >>> done = AgentTurn(acts=(Program(goal="1", status="final", code="raise EndDialog()"),))
    >>> talk = (AgentTurn(text="Hi."), UserTurn(text="Bye."), done, AgentTurn(text="Goodbye."))
    >>> one, = samples(Dialogue(id="d", turns=talk), "program")
    >>> one.stack, [turn.text for turn in one.turns], one.output.programs[0].code
    ((), ['Hi.', 'Bye.'], 'raise EndDialog()')

Not covered: acts that are no programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from toologue.errors import StackError
from toologue.formats.dialog2api import Output, Sample
from toologue.schema import AgentTurn, Api, Brief, Dialogue, Program, Turn, UserTurn, rounds
from toologue.schema.stack import Stacked, put, whole

Task = Literal["program", "response"]


class Service(NamedTuple):
    """What programs are written against: the object's name, its Apis, the exceptions of its own and what for."""

    name: str
    apis: tuple[Api, ...]
    exceptions: Mapping[str, str]


def service_of(brief: Brief) -> Service:
    """What the brief says of it."""
    said = brief.facts.get("programs")
    told = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    raised: Any = told.get("exceptions", ())
    exceptions = cast("dict[str, str]", raised if isinstance(raised, dict) else dict.fromkeys(map(str, raised), ""))
    domains = {re.sub(r"\W", "_", api.domain).lower() for api in brief.apis}
    domain = domains.pop() if len(domains) == 1 else ""
    name = str(told.get("object", "")) or domain
    return Service(name if name.isidentifier() else "service", brief.apis, exceptions)


def stacked(history: Sequence[Turn]) -> tuple[Stacked, ...]:
    """The stack after a history."""
    found: tuple[Stacked, ...] = ()
    for turn in history:
        for slot, act in enumerate(turn.acts if turn.role == "agent" else ()):
            if act.kind == "program":
                result = turn.results[slot] if turn.role == "agent" and turn.results else None
                try:
                    found = put(found, act, result)
                except StackError:
                    continue
    return found


def situation(history: Sequence[Turn], *, full: bool = False) -> Sample:
    """The sample whose answer is asked for."""
    words = [turn for turn in history if turn.role == "user" or turn.text is not None]
    asked = next((n for n, turn in enumerate(reversed(words)) if turn.role == "agent"), len(words))
    seen = words if full else words[-max(asked, 1) - 1 :]
    return Sample(stack=stacked(history), turns=tuple(map(_spoken, seen)))


def samples(dialogue: Dialogue, task: Task) -> Iterator[Sample]:
    """The examples in a dialogue, those rounds left out that nobody spoke in or answered."""
    lived: list[Turn] = []
    for said, did in rounds(dialogue.turns):
        lived += said
        programs = [act for turn in did for act in turn.acts if act.kind == "program"]
        words = next((turn.text for turn in reversed(did) if turn.text is not None), None)
        if said and did and task == "program":
            before = situation(lived)
            yield before._replace(output=Output(tuple(_short(before.stack, programs))))
        acted = [turn.replace(text=None) for turn in did if turn.acts]
        if said and words is not None and task == "response":
            yield situation([*lived, *acted])._replace(output=Output(text=words))
        lived += did


def _spoken(turn: Turn) -> Turn:
    return UserTurn(text=turn.text) if turn.role == "user" else AgentTurn(text=turn.text)


def _short(held: tuple[Stacked, ...], programs: Sequence[Program]) -> Iterator[Program]:
    """The programs, without code where it is their draft's."""
    for program in programs:
        bare = program.replace(code="")
        try:
            same = program.status != "drafting" and whole(held, bare).code == program.code
            held = put(held, program)
        except StackError:
            same = False
        yield bare if same else program
