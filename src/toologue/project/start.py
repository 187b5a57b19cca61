"""What `toologue init` writes: the starter, a project over an API document, or what was made of prose.

A project points at nothing outside of itself: the document is copied into it, with the files that it refers to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os.path import relpath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from toologue.apis.references import bundled
from toologue.data import bytes_of, read_source
from toologue.errors import BadFile, UserError
from toologue.formats.procedure import read
from toologue.project.generate import Making, make
from toologue.project.provision import Provision
from toologue.project.settings import FILE
from toologue.project.statistics import Source
from toologue.schema import Api
from toologue.text.tokens import words_of
from toologue.values.json_schema import object_of, types_of

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


def start_over(folder: Path, provision: Provision) -> list[Path]:
    """Write a project over a service, with one procedure that begins on it; the files. Raises BadFile."""
    with TemporaryDirectory() as scratch:
        first = _first_procedure(provision, Path(scratch))
    return put(folder, {"procedures/first.md": first.encode(), **around(provision)}, again=False)


def around(provision: Provision) -> dict[str, bytes]:
    """The files of a project besides its procedures: settings, document, rows, overlay, agent."""
    document = Path(provision.world).resolve()
    texts = dict(_copied(document)) if document.is_file() else {}
    made = {"seed/rows.yaml" if name == "rows.yaml" else name: text for name, text in provision.texts().items()}
    texts |= {name: text.encode() for name, text in made.items()}
    rows, overlay = (None, None) if provision.simulator else provision.given
    for file in filter(None, (rows, overlay)):
        texts[Path(file).name] = bytes_of(Path(file))
    said = {
        "apis" if document.is_file() else "world": f"apis/{document.name}" if document.is_file() else provision.world,
        "overlay": "overlay.yaml" if "overlay.yaml" in texts else overlay and Path(overlay).name,
        "seed": "seed/rows.yaml" if "seed/rows.yaml" in texts else rows and Path(rows).name,
        "procedures": "procedures",
    }
    ours = starter()
    agent = ours["agent.py"].decode().partition("\nimport json")[0] + _AGENT
    texts |= {FILE: _settings(said, provision).encode(), ".gitignore": ours[".gitignore"], "agent.py": agent.encode()}
    return texts


_AGENT = """

def agent(history, tools):
    last = history[-1]
    if last["role"] == "tool":
        return f"I have found this: {last['content']}"
    return "Could you tell me more, please?"
"""


def _copied(document: Path) -> Iterator[tuple[str, bytes]]:
    """An API document, and the files that it refers to, by their places in the project."""
    try:
        files = bundled(read_source(document)).files
    except UserError:  # no OpenAPI document: it refers to nothing
        files = ()
    for file in {document, *files}:
        yield f"apis/{relpath(file, document.parent)}", bytes_of(file)


def _settings(said: Mapping[str, str | None], provision: Provision) -> str:
    """The starter's settings, with what is tested here."""
    head = "".join(f"{name} = {_toml(value)}\n" for name, value in said.items() if value)
    first, _, rest = starter()[FILE].decode().partition("\n[operations]")
    note, agents = first.partition("\n")[0], next(line for line in first.splitlines() if line.startswith("agents"))
    return f"{note}\n\n{head}{agents}\n\n[operations]{_chosen(rest, provision)}"


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _chosen(rest: str, provision: Provision) -> str:
    """The rest of the settings, with the operations that were chosen."""
    told = provision.choice.model_dump(mode="json", exclude_defaults=True) if provision.choice else {}
    first, _, after = rest.partition("\n")
    return "\n".join([first, *(f"{name} = {_toml(value)}" for name, value in told.items()), after])


_TRIES = 20
_HEAD = """---
# A first procedure, to be replaced by yours: a file for each issue that customers come with, its steps as support takes
# them. docs/procedures.md has the language; `toologue test` makes conversations of every way through it.
issue: I have a question.
---

# A question

"""
_LOOK = """1. **Ask** for the {words}. Collect `{key}`.
2. **Call** `{api}` with `{key}`, giving `found`.
{missing}   - Otherwise: go to 3.
3. **End**: say {told}.
"""
_MISSING = "   - If it fails with `not_found`: go to 4.\n"
_NONE = "4. **End**: say that there is no {{{key}}}.\n"
_PLAIN = """1. **Ask** whether it is urgent.
   - It is: go to 2.
   - It is not: go to 3.
2. **End**: say that a colleague writes within the hour.
3. **End**: say that a colleague writes within the day.
"""


def _first_procedure(provision: Provision, scratch: Path) -> str:
    """A procedure that looks something up, every way of which data lead through; else one without calls."""
    setting, service = provision.setting(scratch), provision.service(scratch)
    likely = [api for api in service.apis.values() if not api.writes and _keyed(api)]
    texts = [text for api in likely[:_TRIES] for text in _lookups(api, _keyed(api))]
    for text in texts:
        try:
            made = make(Source(read(text, id="first", apis=service.apis.values()), setting), Making(count=2, seed=1))
        except UserError:
            continue
        if made.dialogues and not made.unreached:
            return text
    return _HEAD + _PLAIN


def _keyed(api: Api) -> str:
    """The one thing that has to be known to call it; empty where that is none, or more."""
    needed = [name for name, parameter in api.parameters.items() if parameter.required]
    return needed[0] if len(needed) == 1 and _is_plain(api.parameters[needed[0]].json_schema) else ""


def _is_plain(schema: Mapping[str, Any]) -> bool:
    return types_of(schema)[:1] in (("string",), ("integer",), ("number",))


def _lookups(api: Api, key: str) -> Iterator[str]:
    """Procedures that look up what a key names, the most telling first."""
    fields = object_of(object_of(api.returns).get("properties"))
    plain = [name for name, schema in fields.items() if name != key and _is_plain(object_of(schema))]
    said = [f"that the {' '.join(words_of(name))} is {{found.{name}}}" for name in plain[:3]]
    for told in (*said, f"that {{{key}}} is there"):
        for missing in (True, False):
            text = _LOOK.format(
                words=" ".join(words_of(key)), key=key, api=api.name, told=told, missing=_MISSING if missing else ""
            )
            yield _HEAD + text + (_NONE.format(key=key) if missing else "")
