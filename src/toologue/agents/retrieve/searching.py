"""Looking for an Api as an act of its own: what the agent does where the brief names a retriever (ToolDial's TALM).

    the user wants something              ask the retriever, in the user's words           [retriever_call]
    it is sure (`confirm`)                take the first Api in hand: ask, or call          [request, call]
    it is not (`suggest`)                 offer the first                                   [suggest]
    it has nothing                        ask for other words                               [clarify]
    the user declines                     give up                                           [response_fail]
    the user does not know a value        ask the retriever who does, take that in hand     [retriever_call]
    it found several                      have the user choose                              [request]
    the target was called                 answer; then goodbye                              [response, system_bye]

Contract: a function of the history and the brief. `facts["retriever"]` of the brief is {"confirm": x, "suggest": y}; a
history with questions to a retriever in it asks for the same, with the paper's thresholds. The Api in hand is asked
for all that it needs at once, in the order of the documentation, and for one thing that it may have.

Example:
    >>> from toologue.agents.retrieve.forms import form_of
    >>> from toologue.schema import Api, Parameter, Result, UserTurn
    >>> sky = Api(name="Sky", parameters={"city": Parameter(schema={"type": "string"})})
    >>> brief = Brief(apis=(sky,), facts={"retriever": {"confirm": 0.5, "suggest": 0.3}})
    >>> said = [UserTurn(text="How is the sky?")]
    >>> turn = search(said, brief, {"Sky": form_of(sky)})
    >>> turn.action, turn.acts[0].query
    ('retriever_call', 'How is the sky?')
    >>> found = turn.replace(results=(Result(value={"retrieved": {"Sky": 0.7}}),))
    >>> search([*said, found], brief, {"Sky": form_of(sky)}).text
    'Would you tell me the city, please?'

Not covered: a source that needs a source of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from toologue.agents.retrieve.forms import Form
from toologue.agents.retrieve.lexicon import deed_of
from toologue.agents.retrieve.results import Made, plain_rows
from toologue.agents.retrieve.slot_values import words_for
from toologue.agents.retrieve.task_state import BANDS, Quest, lacking, numbers, quest_of
from toologue.agents.retrieve.wording import outcome
from toologue.apis.result_values import choices, values_of
from toologue.data import shipped
from toologue.schema import AgentAction, AgentTurn, Brief, Call, Retrieve, State, Turn
from toologue.text.tokens import split_name

_MOST = 5
"""Rows of a result that are read out."""


class _Move(NamedTuple):
    """What to do, why, with which Api in hand; an act, or words."""

    action: AgentAction
    why: str
    hand: Form | None = None
    act: Call | Retrieve | None = None
    text: str = ""


def searches(history: Sequence[Turn], brief: Brief) -> bool:
    """Whether looking for an Api is an act of its own in this conversation."""
    if "retriever" in brief.facts:
        return True
    return any(act.kind == "retrieve" for turn in history if turn.role == "agent" for act in turn.acts)


def search(history: Sequence[Turn], brief: Brief, forms: Mapping[str, Form]) -> AgentTurn:
    """The next turn. `forms`: the Apis of the brief by name."""
    given = brief.facts.get("retriever")
    quest = quest_of(history, forms, {**BANDS, **numbers(given)})
    move = _next(quest, len(history))
    return AgentTurn(
        text=move.text if move.act is None else None,
        acts=() if move.act is None else (move.act,),
        action=move.action,
        state=State() if move.hand is None else _state(quest, move.hand),
        thought=f"{move.why[:1].upper()}{move.why[1:]}.",
    )


def _next(quest: Quest, turn: int) -> _Move:
    """The next thing to do."""
    target, source = quest.target, quest.source
    if quest.leaves:
        return _Move("system_bye", "the user leaves", target, text=_says("system_bye", turn))
    if quest.failure:
        return _Move("response_fail", quest.failure, text=_says("response_fail", turn))
    if quest.result is not None and target is not None:
        told = outcome(_short(quest.result), turn, writes=target.api.writes)
        return _Move("response", f"{target.api.name} has answered", target, text=told)
    if target is None:
        return _unsettled(quest, turn)
    if quest.doubtful and source is None:
        why = f"the user does not know {quest.doubtful}; perhaps another API does"
        return _Move("retriever_call", why, target, Retrieve(missing=(target.api.name, quest.doubtful)))
    if quest.options:
        text = _says("choose", turn, what=_listed(_options(quest), "or"))
        return _Move("request", "several were found, and only the user can tell", target, text=text)
    return _in_hand(quest, cast("Form", quest.hand), turn)


def _unsettled(quest: Quest, turn: int) -> _Move:
    """No Api is in hand yet."""
    if not quest.searched:
        return _Move("retriever_call", "which API can do that?", act=Retrieve(query=quest.words))
    if quest.offered is not None:
        words = split_name(quest.offered.api.name.rpartition("|")[2])
        what = words if deed_of(words.partition(" ")[0]) else f"look up the {words}"
        why = f"{quest.offered.api.name} may be meant (score {quest.score:.2f})"
        return _Move("suggest", why, text=_says("suggest", turn, what=what))
    return _Move("clarify", f"no API is near (best score {quest.score:.2f})", text=_says("clarify", turn))


def _in_hand(quest: Quest, form: Form, turn: int) -> _Move:
    """Ask for what an Api needs, or call it."""
    missing, more = lacking(quest, form)
    if not missing and not more:
        arguments = {name: value for name, value in quest.known(form).items() if name in form.slots}
        ordered = {name: arguments[name] for name in form.slots if name in arguments}
        return _Move("call", f"{form.api.name} has all that it needs", form, Call(api=form.api.name, arguments=ordered))
    named = [[f"the {words_for(form.slots[name])}" for name in names] for names in (missing, more)]
    texts = [
        _says(kind, turn, what=_listed(names)) for kind, names in zip(("request", "also"), named, strict=True) if names
    ]
    if quest.sourced is not None and quest.source is not None:
        value = quest.known(form).get(quest.source.parameter)
        texts.insert(0, _says("found", turn, what=f"the {split_name(quest.source.parameter)}: {value}"))
    why = f"{form.api.name} needs {', '.join(missing)}" if missing else f"{form.api.name} may have {more[0]}"
    return _Move("request", why, form, text=" ".join(texts))


def _short(made: Made) -> Made:
    """A result cut to the rows that people would know: those with a name, and of each row the name first."""
    rows = [dict(sorted(row.items(), key=lambda one: not _names(one[0]))) for row in plain_rows(made.result.value)]
    rows.sort(key=lambda row: not any(map(_names, row)))
    return Made(made.call, made.result.replace(value=rows[:_MOST])) if rows else made


def _names(output: str) -> bool:
    return output.lower().endswith(("name", "title"))


def _options(quest: Quest) -> list[str]:
    """What to choose by: an output that tells the rows apart, names first; else the values themselves."""
    value: Any = quest.sourced.value if quest.sourced else None
    output = quest.source.output if quest.source else ""
    names = {one.name for one in values_of(value, rows=1)} - {output}
    near = output.rpartition("|")[0]
    order = sorted(names, key=lambda name: (not _names(name), name.rpartition("|")[0] != near, name))
    found = choices(value, output, order)
    return [str(shown) for shown, _ in found[1]] if found else [str(one.value) for one in quest.options]


def _state(quest: Quest, form: Form) -> State:
    known, needed = quest.known(form), form.api.required
    optional = {name: value for name, value in known.items() if name in form.slots and name not in needed}
    return State(api=form.api.name, required={name: known.get(name, "") for name in needed}, optional=optional)


def _listed(parts: Sequence[str], word: str = "and") -> str:
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


def _says(kind: str, turn: int, **what: str) -> str:
    phrases = _bank()[kind]
    return phrases[turn % len(phrases)].format(**what)


@cache
def _bank() -> Mapping[str, Sequence[str]]:
    folder = Path(__file__).parent
    banks = [shipped(folder / name) for name in ("wording.yaml", "searching.yaml")]
    return {**banks[0], **banks[1]["says"]}
