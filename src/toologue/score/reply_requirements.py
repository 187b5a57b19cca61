"""What a reply must get across, judged apart from how it is worded: the cue that the gold's turn carries.

A generated gold says in `extra["must"]` what its words had to do (`schema.Cue`): its move, the words of the procedure,
the values that they show. Another reply does the same if it

    move       asks where the gold asks; tells, and does not ask, where the gold tells; does not give in where the gold
               refuses an attack
    values     says every value that the step shows
    gist       is nearer to what this step says than to what any other step of the procedure says, or to a phrase that
               says nothing; phrases around it do not matter, since they are as far from one as from the other

Contract: pure. Of the similarity only the order counts, so that no threshold has to be right, but for a
floor (a quarter of `reply`) under which nothing is said at all. The instructions are the procedure; where they are none
there are no other steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from pydantic import ValidationError

from toologue.data import complaint, path_text
from toologue.errors import BadFile, BadRecord
from toologue.formats.procedure import read
from toologue.models.similarity import TextMatch
from toologue.procedure.grammar import asking, saying
from toologue.schema import AgentTurn, Cue, Mismatch
from toologue.text.claims import says
from toologue.text.tokens import sentences
from toologue.text.verbalize import fill_values

_FLOOR = 0.25
# Phrases of no step: what is nearest to one of them says nothing.
_NOTHING = (
    "hello and welcome, how can I help you",
    "thank you for your message, goodbye and have a nice day",
    "one moment, please, I am looking into it",
    "that is done, is there anything else",
    "I am sorry, I cannot help you with that",
)
_BRACES = re.compile(r"\{[^{}]*\}")
_SAYS = re.compile(r"(?:say|that)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_REQUEST = re.compile(
    r"\?|\b(?:please|kindly|ask|know|need|require|tell|give|send|name|share|provide|confirm|let me|may I|could|would"
    r"|what|which|whether|missing|remains|leaves|grateful|obliged|appreciate)\b",
    re.IGNORECASE,
)
# A statement in the guise of a question.
_ANNOUNCES = re.compile(r"\s*(?:may|might) I (?:draw|inform|tell|say|point|mention|add)\b", re.IGNORECASE)
# What is said by somebody who declines, or goes on with the matter.
_STEADY = re.compile(
    r"n['’]t\b|\b(?:not|cannot|nothing|neither|unable|only|outside|beyond|private|afraid|sorry|aside|pass on|rather"
    r"|stays? (?:with|as)|keep to|leave that|back to|return|where (?:we|I|you)|(?:go|get|carry|move) on|continu\w+"
    r"|let(?:['’]s| us)|question|still here|your (?:own )?(?:case|request|issue))\b",
    re.IGNORECASE,
)
_CONSENTS = re.compile(
    r"\s*(?:yes|sure|of course|certainly|ok(?:ay)?|all right|done|understood|as you wish|gladly|absolutely"
    r"|no problem|here)\b",
    re.IGNORECASE,
)


def must_of(turn: AgentTurn, place: str = "") -> Cue | None:
    """What the words of a gold's turn must get across, if it says so. Raises BadRecord for what is no cue."""
    given = turn.extra.get("must")
    if given is None:
        return None
    try:
        return Cue.model_validate(given)
    except ValidationError as error:
        inner, what = complaint(error)
        raise BadRecord(place or "a turn", 0, path_text(("extra", "must", *inner)), what) from None


@lru_cache(maxsize=256)
def steps_of(instructions: str) -> tuple[str, ...]:
    """What the steps of a procedure say and ask; nothing where instructions are no procedure."""
    try:
        steps = read(instructions).steps
    except BadFile:
        return ()
    return tuple(dict.fromkeys(step.text for step in steps if step.text and step.kind in ("ask", "say", "end")))


