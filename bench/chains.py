"""What `toologue generate chains` makes of API documents, and what of them becomes no conversation, and why.

    python -m bench.chains [DOCUMENT ...] [--count N] [--most N] [--words N]

Documents are whatever the command takes, or folders of OpenAPI documents; by default the services that ship. `--most`
of the commonest reasons stand in a cell; `--words` prints so many conversations of each document.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from bench.documents import documents as documents_of
from toologue.errors import ToologueError
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import Dialogue
from toologue.schema.jsonl import read

SERVICES = Path(__file__).parents[1] / "src/toologue/worlds/crud"
COLUMNS = ("APIs", "edges", "pairs", "alone", "dialogues")


def reasons(dropped: Mapping[str, int], most: int) -> str:
    """The commonest reasons with their counts."""
    found = sorted(dropped.items(), key=lambda one: (-one[1], one[0]))
    rest = sum(count for _, count in found[most:])
    return ", ".join([f"{count} {why}" for why, count in found[:most]] + [f"{rest} other"] * bool(rest)) or "–"


def name_of(document: str) -> str:
    """The name of a file, or of the folder of an openapi.yaml."""
    path = Path(document)
    return path.parent.name if path.stem == "openapi" else path.name


def main() -> None:
    """Print the table, and conversations."""
    parser = argparse.ArgumentParser(prog="python -m bench.chains", description="Chains from documents.")
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT", help="by default the services that ship")
    parser.add_argument("--count", type=int, default=200, help="conversations that are asked for, of each document")
    parser.add_argument("--most", type=int, default=4, help="reasons in a cell")
    parser.add_argument("--words", type=int, default=0, help="conversations to print of each document")
    options = parser.parse_args()
    unpacked = TemporaryDirectory()
    given = [
        str(inner)
        for one in options.documents
        for inner in (documents_of(Path(one), Path(unpacked.name)) if Path(one).is_dir() else [one])
    ]
    documents = given or sorted(map(str, SERVICES.glob("*/openapi.yaml")))
    table = Table("document", *COLUMNS, "edges dropped", "APIs dropped", "dialogues dropped")
    texts: list[str] = []
    for document in documents:
        with TemporaryDirectory() as folder:
            try:
                said = make_chains([document], Path(folder), ChainMaking(options.count, ratio=(1.0, 0.0, 0.0)))
            except ToologueError as error:
                table.add_row(name_of(document), *"–––––", str(error).partition("\n")[0])
                continue
            made = (said.documents, said.edges, said.pairs, said.alone, said.dialogues)
            why = (reasons(said.dropped.get(part, {}), options.most) for part in ("edges", "documents", "dialogues"))
            table.add_row(name_of(document), *map(str, made), *why)
            dialogues = [*read(Path(folder) / "dialogues.jsonl", Dialogue)] if options.words and said.dialogues else []
        for one in dialogues[:: max(1, len(dialogues) // (options.words or 1))][: options.words]:
            said_by = [f"{turn.role.title()}: {turn.text}" for turn in one.turns if turn.text]
            texts.append("\n".join([f"{name_of(document)}: {one.id}", *said_by]))
    console = Console()
    console.print(table)
    for text in texts:
        console.print(f"\n{text}", highlight=False, markup=False)


if __name__ == "__main__":
    main()
