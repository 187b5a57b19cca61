"""What the model wrote, looked at before it leaves: programs are read and checked; words need support.

Contract: of an answer `read_programs` keeps the programs that can go on the stack, one after the other, and lists what
is wrong: what cannot be read, what is no Python, what does not fit the documents (`sandbox.program`), what cannot go on
the stack. `broke` says what went wrong in a program that ran and is the program's own fault; refusals of the service
and exceptions of the conversation are not. `why` says why, from the programs alone. Before a program is written the
model may look: `<look>s3.list_objects(Bucket="attic")</look>` is calls of methods that write nothing, with literals,
which the world answers; nothing of them is on the stack (`looks_in`, `looked`).

`unsupported` gives the values of a reply that stand nowhere in the situation: numbers, days, times, ids, addresses
(`text.claims`), what stands in quotes, and paths. Supported is what a result, an error, a program or either side's
words hold, what the agent was told, and the length of any list in a result. An answer to a question about the service
(`FAQ`) comes from elsewhere, and is not looked at. `plain` tells the results of this turn's programs and nothing else.

Not covered: whether the program is what the user meant; names of people and places, sums of supported numbers, and what
is false without any such value.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toologue.agents.llm.program_stack.consent import waiting
from toologue.agents.llm.program_stack.prompts import Service
from toologue.errors import BadRecord, StackError, shown
from toologue.formats.dialog2api import Sample, read_output
from toologue.limits import cut
from toologue.sandbox.exceptions import CONVERSATIONAL
from toologue.sandbox.program import check, parse
from toologue.sandbox.rpc import spelt
from toologue.schema import AgentTurn, Brief, Call, Program, Result, Turn, place
from toologue.schema.stack import Stacked, put, whole
from toologue.text.claims import claims, grounds
from toologue.values.compare import lengths

_WHY = re.compile(r"^[\s>*_-]*why[*_]*\s*:[*_]*\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|`([^`\n]{2,200})`")
_PATH = re.compile(r"(?<![\w/.:])[\w~.+-]*(?:/[\w~.+-]+)+/?|(?<![\w/.])[\w~-]+\.[a-z]\w{1,4}\b(?!\.\w)")
_LONGEST = 200
_LOOK = re.compile(r"<look>(.*?)</look>", re.DOTALL)
_LONGEST_LOOK = 4000


class Answer(NamedTuple):
    """The programs of an answer, what is wrong with it, the model's own reason; or what it looks up first."""

    programs: tuple[Program, ...] = ()
    problems: tuple[str, ...] = ()
    reason: str = ""
    looks: tuple[Call, ...] = ()


def read_programs(text: str, held: tuple[Stacked, ...], service: Service, *, looks: int = 0) -> Answer:
    """What an answer holds; `looks`: how many more times it may look something up."""
    said = _WHY.search(re.split(r"<(?:output|goal|program|look)\b", text, maxsplit=1)[0])
    reason = said[1] if said else ""
    if "<look>" in text and "<goal" not in text:
        calls, problems = looks_in(text, service)
        wrong = problems if looks > 0 else ("nothing more can be looked up: write the output",)
        return Answer(problems=wrong, reason=reason, looks=() if wrong else calls)
    try:
        output = read_output(text, "the answer")
    except BadRecord as error:
        return Answer(problems=(str(error),), reason=reason)
    if not output.programs and output.text is not None:
        return Answer(problems=("there is no <output> with programs in it",), reason=reason)
    programs, problems = list[Program](), list[str]()
    for program in output.programs:
        try:
            full = whole(held, program)
        except StackError as error:
            problems.append(str(error))
            continue
        programs.append(full)
        held = put(held, full)
        if full.status != "abandoned":
            problems += [f"goal {full.goal}, {problem}" for problem in _problems(full, service)]
    return Answer(tuple(programs), tuple(problems), reason)


def broke(turn: AgentTurn) -> tuple[str, ...]:
    """What went wrong in programs that ran, and is their own fault."""
    found: list[str] = []
    for act, result in zip(turn.acts, turn.results, strict=False):
        error = result.error if result is not None else None
        if act.kind == "program" and result is not None and error is not None and _is_pythons(error.type):
            written = "; what it had written stays" if result.changes else "; nothing was written"
            found.append(f"the program of goal {act.goal} ended with {error.type}: {error.message}{written}")
    return tuple(found)


def why(programs: Sequence[Program], held: Sequence[Stacked], service: Service) -> str:
    """Why these programs are drafts, final or abandoned; `held` is the stack before them."""
    return "; ".join(f"goal {one.goal} {_why(one, held, service)}" for one in programs)


def _problems(program: Program, service: Service) -> Iterator[str]:
    parsed = parse(program.code)
    caught = (node.type for node in ast.walk(parsed.tree) if isinstance(node, ast.ExceptHandler) and node.type)
    names = {one.id for kind in caught for one in ast.walk(kind) if isinstance(one, ast.Name)}  # nobody else knows them
    names |= service.exceptions.keys()
    yield from map(str, check(parsed, service.apis, service.name, names=names, draft=program.status == "drafting"))


def _is_pythons(kind: str) -> bool:
    known = getattr(builtins, kind, None)
    return kind in ("LimitExceeded", "Crash") or (isinstance(known, type) and issubclass(known, Exception))


