"""What results hold of a row that nobody has shown to be theirs.

A step of a procedure that goes another way where a field of what a call found is not what the customer said
(`member.date_of_birth != date_of_birth`) asks whether the row is the customer's. Until they have said that field, the
row's values are nobody's business.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

from pydantic import JsonValue

from toologue.errors import BadSetting, UserError
from toologue.formats.procedure import read
from toologue.schema import AgentTurn, Call, Dialogue
from toologue.text.claims import says
from toologue.values.compare import leaves
from toologue.values.conditions import parse
from toologue.values.json_schema import object_of


def withheld(gold: Dialogue, at: int) -> tuple[list[JsonValue], list[JsonValue]]:
    """The values of results before turn `at`: of rows of which the customer has not said what they must, of others."""
    fields = compared_fields(gold.instructions)
    said = [turn.text for turn in gold.turns[:at] if turn.role == "user" and turn.text] if fields else []
    mine, others = list[JsonValue](), list[JsonValue]()
    for api, row in _rows(gold, at) if fields else ():
        asked = [row[field] for name, field in fields if name == api and row.get(field) is not None]
        known = all(any(says(text, value) for text in said) for value in asked)
        (mine if known else others).extend(leaves(row))
    return others, mine


@lru_cache(maxsize=256)
def compared_fields(instructions: str) -> frozenset[tuple[str, str]]:
    """(Api, field of its result) of what a procedure compares with what customers say; none of another text."""
    try:
        steps = read(instructions).steps
    except UserError:
        return frozenset()
    slots = {slot for step in steps for slot in step.collects}
    conditions = ((step, branch.condition) for step in steps if step.kind == "call" for branch in step.branches)
    return frozenset((step.api, field) for step, text in conditions for field in _unequal(text, step.result, slots))


def _unequal(condition: str, result: str, slots: set[str]) -> Iterator[str]:
    try:
        tree = parse(condition).tree if condition else ast.Constant(None)
    except BadSetting:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotEq):
            for one, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
                if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == result:
                    yield from [one.attr] if isinstance(other, ast.Name) and other.id in slots else []


def _rows(gold: Dialogue, at: int) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """(Api, what a call of it found) before a turn."""
    for turn in gold.turns[:at]:
        for act, result in zip_longest(turn.acts, turn.results) if isinstance(turn, AgentTurn) else ():
            if isinstance(act, Call) and result and (row := object_of(result.value)):
                yield act.api, row
