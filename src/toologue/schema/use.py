"""What people want of an Api, or of two of which one finds what the other needs: said once, and used ever after."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import Field, JsonValue

from toologue import keys
from toologue.schema.api import Api
from toologue.schema.jsonl import Noun, Record

ASKED = "x-asked"  # in a parameter's schema: the words in which people are asked for it
SAID = "x-said"  # in a parameter's schema: values, each with the words that people have for it
_ADDED = ("title", "x-description", "x-settled", ASKED, SAID)  # what may be written into a document, and is nothing new
ALL = "all"  # among words by parameter: those for all at once

UseKey = tuple[str | None, str | None, str, str | None]
"""Source, output, api, parameter; of an Api alone only its name."""


class Lines(Noun):
    """Two lines that belong together, whoever speaks first."""

    person: str
    assistant: str


class Hint(Lines):
    """What somebody is up to, and what is offered then; how that is turned down, and what is said to it."""

    declines: Lines | None = None


class Ask(Noun):
    """A parameter in words ("the team's name"), how it is asked for, whether users know it, the documented default."""

    phrase: str = ""
    question: str = ""
    known: bool = True
    default: JsonValue = None


class Example(Noun):
    """A call that people would have made, and its result; of a pair, also the call that found what this one needs.

    By argument: `says` has the words in which it is told, and all are at once, `openings` first messages that give it,
    `words` what people say for a value that is a code. `choice` is about several that were found; `answers` tell the
    result, each in another way, and `thanks` is the last word.
    """

    arguments: dict[str, JsonValue]
    result: JsonValue
    source_arguments: dict[str, JsonValue] = Field(default_factory=dict)
    source_result: JsonValue = None
    words: dict[str, str] = Field(default_factory=dict)
    source_words: dict[str, str] = Field(default_factory=dict)
    openings: dict[str, str] = Field(default_factory=dict)
    says: dict[str, str] = Field(default_factory=dict)
    source_says: dict[str, str] = Field(default_factory=dict)
    choice: Lines | None = None
    answers: tuple[str, ...] = ()
    thanks: str = ""


class Use(Record):
    """What people want of `api`; of a pair, by way of `output` of `source`, which is handed over as `parameter`.

    `of` is the key of the documents that it was made from, `by` a model's name. `wishes` go after "I'd
    like to"; `topic` is a noun phrase. `asks` is by parameter, and for all at once, `tells` by output: the best first,
    only what answers the wish; `source_asks` is by what the source of a pair takes. `along` are further parameters that
    are handed over, each with its output. All else is said as it stands: `openings` are plain, `hints` have an offer,
    `vague` ones a question; `declines` turns an offer down; `unknown` is for who does not know the parameter. Where
    there are no such words, whoever writes finds others.
    """

    format: Literal["use/1"] = "use/1"
    api: str = Field(min_length=1)
    source: str | None = None
    output: str | None = None
    parameter: str | None = None
    of: str = ""
    by: str = ""
    wanted: bool = True
    why: str = ""
    wishes: tuple[str, ...] = ()
    topic: str = ""
    openings: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    vague: tuple[Lines, ...] = ()
    declines: Lines | None = None
    unknown: tuple[str, ...] = ()
    asks: dict[str, Ask] = Field(default_factory=dict[str, Ask])
    source_asks: dict[str, Ask] = Field(default_factory=dict[str, Ask])
    along: dict[str, str] = Field(default_factory=dict)
    tells: dict[str, str] = Field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def about(self) -> UseKey:
        """What it is about."""
        return self.source, self.output, self.api, self.parameter


def documents_key(*apis: Api) -> str:
    """16 hex digits that name what documents say; phrases and keywords that were written for a graph do not count."""
    plain = (one.replace(keywords=(), wishes=(), questions=()) for one in apis)
    return keys.content_key([_plain(one.model_dump(mode="json", by_alias=True)) for one in plain])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value).items()
        return {name: _plain(part) for name, part in inner if name not in _ADDED or isinstance(part, dict)}
    return [_plain(part) for part in cast("list[Any]", value)] if isinstance(value, list) else value
