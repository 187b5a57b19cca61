"""The world `documented`: every Api answers as its documentation says, with made-up, plausible values.

    {"name": "documented", "arguments": {"apis": "apis.jsonl", "seed": 7, "uses": "uses.jsonl"}}

A call with arguments that the documentation does not allow is refused (`invalid`), any other gives a value of the Api's
`returns`, a function of seed, Api and arguments; where `uses` has an example of the call (the first one counts), its
result. `apis` is any file that `apis.load` reads; files are read again when they change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from toologue import keys
from toologue.apis.load import apis_of
from toologue.errors import UnknownName, UserError, shown
from toologue.schema import Act, Api, Case, Fault, Result, Setting, Use
from toologue.schema.jsonl import Noun, read
from toologue.worlds.documented.answers import Answer, answer_maker
from toologue.worlds.documented.arguments import read_arguments, settled
from toologue.worlds.world import Kind, arguments_of, failure, stamp

_EMPTY = Result()
# Apis whose answers are kept worked out; calls whose answers are kept: who verifies asks again what was just asked.
_KEPT, _CALLS = 40, 64


@dataclass(frozen=True)
class _Question:
    """A call of an Api under a seed, and how its arguments are written; `read` as values."""

    seed: int
    api: str
    asked: str
    written: str
    read: Mapping[str, JsonValue] = field(compare=False)


class Documented:
    """A world of documents, by name or not. Where two Apis have one name, the first is called."""

    def __init__(self, apis: Iterable[Api] | Mapping[str, Api], *, seed: int = 0, uses: Iterable[Use] = ()):
        self.seed = seed
        self._calls: dict[str, list[tuple[Mapping[str, JsonValue], JsonValue]]] = {}
        for use, one in ((said, one) for said in uses for one in said.examples):
            self._calls.setdefault(use.api, []).append((one.arguments, one.result))
            if use.source:
                self._calls.setdefault(use.source, []).append((one.source_arguments, one.source_result))
        self._apis = None if isinstance(apis, Mapping) else tuple(apis)
        named = {api.name: api for api in reversed(self._apis or ())}
        self._by_name = cast("Mapping[str, Api]", apis) if self._apis is None else named
        self._answer, self._examples = lru_cache(maxsize=_KEPT)(self._made), cache(self._examples_of)
        self._made_up = lru_cache(maxsize=_CALLS)(self._thought_up)

    @property
    def apis(self) -> Sequence[Api]:
        """What can be called here."""
        return tuple(self._by_name.values()) if self._apis is None else self._apis

    def seeded(self, seed: int) -> Documented:
        """The same world under another seed."""
        world = copy(self)
        world.seed = seed
        return world

    def do(self, act: Act) -> Result:
        """Answer a call."""
        if act.kind != "call":
            return failure("unsupported", f"this world answers calls; a {act.kind} is not one")
        api = self._by_name.get(act.api)
        if api is None:
            return failure("unknown api", str(UnknownName("API", act.api, self._by_name)))
        if act.arguments is None:
            return failure("invalid", f"the arguments did not parse: {shown(act.raw)}")
        read = read_arguments(api, act.arguments)
        if isinstance(read, Fault):
            return _EMPTY.replace(changes={}, error=read)
        try:
            asked, known = keys.canonical(read).decode("ascii"), self._examples(api.name)
            question = _Question(self.seed, api.name, asked, str(read), read)
            value = known[asked] if asked in known else _copied(self._made_up(question))
        except UserError as error:
            return failure("undocumented", f"{api.name} documents no result that could be made: {error}")
        return _EMPTY.replace(changes={}, value=value, arguments=None if read == act.arguments else read)

    def _thought_up(self, said: _Question) -> JsonValue:
        return self._answer(said.api)(keys.seed_of(said.seed, said.api, said.asked), said.read)

    def _examples_of(self, name: str) -> dict[str, JsonValue]:
        """The results of examples, by their arguments as executed."""
        api, found = self._by_name[name], dict[str, JsonValue]()
        for arguments, result in self._calls.get(name, ()):
            read = read_arguments(api, {**settled(api), **arguments})
            if not isinstance(read, Fault):
                found.setdefault(keys.canonical(read).decode("ascii"), result)
        return found

    def _made(self, name: str) -> Answer:
        return answer_maker(self._by_name[name])

    def mark(self) -> None:
        """The present state: there is only one."""

    def rewind(self, mark: None) -> None:
        """Return to it."""


def _copied(value: JsonValue) -> JsonValue:
    """The same value, which nobody else holds."""
    if isinstance(value, dict):
        return {name: _copied(one) for name, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value


class _Arguments(Noun):
    apis: str
    seed: int = 0
    uses: str = ""


def kind_for(setting: Setting) -> Kind:
    """The kind of world that one file of Apis is. Settings that differ in the seed share it."""
    return _opened(*_stamped(setting))[1]


def _make(case: Case) -> Documented:
    return _opened(*_stamped(case.world))[0].seeded(arguments_of(case.world, _Arguments).seed)


DOCUMENTED = Kind(make=_make, data_key=lambda setting: kind_for(setting).data_key(setting), at=kind_for)


def _stamped(setting: Setting) -> tuple[tuple[str, int, int], ...]:
    """The files of a world, each with what changes when it does."""
    given = arguments_of(setting, _Arguments)
    return tuple((file, *stamp(file)) for file in (given.apis, given.uses) if file)


@lru_cache(maxsize=8)
def _opened(apis: tuple[str, int, int], *uses: tuple[str, int, int]) -> tuple[Documented, Kind]:
    world = Documented(apis_of(apis[0]), uses=(use for file, *_ in uses for use in read(file, Use, empty=True)))
    first, *others = [keys.file_key(Path(file)) for file, *_ in (apis, *uses)]
    key = keys.content_key([first, *others]) if others else first
    return world, Kind(make=_make, documents=lambda: world.apis, data_key=lambda _: key)
