"""Questions about what is in a table or a JSON file: sums, counts and lists of rows, fields.

Contract: pure. `inside` turns a wish that counts, adds up or lists into one about the rows of a file, where it names a
.csv, and into one about a field, where it names a .json. Nobody knows the columns before the file is read: the program
looks for the words of the user (`terms`) among them and among the cells.

Example:
    >>> wish = Wish("sum", bucket="my-shop", keys=("may.csv",), about=("hours", "touring"))
    >>> inside(wish).op, terms(wish.about)
    ('table', ('hours', 'hour', 'touring', 'hours touring', 'hours_touring'))

Not covered: comparisons of cells with numbers and dates; several tables at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from toologue.agents.goal_templates.wishes import Wish

__all__ = ["inside", "shape_of", "table_names", "terms"]

_MEASURES = {"sum": "sum", "count": "count", "lines": "count", "average": "mean", "list": "rows", "grep": "rows"}
_OF_FIELDS = (*_MEASURES, "read", "size", "field")
_FIGURES = ("total", "amount", "hours", "quantity", "percent")
"""Columns that are added up where none is named."""


def inside(wish: Wish) -> Wish:
    """The wish, about what is in the one file that it names."""
    name = wish.keys[0].lower() if len(wish.keys) == 1 else ""
    asked = bool(wish.about or wish.group) or wish.op in ("sum", "average")
    if name.endswith(".csv") and wish.op in _MEASURES and asked and not wish.old and "Size" not in wish.show:
        wish = replace(wish, group="" if wish.group == "rows" else wish.group)
        return replace(wish, op="table", measure=_MEASURES[wish.op], sort="", limit=0, show=(), needs=())
    if name.endswith(".json") and wish.op in _OF_FIELDS and wish.about:
        return replace(wish, op="field", old="")
    return wish


def terms(words: Sequence[str]) -> tuple[str, ...]:
    """What a column, a cell or a field may be called: words, also as singulars, and pairs of neighbours."""
    single = [form for word in words for form in _forms(word)]
    pairs = [f"{one}{sign}{form}" for one, other in pairwise(words) for form in _forms(other) for sign in " _"]
    return tuple(dict.fromkeys([*single, *pairs]))


def _forms(word: str) -> tuple[str, ...]:
    return (word, word[:-1]) if word.endswith("s") and not word.endswith("ss") else (word,)


def shape_of(wish: Wish) -> str:
    """Which of the programs it is."""
    return "table_groups" if wish.group else f"table_{wish.measure or 'rows'}"


def table_names(wish: Wish) -> dict[str, str]:
    """What stands for the names of these programs."""
    wanted = terms([word for word in wish.about if word != wish.group])
    kept = "rows = [row for row in rows if any(cell.lower() in wanted for cell in row)] or rows"
    figures = "next(names.index(name) for name in [*wanted, *figures] if name in names[1:])"
    return {
        "wanted": json.dumps(wanted, ensure_ascii=False),
        "matching": kept if wanted else "",
        "figures": json.dumps(_FIGURES),
        "by": json.dumps(terms((wish.group,))) if wish.group else "[]",
        "figure_column": f"column = {figures}" if wish.measure == "sum" else "",
        "row_amount": "float(row[column])" if wish.measure == "sum" else "1",
    }
