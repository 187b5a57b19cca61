"""What all tests share: no network, reproducible properties, and the folder of published data where there is one."""

from __future__ import annotations

import gc
import os
import signal
import socket
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from published_data import ABSENT, shared_path

os.environ["TOOLOGUE_REQUESTS"] = "forbidden"  # no test, and no process that a test starts, asks a language model

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # started in the background: what tests start hears Ctrl-C

settings.register_profile(
    "here", deadline=None, database=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", parent=settings.get_profile("here"), max_examples=2000)  # --hypothesis-profile deep
settings.register_profile("ci", parent=settings.get_profile("here"), derandomize=True, max_examples=25)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))  # "here" and "deep" look for new counterexamples

_LOOPBACK = {"localhost", "::1", ""}


class NetworkForbidden(AssertionError):
    """A test reached for the network."""


def _allowed(family: int, address: Any) -> bool:
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True
    host = str(address[0])
    return host in _LOOPBACK or host.startswith("127.")


def _guarded(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if not _allowed(self.family, address):
            raise NetworkForbidden(f"tests may not touch the network: connect to {address!r}")
        return connect(self, address)

    return guarded


socket.socket.connect = _guarded(socket.socket.connect)  # type: ignore[method-assign]
socket.socket.connect_ex = _guarded(socket.socket.connect_ex)  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def shared() -> Any:
    """`shared("tooltalk", "data")`: that path of the published data; skips, saying why, where it is absent."""
    return shared_path


def pytest_collection_finish() -> None:
    """What was collected stays: no test's garbage is looked for in it, which takes half a second each time."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say loudly what was skipped for want of the published data."""
    skipped = sum(ABSENT in str(report.longrepr) for report in terminalreporter.stats.get("skipped", []))
    if skipped:
        terminalreporter.write_line(f"{skipped} tests SKIPPED: {ABSENT}", yellow=True, bold=True)
