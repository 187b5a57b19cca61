"""`toologue list`: what is registered, and the JSON Schema of every file."""

from __future__ import annotations

import json

from toologue import registry
from toologue.errors import UnknownName


def show(kind: str | None = None, /) -> None:
    """What is registered; `list schema` prints the JSON Schema of all files.

    Args:
        kind: agent, benchmark, embedder, metric, model, similarity, world; or schema.
    """
    if kind == "schema":
        print(json.dumps(schema(), indent=2))
    elif kind is not None and kind not in registry.KINDS:
        raise UnknownName("kind", kind, [*registry.KINDS, "schema"])
    else:
        for name in registry.KINDS if kind is None else (kind,):
            print(f"{name}: {', '.join(registry.names(name))}")


def schema() -> dict[str, object]:
    """One JSON Schema document: a line of any file is one of these records, told apart by `format`."""
    from pydantic.json_schema import models_json_schema

    from toologue.schema import RECORDS

    refs, document = models_json_schema([(record, "validation") for record in RECORDS])
    lines = [refs[(record, "validation")] for record in RECORDS]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "toologue", "oneOf": lines, **document}
