"""What people want of an Api, or of two of which one finds what the other needs: said once, and used ever after."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import Field, JsonValue

from toologue import keys
from toologue.schema.api import Api
from toologue.schema.jsonl import Noun, Record

ESTIMATE = "estimate"
_ADDED = ("title", "x-description")  # what may be written into a document, and says nothing new of it

UseKey = tuple[str | None, str | None, str, str | None]
"""Source, output, api, parameter; of an Api alone only its name."""


class Ask(Noun):
    """A parameter in a user's words ("the team's name"), whether users know it, and the documented default."""

    phrase: str = ""
    known: bool = True
    default: JsonValue = None


class Example(Noun):
    """A call that people would have made, and its result; of a pair, also the call that found what this one needs."""

    arguments: dict[str, JsonValue]
    result: JsonValue
    source_arguments: dict[str, JsonValue] = Field(default_factory=dict)
    source_result: JsonValue = None


class Use(Record):
    """What people want of `api`; of a pair, by way of `output` of `source`, which is handed over as `parameter`.

    `of` is the key of the documents that it was made from, `by` a model's name, or "estimate". `wishes` go after "I'd
    like to"; `topic` is a noun phrase. `asks` is by parameter, `tells` by output: the best first, only what answers the
    wish. A pair asks for the parameter that is handed over alone: what else users are asked for is said of either Api.
    """

    format: Literal["use/1"] = "use/1"
    api: str = Field(min_length=1)
    source: str | None = None
    output: str | None = None
    parameter: str | None = None
    of: str = ""
    by: str = ESTIMATE
    wanted: bool = True
    why: str = ""
    wishes: tuple[str, ...] = ()
    topic: str = ""
    asks: dict[str, Ask] = Field(default_factory=dict[str, Ask])
    tells: dict[str, str] = Field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def about(self) -> UseKey:
        """What it is about."""
        return self.source, self.output, self.api, self.parameter


def documents_key(*apis: Api) -> str:
    """16 hex digits that name what documents say; phrases and keywords that were written for a graph do not count."""
    return keys.content_key([_plain(one.replace(keywords=()).model_dump(mode="json", by_alias=True)) for one in apis])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value).items()
        return {name: _plain(part) for name, part in inner if name not in _ADDED or isinstance(part, dict)}
    return [_plain(part) for part in cast("list[Any]", value)] if isinstance(value, list) else value
