"""The flowgraph of a procedure by a model (ALMITA 3.4): read as flow text, checked, mended by the model itself.

Ours is made by rule, and valid by construction; this one is for whoever compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from toologue.errors import UserError
from toologue.formats.flow import read_flow_text
from toologue.formats.procedure import write
from toologue.models.ask import ask_until_valid, bullets, render_prompt
from toologue.models.model import Model
from toologue.procedure.flowgraph import check
from toologue.schema import Graph, Procedure

_FLOW = re.compile(r"<flow>(.*?)(?:</flow>|\Z)", re.DOTALL)


class AskedGraph(NamedTuple):
    """What a model drew, or None where it cannot be read or breaks a rule; what was wrong with each try."""

    graph: Graph | None
    problems: tuple[tuple[str, ...], ...]


async def ask_flowgraph(procedure: Procedure, model: Model, *, tries: int = 3, seed: int = 0) -> AskedGraph:
    """The flowgraph that a model draws of a procedure. Raises ModelFault."""
    wrong = list[tuple[str, ...]]()

    def parse(reply: str) -> tuple[Graph | None, str]:
        graph, problems = _read(reply, procedure)
        wrong.append(tuple(problems))
        again = f"These rules are broken:\n{bullets(problems)}\nAnswer with the whole flowchart again."
        return graph, again if problems else ""

    slots = {"procedure": write(procedure), "apis": ", ".join(procedure.calls) or "none"}
    prompt = render_prompt(__file__, "ask_flowgraph.txt", **slots)
    found = await ask_until_valid(model, prompt, parse, seed, "flowgraph", procedure.id, tries=tries)
    return AskedGraph(None if wrong[-1] else found.value, tuple(wrong))


def _read(reply: str, procedure: Procedure) -> tuple[Graph | None, Sequence[str]]:
    found = _FLOW.search(reply)
    try:
        graph = read_flow_text(found[1] if found else reply, id=procedure.id)
    except UserError as error:
        return None, [str(error)]
    if graph.kind != "flowgraph":
        return None, ["this is a conversation graph, and a flowchart is wanted"]
    calls = [node for node in graph.nodes if node.type == "api" and node.text not in procedure.calls]
    unknown = (f"unknown call: {node.id}: {node.text!r} is called nowhere in the procedure" for node in calls)
    return graph, [*map(str, check(graph)), *unknown]
