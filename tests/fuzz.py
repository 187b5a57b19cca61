"""`python -m tests.fuzz [--count N] [--seed N] [--growth]`: mutants of every file that is read, and how reading grows.

A loader has two outcomes: the file is accepted, or refused by an error of ours. Anything else is told with the mutant.
`--growth` prints the CPU of each loader at n and at 4 n; 1 where it grows faster, or refuses what is large and right.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import logging
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from toologue.errors import UserError

from .loaders import Loader, loaders

SECONDS = 10
_LARGE = [
    b"9" * 5000, b"-" + b"9" * 400, b"1e999", b"NaN", b"Infinity", b"-0", b"null", b"true", b'""', b"[]", b"{}", b"{",
    b"[" * 300 + b"]" * 300, b"[" * 20_000, b'{"a":' * 300 + b"1" + b"}" * 300, b'"' + b"x" * 1_100_000 + b'"',
    b"\\ud800", b'"\\ud800"', b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b]0;x\x07",
    b"\xe2\x80\xae", b"'", b"*", b"&a", b"!!x", b"\t",
]  # fmt: skip
_VALUE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|(?<=: )[^\n,{\[]+')
_PAIR = re.compile(rb'"[^"\\\n]*": ?(?:"[^"\\\n]*"|-?\d+)|^ *[\w-]+ ?[:=] [^\n]+\n', re.MULTILINE)


def mutant(data: bytes, random: Random) -> bytes:
    """The bytes with one alteration, sometimes two or three."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(ALTERATIONS)(data, random)
    return data


def _span(data: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(data) + 1)
    return start, min(len(data), start + random.choice((1, 2, 8, 40, 300)))


def _flipped(data: bytes, random: Random) -> bytes:
    changed = bytearray(data or b" ")
    changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _doubled(data: bytes, random: Random) -> bytes:
    start, end = _span(data, random)
    return data[:end] + data[start:end] * random.choice((1, 1, 50)) + data[end:]


def _deleted(data: bytes, random: Random) -> bytes:
    start, end = _span(data, random)
    return data[:start] + data[end:]


def _inserted(data: bytes, random: Random) -> bytes:
    start, _ = _span(data, random)
    return data[:start] + random.choice(_LARGE) + data[start:]


def _replaced(data: bytes, random: Random) -> bytes:
    return _at_one(_VALUE, data, random, lambda _: random.choice(_LARGE))


def _key_doubled(data: bytes, random: Random) -> bytes:
    between = b"" if b'"' not in data[:200] else b", "
    return _at_one(_PAIR, data, random, lambda found: found + between + found)


def _word_deleted(data: bytes, random: Random) -> bytes:
    """Without all lines that hold a word."""
    words = re.findall(rb"\w{2,}", data[:10_000])
    word = random.choice(words) if words else b"\0"
    return b"".join(line for line in data.splitlines(keepends=True) if word not in line)


def _at_one(pattern: re.Pattern[bytes], data: bytes, random: Random, change: Callable[[bytes], bytes]) -> bytes:
    places = [found.span() for found in pattern.finditer(data[:200_000])]
    if not places:
        return _flipped(data, random)
    start, end = random.choice(places)
    return data[:start] + change(data[start:end]) + data[end:]


ALTERATIONS = (_flipped, _doubled, _deleted, _replaced, _inserted, _key_doubled, _word_deleted)


class Hang(BaseException):
    """A loader took too long."""


def outcome(loader: Loader, data: bytes, folder: Path) -> str:
    """`accepted`, `refused`, or what else happened."""
    file = folder / loader.file
    file.write_bytes(data)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loader.load(file)
    except UserError as error:
        first, *more = str(error).split("\n")
        listed = len(more) <= 21 and (" problem" in first or first.startswith(str(file)))  # each with its line
        return "refused" if len(more) <= 2 or listed else f"refused in {len(more) + 1} lines: {error}"
    except Hang:
        return f"still reading after {SECONDS} s"
    except Exception:  # noqa: BLE001 - what is looked for
        return traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        file.unlink()
    return "accepted"


