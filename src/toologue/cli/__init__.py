"""The command line: one grammar for all lines. Commands load when they are called, so that help is quick.

Exit status, the highest that applies: 0 well, 1 a gate failed, 2 the person at the keyboard must act, 3 something was
not done or not scored; 130 interrupted. 4 is kept for what nobody could decide.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toologue import __version__, registry
from toologue.errors import Unfinished, UserError

if TYPE_CHECKING:
    from cyclopts import App

__all__ = ["app", "main", "overview", "status"]

_ABOUT = """Turn API docs and support procedures into conversations,
run any tool-using agent through them, grade what it did by executing it."""


def main() -> None:
    """Run the command line and exit with its status."""
    sys.path.insert(0, "")  # so that module:attribute finds modules of the folder we are in
    sys.exit(status(sys.argv[1:]))


def status(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    if [*arguments] in ([], ["--help"], ["-h"]):  # without loading the parser: 10 times quicker
        print(overview())
        return 0
    from cyclopts import CycloptsError

    try:
        done = int(app().meta(arguments, exit_on_error=False, print_error=True) or 0)
        sys.stdout.flush()
        return done
    except CycloptsError:
        return 2
    except UserError as error:
        return _refused(error)
    except Unfinished as error:
        return _refused(error, 3)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:  # the machine refuses: a full disk, a folder that nobody may write to
        return _refused(error)
    except KeyboardInterrupt:
        goes_on = "; the same command goes on where it stopped" if _keeps(arguments) else ""
        print(f"\ntoologue: interrupted{goes_on}", file=sys.stderr)
        return 130


def _keeps(arguments: Sequence[str]) -> bool:
    """Whether an interrupted command keeps what it has done, so that it can go on."""
    options = {argument.partition("=")[0] for argument in arguments}
    kept = options & {"--out", "-o"} if arguments[0] in ("bench", "apis") else options & {"--record", "--cache"}
    return arguments[0] in ("run", "test", "review", "judge") or bool(kept)


def _refused(error: Exception, status: int = 2) -> int:
    from toologue.cli.terminal import echo

    echo(f"toologue: {error}", error=True)
    return status


def overview() -> str:
    """The help of the whole command line."""
    commands = "\n".join(f"  {name:8} {summary}" for name, (_, summary) in registry.COMMANDS.items())
    more = "toologue COMMAND --help explains one; toologue --version prints the version."
    return f"Usage: toologue COMMAND\n\n{_ABOUT}\n\nCommands:\n{commands}\n\n{more}"


def app() -> App:
    """The application with all its commands, none of them loaded."""
    from cyclopts import App

    from toologue.cli.options import with_exchanges_kept

    application = App(
        name="toologue",
        version=__version__,
        help=_ABOUT,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, (reference, summary) in registry.COMMANDS.items():
        application.command(reference, name=name, help=summary)
    with_exchanges_kept(application)
    return application
