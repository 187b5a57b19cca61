"""Our dialogues over a service that speaks S3: everything comes to the same."""

from __future__ import annotations

import gc

import boto3
import pytest
from http_s3 import serving

from toologue.bench.dialog2api.files import SHIPPED, executed, read_folder
from toologue.bench.dialog2api.tables import apis_in
from toologue.loop import execute
from toologue.schema import Case, invocations
from toologue.schema.stack import stack
from toologue.worlds.s3 import signature
from toologue.worlds.s3.simulator import s3_programs_for

DIALOGUES = {one.id: one for one in read_folder(SHIPPED)}
SAMPLE = ("audit-bucket-2", "copy-to-backup-1", "create-bucket-1", "keep-newest-export-2", "rename-bucket-2")


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with serving() as address:
        yield address


def names(address):
    client = boto3.client("s3", endpoint_url=address, region_name="us-east-1")
    found = [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]
    client.close()
    return found


@pytest.mark.parametrize("name", SAMPLE)
def test_over_http_every_program_comes_to_the_same(name, address):
    """Results and signatures, moments among them; nothing is left behind."""
    gold = executed(DIALOGUES[name])
    case = Case(id=name, gold=gold, world=gold.world, protocol="recorded")
    world = s3_programs_for(case, endpoint=address)
    assert signature(world) == gold.extra["initial_signature"]
    for made in invocations(gold.turns, opening=True):
        result = execute(world, made.act)
        signed = gold.turns[made.turn].extra["signatures"][made.slot]
        assert (result, signature(world, result.value)) == (made.result, signed)
    del world
    gc.collect()
    assert names(address) == []


def test_the_sample_has_copies_deletes_errors_and_moments():
    golds = [executed(DIALOGUES[name]) for name in SAMPLE]
    codes = [one.code for gold in golds for one in stack(gold.turns)]
    assert {"CopyObject", "DeleteObject", "DeleteObjects", "DeleteBucket", "CreateBucket", "PutObject"} <= {
        api for code in codes for api in apis_in(code)
    }
    results = [result for gold in golds for turn in gold.turns if turn.role == "agent" for result in turn.results]
    errors = {result.error.type for result in results if result and result.error}
    assert {"NoSuchBucket", "NoSuchKey", "BucketNotEmpty", "InvalidBucketName"} <= errors
    assert any("LastModified" in code for code in codes)
