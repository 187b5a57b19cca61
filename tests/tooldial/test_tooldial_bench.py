"""The benchmark: gold is right everywhere, every mutation is caught, and the published sums come out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tooldial_samples import APIS, FAIL, TWO, dialogue, lived, suite

from tests.tooldial_record import record_of
from toologue import registry
from toologue.agents.agent import resolve_agent
from toologue.agents.callable import Called
from toologue.bench.benchmark import Options, Part, benchmark, evaluate, play, record, report_of, summarize, sums
from toologue.bench.tables import Table, html
from toologue.bench.tooldial import TOOLDIAL, load, predicted, prove
from toologue.bench.tooldial.tables import errors_table, main_table, tables
from toologue.bench.tooldial.tasks import PASSES, asked_at, grade, part_of, parts
from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.formats.tooldial import lines, state_json
from toologue.models.model import ScriptedModel
from toologue.models.similarity import TextMatch
from toologue.mutate.states import RIGHT, WRONG
from toologue.report.page import write_page
from toologue.schema import AgentTurn, Call, Dialogue, Retrieve, Setting, State, Trace
from toologue.schema.jsonl import write
from toologue.score.metric import Total
from toologue.score.states import ACCURACY
from toologue.worlds.recorded import Observed
from toologue.worlds.world import documents_of


def traces_of(file: Path, part: Part, golds: Sequence[Dialogue]) -> Mapping[str, Trace]:
    """The traces that the answers of a file make."""
    return predicted(replace(TOOLDIAL, parts=(part,)), part, golds, file, Options())


GOLDS, EXACT = suite(), TextMatch.of("exact")
SHAPE = {  # how often each sequence occurs, so that the sums of the published test set come out
    "IC R RQ I C RS UB SB": 40,
    "IA R RQ I C RS UB SB": 20,
    "IV R CL IC R RQ I C RS UB SB": 20,
    "IV R SG AF RQ I C RS UB SB": 20,
    "IA R C RS UB SB": 40,
    "IV R CL IA R C RS UB SB": 27,
    "IC R RQ FI R RQ I C C RS UB SB": 119,
    "IC R RQ FI R RQ I C RQ I C RS UB SB": 152,
    "IV R CL IC R RQ FI R RQ I C RQ I C RS UB SB": 279,
    "IV R SG AF RQ FI R RQ I C RQ I C RS UB SB": 226,
    FAIL: 223,
}
ERRORS = {  # table 9: errors, and the accuracy of table 4 beside them
    "GPT-3.5-turbo": ((4128, 38.8), (4512, 33.1)),
    "GPT-4o-mini": ((2781, 58.8), (2177, 67.7)),
    "GPT-4-turbo": ((1515, 77.5), (2117, 68.6)),
    "GPT-4o": ((1257, 81.4), (2169, 67.8)),
}


@pytest.fixture(scope="module")
def published() -> list[Dialogue]:
    """1,166 dialogues of the shape of the published test set."""
    told = {sequence: dialogue(sequence) for sequence in SHAPE}
    return [told[one].replace(id=f"{told[one].id}-{n}") for one, often in SHAPE.items() for n in range(often)]


@pytest.mark.parametrize("part", parts(), ids=lambda part: part.name)
def test_gold_is_right_everywhere(part: Part) -> None:
    graded = play(TOOLDIAL, GOLDS, "gold", EXACT, part=part)
    for one in graded:
        for name, score in one.scores.items():
            assert score.value in ((None, 0.0) if "error" in name else (None, 1.0)), (one.gold.id, name, score.at)
    assert summarize(TOOLDIAL, graded)["all"]["scores"][PASSES]["value"] == 1.0


def test_every_wrong_mutation_is_caught_and_no_right_one() -> None:
    proofs = {proof.kind: proof for proof in prove(TOOLDIAL, GOLDS, EXACT, Options())}
    assert set(proofs) == {*WRONG, *RIGHT}
    for proof in proofs.values():
        assert proof.took > 20
        assert not proof.missed, (proof.kind, proof.missed[:3])


def test_the_counts_of_the_published_test_set(published: list[Dialogue]) -> None:
    actions = Counter(turn.action for gold in published for turn in gold.turns if turn.role == "agent")
    assert len(published) == 1166
    assert actions == {
        "response": 943,
        "system_bye": 943,
        "response_fail": 223,
        "request": 2309,
        "retriever_call": 2268,
        "call": 1719,
        "suggest": 469,
        "clarify": 326,
    }
    assert sum(turn.role == "user" and turn.action == "inform" for gold in published for turn in gold.turns) == 1533
    assert sum(len(asked_at("action", gold)) for gold in published) == actions.total() == 9200
    assert sum(len(asked_at("dst", gold)) for gold in published) == 6746
    assert sum(len(asked_at("faithfulness", gold)) for gold in published) == 943
    states = [gold.turns[at].state for gold in published for at in asked_at("dst", gold)]  # type: ignore[union-attr]
    assert states.count(State()) == 1961
    graded = [grade(part_of("overall"), gold, lived(gold).replace(protocol="forced")) for gold in published]
    assert sums(graded)["user turn right"] == {"hits": 5213, "of": 5213}
    assert sums(graded)["dialogue right"]["of"] == 1166


def test_the_states_actions_and_responses_of_the_published_text_are_the_tests(published: list[Dialogue]) -> None:
    for gold in {one.origin["sequence"]: one for one in published}.values():
        text = list(lines(gold.turns, APIS))
        for task, kind in (("dst", "state"), ("action", "action")):
            assert [line.turn for line in text if line.kind == kind] == sorted(asked_at(task, gold))
        said = [line.turn for line in text if line.kind == "action" and line.text == "- Action:response"]
        assert said == sorted(asked_at("faithfulness", gold))


def test_accuracies_of_table_4_are_what_the_errors_of_table_9_leave() -> None:
    for settings in ERRORS.values():
        for errors, accuracy in settings:
            assert round(100 * (1 - errors / 6746), 1) == pytest.approx(accuracy, abs=0.051)


def spoiled(gold: Dialogue, at: int, kind: str) -> AgentTurn:
    """A step whose state has errors of this kind only."""
    turn = gold.turns[at]
    assert isinstance(turn, AgentTurn)
    assert turn.state is not None
    if kind in ("unconfirmed", "confirmed"):
        return turn.replace(state=State() if kind == "unconfirmed" else State(api="Another"))
    required, optional = dict(turn.state.required), dict(turn.state.optional)
    if kind in ("slot", "both"):
        optional["one more"] = "?"
    if kind in ("value", "both"):
        required[next(iter(required))] = "something else"
    return turn.replace(state=turn.state.replace(required=required, optional=optional))


def test_a_row_of_table_9_comes_out_of_states_with_such_errors(published: list[Dialogue]) -> None:
    """GPT-4o with the gold's labels: 1257 errors, of which 243, 343, 0, and 443 and 495 overlapping."""
    wanted = {"confirmed": 343, "unconfirmed": 243, "slot": 176, "value": 228, "both": 267}
    left, graded = Counter(wanted), []
    for gold in published:
        instead: dict[int, AgentTurn] = {}
        for at in sorted(asked_at("dst", gold)):
            confirmed = gold.turns[at].state.api is not None  # type: ignore[union-attr]
            kinds = [kind for kind in left if left[kind] and (kind != "confirmed") == confirmed]
            if kinds:
                instead[at] = spoiled(gold, at, kinds[0])
                left[kinds[0]] -= 1
        graded.append(grade(part_of("dst", "gold"), gold, lived(gold, instead)))
    assert not left.total()
    results = {"GPT-4o": {part_of("dst", "gold"): graded}}
    rows = {row[0]: row[1] for row in errors_table(results).rows}
    assert rows["states"] == 6746
    assert rows["errors"] == 1257
    assert [rows[n] for n in ("nothing generated", "format", "slots", "values")] == [0, 0, 443, 495]
    assert [rows["API not confirmed (GT = true)"], rows["API confirmed (GT = false)"]] == [243, 343]
    assert round(100 * sums(graded)[ACCURACY]["hits"] / 6746, 1) == 81.4


