"""A project so small that all its stages take a second: one procedure, one API, two rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from toologue.project.evaluate import Checked, Stage, check
from toologue.project.settings import open_project

SETTINGS = """
apis = "apis.yaml"
seed = "rows.yaml"
agents = ["agent.py:agent"]

[conversations]
count = 3
noise = 0
detours = 0
seed = 1

[run]
timeout = 20
"""
APIS = """
openapi: 3.1.0
info: {title: Lockers, version: "1"}
paths:
  /lockers/{locker_id}:
    get:
      operationId: get_locker
      parameters: [{name: locker_id, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Locker"}}}}
        "404": {description: There is none.}
components:
  schemas:
    Locker:
      type: object
      required: [locker_id, state]
      properties:
        locker_id: {type: string, pattern: '^L-\\d{2}$'}
        state: {type: string, enum: [open, shut]}
"""
ROWS = """
now: 2025-05-17T12:00:00Z
lockers:
  L-11: {state: open}
  L-12: {state: shut}
"""
PROCEDURE = """---
issue: My locker does not open.
---

# A locker

1. **Ask** for the number of the locker. Collect `locker_id`.
2. **Call** `get_locker` with `locker_id`, giving `locker`.
   - If it fails with `not_found`: go to 4.
   - If `locker.state == "open"`: go to 3.
   - Otherwise: go to 5.
3. **End**: say that {locker_id} is open already.
4. **End**: say that there is no {locker_id}.
5. **End**: say that a colleague comes to open {locker_id}.
"""
AGENT = """
import re

def agent(history, tools):
    last = history[-1]
    if last["role"] == "tool":
        said = re.findall(r"L-\\d\\d", str(history))[-1]
        if "error" in last["content"]:
            return f"There is no {said}."
        return f"{said} is open already." if "open" in last["content"] else f"A colleague comes to open {said}."
    number = re.search(r"L-\\d\\d", last["content"])
    if number:
        return {"name": "get_locker", "arguments": {"locker_id": number.group()}}
    return "What is the number of the locker?"
"""


def project(folder: Path, **files: str) -> Path:
    """The project in a folder; `files` are texts by name (`agent`, `settings`, `apis`, `rows`, `procedure`)."""
    names = {"settings": "toologue.toml", "apis": "apis.yaml", "rows": "rows.yaml", "agent": "agent.py"}
    texts = {"settings": SETTINGS, "apis": APIS, "rows": ROWS, "agent": AGENT, "locker": PROCEDURE, **files}
    (folder / "procedures").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        file = folder / names[name] if name in names else folder / "procedures" / f"{name}.md"
        file.write_text(text, encoding="utf-8")
    return folder


def checked(folder: Path, *agents: str, tell: Callable[[Stage], None] = lambda stage: None, **more: Any) -> Checked:
    return check(open_project(folder), agents=agents, tell=tell, **more)


def amounts(folder: Path, *agents: str, **more: Any) -> dict[str, tuple[int, int]]:
    """By stage, (what was done, what was kept)."""
    found: dict[str, tuple[int, int]] = {}

    def tell(stage: Stage) -> None:
        found[stage.name] = (stage.fresh, stage.kept)

    checked(folder, *agents, tell=tell, **more)
    return found
