"""Whatever describes APIs, recognised by what it holds: OpenAPI, tools, ALMITA's JSON, functions, procedures, Apis.

Contract: `apis_of(source)` for a file, or for `module`, `module:function`. A file that is none of these is told what it
would have to hold. Names are unique over all sources of one call of `apis_of_all`.

Example:
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tools.yaml"
    >>> _ = file.write_text("- {name: get_order, input_schema: {type: object}}")
    >>> [api.name for api in apis_of(file)]
    ['get_order']

Not covered: addresses. Nothing is fetched; save the document first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from toologue.apis.almita import almita_of
from toologue.apis.extracted import extracted
from toologue.apis.functions import apis_of_functions
from toologue.apis.openapi import openapi_of
from toologue.apis.schemas import object_of
from toologue.apis.source import Source, read_source
from toologue.apis.tools import tools_of
from toologue.errors import BadFile, BadSetting, shown
from toologue.formats.procedure import load
from toologue.schema import Api
from toologue.schema.jsonl import read

__all__ = ["apis_of", "apis_of_all", "kind_of_source"]

_READERS: Mapping[str, Callable[[Source], list[Api]]] = {
    "openapi": lambda source: [operation.api for operation in openapi_of(source).operations],
    "tools": tools_of,
    "almita": almita_of,
}
_FILES = (".json", ".yaml", ".yml", ".jsonl", ".gz", ".txt", ".py", ".md")


def apis_of(source: Path | str) -> list[Api]:
    """The Apis that a file, a module or a function describes."""
    path = Path(source)
    if path.is_dir():
        raise BadFile(f"{path} is a folder: name the files in it")
    if not path.exists() and isinstance(source, str) and _is_reference(source):
        return apis_of_functions(source)
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return list(read(path, Api))
    if path.suffix == ".md":
        return extracted(load(path))
    if path.suffix == ".py":
        raise BadSetting(f"{path}: name the module as Python imports it, for example {path.stem!r}")
    read_from = read_source(path)
    return _READERS[kind_of_source(read_from)](read_from)


def apis_of_all(sources: Iterable[Path | str]) -> list[Api]:
    """The Apis of several sources. Raises BadSetting where two have one name."""
    found: dict[str, tuple[Api, Path | str]] = {}
    for source in sources:
        for api in apis_of(source):
            if api.name in found:
                other = found[api.name][1]
                raise BadSetting(f"{source}: the name {api.name!r} is taken by an API of {other}: rename one of them")
            found[api.name] = api, source
    return [api for api, _ in found.values()]


def kind_of_source(source: Source) -> str:
    """What a document is: openapi, tools or almita. Raises BadRecord where it is none of them."""
    rules = object_of(source.data)
    if {"openapi", "swagger"} & rules.keys():
        return "openapi"
    if "apis" in rules or source.data == {}:
        return "almita"
    listed: Any = rules.get("tools", rules.get("functions", source.data))
    first = object_of(cast("list[Any]", listed)[0]) if isinstance(listed, list) and listed else {}
    if listed == [] or {"name", "function", "type"} & first.keys():
        return "tools"
    remedy = 'expected an OpenAPI document (`openapi:`, `paths:`), a list of tools, or ALMITA\'s {"apis": [...]}'
    raise source.bad((), f"this describes no API: {shown(source.data)}", remedy)


def _is_reference(source: str) -> bool:
    return bool(re.fullmatch(r"\w+(?:\.\w+)*(?::\w+(?:\.\w+)*)?", source)) and not source.endswith(_FILES)
