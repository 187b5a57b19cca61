"""Language models: what one is, the offline fake, the fault a request ends in, and the switch that forbids requests.

`reply(messages, tools=, output=, seed=)` takes chat messages and tools as `formats.openai` writes them and gives a
`Reply`. `output` is a JSON Schema that the words must satisfy; whoever asks parses them. `models.ask` makes models from
their names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from toologue.errors import BadSetting, ToologueError
from toologue.formats.openai import Message
from toologue.schema import AgentTurn, Call, Fault, FaultType, Noun, Usage

_SWITCH = "TOOLOGUE_REQUESTS"

# Why the model stopped: it was done, out of tokens, wants results, was filtered; other: the endpoint did not say.
Finish = Literal["stop", "length", "tool_calls", "content_filter", "other"]

_UNANSWERED = (408, 502, 504)  # somebody on the way has lost the answer
Messages = Sequence[Message]
# The JSON Schema that words must satisfy.
Output = Mapping[str, Any] | None

_REMEDIES: dict[FaultType, str] = {
    "rate_limited": "lower the concurrency, or wait",
    "timeout": "raise the option `timeout`",
    "connection": "does the endpoint run, and is its base URL right?",
    "unauthorized": "is the key right, and does it still hold?",
    "not_found": "check the model's name and the base URL",
    "budget": "raise --budget",
}


class Reply(Noun):
    """What a model answered. `text` is None where it only calls; `usage` is None where the endpoint does not count.

    `thought` is reasoning that the endpoint hands out, `model` the name that the endpoint gives itself, `tries` how
    many requests it took.
    """

    text: str | None = None
    calls: tuple[Call, ...] = ()
    usage: Usage | None = None
    finish: Finish = "stop"
    thought: str | None = None
    model: str = ""
    tries: int = 1


class ModelFault(ToologueError):
    """A model gave no reply. `type` says what happened; `excerpt` is the start of what the endpoint sent instead.

    `sent`: whether the request left this machine.
    """

    def __init__(
        self,
        type: FaultType,
        message: str,
        *,
        status: int | None = None,
        excerpt: str = "",
        retry_after: float | None = None,
        tries: int = 1,
        sent: bool = True,
    ):
        super().__init__(message)
        self.type: FaultType = type
        self.status, self.excerpt, self.retry_after, self.tries, self.sent = status, excerpt, retry_after, tries, sent

    @property
    def may_cost(self) -> bool:
        """Whether the endpoint may have answered, and charged for it: what it refuses costs nothing."""
        refused = self.status is not None and self.status >= 400 and self.status not in _UNANSWERED
        return self.sent and not refused

    def __str__(self) -> str:
        tried = f", tried {self.tries} times" if self.tries > 1 else ""
        status = f", status {self.status}" if self.status is not None else ""
        remedy = f" ({_REMEDIES[self.type]})" if self.type in _REMEDIES else ""
        return f"{self.args[0]}{tried}{status}{remedy}" + (f": {self.excerpt}" if self.excerpt else "")

    def turn(self, usage: Usage | None = None) -> AgentTurn:
        """The turn of an agent whose model gave no reply."""
        extra: dict[str, Any] = {"status": self.status, "tries": self.tries}
        return AgentTurn(error=Fault(type=self.type, message=str(self)), usage=usage, extra={"reply": extra})


@dataclass(frozen=True)
class Asked:
    """One request, as a model got it."""

    messages: tuple[Message, ...]
    tools: tuple[Message, ...] = ()
    output: Output = None
    seed: int | None = None


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """What traces and reports call it."""
        ...

    async def reply(
        self, messages: Messages, *, tools: Messages = (), output: Output = None, seed: int | None = None
    ) -> Reply:
        """The answer to a conversation. Raises ModelFault."""
        ...


Line = Reply | ModelFault | str


@dataclass
class ScriptedModel:
    """Answers from a script: a list in the order of the requests, or a function of what was asked. Records `asked`.

    A text is a reply in words, a ModelFault is raised. With conversations side by side use a function: the order of
    their requests is not fixed.
    """

    script: Sequence[Line] | Callable[[Asked], Line]
    name: str = "scripted"
    asked: list[Asked] = field(default_factory=list[Asked])

    async def reply(
        self, messages: Messages, *, tools: Messages = (), output: Output = None, seed: int | None = None
    ) -> Reply:
        """The scripted reply. Raises BadSetting where the script has ended."""
        asked = Asked(tuple(messages), tuple(tools), output, seed)
        self.asked.append(asked)
        if callable(self.script):
            line = self.script(asked)
        elif len(self.asked) <= len(self.script):
            line = self.script[len(self.asked) - 1]
        else:
            raise BadSetting(f"the script of model {self.name!r} has {len(self.script)} replies; it was asked for more")
        if isinstance(line, ModelFault):
            raise line
        return Reply(text=line) if isinstance(line, str) else line


def forbid_requests() -> None:
    """Forbid real requests from now on, here and in processes started from here (TOOLOGUE_REQUESTS=forbidden)."""
    os.environ[_SWITCH] = "forbidden"


@contextmanager
def requests_allowed() -> Generator[None]:
    """Allow real requests inside a `with` block, whatever was forbidden outside."""
    before = os.environ.pop(_SWITCH, None)
    try:
        yield
    finally:
        if before is not None:
            os.environ[_SWITCH] = before


def check_requests_allowed(what: str) -> None:
    """Raise BadSetting if real requests are forbidden; `what` says which one was about to be made."""
    if os.environ.get(_SWITCH, "") == "forbidden":
        remedy = f"unset {_SWITCH}, or allow them with `toologue.models.model.requests_allowed()`"
        raise BadSetting(f"requests to language models are forbidden here, and {what} was about to be asked; {remedy}")
