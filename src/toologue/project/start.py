"""What `toologue init` writes: the starter, or what was made of prose, as a project of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toologue.errors import BadFile

_STARTER = Path(__file__).with_name("starter")
_NAMES = {"agent.txt": "agent.py", "gitignore.txt": ".gitignore"}


def starter() -> dict[str, bytes]:
    """The files of a first project, by their paths."""
    sources = (file for file in _STARTER.rglob("*") if file.is_file())
    return {
        file.relative_to(_STARTER).with_name(_NAMES.get(file.name, file.name)).as_posix(): file.read_bytes()
        for file in sources
    }


def put(folder: Path, texts: Mapping[str, bytes], *, again: bool = True) -> list[Path]:
    """Write files into a folder, all or none; one that is there stays, and is no error if it holds the same and a
    project may be made `again`. Raises BadFile."""
    files = {folder / name: text for name, text in texts.items()}
    try:
        there = [file for file in files if file.exists() or file.is_symlink()]
        other = sorted(
            str(file) for file in there if not again or file.is_symlink() or file.read_bytes() != files[file]
        )
        if other:
            raise BadFile(f"{', '.join(other)}: already there, and nothing was written; choose another folder")
        for file in files.keys() - there:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as stream:
                stream.write(files[file])
    except OSError as error:
        raise BadFile(f"cannot write to {folder}: {error.strerror or error}; choose another folder") from None
    return sorted(files)


def start(folder: Path) -> list[Path]:
    """Write a first project into a folder; the files that were written. Raises BadFile."""
    return put(folder, starter(), again=False)
