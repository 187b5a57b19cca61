"""Values that nobody said, and that follow: from the brief, from what else was said, from what the Api is for.

Contract: pure; nothing is guessed about the world: a fact of the brief, a choice that the Api's own name makes, a
fortnight for a search whose range nobody named, the end of what was said to last for a while, and, to search for, the
telling words of the wish.

Example:
    >>> from toologue.agents.retrieve.forms import form_of
    >>> from toologue.schema import Api, Parameter
    >>> query = Parameter(schema={"type": "string"}, required=False)
    >>> inbox = form_of(Api(name="SearchInbox", parameters={"query": query}))
    >>> keywords(inbox, "Could you look for the mail about the ferry tickets?")
    'ferry tickets'

Not covered: a message that was only hinted at; subjects for mails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast

from toologue.agents.retrieve.finding import SAID, Candidate, Told, fact
from toologue.agents.retrieve.forms import Form, Slot
from toologue.agents.retrieve.lexicon import deeds_in
from toologue.text.spans import Found
from toologue.text.times import lengths
from toologue.text.tokens import split_name
from toologue.values.compare import moment_of

_AHEAD = timedelta(days=14, seconds=-1)
_KEYWORDS = 6
_OUTRIGHT = 0.8


def implied(form: Form, slot: Slot, told: Told) -> Any:
    """A value for a required parameter of which nothing was said; None where nothing follows."""
    known = fact(slot.name, told.facts)
    if known is not None:
        return known
    choices, words = slot.schema.get("enum"), split_name(form.api.name).split()
    if isinstance(choices, list):
        named = [one for one in cast("list[Any]", choices) if str(one).lower() in words]  # CreateEvent makes an event
        return named[0] if len(named) == 1 else None
    if slot.edge and not form.api.writes and told.now is not None:
        today = told.now.replace(hour=0, minute=0, second=0)
        return _written(slot, today, timedelta() if slot.edge == "start" else _AHEAD, told)
    return None


def ended(form: Form, arguments: Mapping[str, Any], told: Told) -> dict[str, Any]:
    """The end of what has a beginning and was said to last for a while."""
    edges = {slot.edge: slot for name, slot in form.slots.items() if slot.edge and name in arguments}
    if not form.api.writes or edges.keys() != {"start", "end"}:
        return {}
    begins = moment_of(str(arguments[edges["start"].name]))
    said = " ".join([*told.heard.request, told.words])
    lasts = next((one.long for one in lengths(said) if one.use in ("lasting", "")), None)
    ends = _written(edges["end"], begins, lasts, told) if begins and lasts else None
    return {} if ends is None else {edges["end"].name: ends}


def searched(form: Form, chosen: Mapping[str, Candidate], told: Told) -> dict[str, Candidate]:
    """What to search by: the words said for it; else who it is about; else the telling words of the wish.

    Bounds of time are left out where there is anything else to search by: what people remember of them is often wrong.
    """
    found, slots = dict(chosen), form.slots
    query = next((name for name, slot in slots.items() if slot.kind == "query"), None)
    if query is None or form.api.writes:
        return found
    people = [name for name in chosen if slots[name].kind in ("username", "email")]
    for name in people:
        if found[name].found.kind == "reference" and found[name].score < _OUTRIGHT:
            del found[name]
    telling = query in found and form.tells(found[query].found.text)
    if people and not telling:
        found.pop(query, None)
    named = any(name in found for name in people)
    if not named and not (telling and found[query].score >= SAID) and (words := keywords(form, told.words)):
        found[query] = Candidate(Found(words, 0, 0, words, "query", SAID), told.words)
    return {name: one for name, one in found.items() if not (slots[name].edge and (named or query in found))}


def keywords(form: Form, words: str) -> str:
    """The words that are neither everyday words nor what the Api is about."""
    said = [word for word in re.findall(r"[^\W\d_][\w'’-]{2,}", words) if not deeds_in(word) and form.tells(word)]
    return " ".join(list(dict.fromkeys(re.sub(r"['’]s$", "", word) for word in said))[:_KEYWORDS])


def _written(slot: Slot, moment: datetime, later: timedelta, told: Told) -> Any:
    """A moment in the form that a parameter asks for; None where the calendar ends."""
    try:
        said = f"{moment + later:%Y-%m-%d %H:%M:%S}"
    except OverflowError:
        return None
    return next((one.value for one in slot.find(said, told.now)), None)
