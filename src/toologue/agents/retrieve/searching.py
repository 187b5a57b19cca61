"""Looking for an Api as an act of its own: what the agent does where the brief names a retriever (ToolDial's TALM).

    the user wants something              ask the retriever, in the user's words           [retriever_call]
    it is sure (`confirm`)                take the first Api in hand: ask, or call          [request, call]
    it is not (`suggest`)                 offer the first                                   [suggest]
    it has nothing                        ask for other words                               [clarify]
    the user declines                     give up                                           [response_fail]
    the user does not know a value, or    ask the retriever who does, take that in hand;    [retriever_call]
    says a thing's name for its id        what was said of it just now is not asked again   [call, request]
    it found several                      have the user choose                              [request]
    the target was called                 answer; then goodbye                              [response, system_bye]

Contract: a function of the history and the brief. `facts["retriever"]` of the brief is {"confirm": x, "suggest": y}; a
history with questions to a retriever in it asks for the same, with the paper's thresholds. The Api in hand is asked
for all that it needs at once, in the order of the documentation, and for one thing that it may have. A quest is over
when the agent has answered; what the user says then begins another one.

Not covered: a source that needs a source of its own; a user who corrects a value, or wants two things at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from toologue.agents.retrieve.filling import Form, Slot
from toologue.agents.retrieve.history import Made, plain_rows
from toologue.agents.retrieve.lexicon import deed_of, talk
from toologue.agents.retrieve.slot_values import Answer, answered, called, mentions, volunteered
from toologue.agents.retrieve.wording import outcome, phrase
from toologue.apis.result_values import MOST_SHOWN, Single, beside, choices, sayable, values_of
from toologue.formats.functions import bands_of
from toologue.schema import Act, AgentAction, AgentTurn, Brief, Call, Result, Retrieve, State, Turn
from toologue.text.tokens import sentences, split_name
from toologue.values.json_schema import object_of
from toologue.worlds.documented.arguments import settled

_YES_LONGEST = 12  # words of a first sentence that may be a yes
_THANKS = re.compile(rf"(?:\W*(?:{talk('thanking').pattern}|{talk('agreeing').pattern}))+\W*", re.IGNORECASE)


class _Source(NamedTuple):
    """An Api that can find a missing parameter, its output that is it, and those beside that fill others."""

    form: Form
    output: str
    parameter: str
    along: Mapping[str, str]


@dataclass
class _Quest:
    """How far it has come from what the user wants to an answer."""

    words: str = ""  # what the user said last
    asked: str = ""  # what the agent said last
    searched: bool = False  # whether the retriever was asked since
    score: float = 0.0
    offered: Form | None = None
    target: Form | None = None
    source: _Source | None = None
    doubtful: str = ""  # a required parameter of the target that the user does not know
    told: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    heard_out: set[str] = field(default_factory=set[str])  # the Apis for which the user had an answer
    sourced: Result | None = None
    options: list[Single] = field(default_factory=list[Single])  # what a source found, where none was chosen yet
    result: Made | None = None
    failure: str = ""  # why nothing can come of it
    over: bool = False
    leaves: bool = False
    thanks: bool = False  # and does nothing else

    @property
    def hand(self) -> Form | None:
        """The Api in hand: a source until it was called, else the target."""
        return self.source.form if self.source is not None and self.sourced is None else self.target

    def known(self, form: Form) -> dict[str, Any]:
        """What is known of an Api's parameters; what its documentation settles is known from the start."""
        return self.told.setdefault(form.api.name, {**settled(form.api)})

    def open(self, form: Form) -> list[Slot]:
        """The parameters of which nothing is known, the required ones first."""
        left = (slot for name, slot in form.slots.items() if name not in self.known(form))
        return sorted(left, key=lambda slot: not slot.required)

    def lacking(self, form: Form) -> tuple[list[str], list[str]]:
        """(required parameters that are not known, an optional one that is worth asking for, if none is known)."""
        known = self.known(form)
        missing = [name for name in form.api.required if name not in known]
        if form.api.name in self.heard_out or any(
            name in known for name in form.slots if name not in form.api.required
        ):
            return missing, []
        chained = self.source.parameter if self.source else ""
        more = (name for name, slot in form.slots.items() if name != chained and _is_askable(slot))
        return missing, [*more][:1]


