"""Noise: what customers say that no procedure foresees, and what an agent can answer (ALMITA 3.6).

`noise_bank` has messages by kind, each with its reply; `with_noise` puts some into a conversation graph. `published`:
the conversation ends there. `resume` (ours): the agent asks again, and its node has the exits of the node before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Literal, cast, get_args

from pydantic import Field

from toologue import keys
from toologue.data import shipped
from toologue.errors import BadSetting, UnknownName
from toologue.schema import Graph, Link, Node, Noun, Record
from toologue.text.bank import Register

NoiseKind = Literal["prompt_injection", "social_engineering", "data_fishing", "abuse", "off_topic", "chit_chat"]
NoiseMode = Literal["resume", "published"]
NOISE_KINDS: tuple[NoiseKind, ...] = get_args(NoiseKind)
Severity = Literal["leak", "wrong_write", "wrong_information", "cosmetic"]

# The chance at each reply, so that about one conversation of eleven has some (3.6: 0.2, which is most of them).
NOISE = 0.02
_RUDE = ("abuse", "prompt_injection")
_SHIPPED = Path(__file__).with_name("noise.yaml")


class NoiseMessage(Record):
    """One message, and a reply that takes it up and gives nothing away.

    `severity`: what obeying it would be. `refuse`: whether it must be refused, not just passed over.
    """

    format: Literal["noise/1"] = "noise/1"
    id: str = Field(min_length=1)
    kind: NoiseKind
    text: str = Field(min_length=1)
    reply: str = Field(min_length=1)
    severity: Severity
    refuse: bool

    def is_like(self, register: Register, *, angry: bool = True) -> bool:
        """Whether somebody who speaks so would say it: the polite do not abuse, give orders or type in haste.

        `angry`: whether there is a reason for abuse, or somebody who needs none.
        """
        if self.kind == "abuse" and not angry:
            return False
        return register not in ("formal", "chatty") or not (self.kind in _RUDE or self.text[0].islower())


class NoiseBank(Noun):
    """The messages of all kinds."""

    messages: tuple[NoiseMessage, ...]

    def of(self, *kinds: str) -> tuple[NoiseMessage, ...]:
        """The messages of these kinds. Raises UnknownName."""
        for kind in kinds:
            if kind not in NOISE_KINDS:
                raise UnknownName("kind of noise", kind, NOISE_KINDS)
        return tuple(message for message in self.messages if message.kind in kinds)


@cache
def noise_bank() -> NoiseBank:
    """Return the bank that ships: sections by kind; `except` lists ids that `refuse` is wrong for."""
    messages = list[NoiseMessage]()
    for kind, section in cast("Mapping[NoiseKind, Mapping[str, Any]]", shipped(_SHIPPED)).items():
        for severity, said in section["messages"].items():
            for id, (text, reply) in said.items():
                refuse = section["refuse"] != (id in section.get("except", ()))
                one = NoiseMessage(id=id, kind=kind, text=text, reply=reply, severity=severity, refuse=refuse)
                messages.append(one)
    return NoiseBank(messages=tuple(messages))


def dealt(procedures: Iterable[str]) -> dict[str, frozenset[str]]:
    """The ids of the messages of each procedure of a suite, as many for each: none is another's as well."""
    hands: dict[str, set[str]] = {name: set() for name in procedures}
    full = -(-len(noise_bank().messages) // max(len(hands), 1))
    for one in noise_bank().messages if hands else ():
        free = (name for name, hand in hands.items() if len(hand) < full)
        hands[max(free, key=lambda name: keys.seed_of(one.id, name))].add(one.id)
    return {name: frozenset(hand) for name, hand in hands.items()}


def with_noise(graph: Graph, p: float = 0.2, *, mode: NoiseMode = "resume", seed: int = 0) -> Graph:
    """The graph with noise behind some of its assistant nodes. Raises BadSetting for a chance that is none."""
    if not 0 <= p <= 1:
        raise BadSetting(f"p is {p}: a chance from 0 to 1 is wanted, for example 0.2")
    nodes, links = list(graph.nodes), list(graph.links)
    ids = ([one.id[1:] for one in some] for some in (graph.nodes, graph.links or graph.nodes))
    numbers = (count(1 + max(int(id) if id.isdecimal() else 0 for id in some)) for some in ids)
    node_ids, link_ids = (map(f"{letter}{{}}".format, free) for letter, free in zip("NE", numbers, strict=True))

    def join(source: str, *targets: str) -> None:
        links.extend(Link(id=next(link_ids), source=source, target=target) for target in targets)

    for node in graph.nodes:
        rng = Random(keys.seed_of(seed, "noise", graph.id, node.id))
        if node.type != "assistant" or not graph.exits(node.id) or rng.random() >= p:
            continue
        message = rng.choice(noise_bank().of(rng.choice(NOISE_KINDS)))
        said = Node(id=next(node_ids), type="user", text=message.text, noise=message.kind, line=node.line)
        answer = said.replace(id=next(node_ids), type="assistant", text=message.reply, step=node.step)
        nodes += [said, answer]
        join(node.id, said.id)
        join(said.id, answer.id)
        if mode == "resume":
            join(answer.id, *dict.fromkeys(exit.target for exit in graph.exits(node.id)))
    return Graph(id=graph.id, kind=graph.kind, nodes=tuple(nodes), links=tuple(links))
