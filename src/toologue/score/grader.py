"""Who graded: the version, the rules and the similarity that scores were made by. Others are not compared with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from toologue import __version__, keys
from toologue.models.similarity import TextMatch

# What a verdict hangs on, from the package's root.
_RULES = ("score", "text", "values", "procedure/grammar.py", "models/thresholds.json")


def grader(match: TextMatch) -> Mapping[str, object]:
    """What a run's scores.json says of its grader; equal graders give equal traces equal scores."""
    return {"toologue": __version__, "rules": rules_key(), "similarity": match.record()}


@cache
def rules_key() -> str:
    """16 hex digits that name the rules, their weights and their words."""
    root = Path(__file__).resolve().parents[1]
    places = [root / name for name in _RULES]
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    used = [file for file in files if file.suffix in {".py", ".yaml", ".json", ".txt"}]
    return keys.content_key([[file.relative_to(root).as_posix(), keys.file_key(file)] for file in used])
