"""The first test of an edge: blocks of phrases, exact, and a pure function each."""

from __future__ import annotations

import pickle

from apigraph_samples import common
from hypothesis import given
from hypothesis import strategies as st

from toologue.plan.api_graph.pairs import blocks, compare_block, similar_phrases, similarity

texts = st.lists(st.text("abcd", min_size=1, max_size=12), min_size=1, max_size=12, unique=True).map(
    lambda found: sorted(found, key=lambda text: (len(text), text))
)


@given(st.text("abcé", max_size=9), st.text("abcé", max_size=9))
def test_similarity_is_what_dynamic_programming_says(one, other):
    assert similarity(one, other) == common(one, other)


@given(texts, texts, st.sampled_from([0.0, 0.5, 2 / 3, 0.83, 1.0]), st.integers(1, 5))
def test_blocks_of_any_size_find_what_is_above_and_nothing_else(rows, columns, threshold, size):
    found = [tuple(pair) for block in blocks(rows, columns, threshold, size) for pair in compare_block(block).tolist()]
    assert len(found) == len(set(found))
    above = {(i, j) for i, one in enumerate(rows) for j, other in enumerate(columns) if common(one, other) > threshold}
    assert {pair[:2] for pair in found} == above


def test_the_bound_on_lengths_is_no_narrower_than_the_threshold():
    """Four letters of five are 0.89 alike, though their lengths are only 0.8 to each other."""
    (block,) = blocks(["abcd"], ["abcde"], 0.88)
    assert compare_block(block).tolist() == [[0, 0, 4]]
    assert list(blocks(["abcd"], ["abcde"], 0.9)) == []


def test_a_block_travels_and_is_a_function_of_itself_alone():
    block = next(blocks(["team", "teams"], ["teamid"], 0.5))
    assert (compare_block(pickle.loads(pickle.dumps(block))) == compare_block(block)).all()


def test_lengths_too_far_apart_are_not_compared_at_all():
    rows, columns = ["a" * n for n in range(1, 3000)], ["a" * 20]
    assert sum(len(block.rows) for block in blocks(rows, columns, 0.83, 16)) < 50


def test_progress_is_told_block_by_block():
    told: list[tuple[int, int]] = []
    found = list(similar_phrases(["ab"], ["ab"], 0.5, progress=lambda done, of: told.append((done, of))))
    assert (told, [block.tolist() for block in found]) == ([(1, 1)], [[[0, 0, 2]]])
