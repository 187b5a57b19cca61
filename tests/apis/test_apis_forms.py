"""The other forms: ALMITA's JSON, tools of four providers, Python functions; and how a source is recognised."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from tests.command import toologue
from toologue.apis.functions import api_of_function, apis_of_functions
from toologue.apis.load import apis_of, apis_of_all
from toologue.apis.tools import read_almita, read_tools, schema_of_type
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.schema import Api
from toologue.schema.jsonl import read, write


def almita(**api: Any) -> Api:
    (made,) = read_almita({"apis": [{"name": "do_it", **api}]})
    return made


class TestAlmita:
    """arXiv 2409.15934, A.3."""

    @pytest.mark.parametrize("empty", [{"apis": []}, {}])
    def test_no_api_is_legal(self, empty: dict[str, Any]) -> None:
        assert read_almita(empty) == []

    @pytest.mark.parametrize(
        ("text", "schema", "optional"),
        [
            ("int", {"type": "integer"}, False),
            ("str", {"type": "string"}, False),
            ("Optional[str]", {"type": "string"}, True),
            ("str | None", {"type": "string"}, True),
            ("None | int | str", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, True),
            ("Union[int, float]", {"anyOf": [{"type": "integer"}, {"type": "number"}]}, False),
            ("list[str]", {"type": "array", "items": {"type": "string"}}, False),
            ("List[Optional[int]]", {"type": "array", "items": {"type": "integer"}}, False),
            ("typing.Optional[list[bool]]", {"type": "array", "items": {"type": "boolean"}}, True),
            ("dict[str, float]", {"type": "object", "additionalProperties": {"type": "number"}}, False),
            ("dict", {"type": "object"}, False),
            ("Literal['a', 2]", {"enum": ["a", 2]}, False),
            ("datetime.date", {"type": "string", "format": "date"}, False),
            ("Any", {}, False),
            ("'list[int]'", {"type": "array", "items": {"type": "integer"}}, False),
        ],
    )
    def test_types_are_those_of_python(self, text: str, schema: dict[str, Any], optional: bool) -> None:
        assert schema_of_type(text) == (schema, optional)
        made = almita(params=[{"it": text}]).parameters["it"]
        assert (made.json_schema, made.required) == (schema, not optional)

    @pytest.mark.parametrize(
        "text", ["None", "", "  ", "Optional[None]", "object", "list[", "f()", "1 + 1", "x.y.z", "dict[str]", "[int]"]
    )
    def test_what_says_nothing_is_refused(self, text: str) -> None:
        with pytest.raises(BadRecord, match=r"\$\.apis\[0\]\.params\[0\]\.it: .*write it as in Python: int, str"):
            almita(params=[{"it": text}])

    @given(st.text(max_size=30))
    def test_no_text_breaks_the_reader_of_types(self, text: str) -> None:
        with suppress(ValueError):
            schema_of_type(text)

    def test_deep_types_end_no_process(self) -> None:
        with pytest.raises(ValueError, match="is no type"):
            schema_of_type("list[" * 5_000 + "int" + "]" * 5_000)

    @pytest.mark.parametrize(
        "params",
        [
            [{"order_id": "int"}, {"note": "Optional[str]"}],
            [{"name": "order_id", "type": "int"}, {"name": "note", "type": "Optional[str]"}],
            {"order_id": "int", "note": "Optional[str]"},
            [{"order_id": "int", "note": "Optional[str]"}],
        ],
    )
    def test_parameters_are_written_in_four_ways(self, params: Any) -> None:
        made = almita(params=params)
        assert list(made.parameters) == ["order_id", "note"]
        assert made.required == ("order_id",)

    def test_what_comes_back(self) -> None:
        assert almita(output="list[str]").returns == {"type": "array", "items": {"type": "string"}}
        named = {"type": "object", "properties": {"refund_id": {"type": "string"}}}
        assert almita(output={"name": "refund_id", "type": "str"}).returns == named
        assert almita(output=[{"refund_id": "str"}]).returns == named
        assert all(almita(output=nothing).returns == {} for nothing in (None, "", "None", {}, []))

    @pytest.mark.parametrize(
        ("api", "message"),
        [
            (
                {"name": "cancelOrder"},
                "$.apis[0].name: 'cancelOrder' is no name in snake case (call it 'cancel_order')",
            ),
            ({"name": None}, "$.apis[0].name: None is no name in snake case"),
            ({"params": [{"orderId": "int"}]}, "$.apis[0].params[0].orderId: 'orderId' is no name in snake case"),
            ({"params": [{"password": "str"}]}, "$.apis[0].params[0].password: 'password' is a secret"),
            ({"params": [{"new_pwd": "str"}]}, "'new_pwd' is a secret (an agent never asks for one: leave it"),
            ({"params": [{"a": "int"}, {"a": "str"}]}, "$.apis[0].params[1].a: there are two parameters 'a'"),
            ({"params": [{"a": 5}]}, "$.apis[0].params[0].a: the type 5 says nothing"),
            ({"params": "a"}, "$.apis[0].params: expected a list of parameters, got 'a'"),
            ({"params": ["a"]}, """$.apis[0].params[0]: expected {"order_id": "int"}, got 'a'"""),
        ],
    )
    def test_refusals_say_where(self, api: dict[str, Any], message: str) -> None:
        with pytest.raises(BadRecord) as caught:
            almita(**api)
        assert message in str(caught.value)

    @pytest.mark.parametrize("whole", [{"apis": 5}, {"apis": None}])
    def test_a_list_is_a_list(self, whole: Any) -> None:
        with pytest.raises(BadRecord, match=r"expected \{\"apis\": \[\.\.\.\]\}"):
            read_almita(whole)


class TestTools:
    SCHEMA: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}  # noqa: RUF012

    @pytest.mark.parametrize(
        "tool",
        [
            {"type": "function", "function": {"name": "get_it", "parameters": SCHEMA}},
            {"type": "function", "name": "get_it", "parameters": SCHEMA, "strict": True},
            {"name": "get_it", "input_schema": SCHEMA},
            {"name": "get_it", "inputSchema": SCHEMA, "title": "It"},
        ],
        ids=["chat", "responses", "anthropic", "mcp"],
    )
    def test_of_four_providers_are_one(self, tool: dict[str, Any]) -> None:
        (api,) = read_tools([tool])
        assert (api.name, api.required, api.writes) == ("get_it", ("n",), False)
        assert api.parameters["n"].json_schema == {"type": "integer"}

    @pytest.mark.parametrize(
        ("tool", "message"),
        [
            ({"type": "web_search"}, "$[0]: a tool of type 'web_search': its provider runs it (leave it out)"),
            ({"input_schema": {}}, "$[0].name: this key is missing"),
            ({"name": "a", "input_schema": 5}, "$[0].input_schema: expected an object, got 5"),
            ({"name": "a", "input_schema": {"type": "string"}}, "$[0].input_schema: expected the schema of one object"),
            (
                {"name": "a", "input_schema": {"properties": {"n": {"$ref": "#/$defs/N"}}}},
                "$[0].input_schema.properties.n.$ref: '#/$defs/N' leads nowhere",
            ),
            (
                {
                    "name": "a",
                    "input_schema": {"$ref": "#/$defs/N", "$defs": {"N": {"allOf": [{"$ref": "#/$defs/N"}]}}},
                },
                "$[0].input_schema.$ref: '#/$defs/N' leads in a circle",
            ),
            ("get_it", "$[0]: expected an object, got 'get_it'"),
        ],
    )
    def test_refusals_say_where(self, tool: Any, message: str) -> None:
        with pytest.raises(BadRecord) as caught:
            read_tools([tool])
        assert message in str(caught.value)

    def test_one_that_cannot_be_read_is_left_out_unless_all_are_wanted(self, tmp_path: Path) -> None:
        file = tmp_path / "tools.json"
        good = {"name": "get_it", "inputSchema": self.SCHEMA}
        tools = [good, {"name": "bad", "inputSchema": 5}, {"type": "web_search"}]
        file.write_text(json.dumps({"tools": tools}, indent=1))
        done = toologue("apis", "tools.json", "--left-out", cwd=tmp_path)
        assert done.stderr.startswith("tools.json: 1 of 3 operations read; 2 left out:")
        assert done.stdout.splitlines()[0] == "tools.json:19: bad: expected an object, got 5"
        assert toologue("apis", "tools.json", "--strict", cwd=tmp_path).returncode == 2

    @pytest.mark.parametrize(
        ("name", "said", "writes"),
        [
            ("get_it", {}, False),
            ("transfer_to_human_agents", {}, False),
            ("transfer_to_people", {"readOnlyHint": True}, False),
            ("get_it", {"readOnlyHint": False}, True),
            ("get_and_drop", {"destructiveHint": True}, True),
            ("add_note", {"destructiveHint": False}, True),
        ],
    )
    def test_a_tool_writes_if_it_says_so(self, name: str, said: dict[str, bool], writes: bool) -> None:
        (api,) = read_tools([{"name": name, "inputSchema": {}, "annotations": said}])
        assert api.writes is writes


@dataclass
class Address:
    street: str
    city: str = "Oslo"


def move(
    customer: str, address: Address, how: Literal["now", "later"] = "now", when: date | None = None, *, _secret: int = 0
) -> list[str]:
    """Move a customer.

    Args:
        customer: Who it is.
        when: From when on.
    """
    raise NotImplementedError


def rated(stars: Annotated[int, Field(ge=1, le=5, description="How many.")], note=None):
    """Rate it.

    :param stars: Not this one.
    """


class TestFunctions:
    def test_signature_annotations_and_docstring_say_all(self) -> None:
        api = api_of_function(move)
        assert (api.name, api.description, api.writes) == ("move", "Move a customer.", False)
        assert api.required == ("customer", "address")
        assert api.parameters["customer"].json_schema == {"type": "string", "description": "Who it is."}
        assert api.parameters["address"].json_schema["properties"]["city"]["default"] == "Oslo"
        assert api.parameters["how"].json_schema["enum"] == ["now", "later"]
        assert api.parameters["when"].compare == "date"
        assert api.returns == {"type": "array", "items": {"type": "string"}}
        assert "_secret" not in api.parameters
        stars = api_of_function(rated).parameters["stars"].json_schema
        assert (stars["minimum"], stars["description"]) == (1, "How many.")
        assert not api_of_function(rated).parameters["note"].required

    def test_one_may_say_that_it_writes(self) -> None:
        def transfer_to_human_agents(summary: str) -> str:
            """Hand the conversation over."""
            raise NotImplementedError

        assert not api_of_function(transfer_to_human_agents).writes
        transfer_to_human_agents.writes = True  # type: ignore[attr-defined]
        assert api_of_function(transfer_to_human_agents).writes

    def test_a_class_and_an_object_give_their_public_methods(self) -> None:
        class Base:
            def find_order(self, number: str) -> str:
                """Find it."""
                return number

        class Desk(Base):
            @property
            def broken(self) -> str:
                raise AssertionError("nobody asks for it")

            def cancel_order(self, number: str) -> None:
                """Cancel it."""

            @staticmethod
            def get_day() -> str:
                """What day it is."""
                return "Monday"

            def _own(self) -> None: ...

        for source in (Desk, Desk()):
            found = apis_of_functions(source)
            assert [(api.name, list(api.parameters), api.writes) for api in found] == [
                ("find_order", ["number"], False),
                ("cancel_order", ["number"], False),
                ("get_day", [], False),
            ]
        for source in (type("Empty", (), {}), type("Empty", (), {})()):
            with pytest.raises(BadSetting, match="of the class Empty, has no public function of its own"):
                apis_of_functions(source)

    def test_what_has_no_names_or_no_schema_is_refused(self) -> None:
        def many(*names: str) -> None: ...
        def odd(lock: type(sys)) -> None: ...  # type: ignore[valid-type]

        with pytest.raises(BadSetting, match=r"many: the parameter .* cannot be given by name"):
            api_of_function(many)
        with pytest.raises(BadSetting, match=r"odd: lock: the annotation .* has no JSON Schema"):
            api_of_function(odd)
        with pytest.raises(BadSetting, match="cannot load 'no_such_module'"):
            apis_of_functions("no_such_module")
        with pytest.raises(BadSetting, match="has no public function of its own"):
            apis_of_functions("toologue.apis")


class TestSources:
    FORMS = {  # noqa: RUF012
        "openapi.yaml": "openapi: 3.1.0\npaths: {/orders: {get: {}}}",
        "tools.json": '[{"type": "function", "function": {"name": "list_orders"}}]',
        "wrapped.json": '{"tools": [{"name": "list_orders", "input_schema": {}}]}',
        "almita.json": '{"apis": [{"name": "list_orders", "params": []}]}',
    }

    @pytest.mark.parametrize("name", FORMS)
    def test_are_recognised_by_what_they_hold(self, name: str, tmp_path: Path) -> None:
        file = tmp_path / name
        file.write_text(self.FORMS[name])
        assert [api.name for api in apis_of(file)] == ["list_orders"]

    def test_a_jsonl_is_what_was_written(self, tmp_path: Path) -> None:
        file = tmp_path / "apis.jsonl"
        write(file, [almita(params=[{"n": "int"}])])
        assert apis_of(file) == list(read(file, Api)) == [almita(params=[{"n": "int"}])]

    def test_python_is_named_as_it_is_imported(self) -> None:
        assert [api.name for api in apis_of("toologue.apis.tools")] == [
            "read_tools",
            "tools_of",
            "read_almita",
            "almita_of",
            "schema_of_type",
        ]
        assert [api.name for api in apis_of("toologue.text.tokens:plural")] == ["plural"]

    @pytest.mark.parametrize("text", ["5", "{}x", "a: b", "[1]", '{"name": "x"}'])
    def test_what_describes_no_api_is_told_what_it_would_have_to_hold(self, text: str, tmp_path: Path) -> None:
        file = tmp_path / "it.yaml"
        file.write_text(text)
        with pytest.raises(BadRecord, match=r"it\.yaml"):
            apis_of(file)

    def test_an_empty_list_is_legal(self, tmp_path: Path) -> None:
        for text in ('{"apis": []}', "[]", '{"tools": []}', "{}"):
            (tmp_path / "it.json").write_text(text)
            assert apis_of(tmp_path / "it.json") == []

    def test_a_name_of_several_sources_has_that_of_its_source_in_front(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        for name in ("tools.json", "almita.json"):
            (tmp_path / name).write_text(self.FORMS[name])
        names = {api.name for api in apis_of_all([tmp_path / "tools.json", tmp_path / "almita.json"])}
        assert {"tools.list_orders", "almita.list_orders"} <= names
        assert "list_orders" not in names
        assert caplog.messages == [
            "names of several sources have that of their source in front: tools.list_orders and almita.list_orders"
        ]

    def test_documents_called_alike_are_told_apart_by_their_folders(self, tmp_path: Path) -> None:
        files = [tmp_path / home / "tools.json" for home in ("shop", "telecom")]
        for file in files:
            file.parent.mkdir()
            file.write_text(self.FORMS["tools.json"])
        names = {api.name for api in apis_of_all(files)}
        assert {"shop.list_orders", "telecom.list_orders"} <= names

    def test_a_name_stands_once_in_a_source(self, tmp_path: Path) -> None:
        (tmp_path / "tools.json").write_text(self.FORMS["tools.json"])
        with pytest.raises(BadSetting, match=r"the name 'list_orders' is taken by an API of .*tools\.json"):
            apis_of_all([tmp_path / "tools.json", tmp_path / "tools.json"])

    def test_files_that_cannot_be_used(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match="is a folder: name the files in it"):
            apis_of(tmp_path)
        with pytest.raises(BadFile, match=r"cannot read .*nowhere\.yaml"):
            apis_of(tmp_path / "nowhere.yaml")
        (tmp_path / "tools.py").write_text("")
        with pytest.raises(BadSetting, match="name the module as Python imports it, for example 'tools'"):
            apis_of(tmp_path / "tools.py")


def test_the_command_writes_them_all_or_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from toologue.cli import status

    good, bad, out = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "apis.jsonl"
    good.write_text(json.dumps({"apis": [{"name": "cancel_order", "params": [{"order_id": "int"}]}]}))
    bad.write_text(json.dumps({"apis": [{"name": "get_order", "params": [{"password": "str"}]}]}))
    assert status(["apis", str(good), "-o", str(out)]) == 0
    assert [api.name for api in read(out, Api)] == ["cancel_order"]
    assert "1 of 1 APIs writes, in " in capsys.readouterr().out
    out.unlink()
    assert status(["apis", str(good), str(bad), "-o", str(out)]) == 2
    assert f"toologue: {bad}:1: $.apis[0].params[0].password: 'password' is a secret" in capsys.readouterr().err
    assert not out.exists()
    assert status(["apis", str(good)]) == 0
    assert "cancel_order" in capsys.readouterr().out
    assert status(["apis"]) == 2
