"""Every way to spoil a valid dialogue is seen: at least 95 in 100 of each kind."""

from __future__ import annotations

from random import Random

import pytest
from verify_samples import Sample, samples

from corrupt import CORRUPTIONS
from toologue.schema import AgentTurn, Dialogue, UserTurn
from toologue.verify.procedures import verify

LEAST = 0.95
RULES = {
    "wrong_reply_value": "supported",
    "wrong_customer_value": "carried",
    "value_left_out": "supported",
    "stale_reply": "stale",
    "made_up": "supported",
    "stand_in": "wording",
    "obeyed_noise": "path",
    "wrong_ending": "path",
    "uninformed": "carried",
    "wrong_argument": "arguments",
    "edited_result": "execution",
    "swapped_branch": "execution",
    "dropped_result": "shape",
    "dropped_call": "path",
    "extra_call": "path",
    "missing_report": "shape",
    "swapped_turns": "path",
    "swapped_replies": "path",
    "lost_place": "path",
}
"""The rule that a corruption breaks first of all."""


@pytest.fixture(scope="module")
def valid() -> list[Sample]:
    return list(samples(100, seed=4))


@pytest.mark.parametrize("name", sorted(CORRUPTIONS))
def test_is_rejected_and_by_its_rule(name: str, valid: list[Sample]) -> None:
    found = [
        {flaw.rule for flaw in verify(spoilt, graph)}
        for number, (dialogue, graph) in enumerate(valid)
        if (spoilt := CORRUPTIONS[name](dialogue, Random(number))) is not None
    ]
    assert len(found) >= (5 if name == "stale_reply" else 40)
    assert sum(map(bool, found)) / len(found) >= LEAST
    assert sum(RULES[name] in broken for broken in found) / len(found) >= 0.85


@pytest.mark.parametrize("name", sorted(CORRUPTIONS))
def test_changes_something_and_the_same_for_the_same_seed(name: str, valid: list[Sample]) -> None:
    for dialogue, _ in valid[:12]:
        before = dialogue.model_dump_json()
        spoilt = CORRUPTIONS[name](dialogue, Random(3))
        assert spoilt != dialogue
        assert spoilt == CORRUPTIONS[name](dialogue, Random(3))
        assert dialogue.model_dump_json() == before
        if spoilt is not None:
            assert Dialogue.model_validate_json(spoilt.model_dump_json()) == spoilt


def test_there_is_none_where_there_is_no_place_for_it() -> None:
    small = Dialogue(id="small", turns=(UserTurn(text="Hello"), AgentTurn(text="Good morning")))
    spoilt = {name for name, corruption in CORRUPTIONS.items() if corruption(small, Random(0)) is not None}
    assert spoilt == {"made_up", "stand_in", "swapped_turns"}
