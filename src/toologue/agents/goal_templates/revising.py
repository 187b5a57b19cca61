"""What new words make of a wish that stands: answers to a question, changes, corrections.

Contract: pure. `fill` takes words as an answer to the slot that was asked for, and everything else in them as a change;
`revise` takes them as a change; `corrected` tries what failed with a better value; `spared` leaves out what the words
want left alone; `spelt`, `dated` and `reworded` change a letter, a date, a day or a number in a name or a text.

Example:
    >>> from toologue.agents.goal_templates.hearing import hear
    >>> draft = Wish("rename", prefix="notes/", suffixes=(".txt",), asked=("bucket", "ending"))
    >>> done = fill(draft, hear("the-attic, and make it .rtf"), Context())
    >>> done.bucket, done.ending
    ('the-attic', '.rtf')

Not covered: corrections of a part of a name ("without the s").
"""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from toologue.agents.goal_templates.context import Context, alias, last_bucket, referred, whole_name
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.placing import placed
from toologue.agents.goal_templates.values import MONTHS, city, number
from toologue.agents.goal_templates.vocabulary import cue, says, words_of
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, open_slots

__all__ = ["corrected", "dated", "fill", "revise", "reworded", "spared", "spelt"]

_SIMPLE = ("any_case", "contains", "moments", "sizes", "show", "group", "to_bucket", "flat", "ending", "region", "body")


def fill(wish: Wish, heard: Heard, context: Context) -> Wish:
    """The wish once its question is answered."""
    slot, hint = next(iter(open_slots(wish)), ""), heard.hint
    given: dict[str, Any] = {}
    if slot in ("bucket", "to_bucket"):
        given = _bucket_answer(wish, slot, heard, context)
        hint = replace(hint, bucket="", to_bucket="", buckets=())
    elif slot in ("keys", "to_key") and not (hint.keys or hint.prefix):
        given = _file_answer(slot, heard, context)
    elif slot == "ending" and hint.suffixes:
        given["ending"], hint = hint.suffixes[-1], replace(hint, suffixes=())
    elif slot == "year" and (dates := heard.of("date")):
        sign, known = ("==", hint.moments) if wish.op == "list_buckets" else ("<", ())
        moments = ((sign, known[-1][1] if known else dates[-1]),)
        hint = replace(hint, moments=moments if known or not hint.moments else hint.moments, values={})
    elif slot not in ("keys", "to_key", "ending", "year"):
        given = _text_answer(wish, slot, heard)
    return revise(replace(wish, **given), hint, context, slot=slot)


def revise(wish: Wish, hint: Wish, context: Context, *, slot: str = "") -> Wish:
    """The wish as new words change it."""
    changes: dict[str, Any] = {name: getattr(hint, name) for name in _SIMPLE if getattr(hint, name)}
    if wish.op not in ("put", "append"):
        changes.pop("body", None)
    if hint.bucket and slot not in ("bucket", "to_bucket"):
        changes["bucket"] = hint.bucket
    if hint.buckets and wish.op in ("region", "list", "count", "sum"):
        changes["buckets"] = hint.buckets
    if len(wish.keys) > 1 and hint.suffixes and not hint.keys:
        kept = tuple(key for key in wish.keys if key.endswith(hint.suffixes))
        wish, hint = replace(wish, keys=kept or wish.keys), replace(hint, suffixes=())
    changes |= _renamed(wish, hint, context, slot) | placed(wish, hint, context)
    if hint.sort:
        changes |= {"sort": hint.sort, "reverse": hint.reverse, "show": hint.show or wish.show, "rank": hint.rank}
        changes["limit"] = hint.limit if hint.limit or wish.limit == 1 else wish.limit
    if hint.limit:
        changes["limit"] = hint.limit
    if wish.op == "rename" and hint.suffixes and "ending" in changes:
        changes.pop("suffixes", None)
    if wish.op in ("table", "field") and hint.about:
        changes["about"] = hint.about
    if wish.op in ("lines", "read") and hint.old:
        changes["old"] = hint.old
    return replace(wish, **changes)


