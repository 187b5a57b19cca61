"""S3 at an address: the same world over HTTP, behind a prefix, and nothing else at that address is touched."""

from __future__ import annotations

import gc

import boto3
import pytest
from http_s3 import answering, serving

from toologue.errors import BadSetting
from toologue.loop import execute
from toologue.schema import Call, Case, Program, Setting
from toologue.worlds.programs import with_programs
from toologue.worlds.s3 import KIND, S3, signature

SOURCE = {"Bucket": "aaa", "Key": "k/ü 1.txt"}
SCRIPT = [
    Call(api="list_buckets"),
    Call(api="list_objects", arguments={"Bucket": "aaa", "Prefix": "k/"}),
    Call(api="get_object", arguments={"Bucket": "aaa", "Key": "k/ü 1.txt"}),
    Call(api="create_bucket", arguments={"Bucket": "ccc"}),
    Call(api="put_object", arguments={"Bucket": "ccc", "Key": "bin", "Body": {"base64": "/w=="}}),
    Call(api="copy_object", arguments={"Bucket": "ccc", "Key": "c", "CopySource": SOURCE}),
    Call(api="copy_object", arguments={"Bucket": "ccc", "Key": "d", "CopySource": "aaa/k/2"}),
    Call(api="delete_objects", arguments={"Bucket": "aaa", "Delete": {"Objects": [{"Key": "k/2"}]}}),
    Call(api="delete_object", arguments={"Bucket": "ccc", "Key": "bin"}),
    Call(api="delete_bucket", arguments={"Bucket": "bbb"}),
    Call(api="delete_bucket", arguments={"Bucket": "aaa"}),
    Call(api="get_object", arguments={"Bucket": "others", "Key": "k"}),
    Call(api="head_bucket", arguments={"Bucket": "bbb"}),
    Call(api="get_bucket_location", arguments={"Bucket": "aaa"}),
    Call(api="list_buckets"),
]


@pytest.fixture
def account(tmp_path):
    file = tmp_path / "account.yaml"
    file.write_text(
        """
now: 2025-06-02T09:00:00Z
buckets:
- name: aaa
  region: eu-west-1
  created: 2024-01-01T00:00:00Z
  objects:
  - {key: k/ü 1.txt, modified: 2024-01-01T00:00:00Z, content: one}
  - {key: k/2, modified: 2024-01-01T00:00:00Z, content: {base64: /w==}}
- {name: bbb, created: 2024-01-01T00:00:00Z}
""",
        "utf-8",
    )
    return str(file)


