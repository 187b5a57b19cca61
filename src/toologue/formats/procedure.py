"""Procedures as Markdown that a support lead writes, git diffs, and no model is needed to compile.

docs/procedures.md has the dialect. A step without branches goes on to the next one unless it says `Go to`; lines that
are indented go on with the step or branch above. `read(write(procedure)) == procedure` for whatever `write` accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import Field, JsonValue, ValidationError

from toologue import limits
from toologue.data import Place, complaint, read_text, text_of
from toologue.errors import BadFile, BadRecord, BadSetting, Problem, Problems, shown
from toologue.formats.soundness import problems_of
from toologue.schema import Api, Branch, Limit, Noun, Procedure, Step
from toologue.values.json_schema import object_of

_KEYWORD = re.compile(r"\*\*(\w+)[:.]?\*\*[:.,]?\s*(.*)")
_SPANS = r"`[^`]*`(?:(?:, | and |, and |, so )`[^`]*`)*"
_CALL = re.compile(rf"`([^`]*)`(?: with ({_SPANS}))?(?:,? giving `([^`]*)`)?\.?(?:\s+(.*))?")
_COLLECT = re.compile(rf"(?:^|\s)Collect ({_SPANS})\.?$")
_LIMIT = re.compile(r"(?:^|\s)At most (\d{1,4}) times?, then go to (?:step )?(\d{1,4})\.?$")
_NEXT = re.compile(r"(?:^|\s)Go to (?:step )?(\d{1,4})\.?$")
_BRANCH = re.compile(rf"(.+?)(?:, so ({_SPANS}))?: go to (?:step )?(\d{{1,4}})\.?", re.IGNORECASE)
_ANSWER = re.compile(r"(.+?), if `([^`]*)`")
_FAILS = re.compile(r"If it fails(?: with `([\w -]+)`)?", re.IGNORECASE)
_FAILED = re.compile(r'error\.type == "([\w -]+)"')
_IF = re.compile(r"If `([^`]*)`", re.IGNORECASE)
_ASSIGNED = re.compile(r"(\w+)\s*=(?!=)\s*(.+)")
_STEP = re.compile(r"(\d{1,4})\.\s+(\S.*)")
_Said = Annotated[str, Field(pattern=r"\S")]
_Values = Annotated[tuple[JsonValue, ...], Field(min_length=1)]


@dataclass
class _Block:
    """A list item as it stands: its line, its words line by line, the items below it."""

    line: int
    parts: list[str]
    below: list[_Block] = field(default_factory=list["_Block"])

    @property
    def words(self) -> str:
        """Its words on one line."""
        return " ".join(self.parts)


def _read_step(number: int, block: _Block, bad: Problems) -> Step:
    keyword = _KEYWORD.fullmatch(block.words)
    kind: Any = keyword[1].lower() if keyword else ""
    if keyword is None or kind not in ("ask", "say", "call", "end"):
        begins = f"**{keyword[1]}**" if keyword else shown(block.words.split()[0])
        bad.add(block.line, f"step {number} begins with {begins}", "begin with **Ask**, **Say**, **Call** or **End**")
        return Step(number=number, kind="say", text=block.words, next=number + 1, line=block.line)
    text, fields = _sentences(number, block.line, keyword[2], bad)
    if kind == "call":
        text, called = _call(number, block.line, text, bad)
        fields |= called
    branches = tuple(branch for item in block.below if (branch := _branch(number, kind, item, bad)))
    if kind != "end" and all(branch.is_failure for branch in branches):
        fields.setdefault("next", number + 1)
    return Step(number=number, kind=kind, text=text, branches=branches, line=block.line, **fields)


def _write_step(step: Step) -> Iterator[str]:
    words = [f"**{step.kind.capitalize()}**" + ":" * (step.kind == "end")]
    if step.kind == "call":
        spans = [name if name == value else f"{name} = {value}" for name, value in step.arguments.items()]
        given = f" with {_listed(spans)}" if spans else ""
        words.append(f"`{step.api}`{given}" + (f", giving `{step.result}`." if step.result else "."))
    words += [step.text] if step.text else []
    words += [f"Collect {_listed(step.collects)}."] if step.collects else []
    if step.next not in (None, step.number + 1):
        words.append(f"Go to {step.next}.")
    if step.limit:
        times = f"{step.limit.times} time{'s' * (step.limit.times > 1)}"
        words.append(f"At most {times}, then go to {step.limit.then}.")
    yield f"{step.number}. {' '.join(words)}"
    for branch in step.branches:
        yield f"   - {_when(branch)}: go to {branch.target}."


def _sentences(number: int, line: int, text: str, bad: Problems) -> tuple[str, dict[str, Any]]:
    """The words of a step without its last sentences, and what those say."""
    fields: dict[str, Any] = {}
    while True:
        if found := _COLLECT.search(text):
            name, value = "collects", tuple(dict.fromkeys(_spans(found[1])))
        elif found := _LIMIT.search(text):
            name, value = "limit", Limit(times=max(1, int(found[1])), then=int(found[2]))
            if not int(found[1]):
                bad.add(line, f"step {number} may be entered 0 times", "allow one time, or leave the step out")
        elif found := _NEXT.search(text):
            name, value = "next", int(found[1])
        else:
            return text, fields
        if name in fields:
            bad.add(line, f"step {number} says {shown(found[0].strip())} and another sentence of that kind", "keep one")
            return text, fields
        fields[name], text = value, text[: found.start()]


def _call(number: int, line: int, text: str, bad: Problems) -> tuple[str, dict[str, Any]]:
    found = _CALL.fullmatch(text)
    if not found:
        remedy = "for example: **Call** `get_order` with `order_id` and `limit = 5`, giving `order`."
        bad.add(line, f"step {number} calls nothing that can be read: {shown(text)}", remedy)
        return text, {"api": "?"}
    arguments: dict[str, str] = {}
    for span in _spans(found[2] or ""):
        assigned = _ASSIGNED.fullmatch(span.strip())
        name, value = (assigned[1], assigned[2]) if assigned else (span, span)
        if not value.isidentifier() and name == value:
            bad.add(line, f"step {number} gives `{span}` to no parameter", f"name one: `parameter = {span}`")
        elif name in arguments:
            bad.add(line, f"step {number} gives the parameter `{name}` twice", "keep one")
        arguments[name] = value
    return found[4] or "", {"api": found[1].strip(), "arguments": arguments, "result": (found[3] or "").strip()}


def _branch(number: int, kind: str, block: _Block, bad: Problems) -> Branch | None:
    found, line, what = _BRANCH.fullmatch(block.words), block.line, f"a branch of step {number}"
    if not found:
        bad.add(line, f"{what} leads nowhere: {shown(block.words)}", "end it with `: go to 4.`")
        return None
    sets: dict[str, str] = {}
    for span in _spans(found[2] or ""):
        if assigned := _ASSIGNED.fullmatch(span.strip()):
            sets[assigned[1]] = assigned[2]
        else:
            bad.add(line, f"{what} says `{span}`, which sets nothing", 'write `reason = "damaged"`')
    answer, condition = _asked(found[1].strip())
    if answer and (kind == "call" or "`" in answer or re.match(r"if\b", answer, re.IGNORECASE)):
        remedy = 'write the answer alone ("A refund"), or a condition in backticks'
        if kind == "call":
            remedy = 'write If it fails, If it fails with `not_found`, If `order.status == "shipped"`, or Otherwise'
        bad.add(line, f"{what} has no condition that can be read: {shown(found[1].strip())}", remedy)
        return None
    return Branch(answer=answer, condition=condition, sets=sets, target=int(found[3]), line=line)


def _asked(when: str) -> tuple[str, str]:
    if when.lower() == "otherwise":
        return "", ""
    if fails := _FAILS.fullmatch(when):
        return "", f'error.type == "{fails[1]}"' if fails[1] else "error"
    if found := _IF.fullmatch(when):
        return "", found[1]
    found = _ANSWER.fullmatch(when)
    return (found[1], found[2]) if found else (when, "")


def _when(branch: Branch) -> str:
    so = f", so {_listed([f'{name} = {value}' for name, value in branch.sets.items()])}" if branch.sets else ""
    if branch.answer:
        return branch.answer + (f", if `{branch.condition}`" if branch.condition else "") + so
    if branch.condition == "error":
        return f"If it fails{so}"
    if failed := _FAILED.fullmatch(branch.condition):
        return f"If it fails with `{failed[1]}`{so}"
    return (f"If `{branch.condition}`" if branch.condition else "Otherwise") + so


def _spans(text: str) -> list[str]:
    return re.findall(r"`([^`]*)`", text)


def _listed(spans: Sequence[str]) -> str:
    *most, last = [f"`{span}`" for span in spans]
    return f"{', '.join(most)} and {last}" if most else last


class _Heads(Noun):
    """What the front matter may have, in the order in which it is written."""

    id: _Said = ""
    intent: _Said = ""
    client: _Said = ""
    issue: _Said = ""
    wordings: tuple[_Said, ...] = ()
    greeting: _Said = ""
    apis: _Said = ""
    facts: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    examples: dict[str, _Values] = Field(default_factory=dict[str, _Values])


_HEADS = tuple(_Heads.model_fields)
_KNOWN = f"it may have {', '.join(_HEADS)}"


class Reading(NamedTuple):
    """What came of a text: the procedure, as far as there is one, and everything that is wrong with it."""

    procedure: Procedure | None
    problems: tuple[Problem, ...]


def examine(text: str, *, id: str = "", apis: Iterable[Api] | None = None) -> Reading:
    """Read a procedure and say all that is wrong with it. `id` is for texts that give themselves none."""
    problems = Problems()
    procedure = _read(text, id, problems)
    if procedure is not None:
        problems += problems_of(procedure, apis, whole=not problems)
    return Reading(procedure, tuple(sorted(problems)))


def read(text: str, *, file: object = "<procedure>", id: str = "", apis: Iterable[Api] | None = None) -> Procedure:
    """The procedure that a text is. Raises BadFile with every problem."""
    procedure, problems = examine(text, id=id, apis=apis)
    if procedure is None or problems:
        raise Problems(problems).error(file, "procedure")
    return procedure


def load(file: Path | str, *, apis: Iterable[Api] | None = None) -> Procedure:
    """The procedure in a file. One that names no id has the name of its file."""
    path = Path(file)
    return read(text_of(path, limits.PAGE), file=path, id=path.stem, apis=apis)


def file_names(ids: Iterable[str]) -> Iterator[str]:
    """A name of a file for each procedure: its id, or its number where that is no plain name or another's, too."""
    taken: set[str] = set()
    for number, id in enumerate(ids, 1):
        name = id if re.fullmatch(r"[a-zA-Z0-9][\w-]{0,80}", id) and id.lower() not in taken else f"procedure-{number}"
        taken.add(name.lower())
        yield f"{name}.md"


