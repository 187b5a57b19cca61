"""Chains: API documents in, a dataset of verified conversations out. Graph, checks, plans, words, splits, statistics.

`make_chains(sources, folder, making)` puts into a folder, as it is made:

    apis.jsonl                                   the documents, every entity with a phrase
    graph.jsonl                                  which output feeds which parameter (or the graph that was given)
    uses.jsonl                                   what people want of them, where that is given
    splits.json                                  the APIs of each split
    dialogues.jsonl                              the conversations, with `origin.split`
    train.jsonl, validation.jsonl, test.jsonl    the same, apart
    statistics.json                              what there is to say of them, what was dropped and why

No API is in two splits: not as source or target, not among those that the agent is offered, not in what the retriever
finds. The test split is worded from a bank that the others never use. A dialogue that is not valid, or nearly repeats
another, is dropped, and another one made.

Contract: equal documents, seeds and folder names give equal bytes at any number of workers. Conversations stream; a
kill leaves those of an earlier run as they were.

A model may find the words (`ChainMaking.writer`); where they stay wrong, or are not valid, the template's stand, and
`origin["instead"]` says why.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import chain, islice, tee
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple, cast

from toologue import keys
from toologue.apis.choice import Choice
from toologue.apis.load import each_api
from toologue.errors import BadSetting
from toologue.models.ask import model
from toologue.models.embed import calibrated
from toologue.models.embed import embedder as embedder_of
from toologue.models.index import Index
from toologue.models.model import ModelFault
from toologue.models.retriever import index_of
from toologue.parallel import chunks, ordered, pool, seldom_collected, unordered
from toologue.plan.api_graph.check import EdgeChecker
from toologue.plan.api_graph.edges import find_edges
from toologue.plan.api_graph.pairs import ParallelEmbedder
from toologue.plan.api_graph.rules import RulesName, described_sides
from toologue.plan.chains.catalog import DOUBTS, Catalog, Reason
from toologue.plan.chains.execute import Rejected
from toologue.plan.chains.pairs import Job, Pair, edge_pairs, forget_edges, jobs, single_api_pairs
from toologue.plan.chains.planner import Planner
from toologue.plan.chains.sequences import SEQUENCES, ActionSequence
from toologue.plan.chains.split import RATIO, SPLITS, SplitName, divide
from toologue.plan.chains.statistics import Statistics, statistics
from toologue.plan.chains.uses import NO_USES, Uses, read_uses
from toologue.project.chain_record import FRUITLESS, UNHEARD, Lost, Record, bands_of
from toologue.project.chain_remedies import explain
from toologue.project.chain_statistics import ChainStatistics
from toologue.project.generate import NO_ANSWER, UNWORDED
from toologue.project.statistics import by_frequency, masking
from toologue.schema import Dialogue, Edge, Plan, Use
from toologue.schema.jsonl import check_owned, line_of, parse, read, read_lines, replacing, write
from toologue.text.secrets import without_keys
from toologue.verify import Flaw
from toologue.verify.chains import verify_chain
from toologue.worlds.documented import Documented
from toologue.write.chains import ChainWriter, Unworded
from toologue.write.chains.model import ChainModelWriter
from toologue.write.chains.questions import estimate, unspeakable_reason
from toologue.write.duplicates import repeats

_LINES, _NAMES, _TEXTS, _JOBS = 4096, 512, 2048, 32  # at once
_MOST = 5  # jobs that are tried for one that is wanted
_TRIES = 4  # of each pair in a round, or half as many as in all before
Progress = Callable[[int, int], None]
_NOTHING = "nothing to talk about: no API and no edge can become a conversation"
_REPEATS = "nearly repeats another"


@dataclass(frozen=True)
class ChainMaking:
    """How a dataset is made: so many dialogues, in this ratio of train, validation and test.

    `most`: the share that one pair may have, where there are pairs enough. `likeness`: from when on users' words
    repeat those of another.
    `embedder` and `rules` are those of the graph; the embedder is also that of the retriever. `writer`: or a model.
    """

    count: int = 1000
    seed: int = 0
    embedder: str = "lexical"
    rules: RulesName = "best"
    ratio: Sequence[float] = RATIO
    most: float = 0.02
    likeness: float = 0.8
    writer: str = "template"


class Prepared(NamedTuple):
    """Pairs by split; how many APIs and edges there are; why chosen edges, documents and pairs make no dialogue."""

    pairs: Mapping[SplitName, list[Pair]]
    apis: int
    edges: int
    dropped: Mapping[str, Counter[Any]]


class Workspace(NamedTuple):
    """Where a dataset is made: its folder, that of indexes, how; the documents' hash; if pairs may be `wordless`."""

    folder: Path
    indexes: Path
    making: ChainMaking
    documents: str = ""
    wordless: bool = False

    @property
    def apis(self) -> Path:
        """The file of the documents."""
        return self.folder / "apis.jsonl"

    @property
    def graph(self) -> Path:
        """The file of the edges."""
        return self.folder / "graph.jsonl"

    @property
    def uses(self) -> Path:
        """The file of the uses, if there is one."""
        return self.folder / "uses.jsonl"


