"""Calls: precision, recall, action precision, incorrect-action rate, success, soft success (ToolTalk 3.2), explained.

A predicted call may answer a gold call of the same round. Within a round the most pairs that fit are formed, whatever
their order, so that equal calls count as often as they occur. An *action* is a call of an Api that writes; an action
that answers nothing and took effect is *bad*. Reads beyond the gold are never bad. Success: every gold call is answered
and no action is bad.

What a search missed is the world's to say (`Kind.missing`), else each documented gold argument is compared as its
parameter says, free texts by what they must carry (`score.free_texts`); a read whose result contains all that the gold
read found is as good. A call that fits but for unsure texts is *unsure*: scores take it for wrong, and say what
they would gain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import JsonValue
from pydantic_core import to_json

from toologue.models.similarity import TextMatch
from toologue.schema import Api, Dialogue, Fault, Invocation, Mismatch, Parameter, Score, Trace, Verdict
from toologue.schema.jsonl import leaves
from toologue.schema.turn import answers, invocations
from toologue.score.free_texts import Heard, TextVerdict, demanded, folded, judged, offered
from toologue.score.metric import LOWER_IS_BETTER, MEANINGS, no_reply, own_fault, shares_of, unscored
from toologue.score.questions import blamed_calls, text_question
from toologue.values.compare import agree, contains, never_alike
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
LOWER_IS_BETTER.update({"incorrect action rate", *ERROR_TYPES})
_EXACT = Parameter()


@dataclass(frozen=True)
class Pairing:
    """Which predicted call answers which gold call. `partner[i]` is an index into `gold`, or None.

    `bad[i]` says whether predicted call i is a bad action. `hoped` is `partner` if all that is unsure is right: it
    pairs what `partner` does, with the same mates where they can stay; empty where nothing is unsure. Where a published
    grader crashes, `crash` says how, and both lists end before the call that made it crash. `compared` knows what was
    found when the calls were compared.
    """

    predicted: tuple[Invocation, ...]
    gold: tuple[Invocation, ...]
    partner: tuple[int | None, ...]
    bad: tuple[bool, ...]
    actions: tuple[bool, ...]
    crash: Fault | None = None
    hoped: tuple[int | None, ...] = ()
    compared: Comparison | None = field(default=None, repr=False, compare=False)

    @property
    def best(self) -> Pairing:
        """The pairing if all that is unsure is right."""
        if not self.hoped:
            return self
        bad = tuple(bad and mate is None for bad, mate in zip(self.bad, self.hoped, strict=True))
        return replace(self, partner=self.hoped, bad=bad, hoped=())

    @property
    def open(self) -> dict[int, tuple[Invocation, Invocation]]:
        """By gold call missed, but not if all that is unsure is right: a gold call, the free call that may be it.

        It is another gold call where paired calls would have to change their mates.
        """
        taken = {mate: at for at, mate in enumerate(self.hoped) if mate is not None}
        found = dict[int, tuple[Invocation, Invocation]]()
        for missed in taken.keys() - {*self.partner}:
            index = missed
            while (mate := self.partner[taken[index]]) is not None:
                index = mate
            found[missed] = self.gold[index], self.predicted[taken[index]]
        return found

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
    why = no_reply(trace) or ("its gold is blamed" if blamed_calls(gold, match.reader) else "")
    if silent := unscored(METRICS, gold, trace, why):
        return silent
    pairing = pair(gold, trace, match)
    return grade(pairing, gold, trace, explain(pairing, gold, match))


def pair(gold: Dialogue, trace: Trace, match: TextMatch) -> Pairing:
    """Pair the calls of a trace with those of the gold, round by round (all in one for `live`)."""
    kind, together = kind_at(gold.world), trace.protocol == "live"
    predicted, wanted = made(trace), made(gold)
    compared = Comparison(gold, predicted, match)
    right, open_ = dict[int, list[int]](), dict[int, list[int]]()

    def near(p: Invocation, g: Invocation) -> bool:
        return (together or g.round == p.round) and g.call.api == p.call.api

    # Where each answers the call in its place, no other pairs are formed, whatever else it might answer.
    in_place = len(predicted) == len(wanted) and all(
        near(p, g) and not compared.differences(p, g) for p, g in zip(predicted, wanted, strict=True)
    )
    for i, p in enumerate(predicted):
        some = ((i, wanted[i]),) if in_place else ((j, g) for j, g in enumerate(wanted) if near(p, g))
        verdicts = {j: {one.verdict for one in compared.differences(p, g)} for j, g in some}
        right[i] = [j for j, said in verdicts.items() if not said]
        open_[i] = [j for j, said in verdicts.items() if said <= {"unsure"}]
    mates = hopes = _most_pairs(right)
    if open_ != right:
        hopes = _most_pairs(open_, mates)
        fits = {row: [column for column in right[row] if column in hopes.values()] for row in hopes}
        mates = _most_pairs(fits, {row: column for row, column in hopes.items() if column in fits[row]})
    partner, hoped = (tuple(map(found.get, right)) for found in (mates, hopes))
    actions = tuple(p.call.api in kind.by_name and kind.by_name[p.call.api].writes for p in predicted)
    bad = tuple(
        action and mate is None and (p.result.error is None or bool(p.result.changes))
        for p, mate, action in zip(predicted, partner, actions, strict=True)
    )
    hoped = hoped if hoped != partner else ()
    return Pairing(predicted, wanted, partner, bad, actions, hoped=hoped, compared=compared)


def made(conversation: Dialogue | Trace) -> tuple[Invocation, ...]:
    """The calls that were executed, in their order."""
    return tuple(invocation for invocation in invocations(conversation.turns) if invocation.act.kind == "call")


@dataclass(frozen=True)
class Comparison:
    """Predicted calls against those of one gold dialogue."""

    gold: Dialogue
    predicted: Sequence[Invocation]
    match: TextMatch
    _known: dict[tuple[int, ...], list[Mismatch]] = field(default_factory=dict[tuple[int, ...], list[Mismatch]])

    @cached_property
    def kind(self) -> Kind:
        """The kind of world that they are made in."""
        return kind_at(self.gold.world)

    def differences(self, predicted: Invocation, gold: Invocation) -> list[Mismatch]:
        """What speaks against taking the predicted call for the gold one, or leaves it unsure; empty: nothing."""
        place = (predicted.turn, predicted.slot, gold.turn, gold.slot)
        if place not in self._known:
            self._known[place] = self._differences(predicted, gold)
        return self._known[place]

    def _differences(self, predicted: Invocation, gold: Invocation) -> list[Mismatch]:
        if to_json(predicted[3:]) == to_json(gold[3:]):  # the same act, the same result
            return []
        kind = self.kind
        mine, theirs, failure, expected = predicted.call.api, gold.call.api, predicted.result.error, gold.result.error
        if mine != theirs:
            return [Mismatch(field="api", expected=theirs, actual=mine, by="execution")]
        if (failure is None) != (expected is None):
            told = [None if one is None else one.model_dump() for one in (expected, failure)]
            return [Mismatch(field="error", expected=told[0], actual=told[1], by="execution")]
        if (missing := kind.missing(predicted, gold)) is not None:
            return [one.replace(by="execution") for one in missing]
        api = kind.by_name.get(mine)
        unlike = list(self._unlike_arguments(api, predicted, gold))
        found, given = gold.result.value, predicted.result.value
        if unlike and failure is None and (api is None or not api.writes) and contains(given, found):
            return [] if any(leaf is not None for _, leaf in leaves(found)) else unlike  # {"emails": []} found nothing
        return unlike

    def nearness(self, predicted: Invocation, gold: Invocation) -> tuple[int, int, int]:
        """How far a call of the same Api is from a gold one: wrong arguments, unsure ones, rounds."""
        verdicts = [one.verdict for one in self.differences(predicted, gold)]
        return verdicts.count("wrong"), verdicts.count("unsure"), abs(predicted.round - gold.round)

    def _unlike_arguments(self, api: Api | None, predicted: Invocation, gold: Invocation) -> Iterator[Mismatch]:
        """The gold arguments that the given ones do not agree with; undocumented ones are the world's.

        Nobody is asked about texts of a call that is wrong whatever they are worth.
        """
        wanted, given = self.kind.counted(gold), self.kind.counted(predicted)
        known = dict.fromkeys(wanted, _EXACT) if api is None else api.parameters
        texts = {
            name
            for name, parameter in known.items()
            if parameter.compare in ("text", "prose") and isinstance(wanted.get(name, ""), str)
        }

        def agrees(name: str) -> bool:
            if name in wanted:
                return agree(known[name].compare, wanted[name], given.get(name), never_alike)
            return name not in texts

        unlike = [name for name in {**wanted, **given} if name in known and not agrees(name)]
        asks = texts.issuperset(unlike)
        for name in unlike:
            expected, actual = wanted.get(name), given.get(name)
            if name in texts:
                verdict, by, why = self._text(name, expected, actual, predicted, gold, asks=asks)
            else:
                why = "missing" if name not in given else f"compared as {known[name].compare}"
                verdict, by = "wrong", "value"
            if verdict != "right":
                field = f"arguments.{name}"
                yield Mismatch(field=field, expected=expected, actual=actual, why=why, verdict=verdict, by=by)

    def _text(
        self, name: str, expected: Any, actual: Any, predicted: Invocation, gold: Invocation, *, asks: bool
    ) -> TextVerdict:
        """The verdict on a free text; `asks`: a second reader's, where there is one.

        What the agent itself called before, in this round, may support it.
        """
        if isinstance(actual, str) and expected is not None and folded(expected) == folded(actual):
            return TextVerdict("right", "value")
        heard = replace(self._heard(predicted, gold), beside=_others(gold, name), given=_others(predicted, name))
        parameter = self.kind.by_name[gold.call.api].parameters[name]
        compare = parameter.compare
        if expected is None:
            verdict = offered(str(actual or ""), heard)
        elif actual is None and not parameter.required:
            verdict = demanded(expected, heard)
        elif not isinstance(actual, str) or compare not in ("text", "prose"):
            return TextVerdict("wrong", "value", "missing" if actual is None else "no text")
        else:
            verdict = judged(expected, actual, compare, heard)
        if self.match.strict and verdict.by == "rule":
            verdict = TextVerdict("unsure", None, verdict.why)
        if asks and self.match.reader is not None:
            question = text_question(self.gold, gold, name, predicted)
            decision = self.match.reader.settled(question.replace(verdict=verdict.verdict, why=verdict.why))
            if decision is not None and decision.verdict != "unsure":
                return TextVerdict(decision.verdict, decision.by, "; ".join([decision.told, *decision.reasons]))
        if verdict.verdict != "unsure" or not isinstance(actual, str) or expected is None:
            return verdict
        score, limit = self.match.similarity(expected, actual), self.match.thresholds[compare]
        return verdict._replace(why=f"{verdict.why} (similarity {score:.2f}, limit {limit:.2f})")

    def _heard(self, predicted: Invocation, gold: Invocation) -> Heard:
        near = (one for one in self.predicted if one.round == predicted.round)
        before = [one for one in near if (one.turn, one.slot) < (predicted.turn, predicted.slot)]
        return Heard.before(self.gold, gold, before)


def unanswered(pairing: Pairing) -> list[Mismatch]:
    """Every missed gold call and every bad action, without looking for what went wrong."""
    return [*map(_not_made, pairing.missed), *(_unasked(extra) for extra, bad in pairing.surplus if bad)]


class Explained(NamedTuple):
    """A missed gold call with the call that is nearest to it, or a bad action; one of the two may lack."""

    gold: Invocation | None
    near: Invocation | None
    at: tuple[Mismatch, ...]


def explained(pairing: Pairing, gold: Dialogue, match: TextMatch) -> list[Explained]:
    """Every missed gold call and every bad action, with the fields that made the difference, or leave it unsure.

    Calls that answer one are not among them. An unsure call stands beside the gold call that it may be.
    """
    answered = set(pairing.partner)
    if len(answered - {None}) == len(pairing.gold) and not any(pairing.bad):
        return []
    compared, best = pairing.compared or Comparison(gold, pairing.predicted, match), pairing.best
    hoped = pairing.open
    free, found = dict(enumerate(best.surplus)), list[Explained]()
    missed = [(index, one) for index, one in enumerate(pairing.gold) if index not in answered]
    nearest = _nearest({at: one for at, (one, _) in free.items()}, [g for i, g in missed if i not in hoped], compared)
    for index, lacking in missed:
        at = nearest.get(id(lacking))
        one, near = hoped.get(index) or (lacking, free.pop(at)[0] if at is not None else None)
        if near is None:
            found.append(Explained(one, None, (_not_made(one),)))
            continue
        misplaced = Mismatch(
            field="round", expected=one.round, actual=near.round, why="made in another round", by="execution"
        )
        differences = compared.differences(near, one) or [misplaced]
        found.append(Explained(one, near, tuple(each.replace(turn=near.turn, act=near.slot) for each in differences)))
    return found + [Explained(None, extra, (_unasked(extra),)) for extra, bad in free.values() if bad]


def explain(pairing: Pairing, gold: Dialogue, match: TextMatch) -> list[Mismatch]:
    """All differences, one after the other."""
    return [mismatch for one in explained(pairing, gold, match) for mismatch in one.at]


def verdict_of(at: Iterable[Mismatch]) -> Verdict:
    """The verdict that mismatches come to."""
    verdicts = {one.verdict for one in at}
    return "wrong" if "wrong" in verdicts else "unsure" if verdicts else "right"


def _nearest(free: Mapping[int, Invocation], missed: Sequence[Invocation], compared: Comparison) -> dict[int, int]:
    """Which free call is nearest to each missed one (by its identity) of the same Api: the nearest pairs first."""
    pairs = sorted(
        (compared.nearness(extra, one), order, at)
        for order, one in enumerate(missed)
        for at, extra in free.items()
        if extra.call.api == one.call.api
    )
    found, taken = dict[int, int](), set[int]()
    for _, order, at in pairs:
        if id(missed[order]) not in found and at not in taken:
            found[id(missed[order])] = at
            taken.add(at)
    return found


def grade(pairing: Pairing, gold: Dialogue, trace: Trace, at: Sequence[Mismatch]) -> dict[str, Score]:
    """The scores that a pairing gives. 0/0 is None; for soft success, a rate without actions counts as 0.

    Error types go from the fewest to the most that a round has with what is unsure right or wrong.
    """
    errors = _errors(pairing)
    if not pairing.hoped:
        return _graded(pairing, gold, trace, at, errors)
    others = _errors(pairing.best)
    worst = _graded(pairing, gold, trace, at, errors | others)
    best = _graded(pairing.best, gold, trace, at, errors & others)
    gains = {name: best[name].counts["hits"] - score.counts["hits"] for name, score in worst.items()}
    return {
        name: score.replace(unsure={"hits": gains[name]}) if gains[name] else score for name, score in worst.items()
    }


def _graded(
    pairing: Pairing, gold: Dialogue, trace: Trace, at: Sequence[Mismatch], errors: Counter[tuple[int, str]]
) -> dict[str, Score]:
    n = pairing.counts
    success = n["matches"] == n["ground_truths"] and not n["bad_actions"] and own_fault(trace) is None
    recall = n["matches"] / n["ground_truths"] if n["ground_truths"] else 1.0
    harm = n["bad_actions"] / n["actions"] if n["actions"] else 0.0
    kinds = dict[str, int]() if success else _by_type(errors)
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
    return _by_type(_errors(pairing, published=published))


def _by_type(errors: Counter[tuple[int, str]]) -> dict[str, int]:
    return {name: sum(n for (_, kind), n in errors.items() if kind == name) for name in ERROR_TYPES}


def _errors(pairing: Pairing, *, published: bool = False) -> Counter[tuple[int, str]]:
    found = Counter[tuple[int, str]]()
    calling, lacking, extra = {g.round for g in pairing.gold}, pairing.missed, pairing.surplus
    for number in {g.round for g in lacking} | {p.round for p, _ in extra}:
        missed = Counter(g.call.api for g in lacking if g.round == number)
        surplus = [(p.call.api, bad) for p, bad in extra if p.round == number]
        wrong = Counter(api for api, bad in surplus if published or bad or api in missed)
        if number not in calling:
            found[number, "over-trigger"] += sum(bad for _, bad in surplus)
        elif missed or wrong:
            tried = wrong.keys() == missed.keys() and (missed >= wrong if published else wrong >= missed)
            found[number, "bad call" if tried else "bad planning"] += 1
    return found


def _most_pairs(fits: Mapping[int, Sequence[int]], known: Mapping[int, int] = {}) -> dict[int, int]:
    """A largest matching of rows to columns (augmenting paths), earlier rows and columns first.

    Rows and columns of a `known` one stay matched.
    """
    owner = {column: row for row, column in known.items()}

    def place(row: int, seen: set[int]) -> bool:
        for column in sorted(fits[row], key=owner.__contains__):  # what is free first
            if column not in seen:
                seen.add(column)
                if column not in owner or place(owner[column], seen):
                    owner[column] = row
                    return True
        return False

    for row in fits:
        if row not in known:
            place(row, set())
    return {row: column for column, row in owner.items()}


def _others(invocation: Invocation, name: str) -> tuple[JsonValue, ...]:
    return tuple(value for other, value in (invocation.call.arguments or {}).items() if other != name)


def _not_made(missed: Invocation) -> Mismatch:
    why = "expected, not made"
    return Mismatch(turn=missed.turn, act=missed.slot, field="call", expected=_shown(missed), why=why, by="execution")


def _unasked(extra: Invocation) -> Mismatch:
    why = "made and took effect, not expected"
    return Mismatch(turn=extra.turn, act=extra.slot, field="call", actual=_shown(extra), why=why, by="execution")


def _shown(invocation: Invocation) -> JsonValue:
    return {"api": invocation.call.api, "arguments": invocation.call.arguments}
