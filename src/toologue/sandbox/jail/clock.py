"""Time, chance and identifiers that are the same in every run: the modules `time`, `datetime`, `random` and `uuid`.

`install` comes before anything else is imported. From then on there is one clock, which stands where `start` put it:
the module `time` is ours, and what `datetime` reads from the system by itself is replaced in its types. `start` also
seeds `random`, and every generator that names no seed of its own; `uuid` and `os.urandom` draw from the same.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, tzinfo
from types import ModuleType
from typing import Any

_now = [0.0]
_UNITS: Mapping[str, type] = {"": float, "_ns": int}


def install() -> None:
    """Put the modules in place, in this process."""
    ours = ModuleType("time", time.__doc__)
    held = {name: value for name, value in vars(time).items() if not name.startswith("__")}
    clocks = ("time", "monotonic", "perf_counter")
    running = {**dict.fromkeys(clocks, _seconds), **{f"{name}_ns": _nanoseconds for name in clocks}}
    stopped = {f"{clock}{unit}": kind for clock in ("process_time", "thread_time") for unit, kind in _UNITS.items()}
    of_now = {name: _from_now(getattr(time, name)) for name in ("gmtime", "localtime", "ctime")}
    of_clock = {"clock_gettime": _of_clock(_seconds), "clock_gettime_ns": _of_clock(_nanoseconds)}
    told = {"asctime": _asctime, "strftime": _strftime, "sleep": _sleep}
    vars(ours).update({**held, **running, **stopped, **of_clock, **of_now, **told})
    sys.modules["time"] = ours
    _replace(datetime, "now", _date_time)
    _replace(datetime, "utcnow", _universal)
    _replace(date, "today", _today)
    _seeded()


def start(now: float, seed: int) -> None:
    """Where the clock stands, in seconds since 1970, and where chance begins."""
    import random

    _now[0] = now
    random.seed(seed)


def _replace(kind: type, name: str, method: Callable[..., Any]) -> None:
    """Give a type of the interpreter's another class method. A subclass would have another name in errors."""
    held: dict[str, Any] = gc.get_referents(kind.__dict__)[0]
    held[name] = classmethod(method)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _seconds() -> float:
    return _now[0]


def _nanoseconds() -> int:
    return round(_now[0] * 1e9)


def _of_clock(now: Callable[[], float]) -> Callable[[int], float]:
    """All clocks stand where one does."""
    return lambda clock: now()


def _asctime(moment: Any = None) -> str:
    return time.asctime(time.gmtime(_now[0]) if moment is None else moment)


def _strftime(form: str, moment: Any = None) -> str:
    return time.strftime(form, time.gmtime(_now[0]) if moment is None else moment)


def _sleep(seconds: float) -> None:
    """Nobody waits."""


def _date_time(kind: type[datetime], tz: tzinfo | None = None) -> datetime:
    return kind.fromtimestamp(_now[0], tz)


def _today(kind: type[date]) -> date:
    return kind.fromtimestamp(_now[0])


def _universal(kind: type[datetime]) -> datetime:
    return kind.fromtimestamp(_now[0], UTC).replace(tzinfo=None)


def _from_now(function: Any) -> Any:
    def of(seconds: float | None = None) -> Any:
        return function(_now[0] if seconds is None else seconds)

    return of


def _seeded() -> None:
    """`random` and `uuid` without entropy, which newer systems give without a system call."""

    def urandom(size: int) -> bytes:
        return shared.randbytes(size)

    os.urandom = urandom  # before `random` takes it
    import random
    import uuid

    class Random(random.Random):
        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed(0 if a is None else a, version)

    shared = Random("")  # a text, so that what reads it is imported
    for name in random.__all__:
        if callable(getattr(shared, name, None)):
            setattr(random, name, getattr(shared, name))
    random.Random = Random

    def drawn(*given: Any) -> uuid.UUID:
        return uuid.UUID(int=shared.getrandbits(128), version=4)

    uuid.uuid1 = uuid.uuid4 = drawn
    uuid.getnode = lambda: 0x020000000000  # as of a machine that has no address