def write(procedure: Procedure) -> str:
    """The Markdown of a procedure. Raises BadSetting for one that the dialect cannot say."""
    said = procedure.model_dump(mode="json", include=set(_HEADS))
    heads = {name: said[name] for name in _HEADS if said[name]}
    front = yaml.safe_dump(heads, sort_keys=False, allow_unicode=True, width=10**6)
    opening = [f"---\n{front}---", f"# {procedure.title}", procedure.context]
    steps = "\n".join(line for step in procedure.steps for line in _write_step(step))
    text = "\n\n".join([*filter(None, opening), steps]) + "\n"
    again = _read(text, "", Problems())
    if again != procedure:
        pairs = zip(procedure.steps, again.steps if again else (), strict=False)
        strange = next((f"step {ours.number}" for ours, theirs in pairs if ours != theirs), "what precedes the steps")
        raise BadSetting(f"procedure {procedure.id!r}: {strange} cannot be written: its words would read as others")
    return text


def told(procedure: Procedure) -> str:
    """The Markdown that an agent is given: how to settle the issue, without the words that customers may use for it."""
    return write(procedure.replace(wordings=(), examples={}, issue="", id=procedure.id))


def _read(text: str, id: str, bad: Problems) -> Procedure | None:
    lines = text.replace("\r\n", "\n").split("\n")
    front, start = _front_matter(lines, bad)
    title, context, start = _opening(lines, start, bad)
    blocks = list(_blocks(lines, start, bad))
    if not blocks:
        bad.add(start, "there is no numbered step", "write steps: 1. **Ask** for the order number. Collect `order_id`.")
        return None
    steps = tuple(_read_step(number, block, bad) for number, block in blocks)
    title = title or str(front.get("id", id)) or "Procedure"
    name = id or "-".join(re.findall(r"\w+", title.lower().replace("'", ""))) or "procedure"
    for place, step in enumerate(steps, 1):
        if step.number != place:
            what = f"step {step.number} stands where step {place} should"
            bad.add(step.line, what, "number the steps 1, 2, 3 …")
            return None
    return Procedure.model_validate({"id": name, "title": title, "context": context, "steps": steps} | front)


