"""Credentials in documents: which parameters are keys to a service, and documents without the keys that stand in them.

>>> is_credential("X-RapidAPI-Key"), is_credential("keyword")
(True, False)
>>> without_secrets({"type": "string", "default": "abc"}, "api_key")
{'type': 'string'}
>>> without_secrets({"type": "string", "examples": ["ghp_0123456789abcdefghijKLMNOPQRSTUVWXYZ"]}, "q")
{'type': 'string', 'examples': []}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from toologue.schema import Api
from toologue.text.tokens import spell

_CREDENTIAL = re.compile(
    r"(?:api|app|auth|access|subscription)_?(?:key|token)|rapidapi|"
    r"(?:^|_)(?:secret|authorization|auth|password|signature|credentials?|apikey|appid)$|^key$|^token$"
)
# Keys that say by how they begin that they are some.
_TOKEN = re.compile(
    r"\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|[srp]k[-_](?:live_|test_|proj-)?[\w-]{16,}|"
    r"xox[abprs]-[\w-]{10,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|hf_\w{20,}|npm_\w{20,}|"
    r"SG\.[\w-]{16,}\.[\w-]{16,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|[0-9a-f]{10}msh[0-9a-f]{15}p\w{6}jsn\w{12})"
)
_SHOWN = ("default", "example", "examples", "const")


def is_credential(name: str) -> bool:
    """Whether a parameter of this name is a key to the service, and not about what is asked."""
    return _CREDENTIAL.search("_".join(spell(name))) is not None


def without_tokens(text: str) -> str:
    """A text without the keys that stand in it."""
    return _TOKEN.sub("…", text)


def without_secrets(schema: Any, name: str = "") -> Any:
    """A JSON Schema of a parameter, or of a result, without the keys that it shows as defaults and as examples."""
    if isinstance(schema, str):
        return without_tokens(schema)
    if isinstance(schema, list):
        return [one for one in map(without_secrets, cast("list[Any]", schema)) if one != "…"]
    if not isinstance(schema, dict):
        return schema
    hidden, found = is_credential(name), dict[str, Any]()
    for key, inner in cast("dict[str, Any]", schema).items():
        if key == "properties" and isinstance(inner, dict):
            named = cast("Mapping[str, Any]", inner)
            found[key] = {one: without_secrets(rule, one) for one, rule in named.items()}
        elif not (key in _SHOWN and (hidden or (isinstance(inner, str) and _TOKEN.fullmatch(inner)))):
            found[key] = without_secrets(inner)
    return found


def without_keys(api: Api) -> Api:
    """An Api without the keys that stand in its documents."""
    parameters = {
        name: one.model_copy(update={"json_schema": without_secrets(one.json_schema, name)})
        for name, one in api.parameters.items()
    }
    told = without_tokens(api.description)
    return api.replace(parameters=parameters, returns=without_secrets(api.returns), description=told)
