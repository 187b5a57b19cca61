"""The agent `talm:TASK:MODEL`: a language model that works in ToolDial's text format (arXiv 2503.00564, A.12, A.13).

    talm:dst:MODEL            says the dialogue state
    talm:action:MODEL         names the next action
    talm:faithfulness:MODEL   says the response
    talm:overall:MODEL        takes whole steps: Thought, Action, Dialogue State, Message; short: talm:MODEL

The model is told the task and its rules in a system message (`talm.txt`; the wording is ours) and the conversation in
a user message, in the lines of `formats.tooldial.steps`, with the documents of the Apis that the retriever found:
types, choices, defaults, examples, and what the documentation settles. What the history hides has no lines.

The rules say what the labels say, and nothing else decides: when to ask for what, when to say goodbye, and with which
actions no Api is confirmed, by the convention that `facts["states"]` of the brief names (`formats.tooldial`).

Contract: a function of the history and the brief. An answer is read by `formats.tooldial`; what the model wrote
stands in `extra["answer"]`, with problem and notes, where it was not clean. A step without a known action has an error
of the problem's name. In overall steps `call` calls the Api of the step's state with its filled slots, and
`retriever_call` asks for a required slot that this state, or the last in sight, lacks; else with the user's last words.

From which score on an Api is settled, or worth suggesting, is the retriever's: `facts["retriever"]` of the brief says
it, {"confirm": 0.45, "suggest": 0.3}; the paper's retriever has 0.6 and 0.5.

Not covered: fine-tuned models that continue the flat text without being told; they need another endpoint than chat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pydantic import JsonValue

from toologue.agents.agent import AgentSpec
from toologue.agents.llm import ModelAgent, asking
from toologue.formats.functions import bands_of
from toologue.formats.openai import Message
from toologue.formats.tooldial import (
    TASKS,
    UNCONFIRMED,
    Answer,
    Task,
    convention_of,
    read_action,
    read_state,
    read_step,
    state_of,
    steps,
)
from toologue.models.ask import render_prompt
from toologue.models.model import Model
from toologue.schema import Act, AgentTurn, Api, Brief, Call, Fault, Retrieve, State, Turn, UserTurn
from toologue.worlds.documented.arguments import settled


class Talm(ModelAgent):
    """An agent over a model, for one task."""

    def __init__(self, model: Model, task: Task = "overall", *, seed: int | None = None):
        super().__init__(model, seed=seed)
        self._task: Task = task

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The model's next turn; with an error where it gave none."""
        sent, read = prompt(self._task, brief, history), _READ[self._task]
        return await self.replied(sent, lambda reply: read(reply.text or "", history))


def talm_agent(argument: str) -> AgentSpec:
    """The agent `talm:MODEL` or `talm:TASK:MODEL`."""
    first, _, rest = argument.partition(":")
    task: Task | None = next((task for task in TASKS if task == first), None)
    ways = f"talm:openai:NAME, or talm:TASK:openai:NAME ({', '.join(TASKS)})"
    make = partial(Talm, task=task or "overall")
    return asking("talm", rest if task else argument, make, name=f"talm:{argument}", ways=ways)


def prompt(task: Task, brief: Brief, history: Sequence[Turn]) -> list[Message]:
    """What the model is asked with."""
    documents, bands = {api.name: _settling(api) for api in brief.apis}, bands_of(brief)
    told = steps(history, documents, least=bands["suggest"])
    shown = [line.text for line in told if not (task == "action" and line.kind == "thought")]
    scores = {name: f"{score:g}" for name, score in bands.items()}
    asked = render_prompt(
        __file__, "talm.txt", task=task, unconfirmed=UNCONFIRMED[convention_of(brief.facts)], **scores
    )
    system = "\n\n".join(part for part in (asked, brief.instructions.strip()) if part)
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(shown)}]


def _settling(api: Api) -> Api:
    """The document that says of a parameter which value the documentation settles."""
    known = {
        name: api.parameters[name].replace(json_schema={**api.parameters[name].json_schema, "value": value})
        for name, value in settled(api).items()
    }
    return api.replace(parameters={**api.parameters, **known}) if known else api


def _dst(text: str, history: Sequence[Turn]) -> AgentTurn:
    answer = read_state(text)
    if "'" in text and not answer.notes:  # the published code reads it otherwise
        answer = answer._replace(notes=("apostrophe",))
    return AgentTurn(state=_state(answer), error=_fault(answer.problem), extra=_noted(text, answer, state=text))


def _action(text: str, history: Sequence[Turn]) -> AgentTurn:
    answer = read_action(text)
    return AgentTurn(action=answer.value, error=_fault(answer.problem), extra=_noted(text, answer, action=text))


def _faithfulness(text: str, history: Sequence[Turn]) -> AgentTurn:
    said = text.strip()
    head, _, rest = said.partition("Message:")
    return AgentTurn(text=rest.strip() if head.strip(" -*") == "" and rest.strip() else said, action="response")


def _overall(text: str, history: Sequence[Turn]) -> AgentTurn:
    step = read_step(text)
    action, state = step.action.value, _state(step.state)
    said = {"state": step.state.value} if step.state.value is not None and state is None else {}
    known = state or _last(history)
    problem = step.problem or (step.state.problem if action == "call" and known.api is None else None)
    noted = Answer(None, step.problem or step.state.problem, step.notes)
    turn = AgentTurn(action=action, state=state, thought=step.thought, extra=_noted(text, noted, **said))
    if problem:
        return turn.replace(error=_fault(problem))
    if action == "call":
        slots = {**known.required, **known.optional}
        filled = {name: slots[name] for name in slots if slots[name] not in ("", None)}
        return turn.replace(acts=(Call(api=known.api or "", arguments=filled),))
    if action == "retriever_call":
        return turn.replace(acts=(_retrieval(known if known.api else _last(history), history),))
    return turn.replace(text=step.message)


_Read = Callable[[str, Sequence[Turn]], AgentTurn]
_READ: dict[Task, _Read] = {"dst": _dst, "action": _action, "faithfulness": _faithfulness, "overall": _overall}


def _state(answer: Answer) -> State | None:
    try:
        return None if answer.value is None else state_of(answer.value)
    except ValueError:
        return None


def _retrieval(known: State, history: Sequence[Turn]) -> Act:
    """For whom the retriever is asked: for a slot that is known to lack, else with the user's words."""
    lacking = next((name for name, value in known.required.items() if value in ("", None)), None)
    said = next((turn.text for turn in reversed(history) if isinstance(turn, UserTurn)), "")
    return Retrieve(missing=(known.api, lacking)) if known.api and lacking else Retrieve(query=said)


def _last(history: Sequence[Turn]) -> State:
    states = (turn.state for turn in reversed(history) if isinstance(turn, AgentTurn))
    return next((state for state in states if state is not None), State())


def _fault(problem: str | None) -> Fault | None:
    return Fault(type=problem, message=f"the model's answer: {problem.replace('_', ' ')}") if problem else None


def _noted(text: str, answer: Answer, **said: Any) -> dict[str, JsonValue]:
    if not answer.problem and not answer.notes:
        return {}
    return {"answer": {"problem": answer.problem, "notes": list(answer.notes), "text": text, **said}}
