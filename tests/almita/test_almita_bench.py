"""The benchmark `almita`: a file in, the layout of Table 2 out, in both modes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from almita_samples import ATTACK, EXACT, LEXICAL, SUITE, asks, does, gold, in_roles, says, trace

from toologue.agents.agent import ScriptedAgent, script_of
from toologue.bench.almita import ALMITA, grade, load, own_key
from toologue.bench.benchmark import Mode, Options, benchmark, play, summarize
from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.loop import play as converse
from toologue.project import generate
from toologue.run.runner import Settings, cases_of
from toologue.schema import AgentTurn, Api, Case, Fault, Setting
from toologue.schema.jsonl import write
from toologue.score.steps import METRICS, SEVERITIES
from toologue.worlds.world import documents_of, make_world

MODES = pytest.mark.parametrize("mode", ["fixed", "published"])


def values(total: dict[str, Any], what: str = "value") -> list[Any]:
    return [total["scores"].get(name, {}).get(what) for name in METRICS]


PUBLISHED_APIS = [
    {"name": "get_order", "desc": "Look an order up.", "params": [{"order_id": "int"}], "output": "bool"},
    {
        "name": "cancel_order",
        "desc": "Cancel it.",
        "params": [{"order_id": "int"}],
        "output": {"name": "ok", "type": "bool"},
    },
]


def published_file(folder: Path, name: str = "conversation") -> Path:
    """The suite as others would give it: roles, and the APIs in the paper's small JSON."""
    file = folder / "talks.jsonl"
    rows = [{"id": d.id, name: in_roles(d), "procedure": "Look it up.", "apis": PUBLISHED_APIS} for d in SUITE]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


