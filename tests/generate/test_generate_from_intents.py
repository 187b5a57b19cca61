"""`generate --model M --intents N`: ALMITA's stages with a model, each counted; `--writer`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command import Done, toologue
from tests.language_models.fake_endpoint import Answer, Endpoint, Request, refuses, says, serving
from toologue.models.model import requests_allowed
from toologue.project.from_prose import Stage
from toologue.schema import Dialogue
from toologue.schema.jsonl import read

GATE = {
    "industry": "allotment",
    "client": "an allotment garden",
    "name": "Gate stays shut",
    "issue": "The code for the gate was changed on Monday, and the new one that came by post opens nothing.",
}
VAGUE = {**GATE, "name": "Water", "issue": "No water."}
PROCEDURE = """---
id: ../../gate
client: an allotment garden
issue: The gate does not open with the code that I was sent.
---

# The gate

1. **Ask** for the number of the plot. Collect `plot_number`.
2. **Call** `get_plot` with `plot_number`, giving `plot`.
   - If it fails with `not_found`: go to 5.
   - If `plot.gate_code == "old"`: go to 3.
   - Otherwise: go to 4.
3. **End**: say that a letter with the new code is on its way to plot {plot_number}.
4. **End**: say that a warden comes to look at the gate today.
5. **End**: say that there is no plot {plot_number}.
"""
BROKEN = PROCEDURE.replace("go to 3", "go to 30")
TALK = "# Kind words\n\n1. **End**: say that the garden is shut in winter.\n"


class Thinker:
    """A model that thinks of an intent and writes procedures for it, the last of them again and again."""

    def __init__(self, *procedures: str):
        self.prompts, self.procedures, self.cut_off = list[str](), list(procedures), 99
        self.endpoint: Endpoint

    def answer(self, request: Request) -> Answer:
        if len(self.prompts) == self.cut_off:
            return refuses(500)
        asked: str = request.messages[-1]["content"]
        self.prompts.append(asked)
        if asked.startswith("You help a company"):
            return says(json.dumps([VAGUE, GATE]))
        if asked.startswith("You have run"):
            return says(f"1. Ask for the plot, by way {len(self.prompts)}. 2. Look it up.")
        return says(self.procedures.pop(0) if len(self.procedures) > 1 else self.procedures[0])

    @property
    def spec(self) -> str:
        return f"openai:thinker?base_url={self.endpoint.url}&tries=1"


@pytest.fixture
def model() -> Iterator[Thinker]:
    found = Thinker(PROCEDURE, TALK)
    with serving(found.answer) as found.endpoint, requests_allowed():
        yield found


def generate(model: Thinker, cwd: Path, *more: object) -> Done:
    command = ("generate", "--model", model.spec, "--intents", "1", "-o", "suite", "--count", "4")
    return toologue(*command, *more, cwd=cwd)


SAID = (Path(__file__).parent / "from_intents.txt").read_text()


class TestStages:
    def test_each_stage_says_what_it_made_and_dropped(self, model: Thinker, tmp_path: Path) -> None:
        done = generate(model, tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.partition("statistics\n")[0].strip() == SAID.strip()
        stages = {one.name: one for one in read(tmp_path / "suite/stages.jsonl", Stage)}
        assert stages["intents"].dropped == {"too vague": 1}
        assert stages["with APIs"].dropped == {"it calls nothing": 1}
        assert stages["flowgraphs"].kept == stages["conversation graphs"].kept == 1
        dialogues = list(read(tmp_path / "suite/dialogues.jsonl", Dialogue))
        assert len(dialogues) == stages["conversations"].kept
        assert {str(one.origin["procedure"]) for one in dialogues} == {"gate-stays-shut-1"}
        assert toologue("verify", "suite", cwd=tmp_path).returncode == 0

    def test_names_of_files_are_ours(self, model: Thinker, tmp_path: Path) -> None:
        generate(model, tmp_path)
        found = {str(one.relative_to(tmp_path / "suite")) for one in tmp_path.rglob("gate*")}
        assert found == {"services/gate-stays-shut-1.jsonl", "procedures/gate-stays-shut-1.md"}

    def test_what_does_not_compile_is_dropped_with_the_reason(self, model: Thinker, tmp_path: Path) -> None:
        model.procedures = [BROKEN, PROCEDURE, BROKEN]
        done = generate(model, tmp_path)
        assert done.returncode == 0, done.stderr
        stage = next(one for one in read(tmp_path / "suite/stages.jsonl", Stage) if one.name == "procedures")
        assert (stage.generated, stage.repaired, stage.dropped) == (2, 1, {"does not compile": 1})
        assert stage.examples["does not compile"].startswith("12: step 2 goes to 30")

    def test_after_a_kill_nothing_is_asked_twice(self, model: Thinker, tmp_path: Path) -> None:
        model.cut_off = 3
        assert generate(model, tmp_path).returncode == 2
        model.cut_off = 99
        assert generate(model, tmp_path).returncode == 0
        assert len(model.prompts) == len(set(model.prompts)) == 5
        first = (tmp_path / "suite/dialogues.jsonl").read_bytes()
        assert generate(model, tmp_path).returncode == 0
        assert (len(model.prompts), (tmp_path / "suite/dialogues.jsonl").read_bytes()) == (5, first)

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (("order-not-received",), "--model thinks up procedures; who words those that are named is --writer"),
            (("--each", "0"), "--each 0: give 1 or more"),
        ],
    )
    def test_bad_input(self, model: Thinker, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
        done = generate(model, tmp_path, *more)
        assert (done.returncode, said in done.stderr, model.prompts) == (2, True, [])

    def test_nothing_that_can_be_used_is_an_error_that_says_why(self, model: Thinker, tmp_path: Path) -> None:
        model.procedures = [BROKEN]
        done = generate(model, tmp_path)
        assert (done.returncode, "no procedure is left" in done.stderr) == (2, True)
        assert not (tmp_path / "suite/dialogues.jsonl").exists()


class TestWriter:
    """A model finds the words of conversations; what verification finds is told to it."""

    def made(self, cwd: Path, wrong: str = "", stays: bool = False) -> tuple[Done, list[Any]]:
        command = ("generate", "add-baggage", "-o", "suite", "--count", "2", "--until", "0.1", "--noise", "0")
        plain = toologue(*command, "--detours", "0", cwd=cwd)
        assert plain.returncode == 0, plain.stderr
        told = list(read(cwd / "suite/dialogues.jsonl", Dialogue))
        good = [[turn.text for turn in one.turns if turn.text is not None] for one in told]
        asked = list[Any]()

        def answer(request: Request) -> Answer:
            first = len(request.messages) == 1
            asked.append(request.messages)
            mine = next(texts for texts in good if f"with {len(texts)} texts" in request.messages[0]["content"])
            spoilt = [mine[0], wrong, *mine[2:]] if wrong and (first or stays) else mine
            return says(json.dumps({"messages": spoilt}))

        with serving(answer) as endpoint, requests_allowed():
            model = f"openai:writer?base_url={endpoint.url}&tries=1"
            return toologue(*command, "--detours", "0", "--writer", model, cwd=cwd), asked

    def test_good_words_are_taken(self, tmp_path: Path) -> None:
        done, asked = self.made(tmp_path)
        assert done.returncode == 0, done.stderr
        made = list(read(tmp_path / "suite/dialogues.jsonl", Dialogue))
        assert len(asked) == len(made)
        assert {str(one.origin["writer"]) for one in made} == {"writer"}
        assert "template's words" not in done.stdout

    def test_what_verification_finds_is_told_to_the_model(self, tmp_path: Path) -> None:
        done, asked = self.made(tmp_path, wrong="It costs 4,711 euros.")
        assert done.returncode == 0, done.stderr
        assert any("invalid: message" in messages[-1]["content"] for messages in asked)
        assert "template's words" not in done.stdout

    def test_words_that_stay_wrong_are_the_templates_counted_and_named(self, tmp_path: Path) -> None:
        done, _ = self.made(tmp_path, wrong="It costs 4,711 euros.", stays=True)
        assert done.returncode == 0, done.stderr
        made = list(read(tmp_path / "suite/dialogues.jsonl", Dialogue))
        assert any("supported: nothing so far says '4,711 euros'" in str(one.origin["instead"]) for one in made)
        assert all(one.origin["writer"] == "template" for one in made)
        assert f"{len(made)} with the template's words, since the model's were not valid:" in done.stdout
        assert f"  {made[0].id}: " in done.stdout
