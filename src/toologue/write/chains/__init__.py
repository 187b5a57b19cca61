"""Words for conversations about APIs: phrase banks by action and style, openings that ask for what the answer tells.

    bank             what can be said, in two banks that share no phrase (data in `banks/`)
    words, names     what is known about words; parameters, outputs and values as people call them
    answers          results in words
    questions        what people ask who hear these; `estimate`: what they may ask of an Api
    queries          openings that reach their band of the retriever
    realize, model   `ChainWriter`, turn by turn; `ChainModelWriter`, with a language model

Contract: a writer replaces the texts of turns that speak, the query of every question to the retriever, and its answer,
which is the real one; `origin` gets writer and style; nothing else changes. One plan, one bank and one seed give one
dialogue, in any process. A plan whose cues and turns do not belong together raises BadSetting with the place of the
cue; one for which no words reach the band of its opening raises `Unworded`, with a reason to count.

Example:
    >>> from toologue.models.embed import embedder
    >>> from toologue.schema import AgentTurn, Api, Cue, Dialogue, Parameter, Plan, Result, Retrieve, UserTurn
    >>> takes = {"city": Parameter(schema={"type": "string"})}
    >>> skies = Api(name="cityForecast", description="Get the forecast for a city.", parameters=takes)
    >>> looked = AgentTurn(acts=(Retrieve(),), results=(Result(value={"retrieved": {}}),), action="retriever_call")
    >>> plan = Plan(
    ...     dialogue=Dialogue(id="c-1", turns=(UserTurn(), looked), origin={"line": "chains", "target": skies.name}),
    ...     cues=(Cue(move="inform_intent_clear", before={"band": "confirm"}), Cue(move="retriever_call")))
    >>> dialogue = ChainWriter([skies, Api(name="findRecipes")], embedder("lexical")).words(plan)
    >>> dialogue.turns[0].text == dialogue.turns[1].acts[0].query
    True

Not covered: languages other than English; a speaker who changes style, users who correct themselves; several wishes in
one conversation.
"""

from toologue.write.chains.queries import REASONS, Asked, Unworded
from toologue.write.chains.realize import ChainWriter

__all__ = ["REASONS", "Asked", "ChainWriter", "Unworded"]
