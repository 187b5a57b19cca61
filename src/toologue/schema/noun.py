"""The two roots of every noun: frozen values with no unknown keys, and those that are lines of a JSONL file.

Not covered: behaviour. A noun carries facts and what follows from them alone; whoever acts lives to the right.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from toologue import keys

_set = object.__setattr__


class Noun(BaseModel):
    """A frozen value. Unknown keys, NaN and infinities are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)

    def but(self, **changes: Any) -> Self:
        """This value with some fields changed. The new values are trusted, not validated: pass nouns and JSON."""
        kind = self.__class__
        values, fields = self.__dict__, kind.__pydantic_fields__
        if len(values) > len(fields):  # what is cached beside them is left behind
            values = {name: values[name] for name in fields}
        clone = kind.__new__(kind)
        _set(clone, "__dict__", values | changes)
        _set(clone, "__pydantic_fields_set__", self.__pydantic_fields_set__ | changes.keys())
        _set(clone, "__pydantic_extra__", None)
        _set(clone, "__pydantic_private__", None)
        return clone


class Record(Noun):
    """A noun that stands on a line of its own in a JSONL file. `key` names its content."""

    @cached_property
    def key(self) -> str:
        """16 hex digits: equal content, equal key, in any process and on any machine."""
        return keys.content_key(self.model_dump(mode="json", by_alias=True))
