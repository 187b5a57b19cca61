"""Any OpenAI-compatible server: as a language model (`openai:NAME?OPTIONS`), as an embedder (`endpoint:MODEL`).

The base URL is the option `base_url`, else TOOLOGUE_BASE_URL, else OPENAI_BASE_URL; only a language model falls back to
OpenAI's own. The key is OPENAI_API_KEY: it is sent there and goes nowhere else, is never logged nor shown in an error,
and redirects are errors. Options of a language model:

    temperature, max_tokens   passed on; left to the endpoint if not given (max_tokens under a budget: 8192)
    seed                      a number, or `none` to send none; by default the one that the request brings
    timeout                   seconds that one try may take (120)
    tries                     how often a request is sent before it is a fault (4)
    price                     dollars a million tokens, in and out (0.40,1.60), or whose price it is (`models.prices`)

Tried again: 429, 5xx, and connections refused or reset, after Retry-After or 1, 2, 4… seconds, a minute at most. A
time-out, or an answer that is none, is not tried again.

An embedder asks `/v1/embeddings` for at most 64 texts at once. What may pass (408, 429, 5xx, a lost connection, a
time-out) is tried again up to three times, after Retry-After, else 0.5, 1, 2 seconds. Every answer is checked: one
vector of finite numbers a text, all of one width.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import math
import os
import random
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from email.utils import parsedate_to_datetime
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, NoReturn
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import Field, ValidationError

from toologue import keys, limits
from toologue.errors import BadSetting, UnknownName, shown
from toologue.models.budget import MOST_TOKENS, in_force, try_again
from toologue.models.model import Asked, FaultType, Messages, ModelFault, Output, Reply, check_requests_allowed
from toologue.models.prices import price_of
from toologue.models.secret import Secret
from toologue.parallel import chunks
from toologue.schema import Noun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toologue.models.pydantic_ai import Wire


MISSING = 'language models need the extra "llm": pip install "toologue[llm]"'
_OPENAI = "https://api.openai.com/v1"
_LOG = logging.getLogger("toologue")
_BATCH, _TRIES, _LONGEST_WAIT = 64, 4, 60.0
_EXCERPT = 1 << 16  # bytes of what is no answer: far more than is shown, so that a key at their end is not cut in two
_MAY_PASS = {408, 409, 425, 429, 500, 502, 503, 504}
_AGAIN: tuple[FaultType, ...] = ("rate_limited", "server_error", "connection")


class Setup(Noun):
    """How an endpoint is asked. None: the endpoint decides."""

    base_url: str | None = None
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | Literal["asked", "none"] = "asked"
    timeout: float = Field(default=120.0, gt=0)
    tries: int = Field(default=4, ge=1, le=100)
    price: str | None = None
    wait: float = Field(default=1.0, ge=0)
    longest_wait: float = Field(default=60.0, ge=0)


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint. May be shared by conversations, and used in one event loop after
    another.

    `sleep` and `jitter` (a number in [0, 1), by which part of a wait of ours is shortened) are for tests.
    """

    def __init__(
        self,
        name: str,
        setup: Setup = Setup(),  # noqa: B008 - frozen
        *,
        key: str | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = lambda: random.random() / 2,
    ):
        if not name:
            raise BadSetting("which model? Give its name: openai:NAME")
        self.name, self.setup = name, setup
        self.base_url = checked_url(setup.base_url or named_url() or _OPENAI, "a model")
        self._sleep, self._jitter = sleep, jitter
        wire = _wire()  # first: whoever has no extra needs no key yet
        self.price = price_of(name, self.base_url, setup.price)
        self.max_tokens = setup.max_tokens or (MOST_TOKENS if in_force() else None)
        options = {"temperature": setup.temperature, "max_tokens": self.max_tokens, "timeout": setup.timeout}
        self._wire = wire(name, self.base_url, _key(key, self.base_url), options)

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, {self.base_url!r})"

    async def reply(
        self, messages: Messages, *, tools: Messages = (), output: Output = None, seed: int | None = None
    ) -> Reply:
        """Ask the endpoint. Raises ModelFault, and BadSetting where requests are forbidden."""
        check_requests_allowed(f"{self.name!r} at {self.base_url}")
        chosen = self.setup.seed
        seed = seed if chosen == "asked" else None if chosen == "none" else chosen
        asked = Asked(tuple(messages), tuple(tools), output, seed)
        tries = 0
        while True:
            tries += 1
            try:
                return (await self._wire.ask(asked)).replace(tries=tries)
            except ModelFault as fault:
                if fault.type not in _AGAIN or tries == self.setup.tries:
                    fault.args, fault.tries = (f"{self.name!r} at {self.base_url} {fault.args[0]}",), tries
                    raise fault.with_traceback(None) from None  # frames of the request hold what came back
                await try_again(fault)
                ours = self.setup.wait * 2 ** (tries - 1) * (1 - self._jitter())
                wait = min(ours if fault.retry_after is None else fault.retry_after, self.setup.longest_wait)
            await self._sleep(wait)


def openai_model(argument: str) -> OpenAIModel:
    """The model `openai:NAME?OPTIONS`."""
    name, _, options = argument.partition("?")
    return OpenAIModel(name, setup_of(options))


def setup_of(options: str) -> Setup:
    """The setup that `temperature=0&max_tokens=300` spells."""
    known = sorted(Setup.model_fields.keys() - {"wait", "longest_wait"})
    given = parse_qsl(options, keep_blank_values=True)
    for name, _ in given:
        if name not in known:
            raise UnknownName("option of a model", name, known)
    try:
        return Setup.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = first["loc"][0]
        raise BadSetting(f"the model's option {name}={shown(dict(given)[str(name)])}: {first['msg']}") from None


def _key(given: str | None, base_url: str) -> Secret:
    key = checked_key(given or os.environ.get("OPENAI_API_KEY") or "")
    if not key and urlsplit(base_url).hostname == urlsplit(_OPENAI).hostname:
        remedy = "set OPENAI_API_KEY, or TOOLOGUE_BASE_URL for an endpoint of your own"
        raise BadSetting(f"{base_url} wants a key: {remedy}")
    return Secret(key or "no-key-needed")


def _wire() -> type[Wire]:
    """The heavy half, loaded when the first model is made, so that no conversation's time goes into it."""
    try:
        from toologue.models.pydantic_ai import Wire
    except ImportError as error:
        if (error.name or "").startswith("toologue"):
            raise
        raise BadSetting(f"{MISSING} ({error.name} cannot be imported)") from None
    return Wire


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


def checked_key(key: str) -> str:
    """The key without blanks around it. Raises BadSetting for what cannot be one, unseen."""
    if not ((key := key.strip()).isascii() and key.isprintable()):
        raise BadSetting("OPENAI_API_KEY holds characters that no key has")
    return key


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
