"""Warm-up: texts are embedded in one batch for many conversations, the stream stays a stream, no score changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from toologue.agents.agent import resolve_agent
from toologue.bench.benchmark import Options, play
from toologue.bench.tooltalk import TOOLTALK, grade, load
from toologue.models.lexical import Lexical
from toologue.models.similarity import Embedded, TextMatch
from toologue.run.runner import Settings, cases_of, run_all
from toologue.schema import Dialogue, Trace
from toologue.score.metric import warmed

STARTER = load(None)


class Counting:
    """The lexical embedder, with the batches that it was given."""

    name = "lexical"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.batches.append(list(texts))
        return Lexical().embed(texts)


def counting() -> tuple[TextMatch, list[list[str]]]:
    similarity = Embedded(it := Counting())
    return TextMatch(similarity, similarity.thresholds), it.batches


def pairs_of(agent: str, dialogues: Sequence[Dialogue] = STARTER) -> list[tuple[Dialogue, Trace]]:
    traces = {
        done.trace.dialogue: done.trace for done in run_all(cases_of(dialogues, Settings()), resolve_agent(agent))
    }
    return [(gold, traces[gold.id]) for gold in dialogues]


@pytest.mark.parametrize("agent", ["altered:paraphrase", "altered:wrong_argument", "altered:late"])
@pytest.mark.parametrize("mode", ["fixed", "published"])
def test_no_score_changes(agent: str, mode: Any) -> None:
    cold = TextMatch.of("lexical")
    warm = play(TOOLTALK, STARTER, agent, TextMatch.of("lexical"), Options(mode=mode))
    assert [g.record for g in warm] == [grade(mode, g.gold, g.trace, cold).record for g in warm]


def test_one_batch_takes_the_place_of_many() -> None:
    (cold, one_by_one), (warm, batches) = counting(), counting()
    for gold, trace in pairs_of("altered:paraphrase"):
        grade("fixed", gold, trace, cold)
    play(TOOLTALK, STARTER, "altered:paraphrase", warm)
    assert len(one_by_one) > 50
    assert len(batches) == 1
    needed = {text for batch in one_by_one for text in batch}
    assert needed <= set(batches[0])
    assert len(batches[0]) < 1.5 * len(needed)


def test_an_agent_that_writes_what_the_gold_does_costs_nothing() -> None:
    judge, batches = counting()
    assert list(warmed(pairs_of("gold"), judge)) == pairs_of("gold")
    assert batches == []


def test_a_stream_stays_a_stream() -> None:
    judge, batches = counting()
    pairs = pairs_of("altered:paraphrase")[:20]
    taken: list[str] = []

    def source() -> Iterator[tuple[Dialogue, Trace]]:
        for gold, trace in pairs:
            taken.append(gold.id)
            yield gold, trace

    given = warmed(source(), judge, size=8)
    assert taken == []
    assert next(given) == pairs[0]
    assert (len(taken), len(batches)) == (8, 1)
    assert [pairs[0], *given] == pairs
    assert len(batches) > 1


def test_a_similarity_that_embeds_nothing_waits_for_nothing() -> None:
    pairs = iter(pairs_of("gold")[:3])
    given = warmed(pairs, TextMatch.of("exact"))
    next(given)
    assert len(list(pairs)) == 2
