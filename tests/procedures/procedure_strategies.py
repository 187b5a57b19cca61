"""Strategies: sound procedures with cycles, limits and guarded answers, and graphs of every kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from toologue.schema import Branch, Graph, Limit, Link, Node, Procedure, Step
from toologue.schema.procedure import reached

AWKWARD = [
    "",
    "{",
    "}",
    "\\",
    "{order.status}",
    "a\nb",
    "[N0](api){x}",
    '"',
    "`x`",
    "|",
    "<br>",
    "#35;",
    "&amp;",
    "</flow>",
]
texts = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


@st.composite
def procedures(draw: st.DrawFn, limits: bool = True) -> Procedure:
    """A procedure in which everything is reached, and an End lies ahead of every step."""
    count = draw(st.integers(2, 9))
    numbers = range(1, count + 1)
    kinds = ["ask", *(draw(st.sampled_from(["ask", "say", "call", "call", "end"])) for _ in range(count - 2)), "end"]
    kinds[0] = draw(st.sampled_from(["ask", "say", "call"]))
    targets: dict[int, list[int]] = {number: [] for number in numbers if kinds[number - 1] != "end"}
    for number in targets:
        targets[number].append(draw(st.integers(number + 1, count)))  # an end lies ahead
        targets[number] += draw(st.lists(st.sampled_from(list(numbers)), max_size=3))
    for number in numbers[1:]:
        earlier = [source for source in targets if source < number]
        if not any(number in targets[source] for source in earlier):  # everything is reached
            targets[draw(st.sampled_from(earlier))].append(number)
    steps = [draw(_step(number, kinds[number - 1], targets.get(number, []))) for number in numbers]
    ends = [step.number for step in steps if step.kind == "end"]
    onward = {number: targets.get(number, []) for number in numbers}
    for place, step in enumerate(steps):
        again = step.number in reached(onward[step.number], onward)
        if limits and place and again and draw(st.integers(0, 2)) == 0:
            limit = Limit(times=draw(st.integers(1, 3)), then=draw(st.sampled_from(ends)))
            steps[place] = step.replace(limit=limit)
    return Procedure(id="made", title="Made up", facts={"known": 1}, steps=tuple(steps))


@st.composite
def _step(draw: st.DrawFn, number: int, kind: Any, targets: list[int]) -> Step:
    fields: dict[str, Any] = {"number": number, "kind": kind, "text": f"what to do in the {number}th place"}
    if kind == "end":
        return Step(**fields)
    if kind == "ask" and (len(targets) == 1 or draw(st.booleans())):
        fields["collects"] = (f"slot{number}",)
    if kind == "call":
        fields |= {"api": f"do_{number}", "arguments": {"of": "known"}, "result": f"result{number}", "text": ""}
    if len(targets) == 1 and draw(st.booleans()):
        return Step(**fields, next=targets[0])
    *most, last = targets
    if kind == "call":
        failures = draw(st.integers(0, len(most)))
        branches = [
            Branch(condition=f'error.type == "kind_{place}"' if place < failures else f"known > {place}", target=target)
            for place, target in enumerate(most)
        ]
        if failures == len(most) and draw(st.booleans()):
            return Step(**fields, branches=tuple(branches), next=last)
        return Step(**fields, branches=(*branches, Branch(target=last)))
    guarded = draw(st.booleans())
    branches = [
        Branch(answer=f"answer {place // 2}", condition=f"known > {place}" if guarded else "", target=target)
        if guarded
        else Branch(answer=f"answer {place}", target=target, sets={"said": "known"} if place % 2 else {})
        for place, target in enumerate(most)
    ]
    return Step(**fields, branches=(*branches, Branch(target=last)))


@st.composite
def drawings(draw: st.DrawFn) -> Graph:
    """A graph of ids, types and texts, whatever they are."""
    types = draw(st.sampled_from([("start_message", "message", "api", "end_message"), ("assistant", "user", "api")]))
    count = draw(st.integers(1, 6))
    nodes = [Node(id=f"N{place}", type=draw(st.sampled_from(types)), text=draw(texts)) for place in range(count)]
    ends = st.sampled_from([node.id for node in nodes])
    links = [
        Link(id=f"E{place}", source=draw(ends), target=draw(ends), text=draw(texts))
        for place in range(draw(st.integers(0, 6)))
    ]
    talk = any(node.type in ("assistant", "user") for node in nodes)
    return Graph(id="drawn", kind="conversation_graph" if talk else "flowgraph", nodes=tuple(nodes), links=tuple(links))
