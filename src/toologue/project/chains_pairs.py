"""What a dataset of chains is made from: documents with phrases, their graph, the edges that hold, pairs in splits.

Contract: `prepare` writes `apis.jsonl`, `graph.jsonl` and `splits.json` into the folder, and what each split's
retriever has to know into `indexes`, for as many processes as there are. Chosen edges are checked by
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
    >>> made = prepare([folder / "tools.jsonl"], folder / "set", ChainMaking(ratio=(1, 0, 0)), indexes=folder)
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
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from toologue import keys
from toologue.apis.load import each_api
from toologue.errors import BadSetting
from toologue.models.embed import embedder as embedder_of
from toologue.models.retriever import index_of
from toologue.parallel import chunks, executor_of, ordered, pool, unordered
from toologue.plan.api_graph.check import Checker
from toologue.plan.api_graph.documents import ready
from toologue.plan.api_graph.edges import find_edges
from toologue.plan.api_graph.rules import RulesName
from toologue.plan.api_graph.spread import Spread
from toologue.plan.chains.catalog import Shelf
from toologue.plan.chains.pairs import Pair, alone, paired
from toologue.plan.chains.split import RATIO, SPLITS, SplitName, divide
from toologue.schema import Edge
from toologue.schema.jsonl import parse, read, read_lines, replacing, write
from toologue.write.chains.intents import awkward

_LINES, _NAMES, _TEXTS = 4096, 512, 2048  # at once
_Key = tuple[str | None, ...]
A = TypeVar("A")


class _Found(NamedTuple):
    """What comes of a part of the work: pairs, and why there are not more.

    `others` are pairs of edges that are not the best ones between their APIs.
    """

    pairs: list[Pair]
    dropped: Counter[Any]
    others: Sequence[Pair] = ()


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
    edges_dropped: Counter[Any] = field(default_factory=Counter[Any])
    apis_dropped: Counter[Any] = field(default_factory=Counter[Any])


def prepare(
    sources: Sequence[Path | str],
    folder: Path,
    making: ChainMaking,
    *,
    indexes: Path,
    graph: Path | None = None,
    workers: int = 1,
) -> Prepared:
    """Documents, graph, checks, pairs, splits and their indexes. Raises BadSetting where there is no pair at all."""
    apart = partial(unordered, executor=executor_of(workers), workers=1)  # a process that gives its memory back
    (count,) = apart(partial(_drawn, sources, folder, making, graph), [workers])
    (prepared,) = apart(partial(_split_up, folder, making, indexes, count), [workers])
    return prepared


def _drawn(sources: Sequence[Path | str], folder: Path, making: ChainMaking, graph: Path | None, workers: int) -> int:
    """Documents and graph, as files. How many edges there are."""
    with pool(workers), replacing(folder / "apis.jsonl") as file:
        found = ready(each_api(sources), making.rules, into=file, workers=workers)  # with a graph: for the file alone
        if graph is None:
            by = Spread(embedder_of(making.embedder), workers)
            edges = find_edges(found, by, rules=making.rules, workers=workers).edges
        else:
            edges = read(graph, Edge, empty=True)
    return write(folder / "graph.jsonl", edges)


def _split_up(folder: Path, making: ChainMaking, indexes: Path, edges: int, workers: int) -> Prepared:
    """Pairs whose edges hold, by split, and what the retriever of each split has to know."""
    file, dropped, unfit = folder / "apis.jsonl", Counter[Any](), Counter[Any]()
    room, shelf = _Room(file, keys.file_key(file), folder / "graph.jsonl", making.seed), Shelf(file)
    with pool(workers):
        pairs = [*_joined(room, workers, dropped), *_single(room, shelf, workers, unfit)]
        if not pairs:
            why = ", ".join(f"{reason} ({number})" for reason, number in (dropped + unfit).most_common())
            raise BadSetting(f"nothing to talk about: no API and no edge can become a conversation: {why}")
        of, lost = _split(pairs, shelf, making.ratio, making.seed)
        names = {split: [name for name in shelf if of[name] == split] for split in SPLITS}
        index = index_of(shelf.apis(), Spread(embedder_of(making.embedder), workers), batch=_TEXTS)
    for split, some in names.items():
        index.save(indexes / f"{split}.npy", sorted(some))
    with replacing(folder / "splits.json") as text:
        text.write(json.dumps(names, indent=1, ensure_ascii=False).encode() + b"\n")
    by_split: dict[SplitName, list[Pair]] = {split: [] for split in SPLITS}
    for pair in pairs:
        if pair.source is None or of[pair.source] == of[pair.target]:
            by_split[of[pair.target]].append(pair)
    return Prepared(by_split, len(shelf), edges, lost, dropped, unfit)


class _Room(NamedTuple):
    """Documents and their hash, their graph, the seed of the world that edges are tried in."""

    apis: Path
    content: str
    graph: Path
    seed: int


def _joined(room: _Room, workers: int, dropped: Counter[Any]) -> Iterator[Pair]:
    """The pairs of a graph whose edges hold: where the best edge makes none, the next one that does."""
    seen, others = set[tuple[str | None, str]](), list[Pair]()
    lines = ((number, line) for number, line, _ in read_lines(room.graph))
    found = ordered(partial(_hold, room), chunks(lines, _LINES), workers=workers)
    for rank, pair in chain(zip(repeat("again"), _counting(found, dropped, others)), zip(repeat("not chosen"), others)):
        if (pair.source, pair.target) in seen:
            dropped[rank] += 1
        else:
            seen.add((pair.source, pair.target))
            yield pair


def _single(room: _Room, shelf: Shelf, workers: int, dropped: Counter[Any]) -> Iterator[Pair]:
    """The pairs without a source."""
    return _counting(ordered(partial(_lone, room), chunks(shelf, _NAMES), workers=workers), dropped)


def _counting(found: Iterable[_Found], dropped: Counter[Any], others: list[Pair] | None = None) -> Iterator[Pair]:
    """The pairs; what came to nothing is counted, what is second choice put into `others`."""
    for one in found:
        dropped.update(one.dropped)
        if others is not None:
            others += one.others
        yield from one.pairs


def _hold(room: _Room, lines: Sequence[tuple[int, bytes]]) -> _Found:
    """The pairs of some lines of a graph. Only edges that would make a pair are tried: trying is dear."""
    dropped, shelf = Counter[Any](), _shelf(room)
    edges = {_key(edge): edge for edge in (parse(line, Edge, room.graph, at) for at, line in lines)}

    def holding(why: Counter[Any], *, chosen: bool) -> Iterator[Pair]:
        for pair in _worded(paired(shelf, edges.values(), why, chosen=chosen), shelf, why):
            if _checker(room).verdict(edges[_key(pair)]).valid:
                yield pair
            else:
                why["not valid"] += 1

    pairs, others = list(holding(dropped, chosen=True)), list(holding(Counter(), chosen=False))
    dropped["not chosen"] -= len(others)
    return _Found(pairs, dropped, others)


def _lone(room: _Room, names: Sequence[str]) -> _Found:
    """The pairs of some documents, each alone. Edges are tried no more: what is known of them goes."""
    _checker.cache_clear()
    dropped, shelf = Counter[Any](), _shelf(room)
    return _Found(list(_worded(alone(shelf, dropped, names=names), shelf, dropped)), dropped)


def _worded(pairs: Iterable[Pair], shelf: Shelf, dropped: Counter[Any]) -> Iterator[Pair]:
    """Those pairs that somebody would talk about."""
    for pair in pairs:
        beside = awkward(shelf.api(pair.source)) if pair.source else None
        if against := awkward(shelf.api(pair.target)) or (None if beside == "wordless" else beside):
            dropped[against] += 1
        else:
            yield pair


@lru_cache(maxsize=1)
def _shelf(room: _Room) -> Shelf:
    return Shelf(room.apis)


@lru_cache(maxsize=1)
def _checker(room: _Room) -> Checker:
    shelf = _shelf(room)
    return Checker(shelf.apis(), seed=room.seed)


def _key(joint: Pair | Edge) -> _Key:
    return joint.source, joint.output, joint.target, joint.parameter


def _split(pairs: Sequence[Pair], shelf: Shelf, ratio: Sequence[float], seed: int) -> tuple[dict[str, SplitName], int]:
    """The split of every API, and how many pairs are lost by it: pairs are shared out first, then the other APIs."""
    joined = divide(Counter((pair.source, pair.target) for pair in pairs if pair.source), ratio=ratio, seed=seed)
    others = (pair for pair in pairs if pair.source is None and pair.target not in joined.of)
    alone = divide(Counter((None, pair.target) for pair in others), ratio=ratio, seed=seed)
    rng = random.Random(keys.seed_of(seed, "others"))
    of: dict[str, SplitName] = {name: rng.choices(SPLITS, ratio)[0] for name in shelf}
    return {**of, **alone.of, **joined.of}, len(joined.lost)
