"""The two sides of a graph: the outputs that may feed something, and the parameters that may be fed.

Contract: entities stand in the order of the documents. Who takes no part is counted, with the reason. Under `published`
outputs of one name in one Api share the description of the first, as the reference code looks descriptions up by name.
`joined` puts the sides of some documents and of others together: they are those of all of them.

Example:
    >>> from toologue.schema import Parameter
    >>> team = {"type": "integer", "title": "number of a football team"}
    >>> api = Api(name="Players", parameters={"team": Parameter(schema=team), "page": Parameter(schema=team)})
    >>> found = sides([api], "published")
    >>> [entity.name for entity in found.columns.entities], dict(found.left)
    (['team'], {"parameter: its name contains 'page'": 1})

Not covered: two documents of one Api; each gives its entities, and neither feeds the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toologue.apis.entities import Entity, inputs, outputs
from toologue.plan.api_graph.rules import RulesName, left_out, letters
from toologue.schema import Api

VALUES = ("type", "format", "items", "anyOf", "oneOf", "allOf", "enum", "examples")
"""The keys of a schema that say what values there are."""
_LONGEST = 10_000  # characters of a description that are embedded


@dataclass
class Entities:
    """One side: its entities, the number of each one's Api, and what is embedded of each, without keywords.

    Of a schema only that is kept which says what values there are: sides are in memory whole, documents are not.
    """

    entities: list[Entity] = field(default_factory=list[Entity])
    owners: list[int] = field(default_factory=list[int])
    texts: list[str] = field(default_factory=list[str])
    _keywords: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    def put(self, entity: Entity, owners: dict[str, int], description: str, keywords: Sequence[str]) -> None:
        """Add an entity, described in these words; its Api gets the next number, if it has none."""
        schema = {key: value for key, value in entity.schema.items() if key in VALUES}
        self.entities.append(entity._replace(schema=schema, description=""))
        self.owners.append(owners.setdefault(entity.api, len(owners)))
        self.texts.append(embedded_text(description))
        self._keywords.append(keywords)

    def add(self, more: Entities, owners: Mapping[str, int]) -> None:
        """Add entities of other Apis, whose numbers are these by name."""
        self.entities += more.entities
        self.owners += [owners[entity.api] for entity in more.entities]
        self.texts += more.texts
        self._keywords += more._keywords

    def keyed(self, at: int) -> str:
        """What is embedded of an entity, with the keywords of its Api."""
        return embedded_text(self.texts[at], self._keywords[at])


class Sides(NamedTuple):
    """The outputs, the parameters, how many of either take no part, by reason; how many Apis they are of."""

    rows: Entities
    columns: Entities
    left: Counter[str]
    apis: int


class Crowds(NamedTuple):
    """The entities of each phrase: those of `phrases[n]` are `members[starts[n] : starts[n] + sizes[n]]`."""

    phrases: Sequence[str]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


def sides(apis: Iterable[Api], rules: RulesName) -> Sides:
    """The two sides of these documents."""
    rows, columns, left = Entities(), Entities(), Counter[str]()
    owners, described, count = dict[str, int](), dict[str, str](), 0
    for api in apis:
        count += 1
        described.clear()
        for output in outputs(api):
            first = described.setdefault(output.name, output.description)
            if why := left_out(output, "output", rules):
                left[f"output: {why}"] += 1
            else:
                rows.put(output, owners, first if rules == "published" else output.description, api.keywords)
        for parameter in inputs(api):
            if why := left_out(parameter, "parameter", rules):
                left[f"parameter: {why}"] += 1
            else:
                columns.put(parameter, owners, parameter.description, api.keywords)
    return Sides(rows, columns, left, count)


def joined(parts: Iterable[Sides]) -> Sides:
    """The sides of all documents, from those of some at a time."""
    rows, columns, left, count = Entities(), Entities(), Counter[str](), 0
    owners = dict[str, int]()
    for some in parts:
        names = {at: one.api for side in some[:2] for at, one in zip(side.owners, side.entities, strict=True)}
        for _, name in sorted(names.items()):
            owners.setdefault(name, len(owners))
        rows.add(some.rows, owners)
        columns.add(some.columns, owners)
        left += some.left
        count += some.apis
    return Sides(rows, columns, left, count)


def crowds(side: Entities, rules: RulesName) -> Crowds:
    """The entities by phrase, phrases sorted by length."""
    found, known = dict[str, list[int]](), dict[str, list[int]]()
    for number, entity in enumerate(side.entities):
        if entity.phrase not in known:
            known[entity.phrase] = found.setdefault(letters(entity.phrase, rules), [])
        known[entity.phrase].append(number)
    phrases = sorted(found, key=lambda phrase: (len(phrase), phrase))
    sizes = np.array([len(found[phrase]) for phrase in phrases], dtype=np.int64)
    members = np.array([number for phrase in phrases for number in found[phrase]], dtype=np.int64)
    return Crowds(phrases, members, np.cumsum(sizes) - sizes, sizes)


def embedded_text(description: str, keywords: Sequence[str] = ()) -> str:
    """What is embedded of an entity: its description, with the keywords of its Api for the test of domains."""
    return " ".join((description[:_LONGEST], *keywords))
