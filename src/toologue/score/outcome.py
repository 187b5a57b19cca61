"""Outcome: did the agent leave the world as the gold does? Up to renaming of generated ids, with the differences.

The effect of acts is what their results' `changes` add up to. Under `forced`, where the gold is relived after every
round, effects are compared round by round; else over the whole conversation. A row that came and went is no effect.
Rows that were created compare by content, whatever their ids; fields compare as the world says (`Kind.fields`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat, zip_longest
from typing import Any, NamedTuple, cast

from pydantic_core import to_json

from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Compare, Dialogue, Mismatch, Score, Trace, UserTurn, rounds
from toologue.score.calls import made
from toologue.score.metric import MEANINGS, no_reply, shares_of, unscored
from toologue.values.compare import Alike, agree
from toologue.worlds.store import split_path
from toologue.worlds.world import Kind, kind_at

MEANINGS["outcome"] = "the world is left as the gold conversation leaves it"
Turns = Iterable[UserTurn | AgentTurn]
Fields = Mapping[str, Mapping[str, Compare]]
_NEW = "\0new"  # stands for any id that was generated during the conversation


class Effect(NamedTuple):
    """What acts did to the world: rows that were created, by table, and rows that were changed or removed, by path."""

    created: dict[str, dict[str, Any]]
    changed: dict[str, Any]


def outcome(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric: the share of rounds (or 1 for a whole conversation) whose effect is the gold's."""
    if trace.protocol == "next":
        return {}
    kind = kind_at(gold.world)
    if silent := unscored(["outcome"], gold, trace, no_reply(trace) or _unknown(gold, kind)):
        return silent
    wanted, lived = _sections(gold.turns, trace), _sections(trace.turns, trace)
    at: list[Mismatch] = []
    for number, (section, mine) in enumerate(zip(wanted, chain(lived, repeat(())), strict=False)):
        if to_json(_writes(section)) == to_json(_writes(mine)):
            continue
        found = compare_effects(effect(section), effect(mine), kind.fields, match.alike)
        start = sum(map(len, wanted[:number]))
        at += [mismatch.replace(turn=start) for mismatch in found] if len(wanted) > 1 else found
    return shares_of({"outcome": (not at, 1)}, gold, trace, {"outcome": at})


def effect(turns: Turns) -> Effect:
    """What the acts of these turns did, added up."""
    created: dict[str, dict[str, Any]] = {}
    changed: dict[str, Any] = {}
    fresh: set[str] = set()
    for changes, came in _writes(turns):
        fresh.update(path for path in came if path not in changed)
        changed.update(changes)
    for path in [path for path in changed if path in fresh]:
        if (row := changed.pop(path)) is not None:
            table, name = split_path(path)
            created.setdefault(table, {})[name] = row
    if not created:
        return Effect(created, changed)
    ids = {name for rows in created.values() for name in rows}

    def anonymous(text: str) -> str:
        return _NEW if text in ids else text

    return Effect(
        {table: {name: _mapped(row, anonymous) for name, row in rows.items()} for table, rows in created.items()},
        {path: _mapped(row, anonymous) for path, row in changed.items()},
    )


def _writes(turns: Turns) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """What each act that wrote changed, and which of it was created."""
    results = (result for turn in turns if turn.role == "agent" for result in turn.results if result is not None)
    return [(result.changes, result.created) for result in results if result.changes or result.created]


def compare_effects(gold: Effect, mine: Effect, fields: Fields, alike: Alike) -> list[Mismatch]:
    """What differs, as mismatches whose field is `table/row` or `table/row.field`."""
    found: list[Mismatch] = []
    for path in gold.changed | mine.changed:
        comparers = fields.get(path.partition("/")[0], {})
        if path not in mine.changed:
            found.append(Mismatch(field=path, expected=gold.changed[path], why="not changed"))
        elif path not in gold.changed:
            found.append(Mismatch(field=path, actual=mine.changed[path], why="changed, against expectation"))
        else:
            found += _row_mismatches(path, gold.changed[path], mine.changed[path], comparers, alike)
    for table in gold.created | mine.created:
        comparers = fields.get(table.partition("/")[0], {})
        found += _created_mismatches(table, gold.created.get(table, {}), mine.created.get(table, {}), comparers, alike)
    return found


def _created_mismatches(
    table: str, wanted: Mapping[str, Any], made: Mapping[str, Any], comparers: Mapping[str, Compare], alike: Alike
) -> list[Mismatch]:
    left = dict(made)
    missing: list[tuple[str, Any]] = []
    for name, row in wanted.items():
        twin = next((n for n, r in left.items() if not _row_mismatches("", row, r, comparers, alike)), None)
        if twin is None:
            missing.append((name, row))
        else:
            del left[twin]
    found: list[Mismatch] = []
    for lacking, extra in zip_longest(missing, left.items()):  # the n-th missing beside the n-th extra
        if lacking and extra:
            found += _row_mismatches(f"{table}/{lacking[0]}", lacking[1], extra[1], comparers, alike)
        elif lacking:
            found.append(Mismatch(field=f"{table}/{lacking[0]}", expected=_clear(lacking[1]), why="not created"))
        elif extra:
            why = "created, against expectation"
            found.append(Mismatch(field=f"{table}/{extra[0]}", actual=_clear(extra[1]), why=why))
    return found


def _row_mismatches(
    path: str, expected: Any, actual: Any, comparers: Mapping[str, Compare], alike: Alike
) -> list[Mismatch]:
    if not isinstance(expected, dict) or not isinstance(actual, dict):
        same = agree("exact", expected, actual, alike)
        return [] if same else [Mismatch(field=path, expected=_clear(expected), actual=_clear(actual))]
    row, other = cast("dict[str, Any]", expected), cast("dict[str, Any]", actual)
    return [
        Mismatch(field=f"{path}.{name}", expected=_clear(row.get(name)), actual=_clear(other.get(name)))
        for name in row | other
        if not agree(comparers.get(name, "exact"), row.get(name), other.get(name), alike)
    ]


def _unknown(gold: Dialogue, kind: Kind) -> str:
    documents = kind.by_name
    done = (one for one in made(gold) if one.call.api in documents and documents[one.call.api].writes)
    wrote = [one.result for one in done if not one.result.error]
    known = not wrote or any(result.changes for result in wrote)
    return "" if known else "the gold was never executed, so its effect is unknown"


def _sections(turns: Turns, trace: Trace) -> list[Sequence[UserTurn | AgentTurn]]:
    opened = [(*said, *did) for said, did in rounds(turns) if said]
    return [*opened] if trace.protocol == "forced" else [[turn for section in opened for turn in section]]


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in cast("list[Any]", value)]
    return value


def _clear(value: Any) -> Any:
    return _mapped(value, lambda text: "(new id)" if text == _NEW else text)
