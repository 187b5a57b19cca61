"""The differential test: 40 perturbed predictors, graded by the published reference, against ours. No difference.

Needs the published data (see published_data.shared_path); where that is absent the tests are skipped, and the twin with
numbers worked out by hand (test_bench_by_hand.py) stands alone.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache

import pytest

from published_data import SHARED, shared_path
from toologue.agents.agent import resolve_agent
from toologue.bench.tooltalk import grade, load, published
from toologue.models.similarity import TextMatch
from toologue.run.runner import Settings, cases_of, run_all
from toologue.schema import Call, invocations
from toologue.worlds.assistant import Assistant

MODES = ("minilm", "exact", "one")
PYTHON = {"TypeError", "KeyError", "ValueError", "AttributeError"}  # their texts are the interpreter's
GOLDEN = SHARED / "tooltalk" / "golden"
PREDICTORS = sorted(file.name.split(".")[0] for file in GOLDEN.glob("*.jsonl.gz")) or ["absent"]
KEPT = ("name", "predictions")


@cache
def dialogues():
    return load(shared_path("tooltalk", "data"))


@cache
def judges():
    vectors = shared_path("tooltalk", "golden", "text_vectors.npz")
    return {"minilm": TextMatch.of(f"vectors:{vectors}"), "exact": TextMatch.of("exact"), "one": TextMatch.of("one")}


@cache
def golden(predictor):
    """The reference's records of one predictor, by conversation."""
    with gzip.open(shared_path("tooltalk", "golden", f"{predictor}.jsonl.gz"), "rt") as lines:
        next(lines)  # the header
        return {record["name"]: record for record in map(json.loads, lines)}


def calls_of(record):
    return [(turn["turn_index"], call) for turn in record["predictions"] for call in turn["calls"]]


def without_python_texts(result, kind):
    return {**result, "exception": "…"} if kind in PYTHON else result


def expected_record(record, mode):
    """What our record of the conversation must be."""
    crash = record["crash_by_similarity"][mode]
    return {
        "metrics": record["metrics_by_similarity"][mode],
        "crash": crash and {"type": crash["type"]},
        "error_types": {} if crash else record["error_types_by_similarity"][mode],
        "calls": [
            {
                "turn_index": index,
                "api_name": call["api_name"],
                "result": without_python_texts(call["result"], call["exception_kind"]),
                "match": call["match"][mode],
                "bad_action": call["bad_action"][mode],
            }
            for index, call in calls_of(record)
        ],
    }


def our_record(graded, kinds):
    ours = {key: graded.record[key] for key in ("metrics", "crash", "error_types")}
    calls = [
        {**call, "result": without_python_texts(call["result"], kind)}
        for call, kind in zip(graded.record["calls"], kinds, strict=True)
    ]
    return ours | {"calls": calls}


@pytest.fixture(params=PREDICTORS)
def played(request, tmp_path):
    """(record of the reference, gold, our trace) of every conversation, for one predictor."""
    records = golden(request.param)
    file = tmp_path / f"{request.param}.jsonl"
    file.write_text("".join(json.dumps({key: record[key] for key in KEPT}) + "\n" for record in records.values()))
    golds = {dialogue.id: dialogue for dialogue in dialogues()}
    done = run_all(cases_of(golds.values(), Settings(cap=10_000)), resolve_agent(f"predictions:{file}"))
    assert len(done) == len(records) == 53
    return [(records[trace.dialogue], golds[trace.dialogue], trace) for trace, *_ in done]


def test_a_predictor_fares_as_it_does_with_the_reference(played):
    for record, gold, trace in played:
        made = list(invocations(trace.turns))
        kinds = [i.result.error and i.result.error.type for i in made]
        assert kinds == [call["exception_kind"] for _, call in calls_of(record)]
        executed = [i.result.arguments if i.result.arguments is not None else i.act.arguments for i in made]
        assert executed == [call["executed_parameters"] for _, call in calls_of(record)]
        for mode in MODES:
            ours = grade("published", gold, trace, judges()[mode])
            assert our_record(ours, kinds) == expected_record(record, mode), (record["name"], mode)
            pairing = published.pair(gold, trace, judges()[mode])
            if pairing.crash is None:
                answered = [index in pairing.partner for index in range(len(pairing.gold))]
                assert answered == [row["match"][mode] for row in record["ground_truth_match"]], (record["name"], mode)


def test_all_40_predictors_are_here():
    shared_path("tooltalk", "golden")
    assert len(PREDICTORS) == 40


# the simulated tools ----------------------------------------------------------------------------------------

PARTS = 4


def with_text_keys(value):
    return {str(key): with_text_keys(item) for key, item in value.items()} if isinstance(value, dict) else value


def state_key(database):
    text = json.dumps(with_text_keys(database), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def sequences():
    with gzip.open(shared_path("tooltalk", "golden", "tool_sequences.json.gz")) as file:
        return json.load(file)["records"]


@pytest.mark.parametrize("part", range(PARTS))
def test_random_sequences_of_calls_do_what_they_do_with_the_reference(part):
    databases = str(shared_path("tooltalk", "data", "databases"))
    for record in sequences()[part::PARTS]:
        user = record["user"]
        world = Assistant(
            databases,
            user=user["username"],
            now=record["metadata"]["timestamp"],
            logged_in="session_token" in user,
            session_token=user.get("session_token"),
            verification_code=user.get("verification_code"),
        )
        for number, call in enumerate(record["calls"]):
            where = (record["id"], number, call["api_name"])
            result = world.do(Call(api=call["api_name"], arguments=call["arguments"]))
            kind, text = (result.error.type, result.error.message) if result.error else (None, None)
            assert kind == call["exception_kind"], where
            lived = without_python_texts({"response": result.value, "exception": text}, kind)
            assert lived == without_python_texts(call["result"], kind), where
            executed = call["arguments"] if result.arguments is None else result.arguments
            assert executed == call["executed_parameters"], where
            assert world.session_token == call["session_token_after"], where
        after = {name: state_key(database) for name, database in world.databases().items()}
        assert after == record["db_after"], record["id"]


def test_there_are_200_sequences():
    assert len(sequences()) == 200
