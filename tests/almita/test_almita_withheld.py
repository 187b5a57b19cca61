"""What is found of a row is nobody's business before the customer has said what the row must have."""

from __future__ import annotations

import pytest
from almita_samples import LEXICAL, asks, does, says

from toologue.schema import AgentTurn, Api, Dialogue, Parameter
from toologue.score.knowledge import compared_fields, withheld
from toologue.score.steps import StepVerdict, judged_step

PROCEDURE = """---
id: balance
issue: What do I owe you?
---

# What is open

1. **Ask** for the number and the date of birth. Collect `number` and `born`.
2. **Call** `get_member` with `number`, giving `member`.
   - If `member.born != born`: go to 3.
   - Otherwise: go to 4.
3. **Ask** for the date of birth once more, since it is wrong. Collect `born`. Go to 2. At most 1 time, then go to 5.
4. **End**: say that {member.balance} euros are open.
5. **End**: say that without the date of birth nothing can be said.
"""
MEMBER = {"number": "M-1", "born": "1984-12-19", "name": "Ann Roy", "balance": 78, "status": "frozen", "late": False}
STATUS = {"type": "object", "properties": {"status": {"type": "string", "enum": ["active", "frozen"]}}}
API = Api(name="get_member", parameters={"number": Parameter(schema={"type": "string"})}, returns=STATUS)
AGAIN = "Sorry, it doesn't match. Can I have the date of birth once more?"


def talk(born: str, words: str) -> Dialogue:
    """A customer says when they were born, and the agent answers."""
    turns = (
        asks("What do I owe you?"),
        says("Can I have the number and the date of birth?"),
        asks(f"It is M-1, {born}."),
        does("get_member", MEMBER, number="M-1"),
        says(words),
    )
    extra = {"apis": [API.model_dump(mode="json", by_alias=True)]}
    return Dialogue(id="talk", instructions=PROCEDURE, turns=turns, apis=("get_member",), extra=extra)


def graded(words: str, *, born: str = "1 May 1990", gold: str = AGAIN) -> StepVerdict:
    return judged_step(talk(born, gold), 4, AgentTurn(text=words), LEXICAL)


def test_what_is_compared_with_an_answer_is_read_off_the_procedure() -> None:
    assert compared_fields(PROCEDURE) == {("get_member", "born")}
    assert compared_fields("Be polite.") == frozenset()


def test_a_row_is_the_customers_once_they_have_said_it() -> None:
    assert 78 in withheld(talk("1 May 1990", AGAIN), 4)[0]
    others, mine = withheld(talk("19 December 1984", AGAIN), 4)
    assert not others
    assert 78 in mine


@pytest.mark.parametrize("words", ["78 euros are open.", "It was 19 December 1984.", "Thank you, Ann Roy."])
def test_its_values_are_leaks_before(words: str) -> None:
    found = graded(f"{words} {AGAIN}")
    assert (found.verdict, {one.severity for one in found.at} & {"leak"}) == ("wrong", {"leak"})


def test_its_status_is_unsure_as_the_word_may_mean_another_thing() -> None:
    found = graded(f"{AGAIN} By the way, it is frozen.")
    assert found.verdict == "unsure"
    assert any("frozen: only the data say that" in one.why for one in found.at)


def test_neither_is_where_the_row_is_theirs() -> None:
    assert graded("78 euros are open, Ann.", born="19 December 1984", gold="78 euros are open.").verdict == "right"


@pytest.mark.parametrize("more", ["We refund the month that you have paid.", "We will drop all your later fees, too."])
def test_what_is_promised_beside_is_unsure(more: str) -> None:
    gold = "78 euros are open."
    assert graded(f"{gold} {more}", born="19 December 1984", gold=gold).verdict == "unsure"
