"""Which operations of API documents are read: by the globs of their names and tags.

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

from toologue.errors import BadSetting
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
