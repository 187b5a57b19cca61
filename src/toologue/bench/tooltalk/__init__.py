"""ToolTalk: simulated tools with state, conversations with gold calls; published grader and repaired one.

What `fixed` repairs, against `published`: docs/benchmarks.md lists it with the evidence.

Example:
    >>> from toologue.bench.benchmark import benchmark
    >>> len(benchmark("tooltalk").load(None)) >= 10
    True

Not covered: the published model interface (prompts and function calling live with the agents).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from toologue.agents.predictions import read_predictions
from toologue.bench.benchmark import Benchmark, Graded, Mode, Options, Part, of_split, traces_of
from toologue.bench.prove import prove
from toologue.bench.tooltalk import published
from toologue.bench.tooltalk.conversations import starter
from toologue.errors import BadFile
from toologue.formats.tooltalk import read_conversation, turn_indexes
from toologue.models.similarity import TextMatch
from toologue.run.runner import grounded
from toologue.schema import Dialogue, Invocation, Mismatch, Score, Trace
from toologue.schema.jsonl import read
from toologue.score import calls
from toologue.score.calls import ERROR_TYPES, Explained, Pairing, pair, verdict_of
from toologue.score.metric import no_reply, own_fault, unscored
from toologue.score.outcome import outcome
from toologue.score.questions import blamed_calls

_SPLITS = {"easy": "easy", "hard": "tooltalk"}
# What the published results call the metrics.
_KEYS = {name.replace("incorrect", "bad").replace(" ", "_"): name for name in calls.METRICS[:6]}


def load(data: Path | None = None) -> list[Dialogue]:
    """The published conversations of a data folder (`databases`, `easy`, `tooltalk`), or the starter set. Grounded.

    A file is one of dialogues of ours.
    """
    if data is None or data.is_file():
        return [grounded(dialogue) for dialogue in (starter() if data is None else read(data, Dialogue))]
    if not (data / "databases").is_dir():
        raise BadFile(f"{data} is no ToolTalk data folder: it has no folder `databases`")
    found = [
        grounded(read_conversation(file, split=split, databases=str(data / "databases")))
        for split, folder in _SPLITS.items()
        for file in sorted((data / folder).glob("*.json"))
    ]
    if not found:
        raise BadFile(f"{data} holds no conversations: expected easy/*.json or tooltalk/*.json")
    return found


def grade(mode: Mode, gold: Dialogue, trace: Trace, judge: TextMatch) -> Graded:
    """Grade one conversation. Where a model gave no reply it is unscored; the published run ends there, too.

    So it is, in fixed mode, where people blame its gold.
    """
    blamed = mode == "fixed" and blamed_calls(gold, judge.reader)
    if why := no_reply(trace) or ("its gold is blamed" if blamed else ""):
        return ungraded(mode, gold, trace, why)
    return (_published if mode == "published" else _fixed)(gold, trace, judge)


def ungraded(mode: Mode, gold: Dialogue, trace: Trace, why: str) -> Graded:
    """A conversation that cannot be graded: its calls without a verdict, no metrics, and why."""
    scores = unscored(calls.METRICS if mode == "published" else (*calls.METRICS, "outcome"), gold, trace, why)
    pairing = Pairing(calls.made(trace), (), (), (), ())
    return Graded(gold, trace, scores, _record(gold, pairing, None, {}) | {"why": why})


def _predicted(
    benchmark: Benchmark, part: Part, golds: Sequence[Dialogue], file: Path, options: Options
) -> dict[str, Trace]:
    names = read_predictions(file).keys()
    if strange := sorted(names - {gold.id for gold in golds}):
        options.warn(f"{len(strange)} names in {file} are no dialogue here: {strange[:3]}")
    there, endless = [gold for gold in golds if gold.id in names], replace(options, cap=sys.maxsize)
    return {trace.dialogue: trace for trace in traces_of(benchmark, part, there, f"predictions:{file}", endless)}


TOOLTALK = Benchmark(
    "tooltalk",
    (Part("", "forced", calls.METRICS),),
    load,
    lambda part, mode, gold, trace, judge: grade(mode, gold, trace, judge),
    lambda one: str(one.gold.origin.get("split", "")),
    choices={"split": of_split},
    predictions=_predicted,
    ungraded=lambda part, mode, gold, trace, why: ungraded(mode, gold, trace, why),
    owns=Path.exists,  # any file: this benchmark is asked last
    proofs=prove,
)


def _fixed(gold: Dialogue, trace: Trace, judge: TextMatch) -> Graded:
    pairing = pair(gold, trace, judge)
    found = calls.explained(pairing, gold, judge)
    scores = calls.grade(pairing, gold, trace, [mismatch for one in found for mismatch in one.at])
    best = calls.grade(pairing.best, gold, trace, ()) if pairing.hoped else scores
    kinds = {name: int(scores[name].counts["hits"]) for name in ERROR_TYPES}
    record = _record(gold, pairing, _metrics(pairing, scores), kinds)
    record |= {"best": _metrics(pairing.best, best), **_verdicts(gold, pairing, found, record["calls"])}
    return Graded(gold, trace, {**scores, **outcome(gold, trace, judge)}, record)


def _metrics(pairing: Pairing, scores: Mapping[str, Score]) -> dict[str, Any]:
    metrics: dict[str, Any] = {**pairing.counts, **{key: scores[name].value for key, name in _KEYS.items()}}
    return metrics | {"success": metrics["success"] == 1.0}


def _verdicts(
    gold: Dialogue, pairing: Pairing, found: Sequence[Explained], rows: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The calls with arguments, the expected call, verdict and reason, and what was not made.

    A call that nobody expected and that did no harm has no verdict.
    """
    indexes = turn_indexes(gold)
    answers = {at: pairing.gold[mate] for at, mate in enumerate(pairing.partner) if mate is not None}
    why = {(one.near.turn, one.near.slot): one for one in found if one.near is not None}
    made: list[dict[str, Any]] = []
    for at, (row, one) in enumerate(zip(rows, pairing.predicted, strict=True)):
        told = None if at in answers else why.get((one.turn, one.slot))
        wanted = answers.get(at) or (told and told.gold)
        made.append(
            {
                **row,
                "arguments": one.call.arguments,
                "expected": wanted and _shown(wanted, indexes),
                "verdict": "right" if at in answers else told and verdict_of(told.at),
                "reason": "; ".join(map(_reason, told.at)) if told else "",
            }
        )
    missing = [_shown(one.gold, indexes) for one in found if one.gold is not None and one.near is None]
    return {"calls": made, "missing": missing}


