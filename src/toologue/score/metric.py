"""What a metric is, how scores become totals (counts are added, then one function is applied), and who graded.

Contract: a metric is a pure function `(gold, trace, match) -> {name: Score}`. It never raises, whatever an agent did.
Nothing is scored that was not said: where a language model gave no reply (`no_reply`), all of the conversation is
unscored, and the fault stands in `why`. An agent that raises, is out of time, or does not return the floor is scored. A
total is hits / of, unless `RATIOS` registers another function for the metric's name; None where nothing was scored.
What is unsure makes it a bracket: `value` if all of it is wrong, `best` if all of it is right. Its interval is that of
both ends of the bracket, over dialogues, the trials of one dialogue together: of shares of whole conversations, and
wherever dialogues are all alike, `share_interval`; of all else the percentile bootstrap.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import TypeAdapter, ValidationError

from toologue import __version__, keys, registry
from toologue.data import complaint, path_text
from toologue.errors import BadRecord
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Cue, Dialogue, Fault, Mismatch, Score, Trace, Verdict, answers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Metric = Callable[[Dialogue, Trace, TextMatch], Mapping[str, Score]]
# What a score counts, in a sentence, how its total comes of added counts where that is not hits / of, and of which less
# is better: metrics add theirs when they are imported.
MEANINGS: dict[str, str] = {}
RATIOS: dict[str, Callable[[Mapping[str, float]], float | None]] = {}
LOWER_IS_BETTER: set[str] = set()
NOTHING = "nothing to score"  # why a score has no value where its counts are 0 of 0
_RESAMPLES, _Z = 2000, 1.96
_BLOCK = 1 << 22  # numbers held at once while resampling
# What a verdict hangs on, from the package's root.
_RULES = ("score", "text", "values", "procedure/grammar.py", "models/thresholds.json")


class Total(NamedTuple):
    """A metric over many traces: its value and 95 % interval, scored and unscored traces, added counts.

    `best` is the value if all that is unsure is right, `unsure` what the counts gain by it, `open` in how many traces.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    counts: Mapping[str, float]
    best: float | None = None
    unsure: Mapping[str, float] = {}
    open: int = 0


class Share(NamedTuple):
    """Hits, of how many; of those that are no hits, how many are unsure."""

    hits: float
    of: float
    unsure: float = 0


class TurnTest(NamedTuple):
    """One turn of the user: its number, from 1, where the gold's answer begins, and what is wrong with the agent's."""

    round: int
    turn: int
    at: tuple[Mismatch, ...] = ()

    @property
    def correct(self) -> bool:
        """Whether nothing is."""
        return not self.at


def no_reply(trace: Trace) -> str:
    """Why nothing of a trace can be scored: the first fault of a model in it, by name; empty where there is none.

    That a case is out of time ("timeout", too) is no such fault: whoever set the limit wants it to count.
    """
    turns = trace.turns[:-1] if trace.stop == "timeout" else trace.turns
    faults = (turn.error for turn in turns if turn.role == "agent" and turn.error is not None)
    fault = next((fault.type for fault in faults if fault.no_reply), None)
    return f"the model gave no reply: {fault}" if fault else ""


def own_fault(trace: Trace) -> Fault | None:
    """The first fault that is the agent's own: what it raised, or answered and nobody can use; or that its time is up.

    The conversation fails for that.
    """
    faults = [turn.error for turn in trace.turns if turn.role == "agent" and turn.error is not None]
    ended = faults[-1] if faults and trace.stop == "timeout" else None
    return next((fault for fault in faults if fault is ended or not fault.no_reply), None)


def unscored(metrics: Iterable[str], gold: Dialogue, trace: Trace, why: str) -> dict[str, Score]:
    """These metrics, each None for the same reason; nothing without a reason."""
    return {name: Score(metric=name, dialogue=gold.id, case=trace.case, why=why) for name in metrics if why}


def score_of(
    metric: str,
    gold: Dialogue,
    trace: Trace,
    counts: Mapping[str, float],
    at: Iterable[Mismatch] = (),
    unsure: Mapping[str, float] = {},
) -> Score:
    """A score of these counts; None where there is nothing to score. The mismatches explain it."""
    numbers = {name: float(number) for name, number in counts.items()}
    gain = {name: float(number) for name, number in unsure.items() if number}
    value = value_of(metric, numbers)
    score = Score(
        metric=metric, dialogue=gold.id, case=trace.case, counts=numbers, unsure=gain, value=value, at=tuple(at)
    )
    return score if value is not None else score.replace(why=NOTHING)


