"""What the agent says: what came of its programs, what is missing, what it would destroy, and small talk.

Contract: pure and total, whatever results are. Every value that is said stands in the wish or in the result. Which of
several phrasings is taken follows from how long the conversation is.

Example:
    >>> from toologue.schema import Result
    >>> told(Wish("list", bucket="attic"), Result(value=[["a.txt", 3], ["b.txt", 5]]), 0)
    'Here they are:\\n- a.txt, 3\\n- b.txt, 5'
    >>> told(Wish("count", bucket="attic"), Result(value=3), 0)
    'There are 3.'

Not covered: languages other than English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from toologue.agents.goal_templates.goals import CONFIRM
from toologue.agents.goal_templates.mind import Here, Written
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish
from toologue.data import shipped
from toologue.schema import Result

__all__ = ["say", "told"]

_MOST = 30
_LIKE = {"create_bucket": "create", "append": "put", "save": "put"}
"""Operations that ask as another does."""


def say(here: Here, turn: int) -> str:
    """The words, once the programs of a turn have run."""
    parts: list[str] = []
    for n, one in enumerate(sorted(here.done, key=lambda one: one.program.status == "drafting")):
        words = _said(one, here, turn + n)
        if words and words not in parts:
            parts.append(words)
    return "\n".join(parts) or _phrase("exceptions", "AmbiguousRequestError", turn, {})


def told(wish: Wish, result: Result, turn: int) -> str:
    """What came of a program."""
    slots, value = _slots(wish), cast("Any", result.value)
    if result.error is not None:
        kind = result.error.type if result.error.type in _texts()["faults"] else "other"
        kind += "OfTwo" if kind == "NoSuchBucket" and wish.to_bucket not in ("", wish.bucket) else ""
        return _phrase("faults", kind, turn, {**slots, "message": result.error.message.rpartition("operation: ")[2]})
    if value is None:
        return _phrase("done", wish.op, turn, slots) or "Done."
    if isinstance(value, bool):
        truths = _texts()["truths"].get(wish.op, {}).get(str(value).lower(), ["Yes." if value else "No."])
        return truths[turn % len(truths)].format(**slots)
    if isinstance(value, list | dict):
        return _listed(wish, cast("list[Any] | dict[str, Any]", value), turn, slots)
    return _phrase("facts", wish.op, turn, {**slots, "value": str(value).rstrip("\n")}) or f"It is {value}."


def _said(one: Written, here: Here, turn: int) -> str:
    move, wish, status = one.move, one.move.wish, one.program.status
    if move.raises:
        return _raised(move.raises, here, turn)
    if wish is None or status == "abandoned":
        return _phrase("abandoned", "", turn, {}) if wish is not None else ""
    if status == "final":
        return told(wish, one.result or Result(), turn)
    return _asked(wish, move.asked, turn)


def _raised(name: str, here: Here, turn: int) -> str:
    words, pending = here.heard.words.lower(), here.mind.pending
    if name == "FAQ":
        known = (answer for pattern, answer in _texts()["answers"] if re.search(pattern, words))
        answer = next(known, _phrase("exceptions", name, turn, {}))
        again = (
            "Shall I go on?"
            if pending and pending.asked == CONFIRM
            else pending and _asked(pending.wish, pending.asked, turn)
        )
        return f"{answer} {again}" if again else answer
    if name == "ChitChat" and re.match(r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b.{0,12}$", words):
        return _phrase("greeting", "", turn, {})
    return _phrase("exceptions", name, turn, {}) or "I can't do that."


def _asked(wish: Wish, asked: str, turn: int) -> str:
    """The question for a slot, or for a yes."""
    if asked == CONFIRM:
        return _phrase("confirms", wish.op, turn, _slots(wish)) or "Shall I go ahead?"
    key = f"{asked}_{_LIKE.get(wish.op, wish.op)}"
    return _phrase("questions", key, turn, {}) or _phrase("questions", asked, turn, {}) or "What should it be?"


def _listed(wish: Wish, value: list[Any] | dict[str, Any], turn: int, slots: Mapping[str, str]) -> str:
    if not value:
        return _phrase("nothing", wish.op, turn, slots) or _phrase("nothing", "other", turn, slots)
    single = isinstance(value, list) and len(value) == 2 and all(isinstance(one, str | int) for one in value)
    if isinstance(value, list) and single and wish.limit == 1:
        when = " changed on " if "LastModified" in wish.show else " "
        return f"That is {value[0]},{when}{value[1]}{' bytes' if 'Size' in wish.show else ''}."
    head = _phrase("lists", wish.op, turn, slots) or _phrase("lists", "other", turn, slots)
    rows = (
        [f"{name}: {_row(one)}" for name, one in value.items()] if isinstance(value, dict) else list(map(_row, value))
    )
    more = [f"and {len(rows) - _MOST} more"] if len(rows) > _MOST else []
    return "\n".join([head, *(f"- {row}" for row in (*rows[:_MOST], *more))])


def _row(value: Any) -> str:
    return ", ".join(str(one) for one in cast("list[Any]", value)) if isinstance(value, list) else str(value)


def _slots(wish: Wish) -> dict[str, str]:
    """What stands in the braces of phrases."""
    target = wish.to_key or wish.to_prefix
    if wish.to_prefix and len(wish.keys) == 1:
        target = f"{wish.to_prefix}{wish.keys[0].rpartition('/')[2]}"
    if wish.to_key and wish.to_bucket:
        target = f"{wish.to_key} in {wish.to_bucket}"
    bucket = "all buckets" if wish.bucket == EVERYWHERE else wish.bucket or " and ".join(wish.buckets)
    return {
        "bucket": bucket,
        "to_bucket": wish.to_bucket,
        "what": _what(wish),
        "target": target or wish.to_bucket or bucket,
        "ending": wish.ending,
        "region": wish.region,
        "old": f'"{wish.old}"',
        "new": f'"{wish.new}"',
    }


def _what(wish: Wish) -> str:
    if wish.keys:
        return _joined(wish.keys)
    kinds = f"all {' and '.join(wish.suffixes)} files" if wish.suffixes else "everything"
    parts = [kinds, *([f"under {wish.prefix}"] if wish.prefix else [])]
    parts += [f'with "{one}" in the name' for one in wish.contains]
    parts += [f"last changed {_RELATIONS[sign]} {when}" for sign, when in wish.moments]
    parts += [f"of {_RELATIONS[sign]} {size} bytes" for sign, size in wish.sizes]
    parts += [f"except {_joined([one.lstrip('=') for one in wish.without])}"] if wish.without else []
    return " ".join(parts)


_RELATIONS = {"<": "before", "<=": "up to", ">": "after", ">=": "since", "==": "in", "!=": "but not in"}


def _joined(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _phrase(kind: str, name: str, turn: int, slots: Mapping[str, str]) -> str:
    """One of the phrasings; "" where there are none."""
    texts: Any = _texts()[kind]
    found = cast("Sequence[str]", texts.get(name, ()) if hasattr(texts, "get") else texts)
    return found[turn // 2 % len(found)].format(**slots) if found else ""


@cache
def _texts() -> dict[str, Any]:
    return shipped(Path(__file__).with_name("wording.yaml"))
