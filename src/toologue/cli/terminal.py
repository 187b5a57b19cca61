"""What commands share: the console, tables, a progress bar, the line of a command, single keys as they are pressed."""

from __future__ import annotations

import codecs
import json
import logging
import os
import select
import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from cyclopts import App

from toologue.bench.tables import Table as Figures
from toologue.bench.tables import shown
from toologue.errors import BadFile, BadSetting
from toologue.events import LISTENERS, happened
from toologue.limits import legible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import TextType

T = TypeVar("T")
SECONDS = 30.0  # between two lines of progress, where there is no terminal
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
_FEW = 3  # operations that are listed of those that a document has and nobody can read


def echo(text: object = "", *, error: bool = False, note: bool = False) -> None:
    """Print a line, what would steer the terminal as visible escapes, and hand it over at once.

    A `note` says where something was written, what it cost, what comes next: under `--quiet` there is none.
    """
    if note and _QUIET.get():
        return
    print(legible(str(text)), file=sys.stderr if error else sys.stdout, flush=True)


def folded(text: str, *, more: int = 4) -> str:
    """Lines at the terminal's width, what follows `more` characters further in; as they are where there is none."""
    width = shutil.get_terminal_size((0, 0)).columns
    if not width:
        return text
    return "\n".join(
        textwrap.fill(
            line,
            width,
            subsequent_indent=" " * (len(line) - len(line.lstrip()) + more),
            drop_whitespace=True,
            replace_whitespace=False,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    )


class _Legible(logging.Formatter):
    """Log lines that nobody else takes, as `echo` prints them."""

    def format(self, record: logging.LogRecord) -> str:
        return legible(super().format(record))


if logging.lastResort:  # in our processes, too: they load what is loaded here
    logging.lastResort.setFormatter(_Legible())


def say(*things: Any) -> None:
    """Print rich renderables on standard output, what would steer the terminal as visible escapes.

    A table whose words need more than the terminal's width goes on below, under its first column.
    """
    from rich.console import Console
    from rich.segment import Segment
    from rich.table import Table

    console = Console(soft_wrap=not sys.stdout.isatty(), highlight=False)

    class Legible:
        def __init__(self, thing: Any):
            self.thing = thing

        def __rich_console__(self, console: Any, options: Any) -> Iterator[Segment]:
            for text, style, control in console.render(self.thing, options):
                yield Segment(legible(text), style, control)

    for thing in things:
        for part in _parts(thing, console) if isinstance(thing, Table) else [thing]:
            console.print(Legible(part))


def _parts(whole: Table, console: Console) -> Iterator[Table]:
    """A table as tables that fit the console without a broken word, as far as two columns do."""
    from rich.measure import Measurement

    def some(columns: Sequence[Column], title: TextType | None, caption: TextType | None) -> Table:
        made = copy(whole)
        made.columns = [replace(column, _index=at) for at, column in enumerate(columns)]
        made.title, made.caption = title, caption
        return made

    def fits(columns: Sequence[Column]) -> bool:
        unbounded = console.options.update(width=sys.maxsize)
        return Measurement.get(console, unbounded, some(columns, None, None)).minimum <= console.width

    (first, *rest), title = whole.columns, whole.title
    if not rest:
        yield whole
    while rest:
        few = next((n for n in range(len(rest), 1, -1) if fits([first, *rest[:n]])), 1)
        yield some([first, *rest[:few]], title, whole.caption if few == len(rest) else None)
        rest, title = rest[few:], None


def table(
    columns: Iterable[str],
    rows: Iterable[Iterable[Any]],
    *,
    title: str | None = None,
    caption: str = "",
    right: Collection[str] = (),
) -> Table:
    """A table that `say` prints: shares are floats, what is missing None, and nothing is read as markup."""
    from rich.table import Column, Table
    from rich.text import Text

    heads = [Column(Text(name), justify="right" if name in right else "left", overflow="fold") for name in columns]
    drawn = Table(*heads, title=title and Text(legible(title)), caption=Text(legible(caption)))
    for row in rows:
        drawn.add_row(*(Text(legible(shown(cell))) for cell in row))
    return drawn


def say_first(lines: Sequence[str], most: int, rest: str = "more") -> None:
    """Print the first lines, at the terminal's width, and how many there are besides."""
    for line in lines[:most]:
        echo(folded(line))
    if len(lines) > most:
        echo(f"  and {len(lines) - most} {rest}")


def say_tables(tables: Iterable[Figures]) -> None:
    """Print the tables of a benchmark."""
    for one in tables:
        say(table(one.columns, one.rows, title=one.title, caption=one.caption))


def watched(what: str, things: Iterable[T], of: int = 0) -> Iterator[T]:
    """The things, and a progress bar that counts those that are done."""
    with progress_bar(what) as progress:
        for number, thing in enumerate(things, 1):
            yield thing
            progress(number, of)


def command_line(*words: object, **options: Any) -> str:
    """A command of ours as it is typed in a shell: flags are booleans; what is None, empty or False is not given."""
    line = ["toologue", *map(str, words)]
    for name, given in options.items():
        option = f"--{name.replace('_', '-')}"
        for value in cast("Sequence[Any]", given) if isinstance(given, list | tuple) else [given]:
            if value is not None and value is not False and value != "":
                line += [option] if value is True else [option, str(value)]
    return shlex.join(line)


def unlike_default(options: object) -> dict[str, Any]:
    """The options of a group that are not its defaults, for `command_line`."""
    default = type(options)()
    return {name: value for name, value in vars(options).items() if value != getattr(default, name)}


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[int, int], None]]:
    """A function (done, of) that draws a bar on a terminal, and else prints a line now and then; both are events."""
    begun, at = time.monotonic(), (0, 0)
    happened("begun", stage=what)
    with nullcontext() if _QUIET.get() else (_bar if sys.stderr.isatty() else _lines)(what) as show:

        def progress(done: int, of: int) -> None:
            nonlocal at
            at = done, of
            if show:
                show(done, of)

        try:
            yield progress
        finally:
            seconds = round(time.monotonic() - begun, 3)
            happened("ended", stage=what, done=at[0], of=at[1] or None, seconds=seconds)


