"""What a user's words ask for: wishes, one an operation, with all that the words say about them.

Contract: pure, and linear in the words. `hear` finds the typed values, cuts the words into clauses, and reads each: the
operation by the rules of grammar.yaml over tagged words (`vocabulary`), the slots by `slots`. What is said without an
operation is a `hint`: an answer, or a change to a wish that stands.

Example:
    >>> (wish,) = hear("delete all csv files under temp/ in the-attic larger than 2 kB, except temp/a.csv").wishes
    >>> wish.op, wish.bucket, wish.prefix, wish.suffixes, wish.sizes, wish.without
    ('delete', 'the-attic', 'temp/', ('.csv',), (('>', 2000),), ('temp/a.csv',))

Not covered: which of two operations comes first, where the words turn them round ("after you have copied it").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

from toologue.agents.goal_templates.gist import gist
from toologue.agents.goal_templates.refining import refined
from toologue.agents.goal_templates.slots import has_noun, slots_of
from toologue.agents.goal_templates.values import Value, masked, read
from toologue.agents.goal_templates.vocabulary import cue, says, tagged
from toologue.agents.goal_templates.wishes import Wish
from toologue.data import shipped

__all__ = ["Clause", "Heard", "hear"]


_RANGE = re.compile(
    r"(?<![\w/.-])((?:[\w-]+/)*)([A-Za-z]+)(\d)((?:\.\w+)?) (?:to|through|till|up to|-) (?:[\w-]+/)*\2(\d)(\.\w+)"
)


@dataclass(frozen=True)
class Clause:
    """A part of what was said: tagged words in which every value stands as its kind, and these values."""

    text: str
    values: tuple[Value, ...]

    def of(self, kind: str) -> list[str]:
        """The values of a kind."""
        return [one.text for one in self.values if one.kind == kind]

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        if cue("asks").search(self.text):
            return True
        asked, told = cue("wh").search(self.text), cue("command").search(self.text)
        return asked is not None and (told is None or asked.start() < told.start())


@dataclass(frozen=True)
class Heard:
    """Words that were read. `hint` is what is said without an operation."""

    words: str
    mask: str
    """The words in lower case, with the kind of each value in its place."""
    whole: Clause
    wishes: tuple[Wish, ...]
    hint: Wish
    loose: bool = False
    """Whether no operation is named: what may be a list may be a change of what stands."""

    @property
    def values(self) -> tuple[Value, ...]:
        """All values."""
        return self.whole.values

    def of(self, kind: str) -> list[str]:
        """The values of a kind."""
        return self.whole.of(kind)

    def says(self, name: str) -> bool:
        """Whether a cue is there."""
        return says(name, self.mask) or says(name, self.whole.text)


def hear(words: str, known: Sequence[str] = ()) -> Heard:
    """Read a user's words. `known`: names that the conversation has shown."""
    return _hear(words, tuple(known))


@lru_cache(maxsize=256)
def _hear(words: str, known: tuple[str, ...]) -> Heard:
    words = _RANGE.sub(_spelled_out, words)
    values = tuple(read(words, known))
    mask, values = gist(re.sub(r"[ \t]+", " ", masked(words, values)), values)
    whole = Clause(tagged(mask), values)
    asked = [(clause, name) for clause, name in _clauses(whole) if name]
    wishes = [one for clause, name in asked for one in _stored(clause) or _paired(_meant(clause, name), clause)]
    loose = all(_loose(name, clause.text) for clause, name in asked)
    return Heard(words, mask, whole, tuple(_chained(wishes)), _wish(whole, ""), loose)


def _meant(clause: Clause, name: str) -> Wish:
    if name in ("create_bucket", "copy", "move", "put", "list") and says("new_bucket_with", clause.text):
        wish = _wish(clause, "move" if name == "move" else "copy")
        to = wish.to_bucket or (wish.bucket if says("only_the_new", clause.text) else "")
        bucket = wish.bucket if to != wish.bucket else ""
        return replace(wish, to_bucket=to, bucket=bucket, creates=True, needs=(*wish.needs, "region"))
    return refined(_wish(clause, name), clause.text)


def _stored(clause: Clause) -> Sequence[Wish]:
    """What is to be found out and then stored: "put the number of files in each bucket into counts.txt"."""
    match = cue("stores_query").match(clause.text)
    if match is None:
        return ()
    count = len(re.findall(r"<\w+>", f"{match[1]}{match[2]}"))
    what, where = Clause(match[2], clause.values[:count]), Clause(match[3], clause.values[count:])
    target = _wish(where, "put")
    source = _meant(what, operation(what) or "list") if match[2].removeprefix("the ") != "result" else None
    return [Wish("save", keys=target.keys, bucket=target.bucket or target.to_bucket, source=source)]


