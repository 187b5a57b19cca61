"""One quest: from what the user wants to an answer, as far as a conversation has come (ToolDial's flow).

    asked the retriever → suggested, or clear → a target in hand → what it needs → called
                                                ↳ a value nobody knows → a source in hand → called → chosen

Contract: pure; a function of the turns. `told` holds, by Api, all values that are known of its parameters: what the
user said when it was in hand, what came with the wish, what a source found, what the labels of earlier turns say
where the history shows them. A quest is over when the agent has answered; what the user says then begins another one.

Example:
    >>> from toologue.agents.retrieve.forms import form_of
    >>> from toologue.schema import Api, Parameter, Result, Retrieve, UserTurn
    >>> forms = {"Sky": form_of(Api(name="Sky", parameters={"city": Parameter(schema={"type": "string"})}))}
    >>> found = Result(value={"retrieved": {"Sky": 0.8}})
    >>> looked = AgentTurn(acts=(Retrieve(query="the sky"),), results=(found,))
    >>> said = [UserTurn(text="The sky, please."), looked, AgentTurn(text="Where? The city?"), UserTurn(text="Oslo.")]
    >>> quest = quest_of(said, forms, BANDS)
    >>> quest.target.api.name, quest.told
    ('Sky', {'Sky': {'city': 'Oslo'}})

Not covered: a user who corrects a value, or wants two things at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from toologue.agents.retrieve.forms import Form, Slot
from toologue.agents.retrieve.lexicon import talk
from toologue.agents.retrieve.results import Made
from toologue.agents.retrieve.slot_values import (
    answered,
    called,
    declines,
    doubts,
    mentions,
    settings,
    volunteered,
    wishes_more,
)
from toologue.apis.result_values import MOST_SHOWN, Single, along, beside, sayable, values_of
from toologue.schema import Act, AgentTurn, Result, Turn
from toologue.text.names import knowable
from toologue.worlds.documented.arguments import settled

BANDS: Mapping[str, float] = {"confirm": 0.6, "suggest": 0.5}
"""From which score on an Api is settled, or worth suggesting, by the paper's retriever."""
_YES_LONGEST = 12
_SENTENCE = re.compile(r"(?<=[.!?])\s")


class Source(NamedTuple):
    """An Api that can find a missing parameter, and its output that is it."""

    form: Form
    output: str
    parameter: str


@dataclass
class Quest:
    """What is known when it is the agent's turn."""

    words: str = ""
    """What the user said last."""
    searched: bool = False
    """Whether the retriever was asked since."""
    asked: str = ""
    """What the agent said last."""
    score: float = 0.0
    offered: Form | None = None
    target: Form | None = None
    source: Source | None = None
    doubtful: str = ""
    """A required parameter of the target that the user does not know."""
    told: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    heard_out: set[str] = field(default_factory=set[str])
    """The Apis for which the user was asked, and had an answer."""
    sourced: Result | None = None
    options: list[Single] = field(default_factory=list[Single])
    """The values that a source found, where there are several and none was chosen."""
    result: Made | None = None
    failure: str = ""
    """Why nothing can come of it."""
    over: bool = False
    leaves: bool = False

    @property
    def hand(self) -> Form | None:
        """The Api in hand: a source until it was called, else the target."""
        return self.source.form if self.source is not None and self.sourced is None else self.target

    def known(self, form: Form) -> dict[str, Any]:
        """What is known of an Api's parameters; what its documentation settles is known from the start."""
        return self.told.setdefault(form.api.name, {**settled(form.api)})


def quest_of(history: Sequence[Turn], forms: Mapping[str, Form], bands: Mapping[str, float]) -> Quest:
    """The quest that a conversation is about now."""
    quest = Quest()
    for turn in history:
        if turn.role == "user":
            quest = _heard(quest, turn.text)
            continue
        for act, result in zip(turn.acts, turn.results, strict=False):
            _did(quest, act, result or Result(), forms, bands)
        _shown(quest, turn, forms)
        if turn.text is not None:
            quest.asked, quest.over = turn.text, quest.result is not None or bool(quest.failure)
    return quest


