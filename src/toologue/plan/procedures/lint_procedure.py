"""Lint for procedures: what makes one impossible to follow to the letter, by name (ALMITA, A.2).

A finding quotes the span and names line, reason and remedy; of each rule, the first in a sentence. The rules are
patterns (`lint_procedure.yaml`): a vague sentence in words of its own passes. In a text of our dialect, Asks that ask
nothing, and Ends that only refuse, are found, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toologue.data import shipped
from toologue.formats.procedure import examine
from toologue.procedure.grammar import asking, saying
from toologue.text.tokens import sentences

RULES = (
    "unresolved conditional",
    "general statement",
    "explain the policy",
    "navigation step",
    "example",
    "step unrelated to the customer",
    "missing datum",
    "ambiguous branch",
)
_LONGEST = 500  # characters of a sentence that are looked at together: what nobody writes takes no time
_MARKS = re.compile(r"^\s*(?:#+|\d+(?:\.\d+)*[.)]?|[-*+•]|>)\s+")

_REFUSES = re.compile(r"\b(?:cannot|can not|may not|will not)\b|n't\b")
_FIRST = re.compile(r"\s*1[.)]\s")


class Finding(NamedTuple):
    """What is wrong with a procedure's words: the line, the rule, the span, why, and what to do."""

    line: int
    rule: str
    quote: str
    why: str
    remedy: str


def lint(text: str) -> list[Finding]:
    """All findings, by line. What stands in backticks, or before the first of numbered steps, is not looked at."""
    lines = text.split("\n")
    start = 0
    if lines[0].strip() == "---":
        start = next((place for place, line in enumerate(lines[1:], 2) if line.strip() == "---"), 0)
    start = next((place for place, line in enumerate(lines) if _FIRST.match(line)), start)
    found = [found for place, line in enumerate(lines[start:], start + 1) for found in _of_line(place, line)]
    return sorted([*found, *_silent(text)], key=lambda one: one.line)


def _silent(text: str) -> Iterator[Finding]:
    """The Asks whose words are no question, and the Ends that refuse, and say nothing more."""
    procedure = examine(text).procedure
    for step in procedure.steps if procedure else ():
        told = saying(step.text).statements if step.kind == "end" else ()
        if told and all(map(_REFUSES.search, told)):
            why, remedy = (
                "the customer does not hear what happens next",
                "say what they can do, or who does what by when",
            )
            yield Finding(step.line, "dead end", step.text, why, remedy)
        words = asking(step.text).words if step.kind == "ask" else ""
        if words and not words.endswith("?"):
            why, remedy = "customers would hear these words as they stand", "begin with " + _ASKS
            yield Finding(step.line, "no question", step.text, why, remedy)


_ASKS = "`for` a thing, `whether`, `why`, `from which` …, or `them to` do something; or write a question with its `?`"


def _of_line(number: int, line: str) -> Iterator[Finding]:
    plain = re.sub(r"`[^`]*`", "this", _MARKS.sub("", line)).replace("**", "").replace("’", "'")
    for sentence in (one[at : at + _LONGEST] for one in sentences(plain) for at in range(0, len(one), _LONGEST)):
        for rule in _rules():
            found = next((match for form in rule.forms if (match := form.search(sentence))), None)
            if found:
                yield Finding(number, rule.name, found[0].strip(" ,.;:"), rule.why, rule.remedy)


class _Rule(NamedTuple):
    name: str
    why: str
    remedy: str
    forms: tuple[re.Pattern[str], ...]


@cache
def _rules() -> tuple[_Rule, ...]:
    data = shipped(Path(__file__).with_suffix(".yaml"))

    def form(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("<vague>", data["vague"]), re.IGNORECASE)

    return tuple(
        _Rule(rule["rule"], rule["why"], rule["remedy"], tuple(map(form, rule["patterns"]))) for rule in data["rules"]
    )