def corrected(wish: Wish, heard: Heard, context: Context) -> Wish:
    """What failed, with a better value."""
    named, guess = heard.hint.keys, heard.hint.bucket or heard.hint.to_bucket
    one = wish.keys[0] if len(wish.keys) == 1 else ""
    if not named and wish.keys and len(found := referred(heard.whole.text, context)) == 1 and found != wish.keys:
        return replace(wish, keys=found)
    if guess and wish.op in ("copy", "move") and wish.to_bucket:
        near = max(("bucket", "to_bucket"), key=lambda slot: SequenceMatcher(None, getattr(wish, slot), guess).ratio())
        return replace(wish, **{near: guess})
    if guess and wish.bucket == guess and wish.keys:
        return wish
    if one and (dates := heard.of("date")) and (same := dated(one, dates[-1])) != one:
        return replace(wish, keys=(same,))
    if (right := spelt(wish, heard.words)) != wish and not (named or guess):
        return right
    found = revise(wish, replace(heard.hint, bucket=guess, to_bucket=""), context)
    numbers = re.findall(r"\b\d+\b", heard.words)
    if one and not named and len(numbers) == 1 and (found == wish or wish.op == "read"):
        digits = numbers[0]  # 2025/4/a.log with 04
        found = replace(wish, keys=(re.sub(rf"(?<!\d)0*{int(digits)}(?!\d)", digits, one, count=1),))
    return found


def spared(wish: Wish, words: str, context: Context) -> Wish:
    """The wish without what tagged words want left alone, of what it would touch."""
    for match in cue("spared").finditer(words):
        stem = match[1].rstrip("s")
        if wish.keys:
            kept = tuple(key for key in wish.keys if stem not in re.split(r"[\W_]+", key.lower()))
            wish = replace(wish, keys=kept or wish.keys)
            continue
        out = [_pattern(wish, stem, name) for name in context.names if name.startswith(wish.prefix)]
        unseen = not any(stem in name.lower() for name in context.names) and wish.op not in ("list", "count")
        if unseen and says("leaves_out", match[0]) and match[1] not in words_of("noise") | words_of("generic_nouns"):
            out.append(stem)
        wish = replace(wish, without=tuple(dict.fromkeys((*wish.without, *filter(None, out)))))
    return wish


def spelt(wish: Wish, words: str) -> Wish:
    """Corrections of spelling: "archive with an e"."""
    words = words.lower()
    for word in re.findall(r"\b[a-z]{4,}", words) if says("spelling", words) else ():
        for name in ("to_key", "to_prefix", "bucket", "to_bucket", "prefix", "keys"):
            value = "".join(getattr(wish, name)) if name != "keys" or len(wish.keys) == 1 else ""
            for part in re.findall(r"[a-z]{3,}", value):
                if (word.startswith(part) or part.startswith(word)) and abs(len(part) - len(word)) == 1:
                    right = value.replace(part, word)
                    return replace(wish, **{name: (right,) if name == "keys" else right})
    return wish


def dated(key: str, date: str) -> str:
    """A name with another date or month: rentals/2025-06.csv with 2025-05, orders/april.csv with May."""
    if date[0] == "-" and (months := [name for name in MONTHS if name in key.lower()]):
        return key.replace(months[0], MONTHS[int(date[1:3]) - 1])
    return re.sub(re.sub(r"\d", r"\\d", date), date, key, count=1)


def reworded(body: str, words: str) -> str:
    """A text in which a day, a month or a number is another one: "make that Tuesday"."""
    for kind in ("a_day", "a_month", "a_number"):
        old, new = cue(kind).findall(body), cue(kind).findall(words)
        if len(old) == 1 and new and new[-1].lower() != old[0].lower():
            return body.replace(old[0], new[-1].capitalize() if old[0][0].isupper() else new[-1].lower())
    return body