def shares_of(
    shares: Mapping[str, tuple[float, ...]], gold: Dialogue, trace: Trace, at: Mapping[str, Iterable[Mismatch]] = {}
) -> dict[str, Score]:
    """Scores of (hits, of) or (hits, of, unsure) by metric, with the mismatches that explain some of them."""
    return {
        name: score_of(name, gold, trace, {"hits": hits, "of": of}, at.get(name, ()), {"hits": unsure})
        for name, (hits, of, unsure) in ((name, Share(*share)) for name, share in shares.items())
    }


def answers_of(gold: Dialogue) -> Iterator[tuple[int, int, AgentTurn]]:
    """(index of the turn, number of the user's turn, from 1, turn) of each agent turn that answers the user."""
    for number, start, did in answers(gold.turns):
        yield from ((at, number, turn) for at, turn in enumerate(did, start))


def done_at(trace: Dialogue | Trace, at: int) -> AgentTurn:
    """What the agent did in turn `at`; an empty turn where that is nothing."""
    turn = trace.turns[at] if at < len(trace.turns) else None
    return turn if isinstance(turn, AgentTurn) else AgentTurn()


def onward(turn: AgentTurn) -> tuple[AgentTurn, ...]:
    """What the agent did after look-ups that the gold does not make (`loop`); nothing where it was not asked."""
    given = turn.extra.get("then")
    try:
        return _turns().validate_python(given) if given else ()
    except ValidationError:
        return ()


def whole(turn: AgentTurn) -> AgentTurn:
    """A turn with all that the agent did after it, as one."""
    if not (then := onward(turn)):
        return turn
    every = [turn, *then]
    padded = (each.results or (None,) * len(each.acts) for each in every)
    return turn.replace(
        text="\n".join(each.text for each in every if each.text) or None,
        acts=tuple(act for each in every for act in each.acts),
        results=tuple(result for results in padded for result in results),
        error=then[-1].error,
    )


@cache
def _turns() -> TypeAdapter[tuple[AgentTurn, ...]]:
    return TypeAdapter(tuple[AgentTurn, ...])


def must_of(turn: AgentTurn, place: str = "") -> Cue | None:
    """What the words of a gold's turn must get across, if it says so. Raises BadRecord for what is no cue."""
    given = turn.extra.get("must")
    if given is None:
        return None
    try:
        return Cue.model_validate(given)
    except ValidationError as error:
        inner, what = complaint(error)
        raise BadRecord(place or "a turn", 0, path_text(("extra", "must", *inner)), what) from None


def ratio(counts: Mapping[str, float]) -> float | None:
    """The counts' hits / of; None where `of` is 0."""
    return counts["hits"] / counts["of"] if counts.get("of") else None


def best_of(score: Score) -> float | None:
    """The value of a score if all that is unsure is right."""
    return value_of(score.metric, gained(score.counts, score.unsure)) if score.unsure else score.value


def verdict_on(score: Score) -> Verdict:
    """What a score says of its conversation: right if it is full, unsure if it would be once all unsure is right."""
    return "right" if score.value == 1.0 else "unsure" if best_of(score) == 1.0 else "wrong"


def gained(counts: Mapping[str, float], gain: Mapping[str, float]) -> Mapping[str, float]:
    """Counts with what they gain."""
    return {name: number + gain.get(name, 0.0) for name, number in counts.items()}


def value_of(metric: str, counts: Mapping[str, float]) -> float | None:
    """The value that counts stand for."""
    return RATIOS.get(metric, ratio)(counts)


def meanings() -> Mapping[str, str]:
    """What each score of the registered metrics counts, in a sentence."""
    for name in registry.names("metric"):
        registry.find("metric", name)  # imports it
    return MEANINGS


def lower_is_better(metric: str) -> bool:
    """Whether less of a metric is better."""
    meanings()  # those that are not imported yet say it then
    return metric in LOWER_IS_BETTER


def grader(match: TextMatch) -> Mapping[str, object]:
    """What a run's scores.json says of its grader; equal graders give equal traces equal scores."""
    return {"toologue": __version__, "rules": rules_key(), "similarity": match.record()}


@cache
def rules_key() -> str:
    """16 hex digits that name the rules, their weights and their words."""
    root = Path(__file__).resolve().parents[1]
    places = [root / name for name in _RULES]
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    used = [file for file in files if file.suffix in {".py", ".yaml", ".json", ".txt"}]
    return keys.content_key([[file.relative_to(root).as_posix(), keys.file_key(file)] for file in used])


def totals(scores: Iterable[Score], *, seed: int = 0) -> list[Total]:
    """One total per metric, in the order in which the metrics first occur. Scores are streamed, not held."""
    columns: dict[str, _Column] = {}
    for score in scores:
        column = columns.get(score.metric)
        if column is None:  # `setdefault` would make one for each score
            column = columns[score.metric] = _Column(score.metric)
        column.add(score)
    return [column.total(seed) for column in columns.values()]