def searches(history: Sequence[Turn], brief: Brief) -> bool:
    """Whether looking for an Api is an act of its own in this conversation."""
    if "retriever" in brief.facts:
        return True
    return any(act.kind == "retrieve" for turn in history if turn.role == "agent" for act in turn.acts)


def search(history: Sequence[Turn], brief: Brief, forms: Mapping[str, Form]) -> AgentTurn:
    """The next turn. `forms`: the Apis of the brief by name."""
    quest, turn = _quest_of(history, forms, bands_of(brief)), len(history)
    target = quest.target
    if quest.leaves:
        return _turn("system_bye", "the user leaves", quest, target, phrase("system_bye", turn))
    if quest.thanks:
        return _turn("clarify", "thanks are no goodbye", quest, None, phrase("anything_else", turn))
    if quest.failure:
        return _turn("response_fail", quest.failure, quest, None, phrase("response_fail", turn))
    if target is None and not quest.searched:
        return _turn("retriever_call", "which API can do that?", quest, None, Retrieve(query=quest.words))
    if target is None and quest.offered is not None:
        name = quest.offered.api.name
        words = split_name(name.rpartition("|")[2])
        what = words if deed_of(words.partition(" ")[0]) else f"look up the {words}"
        why = f"{name} may be meant (score {quest.score:.2f})"
        return _turn("suggest", why, quest, None, phrase("suggest", turn, what=what))
    if target is None:
        return _turn("clarify", f"no API is near (best score {quest.score:.2f})", quest, None, phrase("clarify", turn))
    if quest.result is not None:
        told = outcome(_short(quest.result), turn, writes=target.api.writes)
        return _turn("response", f"{target.api.name} has answered", quest, target, told)
    if quest.doubtful and quest.source is None:
        why = f"the user does not know {quest.doubtful}; perhaps another API does"
        return _turn("retriever_call", why, quest, target, Retrieve(missing=(target.api.name, quest.doubtful)))
    if quest.options:
        text = phrase("choose", turn, what=_listed(_options(quest), "or"))
        return _turn("request", "several were found, and only the user can tell", quest, target, text)
    return _in_hand(quest, cast("Form", quest.hand), turn)


def _in_hand(quest: _Quest, form: Form, turn: int) -> AgentTurn:
    missing, more = quest.lacking(form)
    known, name = quest.known(form), form.api.name
    if not missing and not more:
        arguments = {slot: known[slot] for slot in form.slots if slot in known}
        return _turn("call", f"{name} has all that it needs", quest, form, Call(api=name, arguments=arguments))
    texts: list[str] = []
    if quest.sourced is not None and quest.source is not None:
        parameter = quest.source.parameter
        texts.append(phrase("found_out", turn, what=f"the {split_name(parameter)}: {known.get(parameter)}"))
    slots = form.slots
    texts += [phrase("which", turn, what=slots[name].of) for name in missing if slots[name].of]
    for kind, names in (("request", [name for name in missing if not slots[name].of]), ("also", more)):
        if names:
            texts.append(phrase(kind, turn, what=_listed([f"the {called(form.slots[one])[-1]}" for one in names])))
    why = f"{name} needs {', '.join(missing)}" if missing else f"{name} may have {more[0]}"
    return _turn("request", why, quest, form, " ".join(texts))


def _turn(action: AgentAction, why: str, quest: _Quest, hand: Form | None, does: str | Call | Retrieve) -> AgentTurn:
    state = State()
    if hand is not None:
        known, needed = quest.known(hand), hand.api.required
        optional = {name: value for name, value in known.items() if name in hand.slots and name not in needed}
        state = State(api=hand.api.name, required={name: known.get(name, "") for name in needed}, optional=optional)
    thought = f"{why[:1].upper()}{why[1:]}."
    if isinstance(does, str):
        return AgentTurn(text=does, action=action, state=state, thought=thought)
    return AgentTurn(acts=(does,), action=action, state=state, thought=thought)


def _is_askable(slot: Slot) -> bool:
    scalar = slot.schema.get("type") in ("string", "integer", "number", None)
    return scalar and not slot.required and not talk("settings").search(split_name(slot.name))


def _short(made: Made) -> Made:
    """A result cut to the rows that people would know: those with a name, and of each row the name first."""
    rows = [dict(sorted(row.items(), key=lambda one: not _names(one[0]))) for row in plain_rows(made.result.value)]
    rows.sort(key=lambda row: not any(map(_names, row)))
    return Made(made.call, made.result.replace(value=rows[:MOST_SHOWN])) if rows else made


