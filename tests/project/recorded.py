"""Recordings over texts of others: hashes of what was asked, and the replies. `recorded.py IN OUT` makes one."""

from __future__ import annotations

import sys
from pathlib import Path

from toologue.models.recording import Exchange
from toologue.schema.jsonl import read, write


def bare(recording: Path, out: Path) -> None:
    """Write a recording without what was asked. It is replayed as before: the keys are hashes of the requests."""
    write(out, (one.replace(request=None) for one in read(recording, Exchange)))


if __name__ == "__main__":
    bare(Path(sys.argv[1]), Path(sys.argv[2]))
