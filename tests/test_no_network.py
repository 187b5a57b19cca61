"""No test touches the network; loopback is allowed."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.com", 443)])
def test_connecting_outside_is_refused(address):
    with socket.socket() as outside, pytest.raises(AssertionError, match="may not touch the network"):
        outside.connect(address)


def test_loopback_is_allowed():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
