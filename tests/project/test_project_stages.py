"""`toologue test`, end to end in folders of its own: what is kept, what the gate says, what is written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from project_samples import AGENT, PROCEDURE, SETTINGS, amounts, checked, project

from toologue.agents.agent import code_of, imports_of
from toologue.cli import status
from toologue.errors import BadFile, BadSetting
from toologue.project.settings import open_project
from toologue.report.coverage import spots
from toologue.report.words import findings
from toologue.run.runner import Selection
from toologue.schema.jsonl import unfinished_folder
from toologue.score.steps import SEVERITIES

SECOND = PROCEDURE.replace("My locker does not open.", "I cannot get at my things.").replace("# A locker", "# Things")
KILLED = f"""
import os, sys
from toologue.cli import status
from toologue.project import evaluate

evaluate.replacing = lambda path: os.kill(os.getpid(), {signal.SIGKILL:d})
status(["test", *sys.argv[1:]])
"""
SILENT = "def agent(history, tools):\n    return 'Hm.'\n"
DEAD = '''

def dead(history, tools):
    """The agent, once there is a line to it."""
    import pathlib
    if not pathlib.Path(__file__).with_suffix(".up").exists():
        raise ConnectionError("the line is dead")
    return agent(history, tools)
'''


def test_a_project_says_which_operations_there_are(tmp_path: Path) -> None:
    folder = project(tmp_path)
    settings = folder / "toologue.toml"
    settings.write_text(f'{SETTINGS}\n[operations]\nonly = ["get_*"]\n')
    assert checked(folder).suites[0].dialogues
    settings.write_text(f'{SETTINGS}\n[operations]\nexclude = ["get_locker"]\n')
    with pytest.raises(BadFile, match="get_locker"):
        checked(folder)
    settings.write_text(f'{SETTINGS}\n[operations]\nonly = ["put_*"]\n')
    with pytest.raises(BadSetting, match=r"--only 'put_\*' fits nothing"):
        checked(folder)


class TestWhatIsKept:
    def test_a_second_run_does_nothing_again(self, tmp_path: Path) -> None:
        folder = project(tmp_path)
        first = amounts(folder)
        count = first["agent.py:agent"][0]
        assert first == {"procedures": (1, 0), "conversations": (1, 0), "agent.py:agent": (count, 0)}
        assert amounts(folder) == {"procedures": (1, 0), "conversations": (0, 1), "agent.py:agent": (0, count)}

    def test_results_are_the_same_whether_kept_or_not(self, tmp_path: Path) -> None:
        folder = project(tmp_path)
        first, second = checked(folder).trials[0], checked(folder).trials[0]
        assert list(first.totals) == list(second.totals)
        assert [c.trace for c in first.conversations] == [c.trace for c in second.conversations]

    def test_what_a_killed_one_left_half_made_is_swept_and_what_is_being_made_is_not(self, tmp_path: Path) -> None:
        folder = project(tmp_path)
        killed = subprocess.run([sys.executable, "-c", KILLED, os.fspath(folder)], capture_output=True, check=False)
        home = folder / ".toologue" / "conversations"
        assert (killed.returncode, len([*home.iterdir()])) == (-signal.SIGKILL, 1), killed.stderr
        with unfinished_folder(home) as living:
            checked(folder)
            assert {made.name for made in home.glob(".*")} == {living.name}
        assert not [*home.glob(".*")]

    def test_what_a_fault_had_spoilt_is_graded_as_it_was_run_again(self, tmp_path: Path) -> None:
        """As many traces are there before and after: the grades are of others."""
        folder = project(tmp_path)
        with (folder / "agent.py").open("a") as file:
            file.write(DEAD)
        before = checked(folder, "agent.py:dead").trials[0]
        (folder / "agent.up").touch()
        after = checked(folder, "agent.py:dead").trials[0]
        assert before.passed == 0
        assert after.passed == checked(folder, "agent.py:agent").trials[0].passed > 0
        assert after.by_metric["harmless"] != before.by_metric["harmless"]

    def test_touching_one_procedure_does_only_that_again(self, tmp_path: Path) -> None:
        folder = project(tmp_path, things=SECOND)
        amounts(folder)
        project(folder, things=SECOND.replace("open already", "open, and has been for a while"))
        done = amounts(folder)
        assert done["conversations"] == (1, 1)
        run, kept = done["agent.py:agent"]
        assert run == kept > 0

    def test_where_lines_stand_is_part_of_what_is_made(self, tmp_path: Path) -> None:
        """Kept conversations name nodes, whose lines reports show."""
        folder = project(tmp_path)
        before = checked(folder).suites[0].graph
        project(folder, locker=PROCEDURE.replace("# A locker", "# A locker\n\nThey stand in the hall."))
        after = checked(folder).suites[0].graph
        assert {node.line + 2 for node in before.nodes if node.line} == {node.line for node in after.nodes if node.line}

    def test_a_changed_agent_is_run_again_and_so_is_what_it_imports(self, tmp_path: Path) -> None:
        folder = project(tmp_path, agent="import words\n\n\ndef agent(history, tools):\n    return words.HM\n")
        (folder / "words.py").write_text("HM = 'Hm.'\n")
        run = amounts(folder)["agent.py:agent"]
        (folder / "words.py").write_text("HM = 'Hm, hm.'\n")
        assert amounts(folder)["agent.py:agent"] == run
        assert amounts(folder)["agent.py:agent"] == (0, run[0])
        assert amounts(folder, fresh=True)["agent.py:agent"] == run

    def test_an_agent_whose_library_elsewhere_breaks_is_run_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A stale pass is worse than none: what agents import is part of them, wherever it lies, and however late."""
        library = tmp_path / "elsewhere" / "phrases_of_ours.py"
        library.parent.mkdir()
        library.write_text("WORDS = 'Hm.'\n")
        monkeypatch.syspath_prepend(library.parent)
        late = "def agent(history, tools):\n    from phrases_of_ours import WORDS\n    return WORDS\n"
        folder = project(tmp_path / "lockers", agent=late)
        run = amounts(folder)["agent.py:agent"]
        assert amounts(folder)["agent.py:agent"] == (0, run[0])
        library.write_text("WORDS = undefined\n")
        assert amounts(folder)["agent.py:agent"] == run

    def test_a_prompt_that_an_agent_reads_is_part_of_it_and_a_log_beside_it_is_not(self, tmp_path: Path) -> None:
        reads = "from pathlib import Path\n\n\ndef agent(history, tools):\n    return WORDS\n\n\n"
        reads += "WORDS = (Path(__file__).parent / 'prompts' / 'first.txt').read_text()\n"
        (tmp_path / "lockers" / "prompts").mkdir(parents=True)
        prompt = tmp_path / "lockers" / "prompts" / "first.txt"
        prompt.write_text("Hm.")
        folder = project(tmp_path / "lockers", agent=reads)
        run = amounts(folder)["agent.py:agent"]
        prompt.write_text("Hm, hm.")
        assert amounts(folder)["agent.py:agent"] == run
        folder = project(tmp_path / "other", agent="def agent(history, tools):\n    return 'Hm.'\n")
        run = amounts(folder)["agent.py:agent"]
        (folder / "log.txt").write_text("two of three pass")
        assert amounts(folder)["agent.py:agent"] == (0, run[0])

    def test_the_source_of_toologue_is_not_read_with_an_agents(self, tmp_path: Path) -> None:
        """A run notes its version. Where it is installed from its source, that would take a second of every command."""
        file = tmp_path / "agent.py"
        file.write_text("from toologue import AgentTurn\nfrom toologue.agents.retrieve import Retrieve\n")
        assert imports_of(file) == ([file], [])

    def test_agents_have_names_and_options(self, tmp_path: Path) -> None:
        named = '[agents.best]\nspec = "gold"\n[agents.mine]\nspec = "agent.py:agent"\noptions = {name = "own"}\n'
        folder = project(tmp_path, settings=SETTINGS.replace('agents = ["agent.py:agent"]', "") + named)
        assert [trial.agent for trial in checked(folder).trials] == ["best", "mine"]
        assert [trial.agent for trial in checked(folder, "mine").trials] == ["mine"]
        wrong = SETTINGS.replace('agents = ["agent.py:agent"]', "") + '[agents.best]\nspec = "gold"\nspeck = 1\n'
        with pytest.raises(BadSetting, match=r"agents.best.speck: no key is called so; did you mean 'spec'"):
            checked(project(tmp_path, settings=wrong))

    def test_a_prompt_belongs_to_its_agent(self, tmp_path: Path) -> None:
        named = '[agents.mine]\nspec = "openai:gpt-x"\nprompt = "prompts/mine.txt"\noptions = {temperature = 0}\n'
        folder = project(tmp_path, settings=SETTINGS.replace('agents = ["agent.py:agent"]', "") + named)
        with pytest.raises(BadSetting, match=r"agents.mine.prompt: there is no file .*prompts/mine.txt"):
            open_project(folder).spec("mine")
        (folder / "prompts").mkdir()
        (folder / "prompts" / "mine.txt").write_text("{{ instructions }}")
        spec = open_project(folder).spec("mine")
        assert spec == f"openai:gpt-x?temperature=0&prompt={(folder / 'prompts' / 'mine.txt').resolve()}"
        before = code_of(spec)
        (folder / "prompts" / "mine.txt").write_text("Be kind. {{ instructions }}")
        assert code_of(spec) != before  # what it said before does not count any more

    def test_a_part_of_the_conversations_is_run_and_gated_alone(self, tmp_path: Path) -> None:
        folder = project(tmp_path)
        assert len(checked(folder, selection=Selection(limit=1)).trials[0].conversations) == 1
        whole = amounts(folder)["agent.py:agent"]
        assert whole[1] == 1
        assert sum(whole) > 1

    def test_trials_are_added_to_those_that_are_there(self, tmp_path: Path) -> None:
        folder = project(tmp_path)
        (count, _) = amounts(folder)["agent.py:agent"]
        assert amounts(folder, trials=3)["agent.py:agent"] == (2 * count, count)
        assert amounts(folder)["agent.py:agent"] == (0, count)

    def test_what_was_spoilt_is_made_again(self, tmp_path: Path) -> None:
        folder = project(tmp_path)
        amounts(folder)
        (made,) = (folder / ".toologue" / "conversations").glob("*/made.json")
        made.write_text("{")
        (scores,) = (folder / ".toologue" / "runs").glob("*/scores.json")
        scores.unlink()
        done = amounts(folder)
        assert done["conversations"] == (1, 0)
        assert done["agent.py:agent"][0] == 0, "the traces are there; only grades are not"


