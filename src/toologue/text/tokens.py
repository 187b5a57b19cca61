"""Words: of identifiers and names, their plurals, stems and articles; sentences; names that every protocol allows.

>>> [stem(word) for word in ("meetings", "meet", "changes", "changing", "cities", "city")]
['meet', 'meet', 'chang', 'chang', 'city', 'city']
>>> sentences('Mail Dr. Koch, e.g. at 7 a.m. today. "Really?" Yes…')
['Mail Dr. Koch, e.g. at 7 a.m. today.', '"Really?"', 'Yes…']
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache, lru_cache
from itertools import chain, count, pairwise
from pathlib import Path

_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "movies": "movie",
    "cookies": "cookie", "calories": "calorie", "series": "series", "news": "news", "data": "data", "media": "media",
    "indices": "index", "vertices": "vertex", "matrices": "matrix", "analyses": "analysis", "caches": "cache",
}  # fmt: skip
_PLURALS = {one: many for many, one in _IRREGULAR.items()}
_READS = frozenset(
    (
        "get list find search look lookup check read fetch show view query count describe retrieve browse track is has "
        "can calculate compute estimate preview quote validate verify compare forecast suggest recommend"
    ).split()
)
_SUFFIXES = ("ing", "er", "ed", "e")
_SECRET = re.compile(
    r"passw|passphrase|passcode|(?:^|_)pwd|(?:^|_)secret$|api_?key$|(?:access|secret|private|signing|encryption)_key$|"
    r"(?:access|refresh|auth|bearer|api|security|session)_token$"
)
_TYPED = re.compile(r"\b(?:str|txt|lbl|dbl|flt)(?=[A-Z][a-z])")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# It begins with a set of characters, which a search looks for fast; each way then looks back at the one that it took.
SENTENCE_END = re.compile(
    r"[!?….\n](?:(?<=\n)\n*|(?:(?<=[!?…])(?<![!?…].)|(?<=\.)(?<!\.\.)(?<!\b[ap]\.m\.)(?<!\b(?:Mr|Dr|Ms|St|vs|no)\.)"
    r"(?<!\bMrs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\b[A-Z]\.))[.!?…]*[\"'”’)*]*(?=\s|$))"
)
SENTENCE_START = r"(?:^|[.!?]['\")]*\s+)"


def snake(name: str) -> str:
    """`returnLabels`, `return-labels` → `return_labels`."""
    return "_".join(words_of(name))


@lru_cache(maxsize=1 << 13)
def singular(name: str) -> str:
    """The singular of a plural name in snake case; a singular stays."""
    head, joint, last = name.rpartition("_")
    return head + joint + _singular(last)


def plural(name: str) -> str:
    """The plural of a name in snake case; a plural stays."""
    head, joint, last = name.rpartition("_")
    return head + joint + (last if _singular(last) != last else _plural(last))


def callable_name(text: str) -> str:
    """A name of letters, digits, `_` and `-`, at most 64 of them: what function calling allows."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")[:64]


def unique(name: str, taken: Container[str]) -> str:
    """The name, or the first of `name_2`, `name_3` … that is not in `taken`."""
    numbered = (f"{name}_{number}" for number in count(2))
    return next(made for made in chain([name], numbered) if made not in taken)


def reads(name: str) -> bool:
    """Whether an API of this name looks as if it changed nothing: `get_order`, `findCustomer`."""
    return (words_of(name) or ("",))[0] in _READS


def names_a_secret(name: str) -> bool:
    """Whether this is what a password or a key to a service is called, which only its owner may type or see."""
    return _SECRET.search(snake(name)) is not None


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """What the forms of a word in small letters share: meetings, meet → meet; change, changing → chang."""
    one = _singular(word)
    return next((one[: -len(end)] for end in _SUFFIXES if one.endswith(end) and len(one) - len(end) >= 3), one)


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "tuses", "buses", "ruses", "nuses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2 else word


def _plural(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "sh", "ch")) else f"{word}s"


@lru_cache(maxsize=65536)
def spell(name: str) -> tuple[str, ...]:
    """The words of a name or path, in lower case: at capitals, digits stay; `getHTTPStatus2` → get, http, status2."""
    return tuple(re.findall(r"[^\W_]+", _HUMP.sub(" ", name.replace("IDs", "Ids")).lower()))


