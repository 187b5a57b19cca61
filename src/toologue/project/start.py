"""What `toologue init` does: the starter, put into a folder as a project of one's own."""

from __future__ import annotations

from pathlib import Path

from toologue.errors import BadFile

_STARTER = Path(__file__).with_name("starter")
_NAMES = {"agent.txt": "agent.py", "gitignore.txt": ".gitignore"}


def start(folder: Path) -> list[Path]:
    """Write a new project into a folder; the files that were written. Raises BadFile."""
    sources = (file for file in _STARTER.rglob("*") if file.is_file())
    texts = {
        folder / file.relative_to(_STARTER).with_name(_NAMES.get(file.name, file.name)): file.read_bytes()
        for file in sources
    }
    there = sorted(str(file) for file in texts if file.exists() or file.is_symlink())
    if there:
        raise BadFile(f"{', '.join(there)}: already there, and nothing was written; choose another folder")
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as stream:
                stream.write(text)
    except OSError as error:
        raise BadFile(f"cannot write to {folder}: {error.strerror or error}; choose another folder") from None
    return sorted(texts)
