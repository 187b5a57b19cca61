"""Predictions files: calls made elsewhere, played back here; whatever is wrong with a file is said with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toologue.agents.agent import AgentSpec, resolve_agent
from toologue.agents.predictions import read_predictions
from toologue.bench.tooltalk.conversations import starter
from toologue.errors import BadFile, BadRecord, BadSetting
from toologue.formats.tooltalk import turn_indexes
from toologue.loop import play
from toologue.models.similarity import TextMatch
from toologue.run.runner import Settings, cases_of, grounded
from toologue.schema import Call, Case, Dialogue, Trace, Turn, rounds
from toologue.score.calls import calls
from toologue.worlds.world import make_world

SWAP = next(grounded(d) for d in starter() if d.id == "swap-thursday-shift")
ALARM = {"api_name": "AddAlarm", "arguments": {"time": "07:00:00"}}


def line(**changes: Any) -> str:
    return json.dumps({"name": SWAP.id, "predictions": [{"turn_index": 1, "calls": [ALARM]}], **changes})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.jsonl"


def played(file: Path, gold: Dialogue = SWAP) -> list[Turn]:
    (case,) = cases_of([gold], Settings())
    return play(case, resolve_agent(f"predictions:{file}").make(case), make_world(case))[0]


class TestPlayingBack:
    def test_gold_calls_as_predictions_score_in_full(self, file: Path) -> None:
        """The published format: one entry an assistant turn, at its position in the conversation."""
        turns = [
            {
                "turn_index": index,
                "calls": [{"api_name": a.api, "arguments": a.arguments, "why": "ignored"} for t in did for a in t.acts],
            }
            for index, (_, did) in zip(turn_indexes(SWAP), rounds(SWAP.turns), strict=True)
            if index is not None
        ]
        assert [turn["turn_index"] for turn in turns] == [1, 3, 5, 7]
        file.write_text(line(predictions=turns, model="ignored"))
        trace = Trace(case="", dialogue=SWAP.id, protocol="forced", agent="p", turns=tuple(played(file)))
        assert calls(SWAP, trace, TextMatch.of("exact"))["success"].value == 1.0

    def test_turns_without_an_entry_are_silent(self, file: Path) -> None:
        file.write_text(line())
        made = [act for turn in played(file) if turn.role == "agent" for act in turn.acts]
        assert made == [Call(api="AddAlarm", arguments={"time": "07:00:00"})]

    @pytest.mark.parametrize(("given", "raw"), [(None, None), ([1, "ü"], '[1, "ü"]'), ("x", '"x"'), (3, "3")])
    def test_arguments_that_are_no_object_do_not_parse(self, given: Any, raw: str | None, file: Path) -> None:
        file.write_text(line(predictions=[{"turn_index": 1, "calls": [{"api_name": "AddAlarm", "arguments": given}]}]))
        (turn,) = [turn for turn in played(file) if turn.role == "agent" and turn.acts]
        assert turn.acts == (Call(api="AddAlarm", arguments=None, raw=raw),)
        assert turn.results[0].error.type == "parse"

    def test_a_line_for_somebody_else_is_ignored(self, file: Path) -> None:
        file.write_text(line() + "\n" + line(name="another-one") + "\n")
        assert len(read_predictions(file)) == 2
        assert played(file)

    def test_traces_call_it_by_its_file(self, file: Path) -> None:
        file.write_text(line())
        agent = resolve_agent(f"predictions:{file}")
        assert (agent.name, agent.reads_gold) == ("predictions:mine.jsonl", True)


class TestComplaints:
    """`file:line: JSON path: what`, so that an editor can jump there."""

    def complaint(self, file: Path, text: str) -> str:
        file.write_text(text)
        with pytest.raises(BadRecord) as caught:
            read_predictions(file)
        return str(caught.value).removeprefix(f"{file}:")

    def test_a_name_that_occurs_twice(self, file: Path) -> None:
        text = "\n".join([line(), line(name="b"), line()])
        assert self.complaint(file, text) == "3: $.name: 'swap-thursday-shift' stands on line 1 already"

    def test_a_turn_that_occurs_twice(self, file: Path) -> None:
        turns = [{"turn_index": 1, "calls": []}, {"turn_index": 1, "calls": []}]
        assert self.complaint(file, line(predictions=turns)) == "1: $.predictions[1].turn_index: turn 1 occurs twice"

    @pytest.mark.parametrize(
        ("record", "path"),
        [
            ({"predictions": []}, "$.name"),
            ({"name": "a"}, "$.predictions"),
            ({"name": "a", "predictions": [{"calls": []}]}, "$.predictions[0].turn_index"),
            ({"name": "a", "predictions": [{"turn_index": 1}]}, "$.predictions[0].calls"),
            ({"name": "a", "predictions": [{"turn_index": 1, "calls": [{"arguments": {}}]}]},
             "$.predictions[0].calls[0].api_name"),
            ({"name": "a", "predictions": [{"turn_index": 1, "calls": [{"api_name": "X"}]}]},
             "$.predictions[0].calls[0].arguments"),
        ],
    )  # fmt: skip
    def test_a_missing_key(self, record: Any, path: str, file: Path) -> None:
        text = "\n" + json.dumps(record)  # a blank line counts as a line
        assert self.complaint(file, text) == f"2: {path}: this key is missing"

    @pytest.mark.parametrize(
        ("record", "complaint"),
        [
            ({"name": 3, "predictions": []}, "1: $.name: Input should be a valid string, got 3"),
            ({"name": "a", "predictions": {}}, "1: $.predictions: Input should be a valid array, got {}"),
            (
                {"name": "a", "predictions": [{"turn_index": "x", "calls": []}]},
                "1: $.predictions[0].turn_index: Input should be a valid integer, "
                "unable to parse string as an integer, got 'x'",
            ),
        ],
    )
    def test_a_value_of_the_wrong_type(self, record: Any, complaint: str, file: Path) -> None:
        assert self.complaint(file, json.dumps(record)) == complaint

    def test_no_json(self, file: Path) -> None:
        assert self.complaint(file, line() + "\n{oops\n").startswith("2: $: Invalid JSON: ")

    def test_a_line_that_is_cut_off_is_not_skipped(self, file: Path) -> None:
        """Half a prediction is a half-scored conversation: unlike traces, it cannot be made again here."""
        assert self.complaint(file, line() + "\n" + line(name="b")[:-5]).startswith("2: $: Invalid JSON: ")

    @pytest.mark.parametrize("text", ["", "\n\n"])
    def test_an_empty_file(self, text: str, file: Path) -> None:
        file.write_text(text)
        with pytest.raises(BadFile, match=r"mine\.jsonl holds no predictions: expected one conversation a line"):
            read_predictions(file)

    def test_no_file(self, file: Path) -> None:
        with pytest.raises(BadFile, match=r"cannot read .*mine\.jsonl: No such file"):
            resolve_agent(f"predictions:{file}")

    def test_no_name_of_a_file(self) -> None:
        with pytest.raises(BadSetting, match="needs a file: predictions:FILE"):
            resolve_agent("predictions")


class TestMisfits:
    """The file is good, but not for these dialogues."""

    def made(self, file: Path, text: str) -> tuple[AgentSpec, Case]:
        file.write_text(text)
        (case,) = cases_of([SWAP], Settings())
        return resolve_agent(f"predictions:{file}"), case

    @pytest.mark.parametrize("index", [0, 2, 9, -1])
    def test_a_turn_that_is_not_the_assistants(self, index: int, file: Path) -> None:
        agent, case = self.made(file, line(predictions=[{"turn_index": index, "calls": []}]))
        with pytest.raises(BadSetting, match=rf"has no assistant turn {index}: it has \[1, 3, 5, 7\]"):
            agent.make(case)

    def test_a_dialogue_without_a_line(self, file: Path) -> None:
        agent, case = self.made(file, line(name="another-one"))
        with pytest.raises(BadSetting, match="the predictions have no line for 'swap-thursday-shift'"):
            agent.make(case)
