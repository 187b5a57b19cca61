"""Labelled dialogues, written by hand: three one-API requests and one chain, told along any of the action sequences."""

from __future__ import annotations

from typing import Any

from toologue.schema import AgentTurn, Api, Call, Dialogue, Parameter, Result, Retrieve, State, Trace, Turn, UserTurn

__all__ = ["APIS", "SEQUENCES", "dialogue", "lived", "predicted", "suite"]

STANDINGS = Api(
    name="Sports|leagues|Standings of a tournament ",  # a trailing space, as published names have
    description="The table of a tournament in a season.",
    domain="Sports",
    parameters={
        "tournamentId": Parameter(schema={"type": "integer", "description": "the tournament's id"}),
        "season": Parameter(schema={"type": "string", "description": "which season, such as 2023/24"}),
        "detail": Parameter(schema={"type": "string", "description": "short or full"}, required=False),
    },
)
TOURNAMENTS = Api(
    name="Sports|leagues|Tournaments of a category",
    description="All tournaments of a category of sports.",
    domain="Sports",
    parameters={"category": Parameter(schema={"type": "string", "description": "the category of sports"})},
    returns={
        "type": "object",
        "properties": {"data": {"type": "array", "items": {"properties": {"id": {"type": "integer"}}}}},
    },
)
EVERYTHING = TOURNAMENTS.replace(name="Sports|leagues|All tournaments", parameters={})
FORECAST = Api(
    name="Weather|daily|Forecast",
    description="The weather of a day in a town.",
    domain="Weather",
    parameters={
        "town": Parameter(schema={"type": "string", "description": "the town"}),
        "offset": Parameter(schema={"type": "number", "description": "hours from UTC"}, required=False),
    },
)
DEFINE = Api(
    name="Words|dictionary|Define",
    description="What a word means.",
    domain="Words",
    parameters={"word": Parameter(schema={"type": "string", "description": "the word"})},
)
APIS = {api.name: api for api in (STANDINGS, TOURNAMENTS, EVERYTHING, FORECAST, DEFINE)}

FAIL = "IV R SG NG RF"
ONE = (
    "IC R RQ I C RS UB SB",
    "IA R RQ I C RS UB SB",
    "IV R CL IC R RQ I C RS UB SB",
    "IV R SG AF RQ I C RS UB SB",
    "IV R CL IA R RQ I C RS UB SB",
    "IA R C RS UB SB",
    "IV R CL IA R C RS UB SB",
)
_HEADS = ("IC R", "IV R CL IC R", "IV R SG AF")
_TAILS = ("RQ FI R RQ I C C", "RQ FI R RQ I C RQ I C", "RQ FI R C RQ I C", "RQ FI R C C")
TWO = tuple(f"{head} {tail} RS UB SB" for head in _HEADS for tail in _TAILS)
SEQUENCES = (*ONE, FAIL, *TWO)
"""7 with one API, the failure, 12 with two; told with a list of results, most of the latter have a twin."""

_ACTIONS: dict[str, Any] = {
    "IC": "inform_intent_clear",
    "IA": "inform_intent_clear_add",
    "IV": "inform_intent_vague",
    "I": "inform",
    "FI": "fail_inform",
    "AF": "affirm",
    "NG": "negate",
    "UB": "user_bye",
    "R": "retriever_call",
    "RQ": "request",
    "CL": "clarify",
    "SG": "suggest",
    "C": "call",
    "RS": "response",
    "RF": "response_fail",
    "SB": "system_bye",
}
_OPENING = {
    "chain": "I'd like to see the table of my favourite tournament, please.",
    "town": "What will the weather be like where I am going?",
    "word": "Can you look a word up for me?",
}
_ADDING = {"town": "What will the weather be like in Åre tomorrow?", "word": "What does the word petrichor mean?"}
_VAGUE = {"chain": "Something about sports.", "town": "I'm packing my bag.", "word": "I'm stuck with my reading."}
_REPLY = {
    "chain": "Hammarby lead the table with 48.5 points after 22 rounds.",
    "town": "Åre will see 11 mm of rain, with gusts of 17.5 km/h.",
    "word": "Petrichor is the smell of rain on dry ground.",
}
_RESULT: dict[str, Any] = {
    "chain": {"leader": "Hammarby", "points": 48.5, "rounds": 22},
    "town": {"rain": "11 mm", "gusts": "17.5 km/h"},
    "word": [{"word": "petrichor", "meaning": "the smell of rain on dry ground"}],
}
_ROWS = [{"id": 4471, "name": "Damallsvenskan"}, {"id": 4472, "name": "Elitettan"}]


