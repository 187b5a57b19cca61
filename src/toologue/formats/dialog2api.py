"""Dialog2API's XML (arXiv 2212.09946, appendices D, E): conversations, stacks, what models are shown and answer.

    conversations   <conversation uid>, <metadata>, <turns>; several in <conversations>    `read_conversations`
    samples         <def>, <stack>, <turn>, <output>: a prompt, or an example in one       `sample_xml`
    answers         what a model wrote: <goal>s, a <turn>                                  `read_output`

Their XML is not quite XML: code and words hold bare `<` and `&`. So what begins none of the format's own tags is text.
Nothing can be defined, fetched or expanded. Files are read strictly (`BadRecord`); answers as models write them:
without the end of the last element, in Markdown, amid prose.
"""

from __future__ import annotations

import html
import json
import re
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn
from xml.sax.saxutils import unescape

from pydantic import JsonValue, ValidationError

from toologue import limits
from toologue.data import reason, text_of
from toologue.errors import BadFile, BadRecord, StackError, shown
from toologue.formats.literals import json_text
from toologue.schema import AgentTurn, Dialogue, Fault, Program, Result, Setting, Turn, UserTurn
from toologue.schema.stack import Stacked, completed

_S3 = Setting(name="s3")
Status = Literal["drafting", "final", "abandoned"]
_STATUS: dict[str, Status] = {"draft": "drafting", "final": "final", "aband": "abandoned"}
_NAMES = "conversations|conversation|metadata|initial_signature|turns|turn|goal|program|result|error|signature"
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)
# Signs that begin nothing of ours, outside of CDATA.
_STRAY = re.compile(rf"({_CDATA.pattern})|<(?!/?(?:{_NAMES})[\s/>])|&(?!(?:lt|gt|amp|quot|apos);)", re.DOTALL)
_TAG = re.compile(r"(^[ \t]*)?<(/?)(output|goal|program|turn|stack|def)\b([^<>]*+)>", re.IGNORECASE | re.MULTILINE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'/]+))""")
_QUOTES = {"&quot;": '"', "&apos;": "'", "&#x27;": "'"}
_WORDS = re.compile(r"[ \t\n]*(agent|bot|assistant|system|user)[ \t]*:[ \t\n]*", re.IGNORECASE)
_FENCE = re.compile(r"\A[ \t]*```[\w-]*[ \t]*\n?(.*?)(?:\n[ \t]*```[ \t]*)?\Z", re.DOTALL)
_BLANK = " \t\n"
# (what is wrong, what to do) → the error.
_Bad = Callable[[str, str], NoReturn]


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
    return parse_conversations(text_of(file, limits.DOCUMENT), file, world, lax=lax)


def parse_conversations(
    text: str, file: object = "<text>", world: Setting = _S3, *, lax: bool = False
) -> list[Dialogue]:
    """The conversations of a text. `lax`: programs that cannot go on the stack stay as they are written."""
    tidy = _STRAY.sub(lambda found: found[1] or html.escape(found[0]), text)
    try:
        root = ET.fromstring(f"<all>{tidy}</all>")
    except ET.ParseError as error:
        line, column = error.position
        what = f"this is not the paper's XML: {str(error).partition(':')[0]}"
        raise BadRecord(
            file, line, f"/ (column {column + 1})", what, "end each element; code may stand in CDATA"
        ) from None
    found: dict[str, Dialogue] = {}
    for number, node in enumerate(root.iter("conversation"), 1):
        dialogue = _Conversation(node, file, f"/conversation[{number}]").dialogue(world, lax=lax)
        if dialogue.id in found:
            raise BadRecord(file, 0, f"/conversation[{number}]", f"there is a {shown(dialogue.id)} already")
        found[dialogue.id] = dialogue
    if not found:
        raise BadFile(f"{file} holds no <conversation>")
    return list(found.values())


def read_output(text: str, file: object = "<output>") -> Output:
    """What a model answered, whether or not it repeats `<output>`; what follows the answer is left out.

    Raises BadRecord for a goal without an id or a status. Where there is no element at all, everything is words.
    """
    text = _CDATA.sub(lambda found: html.escape(found[1], quote=False), text.replace("\r\n", "\n"))
    elements = _elements(text)
    if elements is None:
        return Output(text=_spoken(_unfenced(text.partition("</output>")[0]).strip())[1] or None)

    def bad(what: str, remedy: str) -> NoReturn:
        raise BadRecord(file, 0, "/", what, remedy)

    programs, words = list[Program](), list[str]()
    for tag, head, body in elements:
        if tag == "program":
            bad("<program> cannot stand here", 'put it into <goal uid="..." status="...">')
        elif tag == "turn":
            who, said = _spoken(body)
            words += [_content(said)] if who != "user" else []
        else:
            attributes = {name.lower(): _content("".join(values)) for name, *values in _ATTRIBUTE.findall(head)}
            uid, written = attributes.get("uid", ""), attributes.get("status", "").lower()
            status = next((one for begins, one in _STATUS.items() if written.startswith(begins)), written)
            programs.append(_program(uid, status, _unfenced(_content(_code(body))), bad))
    return Output(tuple(programs), words[0] if words else None)


def sample_xml(sample: Sample) -> str:
    """A prompt or example; without an answer it ends where the answer begins."""
    parts = [f"<def>\n{escaped(sample.definitions)}\n</def>"] if sample.definitions else []
    goals = (_goal_xml(Program(goal=one.goal, status=one.status, code=one.code), one.result) for one in sample.stack)
    parts += ["\n".join(["<stack>", *goals, "</stack>"]), *map(_turn_xml, sample.turns)]
    return "\n".join([*parts, "<output>\n" if sample.output is None else output_xml(sample.output)])


def output_xml(output: Output) -> str:
    """An answer."""
    lines = [_goal_xml(program) for program in output.programs]
    lines += [_turn_xml(AgentTurn(text=output.text))] if output.text is not None else []
    return "\n".join(["<output>", *lines, "</output>"])


def escaped(text: str) -> str:
    """The text as content of an element."""
    return html.escape(text, quote=False)


def _turn_xml(turn: Turn) -> str:
    return f"<turn>{'User' if turn.role == 'user' else 'Agent'}: {escaped(turn.text or '')}</turn>"


def _goal_xml(program: Program, result: Result | None = None) -> str:
    head = f'<goal uid="{html.escape(program.goal)}" status="{program.status}"'
    lines = [f"<program>\n{escaped(program.code)}\n</program>"] if program.code else []
    if result is not None:
        lines.append(f"<result>{escaped(json_text(result.value))}</result>")
        told = result.error and escaped(json_text({"error": result.error.type, "message": result.error.message}))
        lines.append(f"<error>{told}</error>" if told else "<error/>")
    return "\n".join([f"{head}>", *lines, "</goal>"]) if lines else f"{head}/>"


def _elements(text: str) -> list[tuple[str, str, str]] | None:
    """(tag, attributes, program or words) of the goals and turns of an answer; None where there is no element."""
    found, inside, start, begun = list[tuple[str, str, str]](), "", 0, False
    for tag in _TAG.finditer(text):
        closes, name = tag[2] == "/", tag[3].lower()
        if inside:
            ends = name in (inside, "goal", "output") if closes else tag[1] is not None and name != "program"
            if not ends:
                continue  # it is a part of code, or of words
            found[-1] = (*found[-1][:2], text[start : tag.start()])
            inside = ""
        if name in ("stack", "def") or (name == "output" and (closes or begun)):
            break
        if name == "output":
            found, begun = [], True
        elif not closes:
            if name != "program" or not found or found[-1][0] != "goal":
                found.append((name, tag[4], ""))
            inside, start = (name, tag.end()) if name != "goal" else ("", 0)
    if inside:
        found[-1] = (*found[-1][:2], text[start:])
    return found if found or begun else None


class _Conversation:
    def __init__(self, node: ET.Element, file: object, path: str):
        self._node, self._file, self._path = node, file, path

    def dialogue(self, world: Setting, *, lax: bool) -> Dialogue:
        uid, turns = self._node.get("uid", ""), self._node.find("turns")
        if not uid:
            self._bad("the conversation has no uid", 'write <conversation uid="...">')
        initial = self._node.find("metadata/initial_signature")
        extra: dict[str, JsonValue] = {} if initial is None else {"initial_signature": self._text(initial)}
        found, goals = list[Turn](), list[ET.Element]()
        for node in (*(turns if turns is not None else ()), None):
            if node is not None and node.tag != "turn":
                goals.append(node)
                continue
            found += [self._programs(goals)] if goals else []
            found += [self._turn(node)] if node is not None else []
            goals = []
        try:
            whole = completed(found, lax=lax)
            return Dialogue(id=uid, world=world, turns=whole, extra=extra, origin={"line": "programs"})
        except StackError as error:
            self._bad(f"goal {shown(error.goal)} {error.what}")
        except ValidationError as error:
            self._bad(reason(error))

    def _turn(self, node: ET.Element) -> Turn:
        who, words = _spoken(self._text(node))
        if not who:
            self._bad(f"{shown(self._text(node))} does not say who speaks", "begin it with Agent: or User:")
        return UserTurn(text=words) if who == "user" else AgentTurn(text=words)

    def _programs(self, nodes: list[ET.Element]) -> AgentTurn:
        """Goals one after the other, which are one turn."""
        programs, results, signed = list[Program](), list[Result | None](), list[JsonValue]()
        for node in nodes:
            if node.tag != "goal":
                self._bad(f"<{node.tag}> cannot stand here", 'put it into <goal uid="..." status="...">')
            parts = {part.tag: self._text(part, strip=part.tag != "program") for part in node}
            code = _code(parts.get("program", ""))
            programs.append(_program(node.get("uid", ""), node.get("status", ""), code, self._bad))
            results.append(self._result(parts) if {"result", "error"} & parts.keys() else None)
            signed.append(parts.get("signature"))
        extra: dict[str, JsonValue] = {"signatures": signed} if any(signed) else {}
        return AgentTurn(acts=tuple(programs), results=tuple(results) if any(results) else (), extra=extra)

    def _result(self, parts: dict[str, str]) -> Result:
        try:
            value = json.loads(parts.get("result") or "null", parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            self._bad(f"the result is no JSON: {error}", "write null where nothing is returned")
        return Result(value=value, error=_fault(parts["error"]) if parts.get("error") else None)

    def _text(self, node: ET.Element, *, strip: bool = True) -> str:
        if len(node):
            self._bad(f"<{node[0].tag}> cannot stand in <{node.tag}>", "write &lt; for a bracket")
        return (node.text or "").strip(_BLANK) if strip else node.text or ""

    def _bad(self, what: str, remedy: str = "") -> NoReturn:
        raise BadRecord(self._file, 0, self._path, what, remedy)


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _fault(told: str) -> Fault:
    """An error as the paper writes it, or as others do (`NoSuchKey: There is no such key`)."""
    try:
        found: Any = json.loads(told)
        return Fault(type=str(found["error"]), message=str(found.get("message", "")))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        kind, _, message = told.partition(":")
        return Fault(type=kind.strip(), message=message.strip())


def _program(goal: str, status: str, code: str, bad: _Bad) -> Program:
    if not goal:
        bad("the goal has no uid", 'write <goal uid="..." status="...">')
    known: Status | None = next((one for one in _STATUS.values() if one == status), None)
    if known is None:
        bad(f"expected the status drafting, final or abandoned, got {shown(status)}", "")
    return Program(goal=goal, status=known, code=code)


def _content(raw: str) -> str:
    """The text that content stands for."""
    return unescape(raw.strip(_BLANK), _QUOTES)


def _code(raw: str) -> str:
    """A program without the indent that all of its lines share, and blank lines around it."""
    return textwrap.dedent(raw.rstrip(_BLANK)).strip("\n")


def _spoken(text: str) -> tuple[str, str]:
    """(who says it, empty where that is not said; the words)."""
    who = _WORDS.match(text)
    return (who[1].lower(), text[who.end() :]) if who else ("", text)


def _unfenced(text: str) -> str:
    found = _FENCE.match(text.strip("\n"))
    return found[1] if found else text
