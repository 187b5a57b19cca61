"""Coverage: which steps and ways of a procedure conversations take, which of them an agent gets right; what to look at.

A node, link or pair is covered by the suite if a conversation leads through it, by an agent if one that it passed does.
Each step, and each way that leads on from it, is, for each agent,

    failed    the agent went wrong right here, at least once
    passed    a conversation that it passed leads through here, and it never went wrong here
    unsure    it never went wrong here, and whether a step here is right is unsure, at least once
    seen      only conversations lead through here that it did not pass, for what it did elsewhere
    unseen    no conversation leads through here

Contract: pure. Where an agent went wrong is read off the verdict's mismatches (protocol `next`, in which the turns of a
trace are those of the gold); under other protocols nothing is `failed`. Conversations belong to the procedure that
their origin names; a conversation of another one is left out. What to look at first are `spots`: what is wrong at the
same line, in the same way, is one, with one conversation as its example.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from toologue.plan.procedures.paths import Coverage, coverage, way_lines
from toologue.plan.procedures.prose import Preamble
from toologue.report.view import Charted, Conversation, Report
from toologue.report.words import cut, explain, fault_words, merged, round_of, stop_words
from toologue.schema import Dialogue, Graph, Link, Mismatch, Severity, Turn, Walk
from toologue.score.knowledge import noise_of
from toologue.score.metric import done_at
from toologue.score.steps import SEVERITIES
from toologue.values.json_schema import list_of

_LONGEST = 300
_SUCCEEDED = "not error and ("  # what a flowgraph puts before the condition of a call's branch
State = Literal["passed", "failed", "unsure", "seen", "unseen"]


class Sight(NamedTuple):
    """Coverage by what an agent passed; how often it was tested, wrong and unsure, in a node or behind a link."""

    coverage: Coverage
    tests: Counter[str]
    wrong: Counter[str]
    unsure: Counter[str]

    def look(self, id: str, where: Literal["nodes", "edges"], *, seen: bool) -> tuple[State, str]:
        """The state of a node or a link, and what it means."""
        if not seen:
            return "unseen", "in no conversation"
        if self.wrong[id]:
            return "failed", f"wrong here {self.wrong[id]} of {self.tests[id]} times"
        if id in getattr(self.coverage, where).seen:
            return "passed", "passed"
        if self.unsure[id]:
            return "unsure", f"unsure here {self.unsure[id]} of {self.tests[id]} times"
        return "seen", "only in conversations that did not pass"


class Marked(NamedTuple):
    """A step, or one of the ways that lead on from it, and (state, the same in words) for each agent."""

    id: str
    step: str
    text: str
    is_call: bool
    seen: bool
    states: Sequence[tuple[State, str]]


class Chart(NamedTuple):
    """A procedure with its coverage, and in words what no conversation reaches, and what would."""

    file: str
    times: int
    suite: Coverage
    unreached: Sequence[object]
    runs: Sequence[tuple[str, Coverage]]
    lines: Sequence[Marked]
    preamble: Preamble


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

    def marked(id: str, where: Literal["nodes", "edges"], step: str, text: str, *, is_call: bool = False) -> Marked:
        seen = id in getattr(suite, where).seen
        return Marked(id, step, cut(text, _LONGEST), is_call, seen, [one.look(id, where, seen=seen) for one in sights])

    asked = {link.target: link.source for link in graph.links if graph.by_id[link.target].type == "user"}
    ways: dict[str, list[Link]] = {}
    for link in graph.links:
        if link.target not in asked:
            ways.setdefault(asked.get(link.source, link.source), []).append(link)
    lines = list[Marked]()
    for node in sorted(graph.nodes, key=lambda node: node.step or 0):
        if node.type != "user":
            text = "The customer writes" if node.id in graph.roots else node.text
            lines.append(marked(node.id, "nodes", str(node.step or "·"), text, is_call=node.type == "api"))
            lines += [marked(way.id, "edges", "", _said(graph, way)) for way in ways.get(node.id, ())]
    found = [(run, sight.coverage) for run, sight in zip(runs, sights, strict=True)]
    return Chart(charted.file, len(charted.golds), suite, charted.unreached, found, lines, charted.preamble)


def _said(graph: Graph, way: Link) -> str:
    """What the customer answered, or what a call came to, and where that leads."""
    source, target = graph.by_id[way.source], graph.by_id[way.target]
    said = way.text or (source.text if source.type == "user" else way.condition or "")
    return f"{said} → {f'step {target.step}' if target.step else 'the end'}"


def _turns_that_are(
    conversation: Conversation, verdict: Literal["wrong", "unsure"], *, harm: bool = False
) -> frozenset[int]:
    found = conversation.verdict if conversation.trace.protocol == "next" else None
    some = (one for one in (found.at if found else ()) if one.verdict == verdict)
    at = (one.turn for one in some if not harm or one.severity not in (None, "no harm"))
    return frozenset(turn for turn in at if turn is not None)


def _entered(graph: Graph, turns: Sequence[Turn], path: frozenset[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
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


def _because(graph: Graph, gold: Dialogue, turn: int) -> list[str]:
    """By which condition of which step the gold's turn follows, in a line; nothing where no single one decides that."""
    path = frozenset(walk_of(graph, gold).links)
    _, *taken = dict(_entered(graph, gold.turns, path)).get(turn, ("",))
    link = graph.by_link[taken[0]] if taken else None
    step = graph.by_id[link.source].step if link else None
    if link is None or step is None:
        return []
    ways = graph.exits(link.source)
    if sum(way.target == link.target and way.id in path for way in ways) > 1:
        return []
    guarded = link.condition.removeprefix(_SUCCEEDED)
    held = guarded.removesuffix(")") if guarded != link.condition else guarded
    if held not in ("", "not error"):
        tries = f", after {link.tries.times} tries" if link.tries and link.tries.over else ""
        return [f"expected since `{held}` of step {step} holds{tries}"]
    others = any(way.condition.startswith(_SUCCEEDED) for way in ways)
    return [f"expected since no condition of step {step} holds"] if others else []


