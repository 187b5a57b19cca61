"""Examples for a prompt, found as the paper finds them (Dialog2API 5.1), separately for each of the two requests.

    score(e) = sim(S, S_e) + ALPHA · sim(R; U, R_e; U_e)

The first similarity is the cosine of two counts of keywords: methods that the programs in the stack call, exceptions
that they raise, catch or ended with. The second is the cosine of the vectors of the last words, joined (the paper:
SBERT; here any embedder).

Contract: the K best, the best of them last, next to what is asked; of equals the earlier. Two stacks without keywords
are alike (1), one with and one without are not (0). A dialogue never gets examples of its own goal. `trained` are our
training dialogues, executed; the test dialogues are not read.

Not covered: examples that are unlike one another.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toologue.agents.llm.program_stack.prompts import Task, samples
from toologue.data import shipped
from toologue.formats.dialog2api import Sample
from toologue.formats.program_dialogue import Written, dialogue_of
from toologue.loop import ground
from toologue.models.embed import embedder
from toologue.sandbox.rpc import spelt
from toologue.schema import Api, Case, Dialogue, Setting
from toologue.schema.stack import Stacked
from toologue.worlds.world import make_world

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALPHA = 1.0
_TRAINING = Path(__file__).parents[3] / "bench" / "dialog2api" / "train"
_METHOD = re.compile(r"\.(\w+)\(")
_EXCEPTION = re.compile(r"\b(?:raise|except)\s+(?:[\w.]*\.)?(\w+)")


class _Held(NamedTuple):
    """The examples of a task, and the vectors of their words."""

    origins: tuple[Dialogue, ...]
    samples: tuple[Sample, ...]
    vectors: NDArray[np.float32]


class Examples:
    """A pool of examples. `spec` names the embedder."""

    def __init__(self, dialogues: Sequence[Dialogue], spec: str = "lexical"):
        self._dialogues, self._embedder = tuple(dialogues), embedder(spec)
        self._held: dict[Task, _Held] = {}
        self._counts: dict[tuple[Task, tuple[str, ...]], list[Counter[str]]] = {}

    def __bool__(self) -> bool:
        return bool(self._dialogues)

    def nearest(
        self, asked: Sample, task: Task, count: int, *, apis: Sequence[Api] = (), dialogue: str = ""
    ) -> list[Sample]:
        """The `count` best for what is asked, which is from `dialogue`."""
        key = task, tuple(api.name for api in apis)
        if key not in self._counts:
            methods = _methods(apis)
            self._counts[key] = [keywords(one.stack, methods) for one in self._of(task).samples]
        held, counts = self._of(task), self._counts[key]
        words = held.vectors @ self._embedder.embed([_words(asked)])[0]
        here = keywords(asked.stack, _methods(apis))
        scored = [
            (_cosine(here, counts[at]) + ALPHA * float(words[at]), -at)
            for at, origin in enumerate(held.origins)
            if not _shares_goal(origin, dialogue)
        ]
        return [held.samples[-at] for _, at in sorted(scored)[-count:]] if count else []

    def _of(self, task: Task) -> _Held:
        if task not in self._held:
            found = [(one, sample) for one in self._dialogues for sample in samples(one, task)]
            origins, made = tuple(one for one, _ in found), tuple(sample for _, sample in found)
            self._held[task] = _Held(origins, made, self._embedder.embed([_words(one) for one in made]))
        return self._held[task]


@cache
def trained() -> tuple[Dialogue, ...]:
    """Our training dialogues, with what their programs came to."""
    found: list[Dialogue] = []
    for file in sorted(_TRAINING.glob("*.yaml")):
        dialogue = dialogue_of(Written.model_validate(shipped(file)), Setting(name="s3_programs"))
        world = make_world(Case(id=dialogue.id, world=dialogue.world, protocol="recorded"))
        found.append(ground(dialogue, world))
    return tuple(found)


def keywords(stacked: Sequence[Stacked], methods: Mapping[str, str]) -> Counter[str]:
    """How often which Api is called and which exception named in a stack. `methods`: Apis by spelling."""
    counted: Counter[str] = Counter()
    for one in stacked:
        called = _METHOD.findall(one.code)
        counted.update(methods.get(name, name) for name in called if not methods or name in methods)
        counted.update(_EXCEPTION.findall(one.code))
        counted.update([one.result.error.type] if one.result is not None and one.result.error is not None else [])
    return counted


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    if not one or not other:
        return float(not one and not other)
    return _product(one, other) / math.sqrt(_product(one, one) * _product(other, other))


def _product(one: Counter[str], other: Counter[str]) -> int:
    return sum(number * other[word] for word, number in one.items())


def _words(sample: Sample) -> str:
    return "\n".join(turn.text or "" for turn in sample.turns)


def _shares_goal(example: Dialogue, dialogue: str) -> bool:
    """Whether an example is from the dialogue of this id, or from one for the same goal (`GOAL-1`, `GOAL-2`)."""
    goal = example.origin.get("goal")
    return dialogue == example.id or (isinstance(goal, str) and dialogue.rpartition("-")[0] == goal)


def _methods(apis: Sequence[Api]) -> dict[str, str]:
    return {spelling: name for name, spellings in spelt(apis).items() for spelling in spellings}
