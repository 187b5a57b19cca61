"""What the model is sent: rules, documents, examples, and the situation whose answer is asked for (Dialog2API, E).

    setting     prompt                                                             paper, 5.1
    docs        documents and examples from elsewhere, then the documents here     (a)
    examples    K examples from here                                               (b)
    both        the documents here, then K examples from here                      (c)

Contract: `situation` is the sample whose answer is asked for: the stack after the history, the agent's last words and
what the user said since; with `unheld` also the rounds right before in which nothing was written but exceptions of the
conversation, so that no program holds what was asked for; with `full` all that was said. Programs of a history that
cannot go on the stack are left out.
`samples` are the examples in a dialogue: of every round its programs, or its words. A draft that is finalised or given
up as it stands is shown without its code, as the paper does. `messages` puts the samples into one user message in the
format of `formats.dialog2api`. `published` sends nothing else, and ends where the answer begins. Otherwise a system
message has the rules (`program.txt`, `response.txt`; the wording is ours), the brief's instructions and facts, and
exceptions of the developer's own; and documents say all that they know of parameters and results (`definitions`).
Examples from elsewhere are about a seed library (`elsewhere_program.xml`, `elsewhere_response.xml`), so that they show
the form and nothing of S3.

Not covered: acts that are no programs; counting tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from toologue.errors import StackError
from toologue.formats.dialog2api import Output, Sample, escaped, sample_xml
from toologue.formats.openai import Message
from toologue.models.ask import bullets, render_prompt
from toologue.sandbox.exceptions import CONVERSATIONAL, SERVICE
from toologue.sandbox.messages import MODULES
from toologue.sandbox.program import raised_in
from toologue.schema import AgentTurn, Api, Brief, Dialogue, Parameter, Program, Turn, UserTurn, rounds
from toologue.schema.jsonl import Noun
from toologue.schema.stack import Stacked, put, whole
from toologue.values.json_schema import DEEP, described, fields, items_of, limits, list_of, object_of, types_of

Task = Literal["program", "response"]
Shows = Literal["docs", "examples", "both"]
LOOKS = 3
"""Turns of looking, one after the other; then a program, or words."""
_OUTPUT = "<output>\n"
_SAID = (
    "what is asked for is nothing that the methods can do",
    "it could be done, but in several ways, and it is not clear which is meant",
    "the user only chats: praise, a greeting, small talk",
    "a question about the service that no program answers",
    "part of it can be done, but not with all that is demanded of it",
    "the user wants to end the conversation",
)
_INSTRUCTIONS = (
    "# What the service wants of you\n"
    "The user does not see this. Keep to it with programs and words: what it calls are the methods; what it looks "
    "up or checks before something is asked, said or done, a program or a look finds out by then; what it asks "
    "the user is a placeholder, or waits for a yes. What it does not allow, the methods cannot do. Where it says "
    "how a request ends, the words say that.\n"
)
_MEANINGS = dict(zip(CONVERSATIONAL, _SAID, strict=True))
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Dict", "array": "List"}
_LONG, _GIVEN = 12, 600


class Settings(Noun):
    """How the model is asked. `k`: examples; `full`: the whole conversation; `published`: as the paper does."""

    shows: Shows = "both"
    k: int = 5
    full: bool = False
    published: bool = False


class Service(NamedTuple):
    """What programs are written against: the object's name, its Apis, the exceptions of its own and what for, and what
    its world says of programs.
    """

    name: str
    apis: tuple[Api, ...]
    exceptions: Mapping[str, str]
    conventions: str = ""


def service_of(brief: Brief) -> Service:
    """What the brief says of it."""
    said = brief.facts.get("programs")
    told = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    raised: Any = told.get("exceptions", ())
    exceptions = cast("dict[str, str]", raised if isinstance(raised, dict) else dict.fromkeys(map(str, raised), ""))
    domains = {re.sub(r"\W", "_", api.domain).lower() for api in brief.apis}
    domain = domains.pop() if len(domains) == 1 else ""
    name = str(told.get("object", "")) or domain
    usual = str(told.get("conventions", ""))
    return Service(name if name.isidentifier() else "service", brief.apis, exceptions, usual)


def stacked(history: Sequence[Turn]) -> tuple[Stacked, ...]:
    """The stack after a history."""
    found: tuple[Stacked, ...] = ()
    for turn in history:
        acts, results = (turn.acts, turn.results) if turn.role == "agent" else ((), ())
        for act, result in zip_longest(acts, results):
            if act.kind == "program":
                with suppress(StackError):
                    found = put(found, act, result)
    return found


def situation(history: Sequence[Turn], *, full: bool = False, unheld: bool = False) -> Sample:
    """The sample whose answer is asked for."""
    words = [turn for turn in history if turn.role == "user" or turn.text is not None]
    asked = next((n for n, turn in enumerate(reversed(words)) if turn.role == "agent"), len(words))
    before = _unheld(history) if unheld else 0
    seen = words if full else words[-max(asked, 1) - 1 - before :]
    spoken = (UserTurn(text=one.text) if one.role == "user" else AgentTurn(text=one.text) for one in seen)
    return Sample(stack=stacked(history), turns=tuple(spoken))


def _unheld(history: Sequence[Turn]) -> int:
    """How many turns with words no program holds, in the rounds right before the last."""
    found = 0
    for said, did in reversed([*rounds(history)][:-1]):
        programs = (act for turn in did for act in turn.acts if act.kind == "program")
        if not said or not all(raised_in(act.code) for act in programs):
            break
        found += len(said) + sum(turn.text is not None for turn in did)
    return found


def samples(dialogue: Dialogue, task: Task) -> Iterator[Sample]:
    """The examples in a dialogue, those rounds left out that nobody spoke in or answered."""
    lived: list[Turn] = []
    for said, did in rounds(dialogue.turns):
        lived += said
        programs = [act for turn in did for act in turn.acts if act.kind == "program"]
        words = next((turn.text for turn in reversed(did) if turn.text is not None), None)
        if said and did and task == "program":
            before = situation(lived)
            yield before._replace(output=Output(tuple(_short(before.stack, programs))))
        acted = [turn.replace(text=None) for turn in did if turn.acts]
        if said and words is not None and task == "response":
            yield situation([*lived, *acted])._replace(output=Output(text=words))
        lived += did


class Asked(NamedTuple):
    """One request: for what, in which situation, told what, with which examples; what was looked up and written in this
    turn, and how often it may look.
    """

    task: Task
    situation: Sample
    brief: Brief
    examples: Sequence[Sample]
    looked: Sequence[str] = ()
    written: str = ""
    looks: int = 0


def messages(asked: Asked, settings: Settings) -> list[Message]:
    """The request, as chat messages."""
    service = service_of(asked.brief)
    docs = settings.shows == "docs" or (settings.shows == "both" and not asked.examples)
    parts = [Path(__file__).with_name(f"elsewhere_{asked.task}.xml").read_text("utf-8").strip()] if docs else []
    if settings.shows != "examples":
        parts.append(f"<def>\n{escaped(definitions(service.apis, published=settings.published))}\n</def>")
    parts += [] if docs else [sample_xml(one) for one in asked.examples]
    text = "\n\n".join([*parts, sample_xml(asked.situation)])
    if settings.published:
        return [{"role": "user", "content": text}]
    own = {name: meaning or "of this service's own" for name, meaning in service.exceptions.items()}
    listed = bullets(f"{name}: {meaning}" for name, meaning in {**_MEANINGS, **own}.items())
    confirm = "; ".join(_confirmed(service))
    known = {"object": service.name, "exceptions": listed, "confirm": confirm}
    python = {"modules": ", ".join(MODULES), "refusal": SERVICE, "conventions": service.conventions}
    turn = {"written": asked.written, "looks": asked.looks}
    system = "\n\n".join([render_prompt(__file__, f"{asked.task}.txt", **known, **python, **turn), *_told(asked.brief)])
    found = f"\n\nLooked up since the user spoke:\n{bullets(asked.looked)}" if asked.looked else ""
    user = text.removesuffix(_OUTPUT).rstrip() + found
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def again(sent: Sequence[Message], problems: Sequence[str], what: str, *, answer: str = "") -> list[Message]:
    """The request once more, with the problems that there were; after the answer that has them, if one is given."""
    note = f"There is a problem:\n{bullets(problems)}\n{what}"
    if answer:
        return [*sent, {"role": "assistant", "content": answer}, {"role": "user", "content": note}]
    return [*sent[:-1], {**sent[-1], "content": f"{sent[-1]['content']}\n\n{note}"}]


def _short(held: tuple[Stacked, ...], programs: Sequence[Program]) -> Iterator[Program]:
    """The programs, without code where it is their draft's."""
    for program in programs:
        bare = program.replace(code="")
        try:
            same = program.status != "drafting" and whole(held, bare).code == program.code
            held = put(held, program)
        except StackError:
            same = False
        yield bare if same else program


