"""The data that ships beside the code: word lists, banks, rules, in YAML.

Contract: `shipped(file)` reads a file of ours once a process, with libyaml where there is one. What it gives is shared:
nobody changes it. Files of users are read by `apis.source`, which says what is wrong with them, and where.

Example:
    >>> from pathlib import Path
    >>> import toologue.plan.knowable as knowable
    >>> "known" in shipped(Path(knowable.__file__).with_suffix(".yaml"))
    True

Not covered: more than one document a file.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["shipped"]


@cache
def shipped(file: Path) -> Any:
    """What a file of ours says."""
    import yaml

    return yaml.load(file.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
