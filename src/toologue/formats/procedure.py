r"""Procedures as Markdown that a support lead writes, git diffs, and no model is needed to compile.

    FILE     front matter (id, intent, client, issue, wordings, greeting, apis, facts, examples; each may be left
             out), `# Title`, a paragraph of context, steps that are numbered 1, 2, 3 …
    STEP     N. **Ask** TEXT [Collect `slot`, `slot` and `slot`.] [Go to N.] [LIMIT]
             N. **Say** TEXT [Go to N.] [LIMIT]
             N. **Call** `api` [with `parameter`, `parameter = expression` and …][, giving `result`]. [TEXT] [Go to N.]
             N. **End**: TEXT
    LIMIT    At most N times, then go to N.
    BRANCH   a list item under its step, `- WHEN[, so `slot = expression` and …]: go to N.`, WHEN being one of
             ANSWER[, if `condition`]     what a customer answers
             If `condition`     If it fails     If it fails with `type`     Otherwise

A step without branches goes on to the next one unless it says `Go to`; lines that are indented go on with the step or
branch above. docs/procedures.md explains all of it.

Contract: `read(write(procedure)) == procedure` for whatever `write` accepts. `examine` gives *all* problems, each with
line and remedy; `read` and `load` raise one BadFile that lists them. Given the documents of the Apis, calls are checked
against them, too.

Example:
    >>> text = '''# Where is my order?
    ...
    ... 1. **Ask** for the order number. Collect `order_id`.
    ... 2. **Call** `get_order` with `order_id`, giving `order`.
    ...    - If it fails with `not_found`: go to 1.
    ...    - If `order.status == "shipped"`: go to 3.
    ...    - Otherwise: go to 9.
    ... 3. **End**: say that it left on {order.shipped_on}.
    ... '''
    >>> for problem in examine(text).problems:
    ...     print(problem)
    7: step 2 goes to 9, and there is no such step (the steps are 1 to 3)
    >>> procedure = read(text.replace("go to 9", "go to 1"))
    >>> procedure.id, [step.kind for step in procedure.steps], procedure.steps[1].branches[0].condition
    ('where-is-my-order', ['ask', 'call', 'end'], 'error.type == "not_found"')

Not covered: headings and tables between the steps, steps inside steps, and languages other than English for the
keywords. Comments are prose, and there is no place for them among the steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml
from pydantic_core import from_json

from toologue import keys
from toologue.errors import BadFile, BadSetting, shown
from toologue.formats.dialect import Block, read_step, write_step
from toologue.formats.problems import Problem, Problems
from toologue.formats.soundness import problems_of
from toologue.schema import Api, Procedure

_STEP = re.compile(r"(\d{1,4})\.\s+(\S.*)")
_HEADS = ("id", "intent", "client", "issue", "wordings", "greeting", "apis", "facts", "examples")


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
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: byte {error.start} is not UTF-8; save it as UTF-8") from None
    return read(text, file=path, id=path.stem, apis=apis)


def write(procedure: Procedure) -> str:
    """The Markdown of a procedure. Raises BadSetting for one that the dialect cannot say."""
    said = procedure.model_dump(mode="json", include=set(_HEADS))
    heads = {name: said[name] for name in _HEADS if said[name]}
    front = yaml.safe_dump(heads, sort_keys=False, allow_unicode=True, width=10**6)
    opening = [f"---\n{front}---", f"# {procedure.title}", procedure.context]
    steps = "\n".join(line for step in procedure.steps for line in write_step(step))
    text = "\n\n".join([*filter(None, opening), steps]) + "\n"
    again = _read(text, "", Problems())
    if again != procedure:
        pairs = zip(procedure.steps, again.steps if again else (), strict=False)
        strange = next((f"step {ours.number}" for ours, theirs in pairs if ours != theirs), "what precedes the steps")
        raise BadSetting(f"procedure {procedure.id!r}: {strange} cannot be written: its words would read as others")
    return text


def told(procedure: Procedure) -> str:
    """The Markdown that an agent is given: how to settle the issue, without the words that customers may use for it."""
    return write(procedure.but(wordings=(), examples={}, issue="", id=procedure.id))


def _read(text: str, id: str, bad: Problems) -> Procedure | None:
    lines = text.replace("\r\n", "\n").split("\n")
    front, start = _front_matter(lines, bad)
    title, context, start = _opening(lines, start, bad)
    blocks = list(_blocks(lines, start, bad))
    if not blocks:
        bad.add(start, "there is no numbered step", "write steps: 1. **Ask** for the order number. Collect `order_id`.")
        return None
    steps = tuple(read_step(number, block, bad) for number, block in blocks)
    title = title or str(front.get("id", id)) or "Procedure"
    name = id or "-".join(re.findall(r"\w+", title.lower().replace("'", ""))) or "procedure"
    wrong = next(((step, place) for place, step in enumerate(steps, 1) if step.number != place), None)
    if wrong:
        bad.add(
            wrong[0].line, f"step {wrong[0].number} stands where step {wrong[1]} should", "number the steps 1, 2, 3 …"
        )
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
    given: dict[str, Any] = {}
    try:
        text = "\n".join(lines[1:end])
        events: Iterator[Any] = cast("Any", yaml).parse(text, Loader=_FrontMatter)
        alias: Any = next((event for event in events if isinstance(event, yaml.AliasEvent)), None)
        if alias is not None:  # may unfold to any size
            raise yaml.MarkedYAMLError(problem="it has an alias", problem_mark=alias.start_mark)
        front: Any = _FrontMatter(text)
        root = front.get_single_node()
        if root is not None and not isinstance(root, yaml.MappingNode):
            bad.add(2, "the front matter is no list of `name: value`", f"it may have {', '.join(_HEADS)}")
        for key, value in cast("list[tuple[Any, Any]]", root.value if isinstance(root, yaml.MappingNode) else []):
            line, name = key.start_mark.line + 2, str(key.value)
            if name not in _HEADS:
                bad.add(line, f"the front matter has no {name!r}", f"it may have {', '.join(_HEADS)}")
            elif name in given:
                bad.add(line, f"the front matter has two {name!r}", "keep one")
            else:
                given[name] = front.construct_document(value)
                if wrong := _no_head(name, given[name]):
                    bad.add(line, f"{name} is {shown(given.pop(name))}", wrong)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark, why = getattr(error, "problem_mark", None), getattr(error, "problem", None) or str(error)
        line = mark.line + 2 if mark else 1
        bad.add(line, f"the front matter cannot be read: {why}", "plain YAML, without tags, anchors and aliases")
    return given, end + 1


def _no_head(name: str, value: Any) -> str:
    """What is expected where this is no value for a name of the front matter; empty if it is one."""
    try:
        is_json = from_json(keys.canonical(value)) == value  # names that are numbers become texts
    except (TypeError, ValueError):
        is_json = False
    if not is_json:
        return "expected what JSON can say"
    if name == "facts":
        return "" if isinstance(value, dict) else "expected `name: value` under it"
    if name == "examples":
        slots = cast("dict[str, Any]", value) if isinstance(value, dict) else {"": None}
        lists = all(isinstance(one, list) and len(cast("list[Any]", one)) > 0 for one in slots.values())
        return "" if lists else "expected `slot: [value, value]` under it"
    if name == "wordings":
        listed = isinstance(value, list) and all(map(_is_words, cast("list[Any]", value)))
        return "" if listed else "expected a list of words, `- Where is my parcel?` under it"
    return "" if _is_words(value) else "expected words; quotes make words of anything"


def _is_words(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


class _FrontMatter(yaml.SafeLoader):
    """YAML as JSON people mean it: dates are texts."""

    yaml_implicit_resolvers: Any = {  # noqa: RUF012 - as its parent has it
        first: [(tag, form) for tag, form in forms if not tag.endswith(":timestamp")]
        for first, forms in cast("Any", yaml.SafeLoader).yaml_implicit_resolvers.items()
    }


def _opening(lines: Sequence[str], start: int, bad: Problems) -> tuple[str, str, int]:
    """Title, context, and the place of the first step."""
    title, context = "", list[str]()
    for place, line in enumerate(lines[start:], start):
        if _STEP.match(line):
            return title, " ".join(context), place
        if line.startswith("#") and not title and not context:
            title = line.lstrip("#").strip()
        elif line.startswith("#"):
            bad.add(
                place + 1, f"a second heading: {shown(line.strip())}", "a procedure is a title, a paragraph, and steps"
            )
        elif line.strip():
            context.append(line.strip())
    return title, " ".join(context), len(lines)


def _blocks(lines: Sequence[str], start: int, bad: Problems) -> Iterator[tuple[int, Block]]:
    """(number, block) of each step."""
    number, block = 0, Block(0, "")
    for line_number, line in enumerate(lines[start:], start + 1):
        words = line.strip()
        if found := _STEP.match(line):
            if number:
                yield number, block
            number, block = int(found[1]), Block(line_number, found[2].strip())
        elif words and line[0] not in " \t":
            bad.add(
                line_number,
                f"{shown(words)} belongs to no step",
                "indent it, or put it into the paragraph before the steps",
            )
        elif item := re.match(r"[-*+]\s+(\S.*)", words):
            block = block.with_item(line_number, item[1])
        elif words:
            block = block.with_words(words)
    if number:
        yield number, block