def _names(output: str) -> bool:
    return output.lower().endswith(("name", "title"))


def _options(quest: _Quest) -> list[str]:
    """What to choose by: an output that tells the rows apart, names first; else the values themselves."""
    value: Any = quest.sourced.value if quest.sourced else None
    output = quest.source.output if quest.source else ""
    near = output.rpartition("|")[0]
    names = {one.name for one in values_of(value, rows=1)} - {output}
    order = sorted(names, key=lambda name: (not _names(name), name.rpartition("|")[0] != near, name))
    found = choices(value, output, order)
    return [str(shown) for shown, _ in found[1]] if found else [str(one.value) for one in quest.options]


def _listed(parts: Sequence[str], word: str = "and") -> str:
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


# ---- how far it has come


def _quest_of(history: Sequence[Turn], forms: Mapping[str, Form], bands: Mapping[str, float]) -> _Quest:
    quest = _Quest()
    for turn in history:
        if turn.role == "user":
            quest = _heard(quest, turn.text)
            continue
        for act, result in zip(turn.acts, turn.results, strict=False):
            _did(quest, act, result or Result(), forms, bands)
        if turn.state is not None and turn.state.api in forms:  # a label that the history shows
            slots = {**turn.state.required, **turn.state.optional}
            known = {name: value for name, value in slots.items() if value not in ("", None)}
            quest.told.setdefault(str(turn.state.api), {}).update(known)
            quest.target = quest.target or forms[str(turn.state.api)]
        if turn.text is not None:
            quest.asked, quest.over = turn.text, quest.result is not None or bool(quest.failure)
    return quest


def _heard(quest: _Quest, words: str) -> _Quest:
    """What the user's words make of a quest."""
    offered, quest.words = quest.offered, words
    if quest.over:
        quest.thanks = _THANKS.fullmatch(words) is not None
        wishes = "?" in words or talk("wishing").search(words) is not None
        quest.leaves = not quest.thanks and (not wishes or talk("bye").search(words) is not None)
        return quest if quest.leaves or quest.thanks else _Quest(words=words)
    if offered is not None and quest.target is None:
        if talk("agreeing").match(words.lstrip()) is None and talk("declining").search(words):
            quest.failure = "the user does not want what was suggested"
        elif len("".join(sentences(words)[:1]).split()) <= _YES_LONGEST:  # what follows may be long
            quest.target = offered
        else:
            return _Quest(words=words)
    elif quest.target is None or not quest.searched:
        return _Quest(words=words)
    elif quest.options:
        _chose(quest, words)
    elif (form := quest.hand) is not None:
        said = _read(quest, form, words, quest.asked)
        quest.known(form).update(said.values)
        missing = quest.lacking(form)[0]
        unknown = [name for name in said.unknown if name in missing] or (
            missing if talk("unknowing").search(words) else []
        )
        if quest.source is None and unknown:
            quest.doubtful = unknown[0]
        else:
            quest.heard_out.add(form.api.name)
    return quest


def _read(quest: _Quest, form: Form, words: str, asked: str) -> Answer:
    """What words say of an Api's parameters, as far as it may be that. An id that is not given is unknown."""
    said, slots = answered(words, asked, quest.open(form)), form.slots
    values = {name: value for name, value in said.values.items() if not _is_a_name(value, slots[name], asked)}
    ids = [name for name, slot in slots.items() if slot.of and name not in values]
    named = [name for name in said.values if name not in values and not _asks_for(asked, slots[name])]
    return Answer(values, (*said.unknown, *ids, *named))


def _is_a_name(value: Any, slot: Slot, asked: str) -> bool:
    """Whether a value says what a thing is called, where a number is needed, or an id that was not asked for."""
    if not isinstance(value, str) or slot.schema.get("type") in ("integer", "number"):
        return isinstance(value, str)
    is_id = slot.naming or slot.name.lower().endswith("id")
    return is_id and not _asks_for(asked, slot) and all(one.text != value for one in slot.find(value, None))


def _asks_for(asked: str, slot: Slot) -> bool:
    return mentions(asked, called(slot)[-1].split()[-1])


