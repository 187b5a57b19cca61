"""What a simulated service makes up, and a step says aloud, is found; another value of it is no wrong information."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import toologue
from toologue import generate
from toologue.formats.procedure import read
from toologue.models.similarity import TextMatch
from toologue.plan.procedures.made_up import made_up_told
from toologue.plan.procedures.service import Service, service
from toologue.schema import AgentTurn, Setting
from toologue.score.steps import judged_step

API = """
openapi: 3.0.3
info: {title: Gym, version: "1"}
paths:
  /members/{member}:
    get:
      operationId: getMember
      parameters: [{name: member, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Member"}}}}
  /members/{member}/freezes:
    post:
      operationId: freeze
      x-action: {requires: member.status == "active"}
      parameters: [{name: member, in: path, required: true, schema: {type: string}}]
      requestBody:
        content:
          application/json:
            schema: {type: object, required: [start], properties: {start: {type: string, format: date}}}
      responses:
        "201": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Freeze"}}}}
components:
  schemas:
    Member: {type: object, required: [member, status], properties: {member: {type: string}, status: {type: string}}}
    Freeze:
      type: object
      properties:
        id: {type: string, readOnly: true}
        member: {type: string}
        start: {type: string, format: date}
        ends: {type: string, format: date, readOnly: true}
        price: {type: number, readOnly: true}
        status: {type: string, enum: [planned, over], readOnly: true}
        created_at: {type: string, format: date-time, readOnly: true}
"""
ROWS = """
now: 2025-03-12T09:30:00Z
members:
- {member: M-1, status: active}
- {member: M-2, status: cancelled}
"""
PROCEDURE = """---
id: freeze
issue: I want to freeze my membership.
examples: {start: ["2025-05-01"]}
---

# Freezing

1. **Ask** for the number of the membership. Collect `member`.
2. **Call** `getMember` with `member`, giving `found`.
   - If it fails: go to 7.
   - If `found.status != "active"`: go to 7.
   - Otherwise: go to 3.
3. **Ask** from which day it shall be frozen. Collect `start`.
4. **Call** `freeze` with `member` and `start`, giving `freeze`.
   - If it fails with `conflict`: go to 6.
   - Otherwise: go to 5.
5. **End**: say that it is frozen from {freeze.start}, and that this ends on {freeze.ends}.
6. **End**: say that the membership is not active.
7. **End**: say that there is no such membership.
"""
LEXICAL = TextMatch.of("lexical")


@pytest.fixture
def gym(tmp_path: Path) -> Service:
    return served(tmp_path, API)


def served(folder: Path, api: str) -> Service:
    (folder / "api.yaml").write_text(api)
    (folder / "rows.yaml").write_text(ROWS)
    files: dict[str, str] = {"document": str(folder / "api.yaml"), "seed": str(folder / "rows.yaml")}
    return service(Setting(name="crud", arguments={**files}))


def test_what_no_argument_default_or_rule_says_is_made_up(gym: Service) -> None:
    """Not what was sent, nor the id, nor the first of an enum, nor when the row was made; and reading makes nothing."""
    assert set(gym.made_up("freeze")) == {"ends", "price"}
    assert not gym.made_up("getMember")


def test_what_a_rule_says_is_not(tmp_path: Path) -> None:
    said = 'x-action: {creates: {freezes: {ends: "2025-05-31"}}, requires'
    assert set(served(tmp_path, API.replace("x-action: {requires", said)).made_up("freeze")) == {"price"}


def test_a_step_that_tells_it_is_found(gym: Service) -> None:
    (finding,) = made_up_told(read(PROCEDURE, id="freeze"), gym)
    assert (finding.line, finding.rule, finding.quote) == (18, "made-up value", "{freeze.ends}")
    assert "`ends` of `freeze` is made up by the simulator, and step 5 says it aloud: say what it is" in finding.remedy
    assert not [*made_up_told(read(PROCEDURE.replace("freeze.ends", "freeze.start"), id="freeze"), gym)]


def test_a_project_hears_of_it_and_another_value_is_unsure(tmp_path: Path, gym: Service) -> None:
    (tmp_path / "procedures").mkdir()
    (tmp_path / "procedures" / "freeze.md").write_text(PROCEDURE)
    (tmp_path / "toologue.toml").write_text('apis = "api.yaml"\nseed = "rows.yaml"\nagents = ["gold"]\n')
    done = toologue("test", ".", cwd=tmp_path, columns=1000)
    assert "`ends` of `freeze` is made up by the simulator" in done.stdout, done.stderr
    assert (
        'step 4, branch 1 (`error.type == "conflict"`): none of 1 calls of `freeze` that were tried failed with '
        "`conflict`; it refuses member M-2, and the steps before lead that elsewhere"
    ) in done.stdout
    files = {"service": tmp_path / "api.yaml", "rows": tmp_path / "rows.yaml"}
    (gold, at), *_ = [
        (one, at)
        for one in generate(tmp_path / "procedures" / "freeze.md", **files)
        for at, turn in enumerate(one.turns)
        if turn.role == "agent" and "ends on" in (turn.text or "")
    ]
    words = "It is frozen from 1 May 2025, and this ends on {}."
    said = {day: judged_step(gold, at, AgentTurn(text=words.format(day)), LEXICAL) for day in ("12 March", "31 May")}
    assert said["12 March"].verdict == "right"
    assert said["31 May"].verdict == "unsure"
    assert "made up by the simulator" in said["31 May"].at[0].why
