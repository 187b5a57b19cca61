"""The proof for Dialog2API: the gold programs run again elsewhere come to the same, and mutants lower EMR as they must.

    monty                    Monty, and CPython for programs outside its part of Python
    zygote                   CPython for all
    http://127.0.0.1:5000    as the first of them that there is, over the service at that address

The gold agent plays every dialogue in each place (`recorded`), in an account of its own; EMR is the metric's. Beside it
stands what EMR does not see: whether every signature, that of the fresh account included, and every result (value,
error, what changed) is the gold's to the last byte.

Whether a mutant *took* is the world's verdict, not the grader's: a wrong one must have come to other rows, another
value or another error than the gold, a right one to the same (in which region a bucket is does not count, appendix B).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toologue.agents.agent import AgentSpec, ScriptedAgent, resolve_agent, script_of
from toologue.bench.benchmark import Benchmark, GoldCheck, Mode, Options, StepProof, play
from toologue.bench.tables import Table
from toologue.loop import Agent
from toologue.loop import play as converse
from toologue.models.similarity import TextMatch
from toologue.mutate.programs import RIGHT, WRONG, Mutant, mutant
from toologue.run.runner import Settings, cases_of
from toologue.sandbox import monty, zygote
from toologue.sandbox.execute import Backend
from toologue.sandbox.rpc import BackendName
from toologue.schema import Act, AgentTurn, Case, Dialogue, Result, Trace, executable, rounds
from toologue.score.programs import EMR
from toologue.worlds.s3 import signature
from toologue.worlds.s3.simulator import s3_programs_for
from toologue.worlds.world import Wrapped

# Where a program of the gold stands, what it comes to, the signature after it.
_Wanted = tuple[str, Result, str]


def check(
    benchmark: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options, *, endpoint: str | None = None
) -> GoldCheck:
    """The gold conversations that do not come to the same in every place."""
    places = run_everywhere(benchmark, golds, options, endpoint)
    notes: list[str] = []
    for place in places:
        if place.name == "monty" and place.by_cpython:
            notes.append(f"outside Monty's part of Python: {', '.join(place.by_cpython)}")
        if place.unequal:
            notes.append(f"not as the gold in {place.name}: {', '.join(place.unequal[:10])}")
    wrong = {name for place in places for name in place.wrong}
    failed = [gold.id for gold in golds if gold.id in wrong]
    return GoldCheck(failed, [table(places)], notes, more={"places": [vars(place) for place in places]})


def prove(benchmark: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options) -> list[StepProof]:
    """Every mutation, wrong ones first. `applied`, `took`, `caught`: dialogues.

    `caught` are wrong mutants whose EMR is exactly (t - 1) / T for a mutation in turn t of T, and right ones whose EMR
    is not 1.
    """
    return [_prove_kind(benchmark, kind, golds, judge, options) for kind in (*WRONG, *RIGHT)]


@dataclass
class Place:
    """What became of the gold in one place. A program is called as its dialogue and turn: `list-buckets-1:2`."""

    name: str
    programs: int = 0
    # Programs that CPython ran.
    by_cpython: list[str] = field(default_factory=list[str])
    # Programs with another signature or another result than the gold's.
    unequal: list[str] = field(default_factory=list[str])
    # By dialogue; None where there is no program.
    emr: dict[str, float | None] = field(default_factory=dict[str, float | None])

    @property
    def wrong(self) -> list[str]:
        """Dialogues in which anything is otherwise than in the gold."""
        unequal = {name.rpartition(":")[0] for name in self.unequal}
        return [name for name, emr in self.emr.items() if emr not in (1, None) or name in unequal]


def run_everywhere(
    benchmark: Benchmark, golds: Sequence[Dialogue], options: Options, endpoint: str | None = None
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
        _run(benchmark, gold, found[name], options, *places[name])
        options.progress(number + 1, total)
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


def _run(benchmark: Benchmark, gold: Dialogue, place: Place, options: Options, backend: Backend, endpoint: str) -> None:
    """One dialogue in one place."""
    part = benchmark.part
    (case,) = cases_of([gold], Settings(protocol=part.protocol, cap=part.cap))
    world = _Noted(s3_programs_for(case, backend=backend, endpoint=endpoint))
    fresh = signature(world.inside) == gold.extra["initial_signature"]
    turns, stop = converse(case, resolve_agent("gold").make(case), world)
    trace = Trace(case=case.key, dialogue=gold.id, protocol=case.protocol, agent="gold", turns=tuple(turns), stop=stop)
    score = benchmark.grade(part, options.mode, gold, trace, TextMatch.of("exact")).scores.get(EMR)
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


def _prove_kind(
    benchmark: Benchmark, kind: str, golds: Sequence[Dialogue], judge: TextMatch, options: Options
) -> StepProof:
    found = {gold.id: one for gold in golds if (one := mutant(gold, kind, options.seed)) is not None}
    there = [gold for gold in golds if gold.id in found]
    wrong = kind in WRONG and not (kind == "wrong_exception" and options.mode == "published")

    def make(case: Case) -> Agent:
        return ScriptedAgent(script_of(case.replace(gold=found[case.id].dialogue)))

    took, caught, missed = 0, 0, list[str]()
    for graded in play(benchmark, there, AgentSpec(f"mutant:{kind}", make), judge, options):
        gold, one = graded.gold, found[graded.gold.id]
        if _differs(gold, graded.trace, one, options.mode) != wrong:
            continue
        emr, last = graded.scores[EMR].value, sum(bool(said) for said, _ in rounds(gold.turns))
        flagged = emr == (one.number - 1) / last if wrong else emr != 1
        took, caught = took + 1, caught + flagged
        missed += [] if flagged == wrong else [f"{gold.id}:{one.turn}"]
    return StepProof(kind, wrong, len(there), took, caught, tuple(missed))


def _differs(gold: Dialogue, trace: Trace, one: Mutant, mode: Mode) -> bool:
    """Whether the mutated program came to anything else than the gold's."""
    mine, wanted = (turns[one.turn] for turns in (trace.turns, gold.turns))
    assert isinstance(mine, AgentTurn)
    assert isinstance(wanted, AgentTurn)
    return _came_to(mine.results[one.slot], mode) != _came_to(wanted.results[one.slot], mode)


def _came_to(result: Result | None, mode: Mode) -> Any:
    """What counts of a result (appendix B): names, keys, contents, the value; not where a bucket is."""
    if result is None:
        return None
    rows = {
        path: None if row is None else path.startswith("Bucket/") or row
        for path, row in result.changes.items()
        if path.startswith("Object/") or row is None or path in result.created
    }
    return rows, result.value, result.error.type if result.error is not None and mode == "fixed" else None