def _why(program: Program, held: Sequence[Stacked], service: Service) -> str:
    parsed = parse(program.code)
    raised = re.fullmatch(r"raise (\w+)(?:\(.*\))?", program.code.strip())
    missing = " and ".join(f"?{number}" for number in parsed.numbers)
    if program.status == "abandoned":
        return "is given up"
    if raised and raised[1] in (*CONVERSATIONAL, *service.exceptions):
        return f"is no program: {raised[1]}"
    if missing:
        return f"is a draft: {missing} {'is' if len(parsed.numbers) == 1 else 'are'} missing"
    waits = waiting(program.code, held, service)
    if program.status == "drafting":
        return f"is a draft: {' and '.join(sorted(waits))} must be agreed to" if waits else "is a draft, and complete"
    return "is final: it is agreed to" if waits else "is final: nothing is missing"


def unsupported(text: str, seen: Sample, brief: Brief, looked: Sequence[str] = ()) -> tuple[str, ...]:
    """The values in words that nothing supports, as they are said; `looked`: what was looked up."""
    error = seen.stack[0].result.error if seen.stack and seen.stack[0].result else None
    if error is not None and error.type == "FAQ":
        return ()
    known = [*_known(seen, brief), *looked]
    told = json.dumps(known, ensure_ascii=False).casefold().replace("\\n", "\n").replace('\\"', '"')
    quoted = (found[1] or found[2] or found[3] for found in _QUOTED.finditer(text))
    paths = (found[0].rstrip(".") for found in _PATH.finditer(text))
    strange = [said for said in (*quoted, *paths) if said.strip(" .,!?").casefold() not in told]
    support = grounds(known)
    for claim, said in claims(text).items():
        there = claim in support or claim[0] == "name" or (claim[0] != "number" and said.casefold() in told)
        strange += [] if there or any(said in one for one in strange) else [said]
    return tuple(dict.fromkeys(strange))


def plain(ran: Sequence[Stacked]) -> str:
    """The results of programs in words, each in a sentence."""
    return " ".join(_told(one.result) for one in ran if one.result is not None) or "I need to know more to do that."


def _told(result: Result) -> str:
    if result.error is not None:
        if result.error.type in CONVERSATIONAL:
            return "I cannot do that as it stands."
        return f"That did not work: {result.error.message or result.error.type}".rstrip(".") + "."
    value = result.value
    if value is None or value == []:
        return "Done." if value is None else "I found nothing."
    members = value if isinstance(value, list) else [value]
    listed = ", ".join(json.dumps(one, ensure_ascii=False) for one in members)
    return f"Here is what I found: {listed if len(listed) <= _LONGEST else listed[:_LONGEST] + '…'}."


def _known(seen: Sample, brief: Brief) -> Iterator[Any]:
    yield from (turn.text for turn in seen.turns)
    yield from (brief.instructions, brief.facts, [api.description for api in brief.apis])
    for one in seen.stack:
        yield one.code
        if one.result is not None:
            yield one.result.model_dump(mode="json", include={"value", "error"})
            yield list(lengths(one.result.value))


def looks_in(text: str, service: Service) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """The calls of an answer's looks, and what is wrong with them."""
    calls, problems = list[Call](), list[str]()
    methods = {name: api for api in service.apis for name in spelt(service.apis)[api.name]}
    for found in _LOOK.finditer(text):
        parsed = parse(found[1].strip())
        wrong = [f"the look, {problem}" for problem in check(parsed, service.apis, service.name)]
        for line in () if wrong else parsed.tree.body:
            match line:
                case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=of), method)) as call) if of == service.name:
                    api = methods[method]
                    names = [*list(api.parameters)[: len(call.args)], *(one.arg for one in call.keywords)]
                    values = [*call.args, *(one.value for one in call.keywords)]
                    try:
                        given = {str(name): ast.literal_eval(one) for name, one in zip(names, values, strict=True)}
                        calls.append(Call(api=api.name, arguments=given))
                    except ValueError:
                        wrong.append(f"a look gives literals, not {shown(ast.unparse(call))}")
                    wrong += [f"a look only reads, and {api.name} writes"] if api.writes else []
                case _:
                    wrong.append(f"a look is calls of {service.name} and nothing else, not {shown(ast.unparse(line))}")
        problems += wrong
    return tuple(() if problems else calls), tuple(problems)


def recent(history: Sequence[Turn]) -> list[AgentTurn]:
    """The agent's turns since the user spoke."""
    return [turn for turn in history[len(history) - place(history)[1] :] if turn.role == "agent"]


def is_look(turn: AgentTurn) -> bool:
    """Whether a turn did nothing but look."""
    return bool(turn.acts) and all(act.kind == "call" for act in turn.acts)


def looked(history: Sequence[Turn], name: str) -> Iterator[str]:
    """What was looked up since the user spoke, a line each: s3.list_buckets() = {...}."""
    for turn in filter(is_look, recent(history)):
        for act, result in zip(turn.acts, turn.results, strict=True):
            if act.kind == "call" and result is not None:
                given = ", ".join(f"{key}={value!r}" for key, value in (act.arguments or {}).items())
                error = result.error and f"{result.error.type}: {result.error.message}"
                gave = error or cut(json.dumps(result.value, ensure_ascii=False), _LONGEST_LOOK)
                yield f"{name}.{act.api}({given}) = {gave}"
