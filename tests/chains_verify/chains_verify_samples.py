"""Hand-made conversations of the chains line: about football tables, played in the world of documents."""

from __future__ import annotations

from toologue.models.embed import embedder
from toologue.models.retriever import Retriever
from toologue.schema import AgentTurn, Api, Call, Dialogue, Parameter, Result, Retrieve, Setting, State, UserTurn
from toologue.worlds.documented import Documented

TABLE, LEAGUES, CUP, PLAYERS = (
    "Sports|foot_base|getLeagueTable", "Sports|foot_base|searchLeagues", "Sports|foot_base|currentCup",
    "Sports|foot_base|playerNames",
)  # fmt: skip


def _texts(**titles: str) -> dict[str, object]:
    return {name: {"type": "string", "title": title} for name, title in titles.items()}


def _parameter(kind: str, title: str, *, required: bool = True) -> Parameter:
    return Parameter(schema={"type": kind, "title": title}, required=required)


def _object(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties}


ROW = _object(id={"type": "integer"}, **_texts(country="country of the league"))
APIS = {
    api.name: api
    for api in (
        Api(
            name=TABLE,
            description="The table of a football league: teams with their points.",
            parameters={
                "league_id": _parameter("string", "identifier of the league"),
                "season": _parameter("integer", "year of the season"),
                "group": _parameter("string", "group within the season", required=False),
            },
            returns=_object(**_texts(leader="team that leads"), points={"type": "integer"}),
        ),
        Api(
            name=LEAGUES,
            description="Search football leagues by words.",
            parameters={"words": _parameter("string", "words to search for")},
            returns=_object(leagues={"type": "array", "items": ROW, "minItems": 3}),
        ),
        Api(
            name=CUP,
            description="The cup that is played now.",
            returns=_object(cup=_object(id={"type": "integer"})),
        ),
        Api(
            name=PLAYERS,
            description="Names of the players of a team.",
            parameters={"team": _parameter("string", "name of the team")},
            returns=_object(**_texts(captain="captain of the team")),
        ),
    )
}  # fmt: skip
RETRIEVER = Retriever(list(APIS.values()), embedder("lexical"), bands={"confirm": 0.6, "suggest": 0.25})
WORLD = Documented(APIS.values(), seed=7)
CLEAR = "I want the league table: football teams with their points."


def user(action: str, text: str, **informed: object) -> UserTurn:
    return UserTurn.model_validate({"action": action, "text": text, "informed": informed})


def agent(action: str, text: str | None, state: State, **more: object) -> AgentTurn:
    return AgentTurn.model_validate({"action": action, "text": text, "state": state, "thought": "So be it.", **more})


def state(api: str, **slots: object) -> State:
    needed = {name: slots.get(name, "") for name in APIS[api].required}
    return State.model_validate(
        {"api": api, "required": needed, "optional": {name: one for name, one in slots.items() if name not in needed}}
    )


def look(query: str) -> AgentTurn:
    found = {api.name: score for api, score in RETRIEVER.rank(query)}
    return agent(
        "retriever_call", None, State(), acts=(Retrieve(query=query),), results=(Result(value={"retrieved": found}),)
    )


def look_for_source(source: str, output: str) -> AgentTurn:
    told = {"source": source, "output": output, "target": TABLE, "parameter": "league_id"}
    return agent(
        "retriever_call", None, State(), acts=(Retrieve(missing=(TABLE, "league_id")),), results=(Result(value=told),)
    )


def call(api: str, **arguments: object) -> AgentTurn:
    act = Call.model_validate({"api": api, "arguments": arguments})
    return agent("call", None, state(api, **arguments), acts=(act,), results=(WORLD.do(act),))


def value_of(turn: AgentTurn) -> dict[str, object]:
    result = turn.results[0]
    assert result is not None
    assert isinstance(result.value, dict)
    return result.value


def ending(done: AgentTurn, **slots: object) -> tuple[AgentTurn, UserTurn, AgentTurn]:
    found = value_of(done)
    return (
        agent("response", f"{found['leader']} leads with {found['points']} points.", state(TABLE, **slots)),
        user("user_bye", "Thanks, bye."),
        agent("system_bye", "You're welcome!", State()),
    )


