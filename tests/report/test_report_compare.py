"""Two runs compared: what broke, what was mended, what flickers, and when that is a regression."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from command import toologue
from toologue.bench.tooltalk.conversations import starter
from toologue.report.compare import compare_outcomes
from toologue.report.tables import comparison_table
from toologue.schema import Outcome, Slip, Status
from toologue.schema.jsonl import read, write

BRIEF: dict[str, Status] = {"p": "passed", "f": "failed", "u": "unsure", "-": "unscored"}


def run(lived: str = "", expected: str = "e", **trials: str) -> list[Outcome]:
    """A run of dialogues by name, a letter a trial: p(assed), f(ailed), u(nsure), - for none that was scored."""
    return [
        Outcome(
            dialogue=name,
            trial=number,
            status=BRIEF[letter],
            procedure="returns",
            slips=(Slip(node="N4", tool="refund", severity="missing write"),) if letter == "f" else (),
            counts={} if letter == "-" else {"success": {"hits": float(letter == "p"), "of": 1.0}},
            unsure={"success": {"hits": 1.0}} if letter == "u" else {},
            expected=expected,
            lived=f"{lived or letters}{name}{number}",
        )
        for name, letters in trials.items()
        for number, letter in enumerate(letters)
    ]


def printed(table: Table) -> str:
    screen = Console(width=140, file=io.StringIO(), force_terminal=False)
    with screen.capture() as told:
        screen.print(table)
    return told.get()


def names(found: Sequence[tuple[str, ...]]) -> list[str]:
    return [one[0] for one in found]


def test_broke_is_passed_for_sure_and_now_failed_for_sure() -> None:
    found = compare_outcomes(
        run(broke="p", mended="f", same="p", opened="p", closed="u"),
        run(broke="f", mended="p", same="p", opened="u", closed="p"),
    )
    assert names(found.broke) == ["broke"]
    assert names(found.mended) == ["mended"]
    assert names(found.flickers) == ["opened", "closed"]
    assert found.broke[0].slips == [Slip(node="N4", tool="refund", severity="missing write")]
    assert found.mended[0].slips == found.broke[0].slips
    assert found.p == 1.0


def test_a_conversation_whose_trials_disagree_flickers_and_did_not_break() -> None:
    found = compare_outcomes(run(sure="ppp", flaky="ppf", late="ppp"), run(sure="fff", flaky="fff", late="ppf"))
    assert names(found.broke) == ["sure"]
    assert names(found.flickers) == ["flaky", "late"]
    assert found.p is None


def test_trials_without_a_score_say_nothing() -> None:
    found = compare_outcomes(run(half="p-", none="--", same="pp"), run(half="ff", none="ff", same="pp"))
    assert names(found.broke) == ["half"]
    assert found.unscored == (3, 0)
    assert found.of == 3


def test_conversations_of_one_run_alone_and_those_that_expect_something_else_are_named_and_left_out() -> None:
    before = run(gone="p", shared="p") + run(altered="p", expected="before")
    after = run(new="f", shared="p") + run(altered="f", expected="after")
    found = compare_outcomes(before, after)
    assert (found.gone, found.new, found.altered, found.of) == (["gone"], ["new"], ["altered"], 1)
    assert not found.broke


class TestARegression:
    def regressed(self, before: list[Outcome], after: list[Outcome]) -> bool:
        return compare_outcomes(before, after).regressed

    def test_is_one_conversation_that_broke(self) -> None:
        assert self.regressed(run(a="p", b="f", c="f"), run(a="f", b="p", c="p"))

    def test_is_no_flaky_one(self) -> None:
        many = dict.fromkeys("abcdefgh", "ppp")
        assert not self.regressed(run(**many, z="ppf"), run(**many, z="ffp"))

    def test_is_many_flaky_ones_that_pass_less_often_than_chance_explains(self) -> None:
        found = compare_outcomes(
            run(**{f"d{at}": "pppf" for at in range(20)}), run(**{f"d{at}": "pfff" for at in range(20)})
        )
        assert not found.broke
        assert found.passing is not None
        assert found.passing.verdict == "worse"
        assert found.regressed

    def test_is_nothing_that_is_unsure(self) -> None:
        many = [f"d{at}" for at in range(20)]
        assert not self.regressed(run(**dict.fromkeys(many, "p")), run(**dict.fromkeys(many, "u")))


def test_what_is_unsure_and_the_same_as_before_is_no_difference() -> None:
    """Of other words nobody knows whether they are as good; of the same words everybody does."""
    many = dict.fromkeys([f"d{at}" for at in range(20)], "u")
    [other] = compare_outcomes(run("first", **many), run("second", **many)).differences
    [same] = compare_outcomes(run("first", **many), run("first", **many)).differences
    assert (other.value, other.best) == (-1.0, 1.0)
    assert (same.value, same.best, same.before) == (0.0, 0.0, (0.0, 1.0))


def test_an_outcome_comes_back_from_its_line(tmp_path: Path) -> None:
    write(tmp_path / "baseline.jsonl", mine := run(a="pf", b="u"))
    assert [*read(tmp_path / "baseline.jsonl", Outcome)] == mine


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`gold` and one that gives a wrong argument, through some of what ships."""
    folder = tmp_path_factory.mktemp("runs")
    write(folder / "dialogues.jsonl", starter()[:12])
    for name in ("gold", "altered:wrong_argument"):
        out = name.rpartition(":")[2]
        assert toologue("run", "dialogues.jsonl", "--agent", name, "-o", out, cwd=folder).returncode == 0
    return folder


