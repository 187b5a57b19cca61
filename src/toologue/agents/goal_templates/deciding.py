"""What the user's words make of the programs that stand: new ones, revised ones, final ones, ones given up.

Contract: pure. In this order: an answer to the question that was asked (a yes, a no, a value, a change), a yes to an
offer, an exception of conversation, new wishes, a change to what was done last. What destroys is confirmed before it is
final; whatever has an open slot is a draft.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> mind = Mind(Bank(()))
    >>> (move,) = decide(mind, hear("Delete temp/a.csv"))
    >>> move.status, move.wish.keys, move.asked
    ('drafting', ('temp/a.csv',), 'bucket')

Not covered: wishes that depend on each other's results.
"""

from __future__ import annotations

import re
from dataclasses import replace

from toologue.agents.goal_templates.answering import answered
from toologue.agents.goal_templates.context import whole_name
from toologue.agents.goal_templates.conversing import exception, fallback
from toologue.agents.goal_templates.goals import Mind, Move, settled
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.revising import corrected, revise, spared
from toologue.agents.goal_templates.settling import wishes_of
from toologue.agents.goal_templates.vocabulary import cue
from toologue.agents.goal_templates.wishes import Wish, opened

__all__ = ["decide"]

_QUERIES = ("list", "list_buckets", "count", "sum", "region", "grep", "average")
_SELECTIONS = ("list", "count", "sum", "grep", "average")


def decide(mind: Mind, heard: Heard) -> list[Move]:
    """The programs of this turn."""
    for rule in (_both, answered, _accepted, _raised, _revised, _new, _again):
        if moves := rule(mind, heard):
            return moves
    return [_asked_again(mind, heard) or fallback(mind, heard)]


def _asked_again(mind: Mind, heard: Heard) -> Move | None:
    """What nobody understands while a draft waits leaves it waiting; names without an operation are asked about."""
    goal = mind.pending
    if goal is not None and goal.turn == mind.turn - 1 and not heard.says("question"):
        return Move(goal.wish, "drafting", "not understood; asked again", goal.number, goal.asked, kept=True)
    if any(one.kind in ("bucket", "key", "prefix") for one in heard.values):
        return settled(replace(heard.hint, op="read" if heard.hint.keys else "list"), mind, "names, but no operation")
    return None


def _both(mind: Mind, heard: Heard) -> list[Move]:
    """The bucket that could not be made, corrected, and the draft that waits for it."""
    goal, retry = mind.pending, mind.retry
    if goal is None or retry is None or retry.op != "create_bucket" or not (heard.hint.region or heard.of("bucket")):
        return []
    again = settled(corrected(retry, heard, mind.context), mind, "once more, as corrected")
    wish = revise(goal.wish, replace(heard.hint, bucket="", region=""), mind.context)
    return [again, Move(opened(wish), "final", "now that it can", goal.number)]


def _accepted(mind: Mind, heard: Heard) -> list[Move]:
    """A yes to what the agent proposed."""
    offered = mind.offered
    if offered is None or heard.says("bye") or heard.says("refuses"):
        return []
    other = heard.wishes and heard.values and heard.wishes[0].op not in (offered.op, "list")
    if other or not (heard.says("agrees") or cue("takes").search(heard.whole.text)):
        return []
    return [settled(revise(offered, heard.hint, mind.context), mind, "the user took what was offered")]


def _raised(mind: Mind, heard: Heard) -> list[Move]:
    raised = exception(mind, heard)
    return [raised] if raised else []


def _revised(mind: Mind, heard: Heard) -> list[Move]:
    """What was done last, changed, where the words begin as a change does."""
    queries = all(wish.op in ("list", "count") for wish in heard.wishes)
    if mind.retry is not None and heard.values and (heard.loose or (queries and cue("sorry").search(heard.mask))):
        return _again(mind, heard)
    last = mind.context.last
    if heard.wishes and heard.hint.bucket and heard.hint.sort and "#files" in heard.whole.text:
        return []
    if heard.loose and heard.wishes and last is not None and last.op not in _SELECTIONS and "#file" in heard.whole.text:
        return []
    changes = heard.loose or (cue("revises").match(heard.whole.text) and queries)
    return _again(mind, heard) if changes else []


def _new(mind: Mind, heard: Heard) -> list[Move]:
    return [settled(wish, mind, "new") for wish in wishes_of(mind.context, heard)]


def _again(mind: Mind, heard: Heard) -> list[Move]:
    """What failed, with a better value; or what was done last, changed."""
    context, last, hint = mind.context, mind.context.last, heard.hint
    if mind.retry is not None and (wish := corrected(mind.retry, heard, context)) != mind.retry:
        return [settled(wish, mind, "once more, as corrected")]
    if last is None:
        return []
    if (
        last.op in ("copy", "put")
        and not hint.keys
        and not hint.bucket
        and re.search(r"#file (?:too|also|as well)", heard.whole.text)
    ):
        return [settled(replace(last, keys=(), to_key=""), mind, "the same for another one")]
    if (
        hint != Wish("")
        and re.search(r"\b(?:too|also|as well|#same)\b|^\W*and\b", heard.whole.text)
        and last.op in ("copy", "put", "move", "append")
    ):
        return [settled(_another(last, hint, mind), mind, "the same for another one")]
    if (
        hint.to_key
        and last.op in ("copy", "put")
        and re.search(r"\b(?:rather|instead|should|better)\b|#list it", heard.whole.text)
    ):
        done = replace(
            Wish("move"), bucket=last.to_bucket or last.bucket, keys=(last.to_key or last.keys[0],), to_key=hint.to_key
        )
        return [settled(done, mind, "what was done, under another name")]
    wish = spared(revise(last, hint, context), heard.whole.text, context)
    if hint.keys and last.op in _QUERIES:
        wish = replace(wish, op="read", old="")
    elif len(hint.keys) == 1 and last.op in ("read", "lines", "head", "words"):
        wish = replace(wish, bucket=hint.bucket or context.owner(hint.keys) or wish.bucket)
    if last.op == "list_buckets":
        wish = replace(wish, show=("CreationDate",) if wish.show else ())
        wish = replace(wish, op="list", moments=()) if hint.bucket and not hint.show else wish
    return [settled(wish, mind, "the last one, changed")] if wish != last else []


def _another(last: Wish, hint: Wish, mind: Mind) -> Wish:
    """What was done last, for another file or into another bucket."""
    if hint.keys:
        return replace(
            revise(replace(last, to_key=""), replace(hint, keys=()), mind.context),
            keys=tuple(whole_name(key, last, mind.context) for key in hint.keys),
            to_key=hint.to_key,
        )
    to = hint.to_bucket or hint.bucket
    if last.op in ("copy", "move") and to and to != last.bucket:
        return replace(last, to_bucket=to)
    return revise(last, hint, mind.context)
