"""Which operations of API documents are read, by the globs of their names and tags; which cannot be, and are left out.

>>> chosen = Picked(Choice(only=("*_order",), exclude=("delete_*",)))
>>> [name for name in ("get_order", "delete_order", "get_user") if chosen.takes(name)]
['get_order']
>>> Picked(Choice(tag=("order",))).missed("shop.yaml")
Traceback (most recent call last):
    ...
toologue.errors.BadSetting: shop.yaml: --tag 'order' fits nothing: there is none
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import translate
from typing import NamedTuple

from toologue import limits
from toologue.data import Place, Source
from toologue.errors import BadFile, BadSetting
from toologue.events import happened
from toologue.schema import Noun


class Choice(Noun):
    """`only` and `exclude` are globs of names, `tag` of tags; `strict`: what cannot be read is an error."""

    only: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    strict: bool = False


class Picked:
    """A choice at work. It remembers which of its globs have not fitted anything."""

    def __init__(self, choice: Choice):
        self.strict = choice.strict
        self._globs = {
            kind: {glob: re.compile(translate(glob)) for glob in getattr(choice, kind)}
            for kind in ("only", "tag", "exclude")
        }
        self._left: set[tuple[str, str]] = {(kind, glob) for kind, globs in self._globs.items() for glob in globs}
        self._names, self._tags = dict[str, None](), dict[str, None]()

    def takes(self, name: str, tags: Sequence[str] = ()) -> bool:
        """Whether an operation is chosen."""
        self._names[name] = None
        self._tags.update(dict.fromkeys(tags))
        fits = {kind: self._fits(kind, tags if kind == "tag" else (name,)) for kind in self._globs}
        return not fits["exclude"] and all(fits[kind] or not self._globs[kind] for kind in ("only", "tag"))

    def missed(self, where: object) -> None:
        """Raise BadSetting for a glob that fits nothing of all that was asked for."""
        for kind, glob in sorted(self._left):
            known: list[str] = list(self._tags if kind == "tag" else self._names)
            near = get_close_matches(glob, known, n=1, cutoff=0.4)
            there = f"there are {', '.join(known[:20])}{', …' * (len(known) > 20)}"
            hint = f"did you mean {near[0]!r}?" if near else there if known else "there is none"
            raise BadSetting(f"{where}: --{kind} {glob!r} fits nothing: {hint}")

    def _fits(self, kind: str, texts: Sequence[str]) -> bool:
        fitting = [glob for glob, rule in self._globs[kind].items() if any(map(rule.fullmatch, texts))]
        self._left.difference_update((kind, glob) for glob in fitting)
        return bool(fitting)


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
