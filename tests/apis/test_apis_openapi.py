"""OpenAPI documents become Apis: what is read, under which names, and every refusal with its place and remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, ClassVar

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import toologue
from toologue.apis.choice import Choice
from toologue.apis.openapi import OpenApi, openapi_of, read_openapi
from toologue.apis.schemas import violation
from toologue.data import read_text
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.schema import Api
from toologue.schema.jsonl import read

ORDER = """openapi: 3.1.0
paths:
  /orders/{order_id}:
    parameters:
      - {name: order_id, in: path, required: true, description: Its number., schema: {$ref: "#/components/schemas/Id"}}
    patch:
      operationId: change_order
      tags: [orders, more]
      summary: Change an order
      description: Before it is sent.
      parameters:
        - {name: dry_run, in: query, schema: {type: boolean, default: false}}
        - {name: key, in: query, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string}}
      requestBody:
        content:
          text/plain: {schema: {type: string}}
          application/json: {schema: {$ref: "#/components/schemas/Order"}}
      responses:
        "404": {description: No such order.}
        "200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
components:
  securitySchemes: {key: {type: apiKey, in: query, name: key}}
  schemas:
    Id: {type: string, examples: [O-1]}
    Base: {type: object, required: [note], properties: {note: {type: string}}}
    Order:
      allOf: [{$ref: "#/components/schemas/Base"}]
      type: object
      required: [status]
      properties:
        id: {type: string, readOnly: true}
        order_id: {type: integer}
        status: {type: string, enum: [placed, sent]}
        hidden: {type: string, writeOnly: true}
        parts: {type: array, items: {$ref: "#/components/schemas/Order"}}
