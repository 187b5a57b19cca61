r"""Graphs as ALMITA's flow text (A.4, A.5) and as Mermaid flowcharts, read and written.

Flow text is `[N0](start_message){Greet}` for nodes and `[E0](N0, N1){Late}` for links, in any order; in a description
`\{`, `\}` and `\\` stand for what follows the backslash. Flowcharts are read as people draw them; directions, styles,
clicks and invisible links are passed over. One of a class that is called like a type of node has that type. Else a
subroutine `[[get_order]]` is an api, a node that leads nowhere an end_message, the one node without a parent the
start_message, and any other a message.
"""

from __future__ import annotations

import html
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, cast, get_args

from toologue.errors import BadSetting, Problems, UnknownName, shown
from toologue.schema import Graph, Link, Node, NodeType

_HEAD = re.compile(r"\[([^\[\]\s]+)\]\s*\(([^()]*)\)\s*\{")
_FLOW_ID = re.compile(r"[^\[\]\s(),]+")
_BETWEEN = re.compile(r"\s*(?:</flow>.*)?", re.DOTALL)
_BRACE = re.compile(r"\\[{}\\]|[{}]")
_ESCAPED = re.compile(r"\\([{}\\])")
_OPEN = re.compile(r"[^\[]*<flow>")
_EXPECTED = "expected [N0](api){get_order} or [E0](N0, N1){Found}"
_TALK = ("assistant", "user")
_TYPES: tuple[NodeType, ...] = get_args(NodeType)


class FlowTextWarning(UserWarning):
    """A flow text was accepted, and something in it was changed."""


class _Entry(NamedTuple):
    line: int
    id: str
    inside: tuple[str, ...]
    text: str


def read_flow_text(text: str, *, id: str = "flow", file: object = "<flow>") -> Graph:
    """The graph that a flow text spells."""
    bad = Problems()
    entries = list(_entries(text, bad))
    nodes = _nodes([entry for entry in entries if len(entry.inside) == 1], bad)
    edges = [entry for entry in entries if len(entry.inside) == 2]
    for edge in edges:
        for end in edge.inside:
            if end not in nodes:
                bad.add(edge.line, f"edge {edge.id} joins {end}, and there is no such node")
    if not entries and not bad:
        bad.add(1, "there is no node", _EXPECTED)
    if bad:
        raise bad.error(file, "flow text")
    return _graph(id, list(nodes.values()), _links(edges, file))


def write_flow_text(graph: Graph) -> str:
    """The flow text of a graph. Raises BadSetting for ids that it cannot say."""
    for id in [node.id for node in graph.nodes] + [link.id for link in graph.links]:
        if not _FLOW_ID.fullmatch(id):
            raise BadSetting(f"graph {graph.id!r}: the id {id!r} cannot stand in flow text; use N or E and a number")
    lines = [f"[{node.id}]({node.type}){{{_quoted(node.text)}}}" for node in graph.nodes]
    lines += [f"[{link.id}]({link.source}, {link.target}){{{_quoted(link.text)}}}" for link in graph.links]
    return "\n".join(["<flow>", *lines, "</flow>", ""])


def _entries(text: str, bad: Problems) -> Iterator[_Entry]:
    opened = _OPEN.match(text)
    place, line, after, end, closes = 0, 1, opened.end() if opened else 0, len(text), _closes(text)
    while (start := cast("re.Match[str]", _BETWEEN.match(text, after)).end()) < end:
        line, place = line + text.count("\n", place, start), start
        head = _HEAD.match(text, place)
        close = closes.get(head.end() - 1, -1) if head else -1
        after = close + 1
        if head is None or close < 0:
            after = place + len(_rest(text, place))
            what = f"the description of {head[1]} has no end" if head else f"{shown(text[place:after])} is no entry"
            bad.add(line, what, _EXPECTED)
        elif (joined := head[2].count(",") + 1) > 2:
            bad.add(line, f"{head[1]} joins {joined} nodes", "an edge joins two")
        else:
            inside = tuple(part.strip() for part in head[2].split(","))
            yield _Entry(line, head[1], inside, _ESCAPED.sub(r"\1", text[head.end() : close]))


