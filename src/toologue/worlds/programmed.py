"""The registered world `programs`: any other world, in which programs run as well as calls.

    {"name": "programs", "arguments": {"object": "shop", "world": {"name": "crud", "arguments": {"document": "shop"}}}}

Contract: `object` is what programs call the world (by default the world's own name), `world` the setting of what is
inside, `exceptions` what programs may raise beside the conversational ones. Documents, fields and files are those of
the world inside. The clock of programs is the brief's `now` where the world has none.

Example:
    >>> from toologue.schema import Case, Program
    >>> inside: dict[str, JsonValue] = {"name": "crud", "arguments": {"document": "shop"}}
    >>> setting = Setting(name="programs", arguments={"object": "shop", "world": inside})
    >>> world = PROGRAMS.make(Case(id="o", world=setting, protocol="live"))
    >>> world.do(Program(goal="1", status="final", code="return shop.get_order(order_id='O-10318')['status']")).value
    'delivered'

Not covered: programs in programs. For S3 there is `s3_programs`, which signs what it holds.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from pydantic import BaseModel, ConfigDict, ValidationError

from toologue.data import complaint
from toologue.errors import BadSetting
from toologue.loop import World
from toologue.schema import Case, Setting
from toologue.worlds.world import Kind, kind_at, make_world


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    world: Setting
    object: str = ""
    exceptions: tuple[str, ...] = ()


def _arguments(setting: Setting) -> _Arguments:
    try:
        said = _Arguments.model_validate(setting.arguments)
    except ValidationError as error:
        place, what = complaint(error)
        known = ", ".join(_Arguments.model_fields)
        raise BadSetting(f"the world 'programs', {'.'.join(map(str, place))}: {what}; it takes {known}") from None
    if said.world.name == "programs":
        raise BadSetting("the world 'programs' cannot hold itself: name the world inside")
    name = said.object or said.world.name
    if not name.isidentifier():
        raise BadSetting(f"the world 'programs': programs cannot call an object {name!r}; give a Python name")
    return said


def _make(case: Case) -> World:
    from toologue.worlds.programs import with_programs

    said = _arguments(case.world)
    now = case.brief.facts.get("now")
    return with_programs(
        make_world(case.but(world=said.world)),
        name=said.object or said.world.name,
        exceptions=said.exceptions,
        now=_moment(now) if isinstance(now, str) else None,
    )


def _moment(now: str) -> datetime | None:
    try:
        return datetime.fromisoformat(now)
    except ValueError:
        return None


def _data_key(setting: Setting) -> str:
    inside = _arguments(setting).world
    return kind_at(inside).data_key(inside)


def _at(setting: Setting) -> Kind:
    return replace(kind_at(_arguments(setting).world), make=_make, data_key=_data_key, at=None)


PROGRAMS = Kind(make=_make, data_key=_data_key, at=_at)
