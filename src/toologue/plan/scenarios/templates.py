"""Scenarios without a model: told by templates from a bank of goals and motives, along declared data flow.

A scenario is a row of *beats*: one call, or two in tandem, of which the second takes what the first found. Beats are
picked so that the required tool, every plugin and at least five calls are in, and put into an order that a session
allows. Everything that is told is data (`bank.yaml`); a tool that the bank does not know is told by its name.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from toologue import keys
from toologue.data import shipped
from toologue.plan.scenarios.prompts import PER_PROMPT, Prompt, Telling, flow_map
from toologue.schema import Api, Flow
from toologue.text.tokens import split_name

_TRIES = 80
_LENGTHS = (5, 5, 5, 6, 6, 7)
_DAYTIME = 5


class Beat(NamedTuple):
    """One call, or two in tandem. `flow` is what the last of them takes, from this beat or from an earlier one."""

    calls: tuple[str, ...]
    flow: Flow | None = None


class Teller:
    """Proposes the scenarios of a prompt. `__call__(prompt, seed)` is a function of both."""

    def __init__(self, apis: Iterable[Api]):
        self.apis = {api.name: api for api in apis}
        self.known = flow_map(self.apis.values())
        self.flows: dict[tuple[str, str], dict[str, Flow]] = {}
        for flow, kind in self.known.kinds.items():
            forbidden = any(rule.items() <= vars(flow).items() for rule in _bank()["never"])
            if not forbidden and self.fed(flow):
                self.flows.setdefault((flow.source, flow.target), {}).setdefault(kind, flow)

    def __call__(self, prompt: Prompt, seed: int) -> list[Telling]:
        """The scenarios of one prompt, each with another combination of tools; fewer where there are not as many."""
        rng = random.Random(keys.seed_of(seed, "tell", *prompt.plugins, prompt.required))
        used: Counter[str] = Counter()
        seen: set[frozenset[str]] = set()
        made: list[Telling] = []
        for _ in range(_TRIES):
            beats = self._beats(prompt, used, rng)
            calls, flows = tuple(name for beat in beats for name in beat.calls), self._flows_of(beats)
            if flows and frozenset(calls) not in seen:
                seen.add(frozenset(calls))
                used.update(calls)
                made.append(Telling(_Story(self, rng).text(beats), calls, flows))
            if len(made) == PER_PROMPT:
                break
        return made

    def _beats(self, prompt: Prompt, used: Counter[str], rng: random.Random) -> list[Beat]:
        length, chosen, calls = rng.choice(_LENGTHS), list[Beat](), list[str]()
        plugins = rng.sample(prompt.plugins, len(prompt.plugins))
        wanted = [{prompt.required}, *({n for n in prompt.tools if self.apis[n].domain == p} for p in plugins)]
        while len(calls) < length:
            wanted = [tools for tools in wanted if not tools & set(calls)]
            now = wanted[0] if wanted else set(prompt.tools)
            fitting = [beat for beat in self._open(prompt, calls) if now & set(beat.calls)]
            if not fitting:
                return []
            chosen += rng.choices(fitting, [self._weight(beat, used) for beat in fitting])
            calls += chosen[-1].calls
        return self._order(chosen, rng) if all(tools & set(calls) for tools in wanted) else []

    def _open(self, prompt: Prompt, calls: Sequence[str]) -> Iterator[Beat]:
        """What may be added to these calls: pairs, calls that need nothing, calls that take something from these."""
        barred = {rival for name in calls for rival in rivals(name)}
        free = [n for n in prompt.tools if n not in calls and n not in barred and not rivals(n) & set(calls)]
        for name in free:
            if not self.known.needs[name]:
                yield Beat((name,))
            for source in calls:
                yield from (Beat((name,), flow) for flow in self.flows.get((source, name), {}).values())
            for source in free:
                if not self.known.needs[source] and _may_follow(source, name):
                    yield from (Beat((source, name), flow) for flow in self.flows.get((source, name), {}).values())

    def _weight(self, beat: Beat, used: Counter[str]) -> float:
        fresh = sum(0.5 ** used[name] if used[name] else 2.0 for name in beat.calls) / len(beat.calls)
        if len(beat.calls) == 1:
            return fresh
        return fresh * (0.8 if self.apis[beat.calls[0]].writes else 3.0)  # changes of mind are spice

    def _order(self, beats: list[Beat], rng: random.Random) -> list[Beat]:
        for _ in range(8):
            tried = sorted(rng.sample(beats, len(beats)), key=lambda beat: order_of(beat.calls[0]))
            if _is_fed_in_time(tried):
                return tried
        return []

    def _flows_of(self, beats: Sequence[Beat]) -> tuple[Flow, ...]:
        """The flows that the text tells of: what the call just before found, and ids from anywhere before."""
        found: list[Flow] = []
        before = ""
        for beat in beats:
            near = before if len(beat.calls) == 1 else beat.calls[0]
            if beat.flow and (beat.flow.source == near or self.known.kinds[beat.flow] == "id"):
                found.append(beat.flow)
            before = beat.calls[-1]
        return tuple(dict.fromkeys(found))

    def fed(self, flow: Flow) -> list[str]:
        """How the bank tells that the target takes this; none where it would make no sense."""
        bank, entry = _bank(), _tool(flow.target)
        if not entry:
            return list(bank["otherwise"]["fed"])
        fed, kind = entry.get("fed", {}), self.known.kinds[flow]
        group = "own" if _tool(flow.source).get("own", False) else ""
        for key in (f"{flow.source}:{kind}", flow.source, f"{group}:{kind}", group or kind):
            if key in fed:
                return list(fed[key])
        return []


class _Story:
    """One scenario's text: an occasion, a friend and a city that stay the same, no phrase twice."""

    def __init__(self, teller: Teller, rng: random.Random):
        self.teller, self.rng, self.said = teller, rng, set[str]()
        bank = _bank()
        self.place, self.friend = rng.choice(bank["occasions"]), rng.choice(bank["friends"])
        self.slots = {"city": rng.choice(bank["cities"]), "friend": self.friend[1]}
        self.slots["occasion"] = self._fill(self.place["occasion"])

    def text(self, beats: Sequence[Beat]) -> str:
        parts = [self._fill(self.place["opening"], friend=self.friend[0])]
        before = ""
        for number, beat in enumerate(beats):
            position = "first" if not number else "last" if number == len(beats) - 1 else "then"
            parts += self._sentences(beat, position, before)
            before = beat.calls[-1]
        return " ".join(parts)

    def _sentences(self, beat: Beat, position: str, before: str) -> Iterator[str]:
        *finding, last = beat.calls
        goals = [self._pick(self._goals(name, "finds")) for name in finding]
        fed = beat.flow is not None and beat.flow.source == (finding[0] if finding else before)
        goals.append(self._pick(self.teller.fed(beat.flow) if fed and beat.flow else self._goals(last)))
        if finding and self.rng.random() < 0.3:
            yield self._sentence("then" if position == "last" else position, goals[0], finding)
            yield self._sentence("fed", goals[1], (last,))
        else:
            yield self._sentence("fed" if fed and not finding else position, " and ".join(goals), beat.calls)

    def _sentence(self, position: str, goal: str, calls: Sequence[str]) -> str:
        known, plugin = _bank()["motives"], self.teller.apis[calls[0]].domain
        motives = [*_tool(calls[0]).get("motives", known.get(plugin, [])), *known["any"]]
        frame = self._pick(_bank()[position])
        told = frame.replace("<motive>", self._pick(motives) if "<motive>" in frame else "").replace("<goal>", goal)
        return f"{self._fill(told)} ({' + '.join(calls)})."

    def _goals(self, name: str, key: str = "goals") -> list[str]:
        entry = _tool(name)
        if entry:
            return list(entry.get(key, entry["goals"]))
        return [goal.replace("<name>", split_name(name)) for goal in _bank()["otherwise"]["goals"]]

    def _pick(self, phrases: Sequence[str]) -> str:
        fresh = [phrase for phrase in phrases if phrase not in self.said] or list(phrases)
        picked = self.rng.choice(fresh)
        self.said.add(picked)
        return picked

    def _fill(self, text: str, **others: str) -> str:
        for name, value in (self.slots | others).items():
            text = text.replace(f"<{name}>", value)
        return text


@cache
def order_of(name: str) -> int:
    """When in a session a tool is used, 0 to 9; 5, any time while logged in, for tools that the bank does not know."""
    return int(_tool(name).get("order", _DAYTIME))


@cache
def rivals(name: str) -> frozenset[str]:
    """The tools that do not stand in one scenario with this one."""
    return frozenset(_tool(name).get("excludes", ()))


def _may_follow(before: str, after: str) -> bool:
    return order_of(before) <= order_of(after) and after not in rivals(before) and before not in rivals(after)


def _is_fed_in_time(beats: Sequence[Beat]) -> bool:
    called = accumulate(({*beat.calls} for beat in beats), set[str].union)
    return all(not beat.flow or beat.flow.source in so_far for beat, so_far in zip(beats, called, strict=True))


def _tool(name: str) -> Mapping[str, Any]:
    return _bank()["tools"].get(name, {})


@cache
def _bank() -> Mapping[str, Any]:
    return shipped(Path(__file__).with_name("bank.yaml"))
