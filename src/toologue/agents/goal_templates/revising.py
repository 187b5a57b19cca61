"""What new words make of a wish: answers to a question, changes, corrections, and references to what was said before.

Contract: pure. `fill` takes words as an answer to the slot that was asked for, and everything else in them as a change;
`settle` gives a new wish what the conversation knows already: the bucket that it is about, the file that "it" is.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> draft = Wish("rename", prefix="notes/", suffixes=(".txt",), asked=("bucket", "ending"))
    >>> done = fill(draft, hear("the-attic, and make it .rtf"))
    >>> done.bucket, done.ending
    ('the-attic', '.rtf')

Not covered: corrections of a part of a name ("without the s").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.lexicon import says
from toologue.agents.goal_templates.values import city, number
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, open_slots

__all__ = [
    "ALL_OF",
    "THIS",
    "Context",
    "alias",
    "fill",
    "last_bucket",
    "referred",
    "revise",
    "selected",
    "spared",
    "whole_name",
]

_SPARED = re.compile(
    r"\b(?:keep|leave|skip|spare|except(?: for)?|without|but not|not|ignore|still need|exclude|omit|"
    r"apart from|other than)"
    r"\s+(?:out\s+)?(?:the |those |these |any |my |our )?(?:<number> )?([a-z]{3,})"
)
_SIMPLE = ("any_case", "contains", "moments", "sizes", "show", "group", "to_bucket", "flat", "ending", "region", "body")
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1, "latter": -1, "former": 0}
_THAT_ONE = re.compile(r"\b(?:the |that )(\w+) (?:one|file|of them)\b|\bthe (former|latter|last)\b")
ALL_OF = re.compile(r"\b(?:them|those|these|all|both|em|they|everything|the (?:two|three|four|five|lot))\b")
THIS = re.compile(r"\b(?:it|its|that|that one|this|this one|the file|the same (?:file|one))\b|\bthere\b")
_ALIAS = re.compile(r"\b(?:the|our|my|that) ([a-z]+)(?: (?:one|bucket))\b")
_FILLER = re.compile(
    r"\b(?:please|pls|thanks?|in|the|it's|its|is|it|called|bucket|one|from|our|my|then|of course|i think|just|"
    r"simply|file|name|a)\b|[.,!?]"
)


@dataclass
class Context:
    """What a conversation has shown: names, the bucket and the wish that it is about, what was listed last."""

    names: dict[str, None] = field(default_factory=dict[str, None])
    last: Wish | None = None
    listed: tuple[str, ...] = ()
    """The files that the last result named."""
    buckets: tuple[str, ...] = ()
    """The buckets that results have named."""
    listed_buckets: tuple[str, ...] = ()
    """The buckets that the last result named."""
    focus: str = ""
    """The file that was spoken of last."""
    owners: dict[str, str] = field(default_factory=dict[str, str])
    """In which bucket a listed file is, where a result says so."""


def fill(wish: Wish, heard: Heard, context: Context | None = None) -> Wish:
    """The wish once its question is answered."""
    context = context or Context()
    slot = next(iter(open_slots(wish)), "")
    hint = heard.hint
    given: dict[str, Any] = {}
    if slot in ("bucket", "to_bucket"):
        given |= _bucket_answer(wish, slot, heard.of("bucket"), heard, context)
        hint = replace(hint, bucket="", to_bucket="", buckets=())
    elif slot in ("keys", "to_key") and not (hint.keys or hint.prefix or hint.whole):
        given |= _file_answer(slot, heard, context)
    elif slot == "ending" and hint.suffixes:
        given["ending"], hint = hint.suffixes[-1], replace(hint, suffixes=())
    elif slot == "year":
        hint = _year_answer(wish, heard)
    else:
        given |= _text_answer(wish, slot, heard)
    return revise(replace(wish, **given), hint, context, slot=slot)


def _file_answer(slot: str, heard: Heard, context: Context) -> dict[str, Any]:
    if slot == "keys" and (named := referred(heard.words.lower(), context)):
        return {"keys": named}
    quotes = heard.of("quote")
    return {slot: (quotes[0],) if slot == "keys" else quotes[0]} if quotes else {}


def _year_answer(wish: Wish, heard: Heard) -> Wish:
    """The hint with the year as a comparison."""
    hint, dates = heard.hint, heard.of("date")
    if wish.op == "list_buckets" and dates:
        return replace(hint, moments=(("==", hint.moments[-1][1] if hint.moments else dates[-1]),), values={})
    return hint if hint.moments or not dates else replace(hint, moments=(("<", dates[-1]),), values={})


def _text_answer(wish: Wish, slot: str, heard: Heard) -> dict[str, Any]:
    """Bodies, words, numbers and regions."""
    words, quotes, numbers = heard.words.strip(), heard.of("quote"), heard.of("number")
    if slot == "body" and not heard.hint.body and not _asks(heard):
        return {"body": re.sub(r"^(?:it should say|just|say|write|the text is|put):? ", "", words)}
    if slot in ("old", "new") and quotes:
        return dict(zip([one for one in ("old", "new") if not getattr(wish, one)], quotes, strict=False))
    if slot in ("old", "new") and len(words.split()) <= 4:
        return {slot: words.strip(" .!")}
    if slot == "limit" and numbers:
        return {"limit": number(numbers[-1])}
    if slot == "region" and not heard.hint.region:
        return {"region": city(words.lower())}
    return {}


def revise(wish: Wish, hint: Wish, context: Context | None = None, *, slot: str = "") -> Wish:
    """The wish as new words change it."""
    context = context or Context()
    changes: dict[str, Any] = {name: getattr(hint, name) for name in _SIMPLE if getattr(hint, name)}
    if wish.op in ("list", "count", "sum", "delete", "copy", "move", "read", "rename"):
        changes.pop("body", None)
    if hint.bucket and slot not in ("bucket", "to_bucket"):
        changes["bucket"] = hint.bucket
    if hint.buckets and wish.op in ("region", "list", "count", "sum"):
        changes["buckets"] = hint.buckets
    if len(wish.keys) > 1 and hint.suffixes and not hint.keys:
        kept = tuple(key for key in wish.keys if key.endswith(hint.suffixes))
        wish, hint = replace(wish, keys=kept or wish.keys), replace(hint, suffixes=())
    changes |= _renamed(wish, hint, context, slot) | selected(wish, hint, context)
    if hint.sort:
        changes |= {"sort": hint.sort, "reverse": hint.reverse, "show": hint.show or wish.show}
    if hint.limit:
        changes["limit"] = hint.limit
    if wish.op == "rename" and hint.suffixes and not hint.ending and "ending" in changes:
        changes.pop("suffixes", None)
    return replace(wish, **changes)


def spared(wish: Wish, mask: str, context: Context) -> Wish:
    """The wish without what the words want left alone, of what it would touch."""
    for match in _SPARED.finditer(mask):
        stem = match[1].rstrip("s")
        if wish.keys:
            kept = tuple(key for key in wish.keys if stem not in re.split(r"[\W_]+", key.lower()))
            if kept and kept != wish.keys:
                wish = replace(wish, keys=kept)
            continue
        inside = [name for name in context.names if name.startswith(wish.prefix) and name != wish.prefix]
        for name in inside:
            parts = name.removeprefix(wish.prefix).split("/")
            folders = [part for part in parts[:-1] if part.lower().rstrip("s") == stem]
            if folders:
                pattern = name[: name.index(f"{folders[0]}/", len(wish.prefix)) + len(folders[0]) + 1]
            elif stem in re.split(r"[\W_\d]+", parts[-1].lower()):
                pattern = f"={name}"
            else:
                continue
            if pattern not in wish.without:
                wish = replace(wish, without=(*wish.without, pattern))
    return wish


def _bucket_answer(wish: Wish, slot: str, buckets: Sequence[str], heard: Heard, context: Context) -> dict[str, Any]:
    if (
        len(buckets) > 1
        and wish.op in ("copy", "merge")
        and len(open_slots(wish)) > 1
        and "to_bucket" in open_slots(wish)
    ):
        hint = heard.hint
        return {
            "to_bucket": hint.to_bucket or buckets[-1],
            "bucket": next((one for one in buckets if one != hint.to_bucket), buckets[0]),
        }
    if buckets:
        source = slot == "to_bucket" and re.search(r"\bfrom <bucket>", heard.mask) and not wish.bucket
        return {"bucket" if source else slot: buckets[-1]}
    if says("everywhere", heard.mask) and slot == "bucket":
        return {"bucket": EVERYWHERE}
    words = heard.words.lower()
    if named := next((name for name in context.buckets if name in words), alias(words, context)):
        return {slot: named}
    if re.search(r"\b(?:same|that) bucket\b|\bsame (?:place|one)\b", words) and context.last:
        return {slot: last_bucket(context)}
    left = _FILLER.sub(" ", heard.mask).split()
    return (
        {slot: left[0]}
        if len(left) == 1 and re.fullmatch(r"[a-z0-9][a-z0-9._-]*", left[0]) and not says("agrees", words)
        else {}
    )


def _renamed(wish: Wish, hint: Wish, context: Context, slot: str) -> dict[str, Any]:
    """Files that the words name: the ones that are meant, or what they shall be called."""
    changes: dict[str, Any] = {}
    if hint.to_key or hint.to_prefix:
        if wish.op in ("put", "append") and hint.to_key:
            changes["keys"] = (hint.to_key,)
        else:
            folder = (
                (wish.to_prefix or (wish.to_key.rpartition("/")[0] and f"{wish.to_key.rpartition('/')[0]}/"))
                if hint.to_key and "/" not in hint.to_key
                else ""
            )
            changes |= {"to_key": f"{folder}{hint.to_key}" if hint.to_key else "", "to_prefix": hint.to_prefix}
    if hint.keys:
        keys = tuple(whole_name(key, wish, context) for key in hint.keys)
        if (
            slot == "to_key"
            or (wish.op in ("move", "copy") and wish.to_key and slot != "keys" and wish.keys)
            or (wish.op == "merge" and slot != "keys" and wish.keys)
        ):
            changes["to_key"] = hint.keys[-1]
        else:
            changes["keys"] = keys
    if slot == "to_key" and hint.prefix and not hint.keys:
        changes["to_prefix"] = hint.prefix
    return changes


def selected(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """Folders, endings, years and what is left out."""
    changes = _of_noun(wish, hint, context)
    wish = replace(wish, prefix=changes.get("prefix", wish.prefix))
    if hint is not wish:
        changes |= _places(wish, hint, context)
    changes |= _of_folder(wish, hint, context)
    if (year := hint.values.get("year", "")) and "prefix" not in changes.get("needs", ()):
        changes |= _year(year, wish, context)
    if changes.get("prefix") or changes.get("suffixes") or changes.get("moments"):
        changes["values"] = {}
    return changes


def _places(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """What words say of folders, endings and exceptions themselves."""
    changes: dict[str, Any] = {}
    elsewhere = wish.op in ("copy", "move") and (wish.prefix or wish.keys) and wish.prefix != hint.prefix
    if hint.prefix and elsewhere:
        changes["to_prefix"] = hint.prefix
    elif hint.prefix and not (wish.op in ("move", "merge") and wish.keys):
        changes["prefix"] = hint.prefix
    if hint.suffixes:
        changes["suffixes"] = hint.suffixes
    if hint.without:
        left_out = (_left_out(one, wish, context) for one in hint.without)
        changes["without"] = tuple(dict.fromkeys((*wish.without, *left_out)))
    return changes


def _of_noun(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """The folder that "the invoices" are in: one that was seen; else, for a list, one of that name."""
    noun = wish.values.get("noun", "")
    plain = not (wish.prefix or wish.keys or wish.suffixes)
    if not noun or not plain or hint.prefix:
        return {}
    found = _folder(noun, wish, context)
    if not found and hint == wish and wish.op in ("copy", "move", "delete"):
        return {} if wish.contains or wish.moments or wish.sizes else {"needs": ("prefix",)}
    guess = f"{noun}/" if wish.op == "list" and not wish.needs and not wish.bucket else ""
    return {"prefix": found or guess} if found or guess else {}


def _of_folder(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """The folder that words name without a slash; of a selection in a folder, one to leave out."""
    name = hint.values.get("folder", "")
    found = _folder(name, wish, context) if name else ""
    if found and wish.op in ("copy", "move") and hint is not wish and wish.prefix:
        return {"without": (*wish.without, found)}
    return {"prefix": found} if found and not wish.keys and not wish.prefix else {}


def _year(year: str, wish: Wish, context: Context) -> dict[str, Any]:
    """A year beside a thing: the folder of that year, where there is one or names have one; else the date."""
    if wish.op == "list_buckets":
        return {"moments": (("==", year),), "values": {}}
    base = wish.prefix or (context.last.prefix if context.last and not wish.keys else "")
    if re.search(r"\b20\d\d\b", base):
        return {"prefix": re.sub(r"\b20\d\d\b", year, base), "values": {}}
    folders = {name[: match.end()] for name in context.names for match in re.finditer(rf"(?:^|/){year}/", name)}
    folders = {one for one in folders if one.startswith(base)}
    if len(folders) == 1:
        return {"prefix": folders.pop(), "values": {}}
    if base and not re.search(r"\d", base):
        return {"prefix": f"{base}{year}/", "values": {}}
    return {} if wish.op == "create_bucket" else {"moments": (("==", year),), "values": {}}


def _folder(name: str, wish: Wish, context: Context) -> str:
    """The folder that people call by a word."""
    seen = {
        known[: match.end()] for known in context.names for match in re.finditer(rf"(?:^|/){re.escape(name)}/", known)
    }
    if wish.prefix:
        seen = {one for one in seen if one.startswith(wish.prefix)} or {f"{wish.prefix}{name}/"}
    return min(seen, key=len) if seen else ""


def _left_out(pattern: str, wish: Wish, context: Context) -> str:
    if pattern.endswith("/") and pattern == wish.prefix:
        return f"={pattern}"
    a_name = "." in pattern[1:] and pattern not in ("access.log", "error.log")
    return whole_name(pattern, wish, context) if a_name else pattern


def whole_name(key: str, wish: Wish, context: Context) -> str:
    """The name with its folder, where one was seen, or is what it must be."""
    if "/" in key or key in context.names:
        return key
    seen = [name for name in context.names if name.endswith(f"/{key}")]
    if len(seen) == 1:
        return seen[0]
    before = (
        wish.keys[0]
        if wish.keys and wish.keys[0] != key
        else (context.last.keys[0] if context.last and context.last.keys else "")
    )
    folder = before.rpartition("/")[0]
    return f"{folder}/{key}" if folder and wish.op != "put" else key


def alias(words: str, context: Context) -> str:
    """The bucket that "the sales one" is, where its name was seen."""
    for match in _ALIAS.finditer(words):
        found = [name for name in context.buckets if match[1] in re.split(r"[-_.]", name)]
        if found:
            return min(found, key=len)
    return ""


def last_bucket(context: Context) -> str:
    """The bucket that the conversation is about."""
    return context.last.bucket if context.last else ""


def referred(words: str, context: Context) -> tuple[str, ...]:
    """The listed files that words point at."""
    listed = context.listed
    if context.focus and re.search(r"\b(?:that|this) (?:one|file)\b", words):
        return (context.focus,)
    if not listed:
        return ()
    if match := _THAT_ONE.search(words):
        word = match[1] or match[2]
        if word in _ORDINALS and -len(listed) <= _ORDINALS[word] < len(listed):
            return (listed[_ORDINALS[word]],)
        like = [key for key in listed if word in re.split(r"[\W_]+", key.lower())]
        if len(like) == 1:
            return (like[0],)
    if len(listed) == 1 and THIS.search(words):
        return listed
    return listed if re.search(r"\b(?:em|them|those|these|they)\b", words) and len(listed) > 1 else ()


def _asks(heard: Heard) -> bool:
    return says("question", heard.words)
