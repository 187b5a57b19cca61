"""A stand-in for a real S3: moto behind HTTP on 127.0.0.1, on a port of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from threading import Thread
from typing import Any

from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from moto.core.botocore_stubber import BotocoreStubber
from moto.s3.models import s3_backends


class _Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True
    stubber = BotocoreStubber()

    def answer(self) -> None:
        headers = HTTPHeaders()
        for name, value in self.headers.items():
            headers[name] = value
        headers.replace_header("Host", "s3.amazonaws.com")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = AWSPreparedRequest(self.command, f"https://s3.amazonaws.com{self.path}", headers, body, False)
        status, told, content = self.stubber.process_request(request) or (404, {}, b"")
        data = content.encode() if isinstance(content, str) else content
        self.send_response_only(int(status))
        for name, value in told.items():
            if name.lower() not in ("content-length", "connection"):
                self.send_header(name, str(value))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    """The address of a service that nobody has used before."""
    with _running(_Handler) as address:
        yield address
    s3_backends.reset()


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """The address of something that always answers the same."""

    class Same(_Handler):
        def answer(self) -> None:
            self.send_response_only(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = answer  # noqa: N815

    with _running(Same) as address:
        yield address


class _Server(ThreadingHTTPServer):
    """When it is closed, so are its connections."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]):
        super().__init__(("127.0.0.1", 0), handler)
        self._open: list[Any] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.append(request)
        super().process_request(request, client_address)

    def server_close(self) -> None:
        super().server_close()
        for request in self._open:
            with suppress(OSError):  # it was closed before
                request.shutdown(SHUT_RDWR)


@contextmanager
def _running(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = _Server(handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
