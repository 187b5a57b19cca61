"""Similarities of texts, and the judge that decides by one at given thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import noun_strategies as some
from toologue.errors import BadFile, BadSetting, UnknownName
from toologue.models.similarity import Similarity, TextMatch, Vectors, similarity


@pytest.mark.parametrize("name", ["exact", "one", "lexical"])
@given(some.texts, some.texts)
def test_a_similarity_is_between_0_and_1_mutual_and_1_for_equal_texts(name, one, other):
    alike = similarity(name)
    assert -1e-9 <= alike(one, other) <= 1 + 1e-9
    assert alike(one, other) == pytest.approx(alike(other, one))
    assert alike(one, one) == pytest.approx(1)


@given(some.texts, some.texts)
def test_exact_and_one_are_the_brackets_of_any_similarity(one, other):
    low, middle, high = (similarity(name)(one, other) for name in ("exact", "lexical", "one"))
    assert low <= middle + 1e-9
    assert middle <= high + 1e-9


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Pay the rent", "pay rent.", True),
        ("Water the balcony", "Water the plants on the balcony", True),
        ("Find the old X-rays", "find old x rays", True),
        ("Pay the rent", "Call Ann", False),
        ("", "Call Ann", False),
        ("…", "!", False),
        ("✓", " ✓ ", True),
    ],
)
def test_lexical_sees_spelling(one, other, alike):
    assert TextMatch.of("lexical").alike("text", one, other) is alike


def test_lexical_takes_a_denial_for_a_near_relative():
    """A limit that the module states: it sees spelling, not meaning."""
    assert TextMatch.of("lexical").alike("text", "cancel the dentist", "do not cancel the dentist")


# stored vectors ------------------------------------------------------------------------------------------------------


@pytest.fixture
def vectors(tmp_path):
    file = tmp_path / "texts.npz"
    np.savez(file, texts=np.array(["east", "north", "far east"]), vectors=np.array([[1, 0], [0, 2], [3, 0.0]]))
    return file


def test_stored_vectors_give_their_cosine(vectors):
    stored = similarity(f"vectors:{vectors}")
    assert stored("east", "far east") == pytest.approx(1)
    assert stored("east", "north") == pytest.approx(0)
    assert stored.thresholds == {"text": 0.9, "prose": 0.8, "reply": 0.55}


def test_the_name_of_stored_vectors_names_their_content(vectors, tmp_path):
    name = similarity(f"vectors:{vectors}").name
    assert name.startswith("vectors:texts.npz@")
    np.savez(vectors, texts=np.array(["east"]), vectors=np.array([[1, 0]]))
    assert similarity(f"vectors:{vectors}").name != name


def test_a_text_without_a_vector_is_an_error(vectors):
    with pytest.raises(BadSetting, match=r"texts\.npz has no vector for the text 'west'; add it, or use another"):
        similarity(f"vectors:{vectors}")("east", "west")


def test_a_vector_of_nothing_is_like_nothing(tmp_path):
    file = tmp_path / "zero.npz"
    np.savez(file, texts=np.array(["a", "b"]), vectors=np.array([[0.0, 0], [1, 0]]))
    assert Vectors(file)("a", "b") == 0


def saved(**arrays):
    return lambda file: np.savez(file, **arrays)


def as_npy(file):
    with file.open("wb") as stream:
        np.save(stream, np.zeros(3))


NOT_VECTORS = {
    "missing": lambda file: None,
    "empty": lambda file: file.write_bytes(b""),
    "text": lambda file: file.write_text("east,1,0"),
    "broken zip": lambda file: file.write_bytes(b"PK\x03\x04 and no more"),
    "npy": as_npy,
    "a folder": lambda file: file.mkdir(),
    "no vectors": saved(texts=np.array(["a"])),
    "no texts": saved(vectors=np.zeros((1, 2))),
    "words": saved(texts=np.array(["a"]), vectors=np.array([["x"]])),
    "objects": saved(texts=np.array([{"a": 1}], dtype=object), vectors=np.zeros((1, 2))),
}


@pytest.mark.parametrize("name", NOT_VECTORS)
def test_a_file_that_holds_no_vectors_says_so(tmp_path, name):
    file = tmp_path / "v.npz"
    NOT_VECTORS[name](file)
    stored = Vectors(file)  # looks at nothing yet
    with pytest.raises(BadFile, match=r"v\.npz is not an \.npz file with arrays `texts` and `vectors`: "):
        stored("a", "b")


@pytest.mark.parametrize("shape", [(3, 2), (2,), (2, 2, 2)])
def test_vectors_of_another_shape_say_so(tmp_path, shape):
    np.savez(tmp_path / "v.npz", texts=np.array(["a", "b"]), vectors=np.zeros(shape))
    with pytest.raises(BadFile, match=r"2 texts but vectors of shape .*: give one row a text"):
        Vectors(tmp_path / "v.npz")("a", "b")


def test_similarities_are_found_by_name():
    assert similarity("exact").name == "exact"
    with pytest.raises(UnknownName, match="no similarity is called 'lexcal'; did you mean 'lexical'"):
        similarity("lexcal")
    with pytest.raises(BadSetting, match="the similarity 'vectors' needs a file: vectors:FILE"):
        similarity("vectors")


# the judge -----------------------------------------------------------------------------------------------------------


class Fixed:
    """A similarity of one's own: anything with a name, thresholds, and a call."""

    name = "fixed"

    def __init__(self, score, **thresholds):
        self.score, self.thresholds = score, thresholds

    def __call__(self, expected, actual):
        return self.score


def test_a_threshold_belongs_to_its_kind_of_text():
    half: Similarity = Fixed(0.5, text=0.6, prose=0.5)
    judge = TextMatch(half, half.thresholds)
    assert not judge.alike("text", "a", "b")
    assert judge.alike("prose", "a", "b")
    assert TextMatch(half, {"text": 0.1, "prose": 1}).alike("text", "a", "b")


def test_equal_texts_are_alike_whatever_the_similarity_says():
    never = TextMatch(Fixed(0.0), {"text": 0.9, "prose": 0.9})
    assert never.alike("text", "a", "a")
    assert not never.alike("text", "a", "A")


def test_a_judge_says_what_it_decided_by():
    lexical = similarity("lexical")
    assert TextMatch.of("lexical").record() == {"name": lexical.name, "thresholds": dict(lexical.thresholds)}
    changed = TextMatch.of("exact", {"text": 0.3})
    assert changed.record() == {"name": "exact", "thresholds": {"text": 0.3, "prose": 0.8, "reply": 0.55}}
    assert TextMatch.of("exact").record()["thresholds"] == {"text": 0.9, "prose": 0.8, "reply": 0.55}


@pytest.mark.parametrize(("name", "alike"), [("exact", False), ("one", True)])
def test_the_brackets_as_judges(name, alike):
    assert TextMatch.of(name).alike("prose", "a", "b") is alike
