"""Two Apis of a travel service, a retriever that was told what to find, and conversations with the agent `retrieve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toologue.agents.retrieve import Retrieve
from toologue.loop import play
from toologue.models.embed import embedder
from toologue.schema import Act, AgentTurn, Api, Brief, Case, Fault, Parameter, Result, Turn, UserTurn
from toologue.users import ScriptedUser

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
SEARCH, DETAILS = "Travel|hotels|Search hotels", "Travel|hotels|Get hotel details"
APIS = (
    Api(name=SEARCH, parameters={"city": Parameter(schema=TEXT), "country": Parameter(schema=TEXT, required=False)}),
    Api(name=DETAILS, parameters={"hotelId": Parameter(schema=NUMBER), "guests": Parameter(schema=NUMBER)}),
)
BANDS = {"confirm": 0.6, "suggest": 0.4}
LEXICAL = embedder("lexical")
HOTELS: list[Any] = [{"hotelId": 7, "hotelName": "Old Mill"}, {"hotelId": 9, "hotelName": "West Pier"}]
SUPPLIES: dict[str, Any] = {"source": SEARCH, "output": "results|hotelId", "target": DETAILS, "parameter": "hotelId"}


class Travel:
    """A world that answers calls, and questions to the retriever: `scores` one after the other, then the last again."""

    apis = APIS

    def __init__(self, *scores: Mapping[str, float], hotels: Sequence[Any] = HOTELS, supplies: Any = SUPPLIES):
        self._scores, self._hotels, self._supplies, self._asked = scores, hotels, supplies, 0

    def do(self, act: Act) -> Result:
        if act.kind == "call":
            return Result(
                value={"results": list(self._hotels)} if act.api == SEARCH else {"name": "Old Mill", "price": 90}
            )
        if act.kind == "retrieve" and act.missing:
            return Result(value=self._supplies) if self._supplies else Result(error=Fault(type="nothing found"))
        self._asked += 1
        return Result(value={"retrieved": dict(self._scores[min(self._asked, len(self._scores)) - 1])})

    def mark(self) -> int:
        return self._asked

    def rewind(self, mark: int) -> None:
        self._asked = mark


def converse(world: Travel, *lines: str, facts: Mapping[str, Any] | None = None) -> list[Turn]:
    """A conversation in which a user says these lines."""
    brief = Brief(apis=APIS, facts={"retriever": BANDS} if facts is None else dict(facts))
    case = Case(id="trip", protocol="live", rounds=len(lines), brief=brief)
    turns, _ = play(case, Retrieve(LEXICAL), world, ScriptedUser(list(lines)))
    return turns


def turn_after(turns: Sequence[Turn], facts: Mapping[str, Any] | None = None) -> AgentTurn:
    """What the agent does next."""
    found = Retrieve(LEXICAL).act(turns, Brief(apis=APIS, facts={"retriever": BANDS} if facts is None else dict(facts)))
    try:
        found.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the agent waits for something")


def said(*turns: str | AgentTurn) -> list[Turn]:
    """A history; texts are the user's."""
    return [UserTurn(text=turn) if isinstance(turn, str) else turn for turn in turns]


def actions(turns: Sequence[Turn]) -> list[str]:
    """What the agent did."""
    return [turn.action or "" for turn in turns if turn.role == "agent"]


def agent_turns(turns: Sequence[Turn]) -> list[AgentTurn]:
    return [turn for turn in turns if turn.role == "agent"]
