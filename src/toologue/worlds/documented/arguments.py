"""Arguments: plausible ones for a call, and whether given ones are what the documentation asks for.

`arguments_for` gives all required parameters and those named in `optional`; values in `known` stay. A credential is
`demo-key`. `read_arguments` gives arguments as executed ("5" is 5 where a number is asked for), or says what is wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from pydantic import JsonValue

from toologue import keys
from toologue.apis.schemas import checker, list_of, object_of
from toologue.errors import UnknownName, UserError, shown
from toologue.keys import Same
from toologue.schema import Api, Fault, Parameter
from toologue.text.names import bounded, group, kind_about, kind_of, printed, squash
from toologue.text.secrets import is_credential
from toologue.text.tokens import spell, split_name
from toologue.values.json_schema import fits
from toologue.worlds.documented.echo import Echoes, as_typed, kind_sought, sought_by
from toologue.worlds.documented.leaves import Maker, examples_of, maker
from toologue.worlds.documented.row import Row, choices, moment_form

SETTLED = "x-settled"
_KEPT = frozenset(("accept", "contenttype", "callback"))
_LISTED = re.compile(r"(?<![\w|])([\w.-]+(?:\s*\|\s*[\w.-]+){1,})(?![\w|])")
_SHORT = re.compile(r"[A-Z][a-z]+ [a-z]+")  # a description that is a name: Destination country
_UNKNOWN = frozenset(("", "titles", "fine", "types", "sentences"))
# What nobody says as a number.
_MOMENTS = frozenset(("day", "moment", "clock"))
# What is known better than any example says: those of one record belong together.
_TRADED = ("coin.", "company.symbol", "company.name", "car.")
# In which language somebody wants an answer: in that of the question.
_TONGUE = ("lang", "locale", "hl")
_VAGUE = frozenset((
    "", "titles", "topics", "sentences", "words", "fine", "categories", "one", "ten", "zero", "count", "place.region",
))  # fmt: skip


def arguments_for(
    api: Api,
    seed: int,
    *,
    known: Mapping[str, Any] | None = None,
    optional: Collection[str] = (),
    as_documented: bool = False,
) -> dict[str, Any]:
    """Arguments for a call, `as_documented` where there are examples.

    Raises UserError for a parameter whose schema allows nothing.
    """
    given = known or {}
    row = Row(keys.seed_of(seed, "arguments", api.name), 0, given)
    made: dict[str, Any] = {}
    for name, parameter in api.parameters.items():
        if name in given:
            made[name] = given[name]
        elif as_documented and (parameter.required or name in optional) and (shown := _documented(parameter)):
            made[name] = shown[0]
        elif parameter.required or name in optional:
            try:
                made[name] = _maker(Same(api), name)(row)
            except UserError as error:
                raise UserError(f"{api.name}, parameter {name}: {error}") from None
    return made


def shows(api: Api, arguments: Mapping[str, JsonValue]) -> bool:
    """Whether documentation shows a call with these arguments."""
    return _echoes(Same(api)).documented(arguments)


def shows_each(api: Api, names: Iterable[str]) -> bool:
    """Whether documentation shows what to call it with: a value for each of these parameters."""
    return all(_documented(api.parameters[name]) for name in names)


@lru_cache(maxsize=256)
def _echoes(kept: Same[Api]) -> Echoes:
    return Echoes(kept.value)


def _documented(parameter: Parameter) -> list[Any]:
    return [value for value in examples_of(parameter.json_schema) if fits(value, parameter.json_schema)]


def settled(api: Api) -> Mapping[str, JsonValue]:
    """What the documentation settles: of required parameters that say how to answer (`page`) what is documented.

    That is the default of any of them, else the first example, where it fits; a choice among several is not settled.
    What a model understood of the documentation stands under `x-settled`: a value, or null.
    """
    return _default_arguments(Same(api))


@lru_cache(maxsize=64)
def _default_arguments(kept: Same[Api]) -> Mapping[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name, parameter in kept.value.parameters.items():
        schema = parameter.json_schema
        if SETTLED in schema:
            found |= {name: schema[SETTLED]} if schema[SETTLED] is not None else {}
            continue
        is_choice = isinstance(listed := schema.get("enum"), list) and len(listed) > 1
        known = [schema.get("default"), schema.get("const")]
        if parameter.required and (known != [None, None] or (split_name(name) in group("settings") and not is_choice)):
            known += examples_of(schema) if split_name(name) in group("settings") and not is_choice else []
            fitting = [value for value in known if value not in ("", None) and fits(value, schema)]
            found.update((name, value) for value in fitting[:1])
    return found


def read_arguments(api: Api, arguments: Mapping[str, Any]) -> dict[str, Any] | Fault:
    """The arguments as executed, or what is wrong with them."""
    checks = _checks(Same(api))
    read: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in checks:
            return Fault(type="invalid", message=str(UnknownName(f"parameter of {api.name}", name, checks)))
        schema = api.parameters[name].json_schema
        read[name] = as_typed(value, schema)
        wrong = checks[name](read[name]) if _finite(value) else f"{name}: {shown(value)} is no JSON value"
        if wrong is not None:
            return Fault(type="invalid", message=wrong)
    missing = [name for name in api.required if name not in arguments]
    if missing:
        return Fault(type="invalid", message=f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return read


def foreseen(api: Api, name: str) -> bool:
    """Whether it is known what a parameter's values look like: by its name, by an example, by what is allowed."""
    schema: Mapping[str, Any] = api.parameters[name].json_schema
    if "enum" in schema or "const" in schema or schema.get("type") == "boolean" or _listed(schema):
        return True
    if bounded(schema) or printed(name, schema):
        return True
    meaning = kind_of((name,), str(schema.get("title") or ""))
    digits = all(str(value).isdigit() and not moment_form(str(value)) for value in examples_of(schema))
    if meaning in _MOMENTS and (schema.get("type") in ("integer", "number") or (examples_of(schema) and digits)):
        return False
    if any(str(value).lower() != name.lower() for value in examples_of(schema)):
        return True
    return meaning not in _UNKNOWN or (meaning == "titles" and bool(sought_by(api)))


