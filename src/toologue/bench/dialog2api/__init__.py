"""Dialog2API: programs over S3, executed and compared turn by turn (arXiv 2212.09946, sections 2.1 and 5).

    part     protocol   asked for                                        metrics (`score.programs`)
    talk     recorded   programs and words, the user's words being       EMR, perfect dialogue, turn match, BLEU
                        the gold's whatever was answered
    code     next       programs, each where the gold stands             CodeEdits; teacher-forced match, of these
                                                                         programs run where the gold stands

`load` reads our dialogues (None: those that ship), the paper's XML, or a dialogues.jsonl, and executes the gold in the
world `s3_programs` (that of a chat in its own): what it comes to here counts. A file that says what it comes to must be
right: its signatures, and the results of a dialogues.jsonl.

Conversations from elsewhere, in the paper's XML or a dialogues.jsonl, are told apart by their ids. Of these the agent's
side is played: its programs run here, whatever results stand in the file, and the user's words are the gold's. They
were not made where the gold stands, so of them there are no CodeEdits.

Example:
    >>> from toologue.formats.dialog2api import parse_conversations
    >>> goal = '<goal uid="1" status="final"><program>return len(s3.list_buckets()["Buckets"])</program></goal>'
    >>> words = '<turn>User: How many buckets?</turn>', goal, '<turn>Agent: Five.</turn>'
    >>> (said,) = parse_conversations(f'<conversation uid="d"><turns>{"".join(words)}</turns></conversation>')
    >>> gold = executed(said)
    >>> gold.turns[1].results[0].value, len(gold.turns[1].extra["signatures"][0])
    (5, 8)

Not covered: the paper's own conversations, which are not published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from toologue.agents.agent import AgentSpec, ScriptedAgent, script_of
from toologue.bench.benchmark import (
    Benchmark,
    Graded,
    Mode,
    Options,
    Part,
    Results,
    StepProof,
    of_split,
    play,
    traces_of,
)
from toologue.bench.dialog2api.files import SHIPPED, executed, over_s3, programs_of, read_folder
from toologue.bench.dialog2api.tables import table3, tables, talk_table
from toologue.bench.tables import html
from toologue.errors import BadFile, BadRecord, BadSetting, shown
from toologue.formats.dialog2api import read_conversations
from toologue.loop import Agent, Do, Replay, Session
from toologue.models.similarity import TextMatch
from toologue.mutate.programs import RIGHT, WRONG, mutant
from toologue.schema import Case, Dialogue, Result, Trace, Turn, Verdict, answers, executable, rounds
from toologue.schema.jsonl import read
from toologue.schema.stack import completed
from toologue.score.metric import TurnTest, done_at
from toologue.score.programs import EDITS, EMR, FORCED, METRICS, scores_of, turn_tests
from toologue.worlds.s3.signature import SIGNATURES
from toologue.worlds.world import make_world

PASSES = METRICS[1]


def load(data: Path | None = None) -> list[Dialogue]:
    """The dialogues of a file or folder, executed. Raises BadFile, BadRecord."""
    if data is None:
        return [*_shipped()]
    if (data / "goals.yaml").exists():
        found = list(read_folder(data))
    elif data.suffix == ".xml":
        found = read_conversations(data)
    else:
        found = list(read(data / "dialogues.jsonl" if data.is_dir() else data, Dialogue))
    strange = next((one for one in found if not (over_s3(one) or one.world.name == "programs")), None)
    if strange is not None:
        what = f"dialogue {strange.id!r} plays in the world {strange.world.name!r}, in which no programs run"
        raise BadFile(f"{data}: {what}; expected s3 or programs")
    golds = [executed(one, data) for one in found]
    if data.suffix != ".xml":
        for line, (written, gold) in enumerate(zip(found, golds, strict=True), 1):
            _check_results(written, gold, data, line)
    return golds


_shipped = cache(partial(load, SHIPPED))


def grade(mode: Mode, gold: Dialogue, trace: Trace, judge: TextMatch | None = None) -> Graded:
    """Grade one conversation of either part."""
    scores = scores_of(mode, gold, trace)
    at = [one.model_dump(mode="json") for score in scores.values() for one in score.at if score.metric != METRICS[0]]
    metrics = {name: score.value for name, score in scores.items()}
    why = next((score.why for score in scores.values() if score.why), "")
    record: dict[str, Any] = {"name": gold.id, "part": "code" if trace.protocol == "next" else "talk"}
    if why:
        record["why"] = why
    elif record["part"] == "talk":
        record |= _turns(turn_tests(mode, gold, trace))
    return Graded(gold, trace, scores, {**record, "metrics": metrics, "at": at})


def _turns(tests: Sequence[TurnTest]) -> dict[str, list[Any]]:
    """Which turns match, and which of those that do not are unsure, by number."""
    unsure = [test.round for test in tests if any(one.verdict == "unsure" for one in test.at)]
    return {"turns": [test.correct for test in tests], **({"unsure": unsure} if unsure else {})}


def _run_where_gold_stands(part: Part, graded: list[Graded], options: Options) -> list[Graded]:
    """The part `code` with what its programs come to in the gold's account."""
    if part.name != "code":
        return graded
    return [_with_forced(one, options.mode) if one.scores[EDITS].value is not None else one for one in graded]


