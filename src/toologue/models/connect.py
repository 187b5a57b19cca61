"""A provider's model as pydantic-ai knows it: its client sends each request once, over `transport`. Loads slowly."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from operator import attrgetter
from typing import Any, cast

import httpx2
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider_class

from toologue.errors import BadSetting
from toologue.models.transport import LegacyLine, Line

# What of SDKs sends conversations.
_SENDERS = ("chat.completions", "responses", "beta.messages")


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
