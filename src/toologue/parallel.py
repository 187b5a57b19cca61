"""The executors: the same pure function over many items, inline or in processes.

Contract: `unordered(function, items)` yields results as they are done. At most a few items a worker are in flight, so
an endless iterator is fine. With `processes`, function and items must be importable and picklable; a worker that dies
raises. Results do not depend on the executor, only their order does.

Example:
    >>> sorted(unordered(abs, [-2, 1], executor="inline"))
    [1, 2]

Not covered: more than one machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from typing import Literal, TypeVar

__all__ = ["ExecutorName", "chunks", "unordered"]

ExecutorName = Literal["inline", "processes"]
A = TypeVar("A")
B = TypeVar("B")


def unordered(
    function: Callable[[A], B], items: Iterable[A], *, executor: ExecutorName = "inline", workers: int | None = None
) -> Iterator[B]:
    """Yield `function(item)` for every item, as they are done."""
    if executor == "inline":
        yield from map(function, items)
        return
    count = workers or os.cpu_count() or 1
    pool = ProcessPoolExecutor(count, mp_context=get_context("forkserver"))
    try:
        source = iter(items)
        running: set[Future[B]] = {pool.submit(function, item) for item in islice(source, 2 * count)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(function, item) for item in islice(source, len(done))}
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def chunks(items: Iterable[A], size: int) -> Iterator[list[A]]:
    """Cut items into lists of `size`."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk
