"""The retriever: ranks, bands, sources; what outputs hold; and the calibration that its bands come from."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue import registry
from toologue.apis.entities import leaves
from toologue.errors import BadSetting, UnknownName
from toologue.models.embed import calibration
from toologue.models.lexical import Lexical
from toologue.models.retriever import Retriever, fits, index_texts
from toologue.schema import Api, Parameter
from toologue.text.tokens import split_name

ASSISTANT = registry.find("world", "assistant").apis
RETRIEVER = Retriever(ASSISTANT, Lexical())


def api(name, description="", returns=None, writes=False, **parameters):
    made = {key: Parameter(schema=schema) for key, schema in parameters.items()}
    return Api(name=name, description=description, returns=returns or {}, parameters=made, writes=writes)


def test_the_index_holds_all_that_is_known_of_an_api():
    add = next(one for one in ASSISTANT if one.name == "AddReminder")
    text = " ".join(index_texts(add))
    assert text.startswith("add reminder ")
    assert all(part in text for part in (add.description, *add.keywords, "due date"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("AddAlarm", "add alarm"),
        ("alarms[].alarm_id", "alarms alarm id"),
        ("getHTTPStatus2", "get http status2"),
        ("kebab-case name", "kebab case name"),
        ("", ""),
    ],
)
def test_names_become_words(name, words):
    assert split_name(name) == words


def test_ranks_are_the_same_one_by_one_and_together_and_in_any_order_of_apis():
    queries = ["wake me up at six", "what's the weather in Oslo", "", "?"]
    together = RETRIEVER.rank_all(queries, 28)
    backwards = Retriever(ASSISTANT[::-1], Lexical())
    for query, ranked in zip(queries, together, strict=True):
        assert ranked == RETRIEVER.rank(query, 28) == backwards.rank(query, 28)
        assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
        assert all(0 <= score <= 1 for _, score in ranked)
    assert RETRIEVER.rank("send an e-mail to Ann", 1)[0][0].name == "SendEmail"


def test_equal_scores_stand_in_the_order_of_names():
    class Coarse:
        """Knows three degrees of likeness to any request."""

        name = "coarse"

        def embed(self, texts):
            degrees = np.array([0 if "any" in text else int(text[3:5]) % 3 for text in texts])
            return np.stack([np.cos(degrees / 2), np.sin(degrees / 2)], axis=1).astype(np.float32)

    names = [f"api{number * 37 % 100:02}" for number in range(100)]
    ranked = Retriever([api(name) for name in names], Coarse()).rank("anything", 100)
    assert [one.name for one, _ in ranked] == sorted(names, key=lambda name: (int(name[3:]) % 3, name))
    assert len({score for _, score in ranked}) == 3


def test_without_apis_or_requests():
    assert Retriever([], Lexical()).rank("x") == []
    assert Retriever([api("a", x={})], Lexical(), bands={"source": 0}).source("a", "x") == []
    assert RETRIEVER.rank_all([]) == []
    with pytest.raises(BadSetting, match="two Apis of one name"):
        Retriever([api("a"), api("a", "other")], Lexical())


def test_bands():
    retriever = Retriever(ASSISTANT, Lexical(), bands={"confirm": 0.6, "suggest": 0.5})
    assert [retriever.band(score) for score in (0.6, 0.59, 0.5, 0.49)] == ["confirm", "suggest", "suggest", "clarify"]
    assert RETRIEVER.bands == {k: calibration()["lexical"]["thresholds"][k] for k in ("confirm", "suggest", "source")}
    with pytest.raises(BadSetting, match=r"suggest \(0\.7\) begins above confirm \(0\.6\)"):
        Retriever(ASSISTANT, Lexical(), bands={"confirm": 0.6, "suggest": 0.7}).band(1)


def test_bands_of_an_embedder_that_was_never_calibrated():
    class Other(Lexical):
        name = "other"

    assert Retriever(ASSISTANT, Other()).rank("alarm", 1)
    with pytest.raises(BadSetting, match="'other' has no calibrated threshold for confirm, source, suggest"):
        Retriever(ASSISTANT, Other()).band(0.5)


class TestSource:
    @pytest.mark.parametrize(
        ("target", "parameter", "source", "output"),
        [
            ("DeleteAlarm", "alarm_id", "FindAlarms", "alarms[].alarm_id"),
            ("DeleteEvent", "event_id", "QueryCalendar", "events[].event_id"),
            ("CompleteReminder", "reminder_id", "GetReminders", "reminders[].reminder_id"),
        ],
    )
    def test_who_knows_the_identifier(self, target, parameter, source, output):
        found, path, score = RETRIEVER.source(target, parameter)[0]
        assert (found.name, path) == (source, output)
        assert RETRIEVER.bands["source"] <= score <= 1

    def test_nobody_knows_a_new_password(self):
        assert RETRIEVER.source("ChangePassword", "new_password") == []

    def test_an_output_of_another_type_will_not_do(self):
        number = {"type": "object", "properties": {"level": {"type": "number"}}}
        switch = {"type": "object", "properties": {"level": {"type": "boolean"}}}
        apis = [api("Get", returns=number), api("Is", returns=switch), api("Set", level={"type": "number"})]
        found = Retriever(apis, Lexical(), bands={"source": 0}).source("Set", "level")
        assert [one.name for one, _, _ in found] == ["Get"]

    def test_reading_goes_before_writing_and_nothing_supplies_itself(self):
        returns = {"type": "object", "properties": {"note_id": {"type": "string"}}}
        apis = [api("AddNote", returns=returns, writes=True), api("FindNotes", returns=returns)]
        apis.append(api("MoveNote", returns=returns, note_id={"type": "string"}))
        found = Retriever(apis, Lexical(), bands={"source": 0}).source("MoveNote", "note_id")
        assert [one.name for one, _, _ in found] == ["FindNotes", "AddNote"]

    def test_unknown_names(self):
        with pytest.raises(UnknownName, match="no api is called 'DeleteAlarms'; did you mean 'DeleteAlarm'"):
            RETRIEVER.source("DeleteAlarms", "alarm_id")
        with pytest.raises(UnknownName, match="no parameter of DeleteAlarm is called 'id'"):
            RETRIEVER.source("DeleteAlarm", "id")


class TestOutputs:
    def test_leaves_of_all_shapes(self):
        schema = {
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "A."},
                "b": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                "c": {"anyOf": [{"type": "object", "properties": {"d": {}}}, {"type": "null"}]},
                "e": {"type": "object"},
                "f": {"type": ["array", "null"], "items": {"properties": {"g": {"type": "number"}}}},
            },
        }
        assert [leaf.path for leaf in leaves(schema)] == ["a", "b[][]", "c.d", "c", "e", "f[].g"]

    def test_a_schema_without_end_ends(self):
        schema = {"properties": {}}
        schema["properties"]["child"] = schema
        assert list(leaves(schema)) == []

    @given(st.recursive(st.none() | st.booleans() | st.text(), lambda j: st.lists(j) | st.dictionaries(st.text(), j)))
    def test_what_is_no_schema_has_no_leaves_and_fits(self, anything):
        assert all(isinstance(leaf.path, str) for leaf in leaves(anything))
        assert isinstance(fits(anything, anything), bool)

    @pytest.mark.parametrize(
        ("given", "wanted", "fit"),
        [
            ({}, {"type": "string"}, True),
            ({"type": "integer"}, {"type": "string"}, True),
            ({"type": "string"}, {"type": "integer"}, False),
            ({"type": "number"}, {"type": "integer"}, False),
            ({"type": ["string", "null"]}, {"type": "string"}, True),
            ({"type": "string"}, {"type": "array", "items": {"type": "string"}}, True),
            ({"type": "number"}, {"type": "array", "items": {"type": "boolean"}}, False),
            ({"type": "array", "items": {"type": "number"}}, {"type": "string"}, False),
            ({"anyOf": [{"type": "number"}, {"type": "null"}]}, {"type": "number"}, True),
            ({"type": "string", "format": "date"}, {"type": "string", "format": "email"}, False),
            ({"type": "string", "format": "date"}, {"type": "string"}, True),
            ({"type": "object"}, {"type": "string"}, False),
        ],
    )
    def test_types(self, given, wanted, fit):
        assert fits(given, wanted) is fit


@pytest.fixture(scope="module")
def bench():
    """The script of the calibration."""
    root = str(Path(__file__).parents[2])
    sys.path.insert(0, root)
    try:
        return importlib.import_module("bench.calibration")
    finally:
        sys.path.remove(root)


class TestCalibration:
    def test_the_thresholds_that_are_shipped_are_those_that_it_finds(self, bench):
        assert bench.calibrate(Lexical()) == calibration()["lexical"], "run: python -m bench.calibration --write"

    def test_the_docs_show_what_it_found(self, bench):
        page = Path(__file__).parents[2].joinpath("docs", "figures.md").read_text("utf-8")
        assert bench.table(calibration()) in page, "run: python -m bench.figures --only 'thresholds of embedders'"

    def test_every_embedder_was_calibrated_on_the_same_data(self):
        assert len({entry["data"] for entry in calibration().values()}) == 1

    def test_there_are_pairs_enough_and_none_twice(self, bench):
        pairs = [
            (kind, group["is"], text)
            for kind, groups in bench.data("pairs").items()
            for group in groups
            for text in (*group["same"], *group["different"])
        ]
        assert len(pairs) == len(set(pairs)) >= 250
        assert len(bench.requests()) >= 150
        assert len({request.text for request in bench.requests()}) == len(bench.requests())
        invented = {one.name for one in bench.apis()} - {one.name for one in ASSISTANT}
        assert len(invented) >= 12
        assert {request.api for request in bench.requests() if request.label == "clear"} == {
            one.name for one in bench.apis()
        }

    def test_sources_name_parameters_and_outputs_that_exist(self, bench):
        known = {one.name: one for one in bench.apis()}
        for target, parameter, outputs in bench.data("sources"):
            assert parameter in known[target].parameters
            for name, path in outputs.items():
                assert path in {leaf.path for leaf in leaves(known[name].returns)}

    def test_the_rule_takes_the_lowest_of_the_best(self, bench):
        samples = [bench.Sample(score, score > 0.5, i) for i, score in enumerate(np.arange(20) / 20)]
        assert bench.auc(samples) == 1
        assert bench.choose(samples) == 0.51, "at 0.46 one of eleven would be wrong, which is more than 0.05"
        near = [*samples, *(bench.Sample(0.4, False, i) for i in range(30))]
        assert bench.choose(near) == 0.41, "two of 41 are not"
        assert bench.choose(samples, 0.3) == 0.3, "not above what is given, whatever it costs"

    def test_writing_keeps_other_embedders(self, bench, tmp_path, monkeypatch, capsys):
        file = tmp_path / "thresholds.json"
        file.write_text('{"other": {"thresholds": {}}}')
        monkeypatch.setattr(bench, "WRITTEN", file)
        assert bench.main(["--embedder", "lexical", "--write"]) == 0
        written = json.loads(file.read_text())
        assert list(written) == ["lexical", "other"]
        assert "AUC" in capsys.readouterr().out
