"""A transcript as the page shows it: rounds, in each the gold beside what the agent did, with marks and reasons.

Contract: a pure view of a `Conversation`; nothing is graded again (see `marks`). A round in which the agent did what
the gold does is `single`: one column shows it. Values are cut where they are too long for a page, and say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, cast

from toologue import keys
from toologue.limits import legible
from toologue.report.view import Conversation
from toologue.report.words import cut, explain, fault_words, findings, located, pruned, quoted
from toologue.schema import AgentTurn, Call, Dialogue, Mismatch, Program, Result, Retrieve, Round, Trace, Turn
from toologue.schema.turn import invocations, rounds
from toologue.score.metric import done_at, onward, whole

# same: as expected; match: accepted, though not equal; wrong: a call or a reply that differs from the gold's; unsure:
# one of which nobody has decided whether it does; bad: took effect, not expected; extra: expected by nobody, not
# counted as bad; missing: in the gold only; draft: not executed.
Mark = Literal["", "same", "match", "wrong", "unsure", "bad", "extra", "missing", "draft"]
# (index of the turn among all turns, slot among its acts; -1: its words).
Place = tuple[int, int]


@dataclass(frozen=True)
class _Act:
    place: Place
    round: int
    act: Call | Program

    @property
    def name(self) -> str:
        return self.act.api if self.act.kind == "call" else self.act.kind

    @cached_property
    def content(self) -> tuple[str, bytes]:
        return self.name, keys.canonical(self.act.arguments if self.act.kind == "call" else self.act.code)

    def has(self, wanted: Mapping[str, Any]) -> bool:
        given = (self.act.arguments if self.act.kind == "call" else None) or {}
        return all(given.get(name) == value for name, value in wanted.items())


@dataclass
class Marks:
    """What the scores say about each call, by place; `partner` goes from the trace to the gold."""

    partner: dict[Place, Place] = field(default_factory=dict[Place, Place])
    agent: dict[Place, Mark] = field(default_factory=dict[Place, Mark])
    gold: dict[Place, Mark] = field(default_factory=dict[Place, Mark])
    why: dict[Place, list[Mismatch]] = field(default_factory=dict[Place, list[Mismatch]])


def marks(conversation: Conversation) -> Marks:
    """The marks of all calls and programs of a conversation, read off the scores alone.

    What the verdict's `at` names is wrong, bad or missing. Of the other calls, as many answer a gold call of the same
    Api as the precision counted: equal ones first, then those of the same round, then any. Without a verdict calls are
    paired for the layout, and none is marked.
    """
    verdict, precision = conversation.verdict, conversation.scores.get("precision")
    found = _named(conversation)
    mine, free = _calls(conversation.trace.turns), _calls(conversation.gold.turns)
    budget = int(precision.counts.get("hits", len(mine))) if precision else len(mine)
    free = [act for act in free if act.place not in found.gold]
    unnamed = [act for act in mine if act.place not in found.agent]
    budget = _pair(unnamed, free, found, budget, lambda act: (act.content, act.round))
    _pair_wrong([act for act in mine if found.agent.get(act.place) in ("wrong", "unsure")], free, found)
    budget = _pair(unnamed, free, found, budget, lambda act: (act.name, act.round))
    _pair(unnamed, free, found, budget, lambda act: act.name)
    for act in unnamed:
        found.agent.setdefault(act.place, "extra")
    scored = verdict is not None and verdict.value is not None
    return found if scored else Marks(partner=found.partner)


def _named(conversation: Conversation) -> Marks:
    found = Marks()
    for mismatch in conversation.verdict.at if conversation.verdict else ():
        finding = located(conversation, mismatch)
        mismatch = finding.mismatch
        if mismatch.turn is None:
            continue
        if finding.side == "gold":
            found.gold[mismatch.turn, mismatch.act or 0] = "missing"
            continue
        place = _place(conversation.trace, mismatch)
        if mismatch.verdict == "wrong":
            found.agent[place] = "bad" if mismatch.field == "call" else "wrong"
        else:
            found.agent.setdefault(place, "unsure")
        found.why.setdefault(place, []).append(mismatch)
    for at, decision in conversation.decisions.items():
        if decision.verdict == "right":
            told = Mismatch(turn=at, field="reply", why="; ".join([decision.told, *decision.reasons]), by=decision.by)
            found.why.setdefault((at, -1), []).append(told)
            found.agent.setdefault((at, -1), "match")
    return found


def _place(lived: Trace | Dialogue, mismatch: Mismatch) -> Place:
    """The act that a mismatch is about; the words of the turn, where it is about these."""
    turn = mismatch.turn or 0
    spoken = mismatch.field == "reply" and mismatch.act is None and bool(done_at(lived, turn).text)
    return turn, -1 if spoken else mismatch.act or 0


def _pair(mine: Sequence[_Act], free: list[_Act], found: Marks, budget: int, key: Callable[[_Act], object]) -> int:
    """Pair calls with free gold calls of the same key, at most `budget`; returns what is left of it."""
    for act in mine:
        mate = next((other for other in free if key(act) == key(other)), None)
        if mate is not None and budget > 0 and act.place not in found.partner:
            free.remove(mate)
            budget -= 1
            found.partner[act.place] = mate.place
            found.agent[act.place] = found.gold[mate.place] = "same" if act.content == mate.content else "match"
    return budget


def _pair_wrong(mine: Sequence[_Act], free: list[_Act], found: Marks) -> None:
    """Pair each wrong call with the gold call that it was compared to: the one that has what was expected."""
    for act in mine:
        wanted = {m.field.removeprefix("arguments."): m.expected for m in found.why[act.place] if "." in m.field}
        rivals = [other for other in free if other.name == act.name]
        if rivals:
            mate = min(rivals, key=lambda other: (not other.has(wanted), abs(other.round - act.round)))
            free.remove(mate)
            found.partner[act.place] = mate.place
            found.gold[mate.place] = found.agent[act.place]


def _calls(turns: Iterable[Turn]) -> list[_Act]:
    found = invocations(turns)
    return [_Act((i.turn, i.slot), i.round, i.act) for i in found if i.act.kind != "retrieve"]


First = Literal["", "call", "fault", "state", "head"]
_SHORT, _LONG, _STRING = 160, 12_000, 4_000
_MOST_MEMBERS = 200


class Shown(NamedTuple):
    """A value as the page shows it: `text` in full (or cut, then `note` says so), `brief` where the text is long."""

    text: str
    brief: str = ""
    note: str = ""


class Argument(NamedTuple):
    """One argument of a call; `expected` and `why` where it differs. `given` is None where it is missing."""

    name: str
    given: Shown | None
    expected: Shown | None = None
    why: str = ""
    unsure: bool = False


class Reason(NamedTuple):
    """Why something is wrong or unsure, and what decided that."""

    text: str
    unsure: bool
    by: str


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was said or done."""

    kind: Literal["words", "thought", "call", "retrieve", "program", "fault"]
    place: Place
    title: str = ""
    text: Shown | None = None
    arguments: tuple[Argument, ...] = ()
    result: Shown | None = None
    error: Shown | None = None
    wrote: tuple[str, ...] = ()
    mark: Mark = ""
    reasons: tuple[Reason, ...] = ()
    first: bool = False


