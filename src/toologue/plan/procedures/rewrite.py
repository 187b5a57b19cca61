"""Procedures by a language model: rewritten from prose in our dialect, checked, and mended by the model itself.

With the procedure a model says which step says which sentence, and why others are left out; over a service whose rows
it may write, what has to be stored for each branch to be taken. What it says is data: rows and rules of an overlay are
read as a person's are, and its ids name no files.

A text that is sound is accepted in the end even if something is still to be said about it: somebody has to read it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from toologue.plan.procedures.service import Service
from toologue.schema import Api, Procedure
from toologue.schema.jsonl import leaves
from toologue.values.json_schema import list_of, object_of, properties_of, types_of
from toologue.worlds.crud.data import fault_type
from toologue.worlds.crud.simulator import Simulator
from toologue.worlds.store import Row

_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_JSON = re.compile(r"```[ \t]*(?:json)?[ \t]*\n\s*\{.*?(?:\n[ \t]*```|\Z)", re.DOTALL | re.IGNORECASE)
_BEGIN = re.compile(r"^(?:---\s*$|#\s|1\.\s)", re.MULTILINE)
# So much of a description, of a row, and so many fields of a result are told.
_WORDS, _ROW, _FIELDS, _DEEP = 400, 600, 60, 4
_ROWS, _FEW, _WHOLE = 2, 8, 1500


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

    @property
    def left(self) -> int:
        """How much is still to be said of a procedure that is kept."""
        return len(self.findings) + len(self.remarks)


# (what keeps a procedure from being kept, what is to be said of it)
Checked = tuple[Sequence[str], Sequence[str]]


class Task(NamedTuple):
    """What else a model is told, and held to: for which intent, whether it has to account for sentences, and for which
    (all of them), what operations refuse, what is stored, and whether it may add to that. `check` is asked about what
    compiles."""

    intent: Intent | None = None
    accounts: bool = True
    concerns: Sequence[int] = ()
    refusals: Mapping[str, Sequence[str]] = {}
    stored: str = ""
    writable: bool = False
    check: Callable[[Procedure, Told], Checked] = lambda procedure, told: ((), ())


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
        what = "That does not compile, execute or verify yet" if one.problems[0] else "That works, and is not all of it"
        whole = "whole again: the procedure, then the object" if task.accounts else "whole text again"
        again = f"{what}:\n{bullets(wrong)}\n\nMend it, and answer with the {whole}."
        return one, again if wrong else ""

    asked = prompt_text(material, documents or (), task)
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
    if procedure is not None and not problems:
        hard, soft = task.check(procedure, told)
        problems, remarks = [*hard], [*remarks, *soft]
    kept = None if problems else procedure
    return Rewritten(kept, text, (tuple(problems),), tuple(lint(text)), tuple(remarks), told)


def _placed(problem: str, lines: Sequence[str]) -> str:
    """A problem with the line that it is about."""
    number = problem.partition(":")[0]
    if not (number.isdecimal() and len(number) < 6):
        return problem
    said = lines[int(number) - 1].strip() if 0 < int(number) <= len(lines) else ""
    return f"line {problem}" + (f"\n  (the line is: {cut(said, 200)})" if said else "")


def _prose(given: str | Prose) -> Prose:
    return Prose.of({"": given}) if isinstance(given, str) else given


def prompt_text(given: str | Prose, apis: Iterable[Api] = (), task: Task = _ALONE) -> str:
    """What a model is asked."""
    prose = _prose(given)
    told = "\n\n".join(_document(api, task.refusals.get(api.name, ())) for api in apis)
    concerns = listed(task.concerns or [one.number for one in prose.sentences])
    slots = {"prose": prose.numbered, "concerns": concerns, "task": task}
    operations = told or "(nothing is listed: name calls and parameters yourself)"
    return render_prompt(__file__, "rewrite.txt", apis=operations, **slots) + "\n"


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


def _document(api: Api, refuses: Sequence[str]) -> str:
    """An operation as a model is told of it."""
    writes = " (changes what is stored)" if api.writes else ""
    takes = [
        f"{name}: {_kind(one.json_schema)}, {'required' if one.required else 'may be left out'}"
        + (f". {_words(said)}" if isinstance(said := one.json_schema.get("description"), str) and said else "")
        for name, one in api.parameters.items()
    ]
    fields = list(_fields(api.returns))
    gives = ["; ".join(fields[:_FIELDS]) or (_kind(api.returns) if api.returns else "what nothing describes")]
    parts = {"takes": takes, "fails with": [_words(one) for one in refuses], "gives": gives}
    told = (f"{part}\n{bullets(lines)}" for part, lines in parts.items() if lines)
    return "\n".join([f"## {api.name}{writes}", _words(api.description or api.name), *told])


def _json(value: Any, most: int = _ROW) -> str:
    return cut(json.dumps(value, ensure_ascii=False), most)


def _words(text: str) -> str:
    return cut(" ".join(text.split()), _WORDS)


def _kind(schema: Mapping[str, Any], deep: int = 0) -> str:
    """Type, values, pattern, format and bounds of a schema, in a few words."""
    if deep > _DEEP:
        return "…"
    values = list_of(schema.get("enum")) or ([schema["const"]] if "const" in schema else [])
    if values:
        return f"one of {', '.join(map(_json, values[:30]))}"
    within = object_of(schema.get("items"))
    others = [_kind(object_of(one), deep + 1) for name in ("anyOf", "oneOf") for one in list_of(schema.get(name))]
    types = " or ".join(dict.fromkeys([*types_of(schema), *others])) or "any"
    bounds = ("format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
    told = [f"{name} {schema[name]}" for name in bounds if name in schema]
    inner = ", ".join(f"{name}: {_kind(object_of(one), deep + 1)}" for name, one in properties_of(schema).items())
    listed = f" of {_kind(within, deep + 1)}" if within else f" {{{inner}}}" if inner else ""
    return f"{types}{listed}" + (f" ({', '.join(told)})" if told else "")


def _fields(schema: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The fields of a result, with their kinds: `items[].price (number)`."""
    deep = before.count(".") + before.count("[]") < _DEEP
    if within := object_of(schema.get("items")):
        found = list(_fields(within, f"{before.removesuffix('.')}[].")) if deep else []
        yield from found or [f"{before.removesuffix('.')}[] ({_kind(within)})"]
    for name, inner in properties_of(schema).items():
        one = object_of(inner)
        nested = list(_fields(one, f"{before}{name}.")) if deep else []
        yield from nested or [f"{before}{name} ({_kind(one)})"]


