"""The function-calling agent: any language model that writes calls, in the loop.

    function_calling:MODEL   with any model that `models.ask.model` understands
    PROVIDER:NAME            short for function_calling:PROVIDER:NAME

Contract: a request is made of a system message (`system`), which holds the brief's instructions and facts, and the
conversation so far, results and errors of tools included; the tools are the brief's Apis. `?prompt=` names another
template for the system message. One reply is one turn: parallel calls are its acts. Calls
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
from functools import partial

from toologue.agents.agent import AgentSpec, split_options
from toologue.agents.llm import ModelAgent, asking
from toologue.agents.llm.system import Template
from toologue.formats.openai import Message, to_messages, tools
from toologue.models.model import Model, Reply
from toologue.schema import AgentTurn, Brief, Turn

_OURS = Template()


class FunctionCalling(ModelAgent):
    """An agent over a model, told by a template."""

    def __init__(self, model: Model, template: Template = _OURS, *, seed: int | None = None):
        super().__init__(model, seed=seed)
        self._template = template

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The model's next turn; with an error where it gave none."""
        sent: list[Message] = [{"role": "system", "content": self._template(brief)}, *to_messages(history)]
        return await self.replied(sent, _turn, tools(brief.apis))


def _turn(reply: Reply) -> AgentTurn:
    return AgentTurn(text=reply.text, acts=reply.calls)


def function_calling_agent(argument: str) -> AgentSpec:
    """The agent `function_calling:MODEL`."""
    model, told = split_options(argument, "prompt")
    template = Template(told["prompt"]) if "prompt" in told else _OURS
    return asking(
        "function_calling", model, partial(FunctionCalling, template=template), name=f"function_calling:{argument}"
    )
