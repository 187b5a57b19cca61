"""The user `graph` and the metric `adherence`: a customer with a goal, and whether the agent kept to the procedure."""

from __future__ import annotations

from typing import Any

import pytest
from procedure_agent_talks import brief_of, calls, service

from toologue.agents.agent import resolve_agent
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.plan.procedures import procedure
from toologue.procedure.course import course_of
from toologue.schema import AgentTurn, Call, Dialogue, Result, Score, Trace, Turn, UserTurn
from toologue.schema.case import Case
from toologue.score.adherence import adherence
from toologue.text.bank import Register
from toologue.users.graph import Goal, GraphUser, graph_user

RETURN = Goal(
    "I bought the wrong thing.",
    values={"email": ("ana.ferreira@post.example",), "order_id": ("O-99999", "O-10423")},
    answers={8: ("They no longer want it",)},
    end=14,
)
MOVE = Goal(
    "It goes to my old flat.",
    values={
        "email": ("m.yildiz@posta.example",),
        "order_id": ("O-10460",),
        **{"name": ("Ayşe Yıldız",), "street": ("Hauptstraße 4",), "city": ("Köln",), "postal_code": ("50667",)},
        "country": ("DE",),
    },
    answers={8: ("Yes",)},
    end=13,
)


def live(id: str, goal: Goal, agent: str = "procedure", register: Register = "chatty") -> list[Turn]:
    """A conversation of the customer with an agent."""
    brief = brief_of(id)
    case = Case(id=id, protocol="live", brief=brief, rounds=15)
    user = GraphUser(course_of(brief), goal, facts=brief.facts, register=register, seed=1)
    return play(case, resolve_agent(agent).make(case), service(procedure(id).apis).world(), user)[0]


def graded(id: str, turns: list[Turn]) -> dict[str, Score]:
    """The scores of a conversation."""
    brief = brief_of(id)
    extra: dict[str, Any] = {"apis": [api.model_dump(mode="json", by_alias=True) for api in brief.apis]}
    gold = Dialogue(id=id, instructions=brief.instructions, facts=brief.facts, turns=(UserTurn(text="x"),), extra=extra)
    trace = Trace(case="", dialogue=id, protocol="live", agent="it", turns=tuple(turns))
    return dict(adherence(gold, trace, TextMatch.of("lexical")))


@pytest.mark.parametrize("register", ["terse", "chatty", "annoyed", "formal"])
@pytest.mark.parametrize(("id", "goal"), [("return-an-item", RETURN), ("change-delivery-address", MOVE)])
def test_customer_and_agent_get_there_in_every_register(id: str, goal: Goal, register: Register) -> None:
    turns = live(id, goal, register=register)
    assert [turn.stop for turn in turns if turn.role == "user"][-1] == "done"
    assert {name: score.value for name, score in graded(id, turns).items()} == {
        "adherence": 1.0,
        "guarded writes": 1.0,
        "ended at a leaf": 1.0,
    }


def test_a_value_that_is_asked_for_again_is_the_next_one() -> None:
    given = [
        turn.informed["order_id"]
        for turn in live("return-an-item", RETURN)
        if turn.role == "user" and "order_id" in turn.informed
    ]
    assert given == ["O-99999", "O-10423"]


class _Agent:
    """Says the same whatever it hears."""

    def __init__(self, text: str):
        self._text = text

    async def act(self, history: object, brief: object) -> AgentTurn:
        return AgentTurn(text=self._text)


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("Could you tell me the e-mail address of your account?", "loops"),
        ("Bananas grow in Ecuador.", "lost"),
        ("We cannot find the order with these details, and the confirmation has the right ones.", "refused"),
        ("The label L-1 is in your inbox, good until Friday; the money follows when the parcel is here.", "done"),
    ],
)
def test_the_customer_says_why_it_leaves(text: str, stop: str) -> None:
    brief = brief_of("return-an-item")
    user = GraphUser(course_of(brief), RETURN, facts=brief.facts)
    turns, _ = play(Case(id="x", protocol="live", brief=brief), _Agent(text), user=user)
    said = [turn for turn in turns if turn.role == "user"]
    assert said[-1].stop == stop
    assert sum("ana.ferreira" in turn.text for turn in said) <= 3


