"""A new project: a folder with everything that `toologue test` needs, small enough to be read in ten minutes.

Contract: nothing that is there is written over; where one of the files is there already, none is written.

Example:
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "mine"
    >>> [str(file.relative_to(folder)) for file in start(folder)][:3]
    ['.gitignore', 'agent.py', 'apis/openapi.yaml']

Not covered: projects of other shapes; the files say what can be changed.
"""

from __future__ import annotations

from pathlib import Path

from toologue.errors import BadFile

_FILES = Path(__file__).with_name("starter")
_NAMES = {"agent.txt": "agent.py", "gitignore.txt": ".gitignore"}


def start(folder: Path) -> list[Path]:
    """Write a new project into a folder; the files that were written. Raises BadFile."""
    texts = {folder / _name(file): file.read_bytes() for file in _FILES.rglob("*") if file.is_file()}
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


def _name(file: Path) -> Path:
    place = file.relative_to(_FILES)
    return place.with_name(_NAMES.get(place.name, place.name))
