"""Free texts of calls (a task, a subject, a message): right, wrong or unsure, by what they must carry.

A text stands beside the expected one and what the user had said, read or been told before. Equal after folding is
right. Else every difference is evidence. Wrong alone are a number, time, day or name that was changed or made up, what
is said not of, an opposite, a question that is not asked, another matter; what is left out, lost or added leaves a text
unsure. No similarity decides. The English is in `texts.yaml`.

Contract: pure and total. A text in another language than English is unsure.

    >>> heard = Heard(asked=("Remind me to take out the trash tomorrow.",))
    >>> [judged("Take out the trash", text, "text", heard).verdict for text in ("take the trash out", "Sweep at 7")]
    ['right', 'wrong']

Not covered: texts that only a reader could tell apart; they are unsure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from toologue.schema import DecidedBy, Dialogue, Invocation, Verdict, invocations
from toologue.score.wording import (
    CLAUSE,
    HAIL,
    WORD,
    Day,
    Minutes,
    all_numbers,
    bare_numbers,
    clocks_in,
    clocks_of,
    codes_in,
    content_of,
    dates_of,
    days_in,
    doers,
    folded,
    groups,
    light,
    names_in,
    negated,
    next_word,
    numbers_in,
    opposed,
    overlap,
    table,
    telling,
    texts_of,
    unaddressed,
)  # fmt: skip
from toologue.values.compare import clock_of

_RELATIVE = re.compile(r"\b(?:today|to[mn]\w+|yesterday|next|this)\b", re.IGNORECASE)
_LONGEST = 20_000
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)")
_I, _YOU = frozenset({"i", "we"}), frozenset({"you"})
_ENGLISH = frozenset(
    "a an and are at be can for have i in is it me my of on our please that the this to we will with you".split()
)


class TextVerdict(NamedTuple):
    """Whether a text will do for the expected one, what decided it, and why."""

    verdict: Verdict
    by: DecidedBy | None = None
    why: str = ""


class Evidence(NamedTuple):
    """Something that speaks against a text, in words; whether it makes the text wrong alone; and what saw it."""

    why: str
    wrong: bool = False
    by: DecidedBy = "rule"


@dataclass(frozen=True)
class Heard:
    """What a text can stand on: what was asked for, told and seen before it, and what stands beside it in its call."""

    asked: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    seen: tuple[JsonValue, ...] = ()
    beside: tuple[JsonValue, ...] = ()
    given: tuple[JsonValue, ...] = ()
    others: tuple[JsonValue, ...] = ()
    now: datetime | None = None

    @classmethod
    def before(cls, gold: Dialogue, wanted: Invocation, did: Iterable[Invocation] = ()) -> Heard:
        """What was known when a gold call was made; `did` is what the agent itself called before, in its round.

        What the user asked for includes the agent's words that the user answers.
        """
        turns = gold.turns[: wanted.turn]
        last = max((at for at, turn in enumerate(turns) if turn.role == "user"), default=-1)
        answered = [turn.text for turn in turns[:last][-1:] if turn.role == "agent" and turn.text]
        calls = [one for one in invocations(gold.turns) if one.act.kind == "call"]
        before = [one for one in calls if (one.turn, one.slot) < (wanted.turn, wanted.slot)]
        near = [one for one in calls if one.round == wanted.round and one.act is not wanted.act]
        rows = [*before, *near, *did]
        return cls(
            asked=(*answered, *(turn.text for turn in turns if turn.role == "user")),
            told=tuple(turn.text for turn in turns if turn.role == "agent" and turn.text),
            seen=(dict(gold.facts), *(one.call.arguments for one in rows), *(one.result.value for one in rows)),
            others=tuple(dict(one.call.arguments or {}) for one in (*before, *near)),
            now=clock_of(gold.facts.get("now")),
        )

    @cached_property
    def known(self) -> tuple[str, ...]:
        """All that can support a text, as texts."""
        return (*self.asked, *self.told, *texts_of((*self.seen, *self.beside)))


def judged(expected: str, actual: str, compare: Literal["text", "prose"], heard: Heard) -> TextVerdict:
    """The verdict on a text where another one was expected."""
    if folded(expected) == folded(actual):
        return TextVerdict("right", "value")
    if len(actual) > _LONGEST:
        return TextVerdict("unsure", None, f"longer than {_LONGEST:,} characters")
    reading = Reading(expected, actual, compare == "prose", heard)
    found = [one for rule in RULES for one in rule(reading)]
    if not found:
        return TextVerdict("right", "rule", "all of it is there, and nothing else")
    wrong = [] if reading.foreign or reading.heads else [one for one in found if one.wrong]
    why = "; ".join(dict.fromkeys(one.why for one in wrong or found))
    return TextVerdict("wrong", wrong[0].by, why) if wrong else TextVerdict("unsure", None, why)


def demanded(expected: str, heard: Heard) -> TextVerdict:
    """The verdict on leaving an optional text out: right where nothing supports it, or the call says it elsewhere."""
    if not expected.strip():
        return TextVerdict("right", "value")
    reading = Reading(expected, "", False, heard)
    asked = content_of("\n".join(heard.asked))
    left = reading.wanted - reading.carried
    if not left & asked:
        why = "said elsewhere in the call" if reading.wanted and not left else "nobody asked for it"
        return TextVerdict("right", "rule", why)
    if reading.wanted <= asked:
        return TextVerdict("wrong", "value", "missing")
    return TextVerdict("unsure", None, f"missing, and only {_few(left & asked)} was asked for")


def offered(actual: str, heard: Heard) -> TextVerdict:
    """The verdict on an optional text that is not expected: right where all of it was said before."""
    reading = Reading("", actual, True, heard)
    strange = sorted({one.why for rule in (_times, _days, _numbers, _codes) for one in rule(reading)})
    if not strange and not reading.strange - reading.carried:
        return TextVerdict("right", "rule", "all of it was said")
    return TextVerdict("unsure", None, "; ".join(strange) or f"nobody spoke of {_few(reading.strange)}")


@dataclass(frozen=True)
class Reading:
    """A text beside the expected one, and all that was known when it was written."""

    expected: str
    actual: str
    prose: bool
    heard: Heard

    @cached_property
    def wanted(self) -> frozenset[str]:
        """What the expected text speaks of."""
        return content_of(self.expected)

    @cached_property
    def said(self) -> frozenset[str]:
        """What the text speaks of."""
        return content_of(self.actual)

    @cached_property
    def carried(self) -> frozenset[str]:
        """What other arguments of the call say."""
        return content_of("\n".join(texts_of(self.heard.given)))

    @cached_property
    def known(self) -> frozenset[str]:
        """What was spoken of before."""
        return content_of("\n".join(self.heard.known))

    @cached_property
    def asked(self) -> frozenset[str]:
        """What the user asked for, in words of the expected text."""
        return self.wanted & content_of("\n".join(self.heard.asked))

    @cached_property
    def dictated(self) -> bool:
        """Whether the user gave the expected text in quotes."""
        quoted = (folded(one or other) for text in self.heard.asked for one, other in _QUOTED.findall(text))
        return folded(self.expected) in set(quoted)

    @cached_property
    def lost(self) -> frozenset[str]:
        """What was asked for, and is not said."""
        return (self.wanted if self.dictated else self.asked) - self.said - self.carried - light()

    @cached_property
    def added(self) -> frozenset[str]:
        """What is said, and not in the expected text."""
        return self.said - self.wanted - light()

    @cached_property
    def strange(self) -> frozenset[str]:
        """What is said, and nobody had spoken of."""
        return self.added - self.known

    @property
    def heads(self) -> bool:
        """Whether it is the subject of a longer text, which is judged by itself; nobody said what to call that."""
        longer = (len(text) > 3 * len(self.actual) for text in texts_of(self.heard.given))
        return not self.prose and not self.dictated and any(longer)

    @property
    def foreign(self) -> bool:
        """Whether it seems to be in another language."""
        said = [word.casefold() for word in WORD.findall(self.actual)]
        return len(said) > 3 and len(self.strange) > 2 and _ENGLISH.isdisjoint(said)

    @cached_property
    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names in the expected text that were given before it, and those in the text."""
        theirs, mine = names_in(self.expected), names_in(self.actual)
        given = frozenset(name for text in (*self.heard.asked, *self.heard.told) for name in names_in(text))
        spelt = {word.casefold() for word in WORD.findall(unaddressed(self.expected))}
        return theirs | (given & {word.removesuffix("'s") for word in spelt}), mine


