"""Intents: what customers contact support about, the seeds of procedures (ALMITA 3.1); those that ship by industry."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from toologue.data import shipped
from toologue.schema import Record

_TEXT = Field(min_length=1)


class Intent(Record):
    """A kind of client, one issue its customers have, and a short name for it, of which the id is a slug."""

    format: Literal["intent/1"] = "intent/1"
    id: str = _TEXT
    industry: str = _TEXT
    client: str = _TEXT
    issue: str = _TEXT
    name: str = _TEXT


@cache
def intents() -> tuple[Intent, ...]:
    """The catalogue that ships."""
    listed = shipped(Path(__file__).with_name("intents.yaml"))
    return tuple(Intent(id=slug(one["name"]), industry=name, **one) for name, some in listed.items() for one in some)


def slug(text: str) -> str:
    """A text as an id: words in lower case, joined by hyphens."""
    return "-".join(re.findall(r"[^\W_]+", text.lower().replace("'", "")))
