"""Dialogue states and calls hold what is known: no more, no less, under the right API (ToolDial 3.3).

The target is in hand from the first request or call on; once the user does not know the chained parameter and the
retriever has named its source, the source is; after the source's call, the target again. The chained value is known
once the source's result has but one value for it, or the user has chosen a row. A state is empty where nothing is
settled; as the agent looks for a source, and says goodbye, the published data leave the target, so that both will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import eq
from typing import NamedTuple

from pydantic import JsonValue

from toologue.errors import shown
from toologue.schema import AgentTurn, Api, Call, Dialogue, State, UserTurn
from toologue.values.compare import same
from toologue.values.json_schema import object_of
from toologue.verify import Flaw
from toologue.worlds.documented.arguments import settled


class _Leaf(NamedTuple):
    """One value of an output, and its place in each list on the way."""

    places: tuple[int, ...]
    value: str | float


def distinct_values(result: JsonValue, output: str) -> list[JsonValue]:
    """The values of an output, each once."""
    return _each_once(leaf.value for leaf in _column(result, output))


def values_in_rows(result: JsonValue, output: str, picks: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The values of an output, each once, in the rows that hold all picks (output → value)."""
    left = _column(result, output)
    for name, value in picks.items():
        rows = [leaf.places for leaf in _column(result, name) if alike(leaf.value, value)]
        left = [leaf for leaf in left if any(all(map(eq, row, leaf.places)) for row in rows)]
    return _each_once(leaf.value for leaf in left)


