"""The world `documented`: every Api answers as its documentation says, with made-up, plausible values.

Contract: `Documented(apis, seed=n)` is a World. A call with arguments that the documentation does not allow is refused
(`invalid`, in words for the agent), any other gives a value of the Api's `returns`, a function of seed, Api and
arguments. Nothing is written, so that `mark` and `rewind` do nothing. `seeded(n)` is the same world under another seed
and shares all that was worked out.

Example:
    >>> from toologue.schema import Parameter
    >>> team = {"type": "object", "properties": {"team": {"type": "string"}, "points": {"type": "integer"}}}
    >>> table = Api(name="Table", parameters={"team": Parameter(schema={"type": "string"})}, returns=team)
    >>> world = Documented([table], seed=1)
    >>> world.do(Call(api="Table", arguments={"team": "Leeds"})).value["team"]
    'Leeds'
    >>> world.do(Call(api="Table")).error
    Fault(type='invalid', message='team is missing')

Not covered: state (see `worlds.crud`); Apis that document what they write are answered, and write nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from toologue import keys
from toologue.errors import UnknownName, UserError, shown
from toologue.schema import Act, Api, Call, Fault, Result
from toologue.worlds.documented.answers import Answer, answer_maker
from toologue.worlds.documented.arguments import read_arguments

_EMPTY = Result()
_KEPT = 160
"""Apis whose answers are kept worked out."""


class Documented:
    """A world of documents, by name or not. Where two Apis have one name, the first is called."""

    def __init__(self, apis: Iterable[Api] | Mapping[str, Api], *, seed: int = 0):
        self.seed = seed
        self._apis = None if isinstance(apis, Mapping) else tuple(apis)
        named = {api.name: api for api in reversed(self._apis or ())}
        self._by_name = cast("Mapping[str, Api]", apis) if self._apis is None else named
        self._answer = lru_cache(maxsize=_KEPT)(self._made)

    @property
    def apis(self) -> Sequence[Api]:
        """What can be called here."""
        return tuple(self._by_name.values()) if self._apis is None else self._apis

    def seeded(self, seed: int) -> Documented:
        """The same world under another seed."""
        world = Documented.__new__(Documented)
        world._apis, world.seed, world._by_name, world._answer = self._apis, seed, self._by_name, self._answer
        return world

    def do(self, act: Act) -> Result:
        """Answer a call."""
        if act.kind != "call":
            return _fault("unsupported", f"this world answers calls; a {act.kind} is not one")
        api = self._by_name.get(act.api)
        if api is None:
            return _fault("unknown api", str(UnknownName("API", act.api, self._by_name)))
        if act.arguments is None:
            return _fault("invalid", f"the arguments did not parse: {shown(act.raw)}")
        read = read_arguments(api, act.arguments)
        if isinstance(read, Fault):
            return _result(error=read)
        try:
            value = self._answer(api.name)(self._seed_of(act, api, read), read)
        except UserError as error:
            return _fault("undocumented", f"{api.name} documents no result that could be made: {error}")
        return _result(value=value, arguments=None if read == act.arguments else read)

    def mark(self) -> None:
        """The present state: there is only one."""

    def rewind(self, mark: None) -> None:
        """Return to it."""

    def _seed_of(self, act: Call, api: Api, arguments: Mapping[str, Any]) -> int:
        return keys.seed_of(self.seed, api.name, keys.canonical(arguments).decode("ascii"))

    def _made(self, name: str) -> Answer:
        return answer_maker(self._by_name[name])


def _fault(kind: str, message: str) -> Result:
    return _result(error=Fault(type=kind, message=message))


def _result(**fields: Any) -> Result:
    """A result whose fields are known to be right."""
    return _EMPTY.but(changes={}, **fields)