def _said_at_once(quest: _Quest, form: Form) -> None:
    """Take for a source what was said instead of what it finds: names, in sentences that name nothing of the target.

    What ends in a word that is no name ("I'm open") is not taken, but where nothing else was said.
    """
    others = [] if quest.target is None else [called(slot)[-1] for slot in quest.target.slots.values()]
    about = " ".join(one for one in sentences(quest.words) if not any(mentions(one, name) for name in others))
    said = _read(quest, form, about, "").values
    words = quest.words.strip(" .!")
    last = {name: str(value).rpartition(" ")[2] for name, value in said.items() if name in form.api.required}
    quest.known(form).update(
        {name: said[name] for name, word in last.items() if not word[:1].islower() or words == said[name]}
    )
    if form.api.required and not quest.lacking(form)[0]:
        quest.heard_out.add(form.api.name)


def _chose(quest: _Quest, words: str) -> None:
    """Which row of a source's result is meant: by the output whose values stand in the question, or by any."""
    if quest.sourced is None:
        return
    places = {one.place: one.value for one in quest.options}
    rows: dict[tuple[str, str], set[tuple[int, ...]]] = {}
    for one in values_of(quest.sourced.value, rows=MOST_SHOWN):
        if sayable(one.value):
            near = {row for row in places if row[: len(one.place)] == one.place[: len(row)]}
            rows.setdefault((one.name, " ".join(str(one.value).split())), set()).update(near)
    listed = Counter(name for name, said in rows if mentions(quest.asked, said))
    telling = [key for key, found in rows.items() if len(found) == 1 and mentions(words, key[1])]
    if telling:
        best = max(telling, key=lambda key: (listed[key[0]], len(key[1])))
        _hand_over(quest, places[min(rows[best])])
        quest.options = []


def _did(quest: _Quest, act: Act, result: Result, forms: Mapping[str, Form], bands: Mapping[str, float]) -> None:
    value = cast("dict[str, Any]", result.value) if isinstance(result.value, dict) else {}
    if act.kind == "retrieve" and act.missing is None:
        quest.searched = True
        best, quest.score = max(_numbers(value.get("retrieved")).items(), key=lambda one: one[1], default=("", 0.0))
        form = forms.get(best)
        if form is not None and quest.score >= bands["confirm"]:
            quest.target = form
            quest.known(form).update(volunteered(quest.words, quest.open(form), form.told))
        elif quest.score >= bands["suggest"]:
            quest.offered = form
    elif act.kind == "retrieve":
        form = forms.get(str(value.get("source")))
        if form is None:
            quest.failure = f"nothing supplies {quest.doubtful}"
        else:
            parameter, along = str(value.get("parameter") or quest.doubtful), object_of(value.get("along"))
            fills = {name: output for name, output in along.items() if isinstance(output, str)}
            quest.source = _Source(form, str(value.get("output")), parameter, fills)
            _said_at_once(quest, form)
    elif act.kind == "call" and act.api in forms:
        form = forms[act.api]
        quest.told[act.api] = dict(act.arguments or {})
        if quest.source is not None and quest.source.form is form and quest.sourced is None:
            # What a source gave back: one value, or several to choose among.
            quest.sourced = result
            every = values_of(result.value, rows=MOST_SHOWN)
            found = [one for one in every if one.name == quest.source.output and sayable(one.value)]
            if not found:
                quest.failure = f"{quest.source.form.api.name} did not find {quest.source.parameter}"
            elif len({repr(one.value) for one in found}) == 1:
                _hand_over(quest, found[0].value)
            else:
                quest.options = found[:MOST_SHOWN]
        else:
            quest.target, quest.result = form, Made(act, result)
        quest.failure = f"{act.api} failed: {result.error.message}" if result.error is not None else quest.failure


def _hand_over(quest: _Quest, value: Any) -> None:
    """Take over a value that the source found, and what its row says beside, as the retriever told."""
    source, target, result = quest.source, quest.target, quest.sourced.value if quest.sourced else None
    if source is None or target is None:
        return
    known = quest.known(target)
    known[source.parameter] = value
    for name, output in source.along.items():
        if name not in known and (found := beside(result, output, source.output, value)) is not None:
            known[name] = found


def _numbers(value: Any) -> dict[str, float]:
    return {name: number for name, number in object_of(value).items() if isinstance(number, int | float)}
