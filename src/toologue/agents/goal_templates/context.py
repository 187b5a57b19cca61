"""What a conversation has shown, and what words that point at it mean: "the second one", "it", "the sales bucket".

Contract: pure but for `Context`, which only `mind` writes. Nothing is known that no user said and no result showed.

Example:
    >>> context = Context(last=Wish("list", bucket="the-attic"), listed=("a.txt", "old/b.txt"))
    >>> referred("#read the second one", context), referred("#delete them", context)
    (('old/b.txt',), ('a.txt', 'old/b.txt'))
    >>> alias("in the attic bucket", Context(buckets=("the-attic", "the-cellar")))
    'the-attic'

Not covered: "it" for something that was said several turns ago.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from toologue.agents.goal_templates.vocabulary import cue
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish

__all__ = ["Context", "alias", "bucket_listed", "folder", "last_bucket", "left_out", "referred", "whole_name"]

_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1, "latter": -1, "former": 0}


@dataclass
class Context:
    """What a conversation has shown: names, the wish that it is about, what was listed last."""

    names: dict[str, None] = field(default_factory=dict[str, None])
    """Names of files, in the order in which they were shown."""
    there: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """(bucket, file) as results showed it."""
    last: Wish | None = None
    listed: tuple[str, ...] = ()
    """The files that the last result named."""
    buckets: tuple[str, ...] = ()
    """The buckets that were named."""
    listed_buckets: tuple[str, ...] = ()
    """The buckets that the last result named."""
    focus: str = ""
    """The file that was spoken of last."""
    several: tuple[str, ...] = ()
    """The files that were spoken of together last."""

    def owner(self, keys: tuple[str, ...]) -> str:
        """The one bucket that all these files were seen in."""
        found = {bucket for bucket, key in self.there if key in keys}
        return found.pop() if len(found) == 1 else ""


def referred(words: str, context: Context) -> tuple[str, ...]:
    """The files that tagged words point at."""
    listed = context.listed
    if context.focus and re.search(r"\b(?:that|this) (?:one|#file)\b", words):
        return (context.focus,)
    if match := cue("that_one").search(words):
        word = match[1] or match[2]
        if word in _ORDINALS and listed and -len(listed) <= _ORDINALS[word] < len(listed):
            return (listed[_ORDINALS[word]],)
        like = [key for key in listed or context.names if word in re.split(r"[\W_]+", key.lower())]
        if len(like) == 1:
            return (like[0],)
    for word in re.findall(r"\b(?:the|that) ([a-z]{4,})\b", words):
        like = [key for key in listed if word in re.split(r"[\W_]+", key.lower())]
        if len(like) == 1 and len(listed) > 1:
            return (like[0],)
    if len(listed) == 1 and (cue("this").search(words) or (cue("several").search(words) and not context.several)):
        return listed
    if context.focus and re.search(r"\b(?:it|its|#same)\b", words):
        return (context.focus,)
    plural = re.search(r"\b(?:em|them|those|these|they|both)\b|\bthe <number>", words)
    found = listed if len(listed) > 1 else context.several
    stems = {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", words[plural.start() :][:40])} if plural else ()
    like = (
        tuple(key for key in found if stems & set(re.split(r"[\W_\d]+", key.rpartition("/")[2].lower())))
        if stems
        else ()
    )
    return (like or found) if plural else ()


def alias(words: str, context: Context) -> str:
    """The bucket that "the sales one" is, where its name was seen."""
    for match in cue("alias").finditer(words):
        found = [name for name in context.buckets if match[1] in re.split(r"[-_.]", name)]
        if found:
            return min(found, key=len)
    return ""


def bucket_listed(words: str, context: Context) -> str:
    """The bucket that "the first one" is, of those that the last result named."""
    listed, match = context.listed_buckets, re.search(rf"\b({'|'.join(_ORDINALS)})(?: (?:one|#bucket)\b|\W*$)", words)
    if match and not context.listed and -len(listed) <= _ORDINALS[match[1]] < len(listed):
        return listed[_ORDINALS[match[1]]]
    return listed[0] if len(listed) == 1 and re.search(r"\b(?:in it|in there|that #bucket)\b", words) else ""


def last_bucket(context: Context) -> str:
    """The bucket that the conversation is about."""
    if context.last is None and len(context.buckets) == 1:
        return context.buckets[0]
    return context.last.bucket if context.last else ""


def folder(name: str, context: Context, inside: str = "") -> str:
    """The folder that people call by a word: one that was seen."""
    seen = {one[: match.end()] for one in context.names for match in re.finditer(rf"(?:^|/){re.escape(name)}/", one)}
    if inside:
        seen = {one for one in seen if one.startswith(inside)} or {f"{inside}{name}/"}
    return min(seen, key=len) if seen else ""


def whole_name(key: str, wish: Wish, context: Context) -> str:
    """The name with its folder, where one was seen, or is what it must be."""
    if "/" in key or key in context.names:
        return key
    seen = [name for name in context.names if name.endswith(f"/{key}")]
    if len(seen) == 1:
        return seen[0]
    others = [
        one
        for one in (wish.keys if wish.keys and wish.keys[0] != key else (), context.last.keys if context.last else ())
        if one and one[0] != key
    ]
    folders = [one[0].rpartition("/")[0] for one in others] + [wish.prefix.rstrip("/")]
    found = folders[0] if others else folders[-1]
    return f"{found}/{key}" if found and wish.op not in ("put", "") else key


def left_out(pattern: str, wish: Wish, context: Context) -> str:
    """What is left out, as `wish.without` has it: a folder, an ending, "=" and a name."""
    if pattern.endswith("/") and pattern == wish.prefix:
        return f"={pattern}"
    a_name = "." in pattern[1:] and not re.fullmatch(r"[a-z]+\.log", pattern)
    return whole_name(pattern, replace_op(wish), context) if a_name else pattern


def replace_op(wish: Wish) -> Wish:
    """The wish as one that is about files that are there."""
    from dataclasses import replace

    return replace(wish, op="list", bucket="" if wish.bucket == EVERYWHERE else wish.bucket)
