"""New wishes, with what the conversation knows about them: which bucket, what "it" is, what "the second one" is.

Contract: pure. What the words say themselves counts; the rest comes from the last wish and from results. What belongs
together becomes one wish: a copy of which the original is deleted is a move, a merge whose parts are deleted says so.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> context = Context(last=Wish("list", bucket="the-attic"), listed=("a.txt", "b.txt"))
    >>> (wish,) = wishes_of(context, hear("delete the second one"))
    >>> wish.op, wish.bucket, wish.keys
    ('delete', 'the-attic', ('b.txt',))

Not covered: results that nobody has seen yet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from toologue.agents.goal_templates.context import Context, alias, bucket_listed, last_bucket, referred, whole_name
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.placing import placed
from toologue.agents.goal_templates.revising import spared
from toologue.agents.goal_templates.vocabulary import says
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, among, selects

__all__ = ["wishes_of"]

_OF_A_FILE, _OF_A_BUCKET, _SELECTIONS = among("of_a_file"), among("of_a_bucket"), among("selections")
_NEW = ("create_bucket", "list_buckets", "put", "merge", "region", "head_bucket", "empty_buckets")
_SHARED = ("prefix", "suffixes", "contains", "moments", "sizes", "without", "bucket")


def wishes_of(context: Context, heard: Heard) -> list[Wish]:
    """The new wishes of the words, with what is known."""
    found: list[Wish] = []
    for wish in _meant(context, heard):
        known = _settled(wish, heard, context)
        if not found or not _joined(found, known):
            found.append(known)
    return [part for wish in found for part in _one_each(wish)]


def _meant(context: Context, heard: Heard) -> Sequence[Wish]:
    """The wishes, where only the conversation tells what they are about."""
    last, words, hint = context.last, heard.whole.text, heard.hint
    bare = [not (one.values or one.contains or one.suffixes or one.sort) for one in heard.wishes if one.op == "list"]
    if last is not None and last.op in among("reads") and not heard.of("quote") and says("stores_result", words):
        keys = hint.keys or ((hint.to_key,) if hint.to_key else ())
        return [Wish("save", bucket=hint.to_bucket or hint.bucket, keys=keys, source=last)]
    if heard.values or not bare or not all(bare) or len(bare) < len(heard.wishes):
        return heard.wishes
    if last is not None and last.group and last.limit == 1 and says("each_or_all", words):
        return [replace(last, limit=0)]
    unknown = not context.names and (last is None or not last.bucket)
    if unknown and re.search(r"\b(?:ones?|have|got|there|names?)\b|#buckets?", words):
        return [Wish("list_buckets")]
    if last is not None and last.op in ("lines", "read") and last.old and ("#lines" in words or says("pronoun", words)):
        return [replace(last, op="read")]
    if last is not None and last.op in ("put", "append", "replace", "drop_lines") and says("result", words):
        return [Wish("read", bucket=last.bucket, keys=last.keys)]
    return heard.wishes


def _joined(found: list[Wish], known: Wish) -> bool:
    """Whether a wish only says more of the one before it, which then says it."""
    last = found[-1]
    pair = (last.op, known.op)
    emptied = last.whole and not (known.keys or known.prefix or last.prefix)
    if pair == ("copy", "delete"):
        found[-1] = replace(last, op="move")
    elif known.op == "save" and known.source is None:
        found[-1] = replace(known, source=last)
    elif pair == ("merge", "delete"):
        found[-1] = replace(last, drop=True)
    elif pair in (("delete", "delete_bucket"), ("delete", "delete")) and emptied:
        found[-1] = Wish("empty_bucket", bucket=last.bucket)
    elif last.op == "list" and last.group and last.group == known.group:
        found[-1] = known
    elif known.op == last.op and not (last.keys or selects(last)) and not (last.bucket and known.bucket):
        found[-1] = replace(known, bucket=known.bucket or last.bucket)
    elif known.op == "list" and last.op in among("reads"):  # "…, and show me" says nothing more
        return not (selects(replace(known, whole=False)) or known.keys or known.group or known.sort)
    else:
        return known in found
    return True


def _one_each(wish: Wish) -> Sequence[Wish]:
    """What returns something of one file is a program each for several."""
    if wish.op in ("lines", "read") and not wish.total and 1 < len(wish.keys) <= 3:
        return [replace(wish, keys=(key,)) for key in wish.keys]
    if wish.op == "delete_bucket" and wish.buckets:
        return [replace(wish, bucket=bucket, buckets=()) for bucket in wish.buckets]
    return [wish]


def _settled(wish: Wish, heard: Heard, context: Context) -> Wish:
    """A wish with what the conversation knows of it."""
    words = heard.whole.text
    if wish.prefix and wish.keys and (wish.op == "merge" or says("key_in_folder", words)):
        wish = replace(wish, keys=tuple(key if "/" in key else f"{wish.prefix}{key}" for key in wish.keys), prefix="")
    if wish.op == "save":
        return replace(wish, source=_settled(wish.source, heard, context)) if wish.source else wish
    if wish.bucket == EVERYWHERE and wish.op not in (*_SELECTIONS, "region", "compare", "read"):
        wish = replace(wish, bucket="")
    wish = replace(wish, keys=tuple(whole_name(key, wish, context) for key in wish.keys))
    known = wish.bucket or alias(heard.mask, context) or ("" if wish.keys else bucket_listed(words, context))
    wish = _of_bucket(replace(wish, bucket=known), words, context)
    if wish.op in ("create_bucket", "list_buckets", "delete_bucket"):
        return wish
    if (wish.keys or len(heard.wishes) < 2) and (found := _of_a_table(wish, words, context)):
        return found
    if wish.op == "move" and wish.keys and wish.to_key and "/" not in wish.to_key and "#rename" in words:
        folder = wish.keys[0].rpartition("/")[0]
        wish = replace(wish, to_key=f"{folder}/{wish.to_key}" if folder else wish.to_key)
    wish = _transferred(wish, words, context) if wish.op in ("copy", "move") else _counted(wish, words, context)
    if wish.op == "when" and wish.whole and not wish.keys:
        return replace(wish, bucket=wish.bucket or last_bucket(context))
    last = context.last
    one_of_them = wish.sort and wish.limit == 1 and not (wish.prefix or wish.suffixes or wish.contains or wish.values)
    if one_of_them and last is not None and last.op in _SELECTIONS and says("pronoun", words):
        wish = _like(wish, last)
    elif _open(wish, context):
        wish = _pointed(wish, words, context)
    wish = spared(wish, words, context) if wish.op in ("delete", "copy", "move", "rename") and selects(wish) else wish
    return _of_buckets(_in_bucket(wish, words, context), words, context)


def _of_a_table(wish: Wish, words: str, context: Context) -> Wish | None:
    """A question about what is in the table or JSON file that was spoken of last, or in another of its kind."""
    last = context.last
    name = context.focus or (last.keys[0] if last and len(last.keys) == 1 else "")
    kind = name.rpartition(".")[2].lower()
    if last is None or kind not in ("csv", "json") or wish.op not in (*_SELECTIONS, "read", "lines", "size"):
        return None
    inside = last.op in ("table", "field")
    if inside and len(wish.keys) == 1 and wish.keys[0].lower().endswith(f".{kind}") and "#read" not in words:
        bucket = wish.bucket or last.bucket
        same = wish.op in ("list", "read")
        return replace(last, keys=wish.keys, bucket=bucket, about=wish.about or last.about) if same else None
    elsewhere = wish.keys or wish.bucket or wish.prefix or wish.suffixes or says("other_things", words)
    figures = inside or wish.op in ("count", "list", "average")
    if elsewhere or not (inside or wish.about or wish.group) or not figures:
        return None
    more = inside and (wish.group or (last.op == "table" and says("pronoun", words)))
    about = tuple(dict.fromkeys((*(last.about if more else ()), *wish.about)))
    op = "list" if wish.op in ("read", "size") else wish.op
    return replace(wish, op=op, bucket=last.bucket, keys=(name,), about=about, whole=False)


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
        one = context.listed_buckets[0] if len(context.listed_buckets) == 1 else ""
        if not context.listed and says("this", words) and (one or of_last):
            return replace(wish, op="delete_bucket", bucket=one or known)
        bucket_meant = wish.bucket and not re.search(r"<bucket>", words)
        return replace(wish, op="delete_bucket") if bucket_meant else wish
    if wish.op == "delete_bucket" and says("that_bucket", words):
        return replace(wish, bucket=known)
    if wish.op == "when" and of_last and not wish.keys:
        return replace(wish, whole=True)
    if wish.op == "create_bucket":
        return replace(wish, bucket=known) if last and last.op == "head_bucket" and says("one_of_them", words) else wish
    if wish.op == "list_buckets":
        year = wish.values.get("year", "")
        show = ("CreationDate",) if wish.show and not wish.limit else ()
        return replace(wish, show=show, moments=(("==", year),) if year else wish.moments)
    return wish


def _transferred(wish: Wish, words: str, context: Context) -> Wish:
    """Copies and moves: to the bucket that the conversation is about, or that things were copied to before."""
    last, here = context.last, last_bucket(context)
    if last is not None and last.op == "missing" and wish.op == "copy" and says("of_missing", words):
        same = replace(last, op="copy", absent=last.to_bucket, without=(*last.without, *wish.without))
        return spared(replace(same, to_bucket=wish.to_bucket or last.to_bucket), words, context)
    if wish.op == "copy" and wish.to_bucket and not wish.keys and says("not_there", words):
        return replace(wish, absent=wish.to_bucket)
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
    if wish.op == "count" and wish.old and last is not None and last.op in ("lines", "read", "head") and last.keys:
        return replace(wish, op="lines", keys=wish.keys or last.keys, bucket=wish.bucket or last.bucket)
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
    to = last.to_bucket if last is not None and last.op in ("copy", "move") else ""
    if to and not wish.bucket and (says("there", words) or "@copy" in words):
        wish = replace(wish, bucket=to)
    if (
        (last is not None or context.buckets)
        and not (wish.bucket or wish.buckets)
        and (wish.op != "region" or says("this", words))
    ):
        source_is_open = wish.op == "copy" and wish.to_bucket == last_bucket(context)
        wish = replace(wish, bucket=context.owner(wish.keys) or ("" if source_is_open else last_bucket(context)))
    if wish.op == "list" and len(wish.keys) == 1 and not (wish.about and re.search(r"\.(?:csv|json)$", wish.keys[0])):
        wish = replace(wish, op="read")
    return replace(wish, **placed(wish, wish, context))


def _pointed(wish: Wish, words: str, context: Context) -> Wish:
    """What "it", "them" and "the second one" are."""
    last, listing = context.last, wish.op in _SELECTIONS
    original = "original" in words
    if last is not None and last.op in _OF_A_BUCKET and wish.op == "read" and last.bucket:
        return replace(wish, op="list", bucket=last.bucket)
    named = () if (listing and "#folder" in words) or original else referred(words, context)
    if named and not (listing and wish.sort) and not (len(named) > 1 and (listing or wish.sort)):
        return replace(wish, keys=named, whole=False)
    if last is None:
        return wish
    of_last = (
        (wish.op == "put" and not wish.bucket and says("make_it", words))
        or (wish.op in ("append", "replace", "drop_lines") and last.op in (*_OF_A_FILE, "drop_lines"))
        or (wish.op == "exists")
        or (wish.op == "copy" and last.op in _OF_A_FILE and not wish.values)
    )
    if of_last and last.keys:
        return replace(wish, keys=_now(last))
    if not (
        says("this", words)
        or says("several", words)
        or original
        or listing
        or wish.op in ("head", "lines", "words", "read")
    ):
        return wish
    if wish.op == "put" or (wish.bucket and last.bucket != wish.bucket and not says("pronoun", words)):
        return wish
    if listing:
        return _listed_again(wish, last, words)
    if last.keys:
        return replace(wish, keys=last.keys if original else _now(last))
    if original and selects(last):
        return _like(wish, last)
    if wish.op == "read" and last.op not in _SELECTIONS:
        return replace(wish, op="list", prefix=last.prefix)
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
    same = {name: getattr(wish, name) or getattr(last, name) for name in _SHARED}
    keys = wish.keys or (last.keys if wish.op == "sum" else ())
    return replace(wish, **same, keys=keys, group=wish.group or (last.group if last.group == "bucket" else ""))


def _listed_again(wish: Wish, last: Wish, words: str) -> Wish:
    """A list, a count or a sum of what was spoken of; after a change, of what is in the folder now."""
    about = says("pronoun", words) or "#folder" in words or (wish.sort and "#file" not in words and not wish.values)
    if wish.op == "list" and says("would", words):
        return _like(wish, last)
    if wish.op == "list" and (last.op not in (*_SELECTIONS, "delete") or "#folder" in words):
        folder = last.keys[0].rpartition("/")[0] if "#folder" in words and last.keys else ""
        return replace(wish, prefix=wish.prefix or last.prefix or (f"{folder}/" if folder else "")) if about else wish
    if wish.op == "list" and last.op == "delete" and says("remains", words):
        return replace(wish, prefix=wish.prefix or ("" if "year" in wish.values else last.prefix))
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
        keys = last.keys if wish.keys in ((), (last.to_key,)) else wish.keys
        both = (last.bucket, last.to_bucket or last.bucket)
        return replace(wish, bucket=last.bucket, buckets=both, keys=(*keys, *((last.to_key,) if last.to_key else ())))
    if len(wish.keys) == 1 and context.focus not in ("", *wish.keys) and says("pronoun", words):
        return replace(wish, keys=(context.focus, *wish.keys))
    pair = tuple(dict.fromkeys(one for one in (last_bucket(context), *context.buckets) if one and one != EVERYWHERE))
    if wish.bucket != EVERYWHERE:
        return wish
    return replace(wish, bucket=pair[0], buckets=pair[:2]) if len(pair) > 1 else replace(wish, bucket="")
