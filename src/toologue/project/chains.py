"""Chains: API documents in, a dataset of verified conversations out. Graph, checks, plans, words, splits, statistics.

`make_chains(sources, folder, making)` puts into a folder, as it is made:

    apis.jsonl                                   the documents, every entity with a phrase
    graph.jsonl                                  which output feeds which parameter (or the graph that was given)
    splits.json                                  the APIs of each split
    dialogues.jsonl                              the conversations, with `origin.split`
    train.jsonl, validation.jsonl, test.jsonl    the same, apart
    statistics.json                              what there is to say of them, what was dropped and why

No API is in two splits: not as source or target, not among those that the agent is offered, not in what the retriever
finds. The test split is worded from a bank that the others never use. A dialogue that is not valid, or nearly repeats
another, is dropped, and another one made.

Contract: equal documents, seeds and folder names give equal bytes at any number of workers. Conversations stream; a
kill leaves those of an earlier run as they were.

Example:
    >>> import tempfile
    >>> from toologue.schema import Api, Parameter
    >>> from toologue.schema.jsonl import write
    >>> folder, text = Path(tempfile.mkdtemp()), {"type": "string"}
    >>> weather = {"type": "object", "properties": {"summary": text, "wind": text}}
    >>> towns = ("Weather|skies|Forecast", "Travel|rails|Departures", "Food|pots|Recipes of a region")
    >>> _ = write(folder / "tools.jsonl", [
    ...     Api(name=name, parameters={"city": Parameter(schema=text)}, returns=weather) for name in towns])
    >>> said = make_chains([folder / "tools.jsonl"], folder / "set", ChainMaking(count=6, ratio=(1, 1, 1), most=1))
    >>> said.splits
    {'train': 2, 'validation': 2, 'test': 2}

Not covered: words of a language model; plan with `toologue plan chains`, and `toologue write` by a model.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from itertools import chain, islice, tee
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from toologue import keys
from toologue.errors import BadSetting
from toologue.parallel import chunks, ordered, pool
from toologue.plan.chains.choose import Job, jobs
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.split import SPLITS, SplitName
from toologue.project.chains_pairs import ChainMaking, Prepared, prepare
from toologue.project.chains_statistics import REPEATS, Census, ChainStatistics
from toologue.project.chains_words import Done, Room, work
from toologue.schema.jsonl import replacing
from toologue.write.duplicates import repeats

_CHUNK, _MOST = 32, 5  # jobs that are done at once; jobs that are tried for one that is wanted
_FRUITLESS = 24  # a pair that so often came to nothing, and never to anything, is not tried again
Progress = Callable[[int, int], None]


def make_chains(
    sources: Sequence[Path | str],
    folder: Path,
    making: ChainMaking,
    *,
    graph: Path | None = None,
    workers: int = 1,
    progress: Progress = lambda done, of: None,
) -> ChainStatistics:
    """Make a dataset of what sources document. Raises BadSetting where nothing can be made of it."""
    if making.count < 1 or workers < 1 or not 0 < making.most <= 1:
        what = f"count {making.count}, workers {workers}, most {making.most}"
        raise BadSetting(f"{what}: give 1 or more, and a share up to 1")
    with ExitStack() as stack:
        indexes = Path(stack.enter_context(TemporaryDirectory()))
        prepared = prepare(sources, folder, making, indexes=indexes, graph=graph, workers=workers)
        wanted, census = _wanted(prepared, making), Census(prepared)
        into = {name: stack.enter_context(replacing(folder / f"{name}.jsonl")) for name in ("dialogues", *SPLITS)}
        scratch = stack.enter_context(TemporaryFile(dir=folder))
        places: list[tuple[int, int, int, int]] = []
        made = _made(prepared, Room(folder, indexes, making.embedder, making.seed), making, wanted, workers)
        stack.enter_context(pool(workers))
        for one in _different(made, wanted, census, making.likeness):
            places.append((SPLITS.index(one.split), one.number, scratch.tell(), len(one.line)))
            scratch.write(one.line)
            progress(census.total.dialogues, making.count)
        for split, _, start, size in sorted(places):
            scratch.seek(start)
            line = scratch.read(size)
            into["dialogues"].write(line)
            into[SPLITS[split]].write(line)
    said = census.statistics(asdict(making))
    with replacing(folder / "statistics.json") as text:
        text.write(said.model_dump_json(indent=1).encode() + b"\n")
    return said


def _wanted(prepared: Prepared, making: ChainMaking) -> Counter[SplitName]:
    """How many dialogues each split shall have: the ratio, among those that have pairs."""
    shares = [share if prepared.pairs[name] else 0.0 for name, share in zip(SPLITS, making.ratio, strict=True)]
    wanted: Counter[SplitName] = Counter()
    for at, name in enumerate(SPLITS, 1):
        wanted[name] = round(making.count * sum(shares[:at]) / (sum(shares) or 1)) - wanted.total()
    return wanted


def _made(
    prepared: Prepared, room: Room, making: ChainMaking, wanted: Mapping[SplitName, int], workers: int
) -> Iterator[Done]:
    """What comes of jobs, split by split, in rounds, until nothing is wanted of a split any more.

    The next round is as large as the last one bids; what came of it decides which sequences have more turns.
    """
    cap = max(1, int(making.most * making.count))
    for split in SPLITS:
        come, made, seed = Counter[str](), Counter[Pair](), keys.seed_of(making.seed, split)
        ahead, size = jobs(prepared.pairs[split], cap=cap, seed=seed, come=come, made=made), wanted[split] // 2 + _CHUNK
        failed = Counter[Pair]()
        hopeful = (job for job in ahead if made[job.pair] or failed[job.pair] < _FRUITLESS)
        while wanted[split] > 0 and (some := list(islice(hopeful, size))):
            got, pairs = Counter[str](), {job.number: job.pair for job in some}
            for done in _round(room, split, some, workers):
                if done.counts:
                    got.update(done.counts.sequences)
                    made[pairs[done.number]] += 1
                else:
                    failed[pairs[done.number]] += 1
                yield done
                if wanted[split] <= 0:
                    break
            come.update(got)
            size = int(wanted[split] * min(_MOST, len(some) / (got.total() or 1))) + _CHUNK


def _round(room: Room, split: SplitName, some: list[Job], workers: int) -> Iterator[Done]:
    """What comes of some jobs. They are done pair by pair: what is known of two APIs is worked out once."""
    some.sort(key=lambda job: (job.pair.source or "", job.pair.target, job.number))
    parts = list(chunks(some, _CHUNK))
    random.Random(keys.seed_of(room.seed, split)).shuffle(parts)
    return chain.from_iterable(ordered(partial(work, room, split), parts, workers=workers))


def _different(made: Iterable[Done], wanted: Counter[SplitName], census: Census, likeness: float) -> Iterator[Done]:
    """Those that are wanted, came about and repeat no other one; the others are counted."""

    def good() -> Iterator[Done]:
        for one in made:
            if wanted[one.split] > 0:
                if one.counts is not None:
                    yield one
                else:
                    census.drop(one.dropped)

    ones, others = tee(good())
    for one, first in zip(ones, repeats((other.words for other in others), threshold=likeness), strict=True):
        if first is not None:
            census.drop(REPEATS)
            continue
        census.add(one)
        wanted[one.split] -= 1
        yield one
