"""Parts of programs: values and placeholders, selections of objects, what is shown of each.

Contract: pure. `objects` gives lines after which `objects` holds a selection; an open slot of the wish is its `?n`.

Example:
    >>> objects(Wish("list", bucket="attic", suffixes=(".txt",)))[1]
    'objects = [obj for obj in objects if obj["Key"].endswith(".txt")]'

Not covered: selections by what objects hold.
"""

from __future__ import annotations

import json

from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, selects

__all__ = ["bucket_of", "cut", "key_of", "keys_of", "literal", "many", "moment", "objects", "shown", "slot", "source"]

_STAMPS = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d"}


def literal(value: str) -> str:
    """A text as code."""
    return json.dumps(value, ensure_ascii=False)


def slot(wish: Wish, name: str, value: str) -> str:
    """A value as code, or its placeholder."""
    if value:
        return literal(value)
    return f"?{wish.asked.index(name) + 1}" if name in wish.asked else f"?{len(wish.asked) + 1}"


def bucket_of(wish: Wish) -> str:
    """The bucket, or its placeholder."""
    return slot(wish, "bucket", wish.bucket)


def key_of(wish: Wish) -> str:
    """The first file, or its placeholder."""
    return slot(wish, "keys", wish.keys[0] if wish.keys else "")


def source(bucket: str, key: str) -> str:
    """What a copy is made of."""
    return f'{{"Bucket": {bucket}, "Key": {key}}}'


def moment(field: str, sign: str, value: str) -> str:
    """A comparison of a date with a year, a month or a day."""
    if len(value) == 4:
        return f"{field}.year {sign} {value}"
    return f"{field}.strftime({literal(_STAMPS[len(value)])}) {sign} {literal(value)}"


def _conditions(wish: Wish) -> list[str]:
    key = 'obj["Key"]'
    found: list[str] = []
    if wish.suffixes:
        cased = f"{key}.lower()" if wish.any_case else key
        ends = [literal(one.lower() if wish.any_case else one) for one in wish.suffixes]
        found.append(f"{cased}.endswith({ends[0] if len(ends) == 1 else '(' + ', '.join(ends) + ')'})")
    found += [f"{literal(part.lower())} in {key}.lower()" for part in wish.contains]
    found += [_left_out(one) for one in wish.without]
    if "year" in wish.needs and not wish.moments:
        found.append(f'obj["LastModified"].year < {slot(wish, "year", "")}')
    found += [moment('obj["LastModified"]', *one) for one in wish.moments]
    return found + [f'obj["Size"] {sign} {size}' for sign, size in wish.sizes]


def _left_out(pattern: str) -> str:
    key = 'obj["Key"]'
    if pattern.startswith("="):
        return f"{key} != {literal(pattern[1:])}"
    if pattern.endswith("/"):
        return f"not {key}.startswith({literal(pattern)})"
    if "/" in pattern and "." in pattern:
        return f"{key} != {literal(pattern)}"
    return f"not {key}.endswith({literal(pattern)})" if "." in pattern else f"{literal(pattern)} not in {key}"


def _listing(wish: Wish, bucket: str) -> str:
    prefix = f", Prefix={slot(wish, 'prefix', wish.prefix)}" if wish.prefix or "prefix" in wish.needs else ""
    return f's3.list_objects(Bucket={bucket}{prefix}).get("Contents", [])'


def many(wish: Wish) -> bool:
    """Whether it is about several buckets."""
    return wish.bucket == EVERYWHERE or len(wish.buckets) > 1


def objects(wish: Wish) -> list[str]:
    """Lines after which `objects` holds the selection, sorted and cut."""
    where = " and ".join(_conditions(wish))
    if many(wish):
        if wish.buckets:
            head = [f"for name in {json.dumps(list(wish.buckets))}:"]
        else:
            head = ['for bucket in s3.list_buckets().get("Buckets", []):', '    name = bucket["Name"]']
        lines = ["objects = []", *head, f"    for obj in {_listing(wish, 'name')}:"]
        row = 'objects.append({**obj, "Bucket": name})'
        lines += [f"        if {where}:", f"            {row}"] if where else [f"        {row}"]
    else:
        lines = [f"objects = {_listing(wish, bucket_of(wish))}"]
        if where:
            lines.append(f"objects = [obj for obj in objects if {where}]")
    if wish.sort:
        back = ", reverse=True" if wish.reverse else ""
        lines.append(f'objects.sort(key=lambda obj: obj["{wish.sort}"]{back})')
    return lines


def cut(wish: Wish) -> str:
    """The objects, as many as are wanted."""
    if wish.limit:
        return f"objects[:{wish.limit}]"
    return f"objects[:{slot(wish, 'limit', '')}]" if "limit" in wish.needs else "objects"


def keys_of(wish: Wish) -> tuple[list[str], str]:
    """(lines, an expression for the list of keys)."""
    if wish.keys:
        return [], "[" + ", ".join(literal(key) for key in wish.keys) + "]"
    if not selects(wish) and "keys" in wish.asked:
        return [], slot(wish, "keys", "")
    lines = objects(wish)
    return [*lines, f'keys = [obj["Key"] for obj in {cut(wish)}]'], "keys"


def shown(wish: Wish, one: str = "obj") -> str:
    """A row of what is listed."""
    fields = (*(("Bucket",) if many(wish) else ()), "Key", *wish.show)
    parts = [
        f'{one}["{field}"].strftime("%Y-%m-%d")' if field in ("LastModified", "CreationDate") else f'{one}["{field}"]'
        for field in fields
    ]
    return parts[0] if len(parts) == 1 else f"[{', '.join(parts)}]"
