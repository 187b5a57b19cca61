"""The parts of an OpenAPI document, each with what is read of it; the rest of a part is not looked at.

Contract: pydantic says what is wrong with a part; `openapi` adds where it stands.

Example:
    >>> said = ParameterPart.model_validate({"name": "n", "in": "query", "schema": {"type": "integer"}, "example": 7})
    >>> said.into, said.whole
    ('query', {'example': 7, 'type': 'integer'})

Not covered: what stands under a `$ref`; it is followed before.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from toologue.apis.schemas import object_of


class Part(BaseModel):
    """What is read of a part of the document; the rest of it is not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Media(Part):
    """A media type: its schema."""

    rule: Any = Field(default=None, alias="schema")


class Content(Part):
    """A body, or an answer."""

    content: dict[str, Media | None] = Field(default_factory=dict[str, Media | None])
    description: str = ""
    required: bool | None = None

    @property
    def form(self) -> Any:
        """The schema of the JSON type, else of the first one; None where there is none."""
        kinds = sorted(self.content, key=lambda kind: (not kind.startswith("application/json"), "json" not in kind))
        media = self.content[kinds[0]] if kinds else None
        return media.rule if media is not None else None


class ParameterPart(Content):
    """A parameter."""

    name: str
    into: Literal["path", "query", "header", "cookie"] = Field(alias="in")
    rule: Any = Field(default=None, alias="schema")
    example: Any = None

    @property
    def whole(self) -> Any:
        """The schema, with the parameter's example."""
        rule = self.rule if self.rule is not None else self.form
        if self.example is None or not isinstance(rule, dict):
            return {} if rule is None else rule
        return {"example": self.example, **object_of(rule)}


class ItemPart(Part):
    """A path, with the parameters of all its operations."""

    parameters: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])


class OperationPart(ItemPart):
    """An operation."""

    name: str | None = Field(default=None, alias="operationId")
    summary: str = ""
    description: str = ""
    tags: list[str] = Field(default_factory=list[str])
    body: dict[str, Any] | None = Field(default=None, alias="requestBody")
    responses: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    writes: bool | None = Field(default=None, alias="x-writes")


class SchemePart(Part):
    """A way to prove who one is: where the key goes."""

    name: str = ""
    into: str = Field(default="", alias="in")


class _Components(Part):
    schemes: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]], alias="securitySchemes")


class DocumentPart(Part):
    """The document."""

    paths: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    components: _Components = _Components()
