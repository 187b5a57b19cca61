"""Customers' words that were written apart: every procedure has all of them, and what they make is valid."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
import yaml

from bench.unheard import Unheard, bank
from toologue.plan.procedures import procedure, procedures
from toologue.plan.procedures.noise import NOISE_KINDS, noise_bank
from toologue.plan.procedures.plan_dialogue import plan_all
from toologue.plan.procedures.service import service
from toologue.schema import Procedure
from toologue.schema.procedure import Step
from toologue.verify.procedures import verify

# Steps that procedures got after the words were written: who knows our templates writes nothing for them.
LATER = {
    ("add-baggage", 21),
    ("billed-for-unordered-tv-package", 5),
    ("flight-cancelled", 13),
    ("flight-cancelled", 22),
    ("flight-cancelled", 23),
    ("missing-suitcase", 20),
    ("move-appointment", 22),
    ("move-contract-to-new-flat", 22),
    ("overdraft-fee-in-dispute", 8),
    ("raise-card-limit-for-a-trip", 7),
    ("raise-card-limit-for-a-trip", 9),
    ("raise-card-limit-for-a-trip", 19),
    ("raise-card-limit-for-a-trip", 20),
    ("technician-did-not-come", 18),
    ("technician-did-not-come", 21),
    ("technician-did-not-come", 22),
    ("travel-vaccination", 25),
}


def is_told(one: Procedure, step: Step) -> bool:
    """Whether words were written for a step, with its slots, for each of its answers."""
    told = bank()[one.id]
    slots = [sorted(re.findall(r"\{(\w+)\}", text)) for text in told["asks"].get(step.number, [])]
    labels = list(dict.fromkeys(branch.answer for branch in step.branches if branch.answer))
    if step.kind == "say":
        return len(told.get("says", {}).get(step.number, [])) >= 2
    if step.collects and not (slots and all(found == sorted(step.collects) for found in slots)):
        return False
    return not labels or list(told["answers"].get(step.number, [])) == labels


@pytest.mark.parametrize("one", procedures(), ids=lambda one: one.id)
def test_there_are_words_for_every_issue_question_and_answer(one: Procedure) -> None:
    told = bank()[one.id]
    assert len(set(told["issue"])) >= 4
    assert not {one.issue, *one.wordings} & set(told["issue"])
    asked = [step for step in one.steps if step.kind in ("ask", "say")]
    later = {step for procedure, step in LATER if procedure == one.id}
    assert {step.number for step in asked if not is_told(one, step)} == later


def test_there_is_noise_of_every_kind() -> None:
    assert {one["kind"] for one in bank()["any"]["noise"]} == set(NOISE_KINDS)


@pytest.mark.parametrize("kind", ["attack", "private", "abuse"])
def test_no_cue_of_noise_knows_one_message_only(kind: str) -> None:
    """A cue that the bank has once, and nobody else ever said, is that message learnt by heart."""
    cues = yaml.safe_load((files("toologue.procedure") / "noticing.yaml").read_text("utf-8"))[kind].split("\n")
    said = [message.text for message in noise_bank()], [one["text"] for one in bank()["any"]["noise"]]
    for cue in filter(None, cues):
        pattern = re.compile(rf"(?<!\w)(?:{cue})(?!\w)", re.IGNORECASE)
        shipped, unseen = (sum(bool(pattern.search(" ".join(text.split()))) for text in texts) for texts in said)
        assert shipped != 1 or unseen, cue


def test_what_is_volunteered_and_changed_is_said_in_words_written_apart() -> None:
    one = procedure("flight-cancelled")
    made = plan_all(one, service(one.apis), 40, noise=0.0, detours=1.0, seed=3)
    plans = [plan for plan in made.plans if plan.dialogue.origin["detour"] in ("volunteer", "change")]
    told = [(Unheard().words(plan, made.graph), plan) for plan in plans]
    assert {dialogue.origin["detour"] for dialogue, _ in told if dialogue} == {"volunteer", "change"}
    assert all(verify(dialogue, made.graph, cues=plan.cues) == [] for dialogue, plan in told if dialogue)


def test_conversations_in_these_words_are_valid() -> None:
    one = procedure("order-not-received")
    made = plan_all(one, service(one.apis), 0, noise=0.0, detours=0.0, seed=3)
    told = [Unheard().words(plan, made.graph) for plan in made.plans]
    assert all(
        dialogue and verify(dialogue, made.graph, cues=plan.cues) == []
        for dialogue, plan in zip(told, made.plans, strict=True)
    )
