"""Accounts: the one that ships, and what is said of a file that is none."""

from __future__ import annotations

import pytest

from toologue.errors import BadFile, BadRecord
from toologue.worlds.s3 import S3, load_account

HEAD = "now: 2025-06-02T09:00:00Z\nbuckets:\n- name: aaa\n  created: 2024-01-01T00:00:00Z\n"
OBJECT = "  - {key: k, modified: 2024-01-01T00:00:00Z}\n"


def test_the_account_that_ships_has_much_to_sort_and_filter():
    account = load_account("larkfield")
    objects = [one for bucket in account.buckets for one in bucket.objects]
    assert len(account.buckets) >= 4
    assert len(objects) >= 60
    assert {bucket.region for bucket in account.buckets} >= {"eu-central-1", "us-west-2"}
    assert all(one.modified <= account.now for one in objects)
    assert all(bucket.created <= one.modified for bucket in account.buckets for one in bucket.objects)
    assert any(not bucket.objects for bucket in account.buckets)
    assert S3().contents() == account.contents


def test_content_stands_as_often_as_it_says(tmp_path):
    file = tmp_path / "account.yaml"
    file.write_text(HEAD + "  objects:\n  - {key: k, modified: 2024-01-01T00:00:00+02:00, content: ab, repeat: 3}\n")
    (one,) = load_account(str(file)).buckets[0].objects
    assert (one.data, one.modified.hour) == (b"ababab", 22)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("buckets: []", "$.now: this key is missing"),
        ("now: 2025-06-02T09:00:00", "$.now: "),
        ("now: noon", "$.now: "),
        (HEAD + "  color: red\n", "account.yaml:5: $.buckets[0].color: this key is unknown"),
        (HEAD.replace("aaa", "A_a"), "account.yaml:3: $.buckets[0].name: "),
        (HEAD + "  objects:\n" + 2 * OBJECT, "account.yaml:7: $.buckets[0].objects[1].key: a second object 'k' in aaa"),
        (HEAD + "- name: aaa\n  created: 2024-01-01T00:00:00Z\n", "account.yaml:5: $.buckets[1].name: a second bucket"),
        (HEAD + "  objects:\n" + OBJECT.replace("}", ", content: 7}"), "a content is a text"),
        (HEAD + "  objects:\n" + OBJECT.replace("}", ", content: {base64: '?'}}"), "is no base64"),
        (HEAD + "  objects:\n" + OBJECT.replace("}", ", repeat: 0}"), "$.buckets[0].objects[0].repeat: "),
        ("- a", "expected an object"),
    ],
)
def test_a_file_that_is_no_account_is_told_where_and_why(tmp_path, text, told):
    file = tmp_path / "account.yaml"
    file.write_text(text)
    with pytest.raises(BadRecord) as refused:
        S3(str(file))
    assert told in str(refused.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadFile, match="is no file of an S3 account"):
        S3(str(tmp_path / "none.yaml"))


def test_a_file_is_read_again_when_it_changes(tmp_path):
    file = tmp_path / "account.yaml"
    file.write_text(HEAD)
    assert list(S3(str(file)).contents()) == ["aaa"]
    file.write_text(HEAD.replace("aaa", "bbb"))
    assert list(S3(str(file)).contents()) == ["bbb"]
