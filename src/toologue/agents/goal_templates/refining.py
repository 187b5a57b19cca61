"""What the values of a clause say about its operation: deleting a bucket, not files; copying a file, not writing one.

Contract: pure. `refined` gives the wish with the operation that fits what it is about, by tagged words.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> [hear(words).wishes[0].op for words in ("Delete my-attic", "Delete a.txt", "Put a.txt into my-attic too")]
    ['delete_bucket', 'delete', 'copy']

Not covered: what only the conversation tells (`settling`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from toologue.agents.goal_templates.vocabulary import says
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, selects

__all__ = ["refined"]


def refined(wish: Wish, text: str) -> Wish:
    """The wish, its operation decided by what it is about."""
    rule = _RULES.get(wish.op)
    return wish if rule is None else rule(wish, text)


def _deleted(wish: Wish, text: str) -> Wish:
    if says("bucket_and_all", text):
        return replace(wish, op="empty_bucket")
    if wish.keys or wish.prefix or wish.suffixes or wish.contains or wish.sizes or wish.moments:
        return wish
    if says("emptying", text) and wish.bucket:
        return replace(wish, whole=True)
    if wish.bucket and not wish.whole and not says("inside_bucket", text):
        return replace(wish, op="delete_bucket")
    return replace(wish, op="delete_bucket") if "#bucket" in text and not says("files_of_bucket", text) else wish


def _put(wish: Wish, text: str) -> Wish:
    """What is put somewhere: a text, or a file that is there already."""
    source = says("out_of_bucket", text)
    new = wish.body or wish.unless or says("new_text", text)
    some = wish.keys or source or says("put_them", text)
    if not some or not (source or (says("put_what_is_there", text) and not new)):
        return replace(wish, bucket=wish.to_bucket or wish.bucket, to_bucket="")
    if source:
        return replace(wish, op="copy")
    return replace(
        wish, op="copy", to_bucket=wish.to_bucket or wish.bucket, bucket=wish.bucket if wish.to_bucket else ""
    )


def _copied(wish: Wish, text: str) -> Wish:
    """A copy of what is in a bucket, or one that shall be in it."""
    if not wish.bucket or wish.to_bucket or wish.to_key or not says("ends_with_bucket", text):
        return wish
    inside = says("in_bucket", text) and (selects(wish) or wish.keys) and "too" not in text
    return wish if inside else replace(wish, to_bucket=wish.bucket, bucket="")


def _read(wish: Wish, text: str) -> Wish:
    lines = (wish.old and "#line" in text) or (wish.sort and wish.limit == 1 and not wish.show)
    return replace(wish, op="list") if selects(wish) and not (wish.keys or lines) else wish


def _listed(wish: Wish, text: str) -> Wish:
    """Lists of files, of buckets, and one file's content, which people also want to be shown."""
    if wish.keys and says("where_is_it", text):
        return replace(wish, op="list", bucket=EVERYWHERE, contains=wish.keys, keys=())
    named = wish.keys or wish.bucket not in ("", EVERYWHERE) or wish.prefix or wish.suffixes
    if not named and "#buckets" in text and "#file" not in text and wish.bucket != EVERYWHERE:
        return replace(wish, op="list_buckets")
    told = wish.about and re.search(r"\.(?:csv|json)$", "".join(wish.keys)) and "#list <key>" not in text
    if wish.op == "list" and len(wish.keys) == 1 and not (wish.to_key or wish.show or wish.moments or told):
        return replace(wish, op="read")
    if wish.op == "list" and wish.group and ("Size" in wish.show or wish.sort == "Size"):
        bucket = "" if wish.bucket == EVERYWHERE and "#bucket" not in text else wish.bucket
        return replace(wish, op="sum", sort="Size", reverse=True, limit=0, rank=0, needs=(), bucket=bucket)
    return wish


def _exists(wish: Wish, text: str) -> Wish:
    if wish.bucket and not wish.keys and not wish.prefix:
        return replace(wish, op="head_bucket")
    return wish if wish.keys else _listed(replace(wish, op="list"), text)


def _buckets(wish: Wish, text: str) -> Wish:
    if "#file" in text or says("in_each", text):
        return replace(wish, op="list")
    return replace(wish, bucket="", buckets=(), needs=("year",) if says("some_year", text) else ())


def _lines(wish: Wish, text: str) -> Wish:
    """Of a table, its rows without the header where rows are meant."""
    return wish if "#line" in text and not says("rows", text) else replace(wish, group=wish.group or "rows", old="")


def _missing(wish: Wish, text: str) -> Wish:
    if "#keep" in text and not wish.buckets:
        return replace(wish, op="list")
    if wish.buckets:
        return replace(wish, bucket=wish.buckets[0], to_bucket=wish.buckets[-1], buckets=())
    there = not wish.to_bucket and says("missing_there", text)
    return replace(wish, bucket="", to_bucket=wish.bucket) if there else wish


def _counted(wish: Wish, text: str) -> Wish:
    if says("count_buckets", text) and "#files" not in text:
        return replace(wish, bucket=EVERYWHERE, group="buckets")
    return _measured(wish, text)


def _measured(wish: Wish, text: str) -> Wish:
    """What is told by bucket is told of all buckets."""
    return replace(wish, bucket=EVERYWHERE) if wish.group == "bucket" and not (wish.bucket or wish.buckets) else wish


def _when(wish: Wish, text: str) -> Wish:
    return replace(wish, whole=True) if not wish.keys and (wish.bucket or "#bucket" in text) else wish


def _region(wish: Wish, text: str) -> Wish:
    area = next((code for code in ("eu-", "us-", "ap-") if says(code.rstrip("-"), text)), "")
    if says("which_buckets", text) and (area or wish.region):
        return replace(wish, op="list_buckets", region=area or wish.region, bucket="")
    return replace(wish, region="")


def _common(wish: Wish, text: str) -> Wish:
    """What is in both of two buckets."""
    if wish.buckets:
        return replace(wish, bucket=wish.buckets[0], to_bucket=wish.buckets[-1], buckets=())
    return wish


def _most(wish: Wish, text: str) -> Wish:
    """The bucket of which there is most: of files, where these are named, else of bytes."""
    op = "count" if says("most_files", text) else "sum"
    return replace(Wish(op), bucket=EVERYWHERE, group="bucket", limit=1, reverse=not says("fewest", text))


_RULES: Mapping[str, Callable[[Wish, str], Wish]] = {
    "delete": _deleted,
    "put": _put,
    "copy": _copied,
    "read": _read,
    "list": _listed,
    "exists": _exists,
    "list_buckets": _buckets,
    "lines": _lines,
    "missing": _missing,
    "count": _counted,
    "sum": _measured,
    "when": _when,
    "region": _region,
    "common": _common,
    "most": _most,
    "size": lambda wish, text: wish if wish.keys or says("one_of_them", text) else replace(wish, op="sum"),
}
"""By the operation that the words ask for."""
