"""For authors: a conversation as it is executed, and what to look at before it joins a dataset.

Write a YAML file (`bench.tooltalk.conversations` has the format), run `toologue show FILE.yaml`, read the results, put
what they say into the agent's words, and run it again. The remarks are what the dataset test asks for: calls and
plugins of a hard conversation, an argument that only an earlier result could give, a sequence of calls that nobody has
yet, an opening turn that the lint lets pass.

Example:
    >>> from toologue.bench.tooltalk.conversations import starter
    >>> seen = next(reviews(d for d in starter() if d.id == "swap-thursday-shift"))
    >>> len(seen.calls), seen.plugins[:2], seen.chained[0].parameter, seen.remarks
    (7, ('Message', 'Calendar'), 'event_id', ())

Not covered: whether the words are true to the results; read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import JsonValue

from toologue.bench.tooltalk.conversations import read_yaml
from toologue.errors import BadFile
from toologue.plan.scenarios.lint import lint
from toologue.run.runner import grounded
from toologue.schema import Dialogue, Invocation, invocations
from toologue.schema.jsonl import read
from toologue.worlds.world import kind_at

_FEW = {"calls": 4, "plugins": 3}
_SHORT = 4
"""Values of fewer characters turn up by chance."""


class Chained(NamedTuple):
    """An argument that only an earlier result could give."""

    api: str
    parameter: str
    value: str


class Review(NamedTuple):
    """A conversation, executed, with what there is to say about it. `remarks` is what should be looked at."""

    dialogue: Dialogue
    calls: tuple[Invocation, ...]
    plugins: tuple[str, ...]
    chained: tuple[Chained, ...]
    remarks: tuple[str, ...]


def conversations_in(paths: Iterable[Path], read_file: Callable[[Path], Dialogue] = read_yaml) -> Iterator[Dialogue]:
    """The conversations of YAML files, of dialogues.jsonl files, and of folders of YAML files."""
    for path in paths:
        if path.is_dir():
            files = sorted(path.glob("*.yaml"))
            if not files:
                raise BadFile(f"{path} holds no conversation: expected *.yaml")
            yield from map(read_file, files)
        elif path.suffix == ".yaml":
            yield read_file(path)
        else:
            yield from read(path, Dialogue)


def reviews(dialogues: Iterable[Dialogue], known: Iterable[Dialogue] = ()) -> Iterator[Review]:
    """Each conversation executed and looked at, against each other and those that are `known`."""
    sequences = {sequence(grounded(dialogue)): dialogue.id for dialogue in known}
    for dialogue in map(grounded, dialogues):
        calls = tuple(invocations(dialogue.turns))
        apis = kind_at(dialogue.world).by_name
        names = [name for name in sequence(dialogue) if name in apis]
        plugins = tuple(dict.fromkeys(apis[name].domain for name in names))
        found = tuple(chained(dialogue))
        other = sequences.setdefault(sequence(dialogue), dialogue.id)
        remarks = [f"the same calls in the same order as {other}"] if other != dialogue.id and len(calls) > 1 else []
        if dialogue.origin.get("split") == "easy" and len(calls) != 1:
            remarks.append(f"easy, and {len(calls)} calls: an easy one has one")
        if dialogue.origin.get("split") == "hard":
            counts = {"calls": len(calls), "plugins": len(plugins)}
            remarks += [f"hard, and only {n} {what}" for what, n in counts.items() if n < _FEW[what]]
            remarks += [] if found else ["no argument comes from an earlier result"]
        opening = next(turn.text for turn in dialogue.turns if turn.role == "user")
        remarks += [f"{f.rule}: {f.quote!r}: {f.why}; {f.remedy}" for f in lint(opening, apis.values())]
        yield Review(dialogue, calls, plugins, found, tuple(remarks))


def sequence(dialogue: Dialogue) -> tuple[str, ...]:
    """The names of what is called, in order."""
    made = (invocation.act for invocation in invocations(dialogue.turns))
    return tuple(act.api for act in made if act.kind == "call")


def chained(dialogue: Dialogue) -> Iterator[Chained]:
    """Arguments that stand in an earlier result, and that neither the user nor the facts have said."""
    said = " ".join(str(value).lower() for value in dialogue.facts.values())
    seen: set[str] = set()
    for turn in dialogue.turns:
        if turn.role == "user":
            said += f" {turn.text.lower()}"
            continue
        for act, result in zip(turn.acts, turn.results, strict=False):
            if act.kind == "call":
                for name, argument in (act.arguments or {}).items():
                    fresh = (value for value in _texts(argument) if value in seen and value.lower() not in said)
                    yield from (Chained(act.api, name, value) for value in fresh)
            if result is not None:
                seen.update(_texts(result.value))


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in cast("Mapping[str, JsonValue]", value).values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str) and len(value) >= _SHORT:
        yield value
