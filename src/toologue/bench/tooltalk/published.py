"""ToolTalk's grader, bug for bug: what the published reference computes, crashes included.

Every predicted call, in order, takes the first unmatched gold call that it matches, anywhere in the conversation. What
"matches" means is a rule per tool; the rules below are the reference's, quirks included:

- a message's receiver is never compared; where a turn stands is never compared;
- arguments beyond the gold's are ignored, but for GetReminders, which compares its whole request;
- lists are compared in order, but for the receivers of a mail;
- a due date of null, or a free text that is not text, crashes the grader: the conversation then has no metrics;
- a conversation without gold calls divides by zero.

Example:
    >>> counts = {"predictions": 2, "ground_truths": 1, "matches": 1}
    >>> metrics(counts | {"actions": 2, "valid_actions": 1, "bad_actions": 1})["soft_success"]
    0.5

Not covered: the published model behind its similarity (DistilBERT [CLS] vectors); similarity is an input here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

from toologue.errors import GraderError
from toologue.models.similarity import TextMatch
from toologue.schema import Call, Dialogue, Fault, Invocation, Trace, invocations
from toologue.score.calls import ERROR_TYPES, Pairing
from toologue.worlds.world import kind_of

Arguments = Mapping[str, Any]
_MISSING = object()


def pair(gold: Dialogue, trace: Trace, judge: TextMatch) -> Pairing:
    """Greedy first match over the whole conversation, in the reference's order of evaluation."""
    writes = {api.name for api in kind_of(gold.world.name).apis if api.writes}
    predicted = tuple(i for i in invocations(trace.turns) if i.act.kind == "call")
    wanted = tuple(i for i in invocations(gold.turns) if i.act.kind == "call")
    actions = tuple(_call(p).api in writes for p in predicted)
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


def error_types(pairing: Pairing, turns: int) -> dict[str, int]:
    """The reference's error types of one failed conversation of so many rounds, its inverted comparison included."""
    found: dict[str, int] = dict.fromkeys(ERROR_TYPES, 0)
    calling = {g.round for g in pairing.gold}
    for number in range(turns):
        surplus = [(p, bad) for p, bad in pairing.surplus if p.round == number]
        wrong = Counter(_call(p).api for p, _ in surplus)
        missed = Counter(_call(g).api for g in pairing.missed if g.round == number)
        if number not in calling:
            found["over-trigger"] += sum(bad for _, bad in surplus)
        elif wrong or missed:
            fewer = any(missed[name] < wrong[name] for name in wrong)
            found["bad planning" if wrong.keys() != missed.keys() or fewer else "bad call"] += 1
    return found


def _matches(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine, theirs = _call(predicted), _call(gold)
    if mine.api != theirs.api or _exception(predicted) != _exception(gold):
        return False
    rule = _RULES.get(theirs.api, _by_arguments)
    same_response = predicted.result.value == gold.result.value
    if theirs.api not in _RESPONSE_IGNORED and not same_response:
        return False
    return rule(predicted, gold, judge)


def _call(invocation: Invocation) -> Call:
    return cast("Call", invocation.act)


def _exception(invocation: Invocation) -> str | None:
    error = invocation.result.error
    return None if error is None else error.message


def _executed(invocation: Invocation) -> Arguments:
    """The arguments with the session token that was put in, as the reference records them on both sides."""
    return invocation.result.arguments or _call(invocation).arguments or {}


def _similar(judge: TextMatch, kind: str, expected: Any, actual: Any) -> bool:
    if actual is None:
        return judge.thresholds[kind] <= 0.0
    if not isinstance(actual, str) or not isinstance(expected, str):
        raise GraderError("TypeError", f"a text was expected, got {type(actual).__name__}")
    return judge.similarity(expected, actual) >= judge.thresholds[kind]


def _by_arguments(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine = _executed(predicted)
    return all(mine.get(name, _MISSING) == value for name, value in _executed(gold).items())


def _event(*texts: str) -> Callable[[Invocation, Invocation, TextMatch], bool]:
    def rule(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
        mine = _executed(predicted)
        for name, expected in _executed(gold).items():
            actual = mine.get(name)
            if actual is None:
                return False
            if not (_similar(judge, "text", expected, actual) if name in texts else expected == actual):
                return False
        return True

    return rule


def _found(rows: str, key: str) -> Callable[[Invocation, Invocation, TextMatch], bool]:
    def rule(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
        mine, theirs = _executed(predicted), _executed(gold)
        if rows == "reminders":
            same = mine == theirs
        else:
            same = mine.get("session_token") == theirs.get("session_token")
        return same and {row[key] for row in _rows(gold, rows)} <= {row[key] for row in _rows(predicted, rows)}

    return rule


def _rows(invocation: Invocation, name: str) -> list[dict[str, Any]]:
    return cast("dict[str, list[dict[str, Any]]]", invocation.result.value or {}).get(name, [])


def _mail(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine, theirs = _executed(predicted), _executed(gold)
    return (
        mine.get("session_token") == theirs.get("session_token")
        and set(theirs["to"]) == set(mine["to"])
        and _similar(judge, "text", theirs["subject"], mine["subject"])
        and _similar(judge, "prose", theirs["body"], mine["body"])
    )


def _message(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine, theirs = _executed(predicted), _executed(gold)
    same = mine.get("session_token") == theirs.get("session_token")
    return same and _similar(judge, "prose", theirs["message"], mine["message"])


def _reminder(predicted: Invocation, gold: Invocation, judge: TextMatch) -> bool:
    mine = _executed(predicted)
    for name, expected in _executed(gold).items():
        if name not in mine:
            return False
        if name == "due_date":
            same = _day(mine[name]) == _day(expected)
        elif name == "task":
            same = _similar(judge, "text", expected, mine[name])
        else:
            same = mine[name] == expected
        if not same:
            return False
    return True


def _day(text: Any) -> Any:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").date()
    except TypeError as error:
        raise GraderError("TypeError", str(error)) from None


_RULES: dict[str, Callable[[Invocation, Invocation, TextMatch], bool]] = {
    "FindAlarms": _found("alarms", "alarm_id"),
    "QueryCalendar": _found("events", "event_id"),
    "SearchInbox": _found("emails", "email_id"),
    "SearchMessages": _found("messages", "message_id"),
    "GetReminders": _found("reminders", "reminder_id"),
    "CreateEvent": _event("name", "description", "location"),
    "ModifyEvent": _event("new_name", "new_description", "new_location"),
    "SendEmail": _mail,
    "SendMessage": _message,
    "AddReminder": _reminder,
}
_RESPONSE_IGNORED = frozenset(_RULES) - {"ModifyEvent"} | {"AddAlarm"}