def _front_matter(lines: Sequence[str], bad: Problems) -> tuple[dict[str, Any], int]:
    """What the lines between two `---` say, and the place of the line after them."""
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    end = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        bad.add(1, "the front matter has no end", "close it with a line of three dashes")
        return {}, len(lines)
    try:
        source = read_text("\n".join(["", *lines[1:end]]))  # so that lines count as in the file
    except (BadRecord, BadFile) as error:
        line, what = (error.line, error.what) if isinstance(error, BadRecord) else (1, str(error))
        bad.add(line, f"the front matter cannot be read: {what}", "plain YAML, without tags")
        return {}, end + 1
    front: Any = source.data
    if not isinstance(front, dict | None):
        bad.add(2, "the front matter is no list of `name: value`", _KNOWN)
    given, wrong = dict[str, Any](), list[tuple[Place, str, str]]()
    for name, value in object_of(front).items():
        try:
            given |= _Heads.model_validate({name: value}).model_dump(include={name})
        except ValidationError as error:
            wrong.append((*complaint(error), "" if name in _HEADS else _KNOWN))
    for (*_, remedy), one in zip(wrong, source.all_bad(wrong), strict=True):
        bad.add(one.line, f"the front matter, {one.path.removeprefix('$.')}: {one.what}", remedy)
    return given, end + 1


