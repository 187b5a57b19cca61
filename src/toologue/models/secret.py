"""A key that is sent to its endpoint and shown nowhere: struck from all that comes back, however it is spelled there.

    >>> key = Secret("sk-0123456789")
    >>> key, key.struck("sk-01234 56789 and \\\\u0073k-0123456789 and sk-01234%35%36789")
    (<secret>, '[key] and [key] and [key]')

Not covered: encodings of the whole key (base64), and keys of fewer than eight characters, which words hold by chance.
"""

from __future__ import annotations

import re
from functools import cached_property

_SHORTEST = 8
# What may stand between two characters of a key: blanks, line ends, escaped ones, and what has no width.
_BREAKS = r"(?:[\s\u200b-\u200d\u2060\ufeff\u00ad]|\\+[nrt])*"


class Secret:
    """A key. `value` is what is sent."""

    def __init__(self, value: str):
        self.value = value

    def __repr__(self) -> str:
        return "<secret>"

    def struck(self, text: str) -> str:
        """The text with `[key]` for the key: as it is, escaped, or broken."""
        return self._spelled.sub("[key]", text) if len(self.value) >= _SHORTEST else text

    @cached_property
    def _spelled(self) -> re.Pattern[str]:
        return re.compile(_BREAKS.join(map(_spellings, self.value)), re.IGNORECASE)


def _spellings(char: str) -> str:
    """A character as it is, as JSON, Python, a URL and HTML escape it."""
    code = f"{ord(char):02x}"
    escaped = rf"\\+(?:u00|x){code}|\\+u\{{0*{code}\}}|%(?:25)*{code}|&\#(?:x0*{code}|0*{ord(char)});"
    return rf"(?:\\*{re.escape(char)}|{escaped})"
