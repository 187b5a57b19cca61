"""The path of a conversation: turns as they must be, actions in an order that the action graph allows, searches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from toologue.errors import shown
from toologue.models.index import Index
from toologue.models.retriever import band
from toologue.schema import AgentTurn, Api, Dialogue, Retrieve, Turn, UserTurn
from toologue.values.compare import same
from toologue.values.json_schema import object_of
from toologue.verify import Flaw
from toologue.verify.chains.states import Chain, Context

FOLLOWS: Mapping[str, tuple[str, ...]] = {
    "": ("inform_intent_clear", "inform_intent_clear_add", "inform_intent_vague"),
    "inform_intent_clear": ("retriever_call",),
    "inform_intent_clear_add": ("retriever_call",),
    "inform_intent_vague": ("retriever_call",),
    "inform": ("call",),
    "fail_inform": ("retriever_call",),
    "affirm": ("request",),
    "negate": ("response_fail",),
    "user_bye": ("system_bye",),
    "retriever_call": ("call", "clarify", "request", "suggest"),
    "call": ("call", "request", "response"),
    "request": ("fail_inform", "inform"),
    "clarify": ("inform_intent_clear", "inform_intent_clear_add"),
    "suggest": ("affirm", "negate"),
    "response": ("user_bye",),
    "response_fail": (),
    "system_bye": (),
}
"""What may follow an action; "" is the beginning."""

_ACTS = {"call": "call", "retriever_call": "retrieve"}


def wrong_shapes(dialogue: Dialogue) -> Iterator[Flaw]:
    """Every turn that lacks a label, or words, or an act with its result."""
    for place, turn in enumerate(dialogue.turns):
        wrong = _wrong_user_turn(turn) if turn.role == "user" else _wrong_agent_turn(turn)
        yield from (Flaw("shape", place, what) for what in wrong)


def _wrong_user_turn(turn: UserTurn) -> Iterator[str]:
    if not turn.text.strip():
        yield "the user says nothing"
    if turn.action is None:
        yield "no action is labelled"
    if turn.action == "inform_intent_clear_add" and not turn.informed:
        yield "an inform_intent_clear_add gives a value"
    if turn.informed and turn.action in ("inform_intent_vague", "affirm", "negate", "user_bye"):
        yield f"{_a(turn.action)} gives no values"


def _wrong_agent_turn(turn: AgentTurn) -> Iterator[str]:
    missing = [name for name in ("action", "state", "thought") if not getattr(turn, name)]
    if missing:
        yield f"no {', '.join(missing)} is labelled"
    kinds = [act.kind for act in turn.acts]
    if turn.action not in _ACTS:
        if kinds:
            yield f"{_a(turn.action or 'reply')} does nothing but speak"
        if not (turn.text or "").strip():
            yield "the agent says nothing"
        return
    if kinds != [_ACTS[turn.action]]:
        yield f"{_a(turn.action)} is one act of kind {_ACTS[turn.action]}, and not {kinds}"
    if turn.text is not None:
        yield f"{_a(turn.action)} is silent"
    result = turn.results[0] if turn.results else None
    if result is None:
        yield f"the {turn.action} has no result"
    elif result.error is not None:
        yield f"the {turn.action} fails: {result.error.message}"


def wrong_path(dialogue: Dialogue, contexts: Sequence[Context], sequence: Sequence[str] | None) -> Iterator[Flaw]:
    """Every action that may not come where it does, and the first that is not the planned one."""
    before, last = "", len(dialogue.turns) - 1
    for place, turn in enumerate(dialogue.turns):
        action = turn.action or ""
        if action not in FOLLOWS[before]:
            after = f"follow {_a(before)}" if before else "come first"
            yield Flaw("path", place, f"{_a(action or 'turn without an action')} may not {after}")
        before = action
    if not before or FOLLOWS[before]:
        yield Flaw("path", last, f"a conversation does not end with {_a(before or 'turn without an action')}")
    if sequence is not None:
        yield from _wrong_sequence(dialogue, contexts, sequence)


def _wrong_sequence(dialogue: Dialogue, contexts: Sequence[Context], sequence: Sequence[str]) -> Iterator[Flaw]:
    steps = [
        "request_multi" if context.choosing and turn.action == "request" else turn.action
        for turn, context in zip(dialogue.turns, contexts, strict=True)
    ]
    for place, (step, planned) in enumerate(zip(steps, sequence, strict=False)):
        if step != planned:
            yield Flaw("path", place, f"planned is {_a(planned)}, and this is {_a(step or 'turn without an action')}")
            return
    if len(steps) != len(sequence):
        last = len(dialogue.turns) - 1
        yield Flaw("path", last, f"{len(sequence)} steps are planned, and these are {len(steps)}")


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


_MOST, _CLOSE = 5, 0.001  # so far apart may scores be: machines add up in their own order
_BANDS = {"request": "confirm", "call": "confirm", "suggest": "suggest", "clarify": "clarify"}


def wrong_searches(dialogue: Dialogue, chain: Chain, apis: Mapping[str, Api], index: Index | None) -> Iterator[Flaw]:
    """Every flaw of what the retriever is asked and answers; its bands are those that the dialogue's facts name."""
    said, turns, told = "", dialogue.turns, object_of(dialogue.facts.get("retriever"))
    bands = {name: one for name, one in told.items() if isinstance(one, int | float)}
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
                if act.query != said:
                    yield Flaw("execution", place, f"the query {shown(act.query)} is not what the user says")
                yield from _wrong_scores(place, act, scores, index)
                yield from _wrong_step(place, scores, following, chain, bands)


