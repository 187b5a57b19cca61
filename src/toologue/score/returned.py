"""What programs returned, compared up to shape: right, wrong, or unsure where leaves cannot decide it.

Leaves are the texts, numbers, truths and moments in a value. Two values agree where they carry the same ones in the
same order, whatever holds them: a list of one is its member, rows may be lists or objects, a column or a table, an
object's fields may be called otherwise, an object may be a list of pairs, a text the list of its lines, a number may be
written as a text, a day as a moment of it. Keys that no field is called (`larkfield-office`, `2024`) are data; other
keys are data or names, whichever agrees.

Unsure is what carries the same leaves in another order, or without the keys that say what they are; more columns, or
more entries, than were expected; and words against anything else: `"There are 14."` for 14. All else is wrong: leaves
that are missing, others, or paired otherwise.

Example:
    >>> agree(["attic", "shed"], [{"name": "attic"}, {"name": "shed"}]).verdict
    'right'
    >>> agree({"attic": 3}, [["attic", 4]])
    Agreement(verdict='wrong', why='the program returned something else')
    >>> agree(14, "There are 14 files.").verdict
    'unsure'

Not covered: whether an order was asked for; units; what words say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple, get_args

from pydantic import JsonValue

from toologue import keys
from toologue.schema import Verdict
from toologue.values.compare import moment, written

_FIELD = re.compile(r"[A-Za-z_][A-Za-z_ ]*")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_DIGITS = 15  # that a float holds
_DAY = len("2025-03-12")
_WORDS = re.compile(r"(?=.*[^\W\d_])\S+\s+\S", re.DOTALL)
# The keys of an object: names of fields; data; data that each member of a list beside them goes with.
_Reading = Literal["names", "data", "spread"]
# From the best to the worst.
RANK: Mapping[Verdict, int] = {"right": 0, "unsure": 1, "wrong": 2}


class Agreement(NamedTuple):
    """Whether two values agree, and what is different."""

    verdict: Verdict
    why: str = ""


class Leaf(NamedTuple):
    """A value that holds no others, by its kind."""

    kind: str
    value: JsonValue


_RIGHT, _WRONG = Agreement("right"), Agreement("wrong", "the program returned something else")
_ORDER = Agreement("unsure", "the program returned the same in another order")
_BARE = Agreement("unsure", "the program returned the same without the keys that say what it is")
_MORE = Agreement("unsure", "the program returned more than that")
_SAID = Agreement("unsure", "one program returned words, the other values")


def agree(expected: JsonValue, actual: JsonValue) -> Agreement:
    """Whether an actual value carries what the expected one does."""
    if keys.canonical(expected) == keys.canonical(actual):
        return _RIGHT
    if isinstance(expected, dict) and isinstance(actual, dict) and expected.keys() == actual.keys():
        return max((agree(expected[name], actual[name]) for name in expected), key=_rank)
    if expected is None or actual is None:
        return _WRONG
    found = [_read(expected, actual, *readings) for readings in product(get_args(_Reading), repeat=2)]
    if isinstance(actual, dict):
        found += [_MORE for inner in actual.values() if agree(expected, inner).verdict == "right"]
    best = min(found, key=_rank)
    return best if best.verdict != "wrong" else _words(expected, actual)


def _rank(found: Agreement) -> int:
    return RANK[found.verdict]


def _read(expected: JsonValue, actual: JsonValue, one_way: _Reading, other_way: _Reading) -> Agreement:
    """The same, the keys of the expected object read in one way, those of the actual one in the other."""
    wanted, mine = _rows(expected, one_way), _rows(actual, other_way)
    hours = any(leaf.kind == "moment" and len(str(leaf.value)) > _DAY for row in wanted for leaf in row)
    mine = mine if hours else _in_days(mine)  # moments of no more than a day are days
    one, other = (Counter(leaf for row in rows for leaf in row) for rows in (wanted, mine))
    if one != other:
        wider = len(wanted) == len(mine) and all(not Counter(a) - Counter(b) for a, b in zip(wanted, mine, strict=True))
        return _MORE if wider else _WRONG
    if _by_kind(wanted) == _by_kind(mine):
        return _BARE if _unlabelled(expected, actual, one_way, other_way) else _RIGHT
    pairs = [Counter(tuple(sorted(map(repr, row))) for row in rows) for rows in (wanted, mine)]
    if pairs[0] == pairs[1]:
        loose = any(isinstance(v, dict) and way != "names" for v, way in ((expected, one_way), (actual, other_way)))
        return _RIGHT if loose else _ORDER
    return _ORDER if len(wanted) != len(mine) else _WRONG


def _rows(value: JsonValue, way: _Reading) -> list[tuple[Leaf, ...]]:
    """A value as rows of leaves: a member of a list each, an entry of an object whose keys are data, a line."""
    keyed = way != "names"
    if isinstance(value, list):
        return _rows(value[0], way) if len(value) == 1 else [tuple(_leaves(one, keyed)) for one in value]
    if isinstance(value, dict):
        if len(value) == 1 and not keyed and _FIELD.fullmatch(next(iter(value))):
            return _rows(next(iter(value.values())), way)
        if keyed or not all(map(_FIELD.fullmatch, value)):
            return [row for name, one in value.items() for row in _entry(name, one, way)]
    elif isinstance(value, str):
        return [(leaf,) for leaf in _leaves(value, keyed)]
    return [tuple(_leaves(value, keyed))]


def _entry(name: str, value: JsonValue, way: _Reading) -> list[tuple[Leaf, ...]]:
    members = value if way == "spread" and isinstance(value, list) else [value]
    return [tuple(_leaves({name: one}, way != "names")) for one in members]


def _leaves(value: JsonValue, keyed: bool) -> Iterator[Leaf]:
    if isinstance(value, dict):
        for name, one in value.items():
            if keyed or not _FIELD.fullmatch(name):
                yield _leaf(name)
            yield from _leaves(one, keyed)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, keyed)
    elif isinstance(value, str) and "\n" in value:
        yield from (_leaf(line) for line in value.splitlines() if line.strip())
    else:
        yield _leaf(value)


def _leaf(value: str | float | bool | None) -> Leaf:
    if isinstance(value, str):
        text = value.strip()
        if len(text) <= _DIGITS and _NUMBER.fullmatch(text):
            return Leaf("number", float(f"{float(text):.12g}"))
        when = moment(text)
        return Leaf("text", text) if when is None else Leaf("moment", text if len(text) <= _DAY else written(when))
    if value is None or isinstance(value, bool):
        return Leaf("null" if value is None else "truth", value)
    whole = isinstance(value, int) and abs(value) >= 10**_DIGITS
    return Leaf("number", value if whole else float(f"{value:.12g}"))


def _in_days(rows: Sequence[Sequence[Leaf]]) -> list[tuple[Leaf, ...]]:
    def cut(leaf: Leaf) -> Leaf:
        return Leaf(leaf.kind, str(leaf.value)[:_DAY]) if leaf.kind == "moment" else leaf

    return [tuple(map(cut, row)) for row in rows]


def _by_kind(rows: Sequence[Sequence[Leaf]]) -> dict[str, list[JsonValue]]:
    found: dict[str, list[JsonValue]] = {}
    for leaf in (leaf for row in rows for leaf in row):
        found.setdefault(leaf.kind, []).append(leaf.value)
    return found


def _unlabelled(expected: JsonValue, actual: JsonValue, one_way: _Reading, other_way: _Reading) -> bool:
    """Whether keys were left out that may be what leaves of one kind are told apart by."""
    if one_way != "names" or not isinstance(expected, dict) or len(expected) < 2:
        return False
    if len({leaf.kind for leaf in _leaves(expected, keyed=False)}) > 1:
        return False
    if isinstance(actual, dict):
        return other_way == "names" and bool(expected.keys() & actual.keys())
    return not any(isinstance(one, dict) for one in (actual if isinstance(actual, list) else ()))


def _words(expected: JsonValue, actual: JsonValue) -> Agreement:
    """Of values that carry other leaves: whether one says in words what the other holds."""
    one, other = (Counter(_leaves(value, keyed=True)) for value in (expected, actual))
    lacking, strange = list((one - other).elements()), list((other - one).elements())
    plain, said = ([leaf for leaf in leaves if not _is_words(leaf)] for leaves in (lacking, strange))
    text = isinstance(actual, str)
    if {"truth"} == {leaf.kind for leaf in lacking} and text:
        return _SAID
    if strange and not said and (plain or not lacking):  # the actual one has words where the other has none
        held = all(any(_within(leaf, words) for leaf in plain) for words in strange)
        return _SAID if text or held or not lacking else _WRONG
    if lacking and not plain and said and all(any(_within(leaf, words) for words in lacking) for leaf in strange):
        return _SAID
    if not isinstance(expected, str) or not isinstance(actual, str) or not expected.strip() or not actual.strip():
        return _WRONG
    return _SAID if expected.strip() in actual or actual.strip() in expected else _WRONG


def _is_words(leaf: Leaf) -> bool:
    return leaf.kind == "text" and _WORDS.match(str(leaf.value)) is not None


def _within(leaf: Leaf, words: Leaf) -> bool:
    shown = f"{leaf.value:.12g}" if isinstance(leaf.value, float) else str(leaf.value)
    return shown.casefold() in str(words.value).casefold()
