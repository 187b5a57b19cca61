"""The reward of tau2-bench: the product of the parts that a task's `reward_basis` names, each as tau2 grades it.

    DB              the database is left as gold leaves it (`outcome`)
    COMMUNICATE     each text of `communicate_info` stands in a reply, whatever its case, commas of the reply apart
    ACTION          each call of gold was made, by the arguments that it compares (`compare_args`)
    NL_ASSERTION    each of `nl_assertions` holds of the conversation: a judge says so, or a person; else it is unsure
    ENV_ASSERTION   unsure: they are functions of tau2's, and nothing calls them here

A conversation that neither agent nor customer ends is rewarded by 0. Only `live` ones are scored: tau2's gold is calls
without words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toologue.models.similarity import TextMatch
from toologue.schema import Call, Dialogue, Mismatch, Score, Trace, invocations
from toologue.score.metric import MEANINGS, no_reply, score_of, unscored
from toologue.score.outcome import outcome
from toologue.score.questions import assertion_question
from toologue.values.json_schema import list_of, object_of

MEANINGS["reward"] = "tau2's reward: all parts that the task is rewarded by are right"
MEANINGS["communicated"] = "the customer is told all that the task wants told"
BASIS = ["DB", "COMMUNICATE"]
"""What rewards a task that does not say."""


def criteria_of(gold: Dialogue) -> dict[str, Any] | None:
    """What a task of tau2's is graded by; None for a dialogue that is none."""
    return object_of(object_of(gold.extra["tau2"]).get("evaluation_criteria")) if "tau2" in gold.extra else None


def reward(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric: `reward`, and `communicated` where the task wants something told."""
    criteria = criteria_of(gold)
    if criteria is None or trace.protocol != "live":
        return {}
    told = list_of(criteria.get("communicate_info"))
    if silent := unscored(["reward", *(["communicated"] if told else [])], gold, trace, no_reply(trace)):
        return silent
    texts = (turn.text or "" for turn in trace.turns if turn.role == "agent")
    said = [text.lower().replace(",", "") for text in texts if text.strip()]
    lacking = (one for one in told if not any(str(one).lower() in text for text in said))
    parts = {"COMMUNICATE": tuple(Mismatch(field="told", expected=one, why="not told") for one in lacking)}
    basis = list_of(criteria.get("reward_basis", BASIS)) if criteria else []
    for part in basis:
        if part == "DB" and (criteria.get("actions"), criteria.get("env_assertions")) != (None, None):
            left = outcome(gold, trace, match)["outcome"]
            parts[part] = left.at if left.value is not None else (Mismatch(why=left.why, verdict="unsure"),)
        elif part == "ACTION":
            parts[part] = _undone(list_of(criteria.get("actions")), trace)
        elif part == "NL_ASSERTION":
            parts[part] = _unheld(list_of(criteria.get("nl_assertions")), gold, trace, match)
        elif part == "ENV_ASSERTION" and criteria.get(part.lower() + "s"):
            parts[part] = (Mismatch(field="env_assertions", why="nothing calls them here", verdict="unsure"),)
    at = [one for part in basis for one in parts.get(part, ())]
    if trace.stop not in ("done", "user"):
        at.append(Mismatch(field="the conversation", expected="an end", actual=trace.stop))
    found = {"reward": at} | ({"communicated": [*parts["COMMUNICATE"]]} if told else {})
    return {name: _score(name, gold, trace, wrong) for name, wrong in found.items()}


def _score(name: str, gold: Dialogue, trace: Trace, at: list[Mismatch]) -> Score:
    unsure = bool(at) and all(one.verdict == "unsure" for one in at)
    return score_of(name, gold, trace, {"hits": not at, "of": 1}, at, {"hits": unsure})


def _undone(wanted: list[Any], trace: Trace) -> tuple[Mismatch, ...]:
    calls = [one.act for one in invocations(trace.turns) if isinstance(one.act, Call)]
    lacking = (one for one in map(object_of, wanted) if not any(_is_done(one, call) for call in calls))
    return tuple(Mismatch(field="called", expected=one["name"], why="not called so") for one in lacking)


def _is_done(wanted: Mapping[str, Any], call: Call) -> bool:
    """Whether a call is one that was wanted; where nothing says otherwise, by the arguments of the call."""
    given, expected = call.arguments or {}, object_of(wanted.get("arguments"))
    compared = given if wanted.get("compare_args") is None else list_of(wanted["compare_args"])
    mine, gold = ({name: part for name, part in one.items() if name in compared} for one in (given, expected))
    return call.api == wanted["name"] and mine == gold


def _unheld(wanted: list[Any], gold: Dialogue, trace: Trace, match: TextMatch) -> tuple[Mismatch, ...]:
    found: list[Mismatch] = []
    for claim in map(str, wanted):
        decision = match.reader.settled(assertion_question(gold, trace, claim)) if match.reader else None
        if decision is None or decision.verdict == "unsure":
            found.append(Mismatch(field="assertion", expected=claim, why="nobody has judged it", verdict="unsure"))
        elif decision.verdict == "wrong":
            why = "; ".join([decision.told, *decision.reasons])
            found.append(Mismatch(field="assertion", expected=claim, why=why, by=decision.by))
    return tuple(found)
