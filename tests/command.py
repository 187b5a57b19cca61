"""A command of the command line, in this process: quick. What is about processes starts one (`python -m toologue`)."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import NamedTuple

import pytest

from toologue.cli import status


class Done(NamedTuple):
    """The exit status of a command, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def toologue(*arguments: object, cwd: Path, columns: int = 160) -> Done:
    """Run a command in a folder; what it prints is folded at so many columns."""
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        patch.setenv("COLUMNS", str(columns))
        try:
            done = status([*map(str, arguments)])
        except SystemExit as end:
            done = int(end.code or 0)
        return Done(done, out.getvalue(), err.getvalue())
