r"""The elements of Dialog2API's XML (arXiv 2212.09946, appendices D, E): found in files, and in what models write.

Their XML is not quite XML: code and words hold bare `<` and `&`. So this scanner knows the names of the format and no
others; everything else is text. Entities other than the five of XML and numbers are text, too: nothing can be defined,
fetched or expanded. Content may be escaped, in CDATA, or neither.

Contract: `scan` gives a tree, in time linear in the text. `strict` is for files: text that belongs nowhere, an element
in the wrong place or without its end, and document types are refused with line, column and path. Otherwise prose around
elements is left out, and an element ends where it must have ended: at the end of what holds it, or at a line that
begins with its sibling. `escaped` and `content` are each other's inverse, whatever the text.

Example:
    >>> (goal,) = scan('Sure!\n<goal uid="1" status="final">\n<program>\n  return 1 < 2 & 3').children
    >>> goal.attributes, code_of(goal.children[0])
    ({'uid': '1', 'status': 'final'}, 'return 1 < 2 & 3')

Not covered: comments in the middle of words or code, which are words and code; encodings other than UTF-8.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from toologue.errors import BadRecord, shown

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
"""Every element, and what may hold it; "" is the text as a whole."""
_TEXTS = frozenset(("initial_signature", "turn", "program", "result", "error", "signature", "def"))
_TOKEN = re.compile(rf"<!\[CDATA\[|<!--|<!DOCTYPE|<!ENTITY|<\?|</?({'|'.join(_IN)})(?=[\s/>])([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'/]+))""")
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_UNSAFE = re.compile(r"[&<>]|[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EDGES = re.compile(r"\A[ \t\n]+|[ \t\n]+\Z")
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
    return _EDGES.sub(lambda found: "".join(map(_number, found[0])), safe)


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
        """All of it."""
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
            end = self._text.find(ending, found.end())
            if end >= 0:
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
