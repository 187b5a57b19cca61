"""Mermaid: what people draw is read as a graph, and graphs are written so that they come back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from procedure_strategies import drawings

from toologue.errors import BadFile, BadSetting
from toologue.formats.flow import read_mermaid, write_mermaid
from toologue.procedure import flowgraph
from toologue.schema import Graph, Node


def arrows(text: str) -> list[tuple[str, str, str]]:
    """(from, text, to) of each arrow of a flowchart."""
    return [(link.source, link.text, link.target) for link in read_mermaid(f"flowchart TD\n{text}").links]


def words(shape: str) -> str:
    """The text of a node."""
    return read_mermaid(f"flowchart TD\na{shape}").nodes[0].text


class TestShapes:
    @pytest.mark.parametrize(
        "shape",
        ["[Hi you]", "(Hi you)", "([Hi you])", "[[Hi you]]", "[(Hi you)]", "((Hi you))", "(((Hi you)))", "{Hi you}",
         "{{Hi you}}", ">Hi you]", "[/Hi you/]", "[\\Hi you\\]", "[/Hi you\\]", "[\\Hi you/]", '["Hi you"]',
         "[ Hi you ]", '["`Hi you`"]', '@{ shape: rect, label: "Hi you" }', "@{label: Hi you, shape: doc}"],
    )  # fmt: skip
    def test_of_every_kind(self, shape: str) -> None:
        assert words(shape) == "Hi you"

    def test_texts_in_quotes_hold_what_they_like(self) -> None:
        assert words('["a [b] (c) {d} | e --> f; g %% h"]') == "a [b] (c) {d} | e --> f; g %% h"
        assert words('["two<br>lines<br/>and #quot;more#quot; &amp; #35;1"]') == 'two\nlines\nand "more" & #1'
        assert words("[Text with (parentheses)]") == "Text with (parentheses)"

    def test_a_node_without_a_text_shows_its_id_and_the_last_text_counts(self) -> None:
        assert words("") == "a"
        assert [node.text for node in read_mermaid("graph LR\na --> b\na[Hi]\nb[No]\nb[Yes]").nodes] == ["Hi", "Yes"]


class TestArrows:
    @pytest.mark.parametrize(
        "arrow", ["-->", "---", "-.->", "-.-", "==>", "===", "--o", "--x", "---->", "-..->", "====>", "e1@-->"]
    )
    def test_of_every_kind(self, arrow: str) -> None:
        assert arrows(f"a {arrow} b") == [("N0", "", "N1")]

    @pytest.mark.parametrize(
        "arrow",
        ["-->|not found|", "-- not found -->", "--not found-->", '-->|"not found"|', '-- "not found" -->',
         "---|not found|", "-. not found .->", "== not found ==>", "-.->|not found|", "==> |not found|",
         "-- not found ---"],
    )  # fmt: skip
    def test_with_texts(self, arrow: str) -> None:
        assert arrows(f"a {arrow} b") == [("N0", "not found", "N1")]

    def test_without_blanks(self) -> None:
        assert arrows("a-->b---c") == [("N0", "", "N1"), ("N1", "", "N2")]

    def test_chains_and_groups(self) -> None:
        assert arrows("a --> b -- x --> c") == [("N0", "", "N1"), ("N1", "x", "N2")]
        assert [(source, target) for source, _, target in arrows("a & b --> c & d")] == [
            ("N0", "N2"), ("N0", "N3"), ("N1", "N2"), ("N1", "N3")
        ]  # fmt: skip

    def test_invisible_ones_join_nothing(self) -> None:
        assert arrows("a ~~~ b") == []


def test_what_is_only_there_for_the_eye_is_passed_over() -> None:
    text = """---
title: Late parcels
---
%%{init: {"theme": "forest"}}%%
graph LR;
    subgraph desk [The desk]
        direction TB
        a[Greet]:::big --> b; %% and so on
    end
    classDef big fill:#fff,stroke:#333
    class a,b big
    style a fill:#f9f
    linkStyle 0 stroke:#ff3
    click a "https://shop.example" _blank
    a ==> c
"""
    graph = read_mermaid(text)
    assert [(node.id, node.text) for node in graph.nodes] == [("N0", "Greet"), ("N1", "b"), ("N2", "c")]
    assert len(graph.links) == 2


def test_a_code_fence_is_opened() -> None:
    assert len(read_mermaid("```mermaid\nflowchart TD\n  a --> b\n```\n").nodes) == 2


class TestTypes:
    def test_follow_from_where_nodes_stand_and_from_the_shape_of_calls(self) -> None:
        graph = read_mermaid("""flowchart TD
            start([Greet]) -->|late parcel| find[[get_parcel]]
            find -->|found| ask{Refund?}
            ask -->|no| bye(Goodbye)
            find -->|lost| bye
            ask -->|yes| pay@{ shape: subproc, label: refund_parcel }
            pay -->|done| bye""")
        assert [node.type for node in graph.nodes] == ["start_message", "api", "message", "end_message", "api"]
        assert flowgraph.check(graph) == []

    def test_or_are_said_by_a_class(self) -> None:
        graph = read_mermaid("graph TD\na:::assistant --> b\nclass b user")
        assert [node.type for node in graph.nodes] == ["assistant", "user"]
        assert graph.kind == "conversation_graph"

    def test_ids_that_are_ours_are_kept(self) -> None:
        assert [node.id for node in read_mermaid("graph TD\nN7 --> N3").nodes] == ["N7", "N3"]


@given(drawings())
def test_what_was_written_reads_as_the_same_graph(graph: Graph) -> None:
    assert read_mermaid(write_mermaid(graph), id=graph.id) == graph


class TestProblems:
    def test_all_are_told_at_once(self) -> None:
        with pytest.raises(BadFile) as caught:
            read_mermaid("flowchart TD\n a --> \n b[[x\n c <--> d\n e -->|f| g h\n", file="late.mmd")
        assert str(caught.value).splitlines() == [
            "late.mmd is no sound flowchart, 3 problems:",
            "  late.mmd:3: '[[x' cannot be read (expected nodes and arrows: a[Text] -->|text| b)",
            "  late.mmd:4: an arrow with two heads (draw two arrows)",
            "  late.mmd:5: 'h' cannot be read (expected nodes and arrows: a[Text] -->|text| b)",
        ]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "this is no flowchart"),
            ("sequenceDiagram\n a->>b: hi", "this is no flowchart"),
            ("graph TD", "no node"),
        ],
    )
    def test_other_texts(self, text: str, says: str) -> None:
        with pytest.raises(BadFile, match=says):
            read_mermaid(text)

    def test_ids_that_cannot_be_written(self) -> None:
        with pytest.raises(BadSetting, match="the id 'the start' cannot stand in a flowchart"):
            write_mermaid(Graph(id="g", kind="flowgraph", nodes=(Node(id="the start", type="message", text="Hi"),)))

    @given(st.text('ab[](){}<>|-=.~&;:"%\n @/\\ xo', max_size=60))
    def test_any_text_is_read_or_complained_about(self, text: str) -> None:
        try:
            graph = read_mermaid(f"flowchart TD\n{text}")
        except BadFile:
            return
        assert [node.text for node in read_mermaid(write_mermaid(graph)).nodes] == [node.text for node in graph.nodes]
