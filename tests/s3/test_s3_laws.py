"""Laws of the world `s3`: it does what dictionaries do, worlds are apart, every mark is a way back."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toologue.schema import Call
from toologue.worlds.s3 import S3, signature

ACCOUNT = """
now: 2025-06-02T09:00:00Z
buckets:
- {name: aaa, created: 2024-01-01T00:00:00Z, objects: [{key: k/1, modified: 2024-01-01T00:00:00Z, content: one}]}
- {name: bbb, created: 2024-01-01T00:00:00Z}
"""
START = {"aaa": {"k/1": b"one"}, "bbb": {}}
BUCKETS, KEYS = st.sampled_from(["aaa", "bbb", "ccc"]), st.sampled_from(["k", "k/1", "k/ü 2", "l~+%.txt"])


def _call(api, **arguments):
    return st.fixed_dictionaries(arguments).map(lambda given: Call(api=api, arguments=given))


CALLS = st.one_of(
    _call("create_bucket", Bucket=BUCKETS),
    _call("delete_bucket", Bucket=BUCKETS),
    _call("put_object", Bucket=BUCKETS, Key=KEYS, Body=st.sampled_from(["", "x", "ü"])),
    _call("get_object", Bucket=BUCKETS, Key=KEYS),
    _call("delete_object", Bucket=BUCKETS, Key=KEYS),
    _call("copy_object", Bucket=BUCKETS, Key=KEYS, CopySource=st.fixed_dictionaries({"Bucket": BUCKETS, "Key": KEYS})),
    _call("list_objects", Bucket=BUCKETS, Prefix=st.sampled_from(["", "k", "k/"])),
    _call("list_buckets"),
    _call("head_bucket", Bucket=BUCKETS),
    _call(
        "delete_objects",
        Bucket=BUCKETS,
        Delete=st.lists(KEYS, min_size=1, max_size=3, unique=True).map(
            lambda keys: {"Objects": [{"Key": key} for key in keys]}
        ),
    ),
)
SCRIPTS = st.lists(CALLS, max_size=8)


def model(stored, call):
    """What a call says and does, by dictionaries: its error, or what counts of its value."""
    given, bucket = call.arguments, call.arguments.get("Bucket")
    source = given.get("CopySource", {})
    if call.api == "list_buckets":
        return list(stored)
    if call.api == "create_bucket":
        stored.setdefault(bucket, {})  # in us-east-1 a bucket of one's own can be made again
        return None
    if bucket not in stored or source.get("Bucket", bucket) not in stored:
        return "404" if call.api == "head_bucket" else "NoSuchBucket"
    if call.api == "delete_bucket":
        return "BucketNotEmpty" if stored[bucket] else (stored.pop(bucket) or None)
    return model_objects(stored, call.api, given, source)


def model_objects(stored, api, given, source):
    """The same for what is done in a bucket that is there."""
    held, key = stored[given["Bucket"]], given.get("Key")
    match api:
        case "put_object":
            held[key] = given["Body"].encode()
        case "get_object":
            return held[key].decode() if key in held else "NoSuchKey"
        case "delete_object" | "delete_objects":
            for one in given.get("Delete", {"Objects": [{"Key": key}]})["Objects"]:
                held.pop(one["Key"], None)
        case "list_objects":
            return sorted(name for name in held if name.startswith(given["Prefix"]))
        case "copy_object":
            if source["Key"] not in stored[source["Bucket"]]:
                return "NoSuchKey"
            if source == {"Bucket": given["Bucket"], "Key": key}:
                return "InvalidRequest"
            held[key] = stored[source["Bucket"]][source["Key"]]
    return None


def said(result):
    """What counts of a result: its error, or the names and contents in its value."""
    if result.error is not None:
        return result.error.type
    value = result.value
    if "Buckets" in value:
        return [bucket["Name"] for bucket in value["Buckets"]]
    if "IsTruncated" in value:
        return [one["Key"] for one in value.get("Contents", [])]
    return value.get("Body")


@pytest.fixture(scope="module")
def account(tmp_path_factory):
    file = tmp_path_factory.mktemp("s3") / "account.yaml"
    file.write_text(ACCOUNT, "utf-8")
    return str(file)


@settings(max_examples=25)
@given(script=SCRIPTS)
def test_the_world_does_what_dictionaries_do(account, script):
    world, stored = S3(account), deepcopy(START)
    for call in script:
        before = deepcopy(stored)
        expected, result = model(stored, call), world.do(call)
        assert said(result) == expected
        assert world.contents() == stored
        gone = {path: None for path in rows(before) if path not in rows(stored)}
        assert rows(before) | result.changes == rows(stored) | gone
        assert set(result.created) == rows(stored).keys() - rows(before).keys()


def rows(stored):
    """The rows of the tables, with those names that their paths have."""
    found = {f"Bucket/{bucket}": {"region": "us-east-1"} for bucket in stored}
    for bucket, held in stored.items():
        for key, data in held.items():
            path = key.replace("~", "~0").replace("/", "~1")
            found[f"Object/{bucket}/{path}"] = {"content": data.decode()}
    return found


@settings(max_examples=15)
@given(first=SCRIPTS, second=SCRIPTS, data=st.data())
def test_two_worlds_never_see_each_other(account, first, second, data):
    one, two = S3(account), S3(account)
    alone = [lived(S3(account), script) for script in (first, second)]
    apart, left = ([], []), [list(first), list(second)]
    while left[0] or left[1]:
        turn = data.draw(st.sampled_from([number for number in (0, 1) if left[number]]))
        apart[turn].append((one, two)[turn].do(left[turn].pop(0)))
    assert list(apart) == alone


def lived(world, script):
    return [world.do(call) for call in script]


@settings(max_examples=20)
@given(before=SCRIPTS, after=SCRIPTS)
def test_every_mark_is_a_way_back(account, before, after):
    world = S3(account)
    start = world.mark()
    lived(world, before)
    mark, sign = world.mark(), signature(world)
    first = lived(world, after)
    world.rewind(mark)
    assert signature(world) == sign
    assert lived(world, after) == first
    world.rewind(start)
    assert signature(world) == signature(S3(account))
    assert lived(world, before) == lived(S3(account), before)


@settings(max_examples=20)
@given(script=SCRIPTS)
def test_a_signature_is_a_matter_of_what_is_stored(account, script):
    world = S3(account)
    for call in script:
        sign, before = signature(world), world.contents()
        world.do(call)
        assert (signature(world) == sign) == (world.contents() == before)


def test_moto_is_left_as_it_was(account):
    from moto.s3 import models

    before = models.FakeKey.instances_tracked.copy()
    lived(S3(account), [Call(api="create_bucket", arguments={"Bucket": "ccc"}), Call(api="list_buckets")])
    assert models.s3_backends.bucket_accounts == {}
    assert models.FakeKey.instances_tracked == before
    assert models.utcnow.__module__ == "moto.core.utils"
