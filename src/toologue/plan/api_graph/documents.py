"""Documents on their way into a graph: every entity gets a phrase, and they are parted into the two sides.

Contract: `ready` takes documents one by one and keeps none; equal documents, equal sides, at any number of workers.

Example:
    >>> from io import BytesIO
    >>> from toologue.schema import Parameter
    >>> file, squad = BytesIO(), Api(name="Sports|cricbuzz|Get Squad", parameters={"teamId": Parameter()})
    >>> found = ready([squad], "best", into=file)
    >>> found.apis, found.columns.entities[0].phrase, file.getvalue().count(b"\\n")
    (1, 'team id of one cricbuzz team', 1)

Not covered: descriptions by a language model; they come with the documents (`toologue apis --describe`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import IO

from toologue.parallel import chunks, ordered
from toologue.plan.api_graph.describe import described
from toologue.plan.api_graph.rules import RulesName
from toologue.plan.api_graph.sides import Sides, joined, sides
from toologue.schema import Api
from toologue.schema.jsonl import line_of

_AT_ONCE = 64


def ready(apis: Iterable[Api], rules: RulesName, *, into: IO[bytes] | None = None, workers: int = 1) -> Sides:
    """The sides of documents, whose lines are written `into` a file."""
    made = ordered(partial(_ready, rules, into is not None), chunks(apis, _AT_ONCE), workers=workers)
    return joined(_written(made, into))


def _ready(rules: RulesName, wanted: bool, apis: Sequence[Api]) -> tuple[bytes, Sides]:
    """The lines of some documents, where they are wanted, and their sides."""
    phrased = list(described(apis))
    return b"".join(map(line_of, phrased)) if wanted else b"", sides(phrased, rules)


def _written(made: Iterable[tuple[bytes, Sides]], into: IO[bytes] | None) -> Iterator[Sides]:
    for lines, parted in made:
        if into is not None:
            into.write(lines)
        yield parted
