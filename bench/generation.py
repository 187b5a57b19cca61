"""Conversations planned, worded and verified a second, on two processes.

python -m bench.generation [--count 300] [--workers 2] [NAMES ...]

A run of few procedures is bounded by the longest of them: each process makes one procedure at a time. The aim is 500
conversations a second, for many a procedure.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from toologue.project.generate import Making, generate, shipped

AIM = 500


def main(arguments: Sequence[str]) -> int:
    """Generate, and print how quickly that went."""
    parser = argparse.ArgumentParser(prog="python -m bench.generation", description="Conversations a second.")
    parser.add_argument("names", nargs="*", help="procedures or services that ship; by default all")
    parser.add_argument("--count", type=int, default=300, help="conversations a procedure")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    chosen = shipped(*options.names)
    start, dialogues, dropped = time.perf_counter(), 0, 0
    for made in generate(chosen, Making(count=options.count), workers=options.workers):
        dialogues += len(made.dialogues)
        dropped += made.flawed
    wall = time.perf_counter() - start
    print(f"{dialogues:,} conversations, {dropped} found invalid, in {wall:.1f} s on {options.workers} processes")
    print(f"{dialogues / wall:,.0f} conversations a second; the aim is {AIM}: {_verdict(dialogues / wall)}")
    return 0


def _verdict(speed: float) -> str:
    return "met" if speed >= AIM else "missed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