class TestTheGate:
    def test_a_right_agent_passes(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = project(tmp_path)
        assert status(["test", str(folder), "--agent", "gold", "--fail-under", "1"]) == 0
        assert "gate PASSED: harmless: 100.0 %" in capsys.readouterr().out

    def test_a_wrong_one_fails_and_says_where_to_look(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = project(tmp_path, agent=SILENT)
        assert status(["test", str(folder), "--fail-under", "0.5"]) == 1
        said = capsys.readouterr().out
        assert "look first, agent.py:agent:" in said
        assert "locker.md:8, step 2: no answer" in said
        assert "get_locker" in said
        assert "locker.md: agent.py:agent passes no conversation that takes one of these 4 ways:" in said
        assert "line 9, step 2: Fails: not found" in said

    def test_it_is_on_the_first_agent_alone(self, tmp_path: Path) -> None:
        folder = project(tmp_path, agent=SILENT)
        assert status(["test", str(folder), "--agent", "gold", "--agent", "agent.py:agent", "--fail-under", "1"]) == 0
        assert status(["test", str(folder), "--agent", "agent.py:agent", "--agent", "gold", "--fail-under", "1"]) == 1

    def test_the_settings_may_hold_it_and_the_metric(self, tmp_path: Path) -> None:
        folder = project(
            tmp_path, agent=SILENT, settings=SETTINGS + '[gate]\nfail_under = 1\nmetric = "reply recall"\n'
        )
        assert status(["test", str(folder)]) == 0
        project(folder, agent=SILENT, settings=SETTINGS + "[gate]\nfail_under = 1\n")
        assert status(["test", str(folder)]) == 1

    def test_without_one_nothing_fails(self, tmp_path: Path) -> None:
        assert status(["test", str(project(tmp_path, agent=SILENT))]) == 0


def test_junit_and_the_page_are_written(tmp_path: Path) -> None:
    folder, junit, html = project(tmp_path / "p"), tmp_path / "junit.xml", tmp_path / "page.html"
    agents = ["--agent", "agent.py:agent", "--agent", "gold"]
    assert status(["test", str(folder), *agents, "--junit", str(junit), "--html", str(html)]) == 0
    suites = ElementTree.parse(junit).getroot()
    assert [suite.get("name") for suite in suites] == ["agent.py:agent", "gold"]
    assert suites[1].get("failures") == "0" != suites[1].get("tests")
    assert '<h2 id="coverage">' in html.read_text()
    assert not (folder / "report.html").exists()


def test_spots_are_the_worst_first(tmp_path: Path) -> None:
    """A word too many does no harm; another customer's number is worse."""
    folder = project(
        tmp_path, agent=AGENT.replace('"What is the number', '"The code is L-12, and 99 euros. What is the number')
    )
    found = checked(folder)
    every = spots(found.report.charted, found.trials[0].conversations)
    assert every
    assert [spot.severity for spot in every] == sorted(
        (s.severity for s in every), key=lambda s: -SEVERITIES.index(s or "no harm")
    )


def test_a_spot_is_in_the_round_that_the_transcript_shows(tmp_path: Path) -> None:
    found = checked(project(tmp_path, agent=AGENT.replace("to open {said}.", "to open L-77.")))
    (spot, *_) = spots(found.report.charted, found.trials[0].conversations)
    (lived,) = [one for one in found.trials[0].conversations if one.gold.id == spot.conversation]
    assert [one.where for one in findings(lived)] == [f"Round {spot.round}"]
    assert spot.round > 1


def test_two_agents_stand_beside_each_other(tmp_path: Path) -> None:
    found = checked(project(tmp_path), "agent.py:agent", "procedure", "agent.py:agent")
    assert [trial.agent for trial in found.trials] == ["agent.py:agent", "procedure"]
    assert [run.name for run in found.report.runs] == ["agent.py:agent", "procedure"]
    assert str(found.suites[0].coverage.edges) == "7/7"


class TestTheStarter:
    def test_is_a_project_that_runs(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = tmp_path / "bikes"
        assert status(["init", str(folder)]) == 0
        assert f"next: toologue test {folder}" in capsys.readouterr().out
        assert status(["test", str(folder)]) == 0
        said = capsys.readouterr().out
        assert "nothing to remark" in said
        assert "40/40 ways" in said
        assert "look first, agent.py:agent:" in said

    def test_its_procedures_can_be_followed(self, tmp_path: Path) -> None:
        folder = tmp_path / "bikes"
        status(["init", str(folder)])
        found = checked(folder, "gold", "procedure")
        assert [trial.passed for trial in found.trials] == [len(found.trials[0].conversations)] * 2

    def test_nothing_is_written_over(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "agent.py").write_text("mine")
        assert status(["init", str(tmp_path)]) == 2
        assert f"{tmp_path / 'agent.py'}: already there, and nothing was written" in capsys.readouterr().err
        assert [file.name for file in tmp_path.iterdir()] == ["agent.py"]
        assert (tmp_path / "agent.py").read_text() == "mine"
