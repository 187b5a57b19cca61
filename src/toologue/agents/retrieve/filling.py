"""Fill in the form of an Api: from what was said, from what calls gave back, from what follows.

Contract: pure. `several` holds, for one parameter, values that are all meant ("both", "London and Paris"): a call each.
`unsure` holds those that fit alike, of which one is meant.

Example:
    >>> from toologue.agents.retrieve.forms import form_of
    >>> from toologue.schema import Api, Parameter
    >>> due = Parameter(schema={"type": "string", "description": "When it is due, YYYY-MM-DD HH:MM:SS."})
    >>> form = form_of(Api(name="AddReminder", parameters={"due_date": due}))
    >>> fill(form, Told("tomorrow at 6 pm", facts={"now": "2025-03-12 10:20:00"})).arguments
    {'due_date': '2025-03-13 18:00:00'}

Not covered: parameters that exclude or require each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toologue.agents.retrieve.choosing import alike, assigned, listed
from toologue.agents.retrieve.derive import ended, implied, searched
from toologue.agents.retrieve.finding import SAID, Told, candidates
from toologue.agents.retrieve.forms import FREE, Form, Slot


@dataclass(frozen=True)
class Filled:
    """A form as far as it could be filled in."""

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    """Required parameters without a value, in the order of the documentation."""
    unsure: Mapping[str, tuple[Any, ...]] = field(default_factory=dict[str, tuple[Any, ...]])
    """Parameters for which several values fit alike."""
    several: tuple[str, tuple[Any, ...]] | None = None
    """A parameter for which several values are meant."""
    heard: frozenset[str] = frozenset()
    """The parameters whose values were said, and are no free text: any words could be that."""
    answers: frozenset[str] = frozenset()
    """The words that answered questions, and were taken as values."""


def fill(form: Form, told: Told) -> Filled:
    """Fill in a form."""
    found = candidates(form, told)
    chosen = searched(form, assigned(found, form.api.required), told)
    arguments: dict[str, Any] = {}
    missing: list[str] = []
    for name, slot in form.slots.items():
        value = chosen[name].value if name in chosen else implied(form, slot, told) if slot.required else None
        if value is not None:
            arguments[name] = value
        elif slot.required:
            missing.append(name)
    arguments.update(ended(form, arguments, told))
    single = {name: one for name, one in chosen.items() if not isinstance(one.value, list)}
    several = next(((name, all_) for name, one in single.items() if (all_ := listed(one, found[name]))), None)
    open_ = [name for name in single if form.slots[name].required and (several is None or name != several[0])]
    unsure = {name: options for name in open_ if (options := alike(single[name], found[name]))}
    unsure |= {name: options for name in missing if (options := _known(form.slots[name], told))}
    heard = frozenset(name for name, one in chosen.items() if one.score >= SAID and one.found.kind not in FREE)
    answers = frozenset(one.found.text for one in chosen.values() if one.asked)
    return Filled(arguments, tuple(missing), unsure, several, heard, answers)


def _known(slot: Slot, told: Told) -> tuple[Any, ...]:
    """The things to choose from, where a parameter names one: those of the newest rows."""
    group = next((group for group in told.rows if any(slot.name in row for row in group)), ())
    return tuple(row[slot.name] for row in group if slot.name in row) if slot.naming else ()
