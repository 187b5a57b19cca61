"""The proof for Dialog2API: the gold programs run again elsewhere come to the same, and mutants lower EMR as they must.

    here                     in an account in this process
    http://127.0.0.1:5000    over the service at that address

The gold agent plays every dialogue in each place (`recorded`), in an account of its own; EMR is the metric's. Beside it
stands what EMR does not see: whether every signature, that of the fresh account included, and every result (value,
error, what changed) is the gold's to the last byte.

Whether a mutant *took* is the world's verdict, not the grader's: a wrong one must have come to other rows, another
value or another error than the gold, a right one to the same (in which region a bucket is does not count, appendix B).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, product, repeat
from typing import Any

from toologue.agents.agent import AgentSpec, ScriptedAgent, resolve_agent, script_of
from toologue.bench.benchmark import Benchmark, GoldCheck, Mode, Options, StepProof, play
from toologue.bench.dialog2api.files import over_s3
from toologue.bench.prove import why_failed
from toologue.bench.tables import Table
from toologue.loop import Agent
from toologue.loop import play as converse
from toologue.models.similarity import TextMatch
from toologue.mutate.programs import RIGHT, WRONG, mutant
from toologue.report.words import explain
from toologue.run.runner import Settings, cases_of
from toologue.schema import Act, Case, Dialogue, Mismatch, Result, Trace, Verdict, answers, invocations
from toologue.score.metric import done_at
from toologue.score.programs import EMR
from toologue.values.json_schema import list_of
from toologue.worlds.programs import programs_for
from toologue.worlds.s3 import signature
from toologue.worlds.s3.signature import SIGNATURES
from toologue.worlds.s3.simulator import s3_programs_for
from toologue.worlds.world import Wrapped


def check(
    benchmark: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options, *, endpoint: str | None = None
) -> GoldCheck:
    """The gold conversations that do not come to the same in every place."""
    places = run_everywhere(benchmark, golds, options, endpoint)
    notes: list[str] = []
    for place in places:
        if place.unequal:
            notes.append(f"not as the gold in {place.name}: {', '.join(place.unequal[:10])}")
    wrong = {name: f"{place.name}: {place.why[name]}" for place in reversed(places) for name in place.wrong}
    failed = {gold.id: wrong[gold.id] for gold in golds if gold.id in wrong}
    told = [{name: value for name, value in vars(place).items() if name != "why"} for place in places]
    return GoldCheck(failed, [table(places)], notes, more={"places": told})


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
    # Programs with another signature or another result than the gold's.
    unequal: list[str] = field(default_factory=list[str])
    # By dialogue; None where there is no program.
    emr: dict[str, float | None] = field(default_factory=dict[str, float | None])
    # By dialogue, the first thing that is otherwise than in the gold.
    why: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def wrong(self) -> list[str]:
        """Dialogues in which anything is otherwise than in the gold."""
        unequal = {name.rpartition(":")[0] for name in self.unequal}
        return [name for name, emr in self.emr.items() if emr not in (1, None) or name in unequal]


def run_everywhere(
    benchmark: Benchmark, golds: Sequence[Dialogue], options: Options, endpoint: str | None = None
) -> list[Place]:
    """Every dialogue in every place that there is here."""
    places = [(Place("here"), ""), *([(Place(endpoint), endpoint)] if endpoint is not None else [])]
    for number, ((place, at), gold) in enumerate(product(places, golds), 1):
        _run(benchmark, gold, place, options, at)
        options.progress(number, len(places) * len(golds))
    return [place for place, _ in places]


def table(places: Sequence[Place]) -> Table:
    """A row a place."""
    heads = ["", "programs", "equal", "EMR"]
    rows: list[list[Any]] = []
    for one in places:
        scored = [emr for emr in one.emr.values() if emr is not None]
        mean = sum(scored) / len(scored) if scored else None
        rows.append([one.name, one.programs, one.programs - len(one.unequal), mean])
    return Table("The gold programs, run again: where, how many with the same signature and result", heads, rows)


class _Noted(Wrapped):
    """A world that notes of each program what it came to, and the signature after it."""

    def __init__(self, inside: Any, *, signs: bool):
        super().__init__(inside)
        self._signs = signs
        self.ran: list[tuple[Result, str]] = []

    def do(self, act: Act) -> Result:
        result = super().do(act)
        self.ran.append((result, signature(self._world, result.value) if self._signs else ""))
        return result


def _run(benchmark: Benchmark, gold: Dialogue, place: Place, options: Options, endpoint: str) -> None:
    part, signs = benchmark.part, over_s3(gold)
    (case,) = cases_of([gold], Settings(protocol=part.protocol, cap=part.cap))
    inside = s3_programs_for(case, endpoint=endpoint) if signs else programs_for(case)
    fresh, world = not signs or signature(inside) == gold.extra["initial_signature"], _Noted(inside, signs=signs)
    turns, stop = converse(case, resolve_agent("gold").make(case), world)
    trace = Trace(case=case.key, dialogue=gold.id, protocol=case.protocol, agent="gold", turns=tuple(turns), stop=stop)
    graded = benchmark.grade(part, options.mode, gold, trace, TextMatch.of("exact"))
    place.emr[gold.id] = score.value if (score := graded.scores.get(EMR)) else None
    ran = chain(world.ran, repeat((None, "")))
    for made, (result, signed) in zip(invocations(gold.turns, opening=True), ran, strict=False):
        name, signatures = f"{gold.id}:{made.turn}", list_of(gold.turns[made.turn].extra.get("signatures"))
        place.programs += 1
        if not fresh or (result, signed) != (made.result, signatures[made.slot] if signs else ""):
            place.unequal.append(name)
            place.why.setdefault(gold.id, f"Round {made.round + 1}: {_otherwise(made.result, result, fresh=fresh)}")
    place.why.setdefault(gold.id, why_failed(graded))


def _otherwise(expected: Result, actual: Result | None, *, fresh: bool) -> str:
    if not fresh:
        return "the account was another from the start"
    came = [one and (one.value if one.error is None else one.error.model_dump()) for one in (expected, actual)]
    if came[0] == came[1]:
        return "the program left another account than the gold's"
    return explain(Mismatch(field="the program came to", expected=came[0], actual=came[1]))


def _prove_kind(
    benchmark: Benchmark, kind: str, golds: Sequence[Dialogue], judge: TextMatch, options: Options
) -> StepProof:
    found = {gold.id: one for gold in golds if (one := mutant(gold, kind, options.seed)) is not None}
    there = [gold for gold in golds if gold.id in found]
    wrong = kind in WRONG and not (kind == "wrong_exception" and options.mode == "published")

    def make(case: Case) -> Agent:
        return ScriptedAgent(script_of(case.replace(gold=found[case.id].dialogue)))

    graded_as: list[tuple[str, Verdict]] = []
    for graded in play(benchmark, there, AgentSpec(f"mutant:{kind}", make), judge, options):
        gold, one, emr = graded.gold, found[graded.gold.id], graded.scores[EMR].value
        came = [_came_to(done_at(talk, one.turn).results[one.slot], options.mode) for talk in (graded.trace, gold)]
        if (came[0] != came[1]) == wrong:
            last = sum(1 for _ in answers(gold.turns))
            noticed = emr == (one.number - 1) / last if wrong else emr != 1
            graded_as.append((f"{gold.id}:{one.turn}", "wrong" if noticed else "right"))
    return StepProof.of(kind, graded_as, wrong=wrong, applied=len(there))


def _came_to(result: Result | None, mode: Mode) -> Any:
    """What counts of a result (appendix B): names, keys, contents, the value; over S3 not where a bucket is."""
    if result is None:
        return None
    rows = (
        result.changes
        if SIGNATURES.isdisjoint(result.changes)
        else {
            path: None if row is None else path.startswith("Bucket/") or row
            for path, row in result.changes.items()
            if path.startswith("Object/") or row is None or path in result.created
        }
    )
    return rows, result.value, result.error.type if result.error is not None and mode == "fixed" else None
