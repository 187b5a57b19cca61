"""The words of a conversation: users say what they inform of, agents say what is so and ask for what is lacking.

    carried     a user's words say every value of `informed`, and claim nothing beside that nobody said before (a wish
                may take words from the documents of its APIs); a request has a word for each parameter that is
                lacking, or says several of the values to choose from, and the one that is chosen then
    supported   what an agent's words claim (numbers, names, ids, dates) the user said, or a result holds; a response
                says a value of the last result
    wording     no agent says a name that only documents have (`Sports|nba_live|getGames`, `team_id`), nor do braces
                stay in anybody's words

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> turns = (
    ...     UserTurn(text="I live in Hull", informed={"town": "York"}),
    ...     AgentTurn(text="To call get_trains I need 2 things", action="request"),
    ... )
    >>> trains = Dialogue(id="d", turns=turns)
    >>> for flaw in wrong_words(trains, Chain("get_trains"), [Stand(), Stand("get_trains")], {}):
    ...     print(flaw)
    turn 0: carried: the user's words do not say town, 'York'
    turn 0: carried: the user says 'Hull', and informs of no such value
    turn 1: supported: nothing so far says '2'
    turn 1: wording: 'get_trains' is a name in documents

Not covered: values in small letters without digits that an agent makes up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from toologue.errors import shown
from toologue.schema import AgentTurn, Api, Dialogue, UserTurn
from toologue.verify.chains.ground import Ground, labels, unsupported
from toologue.verify.chains.known import Chain, Stand
from toologue.verify.chains.rows import alike, distinct
from toologue.verify.chains.telling import asks_for, stands_in, tells
from toologue.verify.flaw import Flaw

_BRACES = re.compile(r"\{[\w .]*\}")
_TECHNICAL = re.compile(r"[_|{}]|[a-z][A-Z]|\w\.\w")


def wrong_words(dialogue: Dialogue, chain: Chain, stands: Sequence[Stand], apis: Mapping[str, Api]) -> Iterator[Flaw]:
    """Every flaw of what is said."""
    reader, turns = _Reader(chain, apis), dialogue.turns
    for place, (turn, stand) in enumerate(zip(turns, stands, strict=True)):
        if turn.role == "user":
            yield from (Flaw("carried", place, what) for what in reader.hear(turn, stand))
        elif turn.text is None:
            reader.learn(turn)
        else:
            if turn.action == "request" and place + 1 < len(turns):
                after = turns[place + 1]
                informed = after.informed if after.role == "user" else {}
                yield from (
                    Flaw("carried", place, what)
                    for what in reader.ask(turn.text, stand, informed, stands[place + 1].picks)
                )
            yield from (Flaw("supported", place, what) for what in reader.weigh(turn, turn.text))
            yield from (Flaw("wording", place, what) for what in reader.technical(turn.text))
        for left in _BRACES.findall(turn.text or ""):
            yield Flaw("wording", place, f"{left} is left in the words")


class _Reader:
    """Reads turn by turn. `said` is what users said, `results` what calls returned, `heard` what agents said."""

    def __init__(self, chain: Chain, apis: Mapping[str, Api]):
        self.chain, self.apis = chain, apis
        self.pair = [apis[name] for name in (chain.target, chain.source) if name in apis]
        names = [chain.target, chain.source, *(name for api in self.pair for name in api.parameters)]
        parts = (part for name in names for part in (name, *name.split("|")))
        self.names = [part for part in dict.fromkeys(parts) if _TECHNICAL.search(part)]
        self.said: list[Ground] = []
        self.heard: list[Ground] = []
        self.results: list[Ground] = []

    def labels(self) -> list[str]:
        """The words of documents, squashed."""
        return [labels(api) for api in self.pair]

    def hear(self, turn: UserTurn, stand: Stand) -> Iterator[str]:
        """What is wrong with a user's words."""
        api = self.apis.get(stand.api or self.chain.target)
        slots = api.parameters if api else {}
        for name, value in turn.informed.items():
            if not tells(turn.text, value, slots.get(name), name):
                yield f"the user's words do not say {name}, {shown(value)}"
        known = [Ground(dict(turn.informed)), *self.heard, *self.said]
        for claim in unsupported(turn.text, known, self.labels):
            yield f"the user says {claim!r}, and informs of no such value"
        self.said.append(Ground(turn.text, dict(turn.informed)))

    def learn(self, turn: AgentTurn) -> None:
        """Take in what a call returned."""
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call" and result is not None:
                self.results.append(Ground(result.value))

    def ask(
        self, text: str, stand: Stand, informed: Mapping[str, JsonValue], picks: Mapping[str, JsonValue]
    ) -> Iterator[str]:
        """What is wrong with a request, which a user answers with what `informed` and `picks` say."""
        api = self.apis.get(stand.api)
        slots = api.parameters if api else {}
        wanted = dict.fromkeys((*stand.lacking, *(name for name in informed if name not in picks)))
        if stand.choosing:
            wanted = {name: None for name in wanted if name not in self.chain.handed}
            yield from self._wrong_offer(text, stand, picks)
        elif not wanted:
            yield "the agent asks, and nothing is lacking"
        for name in wanted:
            if not asks_for(text, name, slots.get(name)):
                yield f"the agent does not ask for {name}"

    def _wrong_offer(self, text: str, stand: Stand, picks: Mapping[str, JsonValue]) -> Iterator[str]:
        for name, pick in picks.items():
            values = distinct(stand.found, self.chain.handed.get(name, name))
            offered = [value for value in values if tells(text, value)]
            if len(offered) < 2:
                yield f"the agent offers {len(offered)} of the {len(values)} values of {name} to choose from"
            elif not any(alike(value, pick) for value in offered):
                yield f"the user chooses {shown(pick)}, and that is not offered"
        if not picks:
            yield "there are several results, and the user chooses none"

    def weigh(self, turn: AgentTurn, text: str) -> Iterator[str]:
        """What an agent says that nothing supports."""
        for claim in unsupported(text, [*self.said, *self.results], self.labels):
            yield f"nothing so far says {claim!r}"
        self.heard.append(Ground(text))
        if turn.action == "response" and self.results:
            values = self.results[-1].leaves
            verbatim = any(stands_in(text, str(value)) for value in values)
            if values and not verbatim and not any(tells(text, value) for value in values):
                yield "the response says nothing of what the call returned"

    def technical(self, text: str) -> Iterator[str]:
        """Names that only documents have."""
        for name in self.names:
            if stands_in(text, name) and not any(stands_in(ground.letters, name.casefold()) for ground in self.results):
                yield f"{name!r} is a name in documents"
