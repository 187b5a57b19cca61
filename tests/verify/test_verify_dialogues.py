"""What is valid passes, and `verify` bears whatever it is given."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verify_samples import Sample, samples, simulator

from corrupt import CORRUPTIONS
from toologue.formats.procedure import write
from toologue.plan.procedures import procedure
from toologue.schema import Setting
from toologue.verify.procedures import RULES, verify


@pytest.fixture(scope="module")
def valid() -> list[Sample]:
    return list(samples(60, seed=11))


class TestValid:
    def test_walks_through_procedures_pass(self, valid: list[Sample]) -> None:
        """Four procedures, two services; with noise, malformed values, contradictions and corrections."""
        assert {flaw for dialogue, graph in valid for flaw in verify(dialogue, graph)} == set()
        detours = {str(turn.extra.get("detour")) for sample in valid for turn in sample.dialogue.turns}
        assert {"malformed", "contradict", "correct"} <= detours

    def test_they_pass_without_their_graph_as_well(self, valid: list[Sample]) -> None:
        """ "A new order takes 5 days" is the procedure's own number: the instructions support it, else nothing does."""
        assert {flaw.rule for dialogue, _ in valid for flaw in verify(dialogue)} == {"supported"}
        told = (one.replace(instructions=write(procedure(one.id.rpartition("-")[0]))) for one, _ in valid)
        assert {flaw for dialogue in told for flaw in verify(dialogue)} == set()

    def test_a_world_that_is_given_is_left_as_it_was(self, valid: list[Sample]) -> None:
        worlds = {service: simulator(service).world() for service in ("shop", "bank")}
        for dialogue, graph in valid:
            world = worlds[str(dialogue.world.arguments["document"])]
            assert verify(dialogue, graph, world=world) == []
            assert world.diff() == []

    def test_what_nothing_executes_is_compared_with_documents(self, valid: list[Sample]) -> None:
        documents = {api.name: api for service in ("shop", "bank") for api in simulator(service).apis}
        for dialogue, graph in valid:
            recorded = dialogue.replace(world=Setting(name="recorded"))
            assert verify(recorded, graph, apis=documents) == []

    @settings(max_examples=60, deadline=None)
    @given(data=st.data(), seed=st.integers(0, 10_000))
    def test_no_dialogue_is_too_broken_to_say_what_is_wrong(
        self, valid: list[Sample], data: st.DataObject, seed: int
    ) -> None:
        dialogue, graph = data.draw(st.sampled_from(valid))
        for name in data.draw(st.lists(st.sampled_from(sorted(CORRUPTIONS)), max_size=5)):
            dialogue = CORRUPTIONS[name](dialogue, Random(seed)) or dialogue
        flaws = verify(dialogue, graph)
        assert flaws == verify(dialogue, graph)
        assert [flaw.turn for flaw in flaws] == sorted(flaw.turn for flaw in flaws)
        assert {flaw.rule for flaw in flaws} <= set(RULES)
