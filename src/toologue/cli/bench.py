"""`toologue bench` and `toologue prove`: published benchmarks, and the proof that their graders can fail.

Not covered: leaderboards.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from toologue import registry
from toologue.bench.benchmark import Benchmark, Graded, Mode, Options, benchmark, play, predicted
from toologue.bench.prove import Proof, Proved
from toologue.bench.prove import prove as prove_all
from toologue.bench.prove_steps import flaws_of, is_good, prove_steps
from toologue.bench.tooltalk import grade, summarize, ungraded
from toologue.cli.alike import Alike
from toologue.cli.bench_dialog2api import bench_dialog2api, over_s3, prove_dialog2api
from toologue.cli.bench_tooldial import Asked, Files, bench_tooldial, prove_tooldial
from toologue.cli.run import show
from toologue.cli.terminal import command_line, progress_bar, say, write_json
from toologue.errors import BadSetting, UnknownName
from toologue.formats.tooldial_text import Labels, Task
from toologue.models.similarity import TextMatch
from toologue.report.view import Conversation, Report, RunView, thresholds_text
from toologue.report.words import legible
from toologue.run.runner import Limits, grounded
from toologue.schema import Dialogue, Trace
from toologue.schema.jsonl import read
from toologue.score.metric import totals

_EXACT = ("tooldial", "dialog2api")  # nothing is compared by similarity


def bench(
    name: str,
    /,
    *,
    data: Path | None = None,
    columns: str = "",
    agent: list[str] | None = None,
    predictions: Path | None = None,
    task: list[Task] | None = None,
    labels: list[Labels] | None = None,
    judge: str | None = None,
    split: Literal["train", "test"] | None = None,
    mode: Literal["fixed", "published"] = "fixed",
    alike: Alike = Alike(),
    reply: float | None = None,
    concurrency: int = 8,
    timeout: float | None = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    json: Path | None = None,
    html: Path | None = None,
    junit: Path | None = None,
) -> None:
    """Run and grade a published benchmark.

    Parameters
    ----------
    name
        tooltalk, almita, tooldial or dialog2api.
    data
        tooltalk: the published data (folders databases, easy, tooltalk); without it, the starter set that ships here.
        almita: a file of conversations (JSONL, CSV), or a folder that `toologue generate` made; without it, our own
        suite, which is generated when it is first asked for (about a minute). tooldial: labelled dialogues, the paper's
        JSON or a dialogues.jsonl. dialog2api: conversations in the paper's XML; without it, our own over S3.
    columns
        almita: what columns are called in the file: conversation=messages,procedure=policy; NAME= leaves one unread.
    agent
        retrieve, procedure, gold, openai:NAME, predictions:FILE, module:attribute, … (docs/agents.md). Given several
        times, agents stand beside each other: --agent retrieve --agent regex_slots --agent top_api.
    predictions
        tooltalk: calls made elsewhere, one JSON object a line with name and predictions; tooldial: answers to one task;
        dialog2api: conversations as an agent lived them, XML or dialogues.jsonl. The same as --agent predictions:FILE.
    task
        tooldial: dst, action, faithfulness or overall; by default all.
    labels
        tooldial: the expected labels stand in the history (gold), or those that the task asks for do not (none).
    judge
        tooldial: openai:NAME or module:attribute votes on whether responses are faithful.
    split
        dialog2api: the dialogues of train or of test; by default all. Without an agent: statistics of the dialogues.
    mode
        fixed (repaired) or published (bug for bug). Their numbers are not comparable.
    alike
        When two texts say the same.
    reply
        The same for what an agent says (almita, where nothing is known but the expected words).
    concurrency
        How many conversations at once.
    timeout
        Seconds a conversation may take.
    out
        A folder that keeps what the agent did (dialog2api: run folders talk and code): a run that was killed goes on.
    json
        Where the results go, conversation by conversation; for several agents a list of results.
    html
        Where a page of them goes.
    junit
        Where JUnit XML goes.
    """
    specs = [*(agent or ()), *([f"predictions:{predictions}"] if predictions is not None else [])]
    options = Options(mode=mode, limits=Limits(concurrency, timeout), out=_kept(name, specs, out))
    asked = {"data": data, "columns": columns, "agent": specs, "task": task, "labels": labels, "judge": judge}
    by = {} if name in _EXACT else {**vars(alike), "reply": reply}
    again = command_line("bench", name, **asked, split=split, mode=mode, **by, out=out, html=html)
    files = Files(again, json, html, junit)
    if name == "dialog2api":
        return bench_dialog2api(specs, data, split, mode, options, files)
    if not specs:
        raise BadSetting("give --agent, once or several times, or --predictions")
    if name == "tooldial":
        return bench_tooldial(specs, data, mode, options, Asked(task or (), labels or (), judge), files)
    if name != "tooltalk" and any(spec.partition(":")[0] == "predictions" for spec in specs):
        raise BadSetting(f"{name!r} has no predictions made elsewhere: predictions are calls of tooltalk; give --agent")
    chosen = benchmark(name).with_columns(columns) if columns else benchmark(name)
    return _told(chosen, chosen.load(data), specs, alike.judge(reply), options, files)


def _kept(name: str, specs: Sequence[str], out: Path | None) -> Path | None:
    """The folder for what an agent does, where there can be one."""
    if out is not None and (len(specs) != 1 or name == "tooldial" or specs[0].startswith("predictions:")):
        raise BadSetting("--out keeps what one agent does in tooltalk, almita or dialog2api: give one --agent")
    return out


def _told(
    chosen: Benchmark,
    golds: Sequence[Dialogue],
    specs: Sequence[str],
    judge: TextMatch,
    options: Options,
    files: Files,
) -> None:
    """Play, grade, print, and write what files are wanted."""
    name, mode = chosen.name, options.mode
    runs = {spec: _graded(chosen, golds, spec, judge, options) for spec in dict.fromkeys(specs)}
    if files.json is not None:
        results = [_result(name, spec, mode, judge, chosen.summarize(mode, runs[spec]), runs[spec]) for spec in runs]
        write_json(files.json, results[0] if len(results) == 1 else results)
    for spec, graded in runs.items():
        title = f"{name}, {mode}, {judge.similarity.name}" if len(runs) == 1 else spec
        say(_splits_table(title, chosen, chosen.summarize(mode, graded), graded))
    views = [_view(spec, mode, judge, [g for g in graded if g.trace.case]) for spec, graded in runs.items()]
    show(Report(f"{name} ({mode})", views, command=files.command), files.html, files.junit)


def _graded(
    chosen: Benchmark, golds: Sequence[Dialogue], spec: str, judge: TextMatch, options: Options
) -> list[Graded]:
    """Every dialogue, played and graded; those that a predictions file lacks are unscored."""
    kind, _, file = spec.partition(":")
    played, absent = list(golds), list[Dialogue]()
    if kind == "predictions" and file:
        played, absent, strange = predicted(golds, Path(file))
        if strange:
            print(f"toologue: {len(strange)} names in {file} are no dialogue here: {strange[:3]}", file=sys.stderr)
    with progress_bar(f"running {spec}") as progress:
        graded = play(chosen, played, spec, judge, replace(options, progress=progress))
    found = {g.gold.id: g for g in (*graded, *(_unplayed(options.mode, gold) for gold in absent))}
    return [found[gold.id] for gold in golds]


def _result(
    name: str, spec: str, mode: Mode, judge: TextMatch, summary: Mapping[str, Any], graded: Sequence[Graded]
) -> dict[str, Any]:
    result = {"benchmark": name, "agent": spec, "mode": mode, "similarity": judge.record(), "totals": summary}
    return {**result, "conversations": [g.record for g in graded]}


def prove(
    what: str,
    /,
    *,
    data: Path | None = None,
    gold: bool = False,
    mode: Literal["fixed", "published"] = "fixed",
    similarity: str = "lexical",
    seed: int = 0,
    endpoint: str | None = None,
    json: Path | None = None,
) -> int:
    """Prove that gold passes, that wrong agents are caught and right ones are not.

    Exits 1 where gold does not pass; for generated conversations also where one of them is not valid, where fewer than
    95 % of the wrong steps of a kind are caught, or more than 5 % of the right ones (docs/almita.md).

    Parameters
    ----------
    what
        A benchmark (tooltalk, almita, tooldial, dialog2api), a dialogues.jsonl (where all have programs over S3, as
        dialog2api; so is the paper's XML), or a folder that `toologue generate` made.
    data
        The data of a benchmark, where they are not those that ship.
    gold
        Check the gold only.
    mode
        fixed or published.
    similarity
        exact, one, lexical, minilm, endpoint:MODEL or vectors:FILE.
    seed
        Chooses what is altered.
    endpoint
        dialog2api: the address of a service that speaks S3, over which the gold programs run, too (docs/programs.md).
    json
        Where the results go.
    """
    options = Options(mode=mode, seed=seed)
    file = Path(what) if what not in registry.names("benchmark") else None
    if what == "dialog2api" or (file is not None and over_s3(file)):
        return _proved(prove_dialog2api(file or data, mode, options, gold=gold, endpoint=endpoint), mode, json)
    if endpoint is not None:
        raise BadSetting("--endpoint is for dialog2api and files of such conversations, whose programs run over S3")
    if what == "tooldial":
        return _proved(prove_tooldial(data, mode, options, gold=gold), mode, json)
    chosen = benchmark(what) if file is None else _file_benchmark(what)
    return _proved_by_calls(chosen, chosen.load(data), TextMatch.of(similarity), options, gold=gold, json=json)


def _proved_by_calls(
    chosen: Benchmark,
    dialogues: Sequence[Dialogue],
    judge: TextMatch,
    options: Options,
    *,
    gold: bool,
    json: Path | None,
) -> int:
    """Play gold and altered gold, and say what became of them; the exit status."""
    mode = options.mode
    graded = play(chosen, dialogues, "gold", judge, options)
    gates = (chosen.passes, "outcome")
    failed = [g.gold.id for g in graded if any(g.scores[m].value != 1.0 for m in gates if m in g.scores)]
    share = 1 - len(failed) / len(graded)
    print(f"gold: {share:.1%} of {len(graded)} conversations ({mode}, {judge.similarity.name})")
    for name in failed[:10]:
        print(f"  gold fails: {name}")
    steps = chosen.protocol == "next"
    flaws = list(flaws_of(dialogues)) if steps and any("procedure" in d.origin for d in dialogues) else []
    for name, flaw in flaws[:10]:
        print(f"  not valid: {name}, {flaw}")
    proofs = [] if gold else list((prove_steps if steps else prove_all)(chosen, dialogues, judge, options))
    if any(proof.applied for proof in proofs):
        say(_steps_table(proofs) if steps else _proofs_table(proofs))
    elif proofs:
        print("nothing was altered: there are no calls, and programs are altered only where all are over S3")
    if json is not None:
        rows = [{**vars(proof), "missed": list(proof.missed)} for proof in proofs]
        found = {"mode": mode, "similarity": judge.record(), "gold": share, "alterations": rows}
        invalid = [{"dialogue": name, **flaw._asdict()} for name, flaw in flaws]
        write_json(json, {**found, "invalid": invalid} if steps else found)
    return 1 if failed or flaws or (steps and mode == "fixed" and not all(map(is_good, proofs))) else 0


def _proved(found: Proved, mode: Mode, json: Path | None) -> int:
    """Say what became of gold and of its mutations; the exit status."""
    share, proofs, more = found
    print(f"gold: {share:.1%} of the conversations, in every part ({mode})")
    if proofs:
        say(_steps_table(proofs))
    if json is not None:
        write_json(json, {"mode": mode, "gold": share, "alterations": [vars(proof) for proof in proofs], **more})
    return 1 if share < 1 or (mode == "fixed" and not all(map(is_good, proofs))) else 0


def _file_benchmark(file: str) -> Benchmark:
    """A dialogues file as a benchmark of its own; a generated suite as one of almita's."""
    if (Path(file) / "dialogues.jsonl").exists():
        almita, folder = benchmark("almita"), Path(file)
        return replace(almita, load=partial(_loaded, almita, folder))

    def load(data: Path | None) -> Sequence[Dialogue]:
        if not Path(file).exists():
            raise UnknownName("benchmark or file", file, registry.names("benchmark"))
        return [grounded(dialogue) for dialogue in read(file, Dialogue)]

    return Benchmark(Path(file).name, load, grade, summarize)


def _loaded(chosen: Benchmark, folder: Path, data: Path | None) -> Sequence[Dialogue]:
    return chosen.load(folder)


def _unplayed(mode: Mode, gold: Dialogue) -> Graded:
    trace = Trace(case="", dialogue=gold.id, protocol="forced", agent="", stop="error")
    return ungraded(mode, gold, trace, "the predictions have no line for it")


def _view(agent: str, mode: str, judge: TextMatch, graded: Sequence[Graded]) -> RunView:
    facts = {"mode": mode, "similarity": judge.similarity.name, "thresholds": thresholds_text(judge.thresholds)}
    scores = (score for g in graded for score in g.scores.values())
    return RunView(agent, facts, totals(scores), [Conversation(g.gold, g.trace, g.scores) for g in graded])


def _splits_table(title: str, chosen: Benchmark, summary: Mapping[str, Any], every: Sequence[Graded]) -> Table:
    table = Table("", "n", "unscored", *(heading for heading, _ in chosen.shown), title=title)
    whys = Counter(g.scores[chosen.passes].why for g in every if g.scores[chosen.passes].value is None)
    table.caption = Text("; ".join(f"{count} unscored: {legible(why)}" for why, count in whys.most_common()))
    for split, total in summary.items():
        shares = (_percent(total[key]) for _, key in chosen.shown)
        table.add_row(split, str(total["num_conversations"]), str(total["unscored"]), *shares)
    return table


def _steps_table(proofs: Sequence[Proof]) -> Table:
    table = Table("misstep", "is", "conversations", "steps", "flagged", "share", "")
    for proof in proofs:
        share = proof.caught / proof.took if proof.took else None
        verdict = (
            "applies nowhere"
            if share is None
            else "good"
            if is_good(proof)
            else f"look at {', '.join(proof.missed[:2])}"
        )

        counts = map(str, (proof.applied, proof.took, proof.caught))
        table.add_row(proof.kind, "wrong" if proof.wrong else "right", *counts, _percent(share), verdict)
    return table


def _proofs_table(proofs: Sequence[Proof]) -> Table:
    table = Table("altered gold", "is", "applies", "took", "flagged", "share", "")
    for proof in proofs:
        share = proof.caught / proof.took if proof.took else None
        verdict = (
            "nothing took" if not proof.took else "good" if proof.good else f"look at {', '.join(proof.missed[:3])}"
        )
        kind = "wrong" if proof.wrong else "right"
        table.add_row(
            proof.kind, kind, str(proof.applied), str(proof.took), str(proof.caught), _percent(share), verdict
        )
    return table


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