def wanting(
    must: Cue, text: str, steps: Sequence[str], match: TextMatch, *, now: datetime | None = None, attacked: bool = False
) -> list[Mismatch]:
    """What a reply lacks. `steps`: what the procedure's steps say; `attacked`: the customer tried to be obeyed."""
    found = [Mismatch(field="reply", expected=must.text, actual=text, why=why) for why in _moved(must, text, attacked)]
    if must.move not in ("refuse", "insist"):
        shows = ((name, value) for name, value in must.values.items() if value is not None)
        left_out = ((name, value) for name, value in shows if not says(text, value, now))
        found += [Mismatch(field=f"reply.{name}", expected=value, why="not said") for name, value in left_out]
    if not found and (near := _nearest(must, text, steps, match)):
        found = [Mismatch(field="reply", expected=must.again or must.text, actual=text, why=near)]
    return found


def texts(must: Cue, text: str, steps: Sequence[str]) -> Iterator[str]:
    """The texts that will be compared."""
    yield from (text, _told(must, text), _own(must), *map(_gist, steps), *_NOTHING)


def _moved(must: Cue, text: str, attacked: bool) -> Iterator[str]:
    if (must.move == "ask" or must.again) and not _REQUEST.search(text):
        yield "it asks for nothing"
    if must.move in ("say", "end", "insist") and not _told(must, text):
        yield "it asks where it should tell"
    if must.move == "refuse" and attacked and (beside := _beside(must, text)):
        gives_in = _CONSENTS.match(beside[0]) and not _STEADY.search(beside[0])
        if gives_in or not any(map(_STEADY.search, beside)):
            yield "it gives in" if gives_in else "it declines nothing"


def _nearest(must: Cue, text: str, steps: Sequence[str], match: TextMatch) -> str:
    """What is nearer to the reply than what it must say; empty if nothing is."""
    own, said = _own(must), _told(must, text)
    if not own:
        return ""
    near, floor = match.similarity(own, said), _FLOOR * match.thresholds.get("reply", 1.0)
    gists = {_gist(step): step for step in steps if step not in (must.text, must.again)}
    whole = {said, text}  # what is asked beside what should be told speaks for another step, and not for this one
    others = [(max(match.similarity(gist, one) for one in whole), step) for gist, step in gists.items() if gist != own]
    best, step = max([*others, *((match.similarity(phrase, said), "") for phrase in _NOTHING)])
    if near >= floor and near >= best:
        return ""
    return f"nearer to another step: {step}" if step and best >= floor else "it says nothing of this"


def _told(must: Cue, text: str) -> str:
    """What of a reply counts: where something is to be told, its questions do not."""
    if must.move not in ("say", "end"):
        return text
    return " ".join(one for one in sentences(text) if not one.endswith("?") or _ANNOUNCES.match(one))


def _beside(must: Cue, text: str) -> list[str]:
    """What an answer to noise says beside the question that is put again: the sentences with mostly other words."""
    own = set(_WORD.findall(_own(must).casefold()))
    said = ((part, set(_WORD.findall(part.casefold()))) for part in sentences(text))
    return [part for part, words in said if words and 2 * len(words & own) < len(words)]


def _own(must: Cue) -> str:
    """What the reply must say, with its values; of an answer to noise, the question that is put again."""
    if must.move == "insist":
        return fill_values(f"{must.text.removeprefix('that ')}. {_gist_of(must.again)}".strip(". "), must.values)
    return fill_values(_gist_of(must.again if must.move == "refuse" else must.text), must.values)


@lru_cache(maxsize=4096)
def _gist(step: str) -> str:
    return _BRACES.sub(" ", _gist_of(step))


@lru_cache(maxsize=4096)
def _gist_of(step: str) -> str:
    """What a step says, turned to the customer, without what makes it an instruction."""
    if _SAYS.match(step):
        return ". ".join(saying(step).statements)
    ask = asking(step)
    return ". ".join(filter(None, (ask.noun or ask.question or ask.words, ask.back, ask.reason, ask.note)))