class _Teller:
    """Tells one dialogue, turn by turn."""

    def __init__(self, story: str, tokens: list[str], *, many: bool):
        self.story, self.tokens, self.many = story, tokens, many
        self.target = {"chain": STANDINGS, "town": FORECAST, "word": DEFINE}[story]
        self.source = EVERYTHING if "FI R C" in " ".join(tokens) else TOURNAMENTS
        self.stage = self.target
        self.known: dict[str, dict[str, Any]] = {self.target.name: {}, self.source.name: {}}
        self.turns: list[Turn] = []
        self.asked: list[str] = []
        self.settled = False

    def tell(self) -> tuple[Turn, ...]:
        for at, token in enumerate(self.tokens):
            getattr(self, f"_{_ACTIONS[token]}")(token, self.tokens[at + 1 :])
        return tuple(self.turns)

    def state(self) -> State:
        if not self.settled:
            return State()
        known, api = self.known[self.stage.name], self.stage
        slots = {name: known.get(name, "") for name in api.parameters}
        required = {name: slots[name] for name in api.required}
        return State(api=api.name, required=required, optional={n: v for n, v in slots.items() if n not in required})

    def user(self, token: str, text: str, **informed: Any) -> None:
        self.known[self.stage.name] |= informed
        self.turns.append(UserTurn(text=text, action=_ACTIONS[token], informed=informed))

    def agent(self, token: str, state: State, text: str | None = None, act: Any = None, value: Any = None) -> None:
        acts, results = ((act,), (Result(value=value),)) if act is not None else ((), ())
        thought = f"It is time for {_ACTIONS[token].replace('_', ' ')}."
        action = _ACTIONS[token]
        self.turns.append(AgentTurn(text=text, acts=acts, results=results, action=action, state=state, thought=thought))

    def _inform_intent_clear(self, token: str, rest: list[str]) -> None:
        self.user(token, _OPENING[self.story])

    def _inform_intent_clear_add(self, token: str, rest: list[str]) -> None:
        name = "town" if self.story == "town" else "word"
        self.user(token, _ADDING[self.story], **{name: {"town": "Åre", "word": "petrichor"}[name]})

    def _inform_intent_vague(self, token: str, rest: list[str]) -> None:
        self.user(token, _VAGUE[self.story])

    def _inform(self, token: str, rest: list[str]) -> None:
        given = {name: value for name, value in self._values().items() if name in self.asked}
        if self.many and "tournamentId" in given:
            self.user(token, "Damallsvenskan, please.", **given)
        else:
            self.user(token, "Sure: " + ", ".join(f"{name} is {value}" for name, value in given.items()) + ".", **given)

    def _fail_inform(self, token: str, rest: list[str]) -> None:
        later = rest[rest.index("C") :] if "C" in rest else rest
        if "RQ" in later and not self.many:
            self.user(token, "I have no idea what its id is.")
        else:
            self.user(
                token, "The season is 2023/24, detail full. Its id I don't know.", season="2023/24", detail="full"
            )

    def _affirm(self, token: str, rest: list[str]) -> None:
        self.settled = True
        self.user(token, "Yes, that would help.")

    def _negate(self, token: str, rest: list[str]) -> None:
        self.user(token, "No, that's not it.")

    def _user_bye(self, token: str, rest: list[str]) -> None:
        self.user(token, "Thank you, that was all.")

    def _retriever_call(self, token: str, rest: list[str]) -> None:
        last = self.turns[-1]
        assert isinstance(last, UserTurn)
        if last.action == "fail_inform":
            names = {"target": self.target.name, "parameter": "tournamentId", "source": self.source.name}
            act = Retrieve(missing=(self.target.name, "tournamentId"))
            self.agent(token, State(), act=act, value={**names, "output": "data|id"})
            self.stage, self.settled = self.source, True
            return
        score = {"CL": 0.41, "SG": 0.55}.get(rest[0], 0.72)
        found = {self.target.name: score, **{n: 0.31 for n in APIS if n != self.target.name}}
        self.agent(token, State(), act=Retrieve(query=last.text), value={"retrieved": found})
        self.settled = score > 0.6

    def _clarify(self, token: str, rest: list[str]) -> None:
        self.agent(token, State(), "Could you tell me more about what you need?")

    def _suggest(self, token: str, rest: list[str]) -> None:
        self.agent(token, State(), f"Shall I do this for you: {self.target.description}")

    def _request(self, token: str, rest: list[str]) -> None:
        known = self.known[self.stage.name]
        self.asked = [name for name in self.stage.parameters if name not in known]
        if "FI" not in rest and self.stage is self.target and self.many:
            names = " or ".join(row["name"] for row in _ROWS)
            self.asked = ["tournamentId"]
            self.agent(token, self.state(), f"Which one do you mean, {names}?")
        else:
            self.agent(token, self.state(), f"Please tell me: {', '.join(self.asked)}.")

    def _call(self, token: str, rest: list[str]) -> None:
        state = self.state()
        filled = {n: v for n, v in {**state.required, **state.optional}.items() if v != ""}
        source = self.stage is self.source
        value = {"data": _ROWS if self.many else _ROWS[:1]} if source else _RESULT[self.story]
        self.agent(token, state, act=Call(api=self.stage.name, arguments=filled), value=value)
        if source:
            self.stage = self.target
            if not self.many:
                self.known[self.target.name]["tournamentId"] = 4471

    def _response(self, token: str, rest: list[str]) -> None:
        self.agent(token, self.state(), _REPLY[self.story])

    def _response_fail(self, token: str, rest: list[str]) -> None:
        self.agent(token, State(), "I'm sorry, then there is nothing that I can do.")

    def _system_bye(self, token: str, rest: list[str]) -> None:
        self.agent(token, State(), "You're welcome. Have a good day!")

    def _values(self) -> dict[str, Any]:
        return {
            "tournamentId": 4471,
            "season": "2023/24",
            "detail": "full",
            "category": "women's football",
            "town": "Åre",
            "offset": -1.5,
            "word": "petrichor",
        }