def mutants(known: dict[str, Loader], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """So many mutants, evenly over the loaders, the same for the same seed."""
    names = [*known]
    for number in range(count):
        name = names[number % len(names)]
        yield name, mutant(known[name].sample, Random(f"{seed} {number}"))


def strange(count: int, seed: int = 0, only: str = "") -> tuple[Counter[str], list[tuple[str, bytes, str]]]:
    """How many mutants were accepted and refused, and those that were neither, with what happened."""
    counts, wrong = Counter[str](), list[tuple[str, bytes, str]]()

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with tempfile.TemporaryDirectory() as name:
            known = {one: it for one, it in loaders(Path(name) / "beside").items() if only in one}
            (folder := Path(name) / "read").mkdir()
            for loader, data in mutants(known, count, seed):
                what = outcome(known[loader], data, folder)
                if what in ("accepted", "refused"):
                    counts[what] += 1
                else:
                    wrong.append((loader, data, what))
    finally:
        signal.signal(signal.SIGALRM, before)
    return counts, wrong


class Grown(NamedTuple):
    """CPU seconds of a loader at n and at 4 n; `wrong`: it refused what it should accept, or the reverse."""

    loader: str
    few: float
    many: float
    wrong: str

    @property
    def ratio(self) -> float:
        """How many times as long 4 n take."""
        return self.many / self.few


def growth(size: int = 25_000, only: str = "") -> Iterator[Grown]:
    """Each loader on files of n and of 4 n bytes: see `Loader.large`. What seems to grow: the best of three times."""
    gc.collect()
    gc.freeze()  # what is there already is no part of what a loader takes
    with tempfile.TemporaryDirectory() as name:
        for loader, one in loaders(Path(name) / "beside").items():
            if only in loader:
                grown = _grown(loader, one, Path(name), size, repeat=1)
                yield grown if grown.ratio < 5 else _grown(loader, one, Path(name), size, repeat=3)


def _grown(name: str, loader: Loader, folder: Path, size: int, repeat: int) -> Grown:
    few, many = (_large(loader, folder, bytes_, repeat) for bytes_ in (size, 4 * size))
    return Grown(name, few[0], many[0], few[1] or many[1])


def _large(loader: Loader, folder: Path, size: int, repeat: int) -> tuple[float, str]:
    (file := folder / loader.file).write_bytes(loader.large(size))
    said = _said(loader, file)
    wrong = "" if bool(said) == loader.refused else f"refused: {said}" if said else "accepted"
    seconds = min(_seconds(loader, file) for _ in range(repeat))
    file.unlink()
    return seconds, wrong


def _said(loader: Loader, file: Path) -> str:
    """With which error the loader refuses the file; empty where it does not."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            loader.load(file)
    except UserError as error:
        return str(error)
    return ""


def _seconds(loader: Loader, file: Path) -> float:
    """CPU seconds of a load, of as many as can be timed."""
    gc.disable()
    start, times = time.process_time(), 0
    try:
        while (taken := time.process_time() - start) < 0.02:
            os.utime(file, ns=(time.monotonic_ns(),) * 2)  # what a loader remembers of it is out of date
            _said(loader, file)
            times += 1
    finally:
        gc.enable()
    return taken / times


def main() -> int:
    """Fuzz, or measure; 1 where something was strange."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    logging.disable()  # a line that is cut off is no news here
    if options.growth:
        bad = 0
        for one in growth(200_000, options.only):
            told = one.wrong[:200] or "grows" * (one.ratio > 5)
            bad += bool(told)
            print(f"{one.loader:20} {one.few:8.4f} s {one.many:8.4f} s {one.ratio:6.1f}  {told}".rstrip())
        return int(bad > 0)
    counts, wrong = strange(options.count, options.seed, options.only)
    for loader, data, what in wrong:
        print(f"== {loader}: {data[:300]!r} ({len(data):,} bytes)\n{what}")
    told = ", ".join(f"{times:,} {what}" for what, times in sorted(counts.items()))
    print(f"{options.count:,} mutants: {told}, {len(wrong)} neither")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
