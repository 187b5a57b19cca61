"""Calls: precision, recall, action precision, incorrect-action rate, success, soft success (ToolTalk 3.2), explained.

A predicted call may answer a gold call of the same round. Within a round the most pairs that fit are formed, whatever
their order, so that equal calls count as often as they occur. An *action* is a call of an Api that writes; an action
that answers nothing and took effect is *bad*. Reads beyond the gold are never bad. Success: every gold call is answered
and no action is bad.

What a search missed is the world's to say (`Kind.missing`), else each documented gold argument is compared as its
parameter says; a read whose result contains all that the gold read found is as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from toologue.models.similarity import TextMatch
from toologue.schema import Api, Dialogue, Fault, Invocation, Mismatch, Score, Trace, answers, invocations
from toologue.schema.jsonl import leaves
from toologue.score.metric import MEANINGS, no_reply, shares_of, unscored
from toologue.values.compare import agree, contains
from toologue.worlds.world import Kind, kind_at

ERROR_TYPES = ("over-trigger", "bad planning", "bad call")
METRICS = ("precision", "recall", "action precision", "incorrect action rate", "success", "soft success", *ERROR_TYPES)
MEANINGS.update(
    {
        "success": "every expected call is answered and nothing unexpected took effect",
        "soft success": "recall × (1 − incorrect action rate)",
        "precision": "the share of the agent's calls that answer an expected one",
        "recall": "the share of expected calls that the agent made",
        "action precision": "the share of the agent's writing calls that answer an expected one",
        "incorrect action rate": "the share of the agent's writing calls that took effect unexpectedly; "
        "lower is better",
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
    if silent := unscored(METRICS, gold, trace, no_reply(trace)):
        return silent
    pairing = pair(gold, trace, match)
    return grade(pairing, gold, trace, explain(pairing, gold, match))


def pair(gold: Dialogue, trace: Trace, match: TextMatch) -> Pairing:
    """Pair the calls of a trace with those of the gold, round by round (all in one for `live`)."""
    kind, together = kind_at(gold.world), trace.protocol == "live"
    predicted, wanted = made(trace), made(gold)
    fits = {
        i: [j for j, g in enumerate(wanted) if (together or g.round == p.round) and not differences(p, g, kind, match)]
        for i, p in enumerate(predicted)
    }
    mates = _most_pairs(fits)
    partner = tuple(mates.get(i) for i in fits)
    actions = tuple(p.call.api in kind.by_name and kind.by_name[p.call.api].writes for p in predicted)
    bad = tuple(
        action and mate is None and (p.result.error is None or bool(p.result.changes))
        for p, mate, action in zip(predicted, partner, actions, strict=True)
    )
    return Pairing(predicted, wanted, partner, bad, actions)


def made(conversation: Dialogue | Trace) -> tuple[Invocation, ...]:
    """The calls that were executed, in their order."""
    return tuple(invocation for invocation in invocations(conversation.turns) if invocation.act.kind == "call")


def differences(predicted: Invocation, gold: Invocation, kind: Kind, match: TextMatch) -> list[Mismatch]:
    """What speaks against taking the predicted call for the gold one; empty: nothing."""
    mine, theirs, failure, expected = predicted.call.api, gold.call.api, predicted.result.error, gold.result.error
    if mine != theirs:
        return [Mismatch(field="api", expected=theirs, actual=mine)]
    if (failure is None) != (expected is None):
        told = [None if one is None else one.model_dump() for one in (expected, failure)]
        return [Mismatch(field="error", expected=told[0], actual=told[1])]
    if (missing := kind.missing(predicted, gold)) is not None:
        return list(missing)
    api = kind.by_name.get(mine)
    unlike = _unlike_arguments(api, kind.counted(gold), kind.counted(predicted), match)
    found, given = gold.result.value, predicted.result.value
    if unlike and failure is None and (api is None or not api.writes) and contains(given, found):
        return [] if any(leaf is not None for _, leaf in leaves(found)) else unlike  # {"emails": []} found nothing
    return unlike


def unanswered(pairing: Pairing) -> list[Mismatch]:
    """Every missed gold call and every bad action, without looking for what went wrong."""
    return [*map(_not_made, pairing.missed), *(_unasked(extra) for extra, bad in pairing.surplus if bad)]


def explain(pairing: Pairing, gold: Dialogue, match: TextMatch) -> list[Mismatch]:
    """Every missed gold call and every bad action, with the field that made the difference."""
    kind, free = kind_at(gold.world), dict(enumerate(pairing.surplus))
    explained: list[Mismatch] = []
    for missed in pairing.missed:
        alike = {place: extra for place, (extra, _) in free.items() if extra.call.api == missed.call.api}
        if not alike:
            explained.append(_not_made(missed))
            continue
        near, _ = free.pop(min(alike, key=lambda place: abs(alike[place].round - missed.round)))
        why = "made in another round"
        misplaced = Mismatch(field="round", expected=missed.round, actual=near.round, why=why)
        for difference in differences(near, missed, kind, match) or [misplaced]:
            explained.append(difference.replace(turn=near.turn, act=near.slot))
    return explained + [_unasked(extra) for extra, bad in free.values() if bad]


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
    n, answered = counts, sum(bool(did) for _, _, did in answers(gold.turns))
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


def error_types(pairing: Pairing, *, published: bool = False) -> dict[str, int]:
    """How the rounds of a failed conversation fail (ToolTalk 4.3), a round at most one way but for over-triggers.

    over-trigger: bad actions where gold calls nothing. bad call: each missing tool was called, wrongly. bad planning:
    everything else. Reads that no gold call asked for do not count. `published`: they do, and the comparison is
    inverted: each tool that was called in vain is missing as often.
    """
    found: dict[str, int] = dict.fromkeys(ERROR_TYPES, 0)
    calling = {g.round for g in pairing.gold}
    for number in calling | {p.round for p in pairing.predicted}:
        missed = Counter(g.call.api for g in pairing.missed if g.round == number)
        surplus = [(p.call.api, bad) for p, bad in pairing.surplus if p.round == number]
        wrong = Counter(api for api, bad in surplus if published or bad or api in missed)
        if number not in calling:
            found["over-trigger"] += sum(bad for _, bad in surplus)
        elif missed or wrong:
            tried = wrong.keys() == missed.keys() and (missed >= wrong if published else wrong >= missed)
            found["bad call" if tried else "bad planning"] += 1
    return found


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


def _most_pairs(fits: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """A largest matching of rows to columns (augmenting paths), earlier rows and columns first."""
    owner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column in sorted(fits[row], key=owner.__contains__):  # what is free first
            if column not in seen:
                seen.add(column)
                if column not in owner or place(owner[column], seen):
                    owner[column] = row
                    return True
        return False

    for row in fits:
        place(row, set())
    return {row: column for column, row in owner.items()}


def _not_made(missed: Invocation) -> Mismatch:
    why = "expected, not made"
    return Mismatch(turn=missed.turn, act=missed.slot, field="call", expected=_shown(missed), why=why)


def _unasked(extra: Invocation) -> Mismatch:
    why = "made and took effect, not expected"
    return Mismatch(turn=extra.turn, act=extra.slot, field="call", actual=_shown(extra), why=why)


def _shown(invocation: Invocation) -> JsonValue:
    return {"api": invocation.call.api, "arguments": invocation.call.arguments}
