"""The options of every command: those that keep what language models are asked, with the lines that say what they cost;
how much is told, and to whom."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from toologue.errors import Unfinished
from toologue.models.spent import SPENT

_GROUP = "Language models"
_Record = Annotated[Path | None, Parameter(group=_GROUP, help="Keep every exchange in this JSONL file.")]
_Replay = Annotated[Path | None, Parameter(group=_GROUP, help="Answer from such a file, and ask nothing.")]
_Cache = Annotated[Path | None, Parameter(group=_GROUP, help="Look replies up in this SQLite file, and keep them.")]
_Budget = Annotated[float | None, Parameter(group=_GROUP, help="The most dollars that requests may come to.")]
_Quiet = Annotated[
    bool, Parameter(group="Telling", negative="", help="No progress and no notes: tables, verdicts and errors.")
]
_Log = Annotated[
    Path | None, Parameter(group="Telling", help="Append what happens to this file, a JSON line an event.")
]
_Tokens = Annotated[str, Parameter(show=False, allow_leading_hyphen=True)]


def with_exchanges_kept(application: App) -> None:
    """Give every command of an application the options."""

    def launch(
        *tokens: _Tokens,
        record: _Record = None,
        replay: _Replay = None,
        cache: _Cache = None,
        budget: _Budget = None,
        quiet: _Quiet = False,
        log_json: _Log = None,
    ) -> int:
        files = {name: file for name, file in (("record", record), ("replay", replay), ("cache", cache)) if file}
        SPENT.clear()
        from toologue.cli.terminal import telling

        with ExitStack() as around:
            around.enter_context(telling(quiet=quiet, log=log_json))
            around.enter_context(_within(budget, tokens, files))
            if files:  # a budget has one of its own
                from toologue.models.recording import keeping

                around.enter_context(keeping(**files))
            try:
                status = int(application(tokens, exit_on_error=False, print_error=True) or 0)
            except Unfinished:
                _tell_spent()
                raise
            _tell_spent()
        return max(status, 3 if any(spent.faults for spent in SPENT.values()) else 0)

    application.meta.suppress_keyboard_interrupt = False
    application.meta.default(launch)


@contextmanager
def _within(dollars: float | None, tokens: Sequence[str], files: dict[str, Path]) -> Generator[None]:
    """Hold a command to a budget. What it pays for is kept until the same command has come to its end."""
    if dollars is None:
        yield
        return
    from toologue import keys
    from toologue.cli.terminal import echo
    from toologue.models.budget import budget
    from toologue.models.embed import cache_folder

    paid = None
    if not files:
        files["cache"] = paid = cache_folder() / f"paid-{keys.content_key([str(Path.cwd()), *tokens])}.sqlite"
    with budget(dollars) as held:
        try:
            yield
            if paid and not held.refused:
                paid.unlink(missing_ok=True)
        finally:
            goes_on = "; the same command goes on, and asks nothing again that was paid for" if held.refused else ""
            if SPENT:
                echo(f"budget: {held.words}{goes_on}", error=True, note=not held.refused)


def _tell_spent() -> None:
    if SPENT:
        from toologue.cli.terminal import echo

        for stage, spent in SPENT.items():
            echo(f"{stage}: {spent}", error=True, note=not spent.faults)
