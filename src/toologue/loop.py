"""The conversation: one generator without I/O, and the drivers that answer its four requests.

`converse(case)` yields what it needs: *ask* the agent, *listen* to the user, *do* an act, *replay* gold acts. Whoever
drives it answers. `play` drives it synchronously, `play_async` with real waiting; both see the same requests in the
same order, so a test, an async runner and a process pool run the same conversation.

How the gold takes part (`case.protocol`):

    protocol  gold history replaces the agent's                          executes
    next      after every agent turn                                     look-ups that gold does not make
    forced    after every round: recorded results shown, gold replayed    yes
    recorded  never; the user's turns are gold's                         yes
    live      never; a User speaks                                       yes

Opening agent turns are given. Outside `live` the agent is asked only in rounds that the gold answers. Labels are
stripped from the history unless `case.see` names them.

Under `next` an agent that looks up what gold does not look up here has yet to do what matters: its look-ups are
executed, and it is asked again until it speaks or writes. What came of that is `extra["then"]` of its turn.

An agent is a function of the conversation so far: whatever it keeps is a cache.

Example:
    >>> class Parrot:
    ...     async def act(self, history, brief):
    ...         return AgentTurn(text=history[-1].text)
    >>> gold = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello"), UserTurn(text="Bye")))
    >>> turns, stop = play(Case(id="hello", gold=gold, protocol="forced"), Parrot())
    >>> [turn.text for turn in turns], stop
    (['Hi', 'Hi', 'Bye'], 'done')

Not covered: interruptions, and users who act on the world themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, assert_never, cast

from pydantic import JsonValue
from pydantic_core import to_json

from toologue import limits
from toologue.errors import BadSetting, summary
from toologue.schema import (
    Act,
    AgentTurn,
    Api,
    Brief,
    Case,
    Dialogue,
    Fault,
    Result,
    Round,
    Stop,
    Turn,
    UserTurn,
    executable,
    rounds,
)

_DEEP = f"the result is nested more than {limits.DEEPEST} levels deep"
Reply = AgentTurn | UserTurn | Result | None
_LOOKS = 8  # turns of look-ups that gold does not make, in place of one of its turns
_RECORDS = ("none", "recorded", "observed")  # worlds that cannot tell what another look-up finds
_EMPTY: dict[str, Any] = {}
_USER_LABELS: dict[str, Any] = {"action": None, "informed": _EMPTY, "stop": None, "node": None, "extra": _EMPTY}
_AGENT_LABELS: dict[str, Any] = dict.fromkeys(("action", "state", "thought", "usage", "node"), None) | {"extra": _EMPTY}


class Agent(Protocol):
    """Decides the next turn from the history and what it was told. The loop fills the results in."""

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn."""
        ...


class User(Protocol):
    """Says something; `stop` on the turn says why it leaves."""

    async def say(self, history: Sequence[Turn]) -> UserTurn:
        """The next words."""
        ...


class World(Protocol):
    """Executes acts. Synchronous; a world that waits sets `blocking = True` and is called in a thread.

    Law: `rewind(mark())` is the identity, for any number of acts in between; an act that only reads writes no changes;
    equal worlds answer equal acts equally.
    """

    @property
    def apis(self) -> Sequence[Api]:
        """What can be called here."""
        ...

    def do(self, act: Act) -> Result:
        """Execute one act."""
        ...

    def mark(self) -> Any:
        """The present state, as a value that `rewind` accepts any number of times."""
        ...

    def rewind(self, mark: Any) -> None:
        """Return to a marked state."""
        ...


@dataclass(frozen=True, slots=True)
class Ask:
    """The agent's turn, given this history."""

    history: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Listen:
    """The user's turn, given this history."""

    history: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Do:
    """Execute this act."""

    act: Act


@dataclass(frozen=True, slots=True)
class Replay:
    """Forget what the agent did since the last Replay, and do these acts instead, unless it did the same; their results
    do not matter.
    """

    acts: tuple[Act, ...]


Request = Ask | Listen | Do | Replay
Conversation = Generator[Request, Reply, Stop]


def converse(case: Case, trace_turns: list[Turn]) -> Conversation:
    """The conversation of one case. Turns are appended to `trace_turns` as they happen: a time-out loses none."""
    if case.protocol == "live":
        return (yield from _live(case, trace_turns))
    if case.gold is None:
        raise BadSetting(f"case {case.id!r}: the protocol {case.protocol!r} needs a gold dialogue; `live` does not")
    see, shown, broken, behind = frozenset(case.see), list[Turn](), False, list[Act]()
    reading = _reading(case)
    for said, did in rounds(case.gold.turns):
        trace_turns += said
        shown += [strip_labels(turn, see) for turn in said]
        gold = [strip_labels(turn, see) for turn in did]
        if not said:  # the opening is given
            trace_turns += did
            shown += gold
            behind += _done_in(did)
        elif case.protocol == "next":
            for turn in gold:
                trace_turns.append(_bare((yield from _ask(shown))))
                if _looks_aside(trace_turns[-1], turn, reading):
                    yield Replay(tuple(behind))
                    behind.clear()
                    yield from _go_on(shown, trace_turns, turn, reading)
                if _no_reply(trace_turns):
                    return "error"
                shown.append(turn)
                behind += _done_in([turn])
        elif did:  # where gold ends with the user there is nothing to ask
            start = len(shown)
            broken = yield from _answer(case, shown, trace_turns)
            if broken and (case.protocol == "recorded" or _no_reply(trace_turns)):
                return "error"
            if case.protocol == "forced":
                shown[start:] = gold
                yield Replay(tuple(_done_in(did)))
    return "done"


