"""Lint: what cannot be followed to the letter is named, what can passes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from toologue.plan.procedures.lint_procedure import RULES, lint

SENTENCES: dict[str, dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("sentences.yaml").read_text("utf-8")
)


def rates(part: str) -> dict[str, float]:
    """Precision and recall of any finding, and how often the finding is the one that the label names."""
    bad = [(rule, text) for rule, texts in SENTENCES[part].items() if rule != "fine" for text in texts]
    flagged = [rule for rule, text in bad if lint(text)]
    named = [rule for rule, text in bad if rule in {finding.rule for finding in lint(text)}]
    wrongly = [text for text in SENTENCES[part]["fine"] if lint(text)]
    return {
        "precision": len(flagged) / (len(flagged) + len(wrongly)),
        "recall": len(flagged) / len(bad),
        "right rule": len(named) / len(bad),
    }


def test_precision_and_recall(capsys: pytest.CaptureFixture[str]) -> None:
    seen, later = rates("seen"), rates("later")
    with capsys.disabled():
        print(f"\nlint of procedures: seen {seen}, later {later}")
    assert seen["precision"] >= 0.95
    assert seen["recall"] >= 0.95
    assert later["precision"] >= 0.95
    assert later["recall"] >= 0.75


def test_there_are_enough_sentences_of_each_kind() -> None:
    for rule in RULES:
        assert len(SENTENCES["seen"][rule]) >= 6
        assert len(SENTENCES["later"][rule]) >= 5
    assert sum(len(texts) for part in SENTENCES.values() for texts in part.values()) >= 150


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Cancel it if the policy allows this.", "unresolved conditional"),
        ("Processing times may vary.", "general statement"),
        ("Explain the company's policy.", "explain the policy"),
        ("Click on the login page.", "navigation step"),
        ("Ask for a document, e.g. a bill.", "example"),
        ("Document the interaction.", "step unrelated to the customer"),
        ("Ask for the relevant details.", "missing datum"),
        ("Refund or replace the item.", "ambiguous branch"),
    ],
)
def test_each_rule_has_its_sign(text: str, rule: str) -> None:
    assert [finding.rule for finding in lint(text)] == [rule]


def test_a_finding_has_line_quote_reason_and_remedy() -> None:
    text = (
        "# Refunds\n\n1. Ask for the order number.\n2. Look it up. If applicable, refund it.\n   - Click on Refund.\n"
    )
    first, second = lint(text)
    assert (first.line, first.rule, first.quote) == (4, "unresolved conditional", "If applicable")
    assert (second.line, second.rule, second.quote) == (5, "navigation step", "Click")
    assert first.why
    assert "what has to be true" in first.remedy


def test_the_dialect_is_read_without_its_code_and_front_matter() -> None:
    text = (
        "---\nissue: I want my money back, e.g. soon.\n---\n# Refunds\n\n"
        "1. **Ask** for the number. Collect `click_here`.\n"
        '2. **Call** `refund_or_cancel` with `details`.\n   - If `order.policy == "e.g."`: go to 3.\n'
        "3. **End**: say that it takes a few days.\n"
    )
    assert [(finding.line, finding.rule) for finding in lint(text)] == [(9, "missing datum")]


def test_an_ask_that_asks_nothing_is_found_with_what_to_write() -> None:
    text = "1. **Ask** about the number. Collect `number`.\n2. **End**: say that it is {number}.\n"
    (finding,) = lint(text)
    assert (finding.line, finding.rule, finding.quote) == (1, "no question", "about the number.")
    assert "`for` a thing" in finding.remedy
    for words in ("for the number", "them to send the number", "from which number it came", "What is the number?"):
        assert lint(text.replace("about the number", words)) == []


def test_an_end_that_only_refuses_is_a_dead_end() -> None:
    text = "1. **Ask** for the number. Collect `number`.\n2. **End**: say that we cannot find it.\n"
    (finding,) = lint(text)
    assert (finding.line, finding.rule) == (2, "dead end")
    for more in (", and that it is on the bill", ": it is on the bill", ", and that they can write again"):
        assert lint(text.replace(" it.", f" it{more}.")) == []


@pytest.mark.parametrize("text", ["", "\n\n", "---", "---\n---\n", "```"])
def test_empty_texts_have_nothing(text: str) -> None:
    assert lint(text) == []


def test_two_ways_to_reach_somebody_are_no_two_ways_to_go_on() -> None:
    assert lint("1. **End**: say that we return no money by phone or e-mail.") == []
    assert lint("1. **End**: say that we return the money or replace it.")[0].rule == "ambiguous branch"


def test_what_stands_before_the_steps_is_not_looked_at() -> None:
    context = "# Sizes\n\nEach product comes in different options.\n\n1. **Ask** for the size.\n2. **End**: say {x}.\n"
    assert lint(context) == []
    assert lint(context.replace("for the size", "which of several options"))[0].line == 5
