"""The proof that a grader can fail: gold scores 100 %, wrong agents are caught, agents that are right are not.

`prove`: every alteration of `mutate.calls` is played on every conversation it applies to, and graded. Whether it *took*
is the world's verdict, not the grader's: a wrong agent whose altered call the world refused, or that read the same rows
as before, did nothing wrong and is left out; a right variant must have made the gold's calls succeed with the gold's
reads. Caught: not a success.

`prove_taken`: steps taken in place of the gold's, wherever they can be; `prove_steps` those of `mutate.steps`. A step
counts for itself, since every test begins at the gold.

`graded_replies`: how right the verdicts on words are (`toologue prove verdicts`). A folder holds `dialogues.jsonl[.gz]`
(golds) and `replies.jsonl`: a reply or calls in place of one of their turns, with a label that a person would give.
Rows that a careful reader calls debatable are counted, and belong to no rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from toologue.bench.benchmark import Benchmark, GoldCheck, Options, Part, Proof, ReplyProof, StepProof, evaluate, play
from toologue.errors import BadFile, BadRecord
from toologue.models.similarity import TextMatch
from toologue.mutate.calls import RIGHT, WRONG, altered_script
from toologue.mutate.steps import RIGHT_STEPS, WRONG_STEPS, Talk, missteps
from toologue.report.view import Conversation
from toologue.report.words import findings, headline
from toologue.run.runner import Settings, cases_of
from toologue.schema import AgentTurn, Call, DecidedBy, Dialogue, Invocation, Noun, Trace, Verdict
from toologue.schema.jsonl import read
from toologue.score.calls import made
from toologue.score.metric import verdict_on
from toologue.score.steps import judged_step
from toologue.values.compare import agree, contains
from toologue.verify.procedures import Flaw, verify
from toologue.worlds.world import documents_of, kind_at

# Of a part a gold, by turn the steps that take the place of its own, and the tests that see them.
Taken = tuple[Part, Dialogue, Mapping[int, AgentTurn], Collection[int]]


def check_gold(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], judge: TextMatch, options: Options = Options()
) -> GoldCheck:
    """Who fails of the gold in any part, and why. Of several parts, some have nothing to score in a dialogue."""
    telling = tuple(part for part in benchmark.parts if benchmark.passes in part.metrics)
    told = replace(benchmark, parts=telling)
    (parts,) = evaluate(told, dialogues, ["gold"], judge=judge, options=options).values()
    right = (1.0,) if len(parts) == 1 else (1.0, None)
    failed = {gold.id: "" for gold in dialogues}
    for part, graded in reversed([*parts.items()]):
        for one in graded:
            if any(one.scores[name].value not in right for name in (benchmark.passes, "outcome") if name in one.scores):
                lived = Conversation(one.gold, one.trace, one.scores)
                differs = next((finding.line for finding in findings(lived)), "No difference was recorded.")
                failed[one.gold.id] = ": ".join(filter(None, (part.name, headline(lived) or differs)))
    return GoldCheck({name: why for name, why in failed.items() if why})


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
    took = (g for g in graded if (_differs if wrong else _is_same)(g.gold, golds[g.gold.id], g.trace, judge))
    return Proof.of(
        kind, [(g.gold.id, verdict_on(g.scores[benchmark.passes])) for g in took], wrong=wrong, applied=len(applied)
    )


def _differs(dialogue: Dialogue, gold: Trace, altered: Trace, judge: TextMatch) -> bool:
    """Whether a deed of gold is missing, or something more was written. A read that finds more does no harm."""
    documents = kind_at(dialogue.world).by_name

    def writes(one: Invocation) -> bool:
        return one.call.api not in documents or documents[one.call.api].writes

    def same(wanted: Invocation, made: Invocation) -> bool:
        if writes(wanted):
            return wanted.call.arguments == made.call.arguments
        return contains(made.result.value, wanted.result.value)

    wanted, done = ([one for one in made(trace) if one.result.error is None] for trace in (gold, altered))
    left = _unpaired(wanted, done, same)
    return left is None or any(map(writes, left))


def _is_same(dialogue: Dialogue, gold: Trace, altered: Trace, judge: TextMatch) -> bool:
    """Whether every gold call has a twin: as successful, its arguments alike, its reads the same."""
    documents = kind_at(dialogue.world).by_name

    def same(wanted: Invocation, made: Invocation) -> bool:
        if (wanted.result.error is None) != (made.result.error is None):
            return False
        api = documents.get(wanted.call.api)
        if api is None or not api.writes:
            return wanted.result.value == made.result.value
        mine, theirs = made.call.arguments or {}, wanted.call.arguments or {}
        known = [(name, one) for name, one in api.parameters.items() if name in theirs]
        return all(agree(one.compare, theirs[name], mine.get(name), judge.alike) for name, one in known)

    return _unpaired(made(gold), made(altered), same) is not None


def _unpaired(
    wanted: Sequence[Invocation], done: Sequence[Invocation], same: Callable[[Invocation, Invocation], bool]
) -> list[Invocation] | None:
    """What was done besides the twins of what was wanted, which are calls of the same round; None where one lacks."""
    left = list(done)
    for one in wanted:
        near = (other for other in left if other.call.api == one.call.api and other.round == one.round)
        twin = next((other for other in near if same(one, other)), None)
        if twin is None:
            return None
        left.remove(twin)
    return left


def flaws_of(dialogues: Sequence[Dialogue]) -> Iterator[tuple[str, Flaw]]:
    """(dialogue, what is wrong with it), where something is: done again, and followed through its procedure."""
    for dialogue in dialogues:
        talk = Talk(dialogue, documents_of(dialogue))
        for flaw in verify(dialogue, talk.graph, apis=talk.documents):
            yield dialogue.id, flaw


def prove_steps(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], judge: TextMatch, options: Options = Options()
) -> Iterator[Proof]:
    """Every kind of misstep, wrong ones first; in `fixed` mode replies that others wrote, too."""
    for kind in (*WRONG_STEPS, *RIGHT_STEPS):
        yield prove_step(benchmark, dialogues, kind, judge, options)
    if options.mode == "fixed":
        yield from prove_replies(options.replies or OPEN_SET, judge)


def prove_replies(folder: Path, judge: TextMatch) -> Iterator[Proof]:
    """Replies of a folder that are labelled wrong, then those labelled right, as one proof each."""
    rows = graded_replies(folder, judge)
    for label in ("wrong", "right"):
        mine = [row for row in rows if row.label == label]
        verdicts: list[tuple[str, Verdict]] = [(row.id, row.verdict) for row in mine]
        talks = len({row.dialogue for row in mine})
        yield ReplyProof.of(f"{label} replies", verdicts, wrong=label == "wrong", applied=talks)


def prove_step(
    benchmark: Benchmark, dialogues: Sequence[Dialogue], kind: str, judge: TextMatch, options: Options = Options()
) -> Proof:
    """One kind, at every step where it can be taken. `applied`: conversations; `took`, `caught`: steps."""
    made = ((gold, missteps(gold, documents_of(gold), kind, seed=options.seed)) for gold in dialogues)
    taken = ((benchmark.part, gold, instead, instead.keys()) for gold, instead in made)
    return prove_taken(benchmark, kind, taken, judge, options, wrong=kind in WRONG_STEPS)


def prove_taken(
    benchmark: Benchmark, kind: str, taken: Iterable[Taken], judge: TextMatch, options: Options, *, wrong: bool
) -> StepProof:
    """Steps of one kind, each in place of the gold's. `applied`: conversations; `took`, `caught`: tests."""
    applied, found = set[str](), list[tuple[str, Verdict]]()
    for part, gold, instead, seeing in (one for one in taken if one[2]):
        turns = tuple(instead.get(at, turn) for at, turn in enumerate(gold.turns))
        lived = Trace(case=gold.id, dialogue=gold.id, protocol=part.protocol, agent=f"mutant:{kind}", turns=turns)
        for test in benchmark.grade(part, options.mode, gold, lived, judge).record["tests"]:
            if test["turn"] in seeing:
                verdict = test.get("verdict") or ("right" if test["correct"] else "wrong")
                found.append((f"{gold.id}:{test['turn']}", verdict))
        applied.add(gold.id)
    return StepProof.of(kind, found, wrong=wrong, applied=len(applied))


