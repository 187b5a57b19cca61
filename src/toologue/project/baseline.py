"""The baseline of a project: what became of each conversation in a run that was good enough, kept for comparison.

    baseline.jsonl   beside toologue.toml, to be committed: an `Outcome` a line, of the first agent

Contract: conversations are compared by id where the same is expected of them; a baseline that other rules or another
similarity graded is refused, since it holds no words that could be graded anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from toologue.errors import RunMismatch
from toologue.models.similarity import TextMatch
from toologue.project.settings import Project
from toologue.report.compare import Comparison, compare_outcomes, outcomes_of
from toologue.report.view import Conversation
from toologue.schema import Outcome
from toologue.schema.jsonl import read, write
from toologue.score.metric import grader

FILE = "baseline.jsonl"


def keep_baseline(project: Project, agent: str, conversations: Iterable[Conversation], match: TextMatch) -> int:
    """Keep what became of conversations as the project's baseline; how many they are."""
    return write(project.folder / FILE, outcomes_of(conversations, agent, grader(match)))


def since_baseline(
    project: Project, agent: str, conversations: Iterable[Conversation], match: TextMatch, *, some: bool = False
) -> tuple[str, Comparison] | None:
    """(whose baseline it is, conversations compared with it); None where none is kept. Raises RunMismatch.

    `some`: they are some of those that there are, and the others are not missed.
    """
    file: Path = project.folder / FILE
    if not file.exists():
        return None
    before, after = [*read(file, Outcome)], [*outcomes_of(conversations, agent, grader(match))]
    asked = {one.dialogue for one in after}
    before = [one for one in before if one.dialogue in asked or not some]
    other = next((one for one in before if after and one.grader != after[0].grader), None)
    if other:
        by = f"toologue {other.toologue}, now it is {after[0].toologue}"
        by = "other rules or another similarity" if other.toologue == after[0].toologue else by
        what = f"{file} was graded by {by}, and cannot be graded anew"
        raise RunMismatch(f"{what}: keep a run of now in its place: toologue compare {project.folder} --set")
    return (before or after)[0].agent, compare_outcomes(before, after)
