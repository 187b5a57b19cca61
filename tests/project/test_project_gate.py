"""The gate of `toologue test` where replies are unsure: the lower end counts, 4 says that nobody knows.

A reply in another language than the gold's is unsure, if it leaks nothing: an agent that speaks German at one of three
ends is.
"""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path

import pytest
from project_samples import AGENT, PROCEDURE, SETTINGS, project

from command import toologue

GERMAN = AGENT.replace("A colleague comes to open {said}.", "Ein Kollege kommt und öffnet {said}.")
CERTAINLY = "def agent(history, tools):\n    return 'Certainly, one moment.'\n"
# No call, so that nothing but words can be wrong.
WORDS = """---
issue: My locker does not open.
---

# A locker

1. **Ask** for the number of the locker. Collect `locker_id`.
2. **End**: say that a colleague comes to open {locker_id}.
"""


@pytest.fixture
def german(tmp_path: Path) -> Path:
    return project(tmp_path, agent=GERMAN)


class TestUndecided:
    def test_only_what_is_unsure_keeps_it_from_passing(self, german: Path) -> None:
        done = toologue("test", ".", "--fail-under", "0.9", cwd=german)
        assert done.returncode == 4
        assert "2 of 3 conversations pass, 1 unsure" in done.stdout
        assert (
            "gate UNDECIDED: harmless: 66.7 to 100.0 % (95 % interval 20.5 to 100.0), at least 90.0 % wanted"
            in done.stdout
        )
        assert "1 of 3 conversations are unsure: --allow-unsure 0.24 lets them pass" in done.stdout
        assert "a person: toologue review .; report.html marks them" in done.stdout

    def test_the_lower_end_is_enough(self, german: Path) -> None:
        done = toologue("test", ".", "--fail-under", "0.6", cwd=german)
        assert done.returncode == 0
        assert "gate PASSED: harmless: 66.7 to 100.0 %" in done.stdout

    def test_as_many_unsure_ones_count_as_are_allowed(self, german: Path) -> None:
        assert toologue("test", ".", "--fail-under", "0.9", "--allow-unsure", "0.24", cwd=german).returncode == 0
        assert toologue("test", ".", "--fail-under", "0.9", "--allow-unsure", "0.2", cwd=german).returncode == 4

    def test_what_is_wrong_for_sure_fails_whatever_is_unsure(self, german: Path) -> None:
        project(german, agent=GERMAN.replace("if number:", 'if number and number.group() != "L-11":'))
        assert toologue("test", ".", "--fail-under", "0.9", "--allow-unsure", "1", cwd=german).returncode == 1

    def test_the_settings_may_say_so(self, german: Path) -> None:
        gate = "[gate]\nfail_under = 0.9\nallow_unsure = 0.4\n"
        project(german, agent=GERMAN, settings=SETTINGS + gate)
        assert toologue("test", ".", cwd=german).returncode == 0
        assert toologue("test", ".", "--allow-unsure", "0", cwd=german).returncode == 4

    def test_a_share_is_wanted(self, german: Path) -> None:
        done = toologue("test", ".", "--allow-unsure", "10", cwd=german)
        assert done.returncode == 2
        assert "--allow-unsure is 10.0: a share from 0 to 1 is wanted" in done.stderr

    def test_unsure_steps_are_listed_apart(self, german: Path) -> None:
        said = toologue("test", ".", cwd=german).stdout
        assert "look first" not in said
        assert "unsure, agent.py:agent:\n  locker.md:14, step 5: unsure, 1 ×" in said


class TestStrict:
    """A look-up too many does no harm, and is wrong all the same."""

    AGENT = AGENT.replace(
        'return "What is the number', 'return {"name": "get_locker", "arguments": {"locker_id": "L-99"}}\n    "'
    ).replace(
        '    if last["role"]',
        '    if "L-99" in str(last):\n        return "What is the number of the locker?"\n    if last["role"]',
    )

    def test_harm_counts_alone_unless_it_is_strict(self, tmp_path: Path) -> None:
        folder = project(tmp_path, agent=self.AGENT)
        loose, strict = (toologue("test", ".", "--fail-under", "1", *more, cwd=folder) for more in ([], ["--strict"]))
        assert (loose.returncode, strict.returncode) == (0, 1)
        assert "gate PASSED: harmless: 100.0 %" in loose.stdout
        assert "gate NOT PASSED: conversation correct: 0.0 %" in strict.stdout
        project(folder, agent=self.AGENT, settings=SETTINGS + "[gate]\nfail_under = 1\nstrict = true\n")
        assert toologue("test", ".", cwd=folder).returncode == 1


