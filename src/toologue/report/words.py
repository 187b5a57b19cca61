"""Differences in words: what every output format says about a conversation, in one place and one wording.

Contract: `explain` is one line about one mismatch. `findings` are all mismatches of a conversation with their round and
Api, in the order in which they happened, those that are unsure last; the first of them is the first divergence. Text
from data passes `legible`, so that nothing in it can steer a terminal, break XML or turn the reading direction;
`quoted` cuts long values.

Rounds count from 1 for people; an opening by the agent is round 1.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from toologue.limits import legible
from toologue.report.view import Conversation, Gated, RunView
from toologue.schema import AgentTurn, Fault, Mismatch, Turn, invocations, rounds
from toologue.score.calls import ERROR_TYPES
from toologue.score.metric import Total, gained, lower_is_better
from toologue.score.steps import SEVERITIES
from toologue.score.trials import Rate, Trials
from toologue.values.json_schema import object_of

if TYPE_CHECKING:
    from jinja2 import Environment

_NAMED, _WORD = 8, 20
_UNCHANGED = ("not changed", "not created")
_STOPS = {
    "timeout": "The agent ran out of time.",
    "error": "The agent broke.",
    "cap": "The conversation reached its limit of rounds.",
    "user": "The user left.",
    "done": "",
}
_FAULTS = 3  # that are told of a run
_SLOTS = 3  # that are told of two objects


class Finding(NamedTuple):
    """A mismatch with its place. `side` says whose turns `mismatch.turn` counts; `round` counts from 0."""

    mismatch: Mismatch
    round: int | None
    api: str
    side: Literal["gold", "trace"]

    @property
    def where(self) -> str:
        """Round and Api: "Round 2, AddAlarm"."""
        return ", ".join(part for part in ("" if self.round is None else f"Round {self.round + 1}", self.api) if part)

    @property
    def line(self) -> str:
        """Where and what, on one line."""
        what = explain(self.mismatch)
        place = f"Round {self.round + 1}" if self.round is not None and what.startswith(self.api) else self.where
        return f"{place}: {what}" if place else what

    @property
    def short(self) -> str:
        """Where and which field, for a table's cell."""
        field = legible(self.mismatch.field.removeprefix("arguments."))
        if field == "call":
            field = "not made" if self.side == "gold" else "not expected"
        elif field == "error":
            field = "succeeded" if self.mismatch.actual is None else "failed"
        field = {"round": "in another round", "result": "other result", "fault": "the agent broke"}.get(field, field)
        return f"{self.where}: {field}" if self.where else field


def explain(mismatch: Mismatch) -> str:
    """One readable line about one mismatch."""
    return ("unsure: " if mismatch.verdict == "unsure" else "") + _explained(mismatch)


def _explained(mismatch: Mismatch) -> str:
    field, expected, actual = mismatch.field, mismatch.expected, mismatch.actual
    if field == "call" and actual is None:
        return f"{_call_words(expected)} was expected and not made"
    if field == "call":
        return f"{_call_words(actual)} was {legible(mismatch.why) or 'made, not expected'}"
    if field == "error":
        did = "succeeded" if actual is None else f"failed with {_fault_value(actual)}"
        return f"{did}, expected {'to succeed' if expected is None else _fault_value(expected)}"
    if field == "round" and isinstance(expected, int) and isinstance(actual, int):
        return f"made in round {actual + 1}, expected in round {expected + 1}"
    if field == "api":
        return f"called {_bare(actual)}, expected {_bare(expected)}"
    if field == "fault":
        return f"the agent broke: {legible(mismatch.why)}"
    if field == "reply" and expected is None:
        return f"the reply says {quoted(actual)}: {legible(mismatch.why)}" if actual else legible(mismatch.why)
    name = legible(field.removeprefix("arguments.")) or "it"
    if mismatch.why == "missing":
        return f"{name} is missing, expected {quoted(expected)}"
    if mismatch.why in _UNCHANGED:
        return f"{name} was {mismatch.why}, expected {'that it goes' if expected is None else quoted(expected)}"
    if mismatch.why.endswith(", against expectation"):
        what = "was removed" if actual is None else f"was {mismatch.why.partition(',')[0]}"
        return f"{name} {what}, against expectation" + ("" if actual is None else f": {quoted(actual)}")
    note = f" ({legible(mismatch.why)})" if mismatch.why else ""
    found = [*apart(expected, actual)]
    told = [
        f"{cut(legible(at), 60)}: " * bool(at) + f"expected {_or_none(one)}, got {_or_none(two)}"
        for at, one, two in found
    ]
    rest = f"; {len(found) - _SLOTS} more" if len(found) > _SLOTS else ""
    return f"{name}: {'; '.join(told[:_SLOTS])}{rest}{note}"


