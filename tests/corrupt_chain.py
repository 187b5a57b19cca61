"""Spoil a valid dialogue of the chains line in one way: what `verify_chain` must reject.

    what is said      wrong_value_said, value_left_out, uninformed, made_up, wrong_fact, named_api, other_choice
    states            slot_dropped, state_forgotten, wrong_api, too_sure
    acts              wrong_chained_value, stale_result
    searches          score_edited, query_edited, other_api_first, wrong_source
    order             swapped_action
    of any line       wrong_argument, edited_result, dropped_result, dropped_call, extra_call, swapped_turns

Contract: each is a pure function of a dialogue and a source of randomness. It gives another dialogue, whose flaw is
real, or None where the dialogue has no place for it (no chained value without a source). What follows from the flaw is
spoiled along where that makes it harder to see: a wrong chained value stands in the state, too.

Not covered: flaws of meaning: a right value in a wrong sentence, words that do not sound like people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeVar, cast

from pydantic import JsonValue

from corrupt import CORRUPTIONS, Corruption, changed, other_text
from toologue.schema import AgentTurn, Call, Dialogue, Result, Retrieve, State, Turn, UserTurn

T = TypeVar("T")


# ---- what is said


def wrong_value_said(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The user's words say another value than the turn informs of."""
    return _reworded_value(dialogue, random, _another)


