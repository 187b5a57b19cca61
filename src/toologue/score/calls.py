"""Calls: precision, recall, action precision, incorrect-action rate, success, soft success (ToolTalk 3.2), explained.

A predicted call may answer a gold call of the same round. Within a round the most pairs that fit are formed, whatever
their order, so that equal calls count as often as they occur. An *action* is a call of an Api that writes; an action
that answers nothing and took effect is *bad*. Reads beyond the gold are never bad. Success: every gold call is answered
and no action is bad.

Whether two calls are equivalent is the world's to say (`Kind.equivalent`), else each documented gold argument is
compared as its parameter says; a read whose result contains all that the gold read found is as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toologue.models.similarity import TextMatch
from toologue.schema import Api, Call, Dialogue, Fault, Invocation, Mismatch, Score, Trace, invocations, rounds
from toologue.score.metric import MEANINGS, no_reply, shares_of, unscored
from toologue.values.compare import agree, contains
from toologue.worlds.world import Kind, kind_at

_NOT_MADE, _UNASKED = "expected, not made", "made and took effect, not expected"
ERROR_TYPES = ("over-trigger", "bad planning", "bad call")
METRICS = ("precision", "recall", "action precision", "incorrect action rate", "success", "soft success", *ERROR_TYPES)
MEANINGS.update(
    {
        "success": "every expected call is answered and nothing unexpected took effect",
        "soft success": "recall × (1 − incorrect action rate)",
        "precision": "the share of the agent's calls that answer an expected one",
        "recall": "the share of expected calls that the agent made",
        "action precision": "the share of the agent's writing calls that answer an expected one",
        "incorrect action rate": "the share of the agent's writing calls that took effect unexpectedly;"
        " lower is better",
        "over-trigger": "unexpected writing calls in rounds where nothing is to be called",
        "bad planning": "rounds in which a tool was not tried, or another one was used",
        "bad call": "rounds in which the right tools were called with wrong arguments",
    }
)


@dataclass(frozen=True)
class Pairing:
    """Which predicted call answers which gold call. `partner[i]` is an index into `gold`, or None.

    `bad[i]` says whether predicted call i is a bad action. Where a published grader crashes, `crash` says how, and
    both lists end before the call that made it crash.
    """

    predicted: tuple[Invocation, ...]
    gold: tuple[Invocation, ...]
    partner: tuple[int | None, ...]
    bad: tuple[bool, ...]
    actions: tuple[bool, ...]
    crash: Fault | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The six counts of the published benchmark."""
        pairs = list(zip(self.partner, self.actions, strict=False))
        return {
            "predictions": len(self.predicted),
            "ground_truths": len(self.gold),
            "matches": sum(partner is not None for partner, _ in pairs),
            "actions": sum(self.actions),
            "valid_actions": sum(partner is not None and action for partner, action in pairs),
            "bad_actions": sum(self.bad),
        }

    @property
    def missed(self) -> list[Invocation]:
        """The gold calls that nothing answers."""
        answered = set(self.partner)
        return [invocation for index, invocation in enumerate(self.gold) if index not in answered]

    @property
    def surplus(self) -> list[tuple[Invocation, bool]]:
        """The predicted calls that answer nothing, and whether each is bad."""
        rows = zip(self.predicted, self.partner, self.bad, strict=False)
        return [(invocation, bad) for invocation, partner, bad in rows if partner is None]


