"""What happens in a conversation before anybody says it: arguments, executed calls, the choice, the answer.

Contract: everything is executed in the world `documented`. What the source returns is what the target gets: the same
value. Of each side the required parameters are told and one optional one, if it has any that users know. A function of
the job and the seed; `Dropped` says why it did not come about.

Example:
    >>> import pathlib, tempfile
    >>> from collections import Counter
    >>> from toologue.plan.chains.pairs import alone
    >>> from toologue.schema import Api, Parameter
    >>> from toologue.schema.jsonl import write
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "apis.jsonl"
    >>> weather = {"type": "object", "properties": {"summary": {"type": "string"}}}
    >>> text = {"type": "string"}
    >>> _ = write(file, [Api(name="Weather", parameters={"city": Parameter(schema=text)}, returns=weather)])
    >>> (pair,) = alone(Shelf(file), Counter())
    >>> happened = Stage(Shelf(file), seed=0).play(pair, 1)
    >>> list(happened.target.arguments), list(happened.answer)
    (['city'], ['summary'])

Not covered: calls that fail, and results that are empty; such pairs are dropped.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from pydantic import JsonValue

from toologue import keys
from toologue.apis.co_parameters import beside
from toologue.apis.result_values import Single, choices, sayable, values_of
from toologue.apis.salience import (
    MEETINGS,
    SOUGHT,
    asked_of,
    family_of,
    givable,
    named_thing,
    names_itself,
    topic_words,
)
from toologue.errors import UserError
from toologue.plan.chains.answering import answer
from toologue.plan.chains.api_view import alike, choosing, optional, own_name, pointing, required, telling, whose
from toologue.plan.chains.catalog import Book, Shelf
from toologue.plan.chains.consistency import agreed, disagrees, speaks_of_another
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.reasons import Reason
from toologue.plan.chains.sequences import Fit
from toologue.schema import Call, Result
from toologue.text.tokens import singular, split_name
from toologue.worlds.documented import (
    Documented,
    arguments_for,
    is_word,
    kind_about,
    kind_named,
    kind_of,
    kind_sought,
    sought_by,
)
from toologue.worlds.documented.default_arguments import settled

_KEPT = 160
_NOTHING: Mapping[str, str] = {}
_OWN = "own"
"""What the name of the whole is called, beside the kinds of names."""
_SPELT = 4
"""So many letters a place has that is spelt out."""


class Dropped(Exception):
    """This did not come about; `reason` is one of `REASONS`."""

    def __init__(self, reason: Reason):
        super().__init__(reason)
        self.reason: Reason = reason


class Made(NamedTuple):
    """A call and its result; the arguments are those that the documentation does not settle."""

    book: Book
    arguments: Mapping[str, JsonValue]
    result: Result


class Choice(NamedTuple):
    """Several results: the output to choose by, its values, and the one that the user chooses."""

    output: str
    values: list[JsonValue]
    chosen: JsonValue


class Happened(NamedTuple):
    """Both calls, what was chosen between them, and what the last one gave back that is worth saying."""

    target: Made
    source: Made | None
    choice: Choice | None
    answer: Mapping[str, JsonValue]


class Stage:
    """Where pairs happen: documents, and a world of them (by default of this seed). What it remembers is a cache."""

    def __init__(self, shelf: Shelf, *, seed: int, world: Documented | None = None):
        self.shelf, self.seed = shelf, seed
        self._whole = world
        self._world = lru_cache(maxsize=_KEPT)(self._alone)
        self._role = lru_cache(maxsize=_KEPT)(self._cast)
        self._choosing = lru_cache(maxsize=_KEPT)(self._choose)

    def play(self, pair: Pair, seed: int) -> Happened:
        """What happens with a pair. Raises Dropped."""
        rng = random.Random(keys.seed_of(seed, "play"))
        known, source, choice = dict[str, JsonValue](), None, None
        if pair.source is not None:
            source, known, choice = self._found_out(pair, pair.source, rng)
        role = self._role(pair.target, tuple(pair.handed), "multi")
        target = role.call(known, rng, _kinds(source) if source else {})
        if target.result.error:
            raise Dropped("the target answers with an error")
        found = values_of(target.result.value, rows=1)
        placed = named_thing(target.book.inputs[pair.parameter]).startswith("place.l")
        if _clashing(source, choice, target, found, placed=placed):
            raise Dropped("results disagree")
        given, chosen = _families(target), ""
        if source:
            given |= _families(source)
            if not source.arguments and choice is None:  # any one will do: its name is no news
                given.add(kind_of((f"{pair.parameter[:-2]} name",)).partition(".")[0])
            if choice:
                chosen = family_of(named_thing(source.book.outputs[choice.output]))
            found = agreed(found, _beside(source, pair.output or "", known[pair.parameter]))
        outputs, said = target.book.outputs, _told(target)
        told = answer(found, outputs, role.worth, said=said, given=given - {""}, chosen=chosen, rng=rng)
        if not told:
            raise Dropped("nothing to answer with")
        return Happened(target, source, choice, told)

    def _found_out(self, pair: Pair, name: str, rng: random.Random) -> tuple[Made, dict[str, JsonValue], Choice | None]:
        """The source's call, the values that it hands over, and what these were chosen among. Raises Dropped."""
        source = self._role(name, (), pair.fit).call({}, rng)
        if source.result.error:
            raise Dropped("the source answers with an error")
        output = pair.output or ""
        others = self._choosing(name, output) if pair.fit == "multi" else ()
        value, choice = _handed_over(source.result.value, output, others, rng)
        if str(value).casefold() in _told(source):
            raise Dropped("no value to hand over")
        if choice and _narrowed(source, choice.output):
            raise Dropped("no choice")
        if _missed(source, choice):
            raise Dropped("no choice" if choice else "results disagree")
        more = {one: beside(source.result.value, other, output, value) for one, other in pair.along}
        if not all(map(sayable, more.values())):
            raise Dropped("no value to hand over")
        return source, {pair.parameter: value, **more}, choice

    def _alone(self, name: str) -> Documented:
        return self._whole or Documented([self.shelf.api(name)], seed=self.seed)

    def _cast(self, name: str, handed: tuple[str, ...], fit: Fit) -> _Role:
        book = self.shelf.book(name)
        always = [*required(book), *(one for one in handed if not book.inputs[one].required)]
        worth = telling(book)
        apart = handed or required(book)
        sometimes = pointing(book, but=apart) if fit == "single" else optional(book, but=apart)
        return _Role(book, always, sometimes, self._world(name), worth)

    def _choose(self, name: str, output: str) -> tuple[str, ...]:
        return tuple(choosing(self.shelf.book(name), but=output))


