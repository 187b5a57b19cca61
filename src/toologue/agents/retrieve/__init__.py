"""The agent `retrieve`: for any list of Apis, with no language model.

    retrieve                    with the embedder `lexical`
    retrieve:EMBEDDER           with another: retrieve:minilm, retrieve:endpoint:NAME

What it does when it is its turn, in this order (ToolDial's actions in brackets):

1. `history` reads the conversation: the request that is still open, what was answered, what calls gave back.
2. `deciding` cuts the request into wishes, by the evidence for an Api that its words hold.
3. `filling` fills in the form of each from the conversation, from results and from the brief.
4. `deciding` takes the first wish that is not served: call its Api, or one that supplies what is missing [call]. Where
   nothing can be called: ask for what is missing, in the order of the documentation [request]; ask what is wanted
   [clarify].
5. `wording` says what came of it [response], what went wrong [response_fail], or goodbye [system_bye].

Where the brief names a retriever (`facts["retriever"]`), or the history asks one, looking for an Api is an act of its
own, and the conversation goes by ToolDial's flow [retriever_call]: `searching`, with values from `slot_values`.

Contract: a function of the conversation and the brief; what it keeps is a cache. Every turn carries `action`, `state`
(the Api in hand and its slots; "" where a required one is missing) and `thought`.

Example:
    >>> from toologue import registry
    >>> from toologue.loop import play
    >>> from toologue.schema import Brief, Case, Dialogue, UserTurn
    >>> gold = Dialogue(id="bell", turns=(UserTurn(text="Set an alarm for 7 pm"), AgentTurn(text="Done.")))
    >>> brief = Brief(apis=registry.find("world", "assistant").apis)
    >>> turns, _ = play(Case(id="bell", gold=gold, brief=brief, protocol="forced"), Retrieve(embedder("lexical")))
    >>> turns[1].acts[0].api, turns[1].acts[0].arguments, turns[1].action
    ('AddAlarm', {'time': '19:00:00'}, 'call')

Not covered: confirmations; conditions ("if it rains …"); more than one call a turn; several values for one parameter;
corrections; what stands in a message after its first `limits.HEARD` characters.
"""

from __future__ import annotations

from collections.abc import Sequence

from toologue import limits
from toologue.agents.agent import AgentSpec
from toologue.agents.retrieve.deciding import Mind, Step, Weigher, decide
from toologue.agents.retrieve.history import hear
from toologue.agents.retrieve.searching import search, searches
from toologue.agents.retrieve.wording import say
from toologue.models.embed import Embedder, embedder
from toologue.models.retriever import Retriever
from toologue.schema import AgentTurn, Brief, State, Turn

__all__ = ["Retrieve", "retrieve_agent"]


class Retrieve:
    """The agent."""

    def __init__(self, embedder: Embedder):
        self._embedder = embedder
        self._weighers: dict[tuple[str, ...], Weigher] = {}

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn."""
        history = [_heard(turn) for turn in history]
        key = tuple(api.key for api in brief.apis)
        if key not in self._weighers:
            self._weighers[key] = Weigher(Retriever(brief.apis, self._embedder))
        weigher = self._weighers[key]
        if searches(history, brief):
            return search(history, brief, weigher.forms)
        step = decide(Mind(hear(history), weigher, brief.facts))
        writers = {api.name for api in brief.apis if api.writes}
        return AgentTurn(
            text=say(step, len(history), writers=writers) if step.call is None else None,
            acts=() if step.call is None else (step.call,),
            action=step.action,
            state=_state(step),
            thought=_thought(step, weigher),
        )


def _heard(turn: Turn) -> Turn:
    """The turn, as far as it is read: the time that a message takes grows with its length."""
    return turn.replace(text=turn.text[: limits.HEARD]) if turn.text and len(turn.text) > limits.HEARD else turn


def _state(step: Step) -> State:
    if step.wish is None:
        return State()
    api, values = step.wish.api, step.filled.arguments
    optional = {name: value for name, value in values.items() if name not in api.required}
    return State(api=api.name, required={name: values.get(name, "") for name in api.required}, optional=optional)


def _thought(step: Step, weigher: Weigher) -> str:
    if step.wish is None:
        return f"{step.why}."
    wish, evidence = step.wish, step.wish.evidence
    band = weigher.retriever.band(evidence.cosine)
    scores = f"retriever {evidence.cosine:.2f}: {band}; all evidence {evidence.score:.2f}"
    return f"{wish.words!r} asks for {wish.api.name} ({scores}); {step.why}."


def retrieve_agent(argument: str) -> AgentSpec:
    """The agent `retrieve` or `retrieve:EMBEDDER`."""
    agent = Retrieve(embedder(argument or "lexical"))
    return AgentSpec(f"retrieve:{argument}" if argument else "retrieve", lambda case: agent)
