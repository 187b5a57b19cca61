"""The world `s3`: what its calls give, refuse and change; documents; signatures."""

from __future__ import annotations

import subprocess
import sys

import pytest

from toologue.errors import BadSetting
from toologue.schema import Call, Case, Program, Setting
from toologue.worlds.contract import check_world
from toologue.worlds.s3 import KIND, S3, apis, as_boto3, signature

NAMES = [
    "get_object", "put_object", "delete_object", "list_objects", "create_bucket", "copy_object", "list_buckets",
    "delete_bucket", "delete_objects", "get_bucket_location", "head_bucket",
]  # fmt: skip
OFFICE, SCRATCH = "larkfield-office", "larkfield-scratch"


def do(world, api, **arguments):
    return world.do(Call(api=api, arguments=arguments))


def fault(world, api, **arguments):
    result = do(world, api, **arguments)
    assert result.value is None
    assert result.changes == {}
    return result.error.type


# reading -----------------------------------------------------------------------------------------------------------


def test_a_listing_has_what_the_document_says_and_nothing_else():
    listed = do(S3(), "list_objects", Bucket=OFFICE, Prefix="contracts/2025/i").value
    assert [one["Key"] for one in listed["Contents"]] == ["contracts/2025/insurance.txt"]
    assert set(listed) == {"Name", "Prefix", "MaxKeys", "IsTruncated", "Contents"}
    assert set(listed["Contents"][0]) == {"Key", "LastModified", "ETag", "Size", "StorageClass"}
    assert listed["Contents"][0]["LastModified"] == "2025-01-09T15:25:00Z"


def test_a_listing_without_objects_has_no_contents_as_in_boto3():
    assert "Contents" not in do(S3(), "list_objects", Bucket=SCRATCH).value


def test_a_delimiter_rolls_folders_up():
    listed = do(S3(), "list_objects", Bucket=OFFICE, Prefix="invoices/", Delimiter="/").value
    assert [one["Prefix"] for one in listed["CommonPrefixes"]] == ["invoices/2024/", "invoices/2025/"]
    assert [one["Key"] for one in listed["Contents"]] == ["invoices/index.csv"]


def test_pages_follow_one_another():
    world, seen, marker = S3(), [], ""
    while True:
        page = do(world, "list_objects", Bucket=OFFICE, MaxKeys=7, Marker=marker).value
        seen += [one["Key"] for one in page["Contents"]]
        marker = seen[-1]
        if not page["IsTruncated"]:
            break
    assert seen == [one["Key"] for one in do(world, "list_objects", Bucket=OFFICE).value["Contents"]]


def test_an_object_comes_with_its_text():
    got = do(S3(), "get_object", Bucket=OFFICE, Key="contracts/2024/Lieferant Müller.txt").value
    assert got["Body"].startswith("Rahmenvertrag mit Müller")
    assert got["ContentLength"] == len(got["Body"].encode())


def test_bytes_that_are_no_text_go_both_ways_as_base64():
    world = S3()
    do(world, "put_object", Bucket=SCRATCH, Key="x.bin", Body={"base64": "/wA="})
    assert do(world, "get_object", Bucket=SCRATCH, Key="x.bin").value["Body"] == {"base64": "/wA="}
    assert world.contents()[SCRATCH]["x.bin"] == b"\xff\x00"


def test_results_become_what_boto3_gives():
    world, documents = S3(), {api.name: api for api in apis()}
    got = as_boto3(documents["get_object"].returns, do(world, "get_object", Bucket=OFFICE, Key="README.md").value)
    assert got["Body"].read().startswith(b"# Larkfield")
    assert got["LastModified"].isoformat() == "2024-01-04T09:12:00+00:00"
    buckets = as_boto3(documents["list_buckets"].returns, do(world, "list_buckets").value)["Buckets"]
    assert sorted(buckets, key=lambda one: one["CreationDate"])[0]["Name"] == OFFICE


# writing -----------------------------------------------------------------------------------------------------------


def test_what_is_written_bears_the_accounts_hour_and_shows_as_changes():
    world = S3()
    put = do(world, "put_object", Bucket=SCRATCH, Key="a/b~c.txt", Body="Hi")
    assert put.changes == {"Object/larkfield-scratch/a~1b~0c.txt": {"content": "Hi"}}
    assert put.created == tuple(put.changes)
    again = do(world, "put_object", Bucket=SCRATCH, Key="a/b~c.txt", Body="Ho")
    assert (list(again.changes.values()), again.created) == ([{"content": "Ho"}], ())
    assert do(world, "list_objects", Bucket=SCRATCH).value["Contents"][0]["LastModified"] == "2025-06-02T09:00:00Z"
    copied = do(world, "copy_object", Bucket=SCRATCH, Key="d", CopySource={"Bucket": SCRATCH, "Key": "a/b~c.txt"})
    assert copied.value["CopyObjectResult"]["LastModified"] == "2025-06-02T09:00:00Z"
    assert do(world, "delete_object", Bucket=SCRATCH, Key="d").changes == {"Object/larkfield-scratch/d": None}
    assert do(world, "delete_object", Bucket=SCRATCH, Key="d").changes == {}