def split_name(name: str) -> str:
    """The words of a name or path as one text: `alarms[].alarm_id` → "alarms alarm id"."""
    return " ".join(spell(name))


@lru_cache(maxsize=1 << 14)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name as `spell` gives them, digits apart: `newStartTime2` → new, start, time, 2."""
    return tuple(re.findall(r"[^\W\d_]+|\d+", " ".join(spell(name))))


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its marks at the end, without space around."""
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    return [part for start, end in pairwise(ends) if (part := text[start:end].strip())]


def opens_sentence(before: str) -> bool:
    """Whether what follows this text opens a sentence."""
    return re.search(f"{SENTENCE_START}$", before) is not None


_SHORT = frozenset(
    (
        "id ids ip tv uk us eu pm uv url isbn iata icao vin imdb nba nfl nhl mlb ufc bmi iso etf ipo usd eur gbp "
        "btc rsi lat lon lng lang min max avg num info tz ean upc sku iban"
    ).split()
)
_ENDINGS = (*((end, "") for end in ("s", "es", "ed", "d", "ing", "ly", "er")), ("ies", "y"), ("ing", "e"))


# What looks like a word: vowels, no heap of consonants.
_SHAPED = re.compile(r"(?=.*[aeiouy])(?!.*(?:[^aeiouy]{5}|q(?!u)|(.)\1\1))(?![^aeiouy]{4})[a-z]{5,14}")


def is_word(word: str) -> bool:
    """Whether a word, in small letters, is one that people say, or looks like one that runs no two together."""
    return is_known(word) or (split_compound(word) == (word,) and _SHAPED.fullmatch(word) is not None)


def is_known(word: str) -> bool:
    """Whether the vocabulary has a word, in small letters, or what its ending makes of one."""
    known = _vocabulary()
    if word in known or word in _SHORT or word.isdigit():
        return True
    return any(word.endswith(end) and word[: -len(end)] + more in known for end, more in _ENDINGS)


@lru_cache(maxsize=1 << 14)
def split_compound(word: str) -> tuple[str, ...]:
    """The words that a word runs together; itself where it is one, or none that is known."""
    if is_known(word) or len(word) < 5 or not word.isalpha():
        return (word,)
    ends = range(3, min(len(word) - 1, _longest() + 1))
    found = [(word[:at], word[at:]) for at in ends if is_known(word[:at])]
    good = [pair for pair in found if pair[1] in ("id", "ids") or (len(pair[1]) > 2 and is_known(pair[1]))]
    return max(good, key=lambda pair: min(map(len, pair)), default=(word,))


@lru_cache(maxsize=1 << 14)
def is_spoken(name: str, said: frozenset[str] = frozenset()) -> bool:
    """Whether a name is made of words (`said`: more of them, singular): none is unknown, and one is longer than two
    letters, or an id."""
    words = [part for word in spell(name) for part in split_compound(word.rstrip("0123456789") or word)]
    spoken = all(is_word(word) or singular(word) in said for word in words)
    return bool(words) and spoken and any(len(word) > 2 or word in _SHORT for word in words)


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("vocabulary.txt").read_text("utf-8").split())


@cache
def _longest() -> int:
    """Letters of the longest word that is known, with its ending."""
    return max(map(len, _vocabulary())) + max(len(end) for end, _ in _ENDINGS)


def article(noun: str) -> str:
    """A noun phrase with "a" or "an" before it."""
    first = noun.split(maxsplit=1)[0]
    spelt = first.isupper() and len(first) < 5 and first not in ("NASDAQ", "NATO", "NASA")
    sounds = first[0] in "AEFHILMNORSX" if spelt else first[0].lower() in "aeiou"
    if re.match(r"(?i)uni|use|usa|uk|eu|one|url|uuid|uri|us\b|ut", first):
        sounds = first.lower().startswith(("unin", "unim"))
    sounds = sounds or first.lower().startswith(("hour", "honest", "heir"))
    return f"{'an' if sounds else 'a'} {noun}"
