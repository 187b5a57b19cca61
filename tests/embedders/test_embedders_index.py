"""The index: the cosine of a query with what is said of each name, kept in a file, and the processes that share it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toologue.models.index import Additive, Index
from toologue.models.lexical import Lexical
from toologue.parallel import pool, unordered

LEXICAL = Lexical()
TEXTS = {
    "AddAlarm": ["add an alarm", "sets the alarm clock; 7 am, 7 pm"],
    "FindAlarms": ["find alarms"],
    "SendEmail": ["send e-mail", "send a message to people whose address is known", "a message for someone"],
}
INDEX = Index.of(TEXTS, LEXICAL)
SAID = ("the", "alarm", "clock", "send", "when", "7", "7", "message", "für", "zqx", "an", "an")
WORDS = st.lists(st.sampled_from(SAID), max_size=12)


class Plain:
    """The same vectors, of which nobody knows what they are made of."""

    name = "plain"

    def embed(self, texts):
        return LEXICAL.embed(texts)


@given(WORDS.map(" ".join))
def test_a_score_is_the_best_cosine_however_it_is_added_up(query):
    (row,) = LEXICAL.embed([query])
    best = {name: max(float(text @ row) for text in LEXICAL.embed(texts)) for name, texts in TEXTS.items()}
    ranked = INDEX.rank(query, 3)
    for name, score in ranked:
        assert abs(score - max(0.0, best[name])) < 2e-5
        assert abs(INDEX.score(name, query) - score) < 2e-5
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    plain = Index.of(TEXTS, Plain())
    assert all(abs(plain.score(name, query) - score) < 2e-5 for name, score in ranked)


def test_only_an_embedder_that_adds_up_words_is_taken_for_one():
    assert isinstance(LEXICAL, Additive)
    assert not isinstance(Plain(), Additive)


def test_some_names_are_saved_and_mapped_back(tmp_path: Path):
    names = ["SendEmail", "AddAlarm"]
    INDEX.save(tmp_path / "some.npy", names)
    some = Index.open(tmp_path / "some.npy", names, LEXICAL)
    for query in ("an alarm at 7", "a message to Ann", ""):
        expected = {name: score for name, score in INDEX.rank(query, 3) if name in names}
        assert dict(some.rank(query, 3)) == expected
    assert isinstance(some.columns, np.ndarray)


def test_an_index_of_nothing_finds_nothing():
    assert Index.of({}, LEXICAL).rank("alarm", 5) == []


def process(_: int) -> int:
    return os.getpid()


def test_calls_in_a_pool_share_its_processes():
    with pool(1):
        one, two = (set(unordered(process, range(3), executor="processes", workers=1)) for _ in range(2))
        with pool(1):
            inside = set(unordered(process, [0], executor="processes", workers=1))
    (after,) = unordered(process, [0], executor="processes", workers=1)
    assert one == two == inside
    assert after not in one | {os.getpid()}


SCORES = """
from random import Random
from toologue.models.embed import embedder
from toologue.models.index import Index

words = "order parcel refund city weather forecast alarm event invoice flight seat hotel player team match song".split()
chance = Random(0)
texts = [" ".join(chance.choices(words, k=chance.randint(3, 9))) for _ in range(200)]
index = Index.of({text: [text] for text in texts[:40]}, embedder("lexical"))
print([index.rank(query, 5) for query in texts[40:]], [index.score(texts[0], query) for query in texts])
"""


def test_scores_are_the_same_on_every_processor() -> None:
    """BLAS is told to take this machine for others, whose sums are added in other orders."""
    printed = set[str]()
    for kind in ("Nehalem", "Haswell", "SkylakeX"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": kind}
        command = [sys.executable, "-c", SCORES]
        printed.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(printed) == 1
