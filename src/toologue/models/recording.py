"""What was asked of language models and what came back, kept: in a recording that is replayed and diffed, in a cache.

    --record FILE   what FILE does not know is asked, and added to it, faults too; JSONL, one `Exchange` a line
    --replay FILE   nothing is asked: what FILE does not know stops the command, and the nearest request is shown
    --cache FILE    replies are looked up in FILE first, and kept there; faults are asked again; SQLite

The options hold for all models of a command, in its processes too (TOOLOGUE_RECORD, TOOLOGUE_REPLAY, TOOLOGUE_REPLIES).

Contract: one key for all. It names the model's spec, without what only says where, how patiently, how fast and for how
much it is asked (`base_url`, `timeout`, `tries`, `rpm`, `tpm`, `price`), and what it was asked: messages, tools,
output, seed. A case's seed is made of its dialogue and trial: trials never share a reply. Replaying needs neither key,
network, nor an extra. A line without `request` is replayed as any other; only the nearest difference cannot be shown.

Example:
    >>> import asyncio, tempfile
    >>> from pathlib import Path
    >>> from toologue.models.model import ScriptedModel
    >>> file = Path(tempfile.mkdtemp()) / "exchange.jsonl"
    >>> hello = [{"role": "user", "content": "Hello"}]
    >>> asked = RecordedModel("mine", [Recording(file)], ScriptedModel(["Good morning"]))
    >>> asyncio.run(asked.reply(hello, seed=1)).text
    'Good morning'
    >>> replayed = RecordedModel("mine", [Recording(file, replay=True)])
    >>> asyncio.run(replayed.reply(hello, seed=1)).text
    'Good morning'

Not covered: what embedders are asked; streams.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, cast
from urllib.parse import parse_qsl, urlencode

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadFile, BadSetting, shown
from toologue.models.budget import Bill, check_affordable
from toologue.models.model import Messages, Model, ModelFault, Output, Reply
from toologue.models.spent import Spent, count
from toologue.schema import FaultType, Noun
from toologue.schema.jsonl import Appender, json_path, leaves, line_of, read, write

VARIABLES = {"record": "TOOLOGUE_RECORD", "replay": "TOOLOGUE_REPLAY", "cache": "TOOLOGUE_REPLIES"}
_ELSEWHERE = {"base_url", "timeout", "tries", "rpm", "tpm", "price"}
_NEAR, _AROUND = 20_000, 30


class Failure(Noun):
    """A `ModelFault` as it is kept."""

    type: FaultType
    message: str
    status: int | None = None
    excerpt: str = ""
    tries: int = 1


class Exchange(Noun):
    """One request and what came of it: a reply, or a fault."""

    key: str = ""
    request: dict[str, JsonValue] | None = None
    reply: Reply | None = None
    fault: Failure | None = None

    def result(self) -> Reply:
        """The reply. Raises ModelFault."""
        if self.reply is not None:
            return self.reply
        if self.fault is None:
            raise BadSetting(f"exchange {self.key} has neither a reply nor a fault; remove its line")
        given = self.fault
        raise ModelFault(given.type, given.message, status=given.status, excerpt=given.excerpt, tries=given.tries)


class Shelf(Protocol):
    """Where exchanges are kept."""

    def find(self, key: str, request: Mapping[str, JsonValue]) -> Exchange | None:
        """The exchange of a key, if it need not be asked again."""
        ...

    def keep(self, exchange: Exchange) -> None:
        """Keep an exchange."""
        ...


class Recording:
    """Exchanges in a JSONL file. Where it is only replayed, a request that it does not know raises BadSetting."""

    def __init__(self, file: Path | str, *, replay: bool = False):
        self._file, self._replay, self._lock = Path(file), replay, Lock()
        if not replay:
            Appender(self._file, mend=parent_process() is None).close()
        self._known = {one.key: one for one in read(self._file, Exchange, empty=True)}

    def find(self, key: str, request: Mapping[str, JsonValue]) -> Exchange | None:
        """The exchange of a key; while recording, a fault counts as none. Raises BadSetting where none is replayed."""
        found = self._known.get(key)
        if found is None and self._replay:
            what = f"{self._file} has no reply to a request of {shown(request['model'])}"
            raise BadSetting(f"{what}: {self._near(request)}; record it again")
        return found if self._replay or (found is not None and found.reply is not None) else None

    def keep(self, exchange: Exchange) -> None:
        """Add an exchange to the file, unless it stands there; the last one of a key counts."""
        with self._lock:
            if not self._replay and self._known.get(exchange.key) != exchange:
                self._known[exchange.key] = exchange
                with Appender(self._file, mend=False) as lines:
                    lines.append(line_of(exchange))

    def sort(self) -> None:
        """Write the file anew: each key once, conversations together, so that two recordings can be compared."""
        whole = {one.key: one for one in read(self._file, Exchange, empty=True)}  # other processes wrote, too
        order = {key: (keys.canonical(one.request), key) for key, one in whole.items()}
        write(self._file, (whole[key] for key in sorted(whole, key=order.__getitem__)))

    def _near(self, request: Mapping[str, JsonValue]) -> str:
        from rapidfuzz import fuzz, process

        said = {key: _said(one.request) for key, one in self._known.items() if one.request}
        found = process.extractOne(_said(request), said, scorer=fuzz.ratio)
        if not found:
            return f"of its {len(self._known)} exchanges none keeps what was asked"
        nearest = self._known[found[2]]
        return f"the nearest, {nearest.key}, differs at {_difference(nearest.request or {}, request)}"


class ReplyCache:
    """Replies in an SQLite file, which processes may share. Faults are not kept."""

    def __init__(self, file: Path | str):
        self._file = Path(file)
        with self._rows() as rows:
            rows.execute("PRAGMA journal_mode=WAL")
            rows.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID")

    def find(self, key: str, request: Mapping[str, JsonValue]) -> Exchange | None:
        """The exchange of a key, without its request."""
        with self._rows() as rows:
            row = rows.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return Exchange(key=key, reply=Reply.model_validate_json(row[0])) if row else None

    def keep(self, exchange: Exchange) -> None:
        """Keep a reply."""
        if exchange.reply is not None:
            with self._rows() as rows:
                row = exchange.key, exchange.reply.model_dump_json()
                rows.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", row)

    @contextmanager
    def _rows(self) -> Generator[sqlite3.Connection]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=60, isolation_level=None)) as rows:
                yield rows
        except (sqlite3.Error, OSError) as error:
            raise BadFile(f"{self._file} cannot serve as a cache: {error}; choose another file, or remove it") from None


class RecordedModel:
    """A model whose exchanges are kept on shelves, and whose tokens are counted under a stage of the work.

    Without a model to ask, what is kept is all there is.
    """

    def __init__(self, spec: str, shelves: Sequence[Shelf] = (), asked: Model | None = None, *, stage: str = "model"):
        self.name = asked.name if asked else spec.partition(":")[2].partition("?")[0] or spec
        self._spec, self._shelves, self._asked, self._stage = told_spec(spec), shelves, asked, stage
        self.base_url = str(getattr(asked, "base_url", ""))
        if asked is not None:
            check_affordable(spec, asked)

    async def reply(
        self, messages: Messages, *, tools: Messages = (), output: Output = None, seed: int | None = None
    ) -> Reply:
        """The kept reply, or else the model's. Raises ModelFault, and BadSetting where nothing may be asked."""
        asked: dict[str, Any] = {"messages": [*messages], "tools": [*tools], "output": output, "seed": seed}
        request = cast("dict[str, JsonValue]", {"model": self._spec} | {name: v for name, v in asked.items() if v})
        key = keys.content_key(request)
        found = next((one for shelf in self._shelves if (one := shelf.find(key, request))), None)
        if found is not None:
            count(self._stage, Spent(requests=1, kept=1, faults={found.fault.type: 1} if found.fault else {}))
        else:
            price, most = (getattr(self._asked, name, None) for name in ("price", "max_tokens"))
            found = await self._exchange(Bill(price, len(keys.canonical(request)), most), **asked)
        for shelf in self._shelves:
            shelf.keep(found.replace(key=key, request=request))
        return found.result()

    async def _exchange(self, bill: Bill, messages: Messages, **asked: Any) -> Exchange:
        if self._asked is None:
            raise BadSetting(f"the model {self._spec!r} has no such reply, and there is nobody to ask")
        faults = dict[str, int]()
        try:
            async with bill:
                reply = await self._asked.reply(messages, **asked)
                bill.usage = reply.usage
            return Exchange(reply=reply)
        except ModelFault as fault:
            faults = {fault.type: 1}
            if fault.type == "budget":
                raise
            told = {name: getattr(fault, name) for name in ("type", "status", "excerpt", "tries")}
            return Exchange(fault=Failure(message=fault.args[0], **told))
        finally:
            count(self._stage, Spent.on(bill.usage, faults=faults, known=bill.dollars, unpriced=bill.unknown))


