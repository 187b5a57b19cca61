"""Procedures and intents by a language model: asked for, checked, and mended by the model itself.

A text that is sound is accepted in the end even if the lint still has something to say: somebody has to read it.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json

from toologue.errors import BadSetting, shown
from toologue.formats.procedure import examine
from toologue.models.ask import ask, ask_until_valid, bullets, render_prompt
from toologue.models.model import Model, ModelFault
from toologue.plan.procedures.intents import Intent, slug
from toologue.plan.procedures.lint_procedure import Finding, lint
from toologue.schema import Api, Procedure
from toologue.values.json_schema import list_of, object_of, properties_of

_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_BEGIN = re.compile(r"^(?:---\s*$|#\s|1\.\s)", re.MULTILINE)

_THING = "Product|Company|Service|Item|Brand|Shop|Store|Customer|User|Order|Hotel|Airline|Bank|City|Street|Person|Agent"
_GENERIC = re.compile(
    rf"\b(?:{_THING})\s?(?:X+|XYZ|ABC|[A-CYZ](?![\w'’]|\. [A-Z]))"
    r"|\b(?:John|Jane)\s(?:Doe|Smith)\b|\bMax Mustermann\b|\bAcme\b|\bfoo ?bar\b|\blorem ipsum\b|\b123 Main St\w*"
    r"|\b(?:[A-Z]{2,3}-?)?(?:12345\d*|1111+|0000+)\b|\b(?:ABC|XYZ)-?\d{3}\b"
    r"|\[[A-Za-z][\w' -]*\]|<[a-z][\w' -]*>|\{\{?[\w ]+\}?\}",
)

_KEYS = ("client", "name", "issue")
_LONGEST_NAME, _SHORTEST_ISSUE = 6, 8
# From this likeness on two issues are about the same thing; in the catalogue the highest is 0.65.
_TWINS = 0.75
# So many characters of a reply are read, so many brackets tried.
_MOST, _TRIES = 1_000_000, 200
_OPENING = re.compile(r"[\[{]")
_PERSON = re.compile(r"\bI\b|\b[Tt]he customer\b")

IntentFault = Literal["not an object", "missing", "long name", "too vague", "in person", "generic entity", "duplicate"]


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
    documents = None if apis is None else tuple(apis)
    problems: list[tuple[str, ...]] = []

    def parse(reply: str) -> tuple[Rewritten, str]:
        text = parse_reply(reply)
        procedure, unsound = examine(text, id=id, apis=documents)
        findings = tuple(lint(text))
        problems.append(tuple(map(str, unsound)))
        wrong = [*problems[-1], *(f"{one.line}: {one.quote!r} is a {one.rule}: {one.remedy}" for one in findings)]
        listed = bullets(f"line {one}" for one in wrong)
        again = f"That does not compile yet:\n{listed}\n\nMend it, and answer with the whole text again."
        return Rewritten(None if unsound else procedure, text, tuple(problems), findings), again if wrong else ""

    return (await ask_until_valid(model, prompt_text(prose, documents or ()), parse, seed, prose, tries=tries)).value


def prompt_text(prose: str, apis: Iterable[Api] = ()) -> str:
    """What a model is asked."""
    listed = "\n".join(_document(api) for api in apis) or "(nothing is listed: name calls and parameters yourself)"
    return render_prompt(__file__, "rewrite.txt", apis=listed, procedure=prose.strip()) + "\n"


def parse_reply(reply: str) -> str:
    """The Markdown in a reply: what is fenced, or what begins where a procedure does."""
    fenced = _FENCE.search(reply)
    text = fenced[1] if fenced else reply
    begin = _BEGIN.search(text)
    return text[begin.start() if begin else 0 :].strip() + "\n"


def _document(api: Api) -> str:
    needed = " and ".join(f"`{name}`" for name in api.required)
    others = ", ".join(f"`{name}`" for name in api.parameters if name not in api.required)
    takes = (f" with {needed}" if needed else "") + (f" (may be given: {others})" if others else "")
    fields = ", ".join(_fields(api.returns))
    return f"- `{api.name}`{takes}: {api.description or api.name}" + (f" Gives {fields}." if fields else "")


def _fields(schema: Mapping[str, Any], before: str = "") -> list[str]:
    found: list[str] = []
    for name, inner in properties_of(schema).items():
        values = list_of(object_of(inner).get("enum"))
        within = _fields(object_of(inner), f"{before}{name}.") if before.count(".") < 2 else []
        found += within or [f"{before}{name}" + (f" ({' | '.join(map(str, values))})" if values else "")]
    return found


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


def likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1."""
    from rapidfuzz import fuzz, utils

    return fuzz.token_sort_ratio(one, other, processor=utils.default_process) / 100


def generics(text: str) -> list[str]:
    """The generic entities and unfilled places in a text, in its order."""
    return [found[0] for found in _GENERIC.finditer(text)]


@dataclass
class IntentTally:
    """What became of the entries: how many replies and entries there were, what was dropped and the first of each."""

    replies: int = 0
    proposed: int = 0
    kept: int = 0
    dropped: Counter[IntentFault] = field(default_factory=Counter[IntentFault])
    examples: dict[IntentFault, str] = field(default_factory=dict[IntentFault, str])


