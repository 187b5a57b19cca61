"""The suite that the benchmark `almita` plays without `--data`: conversations over the procedures that ship.

It is generated where it is first asked for (about a minute), into the user's cache folder: `$XDG_CACHE_HOME/toologue`,
`~/.cache/toologue`, or what `TOOLOGUE_CACHE` names. The folder is called by the content of all that it is made from:
procedures, services, phrases, and the code between; whatever changes, a new one is made, and never an old one read.

Contract: the same package gives the same suite, byte for byte. A folder that cannot be used raises BadFile.

Example:
    >>> own_key() == own_key(), len(own_key())
    (True, 16)

Not covered: throwing old suites away.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from toologue import keys
from toologue.errors import BadFile
from toologue.models.cache import cache_folder

SEED = 409
_MADE_BY = ("apis", "formats", "plan", "project", "schema", "values", "worlds", "write", "loop.py")


@cache
def own_key() -> str:
    """16 hex digits that name all that the suite is made from."""
    root = Path(__file__).resolve().parents[2]
    places = [root / name for name in _MADE_BY]
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    used = [file for file in files if file.suffix in {".py", ".md", ".yaml", ".txt"}]
    return keys.content_key([[file.relative_to(root).as_posix(), keys.file_key(file)] for file in used])


def own() -> Path:
    """The folder of the suite; made, if it is not there yet."""
    folder = cache_folder() / f"almita-{own_key()}"
    if not (folder / "dialogues.jsonl").exists():
        _make(folder)
    return folder


def _make(folder: Path) -> None:
    """Generate into a folder beside, and put it in its place in one step: half a suite is never there."""
    from toologue.project.generate import Making, generate, shipped, write_suite

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise BadFile(f"cannot write to {folder.parent}: {error.strerror or error}; set TOOLOGUE_CACHE") from None
    try:
        write_suite(beside, generate(shipped(), Making(seed=SEED), workers=os.cpu_count() or 1))
        os.replace(beside, folder)
    except OSError:
        if not (folder / "dialogues.jsonl").exists():  # else somebody else was faster
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
