"""Files in ALMITA's roles: JSONL and CSV, columns by any name, and what is wrong with them."""

from __future__ import annotations

import csv
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.formats.almita import columns_of, read_conversations
from toologue.schema import Api, Call, Dialogue

TALK = [
    {"role": "user", "content": "Where is 812?"},
    {"role": "api", "content": "get_order(order_id=812)"},
    {"role": "api_output", "content": '{"state": "sent"}'},
    {"role": "assistant", "content": "On its way, “soon”."},
]
DOCUMENTED = {"conversation": TALK, "apis": {"apis": [{"name": "get_order"}]}}


def jsonl(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def table(path: Path, *rows: Sequence[str]) -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def read(path: Path, columns: str = "", **options: Any) -> list[Dialogue]:
    return list(read_conversations(path, columns_of(columns), **options))


class TestReading:
    def test_a_line_of_jsonl(self, tmp_path: Path) -> None:
        row = {"id": 7, "conversation": TALK, "procedure": "Look it up.", "apis": ["get_order"], "intent": "late"}
        (dialogue,) = read(jsonl(tmp_path / "talks.jsonl", row))
        assert (dialogue.id, dialogue.instructions, dialogue.apis) == ("7", "Look it up.", ("get_order",))
        assert dialogue.turns[1].acts == (Call(api="get_order", arguments={"order_id": 812}),)
        assert dialogue.world.name == "recorded", "so that it can be played under any protocol"

    @pytest.mark.parametrize("spelled", [json.dumps(TALK), repr(TALK), f"  {TALK}  "])
    def test_a_row_of_csv_in_columns_by_any_name(self, tmp_path: Path, spelled: str) -> None:
        head = ["", "name", "messages", "policy", "tools"]
        file = table(tmp_path / "talks.csv", head, ["0", "late", spelled, "Look it up.", '["get_order"]'])
        mapping = "conversation = messages, id=name,procedure=policy, apis=tools"
        (dialogue,) = read(file, mapping)
        assert (dialogue.id, dialogue.instructions, dialogue.apis) == ("late", "Look it up.", ("get_order",))
        assert dialogue.turns[-1].text == TALK[-1]["content"]

    def test_columns_that_are_not_there_are_empty(self, tmp_path: Path) -> None:
        one, other = read(jsonl(tmp_path / "talks.jsonl", {"conversation": TALK}, {"conversation": TALK, "id": ""}))
        assert (one.id, other.id) == ("talks-1", "talks-2")
        assert (one.instructions, one.apis, one.extra) == ("", (), {})

    def test_documents_are_read_by_who_knows_how(self, tmp_path: Path) -> None:
        def documents(apis: Any) -> list[Api]:
            return [Api(name=each["name"]) for each in apis["apis"]]

        (dialogue,) = read(jsonl(tmp_path / "talks.jsonl", DOCUMENTED), documents=documents)
        assert dialogue.apis == ("get_order",)
        assert [Api.model_validate(each).name for each in dialogue.extra["apis"]] == ["get_order"]

    def test_or_left_alone(self, tmp_path: Path) -> None:
        (dialogue,) = read(jsonl(tmp_path / "talks.jsonl", DOCUMENTED))
        assert (dialogue.apis, dialogue.extra) == ((), {})

    def test_broken_rules_are_counted_in_the_log(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        rows = [{"conversation": TALK[:1]}, {"conversation": [*TALK, TALK[-1]]}, {"conversation": TALK[:1]}]
        with caplog.at_level(logging.WARNING):
            read(jsonl(tmp_path / "talks.jsonl", *rows))
        (said,) = caplog.messages
        assert said.endswith(
            "talks.jsonl: 3 times a rule of the format is broken: "
            "2 × after user comes assistant or api; 1 × after assistant comes user"
        )

    def test_calls_are_held_against_the_documents(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        read(jsonl(tmp_path / "talks.jsonl", DOCUMENTED), documents=lambda apis: [Api(name="find_order")])
        assert "1 × calls are of the given APIs, not get_order" in caplog.text


class TestWhatIsWrong:
    def read(self, path: Path, text: str, columns: str = "") -> list[Dialogue]:
        path.write_text(text)
        return read(path, columns)

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ("[1]", r"talks\.jsonl:2: \$: Input should be an object, got \[1\]"),
            ("{", r"talks\.jsonl:2: \$: Invalid JSON"),
            ('{"conversation": "?"}', r"talks\.jsonl:2: \$\.conversation: '\?' is neither JSON nor a Python literal"),
            ('{"conversation": {}}', r"talks\.jsonl:2: \$\.conversation: expected a list of messages, got \{\}"),
            (
                '{"conversation": [{"role": "user", "content": 7}]}',
                r":2: \$\.conversation\[0\]\.content: expected a text",
            ),
            (
                '{"conversation": [{"role": "user", "content": "?"}, {"role": "api", "content": "get_order(812"}]}',
                r"talks\.jsonl:2: \$\.conversation\[1\]\.content: 'get_order\(812' cannot be read",
            ),
            (
                '{"id": "a", "conversation": [{"role": "user", "content": "?"}]}',
                r":2: \$\.id: 'a' stands on line 1 already",
            ),
            (
                '{"id": [], "conversation": [{"role": "user", "content": "?"}]}',
                r":2: \$\.id: expected a text, got \[\]",
            ),
            (
                '{"procedure": {}, "conversation": [{"role": "user", "content": "?"}]}',
                r":2: \$\.procedure: expected a text, got \{\}",
            ),
        ],
    )
    def test_a_line_that_cannot_be_read(self, tmp_path: Path, line: str, complaint: str) -> None:
        good = json.dumps({"id": "a", "conversation": TALK})
        with pytest.raises(BadRecord, match=complaint):
            self.read(tmp_path / "talks.jsonl", f"{good}\n{line}\n")

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("", r"t\.csv holds no conversation"),
            ("conversation\n", r"t\.csv holds no conversation"),
            ("a,a\n1,2\n", r"t\.csv:1: \$: two columns are called 'a' \(rename one of them\)"),
            ("conversation,b\n1,2,3\n", r"t\.csv:2: \$: more cells than columns \(put quotes around commas\)"),
            ('conversation\n"[{', r"t\.csv is no CSV file that can be read: unexpected end of data"),
            ("conversation\n" + "x" * 200_000, r"field larger than field limit \(131072\); JSONL has no such limits"),
        ],
    )
    def test_a_table_that_cannot_be_read(self, tmp_path: Path, text: str, complaint: str) -> None:
        with pytest.raises((BadFile, BadRecord), match=complaint):
            self.read(tmp_path / "t.csv", text)

    def test_files_that_are_none(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_bytes(b"conversation\n\xff\n")
        with pytest.raises(BadFile, match=r"cannot read .*t\.csv: 'utf-8' codec can't decode byte 0xff"):
            read(tmp_path / "t.csv")
        for name in ("nowhere.csv", "nowhere.jsonl"):
            with pytest.raises(BadFile, match=rf"cannot read .*{name}: .*No such file"):
                read(tmp_path / name)

    def test_a_column_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownName, match=r"t\.csv:2 \(for conversation: --columns conversation=NAME\) is called "):
            self.read(tmp_path / "t.csv", "talk\n1\n")
        with pytest.raises(UnknownName, match=r"--columns id=NAME\) is called 'nam'; did you mean 'name'\?"):
            self.read(tmp_path / "t.csv", "name,conversation\n1,2\n", "id=nam")

    @pytest.mark.parametrize(
        ("columns", "complaint"),
        [
            ("conversation", "'conversation' says nothing; write COLUMN=NAME"),
            ("conversation=", "'conversation=' says nothing"),
            ("id=a,id=b", "'id' is given twice"),
            ("talk=a", "no column of a conversation is called 'talk'"),
        ],
    )
    def test_a_mapping_that_makes_no_sense(self, columns: str, complaint: str) -> None:
        with pytest.raises((BadSetting, UnknownName), match=complaint):
            columns_of(columns)
