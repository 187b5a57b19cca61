"""Exports: nothing is lost, what is written is what trainers read, errors name the dialogue."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from chains_dataset_samples import APIS, CHAIN, DIALOGUES, LEAGUES, LINES, PROCEDURE, TABLE, TOOLS
from hypothesis import given

from toologue.cli.exchange import export
from toologue.errors import BadSetting, UnknownName
from toologue.formats.functions import JOB, RETRIEVER, function_name
from toologue.formats.literals import output_of
from toologue.formats.openai import from_messages
from toologue.formats.training import ExportName, exported
from toologue.schema import AgentTurn, Call, Dialogue, Parameter, Program, UserTurn
from toologue.schema.jsonl import write


def acts_of(dialogue: Dialogue) -> Iterator[tuple[Any, Any]]:
    return (
        (act, result)
        for turn in dialogue.turns
        if isinstance(turn, AgentTurn)
        for act, result in zip(turn.acts, turn.results, strict=False)
    )


def calls_of(dialogue: Dialogue) -> list[tuple[str, Any]]:
    """(function, arguments) of what a dialogue calls, the retriever aside."""
    acts = (act for act, _ in acts_of(dialogue) if isinstance(act, Call))
    return [(function_name(act.api), act.raw if act.arguments is None else act.arguments) for act in acts]


def said(dialogue: Dialogue, role: str) -> list[str]:
    return [turn.text or "" for turn in dialogue.turns if turn.role == role]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


class TestOpenAI:
    @given(dialogue=DIALOGUES)
    def test_messages_validate_and_say_all(self, dialogue: Dialogue) -> None:
        row = exported(dialogue, "openai", APIS)
        check_messages(row["messages"])
        again = from_messages(row["messages"], id="again")
        assert said(again, "user") == said(dialogue, "user")
        assert said(again, "agent") == said(dialogue, "agent")
        assert [call for call in calls_of(again) if call[0] != RETRIEVER.name] == calls_of(dialogue)
        results = [output_of(result) for act, result in acts_of(dialogue) if isinstance(act, Call)]
        assert [output_of(r) for act, r in acts_of(again) if act.api != RETRIEVER.name] == results
        for call, _ in acts_of(again):
            assert call.api in {tool["function"]["name"] for tool in row["tools"]} | {function_name(n) for n in APIS}

    def test_a_chain(self) -> None:
        row = exported(CHAIN, "openai", APIS)
        names = [tool["function"]["name"] for tool in row["tools"]]
        assert names == [function_name(LEAGUES), function_name(TABLE), "find_apis"]
        assert row["tools"][1]["function"]["description"] == f"{TABLE}: The table of a league."
        _, _, asks, answer, *_ = messages = row["messages"]
        wish = {"query": "Who leads the Spanish league this season?"}
        assert json.loads(asks["tool_calls"][0]["function"]["arguments"]) == wish
        assert json.loads(answer["content"]) == {"retrieved": {names[1]: 0.71, names[0]: 0.55}}
        missing = json.loads(messages[6]["tool_calls"][0]["function"]["arguments"])
        assert missing == {"missing_api": names[1], "missing_parameter": "leagueId"}
        assert json.loads(messages[7]["content"])["source"] == names[0]

    def test_facts_and_instructions_are_the_system_message(self) -> None:
        system = exported(TOOLS, "openai", APIS)["messages"][0]
        assert system["role"] == "system"
        assert system["content"] == 'You help.\n\nnow: 2023-09-11 09:00:00\nuser: {"name": "Ann"}'

    def test_a_chain_says_the_agent_s_job_and_what_the_documents_say(self) -> None:
        """Not how sure a retriever is, nor what a graph adds to schemas."""
        told = {"type": "string", "description": "the league's id", "title": "number of a league", "x-description": "…"}
        schema = {"type": "object", "properties": {"title": told}}
        documents = {**APIS, LEAGUES: APIS[LEAGUES].replace(parameters={"of": Parameter(schema=schema)})}
        chain = CHAIN.replace(facts={"retriever": {"confirm": 0.64, "suggest": 0.4}})
        row = exported(chain, "openai", documents)
        assert row["messages"][0] == {"role": "system", "content": JOB}
        (given,) = row["tools"][0]["function"]["parameters"]["properties"].values()
        clean = {"type": "string", "description": "the league's id"}
        assert given == {"type": "object", "properties": {"title": clean}}

    def test_a_dialogue_without_apis_has_no_tools(self) -> None:
        assert "tools" not in exported(PROCEDURE, "openai", {})


def check_messages(messages: list[dict[str, Any]]) -> None:
    """What the fine-tuning service asks of messages: roles, contents, every call answered at once, plain names."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            assert isinstance(message["content"], str)
            continue
        assert not waiting, "a call is not answered"
        assert message["role"] in ("system", "user", "assistant")
        calls = message.get("tool_calls", [])
        assert isinstance(message["content"], str) or (message["content"] is None and calls)
        for call in calls:
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"])
        waiting = [call["id"] for call in calls]
        assert len(set(waiting)) == len(waiting)
    assert not waiting


