"""The benchmark over our own dialogues: gold is right, mutants are not, tables and files say what happened."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

pytest.importorskip("boto3")
pytest.importorskip("moto")

from papers_xml import conversations_xml
from toologue.bench.benchmark import Options, benchmark, evaluate, of_split, play, record, summarize
from toologue.bench.dialog2api import DIALOG2API, load, of_programs
from toologue.bench.dialog2api import prove as prove_mutants
from toologue.bench.dialog2api.files import (
    SHIPPED,
    executed,
    read_folder,
    read_goals,
)
from toologue.bench.dialog2api.tables import apis_in, table3, tables, talk_table
from toologue.bench.tables import html
from toologue.cli.bench import bench, prove
from toologue.errors import BadFile, BadRecord, BadSetting, UnknownName
from toologue.models.similarity import TextMatch
from toologue.mutate.programs import RIGHT, WRONG, mutant
from toologue.sandbox.program import raised_in
from toologue.schema import AgentTurn, Dialogue, Program, Result, Setting, Trace, UserTurn, answers, executable
from toologue.schema.jsonl import write
from toologue.worlds.world import kind_at

NAMES = ("delete-bucket-1", "notes-to-markdown-1", "largest-files-2", "move-old-report-1", "upload-note-1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Some of the dialogues that ship, as a folder of one's own."""
    place = tmp_path_factory.mktemp("dialogues")
    shutil.copy(SHIPPED / "goals.yaml", place)
    (place / "train").mkdir()
    for name in NAMES:
        shutil.copy(SHIPPED / "train" / f"{name}.yaml", place / "train")
    return place


@pytest.fixture(scope="module")
def golds(folder):
    return load(folder)


@pytest.fixture(scope="module")
def result(golds):
    return evaluate(DIALOG2API, golds, ["gold"])


FAULTS = {"NameError", "SyntaxError", "TypeError", "KeyError", "AttributeError", "TimeoutError", "Crash"}


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_dialogue_that_ships_comes_to_what_it_is_said_to(split):
    golds = of_split(DIALOG2API, split).load(None)
    assert all("initial_signature" in one.extra for one in golds)
    results = [
        r for gold in golds for turn in gold.turns if turn.role == "agent" for r in turn.results if r is not None
    ]
    assert len(results) > 140
    assert not FAULTS & {result.error.type for result in results if result.error is not None}


def test_the_splits_share_no_goal():
    goals, found = read_goals(SHIPPED), list(read_folder(SHIPPED))
    assert len(goals) >= 50
    for split in ("train", "test"):
        mine = {goal.id for goal in goals.values() if goal.split == split}
        assert sorted(one.id for one in found if one.origin["split"] == split) == sorted(
            f"{goal}-{n}" for goal in mine for n in (1, 2)
        )


@pytest.mark.parametrize("mode", ["fixed", "published"])
def test_gold_is_right_in_every_part(golds, mode):
    values = {}
    for part in DIALOG2API.parts:
        graded = play(DIALOG2API, golds, "gold", options=Options(mode=mode), part=part)
        values |= {name: one["value"] for name, one in summarize(DIALOG2API, graded)["all"]["scores"].items()}
    assert values["EMR"] == values["perfect dialogue"] == values["turn match"] == values["BLEU"] == 1
    assert values["CodeEdits"] == 0


def test_results_and_signatures_stand_in_the_gold(golds):
    gold = next(gold for gold in golds if gold.id == "delete-bucket-1")
    acted = [turn for turn in gold.turns if turn.role == "agent" and any(executable(act) for act in turn.acts)]
    assert acted[0].results[0].error.type == "NoSuchBucket"
    assert acted[0].extra["signatures"] == [gold.extra["initial_signature"]]  # nothing changed, nothing returned
    assert acted[-1].results[0].changes["Account/signature"] == acted[-1].extra["signatures"][0]


@pytest.mark.parametrize("mode", ["fixed", "published"])
def test_mutants_lower_emr_as_far_as_the_definition_says(golds, mode):
    for proof in prove_mutants(DIALOG2API, golds, TextMatch.of("exact"), Options(mode=mode)):
        assert not proof.missed, proof
        assert proof.took, proof.kind


def test_a_mutant_has_one_mutation(golds):
    for kind in (*WRONG, *RIGHT):
        for gold in golds:
            one = mutant(gold, kind)
            if one is not None:
                changed = [
                    n for n, pair in enumerate(zip(gold.turns, one.dialogue.turns, strict=True)) if pair[0] != pair[1]
                ]
                assert changed == [one.turn]
                assert one == mutant(gold, kind)


