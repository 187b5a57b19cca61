"""The situations of a sequence: one table that serves all of them.

Each step is met in a situation: what is in hand then (target or source), which group of values is asked for or told:

    add      what comes with the wish              target   what the target needs, as far as it is not told yet
    kept     what a user gives who lacks a value   rest     what the target needs besides
    source   what the source needs                 choice   by what the user chooses among results

Example:
    >>> from toologue.plan.chains.sequences import SEQUENCES
    >>> situations(SEQUENCES["11.9"])[2:8]
    ('ask target', 'fail', 'find source', 'call source', 'ask rest', 'tell rest')
    >>> TABLE["ask rest"]
    Row(hand='target', group='rest')

Not covered: what happens in them; see `emit`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

from toologue.plan.chains.sequences import ActionSequence

Hand = Literal["target", "source"]


class Row(NamedTuple):
    """What a situation is about: the API in hand; the group of values that is asked for or told."""

    hand: Hand | None = None
    group: str = ""


TABLE: Mapping[str, Row] = {
    "inform_intent_clear_add": Row(group="add"),
    "ask target": Row("target", "target"),
    "tell target": Row(group="target"),
    "fail": Row(group="kept"),
    "find source": Row("target"),
    "ask source": Row("source", "source"),
    "tell source": Row(group="source"),
    "call source": Row("source"),
    "ask rest": Row("target", "rest"),
    "tell rest": Row(group="rest"),
    "ask choice": Row("target", "choice"),
    "tell choice": Row(group="choice"),
    "call target": Row("target"),
    "response": Row("target"),
    "system_bye": Row("target"),
}
NOTHING = Row()


@cache
def situations(sequence: ActionSequence) -> tuple[str, ...]:
    """The situation in which each step of a sequence is met."""
    made: list[str] = []
    asked, missing, calls = "target", False, 0
    for step in sequence.steps:
        if step == "request_multi":
            asked = "choice"
        elif step == "request":
            asked = "target" if not missing else "source" if not calls else "rest"
        match step:
            case "request" | "request_multi":
                made.append(f"ask {asked}")
            case "inform":
                made.append(f"tell {asked}")
            case "fail_inform":
                missing = True
                made.append("fail")
            case "retriever_call":
                made.append("find source" if missing else "find target")
            case "call":
                made.append("call source" if missing and not calls else "call target")
                calls += 1
            case _:
                made.append(step)
    return tuple(made)