class Done(NamedTuple):
    """A dialogue as a line, its counts, and the users' words with values masked; or why there is none."""

    split: SplitName
    number: int
    line: bytes = b""
    counts: Statistics | None = None
    words: str = ""
    dropped: str = ""


class _PairsOfPart(NamedTuple):
    """The pairs of a part of the work, why there are not more, and pairs of edges that are not the best ones."""

    pairs: list[Pair]
    dropped: Counter[Any]
    others: Sequence[Pair] = ()


def make_chains(
    sources: Sequence[Path | str],
    folder: Path,
    making: ChainMaking,
    *,
    graph: Path | None = None,
    uses: Path | None = None,
    choice: Choice | None = None,
    workers: int = 1,
    progress: Progress = lambda done, of: None,
) -> ChainStatistics:
    """Make a dataset of the chosen operations of sources. Raises BadSetting where nothing can be made of it."""
    if making.count < 1 or workers < 1 or not 0 < making.most <= 1:
        what = f"count {making.count}, workers {workers}, most {making.most}"
        raise BadSetting(f"{what}: give 1 or more, and a share up to 1")
    check_owned(folder, "splits.json")
    with ExitStack() as stack:
        stack.enter_context(seldom_collected())
        making = replace(making, ratio=tuple(making.ratio))
        space = Workspace(folder, Path(stack.enter_context(TemporaryDirectory())), making)
        prepared = prepare(sources, space, graph=graph, uses=uses, choice=choice, workers=workers)
        space = space._replace(documents=keys.file_key(space.apis))
        wanted, total, dropped = _wanted(prepared, making), Statistics(), Counter[str]()
        repeated = list[Done]()
        into = {name: stack.enter_context(replacing(folder / f"{name}.jsonl")) for name in ("dialogues", *SPLITS)}
        scratch = stack.enter_context(TemporaryFile(dir=folder))
        places: list[tuple[int, int, int, int]] = []
        made = _generate(prepared, space, wanted, repeated, workers)
        stack.enter_context(pool(workers))
        for one in _different(made, wanted, dropped, repeated, making.likeness):
            total.update(cast("Statistics", one.counts))
            places.append((SPLITS.index(one.split), one.number, scratch.tell(), len(one.line)))
            scratch.write(one.line)
            progress(total.dialogues, making.count)
        for split, _, start, size in sorted(places):
            scratch.seek(start)
            line = scratch.read(size)
            into["dialogues"].write(line)
            into[SPLITS[split]].write(line)
    said = _chain_statistics(total, prepared, dropped, making)
    with replacing(folder / "statistics.json") as text:
        text.write(said.model_dump_json(indent=1).encode() + b"\n")
    return said


def prepare(
    sources: Sequence[Path | str],
    space: Workspace,
    *,
    graph: Path | None = None,
    uses: Path | None = None,
    choice: Choice | None = None,
    workers: int = 1,
) -> Prepared:
    """Write documents, graph, splits and their indexes; return the pairs. Raises BadSetting where there is none.

    Chosen edges are checked by execution. An API that is in no pair belongs to a split, too: its agents are offered it,
    and its retriever may find it.
    """
    apart = partial(unordered, executor="processes", workers=1)  # a process that gives its memory back
    (count,) = apart(partial(_write_graph, sources, space, graph, uses, choice), [workers])
    (prepared,) = apart(partial(_share_out, space, count), [workers])
    return prepared


