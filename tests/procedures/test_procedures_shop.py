"""The procedures of the shop: written as the dialect wants it, fit for its API, and covered near the least."""

from __future__ import annotations

from pathlib import Path

import pytest

import toologue
from toologue.apis.openapi import read_openapi
from toologue.errors import UnknownName
from toologue.formats.flow import read_flow_text, write_flow_text
from toologue.formats.procedure import load, read, write
from toologue.plan.procedures import files, procedure, procedures
from toologue.plan.procedures.lint_procedure import lint
from toologue.plan.procedures.paths import cover, coverage, sights, walk_seeing
from toologue.procedure import conversation_graph as talk
from toologue.procedure import flowgraph as flow
from toologue.procedure.course import Steering
from toologue.schema import Graph

DOCUMENT = Path(toologue.__file__).parent / "worlds" / "crud" / "shop" / "openapi.yaml"
APIS = [operation.api for operation in read_openapi(DOCUMENT).operations]
FILES = list(files("shop").values())

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def test_there_are_three() -> None:
    assert list(files("shop")) == ["change-delivery-address", "order-not-received", "return-an-item"]
    assert [one.id for one in procedures("shop")] == list(files("shop"))
    assert procedure("return-an-item").title == "Sending an order back"
    with pytest.raises(UnknownName, match="did you mean 'return-an-item'"):
        procedure("return-a-item")


@each_file
def test_is_sound_and_fits_the_documents(file: Path) -> None:
    it = load(file, apis=APIS)
    assert it.id == file.stem
    assert 6 <= len(it.steps) <= 19
    assert 2 <= len(it.calls) <= 9
    assert read(write(it)) == it
    assert all((it.intent, it.client, it.issue))


@each_file
def test_has_the_length_of_a_page_and_nothing_vague(file: Path) -> None:
    body = file.read_text("utf-8").split("---\n")[2]
    assert 150 <= len(body.split()) <= 500
    assert lint(file.read_text("utf-8")) == []


@each_file
def test_has_branches_failures_and_a_loop_that_ends(file: Path) -> None:
    it = load(file)
    branches = [branch for step in it.steps for branch in step.branches]
    assert sum(branch.is_failure for branch in branches) >= 2
    assert any(branch.answer for branch in branches)
    assert any(step.limit for step in it.steps)


@each_file
def test_its_graphs_keep_the_rules_and_travel(file: Path) -> None:
    before = flow.flowgraph(load(file))
    made = talk.conversation_graph(before)
    assert flow.check(before) == []
    assert talk.check(made) == []
    for graph in (before, made):
        again = read_flow_text(write_flow_text(graph), id=graph.id)
        assert [(node.id, node.type, node.text) for node in again.nodes] == [
            (node.id, node.type, node.text) for node in graph.nodes
        ]
        assert [(link.source, link.text, link.target) for link in again.links] == [
            (link.source, link.text, link.target) for link in graph.links
        ]


@each_file
@pytest.mark.parametrize("goal", ["edges", "pairs"])
def test_is_covered_by_no_more_walks_than_short_ones_to_whatever_is_missing(file: Path, goal: str) -> None:
    graph: Graph = talk.conversation_graph(flow.flowgraph(load(file)))
    walks = cover(graph, goal)  # type: ignore[arg-type]
    seen = coverage(graph, walks)
    assert not seen.nodes.missing
    assert not seen.edges.missing
    assert goal == "edges" or not seen.pairs.missing
    missing, short = set[object](seen.edges.all | (seen.pairs.all if goal == "pairs" else set())), 0
    while missing:
        missing -= sights(graph, walk_seeing(Steering(graph), min(missing, key=str)), goal)  # type: ignore[arg-type]
        short += 1
    assert len(walks) <= short
