"""One request to an OpenAI-compatible endpoint, through pydantic-ai's direct model request. Loads slowly.

`ask` sends one request and gives a `Reply`, or raises a `ModelFault` that says in one word what came back. What comes
back is hostile: texts are made printable as Unicode, and the key is struck out however the endpoint echoes it.
Arguments in the history that are no JSON object go out as `{"INVALID_JSON": ...}`, since many endpoints refuse others.

Connections are kept open as long as their event loop runs, and closed when it ends.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import httpx2
from openai import AsyncOpenAI
from pydantic_ai import ModelRequest, ModelResponse, ModelSettings, ToolDefinition
from pydantic_ai import exceptions as wrong
from pydantic_ai import messages as said
from pydantic_ai.direct import model_request
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from toologue import limits
from toologue.formats.openai import Message, call_of
from toologue.models.model import Asked, FaultType, Finish, ModelFault, Reply
from toologue.models.secret import Secret
from toologue.schema import Usage

_EXCERPT = 300
_FINISHES: dict[str | None, Finish] = {
    "stop": "stop", "length": "length", "tool_call": "tool_calls", "content_filter": "content_filter",
}  # fmt: skip
_STATUSES: dict[int, FaultType] = {
    401: "unauthorized", 403: "unauthorized", 404: "not_found", 408: "timeout", 429: "rate_limited",
}  # fmt: skip


@dataclass
class _Answer:
    status: int | None = None
    body: bytes = b""


_answer: ContextVar[_Answer] = ContextVar("_answer")


@cache
def _trust() -> ssl.SSLContext:
    """Whom to trust: made once, since it costs 65 ms."""
    return httpx2.create_ssl_context()


async def _keep(response: httpx2.Response) -> None:
    answer = _answer.get()
    answer.status, answer.body = response.status_code, b""
    answer.body = await response.aread()


class _Capped(httpx2.AsyncHTTPTransport):
    """A connection on which nothing comes compressed, and no more than is read of anything."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        response.headers.pop("Content-Encoding", None)  # who compresses all the same has sent no chat completion
        response.stream = _Cut(cast("httpx2.AsyncByteStream", response.stream))
        return response


class _Cut(httpx2.AsyncByteStream):
    def __init__(self, whole: httpx2.AsyncByteStream):
        self._whole = whole

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = limits.DOCUMENT
        async for part in self._whole:
            yield part[:left]
            if (left := left - len(part)) <= 0:
                return

    async def aclose(self) -> None:
        await self._whole.aclose()