def _confirmed(service: Service) -> Iterator[str]:
    """Which calls wait for the user's yes."""
    always = [api.name for api in service.apis if api.confirm is True]
    over = [api.name for api in service.apis if api.confirm and api.confirm is not True]
    yield from [f"does it call {' or '.join(always)}"] if always else []
    yield from [f"does it write over what is there already with {' or '.join(over)}"] if over else []


def _told(brief: Brief) -> list[str]:
    known = [f"What you know: {json.dumps(brief.known, ensure_ascii=False)}"] if brief.known else []
    wanted = [f"{_INSTRUCTIONS}\n{brief.instructions.strip()}"] if brief.instructions.strip() else []
    return [*wanted, *known]


def definitions(apis: Sequence[Api], *, published: bool = False) -> str:
    """API documents as Python definitions: what a model that writes programs reads (Dialog2API, appendix E).

    `published` is the paper's: types, defaults, the description. Otherwise an enum is a `Literal`, and below the
    description stand what is said of each parameter, what a call gives, its faults, and what it must wait for.

    >>> from toologue.schema import Parameter
    >>> reason = {"enum": ["duplicate", "fraudulent"], "description": "Why.", "default": "duplicate"}
    >>> cents = {"type": "integer", "minimum": 1, "description": "In cents."}
    >>> refund = Api(name="refund", description="Gives money back.", returns={"properties": {"id": {"type": "string"}}},
    ...     failures={"conflict": "It was given back."},
    ...     parameters={"cents": Parameter(schema=cents), "reason": Parameter(schema=reason, required=False)})
    >>> print(definitions([refund]))
    def refund(self, cents: int, reason: Optional[Literal["duplicate", "fraudulent"]] = "duplicate"):
        \"\"\"Gives money back.
    <BLANKLINE>
        cents: In cents. At least 1.
        reason: Why.
        Gives {id: string}.
        Raises conflict: It was given back.
        \"\"\"
    >>> print(definitions([refund], published=True))
    def refund(self, cents: int, reason: Optional[Any] = "duplicate"):
        \"\"\"Gives money back.\"\"\"

    Not covered: `$ref`s, which Apis that were read from a document do not have.
    """
    return "\n\n".join(_definition(api, published=published) for api in apis)


