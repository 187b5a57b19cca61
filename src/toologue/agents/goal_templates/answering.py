"""What the user answers while a draft waits: a yes, a no, a value, a change, or something else altogether.

Contract: pure. `answered` gives the moves, none where the words are about something else; a question never changes a
draft. What is confirmed becomes final as it stands; with a change and a yes in one breath, as it was changed.

Example:
    >>> from toologue.agents.goal_templates.goals import Goal
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> mind = Mind(Bank(()), [Goal("1", Wish("delete_bucket", bucket="the-attic"), "drafting", CONFIRM)])
    >>> [[move.status for move in answered(mind, hear(words))] for words in ("Yes.", "Leave it.", "How big is it?")]
    [['final'], ['abandoned'], []]

Not covered: answers to a question before the last one.
"""

from __future__ import annotations

import re
from dataclasses import replace

from toologue.agents.goal_templates.conversing import exception
from toologue.agents.goal_templates.goals import CONFIRM, Goal, Mind, Move, settled
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.revising import fill, revise, spared, spelt
from toologue.agents.goal_templates.settling import wishes_of
from toologue.agents.goal_templates.vocabulary import cue
from toologue.agents.goal_templates.wishes import Wish

__all__ = ["answered"]

_TELLS = ("when", "size", "is_empty", "empty_buckets", "head_bucket")
_LOOKS = (
    "list",
    "list_buckets",
    "count",
    "sum",
    "read",
    "head",
    "lines",
    "words",
    "exists",
    "region",
    "compare",
    "grep",
)
_READS = frozenset((*_LOOKS, *_TELLS))
_CHANGES = frozenset(
    ["move", "rename", "copy", "delete", "delete_bucket", "empty_bucket", "put", "create_bucket", "merge"]
)


def answered(mind: Mind, heard: Heard) -> list[Move]:
    """The words as an answer to what was asked about a draft."""
    goal = mind.pending
    if goal is None:
        return []
    agrees = heard.says("agrees") or heard.says("agrees_late")
    if _gives_up(goal, heard, agrees):
        return [*(_left(one, "the user gave it up") for one in mind.waiting), *_instead(mind, goal, heard)]
    asks = heard.says("question") and not agrees
    if asks and (raised := exception(mind, heard, asking=True)):
        return [raised]
    wish = _changed(mind, goal, heard, asks)
    if wish is not None and wish != goal.wish:
        return _revised(mind, goal, wish, heard, agrees)
    repeats = (
        bool(heard.wishes) and not heard.loose and not asks and all(one.op == goal.wish.op for one in heard.wishes)
    )
    if goal.asked == CONFIRM and (agrees or repeats):
        return [
            *(Move(one.wish, "final", "the user confirmed", one.number, kept=True) for one in mind.waiting),
            *_then(mind, goal, heard),
        ]
    if goal.asked == CONFIRM and heard.says("refuses") and not heard.wishes:
        return [_left(one, "the user said no") for one in mind.waiting]
    return []


def _left(goal: Goal, why: str) -> Move:
    return Move(goal.wish, "abandoned", why, goal.number, kept=True)


def _gives_up(goal: Goal, heard: Heard, agrees: bool) -> bool:
    if not heard.says("abandons"):
        return False
    hint = heard.hint
    changes = any(
        (hint.prefix, hint.to_prefix, hint.moments, hint.without, hint.keys, hint.suffixes, hint.ending, hint.to_key)
    )
    if goal.asked != CONFIRM:
        return not changes and not hint.bucket
    return not (agrees or (changes and not hint.bucket) or cue("rest").search(heard.whole.text))


def _instead(mind: Mind, goal: Goal, heard: Heard) -> list[Move]:
    """What is wanted in place of what was given up."""
    hint, last = heard.hint, heard.wishes[-1] if heard.wishes else None
    other = (hint.bucket and hint.bucket != goal.wish.bucket) or (hint.keys and hint.keys != goal.wish.keys)
    if last is None or heard.loose or not (other or last.op in ("list", "list_buckets", "count", "copy", "put")):
        return []
    found = wishes_of(mind.context, heard)
    return [
        settled(one, mind, "new") for one in found if one.op != goal.wish.op or one.bucket not in ("", goal.wish.bucket)
    ]


def _then(mind: Mind, goal: Goal, heard: Heard) -> list[Move]:
    """What else is wanted once a draft is confirmed."""
    if not cue("and_then").search(heard.whole.text):
        return []
    found = [
        one
        for one in wishes_of(mind.context, heard)
        if one.op not in ("delete", "list_buckets") and not _same_verb(goal.wish, one)
    ]
    return [
        settled(
            replace(
                one,
                keys=one.keys or ((goal.wish.to_key,) if goal.wish.to_key else goal.wish.keys)
                if one.op not in ("list", "count")
                else one.keys,
                bucket=one.bucket or goal.wish.bucket,
            ),
            mind,
            "new",
        )
        for one in found
    ]


