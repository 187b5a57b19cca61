"""From run folders to views: score what is there, keep the conversations that a page can show.

Example:
    >>> import tempfile
    >>> from toologue.models.similarity import Judge
    >>> from toologue.run.store import Config, run_folder
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> hello = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
    >>> folder = run_folder(tempfile.mkdtemp() + "/run", [hello], Config(agent="gold"))
    >>> view_of(folder, Judge.of("exact")).conversations[0].passed
    True

Not covered: more than `limit` transcripts a run; failed conversations come first, the others are counted, and streamed
to those who want them all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toologue import registry
from toologue.models.similarity import Judge
from toologue.report.view import Conversation, RunView
from toologue.run.store import Config, RunFolder
from toologue.schema import Dialogue, Score, Trace
from toologue.schema.jsonl import line_of, replacing
from toologue.score.metric import Metric, Total, totals
from toologue.score.prefetch import warmed

LIMIT = 500


def scores_of(gold: Dialogue, trace: Trace, judge: Judge) -> dict[str, Score]:
    """Every registered metric of one trace."""
    found: dict[str, Score] = {}
    for name in registry.names("metric"):
        found.update(cast("Metric", registry.find("metric", name))(gold, trace, judge))
    return found


def score_folder(folder: RunFolder, judge: Judge) -> list[Total]:
    """Grade a run: writes scores.jsonl and scores.json into its folder, returns the totals."""

    def kept(stream: Any) -> Iterator[Score]:
        for gold, trace in warmed(folder.pairs(), judge):
            for score in scores_of(gold, trace, judge).values():
                stream.write(line_of(score))
                yield score

    agent = folder.config.agent
    with replacing(folder.path / "scores.jsonl") as stream:
        found = totals(kept(stream))
    summary = {
        "format": "scores/1",
        "agent": agent,
        "similarity": judge.record(),
        "totals": [total._asdict() for total in found],
    }
    with replacing(folder.path / "scores.json") as stream:
        stream.write(json.dumps(summary, indent=1).encode() + b"\n")
    return found


def view_of(folder: RunFolder, judge: Judge, *, limit: int = LIMIT) -> RunView:
    """Score a run folder and make its view."""
    found = score_folder(folder, judge)
    failed: list[Conversation] = []
    passed: list[Conversation] = []
    hidden = 0
    for gold, trace in warmed(folder.pairs(), judge):
        conversation = Conversation(gold, trace, scores_of(gold, trace, judge))
        kept = passed if conversation.passed else failed
        if len(kept) < limit:
            kept.append(conversation)
        else:
            hidden += 1
    shown = (failed + passed)[:limit]
    hidden += len(failed) + len(passed) - len(shown)
    shown.sort(key=lambda conversation: (conversation.gold.id, conversation.trace.trial))
    facts = facts_of(folder.config, judge)
    if hidden:
        facts["not shown"] = f"{hidden} conversations, mostly passed ones"
    return RunView(folder.config.agent, facts, found, shown, _Every(folder, judge))


@dataclass(frozen=True)
class _Every:
    """All conversations of a run, read and graded again each time they are walked through: none is held."""

    folder: RunFolder
    judge: Judge

    def __iter__(self) -> Iterator[Conversation]:
        for gold, trace in warmed(self.folder.pairs(), self.judge):
            yield Conversation(gold, trace, scores_of(gold, trace, self.judge))


def facts_of(config: Config, judge: Judge) -> dict[str, str]:
    """The settings of a run, as people read them."""
    settings = config.settings
    facts: dict[str, str] = {
        "agent": config.agent,
        "protocol": settings.protocol,
        "trials": str(settings.trials),
        "seed": str(settings.seed),
        "similarity": judge.similarity.name,
        "thresholds": thresholds_text(judge.thresholds),
        "dialogues": config.dialogues,
        "toologue": config.version,
    }
    return facts


def thresholds_text(thresholds: Mapping[str, float]) -> str:
    """Thresholds in a few words."""
    return ", ".join(f"{name} ≥ {value:g}" for name, value in thresholds.items())
