"""What an English text says, as sets that compare: what it speaks of, numbers, spans, times, days, names, negations.

The English of replies is in `words.yaml`, that of texts in calls in `texts.yaml`, where synonyms are one.

>>> sorted(content("The fees of those cards were charged twice."))
['card', 'charg', 'fee', 'twic']
>>> sorted(numbers_in("1.240,50 euros on 2 May")), sorted(spans_in("within five working days"))
([1.2405, 2.0, 1240.5], ['5 day'])
>>> in_another_language("Können Sie mir bitte Ihre Nummer nennen?", "Could you tell me your number, please?")
True
>>> sorted(content_of("Ring Mum about the invoice")), sorted(negated("The room isn't busy"))
(['bill', 'call', 'mom'], ['busy'])

>>> documents = {"refund_fee": Api(name="refund_fee", writes=True)}
>>> [claim] = claimed_acts("The fee has been refunded. Is there more?", documents)
>>> claim.text, claim.done_in([]), claim.done_in([Call(api="refund_fee")])
('The fee has been refunded.', False, True)
>>> asks_leave("It was our mistake. Is it okay if I pay it back now?")
True

Not covered: what a word means, beyond the few that `texts.yaml` takes for the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from toologue.data import shipped
from toologue.schema import Api, Call
from toologue.text.claims import claims, grounds, says_words
from toologue.text.numbers import amounts
from toologue.text.time_expressions import whens
from toologue.text.times import MONTHS, WEEKDAYS
from toologue.text.tokens import sentences, stem, words_of
from toologue.values.compare import leaves
from toologue.values.json_schema import list_of

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
HAIL = re.compile(
    r"\A\W*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))[ ,]+(?:sir or )?([^\W\d_]+)\b"
    r"(?! (?:here|speaking)\b)",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(?:\b(?:thanks|thank you|regards|best|cheers|love|sincerely|yours)[,.!\s]+|\n\s*|\s[-–—]\s*)"
    r"[^\W\d_]+(?: [^\W\d_]+)?\W*\Z",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[^\W_A-Z] |[,;] )[A-Z][^\W\d_]+")
_CODE = re.compile(r"(?<!\w)\+?\d(?:[ /-]?\d){4,}(?!\w)")
_CALENDAR = frozenset(name.casefold() for name in (*MONTHS, *WEEKDAYS))
_NOT = re.compile(r"\b(?:not|never|no|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_IF = re.compile(r"\b(?:if|unless|in case)\b[^,.;!?]*", re.IGNORECASE)
_NOT_ENDING, _ENDING = re.compile(r"n['’]t\b", re.IGNORECASE), re.compile(r"['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
CLAUSE = re.compile(r"[,;:.!?]\s+|(?<!\s)\s+(?:and|but|so|also|then|because)\s+", re.IGNORECASE)
_PERSONS = frozenset({"i", "we", "you", "he", "she", "they", "it", "that"})
_TOWARDS = frozenset("for to with of at from about than let tell ask see meet call thank".split())
Day = tuple[date, date]
Minutes = frozenset[int]
_NUMBER = re.compile(r"\d+(?:[.,' \u00a0\u202f]\d+)*")
_DOTTED_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}")
_AFTERNOON = re.compile(r"(?::\d\d)? ?p\.?m\b", re.IGNORECASE)
_HALF_AN_HOUR = re.compile(r"\bhalf[- ](?:an )?hour")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER_LETTERS = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f]")
_GROUPING = re.compile(r"[' \u00a0\u202f]")
_DECIMAL, _DIGITS, _WORKING = re.compile(r"\d+(?:\.\d+)?"), re.compile(r"\d+"), re.compile(r"\b(?:working|business) ")
_COUNTED = {
    word: n for n, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_COUNTS = re.compile(rf"(?:{'|'.join(_COUNTED)})(?![a-z])")


@lru_cache(maxsize=1)
def words() -> Mapping[str, Any]:
    """The English that graders go by."""
    return shipped(Path(__file__).with_name("words.yaml"))


@lru_cache(maxsize=64)
def pattern(name: str) -> re.Pattern[str]:
    """One of its patterns, for texts in small letters."""
    return re.compile(words()[name].replace("\n", ""))


def search(name: str, text: str) -> re.Match[str] | None:
    """Where a text has one of its patterns, however it is capitalized."""
    return pattern(name).search(small(text))


def small(text: str) -> str:
    """A text in small letters, each in its place: what a pattern of small letters finds whatever the case, it finds
    here, several times as fast.
    """
    if not text.isascii():
        text = text.replace("ſ", "s").replace("ı", "i").replace("İ", "i")
    return text.lower()


@lru_cache(maxsize=1)
def small_words() -> frozenset[str]:
    """The words that carry nothing."""
    return frozenset(words()["small"].split())


@lru_cache(maxsize=8192)
def content(text: str) -> frozenset[str]:
    """The stems of the words that carry something."""
    return frozenset(filter(None, map(_carried, WORD.findall(text))))


@lru_cache(maxsize=1 << 14)
def _carried(word: str) -> str:
    """The stem of a word that carries something; empty for others."""
    plain = word.casefold().replace("’", "'")
    carries = len(plain) > 2 and plain not in small_words() and "'" not in plain[:-2]
    return stem(plain.removesuffix("'s")) if carries else ""


def in_another_language(text: str, gold: str) -> bool:
    """Whether a text is in other letters, or has hardly any of the small words that the gold's language has.

    Languages share a few of them (German "in", French "a", Spanish "me"), so that hardly any is one in six. A text of
    which half stands in the gold is in its language.
    """
    (few, mine), (many, theirs) = _small_words(text), _small_words(gold)
    if theirs <= 3 or many <= 0.15 * theirs:
        return False
    few_small = mine > 3 and few < 0.18 * mine and len(content(text) & content(gold)) < len(content(text)) / 2
    return few_small or (not text.isascii() and len(_OTHER_LETTERS.findall(text)) > len(_LATIN.findall(text)))


@lru_cache(maxsize=4096)
def _small_words(text: str) -> tuple[int, int]:
    said = [word.casefold() for word in WORD.findall(text)]
    return sum(word in small_words() for word in said), len(said)


@lru_cache(maxsize=4096)
def numbers_in(text: str) -> frozenset[float]:
    """All that the numbers of a text can be read as."""
    return frozenset(number for _, readings in numbers_of(text) for number in readings)


@lru_cache(maxsize=4096)
def numbers_of(text: str) -> tuple[tuple[str, frozenset[float]], ...]:
    """Each number of a text with its readings: 1.240,50 and 1,240.50, in words, its runs of digits, after noon."""
    found: list[tuple[str, frozenset[float]]] = []
    for match in _NUMBER.finditer(text):
        plain = _GROUPING.sub("", match[0])
        forms = {plain.replace(",", ""), plain.replace(".", "").replace(",", ".")}
        readings = {float(form) for form in forms if _DECIMAL.fullmatch(form)}
        if _AFTERNOON.match(text, match.end()):
            readings |= {reading % 12 + 12 for reading in readings}
        if not readings or _DOTTED_DATE.fullmatch(plain):
            readings = {float(run) for run in _DIGITS.findall(plain)}
        found.append((match[0], frozenset(readings)))
    low = small(text)
    if _COUNTS.search(low):
        found += [(one.text, frozenset({float(one.value)})) for one in amounts(text) if one.text[0].isalpha()]
    found += [(half, frozenset({30.0})) for half in _HALF_AN_HOUR.findall(low)]
    return tuple(found)


@lru_cache(maxsize=4096)
def spans_in(text: str) -> frozenset[str]:
    """The spans and days that a text promises, in one spelling."""
    found = (match[0].replace("-", " ") for match in pattern("spans").finditer(small(text)))
    return frozenset(_same_span(span) for span in found)


def _same_span(span: str) -> str:
    said = _WORKING.sub("", span).split()
    said = [str(_COUNTED.get(word, {"a": 1, "an": 1}.get(word, word))) for word in said]
    return " ".join(word.rstrip("s") for word in said)


def folded(text: str) -> str:
    """A text without case, punctuation and articles."""
    return " ".join(
        word for word in re.findall(r"\w+", text.casefold().replace("’", "'")) if word not in ("a", "an", "the")
    )


@lru_cache(maxsize=4096)
def content_of(text: str) -> frozenset[str]:
    """The stems of the words that carry something, one for all that say the same."""
    plain = _ENDING.sub("", _NOT_ENDING.sub(" not", text))
    return frozenset(_same().get(word, word) for word in content(plain))


@lru_cache(maxsize=4096)
def clocks_in(text: str, now: datetime | None) -> Mapping[str, Minutes]:
    """Each time of day of a text, with the minutes of the day that it can mean."""
    found: dict[str, Minutes] = {}
    for when in whens(text, now):
        for side in filter(None, (when.first, when.last)):
            if side.clock is not None:
                clock = side.clock
                hours = {clock.hour} if clock.half == "24" else {clock.hour % 12, clock.hour % 12 + 12}
                hours = {h for h in hours if clock.half not in ("am", "pm") or (h >= 12) == (clock.half == "pm")}
                found[text[clock.start : clock.end].strip()] = frozenset(h % 24 * 60 + clock.minute for h in hours)
    if not found and ":" in text:
        found |= {str(said): frozenset({_minutes(str(said))}) for kind, said in claims(text) if kind == "time"}
    return found


@lru_cache(maxsize=4096)
def days_in(text: str, now: datetime | None) -> Mapping[str, Day]:
    """Each day of a text, as the first and the last one that it can mean."""
    sides = (side for when in whens(text, now) for side in (when.first, when.last) if side is not None)
    return {text[side.day.start : side.day.end].strip(): (side.day.first, side.day.last) for side in sides if side.day}


@lru_cache(maxsize=4096)
def negated(text: str) -> frozenset[str]:
    """The words that a text says not of: one of the next two, if it carries something; else the empty word."""
    found: set[str] = set()
    for match in _NOT.finditer(_IF.sub(" ", text)):
        end = CLAUSE.search(text, match.end())
        rest = text[match.end() : end.start() if end else len(text)][:_NEAR]
        near = [word for word in WORD.findall(rest) if word not in _DEGREES][:2]
        found |= next((said for word in near if (said := content_of(word))), frozenset({""}))
    return frozenset(found)


_NEAR = 200  # characters
_DEGREES = frozenset({"longer", "able", "really", "quite", "yet", "even", "only"})


def doers(text: str) -> Mapping[str, frozenset[str]]:
    """The persons said shortly before each word that carries something, as who does it."""
    found: dict[str, frozenset[str]] = {}
    for part in (part for sentence in sentences(text) for part in CLAUSE.split(sentence)):
        words = [re.split(r"['’]", word.casefold())[0] for word in WORD.findall(part)]
        for at, word in enumerate(words):
            if word in _PERSONS and (at == 0 or words[at - 1] not in _TOWARDS):
                near = takewhile(lambda next_: next_ not in _PERSONS, words[at + 1 : at + 4])
                for one in content_of(" ".join(near)):
                    found[one] = found.get(one, frozenset()) | {word}
    return found


def bare_numbers(text: str, now: datetime | None) -> frozenset[float]:
    """The numbers of a text that are no part of times."""
    left = text
    for said in (*clocks_in(text, now), *days_in(text, now)):
        left = left.replace(said, " ")
    found = (amount for amount in amounts(left) if not re.search(r"couple|pair|dozen", amount.text, re.IGNORECASE))
    return frozenset(round(abs(float(amount.value)), 4) for amount in found) - {1.0}


def codes_in(text: str) -> tuple[str, ...]:
    """The telephone numbers and codes of a text, in their order: five digits or more, without what parts them."""
    return tuple(re.sub(r"\D", "", code) for code in _CODE.findall(text))


@lru_cache(maxsize=4096)
def telling(text: str) -> frozenset[str]:
    """The small words of a text that make another thing of it: who and when, ask and tell."""
    return frozenset(re.findall(r"\w+", text.casefold())) & frozenset(table()["telling"].split())


@lru_cache(maxsize=4096)
def all_numbers(text: str) -> frozenset[float]:
    """Every number of a text, those in times, too."""
    return numbers_in(text) | {round(abs(float(amount.value)), 4) for amount in amounts(text)}


@lru_cache(maxsize=4096)
def names_in(text: str) -> frozenset[str]:
    """The names in running text; of titles, in which most words have capitals, none."""
    plain = unaddressed(text)
    found = frozenset(name.casefold() for name in _NAME.findall(plain) if not name.isupper()) - _CALENDAR
    if not found:
        return found
    words = [word for word in WORD.findall(plain) if content(word)]
    title = len(words) < 9 and 3 * sum(word[0].isupper() for word in words) > 2 * len(words)
    return frozenset() if title else found


def unaddressed(text: str) -> str:
    """A text without whom it greets and who signs it."""
    return _SIGNED.sub(" ", HAIL.sub(" ", text))


def overlap(one: Day, other: Day) -> bool:
    """Whether two days, or stretches of days, share one."""
    return one[0] <= other[1] and other[0] <= one[1]


def clocks_of(values: Iterable[JsonValue]) -> Minutes:
    """The times of day in JSON values, as minutes of the day."""
    return frozenset(_minutes(str(said)) for kind, said in grounds(list(values)) if kind == "time")


def dates_of(values: Iterable[JsonValue]) -> Iterator[date]:
    """The dates in JSON values."""
    for text in texts_of(values):
        for found in re.findall(r"\b\d{4}-\d\d-\d\d\b", text):
            try:
                yield date.fromisoformat(found)
            except ValueError:
                continue


def _minutes(clock: str) -> int:
    hour, minute = clock.split(":")[:2]
    return int(hour) * 60 + int(minute)


def texts_of(values: Iterable[JsonValue]) -> Iterator[str]:
    """Every value in JSON values, as a text."""
    return (str(leaf) for leaf in leaves(list(values)))


def next_word(text: str, word: str) -> str:
    """The stem of the word that follows another, articles apart; empty where none does."""
    found = re.search(rf"\b{re.escape(word)}\s+(?:the\s+|my\s+|our\s+)?(\w+)", text, re.IGNORECASE)
    return stem(found[1].casefold()) if found else ""


def table() -> Mapping[str, Any]:
    """What `texts.yaml` says."""
    return shipped(Path(__file__).with_name("texts.yaml"))


@lru_cache(maxsize=1)
def _same() -> Mapping[str, str]:
    """The first word for each that says the same."""
    rows = ([stem(word) for word in row.split()] for row in table()["same"])
    found: dict[str, str] = {}
    for first, *others in rows:
        found |= {other: found.get(first, first) for other in others if other not in found}
    return found


@lru_cache(maxsize=1)
def groups() -> list[list[frozenset[str]]]:
    """Per kind, the words for each of its things."""
    return [[content_of(item) for item in group] for group in table()["kinds"]]


@lru_cache(maxsize=1)
def opposed() -> list[tuple[frozenset[str], frozenset[str]]]:
    """Pairs of words that say the contrary."""
    return [(frozenset(one.split()), frozenset(other.split())) for one, other in table()["opposed"]]


@lru_cache(maxsize=1)
def light() -> frozenset[str]:
    """Words that carry nothing beside what they are said of."""
    return content_of(" ".join(table()["light"]))


_LETTERS = re.compile(r"[^\W\d_]+")
# Patterns of small letters, for texts in small letters.
_LEAVE = re.compile(
    r"\b(?:shall|should|may|can|could) (?:i|we)\b(?! (?:ask|have|know|draw|inform|tell|say|point|mention|add that))"
    r"|\b(?:do|would) you (?:want|like|prefer|agree|mind)\b"
    r"|\bis (?:it|that|this) (?:all right|okay|ok|fine|right|correct)\b|\bare you (?:sure|happy|certain)\b"
    r"|[,:] (?:okay|ok|right|yes|all right|agreed)\?"
)
_DONE = re.compile(
    r"\b(?:(?:i|we)(?:['’]ve| have)|(?:is|are|has been|have been|['’]s been))"
    r"(?: (?:just|already|now|also|successfully|all))*(?P<not> not)? (?P<verb>[a-z]+)\b"
)
_CHECKED = re.compile(r"\b(?:is|are|has been|have been) (?:all )?(?:correct|valid|right|confirmed|verified)\b")


class ActClaim(NamedTuple):
    """A sentence that says that something was done, and the Apis that do it."""

    text: str
    apis: frozenset[str]

    def done_in(self, calls: Collection[Call]) -> bool:
        """Whether one of these calls did it."""
        return any(call.api in self.apis for call in calls)


def claimed_acts(text: str, documents: Mapping[str, Api]) -> Iterator[ActClaim]:
    """What a text says was done by an Api that writes."""
    for sentence in sentences(text):
        for found in () if sentence.endswith("?") else _DONE.finditer(small(sentence)):
            said = set(map(str.casefold, _LETTERS.findall(sentence)))
            apis = frozenset(
                one.name for one in documents.values() if one.writes and _does(one.name, found["verb"], said)
            )
            if apis and not found["not"]:
                yield ActClaim(sentence, apis)


def claimed_checks(text: str) -> list[str]:
    """What a text says was found right: "Your date of birth is correct."."""
    return [one for one in sentences(text) if not one.endswith("?") and _CHECKED.search(small(one))]


@lru_cache(maxsize=1024)
def same_participles(word: str) -> frozenset[str]:
    """The participles that say the same: "refunded" and "returned"."""
    said = word.casefold()
    alike = (_done(verb) for verb in words()["verbs"] if said in _participles(verb))
    return frozenset[str]().union(*alike)


def asks_leave(text: str) -> bool:
    """Whether a text asks for leave to do something."""
    return "?" in text and _LEAVE.search(small(text)) is not None


def names_act(text: str, call: Call, documents: Mapping[str, Api]) -> bool:
    """Whether a text asks about a call: about what its Api is named for, or a value that it gets; and speaks of no
    other value that one of its arguments could have.
    """
    verb, *things = words_of(call.api)
    for question in (one for one in sentences(text) if one.endswith("?")):
        said = {stem(word.casefold()) for word in _LETTERS.findall(question)}
        named = said & {stem(word) for word in (*things, verb, *words()["verbs"].get(verb, ()))}
        if named or any(says_words(question, str(leaf)) for leaf in leaves(call.arguments)):
            return not list(_other_choices(text, call, documents))
    return False


def asks_for(text: str, call: Call) -> bool:
    """Whether a text names what a call does: the verb of its Api, or its thing where the verb says little."""
    verb, *things = words_of(call.api)
    acting = [word for word in (verb, *things) if word in words()["verbs"] and word not in words()["vague"]]
    named = {stem(said) for word in acting or things or [verb] for said in (word, *words()["verbs"].get(word, ()))}
    return not named.isdisjoint(stem(word.casefold()) for word in _LETTERS.findall(text))


def _other_choices(text: str, call: Call, documents: Mapping[str, Api]) -> Iterator[str]:
    parameters = documents[call.api].parameters if call.api in documents else {}
    for name, value in (call.arguments or {}).items():
        choices = list_of(parameters[name].json_schema.get("enum")) if name in parameters else []
        others = (str(choice) for choice in choices if choice != value)
        yield from (one for one in others if says_words(text, one.replace("_", " ")))


def _does(api: str, verb: str, said: Collection[str]) -> bool:
    """Whether a participle says that an Api was called, in a sentence of these words."""
    first, *things = words_of(api)
    if verb not in _done(first):
        return False
    return first not in words()["vague"] or not things or bool({*things, *(f"{one}s" for one in things)} & set(said))


@lru_cache(maxsize=1024)
def _done(verb: str) -> frozenset[str]:
    """The participles of a verb in an Api's name, and of what people say for it."""
    return frozenset[str]().union(*map(_participles, (verb, *words()["verbs"].get(verb, ()))))


def _participles(verb: str) -> frozenset[str]:
    if verb in words()["irregular"]:
        return frozenset({words()["irregular"][verb]})
    return frozenset({f"{verb}ed", f"{verb}d", f"{verb}{verb[-1]}ed", f"{verb[:-1]}ied"})
