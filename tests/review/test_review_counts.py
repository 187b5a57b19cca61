"""Decisions count: brackets narrow, blamed gold leaves them, repaired gold comes back and stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from review_samples import vague_project

from tests.command import toologue
from tests.project.project_samples import AGENT, PROCEDURE, checked, project
from toologue import load
from toologue.report.view import Conversation
from toologue.score.metric import Total

LEAK = "tells what belongs to another customer"


def listed(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in toologue("review", folder, "--list", cwd=folder).stdout.splitlines()]


def decide(folder: Path, who: str, *answers: dict[str, Any]) -> None:
    file = folder / "answers"
    file.write_text("".join(json.dumps(one) + "\n" for one in answers))
    assert toologue("review", folder, "--as", who, "--decide", file, cwd=folder).returncode == 0


def rewrite(folder: Path, words: str, others: str) -> None:
    """One step of the procedure in other words."""
    (folder / "procedures" / "locker.md").write_text(PROCEDURE.replace(words, others))


def total(folder: Path, metric: str = "correct reply") -> Total:
    return checked(folder).trials[0].by_metric[metric]


def width(found: Total) -> float:
    return (found.best or 0.0) - (found.value or 0.0)


def lived(folder: Path) -> list[Conversation]:
    return list(checked(folder).trials[0].conversations)


def test_what_is_asked_is_of_the_agents_of_the_settings_and_of_the_last_test(tmp_path: Path) -> None:
    def asked_of(*more: str) -> set[str]:
        said = toologue("review", folder, "--list", *more, cwd=folder).stdout
        return {json.loads(line)["notes"]["agent"].rpartition("/")[2] for line in said.splitlines()}

    folder = vague_project(tmp_path)
    (folder / "other.py").write_text((folder / "agent.py").read_text())
    toologue("test", folder, "--agent", "other.py:agent", cwd=folder)
    assert asked_of() == {"other.py:agent"}
    toologue("test", folder, cwd=folder)
    assert asked_of() == {"agent.py:agent"}
    assert asked_of("--agent", "other.py:agent") == {"other.py:agent"}


class TestABracket:
    def test_it_narrows_with_each_decision_and_nothing_is_run_again(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        before, asked = total(folder), listed(folder)
        decide(folder, "ana", {"question": asked[0]["question"], "verdict": "right"})
        found = checked(folder)
        middle = found.trials[0].by_metric["correct reply"]
        assert found.trials[0].fresh == 0
        assert 0 < width(middle) < width(before)
        assert (middle.value or 0) > (before.value or 0)
        verdicts = ({"question": one["question"], "verdict": "wrong", "reasons": [LEAK]} for one in asked[1:])
        decide(folder, "ana", *verdicts)
        assert width(total(folder)) == 0
        assert (total(folder, "leak").value or 0) > 0

    def test_who_decided_and_when_stands_in_the_terminal_and_on_the_page(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        yes, no, *_ = listed(folder)
        decide(folder, "ana", {"question": yes["question"], "verdict": "right"})
        decide(folder, "ben", {"question": no["question"], "verdict": "wrong", "reasons": ["it is vague"]})
        said, page = toologue("test", folder, cwd=folder).stdout, folder / "report.html"
        for told in ("accepted on 20", "rejected on 20"):
            assert told in said
            assert told in page.read_text()
        (at,) = {one.at for one in lived(folder) for one in one.decisions.values() if one.who == "ana"}
        assert f"accepted on {at[:10]} by ana <span" in page.read_text()
        assert f"rejected on {at[:10]} by ben; it is vague" in page.read_text()

    def test_a_run_folder_takes_the_decisions_beside_it(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        (run,) = (folder / ".toologue" / "runs").iterdir()
        asked = listed(run)
        before = toologue("score", run, cwd=folder).stdout
        decide(run, "ana", *({"question": one["question"], "verdict": "right"} for one in asked))
        assert (run.parent / "reviews" / "ana.jsonl").exists()
        after = toologue("score", run, cwd=folder).stdout
        assert "fully decided" in before
        assert "fully decided" not in after
        assert "accepted on" in after
        elsewhere = folder / "none"
        elsewhere.mkdir()
        assert "fully decided" in toologue("score", run, "--reviews", elsewhere, cwd=folder).stdout
        assert toologue("score", run, "--reviews", folder / "nowhere", cwd=folder).returncode == 2

    def test_worst_first_what_decides_a_conversation_alone(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        status = {one.gold.id: one.status for one in lived(folder)}
        hopes = [status[one["notes"]["dialogue"]] == "unsure" for one in listed(folder)]
        assert hopes == sorted(hopes, reverse=True)


class TestBlamedGold:
    def blamed(self, folder: Path) -> dict[str, Any]:
        asked = listed(folder)[0]
        decide(folder, "ana", {"question": asked["question"], "verdict": "right", "blame": "gold"})
        return asked

    def test_it_is_in_no_figure_and_is_listed(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        before = total(folder, "test correct")
        place = self.blamed(folder)["notes"]
        after = total(folder, "test correct")
        assert after.counts["of"] < before.counts["of"]
        said = toologue("test", folder, cwd=folder).stdout
        where = f"{place['dialogue']}, turn {place['turn'] + 1}"
        assert "gold blamed, and in no figure:" in said
        assert where in said
        assert where in (folder / "report.html").read_text()

    def test_repaired_by_an_accepted_reply_it_counts_again_also_after_a_new_generation(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        before = total(folder, "test correct")
        asked = self.blamed(folder)
        done = toologue("review", folder, "--repair", "--as", "ben", cwd=folder)
        assert (done.returncode, asked["said"] in done.stdout) == (0, True)
        after = total(folder, "test correct")
        assert after.counts["of"] == before.counts["of"]
        assert after.counts["hits"] > before.counts["hits"]
        assert "gold blamed" not in toologue("test", folder, cwd=folder).stdout
        rewrite(folder, "is open already" if "is open" not in asked["step"] else "comes to open", "is looked after")
        said = toologue("test", folder, cwd=folder).stdout
        assert "1 made, 0 kept" in said
        assert "1 repaired" in said

    def test_a_corrected_turn_takes_the_place_of_the_golds_if_it_is_valid(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        asked = self.blamed(folder)
        key = json.loads((folder / "reviews" / "ana.jsonl").read_text())["gold"]
        repair = folder / "repair"

        def repaired(text: str) -> tuple[int, str]:
            turn = {"role": "agent", "text": text}
            repair.write_text(json.dumps({"gold": key, "turn": turn, "instead": True}))
            done = toologue("review", folder, "--repair", "--decide", repair, "--as", "ana", cwd=folder)
            return done.returncode, done.stdout

        status, said = repaired("Your parcel O-10423 leaves on 3 May.")
        assert (status, "refused, since it would not be valid" in said) == (3, True)
        words = asked["expected"].replace(".", ", as you may have seen.")
        assert repaired(words)[0] == 0
        golds = {one.gold.id: one.gold for one in lived(folder)}
        assert golds[asked["notes"]["dialogue"]].turns[asked["notes"]["turn"]].text == words


def test_a_blamed_call_leaves_its_conversation_unscored_and_is_listed(tmp_path: Path) -> None:
    """ToolTalk: of a text in a call."""
    bench = ("bench", "tooltalk", "--agent", "retrieve", "--out", tmp_path / "run", "--html", tmp_path / "page.html")
    assert "gold blamed" not in toologue(*bench, cwd=tmp_path).stdout
    asked = listed(tmp_path / "run")[0]
    answers = tmp_path / "answers"
    answers.write_text(json.dumps({"question": asked["question"], "verdict": "right", "blame": "gold"}))
    toologue("review", tmp_path / "run", "--as", "ana", "--decide", answers, cwd=tmp_path)
    done = toologue(*bench, cwd=tmp_path)
    assert f"gold blamed, and in no figure: 1 step: {asked['notes']['dialogue']}" in done.stdout
    assert "unscored (its gold is blamed)" in (tmp_path / "page.html").read_text()


class TestAChangedProcedure:
    def test_conversations_that_do_not_change_keep_their_decisions(self, tmp_path: Path) -> None:
        folder = vague_project(tmp_path)
        decide(folder, "ana", *({"question": one["question"], "verdict": "right"} for one in listed(folder)))
        before = {one.gold.id: one for one in lived(folder)}
        rewrite(folder, "a colleague comes to open", "somebody is sent to")
        toologue("test", folder, cwd=folder)
        after = {one.gold.id: one for one in lived(folder)}
        same = [
            id for id in before
            if [turn.text for turn in before[id].gold.turns] == [turn.text for turn in after[id].gold.turns]
        ]  # fmt: skip
        assert 0 < len(same) < len(before) == len(after)
        assert all(after[id].decisions == before[id].decisions for id in same)

    def test_a_branch_more_adds_conversations_and_changes_none(self, tmp_path: Path) -> None:
        asks = "**Ask** whether it opens now, as {locker_id} is not locked.\n   - Yes: go to 6.\n   - No: go to 5."
        before = PROCEDURE.replace("**End**: say that {locker_id} is open already.", asks)
        before += "6. **End**: say that we are glad.\n"
        after = before.replace("   - No: go to 5.", "   - No: go to 5.\n   - They have lost the key: go to 7.")
        after += "7. **End**: say that a new key costs nothing.\n"
        folder, said = project(tmp_path), list[dict[str, list[str | None]]]()
        for text in (before, after):
            (folder / "procedures" / "locker.md").write_text(text)
            said.append({gold.id: [turn.text for turn in gold.turns] for gold in load(folder)})
        assert (len(said[0]), len(said[1])) == (4, 5)
        assert said[0].items() <= said[1].items()


LAZY = AGENT.replace(
    'return {"name": "get_locker", "arguments": {"locker_id": number.group()}}', 'return "Let me see."'
)


def test_what_rules_find_wrong_can_be_contested(tmp_path: Path) -> None:
    def failed(*more: str) -> list[dict[str, Any]]:
        said = toologue("review", folder, "--failed", *more, cwd=folder).stdout
        return [json.loads(line) for line in said.splitlines()]

    folder = project(tmp_path, agent=LAZY)
    said = toologue("test", folder, cwd=folder).stdout
    assert f"a verdict that you doubt: `toologue review {folder} --failed`" in said
    assert listed(folder) == []
    first, second, *_ = asked = failed("--list", "--kind", "call")
    assert {one["expected"][0]["api"] for one in asked} == {"get_locker"}
    assert {one["verdict"] for one in asked} == {"wrong"}
    assert all(one["why"] for one in asked)
    before, calls = total(folder, "test correct"), checked(folder).trials[0].by_metric["API recall"]
    file = folder / "answers"
    answers = [
        {"question": first["question"], "verdict": "right"},
        {"question": second["question"], "verdict": "wrong", "blame": "gold"},
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in answers))
    assert toologue("review", folder, "--failed", "--decide", file, "--as", "ana", cwd=folder).returncode == 0
    after = total(folder, "test correct")
    assert after.counts["hits"] == before.counts["hits"] + 1
    assert after.counts["of"] == before.counts["of"] - 1
    assert total(folder, "API recall").counts["of"] == calls.counts["of"] - 1
