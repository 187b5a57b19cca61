"""Acts: the world answers now as the dialogue says it did, and each call is one that its document allows.

Every act is done again, in order, in a fresh world; value, error and changes must be the recorded ones. A world that
plays back (`recorded`) or does nothing (`none`) proves nothing: there, results must fit what the document says the Api
returns ("consistent, not executed").

Example:
    >>> from toologue.schema import AgentTurn, Api, Call, Dialogue, Result, UserTurn
    >>> count = Call(api="count", arguments={})
    >>> turns = (UserTurn(), AgentTurn(acts=(count,), results=(Result(value="two"),)))
    >>> documents = {"count": Api(name="count", returns={"type": "integer"})}
    >>> for flaw in wrong_acts(Dialogue(id="d", turns=turns), documents, None):
    ...     print(flaw)
    turn 1: execution: count: the result 'two' does not fit what its document says it returns

Not covered: whether arguments fit their schemas; a world that executes refuses those that do not, and the refusal is
its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from toologue.errors import UnknownName, shown
from toologue.loop import World, execute
from toologue.schema import Api, Call, Case, Dialogue, Result
from toologue.values.compare import same
from toologue.values.json_schema import fits
from toologue.verify.flaw import Flaw
from toologue.worlds.world import kind_of, make_world

_NOT_EXECUTED = ("none", "recorded")


def world_of(dialogue: Dialogue) -> World | None:
    """A fresh world for a dialogue; None where its world executes nothing."""
    if dialogue.world.name in _NOT_EXECUTED:
        return None
    return make_world(Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="forced"))


def documents(dialogue: Dialogue, apis: Mapping[str, Api] | None, world: World | None) -> Mapping[str, Api]:
    """The documents to go by: those given, else the world's own."""
    if apis is not None:
        return apis
    return {api.name: api for api in (world.apis if world is not None else kind_of(dialogue.world.name).apis)}


def wrong_acts(dialogue: Dialogue, apis: Mapping[str, Api], world: World | None) -> Iterator[Flaw]:
    """Every flaw of the acts of a dialogue. The world is left as it was."""
    mark = world.mark() if world is not None else None
    try:
        for place, turn in enumerate(dialogue.turns):
            if turn.role == "agent":
                for act, result in zip(turn.acts, turn.results or (None,) * len(turn.acts), strict=False):
                    if act.kind == "call":
                        yield from (Flaw("arguments", place, what) for what in _undocumented(act, apis))
                        yield from (Flaw("execution", place, what) for what in _differs(act, result, apis, world))
    finally:
        if world is not None:
            world.rewind(mark)


def _undocumented(call: Call, apis: Mapping[str, Api]) -> Iterator[str]:
    """What the document of its Api has against a call."""
    api = apis.get(call.api)
    if api is None:
        if apis:
            yield str(UnknownName("api", call.api, apis))
        return
    given = call.arguments or {}
    for name in given.keys() - api.parameters.keys():
        yield f"{call.api}: {UnknownName('parameter', name, api.parameters)}"
    for name in api.required:
        if given.get(name) is None:
            yield f"{call.api}: the required {name} is missing"


def _differs(call: Call, recorded: Result | None, apis: Mapping[str, Api], world: World | None) -> Iterator[str]:
    """What the world says against a recorded result, or else the document."""
    if world is None:
        api = apis.get(call.api)
        if api and recorded and not recorded.error and not fits(recorded.value, api.returns):
            yield f"{call.api}: the result {shown(recorded.value)} does not fit what its document says it returns"
        return
    lived = execute(world, call)  # done even where nothing is recorded: what follows may hang on it
    if recorded is None:
        return
    one, other = _told(recorded), _told(lived)
    if not same(one, other):
        what = next(what for what in one if not same(one[what], other[what]))
        yield f"{call.api}: recorded {what} {shown(one[what])}, executed {shown(other[what])}"


def _told(result: Result) -> dict[str, JsonValue]:
    """What a result tells, the plainest first."""
    error = result.error and f"{result.error.type}: {result.error.message}"
    created: list[JsonValue] = [*sorted(result.created)]
    return {"error": error, "value": result.value, "changes": result.changes, "created": created}