Rule = Callable[[Reading], Iterator[Evidence]]


# ---- facts


def _times(one: Reading) -> Iterator[Evidence]:
    now = one.heard.now
    theirs, mine = clocks_in(one.expected, now), clocks_in(one.actual, now)
    yield from _facts(one, theirs, mine, lambda: _known_clocks(one), lambda a, b: not a.isdisjoint(b))
    own, others = (clocks_of(values if mine else ()) for values in (one.heard.beside, one.heard.others))
    for said, minutes in mine.items():
        if own and not any(minutes & each for each in (*theirs.values(), own)) and minutes & others:
            yield Evidence(f"{said}: that is another call's time", True, "value")


def _days(one: Reading) -> Iterator[Evidence]:
    now = one.heard.now
    theirs, mine = days_in(one.expected, now), days_in(one.actual, now)
    yield from _facts(one, theirs, mine, lambda: _known_days(one), overlap)


def _facts(
    one: Reading,
    theirs: Mapping[str, Any],
    mine: Mapping[str, Any],
    known: Callable[[], list[Any]],
    same: Callable[[Any, Any], bool],
) -> Iterator[Evidence]:
    """What was changed, left out or made up of times or days."""
    lost = [said for said, value in theirs.items() if not any(same(value, other) for other in mine.values())]
    more = [said for said, value in mine.items() if not any(same(value, other) for other in theirs.values())]
    if lost and more:
        same_sort = bool(_RELATIVE.search(more[0])) == bool(_RELATIVE.search(lost[0]))
        yield Evidence(f"{more[0]} in place of {lost[0]}", same_sort, "value")
    elif more:
        before = known()
        for said in more:
            if not any(same(mine[said], other) for other in before) and not (
                said.isdecimal() and any(float(said) in all_numbers(text) for text in one.heard.known)
            ):
                yield Evidence(f"{said}: nobody said that", not _RELATIVE.search(said), "value")
    lost = [said for said in lost if not more and any(same(theirs[said], other) for other in known())]
    for said in lost:
        elsewhere = "\n".join(texts_of(one.heard.given))
        values = [*clocks_in(elsewhere, one.heard.now).values(), *days_in(elsewhere, one.heard.now).values()]
        values += [clocks_of(one.heard.given), *((day, day) for day in dates_of(one.heard.given))]
        if not any(type(value) is type(theirs[said]) and same(theirs[said], value) for value in values):
            yield Evidence(f"{said} is left out", by="value")


