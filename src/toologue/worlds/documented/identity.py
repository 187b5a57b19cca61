"""Who a thing is, is told by its id: what is said of it is the same wherever its id stands.

Two Apis of one provider tell of one team, the one in a list of teams, the other on its own: by its id they know that
it is the same one. So an object that has an id is made from that id (`Row.known`), and where the things that are
searched for have ids, such ids are given that their names come out right.

Contract: `id_of(names, path, about)` is the property that tells one object of its kind from another: a bare `id`, that
of the noun around it, or the only one there is; None where none does. `number_of` is a number for an id, the same for
7 and "7", that differs between neighbouring ids.

Example:
    >>> id_of(["seriesId", "matchId", "venue"], ("matchDetail",), ""), id_of(["seriesId", "matchId"], (), "Find")
    ('matchId', None)
    >>> number_of("0042"), number_of(42), number_of("tt0111161") != number_of("tt0111162")
    (42, 42, True)

Not covered: things that are known by a name or a code alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from toologue.text.tokens import singular, spell, split_compound
from toologue.worlds.documented.row import Row
from toologue.worlds.documented.words import group

_TRIES = 64


def id_of(names: Sequence[str], path: Sequence[str], about: str) -> str | None:
    """The name of the property that identifies an object, or None."""
    found = {name: owner for name in names if (owner := owner_of(name)) is not None}
    bare = next((name for name, owner in found.items() if not owner), None)
    if bare is not None or len(found) < 2:
        return bare or next(iter(found), None)
    around = next((name for name in reversed(path) if name.lower() not in group("wraps")), about)
    nouns = {singular(word) for word in _words(around)}
    return next((name for name, owner in found.items() if singular(owner[-1]) in nouns), None)


def owner_of(name: str) -> tuple[str, ...] | None:
    """Whose id a name is for, in words: none for a bare `id`; None where it is for no id."""
    words = _words(name)
    if words[:1] == ("id",) and len(words) == 2 and words[1] not in group("of ids"):  # id_race
        return words[1:]
    return words[:-1] if words[-1:] == ("id",) else None


def followers(names: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
    """Which names say something of whom another's id is for: `seriesName` beside `seriesId`, as {name: id}."""
    owners = {one: owner for one in ids if (owner := owner_of(one))}
    return {
        name: one
        for name in names
        for one, owner in owners.items()
        if name != one and len(words := _words(name)) > len(owner) and words[: len(owner)] == owner
    }


def number_of(value: Any) -> int:
    """A number for an id."""
    text = str(value)
    tail = text if text.isdecimal() else text[-2:]
    if tail.isdecimal():
        return int(tail)
    return next((ord(letter) for letter in reversed(text) if letter.isalnum()), 0)


def known_by(made: Callable[[Row], Any], row: Row) -> tuple[Any, Row]:
    """An id, and the row of who has it: where the row has to be about something, one by which it is."""
    value, wanted = made(row), row.wanted()
    known = row.known(number_of(value), wanted)
    while wanted and row.shift < _TRIES and not known.about(wanted):
        row.shift += 1
        value = made(row)
        known = row.known(number_of(value), wanted)
    row.shift = 0
    return value, known


@lru_cache(maxsize=16384)
def _words(name: str) -> tuple[str, ...]:
    return tuple(part for word in spell(name) for part in split_compound(word))