def test_deleting_several_tells_those_that_were_there():
    result = do(S3(), "delete_objects", Bucket=OFFICE, Delete={"Objects": [{"Key": "README.md"}, {"Key": "none"}]})
    assert result.changes == {"Object/larkfield-office/README.md": None}
    assert [one["Key"] for one in result.value["Deleted"]] == ["README.md", "none"]


def test_buckets_come_and_go():
    world = S3()
    made = do(world, "create_bucket", Bucket="larkfield-photos")
    assert made.changes == {"Bucket/larkfield-photos": {"region": "us-east-1"}}
    assert made.created == ("Bucket/larkfield-photos",)
    assert do(world, "get_bucket_location", Bucket="larkfield-photos").value == {"LocationConstraint": None}
    assert do(world, "list_buckets").value["Buckets"][-1]["CreationDate"] == "2025-06-02T09:00:00Z"
    assert do(world, "create_bucket", Bucket="larkfield-photos").changes == {}  # us-east-1: made again, as S3 does
    assert do(world, "head_bucket", Bucket="larkfield-photos").value == {"BucketRegion": "us-east-1"}
    assert do(world, "delete_bucket", Bucket="larkfield-photos").changes == {"Bucket/larkfield-photos": None}


def test_a_bucket_is_made_in_the_region_that_it_asks_for():
    world = S3()
    there = {"LocationConstraint": "eu-west-1"}
    assert do(world, "create_bucket", Bucket="new-one", CreateBucketConfiguration=there).error is None
    assert do(world, "get_bucket_location", Bucket="new-one").value == there


# refusals ----------------------------------------------------------------------------------------------------------

ITSELF = {"Bucket": OFFICE, "Key": "README.md"}
REFUSED = [
    ("NoSuchBucket", "list_objects", {"Bucket": "larkfield"}),
    ("NoSuchBucket", "copy_object", {"Bucket": SCRATCH, "Key": "x", "CopySource": "larkfield/x"}),
    ("NoSuchKey", "get_object", {"Bucket": OFFICE, "Key": "none"}),
    ("NoSuchKey", "copy_object", {"Bucket": SCRATCH, "Key": "x", "CopySource": {"Bucket": OFFICE, "Key": "none"}}),
    ("InvalidRequest", "copy_object", {**ITSELF, "CopySource": ITSELF}),
    ("InvalidArgument", "copy_object", {"Bucket": SCRATCH, "Key": "x", "CopySource": OFFICE}),
    ("BucketNotEmpty", "delete_bucket", {"Bucket": OFFICE}),
    ("BucketAlreadyOwnedByYou", "create_bucket", {"Bucket": OFFICE}),
    ("InvalidBucketName", "create_bucket", {"Bucket": "My_Photos"}),
    ("InvalidBucketName", "create_bucket", {"Bucket": "ab"}),
    ("InvalidLocationConstraint", "create_bucket",
     {"Bucket": "new-one", "CreateBucketConfiguration": {"LocationConstraint": "mars-north-1"}}),
    ("InvalidLocationConstraint", "create_bucket",
     {"Bucket": "new-one", "CreateBucketConfiguration": {"LocationConstraint": "us-east-1"}}),
    ("KeyTooLongError", "put_object", {"Bucket": SCRATCH, "Key": "x" * 1025}),
    ("MalformedXML", "delete_objects", {"Bucket": OFFICE, "Delete": {"Objects": []}}),
    ("404", "head_bucket", {"Bucket": "larkfield"}),
    ("ParamValidationError", "list_objects", {"Bucket": "zoology bucket"}),
    ("ParamValidationError", "list_objects", {"Bucket": "arn:aws:s3:us-east-1:123456789012:accesspoint/x"}),
    ("ParamValidationError", "list_objects", {}),
    ("ParamValidationError", "list_objects", {"Bucket": 7}),
    ("ParamValidationError", "list_objects", {"Bucket": None}),
    ("ParamValidationError", "put_object", {"Bucket": SCRATCH, "Key": "x", "ACL": "public-read"}),
    ("ParamValidationError", "delete_objects", {"Bucket": OFFICE, "Delete": {"Objects": [{"Kay": "x"}]}}),
    ("ParamValidationError", "delete_objects", {"Bucket": OFFICE, "Delete": "README.md"}),
    ("ParamValidationError", "delete_object", {"Bucket": OFFICE, "Key": ["README.md"]}),
    ("ParamValidationError", "put_object", {"Bucket": SCRATCH, "Key": "x", "Body": {"base64": "?"}}),
    ("AttributeError", "put_bucket_policy", {"Bucket": OFFICE}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "api", "arguments"), REFUSED)
