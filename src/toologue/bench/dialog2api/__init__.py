"""Dialog2API: programs over S3, executed and compared turn by turn (arXiv 2212.09946, sections 2.1 and 5).

    part     protocol   asked for                                        metrics (`score.programs`)
    talk     recorded   programs and words, the user's words being       EMR, perfect dialogue, turn match, BLEU
                        the gold's whatever was answered
    code     next       programs, each where the gold stands             CodeEdits

Contract: `load` reads our dialogues (None: those that ship), the paper's XML, or a dialogues.jsonl, and executes the
gold in the world `s3_programs`: what it comes to here is what counts. A file that says what it comes to must be right:
its signatures, and the results of a dialogues.jsonl.
`play` runs an agent through a part; `grade` grades either. `DIALOG2API` is the first part: what a benchmark is to
everybody else.

Example:
    >>> from toologue.formats.dialog2api import parse_conversations
    >>> goal = '<goal uid="1" status="final"><program>return len(s3.list_buckets()["Buckets"])</program></goal>'
    >>> words = '<turn>User: How many buckets?</turn>', goal, '<turn>Agent: Five.</turn>'
    >>> (said,) = parse_conversations(f'<conversation uid="d"><turns>{"".join(words)}</turns></conversation>')
    >>> gold = executed(said)
    >>> gold.turns[1].results[0].value, len(gold.turns[1].extra["signatures"][0])
    (5, 8)

Not covered: the paper's own conversations, which are not published.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from toologue.agents.agent import AgentSpec
from toologue.bench.benchmark import CAP, Benchmark, Graded, Mode, Options, sums, traces_of
from toologue.bench.dialog2api.files import SHIPPED, Split, read_folder
from toologue.errors import BadFile, BadRecord, UnknownName, shown
from toologue.formats.dialog2api import read_conversations
from toologue.loop import execute
from toologue.models.similarity import TextMatch
from toologue.run.runner import Settings
from toologue.schema import AgentTurn, Case, Dialogue, ProtocolName, Result, Setting, Trace, executable
from toologue.schema.jsonl import read
from toologue.score.metric import value_of
from toologue.score.programs import METRICS, scores_of, turn_tests
from toologue.worlds.s3 import signature
from toologue.worlds.world import make_world

__all__ = [
    "DIALOG2API",
    "PARTS",
    "PASSES",
    "Part",
    "executed",
    "grade",
    "load",
    "of_split",
    "play",
    "summarize",
]

PASSES = METRICS[1]
Part = Literal["talk", "code"]
PARTS: dict[Part, ProtocolName] = {"talk": "recorded", "code": "next"}
"""How each part is played."""


def load(data: Path | None = None) -> list[Dialogue]:
    """The dialogues of a file or folder, executed. Raises BadFile, BadRecord."""
    if data is None or (data / "goals.yaml").exists():
        found = list(read_folder(data or SHIPPED))
    elif data.suffix == ".xml":
        found = read_conversations(data)
    else:
        found = list(read(data / "dialogues.jsonl" if data.is_dir() else data, Dialogue))
    strange = next((one for one in found if one.world.name not in ("s3", "s3_programs")), None)
    if strange is not None:
        raise BadFile(f"{data}: dialogue {strange.id!r} plays in the world {strange.world.name!r}, not in s3")
    golds = [executed(one, data or SHIPPED) for one in found]
    if data is not None and data.suffix != ".xml":
        for line, (written, gold) in enumerate(zip(found, golds, strict=True), 1):
            _check_results(written, gold, data, line)
    return golds


def of_split(golds: Sequence[Dialogue], split: Split | None) -> list[Dialogue]:
    """The dialogues of a split; all without one."""
    found = [gold for gold in golds if split in (None, gold.origin.get("split"))]
    if not found:
        raise UnknownName("split", str(split), {str(gold.origin.get("split", "none")) for gold in golds})
    return found


def executed(dialogue: Dialogue, file: object = "<dialogue>") -> Dialogue:
    """The dialogue in the world `s3_programs`, every final program executed, every signature in its place."""
    dialogue = dialogue.but(world=Setting(name="s3_programs", arguments=dialogue.world.arguments))
    world = make_world(Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="recorded"))
    turns = list(dialogue.turns)
    initial = _checked(dialogue, file, "extra.initial_signature", dialogue.extra.get("initial_signature"), world, None)
    for at, turn in enumerate(turns):
        if turn.role == "agent" and turn.acts:
            results: list[Result | None] = []
            signed: list[str | None] = []
            said = _said(turn)
            for slot, act in enumerate(turn.acts):
                result = execute(world, act) if executable(act) else None
                place = f"turns[{at}].acts[{slot}]"
                results.append(result)
                signed.append(result and _checked(dialogue, file, place, said[slot], world, result))
            turns[at] = turn.but(results=tuple(results), extra={**turn.extra, "signatures": signed})
    return dialogue.but(turns=tuple(turns), extra={**dialogue.extra, "initial_signature": initial})


def play(part: Part, golds: Sequence[Dialogue], agent: str | AgentSpec, options: Options = Options()) -> list[Trace]:
    """Run an agent through a part; traces in the order of the dialogues."""
    settings = Settings(protocol=PARTS[part], seed=options.seed, cap=CAP)
    return traces_of(golds, settings, agent, options, part)


def grade(mode: Mode, gold: Dialogue, trace: Trace, judge: TextMatch | None = None) -> Graded:
    """Grade one conversation of either part."""
    scores = scores_of(mode, gold, trace)
    at = [one.model_dump(mode="json") for score in scores.values() for one in score.at if score.metric != METRICS[0]]
    metrics = {name: score.value for name, score in scores.items()}
    why = next((score.why for score in scores.values() if score.why), "")
    record: dict[str, Any] = {"name": gold.id, "part": "code" if trace.protocol == "next" else "talk"}
    if why:
        record["why"] = why
    elif record["part"] == "talk":
        record["turns"] = [test.correct for test in turn_tests(mode, gold, trace)]
    return Graded(gold, trace, scores, {**record, "metrics": metrics, "at": at})


def summarize(mode: Mode, graded: Sequence[Graded]) -> dict[str, Any]:
    """The totals of all dialogues, and of each split: for every metric its value, None where 0/0."""
    splits = dict.fromkeys(str(one.gold.origin["split"]) for one in graded if "split" in one.gold.origin)
    parts = {
        "all": list(graded),
        **{name: [g for g in graded if g.gold.origin.get("split") == name] for name in splits},
    }
    return {name: _totals(part) for name, part in parts.items()}


def _totals(graded: Sequence[Graded]) -> dict[str, Any]:
    counted = sums(graded)
    values = {_key(name): value_of(name, counts) if counts else None for name, counts in counted.items()}
    unscored = sum(all(score.value is None for score in one.scores.values()) for one in graded)
    return {"num_conversations": len(graded), "unscored": unscored, **values, "sums": counted}


def _check_results(written: Dialogue, gold: Dialogue, file: Path, line: int) -> None:
    """Results that a dialogues.jsonl has must be those that programs come to here."""
    for at, (one, other) in enumerate(zip(written.turns, gold.turns, strict=True)):
        if one.role == "agent" and other.role == "agent":
            for slot, (said, made) in enumerate(zip(one.results, other.results, strict=False)):
                if said not in (None, made):
                    what = f"the program of dialogue {shown(gold.id)} comes to another result here"
                    raise BadRecord(file, line, f"$.turns[{at}].results[{slot}]", what, "leave the results out")


def _said(turn: AgentTurn) -> Sequence[Any]:
    """The signatures that a turn carries, one an act."""
    carried = turn.extra.get("signatures")
    return carried if isinstance(carried, list) and len(carried) == len(turn.acts) else [None] * len(turn.acts)


def _checked(dialogue: Dialogue, file: object, place: str, said: Any, world: Any, result: Result | None) -> str:
    """The signature of the world as it is, which is the one that the file gives, if it gives one."""
    made = signature(world, None if result is None else result.value)
    if said not in (None, made):
        what = f"dialogue {shown(dialogue.id)} comes to the signature {made} here, not {shown(said)}"
        remedy = "leave the signature out, or name the account that it was made on: a dialogues.jsonl can"
        raise BadRecord(file, 0, f"$.{place}", what, remedy)
    return made


def _key(metric: str) -> str:
    return metric.lower().replace(" ", "_")


DIALOG2API = Benchmark(
    "dialog2api",
    load,
    grade,
    summarize,
    protocol=PARTS["talk"],
    passes=PASSES,
    shown=tuple((name, _key(name)) for name in METRICS[:4]),
)
