"""ALMITA: support procedures as tests of the next step (arXiv 2409.15934); the paper's metrics, and repaired ones.

`load` reads conversations in the paper's roles (`formats.almita_files`: JSONL, CSV, columns by any name), or our own
dialogues.jsonl, with the apis.jsonl beside it for worlds that have no documents. Results have the layout of Table 2;
where customers speak out of procedure (`extra["noise"]`), conversations with and without that are totalled apart, too.

What `fixed` does otherwise than `published` says `score.steps`.

Example:
    >>> import tempfile
    >>> from toologue.agents.agent import resolve_agent
    >>> from toologue.bench.benchmark import Options, play
    >>> file = Path(tempfile.mkdtemp()) / "talks.jsonl"
    >>> talk = '{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello! How can I help?"}'
    >>> _ = file.write_text('{"id": "hello", "conversation": [' + talk + "]}")
    >>> graded = play(ALMITA, load(file), "gold", TextMatch.of("lexical"), Options(mode="published"))
    >>> totals = summarize("published", graded)["all"]
    >>> totals["tests"], totals["reply_recall"], totals["api_recall"], totals["conversation_correct"]
    (1, 1.0, None, 1.0)

Not covered: the published data itself, which could not be inspected, and BERTScore; give the similarity you mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toologue.apis.almita import read_almita
from toologue.bench.almita.own import own
from toologue.bench.benchmark import Benchmark, Graded, Mode
from toologue.errors import BadFile
from toologue.formats.almita_files import read_conversations
from toologue.models.similarity import TextMatch
from toologue.run.runner import grounded
from toologue.schema import Api, Dialogue, Score, Trace
from toologue.schema.jsonl import read, read_lines
from toologue.score.metric import no_reply, unscored
from toologue.score.steps import (
    METRICS,
    SEVERITIES,
    Verdict,
    judged,
    judged_as_published,
    noise_of,
    scores_of,
    severities_of,
)
from toologue.worlds.world import documents_of

__all__ = ["ALMITA", "grade", "load", "summarize"]

_KEYS = {metric: metric.lower().replace(" ", "_") for metric in METRICS}


def load(data: Path | None = None, columns: Mapping[str, str] | None = None) -> list[Dialogue]:
    """The conversations of a file."""
    data = own() if data is None else data
    if data.is_dir():
        if not (data / "dialogues.jsonl").exists():
            raise BadFile(f"{data} has no dialogues.jsonl: give a file of conversations, or a generated folder")
        data = data / "dialogues.jsonl"
    if data.suffix.lower() != ".csv" and _is_ours(data):
        apis = data.with_name("apis.jsonl")
        known = {api.name: api for api in read(apis, Api)} if apis.exists() else {}
        return [_documented(grounded(dialogue), known) for dialogue in read(data, Dialogue)]
    return list(read_conversations(data, columns, documents=_documents))


def grade(mode: Mode, gold: Dialogue, trace: Trace, judge: TextMatch) -> Graded:
    """Grade one conversation. Where a model gave no reply it is unscored."""
    if why := no_reply(trace):
        names = METRICS if mode == "published" else (*METRICS, *SEVERITIES)
        return Graded(gold, trace, unscored(names, gold, trace, why), _record(gold, {}, []) | {"why": why})
    if mode == "published":
        verdicts = judged_as_published(gold, trace, judge)
        scores = scores_of(verdicts, gold, trace)
    else:
        verdicts = judged(gold, trace, judge)
        scores = scores_of(verdicts, gold, trace) | severities_of(verdicts, gold, trace)
    return Graded(gold, trace, scores, _record(gold, scores, verdicts))


def summarize(mode: Mode, graded: Sequence[Graded]) -> dict[str, Any]:
    """The totals in the layout of Table 2: micro averages, null where 0/0."""
    noisy = [g for g in graded if g.record["noise"]]
    clean = [g for g in graded if not g.record["noise"]]
    splits = {"clean": clean, "noise": noisy} if noisy else {}
    return {name: _total(mode, group) for name, group in {**splits, "all": list(graded)}.items()}


ALMITA = Benchmark(
    "almita",
    load,
    grade,
    summarize,
    protocol="next",
    passes=METRICS[-1],
    shown=tuple(_KEYS.items()),
    tabular=load,
)


def _total(mode: Mode, graded: Sequence[Graded]) -> dict[str, Any]:
    scored = [g for g in graded if "why" not in g.record]
    sums = {name: _sum(name, scored) for name in (*METRICS, *(SEVERITIES if mode == "fixed" else ()))}
    return {
        "num_conversations": len(graded),
        "unscored": len(graded) - len(scored),
        "tests": int(sums["test correct"][1]),
        **{key: sums[name][0] / sums[name][1] if sums[name][1] else None for name, key in _KEYS.items()},
        "sums": {name: {"hits": hits, "of": of} for name, (hits, of) in sums.items() if name in METRICS},
        **({"severities": {name: sums[name][0] for name in SEVERITIES}} if mode == "fixed" else {}),
    }


def _sum(name: str, graded: Sequence[Graded]) -> tuple[int, int]:
    counts = [g.scores[name].counts for g in graded]
    return int(sum(c["hits"] for c in counts)), int(sum(c["of"] for c in counts))


def _record(gold: Dialogue, scores: Mapping[str, Score], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    noise = dict.fromkeys(kind for turn in gold.turns if (kind := noise_of(turn)))
    return {
        "name": gold.id,
        "noise": list(noise),
        "metrics": {name: score.value for name, score in scores.items()},
        "tests": [
            {
                "turn": verdict.turn,
                "expected": verdict.expected,
                "done": verdict.done,
                "correct": verdict.correct,
                "severity": verdict.severity,
                "at": [mismatch.model_dump(exclude={"turn"}) for mismatch in verdict.at],
            }
            for verdict in verdicts
        ],
    }


def _documents(apis: Any) -> list[Api]:
    """The documents in an `apis` column, with or without the object around the list."""
    return read_almita({"apis": apis} if isinstance(apis, list) else apis)


def _documented(dialogue: Dialogue, known: Mapping[str, Api]) -> Dialogue:
    """The dialogue, carrying those documents that its world does not have."""
    there = documents_of(dialogue)
    carried: list[Any] = [
        known[name].model_dump(mode="json", by_alias=True)
        for name in dialogue.apis
        if name not in there and name in known
    ]
    return dialogue.but(extra={**dialogue.extra, "apis": carried}) if carried else dialogue


def _is_ours(file: Path) -> bool:
    lines: Iterator[bytes] = (line for _, line, _ in read_lines(file))
    return b'"dialogue/1"' in next(lines, b"")
