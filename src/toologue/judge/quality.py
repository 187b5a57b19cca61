"""The quality of conversations as a model sees it (G-Eval): each criterion is the mean of many votes.

A vote on naturalness, coherence, efficiency is a number from 1 to 3; on whether the responses are faithful to results
(`score.faithfulness`) it is true or false, 1 or 0. What is none of these counts for nothing, and is kept as it came.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

from toologue import limits
from toologue.models.ask import ask, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.schema import Dialogue, Noun, Trace
from toologue.score.faithfulness import VOTED
from toologue.score.faithfulness import votes as faithful_votes
from toologue.score.questions import history_of

CRITERIA = {
    "naturalness": "does it read as people speak with an assistant, the customer's lines and the assistant's?",
    "coherence": "does each line follow from what was said and given back before it, and speak to it?",
    "efficiency": "does the assistant do what the customer wants without detours: no needless question, no needless "
    "call, nothing asked twice?",
}
VOTES = 10
_TOGETHER, _LONGEST = 8, 40_000
_VOTE = re.compile(r"(?<![\d.])[123](?![\d.]*\d)|\b(?:true|false)\b")
_WORDS = {"true": 1, "false": 0}


class Rating(Noun):
    """What a model says of one criterion of a conversation: its votes as they came, and the mean of those read."""

    dialogue: str
    criterion: str
    votes: tuple[str, ...]

    @property
    def score(self) -> float | None:
        """The mean of the votes that can be read; None where none can."""
        found = (_VOTE.findall(vote.lower()) for vote in self.votes)
        read = [_WORDS[one[0]] if one[0] in _WORDS else int(one[0]) for one in found if len(one) == 1]
        return sum(read) / len(read) if read else None


async def rate(
    golds: Sequence[Dialogue],
    model: Model,
    *,
    votes: int = VOTES,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Rating]:
    """Every conversation by every criterion, in their order. A request that fails is no vote."""
    room, done = asyncio.Semaphore(_TOGETHER), 0

    async def one(gold: Dialogue) -> list[Rating]:
        nonlocal done
        async with room:
            found = [await _rating(gold, name, model, votes) for name in CRITERIA]
            lived = Trace(case=gold.id, dialogue=gold.id, protocol="next", agent="gold", turns=gold.turns)
            told = await faithful_votes(gold, lived, model, n=votes)
            tokens = tuple(token for one in told for token in one.tokens)
            found += [Rating(dialogue=gold.id, criterion=VOTED, votes=tokens)] if told else []
        progress(done := done + 1, len(golds))
        return found

    return [rating for found in await asyncio.gather(*map(one, golds)) for rating in found]


async def _rating(gold: Dialogue, criterion: str, model: Model, votes: int) -> Rating:
    talk = limits.cut("\n".join(history_of(gold.turns, gold.facts)), _LONGEST)
    question = render_prompt(
        __file__, "quality.txt", criterion=criterion, meaning=CRITERIA[criterion], conversation=talk
    )

    async def vote(number: int) -> str | None:
        try:
            return await ask(model, question, gold.id, criterion, number)
        except ModelFault:
            return None

    found = await asyncio.gather(*map(vote, range(votes)))
    return Rating(dialogue=gold.id, criterion=criterion, votes=tuple(one for one in found if one is not None))
