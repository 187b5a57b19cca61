"""The worlds that `toologue chat` knows by a word, and what would be lost there if an act were done.

    s3             an account of the object store that ships; --data ACCOUNT.yaml for another
    assistant      the assistant of the starter set, Lily Wanjiru's
    shop, bank, …  a service that ships; --data SEED.yaml for other rows
    openapi.yaml   your own service, simulated from its document; --data SEED.yaml is what it holds at the start

Contract: in a simulated world acts are tried, looked at and undone: `losses` are the rows that would be gone or
written over. With a real endpoint nothing is tried: whatever might write counts.

Not covered: worlds of plugins; write a Dialogue that names one, and run it.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import JsonValue

from toologue.errors import BadSetting, UnknownName
from toologue.loop import World, execute
from toologue.sandbox.program import parse
from toologue.sandbox.rpc import spellings
from toologue.schema import Act, Api, Result, Setting, executable
from toologue.worlds.crud.simulator import shipped, simulator_for
from toologue.worlds.store import path_of

_ASSISTANT: dict[str, JsonValue] = {"user": "lwanjiru", "now": "2025-03-18 16:10:00", "logged_in": True}
_SIGNATURE = path_of("Account", "signature")
_DYNAMIC = frozenset(("getattr", "vars", "__dict__", "__getattribute__"))


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
    if world not in shipped() and not Path(world).is_file():
        raise UnknownName("world, and no file,", world, ["s3", "assistant", *shipped()])
    inside = {"document": world, **({} if data is None else {"seed": str(data)})}
    setting = Setting(name="crud", arguments=cast("dict[str, JsonValue]", inside))
    return _with_programs(_named(world), setting, {"now": simulator_for(setting).now})


def losses(world: World, acts: Sequence[Act], *, simulated: bool) -> Iterator[tuple[int, list[str]]]:
    """(place, what would be lost) of the acts that would lose something."""
    if not simulated:
        yield from ((at, ["whatever it writes over"]) for at, act in enumerate(acts) if _may_write(act, world.apis))
        return
    start = world.mark()
    try:
        for at, act in enumerate(acts):
            if executable(act) and (lost := list(_lost(execute(world, act)))):
                yield at, lost
    finally:
        world.rewind(start)


def _with_programs(name: str, inside: Setting, facts: Mapping[str, JsonValue]) -> Place:
    arguments: dict[str, JsonValue] = {"object": name, "world": inside.model_dump(mode="json")}
    return Place(Setting(name="programs", arguments=arguments), name, facts)


def _named(world: str) -> str:
    """What programs call a service: as its file, or the folder of an openapi.yaml, is called."""
    file = Path(world)
    name = file.resolve().parent.name if file.stem == "openapi" else file.stem
    name = re.sub(r"\W+", "_", name).strip("_").lower()
    return name if name.isidentifier() else "service"


def _lost(result: Result) -> Iterator[str]:
    for path, row in result.changes.items():
        if path != _SIGNATURE and path not in result.created:
            row_path = path.replace("~1", "/").replace("~0", "~")
            yield f"{row_path} {'is deleted' if row is None else 'is written over'}"


def _may_write(act: Act, apis: Sequence[Api]) -> bool:
    writing = {one for api in apis if api.writes for one in spellings(api.name)}
    if act.kind == "call":
        return act.api in writing or act.api not in {api.name for api in apis}
    if act.kind != "program" or act.status != "final":
        return False
    nodes = list(ast.walk(parse(act.code).tree))
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return not used.isdisjoint(writing | _DYNAMIC)
