"""Bounds that a procedure puts ("within 30 days", "up to 65"), and which sides of them a way through it comes next to.

A bound is an ordered comparison, in a condition, with what the procedure itself says: a number, a fact, a day counted
from today. A side of it is seen where it decides alone (the other way round another branch would be taken), by the
value that is the bound itself, or one step beyond it: one day, one hour where a clock is told, one of a number's last
place. Agents that take `>` for `>=` fail there and nowhere else.

Example:
    >>> [str(one) for one in bounds_in("order.total <= most and order.paid", {"most"})]
    ['order.total <= most']

Not covered: comparisons of two results, with 0, and of members of a list.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import JsonValue

from toologue.errors import BadSetting
from toologue.schema import Graph, Link
from toologue.values.compare import is_number, moment
from toologue.values.conditions import Expression, parse

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Side(NamedTuple):
    """A side of a bound: the link whose condition has it, its words, and whether it holds."""

    link: str
    text: str
    holds: bool


class Near(NamedTuple):
    """A value on a side of a bound: how far from it, what lies next to it there, and whether the value does."""

    side: Side
    value: JsonValue
    distance: float
    next: JsonValue
    next_to: bool


@dataclass(frozen=True)
class Bound:
    """A comparison in a condition."""

    condition: str
    compare: ast.Compare
    # Which of the two the procedure says.
    said: Literal[0, 1]

    def __str__(self) -> str:
        return ast.unparse(self.compare)

    @property
    def measured(self) -> Expression:
        """What is compared with the bound."""
        return self._sides[1 - self.said]

    @cached_property
    def _sides(self) -> tuple[Expression, Expression]:
        return Expression("", self.compare.left), Expression("", self.compare.comparators[0])

    @cached_property
    def _either(self) -> tuple[Expression, Expression]:
        """The condition where the comparison holds, and where it does not."""
        taken = (_Taken(self.compare, truth) for truth in ("true", "false"))
        yes, no = (Expression("", one.visit(deepcopy(parse(self.condition).tree))) for one in taken)
        return yes, no

    def near(self, link: str, values: Mapping[str, JsonValue]) -> Near | None:
        """How near these values come to it; None where they say nothing of it, or something else decides."""
        with suppress(BadSetting):
            yes, no = (one.holds(values) for one in self._either)
            bound, value = self._sides[self.said].value(values), self.measured.value(values)
            measure = _measure(value, bound) if bound and yes != no else None
            if measure:
                holds, operator = Expression("", self.compare).holds(values), self.compare.ops[0]
                onward = 1 if (isinstance(operator, ast.Gt | ast.GtE) == holds) != (self.said == 0) else -1
                has_bound = isinstance(operator, ast.LtE | ast.GtE) == holds
                is_next = abs(measure.distance) <= (0 if has_bound and measure.exact else measure.step)
                beyond = measure.around[1 + (0 if has_bound else onward)]
                return Near(Side(link, str(self), holds), value, measure.distance, beyond, is_next)
        return None


class _Taken(ast.NodeTransformer):
    """Puts true or false in place of a comparison."""

    def __init__(self, compare: ast.Compare, truth: str):
        self._said, self._truth = ast.dump(compare), truth

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        return ast.Name(self._truth) if ast.dump(node) == self._said else node


class Bounds:
    """The bounds of a graph."""

    def __init__(self, graph: Graph, known: Collection[str]):
        self.graph = graph
        self._of = {link.id: tuple(bounds_in(link.condition, known)) for link in graph.links if link.condition}

    @property
    def all(self) -> frozenset[Side]:
        """Both sides of each bound."""
        every = ((id, str(bound)) for id, bounds in self._of.items() for bound in bounds)
        return frozenset(Side(id, text, holds) for id, text in every for holds in (True, False))

    def of(self, link: str) -> tuple[Bound, ...]:
        """The bounds in the condition of a link."""
        return self._of.get(link, ())

    def near(self, link: Link, values: Mapping[str, JsonValue]) -> Iterator[Near]:
        """How near values came to the bounds that were looked at before a link was taken."""
        for exit in self.graph.exits(link.source):
            yield from (near for bound in self.of(exit.id) if (near := bound.near(exit.id, values)))
            if exit == link:
                return


def bounds_in(condition: str, known: Collection[str]) -> Iterator[Bound]:
    """The bounds in a condition; `known`: the names that the procedure gives values to."""
    for compare in _compares(parse(condition).tree):
        own = [Expression("", side).names <= {*known, "now"} for side in (compare.left, *compare.comparators)]
        if own in ([True, False], [False, True]):
            yield Bound(condition, compare, 0 if own[0] else 1)


def _compares(tree: ast.AST) -> Iterator[ast.Compare]:
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(tree.ops[0], _ORDERED):
        yield tree
    for part in ast.iter_child_nodes(tree) if not isinstance(tree, ast.GeneratorExp | ast.ListComp) else ():
        yield from _compares(part)


class _Measure(NamedTuple):
    """How far a value lies from a bound, one step, whether values hit it, and the bound between its neighbours."""

    distance: float
    step: float
    exact: bool
    around: tuple[JsonValue, JsonValue, JsonValue]


def _measure(value: JsonValue, bound: JsonValue) -> _Measure | None:
    if isinstance(value, int | float) and isinstance(bound, int | float) and is_number(value) and is_number(bound):
        places = len(str(bound).partition(".")[2].rstrip("0"))
        step = 1 / 10**places if places else 1
        below, above = round(bound - step, places or None), round(bound + step, places or None)
        return _Measure(round(value - bound, 9), step, True, (below, bound, above))
    this, that = (moment(one) if isinstance(one, str) else None for one in (value, bound))
    if this is None or that is None:
        return None
    clock = any(isinstance(one, str) and ":" in one for one in (value, bound))
    unit, form = (timedelta(hours=1), "%Y-%m-%dT%H:%M") if clock else (timedelta(days=1), "%Y-%m-%d")
    below, at, above = (f"{when:{form}}" for when in (that - unit, that, that + unit))
    return _Measure((this - that) / unit, 1, not clock, (below, at, above))
