"""Values that look like a documented example: its digits and letters drawn anew, its date moved into 2025.

Contract: `like(example, number)` keeps what is fixed in the example (marks, words, a prefix before digits) and draws
the rest from the number; neighbouring numbers give different texts wherever something can be drawn. `moment_form` says
how an example writes its date, or nothing.

Example:
    >>> like("tt0111161", 123456789)[:2], len(like("tt0111161", 5)), like("B07V1PHM66", 1) != like("B07V1PHM66", 2)
    ('tt', 9, True)
    >>> moment_form("2021-07-15T10:00:00Z"), moment_form("15 July"), is_placeholder("string")
    ('%Y-%m-%dT%H:%M:%SZ', '', True)

Not covered: check digits (ISBN, IBAN, VIN).
"""

from __future__ import annotations

import re
from functools import lru_cache

_MOMENT = re.compile(
    r"(?P<day>\d{4}(?P<mark>[-/.])\d\d(?P=mark)\d\d)(?:(?P<gap>[T ])\d\d:\d\d(?P<second>:\d\d)?"
    r"(?P<part>\.\d+)?(?P<zone> ?(?:Z|[+-]\d\d:?\d\d|UTC|GMT))?)?"
)
_COMPACT = re.compile(r"20[012]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_NUMERIC = re.compile(r"\d\d?(?P<mark>[/.-])\d\d?(?P=mark)(?:19|20)\d\d")
_PLACEHOLDER = re.compile(
    r"(?i)\s*(?:string|str|number|integer|value|example|test|sample|null|none|undefined|n/?a|todo|required|optional|"
    r"x{2,}|your[\s_-].*|<.*>|\{.*\}|\[.*\]|\.{2,}|-+|yyyy.*|insert .*|enter .*)\s*"
)
_RUN = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]+")
_WORDY = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{1,3}|[a-z]{1,3}")


def is_placeholder(text: str) -> bool:
    """Whether a documented text only stands for one."""
    return not text.strip() or _PLACEHOLDER.fullmatch(text) is not None


@lru_cache(maxsize=8192)
def moment_form(text: str) -> str:
    """How a text writes a date, with the time or without, as a strftime pattern; or nothing."""
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        if _COMPACT.fullmatch(text.strip()):
            return "%Y%m%d"
        numeric = _NUMERIC.fullmatch(text.strip())
        return f"%d{numeric['mark']}%m{numeric['mark']}%Y" if numeric else ""
    day = f"%Y{found['mark']}%m{found['mark']}%d"
    if not found["gap"]:
        return day
    second = ":%S" if found["second"] else ""
    part = "." + "0" * (len(found["part"]) - 1) if found["part"] else ""
    return f"{day}{found['gap']}%H:%M{second}{part}{(found['zone'] or '').replace('%', '%%')}"


def like(example: str, number: int) -> str:
    """A text of the same shape."""
    plan = _plan(example)
    made: list[str] = []
    for size, part in reversed(plan):
        if size:
            number, place = divmod(number, size)
            made.append(part[place])
        else:
            made.append(part)
    return "".join(reversed(made))


@lru_cache(maxsize=8192)
def _plan(example: str) -> tuple[tuple[int, str], ...]:
    """(how many there are to draw from, they) for each letter; (0, text) for what stays."""
    runs = _RUN.findall(example)
    hexadecimal = re.fullmatch(r"[0-9a-fA-F-]{8,}", example) is not None and any(c.isdigit() for c in example)
    coded = len(example) >= 6 and sum(c.isdigit() for c in example) >= 2 and len(runs) > 3
    plan: list[tuple[int, str]] = []
    for place, run in enumerate(runs):
        if run.isdigit():
            plan += [(9, "123456789") if n == 0 and run[0] != "0" else (10, "0123456789") for n in range(len(run))]
        elif run.isalpha() and run.isascii() and hexadecimal:
            plan += [(6, "abcdef" if c.islower() else "ABCDEF") for c in run]
        elif run.isalpha() and run.isascii() and ((coded and place) or not _WORDY.fullmatch(run)) and len(run) > 0:
            plan += [(26, "abcdefghijklmnopqrstuvwxyz" if c.islower() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ") for c in run]
        else:
            plan.append((0, run))
    return tuple(plan)
