"""A procedure (how a support agent settles one kind of issue, step by step), and graphs of steps or of conversations.

A step asks, says, calls or ends. What leads on is either `next` or one of the branches, tried in their order: a branch
is open where the customer answers `answer` (if it names one) and its `condition` holds (if it has one), so a branch
with neither is what happens otherwise. Arguments, conditions and what a branch sets are expressions over what is known
by then: slots that steps collected, results by their names, facts, and `error`, which is null unless the step's own
call failed (docs/procedures.md has the language).
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from toologue.schema.jsonl import Noun, Record

StepKind = Literal["ask", "say", "call", "end"]
# Words on one line: how they were wrapped is nobody's business.
Words = Annotated[str, BeforeValidator(lambda text: " ".join(text.split()) if isinstance(text, str) else text)]
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
GraphKind = Literal["flowgraph", "conversation_graph"]
NodeType = Literal["start_message", "message", "api", "end_message", "assistant", "user"]


class _Placed(Noun):
    """A noun that knows its line, and is equal to what says the same on another."""

    line: int = 0

    def _said(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in type(self).model_fields if name != "line"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Placed) and type(self) is type(other) and self._said() == other._said()

    def __hash__(self) -> int:
        return hash((type(self), repr(self._said())))


class Branch(_Placed):
    """One way on: what the customer answers, a condition, both, or neither. `sets` gives values to slots."""

    answer: Words = ""
    condition: str = ""
    sets: dict[str, str] = Field(default_factory=dict)
    target: int

    @property
    def is_otherwise(self) -> bool:
        """Whether this branch takes whatever the others left."""
        return not self.answer and not self.condition

    @property
    def is_failure(self) -> bool:
        """Whether this branch is for a call that failed: its condition begins with `error`."""
        return re.match(r"error\b", self.condition) is not None


class Limit(Noun):
    """A step that is entered at most so many `times` in a conversation; after that, `then` comes in its place.

    The count begins anew at a step without a limit that collects the same.
    """

    times: int = Field(ge=1)
    then: int


class Step(_Placed):
    """One step. `text` is what to ask or say; `api`, `arguments` and the name of the `result` belong to a call."""

    number: int = Field(ge=1)
    kind: StepKind
    text: Words = ""
    collects: tuple[str, ...] = ()
    api: str = ""
    arguments: dict[str, str] = Field(default_factory=dict)
    result: str = ""
    branches: tuple[Branch, ...] = ()
    next: int | None = None
    limit: Limit | None = None

    @property
    def leads_to(self) -> tuple[int, ...]:
        """The steps that may come after this one, as the branches name them (limits left aside)."""
        targets = [branch.target for branch in self.branches]
        return tuple(dict.fromkeys(targets if self.next is None else [*targets, self.next]))


class Procedure(Record):
    """How one issue is settled. `apis` names where the documents of its calls are; `facts` are known from the start.

    `issue` is what a customer comes with, in the customer's words; `wordings` are other words for it. `examples` are
    values that customers may give for a slot; those in one place of several lists belong together.
    """

    format: Literal["procedure/1"] = "procedure/1"
    id: str = Field(min_length=1)
    title: Words
    intent: Words = ""
    client: Words = ""
    issue: Words = ""
    wordings: tuple[Words, ...] = ()
    greeting: Words = ""
    apis: str = ""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    examples: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict[str, tuple[JsonValue, ...]])
    context: Words = ""
    steps: tuple[Step, ...]

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        for place, step in enumerate(self.steps, 1):
            if step.number != place:
                raise ValueError(f"steps are numbered 1, 2, 3 …: the step in place {place} is {step.number}")
        return self

    def step(self, number: int) -> Step | None:
        """The step of this number, if there is one."""
        return self.steps[number - 1] if 1 <= number <= len(self.steps) else None

    @property
    def calls(self) -> tuple[str, ...]:
        """The names of the Apis that the steps call, each once, in order."""
        return tuple(dict.fromkeys(step.api for step in self.steps if step.kind == "call"))


class Tries(Noun):
    """How often `node` may be entered in a walk before the way changes. `over`: for the way that opens then."""

    node: str
    times: int = Field(ge=1)
    over: bool = False


class Node(Noun):
    """A message or a call. `text` is its description, for an api node the name of the Api.

    `collects` are the slots that a message asks for, or that a customer's reply gives; `noise` is the kind of noise
    that a message is or answers (3.6).
    """

    id: str
    type: NodeType
    text: str = ""
    step: int | None = None
    line: int = 0
    collects: tuple[str, ...] = ()
    arguments: dict[str, str] = Field(default_factory=dict)
    result: str = ""
    noise: str = ""


class Link(Noun):
    """A way from one node to another. `sets` gives values to slots when it is taken."""

    id: str
    source: str
    target: str
    text: str = ""
    condition: str = ""
    sets: dict[str, str] = Field(default_factory=dict)
    tries: Tries | None = None
    line: int = 0


class Graph(Record):
    """A flowgraph or a conversation graph. Ids are unique, and links join nodes that are there."""

    format: Literal["graph/1"] = "graph/1"
    id: str
    kind: GraphKind
    nodes: tuple[Node, ...]
    links: tuple[Link, ...] = ()

    @model_validator(mode="after")
    def _ids_are_names(self) -> Self:
        for what, ids in (("nodes", [n.id for n in self.nodes]), ("links", [link.id for link in self.links])):
            twice = next((id for id, times in Counter(ids).items() if times > 1), None)
            if twice is not None:
                raise ValueError(f"two {what} are called {twice!r}; give each an id of its own")
        known = {node.id for node in self.nodes}
        for link in self.links:
            strange = next((end for end in (link.source, link.target) if end not in known), None)
            if strange is not None:
                raise ValueError(f"link {link.id!r} joins a node {strange!r} that is not there")
        return self

    @cached_property
    def by_id(self) -> Mapping[str, Node]:
        """The nodes by their ids."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def by_link(self) -> Mapping[str, Link]:
        """The links by their ids."""
        return {link.id: link for link in self.links}

    @cached_property
    def renews(self) -> Mapping[str, frozenset[str]]:
        """By message without a limit: the limited ones that ask for the same, whose tries begin anew with it."""
        limited = [self.by_id[link.tries.node] for link in self.links if link.tries]
        found = dict[str, frozenset[str]]()
        for node in self.nodes:
            if node.collects and node.type != "user" and node not in limited:
                again = (one for one in limited if one.collects and {*one.collects} <= {*node.collects})
                found[node.id] = frozenset(one.id for one in again)
        return found

    @cached_property
    def _exits(self) -> Mapping[str, tuple[Link, ...]]:
        found: dict[str, list[Link]] = {node.id: [] for node in self.nodes}
        for link in self.links:
            found[link.source].append(link)
        return {id: tuple(links) for id, links in found.items()}

    def exits(self, node: str) -> tuple[Link, ...]:
        """The links out of a node, in the order in which they are tried."""
        return self._exits[node]

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The nodes that no link leads to."""
        entered = {link.target for link in self.links}
        return tuple(node.id for node in self.nodes if node.id not in entered)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The nodes that no link leads out of."""
        return tuple(node.id for node in self.nodes if not self._exits[node.id])


