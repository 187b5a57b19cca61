"""The options that commands share: said once, so that they read the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from toologue.errors import BadSetting
from toologue.models.similarity import TextMatch

Out = Annotated[Path, Parameter(name=["--out", "-o"])]
OptionalOut = Annotated[Path | None, Parameter(name=["--out", "-o"])]


def at_least_one(**given: int | None) -> None:
    """Refuse numbers below 1. Raises BadSetting."""
    for name, number in given.items():
        if number is not None and number < 1:
            raise BadSetting(f"--{name} {number}: give 1 or more")


@Parameter(name="*")
@dataclass(frozen=True)
class Alike:
    """When two texts say the same."""

    similarity: Annotated[str, Parameter(help="exact, one, lexical, minilm, endpoint:MODEL or vectors:FILE.")] = (
        "lexical"
    )
    text: Annotated[float | None, Parameter(help="The least similarity of short texts that say the same.")] = None
    prose: Annotated[float | None, Parameter(help="The same for long texts.")] = None

    def judge(self, reply: float | None = None) -> TextMatch:
        """Who compares by them; `reply` is the least similarity of what an agent says."""
        given = (("text", self.text), ("prose", self.prose), ("reply", reply))
        return TextMatch.of(self.similarity, {name: least for name, least in given if least is not None})