def calls(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric. Scores nothing where the protocol executes nothing (`next`)."""
    if trace.protocol == "next":
        return {}
    if why := no_reply(trace):
        return unscored(METRICS, gold, trace, why)
    pairing = pair(gold, trace, match)
    return grade(pairing, gold, trace, explain(pairing, gold, match))


def pair(gold: Dialogue, trace: Trace, match: TextMatch) -> Pairing:
    """Pair the calls of a trace with those of the gold, round by round (all in one for `live`)."""
    kind = kind_at(gold.world)
    documents = kind.by_name
    predicted, wanted = _calls(trace.turns), _calls(gold.turns)
    partner: list[int | None] = [None] * len(predicted)
    together = trace.protocol == "live"
    for number in sorted({p.round for p in predicted}) if not together else [0]:
        rows = [i for i, p in enumerate(predicted) if together or p.round == number]
        columns = [j for j, g in enumerate(wanted) if together or g.round == number]
        fits = {i: [j for j in columns if not differences(predicted[i], wanted[j], kind, match)] for i in rows}
        for i, j in _most_pairs(fits).items():
            partner[i] = j
    actions = tuple(_writes(p, documents) for p in predicted)
    bad = tuple(
        action and mate is None and (p.result.error is None or bool(p.result.changes))
        for p, mate, action in zip(predicted, partner, actions, strict=True)
    )
    return Pairing(predicted, wanted, tuple(partner), bad, actions)


def differences(predicted: Invocation, gold: Invocation, kind: Kind, match: TextMatch) -> list[Mismatch]:
    """What speaks against taking the predicted call for the gold one; empty: nothing."""
    mine, theirs = cast("Call", predicted.act), cast("Call", gold.act)
    if mine.api != theirs.api:
        return [Mismatch(field="api", expected=theirs.api, actual=mine.api)]
    failure, expected_failure = predicted.result.error, gold.result.error
    if (failure is None) != (expected_failure is None):
        return [Mismatch(field="error", expected=_dump(expected_failure), actual=_dump(failure))]
    if (verdict := kind.equivalent(predicted, gold)) is not None:
        return list(verdict)
    api = kind.by_name.get(mine.api)
    unlike = _unlike_arguments(api, kind.counted(gold), kind.counted(predicted), match)
    reads = api is None or not api.writes
    if unlike and reads and failure is None and _found_anyway(gold, predicted):
        return []
    return unlike


def unanswered(pairing: Pairing) -> list[Mismatch]:
    """Every missed gold call and every bad action, without looking for what went wrong."""
    missed = [_at(m, field="call", expected=_shown(m), why=_NOT_MADE) for m in pairing.missed]
    surplus = [_at(s, field="call", actual=_shown(s), why=_UNASKED) for s, bad in pairing.surplus if bad]
    return missed + surplus


def explain(pairing: Pairing, gold: Dialogue, match: TextMatch) -> list[Mismatch]:
    """Every missed gold call and every bad action, with the field that made the difference."""
    kind = kind_at(gold.world)
    surplus = pairing.surplus
    explained: list[Mismatch] = []
    taken: set[int] = set()
    for missed in pairing.missed:
        near = _nearest(missed, [s for s, _ in surplus], taken)
        if near is None:
            explained.append(_at(missed, field="call", expected=_shown(missed), why=_NOT_MADE))
            continue
        taken.add(id(near))
        for difference in differences(near, missed, kind, match) or [_misplaced(near, missed)]:
            explained.append(difference.replace(turn=near.turn, act=near.slot))
    for extra, bad in surplus:
        if bad and id(extra) not in taken:
            explained.append(_at(extra, field="call", actual=_shown(extra), why=_UNASKED))
    return explained


def grade(pairing: Pairing, gold: Dialogue, trace: Trace, at: Sequence[Mismatch]) -> dict[str, Score]:
    """The scores that a pairing gives. 0/0 is None; for soft success, a rate without actions counts as 0."""
    n = pairing.counts
    success = n["matches"] == n["ground_truths"] and not n["bad_actions"]
    recall = n["matches"] / n["ground_truths"] if n["ground_truths"] else 1.0
    harm = n["bad_actions"] / n["actions"] if n["actions"] else 0.0
    kinds = dict[str, int]() if success else error_types(pairing)
    return scores_of(gold, trace, n, kinds, success=success, soft_success=recall * (1 - harm), at=at)


def scores_of(
    gold: Dialogue,
    trace: Trace,
    counts: Mapping[str, int],
    kinds: Mapping[str, int],
    *,
    success: bool,
    soft_success: float,
    at: Sequence[Mismatch] = (),
) -> dict[str, Score]:
    """Counts and error types as scores. The mismatches explain the success."""
    n = counts
    answered = sum(1 for said, did in rounds(gold.turns) if said and did)
    shares: dict[str, tuple[float, float]] = {
        "precision": (n["matches"], n["predictions"]),
        "recall": (n["matches"], n["ground_truths"]),
        "action precision": (n["valid_actions"], n["actions"]),
        "incorrect action rate": (n["bad_actions"], n["actions"]),
        "success": (success, 1),
        "soft success": (soft_success, 1),
        **{name: (kinds.get(name, 0), answered) for name in ERROR_TYPES},
    }
    return shares_of(shares, gold, trace, {"success": at})


def error_types(pairing: Pairing) -> dict[str, int]:
    """How the rounds of a failed conversation fail (ToolTalk 4.3), a round at most one way but for over-triggers.

    over-trigger: bad actions where gold calls nothing. bad call: each missing tool was called, wrongly. bad planning:
    everything else. Reads that no gold call asked for do not count.
    """
    found: dict[str, int] = dict.fromkeys(ERROR_TYPES, 0)
    calling = {g.round for g in pairing.gold}
    for number in {g.round for g in pairing.gold} | {p.round for p in pairing.predicted}:
        missed = Counter(_api(g) for g in pairing.missed if g.round == number)
        surplus = [(p, bad) for p, bad in pairing.surplus if p.round == number]
        wrong = Counter(_api(p) for p, bad in surplus if bad or _api(p) in missed)
        if number not in calling:
            found["over-trigger"] += sum(bad for _, bad in surplus)
        elif missed or wrong:
            tried = wrong.keys() == missed.keys() and all(wrong[api] >= missed[api] for api in missed)
            found["bad call" if tried else "bad planning"] += 1
    return found


def _calls(turns: Any) -> tuple[Invocation, ...]:
    return tuple(invocation for invocation in invocations(turns) if invocation.act.kind == "call")


def _api(invocation: Invocation) -> str:
    return cast("Call", invocation.act).api


def _writes(invocation: Invocation, documents: Mapping[str, Api]) -> bool:
    api = documents.get(_api(invocation))
    return api is not None and api.writes


def _unlike_arguments(
    api: Api | None, wanted: Mapping[str, Any], given: Mapping[str, Any], match: TextMatch
) -> list[Mismatch]:
    """The gold arguments that the given ones do not agree with; undocumented ones are the world's, not the agent's."""
    found: list[Mismatch] = []
    for name, expected in wanted.items():
        if api is not None and name not in api.parameters:
            continue
        compare = "exact" if api is None else api.parameters[name].compare
        actual = given.get(name)
        if not agree(compare, expected, actual, match.alike):
            why = "missing" if name not in given else f"compared as {compare}"
            found.append(Mismatch(field=f"arguments.{name}", expected=expected, actual=actual, why=why))
    return found


def _found_anyway(gold: Invocation, predicted: Invocation) -> bool:
    return _holds_something(gold.result.value) and contains(predicted.result.value, gold.result.value)


def _holds_something(value: Any) -> bool:
    """Whether a result found anything: {"emails": []} did not."""
    if isinstance(value, dict):
        return any(map(_holds_something, cast("dict[str, Any]", value).values()))
    if isinstance(value, list):
        return any(map(_holds_something, cast("list[Any]", value)))
    return value is not None


def _most_pairs(fits: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """A largest matching of rows to columns (augmenting paths), earlier rows and columns first."""
    owner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column in fits[row]:
            if column not in owner:
                owner[column] = row
                return True
        for column in fits[row]:
            if column not in seen:
                seen.add(column)
                if place(owner[column], seen):
                    owner[column] = row
                    return True
        return False

    for row in fits:
        place(row, set())
    return {row: column for column, row in owner.items()}


def _nearest(missed: Invocation, surplus: Sequence[Invocation], taken: set[int]) -> Invocation | None:
    free = [s for s in surplus if id(s) not in taken and _api(s) == _api(missed)]
    return min(free, key=lambda s: abs(s.round - missed.round), default=None)


def _misplaced(near: Invocation, missed: Invocation) -> Mismatch:
    return Mismatch(field="round", expected=missed.round, actual=near.round, why="made in another round")


def _at(invocation: Invocation, **fields: Any) -> Mismatch:
    return Mismatch(turn=invocation.turn, act=invocation.slot, **fields)


def _shown(invocation: Invocation) -> dict[str, Any]:
    call = cast("Call", invocation.act)
    return {"api": call.api, "arguments": call.arguments}


def _dump(fault: Fault | None) -> Any:
    return None if fault is None else {"type": fault.type, "message": fault.message}
