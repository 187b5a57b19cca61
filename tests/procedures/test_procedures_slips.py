"""What customers get wrong: what people do get wrong, told again as people do, and never taken for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cache
from itertools import pairwise

import pytest
from rapidfuzz.distance import Levenshtein

from toologue.plan.procedures import procedure
from toologue.plan.procedures.answers import Answers, Option
from toologue.plan.procedures.explore import Explorer, SearchNode
from toologue.plan.procedures.plan_dialogue import plan_all
from toologue.plan.procedures.service import service
from toologue.procedure.conversation_graph import conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Dialogue, Procedure, UserTurn

BANK = ("overdraft-fee-in-dispute", "unknown-card-payment", "raise-card-limit-for-a-trip")
SOME = (*BANK, "change-delivery-address", "travel-vaccination", "move-appointment", "technician-did-not-come")


@cache
def talks(name: str) -> tuple[Dialogue, ...]:
    one = procedure(name)
    return tuple(plan.dialogue for plan in plan_all(one, service(one.apis), 30, noise=0.0, detours=0.0, seed=3).plans)


def said(talk: Dialogue) -> Iterator[UserTurn]:
    return (turn for turn in talk.turns if isinstance(turn, UserTurn) and turn.informed)


def wrong(name: str, *asked: str) -> list[Option]:
    one = procedure(name)
    return [option for option in Answers(one, service(one.apis)).options(asked, frozenset(), seed=0) if option.wrong]


@pytest.mark.parametrize("name", BANK[:2])
def test_nobody_errs_in_the_day_of_their_birth(name: str) -> None:
    """It may be another's, where the number is one's own; it is never a day that nobody was born on."""
    found = [one for one in wrong(name, "customer_id", "date_of_birth") if one.wrong == "unknown"]
    assert {one.slot for one in found} == {"customer_id"}


def test_a_name_is_mistyped_and_a_code_misread() -> None:
    found = wrong("flight-cancelled", "booking_id", "last_name")
    right = [one for one in Answers(procedure("flight-cancelled"), service("airline")).options(
        ("booking_id", "last_name"), frozenset(), seed=0) if not one.wrong]  # fmt: skip
    for slot, signs in (("last_name", str.isalpha), ("booking_id", str.isalnum)):
        every = {str(one.values[slot]) for one in right}
        slips = [str(one.values[slot]) for one in found if (one.slot, one.wrong) == (slot, "unknown")]
        assert slips
        assert all(min(Levenshtein.distance(slip, good) for good in every) <= 2 for slip in slips)
        assert all(map(signs, "".join(slips).replace(" ", "").replace("-", "")))


def explored(one: Procedure, most: int = 1500) -> Iterator[SearchNode]:
    """Places of the tree of all that can happen."""
    ground = Explorer(one, conversation_graph(flowgraph(one)), service(one.apis))
    waiting = [ground.root]
    for _ in range(most):
        if not waiting:
            return
        place = waiting.pop(0)
        yield place
        waiting += ground.next(place)


@cache
def travel() -> tuple[SearchNode, ...]:
    """All that happens where new patients are named as others are: nobody is told who comes for the first time."""
    one = procedure("travel-vaccination")
    known = {slot: said for slot, said in one.examples.items() if slot not in ("last_name", "date_of_birth")}
    known |= {
        "country": ["Nepal"],
        "until_date": ["2025-11-08"],
        "first_name": ["Mira"],
        "email": ["mira@post.example"],
    }
    return tuple(explored(one.replace(examples=known), 6000))


def test_no_writing_call_keeps_what_is_wrong() -> None:
    """A clinic cannot know that a surname is mistyped, and would have it for good: no conversation shows that."""
    given = [place.given for place in travel() if place.given and place.given.slot == "last_name"]
    mistyped = {str(one.values["last_name"]) for one in given}
    assert len(mistyped) > 3
    made = [place for place in travel() if place.call and place.call.api == "register_patient"]
    kept = [place.call.arguments or {} for place in made if place.call and place.result and not place.result.error]
    assert not {str(arguments["last_name"]) for arguments in kept} & mistyped


def test_what_is_no_value_decides_nothing() -> None:
    """A 31 September is not held against a limit of 90 days, nor is a limit of 65oo euros."""
    limits = [
        place.given
        for place in explored(procedure("raise-card-limit-for-a-trip"), 6000)
        if place.given and "limit_until" in place.given.values
    ]
    assert limits
    assert {one.wrong for one in limits} == {""}


def test_an_address_is_in_the_country_that_orders_go_to() -> None:
    """Whoever orders in one country does not send it to the next."""
    rows, found = service("shop").rows["customers"], 0
    by_email = {row["email"]: row["address"]["country"] for row in rows.values()}
    for talk in talks("change-delivery-address"):
        slots = {slot: value for turn in said(talk) for slot, value in turn.informed.items()}
        if slots.get("email") in by_email and "country" in slots:
            found += 1
            assert slots["country"] == by_email[slots["email"]], talk.id
    assert found > 5


def test_a_flight_is_on_its_own_day() -> None:
    """What is said in one breath is of one row, up to a day or a digit."""
    flights = [
        (row["flight_number"], date.fromisoformat(row["date"])) for row in service("airline").rows["flights"].values()
    ]
    for talk in talks("delay-compensation"):
        first = next(turn for turn in said(talk) if "flight_number" in turn.informed)
        number, day = str(first.informed["flight_number"]), date.fromisoformat(str(first.informed["date"]))
        near = [abs((day - other).days) for known, other in flights if Levenshtein.distance(known, number) <= 2]
        assert min(near) <= 7, talk.id


def test_the_second_slip_is_the_first_once_more_or_near_it() -> None:
    """Nobody tries wholly other numbers, and nobody has two names."""
    found = 0
    for name in SOME:
        for talk in talks(name):
            turns = [turn for turn in said(talk) if turn.extra.get("wrong")]
            for one, other in pairwise(turns):
                slots = [slot for slot, value in one.informed.items() if other.informed.get(slot, value) != value]
                found += 1
                assert len(slots) <= 1, talk.id
    assert found > 3