class TestAShareHidesNoRule:
    """One of three ways is never gone right: two thirds of the conversations pass, and yet nobody should go live."""

    AGENT = AGENT.replace("A colleague comes to open {said}.", "What is the number of the locker?")

    def test_it_fails_and_the_way_is_named(self, tmp_path: Path) -> None:
        folder = project(tmp_path, agent=self.AGENT)
        done = toologue("test", ".", "--fail-under", "0.6", cwd=folder)
        assert done.returncode == 1
        assert "gate NOT PASSED: harmless: 66.7 %" in done.stdout
        assert "wanted; never right at 1 way\n  locker.md:11, step 2: Otherwise" in done.stdout
        page = plain((folder / "report.html").read_text())
        assert "Never right here agent.py:agent locker.md:11, step 2: Otherwise Look first" in page

    def test_the_settings_may_take_the_share_alone(self, tmp_path: Path) -> None:
        gate = '[gate]\nfail_under = 0.6\nnever = "tell"\n'
        folder = project(tmp_path, agent=self.AGENT, settings=SETTINGS + gate)
        assert toologue("test", ".", cwd=folder).returncode == 0

    def test_what_is_forbidden_fails_once_it_occurs(self, tmp_path: Path) -> None:
        gate = '[gate]\nfail_under = 0.6\nnever = "tell"\nforbid = ["no answer"]\n'
        folder = project(tmp_path, agent=self.AGENT, settings=SETTINGS + gate)
        done = toologue("test", ".", cwd=folder)
        assert done.returncode == 1
        assert "at least 60.0 % wanted; 1 × no answer" in done.stdout

    def test_each_agent_has_its_verdict_on_the_page(self, tmp_path: Path) -> None:
        folder = project(tmp_path, agent=self.AGENT)
        done = toologue("test", ".", "--agent", "gold", "--agent", "agent.py:agent", "--fail-under", "0.9", cwd=folder)
        assert done.returncode == 0, "the gate is on the first"
        page = plain((folder / "report.html").read_text())
        assert "PASSED gold: harmless: 100.0 %" in page
        assert "NOT PASSED agent.py:agent: harmless: 66.7 %" in page


class TestThePageSaysWhetherItMayGoLive:
    @pytest.mark.parametrize(("least", "said"), [("0.9", "UNDECIDED"), ("0.6", "PASSED"), ("1.0", "UNDECIDED")])
    def test_the_verdict_stands_first(self, least: str, said: str, german: Path) -> None:
        toologue("test", ".", "--fail-under", least, cwd=german)
        page = plain((german / "report.html").read_text())
        assert f"May it go live? {said} agent.py:agent: harmless: 66.7 to 100.0 %" in page
        assert f"at least {float(least):.1%} wanted".replace("%", " %") in page
        assert page.index("wanted") < page.index("Look first") < page.index("What no test covers")
        assert page.index("What no test covers") < page.index("2 to 3 of 3 passed")

    def test_where_none_is_asked_for_both_say_how_to_ask(self, german: Path) -> None:
        done = toologue("test", ".", cwd=german)
        how = "none was asked for; `toologue test --fail-under 0.9` asks for one, or fail_under in toologue.toml"
        assert f"gate: {how}" in done.stdout
        assert f"No gate {how}" in plain((german / "report.html").read_text())

    def test_the_worst_is_named_with_the_conversation_that_shows_it(self, tmp_path: Path) -> None:
        folder = project(tmp_path, agent=CERTAINLY)
        done = toologue("test", ".", cwd=folder)
        source = (folder / "report.html").read_text()
        [first, *_] = re.findall(r"  (locker.md:\d+, step \d): (.*?), \d × ", done.stdout)
        assert f"{first[1]}, 3 ×, at {first[0]}: " in (page := plain(source))
        assert f"failed, at worst 3 × {first[1]}" in page
        [link] = re.findall(r'<li><b>.*?<a href="#(d\d+-0)">', source)[:1]
        assert f'id="{link}"' in source