class Wire:
    """One endpoint. `settings` are temperature, max_tokens and timeout; None: not sent."""

    def __init__(self, name: str, base_url: str, key: Secret, settings: Mapping[str, Any]):
        self._name, self._base_url, self._key = name, base_url, key
        self._timeout: float = settings["timeout"]
        self._settings = {name: value for name, value in settings.items() if name != "timeout" and value is not None}
        self._open: dict[asyncio.AbstractEventLoop, tuple[AsyncGenerator[OpenAIChatModel], OpenAIChatModel]] = {}

    async def ask(self, asked: Asked) -> Reply:
        """Send one request. Raises ModelFault."""
        endpoint, answer = await self._endpoint(), _Answer()
        settings = {**self._settings, "timeout": self._timeout, "request_timeout": self._timeout}
        if asked.seed is not None:
            settings["seed"] = asked.seed
        _answer.set(answer)
        try:
            response = await model_request(
                endpoint,
                list(_history(asked.messages)),
                model_settings=cast("ModelSettings", settings),
                model_request_parameters=_parameters(asked),
            )
            return self._reply(response)
        except (RuntimeError, LookupError, AttributeError, TypeError, ValueError) as error:
            if answer.status is None and not isinstance(error, wrong.ModelAPIError):
                raise  # nothing came back: this is about us
            raise self._fault(error, answer) from None

    async def _endpoint(self) -> OpenAIChatModel:
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            lifetime = self._lifetime(loop)
            self._open[loop] = lifetime, await anext(lifetime)
        return self._open[loop][1]

    async def _lifetime(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[OpenAIChatModel]:
        """The endpoint while a loop runs. A loop that ends closes its open generators, and so the connections."""
        http = httpx2.AsyncClient(
            timeout=self._timeout,
            transport=_Capped(
                verify=_trust(), limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
            ),
            event_hooks={"response": [_keep]},
        )
        client = AsyncOpenAI(base_url=self._base_url, api_key=self._key.value, http_client=http, max_retries=0)
        official = httpx2.URL(self._base_url).host == "api.openai.com"
        profile = OpenAIModelProfile(
            json_schema_transformer=None,  # tools go out as they are documented
            supports_json_schema_output=True,
            openai_supports_reasoning=False,  # nothing that was asked for is dropped silently
            openai_chat_supports_max_completion_tokens=official,
        )
        provider = OpenAICompatibleProvider("endpoint", openai_client=client, profile=profile)
        try:
            yield OpenAIChatModel(self._name, provider=provider)
        finally:
            self._open.pop(loop, None)
            await client.close()

    def _reply(self, response: ModelResponse) -> Reply:
        texts = [part.content for part in response.parts if isinstance(part, said.TextPart)]
        refusal = (response.provider_details or {}).get("refusal")
        thoughts = [part.content for part in response.parts if isinstance(part, said.ThinkingPart) and part.content]
        calls = [part for part in response.parts if isinstance(part, said.ToolCallPart)]
        tokens = response.usage
        counted = tokens.input_tokens or tokens.output_tokens
        return Reply(
            text=self._clean("".join(texts)) if texts else self._clean(refusal) if refusal else None,
            calls=tuple(call_of(self._clean(c.tool_name), self._clean(cast("str", c.args) or "")) for c in calls),
            usage=Usage(
                input_tokens=tokens.input_tokens,
                output_tokens=tokens.output_tokens,
                cached_tokens=tokens.cache_read_tokens,
            )
            if counted
            else None,
            finish=_FINISHES.get(response.finish_reason, "other"),
            thought=self._clean("\n\n".join(thoughts)) if thoughts else None,
            model=self._clean(response.model_name or ""),
        )

    def _fault(self, error: Exception, answer: _Answer) -> ModelFault:
        if isinstance(error, wrong.ModelRequestTimeout | wrong.ModelTimeoutError):
            return ModelFault("timeout", f"did not answer within {self._timeout:g} s", status=answer.status)
        if isinstance(error, wrong.ModelConnectionError):
            what = "cannot be connected to" if error.phase == "connect" else "broke the connection"
            sent, said_ = error.phase != "connect", f"{what}: {self._clean(_cause(error))}"
            return ModelFault("connection", said_, status=answer.status, sent=sent)
        if isinstance(error, wrong.ModelHTTPError):
            kind, what = _kind(error), "refused the request"
        else:
            kind, what = "bad_response", "sent no chat completion"
        after = getattr(error, "retry_after", None)
        return ModelFault(kind, what, status=answer.status, excerpt=self._excerpt(answer.body), retry_after=after)

    def _excerpt(self, body: bytes) -> str:
        """The start of a body on one line, without what could harm a terminal."""
        words = " ".join(self._clean(body.decode(errors="replace")).split())
        text = "".join(char if char.isprintable() else "�" for char in words)
        return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"

    def _clean(self, text: str) -> str:
        """A text that a file can hold, without the key."""
        return self._key.struck(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _kind(error: wrong.ModelHTTPError) -> FaultType:
    if isinstance(error, wrong.ModelQuotaExceededError):
        return "quota_exceeded"
    if isinstance(error, wrong.ModelContextWindowExceededError):
        return "too_long"
    return "server_error" if error.status_code >= 500 else _STATUSES.get(error.status_code, "bad_request")


def _cause(error: BaseException) -> str:
    """The first thing that went wrong: `ReadError` says more than "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _parameters(asked: Asked) -> ModelRequestParameters:
    functions = (cast("Mapping[str, Any]", tool["function"]) for tool in asked.tools)
    tools = [
        ToolDefinition(
            name=one["name"], description=one.get("description"), parameters_json_schema=one["parameters"], strict=False
        )
        for one in functions
    ]
    if asked.output is None:
        return ModelRequestParameters(function_tools=tools)
    output = OutputObjectDefinition(json_schema=dict(asked.output), name="answer")
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=output)


def _history(messages: Sequence[Message]) -> Iterator[said.ModelMessage]:
    names: dict[str, str] = {}
    for message in messages:
        role, text = message["role"], _text(message.get("content"))
        if role in ("system", "developer"):
            yield ModelRequest(parts=[said.SystemPromptPart(content=text or "")])
        elif role == "user":
            yield ModelRequest(parts=[said.UserPromptPart(content=text or "")])
        elif role == "tool":
            id = message["tool_call_id"]
            yield ModelRequest(parts=[said.ToolReturnPart(names.get(id, ""), text or "", tool_call_id=id)])
        else:
            made = ((one["id"], one["function"]) for one in message.get("tool_calls") or ())
            parts = [said.ToolCallPart(one["name"], one["arguments"], tool_call_id=id) for id, one in made]
            names.update((part.tool_call_id, part.tool_name) for part in parts)
            yield ModelResponse(parts=[*([said.TextPart(text)] if text is not None else []), *parts])


def _text(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content
    return "".join(cast("str", part["text"]) for part in content)
