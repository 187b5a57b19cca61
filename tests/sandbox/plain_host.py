"""Programs over the world `s3` in plain CPython, as the author's tool runs them: what both backends must do.

Reads a list of lists of programs from standard input; each list has an account of its own. Writes what they did:
[value, error, signature] each. A throw-away process: nothing keeps the programs in.
"""

from __future__ import annotations

import json
import sys

from bench.s3_programs import run
from toologue.worlds.s3 import S3


def main() -> None:
    """Run them all."""
    said = []
    for codes in json.load(sys.stdin):
        world = S3()
        outcomes = [run(code, world) for code in codes]
        said.append([[one["value"], one["error"], one["signatures"]["published"]] for one in outcomes])
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
