"""Run every hot path, print one table, exit 1 where a ratio is worse than stated. Under three minutes of CPU.

python -m bench [--json FILE] [--only NAME ...]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.figure import SLACK, Figure, as_json, stated_ratios, worse, yardstick

_NUMBERS = ("measured", "plain", "ratio", "stated")
SCRIPTS = (
    "replay",
    "conversation",
    "throughput",
    "growth",
    "startup",
    "grading",
    "embedding",
    "crud",
    "sandbox",
    "models",
)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and return the exit status."""
    options = _parser().parse_args(arguments)
    stated = stated_ratios()
    found: list[Figure] = [figure for name in options.only for figure in import_module(f"bench.{name}").figures()]
    Console(width=None if sys.stdout.isatty() else 160).print(table(found, stated))
    print(f"Absolute aims depend on the machine: a JSON round trip of 400 integers takes {yardstick():.0f} µs here.")
    if options.json:
        options.json.write_text(json.dumps(as_json(found, stated), indent=1, ensure_ascii=False) + "\n")
    return 1 if worse(found, stated) else 0


def table(figures: Sequence[Figure], stated: Mapping[str, float]) -> Table:
    """One row a figure."""
    made = Table(title=f"CPU of the hot paths; a ratio may be {SLACK:g} times the stated one")
    for head in ("path", "measured", "plain", "ratio", "stated", "verdict", "aim", "note"):
        made.add_column(head, justify="right" if head in _NUMBERS else "left", no_wrap=head != "note")
    failed = worse(figures, stated)
    for figure in figures:
        sides = (f"{side:.3g} {figure.unit}" for side in (figure.measured, figure.plain))
        verdict = "worse" if figure in failed else "good"
        ratios = (f"{ratio:.3g}" for ratio in (figure.ratio, stated[figure.path]))
        made.add_row(figure.path, *sides, *ratios, verdict, _aim(figure), figure.note)
    return made


def _aim(figure: Figure) -> str:
    if figure.aim is None:
        return ""
    return f"≤ {figure.aim:g} {figure.unit}: {'met' if figure.on_aim else 'missed'}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="What the hot paths cost.")
    parser.add_argument("--json", type=Path, help="where the figures go")
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, default=SCRIPTS, help="these paths only")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
