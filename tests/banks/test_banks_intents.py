"""The catalogue of intents: how many, how different."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from bank_twins import twins

from toologue.plan.procedures.by_model import generics, likeness
from toologue.plan.procedures.intents import intents, slug

ALL = intents()


class TestCatalogue:
    def test_there_are_enough_of_them_everywhere(self) -> None:
        assert len(ALL) >= 96
        counts = Counter(one.industry for one in ALL)
        assert len(counts) >= 12
        assert min(counts.values()) >= 6

    def test_ids_are_slugs_and_names_are_short(self) -> None:
        assert len({one.id for one in ALL}) == len(ALL)
        for one in ALL:
            assert one.id == slug(one.name)
            assert one.industry == slug(one.industry)
            assert 2 <= len(one.name.split()) <= 6
            assert not one.name.endswith(".")

    def test_a_client_is_described_with_its_article(self) -> None:
        for one in ALL:
            assert re.match(r"(an? [a-z]|a football club's )", one.client), one.client

    def test_an_issue_is_specific_and_fits_a_ticket_as_well_as_a_mouth(self) -> None:
        for one in ALL:
            assert len(one.issue.split()) >= 14, one.issue
            assert re.match(r'[A-Z"].*\.$', one.issue), one.issue
            assert not re.search(r"\b(?:I|my|me|customer|user|client)\b", one.issue), one.issue

    def test_no_two_are_alike(self) -> None:
        assert twins([one.issue for one in ALL], limit=0.7) == []
        assert twins([one.name for one in ALL], limit=0.8) == []
        openings = Counter(" ".join(one.issue.split()[:3]) for one in ALL)
        assert openings.most_common(1)[0][1] <= 2

    def test_none_speaks_of_generic_entities(self) -> None:
        assert [one.id for one in ALL if generics(f"{one.client} {one.name} {one.issue}")] == []


class TestAlike:
    def test_order_and_case_of_words_do_not_count(self) -> None:
        assert likeness("A lost card.", "card LOST a") == 1
        assert likeness("A lost card.", "The heating is cold") < 0.6

    def test_twins_come_most_alike_first(self) -> None:
        texts = ["the card is lost", "the cold is lost", "the card is lost!", "nothing of the kind"]
        assert twins(texts, limit=0.8) == [(0, 2), (0, 1), (1, 2)]

    @pytest.mark.parametrize(
        "text",
        ["I bought ProductX", "Dear John Doe,", "order #12345", "Product A", "Hello [name]", "Dear <your name>",
         "the {{value}}", "Company XYZ", "ABC123", "123 Main Street"],
    )  # fmt: skip
    def test_generic_entities_are_found(self, text: str) -> None:
        assert generics(text)

    @pytest.mark.parametrize(
        "text", ["Order 48213 from Oak Bay", "Store Street 4", "a product nobody wants", "Customer A. Weber", "2 < 3"]
    )
    def test_and_others_are_left_in_peace(self, text: str) -> None:
        assert generics(text) == []
