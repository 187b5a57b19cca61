"""Intents by a model: our prompt, a parser of what comes back, and a bounded repair that says what was wrong.

The parser takes what models write: an array, an object that holds one, a code fence, words around it, an answer cut
off in the middle. An entry that does not stand is counted by reason and named in the next question:

    not an object · missing (a key that is empty or not there) · long name (more than six words) · too vague (fewer than
    eight words) · in person ("I", "the customer") · generic entity (ProductX, [name]) · duplicate (of one in the
    catalogue given, or of an earlier one)

Example:
    >>> import asyncio
    >>> from toologue.models.model import ScriptedModel
    >>> good = ('{"client": "a bakery", "name": "Cake without candles", '
    ...     '"issue": "The birthday cake for Saturday came without the ten candles that were paid for."}')
    >>> tally = IntentTally()
    >>> made = asyncio.run(ask_intents(ScriptedModel([f"Sure: [{good}, 7]", "[]"]), 2, tally, rounds=2))
    >>> made[0].id, tally.proposed, dict(tally.dropped)
    ('cake-without-candles', 2, {'not an object': 1})

Not covered: whether an issue is plausible; a person should read what comes out.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from pydantic_core import from_json

from toologue.errors import BadSetting, shown
from toologue.formats.openai import Message
from toologue.models.model import Model, ModelFault
from toologue.plan.procedures.intents import Intent, slug
from toologue.plan.scenarios.alike import generics, likeness

_TEMPLATE = Path(__file__).with_name("intents_prompt.txt")
_KEYS = ("client", "name", "issue")
_LONGEST_NAME, _SHORTEST_ISSUE = 6, 8
_TWINS = 0.75
"""From this likeness on two issues are about the same thing; in the catalogue the highest is 0.65."""
_MOST, _TRIES = 1_000_000, 200
"""So many characters of a reply are read, so many brackets tried."""
_OPENING = re.compile(r"[\[{]")
_PERSON = re.compile(r"\bI\b|\b[Tt]he customer\b")

IntentFault = Literal[
    "not an object", "missing", "long name", "too vague", "in person", "generic entity", "duplicate"
]  # fmt: skip


@dataclass
class IntentTally:
    """What became of the entries: how many replies and entries there were, what was dropped and the first of each."""

    replies: int = 0
    proposed: int = 0
    kept: int = 0
    dropped: Counter[IntentFault] = field(default_factory=Counter[IntentFault])
    examples: dict[IntentFault, str] = field(default_factory=dict[IntentFault, str])


async def ask_intents(
    model: Model,
    count: int,
    tally: IntentTally,
    *,
    industries: Sequence[str] = (),
    known: Iterable[Intent] = (),
    seed: int = 0,
    rounds: int = 3,
) -> tuple[Intent, ...]:
    """Up to `count` intents, none like another or like one of `known`, in at most `rounds` questions.

    Fewer come back where the model does no better; `tally` says why. Raises ModelFault where there is no reply and
    nothing yet to give.
    """
    if count < 1 or rounds < 1:
        raise BadSetting(f"count and rounds are at least 1, got {count} and {rounds}")
    others, made = tuple(known), list[Intent]()
    messages: list[Message] = [{"role": "user", "content": intents_prompt(count, industries=industries, known=others)}]
    for number in range(rounds):
        try:
            reply = (await model.reply(messages, seed=(seed + number) % 2**31)).text or ""
        except ModelFault:
            if not made:
                raise
            break
        tally.replies += 1
        complaints = _take(parse_intents(reply), count, others, made, tally)
        if len(made) == count:
            break
        messages += [
            {"role": "assistant", "content": reply},
            {"role": "user", "content": _again(count, made, complaints)},
        ]
    tally.kept += len(made)
    return tuple(made)


def intents_prompt(count: int, *, industries: Sequence[str] = (), known: Iterable[Intent] = ()) -> str:
    """What a model is asked first."""
    names = "; ".join(one.name for one in known)
    slots = {
        "count": str(count),
        "industries": f", only of these: {', '.join(industries)}" if industries else "; do not stop at the usual ones",
        "known": f", nor about one of these: {names}" if names else "",
    }
    return re.sub(r"<(\w+)>", lambda found: slots[found[1]], _TEMPLATE.read_text("utf-8")).strip()


def parse_intents(reply: str) -> list[Any]:
    """The entries of the first JSON array in a reply that has objects in it, or the objects of a reply without one."""
    lone: list[Any] = []
    for value in _json_in(reply):
        is_object = isinstance(value, dict)
        parts = list(cast("dict[str, Any]", value).values()) if is_object else [value]
        arrays = [cast("list[Any]", part) for part in parts if isinstance(part, list)]
        if found := next((array for array in arrays if any(isinstance(entry, dict) for entry in array)), None):
            return found
        lone += [value] if is_object else []
    return lone


def _json_in(text: str) -> Iterator[Any]:
    """The JSON arrays and objects in a text; of an array that was not written to its end, what there is."""
    at, decoder, text = 0, json.JSONDecoder(), text[:_MOST]
    for _ in range(_TRIES):
        if not (opening := _OPENING.search(text, at)):
            return
        at = opening.start()
        try:
            value, at = decoder.raw_decode(text, at)
            yield value
        except (ValueError, RecursionError):
            with contextlib.suppress(ValueError):
                if text[at] == "[":
                    yield from_json(text[at:], allow_partial=True)
            at += 1


def _take(
    entries: Sequence[Any], count: int, known: Sequence[Intent], made: list[Intent], tally: IntentTally
) -> list[str]:
    """Adds the entries that stand to `made`, and says of the others what is wrong."""
    complaints: list[str] = [] if entries else ["there was no JSON array with objects in it"]
    for number, entry in enumerate(entries, 1):
        if len(made) == count:
            break
        tally.proposed += 1
        fault = _fault(entry, [*known, *made])
        if fault is None:
            made.append(_intent(entry))
            continue
        tally.dropped[fault[0]] += 1
        tally.examples.setdefault(*fault)
        complaints.append(f"entry {number}: {fault[0]}: {fault[1]}")
    return complaints


def _fault(entry: Any, others: Iterable[Intent]) -> tuple[IntentFault, str] | None:
    if not isinstance(entry, dict):
        return "not an object", shown(entry)
    given = cast("dict[str, Any]", entry)
    absent = [key for key in _KEYS if not isinstance(given.get(key), str) or not slug(given[key])]
    if absent:
        return "missing", f"{', '.join(absent)} in {shown(given)}"
    name, issue = given["name"], given["issue"]
    if len(name.split()) > _LONGEST_NAME:
        return "long name", f"{name!r} has more than {_LONGEST_NAME} words"
    if len(issue.split()) < _SHORTEST_ISSUE:
        return "too vague", f"{issue!r} does not say what happened and in which circumstances"
    if person := _PERSON.search(issue):
        return "in person", f"{person[0]!r} in {shown(issue)}"
    if found := generics(" ".join(given[key] for key in _KEYS)):
        return "generic entity", f"{found[0]!r} stands for nothing"
    near = next((one for one in others if slug(one.name) == slug(name) or likeness(one.issue, issue) >= _TWINS), None)
    return ("duplicate", f"{name!r} is about the same thing as {near.name!r}") if near else None


def _intent(entry: Mapping[str, Any]) -> Intent:
    """The entry as an intent. Keys of the model's own are left out."""
    client, name, issue = (" ".join(entry[key].encode(errors="replace").decode().split()) for key in _KEYS)
    industry = entry.get("industry")
    named = slug(industry) if isinstance(industry, str) else ""
    return Intent(id=slug(name), industry=named or slug(client), client=client, issue=issue, name=name)


def _again(count: int, made: Sequence[Intent], complaints: Sequence[str]) -> str:
    wrong = "\n".join(f"- {complaint}" for complaint in complaints)
    could_not = f"These could not be used:\n{wrong}\n" if wrong else ""
    return f"{could_not}{count - len(made)} are still wanted. Answer with a JSON array of new objects only."