def apart(expected: Any, actual: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, expected, actual) wherever two JSON values differ: of objects each member by itself.

    >>> [*apart({"api": "a", "slots": {"day": 1, "town": ""}}, {"api": "a", "slots": {"day": 1}})]
    [('slots.town', '', Ellipsis)]
    """
    if not isinstance(expected, dict) or not isinstance(actual, dict) or expected == actual:
        yield at, expected, actual
        return
    one, two = cast("dict[str, Any]", expected), cast("dict[str, Any]", actual)
    for name in {**one, **two}:
        if (here := one.get(name, ...)) != (there := two.get(name, ...)):
            yield from apart(here, there, f"{at}.{name}" if at else name)


def _or_none(value: Any) -> str:
    return "none" if value is ... else quoted(value)


def findings(conversation: Conversation) -> list[Finding]:
    """Every fault of the agent's own, then every difference in calls, in order; where there is none, those in the
    outcome, else those of other metrics.
    """
    scores, broken = conversation.scores, list(_faults(conversation))
    for name in ("success", "outcome", *scores):
        if name in scores and scores[name].at:
            at = merged(scores[name].at)
            found = [located(conversation, mismatch, outcome=name == "outcome") for mismatch in at]
            return broken + sorted(found, key=lambda finding: _order(conversation, finding))
    return broken


def _faults(conversation: Conversation) -> Iterator[Finding]:
    """The agent's own faults, each where it occurs first."""
    told = set[str]()
    for at, turn in enumerate(conversation.trace.turns):
        if isinstance(turn, AgentTurn) and turn.error and not turn.error.no_reply:
            why = fault_words(turn.error)
            if why not in told:
                yield located(conversation, Mismatch(turn=at, field="fault", why=why))
            told.add(why)


def merged(at: Iterable[Mismatch]) -> list[Mismatch]:
    """Mismatches, all that is said of one reply as one."""

    def reply_or_itself(one: Mismatch) -> object:
        return one.replace(why="", by=None, severity=None) if one.field == "reply" else id(one)

    same = (list(group) for _, group in groupby(at, key=reply_or_itself))
    return [group[0].replace(why="; ".join(dict.fromkeys(one.why for one in group if one.why))) for group in same]


def located(conversation: Conversation, mismatch: Mismatch, *, outcome: bool = False) -> Finding:
    """A mismatch with its round and Api. What is missing, and outcomes, have their place in the gold.

    All else has its place in the trace. The Api is "" where no call has that place. What a round of the gold came to is
    at the agent's last program of that round; at the gold's where it has none.
    """
    if mismatch.field != "program" or mismatch.turn is None:
        missing = outcome or (mismatch.field == "call" and mismatch.actual is None)
        turns: Sequence[Turn] = conversation.gold.turns if missing else conversation.trace.turns
        number = None if mismatch.turn is None else round_of(turns, mismatch.turn)
        return Finding(mismatch, number, _api_of(mismatch, turns), "gold" if missing else "trace")
    number = round_of(conversation.gold.turns, mismatch.turn)
    places: list[tuple[Literal["gold", "trace"], Sequence[Turn]]]
    places = [("trace", conversation.trace.turns), ("gold", conversation.gold.turns)]
    for side, turns in places:
        made = [one for one in invocations(turns, opening=True) if one.round == number and one.act.kind == "program"]
        if made:
            return Finding(mismatch.replace(turn=made[-1].turn, act=made[-1].slot), number, "program", side)
    return Finding(mismatch.replace(turn=None), number, "", "trace")


