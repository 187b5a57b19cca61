"""Run an entry's commands in a fresh folder, and say what they wrote: digests of all, figures of what has figures."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .entries import ENTRIES

REPOSITORY = Path(__file__).parents[2]
SHARED = Path(os.environ.get("TOOLOGUE_SHARED") or REPOSITORY.parent / "shared")
OUTPUTS = Path(__file__).parent / "outputs"
SECONDS = Path(__file__).parent / "seconds.json"

# How much of an output is kept to be read: lines of a table, items of a list, characters of a text or of all figures.
LINES, ITEMS, TEXT, FIGURES = 60, 12, 160, 6000

# Measured by the clock, or kept in no order.
UNHASHED = ("times.jsonl", "costs.json", ".lock", ".sqlite", ".sqlite-wal", ".sqlite-shm")
_KEYED = re.compile(r"(?:[\w-]+-)?([0-9a-f]{16})")
_KEY_BYTES = re.compile(rb"[0-9a-f]{16}")
_MASKS = (
    (re.compile(r'("(?:dialogues|traces|case|rules|scores)": ?)"[0-9a-f]{16}"'), r'\1"KEY"'),
    (re.compile(r'("(?:version|toologue)": ?)"\d+\.\d+\.\d+"'), r'\1"VERSION"'),
    (re.compile(r"toologue \d+\.\d+\.\d+"), "toologue VERSION"),
    (
        re.compile(r"\b\d+(\.\d+)? ?(s|seconds|ms)\b(?= (of CPU|by the clock|elapsed))|(?<= in )\d+(\.\d+)? ?s\b"),
        "SECONDS",
    ),
    (re.compile(r"\d[\d,.]* (a|per) second\b"), "RATE"),
    (re.compile(r"^cost and time\n +\n(?:.*\S.*\n)+ +\n", re.MULTILINE), ""),
    (re.compile(r'<a href="#costs">.*?</a>|<section aria-labelledby="costs">.*?</section>\n', re.DOTALL), ""),
)
_LONG_FLOAT = re.compile(r"(?<![\w.])-?\d+\.\d{7,}(?:e-?\d+)?(?![\w.])")


def absent(name: str) -> str:
    """Which published file an entry needs that is not here; nothing where all are."""
    needed = re.findall(r"\{shared\}(\S+)", " ".join(ENTRIES[name].commands))
    return ", ".join(f"{SHARED}{path}" for path in needed if not Path(f"{SHARED}{path}").exists())


def run(name: str, keep: Path | None = None) -> tuple[dict[str, Any], float]:
    """What an entry writes, by file, and the CPU seconds that it takes."""
    with tempfile.TemporaryDirectory(prefix="golden-") as temporary:
        top = Path(temporary).resolve()
        folder = top / "here"
        place(folder / "in")
        seconds = 0.0
        written: dict[str, bytes] = {}
        for number, command in enumerate(ENTRIES[name].commands, 1):
            status, spent, streams = _execute(command, folder, top)
            seconds += spent
            title = f"{number}. {command}"
            written |= {f"{title} [{stream}]": data for stream, data in streams.items() if data}
            if status:
                written[f"{title} [exit status]"] = str(status).encode()
        written |= _files(folder)
        normal = {path.replace(str(SHARED), "{shared}"): normalise(data, top) for path, data in _numbered(written, top)}
        if keep:
            for path, data in normal.items():
                file = keep / name / path.replace("[", "").replace("]", "")[:150]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
        return {path: digest(path, data) for path, data in sorted(normal.items())}, seconds


def place(folder: Path) -> None:
    """The inputs of all entries: API documents and procedures that ship, and the records beside this file."""
    folder.mkdir(parents=True)
    shipped = REPOSITORY / "src"
    for document in shipped.rglob("openapi.yaml"):
        owner = document.parent.name
        shutil.copy(document, folder / f"{'bicycles' if owner == 'apis' else owner}.yaml")
    for procedure in shipped.rglob("procedures/**/*.md"):
        shutil.copy(procedure, folder)
    for data in (Path(__file__).parent / "in").iterdir():
        shutil.copy(data, folder)


def _execute(command: str, folder: Path, top: Path) -> tuple[int, float, dict[str, bytes]]:
    """Exit status, CPU seconds, and what went to the two streams."""
    # The hash seed is fixed as `graph show` orders APIs of equal rank by their hashes.
    source = os.pathsep.join([str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("TOOLOGUE", "OPENAI", "COV"))},
        **{"PYTHONPATH": source, "PYTHONHASHSEED": "0", "COLUMNS": "120", "TOOLOGUE_REQUESTS": "forbidden"},
        **{"HOME": str(top / "home"), "XDG_CACHE_HOME": str(top / "home" / "cache"), "NO_COLOR": "1"},
        **{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    }
    arguments = [part.replace("{shared}", str(SHARED)) for part in shlex.split(command)]
    line = [sys.executable, "-m", "toologue", *_globbed(arguments, folder)]
    out, err = top / "out", top / "err"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            line, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    streams = {"output": out.read_bytes(), "errors": err.read_bytes()}
    return process.returncode, usage.ru_utime + usage.ru_stime, streams


def _globbed(arguments: Iterable[str], folder: Path) -> list[str]:
    """Arguments with a * as the shell has them."""
    listed = (
        [str(path.relative_to(folder)) for path in sorted(folder.glob(a))] if "*" in a else [a] for a in arguments
    )
    return [argument for group in listed for argument in group]


def _files(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(UNHASHED))
    relative = {str(path.relative_to(folder)): path for path in paths}
    return {name: path.read_bytes() for name, path in relative.items() if not name.startswith("in/")}


def _numbered(written: dict[str, bytes], top: Path) -> list[tuple[str, bytes]]:
    """Files with the content keys of their folders numbered, by what lies in the folders."""
    folders: dict[str, list[bytes]] = {}
    for path, data in written.items():
        for part in Path(path).parts[:-1]:
            if found := _KEYED.fullmatch(part):
                unnamed = normalise(_KEY_BYTES.sub(b"KEY", data), top)
                folders.setdefault(found[1], []).append(hashlib.sha256(unnamed).digest())
    ranks = sorted(folders, key=lambda key: (sorted(folders[key]), key))
    numbers = {key: f"KEY-{number}" for number, key in enumerate(ranks, 1)}
    if not numbers:
        return list(written.items())
    any_key = re.compile("|".join(numbers))
    numbered = re.compile(any_key.pattern.encode())
    return [
        (
            any_key.sub(lambda match: numbers[match[0]], path),
            numbered.sub(lambda match: numbers[match[0].decode()].encode(), data),
        )
        for path, data in written.items()
    ]


def normalise(data: bytes, top: Path) -> bytes:
    """Without what differs from machine to machine, or from run to run."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    for place_, name in ((top, "TOP"), (REPOSITORY, "REPOSITORY"), (SHARED, "SHARED")):
        text = text.replace(str(place_), name)
    for mask, instead in _MASKS:
        text = mask.sub(instead, text)
    return _LONG_FLOAT.sub(lambda match: f"{float(match[0]):.6g}", text).encode()