@lru_cache(maxsize=256)
def _checks(kept: Same[Api]) -> dict[str, Callable[[Any], str | None]]:
    return {name: checker(parameter.json_schema, name) for name, parameter in kept.value.parameters.items()}


@lru_cache(maxsize=512)
def _maker(kept: Same[Api], name: str) -> Maker:
    api, salt = kept.value, [*kept.value.parameters].index(name) + 1
    schema: Mapping[str, Any] = api.parameters[name].json_schema
    if is_credential(name) and fits("demo-key", schema):
        return lambda row: "demo-key"
    examples = _documented(api.parameters[name])
    if (listed := _listed(schema)) and not isinstance(schema.get("enum"), list):
        return lambda row: row.of(listed, salt)
    said = str(schema.get("description") or "").strip(" .")
    called = said if _SHORT.fullmatch(said) and kind_of((said,)) else name
    meaning = kind_of((called,), str(schema.get("title") or ""))
    if meaning in ("topics", "titles") and (sought := sought_by(api)):
        is_place = kind_sought(api).startswith("place")
        return lambda row: row.listed("place", sought, 0) if is_place else str(row.of(sought, salt))
    meaning = kind_about(name, api.name) or meaning
    if meaning.startswith("car.") and examples:
        return lambda row: examples[0]
    if meaning.startswith(_TRADED) and all(fits(value, schema) for value in choices(meaning)):
        traded, record = choices(meaning), meaning.partition(".")[0]
        return lambda row: row.listed(record, traded, 0)
    spoken_in = {"place.language": "English", "place.lang": "en"}.get(meaning)
    if spoken_in and squash(name) in _TONGUE and fits(spoken_in, schema):
        return lambda row: spoken_in
    if examples and not bounded(schema) and (meaning in _VAGUE or "".join(spell(name)) in _KEPT):
        return lambda row: examples[0]
    return maker(schema, (called,), salt=salt)


def _listed(schema: Mapping[str, Any]) -> list[Any]:
    found = _LISTED.search(str(schema.get("description") or ""))
    options = [as_typed(part.strip(), schema) for part in found[1].split("|")] if found else []
    fitting = [option for option in options if fits(option, schema)]
    return fitting if len(fitting) == len(options) and len(options) > 1 else []


def _finite(value: Any) -> bool:
    if isinstance(value, dict | list):
        return all(map(_finite, (*object_of(value).values(), *list_of(value))))
    return not isinstance(value, float) or math.isfinite(value)
