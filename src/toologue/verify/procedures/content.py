"""What the turns of a dialogue do and say: acts, done again in a fresh world; form and wording; values.

A world that plays back (`recorded`) or does nothing (`none`) proves nothing: there, results must fit what the document
says the Api returns ("consistent, not executed").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import JsonValue

from toologue.data import shipped
from toologue.errors import BadSetting, UnknownName, shown
from toologue.loop import World, execute
from toologue.schema import AgentTurn, Api, Call, Case, Cue, Dialogue, Result, Turn
from toologue.text.claims import Claim, claims, grounds, says
from toologue.values.compare import clock_of, same
from toologue.values.conditions import Expression, embedded
from toologue.values.json_schema import fits, list_of, object_of, properties_of
from toologue.verify import Flaw
from toologue.verify.procedures.path import Stand, detour_of
from toologue.worlds.world import kind_of, make_world

_NOT_EXECUTED = ("none", "recorded")
_WORDS = cast("Mapping[str, str]", shipped(Path(__file__).with_suffix(".yaml")))
_RE = {name: re.compile(pattern.replace("\n", "")) for name, pattern in _WORDS.items()}


def world_of(dialogue: Dialogue) -> World | None:
    """A fresh world for a dialogue; None where its world executes nothing."""
    if dialogue.world.name in _NOT_EXECUTED:
        return None
    return make_world(Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="forced"))


def documents(dialogue: Dialogue, apis: Mapping[str, Api] | None, world: World | None) -> Mapping[str, Api]:
    """The documents to go by: those given, else the world's own."""
    if apis is not None:
        return apis
    return {api.name: api for api in (world.apis if world is not None else kind_of(dialogue.world.name).apis)}


def wrong_acts(dialogue: Dialogue, apis: Mapping[str, Api], world: World | None) -> Iterator[Flaw]:
    """Every flaw of the acts of a dialogue. The world is left as it was."""
    mark = world.mark() if world is not None else None
    try:
        for place, turn in enumerate(dialogue.turns):
            if turn.role == "agent":
                for act, result in zip(turn.acts, turn.results or (None,) * len(turn.acts), strict=False):
                    if act.kind == "call":
                        yield from (Flaw("arguments", place, what) for what in _document_faults(act, apis))
                        faults = _execution_faults(act, result, apis, world)
                        yield from (Flaw("execution", place, what) for what in faults)
    finally:
        if world is not None:
            world.rewind(mark)


def _document_faults(call: Call, apis: Mapping[str, Api]) -> Iterator[str]:
    api = apis.get(call.api)
    if api is None:
        if apis:
            yield str(UnknownName("api", call.api, apis))
        return
    given = call.arguments or {}
    for name in given.keys() - api.parameters.keys():
        yield f"{call.api}: {UnknownName('parameter', name, api.parameters)}"
    for name in api.required:
        if given.get(name) is None:
            yield f"{call.api}: the required {name} is missing"


def _execution_faults(
    call: Call, recorded: Result | None, apis: Mapping[str, Api], world: World | None
) -> Iterator[str]:
    """What the world says against a recorded result, or else the document."""
    if world is None:
        api = apis.get(call.api)
        if api and recorded and not recorded.error and not fits(recorded.value, api.returns):
            yield f"{call.api}: the result {shown(recorded.value)} does not fit what its document says it returns"
        return
    lived = execute(world, call)  # done even where nothing is recorded: what follows may hang on it
    if recorded is None:
        return
    one, other = _observables(recorded), _observables(lived)
    if not same(one, other):
        what = next(what for what in one if not same(one[what], other[what]))
        yield f"{call.api}: recorded {what} {shown(one[what])}, executed {shown(other[what])}"


def _observables(result: Result) -> dict[str, JsonValue]:
    """What a result tells, the plainest first."""
    error = result.error and f"{result.error.type}: {result.error.message}"
    created: list[JsonValue] = [*sorted(result.created)]
    return {"error": error, "value": result.value, "changes": result.changes, "created": created}


_IS = re.compile(r"(?:\b(?:is|are|was|were|been)|['’]s) (?:(?:now|already|still) )?(?=(\w[\w ]*))", re.IGNORECASE)
_BRACE = re.compile(r"[{}]\S*")


