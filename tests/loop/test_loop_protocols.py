"""The table of `toologue.loop`, request by request: what is asked, executed and relived under each protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from toologue.agents.agent import ScriptedAgent
from toologue.errors import BadSetting
from toologue.loop import Ask, Do, Listen, converse, play, strip_labels
from toologue.schema import (
    AgentTurn,
    Brief,
    Call,
    Case,
    Dialogue,
    Fault,
    Program,
    Result,
    State,
    Turn,
    Usage,
    UserTurn,
    rounds,
)
from toologue.users import ScriptedUser

U, A = UserTurn, AgentTurn
PRICE, PAY = Call(api="Price"), Call(api="Pay")

KIOSK = Dialogue(
    id="kiosk",
    turns=(
        A(text="hello"),
        U(text="tickets?"),
        A(acts=(PRICE,), results=(Result(value=14),)),
        A(text="14."),
        U(text="fine"),
        U(text="card"),
        A(acts=(PAY,), results=(Result(value="ok"),)),
        A(text="paid"),
        U(text="bye"),
    ),
)
"""It opens with the agent, has two user turns in a row, and ends with the user."""


def gold_turns(dialogue: Dialogue) -> ScriptedAgent:
    return ScriptedAgent([list(did) for _, did in rounds(dialogue.turns)])


def told(turn: Turn) -> str:
    """A turn in a word: its text, or what was done and came of it."""
    if turn.role == "user":
        return turn.text
    acts = zip(turn.acts, turn.results, strict=False)
    words = [f"{getattr(act, 'api', 'program')}={result.value if result else '-'}" for act, result in acts]
    words += [] if turn.text is None else [turn.text or "(empty)"]
    return " ".join(words) or "(nothing)"


def script(case: Case, agent: Any = None, says: Sequence[str] = (), world: Callable[[Call], Any] | None = None) -> Any:
    """Drive `converse` by hand. Returns every request as a line, the turns as lived in words, and the stop.

    In this world a price is always 15: one more than on record.
    """
    agent, user = agent or gold_turns(KIOSK), ScriptedUser(says)
    lived: list[Turn] = []
    requests: list[str] = []
    loop, reply = converse(case, lived), None
    while True:
        try:
            request = loop.send(reply)
        except StopIteration as done:
            return requests, [told(turn) for turn in lived], done.value
        if isinstance(request, Ask | Listen):
            verb = "ask after" if isinstance(request, Ask) else "listen after"
            requests.append(f"{verb} {' '.join(map(told, request.history))}")
            reply = now(agent.act(request.history, Brief()) if isinstance(request, Ask) else user.say(request.history))
        elif isinstance(request, Do):
            requests.append(f"do {request.act.api}")
            reply = Result(value={"Price": 15, "Pay": "ok"}[request.act.api])
        else:
            requests.append(f"relive {' '.join(act.api for act in request.acts)}".strip())
            reply = None


def now(coroutine: Any) -> Any:
    with pytest.raises(StopIteration) as done:
        coroutine.send(None)
    return done.value.value


def kiosk(protocol: str, **options: Any) -> Case:
    return Case(id="kiosk", gold=KIOSK, protocol=protocol, **options)


def test_next_shows_gold_before_every_turn_and_executes_nothing() -> None:
    requests, lived, stop = script(kiosk("next"))
    assert requests == [
        "ask after hello tickets?",
        "ask after hello tickets? Price=14",
        "ask after hello tickets? Price=14 14. fine card",
        "ask after hello tickets? Price=14 14. fine card Pay=ok",
    ]
    assert lived == ["hello", "tickets?", "(nothing)", "14.", "fine", "card", "(nothing)", "paid", "bye"]
    assert stop == "done"


def test_forced_shows_gold_before_every_round_and_relives_it_underneath() -> None:
    requests, lived, stop = script(kiosk("forced"))
    assert requests == [
        "ask after hello tickets?",
        "do Price",
        "ask after hello tickets? Price=15",  # within the round: its own step, as executed
        "relive Price",
        "ask after hello tickets? Price=14 14. fine card",  # afterwards: as recorded
        "do Pay",
        "ask after hello tickets? Price=14 14. fine card Pay=ok",
        "relive Pay",
    ]
    assert lived == ["hello", "tickets?", "Price=15", "14.", "fine", "card", "Pay=ok", "paid", "bye"]
    assert stop == "done"


def test_recorded_never_shows_gold() -> None:
    requests, lived, stop = script(kiosk("recorded"))
    assert requests == [
        "ask after hello tickets?",
        "do Price",
        "ask after hello tickets? Price=15",
        "ask after hello tickets? Price=15 14. fine card",
        "do Pay",
        "ask after hello tickets? Price=15 14. fine card Pay=ok",
    ]
    assert lived[-1] == "bye"
    assert stop == "done"


def test_live_listens_to_a_user_and_takes_only_the_opening_from_gold() -> None:
    requests, lived, stop = script(kiosk("live"), says=["price?", "bye now"])
    assert requests == [
        "listen after hello",
        "ask after hello price?",
        "do Price",
        "ask after hello price? Price=15",
        "listen after hello price? Price=15 14.",
        "ask after hello price? Price=15 14. bye now",
        "do Pay",
        "ask after hello price? Price=15 14. bye now Pay=ok",
    ]
    assert lived == ["hello", "price?", "Price=15", "14.", "bye now", "Pay=ok", "paid"]
    assert stop == "user"


class TestWhatAWrongAgentMeans:
    """The agent pays at once and says nothing about the price; what comes after depends on the protocol."""

    AGENT = ScriptedAgent([[], [A(acts=(PAY, PAY)), A(text="paid twice")], [A(text="and?")]])

    def test_next_goes_on_with_gold(self) -> None:
        requests, lived, _ = script(kiosk("next"), self.AGENT)
        assert requests == script(kiosk("next"))[0]
        assert len(lived) == len(KIOSK.turns)

    def test_forced_forgets_it_after_the_round(self) -> None:
        requests, lived, _ = script(kiosk("forced"), self.AGENT)
        assert requests == [
            "ask after hello tickets?",
            "do Pay",
            "do Pay",
            "ask after hello tickets? Pay=ok Pay=ok",
            "relive Price",
            "ask after hello tickets? Price=14 14. fine card",
            "relive Pay",
        ]
        assert lived == ["hello", "tickets?", "Pay=ok Pay=ok", "paid twice", "fine", "card", "and?", "bye"]

    def test_recorded_lives_with_it(self) -> None:
        requests, _, _ = script(kiosk("recorded"), self.AGENT)
        assert requests[-1] == "ask after hello tickets? Pay=ok Pay=ok paid twice fine card"


class TestTheFloor:
    """It returns when a turn has words and nothing left to execute, when a turn is empty, or when the agent broke."""

    ASK = Dialogue(id="ask", turns=(U(text="Well?"), A(text="Yes.")))

    def lived(self, *turns: AgentTurn, cap: int = 50, protocol: str = "recorded") -> list[str]:
        case = Case(id="ask", gold=self.ASK, protocol=protocol, cap=cap)
        return script(case, ScriptedAgent([turns]))[1]

    def test_silence_returns_it(self) -> None:
        assert self.lived(A()) == ["Well?", "(nothing)"]

    def test_empty_words_are_words(self) -> None:
        assert self.lived(A(text=""), A(text="never said")) == ["Well?", "(empty)"]

    def test_words_with_a_call_do_not(self) -> None:
        assert self.lived(A(text="Wait...", acts=(PRICE,)), A(text="15.")) == ["Well?", "Price=15 Wait...", "15."]

    def test_words_with_a_draft_do(self) -> None:
        draft = Program(goal="1", status="drafting", code="?")
        assert self.lived(A(text="Like this?", acts=(draft,)), A(text="never")) == ["Well?", "program=- Like this?"]

    def test_a_draft_alone_does_not(self) -> None:
        draft = Program(goal="1", status="abandoned", code="?")
        assert self.lived(A(acts=(draft,)), A(text="Now.")) == ["Well?", "program=-", "Now."]

    def test_drafts_are_neither_executed_nor_relived(self) -> None:
        draft = Program(goal="1", status="drafting", code="?")
        gold = Dialogue(id="d", turns=(U(text="Well?"), A(acts=(draft, PRICE), text="Hm."), A(text="Yes.")))
        requests, _, _ = script(Case(id="d", gold=gold, protocol="forced"), gold_turns(gold))
        assert requests == ["ask after Well?", "do Price", "ask after Well? program=- Price=15 Hm.", "relive Price"]

    def test_the_cap_takes_it(self) -> None:
        case = Case(id="ask", gold=self.ASK, protocol="recorded", cap=3)
        turns, stop = play(case, ScriptedAgent([[A(acts=(PRICE,))] * 9]))
        assert len(turns) == 4
        assert [turn.error and turn.error.type for turn in turns[1:]] == [None, None, "cap"]
        assert stop == "done"

    def test_a_turn_that_yields_at_the_cap_is_no_fault(self) -> None:
        case = Case(id="ask", gold=self.ASK, protocol="recorded", cap=2)
        turns, _ = play(case, ScriptedAgent([[A(acts=(PRICE,)), A(text="15.")]]))
        assert [turn.error for turn in turns[1:]] == [None, None]


class TestABrokenAgent:
    """An agent turn with an error ends the conversation, unless the gold takes over."""

    GOLD = Dialogue(id="two", turns=(U(text="One?"), A(text="1"), U(text="Two?"), A(text="2")))
    BROKEN = ScriptedAgent([[A(error=Fault(type="ValueError"))], [A(text="2")]])

    @pytest.mark.parametrize(
        ("protocol", "stop", "turns"), [("next", "done", 4), ("forced", "done", 4), ("recorded", "error", 2)]
    )
    def test_what_follows(self, protocol: str, stop: str, turns: int) -> None:
        lived, ended = play(Case(id="two", gold=self.GOLD, protocol=protocol), self.BROKEN)
        assert (ended, len(lived)) == (stop, turns)

    def test_live(self) -> None:
        lived, ended = play(Case(id="two", protocol="live"), self.BROKEN, user=ScriptedUser(["One?", "Two?", "Bye"]))
        assert (ended, len(lived)) == ("error", 2)


class TestWhatTheAgentSees:
    """Labels are the gold's secret, unless the task shows them; what the agent itself kept is not shown either."""

    LABELLED = Dialogue(
        id="labelled",
        turns=(
            U(text="Hi", action="inform_intent_vague", informed={"a": 1}, node="N1", extra={"x": 1}),
            A(text="Which?", action="clarify", state=State(api="X"), thought="Vague.", node="N2", extra={"x": 2}),
            U(text="That.", action="affirm", stop="content"),
            A(text="Good.", action="response", usage=Usage(input_tokens=3)),
        ),
    )

    def seen(self, *see: str) -> list[Turn]:
        histories: list[Sequence[Turn]] = []

        class Looking:
            async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
                histories.append(history)
                return A(text="ok", thought="mine", state=State(api="Y"))

        play(Case(id="labelled", gold=self.LABELLED, protocol="next", see=see), Looking())
        return list(histories[-1])

    def test_nothing_but_words_acts_and_results(self) -> None:
        assert self.seen() == [U(text="Hi"), A(text="Which?"), U(text="That.")]

    def test_labels_that_the_task_names(self) -> None:
        assert self.seen("action", "state") == [
            U(text="Hi", action="inform_intent_vague"),
            A(text="Which?", action="clarify", state=State(api="X")),
            U(text="That.", action="affirm"),
        ]

    def test_the_trace_keeps_all_labels(self) -> None:
        turns, _ = play(Case(id="labelled", gold=self.LABELLED, protocol="next"), gold_turns(self.LABELLED))
        assert turns == list(self.LABELLED.turns)

    def test_a_bare_turn_without_labels_is_the_turn_itself(self) -> None:
        turn = A(text="Good.", acts=(PRICE,), results=(Result(value=1),))
        assert strip_labels(turn) is turn


class TestLive:
    def test_rounds_are_bounded(self) -> None:
        case = Case(id="x", protocol="live", rounds=2)
        turns, stop = play(case, ScriptedAgent([[A(text="So?")]] * 9), user=ScriptedUser(["a", "b", "c"]))
        assert ([turn.text for turn in turns], stop) == (["a", "So?", "b", "So?"], "cap")

    def test_a_user_who_leaves_without_a_word_gets_no_answer(self) -> None:
        turns, stop = play(Case(id="x", protocol="live"), ScriptedAgent([[A(text="So?")]] * 9), user=ScriptedUser([]))
        assert ([turn.text for turn in turns], stop) == ([""], "user")

    def test_it_needs_a_user(self) -> None:
        with pytest.raises(BadSetting, match="'live' needs a user"):
            play(Case(id="x", protocol="live"), ScriptedAgent([]))


@pytest.mark.parametrize("protocol", ["next", "forced", "recorded"])
def test_the_other_protocols_need_a_gold(protocol: str) -> None:
    with pytest.raises(BadSetting, match=f"'x': the protocol '{protocol}' needs a gold dialogue"):
        play(Case(id="x", protocol=protocol), ScriptedAgent([]))
