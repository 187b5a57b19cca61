"""The exceptions of conversation (Dialog2API, appendix C): whether one applies, and which.

Contract: pure. Questions about S3 come first, then what is impossible, then what is beyond the APIs, then leave-taking,
vagueness and small talk; an utterance that asks for an operation beyond doubt is none of the last three. What no rule
knows, `fallback` decides by the nearest example of the training dialogues.

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
from toologue.agents.goal_templates.lexicon import says
from toologue.agents.goal_templates.wishes import Wish
from toologue.agents.goal_templates.wishing import wishes_of

__all__ = ["exception", "fallback"]


def exception(mind: Mind, heard: Heard, *, asking: bool = False) -> Move | None:
    """Whether an exception of conversation applies, and which. `asking`: only those that a question can be."""
    named = any(one.kind not in ("number", "date") for one in heard.values)
    if raised := _impossible(mind, heard, named, asking):
        return raised
    if asking or named:
        return None
    return _sociable(mind, heard) or _like(mind, heard)


def _impossible(mind: Mind, heard: Heard, named: bool, asking: bool) -> Move | None:
    """Questions about S3, and what no program can do."""
    words, mask = heard.words, heard.mask
    if re.search(_STRANGE, mask):
        return _raise("OutOfScopeRequestError", "no API does that")
    if not named and says("faq", mask) and says("question", words) and not re.search(_THIS_ONE, mask):
        return _raise("FAQ", "a question about how S3 works")
    if says("over_specified", mask) and _in_domain(heard) and not re.match(r"(?!.*\bby who\b).*\bwho\b", mask):
        return _raise("OverSpecificationError", "more is asked than any program can do", wish=_core(mind, heard))
    small = not (asking or named or says("question", words) or _firm(heard))
    if small and says("chitchat", mask):
        return _raise("EndDialog" if says("bye", words) else "ChitChat", "small talk")
    if says("out_of_scope", mask) and not (named and heard.wishes and not re.search(_BEYOND, mask)):
        return _raise("OutOfScopeRequestError", "no API does that")
    return None


def _sociable(mind: Mind, heard: Heard) -> Move | None:
    """Leave-taking, vagueness and small talk."""
    words, mask = heard.words, heard.mask
    if re.search(_VAGUE, mask) and not mind.retry:
        return _raise("AmbiguousRequestError", "it is not said what shall be done")
    if _firm(heard):
        return None
    if says("bye", words):
        return _raise("EndDialog", "the user takes leave")
    if says("ambiguous", mask) and not mind.retry:
        return _raise("AmbiguousRequestError", "it is not said what shall be done")
    if says("thanks", words) and not heard.wishes:
        praise = re.search(r"\byou (?:have|are|were)\b", words.lower())
        return _raise("ChitChat" if praise else "EndDialog", "thanks")
    return _raise("ChitChat", "small talk") if says("chitchat", mask) and not heard.wishes else None


def _like(mind: Mind, heard: Heard) -> Move | None:
    label, score = mind.bank.exception(heard.mask)
    return _raise(label, f"like an example ({score:.2f})") if label and score > _NEAR else None


_NEAR = 0.62
_STRANGE = (
    r"\b(?:another|different|other) (?:aws )?account\b|\brename (?:the |a |my |"
    r"our )?(?:bucket )?<bucket> (?:to|into) <bucket>"
)
_VAGUE = (
    r"\b(?:do (?:something|anything) (?:with|about|to|for)|something(?:'s| is)? (?:wrong|needs|should|about|"
    r"with)|the thing with)\b"
)
_THIS_ONE = r"^(?!.*\b(?:a|an) (?:bucket|file|folder)\b).*\b(?:there|it|them|those|these|that)\b(?=[^a-z]*$)"
_BEYOND = (
    r"\b(?:permission|e-?mail|mail |send|who |undo|restore|bring back|browser|print|price|cost|share|link|"
    r"public|password|"
    r"encrypt|switch (?:it|them|<)|(?:to|into) (?:<region>|another region))"
)
_ABOUT = (
    r"\b(?:files?|buckets?|folders?|storage|logs?|data|reports?|invoices?|orders?|notes?|documents?|exports?|"
    r"stuff)\b"
)


def _core(mind: Mind, heard: Heard) -> Wish | None:
    wishes = wishes_of(mind, heard)
    return wishes[0] if wishes else None


def _in_domain(heard: Heard) -> bool:
    return any(wish.op not in ("list_buckets",) or re.search(r"\bbucket", heard.mask) for wish in heard.wishes)


def _firm(heard: Heard) -> bool:
    """Whether words ask for an operation beyond doubt, not in passing."""
    weak = ("list", "read", "count", "copy", "delete", "put", "region")
    return any(
        wish.op not in weak or says("question", heard.words) or re.match(_IMPERATIVE, heard.words.lower())
        for wish in heard.wishes
    )


_IMPERATIVE = (
    r"^(?:\W*(?:ok|okay|now|then|please|pls|and|also|hm+|so|great|good|well|could you|can you|just|hi|hello|"
    r"morning|thanks|only|i need|i want|i'd like|let's)\W+)*(?:list|show|count|read|open|copy|delete|remove|"
    r"move|rename|put|create|find|give|tell|merge|add|make|need|what|which|how)"
)


def _raise(name: str, why: str, wish: Wish | None = None) -> Move:
    return Move(wish, "final", why, raises=name)


def fallback(mind: Mind, heard: Heard) -> Move:
    """What no rule knows: the nearest example decides."""
    label, score = mind.bank.exception(heard.mask)
    if label and score > (0.5 if says("question", heard.words) else 0.35):
        return _raise(label, f"the nearest example is one ({score:.2f})")
    if says("question", heard.words) and says("ambiguous", heard.mask):
        return _raise("AmbiguousRequestError", "it is not said what shall be done")
    if says("question", heard.words):
        return _raise("OutOfScopeRequestError", "a question that no program answers")
    vague = re.search(_ABOUT, heard.mask) and re.search(r"\b(?:i|we|can|could|need|want|please|let)\b", heard.mask)
    return _raise("AmbiguousRequestError" if vague else "ChitChat", "no operation is asked for")
