"""Whatever describes APIs, recognised by what it holds: OpenAPI, tools, RapidAPI, ALMITA, functions, procedures, Apis.

A source is a file, or `module`, `module:function`. A file that is none of these is told what it would have to hold.
Names are unique over all sources of one call of `apis_of_all`, or of `each_api`, which streams a single one.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from toologue.apis.choice import Choice, Picked
from toologue.apis.extracted import extracted
from toologue.apis.functions import apis_of_functions
from toologue.apis.openapi import Operation, openapi_of
from toologue.apis.rapidapi import MARKS, rapidapi_of, read_rapidapi
from toologue.apis.schemas import object_of
from toologue.apis.tools import almita_of, tools_of
from toologue.data import Source, read_source
from toologue.errors import BadFile, BadSetting, shown
from toologue.formats.procedure import load
from toologue.schema import Api
from toologue.schema.jsonl import read, read_lines
from toologue.values.json_schema import list_of

_LOG = logging.getLogger(__name__)
_REFERENCE = re.compile(r"\w+(?:\.\w+)*(?::\w+(?:\.\w+)*)?")
_FILES = (".json", ".yaml", ".yml", ".jsonl", ".gz", ".txt", ".py", ".md")
_Read = tuple[Path | str, int, Api]


def apis_of(source: Path | str) -> list[Api]:
    """The Apis that a file, a module or a function describes."""
    return apis_of_all([source])


def apis_of_all(sources: Iterable[Path | str], choice: Choice | None = None) -> list[Api]:
    """The Apis of several sources, those that are chosen. Raises BadSetting where two of a source have one name."""
    return list(each_api(sources, choice))


def each_api(sources: Iterable[Path | str], choice: Choice | None = None) -> Iterator[Api]:
    """The Apis of several sources; of one, as they are read where it is a line for each.

    A name that several sources have gets the name of its source in front (`shop.find_order`), which is logged. Raises
    BadSetting at the second of a name in one source, after those before it; after all, for a choice that fits nothing.
    """
    found: dict[str, tuple[Path | str, int]] = {}
    picked, sources = Picked(choice or Choice()), [*sources]
    every = ((source, number, api) for source in sources for number, api in enumerate(_each_of(source, picked), 1))
    for source, number, api in every if len(sources) < 2 else _apart([*every]):
        if api.name in found:
            other, first = found[api.name]
            taken = f"{source}: the name {api.name!r} is taken by an API of {other}"
            raise BadSetting(f"{taken}: rename one of them (number {number} here, number {first} there)")
        found[api.name] = source, number
        yield api
    picked.missed(", ".join(map(str, sources)))


def _apart(every: list[_Read]) -> Iterator[_Read]:
    """The Apis of several sources, with the names of these where names of Apis are the same."""
    homes: dict[str, dict[Path | str, str]] = {}
    stems = {source: re.split("[.:]", Path(source).name)[0] for source, _, _ in every}
    like = Counter(stems.values())
    stems = {one: Path(one).parent.name if like[stem] > 1 else stem for one, stem in stems.items()}  # shop/openapi.yaml
    for source, _, api in every:
        homes.setdefault(api.name, {})[source] = f"{stems[source]}.{api.name}"
    same = [" and ".join(new.values()) for new in homes.values() if len(new) > 1]
    if same:
        _LOG.warning("names of several sources have that of their source in front: %s", ", ".join(same))
    for source, number, api in every:
        new = homes[api.name]
        yield source, number, api.replace(name=new[source]) if len(new) > 1 else api


def _each_of(source: Path | str, picked: Picked) -> Iterable[Api]:
    """The chosen Apis of a source; in OpenAPI documents what is not chosen is not read."""
    for rules in _described(source, picked):
        if isinstance(rules, Operation):
            yield rules.api
        elif picked.takes(rules.name, (rules.domain,)):
            yield rules


def _described(source: Path | str, picked: Picked) -> Iterable[Api | Operation]:
    path = Path(source)
    if path.is_dir():
        raise BadFile(f"{path} is a folder: name the files in it")
    named = _REFERENCE.fullmatch(str(source)) and not str(source).endswith(_FILES)
    if named and isinstance(source, str) and not path.exists():
        return apis_of_functions(source)
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        first = next((line for _, line, _ in read_lines(path)), b"")
        with suppress(ValueError):
            if MARKS & object_of(from_json(first)).keys():
                return read_rapidapi(path)
        return read(path, Api)
    if path.suffix == ".md":
        return extracted(load(path))
    if path.suffix == ".py":
        raise BadSetting(f"{path}: name the module as Python imports it, for example {path.stem!r}")
    return _read(read_source(path), picked)


def _read(source: Source, picked: Picked) -> Iterable[Api | Operation]:
    if source.data is None:
        raise source.bad((), "this document is empty", "name one that describes APIs")
    rules = object_of(source.data)
    listed: Any = rules.get("tools", rules.get("functions", source.data))
    first = object_of(next(iter(list_of(listed)), None))
    if MARKS & {*rules, *first}:
        return rapidapi_of(source)
    if {"openapi", "swagger"} & rules.keys():
        return openapi_of(source, picked).operations
    if "apis" in rules or source.data == {}:
        return almita_of(source)
    if listed == [] or {"name", "function", "type"} & first.keys():
        return tools_of(source, strict=picked.strict)
    remedy = 'expected an OpenAPI document, a list of tools, RapidAPI records, or ALMITA\'s {"apis": [...]}'
    raise source.bad((), f"this describes no API: {shown(source.data)}", remedy)
