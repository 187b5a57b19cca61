"""The borders: files of records, their errors, and what a crash leaves behind."""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import noun_strategies as some
from toologue.errors import BadFile, BadRecord
from toologue.schema import AgentTurn, Api, Call, Dialogue, Score, Trace, UserTurn
from toologue.schema.jsonl import Appender, line_of, parse, read, read_lines, replacing, write

HELLO = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
LINE = line_of(HELLO)


def edited(**changes) -> bytes:
    """The line of a dialogue with some keys changed."""
    return json.dumps(json.loads(LINE) | changes).encode() + b"\n"


# reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dialogues.jsonl", "dialogues.jsonl.gz"])
def test_a_file_many_times_larger_than_any_buffer_is_read_as_a_stream(tmp_path, name):
    file, count = tmp_path / name, 3000
    opened = gzip.open if name.endswith("gz") else open
    with opened(file, "wb") as stream:
        for number in range(count):
            stream.write(line_of(HELLO.replace(id=f"d{number}", instructions="\u2028 wait … " * 40)))
    source = read(file, Dialogue)
    assert next(source).id == "d0"
    assert [dialogue.id for dialogue in source] == [f"d{number}" for number in range(1, count)]


def test_only_a_line_feed_ends_a_line(tmp_path):
    awkward = HELLO.replace(turns=(UserTurn(text="a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\rh\nk"),))
    assert write(tmp_path / "f.jsonl", [awkward, HELLO]) == 2
    assert list(read(tmp_path / "f.jsonl", Dialogue)) == [awkward, HELLO]


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_are_read_over(tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + LINE.replace(b"\n", b"\r\n") + b"\n   \n\t\r\n" + LINE + b"\n")
    assert [number for number, _, _ in read_lines(file)] == [1, 5]
    assert list(read(file, Dialogue)) == [HELLO, HELLO]


def test_the_last_line_needs_no_newline(tmp_path):
    (tmp_path / "f.jsonl").write_bytes(LINE + LINE.rstrip())
    assert len(list(read(tmp_path / "f.jsonl", Dialogue))) == 2


@pytest.mark.parametrize("kept", [1, 20, len(LINE) - 2])
def test_a_last_line_that_was_cut_off_is_skipped_and_logged(tmp_path, caplog, kept):
    file = tmp_path / "f.jsonl"
    file.write_bytes(LINE + LINE[:kept])
    with caplog.at_level(logging.WARNING, logger="toologue"):
        assert list(read(file, Dialogue)) == [HELLO]
    assert f"{file}:2: the last line is cut off and was skipped" in caplog.text


def test_a_file_of_a_cut_off_line_alone_holds_no_record(tmp_path):
    (tmp_path / "f.jsonl").write_bytes(LINE[:20])
    with pytest.raises(BadFile, match="holds no record"):
        next(read(tmp_path / "f.jsonl", Dialogue))


def test_a_cut_off_line_in_the_middle_is_an_error(tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_bytes(LINE[:40] + b"\n" + LINE)
    with pytest.raises(BadRecord) as error:
        list(read(file, Dialogue))
    assert str(error.value).startswith(f"{file}:1: $: Invalid JSON: ")


def test_a_whole_last_line_that_is_wrong_is_an_error_even_without_newline(tmp_path):
    (tmp_path / "f.jsonl").write_bytes(LINE + b'{"id": 7}')
    with pytest.raises(BadRecord, match=r"f\.jsonl:2: \$\.id: Input should be a valid string, got 7"):
        list(read(tmp_path / "f.jsonl", Dialogue))


@pytest.mark.parametrize("content", [b"", b"\n\n", b" \t\r\n", b"\xef\xbb\xbf"])
def test_a_file_without_records_is_an_error_unless_that_is_allowed(tmp_path, content):
    file = tmp_path / "f.jsonl"
    file.write_bytes(content)
    with pytest.raises(BadFile, match="holds no record: expected one dialogue/1 a line"):
        list(read(file, Dialogue))
    assert list(read(file, Dialogue, empty=True)) == []


def test_what_cannot_be_read_says_why(tmp_path):
    with pytest.raises(BadFile, match=r"cannot read .*: Is a directory"):
        list(read(tmp_path, Dialogue))
    with pytest.raises(BadFile, match=r"cannot read .*: No such file"):
        list(read(tmp_path / "missing.jsonl", Dialogue))


def test_a_broken_gz_file_says_so(tmp_path):
    (tmp_path / "no.jsonl.gz").write_bytes(LINE)
    with pytest.raises(BadFile, match=r"cannot read .*no\.jsonl\.gz: Not a gzipped file"):
        list(read(tmp_path / "no.jsonl.gz", Dialogue))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(LINE * 50)[:-20])
    with pytest.raises(BadFile, match=r"cannot read .*cut\.jsonl\.gz"):
        list(read(tmp_path / "cut.jsonl.gz", Dialogue))


