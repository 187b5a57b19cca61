"""Tables of benchmarks: as values, as cells for people, and as the HTML of a page's section.

Nothing is rounded in a `Table`. Shares are floats in [0, 1], counts whole numbers, a missing value is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Bracket(NamedTuple):
    """A share if all that is unsure is wrong, and if all of it is right."""

    value: float
    best: float


Cell = str | int | float | Bracket | None


class Table(NamedTuple):
    """A table: shares are floats in [0, 1] or brackets, counts are whole numbers. `caption` stands below."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    caption: str = ""


def shown(cell: Cell) -> str:
    """A cell as people read it."""
    if cell is None:
        return "–"
    if isinstance(cell, Bracket):
        return " to ".join(f"{100 * end:.1f}" for end in sorted(cell)) + " %"
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
