"""Calls that were executed, and whether their results agree with what was asked, and with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from toologue.apis import salience
from toologue.apis.result_values import Single, values_of
from toologue.plan.chains.catalog import ApiView, family, own_name
from toologue.plan.chains.consistency import (
    SPOTS,
    contradicts,
    is_earlier,
    is_elsewhere,
    is_near,
    names_other_entity,
)
from toologue.schema import Result
from toologue.worlds.documented import kind_sought
from toologue.worlds.documented.arguments import settled, shows
from toologue.worlds.documented.leaves import examples_of

OWN = "own"  # what the name of the whole is called, beside the kinds of names


class ExecutedCall(NamedTuple):
    """A call and its result; the arguments are those that the documentation does not settle."""

    view: ApiView
    arguments: Mapping[str, JsonValue]
    result: Result

    @property
    def kinds(self) -> dict[str, str]:
        """What kind of thing each argument is about; of what was searched for, the kind that the Api finds."""
        return {name: salience.asked_of(self.view.inputs[name], self.view.api) for name in self.arguments}

    @property
    def named_kinds(self) -> dict[str, str]:
        """What kind of thing each argument names."""
        return {name: salience.named_thing(self.view.inputs[name]) for name in self.arguments}

    @property
    def texts(self) -> set[str]:
        """The arguments in small letters."""
        return {str(value).casefold() for value in self.arguments.values()}


class Choice(NamedTuple):
    """Several results: the output to choose by, its values, and the one that the user chooses."""

    output: str
    values: list[JsonValue]
    chosen: JsonValue


def results_disagree(
    source: ExecutedCall | None, choice: Choice | None, target: ExecutedCall, found: Sequence[Single], *, placed: bool
) -> bool:
    """Whether a result says something else than what was asked, than what was chosen, or than the other one.

    What is near a place that was looked up (`placed`) has an address of its own.
    """
    told: dict[str, JsonValue] = {}
    if source is not None:
        if contradicts(source.arguments, values_of(source.result.value, rows=1)):
            return True
        kinds = {name: family(source.view.inputs[name]) for name in source.arguments}
        aside = ("when", "address") if placed else ("when",)
        told |= {name: value for name, value in source.arguments.items() if kinds[name] not in aside}
    told |= target.arguments
    if choice is not None:
        told[" ".join(choice.output.split("|")[-2:])] = choice.chosen
    if contradicts(told, found) or (choice is not None and is_earlier(found, str(choice.chosen))):
        return True
    if _is_elsewhere(target) or (source is not None and _is_elsewhere(source)):
        return True
    if source is None:
        return False
    single = [one for one in found if not one.place]
    singles = [(salience.named_thing(target.view.outputs[one.name]), one.value) for one in single]
    singles += [(OWN, one.value) for one in single if own_name(one.name)]
    meeting = bool(salience.MEETINGS & salience.topic_words(target.view.api))
    return names_other_entity(_subject_names(source, choice), singles, meeting=meeting)


def _is_elsewhere(call: ExecutedCall) -> bool:
    """Whether a result is of another place than was asked for; what finds cities calls them so.

    Lists may be of what is near, but not those for a postal code.
    """
    city = kind_sought(call.view.api) == "place.city"
    given = {kind: call.arguments[name] for name, kind in call.named_kinds.items()}
    told = [
        ("place.city" if city and own_name(one.name) else salience.named_thing(call.view.outputs[one.name]), one.value)
        for one in values_of(call.result.value, rows=1)
        if not one.place or ("place.zip" in given and not any(one.place))
    ]
    return is_elsewhere(given, told, shown=is_documented(call) and _shows_spot(call.view, given))


def _shows_spot(view: ApiView, given: Mapping[str, JsonValue]) -> bool:
    """Whether a result is documented with the postal code, or near the coordinates, that are given."""
    shown = {kind: examples_of(one.schema) for one in view.outputs.values() if (kind := salience.named_thing(one))}
    return all(
        any(is_near(value, one) for one in shown.get(kind, ())) for kind, value in given.items() if kind in SPOTS
    )


def _subject_names(source: ExecutedCall, choice: Choice | None) -> dict[str, str]:
    api = source.view.api
    kinds = source.named_kinds
    said = {
        kind_sought(api) if kind in salience.SOUGHT else kind: source.arguments[name] for name, kind in kinds.items()
    }
    if choice is not None:
        said[salience.named_thing(source.view.outputs[choice.output])] = choice.chosen
        if own_name(choice.output.rpartition("|")[2]):
            said[OWN] = choice.chosen
    elif not source.arguments:
        said.update((OWN, one.value) for one in values_of(source.result.value, rows=1) if own_name(one.name))
    return {kind: str(value).casefold() for kind, value in said.items() if kind and str(value)[:1].isupper()}


def is_documented(call: ExecutedCall) -> bool:
    """Whether documentation shows this call, and its result, and that is of the share that was named."""
    view = call.view
    named = {salience.named_thing(view.inputs[name]): str(value) for name, value in call.arguments.items()}
    others = any(named.get(kind, told[0]) not in told for kind, told in view.traded)
    return not others and shows(view.api, {**settled(view.api), **call.arguments})
