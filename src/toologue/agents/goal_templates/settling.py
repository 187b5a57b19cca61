"""New wishes, with what the conversation knows about them: which bucket, what "it" is, what "the second one" is.

Contract: pure. What the words say themselves counts; the rest comes from the last wish and from results. What belongs
together becomes one wish: a copy of which the original is deleted is a move, a merge whose parts are deleted says so.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> context = Context(last=Wish("list", bucket="the-attic"), listed=("a.txt", "b.txt"))
    >>> (wish,) = wishes_of(context, hear("delete the second one"))
    >>> wish.op, wish.bucket, wish.keys
    ('delete', 'the-attic', ('b.txt',))

Not covered: wishes that depend on each other's results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from toologue.agents.goal_templates.context import Context, alias, last_bucket, referred, whole_name
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.revising import placed
from toologue.agents.goal_templates.vocabulary import says
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, selects

__all__ = ["wishes_of"]

_OF_A_FILE = ("read", "head", "lines", "words", "put", "append", "replace", "exists", "when", "size", "compare")
_OF_A_BUCKET = ("region", "head_bucket", "is_empty", "delete_bucket", "create_bucket")
_SELECTIONS = ("list", "count", "sum", "average", "grep")
_NEW = ("create_bucket", "list_buckets", "put", "merge", "region", "head_bucket", "empty_buckets")


def wishes_of(context: Context, heard: Heard) -> list[Wish]:
    """The new wishes of the words, with what is known."""
    found: list[Wish] = []
    for wish in _meant(context, heard):
        known = _settled(wish, heard, context)
        if not found or not _joined(found, known):
            found.append(known)
    if len(found) > 1 and found[0].op == "list" and not found[0].bucket and found[1].op == "list_buckets":
        found = found[1:]
    return [part for wish in found for part in _one_each(wish)]


def _meant(context: Context, heard: Heard) -> Sequence[Wish]:
    """The wishes, where only the conversation tells what they are about."""
    last, words = context.last, heard.whole.text
    if (
        heard.values
        or not heard.wishes
        or any(one.values or one.contains or one.suffixes or one.op != "list" or one.sort for one in heard.wishes)
    ):
        return heard.wishes
    if (
        not context.names
        and (last is None or not last.bucket)
        and re.search(r"\b(?:ones?|have|got|there|names?)\b|#buckets?", words)
    ):
        return [Wish("list_buckets")]
    if last is not None and last.op in ("lines", "read") and last.old and "#lines" in words:
        return [replace(last, op="read")]
    if (
        last is not None
        and last.op in ("put", "append", "replace")
        and re.search(r"\b(?:it|result|that|what|whole)\b", words)
    ):
        return [Wish("read", bucket=last.bucket, keys=last.keys)]
    return heard.wishes


def _joined(found: list[Wish], known: Wish) -> bool:
    """Whether a wish only says more of the one before it, which then says it."""
    last = found[-1]
    pair = (last.op, known.op)
    if pair == ("copy", "delete"):
        found[-1] = replace(last, op="move")
    elif pair == ("merge", "delete"):
        found[-1] = replace(last, drop=True)
    elif (
        pair in (("delete", "delete_bucket"), ("delete", "delete"))
        and last.whole
        and not (known.keys or known.prefix)
        and not last.prefix
    ):
        found[-1] = Wish("empty_bucket", bucket=last.bucket)
    elif last.op == "list" and last.group and last.group == known.group:
        found[-1] = known
    elif known.op == last.op and not (last.keys or selects(last)) and not (last.bucket and known.bucket):
        found[-1] = replace(known, bucket=known.bucket or last.bucket)
    elif known.op == "list" and not (selects(replace(known, whole=False)) or known.keys or known.group or known.sort):
        return True  # "…, and show me" says nothing more
    else:
        return known in found
    return True


def _one_each(wish: Wish) -> Sequence[Wish]:
    """What returns something of one file is a program each for several."""
    if wish.op in ("lines", "read") and not wish.total and 1 < len(wish.keys) <= 3:
        return [replace(wish, keys=(key,)) for key in wish.keys]
    return [wish]


def _settled(wish: Wish, heard: Heard, context: Context) -> Wish:
    """A wish with what the conversation knows of it."""
    words = heard.whole.text
    if wish.op == "merge" and wish.prefix and wish.keys:
        wish = replace(wish, keys=tuple(key if "/" in key else f"{wish.prefix}{key}" for key in wish.keys), prefix="")
    wish = replace(wish, keys=tuple(whole_name(key, wish, context) for key in wish.keys))
    wish = _of_bucket(replace(wish, bucket=wish.bucket or alias(heard.mask, context)), words, context)
    if wish.op in ("create_bucket", "list_buckets", "delete_bucket"):
        return wish
    wish = _transferred(wish, words, context) if wish.op in ("copy", "move") else _counted(wish, words, context)
    if wish.op == "when" and wish.whole and not wish.keys:
        return replace(wish, bucket=wish.bucket or last_bucket(context))
    if _open(wish, context):
        wish = _pointed(wish, words, context)
    return _of_buckets(_in_bucket(wish, words, context), words, context)


def _open(wish: Wish, context: Context) -> bool:
    """Whether it is not said what a wish is about."""
    last = context.last
    new = wish.op in _NEW and not (wish.op == "put" and wish.body)
    elsewhere = wish.op in _SELECTIONS and wish.bucket and (wish.whole or last is None or last.bucket != wish.bucket)
    return not (new or elsewhere or wish.keys or selects(replace(wish, whole=False, limit=0)))


def _of_bucket(wish: Wish, words: str, context: Context) -> Wish:
    """Wishes about buckets themselves."""
    last, known = context.last, wish.bucket or last_bucket(context)
    of_last = last is not None and last.op in _OF_A_BUCKET
    if wish.op == "delete" and not (wish.keys or selects(wish)):
        if len(context.listed_buckets) == 1 and not context.listed and says("this", words):
            return replace(wish, op="delete_bucket", bucket=context.listed_buckets[0])
        if wish.bucket and not re.search(r"<bucket>", words):
            return replace(wish, op="delete_bucket")
        return (
            replace(wish, op="delete_bucket", bucket=known)
            if of_last and says("this", words) and not context.listed
            else wish
        )
    if wish.op == "delete_bucket" and says("that_bucket", words):
        return replace(wish, bucket=known)
    if wish.op == "when" and of_last and not wish.keys:
        return replace(wish, whole=True)
    if wish.op == "create_bucket":
        return replace(wish, bucket=known) if last and last.op == "head_bucket" and says("one_of_them", words) else wish
    if wish.op == "list_buckets":
        year = wish.values.get("year", "")
        show = tuple("CreationDate" for _ in wish.show[:1]) if not wish.limit else ()
        return replace(wish, show=show, moments=(("==", year),) if year else wish.moments)
    return wish


def _transferred(wish: Wish, words: str, context: Context) -> Wish:
    """Copies and moves: to the bucket that the conversation is about, or that things were copied to before."""
    last, here = context.last, last_bucket(context)
    if wish.to_bucket:
        return wish
    if says("into_it", words) and here != wish.bucket:
        return replace(wish, to_bucket=here)
    if wish.op == "move" or wish.to_key or wish.to_prefix:
        return wish
    if last is not None and last.to_bucket:
        return replace(wish, to_bucket=last.to_bucket)
    return replace(wish, to_bucket=here) if wish.bucket and here not in ("", wish.bucket, EVERYWHERE) else wish


def _counted(wish: Wish, words: str, context: Context) -> Wish:
    """Counts by what was listed last; lines of a file that was spoken of, else files."""
    last = context.last
    if wish.op in ("count", "sum") and last is not None and last.op == "folders" and says("each_of_them", words):
        return replace(wish, group="folder")
    if wish.op != "lines":
        return wish
    several = last is not None and selects(last) and says("several", words)
    if wish.group and not (several or wish.keys or context.focus or (last and last.keys)):
        return replace(wish, op="count", group="")
    return replace(wish, total=says("together", words))


def _in_bucket(wish: Wish, words: str, context: Context) -> Wish:
    """The wish, in the bucket that the conversation is about."""
    last = context.last
    if (
        last is not None
        and last.op in ("copy", "move")
        and last.to_bucket
        and not wish.bucket
        and (says("there", words) or "@copy" in words)
    ):
        wish = replace(wish, bucket=last.to_bucket)
    if last is not None and not (wish.bucket or wish.buckets) and (wish.op != "region" or says("this", words)):
        source_is_open = wish.op == "copy" and wish.to_bucket == last_bucket(context)
        wish = replace(wish, bucket=context.owner(wish.keys) or ("" if source_is_open else last_bucket(context)))
    if wish.bucket == EVERYWHERE and wish.op not in (*_SELECTIONS, "region", "compare"):
        wish = replace(wish, bucket="")
    if wish.op == "list" and len(wish.keys) == 1:
        wish = replace(wish, op="read")
    return replace(wish, **placed(wish, wish, context))


def _pointed(wish: Wish, words: str, context: Context) -> Wish:
    """What "it", "them" and "the second one" are."""
    last, listing = context.last, wish.op in _SELECTIONS
    original = "original" in words
    named = () if (listing and "#folder" in words) or original else referred(words, context)
    if named and not (listing and wish.sort) and not (len(named) > 1 and (listing or wish.sort)):
        return replace(wish, keys=named, whole=False)
    if last is None:
        return wish
    of_last = (
        (wish.op == "put" and not wish.bucket and says("make_it", words))
        or (wish.op in ("append", "replace") and last.op in _OF_A_FILE)
        or (wish.op == "exists")
        or (wish.op == "copy" and last.op in _OF_A_FILE and not wish.values)
    )
    if of_last and last.keys:
        return replace(wish, keys=_now(last))
    if not (says("this", words) or says("several", words) or listing or wish.op in ("head", "lines", "words", "read")):
        return wish
    if wish.op == "put" or (wish.bucket and last.bucket != wish.bucket and not says("pronoun", words)):
        return wish
    if listing:
        return _listed_again(wish, last, words)
    if last.keys:
        return replace(wish, keys=last.keys if original else _now(last))
    many = says("several", words) and wish.op in ("delete", "copy", "move", "read", "lines", "head")
    return _like(wish, last) if many else wish


def _now(last: Wish) -> tuple[str, ...]:
    """What the files of a wish are called once it is done."""
    if last.op in ("move", "merge", "copy") and last.to_key:
        return (last.to_key,)
    if last.op == "move" and last.to_prefix:
        return tuple(f"{last.to_prefix}{key.rpartition('/')[2]}" for key in last.keys)
    return last.keys


def _like(wish: Wish, last: Wish) -> Wish:
    """The wish, over what the last one was about."""
    names = ("prefix", "suffixes", "contains", "moments", "sizes", "without", "bucket")
    same = {name: getattr(wish, name) or getattr(last, name) for name in names}
    keys = wish.keys or (last.keys if wish.op == "sum" else ())
    return replace(wish, **same, keys=keys, group=wish.group or (last.group if last.group == "bucket" else ""))


def _listed_again(wish: Wish, last: Wish, words: str) -> Wish:
    """A list, a count or a sum of what was spoken of; after a change, of what is in the folder now."""
    about = says("pronoun", words) or "#folder" in words or (wish.sort and "#file" not in words and not wish.values)
    if wish.op == "list" and says("would", words):
        return _like(wish, last)
    if wish.op == "list" and (last.op not in (*_SELECTIONS, "delete") or "#folder" in words):
        inside = (
            f"{last.keys[0].rpartition('/')[0]}/" if "#folder" in words and last.keys and "/" in last.keys[0] else ""
        )
        return replace(wish, prefix=wish.prefix or last.prefix or inside) if about else wish
    if last.op == "grep" and wish.op == "list":
        return replace(_like(wish, last), op="grep", old=last.old) if about else wish
    plain = wish.op in ("count", "sum") and not (wish.group or wish.whole or wish.values.get("noun"))
    return _like(wish, last) if about or (plain and last.op in (*_SELECTIONS, "delete")) else wish


def _of_buckets(wish: Wish, words: str, context: Context) -> Wish:
    """The buckets that a result named, where these are meant."""
    listed, last = context.listed_buckets, context.last
    if wish.op == "empty_buckets":
        return replace(wish, bucket="", buckets=listed if says("each_of_them", words) else ())
    if wish.op == "compare":
        return _compared(wish, words, context)
    if wish.op not in ("region", *_SELECTIONS) or (wish.bucket and wish.op != "region"):
        return wish
    if wish.op == "region" and re.search(r"\bothers?\b", words):
        but = (last.bucket,) if last is not None and last.op == "region" and last.bucket else ()
        return replace(wish, bucket=EVERYWHERE, buckets=(), without=but)
    if listed and says("each_of_them", words):
        by_bucket = wish.op in ("count", "sum") and re.search(r"\b(?:each|every)\b", words)
        return replace(wish, bucket="", buckets=listed, group="bucket" if by_bucket else wish.group)
    every = wish.op == "region" and not wish.bucket and re.search(r"\b(?:all|every|each)\b|#buckets", words)
    return replace(wish, bucket=EVERYWHERE) if every else wish


def _compared(wish: Wish, words: str, context: Context) -> Wish:
    """Two files, or one file in two buckets: the copy and its original, where it is not said."""
    last = context.last
    if last is not None and (last.to_bucket or last.to_key) and not (wish.buckets or len(wish.keys) > 1):
        keys = (
            *(last.keys if wish.keys in ((), (last.to_key,)) else wish.keys),
            *((last.to_key,) if last.to_key else ()),
        )
        return replace(wish, bucket=last.bucket, buckets=(last.bucket, last.to_bucket or last.bucket), keys=keys)
    if len(wish.keys) == 1 and context.focus not in ("", *wish.keys) and says("pronoun", words):
        return replace(wish, keys=(context.focus, *wish.keys))
    pair = tuple(dict.fromkeys(one for one in (last_bucket(context), *context.buckets) if one and one != EVERYWHERE))
    if wish.bucket != EVERYWHERE:
        return wish
    return replace(wish, bucket=pair[0], buckets=pair[:2]) if len(pair) > 1 else replace(wish, bucket="")
