"""The gold programs, run again in other places: what each backend of the sandbox, and a real service, makes of them.

    monty                    Monty, and CPython for programs outside its part of Python
    zygote                   CPython for all
    http://127.0.0.1:5000    as the first of them that there is, over the service at that address

Contract: the gold agent plays every dialogue in each place (`recorded`), in an account of its own; EMR is the metric's.
Beside it stands what EMR does not see: whether every signature, that of the fresh account included, and every result
(value, error, what changed) is the gold's to the last byte.

Example:
    >>> from toologue.bench.dialog2api import load
    >>> (gold,) = load()[:1]
    >>> [(place.name, place.wrong) for place in run_everywhere([gold], "fixed")]
    [('monty', []), ('zygote', [])]

Not covered: which part of Monty's is missing; `sandbox.subset` says so for one program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toologue.agents.agent import resolve_agent
from toologue.bench.benchmark import CAP, Mode
from toologue.bench.dialog2api import PARTS, grade
from toologue.bench.tables import Table
from toologue.loop import play
from toologue.run.runner import Settings, cases_of
from toologue.sandbox import monty, zygote
from toologue.sandbox.execute import Backend
from toologue.sandbox.limits import BackendName
from toologue.schema import Act, Dialogue, Result, Trace, executable
from toologue.score.programs import EMR
from toologue.worlds.s3 import signature
from toologue.worlds.s3.simulator import s3_programs_for
from toologue.worlds.world import Wrapped

_Wanted = tuple[str, Result, str]
"""Where a program of the gold stands, what it comes to, the signature after it."""


@dataclass
class Place:
    """What became of the gold in one place. A program is called as its dialogue and turn: `list-buckets-1:2`."""

    name: str
    programs: int = 0
    by_cpython: list[str] = field(default_factory=list[str])
    """Programs that CPython ran."""
    unequal: list[str] = field(default_factory=list[str])
    """Programs with another signature or another result than the gold's."""
    emr: dict[str, float | None] = field(default_factory=dict[str, float | None])
    """By dialogue; None where there is no program."""

    @property
    def wrong(self) -> list[str]:
        """Dialogues in which anything is otherwise than in the gold."""
        unequal = {name.rpartition(":")[0] for name in self.unequal}
        return [name for name, emr in self.emr.items() if emr not in (1, None) or name in unequal]


def run_everywhere(
    golds: Sequence[Dialogue],
    mode: Mode,
    endpoint: str | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Place]:
    """Every dialogue in every place that there is here."""
    places: dict[str, tuple[Backend, str]] = {}
    if monty.available():
        places["monty"] = "auto", ""
    if zygote.available():
        places["zygote"] = "zygote", ""
    if endpoint is not None:
        places[endpoint] = "auto", endpoint
    found = {name: Place(name) for name in places}
    total = len(found) * len(golds)
    for number, (name, gold) in enumerate((name, gold) for name in places for gold in golds):
        _run(gold, found[name], mode, *places[name])
        progress(number + 1, total)
    return list(found.values())


def table(places: Sequence[Place]) -> Table:
    """A row a place."""
    heads = ["", "programs", "by CPython", "equal", "EMR"]
    rows: list[list[Any]] = []
    for one in places:
        scored = [emr for emr in one.emr.values() if emr is not None]
        mean = sum(scored) / len(scored) if scored else None
        rows.append([one.name, one.programs, len(one.by_cpython), one.programs - len(one.unequal), mean])
    return Table("The gold programs, run again: by whom, how many with the same signature and result", heads, rows)


class _Ran(NamedTuple):
    result: Result
    signature: str
    backend: BackendName | None


class _Noted(Wrapped):
    """A world that notes of each program what it came to and who ran it."""

    def __init__(self, inside: Any):
        super().__init__(inside)
        self.inside = inside
        self.ran: list[_Ran] = []

    def do(self, act: Act) -> Result:
        result = super().do(act)
        self.ran.append(_Ran(result, signature(self._world, result.value), self.last.backend))
        return result


def _run(gold: Dialogue, place: Place, mode: Mode, backend: Backend, endpoint: str) -> None:
    """One dialogue in one place."""
    (case,) = cases_of([gold], Settings(protocol=PARTS["talk"], cap=CAP))
    world = _Noted(s3_programs_for(case, backend=backend, endpoint=endpoint))
    fresh = signature(world.inside) == gold.extra["initial_signature"]
    turns, stop = play(case, resolve_agent("gold").make(case), world)
    trace = Trace(case=case.key, dialogue=gold.id, protocol=case.protocol, agent="gold", turns=tuple(turns), stop=stop)
    score = grade(mode, gold, trace).scores.get(EMR)
    place.emr[gold.id] = score and score.value
    for number, (name, result, signed) in enumerate(_wanted(gold)):
        place.programs += 1
        ran = world.ran[number] if number < len(world.ran) else None
        if not fresh or ran is None or (ran.result, ran.signature) != (result, signed):
            place.unequal.append(name)
        if ran is not None and ran.backend == "zygote":
            place.by_cpython.append(name)


def _wanted(gold: Dialogue) -> Iterator[_Wanted]:
    for at, turn in enumerate(gold.turns):
        signed: Any = turn.extra.get("signatures")
        for slot, act in enumerate(turn.acts if turn.role == "agent" else ()):
            result = turn.results[slot] if executable(act) and turn.role == "agent" else None
            if result is not None:
                yield f"{gold.id}:{at}", result, signed[slot]
