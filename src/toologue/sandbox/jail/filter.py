"""What keeps a program's process from everything: limits of the kernel, no rights, and a filter of system calls.

After `enclose` and `seal` the process has one file descriptor, `DOOR`, which it may read and write; beyond that it may
take and return memory that is not executable, and end. Every other system call fails with EPERM, those of another
architecture end the process. Raises OSError where the kernel refuses any part of it.

The filter is classic BPF, made here: a list of instructions (code, jump if true, jump if false, constant) over the
number of the system call, its architecture, and the low half of an argument.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct
from collections.abc import Iterator, Mapping

# The file descriptor of the socket to the host.
DOOR = 3
_NOBODY = 65534

_AT_DOOR = ("read", "write")
_NOT_EXECUTABLE = ("mmap", "mprotect")
_FREE = ("munmap", "mremap", "madvise", "brk", "futex", "clock_gettime", "rt_sigreturn", "exit", "exit_group")
_MACHINES: Mapping[str, tuple[int, Mapping[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {"read": 0, "write": 1, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigreturn": 15, "mremap": 25,
         "madvise": 28, "exit": 60, "futex": 202, "clock_gettime": 228, "exit_group": 231},
    ),
    "aarch64": (
        0xC00000B7,
        {"read": 63, "write": 64, "exit": 93, "exit_group": 94, "futex": 98, "clock_gettime": 113, "rt_sigreturn": 139,
         "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226, "madvise": 233},
    ),
}  # fmt: skip

_LOAD, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_NUMBER, _ARCHITECTURE, _ARGUMENT, _WIDTH = 0, 4, 16, 8
_EXECUTABLE = 4
_OTHER_INTERFACE = 0x40000000  # x32: the same numbers, another meaning


def program(machine: str) -> bytes:
    """The filter for a machine. Raises OSError for one whose numbers are not known here."""
    if machine not in _MACHINES:
        raise OSError(f"no filter of system calls is known for {machine}")
    architecture, numbers = _MACHINES[machine]
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _OTHER_INTERFACE),
        (_RETURN, 0, 0, _KILL),
        *(step for name in _FREE for step in ((_EQUAL, 0, 1, numbers[name]), (_RETURN, 0, 0, _ALLOW))),
        *(step for name in _AT_DOOR for step in _only(numbers[name], 0, _EQUAL, DOOR, met=True)),
        *(step for name in _NOT_EXECUTABLE for step in _only(numbers[name], 2, _BITS, _EXECUTABLE, met=False)),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _only(number: int, argument: int, test: int, constant: int, *, met: bool) -> Iterator[tuple[int, int, int, int]]:
    """Allow a system call where an argument passes a test, refuse it otherwise."""
    yield _EQUAL, 0, 4, number
    yield _LOAD, 0, 0, _ARGUMENT + _WIDTH * argument
    yield test, 0 if met else 1, 1 if met else 0, constant
    yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _REFUSE


def enclose(door: int) -> None:
    """Keep one descriptor, the socket `door`, which becomes `DOOR`; end with the process that forked this one."""
    if door != DOOR:
        os.dup2(door, DOOR)
    os.closerange(0, DOOR)
    os.closerange(DOOR + 1, 256)
    _control(_DEATH, signal.SIGKILL)


def seal(memory: int, seconds: int) -> None:
    """Give up everything but `DOOR`. There is no way back."""
    _limit(memory, seconds)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    _filter(program(platform.machine()))


def _limit(memory: int, seconds: int) -> None:
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_NOFILE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


_DEATH, _DUMPABLE, _NO_NEW_RIGHTS, _FILTERED, _BY_PROGRAM = 1, 4, 38, 22, 2


def _filter(steps: bytes) -> None:
    held = ctypes.create_string_buffer(steps, len(steps))
    filtered = _Filter(len(steps) // 8, ctypes.cast(held, ctypes.c_void_p))
    _control(_DEATH, signal.SIGKILL)  # again: another user's process forgets it
    _control(_DUMPABLE, 0)
    _control(_NO_NEW_RIGHTS, 1)
    _control(_FILTERED, _BY_PROGRAM, ctypes.byref(filtered))


_LIBC = ctypes.CDLL(None, use_errno=True)


def _control(option: int, *given: object) -> None:
    rest = [one if not isinstance(one, int) else ctypes.c_ulong(one) for one in (*given, 0, 0, 0, 0)][:4]
    if _LIBC.prctl(option, *rest) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl {option}: {os.strerror(number)}")
