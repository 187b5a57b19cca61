"""What the user's words make of the programs that stand: new ones, revised ones, final ones, ones given up.

Contract: pure. What a turn may do is ranked by what was learnt (`templates`) from the evidence that there is
(`evidence`); the first of these that is possible here is done. What destroys is confirmed before it is final; whatever
has an open slot is a draft. A change and a yes in one breath make what was changed final.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> from toologue.agents.goal_templates.templates import bank
    >>> mind = Mind(bank())
    >>> [(move.status, move.asked, move.raises) for move in decide(mind, hear("Delete temp/a.csv"))]
    [('drafting', 'bucket', '')]
    >>> [move.raises for words in ("Can I nest buckets?", "Bye!") for move in decide(mind, hear(words))]
    ['FAQ', 'EndDialog']

Not covered: answers to a question before the last one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from toologue.agents.goal_templates.context import Context, bucket_listed, whole_name
from toologue.agents.goal_templates.evidence import evidence
from toologue.agents.goal_templates.goals import CONFIRM, Goal, Mind, Move, settled
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.revising import corrected, dated, fill, revise, reworded, spared, spelt
from toologue.agents.goal_templates.settling import wishes_of
from toologue.agents.goal_templates.slots import slots_of
from toologue.agents.goal_templates.vocabulary import cue, says
from toologue.agents.goal_templates.wishes import Wish, among, opened

__all__ = ["decide", "weighed"]

_QUERIES = ("list", "list_buckets", "count", "sum", "region", "grep", "average", "table")
_CHANGES = ("move", "rename", "copy", "delete", "delete_bucket", "empty_bucket", "put", "create_bucket", "merge")
_UNLIKE = 0.2
"""The score of what is like no example of an exception."""
_ORDER = ("confirm", "revise", "new", "AmbiguousRequestError")
"""What is tried where nothing was learnt."""


def decide(mind: Mind, heard: Heard) -> list[Move]:
    """The programs of this turn."""
    there, possible = weighed(mind, heard)
    ranked = mind.bank.acts(there, heard.whole.text) or [(name, 0.0) for name in _ORDER]
    for name, score in ranked:
        name = name if name in possible or score > _UNLIKE else _strange(heard)
        if moves := possible[name] if name in possible else _raised(mind, heard, name):
            return [replace(move, why=f"{name} ({score:.2f}); {move.why}") for move in moves]
    return _kept(mind)


def _strange(heard: Heard) -> str:
    """The exception that words are which nothing can be done about, and which are like no example."""
    if heard.says("question") and not heard.says("tag_question"):
        return "OutOfScopeRequestError"
    return "AmbiguousRequestError" if heard.values or cue("domain").search(heard.whole.text) else "ChitChat"


def weighed(mind: Mind, heard: Heard) -> tuple[tuple[str, ...], Mapping[str, list[Move]]]:
    """All evidence, what is possible included; and what is possible, by its name."""
    possible = {name: do(mind, heard) for name, do in _DOES.items()}
    ways = (f"can {name}: {moves[0].why.partition(';')[0]}" for name, moves in possible.items() if moves)
    return (*evidence(mind, heard), *ways), possible


def _kept(mind: Mind) -> list[Move]:
    goal = mind.pending
    if goal is None:
        return [Move(None, "final", "nothing is understood", raises="AmbiguousRequestError")]
    return [Move(goal.wish, "drafting", "not understood; asked again", goal.number, goal.asked, kept=True)]


def _raised(mind: Mind, heard: Heard, name: str) -> list[Move]:
    """An exception of conversation; of what is over-specified, the part that can be done is offered."""
    goal = mind.pending
    said = {"ChitChat": "chitchat", "AmbiguousRequestError": "vague"}.get(name)
    if goal and goal.turn == mind.turn - 1 and said and not heard.says(said):
        return _kept(mind)
    wish = next(iter(wishes_of(mind.context, heard)), None) if name == "OverSpecificationError" else None
    return [Move(wish, "final", "an exception of conversation", raises=name)]


def _confirmed(mind: Mind, heard: Heard) -> list[Move]:
    """A yes to what waits for one, with what is changed in the same breath; a yes to what was offered."""
    goal = mind.pending
    if goal is None or goal.asked != CONFIRM:
        return _accepted(mind, heard)
    agrees = heard.says("agrees") or heard.says("agrees_late")
    if not (agrees or any(wish.op == goal.wish.op for wish in heard.wishes)):
        return _changed(mind, heard)
    if heard.says("refuses") and not heard.values and not heard.says("agrees_late"):
        return _abandoned(mind, heard)
    if moves := _changed(mind, heard):
        return moves
    done = [Move(one.wish, "final", "the user confirmed", one.number, kept=True) for one in mind.waiting]
    return [*done, *_then(mind, goal.wish, heard)]


def _abandoned(mind: Mind, heard: Heard) -> list[Move]:
    """What was asked about is given up; what is wanted in its place is new."""
    goal = mind.pending
    if goal is None or not (heard.says("abandons") or heard.says("refuses")):
        return []
    left = [Move(one.wish, "abandoned", "the user gave it up", one.number, kept=True) for one in mind.waiting]
    hint, last = heard.hint, heard.wishes[-1] if heard.wishes else None
    other = (hint.bucket and hint.bucket != goal.wish.bucket) or (hint.keys and hint.keys != goal.wish.keys)
    if last is None or heard.loose or not (other or last.op in ("list", "list_buckets", "count", "copy", "put")):
        return left
    found = wishes_of(mind.context, heard)[-1:]
    new = [one for one in found if one.op != goal.wish.op or one.bucket not in ("", goal.wish.bucket)]
    return [*left, *(settled(one, mind, "new") for one in new)]


def _changed(mind: Mind, heard: Heard) -> list[Move]:
    """The draft that waits, as the words change or complete it."""
    goal = mind.pending
    wish = None if goal is None else _rewritten(mind, goal, heard)
    if goal is None or wish is None or wish == goal.wish:
        return []
    confirming, agrees = goal.asked == CONFIRM, heard.says("agrees") or heard.says("agrees_late")
    move = settled(wish, mind, "the user changed it" if confirming else "the user answered")
    same = (wish.to_bucket, wish.to_prefix, wish.to_key) == (goal.wish.to_bucket, goal.wish.to_prefix, goal.wish.to_key)
    if confirming and wish.op == "copy" == goal.wish.op and same and move.status == "final":
        move = replace(move, status="drafting", asked=CONFIRM)
    if confirming and move.asked == CONFIRM and agrees:
        move = replace(move, status="final", asked="", why="the user changed it and confirmed")
    then = _then(mind, wish, heard) if move.status == "final" and confirming else []
    return [replace(move, number=goal.number), *then]


def _rewritten(mind: Mind, goal: Goal, heard: Heard) -> Wish | None:
    """The draft as the words change it; None where they are about something else."""
    draft, context, words = goal.wish, mind.context, heard.whole.text
    wishes, filling = [] if heard.loose else list(heard.wishes), goal.asked != CONFIRM
    other = [wish for wish in wishes if not _same_verb(draft, wish)]
    if draft.op in ("delete_bucket", "create_bucket", "empty_bucket") and heard.hint.keys:
        return None
    reading = [wish for wish in other if wish.op in among("reads")]
    if heard.says("question") and not (heard.says("agrees") or heard.says("agrees_late")) and (other or not filling):
        return None
    answers = heard.hint.without or (filling and (heard.hint.bucket or heard.hint.keys))
    if reading and draft.op not in among("reads") and not answers:
        return None
    copies = any(wish.op == "copy" for wish in wishes)
    if draft.op == "delete" and not filling and (copies or cue("safely").search(words)):
        return _saved_first(spared(draft, words, context), heard)
    if draft.op == "merge" and any(wish.op == "delete" for wish in wishes):
        keep = re.search(r"\b(?:don't|do not|not)\b", heard.mask)
        return replace(fill(draft, heard, context) if filling else draft, drop=not keep)
    if draft.op == "move" and copies and not any(wish.op in ("move", "delete") for wish in wishes):
        draft = replace(draft, op="copy")
    if filling:
        wish = fill(draft, heard, context)
        return replace(wish, op="read") if wish.op == "list" and len(wish.keys) == 1 else wish
    if other and not reading and draft.op not in _CHANGES:
        return None
    wish = revise(draft, heard.hint, context)
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


def _saved_first(wish: Wish, heard: Heard) -> Wish:
    """A deletion before which copies are made; or, of one file under a new name, a move."""
    copy = next((one for one in heard.wishes if one.op == "copy"), heard.hint)
    named = copy.to_key or next((key for key in heard.of("key") if key not in wish.keys), "")
    if named or copy.to_prefix:
        return replace(wish, op="move", to_key=named, to_prefix=copy.to_prefix)
    return replace(wish, backup_first=copy.to_bucket or heard.hint.to_bucket or copy.bucket or heard.hint.bucket)


def _same_verb(one: Wish, other: Wish) -> bool:
    return one.op == other.op or {one.op, other.op} <= set(_CHANGES)


def _then(mind: Mind, done: Wish, heard: Heard) -> list[Move]:
    """What else is wanted once a draft is confirmed."""
    if not cue("and_then").search(heard.whole.text):
        return []
    moves: list[Move] = []
    for one in wishes_of(mind.context, heard):
        if one.op in ("delete", "list_buckets") or _same_verb(done, one):
            continue
        keys = one.keys or (() if one.op in ("list", "count") else (done.to_key,) if done.to_key else done.keys)
        moves.append(settled(replace(one, keys=keys, bucket=one.bucket or done.bucket), mind, "new"))
    return moves


def _new(mind: Mind, heard: Heard) -> list[Move]:
    """New wishes: what was offered, what failed with a better value, what was done last with a change, or others."""
    for rule in (_both, _accepted, _revised):
        if moves := rule(mind, heard):
            return moves
    new = [settled(wish, mind, "new") for wish in wishes_of(mind.context, heard)] or _again(mind, heard)
    if new or mind.pending or not any(one.kind in ("bucket", "key", "prefix") for one in heard.values):
        return new
    return [settled(replace(heard.hint, op="read" if heard.hint.keys else "list"), mind, "names, but no operation")]


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


def _revised(mind: Mind, heard: Heard) -> list[Move]:
    """What was done last, changed, where the words begin as a change does."""
    queries, last, words = (
        all(wish.op in ("list", "count") for wish in heard.wishes),
        mind.context.last,
        heard.whole.text,
    )
    if mind.retry is not None and heard.values and (heard.loose or (queries and cue("sorry").search(heard.mask))):
        return _again(mind, heard)
    if heard.wishes and heard.hint.bucket and heard.hint.sort and "#files" in words:
        return []
    selects = last is None or last.op in ("list", "count", "sum", "grep", "average")
    if heard.loose and heard.wishes and not selects and "#file" in words:
        return []
    return _again(mind, heard) if heard.loose or (cue("revises").match(words) and queries) else []


def _again(mind: Mind, heard: Heard) -> list[Move]:
    """What failed, with a better value; or what was done last, changed."""
    context, last, hint, words = mind.context, mind.context.last, heard.hint, heard.whole.text
    if mind.retry is not None and (wish := corrected(mind.retry, heard, context)) != mind.retry:
        return [settled(wish, mind, "once more, as corrected")]
    if last is None:
        return []
    if (wish := _same_for_another(last, heard, context)) is not None:
        return [settled(wish, mind, "the same for another one")]
    if hint.to_key and last.op in ("copy", "put") and says("under_another_name", words):
        now = (last.to_bucket or last.bucket, (last.to_key or last.keys[0],))
        return [settled(Wish("move", bucket=now[0], keys=now[1], to_key=hint.to_key), mind, "under another name")]
    if last.op == "table" and last.group and hint.about and not hint.group:
        last = replace(last, group="", measure="rows")
    wish = spared(revise(last, hint, context), words, context)
    if last.op in ("table", "field") and len(hint.keys) == 1 and _ending(hint.keys) == _ending(last.keys):
        wish = replace(last, keys=wish.keys, bucket=wish.bucket)
    elif hint.keys and last.op in _QUERIES:
        wish = replace(wish, op="read", old="")
    elif len(hint.keys) == 1 and last.op in ("read", "lines", "head", "words"):
        wish = replace(wish, bucket=hint.bucket or context.owner(hint.keys) or wish.bucket)
    elif last.op == "list_buckets":
        wish = replace(wish, show=("CreationDate",) if wish.show else ())
        wish = replace(wish, op="list", moments=()) if hint.bucket and not hint.show else wish
    return [settled(wish, mind, "the last one, changed")] if wish != mind.context.last else []


def _ending(keys: Sequence[str]) -> str:
    return keys[0].rpartition(".")[2] if keys else ""


def _same_for_another(last: Wish, heard: Heard, context: Context) -> Wish | None:
    """What was done last, for another file, bucket, date or text."""
    hint, words, dates = heard.hint, heard.whole.text, heard.of("date")
    transfers = last.op in ("copy", "put", "move", "append")
    bucket = "" if hint.bucket else bucket_listed(words, context)
    if last.op in ("copy", "put") and not (hint.keys or hint.bucket) and says("another_file", words):
        return replace(last, keys=(), to_key="")
    if transfers and hint != Wish("") and says("too", words):
        return _another(last, hint, context)
    if last.op in ("put", "append") and not hint.body and (body := reworded(last.body, heard.words)) != last.body:
        return replace(last, op="put", body=body)
    if last.op in ("table", "field") and not (heard.wishes or heard.values) and heard.says("question"):
        about = slots_of(words, (), "list").get("about", ())
        return replace(last, about=about, group="", measure=last.measure and "rows") if about else None
    if bucket and bucket != last.bucket:
        return replace(last, bucket=bucket, buckets=())
    if last.op in among("reads") and len(last.keys) == len(dates) == 1 and not hint.keys:
        twin = dated(last.keys[0], dates[0])
        return replace(last, keys=(twin,)) if twin != last.keys[0] else None
    return None


def _another(last: Wish, hint: Wish, context: Context) -> Wish:
    """What was done last, for another file or into another bucket."""
    if hint.keys:
        wish = revise(replace(last, to_key=""), replace(hint, keys=()), context)
        return replace(wish, keys=tuple(whole_name(key, last, context) for key in hint.keys), to_key=hint.to_key)
    to = hint.to_bucket or hint.bucket
    if last.op in ("copy", "move") and to and to != last.bucket:
        return replace(last, to_bucket=to)
    return revise(last, hint, context)


_DOES: Mapping[str, Callable[[Mind, Heard], list[Move]]] = {
    "confirm": _confirmed, "revise": _changed, "abandon": _abandoned, "new": _new,
}  # fmt: skip
"""By what an example of the training dialogues did; all others raise."""