@pytest.mark.parametrize(
    ("mutation", "code", "expected"),
    [
        ("wrong_key", "s3.get_object(Bucket='b', Key='k')", "s3.get_object(Bucket='b', Key='xk')"),
        ("missing_write", "for k in x:\n    s3.delete_object(Bucket='b', Key=k)", "for k in x:\n    pass"),
        ("extra_write", "s3.list_objects(Bucket='b')",
         "s3.put_object(Bucket='b', Key='one/too/many.txt', Body='?')\ns3.list_objects(Bucket='b')"),
        ("wrong_return", "return 1", "return [1, 'wrong']"),
        ("wrong_return", "def f():\n    return 1\nf()", None),
        ("wrong_exception", "raise FAQ()", "raise ChitChat()"),
        ("wrong_exception", "raise KeyError()", None),
        ("get_and_put", "s3.copy_object(Bucket='b', CopySource={'Bucket': 'a', 'Key': x}, Key='y')",
         "s3.put_object(Bucket='b', Key='y', Body=s3.get_object(Bucket='a', Key=x)['Body'].read())"),
        ("get_and_put", "x = s3.copy_object(Bucket='b', CopySource='a/b', Key='y')", None),
        ("other_names", "x = 1\nreturn [y for y in x]", "x_2 = 1\nreturn [y_2 for y_2 in x_2]"),
        ("other_names", "y = 1\nf = lambda y: y", "y = 1\nf_2 = lambda y: y"),
    ],
)  # fmt: skip
def test_mutations(mutation, code, expected):
    methods = {api.name: api for api in kind_at(Setting(name="s3")).apis}
    made = {**WRONG, **RIGHT}[mutation](Program(goal="1", status="final", code=code), methods)
    assert (made and made.code) == expected


def test_tables_say_what_happened(golds, result):
    shown = {table.title: table for table in tables(result)}
    first, *rest = next(iter(shown.values())).rows
    assert first == ["gold", "0.0", 1.0, 1.0, 1.0, 1.0]
    assert ["the paper's: Codex, both", "13.2", 0.33, 0.22, None, 0.295] in rest
    forced = list(shown.values())[1]
    assert forced.rows == [["gold", sum(len(list(answers(gold.turns))) for gold in golds), 1.0]]
    assert "<td>the paper&#39;s: Codex, both</td>" in html(list(shown.values()))


def test_statistics_are_those_of_the_last_programs_of_goals(golds):
    rows = {row[0]: row[1:] for row in table3(golds).rows}
    assert rows["dialogues"] == [str(len(NAMES)), "100"]
    assert rows["ListObjects"][1] == "32%"
    assert {"FAQ", "another program", "goals final"} < {row[0] for row in talk_table(golds).rows}
    assert raised_in("raise FAQ") == raised_in("raise FAQ('x')") == "FAQ"
    assert raised_in("x = 1\nraise FAQ()") == raised_in("raise ValueError()") == raised_in("((") == ""
    assert apis_in("return s3.list_objects(Bucket=s3.list_buckets()['Buckets'][?1])") == ["ListObjects", "ListBuckets"]


def test_what_a_file_says_it_comes_to_must_be_so(folder, golds, tmp_path):
    (tmp_path / "mine.xml").write_text(conversations_xml(golds))
    assert load(tmp_path / "mine.xml") == [one.replace(origin={"line": "programs"}) for one in golds]
    write(tmp_path / "mine.jsonl", golds)
    assert load(tmp_path / "mine.jsonl") == golds
    text = conversations_xml(golds[:1])
    signature = golds[0].turns[-2].extra["signatures"][0]
    (tmp_path / "mine.xml").write_text(text.replace(signature, "00000000"))
    with pytest.raises(BadRecord, match=f"comes to the signature {signature} here, not '00000000'"):
        load(tmp_path / "mine.xml")


def test_results_that_a_file_has_must_be_so(golds, tmp_path):
    """A transcript of a chat has results, and no signatures."""
    gold = golds[0]
    at = next(n for n, turn in enumerate(gold.turns) if turn.role == "agent" and any(turn.results))
    other = gold.turns[at].replace(results=(Result(value="another"),), extra={})
    write(tmp_path / "chat.jsonl", [gold.replace(turns=(*gold.turns[:at], other, *gold.turns[at + 1 :]), extra={})])
    with pytest.raises(BadRecord, match=rf"chat.jsonl:1: \$.turns\[{at}\].results\[0\]: .* another result here"):
        load(tmp_path / "chat.jsonl")


