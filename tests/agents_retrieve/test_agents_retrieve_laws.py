"""What always holds of the agent `retrieve`: a function of the history, total, deterministic, it comes to an end."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieve_samples import FACTS, LEXICAL, LIBRARY, LOANS, Canned, agent_turns, assistant, converse, turn_after

from noun_strategies import conversations, faults, objects, results, values
from toologue import limits
from toologue.agents.retrieve import Retrieve
from toologue.loop import play
from toologue.schema import AgentTurn, Api, Brief, Call, Case, Parameter, Result, Turn, UserTurn
from toologue.users import ScriptedUser

ASSISTANT = assistant().apis
TALK = [
    "Set an alarm for 7 am and delete my reminder to call Bo.",
    "Which alarms do I have? Delete both, the second one and the 6:30 one.",
    "Please answer her, and move it to Friday at noon for an hour.",
    "Log me in, ann59 / Teal!Kettle9!",
    "No, make it \"Roof\" and 'test'.",
    "yes",
    "Evening!",
    "That's all, thanks!",
    "the other, by Ada Brandt",
]
said = st.sampled_from(TALK) | st.text(max_size=40) | st.lists(st.sampled_from(TALK), max_size=3).map(" ".join)
names = st.sampled_from([*(one.name for one in (*ASSISTANT, *LIBRARY)), "Unheard", ""])
made = st.builds(Call, api=names, arguments=st.none() | objects | st.just({"alarm_id": "1a-2b", "book_id": "b-17"}))
rows = st.sampled_from([{"alarms": [{"alarm_id": "1a-2b", "time": "06:30:00"}]}, {"loans": LOANS}, LOANS])
given_back = st.none() | results | st.builds(Result, value=rows) | st.builds(Result, error=faults)


@st.composite
def did(draw: Any) -> AgentTurn:
    acts = tuple(draw(st.lists(made, max_size=2)))
    return AgentTurn(text=draw(st.none() | said), acts=acts, results=tuple(draw(given_back) for _ in acts))


histories = conversations(st.builds(UserTurn, text=said) | did())
documents = st.sampled_from([ASSISTANT, LIBRARY, (*ASSISTANT, *LIBRARY)])


class TestAFunctionOfTheHistory:
    LINES = ("Which alarms do I have?", "Delete the second one.", "Please set another alarm.", "8 pm", "Thanks, bye!")

    def test_asked_twice_and_cold_in_mid_history(self) -> None:
        turns = converse(*self.LINES)
        warm = Retrieve(LEXICAL)
        for place, turn in enumerate(turns):
            if isinstance(turn, AgentTurn):
                for agent in (warm, warm, Retrieve(LEXICAL)):
                    assert turn_after(turns[:place], ASSISTANT, agent=agent) == turn.replace(results=())

    @given(histories, documents)
    def test_whatever_the_history(self, history: tuple[Turn, ...], apis: tuple[Api, ...]) -> None:
        agent = Retrieve(LEXICAL)
        turn = turn_after(history, apis, agent=agent)
        assert turn == turn_after(history, apis, agent=agent) == turn_after(history, apis, agent=Retrieve(LEXICAL))

    @given(histories)
    def test_labels_do_not_matter(self, history: tuple[Turn, ...]) -> None:
        """The loop strips them: whatever the agent needs to know stands in what was said and done."""
        labelled = [turn.replace(action="request" if turn.role == "agent" else "inform", node="x") for turn in history]
        assert turn_after(history, LIBRARY) == turn_after(labelled, LIBRARY)


class TestLongMessages:
    def test_the_first_characters_of_each_are_read(self) -> None:
        """So that a megabyte takes no longer than they do."""
        long = UserTurn(text="Set an alarm.".ljust(limits.HEARD) + "For 7 pm.")
        start = long.replace(text=long.text[: limits.HEARD])
        assert turn_after([long], ASSISTANT) == turn_after([start], ASSISTANT)
        before = AgentTurn(text="Hello! ".ljust(limits.HEARD) + "For when shall I set the alarm?")
        assert turn_after([long, before, UserTurn(text="7 pm")], ASSISTANT).acts


class TestTotal:
    @given(histories, documents)
    def test_every_turn_is_a_turn(self, history: tuple[Turn, ...], apis: tuple[Api, ...]) -> None:
        turn = turn_after(history, apis, agent=Retrieve(LEXICAL))
        assert AgentTurn.model_validate_json(turn.model_dump_json()) == turn
        assert (turn.text is None) == bool(turn.acts)
        assert turn.action is not None
        assert turn.state is not None
        assert turn.thought
        for act in turn.acts:
            assert isinstance(act, Call)
            document = next(api for api in apis if api.name == act.api)
            assert set(document.required) <= set(act.arguments or {}) <= set(document.parameters)

    @given(
        st.text(max_size=30),
        st.dictionaries(st.text(max_size=8), values, max_size=3),
        st.booleans(),
        histories,
        st.dictionaries(st.sampled_from(["now", "location", "username", "time"]), values, max_size=4),
    )
    def test_any_document_and_any_facts(
        self, text: str, schemas: dict[str, Any], writes: bool, history: tuple[Turn, ...], facts: dict[str, Any]
    ) -> None:
        objects_only = {key: value if isinstance(value, dict) else {"type": value} for key, value in schemas.items()}
        parameters = {key: Parameter(schema=schema) for key, schema in objects_only.items()}
        api = Api(name=text or "A", description=text, parameters=parameters, writes=writes)
        coroutine = Retrieve(LEXICAL).act(history, Brief(apis=(api, *LIBRARY), facts=facts))
        with pytest.raises(StopIteration) as done:
            coroutine.send(None)
        assert isinstance(done.value.value, AgentTurn)


class TestEnds:
    @given(
        st.lists(said, min_size=1, max_size=4),
        st.sampled_from(
            [Canned(error="no"), Canned(), Canned(other={"loans": LOANS}), Canned(other=LOANS), Canned(other="?")]
        ),
    )
    def test_no_round_has_more_than_13_turns(self, lines: list[str], world: Canned) -> None:
        """In a world that always fails, and in one that always answers the same."""
        case = Case(id="end", brief=Brief(apis=(*ASSISTANT, *LIBRARY), facts=FACTS), protocol="live", cap=13)
        turns, _ = play(case, Retrieve(LEXICAL), world, ScriptedUser(lines))
        assert [turn.error for turn in agent_turns(turns) if turn.error] == []


PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:]
from retrieve_samples import converse, visit
for turn in [*converse("Which alarms do I have?", "Delete both and remind me to call Bo.", "tomorrow"),
             *visit("I'd like to reserve a book by Ada Brandt.", "the second one", "Friday")]:
    print(turn.model_dump_json())
"""


def test_every_process_says_the_same() -> None:
    here = os.path.dirname(__file__)
    told = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, here],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(told) == 1
    assert len(told.pop().splitlines()) > 8
