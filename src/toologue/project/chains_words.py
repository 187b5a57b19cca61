"""What a worker does for a dataset of chains: from jobs to lines that are planned, worded, offered APIs and verified.

Contract: `work(room, split, jobs)` is a function of its arguments and the files in the room's folder: it
may run in any process. What does not come about says why; a pair that came to nothing is not tried again among the same
jobs.

Example:
    >>> import tempfile
    >>> from toologue.schema import Api, Parameter
    >>> from toologue.schema.jsonl import write
    >>> folder, text = Path(tempfile.mkdtemp()), {"type": "string"}
    >>> tides = Api(name="Sea|tides|Tides", parameters={"city": Parameter(schema=text)},
    ...     returns={"type": "object", "properties": {"summary": text}})
    >>> _ = write(folder / "tools.jsonl", [tides])
    >>> from toologue.plan.chains.choose import jobs
    >>> from toologue.project.chains_pairs import ChainMaking, prepare
    >>> made = prepare([folder / "tools.jsonl"], folder / "set", ChainMaking(ratio=(1, 0, 0)), indexes=folder)
    >>> first = next(jobs(made.pairs["train"], cap=1, seed=0))
    >>> (done,) = work(Room(folder / "set", folder, "lexical", 0), "train", [first])
    >>> done.split, bool(done.line or done.dropped)
    ('train', True)

Not covered: near-duplicates, which are seen where all lines meet.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

from toologue import keys
from toologue.models.embed import calibrated, embedder
from toologue.models.index import Index
from toologue.plan.chains.catalog import Shelf
from toologue.plan.chains.choose import Job
from toologue.plan.chains.execute import Dropped
from toologue.plan.chains.pairs import Pair
from toologue.plan.chains.planner import Planner
from toologue.plan.chains.reasons import Reason
from toologue.plan.chains.sequences import SEQUENCES
from toologue.plan.chains.split import SplitName
from toologue.plan.chains.statistics import Statistics, statistics
from toologue.project.variety import masked
from toologue.schema import Dialogue, Plan
from toologue.schema.jsonl import line_of
from toologue.verify.chains import verify_chain
from toologue.worlds.documented import Documented
from toologue.write.chains import ChainWriter, Unworded


class Room(NamedTuple):
    """Where a dataset is made: its folder with `apis.jsonl` and `splits.json`, the folder with each split's index.

    Then the embedder that the index was made with, and the seed.
    """

    folder: Path
    indexes: Path
    embedder: str
    seed: int


class Done(NamedTuple):
    """A dialogue as a line, its counts, and the users' words with values masked; or why there is none."""

    split: SplitName
    number: int
    line: bytes = b""
    counts: Statistics | None = None
    words: str = ""
    dropped: str = ""


def work(room: Room, split: SplitName, jobs: Sequence[Job]) -> list[Done]:
    """What comes of some jobs of a split."""
    desk, lost = _desk(room, split), dict[Pair, Reason]()
    return [desk.done(job, lost) for job in jobs]


class _Desk:
    """Planner, writer and verifier of one split."""

    def __init__(self, room: Room, split: SplitName):
        self._split: SplitName = split
        seed, by = keys.seed_of(room.seed, split), embedder(room.embedder)
        shelf = _shelf(room)
        names = cast("dict[str, list[str]]", json.loads((room.folder / "splits.json").read_bytes()))[split]
        self._apis = shelf.apis(names)
        self._world = Documented(self._apis, seed=seed)
        bands = calibrated(by.name, "confirm", "suggest")
        self._planner = Planner(shelf.file, seed=seed, bands=bands, shelf=shelf, world=self._world)
        index = Index.open(room.indexes / f"{split}.npy", sorted(names), by)
        bank = "unseen" if split == "test" else "train"
        self._writer = ChainWriter(self._apis, by, seed=seed, bank=bank, index=index)

    def done(self, job: Job, lost: dict[Pair, Reason]) -> Done:
        """What comes of one job. A pair of which nothing comes about is `lost`: it is not tried again beside it."""
        try:
            if job.pair in lost:
                raise Dropped(lost[job.pair])
            self._writer.check(job.pair.target, SEQUENCES[job.sequence].actions)
            dialogue = self._offering(self._writer.words(self._plan(job)))
        except Dropped as dropped:
            lost[job.pair] = dropped.reason
            return Done(self._split, job.number, dropped=dropped.reason)
        except Unworded as dropped:
            return Done(self._split, job.number, dropped=dropped.reason)
        flaws = verify_chain(dialogue, self._world, apis=self._apis, sequence=SEQUENCES[job.sequence].steps)
        if flaws:
            return Done(self._split, job.number, dropped=f"not valid: {flaws[0].rule}")
        return Done(self._split, job.number, line_of(dialogue), statistics([dialogue]), _words(dialogue))

    def _plan(self, job: Job) -> Plan:
        """The plan of a job, named after its split."""
        plan = self._planner.plan(job)
        name, origin = f"{self._split}-{job.number:06d}", {**plan.dialogue.origin, "split": self._split}
        return plan.but(dialogue=plan.dialogue.but(id=name, origin=origin))

    def _offering(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue, in which the agent is offered what the retriever found, and nothing of another split."""
        found = {name for name in dialogue.apis if name in self._apis}
        for turn in dialogue.turns:
            for result in turn.results if turn.role == "agent" and turn.action == "retriever_call" else ():
                if result is not None and isinstance(result.value, dict):
                    found.update(cast("dict[str, float]", result.value.get("retrieved", {})))
        return dialogue.but(apis=tuple(sorted(found)))


@lru_cache(maxsize=1)
def _shelf(room: Room) -> Shelf:
    return Shelf(room.folder / "apis.jsonl")


_DESKS: dict[tuple[Room, SplitName], _Desk] = {}


def _desk(room: Room, split: SplitName) -> _Desk:
    """The desk of a split. That of another one goes first, with what it kept: caches of its own methods are cycles."""
    if (room, split) not in _DESKS:
        _DESKS.clear()
        gc.collect()
        _DESKS[room, split] = _Desk(room, split)
    return _DESKS[room, split]


def _words(dialogue: Dialogue) -> str:
    """What the user says, without the values that are told."""
    told = [turn for turn in dialogue.turns if turn.role == "user"]
    values = [str(value) for turn in told for value in turn.informed.values()]
    return masked("\n".join(turn.text for turn in told), values)
