"""The calls of a pair, executed before anybody says a word: arguments, results, the choice, the answer.

Everything is executed in the world `documented`; what the source returns is what the target gets. Of each side the
required parameters are told, and one optional one, if it has any that users know.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Literal, NamedTuple

from pydantic import JsonValue

from toologue import keys
from toologue.apis import salience
from toologue.apis.entities import Entity
from toologue.apis.result_values import Single, beside, choices, sayable, values_of
from toologue.errors import UserError
from toologue.plan.chains.agreeing import Choice, ExecutedCall, is_documented, results_disagree
from toologue.plan.chains.catalog import (
    LESSER,
    WORTH,
    ApiView,
    Catalog,
    Reason,
    alike,
    choosing,
    family,
    normal,
    optional,
    pointing,
    required,
    telling,
    whose,
)
from toologue.plan.chains.consistency import without_contradictions
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.sequences import Fit
from toologue.plan.chains.uses import NO_USES, Uses
from toologue.schema import Call, Example
from toologue.schema.use import SAID
from toologue.text.tokens import is_word, singular, split_name
from toologue.values.compare import same
from toologue.worlds.documented import (
    Documented,
    arguments_for,
    kind_about,
    kind_named,
    kind_of,
    kind_wraps,
    sought_by,
)
from toologue.worlds.documented.arguments import settled, shows, shows_each
from toologue.worlds.documented.leaves import examples_of
from toologue.worlds.documented.row import moment_form

_TOLD = 4  # so many values of an example make an answer
_ANSWERED = 2  # so many values of a result make an answer, beside what names them
_KEPT = 40  # worlds and roles that are remembered
_SHOWN = 0.7  # so often a call is made as documentation shows it

# Places that people call by their names.
_SPELT_OUT = ("place.city", "place.country", "place.code", "place.code3", "place.region", "place.region_code")
_SIDES = (("home", "away"), ("Home", "Away"), ("home", "visitor"), ("team1", "team2"), ("team_1", "team_2"))


class Rejected(Exception):
    """A pair came to nothing: `reason` is counted, the detail is for whoever reads the message."""

    def __init__(self, reason: Reason, detail: str = ""):
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason: Reason = reason


class Execution(NamedTuple):
    """Both calls, what was chosen between them, what the last one gave back that is worth saying; of the arguments,
    those that first messages of an example give, each alone."""

    target: ExecutedCall
    source: ExecutedCall | None
    choice: Choice | None
    answer: Mapping[str, JsonValue]
    volunteered: Sequence[str] = ()


class _Heard(NamedTuple):
    """What users need not be told: what they gave, as texts and as kinds; the kind of thing that they chose by.

    `words`: those of what they ask for. `documented`: the result is what documentation shows, true in all that it says.
    """

    texts: Set[str]
    kinds: Set[str]
    chosen: str
    words: Set[str]
    documented: bool = False

    def least(self, output: Entity) -> int:
        """How much a value tells at least, to be worth an answer: less where it is known what it is, or shown."""
        return LESSER if self.documented or salience.named_thing(output) else WORTH


class PairExecutor:
    """Executes pairs in a world of a catalog's documents (by default of this seed). What it remembers is a cache.

    Of a pair with examples (`uses`, which the world answers by) these are executed.
    """

    def __init__(self, catalog: Catalog, *, seed: int, world: Documented | None = None, uses: Uses = NO_USES):
        self.catalog, self.seed, self._uses = catalog, seed, uses
        self._whole = world
        self._world = lru_cache(maxsize=_KEPT)(self._world_of)
        self._role = lru_cache(maxsize=_KEPT)(self._role_of)
        self._choosing = lru_cache(maxsize=_KEPT)(self._choosing_of)

    def run(self, pair: Pair, seed: int) -> Execution:
        """Execute a pair: a function of the pair and the seed. Raises Rejected."""
        rng = random.Random(keys.seed_of(seed, "play"))
        if (use := self._uses.get(pair.about)) and use.examples:
            return self.relive(pair, use.tells, rng.choice(use.examples))
        known, source, choice = dict[str, JsonValue](), None, None
        if pair.source is not None:
            source, known, choice = self._run_source(pair, pair.source, rng)
        asked = source.kinds if source else {}
        role = self._role(pair.target, tuple(pair.handed), "multi", pair.source)
        target = role.call(known, rng, asked)
        if target.result.error:
            raise Rejected("the target answers with an error", target.result.error.message)
        values = values_of(target.result.value, rows=1)
        placed = salience.named_thing(target.view.inputs[pair.parameter]).startswith("place.l")
        if results_disagree(source, choice, target, values, placed=placed):
            raise Rejected("results disagree")
        kinds, chosen = {*target.kinds.values(), *asked.values()}, ""
        if source:
            if not source.arguments and choice is None:  # any one will do: its name is no news
                kinds.add(kind_of((f"{pair.parameter[:-2]} name",)).partition(".")[0])
            if choice:
                chosen = family(source.view.outputs[choice.output])
            values = without_contradictions(values, _values_beside(source, pair.output or "", known[pair.parameter]))
        named = split_name(pair.target.rpartition("|")[2]).split()
        documented = is_documented(target)
        heard = _Heard(target.texts, frozenset() if documented else kinds - {""}, chosen, {*named}, documented)
        more = {one.name: one.value for one in values_of(target.result.value, rows=2) if any(one.place)}
        told = _answer([one for one in values if _holds(one, target)], target.view, role.worth, heard, more, rng)
        if not told:
            raise Rejected("nothing to answer with")
        found = [" ".join(str(one.value) for one in values)] if documented else _own_names(target)
        if not _is_found(target, found):
            raise Rejected("results disagree", "there is something of another name")
        return Execution(target, source, choice, told)

    def relive(self, pair: Pair, tells: Iterable[str], example: Example) -> Execution:
        """Execute a pair as an example has it; the answer is the best of what `tells`. Raises Rejected."""
        source, choice = None, None
        if pair.source is not None:
            source = self._told(pair.source, example.source_arguments, example.source_result)
            choice = self._choice(pair, source.result.value, example)
            _check_along(pair, source.result.value, example.arguments)
        target = self._told(pair.target, example.arguments, example.result)
        found = {one.name: one.value for one in reversed(values_of(target.result.value, rows=1))}
        given = target.texts.union(source.texts if source else ())
        worth = [name for name in tells if sayable(found.get(name)) and str(found[name]).casefold() not in given]
        told = [name for name in worth if _beside(name, worth[0])][:_TOLD]
        if not told:
            raise Rejected("nothing to answer with", "no value of what tells something stands in the result")
        volunteered = [name for name in target.arguments if name in example.openings]
        return Execution(target, source, choice, {name: found[name] for name in told}, volunteered)

    def _told(self, name: str, arguments: Mapping[str, JsonValue], result: JsonValue) -> ExecutedCall:
        api = self.catalog.api(name)
        documented = settled(api)
        done = self._world(name).do(Call(api=name, arguments={**documented, **arguments}))
        if done.error:
            raise Rejected("cannot be said", done.error.message)
        if not _agree(done.value, result):
            raise Rejected("results disagree", f"an earlier example answers the same call of {name} otherwise")
        told = {name: value for name, value in arguments.items() if documented.get(name) != value}
        if unsaid := [one for one, value in told.items() if not sayable(value)]:
            raise Rejected("cannot be said", unsaid[0])
        return ExecutedCall(self.catalog.view(name), told, done)

    def _choice(self, pair: Pair, result: JsonValue, example: Example) -> Choice | None:
        """Which of the rows the value that is handed over stands in, where there are several; by what they are called
        there, as far as the example says."""
        output, view = pair.output or "", self.catalog.view(pair.source or "")
        handed, said = str(example.arguments.get(pair.parameter)), example.choice.assistant if example.choice else ""
        there = [*dict.fromkeys(one.value for one in values_of(result) if one.name == output)]
        if handed not in map(str, there) or not sayable(handed):
            raise Rejected("no value to hand over", f"{handed} is none of {there}")
        if len(there) == 1:
            return None
        names = [name for name, one in view.outputs.items() if one.type == "string" and name != output]
        others = dict.fromkeys((*self._choosing(pair.source or "", output), *(names if said else ())))
        found = [one for name in others if (one := choices(result, output, [name]))]
        name, rows = max(found, key=lambda one: sum(str(value) in said for value, _ in one[1])) if found else ("", [])
        shown = next((one for one, value in rows if str(value) == handed), None)
        if shown is None:
            where = f"beside or around {output!r}: {handed} needs one that {there} do not share"
            raise Rejected("no choice", f"no name stands {where}")
        return Choice(name, [one for one, _ in rows], shown)

    def _run_source(
        self, pair: Pair, name: str, rng: random.Random
    ) -> tuple[ExecutedCall, dict[str, JsonValue], Choice | None]:
        source = self._role(name, (), "name" if pair.mind == "name" else pair.fit).call({}, rng, None)
        if source.result.error:
            raise Rejected("the source answers with an error", source.result.error.message)
        output = pair.output or ""
        others = self._choosing(name, output) if pair.fit == "multi" else ()
        value, choice = _pick_value(source.result.value, output, others, rng)
        if str(value).casefold() in source.texts:
            raise Rejected("no value to hand over", "the user gave it")
        if choice and family(source.view.outputs[choice.output]) in {*source.kinds.values()} - {""}:
            raise Rejected("no choice", "the user said already what there is to choose by, or a part of it")
        if not _is_found(source, choice.values if choice else _own_names(source, output)):
            raise Rejected("no choice" if choice else "results disagree", "there is something of another name")
        more = {one: beside(source.result.value, other, output, value) for one, other in pair.along}
        if not all(map(sayable, more.values())):
            raise Rejected("no value to hand over", "what stands beside it cannot be said")
        return source, {pair.parameter: value, **more}, choice

    def _world_of(self, name: str) -> Documented:
        return self._whole or Documented([self.catalog.api(name)], seed=self.seed, uses=self._uses.values())

    def _role_of(
        self, name: str, handed: tuple[str, ...], fit: Fit | Literal["name"], source: str | None = None
    ) -> _Role:
        view = self.catalog.view(name)
        worth = telling(view, self.catalog.view(source) if source else None)
        always = [*required(view), *(one for one in handed if not view.inputs[one].required)]
        apart = handed or required(view)
        sometimes = optional(view, but=apart) if fit == "multi" else pointing(view, but=apart)
        if fit == "name" and apart:  # who says what a thing is called says no more
            sometimes = []
        return _Role(view, always, sometimes, self._world(name), worth)

    def _choosing_of(self, name: str, output: str) -> tuple[str, ...]:
        return tuple(choosing(self.catalog.view(name), but=output))


class _Role(NamedTuple):
    """An API in a pair: what its calls need, what they may have, who answers them, which outputs make an answer."""

    view: ApiView
    always: list[str]
    sometimes: list[str]
    world: Documented
    worth: Mapping[str, int]

    def call(self, known: Mapping[str, JsonValue], rng: random.Random, told: Mapping[str, str] | None) -> ExecutedCall:
        """A call of it with some values `known`. `told`: the parameters asked for before, each with its kind of thing.

        Only where that is given (and not for a source) the call may be the documented one. Raises Rejected for values
        that nobody would say, and for asking twice.
        """
        api = self.view.api
        shown = told is not None and not known and shows_each(api, self.always)
        shown = shown and (rng.random() < _SHOWN or not self.certain)
        wanted, documented = self._wanted(known, rng, told or {}, shown=shown), settled(api)
        try:
            given = arguments_for(
                api, rng.getrandbits(48), known={**documented, **known}, optional=wanted, as_documented=shown
            )
        except UserError as error:
            raise Rejected("cannot be said", str(error)) from None
        arguments = {name: given[name] if name in known else _as_said(given[name]) for name in wanted}
        self._check(arguments, known, shown=shown)
        whole = {**documented, **arguments}
        return ExecutedCall(self.view, arguments, self.world.do(Call(api=api.name, arguments=whole)))

    @property
    def certain(self) -> bool:
        """Whether an answer can be made up."""
        return any(much >= WORTH and name in self.view.certain for name, much in self.worth.items())

    def _wanted(
        self, known: Mapping[str, JsonValue], rng: random.Random, told: Mapping[str, str], *, shown: bool
    ) -> list[str]:
        about = {self._kind(name) for name in self.always} - {""}
        kinds = {*told.values()} - {""}
        more = [name for name in self.sometimes if not any(alike(name, other) for other in told)]
        more = [name for name in more if self._kind(name) not in kinds]
        apart = [name for name in more if self._kind(name) not in about]
        apart = [name for name in apart if shown and shows_each(self.view.api, [name])] or apart
        if more and not apart and len(self.always) < 2:
            raise Rejected("asks twice", "what is optional is of the same kind as what is required")
        wanted = [*self.always, *([rng.choice(apart)] if apart else [])]
        if any(alike(name, other) for name in wanted if name not in known for other in told):
            raise Rejected("asks twice", "the source asked for it")
        if self.sometimes and known and known.keys() >= set(wanted):
            raise Rejected("asks twice", "all that is optional was told already")
        return wanted

    def _check(self, arguments: Mapping[str, JsonValue], known: Mapping[str, JsonValue], *, shown: bool) -> None:
        texts = [(self._kind(name), str(value).casefold()) for name, value in arguments.items()]
        if len(set(texts)) < len(texts):
            raise Rejected("asks twice", "two arguments are the same, as from Oslo to Oslo")
        api = self.view.api.name.rpartition("|")[2]
        coded = (name for name in known if "place.code" in (kind_of((name,)), kind_about(name, api)))
        if not all(str(arguments[name]).isalpha() for name in coded):
            raise Rejected("no value to hand over", "the code of a place has letters only")
        for name, value in arguments.items():
            if not sayable(value) or (name not in known and not self._is_givable(name, value, shown=shown)):
                raise Rejected("cannot be said", name)

    def _kind(self, name: str) -> str:
        return salience.asked_of(self.view.inputs[name], self.view.api)

    def _is_givable(self, name: str, value: JsonValue, *, shown: bool) -> bool:
        """Whether somebody would give this value: no number for what has a name, no code of a place, no scrap."""
        kind = salience.named_thing(self.view.inputs[name])
        schema = self.view.inputs[name].schema
        if normal(str(value)) == normal(name):
            return False
        if kind == "place.region" and value not in examples_of(schema):  # a region of a game, perhaps
            return False
        if kind in _SPELT_OUT and salience.codes_a_place(value) and SAID not in schema:
            return False
        if kind in ("", "categories", "types") and str(value).islower() and not all(map(is_word, _letters(value))):
            return False
        if shown and isinstance(value, str) and not value.isdigit():
            return salience.givable(value)
        if kind in salience.SOUGHT and isinstance(value, str) and value not in sought_by(self.view.api):
            return salience.givable(value) and all(is_word(word.split("'")[0]) for word in value.lower().split())
        if kind.startswith("place.") and str(value).islower() and salience.codes_a_place(value):
            return False
        numbered = isinstance(value, int) or str(value).isdigit()
        return salience.givable(value) and not (numbered and kind_named(singular(split_name(name).split()[-1])))


def _letters(value: JsonValue) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", str(value))


def _check_along(pair: Pair, found: JsonValue, given: Mapping[str, JsonValue]) -> None:
    """Raises Rejected where what is handed over beside is not what stands there."""
    every, handed = values_of(found), str(given.get(pair.parameter))
    value = next((one.value for one in every if one.name == pair.output and str(one.value) == handed), None)
    for name, output in pair.along:
        there = beside(found, output, pair.output or "", value)
        if name in given and str(there) != str(given[name]):
            where = f"in its row, or around it, stands {there!r} as {output!r}"
            raise Rejected("no value to hand over", f"{name} is {given[name]!r}, and {where}")


def _agree(one: JsonValue, other: JsonValue) -> bool:
    """Whether two results say the same, as far as both say something."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_agree(one[name], other[name]) for name in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agree, one, other))
    return same(one, other)


