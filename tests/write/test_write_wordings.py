"""`toologue plan words`: what people say at the steps of a procedure, asked once of a model, checked, used offline."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from command import Done, toologue
from tests.language_models.fake_endpoint import Answer, Endpoint, Request, refuses, says, serving
from tests.project.project_samples import SETTINGS, checked, project
from toologue.models.model import requests_allowed
from toologue.schema import Dialogue
from toologue.schema.jsonl import read
from toologue.write.wordings import Wording

LINE = re.compile(r"^(?P<number>\d+)\. (?P<who>A customer|The agent)(?P<what>.*?)(?: \(shows (?P<shows>.*)\))?$", re.M)
Said = dict[str, Any]
GIVES = "Here you are: {}, as asked."


def line_said(who: str, what: str, shows: str) -> Said:
    """What a good model says for a line, in three registers."""
    told = what.partition(": ")[2]
    if who == "The agent":
        return {register: [f"Listen, {register} words: {told}"] for register in ("warm", "brief", "formal")}
    if "opens" in what:
        words = "Nothing came at all, my friend."
    else:
        words = GIVES.format(shows) if shows else f"{told}, if you please."
    return {register: [f"{words[:-1]}{sign}"] for register, sign in (("terse", "."), ("chatty", "!"), ("formal", "!!"))}


class Sayer:
    """A model that finds wordings; what it says of some lines is put in their place, by their numbers."""

    def __init__(self) -> None:
        self.prompts, self.instead, self.cut_off = list[str](), dict[int, Said](), 99
        self.wrap: Callable[[str], str] = str
        self.endpoint: Endpoint

    def answer(self, request: Request) -> Answer:
        if len(self.prompts) == self.cut_off:
            return refuses(500)
        asked = request.messages[-1]["content"]
        self.prompts.append(asked)
        lines = LINE.finditer(request.messages[0]["content"])
        wanted = {int(one["number"]): line_said(one["who"], one["what"], one["shows"] or "") for one in lines}
        if len(request.messages) > 1:
            wanted = {
                number: wanted[number]
                for number in wanted
                if re.search(rf"(?:^- |[ ,]){number}\b", asked.partition(" What is")[0])
            }
        else:
            wanted |= {number: said for number, said in self.instead.items() if number in wanted}
        return says(self.wrap(json.dumps({str(number): said for number, said in wanted.items()})))

    @property
    def spec(self) -> str:
        return f"openai:sayer?base_url={self.endpoint.url}&tries=1"


@pytest.fixture
def model() -> Iterator[Sayer]:
    found = Sayer()
    with serving(found.answer) as found.endpoint, requests_allowed():
        yield found


def words(model: Sayer, cwd: Path, *more: object) -> Done:
    return toologue("plan", "words", *(more or ("order-not-received",)), "--model", model.spec, cwd=cwd)


def kept(folder: Path) -> list[Wording]:
    return list(read(folder / "wordings.jsonl", Wording))


def generated(folder: Path, *more: object) -> list[Dialogue]:
    done = toologue(
        "generate", "order-not-received", "-o", "suite", "--until", "0.5", "--count", "4", *more, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return list(read(folder / "suite/dialogues.jsonl", Dialogue))


class TestGoodModel:
    def test_one_request_finds_words_for_all_steps_of_a_procedure(self, model: Sayer, tmp_path: Path) -> None:
        done = words(model, tmp_path)
        assert done.returncode == 0
        assert len(model.prompts) == 1
        assert "13. The agent asks: whether to wait or cancel: the order is {order.status}" in model.prompts[0]
        assert "15. A customer answers line 13: Cancel\n" in model.prompts[0]
        assert "10. A customer answers line 9: gives what is asked for (shows {order_id})\n" in model.prompts[0]
        found = kept(tmp_path)
        assert len(found) == 27
        assert (found[6].step, found[6].about) == (1, "for the order number and the e-mail address they used.")
        assert found[6].texts.keys() == {"warm", "brief", "formal"}

    def test_generate_says_them_ever_after_and_asks_nothing(self, model: Sayer, tmp_path: Path) -> None:
        words(model, tmp_path)
        made = generated(tmp_path, "--wordings", "wordings.jsonl")
        assert len(model.prompts) == 1
        texts = [turn.text or "" for one in made for turn in one.turns]
        assert any("Nothing came at all, my friend" in text for text in texts)
        assert sum("words:" in text for text in texts) >= 3 * len(made)
        assert any(re.search(r"Here you are: O-\d{5}, \S+@\S+, as asked", text) for text in texts)
        assert all(one.origin["wordings"] for one in made)
        assert toologue("verify", "suite", cwd=tmp_path).returncode == 0

    def test_plans_are_worded_with_them_as_well(self, model: Sayer, tmp_path: Path) -> None:
        words(model, tmp_path)
        made = generated(tmp_path, "--wordings", "wordings.jsonl")
        command = ("write", "suite/plans.jsonl", "-o", "again.jsonl", "--wordings", "wordings.jsonl")
        assert toologue(*command, cwd=tmp_path).returncode == 0
        assert list(read(tmp_path / "again.jsonl", Dialogue)) == made
        done = toologue(*command[:-1], "none.jsonl", cwd=tmp_path)
        assert (done.returncode, "`toologue plan words` makes one" in done.stderr) == (2, True)


BAD: dict[int, Said] = {
    7: {"warm": "Your number, and step 3 please?", "brief": [""], "cheery": "Hm?", "formal": "Is it O-48213, Anna?"},
    8: {"terse": ["It is {order_id}."], "chatty": ["{order_id}, {email}, {city}"]},
    9: {"warm": "There is no {order_id}. Shall I call get_order?", "formal": "There is no {order_id}.", "brief": 7},
    15: {"terse": "Wait.", "chatty": "Cancel it, please.", "annoyed": "Oh, whatever.", "formal": ["Cancel it."] * 2},
}


class TestBadModel:
    def test_what_cannot_be_used_is_dropped_and_counted_by_reason(self, model: Sayer, tmp_path: Path) -> None:
        model.instead = BAD
        done = words(model, tmp_path)
        assert done.stdout == (Path(__file__).parent / "wordings.txt").read_text()
        texts = {one.place: one.texts for one in kept(tmp_path)}
        assert {"chatty": ("Cancel it, please.",), "formal": ("Cancel it.",)} in texts.values()

    def test_only_lines_without_any_text_are_asked_for_again_and_told_why(self, model: Sayer, tmp_path: Path) -> None:
        model.instead = BAD
        words(model, tmp_path)
        assert len(model.prompts) == 2
        assert "There is no text yet that can be used for the lines 7, 8. What is wrong" in model.prompts[1]
        assert "- 7: formal: value made up: 'Anna' in 'Is it O-48213, Anna?'" in model.prompts[1]
        assert "- 8: terse: value missing: {email} in 'It is {order_id}.'" in model.prompts[1]
        assert len(kept(tmp_path)) == 27

    @pytest.mark.parametrize("reply", ["I would rather not.", "[]"])
    def test_a_reply_that_is_none_is_asked_for_again_and_then_the_template_speaks(
        self, model: Sayer, tmp_path: Path, reply: str
    ) -> None:
        model.wrap = lambda said: reply
        done = words(model, tmp_path)
        assert (done.returncode, len(model.prompts)) == (0, 2)
        assert "the template's words stand at places without any:" in done.stdout
        assert "order-not-received: step 1: for the order number and the e-mail address they used." in done.stdout
        assert not (tmp_path / "wordings.jsonl").exists()

    def test_of_a_reply_that_was_cut_off_there_is_what_there_is(self, model: Sayer, tmp_path: Path) -> None:
        model.wrap = lambda said: f"Here they are: {said[:-900]}"
        words(model, tmp_path)
        assert len(model.prompts) == 2
        assert "can be used for the lines 26, 27." in model.prompts[1]


class TestAgain:
    def test_after_a_kill_nothing_is_asked_twice(self, model: Sayer, tmp_path: Path) -> None:
        model.cut_off = 1
        both = ("add-baggage", "order-not-received")
        done = words(model, tmp_path, *both)
        assert (done.returncode, len(model.prompts)) == (2, 1)
        assert {one.procedure for one in kept(tmp_path)} == {"add-baggage"}
        model.cut_off = 99
        assert words(model, tmp_path, *both).returncode == 0
        assert len(model.prompts) == 2
        assert words(model, tmp_path, *both).returncode == 0
        assert len(model.prompts) == 2
        assert {one.procedure for one in kept(tmp_path)} == {*both}

    def test_a_step_that_changes_loses_its_own_words_and_no_others(self, model: Sayer, tmp_path: Path) -> None:
        where = project(tmp_path)
        assert words(model, tmp_path, ".").returncode == 0
        locker = where / "procedures/locker.md"
        before = {one.place for one in read(where / "procedures/wordings.jsonl", Wording)}
        locker.write_text(locker.read_text().replace("for the number of the locker", "for the number on the door"))
        words(model, tmp_path, ".")
        after = {one.place for one in read(where / "procedures/wordings.jsonl", Wording)}
        assert (len(before), len(after - before), len(model.prompts)) == (6, 2, 2)
        assert "2. The agent asks: for the number on the door.\n3. A customer answers line 2" in model.prompts[1]
        assert "The agent says as the last words" not in model.prompts[1]

    def test_a_project_is_tested_with_them_offline(self, model: Sayer, tmp_path: Path) -> None:
        project(tmp_path)
        first = checked(tmp_path, "gold").suites[0].dialogues
        words(model, tmp_path, ".")
        done = checked(tmp_path, "gold", "procedure")
        made = done.suites[0].dialogues
        assert len(model.prompts) == 1
        assert [one.id for one in made] == [one.id for one in first]
        assert all("words: for the number" in str(one.turns[1].text) for one in made)
        assert [trial.passed for trial in done.trials] == [3, 3]


class TestWriter:
    """`[conversations] writer`: a model that finds the words of a project's conversations."""

    MODEL = """
from toologue.models.model import ModelFault, ScriptedModel
babbling = ScriptedModel(lambda asked: "Good day.")
broken = ScriptedModel(lambda asked: ModelFault("server_error", "refused the request", status=500))
"""

    @pytest.fixture
    def where(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        (tmp_path / "wordy_models.py").write_text(self.MODEL)
        monkeypatch.syspath_prepend(str(tmp_path))
        return tmp_path

    def settings(self, name: str) -> str:
        return SETTINGS.replace("count = 3", f'count = 3\nwriter = "wordy_models:{name}"')

    def test_where_its_words_are_wrong_the_templates_stand(self, where: Path) -> None:
        project(where, settings=self.settings("babbling"))
        made = checked(where, "gold").suites[0].dialogues
        assert ["no JSON array" in str(one.origin["instead"]) for one in made] == [True] * 3

    def test_conversations_without_words_are_not_kept(self, where: Path) -> None:
        project(where, settings=self.settings("broken"))
        done = toologue("test", cwd=where)
        assert done.returncode == 3
        assert "locker.md: the model gave no words for 3 conversations, and none of it was kept" in done.stderr
        assert not list(where.glob(".toologue/conversations/*/made.json"))