def _rest(text: str, place: int) -> str:
    """What is left of a line."""
    end = text.find("\n", place)
    return text[place:] if end < 0 else text[place:end]


def _closes(text: str) -> dict[int, int]:
    """Where each brace is closed, by where it opens."""
    opened, found = list[int](), dict[int, int]()
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            found[opened.pop()] = brace.start()
    return found


def _quoted(text: str) -> str:
    plain = _closes(f"{{{text}}}").get(0) == len(text) + 1 and not _ESCAPED.search(f"{text}}}")
    return text if plain else re.sub(r"[{}\\]", r"\\\g<0>", text)


def _nodes(entries: Sequence[_Entry], bad: Problems) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    kinds: dict[bool, str] = {}
    for entry in entries:
        if (kind := _type(entry.inside[0])) is None:
            bad.add(entry.line, str(UnknownName("type of node", entry.inside[0], _TYPES)))
            continue
        if entry.id in nodes:
            bad.add(entry.line, f"node {entry.id} stands twice", "give one of them another id")
        nodes[entry.id] = Node(id=entry.id, type=kind, text=entry.text)
        if kind != "api":
            kinds.setdefault(kind in _TALK, kind)
        if len(kinds) == 2:
            what = f"{kinds[False]} belongs to flowgraphs, {kinds[True]} to conversation graphs"
            bad.add(entry.line, what, "keep to one")
            kinds.clear()
    return nodes


def _links(edges: Sequence[_Entry], file: object) -> Iterator[Link]:
    taken, given = {edge.id for edge in edges}, set[str]()
    numbers = (id for number in count() if (id := f"E{number}") not in taken)
    for edge in edges:
        id = edge.id
        if id in given:
            id = next(numbers)
            warnings.warn(f"{file}:{edge.line}: edge {edge.id} stands twice; this one is {id} now", FlowTextWarning, 3)
        given.add(id)
        yield Link(id=id, source=edge.inside[0], target=edge.inside[1], text=edge.text)


# What opens a shape, the longer first, and what closes it.
_SHAPES = [
    (opens, re.compile(rf"{re.escape(opens)}\s*(?:(\"[^\"]*\")\s*|([^\n]*?))(?:{'|'.join(map(re.escape, closers))})"))
    for opens, *closers in map(
        str.split,
        (r"((( )))", "(( ))", "([ ])", "[[ ]]", "[( )]", r"[/ /] \]", r"[\ \] /]", "{{ }}", "[ ]", "( )", "{ }", "> ]"),
    )
]

