"""An endpoint on the loopback: it answers as scripted, in the format of who asks, and keeps what it was asked."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from language_models.wire_formats import translated

NAMED = ("gpt-x", "gpt-x-2025-01-01")
"""What it is asked for, and what it calls itself."""


@dataclass(frozen=True)
class Answer:
    """One HTTP answer, or none: `reset` tears the connection down, `hang` says nothing until the endpoint closes.

    `cut` tears it down in the middle of the body, `ends` stops there as if that were all.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    instead: Literal["reset", "hang", "cut", "ends", None] = None

    @property
    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Request:
    """What the endpoint was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]


Script = Sequence[Answer] | Callable[[Request], Answer]


def says(
    text: str | None, *calls: tuple[str, Any], finish: str = "", usage: tuple[int, int] | None = (10, 2)
) -> Answer:
    """A chat completion: words, and calls as (name, arguments: a text, or what becomes JSON)."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        texts = [given if isinstance(given, str) else json.dumps(given) for _, given in calls]
        message["tool_calls"] = [
            {"id": f"theirs_{n}", "type": "function", "function": {"name": name, "arguments": text}}
            for n, ((name, _), text) in enumerate(zip(calls, texts, strict=True))
        ]
    reason = finish or ("tool_calls" if calls else "stop")
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1736000000,
        "model": NAMED[1],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    if usage is not None:
        sums = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        body["usage"] = sums
    return Answer(body)


def refuses(status: int, message: str = "no", *, code: str | None = None, after: str | None = None) -> Answer:
    """An error as OpenAI writes it; `after` is its Retry-After."""
    headers = {} if after is None else {"Retry-After": after}
    return Answer({"error": {"message": message, "type": "error", "code": code}}, status, headers)


RESET = Answer(instead="reset")
HANG = Answer(instead="hang")


class Endpoint(ThreadingHTTPServer):
    """A running endpoint; `requests` in the order in which they came."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, script: Script):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.requests, self.over = script, list[Request](), threading.Event()
        self.connections = 0
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answer(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests) - 1
        return self.script(request) if callable(self.script) else self.script[min(number, len(self.script) - 1)]

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint  # type: ignore[assignment]
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.answer(Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        if answer.instead in ("reset", "hang"):
            self.close_connection = True
            if answer.instead == "hang":
                self.server.over.wait(30)
            else:
                self._torn()
            return
        status, said, kind = translated(self.path, body, answer.status, answer.body)
        sent = said if isinstance(said, bytes) else json.dumps(said).encode()
        whole, sent = len(sent), sent[: len(sent) // 2] if answer.instead in ("cut", "ends") else sent
        self.send_response(status)
        for name, value in {"Content-Type": kind, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(whole if answer.instead == "cut" else len(sent)))
        self.end_headers()
        self.wfile.write(sent)
        if answer.instead == "cut":
            self.wfile.flush()
            self._torn()

    def _torn(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def serving(script: Script) -> Generator[Endpoint]:
    """An endpoint for the time of a `with` block."""
    with Endpoint(script) as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.over.set()
            endpoint.shutdown()
            thread.join()
