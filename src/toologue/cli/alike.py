"""The options about when two texts say the same, for all commands that compare: said once, so that they read the same.

Not covered: thresholds of words that nothing is known of; `bench --reply` alone has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from toologue.models.similarity import TextMatch


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
        given: Mapping[str, float | None] = {"text": self.text, "prose": self.prose, "reply": reply}
        return TextMatch.of(self.similarity, {name: value for name, value in given.items() if value is not None})
