"""The words of a conversation: users say what they inform of, agents say what is so and ask for what is lacking.

A claim is supported if its words stand in what was said or in a result as they are, or if a value there means the same
(17 October 1919 for "1919-10-17"); lists support how long they are, labels of documents support names and the numbers
that belong to a label ("set 2").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import cast

from pydantic import JsonValue

from toologue.errors import shown
from toologue.keys import Same
from toologue.schema import AgentTurn, Api, Dialogue, Parameter, UserTurn
from toologue.schema.use import ASKED, SAID
from toologue.text.claims import Claim, claims, grounds, says
from toologue.text.find import find
from toologue.text.names import kind_named, kind_of
from toologue.text.times import MONTHS
from toologue.text.tokens import singular, split_name
from toologue.values.compare import leaves, lengths, same
from toologue.values.json_schema import list_of
from toologue.verify import Flaw
from toologue.verify.chains.states import Chain, Context, alike, distinct_values, names_told

_COMMON_WORDS = """
    about all also and any are can could does for from get give given has have how into its like may more need not of
    only or other please return returned should that the their them then there these this those to use used value want
    was what when where which who whose will with would you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())
# Parameters for what is searched for: they may be asked for by its name, too.
_SEEKING = frozenset(["q", "s", "query", "search", "keyword", "term", "text", "searchterm"])
_ALIKE = (
    "q query search keyword term text",
    "outputsize count cnt limit number size amount max top many most",
    "to end until destination target",
    "from start since origin begin",
    "h2h head compare",
    "gl geo country region",
    "hl lang language locale",
    "date day month year",
    "lat latitude lon lng longitude place position",
)
_WORD = re.compile(r"[^\W_]+")


def says_value(text: str, value: JsonValue, parameter: Parameter | None = None, name: str = "") -> bool:
    """Whether a text says a value (of a parameter)."""
    written = isinstance(value, str | int | float) and not isinstance(value, bool)
    if (written and stands_in(text, str(value))) or says(text, value):
        return True
    return any(wordings(text, value, parameter, name))


def wordings(text: str, value: JsonValue, parameter: Parameter | None, name: str) -> Iterator[str]:
    """What in a text says a value of a parameter: words that documents have for it (Norway for "NO"), or what is read
    as it (8 June 2023 for 20230608)."""
    schema = parameter.json_schema if parameter else {}
    every = (list_of(one) for one in list_of(schema.get(SAID)))
    words = (str(word) for code, word in every if same(code, value))
    yield from (word for word in words if stands_in(text.casefold(), word.casefold()))
    yield from (one.text for one in (find(text, schema, name=name) if schema else ()) if same(one.value, value))


def tells_value(text: str, value: JsonValue, apis: Sequence[Api]) -> bool:
    """Whether a text says a value of a result: as it is, a code in words, the numbers of what has units in it
    ("40.62km"), or cents as money if documents count so."""
    if says_value(text, value):
        return True
    if isinstance(value, str):
        if _MEASURED.fullmatch(value):
            return {*_FIGURE.findall(value)} <= {*_FIGURE.findall(text)}
        words = split_name(value)
        return bool(words) and f" {words} " in f" {' '.join(_WORD.findall(text.casefold()))} "
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return _counts_cents(lambda: [_labels(Same(api)) for api in apis]) and says(text, value / 100)


def stands_in(text: str, said: str) -> bool:
    """Whether a text has these letters, and not as a part of a longer word or number."""
    start = text.find(said)
    while said and start >= 0:
        end = start + len(said)
        if _begins(text, start) and _ends(text, end):
            return True
        start = text.find(said, start + 1)
    return False


def squashed(text: str) -> str:
    """Its letters and digits, folded."""
    return "".join(_WORD.findall(text)).casefold()


def _begins(text: str, start: int) -> bool:
    before, first = text[max(0, start - 1) : start], text[start]
    if not (first.isalnum() and (before.isalnum() or before in ("_", "@"))):
        return not (first.isdigit() and before in (".", ",") and text[max(0, start - 2) : start - 1].isdigit())
    return False


def _ends(text: str, end: int) -> bool:
    last, after = text[end - 1], text[end : end + 1]
    if last.isalnum() and (after.isalnum() or after in ("_", "@")):
        return False
    return not (after in (".", ",", "-") and last.isalnum() and text[end + 1 : end + 2].isdigit())