# One of each for all models of a process.
_recording, _reply_cache = cache(Recording), cache(ReplyCache)


def kept(spec: str, make: Callable[[], Model], stage: str) -> Model:
    """The model that `make` makes, kept as the environment says; not made where it is only replayed."""
    record, replay, cached = (os.environ.get(variable, "") for variable in VARIABLES.values())
    if replay and (record or cached):
        raise BadSetting("what is replayed asks nothing: leave out --record and --cache")
    if replay:
        return RecordedModel(spec, [_recording(replay, replay=True)], stage=stage)
    shelves = [*([_recording(record, replay=False)] if record else []), *([_reply_cache(cached)] if cached else [])]
    return RecordedModel(spec, shelves, make(), stage=stage)


@contextmanager
def keeping(**files: Path | None) -> Generator[None]:
    """Keep the exchanges of all models made inside a `with` block: `record`, `replay`, `cache`."""
    before = dict(os.environ)
    os.environ |= {VARIABLES[name]: str(file.resolve()) for name, file in files.items() if file is not None}
    try:
        yield
    finally:
        for variable in VARIABLES.values():
            os.environ.pop(variable, None)
        os.environ |= {name: value for name, value in before.items() if name in VARIABLES.values()}
        _recording.cache_clear()
        _reply_cache.cache_clear()
        if (record := files.get("record")) and record.exists():
            Recording(record, replay=True).sort()