def test_a_row_says_of_how_many_conversations_it_is() -> None:
    """Of one that has nothing to score in either run nothing is compared; the row says how many are left."""
    before, after = run(a="p", b="f", c="f"), run(a="f", b="p", c="p")
    after[2] = after[2].replace(counts={"recall": {"hits": 1.0, "of": 1.0}})
    before[0] = before[0].replace(counts={**before[0].counts, "recall": {"hits": 1.0, "of": 1.0}})
    found = compare_outcomes(before, after)
    assert [(one.metric, one.of) for one in found.differences] == [("success", 2)]
    told = printed(comparison_table(found, "both"))
    assert "n: conversations in which both runs have something to score" in told
    [row] = [line.split() for line in told.splitlines() if line.split()[:1] == ["success"]]
    assert row[1] == "2"


class TestTheCommand:
    def test_names_what_broke_where_it_went_wrong_and_gates(self, runs: Path) -> None:
        done = toologue("compare", "gold", "wrong_argument", "--json", "c.json", "--fail-on-regression", cwd=runs)
        assert done.returncode == 1
        told = json.loads((runs / "c.json").read_text())
        assert told["regressed"]
        assert f"broke: {len(told['broke'])}" in done.stdout
        assert "by tool: " in done.stdout
        [passing] = [one for one in told["differences"] if one["metric"] == "success"]
        assert passing["verdict"] == "worse"
        assert "worse" in done.stdout
        assert toologue("compare", "gold", "wrong_argument", cwd=runs).returncode == 0
        assert toologue("compare", "wrong_argument", "gold", "--fail-on-regression", cwd=runs).returncode == 0

    def test_refuses_runs_that_others_graded_and_says_what_grades_both(self, runs: Path) -> None:
        assert toologue("score", "gold", "--similarity", "exact", "--again", cwd=runs).returncode == 0
        assert toologue("score", "wrong_argument", "--again", cwd=runs).returncode == 0
        done = toologue("compare", "gold", "wrong_argument", cwd=runs)
        assert done.returncode == 2
        remedy = "toologue score gold --again && toologue score wrong_argument"
        assert f"different graders (similarity): grade both anew: {remedy} --again" in done.stderr
        for one in remedy.split(" && "):
            assert toologue(*one.replace(" --again", "").split()[1:], "--again", cwd=runs).returncode == 0
        assert toologue("compare", "gold", "wrong_argument", cwd=runs).returncode == 0

    def test_wants_two_runs_or_a_project(self, runs: Path) -> None:
        for words in (["gold"], ["gold", "gold", "gold"], [], ["gold", "gold", "--set"]):
            done = toologue("compare", *words, cwd=runs)
            assert (done.returncode, "name two run folders" in done.stderr) == (2, True)
