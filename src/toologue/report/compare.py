"""Two runs over the same dialogues, side by side: how far they differ, what broke, what was mended, what flickers.

    broke      passed before and fails now, each for sure and in every trial that has a score
    mended     the contrary
    flickers   neither: its trials disagree, or something is unsure before or after, and not the same

A conversation is compared with the one of the same id, if the same is expected of it; others are counted and named. A
reply that is unsure and was the same before is no difference: whoever decides it, decides it for both.

Contract: pure; both sides were graded by the same grader. A *regression* is a conversation that broke, or a share of
passed conversations whose interval of the paired difference lies below 0.

Not covered: why two replies of a model differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toologue import keys
from toologue.report.view import PASSES, Conversation
from toologue.report.words import located
from toologue.schema import Noun, Outcome, Slip, Status
from toologue.score.metric import meanings
from toologue.score.paired import Counted, Difference, difference, mcnemar


class Change(NamedTuple):
    """A conversation that is not as it was: what became of each trial, where it goes wrong (or went, if mended)."""

    dialogue: str
    procedure: str
    before: Sequence[Status]
    after: Sequence[Status]
    slips: Sequence[Slip]


@dataclass(frozen=True)
class Comparison:
    """Two runs over `of` dialogues. `differences` are those of metrics that both have, `p` is McNemar's, of one trial.

    `gone` and `new` are dialogues of one run alone, `altered` those of which something else is expected now.
    """

    of: int
    gone: Sequence[str]
    new: Sequence[str]
    altered: Sequence[str]
    differences: Sequence[Difference]
    broke: Sequence[Change]
    mended: Sequence[Change]
    flickers: Sequence[Change]
    unscored: tuple[int, int]
    p: float | None

    @property
    def passing(self) -> Difference | None:
        """The difference of the share of conversations that pass."""
        return next((one for name in PASSES for one in self.differences if one.metric == name), None)

    @property
    def regressed(self) -> bool:
        """Whether a conversation broke, or fewer pass than chance explains."""
        return bool(self.broke) or (self.passing is not None and self.passing.verdict == "worse")

    def record(self) -> dict[str, Any]:
        """This in JSON."""
        told = {name: value for name, value in vars(self).items() if name not in ("differences", *_CHANGES)}
        differences = [{**one._asdict(), "verdict": one.verdict} for one in self.differences]
        changes = {name: [_plain(one) for one in getattr(self, name)] for name in _CHANGES}
        return {**told, "regressed": self.regressed, "differences": differences, **changes}


_CHANGES = ("broke", "mended", "flickers")


def _plain(change: Change) -> dict[str, Any]:
    return {**change._asdict(), "slips": [slip.model_dump() for slip in change.slips]}


def outcomes_of(conversations: Iterable[Conversation], agent: str, by: Mapping[str, Any]) -> Iterator[Outcome]:
    """The outcomes of graded conversations. `by` is who graded them (`score.metric`), whoever decided what it left."""
    rules = {**by, "similarity": {name: one for name, one in by["similarity"].items() if name != "decisions"}}
    grader, expected = keys.content_key(rules), dict[str, str]()
    for one in conversations:
        gold, trace = one.gold, one.trace
        if gold.id not in expected:
            expected[gold.id] = _key(gold.turns, "node")
        counted = {name: score for name, score in one.scores.items() if score.counts and score.value is not None}
        yield Outcome(
            dialogue=gold.id,
            trial=trace.trial,
            status=one.status,
            procedure=str(gold.origin.get("procedure") or ""),
            slips=tuple(_slips(one)),
            counts={name: score.counts for name, score in counted.items()},
            unsure={name: score.unsure for name, score in counted.items() if score.unsure},
            agent=agent,
            toologue=by["toologue"],
            grader=grader,
            expected=expected[gold.id],
            lived=_key(trace.turns, "usage"),
        )


def _key(turns: Iterable[Noun], without: str) -> str:
    return keys.content_key([turn.model_dump(mode="json", exclude={without}) for turn in turns])


def _slips(conversation: Conversation) -> Iterator[Slip]:
    gold, found = conversation.gold, dict[Slip, None]()
    for mismatch in conversation.verdict.at if conversation.verdict else ():
        if mismatch.verdict == "wrong":
            place = located(conversation, mismatch)
            in_gold = place.side == "gold" or conversation.trace.protocol == "next"
            at = mismatch.turn if in_gold and mismatch.turn is not None else len(gold.turns)
            node = gold.turns[at].node if at < len(gold.turns) else None
            found[Slip(node=node or "", tool=place.api, severity=mismatch.severity or "")] = None
    return iter(found)


def compare_outcomes(before: Iterable[Outcome], after: Iterable[Outcome]) -> Comparison:
    """The outcomes of two runs, compared."""
    meanings()  # loads what totals are made of
    was, now = _by_dialogue(before), _by_dialogue(after)
    shared = [name for name in was if name in now]
    same = [name for name in shared if was[name][0].expected == now[name][0].expected]
    pairs = [(was[name], now[name]) for name in same]
    metrics = dict.fromkeys(metric for mine, _ in pairs for one in mine for metric in one.counts)
    found: dict[str, list[Change]] = {name: [] for name in _CHANGES}
    for one, other in pairs:
        if how := _changed(one, other):
            found[how].append(_change(one, other, slips=one if how == "mended" else other))
    single = all(len(side) == 1 for pair in pairs for side in pair)
    p = mcnemar(len(found["broke"]), len(found["mended"])) if single else None
    return Comparison(
        len(same),
        [name for name in was if name not in now],
        [name for name in now if name not in was],
        [name for name in shared if name not in {*same}],
        [one for metric in metrics if (one := _difference(metric, pairs)) is not None],
        unscored=(_unscored(was, same), _unscored(now, same)),
        p=p,
        **found,
    )


def _by_dialogue(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for one in outcomes:
        found.setdefault(one.dialogue, []).append(one)
    return found


def _unscored(run: Mapping[str, Sequence[Outcome]], dialogues: Iterable[str]) -> int:
    return sum(one.status == "unscored" for name in dialogues for one in run[name])


def _changed(before: Sequence[Outcome], after: Sequence[Outcome]) -> str:
    """Whether a conversation broke, was mended or flickers; empty where it is as it was."""
    was, now = (Counter(one.status for one in side if one.status != "unscored") for side in (before, after))
    if not was or not now:
        return ""
    if {*was} == {"passed"} and {*now} == {"failed"}:
        return "broke"
    if {*was} == {"failed"} and {*now} == {"passed"}:
        return "mended"
    return "flickers" if was != now or len(was) > 1 else ""


def _change(before: Sequence[Outcome], after: Sequence[Outcome], *, slips: Sequence[Outcome]) -> Change:
    was: list[Status] = [one.status for one in before]
    now: list[Status] = [one.status for one in after]
    places = dict.fromkeys(slip for one in slips for slip in one.slips)
    return Change(after[0].dialogue, after[0].procedure, was, now, [*places])


def _difference(metric: str, pairs: Iterable[tuple[Sequence[Outcome], Sequence[Outcome]]]) -> Difference | None:
    """The difference of a metric over the dialogues of which both runs have counts."""
    counted: list[tuple[Counted, Counted]] = []
    for pair in pairs:
        was, now = ([one for one in side if metric in one.counts] for side in pair)
        if was and now:
            alike = Counter(one.lived for one in was) & Counter(one.lived for one in now)
            counted.append((_counted(metric, was, alike), _counted(metric, now, alike)))
    return difference(metric, [one for one, _ in counted], [one for _, one in counted]) if counted else None


def _counted(metric: str, trials: Sequence[Outcome], alike: Mapping[str, int]) -> Counted:
    """The counts of a dialogue's trials. What is unsure in a trial that the other run has, too, is `alike`."""
    left, same = dict(alike), list[Outcome]()
    for one in trials:
        if left.get(one.lived):
            left[one.lived] -= 1
            same.append(one)
    counts = _sum(one.counts[metric] for one in trials)
    unsure, shared = (_sum(one.unsure.get(metric, {}) for one in some) for some in (trials, same))
    return Counted(counts, unsure, shared)


def _sum(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for counts in found:
        total |= {name: total.get(name, 0.0) + number for name, number in counts.items()}
    return total
