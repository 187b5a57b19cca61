"""Embeddings of any server that speaks OpenAI's `/v1/embeddings`: the embedder `endpoint:MODEL` (extra `llm`).

The base URL is TOOLOGUE_BASE_URL, else OPENAI_BASE_URL. The key is OPENAI_API_KEY: it is sent there and goes nowhere
else, is never logged nor shown in an error, and redirects are errors. At most 64 texts are asked for at once; what may
pass is tried again three times, as OpenAI's client does it. Every answer is checked: one vector of finite numbers a
text, all of one width.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from toologue import keys
from toologue.errors import BadSetting, shown
from toologue.models.providers import Secret, checked_key, checked_url, missing, named_url
from toologue.parallel import chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH, _TRIES = 64, 4
_NOT_ONE = "is this the URL of an OpenAI-compatible server, and the model one for embeddings?"


class Endpoint:
    """An embedding model behind a URL. `timeout` limits each try (seconds)."""

    def __init__(self, model: str, *, base_url: str, key: str = "", timeout: float = 60.0):
        self._url, self._key = checked_url(base_url, "the embedding server"), Secret(checked_key(key))
        self.model, self._timeout = model, timeout
        self.name = f"endpoint:{model}@{keys.content_key(self._url)[:8]}"
        self._width: int | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, width) rows of length 1, of 0 for the empty text. Raises BadSetting when the server does not deliver."""
        import numpy as np

        distinct = [text for text in dict.fromkeys(texts) if text]
        if texts and not distinct and self._width is None:
            self._ask(["."])  # how wide are its rows?
        found: dict[str, Sequence[float]] = {}
        for batch in chunks(distinct, _BATCH):
            found.update(zip(batch, self._ask(batch), strict=True))
        rows = np.zeros((len(texts), self._width or 0), dtype=np.float64)
        for row, text in zip(rows, texts, strict=True):
            if text:
                row[:] = found[text]
        return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype(np.float32)

    @cached_property
    def _client(self) -> Any:
        try:
            import httpx2
            from openai import OpenAI
        except ImportError:
            raise BadSetting(missing("openai")) from None
        http = httpx2.Client(timeout=self._timeout, follow_redirects=False)
        return OpenAI(base_url=self._url, api_key=self._key.value or "none", max_retries=_TRIES - 1, http_client=http)

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        from openai import APIStatusError, Omit, OpenAIError

        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        headers = {} if self._key.value else {"Authorization": Omit()}
        try:
            answer = self._client.embeddings.with_raw_response.create(
                model=self.model, input=clean, encoding_format="float", extra_headers=headers
            )
            return self._vectors(answer.http_response, len(texts))
        except APIStatusError as error:
            self._fail(f"it answered {error.status_code}: {self._quoted(error.response)}", _remedy(error.status_code))
        except OpenAIError as error:
            self._fail(
                f"no answer in {_TRIES} tries ({type(error).__name__})", "is the server up? Run again: it may recover"
            )

    def _vectors(self, answer: Any, count: int) -> list[list[float]]:
        try:
            rows = answer.json()["data"]
            order = [row.get("index", place) for place, row in enumerate(rows)]
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            self._fail(f"its answer is no list of embeddings: {type(error).__name__}: {self._quoted(answer)}", _NOT_ONE)
        if sorted(order, key=str) != sorted(range(count), key=str):
            self._fail(f"it gave {len(rows)} vectors for {count} texts", _NOT_ONE)
        widths = {len(vector) for vector in vectors} | ({self._width} if self._width is not None else set[int]())
        if len(widths) > 1 or 0 in widths:
            self._fail(f"its vectors have the lengths {sorted(widths)}", _NOT_ONE)
        if not all(math.isfinite(number) for vector in vectors for number in vector):
            self._fail("its vectors hold NaN or infinity", _NOT_ONE)
        self._width = widths.pop()
        return [vector for _, vector in sorted(zip(order, vectors, strict=True))]

    def _quoted(self, answer: Any) -> str:
        return shown(self._key.struck(answer.text), 200)

    def _fail(self, what: str, remedy: str) -> NoReturn:
        raise BadSetting(f"the embedding server {self._url} ({self.model}): {what}: {remedy}") from None


def endpoint(argument: str) -> Endpoint:
    """The factory that is registered: a model's name; URL and key from the environment."""
    if not argument:
        raise BadSetting("the embedder 'endpoint' needs a model: endpoint:MODEL")
    if not (base_url := named_url()):
        raise BadSetting(
            f"endpoint:{argument} needs a server: set TOOLOGUE_BASE_URL, for example http://localhost:8000/v1"
        )
    return Endpoint(argument, base_url=base_url, key=os.environ.get("OPENAI_API_KEY", ""))


def _remedy(status: int) -> str:
    if status in (401, 403):
        return "is OPENAI_API_KEY the key of this server?"
    if 300 <= status < 400:
        return "redirects are not followed, for the key's sake: give the URL where it leads"
    return "check the base URL, which usually ends in /v1, and the model's name"
