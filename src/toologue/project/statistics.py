"""What a generation run made, counted: as data, and beside the figures of the paper.

The paper is ALMITA (arXiv 2409.15934: section 4.1 and Table 1).

A *test* is a conversation cut at a customer's message or an API's output (3.9): one for each agent turn. Two tests are
one after masking where they differ in values alone; of the steps, where what is answered and the answer are equal so,
whatever was said before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self, cast

from pydantic import Field, JsonValue

from toologue.apis.schemas import object_of
from toologue.formats.procedure import told
from toologue.plan.procedures.far_off import FarOff
from toologue.plan.procedures.paths import Share, coverage
from toologue.plan.procedures.plan_dialogue import Planned
from toologue.plan.procedures.unreached import Unreached
from toologue.procedure.flowgraph import flowgraph
from toologue.report.coverage import walk_of
from toologue.schema import Dialogue, Noun, Procedure, Setting
from toologue.text.verbalize import verbalize
from toologue.values.compare import leaves
from toologue.verify.procedures import Flaw
from toologue.write.wordings import Wording

_NUMBER = re.compile(r"\b(?:[\w.+-]+@[\w.-]*\w|(?=[\w-]*\d)[\w-]+(?:[.,:]\d+)*)")


def masking(values: Iterable[str]) -> Callable[[str], str]:
    """What takes these values, e-mail addresses and numbers out of texts."""
    held = sorted({value for value in values if len(value) > 1}, key=lambda value: (-len(value), value))
    alone = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, held))})(?!\w)", re.IGNORECASE) if held else None
    return lambda text: _NUMBER.sub("0", alone.sub("◇", text) if alone else text)


@dataclass(frozen=True)
class Source:
    """A procedure, the world that its calls are made to, and what a model found to say at its places."""

    procedure: Procedure
    world: Setting
    wordings: tuple[Wording, ...] = ()

    @property
    def named(self) -> str:
        """The world's document, or its name."""
        return str(self.world.arguments.get("document", self.world.name))


@dataclass(frozen=True)
class Made:
    """What came of one procedure."""

    source: Source
    planned: Planned
    dialogues: tuple[Dialogue, ...]
    # (id of a dialogue that was dropped, what is wrong with it)
    flaws: tuple[tuple[str, Flaw], ...] = ()
    dropped: Counter[str] = field(default_factory=Counter[str])
    unreached: tuple[Unreached, ...] = ()
    # (id of a dialogue that has the template's words, what is wrong with those of the model)
    instead: tuple[tuple[str, str], ...] = ()

    @property
    def flawed(self) -> int:
        """How many dialogues were dropped because something is wrong with them."""
        return len({id for id, _ in self.flaws})


Counts = dict[str, int]


class Range(Noun):
    """The least, the mean and the most of some numbers."""

    least: int
    mean: float
    most: int

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Self:
        """The range of numbers; 0 throughout where there are none."""
        held = list(numbers) or [0]
        return cls(least=min(held), mean=round(sum(held) / len(held), 2), most=max(held))

    def __str__(self) -> str:
        return f"{self.mean:.0f} ({self.least}–{self.most})"


class Seen(Noun):
    """What was seen of what there is."""

    seen: int
    all: int

    @classmethod
    def of(cls, share: Share[Any]) -> Self:
        """The counts of a share of coverage."""
        return cls(seen=len(share.seen), all=len(share.all))

    @classmethod
    def sum(cls, shares: Iterable[Self]) -> Self:
        """Shares, added up."""
        held = list(shares)
        return cls(seen=sum(share.seen for share in held), all=sum(share.all for share in held))

    def __str__(self) -> str:
        return f"{self.seen}/{self.all}"


class OfProcedure(Noun):
    """The figures of one procedure. Sizes are (nodes, edges)."""

    id: str
    world: str
    words: int
    steps: int
    apis: int
    flowgraph: tuple[int, int]
    conversation_graph: tuple[int, int]
    conversations: int
    tests: int
    distinct_tests: int
    nodes: Seen
    edges: Seen
    pairs: Seen
    paths: int
    unreached: tuple[Unreached, ...] = ()
    far: tuple[FarOff, ...] = ()


