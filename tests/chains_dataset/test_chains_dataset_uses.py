"""What people want of APIs, in a file: `toologue generate chains … --uses uses.jsonl` goes by it."""

from __future__ import annotations

from pathlib import Path

from chains_dataset_samples import service

from command import Done, toologue
from toologue.schema import Dialogue, Use
from toologue.schema.jsonl import read, write
from toologue.schema.use import documents_key

APIS = {api.name: api for api in service()}
SEARCH, DETAILS = "Teams|all teams|Search teams", "Teams|all teams|Get team details"


def pair(**changes: object) -> Use:
    """A use of the search for teams, which finds the team whose details are wanted."""
    return Use(
        source=SEARCH,
        output="results|teamId",
        api=DETAILS,
        parameter="teamId",
        of=documents_key(APIS[SEARCH], APIS[DETAILS]),
        by="somebody",
    ).replace(**changes)


def generated(home: Path, *uses: Use) -> tuple[Done, list[Dialogue]]:
    """What `generate chains` says, and makes, of the tools and these uses."""
    write(home / "tools.jsonl", APIS.values())
    write(home / "uses.jsonl", uses)
    how = ("--count", 40, "--most", 0.5, "--uses", "uses.jsonl")
    done = toologue("generate", "chains", "tools.jsonl", "-o", "set", *how, cwd=home)
    made = read(home / "set" / "dialogues.jsonl", Dialogue) if done.returncode == 0 else ()
    return done, list(made)


def test_nobody_talks_about_what_nobody_wants(tmp_path: Path) -> None:
    done, made = generated(tmp_path, pair(wanted=False, why="who wants that asks otherwise"))
    assert "nobody wants it" in done.stdout
    assert len(made) == 40
    assert DETAILS not in {one.origin["target"] for one in made}


def test_uses_of_other_documents_are_refused(tmp_path: Path) -> None:
    done, _ = generated(tmp_path, pair(of="another"))
    assert done.returncode == 2
    assert "1 of 1 uses in uses.jsonl are of other documents" in done.stderr
    assert "toologue apis enrich" in done.stderr
