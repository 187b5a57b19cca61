"""A league, its seasons and its standings: documents and plans as `plan chains` makes them, by hand."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from toologue.schema import AgentTurn, Api, Call, Cue, Dialogue, Parameter, Plan, Result, Retrieve, State, UserTurn
from toologue.write.chains.questions import estimate

_NUMBER: JsonValue = {"type": "integer"}
_TEXT: JsonValue = {"type": "string"}
_DATE: JsonValue = {"type": "string", "format": "date"}


def _api(name: str, description: str, returns: JsonValue = None, **parameters: Parameter) -> Api:
    domain = name.partition("|")[0]
    given: dict[str, JsonValue] = {"type": "object", "properties": returns} if returns else {}
    one = Api(name=name, description=description, parameters=parameters, returns=given, domain=domain)
    return estimate(one)


def _rows(**fields: JsonValue) -> JsonValue:
    return {"type": "array", "items": {"type": "object", "properties": fields}}


SEASONS = _api(
    "Sports|handballdata|Tournament Seasons",
    "This endpoint returns the seasons of a specific tournament.",
    {"seasons": _rows(id=_NUMBER, name=_TEXT)},
    country=Parameter(schema=_TEXT),
)
STANDINGS = _api(
    "Sports|handballdata|League Home Standings",
    "Get the home standings for a specific handball league by providing its ID.",
    {"rows": _rows(team=_TEXT, points=_NUMBER)},
    seasonId=Parameter(schema=_NUMBER),
    day=Parameter(schema=_DATE),
    limit=Parameter(schema=_NUMBER, required=False),
)
FORECAST = _api(
    "Weather|clearskies|City Forecast",
    "Returns the weather forecast for a given city.",
    {"humidity": _NUMBER},
    city=Parameter(schema=_TEXT),
    day=Parameter(schema=_DATE, required=False),
)
OTHERS = (
    _api("Food|potluck|Recipe Search", "Search for recipes by ingredient.", ingredient=Parameter(schema=_TEXT)),
    _api("Finance|coinrates|Convert Currency", "Converts an amount.", amount=Parameter(schema=_NUMBER)),
    _api("Music|tunebook|Artist Albums", "Lists the albums of an artist.", artist=Parameter(schema=_TEXT)),
    _api("Movies|reelbase|Film Details", "Details of a film.", film=Parameter(schema=_TEXT)),
)
APIS = (SEASONS, STANDINGS, FORECAST, *OTHERS)

FOUND: JsonValue = {"seasons": [{"id": 811, "name": "Autumn Cup"}, {"id": 812, "name": "Spring Cup"}]}
TABLE: JsonValue = {"rows": [{"team": "Ajax", "points": 12}, {"team": "Vitesse", "points": 9}]}


def state(api: Api, **known: JsonValue) -> State:
    """The state with this Api in hand and these values known."""
    slots: Mapping[bool, dict[str, JsonValue]] = {True: {}, False: {}}
    for name, parameter in api.parameters.items():
        slots[parameter.required][name] = known.get(name, "")
    return State(api=api.name, required=slots[True], optional=slots[False])


def made(id: str, target: Api, *steps: tuple[UserTurn | AgentTurn, Cue], source: Api | None = None) -> Plan:
    """A plan of these turns and cues."""
    origin: dict[str, JsonValue] = {"line": "chains", "target": target.name, "parameter": "seasonId"}
    if source is not None:
        origin |= {"source": source.name, "output": "seasons|id"}
    turns, cues = zip(*steps, strict=True)
    dialogue = Dialogue(id=id, apis=tuple(api.name for api in APIS), turns=turns, origin=origin)
    return Plan(dialogue=dialogue, cues=cues)


def user(move: str, before: Mapping[str, JsonValue] | None = None, **values: JsonValue) -> tuple[UserTurn, Cue]:
    """A user's turn and its cue."""
    turn = UserTurn.model_validate({"action": move, "informed": values})
    return turn, Cue.model_validate({"move": move, "values": values, "before": before or {}})


