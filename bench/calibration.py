"""Calibration: the thresholds of each embedder, chosen on data of ours, with what they are worth there.

    python -m bench.calibration [--embedder SPEC]... [--write | --kept]

The data stand in bench/calibration/: pairs of texts that do or do not say the same, requests with the Api that answers
them, parameters with the output that supplies them. Rules, the same for every embedder, on a grid of hundredths:

    text prose reply source suggest   of the thresholds with at most 25 % false positives and a Youden's J (TPR - FPR)
                                      within 0.05 of the best, the lowest: J is not known better than that
    confirm                           the lowest at which at least 20 requests remain and the first Api is the right one
                                      for 95 % of them; for 90 %, 80 %, … where that is out of reach

`suggest` tells requests that some Api answers from those that none does, and lies at or below `confirm`; `source` does
it for parameters. Held out: chosen on four fifths of the groups, measured on the last fifth, five times. The figures on
all data flatter the choice a little, and all depends on how hard the pairs are: these are near misses on purpose.

Not covered: how people really ask. Calibrate with pairs of your own where it matters.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from toologue import keys, registry
from toologue.errors import BadSetting
from toologue.models import embed
from toologue.models.embed import Embedder, embedder
from toologue.models.retriever import Retriever
from toologue.models.similarity import Embedded
from toologue.schema import Api

DATA = Path(__file__).with_name("calibration")
WRITTEN = Path(embed.__file__).with_name("thresholds.json")
KINDS = ("text", "prose", "reply")
ROCS = {
    "text": "short texts",
    "prose": "message bodies",
    "reply": "replies",
    "suggest": "an Api answers it",
    "source": "an output supplies it",
}
BANDS = {"confirm": "the first is right", "suggest": "the right one is among three", "clarify": "no Api answers it"}
MOST_FALSE, NEAR_BEST, FOLDS, LEAST = 0.25, 0.05, 5, 20
GRID = np.arange(101) / 100


class Sample(NamedTuple):
    """A score, whether it should be high, and the group that it belongs to."""

    score: float
    high: bool
    group: int


class Request(NamedTuple):
    label: str
    text: str
    api: str | None


def data(name: str) -> Any:
    return yaml.safe_load((DATA / f"{name}.yaml").read_text("utf-8"))


def apis() -> list[Api]:
    return [*registry.find("world", "assistant").apis, *(Api.model_validate(one) for one in data("apis"))]


def requests() -> list[Request]:
    found = data("requests")
    answered = [
        Request(label, text, api)
        for label in ("clear", "loose")
        for api, texts in found[label].items()
        for text in texts
    ]
    return answered + [Request(label, text, None) for label in ("vague", "absent") for text in found[label]]


def pair_samples(kind: str, model: Embedder) -> list[Sample]:
    groups = data("pairs")[kind]
    similarity = Embedded(model)
    similarity.warm(text for one in groups for text in (one["is"], *one["same"], *one["different"]))
    return [
        Sample(similarity(one["is"], text), high, number)
        for number, one in enumerate(groups)
        for high, texts in ((True, one["same"]), (False, one["different"]))
        for text in texts
    ]


def auc(samples: Sequence[Sample]) -> float:
    high = np.array([s.score for s in samples if s.high])[:, None]
    low = np.array([s.score for s in samples if not s.high])[None]
    return float(((high > low) + 0.5 * (high == low)).mean())


def rates(samples: Sequence[Sample], threshold: float) -> tuple[float, float]:
    """(true, false) positive rate."""
    high, low = ([s.score for s in samples if s.high == wanted] for wanted in (True, False))
    return float(np.mean(np.array(high) >= threshold)), float(np.mean(np.array(low) >= threshold))


def choose(samples: Sequence[Sample], most: float = 1.0) -> float:
    """The rule of Youden's J, at or below `most`."""
    table = [(threshold, *rates(samples, threshold)) for threshold in GRID.tolist() if threshold <= most]
    usable = [(threshold, true - false) for threshold, true, false in table if false <= MOST_FALSE]
    if not usable:
        return float(most)
    best = max(j for _, j in usable)
    return min(threshold for threshold, j in usable if j >= best - NEAR_BEST)


def figures(samples: Sequence[Sample], threshold: float, rule: Callable[[Sequence[Sample]], float]) -> dict[str, Any]:
    true, false = rates(samples, threshold)
    hits: list[tuple[bool, bool]] = []
    for fold in range(FOLDS):
        rest = [s for s in samples if s.group % FOLDS != fold]
        chosen = rule(rest)
        hits += [(s.high, s.score >= chosen) for s in samples if s.group % FOLDS == fold]
    held_out = {
        name: round(float(np.mean([over for high, over in hits if high == wanted])), 3)
        for name, wanted in (("tpr", True), ("fpr", False))
    }
    numbers = {"n": len(samples), "auc": auc(samples), "tpr": true, "fpr": false}
    return {**{name: round(value, 3) for name, value in numbers.items()}, "held_out": held_out}


def confirm_of(ranked: Sequence[tuple[bool, float]]) -> float:
    """The lowest threshold at which the first Api is right often enough."""
    for wanted in (0.95, *np.arange(9, 0, -1) / 10):
        for threshold in GRID.tolist():
            right = [hit for hit, score in ranked if score >= threshold]
            if len(right) >= LEAST and np.mean(right) >= wanted:
                return threshold
    return 1.0