def candidates(
    sources: Sequence[Path | str], folder: Path, *, graph: Path | None = None, choice: Choice | None = None
) -> tuple[Catalog, list[Pair]]:
    """The documents of sources, put into a folder; pairs of edges that hold, last those that rules doubt."""
    space = Workspace(folder, folder, ChainMaking(), wordless=True)
    _write_graph(sources, space, graph, None, choice, 1)
    space = space._replace(documents=keys.file_key(space.apis))
    catalog, checker = _catalog(space), _checker(space)
    found = [*_valid_pairs(space, 1, Counter())]
    seen = {(pair.source, pair.target) for pair in found}
    for edge in read(space.graph, Edge, empty=True):
        why = Counter[Reason]()
        new = edge.chosen and (edge.source, edge.target) not in seen and not [*edge_pairs(catalog, [edge], why)]
        if new and DOUBTS & why.keys() and checker.verdict(edge).valid:
            found.append(Pair(edge.source, edge.output, edge.target, edge.parameter, "yesyes", "multi"))
    return catalog, found


def _write_graph(
    sources: Sequence[Path | str],
    space: Workspace,
    graph: Path | None,
    uses: Path | None,
    choice: Choice | None,
    workers: int,
) -> int:
    making, apis = space.making, each_api(sources, choice)
    if uses is None:
        space.uses.unlink(missing_ok=True)
        apis = map(estimate, map(without_keys, apis))
    else:
        known = {api.name: api for api in apis}
        said = read_uses(uses, known)
        write(space.uses, said.values())
        apis = [without_keys(said.written(api)) for api in known.values()]
    with pool(workers), replacing(space.apis) as file:
        sides = described_sides(apis, making.rules, into=file, workers=workers)
        if graph is None:
            by = ParallelEmbedder(embedder_of(making.embedder), workers)
            edges = find_edges(sides, by, rules=making.rules, workers=workers).edges
        else:
            edges = read(graph, Edge, empty=True)
    return write(space.graph, edges)


def _share_out(space: Workspace, edges: int, workers: int) -> Prepared:
    space = space._replace(documents=keys.file_key(space.apis))
    making, catalog = space.making, _catalog(space)
    no_edge, no_api = Counter[Any](), Counter[Any]()
    with pool(workers):
        pairs = list(_valid_pairs(space, workers, no_edge))
        for part in ordered(partial(_single_part, space), chunks(catalog, _NAMES), workers=workers):
            no_api.update(part.dropped)
            pairs += part.pairs
        if not pairs:
            why = ", ".join(f"{reason} ({number})" for reason, number in (no_edge + no_api).most_common())
            lines = explain(catalog, read(space.graph, Edge, empty=True))
            raise BadSetting("\n  ".join((f"{_NOTHING}: {why}", *lines)))
        of, lost = _split(pairs, catalog, making)
        names = {split: [name for name in catalog if of[name] == split] for split in SPLITS}
        index = index_of(catalog.apis(), ParallelEmbedder(embedder_of(making.embedder), workers), batch=_TEXTS)
    for split, some in names.items():
        index.save(space.indexes / f"{split}.npy", sorted(some))
    with replacing(space.folder / "splits.json") as text:
        text.write(json.dumps(names, indent=1, ensure_ascii=False).encode() + b"\n")
    by_split: dict[SplitName, list[Pair]] = {split: [] for split in SPLITS}
    for pair in pairs:
        if pair.source is None or of[pair.source] == of[pair.target]:
            by_split[of[pair.target]].append(pair)
    dropped = {"edges": no_edge, "documents": no_api, "pairs": Counter[Any]({"between two splits": lost})}
    return Prepared(by_split, len(catalog), edges, dropped)


def _valid_pairs(space: Workspace, workers: int, dropped: Counter[Any]) -> Iterator[Pair]:
    """The pairs of a graph whose edges hold: where the best edge makes none, the next one that does."""
    seen, others = set[tuple[str | None, str]](), list[Pair]()

    def first(pairs: Iterable[Pair], otherwise: Reason) -> Iterator[Pair]:
        for pair in pairs:
            if (pair.source, pair.target) in seen:
                dropped[otherwise] += 1
            else:
                seen.add((pair.source, pair.target))
                yield pair

    lines = ((number, line) for number, line, _ in read_lines(space.graph))
    for part in ordered(partial(_edge_part, space), chunks(lines, _LINES), workers=workers):
        dropped.update(part.dropped)
        others += part.others
        yield from first(part.pairs, "again")
    yield from first(others, "not chosen")


