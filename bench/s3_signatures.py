"""What our dialogues with programs come to, written down: `signatures.json` beside them. For those who write them.

    python -m bench.s3_signatures

Executes all that ship. Run it where a final program was changed on purpose, and read what changed in the file.

Not covered: looking at one dialogue; `toologue show FILE.yaml` does that.
"""

from __future__ import annotations

from toologue.bench.dialog2api.files import SHIPPED, executed, read_folder, write_signatures

if __name__ == "__main__":
    write_signatures(SHIPPED, map(executed, read_folder(SHIPPED, sign=False)))
