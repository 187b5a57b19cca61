"""Noise in a conversation graph: what no procedure foresees, and how the agent meets it (ALMITA 3.6).

Behind each assistant node that is answered, with chance `p`, a user node is added that is noise, and behind it an
assistant node that declines. `published`: that node has no exit, the conversation ends there. `resume` (ours): it asks
again, and has the exits of the node before; the noise itself comes once.

Contract: a valid conversation graph stays one. One seed, one graph; a higher `p` adds to what a lower one adds.

Example:
    >>> from toologue.procedure.conversation_graph import check, conversation_graph
    >>> from toologue.procedure.flowgraph import flowgraph
    >>> from toologue.plan.procedures import procedure
    >>> graph = conversation_graph(flowgraph(procedure("order-not-received")))
    >>> noisy = with_noise(graph, 0.2, seed=4)
    >>> [node.noise for node in noisy.nodes if node.type == "user" and node.noise], check(noisy)
    (['data_fishing'], [])

Not covered: noise in conversations; `plan.talk` puts it where customers speak, a new one each time.
"""

from __future__ import annotations

from itertools import count
from random import Random

from toologue import keys
from toologue.errors import BadSetting
from toologue.plan.procedures.noise_bank import NOISE_KINDS, noise_bank
from toologue.plan.procedures.plan_dialogue import NoiseMode
from toologue.schema import Graph, Link, Node


def with_noise(graph: Graph, p: float = 0.2, *, mode: NoiseMode = "resume", seed: int = 0) -> Graph:
    """The graph with noise behind some of its assistant nodes. Raises BadSetting for a chance that is none."""
    if not 0 <= p <= 1:
        raise BadSetting(f"p is {p}: a chance from 0 to 1 is wanted, for example 0.2")
    nodes, links = list(graph.nodes), list(graph.links)
    numbers = (count(1 + max(_number(one.id) for one in some)) for some in (graph.nodes, graph.links or graph.nodes))
    node_ids, link_ids = (map(f"{letter}{{}}".format, free) for letter, free in zip("NE", numbers, strict=True))

    def join(source: str, *targets: str) -> None:
        links.extend(Link(id=next(link_ids), source=source, target=target) for target in targets)

    for node in graph.nodes:
        rng = Random(keys.seed_of(seed, "noise", graph.id, node.id))
        if node.type != "assistant" or not graph.exits(node.id) or rng.random() >= p:
            continue
        message = rng.choice(noise_bank().of(rng.choice(NOISE_KINDS)))
        said = Node(id=next(node_ids), type="user", text=message.text, noise=message.kind, line=node.line)
        reply = rng.choice(noise_bank().replies_to(message))
        answer = said.but(id=next(node_ids), type="assistant", text=reply, step=node.step)
        nodes += [said, answer]
        join(node.id, said.id)
        join(said.id, answer.id)
        if mode == "resume":
            join(answer.id, *dict.fromkeys(exit.target for exit in graph.exits(node.id)))
    return Graph(id=graph.id, kind=graph.kind, nodes=tuple(nodes), links=tuple(links))


def _number(id: str) -> int:
    return int(id[1:]) if id[1:].isdecimal() else 0
