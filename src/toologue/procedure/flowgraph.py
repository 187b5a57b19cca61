"""Flowgraphs: a procedure as nodes of what the agent does and links of what comes back (ALMITA 3.4, A.4).

`flowgraph` makes one by algorithm; `check` names every rule that one breaks, whoever made it. A step with a limit is
entered by two links for each one there was: the way in, until it was entered so often, and the way round it from then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toologue.schema import Branch, Graph, Limit, Link, Node, NodeType, Procedure, Step, Tries
from toologue.schema.procedure import reached


class Violation(NamedTuple):
    """A broken rule: its name, the node or link, and what is wrong there."""

    rule: str
    at: str
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.at}: {self.why}"


def misnamed(graph: Graph) -> Iterator[Violation]:
    """The ids that are not N, or E, and a number (A.4)."""
    for rule, letter, named in (("node ids", "N", graph.nodes), ("link ids", "E", graph.links)):
        for one in named:
            if not re.fullmatch(rf"{letter}(?:0|[1-9]\d*)", one.id, re.ASCII):
                yield Violation(rule, one.id, f"an id is {letter} and a number")


def lost(graph: Graph, starts: Sequence[str]) -> Iterator[Violation]:
    """The nodes that the starts do not lead to, and those that do not lead to an end."""
    onward = {node.id: [link.target for link in graph.exits(node.id)] for node in graph.nodes}
    back: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for link in graph.links:
        back[link.target].append(link.source)
    there, ending = reached(starts, onward), reached(graph.leaves, back)
    for node in graph.nodes:
        if node.id not in there:
            yield Violation("unreachable", node.id, "the start does not lead there")
        elif node.id not in ending:
            yield Violation("no way out", node.id, "no way leads from it to an end")


GREETING = "Greet the customer and ask what you can do for them"
_TYPES: Mapping[str, NodeType] = {"ask": "message", "say": "message", "call": "api", "end": "end_message"}


def flowgraph(procedure: Procedure) -> Graph:
    """The flowgraph of a sound procedure."""
    nodes = [Node(id="N0", type="start_message", text=procedure.greeting or GREETING), *map(_node, procedure.steps)]
    opening = Link(id="", source="N0", target="N1", text=procedure.issue or procedure.title)
    links = [opening, *(link for step in procedure.steps for link in _exits(step))]
    limits = {f"N{step.number}": step.limit for step in procedure.steps if step.limit}
    calls = {f"N{step.number}" for step in procedure.steps if step.kind == "call"}
    bounded = [one for link in links for one in _bounded(link, limits.get(link.target), link.source in calls)]
    numbered = tuple(link.replace(id=f"E{number}") for number, link in enumerate(bounded))
    return Graph(id=procedure.id, kind="flowgraph", nodes=tuple(nodes), links=numbered)


def check(graph: Graph) -> list[Violation]:
    """Every rule of flowgraphs that this graph breaks."""
    starts = [node.id for node in graph.nodes if node.type == "start_message"]
    found = [*misnamed(graph), *_starts(graph, starts)]
    for node in graph.nodes:
        exits = graph.exits(node.id)
        if not node.text.strip():
            found.append(Violation("silent node", node.id, "it does not say what to do"))
        if node.type == "end_message" and exits:
            found.append(Violation("end goes on", node.id, f"{exits[0].id} leads out of an end_message"))
        if node.type != "end_message" and not exits:
            found.append(Violation("end is no end", node.id, f"nothing leads on from a node of type {node.type}"))
        silent = [link.id for link in exits if not link.text.strip()]
        if silent and node.type != "end_message":
            rule, what = ("silent output", "output") if node.type == "api" else ("silent reply", "reply")
            found.append(Violation(rule, silent[0], f"an exit of {node.id} does not say the {what}"))
        found += _twins(node.id, exits)
    return [*found, *lost(graph, starts or graph.roots)]


def _node(step: Step) -> Node:
    texts = {"ask": f"Ask {step.text}", "say": f"Say {step.text}", "call": step.api}
    return Node(
        id=f"N{step.number}",
        type=_TYPES[step.kind],
        text=texts.get(step.kind, step.text[:1].upper() + step.text[1:]),
        step=step.number,
        line=step.line,
        collects=step.collects,
        arguments=step.arguments,
        result=step.result,
    )


def _exits(step: Step) -> Iterator[Link]:
    source = f"N{step.number}"
    for branch in step.branches:
        text, condition = _reply(step, branch), branch.condition
        if step.kind == "call":
            text, condition = _output(branch), _guarded(branch)
        target, line = f"N{branch.target}", branch.line
        yield Link(id="", source=source, target=target, text=text, condition=condition, sets=branch.sets, line=line)
    if step.next is not None:
        text, condition = ("Succeeds", "not error") if step.kind == "call" else (_reply(step), "")
        yield Link(id="", source=source, target=f"N{step.next}", text=text, condition=condition, line=step.line)


def _bounded(link: Link, limit: Limit | None, labelled: bool) -> Iterator[Link]:
    """A link, and the way round its target that opens when the target was entered often enough."""
    if limit is None:
        yield link
        return
    tries = Tries(node=link.target, times=limit.times)
    text = f"{link.text}, after {limit.times} tr{'ies' if limit.times > 1 else 'y'}" if labelled else link.text
    yield link.replace(tries=tries)
    yield link.replace(target=f"N{limit.then}", text=text, tries=tries.replace(over=True))


def _output(branch: Branch) -> str:
    failed = re.fullmatch(r'error\.type == "(.+)"', branch.condition)
    if failed:
        return f"Fails: {failed[1].replace('_', ' ')}"
    return "Fails" if branch.condition == "error" else branch.condition or "Otherwise"


def _guarded(branch: Branch) -> str:
    """The condition of an output: results can be looked at only where the call did not fail."""
    if branch.is_failure:
        return branch.condition
    return f"not error and ({branch.condition})" if branch.condition else "not error"


def _reply(step: Step, branch: Branch | None = None) -> str:
    if branch and branch.answer:
        return branch.answer
    if step.collects:
        *most, last = step.collects
        return f"Gives {', '.join(most)} and {last}" if most else f"Gives {last}"
    return "Says something else" if any(branch.answer for branch in step.branches) else "Acknowledges"


def _starts(graph: Graph, starts: list[str]) -> Iterator[Violation]:
    if (count := len(starts)) != 1:
        yield Violation("one start", ", ".join(starts), f"{count} nodes are of type start_message, and one should be")
    for link in graph.links:
        if link.target in starts:
            yield Violation("one start", link.id, f"it leads back to the start, {link.target}")


def _twins(node: str, exits: tuple[Link, ...]) -> Iterator[Violation]:
    told = Counter((link.text.casefold().strip(), link.condition, link.tries and link.tries.over) for link in exits)
    for (text, _, _), times in told.items():
        if times > 1 and text:
            yield Violation("same exit twice", node, f"{times} exits say {text!r}, and nothing tells them apart")
