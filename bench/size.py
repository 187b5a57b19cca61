"""The size of the house, room by room.

`python -m bench.size [TREE] [--before TREE]`, a TREE being a git revision, or the working tree if left out.

lines: all of them. code: without blanks, comments and docstrings. tokens: Python's, without comments, layout and bare
strings. head: lines before a module's first definition, where it has one. longest: the longest module's lines. data:
bytes of all other files.
"""

import argparse
import ast
import io
import subprocess
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from rich.console import Console
from rich.table import Table

ROOT = "src/toologue"
COLUMNS = ("modules", "lines", "code", "tokens", "head", "longest", "data")
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def files(revision: str | None) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the files below src/toologue of a git revision, or of the working tree as git would add it."""
    if revision is None:
        listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", ROOT], text=True)
        for name in listed.splitlines():
            if Path(name).exists():
                yield PurePosixPath(name), Path(name).read_bytes()
        return
    archive = subprocess.check_output(["git", "archive", revision, ROOT])
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if member.isfile() and (content := tar.extractfile(member)):
                yield PurePosixPath(member.name), content.read()


def measure(source: str) -> Counter[str]:
    """Return what one module counts for in each column but `data`."""
    tree = ast.parse(source)
    lines = source.count("\n")
    bare = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    prose = {line for node in bare for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    starts = {(node.lineno, node.col_offset) for node in bare}
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _LAYOUT and token.start not in starts
    ]
    code = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - prose
    first = [
        min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    head = min(first) - 1 if first else 0
    return Counter(modules=1, lines=lines, code=len(code), tokens=len(tokens), head=head, longest=lines)


def rooms(revision: str | None) -> dict[str, Counter[str]]:
    """Return the columns of each room: a folder of src/toologue, or `.` for the modules beside them."""
    sizes: dict[str, Counter[str]] = {}
    for path, content in files(revision):
        inner = path.relative_to(ROOT).parts
        room = sizes.setdefault(inner[0] if len(inner) > 1 else ".", Counter())
        if path.suffix != ".py":
            room["data"] += len(content)
            continue
        counts = measure(content.decode())
        longest = max(room["longest"], counts.pop("longest"))
        room.update(counts)
        room["longest"] = longest
    return sizes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", help="a git revision; the working tree if left out")
    parser.add_argument("--before", help="a git revision to stand beside it")
    options = parser.parse_args()
    now = rooms(options.tree)
    before = rooms(options.before) if options.before else {}
    table = Table("room", *COLUMNS)
    for column in table.columns[1:]:
        column.justify = "right"
    for room in [*sorted(now.keys() | before.keys()), "total"]:
        table.add_row(room, *(_cell(column, room, now, before) for column in COLUMNS))
    Console(width=160).print(table)
    total = {column: int(_value(column, "total", now)) for column in COLUMNS}
    print(f"{100 * total['head'] / total['lines']:.1f} % of the lines stand before a module's first definition")


def _cell(column: str, room: str, now: dict[str, Counter[str]], before: dict[str, Counter[str]]) -> str:
    after = f"{_value(column, room, now):,}"
    return f"{_value(column, room, before):,} → {after}" if before else after


def _value(column: str, room: str, sizes: dict[str, Counter[str]]) -> int:
    if room != "total":
        return sizes.get(room, Counter())[column]
    values = [counts[column] for counts in sizes.values()]
    return max(values) if column == "longest" else sum(values)


if __name__ == "__main__":
    main()