def _edge_part(space: Workspace, lines: Sequence[tuple[int, bytes]]) -> _PairsOfPart:
    """The pairs of some lines of a graph. Only edges that would make a pair are tried: trying is dear."""
    dropped, catalog, uses = Counter[Any](), _catalog(space), _uses(space)
    edges = {_edge_key(edge): edge for edge in (parse(line, Edge, space.graph, at) for at, line in lines)}

    def valid(why: Counter[Any], *, chosen: bool) -> Iterator[Pair]:
        for pair in _speakable(space, edge_pairs(catalog, edges.values(), why, chosen=chosen, uses=uses), why):
            if _checker(space).verdict(edges[_edge_key(pair)]).valid:
                yield pair
            else:
                why["not valid"] += 1

    pairs, others = list(valid(dropped, chosen=True)), list(valid(Counter(), chosen=False))
    dropped["not chosen"] -= len(others)
    return _PairsOfPart(pairs, dropped, others)


def _single_part(space: Workspace, names: Sequence[str]) -> _PairsOfPart:
    """The pairs of some documents, each alone. Edges are tried no more: what is known of them goes."""
    _checker.cache_clear()
    forget_edges()
    dropped, catalog = Counter[Any](), _catalog(space)
    pairs = single_api_pairs(catalog, dropped, names=names, uses=_uses(space))
    return _PairsOfPart(list(_speakable(space, pairs, dropped)), dropped)


def _speakable(space: Workspace, pairs: Iterable[Pair], dropped: Counter[Any]) -> Iterator[Pair]:
    catalog, uses = _catalog(space), _uses(space)
    for pair in pairs:
        beside = unspeakable_reason(catalog.api(pair.source)) if pair.source else None
        against = unspeakable_reason(catalog.api(pair.target))
        against = None if against == "wordless" and (space.wordless or uses.wishes(pair.about)) else against
        if against := against or (None if beside == "wordless" else beside):
            dropped[against] += 1
        else:
            yield pair


def _edge_key(joint: Pair | Edge) -> tuple[str | None, ...]:
    return joint.source, joint.output, joint.target, joint.parameter


def _split(pairs: Sequence[Pair], catalog: Catalog, making: ChainMaking) -> tuple[dict[str, SplitName], int]:
    """The split of every API, and how many pairs are lost by it: pairs are shared out first, then the other APIs."""
    ratio, seed = making.ratio, making.seed
    joined = divide(Counter((pair.source, pair.target) for pair in pairs if pair.source), ratio=ratio, seed=seed)
    others = (pair for pair in pairs if pair.source is None and pair.target not in joined.of)
    alone = divide(Counter((None, pair.target) for pair in others), ratio=ratio, seed=seed)
    rng = random.Random(keys.seed_of(seed, "others"))
    of: dict[str, SplitName] = {name: rng.choices(SPLITS, ratio)[0] for name in catalog}
    return {**of, **alone.of, **joined.of}, len(joined.lost)


def _wanted(prepared: Prepared, making: ChainMaking) -> Counter[SplitName]:
    """How many dialogues each split shall have: the ratio, among those that have pairs."""
    shares = [share if prepared.pairs[name] else 0.0 for name, share in zip(SPLITS, making.ratio, strict=True)]
    wanted: Counter[SplitName] = Counter()
    for at, name in enumerate(SPLITS, 1):
        wanted[name] = round(making.count * sum(shares[:at]) / (sum(shares) or 1)) - wanted.total()
    return wanted


