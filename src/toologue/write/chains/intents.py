"""What an Api is good for, as somebody who wants it would say; the rules that rewrite documentation are `intents.yaml`.

Documentation says "This endpoint returns the standings of a specific league by providing its ID."; people want "the
standings of a league".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toologue.data import shipped
from toologue.schema import Api
from toologue.text.tokens import article, is_word, sentences
from toologue.write.chains.words import (
    brand,
    empty,
    field,
    lexicon,
    plural,
    rough,
    singular,
    smooth,
    split,
    subject,
    within,
    wordset,
)

_RULES = Path(__file__).with_suffix(".yaml")
# So many words a phrase, a topic and an easy phrase have.
_LONGEST, _KEPT, _EASY = 13, 6, 9
_ENDINGS = (("s$", ""), ("es$", ""), ("ies$", "y"), ("ing$", ""), ("ing$", "e"), ("(.)\\1ing$", "\\1"))
_CLAUSE = re.compile(r";|:\s|\s[-–—]\s")
_STYLE = re.compile(r".*(?:ings?|tions?|ments?|ers?|ics|ies|ages?|ances?|ences?|als?|ists?|ets?|ches)$")
_DETERMINED = re.compile(
    r"^(?:an?|the|all|some|any|my|every|each|its|both|several|many|more|most|one|two|three|information|details|"
    r"detailed information|data|something)\b", re.IGNORECASE)  # fmt: skip
_BY_KEY = re.compile(r" by (?:\w+ )?(?:ids?|uuid|slug|key|code|url|name)(?: .*)?$", re.IGNORECASE)
_NAME_NOISE = re.compile(
    r"\b(?:v\d+(?:\.\d+)*|api|apis|endpoint|json|xml|php|get|post|put|beta|copy|new|fmt)\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?|all(?: the)?|some|any|my) ", re.IGNORECASE)
_SMALL = ("the", "a", "of", "for", "to", "by", "and", "get", "all", "from", "with")
_STOPS = ("for", "in", "on", "from", "and", "with", "by")
_OPENING = re.compile(r"^(?:the|an?|all|my|see) ")


class Rule(NamedTuple):
    """One way to rewrite a phrase, with an example: a text before and after."""

    pattern: re.Pattern[str]
    replacement: str
    example: tuple[str, str]

    def apply(self, text: str) -> str:
        """The text with all that the pattern matches replaced."""
        return self.pattern.sub(self._replaced if "<" in self.replacement else self.replacement, text)

    def _replaced(self, match: re.Match[str]) -> str:
        following = match[match.re.groups]
        articles = {"<a>": "" if plural(following) else "a ", "<an>": f"{article(following).split()[0]} "}
        return re.sub("<an?>", lambda place: articles[place[0]], match.expand(self.replacement))


@cache
def rules() -> Mapping[str, tuple[Rule, ...]]:
    """The rules of `intents.yaml`, by step."""
    return {step: tuple(map(_rule, listed)) for step, listed in shipped(_RULES).items()}


def _rule(given: Mapping[str, Any]) -> Rule:
    words = {name: "|".join(text.split()).replace("_", " ") for name, text in given.get("words", {}).items()}
    pattern = re.sub(r"<(\w+)>", lambda place: words[place[1]], given["pattern"])
    before, after = given["example"]
    return Rule(re.compile(pattern, re.IGNORECASE), given.get("replacement", ""), (before, after))


def _rewrite(text: str, *steps: str) -> str:
    for step in steps:
        for rule in rules()[step]:
            text = rule.apply(text)
    return text


class Intent(NamedTuple):
    """A wish that an Api fulfils, in a few forms; `fine` where somebody would say so."""

    action: str
    thing: str
    topic: str
    own: str
    place: str
    field: str
    fine: bool


@lru_cache(maxsize=65_536)
def _need(name: str, description: str) -> Intent:
    own, about = _own_words(name), field(name)
    texts = ((_first(description), True), (" ".join(own), False))
    wishes = [_mended(*_wish(text, described=described), about) for text, described in texts]
    found = next((one for one in wishes if _fine(*one)), None)
    verb, rest = found or next((one for one in wishes if one[1]), ("", f"something on {brand(name)}"))
    thing = "" if verb else _determined(rest)
    named = _mended("", " ".join(_topical(own)), about)[1]
    topic = subject(named if _fine("", named) else _ARTICLE.sub("", rest))
    whole = smooth(_BY_KEY.sub("", " ".join(_topical(own, whole=True))), looked_up=False)
    action, fine = f"{verb} {rest}" if verb else f"see {thing}", found is not None and _fine("", topic)
    return Intent(action, thing, topic, whole if _fine("", whole) else topic, brand(name), about, fine)


def _mended(verb: str, rest: str, about: str) -> tuple[str, str]:
    """As people say it; a word alone says of what kind it is: `games` of a tool for handball are handball games."""
    bare = _ARTICLE.sub("", rest).lower().split()
    named = {*map(singular, bare)} & {*map(singular, about.split())}
    if about and bare and not named and len(bare) == 1 and bare[0] not in wordset("anywhere"):
        rest = within(rest, about)
    elif about and len(bare) > 1 and not named and empty(bare):
        before, _, last = rest.rpartition(" ")
        rest = f"{before} {about} {last}"
    if verb == "search" and rest.startswith("for "):
        verb, rest = "search for", rest[len("for ") :]
    return verb, smooth(rest, looked_up=not verb)


def _fine(verb: str, rest: str) -> bool:
    doing = not verb or verb.split()[0] in wordset("doing")
    return bool(rest) and doing and _easy(_determined(rest)) and not rough(rest)


def intent_of(api: Api) -> Intent:
    """What somebody wants who should be given this Api."""
    return _need(api.name, api.description[:600])


def unspeakable_reason(api: Api) -> Literal["foreign", "technical", "wordless"] | None:
    """foreign: not in English. technical: what only programs know is required. wordless: nothing says what it does."""
    text = f"{api.description[:300]} {' '.join(_own_words(api.name))}".lower()
    words = set(re.findall(r"[^\W\d_]+", text))
    strange = not text.isascii() and words.isdisjoint(_SMALL)
    accents = sum(not char.isascii() for char in text if char.isalpha())
    if strange or len(words & wordset("foreign")) >= 2 or accents > len(text) / 12:
        return "foreign"
    if any(parameter.required and name.lower() in wordset("technical") for name, parameter in api.parameters.items()):
        return "technical"
    named = [word for word in _topical(_own_words(api.name)) if word not in wordset("thin") and len(word) > 2]
    if not named and not _wish(_first(api.description), described=True)[1]:
        return "wordless"
    asked = {" ".join(split(name)) for name, parameter in api.parameters.items() if parameter.required}
    wish = intent_of(api)
    return None if wish.fine and _sayable(wish) and wish.topic.lower() not in asked else "wordless"


def _sayable(wish: Intent) -> bool:
    """Whether somebody could say it: words that are known, no verb of documentation in the middle, no stray letter."""
    object_of, topic = wish.thing or wish.action, wish.topic.lower()
    first, last = _ARTICLE.sub("", wish.topic).split()[0], topic.split()[-1]
    opening, *more = _OPENING.sub("", object_of.lower()).split()
    verbs = wordset("verbs") | {"produce", "allow", "enable", "provide", "represent"}
    verbal = opening.endswith("s") and opening[:-1] in verbs and more and more[0] not in ("of", "for", "in")
    odd = first[0].isdigit() or len(first) == 1 or last.endswith("ly")
    if verbal or odd or last in wordset("verbs") - wordset("nouns") - {"lookup"}:
        return False
    return _easy(object_of) and _easy(topic) and not any(map(_stumbles, (wish.topic, wish.own, object_of)))


def _stumbles(phrase: str) -> bool:
    words = [word for word in _OPENING.sub("", phrase.lower()).split() if len(word) > 2]
    said = [word for word in words if word not in wordset("thin") and word not in ("the", "and", "for", "with")]
    twice = len({word.rstrip("s") for word in said}) < len(said)
    return twice or words[:1] == ["filter"] or bool({"get", "using", "gets"} & set(words))


def _easy(phrase: str) -> bool:
    words = re.findall(r"[a-z]+", re.sub(r"\b[A-Z]\w*", " ", phrase))
    known = lexicon().spelt.keys() | wordset("little")
    common = all(word in known or (len(word) > 2 and is_word(word)) for word in words)
    return len(phrase.split()) <= _EASY and "," not in phrase and common


def _first(description: str) -> str:
    for clause in (part for sentence in sentences(description[:400]) for part in _CLAUSE.split(sentence)):
        text = " ".join(_rewrite(clause.rstrip(".!?"), "marks").split()).strip(" ,-")
        if len(text) > 3 and not wordset("junk") & {text.lower().split()[0].strip(":"), text.lower()}:
            return text
    return ""


def _own_words(name: str) -> list[str]:
    """The words of an Api's own name (the last part of `Category|tool|name`)."""
    name = re.sub(r"(?<=\w) / (?=\w)", " and ", name)
    plain = re.sub(r"\{[^}]*\}|\([^)]*\)|[?=&/.:]", " ", name.rpartition("|")[2])
    return split(_NAME_NOISE.sub(" ", " ".join(split(plain))))


