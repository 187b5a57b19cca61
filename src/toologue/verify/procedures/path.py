"""The way of a dialogue through its conversation graph: where each turn stands, and what is known there.

A customer takes any exit of a message, everybody else the first open exit whose condition holds. A turn without a node
is a detour: the walk stays where it is. With `correct` and `change` the customer comes back to a reply or a message;
the agent may pass over messages whose slots were volunteered, or given before. Where the way is lost, `follow` says so
and goes on from where the dialogue says it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from toologue.errors import BadSetting, shown
from toologue.schema import AgentTurn, Call, Dialogue, Graph, Link, Node, Turn, UserTurn
from toologue.values.compare import same
from toologue.values.conditions import parse
from toologue.values.json_schema import object_of
from toologue.verify import Flaw, Rule

_COMMON_WORDS = """
    about again all also and another any are ask because been but can could does for from get got had has have her him
    his how into its know let like look may might mind more much need not now off one only other our out please say
    she should some tell than thank that the their them then there these they this those too want was were what when
    where whether which who why will with within would yes you your yours
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_MOST, _MORE, _ALONE = 0.6, 0.5, 2


def mistaken(text: str, own: Node, messages: Iterable[Node]) -> str:
    """The id of the message whose words a reply has, where that is not its own; else nothing."""
    said, mine = _words(text), _words_without_values(own.text)
    if not mine:
        return ""
    most, whose = max(_MOST, _share(said, mine) + _MORE), ""
    for message in messages:
        words = _words_without_values(message.text)
        if len((words - mine) & said) >= _ALONE and (share := _share(said, words)) >= most:
            most, whose = share, message.id
    return whose


def _share(said: frozenset[str], words: frozenset[str]) -> float:
    return len(words & said) / len(words)


@lru_cache(maxsize=8192)
def _words_without_values(message: str) -> frozenset[str]:
    return _words(re.sub(r"\{[^{}]*\}", " ", message))


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]{3,}", text.casefold())
    return frozenset(word[:6].rstrip("s") for word in found if word not in _COMMON)


# Detours without a node, besides noise.
DETOURS = ("malformed", "contradict")


@dataclass(frozen=True)
class Stand:
    """Where a turn stands: its node (None in a detour), the message on the table, what is known when it is spoken.

    `older` are the values that names had before those that they have now, the newest last.
    """

    node: Node | None = None
    message: Node | None = None
    values: Mapping[str, JsonValue] | None = None
    older: Mapping[str, tuple[JsonValue, ...]] | None = None


def follow(dialogue: Dialogue, graph: Graph) -> tuple[list[Stand], list[Flaw]]:
    """Where each turn stands, and what is wrong with the way."""
    walk = _Walk(graph, dialogue.facts)
    stands = [walk.turn(place, turn) for place, turn in enumerate(dialogue.turns)]
    ends = [
        place for place, turn in enumerate(dialogue.turns) if (object_of(turn.extra.get("noise")).get("ends") is True)
    ]
    if ends and ends[0] != len(dialogue.turns) - 2:
        walk.flaw("path", f"turn {ends[0]} is noise that ends the conversation, and it goes on")
    elif not ends and graph.exits(walk.here.id):
        walk.flaw("path", f"the conversation ends at {walk.here.id}, where the procedure goes on")
    return stands, walk.flaws


def detour_of(turn: Turn) -> str:
    """How a customer leaves the straight way: "noise", "correct", "change" and so on; empty for not at all."""
    return "noise" if turn.extra.get("noise") else str(turn.extra.get("detour") or "")