class Statistics(Noun):
    """What a run made. `dropped`: how many plans or conversations each filter took out; the others were kept."""

    format: Literal["statistics/2"] = "statistics/2"
    intents: int
    proposed: int
    planned: int
    dropped: Counts
    conversations: int
    tests: int
    distinct_tests: int
    distinct_steps: int
    tests_a_procedure: Range
    nodes: Seen
    edges: Seen
    pairs: Seen
    # Nodes that a conversation's path takes.
    walked: Range
    turns: Range
    noise: Counts
    detours: Counts
    wrong: Counts
    registers: dict[str, Counts]
    procedures: tuple[OfProcedure, ...] = Field(default=())


class Compared(NamedTuple):
    """A figure beside the paper's, and where that stands."""

    what: str
    ours: str
    almita: str = ""
    auto: str = ""
    where: str = ""


class Census:
    """Counts what is made."""

    def __init__(self) -> None:
        self._procedures, self._intents = list[OfProcedure](), set[str]()
        self._counts = {name: Counter[str]() for name in ("dropped", "noise", "detours", "wrong")}
        self._registers = {role: Counter[str]() for role in ("customer", "agent")}
        self._steps, self._walked, self._turns = set[tuple[str, str]](), list[int](), list[int]()
        self._proposed = self._planned = 0

    def add(self, made: Made) -> None:
        """Count what came of one procedure."""
        procedure, planned = made.source.procedure, made.planned
        prefixes = dict[tuple[int, str], int]()
        tests = [number for dialogue in made.dialogues for number in self._tests(dialogue, prefixes)]
        for dialogue in made.dialogues:
            self._mark(dialogue)
        self._intents.add(procedure.intent or procedure.id)
        self._counts["dropped"] += made.dropped
        self._proposed += planned.tally.proposed
        self._planned += len(planned.plans)
        flow, graph = flowgraph(procedure), planned.graph
        seen = coverage(graph, (walk_of(graph, dialogue) for dialogue in made.dialogues))
        self._procedures.append(
            OfProcedure(
                id=procedure.id,
                world=made.source.named,
                words=len(told(procedure).rpartition("\n---\n")[2].split()),  # after the front matter
                steps=len(procedure.steps),
                apis=len(procedure.calls),
                flowgraph=(len(flow.nodes), len(flow.links)),
                conversation_graph=(len(graph.nodes), len(graph.links)),
                conversations=len(made.dialogues),
                tests=len(tests),
                distinct_tests=len(set(tests)),
                nodes=Seen.of(seen.nodes),
                edges=Seen.of(seen.edges),
                pairs=Seen.of(seen.pairs),
                paths=len({str(dialogue.origin.get("path")) for dialogue in made.dialogues}),
                unreached=made.unreached,
                far=made.planned.far,
            )
        )

    def statistics(self) -> Statistics:
        """The figures so far."""
        every = self._procedures
        sums = {name: sum(getattr(one, name) for one in every) for name in ("conversations", "tests", "distinct_tests")}
        shares = {name: Seen.sum(getattr(one, name) for one in every) for name in ("nodes", "edges", "pairs")}
        counts = {name: by_frequency(times) for name, times in self._counts.items()}
        return Statistics(
            **cast("dict[str, Any]", {**sums, **shares, **counts}),
            intents=len(self._intents),
            proposed=self._proposed,
            planned=self._planned,
            distinct_steps=len(self._steps),
            tests_a_procedure=Range.of(one.tests for one in every),
            walked=Range.of(self._walked),
            turns=Range.of(self._turns),
            registers={role: by_frequency(counts) for role, counts in self._registers.items()},
            procedures=tuple(every),
        )

    def _tests(self, dialogue: Dialogue, prefixes: dict[tuple[int, str], int]) -> Iterator[int]:
        """A number for each test: equal numbers, equal tests. `prefixes` numbers all beginnings seen so far."""
        masked, number, before = masking(_values(dialogue)), 0, ""
        for turn in dialogue.turns:
            now = masked(turn.text) if turn.text else ""
            if turn.role == "agent":
                calls = (act for act in turn.acts if act.kind == "call")
                now += "".join(f"→{call.api}({', '.join(sorted(call.arguments or {}))})" for call in calls)
                self._steps.add((before, now))
                yield prefixes.setdefault((number, now), len(prefixes) + 1)
                results = filter(None, turn.results)
                now += "".join(f"⇒{result.error.type if result.error else 'value'}" for result in results)
            before = now
            number = prefixes.setdefault((number, before), len(prefixes) + 1)

    def _mark(self, dialogue: Dialogue) -> None:
        path = dialogue.origin.get("path")
        self._walked.append(len(path) + 1 if isinstance(path, list) else 1)
        self._turns.append(len(dialogue.turns))
        marks = [("detours", dialogue.origin.get("detour"))]
        for turn in dialogue.turns:
            marks += [("noise", object_of(turn.extra.get("noise")).get("kind")), ("wrong", turn.extra.get("wrong"))]
        for name, mark in marks:
            self._counts[name].update([str(mark)] if mark else [])
        for role, register in object_of(dialogue.origin.get("registers")).items():
            self._registers[role][str(register)] += 1


