"""What an Api is good for, as somebody who wants it would say; the rules that rewrite documentation are `intents.yaml`.

Documentation says "This endpoint returns the standings of a specific league by providing its ID."; people want to "see
the standings of a league". The first sentence that somebody would say is taken, else the Api's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toologue.data import shipped
from toologue.schema import Api
from toologue.text.names import kind_named
from toologue.text.tokens import article, is_known, sentences
from toologue.write.chains.words import LINKS, lexicon, plural, rough, singular, split, wordset

_RULES = Path(__file__).with_suffix(".yaml")
# So many words a phrase and an easy phrase have.
_LONGEST, _EASY = 13, 9
_LITTLE, _PARTS = 3, 2
_ENDINGS = (("s$", ""), ("es$", ""), ("ies$", "y"), ("ing$", ""), ("ing$", "e"), ("(.)\\1ing$", "\\1"))
_CLAUSE = re.compile(r";|:\s|\s[-–—]\s")
_STYLE = re.compile(r".*(?:ings?|tions?|ments?|ers?|ics|ies|ages?|ances?|ences?|als?|ists?|ets?|ches)$")
_DETERMINED = re.compile(
    r"^(?:an?|the|all|some|any|my|every|each|its|both|several|many|more|most|one|two|three|information|details|"
    r"detailed information|data|something|\w+['’]s?)\b", re.IGNORECASE)  # fmt: skip
_NAME_NOISE = re.compile(
    r"\b(?:v\d+(?:\.\d+)*|api|apis|endpoint|json|xml|php|get|post|put|beta|copy|new|fmt)\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?|all(?: the)?|some|any|my) ", re.IGNORECASE)
_SMALL = ("the", "a", "of", "for", "to", "by", "and", "get", "all", "from", "with")
_STOPS = ("for", "in", "on", "from", "and", "with", "by")
# Any verb, as it opens the sentence in which somebody is told to do something.
_TOLD = re.compile(r"^([A-Z]?[a-z]{3,}) (?:an?|the|your|my|all|up|multiple|new|one|several) \w")
# What is cut off may be what matters: recipes which are similar.
_CUT = re.compile(r"^[^.,;]* (?:which|that) (?:is|are)\b")
_WORDLIKE = re.compile(r"(?=.{5,14}$)(?:[^aeiouy]{0,3}[aeiouy]{1,3})+[^aeiouy]{0,3}")
_THIRD = re.compile(r"(?<=ss|sh|ch)es$|(?<=[^s])s$")
_OPENERS = frozenset(
    "enter insert input specify provide pass set type fill use select choose click "
    "this these that those when while once each every also only note please where such both any".split()
)
_FINITE = re.compile(r"\b(?:can|must|may|will|should|is|are|was|were|has|have|had|you|we|if)\b", re.IGNORECASE)
# A noun without its article: for current week.
_BOUND = re.compile(r" (?:for|in|of|on) (?:current|given|specific|particular|certain) \w+$")
_THE_ONE = re.compile(r"(?<=\w )the (\w+)$")  # nobody said which: information about the film
_OF_MANY = re.compile(r"^(?:(?:list|set) of )?")
_NO_ONE = re.compile(r"(?<= of )(\w+)$")
_FOUND_BY = re.compile(r" by .*$| (?:from|at|within|via|using) (?:(?:its|his|their) )?[a-z]+[^s\W]$")
# Nouns in -ing of what people want.
_MADE = frozenset("rating ranking pricing booking meeting building parking spelling meaning standing training".split())
# What is asked for in a question: on which days the office is open.
_ASKED = re.compile(r"^(?:(?:at|in|on|for|from|to) )?(?:which|what|whether|how|when|where|who|if)\b", re.IGNORECASE)


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
    """A wish that an Api fulfils: what to do, or the `thing` to see; its topic; `fine`: somebody would say so."""

    action: str
    thing: str
    topic: str
    fine: bool

    @property
    def plain(self) -> Intent:
        """Without what it is found by, which is asked for anyway: by author, from its name."""
        if _ASKED.match(self.topic):
            return self
        action, thing, topic = (_FOUND_BY.sub("", one) for one in (self.action, self.thing, self.topic))
        return Intent(action, thing, topic, self.fine)


@lru_cache(maxsize=65_536)
def _need(name: str, description: str) -> tuple[Intent, ...]:
    described = [one for text in _clauses(description) if (one := _wish(text, described=True))[1]]
    named = _wish(" ".join(_own_words(name)), described=False)
    fine = [one for one in described if _fine(*one, described=True)][:1]
    if named[1] and _fine(*named, described=False):
        ours, others = _things(named), _things(fine[0]) if fine else set[str]()
        if not fine or (others < ours and _CUT.search(description)):  # the name says more: similar recipes
            fine.insert(0, named)
        elif ours < others:
            fine.append(named)
    found = fine or described[:1] or [named if named[1] else ("", "something")]
    wishes = [_intent(*one, fine=bool(fine)) for one in (*found, *_told_of(found, name))]
    return tuple(dict.fromkeys([*(one.plain for one in wishes), *(one for one in wishes if " by " in one.action)]))


def _told_of(wishes: list[tuple[str, str]], name: str) -> Iterator[tuple[str, str]]:
    """Wishes that say of which kind a thing is, where only the tool's name does: leagues, basketball leagues."""
    parts = name.split("|")
    kinds = [word for word in split(parts[1]) if word in wordset("about")] if len(parts) > _PARTS else []
    for verb, rest in wishes if len(kinds) == 1 else ():
        found = _ARTICLE.match(rest)
        plain = rest[found.end() :] if found else rest
        if kinds[0] not in rest and singular(kinds[0]) not in rest and len(head_of(plain).split()) < _PARTS:
            said = _OF_MANY.sub(rf"\g<0>{singular(kinds[0])} ", plain, count=1)
            yield verb, article(said) if found and found[0] in ("a ", "an ") else f"{found[0] if found else ''}{said}"