def _shown(one: Invocation, indexes: Sequence[int | None]) -> dict[str, Any]:
    return {"turn_index": indexes[one.round], "api_name": one.call.api, "arguments": one.call.arguments}


def _reason(mismatch: Mismatch) -> str:
    return f"{mismatch.field.removeprefix('arguments.')}: {mismatch.why}" if mismatch.why else mismatch.field


def _published(gold: Dialogue, trace: Trace, judge: TextMatch) -> Graded:
    pairing = published.pair(gold, trace, judge)
    if pairing.crash is not None:
        why = f"the published grader crashes: {pairing.crash.type}: {pairing.crash.message}"
        return Graded(gold, trace, unscored(["success"], gold, trace, why), _record(gold, pairing, None, {}))
    metrics = published.metrics(pairing.counts)
    metrics["success"] &= own_fault(trace) is None
    kinds = {} if metrics["success"] else calls.error_types(pairing, published=True)
    success = {name: metrics[name] for name in ("success", "soft_success")}
    scores = calls.scores_of(gold, trace, pairing.counts, kinds, **success, at=calls.unanswered(pairing))
    record, indexes = _record(gold, pairing, metrics, dict.fromkeys(ERROR_TYPES, 0) | kinds), turn_indexes(gold)
    missing = [_shown(one, indexes) for at, one in enumerate(pairing.gold) if at not in pairing.partner]
    return Graded(gold, trace, scores, {**record, "missing": missing})


def _record(
    gold: Dialogue, pairing: Pairing, metrics: Mapping[str, Any] | None, kinds: Mapping[str, int]
) -> dict[str, Any]:
    indexes = turn_indexes(gold)
    known = ((partner is not None, bad) for partner, bad in zip(pairing.partner, pairing.bad, strict=True))
    verdicts = chain(known, repeat((None, None)))  # a grader that crashed has none of the rest
    made = [
        {
            "turn_index": indexes[one.round],
            "api_name": one.call.api,
            "result": {"response": one.result.value, "exception": one.result.error and one.result.error.message},
            "match": match,
            "bad_action": bad,
        }
        for one, (match, bad) in zip(pairing.predicted, verdicts, strict=False)
    ]
    return {
        "name": gold.id,
        "split": gold.origin.get("split"),
        "metrics": metrics,
        "crash": {"type": pairing.crash.type} if pairing.crash else None,
        "error_types": kinds,
        "calls": made,
    }
