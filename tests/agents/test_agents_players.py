"""Which agent a spec names, and what it gets to read."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from toologue.agents.agent import AgentSpec, ScriptedAgent, resolve_agent
from toologue.errors import BadSetting, UnknownName
from toologue.loop import play, play_async
from toologue.project.playable import given
from toologue.registry import load, names
from toologue.schema import AgentTurn, Brief, Case, Dialogue, Setting, Turn, UserTurn

GOLD = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello"), UserTurn(text="Bye")))
CASE = Case(id="hello", gold=GOLD, protocol="recorded", world=Setting(name="assistant", arguments={"user": "ann"}))

MODULE = '''
from toologue.schema import AgentTurn

class Polite:
    """Made for each case."""
    def __init__(self, case):
        self.case = case
    async def act(self, history, brief):
        return AgentTurn(text=f"{self.case.id}: {self.case.gold} {self.case.world.name}")

class Plain:
    async def act(self, history, brief):
        return AgentTurn(text="plain")

class Named:
    def __init__(self, name, word):
        pass
    async def act(self, history, brief):
        return AgentTurn(text="named")

plain = Plain()

def by_case(case):
    return Polite(case)

class shelf:
    inner = plain

number = 7
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "their_agents.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "their_agents"
    sys.modules.pop("their_agents", None)


def says(agent: AgentSpec, case: Case = CASE) -> str | None:
    turns: list[Turn] = []
    asyncio.run(play_async(case, turns, agent.make(case)))
    return turns[1].text


class TestRegisteredNames:
    def test_gold_plays_the_gold(self) -> None:
        turns, _ = play(CASE, resolve_agent("gold").make(CASE))
        assert turns == list(GOLD.turns)

    def test_gold_takes_no_argument(self) -> None:
        with pytest.raises(BadSetting, match="'gold' takes no argument, got 'twice'"):
            resolve_agent("gold:twice")

    def test_gold_needs_a_gold(self) -> None:
        with pytest.raises(BadSetting, match="case 'hello' has no gold dialogue to play from"):
            resolve_agent("gold").make(CASE.blind())

    def test_a_misspelt_name(self) -> None:
        with pytest.raises(UnknownName, match="no agent is called 'gould'; did you mean 'gold'") as caught:
            resolve_agent("gould")
        assert str(caught.value).endswith(f"Known: {', '.join(names('agent'))}")

    def test_a_name_like_nothing(self) -> None:
        with pytest.raises(UnknownName) as caught:
            resolve_agent("xyzzy")
        assert "did you mean" not in str(caught.value)

    def test_no_name(self) -> None:
        with pytest.raises(UnknownName, match="no agent is called ''"):
            resolve_agent("")


class TestModuleAndAttribute:
    @pytest.mark.parametrize("attribute", ["plain", "Plain", "shelf.inner"])
    def test_an_agent(self, attribute: str, module: str) -> None:
        agent = resolve_agent(f"{module}:{attribute}")
        assert agent.name == f"{module}:{attribute}"
        assert says(agent) == "plain"

    @pytest.mark.parametrize("attribute", ["Polite", "by_case"])
    def test_a_class_or_a_function_from_a_case(self, attribute: str, module: str) -> None:
        """It gets the case blind: no gold, no world."""
        assert says(resolve_agent(f"{module}:{attribute}")) == "hello: None none"

    def test_a_class_that_needs_more_than_a_case(self, module: str) -> None:
        with pytest.raises(BadSetting, match=r"Named' takes \(name, word\), and is called .* made without arguments"):
            resolve_agent(f"{module}:Named")

    def test_a_class_of_a_file_and_one_in_python(self, module: str, tmp_path: Path) -> None:
        assert says(resolve_agent(f"{tmp_path}/their_agents.py:Plain")) == "plain"
        assert says(given(load(f"{module}:Plain"))) == "plain"

    def test_what_is_no_agent(self, module: str) -> None:
        with pytest.raises(BadSetting, match=r"'their_agents:number' is no agent: no object with async act"):
            resolve_agent(f"{module}:number")

    @pytest.mark.parametrize("attribute", ["nobody", "plain.nobody", "", "a b"])
    def test_an_attribute_that_is_not_there(self, attribute: str, module: str) -> None:
        with pytest.raises((BadSetting, UnknownName)):
            resolve_agent(f"{module}:{attribute}")

    @pytest.mark.parametrize("spec", ["no_such_module:agent", ":agent", "..:agent"])
    def test_a_module_that_is_not_there(self, spec: str) -> None:
        with pytest.raises(BadSetting, match=r"cannot load .*; give module:attribute, importable from here"):
            resolve_agent(spec)


class TestBlindness:
    """Only players that say so read the gold; the others get what an agent under test may know."""

    def given(self, *, reads_gold: bool) -> Case:
        seen: list[Case] = []

        def make(case: Case) -> ScriptedAgent:
            seen.append(case)
            return ScriptedAgent([])

        case = CASE.replace(brief=Brief(instructions="Be kind.", facts={"now": "noon"}))
        AgentSpec("x", make, reads_gold=reads_gold).make(case)
        return seen[0]

    def test_blind(self) -> None:
        case = self.given(reads_gold=False)
        assert (case.gold, case.world) == (None, Setting())
        assert (case.id, case.seed, case.brief.instructions) == ("hello", 0, "Be kind.")

    def test_with_gold(self) -> None:
        case = self.given(reads_gold=True)
        assert (case.gold, case.world) == (GOLD, CASE.world)

    def test_which_players_read_it(self) -> None:
        assert [resolve_agent(spec).reads_gold for spec in ("gold", "altered:drop")] == [True, True]


class TestScripted:
    SCRIPT = ([AgentTurn(text="a"), AgentTurn(text="b")], [], [AgentTurn(text="c")])

    def at(self, *history: Turn) -> str | None:
        with pytest.raises(StopIteration) as done:
            ScriptedAgent(self.SCRIPT).act(history, Brief()).send(None)
        return done.value.value.text

    @pytest.mark.parametrize(
        ("roles", "text"),
        [
            ("", "a"),
            ("u", "a"),
            ("uu", "a"),
            ("ua", "b"),
            ("uaa", None),
            ("uaau", None),
            ("uaauau", "c"),
            ("auau", "c"),
        ],
    )
    def test_its_place_is_read_from_the_history(self, roles: Sequence[str], text: str | None) -> None:
        assert self.at(*(UserTurn() if role == "u" else AgentTurn() for role in roles)) == text


def test_a_function_of_messages_and_tools_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named_agent.py").write_text("def agent(messages, tools):\n    return f'{len(messages)} messages'\n")
    monkeypatch.syspath_prepend(tmp_path)
    turn = asyncio.run(resolve_agent("named_agent:agent").make(CASE).act((UserTurn(text="Hello"),), Brief()))
    assert (turn.text or "").endswith("messages")
