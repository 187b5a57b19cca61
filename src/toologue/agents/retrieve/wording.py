"""What the agent says: questions, offers, answers made of results, and an honest no.

Contract: pure and total, whatever results are. Every value that is said stands in the step or in a result; nothing else
is claimed. Which of several phrasings is taken follows from how long the conversation is, so that it varies, and is the
same from run to run.

Example:
    >>> from toologue.schema import Call, Result
    >>> found = Result(value={"alarms": [{"alarm_id": "1a-2b", "time": "06:30:00"}]})
    >>> outcome(Made(Call(api="FindAlarms"), found), 0, writes=False)
    'Here is what I found: time 06:30:00.'
    >>> outcome(Made(Call(api="ListColours"), Result(value=["red", "teal"])), 1, writes=False)
    'I found this: red; teal.'
    >>> outcome(Made(Call(api="AddAlarm", arguments={"time": "06:30:00"}), Result()), 1, writes=True)
    'That is done: add alarm (time 06:30:00).'

Not covered: languages other than English; answers to a part of what was asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, assert_never, cast

from toologue.agents.retrieve.deciding import Step
from toologue.agents.retrieve.results import Made, Rows, is_id, plain_rows
from toologue.data import shipped
from toologue.text.find import Row
from toologue.text.tokens import split_name

_MOST = 5  # rows, and values of a row, that are read out


def say(step: Step, rows: Rows, turn: int, *, writers: Collection[str] = ()) -> str:
    """The words of a step that is no call. `rows`: what is known; `turn`: how many turns were taken so far.

    `writers`: the Apis that do something; of these it is said that it was done, of others what they gave back.
    """
    report = [outcome(one, turn + n, writes=one.call.api in writers) for n, one in enumerate(step.report)]
    match step.action:
        case "call":
            return ""
        case "response" | "response_fail":
            return " ".join(report)
        case "request":
            return " ".join([*report, _question(step, rows, turn)])
        case "suggest":
            return " ".join([*report, _phrase("suggest", turn, what=_offered(step))])
        case "clarify" | "system_bye":
            return _phrase(step.action, turn)
        case _:
            assert_never(step.action)


def outcome(one: Made, turn: int, *, writes: bool) -> str:
    """What came of a call: why it failed, what was done, or what was found."""
    if one.result.error is not None:
        return _phrase("fail", turn, why=one.result.error.message.strip().rstrip(".") or "there was an error")
    if writes:
        return _phrase("done", turn, what=_with(split_name(one.call.api), one.call.arguments or {}))
    read = _read_out(one.result.value)
    more = f"; and {len(read) - _MOST} more" if len(read) > _MOST else ""
    return _phrase("found", turn, what="; ".join(read[:_MOST]) + more) if read else _phrase("nothing", turn)


def _read_out(value: Any) -> list[str]:
    """The rows of a result in words; without rows, its plain values."""
    rows = [words for row in plain_rows(value) if (words := _described(row))]
    return rows or [str(part) for part in _parts(value) if part not in (None, "") and not isinstance(part, dict | list)]


def _question(step: Step, rows: Rows, turn: int) -> str:
    """What is asked of the user: which of several, or what a value is."""
    words, options = split_name(step.parameter), step.filled.unsure.get(step.parameter, ())
    if options:
        listed = "; ".join(_option(one, step.parameter, rows) for one in options[:_MOST])
        return _phrase("which", turn, what=words.removesuffix(" id"), options=listed)
    slot = step.wish.form.slots[step.parameter] if step.wish else None
    description = str(slot.schema.get("description", "")).rstrip(".") if slot else ""
    return _phrase("ask", turn, what=words, described=f" ({description})" if description else "")


def _option(value: Any, name: str, rows: Rows) -> str:
    """A value as people know it: by what else its row says."""
    described = (_described(row) for group in rows for row in group if row.get(name) == value)
    return next(described, "") or str(value)


def _offered(step: Step) -> str:
    """A call that was not made yet, in words."""
    name, values = step.filled.several or ("", ())
    arguments = {**step.filled.arguments, **({name: list(values)} if name else {})}
    return _with(split_name(step.wish.api.name) if step.wish else "", arguments)


def _with(what: str, arguments: Mapping[str, Any]) -> str:
    given = ", ".join(f"{split_name(name)} {_value(value)}" for name, value in list(arguments.items())[:_MOST])
    return f"{what} ({given})" if given else what


def _described(row: Row) -> str:
    """The plain values of a row, without what only a computer reads."""
    plain = {
        name: value for name, value in row.items() if not isinstance(value, dict | list) and value not in (None, "")
    }
    return ", ".join([f"{split_name(name)} {value}" for name, value in plain.items() if not is_id(name)][:_MOST])


def _value(value: Any) -> str:
    return ", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from cast("dict[str, Any]", value).values()
    elif isinstance(value, list):
        yield from cast("list[Any]", value)
    else:
        yield value


def _phrase(kind: str, turn: int, **what: str) -> str:
    phrases = _bank()[kind]
    return phrases[turn % len(phrases)].format(**what)


@cache
def _bank() -> Mapping[str, Sequence[str]]:
    return shipped(Path(__file__).with_name("wording.yaml"))
