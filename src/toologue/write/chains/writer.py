"""A writer for chains, without a model: users and agents talk about APIs as people would.

Contract: replaces the texts of turns that speak, the query of every question to the retriever, and its answer, which is
the real one; `origin` gets writer (`chains:` and the bank) and style; nothing else changes. One plan, one bank and one
seed give one dialogue, in any process. A plan whose cues and turns do not belong together raises BadSetting with the
place of the cue; one for which no words reach the band of its opening raises `Unworded`, with a reason to count.

Styles and phrases follow the plan's number, so that dialogues of one pair differ from their first word. What is costly
(queries and the retriever's answers) is made once for each pair, band and variant.

Example:
    >>> from toologue.models.embed import embedder
    >>> from toologue.schema import AgentTurn, Cue, Result, Retrieve, UserTurn
    >>> skies = Api(name="Weather|skies|Forecast", description="Get the forecast for a city.")
    >>> looked = AgentTurn(acts=(Retrieve(),), results=(Result(value={"retrieved": {}}),), action="retriever_call")
    >>> plan = Plan(
    ...     dialogue=Dialogue(id="c-1", turns=(UserTurn(), looked), origin={"line": "chains", "target": skies.name}),
    ...     cues=(Cue(move="inform_intent_clear", before={"band": "confirm"}), Cue(move="retriever_call")))
    >>> told = ChainWriter([skies, Api(name="Food|pots|Recipes")], embedder("lexical")).words(plan)
    >>> told.turns[0].text == told.turns[1].acts[0].query
    True

Not covered: a speaker who changes style, and users who correct themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from toologue.errors import BadSetting
from toologue.models.embed import Embedder
from toologue.models.index import Index
from toologue.schema import Api, Dialogue, Plan, Turn
from toologue.write.chains.bank import BankName
from toologue.write.chains.bank import bank as bank_of
from toologue.write.chains.queries import Queries
from toologue.write.chains.realize import Desk, Telling


class ChainWriter:
    """Finds words for plans of the chains line, offline.

    `bands` replaces the embedder's own thresholds; `index` is that of the Apis, if there is one already.
    """

    name = "chains"

    def __init__(
        self,
        apis: Iterable[Api] | Mapping[str, Api],
        embedder: Embedder,
        *,
        seed: int = 0,
        bank: BankName = "train",
        bands: Mapping[str, float] | None = None,
        index: Index | None = None,
    ):
        self._desk = Desk(Queries(apis, embedder, bands=bands, index=index), bank_of(bank), seed)

    def check(self, api: str, actions: Collection[str] = ()) -> None:
        """Raises Unworded where nobody would ask for this Api, or not in a conversation of these actions."""
        self._desk.queries.check(api, actions)

    async def write(self, plan: Plan) -> Dialogue:
        """The dialogue with its words."""
        return self.words(plan)

    def words(self, plan: Plan) -> Dialogue:
        """The dialogue with its words. Raises BadSetting, UnknownName, Unworded."""
        telling = Telling(self._desk, plan)
        turns: list[Turn] = []
        for number, (turn, cue) in enumerate(zip(plan.dialogue.turns, plan.cues, strict=True)):
            try:
                turns.append(telling.turn(turn, cue))
            except BadSetting as error:
                raise BadSetting(f"plan {plan.dialogue.id!r}, cue {number} ({cue.move}): {error}") from error
        origin = {
            **plan.dialogue.origin, "writer": f"{self.name}:{self._desk.bank.name}",
            "style": {"user": telling.user.style, "agent": telling.agent.style},
        }  # fmt: skip
        return plan.dialogue.but(turns=tuple(turns), origin=origin)
