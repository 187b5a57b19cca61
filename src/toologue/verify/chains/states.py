"""Dialogue states and calls hold what is known: no more, no less, under the right API.

Contract: a state is empty (`State()`) where nothing is settled: as the agent looks for an API, asks what is meant,
proposes, gives up. Else it has every required parameter ("" while it is unknown), and the optional ones that were told.
As the agent looks for a source, and says goodbye, the target is still in hand; the published data leave it, so that
both will do. A call is made with just what is known.

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, Parameter, State, UserTurn
    >>> ask = AgentTurn(action="request", state=State(api="Trains", required={"town": "York"}))
    >>> trains = Dialogue(id="d", turns=(UserTurn(), ask))
    >>> documents = {"Trains": Api(name="Trains", parameters={"town": Parameter()})}
    >>> for flaw in wrong_states(trains, Chain("Trains"), [Stand(), Stand("Trains", {"town": "Hull"})], documents):
    ...     print(flaw)
    turn 1: arguments: the state has 'York' for town; known is 'Hull'

Not covered: the states of the published data, which forget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from toologue.errors import shown
from toologue.schema import AgentTurn, Api, Call, Dialogue, State, UserTurn
from toologue.verify.chains.known import Chain, Stand
from toologue.verify.chains.rows import alike
from toologue.verify.flaw import Flaw

_SETTLED = ("request", "call", "response")
_UNSETTLED = ("clarify", "suggest", "response_fail")


def wrong_states(dialogue: Dialogue, chain: Chain, stands: Sequence[Stand], apis: Mapping[str, Api]) -> Iterator[Flaw]:
    """Every state and every call that does not follow from the turns before it."""
    for place, (turn, stand) in enumerate(zip(dialogue.turns, stands, strict=True)):
        if turn.role == "user":
            wrong = _wrongly_told(turn, stand, chain, apis)
        else:
            wrong = list(_wrong_state(turn, stand, apis))
            for act in turn.acts:
                if act.kind == "call" and act.arguments is not None:
                    wrong += _wrong_call(act, stand)
        yield from (Flaw("arguments", place, what) for what in wrong)


def _wrong_state(turn: AgentTurn, stand: Stand, apis: Mapping[str, Api]) -> Iterator[str]:
    """What a state has against where the agent stands."""
    state, hand = turn.state, "" if turn.action in _UNSETTLED else stand.api
    if state is None or (state == State() and (not hand or turn.action not in _SETTLED)):
        return
    if state.api != hand:
        settled = f"it is {shown(hand)}" if hand else "nothing is settled yet"
        yield f"the state has {shown(state.api)} in hand; {settled}"
        return
    api = apis.get(hand)
    if api is None:
        return
    slots = {**state.required, **state.optional}
    if list(state.required) != list(api.required):
        yield f"the state's required parameters are {list(state.required)}, and {api.name}'s {list(api.required)}"
    yield from (f"{name} is no optional parameter of {api.name}" for name in state.optional if _not_optional(name, api))
    for name in dict.fromkeys((*slots, *stand.values)):
        held, known = slots.get(name, ""), stand.values.get(name, "")
        if not alike(held, known):
            yield f"the state has {_said(held)} for {name}; known is {_said(known)}"


def _not_optional(name: str, api: Api) -> bool:
    return name not in api.parameters or api.parameters[name].required


def _wrong_call(call: Call, stand: Stand) -> Iterator[str]:
    if call.api != stand.api:
        yield f"{call.api} is called; in hand is {stand.api}"
        return
    given = call.arguments or {}
    for name in dict.fromkeys((*given, *stand.values)):
        held, known = given.get(name, ""), stand.values.get(name, "")
        if not alike(held, known):
            yield f"{call.api} is called with {_said(held)} for {name}; known is {_said(known)}"
    if missing := [name for name in stand.lacking if name not in given]:
        yield f"{call.api} is called without {', '.join(missing)}"
    if stand.choosing:
        yield f"{call.api} is called before one of several results is chosen"


def _wrongly_told(turn: UserTurn, stand: Stand, chain: Chain, apis: Mapping[str, Api]) -> Iterator[str]:
    """What users tell that the API in hand does not take, or that they do not know."""
    api = apis.get(stand.api or chain.target)
    for name in turn.informed:
        if api and name not in api.parameters and name not in stand.picks:
            yield f"the user informs of {name}, and {api.name} takes none"
    if turn.action == "fail_inform":
        rest = [name for name in stand.lacking if name not in chain.handed]
        for name in (one for one in chain.handed if one in turn.informed):
            yield f"the user does not know {name}, and gives it"
        if chain.fail == "nothing" and turn.informed:
            yield f"the user knows nothing else, and gives {', '.join(turn.informed)}"
        if chain.fail == "rest" and any(name not in turn.informed for name in rest):
            yield f"the user gives the rest, and that is {', '.join(rest)}"


def _said(value: JsonValue) -> str:
    return "nothing" if value == "" else shown(value)
