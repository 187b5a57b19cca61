"""A transcript as plain lines: what was said and done, and what was expected where that differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toologue.report.transcript import Item, transcript
from toologue.report.view import Conversation
from toologue.report.words import cut

_LONGEST = 400


def transcript_lines(conversation: Conversation) -> Iterator[str]:
    """The lines of a conversation, a mark of what is wrong or unsure ahead of each."""
    sections: list[dict[str, Any]] = transcript(conversation)["sections"]
    for section in sections:
        yield from (_line("customer", text.text) for text in section["said"])
        for gold, agent in section["rows"]:
            if agent is not None:
                yield _line("agent", _words(agent), agent.mark)
            if gold is not None and (agent is None or _words(gold) != _words(agent)):
                yield _line("  expected" if agent is not None else "  not done", _words(gold))


def _line(who: str, what: str, mark: str = "") -> str:
    return f"{mark if mark in ('wrong', 'unsure', 'bad') else '':7}{who + ':':11} {cut(what, _LONGEST)}"


def _words(item: Item) -> str:
    given = ", ".join(f"{one.name}={one.given.text}" for one in item.arguments if one.given)
    came = item.error or item.result
    parts = [f"{item.title}({given})" if item.kind == "call" else item.title if item.kind == "program" else ""]
    parts += [item.text.text if item.text else "", f"→ {came.text}" if came else ""]
    return " ".join(filter(None, parts))
