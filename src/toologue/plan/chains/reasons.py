"""Why an edge or a document makes no pair, and why a pair comes to nothing.

    of the edge       not chosen, not checked, not valid · unknown api, unknown entity · again (a second edge of two)
    of the value      users know it (so nobody has to find it) · the source takes it (so it is no help to somebody who
                      does not know it) · another's id (two tools of two walks of life)
    of what is asked  users do not know it · asks for a secret, asks for too much, asks twice (both need the same) ·
                      cannot be said (objects, lists), no words for it (`evt`, `page`), nothing to say for it (no value
                      that anybody would give) · nothing left to ask
    of what is found  nothing to choose by (no name or place tells the things of a list apart) · nothing to find it by
                      (nobody says which thing is meant, and one comes back) · no sequence
    by executing      an API answers with an error · no value to hand over, no choice · results disagree (with what was
                      asked, or with each other) · nothing to answer with

Example:
    >>> REASONS[0], REASONS[-1]
    ('not chosen', 'nothing to answer with')

Not covered: what finds no words; see `write.chains.queries`.
"""

from __future__ import annotations

from typing import Literal, get_args

Reason = Literal[
    "not chosen",
    "not checked",
    "not valid",
    "unknown api",
    "unknown entity",
    "again",
    "users know it",
    "users do not know it",
    "the source takes it",
    "another's id",
    "asks for a secret",
    "asks for too much",
    "cannot be said",
    "no words for it",
    "nothing to say for it",
    "asks twice",
    "nothing left to ask",
    "nothing to choose by",
    "nothing to find it by",
    "no sequence",
    "the source answers with an error",
    "the target answers with an error",
    "no value to hand over",
    "no choice",
    "results disagree",
    "nothing to answer with",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
"""The last six are met by executing."""