def _beside(name: str, other: str) -> bool:
    """Whether two outputs stand in one row, or one of them around it."""
    one, two = sorted((f"{path.rpartition('|')[0]}|" for path in (name, other)), key=len)
    return one == "|" or two.startswith(one)


def _as_said(value: JsonValue) -> JsonValue:
    """A value as people give it: nobody says 13.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _answer(
    found: Sequence[Single], view: ApiView, worth: Mapping[str, int], heard: _Heard,
    more: Mapping[str, JsonValue], rng: random.Random,
) -> dict[str, JsonValue]:  # fmt: skip
    """What tells most of one row; of several with their name, news or not, and what they differ in from `more`."""
    groups: dict[str, dict[str, JsonValue]] = {}
    names: dict[str, str] = {}
    for one in found:
        output, row = view.outputs[one.name], one.name.rpartition("|")[0]
        if one.bare or not (sayable(one.value) and salience.tellable(one.value)):
            continue
        named = one.name in worth and output.many and one.name in view.row_names
        day = slice(10) if names.get(row) and salience.dates_rows(output) else slice(None)
        alike = one.name in more and str(more[one.name])[day] == str(one.value)[day]
        news = not alike and one.name in worth and _is_news(one, output, heard)
        first = names.get(row, "")
        if named and (worth[one.name], _is_name(one.name)) > (worth.get(first, 0), _is_name(first)):
            names[row] = one.name
        said = str(one.value).casefold()
        given = said in heard.texts or (len(said) > salience.LONGEST_CODE and any(said in text for text in heard.texts))
        if (news and not given) or names.get(row) == one.name:
            groups.setdefault(row, {}).setdefault(one.name, one.value)
    best_of = (_best(values, view.outputs, worth, names.get(row, ""), heard, rng) for row, values in groups.items())
    best = max([_opponents(groups), *best_of], key=lambda values: _weight(values, worth))
    news = [worth[name] for name in best if str(best[name]).casefold() not in heard.texts]
    enough = any(much >= WORTH for much in news) or len(news) > 1
    return best if enough else {}


def _is_name(output: str) -> bool:
    return split_name(output)[-4:] == "name"


def _holds(one: Single, call: ExecutedCall) -> bool:
    """Whether a value can be told: as documentation shows it, of a certain kind, or by the words that were searched."""
    output, api = call.view.outputs[one.name], call.view.api
    whole = {**settled(api), **call.arguments}
    if one.name in call.view.certain or (one.value in examples_of(output.schema) and shows(api, whole)):
        return True
    sought = (str(call.arguments[name]) for name, kind in call.kinds.items() if kind in ("topics", "titles"))
    return any(text.casefold() in str(one.value).casefold() for text in sought)


def _weight(values: Mapping[str, JsonValue], worth: Mapping[str, int]) -> int:
    """How much some values of one row tell; one less for each thing that they only stand inside of."""
    inside = (len([part for part in name.split("|")[:-1] if not kind_wraps(part)]) for name in values)
    return sum(worth[name] for name in values) - min(inside, default=0)


def _is_news(one: Single, output: Entity, heard: _Heard) -> bool:
    kind, words = family(output), {*re.findall(r"[a-z]{2,}", str(one.value).lower())}
    if words and words <= heard.words:
        return False
    if kind in heard.kinds or (output.many and not salience.short(one.value)):
        return False
    if kind and kind == heard.chosen and not output.many:
        return False
    return salience.tellable(one.value, salience.named_thing(output)) and salience.named_well(one.name, one.value)


def _opponents(groups: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    names = {name: value for values in groups.values() for name, value in values.items()}
    for home, value in names.items():
        others = (home.replace(here, there) for here, there in _SIDES if here in home)
        away = next((other for other in others if other in names), "")
        if away and names[away] != value and (salience.names_itself(home) or home.lower().endswith("team")):
            return {home: value, away: names[away]}
    return {}


def _best(
    values: Mapping[str, JsonValue],
    outputs: Mapping[str, Entity],
    worth: Mapping[str, int],
    named: str,
    heard: _Heard,
    rng: random.Random,
) -> dict[str, JsonValue]:
    """Those of a row that tell most, no two with one value, in their order; nothing where rows would have no name."""
    order = sorted(values, key=lambda name: (-worth[name], not salience.short(values[name]), rng.random()))
    dated = next((name for name in values if outputs[name].many and salience.dates_rows(outputs[name])), "")
    first = named or (dated if not any(map(salience.names_itself, order[:1])) else "")
    told: dict[str, JsonValue] = {first: values[first]} if first else {}
    for name in order:
        most = _ANSWERED + bool(named or any(map(salience.names_itself, told))) + (dated in told)
        news = values[name] not in told.values() and not any(_are_days(values[name], one) for one in told.values())
        if len(told) < most and (worth[name] >= heard.least(outputs[name]) or not told) and news:
            told[name] = values[name]
    if any(outputs[name].many for name in told) and not first:
        return {}
    if len(told) == 1 and not outputs[(only := next(iter(told)))].many and salience.bare(only):
        return {}
    return {name: told[name] for name in values if name in told}


def _are_days(*values: JsonValue) -> bool:
    """Whether two values are days, one of them without a time of day: one is enough."""
    forms = [moment_form(str(value)) for value in values]
    return all(forms) and not all("%H" in form for form in forms)


def _own_names(call: ExecutedCall, beside: str = "") -> list[JsonValue]:
    """What the things of a result are called, or those in whose rows an output stands."""
    view, row = call.view, beside.rpartition("|")[0]
    rows = {name for name in view.row_names if not beside or name.rpartition("|")[0] == row}
    return [one.value for one in values_of(call.result.value) if one.name in rows]


def _values_beside(source: ExecutedCall, output: str, handed: JsonValue) -> list[Single]:
    """What the source says of the thing whose id, or code, it handed over; nothing where it is of another thing."""
    owner = whose(output.rpartition("|")[2])
    if owner and singular(owner[-1]) not in salience.topic_words(source.view.api):
        return []
    every = values_of(source.result.value)
    place = next((one.place for one in every if one.name == output and one.value == handed), None)
    return [one for one in every if one.place == place]


def _pick_value(
    result: JsonValue, output: str, others: Sequence[str], rng: random.Random
) -> tuple[JsonValue, Choice | None]:
    if others:
        found = choices(result, output, others)
        if found is None:
            raise Rejected("no choice")
        name, rows = found
        shown, value = rng.choice(rows)
        return value, Choice(name, [one for one, _ in rows], shown)
    value, *more = [*dict.fromkeys(one.value for one in values_of(result) if one.name == output)] or [None]
    if not sayable(value):
        raise Rejected("no value to hand over")
    if more:
        raise Rejected("no choice")
    return value, None


def _is_found(call: ExecutedCall, told: Iterable[JsonValue]) -> bool:
    """Whether all that is told of what the user searched for, by a name or by words, has this name, or these words."""
    kinds = call.named_kinds
    of = {salience.named_thing(call.view.outputs[name]) for name in call.view.row_names} - {""}
    by = [name for name, kind in kinds.items() if kind in (*salience.SOUGHT, *of) or salience.names_itself(name)]
    sought = [str(call.arguments[name]).casefold() for name in by]
    return all(text in str(value).casefold() for value in told for text in sought)