class Row(NamedTuple):
    """What stands side by side. None: nothing on that side."""

    gold: Item | None
    agent: Item | None


def transcript(conversation: Conversation) -> dict[str, Any]:
    """The transcript of a conversation, as the template shows it.

    `sections` are its rounds, `state` the differences in the state of the world; `judged`: what comparing that gave,
    None where it was not compared; `first` says where the first divergence stands, "" where there is none.
    """
    lived = tuple(whole(turn) if turn.role == "agent" else turn for turn in conversation.trace.turns)
    conversation = replace(conversation, trace=conversation.trace.replace(turns=lived))
    answers = marks(conversation)
    first, side, place = _first(conversation)
    sections = list[dict[str, Any]]()
    start, base, nothing = 0, 0, Round((), ())
    both = zip_longest(rounds(conversation.gold.turns), rounds(conversation.trace.turns), fillvalue=nothing)
    for number, (gold, agent) in enumerate(both):
        theirs = _items(gold, base, answers.gold, {}, place if side == "gold" else None)
        mine = _items(agent, start, answers.agent, answers.why, place if side == "trace" else None)
        sections.append(_section(number, gold, agent, theirs, mine, answers))
        base, start = base + sum(map(len, gold)), start + sum(map(len, agent))
    outcome = conversation.scores.get("outcome")
    state = [_difference(mismatch) for mismatch in outcome.at] if outcome else []
    return {"sections": sections, "state": state, "judged": outcome.value if outcome else None, "first": first}