def asks_for(text: str, name: str, parameter: Parameter | None) -> bool:
    """Whether a text has a word for a parameter."""
    schema = parameter.json_schema if parameter else {}
    described = " ".join(str(schema.get(key) or "") for key in ("title", "description", "x-description", ASKED))
    asked, said = _stems(described) | _words(split_name(name)), _stems(text)
    if not asked.isdisjoint(said) or (len(name) > 1 and squashed(name) in squashed(text)):
        return True
    if any(len(stem) > 3 and stem in name.casefold() for stem in said):
        return True
    if split_name(name) in _SEEKING and not said.isdisjoint(_NAMES):
        return True
    return any(not asked.isdisjoint(group) and not said.isdisjoint(group) for group in _SYNONYMS)


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    return _words(" ".join(word for word in _WORD.findall(text.casefold()) if word not in _COMMON))


def _words(text: str) -> frozenset[str]:
    return frozenset(stem for word in text.split() if (stem := word[:4].rstrip("s")))


def _things(text: str) -> set[str]:
    """The nouns of a text, and what kinds of things they are: films are movies."""
    nouns = {singular(word) for word in _WORD.findall(text.casefold()) if word not in _COMMON}
    return nouns.union(filter(None, map(kind_named, nouns)))


_SYNONYMS, _NAMES = tuple(map(_words, _ALIKE)), _words("name title topic")


_PLURAL = re.compile(r"[A-Z]{2,}s")  # URLs
_PAIR = re.compile(r"(?<![\w.:/-])\d+[-:]\d+(?![\w:/-])")  # a score, a time
_CLOCK = re.compile(r"\d\d?:\d\d")
_SHORT = 3
_MEASURED = re.compile(r"(?:\d+(?:\.\d+)? ?[^\W\d_]{1,4}[ :,]*)+")
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_MONEY = re.compile(r"\d\.\d\d\b")
_CENTS = re.compile(r"incents|smallest(?:currency|monetary)?unit|minor(?:currency)?unit")  # in squashed words


def _date(informed: Mapping[str, JsonValue]) -> str:
    """A day, a month and a year that are values apart, as people say them."""
    parts = {kind: str(value) for name, value in informed.items() if (kind := kind_of((name,))) in _DATE}
    month = parts.get("month", "")
    parts["month"] = MONTHS[int(month) - 1] if month.isdigit() and 0 < int(month) <= len(MONTHS) else month
    return " ".join(parts.get(kind, "") for kind in _DATE).strip()


_DATE = ("day number", "month", "year")


class Evidence:
    """Texts, or results."""

    def __init__(self, *values: JsonValue):
        self.values = values

    @cached_property
    def letters(self) -> str:
        """All there is, as it is written."""
        return " ".join(map(str, self.values)).casefold()

    @cached_property
    def leaves(self) -> list[str | float]:
        """Every value; empty texts are none."""
        return [leaf for leaf in leaves([*self.values]) if leaf != ""]

    @cached_property
    def lengths(self) -> frozenset[int]:
        """How long the lists are."""
        return frozenset(length for value in self.values for length in lengths(value))

    def has(self, said: str) -> bool:
        """Whether these words stand in it."""
        return stands_in(self.letters, said.casefold())

    def means(self, claim: Claim) -> bool:
        """Whether a value in it means what is claimed."""
        if claim[0] == "name":
            return False
        if claim[0] == "number" and claim[1] in self.lengths:
            return True
        trace = _trace(claim)
        return any(claim in grounds(leaf) for leaf in self.leaves if trace in str(leaf))


def unsupported_claims(
    text: str, known: Sequence[Evidence], labelled: Callable[[], Sequence[str]] = tuple
) -> Iterator[str]:
    """The words of each claim of a text that neither what is known supports nor labels (squashed, asked for late)."""
    for claim, read in claims(text).items():
        said = _whole(text, read)
        if any(ground.has(said) for ground in known) or _PLURAL.fullmatch(said):
            continue
        if said == read and any(ground.means(claim) for ground in known):
            continue
        more = claim[0] == "number" and f" {said} more" in text  # "… and 3 more", of five
        if more and any(length > cast("float", claim[1]) for ground in known for length in ground.lengths):
            continue
        if claim[0] == "name" and len(said) < _SHORT:
            continue
        if _MONEY.search(said) and any(ground.means(_in_cents(claim)) for ground in known) and _counts_cents(labelled):
            continue
        around = [squashed(said).rstrip("s")] if claim[0] == "name" else _with_neighbours(text, said)
        if not any(label in words for words in labelled() for label in around):
            yield said
    clocks = " ".join(read for (kind, _), read in claims(text).items() if kind == "time")  # 5:30 pm
    for match in _PAIR.finditer(text):
        if match[0] in clocks:
            continue
        labelled_too = any(label in words for words in labelled() for label in _with_neighbours(text, match[0]))
        clock = _CLOCK.fullmatch(match[0]) is not None
        shown = (ground.has(match[0]) or (clock and ground.means(("time", match[0].zfill(5)))) for ground in known)
        if not labelled_too and not any(shown):
            yield match[0]


