"""The proof that a grader can fail: gold scores 100 %, wrong agents are caught, agents that are right are not.

`prove`: every alteration of `mutate.calls` is played on every conversation it applies to, and graded. Whether it *took*
is the world's verdict, not the grader's: a wrong agent whose altered call the world refused, or that read the same rows
as before, did nothing wrong and is left out; a right variant must have made the gold's calls succeed with the gold's
reads. Caught: not a success.

`prove_steps`: every kind of `mutate.steps` is taken wherever it can be. A step counts for itself, since every test
begins at the gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from toologue.bench.benchmark import Benchmark, GoldCheck, Options, Proof, StepProof, evaluate, play
from toologue.models.similarity import TextMatch
from toologue.mutate.calls import RIGHT, WRONG, altered_script
from toologue.mutate.steps import RIGHT_STEPS, WRONG_STEPS, Talk, missteps
from toologue.run.runner import Settings, cases_of
from toologue.schema import AgentTurn, Api, Call, Dialogue, Invocation, Trace, invocations
from toologue.values.compare import agree, contains
from toologue.verify.procedures import Flaw, verify
from toologue.worlds.world import documents_of, kind_at


def check_gold(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], judge: TextMatch, options: Options = Options()
) -> GoldCheck:
    """Who fails of the gold in any part. Of several parts, some have nothing to score in a dialogue."""
    (parts,) = evaluate(benchmark, dialogues, ["gold"], judge=judge, options=options).values()
    right = (1.0,) if len(parts) == 1 else (1.0, None)
    failed = {
        one.gold.id
        for graded in parts.values()
        for one in graded
        if any(one.scores[name].value not in right for name in (benchmark.passes, "outcome") if name in one.scores)
    }
    return GoldCheck([gold.id for gold in dialogues if gold.id in failed])


def prove(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], judge: TextMatch, options: Options = Options()
) -> list[Proof]:
    """Every alteration, wrong ones first."""
    return [prove_kind(benchmark, dialogues, kind, judge, options) for kind in (*WRONG, *RIGHT)]


def prove_kind(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], kind: str, judge: TextMatch, options: Options = Options()
) -> Proof:
    """One alteration on all dialogues that it applies to.

    >>> from toologue.bench.benchmark import benchmark
    >>> tooltalk = benchmark("tooltalk")
    >>> proof = prove_kind(tooltalk, tooltalk.load(None)[:5], "drop", TextMatch.of("exact"))
    >>> proof.caught == proof.took > 0
    True
    """
    cases = cases_of(dialogues, Settings(seed=options.seed))
    applied = [case.gold for case in cases if case.gold is not None and altered_script(case, kind) is not None]
    golds = {g.gold.id: g.trace for g in play(benchmark, applied, "gold", judge, options)}
    graded = play(benchmark, applied, f"altered:{kind}", judge, options)
    wrong = kind in WRONG
    took = [g for g in graded if _took(golds[g.gold.id], g.trace, g.gold, judge, wrong=wrong)]
    flagged = {g.gold.id for g in took if g.scores[benchmark.passes].value != 1.0}
    missed = tuple(g.gold.id for g in took if (g.gold.id in flagged) != wrong)
    return Proof(kind, wrong, len(applied), len(took), len(flagged), missed)


def _took(gold: Trace, altered: Trace, dialogue: Dialogue, judge: TextMatch, *, wrong: bool) -> bool:
    """Whether the agent did something else than gold (wrong), or the same in other words (right)."""
    documents = kind_at(dialogue.world).by_name
    return (_differs if wrong else _same_deeds)(gold, altered, documents, judge)


def _differs(gold: Trace, altered: Trace, documents: Mapping[str, Api], judge: TextMatch) -> bool:
    """Whether a deed of gold is missing, or something more was written. A read that finds more does no harm."""
    made = [i for i in invocations(altered.turns) if _worked(i)]
    for wanted in filter(_worked, invocations(gold.turns)):
        twin = next((i for i in made if _same_deed(wanted, i, documents)), None)
        if twin is None:
            return True
        made.remove(twin)
    return any(_writes(i, documents) for i in made)


def _same_deed(wanted: Invocation, made: Invocation, documents: Mapping[str, Api]) -> bool:
    """Whether two calls of one round did the same: asked to write the same, or found the same and perhaps more."""
    one, other = cast("Call", wanted.act), cast("Call", made.act)
    if one.api != other.api or wanted.round != made.round:
        return False
    if _writes(wanted, documents):
        return one.arguments == other.arguments
    return contains(made.result.value, wanted.result.value)


def _writes(invocation: Invocation, documents: Mapping[str, Api]) -> bool:
    api = documents.get(cast("Call", invocation.act).api)
    return api is None or api.writes


def _worked(invocation: Invocation) -> bool:
    return invocation.act.kind == "call" and invocation.result.error is None


def _same_deeds(gold: Trace, altered: Trace, documents: Mapping[str, Api], judge: TextMatch) -> bool:
    """Whether every gold call has a twin: as successful, its arguments alike, its reads the same."""
    free = list(invocations(altered.turns))
    for wanted in invocations(gold.turns):
        twin = next((i for i in free if _twins(wanted, i, documents, judge)), None)
        if twin is None:
            return False
        free.remove(twin)
    return True


def _twins(wanted: Invocation, made: Invocation, documents: Mapping[str, Api], judge: TextMatch) -> bool:
    one, other = wanted.act, made.act
    if one.kind != "call" or other.kind != "call" or one.api != other.api or wanted.round != made.round:
        return False
    if (wanted.result.error is None) != (made.result.error is None):
        return False
    api = documents.get(one.api)
    if api is None or not api.writes:
        return wanted.result.value == made.result.value
    mine, theirs = other.arguments or {}, one.arguments or {}
    return all(
        agree(api.parameters[name].compare, value, mine.get(name), judge.alike)
        for name, value in theirs.items()
        if name in api.parameters
    )


def flaws_of(dialogues: Sequence[Dialogue]) -> Iterator[tuple[str, Flaw]]:
    """(dialogue, what is wrong with it), where something is: done again, and followed through its procedure."""
    for dialogue in dialogues:
        talk = Talk(dialogue, documents_of(dialogue))
        for flaw in verify(dialogue, talk.graph, apis=talk.documents):
            yield dialogue.id, flaw


def prove_steps(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], judge: TextMatch, options: Options = Options()
) -> Iterator[Proof]:
    """Every kind of misstep, wrong ones first."""
    for kind in (*WRONG_STEPS, *RIGHT_STEPS):
        yield prove_step(benchmark, dialogues, kind, judge, options)


def prove_step(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], kind: str, judge: TextMatch, options: Options = Options()
) -> Proof:
    """One kind, at every step where it can be taken. `applied`: conversations; `took`, `caught`: steps."""
    wrong = kind in WRONG_STEPS
    applied = took = caught = 0
    missed: list[str] = []
    for gold in dialogues:
        instead = missteps(gold, documents_of(gold), kind, seed=options.seed)
        if not instead:
            continue
        graded = benchmark.grade(benchmark.part, options.mode, gold, _lived(gold, instead), judge)
        tests = graded.record["tests"]
        verdicts = {test["turn"]: test["correct"] for test in tests if test["turn"] in instead}
        flagged = [turn for turn, correct in verdicts.items() if not correct]
        applied, took, caught = applied + 1, took + len(verdicts), caught + len(flagged)
        missed += [f"{gold.id}:{turn}" for turn, correct in verdicts.items() if correct == wrong]
    return StepProof(kind, wrong, applied, took, caught, tuple(missed))


def _lived(gold: Dialogue, instead: Mapping[int, AgentTurn]) -> Trace:
    """The gold as an agent lives it under `next` that takes these steps in place of its own."""
    turns = tuple(instead.get(at, turn) for at, turn in enumerate(gold.turns))
    return Trace(case=gold.id, dialogue=gold.id, protocol="next", agent="misstep", turns=turns)