def _topical(own: list[str], *, whole: bool = False) -> list[str]:
    """The words of a name without verbs in front and, unless it shall be `whole`, without what comes after "by"."""
    own = [word for word in own if word not in ("specific", "single", "certain", "particular", "given")] or own
    words = own[: own.index("by")] if "by" in own[1:] and not whole else own
    if len(words) == 1 and not {"id", "ids", "code", "slug"}.isdisjoint(own[1:]):
        words = [*words[:-1], singular(words[-1])]
    while len(words) > 1 and words[0] in wordset("lookups") | wordset("verbs") | {"all", "the", "by", "a", "for", "of"}:
        words = words[1:]
    return _cased(words if whole else words[:_KEPT])


def _wish(text: str, *, described: bool) -> tuple[str, str]:
    """(the verb, "" for a look-up; the rest), or rest "" where the text will not do."""
    words = text.split()
    if described and len(wordset("foreign") & {word.lower().strip(".,") for word in words}) >= 2:
        return "", ""
    if described:
        bare = _rewrite(f"{text} ", "opening").strip()
        text = _rewrite(bare, "to get") if not _verb(bare.split(maxsplit=1)[0] if bare else "") else bare
        words = text.split()
    verb = _verb(words[0]) if words else ""
    lookup, words = verb in wordset("lookups"), words[1:] if verb else words
    if verb == "look" and words[:1] == ["up"]:
        verb, words = "look up", words[1:]
    verb = {"lookup": "look up", "autocomplete": "search for"}.get(verb, verb)
    if verb == "reverse" and words and words[0].lower().startswith("geocod"):
        return "", "address at some coordinates"
    if verb == "search" and words and words[0].lower() not in wordset("after_search"):
        verb = "search for"
    if described and not verb and words and words[0].lower() in wordset("no_opening"):
        return "", ""
    if not described and verb in wordset("nouns"):
        verb, words = "", [verb, *words]
    if lookup and words[:1] == ["of"]:
        words = ["a", "list", *words]
    rest = _trimmed(" ".join(words), described=described)
    if not rest or (verb and not lookup and verb not in wordset("verbs") | {"look up", "search for"}):
        return "", ""
    if lookup:
        return "", rest
    return verb, rest if not verb or _DETERMINED.match(rest) or plural(_head(rest)) else _articled(verb, rest)