@contextmanager
def _lines(what: str) -> Generator[Callable[[int, int], None]]:
    last = time.monotonic()

    def show(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS:
            last = time.monotonic()
            echo(f"{what}: {done:,}{f' of {of:,}' if of else ''}", error=True)

    yield show


@contextmanager
def _bar(what: str) -> Generator[Callable[[int, int], None]]:
    """A bar, once the work has taken a second."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    start, task = time.monotonic(), bar.add_task(what, total=None)

    def show(done: int, of: int) -> None:
        if not bar.live.is_started and time.monotonic() - start > 1:
            bar.start()
        bar.update(task, completed=done, total=of)

    try:
        yield show
    finally:
        bar.stop()


@contextmanager
def telling(*, quiet: bool, log: Path | None) -> Generator[None]:
    """Tell no notes and no progress where it is `quiet`, and append every event to a log, a JSON line each."""
    before, told = _QUIET.set(quiet), set[str]()

    def tell(event: Mapping[str, object]) -> None:
        if event["event"] == "read" and (line := read_words(event)) not in told:
            told.add(line)
            echo(line, error=True, note=True)

    LISTENERS.append(tell)
    try:
        with _logging(log) if log else nullcontext():
            yield
    finally:
        LISTENERS.remove(tell)
        _QUIET.reset(before)


def read_words(event: Mapping[str, Any]) -> str:
    """What an event `read` says: how many operations of a document are read, and why the first others are not."""
    left: list[str] = event["left_out"]
    more = [f"… and {len(left) - _FEW:,} more: toologue apis {event['file']} --left-out"] if len(left) > _FEW else []
    head = f"{event['file']}: {event['operations']:,} of {event['of']:,} operations read; {len(left):,} left out:"
    return "\n  ".join([head, *left[:_FEW], *more])


@contextmanager
def _logging(log: Path) -> Generator[None]:
    from toologue.schema.jsonl import Appender

    with Appender(log) as lines:

        def keep(event: Mapping[str, object]) -> None:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            lines.append(json.dumps({"at": now, **event}).encode() + b"\n")

        LISTENERS.append(keep)
        try:
            yield
        finally:
            LISTENERS.remove(keep)


def ask(spec: str, asked: Coroutine[Any, Any, T]) -> T:
    """What a model answers. Raises BadSetting where it does not."""
    import asyncio

    from toologue.models.model import ModelFault

    try:
        return asyncio.run(asked)
    except ModelFault as fault:
        raise BadSetting(f"the model {spec!r} does not answer: {fault}") from None


def group(name: str, *parts: Callable[..., Any], default: Callable[..., Any] | None = None) -> App:
    """A command with parts, each an App of its own name, so that help says the same however it is called."""
    whole = App(name=name)
    if default is not None:
        whole.default(default)
    for part in parts:
        command = App(name=part.__name__.replace("_", "-"))
        command.default(part)
        whole.command(command)
    return whole


def write_lines(file: Path, what: str, lines: Iterable[bytes], of: int = 0) -> int:
    """Write lines with a progress bar, replacing the file in one step; how many there are."""
    from toologue.schema.jsonl import replacing

    with replacing(file) as stream:
        return sum(stream.write(line) > 0 for line in watched(what, lines, of))


def write_json(file: Path, value: Any) -> None:
    """Write indented JSON, replacing the file in one step."""
    from toologue.schema.jsonl import replacing

    if file.is_dir():
        raise BadFile(f"cannot write {file}: it is a folder")
    with replacing(file) as stream:
        stream.write(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n")


_ESCAPE, _END, _ENTER, _BACK = "\x1b", "\x04", "\n", ("\x7f", "\b")
_LAST = frozenset("~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")  # what ends an escape sequence
_GRACE = 0.05  # seconds in which the rest of an escape sequence comes


def at_terminal() -> bool:
    """Whether somebody sits there, at a terminal whose keys can be read one by one."""
    try:
        import termios as _  # noqa: F401
    except ImportError:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


class Keys:
    """The keyboard, while the block lasts. `\\x04` is the end of it; arrows and other sequences are the empty key."""

    def __enter__(self) -> Self:
        import termios
        import tty

        self._file = sys.stdin.fileno()
        self._before: list[Any] = termios.tcgetattr(self._file)
        tty.setcbreak(self._file, termios.TCSADRAIN)  # not the default, which throws away what was typed ahead
        self._held = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        import termios

        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def key(self) -> str:
        """The next key."""
        pressed, self._held = self._held or self._character(), ""
        if pressed == _ESCAPE and self._waiting():
            self._held = self._character()
            if self._held in "[O":
                self._held = ""
                while self._waiting() and self._character() not in _LAST:
                    pass
                return ""
        return _ENTER if pressed == "\r" else pressed

    def line(self, prompt: str) -> str | None:
        """A line that is typed, shown as it grows; None where it is given up with Escape."""
        typed = ""
        _show(prompt)
        while (pressed := self.key()) not in (_ENTER, _ESCAPE, _END):
            if pressed in _BACK and typed:
                typed = typed[:-1]
                _show("\b \b")
            elif pressed.isprintable():
                typed += pressed
                _show(pressed)
        echo()
        return typed.strip() if pressed == _ENTER else None

    def _character(self) -> str:
        while True:
            read = os.read(self._file, 1)
            if text := self._decoder.decode(read) if read else _END:
                return text

    def _waiting(self) -> bool:
        return bool(select.select([self._file], [], [], _GRACE)[0])


def clear() -> None:
    """An empty screen."""
    _show("\x1b[2J\x1b[H")


def _show(text: str) -> None:
    """Our own control characters, and what somebody types at this keyboard: no data."""
    sys.stdout.write(text)
    sys.stdout.flush()