class Walk(Record):
    """A path through a graph, from its root to a leaf; nodes may come again. `links[i]` leads from `nodes[i]` on."""

    format: Literal["walk/1"] = "walk/1"
    graph: str
    nodes: tuple[str, ...] = Field(min_length=1)
    links: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _links_join_nodes(self) -> Self:
        if len(self.links) != len(self.nodes) - 1:
            raise ValueError(
                f"{len(self.nodes)} nodes are joined by {len(self.nodes) - 1} links, not {len(self.links)}"
            )
        return self


def way(start: K, onward: Callable[[K], Iterable[tuple[T, K]]], wanted: Callable[[T, K], bool]) -> list[T] | None:
    """The shortest way whose last step, and where it leads, are wanted; None without one. `onward`: (step, where)."""
    came: dict[K, list[T]] = {start: []}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for step, there in onward(here):
            if wanted(step, there):
                return [*came[here], step]
            if there not in came:
                came[there] = [*came[here], step]
                waiting.append(there)
    return None


def reached(start: Iterable[K], onward: Mapping[K, Iterable[K]]) -> set[K]:
    """All that these lead to, step by step; themselves among it."""
    found = set(start)
    waiting = deque(found)
    while waiting:
        new = [target for target in onward[waiting.popleft()] if target not in found]
        found.update(new)
        waiting.extend(new)
    return found
