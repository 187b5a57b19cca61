"""HTTP to providers, under whichever client theirs are: what came is kept, capped, and nothing is unpacked.

Connections are kept open as long as their event loop runs, and closed when it ends. `ANSWER` is what came last in a
task: an answer is read whole before anybody makes sense of it, so that one that breaks off is a lost connection,
however it is streamed.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, cast

import httpx2

from toologue import limits


@dataclass
class Answer:
    """The status and the body of an answer; None where there is none."""

    status: int | None = None
    body: bytes = b""


ANSWER: ContextVar[Answer] = ContextVar("ANSWER")


@cache
def _trust() -> ssl.SSLContext:
    """Whom to trust: made once, since it costs 65 ms."""
    return httpx2.create_ssl_context()


class Line(httpx2.AsyncBaseTransport):
    """Connections of whichever event loop runs. Nothing comes compressed, and no more is read than of any document."""

    def __init__(self):
        self._open: dict[asyncio.AbstractEventLoop, tuple[AsyncGenerator[Any], httpx2.AsyncHTTPTransport]] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, read whole."""
        request.headers["Accept-Encoding"] = "identity"
        answer, body = ANSWER.get(), bytearray()
        answer.status, answer.body = None, b""
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            lifetime = self._lifetime(loop)
            self._open[loop] = lifetime, await anext(lifetime)
        response = await self._open[loop][1].handle_async_request(request)
        answer.status = response.status_code
        try:
            async for part in cast("httpx2.AsyncByteStream", response.stream):
                body += part[: limits.DOCUMENT - len(body)]
                if len(body) == limits.DOCUMENT:
                    break
        finally:
            answer.body = bytes(body)
            await response.aclose()
        response.headers.pop("Content-Encoding", None)  # who compresses all the same has sent no answer
        return httpx2.Response(response.status_code, headers=response.headers, content=answer.body, request=request)

    async def _lifetime(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[httpx2.AsyncHTTPTransport]:
        """The connections while a loop runs. A loop that ends closes its open generators, and so the connections."""
        bounds = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
        connections = httpx2.AsyncHTTPTransport(verify=_trust(), limits=bounds)
        try:
            yield connections
        finally:
            self._open.pop(loop, None)
            await connections.aclose()


class LegacyLine:
    """The same for what still speaks httpx (groq)."""

    def __init__(self, line: Line):
        self._line = line

    async def handle_async_request(self, request: Any) -> Any:
        """The answer, read whole."""
        sent = httpx2.Request(
            request.method,
            str(request.url),
            headers=request.headers.raw,
            content=await request.aread(),
            extensions=request.extensions,
        )
        came = await self._line.handle_async_request(sent)
        made: Any = import_module("httpx").Response
        return made(came.status_code, headers=came.headers.raw, content=came.content, request=request)

    async def aclose(self) -> None:
        """Connections close with their loop."""
