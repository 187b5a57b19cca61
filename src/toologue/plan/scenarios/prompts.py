"""What scenarios are asked for: every triple of plugins, each of its tools once as the required one (ToolTalk 2.2).

Example:
    >>> from toologue.worlds.assistant import apis
    >>> asked = prompts_of(apis())
    >>> len(asked), len({prompt.plugins for prompt in asked})
    (420, 35)

Not covered: subsets of another size than three.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from toologue import keys
from toologue.errors import BadSetting
from toologue.schema import Api, Flow

PER_PROMPT = 3
"""How many scenarios a prompt asks for."""


class Prompt(NamedTuple):
    """One question for scenarios: the plugins, the tool that has to be used, all tools that may be."""

    plugins: tuple[str, ...]
    required: str
    tools: tuple[str, ...]


class Telling(NamedTuple):
    """A proposed scenario: its text, its calls in order; the flows it tells of, or None if nobody says."""

    text: str
    calls: tuple[str, ...]
    flows: tuple[Flow, ...] | None = None


def prompts_of(apis: Iterable[Api]) -> list[Prompt]:
    """Every prompt, in the order of the documents. Raises BadSetting for documents without plugins."""
    by_plugin: dict[str, list[str]] = {}
    names: set[str] = set()
    for api in apis:
        if not api.domain:
            raise BadSetting(f"API {api.name!r} belongs to no plugin: give it a `domain`")
        if api.name in names:
            raise BadSetting(f"two APIs are called {api.name!r}; names have to be unique")
        names.add(api.name)
        by_plugin.setdefault(api.domain, []).append(api.name)
    if len(by_plugin) < 3:
        found = ", ".join(by_plugin) or "none"
        raise BadSetting(f"scenarios join three plugins, and there are {len(by_plugin)} (`domain`): {found}")
    return [
        Prompt(triple, required, tuple(name for plugin in triple for name in by_plugin[plugin]))
        for triple in combinations(by_plugin, 3)
        for plugin in triple
        for required in by_plugin[plugin]
    ]


def evenly(prompts: Sequence[Prompt], seed: int) -> list[Prompt]:
    """The prompts in an order in which any beginning asks for all tools about equally often."""
    rng = random.Random(keys.seed_of(seed, "evenly"))
    pools: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        pools.setdefault(prompt.required, []).append(prompt)
    for pool in pools.values():
        rng.shuffle(pool)
    order: list[Prompt] = []
    while any(pools.values()):
        tools = [name for name, pool in pools.items() if pool]
        order += [pools[name].pop() for name in rng.sample(tools, len(tools))]
    return order
