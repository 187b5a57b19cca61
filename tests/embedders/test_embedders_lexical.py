"""The embedder without weights, and what every embedder keeps: shapes, unit rows, names, thresholds."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toologue import registry
from toologue.errors import BadSetting, UnknownName
from toologue.models.embed import calibrated, calibration, embedder
from toologue.models.lexical import Lexical, words_of

LEXICAL = Lexical()


def cosine(one: str, other: str) -> float:
    first, second = LEXICAL.embed([one, other])
    return float(first @ second)


@given(st.lists(st.text(st.characters(), max_size=30), max_size=8))
def test_rows_have_length_one_or_are_zero(texts):
    rows = LEXICAL.embed(texts)
    assert (rows.shape, rows.dtype) == ((len(texts), 1024), np.float32)
    for text, row in zip(texts, rows, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1 if words_of(text) else 0, abs=1e-5)


@given(st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=8))
def test_a_vector_does_not_depend_on_its_neighbours(texts):
    assert (LEXICAL.embed(texts)[-1] == LEXICAL.embed(texts[-1:])[0]).all()


def test_the_same_bits_in_every_process():
    """The hash is not Python's, which differs from process to process."""
    code = "from toologue.models.lexical import Lexical as L;print(L().embed(['Déjà vu at 3pm','x y']).tobytes().hex())"
    prints = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(prints) == 1
    assert prints.pop().strip() == LEXICAL.embed(["Déjà vu at 3pm", "x y"]).tobytes().hex()


@pytest.mark.parametrize(
    ("one", "other"),
    [("Pay RENT", "pay rent!"), ("Café", "cafe"), ("3pm", "3 PM"), ("straße", "STRASSE"), ("x-ray", "X ray")],
)
def test_case_accents_spacing_and_punctuation_do_not_matter(one, other):
    assert cosine(one, other) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("Pay the rent", "pay rent", "Call Ann"),
        ("water the plants", "watering plants", "order a taxi"),
        ("invoice 4417", "the invoice 4417", "invoice 4471"),
        ("Ann calls Bob", "Ann calls Bob today", "Bob calls Ann today"),
        ("会議の予定", "会議の予定表", "天気予報"),
    ],
)
def test_spelling_makes_near_and_far(text, near, far):
    assert cosine(text, near) > cosine(text, far)


def test_unrelated_texts_meet_at_about_zero():
    words = ["".join(chr(97 + (7 * i + 11 * j * j) % 26) for j in range(7)) for i in range(26)]
    rows = LEXICAL.embed([" ".join(words[i : i + 13]) for i in (0, 13)])
    assert abs(float(rows[0] @ rows[1])) < 0.25


def test_embedders_are_found_by_name():
    assert embedder("lexical").name == "lexical"
    with pytest.raises(UnknownName, match="no embedder is called 'lexicl'; did you mean 'lexical'"):
        embedder("lexicl")
    with pytest.raises(BadSetting, match="takes no argument; it was given 'x'"):
        embedder("lexical:x")
    assert set(registry.names("embedder")) >= {"lexical", "minilm", "endpoint"}


def test_a_threshold_that_nobody_calibrated_is_asked_for():
    assert calibrated("nobody") == {}
    with pytest.raises(BadSetting, match=r"'nobody' has no calibrated threshold for prose, text: give your own"):
        calibrated("nobody", "text", "prose")


def test_what_is_read_of_the_calibration_is_a_copy():
    calibration()["lexical"]["thresholds"]["text"] = 2
    calibrated("lexical")["text"] = 2
    assert calibrated("lexical")["text"] < 1


def test_importing_models_loads_no_library_of_numbers():
    names = ("embed", "lexical", "minilm", "client", "similarity", "retriever")
    code = f"import sys, {', '.join(f'toologue.models.{name}' for name in names)}\n"
    code += "print([m for m in sys.modules if m in ('numpy', 'tokenizers', 'onnxruntime', 'torch')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
