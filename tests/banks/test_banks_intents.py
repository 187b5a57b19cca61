"""The catalogue of intents: how many, how different, how they are looked up; files of one's own."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from bank_twins import twins

from toologue.errors import BadFile, BadRecord, UnknownName
from toologue.plan.procedures.by_model import generics, likeness
from toologue.plan.procedures.intents import Intent, intent, intents, read_intents, slug
from toologue.schema import jsonl

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


class TestLookUp:
    def test_by_id(self) -> None:
        assert intent("late-arrival-after-midnight").industry == "hotel"

    def test_a_near_miss_is_told_the_name(self) -> None:
        with pytest.raises(UnknownName, match="no intent is called 'refund-over-due'; did you mean 'refund-overdue'"):
            intent("refund-over-due")


PAPER = [{"client": "a bakery", "issue": "The cake for Saturday came without candles.", "name": "No candles"}]


class TestOwnFiles:
    def test_the_list_that_the_paper_asks_for(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.json"
        file.write_text(json.dumps(PAPER))
        (made,) = read_intents(file)
        assert (made.id, made.industry, made.client) == ("no-candles", "a-bakery", "a bakery")

    def test_lists_by_industry(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.yaml"
        file.write_text("bakery:\n- {id: candles, client: a bakery, name: No candles, issue: They were paid for.}\n")
        assert read_intents(file) == (
            Intent(id="candles", industry="bakery", client="a bakery", name="No candles", issue="They were paid for."),
        )

    def test_lines_come_back_as_they_went(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.jsonl"
        assert jsonl.write(file, ALL[:5]) == 5
        assert read_intents(file) == ALL[:5]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("just prose", r"mine.yaml: \$: intents are a list, or lists by industry"),
            ("bakery: none", r"\$.bakery: this industry has no list of intents"),
            ("bakery:\n- {client: a, name: b}", r"mine.yaml:2: \$.bakery\[0\].issue: this key is missing"),
            ("- {client: a, name: b, issue: c, mood: d}", r"\$\[0\].mood: this key is unknown"),
            ("- {client: a, name: '', issue: c}", r"\$\[0\].(id|name): String should have at least 1"),
            ("- 7", r"\$\[0\]"),
            (
                "- {client: a, name: b, issue: c}\n- {client: d, name: b, issue: e}",
                r"mine.yaml:2: \$\[1\]: two intents are called 'b' \(give one of them an `id`",
            ),
            ("- !!python/name:os.system {}", "the YAML tag .*tags are not read"),
        ],
    )
    def test_what_is_wrong_is_named_with_its_place(self, tmp_path: Path, text: str, said: str) -> None:
        file = tmp_path / "mine.yaml"
        file.write_text(text)
        with pytest.raises(BadRecord, match=said):
            read_intents(file)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match="cannot read"):
            read_intents(tmp_path / "nowhere.yaml")


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
