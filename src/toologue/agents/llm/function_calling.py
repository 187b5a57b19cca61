"""The function-calling agent: any language model that writes calls, in the loop.

    function_calling:MODEL   with any model that `models.ask.model` understands
    openai:NAME              short for function_calling:openai:NAME

Contract: a request is made of the brief's instructions (or `DEFAULT`), its facts, and the conversation so far, results
and errors of tools included; the tools are the brief's Apis. One reply is one turn: parallel calls are its acts. Calls
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

from collections.abc import Sequence

from toologue.agents.agent import AgentSpec
from toologue.agents.llm import ModelAgent, asking
from toologue.formats.openai import prompt, tools
from toologue.models.model import Reply
from toologue.schema import AgentTurn, Brief, Turn

DEFAULT = (
    "You are a helpful assistant. Use the tools to do what the user asks, and only what they ask. Never invent "
    "arguments or results: ask the user for what you need and cannot look up, and say so when a tool fails."
)
"""The instructions of an agent whose brief has none."""


class FunctionCalling(ModelAgent):
    """An agent over a model."""

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The model's next turn; with an error where it gave none."""
        told = brief if brief.instructions else brief.replace(instructions=DEFAULT)
        return await self.replied(prompt(told, history), _turn, tools(brief.apis))


def _turn(reply: Reply) -> AgentTurn:
    return AgentTurn(text=reply.text, acts=reply.calls)


def function_calling_agent(argument: str) -> AgentSpec:
    """The agent `function_calling:MODEL`."""
    return asking("function_calling", argument, FunctionCalling)


def openai_agent(argument: str) -> AgentSpec:
    """The agent `openai:NAME`."""
    return asking("openai", f"openai:{argument}", FunctionCalling, name=f"openai:{argument}")
