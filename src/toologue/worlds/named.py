"""Worlds as people name them, on the command line, in a project, in Python.

    shop                     a service that ships
    openapi.yaml             an OpenAPI document, simulated; with rows
    garden:Garden            a class of one's own, `module:Class` (`worlds.world`)
    documented?apis=FILE     a registered world; after `?` its arguments, here and for classes

Not covered: dialogues. They hold a `Setting`, and may name code only if a person has named it before.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

from pydantic import JsonValue

from toologue import registry
from toologue.schema import Setting
from toologue.worlds.crud.simulator import shipped
from toologue.worlds.world import allow


def setting_of(world: str | Path, rows: str | Path | None = None) -> Setting:
    """The setting that a name stands for; `rows` are what the world holds at the start, where it takes such a file."""
    name, _, options = str(world).partition("?")
    registered, own = name in registry.names("world"), ":" in name
    if name in shipped() or Path(name).is_file() or not (registered or own):
        given: dict[str, JsonValue] = {"document": str(world), **({"seed": str(rows)} if rows else {})}
        return Setting(name="crud", arguments=given)
    if own:
        allow(name)
    return Setting(name=name, arguments={**dict(parse_qsl(options)), **({"rows": str(rows)} if rows else {})})
