"""Where what is meant is: folders, endings, years and months, and what is left out, as the conversation places them.

Contract: pure. `placed` gives changes to a wish, from the words that made it, or from new words. A year beside a thing
is its folder, where one was seen; else the date of change. A month without its year is that of the year spoken of.

Example:
    >>> wish = Wish("list", bucket="attic", values={"noun": "letters"})
    >>> placed(wish, wish, Context(names={"old/letters/a.txt": None}))["prefix"]
    'old/letters/'

Not covered: seasons and quarters.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from toologue.agents.goal_templates.context import Context, folder, left_out
from toologue.agents.goal_templates.wishes import Wish, among

__all__ = ["placed"]

_DATED = ("list", "count", "sum", "average", "grep", "delete")


def placed(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """Changes to a wish: folders, endings, dates, what is left out."""
    changes = _of_noun(wish, hint, context)
    wish = replace(wish, prefix=changes.get("prefix", wish.prefix))
    if hint is not wish:
        changes |= _named(wish, hint, context)
    name = hint.values.get("folder", "")
    if name and not wish.keys and (wish.op not in ("copy", "move") or folder(name, context)):
        found = folder(name, context, wish.prefix) or f"{name}/"
        if wish.op in ("copy", "move") and hint is not wish and wish.prefix:
            changes["without"] = (*wish.without, found)
        elif not wish.prefix or wish.op in among("reads"):
            changes["prefix"] = found
    if (year := hint.values.get("year", "")) and "prefix" not in changes.get("needs", ()):
        changes |= _year(year, wish, context)
    month = hint.values.get("month", "")
    if month and (wish.moments or wish.op in _DATED) and not wish.keys:
        changes["moments"] = (("==", month),)
    if changes.get("prefix") or changes.get("suffixes") or changes.get("moments"):
        changes["values"] = {}
    moments, told = changes.get("moments", hint.moments), _year_before(wish, context)
    if told and any(value.startswith("-") for _, value in moments):
        changes["moments"] = tuple((sign, f"{told}{one[1:]}" if one[0] == "-" else one) for sign, one in moments)
    return changes


def _named(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """What new words name."""
    changes: dict[str, Any] = {"suffixes": hint.suffixes} if hint.suffixes else {}
    elsewhere = wish.op in ("copy", "move") and (wish.prefix or wish.keys) and wish.prefix != hint.prefix
    if hint.prefix and (elsewhere or not (wish.op in ("move", "merge") and wish.keys)):
        changes["to_prefix" if elsewhere else "prefix"] = hint.prefix
    if hint.without and (kept := tuple(key for key in wish.keys if key not in hint.without)) != wish.keys:
        changes["keys"] = kept or wish.keys
    elif hint.without:
        found = (left_out(one, wish, context) for one in hint.without)
        changes["without"] = tuple(dict.fromkeys((*wish.without, *found)))
    return changes


def _year_before(wish: Wish, context: Context) -> str:
    """The year that the conversation is about."""
    told = [value for one in (wish, context.last) if one for _, value in one.moments if value[0] != "-"]
    return told[-1][:4] if told else ""


def _of_noun(wish: Wish, hint: Wish, context: Context) -> dict[str, Any]:
    """The folder that "the invoices" are in: one that was seen; else, for a list, one of that name."""
    noun = wish.values.get("noun", "")
    if not noun or wish.prefix or wish.keys or wish.suffixes or hint.prefix:
        return {}
    found, lists = folder(noun, context), wish.op in ("list", "count", "sum", "grep")
    if not found and hint is wish and wish.op in ("copy", "move", "delete"):
        return {} if wish.contains or wish.moments or wish.sizes else {"needs": ("prefix",)}
    if not found and lists and any(noun.rstrip("s") in name.lower() for name in context.names):
        return {"contains": (noun.rstrip("s"),)}
    guess = f"{noun}/" if lists and wish.op != "sum" and not wish.needs and not wish.bucket else ""
    return {"prefix": found or guess} if found or guess else {}


def _year(year: str, wish: Wish, context: Context) -> dict[str, Any]:
    """A year beside a thing: the folder of that year, where there is one or names have one; else the date."""
    by_date: dict[str, Any] = {"moments": (("==", year),), "values": {}}
    base = wish.prefix or (context.last.prefix if context.last and not wish.keys else "")
    if wish.op == "list_buckets":
        return by_date
    if re.search(r"\b20\d\d\b", base):
        return {"prefix": re.sub(r"\b20\d\d\b", year, base), "values": {}}
    folders = {name[: match.end()] for name in context.names for match in re.finditer(rf"(?:^|/){year}/", name)}
    folders = {one for one in folders if one.startswith(base)}
    if len(folders) == 1:
        return {"prefix": folders.pop(), "values": {}}
    flat = any(name.startswith(base) and "/" not in name.removeprefix(base) for name in context.names)
    if base and not re.search(r"\d", base) and not flat:
        return {"prefix": f"{base}{year}/", "values": {}}
    return {} if wish.op == "create_bucket" else by_date