def _opening(lines: Sequence[str], start: int, bad: Problems) -> tuple[str, str, int]:
    title, context = "", list[str]()
    for place, line in enumerate(lines[start:], start):
        if _STEP.match(line):
            return title, " ".join(context), place
        if line.startswith("#") and not title and not context:
            title = line.lstrip("#").strip()
        elif line.startswith("#"):
            what = f"a second heading: {shown(line.strip())}"
            bad.add(place + 1, what, "a procedure is a title, a paragraph, and steps")
        elif line.strip():
            context.append(line.strip())
    return title, " ".join(context), len(lines)


def _blocks(lines: Sequence[str], start: int, bad: Problems) -> Iterator[tuple[int, _Block]]:
    number, block = 0, _Block(0, [])
    for place, line in enumerate(lines[start:], start + 1):
        words = line.strip()
        if found := _STEP.match(line):
            if number:
                yield number, block
            number, block = int(found[1]), _Block(place, [found[2].strip()])
        elif words and line[0] not in " \t":
            what = f"{shown(words)} belongs to no step"
            bad.add(place, what, "indent it, or put it into the paragraph before the steps")
        elif item := re.match(r"[-*+]\s+(\S.*)", words):
            block.below.append(_Block(place, [item[1]]))
        elif words:
            (block.below[-1] if block.below else block).parts.append(words)
    if number:
        yield number, block