def _difference(mismatch: Mismatch) -> dict[str, Any]:
    """One difference in the state of the world. A side without a value has a note in its place."""
    place = mismatch.field.replace("~1", "/").replace("~0", "~")
    if not mismatch.why:
        return {"place": place, "expected": shown(mismatch.expected), "actual": shown(mismatch.actual), "why": ""}
    nothing = Shown("", note="no row" if "created" in mismatch.why else "no change")
    removed = Shown("", note="the row is removed")
    expected, actual = (removed if row is None else shown(row) for row in (mismatch.expected, mismatch.actual))
    if mismatch.why.startswith("not "):
        actual = nothing
    elif mismatch.expected is None:
        expected = nothing
    return {"place": place, "expected": expected, "actual": actual, "why": mismatch.why}


def shown(value: Any) -> Shown:
    """A JSON value for the page: short ones on one line, long ones with a brief, very long ones cut with a note."""
    if isinstance(value, str) and "\n" in value:
        return said(value, quotes=True)
    small = pruned(value, string=_STRING, members=_MOST_MEMBERS)
    line = legible(json.dumps(small, ensure_ascii=False))
    if len(line) <= _SHORT:
        return Shown(line)
    text = line if isinstance(value, str) else legible(json.dumps(small, ensure_ascii=False, indent=2))
    note = f"{len(value if isinstance(value, str) else text):,} characters"
    if len(text) > _LONG:
        count = len(cast("list[Any]", value)) if isinstance(value, dict | list) else 1
        size = note if isinstance(value, str) else "1 entry" if count == 1 else f"{count:,} entries"
        text, note = text[:_LONG] + "…", f"{size}, cut after {_LONG:,} characters"
    return Shown(text, quoted(value, 110), note)


def said(text: str, *, quotes: bool = False) -> Shown:
    """Words for the page: as they are, long ones with a brief."""
    frame = '"' if quotes else ""
    whole = frame + legible(text[:_LONG]) + ("…" if len(text) > _LONG else frame)
    if len(text) <= 5 * _SHORT:
        return Shown(whole)
    cut = f", cut after {_LONG:,}" if len(text) > _LONG else ""
    return Shown(whole, frame + legible(text[: 3 * _SHORT]) + "…", f"{len(text):,} characters{cut}")


def _first(conversation: Conversation) -> tuple[First, str, Place | None]:
    """Where the first divergence stands; the side and place of the act or the error, where it is one."""
    if conversation.passed and not conversation.broke:
        return "", "", None
    verdict, outcome = conversation.verdict, conversation.scores.get("outcome")
    graded = verdict is not None and verdict.value is not None and bool(verdict.at)
    if graded:
        finding = findings(conversation)[0]
        lived = conversation.gold if finding.side == "gold" else conversation.trace
        number, act = finding.mismatch.turn, _place(lived, finding.mismatch)[1]
        if number is not None and number >= 0 and act < len(done_at(lived, number).acts):
            return "call", finding.side, (number, act)
    for number, turn in enumerate(conversation.trace.turns):
        if turn.role == "agent" and turn.error:
            return "fault", "trace", (number, len(turn.acts))
    state = not graded and outcome is not None and outcome.value is not None and outcome.at
    return "state" if state else "head", "", None


def _items(
    round_: Round, start: int, marked: Mapping[Place, Mark], why: Mapping[Place, list[Mismatch]], first: Place | None
) -> list[Item]:
    turns = enumerate(round_.did, start + len(round_.said))
    items = (item for index, turn in turns for item in _turn_items(turn, index, marked, why))
    return [replace(item, first=True) if item.place == first else item for item in items]