def _things(wish: tuple[str, str]) -> set[str]:
    words = re.findall(r"[a-z]+", wish[1].lower())
    return {singular(word) for word in words} - LINKS - {"a", "an", "the", "all", "my", "s"}


def _intent(verb: str, rest: str, *, fine: bool) -> Intent:
    rest = _NO_ONE.sub(lambda said: article(said[1]) if kind_named(said[1]) and not plural(said[1]) else said[1], rest)
    rest = _THE_ONE.sub(lambda said: article(said[1]) if kind_named(said[1]) else said[0], rest)
    if not verb and rest.isalpha() and plural(rest):
        verb = "find"  # nobody wants to see films
    thing = "" if verb else _determined(rest)
    return Intent(
        f"{verb} {rest}" if verb else f"see {thing}", thing, _ARTICLE.sub("", rest.removeprefix("for ")), fine
    )


def _fine(verb: str, rest: str, *, described: bool) -> bool:
    if _ASKED.match(rest):
        return bool(verb) and described and _easy(rest, strange=1, most=_LONGEST)
    return _easy(rest, strange=0) and not rough(rest) and not _stumbles(rest) and is_wanted(rest)


def is_wanted(phrase: str) -> bool:
    """Whether a noun phrase is about something that people want: the standings of a league, and no element or echo."""
    if any(phrase[: one.start()].split()[-1] not in LINKS for one in re.finditer(r"(?<= )(?:the|an?) ", phrase)):
        return False  # the simply validate the email
    if re.search(r"[:;‘’“”]", phrase):
        return False
    words = head_of(_ARTICLE.sub("", _FOUND_BY.sub("", phrase))).split()
    while words and singular(words[-1].lower()) in wordset("lists"):
        words.pop()
    if not words:
        inner = re.split(r" (?:of|about|on|for|from|in) ", phrase, maxsplit=1)[1:]
        return bool(inner) and is_wanted(inner[0])
    head = words[-1].lower()
    made = head not in _MADE and re.search(r"(?:ed|ing|able|ly)$", head)
    return not made and head.isalpha() and not {head, singular(head)} & wordset("unwanted")


def intent_of(api: Api) -> Intent:
    """What somebody wants who should be given this Api."""
    return intents_of(api)[0]


def intents_of(api: Api) -> tuple[Intent, ...]:
    """The same in several ways, the best first."""
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
    asked = {" ".join(split(name)) for name, parameter in api.parameters.items() if parameter.required}
    wish = intent_of(api)
    said = {word for name in asked for word in name.split()} | {"number", "code"}
    known = wish.thing and {*head_of(wish.topic).lower().split()} <= said  # nor for what they have
    looked = known or (api.writes and wish.thing)  # nobody looks at what is changed
    return None if wish.fine and not looked and wish.topic.lower() not in asked else "wordless"


def _stumbles(phrase: str) -> bool:
    words = [word for word in _ARTICLE.sub("", phrase.lower()).split() if len(word) > 2]
    said = [word for word in words if word not in wordset("thin") | LINKS and word not in ("the", "and")]
    twice = len({word.rstrip("s") for word in said}) < len(said)
    return (
        twice
        or _BOUND.search(phrase) is not None
        or not said
        or words[:1] == ["filter"]
        or bool({"get", "using", "gets"} & set(words))
    )


