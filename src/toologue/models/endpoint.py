"""Embeddings of any server that speaks OpenAI's `/v1/embeddings`: the embedder `endpoint:MODEL`.

The base URL is TOOLOGUE_BASE_URL, else OPENAI_BASE_URL. The key is OPENAI_API_KEY: it is sent there and goes nowhere
else, is never logged nor shown in an error, and redirects are errors. At most 64 texts are asked for at once. What may
pass (408, 429, 5xx, a lost connection, a time-out) is tried again up to three times, after Retry-After, else 0.5, 1,
2 seconds. Every answer is checked: one vector of finite numbers a text, all of one width.
"""

from __future__ import annotations

import http.client
import json
import logging
import math
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from email.utils import parsedate_to_datetime
from threading import Thread
from typing import TYPE_CHECKING, Any, NoReturn

from toologue import keys, limits
from toologue.errors import BadSetting, shown
from toologue.models.providers import checked_key, checked_url, named_url
from toologue.models.secret import Secret
from toologue.parallel import chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger("toologue")
_BATCH, _TRIES, _LONGEST_WAIT = 64, 4, 60.0
_EXCERPT = 1 << 16  # bytes of what is no answer: far more than is shown, so that a key at their end is not cut in two
_MAY_PASS = {408, 409, 425, 429, 500, 502, 503, 504}


class Endpoint:
    """An embedding model behind a URL. `sleep` waits between tries, `timeout` limits each (seconds)."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        key: str = "",
        timeout: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ):
        self._url, self._key = checked_url(base_url, "the embedding server"), Secret(checked_key(key))
        self.model, self._timeout, self._sleep = model, timeout, sleep
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

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        for number in range(_TRIES):
            try:
                return self._vectors(self._answer(texts), len(texts))
            except _MayPassError as passing:
                trouble, wait = passing.args
            pause = 0.5 * 2.0**number if wait is None else wait
            if number == _TRIES - 1:
                self._fail(f"{trouble}, {_TRIES} times in a row", "is the server up? Run again: it may recover")
            if pause > _LONGEST_WAIT:
                self._fail(f"{trouble} and asks to wait {pause:.0f} s", "run again later")
            _LOG.warning("%s: %s; trying again in %.1f s", self.name, trouble, pause)
            self._sleep(pause)
        raise AssertionError

    def _answer(self, texts: Sequence[str]) -> bytes:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        body = json.dumps({"model": self.model, "input": clean, "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key.value:
            headers["Authorization"] = f"Bearer {self._key.value}"
        request = urllib.request.Request(f"{self._url}/embeddings", body, headers, method="POST")
        end = time.monotonic() + self._timeout
        done: Future[bytes] = Future()
        Thread(target=_fetch, args=(request, self._timeout, end, done), daemon=True).start()
        try:
            return done.result(self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                trouble = f"it answered {error.code}{self._quoted(error, end)}"
            if error.code not in _MAY_PASS:
                self._fail(trouble, _remedy(error.code))
            raise _MayPassError(trouble, _retry_after(error.headers.get("Retry-After"))) from None
        except (OSError, http.client.HTTPException, EOFError) as error:
            reason = getattr(error, "reason", None) or error
            late = isinstance(reason, TimeoutError)
            trouble = f"no answer within {self._timeout:g} s" if late else self._key.struck(f"{reason!r}")
            raise _MayPassError(trouble, None) from None

    def _vectors(self, answer: bytes, count: int) -> list[list[float]]:
        try:
            rows = json.loads(answer)["data"]
            order = [row.get("index", place) for place, row in enumerate(rows)]
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            text = shown(self._key.struck(answer[:_EXCERPT].decode("utf-8", "replace")))
            self._fail(f"its answer is no list of embeddings: {type(error).__name__}: {text}", _NOT_ONE)
        if sorted(order, key=str) != sorted(range(count), key=str):
            self._fail(f"it gave {len(rows)} vectors for {count} texts", _NOT_ONE)
        widths = {len(vector) for vector in vectors} | ({self._width} if self._width is not None else set[int]())
        if len(widths) > 1 or 0 in widths:
            self._fail(f"its vectors have the lengths {sorted(widths)}", _NOT_ONE)
        if not all(math.isfinite(number) for vector in vectors for number in vector):
            self._fail("its vectors hold NaN or infinity", _NOT_ONE)
        self._width = widths.pop()
        return [vector for _, vector in sorted(zip(order, vectors, strict=True))]

    def _quoted(self, response: Any, end: float) -> str:
        try:
            text = _read(response, end, _EXCERPT).decode("utf-8", "replace").strip()
        except (OSError, http.client.HTTPException, EOFError):
            return ""
        return f": {shown(self._key.struck(text), 200)}" if text else ""

    def _fail(self, what: str, remedy: str) -> NoReturn:
        raise BadSetting(f"the embedding server {self._url} ({self.model}): {what}: {remedy}") from None


_NOT_ONE = "is this the URL of an OpenAI-compatible server, and the model one for embeddings?"


class _MayPassError(Exception):
    """(what happened, how long the server wants to be left alone)."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to wherever it points: it stays the error that it is."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """Never."""


_OPENER = urllib.request.build_opener(_NoRedirect)


def endpoint(argument: str) -> Endpoint:
    """The factory that is registered: a model's name; URL and key from the environment."""
    if not argument:
        raise BadSetting("the embedder 'endpoint' needs a model: endpoint:MODEL")
    if not (base_url := named_url()):
        raise BadSetting(
            f"endpoint:{argument} needs a server: set TOOLOGUE_BASE_URL, for example http://localhost:8000/v1"
        )
    return Endpoint(argument, base_url=base_url, key=os.environ.get("OPENAI_API_KEY", ""))


def _fetch(request: urllib.request.Request, timeout: float, end: float, done: Future[bytes]) -> None:
    """In a thread: what the standard library limits is each byte's time, not that of all of them."""
    try:
        with _OPENER.open(request, timeout=timeout) as response:
            done.set_result(_read(response, end))
    except BaseException as error:  # noqa: BLE001 - it is handed to whoever asked
        done.set_exception(error)


def _read(response: Any, end: float, most: int = limits.DOCUMENT) -> bytes:
    """The body, within its time even where it comes byte by byte."""
    body = bytearray()
    while len(body) < most and (part := response.read1(min(65536, most - len(body)))):
        body += part
        if time.monotonic() > end:
            raise TimeoutError
    return bytes(body)


def _remedy(status: int) -> str:
    if status in (401, 403):
        return "is OPENAI_API_KEY the key of this server?"
    if 300 <= status < 400:
        return "redirects are not followed, for the key's sake: give the URL where it leads"
    return "check the base URL, which usually ends in /v1, and the model's name"


def _retry_after(said: str | None) -> float | None:
    """Seconds; None where the server does not say, or not in words one can read."""
    said = (said or "").strip()
    try:
        seconds = float(said) if said[:1].isdigit() else parsedate_to_datetime(said).timestamp() - time.time()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
