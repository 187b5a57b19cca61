"""What the user's words make of the programs that stand: new ones, revised ones, final ones, ones given up.

Contract: pure. In this order: an answer to the question that was asked (a yes, a no, a value, a change), an exception
of conversation, new wishes, a change to what was done last. What destroys is confirmed before it is final; whatever has
an open slot is a draft.

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

from toologue.agents.goal_templates.conversing import exception, fallback
from toologue.agents.goal_templates.goals import CONFIRM, Goal, Mind, Move
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.lexicon import says
from toologue.agents.goal_templates.revising import Context, fill, referred, revise, spared
from toologue.agents.goal_templates.wishes import ORDER, Wish, destroys, open_slots, opened, selects
from toologue.agents.goal_templates.wishing import wishes_of

__all__ = ["decide"]


def decide(mind: Mind, heard: Heard) -> list[Move]:
    """The programs of this turn."""
    pending = mind.pending
    if pending is not None and (moves := _both(mind, pending, heard)) is not None:
        return moves
    if pending is not None and (moves := _answered(mind, pending, heard)) is not None:
        return moves
    if (moves := _accepted(mind, heard)) is not None:
        return moves
    if raised := exception(mind, heard):
        return [raised]
    revises = re.match(_REVISES, heard.mask) and all(wish.op in ("list", "count") for wish in heard.wishes)
    if revises and (moves := _again(mind, heard)) is not None:
        return moves
    if moves := [_begin(mind, wish, heard) for wish in wishes_of(mind, heard)]:
        return moves
    if (moves := _again(mind, heard)) is not None:
        return moves
    if learnt := _learnt(mind, heard):
        return [_settle(learnt, "", "like an example of the training dialogues", mind)]
    return [fallback(mind, heard)]


def _learnt(mind: Mind, heard: Heard) -> Wish | None:
    """The program of the nearest example, where no operation is heard but its words are."""
    if len(heard.mask.split()) < _WORDS or not heard.values:
        return None
    values = {kind: list(dict.fromkeys(heard.of(kind))) for kind in dict.fromkeys(one.kind for one in heard.values)}
    last = mind.context.last
    if last is not None and last.bucket:
        values.setdefault("bucket", [last.bucket])
    code, score = mind.bank.program(heard.mask, values)
    raised = mind.bank.exception(heard.mask)
    wish = Wish("template", code=code)
    enough = _NEARER if destroys(wish) else _NEAR
    return wish if code and score > enough and not (raised[0] and raised[1] >= score) else None


def _both(mind: Mind, goal: Goal, heard: Heard) -> list[Move] | None:
    """The bucket that could not be made, corrected, and the draft that waits for it."""
    if mind.retry is None or mind.retry.op != "create_bucket" or not (heard.hint.region or heard.of("bucket")):
        return None
    again = _settle(_corrected(mind.retry, heard, mind.context), "", "once more, as corrected", mind)
    wish = revise(goal.wish, replace(heard.hint, bucket="", region=""), mind.context)
    return [again, Move(opened(wish), "final", "now that it can", goal.number)]


def _answered(mind: Mind, goal: Goal, heard: Heard) -> list[Move] | None:
    """The words as an answer to what was asked about a draft; None where they are about something else."""
    confirming = goal.asked == CONFIRM
    agrees = says("agrees", heard.words) or says("agrees_late", heard.words)
    if _gives_up(heard, agrees, confirming):
        left = [
            _begin(mind, wish, heard)
            for wish in wishes_of(mind, heard)
            if wish.op not in (goal.wish.op,) or wish.bucket not in ("", goal.wish.bucket)
        ]
        return [
            Move(goal.wish, "abandoned", "the user gave it up", goal.number, kept=True),
            *(left if _names_other(goal, heard) else []),
        ]
    asks = says("question", heard.words) and not agrees
    if asks and (raised := exception(mind, heard, asking=True)):
        return [raised]
    changed = _changed(mind, goal, heard, asks)
    if changed is not None:
        return _revised(mind, goal, changed, heard, agrees)
    if confirming and agrees:
        done = Move(goal.wish, "final", "the user confirmed", goal.number, kept=True)
        asked = wishes_of(mind, heard) if re.search(_AND_THEN, heard.mask) else []
        more = [
            _begin(mind, replace(wish, keys=wish.keys or goal.wish.keys), heard, after=goal.wish)
            for wish in asked
            if wish.op not in ("delete", "list_buckets") and not _same_verb(goal.wish, wish)
        ]
        return [done, *more]
    if confirming and says("refuses", heard.words) and not heard.wishes:
        return [Move(goal.wish, "abandoned", "the user said no", goal.number, kept=True)]
    return None


def _gives_up(heard: Heard, agrees: bool, confirming: bool) -> bool:
    if not says("abandons", heard.words):
        return False
    changes = (
        heard.hint.prefix
        or heard.hint.to_prefix
        or heard.hint.moments
        or heard.hint.without
        or heard.hint.keys
        or heard.hint.suffixes
        or heard.hint.ending
        or heard.hint.to_key
    )
    else_ = re.search(
        r"\b(?:everything else|the rest|the others?|only|just|but|and (?:put|copy))\b", heard.words.lower()
    )
    return not (agrees or (changes and not heard.hint.bucket) or else_) if confirming else not changes


def _names_other(goal: Goal, heard: Heard) -> bool:
    hint = heard.hint
    return any(wish.op for wish in heard.wishes) and bool(
        (hint.bucket and hint.bucket != goal.wish.bucket)
        or (hint.keys and hint.keys != goal.wish.keys)
        or heard.wishes[-1].op in ("list", "list_buckets", "read", "count", "copy", "put")
    )


def _same_verb(one: Wish, other: Wish) -> bool:
    return one.op == other.op or {one.op, other.op} <= {
        "move",
        "rename",
        "copy",
        "delete",
        "delete_bucket",
        "empty_bucket",
        "put",
    }


def _changed(mind: Mind, goal: Goal, heard: Heard, asks: bool) -> Wish | None:
    """The draft as the words change it; None where they leave it."""
    other = [wish for wish in heard.wishes if not _same_verb(goal.wish, wish)]
    filling = goal.asked and goal.asked != CONFIRM
    about_self = not asks or (filling and not other)
    if other and (asks or other[0].op in ("list", "list_buckets", "count", "sum", "read", "head", "lines", "exists")):
        about_self = not asks and bool(heard.hint.without or (filling and heard.hint.bucket))
    if not about_self:
        return None
    safely = re.search(r"\b(?:put|save|store|keep)\b.*\b(?:into|in|to) <bucket>", heard.mask) and re.search(
        r"\b(?:before|first)\b", heard.mask
    )
    if goal.wish.op == "delete" and (safely or any(wish.op == "copy" for wish in heard.wishes)):
        return _saved_first(spared(goal.wish, heard.mask, mind.context), heard)
    if goal.wish.op == "merge" and any(wish.op == "delete" for wish in heard.wishes):
        keep = re.search(r"\b(?:don't|do not|not)\b", heard.words.lower())
        return replace(fill(goal.wish, heard, mind.context) if filling else goal.wish, drop=not keep)
    wish = fill(goal.wish, heard, mind.context) if filling else revise(goal.wish, heard.hint, mind.context)
    if goal.wish.op == "delete" and re.search(r"\bforget the (?:year|date)\b", heard.words.lower()):
        wish = replace(wish, moments=())
    if goal.asked == CONFIRM and (kept := spared(goal.wish, heard.mask, mind.context)) != goal.wish:
        wish = replace(
            wish,
            keys=kept.keys,
            without=(*kept.without, *(one for one in wish.without if one not in kept.without)),
            sort=goal.wish.sort,
            limit=goal.wish.limit,
        )
    if goal.asked == CONFIRM and (swapped := _spelt(wish, heard)):
        wish = swapped
    return wish if wish != goal.wish else None


def _saved_first(wish: Wish, heard: Heard) -> Wish:
    """A deletion before which copies are made; or, of one file under a new name, a move."""
    copy = next(
        (one for one in heard.wishes if one.op == "copy"),
        replace(heard.hint, to_bucket=heard.hint.to_bucket or heard.hint.bucket),
    )
    if copy.to_key or copy.to_prefix or heard.of("key"):
        return replace(wish, op="move", to_key=copy.to_key or heard.of("key")[-1], to_prefix=copy.to_prefix)
    return replace(wish, backup_first=copy.to_bucket or copy.bucket)


def _spelt(wish: Wish, heard: Heard) -> Wish | None:
    """Corrections of spelling: "archive with an e"."""
    if not re.search(r"\bwith an? \w\b|\bwith (?:one|two) \w\b|\bspel|\bmeant\b|\btypo\b", heard.words.lower()):
        return None
    for word in re.findall(r"[a-z]{4,}", heard.words.lower()):
        for name in ("to_key", "to_prefix", "bucket", "to_bucket", "prefix"):
            value = getattr(wish, name)
            for part in re.findall(r"[a-z]{3,}", value):
                if (
                    part != word
                    and (word.startswith(part) or part.startswith(word))
                    and abs(len(part) - len(word)) == 1
                ):
                    return replace(wish, **{name: value.replace(part, word)})
    return None


def _revised(mind: Mind, goal: Goal, wish: Wish, heard: Heard, agrees: bool) -> list[Move]:
    move = _settle(wish, goal.number, "the user answered" if goal.asked != CONFIRM else "the user changed it", mind)
    if goal.asked == CONFIRM and move.asked == CONFIRM and agrees:
        move = replace(move, status="final", asked="", why="the user changed it and confirmed")
    more = [
        one
        for one in wishes_of(mind, heard)
        if not _same_verb(wish, one) and one.op in ("read", "sum", "lines") and goal.asked == CONFIRM
    ]
    return [move, *(_begin(mind, one, heard) for one in more if move.status == "final")]


def _accepted(mind: Mind, heard: Heard) -> list[Move] | None:
    """A yes to what the agent proposed."""
    offered = mind.offered
    if offered is None or says("bye", heard.words):
        return None
    words = heard.words.lower()
    agrees = says("agrees", heard.words) or re.search(
        (
            r"\b(?:without (?:it|that)|just (?:\w+ )?(?:it|once|do|store|create|copy|list)|then|create it|store it|"
            r"go on|the lot|instead|that's fine|fine)\b"
        ),
        words,
    )
    if not agrees or (heard.wishes and heard.wishes[0].op not in (offered.op, "list") and heard.values):
        return None
    wish = revise(offered, heard.hint, mind.context)
    return [_settle(wish, "", "the user took what was offered", mind)]


_WORDS = 4
_AND_THEN = (
    r"\b(?:and|then|also|plus)\b(?: then| also| please)? (?:show|list|tell|count|read|give|copy|how|what|"
    r"which|put|display)\b"
)
_NEAR, _NEARER = 0.6, 0.85
"""How like an example words must be for its program to be taken: one that reads, and one that writes or deletes."""

_REVISES = (
    r"^(?:\W*(?:and|but|ok(?:ay)?|hm+|now|so|good|great|thanks|well|then|nice|cool|perfect|"
    r"interesting)\b\W*)*(?:if|what if|what about|how about|only|just|same|the same|without|leave|skip|not|"
    r"make (?:it|that))\b"
)


def _begin(mind: Mind, wish: Wish, heard: Heard, after: Wish | None = None) -> Move:
    if after is not None and not wish.bucket:
        wish = replace(wish, bucket=after.bucket)
    return _settle(wish, "", "new", mind)


def _settle(wish: Wish, number: str, why: str, mind: Mind) -> Move:
    """A draft while something is open, or must be confirmed; else final."""
    wish = opened(wish)
    if missing := open_slots(wish):
        return Move(wish, "drafting", f"{why}; {missing[0]} is missing", number, missing[0])
    if destroys(wish) or _overwrites(wish, mind):
        return Move(wish, "drafting", f"{why}; what destroys is confirmed first", number, CONFIRM)
    return Move(wish, "final", f"{why}; nothing is missing", number)


def _overwrites(wish: Wish, mind: Mind) -> bool:
    """Whether a write may replace what is there, as far as the conversation knows."""
    if wish.op == "copy":
        target = wish.to_bucket or wish.bucket
        fresh = any(
            goal.wish.op == "create_bucket" and goal.wish.bucket == target and goal.status == "final"
            for goal in mind.goals
        )
        many = selects(wish) and not wish.to_prefix and not fresh
        known = any(f"{target}\n{key}" in mind.context.owners for key in wish.keys) and not (
            wish.to_key or wish.to_prefix
        )
        return many or known
    return wish.op in ("put", "merge") and any(
        f"{wish.bucket}\n{key}" in mind.context.owners for key in ((wish.to_key,) if wish.op == "merge" else wish.keys)
    )


def _again(mind: Mind, heard: Heard) -> list[Move] | None:
    """What failed, with a better value; or what was done last, changed."""
    if mind.retry is not None and (named := referred(heard.mask, mind.context)) and len(named) == 1 and mind.retry.keys:
        return [_settle(replace(mind.retry, keys=named), "", "once more, with the file that is meant", mind)]
    if mind.retry is not None and heard.values and heard.hint != Wish(""):
        wish = _corrected(mind.retry, heard, mind.context)
        if wish != mind.retry:
            return [_settle(wish, "", "once more, as corrected", mind)]
    last = mind.context.last
    if last is None or last.op not in ORDER:
        return None
    also = re.search(r"\b(?:too|also|as well)\b", heard.mask) and heard.hint.keys and last.to_key and last.op == "copy"
    if also:
        wish = replace(revise(replace(last, to_key=""), heard.hint, mind.context), to_key=heard.hint.keys[-1])
        return [_settle(wish, "", "the same for another file", mind)]
    wish = spared(revise(last, heard.hint, mind.context), heard.mask, mind.context)
    if heard.hint.keys and last.op in ("list", "list_buckets", "count", "sum", "region"):
        wish = replace(wish, op="read")
    if last.op == "list_buckets" and heard.hint.bucket and not heard.hint.show:
        wish = replace(wish, op="list", moments=())
    wish = _created_shown(wish)
    return [_settle(wish, "", "the last one, changed", mind)] if wish != last else None


def _created_shown(wish: Wish) -> Wish:
    return replace(wish, show=("CreationDate",) if wish.show else ()) if wish.op == "list_buckets" else wish


def _corrected(wish: Wish, heard: Heard, context: Context) -> Wish:
    if heard.hint.bucket and wish.op == "copy":
        guess = heard.hint.bucket
        near = min(("bucket", "to_bucket"), key=lambda slot: -_likeness(getattr(wish, slot), guess))
        return replace(wish, **{near: guess})
    if heard.hint.bucket and wish.bucket == heard.hint.bucket and wish.keys:
        return wish
    return revise(wish, heard.hint, context)


def _likeness(one: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, other).ratio()
