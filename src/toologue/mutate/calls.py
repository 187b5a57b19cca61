"""Altered gold: agents that are wrong in one known way, and agents that are right in words of their own.

A grader that cannot tell these apart grades nothing; `toologue prove` and the tests play them all. What these agents
say is what the gold says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple, TypeVar, cast

from toologue.agents.agent import AgentSpec, ScriptedAgent, script_of
from toologue.errors import BadSetting, UnknownName
from toologue.schema import AgentTurn, Api, Call, Case
from toologue.values.compare import moment_of

Script = Sequence[Sequence[AgentTurn]]
Documents = Mapping[str, Api]
Altered = list[list[AgentTurn]]
T = TypeVar("T")
Alteration = Callable[[Script, Random, Documents], Altered | None]

ASIDES = (
    "Order two bags of birch charcoal",
    "The ferry leaves from pier nine",
    "Nobody has watered the ferns since spring",
    "Ask at the desk about the forgotten umbrella",
    "Polish both trumpets before Thursday evening",
)


class Site(NamedTuple):
    """Where a call stands in a script."""

    round: int
    turn: int
    slot: int
    call: Call


def drop(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Leave one call out."""
    site = _pick(_sites(script), random)
    return site and _replace(script, site, [])


def duplicate(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Make one writing call twice."""
    site = _pick(_sites(script, documents, writes=True), random)
    return site and _replace(script, site, [site.call, site.call])


def wrong_argument(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Give one argument of one call a wrong value."""
    wrong = [(site, call) for site in _sites(script) for call in wrong_calls(site.call, documents, random)]
    pair = _pick(wrong, random)
    return pair and _replace(script, pair[0], [pair[1]])


def wrong_tool(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Call another tool, of the same domain where there is one, with the same arguments."""
    site = _pick(_sites(script), random)
    if site is None:
        return None
    domain = documents[site.call.api].domain if site.call.api in documents else ""
    others = [api.name for api in documents.values() if api.name != site.call.api]
    near = [name for name in others if documents[name].domain == domain]
    name = random.choice(near or others or [f"{site.call.api}2"])
    return _replace(script, site, [site.call.replace(api=name)])


def extra_write(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Write something nobody asked for: a writing call of this conversation once more, with another value."""
    sites = _sites(script, documents, writes=True)
    wrong = [(site, call) for site in sites for call in wrong_calls(site.call, documents, random)]
    pair = _pick(wrong, random)
    return pair and _replace(script, pair[0], [pair[0].call, pair[1]])


def swap(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Exchange what is done in two rounds."""
    acts = [[act for turn in turns for act in turn.acts] for turns in script]
    calling = [number for number, made in enumerate(acts) if made]
    pairs = [(a, b) for a in calling for b in calling if a < b and acts[a] != acts[b]]
    if not pairs:
        return None
    one, other = random.choice(pairs)
    changed = [list(turns) for turns in script]
    changed[one], changed[other] = (_acting(script[b]) + _speaking(script[a]) for a, b in ((one, other), (other, one)))
    return changed


def silence(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Say and do nothing in one round that needs a call."""
    site = _pick(_sites(script), random)
    return site and [[AgentTurn()] if number == site.round else list(turns) for number, turns in enumerate(script)]


def late(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Do what one round needs only in the next."""
    rounds = [n for n, turns in enumerate(script[:-1]) if _acting(turns) and script[n + 1]]
    if not rounds:
        return None
    number = random.choice(rounds)
    changed = [list(turns) for turns in script]
    changed[number], moved = _speaking(script[number]), _acting(script[number])
    changed[number + 1] = moved + changed[number + 1]
    return changed


def paraphrase(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Reword every free text: case, final punctuation, contractions, an everyday synonym."""
    return _rewrite(script, documents, {"text": _reword, "prose": _reword})


def reorder(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Exchange two neighbouring calls of one round that do not depend on each other."""
    sites = _sites(script)
    pair = _pick([(a, b) for a, b in pairwise(sites) if _independent(a, b, documents)], random)
    return pair and _replace(_replace(script, pair[0], [pair[1].call]), pair[1], [pair[0].call])


def date_format(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Write moments without padding zeros."""
    return _rewrite(script, documents, dict.fromkeys(("moment", "date", "from", "until"), _unpad))


def extra_read(script: Script, random: Random, documents: Documents) -> Altered | None:
    """Look something up once more than needed."""
    site = _pick(_sites(script, documents, writes=False), random)
    return site and _replace(script, site, [site.call, site.call])


WRONG: dict[str, Alteration] = {
    made.__name__: made for made in (drop, duplicate, wrong_argument, wrong_tool, extra_write, swap, silence, late)
}
RIGHT: dict[str, Alteration] = {made.__name__: made for made in (paraphrase, reorder, date_format, extra_read)}


def altered_script(case: Case, kind: str) -> Altered | None:
    """The gold's script, altered; None where the alteration does not apply."""
    alteration = (WRONG | RIGHT)[kind]
    return alteration(script_of(case), Random(case.seed), {api.name: api for api in case.brief.apis})


def _play_altered(kind: str, case: Case) -> ScriptedAgent:
    return ScriptedAgent(altered_script(case, kind) or script_of(case))


def altered_agent(argument: str) -> AgentSpec:
    """Return the agent `altered:KIND`; it plays plain gold where the alteration does not apply."""
    return mutant("altered", argument, WRONG | RIGHT, _play_altered, noun="alteration")


def mutant(
    name: str, kind: str, kinds: Mapping[str, object], play: Callable[[str, Case], ScriptedAgent], *, noun: str
) -> AgentSpec:
    """Return the agent `NAME:KIND` of a mutation. Raises BadSetting without a kind, UnknownName for another one."""
    if not kind:
        raise BadSetting(f"the agent {name!r} needs a kind: {name}:KIND with one of {', '.join(kinds)}")
    if kind not in kinds:
        raise UnknownName(noun, kind, kinds)
    return AgentSpec(f"{name}:{kind}", partial(play, kind), reads_gold=True)


def _sites(script: Script, documents: Documents | None = None, *, writes: bool = False) -> list[Site]:
    """Return where calls stand; with documents, those of documented Apis that write, or that only read."""
    return [
        Site(number, position, slot, act)
        for number, turns in enumerate(script)
        for position, turn in enumerate(turns)
        for slot, act in enumerate(turn.acts)
        if act.kind == "call" and act.arguments is not None
        if documents is None or (act.api in documents and documents[act.api].writes == writes)
    ]


def _pick(options: Sequence[T], random: Random) -> T | None:
    return random.choice(options) if options else None


def _replace(script: Script, site: Site, calls: Sequence[Call]) -> list[list[AgentTurn]]:
    """The script with one call replaced by others; a turn left with neither acts nor words is removed."""
    changed = [list(turns) for turns in script]
    turn = changed[site.round][site.turn]
    acts = (*turn.acts[: site.slot], *calls, *turn.acts[site.slot + 1 :])
    if acts or turn.text is not None:
        changed[site.round][site.turn] = turn.replace(acts=acts, results=())
    else:
        del changed[site.round][site.turn]
    return changed


def _acting(turns: Sequence[AgentTurn]) -> list[AgentTurn]:
    return [turn.replace(text=None) for turn in turns if turn.acts]


def _speaking(turns: Sequence[AgentTurn]) -> list[AgentTurn]:
    return [turn.replace(acts=(), results=()) for turn in turns if turn.text is not None]


def wrong_calls(call: Call, documents: Documents, random: Random, asides: Sequence[str] = ASIDES) -> list[Call]:
    """The call with one argument wrong, once per documented argument that a wrong value can be made for.

    `asides` stand in for free texts: what is about something else.
    """
    api, given = documents.get(call.api), call.arguments or {}
    if api is None:
        return []
    known = {name: one for name in given if (one := api.parameters.get(name)) is not None}
    fit = (name for name, one in known.items() if api.writes or "enum" not in one.json_schema)
    made = ((name, _wrong(known[name].compare, given[name], random, asides)) for name in fit)
    return [call.replace(arguments={**given, name: wrong}) for name, wrong in made if wrong is not None]


def _wrong(compare: str, value: Any, random: Random, asides: Sequence[str]) -> Any:
    if isinstance(value, str):
        if compare in ("moment", "date", "from", "until") and (moment := moment_of(value)) is not None:
            return _shift(value, moment, later=compare != "until")
        if compare in ("text", "prose"):
            return random.choice(asides) if asides else None
        return f"{value}x" if value else "x"
    if isinstance(value, list) and compare == "set":
        members = cast("list[Any]", value)
        return [*members[:-1], f"not.{members[-1]}" if members else "somebody"]
    if isinstance(value, int) and not isinstance(value, bool):
        return value + 7
    return None


def _shift(text: str, moment: datetime, *, later: bool) -> str | None:
    """Three days away, or five hours for a time of day; never past midnight, where later would be earlier."""
    if "-" in text:
        days = timedelta(days=3 if later else -3)
        return (moment + days).strftime("%Y-%m-%d %H:%M:%S" if ":" in text else "%Y-%m-%d")
    hours, midnight = timedelta(hours=5), moment.replace(hour=0, minute=0, second=0)
    edge = midnight + timedelta(days=1, seconds=-1)
    shifted = min(moment + hours, edge) if later else max(moment - hours, midnight)
    return None if shifted == moment else shifted.strftime("%H:%M:%S")


def _rewrite(script: Script, documents: Documents, rewrite: Mapping[str, Callable[[str], str]]) -> Altered | None:
    """The script with every argument rewritten whose comparer is named; None where nothing changes."""
    changed: Altered | None = None
    for site in _sites(script):
        api = documents.get(site.call.api)
        arguments = dict(site.call.arguments or {})
        for name, value in arguments.items():
            parameter = api.parameters.get(name) if api is not None else None
            if parameter is not None and isinstance(value, str) and parameter.compare in rewrite:
                arguments[name] = rewrite[parameter.compare](value)
        if arguments != site.call.arguments:
            changed = _replace(changed or script, site, [site.call.replace(arguments=arguments)])
    return changed


_SYNONYMS = {"buy": "get", "meeting": "meet-up", "call": "ring", "finish": "complete", "please": "kindly"}


def _reword(text: str) -> str:
    words = [_SYNONYMS.get(word.lower(), word) for word in text.replace("I'll", "I will").split()]
    plain = " ".join(words).rstrip(".!")
    return plain[:1].lower() + plain[1:] if plain[:2].istitle() else plain


def _unpad(text: str) -> str:
    moment = moment_of(text)
    if moment is None:
        return text
    clock = f"{moment.hour}:{moment.minute}:{moment.second}"
    return f"{moment.year}-{moment.month}-{moment.day} {clock}" if "-" in text else clock


def _independent(one: Site, other: Site, documents: Documents) -> bool:
    """Whether two neighbours of one round are of different domains, or both only read."""
    first, second = documents.get(one.call.api), documents.get(other.call.api)
    if one.round != other.round or one.call == other.call or first is None or second is None:
        return False
    return first.domain != second.domain or not (first.writes or second.writes)
