"""Lint for descriptions of entities: what a phrase and a sentence need for a graph to compare them (ToolDial 3.1).

    no phrase               an entity without one
    length                  a phrase that has not 5 to 7 words
    generic                 a phrase that would fit anything: "the value of the given thing"
    leak                    a name out of the code in a phrase: teamId, team_id
    no sentence             an entity without a long description
    repeated                a long description that only says the phrase again
    keywords                none, more than 4, the same twice, an empty one

Contract: `lint_entity` says what is wrong with a phrase and its long description, `lint_keywords` with keywords.

Example:
    >>> [rule for rule, _ in lint_entity("teamId of the team", "")]
    ['length', 'leak', 'no sentence']
    >>> lint_entity("unique id of one football team", "The id by which the league knows a team.")
    []

Not covered: whether the words are true.
"""

from __future__ import annotations

import re
from typing import Literal

from toologue.errors import shown
from toologue.plan.api_graph.describe import KEYWORDS

Rule = Literal["no phrase", "length", "generic", "leak", "no sentence", "repeated", "keywords"]

_FEWEST, _MOST = 5, 7
_LEAK = re.compile(r"\b[a-z]+[A-Z]\w*|\w+_\w+|[|{}\[\]<>]")
_HOLLOW = """
    a an the of for in on as by to that this one some any it its with and or is are has have given thing things value
    values data item items entity object field parameter output input result response information info specific
    certain unique id identifier name number particular corresponding associated
"""
_EMPTY = frozenset(_HOLLOW.split())


def lint_entity(phrase: str, sentence: str) -> list[tuple[Rule, str]]:
    """What is wrong with a phrase and a long description: (rule, what was found)."""
    found: list[tuple[Rule, str]] = []
    words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", phrase.lower())
    if not words:
        return [("no phrase", shown(phrase))]
    if not _FEWEST <= len(words) <= _MOST:
        found.append(("length", f"{len(words)} words in {shown(phrase)}"))
    if _EMPTY.issuperset(words):
        found.append(("generic", shown(phrase)))
    if leak := _LEAK.search(phrase):
        found.append(("leak", f"{leak[0]!r} in {shown(phrase)}"))
    if not sentence.strip():
        found.append(("no sentence", shown(sentence)))
    elif _bare(sentence) == _bare(phrase):
        found.append(("repeated", shown(sentence)))
    return found


def lint_keywords(keywords: tuple[str, ...]) -> list[str]:
    """What is wrong with the keywords of an API."""
    small = [word.strip().lower() for word in keywords]
    said = (
        (not small, "there are none"),
        (len(small) > KEYWORDS, f"{len(small)}, and at most {KEYWORDS} are wanted"),
        (len(set(small)) < len(small), f"one stands twice in {shown(keywords)}"),
        ("" in small, f"an empty one in {shown(keywords)}"),
    )
    return [what for wrong, what in said if wrong]


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()
