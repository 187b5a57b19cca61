"""What of a document cannot be read: left out and named, or, where nothing else is there or all is wanted, refused.

>>> from toologue.data import read_text
>>> source = read_text('[{"name": "a"}, {"nome": "b"}]', "tools.yaml")
>>> [one] = left_out(source, 1, [("1", "", "", Unread((1,), "there is no `name`", "give it one"))], False)
>>> str(one)
'tools.yaml:1: 1: there is no `name` (give it one)'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toologue import limits
from toologue.data import Place, Source
from toologue.errors import BadFile
from toologue.events import happened


class Unread(Exception):
    """An operation or a tool cannot be read."""

    def __init__(self, place: Place, what: str, remedy: str = ""):
        self.place, self.what, self.remedy = place, what, remedy


class LeftOut(NamedTuple):
    """An operation that cannot be read: which, where the cause stands, what to do. `method` is "" for a whole path."""

    name: str
    method: str
    path: str
    file: str
    line: int
    place: str
    cause: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.name}: {self.cause}" + (f" ({self.remedy})" if self.remedy else "")


def left_out(
    source: Source, read: int, bad: Sequence[tuple[str, str, str, Unread]], strict: bool
) -> tuple[LeftOut, ...]:
    """What is left out beside so many that are read: of (name, method, path, fault). Whoever listens is told.

    Raises BadRecord, or BadFile with all problems, where nothing is read, where it is `strict`, or where one is in what
    was written for us (`x-…`): no vendor's.
    """
    problems = source.all_bad([(one.place, one.what, one.remedy) for *_, one in bad])
    ours = any(str(one.place[-1]).startswith("x-") for *_, one in bad if one.place)
    if problems and (strict or ours or not read):
        if len(problems) == 1:
            raise problems[0]
        listed = "".join(f"\n  {limits.cut(str(problem), 400)}" for problem in problems)
        raise BadFile(f"{source.file}: {len(problems)} operations cannot be read:{listed}")
    made = tuple(
        LeftOut(name, method, path, at.file, at.line, at.path, one.what, one.remedy)
        for (name, method, path, one), at in zip(bad, problems, strict=True)
    )
    if made:
        happened("read", file=source.file, operations=read, of=read + len(made), left_out=[*map(str, made)])
    return made
