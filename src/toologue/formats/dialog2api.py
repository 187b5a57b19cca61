"""Dialog2API's XML (arXiv 2212.09946, appendices D, E): conversations, stacks, what models are shown and answer.

    conversations   <conversation uid>, <metadata>, <turns>; several in <conversations>    `read_conversations`
    samples         <def>, <stack>, <turn>, <output>: a prompt, or an example in one       `read_sample`
    answers         what a model wrote: <goal>s, a <turn>                                  `read_output`

Their XML is not quite XML: code and words hold bare `<` and `&`. So the scanner knows the names of the format and no
others; everything else is text. Nothing can be defined, fetched or expanded. Files are read strictly (`BadRecord`:
file, line, path, column); answers as models write them: without the end of the last element, in Markdown, amid prose.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, repeat
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue, ValidationError

from toologue.errors import BadFile, BadRecord, BadSetting, StackError, shown
from toologue.schema import AgentTurn, Dialogue, Fault, Program, Result, Setting, Turn, UserTurn
from toologue.schema.jsonl import opened
from toologue.schema.stack import Stacked, completed
from toologue.values.json_schema import list_of

# Every element, and what may hold it; "" is the text as a whole.
_IN: dict[str, tuple[str, ...]] = {
    "conversations": ("",),
    "conversation": ("", "conversations"),
    "metadata": ("conversation",),
    "initial_signature": ("metadata",),
    "turns": ("conversation",),
    "turn": ("", "turns", "output"),
    "goal": ("", "turns", "stack", "output"),
    "program": ("goal", ""),
    "result": ("goal",),
    "error": ("goal",),
    "signature": ("goal",),
    "def": ("",),
    "stack": ("",),
    "output": ("",),
}
_TEXTS = frozenset(("initial_signature", "turn", "program", "result", "error", "signature", "def"))
_TOKEN = re.compile(rf"<!\[CDATA\[|<!--|<!DOCTYPE|<!ENTITY|<\?|</?({'|'.join(_IN)})(?=[\s/>])([^<>]*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'/]+))""")
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_UNSAFE = re.compile(r"[&<>]|[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLANK = " \t\n"


@dataclass
class Node:
    """An element: its place in the text, its attributes, its children or its text."""

    tag: str
    path: str = ""
    line: int = 1
    column: int = 1
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    children: list[Node] = field(default_factory=list["Node"])
    parts: list[str] = field(default_factory=list[str])
    numbers: Counter[str] = field(default_factory=Counter[str])

    @property
    def raw(self) -> str:
        """Its text, escaped."""
        return "".join(self.parts)

    def all(self, tag: str) -> Iterator[Node]:
        """The children that are called so."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Node | None:
        """The first of them."""
        return next(self.all(tag), None)

    def bad(self, file: object, what: str, remedy: str = "") -> BadRecord:
        """The error for something in this element."""
        return BadRecord(file, self.line, f"{self.path or '/'} (column {self.column})", what, remedy)


def scan(text: str, file: object = "<text>", *, strict: bool = False) -> Node:
    """The elements of a text, under a node without a name. Raises BadRecord where `strict`."""
    return _Scanner(text.replace("\r\n", "\n").replace("\r", "\n"), file, strict).tree()


def escaped(text: str) -> str:
    """The text as content of an element; blanks at its edges survive, since they are written as numbers."""
    safe = _UNSAFE.sub(lambda found: {"&": "&amp;", "<": "&lt;", ">": "&gt;"}.get(found[0], _number(found[0])), text)
    begin, end = len(safe) - len(safe.lstrip(_BLANK)), len(safe.rstrip(_BLANK))
    edges = [safe[:begin], safe[end:]] if begin < end else [safe, ""]
    return "".join(map(_number, edges[0])) + safe[begin:end] + "".join(map(_number, edges[1]))


def attribute(text: str) -> str:
    """The text as the value of an attribute, quoted."""
    return '"' + re.sub(r'["\n\t]', lambda found: _number(found[0]), escaped(text)) + '"'


def content(raw: str) -> str:
    """The text that content stands for."""
    return _ENTITY.sub(_character, raw.strip(_BLANK))


def code_of(node: Node) -> str:
    """The program that an element holds: without the indent that all of its lines share, and blank lines around it."""
    lines = node.raw.rstrip(_BLANK).split("\n")
    while lines and not lines[0].strip(_BLANK):
        del lines[0]
    margin = min((len(line) - len(line.lstrip(" \t")) for line in lines if line.strip(_BLANK)), default=0)
    return content("\n".join(line[margin:] if not line[:margin].strip(" \t") else line for line in lines))


def _number(character: str) -> str:
    return f"&#{ord(character)};"


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return _NAMED[found[1]]
    point = int(found[2]) if found[2] else int(found[3], 16)
    return found[0] if point > 0x10FFFF or 0xD800 <= point < 0xE000 else chr(point)


class _Scanner:
    """One pass over the text: `open` are the elements that have begun and not ended, the text as a whole first."""

    def __init__(self, text: str, file: object, strict: bool):
        self._text, self._file, self._strict = text, file, strict
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._open = [Node("")]
        self._endless: set[str] = set()

    def tree(self) -> Node:
        at = 0
        while found := _TOKEN.search(self._text, at):
            top = self._open[-1]
            self._words(top, at, found.start())
            at = found.end()
            if found[1] is None:
                at = self._special(top, found)
            elif top.tag in _TEXTS and not self._ends(top, found):
                top.parts.append(found[0])
            elif found[0].startswith("</"):
                self._close(found)
            else:
                self._begin(found)
        self._words(self._open[-1], at, len(self._text))
        self._leave(1, len(self._text))
        return self._open[0]

    def _words(self, top: Node, start: int, end: int) -> None:
        words = self._text[start:end]
        if top.tag in _TEXTS:
            top.parts.append(words)
        elif self._strict and words.strip(_BLANK):
            at = start + len(words) - len(words.lstrip(_BLANK))
            raise self._bad(at, f"{shown(words.strip(_BLANK))} belongs to no element")

    def _special(self, top: Node, found: re.Match[str]) -> int:
        """What begins with `<!` or `<?`: returns where to go on."""
        kind, inside = found[0].upper(), top.tag in _TEXTS
        ending = {"<![CDATA[": "]]>", "<!--": "-->", "<?": "?>"}.get(kind, "")
        if ending and (kind == "<![CDATA[") == inside and ending not in self._endless:
            if (end := self._text.find(ending, found.end())) >= 0:
                top.parts += [escaped(self._text[found.end() : end])] if inside else []
                return end + len(ending)
            self._endless.add(ending)
        if inside:
            top.parts.append(found[0])
        elif self._strict:
            what = "a document type is not read" if not ending else f"{found[0]} without its end, or in no element"
            raise self._bad(found.start(), what)
        return found.end()

    def _ends(self, top: Node, found: re.Match[str]) -> bool:
        """Whether a tag in the midst of words or code is no part of them."""
        tag = found[1].lower()
        if found[0].startswith("</"):
            return tag == top.tag or (tag not in _TEXTS and any(node.tag == tag for node in self._open))
        before = found.start()
        while before and self._text[before - 1] in " \t":
            before -= 1
        begins_line = before == 0 or self._text[before - 1] == "\n"
        return begins_line and top.tag != "def" and self._holder(tag, len(self._open) - 1) > 0

    def _holder(self, tag: str, below: int) -> int:
        """How many open elements remain when an element of this name begins; 0 where none may hold it."""
        return next((n for n in range(below, 0, -1) if self._open[n - 1].tag in _IN[tag]), 0)

    def _begin(self, found: re.Match[str]) -> None:
        tag, rest = found[1].lower(), found[2]
        remain = self._holder(tag, len(self._open))
        if self._strict and remain < len(self._open):
            top = self._open[-1]
            inside = f"in <{top.tag}>, which begins in line {top.line} and is not ended" if top.tag else "here"
            raise self._bad(found.start(), f"<{tag}> cannot stand {inside}")
        if not remain:
            return
        self._leave(remain, found.start())
        parent = self._open[-1]
        line, column = self._place(found.start())
        parent.numbers[tag] += 1
        attributes = {name.lower(): content("".join(values)) for name, *values in _ATTRIBUTE.findall(rest)}
        node = Node(tag, f"{parent.path}/{tag}[{parent.numbers[tag]}]", line, column, attributes)
        parent.children.append(node)
        if not rest.rstrip().endswith("/"):
            self._open.append(node)

    def _close(self, found: re.Match[str]) -> None:
        tag = found[1].lower()
        at = next((n for n in range(len(self._open) - 1, 0, -1) if self._open[n].tag == tag), 0)
        if at:
            self._leave(at + 1, found.start())
            self._open.pop()
        elif self._strict:
            raise self._bad(found.start(), f"</{tag}> ends nothing")
        else:
            self._open[-1].children.append(Node(f"/{tag}"))

    def _leave(self, remain: int, at: int) -> None:
        """End all open elements but so many."""
        if self._strict and len(self._open) > remain:
            late = self._open[-1]
            raise late.bad(self._file, f"<{late.tag}> is not ended before line {self._place(at)[0]}")
        del self._open[remain:]

    def _place(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._lines, at)
        return line, at - self._lines[line - 1] + 1

    def _bad(self, at: int, what: str) -> BadRecord:
        line, column = self._place(at)
        return BadRecord(self._file, line, f"{self._open[-1].path or '/'} (column {column})", what)


_S3 = Setting(name="s3")
Status = Literal["drafting", "final", "abandoned"]
_BYTES = 64 << 20
_WORDS = re.compile(r"[ \t\n]*(agent|bot|assistant|system|user)[ \t]*:[ \t\n]*", re.IGNORECASE)
_FENCE = re.compile(r"\A[ \t]*```[\w-]*[ \t]*\n?(.*?)(?:\n[ \t]*```[ \t]*)?\Z", re.DOTALL)
_STATUS: dict[str, Status] = {"draft": "drafting", "final": "final", "aband": "abandoned"}


class Output(NamedTuple):
    """What a model answered: programs, or words (None: no words)."""

    programs: tuple[Program, ...] = ()
    text: str | None = None


class Sample(NamedTuple):
    """A prompt, or an example in one: documents, the stack, the last words, and the answer (None: to be given)."""

    definitions: str = ""
    stack: tuple[Stacked, ...] = ()
    turns: tuple[Turn, ...] = ()
    output: Output | None = None


def read_conversations(file: Path, world: Setting = _S3, *, lax: bool = False) -> list[Dialogue]:
    """The conversations of a file. Raises BadFile, BadRecord."""
    with opened(file) as stream:
        data = stream.read(_BYTES + 1)
    if len(data) > _BYTES:
        raise BadFile(f"{file} is larger than {_BYTES >> 20} MiB: split it")
    try:
        return parse_conversations(data.decode("utf-8-sig"), file, world, lax=lax)
    except UnicodeDecodeError as error:
        raise BadFile(f"{file} is not UTF-8 (byte {error.start}): save it as UTF-8") from None


def parse_conversations(
    text: str, file: object = "<text>", world: Setting = _S3, *, lax: bool = False
) -> list[Dialogue]:
    """The conversations of a text. `lax`: programs that cannot go on the stack stay as they are written."""
    root = scan(text, file, strict=True)
    found: dict[str, Dialogue] = {}
    for node in (one for group in (root, *root.all("conversations")) for one in group.all("conversation")):
        dialogue = _dialogue(node, file, world, lax)
        if dialogue.id in found:
            raise node.bad(file, f"there is a conversation {shown(dialogue.id)} already")
        found[dialogue.id] = dialogue
    if not found:
        raise BadFile(f"{file} holds no <conversation>")
    return list(found.values())


def conversations_xml(dialogues: Iterable[Dialogue]) -> str:
    """Conversations as one document. Raises BadSetting for acts that are no programs."""
    return "\n".join(["<conversations>", *map(_conversation_xml, dialogues), "</conversations>", ""])


def read_sample(text: str, file: object = "<text>") -> Sample:
    """A prompt or example, as `sample_xml` writes it. Raises BadRecord."""
    root = scan(text, file, strict=True)
    definitions, stacked, output = root.first("def"), root.first("stack"), root.first("output")
    goals = ((_goal(node, file), _result(node, file)) for node in (stacked.all("goal") if stacked else ()))
    held = tuple(Stacked(goal=one.goal, status=one.status, code=one.code, result=result) for one, result in goals)
    turns = tuple(_turn(node, file) for node in root.all("turn"))
    answer = _output(output.children, file) if output else None
    return Sample(content(definitions.raw) if definitions else "", held, turns, answer)


def sample_xml(sample: Sample) -> str:
    """A prompt or example; without an answer it ends where the answer begins."""
    parts = [f"<def>\n{escaped(sample.definitions)}\n</def>"] if sample.definitions else []
    parts += [_stack_xml(sample.stack), *map(_turn_xml, sample.turns)]
    return "\n".join([*parts, "<output>\n" if sample.output is None else output_xml(sample.output)])


def read_output(text: str, file: object = "<output>") -> Output:
    """What a model answered, whether or not it repeats `<output>`; what follows the answer is left out.

    Raises BadRecord for a goal without an id or a status. Where there is no element at all, everything is words.
    """
    nodes = scan(text, file).children
    whole = next((node.children for node in nodes if node.tag == "output"), nodes)
    ends = next((n for n, node in enumerate(whole) if node.tag in ("/output", "stack", "def")), len(whole))
    answer = [node for node in whole[:ends] if not node.tag.startswith("/")]
    if answer or any(node.tag == "output" for node in nodes):
        return _output(answer, file, strict=False)
    return Output(text=_spoken(_unfenced(text.partition("</output>")[0]).strip())[1] or None)


def output_xml(output: Output) -> str:
    """An answer."""
    lines = [_goal_xml(program) for program in output.programs]
    lines += [_turn_xml(AgentTurn(text=output.text))] if output.text is not None else []
    return "\n".join(["<output>", *lines, "</output>"])


def _stack_xml(stacked: Sequence[Stacked]) -> str:
    goals = (_goal_xml(Program(goal=one.goal, status=one.status, code=one.code), one.result) for one in stacked)
    return "\n".join(["<stack>", *goals, "</stack>"])


def _turn_xml(turn: Turn) -> str:
    return f"<turn>{'User' if turn.role == 'user' else 'Agent'}: {escaped(turn.text or '')}</turn>"


def _conversation_xml(dialogue: Dialogue) -> str:
    initial = dialogue.extra.get("initial_signature")
    known = [f"<initial_signature>{escaped(initial)}</initial_signature>"] if isinstance(initial, str) else []
    lines = [f"<conversation uid={attribute(dialogue.id)}>", "<metadata>", *known, "</metadata>", "<turns>"]
    for turn in dialogue.turns:
        lines += _goals_xml(dialogue, turn) if turn.role == "agent" else ()
        lines += [_turn_xml(turn)] if turn.role == "user" or turn.text is not None else []
    return "\n".join([*lines, "</turns>", "</conversation>"])


def _goals_xml(dialogue: Dialogue, turn: AgentTurn) -> Iterator[str]:
    signed = chain(list_of(turn.extra.get("signatures")), repeat(None))
    for act, result, signature in zip(turn.acts, turn.results or repeat(None), signed, strict=False):
        if act.kind != "program":
            raise BadSetting(f"dialogue {dialogue.id!r} has a {act.kind}: Dialog2API's XML holds programs only")
        yield _goal_xml(act, result, signature)


def _goal_xml(program: Program, result: Result | None = None, signature: object = None) -> str:
    head = f"<goal uid={attribute(program.goal)} status={attribute(program.status)}"
    lines = [f"<program>\n{escaped(program.code)}\n</program>"] if program.code else []
    if result is not None:
        lines.append(f"<result>{escaped(_json(result.value))}</result>")
        told = result.error and escaped(_json({"error": result.error.type, "message": result.error.message}))
        lines.append(f"<error>{told}</error>" if told else "<error/>")
    lines += [f"<signature>{escaped(signature)}</signature>"] if isinstance(signature, str) else []
    return "\n".join([f"{head}>", *lines, "</goal>"]) if lines else f"{head}/>"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _dialogue(node: Node, file: object, world: Setting, lax: bool) -> Dialogue:
    uid, turns = node.attributes.get("uid", ""), node.first("turns")
    if not uid:
        raise node.bad(file, "the conversation has no uid", 'write <conversation uid="...">')
    metadata = node.first("metadata")
    initial = metadata.first("initial_signature") if metadata else None
    extra: dict[str, JsonValue] = {"initial_signature": content(initial.raw)} if initial else {}
    found, places = _turns(turns.children if turns else [], file)
    try:
        whole = completed(found, lax=lax)
        return Dialogue(id=uid, world=world, turns=whole, extra=extra, origin={"line": "programs"})
    except StackError as error:
        place = places[error.turn or 0][error.act or 0]
        raise place.bad(file, f"goal {shown(error.goal)} {error.what}") from None
    except ValidationError as error:
        raise node.bad(file, error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")) from None


def _turns(nodes: Sequence[Node], file: object) -> tuple[list[Turn], list[list[Node]]]:
    """(turns, goals one after the other being one turn; the elements of each)."""
    places: list[list[Node]] = []
    for speaks, group in groupby(nodes, lambda node: node.tag == "turn"):
        found = list(group)
        places += [[node] for node in found] if speaks else [found]
    return [_turn(group[0], file) if group[0].tag == "turn" else _programs(group, file) for group in places], places


def _programs(nodes: Sequence[Node], file: object) -> AgentTurn:
    programs = tuple(_goal(node, file) for node in nodes)
    results = tuple(_result(node, file) for node in nodes)
    signed: list[JsonValue] = [content(found.raw) if (found := node.first("signature")) else None for node in nodes]
    extra: dict[str, JsonValue] = {"signatures": signed} if any(signed) else {}
    return AgentTurn(acts=programs, results=results if any(results) else (), extra=extra)


def _turn(node: Node, file: object) -> Turn:
    who, words = _spoken(node.raw)
    if not who:
        raise node.bad(file, f"{shown(node.raw.strip())} does not say who speaks", "begin it with Agent: or User:")
    return UserTurn(text=content(words)) if who == "user" else AgentTurn(text=content(words))


def _goal(node: Node, file: object, *, strict: bool = True) -> Program:
    if node.tag != "goal":
        raise node.bad(file, f"<{node.tag}> cannot stand here", 'put it into <goal uid="..." status="...">')
    goal, written = node.attributes.get("uid", ""), node.attributes.get("status", "")
    status: Status | None = next((one for begins, one in _STATUS.items() if written.lower().startswith(begins)), None)
    if not goal:
        raise node.bad(file, "the goal has no uid", 'write <goal uid="..." status="...">')
    if status is None or (strict and status != written):
        raise node.bad(file, f"expected the status drafting, final or abandoned, got {shown(written)}")
    program = node.first("program")
    code = code_of(program) if program else ""
    return Program(goal=goal, status=status, code=code if strict else _unfenced(code))


def _result(node: Node, file: object) -> Result | None:
    value, error = node.first("result"), node.first("error")
    if value is None and error is None:
        return None
    told = content(error.raw) if error else ""
    return Result(value=_read_json(value, file) if value else None, error=_fault(told) if told else None)


def _read_json(node: Node, file: object) -> JsonValue:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        return json.loads(content(node.raw) or "null", parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise node.bad(file, f"the result is no JSON: {error}", "write null where nothing is returned") from None


def _fault(told: str) -> Fault:
    """An error as the paper writes it, or as others do (`NoSuchKey: There is no such key`)."""
    try:
        found: Any = json.loads(told)
        return Fault(type=str(found["error"]), message=str(found.get("message", "")))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        kind, _, message = told.partition(":")
        return Fault(type=kind.strip(), message=message.strip())


def _output(nodes: Sequence[Node], file: object, *, strict: bool = True) -> Output:
    programs = tuple(_goal(node, file, strict=strict) for node in nodes if node.tag != "turn")
    said = (_spoken(node.raw) for node in nodes if node.tag == "turn")
    return Output(programs, next((content(words) for who, words in said if who != "user"), None))


def _spoken(text: str) -> tuple[str, str]:
    """(who says it, empty where that is not said; the words)."""
    who = _WORDS.match(text)
    return (who[1].lower(), text[who.end() :]) if who else ("", text)


def _unfenced(text: str) -> str:
    found = _FENCE.match(text.strip("\n"))
    return found[1] if found else text