class _Column:
    """The counts of one metric: a few numbers a dialogue, which is all that a total needs."""

    def __init__(self, metric: str):
        self._metric = metric
        self._names: tuple[str, ...] = ()
        self._rows: dict[str, int] = {}
        self._numbers = array("d")
        self._scored = self._unscored = self._open = 0
        self._whole = True  # each score is of one thing, a conversation

    def add(self, score: Score) -> None:
        scored = score.value is not None
        self._scored, self._unscored = self._scored + scored, self._unscored + (not scored)
        self._open += bool(score.unsure)
        if not score.counts:
            return
        self._names = self._names or tuple(sorted(score.counts))
        self._whole &= 0 <= score.counts.get("hits", 0) <= score.counts.get("of", 0) <= 1
        width = 2 * len(self._names)  # the counts, then what they gain
        row = self._rows.setdefault(score.dialogue, len(self._rows))
        if row * width == len(self._numbers):
            self._numbers.extend([0.0] * width)
        for place, name in enumerate(self._names, row * width):
            self._numbers[place] += score.counts[name]
            self._numbers[place + width // 2] += score.unsure.get(name, 0.0)

    def total(self, seed: int) -> Total:
        import numpy as np

        if not self._names:
            return Total(self._metric, None, None, None, self._scored, self._unscored, {})
        width = len(self._names)
        table = np.frombuffer(self._numbers, dtype=np.float64).reshape(-1, 2 * width)
        table = table[np.lexsort(table.T)]  # so that the order of the scores does not matter
        worst, gain = table[:, :width], table[:, width:]
        counts, unsure = (dict(zip(self._names, part.sum(axis=0).tolist(), strict=True)) for part in (worst, gain))
        unsure = {name: number for name, number in unsure.items() if number}
        value, best = (value_of(self._metric, one) for one in (counts, gained(counts, unsure)))
        ends = [worst, worst + gain] if unsure else [worst]
        found = [end for part in ends if value is not None for end in self._interval(part, seed) if end is not None]
        low, high = (min(found), max(found)) if found else (None, None)
        return Total(self._metric, value, low, high, self._scored, self._unscored, counts, best, unsure, self._open)

    def _interval(self, table: NDArray[np.float64], seed: int) -> tuple[float | None, float | None]:
        if len(table) < 2:
            return None, None
        shares = self._metric not in RATIOS and "of" in self._names
        places = [self._names.index(name) for name in ("hits", "of")] if shares else []
        if shares:
            hits, of = table[:, places].T
            if self._whole or not (hits * of.sum() - of * hits.sum()).any():
                return share_interval(hits, of)
        drawn = resampled(table, keys.seed_of(seed, self._metric))
        if shares:  # all at once
            hits, of = drawn[:, places].T
            return interval(hits[of > 0] / of[of > 0])
        rows = (dict(zip(self._names, row, strict=True)) for row in drawn.tolist())
        return interval(value for row in rows if (value := value_of(self._metric, row)) is not None)


def resampled(table: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The sums of the columns in each of 2,000 samples of as many rows, drawn with replacement."""
    import numpy as np

    random, drawn = np.random.default_rng(seed), np.empty((_RESAMPLES, table.shape[1]))
    kinds, often = np.unique(table, axis=0, return_counts=True)  # equal rows are drawn together
    at_once = max(1, min(_RESAMPLES, _BLOCK // len(kinds)))
    for start in range(0, _RESAMPLES, at_once):
        size = min(at_once, _RESAMPLES - start)
        drawn[start : start + size] = random.multinomial(len(table), often / len(table), size=size) @ kinds
    return drawn


def share_interval(hits: NDArray[np.float64], of: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of hits / of over dialogues, with two more of average size that are all right, two all wrong.

    Of dialogues with one trial that is Agresti and Coull (1998): it has a width where all of a few are alike.
    """
    import numpy as np

    hits, of = hits[of > 0], of[of > 0]
    size = of.mean()
    hits, of = np.append(hits, [0, 0, size, size]), np.append(of, [size] * 4)
    middle = hits.sum() / of.sum()
    half = _Z * float(np.sqrt(np.square((hits - middle * of) / size).mean() / len(of)))
    return max(0.0, float(middle) - half), min(1.0, float(middle) + half)


def interval(values: Iterable[float]) -> tuple[float | None, float | None]:
    """The ends between which the middle 95 % of resampled values lie; None where there are none."""
    import numpy as np

    found = [*values]
    if not found:
        return None, None
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
