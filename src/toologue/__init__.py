"""toologue: turn API docs and support procedures into conversations, run any tool-using agent, grade what it did."""

from __future__ import annotations

TYPE_CHECKING = False  # so that not even `typing` is loaded
if TYPE_CHECKING:
    from typing import Any

    from toologue.api import Report as Report
    from toologue.api import chat as chat
    from toologue.api import evaluate as evaluate
    from toologue.api import evaluate_async as evaluate_async
    from toologue.api import generate as generate
    from toologue.api import load as load
    from toologue.api import prove as prove
    from toologue.errors import ToologueError as ToologueError
    from toologue.errors import UserError as UserError
    from toologue.loop import Agent as Agent
    from toologue.loop import User as User
    from toologue.loop import World as World
    from toologue.models.model import Model as Model
    from toologue.models.model import Reply as Reply
    from toologue.schema import AgentTurn as AgentTurn
    from toologue.schema import Api as Api
    from toologue.schema import Brief as Brief
    from toologue.schema import Call as Call
    from toologue.schema import Case as Case
    from toologue.schema import Dialogue as Dialogue
    from toologue.schema import Result as Result
    from toologue.schema import Score as Score
    from toologue.schema import Setting as Setting
    from toologue.schema import Trace as Trace
    from toologue.schema import UserTurn as UserTurn

__version__ = "0.1.0"

__all__ = [
    "Agent", "AgentTurn", "Api", "Brief", "Call", "Case", "Dialogue", "Model", "Reply", "Report", "Result", "Score",
    "Setting", "ToologueError", "Trace", "User", "UserError", "UserTurn", "World", "chat", "evaluate", "evaluate_async",
    "generate", "load", "prove",
]  # fmt: skip
_ELSEWHERE = {
    "api": "Report chat evaluate evaluate_async generate load prove",
    "errors": "ToologueError UserError",
    "loop": "Agent User World",
    "models.model": "Model Reply",
}
_OF = dict.fromkeys(__all__, "schema") | {name: of for of, names in _ELSEWHERE.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A public name, looked up when it is first asked for: the import alone loads nothing."""
    if name not in _OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
