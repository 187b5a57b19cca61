"""Single keys in a terminal: each as it is pressed, none lost that was typed ahead."""

from __future__ import annotations

import codecs
import os
import select
import sys
from types import TracebackType
from typing import Any, Self

from toologue.cli.terminal import echo

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