def dialogue(sequence: str, *, many: bool = False, id: str = "") -> Dialogue:
    """A dialogue along an action sequence; `many`: the chain's source returns several values."""
    tokens = sequence.split()
    chain = "FI" in tokens
    story = "chain" if chain else "word" if "IA" in tokens and "RQ" not in tokens else "town"
    turns = _Teller(story, tokens, many=many).tell()
    target = {"chain": STANDINGS, "town": FORECAST, "word": DEFINE}[story]
    origin: dict[str, Any] = {"line": "chains", "target": target.name, "sequence": sequence, "category": "yesyes"}
    if chain:
        source = EVERYTHING if "FI R C" in sequence else TOURNAMENTS
        origin |= {"source": source.name, "output": "data|id", "parameter": "tournamentId"}
    return Dialogue(
        facts={"states": "published"},
        id=id or f"{sequence.replace(' ', '-').lower()}{'-many' if many else ''}",
        apis=tuple(APIS),
        turns=turns,
        origin=origin,
        extra={"apis": [api.model_dump(mode="json", by_alias=True) for api in APIS.values()]},
    )


def suite() -> list[Dialogue]:
    """One dialogue of every kind: 20 sequences, and 6 of them with a list of results."""
    lists = [s for s in TWO if s.split().count("RQ") > 1 and "C RQ" in s]
    return [*(dialogue(one) for one in SEQUENCES), *(dialogue(one, many=True) for one in lists)]


def lived(gold: Dialogue, instead: dict[int, AgentTurn] | None = None) -> Trace:
    """The gold as an agent lives it under `next` that takes other steps at some turns."""
    turns = tuple((instead or {}).get(at, turn) for at, turn in enumerate(gold.turns))
    return Trace(case=gold.id, dialogue=gold.id, protocol="next", agent="it", turns=turns)


def predicted(state: Any = None, action: str | None = None) -> AgentTurn:
    """What is known of an answer that a model gave elsewhere."""
    return AgentTurn(extra={"answer": {k: v for k, v in (("state", state), ("action", action)) if v is not None}})