def _scores(value: JsonValue, apis: Mapping[str, Api]) -> dict[str, float] | None:
    scores = value.get("retrieved") if isinstance(value, dict) else None
    if not isinstance(scores, dict) or not 0 < len(scores) <= _MOST:
        return None
    sound = all(isinstance(score, int | float) for score in scores.values())
    return cast("dict[str, float]", scores) if sound and (not apis or scores.keys() <= apis.keys()) else None


def _wrong_scores(place: int, act: Retrieve, scores: Mapping[str, float], index: Index | None) -> Iterator[Flaw]:
    values = list(scores.values())
    if values != sorted(values, reverse=True):
        yield Flaw("execution", place, f"the best does not come first: {', '.join(map(str, values))}")
    asked = scores if index is None else dict(index.rank(act.query, len(scores)))
    for name in dict.fromkeys((*scores, *asked)):
        now, then = asked.get(name), scores.get(name)
        if now is None or then is None or abs(now - then) > _CLOSE:
            yield Flaw("execution", place, f"the retriever gives {name} {now}, and not {then}")
            return


def _wrong_step(
    place: int, scores: Mapping[str, float], following: Turn | None, chain: Chain, bands: Mapping[str, float]
) -> Iterator[Flaw]:
    action = following.action if following else None
    best, score = next(iter(scores.items()))
    if best != chain.target and action != "clarify":
        yield Flaw("path", place, f"the best API found is {shown(best)}; intended is {shown(chain.target)}")
    calls_for = band(score, bands) if bands.keys() >= {"confirm", "suggest"} else None
    if calls_for is not None and calls_for != _BANDS.get(action or ""):
        yield Flaw("path", place, f"a score of {score} is one to {calls_for}, and {action or 'nothing'} follows")


def _wrong_source(place: int, missing: tuple[str, str], value: JsonValue, chain: Chain) -> Iterator[Flaw]:
    if missing != (chain.target, chain.parameter):
        yield Flaw("path", place, f"what is missing is {chain.parameter} of {chain.target}, and not {missing}")
    told = {name: getattr(chain, name) for name in ("source", "output", "target", "parameter")}
    told |= {"along": dict(chain.along)} if chain.along else {}
    if not same(value, told):
        yield Flaw("execution", place, f"the source of {chain.parameter} is {shown(told)}, and not {shown(value)}")