"""


def document(text: str) -> OpenApi:
    return openapi_of(read_text(text, "shop.yaml"))


def api(text: str) -> Api:
    (operation,) = document(text).operations
    return operation.api


def refused(text: str) -> str:
    with pytest.raises(BadRecord) as caught:
        document(text)
    return str(caught.value)


def get(rest: str, more: str = "") -> str:
    return f"openapi: 3.1.0\npaths:\n  /orders:\n    get: {{operationId: it, {rest}}}\n{more}"


class TestReading:
    def test_one_flat_set_of_parameters(self) -> None:
        found = api(ORDER)
        assert (found.name, found.domain, found.writes) == ("change_order", "orders", True)
        assert found.description == "Change an order. Before it is sent."
        assert list(found.parameters) == ["order_id", "dry_run", "note", "body_order_id", "status", "hidden", "parts"]
        assert found.required == ("order_id", "note", "status")
        assert found.parameters["order_id"].json_schema["description"] == "Its number."
        assert found.parameters["order_id"].json_schema["examples"] == ["O-1"]
        wires = document(ORDER).operations[0].wires
        assert (wires["body_order_id"].into, wires["body_order_id"].name) == ("body", "order_id")

    def test_what_comes_back(self) -> None:
        (operation,) = document(ORDER).operations
        assert (operation.status, operation.faults) == (200, {"404": "No such order."})
        assert "hidden" not in operation.api.returns["properties"]
        assert "id" in operation.api.returns["properties"]
        assert operation.api.returns["properties"]["parts"]["items"] == {"type": "object"}, "itself, once"

    @pytest.mark.parametrize(
        ("path", "method", "name"),
        [
            ("/orders", "get", "list_orders"),
            ("/orders", "post", "create_order"),
            ("/v2/orders/{id}", "get", "get_order"),
            ("/api/orders/{id}", "put", "replace_order"),
            ("/orders/{id}", "patch", "update_order"),
            ("/orders/{id}", "delete", "delete_order"),
            ("/orders/{id}/cancel", "post", "cancel_order"),
            ("/orders/{id}/refunds", "post", "create_order_refund"),
            ("/orders/{id}/returnLabels", "get", "list_order_return_labels"),
            ("/", "get", "get_root"),
        ],
    )
    def test_names_for_operations_without_one(self, path: str, method: str, name: str) -> None:
        parameter = [{"name": "id", "in": "path", "schema": {}}] if "{" in path else []
        read = read_openapi({"openapi": "3.0.3", "paths": {path: {method: {"parameters": parameter}}}})
        assert read.operations[0].api.name == name

    def test_made_names_are_unique(self) -> None:
        read = read_openapi({"openapi": "3.1.0", "paths": {"/v1/orders": {"get": {}}, "/v2/orders": {"get": {}}}})
        assert [operation.api.name for operation in read.operations] == ["list_orders", "list_orders_2"]

    def test_names_are_such_that_every_model_can_call_them(self) -> None:
        assert api(get("").replace("operationId: it", "operationId: 'orders.list: all!'")).name == "orders_list_all"

    def test_the_dialect_of_3_0(self) -> None:
        schema = "{type: integer, nullable: true, minimum: 0, exclusiveMinimum: true}"
        old = get(f"parameters: [{{name: n, in: query, schema: {schema}}}]").replace("3.1.0", "3.0.3")
        assert api(old).parameters["n"].json_schema == {"type": ["integer", "null"], "exclusiveMinimum": 0}

    def test_a_body_that_is_no_object_is_one_parameter(self) -> None:
        body = "requestBody: {required: true, content: {application/json: {schema: {type: array}}}}"
        assert list(api(get(body)).parameters) == ["body"]

    def test_internal_operations_are_for_others(self) -> None:
        text = "openapi: 3.1.0\npaths:\n  /a: {get: {operationId: a}}\n  /b: {get: {x-internal: true}}\n"
        assert api(text).name == "a"
        assert api(f"{text}  /c: {{x-internal: true, get: {{}}, post: {{}}}}").name == "a"

    def test_x_writes_outweighs_the_method(self) -> None:
        assert api(get("x-writes: true")).writes
        assert not api(get("x-writes: false").replace("get:", "post:")).writes

    @pytest.mark.parametrize(
        ("path", "writes", "confirm"),
        [
            ("/rooms/list", False, False),
            ("/rooms.get", False, False),
            ("/search", False, False),
            ("/rooms/{id}/info.json", False, False),
            ("/rooms/delete", True, True),
            ("/rooms/{id}/remove", True, True),
            ("/rooms/update", True, False),
            ("/notes/{id}/read", True, False),
            ("/rooms", True, False),
        ],
    )
    def test_a_post_does_what_the_verb_of_its_path_says(self, path: str, writes: bool, confirm: bool) -> None:
        def read(**said: object) -> Api:
            given = [{"name": "id", "in": "path", "schema": {}}] if "{" in path else []
            item = {"post": {"parameters": given, "responses": {"200": {"description": ""}}, **said}}
            return read_openapi({"openapi": "3.1.0", "paths": {path: item}}).operations[0].api

        assert (read().writes, read().confirm) == (writes, confirm)
        assert read(**{"x-writes": not writes, "x-confirm": not confirm}).writes is not writes


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[1]", "shop.yaml: $: expected an OpenAPI document, got [1]"),
            ("swagger: '1.2'\npaths: {}", "expected `openapi: 3.0.x` or `3.1.x`, or `swagger: '2.0'`, got None"),
            (
                "openapi: 4.0.0",
                "shop.yaml:1: $.openapi: expected `openapi: 3.0.x` or `3.1.x`, or `swagger: '2.0'`, got '4.0.0'",
            ),
            ("paths: {}", "shop.yaml: $: expected `openapi: 3.0.x` or `3.1.x`, or `swagger: '2.0'`, got None"),
            ("openapi: 3.1.0", "shop.yaml: $: there is no operation (describe one under `paths`)"),
            ("openapi: 3.1.0\npaths: {}", "shop.yaml:2: $.paths: there is no operation (describe one under `paths`)"),
            ("openapi: 3.1.0\npaths:", "shop.yaml:2: $.paths: expected an object, got None"),
            ("openapi: 3.1.0\npaths:\n  /x: y", "shop.yaml:3: $.paths['/x']: expected an object, got 'y'"),
            ("openapi: 3.1.0\npaths:\n  /x:\n    get:", "shop.yaml:4: $.paths['/x'].get: expected an object, got None"),
            (get("tags: orders"), "shop.yaml:4: $.paths['/orders'].get.tags: expected a list, got 'orders'"),
            (get("").replace("it,", "5,"), "shop.yaml:4: $.paths['/orders'].get.operationId: expected a text, got 5"),
            (get("x-writes: often"), "$.paths['/orders'].get.x-writes: expected true or false, got 'often'"),
            (get("parameters: [{name: a}]"), "$.paths['/orders'].get.parameters[0].in: this key is missing"),
            (
                get("parameters: [{name: a, in: body}]"),
                "$.paths['/orders'].get.parameters[0].in: expected 'path', 'query', 'header' or 'cookie', got 'body'",
            ),
            (
                "openapi: 3.1.0\npaths:\n  /x/{id}:\n    get: {}",
                "shop.yaml:3: $.paths['/x/{id}']: {id} is not described (list it under `parameters`)",
            ),
        ],
        ids=range(15),
    )
    def test_say_where_and_why(self, text: str, message: str) -> None:
        assert message in refused(text)


class TestSecrets:
    @pytest.mark.parametrize(
        "name", ["password", "newPassword", "user_pwd", "passphrase", "clientSecret", "api-key", "access_token"]
    )
    def test_a_password_or_a_key_is_never_asked_for_and_its_operation_stays(self, name: str) -> None:
        rule = f"{{required: [{name}], properties: {{{name}: {{type: string}}, user: {{$ref: '#/u'}}}}}}"
        body = f"content: {{application/json: {{schema: {rule}}}}}"
        sent = get(f"parameters: [{{name: {name}, in: query, required: true}}, {{name: q, in: query}}]")
        nested = get(f"requestBody: {{{body}}}", f"u: {{properties: {{{name}: {{}}}}}}")
        for text, rest in ((sent, "q"), (nested, "user")):
            (operation,) = document(text).operations
            assert list(operation.wires) == list(operation.api.parameters) == [rest]
            assert list(operation.secrets) == [name]
            assert name not in str(operation.api)

    def test_what_is_only_about_a_password_is_no_password(self) -> None:
        flag = api(get("parameters: [{name: password_expired, in: query, schema: {type: boolean}}]"))
        assert list(flag.parameters) == ["password_expired"]
        pin = document(get("parameters: [{name: pin, in: query, schema: {format: password}}]"))
        assert [*pin.operations[0].secrets] == ["pin"]

    def test_a_path_that_holds_a_password_is_left_out(self) -> None:
        text = "openapi: 3.1.0\npaths:\n  /x/{pwd}:\n    get: {parameters: [{name: pwd, in: path}]}"
        assert "shop.yaml:4: $.paths['/x/{pwd}'].get: its path holds 'pwd', a secret" in refused(text)


SOME = """openapi: 3.1.0
paths:
  /orders: {get: {operationId: list_orders, tags: [orders]}}
  /orders/{id}:
    get: {operationId: get_order, tags: [orders, one]}
    delete:
      operationId: cancel_order
      tags: [orders]
      parameters: [{name: id, in: path}]
      responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}
  /users: {post: {operationId: add_user, tags: [users]}}
  /broken: here