_HEADER = re.compile(r"\s*(?:```\w*\s*)?(?:---\n.*?\n---\s*)?(?:%%[^\n]*\n\s*)*(?:flowchart|graph)\b[^\n;]*", re.DOTALL)
_GAP = re.compile(r"(?:\s|;|%%[^\n]*)*")
_PASSED = re.compile(r"(?:subgraph|end|direction|classDef|style|linkStyle|click|accTitle|accDescr|```)(?![\w-])[^\n;]*")
_CLASS = re.compile(r"class\s+([\w,\s-]+?)\s+(\w+)[ \t]*(?=[\n;]|$)")
_ID = re.compile(r"\w+(?:[-.]\w+)*")
_OF_CLASS = re.compile(r":::(\w+)")
_DETAILS = re.compile(r"@\{([^}]*)\}")
_DETAIL = re.compile(r"(shape|label)\s*:\s*(?:\"([^\"]*)\"|([^,\n]*))")
_MOST = 50_000
_ENDS = re.compile(r"[ \t]*(?:[\n;]|%%|$)")
_AND = re.compile(r"[ \t]*&\s*")
_ARROW = re.compile(
    r"\s*(?:\w+@)?(?P<back><|[xo](?=[-=]))?"
    r"(?:(?P<hidden>~{3,})|(?:-{2,}(?:>|[xo](?![\w-]))|-{3,}|={2,}(?:>|[xo](?![\w=]))|={3,}|-\.+-(?:>|[xo](?!\w))?)"
    r"(?:[ \t]*\|\s*(?P<label>\"[^\"]*\"|[^|\n]*)\|)?"
    r"|(?:--|==|-\.)\s*(?P<inner>\"[^\"]*\"|[^\n]+?)\s*(?:-{2,}[>xo]?|={2,}[>xo]?|\.+-[>xo]?))"
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
# How nodes are drawn: what opens and closes them, their colours.
_DRAWN: Mapping[NodeType, tuple[str, str, str]] = {
    "start_message": ("([", "])", "fill:#dbeafe,stroke:#1d4ed8"),
    "message": ("[", "]", "fill:#dbeafe,stroke:#1d4ed8"),
    "api": ("[[", "]]", "fill:#1f2937,stroke:#111827,color:#ffffff"),
    "end_message": ("([", "])", "fill:#ffedd5,stroke:#c2410c"),
    "assistant": ("(", ")", "fill:#dbeafe,stroke:#1d4ed8"),
    "user": (">", "]", "fill:#dcfce7,stroke:#15803d"),
}


def write_mermaid(graph: Graph) -> str:
    """A graph as a flowchart, with a class for each type of node. Raises BadSetting for ids that it cannot say."""
    lines = ["flowchart TD"]
    for node in graph.nodes:
        if not _ID.fullmatch(node.id):
            raise BadSetting(f"graph {graph.id!r}: the id {node.id!r} cannot stand in a flowchart; use N and a number")
        opens, closes, _ = _DRAWN[node.type]
        lines.append(f'    {node.id}{opens}"{_encoded(node.text)}"{closes}:::{node.type}')
    for link in graph.links:
        label = f'|"{_encoded(link.text)}"|' if link.text else ""
        lines.append(f"    {link.source} -->{label} {link.target}")
    used = {node.type for node in graph.nodes}
    lines += [f"    classDef {kind} {colours}" for kind, (_, _, colours) in _DRAWN.items() if kind in used]
    return "\n".join([*lines, ""])


def read_mermaid(text: str, *, id: str = "flowchart", file: object = "<flowchart>") -> Graph:
    """The graph that a flowchart draws."""
    chart = _Chart(text.replace("\r\n", "\n"))
    chart.read_all()
    if chart.bad:
        raise chart.bad.error(file, "flowchart")
    return chart.graph(id)


@dataclass
class _Drawn:
    text: str
    shape: str = ""
    kind: NodeType | None = None


@dataclass
class _Chart:
    """A flowchart while it is read: what was drawn so far, the place in the text, the last (line, place) counted."""

    text: str
    place: int = 0
    nodes: dict[str, _Drawn] = field(default_factory=dict[str, _Drawn])
    arrows: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    bad: Problems = field(default_factory=Problems)
    counted: tuple[int, int] = (1, 0)

    def read_all(self) -> None:
        if not self.take(_HEADER):
            self.bad.add(1, "this is no flowchart", "it begins with `flowchart TD`, or `graph LR`")
            return
        while self.take(_GAP) is not None and self.place < len(self.text):
            if self.take(_PASSED):
                continue
            if named := self.take(_CLASS):
                for id in re.split(r"[,\s]+", named[1]):
                    self.node(id).kind = _type(named[2])
            elif not self.chain():
                rest = _rest(self.text, self.place)
                what = f"{shown(rest.strip())} cannot be read"
                self.bad.add(self.line(), what, "expected nodes and arrows: a[Text] -->|text| b")
                self.place += len(rest)
        if not self.nodes and not self.bad:
            self.bad.add(1, "there is no node", "draw some: a[Text] -->|text| b")

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found

    def line(self) -> int:
        self.counted = self.counted[0] + self.text.count("\n", self.counted[1], self.place), self.place
        return self.counted[0]

    def chain(self) -> bool:
        """Groups of nodes and the arrows between them. False where something else stands."""
        sources = list(self.group())
        while sources and (arrow := self.take(_ARROW)):
            if arrow["back"]:
                self.bad.add(self.line(), "an arrow with two heads", "draw two arrows")
            self.take(_GAP)
            targets = list(self.group())
            if not targets:
                return False
            if len(self.arrows) + len(sources) * len(targets) > _MOST:
                self.bad.add(self.line(), f"more than {_MOST:,} arrows", "draw less in one flowchart")
                self.place = len(self.text)
                return True
            label = _decoded(arrow["label"] or arrow["inner"] or "")
            if not arrow["hidden"]:
                self.arrows += [(source, label, target) for source in sources for target in targets]
            sources = targets
        return bool(sources) and _ENDS.match(self.text, self.place) is not None

    def group(self) -> Iterator[str]:
        while id := self.take(_ID):
            drawn = self.node(id[0])
            self.shape(drawn)
            if named := self.take(_OF_CLASS):
                drawn.kind = _type(named[1]) or drawn.kind
            yield id[0]
            if not self.take(_AND):
                return

    def node(self, id: str) -> _Drawn:
        """The node of this id. What has no text shows its id."""
        return self.nodes.setdefault(id, _Drawn(id))

    def shape(self, drawn: _Drawn) -> None:
        if details := self.take(_DETAILS):
            given = {found[1]: found[2] or found[3] or "" for found in _DETAIL.finditer(details[1])}
            drawn.text = _decoded(given["label"]) if "label" in given else drawn.text
            drawn.shape = {"subproc": "[[", "subroutine": "[[", "fr-rect": "[["}.get(given.get("shape", "").strip(), "")
            return
        for opens, form in _SHAPES:
            if found := self.take(form):
                drawn.text, drawn.shape = _decoded(found[1] or found[2] or ""), opens
                return

    def graph(self, id: str) -> Graph:
        plain = all(re.fullmatch(r"N\d+", name, re.ASCII) for name in self.nodes)
        names = {name: name if plain else f"N{place}" for place, name in enumerate(self.nodes)}
        left, entered = {source for source, _, _ in self.arrows}, {target for _, _, target in self.arrows}
        roots = [name for name in self.nodes if name not in entered]

        def kind(name: str, drawn: _Drawn) -> NodeType:
            if drawn.kind or drawn.shape == "[[":
                return drawn.kind or "api"
            if name not in left:
                return "end_message"
            return "start_message" if roots == [name] else "message"

        nodes = [Node(id=names[name], type=kind(name, drawn), text=drawn.text) for name, drawn in self.nodes.items()]
        links = (
            Link(id=f"E{place}", source=names[source], target=names[target], text=text)
            for place, (source, text, target) in enumerate(self.arrows)
        )
        return _graph(id, nodes, links)


def _graph(id: str, nodes: Sequence[Node], links: Iterable[Link]) -> Graph:
    kind = "conversation_graph" if any(node.type in _TALK for node in nodes) else "flowgraph"
    return Graph(id=id, kind=kind, nodes=tuple(nodes), links=tuple(links))


def _type(name: str) -> NodeType | None:
    return next((known for known in _TYPES if known == name), None)


def _decoded(text: str) -> str:
    text = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text.strip()
    text = text[1:-1] if len(text) > 1 and text[0] == text[-1] == "`" else text
    lines = _BREAK.sub("\n", text)
    return html.unescape(re.sub(r"#(\d+);", r"&#\1;", re.sub(r"#([a-zA-Z]+);", r"&\1;", lines)))


def _encoded(text: str) -> str:
    text = re.sub(r"[#\"<>&`\r]", lambda found: f"#{ord(found[0])};", text)
    return text.replace("\n", "<br/>")
