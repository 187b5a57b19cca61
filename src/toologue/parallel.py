"""The executors: the same pure function over many items, inline or in processes.

At most a few items a worker are in flight, so an endless iterator is fine. With `processes`, function and items must be
importable and picklable; a worker that dies raises. Results do not depend on the executor, only their order does, and
that not with `ordered`. Processes share the modules of ours that were loaded when the first of them started, and do
linear algebra on one core each, unless the environment says otherwise. They do not run the script that started them
again, so that it needs no `if __name__ == "__main__"`. What they read is told here, once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from itertools import islice
from multiprocessing import connection, parent_process, popen_forkserver, spawn
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.forkserver import ensure_running
from threading import Thread
from typing import Any, Literal, TypeVar

from toologue.events import LISTENERS, happened

ExecutorName = Literal["inline", "processes"]
A = TypeVar("A")
B = TypeVar("B")
_THREADS = "OPENBLAS_NUM_THREADS"
# When to look for it: much is made here, little of it in cycles, and looking through all of it is dear.
_GARBAGE = (50_000, 20, 20)
_MAIN = ("init_main_from_name", "init_main_from_path")
_OURS = ContextVar("_OURS", default=False)
_POOL: ContextVar[ProcessPoolExecutor | None] = ContextVar("_POOL", default=None)
_prepared = spawn.get_preparation_data


def unordered(
    function: Callable[[A], B], items: Iterable[A], *, executor: ExecutorName = "inline", workers: int | None = None
) -> Iterator[B]:
    """Yield `function(item)` for every item, as they are done."""
    if executor == "inline":
        yield from map(function, items)
        return
    count, open_one = workers or os.cpu_count() or 1, _POOL.get()
    running: set[Future[tuple[B, list[dict[str, Any]]]]] = set()
    told = list[dict[str, Any]]()
    with nullcontext(open_one) if open_one else _started(count) as processes:
        try:
            serve()
            source = iter(items)
            running = {processes.submit(_heard, function, item) for item in islice(source, 2 * count)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {processes.submit(_heard, function, item) for item in islice(source, len(done))}
                for result, events in (future.result() for future in done):
                    for event in (one for one in events if one["event"] == "read" and one not in told):
                        told.append(event)
                        happened(**event)
                    yield result
        finally:
            for future in running:
                future.cancel()


def ordered(function: Callable[[A], B], items: Iterable[A], *, workers: int) -> Iterator[B]:
    """Yield `function(item)` for every item in the order of the items; those that are done too early wait."""
    early: dict[int, B] = {}
    following = 0
    numbered = unordered(partial(_numbered, function), enumerate(items), executor=executor_of(workers), workers=workers)
    for number, result in numbered:
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1


@contextmanager
def pool(workers: int) -> Generator[None]:
    """Processes that all calls of `unordered` inside share, those in a pool inside, too."""
    if _POOL.get():
        yield
        return
    with _started(workers) as processes:
        token = _POOL.set(processes)
        try:
            yield
        finally:
            _POOL.reset(token)


@contextmanager
def seldom_collected() -> Generator[None]:
    """Garbage is looked for as seldom as in our processes."""
    before = gc.get_threshold()
    gc.set_threshold(*_GARBAGE)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def executor_of(workers: int) -> ExecutorName:
    """The executor for so many workers."""
    return "inline" if workers == 1 else "processes"


def chunks(items: Iterable[A], size: int) -> Iterator[list[A]]:
    """Cut items into lists of `size`."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def _heard(function: Callable[[A], B], item: A) -> tuple[B, list[dict[str, Any]]]:
    """(the result, what happened on the way)."""
    events = list[Any]()
    LISTENERS.append(events.append)
    try:
        return function(item), events
    finally:
        LISTENERS.remove(events.append)


def _numbered(function: Callable[[A], B], item: tuple[int, A]) -> tuple[int, B]:
    return item[0], function(item[1])


@contextmanager
def _started(workers: int) -> Generator[ProcessPoolExecutor]:
    processes = ProcessPoolExecutor(workers, mp_context=PROCESSES, initializer=_settle)
    try:
        yield processes
    finally:
        processes.shutdown(wait=False, cancel_futures=True)


class _Popen(popen_forkserver.Popen):
    """What a process is started with, but for the script that is running here."""

    def _launch(self, process_obj: Any) -> None:
        token = _OURS.set(True)
        try:
            super()._launch(process_obj)  # type: ignore[misc]  # pyright: ignore
        finally:
            _OURS.reset(token)


def _without_main(name: str) -> dict[str, Any]:
    return {key: value for key, value in _prepared(name).items() if not _OURS.get() or key not in _MAIN}


spawn.get_preparation_data = _without_main


class _Process(ForkServerProcess):
    _Popen = staticmethod(_Popen)


class _Context(ForkServerContext):
    Process = _Process


PROCESSES = _Context()
"""What our processes are made by."""


def serve() -> None:
    """Start the server that processes are forked from, unless it runs: it imports once what all of them need."""
    asked = _THREADS in os.environ
    os.environ.setdefault(_THREADS, "1")
    try:
        PROCESSES.set_forkserver_preload([name for name in sys.modules if name.startswith("toologue.")])
        ensure_running()
    finally:
        if not asked:
            del os.environ[_THREADS]


def end_with_parent() -> None:
    """End this process, whatever it does, when the one that started it has ended."""
    if parent := parent_process():
        Thread(target=lambda: connection.wait([parent.sentinel]) and os._exit(1), daemon=True).start()


def _settle() -> None:
    """What a process starts with is no garbage; it does linear algebra on one core, if that is not loaded yet."""
    end_with_parent()
    os.environ.setdefault(_THREADS, "1")
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
