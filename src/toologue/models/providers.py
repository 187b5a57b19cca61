"""Who serves language models: what a provider's key is called and where it is, and what must be installed to ask it.

The names are those of pydantic-ai, but for one: `openai` speaks chat completions, with any server that does.

Not covered: providers that want a login or a browser in place of a key.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from urllib.parse import urlsplit, urlunsplit

from toologue.errors import BadSetting, shown

# Variables with a key, the first that is set counts; of the others it is NAME_API_KEY.
_KEYS = {
    "alibaba": "ALIBABA_API_KEY DASHSCOPE_API_KEY",
    "azure": "AZURE_OPENAI_API_KEY",
    "azure-responses": "AZURE_OPENAI_API_KEY",
    "google": "GOOGLE_API_KEY GEMINI_API_KEY",
    "google-cloud": "GOOGLE_API_KEY GEMINI_API_KEY",
    "heroku": "HEROKU_INFERENCE_KEY",
    "openai-chat": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "snowflake": "SNOWFLAKE_TOKEN",
    "vercel": "VERCEL_AI_GATEWAY_API_KEY VERCEL_OIDC_TOKEN",
}
_EXTRAS = {"anthropic", "google", "groq"}
OPENAI = "https://api.openai.com/v1"
_SHORTEST = 8
# What may stand between two characters of a key: blanks, line ends, escaped ones, and what has no width.
_BREAKS = r"(?:[\s\u200b-\u200d\u2060\ufeff\u00ad]|\\+[nrt])*"


def key_names(provider: str) -> list[str]:
    """The variables that may hold a provider's key."""
    return _KEYS.get(provider, f"{provider.upper().replace('-', '_')}_API_KEY").split()


def key_of(provider: str) -> str:
    """A provider's key; nothing where the environment has none."""
    return next((checked_key(os.environ[name], name) for name in key_names(provider) if os.environ.get(name)), "")


def missing(provider: str) -> str:
    """What to say where the package that asks a provider is not there."""
    family = provider.partition("-")[0]
    extra = family if family in _EXTRAS else "llm"
    return f'models of {provider} need the extra "{extra}": pip install "toologue[{extra}]"'


def named_url() -> str:
    """The base URL that the environment names."""
    return os.environ.get("TOOLOGUE_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or ""


def checked_url(base_url: str, of: str) -> str:
    """The base URL of a server, without a slash at its end. Raises BadSetting, and repeats no secret."""
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        raise BadSetting(f"the base URL of {of} cannot be read: give http(s)://host[:port]/v1") from None
    if "@" in parts.netloc or parts.query:
        raise BadSetting(f"the base URL of {of} holds a user, a password or a query: give the key as OPENAI_API_KEY")
    if not usable:
        raise BadSetting(f"the base URL of {of} is {shown(base_url)}: expected for example http://localhost:8000/v1")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def checked_key(key: str, name: str = "OPENAI_API_KEY") -> str:
    """The key without blanks around it. Raises BadSetting for what cannot be one, unseen."""
    if not ((key := key.strip()).isascii() and key.isprintable()):
        raise BadSetting(f"{name} holds characters that no key has")
    return key


class Secret:
    """A key, of which `value` is sent, and shown nowhere: struck from all that comes back, however it is spelled there.

        >>> key = Secret("sk-0123456789")
        >>> key, key.struck("sk-01234 56789 and \\\\u0073k-0123456789 and sk-01234%35%36789")
        (<secret>, '[key] and [key] and [key]')

    Not covered: encodings of the whole key (base64), and keys of fewer than eight characters.
    """

    def __init__(self, value: str):
        self.value = value

    def __repr__(self) -> str:
        return "<secret>"

    def struck(self, text: str) -> str:
        """The text with `[key]` for the key: as it is, escaped, or broken."""
        return self._spelled.sub("[key]", text) if len(self.value) >= _SHORTEST else text

    @cached_property
    def _spelled(self) -> re.Pattern[str]:
        return re.compile(_BREAKS.join(map(_spellings, self.value)), re.IGNORECASE)


def _spellings(char: str) -> str:
    """A character as it is, as JSON, Python, a URL and HTML escape it."""
    code = f"{ord(char):02x}"
    escaped = rf"\\+(?:u00|x){code}|\\+u\{{0*{code}\}}|%(?:25)*{code}|&\#(?:x0*{code}|0*{ord(char)});"
    return rf"(?:\\*{re.escape(char)}|{escaped})"
