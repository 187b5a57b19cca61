"""Wordings: what people say at the places of a procedure, found once by a model, kept as data, used offline.

A *place* is where somebody speaks: the opening, the words of a step, each answer that a customer gives to them. Its key
is that of the step's words, of what it collects and of its answers (of the words for the issue, for an opening): a step
that changes loses its own wordings, and no other; numbers of steps are for people.

Example:
    >>> from toologue.formats.procedure import read
    >>> late = read("# Late\\n1. **Ask** for the number. Collect `number`.\\n2. **End**: say that {number} is late.")
    >>> [(place.step, place.role, place.shows) for place in places(late)]
    [(0, 'customer', ()), (1, 'agent', ()), (1, 'customer', ('number',)), (2, 'agent', ('number',))]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from toologue import keys
from toologue.errors import UserError
from toologue.formats.procedure import read as read_procedure
from toologue.schema import Procedure, Record, StepKind
from toologue.schema.jsonl import read
from toologue.text.bank import Register, Role
from toologue.values.conditions import embedded

FILE = "wordings.jsonl"


class Wording(Record):
    """What is said at the place of this key, by register. `procedure`, `step` and `about` say which, for people."""

    format: Literal["wording/1"] = "wording/1"
    place: str
    procedure: str = ""
    step: int = 0
    about: str = ""
    texts: dict[Register, tuple[str, ...]] = Field(default_factory=dict[Register, tuple[str, ...]])

    def of(self, register: Register) -> tuple[str, ...]:
        """The texts of a register; those of the typo-prone are still without errors. All, where it has none."""
        short = (*self.texts.get("terse", ()), *self.texts.get("chatty", ())) if register == "typo_prone" else ()
        return self.texts.get(register) or short or tuple(one for some in self.texts.values() for one in some)


class Place(NamedTuple):
    """Where `role` speaks: at a step (0: the opening) with these words, giving this answer; values that are shown."""

    key: str
    step: int
    kind: StepKind | Literal["open", "answer"]
    role: Role
    text: str
    answer: str = ""
    shows: tuple[str, ...] = ()


def places(procedure: Procedure) -> Iterator[Place]:
    """Where somebody speaks, in the order of the steps."""
    for issue in dict.fromkeys((procedure.issue or procedure.title, *procedure.wordings)):
        yield Place(keys.content_key(["open", issue]), 0, "open", "customer", "", issue)
    for step in procedure.steps:
        if step.kind == "call":
            continue
        answers = list(dict.fromkeys(branch.answer for branch in step.branches if branch.answer))
        about = [step.kind, step.text, [*step.collects], answers]
        shown = tuple(dict.fromkeys(expression.text for expression in embedded(step.text)))
        yield Place(keys.content_key(about), step.number, step.kind, "agent", step.text, shows=shown)
        for answer in (answers or [""]) if step.kind != "end" else ():
            gives = step.collects if not answers or answer == answers[0] else ()
            key = keys.content_key([*about, answer])
            yield Place(key, step.number, "answer", "customer", step.text, answer, gives)


# By who speaks, the words of the step (none: the opening), and the answer to them.
Said = Mapping[tuple[Role, str, str], Wording]


class Wordings:
    """Wordings, to be found by what a plan says."""

    def __init__(self, known: Iterable[Wording] = ()):
        self._known: Mapping[str, Wording] = {one.place: one for one in known}
        self._openings: Said = {("customer", "", one.about): one for one in self._known.values() if not one.step}

    def of(self, instructions: str) -> Said:
        """Those of a procedure, as an agent is told it; openings, of which it is told none, are all there."""
        procedure = _procedure(instructions) if self._known and instructions else None
        every = [place for place in places(procedure) if place.step] if procedure else []
        found = ((place, self._known.get(place.key)) for place in every)
        return {**self._openings, **{(at.role, at.text, at.answer): one for at, one in found if one}}


def wordings_of(procedure: Procedure, known: Sequence[Wording]) -> tuple[Wording, ...]:
    """The wordings that belong to a procedure as it is now."""
    wanted = {place.key for place in places(procedure)} if known else set[str]()
    return tuple(one for one in known if one.place in wanted)


def read_wordings(file: Path | None) -> tuple[Wording, ...]:
    """The wordings in a file; none where there is no such file. Raises BadRecord."""
    return tuple(read(file, Wording, empty=True)) if file is not None and file.is_file() else ()


@lru_cache(maxsize=64)
def _procedure(instructions: str) -> Procedure | None:
    try:
        return read_procedure(instructions)
    except UserError:
        return None
