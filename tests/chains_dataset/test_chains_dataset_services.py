"""Businesses are asked for what concerns those who ask: the services that ship give conversations without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from each_row import each_row
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import Dialogue
from toologue.schema.jsonl import read

SERVICES = Path(__file__).parents[2] / "src/toologue/worlds/crud"

APPOINTMENTS = """\
User: Can you check my appointments?
Agent: All right. Do you know the patient's ID?
User: I don't have that.
Agent: No problem, I can look it up. I'll need the surname and the date of birth for that.
User: That's Almeida, 28 April 1965.
Agent: Thanks, I have it now. Would you like to add the status?
User: missed.
Agent: I found 25 November 2025 (general, at 13:15), 28 May 2025 (travel, at 11:00) and 27 September 2025 (travel, \
at 17:30).
User: Great, thanks, bye.
Agent: Glad I could help."""


def conversations(name: str, folder: Path, count: int = 12) -> list[Dialogue]:
    """Conversations about what a service can do, all of them verified; one raises where there is none."""
    making = ChainMaking(count, ratio=(1.0, 0.0, 0.0), most=1.0)
    make_chains([SERVICES / name / "openapi.yaml"], folder, making)
    return list(read(folder / "dialogues.jsonl", Dialogue))


def text_of(dialogue: Dialogue) -> str:
    return "\n".join(f"{turn.role.title()}: {turn.text}" for turn in dialogue.turns if turn.text)


@each_row("name", ["airline", "bank", "clinic", "desk", "shop", "telecom"])
def test_every_service_that_ships_gives_conversations(name: str, tmp_path: Path) -> None:
    assert len(conversations(name, tmp_path / name)) >= 6


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("shop", "find_customer", "list_orders"),
        ("clinic", "find_patient", "list_appointments"),
        ("airline", "find_traveller", "list_bookings"),
        ("bank", "find_card", "list_payments"),
    ],
)
def test_somebody_is_found_by_what_they_know_of_themselves(name: str, source: str, target: str, tmp_path: Path) -> None:
    made = conversations(name, tmp_path, count=60)
    assert (source, target) in {(one.origin.get("source"), one.origin["target"]) for one in made}


def test_a_patient_asks_when_the_appointments_are(tmp_path: Path) -> None:
    """Who asks for themselves says so, and gives a name and a date of birth in place of a number."""
    made = conversations("clinic", tmp_path, count=60)
    assert APPOINTMENTS in map(text_of, made)


def test_what_stands_on_a_confirmation_is_given_and_not_looked_up(tmp_path: Path) -> None:
    """`get_bill` takes the number of a bill: it is asked for by that name, or given at once."""
    bills = [one for one in conversations("clinic", tmp_path, count=60) if one.origin["target"] == "get_bill"]
    asked = [turn.text for one in bills for turn in one.turns if turn.text and "number" in turn.text]
    assert bills
    assert any("the bill number" in text for text in asked)
    assert not any("ID" in text for text in asked)


def test_a_filter_holds_of_every_row_that_is_found(tmp_path: Path) -> None:
    """Who asks for the appointments that were missed is shown no other."""
    turns = [turn for one in conversations("clinic", tmp_path, count=60) for turn in one.turns if turn.role == "agent"]
    listed = 0
    for act, result in (told for turn in turns for told in zip(turn.acts, turn.results, strict=True)):
        given = cast("dict[str, Any]", act.arguments or {}) if act.kind == "call" else dict[str, Any]()
        if "status" in given:
            rows: list[dict[str, Any]] = cast("Any", result).value["appointments"]
            assert all(row["status"] == given["status"] for row in rows)
            listed += 1
    assert listed
