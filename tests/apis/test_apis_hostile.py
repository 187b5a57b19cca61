"""Documents that mean harm: read in time that grows with their size, or refused; nothing hangs, nothing crashes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from toologue.apis.openapi import openapi_of, read_openapi
from toologue.data import Source
from toologue.errors import UserError
from toologue.schema.api import packed


def whole(paths: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    return {"openapi": "3.0.3", "paths": paths, "components": {"schemas": schemas}}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def answer(schema: Any) -> dict[str, Any]:
    return {"get": {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}}


def everybody_meets_one_that_is_lost(size: int) -> dict[str, Any]:
    chain = {f"S{n}": {"properties": {"next": ref(f"S{n + 1}")}} for n in range(size)}
    return whole({f"/p{n}": answer(ref(f"S{n}")) for n in range(size)} | {"/good": {"get": {}}}, chain)


def one_name_for_all(size: int) -> dict[str, Any]:
    return whole({f"/p{n}": {"get": {"operationId": "same" * 20}} for n in range(size)}, {})


def all_to_all(size: int) -> dict[str, Any]:
    wide = {f"p{n}": ref("Wide") for n in range(size)}
    return whole({f"/p{n}": answer(ref("Wide")) for n in range(30)}, {"Wide": {"properties": wide}})


def circles_of_all_lengths(size: int) -> dict[str, Any]:
    ring = {f"S{n}": {"properties": {"a": ref(f"S{(n * 7 + 1) % size}"), "b": ref("S0")}} for n in range(size)}
    return whole({f"/p{n}": answer(ref(f"S{n}")) for n in range(size)}, ring)


def a_chain_of_parts(size: int) -> dict[str, Any]:
    chain = {f"S{n}": {"allOf": [ref(f"S{n + 1}")]} for n in range(size)} | {f"S{size}": {"type": "object"}}
    return whole({f"/p{n}": answer(ref(f"S{n}")) for n in range(size)} | {"/good": {"get": {}}}, chain)


def nothing_is_described(size: int) -> dict[str, Any]:
    return whole({f"/p{n}/{{id}}": {"get": {}} for n in range(size)} | {"/good": {"get": {}}}, {})


def swagger(size: int) -> dict[str, Any]:
    things = {f"S{n}": {"properties": {"a": {"$ref": f"#/definitions/S{n + 1}"}}} for n in range(size)}
    sent = {"name": "it", "in": "body", "schema": {"$ref": "#/definitions/S0"}}
    paths = {f"/p{n}": {"post": {"parameters": [sent]}} for n in range(size)}
    return {"swagger": "2.0", "paths": paths, "definitions": things}


def written_out_in_each_other(size: int) -> dict[str, Any]:
    parts = {f"c{n}": {"application/json": {"schema": {"properties": {"$ref": f"#/c{n + 1}"}}}} for n in range(size)}
    return whole({"/good": {"get": {}}, "/x": {"post": {"requestBody": {"content": {"$ref": "#/c0"}}}}}, {}) | parts


KINDS = (
    everybody_meets_one_that_is_lost, one_name_for_all, all_to_all, circles_of_all_lengths, a_chain_of_parts,
    nothing_is_described, swagger, written_out_in_each_other,
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_time_grows_with_the_size(kind: Callable[[int], dict[str, Any]]) -> None:
    def seconds(size: int) -> float:
        document, begun = kind(size), time.process_time()
        with suppress(UserError):
            list(packed(one.api for one in openapi_of(Source("<document>", document)).operations))
        return time.process_time() - begun

    small = min(seconds(150) for _ in range(3))
    assert min(seconds(900) for _ in range(2)) < 6 * 3 * max(small, 0.02)


def test_a_bomb_of_references_costs_its_operation() -> None:
    bomb = {f"S{n}": {"anyOf": [ref(f"S{n + 1}")] * 9} for n in range(40)} | {"S40": {}}
    wide = {f"W{n}": {"properties": {f"p{k}": ref(f"W{n + 1}") for k in range(50)}} for n in range(40)} | {"W40": {}}
    read = openapi_of(Source("x", whole({"/bomb": answer(ref("S0")), "/wide": answer(ref("W0"))}, bomb | wide)))
    assert [one.path for one in read.operations] == ["/wide"]
    assert "stands for more than 10,000 schemas at once" in read.left_out[0].cause
    assert len(str(read.operations[0].api.returns)) < 200_000


def test_parts_nested_deep_in_chains_of_references() -> None:
    def nested(inner: Any) -> Any:
        for _ in range(80):
            inner = {"allOf": [inner]}
        return inner

    schemas = {f"S{n}": nested(ref(f"S{n + 1}")) for n in range(90)} | {"S90": {}}
    read = openapi_of(Source("x", whole({"/a": answer(ref("S0")), "/good": {"get": {}}}, schemas)))
    assert [one.path for one in read.left_out] == ["/a"]


def test_files_that_write_each_other_out_for_ever(tmp_path: Path) -> None:
    for n in range(12):
        inner = ", ".join(f"p{k}: {{properties: {{$ref: 'f{n + 1}.yaml'}}}}" for k in range(9))
        (tmp_path / f"f{n}.yaml").write_text(f"{{{inner}}}")
    (tmp_path / "f12.yaml").write_text("{}")
    sent = "{name: q, in: query, schema: {properties: {$ref: f0.yaml}}}"
    (tmp_path / "api.yaml").write_text(f"openapi: 3.1.0\npaths: {{/a: {{get: {{parameters: [{sent}]}}}}}}")
    with pytest.raises(UserError, match="more than 5,000,000 values"):
        read_openapi(tmp_path / "api.yaml")
