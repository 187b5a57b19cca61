"""Cases and traces: what is to be run, and the dialogue as an agent lived it.

Example:
    >>> case = Case(id="hello", protocol="live", seed=1)
    >>> case.key == Case(id="hello", protocol="live", seed=1).key
    True

Not covered: clock times; they go to a sidecar of the run folder, so that traces of equal runs are equal bytes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field, JsonValue

from toologue import keys
from toologue.schema.dialogue import Brief, Dialogue, Setting
from toologue.schema.noun import Noun, Record
from toologue.schema.turn import Turn

ProtocolName = Literal["next", "forced", "recorded", "live"]
"""How the gold takes part while an agent is asked (see `toologue.loop`)."""

Stop = Literal["done", "user", "cap", "timeout", "error"]
"""Why a conversation ended: gold is used up, the user left, too many rounds, out of time, the agent broke."""


class Case(Noun):
    """One run of one dialogue. `key` is the unit of resume: equal content, equal key.

    `data` names the content of files that the world reads. `cap` bounds the agent's turns in one round, `rounds` the
    rounds of a `live` conversation; `see` names labels of the gold (action, state, thought) that the history may show.
    """

    id: str
    gold: Dialogue | None = None
    brief: Brief = Brief()
    world: Setting = Setting()
    data: str = ""
    protocol: ProtocolName
    trial: int = 0
    seed: int = 0
    see: tuple[str, ...] = ()
    cap: int = Field(default=50, ge=1)
    rounds: int = Field(default=50, ge=1)

    @cached_property
    def key(self) -> str:
        """16 hex digits that name this case, gold and brief included."""
        rest = self.model_dump(mode="json", exclude={"gold", "brief"})
        told = [self.brief.instructions, self.brief.facts, [api.key for api in self.brief.apis]]
        return keys.content_key([rest, told, self.gold and self.gold.key])

    def blind(self) -> Case:
        """This case without its gold and its world: all that an agent under test may read."""
        return self.but(gold=None, world=Setting())


class Trace(Record):
    """A dialogue as lived. Aligned with the gold by index (`next`) or by round (`forced`, `recorded`)."""

    format: Literal["trace/1"] = "trace/1"
    case: str
    dialogue: str
    protocol: ProtocolName
    agent: str
    trial: int = 0
    seed: int = 0
    turns: tuple[Turn, ...] = ()
    stop: Stop = "done"
    extra: dict[str, JsonValue] = Field(default_factory=dict)
