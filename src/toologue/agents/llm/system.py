"""The system message of an agent that calls functions: our template, ToolTalk's, or one of yours.

    openai:NAME?prompt=mine.txt        a file of yours, with jinja2's marks
    openai:NAME?prompt=tooltalk        ToolTalk's, as published (arXiv 2311.10775, appendix)

A template sees `instructions` and `facts`, texts, and `known`, the facts by name; what is not known is empty there.

Example:
    >>> brief = Brief(facts={"now": "2025-03-10 09:00:00", "location": "Lisbon"})
    >>> print(Template("tooltalk")(brief))
    You are a helpful assistant. Here is some user data:
    location: Lisbon
    timestamp: 2025-03-10 09:00:00
    username (if logged in): None
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from toologue import limits
from toologue.data import text_of
from toologue.errors import BadFile, BadSetting
from toologue.schema import Brief

if TYPE_CHECKING:
    import jinja2

OURS = "function_calling"
_SHIPPED = (OURS, "tooltalk")


class Template:
    """A template by its name or its file. Raises BadFile, BadSetting for one that cannot be read."""

    def __init__(self, named: str = OURS):
        self._file = Path(__file__).with_name(f"{named}.txt") if named in _SHIPPED else Path(named)
        if named not in _SHIPPED and not self._file.is_file():
            raise BadFile(f"there is no prompt {named!r}: name a file, or one that ships: {', '.join(_SHIPPED)}")
        assert self._read

    @cached_property
    def _read(self) -> jinja2.Template:
        from jinja2 import TemplateSyntaxError
        from jinja2.sandbox import SandboxedEnvironment

        try:
            return SandboxedEnvironment().from_string(text_of(self._file, limits.PAGE))
        except TemplateSyntaxError as error:
            raise BadSetting(f"{self._file}, line {error.lineno}: this is no template: {error.message}") from None

    def __call__(self, brief: Brief) -> str:
        """What it says of a brief. Raises BadSetting where it cannot be filled."""
        from jinja2 import TemplateError

        known = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in brief.known.items()
        }
        facts = "\n".join(f"{name}: {value}" for name, value in known.items())
        try:
            return self._read.render(
                instructions=brief.instructions.strip(), facts=facts, known=defaultdict(str, known)
            ).strip()
        except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
            raise BadSetting(f"{self._file}: the prompt cannot be filled: {error}") from None