def _spelled_out(match: re.Match[str]) -> str:
    """ "q1.csv to q4.csv" as all the names that it stands for."""
    place, name, first, _, last, ending = match.groups()
    return ", ".join(f"{place}{name}{n}{ending}" for n in range(int(first), int(last) + 1))


def operation(clause: Clause) -> str:
    """The operation that a clause asks for; "" where it asks for none."""
    order = ("queries", "commands") if clause.asks else ("commands", "queries")
    for part in order:
        for name, patterns in _grammar()[part].items():
            if any(pattern.search(clause.text) for pattern in patterns):
                return name if name != "list" or cue("about_files").search(clause.text) or has_noun(clause.text) else ""
    return ""


@cache
def _grammar() -> Mapping[str, Mapping[str, tuple[re.Pattern[str], ...]]]:
    told = shipped(Path(__file__).with_name("grammar.yaml"))
    return {
        part: {name: tuple(re.compile(one) for one in found) for name, found in rules.items()}
        for part, rules in told.items()
    }


def _clauses(whole: Clause) -> Iterator[tuple[Clause, str]]:
    """The parts that ask for something, and what; the rest belongs to what was said before, or after."""
    left, parts, mine, asked, at = whole.values, list[str](), list[Value](), "", 0
    for part in cue("cut").split(whole.text):
        if not part or not part.strip():
            continue
        new, at = left[at : at + part.count("<")], at + part.count("<")
        name = operation(Clause(part, new))
        firm = bool(name) and not _loose(name, part)
        if asked and firm:
            yield Clause(" ".join(parts), tuple(mine)), asked
            parts, mine, asked = [], [], ""
        parts.append(part)
        mine += new
        asked = name if firm else asked
    if parts:
        last = Clause(" ".join(parts), tuple(mine))
        yield last, asked or operation(last)


def _loose(name: str, text: str) -> bool:
    """Whether a list is only what words without a verb may be."""
    return name == "list" and not re.search(r"[#@]list|\bwhich|\bwhat\b(?! about)|\bany", text)


def _paired(wish: Wish, clause: Clause) -> Sequence[Wish]:
    """A wish for each of several files that are each in a bucket of its own: "a.txt from one and b.txt from other"."""
    keys, buckets = clause.of("key"), clause.of("bucket")
    own = len(re.findall(r"<key> (?:from|in|of|out of) (?:the |our |my )?<bucket>", clause.text)) == len(keys) > 1
    if not own or len(buckets) != len(keys) or wish.op not in ("delete", "read", "lines", "words", "size", "when"):
        return [wish]
    return [replace(wish, keys=(key,), bucket=bucket, buckets=()) for key, bucket in zip(keys, buckets, strict=True)]


def _wish(clause: Clause, name: str) -> Wish:
    return replace(Wish(name), **slots_of(clause.text, clause.values, name))


def _chained(wishes: Sequence[Wish]) -> Iterator[Wish]:
    """Later wishes share what earlier ones of the same breath name, where they name nothing themselves."""
    last: Wish | None = None
    for wish in wishes:
        if last is not None and wish.op not in ("create_bucket", "list_buckets"):
            buckets = last.op == "list_buckets" or last.group == "buckets"
            if buckets and wish.op == "list" and not (wish.bucket or wish.prefix or wish.suffixes):
                wish = replace(wish, op="list_buckets", show=())
            elif last.op == "create_bucket" and not wish.to_bucket and wish.op in ("copy", "move"):
                wish = replace(wish, to_bucket=last.bucket)
            elif last.op in ("copy", "move") and last.to_bucket and wish.op == "list" and not wish.bucket:
                wish = replace(wish, bucket=last.to_bucket)
            elif wish.op == "read" and not wish.keys and last.sort and last.limit == 1:
                wish = replace(last, op="read", show=())
            elif not wish.bucket and not wish.buckets:
                wish = replace(wish, bucket=last.bucket)
            same = (
                wish.op in ("count", "sum", "list", "delete", "read", "lines", "compare") and last.bucket == wish.bucket
            )
            if same and not (wish.keys or wish.prefix or wish.suffixes or wish.whole):
                wish = replace(wish, prefix=last.prefix, suffixes=last.suffixes, moments=wish.moments or last.moments)
                wish = wish if wish.op == "list" else replace(wish, keys=last.keys)
        last = wish
        yield wish
