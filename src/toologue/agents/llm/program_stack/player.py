"""What a spec of the agent `program_stack` says: settings, then the model.

Example:
    >>> spelled("docs,history,k=3:openai:some-model")[0]
    Settings(shows='docs', k=3, full=True, published=False)
    >>> spelled("openai:some-model")[1]
    'openai:some-model'

Search is greedy, as the paper's: a model of an endpoint is asked at temperature 0 unless its spec says another.

Not covered: settings in a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from toologue.agents.agent import AgentSpec
from toologue.agents.llm.program_stack.agent import ProgramStack
from toologue.agents.llm.program_stack.examples import Examples, trained
from toologue.agents.llm.program_stack.prompts import Settings
from toologue.agents.llm.program_stack.situations import service_of
from toologue.errors import BadSetting, UnknownName
from toologue.models.model import model
from toologue.schema import Brief, Case, Dialogue
from toologue.schema.jsonl import read

_SEEDS = 2**31
_WORDS: dict[str, dict[str, Any]] = {
    "docs": {"shows": "docs"},
    "examples": {"shows": "examples"},
    "both": {"shows": "both"},
    "published": {"published": True},
    "history": {"full": True},
}
_VALUES = ("k", "embedder", "file")


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
    asked, pools = model(_greedy(said.model)), dict[str, Examples]()

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
        return ProgramStack(asked, said.settings, pool, dialogue=case.id, seed=case.seed % _SEEDS)

    return AgentSpec(f"program_stack:{argument}", make)


def _greedy(spec: str) -> str:
    """The spec of an endpoint's model, at temperature 0 where it says none."""
    name, query, options = spec.partition("?")
    if not name.startswith("openai:") or "temperature=" in options:
        return spec
    return f"{name}?temperature=0{'&' if query else ''}{options}"
