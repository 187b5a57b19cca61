"""A checkout that looks like tau2-bench's, as small as can be: a kennel with one database, three tools, three tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TOOLKIT = """
import hashlib, json
from addict import Dict  # not installed, and not needed
from loguru import logger

class Tool:
    def __init__(self, function): self.function = function
    @property
    def openai_schema(self):
        properties = {name: {"type": "string"} for name in self.function.takes}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        said = {"name": self.function.__name__, "description": self.function.__doc__, "parameters": schema}
        return {"type": "function", "function": said}

class ToolKitBase:
    def __init__(self, db): self.db = db
    @property
    def tools(self): return {n: getattr(self, n) for n in dir(type(self)) if hasattr(getattr(type(self), n), "takes")}
    def get_tools(self): return {name: Tool(tool) for name, tool in self.tools.items()}
    def use_tool(self, tool_name, **given): return self.tools[tool_name](**given)
    def tool_mutates_state(self, name): return self.tools[name].writes
    def update_db(self, data): self.db = type(self.db).model_validate({**self.db.model_dump(), **data})
    def get_db_hash(self): return hashlib.sha256(json.dumps(self.db.model_dump(), sort_keys=True).encode()).hexdigest()

def is_tool(writes, *takes):
    def decorate(function):
        function.writes, function.takes = writes, takes
        return function
    return decorate
"""
TOOLS = '''
import os
from typing import Dict
from pydantic import BaseModel
from tau2.environment.toolkit import ToolKitBase, is_tool, logger

class Dog(BaseModel):
    name: str
    walks: list[str] = []

class KennelDB(BaseModel):
    dogs: Dict[str, Dog]

class KennelTools(ToolKitBase):
    db: KennelDB

    @is_tool(False, "dog")
    def find_dog(self, dog):
        """Look up a dog."""
        logger.info("looking for a dog")
        print("tools may print")
        if dog not in self.db.dogs:
            raise ValueError(f"no dog {dog}")
        return self.db.dogs[dog]

    @is_tool(True, "dog", "day")
    def book_walk(self, dog, day):
        """Book a walk."""
        self.db.dogs[dog].walks.append(day)
        return "booked"

    @is_tool(True, "dog")
    def bite(self, dog):
        """End the process."""
        os._exit(3)
'''
DB: dict[str, Any] = {"dogs": {"D1": {"name": "Ada", "walks": []}, "D2": {"name": "Bo", "walks": ["Monday"]}}}


def task(id: str, *calls: tuple[str, dict[str, str]], **more: Any) -> dict[str, Any]:
    told = {"domain": "kennel", "reason_for_call": "You want a walk for D1.", "known_info": "You are Ada's friend."}
    actions = [{"action_id": f"{id}_{n}", "name": name, "arguments": given} for n, (name, given) in enumerate(calls)]
    criteria = {"actions": actions, "communicate_info": ["booked"] if calls else [], "reward_basis": ["DB"]}
    scenario = {"persona": None, "instructions": told}
    return {"id": id, "user_scenario": scenario, "initial_state": None, "evaluation_criteria": criteria, **more}


TASKS = [
    task("0", ("find_dog", {"dog": "D1"}), ("book_walk", {"dog": "D1", "day": "Friday"})),
    task("1", ("find_dog", {"dog": "D9"})),
    task("2"),
]


def checkout(folder: Path, tasks: list[dict[str, Any]] = TASKS, tools: str = TOOLS) -> Path:
    """The checkout, in a folder."""
    code, data = folder / "src" / "tau2", folder / "data" / "tau2" / "domains" / "kennel"
    texts = {
        code / "__init__.py": "raise ImportError('all of tau2 is loaded')",
        code / "environment" / "toolkit.py": TOOLKIT,
        code / "domains" / "kennel" / "tools.py": tools,
        data / "db.json": json.dumps(DB),
        data / "policy.md": "# Kennel\n\nWalk them all.\n",
        data / "tasks.json": json.dumps(tasks),
    }
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder
