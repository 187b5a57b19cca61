"""The action sequences of ToolDial (A.9): every walk through the action graph that breaks no rule.

The paper prints 23, in tables 11 (two APIs), 12 (one API) and 13 (nobody can help); a key is table and row, "11.8". The
published code has three more, `code.1` to `code.3`: the API that finds the value needs nothing, nor does the other one
need more, so that after the failure nobody is asked anything. They are `published_code_only`.

Which sequences fit depends on the pair of APIs, source and target: on its category (does the source take parameters;
does the target take others than the one that is chained) and on its fit (the user knows the parameter; the source
finds it as a single value, or as one of several). `misfit` says why not.

Example:
    >>> [one.key for one in SEQUENCES.values() if one.apis == 1]
    ['12.1', '12.2', '12.3', '12.4', '12.5', '12.6', '12.7']
    >>> [one.key for one in fitting("zeroyes", "multi")]
    ['11.6', '11.14', '11.15', '13.1']
    >>> misfit(SEQUENCES["11.8"], "zeroyes", "single")
    'it asks for what the source needs, and the source needs nothing'

Not covered: how often each occurs; who plans decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from toologue.plan.chains.actions import GRAPH, OPENINGS, ActionName, Step, action_of, broken

Category = Literal["yesyes", "yeszero", "zeroyes", "zerozero"]
"""Whether the source takes parameters, and whether the target takes others than the chained one."""

Fit = Literal["knowable", "single", "multi"]

_ROWS: Mapping[str, Mapping[str, str]] = {
    "request inform call call": {"clear": "11.8", "clarify": "11.11", "suggest": "11.1"},
    "request inform call request inform call": {"clear": "11.7", "clarify": "11.5", "suggest": "11.12"},
    "request inform call request_multi inform call": {"clear": "11.13", "clarify": "11.4", "suggest": "11.10"},
    "call request inform call": {"clear": "11.9", "clarify": "11.3", "suggest": "11.2"},
    "call request_multi inform call": {"clear": "11.6", "clarify": "11.14", "suggest": "11.15"},
    "call call": {"clear": "code.1", "clarify": "code.2", "suggest": "code.3"},
    "request inform call": {
        "clear": "12.7", "clarify": "12.1", "suggest": "12.3", "add": "12.5", "clarify add": "12.4",
    },
    "call": {"add": "12.6", "clarify add": "12.2"},
    "negate": {"suggest": "13.1"},
}  # fmt: skip
"""The rows of the paper's tables, by course and opening."""

_TURNING_POINT = re.compile(r"\b(?:retriever_call|suggest|affirm) ")
_ENDING = re.compile(r" (?:response user_bye system_bye|response_fail)$")


@dataclass(frozen=True)
class ActionSequence:
    """One way a conversation may go. `key` is its row in the paper."""

    key: str
    steps: tuple[Step, ...]

    @cached_property
    def actions(self) -> tuple[ActionName, ...]:
        """The actions of its turns."""
        return tuple(action_of(step) for step in self.steps)

    @property
    def published_code_only(self) -> bool:
        """Whether the paper does not have it, and the published code does."""
        return self.key.startswith("code.")

    @cached_property
    def apis(self) -> int:
        """How many calls it makes."""
        return self.steps.count("call")

    @cached_property
    def course(self) -> str:
        """What happens once the wish is plain and, where a value is missing, the source is found; without the end."""
        return _course(self.steps)

    @cached_property
    def opening(self) -> str:
        """How the wish becomes plain: clear at once, clarified, suggested; add where a value comes with it."""
        return _opening(self.steps)

    @cached_property
    def fails(self) -> bool:
        """Whether the user does not know something."""
        return "fail_inform" in self.steps

    @cached_property
    def adds(self) -> bool:
        """Whether the user gives a value with the wish."""
        return "inform_intent_clear_add" in self.steps

    @cached_property
    def chooses(self) -> bool:
        """Whether the user chooses among several results."""
        return "request_multi" in self.steps

    @cached_property
    def keeps_back(self) -> bool:
        """Whether the user who lacks a value gives no other either, and is asked for the rest later (A.5)."""
        return self.fails and "call request " in self.course


def derived() -> Iterator[ActionSequence]:
    """Every walk from an opening to an end that breaks no rule, in the order of the graph."""
    return (ActionSequence(key=_key(steps), steps=steps) for opening in OPENINGS for steps in _walks((opening,)))


@cache
def fitting(category: Category, fit: Fit, *, published_code: bool = False) -> tuple[ActionSequence, ...]:
    """The sequences for pairs of this category and fit; those of the published code only where asked for."""
    known = (one for one in SEQUENCES.values() if published_code or not one.published_code_only)
    return tuple(one for one in known if not misfit(one, category, fit))


def misfit(sequence: ActionSequence, category: Category, fit: Fit) -> str:
    """Why a sequence does not fit a pair; nothing where it does."""
    if sequence.apis == 0:
        return ""
    source, rest = category.startswith("yes"), category.endswith("yes")
    return _misfit_of_two(sequence, fit, source, rest) if sequence.apis == 2 else _misfit_of_one(sequence, fit, rest)


def _misfit_of_two(sequence: ActionSequence, fit: Fit, source: bool, rest: bool) -> str:
    if fit == "knowable":
        return "the user fails to tell what users know"
    if sequence.chooses != (fit == "multi"):
        return f"it has {'a' if sequence.chooses else 'no'} choice among results, and there is {_HOW_MANY[fit]}"
    if source and not sequence.course.startswith("request"):
        return "it does not ask for what the source needs"
    if not source and sequence.course.startswith("request"):
        return "it asks for what the source needs, and the source needs nothing"
    return "it asks for the rest, and there is none" if sequence.keeps_back and not rest else ""


_HOW_MANY: Mapping[Fit, str] = {"single": "one result", "multi": "more than one"}


def _misfit_of_one(sequence: ActionSequence, fit: Fit, rest: bool) -> str:
    if fit != "knowable":
        return "it has no second API, and users do not know the parameter"
    if sequence.adds and rest != sequence.course.startswith("request"):
        return "there is more to ask than what comes unasked" if rest else "nothing is left to ask"
    return ""


def _walks(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    if broken(steps):
        return
    if not GRAPH[steps[-1]]:
        yield steps
    for step in GRAPH[steps[-1]]:
        yield from _walks((*steps, step))


def _course(steps: tuple[Step, ...]) -> str:
    return _TURNING_POINT.split(_ENDING.sub("", " ".join(steps)))[-1]


def _opening(steps: tuple[Step, ...]) -> str:
    opening = [name for name in ("clarify", "suggest") if name in steps]
    opening += ["add"] if "inform_intent_clear_add" in steps else []
    return " ".join(opening) or "clear"


def _key(steps: tuple[Step, ...]) -> str:
    return _ROWS[_course(steps)][_opening(steps)]


def _place(sequence: ActionSequence) -> tuple[str, int]:
    table, _, row = sequence.key.partition(".")
    return table, int(row)


SEQUENCES: Mapping[str, ActionSequence] = {one.key: one for one in sorted(derived(), key=_place)}
"""All of them by key, in the paper's order, then those of the published code."""
