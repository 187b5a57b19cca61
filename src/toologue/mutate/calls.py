"""Altered gold: agents that are wrong in one known way, and agents that are right in words of their own.

A grader that cannot tell these apart grades nothing; `toologue prove` and the tests play them all.

    wrong       drop, duplicate, wrong_argument, wrong_tool, extra_write, swap, silence, late
    also right  paraphrase, reorder, date_format, extra_read

An alteration is a function of the gold's script and a random generator; it returns None where it does not apply (a
conversation without writes has none to duplicate). The same case and seed give the same agent.

Example:
    >>> from random import Random
    >>> script = [[AgentTurn(acts=(Call(api="AddAlarm", arguments={"time": "07:00:00"}),)), AgentTurn(text="Done.")]]
    >>> [len(turns) for turns in WRONG["drop"](script, Random(0), {}) or []]
    [1]

Not covered: wrong words. What these agents say is what the gold says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple, cast

from toologue.agents.agent import Player, ScriptedAgent
from toologue.agents.gold import script_of
from toologue.errors import BadSetting, UnknownName
from toologue.schema import AgentTurn, Api, Call, Case
from toologue.values.compare import moment_of

Script = Sequence[Sequence[AgentTurn]]
Documents = Mapping[str, Api]
Alteration = Callable[[Script, Random, Documents], "list[list[AgentTurn]] | None"]

_ASIDES = (
    "Order two bags of birch charcoal",
    "The ferry leaves from pier nine",
    "Nobody has watered the ferns since spring",
    "Ask about the lost umbrella",
)


class Site(NamedTuple):
    """Where a call stands in a script."""

    round: int
    turn: int
    slot: int
    call: Call


def drop(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Leave one call out."""
    site = _pick(_sites(script), random)
    return site and _replaced(script, site, [])


