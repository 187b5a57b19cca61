"""Similarity by an embedder, warmed or not, and the judge that asks for thresholds it lacks."""

from __future__ import annotations

import numpy as np
import pytest

from toologue.errors import BadSetting
from toologue.models.embed import calibrated
from toologue.models.lexical import Lexical
from toologue.models.similarity import Embedded, TextMatch, Warmable, similarity


class Counting:
    name = "counting"

    def __init__(self):
        self.batches = []

    def embed(self, texts):
        self.batches.append(list(texts))
        return Lexical().embed(texts)


def test_warming_changes_nothing_but_the_number_of_batches():
    texts = ["Pay the rent", "pay rent", "Call Ann", "…", ""]
    pairs = [(one, other) for one in texts for other in texts]
    cold, warm = Counting(), Counting()
    expected = [Embedded(cold)(*pair) for pair in pairs]
    similar = Embedded(warm)
    similar.warm(texts)
    similar.warm(texts)
    assert [similar(*pair) for pair in pairs] == expected
    assert warm.batches == [texts]


def test_it_forgets_what_is_old_but_never_what_it_was_warmed_with():
    inner = Counting()
    similar = Embedded(inner, remembered=4)
    similar.warm(["a", "b", "c"])
    similar.warm(["c", "d", "e", "f"])
    for _ in range(2):
        similar("e", "f")
    assert inner.batches == [["a", "b", "c"], ["d", "e", "f"]]
    for text in "ghijk":
        similar(text, "c")
    similar("a", "b")
    assert inner.batches[-1] == ["a", "b"]


def test_what_it_was_warmed_with_may_be_more_than_it_remembers_otherwise():
    inner = Counting()
    similar = Embedded(inner, remembered=2)
    similar.warm("uvwxyz")
    similar("new", "u")
    similar("y", "z")
    assert inner.batches == [list("uvwxyz"), ["new"]]


def test_scores_are_rounded_and_never_negative():
    class Opposed:
        name = "opposed"

        def embed(self, texts):
            return np.array([[1, 0] if text == "a" else [-0.6, 0.8] for text in texts], dtype=np.float32)

    assert Embedded(Opposed())("a", "b") == 0
    score = similarity("lexical")("Pay the rent", "pay rent now")
    assert score == round(score, 5)


def test_each_embedder_is_a_similarity_with_its_thresholds():
    judge = TextMatch.of("lexical")
    wanted = {kind: calibrated("lexical")[kind] for kind in ("text", "prose", "reply")}
    assert judge.record() == {"name": "lexical", "thresholds": wanted}
    assert judge.alike("reply", "The alarm is set.", "the alarm is set")
    assert isinstance(judge.similarity, Warmable)
    assert not isinstance(similarity("exact"), Warmable)
    TextMatch.of("exact").warm(["nothing happens"])


def test_without_thresholds_the_judge_asks_for_them(monkeypatch):
    monkeypatch.setenv("TOOLOGUE_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(BadSetting, match=r"'endpoint:small@\w+' has no calibrated threshold for prose: give your own"):
        TextMatch.of("endpoint:small", {"text": 0.5})
    judge = TextMatch.of("endpoint:small", {"text": 0.5, "prose": 0.6})
    assert judge.alike("text", "same", "same"), "which needs no server"
    with pytest.raises(BadSetting, match="has no calibrated threshold for reply"):
        judge.alike("reply", "a", "b")
    assert not TextMatch.of("exact").alike("reply", "a", "b"), "which has the published one"
