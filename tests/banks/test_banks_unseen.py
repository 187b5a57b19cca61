"""The bank `unseen` is unseen: no rule of an agent, and none that reads English, was written from a phrase of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import toologue
from toologue.agents import retrieve
from toologue.agents.retrieve import lexicon
from toologue.data import shipped
from toologue.write.chains.bank import Bank, bank

_SRC = Path(toologue.__file__).parent
_SHORT = 2
# Who says nothing but thanks has not taken leave.
_THANKS = re.compile(r"(?:\W*(?:thanks|thank you|many|great|good|nice|cool|ok|okay|helpful|a lot|that was))+\W*", re.I)


def words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9']+", text.lower().replace("’", "'")))


def frames(source: Bank) -> list[str]:
    """All that is said, with a word in each slot."""
    kinds = (kind for kinds in source.kinds.values() for kind in kinds.values())
    return [re.sub(r"\{\w+\}", "Oslo", frame) for kind in kinds for style in kind.values() for frame in style]


def runs(source: Bank) -> set[str]:
    """What frames say between their slots, in words."""
    return {run for frame in frames(source) for part in frame.split("Oslo") if (run := words(part))}


def phrases_of(text: str) -> Iterator[str]:
    """What a lexicon or a pattern spells: parts of comma-divided lists, alternatives, strings."""
    for part in re.split(r"[,|\"()\n:]", text):
        if len((run := words(part)).split()) >= 2:
            yield run


def rules() -> dict[str, str]:
    """Each phrase of two words or more in what agents go by, and in the rooms that read English; with its file."""
    files = [*_SRC.glob("agents/**/*.py"), *_SRC.glob("agents/**/*.yaml")]
    files += [*_SRC.glob("text/*.py"), *_SRC.glob("text/*.yaml")]
    return {phrase: file.name for file in files for phrase in phrases_of(file.read_text("utf-8"))}


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every pattern of the agent `retrieve`, by name."""
    for module in (one.name for one in iter_modules(retrieve.__path__)):
        for name, value in vars(import_module(f"{retrieve.__name__}.{module}")).items():
            if isinstance(value, re.Pattern):
                yield f"{module}.{name}", value
    for kind in shipped(_SRC / "agents/retrieve/lexicon.yaml")["talk"]:
        yield f"talk({kind})", lexicon.talk(kind)


def test_no_phrase_of_it_stands_in_a_rule() -> None:
    """Phrases of three words or more: shorter ones ("do it") are no news."""
    train, unseen = (f" {' . '.join(runs(bank(name)))} " for name in ("train", "unseen"))
    found = {phrase: file for phrase, file in rules().items() if f" {phrase} " in unseen and f" {phrase} " not in train}
    assert {phrase: file for phrase, file in found.items() if len(phrase.split()) > _SHORT} == {}


def test_no_pattern_of_the_agent_finds_something_in_it_alone() -> None:
    banks = [frames(bank(name)) for name in ("unseen", "train")]
    counts = {name: [sum(map(bool, map(one.search, texts))) for texts in banks] for name, one in patterns()}
    assert len(counts) > 20
    assert {name for name, (news, known) in counts.items() if news and not known} == set()


@pytest.mark.parametrize("name", ["train", "unseen"])
def test_goodbyes_take_leave_or_want_nothing_more(name: str) -> None:
    users = bank(name).kinds["user"]  # type: ignore[arg-type]
    said = [frame for kind in ("bye", "bye_empty") for frames in users[kind].values() for frame in frames]
    assert [frame for frame in said if _THANKS.fullmatch(frame)] == []
