"""What a conversation knows about a new wish: the bucket that it is in, what "it" is, what "the second one" is.

Contract: pure. What the words say themselves counts; the rest comes from the last wish and from results.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> context = Context(last=Wish("list", bucket="the-attic"), listed=("a.txt", "b.txt"))
    >>> heard = hear("delete the second one")
    >>> settled = settle(heard.wishes[0], heard, context)
    >>> settled.bucket, settled.keys
    ('the-attic', ('b.txt',))

Not covered: "it" for something that was said several turns ago.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.revising import (
    ALL_OF,
    THIS,
    Context,
    alias,
    last_bucket,
    referred,
    selected,
    whole_name,
)
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, selects

__all__ = ["settle"]

_OF_A_FILE = ("read", "head", "lines", "words", "put", "append", "replace", "exists", "when", "size")


def settle(wish: Wish, heard: Heard, context: Context) -> Wish:
    """A new wish with what the conversation knows."""
    words, last = heard.mask, context.last
    changes: dict[str, Any] = {}
    if wish.op == "merge" and wish.prefix and wish.keys:
        wish = replace(wish, keys=tuple(key if "/" in key else f"{wish.prefix}{key}" for key in wish.keys), prefix="")
    wish = replace(wish, keys=tuple(whole_name(key, wish, context) for key in wish.keys))
    if not wish.bucket and (named := alias(words, context)):
        changes["bucket"] = named
    if wish.op == "delete" and not (wish.keys or selects(wish)) and _about_bucket(words, context):
        return replace(
            wish, op="delete_bucket", bucket=wish.bucket or changes.get("bucket", "") or last_bucket(context)
        )
    wish = replace(wish, **changes)
    if wish.op in ("create_bucket", "list_buckets"):
        return _created(wish)
    if wish.op == "copy" and wish.bucket and not wish.to_bucket and not wish.to_key and not wish.to_prefix:
        wish = _other_way(wish, context)
    if not (wish.keys or selects(replace(wish, whole=False, limit=0))) and not (
        wish.op == "list" and wish.whole and wish.bucket
    ):
        wish = _same_things(wish, words, context)
    there = last is not None and last.op in ("copy", "move") and last.to_bucket and re.search(r"\bthere\b", words)
    if there and last is not None and not wish.bucket:
        wish = replace(wish, bucket=last.to_bucket)
    if last is not None and not wish.bucket and not wish.buckets and (wish.op != "region" or THIS.search(words)):
        owner = {context.owners[key] for key in wish.keys if key in context.owners}
        wish = replace(wish, bucket=next(iter(owner)) if len(owner) == 1 else last_bucket(context))
    if wish.bucket == EVERYWHERE and wish.op not in ("list", "count", "sum", "grep", "region", "compare"):
        wish = replace(wish, bucket="")
    if wish.op == "list" and len(wish.keys) == 1:
        wish = replace(wish, op="read")
    wish = _of_buckets(wish, words, context)
    return replace(wish, **selected(wish, wish, context))


def _about_bucket(words: str, context: Context) -> bool:
    if alias(words, context):
        return True
    return bool(
        context.last
        and context.last.op in ("create_bucket", "delete_bucket")
        and THIS.search(words)
        and not context.listed
    )


def _created(wish: Wish) -> Wish:
    """Buckets are made with the words that files are changed with."""
    show = tuple("CreationDate" for _ in wish.show[:1])
    return replace(
        wish,
        bucket="" if wish.op == "list_buckets" else wish.bucket,
        show=show,
        **(
            {"moments": (("==", wish.values["year"]),)} if wish.values.get("year") and wish.op == "list_buckets" else {}
        ),
    )


def _other_way(wish: Wish, context: Context) -> Wish:
    """A copy from a bucket: to the one that the conversation is about."""
    last = last_bucket(context)
    return replace(wish, to_bucket=last) if last and last != wish.bucket and last != EVERYWHERE else wish


def _same_things(wish: Wish, words: str, context: Context) -> Wish:
    """What "it", "them" and "the second one" are."""
    last = context.last
    listing = wish.op in ("list", "count", "sum")
    if (named := referred(words, context)) and not (listing and len(named) > 1):
        return replace(wish, keys=named, whole=False)
    if last is not None and last.keys and wish.op in ("append", "replace") and last.op in _OF_A_FILE:
        return replace(wish, keys=last.keys[:1])
    if last is None or not (
        THIS.search(words) or ALL_OF.search(words) or wish.op in ("count", "sum", "list", "head", "lines", "words")
    ):
        return wish
    if wish.op == "exists" and last.keys:
        return replace(wish, keys=(last.to_key,) if last.op == "move" and last.to_key else last.keys)
    if wish.op in ("put", "create_bucket", "region", "exists", "merge"):
        changes_it = wish.op == "put" and not wish.bucket and re.search(r"\b(?:make it|change it|it should)\b", words)
        return replace(wish, keys=last.keys) if changes_it else wish
    if wish.bucket and last.bucket != wish.bucket and not re.search(r"\b(?:it|them|those|these|that)\b", words):
        return wish
    same = replace(
        wish,
        prefix=wish.prefix or last.prefix,
        suffixes=wish.suffixes or last.suffixes,
        contains=last.contains,
        moments=wish.moments or last.moments,
        sizes=wish.sizes or last.sizes,
        without=wish.without or last.without,
    )
    if listing:
        return _listed_again(wish, same, last, words)
    if last.keys:
        moved = {
            key: last.to_key or f"{last.to_prefix}{key.rpartition('/')[2]}" if last.op in ("move", "merge") else key
            for key in last.keys
        }
        return replace(wish, keys=(last.to_key,) if last.op == "merge" and last.to_key else tuple(moved.values()))
    return same if ALL_OF.search(words) and wish.op in ("delete", "copy", "move", "read", "lines", "head") else wish


def _listed_again(wish: Wish, same: Wish, last: Wish, words: str) -> Wish:
    """A list, a count or a sum of what was spoken of; after a change, of what is in the folder now."""
    if wish.op == "list" and (last.op not in ("list", "count", "sum", "grep") or "folder" in words):
        there = re.search(r"\b(?:there|it|folder|them|they|these|those|left)\b", words)
        return replace(wish, prefix=wish.prefix or last.prefix) if there else wish
    about = re.search(r"\b(?:them|those|these|they|it|in all|altogether|there|folder)\b", words)
    return replace(same, keys=last.keys if wish.op == "sum" else ()) if about else wish


def _of_buckets(wish: Wish, words: str, context: Context) -> Wish:
    """The buckets that a result named, where these are meant."""
    if wish.op == "empty_buckets":
        asked_of = context.listed_buckets and re.search(r"\b(?:them|those|these)\b", words)
        return replace(wish, bucket="", buckets=context.listed_buckets if asked_of else ())
    if wish.op == "compare" and wish.bucket == EVERYWHERE and context.last:
        pair = tuple(
            dict.fromkeys(one for one in (context.last.bucket, context.last.to_bucket, *context.buckets) if one)
        )
        return replace(wish, bucket=pair[0], buckets=pair[:2]) if len(pair) > 1 else wish
    if wish.op not in ("region", "count", "list", "sum") or (wish.bucket and wish.op != "region"):
        return wish
    if wish.op == "region" and re.search(r"\bothers?\b", words):
        return replace(
            wish, bucket=EVERYWHERE, buckets=(), without=(last_bucket(context),) if last_bucket(context) else ()
        )
    if context.listed_buckets and re.search(r"\b(?:those|these|they|them|each)\b", words):
        return replace(wish, bucket="", buckets=context.listed_buckets)
    if wish.op == "region" and re.search(r"\b(?:all|every|each)\b", words) and not wish.bucket:
        return replace(wish, bucket=EVERYWHERE)
    return wish
