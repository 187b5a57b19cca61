"""What our dialogues with programs come to, written down: `signatures.json` beside them. For those who write them.

    python -m bench.s3_signatures

Executes all that ship. Run it where a final program was changed on purpose, and read what changed in the file.

Not covered: looking at one dialogue; `toologue show FILE.yaml` does that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toologue.bench.dialog2api.files import SHIPPED, executed, read_folder
from toologue.schema import Dialogue
from toologue.schema.jsonl import replacing
from toologue.values.json_schema import list_of


def write_signatures(folder: Path, dialogues: Iterable[Dialogue]) -> None:
    """Write down what dialogues that were executed come to."""
    found: dict[str, list[Any]] = {}
    for one in dialogues:
        carried = [signed for turn in one.turns for signed in list_of(turn.extra.get("signatures"))]
        found[one.id] = [one.extra["initial_signature"], *filter(None, carried)]
    lines = (f"  {json.dumps(name)}: {json.dumps(signatures)}" for name, signatures in sorted(found.items()))
    with replacing(folder / "signatures.json") as stream:
        stream.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


if __name__ == "__main__":
    write_signatures(SHIPPED, map(executed, read_folder(SHIPPED, sign=False)))
