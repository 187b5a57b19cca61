"""What the model wrote, as programs: read, checked, and held back where a draft is wanted first.

Contract: of an answer `read_programs` keeps the programs that can go on the stack, one after the other, and lists what
is wrong: what cannot be read, what is no Python, what does not fit the documents (`sandbox.program`), what cannot go on
the stack. `held_back` makes a draft of a final program that has placeholders, or that deletes and was no complete draft
before: the user must have been asked. `broke` says what went wrong in a program that ran and is the program's own
fault; refusals of the service and exceptions of the conversation are not. `why` says why, from the programs alone.

Example:
    >>> service = Service("s3", (), {})
    >>> wrote = '<output><goal uid="1" status="final"><program>return nmae</program></goal></output>'
    >>> found = read_programs(wrote, (), service)
    >>> found.problems
    ("goal 1, line 1, column 8: the name 'nmae' is not defined",)

Not covered: whether the program is what the user meant.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toologue.agents.llm.program_stack.situations import Service
from toologue.errors import BadRecord, StackError
from toologue.formats.dialog2api import Output, read_output
from toologue.sandbox.messages import CONVERSATIONAL
from toologue.sandbox.program import Parsed, check, parse
from toologue.sandbox.rpc import spellings
from toologue.schema import AgentTurn, Program
from toologue.schema.stack import Stacked, put, whole
from toologue.text.tokens import split_name

_THAT_DESTROY = """
    archive cancel clear close deactivate delete destroy discard drop empty erase purge remove reset revoke terminate
    unsubscribe wipe withdraw
"""
_DESTROYING = frozenset(_THAT_DESTROY.split())
_WHY = re.compile(r"^[\s>*_-]*why[*_]*\s*:[*_]*\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)


class Answer(NamedTuple):
    """The programs of an answer, what is wrong with it, the model's own reason."""

    programs: tuple[Program, ...] = ()
    problems: tuple[str, ...] = ()
    reason: str = ""


def read_programs(text: str, held: tuple[Stacked, ...], service: Service) -> Answer:
    """What an answer holds."""
    said = _WHY.search(re.split(r"<(?:output|goal|program)\b", text, maxsplit=1)[0])
    reason = said[1] if said else ""
    try:
        output = read_output(text, "the answer")
    except BadRecord as error:
        return Answer(problems=(str(error),), reason=reason)
    if not output.programs and output.text is not None:
        return Answer(problems=("there is no <output> with programs in it",), reason=reason)
    return _checked(output, held, service, reason)


def held_back(programs: Sequence[Program], held: Sequence[Stacked], service: Service) -> tuple[Program, ...]:
    """The programs, those that must wait as drafts."""
    return tuple(
        program.replace(status="drafting") if _waits(program, held, service) else program for program in programs
    )


def destroys(code: str, service: Service) -> bool:
    """Whether a program calls an Api that writes and whose name says that something goes."""
    called = {node.attr for node in ast.walk(parse(code).tree) if isinstance(node, ast.Attribute)}
    return any(
        api.writes
        and not called.isdisjoint(spellings(api.name))
        and split_name(api.name).partition(" ")[0] in _DESTROYING
        for api in service.apis
    )


def broke(turn: AgentTurn) -> tuple[str, ...]:
    """What went wrong in programs that ran, and is their own fault."""
    found: list[str] = []
    for act, result in zip(turn.acts, turn.results, strict=False):
        error = result.error if result is not None else None
        if act.kind == "program" and result is not None and error is not None and _is_pythons(error.type):
            written = "; what it had written stays" if result.changes else "; nothing was written"
            found.append(f"the program of goal {act.goal} ended with {error.type}: {error.message}{written}")
    return tuple(found)


def why(programs: Sequence[Program], service: Service, waiting: Sequence[Program] = ()) -> str:
    """Why these programs are drafts, final or abandoned; `waiting`: those that were held back."""
    return "; ".join(f"goal {one.goal} {_why(one, service, waits=one in waiting)}" for one in programs)


def _checked(output: Output, held: tuple[Stacked, ...], service: Service, reason: str) -> Answer:
    programs: list[Program] = []
    problems: list[str] = []
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


def _problems(program: Program, service: Service) -> Iterator[str]:
    parsed = parse(program.code)
    names = {*service.exceptions, *_caught(parsed)}
    yield from map(str, check(parsed, service.apis, service.name, names=names, draft=program.status == "drafting"))


def _caught(parsed: Parsed) -> Iterator[str]:
    """The exceptions that a program catches: the service's are known to nobody else."""
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            yield from (one.id for one in ast.walk(node.type) if isinstance(one, ast.Name))


def _waits(program: Program, held: Sequence[Stacked], service: Service) -> bool:
    if program.status != "final":
        return False
    if parse(program.code).placeholders:
        return True
    before = next((one for one in held if one.goal == program.goal), None)
    asked = before is not None and not parse(before.code).placeholders
    return not asked and destroys(program.code, service)


def _is_pythons(kind: str) -> bool:
    known = getattr(builtins, kind, None)
    return kind in ("LimitExceeded", "Crash") or (isinstance(known, type) and issubclass(known, Exception))


def _why(program: Program, service: Service, *, waits: bool) -> str:
    parsed = parse(program.code)
    raised = re.fullmatch(r"raise (\w+)(?:\(.*\))?", program.code.strip())
    missing = " and ".join(f"?{number}" for number in parsed.numbers)
    if program.status == "abandoned":
        return "is given up"
    if raised and raised[1] in (*CONVERSATIONAL, *service.exceptions):
        return f"is no program: {raised[1]}"
    if missing:
        return f"is a draft: {missing} {'is' if len(parsed.numbers) == 1 else 'are'} missing"
    if program.status == "drafting":
        destroying = destroys(program.code, service)
        return "is a draft: it destroys, and was not confirmed" if waits or destroying else "is a draft, and complete"
    return "is final: it is confirmed" if destroys(program.code, service) else "is final: nothing is missing"