def _live(case: Case, trace_turns: list[Turn]) -> Conversation:
    opening = next(rounds(case.gold.turns if case.gold else ()), Round((), ()))
    if not opening.said:
        trace_turns += opening.did
    see, shown = frozenset(case.see), list[Turn](trace_turns)
    for _ in range(case.rounds):
        said = yield Listen(tuple(shown))
        assert isinstance(said, UserTurn)
        trace_turns.append(said)
        shown.append(strip_labels(said, see))
        if said.stop and not said.text:
            return "user"
        if (yield from _answer(case, shown, trace_turns)):
            return "error"
        if said.stop:
            return "user"
    return "cap"


def _no_reply(turns: Sequence[Turn]) -> bool:
    """Whether the agent's model gave none: nothing of the conversation is scored, and no more of it is asked for."""
    last = turns[-1]
    return isinstance(last, AgentTurn) and last.error is not None and last.error.no_reply


def _ask(shown: list[Turn]) -> Generator[Request, Reply, AgentTurn]:
    turn = yield Ask(tuple(shown))
    assert isinstance(turn, AgentTurn)
    return turn


def _answer(case: Case, shown: list[Turn], trace_turns: list[Turn]) -> Generator[Request, Reply, bool]:
    """Ask until the floor returns, executing what the agent does. Returns whether the agent broke."""
    for asked in range(1, case.cap + 1):
        turn = yield from _ask(shown)
        results: list[Result | None] = []
        for act in turn.acts:
            result = (yield Do(act)) if executable(act) else None
            results.append(cast("Result | None", result))
        turn = turn.replace(results=tuple(results)) if results or turn.results else turn
        if asked == case.cap and not turn.yields:
            why = f"{case.cap} steps in one round, and no reply to the user"
            turn = turn.replace(error=Fault(type="cap", message=why))
        shown.append(turn)
        trace_turns.append(turn)
        if turn.yields:
            return turn.error is not None and turn.error.type != "cap"
    raise AssertionError("unreachable: the last turn yields")


def _done_in(turns: Iterable[Turn]) -> list[Act]:
    return [act for turn in turns if turn.role == "agent" for act in turn.acts if executable(act)]


def _bare(turn: AgentTurn) -> AgentTurn:
    """A turn without what only this loop says of it."""
    return turn.replace(results=(), extra={name: value for name, value in turn.extra.items() if name != "then"})


def _reading(case: Case) -> frozenset[str]:
    """The Apis that only read, as documented and as seen in gold; none where no world tells what they find."""
    if case.gold is None or case.world.name in _RECORDS:
        return frozenset()
    turns = (turn for turn in case.gold.turns if turn.role == "agent")
    done = (pair for turn in turns for pair in zip(turn.acts, turn.results, strict=False))
    wrote = {act.api for act, result in done if act.kind == "call" and result is not None and result.changes}
    return frozenset(api.name for api in case.brief.apis if not api.writes) - wrote


def _looks_aside(did: Turn, gold: Turn, reading: frozenset[str]) -> bool:
    """Whether a turn does nothing but look up what gold's does not."""
    if did.role == "user" or gold.role == "user" or did.error is not None or not did.acts:
        return False
    return all(act.kind == "call" and act.api in reading and act not in gold.acts for act in did.acts)


def _go_on(
    shown: Sequence[Turn], trace_turns: list[Turn], gold: Turn, reading: frozenset[str]
) -> Generator[Request, Reply, None]:
    """Execute the look-ups of the last turn, and ask on, until the agent speaks, writes, or does what gold does."""
    looking, here, then = trace_turns[-1], list(shown), list[AgentTurn]()
    while _looks_aside(looking, gold, reading):
        assert isinstance(looking, AgentTurn)
        results: list[Result | None] = []
        for act in looking.acts:
            results.append(cast("Result | None", (yield Do(act))))
        here.append(looking := looking.replace(results=tuple(results)))
        if then:
            then[-1] = looking
        else:
            trace_turns[-1] = looking
        looking = _bare((yield from _ask(here)))
        if len(then) + 1 == _LOOKS and _looks_aside(looking, gold, reading):
            why = f"{_LOOKS} turns of look-ups that were not expected, and no reply to the user"
            looking = looking.replace(error=Fault(type="cap", message=why))
        then.append(looking)
        if looking.error is not None and looking.error.no_reply:
            trace_turns.append(looking)
            return
    first = cast("AgentTurn", trace_turns[-1])
    told: list[JsonValue] = [turn.model_dump(mode="json") for turn in then]
    trace_turns[-1] = first.replace(extra={**first.extra, "then": told})


