"""`python -m tests.golden check|bless|list [GLOB...] [--workers N] [--keep FOLDER]`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path

from .entries import ENTRIES
from .harness import SECONDS, absent, bless, difference, run


def main() -> int:
    """Run what is asked for, and return the exit status."""
    options = _parser().parse_intermixed_args()
    known: dict[str, float] = json.loads(SECONDS.read_text()) if SECONDS.exists() else {}
    names = [name for name in ENTRIES if any(fnmatch(name, glob) for glob in options.globs)]
    if not names:
        sys.exit(f"no entry is like {' '.join(options.globs)}")
    if options.what == "list":
        for name in names:
            quick = " quick" if ENTRIES[name].quick else ""
            print(f"{known.get(name, 0):6.1f} s  {name}{quick}{' (needs published data)' * bool(absent(name))}")
        print(f"{sum(known.get(name, 0) for name in names):6.1f} s  {len(names)} entries")
        return 0
    skipped = {name: absent(name) for name in names if absent(name)}
    order = sorted(set(names) - set(skipped), key=lambda name: -known.get(name, 999))
    differing = 0
    spent: dict[str, float] = {}
    with ThreadPoolExecutor(options.workers) as pool:
        running = {pool.submit(run, name, options.keep): name for name in order}
        for done in as_completed(running):
            name, (outputs, seconds) = running[done], done.result()
            spent[name] = round(seconds, 1)
            wrong = difference(name, outputs)
            differing += bool(wrong)
            verdict = f"DIFFERS\n{wrong}" if wrong else "equal"
            if options.what == "bless":
                bless(name, outputs)
                verdict = "blessed" if wrong else "equal"
            print(f"{seconds:6.1f} s  {name}: {verdict}", flush=True)
    for name, why in skipped.items():
        print(f"SKIPPED {name}: not here: {why}")
    if options.what == "bless":
        kept = {name: seconds for name, seconds in {**known, **spent}.items() if name in ENTRIES}
        SECONDS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    print(f"{len(order)} entries, {differing} differ, {len(skipped)} SKIPPED; {sum(spent.values()):.0f} s of CPU")
    return int(differing > 0 and options.what == "check")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description="Whole outputs, held by their hashes.")
    parser.add_argument("what", choices=("check", "bless", "list"))
    parser.add_argument("globs", nargs="*", default=["*"], metavar="GLOB", help="names of entries; by default all")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="entries at once")
    parser.add_argument(
        "--keep", type=Path, help="a folder for the outputs, to be compared with those of another commit"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
