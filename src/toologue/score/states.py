"""Dialogue state tracking: which states are right, and in which way others are wrong (ToolDial 4.1, A.8, A.10).

A test is one labelled state of the text (`formats.tooldial`): of each agent turn with words, and of a call that
answers the user. Under `next` each test begins at the gold.

    metric                  of                     hits
    state accuracy          tests                  states that are equal
    state error: KIND       tests                  wrong ones of this kind (a test may have two: slot, value)

Two states are equal where the same Api is confirmed, the filled slots are the same, and no required one is lacking: an
optional slot that is empty says nothing, null is empty. Values compare by the documented type of their parameter
(`same_value`): numbers as numbers, whole days in any form, texts but for case, spaces, outer quotes, a last stop.

Kinds of errors (A.8), the first that applies, or slot and value both: `generation` (no object), `unconfirmed` (GT = T:
nothing is confirmed, though it should be), `confirmed` (GT = F), `format` (fields are lacking), `slot` (other names),
`value`, and `other`, which is no kind of the paper's: another Api with the same slots. What is wrong with a value says
a second kind: `multi-result` (one of several results of the Api before), `intent-add` (it stood in the first request),
`extraction` (any other).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal, NamedTuple, get_args

from pydantic import JsonValue

from toologue.formats.literals import value_of
from toologue.formats.tooldial import read_state, state_json, state_of
from toologue.models.similarity import TextMatch
from toologue.schema import AgentTurn, Api, Dialogue, Mismatch, Score, State, Trace, invocations
from toologue.score.metric import LOWER_IS_BETTER, MEANINGS, answers_of, done_at, no_reply, shares_of, unscored
from toologue.text.claims import says_words
from toologue.text.times import days
from toologue.values.compare import same
from toologue.values.json_schema import list_of, object_of
from toologue.worlds.world import documents_seen

# What is documented of each slot of an Api.
Schemas = Mapping[str, Mapping[str, Any]]

_NONE: Schemas = {}
ACCURACY = "state accuracy"
MEANINGS[ACCURACY] = "dialogue states that are the expected ones: API and every slot; the paper's accuracy (table 4)"
StateError = Literal["generation", "unconfirmed", "confirmed", "format", "slot", "value", "other"]
ValueKind = Literal["multi-result", "intent-add", "extraction"]
ERRORS: tuple[StateError, ...] = get_args(StateError)
VALUE_KINDS: tuple[ValueKind, ...] = get_args(ValueKind)
METRICS = (ACCURACY, *(f"state error: {kind}" for kind in (*ERRORS, *VALUE_KINDS)))
LOWER_IS_BETTER.update(METRICS[1:])

_NUMBER = re.compile(r"[+-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)", re.ASCII)
_EDGES = " \t\r\n\"'“”‘’`.,;!?"


class StateTest(NamedTuple):
    """A state of the gold beside what was said: index of the turn, number of the user's turn, kinds of errors."""

    turn: int
    round: int
    label: State
    said: JsonValue
    correct: bool
    errors: tuple[str, ...] = ()
    # The slots whose value is wrong.
    slots: tuple[str, ...] = ()


def states(gold: Dialogue, trace: Trace, match: TextMatch) -> Mapping[str, Score]:
    """The metric. Scores nothing under another protocol, or where the gold has no states."""
    if trace.protocol != "next" or not any(labelled(gold)):
        return {}
    return unscored(METRICS, gold, trace, no_reply(trace)) or scores_of(state_tests(gold, trace), gold, trace)


def labelled(gold: Dialogue) -> Iterator[tuple[int, int, State]]:
    """(turn, number of the user's turn, from 1, state) of every state that is a test."""
    for at, number, turn in answers_of(gold):
        calls = gold.turns[at - 1].role == "user" and any(act.kind == "call" for act in turn.acts)
        if turn.state is not None and (turn.text is not None or calls):
            yield at, number, turn.state


def state_tests(gold: Dialogue, trace: Trace) -> list[StateTest]:
    """The tests of a conversation that was lived under `next`."""
    documents, found = documents_seen(gold), list[StateTest]()
    for at, number, label in labelled(gold):
        said = said_state(done_at(trace, at))
        kinds, slots = error_kinds(label, said, schemas_of(documents, label.api))
        which = dict.fromkeys(_kind_of_value(gold, at, label, slot) for slot in slots)
        found.append(StateTest(at, number, label, said, not kinds, (*kinds, *which), slots))
    return found


def scores_of(tests: Sequence[StateTest], gold: Dialogue, trace: Trace) -> dict[str, Score]:
    """Tests as scores. The mismatches explain the conversation."""
    hits = {name: sum(name.removeprefix("state error: ") in test.errors for test in tests) for name in METRICS}
    hits[ACCURACY] = sum(test.correct for test in tests)
    shares = {name: (count, len(tests)) for name, count in hits.items()}
    at: list[Mismatch] = []
    for test in (test for test in tests if not test.correct):
        why = ": ".join(filter(None, map(", ".join, (test.errors, test.slots))))
        at.append(Mismatch(turn=test.turn, field="state", expected=state_json(test.label), actual=test.said, why=why))
    return shares_of(shares, gold, trace, {ACCURACY: at})


def said_state(turn: AgentTurn) -> JsonValue:
    """The state that a turn says, in the paper's form; None where there is no object.

    Words of a model that are no clean state stand in `extra["answer"]["state"]`.
    """
    said = object_of(turn.extra.get("answer")).get("state")
    if isinstance(said, str):
        return read_state(said).value
    if said is not None:
        return said
    return None if turn.state is None else state_json(turn.state)


