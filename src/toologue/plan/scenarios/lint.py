"""Lint for what users say first: what gives a query away as made for a test (ToolTalk, appendix C).

Rules are patterns (`lint.yaml`), with the names of the given Apis put in; four count or compare: too long, a form, no
motive (three plugins and no word why together), no link ("also", and the second wish leans on nothing in the first).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.data import shipped
from toologue.schema import Api

_DATA = Path(__file__).with_name("lint.yaml")


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
        for pattern in rule["patterns"]:
            if match := re.search(pattern, text, re.IGNORECASE | re.DOTALL):
                yield _finding(rule["rule"], match, rule)
        for pattern in rule.get("exact", ()):
            if (named := _with_names(pattern, apis)) and (match := re.search(named, text)):
                yield _finding(rule["rule"], match, rule)


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
    places: dict[str, re.Match[str]] = {}
    for plugin, pattern in topics.items():
        if match := re.search(pattern, text, re.IGNORECASE):
            places[plugin] = match
    found = ", ".join(sorted(places, key=lambda plugin: places[plugin].start()))
    links = rf"\b(?:{_data()['links']})\b"
    limits, linked = _data()["limits"], re.search(links, text, re.IGNORECASE)
    if len(places) >= limits["most"] or (len(places) >= limits["topics"] and not linked):
        start, end = min(m.start() for m in places.values()), max(m.end() for m in places.values())
        yield _counted_finding("no motive", text, start, end, found=found)
    for match in re.finditer(_data()["adding"], text, re.IGNORECASE):
        before, after = _plugins_in(text[: match.start()], topics), _plugins_in(text[match.end() :], topics)
        if before and after - before and not re.search(links, text[match.end() :], re.IGNORECASE):
            yield _counted_finding(
                "no link", text, match.start(), len(text), found=" and ".join(sorted(before | after))
            )


def _plugins_in(text: str, topics: Mapping[str, str]) -> set[str]:
    return {plugin for plugin, pattern in topics.items() if re.search(pattern, text, re.IGNORECASE)}


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


def _finding(rule: str, match: re.Match[str], words: Mapping[str, str]) -> Finding:
    return Finding(rule, match.start(), match.end(), match[0].strip(), words["why"], words["remedy"])


def _counted_finding(rule: str, text: str, start: int, end: int, **slots: object) -> Finding:
    words = _data()["counted"][rule]
    why = re.sub(r"<(\w+)>", lambda slot: str(slots[slot[1]]), words["why"])
    return Finding(rule, start, end, text[start:end].strip(), why, words["remedy"])


@cache
def _data() -> Mapping[str, Any]:
    return cast("dict[str, Any]", shipped(_DATA))
