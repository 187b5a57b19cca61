"""The agent `procedure`: carries out a support procedure, with no language model.

    procedure                with the embedder `lexical`
    procedure:EMBEDDER       with another: procedure:minilm, procedure:endpoint:NAME
    procedure_careless       the same in every bad manner (`Manner`): there to be caught

The procedure is the brief's instructions, in our dialect (docs/procedures.md); the calls are those of its Apis. When it
is its turn, it replays the conversation (`following`) to know where it stands, and takes the next step:

1. `hearing` understands the customer's last words: values for what was asked (`reading`), one of the answers
   (`choosing`), a correction, a change of mind; or no answer at all (`noticing`).
2. What is known leads on, through conditions and limits, to a call, to a question, or to the last words. What the
   customer has said before is not asked for again.
3. `saying` makes words of the step's text. What is no answer is declined in a sentence, and the question repeated.

Contract: a function of the conversation and the brief; what it keeps is a cache. Instructions that are no procedure
raise BadFile, which lists what is wrong with them.

Example:
    >>> from toologue.agents.agent import player
    >>> from toologue.loop import play
    >>> from toologue.schema import Brief, Case, Dialogue, UserTurn
    >>> brief = Brief(instructions='''# Late
    ... 1. **Ask** for the number of the order. Collect `number`.
    ... 2. **End**: say that {number} is on its way.
    ... ''')
    >>> said = (UserTurn(text="It's late!"), AgentTurn(text="Which?"), UserTurn(text="It's 7"), AgentTurn(text="Sent."))
    >>> gold = Dialogue(id="late", turns=said)
    >>> case = Case(id="late", gold=gold, brief=brief, protocol="next")
    >>> [turn.text for turn in play(case, player("procedure").make(case))[0]][1::2]
    ['Could you tell me the number of the order?', '7 is on its way.']

Not covered: procedures in prose (`plan.rewrite` makes them ours); more than one call a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toologue.agents.agent import Player
from toologue.models.similarity import Similarity, similarity
from toologue.procedure.course import Course, course_of
from toologue.procedure.following import CAREFUL, Follower, Manner
from toologue.schema import AgentTurn, Brief, Turn

Compile = Callable[[Brief], Course]


class Follow:
    """The agent, in one conversation. `compile` makes a course of a brief; agents may share one that remembers."""

    def __init__(self, alike: Similarity, *, manner: Manner = CAREFUL, compile: Compile = course_of):
        self._alike, self._manner, self._compile = alike, manner, compile
        self._follower: tuple[Brief, Follower] | None = None

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn."""
        follower = self._following(brief)
        move = follower.read(history)
        if move.kind == "call":
            return AgentTurn(acts=(follower.call(),))
        return AgentTurn(text=follower.words())

    def _following(self, brief: Brief) -> Follower:
        if self._follower is None or (self._follower[0] is not brief and self._follower[0] != brief):
            follower = Follower(self._compile(brief), self._alike, facts=brief.facts, manner=self._manner)
            self._follower = (brief, follower)
        return self._follower[1]


def PROCEDURE(argument: str) -> Player:  # noqa: N802 - a registered constant
    """The player `procedure`, or `procedure:EMBEDDER`."""
    return _player("procedure", argument, CAREFUL)


def PROCEDURE_CARELESS(argument: str) -> Player:  # noqa: N802 - a registered constant
    """The player `procedure_careless`, or `procedure_careless:EMBEDDER`."""
    careless = Manner(confirms=False, verifies=False, refuses=False, invents=True)
    return _player("procedure_careless", argument, careless)


def _player(name: str, argument: str, manner: Manner) -> Player:
    alike, compiled = similarity(argument or "lexical"), _remembering()
    full = f"{name}:{argument}" if argument else name
    return Player(full, lambda case: Follow(alike, manner=manner, compile=compiled))


def _remembering() -> Compile:
    """`course_of`, once for each procedure with the same documents."""
    courses: dict[tuple[str, ...], Course] = {}

    def course(brief: Brief) -> Course:
        key = (brief.instructions, *(api.key for api in brief.apis))
        if key not in courses:
            courses[key] = course_of(brief)
        return courses[key]

    return course
