"""What the agent says: questions, offers, answers made of results, and an honest no.

Contract: pure and total, whatever results are. Every value that is said stands in the step or in a result; nothing else
is claimed. Which of several phrasings is taken follows from how long the conversation is.

Not covered: languages other than English; answers to a part of what was asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from toologue.agents.retrieve.deciding import Step
from toologue.agents.retrieve.history import Made, plain_rows
from toologue.data import shipped
from toologue.text.tokens import split_name

_MOST = 5  # rows, and values of a row, that are read out


def say(step: Step, turn: int, *, writers: Collection[str] = ()) -> str:
    """The words of a step that is no call. `turn`: how many turns were taken so far.

    `writers`: the Apis that do something; of these it is said that it was done, of others what they gave back.
    """
    report = [outcome(one, turn + n, writes=one.call.api in writers) for n, one in enumerate(step.report)]
    if step.wish is not None and step.action == "request":
        description = str(step.wish.form.slots[step.parameter].schema.get("description", "")).rstrip(".")
        described = f" ({description})" if description else ""
        report.append(phrase("ask", turn, what=split_name(step.parameter), described=described))
    elif step.action in ("clarify", "system_bye"):
        return phrase(step.action, turn)
    return " ".join(report)


def outcome(one: Made, turn: int, *, writes: bool) -> str:
    """What came of a call: why it failed, what was done, or what was found."""
    if one.result.error is not None:
        return phrase("fail", turn, why=one.result.error.message.strip().rstrip(".") or "there was an error")
    if writes:
        return phrase("done", turn, what=_with(one.call.api, one.call.arguments or {}))
    value: Any = one.result.value
    read = [words for row in plain_rows(value) if (words := _described(row))]
    if not read:
        parts = list(cast("Mapping[str, Any]", value).values()) if isinstance(value, dict) else value
        listed = cast("list[Any]", parts) if isinstance(parts, list) else [parts]
        read = [str(part) for part in listed if _is_plain(part)]
    more = f"; and {len(read) - _MOST} more" if len(read) > _MOST else ""
    return phrase("found", turn, what="; ".join(read[:_MOST]) + more) if read else phrase("nothing", turn)


def phrase(kind: str, turn: int, **what: str) -> str:
    """One of the phrasings of a kind."""
    phrases = _bank()[kind]
    return phrases[turn % len(phrases)].format(**what)


def _with(api: str, arguments: Mapping[str, Any]) -> str:
    given = ", ".join(f"{split_name(name)} {_said(value)}" for name, value in list(arguments.items())[:_MOST])
    return f"{split_name(api)} ({given})" if given else split_name(api)


def _described(row: Mapping[str, Any]) -> str:
    """The plain values of a row, without what only a computer reads."""
    plain = {split_name(name): value for name, value in row.items() if _is_plain(value)}
    told = [f"{words} {value}" for words, value in plain.items() if words.split()[-1:] not in (["id"], ["ids"])]
    return ", ".join(told[:_MOST])


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list) and value not in (None, "")


def _said(value: Any) -> str:
    return ", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)


@cache
def _bank() -> Mapping[str, Sequence[str]]:
    return shipped(Path(__file__).with_name("wording.yaml"))
