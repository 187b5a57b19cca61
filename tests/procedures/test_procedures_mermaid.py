"""Mermaid: graphs are written as flowcharts that GitHub draws."""

from __future__ import annotations

import pytest

from toologue.errors import BadSetting
from toologue.formats.flow import read_flow_text, write_mermaid
from toologue.schema import Graph, Node


def test_a_graph_is_a_flowchart() -> None:
    graph = read_flow_text('[N0](start_message){Greet "them"} [N1](api){get_parcel} [E0](N0, N1){late\nparcel}')
    assert write_mermaid(graph) == (
        "flowchart TD\n"
        '    N0(["Greet #34;them#34;"]):::start_message\n'
        '    N1[["get_parcel"]]:::api\n'
        '    N0 -->|"late<br/>parcel"| N1\n'
        "    classDef start_message fill:#dbeafe,stroke:#1d4ed8\n"
        "    classDef api fill:#1f2937,stroke:#111827,color:#ffffff\n"
    )


def test_ids_that_cannot_be_written() -> None:
    with pytest.raises(BadSetting, match="the id 'the start' cannot stand in a flowchart"):
        write_mermaid(Graph(id="g", kind="flowgraph", nodes=(Node(id="the start", type="message", text="Hi"),)))