def strip_labels(turn: Turn, see: frozenset[str] = frozenset()) -> Turn:
    """A turn as an agent may see it: without labels, but for those that the task shows."""
    labels = _USER_LABELS if turn.role == "user" else _AGENT_LABELS
    hidden = {name: empty for name, empty in labels.items() if name not in see and getattr(turn, name)}
    return turn.replace(**hidden) if hidden else turn


class Session:
    """The world's side of one conversation: executes, and rewinds to where gold's history stands."""

    def __init__(self, world: World | None):
        self.world = world
        self.blocking = bool(getattr(world, "blocking", False))
        self._mark = world.mark() if world is not None else None
        self._done = list[Act]()  # since the mark

    def answer(self, request: Do | Replay) -> Result | None:
        """Answer a request of the loop. A world that raises is recorded as the result's error."""
        if self.world is None:
            return Result(error=Fault(type="no world", message="this conversation has no world to execute acts in"))
        if isinstance(request, Do):
            self._done.append(request.act)
            return execute(self.world, request.act)
        if to_json(self._done) != to_json(request.acts):  # else the agent left the world as gold would
            self.world.rewind(self._mark)
            for act in request.acts:
                execute(self.world, act)
        self._mark, self._done = self.world.mark(), []
        return None


def execute(world: World, act: Act) -> Result:
    """Do one act. A world that raises, or answers with no Result, is recorded as the result's error.

    A BadSetting stops the run: the person at the keyboard must act.
    """
    try:
        result = cast("object", world.do(act))
    except BadSetting:
        raise
    except Exception as error:  # noqa: BLE001 - a declared boundary: World.do
        kind, message = summary(error)
        return Result(error=Fault(type=kind, message=message))
    if not isinstance(result, Result):
        return Result(error=Fault(type="wrong type", message=f"do returned {type(result).__name__}, not Result"))
    try:
        deep = limits.deeper(Result.__pydantic_serializer__.to_json(result, warnings=False), limits.DEEPEST)
    except Exception:  # noqa: BLE001 - a declared boundary: World.do
        return Result(error=Fault(type="wrong type", message="do returned a Result that is no JSON"))
    return Result(error=Fault(type="too deep", message=_DEEP)) if deep else result


def play(case: Case, agent: Agent, world: World | None = None, user: User | None = None) -> tuple[list[Turn], Stop]:
    """Run one case synchronously: the players must not really wait. Returns the turns as lived, and why it ended."""
    trace_turns: list[Turn] = []
    playing = _drive(case, trace_turns, Session(world), agent, user)
    try:
        playing.send(None)
    except StopIteration as done:
        return trace_turns, done.value
    except RuntimeError as error:
        if "no running event loop" not in str(error):
            raise
    playing.close()
    raise BadSetting("this player waits for something: run the case with `play_async` or the runner")


async def play_async(
    case: Case, trace_turns: list[Turn], agent: Agent, world: World | None = None, user: User | None = None
) -> Stop:
    """Run one case with real waiting. Turns are appended to `trace_turns`, which outlives a cancellation."""
    session = Session(world)
    return await _drive(case, trace_turns, session, agent, user, threads=session.blocking)


async def _drive(
    case: Case, trace_turns: list[Turn], session: Session, agent: Agent, user: User | None, *, threads: bool = False
) -> Stop:
    """Answer the requests of a conversation to its end; `threads`: the world waits in a thread of its own."""
    loop, reply = converse(case, trace_turns), None
    while True:
        try:
            request = loop.send(reply)
        except StopIteration as done:
            return done.value
        match request:
            case Ask(history):
                reply = await agent.act(history, case.brief)
            case Listen(history):
                if user is None:
                    raise BadSetting("the protocol 'live' needs a user to listen to")
                reply = await user.say(history)
            case Do() | Replay():
                reply = await asyncio.to_thread(session.answer, request) if threads else session.answer(request)
            case _:
                assert_never(request)


def ground(dialogue: Dialogue, world: World) -> Dialogue:
    """The dialogue with every act executed: recorded values and errors stay, arguments and changes are the world's.

    Acts without a recorded result get the executed one. This is how imported gold learns what it does to the world.
    """
    turns: list[Turn] = []
    for turn in dialogue.turns:
        if turn.role == "agent" and turn.acts:
            recorded: Iterable[Result | None] = turn.results or (None,) * len(turn.acts)
            pairs = zip(turn.acts, recorded, strict=True)
            turn = turn.replace(results=tuple(_grounded(act, known, world) for act, known in pairs))
        turns.append(turn)
    return dialogue.replace(turns=tuple(turns))


def _grounded(act: Act, known: Result | None, world: World) -> Result | None:
    if not executable(act):
        return None
    executed = execute(world, act)
    if known is None:
        return executed
    return known.replace(arguments=executed.arguments, changes=executed.changes, created=executed.created)