def test_the_customer_is_a_function_of_the_history() -> None:
    brief, turns = brief_of("return-an-item"), live("return-an-item", RETURN)
    for place, turn in enumerate(turns):
        if turn.role == "user":
            cold = GraphUser(course_of(brief), RETURN, facts=brief.facts, register="chatty", seed=1)
            assert cold.next(turns[:place]) == turn


def test_a_gold_s_customer_has_its_goal() -> None:
    brief = brief_of("order-not-received")
    informed = {"order_id": "O-10367", "email": "k.nowak@poczta.example"}
    turns = (
        UserTurn(text="Late!"),
        AgentTurn(text="Which?"),
        UserTurn(text="This.", informed=informed),
        AgentTurn(text="."),
    )
    case = Case(
        id="g", gold=Dialogue(id="g", instructions=brief.instructions, turns=turns), brief=brief, protocol="live"
    )
    lived, _ = play(case, resolve_agent("procedure").make(case), service("shop").world(), graph_user(case))
    assert calls(lived)[:2] == ["get_order(O-10367)", "find_customer(k.nowak@poczta.example)"]


def test_a_skipped_confirmation_is_a_violation() -> None:
    scores = graded("change-delivery-address", live("change-delivery-address", MOVE, agent="procedure_careless"))
    assert scores["guarded writes"].value == 0.0
    assert [mismatch.why for mismatch in scores["adherence"].at] == ["made before the customer was asked"]


TRIP = Goal(
    "My flight is off.",
    values={"booking_id": ("KTM482",), "last_name": ("Aydın",)},
    answers={5: ("The money",), 11: ("Yes",)},
)


def test_a_question_put_twice_is_answered_by_the_last_answer() -> None:
    """The agent makes sure of the money once more: the customer says yes again, says yes after no, or says no."""
    turns = live("flight-cancelled", TRIP)
    (place,) = (place for place, turn in enumerate(turns) if turn.extra.get("answer") == "Yes")
    question, yes = turns[place - 1 : place + 1]
    again = [*turns[: place + 1], question, yes, *turns[place + 1 :]]
    assert graded("flight-cancelled", again)["adherence"].at == ()
    no = yes.replace(text="No, thanks.", extra={**yes.extra, "answer": "No"})
    changed = [*turns[:place], no, question, yes, *turns[place + 1 :]]
    assert graded("flight-cancelled", changed)["adherence"].at == ()
    against = [*turns[: place + 1], question, no, *turns[place + 1 :]]
    whys = [mismatch.why for mismatch in graded("flight-cancelled", against)["adherence"].at]
    assert whys == ["made for 'Yes', and the customer chose 'No'"]


def _did(api: str, **arguments: Any) -> AgentTurn:
    return AgentTurn(acts=(Call(api=api, arguments=arguments),), results=(Result(value={"status": "lost"}),))


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (_did("reship_order", order_id="O-10367"), "skipped get_order (step 2)"),
        (_did("get_order", order_id="O-55555"), "order_id is 'O-55555', which the customer never said"),
        (_did("get_order", order_id="O-10367", fast=True), "fast is not for this call"),
        (_did("delete_everything"), "the procedure makes no such call at all"),
    ],
)
def test_each_call_that_is_not_allowed_is_explained(turn: AgentTurn, why: str) -> None:
    turns = [UserTurn(text="It's O-10367."), turn, AgentTurn(text="Done.")]
    scores = graded("order-not-received", turns)
    assert scores["adherence"].value == 0.0
    assert why in [mismatch.why for mismatch in scores["adherence"].at]


def test_nothing_is_scored_without_a_procedure_or_under_other_protocols() -> None:
    gold = Dialogue(id="d", instructions="Be nice.", turns=(UserTurn(text="Hi"),))
    trace = Trace(case="", dialogue="d", protocol="live", agent="it", turns=gold.turns)
    judge = TextMatch.of("lexical")
    assert {score.value for score in adherence(gold, trace, judge).values()} == {None}
    assert adherence(gold, trace.replace(protocol="next"), judge) == {}
