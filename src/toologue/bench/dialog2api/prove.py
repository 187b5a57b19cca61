"""The proof for Dialog2API: mutants lower EMR as they must.

Whether a mutant *took* is the world's verdict, not the grader's: a wrong one must have come to other rows, another
value or another error than the gold, a right one to the same (in which region a bucket is does not count, appendix B).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toologue.agents.agent import AgentSpec, ScriptedAgent, script_of
from toologue.bench.benchmark import Benchmark, Mode, Options, StepProof, play
from toologue.loop import Agent
from toologue.models.similarity import TextMatch
from toologue.mutate.programs import RIGHT, WRONG, mutant
from toologue.schema import Case, Dialogue, Result, Verdict, answers
from toologue.score.metric import done_at
from toologue.score.programs import EMR
from toologue.worlds.s3.signature import SIGNATURES


def prove(benchmark: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options) -> list[StepProof]:
    """Every mutation, wrong ones first. `applied`, `took`, `caught`: dialogues.

    `caught` are wrong mutants whose EMR is exactly (t - 1) / T for a mutation in turn t of T, and right ones whose EMR
    is not 1.
    """
    return [_prove_kind(benchmark, kind, golds, judge, options) for kind in (*WRONG, *RIGHT)]


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
