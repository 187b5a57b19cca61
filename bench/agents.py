"""The procedures line in figures: the offline agents in every column of ALMITA's Table 2, and what tests tell apart.

    python -m bench.agents [--data DIR] [--similarity SPEC]

Plays the suite of the benchmark `almita`, or a folder that `toologue generate` made: each agent, clean and with noise,
in both modes; then every kind of misstep.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from toologue.bench.benchmark import Mode, Options, benchmark, play, summarize
from toologue.bench.prove import prove_steps
from toologue.models.similarity import TextMatch
from toologue.schema import Dialogue

AGENTS = ("gold", "procedure", "procedure_careless", "bag_of_words")


class Row(NamedTuple):
    """One agent in one mode on the conversations of one split."""

    agent: str
    mode: Mode
    split: str
    total: Mapping[str, Any]


def rows(golds: Sequence[Dialogue], judge: TextMatch) -> Iterator[Row]:
    """Play and grade every row."""
    chosen = benchmark("almita")
    for agent in AGENTS:
        for mode in get_args(Mode):
            totals = summarize(chosen, play(chosen, golds, agent, judge, Options(mode=mode)))
            for split in ("clean", "noise"):
                if split in totals:
                    yield Row(agent, mode, split, totals[split])


def table(found: Sequence[Row]) -> str:
    """The table of agents."""
    shown = benchmark("almita").shown
    lines = [
        f"| agent | mode | conversations | {' | '.join(shown)} |",
        "|---|---|---|" + "--:|" * len(shown),
    ]
    for row in found:
        cells = (_bracket(row.total["scores"][name]["value"], row.total["scores"][name]["best"]) for name in shown)
        lines.append(
            f"| `{row.agent}` | {row.mode} | {row.total['num_conversations']} {row.split} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


def missteps(golds: Sequence[Dialogue], judge: TextMatch) -> str:
    """The table of wrong steps that are caught, and of right ones that are."""
    lines = ["| step taken instead | is | steps | graded wrong | unsure | mistaken |", "|---|---|--:|--:|--:|--:|"]
    for proof in prove_steps(benchmark("almita"), golds, judge):
        kind = "wrong" if proof.wrong else "right"
        verdicts = f"{proof.caught} | {proof.unsure} | {len(proof.missed)}"
        lines.append(f"| {proof.kind} | {kind} | {proof.took} | {verdicts} |")
    return "\n".join(lines)


def _bracket(value: float | None, best: float | None) -> str:
    return _percent(value) if value == best else f"{_percent(value).removesuffix(' %')} to {_percent(best)}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.agents", description="The offline agents in figures.")
    parser.add_argument("--data", type=Path, help="a generated folder; without it, the suite of the benchmark")
    parser.add_argument("--similarity", default="lexical")
    options = parser.parse_args()
    golds, judge = benchmark("almita").load(options.data), TextMatch.of(options.similarity)
    print(table(list(rows(golds, judge))), missteps(golds, judge), sep="\n\n")


if __name__ == "__main__":
    main()
