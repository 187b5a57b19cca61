"""What was really answered to our questions about three APIs of a bank, replayed: uses, and conversations of them.

The replies were written from the requests alone by somebody who had seen neither the checks nor what becomes of them;
they are no model's. All four could be used as they were.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command import toologue
from toologue.models.embed import embedder
from toologue.models.retriever import index_of
from toologue.schema import Api, Dialogue, Use
from toologue.schema.jsonl import read

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exchange, replayed, and conversations."""
    here = tmp_path_factory.mktemp("bank")
    shutil.copytree(RECORDED, here, dirs_exist_ok=True)
    replay = ("--model", "openai:reader", "--replay", "exchange.jsonl")
    done = toologue("apis", "enrich", "apis.jsonl", "-o", "uses.jsonl", *replay, cwd=here)
    assert done.returncode == 0, done.stderr
    assert "4 asked for, 4 replies" in done.stdout
    assert "could not be used" not in done.stdout
    how = ("--count", 40, "--most", 1, "--ratio", "1/0/0", "--uses", "uses.jsonl")
    assert toologue("generate", "chains", "apis.jsonl", "-o", "set", *how, cwd=here).returncode == 0
    return here


def test_a_pair_that_rules_doubt_is_talked_about(folder: Path) -> None:
    pair = next(one for one in read(folder / "uses.jsonl", Use) if one.source)
    assert (pair.source, pair.api, pair.parameter) == ("find_card", "list_payments", "card_id")
    assert pair.wanted
    assert {one.by for one in read(folder / "uses.jsonl", Use)} == {"reader"}
    made = [one for one in read(folder / "set" / "dialogues.jsonl", Dialogue) if one.origin.get("source")]
    assert made
    examples = {json.dumps(one.result) for one in pair.examples}
    for one in made:
        results = [turn.results[0] for turn in one.turns if turn.role == "agent" and turn.action == "call"]
        assert json.dumps(results[-1] and results[-1].value) in examples
    said = "\n".join(turn.text or "" for one in made for turn in one.turns)
    assert pair.asks["card_id"].question in said
    assert "card ID" not in said


def test_users_open_and_agents_answer_as_people_do(folder: Path) -> None:
    """Every plain wish is in the words of the replies, every answer and every refusal."""
    uses = list(read(folder / "uses.jsonl", Use))
    openings = [one for use in uses for one in use.openings]
    answers = {one for use in uses for example in use.examples for one in example.answers}
    made = list(read(folder / "set" / "dialogues.jsonl", Dialogue))
    turns = [turn for one in made for turn in one.turns]
    plain = [turn.text or "" for turn in turns if (turn.action or "").startswith("inform_intent_clear")]
    assert plain
    assert all(any(opening in text for opening in openings) for text in plain)
    assert {turn.text for turn in turns if turn.action == "response"} <= answers
    assert {turn.text for turn in turns if turn.action == "negate"} <= {
        one.declines and one.declines.person for one in uses
    }


def test_the_retriever_of_whoever_is_tested_knows_what_people_say(folder: Path) -> None:
    """What made a query find its API stands in the documents: nothing else is needed to find it again."""
    documents = {api.name: api for api in read(folder / "set" / "apis.jsonl", Api)}
    fees = next(one for one in read(folder / "uses.jsonl", Use) if one.about == (None, None, "list_fees", None))
    assert {*fees.wishes} <= {*documents["list_fees"].wishes}
    index = index_of(documents, embedder("lexical"))
    for one in read(folder / "set" / "dialogues.jsonl", Dialogue):
        for turn in one.turns:
            if turn.role == "agent" and turn.action == "retriever_call" and turn.acts[0].query:
                found = {"retrieved": dict(index.rank(turn.acts[0].query, 3))}
                assert [one and one.value for one in turn.results] == [found]


def test_they_are_valid_elsewhere(folder: Path) -> None:
    verified = toologue("verify", "set/dialogues.jsonl", "--embedder", "lexical", cwd=folder)
    assert "40 of 40 are valid" in verified.stdout
