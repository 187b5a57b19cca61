"""What calls gave back, as rows that people may refer to.

Contract: pure and total, whatever a result is. Rows come in groups, one a call, the newest first. What a call made
carries the arguments that it was made with; what was changed since is changed, what was deleted is gone. The `id` of a
row among `books` is known as `book_id`, too.

Example:
    >>> made = Made(Call(api="AddAlarm", arguments={"time": "06:30:00"}), Result(value={"alarm_id": "1a-2b"}))
    >>> rows_of([made])
    (({'time': '06:30:00', 'alarm_id': '1a-2b'},),)
    >>> rows_of([made, Made(Call(api="DeleteAlarm", arguments={"alarm_id": "1a-2b"}), Result(value="deleted"))])
    ()

Not covered: results that are plain texts: there is nothing in them to point at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from toologue.agents.retrieve.lexicon import deed_of
from toologue.schema import Call, Result
from toologue.text.find import Row
from toologue.text.tokens import split_name

Rows = tuple[tuple[Row, ...], ...]
_MOST_ROWS, _DEEPEST = 500, 6


class Made(NamedTuple):
    """A call and what it gave back."""

    call: Call
    result: Result

    @property
    def done(self) -> bool:
        """Whether it went through."""
        return self.result.error is None


def rows_of(made: Sequence[Made]) -> Rows:
    """The rows that calls gave back, one group a call, newest first, as later calls left them."""
    groups: list[tuple[Row, ...]] = []
    for call, result in (one for one in made if one.done):
        given, deed = call.arguments or {}, deed_of(call.api)
        if deed in ("update", "delete"):
            groups = [tuple(_after(group, given, gone=deed == "delete")) for group in groups]
        rows = tuple(plain_rows(result.value, _thing(call.api)))
        groups.append(tuple({**given, **row} for row in rows) if deed == "create" else rows)
    return tuple(group for group in reversed(groups) if group)


def plain_rows(value: Any, under: str = "", deep: int = 0) -> Iterator[Row]:
    """The rows of a result: every object in it that has plain values, outer ones first. `under`: the key of it."""
    if isinstance(value, dict) and deep <= _DEEPEST:
        here = cast("dict[str, Any]", value)
        if any(not isinstance(part, dict | list) for part in here.values()):
            yield {**({f"{under.removesuffix('s')}_id": here["id"]} if under and "id" in here else {}), **here}
        for name, part in here.items():
            yield from plain_rows(part, name, deep + 1)
    elif isinstance(value, list) and deep <= _DEEPEST:
        for part in cast("list[Any]", value)[:_MOST_ROWS]:
            yield from plain_rows(part, under, deep + 1)


def is_id(name: str) -> bool:
    """Whether a field or parameter of this name holds what only a computer reads."""
    return split_name(name).endswith((" id", " ids")) or name.lower() in ("id", "ids")


def _thing(api: str) -> str:
    """What an Api's name says its results are: FindBooks → books."""
    return "_".join(word for word in split_name(api).split() if deed_of(word) is None)


def _after(rows: Sequence[Row], given: Mapping[str, Any], *, gone: bool) -> Iterator[Row]:
    """The rows after a call that changed or removed those that its arguments name by an identifier."""
    for row in rows:
        named = any(is_id(name) and row.get(name) == value for name, value in given.items() if value)
        if not (named and gone):
            new = {name.removeprefix("new_"): value for name, value in given.items()} if named else {}
            yield {**row, **{name: value for name, value in new.items() if name in row}}