def _definition(api: Api, *, published: bool) -> str:
    given = ", ".join(["self", *(_argument(*one, published=published) for one in api.parameters.items())])
    more = [] if published else [*_more(api)]
    told = "\n    ".join([api.description, "", *more, ""]).replace("\n    \n", "\n\n") if more else api.description
    return f'def {api.name}({given}):\n    """{told}"""'


def _argument(name: str, parameter: Parameter, *, published: bool) -> str:
    kind = _type(parameter.json_schema, literal=not published)
    if parameter.required:
        return f"{name}: {kind}"
    default = parameter.json_schema.get("default")
    is_plain = isinstance(default, str) and '"' not in default and "\\" not in default
    return f"{name}: Optional[{kind}] = " + (f'"{default}"' if is_plain else repr(default))


def _type(schema: Mapping[str, Any], *, literal: bool = True) -> str:
    if literal and _is_short(schema):
        return f"Literal[{', '.join(json.dumps(one, ensure_ascii=False) for one in list_of(schema['enum']))}]"
    names = list(dict.fromkeys(_TYPES[one] for one in types_of(schema) if one in _TYPES))
    if literal and names == ["List"] and (items := object_of(items_of(schema))):
        return f"List[{_type(items)}]"
    return names[0] if len(names) == 1 else f"Union[{', '.join(names)}]" if names else "Any"


def _is_short(schema: Mapping[str, Any]) -> bool:
    return 0 < len(list_of(schema.get("enum"))) <= _LONG


def _more(api: Api) -> Iterator[str]:
    for name, parameter in api.parameters.items():
        if told := " ".join(_told_of_api(parameter.json_schema)):
            yield f"{name}: {told}"
    given = (fields(api.returns, deep) for deep in range(DEEP, 1, -1))
    if told := next((one for one in given if len(one) <= _GIVEN), fields(api.returns, 1)):
        yield f"Gives {told}."
    if told := "; ".join(f"{kind}: {' '.join(said.split()).rstrip('.')}" for kind, said in api.failures.items()):
        yield f"Raises {told}."
    if api.confirm is True:
        yield "The user must agree first."


def _told_of_api(schema: Mapping[str, Any]) -> Iterator[str]:
    """What is said of a value: its description, its limits, an example."""
    if isinstance(said := schema.get("description"), str) and said.strip():
        yield " ".join(said.split()).rstrip(".") + "."
    told = [] if not list_of(schema.get("enum")) or _is_short(schema) else [described(schema)]
    told += limits(schema)
    examples = [*list_of(schema.get("examples")), *([schema["example"]] if "example" in schema else [])]
    told += [f"e.g. {json.dumps(examples[0], ensure_ascii=False)}"] if examples else []
    if said := "; ".join(told):
        yield f"{said[:1].upper()}{said[1:]}."
