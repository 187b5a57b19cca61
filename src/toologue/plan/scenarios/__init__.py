"""Scenarios: proposed prompt by prompt, checked, and sampled evenly over tools (ToolTalk 2.2).

`tell_all` enumerates every prompt and has a teller propose; `plan.ask` does the same through a model. A proposal is
*checked* against its prompt; what does not stand the check is counted by reason, in the order of `REASONS`:

    required tool missing · unknown tool · too few calls (5) · too few plugins (3) · no tandem use (an output that a
    later call takes) · implausible (an id out of nowhere, an impossible session, one tool over and over, a text that
    says next to nothing) · same combination (of tools, within a prompt) · duplicate (the same calls in the same order)

`sample` then draws the same number for each tool, as far as there are any.

Example:
    >>> from toologue.worlds.assistant import apis
    >>> tally = Tally()
    >>> kept = list(tell_all(apis(), tally, seed=0))
    >>> tally.prompts, len(kept) == tally.proposed - sum(tally.dropped.values())
    (420, True)
    >>> [len(sample(kept, count, seed=0)) for count in (28, 50)]
    [28, 50]

Not covered: a person's eye. The paper's authors also threw out what *seemed* implausible; here a rule must say so.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

from pydantic import JsonValue

from toologue import keys
from toologue.plan.scenarios.prompts import PER_PROMPT, Prompt, Telling, chained, flow_map, prompts_of
from toologue.plan.scenarios.templates import Teller, order_of, rivals
from toologue.schema import Api, Flow, Scenario

MIN_CALLS, MIN_PLUGINS = 5, 3
# More calls of one tool than this are no scenario but a loop.
_MOST = 4

Reason = Literal[
    "required tool missing", "unknown tool", "too few calls", "too few plugins", "no tandem use", "implausible",
    "same combination", "duplicate",
]  # fmt: skip
REASONS: tuple[Reason, ...] = get_args(Reason)


class Drop(NamedTuple):
    """Why a proposal was dropped."""

    reason: Reason
    why: str


@dataclass
class Tally:
    """What became of all that was asked for. `absent`: scenarios that a prompt asked for and nobody proposed.

    `unanswered`: prompts that no answer came to (of a model). `examples`: of each reason, the first that was met.
    """

    prompts: int = 0
    unanswered: int = 0
    proposed: int = 0
    absent: int = 0
    kept: int = 0
    dropped: Counter[Reason] = field(default_factory=Counter[Reason])
    examples: dict[Reason, str] = field(default_factory=dict[Reason, str])


class Checker:
    """Turns proposals into scenarios, or says why not. Remembers call sequences, to find duplicates."""

    def __init__(self, apis: Iterable[Api]):
        self.apis: Mapping[str, Api] = {api.name: api for api in apis}
        self.known = flow_map(self.apis.values())
        self._seen: set[tuple[str, ...]] = set()

    def admit(
        self, prompt: Prompt, made: Sequence[Telling], tally: Tally, origin: Mapping[str, JsonValue]
    ) -> Iterator[Scenario]:
        """The scenarios among the proposals for one prompt; the others are counted."""
        tally.prompts += 1
        tally.proposed += len(made)
        tally.absent += max(0, PER_PROMPT - len(made))
        combinations: set[frozenset[str]] = set()
        for number, telling in enumerate(made, 1):
            drop = self.check(prompt, telling) or self._again(telling, combinations)
            if drop:
                tally.dropped[drop.reason] += 1
                tally.examples.setdefault(drop.reason, drop.why)
                continue
            combinations.add(frozenset(telling.calls))
            self._seen.add(telling.calls)
            tally.kept += 1
            yield Scenario(
                id=f"{'-'.join(prompt.plugins)}.{prompt.required}.{number}".lower(),
                text=telling.text,
                plugins=prompt.plugins,
                required=prompt.required,
                calls=telling.calls,
                flows=self._flows(telling),
                origin={"line": "tools", **origin},
            )

    def check(self, prompt: Prompt, telling: Telling) -> Drop | None:
        """What is wrong with a proposal, taken by itself; the first thing found."""
        calls = telling.calls
        strange = [name for name in calls if name not in prompt.tools]
        if strange:
            elsewhere = "of another plugin" if strange[0] in self.apis else "that nobody has"
            return Drop("unknown tool", f"{strange[0]} is a tool {elsewhere}")
        if prompt.required not in calls:
            return Drop("required tool missing", f"{prompt.required} is not used")
        if len(calls) < MIN_CALLS:
            return Drop("too few calls", f"{len(calls)} calls, at least {MIN_CALLS} are wanted")
        plugins = {self.apis[name].domain for name in calls}
        if len(plugins) < MIN_PLUGINS:
            return Drop("too few plugins", f"only {', '.join(sorted(plugins))}")
        if not self._flows(telling):
            return Drop("no tandem use", "no output of a call can feed a later one")
        why = self._implausible(telling)
        return Drop("implausible", why) if why else None

    def _implausible(self, telling: Telling) -> str:
        calls = telling.calls
        name, times = Counter(calls).most_common(1)[0]
        if times > _MOST:
            return f"{name} is called {times} times"
        for place, target in enumerate(calls):
            for parameter, sources in self.known.needs[target].items():
                if not sources & set(calls[:place]):
                    return f"{target} needs a {parameter} that no earlier call can have found"
        for before, after in pairwise(calls):
            if order_of(before) > order_of(after):
                return f"{after} comes after {before}, when the session does not allow it"
        for one in dict.fromkeys(calls):
            if rivals(one) & set(calls):
                return f"{one} and {min(rivals(one) & set(calls))} make no sense in one session"
        words = len(re.sub(r"\([^()]*\)", " ", telling.text).split())
        return f"{words} words for {len(calls)} calls say next to nothing" if words < 3 * len(set(calls)) else ""

    def _again(self, telling: Telling, combinations: set[frozenset[str]]) -> Drop | None:
        if frozenset(telling.calls) in combinations:
            return Drop("same combination", f"the prompt has one with {', '.join(sorted(set(telling.calls)))}")
        if telling.calls in self._seen:
            return Drop("duplicate", " + ".join(telling.calls))
        return None

    def _flows(self, telling: Telling) -> tuple[Flow, ...]:
        return chained(telling.calls, self.known) if telling.flows is None else telling.flows


def tell_all(apis: Iterable[Api], tally: Tally, *, seed: int = 0) -> Iterator[Scenario]:
    """The scenarios of every prompt, told by templates. Counts into `tally`."""
    documents = tuple(apis)
    checker, teller = Checker(documents), Teller(documents)
    for prompt in prompts_of(documents):
        yield from checker.admit(prompt, teller(prompt, seed), tally, {"writer": "template", "seed": seed})


def sample(scenarios: Iterable[Scenario], count: int, *, seed: int = 0) -> list[Scenario]:
    """`count` scenarios, drawn in rounds: each tool that has any left gives one a round. All, if there are no more."""
    rng = random.Random(keys.seed_of(seed, "sample"))
    pools: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        pools.setdefault(scenario.required, []).append(scenario)
    drawn: list[Scenario] = []
    while len(drawn) < count and any(pools.values()):
        tools = [name for name, pool in pools.items() if pool]
        for name in rng.sample(tools, len(tools))[: count - len(drawn)]:
            drawn.append(pools[name].pop(rng.randrange(len(pools[name]))))
    return drawn
