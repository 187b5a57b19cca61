"""Typing errors: a word has one at most, words stay apart, and what carries meaning is left alone."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from toologue.text.bank import REGISTERS, mistype, phrases
from toologue.text.tokens import is_known

FRAMES = sorted(
    {
        frame
        for kinds in phrases().kinds.values()
        for kind in kinds.values()
        for register in REGISTERS[kind.role][:2]
        for frame in kind.of(register)
    }
)
frames = st.sampled_from(FRAMES)
APOSTROPHES = str.maketrans("", "", "'’")
seeds = st.integers(0, 100_000)
rates = st.floats(0, 1)


@given(frames | st.text(max_size=80), seeds, rates)
def test_words_stay_apart_and_have_one_error_at_most(text: str, seed: int, rate: float) -> None:
    made = mistype(text, seed=seed, rate=rate)
    assert len(made.split()) == len(text.split())
    for place, (before, after) in enumerate(zip(text.split(), made.split(), strict=True)):
        last = place == len(text.split()) - 1
        assert after[:1].lower() == before[:1].lower(), "or it could not be read"
        assert OSA.distance(before.lower(), after.lower()) <= 1 + last, "the last word may lose its full stop, too"


@given(frames, seeds, rates)
def test_slots_are_never_touched(text: str, seed: int, rate: float) -> None:
    slots = re.compile(r"\S*\{\w+\}\S*")
    assert slots.findall(mistype(text, seed=seed, rate=rate)) == slots.findall(text)


@given(
    st.lists(
        st.sampled_from(
            ["ORD-48213", "anna@post.example", "+44 20 7946", "3", "not", "NEVER", "never", "iPhone", "don't", "didn’t"]
        ),
        max_size=8,
    ),
    seeds,
)
def test_values_and_negations_are_never_touched(words: list[str], seed: int) -> None:
    made = mistype(" ".join(["Well,", *words, "ok?"]), seed=seed, rate=1).split()
    assert [word.translate(APOSTROPHES) for word in made[1:-1]] == " ".join(words).translate(APOSTROPHES).split()


@given(seeds, rates)
def test_what_is_to_be_kept_is_kept(seed: int, rate: float) -> None:
    made = mistype(
        "My address is 4 Orchard Lane, Oak Bay, please.", seed=seed, rate=rate, keep=["Orchard Lane, Oak Bay"]
    )
    assert "4 Orchard Lane, Oak Bay," in made


@given(frames, seeds)
def test_the_same_seed_makes_the_same_errors(text: str, seed: int) -> None:
    assert mistype(text, seed=seed) == mistype(text, seed=seed)


def test_there_is_an_error_wherever_there_may_be_one() -> None:
    for seed in range(200):
        assert mistype("Could somebody please help me", seed=seed, rate=0).lower() != "could somebody please help me"


def test_rate_says_how_many() -> None:
    text = " ".join(["something"] * 400)
    for rate in (0.05, 0.2, 0.6):
        wrong = sum(word.lower() != "something" for word in mistype(text, seed=1, rate=rate).split())
        assert abs(wrong / 400 - rate) < 0.08


@given(frames, seeds)
def test_no_error_makes_another_word(text: str, seed: int) -> None:
    """ "form" for "from" is no typing error that anybody would see."""
    before, after = (re.findall(r"[^\W\d_]+", one.lower()) for one in (text, mistype(text, seed=seed, rate=1)))
    changed = (made for said, made in zip(before, after, strict=False) if said != made and len(before) == len(after))
    assert [made for made in changed if is_known(made)] == []


def test_all_slips_happen() -> None:
    seen = {mistype("parcel", seed=seed) for seed in range(300)}
    assert {"pacrel", "parel", "parrcel", "patcel"} <= seen
    assert {"its fine", "it's fnie"} & {mistype("it's fine", seed=seed) for seed in range(100)}


def test_nothing_to_mistype_is_left_as_it_is() -> None:
    for text in ("", "  ", "no", "{value}", "4711\n0815"):
        assert mistype(text, seed=1) == text
