"""What an agent of a file is made of: the key of all code that it imports, so that what it said is kept no longer.

    files beside and below it    Python, and what prompts are written in (`.txt`, `.j2`, `.jinja`, `.jinja2`, `.prompt`)
                                 where any of the code has the name, the ending or the folder of one in it
    modules outside of packages  by content, wherever `sys.path` or an editable installation leads; also those that are
                                 imported within functions, and by modules that are imported
    installed packages           by name and version; the interpreter by its own; toologue by the one that a run notes

Imports are read, not done (`modulefinder`): nothing of the agent runs.

Not covered: modules whose names are put together at run time, and data elsewhere.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import packages_distributions, version
from modulefinder import ModuleFinder
from pathlib import Path
from urllib.parse import parse_qsl

from toologue import keys
from toologue.errors import BadSetting

_PROMPTS = {".py", ".txt", ".j2", ".jinja", ".jinja2", ".prompt"}
_NAMED = {*sys.stdlib_module_names, "__main__", "toologue"}  # by a version of their own
_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def with_file(spec: str, *folders: Path) -> str:
    """The spec of an agent with the whole path of its file, sought in these folders; one without a file stays.

    Raises BadSetting where there is no such file.
    """
    file, _, name = spec.removeprefix("thread:").removeprefix("callable:").rpartition(":")
    if not file.endswith(".py"):
        return spec
    there = [path for folder in folders if (path := (folder / file).resolve()).is_file()]
    if not there:
        raise BadSetting(f"{spec!r}: there is no file {file} in {' or '.join(map(str, dict.fromkeys(folders)))}")
    return f"{'thread' if spec.startswith('thread:') else 'callable'}:{there[0]}:{name}"


def code_of(spec: str) -> str:
    """The key of the code of an agent, or of its prompt, where its spec names a file; else empty."""
    how, _, rest = spec.partition(":")
    asked, _, options = rest.partition("?")
    prompt, file = Path(dict(parse_qsl(options)).get("prompt", "")), Path(asked.rpartition(":")[0])
    if prompt.is_file():
        return keys.file_key(prompt)
    if how.endswith(".py"):
        file = Path(how)
    return code_key(file) if (file.suffix == ".py" or how in ("callable", "thread")) and file.is_file() else ""


def code_key(file: Path) -> str:
    """16 hex digits that name all code of the agent in a file."""
    modules, packages = imports_of(file)
    beside = [*_beside(file.parent)]
    code = {path.resolve() for path in (*modules, *beside) if path in modules or path.suffix == ".py"}
    text = "\n".join(path.read_text("utf-8", errors="replace") for path in code)
    read = (path for path in beside if any(word in text for word in _called(path, file.parent)))
    files = sorted(code | {path.resolve() for path in read})
    versions = [platform.python_version(), *(f"{name}=={version(name)}" for name in packages)]
    return keys.content_key([[keys.file_key(each) for each in files], versions])


def imports_of(file: Path) -> tuple[list[Path], list[str]]:
    """(modules outside of packages, installed distributions) that a file imports, directly or by what it imports."""
    path = [str(file.parent.resolve()), *(place or "." for place in sys.path if not _installed(Path(place)))]
    while True:
        finder = ModuleFinder(path, excludes=["toologue"])
        try:
            finder.run_script(str(file))
        except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError):  # it does not load either, and says why
            return [file], []
        names = {name.partition(".")[0] for name in finder.badmodules} - _NAMED
        elsewhere = [str(home) for name in sorted(names) if (home := _home(name)) and str(home) not in path]
        if not elsewhere:
            break
        path += elsewhere  # of editable installations
    owners = packages_distributions() if names else dict[str, list[str]]()
    modules = [Path(found) for module in finder.modules.values() if (found := getattr(module, "__file__", None))]
    return sorted(modules), sorted({owner for name in names for owner in owners.get(name, ())})


def _home(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None or not spec.origin or not spec.has_location or _installed(Path(spec.origin)):
        return None
    return Path(spec.origin).resolve().parents[bool(spec.submodule_search_locations)]


def _installed(path: Path) -> bool:
    there = path.resolve()
    return any(there.is_relative_to(place) for place in _INSTALLED) or "dist-packages" in there.parts


def _called(path: Path, home: Path) -> Iterator[str]:
    """What code that reads a file has in it: its name, its ending (`*.txt`), or one of its folders."""
    yield from (path.stem, path.suffix, *path.parent.relative_to(home).parts)


def _beside(folder: Path) -> Iterator[Path]:
    """The files of a folder and those below it that agents are made of; not those of hidden folders and packages."""
    for path in sorted(folder.iterdir()):
        if path.suffix in _PROMPTS and path.is_file():
            yield path
        elif path.is_dir() and not path.name.startswith((".", "__")) and not (path / "pyvenv.cfg").exists():
            yield from _beside(path)
