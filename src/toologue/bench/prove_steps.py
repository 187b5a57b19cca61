"""The proof that tests of the next step can tell right from wrong: for suites that were generated.

    valid      every conversation does again what it says it did, and every argument can be known (`write.verify`)
    gold       scores 100 %
    missteps   every wrong step that can be taken anywhere (`agents.missteps`) is caught, no right one is

Contract: a step counts for itself, since every test begins at the gold. Kinds are good where at least 95 % of the wrong
steps are caught, and at most 5 % of the right ones; `proved` says whether all of it is.

Example:
    >>> from toologue.bench.benchmark import benchmark
    >>> from toologue.project.generate import Making, make, shipped
    >>> (source,) = shipped("order-not-received")
    >>> dialogues = make(source, Making(count=0)).dialogues[:4]
    >>> proof = prove_step(benchmark("almita"), dialogues, "drop", TextMatch.of("lexical"))
    >>> proof.caught == proof.took > 0
    True

Not covered: missteps of conversations without cues; some kinds apply nowhere there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toologue.bench.benchmark import Benchmark, Options
from toologue.bench.prove import Proof
from toologue.models.similarity import TextMatch
from toologue.mutate.steps import RIGHT_STEPS, WRONG_STEPS, Talk, missteps
from toologue.schema import AgentTurn, Dialogue, Trace
from toologue.verify.procedures import Flaw, verify
from toologue.worlds.world import documents_of

KILLED, ALARMED = 0.95, 0.05
"""The least share of wrong steps that must be caught, and the greatest share of right ones that may be."""


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
        tests = benchmark.grade(options.mode, gold, _lived(gold, instead), judge).record["tests"]
        verdicts = {test["turn"]: test["correct"] for test in tests if test["turn"] in instead}
        flagged = [turn for turn, correct in verdicts.items() if not correct]
        applied, took, caught = applied + 1, took + len(verdicts), caught + len(flagged)
        missed += [f"{gold.id}:{turn}" for turn, correct in verdicts.items() if correct == wrong]
    return Proof(kind, wrong, applied, took, caught, tuple(missed))


def is_good(proof: Proof) -> bool:
    """Whether a kind is told apart as well as it must be; what cannot be done anywhere is."""
    share = proof.caught / proof.took if proof.took else float(proof.wrong)
    return share >= KILLED if proof.wrong else share <= ALARMED


def _lived(gold: Dialogue, instead: Mapping[int, AgentTurn]) -> Trace:
    """The gold as an agent lives it under `next` that takes these steps in place of its own."""
    turns = tuple(instead.get(at, turn) for at, turn in enumerate(gold.turns))
    return Trace(case=gold.id, dialogue=gold.id, protocol="next", agent="misstep", turns=turns)