class TestShareGPT:
    @given(dialogue=DIALOGUES)
    def test_all_is_said_and_answers_follow_calls(self, dialogue: Dialogue) -> None:
        entries = exported(dialogue, "sharegpt", APIS)["conversations"]
        told: list[tuple[str, Any]] = []
        for before, entry in zip([None, *entries], entries, strict=False):
            assert entry["from"] in ("human", "gpt", "function_call", "observation")
            assert (entry["from"] == "observation") == (before is not None and before["from"] == "function_call")
            assert not (before and before["from"] == entry["from"] != "function_call")
            if entry["from"] == "function_call":
                told += [(call["name"], call["arguments"]) for call in listed(json.loads(entry["value"]))]
        assert [call for call in told if call[0] != RETRIEVER.name] == calls_of(dialogue)
        for role, who in (("user", "human"), ("agent", "gpt")):
            whole = "\n\n".join(entry["value"] for entry in entries if entry["from"] == who)
            at = 0
            for text in said(dialogue, role):
                at = whole.index(text, at) + len(text)

    def test_turns_in_a_row_are_one_entry(self) -> None:
        row = exported(TOOLS, "sharegpt", APIS)
        assert [entry["from"] for entry in row["conversations"]] == [
            "human", "gpt", "function_call", "observation", "gpt",
        ]  # fmt: skip
        assert row["conversations"][0]["value"] == "Wake me at six\n\nand at seven."
        assert json.loads(row["conversations"][2]["value"])[1] == {"name": "AddAlarm", "arguments": "{7"}
        assert row["system"].startswith("You help.")
        assert [function["name"] for function in json.loads(row["tools"])] == ["AddAlarm"]


ROW = (
    "id", "line", "split", "sequence", "source", "target", "instructions", "facts", "world", "origin",
)  # fmt: skip
TURN = ("role", "text", "action", "informed", "acts", "results", "state", "thought")


class TestRows:
    @given(dialogue=DIALOGUES)
    def test_columns_have_the_same_types_in_every_row(self, dialogue: Dialogue) -> None:
        for row in (exported(one, "hf", {}) for one in (*LINES, dialogue)):
            lists = {"apis": row.pop("apis"), "turns": row.pop("turns")}
            assert list(row) == [*ROW]
            assert {type(value) for value in (*row.values(), *lists["apis"])} == {str}
            assert {(tuple(turn), *map(type, turn.values())) for turn in lists["turns"]} == {
                (TURN, *(str,) * len(TURN))
            }

    @given(dialogue=DIALOGUES)
    def test_what_stands_in_strings_is_the_dialogue(self, dialogue: Dialogue) -> None:
        turns = exported(dialogue, "hf", {})["turns"]
        assert [turn["text"] for turn in turns] == [turn.text or "" for turn in dialogue.turns]
        acts = [act for turn in turns for act in json.loads(turn["acts"])]
        assert acts == [act.model_dump(mode="json") for act, _ in acts_of(dialogue)]

    def test_labels(self) -> None:
        row = exported(CHAIN, "hf", {})
        assert (row["line"], row["split"], row["sequence"], row["target"]) == ("chains", "train", "11.7", TABLE)
        assert json.loads(row["turns"][2]["state"])["api"] == TABLE
        assert json.loads(row["turns"][3]["informed"]) == {"season": "2024"}
        assert row["turns"][1]["thought"] == "What could that be?"


class TestToolDial:
    def test_the_flat_text(self) -> None:
        row = exported(CHAIN, "tooldial", APIS)
        text = row["dialogue"]
        assert text.startswith(
            "User: Who leads the Spanish league this season?\nSystem:\n- Thought: What could that be?"
        )
        assert "- Action:retriever_call\n" in text
        assert "Call result: {'a': [{'id': 140}]}" in text
        assert row["action_list"] == [turn.action for turn in CHAIN.turns if isinstance(turn, AgentTurn)]


class TestNames:
    def test_plain_names_stay_others_are_told_apart(self) -> None:
        assert function_name("AddAlarm") == "AddAlarm"
        names = [function_name(name) for name in (LEAGUES, LEAGUES.strip(), "x" * 65, "x" * 66, "天气", "a b", "a|b")]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


class TestErrors:
    def test_an_api_without_a_document(self) -> None:
        with pytest.raises(UnknownName, match=r"no API of dialogue 'alarms' is called 'AddAlarm'"):
            exported(TOOLS, "openai", {})

    @pytest.mark.parametrize("to", ["openai", "sharegpt", "tooldial"])
    def test_programs_are_for_rows(self, to: Any) -> None:
        act = Program(goal="1", status="drafting", code="pass")
        dialogue = Dialogue(id="prog", turns=(UserTurn(text="Go"), AgentTurn(acts=(act,))))
        with pytest.raises(BadSetting, match=r"dialogue 'prog', turn 1: only hf can say a program"):
            exported(dialogue, to, {})
        assert "pass" in exported(dialogue, "hf", {})["turns"][1]["acts"]


class TestCommand:
    @pytest.mark.parametrize("to", get_args(ExportName))
    def test_a_line_a_dialogue(self, to: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write(tmp_path / "dialogues.jsonl", LINES)
        write(tmp_path / "apis.jsonl", APIS.values())
        export(tmp_path, to=to)
        lines = (tmp_path / f"dialogues.{to}.jsonl").read_bytes().split(b"\n")
        assert len(lines) == len(LINES) + 1
        assert not lines[-1]
        text = json.dumps([json.loads(line) for line in lines[:-1]], ensure_ascii=False)
        assert "I don't know its number. 2024." in text
        assert "España" in text
        assert "3 dialogues in" in capsys.readouterr().out

    def test_documents_of_the_world(self, tmp_path: Path) -> None:
        write(tmp_path / "d.jsonl", [TOOLS.replace(world=TOOLS.world.replace(name="assistant"))])
        export(tmp_path / "d.jsonl", to="openai", out=tmp_path / "o.jsonl")
        row = json.loads((tmp_path / "o.jsonl").read_bytes())
        assert [tool["function"]["name"] for tool in row["tools"]] == ["AddAlarm"]

    def test_the_dialogues_are_not_written_over(self, tmp_path: Path) -> None:
        write(tmp_path / "d.jsonl", [PROCEDURE])
        with pytest.raises(BadSetting, match="choose another place"):
            export(tmp_path / "d.jsonl", to="hf", out=tmp_path / "d.jsonl")