class _Walk:
    def __init__(self, graph: Graph, facts: Mapping[str, JsonValue]):
        self.graph = graph
        self.here = graph.by_id[graph.roots[0]] if graph.roots else graph.nodes[0]
        self.message = self.here
        self.messages = [node for node in graph.nodes if node.type == "assistant"]
        self.asked_by = {link.target: link.source for link in graph.links}  # of a reply: its message
        self.entered = Counter([self.here.id])
        self.tries = Counter[str]()
        self.values: dict[str, JsonValue] = {**facts, "error": None}
        self.older: dict[str, tuple[JsonValue, ...]] = {}
        self.given: set[str] = set()
        self.answered: set[str] = set()  # slots that later messages need not ask for
        self.place, self.flaws = 0, list[Flaw]()
        self.aside = False

    def flaw(self, rule: Rule, what: str) -> None:
        self.flaws.append(Flaw(rule, self.place, what))

    def turn(self, place: int, turn: Turn) -> Stand:
        self.place = place
        node = self.graph.by_id.get(turn.node) if turn.node else None
        if node is None:
            self._stray(turn)
            return Stand(None, self.message, dict(self.values), dict(self.older))
        self.aside = False
        wanted = "user" if turn.role == "user" else "api" if turn.acts else "assistant"
        if node.type != wanted:
            self.flaw("path", f"{node.id} is of type {node.type}, and the turn is one of type {wanted}")
        self._go(node, turn)
        if turn.role == "user":
            self._learn_slots(node, turn)
        stand = Stand(node, self.message, dict(self.values), dict(self.older))
        if turn.role == "agent" and turn.acts:
            self._learn_results(node, turn)
        elif turn.role == "agent" and (other := mistaken(turn.text or "", node, self.messages)):
            self.flaw("path", f"the reply at {node.id} says what {other} is to say")
        return stand

    def _stray(self, turn: Turn) -> None:
        """A turn without a node that is known: a detour, if it is labelled as one."""
        if turn.node:
            self.flaw("path", f"the procedure has no node {shown(turn.node)}")
        elif turn.role == "user":
            self.aside = detour_of(turn) in ("noise", *DETOURS)
            if not (self.aside or (turn.stop and not self.graph.exits(self.here.id))):
                self.flaw("path", "the turn stands nowhere in the procedure, and nothing says why")
        elif turn.acts:
            self.flaw("path", "an act in a detour: nothing in the procedure asks for it")
        elif not self.aside:
            self.flaw("path", "the reply stands nowhere in the procedure")

    # ---- ways

    def _go(self, node: Node, turn: Turn) -> None:
        if turn.role == "user" and self._comes_back(node, detour_of(turn)):
            self.answered = self.given - turn.informed.keys()
        elif not self._onward(node):
            self.flaw("path", f"after {self.here.id} comes {self._expected_nodes()}, not {node.id}")
        self._arrive(node)

    def _comes_back(self, node: Node, detour: str) -> bool:
        if detour == "correct":
            return self.entered[node.id] > 0
        return detour == "change" and self.entered[self.asked_by.get(node.id, "")] > 0

    def _onward(self, node: Node) -> bool:
        """Take the link to a node, passing over messages whose answers are known. False if no way leads there."""
        for _ in self.graph.nodes:
            link = self._link(node)
            if link is None:
                return False
            for name, expression in link.sets.items():
                self._know(name, self._value(expression))
            if link.target == node.id:
                return True
            passed = self.graph.by_id[link.target]
            replies = self.graph.exits(passed.id)
            if not (replies and passed.collects and self.answered.issuperset(passed.collects)):
                return False
            self.answered -= set(passed.collects)
            self._arrive(passed)
            self._arrive(self.graph.by_id[replies[0].target])
        return False

    def _link(self, node: Node) -> Link | None:
        """The link that is taken from here; of several that nothing decides between, the one to this node."""
        open_ones = self._open()
        if self.here.type == "assistant":
            return next((link for link in open_ones if link.target == node.id), None)
        taken = next((link for link in open_ones if self._holds(link)), None)
        free = [link for link in open_ones if not link.condition]
        if taken is None or taken.condition or len(free) == 1:
            return taken
        return next((link for link in free if link.target == node.id), None)

    def _open(self) -> list[Link]:
        links = ((link, link.tries) for link in self.graph.exits(self.here.id))
        return [link for link, of in links if of is None or (self.tries[of.node] >= of.times) == of.over]

    def _holds(self, link: Link) -> bool:
        if link.condition in ("", "not error"):  # most are
            return not link.condition or not self.values["error"]
        return bool(self._value(link.condition))

    def _arrive(self, node: Node) -> None:
        self.here = node
        self.entered[node.id] += 1
        self.tries[node.id] += 1
        for renewed in self.graph.renews.get(node.id, ()):
            self.tries[renewed] = 0
        self.values["error"] = None
        if node.type == "assistant":
            self.message = node

    def _expected_nodes(self) -> str:
        open_ones = self._open()
        if self.here.type != "assistant":
            open_ones = [link for link in open_ones if self._holds(link)][:1]
        return " or ".join(dict.fromkeys(link.target for link in open_ones)) or "nothing"

    # ---- what is known

    def _value(self, expression: str) -> JsonValue:
        if expression in self.values:  # a name, and by far the most frequent
            return self.values[expression]
        try:
            return parse(expression).value(self.values)
        except BadSetting as error:
            self.flaw("path", f"what decides here cannot be known: {error}")
            return None

    def _know(self, name: str, value: JsonValue) -> None:
        if name in self.values and self.values[name] != value:
            self.older[name] = (*self.older.get(name, ()), self.values[name])
        self.values[name] = value

    def _learn_slots(self, node: Node, turn: UserTurn) -> None:
        for name, value in turn.informed.items():
            self._know(name, value)
        self.given |= turn.informed.keys()
        self.answered |= turn.informed.keys() - set(node.collects)
        message = self.asked_by.get(node.id)
        if message and len(self.graph.exits(message)) == 1:  # there is no other reply
            for name in node.collects:
                if self.values.get(name) is None:
                    self.flaw("carried", f"{node.id} is for {name}, and the customer gives none")

    def _learn_results(self, node: Node, turn: AgentTurn) -> None:
        for act, result in zip(turn.acts, turn.results or (None,) * len(turn.acts), strict=False):
            if act.kind == "call":
                self._compare_call(node, act)
            if result is not None and result.error is not None:
                self.values["error"] = {"type": result.error.type, "message": result.error.message}
            elif result is not None and node.result:
                self._know(node.result, result.value)

    def _compare_call(self, node: Node, call: Call) -> None:
        if call.api != node.text:
            self.flaw("path", f"{node.id} calls {node.text}, not {call.api}")
            return
        wanted = {name: self._value(expression) for name, expression in node.arguments.items()}
        given = call.arguments or {}
        for name in {**wanted, **given}:
            if not same(wanted.get(name), given.get(name)):
                known = name in wanted
                expected = f"`{node.arguments[name]}` is {shown(wanted[name])}" if known else "nothing gives it"
                self.flaw("arguments", f"{call.api}: {name} is {shown(given.get(name))}, and {expected}")
