"""Paths through a graph: vanilla random walks, Algorithm 1 of ALMITA (3.7), and covers in as few paths as possible.

    vanilla     at each node any child with equal chances
    weighted    Algorithm 1: a child with a chance inversely proportional to its weight, which is how often it was
                visited, plus one; weights live from path to path, and the root is visited like any other node
    cover       every edge, or every pair of consecutive choices (which takes in every edge), see `plan.flow_cover`

Contract: one seed, one sequence of paths. Samplers stream: a longer run begins with the shorter one. All keep to what
limits on tries allow; without limits `weighted` is the published algorithm to the letter. Where several links lead to
the child that was drawn, one of them is drawn with equal chances.

Example:
    >>> from toologue.formats.flow_text import read
    >>> graph = read('''[N0](start_message){Hi} [N1](api){find} [E0](N0, N1){Late} [N2](message){Try again}
    ...     [E1](N1, N2){Lost} [E2](N2, N1){Here} [N3](end_message){Done} [E3](N1, N3){Found}''')
    >>> [" ".join(walk.nodes) for walk in weighted(graph, 3, seed=1)]
    ['N0 N1 N2 N1 N3', 'N0 N1 N3', 'N0 N1 N2 N1 N2 N1 N3']
    >>> [" ".join(walk.nodes) for walk in cover(graph)]
    ['N0 N1 N2 N1 N2 N1 N3']

Not covered: conditions. A path may be impossible with any data; whoever executes it asks for another one.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from toologue import keys
from toologue.errors import BadSetting
from toologue.plan.procedures.flow_cover import Goal, covering, sights, wanted
from toologue.procedure.steering import Steering
from toologue.schema import Graph, Link, Walk


def vanilla(graph: Graph, count: int, *, seed: int = 0) -> Iterator[Walk]:
    """`count` random walks."""
    rng = random.Random(keys.seed_of(seed, "vanilla"))
    return islice(_walks(graph, rng, rng.choice), count)


def weighted(graph: Graph, count: int, *, seed: int = 0) -> Iterator[Walk]:
    """`count` walks by Algorithm 1."""
    rng = random.Random(keys.seed_of(seed, "weighted"))
    weights = Counter({node.id: 1 for node in graph.nodes})

    def sample_node(children: Sequence[str]) -> str:
        (node,) = rng.choices(children, [1 / weights[child] for child in children])
        weights[node] += 1
        return node

    return islice(_walks(graph, rng, sample_node), count)


def cover(graph: Graph, goal: Goal = "pairs", *, until: float = 1.0, max_loops: int = 2, seed: int = 0) -> list[Walk]:
    """Walks that see a share `until` of all edges, or of all pairs and edges; those that see most come first.

    A node comes at most `1 + max_loops` times in a walk, unless there is no other way to what has to be seen.
    """
    if not 0 <= until <= 1:
        raise BadSetting(f"until is {until}: a share from 0 to 1 is wanted, for example 0.9")
    if max_loops < 0:
        raise BadSetting(f"max_loops is {max_loops}: a number from 0 on is wanted")
    rng = random.Random(keys.seed_of(seed, "cover", goal))
    walks = covering(graph, goal, max_loops=max_loops, rng=rng)
    left = {place: sights(graph, walk, goal) for place, walk in enumerate(walks)}
    everything = wanted(graph, goal)
    missing, order = set(everything), list[Walk]()
    while missing and left and len(everything) - len(missing) < until * len(everything):
        best = max(left, key=lambda place: len(left[place] & missing))
        missing -= left.pop(best)
        order.append(walks[best])
    return order


def _walks(graph: Graph, rng: random.Random, sample_node: Callable[[Sequence[str]], str]) -> Iterator[Walk]:
    """Walks without end, whose nodes are sampled from the children of the last one."""
    steering = Steering(graph)
    while True:
        state, links = steering.start, list[Link]()
        sample_node([state.node])
        while exits := steering.exits(state):
            node = sample_node(list(dict.fromkeys(link.target for link in exits)))
            link = rng.choice([link for link in exits if link.target == node])
            links.append(link)
            state = steering.after(state, link)
        yield steering.walk(links)
