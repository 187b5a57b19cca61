"""Long messages: the work grows with the message, never with its square, and what is to be stored is stored whole.

Work is counted where it can be: the lines of the agent's own code that run. What its expressions do inside is compared
with what they do for a message a quarter as long: four times the work is a law, sixteen times a square.
"""

import sys
from time import process_time

import pytest

from toologue.agents.goal_templates.gist import MOST, gist
from toologue.agents.goal_templates.hearing import hear

SENTENCE = "Yesterday it rained, and my bus was late because of a fallen tree. "
RUNS = [
    "a",
    "b ",
    "a/",
    "a.",
    "a-",
    "+a",
    "1,",
    " ",
    "<",
    '"',
    "'a ",
    "“",
    "yes, oh ",
    "and ",
    "q1 to ",
    "a/b.txt ",
    "my-bucket ",
]
LONG = 40_000


def steps(words: str) -> int:
    """How many lines of the agent's own code run until words are heard, from cold."""
    counted = 0

    def count(frame, event, _):
        nonlocal counted
        counted += event == "line" and "goal_templates" in frame.f_code.co_filename
        return count

    sys.settrace(count)
    try:
        hear(words)
    finally:
        sys.settrace(None)
    return counted


@pytest.mark.parametrize("run", [*RUNS, SENTENCE])
def test_twice_the_message_is_at_most_twice_the_work(run):
    hear("warm")
    short, long = (run * (n // len(run)) for n in (LONG // 4, LONG // 2))
    assert steps(long) < 2.5 * steps(short) + 2_000


@pytest.mark.parametrize("run", [*RUNS, SENTENCE])
def test_no_expression_begins_again_within_a_run(run):
    def seconds(size: int) -> float:
        begun = process_time()
        hear(run * (size // len(run)))
        return process_time() - begun

    short = min(seconds(LONG + n) for n in (0, 100, 200))
    long = min(seconds(4 * LONG + n) for n in (0, 100, 200))
    assert long < 9 * max(short, 0.02)


def test_a_long_text_in_quotes_is_stored_whole():
    body = (SENTENCE * 5_000).strip()
    (wish,) = hear(f'Put a file story.txt into my-attic that says "{body}", please.').wishes
    assert (wish.op, wish.bucket, wish.keys, wish.body) == ("put", "my-attic", ("story.txt",), body)


@pytest.mark.parametrize("words", ["{} Delete temp/a.csv from my-attic.", "Delete temp/a.csv from my-attic. {}"])
def test_what_is_asked_for_before_or_after_a_long_story_is_heard(words):
    (wish,) = hear(words.format(SENTENCE * 5_000)).wishes
    assert (wish.op, wish.keys, wish.bucket) == ("delete", ("temp/a.csv",), "my-attic")


def test_of_different_sentences_no_more_are_searched_than_people_write():
    words, kept = gist(" ".join(f"sentence number {n}x." for n in range(50_000)), ())
    assert len(words) <= MOST
    assert words.startswith("sentence number 0x.")
    assert words.endswith("sentence number 49999x.")
    assert not kept
