"""The agent: the two requests of a turn, programs, then words, each looked at before it leaves; and how it is spelled.

Contract: see the package. `extra["reply"]` says how the endpoint answered; `extra["answer"]` stands where something was
not clean: what the model wrote, its problems, and what was done about them (`repaired`, `held back`, `replaced`).
Search is greedy, as the paper's: a model of an endpoint is asked at temperature 0 unless its spec says another.

Not covered: acts that are no programs; settings in a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from toologue import registry
from toologue.agents.agent import AgentSpec
from toologue.agents.llm import SEEDS, about
from toologue.agents.llm.program_stack.answers import (
    broke,
    is_look,
    looked,
    plain,
    read_programs,
    recent,
    unsupported,
    why,
)
from toologue.agents.llm.program_stack.consent import held_back
from toologue.agents.llm.program_stack.examples import Examples, trained
from toologue.agents.llm.program_stack.prompts import (
    LOOKS,
    Asked,
    Settings,
    Task,
    again,
    messages,
    service_of,
    situation,
    stacked,
)
from toologue.errors import BadRecord, BadSetting, UnknownName
from toologue.formats.dialog2api import Sample, read_output
from toologue.formats.openai import Message
from toologue.models.ask import model
from toologue.models.model import Model, ModelFault, Reply
from toologue.sandbox.program import parse
from toologue.schema import AgentTurn, Brief, Case, Dialogue, Fault, Turn, Usage, place
from toologue.schema.jsonl import read
from toologue.schema.stack import Stacked

_DEFAULT = Settings()
_ONCE_MORE = "Write the whole answer again."
_BROKEN = "It is final and cannot be revised. If the goal still stands, write a program that works under a new uid."
_WORDS: dict[str, dict[str, Any]] = {
    **{shows: {"shows": shows} for shows in ("docs", "examples", "both")},
    "published": {"published": True},
    "history": {"full": True},
}
_VALUES = ("k", "embedder", "file")


class ProgramStack:
    """The agent of one conversation. `examples` are none where nothing is known of the domain; `seed` is sent along.

    `looks`: whether it is asked again after it has looked something up.
    """

    def __init__(
        self,
        model: Model,
        settings: Settings = _DEFAULT,
        examples: Examples | None = None,
        *,
        dialogue: str = "",
        seed: int | None = None,
        looks: bool = True,
    ):
        self._model, self._settings, self._examples = model, settings, examples
        self._dialogue, self._seed, self._looks = dialogue, seed, looks

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The next turn: programs, or words; with an error where the model gave neither."""
        talk = _Talk(self._model, self._seed)
        did = [turn for turn in recent(history) if not is_look(turn)]
        broken = broke(did[0]) if len(did) == 1 and did[0] is history[-1] else ()
        try:
            wrote = AgentTurn()
            if not did or (broken and not self._settings.published):
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
        text, looks = await talk.ask(sent), self._left(history)
        answer = read_programs(text, held, service, looks=looks)
        extra: dict[str, Any] = {}
        problems = [*answer.problems, *(["it was cut off"] if talk.last and talk.last.finish == "length" else [])]
        if problems and not self._settings.published:
            extra = {"text": text, "problems": problems, "done": "repaired"}
            text = await talk.ask(again(sent, problems, _ONCE_MORE, answer=text))
            answer = read_programs(text, held, service, looks=looks)
        if answer.looks:
            return AgentTurn(acts=answer.looks, thought=answer.reason or "looks before it writes")
        if answer.problems:
            extra = {"text": text, "problems": list(answer.problems)}
        service, held, programs = service_of(brief), stacked(history), answer.programs
        if not self._settings.published:
            programs = held_back(programs, held, service, history)
        waiting = [one for one, wrote in zip(programs, answer.programs, strict=True) if one != wrote]
        if waiting:
            extra = {**extra, "held back": [one.goal for one in waiting]}
        told = ". ".join(part for part in (why(programs, held, service), answer.reason) if part)
        return AgentTurn(acts=programs, thought=told or None, extra={"answer": extra} if extra else {})

    async def _words(self, talk: _Talk, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        heard = situation(history, full=True)
        sent = self._messages("response", history, brief)
        written = await talk.ask(sent)
        words, extra = _said(written), dict[str, Any]()
        found = [*looked(history, service_of(brief).name)]
        problems = _problems(words, heard, brief, found)
        if problems and not self._settings.published:
            extra = {"text": written, "problems": problems, "done": "repaired"}
            words = _said(await talk.ask(again(sent, problems, _ONCE_MORE, answer=written)))
            problems = _problems(words, heard, brief, found)
            if problems:
                words, extra = plain(_ran(history)), {"text": words, "problems": problems, "done": "replaced"}
        noted: dict[str, Any] = {"answer": extra} if extra else {}
        if not words:
            return AgentTurn(error=Fault(type="no_words", message="the model's answer has no words"), extra=noted)
        return AgentTurn(text=words, thought=_why_said(heard, history), extra=noted)

    def _messages(self, task: Task, history: Sequence[Turn], brief: Brief) -> list[Message]:
        settings = self._settings
        seen = situation(history, full=settings.full, unheld=not settings.published)
        found: Sequence[Sample] = ()
        if self._examples is not None and settings.shows != "docs":
            near = situation(history)
            found = self._examples.nearest(near, task, settings.k, apis=brief.apis, dialogue=self._dialogue)
        seeks = [*looked(history, service_of(brief).name)]
        return messages(Asked(task, seen, brief, found, seeks, _written(history), self._left(history)), settings)

    def _left(self, history: Sequence[Turn]) -> int:
        return LOOKS - sum(map(is_look, recent(history))) if self._looks and not self._settings.published else 0


class _Talk:
    def __init__(self, model: Model, seed: int | None):
        self._model, self._seed = model, seed
        self.usage: Usage | None = None
        self.last: Reply | None = None

    async def ask(self, sent: Sequence[Message]) -> str:
        self.last = reply = await self._model.reply(sent, seed=self._seed)
        if now := reply.usage:
            before = self.usage or Usage()
            read, written = before.input_tokens + now.input_tokens, before.output_tokens + now.output_tokens
            self.usage = Usage(input_tokens=read, output_tokens=written)
        return reply.text or ""

    def noted(self, turn: AgentTurn) -> AgentTurn:
        """The turn, with what is known of the last reply."""
        said = about(self.last) if self.last else {}
        return turn.replace(usage=self.usage, extra={**turn.extra, **said})


def _said(text: str) -> str:
    try:
        return (read_output(text, "the answer").text or "").strip()
    except BadRecord:
        return ""


def _problems(words: str, seen: Sample, brief: Brief, found: Sequence[str]) -> list[str]:
    if not words:
        return ["there is no <turn>Agent: ...</turn> with words in it"]
    return [f"nothing here says {one!r}" for one in unsupported(words, seen, brief, found)]


def _ran(history: Sequence[Turn]) -> list[Stacked]:
    acts = (act for turn in recent(history) for act in turn.acts)
    goals = {act.goal for act in acts if act.kind == "program"}
    return [one for one in reversed(stacked(history)) if one.goal in goals and one.result is not None]


def _written(history: Sequence[Turn]) -> str:
    goals = dict.fromkeys(act.goal for turn in recent(history) for act in turn.acts if act.kind == "program")
    return f"Of this turn: {', '.join(f'goal {one}' for one in goals)}." if goals else "Nothing was written this turn."


def _why_said(seen: Sample, history: Sequence[Turn]) -> str:
    """Why these words: what the last program came to."""
    if ran := _ran(history):
        return "told what came of " + " and ".join(f"goal {one.goal}" for one in ran)
    top = next(iter(seen.stack), None)
    if top is None or not place(history)[1]:
        return "no program was written"
    if top.status == "abandoned":
        return f"goal {top.goal} is given up"
    missing = parse(top.code).numbers
    return f"asked {f'for ?{min(missing)} of' if missing else 'whether to do'} goal {top.goal}"


class Spelled(NamedTuple):
    """Settings, the spec of the model, the embedder's, a file of examples."""

    settings: Settings
    model: str
    embedder: str = "lexical"
    file: Path | None = None


def spelled(argument: str) -> Spelled:
    """What a spec says. Raises BadSetting, UnknownName."""
    first, _, rest = argument.partition(":")
    options = first.split(",")
    known = [one for one in options if one in _WORDS or one.partition("=")[0] in _VALUES]
    if not known:
        return Spelled(Settings(), argument)
    said: dict[str, Any] = {}
    for option in options:
        name, given, value = option.partition("=")
        if option not in known or (name in _VALUES and not value) or (name in _WORDS and given):
            raise UnknownName("option of the agent 'program_stack'", option, [*_WORDS, *(f"{v}=..." for v in _VALUES)])
        said |= _WORDS.get(option, {name: value})
    count = str(said.pop("k", "5"))
    if not count.isdigit():
        raise BadSetting(f"the agent 'program_stack': k is {count!r}, expected how many examples, e.g. k=5")
    spec, file = said.pop("embedder", "lexical"), said.pop("file", None)
    return Spelled(Settings(k=int(count), **said), rest, spec, Path(file) if file else None)


def program_stack_agent(argument: str) -> AgentSpec:
    """The agent `program_stack:MODEL` or `program_stack:OPTION,OPTION:MODEL`."""
    said = spelled(argument)
    if not said.model:
        told = "the agent 'program_stack' needs a model that writes its programs, and none is named"
        raise BadSetting(f"{told}; give one, program_stack:openai:NAME, or take the agent retrieve, which needs none")
    asked, pools = model(_greedy(said.model), "agent"), dict[str, Examples]()

    def examples(brief: Brief) -> Examples | None:
        """Those of a file; without one ours, where the service is S3."""
        name = "file" if said.file else service_of(brief).name
        if name not in pools:
            own = tuple(read(said.file, Dialogue)) if said.file else trained() if name == "s3" else ()
            pools[name] = Examples(own, said.embedder)
        return pools[name] or None

    def make(case: Case) -> ProgramStack:
        pool = None if said.settings.shows == "docs" else examples(case.brief)
        if pool is None and said.settings.shows == "examples":
            raise BadSetting("the agent 'program_stack' has no examples but for S3: give file=MINE.jsonl, or docs")
        looks = case.protocol != "next"  # there one turn is asked for
        return ProgramStack(asked, said.settings, pool, dialogue=case.id, seed=case.seed % SEEDS, looks=looks)

    return AgentSpec(f"program_stack:{argument}", make)


def _greedy(spec: str) -> str:
    """The spec of an endpoint's model, at temperature 0 where it says none."""
    name, query, options = spec.partition("?")
    warm = name.partition(":")[0] not in registry.names("model") or "temperature=" in options
    return spec if warm else f"{name}?temperature=0{'&' if query else ''}{options}"
