"""Labelled arguments of calls, graded: how right the verdicts on calls are.

`arguments.jsonl[.gz]`: a row is a call that takes the place of one gold call of a ToolTalk conversation
(`conversation`, `turn_index`, `call`: its place among that turn's calls) with other `arguments`, and its `label`. It is
executed where the gold call stands, and compared with that call alone; the conversation before it is what was heard.

Not covered: calls that a conversation lacks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, JsonValue

from toologue.bench.prove import OPEN_SET, Graded, Label
from toologue.bench.tooltalk import load
from toologue.data import bytes_of
from toologue.errors import BadRecord, shown
from toologue.formats.tooltalk import turn_indexes
from toologue.loop import execute
from toologue.models.similarity import TextMatch
from toologue.schema import Call, Case, Dialogue, Invocation, Noun
from toologue.schema.jsonl import parse, read_lines
from toologue.score.calls import Comparison, made
from toologue.worlds.world import make_world


class _ArgumentsRow(Noun):
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    conversation: str
    turn_index: int
    call: int
    api_name: str
    arguments: dict[str, JsonValue]
    label: Label
    kind: str = ""


# 170 calls with other free texts in place of 85 calls of the ToolTalk conversations that ship.
OPEN_CALLS = Path(__file__).with_name("verdicts") / "arguments.jsonl.gz"


def arguments_file(folder: Path) -> Path | None:
    """The file of labelled arguments that belongs to a folder of labelled replies, if there is one."""
    if folder.resolve() == OPEN_SET:
        return OPEN_CALLS
    return next((file for file in (folder / "arguments.jsonl", folder / "arguments.jsonl.gz") if file.exists()), None)


def graded_arguments(file: Path, tooltalk_data: Path | None, match: TextMatch) -> Iterator[Graded]:
    """The rows of a file, graded against a folder of published ToolTalk data, or the conversations that ship."""
    golds = {gold.id: gold for gold in load(tooltalk_data)}
    places = {} if tooltalk_data is None else dict(_places(tooltalk_data))
    for number, line, _ in read_lines(file):
        row = parse(line, _ArgumentsRow, file, number)
        gold = golds.get(row.conversation)
        if gold is None:
            where = tooltalk_data or "the set that ships"
            raise BadRecord(file, number, "$.conversation", f"{shown(row.conversation)} is not in {where}")
        if tooltalk_data is None:
            wanted = [one for one in made(gold) if one.turn == row.turn_index]
        else:
            position = places[row.conversation].get(row.turn_index)
            wanted = [one for one in made(gold) if turn_indexes(gold)[one.round] == position]
        if not 0 <= row.call < len(wanted):
            raise BadRecord(file, number, "$.call", f"{row.call} is no call of turn {row.turn_index}")
        yield _graded(row, gold, wanted[row.call], match)


def _graded(row: _ArgumentsRow, gold: Dialogue, wanted: Invocation, match: TextMatch) -> Graded:
    call = Call(api=row.api_name, arguments=row.arguments)
    world = make_world(Case(id=gold.id, gold=gold, world=gold.world, protocol="recorded"))
    for one in made(gold):
        if (one.turn, one.slot) < (wanted.turn, wanted.slot):
            execute(world, one.act)
    did = wanted._replace(act=call, result=execute(world, call))
    compared = Comparison(gold, (), match)
    found = compared.differences(did, wanted)
    wrong = [one for one in found if one.verdict == "wrong"]
    about = (row.id, row.label, row.conversation, row.kind or row.api_name)
    if not found:
        same = compared.kind.missing(did, wanted) is not None or did.call.arguments == wanted.call.arguments
        return Graded(*about, "right", "execution" if same else "rule", "")
    worst = (wrong or found)[0]
    why = "; ".join(f"{one.field.removeprefix('arguments.')}: {one.why}" for one in wrong or found)
    return Graded(*about, worst.verdict, worst.by, why)


def _places(tooltalk_data: Path) -> Iterator[tuple[str, Mapping[int, int]]]:
    """Per conversation, the position of each turn by its index; of two turns with one index, the second's."""
    for file in sorted(tooltalk_data.glob("*/*.json")):
        record: Any = json.loads(bytes_of(file))
        if "conversation" in record:
            turns: list[dict[str, Any]] = record["conversation"]
            yield record["name"], {turn.get("index", at): at for at, turn in enumerate(turns)}