def dialogue(sequence: str, *turns: UserTurn | AgentTurn, **origin: object) -> Dialogue:
    origin = {"line": "chains", "target": TABLE, "parameter": "league_id", "sequence": sequence, **origin}
    world = Setting(name="documented", arguments={"seed": 7})
    facts = {"retriever": {"confirm": 0.6, "suggest": 0.25}}
    told = {"apis": list(APIS), "world": world, "facts": facts, "turns": turns, "origin": origin}
    return Dialogue.model_validate({"id": f"by-hand-{sequence}", **told})


def one_api() -> Dialogue:
    """12.1: a vague wish, a question, the wish; an optional value is told, too."""
    done = call(TABLE, league_id="L-39", season=2021, group="north")
    return dialogue(
        "12.1",
        user("inform_intent_vague", "Could you help me with something?"),
        look("Could you help me with something?"),
        agent("clarify", "What would you like to know?", State()),
        user("inform_intent_clear", CLEAR),
        look(CLEAR),
        agent("request", "Which league is it, and which season? A group, if you like.", state(TABLE)),
        user("inform", "League L-39, season 2021, group north.", league_id="L-39", season=2021, group="north"),
        done,
        *ending(done, league_id="L-39", season=2021, group="north"),
        fit="knowable",
    )


def single() -> Dialogue:
    """11.9: the source needs nothing and finds one cup; the season is asked for later."""
    found = call(CUP)
    cup = value_of(found)["cup"]
    assert isinstance(cup, dict)
    chained = str(cup["id"])
    done = call(TABLE, league_id=chained, season=2019)
    return dialogue(
        "11.9",
        user("inform_intent_clear", CLEAR),
        look(CLEAR),
        agent("request", "I need the identifier of the league, and the season.", state(TABLE)),
        user("fail_inform", "I don't know that identifier."),
        look_for_source(CUP, "cup|id"),
        found,
        agent("request", "And which season do you mean?", state(TABLE, league_id=chained)),
        user("inform", "2019", season=2019),
        done,
        *ending(done, league_id=chained, season=2019),
        source=CUP, output="cup|id", fit="single", fail="nothing",
    )  # fmt: skip


def multi() -> Dialogue:
    """11.13: the source finds several leagues, and the user chooses one by its country."""
    found = call(LEAGUES, words="premier division")
    rows = value_of(found)["leagues"]
    assert isinstance(rows, list)
    countries = [row["country"] for row in rows]
    assert len(set(countries)) == len(countries) > 1
    chained = str(rows[1]["id"])
    done = call(TABLE, league_id=chained, season=2019)
    return dialogue(
        "11.13",
        user("inform_intent_clear", CLEAR),
        look(CLEAR),
        agent("request", "I need the identifier of the league, and the season.", state(TABLE)),
        user("fail_inform", "The season is 2019. I have no identifier.", season=2019),
        look_for_source(LEAGUES, "leagues|id"),
        agent("request", "What words shall I search for?", state(LEAGUES)),
        user("inform", "premier division", words="premier division"),
        found,
        agent("request", f"There are several. Which country: {', '.join(countries)}?", state(TABLE, season=2019)),
        UserTurn(text=f"{countries[1]}, please", action="inform", informed={"leagues|country": countries[1]}),
        done,
        *ending(done, league_id=chained, season=2019),
        source=LEAGUES, output="leagues|id", fit="multi", fail="rest",
    )  # fmt: skip


def failure() -> Dialogue:
    """13.1: the agent proposes, and the user wants something else."""
    wish = "Something about a table of some league."
    return dialogue(
        "13.1",
        user("inform_intent_vague", wish),
        look(wish),
        agent("suggest", "Shall I look up the table of a football league?", State()),
        user("negate", "No, that is not what I meant."),
        agent("response_fail", "Then I cannot help with that, sorry.", State()),
        fit="knowable",
    )


SAMPLES = {"one_api": one_api, "single": single, "multi": multi, "failure": failure}
