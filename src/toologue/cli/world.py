"""`toologue world`: whether API documents become worlds with state, and what they lack for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toologue.cli.options import Operations, Out
from toologue.cli.terminal import command_line, echo, group, say, table, write_json

if TYPE_CHECKING:
    from toologue.worlds.crud.check import Checked

_WHY, _NAMES = 12, 3


def check(
    document: str, /, *, overlay: Path | None = None, operations: Operations = Operations(), json: Path | None = None
) -> int:
    """Execute every operation of a document in a world with a few rows, and say what agrees.

    What is created has to be read, listed, changed and removed as it was sent. Exits 1 where no resource does so, and
    not every operation answers with state.

    Args:
        document: An OpenAPI document, or a service that ships.
        overlay: What the document does not say: tables, actions (docs/your-api.md).
        operations: Which operations; by default all that can be read.
        json: Where to write it for programs: whether it is accepted, and of each operation who answers it, and why.
    """
    from toologue.worlds.crud import Simulator
    from toologue.worlds.crud.check import check as execute

    found = execute(Simulator(document, overlay=overlay, choice=operations.choice))
    if json is not None:
        told = [{"name": name, "answers": one.by, "why": one.why} for name, one in found.operations.items()]
        write_json(json, {"accepted": found.accepted, "operations": told})
    _show(found)
    if overlay is None and any(one.by != "state" for one in found.operations.values()):
        draft = command_line("world", "draft", document, out="overlay.yaml")
        echo(f"say in an overlay what such an operation does (x-action, docs/your-api.md): {draft}", note=True)
    return 0 if found.accepted else 1


def draft(document: str, /, *, out: Out, operations: Operations = Operations()) -> None:
    """Write what a document does not say of its world as an overlay, every guess marked as one, for you to correct.

    Args:
        document: An OpenAPI document; it stays as it is.
        out: The overlay to write.
        operations: Which operations; by default all that can be read.
    """
    from toologue.errors import BadFile
    from toologue.worlds.crud import Simulator
    from toologue.worlds.crud.check import draft as drafted

    text = drafted(Simulator(document, choice=operations.choice))
    if out.exists():
        raise BadFile(f"{out} is there already, and nothing was written; name another file")
    out.write_text(text, "utf-8")
    echo(f"{out}: correct what is marked as a guess, then: toologue world check {document} --overlay {out}")


def _show(found: Checked) -> None:
    verbs = ("create", "read", "list", "update", "delete")
    rows = [(name, *("✓" if verb in done else "" for verb in verbs)) for name, done in sorted(found.resources.items())]
    if rows:
        say(table(("resource", *verbs), rows))
    counts = Counter(one.by for one in found.operations.values())
    causes = dict[tuple[str, str], list[str]]()
    for name, one in found.operations.items():
        if one.by != "state":
            plain = re.sub(r"^.*?\]\.\w+: ", "", one.why)
            plain = re.sub(r" \(say it with .*", "", plain)
            plain = re.sub(r"a call with .*? was refused", "a call was refused", plain)
            causes.setdefault((one.by, re.sub(r"'[^']*'", "…", plain)[:110]), []).append(name)
    if causes:
        most = sorted(causes.items(), key=lambda cause: -len(cause[1]))[:_WHY]
        top = [(_SAID[by].removeprefix("are answered "), _named(names), why) for (by, why), names in most]
        say(table(("answered", "operations", "why"), top))
    left = len(causes) - _WHY
    if left > 0:
        echo(f"… and {left} more causes; --json FILE has them all")
    told = ", ".join(f"{counts[by]} {said}" for by, said in _SAID.items() if counts[by])
    total = len(found.operations)
    echo(f"{'accepted' if found.accepted else 'not accepted'}: of {total} operations {told}")


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{len(names)}: {', '.join(names[:_NAMES])}{more}"


_SAID = {"state": "answer with state", "documented": "are answered by their documentation", "none": "by nobody"}


world = group("world", check, draft)
