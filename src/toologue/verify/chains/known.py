"""What is known at each turn: a dialogue state tracker that reads labels of what was told, and results.

Contract, the rules of states (ToolDial 3.3): the target is in hand from the first request or call on; once the user
does not know the chained parameter and the retriever has named its source, the source is; after the source's call, the
target again. What was told stays told, under the API that was in hand, beside what its documentation settles. The
chained value is known once the source's result has but one value for it, or the user has chosen a row.

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> turns = (
    ...     UserTurn(action="inform_intent_clear"), AgentTurn(action="retriever_call"), AgentTurn(action="request"),
    ...     UserTurn(action="inform", informed={"town": "Hull"}), AgentTurn(action="call"),
    ... )
    >>> trains = Dialogue(id="d", turns=turns, origin={"target": "Trains"})
    >>> [(stand.api, dict(stand.values)) for stand in follow(trains, chain_of(trains), {})][2:]
    [('Trains', {}), ('Trains', {}), ('Trains', {'town': 'Hull'})]

Not covered: users who take back what they told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from pydantic import JsonValue

from toologue.schema import AgentTurn, Api, Dialogue, UserTurn
from toologue.verify.chains.rows import chosen, distinct
from toologue.worlds.documented.default_arguments import settled


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


class Stand(NamedTuple):
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
    plain = (value if isinstance(value := said.get(name), str) else "" for name in Chain._fields[:-1])
    more = cast("dict[str, JsonValue]", along) if isinstance(along := said.get("along"), dict) else {}
    return Chain(*plain, along={name: str(output) for name, output in more.items()})


def follow(dialogue: Dialogue, chain: Chain, apis: Mapping[str, Api]) -> list[Stand]:
    """Where each turn stands."""
    tracker = _Tracker(chain, apis)
    return [tracker.hear(turn) if turn.role == "user" else tracker.act(turn) for turn in dialogue.turns]


class _Tracker:
    def __init__(self, chain: Chain, apis: Mapping[str, Api]):
        self.chain, self.apis = chain, apis
        self.hand = ""
        ends = {name: apis.get(name) for name in (chain.target, chain.source)}
        self.told: dict[str, dict[str, JsonValue]] = {
            name: {**settled(api)} if api else {} for name, api in ends.items()
        }
        self.found: JsonValue = None
        self.chained: dict[str, JsonValue] = {}

    def hear(self, turn: UserTurn) -> Stand:
        """Take in what the user tells."""
        api = self.hand or self.chain.target
        known, stand = self.told[api], self._stand()
        picks = {name: value for name, value in turn.informed.items() if stand.choosing and self._is_pick(name)}
        known.update((name, value) for name, value in turn.informed.items() if name not in picks)
        if picks:
            rows = {self.chain.handed.get(name, name): one for name, one in picks.items()}
            self._settle(chosen(self.found, self.chain.output, rows))
        return stand._replace(picks=picks)

    def act(self, turn: AgentTurn) -> Stand:
        """Where the agent stands; then take in what it does."""
        act = turn.acts[0] if turn.acts else None
        if turn.action in ("request", "call", "response"):
            self.hand = self.hand or self.chain.target
        stand = self._stand()
        if turn.action == "retriever_call":
            sourced = act is not None and act.kind == "retrieve" and act.missing is not None
            self.hand = self.chain.source if sourced else ""
        elif turn.action == "call" and self.hand == self.chain.source != "":
            result = turn.results[0] if turn.results else None
            self.hand, self.found = self.chain.target, result.value if result else None
            self._settle(distinct(self.found, self.chain.output))
        return stand

    def _settle(self, values: list[JsonValue]) -> None:
        """Take over the one value that there is, and what its row says beside."""
        self.chained = {self.chain.parameter: values[0]} if len(values) == 1 else {}
        row = {self.chain.output: values[0]} if self.chained else {}
        for name, output in self.chain.along.items() if row else ():
            self.chained.update((name, value) for value in chosen(self.found, output, row)[:1])

    def _is_pick(self, name: str) -> bool:
        api = self.apis.get(self.chain.target)
        slots = api.parameters if api else {}
        return name in self.chain.handed or name not in slots or name in self.told[self.chain.target]

    def _stand(self) -> Stand:
        api = self.apis.get(self.hand)
        values = dict(self.told.get(self.hand, {}))
        if self.hand == self.chain.target:
            values |= self.chained
        lacking = tuple(name for name in api.required if name not in values) if api else ()
        choosing = self.found is not None and not self.chained and self.hand == self.chain.target
        return Stand(self.hand, values, lacking, choosing, {}, self.found)