def values(table: Table) -> list[list[Any]]:
    """The rows of a table, without intervals."""
    return [[cell.value if isinstance(cell, Total) else cell for cell in row] for row in table.rows]


def test_tables_and_figure() -> None:
    chosen = TOOLDIAL.choose("task", ["dst", "action"]).choose("labels", ["gold"])
    results = evaluate(chosen, GOLDS, ["gold", "altered:drop"])
    assert main_table(results).columns == ["right", "gold", "altered:drop"]
    states, actions = values(main_table(results))
    assert (states[:2], actions[:2]) == (["states", 1.0], ["actions", 1.0])
    assert 0 < states[2] < 1
    assert [len(table.rows) for table in tables(results)][:2] == [2, 8]
    (rounds,) = [table for table in tables(results) if "figure 5" in table.title]
    assert [row[:2] for row in rounds.rows] == [[str(number), 1.0] for number in range(1, 7)]
    page = html(tables({"<b>": results["gold"]}))
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def test_figures_that_labels_do_not_change_are_told_once() -> None:
    results = evaluate(TOOLDIAL.choose("task", ["dst"]), GOLDS, ["gold"])
    assert main_table(results).columns == ["right", "gold"]
    shown, hidden = results["gold"].items()
    differ = {"mine": {shown[0]: shown[1], hidden[0]: evaluate(TOOLDIAL, GOLDS, ["top_api"])["top_api"][hidden[0]]}}
    assert main_table(differ).columns == ["right", "mine, labels shown", "mine, labels hidden"]
    assert values(main_table(differ)) == [["states", 1.0, 0.0]]


