"""How many spoilt conversations `verify` rejects, by the way they were spoilt, over a generated suite.

python -m bench.corruptions [--count 12] [--tries 2] [NAMES ...]

Every conversation of the suite is spoilt in every way of `write.corrupt` that it has a place for, with the world, the
graph and the cues that it was made with. Exits 1 where less than 95 in 100 of a kind are rejected.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from rich.console import Console
from rich.table import Table

from toologue import keys
from toologue.project.generate import Made, Making, generate, shipped
from toologue.verify.procedures import verify
from toologue.write.corrupt import CORRUPTIONS

LEAST = 0.95


def rates(every: Iterable[Made], tries: int, seed: int = 0) -> dict[str, tuple[int, int]]:
    """(how many were rejected, how many were made) of each kind."""
    caught, made = Counter[str](), Counter[str]()
    for one in every:
        cues = {plan.dialogue.id: plan.cues for plan in one.planned.plans}
        for dialogue in one.dialogues:
            for kind, spoil in CORRUPTIONS.items():
                for number in range(tries):
                    spoilt = spoil(dialogue, Random(keys.seed_of(seed, dialogue.id, kind, number)))
                    if spoilt is not None:
                        said = cues[dialogue.id] if len(spoilt.turns) == len(dialogue.turns) else ()
                        made[kind] += 1
                        caught[kind] += bool(verify(spoilt, one.planned.graph, cues=said))
    return {kind: (caught[kind], made[kind]) for kind in CORRUPTIONS}


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.corruptions", description="What verify rejects.")
    parser.add_argument("names", nargs="*", help="procedures or services that ship; by default all")
    parser.add_argument("--count", type=int, default=12, help="conversations a procedure")
    parser.add_argument("--tries", type=int, default=1, help="how often each is spoilt in each way")
    options = parser.parse_args(arguments)
    found = rates(generate(shipped(*options.names), Making(count=options.count)), options.tries)
    table = Table("corruption", title="spoilt conversations that verify rejects")
    for name in ("rejected", "of", "share"):
        table.add_column(name, justify="right")
    worst = 1.0
    for kind, (caught, made) in found.items():
        share = caught / made if made else 1.0
        worst = min(worst, share)
        table.add_row(kind, str(caught), str(made), f"{share:.1%}" if made else "–")
    Console().print(table)
    print(f"at least {LEAST:.0%} of each: {'held' if worst >= LEAST else 'broken'}")
    return 0 if worst >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
