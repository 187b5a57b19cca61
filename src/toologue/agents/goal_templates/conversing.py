"""The exceptions of conversation (Dialog2API, appendix C): whether one applies, and which.

Contract: pure. Questions about S3 in general come first, then what no program can do, beside something that one can
(over-specified) or alone (out of scope), then leave-taking, vagueness and small talk; words that name an operation are
none of the last three. What no rule knows, `fallback` decides by the nearest examples of the training dialogues.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> mind = Mind(Bank(()))
    >>> for words in ("Can I nest buckets?", "E-mail it to Bo", "Tidy up my files", "Bye!", "Count my-attic"):
    ...     move = exception(mind, hear(words))
    ...     print(move and move.raises)
    FAQ
    OutOfScopeRequestError
    AmbiguousRequestError
    EndDialog
    None

Not covered: exceptions that a developer adds.
"""

from __future__ import annotations

import re

from toologue.agents.goal_templates.goals import Mind, Move
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.settling import wishes_of
from toologue.agents.goal_templates.vocabulary import cue

__all__ = ["exception", "fallback"]

_NEAR = 0.62
_QUERIES = ("list", "read", "count", "region", "grep", "exists", "size", "when", "lines", "compare", "sum")


def exception(mind: Mind, heard: Heard, *, asking: bool = False) -> Move | None:
    """Whether an exception of conversation applies, and which. `asking`: only those that a question can be."""
    named = any(one.kind not in ("number", "date") for one in heard.values)
    asks, firm = heard.says("question"), _firm(heard)
    if asks and not named and heard.says("generic") and not cue("this_one").search(heard.mask):
        return _raise("FAQ", "a question about how S3 works")
    beyond = heard.says("out_of_scope") and not (named and firm and not heard.says("beyond"))
    if firm and (heard.says("over_specified") or (beyond and named and not asks)) and not _who(heard):
        wishes = wishes_of(mind.context, heard)
        return Move(wishes[0], "final", "more is asked than any program can do", raises="OverSpecificationError")
    if not asks and not firm and not named and heard.says("chitchat"):
        return _raise("EndDialog" if heard.says("bye") else "ChitChat", "small talk")
    if beyond:
        return _raise("OutOfScopeRequestError", "no API does that")
    if asking or named:
        return None
    return _sociable(mind, heard, firm) or _like(mind, heard, firm)


def _sociable(mind: Mind, heard: Heard, firm: bool) -> Move | None:
    """Leave-taking, vagueness and small talk."""
    vague = heard.says("vague") or (heard.says("helpless") and not firm)
    if vague and not mind.retry and not (firm and heard.wishes[0].op not in ("list", "delete", "copy", "put", "sum")):
        return _raise("AmbiguousRequestError", "it is not said what shall be done")
    if firm and not (heard.says("bye") and heard.wishes[0].op in _QUERIES):
        return None
    if heard.says("bye"):
        return _raise("EndDialog", "the user takes leave")
    if heard.says("thanks"):
        praise = re.search(r"\byou (?:have|are|were)\b|\byou're\b", heard.mask)
        return _raise("ChitChat" if praise else "EndDialog", "thanks")
    return _raise("ChitChat", "small talk") if heard.says("chitchat") else None


def _like(mind: Mind, heard: Heard, firm: bool) -> Move | None:
    label, score = mind.bank.exception(heard.mask)
    return _raise(label, f"like an example ({score:.2f})") if label and score > _NEAR and not firm else None


def _firm(heard: Heard) -> bool:
    """Whether words ask for an operation beyond doubt."""
    return bool(heard.wishes) and not heard.loose


def _who(heard: Heard) -> bool:
    return re.search(r"(?<!\bby )\bwho\b", heard.mask) is not None


def _raise(name: str, why: str) -> Move:
    return Move(None, "final", why, raises=name)


def fallback(mind: Mind, heard: Heard) -> Move:
    """What no rule knows: the nearest examples decide; else questions are beyond us, and the rest is small talk."""
    label, score = mind.bank.exception(heard.mask)
    asks, domain = (
        heard.says("question") and not cue("tag_question").search(heard.mask),
        cue("domain").search(heard.whole.text),
    )
    if label and score > (0.35 if label in ("ChitChat", "EndDialog") and not asks else 0.5):
        return _raise(label, f"the nearest example is one ({score:.2f})")
    if (
        domain
        and (heard.says("asks_you") or not asks)
        and re.search(r"\b(?:i|we|can|could|need|#ask|please|let|our)\b", heard.whole.text)
    ):
        return _raise("AmbiguousRequestError", "no operation is asked for")
    if heard.says("chitchat"):
        return _raise("ChitChat", "small talk")
    if asks:
        return _raise("OutOfScopeRequestError", "a question that no program answers")
    return _raise("ChitChat", "no operation is asked for")