def agent(move: str, values: Mapping[str, JsonValue] | None = None, at: State | None = None) -> tuple[AgentTurn, Cue]:
    """An agent's spoken turn and its cue."""
    turn = AgentTurn.model_validate({"text": "", "action": move, "state": at or State(), "thought": "So be it."})
    return turn, Cue.model_validate({"move": move, "values": values or {}})


def looks(missing: tuple[str, str] | None = None) -> tuple[AgentTurn, Cue]:
    """A question to the retriever."""
    act, value = Retrieve(missing=missing), {"retrieved": {}} if missing is None else {"source": SEASONS.name}
    turn = AgentTurn(acts=(act,), results=(Result(value=value),), action="retriever_call", state=State())
    return turn, Cue(move="retriever_call")


def calls(api: Api, result: JsonValue, **arguments: JsonValue) -> tuple[AgentTurn, Cue]:
    """A call and its result."""
    act = Call(api=api.name, arguments=arguments)
    return AgentTurn(acts=(act,), results=(Result(value=result),), action="call"), Cue(move="call")


def opening(band: str) -> tuple[tuple[UserTurn | AgentTurn, Cue], ...]:
    """How a conversation gets to the first request, by way of this band."""
    if band == "confirm":
        return user("inform_intent_clear", {"band": "confirm"}), looks()
    vague = user("inform_intent_vague", {"band": band})
    if band == "suggest":
        return vague, looks(), agent("suggest"), user("affirm")
    return vague, looks(), agent("clarify"), user("inform_intent_clear", {"band": "confirm"}), looks()


def chained(id: str = "chain-000007", band: str = "confirm") -> Plan:
    """Sequences 11.13, 11.10, 11.4: a value that the user lacks is found, and chosen among several."""
    return made(
        id,
        STANDINGS,
        *opening(band),
        agent("request", {"seasonId": "", "day": "", "limit": ""}, state(STANDINGS)),
        user("fail_inform", {"missing": "seasonId"}, day="2025-03-12", limit=5),
        looks((STANDINGS.name, "seasonId")),
        agent("request", {"country": ""}, state(SEASONS)),
        user("inform", country="Norway"),
        calls(SEASONS, FOUND, country="Norway"),
        agent("request", {"seasons|name": ["Autumn Cup", "Spring Cup"]}, state(STANDINGS, day="2025-03-12", limit=5)),
        user("inform", **{"seasons|name": "Spring Cup"}),
        calls(STANDINGS, TABLE, seasonId=812, day="2025-03-12", limit=5),
        agent("response", {"rows|team": "Ajax", "rows|points": 12}, state(STANDINGS)),
        user("user_bye"),
        agent("system_bye"),
        source=SEASONS,
    )


def kept_back(id: str = "chain-000008") -> Plan:
    """Sequence 11.7: the user knows nothing, and is asked for the rest once the value is found."""
    return made(
        id,
        STANDINGS,
        *opening("confirm"),
        agent("request", {"seasonId": "", "day": ""}, state(STANDINGS)),
        user("fail_inform", {"missing": "seasonId"}),
        looks((STANDINGS.name, "seasonId")),
        agent("request", {"country": ""}, state(SEASONS)),
        user("inform", country="Norway"),
        calls(SEASONS, {"seasons": [{"id": 811}]}, country="Norway"),
        agent("request", {"day": ""}, state(STANDINGS, seasonId=811)),
        user("inform", day="2025-03-12"),
        calls(STANDINGS, TABLE, seasonId=811, day="2025-03-12"),
        agent("response", {}, state(STANDINGS)),
        user("user_bye"),
        agent("system_bye"),
        source=SEASONS,
    )


def alone(id: str = "chain-000009") -> Plan:
    """Sequence 12.6: a wish that brings its value."""
    return made(
        id,
        FORECAST,
        user("inform_intent_clear_add", {"band": "confirm"}, city="Oslo"),
        looks(),
        calls(FORECAST, {"humidity": 72}, city="Oslo"),
        agent("response", {"humidity": 72}, state(FORECAST, city="Oslo")),
        user("user_bye"),
        agent("system_bye"),
    )


def refused(id: str = "chain-000010") -> Plan:
    """Sequence 13.1: the suggestion was not what was meant."""
    start = opening("suggest")[:3]
    return made(id, FORECAST, *start, user("negate"), agent("response_fail"))
