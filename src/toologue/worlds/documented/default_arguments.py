"""What the documentation settles: required parameters that say how to answer, and what is documented for them.

An API that requires `page`, and documents `1`, needs nobody to be asked for it; an agent fills it in.

Contract: `settled(api)` gives those values by name, in the order of the document: of required parameters whose names
are settings (`_SETTINGS`), the documented default, else the first example, where it fits. A parameter that leaves a
choice among a few documented values is none of them.

Example:
    >>> from toologue.schema import Parameter
    >>> page, city = Parameter(schema={"type": "integer", "examples": [1]}), Parameter(schema={"examples": ["Oslo"]})
    >>> settled(Api(name="Hotels", parameters={"city": city, "page": page, "sort": Parameter()}))
    {'page': 1}

Not covered: settings that users have a wish for, as for another page; ask your own agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from pydantic import JsonValue

from toologue.keys import Same
from toologue.schema import Api
from toologue.text.tokens import split_name
from toologue.values.json_schema import fits
from toologue.worlds.documented.leaves import examples_of

_SETTINGS = frozenset((
    "page", "page num", "page number", "page size", "page no", "per page", "limit", "offset", "cursor", "size",
    "sort", "sort by", "sortby", "sort order", "order", "order by", "format", "numformat", "output", "response type",
    "locale", "lang", "lang id", "lang code", "language code", "version", "mode", "text mode", "type", "search type",
    "results type", "result type", "videos type", "video type", "match type", "domain code", "t",
    "fields", "part", "chart", "parameters", "params", "callback", "timezone offset",
))  # fmt: skip


def settled(api: Api) -> Mapping[str, JsonValue]:
    """The documented values of settings, by name."""
    return _settled(Same(api))


@lru_cache(maxsize=64)
def _settled(kept: Same[Api]) -> Mapping[str, JsonValue]:
    api, found = kept.value, dict[str, JsonValue]()
    for name, parameter in api.parameters.items():
        if parameter.required and split_name(name) in _SETTINGS:
            found.update((name, value) for value in list(_documented(parameter.json_schema))[:1])
    return found


def _documented(schema: Mapping[str, Any]) -> Iterator[JsonValue]:
    """The values that a document gives for a parameter, but for one of which some are allowed: that is a choice."""
    listed = schema.get("enum")
    if not isinstance(listed, list) or len(cast("list[Any]", listed)) < 2:
        known = [schema.get("default"), schema.get("const"), *examples_of(schema)]
        yield from (value for value in known if value not in ("", None) and fits(value, schema))