# errors: file, line, JSON path, value, remedy ----------------------------------------------------------------------

TURNS = [{"role": "user", "text": "Hi"}]
BAD_LINES = {
    "another version": (edited(format="dialogue/2"), "$.format: this line is 'dialogue/2', expected 'dialogue/1'"),
    "another noun": (line_of(Api(name="A")), "$.format: this line is 'api/1', expected 'dialogue/1'"),
    "unknown key": (edited(mood="good"), "$.mood: unknown key (put keys of your own under `extra`)"),
    "unknown key below": (edited(turns=[{**TURNS[0], "txt": ""}]), "$.turns[0].txt: unknown key"),
    "missing key": (b'{"turns": [{"role": "user"}]}\n', "$.id: this key is missing"),
    "missing role": (edited(turns=[{"text": "Hi"}]), "$.turns[0]: Unable to extract tag"),
    "unknown role": (edited(turns=[{"role": "system"}]), "$.turns[0]: Input tag 'system' found"),
    "wrong type": (edited(turns=[*TURNS, {"role": "agent", "text": 7}]), "$.turns[1].text: Input should be a valid"),
    "wrong act": (
        edited(turns=[*TURNS, {"role": "agent", "acts": [{"kind": "call"}]}]),
        "$.turns[1].acts[0].api: this key is missing",
    ),
    "results without acts": (
        edited(turns=[*TURNS, {"role": "agent", "results": [None]}]),
        "$.turns[1]: 1 results for 0 acts: give one each, None for a draft",
    ),
    "nobody speaks": (edited(turns=[]), "$: the conversation has no user turn"),
    "empty id": (edited(id=""), "$.id: String should have at least 1 character, got ''"),
    "no object": (b"[1, 2]\n", "$: Input should be an object, got [1, 2]"),
    "no JSON": (b"id: hello\n", "$: Invalid JSON: expected value at line 1 column 1 (one JSON object a line)"),
    "two on a line": (LINE.rstrip() + LINE, "$: Invalid JSON: trailing characters"),
    "lone surrogate": (edited(instructions="\ud800"), "$: Invalid JSON: unexpected end of hex escape"),
    "no UTF-8": (LINE.replace(b"Hello", b"Hell\xf6"), "$: Invalid JSON: invalid unicode code point"),
    "long value": (edited(facts="x" * 500), "$.facts: Input should be an object, got '" + "x" * 59 + "… (502"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_refused_with_its_place(tmp_path, name):
    line, message = BAD_LINES[name]
    file = tmp_path / "f.jsonl"
    file.write_bytes(LINE + b"\n" + line + LINE)
    records = read(file, Dialogue)
    assert next(records) == HELLO
    with pytest.raises(BadRecord) as error:
        next(records)
    assert str(error.value).startswith(f"{file}:3: {message}")
    assert (error.value.file, error.value.line) == (str(file), 3)


@pytest.mark.parametrize(
    "number",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1E+400", "9" * 400 + ".0", "1" + "0" * 250 + "e99", "1e0308000"],
)
@pytest.mark.parametrize(
    ("place", "path"),
    [('"facts": {"x": [0, @]}', "$.facts.x[1]"), ('"extra": {"list": {"y": @}}', "$.extra.list.y")],
)
def test_numbers_that_json_does_not_have_are_refused(number, place, path):
    line = b'{"id": "d", "turns": [{"role": "user"}], ' + place.replace("@", number).encode() + b"}"
    with pytest.raises(BadRecord) as error:
        parse(line, Dialogue)
    assert str(error.value).startswith(f"<record>: {path}: expected a finite number, got ")
    assert str(error.value).endswith("(JSON has no NaN or infinity: write null or a string)")


def test_a_broken_line_with_such_a_word_in_a_text_is_just_a_broken_line():
    with pytest.raises(BadRecord, match=r"^<record>: \$: Invalid JSON: EOF .*\(one JSON object a line\)$"):
        parse(b'{"id": "to Infinity and 1e999", "turns": ', Dialogue)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e999", "x-1e1000", "9" * 400])
def test_texts_and_whole_numbers_that_look_like_them_are_fine(text):
    dialogue = HELLO.replace(facts={"said": text, "digits": 10**310 + 1})
    assert parse(line_of(dialogue), Dialogue) == dialogue


def test_a_score_may_not_be_nan_either():
    with pytest.raises(BadRecord, match=r"\$\.value: expected a finite number, got nan"):
        parse(b'{"metric": "m", "dialogue": "d", "value": NaN}', Score)


@pytest.mark.parametrize("depth", [50, 100, 150, 300, 100_000])
def test_deep_nesting_is_read_or_refused(depth):
    value = "[" * depth + "]" * depth
    line = b'{"id": "d", "turns": [{"role": "user"}], "facts": {"x": ' + value.encode() + b"}}"
    if depth > 200:
        with pytest.raises(BadRecord, match="Invalid JSON: recursion limit exceeded"):
            parse(line, Dialogue)
    else:
        assert parse(line_of(parse(line, Dialogue)), Dialogue).facts == {"x": json.loads(value)}


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    deep = HELLO.replace(facts={"x": json.loads("[" * 200 + "]" * 200)})
    with pytest.raises(BadRecord, match=r"a record dialogue/1: .*more than 200 levels deep"):
        write(tmp_path / "f.jsonl", [HELLO, deep])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("facts", ['{"a": 1, "b": {}, "a": 1}', '{"x": [{"a": 1, "\\u0061": 2}]}'])
def test_a_key_that_stands_twice_is_refused_with_its_line(tmp_path, facts):
    (tmp_path / "f.jsonl").write_bytes(LINE + LINE.replace(b'"facts":{}', b'"facts":' + facts.encode()))
    with pytest.raises(BadRecord, match=r"f\.jsonl:2: \$: the key 'a' stands twice in one object"):
        list(read(tmp_path / "f.jsonl", Dialogue))


@given(st.binary(max_size=60))
def test_any_bytes_parse_or_are_a_bad_record(line):
    for noun in (Dialogue, Api, Trace):
        with pytest.raises(BadRecord):
            parse(line, noun)


@given(some.dialogues, st.data())
def test_any_damage_to_a_line_is_read_or_is_a_bad_record(dialogue, data):
    line = bytearray(line_of(dialogue))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        line[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4) | st.sampled_from(JSON_BITS))
    with contextlib.suppress(BadRecord):
        record = parse(bytes(line), Dialogue, "f.jsonl", 7)
        assert parse(line_of(record), Dialogue) == record


JSON_BITS = [b"null", b"NaN", b"1e999", b'"\\ud800"', b"[]", b"{}", b'"', b",", b"\\", b'{"a":', b"-1", b"\x00"]


# writing ---------------------------------------------------------------------------------------------------------


def test_a_file_is_written_whole_and_its_folder_with_it(tmp_path):
    file = tmp_path / "new" / "folder" / "f.jsonl"
    assert write(file, iter([HELLO, HELLO])) == 2
    assert file.read_bytes() == LINE * 2
    assert [entry.name for entry in file.parent.iterdir()] == ["f.jsonl"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "f.jsonl"
    write(file, [HELLO])

    def breaking():
        yield HELLO.replace(id="new")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(file, breaking())
    assert file.read_bytes() == LINE
    assert [entry.name for entry in tmp_path.iterdir()] == ["f.jsonl"]


def test_readers_see_the_old_file_until_the_new_one_is_whole(tmp_path):
    file = tmp_path / "f.jsonl"
    write(file, [HELLO])
    with replacing(file) as stream:
        stream.write(b"half")
        stream.flush()
        assert file.read_bytes() == LINE
    assert file.read_bytes() == b"half"


def test_a_place_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match=r"cannot write .*: (Not a directory|File exists); choose another place"):
        write(tmp_path / "file" / "f.jsonl", [HELLO])
    with pytest.raises(BadFile, match=r"cannot write .*: Is a directory; choose another place"):
        write(tmp_path, [HELLO])
    with pytest.raises(BadFile, match=r"cannot write .*embedded null .*; choose another place"):
        write(tmp_path / "f\0", [HELLO])
    with pytest.raises(BadFile, match=r"cannot write .*; choose another place"):
        Appender(tmp_path / "file" / "f.jsonl")
    with pytest.raises(BadFile, match=r"cannot write .*: Is a directory"):
        Appender(tmp_path)


@pytest.fixture
def no_room():
    """As on a full disk: files of more than 64 bytes cannot be written."""
    resource = pytest.importorskip("resource", reason="only Unix limits files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_without_room_says_so_and_leaves_what_was_there(tmp_path, no_room):
    file = tmp_path / "f.jsonl"
    file.write_bytes(b"{}\n")
    with pytest.raises(BadFile, match=r"cannot write .*f\.jsonl: File too large; choose another place"):
        write(file, [HELLO])
    with pytest.raises(BadFile, match="File too large"), Appender(file) as appender:
        appender.append(LINE)
    assert [one.name for one in tmp_path.iterdir()] == ["f.jsonl"]
    assert file.read_bytes().startswith(b"{}\n")


def test_a_device_is_written_to_and_not_replaced():
    write(os.devnull, [HELLO])
    assert not Path(os.devnull).is_file()


def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    file, left = tmp_path / "f.jsonl", tmp_path / ".f.jsonl.abcd1234.unfinished"
    left.write_bytes(LINE[:40])
    with replacing(file) as first:
        first.write(LINE)
        write(file, [])
        assert not left.exists()
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("f.jsonl", LINE)]


def test_an_appended_line_is_there_at_once(tmp_path):
    file = tmp_path / "new" / "f.jsonl"
    with Appender(file) as appender:
        for count in range(1, 4):
            appender.append(LINE)
            assert file.read_bytes() == LINE * count


@pytest.mark.parametrize("torn", [b"", b'{"id": "half', b"x" * 200_000])
@pytest.mark.parametrize("before", [b"", LINE, LINE * 3])
def test_appending_after_a_cut_off_line_glues_nothing_on(tmp_path, before, torn):
    file = tmp_path / "f.jsonl"
    file.write_bytes(before + torn)
    with Appender(file) as appender:
        appender.append(LINE)
    assert file.read_bytes() == before + LINE


def test_what_an_appender_leaves_is_what_the_reader_takes(tmp_path):
    file = tmp_path / "f.jsonl"
    with Appender(file) as appender:
        appender.append(LINE)
        appender.append(LINE[:-30])  # the machine died here
    with Appender(file) as appender:
        appender.append(line_of(HELLO.replace(id="next")))
    assert [dialogue.id for dialogue in read(file, Dialogue)] == ["hello", "next"]


def test_an_act_that_did_not_parse_survives_the_file(tmp_path):
    call = Call(api="Add", arguments=None, raw="{")
    write(tmp_path / "f.jsonl", [HELLO.replace(turns=(UserTurn(), AgentTurn(acts=(call,))))])
    assert next(read(tmp_path / "f.jsonl", Dialogue)).turns[1].acts == (call,)