def _with_forced(one: Graded, mode: Mode) -> Graded:
    forced = _teacher_forced(one.gold, one.trace)
    score = scores_of(mode, one.gold, forced)[FORCED]
    metrics = {**one.record["metrics"], FORCED: score.value}
    record = {**one.record, **_turns(turn_tests(mode, one.gold, forced)), "metrics": metrics}
    return replace(one, scores={**one.scores, FORCED: score}, record=record)


def _teacher_forced(gold: Dialogue, trace: Trace) -> Trace:
    """A `next` trace as a `forced` one: in every round the programs that answered the user are run in the account as
    the gold's programs left it, then these run instead. What was written in later turns of the round is left out.
    """
    session = Session(make_world(Case(id=gold.id, gold=gold, world=gold.world, protocol="forced")))
    lived, place = list[Turn](), 0
    for said, did in rounds(gold.turns):
        lived += said
        place += len(said)
        if not said:
            lived += did
        elif did:
            turn = completed((*gold.turns[:place], done_at(trace, place)), lax=True)[-1]
            assert turn.role == "agent"
            done = (session.answer(Do(act)) if executable(act) else None for act in turn.acts)
            lived.append(turn.replace(results=tuple(done)))
        session.answer(Replay(tuple(act for turn in did for act in turn.acts if executable(act))))
        place += len(did)
    return trace.replace(protocol="forced", turns=tuple(lived))


def _check_results(written: Dialogue, gold: Dialogue, file: Path, line: int) -> None:
    """Results that a dialogues.jsonl has must be those that programs come to here."""
    for at, (one, other) in enumerate(zip(written.turns, gold.turns, strict=True)):
        if one.role == "agent" and other.role == "agent":
            for slot, (said, made) in enumerate(zip(one.results, other.results, strict=False)):
                if said not in (None, made):
                    what = f"the program of dialogue {shown(gold.id)} comes to another result here"
                    raise BadRecord(file, line, f"$.turns[{at}].results[{slot}]", what, "leave the results out")


def read_predictions(file: Path) -> Mapping[str, Dialogue]:
    """Conversations by id. Programs that cannot go on the stack stay as they are: they are graded, not refused."""
    found = read_conversations(file, lax=True) if file.suffix == ".xml" else list(read(file, Dialogue))
    return {one.id: one.replace(turns=completed(one.turns, lax=True)) for one in found}


def _predicted(
    benchmark: Benchmark, part: Part, golds: Sequence[Dialogue], file: Path, options: Options
) -> dict[str, Trace]:
    """The traces of the dialogues that a file has, executed here with the words of the gold's users."""
    known = read_predictions(file)
    strange = sorted(known.keys() - {gold.id for gold in golds})
    if len(strange) == len(known):
        raise BadSetting(f"{file} has predictions for {strange[0]!r}, which is no dialogue here, and for no other")
    there = [gold for gold in golds if gold.id in known]

    def make(case: Case) -> Agent:
        answered = (did for _, _, did in answers(known[case.id].turns))
        asked = [said for said, _ in rounds(case.gold.turns)] if case.gold else []
        return ScriptedAgent([next(answered, ()) if said else () for said in asked])

    agent = AgentSpec(f"predictions:{file.name}", make, reads_gold=True)
    return {trace.dialogue: trace for trace in traces_of(benchmark, part, there, agent, options)}


def of_programs(file: Path) -> bool:
    """Whether a file, or a folder with goals.yaml, holds conversations with programs, and no others."""
    if not file.is_file():
        return (file / "goals.yaml").is_file()
    if file.suffix == ".xml":
        return True
    programs = False
    for gold in read(file, Dialogue):
        if not (over_s3(gold) or gold.world.name == "programs"):
            return False
        programs = programs or bool(programs_of(gold))
    return programs


def prove(benchmark: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options) -> list[StepProof]:
    """Every mutation, wrong ones first. `applied`, `took`, `caught`: dialogues.

    Whether a mutant *took* is the world's verdict, not the grader's: a wrong one must have come to other rows, another
    value or another error than the gold, a right one to the same (whatever region a bucket is in, appendix B). `caught`
    are wrong mutants whose EMR is exactly (t - 1) / T for a mutation in turn t of T, and right ones whose EMR is not 1.
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


def _sections(results: Results) -> list[tuple[str, str]]:
    parts = next(iter(results.values()))
    golds = [one.gold for one in next(iter(parts.values()))]
    return [("Tables", html([*tables(results), table3(golds)]))]


DIALOG2API = Benchmark(
    "dialog2api",
    (
        Part("talk", "recorded", METRICS[:4], about={"part": "talk"}),
        Part("code", "next", (EDITS, FORCED), about={"part": "code"}, predicted=False),
    ),
    load,
    lambda part, mode, gold, trace, judge: grade(mode, gold, trace, judge),
    lambda one: str(one.gold.origin.get("split", "")),
    passes=PASSES,
    alike=False,
    tables=tables,
    sections=_sections,
    describe=lambda golds: [table3(golds), talk_table(golds)],
    choices={"split": of_split},
    predictions=_predicted,
    absent="the predictions have no conversation for it",
    review=_run_where_gold_stands,
    owns=of_programs,
    proofs=prove,
)