def headline(conversation: Conversation) -> str:
    """Why the conversation did not pass, or not for sure, in one line; empty where it passed."""
    if conversation.broke:
        return stop_words(conversation)
    if conversation.passed:
        return ""
    if found := findings(conversation):
        return found[0].line
    whys = [legible(score.why) for score in conversation.scores.values() if score.why]
    scored = conversation.status != "unscored"
    return whys[0] if whys else "No difference was recorded." if scored else "Nothing was scored."


def stop_words(conversation: Conversation) -> str:
    """Why the conversation ended early, with what the agent raised; empty where it was played to its end."""
    words = _STOPS[conversation.trace.stop] or (_STOPS["error"] if conversation.broke else "")
    faults = [turn.error for turn in conversation.trace.turns if isinstance(turn, AgentTurn) and turn.error]
    return f"{words} {fault_words(faults[-1])}" if faults and conversation.broke else words


def broken_words(faults: Mapping[tuple[str, str], int]) -> str:
    """In how many conversations the agent broke, and with what (`faults_in`); empty where in none."""
    of, broken = sum(faults.values()), {fault: n for fault, n in faults.items() if any(fault)}
    told = [f"{fault_words(Fault(type=kind, message=why))} × {n}" for (kind, why), n in broken.items()]
    first = "; ".join(told[:_FAULTS]) + (f"; {len(told) - _FAULTS} more" if len(told) > _FAULTS else "")
    return f"the agent broke in {sum(broken.values())} of {of} conversations, which fail: {first}" if told else ""


def fault_words(fault: Fault, limit: int = 300) -> str:
    """A fault on one line: type and message."""
    return cut(": ".join(legible(part) for part in (fault.type, fault.message) if part), limit)


def error_counts(conversation: Conversation) -> list[tuple[str, int]]:
    """The error types that occurred for sure, with how often."""
    found = ((name, conversation.scores[name]) for name in ERROR_TYPES if name in conversation.scores)
    counts = ((name, int(gained(score.counts, score.unsure).get("hits", 0))) for name, score in found)
    return [(name, count) for name, count in counts if count]


def figures(total: Total) -> tuple[str, str]:
    """(value, 95 % interval) of a total as people read them: error types as counts, rates as percentages."""
    if total.value is None:
        return "–", ""
    known = None not in (total.low, total.high)
    low, high = total.low or 0.0, total.high or 0.0
    if total.metric in ERROR_TYPES:
        of = total.counts.get("of", 0)
        value = bracket(total.value * of, best_value(total) * of, "{:g}")
        return value, f"{low * of:.0f} to {high * of:.0f}" if known else ""
    if not 0 <= total.value <= 1 or not 0 <= high <= 1:
        return bracket(total.value, best_value(total), "{:.2f}"), f"{low:.2f} to {high:.2f}" if known else ""
    value = bracket(100 * total.value, 100 * best_value(total), "{:.1f}")
    return f"{value} %", f"{100 * low:.1f} to {100 * high:.1f}" if known else ""


def unscored_words(total: Total, absent: int) -> list[str]:
    """In how many conversations there is nothing to score (no call was made, say), how many are not scored at all."""
    nothing = total.unscored - absent
    return [f"nothing to score in {nothing}"] * bool(nothing) + [f"{absent} unscored"] * bool(absent)


def metric_words(metric: str) -> str:
    """What a table calls a metric, marked where less is better."""
    return f"{kind_words(metric)} ↓" if lower_is_better(metric) else metric


def kind_words(severity: str | None) -> str:
    """What a wrong step of a severity is called; "unsure" where there is none."""
    return {"no harm": "wrong, no harm", None: "unsure"}.get(severity, severity or "")