def value_left_out(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The user's words do not say a value that the turn informs of."""
    return _reworded_value(dialogue, random, lambda said, _: "that one")


def uninformed(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The user says a value, and the turn does not inform of it."""
    chosen = _one([(place, name) for place, name, _ in _told(dialogue)], random)
    if chosen is None:
        return None
    place, name = chosen
    turn = cast("UserTurn", dialogue.turns[place])
    return _with(
        dialogue, place, turn.replace(informed={key: one for key, one in turn.informed.items() if key != name})
    )


def made_up(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A response says something that no result holds."""
    return _reply(dialogue, random, "response", lambda text: f"{text} {_one(_INVENTED, random)}")


def wrong_fact(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A response says another number than the result holds."""
    places = [
        (place, said)
        for place, turn in _agent(dialogue, "response")
        for said in {str(value) for value in _leaves(_last_value(dialogue, place))}
        if len(said) > 1 and any(map(str.isdigit, said)) and f" {said}" in (turn.text or "")
    ]
    chosen = _one(sorted(places), random)
    if chosen is None:
        return None
    place, said = chosen
    turn, other = dialogue.turns[place], _another(said, random)
    if other in str([result.value for _, _, result in _calls(dialogue)]):
        return None
    return _with(dialogue, place, turn.replace(text=(turn.text or "").replace(f" {said}", f" {other}", 1)))


def named_api(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The agent says what an API is called in documents."""
    target = str(dialogue.origin.get("target"))
    action = _one([turn.action for _, turn in _agent(dialogue, "request", "suggest", "response")], random)
    return None if action is None else _reply(dialogue, random, action, lambda text: f"{text} I use {target}.")


def other_choice(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The user chooses a row that is not there."""
    chosen = _one([one for one in _told(dialogue) if _is_choice(dialogue, one[0])], random)
    if chosen is None:
        return None
    place, name, value = chosen
    turn, other = cast("UserTurn", dialogue.turns[place]), changed(value, random, _word)
    text = turn.text.replace(str(value), str(other))
    return _with(dialogue, place, turn.replace(text=text, informed={**turn.informed, name: other}))


# ---- states


def slot_dropped(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A state lacks a required parameter."""
    chosen = _one([(place, name) for place, state in _states(dialogue) for name in state.required], random)
    if chosen is None:
        return None
    place, name = chosen
    state = _state(dialogue, place)
    return _stated(
        dialogue, place, state.replace(required={key: v for key, v in state.required.items() if key != name})
    )


def state_forgotten(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A state has forgotten a value."""
    slots = [
        (place, name)
        for place, state in _states(dialogue)
        for name, value in {**state.required, **state.optional}.items()
        if value != ""
    ]
    chosen = _one(slots, random)
    return None if chosen is None else _slot(dialogue, *chosen, "")


def wrong_api(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A state has another API in hand."""
    place = _one([place for place, _ in _states(dialogue)], random)
    if place is None:
        return None
    state = _state(dialogue, place)
    others = [name for name in (*dialogue.apis, "Weather|sky|Forecast") if name != state.api]
    return _stated(dialogue, place, state.replace(api=_one(others, random)))


def too_sure(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A state has an API in hand as the agent still looks for one."""
    place = _one([place for place, _ in _agent(dialogue, "clarify", "suggest", "response_fail")], random)
    return None if place is None else _stated(dialogue, place, State(api=str(dialogue.origin.get("target"))))


# ---- acts


def wrong_chained_value(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """Not what the source returned is handed over, neither in the call nor in its state."""
    name, calls = str(dialogue.origin.get("parameter")), list(_calls(dialogue))
    if len(calls) < 2 or name not in (calls[-1][1].arguments or {}):
        return None
    place = calls[-1][0]
    spoiled = _argument(dialogue, place, name, random)
    call = cast("Call", cast("AgentTurn", spoiled.turns[place]).acts[0])
    return _slot(spoiled, place, name, (call.arguments or {})[name])


def stale_result(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A call has the result of the other call."""
    calls = list(_calls(dialogue))
    if len(calls) < 2 or calls[0][2] == calls[1][2]:
        return None
    one, other = random.sample(calls, 2)
    turn = cast("AgentTurn", dialogue.turns[one[0]])
    return _with(dialogue, one[0], turn.replace(results=(other[2],)))


# ---- searches


def score_edited(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A score is not the retriever's."""
    chosen = _one([(place, name) for place, found in _found(dialogue) for name in found], random)
    if chosen is None:
        return None
    place, name = chosen
    found = dict(_found(dialogue))[place]
    return _searched(dialogue, place, {**found, name: round(found[name] + random.choice((-0.02, 0.02)), 5)})


def query_edited(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The retriever is asked something else than the user said."""
    place = _one([place for place, _ in _found(dialogue)], random)
    if place is None:
        return None
    turn = cast("AgentTurn", dialogue.turns[place])
    act = cast("Retrieve", turn.acts[0])
    return _with(dialogue, place, turn.replace(acts=(act.replace(query=f"{act.query.rstrip('.?!')} by bus"),)))


def other_api_first(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The retriever finds the APIs, and another one first."""
    place = _one([place for place, found in _found(dialogue) if len(set(found.values())) > 1], random)
    if place is None:
        return None
    found = dict(_found(dialogue))[place]
    names = [*found][1:] + [*found][:1]
    return _searched(dialogue, place, dict(zip(names, found.values(), strict=True)))


def wrong_source(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """The missing value is looked for somewhere else."""
    for place, turn in _agent(dialogue, "retriever_call"):
        value = turn.results[0].value if turn.results and turn.results[0] else None
        if isinstance(value, dict) and "source" in value:
            key = random.choice(("source", "output", "parameter"))
            return _with(dialogue, place, turn.replace(results=(Result(value={**value, key: "Weather|sky|Forecast"}),)))
    return None


# ---- order


def swapped_action(dialogue: Dialogue, random: Random) -> Dialogue | None:
    """A turn is labelled with another action of whoever speaks."""
    place = random.randrange(len(dialogue.turns))
    turn = dialogue.turns[place]
    actions = sorted({other.action for other in dialogue.turns if other.role == turn.role and other.action})
    action = _one([action for action in actions if action != turn.action], random)
    return None if action is None else _with(dialogue, place, turn.replace(action=action))


_OF_ANY_LINE = ("wrong_argument", "edited_result", "dropped_result", "dropped_call", "extra_call", "swapped_turns")

CHAIN_CORRUPTIONS: Mapping[str, Corruption] = {
    corruption.__name__: corruption
    for corruption in (
        wrong_value_said, value_left_out, uninformed, made_up, wrong_fact, named_api, other_choice, slot_dropped,
        state_forgotten, wrong_api, too_sure, wrong_chained_value, stale_result, score_edited, query_edited,
        other_api_first, wrong_source, swapped_action, *map(CORRUPTIONS.__getitem__, _OF_ANY_LINE),
    )
}  # fmt: skip
"""Every corruption by its name."""

_INVENTED = ("There are 917 more.", "It was last updated by Quisling.", "The reference is ZX-88121.")


# ---- places


def _one(options: Sequence[T], random: Random) -> T | None:
    return options[random.randrange(len(options))] if options else None


def _agent(dialogue: Dialogue, *actions: str) -> list[tuple[int, AgentTurn]]:
    return [(at, turn) for at, turn in enumerate(dialogue.turns) if turn.role == "agent" and turn.action in actions]


def _calls(dialogue: Dialogue) -> Iterator[tuple[int, Call, Result]]:
    for place, turn in _agent(dialogue, "call"):
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call" and result is not None:
                yield place, act, result


def _found(dialogue: Dialogue) -> Iterator[tuple[int, dict[str, float]]]:
    for place, turn in _agent(dialogue, "retriever_call"):
        value = turn.results[0].value if turn.results and turn.results[0] else None
        if isinstance(value, dict) and isinstance(found := value.get("retrieved"), dict):
            yield place, cast("dict[str, float]", found)


def _states(dialogue: Dialogue) -> list[tuple[int, State]]:
    turns = enumerate(dialogue.turns)
    return [(at, turn.state) for at, turn in turns if turn.role == "agent" and turn.state and turn.state.api]


def _state(dialogue: Dialogue, place: int) -> State:
    return cast("State", cast("AgentTurn", dialogue.turns[place]).state)


def _told(dialogue: Dialogue) -> list[tuple[int, str, JsonValue]]:
    turns = enumerate(dialogue.turns)
    return [(at, name, value) for at, turn in turns if turn.role == "user" for name, value in turn.informed.items()]


def _is_choice(dialogue: Dialogue, place: int) -> bool:
    actions = [turn.action for turn in dialogue.turns[: place + 1]]
    return dialogue.origin.get("fit") == "multi" and actions[-3:-1] == ["call", "request"]


def _last_value(dialogue: Dialogue, place: int) -> JsonValue:
    return next((result.value for at, _, result in reversed(list(_calls(dialogue))) if at < place), None)


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaves(member)
    elif value is not None and value != "":
        yield value


# ---- changes


def _with(dialogue: Dialogue, place: int, turn: Turn) -> Dialogue:
    return _spliced(dialogue, place, place + 1, (turn,))


def _spliced(dialogue: Dialogue, start: int, end: int, turns: Sequence[Turn]) -> Dialogue:
    return dialogue.replace(turns=(*dialogue.turns[:start], *turns, *dialogue.turns[end:]))


def _stated(dialogue: Dialogue, place: int, state: State) -> Dialogue:
    return _with(dialogue, place, cast("AgentTurn", dialogue.turns[place]).replace(state=state))


def _slot(dialogue: Dialogue, place: int, name: str, value: JsonValue) -> Dialogue:
    state = _state(dialogue, place)
    slots = {"required": state.required} if name in state.required else {"optional": state.optional}
    return _stated(dialogue, place, state.replace(**{kind: {**held, name: value} for kind, held in slots.items()}))


def _argument(dialogue: Dialogue, place: int, name: str, random: Random) -> Dialogue:
    turn = cast("AgentTurn", dialogue.turns[place])
    call = cast("Call", turn.acts[0])
    given = call.arguments or {}
    arguments = {**given, name: changed(given[name], random, _word)}
    return _with(dialogue, place, turn.replace(acts=(call.replace(arguments=arguments),)))


def _searched(dialogue: Dialogue, place: int, found: Mapping[str, float]) -> Dialogue:
    turn = cast("AgentTurn", dialogue.turns[place])
    return _with(dialogue, place, turn.replace(results=(Result(value={"retrieved": cast("Any", dict(found))}),)))


def _reply(dialogue: Dialogue, random: Random, action: str, reword: Callable[[str], str]) -> Dialogue | None:
    chosen = _one(_agent(dialogue, action), random)
    return chosen and _with(dialogue, chosen[0], chosen[1].replace(text=reword(chosen[1].text or "")))


def _reworded_value(dialogue: Dialogue, random: Random, reword: Callable[[str, Random], str]) -> Dialogue | None:
    """Another wording of a value that the user says, wherever the text has it."""
    said = [
        (place, str(value))
        for place, _, value in _told(dialogue)
        if str(value) and str(value) in (dialogue.turns[place].text or "") and not isinstance(value, bool)
    ]
    chosen = _one(said, random)
    if chosen is None:
        return None
    place, value = chosen
    turn = dialogue.turns[place]
    return _with(dialogue, place, turn.replace(text=(turn.text or "").replace(value, reword(value, random))))


def _word(text: str) -> str:
    return "Quisling" if text[:1].isupper() else "quibble"


def _another(text: str, random: Random) -> str:
    return other_text(text, random, _word)
