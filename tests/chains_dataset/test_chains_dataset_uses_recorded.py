"""What was answered to our questions about three APIs of a bank, replayed: uses, and conversations of them.

The replies are no model's: whoever wrote the questions wrote them by hand, as a good model would. All four could be
used as they were.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command import toologue
from toologue.cli import demo
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


def test_the_demo_ships_what_was_answered(folder: Path) -> None:
    shipped = Path(demo.__file__).parents[1] / "bench" / "tooldial" / "bank"
    for name in ("apis.jsonl", "uses.jsonl"):
        assert (shipped / name).read_bytes() == (folder / name).read_bytes()


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
    examples = [one for use in uses for one in use.examples]
    openings = [one for use in uses for one in use.openings] + [
        one for example in examples for one in example.openings.values()
    ]
    answers = {one for example in examples for one in example.answers}
    made = list(read(folder / "set" / "dialogues.jsonl", Dialogue))
    turns = [turn for one in made for turn in one.turns]
    plain = [turn.text or "" for turn in turns if (turn.action or "").startswith("inform_intent_clear")]
    assert plain
    assert all(any(opening in text for opening in openings) for text in plain)
    assert {turn.text for turn in turns if turn.action == "response"} <= answers
    hints = {hint.person: hint for use in uses for hint in use.hints}
    offered = [one for one in made if one.turns[0].action == "inform_intent_vague" and one.turns[2].action == "suggest"]
    assert {str(one.origin["sequence"]) for one in offered} >= {"code.3", "12.3", "13.1"}
    for one in offered:
        hint = next(hints[said] for said in hints if said in (one.turns[0].text or ""))
        assert one.turns[2].text == hint.assistant
        if one.turns[3].action == "negate":
            assert hint.declines
            assert [turn.text for turn in one.turns[3:]] == [hint.declines.person, hint.declines.assistant]


def test_values_come_with_the_wish_or_all_in_one_breath(folder: Path) -> None:
    """Whoever gives a value at once says so in the wish itself; who is asked for two gives both in one sentence."""
    uses = {one.about: one for one in read(folder / "uses.jsonl", Use)}
    card = uses[None, None, "find_card", None]
    openings = {line: name for one in card.examples for name, line in one.openings.items()}
    given = dict[str, set[str]]()
    for one in read(folder / "set" / "dialogues.jsonl", Dialogue):
        if one.origin["target"] != "find_card":
            continue
        for turn in one.turns:
            if turn.role != "user" or turn.action not in ("inform_intent_clear_add", "inform"):
                continue
            if turn.action == "inform_intent_clear_add":
                name = next(name for line, name in openings.items() if line in turn.text)
                given.setdefault(name, set()).update(turn.informed)
            elif len(turn.informed) > 1:
                assert turn.text in {example.says["all"] for example in card.examples}
    both = {"customer_id", "last_four"}
    assert given == {"customer_id": {"customer_id"}, "last_four": {"last_four"}, "all": both}


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
