"""A part of a set of dialogues: by id, by pattern, by number.

Example:
    >>> from toologue.schema import Dialogue, UserTurn
    >>> every = [Dialogue(id=id, turns=(UserTurn(text="Hi"),)) for id in ("hire-1", "hire-2", "bike-1")]
    >>> [one.id for one in Selection(only=("*-1",), limit=1).of(every)]
    ['hire-1']
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from toologue.errors import BadSetting
from toologue.schema import Dialogue


@dataclass(frozen=True)
class Selection:
    """Dialogues whose ids fit one of the patterns `only` and are among `ids`; of those the first `limit`."""

    only: Collection[str] = ()
    ids: Collection[str] | None = None
    limit: int | None = None

    def __bool__(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.only) or self.ids is not None or self.limit is not None

    def of(self, dialogues: Iterable[Dialogue]) -> list[Dialogue]:
        """Those that are chosen. Raises BadSetting where there are none."""
        every = list(dialogues)
        chosen = [one for one in every if self._takes(one.id)][: self.limit]
        if every and not chosen:
            asked = " ".join(f"--only {pattern!r}" for pattern in self.only) or f"--limit {self.limit}"
            what = "no conversation failed there" if self.ids is not None and not self.only else f"{asked} takes none"
            raise BadSetting(f"{what} of {len(every)} conversations; the first is {every[0].id!r}")
        return chosen

    def _takes(self, id: str) -> bool:
        fits = not self.only or any(fnmatchcase(id, pattern) for pattern in self.only)
        return fits and (self.ids is None or id in self.ids)
