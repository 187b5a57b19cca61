"""What an Api is good for, as somebody who wants it would say.

Documentation says "This endpoint returns the standings of a specific league by providing its ID."; people want "the
standings of a league".

Contract: `need(api)` is total and cached. `action` follows "to" (`see the standings of a league`), `thing` is a noun
phrase with its article, "" where more is wanted than a look-up (`convert an address into coordinates`); `topic` is a
short noun phrase without article, from the Api's own name, `own` all of that name; `place` is what
the tool is called, `field` what it is about. `awkward(api)` names
the reason why nobody could talk about an Api naturally, if there is one.

Example:
    >>> from toologue.schema import Api
    >>> need(Api(name="Sports|baseballapi|LeagueHomeStandings",
    ...     description="This endpoint returns the **home standings** of a specific league by providing its ID."))
    Need(action='see the home standings of a league', thing='the home standings of a league', \
topic='league home standings', own='league home standings', place='BaseballAPI', field='', \
domain='sports', fine=True)
    >>> need(Api(name="Geo|places|Nearby", description="Converts an address to coordinates.")).action
    'convert an address to coordinates'

Not covered: whether a description is true, and what follows its first sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from toologue.schema import Api
from toologue.text.tokens import article, is_word
from toologue.write.chains.lexicon import lexicon, plural, singular, split, wordset
from toologue.write.chains.phrases import empty, rough, smooth, subject, within
from toologue.write.chains.tools import brand, field

_LONGEST, _KEPT, _EASY = 13, 6, 9
_ENDINGS = (("s$", ""), ("es$", ""), ("ies$", "y"), ("ing$", ""), ("ing$", "e"), ("(.)\\1ing$", "\\1"))
_MAKE = ("generate", "create")
_MARKS = re.compile(r"\[([^\]]*)\]\([^)]*\)|<[^>]*>|https?://\S+|\([^)]*(?:\)|$)|\{[^}]*\}|[*#`_\"“”>|\[\]]+|^\W+")
_SENTENCE = re.compile(r"(?<=[\w)])(?<!\b[A-Z])(?<!e\.g)(?<!i\.e)[.!?](?:\s|$)|\n|;|:\s|\s[-–—]\s")
_LEAD = re.compile(
    r"^(?:(?:please|simply|just|here|by using|use|using|with|through|via|in|you can|this|the|these|our|an?|my|it|"
    r"single|rest|public|main|simple|following|is|are|will|can|could|may|be|been|able|used|useful|"
    r"responsible|designed|for|to|in order|"
    r"allows?|enables?|lets|helps?|users?|you|us|developers?|customers?|clients?|provides? access|gives? access|access|"
    r"provides? the ability|api|apis|endpoints?|methods?|calls?|routes?|functions?|services?|requests?|resources?|"
    r"operations?|features?|query|quer(?:y|ies) to|command|,)\s+)*"
    r"(?:api|endpoint|method|call|route|function|service|request|resource|operation|feature|command|used|allows?|"
    r"enables?|lets|helps?|you|to|it|is|can|will)\s+(?:(?:you|users?|us|developers?|will|can|to|also|for|is|used|be|"
    r"allows?|simply|access|able|enables?|lets)\s+)*(?=\S)",
    re.IGNORECASE,
)
_TO_GET = re.compile(r"^.*?\bto (?:get|fetch|retrieve|obtain|see|list|find)\s+", re.IGNORECASE)
_CUT = re.compile(
    r",?\s+(?:including|includes?|such as|e\.g|i\.e|like|for example|where|when|which|whose|that|who|so that|if|unless|"
    r"because|as well as|along with|together with|given|providing|provided|depending|based on|according to|"
    r"by (?:providing|using|specifying|passing|its|their|the|given|id|ids|name|entering|giving|sending|a|an|one|any)\b|"
    r"using|via|through|with (?:all|its|their|the following|details|optional|support|pagination|an? (?:id|given))\b|"
    r"filtered|sorted|ordered|limited|paginated|returned|available on|from our|in our|in the (?:system|database|api|"
    r"response|quote|given)|from the (?:system|database|api)|as (?:an?|the) (?:json|array|list|object)|"
    r"in (?:json|xml|csv|html)|in one|within one|at once|please|note|must|should|you|your|we|it|they|is|are|was|were|"
    r"has|have|had|will|can|may|does|do|not|return|returns|returning|returned|there|here|this|these|then|"
    r"matching|associated|related|corresponding|belonging|containing|existing|published|helps?|provides?|gives?|allows?|"
    r"lets|enables?|shows?|contains?|keeps?|supports?|takes?|calculates?|smooths?|uses?|"
    r"measures?|transforms?|and (?:gets?|receive|see|obtain)|with [^,]+,)\b.*$",
    re.IGNORECASE,
)
_BY_ID = re.compile(
    r"\s+(?:by|with|from|for|via|of|using)\s+(?:(?:an?|the|its|their|given|specific|unique|your)\s+)*(?:[\w-]+\s+)?"
    r"(?:ids?|identifiers?|uuids?|keys?|slug|slugs|tokens?|url|asins?)\b(?:\s+(?:number|and|or)\b.*)?$",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(an?|the|any|your) (?:specific|specified|given|particular|certain|provided|requested|desired|selected|chosen|"
    r"single|supplied|existing|specify|following|input|submitted|corresponding) (?=\w)",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(in|of|for|on|from|at|about|to|by) "
    r"(?:specific|specified|given|particular|certain|provided|requested) (?=(\w+))",
    re.IGNORECASE,
)
_STYLE = re.compile(r".*(?:ings?|tions?|ments?|ers?|ics|ies|ages?|ances?|ences?|als?|ists?|ets?|ches)$")
_DETERMINED = re.compile(
    r"^(?:an?|the|all|some|any|my|every|each|its|both|several|many|more|most|one|two|three|information|details|"
    r"detailed information|data|something)\b", re.IGNORECASE)  # fmt: skip
_BY_KEY = re.compile(r" by (?:\w+ )?(?:ids?|uuid|slug|key|code|url|name)(?: .*)?$", re.IGNORECASE)
_DANGLING = re.compile(
    r"(?:[\s,]+(?:and|or|of|for|by|in|on|at|to|from|with|the|an?|all|any|its|their|as|per|just|simply|"
    r"and/or|eg|e\.g|about|into|between|than|"
    r"within|over|also|only|each|both|vs|via|using|&|specific|given|one))+$",
    re.IGNORECASE,
)
_NAME_NOISE = re.compile(
    r"\b(?:v\d+(?:\.\d+)*|api|apis|endpoint|json|xml|php|get|post|put|beta|copy|new|fmt)\b", re.IGNORECASE
)


_ARTICLE = re.compile(r"^(?:the|an?|all(?: the)?|some|any|my) ", re.IGNORECASE)


class Need(NamedTuple):
    """A wish that an Api fulfils, in a few forms; `fine` where somebody would say so."""

    action: str
    thing: str
    topic: str
    own: str
    place: str
    field: str
    domain: str
    fine: bool


@lru_cache(maxsize=65_536)
def _need(name: str, description: str) -> Need:
    own, about = _own_words(name), field(name)
    wishes = [
        _mended(*_wish(_first(description), described=True), about),
        _mended(*_wish(" ".join(own), described=False), about),
    ]
    found = next((one for one in wishes if _fine(*one)), None)
    verb, rest = found or next((one for one in wishes if one[1]), ("", f"something on {brand(name)}"))
    thing = "" if verb else _determined(rest)
    named = _mended("", " ".join(_topical(own)), about)[1]
    topic = subject(named if _fine("", named) else _ARTICLE.sub("", rest))
    whole = smooth(_BY_KEY.sub("", " ".join(_topical(own, whole=True))), looked_up=False)
    domain = name.partition("|")[0].replace("_", " ").lower() if "|" in name else ""
    action = f"{verb} {rest}" if verb else f"see {thing}"
    return Need(
        action, thing, topic, whole if _fine("", whole) else topic, brand(name), about, domain,
        found is not None and _fine("", topic),
    )  # fmt: skip


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
    """Whether somebody would say that this is what they want."""
    return (
        bool(rest)
        and _easy(_determined(rest))
        and not rough(rest)
        and (not verb or verb.split()[0] in wordset("doing"))
    )


def need(api: Api) -> Need:
    """What somebody wants who should be given this Api."""
    return _need(api.name, api.description[:600])


def awkward(api: Api) -> Literal["foreign", "technical", "wordless"] | None:
    """foreign: not in English. technical: what only programs know is required. wordless: nothing says what it does."""
    known = lexicon()
    text = f"{api.description[:300]} {' '.join(_own_words(api.name))}".lower()
    words = set(re.findall(r"[^\W\d_]+", text))
    strange = not text.isascii() and not words & {
        "the",
        "a",
        "of",
        "for",
        "to",
        "by",
        "and",
        "get",
        "all",
        "from",
        "with",
    }
    if (
        strange
        or len(words & known.foreign) >= 2
        or sum(not char.isascii() for char in text if char.isalpha()) > len(text) / 12
    ):
        return "foreign"
    if any(parameter.required and name.lower() in known.technical for name, parameter in api.parameters.items()):
        return "technical"
    named = [word for word in _topical(_own_words(api.name)) if word not in wordset("thin") and len(word) > 2]
    if not named and not _wish(_first(api.description), described=True)[1]:
        return "wordless"
    asked = {" ".join(split(name)) for name, parameter in api.parameters.items() if parameter.required}
    wish = need(api)
    return None if wish.fine and _sayable(wish) and wish.topic.lower() not in asked else "wordless"


def _sayable(wish: Need) -> bool:
    """Whether somebody could say it: words that are known, no verb of documentation in the middle, no stray letter."""
    object_of = wish.thing or wish.action
    if not _easy(object_of) or not _easy(wish.topic.lower()):
        return False
    first, last = _ARTICLE.sub("", wish.topic).split()[0], wish.topic.lower().split()[-1]
    if last.endswith("ly") or last in lexicon().verbs - wordset("nouns") - {"lookup"}:
        return False
    if any(_stumbles(phrase) for phrase in (wish.topic, wish.own, object_of)):
        return False
    words = re.sub(r"^(?:the|an?|all|my|see) ", "", object_of.lower()).split()
    told = words[0].endswith("s") and words[0][:-1] in lexicon().verbs | {
        "produce",
        "allow",
        "enable",
        "provide",
        "represent",
    }
    return not (
        first[0].isdigit() or len(first) == 1 or (told and len(words) > 1 and words[1] not in ("of", "for", "in"))
    )


def _stumbles(phrase: str) -> bool:
    """Whether a word comes twice, or a verb opens what should be a thing."""
    words = [word for word in re.sub(r"^(?:the|an?|all|my|see) ", "", phrase.lower()).split() if len(word) > 2]
    said = [word for word in words if word not in wordset("thin") and word not in ("the", "and", "for", "with")]
    twice = len({word.rstrip("s") for word in said}) < len(said)
    return twice or words[:1] == ["filter"] or bool({"get", "using", "gets"} & set(words))


def _easy(phrase: str) -> bool:
    """Whether a phrase is short, lists nothing, and is made of words."""
    words = re.findall(r"[a-z]+", re.sub(r"\b[A-Z]\w*", " ", phrase))
    known = lexicon().acronyms.keys() | lexicon().proper.keys()
    unknown = [
        word for word in words if word not in known | wordset("little") and not (len(word) > 2 and is_word(word))
    ]
    return len(phrase.split()) <= _EASY and "," not in phrase and not unknown


def _first(description: str) -> str:
    """The first sentence that says something, without marks."""
    for sentence in _SENTENCE.split(description[:400]):
        text = " ".join(_MARKS.sub(r" \1", sentence or "").split()).strip(" ,-")
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
    known = lexicon()
    own = [word for word in own if word not in ("specific", "single", "certain", "particular", "given")] or own
    words = own[: own.index("by")] if "by" in own[1:] and not whole else own
    if len(words) == 1 and not {"id", "ids", "code", "slug"}.isdisjoint(own[1:]):
        words = [*words[:-1], singular(words[-1])]
    while len(words) > 1 and words[0] in known.lookups | known.verbs | {"all", "the", "by", "a", "for", "of"}:
        words = words[1:]
    return _cased(words if whole else words[:_KEPT])


def _wish(text: str, *, described: bool) -> tuple[str, str]:
    """(the verb, "" for a look-up; the rest), or rest "" where the text will not do."""
    known = lexicon()
    words = text.split()
    if described and len(known.foreign & {word.lower().strip(".,") for word in words}) >= 2:
        return "", ""
    if described:
        bare = _LEAD.sub("", f"{text} ").strip()
        text = _TO_GET.sub("", bare) if not _verb(bare.split(maxsplit=1)[0] if bare else "") else bare
        words = text.split()
    verb = _verb(words[0]) if words else ""
    lookup, words = verb in known.lookups, words[1:] if verb else words
    if verb == "look" and words[:1] == ["up"]:
        verb, words = "look up", words[1:]
    if verb in ("lookup", "autocomplete", "list"):
        verb = {"lookup": "look up", "autocomplete": "search for", "list": "list"}[verb]
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
    if not rest or (verb and not lookup and verb not in known.verbs | {"look up", "search for"}):
        return "", ""
    if lookup:
        return "", rest
    return verb, rest if not verb or _DETERMINED.match(rest) or plural(_head(rest)) else _articled(verb, rest)


def _articled(verb: str, rest: str) -> str:
    """The object of a verb with an article; prepositions and some verbs need none."""
    making = verb in ("generate", "create") and not plural(_head(rest))
    if making or not (rest.split()[0].lower() in wordset("bare") or _head(rest).endswith("ing") or verb in _MAKE):
        return f"the {rest}" if not making and (" of " in rest or " for " in rest) else article(rest)
    return rest


def _verb(word: str) -> str:
    """The infinitive, if the word is a verb that opens descriptions."""
    known, small = lexicon(), word.lower().strip(",.:")
    both = known.lookups | known.verbs
    for form in (small, *(re.sub(ending, stem, small) for ending, stem in _ENDINGS)):
        if form in both:
            return form
    return ""


def _trimmed(text: str, *, described: bool) -> str:
    """The phrase without asides, ids and all that comes after it; "" where nothing good is left."""
    text = " ".join(_spelt_out(word) for word in text.split())
    text = re.sub(
        r"^(?:back|up|out|you|us|users?|me|any|only|the full|complete|a complete|a full)\s+(?=\w+\s+\w)",
        "",
        text,
        flags=re.I,
    )
    text = _GIVEN.sub(lambda found: f"{'a' if found[1].lower() in ('a', 'an', 'the', 'any') else 'my'} ", text)
    text = _CUT.sub("", text)
    text = re.sub(r"\s+by\s+.*\b(?:ID|id)s?\b.*$", "", text)
    text = _BY_ID.sub("", text) if described else re.sub(r"\s+(?:by|with)\s+.*$", "", text)
    text = re.sub(r"\byours?\b", "my", text, flags=re.I)
    text = re.sub(r"(?<=[a-z])\s+(?:ids?|identifiers?|keys?)$", "", text, flags=re.I)
    text = _LOOSE.sub(lambda found: f"{found[1]} " if plural(found[2]) else f"{found[1]} a ", text)
    text = re.split(r",\s", text)[0] if len(text.split()) > _LONGEST or text.count(",") == 1 else text
    words = text.split()
    if len(words) > _LONGEST:
        stops = [
            at
            for at, word in enumerate(words)
            if word.lower() in ("for", "in", "on", "from", "and", "with", "by") and 3 < at <= _LONGEST
        ]
        words = words[: stops[-1]] if stops else []
    text = _DANGLING.sub("", " ".join(words).strip(" ,.'/&-")).replace(" ,", ",").replace(" & ", " and ")
    words = _cased(text.split())
    small = {word.lower() for word in words}
    if (
        not words
        or small & wordset("junk")
        or small <= wordset("thin") | {"the", "a", "an", "of", "and", "all", "my"}
        or "=" in text
        or "/" in text
    ):
        return ""
    if sum(char.isalpha() for char in text) < 4 or not re.match(r"[A-Za-z0-9]", text):
        return ""
    text = " ".join(words).replace("(", "").replace(")", "")
    text = re.sub(r"\b[Aa]n? (?=(\w+) \w)", lambda found: "" if plural(found[1]) else found[0], text)
    return re.sub(r"\b([Aa])n? (?=(\w+))", lambda found: f"{article(found[2]).split()[0]} ", text)


def _spelt_out(word: str) -> str:
    """`productId` and `player_stats` as words."""
    if word.lower().strip(",.") in lexicon().proper or not re.search(r"[a-z][A-Z]|\w_\w", word):
        return word
    return " ".join("ID" if part == "id" else part for part in split(word))


def _cased(words: list[str]) -> list[str]:
    """Small letters where title case was a matter of style; acronyms and names keep theirs."""
    known = lexicon()
    shouting = sum(word.isupper() for word in words if len(word) > 2) > len(words) / 2 and len(words) > 2
    titled = sum(word[:1].isupper() for word in words[1:]) >= max(1, (len(words) - 1) / 2)
    out: list[str] = []
    for at, word in enumerate(words):
        small = word.lower().strip(",.")
        if small in known.acronyms or small in known.proper:
            out.append(known.acronyms.get(small) or known.proper[small])
        elif word.isupper() and len(word) > 1 and not shouting:
            out.append(word)
        elif at == 0 or titled or shouting or small in wordset("common") or (_STYLE.match(word) and word[1:].islower()):
            out.append(word.lower() if word[1:].islower() or word.isupper() or len(word) == 1 else word)
        else:
            out.append(word)
    return out


def _head(phrase: str) -> str:
    """The noun that a phrase is about."""
    before = re.split(r"\s(?:of|for|in|on|from|to|by|with|about|at|near|within|between)\s", phrase)[0]
    return before.split()[-1] if before.split() else phrase


def _determined(phrase: str) -> str:
    """With an article, where it has none."""
    return phrase if _DETERMINED.match(phrase) else f"the {phrase}"
