"""What people want of APIs, in a file: `toologue generate chains … --uses uses.jsonl` goes by it."""

from __future__ import annotations

from pathlib import Path

from chains_dataset_samples import service

from command import Done, toologue
from toologue.schema import Dialogue, Example, Use
from toologue.schema.jsonl import read, write
from toologue.schema.use import documents_key

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
