"""Coverage: which steps and ways of a procedure the conversations take, and which of them an agent gets right.

A node, link or pair is covered by the suite if a conversation leads through it, by an agent if one that it passed does.
In a drawing each node and link is, for each agent,

    failed    the agent went wrong right here, at least once
    passed    a conversation that it passed leads through here, and it never went wrong here
    unsure    it never went wrong here, and whether a step here is right is unsure, at least once
    seen      only conversations lead through here that it did not pass, for what it did elsewhere
    unseen    no conversation leads through here

Contract: pure. Where an agent went wrong is read off the verdict's mismatches (protocol `next`, in which the turns of a
trace are those of the gold); under other protocols nothing is `failed`. Conversations belong to the procedure that
their origin names; a conversation of another one is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from toologue.plan.procedures.paths import Coverage, Missing, coverage, missing_lines
from toologue.report.drawing import Drawing, DrawnLink, DrawnStep, draw
from toologue.report.view import Charted, Conversation, Report
from toologue.schema import Dialogue, Graph, Turn, Walk
from toologue.score.knowledge import noise_of
from toologue.values.json_schema import list_of

State = Literal["passed", "failed", "unsure", "seen", "unseen"]


class Sight(NamedTuple):
    """Coverage by what an agent passed; how often it was tested, wrong and unsure, in a node or behind a link."""

    coverage: Coverage
    tests: Counter[str]
    wrong: Counter[str]
    unsure: Counter[str]

    def look(self, id: str, *, passed: bool, seen: bool) -> tuple[State, str]:
        """The state of a node or a link, and what it means."""
        if self.wrong[id]:
            return "failed", f"wrong here {self.wrong[id]} of {self.tests[id]} times"
        if passed:
            return "passed", "passed"
        if self.unsure[id]:
            return "unsure", f"unsure here {self.unsure[id]} of {self.tests[id]} times"
        return "seen" if seen else "unseen", "only in conversations that it did not pass"


class Marked(NamedTuple):
    """A box or an arrow of the drawing, its state for each agent, and the same in words."""

    drawn: DrawnStep | DrawnLink
    states: Sequence[State]
    seen: bool
    title: str


class Chart(NamedTuple):
    """A procedure with its coverage. `drawing` is None where it is too large to be read."""

    file: str
    times: int
    suite: Coverage
    missing: Sequence[Missing]
    # In words, with what would reach it.
    unreached: Sequence[object]
    runs: Sequence[tuple[str, Coverage, Sequence[Missing]]]
    drawing: Drawing | None
    steps: Sequence[Marked]
    links: Sequence[Marked]


class Detour(NamedTuple):
    """A way to leave the straight path: how often customers do, and per agent (right, unsure and all answers)."""

    kind: str
    times: int
    right: Sequence[tuple[int, int, int]]


class Covered(NamedTuple):
    """The coverage of a report."""

    charts: Sequence[Chart]
    detours: Sequence[Detour]


def covered(report: Report) -> Covered:
    """The coverage of each procedure, and of what else customers do. Conversations of a run are gone through once."""
    if not report.charted:
        return Covered((), ())
    strays = Counter(kind for charted in report.charted for gold in charted.golds for _, kind in _strayed(gold.turns))
    looks = [_looked(report.charted, run.all) for run in report.runs]
    names = [run.name for run in report.runs]
    charts = [_chart(charted, names, [sights[charted.graph.id] for sights, _ in looks]) for charted in report.charted]
    nothing = 0, 0, 0
    detours = [Detour(kind, n, [right.get(kind, nothing) for _, right in looks]) for kind, n in sorted(strays.items())]
    return Covered(charts, detours)


def walk_of(graph: Graph, gold: Dialogue) -> Walk:
    """The way that a conversation takes through the graph."""
    path = [str(id) for id in list_of(gold.origin.get("path")) if str(id) in graph.by_link]
    nodes = [graph.by_link[id].target for id in path]
    return Walk(graph=graph.id, nodes=(graph.roots[0], *nodes), links=tuple(path))


def sight_of(charted: Charted, conversations: Iterable[Conversation]) -> Sight:
    """What an agent's conversations make of a procedure."""
    return _looked([charted], conversations)[0][charted.graph.id]


