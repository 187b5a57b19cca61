"""Worlds as people name them, on the command line, in a project, in Python; the places where they chat.

    shop                     a service that ships
    openapi.yaml             an OpenAPI document, simulated; with rows
    garden:Garden            a class of one's own, `module:Class` (`worlds.world`)
    documented?apis=FILE     a registered world; after `?` its arguments, here and for classes

Not covered: dialogues. They hold a `Setting`, and may name code only if a person has named it before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

from pydantic import JsonValue

from toologue import registry
from toologue.apis.choice import Choice
from toologue.errors import BadSetting, UnknownName
from toologue.schema import Setting
from toologue.worlds.crud.simulator import shipped
from toologue.worlds.world import allow, kind_at

_ASSISTANT: dict[str, JsonValue] = {"user": "lwanjiru", "now": "2025-03-18 16:10:00", "logged_in": True}


def setting_of(
    world: str | Path,
    rows: str | Path | None = None,
    overlay: str | Path | None = None,
    choice: Choice | None = None,
) -> Setting:
    """The setting that a name stands for; `rows` are what the world holds at the start, where it takes such a file.

    `overlay` is what an OpenAPI document does not say of its world, `choice` which of its operations are read.
    """
    name, _, options = str(world).partition("?")
    registered, own = name in registry.names("world"), ":" in name
    if name in shipped() or Path(name).is_file() or not (registered or own):
        beside = {"seed": rows, "overlay": overlay}
        given: dict[str, JsonValue] = {"document": str(world)}
        given.update((key, str(file)) for key, file in beside.items() if file)
        if choice is not None and choice != Choice():
            given["choice"] = choice.model_dump(mode="json", exclude_defaults=True)
        return Setting(name="crud", arguments=given)
    if own:
        allow(name)
    return Setting(name=name, arguments={**dict(parse_qsl(options)), **({"rows": str(rows)} if rows else {})})


class Place(NamedTuple):
    """Where a chat plays, what programs call it, and what the agent knows of it."""

    setting: Setting
    object: str
    facts: Mapping[str, JsonValue]
    simulated: bool = True


def place_of(world: str, data: Path | None) -> Place:
    """The place that a word names. Raises UnknownName, BadSetting, BadFile."""
    if world == "s3":
        arguments: dict[str, JsonValue] = {} if data is None else {"account": str(data)}
        return Place(
            Setting(name="s3_programs", arguments=arguments), "s3", {}, "TOOLOGUE_S3_ENDPOINT" not in os.environ
        )
    if world == "assistant":
        if data is not None:
            raise BadSetting("the world 'assistant' takes no --data")
        known = {"now": _ASSISTANT["now"], "username": _ASSISTANT["user"]}
        return _with_programs(world, Setting(name="assistant", arguments=_ASSISTANT), known)
    setting = setting_of(world, data)
    if setting.name == "crud" and world not in shipped() and not Path(world).is_file():
        raise UnknownName("world, and no file,", world, ["s3", "assistant", *shipped()])
    return _with_programs(_object_name(world), setting, {"now": kind_at(setting).now})


def _with_programs(name: str, inside: Setting, facts: Mapping[str, JsonValue]) -> Place:
    arguments: dict[str, JsonValue] = {"object": name, "world": inside.model_dump(mode="json")}
    return Place(Setting(name="programs", arguments=arguments), name, facts)


def _object_name(world: str) -> str:
    """What programs call a service: as its class, its file, or the folder of an openapi.yaml, is called."""
    file = Path(world.partition("?")[0].rpartition(":")[2])
    name = file.resolve().parent.name if file.stem == "openapi" else file.stem
    name = re.sub(r"\W+", "_", name).strip("_").lower()
    return name if name.isidentifier() else "service"
