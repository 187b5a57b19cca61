"""Programs for wishes: every operation, over every selection, with every output.

Contract: pure. A program has a shape, in programs.yaml, whose names are filled with what the wish says. A wish with
open slots gives a draft with `?1` for the first of them; without, a program that runs.

Example:
    >>> print(code_of(Wish("list", bucket="attic", prefix="old/", sort="Size", reverse=True, limit=3)))
    objects = s3.list_objects(Bucket="attic", Prefix="old/").get("Contents", [])
    objects.sort(key=lambda obj: obj["Size"], reverse=True)
    return [obj["Key"] for obj in objects[:3]]

Not covered: programs that nobody has shown the shape of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from string import Template

from toologue.agents.goal_templates.tables import shape_of, table_names
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, open_slots, selects
from toologue.data import shipped

__all__ = ["code_of"]

_STAMPS = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d"}
_ALL_BUCKETS = '[bucket["Name"] for bucket in s3.list_buckets().get("Buckets", [])]'
_GROUPS = {
    "folder": ('obj["Key"].split("/")[{}]', 'obj["Key"].count("/") > {}'),
    "bucket": ('obj["Bucket"]', "obj"),
    "extension": ('obj["Key"].rsplit(".", 1)[-1].lower()', '"." in obj["Key"]'),
    "month": ('obj["LastModified"].strftime("%Y-%m")', "obj"),
    "year": ('obj["LastModified"].year', "obj"),
}
"""What results are grouped by: the name of the group of an object, and whether it is in one."""
_BY_SIZE = "sorted(groups.items(), key=lambda item: item[1], reverse=True)"


def code_of(wish: Wish) -> str:
    """The program."""
    lines = shipped(Path(__file__).with_name("programs.yaml"))[_shape(wish)].splitlines()
    names = {**_slots(wish), **_blocks(wish), **_outputs(wish), **_targets(wish), **table_names(wish)}
    names |= _saved(wish.source) if wish.source is not None else {}
    filled = (Template(line).substitute(names) for line in lines)
    return "\n".join(line for line in filled if line.strip())


def _shape(wish: Wish) -> str:
    """Which of the programs it is."""
    one = not selects(wish) and len(wish.keys) <= 1
    match wish.op:
        case "list" | "count" | "sum" if shape := _shape_of_many(wish):
            return shape
        case "region" if _many(wish):
            return "regions"
        case "table":
            return shape_of(wish)
        case "read" | "lines" | "words" | "head":
            first = wish.sort and not wish.keys and (wish.limit == 1 or wish.op == "head")
            return "content_of_one" if first else "content" if one else "contents"
        case "copy" | "move" if not one:
            return f"{wish.op}_some"
        case "put" | "copy" | "create_bucket" if wish.unless:
            return f"{wish.op}_unless"
        case "delete" if not one:
            return "delete_keys" if wish.keys else "delete_some"
        case "merge":
            tables = all(key.endswith(".csv") for key in (*wish.keys, *wish.suffixes, wish.to_key or ".csv"))
            return "merge_tables" if tables else "merge"
        case "when" if wish.whole and not wish.keys:
            return "when_bucket"
        case "exists" if not wish.keys:
            return "exists_some"
        case "create_bucket" if wish.region == "us-east-1":
            return "create_bucket_here"
        case _:
            return wish.op


def _shape_of_many(wish: Wish) -> str:
    """The shape of a list, a count or a sum; "" for a plain list."""
    if wish.group == "buckets":
        return "count_buckets"
    if wish.group in _GROUPS:
        plain = not selects(replace(wish, whole=False, limit=0))
        return "by_bucket" if wish.group == "bucket" and plain and wish.op != "list" else "grouped"
    if wish.op != "list":
        return "sum_keys" if wish.op == "sum" and wish.keys else "total"
    return "" if not wish.sort or wish.limit != 1 else "list_rank" if wish.rank else "list_one"


def _slots(wish: Wish) -> dict[str, str]:
    """The slots, as code or as placeholders."""
    found = {
        name: _slot(wish, name, getattr(wish, name))
        for name in ("bucket", "to_bucket", "to_key", "ending", "body", "old", "new", "region")
    }
    key = _slot(wish, "keys", wish.keys[0] if wish.keys else "")
    pair = (wish.buckets * 2)[:2] if wish.buckets else (wish.bucket, wish.to_bucket or wish.bucket)
    names = _literal(wish.buckets) if wish.buckets else _ALL_BUCKETS
    if wish.without and not wish.buckets:
        names = f"[name for name in {names} if name not in {_literal(wish.without)}]"
    return {
        **found,
        "bucket": _slot(wish, "bucket", pair[0]) if wish.op == "compare" else found["bucket"],
        "other_bucket": _slot(wish, "bucket", pair[1]),
        "key": key,
        "other_key": _literal(wish.keys[1]) if wish.keys[1:] else key,
        "small": _slot(wish, "old", wish.old.lower()),
        "buckets": names,
        "its_bucket": 'obj["Bucket"]' if _many(wish) else found["bucket"],
    }


def _blocks(wish: Wish) -> dict[str, str]:
    """What stands for several lines, and for the names of files."""
    bucket = _slot(wish, "bucket", wish.bucket)
    keys, select = "keys", [*_objects(wish), f'keys = [obj["Key"] for obj in {_cut(wish)}]']
    if wish.keys:
        keys, select = _literal(wish.keys), []
    elif not selects(wish) and "keys" in wish.asked:
        keys, select = _slot(wish, "keys", ""), []
    every = f"[{_slot(wish, 'keys', ''.join(wish.keys))}]" if not select and len(wish.keys) <= 1 else keys
    source = f'{{"Bucket": {bucket}, "Key": key}}'
    copying = f"    s3.copy_object(Bucket={_literal(wish.backup_first)}, CopySource={source}, Key=key)"
    deleting = f's3.delete_objects(Bucket={bucket}, Delete={{"Objects": [{{"Key": key}} for key in {keys}]}})'
    return {
        "objects": "\n".join(_objects(wish)),
        "selection": "\n".join(_objects(replace(wish, sort=""))),
        "select": "\n".join(select),
        "keys": keys,
        "created": _created(wish) if wish.creates else "",
        "saved": f"for key in {every}:\n{copying}" if wish.backup_first else "",
        "dropped": deleting if wish.drop else "",
        "narrowed": "\n".join(_narrowed(wish)),
    }


def _created(wish: Wish) -> str:
    """The line that makes the bucket that copies go to."""
    where = f', CreateBucketConfiguration={{"LocationConstraint": {_slot(wish, "region", wish.region)}}}'
    where = where if wish.region != "us-east-1" else ""
    return f"s3.create_bucket(Bucket={_slot(wish, 'to_bucket', wish.to_bucket)}{where})"


def _outputs(wish: Wish) -> Mapping[str, str]:
    """What is returned, and what is returned of each."""
    depth = wish.prefix.count("/")
    group, inside = _GROUPS.get(wish.group, _GROUPS["extension"])
    groups = _BY_SIZE if wish.op == "sum" and wish.sort else "groups"
    if wish.limit == 1 and wish.op != "list":
        groups = f"{'max' if wish.reverse else 'min'}(groups, key=groups.get)"
    row = 'bucket["Name"]' if not wish.show else '[bucket["Name"], bucket["CreationDate"].strftime("%Y-%m-%d")]'
    rows = f"[{row} for bucket in buckets{f'[:{wish.limit}]' if wish.limit else ''}]"
    return {
        "row": _row(wish, "obj"),
        "found": _row(wish, "found"),
        "cut": _cut(wish),
        "pick": "max" if wish.reverse else "min",
        "sort": wish.sort,
        "rank": str(wish.rank),
        "depth": str(depth),
        "total": "len(objects)" if wish.op == "count" else 'sum(obj["Size"] for obj in objects)',
        "group": group.format(depth),
        "in_group": inside.format(depth),
        "zero": "[]" if wish.op == "list" else "0",
        "amount": {"list": '[obj["Key"]]', "sum": 'obj["Size"]'}.get(wish.op, "1"),
        "groups": groups,
        "bucket_rows": row.replace("bucket", "buckets[0]") if wish.limit == 1 else rows,
        "told": _told(wish),
        "all_told": "sum(found.values())" if wish.total else "found",
        "returned": "" if wish.keys else f"return {'moved' if wish.op == 'move' else 'copied'}",
    }


def _told(wish: Wish) -> str:
    """What is returned of the text of a file."""
    lines = f"[line for line in text.splitlines() if {_literal(wish.old)} in line]" if wish.old else "text.splitlines()"
    match wish.op:
        case "lines":
            table = wish.group == "rows" and not wish.old and all(key.lower().endswith(".csv") for key in wish.keys)
            return f"len({lines}){' - 1' if table else ''}"
        case "words":
            return "len(text.split())"
        case "head" if wish.limit <= 1 and not wish.reverse:
            return "text.splitlines()[0]"
        case "head":
            return f"text.splitlines()[{f'-{wish.limit or 1}:' if wish.reverse else f':{wish.limit}'}]"
        case _:
            return lines if wish.old else "text"


def _targets(wish: Wish) -> Mapping[str, str]:
    """Where copies go, and what they are called."""
    bucket, folder = _slot(wish, "bucket", wish.bucket), wish.to_prefix
    inside = (wish.to_key or folder or wish.op == "move") and not wish.to_bucket
    elsewhere = wish.to_bucket not in ("", wish.bucket)
    name = 'key.split("/")[-1]' if wish.flat or (folder and not elsewhere) else "key"
    if folder and wish.prefix and not wish.flat and not elsewhere:
        name = f"key.removeprefix({_literal(wish.prefix)})"
    key = wish.keys[0] if wish.keys else ""
    short = key if elsewhere and not wish.flat else key.split("/")[-1]
    if wish.to_key or not (folder or wish.to_bucket):
        new = _slot(wish, "to_key", wish.to_key)
    else:
        new = _literal(folder + short) if folder or (wish.flat and key) else _slot(wish, "keys", key)
    target = bucket if inside else _slot(wish, "to_bucket", wish.to_bucket)
    return {"target": target, "new_key": new, "new_name": f"{_literal(folder)} + {name}" if folder else name}


def _saved(source: Wish) -> dict[str, str]:
    """The lines that find what is stored, and how it is told in a file."""
    *lines, last = code_of(source).splitlines()
    found, text = last.strip().removeprefix("return "), "str(found)"
    if source.group or (source.op == "region" and _many(source)):
        text = '"\\n".join(f"{name} {value}" for name, value in found.items())'
    elif source.show:
        text = '"\\n".join(" ".join(map(str, row)) for row in found)'
    elif source.op in ("list", "list_buckets", "grep", "missing", "folders") or (source.op == "read" and source.old):
        text = '"\\n".join(found)'
    return {"source": "\n".join([*lines, f"found = {found}"]), "as_text": text}


def _literal(value: str | tuple[str, ...]) -> str:
    """A text, or a list of texts, as code."""
    return json.dumps(value, ensure_ascii=False)


def _slot(wish: Wish, name: str, value: str) -> str:
    """A value as code, or its placeholder."""
    place = wish.asked.index(name) if name in wish.asked else len(wish.asked)
    return _literal(value) if value else f"?{place + 1}"


def _many(wish: Wish) -> bool:
    """Whether it is about several buckets."""
    return wish.bucket == EVERYWHERE or len(wish.buckets) > 1


def _objects(wish: Wish) -> Iterator[str]:
    """Lines after which `objects` holds the selection, sorted."""
    prefix = f", Prefix={_slot(wish, 'prefix', wish.prefix)}" if wish.prefix or "prefix" in open_slots(wish) else ""
    listing = 's3.list_objects(Bucket={}{}).get("Contents", [])'
    if _many(wish):
        yield "objects = []"
        yield f"for name in {_literal(wish.buckets) if wish.buckets else _ALL_BUCKETS}:"
        yield f'    objects += [{{**obj, "Bucket": name}} for obj in {listing.format("name", prefix)}]'
    else:
        yield f"objects = {listing.format(_slot(wish, 'bucket', wish.bucket), prefix)}"
    if wish.absent:
        yield f'there = [obj["Key"] for obj in {listing.format(_literal(wish.absent), "")}]'
    for month in [value for _, value in wish.moments if value.startswith("-")][:1]:
        that = f'if obj["LastModified"].month == {int(month[-2:])}'
        yield f'year = max([obj["LastModified"].year for obj in objects {that}], default=0)'
    if where := " and ".join(_conditions(wish)):
        yield f"objects = [obj for obj in objects if {where}]"
    if wish.sort:
        yield f'objects.sort(key=lambda obj: obj["{wish.sort}"]{", reverse=True" if wish.reverse else ""})'


def _conditions(wish: Wish) -> Iterator[str]:
    key = 'obj["Key"]'
    if wish.suffixes:
        ends = [_literal(one.lower() if wish.any_case else one) for one in wish.suffixes]
        said = ends[0] if len(ends) == 1 else f"({', '.join(ends)})"
        yield f"{key}{'.lower()' if wish.any_case else ''}.endswith({said})"
    yield from (f"{_literal(part.lower())} in {key}.lower()" for part in wish.contains)
    yield from (_left_out(key, one) for one in wish.without)
    if wish.absent:
        yield f"{key} not in there"
    if "year" in wish.needs and not wish.moments:
        yield f'obj["LastModified"].year < {_slot(wish, "year", "")}'
    yield from (_moment('obj["LastModified"]', *one) for one in wish.moments)
    yield from (f'obj["Size"] {sign} {size}' for sign, size in wish.sizes)


def _left_out(key: str, pattern: str) -> str:
    if pattern.startswith("=") or ("/" in pattern and "." in pattern):
        return f"{key} != {_literal(pattern.removeprefix('='))}"
    if pattern.endswith("/"):
        return f"not {key}.startswith({_literal(pattern)})"
    return f"not {key}.endswith({_literal(pattern)})" if "." in pattern else f"{_literal(pattern)} not in {key}"


def _moment(field: str, sign: str, value: str) -> str:
    """A comparison of a date with a year, a month or a day; of a month without its year, with the last one."""
    if value.startswith("-"):
        return f'{field}.strftime("%Y-%m") {sign} f"{{year}}-{value[-2:]}"'
    if len(value) == 4:
        return f"{field}.year {sign} {value}"
    return f"{field}.strftime({_literal(_STAMPS[len(value)])}) {sign} {_literal(value)}"


def _narrowed(wish: Wish) -> Iterator[str]:
    """Lines that narrow and sort `buckets`."""
    tests = [_moment('bucket["CreationDate"]', *one) for one in wish.moments if not one[1].startswith("-")]
    tests += [f'{_literal(part)} in bucket["Name"]' for part in wish.contains]
    if "year" in wish.needs and not wish.moments:
        tests.append(f'bucket["CreationDate"].year == {_slot(wish, "year", "")}')
    if wish.region and wish.op == "list_buckets":
        place = 's3.get_bucket_location(Bucket=bucket["Name"])["LocationConstraint"] or "us-east-1"'
        tests.append(f"({place}).startswith({_literal(wish.region)})")
    if tests:
        yield f"buckets = [bucket for bucket in buckets if {' and '.join(tests)}]"
    if wish.sort:
        field = "CreationDate" if wish.sort == "LastModified" else "Name"
        yield f'buckets.sort(key=lambda bucket: bucket["{field}"]{", reverse=True" if wish.reverse else ""})'


def _cut(wish: Wish) -> str:
    """The objects, as many as are wanted."""
    limit = str(wish.limit or "") if wish.op != "head" else ""
    limit = limit or (_slot(wish, "limit", "") if "limit" in wish.needs else "")
    return f"objects[:{limit}]" if limit else "objects"


def _row(wish: Wish, one: str) -> str:
    """A row of what is listed."""
    fields = (*(("Bucket",) if _many(wish) else ()), "Key", *wish.show)
    stamp = '.strftime("%Y-%m-%d")'
    parts = [f'{one}["{name}"]{stamp if name in ("LastModified", "CreationDate") else ""}' for name in fields]
    return parts[0] if len(parts) == 1 else f"[{', '.join(parts)}]"
