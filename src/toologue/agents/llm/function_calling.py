"""The function-calling agent: any language model that writes calls, in the loop.

    function_calling:MODEL   with any model that `models.ask.model` understands
    PROVIDER:NAME            short for function_calling:PROVIDER:NAME

    ?prompt=mine.txt         behind it: the system message is this jinja2 template of yours
    ?prompt=tooltalk         ToolTalk's, as published (arXiv 2311.10775, appendix)

Contract: a request is made of a system message and the conversation so far, results and errors of tools included; the
tools are the brief's Apis. A template of the system message sees `instructions` and `facts`, texts, and `known`, the
facts by name; what is not known is empty there. One reply is one turn: parallel calls are its acts. Calls
go to the world as the model wrote them: unknown names, and arguments that are no JSON object (None, `raw` keeps the
text). A model that gives no reply makes a turn with an error named like the fault, and no words.

The turn carries `usage`, and in `extra["reply"]` what the endpoint calls its model, why it stopped, and the tries.

Example:
    >>> from toologue.loop import play
    >>> from toologue.models.model import ScriptedModel
    >>> from toologue.schema import Case, Dialogue, UserTurn
    >>> hello = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
    >>> agent = FunctionCalling(ScriptedModel(["Good morning."]))
    >>> play(Case(id="hello", gold=hello, protocol="forced"), agent)[0][1].text
    'Good morning.'

Not covered: tools whose names an endpoint refuses (OpenAI wants letters, digits, `_` and `-`, 64 at most), and
conversations longer than the model's window.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from toologue import limits
from toologue.agents.agent import AgentSpec, split_options
from toologue.agents.llm import ModelAgent, asking
from toologue.data import text_of
from toologue.errors import BadFile, BadSetting
from toologue.formats.functions import as_acts, as_calls, as_functions
from toologue.formats.openai import Message, to_messages, tools
from toologue.models.model import Model
from toologue.schema import AgentTurn, Brief, Turn

if TYPE_CHECKING:
    import jinja2

OURS = "function_calling"
_SHIPPED = (OURS, "tooltalk")


class Template:
    """A template by its name or its file. Raises BadFile, BadSetting for one that cannot be read."""

    def __init__(self, named: str = OURS):
        self._file = Path(__file__).with_name(f"{named}.txt") if named in _SHIPPED else Path(named)
        if named not in _SHIPPED and not self._file.is_file():
            raise BadFile(f"there is no prompt {named!r}: name a file, or one that ships: {', '.join(_SHIPPED)}")
        assert self._read

    @cached_property
    def _read(self) -> jinja2.Template:
        from jinja2 import TemplateSyntaxError
        from jinja2.sandbox import SandboxedEnvironment

        try:
            return SandboxedEnvironment().from_string(text_of(self._file, limits.PAGE))
        except TemplateSyntaxError as error:
            raise BadSetting(f"{self._file}, line {error.lineno}: this is no template: {error.message}") from None

    def __call__(self, brief: Brief) -> str:
        """What it says of a brief. Raises BadSetting where it cannot be filled."""
        from jinja2 import TemplateError

        known = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in brief.known.items()
        }
        facts = "\n".join(f"{name}: {value}" for name, value in known.items())
        try:
            return self._read.render(
                instructions=brief.instructions.strip(), facts=facts, known=defaultdict(str, known)
            ).strip()
        except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
            raise BadSetting(f"{self._file}: the prompt cannot be filled: {error}") from None


_OURS = Template()


class FunctionCalling(ModelAgent):
    """An agent over a model, told by a template."""

    def __init__(self, model: Model, template: Template = _OURS, *, seed: int | None = None):
        super().__init__(model, seed=seed)
        self._template = template

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The model's next turn; with an error where it gave none."""
        searching = "retriever" in brief.facts
        told, seen = (as_functions(brief), [*map(as_calls, history)]) if searching else (brief, history)
        sent: list[Message] = [{"role": "system", "content": self._template(told)}, *to_messages(seen)]
        turn = await self.replied(sent, lambda reply: AgentTurn(text=reply.text, acts=reply.calls), tools(told.apis))
        return as_acts(turn, brief) if searching else turn


def function_calling_agent(argument: str) -> AgentSpec:
    """The agent `function_calling:MODEL`."""
    model, told = split_options(argument, "prompt")
    template = Template(told["prompt"]) if "prompt" in told else _OURS
    return asking(
        "function_calling", model, partial(FunctionCalling, template=template), name=f"function_calling:{argument}"
    )
