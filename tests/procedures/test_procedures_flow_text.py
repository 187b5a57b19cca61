"""Flow text: the paper's graphs, read and written without loss."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from procedure_strategies import drawings, texts

from toologue.errors import BadFile, BadSetting
from toologue.formats.flow import FlowTextWarning, read_flow_text, write_flow_text
from toologue.procedure import conversation_graph, flowgraph
from toologue.schema import Graph, Link, Node

PARCEL = """\
Here is the flowchart:
<flow>
[N0](start_message){Greet the customer}
[E0](N0, N1){My parcel is late}
[N1](message){Ask for the parcel's number
and say where it stands}
[E1](N1,N2){Gives {a number}}
[N2](api){get_parcel}
  [E2] ( N2 , N3 ) {Found [on its way]}
[E2](N2, N4){Not found}
[N3](end_message){Say where it is}
[N4](message){Ask for another number}
[E3](N4, N2){Gives another}
</flow>
I hope that this helps."""


def read_with_warnings(text: str) -> tuple[Graph, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = read_flow_text(text)
    return graph, [str(warning.message) for warning in caught]


class TestReading:
    def test_entries_may_stand_in_any_order_and_over_several_lines(self) -> None:
        graph, _ = read_with_warnings(PARCEL)
        assert graph.kind == "flowgraph"
        assert graph.by_id["N1"].text == "Ask for the parcel's number\nand say where it stands"
        assert [(link.source, link.target, link.text) for link in graph.links][1:3] == [
            ("N1", "N2", "Gives {a number}"),
            ("N2", "N3", "Found [on its way]"),
        ]

    def test_an_edge_id_that_stands_twice_is_replaced_with_a_warning(self) -> None:
        graph, said = read_with_warnings(PARCEL)
        assert said == ["<flow>:10: edge E2 stands twice; this one is E4 now"]
        assert [link.id for link in graph.links] == ["E0", "E1", "E2", "E4", "E3"]
        with pytest.warns(FlowTextWarning):
            read_flow_text(PARCEL)

    def test_assistants_and_users_make_a_conversation_graph(self) -> None:
        assert read_flow_text("[N0](assistant){Hi}\n[N1](user){Hello}\n[E0](N0, N1){}").kind == "conversation_graph"


class TestLossless:
    @given(drawings())
    def test_what_was_written_reads_as_the_same_graph(self, graph: Graph) -> None:
        assert read_flow_text(write_flow_text(graph), id=graph.id) == graph

    @given(texts)
    def test_a_backslash_stands_only_where_it_has_to(self, text: str) -> None:
        node = Node(id="N0", type="message", text=text)
        written = write_flow_text(Graph(id="g", kind="flowgraph", nodes=(node,)))
        if "\\" not in text and text.count("{") == text.count("}") and "}" not in text.split("{")[0]:
            assert f"{{{text}}}" in written or "\\" in written
        assert read_flow_text(written).nodes[0].text == text

    def test_nothing_is_escaped_in_everyday_texts(self) -> None:
        texts = ["It's {order.status}!", "a [list] (of) things", "C:\\new", "two\nlines", "§ 7; 50 %"]
        nodes = tuple(Node(id=f"N{place}", type="message", text=text) for place, text in enumerate(texts))
        assert all(f"{{{text}}}" in write_flow_text(Graph(id="g", kind="flowgraph", nodes=nodes)) for text in texts)

    def test_ids_that_cannot_be_written(self) -> None:
        graph = Graph(id="g", kind="flowgraph", nodes=(Node(id="the start", type="message", text="Hi"),))
        with pytest.raises(BadSetting, match="the id 'the start' cannot stand in flow text; use N or E and a number"):
            write_flow_text(graph)


class TestProblems:
    def test_all_are_told_at_once(self) -> None:
        text = "hello\n[N0](assistent){x}\n[N1](message){y}\n[N2](user){z}\n[N1](message){again}\n"
        text += "[E0](N1, N9){}\n[E1](N1,N2,N1){}\n[E2](N1, N2){open"
        with pytest.raises(BadFile) as caught:
            read_flow_text(text, file="flow.txt")
        told = str(caught.value).splitlines()
        assert told[0] == "flow.txt is no sound flow text, 7 problems:"
        assert [line.split(": ", 1)[1][:36] for line in told[1:]] == [
            "'hello' is no entry (expected [N0](a",
            "no type of node is called 'assistent"[:36],
            "message belongs to flowgraphs, user ",
            "node N1 stands twice (give one of th",
            "edge E0 joins N9, and there is no su",
            "E1 joins 3 nodes (an edge joins two)",
            "the description of E2 has no end (ex",
        ]

    @pytest.mark.parametrize("text", ["", "<flow></flow>", "<flow>\n", "prose only"])
    def test_a_text_without_nodes(self, text: str) -> None:
        with pytest.raises(BadFile, match=r"\[N0\]\(api\)\{get_order\}"):
            read_flow_text(text)

    @given(st.text("[]{}()NE01, \n\\aui<>flow/", max_size=60))
    def test_any_text_is_read_or_complained_about(self, text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                graph = read_flow_text(text)
            except BadFile:
                return
        assert read_flow_text(write_flow_text(graph)) == graph


def examples(paper: str) -> list[Graph]:
    return [read_with_warnings(flow)[0] for flow in re.findall(r"<flow>\n.*?\n</flow>\n", paper, re.DOTALL)]


def test_the_examples_of_the_paper_are_read_and_keep_its_rules(shared: Callable[..., Path]) -> None:
    """A.4, A.5 (both halves), A.6. All but the second flowgraph have edge ids that stand twice."""
    first, second, answer, third = examples(shared("papers", "almita.md").read_text("utf-8"))
    assert [len(graph.nodes) for graph in (first, second, answer, third)] == [10, 9, 14, 14]
    assert flowgraph.check(first) == flowgraph.check(second) == []
    assert conversation_graph.check(answer) == conversation_graph.check(third) == []


def test_our_conversation_graph_of_its_flowgraph_is_that_of_the_paper(shared: Callable[..., Path]) -> None:
    """A.5: the same nodes, joined in the same way, but for the words of one message that the paper rewrites."""
    _, flow, theirs, _ = examples(shared("papers", "almita.md").read_text("utf-8"))
    ours = conversation_graph.conversation_graph(flow)

    def joined(graph: Graph) -> set[tuple[str, str, str]]:
        def said(id: str) -> str:
            node: Node = graph.by_id[id]
            return f"{node.type}: {node.text.replace('Your order has been refunded', 'Order refunded')}"

        def way(link: Link) -> tuple[str, str, str]:
            return said(link.source), link.text, said(link.target)

        return {way(link) for link in graph.links}

    assert joined(ours) == joined(theirs)
