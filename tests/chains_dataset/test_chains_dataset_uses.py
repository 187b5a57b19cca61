"""What people want of APIs, in a file: `toologue generate chains … --uses uses.jsonl` goes by it."""

from __future__ import annotations

from pathlib import Path

from chains_dataset_samples import service

from command import Done, toologue
from toologue.schema import Ask, Dialogue, Example, Lines, Plan, Use
from toologue.schema.jsonl import read, write
from toologue.schema.use import documents_key
from toologue.write.chains.model import scenario

APIS = {api.name: api for api in service()}
SEARCH, DETAILS = "Films|all films|Search films", "Films|all films|Get film details"


def pair(**changes: object) -> Use:
    """A use of the search for films, which finds the film whose details are wanted."""
    return Use(
        source=SEARCH,
        output="results|filmId",
        api=DETAILS,
        parameter="filmId",
        of=documents_key(APIS[SEARCH], APIS[DETAILS]),
        by="somebody",
    ).replace(**changes)


def generated(home: Path, *uses: Use) -> tuple[Done, list[Dialogue]]:
    """What `generate chains` says, and makes, of the tools and these uses."""
    write(home / "tools.jsonl", APIS.values())
    write(home / "uses.jsonl", uses)
    how = (
        "--count",
        40,
        "--most",
        1,
        "--ratio",
        "1/0/0",
        "--uses",
        "uses.jsonl",
        "--only",
        "Teams*",
        "--only",
        "Films*",
    )
    done = toologue("generate", "chains", "tools.jsonl", "-o", "set", *how, cwd=home)
    made = read(home / "set" / "dialogues.jsonl", Dialogue) if done.returncode == 0 else ()
    return done, list(made)


def test_nobody_talks_about_what_nobody_wants(tmp_path: Path) -> None:
    done, made = generated(tmp_path, pair(wanted=False, why="who wants that asks otherwise"))
    assert "nobody wants it" in done.stdout
    assert made
    assert DETAILS not in [one.origin["target"] for one in made]


def test_uses_of_other_documents_are_refused(tmp_path: Path) -> None:
    done, _ = generated(tmp_path, pair(of="another"))
    assert done.returncode == 2
    assert "1 of 1 uses in uses.jsonl are of other documents" in done.stderr
    assert "toologue apis enrich" in done.stderr
    done, _ = generated(tmp_path, pair(by="estimate"))  # as files were written without a model
    assert done.returncode == 2


LIONS = Example(
    source_arguments={"city": "Leeds"},
    source_result={
        "results": [{"filmId": 41, "filmName": "The Lions of Leeds"}, {"filmId": 57, "filmName": "Harehills Road"}]
    },
    arguments={"filmId": 41},
    result={"founder": "Edna Moss", "summary": "A comedy about rugby.", "rating": 4.5},
)


def test_what_people_do_and_hear_is_what_examples_have(tmp_path: Path) -> None:
    """The world answers so wherever the conversations are executed: here, in a folder elsewhere, and for agents."""
    use = pair(examples=(LIONS,), tells={"founder": "the person who started the film"})
    _, made = generated(tmp_path, use)
    ours = [one for one in made if one.origin["target"] == DETAILS and one.turns[-1].action == "system_bye"]
    assert ours
    for one in ours:
        assert one.world.arguments["uses"] == "set/uses.jsonl"
        acts = [act for turn in one.turns if turn.role == "agent" for act in turn.acts if act.kind == "call"]
        assert {act.api: act.arguments for act in acts}[DETAILS] == {"filmId": 41}
        assert "Edna Moss" in (one.turns[-3].text or "")
        assert "rugby" not in (one.turns[-3].text or "")
    assert f"{len(made)} of {len(made)} are valid" in toologue("verify", "set/dialogues.jsonl", cwd=tmp_path).stdout
    assert toologue("prove", "tooldial", "--data", "set", cwd=tmp_path).returncode == 0


def test_words_that_name_not_all_that_was_found_are_not_said(tmp_path: Path) -> None:
    words = Lines(person="The Lions of Leeds.", assistant="There is The Lions of Leeds, and one more. Which one?")
    _, made = generated(tmp_path, pair(examples=(LIONS.replace(choice=words),), tells={"founder": "the founder"}))
    said = "\n".join(turn.text for one in made for turn in one.turns if turn.text)
    assert "one more" not in said
    assert "Harehills Road" in said


def test_a_file_without_a_use_of_these_apis_is_refused(tmp_path: Path) -> None:
    done, _ = generated(tmp_path)
    assert done.returncode == 2
    assert "uses.jsonl" in done.stderr
    done, _ = generated(tmp_path, pair(api="Trains|trains|Next train"))
    assert done.returncode == 2
    assert "no use in uses.jsonl is about any of these" in done.stderr


def test_plans_go_by_them_and_find_their_words(tmp_path: Path) -> None:
    """The documents of a dataset hold what people say, so that plans of its graph are worded in the same way."""
    words = Lines(person="The one with the lions.", assistant="There are The Lions of Leeds and Harehills Road.")
    use = pair(
        wishes=("learn who started a film",),
        topic="the making of a film",
        openings=("Who was it that started this film?",),
        asks={
            "filmId": Ask(phrase="the number of the film", question="Do you know the number of the film?", known=False)
        },
        unknown=("No, I only know where it is on.",),
        examples=(LIONS.replace(answers=("It was Edna Moss.",), choice=words),),
        tells={"founder": "the person who started the film"},
    )
    generated(tmp_path, use)
    files = ("set/graph.jsonl", "set/apis.jsonl", "--uses", "set/uses.jsonl", "-o", "plans.jsonl")
    assert toologue("plan", "chains", *files, "--count", 20, "--most", 1, cwd=tmp_path).returncode == 0
    assert toologue("write", "plans.jsonl", "-o", "dialogues.jsonl", cwd=tmp_path).returncode == 0
    made = [one for one in read(tmp_path / "dialogues.jsonl", Dialogue) if one.origin["target"] == DETAILS]
    assert made
    said = "\n".join(turn.text for one in made for turn in one.turns if turn.text)
    for line in ("Who was it that started this film?", "No, I only know where it is on.", "It was Edna Moss."):
        assert line in said
    plans = {one.dialogue.id: one for one in read(tmp_path / "plans.jsonl", Plan)}
    told = "\n".join(scenario(plans[one.id], one, APIS) for one in made)
    assert 'as in "It was Edna Moss."' in told  # for a model that words each conversation