class _Role(NamedTuple):
    """An API in a pair: what its calls need, what they may have, who answers them, which outputs make an answer."""

    book: Book
    always: list[str]
    sometimes: list[str]
    world: Documented
    worth: Mapping[str, int]

    def family(self, name: str) -> str:
        """What kind of thing a parameter is about, what is searched for included."""
        return asked_of(self.book.inputs[name], self.book.api)

    def call(self, known: Mapping[str, JsonValue], rng: random.Random, told: Mapping[str, str] = _NOTHING) -> Made:
        """A call of it, with one of its optional parameters, but none that asks for what was told already.

        `told` are names of parameters, each with the kind of thing that it is about.

        Raises Dropped for values that nobody would say.
        """
        about = {self.family(name) for name in self.always} - {""}
        kinds = {*told.values()} - {""}
        more = [name for name in self.sometimes if not any(alike(name, other) for other in told)]
        more = [name for name in more if self.family(name) not in kinds]
        apart = [name for name in more if self.family(name) not in about]
        if more and not apart and len(self.always) < 2:
            raise Dropped("asks twice")
        wanted = [*self.always, *([rng.choice(apart)] if apart else [])]
        if any(alike(name, other) for name in wanted if name not in known for other in told):
            raise Dropped("asks twice")
        if self.sometimes and known and known.keys() >= set(wanted):
            raise Dropped("asks twice")
        try:
            documented = settled(self.book.api)
            given = arguments_for(self.book.api, rng.getrandbits(48), known={**documented, **known}, optional=wanted)
        except UserError:
            raise Dropped("cannot be said") from None
        arguments: dict[str, JsonValue] = {name: given[name] for name in wanted}
        texts = [(self.family(name), str(value).casefold()) for name, value in arguments.items()]
        if len(set(texts)) < len(texts):  # from Oslo to Oslo
            raise Dropped("asks twice")
        api = self.book.api.name.rpartition("|")[2]
        coded = (name for name in known if "place.code" in (kind_of((name,)), kind_about(name, api)))
        if not all(str(arguments[name]).isalpha() for name in coded):
            raise Dropped("no value to hand over")
        said = (sayable(value) and (name in known or self._givable(name, value)) for name, value in arguments.items())
        if not all(said):
            raise Dropped("cannot be said")
        whole = {**documented, **arguments}
        return Made(self.book, arguments, self.world.do(Call(api=self.book.api.name, arguments=whole)))

    def _givable(self, name: str, value: JsonValue) -> bool:
        """Whether somebody would give this value: no number for what has a name, no scrap of a word to search for."""
        kind = named_thing(self.book.inputs[name])
        if kind in SOUGHT and isinstance(value, str) and value not in sought_by(self.book.api):
            return givable(value) and all(is_word(word.split("'")[0]) for word in value.lower().split())
        if kind.startswith("place.") and str(value).islower() and len(str(value)) < _SPELT:
            return False
        numbered = isinstance(value, int) or str(value).isdigit()
        return givable(value) and not (numbered and kind_named(singular(split_name(name).split()[-1])))