async def ask_intents(
    model: Model,
    count: int,
    tally: IntentTally,
    *,
    industries: Sequence[str] = (),
    known: Iterable[Intent] = (),
    seed: int = 0,
    rounds: int = 3,
) -> tuple[Intent, ...]:
    """Up to `count` intents, none like another or like one of `known`, in at most `rounds` questions.

    Fewer come back where the model does no better; `tally` says why. Raises ModelFault where there is no reply and
    nothing yet to give.
    """
    if count < 1 or rounds < 1:
        raise BadSetting(f"count and rounds are at least 1, got {count} and {rounds}")
    others, made = tuple(known), list[Intent]()

    def parse(reply: str) -> tuple[None, str]:
        tally.replies += 1
        complaints = bullets(_take(parse_intents(reply), count, others, made, tally))
        could_not = f"These could not be used:\n{complaints}\n" if complaints else ""
        again = f"{could_not}{count - len(made)} are still wanted. Answer with a JSON array of new objects only."
        return None, again if len(made) < count else ""

    prompt = intents_prompt(count, industries=industries, known=others)
    try:
        await ask_until_valid(model, prompt, parse, seed, "intents", tries=rounds)
    except ModelFault:
        if not made:
            raise
    tally.kept += len(made)
    return tuple(made)


def intents_prompt(count: int, *, industries: Sequence[str] = (), known: Iterable[Intent] = ()) -> str:
    """What a model is asked first."""
    names = "; ".join(one.name for one in known)
    only = f", only of these: {', '.join(industries)}" if industries else "; do not stop at the usual ones"
    others = f", nor about one of these: {names}" if names else ""
    return render_prompt(__file__, "intents_prompt.txt", count=count, industries=only, known=others)


def parse_intents(reply: str) -> list[Any]:
    """The entries of the first JSON array in a reply that has objects in it, or the objects of a reply without one."""
    lone: list[Any] = []
    for value in _json_in(reply):
        arrays = map(list_of, object_of(value).values() if isinstance(value, dict) else [value])
        if found := next((array for array in arrays if any(isinstance(entry, dict) for entry in array)), None):
            return found
        lone += [value] if isinstance(value, dict) else []
    return lone


def _json_in(text: str) -> Iterator[Any]:
    """The JSON arrays and objects in a text; of an array that was not written to its end, what there is."""
    at, decoder, text = 0, json.JSONDecoder(), text[:_MOST]
    for _ in range(_TRIES):
        if not (opening := _OPENING.search(text, at)):
            return
        at = opening.start()
        try:
            value, at = decoder.raw_decode(text, at)
            yield value
        except (ValueError, RecursionError):
            with contextlib.suppress(ValueError):
                if text[at] == "[":
                    yield from_json(text[at:], allow_partial=True)
            at += 1


def _take(
    entries: Sequence[Any], count: int, known: Sequence[Intent], made: list[Intent], tally: IntentTally
) -> list[str]:
    """Adds the entries that stand to `made`, and says of the others what is wrong."""
    complaints: list[str] = [] if entries else ["there was no JSON array with objects in it"]
    for number, entry in enumerate(entries, 1):
        if len(made) == count:
            break
        tally.proposed += 1
        if fault := _fault(entry, [*known, *made]):
            tally.dropped[fault[0]] += 1
            tally.examples.setdefault(*fault)
            complaints.append(f"entry {number}: {fault[0]}: {fault[1]}")
        else:
            made.append(_intent(entry))
    return complaints


def _fault(entry: Any, others: Iterable[Intent]) -> tuple[IntentFault, str] | None:
    if not isinstance(entry, dict):
        return "not an object", shown(entry)
    given = object_of(entry)
    absent = [key for key in _KEYS if not isinstance(given.get(key), str) or not slug(given[key])]
    if absent:
        return "missing", f"{', '.join(absent)} in {shown(given)}"
    name, issue = given["name"], given["issue"]
    if len(name.split()) > _LONGEST_NAME:
        return "long name", f"{name!r} has more than {_LONGEST_NAME} words"
    if len(issue.split()) < _SHORTEST_ISSUE:
        return "too vague", f"{issue!r} does not say what happened and in which circumstances"
    if person := _PERSON.search(issue):
        return "in person", f"{person[0]!r} in {shown(issue)}"
    if found := generics(" ".join(given[key] for key in _KEYS)):
        return "generic entity", f"{found[0]!r} stands for nothing"
    near = next((one for one in others if slug(one.name) == slug(name) or likeness(one.issue, issue) >= _TWINS), None)
    return ("duplicate", f"{name!r} is about the same thing as {near.name!r}") if near else None


def _intent(entry: Mapping[str, Any]) -> Intent:
    client, name, issue = (" ".join(entry[key].encode(errors="replace").decode().split()) for key in _KEYS)
    industry = entry.get("industry")
    named = slug(industry) if isinstance(industry, str) else ""
    return Intent(id=slug(name), industry=named or slug(client), client=client, issue=issue, name=name)
