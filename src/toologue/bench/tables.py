"""Tables of benchmarks: as values, as cells for people, and as the HTML of a page's section.

Contract: nothing is rounded in a `Table`. Shares are floats in [0, 1], counts whole numbers, a missing value is None.
In HTML all texts are escaped; there are no scripts.

Example:
    >>> table = Table("Accuracy <1>", ["agent", "right"], [["gold", 1.0]])
    >>> [shown(cell) for cell in table.rows[0]], shown(None)
    (['gold', '100.0%'], '–')
    >>> html([table]).startswith("<h3>Accuracy &lt;1&gt;</h3>")
    True

Not covered: intervals; totals with a bootstrap come from `score.metric.totals`.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple


class Table(NamedTuple):
    """A table: shares are floats in [0, 1], counts are whole numbers."""

    title: str
    columns: list[str]
    rows: list[list[str | int | float | None]]


def shown(cell: str | float | None) -> str:
    """A cell as people read it."""
    if cell is None:
        return "–"
    return f"{cell:.1%}" if isinstance(cell, float) else str(cell)


def html(tables: Iterable[Table]) -> str:
    """Tables as the HTML of a section of a page."""
    parts: list[str] = []
    for table in tables:
        heads = "".join(f"<th>{escape(head)}</th>" for head in table.columns)
        rows = "".join(f"<tr>{''.join(f'<td>{escape(shown(cell))}</td>' for cell in row)}</tr>" for row in table.rows)
        title = escape(table.title)
        parts.append(
            f'<h3>{title}</h3><div class="scroll" role="region" aria-label="{title}" tabindex="0">'
            f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        )
    return "".join(parts)
