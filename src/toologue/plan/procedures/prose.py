"""Prose by its sentences: numbered for a model, and in the end, for each, the steps that say it, or why none does.

A number stands before each sentence, [#] before each heading, so that no line of the prose can pass for one that closes
it. What a heading says is said again by the steps below it, and is not accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import Field

from toologue.schema import Record
from toologue.text.tokens import sentences

_HEADING = re.compile(r"\s*#{1,6}\s+\S")
# By these words a sentence forbids, or lets nothing else be.
_RULES = re.compile(r"\b(?:never|only|(?:must|may|can|shall|should|do|does|will) not|cannot|not without)\b", re.I)
_ITEM = re.compile(r"\s*(?:[-*+•>|]|\d+[.)])\s+")


class Sentence(Record):
    """A sentence of prose: where it stands, by procedure the steps that say it, and why procedures leave it out.

    Step 0 is the paragraph before the steps.
    """

    format: Literal["sentence/1"] = "sentence/1"
    number: int
    file: str = ""
    line: int = 0
    text: str
    steps: dict[str, tuple[int, ...]] = Field(default_factory=dict[str, tuple[int, ...]])
    left_out: dict[str, str] = Field(default_factory=dict[str, str])

    @property
    def is_tested(self) -> bool:
        """Whether a step says it: what stands in the paragraph alone nothing tests."""
        return any(map(any, self.steps.values()))


def said_words(sentences: Sequence[Sentence]) -> str:
    """How many sentences are in a step, only in the paragraph before the steps, and in neither."""
    tested, there = (
        sum(map(bool, found)) for found in ([s.is_tested for s in sentences], [s.steps for s in sentences])
    )
    alone = f", {there - tested} only in the paragraph before the steps: nothing tests these" if there > tested else ""
    return f"{tested} of {len(sentences)} sentences are in a step{alone}; {len(sentences) - there} in none"


@dataclass(frozen=True)
class Prose:
    """Sentences, and the text that a model is shown: each with its number, headings between them."""

    sentences: tuple[Sentence, ...]
    numbered: str

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Prose:
        """The prose of files by their names."""
        found, lines = list[Sentence](), list[str]()
        for file, text in texts.items():
            lines += [f"[#] {file}"] if len(texts) > 1 else []
            for line, words in _sentences(text):
                if _HEADING.match(words):
                    lines.append(f"[#] {words.strip('# ')}")
                    continue
                found.append(Sentence(number=len(found) + 1, file=file, line=line, text=words))
                lines.append(f"[{len(found)}] {words}")
        return cls(tuple(found), "\n".join(lines))


class Preamble(NamedTuple):
    """The sentences before the steps of a procedure, which no test is made of: those that rule something, the others.

    >>> Preamble.of("Keys go only to the station. The shop is by the lake.")
    Preamble(rules=('Keys go only to the station.',), others=('The shop is by the lake.',))
    """

    rules: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, context: str) -> Preamble:
        """The sentences of a procedure's context."""
        found = {one: bool(_RULES.search(one)) for one in sentences(context)}
        return cls(*(tuple(one for one, rules in found.items() if rules is which) for which in (True, False)))


UNTESTED = (
    "rules before the steps, which are tested only as far as a step says them, too. For what customers would ask add "
    "a branch, `- They want it sent to their home: go to 16`, and a step that answers"
)


def listed(numbers: Sequence[int]) -> str:
    """Numbers as people write them: 1–3, 7."""
    runs = list[list[int]]()
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The line and the words of each sentence and each heading."""
    for start, block in _blocks(text):
        words, at = " ".join(block.split("\n")), 0
        for one in [words] if _HEADING.match(words) else sentences(words):
            at = words.index(one, at)
            yield start + block.count("\n", 0, at), " ".join(one.split())


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, items of lists and headings, each with its first line."""
    start, kept = 0, list[str]()
    for number, line in enumerate([*text.replace("\r\n", "\n").split("\n"), ""], 1):
        item = _ITEM.match(line)
        if kept and (not line.strip() or item or _HEADING.match(line) or _HEADING.match(kept[0])):
            yield start, "\n".join(kept)
            kept = []
        if line.strip():
            start = start if kept else number
            kept.append(line[item.end() :] if item else line)