def duplicate(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Make one writing call twice."""
    site = _pick(_writing(script, documents), random)
    return site and _replaced(script, site, [site.call, site.call])


def wrong_argument(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Give one argument of one call a wrong value."""
    wrong = [(site, call) for site in _sites(script) for call in wrong_calls(site.call, documents, random)]
    if not wrong:
        return None
    site, call = random.choice(wrong)
    return _replaced(script, site, [call])


def wrong_tool(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Call another tool, of the same domain where there is one, with the same arguments."""
    site = _pick(_sites(script), random)
    if site is None:
        return None
    domain = documents[site.call.api].domain if site.call.api in documents else ""
    others = [api.name for api in documents.values() if api.name != site.call.api]
    near = [name for name in others if documents[name].domain == domain]
    name = random.choice(near or others or [f"{site.call.api}2"])
    return _replaced(script, site, [site.call.but(api=name)])


def extra_write(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Write something nobody asked for: a writing call of this conversation once more, with another value."""
    options = [(s, c) for s in _writing(script, documents) for c in wrong_calls(s.call, documents, random)]
    if not options:
        return None
    site, extra = random.choice(options)
    return _replaced(script, site, [site.call, extra])


def swap(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Exchange what is done in two rounds."""
    calling = [number for number, turns in enumerate(script) if any(turn.acts for turn in turns)]
    pairs = [(a, b) for a in calling for b in calling if a < b and _calls(script[a]) != _calls(script[b])]
    if not pairs:
        return None
    one, other = random.choice(pairs)
    changed = [list(turns) for turns in script]
    changed[one], changed[other] = (_acting(script[b]) + _speaking(script[a]) for a, b in ((one, other), (other, one)))
    return changed


def silence(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Say and do nothing in one round that needs a call."""
    site = _pick(_sites(script), random)
    return site and [[AgentTurn()] if number == site.round else list(turns) for number, turns in enumerate(script)]


def late(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Do what one round needs only in the next."""
    rounds = [n for n, turns in enumerate(script[:-1]) if _acting(turns) and script[n + 1]]
    if not rounds:
        return None
    number = random.choice(rounds)
    changed = [list(turns) for turns in script]
    changed[number], moved = _speaking(script[number]), _acting(script[number])
    changed[number + 1] = moved + changed[number + 1]
    return changed


def paraphrase(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Reword every free text: case, final punctuation, contractions, an everyday synonym."""
    return _rewritten(script, documents, {"text": _reworded, "prose": _reworded})


def reorder(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Exchange two neighbouring calls of one round that do not depend on each other."""
    sites = _sites(script)
    pairs = [(a, b) for a, b in pairwise(sites) if _independent(a, b, documents)]
    if not pairs:
        return None
    one, other = random.choice(pairs)
    return _replaced(_replaced(script, one, [other.call]), other, [one.call])


def date_format(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Write moments without padding zeros."""
    return _rewritten(script, documents, dict.fromkeys(("moment", "date", "from", "until"), _unpadded))


def extra_read(script: Script, random: Random, documents: Documents) -> list[list[AgentTurn]] | None:
    """Look something up once more than needed."""
    reads = [s for s in _sites(script) if s.call.api in documents and not documents[s.call.api].writes]
    site = _pick(reads, random)
    return site and _replaced(script, site, [site.call, site.call])


WRONG: dict[str, Alteration] = {
    "drop": drop,
    "duplicate": duplicate,
    "wrong_argument": wrong_argument,
    "wrong_tool": wrong_tool,
    "extra_write": extra_write,
    "swap": swap,
    "silence": silence,
    "late": late,
}
RIGHT: dict[str, Alteration] = {
    "paraphrase": paraphrase,
    "reorder": reorder,
    "date_format": date_format,
    "extra_read": extra_read,
}


def altered_script(case: Case, kind: str) -> list[list[AgentTurn]] | None:
    """The gold's script, altered; None where the alteration does not apply."""
    alteration = (WRONG | RIGHT)[kind]
    return alteration(script_of(case), Random(case.seed), {api.name: api for api in case.brief.apis})


@dataclass(frozen=True)
class _Altered:
    kind: str

    def __call__(self, case: Case) -> ScriptedAgent:
        return ScriptedAgent(altered_script(case, self.kind) or script_of(case))


def ALTERED(argument: str) -> Player:  # noqa: N802 - a registered constant
    """The player `altered:KIND`; it plays plain gold where the alteration does not apply."""
    if not argument:
        raise BadSetting(f"the agent 'altered' needs a kind: altered:KIND with one of {', '.join(WRONG | RIGHT)}")
    if argument not in WRONG | RIGHT:
        raise UnknownName("alteration", argument, WRONG | RIGHT)
    return Player(f"altered:{argument}", _Altered(argument), reads_gold=True)


def _sites(script: Script) -> list[Site]:
    return [
        Site(number, position, slot, act)
        for number, turns in enumerate(script)
        for position, turn in enumerate(turns)
        for slot, act in enumerate(turn.acts)
        if act.kind == "call" and act.arguments is not None
    ]


def _writing(script: Script, documents: Documents) -> list[Site]:
    return [site for site in _sites(script) if site.call.api in documents and documents[site.call.api].writes]


def _pick(sites: Sequence[Site], random: Random) -> Site | None:
    return random.choice(sites) if sites else None


def _replaced(script: Script, site: Site, calls: Sequence[Call]) -> list[list[AgentTurn]]:
    """The script with one call replaced by others; a turn left with neither acts nor words is removed."""
    changed = [list(turns) for turns in script]
    turn = changed[site.round][site.turn]
    acts = (*turn.acts[: site.slot], *calls, *turn.acts[site.slot + 1 :])
    if acts or turn.text is not None:
        changed[site.round][site.turn] = turn.but(acts=acts, results=())
    else:
        del changed[site.round][site.turn]
    return changed


def _acting(turns: Sequence[AgentTurn]) -> list[AgentTurn]:
    return [turn.but(text=None) for turn in turns if turn.acts]


def _speaking(turns: Sequence[AgentTurn]) -> list[AgentTurn]:
    return [turn.but(acts=(), results=()) for turn in turns if turn.text is not None]


def _calls(turns: Sequence[AgentTurn]) -> list[Any]:
    return [act for turn in turns for act in turn.acts]


def wrong_calls(call: Call, documents: Documents, random: Random) -> list[Call]:
    """The call with one argument wrong, once per documented argument that a wrong value can be made for."""
    found: list[Call] = []
    for name, value in (call.arguments or {}).items():
        api = documents.get(call.api)
        parameter = api.parameters.get(name) if api is not None else None
        if parameter is None or (api is not None and not api.writes and "enum" in parameter.json_schema):
            continue
        wrong = _wrong(parameter.compare, value, random)
        if wrong is not None:
            found.append(call.but(arguments={**(call.arguments or {}), name: wrong}))
    return found


def _wrong(compare: str, value: Any, random: Random) -> Any:
    if isinstance(value, str):
        if compare in ("moment", "date", "from", "until") and (moment := moment_of(value)) is not None:
            return _shifted(value, moment, later=compare != "until")
        if compare in ("text", "prose"):
            return random.choice(_ASIDES)
        return f"{value}x" if value else "x"
    if isinstance(value, list) and compare == "set":
        members = cast("list[Any]", value)
        return [*members[:-1], f"not.{members[-1]}" if members else "somebody"]
    if isinstance(value, int) and not isinstance(value, bool):
        return value + 7
    return None


def _shifted(text: str, moment: datetime, *, later: bool) -> str | None:
    """Three days away, or five hours for a time of day; never past midnight, where later would be earlier."""
    if "-" in text:
        days = timedelta(days=3 if later else -3)
        return (moment + days).strftime("%Y-%m-%d %H:%M:%S" if ":" in text else "%Y-%m-%d")
    edge = moment.replace(hour=23, minute=59, second=59) if later else moment.replace(hour=0, minute=0, second=0)
    hours = timedelta(hours=5)
    shifted = min(moment + hours, edge) if later else max(moment - hours, edge)
    return None if shifted == moment else shifted.strftime("%H:%M:%S")


def _rewritten(
    script: Script, documents: Documents, rewrite: Mapping[str, Callable[[str], str]]
) -> list[list[AgentTurn]] | None:
    """The script with every argument rewritten whose comparer is named; None where nothing changes."""
    changed, same = [list(turns) for turns in script], True
    for site in _sites(script):
        api = documents.get(site.call.api)
        arguments = dict(site.call.arguments or {})
        for name, value in arguments.items():
            parameter = api.parameters.get(name) if api is not None else None
            if parameter is not None and isinstance(value, str) and parameter.compare in rewrite:
                arguments[name] = rewrite[parameter.compare](value)
        if arguments != site.call.arguments:
            changed, same = _replaced(changed, site, [site.call.but(arguments=arguments)]), False
    return None if same else changed


_SYNONYMS = {"buy": "get", "meeting": "meet-up", "call": "ring", "finish": "complete", "please": "kindly"}


def _reworded(text: str) -> str:
    words = [_SYNONYMS.get(word.lower(), word) for word in text.replace("I'll", "I will").split()]
    plain = " ".join(words).rstrip(".!")
    return plain[:1].lower() + plain[1:] if plain[:2].istitle() else plain


def _unpadded(text: str) -> str:
    moment = moment_of(text)
    if moment is None:
        return text
    clock = f"{moment.hour}:{moment.minute}:{moment.second}"
    return f"{moment.year}-{moment.month}-{moment.day} {clock}" if "-" in text else clock


def _independent(one: Site, other: Site, documents: Documents) -> bool:
    """Whether two neighbours of one round are of different domains, or both only read."""
    if one.round != other.round or one.call == other.call:
        return False
    first, second = documents.get(one.call.api), documents.get(other.call.api)
    if first is None or second is None:
        return False
    return first.domain != second.domain or not (first.writes or second.writes)
