"""The options of every command that keep what language models are asked, and the lines that say what they cost."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from toologue.models.spent import SPENT

_GROUP = "Language models"
_Record = Annotated[Path | None, Parameter(group=_GROUP, help="Keep every exchange in this JSONL file.")]
_Replay = Annotated[Path | None, Parameter(group=_GROUP, help="Answer from such a file, and ask nothing.")]
_Cache = Annotated[Path | None, Parameter(group=_GROUP, help="Look replies up in this SQLite file, and keep them.")]
_Tokens = Annotated[str, Parameter(show=False, allow_leading_hyphen=True)]


def with_exchanges_kept(application: App) -> None:
    """Give every command of an application the options."""

    def launch(*tokens: _Tokens, record: _Record = None, replay: _Replay = None, cache: _Cache = None) -> int:
        files = {name: file for name, file in (("record", record), ("replay", replay), ("cache", cache)) if file}
        SPENT.clear()
        with _keeping(**files) if files else nullcontext():
            status = int(application(tokens, exit_on_error=False, print_error=True) or 0)
        if SPENT:
            from toologue.cli.terminal import echo

            for stage, spent in SPENT.items():
                echo(f"{stage}: {spent}", error=True)
                status = max(status, 3 if spent.faults else 0)
        return status

    application.meta.suppress_keyboard_interrupt = False
    application.meta.default(launch)


def _keeping(**files: Path) -> AbstractContextManager[None]:
    from toologue.models.recording import keeping

    return keeping(**files)