components:
  schemas:
    A: {properties: {b: {$ref: "#/components/schemas/B"}}}
    B:
      properties: {c: {$ref: "#/components/schemas/Sea"}}
    See: {}
"""


class TestLeavingOut:
    def test_what_cannot_be_read_costs_its_operation_alone(self) -> None:
        read = document(SOME)
        assert [one.api.name for one in read.operations] == ["list_orders", "add_user"]
        assert list(map(str, read.left_out)) == [
            "shop.yaml:4: get_order: {id} is not described (list it under `parameters`)",
            "shop.yaml:17: cancel_order: '#/components/schemas/Sea' leads nowhere "
            "(did you mean #/components/schemas/See)",
            "shop.yaml:12: /broken: expected an object, got 'here'",
        ]
        assert read.left_out[1].place == "$.components.schemas.B.properties.c.$ref"

    def test_strict_refuses_with_all_problems_at_once(self) -> None:
        with pytest.raises(BadFile) as caught:
            openapi_of(read_text(SOME, "shop.yaml"), Choice(strict=True))
        found = str(caught.value).splitlines()
        assert found[0] == "shop.yaml: 3 operations cannot be read:"
        assert [line.split(":")[1] for line in found[1:]] == ["4", "17", "12"]

    def test_a_document_that_leaves_nothing_is_refused(self) -> None:
        with pytest.raises(BadFile, match="2 operations cannot be read"):
            document("openapi: 3.1.0\npaths:\n  /a: b\n  /c: d")

    def test_one_pass_finds_the_lines_of_all(self) -> None:
        paths = {f"/p{n}/{{id}}": {"get": {}} for n in range(1000)} | {"/good": {"get": {}}}
        text = json.dumps({"openapi": "3.1.0", "x-escaped": "\\/", "paths": paths}, indent=1).replace("\\\\/", "\\/")
        left = document(text).left_out
        assert [one.line for one in left[:3]] == [5, 8, 11]
        assert len(left) == 1000

    def test_two_equal_names_and_two_that_are_cut_stay_apart(self) -> None:
        long = "a" * 70
        names = ["x", "x", "a.b", "a b", long, long + "b", long + "c"]
        paths = {f"/p{n}": {"get": {"operationId": name}} for n, name in enumerate(names)}
        read = read_openapi({"openapi": "3.1.0", "paths": paths})
        found = [one.api.name for one in read.operations]
        assert found == ["x", "x_2", "a_b", "a_b_2", "a" * 64, "a" * 62 + "_2", "a" * 62 + "_3"]

    def test_internal_parameters_and_properties_do_not_show(self) -> None:
        inner = "properties: {a: {x-internal: true}, b: {properties: {c: {x-internal: true}, d: {}}}}"
        answer = f"responses: {{'200': {{content: {{application/json: {{schema: {{{inner}}}}}}}}}}}"
        body = f"requestBody: {{content: {{application/json: {{schema: {{{inner}}}}}}}}}"
        found = api(get(f"parameters: [{{name: q, in: query, x-internal: true}}], {body}, {answer}"))
        assert {name: one.json_schema for name, one in found.parameters.items()} == {"b": {"properties": {"d": {}}}}
        assert found.returns == {"properties": {"b": {"properties": {"d": {}}}}}

    @pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
    def test_a_form_without_fields_is_no_parameter(self, kind: str) -> None:
        text = get(f"requestBody: {{content: {{{kind}: {{schema: {{type: object, properties: {{}}}}}}}}}}")
        assert not api(text).parameters


class TestCommand:
    def test_says_how_much_was_read_and_why_not_all(self, tmp_path: Path) -> None:
        (tmp_path / "shop.yaml").write_text(SOME + "  x: 1\n")
        done = toologue("apis", "shop.yaml", "-o", "apis.jsonl", cwd=tmp_path)
        assert done.returncode == 0
        assert done.stderr.splitlines()[:2] == [
            "shop.yaml: 2 of 5 operations read; 3 left out:",
            "  shop.yaml:4: get_order: {id} is not described (list it under `parameters`)",
        ]
        assert [one.name for one in read(tmp_path / "apis.jsonl", Api)] == ["list_orders", "add_user"]

    def test_lists_all_that_is_left_out(self, tmp_path: Path) -> None:
        paths = "".join(f"  /p{n}/{{id}}: {{get: {{}}}}\n" for n in range(9))
        (tmp_path / "shop.yaml").write_text(f"openapi: 3.1.0\npaths:\n{paths}  /good: {{get: {{}}}}\n")
        done = toologue("apis", "shop.yaml", "--left-out", cwd=tmp_path)
        assert done.stderr.splitlines()[-1] == "  … and 6 more: toologue apis shop.yaml --left-out"
        assert len(done.stdout.splitlines()) == 10

    @pytest.mark.parametrize("text", ["", "# nothing\n", "null"])
    def test_an_empty_document_is_said_to_be_empty(self, text: str, tmp_path: Path) -> None:
        (tmp_path / "shop.yaml").write_text(text)
        for command in (("apis",), ("world", "check")):
            done = toologue(*command, "shop.yaml", cwd=tmp_path)
            assert (done.returncode, "shop.yaml: $: this document is empty" in done.stderr) == (2, True)

    def test_strict_refuses(self, tmp_path: Path) -> None:
        (tmp_path / "shop.yaml").write_text(SOME)
        done = toologue("apis", "shop.yaml", "--strict", cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("toologue: shop.yaml: 3 operations cannot be read:")

    def test_globs_choose_among_all_sources(self, tmp_path: Path) -> None:
        (tmp_path / "shop.yaml").write_text(SOME)
        (tmp_path / "tools.json").write_text('[{"name": "find_user", "input_schema": {}}]')
        done = toologue("apis", "shop.yaml", "tools.json", "--only", "*_user", "-o", "apis.jsonl", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert [one.name for one in read(tmp_path / "apis.jsonl", Api)] == ["add_user", "find_user"]
        missed = toologue("apis", "shop.yaml", "tools.json", "--only", "find_uses", cwd=tmp_path)
        assert "--only 'find_uses' fits nothing: did you mean 'find_user'?" in missed.stderr


class TestChoice:
    @pytest.mark.parametrize(
        ("said", "names"),
        [
            ({"only": ("*_user", "list_*")}, ["list_orders", "add_user"]),
            ({"tag": ("user*",)}, ["add_user"]),
            ({"tag": ("one", "users"), "exclude": ("get_*",)}, ["add_user"]),
        ],
    )
    def test_by_globs_of_names_and_tags(self, said: dict[str, Any], names: list[str]) -> None:
        read = openapi_of(read_text(SOME, "shop.yaml"), Choice(**said))
        assert [one.api.name for one in read.operations] == names
        assert not read.left_out, "of what is not chosen nothing is said"

    def test_a_glob_that_fits_nothing_is_an_error(self) -> None:
        for said, message in (
            ({"only": ("list_order",)}, "shop.yaml: --only 'list_order' fits nothing: did you mean 'list_orders'?"),
            ({"tag": ("user",)}, "shop.yaml: --tag 'user' fits nothing: did you mean 'users'?"),
            ({"exclude": ("zzz",)}, "shop.yaml: --exclude 'zzz' fits nothing: there are list_orders, get_order,"),
        ):
            with pytest.raises(BadSetting, match=re.escape(message)):
                openapi_of(read_text(SOME, "shop.yaml"), Choice(**said))


class TestReferences:
    PART: ClassVar = {"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/S0"}}
    S0: ClassVar = {"get": {"parameters": [PART]}}
    REFERENCE = get("responses: {'200': {$ref: TARGET}}", "components: {responses: {Order: {}, a: {$ref: TWIN}}}")

    @pytest.mark.parametrize(
        ("target", "twin", "message"),
        [
            ("'#/components/responses/Oder'", "'#/paths'", "leads nowhere (did you mean #/components/responses/Order)"),
            ("'#/nothing/at/all'", "'#/paths'", "'#/nothing/at/all' leads nowhere"),
            ("'other.yaml#/Order'", "'#/paths'", "is in another document"),
            ("'https://api.example/x.json'", "'#/paths'", "is on the net, and nothing is fetched"),
            ("'#/components/responses/a'", "'#/components/responses/a'", "leads in a circle (write out what it"),
        ],
    )
    def test_that_cannot_be_followed(self, target: str, twin: str, message: str) -> None:
        text = self.REFERENCE.replace("TARGET", target).replace("TWIN", twin)
        found = refused(text)
        assert found.startswith("shop.yaml:4: $.paths['/orders'].get.responses.200.$ref: ")
        assert message in found

    @pytest.mark.parametrize("key", ["allOf", "anyOf", "oneOf"])
    @pytest.mark.parametrize("steps", [1, 2, 40])
    def test_a_schema_is_not_made_of_itself(self, key: str, steps: int) -> None:
        schemas = {f"S{n}": {key: [{"$ref": f"#/components/schemas/S{(n + 1) % steps}"}] * 2} for n in range(steps)}
        with pytest.raises(BadRecord, match=r"'#/components/schemas/S\d+' leads in a circle"):
            read_openapi({"openapi": "3.1.0", "paths": {"/x": self.S0}, "components": {"schemas": schemas}})

    def test_a_few_lines_do_not_stand_for_millions_of_schemas(self) -> None:
        schemas: dict[str, Any] = {
            f"S{n}": {"anyOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 4} for n in range(30)
        }
        whole = {"openapi": "3.1.0", "paths": {"/x": self.S0}, "components": {"schemas": {**schemas, "S30": {}}}}
        with pytest.raises(BadRecord, match="stands for more than 10,000 schemas at once"):
            read_openapi(whole)

    def test_a_tree_holds_trees(self) -> None:
        tree = "{type: object, properties: {left: {$ref: '#/components/schemas/T'}, size: {type: integer}}}"
        body = "requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/T'}}}}"
        found = api(get(body, f"components: {{schemas: {{T: {tree}}}}}")).parameters["left"].json_schema
        assert found["properties"]["left"] == {"type": "object"}

    def test_examples_are_data(self) -> None:
        found = api(get("parameters: [{name: a, in: query, schema: {example: {$ref: nowhere}}}]"))
        assert found.parameters["a"].json_schema == {"example": {"$ref": "nowhere"}}

    def test_wide_documents_are_read_in_no_time(self) -> None:
        schemas: dict[str, Any] = {
            f"S{n}": {"properties": {f"p{k}": {"$ref": f"#/components/schemas/S{n + 1}"} for k in range(10)}}
            for n in range(12)
        }
        schemas["S12"] = {"enum": [f"v{n}" for n in range(20_000)]}
        answer = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}}
        paths = {"/x": {"get": {"responses": answer}}}
        read = read_openapi({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}})
        assert len(str(read.operations[0].api.returns)) < 3_000_000


schemas = st.fixed_dictionaries({}, optional={
    "type": st.sampled_from(["string", "integer", "number", "boolean", "object", "array", ["string", "null"]]),
    "enum": st.lists(st.sampled_from(["a", 1, None, True]), min_size=1, max_size=3),
    "minimum": st.integers(-2, 2), "exclusiveMaximum": st.integers(0, 3), "multipleOf": st.integers(1, 3),
    "minLength": st.integers(0, 2), "maxLength": st.integers(1, 3), "pattern": st.sampled_from(["^a", "b+"]),
    "required": st.lists(st.sampled_from("xy"), max_size=2, unique=True), "maxItems": st.integers(0, 2),
    "properties": st.dictionaries(st.sampled_from("xy"), st.sampled_from([{"type": "string"}, {"maximum": 1}])),
    "additionalProperties": st.booleans(), "items": st.sampled_from([{"type": "integer"}, {"enum": ["a"]}]),
})  # fmt: skip
plain = st.none() | st.booleans() | st.integers(-3, 4) | st.sampled_from(["", "a", "ab", "bbb", "c"])
values = plain | st.lists(plain, max_size=3) | st.dictionaries(st.sampled_from("xyz"), plain, max_size=3)


@given(schemas, values)
def test_a_misfit_is_found_exactly_where_the_standard_sees_one(schema: dict[str, Any], value: Any) -> None:
    said = violation(value, schema, "it")
    assert (said is None) == jsonschema.Draft202012Validator(schema).is_valid(value), said
    assert said is None or said.startswith("it")


def test_what_stands_in_an_extension_costs_no_operation():
    paths = {"/notes": {"get": {"operationId": "list_notes", "x-policies": {"$ref": "#/components/x-policies/none"}}}}
    document = {"openapi": "3.0.3", "info": {"title": "Notes", "version": "1"}, "paths": paths}
    read = read_openapi(document)
    assert [one.api.name for one in read.operations] == ["list_notes"]
    assert not read.left_out
