"""The suite that ships, and the statistics of a run.

The whole suite takes most of a minute of CPU; three procedures stand for it here, held to the same figures a procedure.
With TOOLOGUE_WHOLE=1 in the environment all of them are made.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest
from generate_samples import written

from toologue.errors import BadFile, BadSetting, UnknownName
from toologue.models.model import ModelFault
from toologue.project.generate import Making, generate, make, shipped, sources, words, write_suite
from toologue.project.statistics import Made, Source, Statistics, compared, masking, statistics
from toologue.schema import Api, Dialogue, Graph, Plan
from toologue.schema.jsonl import read
from toologue.values.json_schema import object_of
from toologue.verify.procedures import verify
from toologue.worlds.named import setting_of

WHOLE = os.environ.get("TOOLOGUE_WHOLE") == "1"
FEW = () if WHOLE else ("order-not-received", "billed-for-unordered-tv-package", "transfer-to-wrong-account")
QUICK = ("billed-for-unordered-tv-package", "slower-than-paid-for")


@cache
def suite() -> tuple[Made, ...]:
    return tuple(generate(shipped(*FEW)))


@cache
def figures() -> Statistics:
    return statistics(suite())


# ---- the suite


def test_conversations_that_end_with_noise_are_valid_and_no_others_may_end_early() -> None:
    """Mode `published`: noise ends the conversation (ALMITA 3.6), where it says so, and there only."""
    (made,) = generate(shipped("order-not-received"), Making(count=9, noise=0.3, mode="published"))
    noisy = [one for one in made.dialogues if "noise" in one.turns[-2].extra]
    assert made.flaws == ()
    assert len(noisy) > 3
    assert sum(statistics([made]).noise.values()) == len(noisy)
    ended = noisy[0].turns[-2]
    unsaid = ended.replace(extra={"noise": {"kind": "abuse"}})
    (flaw,) = verify(noisy[0].replace(turns=(*noisy[0].turns[:-2], unsaid, noisy[0].turns[-1])), made.planned.graph)
    assert flaw.what.startswith("the conversation ends at ")
    whole = next(one for one in made.dialogues if one not in noisy)
    goes_on = (*whole.turns[:2], ended, noisy[0].turns[-1], *whole.turns[2:])
    flaws = verify(whole.replace(turns=goes_on), made.planned.graph)
    assert "noise that ends the conversation, and it goes on" in str(flaws)


def test_there_are_as_many_conversations_and_tests_as_the_paper_has() -> None:
    """192 conversations and 1,420 tests of 18 procedures (Table 1); ours are counted after masking values."""
    share = len(figures().procedures) / 19
    assert figures().conversations >= 192 * share
    assert figures().distinct_tests >= 1420 * share
    assert figures().distinct_steps >= 1420 * share


def test_every_procedure_has_at_least_forty_tests() -> None:
    assert figures().tests_a_procedure.least >= 40


def test_no_reply_stands_in_more_than_a_twentieth_of_all_tests() -> None:
    turns = [turn for one in suite() for dialogue in one.dialogues for turn in dialogue.turns if turn.role == "agent"]
    assert Counter(turn.text for turn in turns if turn.text).most_common(1)[0][1] <= 0.05 * len(turns)


def test_every_edge_is_seen_by_a_conversation_that_was_kept() -> None:
    assert {str(one.edges) for one in figures().procedures if one.edges.seen < one.edges.all} == set()


def test_every_conversation_is_valid() -> None:
    for made in suite():
        cues = {plan.dialogue.id: plan.cues for plan in made.planned.plans}
        assert all(not verify(talk, made.planned.graph, cues=cues[talk.id]) for talk in made.dialogues)
        assert made.flawed == 0, made.flaws


def test_what_customers_do_is_various() -> None:
    busy = statistics(generate(shipped("order-not-received", *QUICK), Making(noise=0.6, detours=0.5)))
    assert (len(busy.noise) >= 4, len(busy.detours) >= 4) == (True, True)
    assert {"unknown", "another"} <= figures().wrong.keys()
    assert [len(counts) for counts in figures().registers.values()] == [5, 3]


def _noise(made: Iterable[Made]) -> list[list[str | None]]:
    return [[turn.text for turn in talk.turns if "noise" in turn.extra] for one in made for talk in one.dialogues]


def test_noise_is_rare_unless_asked_for_and_nobody_says_what_somebody_else_has_said() -> None:
    rare, often = map(_noise, (suite(), generate(shipped("order-not-received", *QUICK), Making(noise=0.4))))
    assert sum(map(bool, rare)) / len(rare) < 0.2 < 0.5 < sum(map(bool, often)) / len(often)
    assert len({text for texts in often for text in texts}) == sum(map(len, often))


def test_the_polite_do_not_abuse() -> None:
    made = make(shipped("order-not-received")[0], Making(noise=0.4))
    kinds = [
        object_of(turn.extra["noise"])["kind"]
        for talk in made.dialogues
        for turn in talk.turns
        if "noise" in turn.extra and object_of(talk.origin["registers"])["customer"] in ("formal", "chatty")
    ]
    assert kinds
    assert not {*kinds} & {"abuse", "prompt_injection"}


def test_what_fails_last_is_told_so_and_so_is_a_yes_that_came_too_late() -> None:
    """ "Could it be O-10341?" has an answer, and what was agreed to is not taken back without a word."""
    made = make(shipped("move-appointment")[0], Making(count=0, noise=0, detours=0))
    told = {"give": list[str](), "choose": list[str]()}
    for plan, talk in zip(made.planned.plans, made.dialogues, strict=True):
        heard, refused = "open", False
        for cue, turn in zip(plan.cues, talk.turns, strict=True):
            if turn.role == "user":
                heard, refused = cue.move, False
            elif turn.acts:
                refused |= any(one and one.error and one.error.type == "conflict" for one in turn.results)
            elif (heard == "give" and cue.before.get("failed")) or (heard == "choose" and refused):
                told[heard].append(turn.text or "")
    assert all(told.values())
    assert all(re.search(r"either|cannot be right", text) for text in told["give"])
    assert not any(re.search(r"\b(?:thank|great|got it)", text, re.IGNORECASE) for text in told["give"])
    assert all(re.search(r"possible|can't|cannot", text) for text in told["choose"])


# ---- one seed, one suite


def suite_in(folder: Path, names: Sequence[str], workers: int, seed: int = 3) -> dict[str, bytes]:
    making = Making(count=4, until=0.5, seed=seed)
    write_suite(folder, generate(shipped(*names), making, workers=workers))
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_one_seed_gives_the_same_bytes_with_one_worker_and_with_two(tmp_path: Path) -> None:
    first = suite_in(tmp_path / "1", QUICK, 1)
    assert first == suite_in(tmp_path / "2", QUICK, 2)
    assert sorted(first) == [
        *("apis.jsonl", "dialogues.jsonl", "graphs.jsonl", "plans.jsonl"),
        *("procedures/billed-for-unordered-tv-package.md", "procedures/slower-than-paid-for.md", "statistics.json"),
    ]


def test_the_files_of_a_suite_belong_together(tmp_path: Path) -> None:
    suite_in(tmp_path, QUICK[:1], 1)
    plans = {plan.dialogue.id: plan for plan in read(tmp_path / "plans.jsonl", Plan)}
    graphs = {graph.id: graph for graph in read(tmp_path / "graphs.jsonl", Graph)}
    apis = {api.name for api in read(tmp_path / "apis.jsonl", Api)}
    dialogues = list(read(tmp_path / "dialogues.jsonl", Dialogue))
    said = Statistics.model_validate_json((tmp_path / "statistics.json").read_bytes())
    assert said.conversations == len(dialogues)
    for dialogue in dialogues:
        assert set(dialogue.apis) <= apis
        assert not verify(dialogue, graphs[str(dialogue.origin["procedure"])], cues=plans[dialogue.id].cues)


def test_another_seed_gives_another_suite(tmp_path: Path) -> None:
    first, other = (suite_in(tmp_path / str(seed), QUICK[:1], 1, seed) for seed in (1, 2))
    assert first["dialogues.jsonl"] != other["dialogues.jsonl"]


# ---- sources


def test_a_procedure_of_ones_own_over_a_service_of_ones_own(tmp_path: Path) -> None:
    file, document, rows = written(tmp_path)
    (made,) = generate(sources([str(file)], setting_of(document, rows)), Making(count=8))
    assert (len(made.dialogues), made.flawed) == (8, 0)


def test_what_does_not_fit_the_documents_is_said_at_once(tmp_path: Path) -> None:
    file, document, rows = written(tmp_path)
    file.write_text(file.read_text().replace("`get_loan`", "`find_loan`"))
    with pytest.raises(BadFile, match=r"renew-a-loan\.md[^§]*find_loan"):
        sources([str(file)], setting_of(document, rows))


def test_sources_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    file, document, _ = written(tmp_path)
    with pytest.raises(UnknownName, match="'shopp'; did you mean 'shop'"):
        shipped("shopp")
    with pytest.raises(BadSetting, match="Give --service"):
        sources([str(file)])
    with pytest.raises(BadSetting, match="for procedures of yours"):
        sources(["shop"], setting_of(document))
    with pytest.raises(BadSetting, match="two procedures are called 'renew-a-loan'"):
        sources([str(file), str(file)], setting_of(document))


def test_an_id_is_no_path(tmp_path: Path) -> None:
    (source,) = shipped("order-not-received")
    strange = Source(source.procedure.replace(id="../../escaped"), source.world)
    write_suite(tmp_path / "suite", generate([strange], Making(count=1, until=0)))
    assert [file.name for file in tmp_path.rglob("*.md")] == ["procedure-1.md"]
    assert not list(tmp_path.parent.glob("escaped*"))


# ---- a model finds the words

MODELS = """
from toologue.models.model import ModelFault, ScriptedModel
silent = ScriptedModel(lambda asked: ModelFault("unauthorized", "no key was given"))
babbling = ScriptedModel(lambda asked: "I would rather not.")
broken = ScriptedModel(lambda asked: ModelFault("server_error", "refused the request", status=500))
"""


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    (tmp_path / "generate_models.py").write_text(MODELS)
    monkeypatch.syspath_prepend(tmp_path)
    (made,) = generate(shipped(QUICK[0]), Making(count=2, until=0))
    return list(made.planned.plans)


def test_a_model_that_does_not_answer_stops_everything(plans: list[Plan]) -> None:
    with pytest.raises(BadSetting, match="the model does not answer: no key was given"):
        list(words(plans, "generate_models:silent"))


def test_where_a_model_gives_no_reply_there_are_no_words(plans: list[Plan]) -> None:
    made = list(words(plans, "generate_models:broken"))
    assert len(made) == len(plans)
    assert all(isinstance(one, ModelFault) for one in made)


def test_where_a_models_words_stay_wrong_the_template_speaks_and_says_why(plans: list[Plan]) -> None:
    made = list(words(plans, "generate_models:babbling"))
    plain = list(words(plans))
    for one, other in zip(made, plain, strict=True):
        assert isinstance(one, Dialogue)
        assert isinstance(other, Dialogue)
        assert one.turns == other.turns
        assert "there was no JSON array of texts" in str(one.origin["instead"])


# ---- statistics


def test_statistics_are_data_and_stand_beside_the_paper() -> None:
    said = figures()
    assert Statistics.model_validate_json(said.model_dump_json()) == said
    assert json.loads(said.model_dump_json())["format"] == "statistics/2"
    rows = {row.what: row for row in compared(said)}
    assert (rows["conversations"].almita, rows["tests"].auto) == ("192", "2,696")
    assert rows["tests"].ours == f"{said.tests:,}"


def test_statistics_of_nothing() -> None:
    said = statistics([])
    assert (said.conversations, said.tests) == (0, 0)
    assert all(row.ours for row in compared(said))


def test_texts_that_differ_in_values_alone_are_one_after_masking() -> None:
    first = masking(["Ms Roe", "3 May"])("O-104 goes to Ms Roe on 3 May, mail a@b.example.")
    other = masking(["Mr Bo", "12 June"])("O-227 goes to Mr Bo on 12 June, mail zed@c.example.")
    assert first == other != masking([])("O-104 stays.")
