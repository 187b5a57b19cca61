"""A wish: an operation over a selection of an account, as far as it is known what the user wants.

Contract: pure. An operation says which slots it cannot do without (operations.yaml); what is open is asked for in that
order, and stands in the draft as `?1`, `?2`: numbers stay while other slots are filled.

Example:
    >>> wish = opened(Wish("copy", keys=("brakes.md",)))
    >>> open_slots(wish), wish.asked
    (('to_bucket', 'bucket'), ('to_bucket', 'bucket'))
    >>> open_slots(replace(wish, to_bucket="attic")), destroys(wish)
    (('bucket',), False)

Not covered: conditions on what objects hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from toologue.data import shipped

__all__ = ["EVERYWHERE", "ORDER", "Wish", "among", "destroys", "open_slots", "opened", "selects"]

EVERYWHERE = "*"
"""The bucket of a wish that is about all of them."""
ORDER: Mapping[str, Sequence[str]] = shipped(Path(__file__).with_name("operations.yaml"))["needs"]


@dataclass(frozen=True)
class Wish:
    """What is to be done with what. Empty is unknown, or does not matter."""

    op: str
    bucket: str = ""
    buckets: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    # what objects are meant, where not by name; `whole`: all of a bucket or of a folder
    prefix: str = ""
    suffixes: tuple[str, ...] = ()
    any_case: bool = False
    contains: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    absent: str = ""  # the bucket that they are not in
    moments: tuple[tuple[str, str], ...] = ()  # comparisons with the date of change: ("<", "2025")
    sizes: tuple[tuple[str, int], ...] = ()
    whole: bool = False
    # in which order, how many; `rank` 1 is the second
    sort: str = ""
    reverse: bool = False
    limit: int = 0
    rank: int = 0
    # what is told: fields beside the name, groups, sums of several files, columns and cells of a table
    show: tuple[str, ...] = ()
    group: str = ""
    total: bool = False
    about: tuple[str, ...] = ()
    measure: str = ""
    # where it goes; `flat`: without folders; `unless`: only where there is none of its name
    to_bucket: str = ""
    to_key: str = ""
    to_prefix: str = ""
    flat: bool = False
    creates: bool = False  # whether the bucket that it goes to is made first
    ending: str = ""
    unless: bool = False
    drop: bool = False  # whether the parts of a merged file are deleted afterwards
    backup_first: str = ""  # the bucket where copies go before something is deleted
    body: str = ""
    old: str = ""
    new: str = ""
    region: str = ""
    source: Wish | None = None  # the wish whose result is stored
    needs: tuple[str, ...] = ()  # slots that the words call for beyond those of the operation
    asked: tuple[str, ...] = ()  # the slots that were open when it was first drafted: `?n` stands for the n-th
    values: dict[str, str] = field(default_factory=dict[str, str])  # what only the conversation can place

    def __hash__(self) -> int:
        return hash((self.op, self.bucket, self.keys))


@cache
def among(name: str) -> frozenset[str]:
    """The operations of a set of operations.yaml."""
    return frozenset(shipped(Path(__file__).with_name("operations.yaml"))[name].split())


def selects(wish: Wish) -> bool:
    """Whether objects are meant by what they have in common, not by their names."""
    some = wish.prefix or wish.suffixes or wish.contains or wish.moments or wish.sizes or wish.without or wish.absent
    more = "prefix" in wish.needs or (wish.limit and wish.op != "head") or wish.whole
    return not wish.keys and bool(some or more)


def open_slots(wish: Wish) -> tuple[str, ...]:
    """What is not known yet, in the order of the documents."""
    wanted = dict.fromkeys((*ORDER.get(wish.op, ()), *wish.needs))
    return tuple(slot for slot in wanted if not _filled(wish, slot))


def opened(wish: Wish) -> Wish:
    """The wish as it is first drafted."""
    return replace(wish, asked=(*wish.asked, *(slot for slot in open_slots(wish) if slot not in wish.asked)))


def destroys(wish: Wish) -> bool:
    """Whether something is gone, or replaced, once this is done."""
    return wish.op in among("destroys") or wish.drop


def _filled(wish: Wish, slot: str) -> bool:
    to_file = wish.to_key or wish.to_prefix
    match slot:
        case "keys":
            whole_bucket = wish.op == "when" and bool(wish.bucket) and wish.whole
            return bool(wish.keys or whole_bucket or (selects(wish) and wish.op in among("several")))
        case "bucket":
            return bool(wish.bucket or wish.buckets)
        case "to_bucket":
            return bool(wish.to_bucket or (to_file and wish.op not in ("missing", "common")))
        case "to_key":
            return bool(to_file or wish.to_bucket)
        case "suffixes":
            return bool(wish.suffixes or wish.contains or wish.keys)
        case "prefix":
            return bool(wish.prefix or wish.keys or wish.suffixes or wish.contains)
        case "year":
            return bool(wish.moments)
        case _:
            return bool(getattr(wish, slot))
