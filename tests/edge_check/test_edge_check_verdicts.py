"""Which outputs can be fed to which parameters, why, and the figures of a whole graph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toologue.apis.entities import outputs
from toologue.apis.load import apis_of
from toologue.plan.api_graph.check import Checked, EdgeChecker
from toologue.plan.api_graph.check_graph import (
    Confusion,
    Label,
    check_graph,
    score_labels,
)
from toologue.schema import Api, Edge, Parameter, Similarities
from toologue.schema.jsonl import read, write

ALIKE = Similarities(lcs=0.9, keyword=0.9, description=0.9)


def gives(name, path, kind="integer", description="", **more):
    """An Api that gives one value, at a path of keys."""
    *around, last = path.split("|")
    schema = {"type": "object", "properties": {last: {"type": kind, "x-description": description, **more}}}
    for key in reversed(around):
        schema = {"type": "object", "properties": {key: {"type": "array", "items": schema}}}
    return Api(name=name, returns=schema, domain=name.split("|")[0])


def takes(name, parameter, kind="integer", description="", **more):
    """An Api that takes one value."""
    schema = {"type": kind, "description": description, **more}
    return Api(name=name, parameters={parameter: Parameter(schema=schema)}, domain=name.split("|")[0])


def edge(source, output, target, parameter):
    return Edge(source=source.name, output=output, target=target.name, parameter=parameter, similarity=ALIKE)


def verdict(source, output, target, parameter):
    return EdgeChecker([source, target]).verdict(edge(source, output, target, parameter))


SQUAD = gives("Sports|hockeyapi|Squad", "rows|playerId", description="Which ice hockey player.")
SEASON = takes("Sports|hockeyapi|Table", "seasonId", description="Which ice hockey season.")
PLAYER = takes("Sports|hockeyapi|Player", "playerId")


def test_a_tournament_of_one_sport_is_unknown_in_another():
    basketball = gives(
        "Sports|basketball_live|TopPlayers", "tournamentId", description="Number of the basketball tournament."
    )
    baseball = takes(
        "Sports|baseball_live|Statistics", "tournamentId", description="Number of the baseball tournament."
    )
    found = verdict(basketball, "tournamentId", baseball, "tournamentId")
    assert (found.valid, found.reason, found.why) == (False, "field", "basketball is not baseball")


def test_a_player_is_no_season():
    found = verdict(SQUAD, "rows|playerId", SEASON, "seasonId")
    assert (found.valid, found.reason, found.stage) == (False, "entity", "meaning")


CITY = {"kind": "string", "examples": ["Oslo"]}
WEATHER = takes("Weather|skies|Forecast", "city", "string")
CASES = {
    "an id of the same thing": (SQUAD, PLAYER, True, "same thing"),
    "a city, from anywhere": (gives("Travel|trips|Trip", "to|city", **CITY), WEATHER, True, "same everywhere"),
    "another provider's id": (gives("Sports|skatestats|Squad", "playerId"), PLAYER, False, "provider"),
    "an id where a name is asked for": (SQUAD, takes("Sports|hockeyapi|Find", "playerName", "string"), False, "facet"),
    "the status of the call": (
        gives("A|b|C", "status", "string"),
        takes("A|b|D", "name", "string"),
        False,
        "says nothing",
    ),
    "letters where digits are": (
        gives("A|shop|List", "items|productId", "string", examples=["B07V1PHM66"]),
        takes("A|shop|Get", "productId", "string", examples=["48211"]),
        False,
        "form",
    ),
    "a date in another form": (
        gives("A|b|C", "date", "string", examples=["12/31/2023"]),
        takes("A|b|D", "date", "string", examples=["2023-12-31"]),
        False,
        "form",
    ),
    "a text where a number is": (
        gives("A|b|C", "teamId", "string", examples=["east-7"]),
        takes("A|b|D", "teamId", "integer"),
        False,
        "refused",
    ),
    "nothing": (gives("A|b|C", "teamId", "null"), takes("A|b|D", "teamId", "string"), False, "no value"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_verdicts_say_why(case):
    source, target, valid, reason = case
    found = verdict(source, next(outputs(source)).name, target, next(iter(target.parameters)))
    assert (found.valid, found.reason) == (valid, reason), found


def test_what_nobody_documents_is_unknown_and_not_an_error():
    assert verdict(SQUAD, "rows|teamId", SEASON, "seasonId").reason == "unknown"
    assert verdict(SQUAD, "rows|playerId", SEASON, "season").reason == "unknown"


class TestAWholeGraph:
    EDGES = (edge(SQUAD, "rows|playerId", PLAYER, "playerId"), edge(SQUAD, "rows|playerId", SEASON, "seasonId"))

    def test_is_written_counted_and_read_again(self, tmp_path):
        graph, out, labels = (tmp_path / name for name in ("graph.jsonl", "checked.jsonl", "labels.jsonl"))
        write(graph, self.EDGES)
        rows = [one.model_dump(include={"source", "output", "target", "parameter"}) for one in self.EDGES]
        rows = [{**row, "label": number == 0, "why": "left alone"} for number, row in enumerate(rows)]
        labels.write_text("\n".join(map(json.dumps, rows)) + "\n")
        figures = check_graph(graph, [SQUAD, SEASON, PLAYER], out, labels=labels, sample=3)
        assert (figures.edges, figures.valid, figures.precision) == (2, 1, 0.5)
        assert figures.reasons == {"same thing": 1, "entity": 1}
        assert figures.truth == Confusion(hits=1, rejected=1)
        assert figures.truth.mcc == 1.0
        assert (figures.sampled, figures.npv) == (0, None)  # the graph joins all there is
        assert [one.edge for one in read(out, Checked) if one.verdict.valid] == [self.EDGES[0]]

    def test_pairs_outside_the_graph_are_sampled(self, tmp_path):
        write(tmp_path / "graph.jsonl", self.EDGES[:1])
        figures = check_graph(tmp_path / "graph.jsonl", [SQUAD, SEASON, PLAYER], tmp_path / "out", sample=5)
        assert (figures.sampled, figures.npv) == (5, 1.0)


def test_the_share_of_labels_is_kept(shared):
    """The labels of the benchmark; words and rules were tuned on one half of them."""
    file = Path(__file__).parents[2] / "bench" / "edges" / "labels.jsonl"
    rows = [Label.model_validate(json.loads(line)) for line in file.read_text("utf-8").splitlines()][::8]
    apis = {api.name: api for api in apis_of(shared("tooldial", "rapidapi_scale4474.jsonl.gz")) if api.returns}
    rows = [row for row in rows if row.source in apis and row.target in apis]
    needed = {name for row in rows for name in (row.source, row.target)}
    truth = score_labels(rows, EdgeChecker(apis[name] for name in needed))
    assert truth.kept > 0.8
    assert truth.refused > 0.8
