"""Our dialogues, run here and at a service over HTTP. Everything comes to the same."""

from __future__ import annotations

import json

import boto3
import pytest
from http_s3 import serving

from toologue.bench.benchmark import Options
from toologue.bench.dialog2api import DIALOG2API, of_split
from toologue.bench.dialog2api.files import SHIPPED, executed, read_folder
from toologue.bench.dialog2api.prove import run_everywhere, table
from toologue.bench.dialog2api.tables import apis_in
from toologue.cli.bench import prove
from toologue.errors import BadSetting
from toologue.schema.jsonl import write
from toologue.schema.stack import stack

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


@pytest.mark.parametrize("split", ["train", "test"])
def test_all_that_ships_comes_to_the_same_again(split):
    (here,) = run_everywhere(DIALOG2API, of_split(DIALOG2API.load(None), split), Options())
    assert (here.name, here.wrong) == ("here", [])
    assert here.programs > 140


@pytest.mark.parametrize("name", SAMPLE)
def test_over_http_every_program_comes_to_the_signature_that_is_committed(name, address):
    """Signatures and results, moments among them; nothing is left behind."""
    far = run_everywhere(DIALOG2API, [executed(DIALOGUES[name])], Options(), address)[-1]
    assert (far.name, far.wrong) == (address, [])
    assert far.emr == {name: 1}
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


def test_one_command_proves_a_file_over_http(address, tmp_path, capsys):
    write(tmp_path / "mine.jsonl", [DIALOGUES[name] for name in SAMPLE[-2:]])
    file = tmp_path / "proof.json"
    assert prove(str(tmp_path / "mine.jsonl"), gold=True, endpoint=address, json=file) == 0
    proof = json.loads(file.read_text())
    assert proof["gold"] == 1
    assert [place["name"] for place in proof["places"]] == ["here", address]
    assert address in capsys.readouterr().out


def test_another_account_at_the_address_is_found_out(address, monkeypatch):
    """What is not there from the start is no success, even where every program returns the same."""
    gold = executed(DIALOGUES["bucket-region-2"])
    monkeypatch.setattr("toologue.worlds.s3.account.Account.contents", {"larkfield-office": {"a": b"b"}})
    far = run_everywhere(DIALOG2API, [gold], Options(), address)[-1]
    assert far.wrong == [gold.id]
    assert len(far.unequal) == far.programs
    assert table([far]).rows[0][2] == 0


def test_without_a_service_nothing_is_run(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with pytest.raises(BadSetting, match="cannot reach S3"):
        prove("dialog2api", gold=True, endpoint="http://127.0.0.1:1")
