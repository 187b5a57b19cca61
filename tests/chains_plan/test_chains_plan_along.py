"""What need not be asked for: values that come along with the one that was looked up, and what a document settles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chains_plan_samples import NUMBER, SIMILAR, TEXT, listed, shape
from hypothesis import given
from hypothesis import strategies as st

from toologue.apis.result_values import along, beside
from toologue.models.embed import embedder
from toologue.plan.chains.catalog import Catalog
from toologue.plan.chains.pairs import Job, Pair, edge_pairs
from toologue.plan.chains.planner import Planner
from toologue.project.chains import ChainMaking, Workspace, prepare
from toologue.schema import AgentTurn, Api, Call, Dialogue, Edge, Parameter, Plan
from toologue.schema.jsonl import write
from toologue.verify.chains import verify_chain
from toologue.worlds.documented import Documented
from toologue.worlds.documented.arguments import settled
from toologue.write.chains import ChainWriter
from toologue.write.chains.questions import estimate

DEGREES: dict[str, Any] = {"type": "number"}
PAGE: dict[str, Any] = {"type": "integer", "examples": [1]}
BANDS = {"confirm": 0.3, "suggest": 0.1}
WHERE = {"lat": DEGREES, "lon": DEGREES}


def api(name: str, description: str, returns: dict[str, Any], **takes: dict[str, Any]) -> Api:
    parameters = {key: Parameter(schema=schema) for key, schema in takes.items()}
    return estimate(Api(name=name, description=description, domain="Weather", parameters=parameters, returns=returns))


FIND = api("Weather|towns|Find town", "Find a town by its name.", shape(name=TEXT, **WHERE), city=TEXT)
LIST = api("Weather|towns|List towns", "List all towns.", listed(name=TEXT, **WHERE), page=PAGE)
SKY = api(
    "Weather|sky|Forecast", "Get the forecast for some coordinates.", shape(wind=NUMBER, humidity=NUMBER),
    latitude=DEGREES, longitude=DEGREES,
)  # fmt: skip
SNOW = api(
    "Weather|sky|Snow", "Get the snow report.", shape(depth=NUMBER, humidity=NUMBER), latitude=DEGREES, mode=TEXT
)
APIS = (FIND, LIST, SKY, SNOW)


def edge(source: Api, output: str, target: Api, *, chosen: bool = True) -> Edge:
    names = {"source": source.name, "output": output, "target": target.name, "parameter": "latitude"}
    return Edge(similarity=SIMILAR, chosen=chosen, **names)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("along") / "apis.jsonl"
    write(file, APIS)
    return file


def pair_of(file: Path, *edges: Edge) -> Pair:
    (pair,) = edge_pairs(Catalog(file), edges, Counter())
    return pair


def told(file: Path, pair: Pair, sequence: str) -> tuple[Plan, Dialogue]:
    plan = Planner(file, seed=3, bands=BANDS).plan(Job(1, sequence, pair))
    return plan, ChainWriter(APIS, embedder("lexical"), seed=3, bands=BANDS).words(plan)


def calls(dialogue: Dialogue) -> list[tuple[Call, Any]]:
    agent = (turn for turn in dialogue.turns if isinstance(turn, AgentTurn))
    pairs = (one for turn in agent for one in zip(turn.acts, turn.results, strict=True))
    return [(act, result.value) for act, result in pairs if isinstance(act, Call) and result is not None]


def flaws(dialogue: Dialogue) -> list[str]:
    world = Documented(APIS, seed=3)
    return [str(flaw) for flaw in verify_chain(dialogue, world, apis={one.name: one for one in APIS})]


class TestAlong:
    def test_a_longitude_comes_with_the_latitude_that_was_looked_up(self, file: Path) -> None:
        pair = pair_of(file, edge(FIND, "lat", SKY))
        plan, dialogue = told(file, pair, "11.8")
        (found, town), (looked, _) = calls(dialogue)
        assert pair.along == (("longitude", "lon"),)
        assert pair.handed == {"latitude": "lat", "longitude": "lon"}
        assert dialogue.origin["along"] == {"longitude": "lon"}
        assert list(found.arguments or ()) == ["city"]
        assert looked.arguments == {"latitude": town["lat"], "longitude": town["lon"]}
        assert "the latitude and the longitude" in " ".join(turn.text or "" for turn in dialogue.turns)
        assert flaws(dialogue) == []
        assert plan.cues[2].values == {"latitude": "", "longitude": ""}  # the request names both

    def test_it_is_that_of_the_row_that_was_chosen(self, file: Path) -> None:
        _, dialogue = told(file, pair_of(file, edge(LIST, "rows|lat", SKY)), "11.6")
        (_, towns), (looked, _) = calls(dialogue)
        chosen = [row for row in towns["rows"] if row["lat"] == (looked.arguments or {})["latitude"]]
        assert [row["lon"] for row in chosen] == [(looked.arguments or {})["longitude"]]
        assert flaws(dialogue) == []

    def test_whichever_row_is_chosen(self, file: Path) -> None:
        pair, planner = pair_of(file, edge(LIST, "rows|lat", SKY)), Planner(file, seed=3, bands=BANDS)
        chosen: set[int] = set()
        for number in range(8):
            dialogue = ChainWriter(APIS, embedder("lexical"), bands=BANDS).words(
                planner.plan(Job(number, "11.6", pair))
            )
            (_, towns), (looked, _) = calls(dialogue)
            chosen.add([row["lon"] for row in towns["rows"]].index((looked.arguments or {})["longitude"]))
            assert flaws(dialogue) == []
        assert len(chosen) > 1

    def test_another_rows_longitude_is_a_flaw(self, file: Path) -> None:
        _, dialogue = told(file, pair_of(file, edge(LIST, "rows|lat", SKY)), "11.6")
        (_, towns), (looked, _) = calls(dialogue)
        other = next(row["lon"] for row in towns["rows"] if row["lon"] != (looked.arguments or {})["longitude"])
        act = looked.replace(arguments={**(looked.arguments or {}), "longitude": other})
        turns = [
            turn.replace(acts=(act,)) if isinstance(turn, AgentTurn) and looked in turn.acts else turn
            for turn in dialogue.turns
        ]
        assert any("longitude; known is" in flaw for flaw in flaws(dialogue.replace(turns=tuple(turns))))

    def test_who_gives_what_comes_along_though_they_do_not_know_it(self, file: Path) -> None:
        _, dialogue = told(file, pair_of(file, edge(FIND, "lat", SKY)), "11.8")
        turns = [
            turn.replace(informed={"longitude": 4.8}) if turn.role == "user" and turn.action == "fail_inform" else turn
            for turn in dialogue.turns
        ]
        assert any(
            "does not know longitude, and gives it" in flaw for flaw in flaws(dialogue.replace(turns=tuple(turns)))
        )

    @pytest.mark.parametrize(
        ("parameter", "found"),
        [
            ("lon", "place|lng"), ("longitude", "place|lng"), ("seasonId", "season|id"), ("id", None), ("name", None),
            ("place_lat", None), ("wind", None),
        ],
    )  # fmt: skip
    def test_by_how_it_is_called(self, parameter: str, found: str | None) -> None:
        outputs = ["place|lat", "place|lng", "place|id", "season|id", "box|lng", "name"]
        assert dict(along("place|lat", outputs, [parameter])).get(parameter) == found

    @given(st.lists(st.tuples(st.integers(0, 9), st.integers()), min_size=1, unique_by=lambda row: row[0]))
    def test_a_value_of_the_same_row(self, rows: list[tuple[int, int]]) -> None:
        result = {"data": {"rows": [{"at": {"lat": lat}, "lon": lon} for lat, lon in rows], "size": len(rows)}}
        for lat, lon in rows:
            assert beside(result, "data|rows|lon", "data|rows|at|lat", lat) == lon
            assert beside(result, "data|size", "data|rows|at|lat", lat) == len(rows)
        assert beside(result, "data|rows|lon", "data|rows|at|lat", "none") is None


class TestNamed:
    """Nobody knows a latitude: they are asked which place it is, and say what it is called."""

    def test_which_one_it_is(self, file: Path) -> None:
        pair = pair_of(file, edge(FIND, "lat", SKY))
        _, dialogue = told(file, pair, "code.1")
        asked, answered = dialogue.turns[2], dialogue.turns[3]
        assert pair.mind == "name"
        assert [one.key for one in pair.sequences()] == ["code.1", "code.2", "code.3"]
        assert "place" in (asked.text or "")
        assert answered.role == "user"
        assert list(answered.informed) == ["city"]
        assert str(answered.informed["city"]) in answered.text
        assert flaws(dialogue) == []

    def test_a_name_that_nobody_said_is_a_flaw(self, file: Path) -> None:
        _, dialogue = told(file, pair_of(file, edge(FIND, "lat", SKY)), "code.1")
        answered = dialogue.turns[3]
        assert answered.role == "user"
        turns = (*dialogue.turns[:3], answered.replace(informed={}), *dialogue.turns[4:])
        found = flaws(dialogue.replace(turns=turns))
        assert any("Find town is called with" in flaw and "known is nothing" in flaw for flaw in found)

    def test_who_has_nothing_in_mind_chooses(self, file: Path) -> None:
        pair = pair_of(file, edge(LIST, "rows|lat", SKY))
        plan, dialogue = told(file, pair, "11.6")
        assert pair.mind == "open"
        assert plan.cues[3].before == {"missing": "latitude", "mind": "open"}
        assert "latitude" not in " ".join(turn.text or "" for turn in dialogue.turns)

    def test_the_papers_rule_asks_for_it(self, file: Path) -> None:
        pairs = edge_pairs(Catalog(file), [edge(FIND, "lat", SKY)], Counter(), rule="published")
        assert [pair.mind for pair in pairs] in ([], ["id"])


class TestSettled:
    def test_what_is_documented_for_a_setting(self) -> None:
        takes = {
            "page": PAGE,
            "sort_by": {"type": "string", "default": "name"},
            "type": {"enum": ["a", "b"], "default": "a"},
            "limit": {"type": "integer", "examples": ["many"]},
            "city": {"type": "string", "examples": ["Oslo"]},
        }
        assert settled(api("Towns", "", {}, **takes)) == {"page": 1, "sort_by": "name", "type": "a"}

    @pytest.mark.parametrize("odd", [{"enum": 3}, {"examples": "a"}, {"examples": ["string"]}, {"default": [1]}, {}])
    def test_odd_documents_settle_nothing(self, odd: dict[str, Any]) -> None:
        assert settled(api("Towns", "", {}, page={"type": "integer", **odd})) == {}

    def test_an_optional_one_is_left_alone(self) -> None:
        assert settled(Api(name="Towns", parameters={"page": Parameter(schema=PAGE, required=False)})) == {}

    def test_nobody_is_asked_for_it_and_every_state_has_it(self, file: Path) -> None:
        _, dialogue = told(file, pair_of(file, edge(LIST, "rows|lat", SKY)), "11.6")
        (listed, _), _ = calls(dialogue)
        states = [turn.state for turn in dialogue.turns if isinstance(turn, AgentTurn) and turn.state]
        assert listed.arguments == {"page": 1}
        assert [one.required for one in states if one.api == LIST.name] == [{"page": 1}]

    def test_another_page_is_a_flaw(self, file: Path) -> None:
        _, dialogue = told(file, pair_of(file, edge(LIST, "rows|lat", SKY)), "11.6")
        turns = [
            turn.replace(acts=(turn.acts[0].replace(arguments={"page": 2}),))
            if isinstance(turn, AgentTurn) and turn.action == "call" and turn.state and turn.state.api == LIST.name
            else turn
            for turn in dialogue.turns
        ]
        assert any("with 2 for page; known is 1" in flaw for flaw in flaws(dialogue.replace(turns=tuple(turns))))

    def test_a_setting_without_a_documented_value_still_has_no_words(self, file: Path) -> None:
        dropped = Counter[Any]()
        assert list(edge_pairs(Catalog(file), [edge(FIND, "lat", SNOW)], dropped)) == []
        assert dropped == {"no words for it": 1}


class TestEdgesThatWereNotChosen:
    def test_stand_in_where_the_best_one_makes_no_conversation(self, file: Path, tmp_path: Path) -> None:
        write(tmp_path / "graph.jsonl", [edge(FIND, "lat", SKY, chosen=False), edge(FIND, "name", SKY)])
        making = ChainMaking(ratio=(1, 0, 0))
        made = prepare([file], Workspace(tmp_path / "set", tmp_path, making), graph=tmp_path / "graph.jsonl")
        assert [(one.source, one.output) for one in made.pairs["train"] if one.source] == [(FIND.name, "lat")]

    def test_make_no_second_pair_beside_the_best_one(self, file: Path, tmp_path: Path) -> None:
        write(tmp_path / "graph.jsonl", [edge(LIST, "rows|lat", SKY, chosen=False), edge(FIND, "lat", SKY)])
        making = ChainMaking(ratio=(1, 0, 0))
        made = prepare([file], Workspace(tmp_path / "set", tmp_path, making), graph=tmp_path / "graph.jsonl")
        assert {one.source for one in made.pairs["train"] if one.source} == {FIND.name, LIST.name}
        assert made.dropped["edges"]["not chosen"] == 0

    def test_are_looked_at_when_they_are_asked_for(self, file: Path) -> None:
        edges, dropped = [edge(FIND, "name", SKY), edge(FIND, "lat", SKY, chosen=False)], Counter[Any]()
        (pair,) = edge_pairs(Catalog(file), edges, dropped, chosen=False)
        assert pair.output == "lat"
        assert dropped == {"not chosen": 1}
