"""The world `observed`: what the gold saw, in its order, whatever words an agent asks in (ToolDial 4.1, overall).

An act is answered by the next recorded result of its sort: a question to the retriever by the next answer of the
retriever, however it is put; a call by the next result of the same Api. `worlds.recorded`, which wants equal acts,
would refuse a right agent that asks the retriever in words of its own. Where the record has nothing more, the act fails
with the type `unrecorded`. Given `{"apis": FILE}`, the world has the documents of that apis.jsonl, which is read once.

Example:
    >>> from toologue.schema import AgentTurn, Retrieve, UserTurn
    >>> asks = AgentTurn(acts=(Retrieve(query="Any news?"),), results=(Result(value={"retrieved": {"News": 0.9}}),))
    >>> world = Observed(Dialogue(id="d", turns=(UserTurn(text="Any news?"), asks)))
    >>> world.do(Retrieve(query="news")).value, world.do(Retrieve(query="news")).error.type
    ({'retrieved': {'News': 0.9}}, 'unrecorded')

Not covered: which round an act belongs to; one too many sees what the next round would have shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from toologue import keys
from toologue.errors import BadSetting
from toologue.schema import Act, Api, Case, Dialogue, Fault, Result, Setting, invocations
from toologue.schema.jsonl import read
from toologue.worlds.world import Kind


class Observed:
    """The recorded results of one dialogue, by sort of act."""

    apis: Sequence[Api] = ()

    def __init__(self, dialogue: Dialogue):
        self._results: dict[str, list[Result]] = {}
        self._used: dict[str, int] = {}
        for invocation in invocations(dialogue.turns, opening=True):
            self._results.setdefault(_sort(invocation.act), []).append(invocation.result)

    def do(self, act: Act) -> Result:
        """The next result for an act of this sort."""
        sort = _sort(act)
        known, used = self._results.get(sort, []), self._used.get(sort, 0)
        self._used[sort] = used + 1
        if used >= len(known):
            return Result(error=Fault(type="unrecorded", message=f"the record holds no more results of {sort}"))
        return known[used].model_copy(deep=True)

    def mark(self) -> dict[str, int]:
        """How many acts of each sort were answered."""
        return dict(self._used)

    def rewind(self, mark: dict[str, int]) -> None:
        """Return to a mark."""
        self._used = dict(mark)


def _sort(act: Act) -> str:
    return f"call {act.api}" if act.kind == "call" else act.kind


def _make(case: Case) -> Observed:
    if case.gold is None:
        raise BadSetting(f"case {case.id!r}: the observed world answers from a gold dialogue, and there is none")
    return Observed(case.gold)


def _file_of(setting: Setting) -> str:
    file = setting.arguments.get("apis", "")
    if not isinstance(file, str):
        raise BadSetting(f"the world 'observed' takes the name of an apis.jsonl, got {file!r}")
    return file


@cache
def _content_of(file: str) -> str:
    return keys.file_key(Path(file)) if file else ""


@cache
def _kind_of(file: str) -> Kind:
    documents = tuple(read(Path(file), Api)) if file else ()
    return Kind(make=_make, documents=lambda: documents)


OBSERVED = Kind(
    make=_make,
    data_key=lambda setting: _content_of(_file_of(setting)),
    at=lambda setting: _kind_of(_file_of(setting)),
)