def test_a_function_is_asked_for_words_and_calls_and_not_graded_on_labels() -> None:
    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> object:
        assert tools[-1]["function"]["name"] == "find_apis"
        assert "find_apis" in messages[0]["content"]
        if messages[-1]["role"] == "user":
            return {"name": "find_apis", "arguments": {"query": messages[-1]["content"]}}
        return "It is 11 mm."

    golds = [one.replace(facts={"retriever": {"confirm": 0.6, "suggest": 0.5}}) for one in GOLDS[:2]]
    told = list[str]()
    results = evaluate(TOOLDIAL, golds, [Called(agent)], options=Options(warn=told.append))["Called"]
    (overall,) = [graded for part, graded in results.items() if part.name == "overall, gold"]
    acts = [turn.acts[0] for turn in overall[0].trace.turns if turn.role == "agent" and turn.acts]
    assert acts[0] == Retrieve(query=golds[0].turns[0].text or "")
    assert overall[0].record["why"] == "the agent says no labels"
    assert {"AgentTurn(action=…, state=State(…))" in line for line in told} == {True}
    (replies, _) = [graded for part, graded in results.items() if part.about["task"] == "faithfulness"]
    assert sums(replies)["grounded"]["of"] == 2


def test_there_is_no_published_mode() -> None:
    with pytest.raises(BadSetting, match="'tooldial' is graded in mode fixed alone"):
        evaluate(TOOLDIAL, GOLDS[:1], ["gold"], options=Options(mode="published"))


def test_agents_are_asked_where_there_is_a_test() -> None:
    trace = play(TOOLDIAL, GOLDS[:1], "gold", part=part_of("faithfulness"))[0].trace
    spoke = [at for at, turn in enumerate(trace.turns) if turn.role == "agent" and turn != AgentTurn()]
    assert spoke == [5]


@pytest.mark.parametrize("task", ["dst", "action", "faithfulness", "overall"])
def test_retrieve_takes_part(task: str) -> None:
    part = parts([task], ["none"])[0]
    golds = [dialogue("IC R RQ I C RS UB SB"), dialogue(TWO[1])]
    graded = play(TOOLDIAL, golds, "retrieve", part=part)
    assert all(one.scores[PASSES].value is not None for one in graded)


def test_it_is_a_benchmark_as_any_other() -> None:
    chosen = benchmark("tooldial").choose("labels", ["none"])
    (played,) = evaluate(chosen, GOLDS[:3], ["gold"]).values()
    assert [part.about["task"] for part in played] == ["dst", "action", "faithfulness", "overall"]
    for graded in played.values():
        assert summarize(chosen, graded)["all"]["scores"][PASSES]["value"] == 1.0
        assert all({"turn", "correct"} <= test.keys() for one in graded for test in one.record["tests"])


def test_a_model_that_gives_no_reply_is_not_scored() -> None:
    gold = GOLDS[0]
    broken = AgentTurn.model_validate({"error": {"type": "timeout", "message": "too slow"}})
    one = grade(part_of("dst"), gold, lived(gold, {2: broken}))
    assert one.scores[ACCURACY].value is None
    assert "the model gave no reply" in one.record["why"]
    assert summarize(TOOLDIAL, [one])["all"]["unscored"] == 1


