"""A writer without a model: phrase banks, and the words of the procedure taken apart (`write.grammar`).

Contract: replaces the text of every turn that speaks, and nothing else of any turn; `origin` gets the writer and the
registers. One plan and one seed give one dialogue. A plan whose turns and cues do not belong together, or that shows a
value it does not have, raises BadSetting with the place of the cue.

Unless they are given, registers are chosen by the plan's id and the seed. Ids that differ in their last number alone
and seeds that follow each other lead to other registers and phrases, so that ten conversations of one path open in
ten ways.

Example:
    >>> from toologue.schema import AgentTurn, Cue, Dialogue, Plan, UserTurn
    >>> plan = Plan(dialogue=Dialogue(id="late-1", turns=(UserTurn(), AgentTurn())),
    ...     cues=(Cue(move="open", text="My parcel is late."), Cue(move="ask", text="for the order number.")))
    >>> told = TemplateWriter(customer="annoyed", agent="brief").words(plan)
    >>> print(*(turn.text for turn in told.turns), sep="\\n")
    This is the third time I'm trying to reach somebody. My parcel is late.
    Can you tell me the order number?
    >>> told.origin["registers"]
    {'customer': 'annoyed', 'agent': 'brief'}

Not covered: languages other than English, and a register that changes within a conversation.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toologue import keys
from toologue.errors import BadSetting, UnknownName
from toologue.procedure.grammar import Asking, asking
from toologue.schema import Cue, Dialogue, Plan, Turn
from toologue.text.bank import REGISTERS, Phrases, Register, Role, Voice
from toologue.write.agent import AgentWords
from toologue.write.customer import CustomerWords

_NUMBERED = re.compile(r"(.*?)(\d{0,9})", re.DOTALL)


class TemplateWriter:
    """Finds words for plans, offline. `customer`, `agent`: registers, each chosen by the plan where it is None."""

    name = "template"

    def __init__(
        self,
        *,
        customer: Register | None = None,
        agent: Register | None = None,
        seed: int = 0,
        bank: Phrases | None = None,
    ):
        self._registers: dict[Role, Register | None] = {"customer": customer, "agent": agent}
        for role, register in self._registers.items():
            if register is not None and register not in REGISTERS[role]:
                raise UnknownName(f"register of the {role}", register, REGISTERS[role])
        self._seed, self._bank = seed, bank

    async def write(self, plan: Plan) -> Dialogue:
        """The dialogue with its words."""
        return self.words(plan)

    def words(self, plan: Plan) -> Dialogue:
        """The dialogue with its words. Raises BadSetting."""
        cast = {role: self._speaker(role, plan.dialogue.id) for role in REGISTERS}
        customer = CustomerWords(cast["customer"].voice, seed=cast["customer"].seed)
        agent = AgentWords(cast["agent"].voice, seed=cast["agent"].seed)
        turns: list[Turn] = []
        asked: Asking | None = None
        heard: Cue | None = None
        for number, (turn, cue) in enumerate(zip(plan.dialogue.turns, plan.cues, strict=True)):
            try:
                if turn.role == "user":
                    turns.append(turn.but(text=customer(cue, asked)))
                    heard = cue
                elif cue.move == "call":
                    turns.append(turn)
                else:
                    turns.append(turn.but(text=agent(cue, heard)))
                    asked = _asked(cue) or asked
            except BadSetting as error:
                raise BadSetting(f"plan {plan.dialogue.id!r}, cue {number} ({cue.move}): {error}") from error
        registers = {role: str(speaker.voice.register) for role, speaker in cast.items()}
        origin = {**plan.dialogue.origin, "writer": self.name, "registers": registers}
        return plan.dialogue.but(turns=tuple(turns), origin=origin)

    def _speaker(self, role: Role, id: str) -> _Speaker:
        """Who speaks: a register, and the phrases to begin with."""
        named = _NUMBERED.fullmatch(id)
        stem, number = (named[1], int(named[2] or 0)) if named else (id, 0)
        place = keys.seed_of(stem) % 1000 + number + self._seed
        registers = REGISTERS[role]
        given = self._registers[role]
        register = given or registers[place % len(registers)]
        start = place if given else place // len(registers)
        voice = Voice(role, register, seed=keys.seed_of(stem, role), start=start, bank=self._bank)
        return _Speaker(voice, keys.seed_of(stem, role, place))


class _Speaker(NamedTuple):
    voice: Voice
    seed: int


def _asked(cue: Cue) -> Asking | None:
    """What the agent has just asked, if anything."""
    text = cue.text if cue.move == "ask" else cue.again
    return asking(text) if text.strip() else None
