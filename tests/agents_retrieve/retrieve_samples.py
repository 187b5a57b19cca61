"""A library with six Apis, and conversations with the agent `retrieve` there and in the assistant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toologue.agents.retrieve import Retrieve
from toologue.loop import World, play
from toologue.models.embed import embedder
from toologue.schema import Act, AgentTurn, Api, Brief, Call, Case, Fault, Parameter, Result, Turn
from toologue.users import ScriptedUser
from toologue.worlds.assistant import Assistant

NOW = "2025-03-10 09:00:00"  # a Monday
FACTS = {"now": NOW, "location": "Lisbon", "username": "mreyes"}
LEXICAL = embedder("lexical")


def api(name: str, description: str, takes: Mapping[str, str], gives: str = "", **more: Any) -> Api:
    """`takes`: parameter → description, one that ends in "?" is optional; `gives`: the list that it returns."""
    parameters = {
        key: Parameter(schema={"type": "string", "description": said.rstrip("?")}, required=not said.endswith("?"))
        for key, said in takes.items()
    }
    fields = {"book_id": "Identifier of the book.", "title": "Title of the book.", "author": "Who wrote it."}
    row = {"properties": {key: {"type": "string", "description": said} for key, said in fields.items()}}
    returns = {"properties": {gives: {"type": "array", "items": row}}} if gives else {}
    return Api(name=name, description=description, parameters=parameters, returns=returns, domain="Library", **more)


LIBRARY = (
    api("FindBooks", "Search the catalogue for books.", {"query": "Words of the title or the author."}, "books"),
    api(
        "ReserveBook",
        "Reserve a book, to be fetched on a day.",
        {"book_id": "Identifier of the book.", "pickup_date": "Day on which it is fetched, YYYY-MM-DD."},
        writes=True,
    ),
    api("ListLoans", "The books that the reader has borrowed, with the day on which each is due.", {}, "loans"),
    api("RenewLoan", "Keep a borrowed book for longer.", {"book_id": "Identifier of the book."}, writes=True),
    api("OpeningHours", "When a branch of the library is open.", {"branch": "Name of the branch."}),
    api(
        "SuggestPurchase",
        "Propose a book that the library should buy.",
        {"title": "Title of the book.", "author": "Who wrote it.", "reason": "Why it should be bought.?"},
        writes=True,
    ),
)
BOOKS = [
    {"book_id": "b-17", "title": "The Lighthouse Year", "author": "Ada Brandt"},
    {"book_id": "b-42", "title": "Salt and Iron", "author": "Ada Brandt"},
]
LOANS = [
    {"book_id": "b-08", "title": "Bread at Home", "due": "2025-03-12"},
    {"book_id": "b-17", "title": "The Lighthouse Year", "due": "2025-03-20"},
]


class Canned:
    """A world that answers by the name of the Api, and otherwise with `other`."""

    def __init__(self, values: Mapping[str, Any] | None = None, *, other: Any = None, error: str = ""):
        self.apis: Sequence[Api] = ()
        self._values, self._other, self._error = values or {}, other, error

    def do(self, act: Act) -> Result:
        if self._error:
            return Result(error=Fault(type="refused", message=self._error))
        assert isinstance(act, Call)
        return Result(value=self._values.get(act.api, self._other))

    def mark(self) -> None: ...

    def rewind(self, mark: None) -> None: ...


def library() -> Canned:
    return Canned({"FindBooks": {"books": BOOKS}, "ListLoans": {"loans": LOANS}, "OpeningHours": "10 to 18"})


def assistant(**settings: Any) -> Assistant:
    return Assistant(user="mreyes", now=NOW, logged_in=True, **settings)


def converse(
    *lines: str, apis: Sequence[Api] | None = None, world: World | None = None, agent: Retrieve | None = None
) -> list[Turn]:
    """A whole conversation: the user says these lines, whatever the agent answers. Without a world: the assistant's."""
    world = assistant() if world is None else world
    brief = Brief(apis=tuple(world.apis if apis is None else apis), facts=FACTS)
    case = Case(id="talk", brief=brief, protocol="live")
    turns, stop = play(case, agent or Retrieve(LEXICAL), world, ScriptedUser(lines))
    assert stop == "user"
    return turns


def visit(*lines: str, **more: Any) -> list[Turn]:
    """A conversation in the library."""
    return converse(*lines, apis=LIBRARY, world=library(), **more)


def turn_after(history: Sequence[Turn], apis: Sequence[Api], *, agent: Retrieve | None = None) -> AgentTurn:
    """What a new agent (or this one) does at this place of a conversation."""
    coroutine = (agent or Retrieve(LEXICAL)).act(history, Brief(apis=tuple(apis), facts=FACTS))
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits for something")


def agent_turns(turns: Sequence[Turn]) -> list[AgentTurn]:
    return [turn for turn in turns if isinstance(turn, AgentTurn)]


def calls(turns: Sequence[Turn]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that were made: (Api, arguments)."""
    acts = (act for turn in agent_turns(turns) for act in turn.acts if isinstance(act, Call))
    return [(act.api, dict(act.arguments or {})) for act in acts]


def words(turns: Sequence[Turn]) -> list[str]:
    """What the agent said."""
    return [turn.text for turn in agent_turns(turns) if turn.text]