def test_the_observed_world_rewinds() -> None:
    world, gold = Observed(GOLDS[-1]), GOLDS[-1]
    acts = [act for turn in gold.turns if turn.role == "agent" for act in turn.acts]
    start, first = world.mark(), [world.do(act) for act in acts]
    world.rewind(start)
    assert world.mark() == start
    assert [world.do(Retrieve(query="anything") if act.kind == "retrieve" else act) for act in acts] == first
    assert world.do(Call(api="Nobody")).error.type == "unrecorded"  # type: ignore[union-attr]


def test_data_is_the_papers_or_ours(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "test.json", tmp_path / "dialogues.jsonl"
    elsewhere = {"apis": str(tmp_path / "elsewhere.jsonl")}
    theirs.write_text(json.dumps([record_of(gold) for gold in GOLDS]), "utf-8")
    write(ours, (gold.replace(extra={}) for gold in GOLDS))
    write(tmp_path / "apis.jsonl", APIS.values())
    for golds in (load(theirs), load(ours), load(tmp_path)):
        graded = play(TOOLDIAL, golds, "gold", part=part_of("dst"))
        assert sums(graded)[ACCURACY] == {"hits": 138, "of": 138}
    assert dict(documents_of(load(ours)[0])) == APIS
    (tmp_path / "apis.jsonl").rename(tmp_path / "elsewhere.jsonl")
    write(ours, (gold.replace(extra={}, world=Setting(name="documented", arguments=elsewhere)) for gold in GOLDS))
    assert dict(documents_of(load(ours)[0])) == APIS
    write(ours, GOLDS)
    assert dict(documents_of(load(ours)[0])) == APIS


def test_data_without_labels_and_no_data(tmp_path: Path) -> None:
    bare = Dialogue.model_validate(
        {"id": "d", "turns": [{"role": "user", "text": "Hi"}, {"role": "agent", "text": "!"}]}
    )
    write(tmp_path / "dialogues.jsonl", [bare])
    with pytest.raises(BadRecord, match="'d' has no labels"):
        load(tmp_path)
    with pytest.raises(BadSetting, match="needs --data"):
        load(None)
    with pytest.raises(UnknownName, match="did you mean 'dst'"):
        parts(["dts"])


def test_predictions_of_a_task(tmp_path: Path) -> None:
    golds, part, file = GOLDS[:4], part_of("dst", "gold"), tmp_path / "dst.jsonl"
    answers = {
        gold.id: [{"turn": at, "state": state_json(gold.turns[at].state)} for at in sorted(asked_at("dst", gold))]  # type: ignore[union-attr]
        for gold in golds[1:]
    }
    first = answers[golds[1].id]
    first[0]["state"], first[1]["state"] = str(first[0]["state"]), {"foo": 1}  # as a model wrote it; no state
    text = "".join(json.dumps({"name": name, "predictions": found}) + "\n" for name, found in answers.items())
    file.write_text(text + '{"name": "nobody", "predictions": []}\n')
    with pytest.raises(BadSetting, match="nobody"):
        traces_of(file, part, golds)
    file.write_text(text)
    found = traces_of(file, part, golds)
    assert found.keys() == answers.keys()
    graded = [grade(part, gold, found[gold.id]) for gold in golds[1:]]
    assert sums(graded)[ACCURACY]["hits"] == sum(map(len, answers.values())) - 1
    assert sums(graded)["state error: format"]["hits"] == 1


def test_predictions_of_actions_and_rounds(tmp_path: Path) -> None:
    gold = GOLDS[0]
    acts = [{"turn": at, "action": turn.action} for at, turn in enumerate(gold.turns) if turn.role == "agent"]
    acts[0]["action"] = "dance"
    (tmp_path / "a.jsonl").write_text(json.dumps({"name": gold.id, "predictions": acts}))
    trace = traces_of(tmp_path / "a.jsonl", part_of("action"), [gold])[gold.id]
    counts = grade(part_of("action"), gold, trace).scores["action accuracy"].counts
    assert counts == {"hits": len(acts) - 1, "of": len(acts)}
    steps = [{"state": state_json(t.state), "action": t.action, "text": t.text} for t in gold.turns[1:3]]  # type: ignore[union-attr]
    (tmp_path / "o.jsonl").write_text(json.dumps({"name": gold.id, "predictions": [{"round": 1, "steps": steps}]}))
    trace = traces_of(tmp_path / "o.jsonl", part_of("overall"), [gold])[gold.id]
    assert grade(part_of("overall"), gold, trace).scores["user turn right"].counts == {"hits": 1, "of": 3}


@pytest.mark.parametrize(
    ("name", "text", "error", "says"),
    [
        ("x.jsonl", '{"name": "ID", "predictions": [{"turn": 99}]}', BadRecord, r"predictions\[0\]\.turn.*no turn 99"),
        ("x.jsonl", '{"name": "ID", "predictions": [{"state": {}}]}', BadRecord, "this key is missing"),
        ("x.jsonl", '{"name": "ID", "predictions": [{"turn": 1}, {"turn": 1}]}', BadRecord, "occurs twice"),
        ("x.jsonl", '{"name": "nobody", "predictions": []}', BadFile, "no prediction for any of 1"),
    ],
)
def test_bad_predictions_say_where(tmp_path: Path, name: str, text: str, error: type[Exception], says: str) -> None:
    (tmp_path / name).write_text(text.replace("ID", GOLDS[0].id))
    with pytest.raises(error, match=says):
        traces_of(tmp_path / name, part_of("action"), GOLDS[:1])


def test_what_is_played_with_is_registered() -> None:
    assert resolve_agent("gold").reads_gold
    for kind, name in (("agent", "talm"), ("benchmark", "tooldial"), ("world", "observed")):
        assert name in registry.names(kind)


def test_the_whole_benchmark_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    golds = GOLDS[:3]
    places = {gold.id: sorted(asked_at("faithfulness", gold)) for gold in golds}
    said = [
        {"name": gold.id, "predictions": [{"turn": at, "text": gold.turns[at].text} for at in places[gold.id]]}
        for gold in golds
    ]
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, said)))
    agents = ["gold", f"predictions:{tmp_path / 'said.jsonl'}"]
    monkeypatch.setattr("toologue.bench.tooldial.model", lambda name, stage: ScriptedModel(lambda asked: "True"))
    chosen = TOOLDIAL.choose("task", ["faithfulness"]).choose("labels", ["none"]).choose("judge", "mine")
    results = evaluate(chosen, golds, agents)
    told: Any = record(chosen, results)
    first, second = (dict(row) for row in told["agents"])
    assert first["parts"][0]["totals"] == second["parts"][0]["totals"]
    assert first["parts"][0]["totals"]["all"]["scores"]["faithful"]["value"] == 1.0
    assert first["parts"][0]["conversations"][0]["votes"] == [{"turn": 5, "tokens": ("True",) * 10}]
    json.dumps(told)


