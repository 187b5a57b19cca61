"""What the model is sent: rules, documents, examples, and the situation whose answer is asked for (Dialog2API, E).

    setting     prompt                                                             paper, 5.1
    docs        documents and examples from elsewhere, then the documents here     (a)
    examples    K examples from here                                               (b)
    both        the documents here, then K examples from here                      (c)

Contract: the samples are one user message in the format of `formats.dialog2api`. `published` sends nothing else, and
ends where the answer begins. Otherwise a system message has the rules (`program.txt`, `response.txt`; the wording is
ours), the brief's instructions and facts, and exceptions of the developer's own; and documents say what calls give.
Examples from elsewhere are about a seed library (`elsewhere_program.xml`, `elsewhere_response.xml`), so that they show
the form and nothing of S3.

Example:
    >>> from toologue.schema import UserTurn
    >>> asked = Asked("program", Sample(turns=(UserTurn(text="Hi"),)), Brief(), ())
    >>> [message["role"] for message in messages(asked, Settings())]
    ['system', 'user']
    >>> print(messages(asked, Settings(shows="examples", published=True))[0]["content"])
    <stack>
    </stack>
    <turn>User: Hi</turn>
    <output>
    <BLANKLINE>

Not covered: counting tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toologue.agents.llm.program_stack.situations import Service, Task, service_of
from toologue.apis.schemas import object_of
from toologue.formats.dialog2api import Sample, escaped, sample_xml
from toologue.formats.openai import Message
from toologue.models.ask import render_prompt
from toologue.sandbox.messages import CONVERSATIONAL
from toologue.schema import Api, Brief
from toologue.schema.jsonl import Noun
from toologue.worlds.s3 import as_definitions

Shows = Literal["docs", "examples", "both"]
_OUTPUT = "<output>\n"
_MEANINGS: Mapping[str, str] = dict(
    zip(
        CONVERSATIONAL,
        (
            "what is asked for is nothing that the methods can do",
            "it could be done, but in several ways, and it is not clear which is meant",
            "the user only chats: praise, a greeting, small talk",
            "a question about the service that no program answers",
            "part of it can be done, but not with all that is demanded of it",
            "the user wants to end the conversation",
        ),
        strict=True,
    )
)


class Settings(Noun):
    """How the model is asked. `k`: examples; `full`: the whole conversation; `published`: as the paper does."""

    shows: Shows = "both"
    k: int = 5
    full: bool = False
    published: bool = False


class Asked(NamedTuple):
    """One request: for what, in which situation, told what, with which examples."""

    task: Task
    situation: Sample
    brief: Brief
    examples: Sequence[Sample]


def messages(asked: Asked, settings: Settings) -> list[Message]:
    """The request, as chat messages."""
    service = service_of(asked.brief)
    docs = settings.shows == "docs" or (settings.shows == "both" and not asked.examples)
    parts = [Path(__file__).with_name(f"elsewhere_{asked.task}.xml").read_text("utf-8").strip()] if docs else []
    if settings.shows != "examples":
        apis = service.apis if settings.published else tuple(map(_with_results, service.apis))
        parts.append(f"<def>\n{escaped(as_definitions(apis))}\n</def>")
    parts += [] if docs else [sample_xml(one) for one in asked.examples]
    text = "\n\n".join([*parts, sample_xml(asked.situation)])
    if settings.published:
        return [{"role": "user", "content": text}]
    system = "\n\n".join([_rules(asked.task, service), *_told(asked.brief)])
    return [{"role": "system", "content": system}, {"role": "user", "content": text.removesuffix(_OUTPUT).rstrip()}]


def again(sent: Sequence[Message], problems: Sequence[str], what: str, *, answer: str = "") -> list[Message]:
    """The request once more, with the problems that there were; after the answer that has them, if one is given."""
    note = "\n".join(["There is a problem:", *(f"- {problem}" for problem in problems), what])
    if answer:
        return [*sent, {"role": "assistant", "content": answer}, {"role": "user", "content": note}]
    return [*sent[:-1], {**sent[-1], "content": f"{sent[-1]['content']}\n\n{note}"}]


def _with_results(api: Api) -> Api:
    """The document, with the names of what a call gives; the paper's definitions leave that out."""
    given = _gives(api.returns)
    return api.replace(description=f"{api.description} Gives {given}.") if given else api


def _gives(schema: Mapping[str, Any], deep: int = 4) -> str:
    """The names in a schema: {orders: [{order_id, total}], next_cursor}; nothing of a plain value."""
    if schema.get("type") == "array":
        return f"[{_gives(object_of(schema.get('items')), deep) or '...'}]"
    found = {name: _gives(object_of(rule), deep - 1) for name, rule in object_of(schema.get("properties")).items()}
    listed = ", ".join(f"{name}: {inner}" if inner else name for name, inner in found.items())
    return f"{{{listed}}}" if listed and deep else ""


def _rules(task: Task, service: Service) -> str:
    own = {name: meaning or "of this service's own" for name, meaning in service.exceptions.items()}
    listed = "\n".join(f"- {name}: {meaning}" for name, meaning in {**_MEANINGS, **own}.items())
    return render_prompt(__file__, f"{task}.txt", object=service.name, exceptions=listed)


def _told(brief: Brief) -> list[str]:
    facts = {name: value for name, value in brief.facts.items() if name not in ("programs", "retriever")}
    known = [f"What you know: {json.dumps(facts, ensure_ascii=False)}"] if facts else []
    return [part for part in (brief.instructions.strip(), *known) if part]
