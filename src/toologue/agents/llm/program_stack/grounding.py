"""Whether words are supported by what is known, before they are said; and what can be said of the results alone.

Contract: `unsupported` gives the values of a reply that stand nowhere in the situation: numbers, days, times, ids,
addresses (`write.verify.words`), what stands in quotes, and paths. Supported is what a result, an error, a program or
either side's words hold, what the agent was told, and the length of any list in a result. An answer to a question about
the service (`FAQ`) comes from elsewhere, and is not looked at. `plain` tells the results of this turn's programs and
nothing else.

Example:
    >>> from toologue.schema import UserTurn
    >>> ran = Stacked(goal="1", status="final", code="", result=Result(value=["q1.csv", "q2.csv"]))
    >>> seen = Sample(stack=(ran,), turns=(UserTurn(text="How many files?"),))
    >>> unsupported("There are 2 files: q1.csv and q3.csv.", seen, Brief())
    ('q3.csv',)
    >>> plain([ran])
    'Here is what I found: "q1.csv", "q2.csv".'

Not covered: names of people and places, sums of supported numbers, and what is false without any such value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from toologue.formats.dialog2api import Sample
from toologue.sandbox.messages import CONVERSATIONAL
from toologue.schema import Brief, Result
from toologue.schema.stack import Stacked
from toologue.text.claims import claims, grounds

_QUOTED = re.compile(r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|`([^`\n]{2,200})`")
_PATH = re.compile(r"(?<![\w/.:])[\w~.+-]*(?:/[\w~.+-]+)+/?|(?<![\w/.])[\w~-]+\.[a-z]\w{1,4}\b(?!\.\w)")
_LONGEST = 200


def unsupported(text: str, seen: Sample, brief: Brief) -> tuple[str, ...]:
    """The values in words that nothing supports, as they are said."""
    error = seen.stack[0].result.error if seen.stack and seen.stack[0].result else None
    if error is not None and error.type == "FAQ":
        return ()
    known = list(_known(seen, brief))
    told = json.dumps(known, ensure_ascii=False).casefold().replace("\\n", "\n").replace('\\"', '"')
    quoted = (found[1] or found[2] or found[3] for found in _QUOTED.finditer(text))
    paths = (found[0].rstrip(".") for found in _PATH.finditer(text))
    strange = [said for said in (*quoted, *paths) if said.strip(" .,!?").casefold() not in told]
    support = grounds(known)
    for claim, said in claims(text).items():
        there = claim in support or claim[0] == "name" or (claim[0] != "number" and said.casefold() in told)
        strange += [] if there or any(said in one for one in strange) else [said]
    return tuple(dict.fromkeys(strange))


def plain(ran: Sequence[Stacked]) -> str:
    """The results of programs in words, each in a sentence."""
    return " ".join(_told(one.result) for one in ran if one.result is not None) or "I need to know more to do that."


def _told(result: Result) -> str:
    if result.error is not None:
        if result.error.type in CONVERSATIONAL:
            return "I cannot do that as it stands."
        return f"That did not work: {result.error.message or result.error.type}".rstrip(".") + "."
    if result.value is None:
        return "Done."
    value = result.value
    members = value if isinstance(value, list) else [value]
    if not members:
        return "I found nothing."
    listed = ", ".join(json.dumps(one, ensure_ascii=False) for one in members)
    return f"Here is what I found: {listed if len(listed) <= _LONGEST else listed[:_LONGEST] + '…'}."


def _known(seen: Sample, brief: Brief) -> Iterator[Any]:
    """All that words may say, as JSON."""
    yield from (turn.text for turn in seen.turns)
    yield from (brief.instructions, brief.facts, [api.description for api in brief.apis])
    for one in seen.stack:
        yield one.code
        if one.result is not None:
            yield one.result.model_dump(mode="json", include={"value", "error"})
            yield list(_lengths(one.result.value))


def _lengths(value: Any) -> Iterator[int]:
    """The length of every list in a value."""
    members: Iterable[Any] = ()
    if isinstance(value, list):
        members = cast("list[Any]", value)
        yield len(cast("list[Any]", value))
    elif isinstance(value, dict):
        members = cast("dict[str, Any]", value).values()
    for member in members:
        yield from _lengths(member)
