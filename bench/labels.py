"""Turns of users with their labels, for a person to read: is each label what the words say?

    python -m bench.labels APIS [--turns 40] [--seed 0] [--count 100]

Conversations are generated anew from the documents of APIS; of all turns of users some are drawn at random. Printed is
what the agent said before, the user's words, what is labelled of them (the action, the values), and what the agent
does next with its state. Words, values and states are to be compared by eye: nothing is counted here.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from toologue.formats.tooldial import state_json
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import AgentTurn, Dialogue, UserTurn
from toologue.schema.jsonl import read


def main(arguments: Sequence[str]) -> int:
    """Print the turns; the exit status."""
    options = _parser().parse_args(arguments)
    with TemporaryDirectory() as folder:
        made = Path(folder) / "chains"
        make_chains([options.apis], made, ChainMaking(count=options.count, seed=options.seed))
        golds = list(read(made / "dialogues.jsonl", Dialogue))
    places = [(gold, at) for gold in golds for at, turn in enumerate(gold.turns) if turn.role == "user"]
    for number, (gold, at) in enumerate(random.Random(options.seed).sample(places, options.turns), 1):
        print(f"{number}. {gold.id}, turn {at}\n{shown(gold, at)}\n")
    return 0


def shown(gold: Dialogue, at: int) -> str:
    """A turn of a user between what the agent said last and what it does next, with the labels."""
    turn, before = gold.turns[at], gold.turns[at - 1] if at else None
    lines = [f"   agent   {before.text}"] if isinstance(before, AgentTurn) and before.text else []
    if isinstance(turn, UserTurn):
        lines += [
            f"   user    {turn.text}",
            f"   label   {turn.action} {json.dumps(turn.informed, ensure_ascii=False)}",
        ]
    following = gold.turns[at + 1] if at + 1 < len(gold.turns) else None
    if isinstance(following, AgentTurn):
        status = state_json(following.state)["api_status"]
        lines += [f"   next    {following.action} {json.dumps(status, ensure_ascii=False)}"]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.labels", description="Turns of users with their labels.")
    parser.add_argument("apis", type=Path, help="documents of APIs")
    parser.add_argument("--turns", type=int, default=40, help="how many turns")
    parser.add_argument("--count", type=int, default=100, help="how many conversations are generated")
    parser.add_argument("--seed", type=int, default=0, help="of the conversations and of the draw")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