class TestLoading:
    def test_conversations_in_roles(self, tmp_path: Path) -> None:
        dialogues = load(published_file(tmp_path))
        assert [d.id for d in dialogues] == [d.id for d in SUITE]
        documents = documents_of(dialogues[0])
        assert (documents["get_order"].writes, documents["cancel_order"].writes) == (False, True)

    def test_columns_by_any_name(self, tmp_path: Path) -> None:
        file = published_file(tmp_path, "messages")
        with pytest.raises(UnknownName, match="for conversation: --columns conversation=NAME"):
            ALMITA.load(file)
        assert len(ALMITA.choose("columns", "conversation=messages").load(file)) == 4

    def test_documents_that_cannot_be_read_say_where(self, tmp_path: Path) -> None:
        file = tmp_path / "talks.jsonl"
        apis = [{"name": "log_in", "params": [{"password": "str"}]}]
        file.write_text(json.dumps({"conversation": in_roles(SUITE[0]), "apis": apis}))
        with pytest.raises(BadRecord, match=r"talks\.jsonl:1: \$\.apis: .*is a secret"):
            load(file)

    def test_our_own_dialogues_with_the_documents_beside_them(self, tmp_path: Path) -> None:
        write(tmp_path / "dialogues.jsonl", [d.replace(extra={}, apis=("get_order",)) for d in SUITE])
        write(tmp_path / "apis.jsonl", [Api(name="get_order"), Api(name="unused")])
        assert [list(documents_of(d)) for d in load(tmp_path / "dialogues.jsonl")] == [["get_order"]] * 4

    def test_worlds_with_documents_need_none_beside_them(self, tmp_path: Path) -> None:
        there = gold(asks("Hi"), says("Hello")).replace(extra={}, apis=("AddAlarm",), world=Setting(name="assistant"))
        write(tmp_path / "dialogues.jsonl", [there])
        write(tmp_path / "apis.jsonl", [Api(name="AddAlarm", description="Another one.")])
        assert load(tmp_path / "dialogues.jsonl") == [there]

    def test_without_data_it_is_our_own_suite_made_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Here of one procedure; the second time it is read, even where nothing could be made any more."""
        monkeypatch.setenv("TOOLOGUE_CACHE", str(tmp_path))
        (late,) = generate.shipped("order-not-received")
        monkeypatch.setattr(generate, "shipped", lambda: [late])
        made = ALMITA.load(None)
        assert {d.origin["procedure"] for d in made} == {"order-not-received"}
        monkeypatch.setattr(generate, "generate", None)
        assert ALMITA.load(None) == made
        assert [folder.name for folder in tmp_path.iterdir()] == [f"almita-{own_key()}"]

    def test_a_cache_folder_that_cannot_be_one(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("TOOLOGUE_CACHE", str(tmp_path / "file"))
        with pytest.raises(BadFile, match=r"cannot write to .*file: .*; set TOOLOGUE_CACHE"):
            ALMITA.load(None)

    def test_a_folder_without_a_suite(self, tmp_path: Path) -> None:
        with pytest.raises(
            BadFile, match=r"has no dialogues.jsonl: give a file of conversations, or a generated folder"
        ):
            load(tmp_path)

    def test_other_benchmarks_read_no_columns(self) -> None:
        with pytest.raises(BadSetting, match="--columns is for almita: leave it out for the benchmark 'tooltalk'"):
            benchmark("tooltalk").choose("columns", "id=name")


class TestPlaying:
    @MODES
    @pytest.mark.parametrize(
        ("agent", "expected"), [("gold", [1.0] * 7), ("almita_samples:quiet", [0.0, None, 0.0, None, None, 0.0, 0.0])]
    )
    def test_gold_gets_everything_and_silence_nothing(
        self, tmp_path: Path, mode: Mode, agent: str, expected: list[float | None]
    ) -> None:
        graded = play(ALMITA, load(published_file(tmp_path)), agent, LEXICAL, Options(mode=mode))
        totals = summarize(ALMITA, graded)["all"]
        assert (totals["num_conversations"], totals["unscored"]) == (4, 0)
        assert totals["scores"]["test correct"]["counts"]["of"] == 15
        assert values(totals) == expected

    def test_the_agent_is_told_the_procedure_and_the_apis(self, tmp_path: Path) -> None:
        (first, *_) = load(published_file(tmp_path))
        (case,) = cases_of([first], Settings(protocol="next"), documents_of(first))
        assert case.brief.instructions == "Look it up."
        assert [api.name for api in case.brief.apis] == ["get_order", "cancel_order"]

    def test_it_can_be_played_as_a_recording_too(self, tmp_path: Path) -> None:
        """Under `forced` the recorded world answers the expected calls."""
        (first, *_) = load(published_file(tmp_path))
        case = Case(id="x", gold=first, world=first.world, protocol="forced")
        turns, _ = converse(case, ScriptedAgent(script_of(case)), make_world(case))
        assert [turn.results for turn in turns if turn.role == "agent"] == [
            turn.results for turn in first.turns if turn.role == "agent"
        ]


class TestResults:
    WRONG = (does("refund_order", order_id=1, amount=1), says("Goodbye."))

    def graded(self, mode: Mode) -> list[Any]:
        lived = {"attack": trace(ATTACK, {4: self.WRONG[0], 7: self.WRONG[1]})}
        return [grade(mode, d, lived.get(d.id, trace(d)), EXACT) for d in SUITE]

    @MODES
    def test_the_layout_of_table_2(self, mode: Mode) -> None:
        table = summarize(ALMITA, self.graded(mode))
        assert list(table) == ["clean", "noise", "all"]
        assert ALMITA.shown == METRICS
        row = table["all"]
        assert values(row) == [8 / 9, 7 / 8, 1.0, 1.0, 1.0, 13 / 15, 3 / 4]
        assert row["scores"]["reply recall"]["counts"] == {"hits": 8, "of": 9}
        assert [table[name]["scores"]["test correct"]["value"] for name in ("clean", "noise")] == [1.0, 2 / 4]
        assert ("harmless" in row["scores"]) == (mode == "fixed")

    def test_the_severities_add_up(self) -> None:
        row = summarize(ALMITA, self.graded("fixed"))["all"]["scores"]
        assert [name for name in SEVERITIES if row[name]["best"]] == ["obeyed an attack"]
        (attack,) = (one for one in self.graded("fixed") if one.record["name"] == "attack")
        assert attack.scores["harmless"].value == 0.0
        assert attack.scores["test correct"].unsure == {"hits": 1.0}, "words that say nothing of it are unsure"

    @MODES
    def test_the_record_of_a_conversation(self, mode: Mode) -> None:
        record = self.graded(mode)[2].record
        assert json.loads(json.dumps(record)) == record
        assert (record["name"], record["noise"]) == ("attack", ["prompt_injection"])
        assert [(t["turn"], t["expected"], t["done"], t["correct"]) for t in record["tests"]] == [
            (2, "reply", "reply", True),
            (4, "reply", "call", False),
            (6, "call", "call", True),
            (7, "reply", "reply", False),
        ]
        fixed = mode == "fixed"
        assert [t["severity"] for t in record["tests"]] == [None, "obeyed an attack" if fixed else None, None, None]
        assert [t["verdict"] for t in record["tests"]] == ["right", "wrong", "right", "unsure" if fixed else "wrong"]
        assert [t["by"] for t in record["tests"]][1:3] == ["execution"] * 2
        assert (record["tests"][3]["by"] is None) == fixed
        assert record["tests"][1]["at"][0]["why"] == "made where a reply was expected"

    @MODES
    def test_where_a_model_gave_no_reply_the_conversation_is_unscored(self, mode: Mode) -> None:
        lived = trace(ATTACK, {2: AgentTurn(error=Fault(type="connection"))})
        graded = [grade(mode, ATTACK, lived, EXACT), grade(mode, SUITE[0], trace(SUITE[0]), EXACT)]
        row = summarize(ALMITA, graded)["all"]
        assert (row["num_conversations"], row["unscored"]) == (2, 1)
        assert row["scores"]["test correct"]["counts"]["of"] == 4
        assert graded[0].record["why"] == "the model gave no reply: connection"

    @MODES
    def test_nothing_to_score_is_null(self, mode: Mode) -> None:
        totals = summarize(ALMITA, [])
        assert list(totals) == ["all"]
        assert set(values(totals["all"])) == {None}

    def test_whether_a_conversation_passed(self) -> None:
        passed = [g.scores[ALMITA.passes].value for g in self.graded("fixed")]
        assert passed == [1.0, 1.0, 0.0, 1.0]