def _numbers(one: Reading) -> Iterator[Evidence]:
    theirs, mine = (bare_numbers(text, one.heard.now) for text in (one.expected, one.actual))
    lost, more = theirs - mine, mine - theirs
    if not (lost or more):
        return
    known = frozenset[float]().union(*map(all_numbers, one.heard.known))
    hours = {float(minute // 60 % 12 or 12) for minutes in _known_clocks(one) for minute in minutes}
    if lost and more:
        yield Evidence(f"{min(more):g} in place of {min(lost):g}", True, "value")
    for number in sorted(more - known - hours) if not lost else ():
        yield Evidence(f"{number:g}: nobody said that", True, "value")
    asked = frozenset[float]().union(*map(all_numbers, one.heard.asked))
    given = frozenset[float]().union(*map(all_numbers, texts_of(one.heard.given)))
    for number in sorted((lost & asked) - given) if not more else ():
        yield Evidence(f"{number:g} is left out", by="value")


def _codes(one: Reading) -> Iterator[Evidence]:
    theirs, mine = codes_in(one.expected), codes_in(one.actual)
    lost, more = sorted({*theirs} - {*mine}), sorted({*mine} - {*theirs})
    if lost and more:
        yield Evidence(f"{more[0]} in place of {lost[0]}", True, "value")
    elif more and not any(more[0] in codes_in(text) for text in one.heard.known):
        yield Evidence(f"{more[0]}: nobody said that", True, "value")
    elif theirs != mine and not lost:
        yield Evidence("the numbers stand in another order")


def _people(one: Reading) -> Iterator[Evidence]:
    """Names that were changed, left out or made up, and whom a message addresses."""
    theirs, mine = one.names
    words = {word.casefold().removesuffix("'s") for word in WORD.findall(one.actual)}
    lost = sorted(theirs - words)
    if lost:
        elsewhere = {word.casefold() for text in texts_of(one.heard.given) for word in WORD.findall(text)}
        lost = [name for name in lost if name not in elsewhere]
    instead = (mine - theirs) or (one.added if one.dictated else frozenset() if one.prose else one.strange)
    if lost and instead:
        yield Evidence(f"{_few(instead)} in place of {lost[0]}", not instead <= one.known, "value")
    elif lost:
        yield Evidence(f"{lost[0]} is left out", by="value")
    hailed, hails = (HAIL.match(text) for text in (one.expected, one.actual))
    if hailed and hails and hailed[1][0].isupper() and hails[1][0].isupper():
        wanted, called = hailed[1].casefold(), hails[1].casefold()
        if not (wanted.startswith(called) or called.startswith(wanted)):
            yield Evidence(f"it addresses {hails[1]}, not {hailed[1]}", True, "value")


# ---- what is said of them


def _negations(one: Reading) -> Iterator[Evidence]:
    theirs, mine = negated(one.expected), negated(one.actual)
    turned = sorted((theirs | mine) & one.wanted & one.said) if not (theirs and mine) else []
    if turned:
        yield Evidence(f"{turned[0]}: {'not ' if turned[0] in mine else ''}said, against what is expected", True)


def _opposites(one: Reading) -> Iterator[Evidence]:
    """Words that exclude one another: before and after, mother and father."""
    theirs, mine = (frozenset(map(str.casefold, WORD.findall(text))) for text in (one.expected, one.actual))
    for pair in opposed():
        for first, second in (pair, pair[::-1]):
            if not mine & second or mine & first or theirs & second:
                continue
            # Whether the user, or the expected text, says `before lunch` where the text says `after lunch`
            after = {next_word(one.actual, word) for word in second} - {""}
            turned = any(next_word(text, word) in after for text in (one.expected, *one.heard.asked) for word in first)
            if turned or theirs & first:
                told = f"{_few(mine & second)} in place of {_few(theirs & first or first)}"
                yield Evidence(told, turned or not one.prose)
    for group in groups():
        there = [item for item in group if item & one.wanted]
        here = [item for item in group if item & one.said]
        if there and here and not any(item in there for item in here) and not one.prose:
            yield Evidence(f"{_few(here[0] & one.said)} in place of {_few(there[0] & one.wanted)}", True)


def _actors(one: Reading) -> Iterator[Evidence]:
    """Who does what: the nearest person before a word that both texts have."""
    theirs, mine = doers(one.expected), doers(one.actual)
    for word in sorted(theirs.keys() & mine.keys()):
        for these, those in ((_I, _YOU), (_YOU, _I)):
            if theirs[word] <= these and mine[word] <= those:
                yield Evidence(f"{_few(mine[word])} {word}, not {_few(theirs[word])}")


def _questions(one: Reading) -> Iterator[Evidence]:
    if not one.prose:
        return
    asks, asked = (_pattern("asks").search(text) for text in (one.expected, one.actual))
    if asks and not asked:
        must = any(_pattern("asks_whether").search(text) for text in one.heard.asked[-1:]) or one.dictated
        yield Evidence("it does not ask what is to be asked", must)
    elif asked and not asks:
        yield Evidence("it asks where nothing is to be asked")


def _matter(one: Reading) -> Iterator[Evidence]:
    for text in texts_of(one.heard.others) if not one.said <= one.wanted else ():
        if content_of(text) == one.said:
            yield Evidence(f"that is what another call says: {text}", True, "value")
            return
    if one.dictated and one.lost and not one.prose:
        yield Evidence(f"the user said {one.expected}", True, "value")
    if not one.said & (one.wanted | content_of("\n".join(one.heard.asked[-1:]))):
        yield Evidence("it has no word of what is expected, nor of what the user said last")
    must = one.asked - one.carried - light()
    if not must or one.wanted & one.said or not one.added:
        return
    clauses = [content_of(part) for text in one.heard.asked for part in CLAUSE.split(text)]
    here = frozenset[str]().union(*(clause for clause in clauses if clause & must))
    elsewhere = (one.added & one.known) - here
    if elsewhere:
        yield Evidence(f"it speaks of {_few(elsewhere)}, not of {_few(must)}", True)


def _words(one: Reading) -> Iterator[Evidence]:
    theirs, mine = (telling(text) for text in (one.expected, one.actual))
    if not one.prose and theirs != mine:
        yield Evidence(f"{_few(mine - theirs) or 'nothing'} in place of {_few(theirs - mine) or 'nothing'}")
    if one.lost:
        yield Evidence(f"it does not say {_few(one.lost)}")
    if one.strange or (one.dictated and one.added):
        yield Evidence(f"nobody spoke of {_few(one.strange or one.added)}")
    parts = [content_of(part) for text in one.heard.asked[-1:] for part in CLAUSE.split(text)]
    here = frozenset[str]().union(*(part for part in parts if part & one.asked))
    mixed = (one.added & frozenset[str]().union(*parts)) - here
    if here and mixed:
        yield Evidence(f"{_few(mixed)} was said of something else")


RULES: tuple[Rule, ...] = (
    _times, _days, _numbers, _codes, _people, _negations, _opposites, _actors, _questions, _matter, _words,
)  # fmt: skip


def _known_clocks(one: Reading) -> list[Minutes]:
    said = (clocks_in(text, one.heard.now).values() for text in (*one.heard.asked, *one.heard.told))
    bare = (numbers_in(text) for text in one.heard.asked)
    hours = (frozenset({int(n) % 24 * 60, (int(n) + 12) % 24 * 60}) for ns in bare for n in ns if n <= 24)
    return [*(minutes for each in said for minutes in each), clocks_of((*one.heard.seen, *one.heard.beside)), *hours]


def _known_days(one: Reading) -> list[Day]:
    said = (days_in(text, one.heard.now).values() for text in (*one.heard.asked, *one.heard.told))
    stamps = ((day, day) for day in dates_of((*one.heard.seen, *one.heard.beside)))
    today = [(one.heard.now.date(), one.heard.now.date())] if one.heard.now else []
    return [*(day for each in said for day in each), *stamps, *today]


def _few(words: Iterable[str]) -> str:
    return ", ".join(sorted(words)[:3])


@lru_cache(maxsize=8)
def _pattern(name: str) -> re.Pattern[str]:
    """A pattern of `texts.yaml`."""
    return re.compile(re.sub(r"\s*(?=\|)|(?<=\?) (?=\\b)", "", table()[name].strip()), re.IGNORECASE)
