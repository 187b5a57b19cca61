"""The parts of grading: a trace, a pair of texts, a line of JSON.

Plain: calls compared by `==` and counted; `difflib.SequenceMatcher`, which lets alike texts of other word order fall
apart; `json.loads`, which checks nothing. None of them explains, and none knows what a value means.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from difflib import SequenceMatcher

from bench.figure import Figure, in_turns
from bench.workload import starter, varied
from toologue.agents.agent import resolve_agent
from toologue.models.similarity import TextMatch, similarity
from toologue.project.generate import Making, make, shipped
from toologue.run.runner import Finished, Settings, cases_of, run_cases
from toologue.schema import AgentTurn, Dialogue, Trace, Turn, invocations
from toologue.schema.jsonl import line_of, parse
from toologue.score.calls import calls
from toologue.score.metric import must_of
from toologue.score.outcome import outcome
from toologue.score.steps import judged
from toologue.text.bank import Voice
from toologue.write.procedures import AgentWords

JUDGE, LEXICAL = TextMatch.of("lexical"), similarity("lexical")
Pair = tuple[str, str]


def traces_of(dialogues: Sequence[Dialogue]) -> list[tuple[Dialogue, Trace]]:
    """Each dialogue with its trace, as gold lived it."""
    done: dict[str, Trace] = {}

    def keep(finished: Finished) -> None:
        done[finished.trace.dialogue] = finished.trace

    asyncio.run(run_cases(cases_of(dialogues, Settings()), resolve_agent("gold"), keep))
    return [(gold, done[gold.id]) for gold in dialogues]


def graded(pairs: Sequence[tuple[Dialogue, Trace]]) -> list[bool]:
    """Whether each trace calls and leaves behind what gold does."""
    scores = [{**calls(gold, trace, JUDGE), **outcome(gold, trace, JUDGE)} for gold, trace in pairs]
    return [found["success"].value == found["outcome"].value == 1.0 for found in scores]


def counted(pairs: Sequence[tuple[Dialogue, Trace]]) -> list[bool]:
    """The same by equality: of each call, its result and what it wrote."""
    return [_deeds(gold) == _deeds(trace) for gold, trace in pairs]


def alike(pairs: Sequence[Pair]) -> list[bool]:
    """Which pairs our similarity takes for the same."""
    return [LEXICAL(one, other) >= LEXICAL.thresholds["text"] for one, other in pairs]


def matched(pairs: Sequence[Pair]) -> list[bool]:
    """Which pairs difflib takes for the same."""
    return [SequenceMatcher(None, one, other, autojunk=False).ratio() >= 0.75 for one, other in pairs]


def parsed(lines: Sequence[bytes]) -> list[Dialogue]:
    """Lines as checked records."""
    return [parse(line, Dialogue) for line in lines]


def loaded(lines: Sequence[bytes]) -> list[dict[str, object]]:
    """Lines as dicts."""
    return [json.loads(line) for line in lines]


def texts(start: int, count: int) -> list[Pair]:
    """Pairs of short texts: every other one says the same; no text occurs under two numbers."""
    return [
        (f"Send the invoice {n} to Grace", f"send invoice {n} to Grace" if n % 2 else f"Water the plants in room {n}")
        for n in range(start, start + count)
    ]


def reworded() -> list[tuple[Dialogue, Trace]]:
    """Generated conversations as an agent lives them that words every reply otherwise, in another register."""
    (source,) = shipped("order-not-received")
    found: list[tuple[Dialogue, Trace]] = []
    for gold in make(source, Making(count=60)).dialogues:
        words = AgentWords(Voice("agent", "brief", seed=7, start=3), seed=7)
        turns = tuple(_reworded(turn, words) for turn in gold.turns)
        found.append((gold, Trace(case=gold.id, dialogue=gold.id, protocol="next", agent="it", turns=turns)))
    return found


def _reworded(turn: Turn, words: AgentWords) -> Turn:
    cue = must_of(turn) if isinstance(turn, AgentTurn) else None
    return turn.replace(text=words(cue)) if cue else turn


def stepped(pairs: Sequence[tuple[Dialogue, Trace]]) -> list[int]:
    """How many steps of each trace are right."""
    return [sum(verdict.correct for verdict in judged(gold, trace, JUDGE)) for gold, trace in pairs]


def equal(pairs: Sequence[tuple[Dialogue, Trace]]) -> list[int]:
    """How many are word for word the gold's."""
    return [sum(map(_same_step, gold.turns, trace.turns)) for gold, trace in pairs]


def figures(count: int = 800) -> list[Figure]:
    """CPU a trace, a pair, a line."""
    pairs = traces_of(list(varied(starter(), count // 10)))
    lines = [line_of(gold) for gold, _ in pairs]
    fresh = iter(range(0, 1 << 30, count))
    known = texts(0, count)
    grade = in_turns(lambda: graded(pairs), lambda: counted(pairs), count=len(pairs), repeat=12)
    cold = in_turns(lambda: alike(texts(next(fresh), count)), lambda: matched(texts(next(fresh), count)), count=count)
    warm = in_turns(lambda: alike(known), lambda: matched(known), count=count)
    line = in_turns(lambda: parsed(lines), lambda: loaded(lines), count=len(lines), repeat=12)
    talks = reworded()
    tests = sum(turn.role == "agent" for gold, _ in talks for turn in gold.turns)
    step = in_turns(lambda: stepped(talks), lambda: equal(talks), count=tests)
    return [
        Figure("steps", *step, "ms", 1.0, note=f"a next step in other words; {1e3 / step[0]:,.0f} a second"),
        Figure("grading", *grade, "ms", note="calls and outcome of a trace"),
        Figure("lexical, cold", *(1e3 * side for side in cold), "µs", note="a pair of new texts"),
        Figure("lexical, warm", *(1e3 * side for side in warm), "µs", note="a pair of known texts"),
        Figure(
            "JSONL",
            *(1e3 * side for side in line),
            "µs",
            note=f"a line of {sum(map(len, lines)) // len(lines):,} bytes",
        ),
    ]


def _same_step(one: Turn, other: Turn) -> bool:
    mine, theirs = ((turn.text, turn.acts) if turn.role == "agent" else None for turn in (one, other))
    return mine is not None and mine == theirs


def _deeds(turns: Dialogue | Trace) -> list[object]:
    return [(i.round, i.act, i.result.value, i.result.changes) for i in invocations(turns.turns)]
