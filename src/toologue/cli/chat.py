"""`toologue chat`: a person, an agent, a world, and all that the agent does there.

The loop is `converse` under `live`; who answers its requests stands here. Before anything is done that would lose
something, the person is asked, whatever the agent asked before: an act that is refused becomes an abandoned program.

Not covered: more than one line at a time from the keyboard.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from toologue.agents.agent import resolve_agent
from toologue.cli.chat_screen import Screen
from toologue.cli.chat_worlds import Place, losses, place_of
from toologue.errors import BadFile, StackError, UserError, summary
from toologue.loop import Agent, Ask, Do, Listen, Session, World, converse, strip_labels
from toologue.schema import Act, AgentTurn, Brief, Case, Dialogue, Fault, Turn, UserTurn, rounds
from toologue.schema.jsonl import read, write
from toologue.schema.stack import put, stack, whole
from toologue.worlds.world import kind_at, make_world

_OPENING = "How can I help you?"
_SORRY = "Sorry, I have no answer to that. Could you say it in other words?"
_LEFT = "All right, I leave that."
_ENDLESS = 1_000_000


def chat(
    *,
    world: str = "assistant",
    agent: str = "retrieve",
    data: Path | None = None,
    transcript: Path | None = None,
    explain: bool = False,
    yes: bool = False,
    seed: int = 0,
) -> None:
    """Talk to an agent in a world: its programs, what they came to, and the stack are shown as they come.

    What would delete or write over something is shown first, and done only if you agree. /stack, /help and /quit are
    for the chat; a chat can be piped: `printf 'Which alarms are set?\\n' | toologue chat`.

    Parameters
    ----------
    world
        assistant, s3, a service that ships (shop, bank, …), or an OpenAPI document of yours.
    agent
        retrieve (no model), program_stack:openai:NAME (programs), … or module:attribute.
    data
        What the world holds at the start: an account for s3, a seed for a service.
    transcript
        A dialogues.jsonl that the chat is added to, after every answer. `toologue prove FILE` and
        `toologue run FILE --agent ... --out RUN` take it as a test.
    explain
        Show why the agent drafted, finalised or asked.
    yes
        Do not ask before something is deleted or written over.
    seed
        Seeds the agent.
    """
    place = place_of(world, data)
    saved = _Transcript(transcript)
    brief = Brief(
        instructions="",
        facts={**place.facts, "programs": {"object": place.object}},
        apis=tuple(kind_at(place.setting).apis),
    )
    start = Dialogue(
        id=saved.name,
        facts=brief.facts,
        world=place.setting,
        turns=(AgentTurn(text=_OPENING), UserTurn()),
        origin={"line": "programs", "writer": "chat", "agent": agent},
    )
    case = Case(id=start.id, gold=start, brief=brief, world=place.setting, protocol="live", seed=seed, rounds=_ENDLESS)
    made = resolve_agent(agent).make(case)
    talk = _Chat(case, made, place, Screen(explain=explain), saved, asks=not yes)
    try:
        talk.run(make_world(case))
    finally:
        if transcript is not None:
            talk.screen.note(saved.said())


@dataclass
class _Transcript:
    """The file that a chat is added to; nothing is written where there is none, or where nobody spoke."""

    file: Path | None
    before: list[Dialogue] = field(default_factory=list[Dialogue])
    rounds: int = 0

    def __post_init__(self) -> None:
        if self.file is not None and self.file.exists():
            self.before = list(read(self.file, Dialogue, empty=True))
        elif self.file is not None and not self.file.parent.is_dir():
            raise BadFile(f"cannot write {self.file}: there is no folder {self.file.parent}")

    @property
    def name(self) -> str:
        """An id that no dialogue of the file has."""
        taken = {one.id for one in self.before}
        return next(name for number in range(1, _ENDLESS) if (name := f"chat-{number}") not in taken)

    def keep(self, start: Dialogue, lived: list[Turn]) -> None:
        """Write what was lived, up to the last round that was answered in words."""
        turns: list[Turn] = []
        answered = [one for one in rounds(lived) if one.did and one.did[-1].text is not None]
        for said, did in answered:
            turns += [*said, *did]
        self.rounds = sum(bool(said) for said, _ in answered)
        if self.file is not None and self.rounds:
            kept = tuple(strip_labels(turn, frozenset(("thought",))) for turn in turns)
            write(self.file, [*self.before, start.but(turns=kept)])

    def said(self) -> str:
        """What became of it."""
        if not self.rounds:
            return "Nothing was said, so nothing is saved."
        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        return f"{rounds} saved as {self.name} in {self.file}; next: toologue prove {self.file}"


@dataclass
class _Chat:
    """One conversation. `asks`: the person is asked before something is lost."""

    case: Case
    agent: Agent
    place: Place
    screen: Screen
    saved: _Transcript
    asks: bool
    lived: list[Turn] = field(default_factory=list[Turn])

    def run(self, world: World) -> None:
        """Answer the loop until the person leaves."""
        loop, session = converse(self.case, self.lived), Session(world)
        reply = None
        with suppress(KeyboardInterrupt, StopIteration), asyncio.Runner() as runner:
            while True:
                match loop.send(reply):
                    case Ask(history):
                        self.screen.show(history)
                        reply = self._guarded(self._asked(runner, history), world)
                    case Listen(history):
                        self.screen.show(history)
                        self._keep()
                        reply = self._heard(history)
                    case Do() as request:
                        reply = session.answer(request)
                    case request:
                        raise AssertionError(f"a live conversation does not ask for {request}")
        self._keep()

    def _keep(self) -> None:
        assert self.case.gold is not None
        self.saved.keep(self.case.gold, self.lived)

    def _asked(self, runner: asyncio.Runner, history: tuple[Turn, ...]) -> AgentTurn:
        """The agent's turn; one that broke is shown, and apologised for."""
        try:
            turn = runner.run(_turn(self.agent, history, self.case.brief))
            turn = _whole(AgentTurn.model_validate_json(turn.model_dump_json()), history)  # what a file can hold
        except StackError as error:
            turn = AgentTurn(error=Fault(type="StackError", message=str(error)))
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001 - a declared boundary: Agent.act
            kind, message = summary(error)
            turn = AgentTurn(error=Fault(type=kind, message=message))
        if turn.error is not None:
            self.screen.error(turn.error)
        return turn if turn.error is None and (turn.acts or turn.text) else AgentTurn(text=_SORRY)

    def _guarded(self, turn: AgentTurn, world: World) -> AgentTurn:
        """The turn, without what the person does not want to lose."""
        acts: list[Act | None] = list(turn.acts)
        found = list(losses(world, turn.acts, simulated=self.place.simulated)) if self.asks else []
        for at, lost in found:
            self.screen.act(turn.acts[at])
            if not self.screen.agrees(f"This would lose something: {', '.join(lost)}."):
                acts[at] = _abandoned(turn.acts[at])
        left = tuple(act for act in acts if act is not None)
        return turn.but(acts=left, text=turn.text if left or turn.text else _LEFT)

    def _heard(self, history: tuple[Turn, ...]) -> UserTurn:
        """What the person says next; commands are carried out."""
        while True:
            try:
                line = self.screen.listen("You: ").strip()
            except EOFError:
                return UserTurn(stop="left")
            if line in ("/quit", "/exit"):
                return UserTurn(stop="left")
            if line == "/stack":
                self.screen.stack(history)
            elif re.fullmatch(r"/\w*", line):
                self.screen.help()
            elif line:
                return UserTurn(text=line)


async def _turn(agent: Agent, history: tuple[Turn, ...], brief: Brief) -> AgentTurn:
    return await agent.act(history, brief)


def _abandoned(act: Act) -> Act | None:
    """What is left of an act that the person does not want: an abandoned program, or nothing."""
    return act.but(status="abandoned") if act.kind == "program" else None


def _whole(turn: AgentTurn, history: tuple[Turn, ...]) -> AgentTurn:
    """The turn with the code of the draft in every program that has none. Raises StackError."""
    held, acts = stack(history), list(turn.acts)
    for slot, act in enumerate(acts):
        if act.kind == "program":
            acts[slot] = program = whole(held, act)
            held = put(held, program)
    return turn.but(acts=tuple(acts), results=())