def bracket(value: float, best: float, form: str) -> str:
    """A rate from all that is unsure being wrong to all of it being right, the smaller first; one number if equal."""
    return " to ".join(dict.fromkeys(form.format(end) for end in sorted((value, best))))


def best_value(total: Total) -> float:
    """What a total is if all that is unsure is right."""
    return total.value or 0.0 if total.best is None else total.best


GATE = {"passed": "PASSED", "failed": "NOT PASSED", "undecided": "UNDECIDED"}


def gate_words(gate: Gated) -> str:
    """What was found of what a gate is on, and what is wanted; of a gate that nobody has set, how one is."""
    against = [f"{_ways(gate.untaken)} in no conversation"] if gate.untaken else []
    if gate.least is None:
        how = "`toologue test --fail-under 0.9` asks for one, or fail_under in toologue.toml"
        return "; ".join(against) or f"none was asked for; {how}"
    value, interval = figures(gate.total)
    known = "nothing was scored" if gate.total.value is None else value
    used = f", up to {gate.allowed:.1%} may be unsure" if gate.total.unsure and gate.allowed else ""
    ends = f" (95 % interval {interval})" if interval else ""
    wanted = f"at least {100 * gate.least:.1f} %" if gate.least else "more than none"
    never = [f"never right at {_ways(len(gate.never))}"] if gate.never else []
    done = [f"{times} × {kind_words(what)}" for what, times in Counter(gate.forbidden).items()]
    return "; ".join([f"{gate.total.metric}: {known}{ends}, {wanted} wanted{used}", *done, *never, *against])


def _ways(count: int) -> str:
    return "1 way" if count == 1 else f"{count} ways"


def decided_words(run: RunView) -> str:
    """The share of conversations that are fully decided; empty where all are."""
    decided, of = run.decided or (0, 0)
    return f"{100 * decided / of:.1f} % fully decided ({decided} of {of})" if decided < of else ""


def worst_words(run: RunView) -> str:
    """What failed conversations come to at the worst, the heaviest first; empty where nothing says so."""
    failed = (one.verdict.at for one in run.conversations if one.status == "failed" and one.verdict)
    kinds = ([SEVERITIES.index(one.severity) for one in at if one.verdict == "wrong" and one.severity] for at in failed)
    worst = Counter(max(found) for found in kinds if found)
    return "; ".join(f"{worst[kind]} × {kind_words(SEVERITIES[kind])}" for kind in sorted(worst, reverse=True))


def words_alone(run: RunView) -> list[str]:
    """How many failed conversations differ in words alone, in a line; no line where none does."""
    failed = [one for one in run.conversations if one.status == "failed"]
    alone = sum(one.in_words for one in failed)
    return [f"{alone} of {len(failed)} failed in words alone (replies, texts in calls)"] if alone else []


def trials_words(trials: Trials) -> list[str]:
    """What trials tell beside pass^k and pass@k: who flickers, how far runs differ by chance, what has no score."""
    named = [f"{one.dialogue} ({one.passed} of {one.of})" for one in trials.flaky[:_NAMED]]
    rest = ", …" if len(trials.flaky) > _NAMED else ""
    lines = [f"flaky, passed in some trials and failed in others: {len(trials.flaky)}: {', '.join(named)}{rest}"]
    if trials.noise is not None:
        shift = f"{100 * trials.noise:.1f} points"
        lines.append(f"noise floor: by chance alone, 95 of 100 pairs of such runs of one agent differ by up to {shift}")
    if trials.unscored:
        lines.append(f"{trials.unscored} trials have no score, and are in none of these figures")
    return lines if trials.flaky else lines[1:]


def rate_words(rate: Rate) -> tuple[str, str]:
    """(value, 95 % interval) of a share as people read them."""
    value = bracket(100 * rate.value, 100 * rate.best, "{:.1f}")
    return f"{value} %", f"{100 * rate.low:.1f} to {100 * rate.high:.1f}"