def _turn_items(
    turn: AgentTurn, index: int, marked: Mapping[Place, Mark], why: Mapping[Place, list[Mismatch]]
) -> Iterator[Item]:
    if turn.thought:
        yield Item("thought", (index, -2), text=said(turn.thought))
    if turn.state is not None:
        slots = {"API": turn.state.api or "none yet", **turn.state.required, **turn.state.optional}
        told = ", ".join(f"{name}: {quoted(value)}" for name, value in slots.items())
        yield Item("thought", (index, -3), title=f"State, {turn.action or 'no action'}", text=said(told))
    words, acts = list[Item](), list[Item]()
    if turn.text is not None:
        at, title = (index, -1), turn.action or ""
        reasons = tuple(_reason(mismatch) for mismatch in why.get(at, ()))
        words = [Item("words", at, title=title, text=said(turn.text), mark=marked.get(at, ""), reasons=reasons)]
    for slot, act in enumerate(turn.acts):
        result = turn.results[slot] if slot < len(turn.results) else None
        acts.append(_act_item(act, result, (index, slot), marked.get((index, slot), ""), why.get((index, slot), [])))
    yield from (*acts, *words) if onward(turn) else (*words, *acts)
    if turn.error is not None:
        yield Item("fault", (index, len(turn.acts)), title=turn.error.type, text=Shown(fault_words(turn.error)))


def _act_item(
    act: Call | Retrieve | Program, result: Result | None, place: Place, mark: Mark, why: Sequence[Mismatch]
) -> Item:
    fields = {m.field.removeprefix("arguments."): m for m in why if m.field.startswith("arguments.")}
    title, text, given = act.kind, None, dict[str, Any]()
    if act.kind == "call":
        title, given = act.api, act.arguments or {}
        text = said(act.raw or "") if act.arguments is None else None
    elif act.kind == "retrieve":
        text = said(act.query or " of ".join(reversed(act.missing or ())))
    else:
        title, text = f"{act.goal} ({act.status})", said(act.code)
    return Item(
        act.kind,
        place,
        title=legible(title),
        text=text,
        arguments=tuple(_argument(name, given, fields.get(name)) for name in {**given, **fields}),
        result=shown(result.value) if result and (result.error is None or result.value is not None) else None,
        error=said(f"{result.error.type}: {result.error.message}") if result and result.error else None,
        wrote=tuple(legible(path) for path in list(result.changes)[:8]) if result else (),
        mark="draft" if result is None else mark,
        reasons=tuple(_reason(m) for m in why if m.field != "call" and not m.field.startswith("arguments.")),
    )


def _reason(mismatch: Mismatch) -> Reason:
    """Words stand above what is said of them, beside the gold's: of a reply it is enough to say why."""
    unsure, why = mismatch.verdict == "unsure", legible(mismatch.why)
    text = explain(mismatch) if mismatch.field != "reply" or not why else f"{'unsure: ' if unsure else ''}{why}"
    return Reason(text, unsure, "nobody yet" if unsure and mismatch.by is None else mismatch.by or "")


def _argument(name: str, given: Mapping[str, Any], difference: Mismatch | None) -> Argument:
    argument = Argument(legible(name), shown(given[name]) if name in given else None)
    if difference is None:
        return argument
    unsure = difference.verdict == "unsure"
    return argument._replace(expected=shown(difference.expected), why=difference.why, unsure=unsure)


def _section(
    number: int, gold: Round, agent: Round, theirs: list[Item], mine: list[Item], answers: Marks
) -> dict[str, Any]:
    """A round. `single`: the agent did what the gold does, and one column shows it."""
    single = _as_expected(theirs, mine, answers)
    rows = _with_words([Row(None, item) for item in mine], theirs) if single else _rows(theirs, mine, answers)
    heard = (agent.said or gold.said, gold.said)
    users, other = ([said(turn.text) for turn in turns if turn.text] for turns in heard)
    return {
        "number": number + 1,
        "opening": not gold.said and not agent.said,
        "said": users,
        "expected_said": [] if other == users else other,
        "rows": rows,
        "single": single,
        "acts": any(item.kind not in ("words", "thought", "fault") for item in mine),
        "doubted": any(item.mark in ("wrong", "unsure") for item in mine),
    }