def lacking(quest: Quest, form: Form) -> tuple[list[str], list[str]]:
    """(required parameters that are not known, an optional one that is worth asking for, if none is known)."""
    known = quest.known(form)
    missing = [name for name in form.api.required if name not in known]
    if form.api.name in quest.heard_out or any(name in known for name in form.slots if name not in form.api.required):
        return missing, []
    chained = quest.source.parameter if quest.source else ""
    open_ = [slot for slot in form.slots.values() if slot.name != chained and _askable(slot)]
    named = [slot for slot in open_ if any(mentions(quest.asked, name) for name in called(slot))]
    return missing, [slot.name for slot in (*named, *open_)][:1]


def slots_of(quest: Quest, form: Form) -> list[Slot]:
    """The parameters of which nothing is known, the required ones first."""
    left = [slot for name, slot in form.slots.items() if name not in quest.known(form)]
    return sorted(left, key=lambda slot: not slot.required)


def numbers(value: Any) -> dict[str, float]:
    """The numbers of an object, by name; none where it is no object."""
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return {name: number for name, number in fields.items() if isinstance(number, int | float)}


def _askable(slot: Slot) -> bool:
    """Whether people know such a thing, and care."""
    if slot.required or slot.schema.get("type") not in ("string", "integer", "number", None):
        return False
    phrase = str(slot.schema.get("title") or slot.schema.get("description") or slot.name)
    return knowable(slot.name, phrase, slot.schema) and not settings(slot)


def _heard(quest: Quest, words: str) -> Quest:
    """What the user's words make of a quest."""
    if quest.over:
        leaves = talk("bye").search(words) is not None or not wishes_more(words)
        quest.words, quest.leaves = words, leaves
        return quest if leaves else Quest(words=words)
    if quest.offered is not None and quest.target is None:
        return _replied(quest, quest.offered, words)
    if quest.target is None or not quest.searched:
        return Quest(words=words)
    quest.words = words
    if quest.options:
        _chose(quest, words)
    elif (form := quest.hand) is not None:
        _answered(quest, form, words)
    return quest


def _replied(quest: Quest, offered: Form, words: str) -> Quest:
    """A yes or a no to what was suggested; or another wish."""
    quest.words = words
    if talk("agreeing").match(words.lstrip()) is None and declines(words):
        quest.failure = "the user does not want what was suggested"
    elif len(_SENTENCE.split(words.strip(), maxsplit=1)[0].split()) <= _YES_LONGEST:  # what follows a yes may be long
        quest.target = offered
    else:
        return Quest(words=words)
    return quest


def _answered(quest: Quest, form: Form, words: str) -> None:
    """The values in an answer; or what the user cannot say."""
    said = answered(words, quest.asked, slots_of(quest, form))
    quest.known(form).update(said.values)
    missing, _ = lacking(quest, form)
    if quest.source is None and (named := [name for name in missing if name in said.unknown]):
        quest.doubtful = named[0]
    elif quest.source is None and missing and doubts(words):
        quest.doubtful = missing[0]
    else:
        quest.heard_out.add(form.api.name)


def _chose(quest: Quest, words: str) -> None:
    """Which row of a source's result is meant: by the output whose values stand in the question, or by any."""
    if quest.sourced is None or quest.source is None or quest.target is None:
        return
    places = {one.place: one.value for one in quest.options}
    rows: dict[tuple[str, str], set[tuple[int, ...]]] = {}
    for one in values_of(quest.sourced.value, rows=MOST_SHOWN):
        if sayable(one.value):
            rows.setdefault((one.name, " ".join(str(one.value).split())), set()).update(_rows(one.place, places))
    listed = Counter(name for name, said in rows if mentions(quest.asked, said))
    telling = [key for key, found in rows.items() if len(found) == 1 and mentions(words, key[1])]
    if telling:
        best = max(telling, key=lambda key: (listed[key[0]], len(key[1])))
        _hand_over(quest, quest.source, quest.target, places[min(rows[best])])
        quest.options = []


