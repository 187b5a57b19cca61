"""What a dataset of chains is made from: documents with phrases, their graph, the edges that hold, pairs in splits.

Contract: `prepare` writes `apis.jsonl`, `graph.jsonl` and `splits.json` into the folder. Chosen edges are checked by
execution; what makes no pair is counted by reason. An API that is in no pair belongs to a split, too: its agents are
offered it, and its retriever may find it.

Example:
    >>> import tempfile
    >>> from toologue.schema import Api, Parameter
    >>> from toologue.schema.jsonl import write
    >>> folder, text = Path(tempfile.mkdtemp()), {"type": "string"}
    >>> tides = Api(name="Sea|tides|Tides", parameters={"city": Parameter(schema=text)},
    ...     returns={"type": "object", "properties": {"summary": text}})
    >>> _ = write(folder / "tools.jsonl", [tides])
    >>> made = prepare([folder / "tools.jsonl"], folder / "set", ChainMaking(ratio=(1, 0, 0)))
    >>> made.apis, made.edges, [pair.target for pair in made.pairs["train"]]
    (1, 0, ['Sea|tides|Tides'])

Not covered: judgements by a language model; build and check a graph with `toologue graph`, and give it.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from toologue import keys
from toologue.apis.entities import inputs, outputs
from toologue.apis.load import apis_of_all
from toologue.errors import BadSetting
from toologue.models.embed import embedder as embedder_of
from toologue.parallel import chunks, unordered
from toologue.plan.apigraph.edges import find_edges
from toologue.plan.apigraph.rules import RulesName
from toologue.plan.apigraph.spread import Spread
from toologue.plan.chains.pairs import Pair, Reason, alone, paired
from toologue.plan.chains.shelf import Shelf
from toologue.plan.describe import describe
from toologue.plan.edge_check import Checker
from toologue.plan.split import RATIO, SPLITS, SplitName, divide
from toologue.schema import Api, Edge
from toologue.schema.jsonl import read, replacing, write

__all__ = ["ChainMaking", "Prepared", "prepare"]

_CHUNK = 256
_Key = tuple[str | None, ...]


@dataclass(frozen=True)
class ChainMaking:
    """How a dataset is made: so many dialogues, in this ratio of train, validation and test.

    `most`: the share of them that one pair may have. `likeness`: from when on users' words repeat those of another.
    `embedder` and `rules` are those of the graph; the embedder is also that of the retriever.
    """

    count: int = 1000
    seed: int = 0
    embedder: str = "lexical"
    rules: RulesName = "best"
    ratio: Sequence[float] = RATIO
    most: float = 0.02
    likeness: float = 0.8


@dataclass(frozen=True)
class Prepared:
    """Pairs by split; how many APIs and edges there are; why chosen edges and documents made no pair.

    `lost` are the pairs between two splits.
    """

    pairs: Mapping[SplitName, list[Pair]]
    apis: int
    edges: int
    lost: int
    edges_dropped: Counter[Reason] = field(default_factory=Counter[Reason])
    apis_dropped: Counter[Reason] = field(default_factory=Counter[Reason])


def prepare(
    sources: Sequence[Path | str],
    folder: Path,
    making: ChainMaking,
    *,
    graph: Path | None = None,
    workers: int = 1,
) -> Prepared:
    """Documents, graph, checks, pairs and splits. Raises BadSetting where there is no pair at all."""
    file = folder / "apis.jsonl"
    documents = list(_described(apis_of_all(sources)))
    write(file, documents)
    count = write(
        folder / "graph.jsonl", read(graph, Edge, empty=True) if graph else _edges(documents, making, workers)
    )
    del documents  # from here on they are read when they are wanted
    shelf, dropped, unfit = Shelf(file), Counter[Reason](), Counter[Reason]()
    pairs = list(_valid(folder, making.seed, workers, shelf, dropped))
    pairs += alone(shelf, unfit)
    if not pairs:
        why = ", ".join(f"{reason} ({number})" for reason, number in (dropped + unfit).most_common())
        raise BadSetting(f"nothing to talk about: no API and no edge can become a conversation: {why}")
    of, lost = _split(pairs, shelf, making.ratio, making.seed)
    with replacing(folder / "splits.json") as text:
        names = {split: [name for name in shelf if of[name] == split] for split in SPLITS}
        text.write(json.dumps(names, indent=1, ensure_ascii=False).encode() + b"\n")
    kept = [pair for pair in pairs if pair.source is None or of[pair.source] == of[pair.target]]
    by_split: dict[SplitName, list[Pair]] = {split: [] for split in SPLITS}
    for pair in kept:
        by_split[of[pair.target]].append(pair)
    return Prepared(by_split, len(shelf), count, lost, dropped, unfit)


def _described(documents: Iterable[Api]) -> Iterator[Api]:
    for api in documents:
        phrased = all(entity.phrase for side in (outputs, inputs) for entity in side(api))
        yield api if phrased else describe(api)


def _edges(documents: Sequence[Api], making: ChainMaking, workers: int) -> Iterator[Edge]:
    found = embedder_of(making.embedder)
    by = Spread(found, workers) if making.embedder.startswith("minilm") else found
    return find_edges(documents, by, rules=making.rules, workers=workers).edges


def _valid(folder: Path, seed: int, workers: int, shelf: Shelf, dropped: Counter[Reason]) -> Iterator[Pair]:
    """The pairs of a graph whose edges hold. Only those are tried that would make a pair: trying is dear."""
    file, graph = folder / "apis.jsonl", folder / "graph.jsonl"
    pairs = {_key(pair): pair for pair in paired(shelf, read(graph, Edge, empty=True), dropped)}
    edges = (edge for edge in read(graph, Edge, empty=True) if edge.chosen and _key(edge) in pairs)
    executor = "inline" if workers == 1 else "processes"
    work, parts = partial(_hold, file, keys.file_key(file), seed), enumerate(chunks(edges, _CHUNK))
    held = dict(unordered(work, parts, executor=executor, workers=workers))
    for _, keys_of in sorted(held.items()):
        yield from (pairs[key] for key in keys_of)
    dropped["not valid"] += len(pairs) - sum(map(len, held.values()))


def _hold(file: Path, content: str, seed: int, some: tuple[int, Sequence[Edge]]) -> tuple[int, list[_Key]]:
    """Those of some edges that hold."""
    number, edges = some
    return number, [_key(edge) for edge in edges if _checker(file, content, seed).verdict(edge).valid]


@lru_cache(maxsize=1)
def _checker(file: Path, content: str, seed: int) -> Checker:
    return Checker(read(file, Api), seed=seed)


def _key(joint: Pair | Edge) -> _Key:
    return joint.source, joint.output, joint.target, joint.parameter


def _split(pairs: Iterable[Pair], shelf: Shelf, ratio: Sequence[float], seed: int) -> tuple[dict[str, SplitName], int]:
    """The split of every API, and how many pairs are lost by it."""
    divided = divide(Counter((pair.source, pair.target) for pair in pairs), ratio=ratio, seed=seed)
    rng = random.Random(keys.seed_of(seed, "others"))
    of: dict[str, SplitName] = {name: rng.choices(SPLITS, ratio)[0] for name in shelf}
    return {**of, **divided.of}, len(divided.lost)
