"""RapidAPI and ToolBench records become Apis: nothing lost, nothing invented, every complaint with its place."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toologue.apis.entities import inputs, outputs
from toologue.apis.load import apis_of, apis_of_all
from toologue.apis.rapidapi import Flat, Notes, nested, read_rapidapi, schema_of_example
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.schema import Api

TEAMS: dict[str, Any] = {
    "full_name": "Sports|league|Teams | of a league ",
    "category": "Sports",
    "description": "The teams of a league.",
    "keywords": ["football", "team"],
    "required_parameters": [
        {
            "name": "league",
            "type": "NUMBER",
            "description": "Which.",
            "default": "4",
            "phrase": "id of one league",
        }
    ],
    "optional_parameters": [
        {"name": "active", "type": "BOOLEAN", "default": "true"},
        {"name": "since", "type": "DATE (YYYY-MM-DD)", "default": ""},
        {"name": "tags", "type": "LIST", "default": "a, b"},
        {"name": "near", "type": "GEOPOINT (latitude, longitude)", "default": 7},
    ],
    "outputs": [
        {"name": "total", "type": "integer", "count": 1, "example": 20},
        {"name": "teams|id", "type": "integer", "count": 20, "example": 7, "long_description": "A number."},
        {"name": "teams|name", "type": "string", "count": 20, "example": "Reds"},
        {"name": "teams|players|id", "type": "integer", "count": 220, "example": 1},
        {"name": "teams|players|nick", "type": "string", "count": 30, "example": "Ace"},
        {"name": "teams|shirts", "type": "string", "count": 40, "example": "red"},
    ],
}


def lines(file: Path, *records: Any) -> Path:
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)
    return file


def one(tmp_path: Path, **changes: Any) -> Api:
    (api,) = read_rapidapi(lines(tmp_path / "one.jsonl", {**TEAMS, **changes}), Notes())
    return api


class TestARecord:
    def test_its_name_domain_and_words_are_kept_to_the_letter(self, tmp_path: Path) -> None:
        api = one(tmp_path)
        assert (api.name, api.domain) == ("Sports|league|Teams | of a league ", "Sports")
        assert (api.description, api.keywords, api.writes) == ("The teams of a league.", ("football", "team"), False)

    def test_its_parameters_have_types_and_values_of_these_types(self, tmp_path: Path) -> None:
        made = one(tmp_path).parameters
        assert made["league"].json_schema == {
            "type": "number", "title": "id of one league", "description": "Which.", "examples": [4],
        }  # fmt: skip
        assert made["active"].json_schema == {"type": "boolean", "default": True}
        assert made["since"].json_schema == {"type": "string", "format": "date"}
        assert made["since"].compare == "date"
        assert made["tags"].json_schema == {"type": "array", "default": ["a", "b"]}
        assert made["near"].json_schema == {"type": "string", "default": "7"}
        assert one(tmp_path).required == ("league",)

    def test_its_outputs_become_objects_and_lists(self, tmp_path: Path) -> None:
        returns: Any = one(tmp_path).returns["properties"]
        team = returns["teams"]["items"]["properties"]
        assert returns["total"] == {"type": "integer", "examples": [20]}
        assert returns["teams"]["type"] == team["players"]["type"] == team["shirts"]["type"] == "array"
        assert team["players"]["items"]["properties"].keys() == {"id", "nick"}
        assert team["id"] == {"type": "integer", "x-description": "A number.", "examples": [7], "x-count": 20}

    def test_outputs_that_all_stand_often_are_a_bare_list(self, tmp_path: Path) -> None:
        rows = [{"name": name, "type": "string", "count": 9} for name in ("id", "name")]
        assert one(tmp_path, outputs=rows).returns["type"] == "array"
        (only,) = outputs(one(tmp_path, outputs=[{"name": "", "type": "string", "count": 9}]))
        assert (only.name, only.many) == ("", True)

    @pytest.mark.parametrize(
        ("told", "description"),
        [
            ({"aug_description": "Better."}, "Better."),
            ({"description": None, "tool_description": "A league."}, "A league."),
            ({"description": None}, ""),
        ],
    )
    def test_the_best_description_there_is(self, tmp_path: Path, told: dict[str, Any], description: str) -> None:
        assert one(tmp_path, **told).description == description

    @pytest.mark.parametrize("counts", [(1, 1), (9, 9), (1, 9)])
    def test_two_outputs_of_one_name_are_both_kept(self, tmp_path: Path, counts: tuple[int, int]) -> None:
        kinds = ("string", "integer")
        said = [{"name": "teams|id", "type": t, "count": n} for t, n in zip(kinds, counts, strict=True)]
        found = outputs(one(tmp_path, outputs=said))
        assert [(output.name, output.schema["type"]) for output in found] == [("teams|id", kind) for kind in kinds]

    def test_without_parameters_or_outputs(self, tmp_path: Path) -> None:
        api = one(tmp_path, required_parameters=None, optional_parameters=[], outputs=[])
        assert (api.parameters, api.returns, [*outputs(api)]) == ({}, {}, [])

    def test_the_shape_of_the_published_code(self, tmp_path: Path) -> None:
        record = {
            "full_name": "A|b|c", "category_name": "A", "tool_name": "b", "api_name": "c",
            "required_parameters": [{"name": "x", "object_ad": "five words of one x", "object_long": "It is x."}],
            "output_components": [{"name": "data|y", "object_ad": "five words of one y", "object_long": "It is y."}],
        }  # fmt: skip
        (api,) = read_rapidapi(lines(tmp_path / "old.jsonl", record))
        assert [(e.name, e.phrase, e.description) for e in (*inputs(api), *outputs(api))] == [
            ("x", "five words of one x", "It is x."),
            ("data|y", "five words of one y", "It is y."),
        ]


TOOL: dict[str, Any] = {
    "tool_name": "League", "standardized_name": "league", "tool_description": "About leagues.",
    "api_list": [
        {"name": "Teams", "method": "GET", "required_parameters": [], "optional_parameters": [],
         "body": '{"teams": [{"id": 1, "name": "Reds"}, {"id": 2, "logo": null}]}'},
        {"name": "Join", "method": "POST", "schema": {"type": "object", "properties": {"ticket": {"type": "string"}}}},
        {"name": "Ping", "test_endpoint": "<html>pong</html>"},
    ],
}  # fmt: skip


class TestToolFiles:
    def test_a_tool_and_the_folder_that_is_its_category(self, tmp_path: Path) -> None:
        (tmp_path / "Sports").mkdir()
        file = tmp_path / "Sports" / "league.json"
        file.write_text(json.dumps(TOOL))
        teams, join, ping = apis_of(file)
        assert [api.name for api in (teams, join, ping)] == [
            f"Sports|league|{name}" for name in ("Teams", "Join", "Ping")
        ]
        assert [(e.name, e.many) for e in outputs(teams)] == [(f"teams|{key}", True) for key in ("id", "name", "logo")]
        assert [e.name for e in outputs(join)] == ["ticket"]
        assert (join.writes, teams.writes) == (True, False)
        assert (ping.returns, ping.description) == ({}, "About leagues.")

    def test_an_envelope_of_the_simulator_is_taken_off(self, tmp_path: Path) -> None:
        record = {"full_name": "A|b|c", "output": {"error": "", "response": {"id": 4}}}
        (api,) = read_rapidapi(lines(tmp_path / "x.jsonl", record))
        assert [(e.name, e.schema["examples"]) for e in outputs(api)] == [("id", [4])]

    @pytest.mark.parametrize("target", ["#/properties/next", "#/nowhere"])
    def test_a_schema_in_a_circle_or_to_nowhere(self, tmp_path: Path, target: str) -> None:
        form = {"type": "object", "properties": {"id": {"type": "string"}, "next": {"$ref": target}}}
        notes = Notes()
        (api,) = read_rapidapi(lines(tmp_path / "x.jsonl", {"full_name": "A|b|c", "schema": form}), notes)
        assert (api.returns, notes.total()) == ({}, 1)

    def test_a_schema_that_holds_itself_in_a_list(self, tmp_path: Path) -> None:
        form = {
            "type": "object",
            "properties": {"id": {"type": "string"}, "in": {"type": "array", "items": {"$ref": "#"}}},
        }
        (api,) = read_rapidapi(lines(tmp_path / "x.jsonl", {"full_name": "A|b|c", "schema": form}))
        assert [e.name for e in outputs(api)][:2] == ["id", "in|id"]


class TestHostileInput:
    def test_names_may_be_shared_when_records_are_streamed(self, tmp_path: Path) -> None:
        file = lines(tmp_path / "twice.jsonl.gz", TEAMS, {**TEAMS, "description": "Again."})
        assert [api.description for api in read_rapidapi(file)] == ["The teams of a league.", "Again."]
        with pytest.raises(BadSetting, match=r"'Sports\|league\|Teams .* \(number 2 here, number 1 there\)"):
            apis_of_all([file])

    @pytest.mark.parametrize(
        ("change", "path", "what"),
        [
            ({"outputs": [{"type": "string"}]}, r"\$\.outputs\[0\]\.name", "missing"),
            ({"outputs": "id"}, r"\$\.outputs", "array"),
            ({"required_parameters": [{"name": 7}]}, r"\$\.required_parameters\[0\]\.name", "string"),
            ({"outputs": [{"name": "|".join("a" * 70)}]}, r"\$\.outputs\[0\]\.name", "more than 60 levels"),
            ({"full_name": ""}, r"\$:", "without a name"),
            ({"outputs": [{"name": "a", "example": float("nan")}]}, r"\$\.outputs\[0\]\.example", "finite"),
        ],
    )
    def test_file_line_and_path_of_what_is_wrong(
        self, tmp_path: Path, change: dict[str, Any], path: str, what: str
    ) -> None:
        file = lines(tmp_path / "bad.jsonl", TEAMS, {**TEAMS, **change})
        with pytest.raises(BadRecord, match=rf"bad\.jsonl:2: {path}.*{what}"):
            list(read_rapidapi(file))

    def test_what_is_not_utf_8(self, tmp_path: Path) -> None:
        file = lines(tmp_path / "latin.jsonl", TEAMS)
        file.write_bytes(file.read_bytes() + json.dumps(TEAMS).replace("The teams", "Größe").encode("latin-1") + b"\n")
        with pytest.raises(BadRecord, match=r"latin\.jsonl:2"):
            apis_of(file)

    def test_a_last_line_that_was_cut_off_loses_only_itself(self, tmp_path: Path) -> None:
        file = lines(tmp_path / "cut.jsonl", TEAMS)
        file.write_bytes(file.read_bytes() + b'{"full_name": "half')
        assert len(apis_of(file)) == 1

    def test_an_empty_file_and_other_records(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match="holds no record"):
            apis_of(lines(tmp_path / "none.jsonl"))
        with pytest.raises(BadRecord, match=r"other\.jsonl:1"):
            apis_of(lines(tmp_path / "other.jsonl", {"some": "thing"}))

    def test_long_texts_are_cut_and_counted(self, tmp_path: Path) -> None:
        notes = Notes()
        huge = {**TEAMS, "description": "x" * 10_000_000, "outputs": [{"name": "a", "description": "y" * 10_000_000}]}
        (api,) = read_rapidapi(lines(tmp_path / "huge.jsonl", huge), notes)
        assert (len(api.description), api.description[-1], notes.total()) == (4000, "…", 2)
        assert len(api.model_dump_json()) < 20_000

    def test_unknown_types_are_texts_and_said_once(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        parameters = [
            {"name": "a", "type": "QUATERNION"},
            {"name": "b", "type": "QUATERNION"},
            {"name": "a", "type": ""},
        ]
        with caplog.at_level(logging.WARNING):
            (api,) = read_rapidapi(lines(tmp_path / "odd.jsonl", {**TEAMS, "required_parameters": parameters}))
        assert api.parameters["a"].json_schema == {"type": "string"}
        assert "2 of the unknown type QUATERNION were read as texts" in caplog.text
        assert "1 parameters that are documented twice" in caplog.text

    def test_a_default_of_another_type_is_left_out_and_counted(self, tmp_path: Path) -> None:
        notes = Notes()
        record = {**TEAMS, "required_parameters": [{"name": "n", "type": "NUMBER", "default": "many"}]}
        (api,) = read_rapidapi(lines(tmp_path / "odd.jsonl", record), notes)
        assert (api.parameters["n"].json_schema, notes.total()) == ({"type": "number"}, 1)


NAMES = st.lists(
    st.tuples(st.lists(st.sampled_from(["a", "b", "items", "id", "", "x.y", "c[]"]), max_size=5), st.integers(1, 9)),
    max_size=14,
)


class TestTheLaw:
    @given(NAMES)
    def test_outputs_gives_back_the_names_of_a_record_in_their_order(self, rows: list[tuple[list[str], int]]) -> None:
        flat = [Flat("|".join(keys), {"type": "string"}, times) for keys, times in rows]
        names = [one.name for one in flat]
        assume(len({*names}) == len(names))  # of outputs of one name one may be given back
        api = Api(name="x", returns=nested(flat))
        assert [one.name for one in outputs(Api.model_validate_json(api.model_dump_json(by_alias=True)))] == names

    @given(
        st.recursive(
            st.integers() | st.text("ab") | st.none(), lambda it: st.lists(it) | st.dictionaries(st.text("xy"), it)
        )
    )
    def test_an_example_gives_a_schema_whatever_it_is(self, example: Any) -> None:
        list(outputs(Api(name="x", returns=schema_of_example(example))))


@pytest.mark.parametrize("name", ["rapidapi_aug1308", "rapidapi_scale4474", "augmented_400"])
def test_the_published_records_are_read_whole(shared: Callable[..., Path], name: str) -> None:
    file, notes = shared("tooldial", f"{name}.jsonl.gz"), Notes()
    with gzip.open(file) as stream:
        for record, api in zip(map(json.loads, stream), read_rapidapi(file, notes), strict=True):
            assert api.name == record["full_name"]
            assert [one.name for one in outputs(api)] == [one["name"] for one in record["outputs"]]
            assert [one.phrase for one in outputs(api)] == [one.get("phrase", "") for one in record["outputs"]]
            named = [one["name"] for one in (*record["required_parameters"], *record["optional_parameters"])]
            assert [one.name for one in inputs(api)] == [*dict.fromkeys(named)]
    assert not [what for what in notes if "unknown type" in what or "cut" in what]
