"""How well times are read: our grammar beside `dateparser`, on expressions labelled by hand (`dates.tsv`).

python -m bench.dates [--wrong]        dateparser is measured where it is installed (pip install dateparser)
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

NOW = datetime(2025, 3, 12, 10, 20)
FORMS = {
    "date": "%Y-%m-%d",
    "time": "%H:%M",
    "moment": "%Y-%m-%d %H:%M",
    "span": "%Y-%m-%d %H:%M",
    "none": "%Y-%m-%d %H:%M",
}
Reader = Callable[[str, str], str]


class Line(NamedTuple):
    """One labelled expression. `part`: dev (seen while the grammar was written), held (labelled before, looked "
    "at after)."""

    part: str
    asks: str
    said: str
    means: str


def lines() -> Iterator[Line]:
    """The labelled expressions."""
    for line in Path(__file__).with_suffix(".tsv").read_text("utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield Line(*line.split("\t"))


def grammar(said: str, asks: str) -> str:
    """What `toologue.text.time_expressions` reads."""
    from toologue.text.time_expressions import readings

    form = FORMS[asks]
    if asks == "span":
        ends = [readings(said, "moment", NOW, edge="start"), readings(said, "moment", NOW, edge="end")]
        return " / ".join(found[0].value.strftime(form) if found else "-" for found in ends)
    found = readings(said, "moment" if asks == "none" else asks, NOW)  # type: ignore[arg-type]
    return found[0].value.strftime(form) if found else "-"


def library(said: str, asks: str) -> str:
    """What `dateparser.search` reads: its first date; a span's end is its second."""
    from dateparser.search import search_dates

    settings = {"RELATIVE_BASE": NOW, "PREFER_DATES_FROM": "future"}
    found = search_dates(said, languages=["en"], settings=settings) or []
    if asks == "span":
        return " / ".join([*(date.strftime(FORMS[asks]) for _, date in found), "-", "-"][:2])
    return found[0][1].strftime(FORMS[asks]) if found else "-"


def both(said: str, asks: str) -> str:
    """The grammar, and the library where the grammar finds nothing."""
    ours = grammar(said, asks)
    return library(said, asks) if ours == "-" else ours


def figures(reader: Reader) -> tuple[dict[str, tuple[int, int]], float, list[str]]:
    """Right and all by part and kind, CPU milliseconds an expression (second pass), what was wrong."""
    right: dict[str, tuple[int, int]] = {}
    wrong: list[str] = []
    for line in lines():
        got = reader(line.said, line.asks)
        for group in (f"{line.part} {line.asks}", f"{line.part} all"):
            hits, of = right.get(group, (0, 0))
            right[group] = hits + (got == line.means), of + 1
        if got != line.means:
            wrong.append(f"{line.part:5}{line.asks:7} {line.said!r}: {got}, not {line.means}")
    everything = list(lines())
    began = time.process_time()
    for line in everything:
        reader(line.said, line.asks)
    return right, (time.process_time() - began) / len(everything) * 1000, wrong


def import_ms(module: str) -> float:
    """Milliseconds of CPU that a fresh interpreter needs for this import; the best of three."""
    code = f"import time; b = time.process_time(); import {module}; print(time.process_time() - b)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    return min(float(run.stdout) for run in runs) * 1000


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.dates", description="How well times are read.")
    parser.add_argument("--wrong", action="store_true", help="list what was read wrongly")
    options = parser.parse_args(arguments)
    readers: dict[str, tuple[Reader, str]] = {"grammar": (grammar, "toologue.text.time_expressions")}
    try:
        import dateparser.search  # noqa: F401  # pyright: ignore
    except ImportError:
        print("dateparser is not installed here: our grammar alone")
    else:
        warnings.simplefilter("ignore")
        readers |= {
            "dateparser": (library, "dateparser.search"),
            "grammar, else dateparser": (both, "dateparser.search"),
        }
    measured = {name: (*figures(reader), import_ms(module)) for name, (reader, module) in readers.items()}
    made = Table(title=f"{sum(1 for _ in lines())} expressions; now is {NOW:%A %Y-%m-%d %H:%M}")
    made.add_column("")
    for name in readers:
        made.add_column(name, justify="right")
    for group in next(iter(measured.values()))[0]:
        made.add_row(group, *("{} of {}".format(*right[group]) for right, *_ in measured.values()))
    made.add_row("CPU ms an expression", *(f"{cost:.2f}" for _, cost, *_ in measured.values()))
    made.add_row("CPU ms to import", *(f"{cost:.0f}" for *_, cost in measured.values()))
    Console(soft_wrap=True).print(made)
    if options.wrong:
        for name, (_, _, wrong, _) in measured.items():
            print(f"\n{name}", *wrong, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
