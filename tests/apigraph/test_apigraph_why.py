"""Why an edge is there or not, and what a graph says of its making."""

from __future__ import annotations

import pytest
from apigraph_samples import Counting, api, entity

from toologue.errors import BadRecord, UnknownName
from toologue.plan.api_graph.edges import explain
from toologue.plan.api_graph.rules import About, Thresholds, about_file, read_about, write_about

HALF = Thresholds(0.6, 0.4, 0.6)
TEAM = entity("id of a team")
SOURCE = api("Source", [("id", TEAM), ("status", TEAM), ("near", entity("id of a teams")), ("day", entity("match"))])
TARGET = api("Target", [("id", TEAM)], [("team", TEAM), ("page", TEAM)])


class TestWhy:
    def told(self, **asked) -> dict[tuple[str, str], str]:
        reasons = explain(SOURCE, TARGET, Counting(), rules="published", thresholds=HALF, **asked)
        return {(one.output, one.parameter): one.verdict for one in reasons}

    def test_edges_come_first_and_one_is_kept(self):
        told = self.told(parameter="team")
        assert list(told.items())[:2] == [
            (("id", "team"), "an edge, and the one that is kept"),
            (("near", "team"), "an edge; another one is kept for these two"),
        ]

    def test_all_that_speaks_against_it_is_said(self):
        assert self.told(output="status", parameter="page") == {
            ("status", "page"): "no edge: of the output, its name, phrase or description contains 'status'; "
            "of the parameter, its name contains 'page'"
        }
        (verdict,) = self.told(output="day", parameter="team").values()
        assert "description 0.00, not above 0.6" in verdict

    def test_an_api_does_not_feed_itself(self):
        (reason,) = explain(
            SOURCE,
            SOURCE.replace(parameters=TARGET.parameters),
            Counting(),
            thresholds=HALF,
            output="id",
            parameter="team",
        )
        assert reason.verdict == "no edge: an API does not feed itself"

    def test_types_that_do_not_fit_are_told_under_the_better_rules(self):
        number = api("Number", takes=[("team", {**TEAM, "type": "boolean"})])
        (reason,) = explain(SOURCE, number, Counting(), thresholds=HALF, output="id")
        assert reason.verdict == "no edge: string does not fit boolean"

    def test_a_name_that_is_not_there_is_answered_with_the_nearest(self):
        with pytest.raises(UnknownName, match="no output of Source is called 'statis'; did you mean 'status'"):
            self.told(output="statis")
        assert explain(api("Empty"), TARGET, Counting(), thresholds=HALF) == []


class TestAbout:
    def test_stands_beside_the_graph_and_comes_back(self, tmp_path):
        graph = tmp_path / "graph.jsonl"
        assert read_about(graph) is None
        about = About(
            rules="best", embedder="lexical", vectors="lexical", thresholds=HALF._asdict(), survivors={}, left_out={}
        )
        write_about(graph, about)
        assert (read_about(graph), about.limits) == (about, HALF)

    def test_a_broken_one_is_an_error_with_its_place(self, tmp_path):
        about_file(tmp_path / "graph.jsonl").write_text('{"rules": "worst"}')
        with pytest.raises(BadRecord, match=r"graph\.about\.json.*rules"):
            read_about(tmp_path / "graph.jsonl")
