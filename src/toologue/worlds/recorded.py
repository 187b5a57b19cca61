"""Worlds that answer from the record of a dialogue: `recorded` asks for equal acts, `observed` for acts of one sort.

`Recorded` answers equal acts in the order of their records, the last one again and again. `Observed` (ToolDial 4.1,
overall) answers an act by the next recorded result of its sort: a question to the retriever by the next answer of the
retriever, however it is put; a call by the next result of the same Api. An act for which there is no result fails with
the type `unrecorded`. Given `{"apis": FILE}`, `observed` has the documents of that apis.jsonl, which is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from toologue import keys
from toologue.errors import BadSetting
from toologue.schema import Act, Api, Case, Dialogue, Result, Setting, invocations
from toologue.schema.jsonl import read
from toologue.worlds.world import Kind, failure


class Recorded:
    """The recorded results of one dialogue, by act."""

    apis: Sequence[Api] = ()
    # Whether the last result is given again and again, where there are no more.
    repeats = True

    def __init__(self, dialogue: Dialogue):
        self._results: dict[str, list[Result]] = {}
        self._used: dict[str, int] = {}
        for invocation in invocations(dialogue.turns, opening=True):
            self._results.setdefault(self._key(invocation.act), []).append(invocation.result)

    def do(self, act: Act) -> Result:
        """The next recorded result."""
        key = self._key(act)
        results, used = self._results.get(key, []), self._used.get(key, 0)
        self._used[key] = used + 1
        if results and (self.repeats or used < len(results)):
            return results[min(used, len(results) - 1)].model_copy(deep=True)  # the record stays as it is
        missing = "result for this act" if self.repeats else f"more results of {key}"
        return failure("unrecorded", f"the record holds no {missing}")

    def mark(self) -> dict[str, int]:
        """How often each act was answered."""
        return dict(self._used)

    def rewind(self, mark: dict[str, int]) -> None:
        """Return to a mark."""
        self._used = dict(mark)

    def _key(self, act: Act) -> str:
        return keys.content_key(act.model_dump(mode="json", exclude={"raw"}))


class Observed(Recorded):
    """The recorded results of one dialogue, by sort of act."""

    repeats = False

    def _key(self, act: Act) -> str:
        return f"call {act.api}" if act.kind == "call" else act.kind


def _make(world: type[Recorded], case: Case) -> Recorded:
    if case.gold is None:
        name = world.__name__.lower()
        raise BadSetting(f"case {case.id!r}: the {name} world answers from a gold dialogue, and there is none")
    return world(case.gold)


def _file_of(setting: Setting) -> str:
    file = setting.arguments.get("apis", "")
    if not isinstance(file, str):
        raise BadSetting(f"the world 'observed' takes the name of an apis.jsonl, got {file!r}")
    return file


@cache
def _observed(file: str) -> Kind:
    documents, key = tuple(read(Path(file), Api)) if file else (), keys.file_key(Path(file)) if file else ""
    return Kind(make=partial(_make, Observed), documents=lambda: documents, data_key=lambda setting: key)


RECORDED = Kind(make=partial(_make, Recorded))
OBSERVED = Kind(
    make=partial(_make, Observed),
    data_key=lambda setting: _observed(_file_of(setting)).data_key(setting),
    at=lambda setting: _observed(_file_of(setting)),
)
