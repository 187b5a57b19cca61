"""`plan chains` as a function of the command line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from chains_plan_samples import APIS, EDGES, files

from toologue.cli.plan import chains
from toologue.errors import BadRecord, BadSetting
from toologue.plan.api_graph.check import Checked, Verdict
from toologue.plan.chains.catalog import Catalog
from toologue.schema import Api, Plan
from toologue.schema.api import write_apis
from toologue.schema.jsonl import read, write


def test_plans_with_what_was_dropped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, apis = files(tmp_path)
    out = tmp_path / "plans.jsonl"
    chains(graph, apis, out=out, count=60, most=0.5, seed=2)
    told = capsys.readouterr().out
    made = list(read(out, Plan))
    assert len(made) == 60
    assert len({plan.dialogue.id for plan in made}) == 60
    assert {str(plan.dialogue.world.arguments["apis"]) for plan in made} == {str(apis)}
    assert f"60 plans in {out}" in told
    assert "no sequence" in told
    first = out.read_bytes()
    chains(graph, apis, out=out, count=60, most=0.5, seed=2)
    assert out.read_bytes() == first


def test_only_edges_that_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, apis = files(tmp_path)
    verdicts = {
        good: Verdict(valid=good, reason="same thing" if good else "entity", stage="meaning") for good in (True, False)
    }
    checked = [Checked(edge=one, verdict=verdicts[one.source.endswith("All Teams")]) for one in EDGES]
    write(tmp_path / "checked.jsonl", checked)
    chains(graph, apis, out=tmp_path / "plans.jsonl", count=40, most=1.0, checked=tmp_path / "checked.jsonl")
    told = capsys.readouterr().out
    sources = Counter(plan.dialogue.origin.get("source") for plan in read(tmp_path / "plans.jsonl", Plan))
    assert set(sources) == {None, "Sports|scores|All Teams"}
    assert "not valid" in told


def test_too_few_pairs_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, apis = files(tmp_path)
    chains(graph, apis, out=tmp_path / "plans.jsonl", count=1000, most=0.002)
    assert "1000 were wanted, and no pair may be in more than 0.2 % of them" in capsys.readouterr().out


def test_nothing_to_plan(tmp_path: Path) -> None:
    write(tmp_path / "apis.jsonl", [one for one in APIS if not one.parameters])
    write(tmp_path / "graph.jsonl", EDGES)
    with pytest.raises(BadSetting, match=r"nothing to plan: no edge of .*graph.jsonl and no API of .*apis.jsonl can"):
        chains(tmp_path / "graph.jsonl", tmp_path / "apis.jsonl", out=tmp_path / "plans.jsonl")
    assert not (tmp_path / "plans.jsonl").exists()


def test_bad_settings_and_verdicts(tmp_path: Path) -> None:
    graph, apis = files(tmp_path)
    with pytest.raises(BadSetting, match="--count 0: give 1 or more"):
        chains(graph, apis, out=tmp_path / "plans.jsonl", count=0)
    with pytest.raises(BadRecord, match=r"graph.jsonl:1: \$\.format: this line is 'edge/1', expected 'checked/2'"):
        chains(graph, apis, out=tmp_path / "plans.jsonl", checked=graph)


def test_documents_whose_schemas_are_written_once_are_read_in_any_order(tmp_path: Path) -> None:
    team = {"type": "object", "properties": {name: {"type": "string", "description": name * 30} for name in "abcd"}}
    twins = [Api(name=name, returns=team) for name in ("first", "second")]
    write_apis(tmp_path / "apis.jsonl", twins)
    assert b'"schema:' in (tmp_path / "apis.jsonl").read_bytes()
    catalog = Catalog(tmp_path / "apis.jsonl")
    assert [catalog.api(name) for name in ("second", "first")] == [*reversed(twins)]
