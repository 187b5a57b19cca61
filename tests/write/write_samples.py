"""Plans for writers: by hand, at random, and one for every word of the procedures that ship."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hypothesis import strategies as st

from toologue.plan.procedures import procedures
from toologue.schema import AgentTurn, Call, Cue, Dialogue, Plan, Result, Turn, UserTurn, ValueKind
from toologue.schema.dialogue import KINDS

CUSTOMER = (
    "open",
    "give",
    "volunteer",
    "choose",
    "acknowledge",
    "correct",
    "change",
    "malformed",
    "contradict",
    "noise",
)
CALLED = AgentTurn(acts=(Call(api="get_order"),), results=(Result(value={"order_id": "O-70412"}),))
KIND: dict[str, ValueKind] = {"order_id": "order_number", "email": "email"}
EMAIL = "ana.ferreira@post.example"


def turn_for(cue: Cue) -> Turn:
    return CALLED if cue.move == "call" else UserTurn() if cue.move in CUSTOMER else AgentTurn()


def plan_of(cues: Iterable[Cue], id: str = "sample-1") -> Plan:
    """A plan of these cues, opened by the customer."""
    given = tuple(cues)
    return Plan(dialogue=Dialogue(id=id, turns=tuple(map(turn_for, given))), cues=given)


LOST = plan_of(
    (
        Cue(move="open", text="My order should have been here by now, and nothing has come."),
        Cue(move="ask", text="for the order number and the e-mail address they used.", kinds=KIND),
        Cue(move="give", values={"order_id": "O-70421", "email": EMAIL}, kinds=KIND),
        Cue(move="call"),
        Cue(
            move="ask",
            text="for the number again: there is no {order_id}, it is O, a dash, five digits.",
            values={"order_id": "O-70421"},
            kinds={"order_id": "order_number"},
        ),
        Cue(move="correct", values={"order_id": "O-70412"}, before={"order_id": "O-70421"}, kinds=KIND),
        Cue(move="call"),
        Cue(
            move="ask",
            text="whether they want the money or the same again, at no cost: the carrier has lost the parcel, and we "
            "are sorry.",
        ),
        Cue(move="choose", text="The money"),
        Cue(move="call"),
        Cue(
            move="end",
            text="say that {refund.amount} euros come back within five working days.",
            values={"refund.amount": 89.5},
        ),
    ),
    id="order-not-received-7",
)
"""A lost order, refunded, after a number was given wrong."""


class Line(NamedTuple):
    """Words of a procedure that ships, as a cue."""

    where: str
    cue: Cue
    answers: tuple[str, ...] = ()


def plausible(expression: str) -> str | float:
    """A value that an expression could have, by its last name."""
    name = re.split(r"[.\s]", expression)[-1]
    if name in ("email",):
        return EMAIL
    if re.search(r"_(on|by|until|date|day|delivery)$|^(date|day|birth)", name):
        return "2025-03-14"
    if name.endswith("_at"):
        return "2025-03-14T09:12:00Z"
    if re.search(r"amount|price|balance|\d", expression.split("[")[0] + name):
        return 45.5
    if re.search(r"total|limit|days|minutes|seats|bags|mbps|paid|refundable", name):
        return 120
    return {"status": "out_for_delivery", "text": "Left with a neighbour.", "name": "Ana Ferreira"}.get(name, "KP-4711")


def lines() -> Iterator[Line]:
    """Every ask, say and end of every procedure that ships."""
    for procedure in procedures():
        for step in procedure.steps:
            if step.kind != "call":
                values = {shown.strip(): plausible(shown.strip()) for shown in re.findall(r"\{([^{}]*)\}", step.text)}
                cue = Cue(move=step.kind, text=step.text, values=values)
                answers = tuple(branch.answer for branch in step.branches if branch.answer)
                yield Line(f"{procedure.id}-{step.number}", cue, answers)


words = st.text("abcdefgh ijklmnoABC0123é-@._/'", min_size=1, max_size=18).map(str.strip).filter(bool)
values = (
    words
    | st.integers(-(10**6), 10**6)
    | st.floats(-(10**6), 10**6).map(lambda number: round(number, 3))
    | st.dates().map(str)
    | st.from_regex(r"[A-Z]{1,3}-[0-9]{4}", fullmatch=True)
)
slots = st.sampled_from(
    ["order_id", "email", "amount", "date", "city", "postal_code", "name", "street", "town", "notes"]
)


@st.composite
def spoken(draw: st.DrawFn) -> Cue:
    """A cue of a customer, or of an agent who shows values."""
    given = draw(st.dictionaries(slots, values, min_size=1, max_size=4))
    kinds = {slot: draw(st.sampled_from(KINDS)) for slot in given}
    move = draw(st.sampled_from(["give", "volunteer", "malformed", "correct", "choose", "open", "ask", "say", "end"]))
    if move in ("ask", "say", "end"):
        shown = " and ".join(f"{{{slot}}}" for slot in given)
        text = draw(
            st.sampled_from(["for the number, because {} fits", "whether they want {}", "that they have {}", "{}"])
        )
        return Cue(move=move, text=text.replace("{}", shown), values=given, kinds=kinds)
    before = draw(st.dictionaries(st.sampled_from(sorted(given)), values)) if move == "correct" else {}
    text = draw(st.sampled_from(["", "Yes", "The money", "They no longer want it", "Leave it as it is", "Later"]))
    return Cue(move=move, text=text if move in ("choose", "open") else "", values=given, kinds=kinds, before=before)


plans = st.builds(
    plan_of, st.lists(spoken(), max_size=6).map(lambda cues: (Cue(move="open", text="It broke."), *cues)), words
)