def shape(dialogue: Dialogue) -> Iterator[Flaw]:
    """Every turn that stands where it may not, or says or does nothing."""
    before: Turn | None = None
    for place, turn in enumerate(dialogue.turns):
        wrong = _shape_fault(turn) if turn.role == "agent" else "" if turn.text.strip() else "the customer says nothing"
        if wrong:
            yield Flaw("shape", place, wrong)
        if before is None and turn.role == "agent":
            yield Flaw("shape", place, "the agent speaks first, and the customer should (ALMITA A.6)")
        if turn.role == "user" and before is not None and (before.role == "user" or before.text is None):
            what = "nobody answered the customer" if before.role == "user" else "a call is not followed by a reply"
            yield Flaw("shape", place, what)
        if turn.role == "agent" and before is not None and before.role == "agent" and before.text is not None:
            yield Flaw("shape", place, "the agent goes on after a reply, and it is the customer's turn")
        before = turn
    if before is None or (before.role == "user" and not before.stop) or before.text is None:
        yield Flaw("shape", len(dialogue.turns) - 1, "the last turn is no reply")


def wording(dialogue: Dialogue, apis: Iterable[str]) -> Iterator[Flaw]:
    """Every word that stands for something, or tells of what goes on behind the scenes."""
    secret = _api_pattern(frozenset(apis))
    of_all = [(_RE["stand_in"], "stands in for something"), (_BRACE, "should be a value")]
    of_agents = [*of_all, (_RE["procedure"], "is about the procedure"), (secret, "is the name of an Api")]
    for place, turn in enumerate(dialogue.turns):
        if detour_of(turn) != "noise":
            for pattern, what in of_agents if turn.role == "agent" else of_all:
                if found := pattern.search(turn.text or ""):
                    yield Flaw("wording", place, f"{found[0]!r} {what}")


def detours(dialogue: Dialogue, cues: Sequence[Cue]) -> Iterator[Flaw]:
    """All noise, and every answer to it, that is not said as planned."""
    for place, (turn, cue) in enumerate(zip(dialogue.turns, cues, strict=False)):
        if cue.move in ("noise", "refuse") and cue.text not in (turn.text or ""):
            yield Flaw("detour", place, f"the {cue.move} that was planned is not said: {cue.text!r}")


@lru_cache(maxsize=256)
def _api_pattern(apis: frozenset[str]) -> re.Pattern[str]:
    """The names that nobody says by chance."""
    names = sorted(name for name in apis if not name.islower() or "_" in name)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b" if names else r"(?!)")


def _shape_fault(turn: AgentTurn) -> str:
    if not turn.acts:
        if turn.results:
            return "a result without a call"
        return "" if turn.text and turn.text.strip() else "the agent neither speaks nor acts"
    first, *more = turn.acts
    if more or turn.text is not None:
        return "a call stands in a turn of its own, without words"
    if first.kind != "call" or first.arguments is None:
        return "an act that is no call with arguments"
    return "" if any(turn.results) else "a call has no result"


class _Known:
    """What words can rest on: facts, the customer's words, the newest result of each node; and what was replaced."""

    def __init__(self, facts: Mapping[str, JsonValue]):
        self.said = set(grounds(dict(facts)))
        self.results: dict[str, frozenset[Claim]] = {}
        self.codes: dict[str, list[_Code]] = {}
        self.replaced: set[Claim] = set()

    def learn(self, turn: AgentTurn, apis: Mapping[str, Api]) -> None:
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call" and result is not None:
                step = turn.node or act.api
                self.replaced |= self.results.get(step, frozenset())
                self.results[step] = grounds(result.error.message if result.error else result.value)
                self.codes[step] = list(_codes(act.api, apis.get(act.api), object_of(result.value)))

    def supports(self, claim: Claim) -> bool:
        return claim in self.said or any(claim in result for result in self.results.values())


class _Code(NamedTuple):
    """One of a few words that a call returned, and the words that it could have been instead."""

    api: str
    name: str
    value: str
    others: frozenset[str]


def _codes(name: str, api: Api | None, value: Mapping[str, JsonValue]) -> Iterator[_Code]:
    for field, schema in (properties_of(api.returns) if api else {}).items():
        choices = frozenset(map(str, list_of(object_of(schema).get("enum"))))
        if (code := str(value.get(field))) in choices:
            yield _Code(name, field, code, choices - {code})


