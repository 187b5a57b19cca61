"""Scenarios by a model: the prompt (what appendix B of ToolTalk says, in our words), and a parser of what comes back.

The parser takes what models write: bullets, headings, bold, numbers or none, a code fence, calls in backticks, `A, then
B`, `A -> B`, `A x2`, `Plugin.Tool`. A parenthesis counts as calls if each of its parts looks like the name of a tool.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from toologue.models.ask import ask, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.plan.scenarios import MIN_CALLS, Checker, Tally
from toologue.plan.scenarios.prompts import PER_PROMPT, Prompt, Telling, evenly, prompts_of
from toologue.schema import Api, Scenario
from toologue.values.json_schema import items_of, properties_of

_MARK = re.compile(r"(?im)^[ \t>#*_\-•]*(?:scenario\s*#?\s*\d+|\d+(?=[.)]\s))[ \t*_]*[:.)\-–—]*[ \t*_]*")
_PARENTHESES = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")
_PARTS = re.compile(r"\s*(?:\+|,|;|&|/|->|→|\band\b|\bthen\b)\s*")
_TIMES = re.compile(r"^(.*?)\s*(?:[x×]\s*(\d)|(\d)\s*(?:x|×|times)|(twice)|(three times))$", re.IGNORECASE)
_LOOKS = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")


def prompt_text(prompt: Prompt, apis: Mapping[str, Api]) -> str:
    """What a model is asked, ending in the marker of the first scenario."""
    documents = "\n\n".join(_document(apis[name]) for name in prompt.tools)
    slots = {"count": PER_PROMPT, "calls": MIN_CALLS, "documents": documents, "required": prompt.required}
    return render_prompt(__file__, "prompt.txt", **slots)


def parse_reply(reply: str, names: Iterable[str]) -> list[Telling]:
    """The scenarios in a reply, in order; without flows, as nobody says which there are."""
    known = {name.lower(): name for name in names}
    told = (_telling(text, known) for text in _texts(reply))
    return [telling for telling in told if telling.calls]


async def ask_all(
    apis: Iterable[Api], model: Model, tally: Tally, *, count: int | None = None, seed: int = 0, concurrency: int = 8
) -> AsyncIterator[Scenario]:
    """Scenarios by a model, prompt by prompt in an even order, until there are `count`. Counts into `tally`.

    A prompt without an answer is counted; if none of the first has one, the ModelFault is raised.
    """
    documents = tuple(apis)
    checker, by_name = Checker(documents), {api.name: api for api in documents}
    waiting = evenly(prompts_of(documents), seed)
    for start in range(0, len(waiting), concurrency):
        group = waiting[start : start + concurrency]
        if count is not None and tally.kept >= count:
            return
        replies = await asyncio.gather(*(_asked(model, prompt_text(p, by_name), seed) for p in group))
        faults = [reply for reply in replies if isinstance(reply, ModelFault)]
        if len(faults) == len(group) and not tally.proposed:
            raise faults[0]
        for prompt, reply in zip(group, replies, strict=True):
            made = parse_reply(reply, by_name) if isinstance(reply, str) else []
            tally.unanswered += isinstance(reply, ModelFault)
            for scenario in checker.admit(prompt, made, tally, {"writer": model.name, "seed": seed}):
                yield scenario


async def _asked(model: Model, text: str, seed: int) -> str | ModelFault:
    try:
        return await ask(model, text, seed, text)
    except ModelFault as fault:
        return fault


def _texts(reply: str) -> Iterator[str]:
    """The text of each scenario: from its marker to the next; what stands before the first if it has calls."""
    before, *texts = _MARK.split("\n".join(line for line in reply.splitlines() if not re.match(r"\s*```", line)))
    if not texts or re.search(r"\([^()]*[A-Za-z]{3}[^()]*\)", before):
        yield before
    yield from texts


def _telling(text: str, known: Mapping[str, str]) -> Telling:
    plain = re.sub(r"[*`]+", "", text)
    calls = [call for found in _PARENTHESES.finditer(plain) for call in _calls(found[1], known)]
    return Telling(" ".join(plain.split()).strip(' "'), tuple(calls))


def _calls(inside: str, known: Mapping[str, str]) -> list[str]:
    calls: list[str] = []
    for part in filter(None, _PARTS.split(inside.strip())):
        times, name = 1, part
        if repeated := _TIMES.match(part):
            name = repeated[1]
            times = int(repeated[2] or repeated[3] or (2 if repeated[4] else 3))
        name = re.sub(r"\(.*\)$", "", name).strip(" .'\"")
        last = re.split(r"[.:]\s*", name)[-1]
        found = known.get(name.lower()) or known.get(last.lower())
        if not found and not _LOOKS.fullmatch(last):
            return []
        calls += [found or last] * times
    return calls


def _document(api: Api) -> str:
    lines = [f"{api.name} (group: {api.domain}): {api.description}"]
    for name, parameter in api.parameters.items():
        said = parameter.json_schema.get("description", "")
        optional = "" if parameter.required else ", optional"
        lines.append(f"  takes {name} ({parameter.json_schema.get('type', 'any')}{optional}): {said}")
    return "\n".join([*lines, f"  returns {json.dumps(_sketch(api.returns), ensure_ascii=False)}"])


def _sketch(schema: Mapping[str, Any]) -> Any:
    if isinstance(schema.get("properties"), dict):
        return {name: _sketch(inner) for name, inner in properties_of(schema).items()}
    if isinstance(schema.get("items"), dict):
        return [_sketch(items_of(schema)) or schema.get("description", "")]
    return schema.get("description", "")
