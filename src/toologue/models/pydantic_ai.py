"""One request to a provider, through pydantic-ai's direct model request: its client sends it once. Loads slowly.

`ask` sends one request and gives a `Reply`, or raises a `ModelFault` that says in one word what came back, the same
for all formats. What comes back is hostile: texts are made printable as Unicode, and the key is struck out however the
endpoint echoes it. Arguments in the history that are no JSON object go out as `{"INVALID_JSON": ...}`, since many
endpoints refuse others. Where a provider takes no schema for words, a tool that must be called has it; a schema whose
root is no object goes out as the one property of one.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import ssl
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, cast

import httpx2
from pydantic_ai import ModelRequest, ModelResponse, ModelSettings, ToolDefinition
from pydantic_ai import exceptions as wrong
from pydantic_ai import messages as said
from pydantic_ai.direct import model_request
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers import Provider, infer_provider_class

from toologue import limits
from toologue.errors import BadSetting
from toologue.formats.openai import Message, call_of
from toologue.models.model import Asked, FaultType, Finish, ModelFault, Output, Reply
from toologue.models.providers import Secret
from toologue.schema import Usage

_EXCERPT = 300
_ANSWER = "answer"
_FINISHES: dict[str | None, Finish] = {
    "stop": "stop", "length": "length", "tool_call": "tool_calls", "content_filter": "content_filter",
}  # fmt: skip
_KINDS: dict[type[wrong.ModelAPIError], FaultType] = {
    wrong.ModelQuotaExceededError: "quota_exceeded",
    wrong.ModelContextWindowExceededError: "too_long",
    wrong.ModelRateLimitError: "rate_limited",
    wrong.ModelAuthenticationError: "unauthorized",
    wrong.ModelNotFoundError: "not_found",
    wrong.ModelUnavailableError: "server_error",
    wrong.ModelServerError: "server_error",
}
# What of SDKs sends conversations.
_SENDERS = ("chat.completions", "responses", "beta.messages")
ANSWER: ContextVar[Answer] = ContextVar("ANSWER")


class Wire:
    """One model of a provider. `settings` are temperature, max_tokens and timeout; None: not sent.

    `lacks` names the settings that its format has no place for.
    """

    def __init__(self, provider: str, name: str, base_url: str, key: Secret, settings: Mapping[str, Any]):
        self._key, self._timeout = key, cast("float", settings["timeout"])
        self._settings = {name: value for name, value in settings.items() if value is not None}
        self._settings["request_timeout"] = self._timeout
        self._endpoint, self.base_url = connected(provider, name, base_url, key.value, self._timeout)
        self.lacks = self._endpoint.unsupported_settings

    async def ask(self, asked: Asked) -> Reply:
        """Send one request. Raises ModelFault."""
        answer, settings = Answer(), dict(self._settings)
        if asked.seed is not None:
            settings["seed"] = asked.seed
        ANSWER.set(answer)
        try:
            response = await model_request(
                self._endpoint,
                list(_history(asked.messages)),
                model_settings=cast("ModelSettings", settings),
                model_request_parameters=_parameters(asked, self._endpoint),
            )
            return self._reply(response, asked.output)
        except (RuntimeError, LookupError, AttributeError, TypeError, ValueError) as error:
            if answer.status is None and not isinstance(error, wrong.ModelAPIError):
                raise  # nothing came back: this is about us
            raise self._fault(error, answer) from None

    def _reply(self, response: ModelResponse, output: Output) -> Reply:
        if not response.parts and response.finish_reason is None:
            raise ValueError("neither words nor calls, and no reason why")
        texts = [part.content for part in response.parts if isinstance(part, said.TextPart)]
        refusal = (response.provider_details or {}).get("refusal")
        thoughts = [part.content for part in response.parts if isinstance(part, said.ThinkingPart) and part.content]
        made = [(part.tool_name, _arguments(part)) for part in response.parts if isinstance(part, said.ToolCallPart)]
        text = "".join(texts) if texts else refusal
        if output is not None:
            text = next((arguments for name, arguments in made if name == _ANSWER), text)
            text, made = _unwrapped(text, output), [call for call in made if call[0] != _ANSWER]
        tokens, finish = response.usage, _FINISHES.get(response.finish_reason, "other")
        counted = tokens.input_tokens or tokens.output_tokens
        return Reply(
            text=self._clean(text) if text is not None else None,
            calls=tuple(call_of(self._clean(name), self._clean(arguments)) for name, arguments in made),
            usage=Usage(
                input_tokens=tokens.input_tokens,
                output_tokens=tokens.output_tokens,
                cached_tokens=tokens.cache_read_tokens,
            )
            if counted
            else None,
            finish=finish if finish not in ("stop", "tool_calls") else "tool_calls" if made else "stop",
            thought=self._clean("\n\n".join(thoughts)) if thoughts else None,
            model=self._clean(response.model_name or ""),
        )

    def _fault(self, error: Exception, answer: Answer) -> ModelFault:
        if isinstance(error, wrong.ModelRequestTimeout | wrong.ModelTimeoutError):
            return ModelFault("timeout", f"did not answer within {self._timeout:g} s", status=answer.status)
        if isinstance(error, wrong.ModelConnectionError):
            what = "cannot be connected to" if error.phase == "connect" else "broke the connection"
            sent, said_ = error.phase != "connect", f"{what}: {self._clean(_cause(error))}"
            return ModelFault("connection", said_, status=answer.status, sent=sent)
        kind = _kind(error)
        what = "sent no answer that can be read" if kind == "bad_response" else "refused the request"
        status = answer.status if answer.status is not None else getattr(error, "status_code", None)
        after = getattr(error, "retry_after", None)
        return ModelFault(kind, what, status=status, excerpt=self._excerpt(answer.body), retry_after=after)

    def _excerpt(self, body: bytes) -> str:
        """The start of a body on one line, without what could harm a terminal."""
        words = " ".join(self._clean(body.decode(errors="replace")).split())
        text = "".join(char if char.isprintable() else "�" for char in words)
        return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"

    def _clean(self, text: str) -> str:
        """A text that a file can hold, without the key."""
        return self._key.struck(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _kind(error: Exception) -> FaultType:
    for category, kind in _KINDS.items():
        if isinstance(error, category):
            return kind
    if isinstance(error, wrong.ModelHTTPError):
        return "timeout" if error.status_code == 408 else "bad_request"
    return "bad_response"


def _cause(error: BaseException) -> str:
    """The first thing that went wrong: `ReadError` says more than "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _parameters(asked: Asked, endpoint: Model) -> ModelRequestParameters:
    functions = (cast("Mapping[str, Any]", tool["function"]) for tool in asked.tools)
    tools = [
        ToolDefinition(
            name=one["name"], description=one.get("description"), parameters_json_schema=one["parameters"], strict=False
        )
        for one in functions
    ]
    if asked.output is None:
        return ModelRequestParameters(function_tools=tools)
    schema = _wrapped(asked.output)
    if endpoint.profile.get("supports_json_schema_output"):
        output = OutputObjectDefinition(json_schema=schema, name=_ANSWER)
        return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=output)
    tool = ToolDefinition(name=_ANSWER, description="Give the answer.", parameters_json_schema=schema, kind="output")
    return ModelRequestParameters(
        function_tools=tools, output_mode="tool", output_tools=[tool], allow_text_output=False
    )


