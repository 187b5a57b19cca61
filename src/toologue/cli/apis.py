"""`toologue apis`: documents that describe APIs, in any form that is known: a table, and one apis.jsonl.

Not covered: fetching documents; save them first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from toologue.apis.load import apis_of_all
from toologue.cli.terminal import say
from toologue.errors import BadSetting
from toologue.schema import Api
from toologue.schema.jsonl import write

__all__ = ["apis"]


def apis(*sources: str, out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None) -> None:
    """OpenAPI, JSON-Schema tools, ALMITA's JSON or Python functions: what they describe, shown, or as one apis.jsonl.

    Parameters
    ----------
    sources
        Files (.yaml, .json, .jsonl; a procedure's .md for what it calls), or Python: module, module:function.
    out
        The apis.jsonl to write; by default none.
    """
    if not sources:
        raise BadSetting("name a file or a module, as in: toologue apis shop.yaml -o apis.jsonl")
    found = apis_of_all(sources)
    if out is not None:
        write(out, found)
    if found:
        say(_table(found))
    writes = sum(api.writes for api in found)
    print(f"{writes} of {len(found)} APIs {'writes' if writes == 1 else 'write'}{f', in {out}' if out else ''}")


def _table(found: Sequence[Api]) -> Table:
    table = Table("name", "parameters", "writes", "domain")
    for api in found:
        names = (name if parameter.required else f"[{name}]" for name, parameter in api.parameters.items())
        table.add_row(Text(api.name), Text(", ".join(names)), "writes" if api.writes else "", Text(api.domain))
    return table
