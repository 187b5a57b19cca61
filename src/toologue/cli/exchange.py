"""`toologue import` and `export`: suites of others as conversations, dialogues as training data that trainers read."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue.cli.options import OptionalOut, Out
from toologue.cli.terminal import echo, group, progress_bar, say, table, write_lines
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.schema import Api, Dialogue


def tau2(checkout: Path, /, *, domain: str, out: Out, python: str | None = None) -> int:
    """Tasks of tau2-bench with their gold, over its own tools. This executes code of the checkout, unsealed.

    Exits 1 where gold leaves another database here than by tau2's own tools.

    Args:
        checkout: A checkout of tau2-bench.
        domain: retail, airline, mock, or another one; tasks in which customers call tools of their own are left out.
        out: The folder for dialogues, apis (.jsonl) and policy.md.
        python: The interpreter that runs the tools; it needs pydantic, and what the domain's tools use. By default this
            one.
    """
    from toologue.project.tau2 import import_tau2
    from toologue.worlds.tau2 import CHECKOUT, PYTHON

    with progress_bar(f"importing {domain}") as progress:
        made = import_tau2(checkout, domain, out, python=python or sys.executable, progress=progress)
    tasks, failed = len(made.dialogues), sum(one.result.error is not None for one in made.calls)
    rows = [
        ("tasks", tasks),
        ("calls of gold", len(made.calls)),
        ("  that fail, as in tau2", failed),
        ("tools", made.tools),
        ("  that write", made.writing),
        ("gold leaves tau2's database", f"{tasks - len(made.unlike)} of {tasks}"),
        *((f"rewarded by {what}", f"{n} tasks") for what, n in made.rewards.most_common()),
        *((f"kept, graded by nothing: {what}", f"{n} tasks") for what, n in made.ungraded.most_common()),
    ]
    say(table(("", domain), rows, title="tau2"))
    for why in made.left_out:
        echo(f"left out: {why}")
    if made.unlike:
        echo(f"another database: {', '.join(made.unlike)}")
    there = f" {PYTHON}={python}" if python else ""
    echo(f"{tasks} conversations in {out}; to play them: export {CHECKOUT}={checkout.resolve()}{there}", note=True)
    return 1 if made.unlike else 0


importing = group("import", tau2)


def export(
    dialogues: Path,
    /,
    *,
    to: Literal["openai", "sharegpt", "hf", "tooldial"],
    out: OptionalOut = None,
    apis: Path | None = None,
) -> None:
    """Dialogues as training data: one JSON object a dialogue, with all that is said, called and answered.

    Args:
        dialogues: A dialogues.jsonl, or a folder with one.
        to: openai (messages and tools), sharegpt (conversations, system, tools), hf (flat rows with labels), tooldial
            (the flat text that its models are trained on; `bench tooldial` reads the dialogues.jsonl itself).
        out: The .jsonl to write; by default beside the dialogues, as in dialogues.openai.jsonl.
        apis: The documents of the APIs; by default the apis.jsonl beside the dialogues, and those of their worlds.
    """
    from toologue.formats.training import exported
    from toologue.schema import Dialogue
    from toologue.schema.jsonl import read

    file = dialogues / "dialogues.jsonl" if dialogues.is_dir() else dialogues
    into = out or file.with_name(f"{file.name.partition('.')[0]}.{to}.jsonl")
    if realpath(into) == realpath(file):
        raise BadSetting(f"--out {into}: that are the dialogues; choose another place")
    shared = _shared(apis, file.parent) if to != "hf" else {}
    rows = (
        exported(dialogue, to, shared if to == "hf" else _documents(dialogue, shared))
        for dialogue in read(file, Dialogue)
    )
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n" for row in rows)
    count = write_lines(into, "exporting", lines)
    echo(f"{count} dialogues in {into}", note=True)


def _shared(apis: Path | None, folder: Path) -> dict[str, Api]:
    """The documents of a file, without what calls return, which is most of them and told to nobody."""
    from toologue.schema import Api
    from toologue.schema.jsonl import read

    file = apis or folder / "apis.jsonl"
    if apis is None and not file.exists():
        return {}
    return {api.name: api.replace(returns={}) for api in read(file, Api)}


def _documents(dialogue: Dialogue, shared: Mapping[str, Api]) -> Mapping[str, Api]:
    from toologue.worlds.world import documents_of

    own = "apis" in dialogue.extra
    if dialogue.apis and not own and all(name in shared for name in dialogue.apis):
        return shared
    known = documents_of(dialogue)
    return {**shared, **known} if own or dialogue.apis else known or shared
