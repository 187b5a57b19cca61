"""Planned and written conversations are valid, and only as they are: from documents to dialogues, end to end."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from random import Random
from typing import TypedDict

import pytest

from corrupt_chain import CHAIN_CORRUPTIONS
from toologue.apis.functions import apis_of_functions
from toologue.apis.load import apis_of
from toologue.cli.graph import build
from toologue.cli.plan import chains
from toologue.models.embed import embedder
from toologue.models.retriever import Retriever
from toologue.plan.chains.sequences import SEQUENCES
from toologue.schema import Api, Dialogue, Plan
from toologue.schema.jsonl import read
from toologue.schema.jsonl import write as write_lines
from toologue.verify import Flaw
from toologue.verify.chains import verify_chain
from toologue.worlds.documented import Documented
from toologue.write.chains import ChainWriter, Unworded
from toologue.write.chains.questions import estimate

SHARED = Path(os.environ.get("TOOLOGUE_SHARED", Path(__file__).parents[3] / "shared"))
DOCUMENTS = SHARED / "tooldial" / "augmented_400.jsonl.gz"
COUNT, SEED = 900, 3

pytestmark = pytest.mark.skipif(not DOCUMENTS.exists(), reason=f"no {DOCUMENTS}: set TOOLOGUE_SHARED")


class Hotel(TypedDict):
    """A hotel."""

    hotel_id: str
    name: str


class Stay(TypedDict):
    """What there is to know of a hotel."""

    star_rating: int
    check_in_time: str


def list_hotels() -> list[Hotel]:  # pyright: ignore[reportReturnType]
    """List the hotels of the coast."""


def show_hotel(hotel_id: str) -> Stay:  # pyright: ignore[reportReturnType]
    """Show the star rating of a hotel."""


class Written:
    """Conversations about the shared documents, and about two functions, of which one finds what there is to choose."""

    def __init__(self, folder: Path):
        apis, graph, plans = folder / "apis.jsonl", folder / "graph.jsonl", folder / "plans.jsonl"
        write_lines(apis, map(estimate, [*apis_of(str(DOCUMENTS)), *apis_of_functions(list_hotels, show_hotel)]))
        documents = list(read(apis, Api))
        build(str(apis), out=graph, workers=1, lcs=0.7, keyword=0.2, description=0.3)
        chains(graph, apis, out=plans, count=COUNT, most=0.05, seed=SEED)
        self.apis = {api.name: api for api in documents}
        self.world = Documented(documents, seed=SEED)
        self.retriever = Retriever(documents, embedder("lexical"))
        writer = ChainWriter(documents, embedder("lexical"), seed=SEED)
        self.dialogues = [said for plan in read(plans, Plan) if (said := _worded(writer, plan)) is not None]

    def flaws(self, dialogue: Dialogue) -> list[Flaw]:
        sequence = SEQUENCES[str(dialogue.origin["sequence"])].steps
        return verify_chain(dialogue, self.world, apis=self.apis, sequence=sequence, index=self.retriever.index)


def _worded(writer: ChainWriter, plan: Plan) -> Dialogue | None:
    try:
        return writer.words(plan)
    except Unworded:  # counted by whoever writes
        return None


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("chains"))


def test_generated_conversations_are_valid(written: Written) -> None:
    assert len(written.dialogues) >= 100
    found = [f"{dialogue.id}: {flaw}" for dialogue in written.dialogues for flaw in written.flaws(dialogue)]
    assert found == []


@pytest.mark.parametrize("kind", CHAIN_CORRUPTIONS)
def test_spoiled_conversations_are_rejected(written: Written, kind: str) -> None:
    every = (CHAIN_CORRUPTIONS[kind](dialogue, Random(seed)) for seed, dialogue in enumerate(written.dialogues))
    spoiled = list(islice((one for one in every if one is not None), 40))
    assert spoiled
    assert sum(bool(written.flaws(one)) for one in spoiled) >= 0.95 * len(spoiled)
