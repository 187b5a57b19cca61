"""A request to a language model: what ours costs in CPU, 64 at once, beside a plain client that posts the same bytes.

A server in another process answers each provider in its own format, at once; only this process's time is counted. The
requests hold a conversation of twelve messages and ten tools. Requests a second are printed, and move with the machine.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from bench.figure import Figure
from toologue.formats.openai import tools
from toologue.models.client import RemoteModel, Setup
from toologue.models.model import requests_allowed
from toologue.worlds.assistant import apis

AIM = 5.0  # milliseconds a request
COUNT, AT_ONCE, REPEAT = 640, 64, 3
ASKED: list[dict[str, Any]] = [
    {"role": "system", "content": "You are helpful. " * 40},
    *[
        {"role": "user", "content": "Where is my parcel? " * 5},
        {"role": "assistant", "content": "Let me look. " * 5},
    ]
    * 5,
    {"role": "user", "content": "Hi"},
]
TOOLS = tools(apis())[:10]
# provider: (its package, a name, its path, its answer)
PROVIDERS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "openai": ("openai", "gpt-x", "/v1/chat/completions", {
        "id": "c", "object": "chat.completion", "created": 1736000000, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }),
    "openai-responses": ("openai", "gpt-4.1", "/v1/responses", {
        "id": "r", "object": "response", "created_at": 1736000000, "model": "m", "status": "completed",
        "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": "Hello.", "annotations": []}]}],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12,
                  "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}},
    }),
    "anthropic": ("anthropic", "claude-haiku-4-5", "/v1/messages", {
        "id": "m", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }),
    "google": ("google.genai", "gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent", {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12},
        "modelVersion": "m",
    }),
}  # fmt: skip
SERVER = """
import asyncio, json, sys
body = json.dumps(json.loads(sys.argv[1])).encode()
answer = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body

class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.came = transport, b""

    def data_received(self, data):
        self.came += data
        while (end := self.came.find(b"\\r\\n\\r\\n") + 4) > 3:
            head = self.came[:end].lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\\r\\n")[0])
            if len(self.came) < end + length:
                return
            self.came = self.came[end + length:]
            self.transport.write(answer)

async def serve():
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(serve())
"""


def figures() -> list[Figure]:
    """CPU milliseconds a request, of each provider whose package is installed."""
    with requests_allowed():
        return [_figure(provider) for provider, (package, *_) in PROVIDERS.items() if _installed(package)]


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


@contextmanager
def _serving(answer: dict[str, Any]) -> Generator[str]:
    with subprocess.Popen([sys.executable, "-c", SERVER, json.dumps(answer)], stdout=subprocess.PIPE) as server:
        assert server.stdout
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def _figure(provider: str) -> Figure:
    _, name, path, answer = PROVIDERS[provider]
    with _serving(answer) as url:
        base_url = f"{url}/v1" if provider.startswith("openai") else url
        asked = RemoteModel(name, Setup(base_url=base_url, max_tokens=100), provider=provider)
        sides = asyncio.run(_sides(asked, url + path))
    (ours, speed), (plain, plain_speed) = sides
    note = f"{AT_ONCE} at once: {speed:.0f} requests a second, the plain client {plain_speed:.0f}"
    return Figure(f"a request, {provider}", ours, plain, "ms", AIM, note)


async def _sides(asked: RemoteModel, address: str) -> list[tuple[float, float]]:
    """(CPU milliseconds a request, requests a second) of ours and of httpx2: the best of several, taken in turns."""
    import httpx2

    body = {"model": "m", "messages": ASKED, "tools": TOOLS}
    async with httpx2.AsyncClient() as client:

        async def plain() -> None:
            json.loads((await client.post(address, json=body)).content)

        async def ours() -> None:
            assert (await asked.reply(ASKED, tools=TOOLS)).text == "Hello."

        best = [(float("inf"), 0.0)] * 2
        for turn in range(REPEAT + 1):
            for side, request in enumerate((ours, plain)):
                cpu, speed = await _many(request, COUNT if turn else AT_ONCE)
                if turn:
                    best[side] = min(best[side][0], cpu), max(best[side][1], speed)
        return best


async def _many(request: Callable[[], Awaitable[None]], count: int) -> tuple[float, float]:
    numbers = iter(range(count))

    async def some() -> None:
        for _ in numbers:
            await request()

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    return (time.process_time() - cpu) * 1e3 / count, count / (time.perf_counter() - wall)
