"""The run folder: complete, ordered, resumable; refuses what it cannot be sure of, naming what differs."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from run_players import many

from toologue.errors import BadFile, BadRecord, BadSetting, RunMismatch, UnknownName
from toologue.run.runner import Limits, Settings
from toologue.run.store import Config, RunFolder, run_folder
from toologue.schema import Api, Dialogue, Setting, UserTurn
from toologue.schema.jsonl import write
from toologue.worlds.assistant import desk

CANONICAL = ("run.json", "dialogues.jsonl", "traces.jsonl")
SLOW = "run_players:slow"


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in CANONICAL}


def lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


def run(folder: Path, dialogues: Iterable[Dialogue], **options: Any) -> list[str]:
    """Run, and return which cases were run now, in the order in which they ended."""
    limits = options.pop("limits", Limits())
    config = Config(**{"agent": "gold", **options})
    before = len(lines(folder / "times.jsonl")) if (folder / "times.jsonl").exists() else 0
    run_folder(folder, dialogues, config, limits=limits)
    return [json.loads(line)["case"] for line in lines(folder / "times.jsonl")[before:]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of 12 dialogues, two trials each, one case at a time. Copy it before you change it."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    run(folder, many(12), agent=SLOW, settings=Settings(trials=2), limits=Limits(concurrency=1))
    return folder


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def again(folder: Path, **options: Any) -> list[str]:
    return run(folder, many(12), **{"agent": SLOW, "settings": Settings(trials=2), **options})


class TestAFinishedRun:
    def test_holds_all_that_is_needed_to_grade_it(self, finished: Path) -> None:
        assert {file.name for file in finished.iterdir()} == {*CANONICAL, "times.jsonl", ".lock"}
        folder = RunFolder(finished)
        assert folder.config.agent == SLOW
        assert folder.config.settings.trials == 2
        pairs = list(folder.pairs())
        assert [(gold.id, trace.trial) for gold, trace in pairs] == [(d.id, t) for d in many(12) for t in (0, 1)]
        assert all(gold.id == trace.dialogue for gold, trace in pairs)
        acts = [turn for gold, _ in pairs for turn in gold.turns if turn.role == "agent" and turn.acts]
        assert all(turn.results for turn in acts), "the golds are grounded"

    def test_is_byte_equal_however_many_ran_at_once(self, finished: Path, tmp_path: Path) -> None:
        ended = again(tmp_path / "run", limits=Limits(concurrency=8))
        assert content(tmp_path / "run") == content(finished)
        in_order = [json.loads(line)["case"] for line in lines(finished / "traces.jsonl")]
        assert sorted(ended) == sorted(in_order)

    def test_traces_are_in_order_although_they_did_not_end_so(self, tmp_path: Path) -> None:
        ended = again(tmp_path / "run", limits=Limits(concurrency=8))
        assert ended != [json.loads(line)["case"] for line in lines(tmp_path / "run" / "traces.jsonl")]

    def test_is_not_run_again(self, copy: Path, finished: Path) -> None:
        assert again(copy) == []
        assert content(copy) == content(finished)

    def test_another_seed_gives_other_bytes(self, finished: Path, tmp_path: Path) -> None:
        again(tmp_path / "run", settings=Settings(trials=2, seed=1))
        assert content(tmp_path / "run")["traces.jsonl"] != content(finished)["traces.jsonl"]

    def test_progress_is_told(self, tmp_path: Path) -> None:
        told: list[tuple[int, int]] = []
        config = Config(agent="gold")
        run_folder(tmp_path / "run", many(3), config, progress=lambda done, of: told.append((done, of)))
        assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
        told.clear()
        run_folder(tmp_path / "run", many(3), config, progress=lambda done, of: told.append((done, of)))
        assert told == [(3, 3)]


class TestResume:
    @pytest.mark.parametrize("kept", [0, 1, 11, 23])
    def test_only_what_is_missing_is_run(self, kept: int, copy: Path, finished: Path) -> None:
        there = lines(copy / "traces.jsonl")
        (copy / "traces.jsonl").write_bytes(b"".join(reversed(there[:kept])))
        ended = again(copy)
        assert sorted(ended) == sorted(json.loads(line)["case"] for line in there[kept:])
        assert content(copy) == content(finished)

    @pytest.mark.parametrize("cut", [1, 2, 100])
    def test_a_torn_last_line_is_run_again(self, cut: int, copy: Path, finished: Path) -> None:
        """Cut by one byte, the line lacks its newline only: it is whole, but cannot be trusted to be."""
        data = (copy / "traces.jsonl").read_bytes()
        (copy / "traces.jsonl").write_bytes(data[:-cut])
        assert again(copy) == [json.loads(lines(finished / "traces.jsonl")[-1])["case"]]
        assert content(copy) == content(finished)

    def test_half_written_files_of_a_killed_run_are_swept_away(self, copy: Path, finished: Path) -> None:
        (copy / ".scratch.x1").mkdir()
        (copy / ".scratch.x1" / "dialogues.jsonl").write_text("{")
        (copy / ".traces.jsonl.x2").write_text("{")
        (copy / "notes.txt").write_text("mine")
        again(copy)
        assert {file.name for file in copy.iterdir()} == {f.name for f in finished.iterdir()} | {"notes.txt"}

    def test_a_folder_killed_before_its_dialogues_were_there_starts_over(self, copy: Path, finished: Path) -> None:
        for file in ("dialogues.jsonl", "traces.jsonl"):
            (copy / file).unlink()
        again(copy)
        assert content(copy) == content(finished)

    def test_an_unfinished_run_can_be_read(self, copy: Path) -> None:
        there = lines(copy / "traces.jsonl")
        (copy / "traces.jsonl").write_bytes(b"".join([there[20], there[3], there[7], there[0]]) + there[1][:50])
        assert [trace.dialogue for _, trace in RunFolder(copy).pairs()] == [many(12)[n].id for n in (10, 1, 3, 0)]

    def test_what_is_missing_is_named(self, copy: Path) -> None:
        there = lines(copy / "traces.jsonl")
        assert list(RunFolder(copy).missing()) == []
        (copy / "traces.jsonl").write_bytes(b"".join(there[:3] + there[5:]))
        assert list(RunFolder(copy).missing()) == [many(12)[1].id, many(12)[2].id]

    def test_a_trace_that_stands_twice_is_refused_and_the_run_mends_it(self, copy: Path, finished: Path) -> None:
        there = lines(copy / "traces.jsonl")
        (copy / "traces.jsonl").write_bytes(b"".join([*there, there[3]]))
        with pytest.raises(BadRecord, match=r"traces\.jsonl:25: \$\.case: case \w+ .* has a trace already"):
            list(RunFolder(copy).pairs())
        assert again(copy) == []
        assert content(copy) == content(finished)

    def test_a_line_that_is_no_trace_is_named(self, copy: Path) -> None:
        there = lines(copy / "traces.jsonl")
        (copy / "traces.jsonl").write_bytes(b"".join([there[0], b"oops\n", there[1]]))
        with pytest.raises(BadRecord, match=r"traces\.jsonl:2: \$: not a trace"):
            again(copy)


class TestRefusals:
    """A folder that belongs to another run is left alone, byte for byte."""

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ({"agent": "gold"}, "agent: 'run_players:slow' there, 'gold' now"),
            ({"settings": Settings(trials=2, seed=9)}, "seed: 0 there, 9 now"),
            ({"settings": Settings(trials=2, protocol="next")}, "protocol: 'forced' there, 'next' now"),
            ({"settings": Settings(trials=2, see=("state",))}, "see: [] there, ['state'] now"),
            ({"settings": Settings(trials=2, cap=5)}, "cap: 50 there, 5 now"),
            ({"code": "1f2e"}, "code: '' there, '1f2e' now"),
            ({"version": "0.0.9"}, "there, '0.0.9' now"),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
    )
    def test_another_configuration(self, options: Any, named: str, copy: Path, finished: Path) -> None:
        with pytest.raises(RunMismatch) as caught:
            again(copy, **options)
        assert named in str(caught.value)
        assert str(caught.value).count(" there, ") == 1, "what is equal is not named"
        assert str(caught.value).endswith("choose another folder, or remove this one")
        assert content(copy) == content(finished)

    def test_several_differences_are_all_named(self, copy: Path) -> None:
        with pytest.raises(RunMismatch, match=r"agent: .*; seed: .*"):
            again(copy, agent="gold", settings=Settings(trials=2, seed=4))

    def test_changed_dialogues(self, copy: Path, finished: Path) -> None:
        changed = [many(12)[0].replace(instructions="Be brief."), *many(12)[1:]]
        for dialogues, what in (
            (changed, "@0', which was run, is another dialogue now"),
            (many(10), "is not among the dialogues now (2 are)"),
        ):
            with pytest.raises(RunMismatch, match=re.escape(what)):
                run(copy, dialogues, agent=SLOW, settings=Settings(trials=2))
        assert content(copy) == content(finished)

    def test_changed_databases(self, tmp_path: Path) -> None:
        """The dialogue reads no row that differs; the world's data has still changed."""
        data = tmp_path / "data"
        shutil.copytree(desk.STARTER, data)
        dialogue = many(1)[0]
        dialogue = dialogue.replace(
            world=Setting(name="assistant", arguments={**dialogue.world.arguments, "databases": str(data)})
        )
        run(tmp_path / "run", [dialogue])
        accounts = json.loads((data / "Account.json").read_text())
        accounts["nobody.reads.me"] = {**accounts["mreyes"], "username": "nobody.reads.me"}
        (data / "Account.json").write_text(json.dumps(accounts))
        desk.load.cache_clear()  # as a new process would find it
        desk.data_key.cache_clear()
        with pytest.raises(RunMismatch, match=r"1 of its 1 traces are of no case of this run: .*databases"):
            run(tmp_path / "run", [dialogue])

    def test_changed_documents(self, tmp_path: Path) -> None:
        dialogue = Dialogue(id="d", apis=("X",), turns=(UserTurn(text="?"),))
        config = Config(agent="gold")
        run_folder(tmp_path / "run", [dialogue], config, apis={"X": Api(name="X")})
        with pytest.raises(RunMismatch, match="API documents have changed"):
            run_folder(tmp_path / "run", [dialogue], config, apis={"X": Api(name="X", description="new")})

    def test_a_folder_in_use(self, copy: Path, finished: Path) -> None:
        with (copy / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(BadFile, match="is in use by another run"):
                again(copy)
        assert again(copy) == []

    def test_ids_that_occur_twice(self, tmp_path: Path) -> None:
        with pytest.raises(BadRecord, match=rf"\$\.id: '{many(1)[0].id}' occurs twice \(give each an id"):
            run(tmp_path / "run", [*many(3), many(1)[0]])
        assert run(tmp_path / "run", many(1)), "nothing of it stayed behind"

    def test_no_dialogues(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match="there is no dialogue to run"):
            run(tmp_path / "run", [])
        assert run(tmp_path / "run", many(1)), "nothing of it stayed behind"

    def test_an_agent_that_does_not_exist(self, tmp_path: Path) -> None:
        """A slip of the keyboard leaves no folder that would refuse the right name afterwards."""
        with pytest.raises(UnknownName, match="no agent is called 'gould'; did you mean 'gold'"):
            run(tmp_path / "run", many(1), agent="gould")
        assert not (tmp_path / "run").exists()

    def test_an_agent_that_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(BadSetting, match="'run_players:NO_AGENT' is no agent: no object"):
            run(tmp_path / "run", many(1), agent="run_players:NO_AGENT")

    def test_a_place_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("I am a file.")
        with pytest.raises(BadFile, match=r"cannot write .*/file/run: .*; choose another place"):
            run(tmp_path / "file" / "run", many(1))
        with pytest.raises(BadFile, match=r"cannot write .*/file: .*; choose another place"):
            run(tmp_path / "file", many(1))

    def test_a_folder_that_is_no_run(self, tmp_path: Path) -> None:
        with pytest.raises(BadFile, match=r"is no run folder: cannot read run\.json"):
            _ = RunFolder(tmp_path).config
        (tmp_path / "run.json").write_text('{"format":"run/1","agent":"gold","colour":"red"}')
        with pytest.raises(BadRecord, match=r"run\.json: \$\.colour: unknown key"):
            _ = RunFolder(tmp_path).config

    def test_a_trace_without_its_dialogue(self, copy: Path) -> None:
        (copy / "dialogues.jsonl").write_bytes(b"".join(lines(copy / "dialogues.jsonl")[:-1]))
        with pytest.raises(BadFile, match="but no such dialogue"):
            list(RunFolder(copy).pairs())


WITHOUT = """
import sys
sys.modules["fcntl"] = None
from toologue.cli import status
sys.exit(status(sys.argv[1:]))
"""


def test_where_fcntl_is_missing_one_line_says_so_and_the_rest_works(tmp_path: Path) -> None:
    write(tmp_path / "talks.jsonl", many(2))
    command = [sys.executable, "-c", WITHOUT, "run", "talks.jsonl", "--agent", "gold", "-o", "run"]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.partition(" ")[0]) == (0, "2")
        assert done.stderr.startswith("fcntl is not here: nothing keeps two commands out of one folder")
        assert done.stderr.count("\n") == 1
