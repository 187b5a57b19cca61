"""Strategies for the nouns: awkward texts, big numbers, nested JSON, every kind of turn."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from toologue.schema import (
    KINDS,
    MOVES,
    AgentAction,
    AgentTurn,
    Api,
    Ask,
    Call,
    Compare,
    Cue,
    Dialogue,
    Edge,
    Example,
    Fault,
    Flow,
    Mismatch,
    Parameter,
    Plan,
    Program,
    Result,
    Retrieve,
    Scenario,
    Score,
    Setting,
    Similarities,
    State,
    Trace,
    Usage,
    Use,
    UserAction,
    UserTurn,
)

AWKWARD = [
    "",
    " ",
    "\u2028",
    "a\u2028b\u2029c\u0085d",
    "\ufeffbom",
    "\x00\x1f\x7f",
    '"\\/',
    "😀é",
    "NaN",
    "1e999",
    "\n",
]
texts = st.sampled_from(AWKWARD) | st.text(max_size=5)
names = texts.filter(bool)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, -(2**64), 10**40, 2**53 + 1])
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2), max_leaves=4
)
objects = st.just({}) | st.dictionaries(texts, values, max_size=2)
faults = st.builds(Fault, type=texts, message=texts)

calls = st.builds(Call, api=texts, arguments=objects) | st.builds(Call, api=texts, arguments=st.none(), raw=texts)
retrievals = st.builds(Retrieve, query=texts, missing=st.none() | st.tuples(texts, texts))
programs = st.builds(Program, goal=texts, status=st.sampled_from(["drafting", "final", "abandoned"]), code=texts)
acts = calls | retrievals | programs
results = st.builds(
    Result,
    value=values,
    error=st.none() | faults,
    arguments=st.none() | objects,
    changes=st.dictionaries(texts, st.none() | objects, max_size=2),
    created=st.lists(texts, max_size=2).map(tuple),
)

user_labels = st.just({}) | st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from(get_args(UserAction)),
        "informed": objects,
        "stop": texts,
        "node": texts,
        "extra": objects,
    },
)
agent_labels = st.just({}) | st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from(get_args(AgentAction)),
        "state": st.builds(State, api=texts, required=objects),
        "thought": texts,
        "usage": st.builds(Usage, input_tokens=st.integers(0), output_tokens=st.integers(0)),
        "error": faults,
        "node": texts,
        "extra": objects,
    },
)


@st.composite
def user_turns(draw):
    return UserTurn(text=draw(texts), **draw(user_labels))


@st.composite
def agent_turns(draw, acts=acts, labels=agent_labels):
    did = tuple(draw(st.lists(acts, max_size=2)))
    answers = tuple(draw(st.none() | results) for _ in did) if draw(st.booleans()) else ()
    return AgentTurn(text=draw(st.none() | texts), acts=did, results=answers, **draw(labels))


def conversations(turns):
    """Turns of which one at least is the user's."""
    return (
        st.lists(turns, max_size=3)
        .map(tuple)
        .flatmap(
            lambda said: (
                st.just(said) if any(turn.role == "user" for turn in said) else st.just((*said, UserTurn(text="?")))
            )
        )
    )


SHAPES = [
    UserTurn(text="?"),
    UserTurn(),
    AgentTurn(text="Hi"),
    AgentTurn(),
    AgentTurn(acts=(Call(api="A"),), results=(Result(value=1),)),
    AgentTurn(acts=(Call(api="A"), Call(api="B")), results=(Result(value=1), None)),
    AgentTurn(acts=(Call(api="A"),)),
    AgentTurn(text="Look.", acts=(Program(goal="1", status="drafting", code=""),), results=(None,)),
]
shapes = st.lists(st.sampled_from(SHAPES), max_size=8).map(tuple)
"""Turns of every shape, for what depends on nothing else."""

turns = st.lists(user_turns() | agent_turns(), max_size=3).map(tuple)
dialogues = st.builds(
    Dialogue,
    id=names,
    instructions=texts,
    facts=objects,
    apis=st.lists(texts, max_size=2).map(tuple),
    world=st.builds(Setting, name=texts, arguments=objects),
    turns=conversations(user_turns() | agent_turns()),
    origin=objects,
    extra=objects,
)
traces = st.builds(
    Trace,
    case=texts,
    dialogue=texts,
    protocol=st.sampled_from(["next", "forced", "recorded", "live"]),
    agent=texts,
    trial=st.integers(),
    seed=st.integers(),
    turns=turns,
    stop=st.sampled_from(["done", "user", "cap", "timeout", "error"]),
    extra=objects,
)
parameters = st.builds(
    Parameter, json_schema=objects, required=st.booleans(), compare=st.sampled_from(get_args(Compare))
)
apis = st.builds(
    Api,
    name=names,
    description=texts,
    parameters=st.dictionaries(texts, parameters, max_size=3),
    returns=objects,
    writes=st.booleans(),
    domain=texts,
    keywords=st.lists(texts, max_size=2).map(tuple),
)
finite = st.floats(allow_nan=False, allow_infinity=False)
edges = st.builds(
    Edge,
    source=texts,
    output=texts,
    target=texts,
    parameter=texts,
    similarity=st.builds(Similarities, lcs=finite, keyword=finite, description=finite),
    chosen=st.booleans(),
)
mismatches = st.builds(
    Mismatch,
    turn=st.none() | st.integers(),
    act=st.none() | st.integers(),
    field=texts,
    expected=values,
    actual=values,
    why=texts,
)
scores = st.builds(
    Score,
    metric=texts,
    dialogue=texts,
    case=texts,
    counts=st.dictionaries(texts, finite, max_size=3),
    value=st.none() | finite,
    why=texts,
    at=st.lists(mismatches, max_size=2).map(tuple),
)
cues = st.builds(
    Cue,
    move=st.sampled_from(MOVES),
    text=texts,
    values=objects,
    kinds=st.dictionaries(texts, st.sampled_from(KINDS), max_size=2),
    before=objects,
    again=texts,
)


@st.composite
def plan(draw: st.DrawFn) -> Plan:
    dialogue = draw(dialogues)
    return Plan(dialogue=dialogue, cues=tuple(draw(cues) for _ in dialogue.turns))


plans = plan()
flows = st.builds(Flow, source=texts, output=texts, target=texts, parameter=texts)
some_texts = st.lists(texts, max_size=2).map(tuple)
scenarios = st.builds(
    Scenario,
    id=names,
    text=texts,
    plugins=some_texts,
    required=texts,
    calls=some_texts,
    flows=st.lists(flows, max_size=2).map(tuple),
    origin=objects,
)
asks = st.builds(Ask, phrase=texts, known=st.booleans(), default=values)
examples = st.builds(Example, arguments=objects, result=values, source_arguments=objects, source_result=values)
uses = st.builds(
    Use,
    api=names,
    source=st.none() | names,
    wishes=some_texts,
    asks=st.dictionaries(texts, asks, max_size=2),
    tells=st.dictionaries(texts, texts, max_size=2),
    examples=st.lists(examples, max_size=2).map(tuple),
)
records = st.one_of(dialogues, traces, apis, edges, scores, plans, scenarios, uses)
