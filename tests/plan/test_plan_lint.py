"""Lint: what was made for a test is flagged, what people say is not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from plan_samples import TRAVEL

from toologue.bench.tooltalk.conversations import starter
from toologue.plan.scenarios.lint import lint
from toologue.worlds.assistant import apis

ASSISTANT = apis()
QUERIES: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("queries.yaml").read_text("utf-8"))
UNREALISTIC = [query for kind in QUERIES["unrealistic"].values() for query in kind]
REALISTIC = QUERIES["realistic"]


def rules(text: str) -> set[str]:
    return {finding.rule for finding in lint(text, ASSISTANT)}


class TestRates:
    def test_most_of_what_is_unrealistic_is_flagged(self) -> None:
        assert len(UNREALISTIC) >= 30
        missed = [query for query in UNREALISTIC if not lint(query, ASSISTANT)]
        assert len(missed) <= 0.1 * len(UNREALISTIC), missed

    def test_hardly_anything_that_is_realistic_is(self) -> None:
        assert len(REALISTIC) >= 60
        flagged = [query for query in REALISTIC if lint(query, ASSISTANT)]
        assert len(flagged) <= 0.03 * len(REALISTIC), flagged

    def test_nor_of_what_came_later(self) -> None:
        missed = [query for query in QUERIES["later_unrealistic"] if not lint(query, ASSISTANT)]
        assert len(missed) <= 0.1 * len(QUERIES["later_unrealistic"]), missed
        flagged = [query for query in QUERIES["later_realistic"] if lint(query, ASSISTANT)]
        assert len(flagged) <= 0.03 * len(QUERIES["later_realistic"]), flagged

    def test_the_opening_turns_that_ship_pass(self) -> None:
        found = {d.id: lint(next(t.text for t in d.turns if t.role == "user"), ASSISTANT) for d in starter()}
        assert {name: findings for name, findings in found.items() if findings} == {}


class TestAppendixC:
    def test_the_four_examples_of_the_paper_are_flagged(self, shared: Any) -> None:
        paper = shared("papers", "tooltalk.txt").read_text("utf-8")
        examples = re.findall(r"• “(.*?)”", paper[paper.index("C UNREALISTIC QUERIES") :])
        assert len(examples) == 4
        assert all(lint(example) for example in examples)

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (
                "We build a parcel service and have to know whether the tracking API is up. Can you check it with the "
                "'Status' endpoint? Furthermore, I want to retrieve all parcels with the 'Parcels' endpoint.",
                {"names a tool", "machine phrasing", "staples tasks together"},
            ),
            (
                "Which actors played in the largest number of films of directors born in Oslo? Take the root of it.",
                {"poses a puzzle"},
            ),
            (
                "I want small, blue color men's cotton crew neck work shirt, and price lower than 30 dollars.",
                {"piles up conditions"},
            ),
            (
                "Could you provide me with the address, phone number, email and name of the harbour office? Begin!!!",
                {"machine phrasing", "a form"},
            ),
        ],
        ids=["endpoints", "puzzle", "conditions", "form"],
    )
    def test_their_twins_are(self, query: str, expected: set[str]) -> None:
        assert expected <= rules(query)


class TestRules:
    @pytest.mark.parametrize(
        ("query", "rule"),
        [
            ("Can SendEmail reach Moira?", "names a tool"),
            ("Is AccountTools down?", "names a tool"),
            ("My event_id is 5a-342c, cancel it", "names a tool"),
            ("begin !", "machine phrasing"),
            ("Remind me on 2025-03-12 18:00:00", "spells out values"),
            ("Name, phone number, subject and location, please", "a form"),
            ("Check my inbox, my alarms and my calendar", "no motive"),
            ("What is the weather like? Also add an event", "no link"),
            ("Move the meeting. Moreover, log me out", "staples tasks together"),
            ("word " * 61, "too long"),
        ],
    )
    def test_each_has_its_sign(self, query: str, rule: str) -> None:
        assert rule in rules(query)

    @pytest.mark.parametrize(
        "query",
        [
            "When will it rain, and does that hit my meetings? I could set the alarm earlier.",
            "Move the meeting to ten. Also tell Piotr that it moved.",
            "Set an alarm for six. Also an alarm for seven.",
            "the API meeting is off",
            "word " * 60,
            "",
            "!!!",
        ],
    )
    def test_and_what_only_looks_like_it_passes(self, query: str) -> None:
        assert rules(query) == set()

    def test_a_finding_quotes_its_span_and_says_what_to_do(self) -> None:
        text = "Please retrieve my mails. Additionally, show my alarms. Begin!!!"
        found = lint(text, ASSISTANT)
        assert [finding.rule for finding in found] == ["machine phrasing", "staples tasks together"]
        assert found[0].start == text.index("retrieve"), "of each rule, the first"
        for finding in found:
            assert text[finding.start : finding.end].strip() == finding.quote
            assert finding.why
            assert finding.remedy

    def test_names_are_those_of_the_documents_given(self) -> None:
        assert lint("can you BookSeat for me", TRAVEL)
        assert not lint("can you BookSeat for me", ASSISTANT)

    def test_plugins_it_has_never_seen_are_told_by_their_keywords(self) -> None:
        named = [api.replace(keywords=(api.domain.lower().removesuffix("s"),)) for api in TRAVEL]
        assert [f.rule for f in lint("List the trains, the shows and the hotels", named)] == ["no motive"]