@pytest.fixture
def credentials(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


@pytest.fixture
def address(credentials):
    with serving() as address:
        yield address


@pytest.fixture
def client(address):
    client = boto3.client("s3", endpoint_url=address, region_name="us-east-1")
    yield client
    client.close()


def names(client):
    """All buckets that the service has."""
    return sorted(bucket["Name"] for bucket in client.list_buckets()["Buckets"])


def test_it_is_the_same_world(account, address):
    near, far = S3(account), S3(account, endpoint=address, prefix="tl-")
    assert far.blocking
    for call in SCRIPT:
        assert far.do(call) == near.do(call)
    assert signature(far) == signature(near)


def test_marks_are_a_way_back(account, address):
    far = S3(account, endpoint=address, prefix="tl-")
    start, sign = far.mark(), signature(far)
    for call in SCRIPT[3:9]:
        far.do(call)
    end = far.mark()
    far.rewind(start)
    assert signature(far) == sign
    assert far.do(SCRIPT[-2]).value == {"LocationConstraint": "eu-west-1"}
    far.rewind(end)
    assert far.mark() == end


def test_a_world_begins_anew_and_leaves_what_is_not_its_own(account, address, client):
    client.create_bucket(Bucket="others")
    client.put_object(Bucket="others", Key="k", Body=b"theirs")
    first = S3(account, endpoint=address, prefix="tl-")
    first.do(Call(api="put_object", arguments={"Bucket": "bbb", "Key": "left", "Body": "over"}))
    assert names(client) == ["others", "tl-aaa", "tl-bbb"]
    assert signature(S3(account, endpoint=address, prefix="tl-")) == signature(S3(account))
    assert client.get_object(Bucket="others", Key="k")["Body"].read() == b"theirs"


@pytest.mark.parametrize("prefix", ["", "a", "Own-", "a/b", "x" * 40])
def test_an_address_needs_a_prefix(account, address, prefix):
    with pytest.raises(BadSetting, match="needs a prefix"):
        S3(account, endpoint=address, prefix=prefix)


def test_the_environment_says_where_cases_are_played(account, address, monkeypatch):
    monkeypatch.setenv("TOOLOGUE_S3_ENDPOINT", address)
    case = Case(id="c", world=Setting(name="s3", arguments={"account": account}), protocol="recorded")
    one, two = KIND.make(case), KIND.make(case.replace(trial=1))
    one.do(SCRIPT[3])
    assert signature(two) == signature(S3(account)) != signature(one)


def test_buckets_of_others_stop_a_run_until_a_prefix_is_named(account, address, client, monkeypatch):
    client.create_bucket(Bucket="payroll")
    monkeypatch.setenv("TOOLOGUE_S3_ENDPOINT", address)
    case = Case(id="c", world=Setting(name="s3", arguments={"account": account}), protocol="recorded")
    with pytest.raises(BadSetting, match=r"not ours \(payroll\): set TOOLOGUE_S3_PREFIX=toologue-"):
        KIND.make(case)
    assert names(client) == ["payroll"]
    monkeypatch.setenv("TOOLOGUE_S3_PREFIX", "tl-")
    world = KIND.make(case)
    assert signature(world) == signature(S3(account))
    assert {"payroll", f"tl-{case.key[:8]}-aaa", f"tl-{case.key[:8]}-bbb"} == set(names(client))


def test_a_world_that_is_gone_leaves_nothing(account, address, client):
    far = S3(account, endpoint=address, prefix="tl-")
    far.do(SCRIPT[3])
    assert names(client) == ["tl-aaa", "tl-bbb", "tl-ccc"]
    del far
    gc.collect()
    assert names(client) == []


def test_moments_are_those_of_the_account(account, address):
    near, far = S3(account), S3(account, endpoint=address, prefix="tl-")
    get = Call(api="get_object", arguments=SOURCE)
    again = Call(api="put_object", arguments={**SOURCE, "Body": "again"})
    mark = far.mark()
    for call in (
        SCRIPT[0],
        SCRIPT[1],
        get,
        again,
        get,
        SCRIPT[1],
        SCRIPT[3],
        SCRIPT[5],
        SCRIPT[0],
        SCRIPT[9],
        SCRIPT[-1],
    ):
        assert far.do(call) == near.do(call)
    assert far.do(get).value["LastModified"] == "2025-06-02T09:00:00Z"
    far.rewind(mark)
    assert far.do(get).value["LastModified"] == "2024-01-01T00:00:00Z"


def test_a_service_that_goes_away_stops_the_run(account, credentials):
    """No result, no traceback: a BadSetting, through the sandbox, too."""
    with serving() as address:
        world = S3(account, endpoint=address, prefix="tl-")
    with pytest.raises(BadSetting, match=f"cannot reach S3 at {address}"):
        world.do(SCRIPT[0])
    with pytest.raises(BadSetting, match="cannot reach"):
        execute(with_programs(world, name="s3"), Program(goal="1", status="final", code="return s3.list_buckets()"))


def test_what_is_no_address_is_refused(account, credentials):
    for wrong in ("nonsense", "127.0.0.1:5000"):
        with pytest.raises(BadSetting, match=f"'{wrong}' is no address of a service"):
            S3(account, endpoint=wrong, prefix="tl-")


DENIED = b"<?xml version='1.0'?><Error><Code>InvalidAccessKeyId</Code><Message>Who is that?</Message></Error>"


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (403, DENIED, r"does not accept these credentials: .*\(InvalidAccessKeyId\)"),
        (404, b"<html>nothing here</html>", r"does not speak S3 \(it answers 404\)"),
        (200, b"<html><body>Welcome!</body></html>", "does not speak S3"),
        (200, b"Welcome!", "does not speak S3"),
        (200, b'{"ok": true}', "does not speak S3"),
    ],
)
def test_what_does_not_speak_s3_or_does_not_let_us_in_says_so(account, credentials, status, body, told):
    with answering(status, body) as other, pytest.raises(BadSetting, match=told):
        S3(account, endpoint=other, prefix="tl-")


def test_without_credentials_it_says_which_are_missing(account, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with pytest.raises(BadSetting, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
        S3(account, endpoint="http://127.0.0.1:9", prefix="tl-")
