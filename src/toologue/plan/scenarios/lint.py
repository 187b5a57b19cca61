"""Lint for what users say first: what gives a query away as made for a test (ToolTalk, appendix C).

Rules are patterns (`lint.yaml`), with the names of the given Apis put in; four count or compare: too long, a form, no
motive (three plugins and no word why together), no link ("also", and the second wish leans on nothing in the first).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from toologue.data import shipped
from toologue.schema import Api


class Finding(NamedTuple):
    """What is unrealistic: the rule, the span in the text and what stands there, why, and a remedy."""

    rule: str
    start: int
    end: int
    quote: str
    why: str
    remedy: str


def lint(text: str, apis: Iterable[Api] = ()) -> list[Finding]:
    """What makes an opening turn unrealistic, in the order of the text; each rule at most once. Empty: it may stay."""
    documents = tuple(apis)
    found = [*_patterns(text, documents), *_counts(text), *_joins(text, _topics(documents))]
    first: dict[str, Finding] = {}
    for finding in sorted(found, key=lambda f: (f.start, f.end)):
        first.setdefault(finding.rule, finding)
    return list(first.values())


def _patterns(text: str, apis: tuple[Api, ...]) -> Iterator[Finding]:
    for rule in _data()["rules"]:
        matches = [re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in rule["patterns"]]
        exact = filter(None, (_with_names(pattern, apis) for pattern in rule.get("exact", ())))
        for match in filter(None, [*matches, *(re.search(pattern, text) for pattern in exact)]):
            span = match[0].strip()
            yield Finding(rule["rule"], match.start(), match.end(), span, rule["why"], rule["remedy"])


def _with_names(pattern: str, apis: tuple[Api, ...]) -> str:
    """A pattern with the names of these documents in it; empty if there are none of that kind."""
    names = {
        "<tool>": {api.name for api in apis if _is_technical(api.name)},
        "<plugin>": {api.domain for api in apis if _is_technical(api.domain)},
        "<parameter>": {name for api in apis for name in api.parameters if "_" in name},
    }
    slot = re.search(r"<\w+>", pattern)
    chosen = names[slot[0]] if slot else set[str]()
    return pattern.replace(slot[0], "|".join(sorted(map(re.escape, chosen)))) if slot and chosen else ""


def _is_technical(name: str) -> bool:
    """Whether a name can be told from a word: Weather is one, AccountTools is none."""
    return bool(re.search(r"[a-z][A-Z]|_|\d|\.|/", name))


def _counts(text: str) -> Iterator[Finding]:
    limits: Mapping[str, int] = _data()["limits"]
    words = list(re.finditer(r"\S+", text))
    if len(words) > limits["words"]:
        yield _counted_finding("too long", text, words[limits["words"]].start(), len(text), limit=limits["words"])
    fields = list(re.finditer(rf"\b(?:{_data()['fields']})\b", text, re.IGNORECASE))
    if len({match[0].lower() for match in fields}) >= limits["fields"]:
        yield _counted_finding("a form", text, fields[0].start(), fields[-1].end(), limit=limits["fields"])


def _joins(text: str, topics: Mapping[str, str]) -> Iterator[Finding]:
    places, limits = _places(text, topics), _data()["limits"]
    links = re.compile(rf"\b(?:{_data()['links']})\b", re.IGNORECASE)
    if len(places) >= limits["most"] or (len(places) >= limits["topics"] and not links.search(text)):
        found = ", ".join(sorted(places, key=lambda plugin: places[plugin].start()))
        start, end = min(m.start() for m in places.values()), max(m.end() for m in places.values())
        yield _counted_finding("no motive", text, start, end, found=found)
    for match in re.finditer(_data()["adding"], text, re.IGNORECASE):
        before, after = (_places(part, topics).keys() for part in (text[: match.start()], text[match.end() :]))
        if before and after - before and not links.search(text[match.end() :]):
            found = " and ".join(sorted(before | after))
            yield _counted_finding("no link", text, match.start(), len(text), found=found)


def _places(text: str, topics: Mapping[str, str]) -> dict[str, re.Match[str]]:
    matches = {plugin: re.search(pattern, text, re.IGNORECASE) for plugin, pattern in topics.items()}
    return {plugin: match for plugin, match in matches.items() if match}


def _topics(apis: tuple[Api, ...]) -> Mapping[str, str]:
    """The words that each plugin is asked for with: ours, else the keywords that no other plugin of these has."""
    ours: Mapping[str, str] = _data()["topics"]
    keywords: dict[str, set[str]] = {}
    for api in apis:
        keywords.setdefault(api.domain, set()).update(word.lower() for word in (api.domain, *api.keywords) if word)
    found = {plugin: ours[plugin] for plugin in keywords if plugin in ours}
    for plugin, words in keywords.items():
        alone = words - set[str]().union(*(others for name, others in keywords.items() if name != plugin))
        if plugin not in ours and alone:
            found[plugin] = rf"\b(?:{'|'.join(sorted(map(re.escape, alone)))})s?\b"
    return found or ours


def _counted_finding(rule: str, text: str, start: int, end: int, **slots: object) -> Finding:
    words = _data()["counted"][rule]
    why = re.sub(r"<(\w+)>", lambda slot: str(slots[slot[1]]), words["why"])
    return Finding(rule, start, end, text[start:end].strip(), why, words["remedy"])


@cache
def _data() -> Mapping[str, Any]:
    return shipped(Path(__file__).with_suffix(".yaml"))
