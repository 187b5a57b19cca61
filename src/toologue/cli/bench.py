"""`toologue bench` and `toologue prove`: published benchmarks, and the proof that their graders can fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue import registry
from toologue.cli.options import Alike, Judged, OptionalOut, Some, at_least_one
from toologue.cli.run import show
from toologue.cli.terminal import (
    command_line,
    echo,
    progress_bar,
    say,
    say_first,
    say_tables,
    table,
    unlike_default,
    write_json,
)
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.bench.benchmark import Benchmark, Options, Proof, Results
    from toologue.models.similarity import TextMatch
    from toologue.report.view import Report
    from toologue.review.judging import Judging
    from toologue.schema import Dialogue
    from toologue.score.metric import Total


def bench(
    name: str,
    /,
    *,
    data: Path | None = None,
    columns: str = "",
    agent: list[str] | None = None,
    predictions: Path | None = None,
    task: list[Literal["dst", "action", "faithfulness", "overall"]] | None = None,
    labels: list[Literal["gold", "none"]] | None = None,
    judged: Judged = Judged(),
    split: Literal["train", "test", "easy", "hard"] | None = None,
    mode: Literal["fixed", "published"] = "fixed",
    alike: Alike = Alike(),
    reply: float | None = None,
    some: Some = Some(),
    trials: int = 1,
    cap: int | None = None,
    concurrency: int = 8,
    timeout: float | None = None,
    out: OptionalOut = None,
    json: Path | None = None,
    html: Path | None = None,
    junit: Path | None = None,
    csv: Path | None = None,
) -> int:
    """Run and grade a published benchmark. Exits 3 where something is not scored, 1 where an agent broke in all.

    Args:
        name: tooltalk, almita, tooldial or dialog2api.
        data: tooltalk: the published data (folders databases, easy, tooltalk); without it, the starter set that ships
            here. almita: a file of conversations (JSONL, CSV), or a folder that `toologue generate` made; without it,
            our own suite, which is generated when it is first asked for (about a minute). tooldial: labelled dialogues,
            the paper's JSON or a dialogues.jsonl. dialog2api: conversations in the paper's XML; without it, our own
            over S3.
        columns: almita: what columns are called in the file: conversation=messages,procedure=policy; NAME= leaves one
            unread.
        agent: retrieve, procedure, gold, openai:NAME, predictions:FILE, module:attribute, … (docs/your-agent.md). Given
            several times, agents stand beside each other: --agent retrieve --agent regex_slots --agent top_api.
        predictions: tooltalk: calls made elsewhere, one JSON object a line with name and predictions; tooldial: answers
            to one task; dialog2api: conversations as an agent lived them, XML or dialogues.jsonl. The same as --agent
            predictions:FILE.
        task: tooldial: dst, action, faithfulness or overall; by default all.
        labels: tooldial: the expected labels stand in the history (gold), or those that the task asks for do not
            (none).
        judged: Who is asked about what rules leave open in words (tooltalk, almita); tooldial: who votes on whether
            responses are faithful.
        split: tooltalk: easy or hard conversations; dialog2api: the dialogues of train or of test (without an agent:
            their statistics). By default all.
        mode: fixed (repaired) or published (bug for bug). Their numbers are not comparable.
        alike: When two texts say the same.
        reply: The same for what an agent says (almita, where nothing is known but the expected words).
        some: Which conversations; by default all.
        trials: How often each conversation is run: pass^k and pass@k, and which of them flicker (docs/your-agent.md).
        cap: The most steps that an agent may take in one round; after as many without a reply to the user the
            conversation fails. By default 50; 7 of tooldial's overall task, as in the paper's code.
        concurrency: How many conversations at once.
        timeout: Seconds a conversation may take.
        out: A folder that keeps what the agent did, and how it is graded: a run that was killed goes on, and `score`,
            `report` and `compare` grade as this command did. Of several agents each has a folder in it, of a benchmark
            with parts (tooldial, dialog2api) each part one in that.
        json: Where the results go, conversation by conversation, with the intervals of all totals; for several agents a
            list of results (tooldial, dialog2api: always one object, whose `agents` is the list).
        html: Where a page of them goes.
        junit: Where JUnit XML goes.
        csv: Where the totals go as CSV: a row an agent and split, each metric with its interval.
    """
    from toologue.bench import benchmark as benchmarks
    from toologue.models.similarity import TextMatch
    from toologue.review.ledger import FOLDER
    from toologue.run.runner import Limits

    at_least_one(trials=trials, cap=cap)
    agents = [*(agent or ()), *([f"predictions:{predictions}"] if predictions is not None else [])]
    chosen = benchmarks.benchmark(name)
    voting = None if chosen.alike else judged.judge
    chosen = chosen.choosing(columns=columns, task=task, labels=labels, judge=voting, split=split)
    if out is not None and (not agents or any(map(benchmarks.predictions_file, agents))):
        raise BadSetting("--out keeps what agents do: give --agent, no predictions")
    if not agents:
        _describe(chosen, some.selection.of(chosen.load(data)), json, page=html or junit or csv)
        return 0
    judging = judged.at_work(alike.folder(out) or Path(FOLDER)) if chosen.alike and mode == "fixed" else None
    by = alike.judge(reply, beside=out) if chosen.alike else TextMatch.of("exact")
    similarity = {**unlike_default(alike), "reply": reply} if chosen.alike else {}
    asked = {"data": data, "columns": columns, "agent": agents, "task": task, "labels": labels, **vars(judged)}
    part = {**vars(some), "trials": trials if trials > 1 else None, "mode": mode if mode != "fixed" else None}
    again = command_line("bench", name, **asked, split=split, **similarity, **part, cap=cap, out=out, html=html)
    with progress_bar("running") as progress:
        limits = Limits(concurrency, timeout)
        how = benchmarks.Options(mode=mode, selection=some.selection, trials=trials, limits=limits, cap=cap)
        options = replace(how, progress=progress, warn=cache(_warn), out=out)
        results = benchmarks.evaluate(chosen, chosen.load(data), agents, judge=by, options=options)
    if judging:
        results, by = _decided(judging, chosen, results, by, options)
    if json is not None:
        write_json(json, benchmarks.record(chosen, results, judge=by, mode=mode))
    made = benchmarks.report_of(chosen, results, judge=by, mode=mode, command=again)
    _say_splits(made)
    return _then(show(made, html, junit, csv=csv, own=benchmarks.tables_of(chosen, results, judge=by, mode=mode)), html)


def _decided(
    judging: Judging, chosen: Benchmark, results: Results, by: TextMatch, options: Options
) -> tuple[Results, TextMatch]:
    """The results with what a judge decides of what they leave open."""
    from toologue.bench.benchmark import regraded

    grades = {name: partial(_totals, chosen, {name: parts}, options) for name, parts in results.items()}
    if not judging.consult(by, grades):
        return results, by
    return regraded(chosen, results, reads := judging.ledger.reads(by), options), reads


def _then(status: int, html: Path | None) -> int:
    """The status, and what comes next."""
    echo(f"next: {f'open {html}' if html else 'the same with --html page.html: every conversation'}", note=True)
    return status


def _say_splits(made: Report) -> None:
    """Say how many conversations were read of each split, where they name one: easy and hard, train and test."""
    golds = {one.gold.id: one.gold for run in made.runs for one in run.conversations}
    counts = Counter(str(gold.origin["split"]) for gold in golds.values() if "split" in gold.origin)
    if counts:
        told = ", ".join(f"{number} {split}" for split, number in counts.items())
        echo(f"{len(golds)} conversations read: {told}", note=True)


def _totals(chosen: Benchmark, results: Results, options: Options, by: TextMatch) -> list[Total]:
    from toologue.bench.benchmark import regraded, totals_by_agent

    (found,) = totals_by_agent(regraded(chosen, results, by, options)).values()
    return found


def _warn(text: str) -> None:
    echo(f"toologue: {text}", error=True)


def prove(
    what: str,
    /,
    *,
    data: Path | None = None,
    gold: bool = False,
    mode: Literal["fixed", "published"] = "fixed",
    similarity: str = "lexical",
    seed: int = 0,
    replies: Path | None = None,
    json: Path | None = None,
) -> int:
    """Prove that gold passes, that wrong agents are caught and right ones are not.

    Exits 1 where gold does not pass; for generated conversations also where one of them is not valid, where more than
    5 % of the wrong steps of a kind pass, or of the right ones fail (8 % of replies; docs/judges-and-review.md).

    Args:
        what: A benchmark (tooltalk, almita, tooldial, dialog2api), a dialogues.jsonl (where all have programs over S3,
            as dialog2api; so is the paper's XML), a folder that `toologue generate` made, a project, or verdicts: a
            folder of labelled replies.
        data: The data of a benchmark, where they are not those that ship; verdicts: the folder.
        gold: Check the gold only.
        mode: fixed or published.
        similarity: exact, one, lexical, minilm, endpoint:MODEL or vectors:FILE.
        seed: Chooses what is altered.
        replies: Generated conversations: a folder of labelled replies (docs/judges-and-review.md), in place of those
            that ship.
        json: Where the results go.
    """
    from toologue.bench.benchmark import Options, benchmark_of
    from toologue.bench.prove import OPEN_SET, check_gold
    from toologue.models.similarity import TextMatch
    from toologue.project.settings import FILE

    if what == "verdicts":
        return _prove_verdicts(data or OPEN_SET, TextMatch.of(similarity), json)
    is_project = (Path(what) / FILE).is_file()
    chosen = benchmark_of("almita" if is_project else what)
    place = data if what in registry.names("benchmark") else Path(what)
    golds = _golds_of_project(Path(what)) if is_project else chosen.load(place)
    judge = TextMatch.of(similarity if chosen.alike else "exact")
    with progress_bar("running the gold") as progress:
        checked = (chosen.check or check_gold)(chosen, golds, judge, Options(mode=mode, seed=seed, progress=progress))
    share = 1 - len(checked.failed) / len(golds)
    compared = f"{len(golds)} conversations ({mode}, {judge.similarity.name})"
    echo(f"gold: {share:.1%} of {compared if chosen.alike else f'the conversations, in every part ({mode})'}")
    say_first([f"  gold fails: {name}: {why}" for name, why in checked.failed.items()], 10)
    say_first([f"  not valid: {name}, {flaw}" for name, flaw in checked.flaws], 10)
    options = Options(mode=mode, seed=seed, replies=replies)
    proofs = _proofs(chosen, golds, judge, options) if not gold else []
    if json is not None:
        by = {"similarity": judge.record()} if chosen.alike else {}
        rows = [vars(proof) for proof in proofs]
        failed = {"failed": checked.failed} if checked.failed else {}
        write_json(json, {"mode": mode, **by, "gold": share, **failed, "alterations": rows, **checked.more})
    gates = mode == "fixed" and any(proof.gates and proof.accepted is False for proof in proofs)
    return 1 if checked.failed or checked.flaws or gates else 0


def _golds_of_project(folder: Path) -> list[Dialogue]:
    """The conversations of a project, made where they are not kept from its last test."""
    from toologue.project.playable import Playable
    from toologue.run.runner import grounded

    return list(map(grounded, Playable.of(folder).golds))


def _prove_verdicts(folder: Path, match: TextMatch, json: Path | None) -> int:
    from toologue.bench.prove import VERDICTS, graded_replies, tally
    from toologue.score.metric import grader

    rows = graded_replies(folder, match)
    found = tally(rows)
    counts = ((label, sum(mine.values()), *mine.values()) for label, mine in found.items())
    say(table(("replies", "n", *(f"graded {verdict}" for verdict in VERDICTS)), counts))
    if json is not None:
        write_json(json, {"replies": found, "rows": [row._asdict() for row in rows], "grader": grader(match)})
    return 0


def _describe(chosen: Benchmark, golds: Sequence[Dialogue], json: Path | None, *, page: Path | None) -> None:
    if chosen.describe is None:
        raise BadSetting("give --agent, once or several times, or --predictions")
    if page is not None:
        raise BadSetting("a page is made of what agents did: give --agent or --predictions")
    tables = chosen.describe(golds)
    say_tables(tables)
    if json is not None:
        rows = [{"title": one.title, "columns": one.columns, "rows": one.rows} for one in tables]
        write_json(json, {"benchmark": chosen.name, "tables": rows})


def _proofs(chosen: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options) -> list[Proof]:
    proofs = list(chosen.proofs(chosen, golds, judge, options)) if chosen.proofs else []
    if not any(proof.applied for proof in proofs):
        echo("nothing was altered: no conversation has calls, or programs are not in all of them")
        return proofs
    what, *counted = proofs[0].heads
    rows: list[tuple[object, ...]] = []
    for proof in proofs:
        verdict = "good" if proof.accepted else f"look at {', '.join(proof.missed[: proof.examples])}"
        if proof.accepted is None:
            verdict = "unsure, shows nothing" if proof.took else proof.nothing
        wrong = "wrong" if proof.wrong else "right"
        rows.append(
            (proof.kind, wrong, proof.applied, proof.took, proof.caught, proof.unsure, len(proof.missed), verdict)
        )
    say(table((what, "is", *counted, "graded wrong", "unsure", "graded as the other", ""), rows))
    return proofs
