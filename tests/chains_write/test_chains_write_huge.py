"""Names of others may be of any length: they are taken apart in time that grows with them, no faster."""

from toologue.text.tokens import split_compound


def test_a_word_of_a_million_letters_is_taken_apart_as_short_ones_are() -> None:
    assert split_compound("hotelname") == ("hotel", "name")
    assert split_compound("x" * 1_000_000) == ("x" * 1_000_000,)
    assert split_compound("hotel" + "x" * 1_000_000) == ("hotel" + "x" * 1_000_000,)
