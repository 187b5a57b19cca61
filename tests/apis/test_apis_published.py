"""Documents as their vendors publish them: Swagger 2.0, and many files that refer to each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toologue.apis.openapi import OpenApi, Operation, read_openapi

SWAGGER: dict[str, Any] = {
    "swagger": "2.0",
    "host": "api.example.com",
    "basePath": "/v1",
    "consumes": ["application/x-www-form-urlencoded"],
    "securityDefinitions": {"key": {"type": "apiKey", "in": "query", "name": "key"}},
    "parameters": {"Page": {"name": "page", "in": "query", "type": "integer", "minimum": 1, "exclusiveMinimum": True}},
    "responses": {"Gone": {"description": "It is gone."}},
    "definitions": {
        "Pet": {
            "type": "object",
            "discriminator": "kind",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "age": {"type": "integer", "x-nullable": True},
                "at": {"type": "array", "items": [{"type": "number"}, {"type": "string"}]},
                "mother": {"$ref": "#/definitions/Pet"},
            },
        }
    },
    "paths": {
        "/pets": {
            "get": {
                "operationId": "list_pets",
                "parameters": [
                    {"$ref": "#/parameters/Page"},
                    {"name": "key", "in": "query", "type": "string"},
                    {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                ],
                "responses": {
                    "200": {"description": "All.", "schema": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}},
                    "410": {"$ref": "#/responses/Gone"},
                },
            },
            "post": {
                "operationId": "add_pet",
                "consumes": ["application/json"],
                "parameters": [{"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}],
            },
        },
        "/pets/{id}/photo": {
            "parameters": [{"name": "id", "in": "path", "required": True, "type": "string"}],
            "put": {
                "operationId": "set_photo",
                "parameters": [
                    {"name": "photo", "in": "formData", "type": "file", "required": True},
                    {"name": "title", "in": "formData", "type": "string", "description": "What is on it."},
                    {"name": "password", "in": "formData", "type": "string", "required": True},
                ],
            },
        },
    },
}

DOCUMENT = """openapi: 3.0.3
paths:
  /notes: {$ref: notes/paths.yaml#/notes}
  /notes/{id}:
    get: {$ref: notes/paths.yaml#/one}
    delete:
      operationId: delete_note
      parameters: [{$ref: "notes/schemas.yaml#/Nowhere"}]
components:
  schemas: {Tag: {type: string, maxLength: 9}}
"""
PATHS = """notes:
  get:
    operationId: list_notes
    description: {$ref: about.md}
    responses:
      default:
        content: {$ref: "#/shared"}
  post:
    operationId: add_note
    requestBody: {content: {application/json: {schema: {$ref: "schemas.yaml#/Note"}}}}
one:
  operationId: get_note
  parameters: {$ref: "schemas.yaml#/asked"}
shared:
  application/json:
    schema: {type: array, items: {$ref: "schemas.yaml#/Note"}}
"""
SCHEMAS = """Note:
  type: object
  properties:
    text: {type: string}
    tag: {$ref: "../api.yaml#/components/schemas/Tag"}
    answers: {type: array, items: {$ref: "#/Note"}}
    kind: {type: string, enum: {$ref: "#/kinds"}}
kinds: [plain, rich]
asked: [{name: id, in: path, schema: {type: string}}]
"""


def written(folder: Path, **files: str) -> Path:
    """The document of some files: `notes__paths` stands for notes/paths.yaml."""
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/')}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder / "api.yaml"


def notes(folder: Path, paths: str = PATHS) -> OpenApi:
    file = written(folder, api=DOCUMENT, notes__paths=paths, notes__schemas=SCHEMAS)
    (folder / "notes/about.md").write_text("All of them: newest first.")
    return read_openapi(file)


def by_name(document: OpenApi) -> dict[str, Operation]:
    return {one.api.name: one for one in document.operations}


class TestSwagger:
    def test_is_read_as_if_it_were_3_0(self) -> None:
        found = by_name(read_openapi(SWAGGER))
        assert {name: list(one.api.parameters) for name, one in found.items()} == {
            "list_pets": ["page", "tags"],
            "add_pet": ["name", "age", "at", "mother"],
            "set_photo": ["id", "photo", "title"],
        }
        assert found["list_pets"].faults == {"410": "It is gone."}
        assert found["list_pets"].api.returns["items"]["required"] == ["name"]
        assert [*found["set_photo"].secrets] == ["password"]
        assert found["set_photo"].api.required == ("id", "photo")
        assert found["add_pet"].api.required == ("name",)

    def test_each_kind_of_schema(self) -> None:
        found = by_name(read_openapi(SWAGGER))
        schemas = {name: one.json_schema for api in found.values() for name, one in api.api.parameters.items()}
        assert schemas["page"] == {"type": "integer", "exclusiveMinimum": 1}
        assert schemas["age"] == {"type": ["integer", "null"]}
        assert schemas["at"] == {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string"}]}}
        assert schemas["photo"] == {"type": "string", "format": "binary"}
        assert schemas["title"] == {"type": "string", "description": "What is on it."}

    def test_what_is_said_stands_in_the_file_as_it_was(self, tmp_path: Path) -> None:
        broken = {**SWAGGER, "paths": {**SWAGGER["paths"], "/x/{id}": {"get": {"operationId": "x"}}}}
        file = tmp_path / "pets.json"
        file.write_text(json.dumps(broken, indent=1))
        (left,) = read_openapi(file).left_out
        line = file.read_text().splitlines().index('  "/x/{id}": {') + 1
        assert (left.line, left.place) == (line, "$.paths['/x/{id}']")


class TestManyFiles:
    def test_are_one_document(self, tmp_path: Path) -> None:
        read = notes(tmp_path)
        found = {name: one.api for name, one in by_name(read).items()}
        assert {name: list(api.parameters) for name, api in found.items()} == {
            "list_notes": [],
            "add_note": ["text", "tag", "answers", "kind"],
            "get_note": ["id"],
        }
        assert found["list_notes"].description == "All of them: newest first."
        assert found["list_notes"].returns["items"]["properties"]["kind"]["enum"] == ["plain", "rich"]
        assert found["add_note"].parameters["tag"].json_schema == {"type": "string", "maxLength": 9}
        assert list(map(str, read.left_out)) == [
            f"{tmp_path}/api.yaml:8: delete_note: 'notes/schemas.yaml#/Nowhere' leads nowhere "
            f"(look into {tmp_path}/notes/schemas.yaml)"
        ]

    def test_a_complaint_names_the_file_it_is_about(self, tmp_path: Path) -> None:
        first = notes(tmp_path, PATHS.replace("operationId: add_note", "tags: 5")).left_out[0]
        assert (first.file, first.line, first.place) == (f"{tmp_path}/notes/paths.yaml", 9, "$.notes.post.tags")

    @pytest.mark.parametrize(
        ("target", "cause"),
        [
            ("../secret.yaml#/a", "is outside of the document's folder"),
            ("/etc/hosts", "is outside of the document's folder"),
            ("link.yaml#/a", "is outside of the document's folder"),
            ("https://example.com/a.yaml", "is on the net, and nothing is fetched"),
            ("//example.com/a.yaml", "is on the net"),
            ("file:///etc/hosts", "is on the net"),
            ("none.yaml", "there is no file"),
            ("broken.yaml#/a", "this is no YAML"),
            ("%00.yaml", "cannot be read"),
        ],
    )
    def test_nothing_is_taken_from_elsewhere(self, tmp_path: Path, target: str, cause: str) -> None:
        (tmp_path / "secret.yaml").write_text("a: {type: string}")
        bad = f"{{name: q, in: query, schema: {{$ref: '{target}'}}}}"
        text = f"openapi: 3.1.0\npaths:\n  /good: {{get: {{}}}}\n  /bad: {{get: {{parameters: [{bad}]}}}}"
        file = written(tmp_path / "inner", api=text, broken="a: [")
        (tmp_path / "inner/link.yaml").symlink_to(tmp_path / "secret.yaml")
        (left,) = read_openapi(file).left_out
        assert (left.path, left.line) == ("/bad", 4)
        assert cause in left.cause

    def test_circles_of_files_end(self, tmp_path: Path) -> None:
        api = "openapi: 3.1.0\npaths:\n  /a: {get: {parameters: [{name: q, in: query, schema: {$ref: one.yaml}}]}}\n"
        api += "  /b: {get: {parameters: [{name: q, in: query, schema: {$ref: self.yaml}}]}}\n"
        tree = "{type: object, properties: {other: {$ref: TWIN.yaml}}}"
        files = {"one": tree.replace("TWIN", "two"), "two": tree.replace("TWIN", "one"), "self": "{$ref: self.yaml}"}
        read = read_openapi(written(tmp_path, api=api, **files))
        assert [one.api.parameters["q"].json_schema["type"] for one in read.operations] == ["object"]
        assert "leads in a circle" in read.left_out[0].cause

    def test_in_memory_there_are_none(self) -> None:
        paths = {"/a": {"get": {"parameters": [{"$ref": "b.yaml"}]}}, "/c": {"get": {}}}
        (left,) = read_openapi({"openapi": "3.1.0", "paths": paths}).left_out
        assert left.cause == "'b.yaml' is in another document"


def test_a_local_reference_under_content_is_written_out() -> None:
    content = {"application/json": {"schema": {"properties": {"a": {"type": "string"}}}}}
    paths = {"/x": {"post": {"operationId": "x", "requestBody": {"content": {"$ref": "#/shared/it"}}}}}
    (operation,) = read_openapi({"openapi": "3.1.0", "paths": paths, "shared": {"it": content}}).operations
    assert [*operation.api.parameters] == ["a"]


@pytest.mark.parametrize("more", [{}, {"additionalProperties": False}])
def test_a_form_without_fields_is_no_parameter(more: dict[str, Any]) -> None:
    """Some vendors give one to every operation, those that read among them."""
    form = {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {}, **more}}}
    get = {"operationId": "get_hook", "requestBody": {"content": form, "required": False}, "responses": {}}
    given = [{"name": "hook", "in": "path", "required": True, "schema": {"type": "string"}}]
    root = {"openapi": "3.0.0", "paths": {"/hooks/{hook}": {"parameters": given, "get": get}}}
    (operation,) = read_openapi(root).operations
    assert [*operation.api.parameters] == ["hook"]