def _rows(place: tuple[int, ...], places: Mapping[tuple[int, ...], Any]) -> set[tuple[int, ...]]:
    """The rows that a place is in, or that are in it."""
    return {row for row in places if row[: len(place)] == place[: len(row)]}


def _did(quest: Quest, act: Act, result: Result, forms: Mapping[str, Form], bands: Mapping[str, float]) -> None:
    """What an act and its result make of a quest."""
    if act.kind == "retrieve" and act.missing is None:
        _found(quest, result, forms, bands)
    elif act.kind == "retrieve":
        value = cast("dict[str, Any]", result.value) if isinstance(result.value, dict) else {}
        form = forms.get(str(value.get("source")))
        if form is None:
            quest.failure = f"nothing supplies {quest.doubtful}"
        else:
            quest.source = Source(form, str(value.get("output")), str(value.get("parameter") or quest.doubtful))
    elif act.kind == "call" and act.api in forms:
        form = forms[act.api]
        quest.told[act.api] = dict(act.arguments or {})
        if quest.source is not None and quest.source.form is form and quest.sourced is None:
            _sourced(quest, quest.source, result)
        else:
            quest.target, quest.result = form, Made(act, result)
        quest.failure = f"{act.api} failed: {result.error.message}" if result.error is not None else quest.failure


def _found(quest: Quest, result: Result, forms: Mapping[str, Form], bands: Mapping[str, float]) -> None:
    """What the retriever's answer calls for."""
    value = cast("dict[str, Any]", result.value) if isinstance(result.value, dict) else {}
    ranked = numbers(value.get("retrieved"))
    quest.searched = True
    best, quest.score = max(ranked.items(), key=lambda one: one[1], default=("", 0.0))
    form = forms.get(best)
    if form is not None and quest.score >= bands["confirm"]:
        quest.target = form
        quest.known(form).update(volunteered(quest.words, slots_of(quest, form)))
    elif quest.score >= bands["suggest"]:
        quest.offered = form


def _sourced(quest: Quest, source: Source, result: Result) -> None:
    """What a source gave back: one value, or several to choose among."""
    quest.sourced = result
    found = [
        one for one in values_of(result.value, rows=MOST_SHOWN) if one.name == source.output and sayable(one.value)
    ]
    if not found:
        quest.failure = f"{source.form.api.name} did not find {source.parameter}"
    elif len({repr(one.value) for one in found}) == 1 and quest.target is not None:
        _hand_over(quest, source, quest.target, found[0].value)
    else:
        quest.options = found[:MOST_SHOWN]


def _hand_over(quest: Quest, source: Source, target: Form, value: Any) -> None:
    """Take over a value that the source found, and what its row says beside that the target needs, too."""
    known, result = quest.known(target), quest.sourced.value if quest.sourced is not None else None
    known[source.parameter] = value
    outputs = dict.fromkeys(one.name for one in values_of(result))
    for name, output in along(source.output, outputs, (name for name in target.api.required if name not in known)):
        if (found := beside(result, output, source.output, value)) is not None:
            known[name] = found


def _shown(quest: Quest, turn: AgentTurn, forms: Mapping[str, Form]) -> None:
    """What the labels of an earlier turn say, where the history shows them."""
    state = turn.state
    if state is not None and state.api in forms:
        slots = {**state.required, **state.optional}
        known = {name: value for name, value in slots.items() if value not in ("", None)}
        quest.told.setdefault(str(state.api), {}).update(known)
        if quest.target is None:
            quest.target = forms[str(state.api)]
