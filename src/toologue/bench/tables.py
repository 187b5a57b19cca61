"""Tables of benchmarks: as values, as cells for people, and as the HTML of a page's section.

Nothing is rounded in a `Table`. Shares are floats in [0, 1], counts whole numbers, a missing value is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from toologue.score.metric import Total

Cell: TypeAlias = "str | int | float | Total | None"


class Table(NamedTuple):
    """A table: shares are floats in [0, 1], or totals with intervals, counts whole numbers. `caption` stands below."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    caption: str = ""


def shown(cell: Cell) -> str:
    """A cell as people read it."""
    if cell is None:
        return "–"
    if isinstance(cell, tuple):
        from toologue.report.words import figures

        value, ends = figures(cell)
        return f"{value}  {ends.replace(' to ', '–')}" if ends else value
    return f"{100 * cell:.1f} %" if isinstance(cell, float) else str(cell)


def html(tables: Iterable[Table]) -> str:
    """Tables as the HTML of a section of a page.

    >>> html([Table("Accuracy <1>", ["agent", "right"], [["gold", 1.0]])]).startswith("<h3>Accuracy &lt;1&gt;</h3>")
    True
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = FileSystemLoader(Path(__file__).with_name("templates"))
    blocks = Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return blocks.get_template("tables.html").render(tables=tables, shown=shown)