def _in_cents(claim: Claim) -> Claim:
    return ("number", round(100 * claim[1], 4)) if isinstance(claim[1], float) else claim


def _counts_cents(labelled: Callable[[], Sequence[str]]) -> bool:
    """Whether documents count money in its smallest unit."""
    return any(_CENTS.search(words) for words in labelled())


def strange_claims(text: str, known: Sequence[JsonValue], apis: Sequence[Api]) -> list[str]:
    """The words of each claim of a text that neither these values support nor what documents call things."""
    return [*unsupported_claims(text, [Evidence(*known)], lambda: [_labels(Same(api)) for api in apis])]


# ---- claims


def _trace(claim: Claim) -> str:
    """Letters without which no value means a claim."""
    kind, value = claim
    match kind:
        case "number":
            return str(int(cast("float", value)))
        case "day":
            return str(cast("tuple[int, int]", value)[1])
        case "time":
            return str(int(str(value)[3:5])) if value else ""
        case _:
            return "@" if kind == "email" else ""


def _whole(text: str, said: str) -> str:
    """The words of a claim; where they are but a part of a longer code or number, that."""
    if stands_in(text, said):
        return said
    start = text.find(said)
    before, after = text[:start].split(" ")[-1], text[start + len(said) :].split(" ")[0]
    return f"{before}{said}{after}".strip(".,:;!?()'\"")


def _with_neighbours(text: str, said: str) -> list[str]:
    start = text.find(said)
    before, after = text[:start].split()[-1:], text[start + len(said) :].split()[:1]
    return [squashed(" ".join((*before, said))), squashed(" ".join((said, *after)))]


# ---- documents


@lru_cache(maxsize=64)
def _labels(same: Same[Api]) -> str:
    """The words, squashed, that a document has for its Api, its parameters and its outputs."""
    api = same.value
    words = [api.name, api.description, *api.keywords, *api.parameters]
    waiting: list[JsonValue] = [api.returns, *(parameter.json_schema for parameter in api.parameters.values())]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            words += _described(schema)
            waiting += schema.values()
    return squashed(" ".join(words))


def _described(schema: Mapping[str, JsonValue]) -> Iterator[str]:
    properties = schema.get("properties")
    yield from properties if isinstance(properties, dict) else ()
    yield from (said for key in ("title", "description", "x-description") if isinstance(said := schema.get(key), str))


_BRACES = re.compile(r"\{[\w .]*\}")
_TECHNICAL = re.compile(r"[_|{}]|[a-z][A-Z]|\w\.\w")


def wrong_words(
    dialogue: Dialogue, chain: Chain, contexts: Sequence[Context], apis: Mapping[str, Api]
) -> Iterator[Flaw]:
    """Every flaw of what is said."""
    reader, turns = _Reader(chain, apis), dialogue.turns
    for place, (turn, context) in enumerate(zip(turns, contexts, strict=True)):
        if turn.role == "user":
            yield from (Flaw("carried", place, what) for what in reader.hear(turn, context))
        elif turn.text is None:
            reader.learn(turn)
        else:
            if turn.action == "request" and place + 1 < len(turns):
                after = turns[place + 1]
                informed = after.informed if after.role == "user" else {}
                apart = names_told(after, chain, apis) if after.role == "user" else set[str]()
                asked = [name for name in informed if name not in {*contexts[place + 1].picks, *apart}]
                wrong = reader.ask(turn.text, context, asked, contexts[place + 1].picks)
                yield from (Flaw("carried", place, what) for what in wrong)
            yield from (Flaw("supported", place, what) for what in reader.weigh(turn, turn.text))
            yield from (Flaw("wording", place, what) for what in reader.technical(turn.text))
        for left in _BRACES.findall(turn.text or ""):
            yield Flaw("wording", place, f"{left} is left in the words")


