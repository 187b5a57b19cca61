"""Start-up, in fresh processes.

Plain: an interpreter that does nothing, and one that imports the parser of the command line (cyclopts) and no more.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.figure import Figure, of_children

AIM_HELP, AIM_IMPORT = 0.25, 0.15  # seconds


def figures() -> list[Figure]:
    """CPU seconds a start."""
    python = sys.executable
    command = str(Path(python).parent / "toologue")
    overview, one, package, nothing, parser = of_children(
        (command, "--help"),
        (command, "run", "--help"),
        (python, "-c", "import toologue"),
        (python, "-c", "pass"),
        (python, "-c", "import cyclopts"),
    )
    return [
        Figure("toologue --help", overview, parser, "s", AIM_HELP, "beside import cyclopts"),
        Figure("toologue run --help", one, parser, "s", note="all that a run imports, beside import cyclopts"),
        Figure("import toologue", package, nothing, "s", AIM_IMPORT, "beside python -c pass"),
    ]
