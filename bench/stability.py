"""How many conversations stay as they are when a procedure or the rows of its service are edited.

python -m bench.stability [PROCEDURE ...]

Of each procedure that ships conversations are made as `toologue test` makes them, before and after each of these edits:
a step's question gets one answer more, with an end of its own; a step is put in the middle, so that the rest gets other
numbers; the words of one step are changed; what customers come with is said in one way more; a slot with examples gets
one more; the largest table gets one row more; the document gets one operation more. Counted are, of the conversations
that the edit is not about (before it: those that do not pass the place nor now say what is new; after it: those that do
not say what is new), those that are there before and after with the same id and the same turns.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from pydantic import JsonValue
from rich.console import Console
from rich.table import Table

from toologue.plan.procedures.service import service
from toologue.project.generate import make, shipped
from toologue.project.statistics import Source
from toologue.schema import Branch, Dialogue, Procedure, Step, Turn
from toologue.worlds import crud
from toologue.worlds.named import setting_of

# What is new, and the part of it that no customer misspells.
SIGN = "471108"
NEW = f"nobody has said {SIGN} before"
# What is edited, and how a conversation shows that it takes what is new.
Edited = tuple[Source, str]
Edit = Callable[[Source, Path], Edited]


def with_answer(procedure: Procedure) -> Procedure:
    """One answer more, at the question in the middle of those with answers; it leads to an end of its own."""
    asking = [step for step in procedure.steps if any(branch.answer for branch in step.branches)]
    at, end = asking[len(asking) // 2], len(procedure.steps) + 1
    more = at.replace(branches=(*at.branches, Branch(answer=f"Neither, as {NEW}", target=end)))
    steps = [more if step == at else step for step in procedure.steps]
    return procedure.replace(steps=(*steps, Step(number=end, kind="end", text=f"say that {NEW}")))


def with_step(procedure: Procedure) -> Procedure:
    """A step before the one in the middle; all that led there leads to it."""
    here = len(procedure.steps) // 2 + 1
    new = Step(number=here, kind="say", text=f"that {NEW}", next=here + 1)
    moved = [_moved(step, here) for step in procedure.steps]
    return procedure.replace(steps=(*moved[: here - 1], new, *moved[here - 1 :]))


def with_words(procedure: Procedure) -> Procedure:
    """Other words in the step in the middle of those that end a conversation."""
    ends = [step for step in procedure.steps if step.kind == "end"]
    at = ends[len(ends) // 2]
    return procedure.replace(steps=tuple(one.replace(text=f"{one.text}, and {NEW}") if one == at else one
                                         for one in procedure.steps))  # fmt: skip


def with_wording(procedure: Procedure) -> Procedure:
    """One way more to say what a customer comes with."""
    return procedure.replace(wordings=(*procedure.wordings, f"Hello, {NEW}."))


def with_example(source: Source, _folder: Path) -> Edited:
    """One example more, like the last one of the first slot that has any."""
    examples = source.procedure.examples
    if not examples:
        return source, SIGN
    first = next(iter(examples))
    new = _another(examples[first][-1])
    procedure = source.procedure.replace(examples={**examples, first: (*examples[first], new)})
    return replace(source, procedure=procedure), str(new)


def _another(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value + 1 if isinstance(value, int | float) else value
    other = re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit[0]) + 5) % 10), value)
    return NEW if other == value else other


def _moved(step: Step, here: int) -> Step:
    def to(number: int) -> int:
        return number + (number > here)

    branches = tuple(one.replace(target=to(one.target)) for one in step.branches)
    limit = step.limit and step.limit.replace(then=to(step.limit.then))
    number = step.number + (step.number >= here)
    return step.replace(number=number, branches=branches, next=step.next and to(step.next), limit=limit)


def with_row(source: Source, folder: Path) -> Edited:
    """One row more in the largest table: the last one under another id."""
    found = service(source.world)
    rows = {name: {key: dict(row) for key, row in table.items()} for name, table in found.rows.items()}
    table = max(rows.values(), key=len)
    last, row = list(table.items())[-1]
    other = str(_another(last))
    table[other] = {name: other if value == last else value for name, value in row.items()}
    file = folder / f"{source.named}.yaml"
    file.write_text(json.dumps({"now": found.now, **rows}))
    return replace(source, world=setting_of(source.named, file)), other


def with_operation(source: Source, folder: Path) -> Edited:
    """One operation more in the document, that reads what its first one reads; no procedure calls it."""
    shipped = Path(crud.__file__).parent / source.named
    document = yaml.safe_load((shipped / "openapi.yaml").read_text())
    path, found = next((path, item) for path, item in document["paths"].items() if "get" in item)
    again = {**found["get"], "operationId": f"{found['get']['operationId']}_again", "summary": NEW}
    document["paths"][f"/again{path}"] = {**{name: found[name] for name in found if name == "parameters"}, "get": again}
    file = folder / f"{source.named}-openapi.json"
    file.write_text(json.dumps(document))
    return Source(source.procedure, setting_of(file, shipped / "seed.yaml")), SIGN


def _of_procedure(edit: Callable[[Procedure], Procedure]) -> Edit:
    return lambda source, _: (replace(source, procedure=edit(source.procedure)), SIGN)


EDITS: dict[str, Edit] = {
    "an answer": _of_procedure(with_answer),
    "a step": _of_procedure(with_step),
    "words": _of_procedure(with_words),
    "a wording": _of_procedure(with_wording),
    "an example": with_example,
    "a row": with_row,
    "an operation": with_operation,
}


def said(dialogue: Dialogue) -> list[Turn]:
    """The turns, without their places in the procedure."""
    return [turn.replace(node=None) for turn in dialogue.turns]


def main(names: Sequence[str]) -> int:
    """Measure, print, and return the exit status."""
    told = Counter[tuple[str, str]]()
    with TemporaryDirectory() as folder:
        for source in shipped(*names):
            before = {one.id: one for one in make(source).dialogues}
            for name, edit in EDITS.items():
                edited, new = edit(source, Path(folder))
                if edited != source:
                    after = {one.id: one for one in make(edited).dialogues}
                    count(told, name, new, source.procedure, before, after)
    table = Table(title=f"Conversations of {len(shipped(*names))} procedures that an edit is not about")
    for head in ("edit", "before", "stay", "share", "after", "were there", "share", "all before", "all after"):
        table.add_column(head, justify="left" if head == "edit" else "right")
    for name in EDITS:
        one = {what: told[name, what] for what in ("before", "after", "stay", "old", "new", "there")}
        shares = [f"{one[part] / max(1, one[of]):.0%}" for part, of in (("stay", "before"), ("there", "after"))]
        cells = (one["before"], one["stay"], shares[0], one["after"], one["there"], shares[1], one["old"], one["new"])
        table.add_row(name, *map(str, cells))
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return 0


def count(
    told: Counter[tuple[str, str]],
    name: str,
    news: str,
    procedure: Procedure,
    before: dict[str, Dialogue],
    after: dict[str, Dialogue],
) -> None:
    """Add up what became of the conversations of a procedure."""
    new = {id: one for id, one in after.items() if news not in one.model_dump_json(include={"turns"})}
    touched = after.keys() - new.keys()
    old = {id: one for id, one in before.items() if id not in touched and not _passes(name, procedure, one)}
    stay = sum(id in after and said(after[id]) == said(one) for id, one in old.items())
    there = sum(id in before and said(before[id]) == said(one) for id, one in new.items())
    figures = {"before": old, "after": new, "old": before, "new": after}
    told.update({(name, what): len(some) for what, some in figures.items()})
    told.update({(name, "stay"): stay, (name, "there"): there})


def _passes(name: str, procedure: Procedure, dialogue: Dialogue) -> bool:
    """Whether a conversation passes the place of an edit of its words or steps, so that it has to change."""
    changed = {
        "a step": lambda: procedure.steps[len(procedure.steps) // 2],
        "words": lambda: next(a for a, b in zip(procedure.steps, with_words(procedure).steps, strict=True) if a != b),
    }
    if name not in changed:
        return False
    texts = {str(turn.extra.get("must", {}).get("text")) for turn in dialogue.turns}  # type: ignore[union-attr]
    step = changed[name]()
    calls = {act.api for turn in dialogue.turns if turn.role == "agent" for act in turn.acts if act.kind == "call"}
    return step.text in texts if step.kind != "call" else step.api in calls


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
