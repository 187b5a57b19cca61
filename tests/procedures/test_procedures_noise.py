"""Noise in conversation graphs (3.6): what is added, what stays, and that every rule is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue.errors import BadSetting
from toologue.plan.procedures import procedures
from toologue.plan.procedures.noise import NOISE_KINDS, with_noise
from toologue.plan.procedures.paths import weighted
from toologue.procedure.conversation_graph import check, conversation_graph
from toologue.procedure.flowgraph import flowgraph
from toologue.schema import Graph

GRAPHS = [conversation_graph(flowgraph(procedure)) for procedure in procedures("shop")]
graphs, chances, seeds = st.sampled_from(GRAPHS), st.floats(0, 1), st.integers(0, 99)
modes = st.sampled_from(["published", "resume"])


def noisy(graph: Graph) -> list[str]:
    return [node.id for node in graph.nodes if node.noise and node.type == "user"]


@given(graph=graphs, p=chances, mode=modes, seed=seeds)
def test_a_valid_graph_stays_valid_and_whole(graph, p, mode, seed):
    more = with_noise(graph, p, mode=mode, seed=seed)
    assert check(more) == []
    assert (more.nodes[: len(graph.nodes)], more.links[: len(graph.links)]) == (graph.nodes, graph.links)


@given(graph=graphs, seed=seeds)
def test_noise_comes_behind_what_the_agent_says_and_is_answered_once(graph, seed):
    more = with_noise(graph, 1.0, mode="published", seed=seed)
    asking = [node.id for node in graph.nodes if node.type == "assistant" and graph.exits(node.id)]
    assert [link.source for link in more.links if link.target in noisy(more)] == asking
    for said in noisy(more):
        (answer,) = (more.by_id[link.target] for link in more.exits(said))
        assert (answer.type, answer.noise) == ("assistant", more.by_id[said].noise)
        assert more.exits(answer.id) == (), "the published graph ends there"


@given(graph=graphs, seed=seeds)
def test_resumed_the_question_is_open_again(graph, seed):
    more = with_noise(graph, 1.0, seed=seed)
    for said in noisy(more):
        (before,) = (link.source for link in more.links if link.target == said)
        (answer,) = (link.target for link in more.exits(said))
        answers = {link.target for link in graph.exits(before)}
        assert {link.target for link in more.exits(answer)} == answers


@given(graph=graphs, low=chances, high=chances, seed=seeds)
def test_more_noise_keeps_the_noise_there_was(graph, low, high, seed):
    few, many = (with_noise(graph, p, seed=seed) for p in sorted((low, high)))
    assert {few.by_id[id].text for id in noisy(few)} <= {many.by_id[id].text for id in noisy(many)}


def test_a_fifth_of_the_messages_are_followed_by_noise_of_every_kind():
    made = [(graph, with_noise(graph, 0.2, seed=seed)) for graph in GRAPHS for seed in range(40)]
    asking = sum(node.type == "assistant" and bool(graph.exits(node.id)) for graph, _ in made for node in graph.nodes)
    assert 0.17 < sum(len(noisy(more)) for _, more in made) / asking < 0.23
    assert {node.noise for _, more in made for node in more.nodes if node.noise} == set(NOISE_KINDS)


def test_walks_meet_it_and_end_there_as_published():
    more = with_noise(GRAPHS[0], 0.5, mode="published", seed=1)
    ends = {walk.nodes[-1] for walk in weighted(more, 60, seed=1)}
    assert any(more.by_id[end].noise for end in ends)


def test_without_a_chance_nothing_is_added():
    assert with_noise(GRAPHS[0], 0.0) == GRAPHS[0]


def test_what_is_no_chance_is_refused():
    with pytest.raises(BadSetting, match=r"p is 20: a chance from 0 to 1 is wanted"):
        with_noise(GRAPHS[0], 20)