@cache
def environment() -> Environment:
    """The templates of reports. What they show is escaped, and `legible`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )


def _finalize(value: Any) -> Any:
    return legible(value) if type(value) is str else value


def cut(text: str, limit: int) -> str:
    """The text, on at most `limit` characters, without a part of a word where a word ends near."""
    if len(text) <= limit:
        return text
    end = text.rfind(" ", limit - _WORD, limit) if limit > _WORD else -1
    return text[: end if end > 0 else limit - 1].rstrip() + "…"


def quoted(value: Any, limit: int = 90) -> str:
    """A JSON value on one line, cut to `limit` characters."""
    text = json.dumps(pruned(value, string=limit + 1, members=limit), ensure_ascii=False)
    return cut(legible(text), limit)


def pruned(value: Any, *, string: int, members: int, depth: int = 30) -> Any:
    """A JSON value without what is too long or too deep to show; what was left out is said in its place."""
    if isinstance(value, str):
        return value if len(value) <= string else f"{value[:string]}… ({len(value):,} characters)"
    if isinstance(value, dict | list) and not depth:
        return "…"
    if isinstance(value, dict):
        entries = list(cast("dict[str, Any]", value).items())
        keep = {k: pruned(v, string=string, members=members, depth=depth - 1) for k, v in entries[:members]}
        return keep | ({"…": f"{len(entries) - members:,} more"} if len(entries) > members else {})
    if isinstance(value, list):
        items = cast("list[Any]", value)
        kept = [pruned(item, string=string, members=members, depth=depth - 1) for item in items[:members]]
        return [*kept, f"… {len(items) - members:,} more"] if len(items) > members else kept
    return value


def round_starts(turns: Iterable[Turn]) -> list[int]:
    """The index of the first turn of every round."""
    return list(accumulate((len(said) + len(did) for said, did in rounds(turns)), initial=0))[:-1]


def round_of(turns: Iterable[Turn], index: int) -> int | None:
    """The round, from 0, in which a turn stands."""
    before = bisect_right(round_starts(turns), index)
    return before - 1 if before else None


def _order(conversation: Conversation, finding: Finding) -> tuple[bool, int, int, int]:
    mismatch, number = finding.mismatch, finding.round
    doubt = mismatch.verdict == "unsure"
    if number is None or mismatch.turn is None:
        return doubt, 1 << 30, 0, 0
    turns = conversation.gold.turns if finding.side == "gold" else conversation.trace.turns
    return doubt, number, mismatch.turn - round_starts(turns)[number], mismatch.act or 0


def _api_of(mismatch: Mismatch, turns: Sequence[Turn]) -> str:
    if mismatch.field == "call":
        named = mismatch.expected if mismatch.actual is None else mismatch.actual
        return _bare(named.get("api")) if isinstance(named, dict) else ""
    if mismatch.turn is None or mismatch.act is None or not 0 <= mismatch.turn < len(turns):
        return ""
    turn = turns[mismatch.turn]
    if isinstance(turn, AgentTurn) and 0 <= mismatch.act < len(turn.acts):
        act = turn.acts[mismatch.act]
        return _bare(act.api) if act.kind == "call" else act.kind
    return ""


def _fault_value(value: Any) -> str:
    fault = object_of(value)
    parts = [_bare(fault[name], 120) for name in ("type", "message") if fault.get(name)]
    return ": ".join(parts) or quoted(value)


def _call_words(value: Any) -> str:
    call = object_of(value)
    if "api" not in call:
        return quoted(value)
    arguments = call.get("arguments")
    if not isinstance(arguments, dict):
        return f"{_bare(call['api'])}(unreadable arguments)"
    given = ", ".join(f"{legible(k)}={quoted(v, 60)}" for k, v in cast("dict[str, Any]", arguments).items())
    return f"{_bare(call['api'])}({cut(given, 200)})"


def _bare(value: Any, limit: int = 80) -> str:
    return legible(cut(value, limit)).replace("\n", " ") if isinstance(value, str) else quoted(value, limit)
