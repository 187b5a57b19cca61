"""The typed values in a user's words: names of buckets, files and folders, endings, regions, dates, sizes, quotes.

Contract: pure. Every value has its place; `Said.where` tells what stands before it. What could be a folder or a file is
one of them by its spelling: `a/b/` is a folder, `a/b.txt` a file.

Example:
    >>> said = read('copy temp/a.txt from the-attic to old-stuff/ and call it "x", it is from May 2024')
    >>> [(one.kind, one.text) for one in said]
    [('key', 'temp/a.txt'), ('bucket', 'the-attic'), ('prefix', 'old-stuff/'), ('quote', 'x'), ('date', '2024-05')]

Not covered: names with spaces, unless they stand in quotes or were seen in a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["KINDS", "MONTHS", "NUMBERS", "Value", "city", "masked", "number", "read"]

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
KINDS = {
    "txt": ".txt", "text": ".txt", "plain text": ".txt", "csv": ".csv", "json": ".json", "md": ".md", "markdown": ".md",
    "log": ".log", "html": ".html", "xml": ".xml", "pdf": ".pdf", "rtf": ".rtf", "yaml": ".yaml", "png": ".png",
    "jpg": ".jpg", "jpeg": ".jpg", "gz": ".gz", "zip": ".zip", "bak": ".bak", "tmp": ".tmp",
}  # fmt: skip
"""What people call kinds of files, and how these end."""

_CITIES = {
    "frankfurt": "eu-central-1", "ireland": "eu-west-1", "dublin": "eu-west-1", "london": "eu-west-2",
    "paris": "eu-west-3", "stockholm": "eu-north-1", "virginia": "us-east-1", "ohio": "us-east-2",
    "oregon": "us-west-2", "california": "us-west-1", "sydney": "ap-southeast-2", "tokyo": "ap-northeast-1",
    "singapore": "ap-southeast-1", "mumbai": "ap-south-1", "montreal": "ca-central-1",
}  # fmt: skip
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in MONTHS)
_NUMBER = "one(?= (?:line|row|file|header|largest|biggest|newest|oldest|smallest))|" + "|".join(NUMBERS[2:])
_ENGLISH = re.compile(
    r"(?i)(?:re|e|x|non|co|pre|post|sub|up|one|two|three|to|first|last|left|follow|double|read|well|so|all|old|case|mid|"
    r"year|month|day|half|long|short|high|low|in|on|off|out|self|over|under|then|set|back|top|copy|check|catch|good|by|"
    r"right|left|late|early|brand|look|add|clean|world|real|super|semi|multi|ex|tidy|drop|pop|built|zero|vice|sign|log|"
    r"line|side|face|user|full|bell|spell|cross|run|part|end|break|stand|make|mix|warm|heads|thank|uh|hm+|ha|oh)-"
)
_SAYING = "that says|saying|which says|with the (?:text|words?)|it should say|that reads|should read|make it say"
_SAID = r"[.!?]?\s*$|[.!?]\s|, (?:please|in|into|to|and)\b| (?:in|into|to) [\w-]+[-/][\w/-]+"
_PATTERNS = (
    ("quote", r"\"(?P<a>[^\"\n]+)\"|“(?P<b>[^“”\n]+)”|(?<!\w)'(?P<c>[^'\n]+)'(?!\w)|`(?P<d>[^`\n]+)`"),
    ("quote", rf"(?i)\b(?:{_SAYING}):? (?!(?:that|what|so|the|it)\b)(?P<e>[^\"“'`\n]+?)(?={_SAID})"),
    ("size", r"(?i)(?:\ba|\bone) (?P<h>hundred|thousand) (?P<unit>bytes?|kb|mb|kilobytes?|megabytes?)\b"),
    ("size", r"(?i)(?<![\w/.,-])(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>bytes?|[kmg]i?b|kilobytes?|megabytes?|b)\b"),
    ("date", rf"\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\.?,? (?P<y1>20\d\d)\b"),
    ("date", rf"\b(?P<m2>{_MONTH}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>20\d\d)\b"),
    ("date", rf"\b(?P<m5>{_MONTH})(?= (?:and|to|or|until|through|till) (?:{_MONTH}) (?P<y5>20\d\d)\b)"),
    ("date", rf"\b(?P<m3>{_MONTH})(?: of)? (?P<y3>20\d\d)\b"),
    ("date", r"(?<![\w/.-])(?P<iso>20\d\d-[01]\d(?:-[0-3]\d)?)(?![\w/]|[.-]\w)"),
    ("region", r"\b(?:us|eu|ap|sa|ca|me|af|il|cn)-(?:gov-)?(?:north|south|east|west|central)+-?\d\b"),
    ("prefix", r"(?<![\w/.~+-])(?:[\w~.+-]+/)+(?![\w~])"),
    ("key", r"(?<![\w/.~+-])(?:[\w~.+-]+/)*[\w~+][\w~.+-]*\.[A-Za-z][A-Za-z0-9]{1,4}(?![\w/-])"),
    ("path", r"(?<![\w/.~+-])[\w~-]+(?:/[\w~.-]+)+"),
    ("ending", r"(?<![\w/.-])\.[A-Za-z][A-Za-z0-9]{0,4}\b"),
    ("quote", r"(?<![\w/.~-])(?P<f>(?!JSON|HTML|YAML|JPEG|README|TODO)[A-Z]{4,})(?=s?(?![\w/.-]))"),
    ("bucket", r"(?<![\w/.~@-])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+(?![\w/@]|\.\w)"),
    ("date", r"(?<![\w/.-])(?P<y4>20[012]\d)(?![\w/]|[.-]\w)"),
    ("date", rf"(?:(?<=\bin )|(?<=\bby )|(?<=\bof )|(?<=\bsince )|(?<=\bbefore )|(?<=\bafter ))(?P<m4>{_MONTH})\b"),
    ("number", rf"(?i)(?<![\w/.,-])(?:\d+|{_NUMBER})(?![\w/]|[.-]\w)"),
)
_SIGNS = {"prefix": "/", "path": "/", "key": ".", "ending": ".", "region": "-"}
"""What a value of a kind cannot do without."""
_READERS = tuple(
    (kind, _SIGNS.get(kind, ""), re.compile(pattern if kind != "date" else f"(?i){pattern}"))
    for kind, pattern in _PATTERNS
)
_UNITS = {"k": 1000, "m": 1000**2, "g": 1000**3}


class Value(NamedTuple):
    """A value, what it is, where it stands."""

    kind: str
    text: str
    start: int
    end: int


def read(words: str, known: Iterable[str] = ()) -> list[Value]:
    """The values, in the order of the words. `known`: names that were seen, whatever they look like."""
    found: list[Value] = []
    taken = bytearray(len(words))
    shouted = not any(map(str.islower, words))

    def keep(kind: str, text: str, start: int, end: int) -> None:
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            found.append(Value(kind, text, start, end))

    for name in sorted((name for name in known if name in words), key=len, reverse=True):
        for match in re.finditer(rf"(?<![\w/.~-]){re.escape(name)}(?![\w/]|[.-]\w)", words):
            keep(_kind_of(name), name, *match.span())
    for kind, sign, pattern in _READERS:
        if (sign and sign not in words) or (shouted and "f" in pattern.groupindex):
            continue
        for match in pattern.finditer(words):
            text = _read(kind, match)
            if text and not (kind == "bucket" and _no_bucket(text)):
                keep(_named(kind, text), text, *_span(match))
    return sorted(
        (one if one.kind != "prefix" or one.text.endswith("/") else one._replace(text=one.text + "/") for one in found),
        key=lambda one: one.start,
    )


def city(words: str) -> str:
    """The region that people call by its city, or its country."""
    return next((code for name, code in _CITIES.items() if name in words), "")


def masked(words: str, values: Iterable[Value]) -> str:
    """The words in lower case, with the kind of each value in its place."""
    parts, at = list[str](), 0
    for one in sorted(values, key=lambda one: one.start):
        parts += [_plain(words[at : one.start]), f"<{one.kind}>"]
        at = one.end
    return "".join([*parts, _plain(words[at:])])


def _plain(words: str) -> str:
    """Words as cues know them; signs of comparison are words, and nothing looks like a value."""
    if words == " ":
        return words
    words = words.lower().replace("’", "'")
    if "<" in words or ">" in words:
        words = _LESS.sub(" less than ", words).replace("<", "(").replace(">", ")")
    return words


_LESS = re.compile(r"(?<!<)<(?=\s?$)")


def number(text: str) -> int:
    """The number that a word or digits say."""
    return int(text) if text.isdigit() else list[str](NUMBERS).index(text.lower())


def _kind_of(name: str) -> str:
    if name.endswith("/"):
        return "prefix"
    return "key" if "/" in name or "." in name else "bucket"


def _named(kind: str, text: str) -> str:
    """The kind of a path, and of a name in quotes."""
    if kind == "path":
        return "key" if "." in text else "prefix"
    if kind == "quote" and _QUOTED_KEY.fullmatch(text):
        return "key"
    return "prefix" if kind == "quote" and re.fullmatch(r"(?:[\w~.-]+/)+", text) else kind


_QUOTED_KEY = re.compile(r"(?:[\w~.+-]+/)+[\w~.+ -]{1,60}\.[A-Za-z][A-Za-z0-9]{0,4}|[\w~+-]{1,60}\.[a-z][a-z0-9]{1,4}")


def _span(match: re.Match[str]) -> tuple[int, int]:
    """Where a value stands; of what is said without quotes, the words alone."""
    return match.span("e") if match.re.groupindex.get("e") else match.span()


def _no_bucket(text: str) -> bool:
    return _ENGLISH.match(text) is not None or len(text) < 6 or text.replace("-", "").isdigit()


def _read(kind: str, match: re.Match[str]) -> str:
    if not match.re.groups:
        return match[0]
    parts = {name: text for name, text in match.groupdict().items() if text}
    if kind == "quote":
        return next(iter(parts.values()))
    if kind == "size":
        unit = parts["unit"].lower()[0]
        if "h" in parts:
            return str((100 if parts["h"] == "hundred" else 1000) * _UNITS.get(parts["unit"].lower()[0], 1))
        return str(round(float(parts["n"].replace(",", "")) * _UNITS.get(unit, 1)))
    if kind == "date":
        if "iso" in parts:
            return parts["iso"]
        at = {"y": "-", **{name[0]: text for name, text in parts.items()}}
        month = next((n for n, name in enumerate(MONTHS, 1) if at.get("m", "?").lower()[:3] == name[:3]), 0)
        return "-".join([at["y"], *([f"{month:02}"] if month else []), *([f"{int(at['d']):02}"] if "d" in at else [])])
    return match[0]