def test_errors_are_named_by_their_code_and_change_nothing(kind, api, arguments):
    world = S3()
    assert fault(world, api, **arguments) == kind
    assert signature(world) == signature(S3())


def test_an_unknown_argument_is_told_with_those_that_there_are():
    message = do(S3(), "get_object", Bukket="x").error.message
    assert message == 'Parameter validation failed:\nUnknown parameter in input: "Bukket", must be one of: Bucket, Key'


def test_programs_are_for_a_wrapper():
    assert S3().do(Program(goal="1", status="final", code="return 1")).error.type == "unsupported"


# documents, contract, kind -----------------------------------------------------------------------------------------


def test_eleven_operations_are_documented_and_five_only_read():
    assert [api.name for api in apis()] == NAMES
    reading = [api.name for api in apis() if not api.writes]
    assert reading == ["get_object", "list_objects", "list_buckets", "get_bucket_location", "head_bucket"]
    assert all(api.description and api.keywords for api in apis())


def test_the_world_keeps_the_contract():
    acts = [Call(api=api, arguments=arguments) for _, api, arguments in REFUSED[:6]]
    both = {"Objects": [{"Key": "a/b"}, {"Key": "bin"}]}
    acts += [
        Call(api="create_bucket", arguments={"Bucket": "new-one"}),
        Call(api="copy_object", arguments={"Bucket": "new-one", "Key": "a/b", "CopySource": f"{OFFICE}/README.md"}),
        Call(api="put_object", arguments={"Bucket": "new-one", "Key": "bin", "Body": {"base64": "/w=="}}),
        Call(api="get_object", arguments={"Bucket": "new-one", "Key": "bin"}),
        Call(api="delete_objects", arguments={"Bucket": "new-one", "Delete": both}),
        Call(api="delete_bucket", arguments={"Bucket": "new-one"}),
        Call(api="list_buckets"),
    ]
    check_world(S3, acts)


def test_a_setting_names_an_account_and_nothing_else():
    case = Case(id="c", world=Setting(name="s3"), protocol="recorded")
    assert signature(KIND.make(case)) == signature(S3())
    assert len(KIND.data_key(case.world)) == 16
    hostile = Setting(name="s3", arguments={"endpoint": "http://collector.example"})
    with pytest.raises(BadSetting, match="endpoint: this key is unknown; it takes account"):
        KIND.make(case.replace(world=hostile))


# signatures --------------------------------------------------------------------------------------------------------


def test_a_signature_tells_states_and_values_apart_not_times_nor_regions(tmp_path):
    first, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    text = """
now: YEAR-01-01T00:00:00Z
buckets:
- {name: one, region: PLACE, created: YEAR-01-01T00:00:00Z, objects: [{key: k, modified: YEAR-01-01T00:00:00Z}]}
"""
    first.write_text(text.replace("YEAR", "2024").replace("PLACE", "eu-west-1"))
    other.write_text(text.replace("YEAR", "2025").replace("PLACE", "us-east-1"))
    one, two = S3(str(first)), S3(str(other))
    assert signature(one) == signature(two)
    assert signature(one, [1.0]) == signature(two, [1]) != signature(one)
    do(two, "put_object", Bucket="one", Key="k", Body="y")
    assert signature(one) != signature(two)


def test_only_fixed_signatures_know_of_errors():
    world = S3()
    assert signature(world, error="NoSuchKey") == signature(world)
    fixed = {signature(world, mode="fixed", error=error) for error in (None, "NoSuchKey", "NoSuchBucket")}
    assert len(fixed) == 3
    assert all(len(sign) == 8 and int(sign, 16) >= 0 for sign in fixed)


# what it needs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["S3()", "S3(endpoint='http://127.0.0.1:9', prefix='tl-')"])
def python(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("world", ["S3()", "S3(endpoint='http://127.0.0.1:9', prefix='tl-')"])
def test_without_its_libraries_it_says_what_to_install(world):
    done = python(f"import sys; sys.modules |= dict(boto3=None, moto=None); from toologue.worlds.s3 import S3; {world}")
    assert "BadSetting: the world 's3' needs boto3 and moto: pip install 'toologue[programs]'" in done.stderr


def test_its_documents_need_none_of_them():
    loaded = "print({'boto3', 'botocore', 'moto'} & {*sys.modules})"
    assert python(f"import sys; from toologue.worlds import s3; s3.apis(); {loaded}").stdout == "set()\n"


def test_nothing_leaves_the_process_whatever_address_boto3_is_told(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    listed = "S3().do(Call(api='list_buckets')).value['Buckets'][0]['Name']"
    done = python(f"from toologue.worlds.s3 import S3; from toologue.schema import Call; print({listed})")
    assert done.stdout == f"{OFFICE}\n"