def digest(path: str, data: bytes) -> dict[str, Any]:
    """SHA-256, size and lines of an output, and what of it is for reading."""
    record: dict[str, Any] = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "lines": data.count(b"\n"),
    }
    if path.endswith("]"):
        record["text"] = _readable(data.decode().splitlines()[:LINES])
    elif path.endswith(".json"):
        record["figures"] = _pruned(json.loads(data), ITEMS)
        if len(json.dumps(record["figures"])) > FIGURES:
            record["figures"] = _pruned(json.loads(data), 0)
    return record


def _readable(lines: list[str]) -> list[str]:
    """Lines without the rules and the padding of tables."""
    cells = (re.sub(r"[\s─-╿]*[─-╿][\s─-╿]*", " | ", line).strip(" |") for line in lines)
    return [re.sub(r"\s+", " ", line) for line in cells if line]


def _pruned(value: Any, items: int) -> Any:
    """A JSON value with floats rounded, and long lists and texts as digests."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _pruned(inner, items) for key, inner in value.items()}
    long = len(value) > (items if isinstance(value, list) else TEXT) if isinstance(value, list | str) else False
    if long:
        short = hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]
        return f"{len(value)} {'items' if isinstance(value, list) else 'characters'}, {short}"
    return [_pruned(inner, items) for inner in value] if isinstance(value, list) else value


def expected(name: str) -> dict[str, Any]:
    """What was blessed."""
    file = OUTPUTS / f"{name}.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def bless(name: str, outputs: dict[str, Any]) -> None:
    """Take outputs as right: one line a file, in a JSON object."""
    lines = (f"{json.dumps(file)}: {json.dumps(record, ensure_ascii=False)}" for file, record in outputs.items())
    (OUTPUTS / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def difference(name: str, outputs: dict[str, Any]) -> str:
    """Files that differ from what was blessed, and how their figures do; nothing where all are equal."""
    before, after = expected(name), json.loads(json.dumps(outputs))
    if before == after:
        return ""
    files = [file for file in sorted({*before, *after}) if before.get(file) != after.get(file)]
    pages = [json.dumps(page, indent=1, ensure_ascii=False).splitlines() for page in (before, after)]
    diff = difflib.unified_diff(*pages, "blessed", "now", lineterm="", n=2)
    return "\n".join([*(f"  differs: {file}" for file in files), *diff])
