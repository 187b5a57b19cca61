"""Names of parameters and outputs, as people say them.

Contract: `parameters(api)` names each parameter of an Api, no two alike, `output(name)` one output; a `Name` is a noun
phrase without its article (`team ID`). What a name leaves open (`id`, `q`, `from`) is taken from the description or,
for a bare `id`, from what the Api is about. Total: any name gets some words.

Example:
    >>> from toologue.schema import Api, Parameter
    >>> api = Api(name="Sports|handball|TeamMatches", parameters={"id": Parameter(), "page": Parameter(),
    ...     "from": Parameter(schema={"description": "The start date."})})
    >>> [name.the for name in parameters(api).values()]
    ['the team ID', 'the page number', 'the start date']
    >>> output("data|standings|teams|name").words, output("data|seasonIds").the
    ('team name', 'the season IDs')

Not covered: what a documentation describes wrongly.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toologue.schema import Api, Parameter
from toologue.worlds.documented import kind_of, kind_sought
from toologue.worlds.documented.words import kind_named, noun_for
from toologue.write.chains.lexicon import lexicon, plural, singular, split, wordset

_LEAD = re.compile(
    r"^(?:(?:please |kindly |must |should |you (?:can|must|should) )?(?:specify|enter|insert|type in|provide|input|put|"
    r"pass|set|choose|select|use|add|give|write|filter by|search by|identifies|represents|define[sd]?|indicates?)"
    r"(?: in| the name of)? )?(?:is )?(?:(?:an?|the|your|any|this|existing|valid|unique|specific|given|required|"
    r"optional|specified|internal|desired|exact|preferred|particular)\b ?)*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:is|are|was|be|has|have|will|can|should|must|may|that|which|who|where|when|if|you|your|we|it|to be|want|"
    r"returned?|used|e\.?g|i\.e|ex|default|example|format|using|obtained|got|found|retrieved|separated|"
    r"allowed|value)\b",
    re.IGNORECASE,
)
_ID_OF = re.compile(
    r"\b(?:id|identifier|key|uuid|code)s? (?:number )?(?:of|for) (?:(?:the|an?|your|each|this|that|specific|given|"
    r"desired|existing|particular|single|in|one)\b ?)*([a-z][a-z-]+(?: [a-z][a-z-]+)?)",
    re.IGNORECASE,
)
_ID_X = re.compile(r"\bID ([A-Z][a-z]+)\b")
_X_ID = re.compile(r"\b([A-Za-z][a-z]+)(?:['’]s)?[ _-]?(?:ID|Id|id|identifier|UUID)s?\b")


_SPANS = {
    "date": ("start", "end"), "year": ("first", "last"), "price": ("minimum", "maximum"),
    "distance": ("minimum", "maximum"), "age": ("minimum", "maximum"),
}  # fmt: skip


class Name(NamedTuple):
    """A noun phrase without its article."""

    words: str

    @property
    def the(self) -> str:
        """With the article that always fits."""
        return f"the {self.words}"

    @property
    def one(self) -> str:
        """As something that takes "is" in any case."""
        return f"the list of {self.words}" if self.many else self.the

    @property
    def many(self) -> bool:
        """Whether it takes "are"."""
        return plural(re.split(r" (?:of|to|for|in) ", self.words)[0].split()[-1])

    @property
    def are(self) -> str:
        """The verb it takes."""
        return "are" if self.many else "is"


def parameters(api: Api) -> dict[str, Name]:
    """A name for each parameter."""
    found: dict[str, Name] = {}
    taken = set[str]()
    for name, parameter in api.parameters.items():
        words = next((one for one in _names(api, name, parameter) if one and one not in taken), f"{name!r} value")
        taken.add(words)
        found[name] = Name(words)
    return found


def output(name: str) -> Name:
    """A name for an output, by its path (`a|b|c`, or with dots)."""
    path = [part for part in re.split(r"[|.]|\[\]", name) if part.strip()]
    words = split(path[-1]) if path else []
    if not words:
        return Name("value")
    owners = (split(part)[-2:] for part in reversed(path[:-1]))
    plain = (one for one in owners if one and one[-1] not in wordset("wrapping") and not one[-1].isdigit())
    outer = next(plain, list[str]())
    open_word = len(words) == 1 and words[0] in wordset("generic")
    if open_word and outer and (kind := kind_of(tuple(path))) and kind_named(singular(outer[-1])) != kind:
        outer = noun_for(kind).split() or outer
    if open_word and outer and singular(outer[-1]) != words[0]:
        words = [*outer[:-1], singular(outer[-1]), *words]
    if len(words) > 1 and words[0] in ("num", "number", "nb", "no", "count", "total") and plural(words[-1]):
        return Name(f"number of {_spelt(words[1 + (words[1] == 'of') :])}")
    return Name(_spelt(words) if any(word[0].isalpha() for word in words) else f"value for {' '.join(words)}")


def _names(api: Api, name: str, parameter: Parameter) -> list[str]:
    """What a parameter may be called, the best first."""
    known, words = lexicon(), split(name)
    words = words[1:] if len(words) > 1 and words[0] in ("for", "by", "in", "of") else words
    plain = " ".join(words)
    described = str(parameter.json_schema.get("description") or "")
    found: list[str] = []
    if plain in ("from", "to"):
        found.append(_bound(plain, described, set(api.parameters)))
    elif plain in ("id", "ids", "i", "ident", "uuid"):
        kind = "uuid" if plain == "uuid" else "id"
        found += [_spelt([*one.split(), kind]) for one in (_owner(described), _subject(api)) if one]
    elif plain in wordset("seeking") and kind_of((name,)) in ("topics", "titles") and (sought := _sought(api)):
        found.append(sought)
    elif plain in wordset("vague") or len(plain) < 2:
        found.append(_from_description(described))
    if plain in ("code", "name", "type", "number", "title") and (one := _subject(api)) and kind_named(one):
        found.append(_spelt([one, *words]))
    if len(words) == 2 and {*words} & {"from", "to"} and {*words} & _SPANS.keys():
        (span,), side = {*words} & _SPANS.keys(), "from" in words
        found.append(f"{_SPANS[span][0 if side else 1]} {span}")
    if plain in ("start", "end") and "date" in described.lower():
        found.append(f"{plain} date")
    if plain in known.parameters and not (plain in ("order", "format", "start", "count") and _about(described, plain)):
        found.append(known.parameters[plain])
    return [*found, f"value of {plain}" if len(plain) == 1 else _spelt(words), plain]


def _sought(api: Api) -> str:
    """What is searched for: `q` of an Api about films is the title of the film."""
    kind = kind_sought(api)
    record, _, field = kind.partition(".")
    noun = {"full": "person", "place.hub": "airport"}.get(kind) or singular(
        field if field and field != "name" else record
    )
    return f"{'title' if kind in wordset('titled') else 'name'} of the {noun}" if noun else ""


def _about(description: str, word: str) -> bool:
    """Whether the word means something else here than among the parameters of lists."""
    return {"order": " id", "format": "text", "start": "date", "count": "of people"}[word] in f" {description}".lower()


def _spelt(words: list[str]) -> str:
    known = lexicon()
    out: list[str] = []
    for at, word in enumerate(words):
        tall = word == "long" and (len(words) == 1 or (at + 1 < len(words) and words[at + 1] not in ("deg", "min")))
        word = word if tall or [word] == words == ["ref"] else known.abbreviations.get(word, word)
        if word.endswith("s") and word[:-1] in ("id", "url", "uuid", "upc"):
            word = f"{word[:-1].upper()}s"
        out.append(" ".join(known.acronyms.get(one, known.proper.get(one, one)) for one in word.split()))
    while len(out) > 1 and out[-1] == out[-2]:
        out.pop()
    if out[:1] == ["ID"] and len(out) == 2:
        out.reverse()
    return " ".join(out)


def _from_description(text: str) -> str:
    """The noun phrase that a description opens with, if it is one and short."""
    first = re.split(r"[.;:\n(,=]|\s[-–]\s", re.sub(r"[*`_#\"“”']|<[^>]+>", " ", text).strip(), maxsplit=1)[0]
    phrase = _LEAD.sub("", " ".join(first.split()))
    words = phrase.split()
    if not 1 <= len(words) <= 5 or _CLAUSE.search(phrase) or not phrase.isascii() or not phrase[0].isalpha():
        return ""
    if not re.fullmatch(r"[A-Za-z0-9 /'-]+", phrase) or lexicon().foreign & {word.lower() for word in words}:
        return ""
    if words[0].lower() in lexicon().verbs or {words[0].lower(), words[-1].lower()} & wordset("tail"):
        return ""
    cased = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    if (
        words[0].lower() in ("one", "some", "any", "number")
        and len(words) > 1
        and words[1] == "of"
        and words[-1].lower().startswith("follow")
    ):
        return ""
    if len(cased) > 2 and cased[-2] == "of" and not plural(cased[-1]):
        cased.insert(-1, "the")
    spelt = _spelt([part for word in cased for part in (split(word) if word.islower() else [word])])
    return spelt if spelt.lower() not in wordset("vague") - {"name", "type", "code", "number"} else ""


def _owner(text: str) -> str:
    """Whose id it is, as the description says."""
    if found := _ID_OF.search(text):
        first, *rest = found[1].lower().split()
        if first not in wordset("tail") | lexicon().verbs:
            return " ".join([first, *(word for word in rest if word not in wordset("tail") | wordset("no_owner"))])
    for found in (_X_ID.search(text), _ID_X.search(text)):
        word = found[1].lower() if found else ""
        if word and word not in wordset("tail") | wordset("empty") | wordset("no_owner"):
            return word
    return ""


def _subject(api: Api) -> str:
    """What an Api finds things by, or is about, in one word: `news/list-by-player` → player."""
    name = api.name.rpartition("|")[2]
    every = split(name)
    by = [word for word in every[every.index("by") + 1 :] if word not in ("id", "ids")] if "by" in every else []
    if by and kind_named(noun := singular(by[-1])):
        return noun
    words = [word for word in split(re.split(r"\b[Bb]y\b|By(?=[A-Z])", name)[0]) if len(word) > 2]
    words = [word for word in words if word not in wordset("empty") and word not in lexicon().lookups]
    return singular(words[0]) if words and words[0].isalpha() else ""


def _bound(plain: str, description: str, names: set[str]) -> str:
    """`from` and `to`: of a range of time, of money, of a journey."""
    text = description.lower()
    if "currency" in text or "convert" in text:
        return f"currency to convert {plain}"
    if "date" in text or "time" in text or names & {"interval", "resolution"}:
        return "start date" if plain == "from" else "end date"
    if "address" in text or "wallet" in text:
        return "sender's address" if plain == "from" else "recipient's address"
    if "language" in text or names & {"text", "lang"}:
        return "source language" if plain == "from" else "target language"
    return "starting point" if plain == "from" else "end point"
