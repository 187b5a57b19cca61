"""The documents of a dialogue's Apis: those that it carries itself, and those of the world it plays in.

A dialogue that was read from elsewhere carries them in `extra["apis"]`, where two procedures may well document the same
name in two ways.

Example:
    >>> from toologue.schema import Dialogue, Setting, UserTurn
    >>> hello = Dialogue(id="hello", world=Setting(name="assistant"), turns=(UserTurn(text="Hi"),))
    >>> documents_of(hello)["AddAlarm"].writes
    True
    >>> own = hello.but(world=Setting(), extra={"apis": [{"format": "api/1", "name": "get_order"}]})
    >>> list(documents_of(own))
    ['get_order']

Not covered: which of them the agent is told of; that is for `Dialogue.apis` to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from toologue.errors import BadRecord, shown
from toologue.schema import Api, Case, Dialogue
from toologue.schema.jsonl import json_path
from toologue.worlds.world import kind_at, make_world

_APIS = TypeAdapter(list[Api])


def documents_of(dialogue: Dialogue) -> Mapping[str, Api]:
    """The documents by name. Raises BadRecord where `extra["apis"]` are no documents."""
    known = kind_at(dialogue.world).by_name or {api.name: api for api in make_world(_case(dialogue)).apis}
    carried = cast("list[Any] | None", dialogue.extra.get("apis"))
    if carried is None:
        return known
    try:
        return {**known, **{api.name: api for api in _APIS.validate_python(carried)}}
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = f"$.extra.apis{json_path(first['loc'])[1:]}"
        what = f"{first['msg']}, got {shown(first['input'])}"
        raise BadRecord(f"dialogue {dialogue.id!r}", 0, place, what) from None


def _case(dialogue: Dialogue) -> Case:
    return Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="recorded")
