"""A customer whom a model plays: `scenario:openai:NAME`, told what stands in the dialogue's `extra["scenario"]`.

Imported suites without words (tau2) come to life with it, under the protocol `live`. The agent's calls are not shown.

Not covered: that two conversations with one agent are the same; keep the model's replies (`--record`) for that.
"""

from __future__ import annotations

from collections.abc import Sequence

from toologue.errors import BadSetting, Unfinished
from toologue.loop import User
from toologue.models.ask import ask, model, render_prompt
from toologue.models.model import Message, Model, ModelFault
from toologue.schema import Case, Turn, UserTurn
from toologue.users import UserFactory

END, _GREETING = "[END]", "Hello, how can I help you?"


class ScenarioUser:
    """Speaks as the model does, and leaves where that writes `[END]`."""

    def __init__(self, model: Model, scenario: str, seed: int):
        self._model, self._seed = model, seed
        self._told = render_prompt(__file__, "scenario.txt", scenario=scenario, end=END)

    async def say(self, history: Sequence[Turn]) -> UserTurn:
        """The next words. Raises Unfinished where the model gives none."""
        messages: list[Message] = [{"role": "system", "content": self._told}]
        if not history or history[0].role == "user":
            messages.append({"role": "user", "content": _GREETING})
        for turn in history:
            if turn.text:
                messages.append({"role": "assistant" if turn.role == "user" else "user", "content": turn.text})
        try:
            said = await ask(self._model, messages, self._seed, len(history))
        except ModelFault as fault:
            raise Unfinished(f"the customer's model gave no reply: {fault}") from None
        text, end, _ = said.partition(END)
        return UserTurn(text=text.strip(), stop="done" if end else None)


def scenario_user(argument: str | Case) -> UserFactory:
    """The user `scenario:MODEL`. Raises BadSetting without a model; its factory, for a dialogue without a scenario."""
    if not isinstance(argument, str):
        raise BadSetting("the user 'scenario' is played by a model: name it, as in scenario:openai:NAME")
    played_by = model(argument, "user")

    def make(case: Case) -> User:
        told = case.gold and case.gold.extra.get("scenario")
        if not isinstance(told, str):
            raise BadSetting(f'dialogue {case.id!r} tells its customer nothing: it has no text in extra["scenario"]')
        return ScenarioUser(played_by, told, case.seed)

    return make
