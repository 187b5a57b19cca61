"""The declared boundary of `Agent.act`: whatever an agent does becomes a turn that a file gives back as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from toologue import limits
from toologue.errors import UserError, summary
from toologue.loop import Agent
from toologue.schema import AgentTurn, Brief, Fault, Turn

_ENDS = (asyncio.CancelledError, GeneratorExit, SystemExit)


class Guarded:
    """The declared boundary of `Agent.act`: whatever an agent does becomes a turn that can be kept."""

    def __init__(self, agent: Agent):
        self._agent = agent

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The agent's turn, or one with the error that it made."""
        try:
            turn = cast("object", await self._agent.act(history, brief))
        except UserError:
            raise
        except (Exception, *_ENDS) as error:  # a declared boundary: Agent.act
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
                raise  # it was not what the agent waited for: out of time, or the run is being stopped
            return broken(*summary(error))
        if not isinstance(turn, AgentTurn):
            return broken("wrong type", f"act returned {type(turn).__name__}, not AgentTurn")
        return _keepable(turn)


def broken(kind: str, message: str) -> AgentTurn:
    """The turn of an agent that gave none."""
    return AgentTurn(error=Fault(type=kind, message=_clean(message)))


def _keepable(turn: AgentTurn) -> AgentTurn:
    """The turn, if a file gives it back as it is; with lone surrogates replaced; or a turn that says why it cannot."""
    try:
        line = AgentTurn.__pydantic_serializer__.to_json(turn, warnings="error")
        if why := _too_much(line):
            return broken("too much", why)
        if AgentTurn.model_validate_json(line) == turn:
            return turn
    except Exception:  # noqa: BLE001 - a declared boundary: Agent.act
        pass
    try:
        cleaned = AgentTurn.model_validate(_clean(turn.model_dump(warnings=False)))
        why = _too_much(cleaned.model_dump_json().encode())
        return broken("too much", why) if why else cleaned
    except Exception as error:  # noqa: BLE001 - a declared boundary: Agent.act
        return broken(*summary(error))


def _too_much(turn: bytes) -> str:
    """Why a turn is not kept: what is longer fills disks, what is deeper no file gives back. Empty where it is."""
    if len(turn) > limits.TURN:
        return f"a turn of {len(turn):,} bytes, and no more than {limits.TURN:,} are kept"
    deep = limits.deeper(turn, limits.DEEPEST)
    return f"a turn that is nested more than {limits.DEEPEST} levels deep" if deep else ""


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in cast("list[Any]", value)]
    return value