def test_dialogues_without_predictions_are_unscored(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"name": GOLDS[1].id, "predictions": []}) + "\n")
    agent = f"predictions:{tmp_path / 'a.jsonl'}"
    chosen = TOOLDIAL.choose("task", ["action"]).choose("labels", ["none"])
    told: Any = record(chosen, evaluate(chosen, GOLDS[:2], [agent]))
    total = told["agents"][0]["parts"][0]["totals"]["all"]
    assert (total["num_conversations"], total["unscored"]) == (2, 1)
    assert total["scores"]["action accuracy"]["value"] == 0.0
    (tmp_path / "b.jsonl").write_text((tmp_path / "a.jsonl").read_text() + '{"name": "x", "predictions": []}\n')
    with pytest.raises(BadSetting, match="'x', which is no dialogue here"):
        evaluate(chosen, GOLDS[:2], [f"predictions:{tmp_path / 'b.jsonl'}"])
    with pytest.raises(BadSetting, match="predictions are for one task"):
        evaluate(TOOLDIAL, GOLDS[:2], [agent])


def test_the_page_shows_states_and_what_was_looked_for_side_by_side(tmp_path: Path) -> None:
    chosen = TOOLDIAL.choose("task", ["overall"]).choose("labels", ["none"])
    golds = [dialogue(TWO[0])]
    write_page(tmp_path / "page.html", report_of(chosen, evaluate(chosen, golds, ["retrieve"])))
    page = (tmp_path / "page.html").read_text()
    assert "<summary>State, retriever_call</summary>" in page
    assert "API: &#34;none yet&#34;" in page
