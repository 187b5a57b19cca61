"""What readers come to: means by source with intervals, differences to one source, and how far readers agree.

A text counts once, with the mean of its readers. The 95 % interval is the percentile bootstrap over texts, two more of
which join each source, rated lowest and highest: so none is empty where all are rated alike. Sources are resampled
apart. Of a question that is answered by yes or no the mean is the share of yes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toologue import keys
from toologue.errors import BadFile, UnknownName
from toologue.review.agreement import Agreement, agreement
from toologue.schema import Rating
from toologue.schema.jsonl import read
from toologue.score.metric import interval, resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Ends = tuple[float | None, float | None]


class Mean(NamedTuple):
    """A question over the `n` texts of a source; `beside` is the difference to the reference, where there is one."""

    source: str
    question: str
    n: int
    mean: float
    ends: Ends
    beside: float | None = None
    beside_ends: Ends = (None, None)


def ratings_in(folder: Path) -> dict[str, dict[str, Rating]]:
    """By reader, and by text, what counts of the ratings in a folder. Raises BadFile where there are none."""
    found = dict[str, dict[str, Rating]]()
    for file in sorted(folder.glob("*.jsonl")):
        for one in read(file, Rating, empty=True):
            mine = found.setdefault(one.who, {})
            mine.pop(one.text, None)
            if not one.undone:
                mine[one.text] = one
    if not any(found.values()):
        raise BadFile(f"{folder} holds no ratings: toologue read LABEL=dialogues.jsonl … --as NAME makes some")
    return found


def means(ratings: Mapping[str, Mapping[str, Rating]], against: str | None = None) -> list[Mean]:
    """Every question, source by source, `against` one of the sources. Raises UnknownName for no source."""
    every = [one for mine in ratings.values() for one in mine.values()]
    sources, found = [*dict.fromkeys(one.source for one in every)], list[Mean]()
    if against is not None and against not in sources:
        raise UnknownName("source that was read", against, sources)
    for question in dict.fromkeys(name for one in every for name in one.answers):
        scale, *others = {one.scales[question] for one in every if question in one.answers}
        if others:
            raise BadFile(f"{question} was asked on the scales {scale} and {others[0]}: keep their ratings apart")
        rated = {source: values for source in sources if (values := _values(every, source, question))}
        drawn = {source: (some, _drawn(some, scale, keys.seed_of(question, source))) for source, some in rated.items()}
        for source, (values, draws) in drawn.items():
            mean = sum(values) / len(values)
            told = Mean(source, question, len(values), mean, interval(draws))
            if against in drawn and source != against:
                theirs, draws_theirs = drawn[against]
                beside = mean - sum(theirs) / len(theirs)
                told = told._replace(beside=beside, beside_ends=interval(draws - draws_theirs))
            found.append(told)
    return found


def _values(every: Iterable[Rating], source: str, question: str) -> list[float]:
    told = dict[str, list[int]]()
    for one in every:
        if one.source == source and question in one.answers:
            told.setdefault(one.text, []).append(one.answers[question])
    return [sum(some) / len(some) for some in told.values()]


def _drawn(values: list[float], scale: tuple[int, int], seed: int) -> NDArray[np.float64]:
    import numpy as np

    sums = resampled(np.array([(value, 1.0) for value in (*values, *scale)]), seed)
    return sums[:, 0] / sums[:, 1]


def agreements(ratings: Mapping[str, Mapping[str, Rating]]) -> list[tuple[str, str, str, Agreement]]:
    """(question, reader, other reader, how far they agree on it) for every two who rated the same texts."""
    found = list[tuple[str, str, str, Agreement]]()
    for one, other in combinations(ratings, 2):
        pairs = dict[str, list[tuple[int, int]]]()
        for text, mine in ratings[one].items():
            theirs = ratings[other][text].answers if text in ratings[other] else {}
            for question in mine.answers.keys() & theirs.keys():
                pairs.setdefault(question, []).append((mine.answers[question], theirs[question]))
        found += [(question, one, other, agreement(pairs[question])) for question in sorted(pairs)]
    return found


def record(ratings: Mapping[str, Mapping[str, Rating]], against: str | None = None) -> dict[str, Any]:
    """All of it as JSON, with who read how many texts."""
    return {
        "against": against,
        "readers": {who: len(mine) for who, mine in ratings.items()},
        "means": [one._asdict() for one in means(ratings, against)],
        "agreement": [
            {"question": question, "readers": [one, other], **found._asdict()}
            for question, one, other, found in agreements(ratings)
        ],
    }
