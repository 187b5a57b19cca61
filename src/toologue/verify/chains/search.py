"""Searches: what the retriever was asked, what it answered, and what the agent did about it.

    execution   the query is the user's words; the retriever gives the same scores now
    path        the intended API is the best one, unless the wish was too vague to tell; the band of the best score is
                the one that the next action is for (confirm: request or call, suggest, clarify); a missing value is
                looked for at the source

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, Result, Retrieve, UserTurn
    >>> found = Result(value={"retrieved": {"Buses": 0.7, "Trains": 0.9}})
    >>> ask = AgentTurn(action="retriever_call", acts=(Retrieve(query="Trains"),), results=(found,))
    >>> turns = (UserTurn(text="Trains, please"), ask, AgentTurn(action="request"))
    >>> for flaw in wrong_searches(Dialogue(id="d", turns=turns), Chain("Trains"), {}, None):
    ...     print(flaw)
    turn 1: execution: the query 'Trains' is not what the user says
    turn 1: execution: the best does not come first: 0.7, 0.9
    turn 1: path: the best API found is 'Buses'; intended is 'Trains'

Not covered: whether a query that is clear for a pair of APIs is about both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from toologue.errors import shown
from toologue.models.retriever import Retriever
from toologue.schema import Api, Dialogue, Retrieve, Turn
from toologue.values.compare import same
from toologue.verify.chains.known import Chain
from toologue.verify.flaw import Flaw

_MOST = 5
_BANDS = {"request": "confirm", "call": "confirm", "suggest": "suggest", "clarify": "clarify"}


def wrong_searches(
    dialogue: Dialogue, chain: Chain, apis: Mapping[str, Api], retriever: Retriever | None
) -> Iterator[Flaw]:
    """Every flaw of what the retriever is asked and answers."""
    said, turns = "", dialogue.turns
    for place, turn in enumerate(turns):
        if turn.role == "user":
            said = turn.text
            continue
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind != "retrieve" or result is None:
                continue
            if act.missing is not None:
                yield from _wrong_source(place, act.missing, result.value, chain)
                continue
            scores = _scores(result.value, apis)
            if scores is None:
                yield Flaw("execution", place, f"{shown(result.value)} are no APIs with their scores, 5 at most")
            else:
                following = turns[place + 1] if place + 1 < len(turns) else None
                yield from _wrong_query(place, act, said)
                yield from _wrong_scores(place, act, scores, retriever)
                yield from _wrong_step(place, scores, following, chain, retriever)


def _scores(value: JsonValue, apis: Mapping[str, Api]) -> dict[str, float] | None:
    scores = value.get("retrieved") if isinstance(value, dict) else None
    if not isinstance(scores, dict) or not 0 < len(scores) <= _MOST:
        return None
    sound = all(isinstance(score, int | float) for score in scores.values())
    return cast("dict[str, float]", scores) if sound and (not apis or scores.keys() <= apis.keys()) else None


def _wrong_query(place: int, act: Retrieve, said: str) -> Iterator[Flaw]:
    if act.query != said:
        yield Flaw("execution", place, f"the query {shown(act.query)} is not what the user says")


def _wrong_scores(
    place: int, act: Retrieve, scores: Mapping[str, float], retriever: Retriever | None
) -> Iterator[Flaw]:
    values = list(scores.values())
    if values != sorted(values, reverse=True):
        yield Flaw("execution", place, f"the best does not come first: {', '.join(map(str, values))}")
    if retriever is None:
        return
    asked = {api.name: score for api, score in retriever.rank(act.query, len(scores))}
    for name in dict.fromkeys((*scores, *asked)):
        if scores.get(name) != asked.get(name):
            what = f"the retriever gives {name} {asked.get(name)}, and not {scores.get(name)}"
            yield Flaw("execution", place, what)
            return


def _wrong_step(
    place: int, scores: Mapping[str, float], following: Turn | None, chain: Chain, retriever: Retriever | None
) -> Iterator[Flaw]:
    action = following.action if following else None
    best, score = next(iter(scores.items()))
    if best != chain.target and action != "clarify":
        yield Flaw("path", place, f"the best API found is {shown(best)}; intended is {shown(chain.target)}")
    band = retriever.band(score) if retriever else None
    if band is not None and band != _BANDS.get(action or ""):
        yield Flaw("path", place, f"a score of {score} is one to {band}, and {action or 'nothing'} follows")


def _wrong_source(place: int, missing: tuple[str, str], value: JsonValue, chain: Chain) -> Iterator[Flaw]:
    if missing != (chain.target, chain.parameter):
        yield Flaw("path", place, f"what is missing is {chain.parameter} of {chain.target}, and not {missing}")
    told = {name: getattr(chain, name) for name in ("source", "output", "target", "parameter")}
    if not same(value, told):
        yield Flaw("execution", place, f"the source of {chain.parameter} is {shown(told)}, and not {shown(value)}")