def _pattern(wish: Wish, stem: str, name: str) -> str:
    """How a file is left out, where a part of its name is the word: its folder, or by itself; "" where it is not."""
    *folders, file = name.removeprefix(wish.prefix).split("/")
    inside = next((part for part in folders if part.lower().rstrip("s") == stem), None)
    if inside is not None:
        return name[: name.index(f"{inside}/", len(wish.prefix)) + len(inside) + 1]
    return f"={name}" if stem in re.split(r"[\W_\d]+", file.lower()) else ""


def _bucket_answer(wish: Wish, slot: str, heard: Heard, context: Context) -> dict[str, Any]:
    buckets, words, missing = heard.of("bucket"), heard.whole.text, open_slots(wish)
    both = "to_bucket" in missing or (wish.op == "move" and heard.hint.to_bucket)
    if len(buckets) > 1 and both and "bucket" in missing:
        to = heard.hint.to_bucket or buckets[-1]
        return {"to_bucket": to, "bucket": next((one for one in buckets if one != to), buckets[0])}
    if buckets:
        source = slot == "to_bucket" and says("from_bucket", words) and not wish.bucket
        return {"bucket" if source else slot: buckets[-1]}
    if heard.says("everywhere") and slot == "bucket":
        return {"bucket": EVERYWHERE}
    if named := next((name for name in context.buckets if name in words), alias(heard.mask, context)):
        return {slot: named}
    if says("same_bucket", words) and last_bucket(context):
        return {slot: last_bucket(context)}
    left = cue("filler").sub(" ", heard.mask).split() if len(heard.mask) < 80 else []
    bare = len(left) == 1 and re.fullmatch(r"[a-z0-9][a-z0-9._-]*", left[0])
    return {slot: left[0]} if bare and not (heard.says("agrees") or heard.says("refuses")) else {}


def _file_answer(slot: str, heard: Heard, context: Context) -> dict[str, Any]:
    if slot == "keys" and (named := referred(heard.whole.text, context)):
        return {"keys": named}
    quotes = heard.of("quote")
    return {slot: (quotes[0],) if slot == "keys" else quotes[0]} if quotes else {}


def _text_answer(wish: Wish, slot: str, heard: Heard) -> dict[str, Any]:
    """Bodies, words, numbers and regions."""
    words, quotes, numbers = heard.words.strip(), heard.of("quote"), heard.of("number")
    if slot == "body" and not heard.hint.body and not heard.says("question"):
        return {"body": re.sub(r"^(?i:it should say|just|say|write|the text is|put|that):? ", "", words)}
    if slot in ("old", "new") and quotes:
        return dict(zip([one for one in ("old", "new") if not getattr(wish, one)], quotes, strict=False))
    if slot in ("old", "new") and len(words.split()) <= 4:
        return {slot: words.strip(" .!")}
    if slot == "limit" and numbers:
        return {"limit": number(numbers[-1])}
    return {"region": city(words.lower())} if slot == "region" and not heard.hint.region else {}


def _renamed(wish: Wish, hint: Wish, context: Context, slot: str) -> dict[str, Any]:
    """Files that the words name: the ones that are meant, or what they shall be called."""
    changes: dict[str, Any] = {}
    if hint.to_key or hint.to_prefix:
        if wish.op in ("put", "append"):
            return {"keys": (hint.to_key or f"{hint.to_prefix}{wish.keys[0] if wish.keys else ''}",)}
        before = wish.to_prefix or wish.to_key.rpartition("/")[0]
        inside = before.rstrip("/") + "/" if before and hint.to_key and "/" not in hint.to_key else ""
        changes |= {"to_key": f"{inside}{hint.to_key}" if hint.to_key else "", "to_prefix": hint.to_prefix}
    if hint.keys:
        again = wish.op in ("move", "copy", "merge") and slot != "keys" and wish.keys
        if slot == "to_key" or (again and (wish.to_key or wish.op == "merge")):
            changes["to_key"] = hint.keys[-1]
        else:
            changes["keys"] = tuple(whole_name(key, wish, context) for key in hint.keys)
    elif slot == "to_key" and hint.prefix:
        changes["to_prefix"] = hint.prefix
    return changes