def _wrapped(output: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with an object at its root: endpoints refuse any other."""
    if output.get("type") == "object":
        return dict(output)
    shared, inner = output.get("$defs"), {name: value for name, value in output.items() if name != "$defs"}
    whole = {"type": "object", "properties": {_ANSWER: inner}, "required": [_ANSWER], "additionalProperties": False}
    return {**whole, "$defs": shared} if shared else whole


def _unwrapped(text: str | None, output: Mapping[str, Any]) -> str | None:
    """What stands in the object; the text as it is where it holds none."""
    try:
        return text if output.get("type") == "object" else json.dumps(json.loads(text or "")[_ANSWER])
    except (ValueError, LookupError, TypeError, RecursionError):
        return text


def _arguments(call: said.ToolCallPart) -> str:
    """The arguments of a call as the model wrote them."""
    return call.args if isinstance(call.args, str) else json.dumps(call.args) if call.args is not None else ""


def _history(messages: Sequence[Message]) -> Iterator[said.ModelMessage]:
    """The conversation; what is told between two replies is one request, as some providers want it."""
    names, told = dict[str, str](), list[said.ModelRequestPart]()
    for message in messages:
        role, text = message["role"], _text(message.get("content"))
        if role in ("system", "developer"):
            told.append(said.SystemPromptPart(content=text or ""))
        elif role == "user":
            told.append(said.UserPromptPart(content=text or ""))
        elif role == "tool":
            id = message["tool_call_id"]
            told.append(said.ToolReturnPart(names.get(id, ""), text or "", tool_call_id=id))
        else:
            if told:
                yield ModelRequest(parts=told)
            made = ((one["id"], one["function"]) for one in message.get("tool_calls") or ())
            parts = [said.ToolCallPart(one["name"], one["arguments"], tool_call_id=id) for id, one in made]
            names.update((part.tool_call_id, part.tool_name) for part in parts)
            yield ModelResponse(parts=[*([said.TextPart(text)] if text is not None else []), *parts])
            told = []
    if told:
        yield ModelRequest(parts=told)


def _text(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content
    return "".join(cast("str", part["text"]) for part in content)


def connected(provider: str, name: str, base_url: str, key: str, timeout: float) -> tuple[Model, str]:
    """A model, and where it is. Raises BadSetting, and ImportError where a package is not there."""
    make = _chat_completions if provider == "openai" else _inferred
    made, address = make(f"{provider}:{name}", base_url, key, timeout)
    client = getattr(made, "client", None)
    if hasattr(client, "max_retries"):
        cast("Any", client).max_retries = 0  # tries would multiply
    for sender in _SENDERS:
        _send_as_made(client, sender)
    return made, address.rstrip("/")


def _chat_completions(spec: str, base_url: str, key: str, timeout: float) -> tuple[Model, str]:
    """`openai:NAME`, with any server: nothing that was asked for is dropped or rewritten because of a name."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if not key:
        raise BadSetting(
            f"{base_url} wants a key: set OPENAI_API_KEY, or TOOLOGUE_BASE_URL for an endpoint of your own"
        )
    http = httpx2.AsyncClient(timeout=timeout, transport=Line())
    profile = OpenAIModelProfile(
        json_schema_transformer=None,  # tools go out as they are documented
        supports_json_schema_output=True,
        openai_supports_reasoning=False,
        openai_chat_supports_max_completion_tokens=httpx2.URL(base_url).host == "api.openai.com",
    )
    client = AsyncOpenAI(base_url=base_url, api_key=key, http_client=http)
    provider = OpenAICompatibleProvider("endpoint", openai_client=client, profile=profile)
    return OpenAIChatModel(spec.partition(":")[2], provider=provider), base_url


def _inferred(spec: str, base_url: str, key: str, timeout: float) -> tuple[Model, str]:
    """A model of any provider that pydantic-ai knows, and where it is."""
    made = list[Provider[Any]]()

    def provider(name: str) -> Provider[Any]:
        kind = infer_provider_class(name)
        takes = {name: str(one.annotation) for name, one in inspect.signature(kind.__init__).parameters.items()}
        given = dict[str, Any]({"api_key": key} if key and "api_key" in takes else {})
        if base_url:
            address = next((one for one in ("base_url", "api_base", "azure_endpoint") if one in takes), None)
            if address is None:
                raise BadSetting(f"{name} has one address; ask another with openai:NAME?base_url={base_url}")
            given[address] = base_url
        if "http_client" in takes:
            given["http_client"] = _client(timeout, legacy=takes["http_client"].startswith(("httpx.", "AsyncClient")))
        made.append(kind(**given))
        return made[-1]

    try:
        return infer_model(spec, provider_factory=provider), made[0].base_url
    except (ImportError, BadSetting):
        raise
    except Exception as error:  # noqa: BLE001 - a declared boundary: packages of others
        lacking = re.search(r"`([A-Z][A-Z0-9_]+)`", str(error))
        wants = f"set {lacking[1]}" if lacking else str(error).partition("\n")[0]
        raise BadSetting(f"{spec} cannot be asked: {wants}") from None


def _client(timeout: float, *, legacy: bool) -> Any:
    if legacy:
        return import_module("httpx").AsyncClient(timeout=timeout, transport=LegacyLine(Line()))
    return httpx2.AsyncClient(timeout=httpx2.Timeout(timeout, pool=None), transport=Line())


def _send_as_made(client: Any, resource: str) -> None:
    """Let an SDK send what is large as it is: looking for keys to rename in it costs more than all else together."""
    try:
        thing = attrgetter(resource)(client)
    except AttributeError:
        return
    create = thing.create

    async def direct(*, extra_body: Any = None, **given: Any) -> Any:
        large = {name: given[name] for name in ("messages", "tools", "input") if isinstance(given.get(name), list)}
        return await create(**given | {name: [] for name in large}, extra_body={**(extra_body or {}), **large})

    thing.create = direct


@dataclass
class Answer:
    """The status and the body of an answer; None where there is none."""

    status: int | None = None
    body: bytes = b""


@cache
def _trust() -> ssl.SSLContext:
    """Whom to trust: made once, since it costs 65 ms."""
    return httpx2.create_ssl_context()


class Line(httpx2.AsyncBaseTransport):
    """HTTP under whichever client a provider's is. Nothing comes compressed, and no more is read than of any document.

    Connections are kept open as long as their event loop runs. `ANSWER` is what came last in a task: an answer is read
    whole before anybody makes sense of it, so that one that breaks off is a lost connection, however it is streamed.
    """

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
