"""Dialogues of every line, and hypothesis strategies for more."""

from __future__ import annotations

from hypothesis import strategies as st

from toologue.schema import AgentTurn, Api, Call, Dialogue, Fault, Parameter, Result, Retrieve, Setting, State, UserTurn

LEAGUES, TABLE = "Sports|scores|Find leagues ", "Sports|scores|League table"
APIS = {
    api.name: api
    for api in (
        Api(name=LEAGUES, description="Leagues of a country.", parameters={"country": Parameter()}),
        Api(
            name=TABLE,
            description="The table of a league.",
            parameters={
                "leagueId": Parameter(schema={"type": "integer"}),
                "season": Parameter(schema={"type": "string"}, required=False),
            },
        ),
        Api(name="AddAlarm", description="Sets an alarm.", parameters={"time": Parameter()}),
    )
}
LOOKS = State(api=LEAGUES, required={"country": "España"})
ASKS = State(api=TABLE, required={"leagueId": ""}, optional={"season": ""})

CHAIN = Dialogue(
    id="train-000007",
    apis=(LEAGUES, TABLE),
    world=Setting(name="recorded"),
    turns=(
        UserTurn(text="Who leads the Spanish league this season?", action="inform_intent_clear"),
        AgentTurn(
            acts=(Retrieve(query="Who leads the Spanish league this season?"),),
            results=(Result(value={"retrieved": {TABLE: 0.71, LEAGUES: 0.55}}),),
            action="retriever_call",
            state=State(),
            thought="What could that be?",
        ),
        AgentTurn(text="Which league, and which season?", action="request", state=ASKS),
        UserTurn(text="I don't know its number. 2024.", action="fail_inform", informed={"season": "2024"}),
        AgentTurn(
            acts=(Retrieve(missing=(TABLE, "leagueId")),),
            results=(Result(value={"source": LEAGUES, "output": "a|id", "target": TABLE, "parameter": "leagueId"}),),
            action="retriever_call",
            state=ASKS,
        ),
        AgentTurn(text="Which country?", action="request", state=LOOKS.replace(required={"country": ""})),
        UserTurn(text="Spain; España.", action="inform", informed={"country": "España"}),
        AgentTurn(
            acts=(Call(api=LEAGUES, arguments={"country": "España"}),),
            results=(Result(value={"a": [{"id": 140}]}),),
            action="call",
            state=LOOKS,
        ),
        AgentTurn(
            acts=(Call(api=TABLE, arguments={"leagueId": 140, "season": "2024"}),),
            results=(Result(error=Fault(type="invalid", message="no such season")),),
            action="call",
        ),
        AgentTurn(text="I am sorry, there is no such season.", action="response_fail", state=State()),
    ),
    origin={"line": "chains", "split": "train", "sequence": "11.7", "source": LEAGUES, "target": TABLE},
)
TOOLS = Dialogue(
    id="alarms",
    instructions="You help.",
    facts={"now": "2023-09-11 09:00:00", "user": {"name": "Ann"}},
    apis=("AddAlarm",),
    turns=(
        UserTurn(text="Wake me at six"),
        UserTurn(text="and at seven."),
        AgentTurn(
            text="Just a moment.",
            acts=(Call(api="AddAlarm", arguments={"time": "06:00:00"}), Call(api="AddAlarm", arguments=None, raw="{7")),
            results=(Result(value={"alarm_id": "5bff"}), Result(error=Fault(type="invalid", message="no time"))),
        ),
        AgentTurn(text="Done, in part."),
    ),
    origin={"line": "tools"},
)
PROCEDURE = Dialogue(
    id="p-1",
    instructions="# Order not received\nAsk for the number.",
    turns=(UserTurn(text="My order!"), AgentTurn(text="Which number?"), UserTurn(text="O-1\u2028O-2")),
    origin={"line": "procedures"},
)
LINES = (CHAIN, TOOLS, PROCEDURE)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text('aé"\n\u2028', max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=4,
)
TEXTS = st.text("ab é\"'{}\n\u2028", max_size=12)
CALLS = st.builds(Call, api=st.sampled_from([*APIS]), arguments=st.dictionaries(TEXTS, VALUES, max_size=3))
ASKED = st.builds(Retrieve, query=TEXTS) | st.builds(Retrieve, missing=st.tuples(st.sampled_from([*APIS]), TEXTS))
RESULTS = st.builds(Result, value=VALUES) | st.builds(Result, error=st.builds(Fault, type=TEXTS, message=TEXTS))


@st.composite
def agent_turns(draw: st.DrawFn) -> AgentTurn:
    acts = draw(st.lists(CALLS | ASKED, max_size=3))
    results = [draw(RESULTS) for _ in acts]
    return AgentTurn(text=draw(TEXTS | st.none()) if acts else draw(TEXTS), acts=tuple(acts), results=tuple(results))


TURNS = st.lists(st.builds(UserTurn, text=TEXTS) | agent_turns(), max_size=6)
DIALOGUES = st.builds(
    lambda turns, facts, some: Dialogue(
        id="d", apis=tuple(APIS)[:some], turns=(UserTurn(text="Hello"), *turns), facts=facts, instructions="Be brief."
    ),
    TURNS,
    st.dictionaries(st.text("ab", max_size=3), VALUES, max_size=2),
    st.integers(0, 3),
)


def service() -> list[Api]:
    """Documents of some tools: each tool lists things by their kind, and tells about one of them by its id."""
    things = ("team", "recipe", "hotel", "station", "film", "restaurant")
    return [api for thing in things for api in _tool(thing)]


def _tool(thing: str) -> list[Api]:
    text, number = {"type": "string"}, {"type": "integer"}
    found = {f"{thing}Id": number, f"{thing}Name": text}
    rows = {"type": "array", "items": {"type": "object", "properties": found}}
    about = {"founder": text, "summary": text, "rating": {"type": "number"}}
    tool = f"{thing.capitalize()}s|all {thing}s"
    return [
        Api(
            name=f"{tool}|Search {thing}s",
            domain=f"{thing.capitalize()}s",
            description=f"Search for a {thing} by the name of its city.",
            parameters={"city": Parameter(schema={**text, "description": f"The city of the {thing}"})},
            returns={"type": "object", "properties": {"results": rows}},
        ),
        Api(
            name=f"{tool}|Get {thing} details",
            domain=f"{thing.capitalize()}s",
            description=f"Get the details of a {thing}, such as its rating.",
            parameters={f"{thing}Id": Parameter(schema={**number, "description": f"The id of the {thing}"})},
            returns={"type": "object", "properties": about},
        ),
    ]