def _same_verb(one: Wish, other: Wish) -> bool:
    return one.op == other.op or {one.op, other.op} <= _CHANGES


def _changed(mind: Mind, goal: Goal, heard: Heard, asks: bool) -> Wish | None:
    """The draft as the words change it; None where they are about something else."""
    draft, context, words = goal.wish, mind.context, heard.whole.text
    wishes = [] if heard.loose else list(heard.wishes)
    other = [wish for wish in wishes if not _same_verb(draft, wish)]
    filling = goal.asked != CONFIRM
    if asks and (other or not filling):
        return None
    reading = [wish for wish in other if wish.op in _READS]
    if (
        reading
        and draft.op not in _READS
        and not heard.hint.without
        and not (filling and (heard.hint.bucket or heard.hint.keys))
    ):
        return None
    copies = any(wish.op == "copy" for wish in wishes)
    if draft.op == "delete" and not filling and (copies or cue("safely").search(words)):
        return _saved_first(spared(draft, words, context), heard)
    if draft.op == "merge" and any(wish.op == "delete" for wish in wishes):
        keep = re.search(r"\b(?:don't|do not|not)\b", heard.mask)
        return replace(fill(draft, heard, context) if filling else draft, drop=not keep)
    if filling:
        wish = fill(_reworded(draft, wishes), heard, context)
        return replace(wish, op="read") if wish.op == "list" and len(wish.keys) == 1 else wish
    if wishes and other and not reading and draft.op not in _CHANGES:
        return None
    wish = revise(_reworded(draft, wishes), heard.hint, context)
    if draft.op == "delete" and re.search(r"\bforget the (?:year|date)\b", heard.mask):
        wish = replace(wish, moments=())
    kept = _of_those(spared(draft, words, context), heard)
    if kept != draft:
        without = tuple(dict.fromkeys((*kept.without, *wish.without)))
        wish = replace(wish, keys=kept.keys, without=without, sort=draft.sort, limit=draft.limit)
    return spelt(wish, heard.words)


def _of_those(wish: Wish, heard: Heard) -> Wish:
    """Of several files those that have a date in their names: "only the one of March"."""
    if len(wish.keys) < 2 or not (dates := heard.of("date")):
        return wish
    kept = tuple(key for key in wish.keys if any(date.removeprefix("-") in key for date in dates))
    return replace(wish, keys=kept or wish.keys)


def _reworded(draft: Wish, wishes: list[Wish]) -> Wish:
    """The draft, where the words name another operation for the same thing."""
    if (
        draft.op == "move"
        and any(wish.op == "copy" for wish in wishes)
        and not any(wish.op in ("move", "delete") for wish in wishes)
    ):
        return replace(draft, op="copy")
    return draft


def _saved_first(wish: Wish, heard: Heard) -> Wish:
    """A deletion before which copies are made; or, of one file under a new name, a move."""
    copy = next((one for one in heard.wishes if one.op == "copy"), heard.hint)
    named = copy.to_key or next((key for key in heard.of("key") if key not in wish.keys), "")
    if named or copy.to_prefix:
        return replace(wish, op="move", to_key=named, to_prefix=copy.to_prefix)
    return replace(wish, backup_first=copy.to_bucket or heard.hint.to_bucket or copy.bucket or heard.hint.bucket)


def _revised(mind: Mind, goal: Goal, wish: Wish, heard: Heard, agrees: bool) -> list[Move]:
    confirming = goal.asked == CONFIRM
    move = replace(
        settled(wish, mind, "the user changed it" if confirming else "the user answered"), number=goal.number
    )
    target = (wish.to_bucket, wish.to_prefix, wish.to_key) == (
        goal.wish.to_bucket,
        goal.wish.to_prefix,
        goal.wish.to_key,
    )
    if confirming and wish.op == "copy" == goal.wish.op and target and move.status == "final":
        move = replace(move, status="drafting", asked=CONFIRM)
    if confirming and move.asked == CONFIRM and agrees:
        move = replace(move, status="final", asked="", why="the user changed it and confirmed")
    return [move, *(_then(mind, replace_goal(goal, wish), heard) if move.status == "final" and confirming else [])]


def replace_goal(goal: Goal, wish: Wish) -> Goal:
    """The goal with another wish."""
    return Goal(goal.number, wish, goal.status, goal.asked)