class _Shown(NamedTuple):
    """What a node shows in braces: its value, and those it had before."""

    expression: Expression
    value: JsonValue
    older: tuple[JsonValue, ...]


def wrong_values(dialogue: Dialogue, stands: Sequence[Stand], apis: Mapping[str, Api]) -> Iterator[Flaw]:
    """Every value that is missing, made up, or out of date; every word that says another one than the result."""
    now, known = clock_of(dialogue.facts.get("now")), _Known(dialogue.facts)
    if not any(stand.node for stand in stands):  # without a graph nobody knows which step is whose
        known.said |= grounds(dialogue.instructions)
    for place, (turn, stand) in enumerate(zip(dialogue.turns, stands, strict=True)):
        if turn.role == "user":
            for name, value in turn.informed.items():
                if value is not None and not says(turn.text, value, now):
                    yield Flaw("carried", place, f"the customer's words do not say {name}, {shown(value)}")
            if detour_of(turn) != "noise":
                known.said |= grounds(turn.text) | grounds(dict(turn.informed))
        elif turn.text is None:
            known.learn(turn, apis)
        else:
            shows = [] if stand.node is None else list(_shown_values(stand))
            yield from _missing_values(place, turn.text, shows, now)
            yield from _unsupported_claims(place, turn.text, stand, known)
            yield from _other_codes(place, turn.text, stand, known)


def _other_codes(place: int, text: str, stand: Stand, known: _Known) -> Iterator[Flaw]:
    """Every "is delivered" where the newest result says "lost", and nothing else says "delivered"."""
    every = [code for codes in known.codes.values() for code in codes]
    own = stand.message.text.lower() if stand.message else ""  # without a graph nobody knows which step is whose
    said = {found[1].lower() for found in _IS.finditer(text)} if own else ()
    for code in every if said else ():
        for other in code.others - {one.value for one in every}:
            words = other.replace("_", " ").lower()
            if words not in own and any(re.match(rf"{re.escape(words)}\b", tail) for tail in said):
                what = f"it says {words!r}, and {code.name} of {code.api} is {shown(code.value)}"
                yield Flaw("supported", place, what)


def _missing_values(place: int, text: str, shows: list[_Shown], now: datetime | None) -> Iterator[Flaw]:
    for expression, value, older in shows:
        if value is None:
            yield Flaw("supported", place, f"`{expression.text}` is null, and the reply is to say it")
        elif not says(text, value, now):
            outdated = next((old for old in reversed(older) if old is not None and says(text, old, now)), None)
            if outdated is None:
                yield Flaw("supported", place, f"the reply does not say `{expression.text}`, {shown(value)}")
            else:
                what = f"the reply says {shown(outdated)}; `{expression.text}` is {shown(value)} now"
                yield Flaw("stale", place, what)


def _unsupported_claims(place: int, text: str, stand: Stand, known: _Known) -> Iterator[Flaw]:
    claimed = claims(text)
    missing = [claim for claim in claimed if not known.supports(claim)]
    if missing and stand.message is not None:  # the text of the message on the table, and the values that it shows
        own = grounds(stand.message.text).union(*(grounds(show.value) for show in _shown_values(stand)))
        missing = [claim for claim in missing if claim not in own]
    for claim in missing:
        stale = claim in known.replaced
        what = "only a result that was replaced says" if stale else "nothing so far says"
        yield Flaw("stale" if stale else "supported", place, f"{what} {claimed[claim]!r}")


def _shown_values(stand: Stand) -> Iterator[_Shown]:
    if stand.message is None or "{" not in stand.message.text:
        return
    for expression in embedded(stand.message.text):
        values, older = stand.values or {}, stand.older or {}
        before = ({**values, name: old} for name in expression.names for old in older.get(name, ()))
        yield _Shown(expression, _value(expression, values), tuple(_value(expression, old) for old in before))


def _value(expression: Expression, known: Mapping[str, JsonValue]) -> JsonValue:
    if expression.text in known:  # a name
        return known[expression.text]
    try:
        return expression.value(known)
    except BadSetting:
        return None