@contextmanager
def keeping_replies(folder: Path, *about: JsonValue) -> Generator[None]:
    """Keep replies in `.toologue` of a folder, for what is asked `about`, unless --replay or --cache say where.

    So the same command, run again after it was killed, asks nothing that was answered.
    """
    elsewhere = any(os.environ.get(VARIABLES[name]) for name in ("replay", "cache"))
    file = folder / ".toologue" / f"replies-{keys.content_key([*about])}.sqlite"
    with nullcontext() if elsewhere else keeping(cache=file):
        yield


def told_spec(spec: str) -> str:
    """A spec without what says where and how patiently it is asked."""
    name, _, options = spec.partition("?")
    told = [(key, value) for key, value in parse_qsl(options, keep_blank_values=True) if key not in _ELSEWHERE]
    return f"{name}?{urlencode(sorted(told))}" if told else name


def _said(request: Mapping[str, JsonValue]) -> str:
    return "\n".join(str(value) for _, value in leaves(request["messages"]))[-_NEAR:]


def _difference(old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> str:
    """The first place where two requests differ, and what stands there in each."""
    there, now = dict(leaves(old)), dict(leaves(new))
    place = next(place for place in [*now, *there] if there.get(place) != now.get(place))
    texts = [str(values[place]) if place in values else "nothing" for values in (there, now)]
    alike = next(
        (at for at, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), min(map(len, texts))
    )
    start = max(0, alike - _AROUND)
    one, other = (shown(text[start : start + 3 * _AROUND], 3 * _AROUND + 2) for text in texts)
    return f"{json_path(place)}: {one} there, {other} now"
