"""Started by a host with its own process id: ends the workers whose ids it is told, once the host is gone.

Not covered: being imported; this file is run, and needs the standard library alone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress


def main(host: int) -> None:
    """Read ids, four bytes each, until the host ends and none is left to be read."""
    workers: list[int] = []
    alive: list[int] = []
    with suppress(ProcessLookupError):
        alive.append(os.pidfd_open(host))
    while 0 in _ready(alive) and (told := os.read(0, 4)):
        with suppress(ProcessLookupError):
            workers.append(os.pidfd_open(int.from_bytes(told, "big")))
    for worker in workers:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(worker, signal.SIGKILL)


def _ready(alive: list[int]) -> list[int]:
    return select.select([0, *alive], [], [], None if alive else 0)[0]


if __name__ == "__main__":
    main(int(sys.argv[1]))
