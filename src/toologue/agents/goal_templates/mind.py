"""The conversation so far, as the agent understands it: a fold over its rounds.

Contract: a function of the history. Each of the user's turns is heard and decided upon as it was then; what was really
written, executed and found then stands in the history, and counts.

Example:
    >>> from toologue.agents.goal_templates.templates import Bank
    >>> from toologue.schema import UserTurn
    >>> here = understand([UserTurn(text="Delete temp/a.csv from the-attic")], Bank(()))
    >>> [(move.status, move.asked) for move in here.moves], here.written
    ([('drafting', 'confirm')], False)

Not covered: programs of others, beyond the names in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from toologue.agents.goal_templates.coding import code_of
from toologue.agents.goal_templates.context import Context, referred
from toologue.agents.goal_templates.deciding import decide
from toologue.agents.goal_templates.goals import Goal, Mind, Move
from toologue.agents.goal_templates.hearing import Heard, hear
from toologue.agents.goal_templates.templates import Bank
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, among, open_slots, opened
from toologue.schema import Program, Result, Turn, rounds

__all__ = ["Here", "Written", "code_in", "follow", "understand"]

_ARGUMENTS = re.compile(r'\b(Bucket|Key|Prefix)(?:=|": )["\']([^"\']+)')
_CALLED = {
    "delete_bucket(": "delete_bucket", "create_bucket(": "create_bucket", "delete_object": "delete",
    "put_object(": "put", "copy_object(": "copy", "get_bucket_location(": "region", "get_object(": "read",
    "list_objects(": "list", "list_buckets(": "list_buckets",
}  # fmt: skip


@dataclass(frozen=True)
class Written:
    """A program of this round, why, and what came of it."""

    move: Move
    program: Program
    result: Result | None


@dataclass(frozen=True)
class Here:
    """Where the conversation stands. `written`: whether this round's programs are written, so that words are due."""

    mind: Mind
    heard: Heard
    moves: Sequence[Move]
    done: Sequence[Written]
    written: bool


def understand(history: Sequence[Turn], bank: Bank) -> Here:
    """Where a conversation stands."""
    mind = Mind(bank)
    return [Here(mind, hear(""), (), (), written=True), *follow(mind, history)][-1]


def follow(mind: Mind, history: Sequence[Turn]) -> Iterator[Here]:
    """Where a conversation stood after each of the user's turns; the mind learns what was done when it goes on."""
    for said, did in rounds(history):
        if not said:
            continue
        mind.turn += 1
        heard = hear("\n".join(turn.text for turn in said), tuple(mind.context.names))
        moves = decide(mind, heard)
        acts = [pair for turn in did for pair in zip(turn.acts, turn.results or [None] * len(turn.acts), strict=True)]
        programs = [(act, result) for act, result in acts if act.kind == "program"]
        done = [Written(_meant(mind, moves, n, act), act, result) for n, (act, result) in enumerate(programs)]
        yield Here(mind, heard, moves, done, written=bool(did))
        if did:
            _remember(mind, heard, done)


def code_in(move: Move) -> str:
    """The program of a move; none where the draft stands."""
    if move.raises:
        return f"raise {move.raises}()"
    return "" if move.kept or move.wish is None else code_of(move.wish)


def _meant(mind: Mind, moves: Sequence[Move], place: int, act: Program) -> Move:
    """The move that a program was; of a program that is not ours, what can be read in it."""
    raised = re.match(r"\s*raise (\w+)\(", act.code)
    if raised:
        move = moves[place] if place < len(moves) else None
        return Move(move.wish if move and move.raises == raised[1] else None, "final", "", act.goal, raises=raised[1])
    stands = next((goal for goal in mind.goals if goal.number == act.goal), None)
    fitting = [one for one in moves if not one.raises and one.number in (act.goal, "" if stands is None else act.goal)]
    ours = next(
        (one for one in fitting if code_in(one) in (act.code, "")), fitting[0] if fitting and not act.code else None
    )
    if ours is not None:
        return replace(ours, number=act.goal, status=act.status)
    near = fitting[0].wish if fitting else stands and stands.wish
    wish = stands.wish if stands and not act.code else _read(act.code, near)
    missing = open_slots(wish)
    asked = "" if act.status != "drafting" else missing[0] if missing and "?" in act.code else "confirm"
    return Move(wish, act.status, "", act.goal, asked)


def _read(code: str, near: Wish | None) -> Wish:
    """What can be read in a program: its operation, and the names in it."""
    op = next((op for call, op in _CALLED.items() if call in code), "list")
    op = "move" if op == "delete" and "copy_object(" in code else op
    wish = near if near is not None and (near.op == op or op in ("list", "read")) else Wish(op)
    found = dict(reversed(_ARGUMENTS.findall(code)))  # the first of each
    keys = (found["Key"],) if "Key" in found and wish.op not in ("list", "count", "sum") else wish.keys
    bucket, prefix = found.get("Bucket", wish.bucket), found.get("Prefix", wish.prefix)
    return opened(replace(wish, bucket=bucket, keys=keys, prefix=prefix))


def _remember(mind: Mind, heard: Heard, done: Sequence[Written]) -> None:
    """What a round leaves behind."""
    context, mind.offered = mind.context, None
    if any(one.move.raises or (one.move.wish and one.move.wish.op not in ("list", "list_buckets")) for one in done):
        mind.retry = None
    pointed = heard.hint.keys[-1:] or referred(heard.whole.text, context)
    if len(pointed) == 1:
        context.focus = pointed[0]
    context.buckets = tuple(dict.fromkeys((*context.buckets, *heard.of("bucket"))))
    for one in done:
        move, number = one.move, one.program.goal
        if move.raises:
            mind.offered = move.wish if move.raises == "OverSpecificationError" else None
            context.last = move.wish if move.wish is not None and move.wish.bucket else context.last
        elif move.wish is not None:
            goal = Goal(number, move.wish, one.program.status, move.asked, one.result, one.program.code, mind.turn)
            context.several = move.wish.keys if len(move.wish.keys) > 1 else context.several
            mind.goals = [*(other for other in mind.goals if other.number != number), goal]
            if goal.status == "final" and one.result is not None:
                _learn(mind, goal.wish, one.result)
            elif goal.status == "drafting" and (goal.wish.bucket or goal.wish.keys):
                context.last = goal.wish


def _learn(mind: Mind, wish: Wish, result: Result) -> None:
    """What a result shows."""
    context, value = mind.context, result.value
    if result.error is not None:
        return _failed(mind, wish, result.error.type)
    context.last = wish
    if mind.retry is not None and mind.retry.op == wish.op:
        mind.retry = None
    if wish.op in ("list_buckets", "empty_buckets"):
        context.listed_buckets, context.listed = tuple(_strings(value, bucket=True)), ()
        context.buckets = tuple(dict.fromkeys((*context.buckets, *context.listed_buckets)))
    elif wish.group == "bucket" and isinstance(value, dict | str):
        context.listed_buckets, context.listed = (value,) if isinstance(value, str) else tuple(value), ()
    elif wish.group == "folder" and isinstance(value, dict):
        context.names |= dict.fromkeys(f"{wish.prefix}{name}/" for name in value)
    elif wish.op in ("list", "grep", "missing", "common"):
        _listed(context, wish, value)
    elif wish.op in among("of_a_file") & among("reads") and len(wish.keys) == 1:
        context.focus = wish.keys[0]
        context.there |= {(wish.bucket, wish.keys[0])} if wish.op not in ("exists", "compare") else set()
    else:
        context.names |= dict.fromkeys(_strings(value) if wish.op in ("delete", "copy", "move", "rename") else ())
        _changed(context, wish, result)
    return None


def _failed(mind: Mind, wish: Wish, kind: str) -> None:
    """What an error leaves to be tried again, or to be offered."""
    mind.retry = wish
    folder = wish.keys[0].rpartition("/")[0] if wish.keys else ""
    if kind == "BucketNotEmpty":
        mind.offered = Wish("empty_bucket", bucket=wish.bucket)
    elif kind == "NoSuchKey" and wish.op in ("read", "lines", "head", "words"):
        mind.offered = Wish("list", bucket=wish.bucket, prefix=f"{folder}/" if folder else "", whole=True)
    known = kind not in ("NoSuchBucket", "InvalidBucketName", "InvalidLocationConstraint")
    before = mind.context.last
    mind.context.last = wish if known else before if before and before.bucket != wish.bucket else None


def _listed(context: Context, wish: Wish, value: Any) -> None:
    """What a list names."""
    keys = tuple(_strings(value))
    context.listed, context.focus = keys, keys[0] if len(keys) == 1 else ""
    context.several = keys if len(keys) > 1 else context.several
    context.names |= dict.fromkeys(keys)
    if wish.bucket == EVERYWHERE or wish.buckets:
        rows = cast("list[Any]", value) if isinstance(value, list) else []
        pairs = [cast("list[Any]", row) for row in rows if isinstance(row, list)]
        context.there |= {(str(row[0]), str(row[1])) for row in pairs if len(row) > 1}
    else:
        context.there |= {(wish.bucket, key) for key in keys}


def _changed(context: Context, wish: Wish, result: Result) -> None:
    """What was written, and what is gone."""
    written = list[str]()
    for path, row in result.changes.items():
        table, _, name = path.partition("/")
        bucket, _, key = name.partition("/")
        key = key.replace("~1", "/").replace("~0", "~")
        if table == "Object" and key and row is None:
            context.there.discard((bucket, key))
            context.listed = tuple(one for one in context.listed if one != key)
        elif table == "Object" and key:
            context.there.add((bucket, key))
            context.names[key] = None
            written.append(key)
    if len(written) == 1:
        context.focus = written[0]
    if wish.op == "create_bucket":
        context.buckets = tuple(dict.fromkeys((*context.buckets, wish.bucket)))
    if wish.op in ("put", "copy") and len(wish.keys) == 1:
        context.listed = ()


def _strings(value: Any, *, bucket: bool = False) -> Iterator[str]:
    """The names in a value: in rows the first that is one."""
    if isinstance(value, str):
        yield from (value,) if bucket or "/" in value or "." in value else ()
    elif isinstance(value, dict):
        yield from (name for one in cast("dict[str, Any]", value).values() for name in _strings(one, bucket=bucket))
    elif isinstance(value, list):
        rows = cast("list[Any]", value)
        dated = len(rows) == 2 and isinstance(rows[0], str) and re.fullmatch(r"20\d\d-\d\d-\d\d", str(rows[1]))
        for row in rows[: 1 if dated else None]:
            names = list(_strings(row, bucket=bucket))
            yield from names[:1] if isinstance(row, list) else names