class _Reader:
    """Reads turn by turn. `said` is what users said, `results` what calls returned, `heard` what agents said."""

    def __init__(self, chain: Chain, apis: Mapping[str, Api]):
        self.chain, self.apis = chain, apis
        self.pair = [apis[name] for name in (chain.target, chain.source) if name in apis]
        names = [chain.target, chain.source, *(name for api in self.pair for name in api.parameters)]
        parts = (part for name in names for part in (name, *name.split("|")))
        self.names = [part for part in dict.fromkeys(parts) if _TECHNICAL.search(part)]
        self.things = _things(" ".join(split_name(name) for name in (chain.target, chain.source, chain.output)))
        self.said: list[Evidence] = []
        self.heard: list[Evidence] = []
        self.results: list[Evidence] = []

    def labels(self) -> list[str]:
        """The words of documents, squashed."""
        return [_labels(Same(api)) for api in self.pair]

    def hear(self, turn: UserTurn, context: Context) -> Iterator[str]:
        """What is wrong with a user's words."""
        api = self.apis.get(context.api or self.chain.target)
        slots = {name: one for other in self.pair for name, one in other.parameters.items()}
        slots |= api.parameters if api else {}
        for name, value in turn.informed.items():
            if not says_value(turn.text, value, slots.get(name), name):
                yield f"the user's words do not say {name}, {shown(value)}"
        known = [Evidence(dict(turn.informed), _date(turn.informed)), *self.heard, *self.said]
        if strange := [*unsupported_claims(turn.text, known, self.labels)]:
            informed = turn.informed.items()
            read = Evidence(
                *(one for name, value in informed for one in wordings(turn.text, value, slots.get(name), name))
            )
            for claim in strange:
                if not read.has(claim):
                    yield f"the user says {claim!r}, and informs of no such value"
        self.said.append(Evidence(turn.text, dict(turn.informed)))

    def learn(self, turn: AgentTurn) -> None:
        """Take in what a call returned."""
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call" and result is not None:
                self.results.append(Evidence(result.value))

    def ask(self, text: str, context: Context, told: Sequence[str], picks: Mapping[str, JsonValue]) -> Iterator[str]:
        """What is wrong with a request, which a user answers with what is `told` and what `picks` say.

        What a source may find is asked for by words for the thing, too: which film is it?
        """
        api = self.apis.get(context.api)
        slots = api.parameters if api else {}
        wanted = dict.fromkeys((*context.lacking, *told))
        if context.choosing:
            wanted = {name: None for name in wanted if name not in self.chain.handed}
            yield from self._wrong_offer(text, context, picks)
        elif not wanted:
            yield "the agent asks, and nothing is lacking"
        for name in wanted:
            thing = name in self.chain.handed and not self.things.isdisjoint(_things(text))
            if not thing and not asks_for(text, name, slots.get(name)):
                yield f"the agent does not ask for {name}"

    def _wrong_offer(self, text: str, context: Context, picks: Mapping[str, JsonValue]) -> Iterator[str]:
        for name, pick in picks.items():
            values = distinct_values(context.found, self.chain.handed.get(name, name))
            offered = [value for value in values if says_value(text, value)]
            if len(offered) < 2:
                yield f"the agent offers {len(offered)} of the {len(values)} values of {name} to choose from"
            elif not any(alike(value, pick) for value in offered):
                yield f"the user chooses {shown(pick)}, and that is not offered"
        if not picks:
            yield "there are several results, and the user chooses none"

    def weigh(self, turn: AgentTurn, text: str) -> Iterator[str]:
        """What an agent says that nothing supports."""
        for claim in unsupported_claims(text, [*self.said, *self.results], self.labels):
            yield f"nothing so far says {claim!r}"
        self.heard.append(Evidence(text))
        if turn.action == "response" and self.results:
            values = self.results[-1].leaves
            verbatim = any(stands_in(text, str(value)) for value in values)
            if values and not verbatim and not any(tells_value(text, value, self.pair) for value in values):
                yield "the response says nothing of what the call returned"

    def technical(self, text: str) -> Iterator[str]:
        """Names that only documents have."""
        for name in self.names:
            if stands_in(text, name) and not any(stands_in(ground.letters, name.casefold()) for ground in self.results):
                yield f"{name!r} is a name in documents"
