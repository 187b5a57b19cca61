"""Start-up, in fresh processes: every command's help, and an import.

Plain: an interpreter that does nothing. What stands below it for any command is the parser of the command line and its
drawing of a help (cyclopts, rich), a quarter of a second.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure, of_children
from toologue import registry
from toologue.cli import app

AIM_HELP, AIM_COMMAND, AIM_IMPORT = 0.25, 0.35, 0.15  # seconds
PYTHON = sys.executable
SHOWN = 6  # commands by name


def commands() -> Iterator[tuple[str, ...]]:
    """The words of every command, and of every part of one."""
    whole = app()
    for name in registry.COMMANDS:
        yield (name,)
        yield from ((name, part) for part in whole[name] if not part.startswith("-"))


def figures() -> list[Figure]:
    """CPU seconds a start: of the overview, the slowest and quickest commands, the package."""
    toologue, every = str(Path(PYTHON).parent / "toologue"), list(commands())
    helps = ((toologue, *words, "--help") for words in every)
    nothing, package, overview, *spent = of_children(
        (PYTHON, "-c", "pass"), (PYTHON, "-c", "import toologue"), (toologue, "--help"), *helps, repeat=3
    )
    slowest = sorted(zip(spent, every, strict=True), reverse=True)
    met = sum(seconds <= AIM_COMMAND for seconds in spent)
    told = ", ".join(f"{' '.join(words)} {seconds:.2f}" for seconds, words in slowest[1:SHOWN])
    return [
        Figure("toologue --help", overview, nothing, "s", AIM_HELP, "beside python -c pass"),
        Figure(
            "toologue COMMAND --help", slowest[0][0], nothing, "s", AIM_COMMAND,
            f"{' '.join(slowest[0][1])}, the slowest; {met} of {len(spent)} meet the aim; then {told}",
        ),
        Figure("import toologue", package, nothing, "s", AIM_IMPORT, "beside python -c pass"),
    ]  # fmt: skip