def refusals(simulator: Simulator) -> dict[str, list[str]]:
    """What the operations of a document are said to refuse, in the words of failures."""
    return {
        name: [
            f"{fault_type(int(code))}: {words}"
            for code, words in one.faults.items()
            if code.isdecimal() and code not in ("401", "429") and code < "500"
        ]
        + ([f"its rules: {_json(rule)}"] if (rule := one.extensions.get("x-action")) else [])
        for name, one in simulator.operations.items()
    }


def stored(service: Service, simulator: Simulator | None) -> str:
    """The tables of a service, and a few of their rows."""
    lines = [f"now: {service.now}"]
    tables = simulator.tables if simulator else {}
    shown_rows = {} if simulator else _chosen(service.rows)
    for name in dict.fromkeys([*tables, *service.rows]):
        rows = service.rows.get(name, {})
        taken = f", taken: {cut(', '.join(rows), _ROW)}" if tables and rows else ""
        lines.append(f"## {name}: {len(rows)} rows{taken}")
        if name in tables:
            one = tables[name]
            lines.append(f"key `{one.key}`" + "".join(f"; `{field}` → {other}" for field, other in one.refers.items()))
            kinds = (f"{field} ({_kind(one.rule(field))})" for field in one.fields)
            lines.append("; ".join([*kinds][:_FIELDS]))
            lines += [f"- {_json(row)}" for row in list(rows.values())[:_ROWS]]
        else:
            lines += [f"- {_json(rows[key], _WHOLE)}" for key in shown_rows.get(name, ())]
    return "\n".join(lines)


def _chosen(tables: Mapping[str, Mapping[str, Row]]) -> dict[str, list[str]]:
    """Rows that tell most, by table: one for each of the few values of a field (a status), and what these refer to."""
    found = dict[str, list[str]]()
    for table, rows in tables.items():
        first = dict[tuple[str, str], str]()
        for key, row in rows.items():
            for name, value in row.items():
                if isinstance(value, str | bool):
                    first.setdefault((name, str(value)), key)
        counts = Counter(name for name, _ in first)
        few = [key for (name, _), key in first.items() if 1 < counts[name] <= _FEW]
        found[table] = list(dict.fromkeys([*few, *rows]))[: max(len(dict.fromkeys(few)), _ROWS)]
    named = {str(one) for table, some in found.items() for key in some for _, one in leaves(tables[table][key])}
    refers = {table: [key for key in tables[table] if key in named] for table in found}
    return {table: list(dict.fromkeys([*some, *refers[table]]))[:_FEW] for table, some in found.items()}


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
