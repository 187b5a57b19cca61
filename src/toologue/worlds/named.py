"""Worlds as people name them, on the command line, in a project, in Python; the places where they chat.

A service that ships (`shop`), an OpenAPI document, a class of one's own (`garden:Garden`), or a registered world; after
`?` the arguments of the last two (`documented?apis=FILE`).

Not covered: dialogues. They hold a `Setting`, and may name code only if a person has named it before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from pydantic import JsonValue

from toologue import registry
from toologue.apis.choice import Choice
from toologue.errors import BadSetting, UnknownName
from toologue.schema import Brief, Case, Dialogue, Setting
from toologue.worlds.crud.simulator import shipped
from toologue.worlds.world import allow, facts_in, kind_at

ENDLESS = 1_000_000
_NOW = "2025-03-18T16:10:00Z"
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
    chosen = choice.model_dump(mode="json", exclude_defaults=True) if choice else {}
    if name in shipped() or Path(name).is_file() or not (registered or own):
        beside = {"seed": rows and str(rows), "overlay": overlay and str(overlay), "choice": chosen}
        given = {key: part for key, part in beside.items() if part}
        return Setting(name="crud", arguments={"document": str(world), **given})
    _refuse(name, overlay, chosen)
    if own:
        allow(name)
    return Setting(name=name, arguments={**dict(parse_qsl(options)), **({"rows": str(rows)} if rows else {})})


def given_setting(world: str | Path | None, *beside: Any) -> Setting | None:
    """The setting that a name stands for with what is `beside` it, or None. Raises BadSetting where that is all."""
    if world is None and any(one and one != Choice() for one in beside):
        raise BadSetting("--rows, --overlay and what chooses operations are for a --service of yours: name it, too")
    return None if world is None else setting_of(world, *beside)


def _refuse(name: str, *beside: object) -> None:
    if any(beside):
        raise BadSetting(f"the world {name!r} is no OpenAPI document: no overlay, and no operations are chosen in it")


class Place(NamedTuple):
    """Where a chat plays, what programs call it, and what the agent knows of it."""

    setting: Setting
    object: str
    facts: Mapping[str, JsonValue]
    simulated: bool = True

    def case(self, id: str, seed: int = 0, gold: Dialogue | None = None, instructions: str = "") -> Case:
        """A conversation without end that is had here."""
        facts: dict[str, JsonValue] = {**self.facts, "programs": {"object": self.object}}
        facts = facts_in(self.setting, facts)
        brief = Brief(instructions=instructions, facts=facts, apis=tuple(kind_at(self.setting).apis))
        return Case(id=id, gold=gold, brief=brief, world=self.setting, protocol="live", seed=seed, rounds=ENDLESS)


def place_of(world: str, data: Path | None = None, overlay: Path | None = None, choice: Choice | None = None) -> Place:
    """The place that a word names. Raises UnknownName, BadSetting, BadFile."""
    if world in ("s3", "assistant"):
        _refuse(world, overlay, choice and choice != Choice())
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
    setting = setting_of(world, data, overlay, choice)
    if setting.name == "crud" and world not in shipped() and not Path(world).is_file():
        raise UnknownName("world, and no file,", world, ["s3", "assistant", *shipped()])
    now = kind_at(setting).now
    if now is None and setting.name == "crud":
        now = _NOW
        setting = setting.replace(arguments={**setting.arguments, "now": now})
    # What programs call a service: as its class, its file, or the folder of an openapi.yaml, is called.
    file = Path(world.partition("?")[0].rpartition(":")[2])
    name = file.resolve().parent.name if file.stem == "openapi" else file.stem
    name = re.sub(r"\W+", "_", name).strip("_").lower()
    return _with_programs(name if name.isidentifier() else "service", setting, {"now": now})


def _with_programs(name: str, inside: Setting, facts: Mapping[str, JsonValue]) -> Place:
    arguments: dict[str, JsonValue] = {"object": name, "world": inside.model_dump(mode="json")}
    return Place(Setting(name="programs", arguments=arguments), name, facts)