def statistics(made: Iterable[Made]) -> Statistics:
    """The figures of a whole run."""
    census = Census()
    for one in made:
        census.add(one)
    return census.statistics()


def compared(made: Statistics) -> list[Compared]:
    """Our figures beside the paper's: those of ALMITA, and of auto-ALMITA where the paper has them."""
    every = made.procedures
    section, table = "4.1", "Table 1"

    def mean(what: str, numbers: Iterable[int], paper: str) -> Compared:
        return Compared(what, str(Range.of(numbers)), paper, "", section)

    return [
        Compared("intents", str(made.intents), "14", "52", table),
        Compared("procedures", str(len(every)), "18", "63", table),
        mean("words a procedure", (one.words for one in every), "315 (171–535)"),
        mean("steps a procedure", (one.steps for one in every), "11 (6–19)"),
        mean("APIs a procedure", (one.apis for one in every), "4 (2–9)"),
        mean("nodes a flowgraph", (one.flowgraph[0] for one in every), "15 (10–20)"),
        mean("edges a flowgraph", (one.flowgraph[1] for one in every), "17 (10–25)"),
        mean("nodes a conversation graph", (one.conversation_graph[0] for one in every), "23 (16–37)"),
        mean("edges a conversation graph", (one.conversation_graph[1] for one in every), "24 (15–37)"),
        Compared("conversations", f"{made.conversations:,}", "192", "407", table),
        Compared("  planned, and found invalid", f"{made.planned - made.conversations}", "25 of 217", "", section),
        Compared("  nodes a conversation", str(made.walked), "12 (3–24)", "", section),
        Compared("tests", f"{made.tests:,}", "1,420", "2,696", table),
        Compared("  different, values masked", f"{made.distinct_tests:,}"),
        Compared("  different last steps", f"{made.distinct_steps:,}"),
        Compared("  a procedure", str(made.tests_a_procedure), "79", "43", f"{table}, means"),
        Compared("nodes, edges, pairs seen", f"{made.nodes}, {made.edges}, {made.pairs}"),
    ]


def _values(dialogue: Dialogue) -> Iterator[str]:
    held: list[JsonValue] = [*dialogue.facts.values()]
    for turn in dialogue.turns:
        if turn.role == "user":
            held += [*turn.informed.values(), object_of(turn.extra.get("said"))]
        else:
            held += [act.arguments for act in turn.acts if act.kind == "call"]
            held += [result.value for result in turn.results if result]
    for value in set(leaves(held)):
        if not isinstance(value, bool):
            yield from {str(value), verbalize(value), verbalize(value, money=True), verbalize(value, day_only=True)}


def by_frequency(counts: Mapping[Any, int]) -> Counts:
    """The counts by name, the most frequent first."""
    return {str(name): n for name, n in sorted(counts.items(), key=lambda one: (-one[1], str(one[0])))}