def _easy(phrase: str, *, strange: int, most: int = _EASY) -> bool:
    """Whether a phrase is short, of words that are known but for so many that look like words."""
    words = re.findall(r"[a-z]+", re.sub(r"\b[A-Z]\w*|['’]s\b", " ", phrase))
    known = lexicon().spelt.keys() | wordset("little")
    unknown = [word for word in words if word not in known and not (len(word) > 2 and is_known(word))]
    wordlike = all(_WORDLIKE.fullmatch(word) for word in unknown)
    return 0 < len(phrase.split()) <= most and "," not in phrase and len(unknown) <= strange and wordlike


def _clauses(description: str) -> Iterator[str]:
    for clause in (part for sentence in sentences(description[:400])[:2] for part in _CLAUSE.split(sentence)):
        text = " ".join(_rewrite(clause.rstrip(".!?"), "marks").split()).strip(" ,-")
        if len(text) > 3 and text.lower() not in wordset("junk"):
            yield text


def _own_words(name: str) -> list[str]:
    """The words of an Api's own name (the last part of `Category|tool|name`)."""
    name = re.sub(r"(?<=\w) / (?=\w)", " and ", name)
    plain = re.sub(r"\{[^}]*\}|\([^)]*\)|[?=&/.:]", " ", name.rpartition("|")[2])
    return split(_NAME_NOISE.sub(" ", " ".join(split(plain))))


def _wish(text: str, *, described: bool) -> tuple[str, str]:
    """(the verb, "" for a look-up; the rest), or rest "" where the text will not do."""
    words = text.split()
    if described:
        if len(wordset("foreign") & {word.lower().strip(".,") for word in words}) >= 2:
            return "", ""
        bare = _rewrite(f"{text} ", "opening").strip()
        first = bare.split(maxsplit=1)[0] if bare else ""
        verb = _verb(first)
        if not verb and _TOLD.match(bare) and first.lower() not in LINKS | _OPENERS:
            verb = _THIRD.sub("", first.lower())
        if not verb and _FINITE.search(text):  # each customer can have five of them
            return "", ""
        words = bare.split() if verb else _rewrite(bare, "to get").split()
    else:
        verb = _verb(words[0]) if words else ""
    lookup, words = verb in wordset("lookups"), words[1:] if verb else words
    if verb == "look" and words[:1] == ["up"]:
        verb, words = "look up", words[1:]
    verb = {"lookup": "look up", "autocomplete": "search for"}.get(verb, verb)
    if verb == "search":
        words = words[words[:1] == ["for"] :]
        verb = (
            "search"
            if words[:1] and words[0].lower() in ("in", "by", "across", "the", "through", "nearby")
            else "search for"
        )
    if not described and verb in wordset("nouns"):
        verb, words = "", [verb, *words]
    if lookup and words[:1] == ["of"]:
        words = ["a", "list", *words]
    if verb and _ASKED.match(question := " ".join(words).rstrip(".")):
        return ("find out" if lookup else verb), question
    rest = _trimmed(" ".join(words), described=described)
    rest = rest.partition(" by ")[0] if verb in ("find", "search", "search for") else rest
    if lookup or not verb or not rest:
        return "", rest
    return verb, rest if _DETERMINED.match(rest) or plural(_head(rest)) else _articled(verb, rest)


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
    content = [word for word in words if len(word) > _LITTLE or word.isupper()]
    titled = sum(word[:1].isupper() for word in content) > len(content) / 2
    out: list[str] = []
    for at, word in enumerate(words):
        small, plain = word.lower().strip(",."), word[1:].islower()
        if spelt := lexicon().spelt.get(small):
            word = spelt
        elif shouting or len(word) == 1 or not word.isupper():
            stylish = at == 0 or titled or shouting or (plain and _STYLE.match(word))
            word = word.lower() if stylish and (plain or word.isupper() or len(word) == 1) else word
        out.append(word)
    return out


def head_of(phrase: str) -> str:
    """A noun phrase as far as its own noun: the players of a team, the players."""
    return re.split(
        r"\s(?:of|for|in|on|from|to|by|with|about|at|near|within|between|around|during|relat(?:ed|ing) to)\s", phrase
    )[0]


def _head(phrase: str) -> str:
    words = head_of(phrase).split()
    return words[-1] if words else phrase


def _determined(phrase: str) -> str:
    """With an article, unless it has one, or is of many: hotels near a station, the players of a team."""
    many = plural(_head(phrase)) and " of " not in phrase
    return phrase if many or _DETERMINED.match(phrase) else f"the {phrase}"