def schemas_of(documents: Mapping[str, Api], api: str | None) -> Schemas:
    """What the documents say of an Api's slots."""
    known = documents.get(api or "")
    return {_name(name): one.json_schema for name, one in known.parameters.items()} if known else {}


def same_value(expected: JsonValue, actual: JsonValue, schema: Mapping[str, Any] | None = None) -> bool:
    """Whether a slot's value is the label's. `schema` is what is documented of it."""
    known = schema or {}
    kind = known.get("type")
    pair: list[Any] = [_typed(value, kind) for value in (expected, actual)]
    if all(isinstance(value, list) for value in pair):
        items, (mine, theirs) = object_of(known.get("items")), map(list_of, pair)
        return len(mine) == len(theirs) and all(same_value(*two, items) for two in zip(mine, theirs, strict=True))
    if all(isinstance(value, dict) for value in pair):
        mine, theirs = map(object_of, pair)
        return mine.keys() == theirs.keys() and all(same_value(mine[name], theirs[name]) for name in mine)
    if (day := _day(pair[0])) and day == _day(pair[1]):
        return True
    numbers = [None if kind == "string" else _number(value, kind in ("number", "integer")) for value in pair]
    return numbers[0] == numbers[1] if None not in numbers else same(*map(_plain, pair))


def error_kinds(
    label: State, said: JsonValue, schemas: Schemas = _NONE
) -> tuple[tuple[StateError, ...], tuple[str, ...]]:
    """(kinds of errors, slots whose value is wrong) of a state in the paper's form; none where it is the label."""
    if not isinstance(said, dict):
        return ("generation",), ()
    try:
        state = state_of(said)
    except ValueError:
        return ("format",), ()
    if state.api is None or label.api is None:
        return () if state.api == label.api else ("unconfirmed",) if state.api is None else ("confirmed",), ()
    if _name(state.api) != _name(label.api):
        return ("other",), ()
    mine, theirs = ({_name(n): v for n, v in {**s.required, **s.optional}.items()} for s in (state, label))
    filled = {name for slots in (mine, theirs) for name, value in slots.items() if not _is_empty(value)}
    same_slots = {*map(_name, label.required)} <= mine.keys() and filled <= mine.keys() & theirs.keys()
    compared = ((name, value) for name, value in theirs.items() if name in filled)
    wrong = tuple(n for n, value in compared if not same_value(value, mine.get(n), schemas.get(n)))
    kinds: dict[StateError, bool] = {"slot": not same_slots, "value": bool(wrong)}
    return tuple(kind for kind, applies in kinds.items() if applies), wrong


def _kind_of_value(gold: Dialogue, at: int, label: State, slot: str) -> ValueKind:
    for made in invocations(gold.turns[:at], opening=True):
        if made.act.kind == "retrieve" and made.act.missing == (label.api, slot):
            told = object_of(made.result.value)
            if len(list(_outputs(gold, at, str(told.get("source")), str(told.get("output"))))) > 1:
                return "multi-result"
    value = {**label.required, **label.optional}.get(slot)
    asked = [t for t in gold.turns[:at] if t.role == "user" and t.action == "inform_intent_clear_add"]
    if any(slot in turn.informed or (not _is_empty(value) and says_words(turn.text, str(value))) for turn in asked):
        return "intent-add"
    return "extraction"


def _outputs(gold: Dialogue, at: int, api: str, output: str) -> Iterator[JsonValue]:
    """The values of an output in the last result of an Api before turn `at`; levels of lists are transparent."""
    for turn in reversed(gold.turns[:at]):
        for act, result in zip(turn.acts, turn.results, strict=False) if turn.role == "agent" else ():
            if act.kind == "call" and act.api == api and result is not None:
                yield from _walk(result.value, [part for part in output.split("|") if part])
                return


def _walk(value: JsonValue, path: Sequence[str]) -> Iterator[JsonValue]:
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, path)
    elif isinstance(value, dict) and path:
        if path[0] in value:
            yield from _walk(value[path[0]], path[1:])
    elif not path:
        yield value


def _typed(value: JsonValue, kind: Any) -> Any:
    """A text that spells a list, an object or a truth value, as that; unless texts are documented."""
    if not isinstance(value, str) or kind == "string":
        return value
    if value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    try:
        return value_of(value) if value.strip()[:1] in ("[", "{") else value
    except ValueError:
        return value


def _number(value: Any, numeric: bool) -> Decimal | None:
    """The number that a value is; a text with leading zeros is one only where numbers are documented."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Decimal(str(value))
    text = value.strip() if isinstance(value, str) else ""
    if not text or not _NUMBER.fullmatch(text) or (not numeric and re.match(r"[+-]?0\d", text)):
        return None
    return Decimal(text.replace(",", ""))


def _day(value: Any) -> date | None:
    text = value.strip() if isinstance(value, str) else ""
    found = [one.first for one in days(text, None) if (one.start, one.end, one.first) == (0, len(text), one.last)]
    return found[0] if found else None


def _plain(value: Any) -> Any:
    """A text but for case, spaces, outer quotes and a last stop; numbers and truth values as texts."""
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) else str(value)
    if not isinstance(value, str):
        return value
    text = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    return text.strip(_EDGES) or text


def _is_empty(value: JsonValue) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _name(name: str) -> str:
    return " ".join(name.split())
