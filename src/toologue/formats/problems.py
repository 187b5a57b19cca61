"""Problems of a text: all that is wrong with it, gathered before anything is raised.

Example:
    >>> problems = Problems()
    >>> problems.add(7, "step 2 goes to 9", "there are 3 steps")
    >>> print(problems.error("shop.md", "procedure"))
    shop.md is no sound procedure, 1 problem:
      shop.md:7: step 2 goes to 9 (there are 3 steps)

Not covered: columns; a line is near enough for people, and most texts have one statement a line.
"""

from __future__ import annotations

from typing import NamedTuple

from toologue.errors import BadFile


class Problem(NamedTuple):
    """What is wrong, on which line, and what to do."""

    line: int
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.line}: {self.what}" + (f" ({self.remedy})" if self.remedy else "")


class Problems(list[Problem]):
    """Problems as they are found."""

    def add(self, line: int, what: str, remedy: str = "") -> None:
        """One more."""
        self.append(Problem(line, what, remedy))

    def error(self, file: object, kind: str) -> BadFile:
        """The error that lists them all, each once, by line. `kind` is what the text should have been."""
        found = sorted(set(self))
        listed = "".join(f"\n  {file}:{problem}" for problem in found)
        return BadFile(f"{file} is no sound {kind}, {len(found)} problem{'s' * (len(found) != 1)}:{listed}")
