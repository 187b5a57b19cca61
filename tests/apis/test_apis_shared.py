"""A file of Apis holds what they have in common once, and gives it back as one object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toologue.apis.load import apis_of
from toologue.apis.openapi import read_openapi
from toologue.errors import BadRecord
from toologue.schema import Api, Parameter
from toologue.schema.api import write_apis
from toologue.schema.jsonl import holds, read, write

FIELDS = {name: {"type": "string", "maxLength": 80} for name in ("name", "city", "street")}
OWNER = {"type": "object", "properties": FIELDS}
PET = {"type": "object", "properties": {"owner": OWNER, "name": {"type": "string"}}}
APIS = [
    Api(name="get_pet", returns=PET),
    Api(name="list_pets", returns={"type": "array", "items": PET}),
    Api(name="set_owner", parameters={"owner": Parameter(schema=OWNER), "id": Parameter(schema={"type": "string"})}),
]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "apis.jsonl"
    write_apis(file, APIS)
    assert list(read(file, Api)) == apis_of(file) == APIS
    assert [one.key for one in read(file, Api)] == [one.key for one in APIS]
    assert file.read_text().count("street") == 1
    assert holds(file, Api)
    first, last, _ = read(file, Api)
    assert first.returns["properties"]["owner"] is last.returns["items"]["properties"]["owner"]  # pyright: ignore


def test_files_as_they_were_are_read_too_and_small_schemas_stay_where_they_are(tmp_path: Path) -> None:
    write(tmp_path / "old.jsonl", APIS)
    assert list(read(tmp_path / "old.jsonl", Api)) == APIS
    alone = [Api(name="a", returns={"type": "string"}), Api(name="b", returns={"type": "string"})]
    write_apis(tmp_path / "new.jsonl", alone)
    write(tmp_path / "old.jsonl", alone)
    assert (tmp_path / "new.jsonl").read_bytes() == (tmp_path / "old.jsonl").read_bytes()


def test_two_files_one_after_the_other_are_one(tmp_path: Path) -> None:
    file = tmp_path / "apis.jsonl"
    write_apis(file, APIS)
    file.write_bytes(file.read_bytes() * 2)
    assert list(read(file, Api)) == APIS * 2


LINE: dict[str, Any] = {"format": "api/1", "name": "a"}
BOMB = {"s0": {"enum": ["x"] * 9}} | {f"s{n}": {"anyOf": [{"$ref": f"schema:s{n - 1}"}] * 9} for n in range(1, 20)}
CHAIN = {"s0": {}} | {f"s{n}": {"items": {"$ref": f"schema:s{n - 1}"}} for n in range(1, 300)}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            LINE | {"returns": {"$ref": "schema:x"}, "schemas": {"y": {}}},
            "$.returns: no line up to here holds",
        ),
        (LINE | {"schemas": {"x": {"$ref": "schema:x"}}}, "$.schemas.x: no line up to here holds the schema 'x'"),
        (LINE | {"schemas": 5}, "$.schemas: Input should be a valid dictionary, got 5"),
        (LINE | {"schemas": {"x": 5}}, "$.schemas.x: Input should be a valid dictionary, got 5"),
        (LINE | {"schemas": BOMB}, "stands for more than 5,000,000 values"),
        (LINE | {"schemas": CHAIN}, "stands for more than 200 levels"),
        (LINE | {"schemas": {}, "colour": 1}, "$.colour: unknown key"),
    ],
    ids=range(7),
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, line: Any, message: str) -> None:
    file = tmp_path / "apis.jsonl"
    file.write_text(json.dumps(line, separators=(",", ":")) + "\n")
    with pytest.raises(BadRecord) as caught:
        list(read(file, Api))
    assert str(caught.value).startswith(f"{file}:1: ")
    assert message in str(caught.value)


def expandable(count: int) -> dict[str, Any]:
    """A document in which every thing refers to a tenth of the others."""
    names = [f"T{n}" for n in range(count)]
    targets = {name: {"$ref": f"#/components/schemas/{name}"} for name in names}
    schemas = {
        name: {"type": "object", "properties": {other: {"anyOf": [targets[other]]} for other in names[n % 10 :: 10]}}
        for n, name in enumerate(names)
    }
    answers = {name: {"200": {"content": {"application/json": {"schema": targets[name]}}}} for name in names}
    paths = {f"/{name}": {"get": {"responses": answers[name]}} for name in names}
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}


def test_what_refers_to_all_else_is_written_once(tmp_path: Path) -> None:
    found = [one.api for one in read_openapi(expandable(60)).operations]
    write(tmp_path / "plain.jsonl", found)
    write_apis(tmp_path / "shared.jsonl", found)
    assert list(read(tmp_path / "shared.jsonl", Api)) == found
    assert (tmp_path / "shared.jsonl").stat().st_size * 10 < (tmp_path / "plain.jsonl").stat().st_size
