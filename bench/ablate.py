"""Which rules of `retrieve` help where they were not made: each group taken out alone, on published ToolTalk.

    python -m bench.ablate --data ../shared/tooltalk/data [--group NAME]... [--embedder SPEC]

A group is a table, a kind of finder, or a step of the agent; taken out, it says nothing. Every change stands with its
paired 90 % interval (bootstrap over conversations, seeded). A group stays where unseen conversations certainly need it:
one of its intervals lies on the wrong side of 0. What the last row takes out is all groups that do not.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from toologue.bench.benchmark import benchmark, play
from toologue.models.similarity import TextMatch

# Share → what is counted, of what, and whether more is better (1) or worse (-1).
SHARES = {
    "success": ("success", "conversations", 1),
    "precision": ("matches", "predictions", 1),
    "recall": ("matches", "ground_truths", 1),
    "incorrect": ("bad_actions", "actions", -1),
}
Counts = Sequence[Mapping[str, float]]
"""By conversation, what is counted."""
_SAMPLES, _TAILS = 10_000, (5, 95)
_NEVER = re.compile("(?!)")
_AGENT, _TEXT = "toologue.agents.retrieve", "toologue.text"


def says(value: Any, *_: Any, **__: Any) -> Any:
    """Take any arguments, and give back a value."""
    return value


def first(one: Any, *_: Any, **__: Any) -> Any:
    """Give back the first argument as it is."""
    return one


# Group → what stands in its place, by module:name.
GROUPS: Mapping[str, Mapping[str, Any]] = {
    "find: tasks": {f"{_TEXT}.find_phrases:_CUED_TASKS": ()},
    "find: people": {f"{_TEXT}.find_phrases:_PEOPLE": ()},
    "find: user names": {f"{_TEXT}.find_codes:_USERNAMES": ()},
    "find: passwords by their looks": {
        f"{_TEXT}.find_codes:{name}": _NEVER for name in ("_AS_PASSWORD", "_LIKE_A_SECRET", "_JOINED")
    },
    "find: references to rows": {f"{_TEXT}.find:refer": partial(says, ())},
    "find: references by place": {f"{_TEXT}.find:_ORDINAL": _NEVER},
    "find: references by pronoun": {f"{_TEXT}.find:_by_pronoun": partial(says, ())},
    "evidence: things named": {f"{_AGENT}.deciding:_TERMS": 0},
    "evidence: synonyms": {f"{_AGENT}.lexicon:_things": partial(says, ())},
    "evidence: deeds": {f"{_AGENT}.deciding:_agreement": partial(says, 0)},
    "evidence: values": {f"{_AGENT}.deciding:_VALUE": 0, f"{_AGENT}.deciding:_EMPTY": 0},
    "wishes: several in a request": {f"{_AGENT}.deciding:clauses": lambda text: (text,)},
    "wishes: several in a sentence": {f"{_AGENT}.history:_JOINT": _NEVER},
    "wishes: an open request goes on": {f"{_AGENT}.history:Heard.reopened": first},
    "filling: answers": {f"{_AGENT}.filling:_asked_for": partial(says, "")},
    "filling: whole answers": {f"{_AGENT}.filling:_WHOLE": {}},
    "filling: values that follow": {f"{_AGENT}.filling:_implied": partial(says, None)},
    "deciding: look-ups": {f"{_AGENT}.deciding:_look_up": partial(says, None)},
    "deciding: goodbye": {f"{_AGENT}.history:Heard.leaves": False},
}


def played(data: Path, embedder: str, groups: Sequence[str]) -> Counts:
    """Take groups out of this process, and play and grade all conversations."""
    for group in groups:
        for place, value in GROUPS[group].items():
            module, _, path = place.partition(":")
            *outer, name = path.split(".")
            owner = import_module(module)
            for part in outer:
                owner = getattr(owner, part)
            getattr(owner, name)  # raises AttributeError where a group is out of date
            setattr(owner, name, value)
    chosen = benchmark("tooltalk")
    graded = play(chosen, chosen.load(data), f"retrieve:{embedder}", TextMatch.of(embedder))
    return [{"conversations": 1, **one.record["metrics"]} for one in graded]


def changes(before: Counts, after: Counts) -> dict[str, tuple[float, float, float]]:
    """Share → its change in points, and the ends of the paired 90 % interval."""
    size = len(before)
    drawn = np.random.default_rng(0).multinomial(size, np.full(size, 1 / size), _SAMPLES)
    weights = np.vstack([np.ones(size), drawn])

    def share(counts: Counts, hits: str, of: str) -> Any:
        column = {name: np.array([one[name] for one in counts], dtype=float) for name in (hits, of)}
        return 100 * (weights @ column[hits]) / np.maximum(weights @ column[of], 1)

    found: dict[str, tuple[float, float, float]] = {}
    for name, (hits, of, _) in SHARES.items():
        moved = share(after, hits, of) - share(before, hits, of)
        found[name] = (float(moved[0]), *map(float, np.percentile(moved[1:], _TAILS)))
    return found


def hurts(moved: Mapping[str, tuple[float, float, float]]) -> bool:
    """Whether some share is certainly worse."""
    return any(
        max(better * low, better * high) < 0
        for (*_, better), (_, low, high) in zip(SHARES.values(), moved.values(), strict=True)
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.ablate", description="Which rules of `retrieve` help.")
    parser.add_argument("--data", type=Path, required=True, help="the published data of ToolTalk")
    parser.add_argument("--group", action="append", choices=GROUPS, metavar="NAME", help="all groups, unless given")
    parser.add_argument("--embedder", default="lexical")
    options = parser.parse_args()
    if not (options.data / "databases").is_dir():
        raise SystemExit(
            f"{options.data} has no published data of ToolTalk (databases, easy, tooltalk): nothing to measure"
        )
    table = Table("taken out", *SHARES, "verdict", title="change in points, paired 90 % interval")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        run = partial(pool.submit, played, options.data, options.embedder)
        whole = run([]).result()
        goes: list[str] = []
        for group in options.group or GROUPS:
            moved = changes(whole, run([group]).result())
            goes += [] if hurts(moved) else [group]
            table.add_row(group, *map(_cell, moved.values()), "stays" if hurts(moved) else "goes")
        if len(goes) > 1:
            moved = changes(whole, run(goes).result())
            table.add_row("all that go", *map(_cell, moved.values()), "stay" if hurts(moved) else "go")
    Console(width=140).print(table)


def _cell(moved: tuple[float, float, float]) -> str:
    return "{:+.1f} ({:+.1f} … {:+.1f})".format(*moved)


if __name__ == "__main__":
    main()
