"""What a grader asks a second reader (`schema.SecondReader`), as questions that can be read by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from toologue import limits
from toologue.schema import AgentTurn, Dialogue, Invocation, Mismatch, Question, SecondReader, Trace, Turn, Verdict
from toologue.schema.turn import invocations
from toologue.score.knowledge import json_text
from toologue.score.metric import must_of

_LINE = 1_000  # characters of a line that a judge of a whole conversation is shown


def history_of(turns: tuple[Turn, ...], facts: Mapping[str, JsonValue] = {}) -> tuple[str, ...]:
    """A conversation, a line for each text, call and result, after what was known from the start."""
    known = [f"Known from the start: {json_text(dict(facts))}"] if facts else []
    return (*known, *(line for turn in turns for line in _lines(turn)))


def step_question(
    gold: Dialogue, at: int, did: AgentTurn, verdict: Verdict = "unsure", found: tuple[Mismatch, ...] = ()
) -> Question:
    """Whether a step would do in place of the gold's turn `at`."""
    wanted = gold.turns[at]
    cue = must_of(wanted) if isinstance(wanted, AgentTurn) else None
    expected, said = (_step(turn) for turn in (wanted, did))
    return Question(
        kind="call" if isinstance(expected, list) or isinstance(said, list) else "reply",
        brief=gold.instructions,
        history=history_of(gold.turns[:at], gold.facts),
        step=" … ".join(filter(None, (cue.text, cue.again))) if cue else "",
        expected=expected,
        said=said,
        verdict=verdict,
        why="; ".join(dict.fromkeys(one.why for one in found)),
        notes={"dialogue": gold.id, "turn": at},
    )


def text_question(gold: Dialogue, wanted: Invocation, name: str, made: Invocation | None = None) -> Question:
    """Whether the free text of a call's argument would do in place of the gold's."""
    given = {} if made is None else made.call.arguments or {}
    return Question(
        kind="text",
        brief=gold.instructions,
        history=history_of(gold.turns[: wanted.turn], gold.facts),
        expected={"argument": name, "api": wanted.call.api, "arguments": wanted.call.arguments},
        said={"argument": given.get(name), "arguments": given},
        notes={"dialogue": gold.id, "turn": wanted.turn, "act": wanted.slot},
    )


def assertion_question(gold: Dialogue, trace: Trace, claim: str) -> Question:
    """Whether a claim holds of a whole conversation."""
    said: list[JsonValue] = [limits.cut(line, _LINE) for line in history_of(trace.turns, gold.facts)]
    notes: dict[str, JsonValue] = {"dialogue": gold.id, "case": trace.case}
    return Question(kind="assertion", brief=gold.instructions, expected=claim, said=said, notes=notes)


def blamed_calls(gold: Dialogue, reader: SecondReader | None) -> list[int]:
    """The turns of a gold with a call that is blamed, or a text in one."""
    if not (reader and reader.blames):
        return []
    made = (one for one in invocations(gold.turns) if one.act.kind == "call")
    return [one.turn for one in made if any(key in reader.blames for key in _call_keys(gold, one))]


def _call_keys(gold: Dialogue, one: Invocation) -> Iterator[str]:
    yield step_question(gold, one.turn, AgentTurn()).gold_key
    yield from (text_question(gold, one, name).gold_key for name in one.call.arguments or {})


def _step(turn: Turn) -> JsonValue:
    acts = [act for act in turn.acts if act.kind == "call"] if turn.role == "agent" else []
    return [{"api": act.api, "arguments": act.arguments} for act in acts] or turn.text


def _lines(turn: Turn) -> Iterator[str]:
    if turn.text:
        yield f"{'Customer' if turn.role == 'user' else 'Agent'}: {turn.text}"
    if turn.role == "agent":
        for act, result in zip(turn.acts, (*turn.results, *(None for _ in turn.acts)), strict=False):
            if act.kind == "call":
                back = (
                    "" if result is None else f" → {json_text(result.error.message if result.error else result.value)}"
                )
                yield f"Agent calls {act.api} {json_text(act.arguments)}{back}"