def retrieval(model: Embedder) -> tuple[dict[str, float], dict[str, Any]]:
    asked, documents = requests(), apis()
    found = Retriever(documents, model).rank_all([one.text for one in asked], len(documents))
    names = [[api.name for api, _ in row] for row in found]
    tops = [row[0][1] for row in found]
    place = [row.index(one.api) + 1 if one.api else 0 for one, row in zip(asked, names, strict=True)]
    clear = np.array([at for one, at in zip(asked, place, strict=True) if one.label == "clear"])
    confirm = confirm_of([(at == 1, top) for at, top in zip(place, tops, strict=True)])
    samples = [Sample(top, one.api is not None, i) for i, (one, top) in enumerate(zip(asked, tops, strict=True))]
    suggest = choose(samples, confirm)
    band = ["confirm" if top >= confirm else "suggest" if top >= suggest else "clarify" for top in tops]
    rows = list(zip(asked, place, band, strict=True))
    good = {"confirm": lambda at: at == 1, "suggest": lambda at: 1 <= at <= 3, "clarify": lambda at: at == 0}
    share = {
        name: {
            "n": len(inside),
            "precision": round(float(np.mean([right(at) for at in inside])), 3) if inside else None,
        }
        for name, right in good.items()
        for inside in [[at for _, at, its in rows if its == name]]
    }
    labels = {
        label: {name: sum(one.label == label and its == name for one, _, its in rows) for name in good}
        for label in ("clear", "loose", "vague", "absent")
    }
    numbers = {"r1": np.mean(clear == 1), "r3": np.mean(clear <= 3), "mrr": np.mean(1 / clear)}
    summary = {"n": len(clear), **{name: round(float(value), 3) for name, value in numbers.items()}}
    return {"confirm": confirm, "suggest": suggest}, {
        "retriever": {**summary, "bands": share, "labels": labels},
        "suggest": figures(samples, suggest, lambda some: choose(some, confirm)),
    }


def sources(model: Embedder) -> tuple[float, dict[str, Any]]:
    retriever = Retriever(apis(), model, bands={"confirm": 1, "suggest": 1, "source": 0})
    samples: list[Sample] = []
    right: list[bool] = []
    for number, (target, parameter, outputs) in enumerate(data("sources")):
        best = retriever.source(target, parameter, 1)
        samples.append(Sample(best[0][2] if best else 0.0, bool(outputs), number))
        if outputs:
            right.append(bool(best) and outputs.get(best[0][0].name) == best[0][1])
    threshold = choose(samples)
    return threshold, {**figures(samples, threshold, choose), "r1": round(float(np.mean(right)), 3)}


def calibrate(model: Embedder) -> dict[str, Any]:
    """What thresholds.json holds for an embedder."""
    thresholds: dict[str, float] = {}
    found: dict[str, Any] = {}
    for kind in KINDS:
        samples = pair_samples(kind, model)
        thresholds[kind] = choose(samples)
        found[kind] = figures(samples, thresholds[kind], choose)
    bands, about = retrieval(model)
    thresholds |= bands
    thresholds["source"], about["source"] = sources(model)
    return {"thresholds": thresholds, "data": keys.file_key(DATA), "figures": {**found, **about}}


def table(results: dict[str, dict[str, Any]]) -> str:
    """The results side by side: what is printed, and what docs/figures.md shows."""
    found = [result["figures"] for result in results.values()]
    sizes, heads = found[0], [f"`{name}`" for name in results]
    rows = [["on data of ours", *heads], ["---"] * (1 + len(heads))]
    for kind, label in ROCS.items():
        rows.append([f"{kind}: {label} (n {sizes[kind]['n']})", *(_rates(one, kind) for one in results.values())])
    rows.append(["confirm", *(f"≥ {one['thresholds']['confirm']:.2f}" for one in results.values())])
    ranks = ([f"{one['retriever'][name]:.3f}" for name in ("r1", "r3", "mrr")] for one in found)
    rows.append([f"requests (n {sizes['retriever']['n']}): R@1, R@3, MRR", *map(", ".join, ranks)])
    rows.append(["sources: R@1", *(f"{one['source']['r1']:.3f}" for one in found)])
    for band, label in BANDS.items():
        inside = [one["retriever"]["bands"][band] for one in found]
        rows.append([f"band {band}: {label}", *(f"{one['precision']} of {one['n']}" for one in inside)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _rates(result: dict[str, Any], kind: str) -> str:
    f, held = result["figures"][kind], result["figures"][kind]["held_out"]
    rates = f"TPR {f['tpr']:.2f} ({held['tpr']:.2f} held out), FPR {f['fpr']:.2f} ({held['fpr']:.2f})"
    return f"≥ {result['thresholds'][kind]:.2f}: AUC {f['auc']:.3f}, {rates}"


def write(results: dict[str, dict[str, Any]]) -> None:
    """Merge into thresholds.json; other embedders stay."""
    kept = json.loads(WRITTEN.read_text("utf-8")) | results
    WRITTEN.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--embedder", action="append", help="lexical, minilm[:DIR], endpoint:MODEL; may be repeated")
    parser.add_argument("--write", action="store_true", help="keep the thresholds in thresholds.json")
    parser.add_argument("--kept", action="store_true", help="show what thresholds.json holds, and measure nothing")
    given = parser.parse_args(arguments)
    if given.kept:
        print(table(embed.calibration()))
        return 0
    results: dict[str, dict[str, Any]] = {}
    for spec in given.embedder or ["lexical", "minilm"]:
        try:
            model = embedder(spec)
            results[model.name] = calibrate(model)
        except BadSetting as error:
            if given.embedder:
                raise SystemExit(str(error)) from None
            print(f"without {spec}: {error}")
    print(table(results))
    if given.write:
        write(results)
        print(f"written: {WRITTEN}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