def test_prove_takes_any_file_of_programs(folder, golds, tmp_path):
    mine, others, calls = tmp_path / "mine.jsonl", tmp_path / "others.jsonl", tmp_path / "calls.jsonl"
    write(mine, golds)
    (tmp_path / "mine.xml").write_text(conversations_xml(golds))
    write(others, [*golds, golds[0].replace(id="other", world=Setting(name="assistant"))])
    write(calls, [Dialogue(id="said", world=Setting(name="s3"), turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))])
    assert of_programs(mine)
    assert of_programs(folder)
    assert of_programs(tmp_path / "mine.xml")
    assert not any(map(of_programs, (others, calls, tmp_path, tmp_path / "nothing.jsonl")))
    assert prove(str(mine), json=tmp_path / "proof.json") == 0
    told = json.loads((tmp_path / "proof.json").read_bytes())
    assert {one["kind"] for one in told["alterations"]} == {*WRONG, *RIGHT}


def test_dialogues_of_other_worlds_and_splits_that_are_not_there_are_refused(golds, tmp_path):
    write(tmp_path / "mine.jsonl", [golds[0].replace(world=Setting(name="assistant"))])
    with pytest.raises(BadFile, match="plays in the world 'assistant'"):
        load(tmp_path / "mine.jsonl")
    with pytest.raises(UnknownName, match="train"):
        of_split(replace(DIALOG2API, load=lambda data: golds), "test").load(None)


def test_predictions_are_played_with_the_words_of_the_gold(golds, tmp_path):
    """The first dialogue as the gold, the second broken in many ways, the others absent; results are not believed."""
    first, second, *others = golds
    final = AgentTurn(acts=(Program(goal="1", status="final", code="return 'nonsense"),))
    strange = (
        UserTurn(text="What?"),
        final,
        AgentTurn(text="Well"),
        UserTurn(text="And?"),
        final,
        AgentTurn(text="Well"),
    )
    (tmp_path / "mine.xml").write_text(conversations_xml([first, second.replace(turns=strange, extra={})]))
    graded = evaluate(DIALOG2API, golds, [f"predictions:{tmp_path / 'mine.xml'}"])
    ((parts),) = graded.values()
    ((part, talk),) = parts.items()
    assert part.name == "talk"
    found = {one.gold.id: one.scores["EMR"] for one in talk}
    assert found[first.id].value == 1
    assert found[second.id].value < 1
    assert {found[one.id].why for one in others} == {"the predictions have no conversation for it"}
    kept = record(DIALOG2API, graded)["agents"][0]["parts"][0]
    assert kept["totals"]["all"]["unscored"] == len(others)
    write(tmp_path / "mine.jsonl", [Dialogue(id="another", turns=first.turns)])
    with pytest.raises(BadSetting, match="'another', which is no dialogue here"):
        evaluate(DIALOG2API, golds, [f"predictions:{tmp_path / 'mine.jsonl'}"])


def test_it_is_a_benchmark_as_any_other(golds):
    chosen = benchmark("dialog2api")
    trace = Trace(case="", dialogue=golds[0].id, protocol="recorded", agent="it")
    graded = chosen.grade(chosen.part, "fixed", golds[0], trace, TextMatch.of("exact"))
    assert graded.scores[chosen.passes].value == 0
    assert [part.protocol for part in chosen.parts] == ["recorded", "next"]
    assert chosen is DIALOG2API


def table_turns(folder):
    return sum(len(list(answers(gold.turns))) for gold in read_folder(folder))


def test_the_command_prints_tables_and_writes_files(folder, tmp_path, capsys):
    files = {"json": tmp_path / "r.json", "html": tmp_path / "r.html", "junit": tmp_path / "r.xml"}
    bench("dialog2api", data=folder, agent=["gold"], split="train", **files)
    shown = capsys.readouterr().out
    assert "Programs (table 4" in shown
    assert "Codex, both" in shown
    parts = json.loads((tmp_path / "r.json").read_bytes())["agents"][0]["parts"]
    talk, code = (part["totals"]["all"]["scores"] for part in parts)
    assert talk["EMR"]["value"] == 1
    assert code["teacher-forced match"]["value"] == 1
    assert code["teacher-forced match"]["counts"]["of"] == table_turns(folder)
    assert "Programs (table 4" in (tmp_path / "r.html").read_text()
    bench("dialog2api", data=folder, json=tmp_path / "s.json")
    assert "(table 3)" in capsys.readouterr().out
    with pytest.raises(BadSetting, match="--agent"):
        bench("dialog2api", data=folder, **files)
    assert prove("dialog2api", data=folder, gold=True, json=tmp_path / "p.json") == 0
    proof = json.loads((tmp_path / "p.json").read_bytes())
    assert (proof["gold"], proof["alterations"]) == (1.0, [])


def test_executing_again_changes_nothing(golds):
    assert executed(golds[0]) == golds[0]
