"""`toologue export`: dialogues as training data, in the forms that trainers read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from toologue.cli.options import OptionalOut
from toologue.cli.terminal import echo, write_lines
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.schema import Api, Dialogue


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
