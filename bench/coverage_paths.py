"""Coverage against the number of paths: random walks, Algorithm 1 (ALMITA 3.7) and the cover, on all shipped graphs.

python -m bench.coverage_paths [--seeds 10] [--out bench/coverage_paths.svg]

For M = 1 … 50 the share of edges, and of pairs of consecutive choices, that the first M paths have seen: the mean over
graphs, and over seeds for the samplers that draw. A cover has as many paths as it needs; beyond them its line goes on
level. No cover of the edges of these graphs has less than 248 paths, of the pairs less than 310 (their least flows).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from xml.sax.saxutils import escape

from rich.console import Console
from rich.table import Table

from toologue.plan.procedures import procedures
from toologue.plan.procedures.paths import Goal, cover, sights, vanilla, wanted, weighted
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Graph, Walk

MOST = 50
_LEAST: dict[Goal, int] = {"edges": 248, "pairs": 310}
SHOWN = (1, 2, 5, 10, 15, 20, 30, 40, 50)
GOALS: tuple[Goal, ...] = ("edges", "pairs")
SAMPLERS = {"random walks": vanilla, "Algorithm 1": weighted}
_COLOURS = {"random walks": "#9a9a9a", "Algorithm 1": "#c4622d", "cover": "#1f5fa8"}
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 340, 240, 50, 40, 60

Curve = list[float]


def curve(graph: Graph, walks: Iterable[Walk], goal: Goal) -> Curve:
    """The share that the first 1 … MOST walks have seen."""
    everything, seen = wanted(graph, goal), set[object]()
    found: Curve = []
    for walk in walks:
        seen |= sights(graph, walk, goal)
        found.append(len(seen & everything) / len(everything))
    return [*found, *[found[-1]] * (MOST - len(found))][:MOST]


def curves(graphs: Sequence[Graph], goal: Goal, seeds: int) -> dict[str, Curve]:
    """The mean curve of each sampler, by its name."""
    found = {
        name: [curve(graph, sample(graph, MOST, seed=seed), goal) for graph in graphs for seed in range(seeds)]
        for name, sample in SAMPLERS.items()
    }
    found["cover"] = [curve(graph, cover(graph, goal), goal) for graph in graphs]
    return {name: [fmean(shares) for shares in zip(*every, strict=True)] for name, every in found.items()}


def main(arguments: Sequence[str]) -> None:
    """Print the tables, draw the plot, and say how many paths the covers have."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage_paths", description="Coverage against paths.")
    parser.add_argument("--seeds", type=int, default=10, help="draws a graph")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".svg"))
    options = parser.parse_args(arguments)
    graphs = [conversation_graph(flowgraph(procedure)) for procedure in procedures()]
    found: dict[Goal, dict[str, Curve]] = {goal: curves(graphs, goal, options.seeds) for goal in GOALS}
    console = Console()
    for goal, every in found.items():
        console.print(_table(goal, every, len(graphs)))
    options.out.write_text(plot(found), "utf-8")
    print(f"plot: {options.out}")
    for goal, least in _LEAST.items():
        ours = sum(len(cover(graph, goal)) for graph in graphs)
        print(f"covers of all {goal}: {ours} paths, the least there can be {least}: {ours / least - 1:.1%} more")


def _table(goal: Goal, every: Mapping[str, Curve], graphs: int) -> Table:
    table = Table("paths", title=f"share of {goal} seen, mean of {graphs} graphs")
    for name in every:
        table.add_column(name, justify="right")
    for paths in SHOWN:
        table.add_row(str(paths), *(f"{shares[paths - 1]:.1%}" for shares in every.values()))
    return table


def plot(found: Mapping[Goal, Mapping[str, Curve]]) -> str:
    """The curves as SVG, a panel a goal."""
    panels = "".join(_panel(goal, every, number) for number, (goal, every) in enumerate(found.items()))
    width, height = _LEFT + len(found) * (_WIDTH + _GAP), _TOP + _HEIGHT + 60
    style = "text{font:12px sans-serif;fill:#333}line{stroke:#ddd}polyline{fill:none;stroke-width:2}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f"<title>Coverage against the number of paths</title><style>{style}</style>"
        f'<rect width="{width}" height="{height}" fill="#fff"/>{panels}</svg>\n'
    )


def _panel(goal: Goal, every: Mapping[str, Curve], number: int) -> str:
    left, bottom = _LEFT + number * (_WIDTH + _GAP), _TOP + _HEIGHT

    def across(paths: float) -> float:
        return left + _WIDTH * (paths - 1) / (MOST - 1)

    def up(share: float) -> float:
        return bottom - _HEIGHT * share

    parts = [f'<text x="{left}" y="{_TOP - 16}">share of {escape(goal)} seen</text>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<line x1="{left}" x2="{left + _WIDTH}" y1="{up(share):.1f}" y2="{up(share):.1f}"/>')
        parts.append(f'<text x="{left - 8}" y="{up(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for paths in (1, 10, 20, 30, 40, 50):
        parts.append(f'<text x="{across(paths):.1f}" y="{bottom + 18}" text-anchor="middle">{paths}</text>')
    parts.append(f'<text x="{left + _WIDTH / 2}" y="{bottom + 40}" text-anchor="middle">paths</text>')
    for place, (name, shares) in enumerate(every.items()):
        points = " ".join(f"{across(paths):.1f},{up(share):.1f}" for paths, share in enumerate(shares, 1))
        colour, line = _COLOURS[name], bottom - 50 + 18 * place
        parts.append(f'<polyline points="{points}" stroke="{colour}"/>')
        parts.append(f'<text x="{left + _WIDTH - 8}" y="{line}" text-anchor="end" style="fill:{colour}">{name}</text>')
    return "".join(parts)


if __name__ == "__main__":
    main(sys.argv[1:])
