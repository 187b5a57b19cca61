"""Procedures by a model: free prose, rewritten in the Markdown dialect, checked, and mended by the model itself.

The model is told the dialect and the Apis, answers with a text, and is shown every problem of it (`formats.soundness`)
and every finding of the lint (A.2), until there are none or `tries` are used up. A text that is sound is accepted in
the end even if the lint still has something to say: `findings` is for the person who reviews it.

Example:
    >>> import asyncio
    >>> from toologue.models.model import ScriptedModel
    >>> good = "# Late\\n1. **Ask** for the number. Collect `number`.\\n2. **End**: say that {number} is late."
    >>> model = ScriptedModel([good.replace("{number}", "{numbr}"), good])
    >>> made = asyncio.run(rewrite("Ask for the number and say that it is late.", model))
    >>> made.procedure.steps[1].text, made.problems
    ('say that {number} is late.', (('3: step 2 needs `numbr`, and nothing gives it (did you mean `number`?)',), ()))
    >>> "did you mean `number`?" in model.asked[1].messages[-1]["content"]
    True

Not covered: whether the procedure still says what the prose said. Somebody has to read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue import keys
from toologue.errors import BadSetting
from toologue.formats.openai import Message
from toologue.formats.procedure import examine
from toologue.models.model import Model
from toologue.plan.procedures.lint_procedure import Finding, lint
from toologue.schema import Api, Procedure

_TEMPLATE = Path(__file__).with_name("rewrite.txt")
_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_BEGIN = re.compile(r"^(?:---\s*$|#\s|1\.\s)", re.MULTILINE)


class Rewritten(NamedTuple):
    """What came of it: the procedure, or None; its text; what was wrong after each try; what the lint found last."""

    procedure: Procedure | None
    text: str
    problems: tuple[tuple[str, ...], ...]
    findings: tuple[Finding, ...]


async def rewrite(
    prose: str, model: Model, *, apis: Iterable[Api] | None = None, id: str = "", tries: int = 3, seed: int = 0
) -> Rewritten:
    """The procedure that prose tells, written by a model. Raises ModelFault where the model does not answer."""
    if tries < 1:
        raise BadSetting(f"tries is {tries}: a model needs at least one")
    documents = None if apis is None else tuple(apis)
    messages: list[Message] = [{"role": "user", "content": prompt_text(prose, documents or ())}]
    problems: list[tuple[str, ...]] = []
    while True:
        reply = await model.reply(messages, seed=keys.seed_of(seed, prose, len(problems)) % 2**31)
        text = parse_reply(reply.text or "")
        procedure, unsound = examine(text, id=id, apis=documents)
        findings = tuple(lint(text))
        problems.append(tuple(map(str, unsound)))
        if len(problems) == tries or not (unsound or findings):
            return Rewritten(None if unsound else procedure, text, tuple(problems), findings)
        wrong = [*problems[-1], *(f"{one.line}: {one.quote!r} is a {one.rule}: {one.remedy}" for one in findings)]
        messages += [
            {"role": "assistant", "content": reply.text or ""},
            {"role": "user", "content": _again(wrong)},
        ]


def prompt_text(prose: str, apis: Iterable[Api] = ()) -> str:
    """What a model is asked."""
    listed = "\n".join(_document(api) for api in apis) or "(nothing is listed: name calls and parameters yourself)"
    slots = {"apis": listed, "procedure": prose.strip()}
    return re.sub(r"<(apis|procedure)>", lambda found: slots[found[1]], _template())


def parse_reply(reply: str) -> str:
    """The Markdown in a reply: what is fenced, or what begins where a procedure does."""
    fenced = _FENCE.search(reply)
    text = fenced[1] if fenced else reply
    begin = _BEGIN.search(text)
    return text[begin.start() if begin else 0 :].strip() + "\n"


def _again(wrong: list[str]) -> str:
    listed = "\n".join(f"- line {one}" for one in wrong)
    return f"That does not compile yet:\n{listed}\n\nMend it, and answer with the whole text again."


def _document(api: Api) -> str:
    """One Api: its parameters, what it is for, and the fields of what it returns."""
    needed = " and ".join(f"`{name}`" for name in api.required)
    others = ", ".join(f"`{name}`" for name in api.parameters if name not in api.required)
    takes = (f" with {needed}" if needed else "") + (f" (may be given: {others})" if others else "")
    fields = ", ".join(_fields(api.returns))
    return f"- `{api.name}`{takes}: {api.description or api.name}" + (f" Gives {fields}." if fields else "")


def _fields(schema: Mapping[str, Any], before: str = "") -> list[str]:
    """The fields of a schema, with those of objects in them, and the values that they may have."""
    found: list[str] = []
    for name, given in cast("dict[str, Any]", schema.get("properties") or {}).items():
        inner = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        values = inner.get("enum")
        within = _fields(inner, f"{before}{name}.") if before.count(".") < 2 else []
        found += within or [f"{before}{name}" + (f" ({' | '.join(map(str, values))})" if values else "")]
    return found


@cache
def _template() -> str:
    return _TEMPLATE.read_text("utf-8")
