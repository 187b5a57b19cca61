"""The cache of vectors: it never changes a result, whatever happens to its file."""

from __future__ import annotations

import logging
import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from toologue.errors import BadFile
from toologue.models.embed import Cached
from toologue.models.lexical import Lexical

TEXTS = ["Pay the rent", "Call Ann", "", "Pay the rent", "\ud800"]


class Counting:
    """Lexical, and what it was asked for."""

    def __init__(self, name="lexical", width=1024):
        self.name, self.width, self.asked = name, width, []

    def embed(self, texts):
        self.asked.append(list(texts))
        return Lexical().embed(texts)[:, : self.width]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "deep" / "vectors.sqlite"


def same(cached, texts=TEXTS):
    rows = cached.embed(texts)
    return rows.dtype == np.float32 and (rows == Lexical().embed(texts)).all()


def test_a_text_is_embedded_once(file):
    for wanted in ([["Pay the rent", "Call Ann", "", "\ud800"]], []):
        inner = Counting()
        assert same(Cached(inner, file))
        assert inner.asked == wanted
    inner = Counting()
    assert same(Cached(inner, file), ["new", *TEXTS, "newer"])
    assert inner.asked == [["new", "newer"]]


def test_it_is_the_embedder_to_everyone(file):
    assert Cached(Lexical(), file).name == "lexical"
    assert Cached(Lexical(), file).embed([]).shape == (0, 1024)
    assert same(pickle.loads(pickle.dumps(Cached(Lexical(), file))))


def test_embedders_do_not_see_each_others_vectors(file):
    Cached(Counting(), file).embed(["a"])
    other = Counting("another", 3)
    assert Cached(other, file).embed(["a"]).shape == (1, 3)


def test_an_embedder_that_changed_its_width_starts_over(file):
    Cached(Counting(), file).embed(["a", "b"])
    assert Cached(Counting(width=5), file).embed(["a", "c"]).shape == (2, 5)


def test_more_texts_than_one_question_can_hold(file):
    texts = [f"text {n}" for n in range(1201)]
    Cached(Lexical(), file).embed(texts[:1200])
    inner = Counting()
    assert same(Cached(inner, file), texts)
    assert inner.asked == [["text 1200"]]


@pytest.mark.parametrize("damage", [b"not a database, whatever its name", b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_file_that_is_no_database_is_set_aside_and_begun_anew(file, damage, caplog):
    file.parent.mkdir()
    file.write_bytes(damage)
    with caplog.at_level(logging.WARNING, "toologue"):
        assert same(Cached(Lexical(), file))
    assert "set aside as vectors.sqlite.corrupt" in caplog.text
    assert file.with_name("vectors.sqlite.corrupt").read_bytes() == damage
    inner = Counting()
    assert same(Cached(inner, file))
    assert inner.asked == []


def test_pages_overwritten_in_the_middle(file, caplog):
    texts = [f"text {n}" for n in range(200)]
    Cached(Lexical(), file).embed(texts)
    with closing(sqlite3.connect(file)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(file.read_bytes())
    for start in range(4096, len(content), 4096):
        content[start : start + 64] = b"\xa5" * 64
    file.write_bytes(content)
    for _ in range(2):
        assert same(Cached(Lexical(), file), texts)


def test_a_vector_that_rotted_is_computed_again(file):
    Cached(Lexical(), file).embed(["a", "b"])
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("UPDATE vectors SET vector = zeroblob(4096) WHERE rowid = 1")
    inner = Counting()
    assert same(Cached(inner, file), ["a", "b"])
    assert len(inner.asked[0]) == 1


def test_the_database_of_another_program_is_left_alone(tmp_path):
    file = tmp_path / "mine.sqlite"
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("CREATE TABLE precious (x)")
    before = file.read_bytes()
    with pytest.raises(BadFile, match="is a database of another program"):
        Cached(Lexical(), file).embed(["a"])
    assert file.read_bytes() == before


def test_without_a_usable_file_it_goes_on(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING, "toologue"):
        assert same(Cached(Lexical(), tmp_path / "file" / "below.sqlite"))
        assert same(Cached(Lexical(), tmp_path))
    assert caplog.text.count("going on without the cache") == 4


def test_a_file_that_another_process_holds_is_done_without(file, caplog):
    cached = Cached(Counting(), file, wait=0)
    cached.embed(["a"])
    with closing(sqlite3.connect(file, isolation_level=None)) as base:
        base.execute("BEGIN IMMEDIATE")
        assert same(cached, ["a", "b"])
        assert "locked" in caplog.text
        base.execute("ROLLBACK")
    assert same(cached, ["a", "b"])
    assert cached.embedder.asked == [["a"], ["b"], ["b"]]


WORKER = """
import sys
from pathlib import Path
from toologue.models.embed import Cached
from toologue.models.lexical import Lexical
cached = Cached(Lexical(), Path(sys.argv[1]))
for turn in range(1000):
    texts = [f"text {(turn * 7 + n) % 400}" for n in range(5)]
    assert (cached.embed(texts) == Lexical().embed(texts)).all()
    print(turn, flush=True)
    if turn == int(sys.argv[2]):
        break
"""


def test_processes_share_a_file_and_may_be_killed(file):
    start = [sys.executable, "-c", WORKER, str(file)]
    victim = subprocess.Popen([*start, "999"], stdout=subprocess.PIPE, text=True)
    others = [subprocess.Popen([*start, "40"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    with victim:
        for _ in range(10):
            victim.stdout.readline()
        victim.kill()
    for other in others:
        _, error = other.communicate(timeout=60)
        assert (other.returncode, error) == (0, b"")
    inner = Counting()
    assert same(Cached(inner, file), [f"text {n}" for n in range(5)])
    assert inner.asked == []
