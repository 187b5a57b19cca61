"""Noise: what customers say that no procedure foresees, and what an agent can answer (ALMITA 3.6).

`noise_bank` has the messages, each with its kind and its reply. `published`: the conversation ends there. `resume`
(ours): the agent asks again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import Field

from toologue import keys
from toologue.data import shipped
from toologue.schema import Record
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


@cache
def noise_bank() -> tuple[NoiseMessage, ...]:
    """The messages that ship: sections by kind; `except` lists ids that `refuse` is wrong for."""
    messages = list[NoiseMessage]()
    for kind, section in cast("Mapping[NoiseKind, Mapping[str, Any]]", shipped(_SHIPPED)).items():
        for severity, said in section["messages"].items():
            for id, (text, reply) in said.items():
                refuse = section["refuse"] != (id in section.get("except", ()))
                one = NoiseMessage(id=id, kind=kind, text=text, reply=reply, severity=severity, refuse=refuse)
                messages.append(one)
    return tuple(messages)


def dealt(procedures: Iterable[str]) -> dict[str, frozenset[str]]:
    """The ids of the messages of each procedure of a suite, as many for each: none is another's as well."""
    hands: dict[str, set[str]] = {name: set() for name in procedures}
    full = -(-len(noise_bank()) // max(len(hands), 1))
    for one in noise_bank() if hands else ():
        free = (name for name, hand in hands.items() if len(hand) < full)
        hands[max(free, key=lambda name: keys.seed_of(one.id, name))].add(one.id)
    return {name: frozenset(hand) for name, hand in hands.items()}
