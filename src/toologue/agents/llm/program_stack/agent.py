"""The two requests of a turn: programs, then words; each looked at before it leaves.

Contract: see the package. `extra["reply"]` says how the endpoint answered; `extra["answer"]` stands where something was
not clean: what the model wrote, its problems, and what was done about them (`repaired`, `held back`, `replaced`).

Example: the one of the package.

Not covered: acts that are no programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toologue.agents.llm.program_stack.answers import Answer, broke, held_back, read_programs, why
from toologue.agents.llm.program_stack.examples import Examples
from toologue.agents.llm.program_stack.grounding import plain, unsupported
from toologue.agents.llm.program_stack.prompts import Asked, Settings, again, messages
from toologue.agents.llm.program_stack.situations import Task, service_of, situation, stacked
from toologue.errors import BadRecord
from toologue.formats.dialog2api import Sample, read_output
from toologue.formats.openai import Message
from toologue.models.model import Model, ModelFault, Reply
from toologue.sandbox.program import parse
from toologue.schema import AgentTurn, Brief, Fault, Turn, Usage, place
from toologue.schema.stack import Stacked

PLAIN = Settings()
"""Documents and examples, checked."""

_ONCE_MORE = "Write the whole answer again."
_BROKEN = "It is final and cannot be revised. If the goal still stands, write a program that works under a new uid."


class ProgramStack:
    """The agent of one conversation. `examples` are none where nothing is known of the domain; `seed` is sent along."""

    def __init__(
        self,
        model: Model,
        settings: Settings = PLAIN,
        examples: Examples | None = None,
        *,
        dialogue: str = "",
        seed: int | None = None,
    ):
        self._model, self._settings, self._examples = model, settings, examples
        self._dialogue, self._seed = dialogue, seed

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn: programs, or words; with an error where the model gave neither."""
        taken = place(history)[1]
        last = history[-1] if history else None
        broken = broke(last) if taken == 1 and last is not None and last.role == "agent" else ()
        talk = _Talk(self._model, self._seed)
        try:
            wrote = AgentTurn()
            if taken == 0 or (broken and not self._settings.published):
                wrote = await self._programs(talk, history, brief, broken)
            if wrote.acts:
                return talk.noted(wrote)
            told = await self._words(talk, history, brief)
            return talk.noted(told.replace(extra={**wrote.extra, **told.extra}))
        except ModelFault as fault:
            return fault.turn(talk.usage)

    async def _programs(self, talk: _Talk, history: Sequence[Turn], brief: Brief, broken: Sequence[str]) -> AgentTurn:
        service, held = service_of(brief), stacked(history)
        sent = self._messages("program", history, brief)
        if broken:
            sent = again(sent, broken, _BROKEN)
        text = await talk.ask(sent)
        answer = read_programs(text, held, service)
        extra: dict[str, Any] = {}
        problems = [*answer.problems, *(["it was cut off"] if talk.cut else [])]
        if problems and not self._settings.published:
            extra = {"text": text, "problems": problems, "done": "repaired"}
            text = await talk.ask(again(sent, problems, _ONCE_MORE, answer=text))
            answer = read_programs(text, held, service)
        if answer.problems:
            extra = {"text": text, "problems": list(answer.problems)}
        return self._turn(answer, held, brief, extra)

    def _turn(self, answer: Answer, held: tuple[Stacked, ...], brief: Brief, extra: dict[str, Any]) -> AgentTurn:
        """The turn that an answer makes."""
        service, programs = service_of(brief), answer.programs
        if not self._settings.published:
            programs = held_back(programs, held, service)
        waiting = [one for one, wrote in zip(programs, answer.programs, strict=True) if one != wrote]
        if waiting:
            extra = {**extra, "held back": [one.goal for one in waiting]}
        told = ". ".join(part for part in (why(programs, service, waiting), answer.reason) if part)
        return AgentTurn(acts=programs, thought=told or None, extra={"answer": extra} if extra else {})

    async def _words(self, talk: _Talk, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        seen = situation(history, full=self._settings.full)
        sent = self._messages("response", history, brief)
        written = await talk.ask(sent)
        words, extra = _said(written), dict[str, Any]()
        problems = _problems(words, seen, brief)
        if problems and not self._settings.published:
            extra = {"text": written, "problems": problems, "done": "repaired"}
            words = _said(await talk.ask(again(sent, problems, _ONCE_MORE, answer=written)))
            problems = _problems(words, seen, brief)
            if problems:
                words, extra = plain(_ran(history)), {"text": words, "problems": problems, "done": "replaced"}
        noted: dict[str, Any] = {"answer": extra} if extra else {}
        if not words:
            return AgentTurn(error=Fault(type="no_words", message="the model's answer has no words"), extra=noted)
        return AgentTurn(text=words, thought=_why_said(seen, history), extra=noted)

    def _messages(self, task: Task, history: Sequence[Turn], brief: Brief) -> list[Message]:
        settings, seen = self._settings, situation(history, full=self._settings.full)
        found: Sequence[Sample] = ()
        if self._examples is not None and settings.shows != "docs":
            near = situation(history)
            found = self._examples.nearest(near, task, settings.k, apis=brief.apis, dialogue=self._dialogue)
        return messages(Asked(task, seen, brief, found), settings)


class _Talk:
    """The requests of one turn, and what they cost."""

    def __init__(self, model: Model, seed: int | None):
        self._model, self._seed = model, seed
        self.usage: Usage | None = None
        self.last: Reply | None = None

    @property
    def cut(self) -> bool:
        """Whether the last answer was too long for the endpoint."""
        return self.last is not None and self.last.finish == "length"

    async def ask(self, sent: Sequence[Message]) -> str:
        """What the model says to this. Raises ModelFault."""
        self.last = reply = await self._model.reply(sent, seed=self._seed)
        if reply.usage is not None:
            before = self.usage or Usage()
            self.usage = Usage(
                input_tokens=before.input_tokens + reply.usage.input_tokens,
                output_tokens=before.output_tokens + reply.usage.output_tokens,
            )
        return reply.text or ""

    def noted(self, turn: AgentTurn) -> AgentTurn:
        """The turn, with what is known of the last reply."""
        reply = self.last
        if reply is None:
            return turn
        about = {"model": reply.model, "finish": reply.finish, "tries": reply.tries}
        return turn.replace(usage=self.usage, extra={**turn.extra, "reply": about})


def _said(text: str) -> str:
    """The words of an answer."""
    try:
        return (read_output(text, "the answer").text or "").strip()
    except BadRecord:
        return ""


def _problems(words: str, seen: Sample, brief: Brief) -> list[str]:
    if not words:
        return ["there is no <turn>Agent: ...</turn> with words in it"]
    return [f"nothing here says {one!r}" for one in unsupported(words, seen, brief)]


def _ran(history: Sequence[Turn]) -> list[Stacked]:
    """The programs of this round that ran."""
    taken = place(history)[1]
    recent = history[len(history) - taken :]
    acts = [act for turn in recent if turn.role == "agent" for act in turn.acts]
    goals = [act.goal for act in acts if act.kind == "program"]
    return [one for one in reversed(stacked(history)) if one.goal in goals and one.result is not None]


def _why_said(seen: Sample, history: Sequence[Turn]) -> str:
    """Why these words: what the last program came to."""
    ran = _ran(history)
    if ran:
        return "told what came of " + " and ".join(f"goal {one.goal}" for one in ran)
    wrote = place(history)[1] > 0
    top = next(iter(seen.stack), None)
    if top is None or not wrote:
        return "no program was written"
    if top.status == "abandoned":
        return f"goal {top.goal} is given up"
    missing = parse(top.code).numbers
    return f"asked {f'for ?{min(missing)} of' if missing else 'whether to do'} goal {top.goal}"
