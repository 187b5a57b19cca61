"""A wish: an operation over a selection of an account, as far as it is known what the user wants.

Contract: pure. An operation says which slots it cannot do without, in the order of the API documents (`ORDER`); what is
open is asked for in that order, and stands in the draft as `?1`, `?2`: numbers stay while other slots are filled.

Example:
    >>> wish = opened(Wish("copy", keys=("brakes.md",)))
    >>> open_slots(wish), wish.asked
    (('to_bucket', 'bucket'), ('to_bucket', 'bucket'))
    >>> open_slots(replace(wish, to_bucket="attic")), destroys(wish)
    (('bucket',), False)

Not covered: conditions on what objects hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

__all__ = ["EVERYWHERE", "ORDER", "READS", "Wish", "destroys", "open_slots", "opened", "selects"]

EVERYWHERE = "*"
"""The bucket of a wish that is about all of them."""


@dataclass(frozen=True)
class Wish:
    """What is to be done with what. Empty is unknown, or does not matter."""

    op: str
    bucket: str = ""
    buckets: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    prefix: str = ""
    suffixes: tuple[str, ...] = ()
    any_case: bool = False
    contains: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    moments: tuple[tuple[str, str], ...] = ()
    """Comparisons with the date of change: ("<", "2025"), (">=", "2025-05-01")."""
    sizes: tuple[tuple[str, int], ...] = ()
    whole: bool = False
    """Whether all of a bucket or of a folder is meant."""
    sort: str = ""
    reverse: bool = False
    limit: int = 0
    rank: int = 0
    """The place in the order of the one that is wanted: 1 is the second."""
    show: tuple[str, ...] = ()
    """Fields beside the name: Size, LastModified, CreationDate."""
    group: str = ""
    """What results are counted or summed by: folder, extension."""
    total: bool = False
    """Whether what is counted in several files is added up."""
    to_bucket: str = ""
    to_key: str = ""
    to_prefix: str = ""
    flat: bool = False
    ending: str = ""
    unless: bool = False
    """Whether a file is only written where there is none of its name."""
    drop: bool = False
    """Whether the parts of a merged file are deleted afterwards."""
    backup_first: str = ""
    """The bucket where copies go before something is deleted."""
    body: str = ""
    old: str = ""
    new: str = ""
    region: str = ""
    needs: tuple[str, ...] = ()
    """Slots that the words call for beyond those that the operation needs: a year, a number."""
    asked: tuple[str, ...] = ()
    """The slots that were open when the draft was first written: `?n` stands for the n-th."""
    about: tuple[str, ...] = ()
    """Words that are of no class: columns, cells or fields, where it is about what is in a file."""
    measure: str = ""
    """What is told of the rows of a table: sum, count, mean, rows."""
    absent: str = ""
    """The bucket that what is meant is not in."""
    source: Wish | None = None
    """The wish whose result is stored."""
    values: dict[str, str] = field(default_factory=dict[str, str])
    """What words say that only the conversation can place: a year, a folder, a noun."""

    def __hash__(self) -> int:
        return hash((self.op, self.bucket, self.keys))


ORDER: dict[str, tuple[str, ...]] = {
    "list_buckets": (),
    "list": ("bucket",),
    "count": ("bucket",),
    "sum": ("bucket",),
    "grep": ("bucket", "old"),
    "is_empty": ("bucket",),
    "folders": ("bucket",),
    "average": ("bucket",),
    "missing": ("bucket", "to_bucket"),
    "common": ("bucket", "to_bucket"),
    "empty_buckets": (),
    "exists": ("bucket",),
    "head_bucket": ("bucket",),
    "region": ("bucket",),
    "read": ("bucket", "keys"),
    "lines": ("bucket", "keys"),
    "words": ("bucket", "keys"),
    "head": ("bucket", "keys"),
    "size": ("bucket", "keys"),
    "when": ("bucket", "keys"),
    "compare": ("bucket", "keys"),
    "table": ("bucket", "keys"),
    "field": ("bucket", "keys"),
    "drop_lines": ("bucket", "keys", "old"),
    "save": ("bucket", "keys"),
    "put": ("bucket", "keys", "body"),
    "append": ("bucket", "keys", "body"),
    "replace": ("bucket", "keys", "old", "new"),
    "create_bucket": ("bucket", "region"),
    "copy": ("to_bucket", "bucket", "keys"),
    "move": ("bucket", "keys", "to_key"),
    "rename": ("bucket", "suffixes", "ending"),
    "merge": ("bucket", "keys", "to_key"),
    "delete": ("bucket", "keys"),
    "delete_bucket": ("bucket",),
    "empty_bucket": ("bucket",),
}
READS = frozenset(("list", "list_buckets", "count", "sum", "read", "head", "lines", "words", "exists", "region", "compare", "grep",
    "when", "size", "is_empty", "empty_buckets", "head_bucket", "average", "missing", "common", "folders", "table", "field"))  # fmt: skip
"""Operations that change nothing."""
_SEVERAL = {"read", "lines", "words", "head", "copy", "move", "merge", "delete"}
_DESTROY = {"delete", "delete_bucket", "empty_bucket", "move", "rename", "replace", "drop_lines"}


def selects(wish: Wish) -> bool:
    """Whether objects are meant by what they have in common, not by their names."""
    some = (
        wish.prefix
        or wish.suffixes
        or wish.contains
        or wish.moments
        or wish.sizes
        or wish.without
        or wish.absent
        or "prefix" in wish.needs
        or (wish.limit and wish.op != "head")
    )
    return not wish.keys and bool(some or wish.whole)


def open_slots(wish: Wish) -> tuple[str, ...]:
    """What is not known yet, in the order of the documents."""
    wanted = (*ORDER.get(wish.op, ()), *(slot for slot in wish.needs if slot not in ORDER.get(wish.op, ())))
    return tuple(slot for slot in wanted if not _filled(wish, slot))


def opened(wish: Wish) -> Wish:
    """The wish as it is first drafted."""
    return replace(wish, asked=(*wish.asked, *(slot for slot in open_slots(wish) if slot not in wish.asked)))


def destroys(wish: Wish) -> bool:
    """Whether something is gone, or replaced, once this is done."""
    return wish.op in _DESTROY or wish.drop


def _filled(wish: Wish, slot: str) -> bool:
    match slot:
        case "keys":
            whole_bucket = wish.op == "when" and bool(wish.bucket) and wish.whole
            return bool(wish.keys or whole_bucket or (selects(wish) and wish.op in _SEVERAL))
        case "bucket":
            return bool(wish.bucket or wish.buckets)
        case "to_bucket" if wish.op in ("missing", "common"):
            return bool(wish.to_bucket)
        case "to_bucket":
            return bool(wish.to_bucket or wish.to_key or wish.to_prefix)
        case "to_key":
            return bool(wish.to_key or wish.to_prefix or wish.to_bucket)
        case "suffixes":
            return bool(wish.suffixes or wish.contains or wish.keys)
        case "prefix":
            return bool(wish.prefix or wish.keys or wish.suffixes or wish.contains)
        case "year":
            return bool(wish.moments)
        case _:
            return bool(getattr(wish, slot))