def _looked(
    charted: Sequence[Charted], conversations: Iterable[Conversation]
) -> tuple[Mapping[str, Sight], Mapping[str, tuple[int, int, int]]]:
    """What an agent's conversations make of each procedure; (right, unsure, all answers) for what strays from them."""
    graphs = {one.graph.id: one.graph for one in charted}
    walks = {id: list[Walk]() for id in graphs}
    tests, wrong, unsure = ({id: Counter[str]() for id in graphs} for _ in range(3))
    right, doubted, answers = Counter[str](), Counter[str](), Counter[str]()
    for conversation in conversations:
        id, turns = str(conversation.gold.origin.get("procedure")), conversation.gold.turns
        if id not in graphs or conversation.status == "unscored":
            continue
        walk, mistakes = walk_of(graphs[id], conversation.gold), _turns_that_are(conversation, "wrong")
        doubts = _turns_that_are(conversation, "unsure") - mistakes
        if conversation.passed:
            walks[id].append(walk)
        for turn, places in _entered(graphs[id], turns, frozenset(walk.links)):
            tests[id].update(places)
            wrong[id].update(places if turn in mistakes else ())
            unsure[id].update(places if turn in doubts else ())
        for turn, kind in _strayed(turns):
            answers[kind] += 1
            doubted[kind] += turn + 1 in doubts
            right[kind] += turn + 1 not in mistakes | doubts
    sights = {id: Sight(coverage(graph, walks[id]), tests[id], wrong[id], unsure[id]) for id, graph in graphs.items()}
    return sights, {kind: (right[kind], doubted[kind], times) for kind, times in answers.items()}


def _chart(charted: Charted, runs: Sequence[str], sights: Sequence[Sight]) -> Chart:
    graph = charted.graph
    suite = coverage(graph, (walk_of(graph, gold) for gold in charted.golds))
    drawing = draw(graph)

    def marked(drawn: DrawnStep | DrawnLink, where: Literal["nodes", "edges"]) -> Marked:
        seen = drawn.id in getattr(suite, where).seen
        found = [s.look(drawn.id, passed=drawn.id in getattr(s.coverage, where).seen, seen=seen) for s in sights]
        said = [f"{run}: {what}" for run, (_, what) in zip(runs, found, strict=True)]
        words = [drawn.title, *(said if seen else ["No conversation leads through here."])]
        return Marked(drawn, [state for state, _ in found], seen, "\n".join(words))

    return Chart(
        charted.file,
        len(charted.golds),
        suite,
        missing_lines(graph, suite),
        charted.unreached,
        [(run, s.coverage, missing_lines(graph, s.coverage)) for run, s in zip(runs, sights, strict=True)],
        drawing,
        [marked(step, "nodes") for step in drawing.steps] if drawing else [],
        [marked(link, "edges") for link in drawing.links] if drawing else [],
    )


def _turns_that_are(conversation: Conversation, verdict: Literal["wrong", "unsure"]) -> frozenset[int]:
    if conversation.trace.protocol != "next" or conversation.verdict is None:
        return frozenset()
    at = (mismatch for mismatch in conversation.verdict.at if mismatch.verdict == verdict)
    return frozenset(mismatch.turn for mismatch in at if mismatch.turn is not None)


def _entered(graph: Graph, turns: Sequence[Turn], path: frozenset[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """For each of the agent's turns its node, and the link that led to it."""
    before = graph.roots[0]
    for number, turn in enumerate(turns):
        node = turn.node
        if node is None or node not in graph.by_id:
            continue
        ways = [link.id for link in graph.exits(before) if link.target == node]
        taken = next((id for id in ways if id in path), next(iter(ways), None))
        before = node
        if turn.role == "agent":
            yield number, (node,) if taken is None else (node, taken)


def _strayed(turns: Sequence[Turn]) -> Iterator[tuple[int, str]]:
    """The customer's turns that leave the straight path, by kind."""
    for number, turn in enumerate(turns):
        if turn.role == "user":
            kind = noise_of(turn) or turn.extra.get("detour")
            if isinstance(kind, str):
                yield number, kind.replace("_", " ")
