"""What new words make of a wish that stands: answers to a question, changes, corrections.

Contract: pure. `fill` takes words as an answer to the slot that was asked for, and everything else in them as a change;
`revise` takes them as a change; `spared` leaves out what the words want left alone; `spelt` corrects a spelling.

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

from toologue.agents.goal_templates.context import Context, alias, folder, last_bucket, left_out, referred, whole_name
from toologue.agents.goal_templates.hearing import Heard
from toologue.agents.goal_templates.values import MONTHS, NUMBERS, city, number
from toologue.agents.goal_templates.vocabulary import cue, words_of
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, open_slots

__all__ = ["corrected", "dated", "reworded", "fill", "placed", "revise", "spared", "spelt"]

_SIMPLE = ("any_case", "contains", "moments", "sizes", "show", "group", "to_bucket", "flat", "ending", "region", "body")
DAYS = [f"{name}day" for name in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")]
MORE_NUMBERS = ["thirteen", "fourteen", "fifteen", "sixteen", "eighteen", "twenty", "thirty", "forty", "fifty", r"\d+"]
_DATED = ("list", "count", "sum", "average", "grep", "delete")
_READS = ("list", "count", "sum", "average", "region", "list_buckets", "grep", "folders")


def fill(wish: Wish, heard: Heard, context: Context) -> Wish:
    """The wish once its question is answered."""
    slot = next(iter(open_slots(wish)), "")
    hint = heard.hint
    given: dict[str, Any] = {}
    if slot in ("bucket", "to_bucket"):
        given = _bucket_answer(wish, slot, heard, context)
        hint = replace(hint, bucket="", to_bucket="", buckets=())
    elif slot in ("keys", "to_key") and not (hint.keys or hint.prefix):
        given = _file_answer(slot, heard, context)
    elif slot == "ending" and hint.suffixes:
        given["ending"], hint = hint.suffixes[-1], replace(hint, suffixes=())
    elif slot == "year":
        hint = _year_answer(wish, heard)
    else:
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


def placed(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """Folders, endings, years and what is left out, as a new wish or new words say them."""
    changes = _placed(wish, hint, context)
    month = hint.values.get("month", "")
    if month and (wish.moments or (hint is wish and wish.op in _DATED)) and not wish.keys:
        changes["moments"] = (("==", month),)
    moments = changes.get("moments", hint.moments)
    if any(value.startswith("-") for _, value in moments) and (year := _year_before(wish, context)):
        changes["moments"] = tuple(
            (sign, f"{year}{value[1:]}" if value.startswith("-") else value) for sign, value in moments
        )
    return changes


def _year_before(wish: Wish, context: Context) -> str:
    """The year that the conversation is about."""
    told = [value for one in (wish, context.last) if one for _, value in one.moments if value[0] != "-"]
    return told[-1][:4] if told else ""


def _placed(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    changes = _of_noun(wish, hint, context)
    wish = replace(wish, prefix=changes.get("prefix", wish.prefix))
    if hint is not wish:
        elsewhere = wish.op in ("copy", "move") and (wish.prefix or wish.keys) and wish.prefix != hint.prefix
        if hint.prefix and elsewhere:
            changes["to_prefix"] = hint.prefix
        elif hint.prefix and not (wish.op in ("move", "merge") and wish.keys):
            changes["prefix"] = hint.prefix
        if hint.suffixes:
            changes["suffixes"] = hint.suffixes
        if hint.without and (kept := tuple(key for key in wish.keys if key not in hint.without)) != wish.keys:
            changes["keys"] = kept or wish.keys
        elif hint.without:
            found = (left_out(one, wish, context) for one in hint.without)
            changes["without"] = tuple(dict.fromkeys((*wish.without, *found)))
    name = hint.values.get("folder", "")
    if name and not wish.keys and (wish.op not in ("copy", "move") or folder(name, context)):
        found = folder(name, context, wish.prefix) or f"{name}/"
        if wish.op in ("copy", "move") and hint is not wish and wish.prefix:
            changes["without"] = (*wish.without, found)
        elif not wish.prefix or wish.op in _READS:
            changes["prefix"] = found
    if (year := hint.values.get("year", "")) and "prefix" not in changes.get("needs", ()):
        changes |= _year(year, wish, context)
    if changes.get("prefix") or changes.get("suffixes") or changes.get("moments"):
        changes["values"] = {}
    return changes


def spared(wish: Wish, words: str, context: Context) -> Wish:
    """The wish without what tagged words want left alone, of what it would touch."""
    for match in cue("spared").finditer(words):
        stem = match[1].rstrip("s")
        if wish.keys:
            kept = tuple(key for key in wish.keys if stem not in re.split(r"[\W_]+", key.lower()))
            wish = replace(wish, keys=kept or wish.keys)
            continue
        seen = any(stem in name.lower() for name in context.names)
        seen = seen or not re.match(r"#?(?:except|without|keep|apart|other)\b", match[0])
        if not seen and wish.op not in ("list", "count") and match[1] not in words_of("noise") | words_of("generic_nouns"):
            wish = replace(wish, without=tuple(dict.fromkeys((*wish.without, stem))))
        for name in [name for name in context.names if name.startswith(wish.prefix) and name != wish.prefix]:
            *folders, file = name.removeprefix(wish.prefix).split("/")
            inside = next((part for part in folders if part.lower().rstrip("s") == stem), None)
            if inside is not None:
                pattern = name[: name.index(f"{inside}/", len(wish.prefix)) + len(inside) + 1]
            elif stem in re.split(r"[\W_\d]+", file.lower()):
                pattern = f"={name}"
            else:
                continue
            wish = wish if pattern in wish.without else replace(wish, without=(*wish.without, pattern))
    return wish


def spelt(wish: Wish, words: str) -> Wish:
    """Corrections of spelling: "archive with an e"."""
    words = words.lower()
    if not cue("spelling").search(words):
        return wish
    for word in re.findall(r"\b[a-z]{4,}", words):
        for name in ("to_key", "to_prefix", "bucket", "to_bucket", "prefix"):
            value = getattr(wish, name)
            for part in re.findall(r"[a-z]{3,}", value):
                if (word.startswith(part) or part.startswith(word)) and abs(len(part) - len(word)) == 1:
                    return replace(wish, **{name: value.replace(part, word)})
    return wish


def reworded(body: str, words: str) -> str:
    """A text in which a day, a month or a number is another one: "make that Tuesday"."""
    for kind in (DAYS, MONTHS, [*NUMBERS[1:], *MORE_NUMBERS]):
        pattern = re.compile(rf"\b(?:{'|'.join(kind)})\b", re.IGNORECASE)
        old, new = pattern.findall(body), pattern.findall(words)
        if len(old) == 1 and new and new[-1].lower() != old[0].lower():
            right = new[-1].capitalize() if old[0][0].isupper() else new[-1].lower()
            return body.replace(old[0], right)
    return body


def corrected(wish: Wish, heard: Heard, context: Context) -> Wish:
    """What failed, with a better value."""
    named, guess = heard.hint.keys, heard.hint.bucket or heard.hint.to_bucket
    if not named and wish.keys and len(found := referred(heard.whole.text, context)) == 1 and found != wish.keys:
        return replace(wish, keys=found)
    if guess and wish.op in ("copy", "move") and wish.to_bucket:
        near = max(("bucket", "to_bucket"), key=lambda slot: SequenceMatcher(None, getattr(wish, slot), guess).ratio())
        return replace(wish, **{near: guess})
    if guess and wish.bucket == guess and wish.keys:
        return wish
    if wish.op == "read" and not named and (digits := heard.of("number")) and len(wish.keys) == 1:
        return replace(wish, keys=(_digits(wish.keys[0], digits[-1]),))
    hint = replace(heard.hint, bucket=guess, to_bucket="")
    if (
        len(wish.keys) == 1
        and (dates := heard.of("date"))
        and (same := dated(wish.keys[0], dates[-1])) != wish.keys[0]
    ):
        return replace(wish, keys=(same,))
    found = revise(wish, hint, context)
    numbers = re.findall(r"\b\d+\b", heard.words)
    if found == wish and len(wish.keys) == 1 and len(numbers) == 1:
        found = replace(wish, keys=(_digits(wish.keys[0], numbers[0]),))
    return found


def _digits(key: str, digits: str) -> str:
    """A name with one of its numbers corrected: 2025/4/a.log with 04."""
    return re.sub(rf"(?<!\d)0*{int(digits)}(?!\d)", digits, key, count=1)


def dated(key: str, date: str) -> str:
    """A name with its date corrected: rentals/2025-06.csv with 2025-05."""
    if date[0] == "-" and (months := [name for name in MONTHS if name in key.lower()]):
        return key.replace(months[0], MONTHS[int(date[1:3]) - 1])
    return re.sub(re.sub(r"\d", r"\\d", date), date, key, count=1)


def _bucket_answer(wish: Wish, slot: str, heard: Heard, context: Context) -> dict[str, Any]:
    hint, buckets, words = heard.hint, heard.of("bucket"), heard.whole.text
    missing = open_slots(wish)
    if len(buckets) > 1 and "to_bucket" in missing and "bucket" in missing:
        to = hint.to_bucket or buckets[-1]
        return {"to_bucket": to, "bucket": next((one for one in buckets if one != to), buckets[0])}
    if buckets:
        source = slot == "to_bucket" and re.search(r"\bfrom <bucket>", words) and not wish.bucket
        return {"bucket" if source else slot: buckets[-1]}
    if heard.says("everywhere") and slot == "bucket":
        return {"bucket": EVERYWHERE}
    if named := next((name for name in context.buckets if name in words), alias(heard.mask, context)):
        return {slot: named}
    if re.search(r"#same (?:#bucket|place|one)|\b(?:that|this) #bucket", words) and last_bucket(context):
        return {slot: last_bucket(context)}
    left = cue("filler").sub(" ", heard.mask).split() if len(heard.mask) < 80 else []
    bare = len(left) == 1 and re.fullmatch(r"[a-z0-9][a-z0-9._-]*", left[0]) and not heard.says("agrees")
    return {slot: left[0]} if bare and not heard.says("refuses") else {}


def _file_answer(slot: str, heard: Heard, context: Context) -> dict[str, Any]:
    if slot == "keys" and (named := referred(heard.whole.text, context)):
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
    if slot == "body" and not heard.hint.body and not heard.says("question"):
        return {"body": re.sub(r"^(?i:it should say|just|say|write|the text is|put|that):? ", "", words)}
    if slot in ("old", "new") and quotes:
        return dict(zip([one for one in ("old", "new") if not getattr(wish, one)], quotes, strict=False))
    if slot in ("old", "new") and len(words.split()) <= 4:
        return {slot: words.strip(" .!")}
    if slot == "limit" and numbers:
        return {"limit": number(numbers[-1])}
    if slot == "region" and not heard.hint.region:
        return {"region": city(words.lower())}
    return {}


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
        target = slot == "to_key" or (
            wish.op in ("move", "copy", "merge")
            and slot != "keys"
            and wish.keys
            and (wish.to_key or wish.op == "merge")
        )
        changes |= (
            {"to_key": hint.keys[-1]}
            if target
            else {"keys": tuple(whole_name(key, wish, context) for key in hint.keys)}
        )
    if slot == "to_key" and hint.prefix and not hint.keys:
        changes["to_prefix"] = hint.prefix
    return changes


def _of_noun(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """The folder that "the invoices" are in: one that was seen; else, for a list, one of that name."""
    noun = wish.values.get("noun", "")
    if not noun or wish.prefix or wish.keys or wish.suffixes or hint.prefix:
        return {}
    found = folder(noun, context)
    if not found and hint is wish and wish.op in ("copy", "move", "delete"):
        return {} if wish.contains or wish.moments or wish.sizes else {"needs": ("prefix",)}
    stem = noun.rstrip("s")
    if (
        not found
        and wish.op in ("list", "count", "sum", "grep")
        and any(stem in name.lower() for name in context.names)
    ):
        return {"contains": (stem,)}
    guess = f"{noun}/" if wish.op in ("list", "count", "grep") and not wish.needs and not wish.bucket else ""
    return {"prefix": found or guess} if found or guess else {}


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
    flat = any(name.startswith(base) and "/" not in name.removeprefix(base) for name in context.names)
    if base and not re.search(r"\d", base) and not flat:
        return {"prefix": f"{base}{year}/", "values": {}}
    return {} if wish.op == "create_bucket" else {"moments": (("==", year),), "values": {}}
