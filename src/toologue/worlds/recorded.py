"""A world that answers from the record: each act gets the result that the dialogue has for it.

Equal acts are answered in the order of their records, the last one again and again. An act that the record does not
know fails with the type `unrecorded`.

Example:
    >>> from toologue.schema import AgentTurn, Call, Dialogue, Result, UserTurn
    >>> call = Call(api="GetOrder", arguments={"id": 7})
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="?"), AgentTurn(acts=(call,), results=(Result(value="lost"),))))
    >>> Recorded(gold).do(Call(api="GetOrder", arguments={"id": 7.0})).value
    'lost'

Not covered: state. Two different acts never influence each other's results.
"""

from __future__ import annotations

from collections.abc import Sequence

from toologue import keys
from toologue.errors import BadSetting
from toologue.schema import Act, Api, Case, Dialogue, Fault, Result, invocations
from toologue.worlds.world import Kind


class Recorded:
    """The recorded results of one dialogue."""

    apis: Sequence[Api] = ()

    def __init__(self, dialogue: Dialogue):
        self._results: dict[str, list[Result]] = {}
        self._used: dict[str, int] = {}
        for invocation in invocations(dialogue.turns, opening=True):
            self._results.setdefault(_key(invocation.act), []).append(invocation.result)

    def do(self, act: Act) -> Result:
        """The next recorded result of an equal act."""
        key = _key(act)
        known = self._results.get(key)
        if known is None:
            return Result(error=Fault(type="unrecorded", message="the record holds no result for this act"))
        used = self._used.get(key, 0)
        self._used[key] = used + 1
        return known[min(used, len(known) - 1)].model_copy(deep=True)  # the record stays as it is

    def mark(self) -> dict[str, int]:
        """How often each act was answered."""
        return dict(self._used)

    def rewind(self, mark: dict[str, int]) -> None:
        """Return to a mark."""
        self._used = dict(mark)


def _key(act: Act) -> str:
    return keys.content_key(act.model_dump(mode="json", exclude={"raw"}))


def _make(case: Case) -> Recorded:
    if case.gold is None:
        raise BadSetting(f"case {case.id!r}: the recorded world answers from a gold dialogue, and there is none")
    return Recorded(case.gold)


RECORDED = Kind(make=_make)
