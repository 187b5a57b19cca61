"""What a graph was made by, in a small file beside it: `graph.jsonl` has `graph.about.json`.

Contract: the same Apis and settings, the same bytes. A graph without the file is a graph all the same; what belongs to
its making (thresholds, embedder) has to be given again then.

Example:
    >>> about_file(Path("out/graph.jsonl")).name
    'graph.about.json'

Not covered: how long it took; the command says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from toologue.errors import BadFile
from toologue.plan.api_graph.rules import RulesName, Thresholds
from toologue.schema.jsonl import parse, replacing
from toologue.schema.noun import Noun


class About(Noun):
    """The rules, the embedder as it was named and by its weights, the thresholds, and how many pairs passed each."""

    format: Literal["graph-about/1"] = "graph-about/1"
    rules: RulesName
    embedder: str
    vectors: str
    thresholds: dict[str, float]
    survivors: dict[str, int]
    left_out: dict[str, int]

    @property
    def limits(self) -> Thresholds:
        """The thresholds."""
        return Thresholds(**self.thresholds)


def about_file(graph: Path) -> Path:
    """Where it stands for this graph."""
    stem = graph.name.removesuffix(".gz").removesuffix(".jsonl")
    return graph.with_name(f"{stem}.about.json")


def write_about(graph: Path, about: About) -> None:
    """Put it beside the graph."""
    with replacing(about_file(graph)) as stream:
        stream.write(about.model_dump_json(indent=1).encode() + b"\n")


def read_about(graph: Path) -> About | None:
    """What stands beside the graph, if anything does. Raises BadRecord, BadFile."""
    file = about_file(graph)
    if not file.exists():
        return None
    try:
        return parse(file.read_bytes(), About, file)
    except OSError as error:
        raise BadFile(f"cannot read {file}: {error}") from None
