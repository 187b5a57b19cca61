"""The whole benchmark: agents and predictions through its parts, graded, with a judge's votes where one is named.

Contract: `evaluate` gives by agent its parts with a graded conversation for every dialogue, in their order. An agent is
a registry string; `predictions:FILE` is graded without playing, and wants a single task. A `model` is asked for votes
on every response that is graded. `record` is the JSON of it all.

Example:
    >>> from toologue.bench.tooldial import Part
    >>> from toologue.schema import AgentTurn, UserTurn
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="Any news?"), AgentTurn(text="Of whom?", action="clarify")))
    >>> results = evaluate([gold], ["gold"], [Part("action")], "fixed")
    >>> record(results, "fixed")["agents"][0]["parts"][0]["totals"]["all"]["action_accuracy"]
    1.0

Not covered: resuming; a run that is killed begins again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toologue.bench.benchmark import Graded, Mode, Options
from toologue.bench.tooldial import PASSES, Part, grade, play, summarize
from toologue.bench.tooldial.predictions import traces_of
from toologue.bench.tooldial.tables import Results
from toologue.errors import BadSetting
from toologue.models.model import Model
from toologue.schema import Dialogue, Trace
from toologue.score.faithfulness import Votes, votes
from toologue.score.metric import no_reply, unscored


def evaluate(
    golds: Sequence[Dialogue],
    agents: Sequence[str],
    parts: Sequence[Part],
    mode: Mode,
    *,
    options: Options = Options(),
    model: Model | None = None,
) -> Results:
    """Every agent through every part."""
    return {
        agent: [(part, _graded(part, golds, agent, mode, options, model)) for part in parts]
        for agent in dict.fromkeys(agents)
    }


def record(results: Results, mode: Mode) -> dict[str, Any]:
    """The results as JSON: totals and conversations of each part of each agent."""
    return {
        "benchmark": "tooldial",
        "mode": mode,
        "agents": [
            {
                "agent": agent,
                "parts": [
                    {
                        "task": part.task,
                        "labels": part.labels,
                        "totals": summarize(mode, graded),
                        "conversations": [one.record for one in graded],
                    }
                    for part, graded in played
                ],
            }
            for agent, played in results.items()
        ],
    }


def _graded(
    part: Part, golds: Sequence[Dialogue], agent: str, mode: Mode, options: Options, model: Model | None
) -> list[Graded]:
    name, _, file = agent.partition(":")
    traces: dict[str, Trace] = {}
    if name == "predictions" and file:
        found = traces_of(Path(file), part, golds)
        if found.strange:
            raise BadSetting(f"{file} has predictions for {found.strange[0]!r}, which is no dialogue here")
        traces.update(found.traces)
    else:
        traces.update(zip((gold.id for gold in golds), play(part, golds, agent, options), strict=True))
    asked = [(gold, traces[gold.id]) for gold in golds if gold.id in traces and part.task == "faithfulness"]
    judged = asyncio.run(_votes(asked, model, options)) if model is not None else {}
    return [
        grade(part, mode, gold, traces[gold.id], judged.get(gold.id, ())) if gold.id in traces else _absent(gold, part)
        for gold in golds
    ]


async def _votes(
    pairs: Sequence[tuple[Dialogue, Trace]], model: Model, options: Options
) -> dict[str, tuple[Votes, ...]]:
    """The votes by dialogue, some dialogues at once."""
    free = asyncio.Semaphore(options.limits.concurrency)

    async def ask(gold: Dialogue, trace: Trace) -> tuple[str, tuple[Votes, ...]]:
        async with free:
            return gold.id, await votes(gold, trace, model, seed=options.seed)

    return dict(await asyncio.gather(*(ask(gold, trace) for gold, trace in pairs if not no_reply(trace))))


def _absent(gold: Dialogue, part: Part) -> Graded:
    why = "the predictions have no line for it"
    trace = Trace(case="", dialogue=gold.id, protocol=part.protocol, agent="", stop="error")
    return Graded(gold, trace, unscored((PASSES,), gold, trace, why), {"name": gold.id, "why": why})
