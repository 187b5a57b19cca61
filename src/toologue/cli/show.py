"""`toologue show`: conversations as they are executed, and what an author should look at.

A YAML file is one with calls (`bench.tooltalk.conversations`) or, where it has a goal or programs, one with programs
(`formats.program_dialogue`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import filterfalse, zip_longest
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from toologue.cli.terminal import echo
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.schema import Act, AgentTurn, Dialogue, Result, UserTurn

# With more conversations than this, only what there is to say about them is printed.
_WHOLE = 3


def show(*files: Path, words: bool | None = None) -> None:
    """Conversations with executed results, and what to look at before they join a dataset.

    Parameters
    ----------
    files
        YAML files, of conversations with calls or with programs; folders of them; or a dialogues.jsonl.
    words
        Print every turn; by default with up to 3 conversations.
    """
    from toologue.bench.dialog2api import files as programs
    from toologue.bench.tooltalk.conversations import conversations_in

    if not files:
        raise BadSetting("name a file: toologue show my-conversation.yaml")
    dialogues = list(conversations_in(files, _read))
    whole = len(dialogues) <= _WHOLE if words is None else words
    writing = list(filter(programs.has_programs, dialogues))
    _show_calling(list(filterfalse(programs.has_programs, dialogues)), words=whole)
    for review in programs.reviews(writing):
        signature = review.dialogue.extra.get("initial_signature")
        signed = f", the account's signature {signature}" if signature else ""
        _print(review.dialogue, f"{len(review.programs)} programs{signed}", review.remarks, words=whole)
    if len(writing) > 1:
        echo(f"{len(writing)} conversations with programs")


def _read(file: Path) -> Dialogue:
    from toologue.bench.dialog2api import files as programs
    from toologue.bench.tooltalk.conversations import read_yaml

    return programs.read_yaml(file) if programs.is_ours(file) else read_yaml(file)


def _show_calling(dialogues: Sequence[Dialogue], *, words: bool) -> None:
    from toologue.bench.tooltalk.conversations import Review, reviews, starter

    known = [dialogue for dialogue in starter() if dialogue.id not in {shown.id for shown in dialogues}]
    seen = list[Review]()
    for review in reviews(dialogues, known):
        seen.append(review)
        calls = [(call.act, call.result.error) for call in review.calls if call.act.kind == "call"]
        notes = [f"chained: {found.api} {found.parameter} = {found.value!r}" for found in review.chained]
        notes += [f"error: {act.api}: {error.message}" for act, error in calls if error and not words]
        split = f"[{review.dialogue.origin['split']}] " if "split" in review.dialogue.origin else ""
        head = f"{split}{len(review.calls)} calls, {', '.join(review.plugins) or 'no plugin'}"
        _print(review.dialogue, head, review.remarks, notes, words=words)
    if len(seen) > 1:
        tools = {call.act.api for review in seen for call in review.calls if call.act.kind == "call"}
        hard, told = [review for review in seen if review.dialogue.origin.get("split") == "hard"], ""
        if hard:
            mean, chained = sum(len(review.calls) for review in hard) / len(hard), sum(bool(r.chained) for r in hard)
            told = f"; hard ones: {mean:.1f} calls on average, {chained} of {len(hard)} chained"
        echo(f"{len(seen)} conversations, {len(hard)} hard ones, {len(tools)} tools{told}")


def _print(dialogue: Dialogue, head: str, remarks: Iterable[object], notes: Iterable[str] = (), *, words: bool) -> None:
    echo(f"== {dialogue.id} {head}")
    for turn in dialogue.turns if words else ():
        _print_turn(turn)
    for note in (*notes, *(f"LOOK: {remark}" for remark in remarks)):
        echo(f"   {note}")


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
        echo(f"  CALL  {act.api} {_json(act.arguments)}" if act.kind == "call" else f"  CALL  {act.kind}")
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


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
