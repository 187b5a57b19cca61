"""What a user's words ask for: wishes, one an operation, with all that the words say about them.

Contract: pure. `hear` cuts words into parts that ask for something and reads each. What is said without an operation is
a wish with none (`op` is ""): an answer, or a change to a wish that stands.

Example:
    >>> (wish,) = hear("delete all csv files under temp/ in the-attic larger than 2 kB, except temp/a.csv").wishes
    >>> wish.op, wish.bucket, wish.prefix, wish.suffixes, wish.sizes, wish.without
    ('delete', 'the-attic', 'temp/', ('.csv',), (('>', 2000),), ('temp/a.csv',))

Not covered: wishes with conditions ("if it is there, ...").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toologue.agents.goal_templates.lexicon import operation
from toologue.agents.goal_templates.slots import Reader
from toologue.agents.goal_templates.values import Value, masked, read
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish

__all__ = ["Heard", "hear"]

_PART = re.compile(
    r"(?<=[.!?;])\s+|\s+(?=(?:and|then|but|, and|and then|plus) (?:also |then |please |tell me |show me |how |"
    r"which |what |"
    r"(?:copy|delete|remove|list|show|count|move|rename|put|create|make|bin|upload|read|is|are)\b))|:\s+(?=\w)"
)
_RANGE = re.compile(r"((?:[\w-]+/)*)([A-Za-z]+)(\d)((?:\.\w+)?) (?:to|through|till|up to|-) (?:[\w-]+/)*\2(\d)(\.\w+)")


@dataclass(frozen=True)
class Heard:
    """Words that were read. `hint` is what is said without an operation."""

    words: str
    wishes: tuple[Wish, ...]
    hint: Wish
    values: tuple[Value, ...]

    @property
    def mask(self) -> str:
        """The words in lower case, values masked."""
        return masked(self.words, self.values).lower()

    def of(self, kind: str) -> list[str]:
        """The values of a kind."""
        return [one.text for one in self.values if one.kind == kind]


def hear(words: str, known: Iterable[str] = ()) -> Heard:
    """Read a user's words. `known`: names that the conversation has shown."""
    known = tuple(known)
    words = _RANGE.sub(_spelled_out, words)
    parts: list[str] = []
    for part in _cut(words):
        if parts and not (_operation(part, known) and _operation(parts[-1], known)):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    wishes = tuple(_wish(part, known) for part in parts)
    values = tuple(read(words, known))
    hint = replace(_wish(words, known, hint=True), op="")
    return Heard(words, tuple(_chained(one for one in wishes if one.op)), hint, values)


def _cut(words: str) -> list[str]:
    """The words cut where something else may be asked for, but not inside quotes."""
    quotes = [(one.start, one.end) for one in read(words) if one.kind == "quote"]
    found, start = list[str](), 0
    for match in _PART.finditer(words):
        if not any(begin <= match.start() < end for begin, end in quotes):
            found.append(words[start : match.start()])
            start = match.end()
    return [one for one in (*found, words[start:]) if one.strip()]


def _spelled_out(match: re.Match[str]) -> str:
    """ "q1.csv to q4.csv" as all the names that it stands for."""
    folder, name, first, _, last, ending = match.groups()
    return ", ".join(f"{folder}{name}{n}{ending}" for n in range(int(first), int(last) + 1))


def _operation(part: str, known: Sequence[str]) -> str:
    return operation(masked(part, read(part, known)).lower())


def _chained(wishes: Iterable[Wish]) -> Iterable[Wish]:
    """Later wishes share what earlier ones of the same breath name, where they name nothing themselves."""
    last: Wish | None = None
    for wish in wishes:
        if last is not None and wish.op not in ("create_bucket", "list_buckets"):
            if last.op == "create_bucket" and not wish.to_bucket and wish.op in ("copy", "move"):
                wish = replace(wish, to_bucket=last.bucket)
            elif not wish.bucket and not wish.buckets:
                wish = replace(wish, bucket=last.bucket)
            same = wish.op in ("count", "sum", "list", "delete", "read", "lines") and last.bucket == wish.bucket
            if same and not (wish.keys or wish.prefix or wish.suffixes or wish.whole):
                wish = replace(wish, prefix=last.prefix, suffixes=last.suffixes, moments=wish.moments or last.moments)
                if wish.op != "list":
                    wish = replace(wish, keys=last.keys)
        last = wish
        yield wish