def plain(source: str) -> str:
    """The words of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", source.partition("</header>")[2])).split())


@pytest.mark.parametrize("metric", ["wrong write", "no harm", "incorrect action rate", "bad call"])
def test_a_metric_of_which_less_is_better_is_refused_before_anything_is_done(metric: str, tmp_path: Path) -> None:
    folder = project(tmp_path, settings=SETTINGS + f"[gate]\nfail_under = 0.9\nmetric = {metric!r}\n")
    done = toologue("test", ".", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"toologue.toml: gate.metric: '{metric}' is better the lower it is" in done.stderr
    assert "leave metric out (harmless: no wrong step does harm), or set strict = true" in done.stderr
    assert toologue("test", ".", "--strict", cwd=folder).returncode == 0


@pytest.mark.parametrize("least", ["0", "0.01", "0.9"])
@pytest.mark.parametrize("more", [[], ["--strict"], ["--allow-unsure", "1"]], ids=str)
@pytest.mark.parametrize("procedure", [{}, {"locker": WORDS}], ids=["calls", "words alone"])
def test_who_says_the_same_to_everything_never_passes(
    procedure: dict[str, str], more: list[str], least: str, tmp_path: Path
) -> None:
    folder = project(tmp_path, agent=CERTAINLY, **procedure)
    done = toologue("test", ".", "--fail-under", least, *more, cwd=folder)
    assert done.returncode in (1, 4), done.stdout


class TestJson:
    """Both ends stand where a program reads them."""

    def test_of_a_graded_run(self, german: Path) -> None:
        toologue("test", ".", cwd=german)
        [run] = (german / ".toologue" / "runs").iterdir()
        assert toologue("score", run, cwd=german).returncode == 0
        scores = json.loads((run / "scores.json").read_text())
        [total] = [one for one in scores["totals"] if one["metric"] == "conversation correct"]
        assert (round(total["value"], 3), total["best"], total["unsure"]) == (0.667, 1.0, {"hits": 1.0})
        assert scores["decided"] == {"conversations": 2, "of": 3}

    def test_of_a_benchmark(self, german: Path) -> None:
        toologue("test", ".", cwd=german)
        [made] = (german / ".toologue" / "conversations").iterdir()
        agent = ["--agent", "callable:agent.py:agent", "--json", "found.json"]
        done = toologue("bench", "almita", "--data", made, *agent, cwd=german)
        assert done.returncode == 0
        assert "66.7 to 100.0 %" in done.stdout
        found = json.loads((german / "found.json").read_text())
        score = found["totals"]["all"]["scores"]["conversation correct"]
        assert (round(score["value"], 3), score["best"], score["unsure"]) == (0.667, 1.0, {"hits": 1.0})
        assert found["decided"] == {"conversations": 2, "of": 3}
        assert sorted(one["status"] for one in found["conversations"]) == ["passed", "passed", "unsure"]


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--fail-under", "0.9", "--strict", "--html", "g.html"),
        ("--fail-under", "0.0", "--allow-unsure", "0.1", "--unreached", "fail", "--trials", "2"),
        ("--agent", "agent.py:agent", "--agent", "procedure", "--only", "lock*", "--only", "*", "--limit", "2"),
    ],
    ids=str,
)
def test_the_line_that_makes_a_page_again_does_so(options: tuple[str, ...], tmp_path: Path) -> None:
    folder = project(tmp_path)
    page = folder / ("g.html" if "--html" in options else "report.html")
    done = toologue("test", ".", *options, cwd=folder)
    [line] = re.findall(r'<pre class="command" dir="ltr"><code>toologue (.*?)</code>', page.read_text())
    assert sorted(words := shlex.split(html.unescape(line))) == sorted(["test", ".", *options])
    assert toologue(*words, cwd=folder).returncode == done.returncode


def test_rules_that_only_the_paragraph_before_the_steps_says_are_told(tmp_path: Path) -> None:
    before = "\n\nWe never open a locker for a stranger. The hall closes at ten. Codes are told only by phone.\n\n1. "
    folder = project(tmp_path, locker=PROCEDURE.replace("\n\n1. ", before, 1))
    said = " ".join(toologue("test", folder, cwd=folder).stdout.split())
    assert "rules before the steps, which are tested only as far as a step says them, too." in said
    assert "locker.md: We never open a locker for a stranger. locker.md: Codes are told only by phone. " in said
    assert "The hall closes" not in said
    page = (folder / "report.html").read_text()
    covers = page[page.index("What no test covers") : page.index("</section>", page.index("What no test covers"))]
    assert '<span dir="auto">We never open a locker for a stranger.</span>' in covers
    assert 'what nothing tests</summary><p dir="auto">The hall closes at ten.</p>' in covers
    assert "rules before the steps" not in toologue("test", project(folder), cwd=folder).stdout
