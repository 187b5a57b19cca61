"""One step of a procedure in Markdown: its words read as a step, a step written as words.

The grammar stands in `formats.procedure`, which reads whole files. What is wrong with the words goes to `bad`; a step
comes back all the same, with what could be read.

Example:
    >>> below = (Block(4, "A refund, so `wish = \\"refund\\"`: go to 3."), Block(5, "Otherwise: go to 4."))
    >>> step = read_step(2, Block(3, "**Ask** what they would like. Collect `wish`.", below), Problems())
    >>> step.text, step.collects, [(branch.answer, branch.target) for branch in step.branches]
    ('what they would like.', ('wish',), [('A refund', 3), ('', 4)])
    >>> print(*write_step(step), sep="\\n")
    2. **Ask** what they would like. Collect `wish`.
       - A refund, so `wish = "refund"`: go to 3.
       - Otherwise: go to 4.
    >>> bad = Problems()
    >>> read_step(1, Block(1, "Ask for the number."), bad).kind, str(bad[0])
    ('say', "1: step 1 begins with 'Ask' (begin with **Ask**, **Say**, **Call** or **End**)")

Not covered: whether steps fit together; `formats.soundness` looks at that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toologue.errors import shown
from toologue.formats.problems import Problems
from toologue.schema import Branch, Limit, Step

_KEYWORD = re.compile(r"\*\*(\w+)[:.]?\*\*[:.,]?\s*(.*)")
_SPANS = r"`[^`]*`(?:(?:, | and |, and )`[^`]*`)*"
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


class Block(NamedTuple):
    """A list item as it stands: its line, its words on one line, the items below it."""

    line: int
    words: str
    below: tuple[Block, ...] = ()

    def with_item(self, line: int, words: str) -> Block:
        """This block with one more item below it."""
        return self._replace(below=(*self.below, Block(line, words)))

    def with_words(self, words: str) -> Block:
        """This block with more words at its end: at the end of its last item, if it has items."""
        if not self.below:
            return self._replace(words=f"{self.words} {words}")
        *items, last = self.below
        return self._replace(below=(*items, last.with_words(words)))


def read_step(number: int, block: Block, bad: Problems) -> Step:
    """The step that a block spells."""
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


def write_step(step: Step) -> Iterator[str]:
    """The lines of a step."""
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
    """The words of a step without its last sentences, and what those say (Collect, At most, Go to)."""
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
        fields[name], text = value, text[: found.start()]


def _call(number: int, line: int, text: str, bad: Problems) -> tuple[str, dict[str, Any]]:
    found = _CALL.fullmatch(text)
    if not found:
        remedy = "for example: **Call** `get_order` with `order_id` and `limit = 5`, giving `order`."
        bad.add(line, f"step {number} calls nothing that can be read: {shown(text)}", remedy)
        return text, {"api": "?"}
    arguments: dict[str, str] = {}
    for span in _spans(found[2] or ""):
        name, value = _assigned(span) or (span, span)
        if not value.isidentifier() and name == value:
            bad.add(line, f"step {number} gives `{span}` to no parameter", f"name one: `parameter = {span}`")
        elif name in arguments:
            bad.add(line, f"step {number} gives the parameter `{name}` twice", "keep one")
        arguments[name] = value
    return found[4] or "", {"api": found[1].strip(), "arguments": arguments, "result": (found[3] or "").strip()}


def _branch(number: int, kind: str, block: Block, bad: Problems) -> Branch | None:
    found = _BRANCH.fullmatch(block.words)
    if not found:
        bad.add(
            block.line, f"a branch of step {number} leads nowhere: {shown(block.words)}", "end it with `: go to 4.`"
        )
        return None
    when, target, line = found[1].strip(), int(found[3]), block.line
    sets: dict[str, str] = {}
    for span in _spans(found[2] or ""):
        name, value = _assigned(span) or ("", "")
        if not name:
            bad.add(line, f"a branch of step {number} says `{span}`, which sets nothing", 'write `reason = "damaged"`')
        sets |= {name: value} if name else {}
    answer, condition = _asked(when)
    if answer and (kind == "call" or "`" in answer or re.match(r"if\b", answer, re.IGNORECASE)):
        ours = 'If it fails, If it fails with `not_found`, If `order.status == "shipped"`, or Otherwise'
        remedy = (
            f"write {ours}" if kind == "call" else 'write the answer alone ("A refund"), or a condition in backticks'
        )
        bad.add(line, f"a branch of step {number} has no condition that can be read: {shown(when)}", remedy)
        return None
    return Branch(answer=answer, condition=condition, sets=sets, target=target, line=line)


def _asked(when: str) -> tuple[str, str]:
    """(answer, condition) of a branch."""
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


def _assigned(span: str) -> tuple[str, str] | None:
    found = _ASSIGNED.fullmatch(span.strip())
    return (found[1], found[2]) if found else None


def _spans(text: str) -> list[str]:
    return re.findall(r"`([^`]*)`", text)


def _listed(spans: Sequence[str]) -> str:
    *most, last = [f"`{span}`" for span in spans]
    return f"{', '.join(most)} and {last}" if most else last
