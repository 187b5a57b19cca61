"""Procedures by a language model: rewritten from prose in our dialect, checked, and mended by the model itself.

With the procedure a model says which step says which sentence, and why others are left out; over a service whose rows
it may write, what has to be stored for each branch to be taken. What it says is data: rows and rules of an overlay are
read as a person's are, and its ids name no files.

A text that is sound is accepted in the end even if something is still to be said about it: somebody has to read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from toologue import limits
from toologue.errors import BadSetting, shown
from toologue.formats.procedure import examine, write
from toologue.limits import cut
from toologue.models.ask import ask, ask_until_valid, bullets, render_prompt
from toologue.models.model import Model
from toologue.plan.procedures.by_model import json_in
from toologue.plan.procedures.intents import Intent
from toologue.plan.procedures.lint_procedure import Finding, lint
from toologue.plan.procedures.prose import Prose, listed
from toologue.plan.procedures.reference import Reference, reference
from toologue.schema import Api, Procedure
from toologue.values.conditions import LONGEST
from toologue.values.json_schema import list_of, object_of

_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_JSON = re.compile(r"```[ \t]*(?:json)?[ \t]*\n\s*\{.*?(?:\n[ \t]*```|\Z)", re.DOTALL | re.IGNORECASE)
_BEGIN = re.compile(r"^(?:---\s*$|#\s|1\.\s)", re.MULTILINE)


class Told(NamedTuple):
    """What a model says beside a procedure: sentence → steps, sentence → why not, rows, rules of operations."""

    sentences: Mapping[int, tuple[int, ...]] = {}
    left_out: Mapping[int, str] = {}
    rows: Mapping[str, Any] = {}
    operations: Mapping[str, Any] = {}


class Rewritten(NamedTuple):
    """What came of it: the procedure, or None; its text; what kept it from being kept after each try; what the lint,
    and what else there is to say of it; what the model said beside it."""

    procedure: Procedure | None
    text: str
    problems: tuple[tuple[str, ...], ...]
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...] = ()
    told: Told = Told()
    outcome: str = ""

    @property
    def left(self) -> int:
        """How much is still to be said of a procedure that is kept."""
        return len(self.findings) + len(self.remarks)


class Checked(NamedTuple):
    """What keeps a procedure from being kept, what is to be said of it, and what came of it."""

    problems: Sequence[str] = ()
    remarks: Sequence[str] = ()
    outcome: str = ""


class Task(NamedTuple):
    """What else a model is told, and held to: for which intent, whether it has to account for sentences, and for which
    (all of them), what there is to know of the service, whether it may add rows, and how their keys end. `check` is
    asked about what compiles."""

    intent: Intent | None = None
    accounts: bool = True
    concerns: Sequence[int] = ()
    reference: Reference | None = None
    writable: bool = False
    ending: str = ""
    check: Callable[[Procedure, Told], Checked] = lambda procedure, told: Checked()


_ALONE = Task(accounts=False)


async def rewrite(
    prose: str | Prose,
    model: Model,
    *,
    apis: Iterable[Api] | None = None,
    id: str = "",
    tries: int = 3,
    seed: int = 0,
    task: Task = _ALONE,
) -> Rewritten:
    """The procedure that prose tells, written by a model. Raises ModelFault where the model does not answer."""
    material = _prose(prose)
    documents, made = None if apis is None else tuple(apis), list[Rewritten]()
    problems: list[tuple[str, ...]] = []

    def parse(reply: str) -> tuple[Rewritten, str]:
        one = _read(reply, material, documents, id, task)
        problems.append(one.problems[0])
        made.append(one)
        lines = one.text.split("\n")
        found = (f"{each.line}: {each.quote!r} is a {each.rule}: {each.remedy}" for each in one.findings)
        wrong = [_placed(text, lines) for text in (*one.problems[0], *found, *one.remarks)]
        works = f"It compiles and executes{one.outcome and ': '}{one.outcome}. This is left"
        what = "It does not compile and execute yet" if one.problems[0] else works
        whole = "whole again: the procedure, then the object" if task.accounts else "whole text again"
        again = f"{what}:\n{bullets(wrong)}\n\nMend it, and answer with the {whole}."
        return one, again if wrong else ""

    asked = prompt_text(material, documents or (), task, tries)
    await ask_until_valid(model, asked, parse, seed, id, asked, tries=tries)
    best = min(reversed(made), key=lambda one: (one.procedure is None, one.left if one.procedure else 0))
    return best._replace(problems=tuple(problems))


def _read(reply: str, prose: Prose, apis: Sequence[Api] | None, id: str, task: Task) -> Rewritten:
    """What one reply comes to; its problems stand alone."""
    text = parse_reply(reply)
    procedure, unsound = examine(text, id=id, apis=apis)
    problems = [*map(str, unsound)]
    if procedure is not None and not problems:
        try:
            write(procedure)
        except BadSetting as error:
            problems = [str(error)]
    told, remarks = _told(reply.replace(text.strip(), ""), prose, len(procedure.steps) if procedure else 0, task)
    outcome = ""
    if procedure is not None and not problems:
        found = task.check(procedure, told)
        problems, remarks, outcome = [*found.problems], [*remarks, *found.remarks], found.outcome
    kept = None if problems else procedure
    return Rewritten(kept, text, (tuple(problems),), tuple(lint(text)), tuple(remarks), told, outcome)


def _placed(problem: str, lines: Sequence[str]) -> str:
    """A problem with the line that it is about."""
    number = problem.partition(":")[0]
    if not (number.isdecimal() and len(number) < 6):
        return problem
    said = lines[int(number) - 1].strip() if 0 < int(number) <= len(lines) else ""
    return f"line {problem}" + (f"\n  (the line is: {cut(said, 200)})" if said else "")


def _prose(given: str | Prose) -> Prose:
    return Prose.of({"": given}) if isinstance(given, str) else given


def prompt_text(given: str | Prose, apis: Iterable[Api] = (), task: Task = _ALONE, tries: int = 3) -> str:
    """What a model is asked."""
    prose = _prose(given)
    told = task.reference or reference(apis, words=prose.numbered)
    concerns = listed(task.concerns or [one.number for one in prose.sentences])
    slots = {"prose": prose.numbered, "concerns": concerns, "task": task, "told": told, "tries": tries}
    return render_prompt(__file__, "rewrite.txt", longest=LONGEST, **slots) + "\n"


def parse_reply(reply: str) -> str:
    """The Markdown in a reply: what is fenced, or what begins where a procedure does."""
    bare = _JSON.sub("", reply)
    fenced = _FENCE.search(bare)
    text = fenced[1] if fenced else bare
    begin = _BEGIN.search(text)
    return text[begin.start() if begin else 0 :].strip() + "\n"


def _told(rest: str, prose: Prose, steps: int, task: Task) -> tuple[Told, list[str]]:
    """What the object beside a procedure says, and what is wrong with it."""
    found = next((object_of(one) for one in json_in(rest) if object_of(one).keys() & {"sentences", "left_out"}), None)
    if not task.accounts:
        return Told(), []
    if found is None:
        return Told(), ['there is no JSON object with "sentences" and "left_out" behind the procedure']
    wrong, known = list[str](), {one.number for one in prose.sentences}
    sentences, left_out = dict[int, tuple[int, ...]](), dict[int, str]()
    for key, value in [*object_of(found.get("sentences")).items(), *object_of(found.get("left_out")).items()]:
        number = int(key) if key.isdecimal() and len(key) < 7 else 0
        numbers = [one for one in (list_of(value) or [value]) if type(one) is int]
        if number not in known:
            wrong.append(f"there is no sentence {shown(key)}: they are 1 to {len(known)}")
        elif isinstance(value, str) and value.strip():
            left_out[number] = " ".join(value.split())
        elif strange := [one for one in numbers if steps and not 0 <= one <= steps]:
            wrong.append(f"sentence {number} is said to be in step {strange[0]}: the steps are 1 to {steps}")
        elif numbers:
            sentences[number] = tuple(numbers)
        else:
            wrong.append(f"sentence {number}: neither steps nor a reason: {shown(value)}")
    wanted = set(task.concerns or known)
    if missing := sorted(wanted - sentences.keys() - left_out.keys()):
        wrong.append(f'in neither "sentences" nor "left_out": {listed(missing)}')
    told = Told(sentences, left_out)
    if limits.deeper(rest.encode(errors="replace"), limits.DEEPEST):
        wrong.append(f"the object is nested more than {limits.DEEPEST} levels deep: its rows are not read")
    elif task.writable:
        told = told._replace(rows=object_of(found.get("rows")), operations=object_of(found.get("operations")))
    return told, wrong


async def ask_procedures(
    intent: Intent, model: Model, *, count: int = 2, apis: Iterable[Api] | None = None, tries: int = 3, seed: int = 0
) -> tuple[Rewritten, ...]:
    """`count` procedures; one that does not become sound in `tries` is None in its `Rewritten`. Raises ModelFault."""
    if count < 1:
        raise BadSetting(f"count is {count}: at least one procedure is wanted")
    documents = None if apis is None else tuple(apis)
    made, titles = list[Rewritten](), list[str]()
    for number in range(1, count + 1):
        asked = procedure_prompt(intent, apis=documents or (), titles=titles)
        prose = (await ask(model, asked, seed, intent.id, number)).strip()
        found = await rewrite(prose, model, apis=documents, id=f"{intent.id}-{number}", tries=tries, seed=seed)
        told = {"intent": intent.id, "client": intent.client, "issue": intent.issue}
        made.append(found if found.procedure is None else found._replace(procedure=found.procedure.replace(**told)))
        titles.append(found.procedure.title if found.procedure else prose.partition("\n")[0].lstrip("# "))
    return tuple(made)


def procedure_prompt(intent: Intent, *, apis: Iterable[Api] = (), titles: Iterable[str] = ()) -> str:
    """What a model is asked."""
    names, others = ", ".join(api.name for api in apis), "; ".join(titles)
    only = f", of these only: {names}" if names else ""
    otherwise = f"Go about it in another way than these: {others}.\n\n" if others else ""
    slots = {"client": intent.client, "issue": intent.issue, "apis": only, "others": otherwise}
    return render_prompt(__file__, "procedure_prompt.txt", **slots)
