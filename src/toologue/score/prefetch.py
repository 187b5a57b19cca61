"""Warm-up: the texts that a judge will be asked about, embedded in one batch for many conversations before grading.

Contract: `warmed` gives the pairs it gets, in order, and holds at most `size` of them. It changes no score, only how
long scoring takes, and does nothing where the similarity embeds nothing. What it embeds is a guess: of a parameter that
takes free text, nothing if the agent wrote what the gold did, else all texts of both. What the guess lacks is embedded
when it is asked for.

Example:
    >>> from toologue.schema import AgentTurn, Call, Result, Setting, UserTurn
    >>> def reminds(task):
    ...     call = Call(api="AddReminder", arguments={"task": task})
    ...     return (UserTurn(text="?"), AgentTurn(acts=(call,), results=(Result(),)), AgentTurn(text="Done."))
    >>> gold = Dialogue(id="d", world=Setting(name="assistant"), turns=reminds("Pay the rent"))
    >>> trace = Trace(case="", dialogue="d", protocol="forced", agent="it", turns=reminds("pay rent"))
    >>> list(warmed([(gold, trace)], Judge.of("lexical"))) == [(gold, trace)]
    True

Not covered: texts in rows that a world made of something else than the arguments of calls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from toologue.models.similarity import Judge, Warmable
from toologue.parallel import chunks
from toologue.schema import Dialogue, Trace, invocations
from toologue.worlds.world import Kind, kind_at


def warmed(
    pairs: Iterable[tuple[Dialogue, Trace]], judge: Judge, *, size: int = 256
) -> Iterator[tuple[Dialogue, Trace]]:
    """The golds with their traces; before each `size` of them, the judge sees their texts."""
    if not isinstance(judge.similarity, Warmable):
        yield from pairs
        return
    for chunk in chunks(pairs, size):
        judge.warm(text for gold, trace in chunk for text in _compared(gold, trace))
        yield from chunk


def _compared(gold: Dialogue, trace: Trace) -> Iterator[str]:
    """The free texts that an agent wrote otherwise than the gold, and those that they will be compared with."""
    kind = kind_at(gold.world)
    wanted, given = _texts(gold, kind), _texts(trace, kind)
    for place, texts in wanted.items():
        if place in given and texts.keys() != given[place].keys():
            yield from texts | given[place]


def _texts(conversation: Dialogue | Trace, kind: Kind) -> dict[tuple[str, str], dict[str, None]]:
    """By Api and parameter, the texts that a similarity compares, each once and in order."""
    found: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for invocation in invocations(conversation.turns):
        if invocation.act.kind != "call" or invocation.act.api not in kind.by_name:
            continue
        for name, parameter in kind.by_name[invocation.act.api].parameters.items():
            value = (invocation.act.arguments or {}).get(name)
            if parameter.compare in ("text", "prose") and isinstance(value, str):
                found[invocation.act.api, name][value] = None
    return found