def _clashing(
    source: Made | None, choice: Choice | None, target: Made, found: Sequence[Single], *, placed: bool
) -> bool:
    """Whether a result says something else than what was asked, than what was chosen, or than the other one.

    What is near a place that was looked up (`placed`) has an address of its own.
    """
    told: dict[str, JsonValue] = {}
    if source is not None:
        if disagrees(source.arguments, values_of(source.result.value, rows=1)):
            return True
        kinds = {name: family_of(named_thing(source.book.inputs[name])) for name in source.arguments}
        aside = ("when", "address") if placed else ("when",)
        told |= {name: value for name, value in source.arguments.items() if kinds[name] not in aside}
    told |= target.arguments
    if choice is not None:
        told[" ".join(choice.output.split("|")[-2:])] = choice.chosen
    if disagrees(told, found):
        return True
    if source is None:
        return False
    single = [one for one in found if not one.place]
    singles = [(named_thing(target.book.outputs[one.name]), one.value) for one in single]
    singles += [(_OWN, one.value) for one in single if own_name(one.name)]
    return speaks_of_another(_named(source, choice), singles, meeting=bool(MEETINGS & topic_words(target.book.api)))


def _named(source: Made, choice: Choice | None) -> dict[str, str]:
    """What the thing that was looked up is called, by the kind of name: as it was searched for, as it was chosen."""
    inputs, api = source.book.inputs, source.book.api
    kinds = {name: named_thing(inputs[name]) for name in source.arguments}
    said = {kind_sought(api) if kind in SOUGHT else kind: source.arguments[name] for name, kind in kinds.items()}
    if choice is not None:
        said[named_thing(source.book.outputs[choice.output])] = choice.chosen
        if own_name(choice.output.rpartition("|")[2]):
            said[_OWN] = choice.chosen
    elif not source.arguments:
        said.update((_OWN, one.value) for one in values_of(source.result.value, rows=1) if own_name(one.name))
    return {kind: str(value).casefold() for kind, value in said.items() if kind and str(value)[:1].isupper()}


def _beside(source: Made, output: str, handed: JsonValue) -> list[Single]:
    """What the source says of the thing whose id, or code, it handed over; nothing where it is of another thing."""
    owner = whose(output.rpartition("|")[2])
    if owner and singular(owner[-1]) not in topic_words(source.book.api):
        return []
    every = values_of(source.result.value)
    place = next((one.place for one in every if one.name == output and one.value == handed), None)
    return [one for one in every if one.place == place]


def _handed_over(
    result: JsonValue, output: str, others: Sequence[str], rng: random.Random
) -> tuple[JsonValue, Choice | None]:
    """The value that the target gets, and what was chosen among, if there was a choice."""
    if others:
        found = choices(result, output, others)
        if found is None:
            raise Dropped("no choice")
        name, rows = found
        shown, value = rng.choice(rows)
        return value, Choice(name, [one for one, _ in rows], shown)
    value, *more = [*dict.fromkeys(one.value for one in values_of(result) if one.name == output)] or [None]
    if not sayable(value):
        raise Dropped("no value to hand over")
    if more:
        raise Dropped("no choice")
    return value, None


def _told(made: Made) -> Set[str]:
    """The values that the user gave for a call, in small letters."""
    return {str(value).casefold() for value in made.arguments.values()}


def _narrowed(source: Made, output: str) -> bool:
    """Whether the user has said already what there is to choose by, or a part of it: the city of a country."""
    return family_of(named_thing(source.book.outputs[output])) in _families(source) - {""}


def _missed(source: Made, choice: Choice | None) -> bool:
    """Whether the user searched for a thing by its name, and there is none of that name (to choose)."""
    every = values_of(source.result.value)
    kinds = {name: named_thing(source.book.inputs[name]) for name in source.arguments}
    sought = [str(value) for name, value in source.arguments.items() if kinds[name] in SOUGHT or names_itself(name)]
    shown = choice.values if choice and not any(map(names_itself, kinds)) else [one.value for one in every]
    there = " ".join(map(str, shown)).casefold()
    return any(one[:1].isupper() and one.casefold() not in there for one in sought)


def _families(made: Made) -> set[str]:
    """What kinds of things the user gave; of what was searched for, the kind that the Api finds."""
    return {*_kinds(made).values()}


def _kinds(made: Made) -> dict[str, str]:
    """What kind of thing each argument is about."""
    return {name: asked_of(made.book.inputs[name], made.book.api) for name in made.arguments}