def _as_expected(theirs: Sequence[Item], mine: Sequence[Item], answers: Marks) -> bool:
    """Whether nothing but words can differ between the two sides."""
    if any(item.kind == "fault" for item in mine):
        return False
    wanted = [item for item in theirs if item.kind not in ("words", "thought")]
    done = [item for item in mine if item.kind not in ("words", "thought")]
    if [_bare(item) for item in wanted] != [_bare(item) for item in done]:
        return False
    labels = [[(one.title, one.text) for one in side if one.kind == "thought" and one.title] for side in (mine, theirs)]
    if labels[0] and labels[0] != labels[1]:
        return False
    places = {item.place for item in wanted}
    return all(
        item.kind != "call" or answers.partner.get(item.place) in places or item.mark == "draft" for item in done
    )


def _bare(item: Item) -> tuple[Any, ...]:
    mark = item.mark if item.mark in ("wrong", "unsure", "bad", "missing") else ""
    return item.kind, item.title, item.text, item.arguments, item.error, mark


def _with_words(rows: list[Row], theirs: Sequence[Item]) -> list[Row]:
    """Where the last words differ from the gold's, the gold's go along."""
    expected = next((item for item in reversed(theirs) if item.kind == "words"), None)
    spoken = [place for place, row in enumerate(rows) if row.agent is not None and row.agent.kind == "words"]
    if expected is None or (spoken and (said := rows[spoken[-1]].agent) and said.text == expected.text):
        return rows
    if not spoken:
        return [*rows, Row(expected, None)]
    return [Row(expected, row.agent) if place == spoken[-1] else row for place, row in enumerate(rows)]


def _rows(theirs: Sequence[Item], mine: Sequence[Item], answers: Marks) -> list[Row]:
    """Both sides in order, partners side by side where the order allows it."""
    ours, others = ([at for at, item in enumerate(side) if item.kind == "words"] for side in (mine, theirs))
    partner = dict(zip(reversed(ours), reversed(others), strict=False))
    asked = ([at for at, item in enumerate(side) if item.kind == "retrieve"] for side in (mine, theirs))
    partner |= dict(zip(*asked, strict=False))
    index = {item.place: i for i, item in enumerate(theirs) if item.kind in ("call", "program")}
    for i, item in enumerate(mine):
        if item.kind in ("call", "program") and answers.partner.get(item.place) in index:
            partner[i] = index[answers.partner[item.place]]
    rows, done = list[Row](), 0
    for i, item in enumerate(mine):
        mate = partner.get(i)
        if item.kind == "fault" and done < len(theirs) and done not in partner.values():
            mate = done
        if mate is None or mate < done:
            rows.append(Row(None, item))
        else:
            rows += [*(Row(other, None) for other in theirs[done:mate]), Row(theirs[mate], item)]
            done = mate + 1
    return rows + [Row(other, None) for other in theirs[done:]]


_LONGEST_LINE = 400


def transcript_lines(conversation: Conversation) -> Iterator[str]:
    """The lines of a conversation, a mark of what is wrong or unsure ahead of each."""
    for section in transcript(conversation)["sections"]:
        yield from (_plain_line("customer", text.text) for text in section["said"])
        for gold, agent in section["rows"]:
            if agent is not None:
                yield _plain_line("agent", _item_words(agent), agent.mark)
            if gold is not None and (agent is None or _item_words(gold) != _item_words(agent)):
                yield _plain_line("  expected" if agent is not None else "  not done", _item_words(gold))


def _plain_line(who: str, what: str, mark: str = "") -> str:
    return f"{mark if mark in ('wrong', 'unsure', 'bad') else '':7}{who + ':':11} {cut(what, _LONGEST_LINE)}"


def _item_words(item: Item) -> str:
    given = ", ".join(f"{one.name}={one.given.text}" for one in item.arguments if one.given)
    came = item.error or item.result
    parts = [f"{item.title}({given})" if item.kind == "call" else item.title if item.kind == "program" else ""]
    parts += [item.text.text if item.text else "", f"→ {came.text}" if came else ""]
    return " ".join(filter(None, parts))
