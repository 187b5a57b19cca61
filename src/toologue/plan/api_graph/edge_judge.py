"""An edge judged by a model in two steps: whether both attributes mean the same, whether the call makes sense.

This is the judgement of the paper's table 14 in our words (`edge_check.txt`): the model sees both documents, what the
simulated source answered, and the call of the target that would follow.

Contract: `await judge(edge, checker, Judge(model, votes=3))` asks `votes` times and gives a `Checked` with the verdict
of the majority; every vote is recorded. An answer that cannot be read, or none, is a vote with a named failure and
counts for neither side; where no vote can be read, or they are even, the offline verdict stays.

Example:
    >>> parse_vote('Sure: {"attributes": true, "purpose": false, "why": "a page number"}')
    Vote(valid=False, why='a page number', failure=None)
    >>> parse_vote("Yes, it fits.").failure, parse_vote('{"attributes": "yes"}').failure
    ('no object', 'no verdict')

Not covered: asking again with what was wrong; a further vote does as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from toologue import keys
from toologue.models.model import Model, ModelFault
from toologue.plan.api_graph.check import Checked, Checker, Verdict, Vote
from toologue.schema import Api, Edge

_TEMPLATE = Path(__file__).with_name("edge_check.txt")
_LONGEST = 1500


@dataclass(frozen=True)
class Judge:
    """A model that judges edges, and how often it is asked about each."""

    model: Model
    votes: int = 1
    seed: int = 0


async def judge(edge: Edge, checker: Checker, by: Judge) -> Checked:
    """The verdict of a model's majority; where there is none, the offline one."""
    offline = checker.verdict(edge)
    if offline.reason in ("unknown", "no value"):  # there is nothing to show
        return Checked(edge=edge, verdict=offline)
    text = prompt_text(edge, checker)
    votes = [await _vote(text, by, number) for number in range(by.votes)]
    fors, against = sum(vote.valid is True for vote in votes), sum(vote.valid is False for vote in votes)
    if fors == against:
        return Checked(edge=edge, verdict=offline, votes=tuple(votes))
    why = next(vote.why for vote in votes if vote.valid is (fors > against))
    verdict = Verdict(valid=fors > against, reason="judged", stage="model", why=why)
    return Checked(edge=edge, verdict=verdict, votes=tuple(votes))


def prompt_text(edge: Edge, checker: Checker) -> str:
    """What a model is asked about an edge whose Apis are known."""
    source, target = checker.apis[edge.source], checker.apis[edge.target]
    tried = checker.tried(edge)
    slots = {
        "source": _document(source),
        "target": _document(target),
        "arguments": _json(tried.arguments),
        "output": edge.output,
        "parameter": edge.parameter,
        "value": _json(list(tried.values)),
        "call": _json(tried.call),
        "output_said": checker.said(edge.source, edge.output, "output"),
        "parameter_said": checker.said(edge.target, edge.parameter, "input"),
    }
    return re.sub(r"<(\w+)>", lambda found: slots.get(found[1], found[0]), _template()).rstrip()


def parse_vote(answer: str | None) -> Vote:
    """A vote: for the edge if both steps are passed. The paper's own form, `error` and `response`, is read, too."""
    if not (answer or "").strip():
        return Vote(failure="no answer")
    found = next(_objects(answer or ""), None)
    if found is None:
        return Vote(failure="no object")
    why = str(found.get("why") or found.get("error") or "")[:500]
    steps = [found.get("attributes"), found.get("purpose")]
    if all(isinstance(step, bool) for step in steps):
        return Vote(valid=all(steps), why=why)
    if False in steps:
        return Vote(valid=False, why=why)
    if isinstance(found.get("error"), str) and "response" in found:
        return Vote(valid=not found["error"], why=why)
    return Vote(failure="no verdict", why=why)


async def _vote(text: str, by: Judge, number: int) -> Vote:
    seed = keys.seed_of(by.seed, number, text) % 2**31
    try:
        reply = await by.model.reply([{"role": "user", "content": text}], seed=seed)
    except ModelFault as fault:
        return Vote(failure="model fault", why=str(fault)[:500])
    return parse_vote(reply.text)


def _objects(answer: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects in an answer."""
    decoder, place = json.JSONDecoder(), answer.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(answer, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict):
                yield cast("Mapping[str, Any]", value)
        place = answer.find("{", end)


def _document(api: Api) -> str:
    lines = [f"{api.name}: {api.description}"[:_LONGEST]]
    for name, parameter in list(api.parameters.items())[:40]:
        schema = parameter.json_schema
        optional = "" if parameter.required else ", optional"
        said = schema.get("x-description") or schema.get("description") or ""
        lines.append(f"  takes {name} ({schema.get('type', 'any')}{optional}): {said}"[:300])
    return "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:_LONGEST]


@cache
def _template() -> str:
    return _TEMPLATE.read_text("utf-8")
