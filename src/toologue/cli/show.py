"""`toologue show`: conversations as they are executed.

A YAML file is one with calls (`bench.tooltalk.conversations`) or, where it has a goal or programs, one with programs
(`formats.program_dialogue`).
"""

from __future__ import annotations

import json
from functools import partial
from itertools import zip_longest
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from toologue.cli.terminal import echo
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.schema import Act, AgentTurn, Dialogue, Result, Retrieve, UserTurn


def show(*files: Path) -> None:
    """Conversations with executed results, for those who write them.

    Args:
        files: YAML files, of conversations with calls or with programs; folders of them; or a dialogues.jsonl.
    """
    from toologue.bench.dialog2api.files import executed, has_programs, programs_of
    from toologue.bench.tooltalk.conversations import conversations_in
    from toologue.schema import invocations

    if not files:
        raise BadSetting("name a file: toologue show my-conversation.yaml")
    dialogues = [one for file in files for one in map(partial(_placed, file.parent), conversations_in([file], _read))]
    for dialogue in map(executed, dialogues):
        made, signature = list(invocations(dialogue.turns)), dialogue.extra.get("initial_signature")
        head = f"{len(programs_of(dialogue))} programs" if has_programs(dialogue) else f"{len(made)} calls"
        signed = f", the account's signature {signature}" if signature else ""
        echo(f"== {dialogue.id} {head}{signed}")
        for turn in dialogue.turns:
            _print_turn(turn)


def _placed(folder: Path, dialogue: Dialogue) -> Dialogue:
    """The dialogue with its documents beside it, where they are not where it was made."""
    world = dialogue.world
    if "apis" not in world.arguments or Path(str(world.arguments["apis"])).exists():
        return dialogue
    beside = folder / "apis.jsonl"
    arguments = {**world.arguments, "apis": str(beside)}
    return dialogue.replace(world=world.replace(arguments=arguments)) if beside.exists() else dialogue


def _read(file: Path) -> Dialogue:
    from toologue.bench.dialog2api import files as programs
    from toologue.bench.tooltalk.conversations import read_yaml

    return programs.read_yaml(file) if programs.is_ours(file) else read_yaml(file)


def _print_turn(turn: UserTurn | AgentTurn) -> None:
    if turn.role == "user":
        echo(f"USER  {turn.text}")
        return
    signatures = turn.extra.get("signatures")
    signed = signatures if isinstance(signatures, list) else []
    for act, result, signature in zip_longest(turn.acts, turn.results, signed):
        _print_act(act, result)
        if signature:
            echo(f"     signature {signature}")
    if turn.text is not None:
        echo(f"AGENT {turn.text}")


def _print_act(act: Act, result: Result | None) -> None:
    from toologue.schema import executable
    from toologue.worlds.s3.signature import SIGNATURES
    from toologue.worlds.store import split_path

    if act.kind == "program":
        echo(f"  PROGRAM of goal {act.goal}, {act.status}")
        echo(indent(act.code, "     | ", lambda _: True))
    else:
        asked = f"CALL  {act.api} {_json(act.arguments)}" if act.kind == "call" else f"LOOKS FOR {_wanted(act)}"
        echo(f"  {asked}")
    if not executable(act):
        return
    error = result.error if result else None
    fault = f"ERROR {error.type}" + (f": {error.message}" if error.message else "") if error else ""
    echo(f"     -> {fault or _json(result.value if result else None)}")
    if act.kind == "program" and result is not None:
        for path, row in result.changes.items():
            if path not in SIGNATURES:
                what = "new" if path in result.created else "gone" if row is None else "changed"
                echo(f"     {what}: {'/'.join(split_path(path))}")


def _wanted(act: Retrieve) -> str:
    return f"what supplies {act.missing[1]} of {act.missing[0]}" if act.missing else _json(act.query)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
