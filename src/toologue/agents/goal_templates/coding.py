"""Programs for wishes: every operation, over every selection, with every output.

Contract: pure. A wish with open slots gives a draft with `?1` for the first of them; without, a program that runs.

Example:
    >>> print(code_of(Wish("list", bucket="attic", prefix="old/", sort="Size", reverse=True, limit=3)))
    objects = s3.list_objects(Bucket="attic", Prefix="old/").get("Contents", [])
    objects.sort(key=lambda obj: obj["Size"], reverse=True)
    return [obj["Key"] for obj in objects[:3]]

Not covered: programs that nobody has shown the shape of.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from toologue.agents.goal_templates.fragments import (
    bucket_of,
    cut,
    key_of,
    keys_of,
    literal,
    many,
    moment,
    objects,
    shown,
    slot,
    source,
)
from toologue.agents.goal_templates.wishes import EVERYWHERE, Wish, selects

__all__ = ["code_of"]


def code_of(wish: Wish) -> str:
    """The program."""
    return "\n".join(_PROGRAMS[wish.op](wish))


def _template(wish: Wish) -> list[str]:
    return [wish.code]


def _list(wish: Wish) -> list[str]:
    if wish.group:
        return _grouped(wish, '[obj["Key"]]')
    if wish.limit == 1 and wish.sort:
        pick = "max" if wish.reverse else "min"
        lines = [line for line in objects(wish) if not line.startswith("objects.sort")]
        return [
            *lines,
            f'found = {pick}(objects, key=lambda obj: obj["{wish.sort}"])',
            f"return {shown(wish, 'found')}",
        ]
    return [*objects(wish), f"return [{shown(wish)} for obj in {cut(wish)}]"]


def _grouped(wish: Wish, amount: str) -> list[str]:
    part = 'obj["Key"].split("/")[0]' if wish.group == "folder" else 'obj["Key"].rsplit(".", 1)[-1].lower()'
    zero = "[]" if amount.startswith("[") else "0"
    skip = '    if "/" in obj["Key"]:' if wish.group == "folder" and not wish.prefix else '    if "." in obj["Key"]:'
    if wish.group == "bucket":
        part, skip = 'obj["Bucket"]', "    if obj:"
    if wish.group == "folder" and wish.prefix:
        part, skip = (
            f'obj["Key"].split("/")[{wish.prefix.count("/")}]',
            f'    if obj["Key"].count("/") > {wish.prefix.count("/")}:',
        )
    lines = ["groups = {}", "for obj in objects:", skip, f"        name = {part}"]
    ranked = (
        "sorted(groups.items(), key=lambda item: item[1], reverse=True)" if wish.op == "sum" and wish.sort else "groups"
    )
    adding = f"        groups[name] = groups.get(name, {zero}) + {amount}"
    return [*objects(replace(wish, sort="")), *lines, adding, f"return {ranked}"]


def _count(wish: Wish) -> list[str]:
    if wish.bucket == EVERYWHERE and wish.op == "count" and wish.group == "buckets":
        return ['return len(s3.list_buckets().get("Buckets", []))']
    return _grouped(wish, "1") if wish.group else [*objects(wish), "return len(objects)"]


def _sum(wish: Wish) -> list[str]:
    if wish.keys:
        wanted = json.dumps(list(wish.keys), ensure_ascii=False)
        lines = [f's3.list_objects(Bucket={bucket_of(wish)}).get("Contents", [])']
        return [f"objects = {lines[0]}", f'return sum(obj["Size"] for obj in objects if obj["Key"] in {wanted})']
    return (
        _grouped(wish, 'obj["Size"]') if wish.group else [*objects(wish), 'return sum(obj["Size"] for obj in objects)']
    )


def _folders(wish: Wish) -> list[str]:
    depth = wish.prefix.count("/")
    part = f'obj["Key"].split("/")[{depth}]'
    return [*objects(wish), f'return sorted({{{part} for obj in objects if obj["Key"].count("/") > {depth}}})']


def _average(wish: Wish) -> list[str]:
    total = 'sum(obj["Size"] for obj in objects)'
    return [*objects(wish), f"return {total} / len(objects) if objects else 0"]


def _missing(wish: Wish) -> list[str]:
    """What one bucket has and another has not."""
    other = f's3.list_objects(Bucket={slot(wish, "to_bucket", wish.to_bucket)}).get("Contents", [])'
    lines = [f'there = [obj["Key"] for obj in {other}]']
    return [*objects(wish), *lines, 'return [obj["Key"] for obj in objects if obj["Key"] not in there]']


def _empty_buckets(wish: Wish) -> list[str]:
    names = (
        json.dumps(list(wish.buckets))
        if wish.buckets
        else '[bucket["Name"] for bucket in s3.list_buckets().get("Buckets", [])]'
    )
    return [f"names = {names}", 'return [name for name in names if not s3.list_objects(Bucket=name).get("Contents")]']


def _list_buckets(wish: Wish) -> list[str]:
    lines = ['buckets = s3.list_buckets().get("Buckets", [])']
    tests = [moment('bucket["CreationDate"]', *one) for one in wish.moments]
    tests += [f'{literal(part)} in bucket["Name"]' for part in wish.contains]
    if "year" in wish.needs and not wish.moments:
        tests.append(f'bucket["CreationDate"].year == {slot(wish, "year", "")}')
    if tests:
        lines.append(f"buckets = [bucket for bucket in buckets if {' and '.join(tests)}]")
    if wish.sort:
        field = "Name" if wish.sort == "Key" else "CreationDate"
        lines.append(f'buckets.sort(key=lambda bucket: bucket["{field}"]{", reverse=True" if wish.reverse else ""})')
    row = 'bucket["Name"]'
    if wish.show:
        row = '[bucket["Name"], bucket["CreationDate"].strftime("%Y-%m-%d")]'
    if wish.limit == 1:
        return [*lines, f"bucket = buckets[0]\nreturn {row}"]
    return [*lines, f"return [{row} for bucket in buckets{f'[:{wish.limit}]' if wish.limit else ''}]"]


def _region(wish: Wish) -> list[str]:
    if not many(wish):
        return [f"response = s3.get_bucket_location(Bucket={bucket_of(wish)})", _REGION]
    if wish.buckets:
        head = [f"for name in {json.dumps(list(wish.buckets))}:"]
    else:
        head = ['for bucket in s3.list_buckets().get("Buckets", []):', '    name = bucket["Name"]']
        head += [f"    if name in {json.dumps(list(wish.without))}:", "        continue"] if wish.without else []
    line = '    regions[name] = s3.get_bucket_location(Bucket=name)["LocationConstraint"] or "us-east-1"'
    return ["regions = {}", *head, line, "return regions"]


_REGION = 'return response["LocationConstraint"] or "us-east-1"'


def _reading(wish: Wish) -> list[str]:
    return [f"response = s3.get_object(Bucket={bucket_of(wish)}, Key={key_of(wish)})"]


def _content(ending: str) -> Callable[[Wish], list[str]]:
    """Programs that read one file, or several, and return something of each."""

    def program(wish: Wish) -> list[str]:
        told = ending.replace("LIMIT", str(wish.limit or 1))
        if len(wish.keys) <= 1 and (wish.keys or not selects(wish)):
            return [*_reading(wish), 'text = response["Body"].read().decode()', f"return {told}"]
        lines, keys = keys_of(wish)
        body = f's3.get_object(Bucket={bucket_of(wish)}, Key=key)["Body"].read().decode()'
        return [
            *lines,
            "found = {}",
            f"for key in {keys}:",
            f"    text = {body}",
            f"    found[key] = {told}",
            "return found",
        ]

    return program


def _lines(wish: Wish) -> list[str]:
    """Lines; of a table, its rows without the header where rows are meant."""
    return _content("len(text.splitlines()) - 1" if wish.group == "rows" else "len(text.splitlines())")(wish)


def _head(wish: Wish) -> list[str]:
    if wish.limit == 1 and not wish.reverse:
        return _content("text.splitlines()[0]")(wish)
    return _content("text.splitlines()[-LIMIT:]" if wish.reverse else "text.splitlines()[:LIMIT]")(wish)


def _grep(wish: Wish) -> list[str]:
    bucket = 'obj["Bucket"]' if many(wish) else bucket_of(wish)
    body = f's3.get_object(Bucket={bucket}, Key=obj["Key"])["Body"].read().decode()'
    lines = ["found = []", "for obj in objects:", f"    text = {body}"]
    lines += [
        f"    if {slot(wish, 'old', wish.old.lower())} in text.lower():",
        f"        found.append({shown(wish)})",
    ]
    return [*objects(wish), *lines, "return found"]


def _field(wish: Wish) -> list[str]:
    told = 'obj["LastModified"].strftime("%Y-%m-%d")' if wish.op == "when" else 'obj["Size"]'
    if wish.op == "size":
        return [*_reading(wish), 'return response["ContentLength"]']
    lines = [f'objects = s3.list_objects(Bucket={bucket_of(wish)}, Prefix={key_of(wish)}).get("Contents", [])']
    return [*lines, f'return next({told} for obj in objects if obj["Key"] == {key_of(wish)})']


def _exists(wish: Wish) -> list[str]:
    lines = (
        objects(wish) if not wish.keys else [f'objects = s3.list_objects(Bucket={bucket_of(wish)}).get("Contents", [])']
    )
    test = f'any(obj["Key"] == {key_of(wish)} for obj in objects)' if wish.keys else "bool(objects)"
    return [*lines, f"return {test}"]


def _head_bucket(wish: Wish) -> list[str]:
    return [f'return {bucket_of(wish)} in [bucket["Name"] for bucket in s3.list_buckets().get("Buckets", [])]']


def _compare(wish: Wish) -> list[str]:
    one, other = (wish.buckets * 2)[:2] if wish.buckets else (wish.bucket, wish.to_bucket or wish.bucket)
    keys = wish.keys if len(wish.keys) > 1 else wish.keys * 2
    first, second = (literal(key) for key in keys[:2]) if keys else (key_of(wish), key_of(wish))
    names = [slot(wish, "bucket", bucket) for bucket in (one, other)]
    lines = [
        f'{name} = s3.get_object(Bucket={bucket}, Key={key})["Body"].read()'
        for name, bucket, key in (("one", names[0], first), ("other", names[1], second))
    ]
    return [*lines, "return one == other"]


def _put(wish: Wish) -> list[str]:
    return [f"s3.put_object(Bucket={bucket_of(wish)}, Key={key_of(wish)}, Body={slot(wish, 'body', wish.body)})"]


def _append(wish: Wish) -> list[str]:
    added = slot(wish, "body", wish.body)
    lines = ['text = response["Body"].read().decode()', 'if text and not text.endswith("\\n"):', '    text += "\\n"']
    line = f's3.put_object(Bucket={bucket_of(wish)}, Key={key_of(wish)}, Body=text + {added} + "\\n")'
    return [*_reading(wish), *lines, line]


def _replace(wish: Wish) -> list[str]:
    new = f"text.replace({slot(wish, 'old', wish.old)}, {slot(wish, 'new', wish.new)})"
    line = f"s3.put_object(Bucket={bucket_of(wish)}, Key={key_of(wish)}, Body={new})"
    return [*_reading(wish), 'text = response["Body"].read().decode()', line]


def _create_bucket(wish: Wish) -> list[str]:
    place = f'{{"LocationConstraint": {slot(wish, "region", wish.region)}}}'
    if wish.region == "us-east-1":
        return [f"s3.create_bucket(Bucket={bucket_of(wish)})"]
    return [f"s3.create_bucket(Bucket={bucket_of(wish)}, CreateBucketConfiguration={place})"]


def _new_name(wish: Wish, key: str) -> str:
    """What a copy is called, as an expression over the old name."""
    name = f'{key}.split("/")[-1]' if wish.flat else key
    if wish.to_prefix and wish.prefix and not wish.flat and not wish.to_bucket:
        name = f"{key}.removeprefix({literal(wish.prefix)})"
    elif wish.to_prefix and not wish.to_bucket:
        name = f'{key}.split("/")[-1]'
    return f"{literal(wish.to_prefix)} + {name}" if wish.to_prefix else name


def _copied_to(wish: Wish, key: str) -> str:
    """The new name of the one file of a wish."""
    if wish.to_key or not (wish.to_prefix or wish.to_bucket):
        return slot(wish, "to_key", wish.to_key)
    return literal(wish.to_prefix + key.split("/")[-1]) if wish.to_prefix else (literal(key) if key else key_of(wish))


def _transfer(wish: Wish) -> list[str]:
    """Copy, and move: a copy of which the original is deleted."""
    bucket = bucket_of(wish)
    inside = (wish.to_key or wish.to_prefix or wish.op == "move") and not wish.to_bucket
    target = bucket if inside else slot(wish, "to_bucket", wish.to_bucket)
    if len(wish.keys) <= 1 and not selects(wish):
        new = _copied_to(wish, wish.keys[0] if wish.keys else "")
        if wish.op == "copy" and wish.flat and wish.keys:
            new = literal(wish.keys[0].split("/")[-1])
        lines = [f"s3.copy_object(Bucket={target}, CopySource={source(bucket, key_of(wish))}, Key={new})"]
        return lines + ([f"s3.delete_object(Bucket={bucket}, Key={key_of(wish)})"] if wish.op == "move" else [])
    lines, keys = keys_of(wish)
    lines += ["copied = []", f"for key in {keys}:", f"    new = {_new_name(wish, 'key')}"]
    lines.append(f"    s3.copy_object(Bucket={target}, CopySource={source(bucket, 'key')}, Key=new)")
    if wish.op == "move":
        lines.append(f"    s3.delete_object(Bucket={bucket}, Key=key)")
    return [*lines, "    copied.append(new)", *([] if wish.keys else ["return copied"])]


def _rename(wish: Wish) -> list[str]:
    bucket = bucket_of(wish)
    ending = slot(wish, "ending", wish.ending)
    if wish.keys:
        lines, keys = [], "[" + ", ".join(literal(key) for key in wish.keys) + "]"
    else:
        lines, keys = (
            keys_of(wish)
            if wish.suffixes or wish.contains
            else ([*objects(wish), 'keys = [obj["Key"] for obj in objects]'], "keys")
        )
    new = f'key.rsplit(".", 1)[0] + {ending}'
    if wish.old:
        new = f"key.replace({literal(wish.old)}, {literal(wish.new)})"
    lines += ["renamed = []", f"for key in {keys}:", f"    new = {new}"]
    lines.append(f"    s3.copy_object(Bucket={bucket}, CopySource={source(bucket, 'key')}, Key=new)")
    return [*lines, f"    s3.delete_object(Bucket={bucket}, Key=key)", "    renamed.append(new)", "return renamed"]


def _merge(wish: Wish) -> list[str]:
    bucket = bucket_of(wish)
    lines, keys = keys_of(wish)
    if keys != "keys":
        lines, keys = [*lines, f"keys = {keys}"], "keys"
    reading = f's3.get_object(Bucket={bucket}, Key=key)["Body"].read().decode()'
    table = all(key.endswith(".csv") for key in (*wish.keys, *wish.suffixes, wish.to_key or ".csv"))
    if table:
        lines += ["rows = []", f"for key in {keys}:", f"    header, *more = {reading}.splitlines()", "    rows += more"]
        text = '"\\n".join([header, *rows]) + "\\n"'
    else:
        lines += ['text = ""', f"for key in {keys}:", f"    text += {reading}"]
        text = "text"
    lines.append(f"s3.put_object(Bucket={bucket}, Key={slot(wish, 'to_key', wish.to_key)}, Body={text})")
    deleting = f's3.delete_objects(Bucket={bucket}, Delete={{"Objects": [{{"Key": key}} for key in keys]}})'
    return [*lines, deleting] if wish.drop else lines


def _delete(wish: Wish) -> list[str]:
    bucket = bucket_of(wish)
    if len(wish.keys) <= 1 and not selects(wish):
        lines = [f"s3.delete_object(Bucket={bucket}, Key={key_of(wish)})"]
        return [*_backed_up(wish, f"[{key_of(wish)}]"), *lines]
    lines, keys = keys_of(wish)
    lines += _backed_up(wish, keys)
    deleting = f's3.delete_objects(Bucket={bucket}, Delete={{"Objects": [{{"Key": key}} for key in {keys}]}})'
    if wish.keys:
        return [*lines, deleting]
    return [*lines, "if keys:", f"    {deleting}", "return keys"]


def _backed_up(wish: Wish, keys: str) -> list[str]:
    if not wish.backup_first:
        return []
    line = (
        f"    s3.copy_object(Bucket={literal(wish.backup_first)}, CopySource={source(bucket_of(wish), 'key')}, Key=key)"
    )
    return [f"for key in {keys}:", line]


def _delete_bucket(wish: Wish) -> list[str]:
    return [f"s3.delete_bucket(Bucket={bucket_of(wish)})"]


def _empty_bucket(wish: Wish) -> list[str]:
    bucket = bucket_of(wish)
    lines = [f'for obj in s3.list_objects(Bucket={bucket}).get("Contents", []):']
    return [*lines, f'    s3.delete_object(Bucket={bucket}, Key=obj["Key"])', f"s3.delete_bucket(Bucket={bucket})"]


_PROGRAMS: dict[str, Callable[[Wish], list[str]]] = {
    "template": _template,
    "list_buckets": _list_buckets,
    "list": _list,
    "folders": _folders,
    "average": _average,
    "missing": _missing,
    "empty_buckets": _empty_buckets,
    "count": _count,
    "sum": _sum,
    "grep": _grep,
    "exists": _exists,
    "head_bucket": _head_bucket,
    "region": _region,
    "read": _content("text"),
    "lines": _lines,
    "words": _content("len(text.split())"),
    "head": _head,
    "size": _field,
    "when": _field,
    "compare": _compare,
    "put": _put,
    "append": _append,
    "replace": _replace,
    "create_bucket": _create_bucket,
    "copy": _transfer,
    "move": _transfer,
    "rename": _rename,
    "merge": _merge,
    "delete": _delete,
    "delete_bucket": _delete_bucket,
    "empty_bucket": _empty_bucket,
}
