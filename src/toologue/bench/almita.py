"""ALMITA: support procedures as tests of the next step (arXiv 2409.15934); the paper's metrics, and repaired ones.

`load` reads conversations in the paper's roles (`formats.almita_files`: JSONL, CSV, columns by any name), or our own
dialogues.jsonl, with the apis.jsonl beside it for worlds that have no documents. Results have the layout of Table 2;
where customers speak out of procedure (`extra["noise"]`), conversations with and without that are totalled apart, too.

Without data it is a suite over the procedures that ship, generated where it is first asked for (about a minute) into
the user's cache folder: `$XDG_CACHE_HOME/toologue`, `~/.cache/toologue`, or what `TOOLOGUE_CACHE` names. The folder is
called by the content of all that the suite is made from: whatever changes, a new one is made, and no old one read.

What `fixed` does otherwise than `published` says `score.steps`.

Not covered: the published data itself, which could not be inspected, and BERTScore; give the similarity you mean.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from toologue import keys
from toologue.apis.tools import read_almita
from toologue.bench.benchmark import Benchmark, GoldCheck, Graded, Mode, Options, Part, sums
from toologue.bench.prove import check_gold, flaws_of, prove_steps
from toologue.errors import BadFile
from toologue.formats.almita import columns_of, read_conversations
from toologue.models.embed import cache_folder
from toologue.models.similarity import TextMatch
from toologue.run.runner import grounded
from toologue.schema import Api, Dialogue, Score, Trace
from toologue.schema.jsonl import holds, read
from toologue.score import steps
from toologue.score.knowledge import noise_of
from toologue.score.metric import gained, no_reply, ratio, unscored
from toologue.score.steps import HARMLESS, METRICS, SEVERITIES, StepVerdict
from toologue.worlds.world import documents_of

SEED = 409
# What the suite is made by: whatever changes in them, another suite is made.
_MADE_BY = "apis formats loop.py plan procedure project schema text values verify worlds write"


@cache
def own_key() -> str:
    """16 hex digits that name all that the suite is made from."""
    root = Path(__file__).resolve().parents[1]
    places = [root / name for name in _MADE_BY.split()]
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    used = [file for file in files if file.suffix in {".py", ".md", ".yaml", ".txt"}]
    return keys.content_key([[file.relative_to(root).as_posix(), keys.file_key(file)] for file in used])


def own() -> Path:
    """The folder of the suite; made, if it is not there yet."""
    folder = cache_folder() / f"almita-{own_key()}"
    if not (folder / "dialogues.jsonl").exists():
        # Generate into a folder beside, and put it in its place in one step: half a suite is never there
        from toologue.project.generate import Making, generate, shipped, write_suite

        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            beside = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
        except OSError as error:
            raise BadFile(f"cannot write to {folder.parent}: {error.strerror or error}; set TOOLOGUE_CACHE") from None
        try:
            made = generate(shipped(), Making(12, noise=0.2, detours=0.3, seed=SEED), workers=os.cpu_count() or 1)
            write_suite(beside, made)
            os.replace(beside, folder)
        except OSError:
            if not (folder / "dialogues.jsonl").exists():  # else somebody else was faster
                raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return folder


_KEYS = {metric: metric.lower().replace(" ", "_") for metric in METRICS}


def load(data: Path | None = None, columns: Mapping[str, str] | None = None) -> list[Dialogue]:
    """The conversations of a file."""
    data = own() if data is None else data
    if data.is_dir():
        data = data / "dialogues.jsonl"
        if not data.exists():
            raise BadFile(f"{data.parent} has no dialogues.jsonl: give a file of conversations, or a generated folder")
    if data.suffix.lower() != ".csv" and holds(data, Dialogue):
        apis = data.with_name("apis.jsonl")
        known = {api.name: api for api in read(apis, Api)} if apis.exists() else {}
        return [_documented(grounded(dialogue), known) for dialogue in read(data, Dialogue)]
    return list(
        read_conversations(
            data, columns, documents=lambda apis: read_almita({"apis": apis} if isinstance(apis, list) else apis)
        )
    )


def grade(mode: Mode, gold: Dialogue, trace: Trace, judge: TextMatch) -> Graded:
    """Grade one conversation. Where a model gave no reply it is unscored."""
    published = mode == "published"
    if why := no_reply(trace):
        names = METRICS if published else (*METRICS, *SEVERITIES, HARMLESS)
        return Graded(gold, trace, unscored(names, gold, trace, why), _record(gold, {}, []) | {"why": why})
    verdicts = (steps.judged_as_published if published else steps.judged)(gold, trace, judge)
    scores = steps.scores_of(verdicts, gold, trace)
    scores |= {} if published else steps.severities_of(verdicts, gold, trace)
    return Graded(gold, trace, scores, _record(gold, scores, verdicts))


def summarize(mode: Mode, graded: Sequence[Graded]) -> dict[str, Any]:
    """The totals in the layout of Table 2: micro averages, null where 0/0."""
    return {name: _total(mode, group) for name, group in splits(graded).items()}


def splits(graded: Sequence[Graded]) -> dict[str, Sequence[Graded]]:
    """Conversations without noise and with it, where there is any, and all."""
    noisy = [one for one in graded if one.record["noise"]]
    clean = [one for one in graded if not one.record["noise"]]
    return {**({"clean": clean, "noise": noisy} if noisy else {}), "all": graded}


def _check(benchmark: Benchmark, golds: Sequence[Dialogue], judge: TextMatch, options: Options) -> GoldCheck:
    flaws = list(flaws_of(golds)) if any("procedure" in gold.origin for gold in golds) else []
    invalid = [{"dialogue": name, **flaw._asdict()} for name, flaw in flaws]
    return check_gold(benchmark, golds, judge, options)._replace(flaws=flaws, more={"invalid": invalid})


ALMITA = Benchmark(
    "almita",
    (Part("", "next", METRICS),),
    load,
    lambda part, mode, gold, trace, judge: grade(mode, gold, trace, judge),
    summarize,
    splits=splits,
    passes=METRICS[-1],
    shown=METRICS,
    choices={"columns": lambda benchmark, names: replace(benchmark, load=partial(load, columns=columns_of(names)))},
    owns=lambda file: (file / "dialogues.jsonl").exists(),
    check=_check,
    proofs=prove_steps,
)


def _total(mode: Mode, graded: Sequence[Graded]) -> dict[str, Any]:
    scored = [g for g in graded if "why" not in g.record]
    nothing = {name: {"hits": 0, "of": 0} for name in (*METRICS, *SEVERITIES)}
    counts = {name: {key: int(n) for key, n in found.items()} for name, found in {**nothing, **sums(scored)}.items()}
    gain = sums(scored, "unsure")
    best = {name: gained(found, gain.get(name, {})) for name, found in counts.items()}
    return {
        "num_conversations": len(graded),
        "unscored": len(graded) - len(scored),
        "tests": counts["test correct"]["of"],
        **{key: ratio(counts[name]) for name, key in _KEYS.items()},
        "best": {key: ratio(best[name]) for name, key in _KEYS.items()},
        "sums": {name: counts[name] for name in METRICS},
        **({"severities": {name: int(best[name]["hits"]) for name in SEVERITIES}} if mode == "fixed" else {}),
    }


def _record(gold: Dialogue, scores: Mapping[str, Score], verdicts: Sequence[StepVerdict]) -> dict[str, Any]:
    noise = dict.fromkeys(kind for turn in gold.turns if (kind := noise_of(turn)))
    return {
        "name": gold.id,
        "noise": list(noise),
        "metrics": {name: score.value for name, score in scores.items()},
        "tests": [
            {
                name: getattr(verdict, name)
                for name in ("turn", "expected", "done", "correct", "verdict", "by", "severity")
            }
            | {"at": [mismatch.model_dump(exclude={"turn"}) for mismatch in verdict.at]}
            for verdict in verdicts
        ],
    }


def _documented(dialogue: Dialogue, known: Mapping[str, Api]) -> Dialogue:
    """The dialogue, carrying those documents that its world does not have."""
    lacking = [known[name] for name in dialogue.apis if name in known.keys() - documents_of(dialogue).keys()]
    carried: list[Any] = [api.model_dump(mode="json", by_alias=True) for api in lacking]
    return dialogue.replace(extra={**dialogue.extra, "apis": carried}) if carried else dialogue
