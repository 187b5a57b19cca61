"""New wishes: what the user's words ask for beyond the programs that stand.

Contract: pure. What belongs together becomes one wish: a copy of which the original is deleted is a move, a merge whose
parts are deleted says so. What returns something of each of several files becomes a wish a file.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> (wish,) = wishes_of(Mind(Bank(())), hear("Copy a.txt from the-attic to the-cellar, then delete it"))
    >>> wish.op, wish.bucket, wish.to_bucket
    ('move', 'the-attic', 'the-cellar')

Not covered: conditions.
"""

from __future__ import annotations

import re
from dataclasses import replace

from toologue.agents.goal_templates.goals import Mind
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.settling import settle
from toologue.agents.goal_templates.wishes import ORDER, Wish, selects

__all__ = ["wishes_of"]


def wishes_of(mind: Mind, heard: Heard) -> list[Wish]:
    """The new wishes of the words, with what is known; copies that are deleted afterwards are moves."""
    found: list[Wish] = []
    for wish in _meant(mind, heard):
        known = settle(wish, heard, mind.context)
        if found and known.op == "delete" and found[-1].op == "copy":
            found[-1] = replace(found[-1], op="move")
        elif found and known.op == "delete" and found[-1].op == "merge":
            found[-1] = replace(found[-1], drop=True)
        elif found and known.op == found[-1].op and not (found[-1].keys or selects(found[-1])):
            found[-1] = replace(known, bucket=known.bucket or found[-1].bucket)
        elif (
            found
            and known.op == "list"
            and not (
                known.prefix
                or known.keys
                or known.suffixes
                or known.moments
                or known.group
                or known.sort
                or known.contains
            )
        ):
            continue  # "…, and show me" says nothing more
        elif not any(one == known for one in found):
            found.append(known)
    kept = [one for one in found if one.op in ORDER]
    if len(kept) > 1 and kept[0].op == "list" and kept[0].bucket == "" and kept[1].op == "list_buckets":
        kept = kept[1:]
    return [part for wish in kept for part in _one_each(wish)]


def _meant(mind: Mind, heard: Heard) -> list[Wish]:
    """The wishes, where only the conversation tells what they are about."""
    last, pending = mind.context.last, mind.pending
    wants_bucket = (pending is not None and pending.asked in ("bucket", "to_bucket")) or (
        mind.retry is not None and not mind.context.names
    )
    found = list(heard.wishes)
    if last is not None and last.op == "region" and not found and re.search(r"\bwhere\b", heard.mask):
        found = [Wish("region", bucket=heard.hint.bucket)]
    if (
        last is not None
        and last.op == "delete"
        and re.match(
            r"^\W*(?:and |also |now |then )*(?:delete |remove )?the (?:empty |whole )?bucket\b(?! <)", heard.mask
        )
    ):
        found = [Wish("delete_bucket", bucket=last.bucket)]
    plain = len(found) == 1 and found[0].op == "list" and not heard.values and not found[0].whole
    if plain and wants_bucket and re.search(r"\b(?:ones?|have|got|there|buckets?|names?)\b", heard.mask):
        found = [Wish("list_buckets")]
    if (
        plain
        and last is not None
        and last.op in ("put", "append", "replace")
        and re.search(r"\b(?:it|result|that|what)\b", heard.mask)
    ):
        found = [Wish("read", bucket=last.bucket, keys=last.keys)]
    return found


def _one_each(wish: Wish) -> list[Wish]:
    """What returns something of one file is a program each for several."""
    if wish.op in ("lines", "read") and 1 < len(wish.keys) <= 3:
        return [replace(wish, keys=(key,)) for key in wish.keys]
    return [wish]