def _articled(verb: str, rest: str) -> str:
    """The object of a verb with an article; prepositions and some verbs need none."""
    making = verb in ("generate", "create")
    if making and not plural(_head(rest)):
        return article(rest)
    if rest.split()[0].lower() in wordset("bare") or _head(rest).endswith("ing") or making:
        return rest
    return f"the {rest}" if " of " in rest or " for " in rest else article(rest)


def _verb(word: str) -> str:
    small, both = word.lower().strip(",.:"), wordset("lookups") | wordset("verbs")
    for form in (small, *(re.sub(ending, stem, small) for ending, stem in _ENDINGS)):
        if form in both:
            return form
    return ""


def _trimmed(text: str, *, described: bool) -> str:
    spelt = " ".join(_spelt_out(word) for word in text.split())
    text = _rewrite(spelt, "asides", "found by key" if described else "found by", "own")
    text = re.split(r",\s", text)[0] if len(text.split()) > _LONGEST or text.count(",") == 1 else text
    text = _rewrite(_shortened(text.split()), "loose ends")
    words = _cased(text.split())
    small = {word.lower() for word in words}
    hollow = small <= wordset("thin") | {"the", "a", "an", "of", "and", "all", "my"}
    if not words or small & wordset("junk") or hollow or "=" in text or "/" in text:
        return ""
    if sum(char.isalpha() for char in text) < 4 or not re.match(r"[A-Za-z0-9]", text):
        return ""
    return _rewrite(" ".join(words), "articles")


def _shortened(words: list[str]) -> str:
    if len(words) <= _LONGEST:
        return " ".join(words)
    stops = [at for at in range(4, _LONGEST + 1) if words[at].lower() in _STOPS]
    return " ".join(words[: stops[-1]]) if stops else ""


def _spelt_out(word: str) -> str:
    if word.lower().strip(",.") in lexicon().proper or not re.search(r"[a-z][A-Z]|\w_\w", word):
        return word
    return " ".join("ID" if part == "id" else part for part in split(word))


def _cased(words: list[str]) -> list[str]:
    """Small letters where title case was a matter of style; acronyms and names keep theirs."""
    shouting = sum(word.isupper() for word in words if len(word) > 2) > len(words) / 2 and len(words) > 2
    titled = sum(word[:1].isupper() for word in words[1:]) >= max(1, (len(words) - 1) / 2)
    out: list[str] = []
    for at, word in enumerate(words):
        small, plain = word.lower().strip(",."), word[1:].islower()
        if spelt := lexicon().spelt.get(small):
            word = spelt
        elif shouting or len(word) == 1 or not word.isupper():
            stylish = at == 0 or titled or shouting or small in wordset("common") or (plain and _STYLE.match(word))
            word = word.lower() if stylish and (plain or word.isupper() or len(word) == 1) else word
        out.append(word)
    return out


def _head(phrase: str) -> str:
    before = re.split(r"\s(?:of|for|in|on|from|to|by|with|about|at|near|within|between)\s", phrase)[0]
    return before.split()[-1] if before.split() else phrase


def _determined(phrase: str) -> str:
    return phrase if _DETERMINED.match(phrase) else f"the {phrase}"