def _generate(
    prepared: Prepared, space: Workspace, wanted: Mapping[SplitName, int], repeated: list[Done], workers: int
) -> Iterator[Done]:
    """What comes of jobs, split by split, in rounds, until nothing is wanted of a split any more.

    The next round is as large as the last one bids; what came of it decides which sequences have more turns. Whoever
    takes what comes puts what was `repeated` there.
    """
    making = space.making
    for split in SPLITS:
        come, made, seed = Counter[str](), Counter[Any](), keys.seed_of(making.seed, split)
        pairs, tried = prepared.pairs[split], 0
        cap = max(1, int(making.most * making.count), -(-wanted[split] // (len(pairs) or 1)))
        record, size = Record(Counter(), made, Counter()), wanted[split] // 2
        ahead = jobs(pairs, cap=cap * _MOST + FRUITLESS, seed=seed, come=come, made=made)
        hopeful = (job for job in ahead if made[job.pair] < cap and not record.hopeless(job))
        while wanted[split] > 0 and (
            some := list(islice(hopeful, min(size, max(_TRIES * len(pairs), tried // 2)) + _JOBS))
        ):
            got, of = Counter[str](), {job.number: job for job in some}
            for done in _round(space, split, some, workers):
                job, came = of[done.number], done.counts is not None
                if came and made[job.pair] == cap:
                    continue
                record.note(job, came=came, why=done.dropped)
                if done.counts:
                    got.update(done.counts.sequences)
                yield done
                if wanted[split] <= 0:
                    break
            for done in repeated:
                record.repeats(of[done.number])
            repeated.clear()
            come.update(got)
            tried += len(some)
            size = int(wanted[split] * min(_MOST, len(some) / (got.total() or 1)))


def _round(space: Workspace, split: SplitName, some: list[Job], workers: int) -> Iterator[Done]:
    """What comes of some jobs. They are done pair by pair: what is known of two APIs is worked out once."""
    some.sort(key=lambda job: (job.pair.source or "", job.pair.target, job.number))
    parts = list(chunks(some, _JOBS))
    random.Random(keys.seed_of(space.making.seed, split)).shuffle(parts)
    return chain.from_iterable(ordered(partial(_run_jobs, space, split), parts, workers=workers))


def _different(
    made: Iterable[Done], wanted: Counter[SplitName], dropped: Counter[str], repeated: list[Done], likeness: float
) -> Iterator[Done]:
    """Those that are wanted, came about and repeat no other one; the others are counted, or `repeated`."""

    def good() -> Iterator[Done]:
        for one in made:
            if wanted[one.split] > 0 and one.counts is not None:
                yield one
            elif wanted[one.split] > 0:
                dropped[one.dropped] += 1

    ones, others = tee(good())
    for one, first in zip(ones, repeats((other.words for other in others), threshold=likeness), strict=True):
        if first is None:
            wanted[one.split] -= 1
            yield one
        else:
            dropped[_REPEATS] += 1
            repeated.append(one)


def _run_jobs(space: Workspace, split: SplitName, some: Sequence[Job]) -> list[Done]:
    """What comes of some jobs of a split, in any process: a function of its arguments and the files in the folders.

    A pair that came to nothing, or was not heard in a band, is not tried again among the same jobs.
    """
    if (space, split) not in _GENERATORS:  # that of another one goes first: its methods' caches are cycles
        _GENERATORS.clear()
        gc.collect()
        _GENERATORS[space, split] = _Generator(space, split)
    lost = Lost({}, Counter())
    return [_GENERATORS[space, split].run(job, lost) for job in some]


class _Generator:
    def __init__(self, space: Workspace, split: SplitName):
        self._split: SplitName = split
        seed, by, catalog = keys.seed_of(space.making.seed, split), embedder_of(space.making.embedder), _catalog(space)
        names = cast("dict[str, list[str]]", json.loads((space.folder / "splits.json").read_bytes()))[split]
        self._apis = catalog.apis(names)
        uses = _uses(space)
        self._world = Documented(self._apis, seed=seed, uses=uses.values())
        bands = calibrated(by.name, "confirm", "suggest")
        self._planner = Planner(catalog.file, seed=seed, bands=bands, catalog=catalog, world=self._world, uses=uses)
        self._index = Index.open(space.indexes / f"{split}.npy", sorted(names), by)
        bank = "unseen" if split == "test" else "train"
        self._writer = ChainWriter(self._apis, by, seed=seed, bank=bank, index=self._index, uses=uses)
        self._by_model = None
        if space.making.writer != "template":
            asked = model(space.making.writer, "writer")
            self._by_model = ChainModelWriter(asked, list(self._apis.values()), by, seed=seed, plain=self._writer)

    def run(self, job: Job, lost: Lost) -> Done:
        """What comes of one job. A pair of which nothing comes about is `lost`: it is not tried again beside it."""
        sequence = SEQUENCES[job.sequence]
        try:
            if job.pair in lost.pairs:
                raise Rejected(lost.pairs[job.pair])
            if why := next(
                (
                    why
                    for why in map("no query to {}".format, bands_of(job.sequence))
                    if lost.unheard[job.pair, why] >= UNHEARD
                ),
                "",
            ):
                return Done(self._split, job.number, dropped=why)
            self._writer.check(job.pair.about, sequence.actions)
            plan = self._planner.plan(job)
            name, origin = f"{self._split}-{job.number:06d}", {**plan.dialogue.origin, "split": self._split}
            plan = plan.replace(dialogue=plan.dialogue.replace(id=name, origin=origin))
            dialogue = self._offering(self._words(plan))
        except (Rejected, Unworded) as rejected:
            if isinstance(rejected, Rejected):
                lost.pairs[job.pair] = rejected.reason
            lost.unheard[job.pair, rejected.reason] += 1
            return Done(self._split, job.number, dropped=rejected.reason)
        except ModelFault as fault:
            if fault.type in NO_ANSWER:
                raise BadSetting(f"the model does not answer: {fault}") from None
            return Done(self._split, job.number, dropped=UNWORDED)
        flaws = self._flaws(dialogue, sequence)
        if flaws and self._by_model is not None and "instead" not in dialogue.origin:
            dialogue = self._offering(self._plainly(plan, str(flaws[0])))
            flaws = self._flaws(dialogue, sequence)
        if flaws:
            return Done(self._split, job.number, dropped=f"not valid: {flaws[0].rule}")
        users = [turn for turn in dialogue.turns if turn.role == "user"]
        values = [str(value) for turn in users for value in turn.informed.values()]
        words = masking(values)("\n".join(turn.text for turn in users))
        return Done(self._split, job.number, line_of(dialogue), statistics([dialogue]), words)

    def _flaws(self, dialogue: Dialogue, sequence: ActionSequence) -> list[Flaw]:
        return verify_chain(dialogue, self._world, apis=self._apis, sequence=sequence.steps, index=self._index)

    def _words(self, plan: Plan) -> Dialogue:
        """The dialogue with the words of whoever finds them. Raises Unworded, ModelFault."""
        if self._by_model is None:
            return self._writer.words(plan)
        try:
            return asyncio.run(self._by_model.write(plan))
        except ModelFault as fault:
            if fault.type != "bad_response":
                raise
            return self._plainly(plan, str(fault))

    def _plainly(self, plan: Plan, why: str) -> Dialogue:
        dialogue = self._writer.words(plan)
        return dialogue.replace(origin={**dialogue.origin, "instead": why})

    def _offering(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue, in which the agent is offered what the retriever found, and nothing of another split."""
        offered = {name for name in dialogue.apis if name in self._apis}
        for turn in dialogue.turns:
            for result in turn.results if turn.role == "agent" and turn.action == "retriever_call" else ():
                if result is not None and isinstance(result.value, dict):
                    offered.update(cast("dict[str, float]", result.value.get("retrieved", {})))
        return dialogue.replace(apis=tuple(sorted(offered)))


@lru_cache(maxsize=1)
def _catalog(space: Workspace) -> Catalog:
    return Catalog(space.apis)


@lru_cache(maxsize=1)
def _uses(space: Workspace) -> Uses:
    return Uses(read(space.uses, Use, empty=True), file=space.uses) if space.uses.exists() else NO_USES


@lru_cache(maxsize=1)
def _checker(space: Workspace) -> EdgeChecker:
    return EdgeChecker(_catalog(space).apis(), seed=space.making.seed)


_GENERATORS: dict[tuple[Workspace, SplitName], _Generator] = {}


def _chain_statistics(
    total: Statistics, prepared: Prepared, lost: Counter[str], making: ChainMaking
) -> ChainStatistics:
    """The figures of what stands in the files; `lost` says why some dialogues do not."""
    repeats, dropped = lost[_REPEATS], {**prepared.dropped, "dialogues": lost}
    pairs = sum(source is not None for source, _ in total.pairs)
    same = ("dialogues", "turns", "user_messages", "agent_messages", "agent_actions", "states", "apis")
    return ChainStatistics(
        **{name: getattr(total, name) for name in same},
        **cast("Any", {name: by_frequency(getattr(total, name)) for name in ("actions", "sequences", "categories")}),
        splits={name: total.splits[name] for name in SPLITS},
        turns_per_dialogue=total.mean,
        pairs=pairs,
        alone=len(total.pairs) - pairs,
        most_used=max(total.pairs.values(), default=0) / (total.dialogues or 1),
        rarest=min(total.sequences.values(), default=0) / (total.dialogues or 1),
        repeats=repeats / (total.dialogues + repeats) if total.dialogues else 0.0,
        documents=prepared.apis,
        edges=prepared.edges,
        dropped={name: by_frequency(+counts) for name, counts in dropped.items() if +counts},
        made={**asdict(making), "ratio": list(making.ratio)},
    )