def alike(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same, even if one is written as a text: an output 5 feeds a parameter "5"."""
    if same(one, other):
        return True
    scalars = not isinstance(one, bool | dict | list) and not isinstance(other, bool | dict | list)
    return scalars and str(one).casefold() == str(other).casefold()


def _column(result: JsonValue, output: str) -> list[_Leaf]:
    """The values of an output. Some names of outputs have empty parts; keys may be empty, or have a `|` themselves."""
    return list(_below(result, "|".join(filter(None, output.split("|"))), ()))


def _below(value: JsonValue, name: str, places: tuple[int, ...]) -> Iterator[_Leaf]:
    if isinstance(value, list):
        for place, member in enumerate(value):
            yield from _below(member, name, (*places, place))
    elif isinstance(value, dict):
        for key, member in value.items():
            if not key or key == name:
                yield from _below(member, name.removeprefix(key), places)
            elif name.startswith(key) and name[len(key)] == "|":
                yield from _below(member, name[len(key) + 1 :], places)
    elif not name and value is not None and value != "":
        yield _Leaf(places, value)


def _each_once(values: Iterator[str | float]) -> list[JsonValue]:
    return list({(type(value), value): value for value in values}.values())


class Chain(NamedTuple):
    """What a dialogue is about: the target, its chained parameter, and the output of the source that is its value.

    `along` are further parameters of the target, each with the output that has its value in the same row.
    """

    target: str = ""
    source: str = ""
    output: str = ""
    parameter: str = ""
    fail: str = ""
    along: Mapping[str, str] = {}

    @property
    def handed(self) -> dict[str, str]:
        """Every parameter that the source fills, with the output that does."""
        return {self.parameter: self.output, **self.along}


class Context(NamedTuple):
    """What is known before a turn: the API in hand, its values, what it lacks.

    `choosing`: the source's result has several values for the chained parameter, and none is chosen yet. `picks` is
    what a user's turn says of the row that is meant. `found` is what the source returned.
    """

    api: str = ""
    values: Mapping[str, JsonValue] = {}
    lacking: tuple[str, ...] = ()
    choosing: bool = False
    picks: Mapping[str, JsonValue] = {}
    found: JsonValue = None


def chain_of(dialogue: Dialogue) -> Chain:
    """What the origin of a dialogue says that it is about."""
    said = dialogue.origin
    names = (value if isinstance(value := said.get(name), str) else "" for name in Chain._fields[:-1])
    return Chain(*names, along={name: str(output) for name, output in object_of(said.get("along")).items()})


def names_told(turn: UserTurn, chain: Chain, apis: Mapping[str, Api]) -> set[str]:
    """What users who lack a value say at once of the thing that is meant: parameters of the source alone."""
    target, source = apis.get(chain.target), apis.get(chain.source)
    if turn.action != "fail_inform" or target is None or source is None:
        return set()
    return {name for name in turn.informed if name in source.parameters and name not in target.parameters}


def track(dialogue: Dialogue, chain: Chain, apis: Mapping[str, Api]) -> list[Context]:
    """Where each turn stands."""
    tracker = _Tracker(chain, apis)
    return [tracker.hear(turn) if turn.role == "user" else tracker.act(turn) for turn in dialogue.turns]


class _Tracker:
    def __init__(self, chain: Chain, apis: Mapping[str, Api]):
        self.chain, self.apis = chain, apis
        self.hand = ""
        ends = ((name, apis.get(name)) for name in (chain.target, chain.source))
        self.told: dict[str, dict[str, JsonValue]] = {name: {**settled(api)} if api else {} for name, api in ends}
        self.found: JsonValue = None
        self.chained: dict[str, JsonValue] = {}

    def hear(self, turn: UserTurn) -> Context:
        """Take in what the user tells."""
        api = self.hand or self.chain.target
        context = self._context()
        picks = {name: value for name, value in turn.informed.items() if context.choosing and self._is_pick(name)}
        names = names_told(turn, self.chain, self.apis)
        for name, value in turn.informed.items():
            if name not in picks:
                self.told[self.chain.source if name in names else api][name] = value
        if picks:
            rows = {self.chain.handed.get(name, name): one for name, one in picks.items()}
            self._settle(values_in_rows(self.found, self.chain.output, rows))
        return context._replace(picks=picks)

    def act(self, turn: AgentTurn) -> Context:
        """Where the agent stands; then take in what it does."""
        act = turn.acts[0] if turn.acts else None
        if turn.action in ("request", "call", "response"):
            self.hand = self.hand or self.chain.target
        context = self._context()
        if turn.action == "retriever_call":
            sourced = act is not None and act.kind == "retrieve" and act.missing is not None
            self.hand = self.chain.source if sourced else ""
        elif turn.action == "call" and self.hand == self.chain.source != "":
            result = turn.results[0] if turn.results else None
            self.hand, self.found = self.chain.target, result.value if result else None
            self._settle(distinct_values(self.found, self.chain.output))
        return context

    def _settle(self, values: list[JsonValue]) -> None:
        """Take over the one value that there is, and what its row says beside."""
        self.chained = {self.chain.parameter: values[0]} if len(values) == 1 else {}
        row = {self.chain.output: values[0]} if self.chained else {}
        for name, output in self.chain.along.items() if row else ():
            self.chained.update((name, value) for value in values_in_rows(self.found, output, row)[:1])

    def _is_pick(self, name: str) -> bool:
        api = self.apis.get(self.chain.target)
        slots = api.parameters if api else {}
        return name in self.chain.handed or name not in slots or name in self.told[self.chain.target]

    def _context(self) -> Context:
        api = self.apis.get(self.hand)
        values = dict(self.told.get(self.hand, {}))
        if self.hand == self.chain.target:
            values |= self.chained
        lacking = tuple(name for name in api.required if name not in values) if api else ()
        choosing = self.found is not None and not self.chained and self.hand == self.chain.target
        return Context(self.hand, values, lacking, choosing, {}, self.found)


_SETTLED = ("request", "call", "response")
_UNSETTLED = ("clarify", "suggest", "response_fail")


def wrong_states(
    dialogue: Dialogue, chain: Chain, contexts: Sequence[Context], apis: Mapping[str, Api]
) -> Iterator[Flaw]:
    """Every state and every call that does not follow from the turns before it."""
    for place, (turn, context) in enumerate(zip(dialogue.turns, contexts, strict=True)):
        if turn.role == "user":
            wrong = _wrong_informs(turn, context, chain, apis)
        else:
            wrong = list(_wrong_state(turn, context, apis))
            for act in turn.acts:
                if act.kind == "call" and act.arguments is not None:
                    wrong += _wrong_call(act, context)
        yield from (Flaw("arguments", place, what) for what in wrong)


def _wrong_state(turn: AgentTurn, context: Context, apis: Mapping[str, Api]) -> Iterator[str]:
    state, hand = turn.state, "" if turn.action in _UNSETTLED else context.api
    if state is None or (state == State() and (not hand or turn.action not in _SETTLED)):
        return
    if state.api != hand:
        settled = f"it is {shown(hand)}" if hand else "nothing is settled yet"
        yield f"the state has {shown(state.api)} in hand; {settled}"
        return
    api = apis.get(hand)
    if api is None:
        return
    if list(state.required) != list(api.required):
        yield f"the state's required parameters are {list(state.required)}, and {api.name}'s {list(api.required)}"
    taken = {name for name, parameter in api.parameters.items() if not parameter.required}
    yield from (f"{name} is no optional parameter of {api.name}" for name in state.optional if name not in taken)
    yield from _wrong_values("the state has", {**state.required, **state.optional}, context)


def _wrong_call(call: Call, context: Context) -> Iterator[str]:
    if call.api != context.api:
        yield f"{call.api} is called; in hand is {context.api}"
        return
    given = call.arguments or {}
    yield from _wrong_values(f"{call.api} is called with", given, context)
    if missing := [name for name in context.lacking if name not in given]:
        yield f"{call.api} is called without {', '.join(missing)}"
    if context.choosing:
        yield f"{call.api} is called before one of several results is chosen"


def _wrong_informs(turn: UserTurn, context: Context, chain: Chain, apis: Mapping[str, Api]) -> Iterator[str]:
    """What users tell that the API in hand does not take, or that they do not know."""
    api, names = apis.get(context.api or chain.target), names_told(turn, chain, apis)
    for name in turn.informed:
        if api and name not in api.parameters and name not in context.picks and name not in names:
            yield f"the user informs of {name}, and {api.name} takes none"
    if turn.action == "fail_inform":
        rest = [name for name in context.lacking if name not in chain.handed]
        for name in (one for one in chain.handed if one in turn.informed):
            yield f"the user does not know {name}, and gives it"
        if chain.fail == "nothing" and (others := [name for name in turn.informed if name not in names]):
            yield f"the user knows nothing else, and gives {', '.join(others)}"
        if chain.fail == "rest" and any(name not in turn.informed for name in rest):
            yield f"the user gives the rest, and that is {', '.join(rest)}"


def _wrong_values(who: str, held: Mapping[str, JsonValue], context: Context) -> Iterator[str]:
    for name in dict.fromkeys((*held, *context.values)):
        said, known = held.get(name, ""), context.values.get(name, "")
        if not alike(said, known):
            told = ["nothing" if value == "" else shown(value) for value in (said, known)]
            yield f"{who} {told[0]} for {name}; known is {told[1]}"