def _wish(part: str, known: Sequence[str], *, hint: bool = False) -> Wish:
    """One part of what was said."""
    values = read(part, known)
    mask = masked(part, values).lower()
    wish = Wish("" if hint else operation(mask))
    reader = Reader(part, mask, values, wish.op)
    slots: dict[str, Any] = {}
    for read_some in (
        reader.places,
        reader.kinds,
        reader.times,
        reader.sizes,
        reader.order,
        reader.shown,
        reader.texts,
    ):
        slots |= read_some()
    year, values = slots.pop("year", ""), slots.get("values", {})
    slots["values"] = values | ({"year": year} if year else {})
    return _settled(replace(wish, **slots), mask)


def _settled(wish: Wish, mask: str) -> Wish:
    """The operation, once the values are known."""
    rule = _RULES.get(wish.op)
    return wish if rule is None else rule(wish, mask)


def _deleted(wish: Wish, mask: str) -> Wish:
    files = wish.keys or wish.prefix or wish.suffixes or wish.whole or wish.contains
    if files:
        return wish
    named = wish.bucket and not (wish.moments or wish.sizes)
    if named and not re.search(r"\b(?:file|object|folder|log|from|in) ?", mask):
        return replace(wish, op="delete_bucket")
    kind = re.search(r"(?<!<)\bbuckets?\b", mask) and not re.search(
        r"\b(?:files?|objects?|from|in)\b.{0,20}(?<!<)\bbucket", mask
    )
    return replace(wish, op="delete_bucket") if kind else wish


def _put(wish: Wish, mask: str) -> Wish:
    writes = (
        wish.body or re.search(r"\b(?:file|note|text|memo)\b", mask) or not re.search(r"\bput (?:<key>|\w+ )", mask)
    )
    if writes or (wish.keys and not re.search(r"\bput <key>", mask)):
        return wish
    there = wish.to_bucket or wish.bucket
    return replace(wish, op="copy", to_bucket=there, bucket="" if there == wish.bucket else wish.bucket)


def _read(wish: Wish, mask: str) -> Wish:
    some = wish.prefix or wish.suffixes or wish.whole
    return replace(wish, op="list") if some and not wish.keys else wish


def _listed(wish: Wish, mask: str) -> Wish:
    """Lists of files, of buckets, and one file's content, which people also want to be shown."""
    if wish.keys and re.search(r"\bwhich bucket\b", mask):
        return replace(wish, op="list", bucket=EVERYWHERE, contains=wish.keys, keys=())
    named = wish.keys or wish.bucket or wish.prefix or wish.suffixes
    if not named and re.search(r"\b(?:which|what|list|show)\b.{0,30}\bbuckets\b", mask):
        return replace(wish, op="list_buckets")
    if wish.op == "list" and wish.keys and not wish.to_key:
        return replace(wish, op="read") if len(wish.keys) == 1 and "<key>" in mask and not wish.show else wish
    if wish.op == "list" and wish.group and ("Size" in wish.show or wish.sort == "Size"):
        bucket = "" if wish.bucket == EVERYWHERE and "buckets" not in mask else wish.bucket
        return replace(wish, op="sum", sort="Size", reverse=True, limit=0, needs=(), bucket=bucket)
    return wish


def _buckets(wish: Wish, mask: str) -> Wish:
    if re.search(r"\b(?:files?|objects?|keys?)\b|\b(?:in|across) (?:any|all|each|every)\b", mask):
        return replace(wish, op="list")
    some_year = re.search(r"\b(?:one|a|some) (?:particular|certain|given|specific) year\b", mask)
    return replace(wish, needs=("year",)) if some_year else wish


def _rows(wish: Wish, mask: str) -> Wish:
    table = any(key.lower().endswith(".csv") for key in wish.keys)
    return replace(wish, group="rows") if table and not re.search(r"\blines\b", mask) else wish


def _missing(wish: Wish, mask: str) -> Wish:
    if wish.buckets:
        return replace(wish, bucket=wish.buckets[0], to_bucket=wish.buckets[-1], buckets=())
    there = not wish.to_bucket and re.search(r"(?:missing|absent) (?:from|in) <bucket>", mask)
    return replace(wish, bucket="", to_bucket=wish.bucket) if there else wish


def _counted(wish: Wish, mask: str) -> Wish:
    buckets = re.search(r"\bhow many buckets\b", mask)
    return replace(wish, bucket=EVERYWHERE, group="buckets") if buckets else wish


def _measured(wish: Wish, mask: str) -> Wish:
    return wish if wish.keys else replace(wish, op="sum")


_RULES: Mapping[str, Callable[[Wish, str], Wish]] = {
    "delete": _deleted,
    "put": _put,
    "read": _read,
    "list": _listed,
    "exists": _listed,
    "list_buckets": _buckets,
    "lines": _rows,
    "missing": _missing,
    "count": _counted,
    "size": _measured,
}
"""What values say about an operation, by the operation that the words asked for."""