def _strayed(turns: Sequence[Turn]) -> Iterator[tuple[int, str]]:
    for number, turn in enumerate(turns):
        if turn.role == "user":
            kind = noise_of(turn) or turn.extra.get("detour")
            if isinstance(kind, str):
                yield number, kind.replace("_", " ")


def never_right(charted: Iterable[Charted], conversations: Sequence[Conversation], *, strict: bool) -> Iterator[str]:
    """The ways, each with its place, that an agent never goes right, and goes with harm; `strict`: with harm or not."""
    for one in charted:
        graph, tests, wrong, harmful = one.graph, Counter[str](), Counter[str](), set[str]()
        for conversation in conversations:
            if conversation.gold.origin.get("procedure") != graph.id or conversation.status == "unscored":
                continue
            mistakes = _turns_that_are(conversation, "wrong")
            harms = mistakes if strict else _turns_that_are(conversation, "wrong", harm=True)
            path = frozenset(walk_of(graph, conversation.gold).links)
            for turn, (_, *way) in _entered(graph, conversation.gold.turns, path):
                tests.update(way)
                wrong.update(way if turn in mistakes else ())
                harmful.update(way if turn in harms else ())
        ways = way_lines(graph, (way for way in harmful if wrong[way] == tests[way]))
        yield from (f"{one.file}:{way.line}, step {way.step}: {way.text}" for way in ways if way.line)


class Spot(NamedTuple):
    """A place where an agent goes wrong, or may: how badly, how often, an example, and what is in it, line by line.

    The severity is None where nobody knows whether it is wrong.
    """

    file: str
    line: int
    step: int | None
    severity: Severity | None
    times: int
    conversation: str
    round: int
    what: Sequence[str]

    @property
    def where(self) -> str:
        """The place in the procedure."""
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}" + (f", step {self.step}" if self.step else "")


def spots(
    charted: Iterable[Charted], conversations: Iterable[Conversation], verdict: Literal["wrong", "unsure"] = "wrong"
) -> list[Spot]:
    """The spots of this verdict, those to look at first ahead: the worst and the most frequent."""
    procedures = {one.graph.id: one for one in charted}
    found: dict[tuple[str, int, str | None, str], Spot] = {}
    for conversation in conversations:
        procedure = procedures.get(str(conversation.gold.origin.get("procedure")))
        if procedure is not None:
            for kind, spot in _of(procedure, conversation, verdict):
                key = (spot.file, spot.line, spot.severity, kind)
                known = found.setdefault(key, spot)
                found[key] = known._replace(times=known.times + 1)
    bad = {None: -1, **{severity: number for number, severity in enumerate(SEVERITIES)}}
    return sorted(found.values(), key=lambda one: (-bad[one.severity], -one.times, one.file, one.line))


def _of(
    procedure: Charted, conversation: Conversation, verdict: Literal["wrong", "unsure"]
) -> Iterator[tuple[str, Spot]]:
    """(what kind of difference, the spot) of each step of this verdict."""
    gold, lived = conversation.gold, conversation.trace.turns
    by_turn: dict[int, list[Mismatch]] = {}
    for mismatch in conversation.verdict.at if conversation.verdict else ():
        if mismatch.turn is not None and mismatch.turn < len(gold.turns):
            by_turn.setdefault(mismatch.turn, []).append(mismatch)
    for turn, told in by_turn.items():
        wrong = [one for one in told if one.verdict == "wrong"]
        at = wrong if verdict == "wrong" else [] if wrong else told
        if not at:
            continue
        wanted = gold.turns[turn]
        did = done_at(conversation.trace, turn)
        node = procedure.graph.by_id.get(wanted.node or "")
        found = (SEVERITIES.index(one.severity or "no harm") for one in at)
        severity = SEVERITIES[max(found)] if wrong else None
        noise = noise_of(gold.turns[turn - 1]) if turn and not node else ""
        what = [f"after {noise.replace('_', ' ')}"] if noise else []
        what += [cut(explain(mismatch).removeprefix("unsure: "), 1000) for mismatch in merged(at)]
        what += _because(procedure.graph, gold, turn) if severity not in (None, "no harm") else []
        what += [fault_words(did.error)] if did.error else []
        what += [stop_words(conversation)] if turn >= len(lived) and stop_words(conversation) else []
        before = (
            procedure.graph.by_id.get(said.node or "") for said in reversed(gold.turns[:turn]) if said.role == "agent"
        )
        place = node or next(filter(None, before), None)  # else where the agent spoke last
        line, step = (place.line, place.step) if place else (0, None)
        spot = Spot(procedure.file, line, step, severity, 0, gold.id, 1 + (round_of(gold.turns, turn) or 0), what)
        yield f"{noise} {did.error.type if did.error else at[0].field}", spot