Label = Literal["right", "wrong", "debatable"]
LABELS: tuple[Label, ...] = ("right", "wrong", "debatable")
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "unsure")


OPEN_SET = Path(__file__).resolve().with_name("replies")
"""443 replies to 160 turns of generated conversations, by writers who saw the request alone."""


class LabelledReply(Noun):
    """A step in place of turn `turn` of a dialogue, and whether it would do there."""

    id: str
    dialogue: str
    turn: int
    text: str | None = None
    calls: tuple[Call, ...] = ()
    label: Label
    kind: str = ""
    why: str = ""


class Graded(NamedTuple):
    """A labelled row with its verdict, what decided it, and why."""

    id: str
    label: Label
    dialogue: str
    kind: str
    verdict: Verdict
    decided_by: DecidedBy | None
    why: str


def graded_replies(folder: Path, match: TextMatch) -> list[Graded]:
    """The labelled replies of a folder, graded. Raises BadFile where it has none."""
    golds = {gold.id: gold for gold in read(_file(folder, "dialogues.jsonl"), Dialogue)}
    return [_graded(row, golds, match) for row in labelled(folder)]


def labelled(folder: Path) -> Iterator[LabelledReply]:
    """The labelled replies of a folder."""
    return read(_file(folder, "replies.jsonl"), LabelledReply)


def tally(rows: Iterable[Graded]) -> Mapping[Label, Mapping[Verdict, int]]:
    """How often each label got each verdict."""
    found = Counter((row.label, row.verdict) for row in rows)
    return {label: {verdict: found[label, verdict] for verdict in VERDICTS} for label in LABELS}


def _graded(row: LabelledReply, golds: Mapping[str, Dialogue], match: TextMatch) -> Graded:
    gold = golds.get(row.dialogue)
    if gold is None or not 0 <= row.turn < len(gold.turns) or gold.turns[row.turn].role != "agent":
        raise BadRecord(f"reply {row.id!r}", 0, "$.turn", f"dialogue {row.dialogue!r} has no agent turn {row.turn}")
    found = judged_step(gold, row.turn, AgentTurn(text=row.text, acts=row.calls), match)
    why = "; ".join(f"{one.field}: {one.why}" for one in found.at)
    return Graded(row.id, row.label, row.dialogue, row.kind, found.verdict, found.by, why)


def _file(folder: Path, name: str) -> Path:
    found: Sequence[Path] = [path for path in (folder / name, folder / f"{name}.gz") if path.exists()]
    if not found:
        raise BadFile(f"{folder} has no {name}: give a folder of labelled replies (docs/judges-and-review.md)")
    return found[0]
