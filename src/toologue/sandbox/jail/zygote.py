"""The process that is forked once a program: it has imported all that programs may, and knows nothing else.

Any message on the control socket asks for a process; the answer is the socket to it, and a descriptor of it. One waits
already; the next is forked while that one works. The first message that the zygote sends says that the kernel keeps
programs in, or why it does not. It ends when the control socket is closed or the host is gone.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
from importlib import import_module
from pathlib import Path

from toologue.sandbox.jail import filter
from toologue.sandbox.jail import run as cell
from toologue.sandbox.messages import MODULES

# Modules that the allowed ones import when they are first used.
_ALSO = ("_strptime", "calendar", "encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.utf_16",
         "linecache", "locale", "unicodedata")  # fmt: skip


def serve(control: int, host: int) -> None:
    """Fork a process for every program, until the host is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries children
    os.environ.clear()  # it was for the interpreter
    for name in (*MODULES, *_ALSO):
        import_module(name)
    with socket.socket(fileno=control) as door:
        try:
            alive = os.pidfd_open(host)
            refusal = _refusal()
        except OSError as error:
            alive, refusal = -1, str(error)
        door.send(refusal.encode() or b"sealed")
        if refusal or os.getppid() != host:
            return
        taken = os.sysconf("SC_PAGE_SIZE") * int(Path("/proc/self/statm").read_text().split()[0])
        gc.collect()
        gc.freeze()
        while True:
            program, handle = _born(taken)  # before anybody asks for it
            ready, _, _ = select.select([door, alive], [], [])
            if alive in ready or not door.recv(64):
                return
            with program:
                socket.send_fds(door, [b"born"], [program.fileno(), handle])
            os.close(handle)


def _born(taken: int) -> tuple[socket.socket, int]:
    """A process that waits for its program: the host's end of the socket to it, and a descriptor of it."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        cell.live(theirs.fileno(), taken)
    theirs.close()
    return ours, os.pidfd_open(child)


def _refusal() -> str:
    """Why the kernel would not keep a program in; empty where it does."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            filter.enclose(writes)
            filter.seal(1 << 40, 10)
            try:
                os.open("/", os.O_RDONLY)
                said = b"a sealed process can open files"
            except PermissionError:
                said = b"sealed"
            os.write(filter.DOOR, said)
        except OSError as error:
            os.write(filter.DOOR, str(error).encode())
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as told:
        said = told.read().decode()
    return "" if said == "sealed" else said or "the sealed process died"
