"""What is known about English words, and noun phrases of documentation as people say them.

`smooth` rephrases (`the players stats` becomes `the player stats`); a phrase that no rule mends is `rough`, and whoever
needs words looks for others. The words stand in `banks/words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from toologue.data import shipped
from toologue.text import tokens
from toologue.text.names import spoken_forms
from toologue.text.tokens import article, is_word, split_compound
from toologue.text.tokens import plural as pluralized

_FILE = Path(__file__).with_name("banks") / "words.yaml"
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d)")
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")


class Lexicon(NamedTuple):
    """How words are said; `spelt` has `acronyms` and `proper` names by their small letters."""

    parameters: Mapping[str, str]
    abbreviations: Mapping[str, str]
    acronyms: Mapping[str, str]
    proper: Mapping[str, str]
    spelt: Mapping[str, str]


@cache
def lexicon() -> Lexicon:
    """The words that ship."""
    spoken = spoken_forms()
    acronyms = {word: word.upper() for word in spoken["acronyms"].split()}
    proper = {word.lower(): word for word in spoken["proper"].split()}
    return Lexicon(spoken["parameters"], spoken["abbreviations"], acronyms, proper, proper | acronyms)


def openings(domain: str) -> tuple[str, ...]:
    """What somebody without a clear wish may say that it is about, in a walk of life."""
    return tuple(shipped(_FILE)["domains"].get(domain, ()))


@cache
def _whole() -> frozenset[str]:
    known = lexicon()
    return frozenset((*known.spelt, *known.parameters, *known.abbreviations, *wordset("foreign")))


@cache
def wordset(name: str) -> frozenset[str]:
    """A set of words by its name."""
    return frozenset(shipped(_FILE)["sets"][name].split())


def split(name: str) -> list[str]:
    """The words of a name, small; such as are run together (`boundingBoxid`) taken apart."""
    words = (word.lower() for word in _WORD.findall(_HUMP.sub(" ", name).replace("_", " ")))
    return [part for word in words for part in ([word] if word in _whole() else split_compound(word))]


def plural(word: str) -> bool:
    """Whether a noun takes "are": judged by how it ends."""
    word = word.lower()
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2
    return (ends and word not in wordset("no_plural")) or word in wordset("plural")


def singular(word: str) -> str:
    """One of what a plural names; statistics stay."""
    return tokens.singular(word) if plural(word) and word != "statistics" else word


def capital(text: str) -> str:
    """With a capital, unless the first word has its own spelling."""
    first = text.split(maxsplit=1)[0] if text else ""
    return text[0].upper() + text[1:] if first[:1].islower() and first[1:] == first[1:].lower() else text


def uncapital(text: str) -> str:
    """As it goes on after a comma: small, unless the first word has its own spelling."""
    first = text.split(maxsplit=1)[0] if text else ""
    return text[0].lower() + text[1:] if first != "I" and is_word(first.lower().strip(",.?!")) else text


def joined(parts: list[str], last: str = "and") -> str:
    """a, b and c."""
    return f" {last} ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


_LONGEST = 3


def brand(name: str) -> str:
    """What a tool is called."""
    words = _words(name)
    if known := _known(words):
        return known
    kept = [word for word in words if word.isascii() and word not in ("api", "apis", "v") and not word.isdigit()]
    words = re.sub(r"(?: by)?(?: ninjas)$|(?: for| of| by)$", "", " ".join(kept)).split() or words
    text = " ".join(map(_written, words[:_LONGEST] if len(words) > _LONGEST + 1 else words))
    return text[:1].upper() + text[1:]


def field(name: str) -> str:
    """What a tool is about: a sport, stocks, the weather."""
    return " ".join(dict.fromkeys(singular(word) for word in _words(name) if word in wordset("about")))


def _words(name: str) -> list[str]:
    parts = name.split("|")
    return split(parts[1] if len(parts) > 2 else parts[0])


def _known(words: list[str]) -> str:
    proper = lexicon().proper
    at = next((at for at, word in enumerate(words) if word in proper and word in wordset("brands")), None)
    if at is None:
        return ""
    more = words[at + 1 : at + 2]
    return " ".join([proper[words[at]], *(word.capitalize() for word in more if word in wordset("lines"))])


def _written(word: str) -> str:
    if spelt := lexicon().spelt.get(word):
        return spelt
    bare = word.rstrip("0123456789")
    if len(word) > 5 and bare.endswith("api"):
        return f"{bare[:-3].capitalize()}API{word[len(bare) :]}"
    return word if word in ("of", "and", "the", "for", "by", "in", "to", "a") else word.capitalize()


# What joins noun phrases.
LINKS = wordset("links")

_DETERMINERS, _ASKS = wordset("determiners"), wordset("asks")
_LEAD = re.compile(r"^((?:all |most )?(?:the |an? )|all |some |any |my )?(.*)$", re.IGNORECASE)
_ABOUT = re.compile(
    r"^((?:all |general |basic |detailed |more )?)(?:details )?(?:information|info) (?:on|of|for|at) ", re.IGNORECASE
)
_OPENING = re.compile(
    r"^((?:(?:the |a )?(?:[a-z]+ )?(?:information about|details of|list of) )?(?:(?:the|an?|all|my) )?)(.*)$"
)
_CURRENT = re.compile(r"\b(?:the|your) current (?=city\b|location\b|user\b|country\b)")
_PARTICIPLE = re.compile(r"\w{2,}[^e]ed$")
_IN_A_ROW = 3
_YEAR = re.compile(r"(?:19|20)\d\d")


@lru_cache(maxsize=1 << 14)
def smooth(phrase: str, *, looked_up: bool = True) -> str:
    """The phrase as people say it; of a single thing that is `looked_up` they want information."""
    found = _LEAD.match(_CURRENT.sub("a ", " ".join(phrase.split())))
    lead, rest = (found[1] or "", found[2]) if found else ("", phrase)
    words = [_small(word) for word in rest.split() if word.lower() not in wordset("hollow")]
    words = words[: next((at for at, word in enumerate(words) if at and word.lower() == "by"), len(words))]
    at = next((at for at, word in enumerate(words) if word.lower() in LINKS), len(words))
    head, tail = words[:at], _articled(words[at:])
    head = [_one(word, after) for word, after in zip(head, [*head[1:], ""], strict=False)]
    if looked_up and tail[:1] not in (["of"], ["and"], ["or"]) and (said := _informed(head)):
        return " ".join([*said, *tail])
    if said := _listed(head):
        return f"{'a ' if lead else ''}{' '.join([*said, *tail])}"
    lead = "" if head[-1:] in (["information"], ["info"]) and lead != "all " else lead
    return _ABOUT.sub(r"\1information about ", f"{lead}{' '.join([*head, *tail])}")


@lru_cache(maxsize=1 << 14)
def rough(phrase: str) -> bool:
    """Whether nobody says so."""
    words = [word.strip(",.'") for word in phrase.split()]
    small = [word.lower() for word in words]
    while small[:1] and small[0] in _DETERMINERS:
        words, small = words[1:], small[1:]
    if not small or small[0] in LINKS | _ASKS or _loose(small[-1]):
        return True
    if set(small) & (_ASKS | wordset("machinery")) or empty(small) or any(map(_numbered, ["", *words], words)):
        return True
    if sum(word.isupper() and word.lower() not in lexicon().acronyms for word in words if len(word) > 1) > 1:
        return True
    if re.search(r" an? (?:\w+ )*(?:data|information|statistics|stats)$", phrase.lower()):
        return True
    verbs = (wordset("verbs") | wordset("more_verbs")) - wordset("nouns")
    if small[0] in verbs or not verbs.isdisjoint(small[1:-1]):  # take a text address, mortgage check rates
        return True
    return any(map(_jars, small, [*small[1:], ""])) or _longest(words) > _IN_A_ROW


def empty(words: Iterable[str]) -> bool:
    """Whether words, in small letters, do not say what a thing is: historical rates."""
    return all(word in _bland() for word in words)


def within(phrase: str, field: str) -> str:
    """The phrase, told of what kind it is: a list of games, a list of handball games."""
    found = _OPENING.match(phrase)
    opening, rest = (found[1], found[2]) if found else ("", phrase)
    words = rest.split()
    at = next((at for at, word in enumerate(words[:-1]) if word not in wordset("plain") | wordset("qualities")), 0)
    said = " ".join([*words[:at], field, *words[at:]])
    if opening.split()[-1:] in (["a"], ["an"]):
        return " ".join([*opening.split()[:-1], article(said)])
    return f"{opening}{said}"


def alike(phrase: str, field: str) -> bool:
    """Whether a phrase says of what kind a thing is."""
    return not {*map(singular, phrase.lower().split())}.isdisjoint(map(singular, field.lower().split()))


def subject(phrase: str) -> str:
    """What a phrase asks to know something about."""
    return re.sub(r"^(?:[a-z]+ )?(?:information about|details of) ", "", phrase)


@cache
def _bland() -> frozenset[str]:
    return wordset("bland") | wordset("plain") | wordset("qualities") | LINKS


def _small(word: str) -> str:
    titled = word[:1].isupper() and word[1:].islower()
    common = titled and plural(word) and word.lower() not in lexicon().proper and is_word(word.lower())
    return word.lower() if common else word


def _one(word: str, after: str) -> str:
    """A noun before another one stands in the singular: players stats, player stats."""
    stays = word in wordset("plural") | wordset("compounding") or not word.isalpha() or not word.islower()
    if not after or stays or not plural(word) or _PARTICIPLE.match(after):
        return word
    return word if after.endswith("ing") and after not in wordset("gerunds") else singular(word)


def _informed(head: list[str]) -> list[str]:
    """`channel info` → information about a channel; nothing for others."""
    if not head:
        return []
    *before, last = head
    kind = last.lower()
    if not before and singular(kind) == kind in wordset("countable"):
        return ["information", "about", *article(last).split()]
    noun = before[-1].removesuffix("'s").lower() if before else ""
    if kind not in wordset("informing") or noun not in wordset("countable") or plural(noun):
        return []
    at = next((at for at, word in enumerate(before) if word.lower() not in wordset("telling_much")), 0)
    thing = article(" ".join([*before[at:-1], before[-1].removesuffix("'s")])).split()
    return [*before[:at], *(("details", "of") if kind.startswith("detail") else ("information", "about")), *thing]


def _listed(head: list[str]) -> list[str]:
    """`tournament list` → list of tournaments; nothing for others."""
    if len(head) < 2 or len(head) > _IN_A_ROW or head[-1].lower() != "list":
        return []
    *before, noun = head[:-1]
    stays = plural(noun) or noun in wordset("mass") | wordset("compounding")
    return [] if noun in wordset("plain") else ["list", "of", *before, noun if stays else pluralized(noun)]


def _articled(tail: list[str]) -> list[str]:
    """After a preposition, a thing has an article: `for location` → for a location."""
    out: list[str] = []
    for at, word in enumerate(tail):
        run = next((to for to in range(at, len(tail)) if tail[to].lower() in LINKS), len(tail))
        bare = out[-1:] and out[-1].lower() in LINKS - {"and", "or", "as", "per", "by"}
        last = tail[run - 1].lower() if run > at else ""
        thing = 0 < run - at < _IN_A_ROW and last in wordset("countable") and not plural(last) and word.islower()
        if bare and thing and word not in _DETERMINERS | wordset("plain") | wordset("qualities") | {"one"}:
            out += article(word).split()
        else:
            out.append(word)
    return out


def _numbered(before: str, word: str) -> bool:
    """Whether a number stands in it that is no year and no part of a name: Powerball, Lucky4Life, Billboard 200."""
    digits = any(char.isdigit() for char in word)
    named = word[:1].isupper() or (word.isdigit() and before[:1].isupper() and before.isalpha())
    return digits and not named and _YEAR.fullmatch(word) is None


def _loose(word: str) -> bool:
    return (
        word in LINKS | _DETERMINERS | wordset("qualities")
        or (word.endswith("ly") and word not in wordset("nouns_in_ly"))
        or (_PARTICIPLE.match(word) is not None and word not in wordset("nouns_in_ed"))
    )


def _jars(word: str, after: str) -> bool:
    if word in LINKS:
        return after in LINKS - {"and"} or not after
    if word in _DETERMINERS:
        return after in LINKS | _DETERMINERS or not after or (word in ("a", "an") and plural(after))
    if word in wordset("qualities"):
        return after in LINKS - {"and"}
    if after in _DETERMINERS or (plural(word) and plural(after) and word not in wordset("compounding")):
        return True
    return after in wordset("qualities") and word not in wordset("plain")


def _longest(words: list[str]) -> int:
    longest = run = 0
    for word in words:
        run = 0 if word in LINKS | _DETERMINERS else run + (word not in wordset("plain") and word.islower())
        longest = max(longest, run)
    return longest
