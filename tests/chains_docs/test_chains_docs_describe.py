"""The describer: equal things get equal phrases, each has five to seven words and names nothing as code does."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from toologue.apis.entities import inputs, outputs
from toologue.apis.load import apis_of
from toologue.apis.openapi import read_openapi
from toologue.apis.rapidapi import Notes, read_rapidapi
from toologue.apis.tools import read_tools
from toologue.cli import apis as command
from toologue.errors import BadSetting
from toologue.plan.api_graph.describe import describe, described
from toologue.schema import Api, Parameter

LIKE = 0.83  # ToolDial's threshold for two phrases


def api(name: str, *names: str, takes: str = "", **more: Any) -> Api:
    """An API that gives back these outputs and takes one parameter."""
    parameters = {takes: Parameter(schema={"type": "string"})} if takes else {}
    properties: dict[str, Any] = {}
    for path in names:
        here = properties
        *way, last = path.split("|")
        for key in way:
            here = here.setdefault(key, {"type": "object", "properties": {}})["properties"]
        here[last] = {"type": "string"}
    returns = {"type": "object", "properties": properties} if names else {}
    return Api(name=name, parameters=parameters, returns=returns, domain=name.partition("|")[0], **more)


def phrase_of(name: str, output: str) -> str:
    (one,) = outputs(describe(api(name, output)))
    return one.phrase


def alike(one: str, other: str) -> float:
    """How alike a graph finds two phrases."""
    one, other = (re.sub("[^a-z0-9]", "", text.lower()) for text in (one, other))
    return LCSseq.similarity(one, other) / ((len(one) + len(other)) / 2)


def faults(phrase: str, sentence: str) -> list[str]:
    """What a phrase and a sentence lack for a graph to compare them."""
    words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", phrase)
    found = {
        "length": not 5 <= len(words) <= 7,
        "a name out of the code": re.search(r"\b[a-z]+[A-Z]\w*|\w+_\w+|[|{}\[\]<>]", phrase),
        "no sentence of its own": sentence.strip(" .").lower() in ("", phrase.lower()),
    }
    return [name for name, is_so in found.items() if is_so]


def problems(it: Api) -> list[str]:
    """What is wrong with the descriptions of an Api."""
    pairs = [(one.phrase, str(one.schema.get("x-description", ""))) for one in (*inputs(it), *outputs(it))]
    keywords = [] if 0 < len({*it.keywords}) == len(it.keywords) <= 4 else ["keywords"]
    return [*(what for pair in pairs for what in faults(*pair)), *keywords]


class TestPhrases:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("Sports|cricbuzz|Series", "teams|id"), ("Sports|cricbuzz|Squad", "teamId")),
            (("Sports|cricbuzz|Teams", "data|id"), ("Sports|cricbuzz|matches/get-info", "match|homeTeam|team_id")),
            (("list_orders", "orders|id"), ("refund", "orderId")),
            (("Data|atlas|Countries", "results|country|name"), ("Travel|holidays|Holidays", "country")),
            (("Data|zips|Lookup", "postcode"), ("Weather|skies|Forecast", "zip_code")),
            (("list_orders", "order_no"), ("list_orders", "order_number")),
        ],
    )
    def test_the_same_thing_by_other_names(self, one: tuple[str, str], other: tuple[str, str]) -> None:
        assert phrase_of(*one) == phrase_of(*other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("teamId", "playerId"), ("playerId", "seasonId"), ("teamId", "teamName"), ("cup_id", "cup_name"),
            ("match|startDate", "match|endDate"), ("product|price", "product|rating"), ("countryCode", "country"),
        ],
    )  # fmt: skip
    def test_other_things_are_told_apart(self, one: str, other: str) -> None:
        assert alike(*(phrase_of("Sports|cricbuzz|Stats", name) for name in (one, other))) <= LIKE

    def test_ids_of_other_tools_are_other_ids(self) -> None:
        basket, base = (phrase_of(f"Sports|{tool}|Standings", "tournamentId") for tool in ("hoopdata", "diamonds"))
        assert alike(basket, base) <= LIKE

    @given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.text(max_size=20))
    def test_any_name_gets_a_phrase_and_a_sentence(self, keys: list[str], name: str) -> None:
        made = describe(api(f"x{name}", "|".join(keys), takes="|".join(keys)))
        for entity in (*inputs(made), *outputs(made)):
            assert not faults(entity.phrase, entity.description)


class TestDescribe:
    def test_what_is_documented_stands(self) -> None:
        given_ = Parameter(schema={"title": "my own words for it all", "x-description": "Mine."})
        it = Api(name="a", parameters={"x": given_}, keywords=("own",))
        assert describe(it) == it

    def test_many_stay_in_their_order(self) -> None:
        many = [api(f"Sports|cricbuzz|Teams {number}", "teams|id") for number in range(200)]
        assert list(described(iter(many))) == [describe(one) for one in many]

    def test_who_has_all_phrases_stays_as_it_is(self) -> None:
        it = api("Sports|cricbuzz|Teams", takes="league").replace(
            parameters={"x": Parameter(schema={"title": "my own words for it all"})}
        )
        assert list(described([it])) == [it]

    def test_it_is_pure_and_settles_at_once(self) -> None:
        it = api("Sports|cricbuzz|Teams", "teams|id", takes="league")
        before = it.model_dump_json()
        made = describe(it)
        assert it.model_dump_json() == before
        assert describe(made) == made == describe(it)

    def test_the_lint_finds_nothing(self) -> None:
        it = api("Sports|cricbuzz|Teams", "teams|id", "teams|coach|firstName", "status", takes="league_id")
        assert list(problems(describe(it))) == []

    def test_at_most_four_keywords(self) -> None:
        it = api("Sports|cricket_live_scores|Teams", description="Squads, venues, umpires and toss results.")
        assert describe(it).keywords == ("sports", "cricket", "live", "team")

    def test_a_long_description_costs_nothing(self) -> None:
        huge = api("a|b|c", "id", description="word " * 2_000_000)
        assert len(next(outputs(describe(huge))).description) < 200

    def test_twenty_thousand_entities(self) -> None:
        it = api("Sports|cricbuzz|Teams", *(f"team{number}|id" for number in range(1000)))
        start = time.process_time()
        phrases = {one.phrase for number in range(20) for one in outputs(describe(it.replace(name=f"a|b{number}|c")))}
        assert phrases == {"team unique id of one team"}
        assert time.process_time() - start < 6  # 1 on a free core

    def test_the_published_records_are_described_whole(self, shared: Callable[..., Path]) -> None:
        found = list(read_rapidapi(shared("tooldial", "rapidapi_aug1308.jsonl.gz"), Notes()))
        wrong = [rule for one in found for rule in problems(describe(one)) if rule != "generic"]
        assert wrong == []


class TestOtherSources:
    """What OpenAPI, tool lists and functions give back is told well enough for entities."""

    def test_lists_circles_and_alternatives_of_openapi(self) -> None:
        pet = {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
                "home": {"oneOf": [{"type": "object", "properties": {"city": {"type": "string"}}}, {"type": "null"}]},
            },
        }
        answer = {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}
        content = {"application/json": {"schema": answer}}
        (one,) = read_openapi({
            "openapi": "3.1.0",
            "paths": {"/pets": {"get": {"responses": {"200": {"description": "", "content": content}}}}},
            "components": {"schemas": {"Pet": pet}},
        }).operations  # fmt: skip
        found = {entity.name: entity.many for entity in outputs(one.api)}
        assert found.items() >= {"id": True, "home|city": True}.items()
        assert describe(one.api).returns["type"] == "array"

    def test_a_tool_with_an_output_schema(self) -> None:
        schema = {
            "type": "object",
            "properties": {"order": {"type": "object", "properties": {"id": {"type": "string"}}}},
        }
        (tool,) = read_tools([{"name": "get_order", "inputSchema": {}, "outputSchema": schema}])
        assert [(one.name, one.phrase) for one in outputs(describe(tool))] == [
            ("order|id", "order unique id of one order")
        ]

    def test_schemas_nested_deeper_than_anybody_reads(self) -> None:
        deep: dict[str, Any] = {"type": "string"}
        for _ in range(80):
            deep = {"type": "object", "properties": {"in": deep}}
        assert [one.name.count("|") for one in outputs(Api(name="deep", returns=deep))] == [79]

    def test_a_schema_that_holds_itself(self) -> None:
        inner: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "string"}}}
        inner["properties"]["next"] = inner
        assert [one.name for one in outputs(Api(name="ring").replace(returns=inner))] == ["id"]  # and so on


class TestTheCommand:
    def test_records_become_described_apis(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file, out = tmp_path / "docs.jsonl", tmp_path / "apis.jsonl"
        record = {"full_name": "Sports|cricbuzz|Teams", "outputs": [{"name": "teams|id", "count": 2}]}
        file.write_text(json.dumps(record) + "\n")
        command.apis(str(file), out=out, describe="template")
        (made,) = apis_of(out)
        assert [one.phrase for one in outputs(made)] == ["team id of one cricbuzz team"]
        with pytest.raises(BadSetting, match="toologue apis enrich"):
            command.apis(str(file), describe="openai:some")
