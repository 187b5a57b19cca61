"""The registered world `documented`: the file of Apis that a setting names, and its seed.

    {"name": "documented", "arguments": {"apis": "apis.jsonl", "seed": 7}}

Contract: `apis` is any file that `apis.load` reads; it is read once, and again when it changes. `seed` may be absent.

Example:
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tools.yaml"
    >>> _ = file.write_text("- {name: get_order, input_schema: {type: object}}")
    >>> list(kind_for(Setting(name="documented", arguments={"apis": str(file)})).by_name)
    ['get_order']

Not covered: several files; join them with `toologue apis`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from toologue import keys
from toologue.apis.load import apis_of
from toologue.data import complaint
from toologue.errors import BadFile, BadSetting
from toologue.schema import Case, Setting
from toologue.worlds.documented.simulator import Documented
from toologue.worlds.world import Kind


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    apis: str
    seed: int = 0


def kind_for(setting: Setting) -> Kind:
    """The kind of world that one file of Apis is. Settings that differ in the seed share it."""
    return _kind(*_stamped(_arguments(setting).apis))


def data_key(setting: Setting) -> str:
    """16 hex digits that name the content of the file that a setting names."""
    return _key(*_stamped(_arguments(setting).apis))


def _make(case: Case) -> Documented:
    said = _arguments(case.world)
    return _world(*_stamped(said.apis)).seeded(said.seed)


DOCUMENTED = Kind(make=_make, data_key=data_key, at=kind_for)


def _arguments(setting: Setting) -> _Arguments:
    try:
        return _Arguments.model_validate(setting.arguments)
    except ValidationError as error:
        place, what = complaint(error)
        raise BadSetting(f"the world 'documented', {'.'.join(map(str, place))}: {what}; it takes apis, seed") from None


def _stamped(apis: str) -> tuple[str, int, int]:
    """The file, and what changes when it does."""
    try:
        found = Path(apis).stat()
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot read {apis}: {getattr(error, 'strerror', None) or error}") from None
    return apis, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _world(apis: str, changed: int, size: int) -> Documented:
    return Documented(apis_of(apis))


@lru_cache(maxsize=8)
def _kind(apis: str, changed: int, size: int) -> Kind:
    world = _world(apis, changed, size)
    return Kind(make=_make, documents=lambda: world.apis, data_key=data_key)


@lru_cache(maxsize=8)
def _key(apis: str, changed: int, size: int) -> str:
    return keys.file_key(Path(apis))
