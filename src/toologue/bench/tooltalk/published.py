"""ToolTalk's grader, bug for bug: what the published reference computes, crashes included.

Every predicted call, in order, takes the first unmatched gold call that it matches, anywhere in the conversation. What
"matches" means is a rule per tool; the rules below are the reference's, quirks included:

- a message's receiver is never compared; where a turn stands is never compared;
- arguments beyond the gold's are ignored, but for GetReminders, which compares its whole request;
- lists are compared in order, but for the receivers of a mail;
- a due date of null, or a free text that is not text, crashes the grader: the conversation then has no metrics;
- a conversation without gold calls divides by zero.

Not covered: the published model behind its similarity (DistilBERT [CLS] vectors); similarity is an input here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from toologue.errors import GraderError
from toologue.models.similarity import TextMatch
from toologue.schema import Dialogue, Fault, Invocation, Trace
from toologue.score.calls import Pairing, made
from toologue.values.json_schema import object_of
from toologue.worlds.world import kind_of

Arguments = Mapping[str, Any]
Rule = Callable[[Invocation, Invocation, TextMatch], bool]
_MISSING = object()


def pair(gold: Dialogue, trace: Trace, judge: TextMatch) -> Pairing:
    """Greedy first match over the whole conversation, in the reference's order of evaluation."""
    writes = {api.name for api in kind_of(gold.world.name).apis if api.writes}
    predicted, wanted = made(trace), made(gold)
    actions = tuple(p.call.api in writes for p in predicted)
    free, partner, bad = list(range(len(wanted))), list[int | None](), list[bool]()
    crash: Fault | None = None
    for invocation, action in zip(predicted, actions, strict=True):
        try:
            mate = next((j for j in free if _matches(invocation, wanted[j], judge)), None)
        except GraderError as error:
            crash = Fault(type=error.kind, message=str(error))
            break
        if mate is not None:
            free.remove(mate)
        partner.append(mate)
        bad.append(action and mate is None and invocation.result.error is None)
    if crash is None and not wanted:
        crash = Fault(type="ZeroDivisionError", message="recall of a conversation without gold calls")
    return Pairing(predicted, wanted, tuple(partner), tuple(bad), actions, crash)


def metrics(counts: Mapping[str, int]) -> dict[str, Any]:
    """The reference's metrics of one conversation, under its own keys."""
    n = dict(counts)
    precision = n["matches"] / n["predictions"] if n["predictions"] else 0
    recall = n["matches"] / n["ground_truths"]
    bad_rate = n["bad_actions"] / n["actions"] if n["actions"] else 0
    return {
        **n,
        "precision": precision,
        "recall": recall,
        "action_precision": n["valid_actions"] / n["actions"] if n["actions"] else 1,
        "bad_action_rate": bad_rate,
        "success": recall == 1.0 and bad_rate == 0.0,
        "soft_success": recall * (1 - bad_rate),
    }


def _matches(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    tool = gold.call.api
    mine, theirs = ((one.call.api, one.result.error and one.result.error.message) for one in (predicted, gold))
    if mine != theirs or (tool not in _RESPONSE_IGNORED and predicted.result.value != gold.result.value):
        return False
    return _RULES.get(tool, _by_arguments)(predicted, gold, judge)


def _executed(invocation: Invocation) -> Arguments:
    """The arguments with the session token that was put in, as the reference records them on both sides."""
    return invocation.result.arguments or invocation.call.arguments or {}


def _same_session(mine: Arguments, theirs: Arguments) -> bool:
    return mine.get("session_token") == theirs.get("session_token")


def _similar(judge: TextMatch, kind: str, expected: Any, actual: Any) -> bool:
    if actual is None:
        return judge.thresholds[kind] <= 0.0
    if not isinstance(actual, str) or not isinstance(expected, str):
        raise GraderError("TypeError", f"a text was expected, got {type(actual).__name__}")
    return judge.similarity(expected, actual) >= judge.thresholds[kind]


def _by_arguments(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine = _executed(predicted)
    return all(mine.get(name, _MISSING) == value for name, value in _executed(gold).items())


def _event(*texts: str) -> Rule:
    def rule(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
        mine = _executed(predicted)
        return all(
            mine.get(name) is not None
            and (_similar(judge, "text", expected, mine[name]) if name in texts else expected == mine[name])
            for name, expected in _executed(gold).items()
        )

    return rule


def _found(rows: str, key: str, same: Callable[[Arguments, Arguments], bool] = _same_session) -> Rule:
    def ids(invocation: Invocation) -> set[Any]:
        return {row[key] for row in object_of(invocation.result.value).get(rows, [])}

    def rule(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
        return same(_executed(predicted), _executed(gold)) and ids(gold) <= ids(predicted)

    return rule


def _mail(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine, theirs = _executed(predicted), _executed(gold)
    return (
        _same_session(mine, theirs)
        and set(theirs["to"]) == set(mine["to"])
        and _similar(judge, "text", theirs["subject"], mine["subject"])
        and _similar(judge, "prose", theirs["body"], mine["body"])
    )


def _message(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine, theirs = _executed(predicted), _executed(gold)
    return _same_session(mine, theirs) and _similar(judge, "prose", theirs["message"], mine["message"])


def _reminder(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    def same(name: str, expected: Any, actual: Any) -> bool:
        if name == "due_date":
            return _day(actual) == _day(expected)
        return _similar(judge, "text", expected, actual) if name == "task" else actual == expected

    mine = _executed(predicted)
    return all(name in mine and same(name, expected, mine[name]) for name, expected in _executed(gold).items())


def _day(text: Any) -> Any:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").date()
    except TypeError as error:
        raise GraderError("TypeError", str(error)) from None


_RULES: dict[str, Rule] = {
    "FindAlarms": _found("alarms", "alarm_id"),
    "QueryCalendar": _found("events", "event_id"),
    "SearchInbox": _found("emails", "email_id"),
    "SearchMessages": _found("messages", "message_id"),
    "GetReminders": _found("reminders", "reminder_id", same=operator.eq),
    "CreateEvent": _event("name", "description", "location"),
    "ModifyEvent": _event("new_name", "new_description", "new_location"),
    "SendEmail": _mail,
    "SendMessage": _message,
    "AddReminder": _reminder,
}
_RESPONSE_IGNORED = frozenset(_RULES) - {"ModifyEvent"} | {"AddAlarm"}
