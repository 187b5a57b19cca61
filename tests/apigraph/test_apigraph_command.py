"""`toologue graph`: from documents to a graph, and what it has to say for itself."""

from __future__ import annotations

import json

import pytest
from apigraph_samples import api, entity

from toologue.cli.graph import build, show
from toologue.errors import BadSetting, UnknownName
from toologue.plan.api_graph.rules import read_about
from toologue.schema import Edge
from toologue.schema.jsonl import read, write

TEAM = entity("unique id of a team", "The unique id of a football team.")


@pytest.fixture
def apis(tmp_path):
    file = tmp_path / "apis.jsonl"
    write(
        file, [api("Teams", [("teams|id", TEAM)]), api("Players", [("id", TEAM)], [("team", TEAM)], keywords=["team"])]
    )
    return str(file)


class TestBuild:
    def test_writes_an_edge_a_line_and_what_it_was_made_by(self, apis, tmp_path, capsys):
        build(apis, out=tmp_path / "graph.jsonl", workers=1)
        line = json.loads((tmp_path / "graph.jsonl").read_text())
        assert line.pop("similarity").keys() == {"lcs", "keyword", "description"}
        names = {"source": "Teams", "output": "teams|id", "target": "Players", "parameter": "team"}
        assert line == {"format": "edge/1", **names, "chosen": True}
        about = read_about(tmp_path / "graph.jsonl")
        assert (about.rules, about.embedder, about.survivors["edges"]) == ("best", "lexical", 1)
        said = capsys.readouterr().out
        assert "1 edge, 1 pair of APIs, in" in said
        assert "phrases" in said

    def test_reads_records_and_describes_what_has_no_phrase(self, tmp_path):
        teams = {"full_name": "S|a|Teams", "category": "S", "outputs": [{"name": "team_id", "type": "string"}]}
        asks = {
            "full_name": "S|b|Squad",
            "category": "S",
            "required_parameters": [{"name": "team_id", "type": "STRING"}],
        }
        (tmp_path / "records.jsonl").write_text(f"{json.dumps(teams)}\n{json.dumps(asks)}\n")
        build(str(tmp_path / "records.jsonl"), out=tmp_path / "graph.jsonl", description=0.3, keyword=0.3, workers=1)
        assert [(edge.source, edge.target) for edge in read(tmp_path / "graph.jsonl", Edge)] == [
            ("S|a|Teams", "S|b|Squad")
        ]

    def test_settings_that_make_no_sense_are_refused(self, apis, tmp_path):
        with pytest.raises(BadSetting, match="name the APIs"):
            build(out=tmp_path / "graph.jsonl")
        with pytest.raises(BadSetting, match="--workers 0: give 1 or more"):
            build(apis, out=tmp_path / "graph.jsonl", workers=0)
        with pytest.raises(BadSetting, match="more than 0 pairs of an output and a parameter"):
            build(apis, out=tmp_path / "graph.jsonl", most=0)
        assert not (tmp_path / "graph.jsonl").exists()


class TestShow:
    @pytest.fixture
    def graph(self, apis, tmp_path, capsys):
        build(apis, out=tmp_path / "graph.jsonl", workers=1)
        capsys.readouterr()
        return tmp_path / "graph.jsonl"

    def test_the_whole(self, graph, capsys):
        show(graph)
        assert "1 edge, 1 pair of 2 APIs" in capsys.readouterr().out

    def test_the_neighbours_of_one(self, graph, capsys):
        show(graph, api="Players")
        assert capsys.readouterr().out.startswith("Teams: teams|id → its team (phrases 1.00, keywords ")
        with pytest.raises(UnknownName, match="no API of the graph is called 'Player'; did you mean 'Players'"):
            show(graph, api="Player")

    def test_why_two_are_joined_or_not(self, graph, apis, capsys):
        show(graph, apis=(apis,), why=("Teams", "Players"))
        assert "an edge, and the one that is kept" in capsys.readouterr().out
        show(graph, apis=(apis,), why=("Players", "Teams"))
        assert "Players gives nothing back, or Teams takes nothing" in capsys.readouterr().out
        with pytest.raises(BadSetting, match="--why needs the documents"):
            show(graph, why=("Teams", "Players"))
        with pytest.raises(UnknownName, match="did you mean 'Teams'"):
            show(graph, apis=(apis,), why=("Team", "Players"))
